"""Clusterings to look at: silhouettes, classes by clusters, and measures over the number of clusters.

Each is an `assay.verbs.curves.Curve`: a table, one number per clustering, and a chart.

>>> from assay.subjects.clusters import curves as cluster_curves
>>> from assay import Clusters, cluster
>>> result = cluster(Clusters.of(list("xxo"), [0, 0, 1], X=[[0.0], [1.0], [9.0]]))
>>> cluster_curves.silhouettes(result).frame["silhouette"].round(4).to_list()
[0.8889, 0.875, 0.0]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, argument, number_of
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.show import charts
from assay.subjects.clusters.over_k import NumberOfClusters
from assay.subjects.clusters.result import Clustering, arranged
from assay.tables.clusters import label_text
from assay.verbs.curves import Curve

#: Of more classes or clusters, the largest are drawn: cells would be too small to see.
MOST_DRAWN = 70
_SUMMARY = {"system": pl.String, "measure": pl.String, "value": pl.Float64, "higher_is_better": pl.Boolean}


def silhouettes(result: Clustering, *, system: str | None = None) -> Curve:
    """The silhouette of each point, cluster by cluster, the largest first; of many points, some of them.

    >>> from assay import Clusters, cluster
    >>> result = cluster(Clusters.of(None, [0, 0, 1, 1], X=[[0.0], [1.0], [9.0], [9.5]]))
    >>> silhouettes(result).summary["value"].round(4).to_list()
    [0.9141]
    """
    frames, values, notes, sizes = [], [], [], []
    for name in _chosen(result, system):
        points = result.points(name)
        if points is None:
            raise ParameterError(f"{name}: silhouettes are of points, and there are none: say {argument('points')}")
        bars = result.bars(name)
        if bars is None:
            raise ParameterError(f"{name}: a single cluster has no silhouettes")
        notes += [f"{name}: {bars.note}"] if bars.note else []
        if len(bars.clusters) > charts.MOST_NAMED:
            notes.append(f"{name}: {len(bars.clusters):,} clusters are too many to name each beside its silhouettes")
        values.append((name, "Silhouette", bars.mean, True))
        sizes.append(number_of("point", points.items))
        ids = points.item_id
        frames += [
            pl.DataFrame(
                {
                    "system": [name] * len(each.values),
                    "cluster": [str(each.cluster)] * len(each.values),
                    "item": [str(row + 1) if ids is None else str(ids[row]) for row in each.rows.tolist()],
                    "silhouette": each.values,
                    "nearest": list(map(str, each.nearest)),
                }
            )
            for each in bars.clusters
        ]
    frame = pl.concat(frames)
    subtitle = f"{sizes[0]}, {result.rules.metric} distances"
    summary = pl.DataFrame(values, schema=_SUMMARY, orient="row")
    return Curve("silhouette", "Silhouettes, cluster by cluster", subtitle, frame, summary, tuple(notes))


def contingency(result: Clustering, *, system: str | None = None) -> Curve:
    """Items of each class in each cluster, those that belong together side by side.

    >>> from assay import Contingency, cluster
    >>> contingency(cluster(Contingency.from_table([[5, 1], [0, 4]]))).frame.select("items", "of_cluster").rows()
    [(5.0, 1.0), (1.0, 0.2), (0.0, 0.0), (4.0, 0.8)]
    """
    frames, values, sizes = [], [], []
    notes = list(result.warnings)
    for name in _chosen(result, system):
        table = result.contingency(name)
        if table is None:
            raise ParameterError(f"{name}: no classes are known: say {argument('truth')}")
        every = arranged(table)
        rows, columns = (
            largest(order, sizes[0], MOST_DRAWN)
            for order, sizes in zip(every, (table.class_sizes, table.cluster_sizes), strict=True)
        )
        if cut := left_out(table, rows, columns):
            notes.append(f"{name}: drawn are {cut}")
        cells = table.part(rows, columns)
        held = table.largest_of_clusters[0].sum() / table.cluster_sizes[0].sum()
        values.append((name, "Purity", float(held), True))
        sizes.append(number_of("class", len(table.classes)))
        classes = [label_text(table.classes[at]) for at in rows]
        clusters = [str(table.clusters[at]) for at in columns]
        across = len(clusters)
        frames.append(
            pl.DataFrame(
                {
                    "system": [name] * cells.size,
                    "class": np.repeat(classes, across),
                    "cluster": clusters * len(classes),
                    "items": cells.ravel(),
                    "of_class": (cells / table.class_sizes[0][rows][:, None]).ravel(),
                    "of_cluster": (cells / table.cluster_sizes[0][columns]).ravel(),
                }
            )
        )
    summary = pl.DataFrame(values, schema=_SUMMARY, orient="row")
    return Curve("contingency", "Classes in clusters", f"{sizes[0]}; shade: share of the cluster", pl.concat(frames),
                 summary, tuple(notes))  # fmt: skip


def over_k(result: NumberOfClusters) -> Curve:
    """Each measure over the number of clusters, and the number that it prefers.

    >>> from assay import number_of_clusters
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> over_k(number_of_clusters(X, [2, 3], measures="Silhouette", stability=False, resamples=2)).frame["k"].to_list()
    [2, 3]
    """
    preferred = {"system": list(result.names), "value": [result.preferred(name) for name in result.names]}
    summary = pl.DataFrame(preferred, schema={"system": pl.String, "value": pl.Int64})
    subtitle = f"{number_of('point', result.items)}, {result.by}"
    title = "Measures over the number of clusters"
    return Curve("over_k", title, subtitle, result.to_frame(), summary, result.warnings)


def largest(order: Ints, sizes: Floats, most: int) -> list[int]:
    """The places of the largest groups, in the order given.

    >>> largest(np.array([2, 0, 1]), np.array([5.0, 1.0, 7.0]), most=2)
    [2, 0]
    """
    kept = set(np.argsort(-sizes, kind="stable")[:most].tolist())
    return [int(at) for at in order if int(at) in kept]


def left_out(table: Contingency, classes: Sequence[int], clusters: Sequence[int]) -> str:
    """The classes and clusters of a table that are kept, where some are left out; else nothing."""
    kinds = (("classes", classes, table.classes), ("clusters", clusters, table.clusters))
    cut = [f"the {len(kept)} largest of {len(of):,} {what}" for what, kept, of in kinds if len(kept) < len(of)]
    return " and ".join(cut)


def _chosen(result: Clustering, system: str | None) -> list[str]:
    return [each.name for each in result.systems] if system is None else [result.system(system).name]
