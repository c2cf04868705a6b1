"""`PatternSample`: summed counts of units many of which are alike, drawn anew kind by kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.measures.counting.judgments import Floats, Ints
from assay.stats.bootstrap import pattern_weights
from assay.stats.samples import Drawing
from assay.stats.weighted_samples import PooledSample

#: Drawing how many units of a kind there are takes as long as drawing so many units.
_COST_OF_A_COUNT = 20


@dataclass(frozen=True, eq=False)
class PatternSample(PooledSample):
    """Formulas on summed counts, where units with the same counts are one pattern: the cost grows with the patterns.

    >>> from assay.measures.steps import quantity
    >>> half = quantity("found", [1, 0] * 50) / quantity("retrieved", [1] * 100)
    >>> sample = PatternSample((half,))
    >>> sample.multiplicity, sample.intervals((0,), [0.95], Drawing(1000, seed=0))[0].low < 0.45
    (array([50, 50]), True)
    """

    @cached_property
    def _patterns(self) -> tuple[Ints, Ints]:
        """The first unit of each pattern, and how many units have it."""
        leaves = {id(leaf): leaf for formula in self.formulas for leaf in formula.leaves() if leaf.constant is None}
        code = np.zeros(self.size, dtype=np.int64)
        for leaf in leaves.values():  # column by column: sorting whole rows takes a hundred times as long
            value = np.unique(leaf.values, return_inverse=True)[1]
            code = np.unique(code * (value.max(initial=0) + 1) + value, return_inverse=True)[1]
        _, first, counts = np.unique(code, return_index=True, return_counts=True)
        return first, counts

    @property
    def multiplicity(self) -> Ints:
        """How many units each pattern stands for."""
        return self._patterns[1]

    @property
    def redraw_cost(self) -> int:
        """How many numbers one resample of the units takes."""
        return min(_COST_OF_A_COUNT * len(self.multiplicity), self.size)

    def resampled(self, drawing: Drawing) -> Floats:
        """Each system's number (column) in each resample (row) of the units."""
        blocks = pattern_weights(self.multiplicity, *drawing)
        return np.concatenate([self._summed(block.__matmul__) for block in blocks])

    @cached_property
    def without_each(self) -> Floats:
        """Each system's number (column) without one unit of each pattern (row)."""
        often = self.multiplicity
        return self._summed(lambda counts: often @ counts - counts)

    def _without_each_difference(self, first: int, second: int) -> tuple[Floats, Ints | None]:
        return self.without_each[:, second] - self.without_each[:, first], self.multiplicity

    def _summed(self, add_up: Callable[[Floats], Floats]) -> Floats:
        """Each system's number (column), from counts of the patterns added up in each of several ways (row)."""
        first = self._patterns[0]
        return np.column_stack(
            [formula.pooled(lambda counts: add_up(counts[first])).values for formula in self.formulas]
        )
