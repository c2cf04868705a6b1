"""Intervals: what they are called, what their level may be, and how far a normal one reaches."""

from __future__ import annotations

from typing import Any

from assay.core.domains import CONFIDENCE

#: What intervals are called that come from no test of units; `core.words` names all of them for people.
BOOTSTRAP, SUBSAMPLING, JACKKNIFE, NO_INTERVAL = "bootstrap", "subsampling", "jackknife", "none"
#: The works to cite for ways to an interval, by their keys in the bibliography.
CITES = {
    "hull": ("student1908", "efron1987"),
    "bca": ("efron1987",),
    "percentile": ("efron1993",),
    "t": ("student1908",),
    "wilson": ("wilson1927",),
    "DeLong, logit": ("delong1988",),
    BOOTSTRAP: ("efron1993",),
    SUBSAMPLING: ("politis1994",),
    JACKKNIFE: ("efron1993",),
}


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
