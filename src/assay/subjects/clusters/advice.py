"""What a clustering's numbers mean for whoever relies on it: remarks, each with the number behind it.

A remark is made by a function that is registered under its code; `mute=("singletons",)` keeps it quiet.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import ParameterError, did_you_mean
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.points import Points
from assay.verbs.remarks import Remark

if TYPE_CHECKING:
    from assay.subjects.clusters.result import ClusteredSystem, Clustering


class ClusteringCase(NamedTuple):
    """A clustering with its counts, as far as there are any."""

    result: Clustering
    system: ClusteredSystem
    table: Contingency | None
    points: Points | None


Check = Callable[[ClusteringCase], Iterator[Remark]]
CHECKS: dict[str, Check] = {}


def remark(code: str) -> Callable[[Check], Check]:
    """Register a function as the maker of remarks with this code."""

    def register(check: Check) -> Check:
        CHECKS[code] = check
        return check

    return register


def codes() -> tuple[str, ...]:
    """The codes of all remarks, which can be muted.

    >>> "many_clusters" in codes()
    True
    """
    importlib.import_module("assay.subjects.clusters.remarks")  # which registers them
    return tuple(CHECKS)


def check_codes(mute: Sequence[str]) -> None:
    """Refuse a code that no remark has."""
    known = codes()
    for code in mute:
        if code not in known:
            raise ParameterError(f"no remark is called {code!r}: {', '.join(known)}{did_you_mean(code, known)}")


def advise(result: Clustering) -> tuple[Remark, ...]:
    """All remarks on all clusterings, but for those that were muted."""
    wanted = [code for code in codes() if code not in result.mute]
    remarks: list[Remark] = []
    for system in result.systems:
        case = ClusteringCase(result, system, system.counts.get(Contingency), system.counts.get(Points))
        for code in wanted:
            remarks += [remark._replace(system=system.name) for remark in CHECKS[code](case)]
    return tuple(remarks)
