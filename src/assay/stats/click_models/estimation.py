"""Parts of estimation: pseudo-counts, when it is done, and the course of what it maximises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy import special

from assay.measures.counting.judgments import Floats


@dataclass(frozen=True)
class FittingRules:
    """Pseudo-clicks and pseudo-skips added to every parameter, and how long iterations go on.

    Both 0: plain maximum likelihood. Else what is maximised is the log-likelihood plus `clicks` log θ + `skips`
    log (1 - θ) of every parameter θ. `tolerance`: iterations end when they add less than this share of it.
    """

    clicks: float = 0.0
    skips: float = 0.0
    iterations: int = 500
    tolerance: float = 1e-7


@dataclass
class Trace:
    """The value that is maximised, before the first iteration and after each."""

    rules: FittingRules
    values: list[float] = field(default_factory=list)
    converged: bool = True

    def is_done(self, value: float) -> bool:
        """True if it is time to stop at this value."""
        self.values.append(value)
        gained = np.inf if len(self.values) < 2 else value - self.values[-2]
        self.converged = bool(gained <= self.rules.tolerance * abs(value))
        return self.converged or len(self.values) > self.rules.iterations


def share(counts: Floats, of: Floats, rules: FittingRules, otherwise: Floats | float = np.nan) -> Floats:
    """Counts of what they are counted from, pseudo-counts added; `otherwise` where that is nothing.

    >>> share(np.array([1.0, 0.0]), np.array([2.0, 0.0]), FittingRules(1, 1))
    array([0.5, 0.5])
    >>> share(np.zeros(1), np.zeros(1), FittingRules(), 0.5)
    array([0.5])
    """
    total = of + rules.clicks + rules.skips
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, np.minimum((counts + rules.clicks) / total, 1.0), otherwise)


def penalty(values: Floats, rules: FittingRules) -> float:
    """The part of the pseudo-counts in the log-likelihood."""
    if not (rules.clicks or rules.skips):
        return 0.0
    known = values[~np.isnan(values)]
    with np.errstate(divide="ignore"):
        terms = (counts * np.log(each).sum() for counts, each in ((rules.clicks, known), (rules.skips, 1 - known))
                 if counts)  # fmt: skip
        return float(sum(terms))


class ParameterEvidence(NamedTuple):
    """Slopes of the likelihood of a pair's results in a parameter: their sums, and sums of squares."""

    up: Floats
    up_squared: Floats
    down: Floats
    down_squared: Floats

    @classmethod
    def of_counts(cls, yes: Floats, no: Floats, value: Floats) -> ParameterEvidence:
        """The evidence of so many times yes and no."""
        with np.errstate(divide="ignore", invalid="ignore"):
            up, down = np.where(yes > 0, 1 / value, 0.0), np.where(no > 0, 1 / (1 - value), 0.0)
        return cls(yes * up, yes * up**2, no * down, no * down**2)


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
        """The fall of the log-likelihood below that of the estimate."""
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
        inner = np.where(known, value, 0.5)
        outer = np.full(len(value), limit)
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
