"""What systems' numbers are made of, unit by unit, so that units can be drawn anew.

Some numbers are means of the units' values (`Averaged`), others are made of counts summed over units (`Pooled`), of
labels (`Patterns`) or of scores (`ScoreSample`). All but the last answer the same question: what would each system's
number be if the units had these weights?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.counting.judgments import Floats
from assay.measures import definition
from assay.measures.steps import PerUnit
from assay.stats.label_samples import Patterns

#: How numbers of units are put together.
Summary: TypeAlias = definition.Summary


@dataclass(frozen=True, eq=False)
class Averaged:
    """One number a unit (row) and system (column), put together by the mean, the geometric mean or the sum.

    >>> Averaged(np.array([[0.5, 1.0], [0.0, 0.5]])).observed()
    array([0.25, 0.75])
    """

    values: Floats
    summary: Summary = "mean"

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.values)

    @property
    def additive(self) -> Floats:
        """The values on the scale on which they are averaged: logarithms, where the mean is a geometric one."""
        return np.log(self.values) if self.summary == "geometric" else self.values

    def observed(self) -> Floats:
        """Each system's number."""
        return self._put_together(self.additive.mean(axis=0))

    def of(self, weights: Floats) -> Floats:
        """Each system's number (column) under each row of weights."""
        # einsum, not @: its sums do not depend on how many threads there are.
        sums = np.einsum("rn,ns->rs", weights, self.additive)
        return self._put_together(sums / weights.sum(axis=1, keepdims=True))

    def without_each(self) -> Floats:
        """Each system's number (column) without each unit (row)."""
        additive = self.additive
        return self._put_together((additive.sum(axis=0) - additive) / max(self.units - 1, 1))

    def _put_together(self, means: Floats) -> Floats:
        if self.summary == "geometric":
            return np.exp(means)
        return means * self.units if self.summary == "sum" else means


@dataclass(frozen=True, eq=False)
class Pooled:
    """Formulas on counts that are summed over the units, one formula a system.

    >>> from assay.measures.steps import quantity
    >>> half = quantity("found", [1, 0]) / quantity("retrieved", [1, 1])
    >>> Pooled((half,)).observed()
    array([0.5])
    """

    formulas: tuple[PerUnit, ...]

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.formulas[0].values)

    def observed(self) -> Floats:
        """Each system's number."""
        numbers: Floats = self.of(np.ones((1, self.units)))[0]
        return numbers

    def of(self, weights: Floats) -> Floats:
        """Each system's number (column) under each row of weights."""

        def weighted(counts: Floats) -> Floats:
            sums: Floats = np.einsum("rn,n->r", weights, counts)
            return sums

        return np.column_stack([formula.pooled(weighted).values for formula in self.formulas])

    def without_each(self) -> Floats:
        """Each system's number (column) without each unit (row)."""

        def rest(counts: Floats) -> Floats:
            others: Floats = counts.sum() - counts
            return others

        return np.column_stack([formula.pooled(rest).values for formula in self.formulas])


#: What can be drawn anew by giving units other weights.
Sample: TypeAlias = Averaged | Pooled | Patterns
