"""What a classifier got wrong: items, and pairs of labels that it takes for one another."""

from __future__ import annotations

import polars as pl

from assay.counting.confusion_matrix import ConfusionMatrix
from assay.tables import Predictions

_HALF = 0.5


def sureness(predictions: Predictions, threshold: float | None = None) -> pl.Series | None:
    """How far scores speak for what was predicted: the score of that class, or how far it is beyond the threshold.

    None if there are no scores, or no predictions.

    >>> sureness(Predictions.of([1, 0, 0], y_score=[0.9, 0.6, 0.1]).at(0.5)).to_list()
    [0.4, 0.1, 0.4]
    """
    prediction = predictions.prediction
    if prediction is None or predictions.kind == "multilabel":
        return None
    if predictions.score is not None:
        beyond = predictions.score.cast(pl.Float64) - (_HALF if threshold is None else threshold)
        return pl.select(pl.when(prediction == predictions.positive).then(beyond).otherwise(-beyond)).to_series()
    if not predictions.class_scores:
        return None
    chosen: pl.Expr = pl.lit(None, dtype=pl.Float64)
    for label, scores in predictions.class_scores.items():
        chosen = pl.when(prediction == label).then(scores).otherwise(chosen)
    return pl.select(chosen).to_series()


def wrong_items(predictions: Predictions, threshold: float | None = None) -> pl.DataFrame:
    """The items that were predicted wrongly; the surest mistakes first, where there are scores.

    >>> wrong_items(Predictions.of([1, 0, 0], y_score=[0.9, 0.6, 0.8]).at(0.5)).rows()
    [('3', 0, 1, 0.8), ('2', 0, 1, 0.6)]
    """
    wrong = predictions.truth != predictions.prediction
    frame, sure = predictions.frame.filter(wrong), sureness(predictions, threshold)
    if sure is None:
        return frame
    return frame.sort(sure.filter(wrong), descending=True, nulls_last=True, maintain_order=True)


def confused_pairs(matrix: ConfusionMatrix) -> pl.DataFrame:
    """True and predicted labels that differ, the commonest pair first; `share` is of the items with that truth.

    >>> confused_pairs(ConfusionMatrix.from_matrix([[5, 1, 0], [3, 3, 0], [0, 0, 4]], ["a", "b", "c"])).rows()
    [('b', 'a', 3, 0.5), ('a', 'b', 1, 0.1667)]
    """
    names = [str(label) for label in matrix.labels]
    rows, columns = matrix.table.nonzero()
    kept = rows != columns
    rows, columns = rows[kept], columns[kept]
    items = matrix.table[rows, columns]
    frame_columns = {
        "truth": pl.Series([names[row] for row in rows], dtype=pl.String),
        "prediction": pl.Series([names[column] for column in columns], dtype=pl.String),
        "items": items,
        "share": items / matrix.table.sum(axis=1)[rows],
    }
    return pl.DataFrame(frame_columns).sort("items", descending=True, maintain_order=True)
