"""A gate on clusterings: which one is the baseline, which the candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.core.errors import InputError, ParameterError, did_you_mean, listed
from assay.measures.counting.contingency import Contingency
from assay.subjects.clusters.evaluation import systems_in
from assay.subjects.clusters.pairing import RULES, Clusterings
from assay.subjects.clusters.result import Clustering
from assay.tables.clusters import Clusters
from assay.verbs.gating.predicted import chosen_two, name_of
from assay.verbs.subject import name_of as subject_name


def two_clusterings(given: Any, baseline: Any, candidate: Any, rules: Mapping[str, Any], seed: int = 0) -> Clusterings:
    """The baseline and the candidate, on the same items; they are found as those of classifiers are.

    >>> truth = list("xxo")
    >>> old, new = (Clusters.of(truth, found, name=name) for name, found in (("old", [0, 1, 1]), ("new", [0, 0, 1])))
    >>> two_clusterings(new, old, None, {}).names, two_clusterings([old, new], "new", "old", {}).names
    (('old', 'new'), ('new', 'old'))
    """
    for name in rules:
        if name not in RULES:
            raise ParameterError(
                f"{name!r} is no rule for clusterings; those are {', '.join(RULES)}{did_you_mean(name, RULES)}"
            )
    results = [one for one in (baseline, given, candidate) if isinstance(one, Clustering)]
    if results and not rules:
        rules = results[0].rules._asdict()
        if any(one.rules != results[0].rules for one in results):
            raise ParameterError("the clusterings were measured under different rules: measure them together")
    first, second = (
        _held(one) if one is not None and subject_name(one) == "clusters" else [] for one in (baseline, candidate)
    )
    rest = _held(given)
    if first and second:
        named = listed([one.name for one in rest])
        raise ParameterError(f"clusters hold the classes themselves: beside baseline and candidate, {named} is neither")
    systems = [found for found in (first, rest, second) if found]
    if [len(found) for found in systems] == [1, 1] and systems[0][0].name == systems[1][0].name:
        for found, role in zip(systems, ("baseline", "candidate"), strict=True):
            found[0] = replace(found[0], name=f"{found[0].name} ({role})")
    every = [one for found in systems for one in found]
    names = [one.name for one in every]
    chosen = chosen_two(names, name_of(baseline, first, "clusters"), name_of(candidate, second, "clusters"))
    return Clusterings.of([every[names.index(name)] for name in chosen], seed=seed, **rules)


def usual_measure(clusterings: Clusterings) -> str:
    """What a gate on clusterings looks at unless told otherwise: the classes if they are known, else the points."""
    return "ARI" if all(Contingency in one.counts for one in clusterings.systems) else "Silhouette"


def _held(given: Any) -> list[Clusters]:
    opened = systems_in(given).values()
    held = [one for one in opened if isinstance(one, Clusters)]
    if len(held) < len(opened):
        raise InputError("a table of classes and clusters holds no items to pair: give the clusters of each item")
    return held
