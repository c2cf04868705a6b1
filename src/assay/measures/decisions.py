"""Measures of yes-or-no decisions, on `Confusion`, and the counts that they are made of."""

from __future__ import annotations

from collections.abc import Callable

from assay.measures import cells
from assay.measures.counting.confusion import Confusion
from assay.measures.registry import Measure, measure
from assay.measures.steps import PerUnit


@measure(
    micro=True,
    classifier_aliases={"ACC": {}},
    sklearn="accuracy_score",
    proportion=True,
)
def Accuracy(confusion: Confusion) -> PerUnit:
    r"""Accuracy: the share of all documents, or items, that is decided rightly, retrieved or left out.

    .. math:: \frac{TP + TN}{TP + FP + FN + TN}

    In a large collection it is near 1 whatever is retrieved, since nearly all documents are rightly left out. Undefined
    if the size of the collection is not known. (ir_measures gives this name to what is `AUC` here.)

    >>> Accuracy.of(Confusion.from_table(tp=4, fp=6, fn=4, tn=86))  # (4 + 86) / 100
    array([0.9])
    """
    return (cells.hits(confusion) + cells.left_out(confusion)) / cells.collection(confusion)


@measure(
    higher_is_better=False,
    micro=True,
    classifier_aliases={"ERR": {}, "Error": {}, "ZeroOneLoss": {}, "HammingLoss": {}},
    sklearn="zero_one_loss",
    proportion=True,
)
def ErrorRate(confusion: Confusion) -> PerUnit:
    r"""Error rate: the share of all documents, or items, that is decided wrongly.

    .. math:: \frac{FP + FN}{TP + FP + FN + TN} = 1 - \mathrm{Accuracy}

    Undefined if the size of the collection is not known.

    >>> ErrorRate.of(Confusion.from_table(tp=4, fp=6, fn=4, tn=86))  # (6 + 4) / 100
    array([0.1])
    """
    return (cells.noise(confusion) + cells.missed(confusion)) / cells.collection(confusion)


@measure(
    aliases=("FPR", "FalsePositiveRate"),
    higher_is_better=False,
    micro=True,
    classifier="FPR",
    classifier_aliases={"Fallout": {}, "FalsePositiveRate": {}, "FalseAlarmRate": {}},
    proportion=True,
)
def Fallout(confusion: Confusion) -> PerUnit:
    r"""Fallout, the false positive rate: the share of what is irrelevant (negative) that was retrieved all the same.

    .. math:: \frac{FP}{FP + TN}

    Undefined if the size of the collection is not known, and without an irrelevant document.

    >>> Fallout.of(Confusion.from_table(tp=4, fp=6, fn=4, tn=86))  # 6 / 92
    array([0.0652])
    """
    return cells.noise(confusion) / cells.irrelevant(confusion)


@measure(
    aliases=("TNR", "TrueNegativeRate"),
    micro=True,
    classifier_aliases={"TNR": {}, "TrueNegativeRate": {}, "Selectivity": {}},
    proportion=True,
)
def Specificity(confusion: Confusion) -> PerUnit:
    r"""Specificity, the true negative rate: the share of what is irrelevant (negative) that was left out.

    .. math:: \frac{TN}{FP + TN} = 1 - \mathrm{Fallout}

    Undefined if the size of the collection is not known, and without an irrelevant document.

    >>> Specificity.of(Confusion.from_table(tp=4, fp=6, fn=4, tn=86))  # 86 / 92
    array([0.9348])
    """
    return cells.left_out(confusion) / cells.irrelevant(confusion)


@measure(
    aliases=("NegativePredictiveValue",),
    micro=True,
    proportion=True,
)
def NPV(confusion: Confusion) -> PerUnit:
    r"""Negative predictive value: the share of what was left out (predicted negative) that is irrelevant (negative).

    .. math:: \frac{TN}{TN + FN}

    What precision (`SetP`, the positive predictive value) is to what was retrieved. Undefined if the size of the
    collection is not known, and if everything was retrieved.

    >>> NPV.of(Confusion.from_table(tp=4, fp=6, fn=4, tn=86))  # 86 / 90
    array([0.9556])
    """
    return cells.left_out(confusion) / cells.not_retrieved(confusion)


@measure(
    higher_is_better=None,
    micro=True,
    proportion=True,
)
def Prevalence(confusion: Confusion) -> PerUnit:
    r"""Prevalence: the share of all documents, or items, that is relevant (positive), whatever was decided.

    .. math:: \frac{TP + FN}{TP + FP + FN + TN}

    Where it is small, accuracy is near 1 for whoever retrieves nothing. Undefined if the size of the collection is not
    known.

    >>> Prevalence.of(Confusion.from_table(tp=4, fp=6, fn=4, tn=92))  # 8 / 106
    array([0.0755])
    """
    return cells.relevant(confusion) / cells.collection(confusion)


@measure(
    aliases=("JaccardIndex", "IoU"),
    micro=True,
    classifier_aliases={"JaccardIndex": {}, "IoU": {}, "CriticalSuccessIndex": {}, "ThreatScore": {}},
    sklearn="jaccard_score",
    proportion=True,
    rightly_empty=1.0,
)
def Jaccard(confusion: Confusion) -> PerUnit:
    r"""Jaccard index: what is both retrieved and relevant, as a share of what is one or the other.

    .. math:: \frac{TP}{TP + FP + FN}

    For classifiers: predicted positive and positive. Undefined if nothing is either.

    >>> Jaccard.of(Confusion.from_table(tp=4, fp=6, fn=4))  # 4 / 14
    array([0.2857])
    """
    return cells.hits(confusion) / cells.either(confusion)


@measure(
    cites="matthews1975",
    aliases=("MatthewsCorrelation", "phi"),
    bounds=(-1.0, 1.0),
    micro=True,
    sklearn="matthews_corrcoef",
)
def MCC(confusion: Confusion) -> PerUnit:
    r"""Matthews correlation coefficient of what is so (relevant, positive) and what was decided.

    .. math:: \frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    1 if all is decided rightly, -1 if all is decided wrongly, around 0 for a choice at random. Undefined if the size of
    the collection is not known, and where a margin is empty: nothing or everything retrieved, nothing or everything
    relevant. (By convention others say 0 there, and so does the mean over queries; classifiers have no value there.)

    >>> MCC.of(Confusion.from_table(tp=4, fp=1, fn=1, tn=4))  # (16 - 1) / sqrt(5 * 5 * 5 * 5)
    array([0.6])
    """
    right = cells.hits(confusion) * cells.left_out(confusion)
    wrong = cells.noise(confusion) * cells.missed(confusion)
    correlation = right - wrong
    for margin in (cells.retrieved, cells.relevant, cells.irrelevant, cells.not_retrieved):
        correlation = correlation / cells.zero_by_convention(confusion, margin(confusion)).sqrt()
    return correlation


@measure(
    micro=True,
    classifier=None,
)
def ArithmeticMean(confusion: Confusion) -> PerUnit:
    r"""The arithmetic mean of precision and recall of the retrieved set.

    .. math:: \frac{P + R}{2}

    It rewards extremes: whoever retrieves everything has recall 1, and so a mean of at least 1/2. The harmonic mean,
    `SetF`, does not. Undefined where precision or recall is.

    >>> ArithmeticMean.of(Confusion.from_table(tp=4, fp=6, fn=4))  # (0.4 + 0.5) / 2
    array([0.45])
    """
    return (cells.precision(confusion) + cells.recall(confusion)) / 2


@measure(
    aliases=("FowlkesMallows",),
    micro=True,
    classifier="FowlkesMallows",
    classifier_aliases={},
)
def GeometricMean(confusion: Confusion) -> PerUnit:
    r"""The geometric mean of precision and recall (of classifiers: the index of Fowlkes and Mallows).

    .. math:: \sqrt{P \cdot R}

    Between the arithmetic mean and the harmonic one, `SetF`. Undefined where precision or recall is.

    >>> GeometricMean.of(Confusion.from_table(tp=4, fp=6, fn=4))  # sqrt(0.4 * 0.5)
    array([0.4472])
    """
    return (cells.precision(confusion) * cells.recall(confusion)).sqrt()


def _count(higher_is_better: bool | None, *names: str) -> Callable[[Callable[..., PerUnit]], Measure]:
    """A plain number of documents or items, added up over units; `names` are what it is called for classifiers."""
    return measure(
        bounds=None,
        summary="sum",
        higher_is_better=higher_is_better,
        classifier_aliases={name: {} for name in names},
    )


@_count(True, "TruePositives")
def TP(confusion: Confusion) -> PerUnit:
    r"""True positives: what is relevant (positive) and was retrieved (predicted positive).

    .. math:: TP

    >>> TP.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([4.])
    """
    return cells.hits(confusion)


@_count(False, "FalsePositives", "FalseAlarms", "TypeIErrors")
def FP(confusion: Confusion) -> PerUnit:
    r"""False positives, false alarms: what is irrelevant (negative) and was retrieved (predicted positive).

    .. math:: FP

    >>> FP.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([6.])
    """
    return cells.noise(confusion)


@_count(False, "FalseNegatives", "Misses", "TypeIIErrors")
def FN(confusion: Confusion) -> PerUnit:
    r"""False negatives, misses: what is relevant (positive) and was left out (predicted negative).

    .. math:: FN

    >>> FN.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([1.])
    """
    return cells.missed(confusion)


@_count(True, "TrueNegatives")
def TN(confusion: Confusion) -> PerUnit:
    r"""True negatives: what is irrelevant (negative) and was left out (predicted negative).

    .. math:: TN

    Unknown if the size of the collection is not known.

    >>> TN.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))
    array([89.])
    """
    return cells.left_out(confusion)


@_count(None, "P", "ConditionPositive", "Support")
def Positives(confusion: Confusion) -> PerUnit:
    r"""Positives: what is relevant (positive), found or not; of a class, its support.

    .. math:: P = TP + FN

    >>> Positives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4 + 1
    array([5.])
    """
    return cells.hits(confusion) + cells.missed(confusion)


@_count(None, "N", "ConditionNegative")
def Negatives(confusion: Confusion) -> PerUnit:
    r"""Negatives: what is irrelevant (negative), spared or not.

    .. math:: N = FP + TN

    Unknown if the size of the collection is not known.

    >>> Negatives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 6 + 89
    array([95.])
    """
    return cells.noise(confusion) + cells.left_out(confusion)


@_count(None, "PP", "PredictedPositive", "TestPositive")
def PredictedPositives(confusion: Confusion) -> PerUnit:
    r"""Predicted positives: what was retrieved (predicted positive), rightly or wrongly.

    .. math:: TP + FP

    >>> PredictedPositives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4 + 6
    array([10.])
    """
    return cells.hits(confusion) + cells.noise(confusion)


@_count(None, "PN", "PredictedNegative", "TestNegative")
def PredictedNegatives(confusion: Confusion) -> PerUnit:
    r"""Predicted negatives: what was left out (predicted negative), rightly or wrongly.

    .. math:: FN + TN

    Unknown if the size of the collection is not known.

    >>> PredictedNegatives.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 1 + 89
    array([90.])
    """
    return cells.missed(confusion) + cells.left_out(confusion)


@_count(True, "T", "TrueDecisions", "Correct")
def Right(confusion: Confusion) -> PerUnit:
    r"""Right decisions, of either kind.

    .. math:: T = TP + TN

    Unknown if the size of the collection is not known.

    >>> Right.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 4 + 89
    array([93.])
    """
    return cells.hits(confusion) + cells.left_out(confusion)


@_count(False, "FalseDecisions", "Errors", "Incorrect")
def Wrong(confusion: Confusion) -> PerUnit:
    r"""Wrong decisions, of either kind.

    .. math:: FP + FN

    Some write *F* for it, which is the F measure here.

    >>> Wrong.of(Confusion.from_table(tp=4, fp=6, fn=1, tn=89))  # 6 + 1
    array([7.])
    """
    return cells.noise(confusion) + cells.missed(confusion)
