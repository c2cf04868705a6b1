"""Where a number stands on an axis, as a share of its length, and the round numbers along it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Axis(NamedTuple):
    """A straight axis from `low` to `high`."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """The share of the axis below a value; values beyond its ends stand at its ends.

        >>> Axis(-1, 1).at(0.5), Axis(0, 1).at(3)
        (0.75, 1.0)
        """
        # By halves: the distance of the largest numbers is none.
        return min(max((value / 2 - self.low / 2) / (self.high / 2 - self.low / 2), 0.0), 1.0)

    def ticks(self, about: int = 4) -> list[float]:
        """Round numbers along the axis, `about` so many.

        >>> Axis(-0.2, 0.43).ticks(3)
        [-0.2, 0.0, 0.2, 0.4]
        """
        step = _round_step(self.high / about - self.low / about)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]


def around(values: Iterable[float], *, zero: bool = True, room: float = 0.06) -> Axis:
    """An axis that holds all values that are numbers, and zero, with some room at both ends.

    >>> around([0.5, 1.0, float("nan")], room=0)
    Axis(low=0.0, high=1.0)
    >>> around([])
    Axis(low=-0.06, high=1.06)
    """
    known = [value for value in values if math.isfinite(value)]
    if zero or not known:
        known.append(0.0)
    low, high = min(known), max(known)
    if high - low < 1e-12:
        high = low + 1.0
    return Axis(low - room * (high - low), high + room * (high - low))


def rounded_out(values: Iterable[float], about: int = 4, *, zero: bool = True) -> Axis:
    """An axis that holds all values, and zero unless that is not asked for, its ends on round numbers.

    >>> rounded_out([0.43, -0.12])
    Axis(low=-0.2, high=0.6)
    """
    low, high = around(values, zero=zero, room=0)
    step = _round_step((high - low) / about)
    return Axis(
        round(math.floor(low / step + 1e-9) * step, 12) + 0.0, round(math.ceil(high / step - 1e-9) * step, 12) + 0.0
    )


def _round_step(step: float) -> float:
    """The round number that is nearest, as a ratio."""
    power = 10.0 ** math.floor(math.log10(step))
    return min((power * factor for factor in (1, 2, 2.5, 5, 10)), key=lambda near: abs(math.log(near / step)))


def label(value: float) -> str:
    """A number at a tick.

    >>> label(0.2), label(-0.5), label(0.0)
    ('0.2', '−0.5', '0')
    """
    return f"{value:g}".replace("-", "−")
