"""Samples of folds, which share what they learn from: tests that allow for it, and settings chosen anew.

Models of different folds have learned from mostly the same items, so their numbers vary less from fold to fold than
they would from one data set to the next. A paired t test of folds takes the small variation for certainty. Two remedies
are here: Nadeau and Bengio's corrected variance, for any number of folds and repeats, and Alpaydin's F test for five
repeats of two folds.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from assay.core.domains import Choice
from assay.core.errors import ParameterError, number_of
from assay.core.options import Method
from assay.measures.counting.judgments import Floats, Ints
from assay.stats.bootstrap import Interval, weights
from assay.stats.estimates import ROUNDING
from assay.stats.mean_samples import MeanSample
from assay.stats.permutation import Alternative, Outcome
from assay.stats.power import smallest_detectable
from assay.stats.samples import Contrast, Drawing, Pair
from assay.stats.tests import SIMULTANEOUS, TESTS, d_z

#: How intervals by the corrected variance are called.
CORRECTED_T = "corrected t"
#: And those of the differences that the 5x2cv test does not reject.
FROM_F = "5x2cv F"
#: The tests over folds, by the names that `CrossValidation.compare` takes.
FOLD_TESTS = ("corrected-t", "5x2cv")
#: Tests of units that are drawn independently of one another, which folds are not.
_PLAIN = ("paired-t", *TESTS, *SIMULTANEOUS)
#: Repeats and folds that the 5x2cv test is made for.
_SHAPE = (5, 2)

#: One size for all folds, or one each.
Sizes: TypeAlias = int | float | Sequence[int] | Floats


class CorrectedT(NamedTuple):
    """The outcome of the corrected resampled t test.

    `difference`: the mean over folds. `error`: its standard error, corrected. `share`: how many items are tested for
    each one that is learned from.
    """

    outcome: Outcome
    difference: float
    error: float
    freedom: int
    share: float

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the difference; none where the error is not known."""
        return Interval.by_t(self.difference, self.error, self.freedom, level, CORRECTED_T)


class FiveByTwo(NamedTuple):
    """The outcome of the combined F test of five repeats of two folds.

    `difference`: the mean over folds; `squares`: their squared differences, added up. `variances`: how much the two
    folds of each repeat differ from their mean, squared and added up.
    """

    outcome: Outcome
    difference: float
    squares: float
    variances: Floats

    def interval(self, level: float = 0.95) -> Interval:
        """All true differences that the F test would not reject; none where it would reject every one.

        The test is asked of differences moved by a constant. That makes a parabola, whose middle is their mean.
        """
        reach = 2 * float(special.fdtri(10, 5, level)) * float(self.variances.sum())
        room = (reach - (self.squares - 10 * self.difference**2)) / 10
        if not self.variances.any() or room < 0:
            return Interval.unknown(level, FROM_F)
        half = math.sqrt(room)
        return Interval(self.difference - half, self.difference + half, level, FROM_F)


def corrected_t(differences: Floats, train: Sizes, test: Sizes) -> CorrectedT:
    """Nadeau and Bengio's corrected resampled t test of the mean of folds' differences.

    Of J folds the variance of the mean is taken to be (1/J + test/train) times that of the differences, and not 1/J of
    it; there are J - 1 degrees of freedom. For folds in r repeats, J counts all of them. `train` and `test` are numbers
    of items, of all folds or of each; where folds are unequal, the mean of their ratios counts, and the note says so.
    There is no p-value (NaN) of a single fold, and none where all differences are alike; if all are 0, it is 1.

    >>> found = corrected_t(np.array([0.02, 0.04, 0.01, 0.03, 0.05]), train=80, test=20)
    >>> found.outcome  # 0.03 / sqrt((1/5 + 20/80) · 0.00025)
    Outcome(test='corrected-t', statistic=2.83, p=0.047, resamples=None,
            note='4 degrees of freedom, tested to learned 0.25', sign=None)
    >>> found.interval(0.95)
    Interval(low=0.0006, high=0.0594, level=0.95, method='corrected t')
    """
    values = _numbers(differences, "differences")
    share, unequal = _share(train, test, len(values))
    freedom = len(values) - 1
    mean = float(values.mean())
    error = _error(values, share)
    basis = f"{number_of('degree', freedom)} of freedom, tested to learned {share:.3g}"
    note = f"{basis} (mean over unequal folds)" if unequal else basis
    outcome = _without_spread("corrected-t", values)
    if outcome is None:
        t = mean / error
        outcome = Outcome("corrected-t", t, 2 * float(special.stdtr(freedom, -abs(t))), None, note)
    return CorrectedT(outcome, mean, error, freedom, share)


def interval_of_mean(values: Floats, share: float, level: float = 0.95) -> Interval:
    """The interval of one model's mean over folds, by the same corrected variance.

    `share`: how many items are tested for each one that is learned from. Folds without a number (NaN) are left out.
    There is no interval of fewer than two folds, nor of folds that are all alike.

    >>> interval_of_mean(np.array([0.8, 0.9, 0.85, 0.95, 0.9]), 0.25)  # 0.88 ± 2.776 · 0.057 · sqrt(0.45)
    Interval(low=0.7738, high=0.9862, level=0.95, method='corrected t')
    """
    known = np.asarray(values)[~np.isnan(values)]
    if len(known) < 2 or not math.isfinite(share):
        return Interval.unknown(level, CORRECTED_T)
    return Interval.by_t(float(known.mean()), _error(known, share), len(known) - 1, level, CORRECTED_T)


def five_by_two(differences: Any) -> FiveByTwo:
    """The test for five repeats (rows) of two folds (columns): Alpaydin's combined F.

    With s² of a repeat, the squared deviations of its two differences from their mean, F is the sum of all ten squared
    differences over twice the sum of s², with 10 and 5 degrees of freedom.

    >>> found = five_by_two([[0.02, 0.04], [0.03, 0.01], [0.02, 0.03], [0.05, 0.02], [0.01, 0.03]])
    >>> found.outcome.statistic, found.outcome.p  # 0.0082 / (2 · 0.0011)
    (3.727, 0.079)
    """
    table = _as_numbers(differences, "differences")
    if table.shape != _SHAPE:
        shape = " x ".join(map(str, table.shape)) or "one number"
        raise ParameterError(f"5x2cv takes differences of 5 repeats of 2 folds each (5 x 2), not {shape}")
    values = _numbers(table.ravel(), "differences")
    variances = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    # Folds that differ by rounding alone are alike.
    variances[variances <= (ROUNDING * np.abs(table).max()) ** 2] = 0.0
    squares = float((values**2).sum())
    return FiveByTwo(_combined_f(values, squares, variances), float(values.mean()), squares, variances)


def checked_fold_test(test: str) -> str:
    """A test over folds by name; plain tests of units are refused, and it is said why.

    >>> checked_fold_test("corrected-t")
    'corrected-t'
    >>> checked_fold_test("wilcoxon")
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: a plain wilcoxon test of folds is refused: folds share what they learn from, so it
    finds differences that are not there; use corrected-t, or 5x2cv on five repeats of two folds
    """
    if test in _PLAIN:
        raise ParameterError(
            f"a plain {test} test of folds is refused: folds share what they learn from, so it finds differences that "
            "are not there; use corrected-t, or 5x2cv on five repeats of two folds"
        )
    Choice(FOLD_TESTS).check("test over folds", test)
    return test


def _combined_f(values: Floats, squares: float, variances: Floats) -> Outcome:
    if not values.any():
        return Outcome.of_no_difference("5x2cv")
    if not variances.any():
        return Outcome("5x2cv", math.nan, math.nan, None, "no p-value: the folds of each repeat are alike")
    f = squares / (2 * float(variances.sum()))
    return Outcome("5x2cv", f, float(special.fdtrc(10, 5, f)), None, "10 and 5 degrees of freedom")


def _without_spread(test: str, values: Floats) -> Outcome | None:
    """The outcome of a test where there is no spread to hold the mean against."""
    if not values.any():
        return Outcome.of_no_difference(test)
    if len(values) == 1:
        return Outcome(test, math.nan, math.nan, None, "no p-value: one fold has no spread")
    if math.isnan(d_z(values)):
        return Outcome(test, math.nan, math.nan, None, "no p-value: all differences are alike")
    return None


def _error(values: Floats, share: float) -> float:
    """The corrected standard error of a mean of folds; NaN without spread."""
    if len(values) < 2 or float(values.std(ddof=1)) <= ROUNDING * float(np.abs(values).max()):
        return math.nan
    return math.sqrt((1 / len(values) + share) * float(values.var(ddof=1)))


def _as_numbers(values: Any, what: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{what}: expected numbers, got {values!r}") from None


def _numbers(differences: Any, what: str) -> Floats:
    values = _as_numbers(differences, what)
    if values.ndim != 1 or not len(values):
        raise ParameterError(f"{what}: expected one number per fold, got an array of shape {values.shape}")
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        raise ParameterError(f"{what}: expected numbers, got {values[place - 1]} in fold {place}")
    return values


def _share(train: Sizes, test: Sizes, folds: int) -> tuple[float, bool]:
    """Items tested for each one learned from, the mean over folds, and whether folds are unequal."""
    learned, tested = (np.atleast_1d(_as_numbers(*sizes)) for sizes in ((train, "train"), (test, "test")))
    for name, sizes in (("train", learned), ("test", tested)):
        if sizes.ndim != 1 or len(sizes) not in {1, folds}:
            raise ParameterError(f"{name}: expected one size, or one per fold ({folds}), got {len(sizes)}")
        if not (np.isfinite(sizes) & (sizes > 0)).all():
            raise ParameterError(f"{name}: expected numbers of items above 0, got {sizes.min():g}")
    ratios = tested / learned
    return float(ratios.mean()), bool(np.ptp(ratios) > ROUNDING * ratios.max())


#: How the interval and the test are called.
RETUNED, RETUNED_T = "retuned bootstrap", "retuned t"
#: Numbers held at a time: resamples x folds x settings. Part of the result: blocks use up the seed in turn.
_BLOCK = 1 << 22


class Choices(NamedTuple):
    """Units (rows) under settings (columns), larger numbers being better, and the place of each unit's fold.

    >>> units = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])  # others choose the first setting, or tie
    >>> Choices(units, np.array([0, 1, 2])).values(np.ones((1, 3)))  # (0 + 1 + 1) / 3
    array([0.6667])
    """

    numbers: Floats
    fold_of: Ints

    def values(self, weighted: Floats) -> Floats:
        """The number after choosing, for each row of weights, which units have on either side.

        Of settings that tie, the first is taken: sums that differ by rounding only are the same.
        """
        folds = int(self.fold_of.max()) + 1
        # einsum, not @: its sums do not depend on how many threads there are.
        sums = np.stack(
            [
                np.einsum("rn,ns->rs", weighted[:, self.fold_of == fold], self.numbers[self.fold_of == fold])
                for fold in range(folds)
            ],
            axis=1,
        )
        others = sums.sum(axis=1, keepdims=True) - sums
        # How many units others are is the same for all settings: the largest sum has the largest mean.
        total = weighted.sum(axis=1)
        nearly = ROUNDING * float(np.abs(self.numbers).max()) * total
        best = (others >= others.max(axis=2, keepdims=True) - nearly[:, None, None]).argmax(axis=2)[..., None]
        return np.asarray(np.take_along_axis(sums, best, axis=2).sum(axis=(1, 2)) / total)

    def error(self, resamples: int, seed: int) -> float:
        """The standard error of the number: units are drawn anew and settings chosen again."""
        draws = weights(len(self.numbers), resamples, seed)
        parts = (part for block in draws for part in self._in_parts(block))
        numbers = np.concatenate([self.values(part) for part in parts])
        error = float(numbers.std(ddof=1))
        return 0.0 if error <= ROUNDING * float(np.abs(numbers).max()) else error

    def _in_parts(self, block: NDArray[Any]) -> Iterator[NDArray[Any]]:
        held = (int(self.fold_of.max()) + 1) * self.numbers.shape[1]
        yield from np.array_split(block, max(1, math.ceil(len(block) * held / _BLOCK)))


def t_by_error(gain: float, error: float, units: int) -> Outcome:
    """Test whether there is a gain at all, by the same error and distribution as the interval: they never disagree.

    Without an error all units gain the same: under the null, each could as well have lost that.

    >>> t_by_error(0.12, 0.05, units=20)
    Outcome(test='retuned t', statistic=2.4, p=0.0268, resamples=None, note='t = 2.40 with the error of the interval',
            sign=None)
    >>> t_by_error(0.12, 0.0, units=6).p  # 2 of 2^6
    0.03125
    """
    if error > 0:
        t = gain / error
        p = 2 * float(special.stdtr(units - 1, -abs(t)))
        return Outcome(RETUNED_T, t, p, None, f"t = {t:.2f} with the error of the interval")
    if gain == 0:
        return Outcome.of_no_difference(RETUNED_T)
    return Outcome(RETUNED_T, math.nan, 2.0 ** (1 - units), None, f"all units differ by the same, 2 of 2^{units} signs")


class DependentSample(MeanSample):
    """Two systems on units that are not independent of one another."""

    @property
    @abstractmethod
    def error(self) -> float:
        """The standard error of the difference; NaN where it is not known."""

    @abstractmethod
    def difference_interval(self, level: float) -> Interval:
        """The interval of the difference at a level."""

    @abstractmethod
    def outcome(self) -> Outcome:
        """The outcome of the test of the difference."""

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """The intervals of the difference; a system's own has none here."""
        del drawing, method
        return [Interval.unknown(level) if len(of) == 1 else self.difference_interval(level) for level in levels]

    def detectable(self, pair: Pair, spread: float, alpha: float, power: float) -> float:
        """The smallest difference that would be detected, as if so many independent units had this error."""
        del spread
        return smallest_detectable(self.error * math.sqrt(self.size), self.size, alpha, power)

    def needed(self, difference: float, spread: float, alpha: float, power: float) -> int | None:
        """None are enough: all folds are of the same items, and of more topics the choice would be another."""
        del difference, spread, alpha, power
        return None

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        del test, drawing, alternative
        return [self.outcome() for _ in pairs]


@dataclass(frozen=True, eq=False)
class FoldSample(DependentSample):
    """Two models on the folds where both have a number; `train_items` and `test_items` are the sizes of each fold.

    `fold_test` is one of `FOLD_TESTS`: its interval holds the differences that it does not reject.
    """

    train_items: Floats = field(kw_only=True)
    test_items: Floats = field(kw_only=True)
    fold_test: str = field(default="corrected-t", kw_only=True)
    alpha: float = field(default=0.05, kw_only=True)

    @property
    def tests(self) -> tuple[str, ...]:
        """The test that folds are compared by; others were there to choose."""
        return tuple(sorted(FOLD_TESTS, key=lambda name: name != self.fold_test))

    @cached_property
    def result(self) -> CorrectedT | FiveByTwo | None:
        """The result of the test; None without folds to test, of which the 5x2cv test needs all."""
        if not self.size or (self.left_out and self.fold_test != "corrected-t"):
            return None
        differences = self.unit_differences(0, 1)
        if self.fold_test == "corrected-t":
            return corrected_t(differences, self.train_items, self.test_items)
        return five_by_two(differences.reshape(5, 2))

    @property
    def error(self) -> float:
        """The corrected standard error of the difference."""
        return self.result.error if isinstance(self.result, CorrectedT) else math.nan

    def difference_interval(self, level: float) -> Interval:
        """The interval of the difference at a level."""
        return Interval.unknown(level) if self.result is None else self.result.interval(level)

    def outcome(self) -> Outcome:
        """The outcome of the test of the difference."""
        if self.result is None:
            return Outcome(self.fold_test, math.nan, math.nan, None, "no p-value: a fold has no number")
        outcome = self.result.outcome
        # Where no common difference fits all repeats, equality is rejected, but in favour of neither.
        fits = isinstance(self.result, CorrectedT) or self.result.interval(1 - self.alpha).is_known
        return outcome if fits else outcome._replace(sign=0)

    def notes(self, absences: bool = True) -> list[str]:
        """Notes on folds that are left out, as one of the models has no number there."""
        del absences
        if not self.left_out:
            return []
        folds = f"{self.left_out} of {number_of('fold', self.size + self.left_out)}"
        return [f"{self.measure} of {' or '.join(self.systems)} is undefined in {folds}, which are left out"]


@dataclass(frozen=True, eq=False)
class TunedSample(DependentSample):
    """A setting, and the settings that other units chose, on the same units; `choice_error` is of their difference."""

    choice_error: float = field(kw_only=True)

    @property
    def tests(self) -> tuple[str, ...]:
        """The test by the error of choosing again."""
        return (RETUNED_T,)

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        return self.choice_error

    @property
    def _gain(self) -> float:
        return float(self.observed[1]) - float(self.observed[0])

    def difference_interval(self, level: float) -> Interval:
        """The interval of the difference at a level."""
        return Interval.by_t(self._gain, self.error, self.size - 1, level, RETUNED)

    def outcome(self) -> Outcome:
        """The outcome of the test of the difference."""
        return t_by_error(0.0 if self.is_same(0, 1) else self._gain, self.error, self.size)

    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        """The spread of a unit's part in the difference, as if units were independent."""
        del first, second, drawing
        return self.error * math.sqrt(self.size)
