"""A ready confusion matrix from a file: labels in the header and in the first column, counts in the cells."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.core.domains import Choice
from assay.core.errors import FormatError, listed
from assay.files.small_tables import SmallTable
from assay.files.sources import Readable, Source

Orientation: TypeAlias = Literal["rows_are_true", "rows_are_predicted"]
#: What stands before the labels of the columns, by orientation, in tables that Assay writes.
_PREFIX: dict[str, str] = {"rows_are_true": "predicted ", "rows_are_predicted": "true "}
_CORNER: dict[str, Orientation] = {
    "truth": "rows_are_true", "true": "rows_are_true", "actual": "rows_are_true", "gold": "rows_are_true",
    "prediction": "rows_are_predicted", "predicted": "rows_are_predicted",
}  # fmt: skip
_SHAPE = "a matrix: a header with the labels, then a row a label that starts with it"
_MOST = 1 << 53


class ReadMatrix(NamedTuple):
    """Labels, and how often each (column) was predicted for items of each true label (row)."""

    labels: tuple[str, ...]
    table: NDArray[np.int64]


def read_matrix(readable: Readable | Source, *, orientation: Orientation | None = None) -> ReadMatrix:
    """Read a confusion matrix from CSV or TSV; in what is given, rows are true labels, however they were in the file.

    The order of labels is that of the rows; columns may have another. Without `orientation` the corner says what the
    rows are (`truth` or `prediction`); if it does not, rows are true labels.

    >>> import io
    >>> read_matrix(io.StringIO("prediction,cat,dog\\ncat,5,2\\ndog,1,7\\n")).table
    array([[5, 1],
           [2, 7]])
    """
    source = Source.of(readable)
    if orientation is not None:
        Choice(Orientation).check("orientation", orientation)
    table = SmallTable.read(source, _SHAPE)
    corner = _CORNER.get(table.header[0].casefold())
    if orientation is not None and corner is not None and corner != orientation:
        raise FormatError(source.name, 1, expected=f"{orientation} as was said", got=table.header[0])
    upright: Any = orientation or corner or "rows_are_true"
    columns = _columns(table.header[1:], _PREFIX[upright])
    labels = tuple(row.fields[0] for row in table.rows)
    times, known = Counter(labels), set(columns)
    for row in table.rows:
        if times[row.fields[0]] > 1 or row.fields[0] not in known:
            expected = f"each label of the header once, {listed(list(columns))}"
            raise FormatError(source.name, row.line, expected=expected, got=row.fields[0])
    if len(labels) != len(columns):
        lacking = listed([label for label in columns if label not in times])
        raise FormatError(source.name, None, expected=f"a row for each label of the header, also for {lacking}")
    cells = np.array([[_count(table, row, column) for column in range(1, len(labels) + 1)] for row in table.rows])
    places = {label: place for place, label in enumerate(columns)}
    ordered = cells[:, [places[label] for label in labels]].astype(np.int64)
    return ReadMatrix(labels, ordered if upright == "rows_are_true" else np.ascontiguousarray(ordered.T))


def _columns(header: tuple[str, ...], prefix: str) -> tuple[str, ...]:
    """The labels of the columns, without the word that may stand before each."""
    if all(name.startswith(prefix) and name != prefix for name in header):
        return tuple(name.removeprefix(prefix) for name in header)
    return header


def _count(table: SmallTable, row: Any, column: int) -> int:
    number = table.number(row, column)
    if number is None or not 0 <= number < _MOST or number != int(number):
        raise FormatError(table.name, row.line, expected="a whole number from 0 on", got=row.fields[column])
    return int(number)
