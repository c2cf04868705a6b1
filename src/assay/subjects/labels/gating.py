"""A gate on predictions of classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.subjects.labels.inputs import opened
from assay.subjects.labels.pairing import Classifiers
from assay.verbs.gating.sides import ItemSides, Two

#: What a gate on classifiers looks at unless told otherwise.
DEFAULT_MEASURES = ("Accuracy",)


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
    return ItemSides.of(Classifiers.of(both, **rules), measures, DEFAULT_MEASURES)
