"""`PooledSample`: counts that are summed over the units, and a formula on the sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from assay.measures.counting.judgments import Floats
from assay.measures.steps import PerUnit
from assay.stats.permutation import Alternative, Outcome, permutation_of_pooled, under_weights
from assay.stats.samples import Drawing, Pair
from assay.stats.weighted_samples import UnitSample

#: Where every swap is counted anew, so many numbers are added up at most for all pairs.
_MOST_COUNTED = 2_000_000_000
#: One-sided tests are of a pair at a time: so many swaps do.
_MOST_RECOUNTED = 10_000


@dataclass(frozen=True, eq=False)
class PooledSample(UnitSample):
    """Formulas on counts that are summed over the units, one formula per system.

    >>> from assay.measures.steps import quantity
    >>> half = quantity("found", [1, 0]) / quantity("retrieved", [1, 1])
    >>> PooledSample((half,)).observed
    array([0.5])
    """

    formulas: tuple[PerUnit, ...]

    made_of: ClassVar[str] = "summed counts"

    @property
    def size(self) -> int:
        """How many units there are."""
        return len(self.formulas[0].values)

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        numbers: Floats = self.reweighted(np.ones((1, self.size)))[0]
        return numbers

    def undefined(self) -> list[str | None]:
        """Why each system has no number, None where it has one."""
        return [formula.pooled().reason(0) for formula in self.formulas]

    def unit_values(self) -> Floats:
        """The numbers of units (rows) under systems (columns), NaN where there is none."""
        return np.column_stack([formula.values for formula in self.formulas])

    def reweighted(self, weights: Floats) -> Floats:
        """Each system's number (column) under each row of weights."""
        return np.column_stack([under_weights(formula, weights) for formula in self.formulas])

    @cached_property
    def without_each(self) -> Floats:
        """Each system's number (column) without each unit (row)."""

        def rest(counts: Floats) -> Floats:
            others: Floats = counts.sum() - counts
            return others

        return np.column_stack([formula.pooled(rest).values for formula in self.formulas])

    def only(self, *systems: int) -> Self:
        """Some of the systems, given by their places."""
        formulas = tuple(self.formulas[place] for place in systems)
        return replace(self, formulas=formulas, systems=self._names(systems))

    @property
    def tests(self) -> tuple[str, ...]:
        """Counts are swapped unit by unit, and summed again."""
        return ("permutation",)

    def why_not_test(self, test: str) -> str:
        """Why another test does not suit."""
        del test
        return f"{self.measure} is made of counts summed over all units"

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        del test
        most = _MOST_RECOUNTED
        if alternative == "two-sided":
            most = max(10_000, _MOST_COUNTED // (len(pairs) * self.size))
        fewer, formulas = min(drawing.resamples, most), self.formulas
        return [
            permutation_of_pooled(
                formulas[first], formulas[second], resamples=fewer, seed=drawing.seed, alternative=alternative
            )
            for first, second in pairs
        ]
