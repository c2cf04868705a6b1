"""Intervals of proportions: so many of so many, each counted by itself."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from scipy import special

from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.stats.bootstrap import Interval
from assay.stats.confidence import checked_confidence, standard_errors

ProportionMethod: TypeAlias = Literal["wilson", "clopper_pearson", "agresti_coull", "normal"]


def proportion_interval(
    successes: float, trials: float, confidence: float = 0.95, method: ProportionMethod = "wilson"
) -> Interval:
    """The interval of a proportion by the method of that name; no trials, no interval.

    >>> proportion_interval(8, 10, method="clopper_pearson")
    Interval(low=0.4439, high=0.9748, level=0.95, method='clopper_pearson')
    """
    known = {"wilson": wilson, "clopper_pearson": clopper_pearson, "agresti_coull": agresti_coull, "normal": normal}
    Choice(known).check("method", method)
    return known[method](successes, trials, confidence)


def wilson(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval: all proportions that a test would not reject. Good for few trials and near 0 and 1.

    >>> wilson(8, 10)
    Interval(low=0.4902, high=0.9433, level=0.95, method='wilson')
    >>> wilson(10, 10).low
    0.7225
    """
    _check(successes, trials, confidence)
    if not trials:
        return Interval.unknown(confidence, "wilson")
    z2 = standard_errors(confidence) ** 2
    share = successes / trials
    middle = share + z2 / (2 * trials)
    reach = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2)))
    low, high = ((middle + side * reach) / (1 + z2 / trials) for side in (-1, 1))
    # Rounding may leave a trifle where the end is 0 or 1 exactly.
    return Interval(
        0.0 if not successes else max(low, 0.0), 1.0 if successes == trials else min(high, 1.0), confidence, "wilson"
    )


def clopper_pearson(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """Clopper and Pearson's exact interval: it never covers less often than it says, and mostly more often.

    >>> clopper_pearson(0, 10)
    Interval(low=0.0, high=0.3085, level=0.95, method='clopper_pearson')
    """
    _check(successes, trials, confidence)
    if not trials:
        return Interval.unknown(confidence, "clopper_pearson")
    tail, failures = (1 - confidence) / 2, trials - successes
    low = 0.0 if not successes else float(special.betaincinv(successes, failures + 1, tail))
    high = 1.0 if not failures else float(special.betaincinv(successes + 1, failures, 1 - tail))
    return Interval(low, high, confidence, "clopper_pearson")


def agresti_coull(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """Agresti and Coull's interval: the normal one around Wilson's middle, cut off at 0 and 1.

    >>> agresti_coull(8, 10)
    Interval(low=0.4794, high=0.9541, level=0.95, method='agresti_coull')
    """
    _check(successes, trials, confidence)
    if not trials:
        return Interval.unknown(confidence, "agresti_coull")
    z2 = standard_errors(confidence) ** 2
    share = (successes + z2 / 2) / (trials + z2)
    return _around(share, math.sqrt(z2 * share * (1 - share) / (trials + z2)), confidence, "agresti_coull")


def normal(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """The textbooks' interval, which is too narrow for few trials and near 0 and 1; cut off there.

    >>> normal(8, 10)
    Interval(low=0.5521, high=1.0, level=0.95, method='normal')
    """
    _check(successes, trials, confidence)
    if not trials:
        return Interval.unknown(confidence, "normal")
    share = successes / trials
    return _around(share, standard_errors(confidence) * math.sqrt(share * (1 - share) / trials), confidence, "normal")


def _around(share: float, reach: float, confidence: float, method: str) -> Interval:
    return Interval(max(share - reach, 0.0), min(share + reach, 1.0), confidence, method)


def _check(successes: float, trials: float, confidence: float) -> None:
    checked_confidence(confidence)
    if not 0 <= successes <= trials:
        raise ParameterError(f"expected from 0 to {trials:g} successes in {trials:g} trials, got {successes:g}")
