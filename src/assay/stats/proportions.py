"""The interval of a proportion: so many of so many, each counted by itself."""

from __future__ import annotations

import math

from assay.core.errors import ParameterError
from assay.stats.bootstrap import Interval
from assay.stats.confidence import checked_confidence, standard_errors


def wilson(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval: all proportions that a test would not reject. Good for few trials and near 0 and 1.

    >>> wilson(8, 10)
    Interval(low=0.4902, high=0.9433, level=0.95, method='wilson')
    >>> wilson(10, 10).low
    0.7225
    """
    checked_confidence(confidence)
    if not 0 <= successes <= trials:
        raise ParameterError(f"expected from 0 to {trials:g} successes in {trials:g} trials, got {successes:g}")
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
