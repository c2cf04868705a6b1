"""What may hold clusterings, opened: one table each, by name."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from assay.clustering.result import Clustering
from assay.core.errors import InputError, ParameterError
from assay.counting.contingency import Contingency
from assay.files.sources import Source
from assay.tables.alignment import aligned_clusters
from assay.tables.clusters import Clusters

Opened: TypeAlias = Clusters | Contingency


def systems_in(given: Any) -> dict[str, Opened]:
    """What was given, by the names of the clusterings: clusters item by item, or a table of classes and clusters.

    >>> list(systems_in({"old": Clusters.of([0, 1], [1, 1]), "new": Contingency.from_table([[1, 0], [0, 1]])}))
    ['old', 'new']
    """
    found: dict[str, Opened] = {}
    for name, one in _found(given):
        if name in found:
            raise ParameterError(f"two clusterings are called {name!r}: give each a name of its own, in a dict")
        found[name] = dataclasses.replace(one, name=name) if isinstance(one, Clusters) else one
    if not found:
        raise ParameterError("expected clusters, got none")
    return found


def _found(given: Any) -> Iterator[tuple[str, Opened]]:
    if isinstance(given, Clusters):
        yield given.name, given
    elif isinstance(given, Contingency):
        if len(given.units) > 1:
            raise ParameterError(f"there are {len(given.units)} tables, one a unit: give one")
        yield "table", given
    elif isinstance(given, Clustering):
        for system in given.systems:
            yield system.name, system.counts[Contingency] if system.clusters is None else system.clusters
    elif isinstance(given, Mapping):
        for name, one in given.items():
            found = list(_found(one))
            yield from ((str(name) if len(found) == 1 else f"{name} {own}", held) for own, held in found)
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        for one in given:
            yield from _found(one)
    elif isinstance(given, str | os.PathLike | Source):
        from assay.files.clusters import read_clusters  # noqa: PLC0415  # only who reads files waits for readers

        yield from ((one.name, one) for one in read_clusters(given))
    else:
        raise ParameterError(
            f"expected Clusters, a Contingency or a path, not {type(given).__name__}: "
            "Clusters.of(labels_true, labels_pred) takes lists and arrays"
        )


def not_alike(systems: Sequence[Opened]) -> tuple[str, ...]:
    """A warning if clusterings are not of the same items with the same classes."""
    held = [one for one in systems if isinstance(one, Clusters)]
    try:
        aligned_clusters(held) if len(held) > 1 else None
    except InputError as problem:
        return (f"not the same items, so that numbers of clusterings cannot be held against each other: {problem}",)
    return ()
