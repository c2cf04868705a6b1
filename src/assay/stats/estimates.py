"""`Estimate`: a number with its interval; the confidence of intervals; and what is rounding, not a difference."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.core.domains import CONFIDENCE
from assay.measures.counting.judgments import Floats
from assay.measures.undefined import Gaps

#: Numbers that differ by a smaller part of themselves are the same: sums in another order differ in the last digits.
ROUNDING = 1e-12


def snapped(numbers: Floats) -> Floats:
    """The same numbers, those that differ by rounding only made equal: the smallest of them stands for all.

    >>> snapped(np.array([0.1 + 0.2, 0.3, 0.5])).tolist()
    [0.3, 0.3, 0.5]
    """
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.append(True, np.diff(ordered) > ROUNDING * np.abs(ordered[1:]))[: len(ordered)]
    result = np.empty_like(numbers)
    result[order] = ordered[starts][np.cumsum(starts) - 1] if len(ordered) else ordered
    return result


#: What intervals are called that come from no test of units; `core.words` names all of them for people.
BOOTSTRAP, SUBSAMPLING, JACKKNIFE, NO_INTERVAL = "bootstrap", "subsampling", "jackknife", "none"

#: The works to cite for ways to an interval, by their keys in the bibliography.
CITES = {
    "hull": ("student1908", "efron1987"),
    "bca": ("efron1987",),
    "percentile": ("efron1993",),
    "t": ("student1908",),
    "wilson": ("wilson1927",),
    "DeLong, logit": ("delong1988",),
    BOOTSTRAP: ("efron1993",),
    SUBSAMPLING: ("politis1994",),
    JACKKNIFE: ("efron1993",),
}


def checked_confidence(confidence: Any) -> float:
    """Accept a level between 0 and 1, and refuse percents and whatever else is none.

    >>> checked_confidence(0.95)
    0.95
    """
    return float(CONFIDENCE.check("confidence", confidence))


def standard_errors(confidence: float) -> float:
    """The standard errors that a normal number strays at most, to either side, with this confidence.

    >>> standard_errors(0.95)
    1.96
    """
    from scipy import special  # noqa: PLC0415  # slow to load

    return float(special.ndtri((1 + confidence) / 2))


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
    #: The classes, or items, without a number of their own: what the mean counts them as, or that it leaves them out.
    gaps: Gaps | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """The classes, or items, that the mean leaves out."""
        return () if self.gaps is None else self.gaps.left_out

    def as_columns(self, value: str = "value", low: str = "low", high: str = "high") -> dict[str, float | None]:
        """The number and the ends of its interval under these names; None where there is none.

        >>> Estimate(0.5, np.nan, np.nan, "none").as_columns()
        {'value': 0.5, 'low': None, 'high': None}
        """
        return {name: None if np.isnan(number) else float(number)
                for name, number in zip((value, low, high), self[:3], strict=True)}  # fmt: skip
