"""The parts of a report on clusterings: the map with its items, silhouettes, clusters, classes, splits, numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from assay.cluster_curves import largest
from assay.clustering import Clustering
from assay.clustering.arrangement import arranged, bars_of
from assay.clustering.over_k import STABILITY, NumberOfClusters
from assay.core.digits import as_percent
from assay.core.errors import number_of
from assay.counting.contingency import Contingency
from assay.reporting.classifier_matrices import LONGEST_NAME, MOST_ITEMS, MOST_ITEMS_IN_ALL, named
from assay.reporting.cluster_contents import (
    ClassRow,
    ClusterRow,
    ContingencyMap,
    Groups,
    MapCell,
    Move,
    NumberOf,
    OverK,
    Part,
    SilhouetteCluster,
    SilhouetteItem,
    Silhouettes,
)
from assay.reporting.texts import told_apart
from assay.sections.clusterings import of_points

#: Of more classes and clusters than these, the largest are drawn.
MOST_CLASSES, MOST_CLUSTERS = 20, 30
#: Rows of the tables of clusters and classes, and of misplaced points.
MOST_ROWS, MOST_MISPLACED = 100, 12


def map_of(result: Clustering, system: str) -> ContingencyMap | None:
    """The classes and clusters of a clustering, what belongs together side by side; None if no classes are known."""
    table = result.contingency(system)
    if table is None:
        return None
    rows, columns = arranged(table)
    classes = largest(rows, table.class_sizes[0], MOST_CLASSES)
    clusters = largest(columns, table.cluster_sizes[0], MOST_CLUSTERS)
    shown = table.part(classes, clusters)
    of_class, of_cluster, total = table.class_sizes[0], table.cluster_sizes[0], float(table.items[0])
    most = table.largest_of_clusters[0]
    items = _items(result, system, table)
    cells = tuple(
        tuple(
            MapCell(
                float(shown[i, j]), float(shown[i, j] / of_class[row]), float(shown[i, j] / of_cluster[column]),
                float(shown[i, j] / total), bool(shown[i, j] and shown[i, j] == most[column]),
                *items.get((_text(table.classes[row]), _text(table.clusters[column])), ((), 0)),
            )
            for j, column in enumerate(clusters)
        )
        for i, row in enumerate(classes)
    )  # fmt: skip
    left_out = ""
    if shown.size < len(table.classes) * len(table.clusters):
        cut = [
            f"the {len(kept)} largest of {len(every):,} {what}"
            for what, kept, every in (("classes", classes, rows), ("clusters", clusters, columns))
            if len(kept) < len(every)
        ]
        of = "of the weight is" if table.is_weighted else "of the items are"
        left_out = f"Shown are {' and '.join(cut)}; {as_percent(1 - shown.sum() / total)} {of} in others."
    names = told_apart([_text(table.classes[at]) for at in classes], LONGEST_NAME)
    labels = told_apart([_text(table.clusters[at]) for at in clusters], LONGEST_NAME)
    return ContingencyMap(system, tuple(names), tuple(labels), cells, left_out)


def _text(label: Any) -> str:
    return "(none)" if label is None else str(label)


def _items(result: Clustering, system: str, table: Contingency) -> dict[tuple[str, str], tuple[tuple[str, ...], int]]:
    """The first items of each cell, and how many there are."""
    own = result.system(system).clusters
    if own is None or own.truth is None:
        return {}
    clusters = result.rules.clusters_of(own)
    frame = pl.DataFrame({"truth": own.truth.cast(pl.String), "cluster": clusters.cast(pl.String)})
    frame = frame.with_row_index("row").with_columns(pl.col("truth").fill_null("(none)")).drop_nulls("cluster")
    if None not in table.classes:
        frame = frame.filter(own.truth.is_not_null().gather(frame["row"]))
    every = {(truth, cluster): count for truth, cluster, count in frame.group_by("truth", "cluster").len().iter_rows()}
    most = max(1, min(MOST_ITEMS, MOST_ITEMS_IN_ALL // max(1, len(every))))
    first = frame.group_by("truth", "cluster", maintain_order=True).head(most)
    found: dict[tuple[str, str], list[str]] = {}
    ids = own.item_id.gather(first["row"]).to_list() if own.has_ids else [str(row + 1) for row in first["row"]]
    for truth, cluster, name in zip(first["truth"], first["cluster"], ids, strict=True):
        found.setdefault((truth, cluster), []).append(named(name))
    return {cell: (tuple(names), every[cell]) for cell, names in found.items()}


def silhouettes_of(result: Clustering, system: str) -> Silhouettes | None:
    """Silhouettes to draw, and the points that lie nearest to another cluster; None without points or with one cluster.

    Of many points nobody waits for silhouettes that were not asked for.
    """
    points = result.points(system)
    if points is None or "silhouette" not in result.per_cluster(system).columns:
        return None
    bars = bars_of(points)
    if bars is None:
        return None
    known = np.flatnonzero(points.silhouettes < 0)
    worst = known[np.argsort(points.silhouettes[known], kind="stable")][:MOST_MISPLACED]
    ids = points.item_id
    return Silhouettes(
        system,
        tuple(
            SilhouetteCluster(named(one.cluster), one.items, one.mean, tuple(map(float, one.values)))
            for one in bars.clusters
        ),
        bars.mean,
        bars.items,
        len(known),
        tuple(
            SilhouetteItem(
                named(row + 1 if ids is None else ids[int(row)]), named(points.clusters[points.codes[row]]),
                named(points.clusters[points.nearest[row]]), float(points.silhouettes[row]),
            )
            for row in worst
        ),
        ". ".join(filter(None, (bars.note, of_points(result, system).removesuffix(".")))),
    )  # fmt: skip


def groups_of(result: Clustering, system: str) -> Groups:
    """The clusters and classes of a clustering, its splits and merges."""
    clusters = result.per_cluster(system)
    known = result.contingency(system) is not None
    classes = result.per_class(system) if known else pl.DataFrame()
    rest = [
        number_of(f"smaller {what}", frame.height - MOST_ROWS)
        for what, frame in (("cluster", clusters), ("class", classes))
        if frame.height > MOST_ROWS
    ]
    return Groups(
        system,
        tuple(_cluster_row(row) for row in clusters.head(MOST_ROWS).iter_rows(named=True)),
        tuple(_class_row(row) for row in classes.head(MOST_ROWS).iter_rows(named=True)),
        tuple(_moves(result, system)) if known else (),
        " ".join(filter(None, (f"Not shown: {' and '.join(rest)}." if rest else "", of_points(result, system)))),
    )


def _cluster_row(row: dict[str, Any]) -> ClusterRow:
    return ClusterRow(
        named(row["cluster"]), float(row["items"]), row["share"], named(row.get("largest_class") or ""),
        *(_number(row.get(name)) for name in ("purity", "silhouette", "misplaced")),
    )  # fmt: skip


def _class_row(row: dict[str, Any]) -> ClassRow:
    return ClassRow(
        named(row["class"]), float(row["items"]), row["clusters"], named(row["largest_cluster"]), float(row["held"]),
        named(row["best_match"]), row["precision"], row["recall"], row["f1"],
    )  # fmt: skip


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _moves(result: Clustering, system: str) -> Iterator[Move]:
    for own in result.moves(system).partition_by("kind", "group", maintain_order=True)[:MOST_ROWS]:
        parts = tuple(
            Part(named(name), float(items), share)
            for name, items, share in own.select("part", "items", "share").iter_rows()
        )
        yield Move(own["kind"][0], named(own["group"][0]), parts)


def number_of_clusters_in(result: NumberOfClusters) -> NumberOf:
    """Measures over the number of clusters."""
    measures = tuple(
        OverK(
            name, result.ks, tuple(result.value(name, k) for k in result.ks),
            tuple(_spread(result, k) if name == STABILITY else math.nan for k in result.ks), result.preferred(name),
        )
        for name in result.names
    )  # fmt: skip
    return NumberOf(measures, result.says(), tuple(result.remarks()), tuple(result.basis()))


def _spread(result: NumberOfClusters, k: int) -> float:
    found = result.at(k).stability
    return math.nan if found is None else found.spread
