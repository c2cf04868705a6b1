"""What estimation goes by: pseudo-counts, when it is done, and the course of what it maximises."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

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
    """What is maximised, before the first iteration and after each."""

    rules: FittingRules
    values: list[float] = field(default_factory=list)
    converged: bool = True

    def is_done(self, value: float) -> bool:
        """Whether to stop at this value."""
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
    """What the pseudo-counts add to the log-likelihood."""
    if not (rules.clicks or rules.skips):
        return 0.0
    known = values[~np.isnan(values)]
    with np.errstate(divide="ignore"):
        terms = (counts * np.log(each).sum() for counts, each in ((rules.clicks, known), (rules.skips, 1 - known))
                 if counts)  # fmt: skip
        return float(sum(terms))
