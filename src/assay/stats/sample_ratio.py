"""The sample-ratio check: were units divided between variants as they were meant to be?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from assay.measures.counting.judgments import Floats

#: A division of units that is less likely than the first is taken for a mistake in assigning or logging them; one less
#: likely than the second is suspicious.
MISMATCH, SUSPICIOUS = 0.001, 0.01


def mismatch(sizes: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """The chance that units are divided at least as unequally, if each variant gets its share; equal ones, unless told.

    Pearson's chi-squared test. NaN with fewer than two variants, or without units.

    >>> mismatch([50_500, 49_500]), mismatch([50_500, 49_500], weights=[0.5, 0.5])
    (0.0016, 0.0016)
    """
    counts: Floats = np.array(sizes, dtype=np.float64)
    shares: Floats = np.ones(len(counts)) if weights is None else np.array(weights, dtype=np.float64)
    if len(counts) < 2 or not counts.sum():
        return float("nan")
    expected = counts.sum() * shares / shares.sum()
    return float(special.chdtrc(len(counts) - 1, float(((counts - expected) ** 2 / expected).sum())))
