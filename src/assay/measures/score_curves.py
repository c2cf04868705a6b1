"""Measures of a classifier's scores, whatever the threshold, and of its probabilities.

All are made from `Scored`. A positive item should have the higher score; ties count half.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, TypeAlias

import numpy as np

from assay.core.domains import Real
from assay.core.errors import ParameterError, argument
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored, ScoreTable
from assay.measures.definition import Binning, Bins, BinsName, Of, OfName, TopK
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
    """Why there is nothing to compare, or None if there is."""
    return NO_POSITIVE if not scored.positives else NO_NEGATIVE if not scored.negatives else None


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
    user_model="compares a positive item with a negative one, each drawn at random",
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
    user_model="compares a positive item with a negative one, each drawn at random",
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
    user_model="goes down the items by score until the positive ones are found",
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
    user_model="goes down the items by score until the positive ones are found",
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
    user_model="minds a false alarm as much as a miss",
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
    user_model="wants one threshold that tells the two kinds apart",
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


#: A probability of 0 counts as this, so that one surprise does not cost infinitely much: as scikit-learn has it.
SMALLEST = float(np.finfo(np.float64).eps)


@measure(aliases=("CrossEntropy", "LogisticLoss"), bounds=(0.0, np.inf), higher_is_better=False, sklearn="log_loss")
def LogLoss(probabilities: Probabilities) -> PerUnit:
    r"""Log loss, cross-entropy: how surprising the true label was, given the probability predicted for it.

    .. math:: -\ln p_y

    0 for a probability of 1; ln 2 = 0.693 for a half. A probability of 0 would cost infinitely much; as in scikit-learn
    it counts as 2.2e-16, and costs 36.04. The number of a system is the mean over items.

    >>> LogLoss.of(Probabilities.from_scores([1, 0], [0.8, 0.5]))  # -ln(0.8), -ln(1 - 0.5)
    array([0.2231, 0.6931])
    """
    _ = probabilities.shares
    return 0.0 - quantity("probability of the truth", probabilities.of_truth).at_least(SMALLEST).log()


@measure(
    aliases=("BrierScore",), bounds=(0.0, 2.0), higher_is_better=False, sklearn="brier_score_loss", cites="brier1950"
)
def Brier(probabilities: Probabilities) -> PerUnit:
    r"""Brier score: the squared distance of the predicted probabilities from the truth.

    .. math:: \sum_k (p_k - y_k)^2

    :math:`y_k` is 1 for the true label and 0 for the others. With two labels it is half of that, from 0 to 1: the
    squared distance of the positive label's probability alone, as Brier's score is mostly meant; with more it goes up
    to 2. (scikit-learn does the same.) The number of a system is the mean over items.

    >>> Brier.of(Probabilities.from_scores([1, 0], [0.8, 0.5]))  # (1 - 0.8)^2, (0.5 - 0)^2
    array([0.04, 0.25])
    """
    squares = _squares(probabilities)
    return squares / 2 if len(probabilities.labels) <= _TWO else squares


@measure(aliases=("MeanSquaredError",), higher_is_better=False, sklearn="mean_squared_error")
def MSE(probabilities: Probabilities) -> PerUnit:
    r"""Mean squared error of the predicted probabilities, over all labels: `Brier`, divided by the number of labels.

    .. math:: \frac{1}{K} \sum_k (p_k - y_k)^2

    With two labels it is `Brier` itself. The number of a system is the mean over items.

    >>> MSE.of(Probabilities.from_scores(["a"], [[0.5, 0.3, 0.2]], labels=["a", "b", "c"]))  # (.25 + .09 + .04) / 3
    array([0.1267])
    """
    return _squares(probabilities) / len(probabilities.labels)


@measure(aliases=("TopK",), sklearn="top_k_accuracy_score")
def TopKAccuracy(probabilities: Probabilities, *, k: TopK = 2) -> PerUnit:
    r"""Top-k accuracy: whether the true label is among the *k* labels with the highest scores.

    .. math:: \min\Big(1, \max\Big(0, \frac{k - h}{e}\Big)\Big)

    *h* labels have a higher score than the true one, *e* have the same, itself included: where a tie goes across the
    border, the item counts by the chance that the true label is let in. Any scores will do. (scikit-learn lets the
    label in that comes last.) The number of a system is the mean over items.

    >>> scores = [[0.5, 0.3, 0.2], [0.4, 0.3, 0.3]]
    >>> TopKAccuracy(k=2).of(Probabilities.from_scores(["c", "b"], scores, labels=["a", "b", "c"]))
    array([0. , 0.5])
    """
    if probabilities.single:
        raise ParameterError("TopKAccuracy needs scores of each label, not of the positive one only")
    above, tied = _above_and_tied(probabilities.scores, probabilities.of_truth)
    place = (k - quantity("labels with a higher score", above)) / quantity("labels with the same score", tied)
    return place.at_most(1).at_least(0)


@measure(aliases=("CalibrationError",), summary="pooled", higher_is_better=False)
def ECE(probabilities: Probabilities, *, bins: Bins = 15, binning: Binning = "width", of: Of = "auto") -> PerUnit:
    r"""Expected calibration error: how far predicted probabilities are from how often they come true, on average.

    .. math:: \sum_b \frac{n_b}{N} \left| \bar{y}_b - \bar{p}_b \right|

    Items are put into `bins` by their probability, of equal `width` or of equal `mass` (as many items in each, as far
    as ties let them; weights do not move the borders). :math:`\bar{p}_b` is the mean probability in bin *b*,
    :math:`\bar{y}_b` how often it came true. A probability on a border belongs to the lower bin. The probability is
    that of the positive label (`of='positive'`) or that of the label with the highest one (`of='predicted'`; where
    several have it, it comes true by their share); `auto` takes the former if there is a positive label. One number for
    all items.

    >>> ECE(bins=2).of(Probabilities.from_scores([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9]))  # (|1 - 0.6| + |2 - 1.7|) / 4
    array([0.175])
    """
    steps = _in_bins(probabilities, bins, binning, of)
    return steps.sum("off") / steps.sum("items", "all items weigh nothing")


@measure(aliases=("MaximumCalibrationError",), summary="pooled", higher_is_better=False)
def MCE(probabilities: Probabilities, *, bins: Bins = 15, binning: Binning = "width", of: Of = "auto") -> PerUnit:
    r"""Maximum calibration error: the largest distance of predicted probabilities from how often they come true.

    .. math:: \max_b \left| \bar{y}_b - \bar{p}_b \right|

    The bins are those of `ECE`. A bin with few items is off by chance: the more bins, the larger it gets. One number
    for all items.

    >>> MCE(bins=2).of(Probabilities.from_scores([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9]))  # |1/2 - 0.3|
    array([0.2])
    """
    return _in_bins(probabilities, bins, binning, of).max("gap")


_TWO = 2


def _squares(probabilities: Probabilities) -> PerUnit:
    """Squared distances from the truth, added up over the labels of an item."""
    items, labels = probabilities.shares.shape
    wanted = np.zeros((items, labels))
    wanted[np.arange(items), probabilities.truth] = 1.0
    steps = Steps(
        np.repeat(np.arange(items), labels),
        items,
        {
            "class": np.tile(np.arange(labels), items),
            "probability": probabilities.shares.ravel(),
            "truth": wanted.ravel(),
            "squared": np.square(probabilities.shares - wanted).ravel(),
        },
        "classes",
    )
    return steps.meaning(truth="1 for the true label", squared="(probability - truth)²").sum("squared")


def _above_and_tied(scores: Floats, scores_of_truth: Floats) -> tuple[Ints, Ints]:
    """How many labels have a higher score than an item's own, and how many have the same."""
    above: Ints = (scores > scores_of_truth[:, None]).sum(axis=1)
    tied: Ints = (scores == scores_of_truth[:, None]).sum(axis=1)
    return above, tied


def _in_bins(probabilities: Probabilities, bins: int, binning: BinsName, of: OfName) -> Steps:
    """Predicted probability and what came true, added up in bins: a row for each bin that has items."""
    claimed, true = claims_of(probabilities, of)
    place = bins_of(claimed, bins, binning)
    weight = np.ones(len(claimed)) if probabilities.weight is None else probabilities.weight
    items, claims, came = (np.bincount(place, w, minlength=bins) for w in (weight, weight * claimed, weight * true))
    kept = np.flatnonzero(items > 0)
    items, claims, came = items[kept], claims[kept], came[kept]
    columns: dict[str, Floats | Ints] = {
        "bin": kept + 1,
        "items": items,
        "probability": claims / items,
        "came_true": came / items,
    }
    steps = Steps(np.zeros(len(kept), dtype=np.int64), 1, columns, "bins")
    gap = np.abs(steps["came_true"] - steps["probability"])
    return steps.with_columns(gap=gap, off=items * gap).meaning(
        probability="the mean probability in the bin",
        came_true="how often it came true",
        gap="|came_true - probability|",
        off="items × gap",
    )


def bins_of(claimed: Floats, bins: int, binning: BinsName = "width") -> Ints:
    """Which bin a probability belongs to, from 0; on a border, to the lower one.

    >>> bins_of(np.array([0.0, 0.5, 0.51, 1.0]), bins=2)
    array([0, 0, 1, 1])
    """
    if binning == "width":
        borders = np.linspace(0, 1, bins + 1)[1:-1]
    else:  # the last one of each bin, counted in whole numbers, so that no rounding moves a border
        last = (len(claimed) * np.arange(1, bins) + bins - 1) // bins - 1
        borders = np.sort(claimed)[last]
    return np.searchsorted(borders, claimed, side="left").astype(np.int64)


def claims_of(probabilities: Probabilities, of: OfName = "auto") -> tuple[Floats, Floats]:
    """What each item's probability is claimed to be, and how far that came true.

    >>> claims_of(Probabilities.from_scores([0, 1], [0.2, 0.9]))
    (array([0.2, 0.9]), array([0., 1.]))
    """
    shares, positive = probabilities.shares, probabilities.positive
    if of == "positive" or (of == "auto" and positive is not None):
        if positive is None:
            say = argument("pos_label")
            raise ParameterError(f"of='positive' needs a positive label: say {say}, or of='predicted'")
        return shares[:, positive], (probabilities.truth == positive).astype(np.float64)
    highest: Floats = shares.max(axis=1)
    first = (shares == highest[:, None]).sum(axis=1)
    return highest, np.where(probabilities.of_truth == highest, 1.0 / first, 0.0)
