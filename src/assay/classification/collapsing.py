"""One class against the rest: predictions of many labels as predictions of two."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl

from assay.core.errors import ParameterError
from assay.counting.confusion_matrix import REST, ConfusionMatrix
from assay.tables import Predictions
from assay.tables.positive import label_among


def against_rest(labels: Predictions | ConfusionMatrix, label: Any) -> Predictions | ConfusionMatrix:
    """The same with one class as the positive label, and all others as "rest"; the class keeps its scores.

    >>> against_rest(Predictions.of(["a", "b", "c"], ["a", "c", "b"]), "b").prediction.to_list()
    ['rest', 'rest', 'b']
    """
    if isinstance(labels, ConfusionMatrix):
        return labels.collapse(labels.labels[labels.place(label)])
    if labels.kind == "multilabel":
        return _of_lists(labels, label)
    wanted = label_among(labels.label_values, label)
    name, rest = str(wanted), REST if str(wanted) != REST else f"not {wanted}"
    columns = [column for column in ("truth", "prediction") if column in labels.columns.columns]
    kept = labels.columns.with_columns(
        pl.when(pl.col(column) == wanted).then(pl.lit(name)).otherwise(pl.lit(rest)).alias(column) for column in columns
    )
    if labels.score is not None and wanted != labels.positive:
        kept = kept.drop("score")
    if labels.class_scores:
        scores = [column for column in kept.columns if column.startswith("score:")]
        if "prediction" not in columns:
            return against_rest(labels.most_likely(), label)
        kept = kept.drop(scores).with_columns(labels.class_scores[wanted].alias("score"))
    return dataclasses.replace(labels, columns=kept, labels=(name, rest), pos_label=name)


def _of_lists(predictions: Predictions, label: Any) -> Predictions:
    """Whether each item has the label, where items have several."""
    name = str(label_among(predictions.label_values, label))
    score = predictions.class_scores.get(name)
    if predictions.prediction is None and score is None:
        raise ParameterError(f"{predictions.name}: items with several labels need predictions, or scores of {name}")
    held = predictions.columns.columns
    columns = predictions.columns.select(
        *(column for column in held if column not in {"truth", "prediction"} and not column.startswith("score")),
        *(
            pl.when(pl.col(column).list.contains(name)).then(pl.lit(name)).otherwise(pl.lit(REST)).alias(column)
            for column in ("truth", "prediction")
            if column in held
        ),
        *([] if score is None else [score.alias("score")]),
    )
    return dataclasses.replace(predictions, columns=columns, labels=(name, REST), pos_label=name)
