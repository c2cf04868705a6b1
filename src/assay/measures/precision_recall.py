"""Numbers read off the precision-recall curve: break-even point, system efficiency, interpolated AP."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.ranks import Ranks
from assay.measures.curve_input import GivenCurve
from assay.measures.curve_points import rank_by_rank
from assay.measures.definition import Level, Recall
from assay.measures.kernels import relevant_total
from assay.measures.precision import Rprec, points_at_hits
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity

NEVER_MEET = "precision and recall never meet: fewer documents were retrieved than are relevant"
POINTS_NEVER_MEET = "precision and recall do not meet between these points"


@measure(user_model="reads on until a share of the relevant documents is found")
def PrecisionAtRecall(ranks: Ranks, *, recall: Recall = 1.0, rel: Level = None) -> PerUnit:
    r"""Precision at the first rank where recall reaches *t*.

    .. math:: \mathrm{PrecisionAtRecall}@t = P@i, \quad i = \min \{ j : R@j \ge t \}

    Some call this R-precision; `Rprec` is the other measure of that name. It is not interpolated: `IPrec` looks at
    higher recall too. A recall of 0 is reached at rank 1. 0 where that recall is never reached; undefined without a
    relevant document.

    >>> PrecisionAtRecall(recall=0.5).of(Ranks.from_grades([0, 0, 1, 1]))  # 1 of 2 found at rank 3: 1/3
    array([0.3333])
    """
    steps = points_at_hits(ranks, rel)
    if recall == 0:
        there = steps["rank"] == 1
    else:
        before = (steps["found"] - 1) / np.maximum(ranks.relevant(rel)[steps.unit], 1)
        there = (steps["recall"] >= recall) & (before < recall)
    steps = steps.with_columns(reached=np.where(there, steps["precision"], 0.0))
    steps = steps.where(there | (steps["recall"] < recall))  # and the way to it
    steps = steps.meaning(reached=f"precision at the first rank where recall is {recall:g} or more")
    return steps.sum("reached").defined_with(relevant_total(ranks, rel))


def _crossing_of_ranks(ranks: Ranks, *, rel: float | None) -> PerUnit:
    """Precision and recall at every rank; where they are the same, the break-even point."""
    points = every_rank(ranks, rel)
    there = points["rank"] == ranks.relevant(rel)[points.unit]
    points = points.with_columns(crossing=np.where(there, points["precision"], 0.0))
    crossing = points.meaning(crossing="precision where it equals recall: at rank R").max("crossing")
    return crossing.defined_with(relevant_total(ranks, rel)).defined_with(_long_enough(ranks, rel))


def _crossing_of_points(curve: GivenCurve) -> PerUnit:
    """Where the line from a point to the next one crosses precision = recall; the highest, if it does so repeatedly."""
    points = curve.points
    above = points["precision"] - points["recall"]
    last = np.append(np.diff(points.unit) != 0, True)
    after, precision_after = np.append(above[1:], 0.0), np.append(points["precision"][1:], 0.0)
    meets = ~last & (above * after <= 0) & (above != after)
    way = np.where(meets, above / np.where(meets, above - after, 1.0), 0.0)
    crossing = np.where(meets, points["precision"] + way * (precision_after - points["precision"]), 0.0)
    crossing = np.where(above == 0, np.maximum(crossing, points["precision"]), crossing)
    points = points.with_columns(crossing=crossing)
    points = points.meaning(
        crossing="precision = recall here or on the line to the next point; 0 where they do not meet"
    )
    met = np.bincount(points.unit, weights=meets | (above == 0), minlength=points.units)
    return points.max("crossing").defined_with(quantity("crossings", met, when_zero=POINTS_NEVER_MEET))


@measure(
    aliases=("BreakEvenPoint", "break-even", "BEP"),
    user_model="reads until precision and recall are equal",
    closed_under_ties=True,
    also={"precision where it equals recall": _crossing_of_ranks},
    of_points=_crossing_of_points,
)
def BreakEven(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Break-even point: the value of precision and recall where the two are equal.

    .. math:: P@i = R@i \quad \text{at } i = R

    Both divide the same number of hits, by *i* and by *R*: once something is found they are equal at rank *R* and
    nowhere else, so the crossing needs no interpolation and the value is that of `Rprec`. If fewer than *R* documents
    were retrieved, precision stays above recall to the end: the break-even point is undefined, where `Rprec` goes on as
    if irrelevant documents followed. Undefined without a relevant document, too.

    >>> BreakEven.of(Ranks.from_grades([1, 0, 1], judged=[[]]))  # R = 2: P@2 = R@2 = 1/2
    array([0.5])
    """
    return Rprec(rel=rel).per_unit(ranks).defined_with(_long_enough(ranks, rel))


def _long_enough(ranks: Ranks, rel: float | None) -> PerUnit:
    enough = ranks.retrieved >= ranks.relevant(rel)
    return quantity("as many retrieved as are relevant", enough, when_zero=NEVER_MEET)


def _nearest(points: Steps) -> PerUnit:
    distance = np.hypot(1.0 - points["precision"], 1.0 - points["recall"])
    points = points.with_columns(distance=distance, nearness=1.0 - distance / np.sqrt(2.0))
    points = points.meaning(distance="√((1 - precision)² + (1 - recall)²)", nearness="1 - distance / √2")
    return points.max("nearness")


def _nearest_of_points(curve: GivenCurve) -> PerUnit:
    return _nearest(curve.points)


@measure(user_model="stops where precision and recall are best together", of_points=_nearest_of_points)
def SystemEfficiency(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""System efficiency: how near the precision-recall curve comes to perfect precision and recall.

    .. math:: E = 1 - \frac{d}{\sqrt{2}}, \quad d = \min_i \sqrt{(1 - P@i)^2 + (1 - R@i)^2}

    The curve has a point at every rank *i*; *d* is the smallest distance of one to (1, 1), and :math:`\sqrt{2}` the
    largest there can be. 0 if nothing relevant is found; undefined without a relevant document.

    >>> SystemEfficiency.of(Ranks.from_grades([1, 0], judged=[[1]]))  # P@1 = 1, R@1 = 1/2: 1 - (1/2) / 1.4142
    array([0.6464])
    """
    # Between two hits precision falls and recall stands still: the nearest point is at a hit.
    return _nearest(points_at_hits(ranks, rel)).defined_with(relevant_total(ranks, rel))


@measure(
    aliases=("iAP", "InterpolatedAveragePrecision"),
    user_model="stops at a relevant document, or at a later one if precision is higher there",
)
def InterpolatedAP(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Average precision from interpolated precision: at each relevant document the best precision there or further on.

    .. math:: \frac{1}{R} \sum_{i:\ x_i = 1} \max_{j \ge i} P@j

    At least `AP`. Documents that were not retrieved count 0; undefined without a relevant document.

    >>> InterpolatedAP.of(Ranks.from_grades([0, 1, 1]))  # (max(1/2, 2/3) + 2/3) / 2
    array([0.6667])
    """
    steps = points_at_hits(ranks, rel)
    steps = steps.with_columns(interpolated=steps.best_from_here("precision"))
    steps = steps.meaning(interpolated="the largest precision here or at a later rank")
    return steps.sum("interpolated") / relevant_total(ranks, rel)


def every_rank(ranks: Ranks, rel: float | None) -> Steps:
    """Precision and recall at every rank, not only at those of relevant documents."""
    counted = [rank_by_rank(ranks, query, rel) for query in range(len(ranks.queries))]
    unit = np.repeat(np.arange(len(counted)), [len(counts.rank) for counts in counted])
    steps = Steps(unit, len(counted), {
        "rank": np.concatenate([counts.rank for counts in counted]),
        "found_so_far": np.concatenate([counts.found for counts in counted]),
        "recall": np.concatenate([counts.recall for counts in counted]),
        "precision": np.concatenate([counts.precision for counts in counted]),
    })  # fmt: skip
    return steps.meaning(recall="found_so_far / relevant", precision="found_so_far / rank")
