"""Clusterings as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.subjects.clusters.pairing import RULES, Clusterings
from assay.subjects.clusters.rules import Rules
from assay.verbs.subject import Words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.place import Place
    from assay.verbs.explanation.result import Explanation


class ClustersSubject:
    """Clusters of items beside their classes, or points."""

    name = "clusters"
    words = Words("clustering", "item", "clusterings", "clusters of items")
    verb = "assay.subjects.clusters.evaluation:cluster"
    gated = "assay.subjects.clusters.gating:two_clusterings"
    reported = "assay.subjects.clusters.sections.report:ReportedClusterings"
    examination = "assay.subjects.clusters.checks:ClustersExamination"
    rules = RULES
    report_rules = (*Rules._fields, "comparison", "over_k", "confidence", "resamples", "seed", "mute")

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Clusterings:
        """The clusterings, paired by item."""
        del measures
        return Clusterings.of(list(inputs), seed=seed, **rules)

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """The number of a clustering, or of one of its items."""
        from assay.subjects.clusters.explanation import of_clusters  # noqa: PLC0415  # only who explains waits for it

        return of_clusters(measure, inputs[0], place, view, rules)


CLUSTERS = ClustersSubject()
