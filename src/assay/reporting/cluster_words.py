"""What clusterings are worth, in words: the sentences on top, and the methods paragraph."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.clustering import Clustering
from assay.clustering.computing import called
from assay.core.digits import as_level, as_percent, number, percent_span, span
from assay.core.errors import joined, number_of
from assay.measures.registry import Measure
from assay.reporting.texts import values_of_systems
from assay.sections.methods import items_of

_MOST_NAMES = 6
_A_PAIR = 2


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


def clusters_of(result: Clustering, system: str) -> int:
    """How many clusters a clustering has."""
    table, points = result.contingency(system), result.points(system)
    return len(table.clusters) if table is not None else 0 if points is None else len(points.clusters)


def summary_of(result: Clustering, *, judged: bool = False) -> Iterator[str]:
    """What each clustering is worth: by its best known measures, of several by the first of them.

    `judged`: that a verdict says already how two of them stand, if there are no more.
    """
    chosen = [
        measure
        for name in ("ARI", "Purity", "Silhouette")
        for measure in result.measures
        if measure.name == name and not measure.given
    ] or list(result.measures[:1])
    if len(result.systems) > 1:
        if not judged or len(result.systems) > _A_PAIR:
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
