"""Numbers read off the precision-recall curve, and the area under a ranking's ROC curve."""

from __future__ import annotations

import numpy as np

from assay.core.errors import worded
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Ints
from assay.measures.counting.ranks import Ranks
from assay.measures.curve_points import rank_by_rank
from assay.measures.definition import GivenCurve, Level, Recall, Unretrieved, UnretrievedName
from assay.measures.kernels import NO_IRRELEVANT, NO_RELEVANT, SIZE_UNKNOWN, relevant_rows, relevant_total, steps_of
from assay.measures.precision import Rprec, points_at_hits
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity, unknown

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
    """The crossing of precision = recall by the line from a point to the next one; the highest of several."""
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


def _area(ranks: Ranks, *, unretrieved: UnretrievedName, rel: float | None) -> PerUnit:
    """Under the ROC curve: each step to the right times the height there, then what is assumed of the rest."""
    points = every_rank(ranks, rel)
    cells = Confusion.from_ranks(ranks, rel)
    rest = np.zeros(len(ranks.queries))
    relevant, irrelevant = cells.tp.astype(float), cells.fp.astype(float)
    if unretrieved != "left_out":
        if cells.tn is None:
            return unknown("area", len(ranks.queries), worded(SIZE_UNKNOWN))
        relevant, irrelevant = relevant + cells.fn, irrelevant + cells.tn
        height = cells.tp / np.maximum(relevant, 1.0)
        height = (height + 1.0) / 2.0 if unretrieved == "random_order" else height
        rest = cells.tn / np.maximum(irrelevant, 1.0) * height
    tpr = points["found_so_far"] / np.maximum(relevant, 1.0)[points.unit]
    fpr = (points["rank"] - points["found_so_far"]) / np.maximum(irrelevant, 1.0)[points.unit]
    before = np.where(points["rank"] == 1, 0.0, np.append(0.0, fpr[:-1])[: len(fpr)])
    low = np.where(points["rank"] == 1, 0.0, np.append(0.0, tpr[:-1])[: len(tpr)])
    columns = {"rank": points.columns["rank"], "found_so_far": points.columns["found_so_far"]}
    steps = Steps(points.unit, points.units, columns).with_columns(
        TPR=tpr, FPR=fpr, area=(fpr - before) * (tpr + low) / 2
    )
    steps = steps.meaning(
        TPR="found_so_far / relevant",
        FPR="(rank - found_so_far) / irrelevant",
        area="the step of FPR × "
        + ("the mean of TPR here and at the rank above" if ranks.hits.averaged else "the height there"),
    )
    area = steps.sum("area")
    if unretrieved != "left_out":
        area = area + quantity("area beyond the last document retrieved", rest)
    area = area.defined_with(quantity("relevant", relevant, when_zero=NO_RELEVANT))
    return area.defined_with(quantity("irrelevant", irrelevant, when_zero=NO_IRRELEVANT))


@measure(
    aliases=("AUROC", "ROC_AUC", "AreaUnderROC"),
    user_model="compares a relevant document with an irrelevant one, each drawn at random",
    closed_under_ties=True,
    also={"the area under the points of the ROC curve": _area},
)
def AUC(ranks: Ranks, *, unretrieved: Unretrieved = "random_order", rel: Level = None) -> PerUnit:
    r"""Area under the ROC curve: the chance that a relevant document stands above an irrelevant one.

    .. math:: \frac{1}{R\,(N - R)} \Big( \sum_{i:\ x_i = 1} b_i + t\,u + c\,(R - t)\,u \Big)

    :math:`b_i`: irrelevant documents retrieved below rank *i*; *t*: relevant documents retrieved; *u*: irrelevant
    documents of the collection of *N* that were not retrieved. What was not retrieved comes after what was, in
    `random_order` (:math:`c = 1/2`), or the relevant ones `relevant_last` of all (:math:`c = 0`): *N* is then the
    evaluation's `collection_size`, and the value is undefined if it is not known. With `left_out` the retrieved
    documents are all there is. Undefined if there are no two documents to compare. In a large collection the value says
    little: nearly all pairs are with documents that nobody would retrieve.

    >>> AUC(unretrieved="left_out").of(Ranks.from_grades([1, 0, 1, 0]))  # (2 + 1) / (2 * 2)
    array([0.75])
    """
    rows = relevant_rows(ranks, rel)
    cells = Confusion.from_ranks(ranks, rel)
    below = ranks.retrieved[rows.query] - rows.at_rank(lambda rank: rank.astype(float))
    steps = steps_of(rows, len(ranks.queries)).with_columns(below=below)
    steps = steps.meaning(below="retrieved documents below this one")
    # Of each two relevant documents one stands below the other: those pairs are not in question.
    in_order = steps.sum("below") - quantity("pairs of relevant documents", cells.tp * (cells.tp - 1) / 2)
    if unretrieved == "left_out":
        relevant = quantity("relevant and retrieved", cells.tp, when_zero=f"{NO_RELEVANT} was retrieved")
        return in_order / relevant / quantity("other retrieved", cells.fp, when_zero=f"{NO_IRRELEVANT} was retrieved")
    credit = 0.5 if unretrieved == "random_order" else 0.0
    rest = _documents("other documents not retrieved", cells, cells.tn)
    won = in_order + quantity("relevant and retrieved", cells.tp) * rest + credit * quantity("missed", cells.fn) * rest
    relevant = quantity("relevant", cells.tp + cells.fn, when_zero=NO_RELEVANT)
    return won / relevant / _documents("irrelevant", cells, cells.tn if cells.tn is None else cells.fp + cells.tn)


def _documents(text: str, cells: Confusion, count: Ints | None) -> PerUnit:
    """A number of documents, if the size of the collection is known."""
    if count is None:
        return unknown(text, len(cells.units), worded(SIZE_UNKNOWN))
    return quantity(text, count, when_zero=NO_IRRELEVANT)
