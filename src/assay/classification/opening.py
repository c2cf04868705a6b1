"""What may hold predictions, opened: one table a system, a label for every item, and what was decided for that."""

from __future__ import annotations

import dataclasses
import math
import numbers
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from assay.classification.result import Classification
from assay.core.arguments import argument, naming
from assay.core.digits import significant
from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.files.sources import Source
from assay.tables import Predictions
from assay.tables.alignment import aligned
from assay.tables.label_rules import NONE, positive_label, stated_labels

#: Where positive starts, for scores that look like probabilities.
HALF = 0.5

Opened: TypeAlias = Predictions | ConfusionMatrix


def systems_in(given: Any, pos_label: Any = None) -> dict[str, Opened]:
    """What was given, by the names of the systems: predictions, or a confusion matrix.

    >>> list(systems_in({"old": Predictions.of([0, 1], [1, 1]), "new": ConfusionMatrix.from_matrix([[1, 0], [0, 1]])}))
    ['old', 'new']
    """
    found: dict[str, Opened] = {}
    for name, one in _found(given, pos_label):
        if name in found:
            raise ParameterError(f"two systems are called {name!r}: give each a name of its own, {naming()}")
        found[name] = one
    if not found:
        raise ParameterError("expected predictions, got none")
    return found


def opened(given: Any, pos_label: Any = None) -> list[Predictions]:
    """The predictions of every system that was given, in whatever form `classify` takes; a matrix holds none.

    >>> [one.name for one in opened({"old": Predictions.of([0, 1], [1, 1]), "new": Predictions.of([0, 1], [0, 1])})]
    ['old', 'new']
    """
    found = []
    for name, one in systems_in(given, pos_label).items():
        if isinstance(one, ConfusionMatrix):
            raise InputError("a confusion matrix holds no items to pair: give predictions")
        found.append(one if one.name == name else dataclasses.replace(one, name=name))
    return found


def _found(given: Any, pos_label: Any) -> Iterator[tuple[str, Opened]]:
    if isinstance(given, Predictions):
        yield given.name, given if pos_label is None else dataclasses.replace(given, pos_label=pos_label)
    elif isinstance(given, ConfusionMatrix):
        yield "matrix", given
    elif isinstance(given, Classification):
        stated = pos_label if pos_label is not None else given.positive
        for system in given.systems:
            held = system.predictions
            yield from _found(system.counts[ConfusionMatrix] if held is None else held, stated)
    elif isinstance(given, Mapping):
        for name, one in given.items():
            found = list(_found(one, pos_label))
            yield from ((str(name) if len(found) == 1 else f"{name} {own}", held) for own, held in found)
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        for one in given:
            yield from _found(one, pos_label)
    elif isinstance(given, str | os.PathLike | Source):
        from assay.files.predictions import read_predictions  # noqa: PLC0415  # only who reads files waits for readers

        yield from ((one.name, one) for one in read_predictions(given, pos_label=pos_label))
    else:
        raise ParameterError(
            f"expected Predictions, a ConfusionMatrix, a Classification or a path, not {type(given).__name__}: "
            "Predictions.of(y_true, y_pred) takes lists and arrays"
        )


class Labelled(NamedTuple):
    """Predictions with a label for every item; the threshold that gave them, if one did; and what was decided."""

    predictions: Predictions
    threshold: float | None = None
    notes: tuple[str, ...] = ()


def labelled(given: Predictions, threshold: float | None = None, *, needed: bool = True) -> Labelled:
    """A label for every item, by the threshold or as far as scores give it; by a rule that is said.

    `needed`: scores that are no probabilities ask for a threshold; otherwise such items are left without a label.

    >>> labelled(Predictions.of([0, 1], y_score=[0.2, 0.7])).threshold
    0.5
    """
    name = given.name
    if given.kind != "binary" and given.pos_label is not None:
        named, label = listed([*map(str, given.classes)]), given.pos_label
        raise ParameterError(
            f"{name}: only one of two labels can be positive, and there are {len(given.classes)} ({named}): "
            f"{argument('one_class', label)} sets it against all others"
        )
    if threshold is not None:
        if isinstance(threshold, bool) or not isinstance(threshold, numbers.Real) or not math.isfinite(threshold):
            raise ParameterError(f"threshold is a number, not {threshold!r}")
        anew = f"{name}: predicted anew from the scores, positive from {significant(threshold, 6)} on"
        return Labelled(given.at(threshold), threshold, () if given.prediction is None else (anew,))
    if given.prediction is not None:
        return _wrong_if_absent(given)
    if given.kind == "multilabel":
        if needed:
            raise InputError(f"{name}: items with several labels need predictions beside their scores")
        return Labelled(given)
    if given.score is None:
        return Labelled(
            given.most_likely(), None, (f"{name}: no predictions: the label with the largest score is taken",)
        )
    low, high = float(given.score.min()), float(given.score.max())  # type: ignore[arg-type]
    if 0 <= low <= high <= 1:
        said = f"{name}: no predictions: {given.positive} is predicted from a score of {HALF} on"
        return Labelled(given.at(HALF), HALF, (said,))
    if needed:
        raise ParameterError(
            f"{name}: scores go from {low:g} to {high:g}: from which one on is positive predicted? "
            f"say {argument('threshold')}, or ask for measures of scores alone, such as AUC"
        )
    return Labelled(given)


def _wrong_if_absent(given: Predictions) -> Labelled:
    """Of two labels, an absent prediction counts as the other one than the true one: it is never right."""
    if given.kind != "binary" or given.prediction is None or given.classes == given.label_values:
        return Labelled(given)
    absent = given.prediction.eq(NONE)
    other = pl.when(given.truth == given.positive).then(pl.lit(given.negative)).otherwise(pl.lit(given.positive))
    made = pl.when(absent).then(other).otherwise(given.prediction).alias("prediction")
    items = number_of("item", int(absent.sum()))
    note = f"{given.name}: {items} without a prediction, counted as the wrong label"
    labels = given.labels if given.labels is None else tuple(label for label in given.labels if label != NONE)
    return Labelled(dataclasses.replace(given, columns=given.columns.with_columns(made), labels=labels), None, (note,))


class Prepared(NamedTuple):
    """What was given, with a prediction for every item: what was decided for that is in the notes."""

    name: str
    given: Opened
    task: str
    labels: tuple[Any, ...]
    positive: Any = None
    threshold: float | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def prepare(
    name: str,
    given: Opened,
    labels: Sequence[Any] | None,
    pos_label: Any,
    threshold: float | None,
    *,
    scores_alone: bool = False,
) -> Prepared:
    """Decide what is positive and what is predicted, as far as it is not given; what was decided is noted.

    `scores_alone`: nothing is asked that needs predictions, so that a threshold need not be known.
    """
    if isinstance(given, ConfusionMatrix):
        return _of_matrix(name, given, pos_label, threshold)
    stated = given.labels if labels is None else _stated(given, labels)
    needed = given.kind != "binary" or not scores_alone
    predictions, at, notes = labelled(dataclasses.replace(given, name=name, labels=stated), threshold, needed=needed)
    if predictions.prediction is None:
        notes += (f"{name}: no predictions, and no threshold to make them from scores: there is no matrix",)
    if not predictions.label_values:
        raise InputError(f"{name}: expected labels, got none: no item has one, and none is predicted")
    if predictions.weight is not None:
        weight = predictions.weight.to_numpy()
        if not weight.any():
            raise InputError(f"{name}: all weights are 0")
        share = weight / weight.max()  # whose squares are neither too large nor too small for a number
        alike = share.sum() ** 2 / (share**2).sum()
        notes += (f"{name}: items have weights; they count as {alike:,.1f} items that weigh alike",)
    positive = predictions.positive if predictions.kind == "binary" else None
    values = tuple(predictions.label_values)
    return Prepared(name, predictions, predictions.kind, values, positive, at, notes, predictions.warnings)


def _of_matrix(name: str, given: ConfusionMatrix, pos_label: Any, threshold: float | None) -> Prepared:
    if threshold is not None:
        raise ParameterError("a confusion matrix has no scores to which a threshold could apply")
    matrix = given.summed() if len(given.units) > 1 else given
    if not matrix.items[0]:
        raise InputError(f"{name}: expected at least one item, got none")
    if len(matrix.labels) != 2:
        if pos_label is None:
            return Prepared(name, matrix, "multiclass", matrix.labels)
        raise ParameterError(f"only one of two labels can be positive; collapse({pos_label!r}) makes two of them")
    if matrix.positive is None or pos_label is not None:
        positive = positive_label(matrix.labels, pos_label)
        matrix = dataclasses.replace(matrix, positive=matrix.place(positive))
    return Prepared(name, matrix, "binary", matrix.labels, matrix.labels[matrix.positive or 0])


def _stated(given: Predictions, labels: Sequence[Any]) -> tuple[Any, ...]:
    """The labels as the data hold them; none that occurs may be missing."""
    stated = stated_labels(labels, given.truth.dtype) or ()
    if missing := [str(label) for label in given.classes if label not in stated]:
        raise InputError(f"{given.name}: labels that were not stated: {listed(missing)}")
    return stated


def same_task(prepared: Sequence[Prepared]) -> str:
    """What kind of classifier all of them are; an error if they are of several.

    >>> same_task([Prepared("one", Predictions.of([0, 1], [1, 1]), "binary", (0, 1), 1)])
    'binary'
    """
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
    """The labels of all systems, those of the first one in its order; two, if the task has two."""
    found = dict.fromkeys(label for one in prepared for label in one.labels)
    named = listed([repr(label) for label in found])
    if len({type(label) for label in found}) > 1:
        raise InputError(f"expected labels of one type in all systems, got {named}")
    if prepared[0].task == "binary" and len(found) > 2:
        raise InputError(f"{listed([one.name for one in prepared])} have different labels: {named}")
    return tuple(label for label in found if label != NONE) + tuple(label for label in found if label == NONE)


def not_alike(prepared: Sequence[Prepared]) -> tuple[str, ...]:
    """A warning if systems were not given the same items with the same truth: their numbers are then of other items."""
    held = [one.given for one in prepared if isinstance(one.given, Predictions)]
    try:
        aligned(held) if len(held) > 1 else None
    except InputError as problem:
        return (f"not the same items, so that numbers of systems cannot be held against each other: {problem}",)
    return ()
