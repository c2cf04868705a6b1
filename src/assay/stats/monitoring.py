"""`Monitoring`: looks at a running test that do not lie: how far from 0 a difference is sure, at this look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from scipy import optimize, special

from assay.core.digits import as_percents
from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.stats.group_sequential import RHO, bounds, sequence_factor, sequence_p

Sequential: TypeAlias = Literal["fixed", "group", "hybrid", "always"]
MODES = get_args(Sequential)
#: What of alpha the confidence sequence has, where the fixed test at the end has the rest.
_RUNNING = 0.1
#: An always-valid sequence without a plan is tightest around so many units.
_TUNED = 5000.0


@dataclass(frozen=True)
class Monitoring:
    """How a test is looked at: at its end alone (`fixed`), or also while it runs.

    `group`: bounds by alpha spending, for a test with a planned end. `hybrid`: a confidence sequence while it runs,
    with a tenth of alpha, and the fixed test at the planned end, with the rest. `always`: the confidence sequence
    alone, for tests without an end. `planned`: the units of the planned end; `earlier`: those of the looks before.

    >>> early = Monitoring("group", planned=1000, earlier=(250,))
    >>> round(early.factor(500, 0.05), 3), round(early.factor(1000, 0.05), 3)
    (2.76, 1.964)
    """

    mode: Sequential = "fixed"
    planned: float | None = None
    earlier: tuple[float, ...] = ()
    spending: str = "kim-demets"
    rho: float = RHO

    @classmethod
    def of(cls, mode: str | None, planned: float | None, earlier: Sequence[float] = (), spending: str = "kim-demets",
           rho: float = RHO) -> Monitoring | None:  # fmt: skip
        """What was asked for; None for a single look. A plan with an end has bounds, unless another mode is named."""
        if mode is None and planned is None:
            return None
        usual = "group" if earlier else "hybrid"
        named = usual if mode is None else Choice(MODES).check("sequential", mode)
        if named == "fixed":
            return None
        if named in {"group", "hybrid"} and planned is None:
            raise ParameterError(f"{named} bounds are for a test with a planned end: state its users")
        if planned is not None and planned < 2:
            raise ParameterError(f"a test is planned for 2 users or more, not {planned:g}")
        return cls(named, planned, tuple(sorted(earlier)), spending, rho)  # type: ignore[arg-type]

    def shares(self, units: float) -> tuple[float, ...]:
        """The shares of the planned units at the looks so far, this one last."""
        planned = self.planned or units
        return (*(each / planned for each in self.earlier if each < units), units / planned)

    def is_end(self, units: float) -> bool:
        """True if this is the first look at the planned end, or after it: the one that has the fixed test."""
        return (
            self.planned is not None
            and units >= self.planned
            and not any(self.planned <= each < units for each in self.earlier)
        )

    def factor(self, units: float, alpha: float) -> float:
        """How many standard errors from 0 a difference is sure, two-sided, at a look with so many units."""
        if self.mode == "group":
            return bounds(self.shares(units), alpha, self.spending, rho=self.rho).upper[-1]
        if self.mode == "always":
            return sequence_factor(units, self.planned or _TUNED, alpha)
        running = sequence_factor(units, self.planned or units, _RUNNING * alpha)
        return min(running, _fixed((1 - _RUNNING) * alpha)) if self.is_end(units) else running

    def p(self, z: float, units: float) -> float:
        """The smallest alpha at which a difference so many standard errors from 0 is sure at this look."""
        if math.isnan(z):
            return math.nan
        if self.mode == "always":
            return sequence_p(z, units, self.planned or _TUNED)
        if self.mode == "hybrid":
            running = min(sequence_p(z, units, self.planned or units) / _RUNNING, 1.0)
            fixed = 2 * float(special.ndtr(-abs(z))) / (1 - _RUNNING)
            return min(running, fixed) if self.is_end(units) else running
        return self._spent_p(abs(z), units)

    def _spent_p(self, z: float, units: float) -> float:
        """The same by bounds, between the plain p-value and 1."""
        least, most = math.log(max(2 * float(special.ndtr(-z)), 1e-15)), math.log(0.9)

        def off(log_alpha: float) -> float:
            return min(self.factor(units, math.exp(log_alpha)), 99.0) - z

        if least >= most or off(most) >= 0:
            return 1.0
        return math.exp(least) if off(least) <= 0 else math.exp(optimize.brentq(off, least, most, xtol=1e-4, rtol=1e-4))

    def words(self, units: float) -> str:
        """The look in words, behind the name of the test."""
        names = {"group": f"{self.spending} spending", "hybrid": "hybrid", "always": "confidence sequence"}
        if self.planned is None:
            return f"{names[self.mode]}, valid at any look"
        share = as_percents([min(units / self.planned, 1.0)])[0]
        return f"{names[self.mode]}, look at {share} of the plan"


def _fixed(alpha: float) -> float:
    return float(special.ndtri(1 - alpha / 2))
