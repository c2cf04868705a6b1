"""What is said of curves: over what a mean goes, what is undefined, and what a ROC curve leaves to assumption."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import polars as pl

from assay.core.errors import number_of
from assay.measures.curve_points import Roc
from assay.measures.parser import parse_measure
from assay.measures.summary import Undefined

#: Kinds of curves that charts are drawn of: those of rankings, then those of classifiers' scores.
CurveKind: TypeAlias = Literal[
    "pr", "roc", "cutoff", "queries", "difference", "intervals",
    "classifier_roc", "classifier_pr", "det", "calibration", "gain", "lift", "scores",
    "silhouette", "contingency", "over_k",
]  # fmt: skip
#: A ROC curve whose documents end at a smaller false positive rate is a line along the axis.
TRIVIAL = 0.05
_LONGEST_NAME = 60


def shortened(name: str, most: int = _LONGEST_NAME) -> str:
    """A name that fits a title, its middle left out: names often differ at their end.

    >>> shortened("bm25"), shortened("a-very-long-name", 9)
    ('bm25', 'a-ve…name')
    """
    return name if len(name) <= most else f"{name[: most // 2]}…{name[len(name) - (most - 1) // 2 :]}"


def mean_over(queries: Iterable[Sequence[str]]) -> str:
    """Over how many topics the systems' means go, from each system's topics.

    >>> mean_over([["t1", "t2"], ["t1"]])
    'mean over 2 topics'
    """
    return f"mean over {number_of('topic', len({query for topics in queries for query in topics}))}"


def about_topic(query: str, reasons: Iterable[str | None]) -> str:
    """One topic's name; with the reason, if it is without a value in every system.

    >>> about_topic("t1", ["no relevant document"]), about_topic("t1", [None, "no relevant document"])
    ('topic t1: NA, no relevant document', 'topic t1')
    """
    all_reasons = list(reasons)
    known = dict.fromkeys(reason for reason in all_reasons if reason is not None)
    return f"topic {shortened(query)}" + (
        f": NA, {' or '.join(known)}" if all_reasons and None not in all_reasons else ""
    )


def undefined_topics(summary: pl.DataFrame, undefined: Undefined) -> Iterable[str]:
    """How many topics had no value, and what became of them."""
    for name, text, count, value in summary.select("system", "measure", "undefined", "value").rows():
        if count:
            measure = parse_measure(text)
            left_out = undefined == "skip" or measure.substitute is None
            treated = "left out" if left_out else f"counted as {measure.substitute:g}"
            if value is None:
                treated = "which is every one: NA"
            yield f"{name}: {text} is undefined for {number_of('topic', count)}, {treated}"


def undefined_topic(summary: pl.DataFrame, query: str, reasons: Mapping[str, str | None]) -> Iterable[str]:
    """Which systems have no value for the topic that was asked for, and why."""
    for name, measure, count in summary.select("system", "measure", "undefined").rows():
        if count:
            yield f"{name}: {measure} is undefined for topic {query} ({reasons.get(name) or 'no value'}): NA"


def without_curve(curves: Mapping[str, Sequence[Roc]], undefined: Undefined) -> Iterable[str]:
    """How many topics have no ROC curve, and why."""
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
