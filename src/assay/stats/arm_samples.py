"""`ArmSample`: the arms of an experiment under one measure, each with units of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy import special

from assay.core.errors import number_of, several
from assay.core.options import Method
from assay.measures.counting.judgments import Floats
from assay.stats.arm_estimates import ArmEstimate
from assay.stats.bootstrap import Interval
from assay.stats.estimates import ROUNDING
from assay.stats.independent_samples import Gap, IndependentSample
from assay.stats.monitoring import Monitoring
from assay.stats.permutation import Alternative, Outcome
from assay.stats.ratio_samples import FEW_USERS
from assay.stats.samples import Contrast, Drawing, Pair
from assay.stats.verdict import MOST_WITHHELD

#: Unless asked for, differences matter from this share of the control's number on.
_MARGIN = 0.01
#: No bound is farther out: beyond, a double holds no chance.
_MOST = 37.0
#: From so many standard errors on, the tails of the t distribution are not looked up.
_TAIL = 8.0


@dataclass(frozen=True, eq=False)
class ArmSample(IndependentSample):
    """Numbers of arms with their variances; no unit is in two arms.

    >>> arms = ArmEstimate(2.0, 0.01, 100), ArmEstimate(2.5, 0.01, 100)
    >>> sample = ArmSample(arms, systems=("a", "b"), measure="clicks", unit_kind="user")
    >>> sample.gap(0, 1).difference, round(sample.test([(0, 1)], None, Drawing(0, 0))[0].p, 4)
    (0.5, 0.0005)
    """

    arms: tuple[ArmEstimate, ...]
    #: How many units each arm has, with those that have no value.
    people: tuple[int, ...] = ()
    #: How the test is looked at while it runs; None: once.
    monitoring: Monitoring | None = None
    #: The smallest difference that matters, as it was planned.
    planned_margin: float | None = None

    made_of: ClassVar[str] = "numbers of users"
    power_test: ClassVar[str] = "t test, with units divided between the variants as here"

    @cached_property
    def size(self) -> int:
        """The number of units that have a value."""
        return sum(each.units for each in self.arms)

    @cached_property
    def observed(self) -> Floats:
        """Each arm's number."""
        return np.array([each.value for each in self.arms])

    def undefined(self) -> list[str | None]:
        """Reasons why arms have no number, None where they have one."""
        return [each.undefined if math.isnan(each.value) else None for each in self.arms]

    def alone(self, system: int) -> Gap:
        """An arm's number, and how far it may be off."""
        arm = self.arms[system]
        return Gap(arm.value, math.sqrt(arm.variance), arm.units - 1.0, 0)

    def gap(self, first: int, second: int) -> Gap:
        """The second arm's number less the first one's, with Welch's degrees of freedom."""
        ours, theirs = self.arms[first], self.arms[second]
        difference = theirs.value - ours.value
        variance = ours.variance + theirs.variance
        if min(ours.units, theirs.units) < 2 or math.isnan(difference):
            return Gap(difference, math.nan, math.nan, 0)
        squares = sum(each.variance**2 / (each.units - 1) for each in (ours, theirs))
        return Gap(difference, math.sqrt(variance), variance**2 / squares if squares else math.nan, 0)

    @property
    def looked_at(self) -> int:
        """All units of the test at this look."""
        return sum(self.people) or self.size

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """Intervals by Student's t; those of differences hold at all looks together, where there are several."""
        if self.monitoring is None or len(of) == 1:
            return super().intervals(of, levels, drawing, method)
        gap, found = self.gap(*of), []
        for level in levels:
            if not gap.error > 0:
                found.append(Interval.unknown(level, "sequential"))
                continue
            # The bound is one of a normal number; of few units, a t as rare is farther out.
            factor = min(self.monitoring.factor(self.looked_at, 1 - level), _MOST)
            rare = abs(float(special.stdtrit(gap.freedom, special.ndtr(-factor)))) if factor < _TAIL else factor
            reach = gap.error * rare
            found.append(Interval(gap.difference - reach, gap.difference + reach, level, "sequential"))
        return found

    def units_of(self, system: int) -> int:
        """The number of units of an arm that have a value."""
        return self.arms[system].units

    def is_same(self, first: int, second: int) -> bool:
        """True if nothing varies in either arm, and both have the same number."""
        ours, theirs = self.arms[first], self.arms[second]
        return ours.value == theirs.value and not ours.variance and not theirs.variance

    def interval_notes(self) -> list[str]:
        """A note where units are too few for normal theory."""
        fewest = min(each.units for each in self.arms)
        if not 0 < fewest < FEW_USERS:
            return []
        few = f"a variant has {number_of(self.unit_kind, fewest)} only"
        return [f"{few}: with fewer than {FEW_USERS}, intervals are too narrow where numbers are skewed"]

    @property
    def tests(self) -> tuple[str, ...]:
        """Welch's test."""
        return ("welch",)

    def why_not_test(self, test: str) -> str:
        """The reason why another test does not suit."""
        return f"{self.measure} is of {several(self.unit_kind)}, and each variant has its own"

    def synonym(self, test: str) -> str:
        """Of units of their own, the t test is Welch's."""
        return "welch" if test == "t" else test

    def only(self, *systems: int) -> Self:
        """Some of the arms, given by their places."""
        arms = tuple(self.arms[place] for place in systems)
        people = tuple(self.people[place] for place in systems) if self.people else ()
        return replace(self, arms=arms, people=people, systems=self._names(systems))

    def incomparable(self, first: int, second: int) -> str:
        """The reason why two arms are not compared: far fewer of the one's units have a value."""
        if not self.people:
            return ""
        for one, other in ((first, second), (second, first)):
            expected = self.people[one] * self.units_of(other) / max(self.people[other], 1)
            if self.units_of(one) < (1 - MOST_WITHHELD) * expected - ROUNDING:
                parts = [
                    f"{self.units_of(place):,} of the {number_of(self.unit_kind, self.people[place])} of "
                    f"{self.systems[place]}"
                    for place in (one, other)
                ]
                return f"only {parts[0]} have a value, against {parts[1]}"
        return ""

    def margin(self, baseline: int, asked: float | None = None) -> tuple[float, str]:
        """The smallest difference that matters, and where it comes from: of shares, too, relative to the control.

        In three digits: nobody plans with more.
        """
        if asked is not None:
            return asked, "as asked for"
        if self.planned_margin is not None:
            return self.planned_margin, "as planned"
        share = float(f"{_MARGIN * abs(float(self.observed[baseline])):.3g}")
        return share, f"{_MARGIN:.0%} of the number of {self.systems[baseline]}"

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        outcomes = [self.t_test(pair, test, alternative) for pair in pairs]
        if self.monitoring is None:
            return outcomes
        return [self._monitored(pair, each, alternative) for pair, each in zip(pairs, outcomes, strict=True)]

    def _monitored(self, pair: Pair, outcome: Outcome, alternative: Alternative) -> Outcome:
        """The same test, one of several looks."""
        t, monitoring = outcome.statistic, self.monitoring
        if monitoring is None or not math.isfinite(t):
            return outcome
        z = abs(float(special.ndtri(special.stdtr(self.gap(*pair).freedom, -abs(t)))))
        p = monitoring.p(z, self.looked_at)
        if alternative != "two-sided":
            p = p / 2 if (t > 0) == (alternative == "greater") else 1 - p / 2
        return outcome._replace(p=p, note=monitoring.words(self.looked_at))
