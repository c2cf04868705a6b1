"""What clusterings are worth, in words: the sentences on top, and the methods paragraph."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.core.digits import as_level, as_percent, number, percent_span, span
from assay.core.errors import number_of
from assay.measures.names import display_name
from assay.measures.registry import Measure
from assay.subjects.clusters.result import Clustering
from assay.verbs.report.texts import values_of_systems

_MOST_NAMES = 6
_A_PAIR = 2
#: What the best known measures say of a clustering.
_SENTENCES = {
    "ARI": "{who} agrees with the classes to an adjusted Rand index of {value}; by chance it is 0.",
    "Purity": "{who} puts {value} of the items in a cluster whose largest class is theirs.",
    "Silhouette": "{who} has a mean silhouette of {value}; 1 is far apart, 0 is overlapping.",
}


def lead_of(result: Clustering) -> str:
    """How many clusterings, items, classes and clusters."""
    parts = [number_of("clustering", len(result.systems)), number_of("item", result.items)]
    first = result.systems[0].name
    table, points = result.contingency(first), result.points(first)
    if table is not None:
        parts.append(number_of("class", len(table.classes)))
    if len(result.systems) == 1:
        parts.append(number_of("cluster", clusters_of(result, first)))
    if points is not None:
        features = f"points of {number_of('number', points.X.shape[1])}"
        parts.append("distances" if points.metric == "precomputed" else features)
    return ", ".join(parts)


def clusters_of(result: Clustering, system: str) -> int:
    """How many clusters a clustering has."""
    table, points = result.contingency(system), result.points(system)
    return len(table.clusters) if table is not None else 0 if points is None else len(points.clusters)


def summary_of(result: Clustering, *, judged: bool = False) -> Iterator[str]:
    """What each clustering is worth: by its best known measures, of several by the first of them.

    `judged`: that a verdict says already how two of them stand, if there are no more.
    """
    usual = {measure.name: measure for measure in reversed(result.measures) if not measure.given}
    measures = [usual[name] for name in _SENTENCES if name in usual] or list(result.measures[:1])
    if len(result.systems) == 1:
        for measure in measures:
            yield _sentence(result, measure, "It" if measure is not measures[0] else result.systems[0].name)
    elif not judged or len(result.systems) > _A_PAIR:
        values = {system.name: result.value(measures[0], system.name) for system in result.systems}
        yield f"Under {display_name(measures[0])}, {values_of_systems(values, _MOST_NAMES)}."


def _sentence(result: Clustering, measure: Measure, who: str) -> str:
    estimate, is_share = result.estimate(measure), measure.name == "Purity"
    if math.isnan(estimate.value):
        return f"{display_name(measure)} of {result.systems[0].name} is undefined: {estimate.undefined}."
    value = as_percent(estimate.value) if is_share else number(estimate.value)
    if not math.isnan(estimate.low):
        reach = (percent_span if is_share else span)(estimate.low, estimate.high)
        value += f" ({as_level(result.confidence)} interval {reach})"
    words = _SENTENCES.get(measure.name, f"{{who}} has {display_name(measure)} {{value}}.")
    return words.format(who=who, value=value)
