"""Any table with named columns: of a file, or a data frame of any library; and its columns as labels, ids, numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import FormatError, InputError
from assay.tables.label_columns import ids_of, is_beyond_floats, labels_of, series_of
from assay.tables.label_rules import distinct
from assay.tables.roles import TABLES, Where, absent, columns_of, refuse_rows

_IN_MEMORY = "in memory"
#: What stands for no number in a cell of text, in small letters.
_NO_NUMBER = ("", "na", "n/a", "null", "none")
TRUTH_VALUES = {"true": "1", "false": "0", "1.0": "1", "0.0": "0"}
_OTHER_THAN_TEXT = re.compile(r"-?[0-9.]+([eE][-+0-9]+)?|true|false|[\[{].*", re.DOTALL)
#: What ids may have been, before they became text among texts: lists, or numbers too long.
_NO_IDS = r"^[\[{]|^-?[0-9]+\.?[0-9]*[eE.][-+0-9]*$"


class NamedColumns(NamedTuple):
    """The columns of a file, and who finds the line of a row (from 0); cells of CSV are text, whatever they hold."""

    path: str
    frame: pl.DataFrame
    where: Where
    #: A column as it is written, for formats whose fast reader makes one type of several.
    exact: Callable[[str], list[Any]] | None = None
    #: What the format is called, and a short name for the table.
    title: str = _IN_MEMORY
    stem: str = ""

    @classmethod
    def of(cls, data: Any, name: str) -> NamedColumns:
        """Take a data frame of Polars, pandas, Arrow or the like.

        >>> NamedColumns.of(pl.DataFrame({"truth": [1]}), "mine").frame.columns
        ['truth']
        """
        frame = _as_polars(data, name)
        return cls(
            name, frame, lambda row: (f"{name}: row {row + 1}", None), lambda column: frame[column].to_list(), stem=name
        )

    def roles(self, kind: str) -> dict[str, str]:
        """Columns by our names (ours to theirs); an error says what a kind of table lacks."""
        columns = columns_of(kind, self.frame.columns)
        if columns is None:
            raise absent(kind, self.frame.columns, self.path, None if self.title == _IN_MEMORY else 1)
        return columns

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
                raise self.error(row, f"{first} in {column}, as above", str(written[row]))

    def numbers(self, column: str, expected: str, *, finite: bool = True) -> pl.Series:
        """A column of numbers; null where there is none. True is 1, and false 0."""
        values = self.frame[column]
        numbers = values
        wrong = pl.Series([False])
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
        else:
            raise FormatError(self.path, None, expected=f"numbers in {column}", got=str(values.dtype))
        odd = ~numbers.is_finite() if finite else numbers.is_nan()
        wrong = wrong | odd.fill_null(False)
        self.refuse(wrong, f"a {'finite ' * finite}number as {expected}", column)
        return numbers

    def ids(self, column: str, expected: str) -> pl.Series:
        """A column of ids: text or whole numbers, none of them absent or empty."""
        values = self.frame[column]
        odd = values.dtype == pl.Object or (values.dtype == pl.String and values.str.contains(_NO_IDS).any())
        if self.exact is not None and odd:
            values = pl.Series(column, [_id_text(value) for value in self.exact(column)], dtype=pl.String)
        kind = values.dtype
        usable = kind.is_integer() or kind.base_type() in {pl.String, pl.Categorical, pl.Enum, pl.Null}
        ids = values.cast(pl.String) if usable else pl.repeat(None, len(values), dtype=pl.String, eager=True)
        self.refuse(ids.is_null() | (ids == ""), f"text or a whole number as {expected}", column)
        return ids

    def texts(self, column: str, expected: str) -> pl.Series:
        """A column of labels as text, none of them absent."""
        texts = ids_of(self.labels(column), f"{self.path}: {column}")
        self.refuse(texts.is_null(), expected)
        return texts

    def lines(self) -> list[int | None]:
        """The line of each row."""
        last = self.frame.height - 1
        first, end = (self.where(row)[1] for row in (0, last))
        if first is None or end is None or end - first == last:  # then nobody has to look for the others
            return [None if first is None else first + row for row in range(last + 1)]
        return [self.where(row)[1] for row in range(last + 1)]

    def refuse(self, wrong: pl.Series, expected: str, column: str | None = None) -> None:
        """Raise the error of the first row that is wrong, if any is; `column` has what came instead."""
        refuse_rows(wrong, self.where, expected, None if column is None else self.frame[column])

    def error(self, row: int, expected: str, got: str = "") -> FormatError:
        """The error of a row."""
        path, line = self.where(row)
        return FormatError(path, line, expected=expected, got=got)


def ranking_rows(kind: str, table: NamedColumns, columns: dict[str, str] | None = None) -> pl.DataFrame:
    """The rows of a run or of judgments, in our columns and types.

    >>> table = NamedColumns.of(pl.DataFrame({"question": ["q"], "chunk_id": [7], "is_relevant": [True]}), "log")
    >>> ranking_rows("qrels", table).rows()
    [('q', '7', 1.0)]
    """
    columns = columns or table.roles(kind)
    kinds = {role.name: role.kind for role in TABLES[kind]}
    rows = pl.DataFrame(
        [
            (table.ids(theirs, ours) if kinds[ours] == "id" else _needed(table, theirs, ours)).alias(ours)
            for ours, theirs in columns.items()
        ]
    )
    if kind == "run" and "distance" in columns:
        return rows.select("query_id", "doc_id", score=-pl.col("distance"))
    if kind == "run" and "score" not in columns:
        rows = rows.select("query_id", "doc_id", -pl.col("rank").alias("score"), "rank")
    return rows


def _needed(table: NamedColumns, column: str, expected: str) -> pl.Series:
    """A column of numbers, none of them absent. An infinite score has a place in an order, an infinite grade none."""
    kind = table.frame[column].dtype
    if kind == pl.Boolean and expected != "relevance":
        raise table.error(0, f"a number as {expected}", str(table.frame[column][0]))
    if kind == pl.String and expected == "relevance":
        said = table.frame[column].str.strip_chars().str.to_lowercase().replace(TRUTH_VALUES)
        table = table._replace(frame=table.frame.with_columns(said.alias(column)))
    numbers = table.numbers(column, expected, finite=expected == "relevance").cast(pl.Float64)
    table.refuse(numbers.is_null(), f"a number as {expected}", column)
    return numbers


def _as_polars(data: Any, name: str) -> pl.DataFrame:
    try:
        if isinstance(data, pl.DataFrame | pl.LazyFrame):
            return data.lazy().collect()
        if hasattr(data, "__arrow_c_stream__") and not hasattr(data, "iloc"):  # pandas needs Arrow to be one
            return pl.DataFrame(data)
    except (OSError, TypeError, ValueError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"{name}: cannot be read: {problem}") from problem
    names = list(data.columns)
    if len(set(map(str, names))) < len(names):
        raise InputError(f"{name}: expected a data frame with a name for each column, got {', '.join(map(str, names))}")
    return pl.DataFrame([_as_series(data[column]).alias(str(column)) for column in names])


def _as_series(values: Any) -> pl.Series:
    """A column of any library; one of several types as it is, to be looked at again."""
    try:
        return series_of(values, "column")
    except InputError:
        return pl.Series(list(values), dtype=pl.Object)


def _id_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if type(value) in {int, float}:
        return repr(value)
    return None


def _sort(value: Any) -> str | None:
    """The sort of a label, in a word; None where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "a whole number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "a list"
    return "something else"


def _was_mixed(values: pl.Series) -> bool:
    """True if text may have been something else, before a fast reader made one type of several."""
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
