"""Predictions in whatever shape they are given -> one prediction an item, and what was decided for that."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.counting.confusion_matrix import ConfusionMatrix
from assay.errors import InputError, ParameterError, listed
from assay.tables import Predictions
from assay.tables.label_rules import stated_labels
from assay.tables.positive import positive_label

#: Where positive starts, for scores that look like probabilities.
_HALF = 0.5
_TWO = 2


class Prepared(NamedTuple):
    """What was given, with a prediction for every item: what was decided for that is in the notes."""

    name: str
    given: Predictions | ConfusionMatrix
    task: str
    labels: tuple[Any, ...]
    positive: Any
    threshold: float | None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def named_predictions(given: Any) -> dict[str, Predictions | ConfusionMatrix]:
    """What was given, by the names of the systems."""
    if isinstance(given, Mapping):
        return {str(name): next(iter(_opened(one).values())) for name, one in given.items()}
    several = isinstance(given, Sequence) and not isinstance(given, str)
    found: dict[str, Predictions | ConfusionMatrix] = {}
    for one in given if several else [given]:
        for name, opened in _opened(one).items():
            if name in found:
                raise ParameterError(f"two systems are called {name!r}: give a dict of names and predictions")
            found[name] = opened
    if not found:
        raise ParameterError("expected predictions, got none")
    return found


def _opened(given: Any) -> dict[str, Predictions | ConfusionMatrix]:
    if isinstance(given, Predictions):
        return {given.name: given}
    if isinstance(given, ConfusionMatrix):
        return {"matrix": given}
    if isinstance(given, str | os.PathLike):
        from assay.files.predictions import read_predictions  # noqa: PLC0415  # only who reads files waits for readers

        return {one.name: one for one in read_predictions(given)}
    raise ParameterError(
        f"expected Predictions, a ConfusionMatrix or a path, not {type(given).__name__}: "
        "Predictions.of(y_true, y_pred) takes lists and arrays"
    )


def prepare(
    name: str, given: Predictions | ConfusionMatrix, labels: Sequence[Any] | None, pos_label: Any,
    threshold: float | None,
) -> Prepared:  # fmt: skip
    """Decide what is positive and what is predicted, as far as it is not given; what was decided is noted."""
    if isinstance(given, ConfusionMatrix):
        return _of_matrix(name, given, pos_label, threshold)
    changes: dict[str, Any] = {"name": name}
    if labels is not None:
        changes["labels"] = _stated(given, labels)
    if pos_label is not None:
        changes["pos_label"] = pos_label
    predictions = dataclasses.replace(given, **changes)
    task = predictions.kind
    positive = predictions.positive if task == "binary" else None
    if threshold is not None and not math.isfinite(threshold):
        raise ParameterError(f"threshold is a number, not {threshold!r}")
    notes: tuple[str, ...] = ()
    at = threshold
    if threshold is not None:
        if predictions.prediction is not None:
            notes = (f"{name}: predicted anew from the scores, positive from {threshold:g} on",)
        predictions = predictions.at(threshold)
    elif predictions.prediction is None:
        predictions, at, notes = _predicted(predictions)
    weight = predictions.weight
    if weight is not None:
        squares, total = float((weight**2).sum()), float(weight.sum())
        if not total:
            raise InputError(f"{name}: all weights are 0")
        notes += (f"{name}: items have weights; they count as {total**2 / squares:,.1f} items that weigh alike",)
    return Prepared(name, predictions, task, tuple(predictions.label_values), positive, at, notes, predictions.warnings)


def _of_matrix(name: str, given: ConfusionMatrix, pos_label: Any, threshold: float | None) -> Prepared:
    if threshold is not None:
        raise ParameterError("a confusion matrix has no scores to which a threshold could apply")
    matrix = given.summed() if len(given.units) > 1 else given
    if not matrix.items[0]:
        raise InputError(f"{name}: expected at least one item, got none")
    if len(matrix.labels) != _TWO:
        if pos_label is None:
            return Prepared(name, matrix, "multiclass", matrix.labels, None, None)
        raise ParameterError(f"only one of two labels can be positive; collapse({pos_label!r}) makes two of them")
    if matrix.positive is None or pos_label is not None:
        positive = positive_label(matrix.labels, pos_label)
        matrix = dataclasses.replace(matrix, positive=matrix.place(positive))
    return Prepared(name, matrix, "binary", matrix.labels, matrix.labels[matrix.positive or 0], None)


def _stated(given: Predictions, labels: Sequence[Any]) -> tuple[Any, ...]:
    """The labels as the data hold them; none that occurs may be missing."""
    stated = stated_labels(labels, given.truth.dtype) or ()
    if missing := [str(label) for label in given.label_values if label not in stated]:
        raise InputError(f"{given.name}: labels that were not stated: {listed(missing)}")
    return stated


def _predicted(predictions: Predictions) -> tuple[Predictions, float | None, tuple[str, ...]]:
    """Predictions made from scores, by a rule that is said."""
    name = predictions.name
    if predictions.kind == "multilabel":
        raise InputError(f"{name}: items with several labels need predictions beside their scores")
    if predictions.score is None:
        return predictions.most_likely(), None, (f"{name}: no predictions: the label with the largest score is taken",)
    low, high = float(predictions.score.min()), float(predictions.score.max())  # type: ignore[arg-type]
    if not 0 <= low <= high <= 1:
        raise ParameterError(
            f"{name}: scores go from {low:g} to {high:g}: from which one on is positive predicted? "
            "say threshold=... (on the command line --threshold)"
        )
    note = f"{name}: no predictions: {predictions.positive} is predicted from a score of {_HALF} on"
    return predictions.at(_HALF), _HALF, (note,)


def same_task(prepared: Sequence[Prepared]) -> str:
    """What kind of classifier all of them are; an error if they are of several."""
    first = prepared[0]
    for other in prepared[1:]:
        if other.task != first.task:
            raise InputError(f"{first.name} is {first.task}, {other.name} is {other.task}: one kind at a time")
        if str(other.positive) != str(first.positive):
            raise InputError(
                f"the positive label is {first.positive} in {first.name}, {other.positive} in {other.name}"
            )
    return first.task


def all_labels(prepared: Sequence[Prepared]) -> tuple[Any, ...]:
    """The labels of all systems, those of the first one in its order."""
    found = dict.fromkeys(label for one in prepared for label in one.labels)
    if len({type(label) for label in found}) > 1:
        shown = listed([repr(label) for label in found])
        raise InputError(f"expected labels of one type in all systems, got {shown}")
    return tuple(found)
