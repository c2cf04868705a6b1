"""Clusterings as a subject: paired on the same items, gated, explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import isnan
from operator import and_
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np
import polars as pl

from assay.core.digits import number
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of
from assay.core.evaluation_options import MissingItems
from assay.core.options import ClusterRules
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.registry import Measure
from assay.stats.half_samples import KNOWN, Deviations, HalfSample, moved_items
from assay.stats.pairing import ItemPairing
from assay.stats.samples import Drawing, Sample
from assay.subjects.clusters.evaluation import items_in
from assay.subjects.clusters.halves import WITHOUT_INTERVAL, Halves, reach_of
from assay.subjects.clusters.result import ClusteredSystem, Clustering
from assay.subjects.clusters.rules import Rules, cluster_signature, computed, counts_of_all, measure_of
from assay.tables.alignment import aligned
from assay.tables.clusters import Clusters
from assay.verbs.gating.gate import ItemSides, Two
from assay.verbs.subject import Subject, Words

if TYPE_CHECKING:
    from assay.verbs.comparison.findings import Finding


#: What clusterings are compared by unless told otherwise, as far as all have the counts for it. The first one has the
#: headline: of these, only the adjusted Rand index allows for chance, and so for other numbers of clusters.
DEFAULT_MEASURES: dict[type, tuple[str, ...]] = {
    Contingency: ("ARI", "NMI", "BCubedF"),
    Points: ("Silhouette", "DaviesBouldin"),
}
#: Rules of counting clusterings, and of pairing them.
RULES = (*Rules._fields, "missing")
#: Measures that more clusters alone make better, those that they do by chance, and those that fewer do.
_BY_MORE = ("Purity", "Homogeneity", "BCubedPrecision", "WithinSimilarity", "WithinDistance")

_BY_CHANCE = ("NMI", "VMeasure")

_BY_FEWER = ("InversePurity", "Completeness", "PairRecall", "BCubedRecall")


class Alike(NamedTuple):
    """The likeness of two clusterings, whatever they are worth: `moved` items are in another cluster, names aside.

    Clusters are matched one to one, so that as few items as possible move. `ari`: the adjusted Rand index of the one
    with the other; NaN where it is undefined.
    """

    items: int
    moved: int
    ari: float


def of_alike(alike: Alike, baseline: str, system: str) -> str:
    """The likeness of two clusterings, whatever they are worth.

    >>> of_alike(Alike(items=200, moved=14, ari=0.8123), "old", "new")
    'Of 200 items, new puts 14 in another cluster than old, names of clusters aside (adjusted Rand index 0.8123).'
    """
    moved = f"{system} puts {alike.moved:,} in another cluster than {baseline}"
    index = f"adjusted Rand index {number(alike.ari)}"
    return f"Of {number_of('item', alike.items)}, {moved}, names of clusters aside ({index})."


@dataclass(frozen=True, eq=False)
class Clusterings(ItemPairing):
    """Clusterings of the same items, in the same order.

    >>> old = Clusters.of(list("xxoo"), [0, 1, 1, 1], item_id=list("abcd"), name="old")
    >>> new = Clusters.of(list("ooxx"), [1, 1, 0, 0], item_id=list("dcba"), name="new")
    >>> both = Clusterings.of([old, new])
    >>> both.sample("Purity").observed
    array([0.75, 1. ])
    >>> both.alike("old", "new")
    Alike(items=4, moved=1, ari=0.0)
    """

    subject: ClassVar[str] = "clusters"

    systems: tuple[ClusteredSystem, ...]
    rules: Rules = field(default=Rules())
    #: What is odd about them.
    notes: tuple[str, ...] = ()
    #: How many items each clustering had before those were left out that others lack.
    sizes: tuple[int, ...] = ()

    holds: ClassVar[str] = "clusters"
    to_have_more: ClassVar[str] = "Cluster"

    @classmethod
    def of(
        cls, clusters: Any, *, missing: MissingItems = "error", seed: int = 0, **rules: Unpack[ClusterRules]
    ) -> Clusterings:
        """Take a `Clustering`; or `Clusters`, a path of a file of them, a list of such, or a dict of names.

        `rules` are those of `cluster`: noise, noise_as, unlabelled, metric, sample_size. `missing`: an item that a
        clustering lacks is an error, or is left out and counted (`drop`). Items that one clustering leaves out as noise
        are left out of all: what is paired is of the same items.
        """
        settled = _rules_of(clusters, rules)
        held = items_in(clusters)
        in_order = aligned(held, missing=missing)
        same, left_out = _in_all(in_order, settled)
        counts = counts_of_all(same, settled, seed)
        systems = tuple(ClusteredSystem(table.name, table, held, {}) for table, held in zip(same, counts, strict=True))
        warnings = dict.fromkeys(warning for table in same for warning in table.warnings)
        return cls(
            systems,
            settled,
            (*warnings, *left_out),
            tuple(len(table) - len(in_order[0]) + len(same[0]) for table in held),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The clusterings, in the order in which they were given."""
        return tuple(system.name for system in self.systems)

    @property
    def _held(self) -> list[Clusters]:
        return [system.clusters for system in self.systems if system.clusters is not None]

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The ids of the items."""
        return tuple(self._held[0].item_id.to_list())

    def measure(self, name: str | Measure) -> Measure:
        """A measure by name."""
        return measure_of(name)

    def usual(self) -> list[str]:
        """The usual measures: those against classes; those of points, if all clusterings have the same."""
        able = [kind for kind in DEFAULT_MEASURES if all(kind in system.counts for system in self.systems)]
        if len(able) > 1 and self._other_points is not None:
            able.remove(Points)
        return [name for kind in able for name in DEFAULT_MEASURES[kind]]

    def signature(self, measure: str | Measure) -> str:
        """Everything that a number depends on, in one line."""
        return cluster_signature(measure_of(measure), self.rules, weighted=self._held[0].weight is not None)

    def undirected(self, measure: str | Measure) -> Sample:
        """The clusterings under one measure."""
        wanted = measure_of(measure)
        if wanted.definition.counts is Points and self._other_points is not None:
            raise ParameterError(
                f"{wanted}: the points of {self.names[0]} and {self._other_points} are not the same: distances can be "
                "compared between clusterings of the same points only"
            )
        results = [computed(wanted, system.counts, system.name) for system in self.systems]
        return HalfSample(
            wanted,
            np.array([float(result.values[0]) for result in results]),
            tuple(result.reason(0) for result in results),
            self._partitions,
            self._deviations(wanted),
            tuple(_reach(wanted, system) for system in self.systems),
            systems=self.names,
            units=self.items,
            measure=str(wanted),
            unit_kind="item",
            bounds=wanted.definition.bounds,
            direction=wanted.definition.direction,
        )

    def check_drawing(self, resamples: int | None, interval: str = "hull") -> None:
        """Refuse what says how a test or a bootstrap draws: clusterings have neither."""
        halves = "intervals of clusterings come from random halves of the items, bootstrap_resamples of them"
        if interval != "hull":
            raise ParameterError(f"interval={interval!r} is about numbers of single units: {halves}")
        if resamples is not None:
            raise ParameterError(f"resamples is about a test, and there is none of clusterings: {halves}")

    def between(self, findings: Sequence[Finding], drawing: Drawing) -> tuple[list[Finding], list[str]]:
        """Remarks on differences of clusterings besides their intervals."""
        notes = list(self.notes_on(list(dict.fromkeys(finding.measure for finding in findings))))
        for finding in findings:
            if not (finding.all_zero or isnan(finding.difference) or finding.interval.is_known):
                (note,) = self.without_intervals(finding.measure, (finding.baseline, finding.system), drawing)
                notes.append(note if len(findings) == 1 else f"{finding.system} against {finding.baseline}: {note}")
        return list(findings), notes

    def further_sentences(self, finding: Finding, *, alone: bool) -> Iterator[str]:
        """The likeness of the two clusterings, unless no item differs."""
        if finding.verdict.word != "identical":
            yield of_alike(self.alike(finding.baseline, finding.system), finding.baseline, finding.system)

    def halves(self, systems: tuple[int, ...], drawing: Drawing) -> Halves:
        """Random halves of the items, which all of these clusterings (given by their places) see."""
        if (systems, drawing) not in self._drawn:
            chosen = [self.systems[place] for place in systems]
            halves = Halves.of(chosen, self.rules, drawing)
            self._drawn[systems, drawing] = halves
        return self._drawn[systems, drawing]

    @cached_property
    def _drawn(self) -> dict[tuple[tuple[int, ...], Drawing], Halves]:
        return {}

    def _deviations(self, measure: Measure) -> Deviations:
        def deviations(systems: tuple[int, ...], drawing: Drawing) -> Floats:
            if measure.name in WITHOUT_INTERVAL:
                return np.empty((0, len(systems)))
            return self.halves(systems, drawing).deviations(measure)

        return deviations

    @cached_property
    def _partitions(self) -> tuple[Ints, ...]:
        return tuple(_numbered(self.rules, clusters) for clusters in self._held)

    @cached_property
    def _other_points(self) -> str | None:
        """The first clustering whose points are not those of the first one."""
        first, *others = self._held
        return next((system.name for system in others if not _same_points(system, first)), None)

    def alike(self, first: str, second: str) -> Alike:
        """The likeness of two clusterings: each taken for the classes of the other."""
        left, other = (self._partitions[self.names.index(name)] for name in (first, second))
        index = measure_of("ARI").of(Contingency.from_labels(left, other))
        return Alike(len(left), moved_items(left, other), float(index[0]))

    def notes_on(self, measures: Sequence[str]) -> Iterator[str]:
        """Notes on what the numbers of clusters alone do to measures, where they differ."""
        clusters = {
            name: len(np.unique(partition)) for name, partition in zip(self.names, self._partitions, strict=True)
        }
        if len(set(clusters.values())) == 1:
            return
        counted = listed([f"{name} has {number_of('cluster', count)}" for name, count in clusters.items()])
        for known, word in ((_BY_MORE, "more"), (_BY_FEWER, "fewer")):
            if names := [name for name in measures if measure_of(name).name in known]:
                yield f"{counted}: {word} clusters alone make {' and '.join(names)} better, whatever they are worth"
        if names := [name for name in measures if measure_of(name).name in _BY_CHANCE]:
            yield f"{counted}: more clusters make {' and '.join(names)} larger by chance; AMI and ARI allow for chance"

    def without_intervals(self, measure: str, systems: Sequence[str], drawing: Drawing) -> list[str]:
        """The reason why the difference of two clusterings, that have numbers, has no interval."""
        wanted = measure_of(measure)
        why = "it grows with the number of items"
        if wanted.name not in WITHOUT_INTERVAL:
            halves = self.halves(tuple(map(self.names.index, systems)), drawing)
            strayed = halves.deviations(wanted)
            is_known = len(strayed) > 0 and np.isnan(strayed).any(axis=1).mean() <= 1 - KNOWN
            why = "all halves of the items give the same difference" if is_known else halves.why_none(wanted)
        return [f"{measure}: the difference has no interval, so nothing can decide: {why}"]


def _rules_of(clusters: Any, rules: Mapping[str, Any]) -> Rules:
    """The rules that were said, or those of the results that were given."""
    for name in rules:
        if name not in Rules._fields:
            raise ParameterError(f"{name!r} is no rule for clusterings{did_you_mean(name, RULES)}")
    several = clusters if isinstance(clusters, list | tuple) else [clusters]
    rules_found = list(dict.fromkeys(result.rules for result in several if isinstance(result, Clustering)))
    if rules_found and rules:
        raise ParameterError(f"{next(iter(rules))!r} was decided when the clusterings were measured: leave it out")
    if len(rules_found) > 1:
        raise ParameterError("the clusterings were measured under different rules: measure them together")
    return rules_found[0] if rules_found else Rules(**rules).checked()


def _in_all(systems: list[Clusters], rules: Rules) -> tuple[list[Clusters], list[str]]:
    """The items that no clustering leaves out as noise, and what to say of the others."""
    placed = [rules.clusters_of(system).is_not_null() for system in systems]
    kept = reduce(and_, placed)
    if kept.all():
        return systems, []
    if not kept.any():
        raise InputError("there is no item that all clusterings put into a cluster: all are noise in one of them")
    noisy = [
        f"{number_of('item', int((~is_placed).sum()))} of {system.name}"
        for system, is_placed in zip(systems, placed, strict=True)
    ]
    rest = f"the numbers cover the {number_of('item', int(kept.sum()))} that no clustering leaves out"
    return [system.taken(kept) for system in systems], [f"left out as noise: {', '.join(noisy)}; {rest}"]


def _same_points(first: Clusters, other: Clusters) -> bool:
    if first.points is None or other.points is None:
        return first.points is other.points
    return first.points is other.points or bool(np.array_equal(first.points, other.points))


def _numbered(rules: Rules, clusters: Clusters) -> Ints:
    """The clusters of the items by number, in the order in which they come first."""
    labels = rules.clusters_of(clusters).alias("cluster").to_frame().with_row_index("row")
    first = pl.col("row").min().over("cluster")
    return labels.select(first.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()


def _reach(measure: Measure, system: ClusteredSystem) -> tuple[float, float]:
    table = system.counts.get(Contingency)
    return reach_of(measure, *((0, 0) if table is None else (len(table.classes), len(table.clusters))))


def two_clusterings(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> ItemSides:
    """The baseline and the candidate, on the same items: see `Two.among`.

    Unless told otherwise, the gate is on the classes if they are known, else on the points.

    >>> from assay import Clusters
    >>> truth = list("xxo")
    >>> old, new = (Clusters.of(truth, labels, name=name) for name, labels in (("old", [0, 1, 1]), ("new", [0, 0, 1])))
    >>> both = two_clusterings(new, Two(old), None, 0, {})
    >>> both.pairing.names, both.measures
    (('old', 'new'), ['ARI'])
    """
    stated = {name: value for name, value in rules.items() if name != "missing"}
    settled = _rules_of([two.baseline, data, two.candidate], stated)
    both = two.among(data, items_in, "clusters", "classes")
    missing = rules.get("missing", "error")
    return ItemSides.of(Clusterings.of(both, missing=missing, seed=seed, **settled._asdict()), measures)


class ClustersSubject(Subject):
    """Clusters of items beside their classes, or points."""

    name = "clusters"
    words = Words("clustering", "item", "clusterings", "clusters of items")
    verb = "assay.subjects.clusters.evaluation:cluster"
    gated = "assay.subjects.clusters.subject:two_clusterings"
    reported = "assay.subjects.clusters.report:ReportedClusterings"
    examination = "assay.subjects.clusters.checks:ClustersExamination"
    explained = "assay.subjects.clusters.explanation:of_clusters"
    rules = RULES
    report_rules = (*Rules._fields, "comparison", "confidence", "resamples", "seed", "mute")

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Clusterings:
        """The clusterings, paired by item."""
        del measures
        return Clusterings.of(list(inputs), seed=seed, **rules)


CLUSTERS = ClustersSubject()
