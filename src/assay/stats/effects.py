"""How large a difference is: in standard deviations, in overlap, in units won and lost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures.counting.judgments import Floats
from assay.stats.rounding import ROUNDING


class Wins(NamedTuple):
    """On how many units the second of two systems has the larger number, the same, the smaller one."""

    won: int
    tied: int
    lost: int


def wins(differences: Floats) -> Wins:
    """Count the units won, tied and lost.

    >>> wins(np.array([0.2, 0.0, -0.1, 0.3]))
    Wins(won=2, tied=1, lost=1)
    """
    won, lost = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    return Wins(won, len(differences) - won - lost, lost)


def d_z(differences: Floats) -> float:
    """The mean of paired differences in their standard deviations; NaN where they do not vary.

    >>> d_z(np.array([0.1, 0.2, 0.3]))  # 0.2 / 0.1
    2.0
    """
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    mean = float(differences.mean()) if len(differences) else float("nan")
    # A spread that is a tiny part of the mean is rounding.
    return mean / spread if spread > ROUNDING * abs(mean) and spread > 0 else float("nan")


def cliffs_delta(first: Floats, second: Floats) -> float:
    """How much more often a value of the second system exceeds one of the first than the other way round, -1 to 1.

    All values are held against all, whatever their units: 0 is full overlap, 1 none with the second above.

    >>> cliffs_delta(np.array([1.0, 2.0]), np.array([2.0, 3.0]))  # 3 of 4 pairs above, 1 tied
    0.75
    """
    ordered = np.sort(first)
    below = np.searchsorted(ordered, second, side="left").sum()
    not_above = np.searchsorted(ordered, second, side="right").sum()
    pairs = len(first) * len(second)
    return float(below - (pairs - not_above)) / pairs if pairs else float("nan")
