"""One number for a whole confusion matrix: the number of the positive class, or an average over classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.core.errors import ParameterError
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats, Mask
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit, Steps, quantity

#: Why there is no average where no class has a number.
NO_CLASS = "it is undefined for every class"
#: Why there is no average by weight where those that have one weigh nothing.
NO_ITEMS = "it is undefined for every class that has items"


def overall(measure: Measure, matrix: ConfusionMatrix) -> PerUnit:
    """One number for each table of the matrix, by the measure's `average`, with the reason where there is none.

    `macro`: the mean over classes, those without a number left out; `weighted`: the same, each class weighing as much
    as it has true items; `micro`: the formula on counts summed over classes; `binary`: the positive class alone.
    Counts, such as `TP`, are added up over classes.

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
    if average == "samples":
        raise ParameterError(f"{measure}: the average over items is for items with several labels each")
    return averaged(measure, matrix.per_class(), matrix.units)


def averaged(measure: Measure, classes: Confusion, units: tuple[str, ...] = ("all",)) -> PerUnit:
    """One number for each unit, by the measure's `average`, from right and wrong decisions about the classes of each.

    >>> from assay.measures import parse_measure
    >>> cells = (np.array(cell) for cell in ([1, 1], [0, 0], [0, 1], [1, 0]))
    >>> classes = Confusion(("a", "b"), *cells, "class")
    >>> averaged(parse_measure("Recall", "multiclass"), classes).values  # (1/1 + 1/2) / 2
    array([0.75])
    """
    average, shape = measure.parameters.get("average", "macro"), (len(units), len(classes.units) // len(units))
    if average == "micro":
        return measure.per_unit(_summed(classes, units, shape))
    result = measure.per_unit(classes)
    values = result.values.reshape(shape)
    if measure.definition.summary == "sum":
        return _steps(shape, np.ones(shape, dtype=np.bool_), value=result.values).sum("value")
    by_items = (classes.tp + classes.fn).reshape(shape).astype(np.float64) if average == "weighted" else None
    overall = _mean(values) if by_items is None else _weighted(values, by_items)
    return overall if measure.definition.bounds is None else overall.within(*measure.definition.bounds)


def left_out(measure: Measure, result: PerUnit, labels: Sequence[str], items: Floats) -> tuple[str, ...]:
    """The classes without a number that an average over classes leaves out; those without items weigh nothing anyway.

    `labels` and `items`: the classes of the table that `result` is the number of, and how many items each has.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0], [3, 0]], ["a", "b"])  # b is never predicted
    >>> precision = parse_measure("Precision", "multiclass")
    >>> left_out(precision, overall(precision, matrix), matrix.labels, matrix.table.sum(axis=1))
    ('b',)
    """
    parts = [leaf.steps for leaf in result.leaves() if leaf.steps is not None and leaf.steps.says == "classes"]
    counted = [set(part.columns["class"].tolist()) for part in parts]
    weighted = measure.parameters.get("average") == "weighted"
    return tuple(
        str(label)
        for place, label in enumerate(labels)
        if any(place not in places for places in counted) and (items[place] or not weighted)
    )


class Averages(NamedTuple):
    """A measure's number for each class, and all averages over them; NaN where there is none."""

    classes: Floats
    macro: float
    micro: float
    weighted: float


def averages(measures: Sequence[Measure], matrix: ConfusionMatrix) -> dict[Measure, Averages]:
    """Numbers of classes and all averages of them at once, for a single table: each formula is computed once.

    It is what `overall` gives average by average, with its steps, in a fraction of the time.

    >>> from assay.measures import parse_measure
    >>> recall = parse_measure("Recall", "multiclass")
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> averages([recall], matrix)[recall].classes
    array([1.    , 0.75  , 0.5714])
    """
    if len(matrix.units) > 1:
        raise ParameterError(f"there are {len(matrix.units)} tables, one a unit; `overall` takes several")
    if not measures:
        return {}
    for measure in measures:
        if measure.definition.counts is not Confusion or measure.definition.summary != "mean":
            raise ParameterError(f"{measure} is not averaged over classes")
    # The counts of all classes together are one more class: the micro average is its number.
    cells = np.concatenate(matrix.class_cells(), dtype=np.float64)
    cells = np.concatenate([cells, np.add.reduce(cells, 1, keepdims=True)], axis=1)
    both = Confusion.of_classes((*map(str, matrix.classes), "micro"), cells)
    values = np.array([measure.per_unit(both).values for measure in measures])
    of_classes, micro = values[:, :-1], values[:, -1]
    missing, weight = np.isnan(of_classes), (both.tp + both.fn)[:-1]
    # Numbers, 0 where one is missing, and which are there: both are added up alike.
    summed = np.array([of_classes, ~missing])
    summed[0, missing] = 0.0
    macro, weighted = _quotients(np.add.reduce(summed, 2)), _quotients(summed @ weight)
    return dict(zip(measures, map(Averages, of_classes, macro, micro.tolist(), weighted), strict=True))


def _quotients(both: Floats) -> list[float]:
    """Sums over how many, or how much, was summed up; NaN where that is nothing."""
    return [total / weight if weight else math.nan for total, weight in zip(*both.tolist(), strict=True)]


def _summed(classes: Confusion, units: tuple[str, ...], shape: tuple[int, int]) -> Confusion:
    """The four cells, summed over the classes of each unit."""
    tp, fp, fn = (cell.reshape(shape).sum(axis=1) for cell in (classes.tp, classes.fp, classes.fn))
    tn = None if classes.tn is None else classes.tn.reshape(shape).sum(axis=1)
    return Confusion(units, tp, fp, fn, tn, ConfusionMatrix.unit_kind)


def _mean(values: Floats) -> PerUnit:
    """The mean over classes (columns) that have a number."""
    known = ~np.isnan(values)
    steps = _steps(values.shape, known, value=values[known])
    return steps.sum("value") / quantity("classes with a number", known.sum(axis=1), when_zero=NO_CLASS)


def _weighted(values: Floats, weight: Floats) -> PerUnit:
    """The same, each class weighing as much as it has true items."""
    known = ~np.isnan(values)
    items = weight[known]
    steps = _steps(values.shape, known, value=values[known], items=items, contribution=values[known] * items)
    total = np.where(known, weight, 0.0).sum(axis=1)
    weighed = steps.meaning(contribution="value × items").sum("contribution")
    return weighed / quantity("items of classes with a number", total, when_zero=NO_ITEMS)


def _steps(shape: tuple[int, ...], known: Mask, **columns: Floats) -> Steps:
    """A row for each class that has a number, by unit."""
    unit, place = np.nonzero(known)
    return Steps(unit, shape[0], {"class": place, **columns}, says="classes")
