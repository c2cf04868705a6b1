"""Clusterings of half of the items again and again: intervals from how they vary, and what chance would give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, number_of
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.distances import PRECOMPUTED
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.points import Points, order_of_rows
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.sets import square_of_beta
from assay.stats.bootstrap import Interval
from assay.stats.estimates import NO_INTERVAL, SUBSAMPLING, Estimate
from assay.stats.half_samples import KNOWN, around
from assay.stats.samples import Drawing
from assay.subjects.clusters.rules import Rules

if TYPE_CHECKING:
    from assay.subjects.clusters.result import ClusteredSystem


#: How often a cluster of each size is filled at random; fewer times where that would draw more numbers than this.
DRAWS, _MOST_DRAWN = 200, 20_000_000
#: NumPy draws from fewer items than this without replacement.
LARGEST_URN = 1_000_000_000


def purity_by_chance(table: Contingency, seed: int = 0) -> float:
    """The mean purity if items were shuffled among the clusters, whose sizes stay what they are.

    The mean of a sum is the sum of means, so each size of cluster is filled by itself, from all items.

    >>> purity_by_chance(Contingency.from_labels(list("xxxooo"), [1, 2, 3, 4, 5, 6]))  # one item each
    1.0
    """
    classes = table.class_sizes[0].astype(np.int64)
    sizes, often = np.unique(table.cluster_sizes[0].astype(np.int64), return_counts=True)
    total = int(classes.sum())
    classes = classes[classes > 0]
    draws = max(10, min(DRAWS, _MOST_DRAWN // (len(classes) * len(sizes))))
    rng = np.random.default_rng(seed)
    expected = 0.0
    for size, count in zip(sizes.tolist(), often.tolist(), strict=True):
        if size <= 1:
            expected += size * count
            continue
        if total < LARGEST_URN:
            filled = rng.multivariate_hypergeometric(classes, size, size=draws, method="marginals")
        else:
            filled = rng.multinomial(size, classes / total, size=draws)
        expected += count * float(filled.max(axis=1).mean())
    return expected / total


#: A subset has at most so many points, and at most so many subsets are drawn: distances are of pairs.
MOST_POINTS, MOST_SUBSETS = 300, 300
#: Of fewer points, no subsets are drawn.
FEWEST_POINTS = 6
#: Measures of centroids, which are computed on true halves.
OF_CENTROIDS = ("DaviesBouldin",)
#: So many coordinates are drawn for true halves: of very many points fewer halves, but not fewer than these.
MOST_DRAWN, FEWEST = 50_000_000, 40


@dataclass(frozen=True, eq=False)
class Subsets:
    """Random subsets of the points of one clustering, or of several of the same items in the same order."""

    #: The points of each clustering, and which of them each item is; -1 is noise that was left out.
    points: tuple[Points, ...]
    places: tuple[Ints, ...]
    wanted: int = MOST_SUBSETS
    seed: int = 0
    #: Whether these are true halves, however many points there are.
    halved: bool = False

    def of(self, measure: Measure) -> Subsets:
        """The subsets that a measure is computed on."""
        return replace(self, halved=measure.name in OF_CENTROIDS)

    @property
    def total(self) -> int:
        """The number of items, those included that are noise."""
        return len(self.places[0])

    @property
    def size(self) -> int:
        """The number of points in a subset."""
        return self.total // 2 if self.halved else min(self.total // 2, MOST_POINTS)

    @property
    def scale(self) -> float:
        """The factor that makes deviations of subsets as large as the error of all points' number."""
        return float(np.sqrt(self.size / (self.total - self.size)))

    @property
    def resamples(self) -> int:
        """The number of subsets to draw; none of too few points."""
        if self.total < FEWEST_POINTS:
            return 0
        fewer = max(FEWEST, MOST_DRAWN // (self.size * self.points[0].X.shape[1])) if self.halved else MOST_SUBSETS
        return min(self.wanted, MOST_SUBSETS, fewer)

    def values(self, measure: Measure) -> Floats:
        """The measure on each subset (row) of each clustering (column); NaN where it is undefined."""
        values = np.full((self.resamples, len(self.points)), np.nan)
        # Nobody asks for the names of points in a subset.
        unnamed = [replace(points, item_id=None) for points in self.points]
        for of_subset, rows in zip(values, self.rows(), strict=True):
            for number, (points, place) in enumerate(zip(unnamed, self.places, strict=True)):
                kept = place[rows]
                if len(kept := kept[kept >= 0]):
                    of_subset[number] = float(measure.of(points.only(kept))[0])
        return values

    def whole(self, measure: Measure) -> Floats:
        """The measure on all points of each clustering."""
        return np.array([float(measure.of(points)[0]) for points in self.points])

    def rows(self) -> Iterator[Ints]:
        """The items of each subset."""
        rng = np.random.default_rng(self.seed)
        order = self._order
        for _ in range(self.resamples):
            yield np.sort(order[rng.choice(self.total, self.size, replace=False)])

    @property
    def _order(self) -> Ints:
        """The items by their points and clusters, so that subsets do not depend on the order of the items."""
        if any(points.metric == PRECOMPUTED for points in self.points):
            return np.arange(self.total)
        tables: list[Floats] = []
        for points, place in zip(self.points, self.places, strict=True):
            left_out = (place < 0)[:, None]
            tables += [np.where(left_out, 0.0, points.X[place]), np.where(left_out[:, 0], -1, points.codes[place])]
        return order_of_rows(*tables)


#: So many numbers are drawn and kept: where items are of many kinds, fewer halves, but not fewer than these.
MOST_HALVES_DRAWN, FEWEST_HALVES = 4_000_000, 100
#: With more kinds of items than this there are no intervals: each of them would take minutes.
MOST_KINDS = 50_000
#: Of fewer items than this, no halves are drawn.
FEWEST_ITEMS = 4
#: Halves whose mean lies farther from the number of all points than so many of their standard deviations are no guide.
FARTHEST = 0.5


class Side(NamedTuple):
    """One clustering: its classes and clusters, and where each kind of items is in its table; -1 is nowhere."""

    classes: tuple[Any, ...]
    clusters: tuple[Any, ...]
    row: Ints
    column: Ints

    def tables(self, halves: NDArray[Any], weight: Floats | None) -> Contingency:
        """The tables of halves; `drawn` says how many items of each kind (column) each half (row) has."""
        kept = np.flatnonzero((self.row >= 0) & (self.column >= 0))
        key = self.row[kept] * len(self.clusters) + self.column[kept]
        order = np.argsort(key, kind="stable")
        kept, key = kept[order], key[order]
        starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        units = tuple(map(str, range(len(halves))))
        row, column = np.divmod(key[starts], len(self.clusters))
        if weight is None:
            counts = np.add.reduceat(halves[:, kept], starts, axis=1)
            return Contingency(self.classes, self.clusters, row, column, counts, units)
        weighted = halves[:, kept] * weight[kept]
        counts = np.add.reduceat(weighted, starts, axis=1)
        squares = np.add.reduceat(weighted * weight[kept], starts, axis=1)
        return Contingency(self.classes, self.clusters, row, column, counts, units, squares)


@dataclass(frozen=True, eq=False)
class Halves:
    """Random halves of the items of one clustering, or of several of the same items.

    >>> from assay import cluster
    >>> halves = cluster({"one": Contingency.from_table([[30, 2], [3, 25]])}).drawn()
    >>> halves.values("Purity").shape, halves.scale
    ((2000, 1), 1.0)
    """

    sides: tuple[Side, ...]
    #: How many items there are of each kind: of one class, in the same cluster of each clustering, of one weight.
    items: Ints
    weight: Floats | None = None
    wanted: int = 2000
    seed: int = 0
    #: Where there are points: subsets of them.
    subsets: Subsets | None = None

    @classmethod
    def of(cls, systems: Sequence[ClusteredSystem], rules: Rules, drawing: Drawing) -> Halves:
        """Halves of the items of these systems, which hold the same items in the same order if there are several."""
        held = [system.clusters for system in systems if system.clusters is not None]
        if not held:
            table = systems[0].counts[Contingency]
            return cls((Side(table.classes, table.clusters, table.row, table.column),), table.counts[0], None, *drawing)
        subsets = None
        if all(Points in system.counts for system in systems):
            kept = [rules.clusters_of(clusters).is_not_null().to_numpy() for clusters in held]
            places = tuple(np.where(is_kept, np.cumsum(is_kept) - 1, -1) for is_kept in kept)
            subsets = Subsets(tuple(system.counts[Points] for system in systems), places, *drawing)
        if any(clusters.truth is None for clusters in held):
            return cls((), np.empty(0, dtype=np.int64), None, *drawing, subsets)
        named = [f"cluster {place}" for place in range(len(held))]
        columns = {"truth": held[0].truth, **dict(zip(named, map(rules.clusters_of, held), strict=True))}
        if held[0].weight is not None:
            columns["weight"] = held[0].weight
        # By the names of clusterings: what is drawn does not depend on which of them comes first.
        by_name = sorted(named, key=lambda name: held[named.index(name)].name)
        order = ["truth", *by_name, *(name for name in columns if name == "weight")]
        kinds = pl.DataFrame(columns).group_by(pl.all()).len("items").sort(order, nulls_last=True)
        is_class = rules.unlabelled == "class"
        classes, row = _placed(kinds["truth"], keep_null=is_class)
        sides = tuple(
            Side(classes, clusters, row, column) for clusters, column in (_placed(kinds[name]) for name in named)
        )
        weight = None if "weight" not in columns else kinds["weight"].to_numpy()
        return cls(sides, kinds["items"].to_numpy().astype(np.int64), weight, *drawing, subsets)

    @property
    def total(self) -> int:
        """The number of items."""
        return int(self.items.sum())

    @property
    def resamples(self) -> int:
        """The number of halves: as many as wanted, fewer if items are of many kinds, none of too few items."""
        kinds = len(self.items)
        if self.total < FEWEST_ITEMS or kinds > MOST_KINDS:
            return 0
        return min(self.wanted, max(FEWEST_HALVES, MOST_HALVES_DRAWN // kinds))

    @property
    def scale(self) -> float:
        """The factor of deviations of halves, since of an odd number of items a half is a little less."""
        half = self.total // 2
        return float(np.sqrt(half / (self.total - half)))

    def resamples_of(self, measure: Measure) -> int:
        """The number of a measure's resamples in `values`: of points, fewer are drawn."""
        return self._points.of(measure).resamples if measure.definition.counts is Points else self.resamples

    def values(self, measure: str | Measure) -> Floats:
        """The measure on each half (row) of each clustering (column); NaN where it is undefined."""
        wanted = parse_measure(measure, "clustering")
        if wanted not in self._by_measure:
            self._by_measure[wanted] = self._computed(wanted)
        return self._by_measure[wanted]

    @cached_property
    def _by_measure(self) -> dict[Measure, Floats]:
        """The numbers computed already."""
        return {}

    def _computed(self, measure: Measure) -> Floats:
        if measure.definition.counts is Points:
            return self._points.of(measure).values(measure)
        if not self.resamples or not self.sides:
            return np.empty((0, len(self.sides)))
        return np.column_stack([measure.of(table) for table in self.tables])

    def deviations(self, measure: str | Measure) -> Floats:
        """Deviations of each half (row) from the mean of halves, on the scale of all items' error.

        NaN for a clustering whose halves have other numbers than all items have: see `elsewhere`.
        """
        wanted = parse_measure(measure, "clustering")
        values = self.values(wanted)
        # A half in which one clustering has no number pairs with nothing.
        undefined = np.any(np.isnan(values), axis=1, keepdims=True)
        known = np.where(undefined, np.nan, values)
        if bool(np.all(undefined)):
            return known
        centred: Floats = self.scale_of(wanted) * (known - np.nanmean(known, axis=0))
        centred[:, self.elsewhere(wanted)] = np.nan
        return centred

    def elsewhere(self, measure: Measure) -> Mask:
        """For which clusterings halves lie far from the number of all points, so that their spread is of another one.

        Where clusters have nearly the same middle, Davies-Bouldin is made of the error of the middles, and grows with
        the number of points.
        """
        values = self.values(measure)
        far = np.zeros(values.shape[1], dtype=np.bool)
        if measure.name not in OF_CENTROIDS:
            return far
        known = np.flatnonzero((~np.isnan(values)).sum(axis=0) > 1)
        defined = values[:, known]
        far[known] = np.abs(np.nanmean(defined, axis=0) - self._points.whole(measure)[known]) > FARTHEST * np.nanstd(
            defined, axis=0
        )
        return far

    def why_none(self, measure: Measure) -> str:
        """The reason why a measure has no interval."""
        of_points = measure.definition.counts is Points
        total, fewest = (self._points.total, FEWEST_POINTS) if of_points else (self.total, FEWEST_ITEMS)
        if total < fewest:
            return f"{number_of('item', total)} {'is' if total == 1 else 'are'} too few to draw halves from"
        if not of_points and len(self.items) > MOST_KINDS:
            alike = "class and cluster" if self.weight is None else "class, cluster and weight"
            return (
                f"there are {len(self.items):,} kinds of items ({alike}); more than {MOST_KINDS:,} would take too long"
            )
        if np.isnan(self.values(measure)).any(axis=1).mean() > 1 - KNOWN:
            return "it is undefined for many halves of the items"
        if self.elsewhere(measure).any():
            return "halves of the items give a very different number"
        return "all halves of the items give the same number"

    def scale_of(self, measure: Measure) -> float:
        """The factor of deviations of a measure."""
        return self._points.of(measure).scale if measure.definition.counts is Points else self.scale

    @property
    def _points(self) -> Subsets:
        if self.subsets is None:
            raise InputError("there are no points to draw from")
        return self.subsets

    @cached_property
    def tables(self) -> tuple[Contingency, ...]:
        """Of each clustering, how many items of each class each cluster has in every half: a unit a half."""
        rng = np.random.default_rng(self.seed)
        if self.total < LARGEST_URN:
            half = self.total // 2
            counts = rng.multivariate_hypergeometric(self.items, half, size=self.resamples, method="marginals")
        else:  # of so many items, kind by kind: how many items the half has then varies next to nothing
            counts = rng.binomial(self.items, 0.5, size=(self.resamples, len(self.items)))
        return tuple(side.tables(counts, self.weight) for side in self.sides)


def _placed(labels: pl.Series, *, keep_null: bool = False) -> tuple[tuple[Any, ...], Ints]:
    """The labels that occur, and the place of each among them; null is at -1, or a label as others are."""
    names = labels.unique(maintain_order=True).to_list()
    names = [name for name in names if name is not None] + ([None] if keep_null and None in names else [])
    places = {name: place for place, name in enumerate(names)}
    return tuple(names), np.array([places.get(label, -1) for label in labels.to_list()], dtype=np.int64)


#: Measures that grow with the number of items, so that halves say nothing of the whole.
WITHOUT_INTERVAL = ("CalinskiHarabasz", "MI", "PairTP", "PairFP", "PairFN", "PairTN")


def estimates_of(system: ClusteredSystem, halves: Halves | None, confidence: float) -> dict[Measure, Estimate]:
    """Every measure's number with its interval; without halves there are none."""
    return {measure: _estimate(measure, system, halves, confidence) for measure in system.results}


def _estimate(measure: Measure, system: ClusteredSystem, halves: Halves | None, confidence: float) -> Estimate:
    result = system.results[measure]
    value = float(result.values[0])
    if math.isnan(value):
        return Estimate(value, math.nan, math.nan, NO_INTERVAL, result.reason(0))
    if measure.name in WITHOUT_INTERVAL:
        why = "it grows with the number of items"
    elif halves is None:
        why = "a table does not hold the weights of single items"
    else:
        interval = interval_around(measure, value, halves, confidence)
        if interval.is_known:
            return Estimate(value, interval.low, interval.high, SUBSAMPLING, None, halves.resamples_of(measure))
        why = halves.why_none(measure)
    return Estimate(value, math.nan, math.nan, NO_INTERVAL, no_interval=why)


def interval_around(measure: Measure, value: float, halves: Halves, confidence: float) -> Interval:
    """The interval of a number, as far as the number can lie."""
    interval = around(value, halves.deviations(measure)[:, 0], confidence)
    sizes = [(len(side.classes), len(side.clusters)) for side in halves.sides]  # none where there are points only
    return interval.within(reach_of(measure, *(sizes[0] if sizes else (0, 0))))


def reach_of(measure: Measure, classes: int, clusters: int) -> tuple[float, float]:
    """The smallest and largest number possible with so many classes and clusters, whatever their sizes.

    The largest of *J* classes has at least 1/*J* of a cluster, so that purity cannot be less; nor can the others below.

    >>> from assay.measures import parse_measure
    >>> reach_of(parse_measure("Purity", "clustering"), 4, 2), reach_of(parse_measure("ARI", "clustering"), 4, 2)
    ((0.25, 1.0), (-1.0, 1.0))
    """
    least, most = measure.definition.bounds or (-math.inf, math.inf)
    if not (classes and clusters):
        return least, most
    if measure.name in {"Purity", "BCubedPrecision"}:
        least = 1 / classes
    elif measure.name in {"InversePurity", "BCubedRecall"}:
        least = 1 / clusters
    elif measure.name == "ClusterAccuracy":
        least = 1 / max(classes, clusters)
    elif measure.name in {"PurityF", "BCubedF"}:
        square = square_of_beta(measure.parameters["beta"])
        weight = 0.0 if square is None else 1 / (1 + square)
        least = 1 / (weight * classes + (1 - weight) * clusters)
    return least, most
