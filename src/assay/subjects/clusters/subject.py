"""Clusterings as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.subjects.clusters.pairing import RULES, Clusterings
from assay.subjects.clusters.rules import Rules
from assay.verbs.subject import Words


class ClustersSubject:
    """Clusters of items beside their classes, or points."""

    name = "clusters"
    words = Words("clustering", "item", "clusterings", "clusters of items")
    reported = "assay.subjects.clusters.sections.report:ReportedClusterings"
    examination = "assay.subjects.clusters.checks:ClustersExamination"
    rules = RULES
    report_rules = (*Rules._fields, "comparison", "over_k", "confidence", "resamples", "seed", "mute")

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Clusterings:
        """The clusterings, paired by item."""
        del measures
        return Clusterings.of(list(inputs), seed=seed, **rules)


CLUSTERS = ClustersSubject()
