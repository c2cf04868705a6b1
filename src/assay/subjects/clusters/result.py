"""`Clustering`: what clusterings are worth, measure by measure, cluster by cluster and class by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import polars as pl

from assay.core import registry
from assay.core.arguments import argument
from assay.core.errors import ParameterError, number_of, only_one
from assay.core.options import PlaceOptions
from assay.core.results import Result
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.points import Points
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.stats.estimates import Estimate
from assay.stats.samples import Drawing
from assay.subjects.clusters.groups import classes_of, clusters_of, moves_of
from assay.subjects.clusters.halves import Halves
from assay.subjects.clusters.intervals import estimates_of
from assay.subjects.clusters.rules import Rules, cluster_signature, measure_of
from assay.tables import Scores
from assay.tables.clusters import Clusters

if TYPE_CHECKING:
    from assay.verbs.explanation import Explanation
    from assay.verbs.remarks import Remark

#: Silhouettes of up to so many points are shown for each cluster though nobody asked for the measure.
MOST_UNASKED = 20_000


class ClusteringView(NamedTuple):
    """Which tables are shown beside the measures."""

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
class Clustering(Result):
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

    systems: tuple[ClusteredSystem, ...]
    measures: tuple[Measure, ...]
    rules: Rules = field(default=Rules())
    confidence: float = 0.95
    resamples: int = 2000
    seed: int = 0
    #: Codes of remarks that are not made.
    mute: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    shown: ClusteringView = field(default=ClusteringView())

    def __repr__(self) -> str:
        names = ", ".join(system.name for system in self.systems)
        return f"<Clustering of {names}: {number_of('measure', len(self.measures))}>"

    @property
    def items(self) -> int:
        """How many items the first clustering is of."""
        clusters, table = self.systems[0].clusters, self.contingency(self.systems[0].name)
        if clusters is not None:
            return len(clusters)
        return 0 if table is None else round(float(table.items[0]))

    def system(self, name: str | None = None) -> ClusteredSystem:
        """A clustering by name; may be left out if there is only one."""
        return only_one("clustering", name, {system.name: system for system in self.systems})

    def measure(self, name: str | Measure | None = None) -> Measure:
        """A measure of this result by name; may be left out if there is only one."""
        wanted = None if name is None else measure_of(name)
        return only_one("measure", wanted, {measure: measure for measure in self.measures})

    def value(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """One number, NaN if it is undefined; `estimate` says why."""
        return float(self.system(system).results[self.measure(measure)].values[0])

    def estimate(self, measure: str | Measure | None = None, system: str | None = None) -> Estimate:
        """One number with its interval and how that was found; or the reason why there is no number."""
        clustered = self.system(system)
        estimates = self._once(
            "estimates", clustered.name, lambda: estimates_of(clustered, self.drawn(clustered.name), self.confidence)
        )
        return estimates[self.measure(measure)]

    def drawn(self, system: str | None = None) -> Halves | None:
        """The halves behind a clustering's intervals; None if nobody knows what single items weigh, or count them."""
        clustered, table = self.system(system), self.contingency(system)
        if clustered.clusters is None and table is not None and not table.is_whole:
            return None
        drawing = Drawing(self.resamples, self.seed)
        return self._once("halves", clustered.name, lambda: Halves.of([clustered], self.rules, drawing))

    def contingency(self, system: str | None = None) -> Contingency | None:
        """How many items of each class are in each cluster; None if no classes are known."""
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
        return classes_of(self._table(system))

    def moves(self, system: str | None = None) -> pl.DataFrame:
        """Which classes are split over several clusters, and which clusters merge several classes."""
        return moves_of(self._table(system))

    def _table(self, system: str | None) -> Contingency:
        table = self.contingency(system)
        if table is None:
            raise ParameterError(f"{self.system(system).name}: no classes are known: say {argument('truth')}")
        return table

    def explain(
        self, measure: str | Measure | None = None, system: str | None = None, **chosen: Unpack[PlaceOptions]
    ) -> Explanation:
        """Show how a number came about, step by step: see `explain`."""
        explained: Explanation = registry.verb("explain")(
            self.measure() if measure is None else measure, self, system=system, **chosen
        )
        return explained

    @cached_property
    def advice(self) -> tuple[Remark, ...]:
        """What the numbers mean for whoever relies on them, each remark with the number behind it."""
        from assay.subjects.clusters.remarks import advise  # noqa: PLC0415  # made of this result

        return advise(self)

    @cached_property
    def scores(self) -> Scores:
        """One number per clustering and measure, for the whole table."""
        rows = [
            (system.name, str(measure), "table", "all", None if (value := float(result.values[0])) != value else value,
             result.reason(0))
            for system in self.systems
            for measure, result in system.results.items()
        ]  # fmt: skip
        kinds = dict.fromkeys(("system", "measure", "unit_kind", "unit"), pl.String)
        schema = {**kinds, "value": pl.Float64, "undefined": pl.String}
        directions = {str(measure): measure.definition.direction for measure in self.measures}
        return Scores(pl.DataFrame(rows, schema=schema, orient="row"), directions)

    @property
    def signatures(self) -> dict[str, dict[str, str]]:
        """Everything each number depends on, by clustering and measure."""
        return {
            system.name: {
                str(measure): cluster_signature(
                    measure, self.rules, weighted=system.clusters is not None and system.clusters.weight is not None
                )
                for measure in self.measures
            }
            for system in self.systems
        }

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
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))
