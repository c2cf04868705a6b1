"""What are predictions of classifiers."""

from __future__ import annotations

from typing import Any

from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.result import Classification
from assay.tables import Predictions
from assay.verbs.recognition import consists_of


def are_predictions(value: Any) -> bool:
    """Whether something is predictions of classifiers: a `Classification`, `Predictions`, files of them, or several.

    >>> are_predictions(Predictions.of([0, 1], [1, 1])), are_predictions({"q1": {"d1": 1.0}})
    (True, False)
    """
    return consists_of(
        value, (Classification, Classifiers, Predictions), "assay.files.predictions:looks_like_predictions"
    )
