"""Measures of a classifier's scores, whatever the threshold.

All are made from `Scored`. A positive item should have the higher score; ties count half.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, TypeAlias

import numpy as np

from assay.core.domains import Real
from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats
from assay.measures.counting.scored import Scored, ScoreTable
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity, unknown

NO_POSITIVE = "there is no positive item"
NO_NEGATIVE = "there is no negative item"
_AT_THRESHOLDS = "thresholds"


class _UpToOne(Real):
    """Numbers above 0, up to 1."""

    def __init__(self) -> None:
        super().__init__(0.0, 1.0, optional=True)

    def check(self, name: str, value: Any) -> Any:
        """Accept what lies between, and 1."""
        number = super().check(name, value)
        if number == 0:
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}")
        return number

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return "a number above 0, up to 1"


MaxFPR: TypeAlias = Annotated[float | None, _UpToOne()]


def _lacking(scored: Scored) -> str | None:
    """The reason why there is nothing to compare, or None."""
    if not scored.positives:
        return NO_POSITIVE
    if not scored.negatives:
        return NO_NEGATIVE
    return None


def _area_by_pairs(scored: Scored) -> PerUnit:
    """Pairs won, ties counting half, as a share of the pairs."""
    won = quantity("pairs won", [scored.won.wins]) + 0.5 * quantity("ties", [scored.won.ties])
    pairs = quantity("positive items", [scored.positives]) * quantity("negative items", [scored.negatives])
    return won / replace(pairs, when_zero=_lacking(scored) or "0/0")


def _steps(table: ScoreTable, **columns: Floats) -> Steps:
    """Rows of a table of thresholds, with further columns."""
    counted = {"threshold": table.threshold, "tp": table.tp, "fp": table.fp}
    return Steps(np.zeros(len(table.tp), dtype=np.int64), 1, {**counted, **columns}, says=_AT_THRESHOLDS)


def _area_by_steps(scored: Scored, max_fpr: float = 1.0) -> PerUnit:
    """The area under the ROC curve up to a false positive rate, as a sum of strips."""
    if reason := _lacking(scored):
        return unknown("area", 1, reason)
    table = scored.table
    fpr = table.fpr
    within = int(np.searchsorted(fpr, max_fpr, side="right"))
    points = ScoreTable(*(column[:within] for column in table))
    tpr, fpr = table.tpr[:within], fpr[:within]
    if within < len(table.tp):  # the curve is cut between two thresholds
        fp = max_fpr * table.fp[-1]
        share = (fp - table.fp[within - 1]) / (table.fp[within] - table.fp[within - 1])
        tp = table.tp[within - 1] + share * (table.tp[within] - table.tp[within - 1])
        cut = (np.nan, tp, fp)
        points = ScoreTable(*(np.append(column, value) for column, value in zip(points, cut, strict=True)))
        tpr, fpr = np.append(tpr, tp / table.tp[-1]), np.append(fpr, max_fpr)
    area = np.diff(fpr, prepend=0.0) * (tpr + np.append(0.0, tpr[:-1])) / 2
    steps = _steps(points, TPR=tpr, FPR=fpr, area=area)
    return steps.meaning(
        threshold="positive is predicted from this score on; none where the curve is cut between two",
        TPR="tp / positive items",
        FPR="fp / negative items",
        area="the step of FPR × the mean of TPR here and one row above",
    ).sum("area")


def _auc_by_steps(scored: Scored, *, max_fpr: float | None) -> PerUnit:
    """The whole area as a sum of strips; a part of it is computed so anyway."""
    return _area_by_steps(scored) if max_fpr is None else AUC(max_fpr=max_fpr).per_unit(scored)


@measure(
    aliases=("ROC_AUC", "AUROC", "AreaUnderROC"),
    also={"the area under the points of the ROC curve": _auc_by_steps},
    sklearn="roc_auc_score",
)
def AUC(scored: Scored, *, max_fpr: MaxFPR = None) -> PerUnit:
    r"""Area under the ROC curve: the chance that a positive item has a higher score than a negative one.

    .. math:: \frac{W + \tfrac{1}{2} T}{P\,N}

    *W*: pairs of a positive and a negative item in which the positive one has the higher score; *T*: pairs that tie;
    *P*, *N*: positive and negative items. 0.5 is what a score without information gets, as does one that is the same
    for all items. Undefined unless there are items of both kinds.

    With `max_fpr` *m* it is the part of the area where the false positive rate is at most *m*, standardised as by
    McClish (1989): with *A* that part, :math:`\tfrac{1}{2}\big(1 + \frac{A - m^2/2}{m - m^2/2}\big)`, so that no
    information is 0.5 again and a perfect score 1.

    >>> AUC.of(Scored.from_lists(positive=[0.9, 0.6], negative=[0.7, 0.6]))  # (2 + 1/2) / (2 * 2)
    array([0.625])
    """
    if max_fpr is None or max_fpr == 1:
        return _area_by_pairs(scored)
    least, most = max_fpr**2 / 2, max_fpr
    return 0.5 * (1 + (_area_by_steps(scored, max_fpr) - least) / (most - least))


@measure(
    bounds=(-1.0, 1.0),
    aliases=("GiniCoefficient", "SomersD"),
)
def Gini(scored: Scored) -> PerUnit:
    r"""Gini coefficient of a score: pairs in the right order, less those in the wrong one, as a share of all pairs.

    .. math:: 2\,\mathrm{AUC} - 1

    It is also Somers' D. 0 is what a score without information gets. Undefined unless there are items of both kinds.

    >>> Gini.of(Scored.from_lists(positive=[0.9, 0.6], negative=[0.7, 0.6]))  # 2 * 0.625 - 1
    array([0.25])
    """
    return 2.0 * _area_by_pairs(scored).named("AUC") - 1.0


def _gains_of_recall(scored: Scored) -> Steps:
    """The thresholds that find positive items, with precision and recall there."""
    table = scored.table
    gained = np.diff(table.tp, prepend=0)
    rows = np.flatnonzero(gained)
    points = ScoreTable(*(column[rows] for column in table))
    steps = _steps(
        points,
        precision=points.tp / (points.tp + points.fp),
        recall=points.tp / table.tp[-1],
        found=gained[rows].astype(np.float64),
    )
    return steps.meaning(
        threshold="positive is predicted from this score on; scores that only negative items have are left out",
        precision="tp / (tp + fp)",
        recall="tp / positive items",
        found="positive items with this score",
    )


def _mean_precision(scored: Scored) -> PerUnit:
    """The mean, over positive items, of the precision at each one's score."""
    if not scored.positives:
        return unknown("mean precision", 1, NO_POSITIVE)
    steps = _gains_of_recall(scored)
    steps = steps.with_columns(precisions=steps["precision"] * steps["found"])
    total = steps.meaning(precisions="precision × found").sum("precisions")
    return total / quantity("positive items", [scored.positives])


@measure(
    aliases=("AP",),
    also={"the mean of the precision at each positive item's score": _mean_precision},
    sklearn="average_precision_score",
)
def AveragePrecision(scored: Scored) -> PerUnit:
    r"""Average precision: precision at every threshold, weighted by the recall that is gained there.

    .. math:: \sum_t (R_t - R_{t-1})\, p_t

    :math:`p_t`, :math:`R_t`: precision and recall where positive is predicted from the *t*-th highest score on. It sums
    up the precision-recall curve in steps; see `PRArea` for the trapezoid. A score without information gets the share
    of positive items. Undefined without a positive item.

    >>> AveragePrecision.of(Scored.from_lists(positive=[0.9, 0.7], negative=[0.8]))  # 1/2 * 1/1 + 1/2 * 2/3
    array([0.8333])
    """
    if not scored.positives:
        return unknown("average precision", 1, NO_POSITIVE)
    steps = _gains_of_recall(scored)
    step = np.diff(steps["recall"], prepend=0.0)
    steps = steps.with_columns(step=step, area=steps["precision"] * step)
    return steps.meaning(step="recall here, less that of the row above", area="precision × step").sum("area")


@measure(
    aliases=("PRTrapezoid",),
)
def PRArea(scored: Scored) -> PerUnit:
    r"""Area under the precision-recall curve by trapezoids: points joined by straight lines, from precision 1 on.

    .. math:: \sum_t (R_t - R_{t-1})\, \frac{p_t + p_{t-1}}{2}

    :math:`p_t`, :math:`R_t` as for `AveragePrecision`, with :math:`R_0 = 0` and :math:`p_0 = 1`. It is not average
    precision. Where items that share a score bring precision down it is too good: precision then falls along a curve
    that sags below the straight line (Davis and Goadrich 2006), the more so the fewer distinct scores there are, and a
    line from precision 1 to the first point claims what nothing has shown. Where all scores differ it is never above
    average precision. It is here to be held against numbers that were computed so.
    Undefined without a positive item.

    >>> PRArea.of(Scored.from_lists(positive=[0.9, 0.7], negative=[0.8]))  # 1/2 * 1 + 1/2 * (1/2 + 2/3) / 2
    array([0.7917])
    """
    if not scored.positives:
        return unknown("area", 1, NO_POSITIVE)
    table = scored.table
    predicted = table.tp + table.fp
    # Nothing is predicted at the start (nor where what is has no weight): there the curve has precision 1.
    precision = np.where(predicted > 0, table.tp / np.where(predicted > 0, predicted, 1), 1.0)
    recall = table.tpr
    step = np.diff(recall, prepend=0.0)
    steps = _steps(table, precision=precision, recall=recall, step=step)
    steps = steps.with_columns(area=step * (precision + np.append(1.0, precision[:-1])) / 2)
    return steps.meaning(
        precision="tp / (tp + fp); 1 where nothing is predicted positive",
        recall="tp / positive items",
        step="recall here, less that of the row above",
        area="step × the mean of precision here and one row above",
    ).sum("area")


@measure(
    aliases=("EqualErrorRate",),
    higher_is_better=False,
)
def EER(scored: Scored) -> PerUnit:
    r"""Equal error rate: the false positive rate where it equals the false negative rate.

    .. math:: \mathrm{FPR} = \mathrm{FNR} = 1 - \mathrm{TPR}

    Where no threshold makes the two equal, it is read off the straight line between the two points of the ROC curve
    around. 0.5 is what a score without information gets. Undefined unless there are items of both kinds.

    >>> EER.of(Scored.from_lists(positive=[0.9, 0.6], negative=[0.7, 0.1]))  # from 0.7 on: FPR 1/2, FNR 1/2
    array([0.5])
    """
    if reason := _lacking(scored):
        return unknown("equal error rate", 1, reason)
    table = scored.table
    # FPR - FNR times P × N: exact, where items are counted; it rises from the first threshold to the last.
    ahead = table.fp * table.tp[-1] - table.fn * table.fp[-1]
    after = int(np.searchsorted(ahead, 0))
    rows = slice(after - 1, after + 1)
    first, second = ahead[rows]
    share = -first / (second - first)
    around = ScoreTable(*(column[rows] for column in table))
    fpr = table.fp[rows] / table.fp[-1]
    weight = np.array([1 - share, share])
    steps = _steps(around, FPR=fpr, FNR=table.fn[rows] / table.tp[-1], weight=weight, contribution=weight * fpr)
    return steps.meaning(
        FPR="fp / negative items",
        FNR="fn / positive items",
        weight="how near the point is at which both rates are equal",
        contribution="weight × FPR",
    ).sum("contribution")


@measure(
    aliases=("KolmogorovSmirnov",),
)
def KS(scored: Scored) -> PerUnit:
    r"""Kolmogorov-Smirnov statistic: the largest distance between the scores' two distributions.

    .. math:: \max_t\, |\mathrm{TPR}_t - \mathrm{FPR}_t|

    *t*: thresholds. Where the curve stays above the diagonal it is the largest Youden index. Undefined unless there are
    items of both kinds.

    >>> KS.of(Scored.from_lists(positive=[0.9, 0.6], negative=[0.7, 0.1]))  # from 0.9 on: |1/2 - 0|
    array([0.5])
    """
    if reason := _lacking(scored):
        return unknown("largest distance", 1, reason)
    table = scored.table.thinned()  # the distance is largest at a corner of the curve
    steps = _steps(table, TPR=table.tpr, FPR=table.fpr, distance=np.abs(table.tpr - table.fpr))
    return steps.meaning(
        threshold="positive is predicted from this score on; only corners of the ROC curve are here",
        TPR="tp / positive items",
        FPR="fp / negative items",
        distance="|TPR - FPR|",
    ).max("distance")
