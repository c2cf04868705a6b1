"""Small tables from CSV or TSV with a header: scores, a ready confusion matrix, lists of numbers, and lists of ids."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.domains import Choice
from assay.core.errors import AssayError, FormatError, listed
from assay.files.named_columns import names_of
from assay.files.registry import head_of
from assay.files.sources import Readable, Source, decoded, is_file, lines_of
from assay.tables import Scores

#: What stands where there is no value, in small letters.
_NOTHING = ("", "na", "n/a", "null", "none")
_QUOTED = re.compile(r'"[^"]*("|$)')


class Row(NamedTuple):
    """The fields of a row, without blanks around them, and the line on which it starts."""

    line: int
    fields: tuple[str, ...]


class SmallTable(NamedTuple):
    """A header, and rows with as many fields; blank rows are left out.

    >>> table = SmallTable.read(Source(io.StringIO("system;AP\\nbm25;0.5\\n"), name="means.csv"), "a header and rows")
    >>> table.header, table.rows
    (('system', 'AP'), (Row(line=2, fields=('bm25', '0.5')),))
    >>> table.number(table.rows[0], 1)
    0.5
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def read(cls, source: Source, shape: str) -> SmallTable:
        """Read two columns or more, and a row or more; `shape` says in messages what was expected."""
        text, _ = decoded(source)
        first = _QUOTED.sub("", lines_of(text)[0])
        separator = next((mark for mark in "\t;" if mark in first), ",")
        (_, header), *rows = list(_rows(source.name, text, separator)) or [Row(1, ())]
        if len(header) < 2 or not rows:
            raise FormatError(source.name, 1, expected=shape, got=separator.join(header))
        twice = next((name for name, times in Counter(header).items() if times > 1), None)
        if twice is not None:
            raise FormatError(source.name, 1, expected="each column once", got=f"{twice or 'no name'} twice")
        for line, fields in rows:
            if len(fields) != len(header):
                got = f"{len(fields)}: {separator.join(fields)}"
                raise FormatError(source.name, line, expected=f"{len(header)} fields", got=got)
        return cls(source.name, header, tuple(rows))

    def number(self, row: Row, column: int) -> float | None:
        """The number in a field; None where there is no value."""
        text = row.fields[column]
        if text.casefold() in _NOTHING:
            return None
        try:
            value = float(text)
        except ValueError:
            raise FormatError(self.name, row.line, expected="a number, or nothing", got=text) from None
        if not math.isfinite(value):
            raise FormatError(self.name, row.line, expected="a finite number, or nothing", got=text)
        return value


def _rows(name: str, text: str, separator: str) -> Iterator[Row]:
    """The header, whatever it holds, and the rows that hold something."""
    # A quoted field may hold line ends, so that a row starts on the line after the one on which the last row ended.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    start = 1
    try:
        for fields in reader:
            row = Row(start, tuple(field.strip() for field in fields))
            if start == 1 or any(row.fields):
                yield row
            start = reader.line_num + 1
    except csv.Error as problem:
        raise FormatError(name, start, expected="fields quoted as in CSV", got=str(problem)) from None


def read_numbers(readable: Readable | Source) -> dict[str, dict[str, float | None]]:
    """Read lists of numbers from CSV or TSV with a header: names in the first column, a list in every other one.

    An empty field or `NA` is no value.

    >>> import io
    >>> read_numbers(io.StringIO("system,AP,RR\\nbm25,0.25,0.5\\ndense,0.75,NA\\n"))
    {'AP': {'bm25': 0.25, 'dense': 0.75}, 'RR': {'bm25': 0.5, 'dense': None}}
    """
    table = SmallTable.read(_source(readable), "a header, then a name and numbers a line")
    if "" in table.header[1:]:
        raise FormatError(table.name, 1, expected="a name for each column of numbers", got=",".join(table.header))
    lists: dict[str, dict[str, float | None]] = {name: {} for name in table.header[1:]}
    seen: set[str] = set()
    for row in table.rows:
        item = row.fields[0]
        if not item or item in seen:
            expected = "each name once" if item else "a name in the first column"
            raise FormatError(table.name, row.line, expected=expected, got=item or ",".join(row.fields))
        seen.add(item)
        for column, name in enumerate(table.header[1:], 1):
            lists[name][item] = table.number(row, column)
    return lists


def read_ids(readable: Readable | Source) -> list[str]:
    """Read ids, one a line: the first word of each line that is not blank, each id once.

    >>> import io
    >>> read_ids(io.StringIO("401\\n402  a remark\\n\\n"))
    ['401', '402']
    """
    source = _source(readable)
    text, _ = decoded(source)
    ids = dict.fromkeys(words[0] for line in lines_of(text) if (words := line.split()))
    if not ids:
        raise FormatError(source.name, 1, expected="ids, one a line", got="")
    return list(ids)


def _source(readable: Readable | Source) -> Source:
    return Source.of(readable)


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


#: The names that files give the unit that scores are paired by, in small letters.
_QUERIES = ("query_id", "qid", "query", "topic", "topic_id")
_UNITS = (*_QUERIES, "unit", "item", "user", "participant", "fold", "class", "")
_LONG = ("system", "measure", "value")
_SHAPES = (
    "`system,measure,unit,value`; or `system,query_id` and a column a measure, as an evaluation "
    "writes them by query; or a column a system and a row a unit"
)


class _Score(NamedTuple):
    system: str
    measure: str
    unit: str
    value: float | None


def read_scores(given: Readable | Source, *, measure: str = "score") -> Scores:
    """Read a table of scores from CSV or TSV with a header.

    Three shapes are known: `system,measure,unit,value`; what an evaluation writes by query; and a matrix
    with a column a system and a row a unit, whose first column may name the units. A matrix does not say what was
    measured: `measure` does. An empty field or `NA` is no value.

    >>> import io
    >>> scores = read_scores(io.StringIO("bm25,dense\\n0.5,0.75\\n"), measure="AP")
    >>> scores.frame.select("system", "unit", "value").rows()
    [('bm25', '1', 0.5), ('dense', '1', 0.75)]
    """
    source = Source.of(given)
    rows = read_score_rows(source, measure=measure)
    again = ~rows.select(pl.struct("system", "measure", "unit").is_first_distinct()).to_series()
    if again.any():
        row = rows.row(int(again.arg_max() or 0), named=True)
        what = f"one value of {row['measure']} for {row['system']} on {row['unit']}"
        raise FormatError(source.name, row["line"], expected=what, got="a second one")
    return Scores(rows.drop("line"))


def read_score_rows(given: Readable | Source, *, measure: str = "score") -> pl.DataFrame:
    """Read the rows of a table of scores, each with its `line`, also where a unit has a second value.

    >>> import io
    >>> read_score_rows(io.StringIO("system,measure,unit,value\\na,AP,q1,0.5\\na,AP,q1,0.25\\n"))["line"].to_list()
    [2, 3]
    """
    table = SmallTable.read(Source.of(given), f"a header and rows: {_SHAPES}")
    columns: dict[str, list[Any]] = {"system": [], "measure": [], "unit": [], "value": [], "line": []}
    for line, score in _scores(table, measure):
        for column, field in zip(columns, (*score, line), strict=True):
            columns[column].append(field)
    frame = pl.DataFrame(columns, schema_overrides={"value": pl.Float64})
    reason = pl.when(pl.col("value").is_null()).then(pl.lit("no value in the file"))
    kind = pl.lit(_unit_kind(table.header)).alias("unit_kind")
    return frame.select("system", "measure", kind, "unit", "value", reason.alias("undefined"), "line")


def looks_like_scores(value: object) -> bool:
    """Whether a file holds scores, by its header; False for a matrix, of which nothing tells what its numbers are.

    >>> import io
    >>> looks_like_scores(io.StringIO("system,measure,unit,value\\na,AP,q1,0.5\\n"))
    True
    """
    if not isinstance(value, Source) and (not is_file(value) or value == "-"):
        return False
    try:
        head = head_of(Source.of(value))  # type: ignore[arg-type]  # a file, as said
        names = [name.casefold() for name in names_of(head)] if head.numbered else []
    except AssayError:
        return False
    return _unit_column(names) is not None and all(name in names for name in _LONG) if "system" in names else False


def _scores(table: SmallTable, measure: str) -> Iterator[tuple[int, _Score]]:
    """The scores of a table of whatever shape, each with its line."""
    folded = [column.casefold() for column in table.header]
    unit, system = _unit_column(table.header), folded.index("system") if "system" in folded else None
    long = [folded.index(column) for column in _LONG if column in folded]
    is_long = len(long) == len(_LONG) and unit is not None
    values = [number for number in range(len(folded)) if number not in {unit, system}]
    if "" in (table.header[number] for number in values):
        raise FormatError(table.name, 1, expected="a name for each column", got="none for one")
    for count, row in enumerate(table.rows, 1):
        fields = row.fields
        unit_name = fields[unit] if unit is not None else str(count)
        if not unit_name or (system is not None and not fields[system]):
            raise FormatError(table.name, row.line, expected="a system and a unit", got=",".join(fields))
        if is_long:
            yield row.line, _Score(fields[long[0]], fields[long[1]], unit_name, table.number(row, long[2]))
            continue
        for number in values:
            value = table.number(row, number)
            if system is None:
                yield row.line, _Score(table.header[number], measure, unit_name, value)
            else:
                yield row.line, _Score(fields[system], table.header[number], unit_name, value)


def _unit_column(header: Sequence[str]) -> int | None:
    """Which column names the units: one of several names, or, in a matrix, the first column if it has such a name."""
    folded = [column.casefold() for column in header]
    if "system" not in folded:
        return 0 if folded[0] in _UNITS else None
    return next((folded.index(name) for name in _UNITS if name in folded), None)


def _unit_kind(header: Sequence[str]) -> str:
    """What the units are, as far as the header tells."""
    unit = _unit_column(header)
    name = "" if unit is None else header[unit].casefold()
    return "query" if name in _QUERIES else name or "unit"
