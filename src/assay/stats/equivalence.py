"""Are two systems as good as the same, or is one not worse by more than a margin: one-sided t tests on differences.

Not to find a difference is no proof that there is none. These tests ask the other way round: the null hypothesis is a
difference as large as the margin, and a small p-value speaks against it. They rest on the t distribution of the mean
of paired differences, which wants many units or differences that are not too skewed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from assay.core.domains import POSITIVE
from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats


class Equivalence(NamedTuple):
    """What two one-sided tests found.

    `p_above`: chance of a mean as high as this if the difference were minus the margin; `p_below`: of one as low if it
    were the margin. `p` decides: the larger of the two for equivalence, `p_above` alone for non-inferiority.
    """

    test: str
    mean: float
    margin: float
    p_above: float
    p_below: float
    p: float
    n: int
    note: str = ""


def equivalence_test(differences: Floats, margin: float) -> Equivalence:
    """Test whether the mean of paired differences lies between -margin and margin (TOST, two one-sided t tests).

    With p < alpha it does, and the interval at level 1 - 2 alpha lies within the margin: the two say the same.

    >>> equivalence_test(np.array([0.01, -0.02, 0.0, 0.02, -0.01, 0.01]), margin=0.03).p
    0.003
    """
    found = _both_sides("equivalence (TOST)", differences, margin)
    return found._replace(p=max(found.p_above, found.p_below) if found.n > 1 else np.nan)


def noninferiority_test(differences: Floats, margin: float) -> Equivalence:
    """Test whether the mean of paired differences is above -margin, in other words not worse by more than that.

    Differences are new less old, of a measure that is better when larger.

    >>> noninferiority_test(np.array([0.01, -0.02, 0.0, 0.02, -0.01, 0.01]), margin=0.01).p
    0.0549
    """
    found = _both_sides("non-inferiority", differences, margin)
    return found._replace(p=found.p_above)


def _both_sides(test: str, differences: Floats, margin: float) -> Equivalence:
    POSITIVE.check("the margin", margin)
    numbers = np.asarray(differences, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ParameterError("differences are a list of numbers, one a unit, without gaps")
    n = len(numbers)
    mean = float(numbers.mean()) if n else np.nan
    if n < 2:
        return Equivalence(test, mean, margin, np.nan, np.nan, np.nan, n, "no test with fewer than 2 units")
    error = float(numbers.std(ddof=1)) / np.sqrt(n)
    if error <= 1e-14 * max(abs(mean), margin):  # all differences the same: sure on both sides
        above, below = float(mean <= -margin), float(mean >= margin)
        return Equivalence(test, mean, margin, above, below, np.nan, n, "all differences are the same")
    above = float(special.stdtr(n - 1, -(mean + margin) / error))
    below = float(special.stdtr(n - 1, (mean - margin) / error))
    return Equivalence(test, mean, margin, above, below, np.nan, n)
