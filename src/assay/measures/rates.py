"""Further rates of yes-or-no decisions, sums of two of them, and skill beyond chance, on `Confusion`."""

from __future__ import annotations

from assay.measures import cells
from assay.measures.counting.confusion import Confusion
from assay.measures.definition import Adjusted
from assay.measures.registry import measure
from assay.measures.steps import PerUnit


@measure(
    aliases=("MissRate", "FalseNegativeRate"),
    higher_is_better=False,
    micro=True,
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
    counted_as=1.0,
    higher_is_better=False,
    micro=True,
    proportion=True,
)
def FDR(confusion: Confusion) -> PerUnit:
    r"""False discovery rate: the share of what was retrieved (predicted positive) that is irrelevant (negative).

    .. math:: \frac{FP}{TP + FP} = 1 - \mathrm{precision}

    Undefined if nothing was retrieved (predicted positive): that counts as 1 in means.

    >>> FDR.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 6 / 10
    array([0.6])
    """
    return cells.noise(confusion) / cells.retrieved(confusion)


@measure(
    aliases=("FalseOmissionRate",),
    counted_as=1.0,
    higher_is_better=False,
    micro=True,
    proportion=True,
)
def FOR(confusion: Confusion) -> PerUnit:
    r"""False omission rate: the share of what was left out (predicted negative) that is relevant (positive).

    .. math:: \frac{FN}{FN + TN} = 1 - \mathrm{NPV}

    Undefined if the size of the collection is not known, and if everything was retrieved (predicted
    positive): that counts as 1 in means.

    >>> FOR.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 1 / 90
    array([0.0111])
    """
    return cells.missed(confusion) / cells.not_retrieved(confusion)


@measure(
    bounds=(-1.0, 1.0),
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
    micro=True,
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


@measure(
    cites="cohen1960",
    aliases=("CohenKappa",),
    bounds=(-1.0, 1.0),
    micro=True,
    classifier_aliases={"CohenKappa": {}, "HeidkeSkillScore": {}},
    sklearn="cohen_kappa_score",
)
def Kappa(confusion: Confusion) -> PerUnit:
    r"""Cohen's kappa: agreement of what is so and what was decided, beyond what chance would give.

    .. math:: \frac{p_o - p_e}{1 - p_e}
              = \frac{2\,(TP \cdot TN - FP \cdot FN)}{(TP + FP)(FP + TN) + (TP + FN)(FN + TN)}

    :math:`p_o` is accuracy, :math:`p_e` the accuracy that chance would give with as many decisions of either kind.
    Undefined if the size of the collection is not known, and if there is one kind only, both in truth and decided.

    >>> Kappa.of(Confusion.from_table(tp=4, fp=1, fn=1, tn=4))  # 2 * (16 - 1) / (5 * 5 + 5 * 5)
    array([0.6])
    """
    right = cells.hits(confusion) * cells.left_out(confusion)
    wrong = cells.noise(confusion) * cells.missed(confusion)
    by_chance = cells.retrieved(confusion) * cells.irrelevant(confusion)
    by_chance = by_chance + cells.relevant(confusion) * cells.not_retrieved(confusion)
    return 2 * (right - wrong) / by_chance.saying("all is of one kind, in truth and as decided")


@measure(
    aliases=("LikelihoodRatioPositive",),
    bounds=None,
    micro=True,
    counted_as=None,
    classifier="LRPlus",
    classifier_aliases={"LR+": {}, "PositiveLikelihoodRatio": {}, "PLR": {}, "LikelihoodRatioPositive": {}},
    sklearn="class_likelihood_ratios",
)
def LRPlus(confusion: Confusion) -> PerUnit:
    r"""Positive likelihood ratio: how many times as often what is relevant (positive) is retrieved as what is not.

    .. math:: \frac{\mathrm{TPR}}{\mathrm{FPR}} = \frac{TP}{TP + FN} \Big/ \frac{FP}{FP + TN}

    The odds of being positive, multiplied by it, are the odds after a positive decision. 1 says nothing, 10 and more
    much. Undefined without a false positive: it is then as large as one likes.

    >>> LRPlus.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # (4/5) / (6/95)
    array([12.6667])
    """
    fallout = cells.noise(confusion) / cells.irrelevant(confusion)
    return cells.recall(confusion) / fallout.saying("there is no false positive to divide by")


@measure(
    aliases=("LikelihoodRatioNegative",),
    bounds=None,
    higher_is_better=False,
    micro=True,
    counted_as=None,
    classifier_aliases={"LR-": {}, "NegativeLikelihoodRatio": {}, "NLR": {}, "LikelihoodRatioNegative": {}},
    sklearn="class_likelihood_ratios",
)
def LRMinus(confusion: Confusion) -> PerUnit:
    r"""Negative likelihood ratio: how many times as often what is relevant (positive) is left out as what is not.

    .. math:: \frac{\mathrm{FNR}}{\mathrm{TNR}} = \frac{FN}{TP + FN} \Big/ \frac{TN}{FP + TN}

    The odds of being positive, multiplied by it, are the odds after a negative decision. 1 says nothing, 0.1 and less
    much. Undefined without a true negative.

    >>> LRMinus.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # (1/5) / (89/95)
    array([0.2135])
    """
    miss_rate = cells.missed(confusion) / cells.relevant(confusion)
    return miss_rate / cells.specificity(confusion).saying("there is no true negative to divide by")


@measure(
    aliases=("DiagnosticOddsRatio", "OddsRatio"),
    bounds=None,
    micro=True,
    counted_as=None,
)
def DOR(confusion: Confusion) -> PerUnit:
    r"""Diagnostic odds ratio: the odds of being positive after a positive decision, over those after a negative one.

    .. math:: \frac{TP \cdot TN}{FP \cdot FN} = \frac{\mathrm{LR}_+}{\mathrm{LR}_-}

    1 for a choice at random. Undefined without a false positive or without a false negative.

    >>> DOR.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4 * 89 / (6 * 1)
    array([59.3333])
    """
    right = cells.hits(confusion) * cells.left_out(confusion)
    wrong = cells.noise(confusion) * cells.missed(confusion)
    return right / wrong.saying("there is no false positive, or no false negative, to divide by")
