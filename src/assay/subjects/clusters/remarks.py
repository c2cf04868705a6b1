"""Remarks on clusterings: what flatters or hurts a number, and what was left out of it. Each has a number behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.digits import as_percent, bracketed, number, numbers
from assay.core.errors import argument, joined, number_of
from assay.measures.counting.contingency import NOISE, WITHOUT_CLASS, Contingency
from assay.measures.counting.points import Points
from assay.subjects.clusters.halves import interval_around, purity_by_chance
from assay.subjects.clusters.rules import measure_of
from assay.verbs.subject import Remark, Remarks

if TYPE_CHECKING:
    from assay.subjects.clusters.result import ClusteredSystem, Clustering

#: Purity comes from the number of clusters if chance gives so much more than the share of the largest class.
GAIN = 0.05
#: One cluster holds nearly all items from this share on.
NEARLY_ALL = 0.90
#: Clusters of one item are worth a remark if so many of all clusters are such.
SINGLE = 0.10
#: Of fewer items a cluster than this, on average, these measures are clearly larger than of many.
FEW_EACH = 10
_FLATTERED_BY_FEW = (
    "Purity", "InversePurity", "PurityF", "NMI", "VMeasure", "Homogeneity", "Completeness", "BCubedF",
    "BCubedPrecision", "BCubedRecall",
)  # fmt: skip
#: Labels that tools give to items that they put in no cluster.
USUAL_NOISE = ("-1", "noise", "outlier", "none")


class ClusteringCase(NamedTuple):
    """A clustering with its counts, as far as there are any."""

    result: Clustering
    system: ClusteredSystem
    table: Contingency | None
    points: Points | None


REMARKS = Remarks()
remark = REMARKS.made


def advise(result: Clustering) -> tuple[Remark, ...]:
    """All remarks on all clusterings, but for those that were muted."""
    cases = [
        ClusteringCase(result, system, system.counts.get(Contingency), system.counts.get(Points))
        for system in result.systems
    ]
    return tuple(remark for case in cases for remark in REMARKS.on(case, result.mute))


@remark("noise_unsaid")
def _noise_unsaid(case: ClusteringCase) -> Iterator[Remark]:
    """A label that usually means noise is taken for a cluster: ask."""
    if case.system.clusters is None or case.result.rules.noise is not None:
        return
    labels = case.system.clusters.cluster
    usual = labels.is_not_null() & labels.cast(str).str.to_lowercase().is_in(USUAL_NOISE)
    if not usual.any():
        return
    label = labels.filter(usual)[0]
    count = int(usual.sum())
    message = (
        f"{number_of('item', count)} labelled {label!r} count as one cluster: if that means noise, say "
        f"{argument('noise', label)}"
    )
    yield Remark("noise_unsaid", message, count / len(labels), str(label))


@remark("left_out")
def _left_out(case: ClusteringCase) -> Iterator[Remark]:
    """Items that no measure saw, so that whoever leaves out what is hard looks good."""
    held = case.table if case.table is not None else case.points
    if held is None or not held.left_out or case.system.clusters is None:
        return
    total = len(case.system.clusters)
    words = {NOISE: "that are noise", WITHOUT_CLASS: "without a class"}
    parts = [f"{number_of('item', count)} {words.get(why, why)}" for why, count in held.left_out.items()]
    left = sum(held.left_out.values())
    # Noise is left out of the points as well, items without a class are not.
    which = "numbers against classes" if case.points is not None and WITHOUT_CLASS in held.left_out else "numbers"
    message = f"left out: {', '.join(parts)}; the {which} cover {as_percent(1 - left / total)} of the items"
    if held.left_out.get(NOISE) and case.table is not None:
        message += f"; {argument('noise_as', 'singletons')} counts each noise item as a cluster of its own"
    yield Remark("left_out", message, left / total, case.system.name)


@remark("many_clusters")
def _many_clusters(case: ClusteringCase) -> Iterator[Remark]:
    """Purity that many clusters of these sizes get by chance."""
    if case.table is None or case.table.is_weighted:
        return
    sizes = case.table.class_sizes[0]
    clusters = len(case.table.clusters)
    largest = float(sizes.max() / sizes.sum())
    if clusters <= int((sizes > 0).sum()):
        return
    chance = purity_by_chance(case.table, case.result.seed)
    if chance - largest < GAIN:
        return
    purity = float(case.table.largest_of_clusters[0].sum() / case.table.items[0])
    by_chance, in_one, observed = numbers([chance, largest, purity])
    message = (
        f"purity rewards many clusters: {number_of('cluster', clusters)} of these sizes would reach {by_chance} by "
        f"chance, and a single cluster {in_one}; this clustering has {observed}"
    )
    yield Remark("many_clusters", message, chance, case.system.name)


@remark("chance")
def _chance(case: ClusteringCase) -> Iterator[Remark]:
    """Clusters agree with the classes no better than clusters drawn at random."""
    if case.table is None:
        return
    measure = measure_of("ARI")
    value = float(measure.of(case.table)[0])
    halves = case.result.drawn(case.system.name)
    if halves is None or np.isnan(value):
        return
    interval = interval_around(measure, value, halves, case.result.confidence)
    if not interval.is_known or interval.low > 0:
        return
    message = (
        "not clearly better than chance: the adjusted Rand index, which is 0 by chance, is "
        f"{number(value)} {bracketed(interval.low, interval.high)}"
    )
    yield Remark("chance", message, value, case.system.name)


@remark("few_items")
def _few_items(case: ClusteringCase) -> Iterator[Remark]:
    """Numbers that are larger on few items than on many, which no interval allows for."""
    if case.table is None or len(case.table.clusters) == 1 or case.table.is_weighted:
        return
    each = float(case.table.items[0]) / len(case.table.clusters)
    names = [str(measure) for measure in case.result.measures if measure.name in _FLATTERED_BY_FEW]
    if each < FEW_EACH and names:
        items = int(case.table.items[0])
        clusters = number_of("cluster", len(case.table.clusters))
        message = (
            f"{number_of('item', items)} are few for {clusters}: {joined(names)} would be lower with more items, which "
            "the intervals do not account for"
        )
        yield Remark("few_items", message, each, ", ".join(names))


@remark("one_cluster")
def _one_cluster(case: ClusteringCase) -> Iterator[Remark]:
    """Everything, or nearly, in one cluster, though not in one class."""
    sizes = _sizes(case)
    if (share := float(sizes.max() / sizes.sum())) < NEARLY_ALL:
        return
    if case.table is not None and case.table.class_sizes[0].max() >= NEARLY_ALL * case.table.items[0]:
        return
    if case.table is not None:
        names = case.table.clusters
    elif case.points is not None:
        names = case.points.clusters
    else:
        names = ()
    label = names[int(np.argmax(sizes))]
    held = "all items" if len(sizes) == 1 else f"{as_percent(share)} of the items"
    message = f"cluster {label} holds {held}"
    if case.table is not None:
        message += f": that alone makes inverse purity {'1' if len(sizes) == 1 else 'large'}"
    yield Remark("one_cluster", message, share, str(label))


@remark("singletons")
def _singletons(case: ClusteringCase) -> Iterator[Remark]:
    """Clusters of one item, which are pure whatever they are worth."""
    if case.table is not None and case.table.is_weighted:
        return
    sizes = _sizes(case)
    single = int((sizes == 1).sum())
    if single / len(sizes) < SINGLE:
        return
    message = (
        f"{single:,} of {number_of('cluster', len(sizes))} {'has' if single == 1 else 'have'} a single item: such a "
        "cluster is pure, its silhouette is 0, and it has no pairs"
    )
    yield Remark("singletons", message, single / len(sizes), case.system.name)


@remark("class_unheld")
def _class_unheld(case: ClusteringCase) -> Iterator[Remark]:
    """Classes that are the largest one of no cluster: no cluster stands for them."""
    if case.table is None or len(case.table.classes) < 2:
        return
    frame = case.result.per_cluster(case.system.name)
    standing = set(frame["largest_class"].to_list())
    absent = [str(label) for label in case.table.classes if label is not None and str(label) not in standing]
    if not absent:
        return
    message = (
        f"no cluster has {joined(absent, 8)} as its largest class: "
        f"{'it is' if len(absent) == 1 else 'they are'} hidden among others"
    )
    yield Remark("class_unheld", message, float(len(absent)), absent[0])


def _sizes(case: ClusteringCase) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Items of each cluster."""
    if case.table is not None:
        return case.table.cluster_sizes[0]  # type: ignore[no-any-return]
    if case.points is not None:
        return np.bincount(case.points.codes).astype(np.float64)
    return np.empty(0)
