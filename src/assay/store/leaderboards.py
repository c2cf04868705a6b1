"""The leaderboard of a release: its runs with intervals, what was judged of them, and which cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import InputError, number_of
from assay.show.model import Column, Document, Prose, Section, Table

if TYPE_CHECKING:
    from assay.store.releases import Release
    from assay.subjects.ranking.evaluation import Evaluation

_LEVEL = 0.95
_LEGEND = (
    "Runs that share a letter show no clear difference; alike: from how many other runs a run cannot be told apart; "
    "judged: the share of the first ten results that somebody has judged."
)


def leaderboard(release: Release, runs: Mapping[str, Any], measure: str, *, is_own: bool = False) -> Document:
    """The runs under a release, the best first.

    `is_own`: for the contestant whose runs they are, who learns their numbers, and nothing of what was judged.
    """
    from assay.verbs.comparison import compare  # noqa: PLC0415  # loads SciPy

    if not runs:
        raise InputError(f"{release.project} keeps no runs: there is nothing to rank")
    qrels = release.to_qrels()
    notes: tuple[str, ...] = ()
    if len(runs) == 1:
        from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415

        evaluation = evaluate(qrels, dict(runs), [measure])
        rows = [_alone(evaluation)]
    else:
        comparison = compare(qrels, dict(runs), measures=[measure], all_pairs=True, look_into=False)
        evaluation, notes = comparison.evaluation, comparison.notes
        rows = [
            {"system": each.system, "value": each.value, "low": each.interval.low, "high": each.interval.high,
             "group": "".join(each.groups), "alike": each.alike}
            for each in comparison.standings
        ]  # fmt: skip
    name = str(evaluation.measures[0])
    frame = pl.DataFrame(rows, infer_schema_length=None)
    coverage = evaluation.coverage
    judged = "judged@10" if "judged@10" in coverage.columns and not is_own else ""
    if judged:
        frame = frame.join(coverage.select("system", judged), on="system", how="left", maintain_order="left")
    columns = (
        Column("system", "run"), Column("value", name, "number", compared="column"),
        Column("value", f"{as_level(_LEVEL)} interval", "interval", ends=("low", "high")),
        *([Column("group"), Column("alike", kind="count")] if len(runs) > 1 else []),
        *([Column(judged, "judged", "percent")] if judged else []),
    )  # fmt: skip
    sections = [
        Section("claim", parts=(Prose(_claim(frame, name), "claim"),)),
        Section("leaderboard", parts=(Table("leaderboard", frame, columns),)),
    ]
    if len(runs) > 1 and not is_own:
        sections.append(Section("legend", parts=(Prose(_LEGEND, "fine"),)))
    told = () if is_own else (*evaluation.warnings, *notes)
    sections.append(Section.of_lines("notes", tuple(dict.fromkeys(map(str, told)))))
    title = f"Runs under release {release.version} by {name}"
    return Document("leaderboard", tuple(each for each in sections if each.parts), title)


def _alone(evaluation: Evaluation) -> dict[str, Any]:
    """The number of a single run, with its interval."""
    from assay.stats.mean_samples import MeanSample  # noqa: PLC0415  # loads SciPy
    from assay.stats.samples import Drawing  # noqa: PLC0415

    sample = MeanSample.of_scores(evaluation.scores, str(evaluation.measures[0]))
    interval = sample.intervals((0,), [_LEVEL], Drawing(10_000, 0), "hull")[0]
    name = evaluation.systems[0].name
    return {"system": name, "value": evaluation.mean(), "low": interval.low, "high": interval.high}


def _claim(frame: pl.DataFrame, measure: str) -> str:
    """The best run, and from how many others it cannot be told apart."""
    best = frame.row(0, named=True)
    if "alike" not in best:
        return f"{best['system']}: {measure} {best['value']:.4f}."
    if not best["alike"]:
        return f"Best: {best['system']}, clearly ahead of all others under {measure}."
    return f"Best: {best['system']}; {number_of('other run', best['alike'])} cannot be told apart from it by {measure}."
