"""Numbers of units that are enough: the power of a paired comparison, under normal theory.

The paired t test sees a difference *d* between means as *d / (s / sqrt(n))* standard errors, where *s* is the standard
deviation of the units' differences (their spread) and *n* the number of units. Its chance to find *d* significant,
two-sided, follows from the noncentral t distribution. The permutation test of the mean has nearly the same power.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import special

from assay.core.domains import CONFIDENCE
from assay.core.errors import ParameterError

#: The work to cite for numbers of units, by its key in the bibliography.
CITES = "webber2008"
# A difference is found to so many halvings of the bracket: the last bits of a double.
_HALVINGS = 200
# From so many standard errors on, power is summed over normal deviates, at so many of Gauss's points.
_FAR = 30.0
_POINTS = 64


def power_of(difference: float, spread: float, units: int, alpha: float = 0.05) -> float:
    """The chance that so many units show a true difference to be significant.

    NaN with fewer than 2 units, or with neither spread nor difference. Without spread any difference is seen for sure.

    >>> power_of(difference=0.05, spread=0.1, units=34)
    0.808
    """
    _check(spread, alpha)
    if units < 2 or math.isnan(difference) or math.isnan(spread) or (spread == 0 and difference == 0):
        return math.nan
    if spread == 0:
        return 1.0
    return _power(abs(difference) / spread * math.sqrt(units), units - 1, alpha)


def smallest_detectable(spread: float, units: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference that so many units show to be significant with the given power.

    0 without spread, NaN with fewer than 2 units.

    >>> smallest_detectable(spread=0.1, units=50)
    0.0404
    """
    _check(spread, alpha, power)
    if units < 2 or math.isnan(spread):
        return math.nan
    return _detectable(units - 1, alpha, power) * spread / math.sqrt(units)


def units_needed(
    difference: float, spread: float, alpha: float = 0.05, power: float = 0.8, *, groups: int = 1
) -> int | None:
    """The fewest units that show a true difference to be significant with the given power.

    None if no number of units does: the difference is 0 (or so small beside the spread that it is lost in rounding), or
    one of the two is not known. Never fewer than 2, as one unit has no spread. With 2 `groups` of one size, each
    system has units of its own: `spread` is the standard deviation of their numbers, and the units of both count.

    >>> units_needed(difference=0.05, spread=0.1), units_needed(difference=0.0, spread=0.1)
    (34, None)
    """
    _check(spread, alpha, power)
    if math.isnan(difference) or math.isnan(spread) or difference == 0:
        return None
    if spread == 0:
        return 2 * groups
    size = abs(difference) / (math.sqrt(groups) * spread)
    if size < 1e-7:  # more than 10^14 units: nobody will ask them
        return None

    def enough(units: int) -> bool:
        return _power(size * math.sqrt(units), groups * (units - 1), alpha) >= power

    # Normal theory is out by a few units only: go from there in growing steps, then halve.
    low = max(1, int(((special.ndtri(1 - alpha / 2) + special.ndtri(power)) / size) ** 2) - 1)
    step = 1
    while low > 1 and enough(low):
        low, step = max(1, low - step), 2 * step
    high = low + 1
    step = 1
    while not enough(high):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return groups * high


@lru_cache(maxsize=256)
def _detectable(freedom: int, alpha: float, power: float) -> float:
    """The distance of means that is detected, in standard errors: the same for all pairs of systems."""
    low, high = 0.0, 1.0
    while _power(high, freedom, alpha) < power:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (middle, high) if _power(middle, freedom, alpha) < power else (low, middle)
    return high


def _power(noncentrality: float, freedom: int, alpha: float) -> float:
    """The chance that |t| exceeds its critical value if the means are so many standard errors apart."""
    critical = special.stdtrit(freedom, 1 - alpha / 2)
    if noncentrality > _FAR:
        # SciPy's noncentral t fails far out. There the power is a smooth function of the numerator's deviate.
        deviates, mass = np.polynomial.hermite_e.hermegauss(_POINTS)
        chances = special.chdtr(freedom, freedom * ((noncentrality + deviates) / critical) ** 2)
        return float(np.average(chances, weights=mass))
    below, within = special.nctdtr(freedom, noncentrality, np.array([-critical, critical]))
    # SciPy gives NaN for chances below 1e-15.
    return float(1 - within + np.nan_to_num(below))


def _check(spread: float, alpha: float, power: float | None = None) -> None:
    if spread < 0:
        raise ParameterError(f"a spread is a standard deviation, 0 or more, not {spread:g}")
    CONFIDENCE.check("alpha", alpha)
    if power is not None and not alpha < power < 1:
        raise ParameterError(f"power lies between alpha ({alpha:g}) and 1, not {power:g}")
