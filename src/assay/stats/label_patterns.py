"""`LabelPatterns`: items with predicted labels, grouped, so that they can be drawn anew and left out.

Items with the same truth and the same predictions cannot be told apart by a label measure. So items are grouped by
these, and what is drawn at random is how often each pattern occurs: the same distribution as drawing items, at a cost
that does not grow with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.over_classes import overall
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.stats.bootstrap import group_weights, pattern_weights
from assay.stats.samples import Contrast, Drawing
from assay.stats.weighted_samples import Redraws, WeightedSample

#: Cells of confusion matrices held at a time.
_CELLS = 1 << 22
#: Leaving out each item in turn is not tried where it takes more cells than this.
_MOST_LEFT_OUT = 1_000_000_000


#: Drawing how many items of a pattern there are takes as long as drawing so many items.
_COST_OF_A_COUNT = 20


@dataclass(frozen=True, eq=False)
class LabelPatterns(WeightedSample):
    """Items grouped by their true label and what each system predicted, under one measure.

    `truth` and `predicted` are places among the `labels`: one row a pattern, and of `predicted` one column a system.
    `counts` is how many items have the pattern, `weight` what each of them weighs (None: 1), `pattern` which one each
    item has.

    >>> from assay.measures import parse_measure
    >>> from assay.stats.label_samples import LabelSample
    >>> truth, predicted = np.array([0, 1, 1, 1]), np.array([[0, 0], [1, 1], [0, 1], [0, 1]])
    >>> sample = LabelSample.of_items(parse_measure("Accuracy", "binary"), ("no", "yes"), truth, predicted, positive=1)
    >>> sample.observed, sample.counts
    (array([0.5, 1. ]), array([1, 2, 1]))
    """

    scorer: Measure
    labels: tuple[Any, ...]
    truth: Ints
    predicted: Ints
    counts: Ints
    pattern: Ints
    weight: Floats | None = None
    positive: int | None = None

    @classmethod
    def of_items(
        cls,
        measure: Measure,
        labels: tuple[Any, ...],
        truth: Ints,
        predicted: Ints,
        *,
        weight: Floats | None = None,
        positive: int | None = None,
    ) -> Self:
        """Group items, given by the places of their labels; `predicted` has a column for each system."""
        every = np.arange(len(truth), dtype=np.int64)
        ungrouped = cls(measure, labels, truth, predicted, np.ones(len(truth), np.int64), every, weight, positive)
        return ungrouped._grouped()

    def _grouped(self) -> Self:
        """Patterns that are alike made one; in the order of their labels, whatever the order of the items."""
        keys = [self.truth, *self.predicted.T, *(() if self.weight is None else (self.weight,))]
        frame = pl.DataFrame([pl.Series(f"key{number}", key) for number, key in enumerate(keys)])
        names, rows = frame.columns, frame.with_columns(count=pl.Series(self.counts), row=pl.int_range(pl.len()))
        found = rows.group_by(names).agg(pl.col("count").sum(), pl.col("row")).sort(names)
        new = np.empty(len(self.truth), dtype=np.int64)
        place = np.repeat(np.arange(found.height), found["row"].list.len().to_numpy())
        new[found["row"].explode().to_numpy()] = place
        columns = [found[name].to_numpy() for name in names]
        last = 1 + self.predicted.shape[1]
        return replace(
            self,
            truth=columns[0],
            predicted=np.column_stack(columns[1:last]),
            counts=found["count"].to_numpy().astype(np.int64),
            pattern=new[self.pattern],
            weight=None if self.weight is None else columns[last],
        )

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self.pattern)

    @property
    def cost(self) -> int:
        """How many numbers one resample of the items takes."""
        return max(min(_COST_OF_A_COUNT * len(self.counts), self.size), len(self.labels) ** 2)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Whether each system (column) is right about a pattern (row)."""
        right: NDArray[np.bool_] = self.predicted == self.truth[:, None]
        return right

    def unit_values(self) -> Floats:
        """1 where a system (column) is right about an item (row), 0 where it is wrong."""
        values: Floats = self.right[self.pattern].astype(np.float64)
        return values

    def only(self, *systems: int) -> Self:
        """Some of the systems, with what they cannot tell apart grouped anew: two have far fewer patterns than ten."""
        if list(systems) == list(range(self.predicted.shape[1])):
            return self
        chosen = self.predicted[:, list(systems)]
        return replace(self, predicted=chosen, systems=self._names(systems))._grouped()

    def whatever_they_weigh(self) -> Self:
        """The patterns of labels alone, for sums of weights; `pattern` is then which one each of these patterns has."""
        every = np.arange(len(self.counts), dtype=np.int64)
        return replace(self, weight=None, pattern=every)._grouped()

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        numbers: Floats = self.of(self.counts[None].astype(np.float64))[0]
        return numbers

    def of(self, weights: Floats) -> Floats:
        """Each system's number (column) where the patterns occur so often (columns), row by row."""
        heavy = weights if self.weight is None else weights * self.weight
        return np.column_stack([self._numbers(cells, heavy) for cells in self._cells])

    def undefined(self) -> list[str | None]:
        """Why each system has no number, None where it has one."""
        weights = self.counts if self.weight is None else self.counts * self.weight
        size = len(self.labels) ** 2
        tables = np.stack([np.bincount(cells, weights, size) for cells in self._cells])
        return self._results(tables.astype(np.float64)).reasons()

    @cached_property
    def without_each(self) -> Floats:
        """Each system's number (column) without one item of each pattern (row).

        There are no rows where that is too much work: with very many labels.
        """
        size = len(self.labels) ** 2
        if len(self.counts) * size > _MOST_LEFT_OUT and len(set(self._cells.ravel().tolist())) * size > _MOST_LEFT_OUT:
            return np.empty((0, len(self._cells)))
        lighter = np.ones(len(self.counts)) if self.weight is None else self.weight
        return np.column_stack([self._without(cells, lighter) for cells in self._cells])

    def _without(self, cells: Ints, lighter: Floats) -> Floats:
        """One system's number without one item of each pattern; items of one cell and weight leave the same table."""
        size, total = len(self.labels) ** 2, np.bincount(cells, lighter * self.counts, len(self.labels) ** 2)
        taken, place = np.unique(np.column_stack([cells, lighter]), axis=0, return_inverse=True)
        values = np.empty(len(taken))
        rows = max(1, _CELLS // size)
        for start in range(0, len(taken), rows):
            part = taken[start : start + rows]
            tables = np.repeat(total[None], len(part), axis=0)
            tables[np.arange(len(part)), part[:, 0].astype(np.int64)] -= part[:, 1]
            # Of weights that are taken away again, a little less than nothing may be left.
            values[start : start + rows] = self._measured(np.maximum(tables, 0))
        return values[place.ravel()]

    @property
    def multiplicity(self) -> Ints:
        """How many items each pattern has."""
        return self.counts

    @property
    def redraw_cost(self) -> int:
        """Two systems are drawn at a time: all together would have more patterns than need be."""
        return self.only(*range(min(2, self.predicted.shape[1]))).cost

    def resampled(self, drawing: Drawing) -> Floats:
        """Each system's number (column) in each resample (row) of the items."""
        if self.weight is None:
            return np.concatenate([self.of(block) for block in pattern_weights(self.counts, *drawing)])
        alike = self.whatever_they_weigh()
        blocks = group_weights(alike.pattern, self.weight, self.counts, *drawing)
        return np.concatenate([alike.of(block) for block in blocks])

    def is_same(self, first: int, second: int) -> bool:
        """Whether two systems predict the same label for every item."""
        return bool((self.predicted[:, first] == self.predicted[:, second]).all())

    def _without_each_difference(self, first: int, second: int) -> tuple[Floats, Ints | None]:
        two = self.only(first, second)
        return np.diff(two.without_each, axis=1)[:, 0], two.counts

    def _redrawn(self, of: Contrast, drawing: Drawing) -> tuple[Redraws, Contrast]:
        places: Contrast = (0,) if len(of) == 1 else (0, 1)
        return Redraws.of(self.only(*of), drawing), places

    @cached_property
    def _cells(self) -> Ints:
        """Which cell of its confusion matrix a pattern falls into, for each system (row)."""
        cells: Ints = np.ascontiguousarray((self.truth[:, None] * len(self.labels) + self.predicted).T)
        return cells

    def _numbers(self, cells: Ints, weights: Floats) -> Floats:
        """One system's number under each row of weights."""
        size = len(self.labels) ** 2
        order = np.argsort(cells, kind="stable")
        filled, starts = np.unique(cells[order], return_index=True)
        rows = max(1, _CELLS // max(size, len(cells)))
        values = []
        for start in range(0, len(weights), rows):
            # Sums of a fixed order, not a threaded product: the same number on every machine.
            sums = np.add.reduceat(weights[start : start + rows, order], starts, axis=1)
            tables = np.zeros((len(sums), size))
            tables[:, filled] = sums
            values.append(self._measured(tables))
        return np.concatenate(values)

    def _measured(self, tables: Floats) -> Floats:
        """The measure of each confusion matrix, given as a row of cells."""
        return self._results(tables).values

    def _results(self, tables: Floats) -> PerUnit:
        shape = (len(tables), len(self.labels), len(self.labels))
        units = tuple(map(str, range(len(tables))))
        matrix = ConfusionMatrix(self.labels, tables.reshape(shape), units, self.positive)
        return overall(self.scorer, matrix)


def right_and_wrong(sample: LabelPatterns, systems: Sequence[int]) -> Ints:
    """How many items the first of two systems, and the second, is right about: a 2 x 2 table, rows the first's.

    >>> from assay.measures import parse_measure
    >>> from assay.stats.label_samples import LabelSample
    >>> truth, predicted = np.array([0, 1, 1, 1]), np.array([[0, 0], [1, 1], [0, 1], [0, 1]])
    >>> sample = LabelSample.of_items(parse_measure("Accuracy", "binary"), ("no", "yes"), truth, predicted, positive=1)
    >>> right_and_wrong(sample, (0, 1))  # wrong and right; the second alone is right about two items
    array([[0, 2],
           [0, 2]])
    """
    first, second = (sample.right[:, system].astype(np.int64) for system in systems)
    return np.bincount(2 * first + second, sample.counts, 4).astype(np.int64).reshape(2, 2)
