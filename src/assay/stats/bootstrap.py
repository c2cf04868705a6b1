"""Intervals: by bootstrap, by t or by both, and of proportions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import special

from assay.core.errors import ParameterError
from assay.core.options import Method
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.stats.estimates import (
    ROUNDING,
    checked_confidence,
    standard_errors,
)

#: Numbers drawn at a time: enough for NumPy, little for the memory. Part of the result: blocks use up the seed in turn.
_BLOCK = 1 << 20
#: So many weights of a group are summed by the normal limit, where none of them is above their mean by more than this
#: share of the spread of the group's sum: what the limit leaves out, skewness, is about as small.
_MANY_WEIGHTS = 500

_MOST_APART = 0.05
#: Of fewer units than this, resamples say next to nothing: intervals of 4 that rest on them hold the truth 76 to 87
#: times in 100, those of t 83 to 95 times.
FEWEST_DRAWN = 5


class Interval(NamedTuple):
    """An interval of a number, with its confidence."""

    low: float
    high: float
    level: float
    method: str

    @classmethod
    def unknown(cls, level: float, method: str = "none") -> Interval:
        """No interval: the number is undefined, or nothing is known of how it varies.

        >>> Interval.unknown(0.95).is_known
        False
        """
        return cls(np.nan, np.nan, level, method)

    @classmethod
    def by_t(cls, value: float, error: float, freedom: float, level: float, method: str) -> Interval:
        """The interval around a number with such a standard error; none where the error is not above 0.

        >>> Interval.by_t(0.4, 0.05, 19, 0.95, "t")
        Interval(low=0.2953, high=0.5047, level=0.95, method='t')
        """
        if not error > 0 or freedom < 1:
            return cls.unknown(level, method)
        reach = float(special.stdtrit(freedom, (1 + level) / 2)) * error
        return cls(value - reach, value + reach, level, method)

    @property
    def is_known(self) -> bool:
        """True if there is an interval: a number that is undefined has none."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def is_beside_zero(self) -> bool:
        """True if it is known and 0 lies outside of it.

        >>> Interval(0.01, 0.03, 0.95, "bca").is_beside_zero, Interval(-0.01, 0.03, 0.95, "bca").is_beside_zero
        (True, False)
        """
        return self.is_known and (self.low > 0 or self.high < 0)

    def with_all_of(self, other: Interval) -> Interval:
        """The shortest interval that holds both; the same where there is no other.

        >>> Interval(0.1, 0.3, 0.95, "hull").with_all_of(Interval(0.0, 0.2, 0.95, "t"))
        Interval(low=0.0, high=0.3, level=0.95, method='hull')
        """
        return self._replace(low=min(self.low, other.low), high=max(self.high, other.high)) if other.is_known else self

    def within(self, bounds: tuple[float, float] | None) -> Interval:
        """The interval within a measure's range; the same where there is none.

        >>> Interval(0.9, 1.1, 0.95, "t").within((0.0, 1.0))
        Interval(low=0.9, high=1.0, level=0.95, method='t')
        """
        if bounds is None or not self.is_known:
            return self
        return self._replace(low=max(self.low, bounds[0]), high=min(self.high, bounds[1]))


def weights(units: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Draws of each unit (column) in each resample (row), block by block.

    >>> next(weights(units=3, resamples=2, seed=0)).sum(axis=1)
    array([3., 3.])
    """
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // units)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = rng.integers(units, size=(count, units)) + units * np.arange(count)[:, None]
        yield np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units).astype(np.float64)


def pattern_weights(counts: Ints, resamples: int, seed: int, *, cells: int = 0) -> Iterator[Floats]:
    """Draws of items of each pattern (column) in each resample (row), block by block.

    Where items are many to a pattern the counts themselves are drawn, which is the same and does not look at items.
    `cells`: how many numbers are made of each resample, where that is more; blocks are then smaller.

    >>> next(pattern_weights(np.array([100, 200]), resamples=2, seed=0)).sum(axis=1)
    array([300., 300.])
    """
    items = int(counts.sum())
    rng = np.random.default_rng(seed)
    drawn_by_count = 8 * len(counts) <= items
    rows = max(1, _BLOCK // max(len(counts) if drawn_by_count else items, cells))
    pattern = None if drawn_by_count else np.repeat(np.arange(len(counts)), counts)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        if pattern is None:
            yield rng.multinomial(items, counts / items, size=count).astype(np.float64)
            continue
        drawn = pattern[rng.integers(items, size=(count, items))] + len(counts) * np.arange(count)[:, None]
        often = np.bincount(drawn.ravel(), minlength=count * len(counts))
        yield often.reshape(count, len(counts)).astype(np.float64)


def group_weights(
    group: Ints, weight: Floats, counts: Ints, resamples: int, seed: int, *, cells: int = 0
) -> Iterator[Floats]:
    """Weights of all items of each group (column) in each resample (row), block by block.

    Items are given by patterns: the `group` of each, 0 and up in order, what its items weigh, and how many there are.
    Where a group has very many different weights, those that do not stand out are not drawn item by item: how many of
    them there are is drawn, and what they weigh together from the normal distribution that such sums have in the limit.

    >>> weight = np.array([1.0, 2.0, 1.0])
    >>> next(group_weights(np.array([0, 0, 1]), weight, np.array([2, 3, 5]), resamples=3, seed=0)).shape
    (3, 2)
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    light = _not_outstanding(group, weight, counts, starts)
    if not light.any():
        for drawn in pattern_weights(counts, resamples, seed, cells=cells):
            yield np.add.reduceat(drawn * weight, starts, axis=1)
        return
    smooth, place = np.unique(group[light], return_inverse=True)
    items, sums = (np.bincount(place, counts[light] * one) for one in (1, weight[light]))
    mean = sums / items
    spread = np.sqrt(np.bincount(place, counts[light] * (weight[light] - mean[place]) ** 2) / items)
    single = np.repeat(np.flatnonzero(~light), counts[~light])
    shares = np.append(len(single), items) / counts.sum()
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // max(len(single), len(starts), cells))
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        often = rng.multinomial(counts.sum(), shares, size=count)
        row = np.repeat(np.arange(count), often[:, 0])
        which = single[rng.integers(len(single), size=len(row))] if len(single) else row
        sums = np.bincount(row * len(starts) + group[which], weight[which], count * len(starts))
        block = sums.astype(np.float64).reshape(count, len(starts))  # without any item, they are whole numbers
        often = often[:, 1:]
        limit = often * mean + np.sqrt(often) * spread * rng.standard_normal(often.shape)
        block[:, smooth] += np.maximum(limit, 0)  # beside a weight that dwarfs them all, the limit may fall below
        yield block


def _not_outstanding(group: Ints, weight: Floats, counts: Ints, starts: Ints) -> Mask:
    """Patterns whose weights can be summed by the normal limit."""
    items, sums, squares = (np.add.reduceat(counts * weight**power, starts) for power in (0, 1, 2))
    most = sums / items + _MOST_APART * np.sqrt(squares)
    light: Mask = weight <= most[group]
    return light & (np.bincount(group[light], minlength=len(starts)) >= _MANY_WEIGHTS)[group]


def intervals(
    resampled: Floats,
    observed: float,
    without_each: Floats,
    levels: Sequence[float],
    method: Method = "hull",
    *,
    counts: Ints | None = None,
) -> list[Interval]:
    """The intervals of a number, at one level or more.

    `percentile` takes the quantiles of the resamples; `bca` shifts them for bias and skewness, for which it wants the
    number `without_each` of the units. Resamples of few units vary too little: as the t distribution has heavier tails
    than the normal one, both methods go further out, the more so the fewer units there are. `t` takes the standard
    error from the numbers without each unit (jackknife), which for a mean is the usual one. No single method holds what
    it promises for 20 units: t misses the long tail of skewed numbers, and bca is too narrow where many units are
    alike, such as differences of 0. So `hull` reaches from the lower of their low ends to the higher of their high
    ends. Of fewer than 5 units, every method gives the t interval, or none where all units are alike.

    `counts`: how many units each row of `without_each` stands for, where that is not one.

    >>> resampled = np.arange(1000) / 1000
    >>> intervals(resampled, 0.5, np.linspace(0.4, 0.6, 1001), levels=[0.9], method="percentile")
    [Interval(low=0.0497, high=0.9493, level=0.9, method='percentile')]
    >>> intervals(np.empty(0), 2.0, np.array([2.5, 2.0, 1.5]), levels=[0.95])  # of 1, 2 and 3
    [Interval(low=-0.4841, high=4.4841, level=0.95, method='t')]
    """
    if np.isnan(observed):
        return [Interval.unknown(level, method) for level in levels]
    units = len(without_each) if counts is None else int(counts.sum())
    often = np.ones(len(without_each)) if counts is None else counts[: len(without_each)].astype(np.float64)
    defined = ~np.isnan(without_each)
    others, often = without_each[defined], often[defined]
    off = np.sum(often * others) / max(often.sum(), 1) - others
    students = _students(observed, off, often, levels)
    if units < FEWEST_DRAWN:
        return [
            one if one.high - one.low > ROUNDING * abs(observed) else Interval.unknown(one.level, "t")
            for one in students
        ]
    if method == "t":
        return students
    known = resampled[~np.isnan(resampled)]
    # A number that a unit more or less undoes, and that is the same wherever it is defined, has no spread to speak of.
    if not len(known) or (not defined.all() and np.ptp(known) <= ROUNDING * abs(observed)):
        return [Interval.unknown(level, method) for level in levels]
    tails = np.array([_expanded(level, units) for level in levels])
    if method != "percentile":
        tails = _shifted(tails, known, observed, off, often)
    ends = _quantiles(known, tails)
    drawn = [Interval(float(low), float(high), level, method) for (low, high), level in zip(ends, levels, strict=True)]
    return drawn if method != "hull" else [one.with_all_of(t) for one, t in zip(drawn, students, strict=True)]


def percentiles(values: Floats, level: float) -> Interval:
    """The middle of the values, of those that are numbers.

    >>> percentiles(np.arange(101.0), level=0.9)
    Interval(low=5.0, high=95.0, level=0.9, method='percentile')
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return Interval.unknown(level, "percentile")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, "percentile")


def _students(observed: float, off: Floats, often: Floats, levels: Sequence[float]) -> list[Interval]:
    """The t intervals, with the error that the numbers without each unit tell by how far they are off (jackknife)."""
    units = float(often.sum())
    if units < 2:
        return [Interval.unknown(level, "t") for level in levels]
    error = float(np.sqrt((units - 1) / units * np.sum(often * off**2)))
    reaches = [_reach(level, units) * error for level in levels]
    return [
        Interval(observed - reach, observed + reach, level, "t") for reach, level in zip(reaches, levels, strict=True)
    ]


@cache
def _reach(level: float, units: float) -> float:
    """The reach of a t interval of so many units to either side, in standard errors."""
    return float(special.stdtrit(units - 1, (1 + level) / 2))


@cache
def _expanded(level: float, units: int) -> tuple[float, float]:
    """The levels of the two quantiles: normal tails moved out to where those of t lie (Hesterberg 2015)."""
    reach = np.sqrt(units / (units - 1)) * _reach(level, units)
    return float(special.ndtr(-reach)), float(special.ndtr(reach))


def _quantiles(numbers: Floats, tails: Floats) -> Floats:
    """Between two numbers, in proportion, as quantiles usually are; only those next to them are put in their place."""
    place = tails * (len(numbers) - 1)
    beside = np.unique([np.floor(place), np.ceil(place)]).astype(np.int64)
    return np.interp(place, beside, np.partition(numbers, beside)[beside])


def _shifted(tails: Floats, resampled: Floats, observed: float, off: Floats, often: Floats) -> Floats:
    """Efron's correction of the quantiles' levels for bias and acceleration."""
    nearly = ROUNDING * max(abs(observed), abs(float(resampled.min())), abs(float(resampled.max())))
    below, not_above = (np.count_nonzero(resampled < end) for end in (observed - nearly, observed + nearly))
    share = (below + not_above) / 2 / len(resampled)
    if not 0 < share < 1:  # all resamples on one side: there is nothing to correct by
        return tails
    bias = special.ndtri(share)
    spread = np.sum(often * off**2) ** 1.5
    acceleration = np.sum(often * off**3) / (6 * spread) if spread > 0 else 0.0
    far_out = (tails == 0) | (tails == 1)  # at levels next to 1, so far that there is nothing to shift
    z = bias + special.ndtri(np.where(far_out, 0.5, tails))
    shifted: Floats = special.ndtr(bias + z / (1 - acceleration * z))
    return np.where(far_out, tails, shifted)


def wilson(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval: all proportions that a test would not reject. Good for few trials and near 0 and 1.

    >>> wilson(8, 10)
    Interval(low=0.4902, high=0.9433, level=0.95, method='wilson')
    >>> wilson(10, 10).low
    0.7225
    """
    checked_confidence(confidence)
    if not 0 <= successes <= trials:
        raise ParameterError(f"expected from 0 to {trials:g} successes in {trials:g} trials, got {successes:g}")
    if not trials:
        return Interval.unknown(confidence, "wilson")
    z2 = standard_errors(confidence) ** 2
    share = successes / trials
    middle = share + z2 / (2 * trials)
    reach = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2)))
    low, high = ((middle + side * reach) / (1 + z2 / trials) for side in (-1, 1))
    # Rounding may leave a trifle where the end is 0 or 1 exactly.
    return Interval(
        0.0 if not successes else max(low, 0.0), 1.0 if successes == trials else min(high, 1.0), confidence, "wilson"
    )
