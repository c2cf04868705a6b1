"""Counts in rows and columns: the confusion matrix, and classes by clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.digits import short
from assay.show.model import Column, Table

if TYPE_CHECKING:
    from assay.measures.counting.confusion_matrix import ConfusionMatrix, Normalize, Orientation
    from assay.measures.counting.contingency import Contingency

_SHARES_OF = {"true": "true", "pred": "predicted", "all": "all"}


def matrix_table(
    matrix: ConfusionMatrix,
    orientation: Orientation = "rows_are_true",
    normalize: Normalize | None = None,
    prefix: str = "",
) -> Table:
    r"""A confusion matrix with its labels and sums, as counts or as shares; the diagonal stands out.

    >>> from assay import ConfusionMatrix
    >>> from assay.show.markdown import table
    >>> print(table(matrix_table(ConfusionMatrix.from_matrix([[3, 1], [0, 4]], ["a", "b"]))))
    | truth \\ prediction | a | b | items |
    | --- | ---: | ---: | ---: |
    | a | **3** | 1 | 4 |
    | b | 0 | **4** | 4 |
    | items | 3 | 5 | 8 |
    """
    upright = orientation == "rows_are_true"
    rows, columns = ("truth", "prediction") if upright else ("prediction", "truth")
    counts = matrix.table if upright else matrix.table.T
    shares = None if normalize is None else matrix.normalized(normalize)
    if shares is not None and not upright:
        shares = shares.T
    of_what = "" if normalize is None else f", shares of {_SHARES_OF[normalize]} items"
    caption = f"{prefix}confusion matrix (rows: {rows}, columns: {columns}{of_what})"
    names = [str(label) for label in matrix.labels]
    return counts_table(
        "matrix", (f"{rows} \\ {columns}", names, names), counts, np.eye(len(names)), caption, shares=shares
    )


def contingency_table(table: Contingency, prefix: str = "") -> Table:
    """Classes and clusters with their sums; the largest class of each cluster stands out."""
    classes = ["(none)" if label is None else str(label) for label in table.classes]
    heads = ("class \\ cluster", classes, [str(cluster) for cluster in table.clusters])
    largest = (table.table == table.largest_of_clusters[0]) & (table.table > 0)
    return counts_table("contingency", heads, table.table, largest, f"{prefix}items (rows: classes, columns: clusters)")


def counts_table(
    name: str,
    heads: tuple[str, Sequence[str], Sequence[str]],
    counts: Any,
    standing_out: Any,
    caption: str,
    *,
    shares: Any = None,
) -> Table:
    """The cells with the sums of rows and columns, which stay counts where cells are shares of them.

    `heads`: the corner, the names of rows and those of columns. `standing_out` marks cells.
    """
    corner, rows, columns = heads
    data: dict[str, Any] = {"row": [*rows, "items"]}
    body = [Column("row", corner)]
    for place, head in enumerate(columns):
        key, total = f"column_{place}", counts[:, place].sum()
        if shares is None:
            data[key] = [*counts[:, place], total]
            body.append(Column(key, head, "short"))
        else:
            cells = shares[:, place]
            data[key] = [*cells, None]
            data[f"{key}_also"] = [*("–" if np.isnan(cell) else "" for cell in cells), short(float(total))]
            body.append(Column(key, head, "percent", missing="", also=f"{key}_also"))
    data["items"] = [*counts.sum(axis=1), counts.sum()]
    best = frozenset((int(row), f"column_{place}") for row, place in np.argwhere(standing_out))
    return Table(name, pl.DataFrame(data), (*body, Column("items", kind="short")), caption, best=best)
