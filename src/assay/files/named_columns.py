"""Any table with named columns, whatever they are called: CSV, TSV, JSONL, a JSON list of objects, Parquet, Arrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import polars as pl

from assay.core.errors import AssayError, EmptyFileError, ParameterError, did_you_mean, listed
from assay.files.delimited import header_of, read_fields
from assay.files.json_values import fast_table, keys_of, records
from assay.files.panics import quiet_panics
from assay.files.parquet import names_in, read_table
from assay.files.registry import COLUMN_MARKS, Head, head_of
from assay.files.sources import Readable, Source, is_file
from assay.tables.label_rules import ItemTable, distinct
from assay.tables.named_columns import TRUTH_VALUES, NamedColumns, is_frame
from assay.tables.roles import shape_of

# Whole numbers, as they are or as a column of floats writes them; what starts with a zero is a code, not a number.
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.0+)?")


def named_columns(data: Readable | Source | Any, kind: str, separator: str | None = None) -> NamedColumns:
    """The table of a kind in a file or a data frame.

    >>> named_columns(pl.DataFrame({"truth": [1]}), "predictions").stem
    'predictions'
    """
    if not isinstance(data, Source) and not is_file(data) and is_frame(data):
        return NamedColumns.of(data, kind)
    return read_named_columns(Source.of(data), f"a table {shape_of(kind)}", separator)


def read_named_columns(source: Source, expected: str, separator: str | None = None) -> NamedColumns:
    """Read a table by its content; `expected` says in messages what it should hold.

    >>> import io
    >>> read_named_columns(Source(io.StringIO("truth,prediction\\na,b\\n"), name="p.csv"), "a table").frame.rows()
    [('a', 'b')]
    """
    head = head_of(source)
    if not head.numbered:
        raise EmptyFileError(source.name, expected)
    if head.start.startswith(COLUMN_MARKS):
        table = read_table(source)
    elif separator is None and _is_json(head):
        table = _from_json(source)
    else:
        table = read_fields(source, separator, expected)
    if not table.frame.height or not table.frame.width:
        raise EmptyFileError(source.name, expected)
    return table._replace(stem=source.stem)


def names_of(head: Head) -> list[str]:
    """The names of the columns, from the start of a file; none if it has no such columns."""
    if not head.numbered:
        return []
    if head.start.startswith(COLUMN_MARKS):
        return names_in(head.source)
    if _is_json(head):
        return list(head.first_object or {})
    return header_of(head)


def names_in_any(data: Any) -> list[str]:
    """The names of the columns of a file or a data frame; none of anything else, readable or not.

    Standard input can be read only once: give it as a `Source`, which keeps what was read.

    >>> names_in_any(pl.DataFrame({"truth": [1]})), names_in_any({"q": {"d": 1}})
    (['truth'], [])
    """
    if not isinstance(data, Source) and (not is_file(data) or data == "-"):
        names = data.lazy().collect_schema().names() if isinstance(data, pl.DataFrame | pl.LazyFrame) else None
        return list(map(str, names or getattr(data, "column_names", data.columns))) if is_frame(data) else []
    try:
        return names_of(head_of(Source.of(data)))
    except AssayError:
        return []


def _is_json(head: Head) -> bool:
    return head.text.startswith(("{", "["))


def _from_json(source: Source) -> NamedColumns:
    data = source.read()
    frame = fast_table(data)

    def exact(column: str) -> list[Any]:
        return [record.get(column) for _, record in records(source)]

    def where(row: int) -> tuple[str, int | None]:
        lines = [line for line, _ in records(source)]
        return source.name, lines[row] if row < len(lines) else None

    if frame is None or not frame.width:
        rows = [record for _, record in records(source, data)]
        frame = pl.DataFrame([_column(name, [row.get(name) for row in rows]) for name in keys_of(source, rows)])
    return NamedColumns(source.name, frame, where, exact, "JSONL")


def _column(name: str, values: list[Any]) -> pl.Series:
    """What the fast reader cannot read, value by value; one of several types is left as it is."""
    numbers = {type(value) for value in values} - {type(None)}
    try:
        with quiet_panics():
            return pl.Series(name, values, pl.Float64 if numbers == {int, float} else None, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return pl.Series(name, values, dtype=pl.Object)


def as_whole(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Columns of text as whole numbers, if all that is written in all of them is; true is 1 where others say 1.

    >>> [column.to_list() for column in as_whole([pl.Series(["1", "0"]), pl.Series(["1.0", None])])]
    [[1, 0], [1, None]]
    >>> [column.to_list() for column in as_whole([pl.Series(["true", "false"]), pl.Series(["1", "1"])])]
    [[1, 0], [1, 1]]
    """
    if not all(column.dtype == pl.String for column in columns):
        return list(columns)
    seen = [text for column in columns for text in distinct(column)]
    whole = {text for text in seen if _WHOLE.fullmatch(text)}
    meant = {text: TRUTH_VALUES.get(text.lower(), text) for text in seen}
    if not whole or not (whole == set(seen) or set(meant.values()) <= {"0", "1"}):
        return list(columns)
    numbers = {text: int(meaning.partition(".")[0]) for text, meaning in meant.items()}
    old, new = pl.Series(list(numbers), dtype=pl.String), pl.Series(list(numbers.values()), dtype=pl.Int64)
    return [column.replace_strict(old, new, return_dtype=pl.Int64) for column in columns]


def zero_or_one(table: NamedColumns, column: str) -> np.ndarray[Any, np.dtype[np.bool]]:
    """A column of 0 and 1 that says which items have a label."""
    values = table.frame[column]
    if values.dtype == pl.String:
        values = values.str.strip_chars().str.to_lowercase().replace(TRUTH_VALUES)
    usable = values.dtype.is_numeric() or values.dtype in {pl.String, pl.Boolean}
    numbers = (
        values.cast(pl.Float64, strict=False) if usable else pl.repeat(None, len(values), dtype=pl.Float64, eager=True)
    )
    wrong = ~numbers.is_in([0.0, 1.0]).fill_null(False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        got = table.frame[column][row]
        raise table.error(row, f"0 or 1 in {column}", "" if got is None else str(got))
    return numbers.to_numpy().astype(np.bool)


_System = TypeVar("_System", bound=ItemTable)


def chosen(tables: Iterable[_System], systems: Sequence[str] | str, path: str, what: str) -> list[_System]:
    """Those of the systems that are wanted, in the order in which they are named.

    >>> from assay import Clusters
    >>> both = [Clusters.of(None, [0, 1, 1], name=name) for name in ("first", "second")]
    >>> [one.name for one in chosen(both, "second", "notes.csv", "clustering")]
    ['second']
    """
    by_name = {table.name: table for table in tables}
    wanted = [systems] if isinstance(systems, str) else list(systems)
    for name in wanted:
        if name not in by_name:
            known = listed(list(by_name))
            raise ParameterError(
                f"{path}: no {what} is called {name!r}: there are {known}{did_you_mean(name, by_name)}"
            )
    return [by_name[name] for name in wanted]
