"""`value_rankings`: what other rankings would have earned on a log, as far as it can tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.domains import POSITIVE, SHARE, Real, Whole
from assay.core.errors import InputError, ParameterError, argument, joined, number_of
from assay.core.evaluation_options import Seed
from assay.core.options import Clip, Confidence, ExaminationCurve, MinCoverage, RankCutoff, Resamples
from assay.core.results import Result
from assay.files.collections import read_run
from assay.files.sources import is_file
from assay.measures.counting.click_counts import LoggedPages
from assay.measures.counting.clicked_lists import Cells, ClickedLists
from assay.measures.counting.judgments import Floats, Mask
from assay.stats.click_models.fitting import fit_clicks
from assay.stats.estimates import checked_confidence
from assay.stats.off_policy import PageValues, by_document, by_position, by_propensity
from assay.stats.ratio_samples import ratio_of_sums
from assay.subjects.clicks.inputs import below_the_cutoff, opened_log
from assay.tables import Run
from assay.tables.log import Log

BY_DOCUMENT = "PBM by document"
#: The estimators by name, and what each does in words.
ESTIMATORS = {
    "PBM": "each click weighted by how much more its new rank is looked at than its old one",
    BY_DOCUMENT: "the same, with all pages of a query taken together: documents need not be on each",
    "IPS": "clicks on documents that stood at their new rank, over how likely they were to stand there",
    "SNIPS": "the same, with the weights of each rank divided by their mean",
}
#: Of fewer of the pages, it does not matter that a ranking has not as many results.
_FEW = 0.05
#: The weights, and powers of the examination curve, that are tried beside those asked for.
_CLIPS, _POWERS = (20.0, 10.0, 5.0, 2.0), (0.5, 0.75, 1.25, 1.5)


@dataclass(frozen=True, eq=False)
class RankingValues(Result):
    """Clicks per page that rankings would have had.

    `values`: one row per run and estimator: the `value`, its interval, the `difference` to what the logged ranking
    earned on the same pages (`logged`), its interval, `coverage`, `effective` sample size, `largest` weight; and why
    there is no value (`refused`). `sensitivity`: the values with other limits of the weights and other examination.
    """

    kind: ClassVar[str] = "ranking values"

    log: Log
    values: pl.DataFrame
    sensitivity: pl.DataFrame
    examination: Floats
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<RankingValues of {number_of('run', self.values['run'].n_unique())}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per run and estimator."""
        return self.values

    @property
    def refused(self) -> list[str]:
        """The runs that have no value by any estimator: the log says too little about them."""
        runs = self.values.group_by("run", maintain_order=True).agg(pl.col("value").is_null().all())
        return runs.filter("value")["run"].to_list()


def value_rankings(
    log: Any,
    runs: Any,
    *,
    cutoff: RankCutoff = 10,
    examination: ExaminationCurve = None,
    clip: Clip = None,
    min_coverage: MinCoverage = 0.5,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> RankingValues:
    """Say how many clicks per page other rankings would have had on the pages of a log.

    `runs`: a run, or several by name. `examination`: how likely each rank is looked at, from the first on; without it,
    the position-based model is fitted to the log, which takes documents that were shown at several ranks. Where the log
    has propensities, the inverse propensity estimates are there, too. `clip`: the largest weight. A ranking of which
    less than `min_coverage` (by examination) was ever shown is refused: the log cannot speak of it. Intervals are of
    users, else sessions, else pages drawn anew; they do not know how sure the examination is.

    >>> log = Log.from_pages([("q", ["a", "b"], ["b"]), ("q", ["a", "b"], ["a"])] * 4)
    >>> result = value_rankings(log, {"swapped": {"q": {"b": 2.0, "a": 1.0}}}, examination=[1.0, 0.5], cutoff=2)
    >>> result.values.select("run", "estimator", "value", "logged").rows()[0]  # (2 + 0.5) / 2
    ('swapped', 'PBM', 1.25, 1.0)
    """
    confidence = checked_confidence(confidence)
    Whole(1).check("cutoff", cutoff)
    SHARE.check("min_coverage", min_coverage)
    if clip is not None:
        POSITIVE.check("clip", clip)
    opened, _ = opened_log(log)
    warnings = [*opened.remarks]
    if examination is None:
        curve = fitted_examination(opened, cutoff)
        source = "fitted, PBM"
    else:
        if not hasattr(examination, "__iter__") or isinstance(examination, str):
            raise ParameterError(f"examination is numbers, one per rank, not {examination!r}")
        stated = [Real(0.0, 1.0).check("a number in examination", each) for each in examination]
        curve = np.array(stated)
        source = "as stated"
    if not (len(curve) and curve[0] > 0):
        raise ParameterError("examination starts above 0, at rank 1")
    if len(curve) < cutoff:
        cutoff = len(curve)
        why = "no page shows more" if examination is None else "examination is stated for no more"
        warnings.append(below_the_cutoff(cutoff, why))
    rows: list[dict[str, Any]] = []
    sensitivity: list[dict[str, Any]] = []
    drawing = {"confidence": confidence, "resamples": resamples, "seed": seed}
    for name, run in _opened(runs).items():
        pages = LoggedPages.from_tables(opened, run, cutoff)
        if pages.left_out:
            warnings.append(f"{name}: {number_of('page', pages.left_out)} left out, whose queries it does not answer")
        shown = np.bincount(pages.page[pages.old_rank <= cutoff], minlength=pages.pages)
        if (shorter := int((pages.depth < shown).sum())) > _FEW * pages.pages:
            warnings.append(
                f"{name}: on {number_of('page', shorter)} it has fewer results than were shown, and loses the clicks "
                "further down for that alone"
            )
        drawn = int(pages.has_propensities.sum())
        if 0 < drawn < pages.pages:
            warnings.append(
                f"{name}: IPS and SNIPS rest on {drawn:,} of {number_of('page', pages.pages)}, those with "
                "propensities, which are taken for a random sample of all pages of their query"
            )
        for estimator, compute in _estimators(pages).items():
            row, refused = _valued(pages, compute(curve, clip), drawing, min_coverage)
            rows.append({"run": name, "estimator": estimator, **row})
            if not refused:
                sensitivity += [
                    {"run": name, "estimator": estimator, **each}
                    for each in _tried(compute, curve, clip, clips=estimator != BY_DOCUMENT)
                ]
    settings = {
        "cutoff": cutoff, "examination": source, "clip": clip, "min_coverage": min_coverage, **drawing,
        "unit": opened.unit_kind,
    }  # fmt: skip
    return RankingValues(
        opened, pl.DataFrame(rows, schema=_VALUES), pl.DataFrame(sensitivity, schema=_SENSITIVITY), curve, settings,
        tuple(warnings),
    )  # fmt: skip


_VALUES = {
    "run": pl.String, "estimator": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "logged": pl.Float64, "difference": pl.Float64, "difference_low": pl.Float64, "difference_high": pl.Float64,
    "pages": pl.Int64, "coverage": pl.Float64, "results": pl.Int64, "effective": pl.Float64, "largest": pl.Float64,
    "refused": pl.String,
}  # fmt: skip
_SENSITIVITY = {"run": pl.String, "estimator": pl.String, "setting": pl.String, "value": pl.Float64}
Compute = Callable[[Floats, "float | None"], PageValues]


def _opened(runs: Any) -> dict[str, Run]:
    """The runs by their names: one, several in a list, or by name."""
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        opened = {str(name): _run(run, str(name)) for name, run in runs.items()}
    else:
        listed = [_run(run, None) for run in (runs if isinstance(runs, list | tuple) else [runs])]
        opened = {run.name: run for run in listed}
        if len(opened) < len(listed):
            names = ", ".join(run.name for run in listed)
            raise InputError(f"runs: expected a different name for each, got {names}")
    if not opened:
        raise ParameterError("expected a run or more, got none")
    return opened


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Tell {query: {doc: score}} from {name: run}."""
    first = next(iter(runs.values()), None)
    return isinstance(first, Mapping) and not any(isinstance(value, Mapping) for value in first.values())


def _run(source: Any, name: str | None) -> Run:
    if hasattr(source, "batches"):
        run: Run = source.read()
        return run
    return read_run(source, name=name) if is_file(source) else Run.of(source, name or "run")


def _estimators(pages: LoggedPages) -> dict[str, Compute]:
    """The estimators that the log has what it takes for."""
    known: dict[str, Compute] = {
        "PBM": lambda curve, clip: by_position(pages, curve, clip),
        BY_DOCUMENT: lambda curve, _: by_document(pages, curve),
    }
    if pages.has_propensities.any():
        known |= {
            "IPS": lambda curve, clip: by_propensity(pages, curve, clip),
            "SNIPS": lambda curve, clip: by_propensity(pages, curve, clip, normalised=True),
        }
    return known


def _valued(
    pages: LoggedPages, weighted: PageValues, drawing: Mapping[str, Any], min_coverage: float
) -> tuple[dict[str, Any], bool]:
    """The value and the difference to the logged ranking, by person; or why there is none."""
    basis = {
        "pages": pages.pages, "coverage": weighted.coverage, "results": len(weighted.weights),
        "effective": weighted.effective, "largest": weighted.largest,
    }  # fmt: skip
    clicks = pages.clicked & (pages.old_rank <= pages.cutoff)
    logged = np.bincount(pages.page[clicks], minlength=pages.pages).astype(np.float64)
    count = np.bincount(pages.unit).astype(np.float64)
    row: dict[str, Any] = {"logged": float(logged.mean()), **basis}
    if not len(weighted.weights) or weighted.coverage < min_coverage:
        share = f"the log covers {weighted.coverage:.1%} of what users would look at"
        return {**row, "refused": f"{share}{f', less than {min_coverage:.0%}' if min_coverage else ''}"}, True
    names = {"value": ("low", "high"), "difference": ("difference_low", "difference_high")}
    possible = {"value": (0.0, np.inf), "difference": (-row["logged"], np.inf)}  # no clicks at all are the fewest
    for (name, ends), values in zip(names.items(), (weighted.values, weighted.values - logged), strict=True):
        sums = np.bincount(pages.unit, values).astype(np.float64)
        row |= ratio_of_sums(sums, count, bounds=possible[name], **drawing).as_columns(name, *ends)
    return row, False


def _tried(compute: Compute, curve: Floats, clip: float | None, *, clips: bool) -> Iterator[dict[str, Any]]:
    """The value with other limits of the weights, and with users who look further down or less far."""
    yield {"setting": "as above", "value": compute(curve, clip).estimate}
    for limit in _CLIPS:
        if clips and (clip is None or limit < clip):
            yield {"setting": f"weights up to {limit:g}", "value": compute(curve, limit).estimate}
    for power in _POWERS:
        way = "users look further down" if power < 1 else "users look less far down"
        yield {"setting": f"{way} (examination^{power:g})", "value": compute(curve**power, clip).estimate}


def fitted_examination(log: Log, cutoff: int = 10) -> Floats:
    """Examination by rank, from rank 1 (1.0) on, by the position-based model; 0 where unknown, below the cut-off.

    A rank is known if clicked documents that were shown there were also shown at ranks that are known: otherwise nobody
    can tell a rank that is not looked at from documents that are not liked.

    >>> pages = [("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["a"]), ("q", ["b", "a"], ["b"])]
    >>> fitted_examination(Log.from_pages(pages), cutoff=2)
    array([1. , 0.5])
    """
    lists = ClickedLists.from_log(log)
    cells = lists.cells()
    ranks = cells.groups[:, 0]
    known = _linked(cells)
    lost = [str(rank) for rank in ranks[~known] if rank <= cutoff]
    if lost or not len(ranks) or ranks[0] != 1:
        raise InputError(
            f"{log.origin}: expected clicked documents that were shown at several ranks, got none for rank "
            f"{joined(lost) if lost else '1'}: the log cannot separate how far users look from what they like; state "
            f"how likely each rank is looked at, {argument('examination')}"
        )
    rows = fit_clicks(lists, "PBM", prior=(0, 0)).shared.sort("rank")
    curve = np.zeros(int(ranks[-1]))
    curve[rows["rank"].to_numpy() - 1] = np.where(known, rows["value"].fill_null(0.0).to_numpy(), 0.0)
    return curve


def _linked(cells: Cells) -> Mask:
    """A mask of the ranks linked to the first by documents that were shown at both, and clicked somewhere."""
    from scipy.sparse import coo_array  # noqa: PLC0415  # slow to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  # slow to load

    pairs = int(cells.pair.max(initial=-1)) + 1
    liked = np.bincount(cells.pair, cells.clicks, pairs) > 0
    rows = liked[cells.pair]
    size = len(cells.groups)
    links = coo_array(
        (np.ones(int(rows.sum())), (cells.group[rows], size + cells.pair[rows])), shape=(size + pairs, size + pairs)
    )
    _, part = connected_components(links, directed=False)
    linked: Mask = part[:size] == part[:1]
    return linked
