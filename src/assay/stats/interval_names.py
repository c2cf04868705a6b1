"""What the ways to an interval are called, in tables and in sentences."""

from __future__ import annotations

from typing import NamedTuple

BOOTSTRAP, SUBSAMPLING, NO_INTERVAL = "bootstrap", "subsampling", "none"


#: The ways that `interval=` names, of numbers that are made of units; "... intervals", in a sentence.
CHOSEN = {
    "hull": "hull of t and BCa bootstrap",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "t": "Student's t",
}


class Way(NamedTuple):
    """A way to an interval: its name for a table, and for a sentence ("intervals are ...")."""

    short: str
    said: str


#: The ways to intervals of classifiers and clusterings, by what `Estimate.method` calls them.
WAYS = {
    "wilson": Way("Wilson", "Wilson's"),
    "DeLong, logit": Way("DeLong (logit)", "DeLong's on the logit scale"),
    "exact bound": Way("exact bound", "exact one-sided bounds"),
    "t": Way("t distribution", "those of the t distribution"),
    BOOTSTRAP: Way("bootstrap of items", "those of the bootstrap"),
    SUBSAMPLING: Way("random halves of the items", "those of random halves of the items"),
}
#: The works to cite for all these ways, by their keys in the bibliography.
CITES = {
    "hull": ("student1908", "efron1987"),
    "bca": ("efron1987",),
    "percentile": ("efron1993",),
    "t": ("student1908",),
    "wilson": ("wilson1927",),
    "DeLong, logit": ("delong1988",),
    BOOTSTRAP: ("efron1993",),
    SUBSAMPLING: ("politis1994",),
}
