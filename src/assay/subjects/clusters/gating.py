"""A gate on clusterings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.errors import ParameterError
from assay.measures.counting.contingency import Contingency
from assay.subjects.clusters.evaluation import items_in
from assay.subjects.clusters.pairing import Clusterings
from assay.subjects.clusters.result import Clustering
from assay.verbs.gating.sides import ItemSides, Two


def two_clusterings(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> ItemSides:
    """The baseline and the candidate, on the same items: see `Two.among`.

    Unless told otherwise, the gate is on the classes if they are known, else on the points.

    >>> from assay import Clusters
    >>> truth = list("xxo")
    >>> old, new = (Clusters.of(truth, found, name=name) for name, found in (("old", [0, 1, 1]), ("new", [0, 0, 1])))
    >>> both = two_clusterings(new, Two(old), None, 0, {})
    >>> both.pairing.names, both.measures
    (('old', 'new'), ['ARI'])
    """
    results = [side for side in (two.baseline, data, two.candidate) if isinstance(side, Clustering)]
    if results and not rules:
        rules = results[0].rules._asdict()
        if any(result.rules != results[0].rules for result in results):
            raise ParameterError("the clusterings were measured under different rules: measure them together")
    clusterings = Clusterings.of(two.among(data, items_in, "clusters", "classes"), seed=seed, **rules)
    have_classes = all(Contingency in system.counts for system in clusterings.systems)
    return ItemSides.of(clusterings, measures, ("ARI",) if have_classes else ("Silhouette",))
