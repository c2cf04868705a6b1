"""`Scored`: items with their scores and whether they are positive; all that measures of scores need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, ParameterError, number_of
from assay.measures.counting.confusion import Confusion, Counted
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.label_pairs import Column, column, weights_of
from assay.tables.label_arrays import is_matrix, unnested
from assay.tables.label_columns import refuse_no_threshold, series_of
from assay.tables.label_rules import both_labels, positive_label

if TYPE_CHECKING:
    from assay.tables.predictions import Predictions


def positives(y_true: Any, pos_label: Any = None) -> tuple[Mask, Any]:
    """A mask of the positive items, and the positive label; with `pos_label`, all other labels are negative.

    >>> positives(["spam", "ham", "spam"], pos_label="spam")
    (array([ True, False,  True]), 'spam')
    >>> positives([0, 0])[1]  # one class only: the other one is known
    1
    """
    labels = column(y_true, "y_true")
    if not len(labels):
        raise InputError("y_true: expected at least one item, got none")
    positive = positive_label(both_labels(_distinct(labels), pos_label), pos_label)
    if isinstance(labels, np.ndarray):
        return labels == positive, positive
    return (labels == positive).to_numpy(), positive


def scores_of(y_score: Any, name: str = "y_score") -> NDArray[Any]:
    """Scores, one per item, in their own type of number; not yet checked to be finite.

    >>> scores_of([3, 1])
    array([3, 1])
    """
    if (
        isinstance(y_score, np.ndarray)
        and not isinstance(y_score, np.ma.MaskedArray)
        and y_score.ndim == 1
        and y_score.dtype.kind in "iuf"
        and y_score.itemsize >= 4
    ):
        return y_score
    y_score = unnested(y_score, name)
    if is_matrix(y_score) and y_score.shape[1] != 1:
        shape = y_score.shape
        raise InputError(
            f"{name}: expected one score per item, got an array of shape {shape}: give the positive label's column"
        )
    scores = series_of(y_score, name)
    if nulls := scores.null_count():
        first = int(scores.is_null().arg_max() or 0)
        raise InputError(f"{name}: {number_of('null', nulls)}, the first at item {first + 1}: drop those items")
    if len(scores) and not (scores.dtype.is_numeric() or scores.dtype == pl.Boolean):
        raise InputError(f"{name}: expected numbers, got {scores[0]!r}")
    return (scores.cast(pl.UInt8) if scores.dtype == pl.Boolean else scores).to_numpy()


def refuse_not_finite(scores: NDArray[Any], name: str = "y_score") -> None:
    """Refuse the first score that is not a finite number, by its place."""
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        at = int(wrong[0])
        raise InputError(f"{name}: expected finite numbers, got {scores[at]} at item {at + 1} ({len(wrong):,} in all)")


def refuse_lengths(labels: int, scores: int, name: str = "y_score") -> None:
    """Refuse scores that are not as many as the labels."""
    if labels != scores:
        raise InputError(f"{name}: expected {number_of('score', labels)}, one for each label of y_true, got {scores:,}")


def _distinct(labels: Column) -> list[Any]:
    """The labels that occur, sorted. Two are found by comparing, many times as fast as by sorting or hashing."""
    if isinstance(labels, np.ndarray):
        ends = [labels.min(), labels.max()]
        if ends[0] == ends[1]:
            return [ends[0].item()]
        if sum(int(np.count_nonzero(labels == end)) for end in ends) == len(labels):
            return [end.item() for end in ends]
        return list(np.unique(labels).tolist())
    first = labels == labels[0]
    if first.all():
        return [labels[0]]
    other = labels[int((~first).arg_max() or 0)]
    if int(first.sum()) + int((labels == other).sum()) == len(labels):
        return sorted([labels[0], other])
    return sorted(labels.unique().to_list())


#: Scores in their own type of number, so that whole numbers stay exact.
Numbers = NDArray[Any]


class ScoreTable(NamedTuple):
    """Counts at each threshold: thresholds descending, the first one infinite, so that nothing is positive.

    An item is predicted positive if its score is at least the threshold.

    >>> Scored.from_lists(positive=[0.9, 0.8], negative=[0.7]).table
    ScoreTable(threshold=array([inf, 0.9, 0.8, 0.7]), tp=array([0, 1, 2, 2]), fp=array([0, 0, 0, 1]))
    """

    threshold: Floats
    tp: Counted
    fp: Counted

    @property
    def fn(self) -> Counted:
        """Positive items below the threshold."""
        return _rest(self.tp)

    @property
    def tn(self) -> Counted:
        """Negative items below the threshold."""
        return _rest(self.fp)

    @property
    def tpr(self) -> Floats:
        """The share of positive items that are predicted positive; NaN if there is no positive item."""
        return _share(self.tp)

    @property
    def fpr(self) -> Floats:
        """The share of negative items that are predicted positive; NaN if there is no negative item."""
        return _share(self.fp)

    def thinned(self) -> ScoreTable:
        """Without the thresholds in the middle of a straight line of the ROC curve: the same curve, fewer points.

        >>> Scored.from_lists(positive=[0.9, 0.8, 0.6], negative=[0.7]).table.thinned().threshold
        array([inf, 0.8, 0.7, 0.6])
        """
        right, up = np.diff(self.fp), np.diff(self.tp)
        stays = (right == 0) & (up == 0)  # nothing that has a weight is at this threshold
        if stays.any():
            moves = np.flatnonzero(np.append(True, ~stays))
            return ScoreTable(*(column[moves] for column in self)).thinned()
        bends = right[1:] * up[:-1] != right[:-1] * up[1:]
        keep = np.flatnonzero(np.concatenate([[True], bends, [True]])) if len(right) > 1 else np.arange(len(self.tp))
        return ScoreTable(self.threshold[keep], self.tp[keep], self.fp[keep])

    def to_frame(self) -> pl.DataFrame:
        """The table with all four cells and both rates.

        >>> Scored.from_lists([0.9], [0.1]).table.to_frame().columns
        ['threshold', 'tp', 'fp', 'fn', 'tn', 'tpr', 'fpr']
        """
        names = ("threshold", "tp", "fp", "fn", "tn", "tpr", "fpr")
        return pl.DataFrame({name: getattr(self, name) for name in names})


class Won(NamedTuple):
    """Of all pairs of a positive and a negative item: where the positive one has the higher score, and where both tie.

    Items with weights count as the product of their weights.
    """

    wins: float
    ties: float


class _Merged(NamedTuple):
    """The distinct scores, ascending, and at which of them each positive and each negative item stands."""

    distinct: Numbers
    positive: Ints
    negative: Ints


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of positive and of negative items, each ascending, with weights if items have them.

    Two sorts are all it takes; what else is asked of scores is found by looking the ones up among the others. Scores
    are finite; -0.0 is 0.0. Whole numbers are compared exactly, also beyond 2^53, where only thresholds in a `table`,
    which are 64-bit floating point, look alike.

    >>> scored = Scored.from_scores(["spam", "ham", "spam"], [0.9, 0.7, 0.8], pos_label="spam")
    >>> scored.positive, scored.negative
    (array([0.8, 0.9]), array([0.7]))
    """

    unit_kind: ClassVar[str] = "table"
    vocabularies: ClassVar[tuple[str, ...]] = ("binary", "multiclass")
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "the scores of positive and of negative items"
    units: ClassVar[tuple[str, ...]] = ("all",)

    positive: Numbers
    negative: Numbers
    positive_weight: Floats | None = None
    negative_weight: Floats | None = None

    def __post_init__(self) -> None:
        for name, scores, weight in (
            ("positive", self.positive, self.positive_weight),
            ("negative", self.negative, self.negative_weight),
        ):
            if scores.ndim != 1 or scores.dtype.kind not in "iuf" or not (scores[1:] >= scores[:-1]).all():
                raise ParameterError(f"{name} is made of numbers that ascend")
            if weight is not None and weight.shape != scores.shape:
                raise ParameterError(f"{name}_weight is one weight for each of {number_of('score', len(scores))}")
        if (self.positive_weight is None) != (self.negative_weight is None):
            raise ParameterError("either both positive and negative items have weights, or none")

    @classmethod
    def from_scores(cls, y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> Scored:
        """Sort the scores of the positive items and those of the others.

        >>> Scored.from_scores([1, 0, 1], [3, 2, 2]).positive
        array([2, 3])
        """
        truth, _ = positives(y_true, pos_label)
        scores = scores_of(y_score)
        refuse_lengths(len(truth), len(scores))
        weight = None if sample_weight is None else weights_of(sample_weight, len(scores))
        if weight is not None:
            refuse_not_finite(scores)
            return cls(*_sorted_with_weights(scores, weight, truth))
        # Picking rows by number is three times as fast as by a mask.
        sides = [np.sort(scores[np.flatnonzero(which)]) for which in (truth, ~truth)]
        for side in sides:  # what is not finite is at the ends now
            if len(side) and not (np.isfinite(side[0]) and np.isfinite(side[-1])):
                refuse_not_finite(scores)
        return cls(*(_widened(side) for side in sides))

    @classmethod
    def from_predictions(cls, predictions: Predictions) -> Scored:
        """Sort the scores of one system's predictions, of two labels.

        >>> from assay.tables.predictions import Predictions
        >>> Scored.from_predictions(Predictions.of([1, 0, 1], y_score=[0.9, 0.7, 0.8])).negative
        array([0.7])
        """
        frame = predictions.columns
        if "score" not in frame.columns:
            raise InputError(f"{predictions.name}: there are no scores, one for each item, to make a curve of")
        weight = frame["weight"] if "weight" in frame.columns else None
        return cls.from_scores(frame["truth"], frame["score"], pos_label=predictions.positive, sample_weight=weight)

    @classmethod
    def from_lists(cls, positive: Sequence[float], negative: Sequence[float]) -> Scored:
        """Make one by hand, for examples: the scores of the positive items, and those of the negative ones.

        >>> Scored.from_lists(positive=[0.9, 0.8], negative=[0.7]).positive
        array([0.8, 0.9])
        """
        truth = np.repeat([True, False], [len(positive), len(negative)])
        return cls.from_scores(truth, [*positive, *negative])

    def reweighted(self, positive: Floats, negative: Floats) -> Scored:
        """The same scores, each counting so often, times the weight it has: a resample, for one.

        >>> Scored.from_lists([0.9, 0.8], [0.7]).reweighted(np.array([0.0, 2.0]), np.array([1.0])).table.tp
        array([0., 2., 2., 2.])
        """
        if self.positive_weight is not None and self.negative_weight is not None:
            positive, negative = positive * self.positive_weight, negative * self.negative_weight
        scored = replace(self, positive_weight=positive, negative_weight=negative)
        scored.__dict__["_merged"] = self._merged  # where the scores stand does not change: nothing is looked up again
        return scored

    @property
    def is_weighted(self) -> bool:
        """True if items have weights."""
        return self.positive_weight is not None

    @property
    def positives(self) -> float:
        """The number of positive items: their total weight, if they have weights."""
        return _total(self.positive, self.positive_weight)

    @property
    def negatives(self) -> float:
        """The number of negative items: their total weight, if they have weights."""
        return _total(self.negative, self.negative_weight)

    def at(self, threshold: float) -> Confusion:
        """Count the decisions that a threshold makes: positive is predicted from the threshold on.

        >>> Scored.from_lists(positive=[0.9, 0.8], negative=[0.7]).at(0.8).tp
        array([2])
        """
        refuse_no_threshold(threshold)
        tp, fn = _split_at(self.positive, self.positive_weight, threshold)
        fp, tn = _split_at(self.negative, self.negative_weight, threshold)
        tables = {name: np.array([cell]) for name, cell in {"tp": tp, "fp": fp, "fn": fn, "tn": tn}.items()}
        return Confusion(self.units, **tables, unit_kind=self.unit_kind)

    @cached_property
    def won(self) -> Won:
        """In how many pairs the positive item has the higher score, and how many are ties.

        >>> Scored.from_lists(positive=[0.9, 0.7], negative=[0.7, 0.1]).won
        Won(wins=3, ties=1)
        """
        # The smaller class is looked up among the larger one.
        swapped = len(self.positive) > len(self.negative)
        few, many = (self.negative, self.positive) if swapped else (self.positive, self.negative)
        below, not_above = places(few, many)
        if self.positive_weight is None or self.negative_weight is None:
            smaller, reached = int(below.sum()), int(not_above.sum())
            return Won(len(few) * len(many) - reached if swapped else smaller, reached - smaller)
        weight, others = self.positive_weight, self.negative_weight
        weight, others = (others, weight) if swapped else (weight, others)
        running = np.append(0.0, np.cumsum(others))
        above = running[-1] - running[not_above]
        pairs = self.positives * self.negatives
        # Sums of weights are rounded: no more pairs are won or tied than there are.
        wins = min(float(weight @ (above if swapped else running[below])), pairs)
        return Won(wins, min(float(weight @ (running[not_above] - running[below])), pairs - wins))

    @cached_property
    def table(self) -> ScoreTable:
        """Counts at each threshold, from the highest score to the lowest; made when it is first asked for.

        >>> Scored.from_lists(positive=[0.9, 0.7], negative=[0.7]).table.fp
        array([0, 0, 1])
        """
        if self.positive_weight is None or self.negative_weight is None:
            return _score_table(self.positive, self.negative)
        distinct, positive, negative = self._merged
        tp = np.bincount(positive, weights=self.positive_weight, minlength=len(distinct))
        fp = np.bincount(negative, weights=self.negative_weight, minlength=len(distinct))
        return _descending(distinct, np.cumsum(tp[::-1]), np.cumsum(fp[::-1]))

    @cached_property
    def _merged(self) -> _Merged:
        merged, is_positive = _in_one(self.positive, self.negative)
        starts = np.append(True, merged[1:] != merged[:-1])[: len(merged)]
        group = np.cumsum(starts) - 1
        return _Merged(merged[starts], group[is_positive], group[~is_positive])


def places(scores: Numbers, among: Numbers) -> tuple[Ints, Ints]:
    """For each score how many of the others, which ascend, are smaller, and how many are not larger.

    >>> places(np.array([1, 2]), among=np.array([0, 2, 2, 3]))
    (array([1, 1]), array([1, 3]))
    """
    below = np.searchsorted(among, scores)
    if not len(among):
        return below, below
    # Most scores tie with none of the others: only those that do are looked up a second time.
    tied = np.flatnonzero(among[np.minimum(below, len(among) - 1)] == scores)
    if not len(tied):
        return below, below
    not_above = below.copy()
    not_above[tied] = np.searchsorted(among, scores[tied], side="right")
    return below, not_above


def _in_one(positive: Numbers, negative: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Both sorted arrays as one, ascending, and which of its items are positive."""
    swapped = len(positive) > len(negative)
    few, many = (negative, positive) if swapped else (positive, negative)
    at = np.searchsorted(many, few) + np.arange(len(few))
    is_few = np.zeros(len(few) + len(many), dtype=np.bool_)
    is_few[at] = True
    merged = np.empty(len(is_few), dtype=np.result_type(few, many))
    merged[at] = few
    merged[np.flatnonzero(~is_few)] = many
    return merged, ~is_few if swapped else is_few


def _score_table(positive: Numbers, negative: Numbers) -> ScoreTable:
    """Positive and negative items from each score on."""
    merged, is_positive = _in_one(positive, negative)
    last = np.append(True, merged[1:] != merged[:-1])[: len(merged)]
    starts = np.flatnonzero(last)[::-1]  # where each distinct score starts, the highest first
    before = np.append(0, np.cumsum(is_positive))[starts]
    return _descending(merged[starts[::-1]], len(positive) - before, len(negative) - (starts - before))


def _descending(distinct: Numbers, tp: Counted, fp: Counted) -> ScoreTable:
    """A table of distinct scores that ascend and counts that are already from the highest on."""
    threshold = np.empty(len(distinct) + 1)
    threshold[0] = np.inf
    threshold[1:] = distinct[::-1]
    threshold += 0.0  # -0.0 becomes 0.0
    return ScoreTable(threshold, np.concatenate([[0], tp]), np.concatenate([[0], fp]))


def _sorted_with_weights(
    scores: Numbers, weight: Floats, truth: NDArray[np.bool_]
) -> tuple[Numbers, Numbers, Floats, Floats]:
    """Scores and weights of both classes; items without weight are not there."""
    sides = []
    for which in (truth, ~truth):
        rows = np.flatnonzero(which & (weight > 0))
        rows = rows[np.lexsort((weight[rows], scores[rows]))]  # ties in an order that is not that of the rows
        sides.append((_widened(scores[rows]), weight[rows]))
    (positive, positive_weight), (negative, negative_weight) = sides
    return positive, negative, positive_weight, negative_weight


def _widened(scores: Numbers) -> Numbers:
    """Small types of number are sorted as they are, which is fast, and then compared as 64-bit ones."""
    if scores.dtype.kind == "f":
        return scores.astype(np.float64, copy=False)
    return scores if scores.dtype == np.uint64 else scores.astype(np.int64, copy=False)


def _split_at(scores: Numbers, weight: Floats | None, threshold: float) -> tuple[float, float]:
    """The number of scores from the threshold on, and of those below."""
    if scores.dtype.kind == "f":
        below = int(np.searchsorted(scores, threshold))
    else:  # a whole number is at least 2.5 if it is at least 3; compared as such, large ones stay exact
        ends = np.iinfo(scores.dtype)
        if threshold > ends.max:
            below = len(scores)
        else:
            least = max(math.ceil(threshold), ends.min) if math.isfinite(threshold) else ends.min
            below = int(np.searchsorted(scores, np.array(least, dtype=scores.dtype)))
    if weight is None:
        return len(scores) - below, below
    return float(weight[below:].sum()), float(weight[:below].sum())


def _rest(counts: Counted) -> Counted:
    rest: Counted = counts[-1] - counts
    return rest


def _share(counts: Counted) -> Floats:
    total = counts[-1]
    return counts / total if total > 0 else np.full(len(counts), np.nan)


def _total(scores: Numbers, weight: Floats | None) -> float:
    return len(scores) if weight is None else float(weight.sum())
