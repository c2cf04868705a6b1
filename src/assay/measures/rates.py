"""Further rates of yes-or-no decisions, and sums of two of them, on `Confusion`."""

from __future__ import annotations

from assay.measures import cells
from assay.measures.counting.confusion import Confusion
from assay.measures.definition import Adjusted
from assay.measures.registry import measure
from assay.measures.steps import PerUnit


@measure(
    aliases=("MissRate", "FalseNegativeRate"),
    user_model="wants everything that is relevant",
    closed_under_ties=True,
    higher_is_better=False,
    micro=True,
    classifier_aliases={"MissRate": {}, "FalseNegativeRate": {}},
    proportion=True,
)
def FNR(confusion: Confusion) -> PerUnit:
    r"""Miss rate, the false negative rate: the share of what is relevant (positive) that was missed.

    .. math:: \frac{FN}{TP + FN} = 1 - \mathrm{recall}

    Undefined without a relevant document (a positive item).

    >>> FNR.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 1 / 5
    array([0.2])
    """
    return cells.missed(confusion) / cells.relevant(confusion)


@measure(
    aliases=("FalseDiscoveryRate",),
    user_model="is spared what is irrelevant",
    closed_under_ties=True,
    higher_is_better=False,
    micro=True,
    classifier_aliases={"FalseDiscoveryRate": {}},
    proportion=True,
)
def FDR(confusion: Confusion) -> PerUnit:
    r"""False discovery rate: the share of what was retrieved (predicted positive) that is irrelevant (negative).

    .. math:: \frac{FP}{TP + FP} = 1 - \mathrm{precision}

    Undefined if nothing was retrieved (predicted positive).

    >>> FDR.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 6 / 10
    array([0.6])
    """
    return cells.noise(confusion) / cells.retrieved(confusion)


@measure(
    aliases=("FalseOmissionRate",),
    user_model="relies on what was left out",
    closed_under_ties=True,
    higher_is_better=False,
    micro=True,
    classifier_aliases={"FalseOmissionRate": {}},
    proportion=True,
)
def FOR(confusion: Confusion) -> PerUnit:
    r"""False omission rate: the share of what was left out (predicted negative) that is relevant (positive).

    .. math:: \frac{FN}{FN + TN} = 1 - \mathrm{NPV}

    Undefined if the size of the collection is not known, and if everything was retrieved (predicted positive).

    >>> FOR.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 1 / 90
    array([0.0111])
    """
    return cells.missed(confusion) / cells.not_retrieved(confusion)


@measure(
    bounds=(-1.0, 1.0),
    user_model="wants both kinds decided rightly, however rare one is",
    closed_under_ties=True,
    micro=True,
    classifier_aliases={"BA": {}},
    sklearn="balanced_accuracy_score",
)
def BalancedAccuracy(confusion: Confusion, *, adjusted: Adjusted = False) -> PerUnit:
    r"""Balanced accuracy: the mean of recall and specificity, so that a rare kind weighs as much as a common one.

    .. math:: \frac{1}{2} \Big( \frac{TP}{TP + FN} + \frac{TN}{FP + TN} \Big)

    1/2 is what choosing at random gives; `adjusted` makes that 0, and the number is `Youden`'s. Undefined where recall
    or specificity is.

    >>> BalancedAccuracy.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # (4/5 + 89/95) / 2
    array([0.8684])
    """
    both = cells.recall(confusion) + cells.specificity(confusion)
    return both - 1 if adjusted else both / 2


@measure(
    cites="youden1950",
    aliases=("Informedness", "YoudenJ"),
    bounds=(-1.0, 1.0),
    user_model="wants both kinds decided rightly, however rare one is",
    closed_under_ties=True,
    micro=True,
    classifier_aliases={"Informedness": {}, "J": {}, "YoudenJ": {}, "BookmakerInformedness": {}},
)
def Youden(confusion: Confusion) -> PerUnit:
    r"""Youden's J, informedness: how far a decision lies above chance, whatever the prevalence.

    .. math:: \frac{TP}{TP + FN} + \frac{TN}{FP + TN} - 1 = \mathrm{TPR} - \mathrm{FPR}

    0 for a choice at random, 1 if all is decided rightly, -1 if all is decided wrongly. Undefined where recall or
    specificity is.

    >>> Youden.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4/5 + 89/95 - 1
    array([0.7368])
    """
    return cells.recall(confusion) + cells.specificity(confusion) - 1


@measure(
    aliases=("DeltaP",),
    bounds=(-1.0, 1.0),
    user_model="relies on what was retrieved and on what was left out",
    closed_under_ties=True,
    micro=True,
    classifier_aliases={"DeltaP": {}},
)
def Markedness(confusion: Confusion) -> PerUnit:
    r"""Markedness: how much more can be relied on a decision than on chance; `Youden` of predictions.

    .. math:: \frac{TP}{TP + FP} + \frac{TN}{FN + TN} - 1 = \mathrm{PPV} + \mathrm{NPV} - 1

    Undefined where precision or `NPV` is.

    >>> Markedness.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4/10 + 89/90 - 1
    array([0.3889])
    """
    return cells.precision(confusion) + cells.left_out(confusion) / cells.not_retrieved(confusion) - 1


@measure(
    aliases=("SubsetAccuracy",),
    user_model="wants exactly what is relevant",
    closed_under_ties=True,
    classifier_aliases={"SubsetAccuracy": {}, "EMR": {}},
    sklearn="accuracy_score",
    proportion=True,
    unit_kinds=("query", "item", "document"),
)
def ExactMatch(confusion: Confusion) -> PerUnit:
    r"""Exact match: 1 if nothing is decided wrongly, else 0; the mean is the share of units without a mistake.

    .. math:: [FP + FN = 0]

    Of items with several labels each it is the subset accuracy: all labels of an item are right, and none is missing.
    Where each item has one label, `Accuracy` is the share of items without a mistake.

    >>> ExactMatch.of(Confusion.from_table(tp=4, fp=0, fn=1)), ExactMatch.of(Confusion.from_table(tp=4, fp=0, fn=0))
    (array([0.]), array([1.]))
    """
    return cells.faultless(confusion)
