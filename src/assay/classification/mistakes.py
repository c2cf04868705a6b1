"""What a classifier got wrong: items, and pairs of labels that it takes for one another."""

from __future__ import annotations

import polars as pl

from assay.counting.confusion_matrix import ConfusionMatrix
from assay.tables import Predictions

_HALF = 0.5


def wrong_items(predictions: Predictions, threshold: float | None = None) -> pl.DataFrame:
    """The items that were predicted wrongly; those farthest from the threshold first, where there is a score.

    >>> wrong_items(Predictions.of([1, 0, 0], y_score=[0.9, 0.6, 0.8]).at(0.5)).rows()
    [('3', 0, 1, 0.8), ('2', 0, 1, 0.6)]
    """
    frame = predictions.frame.filter(predictions.truth != predictions.prediction)
    if predictions.score is None:
        return frame
    middle = _HALF if threshold is None else threshold
    return frame.sort((pl.col("score") - middle).abs(), descending=True, maintain_order=True)


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
    told = {
        "truth": pl.Series([names[row] for row in rows], dtype=pl.String),
        "prediction": pl.Series([names[column] for column in columns], dtype=pl.String),
        "items": items,
        "share": items / matrix.table.sum(axis=1)[rows],
    }
    return pl.DataFrame(told).sort("items", descending=True, maintain_order=True)
