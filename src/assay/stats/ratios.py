"""The ratio of two sums over units, such as clicks per page over users, with its interval."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import FEWEST_DRAWN, Method, intervals, weights
from assay.stats.estimates import Estimate

#: Of more units than this nothing is drawn: the jackknife, which is the delta method, says the same.
MOST_DRAWN = 5_000


def ratio_of_sums(
    above: Floats,
    below: Floats,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """The sum of `above` over that of `below`, with an interval over the units, each of which has one of both.

    Units are drawn anew; of very many, the interval is the one of the delta method. Undefined where `below` adds up to
    0; without an interval where there are fewer than two units. `bounds`: what it cannot be below or above.

    >>> ratio_of_sums(np.array([1.0, 0.0, 2.0]), np.array([2.0, 1.0, 3.0])).value  # 3 / 6
    0.5
    """
    counted = below != 0
    above, below = above[counted], below[counted]
    if not len(below) or not below.sum():
        return Estimate(np.nan, np.nan, np.nan, "none", "nothing to divide by")
    value = float(above.sum() / below.sum())
    if len(below) < 2:
        return Estimate(value, np.nan, np.nan, "none", no_interval="one unit alone does not vary")
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (above.sum() - above) / (below.sum() - below)
    redraws = np.empty(0)
    if resamples and FEWEST_DRAWN <= len(below) <= MOST_DRAWN:
        # Sums of a fixed order, so that threads do not matter.
        redraws = np.concatenate(
            [
                np.einsum("ru,u->r", w, above) / np.einsum("ru,u->r", w, below)
                for w in weights(len(below), resamples, seed)
            ]
        )
    method: Method = "hull" if len(redraws) else "t"
    (interval,) = intervals(redraws, value, without, [confidence], method)
    interval = interval.within(bounds)
    return Estimate(value, interval.low, interval.high, interval.method, resamples=len(redraws))
