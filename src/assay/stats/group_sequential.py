"""Group-sequential tests: bounds by alpha spending, for looks at any share of the information, and what follows a stop.

A test statistic that is looked at several times is a random walk in information: what it takes to stop at a look is
found by integrating over all the ways there (Armitage, McPherson and Rowe), on the grid of Jennison and Turnbull. The
error that may be spent until a share of the information is a function of that share alone (Lan and DeMets), so that
looks need be neither equal nor planned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy import optimize, special

from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats

Spending: TypeAlias = Literal["obrien-fleming", "pocock", "kim-demets"]
SPENDING = get_args(Spending)
#: The works to cite, by their keys in the bibliography.
CITES = ("lan1983", "jennison1999")
#: The power of Kim and DeMets' spending function.
RHO = 3.0
#: The grid has 12 times so many points and a few; bounds then have six digits.
_FINENESS = 24
#: Bounds beyond this are none: no chance that a double can hold.
_FAR = 9.0


def spent(share: float, alpha: float, shape: str = "kim-demets", rho: float = RHO) -> float:
    """The error that may be spent until this share of the information.

    >>> spent(0.5, 0.025, "obrien-fleming"), spent(0.5, 0.025, "pocock"), spent(0.5, 0.025, "kim-demets")
    (0.0015, 0.0155, 0.0031)
    """
    Choice(SPENDING).check("spending", shape)
    share = min(max(share, 0.0), 1.0)
    if not share:
        return 0.0
    if shape == "obrien-fleming":
        return float(2 * special.ndtr(-special.ndtri(1 - alpha / 2) / math.sqrt(share)))
    if shape == "pocock":
        return alpha * math.log1p((math.e - 1) * share)
    return float(alpha * share**rho)


class Walk(NamedTuple):
    """The statistic at a look, where no look before has stopped: points, each with its part of the chance."""

    points: Floats
    chances: Floats
    information: float

    def beyond(self, bound: float, information: float, drift: float, sign: int = 1) -> float:
        """The chance to be beyond a bound at the next look."""
        step = information - self.information
        mean = (self.points * math.sqrt(self.information) + drift * step - bound * math.sqrt(information)) / math.sqrt(
            step
        )
        return float(self.chances @ special.ndtr(sign * mean))

    def on(self, low: float, high: float, information: float, drift: float) -> Walk:
        """The walk at the next look, between its bounds."""
        points, weights = _grid(drift * math.sqrt(information), low, high)
        step = information - self.information
        scale = math.sqrt(information / step)
        apart = points[:, None] * math.sqrt(information) - self.points[None, :] * math.sqrt(self.information)
        density = _density((apart - drift * step) / math.sqrt(step)) * scale
        return Walk(points, weights * (density @ self.chances), information)


#: Before the first look.
_START = Walk(np.zeros(1), np.ones(1), 0.0)


def _density(values: Floats) -> Floats:
    result: Floats = np.exp(-0.5 * values**2) / math.sqrt(2 * math.pi)
    return result


def _grid(mean: float, low: float, high: float) -> tuple[Floats, Floats]:
    """Points between two bounds, dense where a normal number around the mean lies, and Simpson's weights."""
    r = _FINENESS
    tail = 3 + 4 * np.log(r / np.arange(r - 1, 0, -1))
    middle = np.linspace(-3, 3, 4 * r + 1)
    every = mean + np.concatenate([-tail[::-1], middle, tail])
    kept = every[(every > low) & (every < high)]
    ends = [max(low, every[0]), min(high, every[-1])]
    coarse = np.unique(np.concatenate([ends[:1], kept, ends[1:]]))
    if len(coarse) < 2:
        coarse = np.array([low, high])
    points = np.empty(2 * len(coarse) - 1)
    points[::2], points[1::2] = coarse, (coarse[1:] + coarse[:-1]) / 2
    weights = np.zeros_like(points)
    widths = np.diff(coarse) / 6
    weights[:-1:2] += widths
    weights[1::2] += 4 * widths
    weights[2::2] += widths
    return points, weights


class Bounds(NamedTuple):
    """The bounds of each look: beyond `upper`, or below its negative, a difference is sure; below `futile`, give up."""

    information: tuple[float, ...]
    upper: tuple[float, ...]
    futile: tuple[float, ...] = ()


def bounds(
    shares: Sequence[float],
    alpha: float = 0.05,
    shape: str = "kim-demets",
    *,
    rho: float = RHO,
    last: bool = False,
) -> Bounds:
    """The bounds of looks at these shares of the planned information, two-sided, with half of alpha on either side.

    At the planned end, or with `last`, all of alpha is spent; what comes later has none left.

    >>> [round(bound, 4) for bound in bounds([1 / 3, 2 / 3, 1], shape="obrien-fleming").upper]
    [3.7103, 2.5114, 1.993]
    """
    return _bounds(tuple(map(float, shares)), float(alpha), shape, float(rho), bool(last))


@lru_cache(maxsize=512)
def _bounds(shares: tuple[float, ...], alpha: float, shape: str, rho: float, last: bool) -> Bounds:
    _check(shares)
    walk, uppers, before = _START, list[float](), 0.0
    for place, share in enumerate(shares):
        total = alpha / 2 if last and place == len(shares) - 1 else spent(share, alpha / 2, shape, rho)
        upper = _bound(walk, share, total - before)
        before = max(before, total)
        uppers.append(upper)
        walk = walk.on(-upper, upper, share, 0.0)
    return Bounds(shares, tuple(uppers))


def _check(shares: Sequence[float]) -> None:
    if not shares or min(shares) <= 0 or any(after <= before for before, after in pairwise(shares)):
        raise ParameterError(f"looks are at growing shares of the information, above 0, not at {shares}")


def _bound(walk: Walk, share: float, chance: float, drift: float = 0.0, sign: int = 1) -> float:
    """The bound that is crossed with this chance at the next look."""
    if chance <= walk.beyond(sign * _FAR, share, drift, sign):
        return sign * math.inf

    def off(bound: float) -> float:
        return walk.beyond(bound, share, drift, sign) - chance

    return float(optimize.brentq(off, -_FAR + min(drift, 0.0), _FAR + max(drift, 0.0), xtol=1e-10))


def crossing(limits: Bounds, drift: float) -> tuple[Floats, Floats]:
    """The chance to cross the upper bound, and the lower one, at each look; `drift` is per square root of information.

    >>> above, below = crossing(bounds([0.5, 1.0]), 0.0)
    >>> round(float(above.sum() + below.sum()), 6)
    0.05
    """
    walk, above, below = _START, list[float](), list[float]()
    lows = limits.futile or tuple(-each for each in limits.upper)
    for share, high, low in zip(limits.information, limits.upper, lows, strict=True):
        above.append(walk.beyond(min(high, _FAR + abs(drift)), share, drift) if math.isfinite(high) else 0.0)
        below.append(walk.beyond(low, share, drift, -1) if math.isfinite(low) else 0.0)
        walk = walk.on(max(low, -_FAR - abs(drift)), min(high, _FAR + abs(drift)), share, drift)
    return np.array(above), np.array(below)


def drift_of(power: float, alpha: float = 0.05, limits: Bounds | None = None) -> float:
    """The drift under which a test has this power: the difference over its standard error at the planned end.

    >>> drift_of(0.8)  # 1.96 + 0.84
    2.8016
    """
    if limits is None:
        return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
    return float(optimize.brentq(lambda drift: crossing(limits, drift)[0].sum() - power, 0.01, 12.0))


def inflation(limits: Bounds, alpha: float = 0.05, power: float = 0.8) -> float:
    """How many times the units of a single look it takes for the same power.

    >>> inflation(bounds([0.2, 0.4, 0.6, 0.8, 1.0], shape="obrien-fleming"))
    1.0247
    """
    return (drift_of(power, alpha, limits) / drift_of(power, alpha)) ** 2


def futility(limits: Bounds, drift: float, miss: float = 0.2, *, binding: bool = False, alpha: float = 0.05,
             shape: str = "kim-demets", rho: float = RHO) -> Bounds:  # fmt: skip
    """The same with bounds below which a gain of this drift is unlikely: its misses, `miss` in all, are spent likewise.

    Bounds that do not bind leave the upper ones alone, so that who goes on all the same makes no more false positives.
    Where they bind, the test is one-sided, and the upper bounds are lower, as those who gave up cannot cross them.

    >>> limits = futility(bounds([0.5, 1.0]), drift_of(0.8))
    >>> [round(bound, 2) for bound in limits.futile]
    [0.02, 1.96]
    """
    true, null, before, gone = _START, _START, 0.0, 0.0
    uppers, lows = list[float](), list[float]()
    for share, planned in zip(limits.information, limits.upper, strict=True):
        total = spent(share, alpha / 2, shape, rho)
        upper = _bound(null, share, total - gone) if binding else planned
        gone = total
        wanted = spent(share, miss, shape, rho)
        low = min(_bound(true, share, wanted - before, drift, -1), upper)
        before = wanted
        uppers.append(upper)
        lows.append(low)
        ends = max(low, -_FAR), min(upper, _FAR + drift)
        if ends[0] < ends[1]:
            true, null = true.on(*ends, share, drift), null.on(ends[0], min(upper, _FAR), share, 0.0)
    return Bounds(limits.information, tuple(uppers), tuple(lows))


class StageWise(NamedTuple):
    """A difference after an early stop: its median-unbiased estimate, its interval and its p-value (two-sided)."""

    estimate: float
    low: float
    high: float
    p: float


def after_stop(limits: Bounds, z: float, scale: float, alpha: float = 0.05) -> StageWise:
    """What is known of a difference after the test has stopped at the last of these looks, with this statistic.

    Outcomes are ordered by stages: what stops earlier is farther out. `scale` is the information of the plan (1 over
    the squared standard error at its end), in which the shares are; the plain estimate is biased away from 0.

    >>> stop = after_stop(bounds([0.5, 1.0], shape="pocock")._replace(information=(0.5,), upper=(2.157,)), 2.5, 4.0)
    >>> [round(number, 3) for number in stop]
    [1.768, 0.382, 3.154, 0.012]
    """
    root = math.sqrt(scale)
    if z < 0:
        mirrored = after_stop(limits, -z, scale, alpha)
        return StageWise(-mirrored.estimate, -mirrored.high, -mirrored.low, mirrored.p)

    def beyond(drift: float) -> float:
        """The chance of an outcome at least as far above."""
        walk, chance = _START, 0.0
        for share, high in zip(limits.information[:-1], limits.upper[:-1], strict=True):
            end = min(high, _FAR + abs(drift))
            chance += walk.beyond(end, share, drift)
            walk = walk.on(-end, end, share, drift)
        return chance + walk.beyond(z, limits.information[-1], drift)

    def solved(chance: float) -> float:
        middle = z / math.sqrt(limits.information[-1])
        low, high = middle - 8, middle + 8
        while beyond(low) > chance:
            low -= 8
        while beyond(high) < chance:
            high += 8
        return float(optimize.brentq(lambda drift: beyond(drift) - chance, low, high, xtol=1e-8))

    estimate, low, high = (solved(chance) / root for chance in (0.5, alpha / 2, 1 - alpha / 2))
    return StageWise(estimate, low, high, min(2 * min(beyond(0.0), 0.5), 1.0))


def sequence_factor(units: float, planned: float, alpha: float = 0.05) -> float:
    """How many standard errors an asymptotic confidence sequence reaches after so many units: it holds at all of them.

    Waudby-Smith's, for means; it is tightest around `planned` units.

    >>> round(sequence_factor(5000, 5000) / 1.96, 2)
    1.55
    """
    tuned = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / planned
    part = units * tuned
    return math.sqrt(2 * (part + 1) / part * math.log(math.sqrt(part + 1) / alpha))


def sequence_p(t: float, units: float, planned: float) -> float:
    """The always-valid p-value of a statistic: the smallest alpha whose confidence sequence excludes 0.

    >>> round(sequence_p(1.96 * 1.55, 5000, 5000), 2)
    0.05
    """

    def reaches(log_alpha: float) -> float:
        return sequence_factor(units, planned, math.exp(log_alpha)) - abs(t)

    low, high = -700.0, math.log(0.9999)
    if math.isnan(t) or reaches(high) >= 0:
        return 1.0 if not math.isnan(t) else math.nan
    return math.exp(optimize.brentq(reaches, low, high)) if reaches(low) > 0 else 0.0
