"""Samples whose units are drawn anew by giving them other weights; units with numbers, and summed counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple, Self

import numpy as np

from assay.core.errors import Note, number_of
from assay.core.options import Method
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.steps import PerUnit
from assay.stats.bootstrap import FEWEST_DRAWN, Interval, intervals, pattern_weights, weights
from assay.stats.estimates import ROUNDING
from assay.stats.permutation import Alternative, Outcome, permutation_of_pooled, under_weights
from assay.stats.samples import Contrast, Drawing, Effects, KnownUnits, Pair, Sample
from assay.stats.tests import cliffs_delta, wins

#: What a bootstrap may cost: so many numbers are drawn at most, but not fewer resamples than tell an interval's ends.
_DRAWS, _FEWEST_REDRAWN = 100_000_000, 200


class Redraws(NamedTuple):
    """Systems' numbers (rows): observed, in each resample, and without units; `counts` says without how many alike."""

    observed: Floats
    resampled: Floats
    without_each: Floats
    counts: Ints | None

    @classmethod
    def of(cls, sample: WeightedSample, drawing: Drawing) -> Redraws:
        """Draw units anew, so often."""
        numbers = np.empty((len(sample.observed), 0))
        if drawing.resamples:
            numbers = np.ascontiguousarray(sample.resampled(drawing).T)
        return cls(sample.observed, numbers, sample.without_each.T, sample.multiplicity)

    def intervals(self, of: Contrast, levels: Sequence[float], method: Method) -> list[Interval]:
        """The intervals of a system's number, or of a difference."""
        observed, resampled, without_each = (
            rows[of[0]] if len(of) == 1 else rows[of[1]] - rows[of[0]]
            for rows in (self.observed, self.resampled, self.without_each)
        )
        return intervals(resampled, float(observed), without_each, levels, method, counts=self.counts)


class WeightedSample(Sample):
    """A sample whose units are drawn anew by giving them other weights: means, summed counts, predicted labels."""

    @property
    @abstractmethod
    def without_each(self) -> Floats:
        """Each system's number (column) without each unit (row), or without one unit of each kind."""

    @abstractmethod
    def resampled(self, drawing: Drawing) -> Floats:
        """Each system's number (column) in each resample (row) of the units."""

    @property
    def multiplicity(self) -> Ints | None:
        """The number of units that each row of `without_each` stands for; None if one."""
        return None

    @property
    def redraw_cost(self) -> int:
        """The numbers that one resample of the units takes, of two systems."""
        return self.size

    def redraws(self, drawing: Drawing, method: Method = "hull") -> Drawing:
        """The number of resamples that are drawn.

        Less often than asked for where the units are very many, and their mean nearly normal; not at all for t
        intervals, and where units are too few for others.
        """
        if method == "t" or self.size < FEWEST_DRAWN:
            return drawing._replace(resamples=0)
        return drawing._replace(resamples=min(drawing.resamples, max(_FEWEST_REDRAWN, _DRAWS // self.redraw_cost)))

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """The intervals by bootstrap, by t or by both, no farther than the measure goes."""
        if self.size < 2:  # one unit says nothing about others
            return [Interval.unknown(level, method) for level in levels]
        redraws, places = self._redrawn(of, self.redraws(drawing, method))
        low, high = self._range(of)
        reach = (low, high) if len(of) == 1 else (low - high, high - low)
        return [interval.within(reach) for interval in redraws.intervals(places, levels, method)]

    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        """The spread of a unit's part in the difference: for means, the standard deviation of the differences.

        It is read off what the difference would be without each of the units, which serves other numbers, too.
        """
        if self.size < 2 or np.isnan(self.observed[[first, second]]).any():
            return float("nan")
        apart, counts = self._without_each_difference(first, second)
        if not len(apart):
            return float("nan")
        spread = (self.size - 1) * _deviation(apart, counts)
        rounding = ROUNDING * float(np.abs(self.observed[[first, second]]).max())
        return 0.0 if spread <= rounding else spread

    def _without_each_difference(self, first: int, second: int) -> tuple[Floats, Ints | None]:
        return self.without_each[:, second] - self.without_each[:, first], None

    def _redrawn(self, of: Contrast, drawing: Drawing) -> tuple[Redraws, Contrast]:
        """The resamples that hold these systems, and the rows in which they stand there: all share the same."""
        if drawing not in self._shared:
            self._shared[drawing] = Redraws.of(self, drawing)
        return self._shared[drawing], of

    @cached_property
    def _shared(self) -> dict[Drawing, Redraws]:
        return {}

    def _range(self, systems: Contrast) -> tuple[float, float]:
        """The range of the measure's numbers; as far as these systems' reach, which may not keep to it."""
        numbers = self.observed[list(systems)]
        least, most = self.bounds or (-np.inf, np.inf)
        return float(min(least, *numbers)), float(max(most, *numbers))


class UnitSample(WeightedSample):
    """The common part of means of units and of summed counts: units with numbers of their own."""

    @abstractmethod
    def unit_values(self) -> Floats:
        """The numbers of units (rows) under systems (columns), NaN where there is none."""

    @abstractmethod
    def reweighted(self, weights: Floats) -> Floats:
        """Each system's number (column) under each row of weights."""

    def resampled(self, drawing: Drawing) -> Floats:
        """Each system's number (column) in each resample (row) of the units.

        >>> from assay.stats.mean_samples import MeanSample
        >>> MeanSample(np.array([[1.0], [1.0]])).resampled(Drawing(2, seed=0))
        array([[1.],
               [1.]])
        """
        return np.concatenate([self.reweighted(block) for block in weights(self.size, *drawing)])

    def unit_differences(self, first: int, second: int) -> Floats:
        """The second system's number less the first one's, for the units where both have one."""
        values = self._scaled()[:, [first, second]]
        return settled(values[~np.isnan(values).any(axis=1)])

    def _scaled(self) -> Floats:
        """The numbers of units as they are compared."""
        return self.unit_values()

    def is_same(self, first: int, second: int) -> bool:
        """True if no unit differs between two systems, nor what is made of the units."""
        absent = np.isnan(self.unit_values()[:, [first, second]])
        alike = bool((absent[:, 0] == absent[:, 1]).all())
        same = self.difference(first, second) == 0
        return same and alike and not self.unit_differences(first, second).any()

    def effects(self, first: int, second: int) -> Effects:
        """Sizes of the difference, unit by unit."""
        values = self.unit_values()
        overlap = cliffs_delta(_known(values[:, first]), _known(values[:, second]))
        return Effects(np.nan, overlap, wins(self.unit_differences(first, second)))

    def value_notes(self) -> list[str]:
        """Notes on numbers that the measure cannot have."""
        (low, high), values = self.bounds or (-np.inf, np.inf), self.unit_values()
        outside = int(np.sum((values < low - ROUNDING) | (values > high + ROUNDING)))
        if not outside:
            return []
        return [Note.on(self.measure, f"{number_of('value', outside)} outside its range, {low:g} to {high:g}")]


def settled(values: Floats) -> Floats:
    """Differences of two columns; what is rounding, as when the same numbers are added in another order, is none.

    >>> settled(np.array([[0.3, 0.1 + 0.2], [0.25, 0.5]]))
    array([0.  , 0.25])
    """
    apart: Floats = values[:, 1] - values[:, 0]
    return np.where(np.abs(apart) <= ROUNDING * np.abs(values).max(axis=1, initial=0.0), 0.0, apart)


def ordered(*columns: Floats) -> list[Floats]:
    """The places of numbers in the order of all; numbers that differ by rounding only share a place.

    >>> ordered(np.array([0.3, 0.7]), np.array([0.1 + 0.2, 0.5]))
    [array([0., 2.]), array([0., 1.])]
    """
    every = np.concatenate(columns)
    order = np.argsort(every, kind="stable")
    steps = np.diff(every[order]) > ROUNDING * np.abs(every).max(initial=0.0)
    places = np.zeros(len(every))
    places[order[1:]] = np.cumsum(steps)
    return np.split(places, np.cumsum([len(column) for column in columns[:-1]]))


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _deviation(numbers: Floats, counts: Ints | None) -> float:
    """The standard deviation of the numbers that are known, each of which occurs so often."""
    if counts is None:
        return float(np.nanstd(numbers, ddof=1)) if len(_known(numbers)) > 1 else float("nan")
    known = ~np.isnan(numbers)
    numbers, counts = numbers[known], counts[known]
    items = counts.sum()
    if items < 2:
        return float("nan")
    off = numbers - np.sum(counts * numbers) / items
    return float(np.sqrt(np.sum(counts * off**2) / (items - 1)))


#: Where every swap is counted anew, so many numbers are added up at most for all pairs.
_MOST_COUNTED = 2_000_000_000
#: One-sided tests are of a pair at a time: so many swaps do.
_MOST_RECOUNTED = 10_000
#: Drawing how many units of a kind there are takes as long as drawing so many units.
COST_OF_A_COUNT = 20
#: Picking columns of a table costs as much as multiplying so many times as many.
_RARE = 0.1


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
        """The number of units."""
        return len(self.formulas[0].values)

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        numbers: Floats = self.reweighted(np.ones((1, self.size)))[0]
        return numbers

    def undefined(self) -> list[str | None]:
        """Reasons why systems have no number, None where they have one."""
        return [formula.pooled().reason(0) for formula in self.formulas]

    def known_units(self, first: int, second: int) -> KnownUnits | None:
        """On how many units each of two systems has a value, where they are means of these; sums are of all units."""
        return KnownUnits.of(~np.isnan(self.unit_values()[:, [first, second]])) if self.of_one_only else None

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
        """The reason why another test does not suit."""
        return f"{self.measure} is made of counts summed over all units"

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        most = _MOST_RECOUNTED
        if alternative == "two-sided":
            most = max(10_000, _MOST_COUNTED // (len(pairs) * self.size))
        fewer = min(drawing.resamples, most)
        formulas = self.formulas
        return [
            permutation_of_pooled(
                formulas[first], formulas[second], resamples=fewer, seed=drawing.seed, alternative=alternative
            )
            for first, second in pairs
        ]


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
        formulas = [self.formulas[system] for system in self._by_name(range(len(self.formulas)))]
        leaves = {id(leaf): leaf for formula in formulas for leaf in formula.leaves() if leaf.constant is None}
        code = np.zeros(self.size, dtype=np.int64)
        for leaf in leaves.values():  # column by column: sorting whole rows takes a hundred times as long
            value = np.unique(leaf.values, return_inverse=True)[1]
            code = np.unique(code * (value.max(initial=0) + 1) + value, return_inverse=True)[1]
        _, first, counts = np.unique(code, return_index=True, return_counts=True)
        return first, counts

    @property
    def multiplicity(self) -> Ints:
        """The number of units that each pattern stands for."""
        return self._patterns[1]

    @property
    def redraw_cost(self) -> int:
        """The numbers that one resample of the units takes."""
        return min(COST_OF_A_COUNT * len(self.multiplicity), self.size)

    def resampled(self, drawing: Drawing) -> Floats:
        """Each system's number (column) in each resample (row) of the units."""
        blocks = pattern_weights(self.multiplicity, *drawing)
        return np.concatenate([self._summed(partial(_added_up, block)) for block in blocks])

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


def _added_up(block: Floats, counts: Floats) -> Floats:
    """The sum of counts under each row of weights; of a rare category, nearly all counts are 0, and need no adding."""
    some = np.flatnonzero(counts)
    sums: Floats = block @ counts if len(some) > _RARE * len(counts) else block[:, some] @ counts[some]
    return sums
