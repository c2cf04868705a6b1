"""What intervals are called that come from no test of units; `core.words` names all of them for people."""

from __future__ import annotations

BOOTSTRAP, SUBSAMPLING, NO_INTERVAL = "bootstrap", "subsampling", "none"
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
}
