"""Any table with named columns, whatever they are called: CSV, TSV, JSONL, a JSON list of objects, Parquet, Arrow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import polars as pl

from assay.core.errors import EmptyFileError, FormatError, ParameterError, did_you_mean, listed
from assay.files.delimited import header_of, read_fields
from assay.files.json_values import fast_table, keys_of, records
from assay.files.panics import quiet_panics
from assay.files.parquet import names_in, read_table
from assay.files.registry import COLUMN_MARKS, Head, head_of
from assay.files.sources import Source
from assay.tables.label_columns import is_beyond_floats, labels_of
from assay.tables.label_rules import Where, distinct

#: What stands for no number in a cell of text, in small letters.
_NO_NUMBER = ("", "na", "n/a", "null", "none")
# Whole numbers, as they are or as a column of floats writes them; what starts with a zero is a code, not a number.
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.0+)?")
_TRUTH_VALUES = {"true": "1", "false": "0", "1.0": "1", "0.0": "0"}
_OTHER_THAN_TEXT = re.compile(r"-?[0-9.]+([eE][-+0-9]+)?|true|false|[\[{].*", re.DOTALL)


class NamedColumns(NamedTuple):
    """The columns of a file, and who finds the line of a row (from 0); cells of CSV are text, whatever they hold."""

    path: str
    frame: pl.DataFrame
    where: Where
    #: A column as it is written, for formats whose fast reader makes one type of several.
    exact: Callable[[str], list[Any]] | None = None

    def labels(self, column: str, list_separator: str | None = None) -> pl.Series:
        """A column of labels; cells of text hold several if a separator is said. An empty cell holds none."""
        values = self.frame[column]
        if self.exact is not None and _was_mixed(values):
            written = self.exact(column)
            self._refuse_mixed(column, written)
            return labels_of(written, f"{self.path}: {column}")
        if values.dtype == pl.String and (self.exact is None or list_separator is not None):
            return _split(values, list_separator) if list_separator is not None else _stripped(values)
        return labels_of(values, f"{self.path}: {column}")

    def _refuse_mixed(self, column: str, written: list[Any]) -> None:
        """Refuse the first label that is of another type than those before it."""
        sorts = [_sort(value) for value in written]
        first = next((sort for sort in sorts if sort), None)
        for row, sort in enumerate(sorts):
            if sort and sort != first:
                path, line = self.where(row)
                raise FormatError(path, line, expected=f"{first} in {column}, as above", got=str(written[row]))

    def numbers(self, column: str, expected: str) -> pl.Series:
        """A column of numbers, finite; null where there is none."""
        values = self.frame[column]
        numbers = values
        if values.dtype == pl.String:
            text = values.str.strip_chars()
            numbers = text.cast(pl.Float64, strict=False)
            if (
                is_beyond_floats(numbers)
                and (whole := text.cast(pl.Int64, strict=False)).null_count() == text.null_count()
            ):
                numbers = whole
            wrong = numbers.is_null() & text.is_not_null()
            if wrong.any():
                wrong &= ~text.str.to_lowercase().is_in(_NO_NUMBER)
        elif values.dtype.is_numeric() or values.dtype in {pl.Boolean, pl.Null}:
            numbers = values.cast(pl.Float64)
            numbers = values if values.dtype.is_integer() and is_beyond_floats(numbers) else numbers
            wrong = pl.Series([False])
        else:
            raise FormatError(self.path, None, expected=f"numbers in {column}", got=str(values.dtype))
        wrong = wrong | ~numbers.is_finite().fill_null(True)
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            path, line = self.where(row)
            raise FormatError(path, line, expected=f"a finite number as {expected}", got=str(values[row]))
        return numbers


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
        frame = read_table(source)
        if not frame.height:
            raise EmptyFileError(source.name, expected)
        return NamedColumns(source.name, frame, lambda row: (source.name, row + 1), lists_in(frame))
    if separator is None and _is_json(head):
        return _from_json(source, expected)
    fields, locate = read_fields(source, separator, expected)
    return NamedColumns(source.name, fields, lambda row: locate(row=row))


def names_of(head: Head) -> list[str]:
    """The names of the columns, from the start of a file; none if it has no such columns."""
    if head.start.startswith(COLUMN_MARKS):
        return names_in(head.source)
    if _is_json(head):
        return list(head.first_object or {})
    return header_of(head)


def lists_in(frame: pl.DataFrame) -> Callable[[str], list[Any]]:
    """Gives a column of the frame as a list."""
    return lambda column: frame[column].to_list()


def _is_json(head: Head) -> bool:
    return head.text.startswith(("{", "["))


def _from_json(source: Source, expected: str) -> NamedColumns:
    data = source.read()
    frame = fast_table(data)

    def exact(column: str) -> list[Any]:
        return [record.get(column) for _, record in records(source)]

    def where(row: int) -> tuple[str, int | None]:
        lines = [line for line, _ in records(source)]
        return source.name, lines[row] if row < len(lines) else None

    if frame is None or not frame.width:
        frame = _slow(source, data)
    if not frame.height or not frame.width:
        raise EmptyFileError(source.name, expected)
    return NamedColumns(source.name, frame, where, exact)


def _slow(source: Source, data: bytes) -> pl.DataFrame:
    """What the fast reader cannot read, value by value; a column of several types is text, to be looked at again."""
    rows = [record for _, record in records(source, data)]
    names = keys_of(source, rows)
    return pl.DataFrame([_column(name, [row.get(name) for row in rows]) for name in names])


def _column(name: str, values: list[Any]) -> pl.Series:
    try:
        with quiet_panics():
            return pl.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        # Text that starts like a list is what the fast reader makes of several types, too.
        return pl.Series(name, [None if value is None else f"[{value!a}" for value in values], dtype=pl.String)


def _sort(value: Any) -> str | None:
    """What a label is, in a word; None where there is none."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "a whole number"
    return "text" if isinstance(value, str) else "a list" if isinstance(value, list) else "something else"


def _was_mixed(values: pl.Series) -> bool:
    """Whether text may have been something else, before a fast reader made one type of several."""
    kind = values.dtype
    if kind == pl.Object:
        return True
    inner = values.explode() if kind == pl.List(pl.String) else values
    if inner.dtype != pl.String:
        return kind.is_float()
    seen = distinct(inner)
    other = [text for text in seen if _OTHER_THAN_TEXT.fullmatch(text)]
    return any(text.startswith(("[", "{")) for text in other) or 0 < len(other) < len(seen)


def _stripped(values: pl.Series) -> pl.Series:
    """Cells without blanks around them; nothing where they are empty."""
    bare = values.str.strip_chars()
    empty = bare.str.len_bytes() == 0
    return bare.set(empty, None) if empty.any() else bare


def _split(values: pl.Series, separator: str) -> pl.Series:
    """Cells of several labels; an empty one has none."""
    parts = values.fill_null("").str.split(separator).list.eval(pl.element().str.strip_chars())
    return parts.list.eval(pl.element().filter(pl.element() != "")).list.unique().list.sort()


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
    meant = {text: _TRUTH_VALUES.get(text.lower(), text) for text in seen}
    if not whole or not (whole == set(seen) or set(meant.values()) <= {"0", "1"}):
        return list(columns)
    numbers = {text: int(meaning.partition(".")[0]) for text, meaning in meant.items()}
    old, new = pl.Series(list(numbers), dtype=pl.String), pl.Series(list(numbers.values()), dtype=pl.Int64)
    return [column.replace_strict(old, new, return_dtype=pl.Int64) for column in columns]


def zero_or_one(table: NamedColumns, column: str) -> np.ndarray[Any, np.dtype[np.bool]]:
    """A column of 0 and 1 that says which items have a label."""
    values = table.frame[column]
    if values.dtype == pl.String:
        values = values.str.strip_chars().str.to_lowercase().replace(_TRUTH_VALUES)
    usable = values.dtype.is_numeric() or values.dtype in {pl.String, pl.Boolean}
    numbers = (
        values.cast(pl.Float64, strict=False) if usable else pl.repeat(None, len(values), dtype=pl.Float64, eager=True)
    )
    wrong = ~numbers.is_in([0.0, 1.0]).fill_null(False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        path, line = table.where(row)
        got = table.frame[column][row]
        raise FormatError(path, line, expected=f"0 or 1 in {column}", got="" if got is None else str(got))
    return numbers.to_numpy().astype(np.bool)


class _Named(Protocol):
    @property
    def name(self) -> str:
        """What the system is called."""


_System = TypeVar("_System", bound=_Named)


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
