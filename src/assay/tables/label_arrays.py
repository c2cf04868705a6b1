"""Labels and scores in arrays of any shape, as columns: matrices of scores, lists and indicators of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import InputError
from assay.tables.label_columns import labels_of, numbers_of
from assay.tables.shapes import picked

_TWO = 2
#: How far from 1 numbers of 32 bits may add up to.
_ROUNDING = 1e-6


class ScoreColumns(NamedTuple):
    """Columns of scores, and which labels they are of, if that was said."""

    columns: list[pl.Series]
    labels: tuple[Any, ...] | None = None

    @property
    def are_complementary(self) -> bool:
        """True if these are probabilities of two labels that add up to 1, so that one column tells the other."""
        inside = len(self.columns) == _TWO and all(column.is_between(0, 1).all() for column in self.columns)
        return inside and bool(((self.columns[0] + self.columns[1] - 1).abs() <= _ROUNDING).all())


def score_columns(values: Any) -> ScoreColumns:
    """One score per item; or a matrix of scores with one column per label; or a dict of label to scores.

    >>> score_columns([[0.2, 0.8], [0.5, 0.5]]).columns[1].to_list()
    [0.8, 0.5]
    """
    if isinstance(values, Mapping):
        if not values:
            raise InputError("y_score: expected a dict of label to scores, got an empty one")
        columns = [numbers_of(column, f"y_score of {label}") for label, column in values.items()]
        return ScoreColumns(columns, tuple(values))
    if isinstance(values, pl.Series) and isinstance(values.dtype, pl.List | pl.Array):
        values = values.to_list()
    values = unnested(values, "y_score")
    if not is_matrix(values):
        return ScoreColumns([numbers_of(values, "y_score")])
    table, names = _table(values, "y_score")
    columns = [numbers_of(table[:, column], "y_score") for column in range(table.shape[1])]
    return ScoreColumns(columns, names)


def unnested(values: Any, what: str) -> Any:
    """Rows of numbers, one in another, as a matrix; all else as it is.

    >>> unnested([[0.2, 0.8], (0.5, 0.5)], "y_score").shape
    (2, 2)
    """
    if not isinstance(values, list | tuple) or not values or not isinstance(values[0], list | tuple | np.ndarray):
        return values
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what}: expected numbers, as many for each item") from None


def label_lists(values: Any, labels: Sequence[Any] | None, what: str) -> tuple[pl.Series, Sequence[Any] | None]:
    """One label per item, or lists of them; and the labels, if a matrix of 0 and 1 has told them.

    >>> label_lists([[1, 0], [1, 1]], None, "y_true")[0].to_list()
    [['0'], ['0', '1']]
    """
    if _is_nested(values):
        values = np.array(values)
    if not is_matrix(values) or values.shape[1] == 1:
        return labels_of(values, what), labels
    return lists_of_indicators(values, labels, what)


def _is_nested(values: Any) -> bool:
    """True if lists of one length hold 0 and 1 only: as labels of items they would say nothing."""
    if not isinstance(values, list | tuple) or not values or not isinstance(values[0], list | tuple):
        return False
    if not all(isinstance(row, list | tuple) for row in values) or len(set(map(len, values))) > 1:
        return False
    kinds = set(map(type, chain.from_iterable(values)))
    return len(values[0]) >= _TWO and kinds <= {int, bool} and set(chain.from_iterable(values)) <= {0, 1}


def is_matrix(values: Any) -> bool:
    """True if there are columns: a frame, a sparse matrix or an array of two dimensions."""
    shape = getattr(values, "shape", None)
    return isinstance(shape, tuple) and len(shape) == _TWO


def lists_of_indicators(values: Any, labels: Sequence[Any] | None, what: str) -> tuple[pl.Series, tuple[str, ...]]:
    """A matrix of 0 and 1, one column per label -> the labels of each item, and all labels in the order of the columns.

    The columns of a frame name their labels; those of an array are in the order of `labels`, or numbered from 0.

    >>> lists_of_indicators(np.array([[1, 0], [1, 1]]), ["a", "b"], "y_true")[0].to_list()
    [['a'], ['a', 'b']]
    """
    if hasattr(values, "tocoo"):
        table = values.tocoo()
        names = None
        order = np.lexsort((table.col, table.row))
        rows = table.row[order]
        columns = table.col[order]
        cells = np.asarray(table.data)[order]
    else:
        table, names = _table(values, what)
        rows, columns = np.nonzero(table)
        cells = table[rows, columns]
    wrong = np.flatnonzero((cells != 0) & (cells != 1))
    if len(wrong):
        row = int(rows[wrong[0]]) + 1
        cell = cells[wrong[0]]
        raise InputError(f"{what}: row {row}: expected 0 or 1 in a matrix of labels, got {cell}")
    width = table.shape[1]
    called: Iterable[Any]
    if names is not None:
        called = names
    elif labels is None:
        called = range(width)
    else:
        called = labels
    texts = tuple(map(str, called))
    if len(texts) != width:
        raise InputError(f"{what}: expected a column for each of {len(texts)} labels, got {width} columns")
    held = cells != 0
    lists = _grouped(rows[held], columns[held], texts, table.shape[0])
    return lists.alias(what), texts if labels is None else tuple(map(str, labels))


def _grouped(rows: Any, columns: Any, texts: Sequence[str], height: int) -> pl.Series:
    """Pairs of row and column -> a list of texts a row."""
    # Every row comes up once without a label, so that rows without any are there too.
    row = np.concatenate([np.arange(height), rows]).astype(np.int64)
    column = np.concatenate([np.full(height, len(texts)), columns]).astype(np.int64)
    names = picked(pl.Series([*texts, None], dtype=pl.String), column)
    pairs = pl.DataFrame({"row": row, "label": names})
    grouped = pairs.group_by("row", maintain_order=True).agg(pl.col("label").drop_nulls().sort())
    return grouped["label"]


def _table(values: Any, what: str) -> tuple[np.ndarray[Any, Any], tuple[Any, ...] | None]:
    """A matrix of numbers, and the names of its columns if they are told."""
    names: tuple[Any, ...] | None = None
    try:
        if hasattr(values, "toarray"):
            table = values.toarray()
        elif hasattr(values, "column_names"):  # a table of Arrow
            frame = pl.DataFrame(values)
            table = frame.to_numpy()
            names = tuple(frame.columns)
        elif hasattr(values, "columns"):
            table = values.to_numpy()
            names = tuple(values.columns)
        else:
            table = np.asarray(values)
        table = table.astype(np.float64) if table.dtype.kind == "O" else table
    except (TypeError, ValueError):
        table = np.empty(0, dtype=object)
    if table.dtype.kind not in "biuf" or table.ndim != _TWO:
        raise InputError(f"{what}: expected a matrix of numbers, one row per item")
    if names is not None and not all(isinstance(name, str) for name in names):
        names = None  # a frame numbers its columns if nobody names them
    return table, names
