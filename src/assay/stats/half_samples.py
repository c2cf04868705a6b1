"""`HalfSample`: clusterings of the same items under one measure, and how their numbers stray on random halves of them.

Items cannot be drawn with replacement: copies of an item would share a cluster, which measures of pairs take for
agreement. Nor can two clusterings be swapped item by item, as clusters have no names in common. So there is no test:
the interval of the difference, from halves that both clusterings see, speaks for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np

from assay.core.errors import ParameterError
from assay.core.options import Method
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.estimates import NO_INTERVAL, SUBSAMPLING, standard_errors
from assay.stats.permutation import Alternative, Outcome
from assay.stats.samples import Contrast, Drawing, Pair, Sample
from assay.stats.tests import NO_TEST

#: So many halves are drawn at most: the measure is computed anew on each.
MOST_HALVES = 2_000
#: An interval rests on halves of which at least this share has a number.
KNOWN = 0.5
#: Beyond an end of an interval there are so many halves at least; where there are fewer, a normal curve alone tells.
_BEYOND = 3

#: How far halves deviate from their mean, on the scale of all items' error: halves x clusterings (by place).
Deviations: TypeAlias = Callable[[tuple[int, ...], Drawing], Floats]


def around(value: float, deviations: Floats, confidence: float) -> Interval:
    """The interval of a number whose error is spread as these deviations are; none if all of them are alike.

    Where few items matter, halves have few different numbers, and their quantiles are too near. So either end is that
    of the quantiles or that of a normal curve, whichever is farther out.

    >>> around(0.5, np.linspace(-0.1, 0.2, 301), 0.9)
    Interval(low=0.315, high=0.6429, level=0.9, method='subsampling')
    """
    known = deviations[~np.isnan(deviations)]
    if len(known) < max(2, KNOWN * len(deviations)) or np.ptp(known) == 0:
        return Interval.unknown(confidence, NO_INTERVAL)
    reach = standard_errors(confidence) * float(np.std(known))
    low, high = -reach, reach
    if (1 - confidence) / 2 * len(known) >= _BEYOND:
        below, above = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
        low, high = min(low, float(below)), max(high, float(above))
    return Interval(value - high, value - low, confidence, SUBSAMPLING)


def moved_items(before: Ints, after: Ints) -> int:
    """The number of items in another cluster, names aside: clusters are matched one to one for the fewest.

    >>> moved_items(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 2]))
    1
    """
    placed = parse_measure("ClusterAccuracy", "clustering").of(Contingency.from_labels(before, after))
    return round(len(before) * (1 - float(placed[0])))


@dataclass(frozen=True, eq=False)
class HalfSample(Sample):
    """Clusterings' numbers under a measure, why there is none, and what tells how they would stray on other items.

    `partitions` holds the place of each item's cluster, an array per clustering, numbered by where a cluster comes
    first; so two clusterings that differ in the names of clusters only have the same numbers.

    >>> from assay.measures import parse_measure
    >>> off = np.random.default_rng(0).normal(0, 0.01, (2000, 2))
    >>> places = np.repeat([0, 1], 10), np.repeat([0, 1], [4, 16])
    >>> sample = HalfSample(parse_measure("ARI", "clustering"), np.array([0.5, 0.6]), (None, None), places,
    ...                     lambda systems, drawing: off)
    >>> sample.intervals((0, 1), [0.95], Drawing(2000, seed=0))[0].low > 0.05, sample.moved(0, 1)
    (True, 6)
    """

    scorer: Measure
    numbers: Floats
    reasons: tuple[str | None, ...]
    partitions: tuple[Ints, ...]
    deviations: Deviations
    #: How small and how large each clustering's number can be, if that is more than the measure's bounds say.
    reach: tuple[tuple[float, float], ...] = ()

    decides_by: ClassVar[Literal["p", "interval"]] = "interval"

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.partitions[0])

    @property
    def observed(self) -> Floats:
        """Each clustering's number."""
        return self.numbers

    def undefined(self) -> list[str | None]:
        """Reasons why clusterings have no number, None where they have one."""
        return list(self.reasons)

    def only(self, *systems: int) -> Self:
        """Some of the clusterings, given by their places."""

        def deviations(places: tuple[int, ...], drawing: Drawing) -> Floats:
            return self.deviations(tuple(systems[place] for place in places), drawing)

        return replace(
            self,
            numbers=self.numbers[list(systems)],
            reasons=tuple(self.reasons[place] for place in systems),
            partitions=tuple(self.partitions[place] for place in systems),
            deviations=deviations,
            reach=tuple(self.reach[place] for place in systems) if self.reach else (),
            systems=self._names(systems),
        )

    def is_same(self, first: int, second: int) -> bool:
        """True if two clusterings put the same items together."""
        return bool(np.array_equal(self.partitions[first], self.partitions[second]))

    def redraws(self, drawing: Drawing, method: Method = "hull") -> Drawing:
        """The number of halves to draw."""
        return drawing._replace(resamples=min(drawing.resamples, MOST_HALVES))

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """The intervals of a clustering's number, within what is possible; or of a difference, from shared halves.

        Few items that moved tell no better from worse: even if a move were as likely to do good as harm, all of *m*
        would go the same way with the chance 2^(1 - m). As long as that is more than the interval may err, it holds 0.
        """
        if self.size < 2:
            return [Interval.unknown(level, method) for level in levels]
        if len(of) == 1:
            off = self.deviations(of, self.redraws(drawing))[:, 0]
            reach = self.reach[of[0]] if self.reach else self.scorer.definition.bounds
            return [around(float(self.numbers[of[0]]), off, level).within(reach) for level in levels]
        first, second = of
        apart = float(self.numbers[second] - self.numbers[first])
        off = self._apart(first, second, drawing)
        by_chance = 2.0 ** (1 - self.moved(first, second))
        found = [around(apart, off, level) for level in levels]
        return [_with_zero(interval) if by_chance > 1 - interval.level else interval for interval in found]

    def interval_notes(self) -> list[str]:
        """Halves of few items are drawn like those of many."""
        return []

    def moved(self, first: int, second: int) -> int:
        """The number of items that the second clustering puts into another cluster than the first, names aside."""
        if (first, second) not in self._moved:
            self._moved[first, second] = moved_items(self.partitions[first], self.partitions[second])
        return self._moved[first, second]

    @cached_property
    def _moved(self) -> dict[tuple[int, int], int]:
        return {}

    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        """The spread of an item's part in the difference, as far as halves tell; NaN where they do not."""
        off = self._apart(first, second, drawing)
        known = off[~np.isnan(off)]
        return float(np.std(known) * np.sqrt(self.size)) if len(known) > 1 else float("nan")

    def halves(self, first: int, second: int, drawing: Drawing) -> int:
        """The number of halves: of points, or of very many kinds of items, fewer than were asked for."""
        return len(self._apart(first, second, drawing))

    @property
    def tests(self) -> tuple[str, ...]:
        """There is none."""
        return (NO_TEST,)

    def why_not_test(self, test: str) -> str:
        """Refuse every test: the interval speaks."""
        raise ParameterError(
            f"{self.measure}: clusterings have no items to swap, as their clusters have no names in common: there is "
            f"no test of them, not {test} either; the interval speaks"
        )

    def test_words(self, outcome: Outcome) -> str:
        """A sentence that there is no test."""
        return "no test"

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        """The difference without a p-value, in place of a test's outcome."""
        return [
            Outcome(test, float(self.numbers[second] - self.numbers[first]), float("nan")) for first, second in pairs
        ]

    def _apart(self, first: int, second: int, drawing: Drawing) -> Floats:
        off = self.deviations((first, second), self.redraws(drawing))
        apart: Floats = off[:, 1] - off[:, 0]
        # What is added up in another order differs in the last digits, and is no difference.
        return np.where(np.abs(apart) <= 1e-12, 0.0, apart)


def _with_zero(interval: Interval) -> Interval:
    if not interval.is_known:
        return interval
    return interval._replace(low=min(interval.low, 0.0), high=max(interval.high, 0.0))
