"""`judge_clicks`: how relevant documents are by their clicks, with counts and intervals, as graded judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.domains import SHARE, Choice, Real, Whole
from assay.core.errors import ParameterError, number_of
from assay.core.options import (
    Confidence,
    GradeQuantiles,
    GradeThresholds,
    JudgedBy,
    MinExpected,
    MinImpressions,
    SameText,
    Shrinkage,
)
from assay.core.results import Result
from assay.measures.counting.click_counts import click_cells, expected_clicks, rank_rates
from assay.measures.counting.judgments import Floats, Ints
from assay.stats.click_models.fitting import fit_clicks
from assay.stats.click_models.models import MODELS, model_of
from assay.stats.estimates import checked_confidence
from assay.subjects.clicks.inputs import clicked_lists, opened_log
from assay.tables import Qrels
from assay.tables.log import Log

#: Where grades begin among the estimates: half of the documents are not relevant, the best tenth has grade 3.
QUANTILES = (0.5, 0.75, 0.9)
COEC = "COEC"


@dataclass(frozen=True, eq=False)
class ClickJudgments(Result):
    """Relevance of each document for each query, by its clicks.

    `pairs`: one row per query and document: `impressions`, `clicks`, (of COEC) `expected` clicks, `estimate`, `low`,
    `high`, its `grade`, and why there is none (`reason`). `ranks`: what is known of each rank. `merges`: queries that
    read alike and were taken for one. `cuts`: from which estimate on each grade begins.
    """

    kind: ClassVar[str] = "click judgments"

    log: Log
    pairs: pl.DataFrame
    ranks: pl.DataFrame
    merges: pl.DataFrame
    cuts: tuple[float, ...]
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ClickJudgments of {number_of('pair', self.pairs.height)} by {self.settings['by']}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per query and document."""
        return self.pairs

    @property
    def judged(self) -> pl.DataFrame:
        """The pairs that have a grade."""
        return self.pairs.filter(pl.col("grade").is_not_null())

    def to_qrels(self) -> Qrels:
        """Judgments, with `impressions`, `clicks`, `estimate`, `low`, `high` and their `source` beside each."""
        frame = self.judged.select(
            "query_id", "doc_id", pl.col("grade").cast(pl.Float64).alias("relevance"), "impressions", "clicks",
            "estimate", "low", "high", source=pl.lit(self.settings["by"]),
        )  # fmt: skip
        return Qrels(frame, self.log.name, f"clicks by {self.settings['by']}")


def judge_clicks(
    log: Any,
    *,
    by: JudgedBy = COEC,
    min_impressions: MinImpressions = 10,
    min_expected: MinExpected = 1.0,
    shrinkage: Shrinkage = 1.0,
    quantiles: GradeQuantiles = QUANTILES,
    thresholds: GradeThresholds = None,
    same_text: SameText = False,
    confidence: Confidence = 0.95,
) -> ClickJudgments:
    """Estimate from clicks how relevant documents are, and grade them.

    `by`: `COEC`, clicks over expected clicks: those that an average document would have had at the same ranks; or a
    click model, whose probability it is that a user is satisfied, or attracted where the model knows no satisfaction.
    Pairs with fewer than `min_impressions`, or for COEC fewer than `min_expected` expected clicks, have no grade. COEC
    is `(clicks + shrinkage) / (expected + shrinkage)`, and its interval that of the gamma distribution which this
    stands for. Grades: how many of the `thresholds` an estimate reaches; without these, how many of the `quantiles` of
    all estimates it exceeds. `same_text`: take queries for one that read alike.

    >>> pages = [("q", ["a", "b"], ["b"])] * 6 + [("q", ["b", "a"], ["b"])] * 6
    >>> judge_clicks(Log.from_pages(pages)).pairs.select("doc_id", "clicks", "expected", "estimate", "grade").rows()
    [('a', 0, 6.0, 0.1429, 0), ('b', 12, 6.0, 1.8571, 3)]
    """
    confidence = checked_confidence(confidence)
    Whole(1).check("min_impressions", min_impressions)
    for name, value in (("min_expected", min_expected), ("shrinkage", shrinkage)):
        Real(0.0).check(name, value)
    Choice(sources()).check("by", by)
    opened, merges = opened_log(log, same_text=same_text)
    if by == COEC:
        cells = click_cells(opened)
        pairs = _coec(cells, shrinkage, confidence)
        ranks = rank_rates(cells)
        lacking = pl.col("estimate").is_null() | (pl.col("expected") < min_expected)
        reason = pl.when(lacking).then(pl.lit("too few expected clicks"))
    else:
        pairs, ranks = _by_model(opened, by, confidence)
        reason = pl.when(pl.col("estimate").is_null()).then(pl.lit("the model has no estimate"))
    few = pl.when(pl.col("impressions") < min_impressions).then(pl.lit("too few impressions"))
    pairs = pairs.with_columns(reason=pl.coalesce(few, reason))
    enough = pairs["reason"].is_null().to_numpy()
    grades, cuts = graded(pairs["estimate"].to_numpy()[enough], quantiles, thresholds)
    column = np.full(pairs.height, -1, dtype=np.int64)
    column[enough] = grades
    pairs = pairs.with_columns(grade=pl.Series(column).replace(-1, None))
    settings = {
        "by": by, "min_impressions": min_impressions, "same_text": same_text, "confidence": confidence,
        **({"min_expected": min_expected, "shrinkage": shrinkage} if by == COEC else {}),
        "rule": "thresholds" if thresholds is not None else "quantiles",
        "at": tuple(thresholds if thresholds is not None else quantiles),
    }  # fmt: skip
    warnings = [*opened.remarks]
    if by != COEC and (no_interval := model_of(by).no_interval) is not None:
        warnings.append(no_interval)
    if not enough.any():
        reasons = pairs["reason"].unique(maintain_order=True)
        warnings.append(f"nothing has a grade: {', '.join(reasons)}")
    return ClickJudgments(opened, pairs, ranks, merges, cuts, settings, tuple(warnings))


def beside_grades(pairs: pl.DataFrame, grades: pl.DataFrame, column: str = "estimate") -> pl.DataFrame:
    """Pairs that are judged, with `grade`, the mean for it (`usual`), and how far their interval is from that."""
    usual = pl.col(column).mean().over("grade")
    distance = pl.max_horizontal(pl.col("low") - usual, usual - pl.col("high"), 0.0)
    both = pairs.join(grades, on=["query_id", "doc_id"], how="inner", maintain_order="left")
    return both.with_columns(usual=usual, distance=distance)


def graded(
    estimates: Floats, quantiles: Sequence[float], thresholds: Sequence[float] | None = None
) -> tuple[Ints, tuple[float, ...]]:
    """Grades of estimates, and the estimates at which grades begin: those reached, or quantiles that are exceeded.

    >>> graded(np.array([0.0, 0.0, 0.1, 0.4]), [0.5, 0.75])
    (array([0, 0, 1, 2]), (0.05, 0.175))
    >>> graded(np.array([0.0, 0.1, 0.4]), (), [0.1, 0.5])
    (array([0, 1, 1]), (0.1, 0.5))
    """
    stated = list(thresholds if thresholds is not None else quantiles)
    what = "thresholds" if thresholds is not None else "quantiles"
    for value in stated:
        (Real() if thresholds is not None else SHARE).check(f"a number in {what}", value)
    if not stated or stated != sorted(set(stated)):
        raise ParameterError(f"{what} are one number or more, rising, not {stated}")
    if thresholds is not None:
        cuts = np.array(stated, dtype=np.float64)
        return np.searchsorted(cuts, estimates, side="right").astype(np.int64), tuple(stated)
    cuts = np.quantile(estimates, stated) if len(estimates) else np.full(len(stated), np.nan)
    return np.searchsorted(cuts, estimates, side="left").astype(np.int64), tuple(cuts.tolist())


def sources() -> tuple[str, ...]:
    """Sources of judgments: COEC, and the click models that know a relevance of documents.

    >>> "PBM" in sources(), "GCTR" in sources()
    (True, False)
    """
    return (COEC, *(name for name, model in MODELS.items() if model.relevance))


def _by_model(log: Log, name: str, confidence: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Relevance of pairs by a model, and how likely each rank is looked at."""
    lists = clicked_lists(log)
    fit = fit_clicks(lists, name, prior=(0, 0))
    pairs = fit.relevance(confidence).rename({"relevance": "estimate"}).sort("query_id", "doc_id")
    rates = rank_rates(click_cells(log))
    looks = fit.examination(lists).select(pl.col("rank").cast(pl.Int64), "examination")
    return pairs, rates.join(looks, on="rank", how="left", maintain_order="left")


def _coec(cells: pl.DataFrame, shrinkage: float, confidence: float) -> pl.DataFrame:
    from scipy.special import gammaincinv  # noqa: PLC0415  # slow to load

    pairs = expected_clicks(cells)
    clicks, expected = (pairs[name].to_numpy().astype(np.float64) for name in ("clicks", "expected"))
    below = np.where(expected + shrinkage > 0, expected + shrinkage, np.nan)
    tail = (1 - confidence) / 2
    # Without shrinkage, these are the exact limits of a Poisson count.
    low = np.where(clicks + shrinkage > 0, gammaincinv(np.maximum(clicks + shrinkage, 1e-9), tail), 0.0) / below
    high = gammaincinv(clicks + shrinkage + (shrinkage == 0), 1 - tail) / below
    columns = {"estimate": (clicks + shrinkage) / below, "low": low, "high": high}
    return pairs.with_columns(**{name: pl.Series(values).fill_nan(None) for name, values in columns.items()})
