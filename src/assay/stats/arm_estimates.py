"""Numbers of the arms of an experiment with their variances: means, ratios, quantiles, with covariates or without.

Every number here is a pure function of the moments, or of the values, of an arm's units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from assay.measures.counting.arms import Moments
from assay.measures.counting.judgments import Floats

#: The works to cite, by their keys in the bibliography.
CITES = {"ratio": "deng2018", "covariate": "deng2013"}
#: The error of a quantile is read off the quantiles that lie so many standard errors of its rank apart.
_REACH = float(special.ndtri(0.975))


class ArmEstimate(NamedTuple):
    """A number of an arm, the variance of that number, and over how many units it goes.

    `undefined`: why there is no number.
    """

    value: float
    variance: float
    units: int
    undefined: str | None = None


def mean_of(moments: Moments) -> ArmEstimate:
    """The mean of the first column.

    >>> from assay.measures.counting.arms import moments_of
    >>> mean_of(moments_of(np.array([1.0, 2, 3])))  # variance 1 / 3
    ArmEstimate(value=2.0, variance=0.3333, units=3, undefined=None)
    """
    if not moments.units:
        return ArmEstimate(math.nan, math.nan, 0, "no unit has a value")
    return ArmEstimate(float(moments.means[0]), float(moments.covariances[0, 0]) / moments.units, moments.units)


def ratio_of(moments: Moments) -> ArmEstimate:
    """The sum of the first column over that of the second, with its variance by the delta method.

    >>> from assay.measures.counting.arms import moments_of
    >>> ratio_of(moments_of(np.array([1.0, 0, 2]), np.array([2.0, 2, 2]))).value
    0.5
    """
    if not moments.units or not moments.means[1]:
        return ArmEstimate(math.nan, math.nan, moments.units, "the denominator is 0")
    above, below = moments.means[:2]
    ratio = above / below
    (squares, products), (_, below_squares) = moments.covariances[:2, :2]
    off = squares - 2 * ratio * products + ratio**2 * below_squares
    return ArmEstimate(float(ratio), max(float(off), 0.0) / (moments.units * float(below) ** 2), moments.units)


def quantile_of(values: Floats, level: float) -> ArmEstimate:
    """A quantile of units' values, whose variance comes from the quantiles within the reach of its rank.

    >>> quantile_of(np.arange(1.0, 102.0), 0.5).value
    51.0
    """
    units = len(values)
    if not units:
        return ArmEstimate(math.nan, math.nan, 0, "no unit has a value")
    reach = _REACH * math.sqrt(level * (1 - level) / units)
    low, value, high = np.quantile(values, [max(level - reach, 0.0), level, min(level + reach, 1.0)])
    if level - reach < 0 or level + reach > 1:
        return ArmEstimate(float(value), math.nan, units)
    return ArmEstimate(float(value), float((high - low) / (2 * _REACH)) ** 2, units)


def adjusted(arms: Sequence[Moments], width: int) -> list[ArmEstimate]:
    """The arms' means (`width` 1) or ratios (2) of the first columns, adjusted by covariates in the others (CUPED).

    A ratio has a ratio as its covariate. What a unit adds to the number is regressed on what it adds to the covariate,
    over all arms together, and what the arms differ by in the covariate is taken off.

    >>> from assay.measures.counting.arms import moments_of
    >>> before = np.array([1.0, 2, 3, 4])
    >>> arms = [moments_of(before + 1, before), moments_of(before + 2, before + 1)]  # 1 more before, and after
    >>> [each.value for each in adjusted(arms, 1)], [round(each.variance, 12) for each in adjusted(arms, 1)]
    ([4.0, 4.0], [0.0, 0.0])
    """
    single = mean_of if width == 1 else ratio_of
    plain = [single(arm) for arm in arms]
    parts = [_linear(arm, width) for arm in arms]
    weights = np.array([arm.units for arm in arms], dtype=np.float64)
    covariance = sum(weight * part[1] for weight, part in zip(weights, parts, strict=True))
    variance = sum(weight * part[2] for weight, part in zip(weights, parts, strict=True))
    slope = covariance / variance if variance > 0 else 0.0
    before = np.array([part[3] for part in parts])
    middle = float(np.average(before, weights=weights))
    result = []
    for estimate, arm, (own, both, theirs, mean) in zip(plain, arms, parts, strict=True):
        left = max(own - 2 * slope * both + slope**2 * theirs, 0.0) / arm.units
        value = float(estimate.value - slope * (mean - middle))
        result.append(estimate._replace(value=value, variance=float(left)))
    return result


def _linear(arm: Moments, width: int) -> tuple[float, float, float, float]:
    """To first order, per unit: the variance of the number, its covariance with the covariate, the variance of that.

    And the covariate itself.
    """
    means, covariances = arm.means, arm.covariances
    if width == 1:
        own, before = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        covariate = float(means[1])
    else:
        above, below, above_before, below_before = means[:4]
        own = np.array([1 / below, -above / below**2, 0.0, 0.0])
        before = np.array([0.0, 0.0, 1 / below_before, -above_before / below_before**2])
        covariate = float(above_before / below_before)
    return (
        float(own @ covariances @ own), float(own @ covariances @ before), float(before @ covariances @ before),
        covariate,
    )  # fmt: skip


def lift(control: ArmEstimate, treatment: ArmEstimate) -> tuple[float, float]:
    """The relative difference of two independent numbers, and its standard error by the delta method.

    >>> lift(ArmEstimate(2.0, 0.01, 100), ArmEstimate(2.2, 0.01, 100))
    (0.1, 0.0743)
    """
    if not control.value:
        return math.nan, math.nan
    base = control.value
    variance = treatment.variance / base**2 + control.variance * treatment.value**2 / base**4
    return treatment.value / base - 1, math.sqrt(variance)
