"""What may hold predictions, opened: one table a system, with a label for every item as far as scores give it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.classification.result import Classification
from assay.errors import InputError, ParameterError
from assay.files.sources import Source
from assay.tables import Predictions

#: Where positive starts, for scores that look like probabilities.
HALF = 0.5


def opened(given: Any, pos_label: Any = None) -> list[Predictions]:
    """The predictions of every system that was given, in whatever form `Classifiers.of` takes.

    >>> [one.name for one in opened({"old": Predictions.of([0, 1], [1, 1]), "new": Predictions.of([0, 1], [0, 1])})]
    ['old', 'new']
    """
    if isinstance(given, Predictions):
        return [given if pos_label is None else replace(given, pos_label=pos_label)]
    if isinstance(given, Classification):
        held = [system.predictions for system in given.systems]
        if None in held:
            raise InputError("a confusion matrix holds no items to pair: give predictions")
        stated = pos_label if pos_label is not None else given.positive
        return [made for one in held for made in opened(one, stated)]
    if isinstance(given, Mapping):
        by_name = {str(name): opened(one, pos_label) for name, one in given.items()}
        return [
            replace(one, name=name if len(found) == 1 else f"{name} {one.name}")
            for name, found in by_name.items()
            for one in found
        ]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [made for one in given for made in opened(one, pos_label)]
    if isinstance(given, str | os.PathLike | Source):
        from assay.files.predictions import read_predictions  # noqa: PLC0415

        return read_predictions(given, pos_label=pos_label)
    raise ParameterError(f"expected Predictions, a Classification or a path, not {type(given).__name__}")


def labelled(given: Predictions, threshold: float | None, notes: list[str]) -> Predictions:
    """Predictions for every item as far as the scores give them; what was decided is noted."""
    if threshold is not None:
        return given.at(threshold)
    if given.prediction is not None or given.kind == "multilabel":
        return given
    if given.score is None:
        notes.append(f"{given.name}: no predictions: the label with the largest score is taken")
        return given.most_likely()
    low, high = float(given.score.min()), float(given.score.max())  # type: ignore[arg-type]
    if not 0 <= low <= high <= 1:
        return given
    notes.append(f"{given.name}: no predictions: {given.positive} is predicted from a score of {HALF} on")
    return given.at(HALF)
