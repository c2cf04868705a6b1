"""`MatrixMargins`: sums and diagonals of many confusion matrices, as resamples give them; and how they are added up."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.measures.counting.confusion import Counted
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats, Ints

#: A part of a sum of weights that is smaller than this is what rounding leaves where there is nothing.
LEFT_BY_ROUNDING = 1e-12


class MatrixMargins(ConfusionMatrix):
    """Matrices of which only the sums and the diagonals are known: all that most measures ask for.

    `tables` holds these in three rows: the items of each true label, of each predicted one, and those predicted
    rightly. Of many labels they take a fraction of what the cells take.
    """

    def _shape(self) -> tuple[int, int, int]:
        return len(self.units), 3, len(self.labels)

    @cached_property
    def margins(self) -> tuple[Counted, Counted, Counted]:
        """Of units (rows) and labels (columns): how many items have the label, were predicted to, and both."""
        true, predicted, right = self.tables.transpose(1, 0, 2)
        return true, predicted, right

    @cached_property
    def items(self) -> Floats:
        """Items of each unit: their number, or their weight."""
        items: Floats = self.tables[:, 0].sum(axis=1)
        return items

    def cells(self) -> tuple[Counted, Counted, Counted, Counted]:
        """True and false positives, false and true negatives of each label against the rest: units by labels."""
        true, predicted, tp = self.margins
        total = self.items[:, None]
        fp, fn = (_without_rounding(each - tp, total) for each in (predicted, true))
        return tp, fp, fn, _without_rounding(total - tp - fp - fn, total)


def _without_rounding(amount: Counted, total: Floats) -> Floats:
    """The remainder of a sum of weights; 0 where only rounding left something, above 0 or below."""
    return np.where(amount > LEFT_BY_ROUNDING * total, amount, 0.0)


class CellSums(NamedTuple):
    """A sparse table that adds up patterns of items (columns) to confusion matrices.

    Its rows are the cells of a matrix, if it is to be `whole`; or else its margins: true labels, predicted labels, and
    labels that are predicted rightly.

    >>> sums = CellSums.of(("a", "b"), np.array([0, 1]), np.array([0, 0]))
    >>> sums.matrices(np.array([[5.0, 2.0]])).margins[1]  # predicted
    array([[7., 0.]])
    """

    labels: tuple[Any, ...]
    table: Any
    positive: int | None
    whole: bool

    @classmethod
    def of(
        cls, labels: tuple[Any, ...], truth: Ints, prediction: Ints, positive: int | None = None, *, whole: bool = False
    ) -> CellSums:
        """Of patterns that are given by the places of their labels."""
        from scipy import sparse  # noqa: PLC0415  # only resamples need it

        size = len(labels)
        every = np.arange(len(truth))
        right = np.flatnonzero(truth == prediction)
        rows = truth * size + prediction
        columns = every
        height = size**2
        if not whole:
            rows = np.concatenate([truth, size + prediction, 2 * size + truth[right]])
            height = 3 * size
            columns = np.concatenate([every, every, right])
        table = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(height, len(truth)))
        return cls(labels, table, positive, whole)

    def matrices(self, weights: Floats) -> ConfusionMatrix:
        """One matrix for each row of weights, which say how much of each pattern (column) there is."""
        return self.of_sums((self.table @ weights.T).T)

    def of_sums(self, sums: Floats) -> ConfusionMatrix:
        """One matrix for each row of sums, which are in the order of the rows of the table."""
        kind = ConfusionMatrix if self.whole else MatrixMargins
        tables = sums.reshape(len(sums), -1, len(self.labels))
        return kind(self.labels, tables, tuple(map(str, range(len(sums)))), self.positive)
