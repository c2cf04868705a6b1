"""Measures of a classifier's probabilities: how far they are off, and whether they are right as often as they say."""

from __future__ import annotations

import numpy as np

from assay.core.errors import ParameterError, argument
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.probabilities import Probabilities
from assay.measures.definition import Binning, Bins, BinsName, Of, OfName, TopK
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity

#: A probability of 0 counts as this, so that one surprise does not cost infinitely much: as scikit-learn has it.
SMALLEST = float(np.finfo(np.float64).eps)
#: How many bins calibration is measured in, and drawn in, unless another number is asked for.
USUAL_BINS = 15
#: Measures that ask only which label has the higher score.
OF_ANY_SCORES = frozenset({"TopKAccuracy"})


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
    return squares / 2 if len(probabilities.labels) <= 2 else squares


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
    if probabilities.single and ((probabilities.scores < 0) | (probabilities.scores > 1)).any():
        raise ParameterError(
            "TopKAccuracy needs a score of each label: one score per item tells the other label's only if it is a "
            "probability, from 0 to 1"
        )
    above, tied = _above_and_tied(probabilities.scores, probabilities.of_truth)
    place = (k - quantity("labels with a higher score", above)) / quantity("labels with the same score", tied)
    return place.at_most(1).at_least(0)


@measure(aliases=("CalibrationError",), summary="pooled", higher_is_better=False, shown=("bins",))
def ECE(
    probabilities: Probabilities, *, bins: Bins = USUAL_BINS, binning: Binning = "width", of: Of = "auto"
) -> PerUnit:
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


@measure(aliases=("MaximumCalibrationError",), summary="pooled", higher_is_better=False, shown=("bins",))
def MCE(
    probabilities: Probabilities, *, bins: Bins = USUAL_BINS, binning: Binning = "width", of: Of = "auto"
) -> PerUnit:
    r"""Maximum calibration error: the largest distance of predicted probabilities from how often they come true.

    .. math:: \max_b \left| \bar{y}_b - \bar{p}_b \right|

    The bins are those of `ECE`. A bin with few items is off by chance: the more bins, the larger it gets. One number
    for all items.

    >>> MCE(bins=2).of(Probabilities.from_scores([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9]))  # |1/2 - 0.3|
    array([0.2])
    """
    return _in_bins(probabilities, bins, binning, of).max("gap")


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
    """The number of labels with a higher score than an item's own, and of those with the same."""
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
    """Bins of probabilities, from 0; on a border, the lower one.

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
    """Claimed probabilities of items, and how far they came true.

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
