"""Predicted labels as a subject, and the gate on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.subjects.labels.inputs import opened
from assay.subjects.labels.pairing import Classifiers
from assay.verbs.gating.gate import ItemSides, Two
from assay.verbs.subject import Words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.result import Explanation, Place


#: What a gate on classifiers looks at unless told otherwise.
GATED_BY = ("Accuracy",)


def two_classifiers(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> ItemSides:
    """The baseline and the candidate, on the same items: see `Two.among`.

    >>> from assay import Predictions
    >>> truth = [0, 1, 1]
    >>> old, new = (Predictions.of(truth, labels, name=name) for name, labels in (("old", [0, 0, 1]), ("new", truth)))
    >>> two_classifiers(new, Two(old), None, 0, {}).pairing.names
    ('old', 'new')
    >>> two_classifiers([old, new], Two("new", "old"), None, 0, {}).pairing.names
    ('new', 'old')
    """
    del seed
    both = two.among(data, lambda given: opened(given, rules.get("pos_label")), "predictions")
    pairing = Classifiers.of(both, **rules)
    pairing.refuse_idle(GATED_BY if measures is None else measures, rules)
    return ItemSides.of(pairing, measures, GATED_BY)


class LabelsSubject:
    """Predictions of classifiers hold the truth themselves."""

    name = "labels"
    words = Words("classifier", "item", "classifiers", "predictions")
    verb = "assay.subjects.labels.evaluation:classify"
    gated = "assay.subjects.labels.subject:two_classifiers"
    missing = "error"
    reported = "assay.subjects.labels.sections.report:ReportedClassifiers"
    examination = "assay.subjects.labels.checks.examination:LabelsExamination"
    rules = ("pos_label", "threshold", "missing", "undefined")
    report_rules = (
        "comparison", "labels", "pos_label", "threshold", "confidence", "resamples", "seed", "mute", "undefined",
    )  # fmt: skip

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Classifiers:
        """The classifiers, paired by item."""
        del seed
        pairing = Classifiers.of(list(inputs), **rules)
        pairing.refuse_idle(measures, rules)
        return pairing

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """The number of a class, of an item, or of all."""
        from assay.subjects.labels.explanation import of_labels  # noqa: PLC0415  # only who explains waits for it

        return of_labels(measure, inputs[0], place, view, rules)


LABELS = LabelsSubject()
