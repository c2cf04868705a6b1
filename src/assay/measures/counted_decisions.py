"""Counts of yes-or-no decisions: the four cells of a confusion table and its margins, on `Confusion`."""

from __future__ import annotations

from assay.measures import cells
from assay.measures.counting.confusion import Confusion
from assay.measures.registry import measure
from assay.measures.steps import PerUnit


@measure(bounds=None, summary="sum", user_model="-", closed_under_ties=True, classifier_aliases={"TruePositives": {}})
def TP(confusion: Confusion) -> PerUnit:
    r"""True positives: what is relevant (positive) and was retrieved (predicted positive).

    .. math:: TP

    >>> TP.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([4.])
    """
    return cells.hits(confusion)


@measure(
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
    higher_is_better=False,
    classifier_aliases={"FalsePositives": {}, "FalseAlarms": {}, "TypeIErrors": {}},
)
def FP(confusion: Confusion) -> PerUnit:
    r"""False positives, false alarms: what is irrelevant (negative) and was retrieved (predicted positive).

    .. math:: FP

    >>> FP.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([6.])
    """
    return cells.noise(confusion)


@measure(
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
    higher_is_better=False,
    classifier_aliases={"FalseNegatives": {}, "Misses": {}, "TypeIIErrors": {}},
)
def FN(confusion: Confusion) -> PerUnit:
    r"""False negatives, misses: what is relevant (positive) and was left out (predicted negative).

    .. math:: FN

    >>> FN.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([1.])
    """
    return cells.missed(confusion)


@measure(bounds=None, summary="sum", user_model="-", closed_under_ties=True, classifier_aliases={"TrueNegatives": {}})
def TN(confusion: Confusion) -> PerUnit:
    r"""True negatives: what is irrelevant (negative) and was left out (predicted negative).

    .. math:: TN

    Unknown if the size of the collection is not known.

    >>> TN.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([89.])
    """
    return cells.left_out(confusion)


@measure(
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
    higher_is_better=None,
    classifier_aliases={"P": {}, "ConditionPositive": {}, "Support": {}},
)
def Positives(confusion: Confusion) -> PerUnit:
    r"""Positives: what is relevant (positive), found or not; of a class, its support.

    .. math:: P = TP + FN

    >>> Positives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4 + 1
    array([5.])
    """
    return cells.hits(confusion) + cells.missed(confusion)


@measure(
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
    higher_is_better=None,
    classifier_aliases={"N": {}, "ConditionNegative": {}},
)
def Negatives(confusion: Confusion) -> PerUnit:
    r"""Negatives: what is irrelevant (negative), spared or not.

    .. math:: N = FP + TN

    Unknown if the size of the collection is not known.

    >>> Negatives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 6 + 89
    array([95.])
    """
    return cells.noise(confusion) + cells.left_out(confusion)


@measure(
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
    higher_is_better=None,
    classifier_aliases={"PP": {}, "PredictedPositive": {}, "TestPositive": {}},
)
def PredictedPositives(confusion: Confusion) -> PerUnit:
    r"""Predicted positives: what was retrieved (predicted positive), rightly or wrongly.

    .. math:: TP + FP

    >>> PredictedPositives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4 + 6
    array([10.])
    """
    return cells.hits(confusion) + cells.noise(confusion)


@measure(
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
    higher_is_better=None,
    classifier_aliases={"PN": {}, "PredictedNegative": {}, "TestNegative": {}},
)
def PredictedNegatives(confusion: Confusion) -> PerUnit:
    r"""Predicted negatives: what was left out (predicted negative), rightly or wrongly.

    .. math:: FN + TN

    Unknown if the size of the collection is not known.

    >>> PredictedNegatives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 1 + 89
    array([90.])
    """
    return cells.missed(confusion) + cells.left_out(confusion)


@measure(
    bounds=None, summary="sum", user_model="-", closed_under_ties=True,
    classifier_aliases={"T": {}, "TrueDecisions": {}, "Correct": {}},
)  # fmt: skip
def Right(confusion: Confusion) -> PerUnit:
    r"""Right decisions, of either kind.

    .. math:: T = TP + TN

    Unknown if the size of the collection is not known.

    >>> Right.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4 + 89
    array([93.])
    """
    return cells.hits(confusion) + cells.left_out(confusion)


@measure(
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
    higher_is_better=False,
    classifier_aliases={"FalseDecisions": {}, "Errors": {}, "Incorrect": {}},
)
def Wrong(confusion: Confusion) -> PerUnit:
    r"""Wrong decisions, of either kind.

    .. math:: FP + FN

    Some write *F* for it, which is the F measure here.

    >>> Wrong.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 6 + 1
    array([7.])
    """
    return cells.noise(confusion) + cells.missed(confusion)
