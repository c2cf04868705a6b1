"""Measures of the retrieved set, whatever its order, on `Confusion`."""

from __future__ import annotations

from assay.core.errors import ParameterError
from assay.measures import cells
from assay.measures.counting.confusion import Confusion
from assay.measures.definition import Alpha, Beta, Coefficient, CollectionSize
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, quantity

#: From such a beta on, precision weighs nothing that a number could show.
_RECALL_ALONE = 1e12
_BOTH = ((cells.precision, "precision"), (cells.recall, "recall"))


@measure(
    trec_eval="set_P",
    ir_measures="SetP",
    ranx="precision",
    aliases={"PPV": {}, "PositivePredictiveValue": {}, "MacroP": {}, "MicroP": {"average": "micro"}},
    user_model="reads the whole result",
    micro=True,
    classifier="Precision",
    classifier_aliases={"PPV": {}, "PositivePredictiveValue": {}, "MacroPrecision": {"average": "macro"},
                        "MicroPrecision": {"average": "micro"}, "WeightedPrecision": {"average": "weighted"}},
    sklearn="precision_score",
    proportion=True,
)  # fmt: skip
def SetP(confusion: Confusion) -> PerUnit:
    r"""Precision of the retrieved set, or of what is predicted positive: the share of it that is so.

    .. math:: \frac{TP}{TP + FP}

    Undefined if nothing was retrieved. In the mean over queries (`macro`) each query weighs the same, in the `micro`
    average each document: *TP* and *FP* are added up over all queries first.

    >>> SetP.of(Confusion.from_table(tp=4, fp=6, fn=4))
    array([0.4])
    """
    return cells.precision(confusion)


@measure(
    trec_eval="set_recall",
    ir_measures="SetR",
    ranx="recall",
    aliases={"TPR": {}, "TruePositiveRate": {}, "Sensitivity": {}, "MacroR": {}, "MicroR": {"average": "micro"}},
    user_model="wants everything that is relevant",
    micro=True,
    classifier="Recall",
    classifier_aliases={"TPR": {}, "TruePositiveRate": {}, "Sensitivity": {}, "HitRate": {}, "Hit_Rate": {},
                        "MacroRecall": {"average": "macro"}, "MicroRecall": {"average": "micro"},
                        "WeightedRecall": {"average": "weighted"}},
    sklearn="recall_score",
    proportion=True,
)  # fmt: skip
def SetR(confusion: Confusion) -> PerUnit:
    r"""Recall of the retrieved set, or of what is predicted positive: the share of what is to be found that was.

    .. math:: \frac{TP}{TP + FN}

    Undefined without a relevant document (a positive item).

    >>> SetR.of(Confusion.from_table(tp=4, fp=6, fn=4))
    array([0.5])
    """
    return cells.recall(confusion)


def _harmonic(confusion: Confusion, *, beta: float, alpha: float | None) -> PerUnit:
    """The weighted harmonic mean as textbooks write it."""
    if (square := square_of_beta(beta, alpha)) is None:
        return cells.recall(confusion)
    precision, recall = (share(confusion).named(name) for share, name in _BOTH)
    return (1 + square) * precision * recall / (square * precision + recall)


def _with_alpha(confusion: Confusion, *, beta: float, alpha: float | None) -> PerUnit:
    """The same with a weight of precision, alpha = 1 / (1 + beta^2)."""
    if (square := square_of_beta(beta, alpha)) is None:
        return cells.recall(confusion)
    precision, recall = (share(confusion).named(name) for share, name in _BOTH)
    weight = 1 / (1 + square) if alpha is None else alpha
    return 1.0 / (weight / precision + (1 - weight) / recall)


def square_of_beta(beta: float, alpha: float | None = None) -> float | None:
    """The weight of recall against precision, beta²; None if it is so much that recall alone counts.

    >>> square_of_beta(2.0), square_of_beta(1.0, alpha=0.5), square_of_beta(1e160)
    (4.0, 1.0, None)
    """
    if alpha is None:
        return beta**2 if beta < _RECALL_ALONE else None
    if beta != 1:
        raise ParameterError(f"F takes beta or alpha, not both: beta is {beta:g} and alpha is {alpha:g}")
    return (1 - alpha) / alpha if alpha * _RECALL_ALONE > 1 else None


@measure(
    cites="vanrijsbergen1979",
    trec_eval="set_F",
    ir_measures="SetF",
    ranx="f1",
    aliases={"HarmonicMean": {}, "MacroF": {}, "MicroF": {"average": "micro"}},
    user_model="weighs precision against recall",
    micro=True,
    also={"the weighted harmonic mean": _harmonic, "1 / (α / P + (1 - α) / R), α = 1 / (1 + β²)": _with_alpha},
    classifier="F",
    classifier_aliases={"F1": {}, "F0.5": {"beta": 0.5}, "F2": {"beta": 2.0}, "Fbeta": {}, "Dice": {},
                        "FMeasure": {}, "FScore": {},
                        "MacroF1": {"average": "macro"}, "MicroF1": {"average": "micro"},
                        "WeightedF1": {"average": "weighted"}},
    sklearn="fbeta_score",
    rightly_empty=1.0,
)  # fmt: skip
def SetF(confusion: Confusion, *, beta: Beta = 1.0, alpha: Alpha = None) -> PerUnit:
    r"""F of the retrieved set, or of what is predicted positive: the weighted harmonic mean of precision and recall.

    .. math:: F_\beta = \frac{(1+\beta^2) P R}{\beta^2 P + R}
              = \frac{(1+\beta^2)\, TP}{(1+\beta^2)\, TP + \beta^2 FN + FP}

    `beta` is :math:`\beta` itself; the reference tool's parameter is its square. Instead, `alpha` may be given, the
    weight of precision in :math:`1 / (\alpha / P + (1 - \alpha) / R)`, which is :math:`1 / (1 + \beta^2)`.
    `beta=inf` (`alpha=0`) is recall.
    Of a retrieved set it is undefined where precision or recall is; of a classifier only if both are, as the counts
    give it: a class that is never predicted has F 0, though no precision.

    >>> SetF(beta=2).of(Confusion.from_table(tp=4, fp=6, fn=4))  # 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)
    array([0.4762])
    >>> SetF(alpha=0.2).of(Confusion.from_table(tp=4, fp=6, fn=4))  # 1 / (0.2 / 0.4 + 0.8 / 0.5)
    array([0.4762])
    """
    hits, retrieved, relevant = cells.hits(confusion), cells.retrieved(confusion), cells.relevant(confusion)
    either = cells.either(confusion)
    # Without a weight of recall it is precision that is asked for.
    square = square_of_beta(beta, alpha)
    neither = (either if square else retrieved).when_zero
    if square is None:
        return hits / relevant
    if alpha is not None:
        share = hits / (alpha * retrieved + (1 - alpha) * relevant).saying(neither)
    else:
        share = (1 + square) * hits / (square * relevant + retrieved).saying(neither)
    if confusion.unit_kind != "query":
        return share.defined_with(either)
    return share.defined_with(relevant).defined_with(retrieved)


@measure(
    trec_eval="set_map",
    ir_measures="SetAP",
    user_model="reads the whole result",
    classifier=None,
)
def SetAP(confusion: Confusion) -> PerUnit:
    r"""Precision times recall of the retrieved set: average precision as if relevant documents were spread evenly.

    .. math:: P \cdot R = \frac{TP^2}{(TP + FP)(TP + FN)}

    >>> SetAP.of(Confusion.from_table(tp=4, fp=6, fn=4))  # 4 * 4 / (10 * 8)
    array([0.2])
    """
    hits, retrieved, relevant = cells.hits(confusion), cells.retrieved(confusion), cells.relevant(confusion)
    # One division, as in the reference tool: a product of two quotients rounds differently in the last digit.
    return hits * hits / (retrieved * relevant).defined_with(retrieved).defined_with(relevant)


@measure(
    trec_eval="set_relative_P",
    ir_measures="SetRelP",
    user_model="reads the whole result",
    classifier=None,
)
def SetRelP(confusion: Confusion) -> PerUnit:
    r"""Precision of the retrieved set as a share of what is attainable.

    .. math:: \frac{TP}{\min(TP + FP,\ TP + FN)}

    >>> SetRelP.of(Confusion.from_table(tp=4, fp=6, fn=4))  # 4 / min(10, 8)
    array([0.5])
    """
    relevant, retrieved = cells.relevant(confusion), cells.retrieved(confusion)
    return cells.hits(confusion) / relevant.at_most(retrieved).defined_with(relevant).defined_with(retrieved)


@measure(
    trec_eval="utility",
    bounds=None,
    user_model="pays for what is read and missed",
    classifier=None,
)
def Utility(
    confusion: Confusion,
    *,
    tp: Coefficient = 1.0,
    fp: Coefficient = -1.0,
    fn: Coefficient = 0.0,
    tn: Coefficient = 0.0,
    collection_size: CollectionSize = 0,
) -> PerUnit:
    r"""What the retrieved set is worth: each cell of the confusion matrix times its coefficient.

    .. math:: a\,TP + b\,FP + c\,FN + d\,(N - TP - FP - FN)

    *N* is `collection_size`, unless the true negatives are counted. The reference tool takes it to be 0 unless told
    otherwise, and so does this.

    >>> Utility.of(Confusion.from_table(tp=4, fp=6, fn=4))  # 4 - 6
    array([-2.])
    """
    rest = collection_size - confusion.tp - confusion.fp - confusion.fn if confusion.tn is None else confusion.tn
    right, wrong = cells.hits(confusion) * tp, cells.noise(confusion) * fp
    # A collection that is said to be smaller than what was counted has no true negatives: that is a mere number.
    left_out = "TN" if (rest >= 0).all() else f"({collection_size} - TP - FP - FN)"
    return right + wrong + cells.missed(confusion) * fn + quantity(left_out, rest) * tn
