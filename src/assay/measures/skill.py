"""Yes-or-no decisions against chance: agreement beyond it, and what a decision does to the odds, on `Confusion`."""

from __future__ import annotations

from assay.measures import cells
from assay.measures.counting.confusion import Confusion
from assay.measures.registry import measure
from assay.measures.steps import PerUnit


@measure(
    cites="cohen1960",
    aliases=("CohenKappa",),
    bounds=(-1.0, 1.0),
    user_model="wants every document decided rightly, more often than by chance",
    closed_under_ties=True,
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
    user_model="asks what being retrieved does to the odds",
    closed_under_ties=True,
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
    user_model="asks what being left out does to the odds",
    closed_under_ties=True,
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
    user_model="asks how far apart a decision puts the odds",
    closed_under_ties=True,
    micro=True,
    counted_as=None,
    classifier_aliases={"DiagnosticOddsRatio": {}, "OddsRatio": {}},
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
