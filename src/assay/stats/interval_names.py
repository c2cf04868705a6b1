"""What the ways to an interval are called, in tables and in sentences."""

from __future__ import annotations

from typing import NamedTuple

BOOTSTRAP, NO_INTERVAL = "bootstrap", "none"


class Way(NamedTuple):
    """A way to an interval: its name for a table, and for a sentence ("intervals are ...")."""

    short: str
    said: str


#: The ways to a classifier's intervals, by what `Estimate.method` calls them.
WAYS = {
    "wilson": Way("Wilson", "Wilson's"),
    "DeLong, logit": Way("DeLong (logit)", "DeLong's on the logit scale"),
    "exact bound": Way("exact bound", "exact one-sided bounds"),
    "t": Way("t distribution", "those of the t distribution"),
    BOOTSTRAP: Way("bootstrap of items", "those of the bootstrap"),
}
