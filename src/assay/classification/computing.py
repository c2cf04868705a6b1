"""One system's predictions -> its counts by their type, and a measure's number from the counts it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.classification.label_sets import is_per_item, of_label_sets
from assay.core.errors import ParameterError
from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.counting.judgments import Floats
from assay.counting.label_sets import LabelSets
from assay.counting.probabilities import SLACK, Probabilities
from assay.counting.scored import Scored
from assay.measures.over_classes import left_out, overall
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.tables import Predictions

#: Counts that a confusion matrix has in it.
LABEL_COUNTS: tuple[type, ...] = (Confusion, ConfusionMatrix)


def measure_of(name: str | Measure, task: str) -> Measure:
    """A measure by the name that it has for such a task.

    Where items have several labels there is no matrix: accuracy and the error rate are then those of all decisions
    about labels, which is why the latter is also called Hamming loss.

    >>> measure_of("HammingLoss", "multilabel")
    ErrorRate(average='micro')
    >>> measure_of("ErrorRate(average='micro')", "multilabel")  # as it is printed
    ErrorRate(average='micro')
    """
    if isinstance(name, Measure) or task != "multilabel":
        return parse_measure(name, "binary" if task == "binary" else "multiclass")
    try:
        found = parse_measure(name, "multiclass")
    except ParameterError as problem:  # a measure of the matrix has no average, the one of decisions has
        try:
            return parse_measure(name, "binary")
        except ParameterError:
            raise problem from None
    if found.definition.counts is not ConfusionMatrix:
        return found
    other = parse_measure(name, "binary")
    return other(average="micro") if other.parameters.get("average") == "binary" else other


def counts_of(
    predictions: Predictions, labels: Sequence[Any], positive: Any = None, *, probabilities: bool = False
) -> dict[type, Any]:
    """The counts that there are: the confusion matrix, if something is predicted, what scores give; sets of labels."""
    if predictions.kind == "multilabel":
        return {LabelSets: LabelSets.from_predictions(replace(predictions, labels=tuple(labels)))}
    weight = predictions.weight
    counts: dict[type, Any] = {}
    if predictions.prediction is not None:
        counts[ConfusionMatrix] = ConfusionMatrix.from_labels(
            predictions.truth, predictions.prediction, labels=labels, pos_label=positive, sample_weight=weight
        )
    if predictions.score is not None and positive is not None:
        counts[Scored] = Scored.from_scores(
            predictions.truth == positive, predictions.score, pos_label=True, sample_weight=weight
        )
    if probabilities:
        counts[Probabilities] = Probabilities.from_predictions(predictions)
    return counts


def has_scores(predictions: Predictions | None) -> bool:
    """Whether there are scores of one label an item."""
    if predictions is None or predictions.kind == "multilabel":
        return False
    return predictions.score is not None or bool(predictions.class_scores)


def are_probabilities(predictions: Predictions) -> bool:
    """Whether scores lie between 0 and 1 and, where there is one a class, add up to 1."""
    if predictions.score is not None:
        return bool(predictions.score.is_between(0, 1).all())
    scores = np.column_stack([one.to_numpy() for one in predictions.class_scores.values()])
    inside = bool(((scores >= 0) & (scores <= 1)).all())
    return inside and bool((np.abs(scores.sum(axis=1) - 1) <= SLACK).all())


def computed(measure: Measure, counts: Mapping[type, Any], name: str) -> PerUnit:
    """One number for the table, or one an item, with the reason where there is none."""
    kind = measure.definition.counts
    if LabelSets in counts:
        return of_label_sets(measure, counts[LabelSets])
    if kind in LABEL_COUNTS:
        return overall(measure, counts[ConfusionMatrix])
    if kind not in counts:
        raise ParameterError(f"{measure} is computed from scores, and {name} has none that it could use")
    return measure.per_unit(counts[kind])


def bounds_of(measure: Measure, *, two_labels: bool) -> tuple[float, float] | None:
    """The smallest and the largest number that a measure can give; of two labels Brier's score is at most 1.

    >>> bounds_of(measure_of("Brier", "binary"), two_labels=True)
    (0.0, 1.0)
    """
    return (0.0, 1.0) if two_labels and measure.name == "Brier" else measure.definition.bounds


def classes_left_out(measure: Measure, result: PerUnit, counts: Mapping[type, Any]) -> tuple[str, ...]:
    """The classes that a number leaves out, as it is an average over those in which the measure is defined.

    >>> matrix = ConfusionMatrix.from_matrix([[5, 0], [3, 0]], ["a", "b"])  # b is never predicted
    >>> counts, precision = {ConfusionMatrix: matrix}, measure_of("Precision", "multiclass")
    >>> classes_left_out(precision, computed(precision, counts, "mine"), counts)
    ('b',)
    """
    if measure.definition.counts not in LABEL_COUNTS or is_over_items(measure, counts):
        return ()
    if LabelSets in counts:
        classes = counts[LabelSets].per_label()
        return left_out(measure, result, classes.units, classes.tp + classes.fn)
    matrix: ConfusionMatrix = counts[ConfusionMatrix]
    of_matrix = measure.definition.counts is ConfusionMatrix
    labels = matrix.labels if of_matrix else matrix.classes
    items = np.array([matrix.table[matrix.place(label)].sum() for label in labels])
    named = left_out(measure, result, labels, items)
    return tuple(name for name in named if name in {str(label) for label in matrix.classes})


def is_over_items(measure: Measure, counts: Mapping[type, Any]) -> bool:
    """Whether a measure has one number an item, of which the mean is taken."""
    if LabelSets in counts:
        return is_per_item(measure)
    return measure.definition.counts is Probabilities and measure.definition.summary == "mean"


def weights_of_items(counts: Mapping[type, Any], measure: Measure) -> Floats | None:
    """What the items of a measure weigh, None if all weigh the same."""
    held = counts.get(LabelSets, counts.get(measure.definition.counts))
    weight: Floats | None = getattr(held, "weight", None)
    return weight


def mean_of(measure: Measure, result: PerUnit, counts: Mapping[type, Any]) -> float:
    """The number of the whole table: of items, the mean over those that have a number, by weight."""
    if not is_over_items(measure, counts):
        return float(result.values[0])
    weight = weights_of_items(counts, measure)
    known = ~np.isnan(result.values)
    weight = known.astype(np.float64) if weight is None else np.where(known, weight, 0.0)
    total = weight.sum()
    return float(np.where(known, result.values * weight, 0.0).sum() / total) if total else np.nan
