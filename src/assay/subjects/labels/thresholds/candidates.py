"""The four cells at every threshold that can be chosen, also of items drawn anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.measures.counting.confusion import Confusion, Counted
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.scored import Scored
from assay.stats.score_resampling import drawn_items
from assay.subjects.labels.thresholds.groups import ItemGroups

#: Cells of resamples at a time: enough for NumPy, little for the processor's cache.
_BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class ThresholdCells:
    """True and false positives by threshold (last axis), of one table or of many; rates are NaN where they are 0/0.

    >>> cells = ThresholdCells(np.array([0, 1, 2]), np.array([0, 0, 1]), positives=2, negatives=1)
    >>> cells.tpr, cells.accuracy
    (array([0. , 0.5, 1. ]), array([0.3333, 0.6667, 0.6667]))
    """

    tp: Counted
    fp: Counted
    positives: Any
    negatives: Any

    @classmethod
    def of(cls, confusion: Confusion) -> ThresholdCells:
        """A single threshold's."""
        tn = confusion.tn if confusion.tn is not None else 0 * confusion.tp
        return cls(confusion.tp, confusion.fp, confusion.tp + confusion.fn, confusion.fp + tn)

    @cached_property
    def fn(self) -> Counted:
        """Positive items below the threshold."""
        return np.asarray(self.positives - self.tp)

    @cached_property
    def tn(self) -> Counted:
        """Negative items below the threshold."""
        return np.asarray(self.negatives - self.fp)

    @cached_property
    def predicted(self) -> Counted:
        """Items that are predicted positive."""
        return np.asarray(self.tp + self.fp)

    @cached_property
    def items(self) -> Any:
        """All items."""
        return self.positives + self.negatives

    @cached_property
    def tpr(self) -> Floats:
        """True positive rate, or recall."""
        return ratio(self.tp, self.positives)

    @cached_property
    def tnr(self) -> Floats:
        """True negative rate, or specificity."""
        return ratio(self.tn, self.negatives)

    @cached_property
    def fpr(self) -> Floats:
        """False positive rate."""
        return ratio(self.fp, self.negatives)

    @cached_property
    def precision(self) -> Floats:
        """The share of what is predicted positive that is."""
        return ratio(self.tp, self.predicted)

    @cached_property
    def accuracy(self) -> Floats:
        """The share of items that are decided rightly."""
        return ratio(self.tp + self.tn, self.items)


def ratio(part: Counted, whole: Any) -> Floats:
    """One number over another, NaN where there is nothing to divide by."""
    return np.asarray(part / np.where(whole > 0, whole, np.nan))


@dataclass(frozen=True, eq=False)
class Redrawn:
    """Items drawn anew, some resamples (rows) of them: running sums over each class, the lowest score first.

    `below`: how many items of each class are below each threshold.
    """

    sums: tuple[NDArray[Any], NDArray[Any]]
    below: tuple[Ints, Ints]

    def cells(self, places: Ints | None = None) -> ThresholdCells:
        """Counts at each threshold in each resample, or at some of them, by their places."""
        tp, fp = (
            total[:, -1:] - total.take(below if places is None else below[places], axis=1)
            for total, below in zip(self.sums, self.below, strict=True)
        )
        return ThresholdCells(tp, fp, self.sums[0][:, -1:], self.sums[1][:, -1:])

    def occurring(self, places: Ints) -> Ints:
        """The lowest score that was drawn among those not below each threshold (its place, a row a resample).

        It decides as the threshold does in that resample. Infinity if none was drawn; -1 stays as it is.
        """
        latest = np.zeros_like(places)
        for total, below in zip(self.sums, self.below, strict=True):
            least = np.take_along_axis(total, below[places], axis=1)
            item = np.stack(
                [np.searchsorted(row, limit, side="right") for row, limit in zip(total, least, strict=True)]
            )
            latest = np.maximum(latest, np.searchsorted(-below, 1 - item))
        return np.where(places >= 0, latest, -1)


@dataclass(frozen=True, eq=False)
class Candidates:
    """All thresholds that can be chosen, the highest first, and what each of them counts.

    Those are the scores that occur, and infinity: nothing is predicted positive.

    >>> Candidates(Scored.from_lists(positive=[0.9, 0.8], negative=[0.7])).threshold
    array([inf, 0.9, 0.8, 0.7])
    """

    scored: Scored
    groups: ItemGroups | None = None

    @property
    def threshold(self) -> Floats:
        """Scores, descending."""
        return self.scored.table.threshold

    @cached_property
    def cells(self) -> ThresholdCells:
        """Counts at each threshold."""
        table = self.scored.table
        return ThresholdCells(table.tp, table.fp, self.scored.positives, self.scored.negatives)

    @cached_property
    def _below(self) -> tuple[Ints, Ints]:
        """Numbers of positive and of negative items below each threshold, whatever they weigh."""
        scored = Scored(self.scored.positive, self.scored.negative) if self.scored.is_weighted else self.scored
        return scored.table.fn, scored.table.tn

    def place(self, threshold: float) -> int:
        """The place in the table of a threshold that need not be a score: the lowest score that it lets through.

        >>> Candidates(Scored.from_lists(positive=[0.9, 0.8], negative=[0.7])).place(0.75)
        2
        """
        return int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1

    @cached_property
    def corners(self) -> Ints:
        """The places below which only a negative item can come, and above which only a positive one: corners of ROC.

        In whatever way items are drawn anew, each other threshold has as many true positives as one of these and more
        false ones, or as many false positives and fewer true ones, or it decides alike.

        >>> Candidates(Scored.from_lists(positive=[0.9, 0.8, 0.6], negative=[0.7, 0.5])).corners
        array([0, 2, 4])
        """
        more_positive, more_negative = (np.diff(below) < 0 for below in self._below)
        return np.flatnonzero(
            np.append(True, more_positive) & np.append(more_negative, True) | (self.threshold == np.inf)
        )

    def drawn(self, resamples: int, seed: int) -> Iterator[Redrawn]:
        """Items drawn anew, in blocks of resamples."""
        scored = self.scored
        counts = len(scored.positive), len(scored.negative)
        draws = drawn_items(*counts, resamples, seed) if self.groups is None else self.groups.drawn(resamples, seed)
        rows = max(1, _BLOCK // sum(counts))
        weights = scored.positive_weight, scored.negative_weight
        while block := list(islice(draws, rows)):
            positive, negative = (
                _running(np.stack([draw[side] for draw in block]), weight) for side, weight in enumerate(weights)
            )
            yield Redrawn((positive, negative), self._below)


def _running(weights: NDArray[Any], weight: Floats | None) -> NDArray[Any]:
    """Running sums by row, starting with 0."""
    counted = weights if weight is None else weights * weight
    sums = np.zeros((len(counted), counted.shape[1] + 1), counted.dtype)
    np.cumsum(counted, axis=1, out=sums[:, 1:])
    return sums
