"""Samples whose units have something in common, so that plain tests of units would be too sure.

Models of folds share what they learn from (`FoldSample`); numbers of topics under settings that other topics chose
depend on one another (`TunedSample`). Either brings an error of its own for the test and the interval.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.core.errors import number_of
from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import Interval, Method
from assay.stats.fold_tests import FOLD_TESTS, CorrectedT, FiveByTwo, corrected_t, five_by_two
from assay.stats.mean_samples import MeanSample
from assay.stats.permutation import Alternative, Outcome
from assay.stats.power import smallest_detectable
from assay.stats.samples import Contrast, Drawing, Pair
from assay.stats.tuning_bootstrap import RETUNED, RETUNED_T, t_by_error


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
        """What the test says of the difference."""

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """The intervals of the difference; a system's own has none here."""
        del drawing, method
        return [Interval.unknown(level) if len(of) == 1 else self.difference_interval(level) for level in levels]

    def detectable(self, spread: float, alpha: float, power: float) -> float:
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

    @property
    def is_testable(self) -> bool:
        """Whether there are folds to test; the 5x2cv test needs all."""
        return self.size > 0 and not (self.left_out and self.fold_test != "corrected-t")

    @cached_property
    def corrected(self) -> CorrectedT:
        """What the corrected resampled t test finds."""
        return corrected_t(self.differences(0, 1), self.train_items, self.test_items)

    @cached_property
    def five_by_two(self) -> FiveByTwo:
        """What the test for five repeats of two folds finds."""
        return five_by_two(self.differences(0, 1).reshape(5, 2))

    @property
    def error(self) -> float:
        """The corrected standard error of the difference."""
        return self.corrected.error if self.is_testable and self.fold_test == "corrected-t" else math.nan

    def difference_interval(self, level: float) -> Interval:
        """The interval of the difference at a level."""
        if not self.is_testable:
            return Interval.unknown(level)
        return (self.corrected if self.fold_test == "corrected-t" else self.five_by_two).interval(level)

    def outcome(self) -> Outcome:
        """What the test says of the difference."""
        if not self.is_testable:
            return Outcome(self.fold_test, math.nan, math.nan, None, "no p-value: a fold has no number")
        if self.fold_test == "corrected-t":
            return self.corrected.outcome
        found = self.five_by_two
        # Where no common difference fits all repeats, equality is rejected, but in favour of neither.
        return found.outcome if found.interval(1 - self.alpha).is_known else found.outcome._replace(sign=0)

    def notes(self, absences: bool = True) -> list[str]:
        """Which folds are left out, as one of the models has no number there."""
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
        """What the test says of the difference."""
        return t_by_error(0.0 if self.is_same(0, 1) else self._gain, self.error, self.size)

    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        """How much a unit's part in the difference varies, as if units were independent."""
        del first, second, drawing
        return self.error * math.sqrt(self.size)
