"""Checks of what makes the order of a run: scores that tie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_percent, number, numbers, span
from assay.core.errors import quote
from assay.counting.judgments import Floats
from assay.counting.orders import reordered
from assay.counting.ranks import Ranks
from assay.diagnosis.case import System, valued
from assay.diagnosis.findings import EXAMPLES, Example, Finding, Severity, share
from assay.diagnosis.registry import check, finding
from assay.measures.doubts import NEARLY_ALL, ROUNDING
from assay.measures.registry import Measure

#: A mean that changes by less than this looks the same when it is printed.
_VISIBLE = 0.0001


class Range(NamedTuple):
    """What the order of tied documents makes of a measure: the mean as it is, at worst and at best, and by topic."""

    measure: Measure
    mean: float
    worst: float
    best: float
    #: For each topic, by how much its value may vary.
    width: Floats


def tie_ranges(ranks: Ranks, measures: tuple[Measure, ...]) -> list[Range]:
    """The lowest and the highest value over all orders of tied documents, for measures that such an order changes.

    Exact for measures that never fall when a higher grade moves up, as nearly all do; for others, what the two orders
    by grade give.

    >>> from assay.measures import RR
    >>> [found] = tie_ranges(Ranks.from_tables({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}), (RR,))
    >>> found.worst, found.best
    (0.5, 1.0)
    """
    if not (ranks.hits.tie_last > ranks.hits.tie_first).any():
        return []
    orders = [ranks, *(replace(ranks, hits=reordered(ranks.hits, best=best)) for best in (False, True))]
    ranges = []
    for measure in measures:
        values = np.array([valued(measure, order) for order in orders])
        low, high = values.min(axis=0), values.max(axis=0)
        width = np.nan_to_num(high - low)
        if (width > ROUNDING).any():
            mean, worst, best = (float(np.nanmean(column)) for column in (values[0], low, high))
            ranges.append(Range(measure, mean, worst, best, width))
    return ranges


@check(
    "ties", "run", "warning", "note",
    question="Would equal scores in another order change a measure (a note: its mean by less than 0.0001)?",
    advice="make scores distinct, or give the order by rank (`{rank_by=rank}`); `{ties=expected}` averages over orders",
)  # fmt: skip
def ties(system: System) -> Iterator[Finding]:
    """Ties that can change a measure, with the lowest and the highest value over all orders."""
    ranks = system.ranks
    ranges = [] if ranks is None else tie_ranges(ranks, system.case.measures)
    if ranks is None or not ranges:
        return
    touched = np.any([span.width > ROUNDING for span in ranges], axis=0)
    widest = max(ranges, key=lambda span: span.best - span.worst)
    ends = (widest.worst, widest.best)
    visible = widest.best - widest.worst >= _VISIBLE
    mean = (
        f"{widest.measure} is {number(widest.mean)}, and anything from {span(*ends)}"
        if visible
        else f"no mean by more than {_VISIBLE:g} ({widest.measure} from {' to '.join(numbers(ends, 6))})"
    )
    message = (
        f"ties can change {share(int(touched.sum()), len(touched), 'topic')} ({as_percent(touched.mean(), 0)}): {mean}"
    )
    order = np.argsort(-widest.width, kind="stable")[:EXAMPLES]
    examples = tuple(
        Example(f"topic {quote(ranks.queries[topic])}: {widest.measure} may vary by {widest.width[topic]:.2g}")
        for topic in order
        if widest.width[topic] > ROUNDING
    )
    details = tuple(
        {
            "measure": str(span.measure),
            "value": span.mean,
            "worst": span.worst,
            "best": span.best,
            "topics": int((span.width > ROUNDING).sum()),
        }
        for span in ranges
    )
    severity: Severity = "warning" if visible else "note"
    yield finding(
        "ties", severity, system.run, message, int(touched.sum()), examples=examples, details=details,
        weight=widest.best - widest.worst,
    )  # fmt: skip


@check(
    "equal-scores", "ranking", "error",
    question="Are all scores of (nearly) all queries the same?",
    advice="the scores were lost: write them again, or order by rank with `{rank_by=rank}` if the ranks are right",
)  # fmt: skip
def equal_scores(system: System) -> Iterator[Finding]:
    """Queries of which all documents have one score."""
    several = system.queries.filter(pl.col("count") > 1)
    equal = several.filter(pl.col("lowest") == pl.col("highest"))
    if equal.height and equal.height >= NEARLY_ALL * several.height:
        message = f"in {share(equal.height, several.height, 'query')}, all documents have the same score"
        examples = tuple(
            Example(f"query {quote(row['query_id'])}: {row['count']} times {row['highest']:g}")
            for row in equal.head(EXAMPLES).to_dicts()
        )
        yield finding("equal-scores", "error", system.run, message, equal.height, examples=examples)
