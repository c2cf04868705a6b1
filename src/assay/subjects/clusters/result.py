"""`Clustering`: measures of clusterings with intervals; clusters and classes one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import ParameterError, argument, number_of
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.stats.estimates import Estimate
from assay.stats.samples import Drawing
from assay.subjects.clusters.halves import Halves, estimates_of
from assay.subjects.clusters.rules import Rules, cluster_signature, measure_of
from assay.tables import Scores
from assay.tables.clusters import Clusters, label_text
from assay.verbs.item_results import ItemResult

if TYPE_CHECKING:
    from assay.verbs.subject import Remark


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
        """The number of them that have a bar."""
        return sum(len(cluster.values) for cluster in self.clusters)

    @property
    def note(self) -> str:
        """A note where not all have one; else nothing."""
        if self.drawn == self.items:
            return ""
        return f"{self.drawn:,} of {self.items:,} silhouettes are drawn, evenly spaced within each cluster"


def bars_of(points: Points, most: int = MOST_BARS) -> Bars | None:
    """The silhouettes to draw; None if there is one cluster only.

    >>> bars = bars_of(Points.of([0, 1, 2, 10, 11], list("aaabb")))
    >>> [(bar.cluster, bar.values.round(2).tolist()) for bar in bars.clusters]
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


#: A class is split over the clusters that hold at least this share of it, and of items so many; likewise merged ones.
PART, FEWEST = 0.10, 2


def clusters_of(table: Contingency | None, points: Points | None) -> pl.DataFrame:
    """One row a cluster: its items and their share of all, its largest class, its silhouette; the largest first.

    >>> table = Contingency.from_labels(list("xxxoo"), [1, 1, 2, 2, 2])
    >>> clusters_of(table, None).select("cluster", "items", "largest_class", "purity").rows()
    [('2', 3, 'o', 0.6667), ('1', 2, 'x', 1.0)]
    """
    table_of_clusters: pl.DataFrame | None = None
    if table is not None:
        sizes, held = table.cluster_sizes[0], table.largest_of_clusters[0]
        place = _first_of_largest(table.counts[0].astype(np.float64), table.column, len(sizes))
        table_of_clusters = pl.DataFrame(
            {
                "cluster": _texts(table.clusters),
                "items": _counts(sizes, table),
                "share": sizes / sizes.sum(),
                "largest_class": _texts([table.classes[at] for at in table.row[place]]),
                "of_largest": _counts(held, table),
                "purity": held / sizes,
            }
        )
    if points is not None:
        shapes = _shapes(points)
        # Items without a class have a point, too: clusters of such items only have no row in the table of classes.
        table_of_clusters = (
            shapes
            if table_of_clusters is None
            else table_of_clusters.join(shapes.drop("items", "share"), on="cluster", how="left")
        )
    if table_of_clusters is None:
        return pl.DataFrame()
    return table_of_clusters.sort("items", descending=True, maintain_order=True)


def _shapes(points: Points) -> pl.DataFrame:
    """Items, mean silhouette and mean distances of each cluster, and the share of points nearer to another one."""
    frame = points.per_cluster().with_columns(cluster=_texts(points.clusters))
    looked_at = slice(None) if points.chosen is None else points.chosen
    codes = points.codes[looked_at]
    negative = points.silhouettes[looked_at] < 0
    shares = np.bincount(codes, weights=negative, minlength=len(points.clusters)) / np.bincount(codes)
    misplaced = pl.Series(shares) if len(points.clusters) > 1 else pl.lit(None, dtype=pl.Float64)
    share = pl.col("items") / pl.col("items").sum()
    return frame.select("cluster", "items", share=share, silhouette="silhouette", misplaced=misplaced,
                        within_distance="within_distance", between_distance="between_distance")  # fmt: skip


def classes_of(table: Contingency) -> pl.DataFrame:
    """One row a class: its items, the cluster that holds most of it, and the one that matches it best; largest first.

    Best is what has the largest F1 of all clusters, each taken as a guess at the class: `precision` is the share of
    the cluster that is of the class, `recall` the share of the class that is in the cluster.

    >>> table = Contingency.from_labels(list("xxxoo"), [1, 1, 2, 2, 2])
    >>> classes_of(table).select("class", "best_match", "precision", "recall", "f1").rows()
    [('x', '1', 1.0, 0.6667, 0.8), ('o', '2', 0.6667, 1.0, 0.8)]
    """
    counts = table.counts[0].astype(np.float64)
    sizes, clusters = table.class_sizes[0], table.cluster_sizes[0]
    f1 = 2 * counts / (sizes[table.row] + clusters[table.column])
    most, best = (_first_of_largest(values, table.row, len(sizes)) for values in (counts, f1))
    frame = pl.DataFrame(
        {
            "class": _texts(table.classes),
            "items": _counts(sizes, table),
            "clusters": np.bincount(table.row, minlength=len(sizes)),
            "largest_cluster": _texts([table.clusters[at] for at in table.column[most]]),
            "held": _counts(counts[most], table),
            "best_match": _texts([table.clusters[at] for at in table.column[best]]),
            "precision": counts[best] / clusters[table.column[best]],
            "recall": counts[best] / sizes,
            "f1": f1[best],
        }
    )
    return frame.sort("items", descending=True, maintain_order=True)


def moves_of(table: Contingency) -> pl.DataFrame:
    """Classes that are split over several clusters, and clusters that merge several classes; a row a part.

    Parts of less than a tenth of the group, or of a single item, do not make a split.

    >>> table = Contingency.from_table([[4, 4, 0], [0, 0, 5]], classes="xo", clusters="abc")
    >>> moves_of(table).rows()
    [('split', 'x', 'a', 4, 0.5), ('split', 'x', 'b', 4, 0.5)]
    """
    rows = [
        *_parts("split", table.counts[0], (table.row, table.classes), (table.column, table.clusters)),
        *_parts("merged", table.counts[0], (table.column, table.clusters), (table.row, table.classes)),
    ]
    items = pl.Float64 if table.counts.dtype.kind == "f" else pl.Int64
    schema = {"kind": pl.String, "group": pl.String, "part": pl.String, "items": items, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _parts(
    kind: str, counts: NDArray[Any], whole: tuple[Ints, tuple[Any, ...]], within: tuple[Ints, tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    (group, groups), (part, parts) = whole, within
    sizes = np.bincount(group, weights=counts, minlength=len(groups))
    share = counts / sizes[group]
    large = np.flatnonzero((share >= PART) & (counts >= FEWEST))
    several = np.bincount(group[large], minlength=len(groups)) > 1
    kept = large[several[group[large]]]
    # The largest group first, and in it the largest part.
    order = kept[np.lexsort((part[kept], -counts[kept], group[kept], -sizes[group[kept]]))]
    for cell in order.tolist():
        names = label_text(groups[group[cell]]), label_text(parts[part[cell]])
        yield kind, *names, counts[cell].item(), float(share[cell])


def _first_of_largest(values: Floats, place: Ints, groups: int) -> Ints:
    """For each group the cell with its largest value, the first of several; every group has one."""
    order = np.lexsort((np.arange(len(values)), -values, place))
    firsts = np.searchsorted(place[order], np.arange(groups))
    rows: Ints = order[firsts]
    return rows


def _texts(labels: Any) -> pl.Series:
    return pl.Series(list(map(label_text, labels)), dtype=pl.String)


def _counts(values: Floats, table: Contingency) -> Any:
    return values if table.counts.dtype.kind == "f" else values.astype(np.int64)


#: Silhouettes of up to so many points are shown for each cluster though nobody asked for the measure.
MOST_UNASKED = 20_000


class ClusteringView(NamedTuple):
    """Tables to show beside the measures."""

    per_class: bool = False
    per_cluster: bool = False
    moves: bool = False


class ClusteredSystem(NamedTuple):
    """One clustering: its clusters (None if only a table was given), its counts by their type, and its results."""

    name: str
    clusters: Clusters | None
    counts: Mapping[type, Any]
    results: Mapping[Measure, PerUnit]


@dataclass(frozen=True, eq=False)
class Clustering(ItemResult[ClusteredSystem]):
    """Measures of one clustering or several, with intervals, clusters, classes and advice.

    >>> from assay import Contingency, cluster
    >>> table = Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes="xod")
    >>> result = cluster(table, ["Purity"])
    >>> result.value("Purity")  # (5 + 4 + 3) / 17
    0.7059
    >>> result.per_class().select("class", "best_match", "f1").rows()
    [('x', '0', 0.7143), ('o', '1', 0.7273), ('d', '2', 0.6667)]
    """

    subject: ClassVar[str] = "clusters"

    kind = "clustering"

    system_word = "clustering"

    rules: Rules = field(default=Rules())
    shown: ClusteringView = field(default=ClusteringView())

    def __repr__(self) -> str:
        names = ", ".join(system.name for system in self.systems)
        return f"<Clustering of {names}: {number_of('measure', len(self.measures))}>"

    @property
    def items(self) -> int:
        """The number of items of the first clustering."""
        clusters = self.systems[0].clusters
        table = self.contingency(self.systems[0].name)
        if clusters is not None:
            return len(clusters)
        return 0 if table is None else round(float(table.items[0]))

    def _parsed(self, name: str | Measure) -> Measure:
        return measure_of(name)

    def value(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """One number, NaN if it is undefined; `estimate` says why."""
        return float(self.system(system).results[self.measure(measure)].values[0])

    def _estimates(self, system: ClusteredSystem) -> Mapping[Measure, Estimate]:
        return estimates_of(system, self.drawn(system.name), self.confidence)

    def complete(self) -> Self:
        """Finish every number with its interval, clusters, classes, splits and merges, and the advice."""
        for system in self.systems:
            self.per_cluster(system.name)
            if self.contingency(system.name) is not None:
                self.per_class(system.name)
                self.moves(system.name)
        return super().complete()

    def drawn(self, system: str | None = None) -> Halves | None:
        """The halves behind a clustering's intervals; None if nobody knows what single items weigh."""
        clustered, table = self.system(system), self.contingency(system)
        if clustered.clusters is None and table is not None and table.is_weighted:
            return None
        drawing = Drawing(self.resamples, self.seed)
        return self._once("halves", clustered.name, lambda: Halves.of([clustered], self.rules, drawing))

    def bars(self, system: str | None = None) -> Bars | None:
        """Silhouettes to draw, cluster by cluster; None without points, or if there is one cluster."""
        points = self.points(system)
        return None if points is None else self._once("bars", self.system(system).name, lambda: bars_of(points))

    def contingency(self, system: str | None = None) -> Contingency | None:
        """Items of each class in each cluster; None if no classes are known."""
        table: Contingency | None = self.system(system).counts.get(Contingency)
        return table

    def points(self, system: str | None = None) -> Points | None:
        """The items' points with their clusters; None if there are none."""
        points: Points | None = self.system(system).counts.get(Points)
        return points

    def per_cluster(self, system: str | None = None) -> pl.DataFrame:
        """Each cluster: its items, its largest class and their share, its silhouette; the largest first."""
        clustered = self.system(system)
        points = self.points(clustered.name)
        # Silhouettes of many points take long: whoever did not ask for them does not wait.
        wanted = points is not None and (points.items <= MOST_UNASKED or measure_of("Silhouette") in self.measures)
        shapes = points if wanted else None
        return self._once("clusters", clustered.name, lambda: clusters_of(self.contingency(clustered.name), shapes))

    def per_class(self, system: str | None = None) -> pl.DataFrame:
        """Each class: the cluster that holds most of it, and precision, recall and F1 of the one that matches best."""
        return self._once("classes", self.system(system).name, lambda: classes_of(self._table(system)))

    def moves(self, system: str | None = None) -> pl.DataFrame:
        """The classes that are split over several clusters, and the clusters that merge several classes."""
        return self._once("moves", self.system(system).name, lambda: moves_of(self._table(system)))

    def _table(self, system: str | None) -> Contingency:
        table = self.contingency(system)
        if table is None:
            raise ParameterError(f"{self.system(system).name}: no classes are known: say {argument('truth')}")
        return table

    @cached_property
    def advice(self) -> tuple[Remark, ...]:
        """Advice to whoever relies on the numbers, each remark with the number behind it."""
        from assay.subjects.clusters.remarks import advise  # noqa: PLC0415  # made of this result

        return advise(self)

    def _unit_scores(self, system: ClusteredSystem, measure: Measure) -> pl.DataFrame:
        """The unit is the whole table."""
        return Scores.rows(system.name, measure, "table", ("all",), system.results[measure])

    def _signature(self, measure: Measure, system: ClusteredSystem) -> str:
        weighted = system.clusters is not None and system.clusters.weight is not None
        return cluster_signature(measure, self.rules, weighted=weighted)

    def to_frame(self) -> pl.DataFrame:
        """One row a clustering and measure: value, interval, how it was found, why number or interval is missing."""
        rows = [
            (system.name, str(measure), *(estimate := self.estimate(measure, system.name))[:5], estimate.no_interval)
            for system in self.systems
            for measure in self.measures
        ]
        numbers = dict.fromkeys(("value", "low", "high"), pl.Float64)
        texts = dict.fromkeys(("interval", "undefined", "no_interval"), pl.String)
        schema = {"system": pl.String, "measure": pl.String, **numbers, **texts}
        return pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)
