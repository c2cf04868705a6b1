"""The points of curves: precision at levels of recall, precision and recall rank by rank, and the ROC curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
import polars as pl

from assay.core.domains import Choice, Whole
from assay.core.errors import ParameterError, number_of
from assay.core.evaluation_options import Undefined
from assay.core.words import short_name
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import RuleName, UnretrievedName
from assay.measures.kernels import NO_IRRELEVANT, NO_RELEVANT, relevant_rows
from assay.measures.parser import parse_measure
from assay.measures.precision import IPrec, IPrecMean
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.summary import Summary, summarise

#: More levels of recall than these nobody sees apart.
MOST_LEVELS = 1001


def level_measures(levels: int, rule: RuleName | None = None) -> list[Measure]:
    """Interpolated precision at evenly spaced levels of recall, and last their mean.

    >>> level_measures(3)
    [IPrec@0, IPrec@0.5, IPrec@1, IPrecMean(points=3)]
    """
    number = Whole(2, high=MOST_LEVELS).check("levels", levels)
    changes = {} if rule is None else {"rule": rule}
    at_levels = [IPrec(recall=level / (number - 1), **changes) for level in range(number)]
    return [*at_levels, IPrecMean(points=number, **changes)]


def averaged_precision(
    systems: Mapping[str, Mapping[Measure, PerUnit]], undefined: Undefined = "counted_as"
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Average the results of `level_measures`: each system's precision-recall curve, and the mean of its points."""
    points, means = [], []
    for system, results in systems.items():
        for measure, result in results.items():
            summary = summarise(measure, result, undefined)
            if "recall" in measure.parameters:
                points.append((system, None, "interpolated", None, measure.parameters["recall"], summary.value))
            else:
                means.append((system, measure, summary))
    return pr_frame(points), summary_frame(means)


class RankByRank(NamedTuple):
    """A query's ranks from 1 on, and how many relevant documents were found down to each."""

    rank: Floats
    found: Floats
    relevant: int

    @property
    def precision(self) -> Floats:
        """P@k for every k."""
        return self.found / self.rank

    @property
    def recall(self) -> Floats:
        """R@k for every k."""
        return self.found / self.relevant if self.relevant else np.full(len(self.rank), np.nan)


def rank_by_rank(ranks: Ranks, query: int, rel: float | None = None) -> RankByRank:
    """Count relevant documents down to every rank of one query; tied documents in shares if ties are averaged.

    >>> rank_by_rank(Ranks.from_grades([1, 0, 1]), 0).precision
    array([1. , 0.5 , 0.66666667])
    """
    rows = relevant_rows(ranks, rel)
    rows = rows.where(rows.query == query)
    rank = np.arange(1.0, int(ranks.retrieved[query]) + 1)
    relevant = int(ranks.relevant(rel)[query])
    first, last = (rows.tie_first, rows.tie_last) if rows.averaged else (rows.rank, rows.rank)
    # As the rank goes through a tie, its relevant documents come in evenly: a line between whole numbers.
    before = np.searchsorted(first, first, side="left")
    after = np.searchsorted(first, first, side="right")
    at = np.append(0, np.column_stack([first - 1, last]).ravel())
    count = np.append(0, np.column_stack([before, after]).ravel())
    return RankByRank(rank, np.interp(rank, at, count), relevant)


class Roc(NamedTuple):
    """The points of a ROC curve from (0, 0) on; without points, the reason why there is none."""

    false_positive_rate: Floats
    true_positive_rate: Floats
    reason: str | None = None
    #: The false positive rate at the last retrieved document; what follows is assumed.
    reached: float = 0.0

    def at(self, levels: Floats) -> Floats:
        """The true positive rate at levels of the false positive rate: at a jump the upper end, else in between."""
        fpr, tpr = self.false_positive_rate, self.true_positive_rate
        below = np.searchsorted(fpr, levels, side="right") - 1
        above = np.minimum(below + 1, len(fpr) - 1)
        width = fpr[above] - fpr[below]
        way = np.where(width > 0, (levels - fpr[below]) / np.where(width > 0, width, 1.0), 0.0)
        return tpr[below] + way * (tpr[above] - tpr[below])


def roc_points(ranks: Ranks, query: int, unretrieved: UnretrievedName) -> Roc:
    """The ROC curve of one query, among its retrieved documents or in the collection; the area below is `AUC`.

    >>> roc_points(Ranks.from_grades([1, 0, 1]), 0, "left_out").true_positive_rate
    array([0. , 0.5, 0.5, 1. ])
    """
    counted = rank_by_rank(ranks, query)
    retrieved = len(counted.rank)
    relevant_found = float(counted.found[-1]) if retrieved else 0.0
    size = ranks.policies.collection_size
    if unretrieved == "left_out" or size is None:
        relevant = relevant_found
        irrelevant = retrieved - relevant_found
        where = " was retrieved"
    else:
        relevant = float(counted.relevant)
        irrelevant = float(size - counted.relevant)
        where = ""
    if not relevant or not irrelevant:
        return Roc(np.zeros(0), np.zeros(0), f"{NO_IRRELEVANT if relevant else NO_RELEVANT}{where}")
    rest: dict[str, tuple[list[float], list[float]]] = {
        "left_out": ([], []),
        "random_order": ([1.0], [1.0]),
        "relevant_last": ([1.0, 1.0], [relevant_found / relevant, 1.0]),
    }
    end_fpr, end_tpr = rest[unretrieved]
    false = (counted.rank - counted.found) / irrelevant
    return Roc(
        np.concatenate([[0.0], false, end_fpr]),
        np.concatenate([[0.0], counted.found / relevant, end_tpr]),
        reached=float(false[-1]) if retrieved else 0.0,
    )


def roc_frame(name: str, curves: Sequence[Roc], query: str | None, undefined: Undefined) -> pl.DataFrame:
    """One query's points, or the mean of several queries at levels."""
    defined = [curve for curve in curves if curve.reason is None]
    fpr = tpr = np.zeros(0)
    if defined and query is not None:
        fpr, tpr = defined[0].false_positive_rate, defined[0].true_positive_rate
    elif defined:
        levels = np.arange(101) / 100
        number = len(defined) if undefined == "skip" else len(curves)
        heights = np.sum([curve.at(levels) for curve in defined], axis=0) / number
        # From the corner: what is found before the first irrelevant document is a jump at 0.
        fpr, tpr = np.append(0.0, levels), np.append(0.0, heights)
    return pl.DataFrame({"false_positive_rate": fpr, "true_positive_rate": tpr}).select(
        pl.lit(name).alias("system"), pl.lit(query, dtype=pl.String).alias("query_id"), pl.all()
    )


def universe(collection_size: int | None, unretrieved: UnretrievedName | None) -> UnretrievedName:
    """The assumption about documents that were not retrieved; it has to fit the known size of the collection."""
    rule: UnretrievedName = unretrieved or ("left_out" if collection_size is None else "random_order")
    Choice(get_args(UnretrievedName)).check("unretrieved", rule)
    if rule == "left_out" and collection_size is not None:
        raise ParameterError("unretrieved='left_out' looks at retrieved documents only: leave collection_size out")
    if rule != "left_out" and collection_size is None:
        raise ParameterError(f"unretrieved={rule!r} needs to know how many documents there are: give collection_size")
    return rule


def pr_frame(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    """Points of precision-recall curves as a table."""
    schema = {
        "system": pl.String,
        "query_id": pl.String,
        "curve": pl.String,
        "rank": pl.Int64,
        "recall": pl.Float64,
        "precision": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("recall", "precision").fill_nan(None))


def summary_frame(rows: Sequence[tuple[str, object, Summary]]) -> pl.DataFrame:
    """One number per system as a table, with its queries and those that were undefined."""
    schema = {
        "system": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
        "queries": pl.Int64,
        "undefined": pl.Int64,
    }
    cells = [
        (system, str(measure), summary.value, summary.units, summary.undefined) for system, measure, summary in rows
    ]
    return pl.DataFrame(cells, schema=schema, orient="row").with_columns(pl.col("value").fill_nan(None))


#: A ROC curve whose documents end at a smaller false positive rate is a line along the axis.
TRIVIAL = 0.05


def over_topics(queries: Iterable[Sequence[str]], summary: str = "mean") -> str:
    """Over how many topics the systems' means, or sums, go, from each system's topics.

    >>> over_topics([["t1", "t2"], ["t1"]])
    'mean over 2 topics'
    """
    return f"{summary} over {number_of('topic', len({query for topics in queries for query in topics}))}"


def about_topic(query: str, reasons: Iterable[str | None]) -> str:
    """The name of a topic, with the reason if it is without a value in every system.

    >>> about_topic("t1", ["no relevant document"]), about_topic("t1", [None, "no relevant document"])
    ('topic t1: NA, no relevant document', 'topic t1')
    """
    all_reasons = list(reasons)
    known = dict.fromkeys(reason for reason in all_reasons if reason is not None)
    return f"topic {short_name(query)}" + (
        f": NA, {' or '.join(known)}" if all_reasons and None not in all_reasons else ""
    )


def undefined_topics(summary: pl.DataFrame, undefined: Undefined) -> Iterable[str]:
    """A sentence on the topics without a value, and what became of them."""
    for name, text, count, value in summary.select("system", "measure", "undefined", "value").rows():
        if count:
            measure = parse_measure(text)
            left_out = undefined == "skip" or measure.substitute is None
            treated = "left out" if left_out else f"counted as {measure.substitute:g}"
            if value is None:
                treated = "which is every one: NA"
            yield f"{name}: {text} is undefined for {number_of('topic', count)}, {treated}"


def undefined_topic(summary: pl.DataFrame, query: str, reasons: Mapping[str, str | None]) -> Iterable[str]:
    """The systems without a value for the topic that was asked for, and the reason."""
    for name, measure, count in summary.select("system", "measure", "undefined").rows():
        if count:
            yield f"{name}: {measure} is undefined for topic {query} ({reasons.get(name) or 'no value'}): NA"


def without_curve(curves: Mapping[str, Sequence[Roc]], undefined: Undefined) -> Iterable[str]:
    """A sentence on the topics without a ROC curve, and the reason."""
    for name, topic_curves in curves.items():
        if reasons := [curve.reason for curve in topic_curves if curve.reason is not None]:
            treated = "left out" if undefined == "skip" or len(reasons) == len(topic_curves) else "counted as 0"
            why = " or ".join(dict.fromkeys(reasons))
            yield f"{name}: no ROC curve for {number_of('topic', len(reasons))} ({why}), {treated}"


def trivial(curves: Mapping[str, Sequence[Roc]], collection_size: int | None) -> Iterable[str]:
    """In a large collection nearly all of a ROC curve is assumed."""
    ends = [curve.reached for topic_curves in curves.values() for curve in topic_curves if curve.reason is None]
    if collection_size is not None and ends and max(ends) < TRIVIAL:
        yield (
            f"the ROC curve is trivial: in a collection of {collection_size:,} documents the retrieved ones reach a "
            f"false positive rate of {max(ends):.2g} at most, so the curve hugs the axis and the rest of it is "
            "assumed; a precision-recall curve tells more"
        )
