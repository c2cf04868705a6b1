"""The level of an interval: what it may be, and how far a normal interval of it reaches."""

from __future__ import annotations

from typing import Any

from assay.core.domains import CONFIDENCE


def checked_confidence(confidence: Any) -> float:
    """Accept a level between 0 and 1, and refuse percents and whatever else is none.

    >>> checked_confidence(0.95)
    0.95
    """
    return float(CONFIDENCE.check("confidence", confidence))


def standard_errors(confidence: float) -> float:
    """How many standard errors a normal number strays at most, to either side, with this confidence.

    >>> standard_errors(0.95)
    1.96
    """
    from scipy import special  # noqa: PLC0415  # slow to load

    return float(special.ndtri((1 + confidence) / 2))
