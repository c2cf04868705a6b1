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


def systems_in(clusters: Any) -> dict[str, Opened]:
    """What was given, by the names of the clusterings: clusters item by item, or a table of classes and clusters.

    >>> list(systems_in({"old": Clusters.of([0, 1], [1, 1]), "new": Contingency.from_table([[1, 0], [0, 1]])}))
    ['old', 'new']
    """
    systems: dict[str, Opened] = {}
    for name, table in _found(clusters):
        if name in systems:
            raise ParameterError(f"two clusterings are called {name!r}: give each a name of its own, in a dict")
        systems[name] = dataclasses.replace(table, name=name) if isinstance(table, Clusters) else table
    if not systems:
        raise ParameterError("expected clusters, got none")
    return systems


def _found(clusters: Any) -> Iterator[tuple[str, Opened]]:
    if isinstance(clusters, Clusters):
        yield clusters.name, clusters
    elif isinstance(clusters, Contingency):
        if len(clusters.units) > 1:
            raise ParameterError(f"there are {len(clusters.units)} tables, one a unit: give one")
        yield "table", clusters
    elif isinstance(clusters, Clustering):
        for system in clusters.systems:
            yield system.name, system.counts[Contingency] if system.clusters is None else system.clusters
    elif isinstance(clusters, Mapping):
        for name, part in clusters.items():
            parts = list(_found(part))
            yield from ((str(name) if len(parts) == 1 else f"{name} {part_name}", held) for part_name, held in parts)
    elif isinstance(clusters, Sequence) and not isinstance(clusters, str | bytes):
        for part in clusters:
            yield from _found(part)
    elif isinstance(clusters, str | os.PathLike | Source):
        from assay.files.clusters import read_clusters  # noqa: PLC0415  # only who reads files waits for readers

        yield from ((table.name, table) for table in read_clusters(clusters))
    else:
        raise ParameterError(
            f"expected Clusters, a Contingency or a path, not {type(clusters).__name__}: "
            "Clusters.of(labels_true, labels_pred) takes lists and arrays"
        )


def not_alike(systems: Sequence[Opened]) -> tuple[str, ...]:
    """A warning if clusterings are not of the same items with the same classes."""
    held = [system for system in systems if isinstance(system, Clusters)]
    try:
        aligned_clusters(held) if len(held) > 1 else None
    except InputError as problem:
        return (f"not the same items, so that numbers of clusterings cannot be held against each other: {problem}",)
    return ()
