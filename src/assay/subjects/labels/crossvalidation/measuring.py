"""Measures of each fold, and of all out-of-fold predictions together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.measures.undefined import Gaps, as_counted, worst_of
from assay.subjects.labels.measurement import (
    Measures,
    computed,
    counts_of,
    gaps_of,
    mean_of,
    mean_of_known,
    measures_of,
)
from assay.tables import Predictions

#: What is measured unless told otherwise, as far as there are the scores for it.
DEFAULTS = {
    "binary": ("Accuracy", "Precision", "Recall", "F", "MCC", "AUC", "Brier"),
    "multiclass": ("Accuracy", "F", "MCC", "LogLoss"),
    "multilabel": ("ExactMatch", "F", "F(average='micro')"),
}
#: Of folds with so few items most measures say nothing.
TINY = 2
#: One row a system, measure and fold.
_SCHEMA: dict[str, Any] = {
    "system": pl.String,
    "measure": pl.String,
    "repeat": pl.Int64,
    "fold": pl.String,
    "train_items": pl.Int64,
    "test_items": pl.Int64,
    "value": pl.Float64,
    "taken": pl.Float64,
    "train": pl.Float64,
    "undefined": pl.String,
    "left_out": pl.List(pl.String),
    "counted": pl.List(pl.String),
    "counted_as": pl.Float64,
}


class LabelTask(NamedTuple):
    """The kind of classifier, all labels, and the positive one of two."""

    kind: str
    labels: tuple[Any, ...]
    positive: Any = None


class FoldRecord(NamedTuple):
    """One fold: which repeat it is in, its name, and how many items were learned from and tested."""

    repeat: int
    fold: int | str
    train_items: int
    test_items: int


class CrossValidatedSystem(NamedTuple):
    """One system: its out-of-fold predictions, with the repeat and the fold of each, and its numbers.

    `numbers` has one row a measure and fold: the value on the tested items, what the mean of folds takes for it (0
    where the system's own doing made it undefined), the value on the items learned from (null if nobody looked), the
    reason where there is no value, and the classes without one that an average leaves out, or counts. `pooled` is of
    all tested items together; of several repeats, the mean of each one's.
    """

    name: str
    predictions: Predictions
    numbers: pl.DataFrame
    pooled: Mapping[str, float]

    @classmethod
    def of(
        cls,
        test: Predictions,
        train: Predictions | None,
        folds: Sequence[FoldRecord],
        measures: Sequence[Measure],
        task: LabelTask,
    ) -> CrossValidatedSystem:
        """Measure out-of-fold predictions, by fold and by repeat."""
        tested = parts_of(test, "repeat", "fold")
        learned = {} if train is None else parts_of(train, "repeat", "fold")
        rows = []
        for fold in folds:
            key = fold.repeat, fold.fold
            on_training = measured(learned[key], measures, task) if learned else {}
            for name, number in measured(tested[key], measures, task).items():
                train_value = on_training[name]["value"] if learned else None
                row = {"system": test.name, "measure": name, "train": train_value, **number}
                rows.append(row | fold._asdict() | {"fold": str(fold.fold)})
        names = [str(measure) for measure in measures]
        numbers = pl.DataFrame(sorted(rows, key=lambda row: names.index(row["measure"])), schema=_SCHEMA)
        repeats = [measured(part, measures, task) for part in parts_of(test, "repeat").values()]
        pooled = {name: mean_of_known([repeat[name]["value"] for repeat in repeats]) for name in names}
        return cls(test.name, test, numbers.fill_nan(None), pooled)


def parts_of(predictions: Predictions, *by: str) -> dict[tuple[Any, ...], Predictions]:
    """The rows of each repeat, or of each repeat and fold, in their order."""
    parts = predictions.columns.partition_by(by, as_dict=True)
    return {key: replace(predictions, columns=parts[key]) for key in sorted(parts)}


def fold_measures(measures: Measures, task: LabelTask, predictions: Predictions) -> tuple[Measure, ...]:
    """The measures asked for, or the usual ones, as far as predictions have what these need.

    >>> fold_measures(None, LabelTask("binary", (0, 1), 1), Predictions.of([0, 1], [1, 1]))
    (Accuracy, Precision, Recall, F, MCC)
    """
    chosen = measures_of(measures, DEFAULTS[task.kind], task.kind, predictions)
    if task.kind == "multiclass" and (scored := [measure for measure in chosen if measure.definition.counts is Scored]):
        raise ParameterError(f"{scored[0]} is for two labels, and there are {len(task.labels)}")
    return chosen


def measured(predictions: Predictions, measures: Sequence[Measure], task: LabelTask) -> dict[str, dict[str, Any]]:
    """Every measure's number for some items, the reason where there is none, and the classes that are left out.

    >>> task, predictions = LabelTask("binary", (0, 1), 1), Predictions.of([0, 1], [1, 1])
    >>> measured(predictions, fold_measures("Accuracy", task, predictions), task)
    {'Accuracy': {'value': 0.5, 'taken': 0.5, 'undefined': None, 'left_out': (), 'counted': (), 'counted_as': None}}
    """
    counts = counts_of(predictions, task.labels, task.positive, measures)
    numbers = {}
    for measure in measures:
        result = computed(measure, counts, predictions.name)
        value = mean_of(measure, result, counts)
        reason = next(filter(None, result.reasons()), None) if math.isnan(value) else None
        gaps = gaps_of(measure, result, counts)
        named = gaps if gaps.kind == "class" else Gaps()
        number: dict[str, Any] = {"value": value, "taken": _taken(measure, counts, value), "undefined": reason}
        number |= {"left_out": named.left_out, "counted": named.counted}
        numbers[str(measure)] = number | {"counted_as": named.counted_as}
    return numbers


def _taken(measure: Measure, counts: Mapping[type, Any], value: float) -> float:
    """The value of a fold in the mean of folds: where the system's own doing left no number, the worst."""
    matrix: ConfusionMatrix | None = counts.get(ConfusionMatrix)
    worst = worst_of(measure)
    if not math.isnan(value) or matrix is None or worst is None:
        return value
    if measure.definition.counts is Confusion and measure.parameters.get("average") == "binary":
        fold = replace(matrix.positive_class(), unit_kind="class")
        return float(as_counted(measure, fold, measure.per_unit(fold))[0])
    if measure.definition.counts is not ConfusionMatrix or np.trace(matrix.table) == matrix.items[0]:
        return value
    # Whether another answer, spread evenly over the labels, would have had a number.
    support = matrix.table.sum(axis=1, keepdims=True).astype(np.float64)
    spread = replace(matrix, tables=np.repeat(support / len(support), len(support), axis=1)[None])
    return value if math.isnan(measure.per_unit(spread).values[0]) else worst
