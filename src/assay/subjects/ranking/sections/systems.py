"""The table of systems: every number with its interval, and how it stands to the baseline's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import polars as pl

from assay.core.digits import as_level, p_phrase, signed
from assay.core.errors import listed, number_of
from assay.core.words import LEGEND, MARKS, noted
from assay.show.axis import around
from assay.show.cells import best
from assay.show.model import Column, Section, Table
from assay.subjects.ranking.sections.basis import Basis

#: What a mark rests on where it is not a test.
_NOT_TESTED = {"≈": "the difference lies within the margin", "=": "no value differs"}
_MANY = 24


def systems(basis: Basis) -> Iterator[Section]:
    """One row per system, best first: its numbers with intervals, marked where they differ from the baseline's."""
    judged: dict[str, float] = {}
    if basis.evaluation is not None and not basis.is_complete:
        judged = dict(basis.evaluation.coverage.select("system", "judged@10").rows())
    scores = [_score(basis, name, system) for system in basis.systems for name in basis.measures]
    rows: dict[str, dict[str, Any]] = {
        system: {"system": system, "baseline": system == basis.baseline} for system in basis.systems
    }
    for score in scores:
        name = score["measure"]
        parts = {name: "value", f"{name} low": "low", f"{name} high": "high", f"_{name} word": "word"}
        parts[f"_{name} says"] = "says"
        rows[score["system"]] |= {key: score[part] for key, part in parts.items()}
    for system, row in rows.items():
        row["judged@10"] = judged.get(system, math.nan)
    frame = pl.DataFrame(list(rows.values()), infer_schema_length=None)
    columns = [Column("system"), *(_column(basis, frame, name) for name in basis.measures)]
    if any(not math.isnan(share) for share in judged.values()):
        columns.append(Column("judged@10", kind="percent"))
    notes = tuple(filter(None, [" ".join(_legend(basis, scores, columns))]))
    caption = "Systems, with intervals"
    table = Table("systems", frame, tuple(columns), caption, notes, marked="baseline", look="systems")
    tops = {column.name: best(frame[column.name], column.best) for column in columns[1:]}
    data = [score | {"is_best": score["value"] == tops[score["measure"]]} for score in scores]
    yield Section("systems", "Systems", (table,), data={"scores": data})


def _score(basis: Basis, measure: str, system: str) -> dict[str, Any]:
    """A system's number under one measure, and how it stands to the baseline's, if it was compared."""
    value, interval = basis.standings[measure, system]
    finding = next((each for each in basis.findings(measure) if each.system == system), None)
    score = {"system": system, "measure": measure, "value": value, "low": interval.low, "high": interval.high}
    if finding is None:
        return score | {"difference": math.nan, "p": math.nan, "verdict": "", "word": "", "mark": "", "says": ""}
    word = finding.verdict.word
    mark = MARKS.get(word, "")
    means = LEGEND.get(mark, "")
    if not math.isnan(finding.difference):
        means = f"{means}: {signed(finding.difference)}, {p_phrase(finding.p)}".replace("-", "−")
    numbers = {"difference": finding.difference, "p": finding.p}
    return score | numbers | {"verdict": str(finding.verdict), "word": word, "mark": mark, "says": means}


def _column(basis: Basis, frame: pl.DataFrame, measure: str) -> Column:
    """A measure's numbers, with decimals until they differ; intervals on one axis."""
    ends, way = (f"{measure} low", f"{measure} high"), basis.higher_is_better(measure)
    values = (value for name in (measure, *ends) for value in frame[name].to_list())
    return Column(
        measure,
        kind="estimate",
        least=4,
        compared="column",
        best=None if way is None else "high" if way else "low",
        ends=ends,
        axis=around(values, zero=False),
        mark=f"_{measure} word",
        hint=f"_{measure} says",
        note=noted(way),
    )


def _legend(basis: Basis, scores: list[dict[str, Any]], columns: list[Column]) -> Iterator[str]:
    """What stands out, what the marks mean and what they rest on."""
    if len(basis.systems) > _MANY:
        yield f"{number_of('system', len(basis.systems))} in all."
    ranked = {column.name for column in columns if column.best is not None}
    values = [{score["value"] for score in scores if score["measure"] == name} for name in ranked]
    if any(len({value for value in column if not math.isnan(value)}) > 1 for column in values):
        yield "Bold: the best number of its column."
    if lower := [name for name in basis.measures if basis.higher_is_better(name) is False]:
        yield f"Lower {listed(lower)} is better."
    used = {score["mark"] for score in scores}
    tested = f"p below {basis.settings.alpha:g}"
    yield from (f"{mark} {says} ({_NOT_TESTED.get(mark, tested)})." for mark, says in LEGEND.items() if mark in used)
    if any(not math.isnan(score["low"]) for score in scores):
        yield f"With each number its {as_level(1 - basis.settings.alpha)} interval."
