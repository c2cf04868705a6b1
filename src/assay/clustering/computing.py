"""One clustering's counts by their type, and a measure's number from the counts it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.clustering.rules import Rules
from assay.core.arguments import worded
from assay.core.errors import InputError, ParameterError
from assay.counting.contingency import Contingency
from assay.counting.points import Points
from assay.measures.parser import parse_measure, split_measures
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.tables.clusters import Clusters

#: What is computed unless told otherwise, as far as there are the counts for it.
DEFAULTS: dict[type, tuple[str, ...]] = {
    Contingency: ("Purity", "InversePurity", "NMI", "Rand", "ARI", "PairF", "VMeasure", "BCubedF"),
    Points: ("Silhouette", "DaviesBouldin", "CalinskiHarabasz"),
}
#: Measures that people know by another name with their usual parameters.
_CALLED = {"PairF": "PairF1", "BCubedF": "BCubedF1", "PurityF": "PurityF1"}
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


def called(measure: Measure) -> str:
    """A measure as people call it.

    >>> called(measure_of("BCubedF")), called(measure_of("Purity"))
    ('BCubedF1', 'Purity')
    """
    return _CALLED.get(str(measure), str(measure))


def measures_of(
    given: Iterable[str | Measure] | str | Measure | None, counts: Sequence[Mapping[type, Any]]
) -> tuple[Measure, ...]:
    """The measures asked for; or those by default for which every system has what they need."""
    if given is None:
        able = [kind for kind in DEFAULTS if all(kind in held for held in counts)]
        return tuple(measure_of(name) for kind in able for name in DEFAULTS[kind])
    if not isinstance(given, str | Measure | Iterable):
        raise ParameterError(f"measures are names, such as 'ARI' and 'Purity', not {given!r}")
    several = [given] if isinstance(given, str | Measure) else list(given)
    names = [name for one in several for name in (split_measures(one) if isinstance(one, str) else [one])]
    if not names:
        raise ParameterError("there is no measure to compute")
    return tuple(dict.fromkeys(measure_of(name) for name in names))


def counts_of(given: Clusters | Contingency, rules: Rules, seed: int) -> dict[type, Any]:
    """The counts that there are: of classes and clusters, and of points."""
    if isinstance(given, Contingency):
        return {Contingency: given.without_empty()}
    counts: dict[type, Any] = {}
    if not rules.noisy(given).any():
        rules = rules._replace(noise=None, noise_as="drop")
    if given.truth is not None:
        rules.refuse_unlabelled(given)
        counts[Contingency] = _counted(given, rules)
    if given.points is not None:
        counts[Points] = _points(given, rules, seed)
    return counts


def _counted(given: Clusters, rules: Rules) -> Contingency:
    try:
        return Contingency.from_labels(
            given.truth, given.cluster, sample_weight=given.weight, noise=rules.noise, noise_as=rules.noise_as,
            unlabelled=rules.unlabelled,
        ).without_empty()  # fmt: skip
    except InputError as problem:
        raise InputError(f"{given.whence}: {problem}") from None


def _points(given: Clusters, rules: Rules, seed: int) -> Points:
    labels = rules.clusters_of(given) if rules.noise_as == "singletons" else given.cluster
    noise = rules.noise if rules.noise_as == "drop" else None
    try:
        return Points.of(
            given.points, labels, metric=rules.metric, noise=noise, item_id=given.item_id,
            sample_size=rules.sample_size, seed=seed,
        )  # fmt: skip
    except InputError as problem:
        raise InputError(f"{given.whence}: {problem}") from None


def computed(measure: Measure, counts: Mapping[type, Any], name: str) -> PerUnit:
    """One number, with the reason where there is none."""
    kind = measure.definition.counts
    if kind not in counts:
        raise ParameterError(f"{measure} is computed from {worded(_LACKING[kind]).format(name)}")
    return measure.per_unit(counts[kind])
