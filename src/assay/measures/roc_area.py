"""The area under the ROC curve: how often a relevant document stands above an irrelevant one."""

from __future__ import annotations

import numpy as np

from assay.core.arguments import worded
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Ints
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Level, Unretrieved, UnretrievedName
from assay.measures.kernels import NO_IRRELEVANT, NO_RELEVANT, SIZE_UNKNOWN, relevant_rows, steps_of
from assay.measures.precision_recall import every_rank
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity, unknown


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
    rest = _counted("other documents not retrieved", cells, cells.tn)
    won = in_order + quantity("relevant and retrieved", cells.tp) * rest + credit * quantity("missed", cells.fn) * rest
    relevant = quantity("relevant", cells.tp + cells.fn, when_zero=NO_RELEVANT)
    return won / relevant / _counted("irrelevant", cells, cells.tn if cells.tn is None else cells.fp + cells.tn)


def _counted(text: str, cells: Confusion, count: Ints | None) -> PerUnit:
    """How many there are, if the size of the collection is known."""
    if count is None:
        return unknown(text, len(cells.units), worded(SIZE_UNKNOWN))
    return quantity(text, count, when_zero=NO_IRRELEVANT)
