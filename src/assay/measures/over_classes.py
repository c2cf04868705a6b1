"""One number for a whole confusion matrix: the number of the positive class, or an average over classes."""

from __future__ import annotations

import numpy as np

from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.counting.judgments import Floats
from assay.errors import ParameterError
from assay.measures.registry import Measure
from assay.measures.steps import PerQuery

#: Why there is no average where no class has a number.
NO_CLASS = "it is undefined for every class"


def overall(measure: Measure, matrix: ConfusionMatrix) -> PerQuery:
    """One number for each table of the matrix, by the measure's `average`, with the reason where there is none.

    `macro`: the mean over classes, those without a number left out; `weighted`: the same, each class weighing as much
    as it has true items; `micro`: the formula on counts summed over classes; `binary`: the positive class alone.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> overall(parse_measure("Recall", "multiclass"), matrix).values  # (5/5 + 3/4 + 4/7) / 3
    array([0.7738])
    """
    if measure.definition.counts is ConfusionMatrix:
        return measure.per_unit(matrix)
    if measure.definition.counts is not Confusion:
        raise ParameterError(f"{measure} is computed from {measure.definition.counts.__name__}, not a confusion matrix")
    average = measure.parameters.get("average", "binary" if matrix.positive is not None else "macro")
    if average == "binary":
        return measure.per_unit(matrix.positive_class())
    classes = matrix.per_class()
    if average == "micro":
        return measure.per_unit(_summed(classes, matrix))
    result = measure.per_unit(classes)
    shape = (len(matrix.units), len(matrix.labels))
    values = result.values.reshape(shape)
    weight = (classes.tp + classes.fn).reshape(shape) if average == "weighted" else np.ones(shape)
    return _mean(values, weight.astype(np.float64), average)


def _summed(classes: Confusion, matrix: ConfusionMatrix) -> Confusion:
    """The four cells, summed over the classes of each unit."""
    shape = (len(matrix.units), len(matrix.labels))
    tp, fp, fn = (cell.reshape(shape).sum(axis=1) for cell in (classes.tp, classes.fp, classes.fn))
    tn = None if classes.tn is None else classes.tn.reshape(shape).sum(axis=1)
    return Confusion(matrix.units, tp, fp, fn, tn, matrix.unit_kind)


def _mean(values: Floats, weight: Floats, average: str) -> PerQuery:
    """The weighted mean over classes (columns) that have a number."""
    known = ~np.isnan(values)
    total = np.where(known, weight, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(known, values * weight, 0.0).sum(axis=1) / total
    none = total == 0
    return PerQuery(means, f"{average} average", undefined={NO_CLASS: none} if none.any() else {})
