"""`Estimate`: a number of a system with its interval."""

from __future__ import annotations

from typing import NamedTuple


class Estimate(NamedTuple):
    """A number, its interval, how that was found, and why there is no number, if there is none.

    >>> Estimate(0.5, 0.4, 0.6, "wilson").value
    0.5
    """

    value: float
    low: float
    high: float
    method: str
    undefined: str | None = None
    #: How often items were drawn anew for the interval; 0 if they were not.
    resamples: int = 0
    #: Why a number has no interval, where that is known.
    no_interval: str | None = None
    #: Classes that an average over classes leaves out: the measure is undefined there.
    left_out: tuple[str, ...] = ()
