"""What clusterings are worth, in words: the sentences on top, and the methods paragraph."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay import __version__
from assay.clustering import Clustering
from assay.clustering.computing import called
from assay.clustering.over_k import NumberOfClusters
from assay.core.digits import as_level, as_percent, number, percent_span, span
from assay.core.errors import number_of
from assay.measures.registry import Measure
from assay.reporting.contents import Reference
from assay.reporting.methods import Citations
from assay.reporting.naming import joined, values_of_systems
from assay.reporting.works import OF_CLUSTER_MEASURES, OF_REFERENCE_DATA, OF_STABILITY, OF_SUBSAMPLING
from assay.stats.interval_names import SUBSAMPLING

_MOST_NAMES = 6


def title_of(result: Clustering) -> str:
    """The clusterings' names."""
    return joined([system.name for system in result.systems], _MOST_NAMES)


def lead_of(result: Clustering) -> str:
    """How many clusterings, items, classes and clusters."""
    parts = [number_of("clustering", len(result.systems)), number_of("item", items_of(result))]
    first = result.systems[0].name
    table, points = result.contingency(first), result.points(first)
    if table is not None:
        parts.append(number_of("class", len(table.classes)))
    if len(result.systems) == 1:
        parts.append(number_of("cluster", clusters_of(result, first)))
    if points is not None:
        parts.append(f"points of {number_of('number', points.X.shape[1])}" if points.metric != "precomputed" else
                     "distances")  # fmt: skip
    return ", ".join(parts)


def items_of(result: Clustering) -> int:
    """How many items the first clustering has."""
    first = result.systems[0]
    if first.clusters is not None:
        return len(first.clusters)
    table = result.contingency(first.name)
    return 0 if table is None else round(float(table.items[0]))


def clusters_of(result: Clustering, system: str) -> int:
    """How many clusters a clustering has."""
    table, points = result.contingency(system), result.points(system)
    return len(table.clusters) if table is not None else 0 if points is None else len(points.clusters)


def summary_of(result: Clustering, *, judged: bool = False) -> Iterator[str]:
    """What each clustering is worth: by its best known measures, of several by the first of them.

    `judged`: that a verdict says already how two of them stand.
    """
    chosen = [
        measure
        for name in ("ARI", "Purity", "Silhouette")
        for measure in result.measures
        if measure.name == name and not measure.given
    ] or list(result.measures[:1])
    if len(result.systems) > 1:
        if not judged:
            told = values_of_systems(
                {one.name: result.value(chosen[0], one.name) for one in result.systems}, _MOST_NAMES
            )
            yield f"Under {called(chosen[0])}, {told}."
        return
    name = result.systems[0].name
    for place, measure in enumerate(chosen):
        yield _sentence(result, measure, name if not place else "it")


def _sentence(result: Clustering, measure: Measure, who: str) -> str:
    one = result.estimate(measure)
    if math.isnan(one.value):
        return f"{called(measure)} of {result.systems[0].name} is undefined: {one.undefined}."
    level = as_level(result.confidence)
    reach = "" if math.isnan(one.low) else f" ({level} interval {span(one.low, one.high)})"
    who = who if who != "it" else "It"
    if measure.name == "Purity":
        part = "" if math.isnan(one.low) else f" ({level} interval {percent_span(one.low, one.high)})"
        return f"{who} puts {as_percent(one.value)}{part} of the items in a cluster whose largest class is theirs."
    if measure.name == "ARI":
        return (
            f"{who} agrees with the classes to an adjusted Rand index of {number(one.value)}{reach}; by chance it is 0."
        )
    if measure.name == "Silhouette":
        return f"{who} has a mean silhouette of {number(one.value)}{reach}; 1 is far apart, 0 is overlapping."
    return f"{who} has {called(measure)} {number(one.value)}{reach}."


def methods_of(result: Clustering, over_k: NumberOfClusters | None, compared: str) -> tuple[str, list[Reference]]:
    """How it was done, in a paragraph to paste, with the works that it cites."""
    cite = Citations()
    names = joined([system.name for system in result.systems], _MOST_NAMES)
    were = "was" if len(result.systems) == 1 else "were"
    table = result.contingency(result.systems[0].name)
    against = "" if table is None else f" with {number_of('class', len(table.classes))}"
    sentences = [
        f"{number_of('clustering', len(result.systems))} ({names}) of {number_of('item', items_of(result))}{against} "
        f"{were} evaluated{_rules(result)}."
    ]
    told = [f"{called(measure)}{_cited(measure, cite)}" for measure in result.measures]
    they = "It was" if len(result.systems) == 1 else "They were"
    sentences.append(f"{they} measured by {joined(told, most=len(told))}.")
    if any(result.points(system.name) is not None for system in result.systems):
        sentences.append(f"Distances of points are {result.rules.metric}.")
    drawn = _halves(result)
    if drawn:
        sentences.append(
            f"Intervals at the {as_level(result.confidence)} level are from {drawn:,} random halves of the items, "
            f"drawn without replacement{cite(OF_SUBSAMPLING)}; the clusters were taken as they are."
        )
    sentences += [compared] if compared else []
    if over_k is not None:
        sentences.append(_numbers(over_k, cite))
    sentences.append(f"All numbers were computed with Assay {__version__} (seed {result.seed}).")
    return " ".join(sentences), cite.references()


def _rules(result: Clustering) -> str:
    """What was done about noise and items without a class, if there were any."""
    rules, told = result.rules, []
    if rules.noise is not None:
        as_what = {"drop": "left out", "singletons": "a cluster of its own each", "cluster": "one cluster"}
        told.append(f"items labelled {rules.noise} (noise) {as_what[rules.noise_as]}")
    held = [one.clusters for one in result.systems if one.clusters is not None]
    if any(one.truth is not None and one.truth.null_count() for one in held):
        told.append(f"items without a class {'left out' if rules.unlabelled == 'drop' else 'as a class of their own'}")
    return f", {' and '.join(told)}" if told else ""


def _halves(result: Clustering) -> int:
    found = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    return max((one.resamples for one in found if one.method == SUBSAMPLING), default=0)


def _cited(measure: Measure, cite: Citations) -> str:
    key = OF_CLUSTER_MEASURES.get(measure.name)
    return cite(key) if key else ""


def _numbers(over_k: NumberOfClusters, cite: Citations) -> str:
    tried = f"Numbers of clusters from {over_k.ks[0]} to {over_k.ks[-1]} were tried ({over_k.by})"
    parts = []
    if over_k.resamples:
        parts.append(
            f"stability is the mean adjusted Rand index of every two of {over_k.resamples} clustered subsamples on "
            f"their shared items{cite(OF_STABILITY)}"
        )
    if over_k.reference is not None:
        parts.append(
            f"structure was tested against {len(over_k.reference.without)} data sets spread evenly over the box along "
            f"the principal axes{cite(OF_REFERENCE_DATA)}"
        )
    return f"{'; '.join([tried, *parts])}."
