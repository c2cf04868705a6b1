"""Predicted labels and scores as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.subjects.labels.pairing import Classifiers
from assay.verbs.subject import Words


class Labels:
    """Predictions of classifiers hold the truth themselves."""

    name = "labels"
    words = Words("classifier", "item", "classifiers", "predictions")
    reported = "assay.subjects.labels.sections.report:ReportedClassifiers"
    examination = "assay.subjects.labels.checks.examination:LabelsExamination"
    rules = ("pos_label", "threshold", "missing")
    report_rules = ("comparison", "labels", "pos_label", "threshold", "confidence", "resamples", "seed", "mute")

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Classifiers:
        """The classifiers, paired by item."""
        del measures, seed
        return Classifiers.of(list(inputs), **rules)


LABELS = Labels()
