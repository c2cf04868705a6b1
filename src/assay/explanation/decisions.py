"""Right and wrong decisions as tables with margins: four cells, or a matrix with a row and a column for each label."""

from __future__ import annotations

import math

import polars as pl

from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import ConfusionMatrix, Orientation
from assay.explanation.working import StepTable

#: What rows and columns are called: of documents, and of items.
_OF_DOCUMENTS = ("documents", "relevant", "irrelevant", "retrieved", "not_retrieved")
_OF_ITEMS = ("truth", "positive", "negative", "predicted positive", "predicted negative")


def decisions(table: Confusion) -> StepTable:
    """The four cells of one unit, with their margins; what needs the true negatives is empty if nobody counted them.

    >>> decisions(Confusion.from_table(4, 6, 4)).frame["retrieved"].to_list()
    [4.0, 6.0, 10.0]
    """
    tp, fp, fn = (float(cell[0]) for cell in (table.tp, table.fp, table.fn))
    tn = math.nan if table.tn is None else float(table.tn[0])
    rows, yes, no, chosen, left = _OF_DOCUMENTS if table.unit_kind == "query" else _OF_ITEMS
    cells = {
        rows: [yes, no, "all"],
        chosen: [tp, fp, tp + fp],
        left: [fn, tn, fn + tn],
        "all": [tp + fn, fp + tn, tp + fp + fn + tn],
    }
    return StepTable("decisions", (), pl.DataFrame(cells).with_columns(pl.col(pl.Float64).fill_nan(None)), {})


def matrix_table(matrix: ConfusionMatrix, title: str, orientation: Orientation = "rows_are_true") -> StepTable:
    """A matrix with its margins, rows and columns labelled.

    >>> made = matrix_table(ConfusionMatrix.from_matrix([[3, 1], [0, 4]], ["a", "b"]), "matrix")
    >>> made.frame.columns, made.frame.row(2)
    (['truth', 'predicted a', 'predicted b', 'all'], ('all', 3.0, 5.0, 8.0))
    """
    frame = matrix.to_frame(orientation)
    names = frame.columns[0]
    cells = frame.select(pl.exclude(names).cast(pl.Float64))
    cells = cells.with_columns(all=pl.sum_horizontal(pl.all()))
    cells = pl.concat([cells, cells.sum()])
    return StepTable(title, (), cells.select(pl.Series(names, [*frame[names], "all"]), pl.all()), {})
