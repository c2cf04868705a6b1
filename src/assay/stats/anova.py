"""All pairs of many systems at once: the two-way analysis of variance, and Tukey's test in two versions.

The model is additive: a unit's value under a system is the sum of what the unit, the system and chance contribute. The
p-values of pairs come in the order of `pairs`, and already allow for there being so many of them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev
from scipy import special

from assay.measures.counting.judgments import Floats, Ints
from assay.stats.rounding import ROUNDING

#: A p-value of Tukey's test that is smaller than this is given as this.
SMALLEST_P = 1e-9

# Above so many pairs, the studentised range is evaluated at the nodes of a polynomial and not for each of them.
_MOST_DIRECT = 100
_DEGREE = 96
# Steps of the two integrals.
_ERROR_STEPS = 161
_LARGEST_STEPS = 181
_BLOCK = 1 << 20


class TwoWay(NamedTuple):
    """Whether systems differ, by a two-way analysis of variance without replication, and what is left to chance.

    `residual` is the mean square of that, with `residual_freedom` degrees of freedom; NaN where there are none, and 0
    where nothing is left.
    """

    f: float
    p: float
    freedom: int
    residual: float
    residual_freedom: int


def pairs(systems: int) -> tuple[Ints, Ints]:
    """All pairs of systems, the first of each before the second.

    >>> pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    return np.triu_indices(systems, 1)


def two_way(values: Floats) -> TwoWay:
    """Take the variance of values (a row a unit, a column a system) apart.

    Where nothing differs, F is 0 and p is 1; where systems differ and nothing is left to chance, F is
    infinite and there is no p-value (NaN), as the t-test has none then.

    >>> two_way(np.array([[0.1, 0.3], [0.2, 0.5], [0.3, 0.4]]))  # with two systems, F is the square of t
    TwoWay(f=12.0, p=0.0742, freedom=1, residual=0.005, residual_freedom=2)
    """
    units, systems = values.shape
    centred = values - values.mean()
    by_system, by_unit = centred.mean(axis=0), centred.mean(axis=1)
    rounding, freedom = _rounding(values), (units - 1) * (systems - 1)
    left, squares = float(np.sum((centred - by_system - by_unit[:, None]) ** 2)), units * float(np.sum(by_system**2))
    left = 0.0 if left <= rounding else left
    residual = left / freedom if freedom else np.nan
    f, p = 0.0, 1.0
    if squares > rounding:
        f = squares / (systems - 1) / residual if residual else np.inf
        p = float(special.fdtrc(systems - 1, freedom, f)) if residual else np.nan
    return TwoWay(f, p, systems - 1, residual, freedom)


def tukey_hsd(values: Floats) -> Floats:
    """The p-values of Tukey's honestly significant differences, held against the residual of the two-way model.

    With more than 100 pairs, p-values are interpolated, with an error below 1e-6. Where the model leaves nothing to
    chance there are no p-values (NaN), save 1 for systems that do not differ.

    >>> tukey_hsd(np.array([[0.1, 0.4, 0.5], [0.2, 0.5, 0.4], [0.3, 0.5, 0.5]]))
    array([0.0175, 0.0175, 1.    ])
    """
    units, systems = values.shape
    found = two_way(values)
    means = values.mean(axis=0)
    first, second = pairs(systems)
    apart = np.abs(means[second] - means[first])
    if not found.residual > 0:
        nearly = ROUNDING * np.abs(values).max(initial=0.0)
        return np.where(apart <= nearly, 1.0, np.nan)
    return _all_studentised(apart / np.sqrt(found.residual / units), systems, found.residual_freedom)


def randomised_tukey(values: Floats, *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """The p-values of all pairs if each unit's values could have belonged to any of the systems.

    Values are shuffled among the systems, unit by unit; a pair's difference is held against the largest difference of
    two means that the shuffled table has. The observed table counts as one more draw: p = (b + 1) / (n + 1).

    >>> randomised_tukey(np.array([[0.1, 0.3, 0.3], [0.2, 0.5, 0.3], [0.3, 0.4, 0.5], [0.0, 0.2, 0.2]]), resamples=999)
    array([0.081, 0.145, 0.958])
    """
    units, systems = values.shape
    rng = np.random.default_rng(seed)
    totals = values.sum(axis=0)
    first, second = pairs(systems)
    apart = np.abs(totals[second] - totals[first])
    tables = min(resamples, max(1, _BLOCK // max(values.size, 1)))
    # Shuffling what has been shuffled gives just another random order, so that one copy serves all draws.
    shuffled = np.repeat(values[None], tables, axis=0)
    ranges = np.empty(resamples)
    for start in range(0, resamples, tables):
        block = shuffled[: resamples - start]
        rng.permuted(block, axis=2, out=block)
        ranges[start : start + tables] = np.ptp(block.sum(axis=1), axis=1)
    # Sums of the same numbers in another order differ in the last digits, and count as equal.
    reach = ROUNDING * units * float(np.abs(values).max(initial=0.0))
    ranges.sort()
    extreme: Ints = resamples - np.searchsorted(ranges, apart - reach)
    return (extreme + 1) / (resamples + 1)


def _rounding(values: Floats) -> float:
    """How large a sum of squares may be where there would be none without rounding."""
    # That of the values themselves, of which the deviations may be a small part.
    return (ROUNDING * float(np.abs(values).max(initial=0.0))) ** 2 * values.size


def _all_studentised(q: Floats, systems: int, freedom: int) -> Floats:
    """`studentised_range`, at a price that does not grow with the number of pairs.

    Where there are many, the logarithm, which is smooth, is interpolated between Chebyshev nodes; the error is below
    1e-6 for up to 1,000 systems, however few the units.
    """
    if len(q) <= _MOST_DIRECT:
        return np.maximum(studentised_range(q, systems, freedom), SMALLEST_P)
    furthest = min(float(q.max()), _studentised_quantile(SMALLEST_P, systems, freedom))

    def logarithm(at: Floats) -> Floats:
        return np.log(studentised_range(at, systems, freedom))

    interpolated = Chebyshev.interpolate(logarithm, _DEGREE, domain=(0.0, furthest))
    chances: Floats = np.exp(interpolated(np.minimum(q, furthest)))
    return np.clip(chances, SMALLEST_P, 1.0)


@cache
def _studentised_quantile(p: float, systems: int, freedom: int) -> float:
    """The q that is reached with chance p."""
    from scipy import optimize  # noqa: PLC0415  # slow to import

    def beyond(q: float) -> float:
        return float(studentised_range(np.array([q]), systems, freedom)[0]) - p

    high = 1.0
    while beyond(high) > 0:
        high *= 2
    return float(optimize.brentq(beyond, 0.0, high, xtol=1e-12))


def studentised_range(q: Floats, systems: int, freedom: int) -> Floats:
    """The chance that the means of as many systems range over at least q of their estimated standard errors.

    It is the chance of the range of normal numbers, averaged over what the standard error may have been. Both integrals
    run over smooth functions that die away on either side, for which sums over equal steps are as good as exact. SciPy
    has this distribution too, but takes 10 ms for one number, and with some thousand degrees of freedom it warns that
    its integrals may not have converged.

    >>> studentised_range(np.array([3.877]), systems=3, freedom=10)  # the tables' critical value at 0.05
    array([0.05])
    """
    half = freedom / 2
    # What the standard error may have been, on a logarithmic scale; a chance of 1e-15 is cut off at either end.
    low, high = special.gammaincinv(half, 1e-15) / half, special.gammainccinv(half, 1e-15) / half
    logs = np.linspace(np.log(low) / 2, np.log(high) / 2, _ERROR_STEPS)
    errors, chances = np.exp(logs), np.exp(freedom * (logs - np.expm1(2 * logs) / 2))
    chances /= chances.sum()
    # The largest of the normal numbers, and the chance of all others to lie below it.
    largest, step = np.linspace(-9.0, 9.0, _LARGEST_STEPS, retstep=True)
    below = special.ndtr(largest)
    density = systems * step / np.sqrt(2 * np.pi) * np.exp(-(largest**2) / 2) * below ** (systems - 1)

    def reached(at: float) -> float:
        # One of the others lies further below than the range; log1p and expm1 keep the digits of small chances.
        outside = np.minimum(special.ndtr(largest - at * errors[:, None]) / below, 1 - 1e-16)
        # einsum, not @: its sums do not depend on how many threads there are.
        return float(-np.einsum("e,el,l->", chances, np.expm1((systems - 1) * np.log1p(-outside)), density))

    return np.minimum([reached(float(at)) for at in q], 1.0)
