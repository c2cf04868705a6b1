"""Measures of each fold, and of all out-of-fold predictions together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.subjects.labels.measurement import (
    Measures,
    classes_left_out,
    computed,
    counts_of,
    has_scores,
    mean_of,
    measure_of,
    names_in,
    suited,
)
from assay.tables import Predictions

#: What is measured unless told otherwise, as far as there are the scores for it.
DEFAULTS = {
    "binary": ("Accuracy", "Precision", "Recall", "F", "MCC", "AUC", "Brier"),
    "multiclass": ("Accuracy", "F", "MCC", "LogLoss"),
    "multilabel": ("ExactMatch", "F", "F(average='micro')"),
}


class LabelTask(NamedTuple):
    """What kind of classifier it is, all labels, and the positive one of two."""

    kind: str
    labels: tuple[Any, ...]
    positive: Any = None


class Values(NamedTuple):
    """Numbers of one measure, NaN where there is none, each with the reason or None, and the classes it leaves out."""

    values: Floats
    reasons: tuple[str | None, ...]
    left_out: tuple[tuple[str, ...], ...] = ()


def measures_of(measures: Measures, task: LabelTask, predictions: Predictions) -> tuple[Measure, ...]:
    """The measures asked for, or the usual ones, as far as predictions have what these need.

    >>> measures_of(None, LabelTask("binary", (0, 1), 1), Predictions.of([0, 1], [1, 1]))
    (Accuracy, Precision, Recall, F, MCC)
    """
    names = names_in(measures)
    if names is None:
        return suited(DEFAULTS[task.kind], task.kind, predictions)
    chosen = tuple(dict.fromkeys(measure_of(name, task.kind) for name in names))
    if task.kind == "multiclass" and (scored := [measure for measure in chosen if measure.definition.counts is Scored]):
        raise ParameterError(f"{scored[0]} is for two labels, and there are {len(task.labels)}")
    return chosen


def measured(
    predictions: Predictions, measures: Sequence[Measure], task: LabelTask
) -> list[tuple[float, str | None, tuple[str, ...]]]:
    """Every measure's number for some items, the reason where there is none, and the classes that are left out.

    >>> accuracy = measure_of("Accuracy", "binary")
    >>> measured(Predictions.of([0, 1], [1, 1]), [accuracy], LabelTask("binary", (0, 1), 1))
    [(0.5, None, ())]
    """
    wants = has_scores(predictions) and any(measure.definition.counts is Probabilities for measure in measures)
    counts = counts_of(predictions, task.labels, task.positive, probabilities=wants)
    numbers = []
    for measure in measures:
        result = computed(measure, counts, predictions.name)
        value = mean_of(measure, result, counts)
        reason = next(filter(None, result.reasons()), None) if np.isnan(value) else None
        numbers.append((value, reason, classes_left_out(measure, result, counts)))
    return numbers


def by_fold(
    predictions: Predictions, keys: Sequence[tuple[Any, ...]], measures: Sequence[Measure], task: LabelTask
) -> dict[Measure, Values]:
    """Every measure on the rows of each fold, whose keys are repeat and fold, or of each repeat alone."""
    columns = ["repeat", "fold"][: len(keys[0])]
    rows = predictions.columns.with_row_index("row").group_by(columns, maintain_order=True).agg("row")
    places = {tuple(key): place for *key, place in rows.iter_rows()}
    each = [measured(predictions.taken(pl.Series(places[key], dtype=pl.Int64)), measures, task) for key in keys]
    by_measure = (zip(*(fold[place] for fold in each), strict=True) for place in range(len(measures)))
    return {
        measure: Values(np.array(values), reasons, left_out)
        for measure, (values, reasons, left_out) in zip(measures, by_measure, strict=True)
    }
