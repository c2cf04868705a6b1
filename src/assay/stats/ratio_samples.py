"""`RatioSample`: ratios of sums over users, who need not be the same under every system.

A click-through rate is clicks over pages, both summed over all pages; but pages of one user are alike, so what varies
is the user. The delta method gives a ratio its variance from the sums of each user, and Welch's test holds two ratios
of different users against one another. Users who were shown several systems bring their covariance into it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

import numpy as np

from assay.core.errors import number_of
from assay.core.options import Method
from assay.core.words import TESTS
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.steps import PerUnit
from assay.stats.bootstrap import FEWEST_DRAWN, intervals, weights
from assay.stats.estimates import ROUNDING, Estimate
from assay.stats.independent_samples import Gap, IndependentSample
from assay.stats.permutation import Alternative, Outcome
from assay.stats.samples import Drawing, Effects, Pair
from assay.stats.tests import Wins, cliffs_delta, wins
from assay.stats.verdict import MOST_WITHHELD
from assay.stats.weighted_samples import ordered, settled

#: The delta method is for many: below so many users, intervals come out too narrow.
FEW_USERS = 30
#: Permutations take turns in blocks of so many numbers; all of them together are no more than so many.
_BLOCK, _MOST_SHUFFLED = 4_000_000, 400_000_000
_FEWEST_SHUFFLED = 999
#: Statistics of permutations that come so near to what was observed count as reaching it.
_NEARLY = 1e-9


class RatioSums(NamedTuple):
    """The sums of one system's ratio: its units, and the numerator and denominator of each.

    Units with neither are left out: they have no part in the ratio.
    """

    who: Ints
    numerator: Floats
    denominator: Floats

    @classmethod
    def of(cls, formula: PerUnit, who: Ints) -> RatioSums:
        """The sums of a formula that is one division; a formula without a number has no units."""
        numerator, denominator = (part.values for part in formula.operands)
        kept = np.flatnonzero(((numerator != 0) | (denominator != 0)) & ~np.isnan(numerator) & ~np.isnan(denominator))
        return cls(who[kept], numerator[kept], denominator[kept])

    @property
    def ratio(self) -> float:
        """The ratio of the sums; NaN where nothing is counted."""
        counted = float(self.denominator.sum())
        return float(self.numerator.sum()) / counted if counted else math.nan

    def with_ratios(self) -> RatioSums:
        """The units that have a ratio of their own."""
        return RatioSums(*(column[self.denominator != 0] for column in self))

    @property
    def parts(self) -> Floats:
        """Contributions of units to the ratio, to first order: they add up to 0, and their squares to its variance."""
        off: Floats = (self.numerator - self.ratio * self.denominator) / self.denominator.sum()
        return off

    @property
    def variance(self) -> float:
        """The variance of the ratio by the delta method; of means, the square of their standard error."""
        units = len(self.who)
        known = units > 1 and not math.isnan(self.ratio)
        return float(units / (units - 1) * np.sum(self.parts**2)) if known else math.nan


def gap_of(first: RatioSums, second: RatioSums) -> Gap:
    """The difference of two ratios; without units in common Welch's, with all in common that of paired differences."""
    _, ours, theirs = np.intersect1d(first.who, second.who, assume_unique=True, return_indices=True)
    sizes = np.array([len(first.who), len(second.who)])
    variances = np.array([first.variance, second.variance])
    difference = second.ratio - first.ratio
    shared = len(ours)
    if (sizes < 2).any() or math.isnan(difference):
        return Gap(difference, math.nan, math.nan, shared)
    together = float(np.sum(first.parts[ours] * second.parts[theirs]) * np.sqrt(np.prod(sizes / (sizes - 1))))
    variance = float(variances.sum() - 2 * together)
    # What is left of variances that cancel is rounding.
    if variance <= 1e-12 * float(variances.sum()):
        variance = 0.0
    if shared:
        freedom = float(sizes.min() - 1)
    else:
        freedom = float(variance**2 / np.sum(variances**2 / (sizes - 1))) if variance else math.nan
    return Gap(difference, math.sqrt(variance), freedom, shared)


@dataclass(frozen=True, eq=False)
class RatioSample(IndependentSample):
    """Ratios of sums over units, each system with units of its own; some or all may be of several systems.

    >>> clicks, searches = np.array([1.0, 0, 2, 1]), np.array([2.0, 1, 4, 1])
    >>> first = RatioSums(np.arange(4), clicks, searches)
    >>> second = RatioSums(np.arange(4, 8), clicks[::-1] + 1, searches[::-1] + 1)
    >>> sample = RatioSample((first, second), systems=("old", "new"), measure="CTR", unit_kind="user")
    >>> sample.observed, sample.size, sample.tests[0]
    (array([0.5   , 0.6667]), 8, 'welch')
    """

    sums: tuple[RatioSums, ...]
    #: Why a system has no number.
    absences: tuple[str | None, ...] = ()
    #: How many units each system has, with those that have no part in its ratio; empty where nobody knows.
    people: tuple[int, ...] = ()

    made_of: ClassVar[str] = "sums over users"
    power_test: ClassVar[str] = "t test, with users divided between the systems as here"

    @cached_property
    def size(self) -> int:
        """The number of units, those of several systems once."""
        return len(np.unique(np.concatenate([each.who for each in self.sums])))

    @cached_property
    def observed(self) -> Floats:
        """Each system's ratio."""
        return np.array([each.ratio for each in self.sums])

    def undefined(self) -> list[str | None]:
        """Reasons why systems have no number, None where they have one."""
        reasons = self.absences or (None,) * len(self.sums)
        return [why if math.isnan(each.ratio) else None for each, why in zip(self.sums, reasons, strict=True)]

    def gap(self, first: int, second: int) -> Gap:
        """The second system's ratio less the first one's, and how far it may be off."""
        if (first, second) not in self._gaps:
            self._gaps[first, second] = gap_of(self.sums[first], self.sums[second])
        return self._gaps[first, second]

    @cached_property
    def _gaps(self) -> dict[Pair, Gap]:
        return {}

    def is_same(self, first: int, second: int) -> bool:
        """True if the same units have the same sums under both systems."""
        ours, theirs = self.sums[first], self.sums[second]
        if len(ours.who) != len(theirs.who):
            return False
        columns = ([each[np.argsort(side.who)] for each in side] for side in (ours, theirs))
        return all(np.array_equal(*pair) for pair in zip(*columns, strict=True))

    def alone(self, system: int) -> Gap:
        """A system's ratio, and how far it may be off."""
        sums = self.sums[system]
        return Gap(sums.ratio, math.sqrt(sums.variance), float(len(sums.who) - 1), 0)

    def units_of(self, system: int) -> int:
        """The number of units that have a part in a system's ratio."""
        return len(self.sums[system].who)

    def interval_notes(self) -> list[str]:
        """A note where units are too few for the delta method."""
        fewest = min(len(each.who) for each in self.sums)
        if not 0 < fewest < FEW_USERS:
            return []
        few = f"a system has {number_of(self.unit_kind, fewest)} only: with fewer than {FEW_USERS}"
        return [f"{few}, intervals are too narrow, and a permutation test is safer"]

    @property
    def tests(self) -> tuple[str, ...]:
        """Welch's test where systems have units of their own, the paired one where all units are the same."""
        shared = all(np.array_equal(np.sort(each.who), np.sort(self.sums[0].who)) for each in self.sums[1:])
        return ("t", "permutation") if shared and len(self.sums) > 1 else ("welch", "division")

    def why_not_test(self, test: str) -> str:
        """The reason why another test does not suit."""
        kind = self.unit_kind
        return f"{self.measure} is a ratio of sums over {kind}s, and systems may have different {kind}s"

    def synonym(self, test: str) -> str:
        """Of the same units, Welch's test is the paired one; of different ones, permutations divide them."""
        parametric, permuted = self.tests
        return {"t": parametric, "welch": parametric, "permutation": permuted}.get(test, test)

    def test_words(self, outcome: Outcome) -> str:
        """The name of the test, and the way it was made."""
        return f"{TESTS[outcome.test]}, {outcome.note}" if outcome.resamples is None else outcome.note

    def only(self, *systems: int) -> Self:
        """Some of the systems, given by their places."""
        reasons = tuple(self.absences[place] for place in systems) if self.absences else ()
        sums = tuple(self.sums[place] for place in systems)
        people = tuple(self.people[place] for place in systems) if self.people else ()
        return replace(self, sums=sums, absences=reasons, people=people, systems=self._names(systems))

    def incomparable(self, first: int, second: int) -> str:
        """The reason why two systems are not compared: far fewer of the one's units have a value.

        Each system has units of its own, so what is held against one another is the share of them.
        """
        if not self.people:
            return ""
        known = {place: len(self.sums[place].with_ratios().who) for place in (first, second)}
        for one, other in ((first, second), (second, first)):
            expected = self.people[one] * known[other] / self.people[other]
            if known[one] < (1 - MOST_WITHHELD) * expected - ROUNDING:
                parts = [
                    f"{known[place]:,} of the {number_of(self.unit_kind, self.people[place])} of {self.systems[place]}"
                    for place in (one, other)
                ]
                return f"only {parts[0]} have a value, against {parts[1]}"
        return ""

    def effects(self, first: int, second: int) -> Effects:
        """The overlap of the units' own ratios; won and lost are the units that both systems have."""
        ours, theirs = (self.sums[place].with_ratios() for place in (first, second))
        values = ours.numerator / ours.denominator, theirs.numerator / theirs.denominator
        _, here, there = np.intersect1d(ours.who, theirs.who, assume_unique=True, return_indices=True)
        record = wins(settled(np.column_stack([values[0][here], values[1][there]]))) if len(here) else Wins(0, 0, 0)
        return Effects(math.nan, cliffs_delta(*ordered(*values)), record)

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        return [self._test(pair, test, drawing, alternative) for pair in pairs]

    def _test(self, pair: Pair, test: str, drawing: Drawing, alternative: Alternative) -> Outcome:
        gap = self.gap(*pair)
        varies = not (self.is_same(*pair) or (gap.error == 0 and gap.difference == 0))
        if test in {"permutation", "division"} and varies and not math.isnan(gap.difference):
            first, second = (self.sums[place] for place in pair)
            return _permuted(first, second, gap, drawing, alternative)._replace(test=test)
        return self.t_test(pair, test, alternative)


def _permuted(first: RatioSums, second: RatioSums, gap: Gap, drawing: Drawing, alternative: Alternative) -> Outcome:
    """Deal the units out to the systems at random, as many to each; units of both systems swap their sums.

    The statistic is t, so that unequal spreads and unequal numbers of pages do no harm; where nothing varies within the
    systems, it is the difference.
    """
    ours, theirs = (np.isin(side.who, other.who) for side, other in ((first, second), (second, first)))
    alone = np.vstack([_columns(first)[~ours], _columns(second)[~theirs]])
    both = [_columns(side)[mask][np.argsort(side.who[mask])] for side, mask in ((first, ours), (second, theirs))]
    crossed = _crossed(both[0], both[1])
    dealt = np.arange(len(alone)) < np.count_nonzero(~ours)
    units = len(alone) + len(both[0])
    resamples = min(drawing.resamples, max(_FEWEST_SHUFFLED, _MOST_SHUFFLED // units))
    sizes = len(first.who), len(second.who)
    every = alone.sum(axis=0) + both[0].sum(axis=0) + both[1].sum(axis=0)
    studentised = gap.error > 0
    observed = gap.difference / gap.error if studentised else gap.difference
    rng = np.random.default_rng(drawing.seed)
    reached = 0
    done = 0
    while done < resamples:
        rows = min(resamples - done, max(1, _BLOCK // units))
        masks = rng.permuted(np.broadcast_to(dealt, (rows, len(dealt))), axis=1).astype(np.float64)
        swapped = rng.integers(0, 2, (rows, len(both[0]))).astype(np.float64)
        old = masks @ alone + both[0].sum(axis=0) + swapped @ (both[1] - both[0])
        products = crossed.sum(axis=0) + swapped @ (crossed[:, _SWAPPED] - crossed)
        statistic = _statistic((old, every - old), products, sizes, studentised=studentised)
        reached += int(np.count_nonzero(~(_beside(statistic, alternative) < _beside(observed, alternative) - _NEARLY)))
        done += rows
    how = "random divisions of the units" if not gap.shared else "random divisions and swaps of the units"
    return Outcome("permutation", float(observed), (reached + 1) / (resamples + 1), resamples, f"{resamples:,} {how}")


def _columns(sums: RatioSums) -> Floats:
    """Columns of the ratio and its variance, summed over any units."""
    above, below = sums.numerator, sums.denominator
    return np.column_stack([above, below, above**2, above * below, below**2])


def _crossed(first: Floats, second: Floats) -> Floats:
    """Parts of the covariance of two ratios: products of the columns of units that are of both systems."""
    return np.column_stack([first[:, 0] * second[:, 0], first[:, 0] * second[:, 1], first[:, 1] * second[:, 0],
                            first[:, 1] * second[:, 1]])  # fmt: skip


#: Where the columns of `_crossed` stand once the systems have changed places.
_SWAPPED = [0, 2, 1, 3]


def _statistic(sides: tuple[Floats, Floats], crossed: Floats, sizes: tuple[int, int], *, studentised: bool) -> Floats:
    """The difference of the ratios; over its error, if asked for."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [sums[:, 0] / sums[:, 1] for sums in sides]
        apart: Floats = ratios[1] - ratios[0]
        if not studentised:
            return apart
        variances = []
        for sums, ratio, size in zip(sides, ratios, sizes, strict=True):
            _, below, squares, products, below_squares = sums.T
            off = squares - 2 * ratio * products + ratio**2 * below_squares
            variances.append(size / (size - 1) * np.maximum(off, 0.0) / below**2)
        above, first_above, second_above, below = crossed.T
        together = above - ratios[1] * first_above - ratios[0] * second_above + ratios[0] * ratios[1] * below
        together *= math.prod(math.sqrt(size / (size - 1)) for size in sizes) / (sides[0][:, 1] * sides[1][:, 1])
        apart /= np.sqrt(np.maximum(variances[0] + variances[1] - 2 * together, 0.0))
        return apart


def _beside(statistic: Floats | float, alternative: Alternative) -> Floats:
    """The distance of a statistic from the null."""
    numbers = np.asarray(statistic, dtype=np.float64)
    if alternative == "two-sided":
        return np.abs(numbers)
    if alternative == "greater":
        return numbers
    return -numbers


#: Of more units than this nothing is drawn: the jackknife, which is the delta method, says the same.
MOST_DRAWN = 5_000


def ratio_of_sums(
    above: Floats,
    below: Floats,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """The sum of `above` over that of `below`, with an interval over the units, each of which has one of both.

    Units are drawn anew; of very many, the interval is the one of the delta method. Undefined where `below` adds up to
    0; without an interval where there are fewer than two units. `bounds`: what it cannot be below or above.

    >>> ratio_of_sums(np.array([1.0, 0.0, 2.0]), np.array([2.0, 1.0, 3.0])).value  # 3 / 6
    0.5
    """
    counted = below != 0
    above, below = above[counted], below[counted]
    if not len(below) or not below.sum():
        return Estimate(np.nan, np.nan, np.nan, "none", "nothing to divide by")
    value = float(above.sum() / below.sum())
    if len(below) < 2:
        return Estimate(value, np.nan, np.nan, "none", no_interval="one unit alone does not vary")
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (above.sum() - above) / (below.sum() - below)
    redraws = np.empty(0)
    if resamples and FEWEST_DRAWN <= len(below) <= MOST_DRAWN:
        # Sums of a fixed order, so that threads do not matter.
        redraws = np.concatenate(
            [
                np.einsum("ru,u->r", w, above) / np.einsum("ru,u->r", w, below)
                for w in weights(len(below), resamples, seed)
            ]
        )
    method: Method = "hull" if len(redraws) else "t"
    (interval,) = intervals(redraws, value, without, [confidence], method)
    interval = interval.within(bounds)
    return Estimate(value, interval.low, interval.high, interval.method, resamples=len(redraws))
