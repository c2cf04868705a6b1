"""One class against the rest: predictions of many labels as predictions of two."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl

from assay.core.errors import ParameterError
from assay.counting.confusion_matrix import REST, ConfusionMatrix
from assay.tables import Predictions
from assay.tables.label_rules import label_among


def against_rest(given: Predictions | ConfusionMatrix, label: Any) -> Predictions | ConfusionMatrix:
    """The same with one class as the positive label, and all others as "rest"; the class keeps its scores.

    >>> against_rest(Predictions.of(["a", "b", "c"], ["a", "c", "b"]), "b").prediction.to_list()
    ['rest', 'rest', 'b']
    """
    if isinstance(given, ConfusionMatrix):
        return given.collapse(given.labels[given.place(label)])
    if given.kind == "multilabel":
        return _of_lists(given, label)
    wanted = label_among(given.label_values, label)
    name, rest = str(wanted), REST if str(wanted) != REST else f"not {wanted}"
    columns = [column for column in ("truth", "prediction") if column in given.columns.columns]
    kept = given.columns.with_columns(
        pl.when(pl.col(column) == wanted).then(pl.lit(name)).otherwise(pl.lit(rest)).alias(column) for column in columns
    )
    if given.score is not None and wanted != given.positive:
        kept = kept.drop("score")
    if given.class_scores:
        scores = [column for column in kept.columns if column.startswith("score:")]
        if "prediction" not in columns:
            return against_rest(given.most_likely(), label)
        kept = kept.drop(scores).with_columns(given.class_scores[wanted].alias("score"))
    return dataclasses.replace(given, columns=kept, labels=(name, rest), pos_label=name)


def _of_lists(given: Predictions, label: Any) -> Predictions:
    """Whether each item has the label, where items have several."""
    name = str(label_among(given.label_values, label))
    score = given.class_scores.get(name)
    if given.prediction is None and score is None:
        raise ParameterError(f"{given.name}: items with several labels need predictions, or scores of {name}")
    held = given.columns.columns
    columns = given.columns.select(
        *(column for column in held if column not in {"truth", "prediction"} and not column.startswith("score")),
        *(
            pl.when(pl.col(column).list.contains(name)).then(pl.lit(name)).otherwise(pl.lit(REST)).alias(column)
            for column in ("truth", "prediction")
            if column in held
        ),
        *([] if score is None else [score.alias("score")]),
    )
    return dataclasses.replace(given, columns=columns, labels=(name, REST), pos_label=name)
