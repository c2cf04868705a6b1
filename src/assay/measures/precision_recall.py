"""Numbers read off the precision-recall curve: break-even point, system efficiency, interpolated AP."""

from __future__ import annotations

import numpy as np

from assay.counting.ranks import Ranks
from assay.measures.domains import Level, Recall
from assay.measures.kernels import relevant_rows, relevant_total, steps_of
from assay.measures.precision import Rprec
from assay.measures.registry import measure
from assay.measures.steps import PerQuery, Steps, given

NEVER_MEET = "precision and recall never meet: fewer documents were retrieved than are relevant"


@measure(user_model="reads on until a share of the relevant documents is found")
def PrecisionAtRecall(ranks: Ranks, *, recall: Recall = 1.0, rel: Level = None) -> PerQuery:
    r"""Precision at the first rank where recall reaches *t*.

    .. math:: \mathrm{PrecisionAtRecall}@t = P@i, \quad i = \min \{ j : R@j \ge t \}

    Some call this R-precision; `Rprec` is the other measure of that name. It is not interpolated: `IPrec` looks at
    higher recall too. A recall of 0 is reached at rank 1. 0 where that recall is never reached; undefined without a
    relevant document.

    >>> PrecisionAtRecall(recall=0.5).of(Ranks.from_grades([0, 0, 1, 1]))  # 1 of 2 found at rank 3: 1/3
    array([0.3333])
    """
    steps = _points(ranks, rel)
    if recall == 0:
        there = steps["rank"] == 1
    else:
        before = (steps["found"] - 1) / np.maximum(ranks.relevant(rel)[steps.unit], 1)
        there = (steps["recall"] >= recall) & (before < recall)
    return steps.where(there).sum("precision").defined_with(relevant_total(ranks, rel))


@measure(
    aliases=("BreakEvenPoint", "break-even", "BEP"),
    user_model="reads until precision and recall are equal",
    closed_under_ties=True,
)
def BreakEven(ranks: Ranks, *, rel: Level = None) -> PerQuery:
    r"""Break-even point: the value of precision and recall where the two are equal.

    .. math:: P@i = R@i \quad \text{at } i = R

    Both divide the same number of hits, by *i* and by *R*: once something is found they are equal at rank *R* and
    nowhere else, so the crossing needs no interpolation and the value is that of `Rprec`. If fewer than *R* documents
    were retrieved, precision stays above recall to the end: the break-even point is undefined, where `Rprec` goes on as
    if irrelevant documents followed. Undefined without a relevant document, too.

    >>> BreakEven.of(Ranks.from_grades([1, 0, 1], judged=[[]]))  # R = 2: P@2 = R@2 = 1/2
    array([0.5])
    """
    enough = ranks.retrieved >= ranks.relevant(rel)
    long_enough = given("as many retrieved as are relevant", enough, when_zero=NEVER_MEET)
    return Rprec(rel=rel).per_unit(ranks).defined_with(long_enough)


@measure(user_model="stops where precision and recall are best together")
def SystemEfficiency(ranks: Ranks, *, rel: Level = None) -> PerQuery:
    r"""System efficiency: how near the precision-recall curve comes to perfect precision and recall.

    .. math:: E = 1 - \frac{d}{\sqrt{2}}, \quad d = \min_i \sqrt{(1 - P@i)^2 + (1 - R@i)^2}

    The curve has a point at every rank *i*; *d* is the smallest distance of one to (1, 1), and :math:`\sqrt{2}` the
    largest there can be. 0 if nothing relevant is found; undefined without a relevant document.

    >>> SystemEfficiency.of(Ranks.from_grades([1, 0], judged=[[1]]))  # P@1 = 1, R@1 = 1/2: 1 - (1/2) / 1.4142
    array([0.6464])
    """
    # Between two hits precision falls and recall stands still: the nearest point is at a hit.
    steps = _points(ranks, rel)
    distance = np.hypot(1.0 - steps["precision"], 1.0 - steps["recall"])
    steps = steps.with_columns(distance=distance, nearness=1.0 - distance / np.sqrt(2.0))
    return steps.max("nearness").defined_with(relevant_total(ranks, rel))


@measure(
    aliases=("iAP", "InterpolatedAveragePrecision"),
    user_model="stops at a relevant document, or at a later one if precision is higher there",
)
def InterpolatedAP(ranks: Ranks, *, rel: Level = None) -> PerQuery:
    r"""Average precision from interpolated precision: at each relevant document the best precision there or further on.

    .. math:: \frac{1}{R} \sum_{i:\ x_i = 1} \max_{j \ge i} P@j

    At least `AP`. Documents that were not retrieved count 0; undefined without a relevant document.

    >>> InterpolatedAP.of(Ranks.from_grades([0, 1, 1]))  # (max(1/2, 2/3) + 2/3) / 2
    array([0.6667])
    """
    steps = _points(ranks, rel)
    return steps.with_columns(interpolated=steps.best_from_here("precision")).sum("interpolated") / relevant_total(
        ranks, rel
    )


def _points(ranks: Ranks, rel: float | None) -> Steps:
    """Precision and recall at the rank of each relevant document."""
    steps = steps_of(relevant_rows(ranks, rel), len(ranks.queries))
    steps = steps.with_columns(found=steps.count_so_far())
    # Recall by division, as in IPrec: 3 of 30 and the level 0.1 are then the same number.
    recall = steps["found"] / np.maximum(ranks.relevant(rel)[steps.unit], 1)
    return steps.with_columns(precision=steps["found"] / steps["rank"], recall=recall)
