"""`IndependentSample`: systems with units of their own, whose differences have a standard error."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from scipy import special

from assay.core.errors import number_of
from assay.core.options import Method
from assay.stats.bootstrap import Interval
from assay.stats.permutation import NO_DIFFERENCE, Alternative, Outcome
from assay.stats.samples import Contrast, Drawing, Pair, Sample

_NO_SPREAD = "no p-value: nothing varies between {}"
_ONE_UNIT = "no p-value: a system has a single {}"


class Gap(NamedTuple):
    """A difference, its standard error, the degrees of freedom, and how many units both systems have."""

    difference: float
    error: float
    freedom: float
    shared: int


class IndependentSample(Sample):
    """Systems with units of their own: intervals and tests by the standard errors of differences."""

    @abstractmethod
    def gap(self, first: int, second: int) -> Gap:
        """The second system's number less the first one's, and how far it may be off."""

    @abstractmethod
    def alone(self, system: int) -> Gap:
        """A system's number, and how far it may be off."""

    @abstractmethod
    def units_of(self, system: int) -> int:
        """The number of units of a system."""

    def pair_size(self, first: int, second: int) -> int:
        """The number of units of two systems, those of both once."""
        return self.units_of(first) + self.units_of(second) - self.gap(first, second).shared

    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        """The spread of a unit's part in the difference, with the units divided between the systems as they are.

        Where nothing varied, as where nobody had an empty page, nobody knows how much it would if something did.
        """
        return (self.gap(first, second).error or math.nan) * math.sqrt(self.pair_size(first, second))

    def redraws(self, drawing: Drawing, method: Method = "hull") -> Drawing:
        """The delta method draws nothing."""
        return drawing._replace(resamples=0)

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """Intervals by the delta method with Student's t, no farther than the measure goes."""
        low, high = self.bounds or (-math.inf, math.inf)
        if len(of) == 1:
            estimate = self.alone(of[0])
            reach = (low, high)
        else:
            estimate = self.gap(*of)
            reach = (low - high, high - low)
        value, error, freedom, _ = estimate
        return [Interval.by_t(value, error, freedom, level, "delta").within(reach) for level in levels]

    def t_test(self, pair: Pair, test: str, alternative: Alternative) -> Outcome:
        """Hold the difference against its standard error."""
        gap = self.gap(*pair)
        if math.isnan(gap.difference):
            return Outcome(test, math.nan, math.nan, None, NO_DIFFERENCE)
        if self.is_same(*pair) or (gap.error == 0 and gap.difference == 0):
            return Outcome.of_no_difference(test)
        if not gap.error > 0:
            fewest = min(self.units_of(place) for place in pair)
            note = _NO_SPREAD.format(f"{self.unit_kind}s") if fewest > 1 else _ONE_UNIT.format(self.unit_kind)
            return Outcome(test, math.copysign(math.inf, gap.difference), math.nan, None, note)
        t = gap.difference / gap.error
        tail = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
        p = float(special.stdtr(gap.freedom, tail)) * (2 if alternative == "two-sided" else 1)
        note = f"{gap.freedom:,.0f} degrees of freedom"
        if gap.shared and test == "welch":
            note += f"; {number_of(self.unit_kind, gap.shared)} of both systems"
        return Outcome(test, t, p, None, note)
