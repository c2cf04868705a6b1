"""Where a pair's parameters lie: intervals by the likelihood ratio, from what speaks for and against them."""

from __future__ import annotations

import numpy as np
from scipy import special

from assay.measures.counting.judgments import Floats
from assay.stats.click_models.convergence import FittingRules
from assay.stats.click_models.models import ParameterEvidence

#: Halvings: ends are known to about 1e-12.
_STEPS = 40


def likelihood_interval(
    value: Floats, evidence: ParameterEvidence, rules: FittingRules, confidence: float
) -> tuple[Floats, Floats]:
    """Both ends, with the other parameters as they are.

    The likelihood of one page is linear in a pair's parameter, so that its slope at the estimate says it all. Pages
    that speak for more, and those that speak for less, are each taken as so many pages of one slope that the sums of
    slopes and of their squares, the score and the observed information, are right.

    >>> counts = ParameterEvidence.of_counts(np.array([3.0]), np.array([7.0]), np.array([0.3]))
    >>> likelihood_interval(np.array([0.3]), counts, FittingRules(), 0.95)
    (array([0.0846]), array([0.6065]))
    """
    reach = float(special.ndtri((1 + confidence) / 2)) ** 2 / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.nan_to_num(evidence.up_squared / evidence.up)
        down = np.nan_to_num(evidence.down_squared / evidence.down)
        ups, downs = np.nan_to_num(evidence.up / up), np.nan_to_num(evidence.down / down)

    def fall(at: Floats) -> Floats:
        """How far the log-likelihood is below that of the estimate."""
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = (
                ups * np.log1p(np.maximum(up * (at - value), -1)),
                downs * np.log1p(np.maximum(-down * (at - value), -1)),
            )
            prior = (
                rules.clicks * np.log(at / value) if rules.clicks else 0.0,
                rules.skips * np.log((1 - at) / (1 - value)) if rules.skips else 0.0,
            )
            return -sum((np.where(np.isnan(term), 0.0, term) for term in (*terms, *prior)), np.zeros_like(at))

    known = ~np.isnan(value)
    ends = []
    for limit in (0.0, 1.0):
        inner, outer = np.where(known, value, 0.5), np.full(len(value), limit)
        reached = fall(outer) <= reach
        for _ in range(_STEPS):
            middle = (inner + outer) / 2
            inside = fall(middle) <= reach
            inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
        ends.append(np.where(known, np.where(reached, limit, inner), limit))
    return ends[0], ends[1]


def product_interval(
    first: tuple[Floats, Floats, Floats], second: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats]:
    """Both ends of a product, from two values with their ends: distances add up as squares, on the scale of logarithms.

    Where the product is 0, its upper end is the product of the upper ends.
    """
    (value, low, high), (other, other_low, other_high) = first, second
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.hypot(np.log(value / low), np.log(other / other_low))
        above = np.hypot(np.log(high / value), np.log(other_high / other))
        product = value * other
        lower = np.where(product > 0, product * np.exp(-below), 0.0)
        upper = np.where(product > 0, np.minimum(product * np.exp(above), high * other_high), high * other_high)
    return lower, upper
