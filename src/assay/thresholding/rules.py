"""The rules: what is looked at, threshold by threshold; all are arithmetic on whole columns."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

import numpy as np

from assay.core.domains import Real, Whole
from assay.core.errors import ParameterError
from assay.measures.definition import Beta, Coefficient
from assay.measures.sets import square_of_beta
from assay.thresholding.cells import Cells, ratio
from assay.thresholding.registry import Bound, Wanted, rule

Share: TypeAlias = Annotated[float, Real(0.0, 1.0)]
OptionalShare: TypeAlias = Annotated[float | None, Real(0.0, 1.0, optional=True)]
Alerts: TypeAlias = Annotated[int | None, Whole(0, optional=True)]


class _Threshold(Real):
    """Any number, and infinity."""

    def __init__(self) -> None:
        super().__init__(optional=True)

    def check(self, name: str, value: Any) -> float | None:
        """Accept infinity as well: above all scores."""
        return math.inf if value == math.inf else super().check(name, value)


Threshold: TypeAlias = Annotated[float | None, _Threshold()]


@rule("accuracy")
def max_accuracy(cells: Cells) -> Wanted:
    """Most items decided rightly."""
    return Wanted(cells.accuracy, corners=True)


@rule("distance", smallest=True, bounds=(0.0, math.sqrt(2)))
def closest_to_corner(cells: Cells) -> Wanted:
    """The point of the ROC curve that is nearest to the upper left corner: FPR 0, TPR 1."""
    return Wanted(np.sqrt(cells.fpr**2 + (1 - cells.tpr) ** 2), corners=True)


@rule("Youden's J", bounds=(-1.0, 1.0))
def youden(cells: Cells) -> Wanted:
    """The largest sum of true positive and true negative rate: Youden's index J is that sum less 1."""
    return Wanted(cells.tpr + cells.tnr - 1, corners=True)


@rule("weighted rate")
def weighted(cells: Cells, *, w: Share = 0.5) -> Wanted:
    """The largest weighted mean of true positive and true negative rate: w TPR + (1 - w) TNR."""
    return Wanted(w * cells.tpr + (1 - w) * cells.tnr, corners=0 < w < 1)


@rule("F")
def max_f(cells: Cells, *, beta: Beta = 1.0) -> Wanted:
    """The largest F: recall counts `beta` times as much as precision. Without a positive item nothing is chosen."""
    possible = cells.positives > 0  # else F is 0 wherever positive is predicted, and one threshold as good as another
    if (square := square_of_beta(beta)) is None:
        return Wanted(cells.tpr, possible=possible)
    value = ratio((1 + square) * cells.tp, square * cells.positives + cells.predicted)
    return Wanted(value, corners=square > 0, possible=possible)


@rule("TPR")
def max_tpr_given_tnr(cells: Cells, *, tnr: Share = 0.9) -> Wanted:
    """The largest true positive rate (sensitivity) where the true negative rate (specificity) is at least so much."""
    return Wanted(cells.tpr, Bound("TNR", cells.tnr, tnr), corners=True)


@rule("TNR")
def max_tnr_given_tpr(cells: Cells, *, tpr: Share = 0.9) -> Wanted:
    """The largest true negative rate (specificity) where the true positive rate (sensitivity) is at least so much."""
    return Wanted(cells.tnr, Bound("TPR", cells.tpr, tpr), corners=True)


@rule("precision")
def max_precision_given_recall(cells: Cells, *, recall: Share = 0.9) -> Wanted:
    """The largest precision where recall is at least so much."""
    return Wanted(cells.precision, Bound("recall", cells.tpr, recall), corners=True)


@rule("recall")
def max_recall_given_precision(cells: Cells, *, precision: Share = 0.9) -> Wanted:
    """The largest recall where precision is at least so much."""
    return Wanted(cells.tpr, Bound("precision", cells.precision, precision), corners=True)


@rule("cost an item", smallest=True, bounds=(-math.inf, math.inf))
def cost(
    cells: Cells,
    *,
    fp: Coefficient = 1.0,
    fn: Coefficient = 1.0,
    tp: Coefficient = 0.0,
    tn: Coefficient = 0.0,
    prevalence: OptionalShare = None,
) -> Wanted:
    """The lowest expected cost an item; `prevalence` is the share of positive items where the classifier will be used.

    Gains are negative costs. Without a prevalence it is that of the data.
    """
    scale = max(abs(fp), abs(fn), abs(tp), abs(tn))
    corners = tp < fn and tn < fp and prevalence not in {0.0, 1.0}
    if prevalence is None:
        total = tp * cells.tp + fn * cells.fn + fp * cells.fp + tn * cells.tn
        return Wanted(ratio(total, cells.items), scale=scale, corners=corners)
    of_positive = tp * cells.tpr + fn * (1 - cells.tpr) if prevalence > 0 else 0.0
    of_negative = fp * cells.fpr + tn * (1 - cells.fpr) if prevalence < 1 else 0.0
    expected = np.asarray(prevalence * of_positive + (1 - prevalence) * of_negative)
    return Wanted(expected, scale=scale, corners=corners)


@rule("TPR")
def budget(cells: Cells, *, alerts: Alerts = None, share: OptionalShare = None) -> Wanted:
    """The largest true positive rate where at most so many items, or such a share of them, are predicted positive."""
    if (alerts is None) == (share is None):
        raise ParameterError(
            "a budget is a number of alerts or a share of the items: budget(alerts=50), budget(share=0.05)"
        )
    if alerts is not None:
        return Wanted(cells.tpr, Bound("alerts", cells.predicted, alerts, at_most=True))
    return Wanted(cells.tpr, Bound("share of alerts", ratio(cells.predicted, cells.items), share or 0.0, at_most=True))


@rule("Youden's J", bounds=(-1.0, 1.0))
def fixed(cells: Cells, *, threshold: Threshold = None) -> Wanted:
    """A threshold that is given; nothing is chosen. What is said of it is Youden's index."""
    if threshold is None:
        raise ParameterError("a fixed threshold is given as in fixed(threshold=0.5)")
    return Wanted(cells.tpr + cells.tnr - 1)


#: What is shown if no rule is asked for.
DEFAULT_RULES = (
    max_accuracy,
    closest_to_corner,
    youden,
    max_f,
    max_tpr_given_tnr,
    max_tnr_given_tpr,
    max_precision_given_recall,
    max_recall_given_precision,
)
