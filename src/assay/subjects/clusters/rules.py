"""Rules by which clusterings are counted (noise, unlabelled items), and the measures of these counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_percent, in_full
from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, argument, number_of, worded
from assay.core.options import NoisePolicy, UnlabelledPolicy
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.partition_labels import check_noise, singletons
from assay.measures.counting.points import Points
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.summary import escaped
from assay.stats.pairing import each_measure
from assay.tables.clusters import Clusters
from assay.tables.label_rules import label_like


class Rules(NamedTuple):
    """Rules for all clusterings of a result; see `cluster`."""

    noise: Any = None
    noise_as: NoisePolicy = "drop"
    unlabelled: UnlabelledPolicy = "error"
    metric: str = "euclidean"
    sample_size: int | None = None

    def checked(self) -> Rules:
        """The same, if noise is named where it is spoken of, and the sample is of a whole number of items."""
        check_noise(self.noise, self.noise_as)
        if self.sample_size is None:
            return self
        return self._replace(sample_size=Whole(2).check("sample_size", self.sample_size))

    def noisy(self, clusters: Clusters) -> pl.Series:
        """A mask of the items that are in no cluster.

        >>> Rules(noise="-1").noisy(Clusters.of(None, [0, -1])).to_list()
        [False, True]
        """
        absent = pl.repeat(False, len(clusters), eager=True, dtype=pl.Boolean)
        if self.noise is None:
            return absent
        try:
            label = label_like(clusters.cluster[0], self.noise)
        except ParameterError:  # clusters are whole numbers, and noise is a word, which another clustering may have
            return absent
        noisy: pl.Series = clusters.cluster == label
        return noisy

    def clusters_of(self, clusters: Clusters) -> pl.Series:
        """The cluster of each item, null where it is left out as noise; as singletons, each has a name of its own.

        >>> Rules(noise=-1, noise_as="singletons").clusters_of(Clusters.of(None, [0, -1, -1])).to_list()
        [0, 1, 2]
        """
        noisy = self.noisy(clusters)
        if self.noise_as == "cluster" or not noisy.any():
            return clusters.cluster
        if self.noise_as == "drop":
            return pl.select(pl.when(~noisy).then(clusters.cluster)).to_series().alias("cluster")
        return singletons(clusters.cluster, noisy)

    def refuse_unlabelled(self, clusters: Clusters) -> None:
        """Refuse items without a class, unless it was said what to do about them."""
        truth = clusters.truth
        if truth is None or self.unlabelled != "error" or not truth.null_count():
            return
        first = clusters.item_id[int(truth.is_null().arg_max() or 0)]
        count = number_of("item", truth.null_count())
        drop, as_class = argument("unlabelled", "drop"), argument("unlabelled", "class")
        raise InputError(
            f"{clusters.whence}: {count} without a class, first {first!r}: "
            f"{drop} leaves such items out, {as_class} makes them a class of their own"
        )


def cluster_signature(measure: Measure, rules: Rules, *, weighted: bool = False) -> str:
    """The measure with all its parameters, and the rules under which items were counted.

    >>> from assay.measures import parse_measure
    >>> cluster_signature(parse_measure("Purity", "clustering"), Rules(noise=-1))
    'Purity|noise=-1|noise_as=drop|unlabelled=error|undefined=skip|v1'
    """
    parts = [measure.name, *(f"{name}={escaped(in_full(value))}" for name, value in measure.parameters.items())]
    if rules.noise is not None:
        parts += [f"noise={escaped(str(rules.noise))}", f"noise_as={rules.noise_as}"]
    if measure.definition.counts is Points:
        parts.append(f"metric={escaped(rules.metric)}")
        parts += [] if rules.sample_size is None else [f"sample_size={rules.sample_size}"]
    else:
        parts.append(f"unlabelled={rules.unlabelled}")
        parts += ["weighted=true"] if weighted else []
    return "|".join([*parts, "undefined=skip", f"v{measure.definition.version}"])


#: What is computed unless told otherwise, as far as there are the counts for it.
DEFAULTS: dict[type, tuple[str, ...]] = {
    Contingency: ("Purity", "InversePurity", "NMI", "Rand", "ARI", "PairF", "VMeasure", "BCubedF"),
    Points: ("Silhouette", "DaviesBouldin", "CalinskiHarabasz"),
}

_LACKING = {
    Contingency: "the classes of the items, and {0} has none: say {truth}",
    Points: "the points of the items, and {0} has none: give X, or say {points}",
}


def measure_of(name: str | Measure) -> Measure:
    """A measure of clusterings by its name.

    >>> measure_of("purity")
    Purity
    """
    return parse_measure(name, "clustering")


def measures_of(
    measures: Iterable[str | Measure] | str | Measure | None, counts: Sequence[Mapping[type, Any]]
) -> tuple[Measure, ...]:
    """The measures asked for; or those by default for which every system has what they need."""
    if measures is None:
        able = [kind for kind in DEFAULTS if all(kind in held for held in counts)]
        return tuple(measure_of(name) for kind in able for name in DEFAULTS[kind])
    names = each_measure(measures)
    if not names:
        raise ParameterError("there is no measure to compute")
    return tuple(dict.fromkeys(map(measure_of, names)))


def counts_of(clusters: Clusters | Contingency, rules: Rules, seed: int) -> dict[type, Any]:
    """The counts that there are: of classes and clusters, and of points."""
    if isinstance(clusters, Contingency):
        return {Contingency: clusters.without_empty()}
    counts: dict[type, Any] = {}
    if not rules.noisy(clusters).any():
        rules = rules._replace(noise=None, noise_as="drop")
    rules.refuse_unlabelled(clusters)
    try:
        if clusters.truth is not None:
            counts[Contingency] = Contingency.from_labels(
                clusters.truth, clusters.cluster, sample_weight=clusters.weight, noise=rules.noise,
                noise_as=rules.noise_as, unlabelled=rules.unlabelled,
            ).without_empty()  # fmt: skip
        if clusters.points is not None:
            labels = rules.clusters_of(clusters) if rules.noise_as == "singletons" else clusters.cluster
            noise = rules.noise if rules.noise_as == "drop" else None
            counts[Points] = Points.of(
                clusters.points, labels, metric=rules.metric, noise=noise, item_id=clusters.item_id,
                sample_size=rules.sample_size, seed=seed,
            )  # fmt: skip
    except InputError as problem:
        raise InputError(f"{clusters.whence}: {problem}") from None
    return counts


def counts_of_all(tables: Sequence[Clusters | Contingency], rules: Rules, seed: int) -> list[dict[type, Any]]:
    """The counts of each clustering; refused if one has none, and if rules are about points where there are none."""
    every = [counts_of(table, rules, seed) for table in tables]
    for table, counts in zip(tables, every, strict=True):
        if isinstance(table, Clusters) and not counts:
            raise InputError(
                f"{table.whence}: there are clusters, and neither classes nor points to measure them by: "
                f"say {argument('truth')} or {argument('points')}"
            )
    if rules.metric != "euclidean":
        stated = "metric"
    elif rules.sample_size is not None:
        stated = "sample_size"
    else:
        stated = ""
    if stated and not any(Points in counts for counts in every):
        raise ParameterError(f"{argument(stated)} is about points, and there are none: say {argument('points')}")
    return every


def computed(measure: Measure, counts: Mapping[type, Any], name: str) -> PerUnit:
    """One number, with the reason where there is none."""
    kind = measure.definition.counts
    if kind not in counts:
        raise ParameterError(f"{measure} is computed from {worded(_LACKING[kind]).format(name)}")
    return measure.per_unit(counts[kind])


#: A column with more than this part of all variance decides nearly alone.
_NEARLY_ALL = 0.9
#: Metrics that bring columns to one scale, or look at directions.
_ON_ONE_SCALE = ("cosine", "precomputed")


def uneven_columns(clusters: Clusters, metric: str) -> Iterator[str]:
    """A warning if nearly all of the variance is in one column.

    >>> metres = Clusters.of(None, [0, 0, 1], X=[[1, 90], [2, 10], [1, 50]])
    >>> print(next(uneven_columns(metres, "euclidean")).split(",")[0])
    column 2 has 99.98% of the variance
    """
    points = clusters.points
    if points is None or metric in _ON_ONE_SCALE or points.shape[1] == 1:
        return
    # Of numbers near the largest that there are, squares have no place: what matters is how they compare.
    variance = (points / max(float(np.abs(points).max()), np.finfo(float).tiny)).var(axis=0)
    if not variance.any() or np.count_nonzero(variance) == 1:
        return
    largest = int(variance.argmax())
    share = float(variance.max() / variance.sum())
    if share > _NEARLY_ALL:
        name = clusters.point_names[largest] if clusters.point_names else f"column {largest + 1}"
        yield (
            f"{name} has {as_percent(share, 2)} of the variance, and so decides nearly alone how far points are apart: "
            "standardise columns that are in different units"
        )
