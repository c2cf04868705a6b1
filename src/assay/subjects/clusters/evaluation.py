"""`cluster`: clusterings opened, counted and measured."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, listed
from assay.core.options import NoisePolicy, UnlabelledPolicy
from assay.files.sources import Source
from assay.measures.counting.contingency import Contingency
from assay.measures.registry import Measure
from assay.stats.estimates import checked_confidence
from assay.subjects.clusters.remarks import REMARKS
from assay.subjects.clusters.result import ClusteredSystem, Clustering, ClusteringView
from assay.subjects.clusters.rules import Rules, computed, counts_of_all, measures_of, uneven_columns
from assay.tables.alignment import aligned
from assay.tables.clusters import Clusters
from assay.tables.roles import ColumnNames, is_frame, named_by
from assay.verbs.item_results import named_systems, not_alike

Opened: TypeAlias = Clusters | Contingency


def systems_in(clusters: Any) -> dict[str, Opened]:
    """The inputs by the names of the clusterings: clusters item by item, or a table of classes and clusters.

    >>> list(systems_in({"old": Clusters.of([0, 1], [1, 1]), "new": Contingency.from_table([[1, 0], [0, 1]])}))
    ['old', 'new']
    """
    systems = named_systems(clusters, _systems, "clustering", "clusters")
    return {
        name: dataclasses.replace(table, name=name) if isinstance(table, Clusters) else table
        for name, table in systems.items()
    }


def items_in(clusters: Any) -> list[Clusters]:
    """The clusters of items that were given, to be paired; a table has no items."""
    opened = systems_in(clusters).values()
    held = [table for table in opened if isinstance(table, Clusters)]
    if len(held) < len(opened):
        raise InputError("a table of classes and clusters holds no items to pair: give the clusters of each item")
    return held


def _systems(clusters: Any) -> Iterator[tuple[str, Opened]]:
    if isinstance(clusters, Clusters):
        yield clusters.name, clusters
    elif isinstance(clusters, Contingency):
        if len(clusters.units) > 1:
            raise ParameterError(f"expected one table of classes and clusters, got {len(clusters.units)}")
        yield "table", clusters
    elif isinstance(clusters, Clustering):
        for system in clusters.systems:
            yield system.name, system.counts[Contingency] if system.clusters is None else system.clusters
    elif isinstance(clusters, str | os.PathLike | Source) or is_frame(clusters):
        from assay.files.clusters import read_clusters  # noqa: PLC0415  # only who reads files waits for readers

        yield from ((table.name, table) for table in read_clusters(clusters))
    else:
        raise ParameterError(
            f"expected Clusters, a Contingency, a path or a data frame, got {type(clusters).__name__}: "
            "Clusters.of(labels_true, labels_pred) takes lists and arrays"
        )


def cluster(
    given: Any,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    noise: Any = None,
    noise_as: NoisePolicy = "drop",
    unlabelled: UnlabelledPolicy = "error",
    metric: str = "euclidean",
    sample_size: int | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    columns: ColumnNames = None,
    mute: Sequence[str] | str = (),
    shown: ClusteringView | None = None,
) -> Clustering:
    """Evaluate one clustering or several: against classes, if they are known, and by the points, if they are given.

    `given` are `Clusters`, a `Contingency`, a data frame or the path of a file; or a list of such, or a dict from names
    to them. `columns`: which columns of a file or a frame have which role, as in `columns={"cluster": "Group"}`.
    `noise`: the label of items that are in no cluster, such as -1. `noise_as`: `drop` leaves them out, `singletons`
    makes each a cluster of its own, `cluster` keeps them together. `unlabelled`, for items without a class: `error`,
    `drop`, or `class`, a class of their own; measures of points take all items. `metric`: the distance of points,
    `precomputed` if they are distances. `sample_size`: so many items' silhouettes are averaged, not all.

    `confidence`, `resamples` and `seed` are for intervals, which come from random halves of the items. `mute`: codes of
    remarks not to be made, such as "singletons".

    >>> from assay import Clusters, cluster
    >>> result = cluster(Clusters.of(list("xxxoo"), [1, 1, 2, 2, 2]), ["Purity", "ARI"])
    >>> result.value("Purity")  # (2 + 2) / 5
    0.8
    """
    mute = (mute,) if isinstance(mute, str) else tuple(mute)
    REMARKS.refuse_unknown(mute)
    checked_confidence(confidence)
    resamples, seed = Whole(1).check("resamples", resamples), Whole(0).check("seed", seed)
    rules = Rules(noise, noise_as, unlabelled, metric, sample_size).checked()
    with named_by(columns):
        opened = systems_in(given)
    counts = dict(zip(opened, counts_of_all(list(opened.values()), rules, seed), strict=True))
    chosen = measures_of(measures, list(counts.values()))
    if not chosen:
        parts = [f"{name} has {'classes' if Contingency in held else 'points'} only" for name, held in counts.items()]
        raise InputError(f"no measure fits all clusterings: {', '.join(parts)}: measure them apart")
    systems = tuple(
        ClusteredSystem(
            name,
            table if isinstance(table, Clusters) else None,
            counts[name],
            {measure: computed(measure, counts[name], name) for measure in chosen},
        )
        for name, table in opened.items()
    )
    itemised = [table for table in opened.values() if isinstance(table, Clusters)]
    warnings = [warning for table in itemised for warning in (*table.warnings, *uneven_columns(table, metric))]
    for name, table in opened.items():
        warnings += _empty_groups(name, table, counts[name][Contingency]) if isinstance(table, Contingency) else []
    if noise is not None and not any(rules.noisy(table).any() for table in itemised):
        warnings.append(f"no item has the label of noise, {noise!r}")
    return Clustering(
        systems,
        chosen,
        rules,
        ClusteringView() if shown is None else shown,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        mute=mute,
        warnings=tuple(dict.fromkeys([*warnings, *not_alike(itemised, aligned, "clustering")])),
    )


def _empty_groups(name: str, table: Contingency, held: Contingency) -> Iterator[str]:
    """A warning of classes and clusters of a table that hold no items, and are left out."""
    for what, names, kept in (("class", table.classes, held.classes), ("cluster", table.clusters, held.clusters)):
        if absent := [str(label) for label in names if label not in kept]:
            yield f"{name}: no items in {what} {listed(absent)}: left out"
