"""How clusterings are laid out to be looked at: the order of classes and clusters, and silhouettes as bars."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.counting.contingency import Contingency
from assay.counting.judgments import Floats, Ints
from assay.counting.points import Points

#: So many bars at most: more cannot be told apart.
MOST_BARS = 2_000


def arranged(table: Contingency) -> tuple[Ints, Ints]:
    """The places of classes and clusters in the order to show them: what belongs together stands on the diagonal.

    The largest class comes first, and beside it the clusters that it is the largest class of.

    >>> arranged(Contingency.from_table([[0, 2], [5, 1]]))
    (array([1, 0]), array([0, 1]))
    """
    rows = np.argsort(-table.class_sizes[0], kind="stable")
    place = np.empty_like(rows)
    place[rows] = np.arange(len(rows))
    counts = table.counts[0].astype(np.float64)
    # Of each cluster the cell with its largest class; of equal ones that of the larger class.
    order = np.lexsort((place[table.row], -counts, table.column))
    largest = order[np.searchsorted(table.column[order], np.arange(len(table.clusters)))]
    columns = np.lexsort((-counts[largest], place[table.row[largest]]))
    return rows, columns


class ClusterBars(NamedTuple):
    """Silhouettes of one cluster, the largest first: of all its points, or of some, evenly spaced among them."""

    cluster: Any
    items: int
    mean: float
    values: Floats
    #: The row of each among the points, and its nearest other cluster.
    rows: Ints
    nearest: tuple[Any, ...]


class Bars(NamedTuple):
    """Silhouettes as bars, cluster by cluster, the largest mean first; `items` are all that have a silhouette."""

    clusters: tuple[ClusterBars, ...]
    mean: float
    items: int

    @property
    def drawn(self) -> int:
        """How many of them have a bar."""
        return sum(len(cluster.values) for cluster in self.clusters)

    @property
    def note(self) -> str:
        """What is said where not all have one; else nothing."""
        if self.drawn == self.items:
            return ""
        return f"{self.drawn:,} of {self.items:,} silhouettes are drawn, evenly spaced within each cluster"


def bars_of(points: Points, most: int = MOST_BARS) -> Bars | None:
    """The silhouettes to draw; None if there is one cluster only.

    >>> bars = bars_of(Points.of([0, 1, 2, 10, 11], list("aaabb")))
    >>> [(one.cluster, one.values.round(2).tolist()) for one in bars.clusters]
    [('b', [0.9, 0.89]), ('a', [0.89, 0.86, 0.82])]
    """
    if len(points.clusters) < 2:  # one is nearest to nothing
        return None
    # A sample of the silhouettes has some of every cluster.
    known = np.flatnonzero(~np.isnan(points.silhouettes))
    codes = points.codes[known]
    share = min(1.0, most / len(known))
    order = np.lexsort((-points.silhouettes[known], codes))
    in_clusters = np.split(known[order], np.cumsum(np.bincount(codes))[:-1])
    clusters = []
    for code, (label, values) in enumerate(zip(points.clusters, in_clusters, strict=True)):
        kept = values[np.linspace(0, len(values) - 1, max(1, round(share * len(values)))).round().astype(np.int64)]
        nearest = tuple(points.clusters[at] for at in points.nearest[kept])
        mean = float(points.silhouettes[values].mean())
        clusters.append(ClusterBars(label, int(points.sizes[code]), mean, points.silhouettes[kept], kept, nearest))
    clusters.sort(key=lambda cluster: -cluster.mean)
    total = sum(cluster.mean * cluster.items for cluster in clusters) / sum(cluster.items for cluster in clusters)
    return Bars(tuple(clusters), total, len(known))
