"""Tables with a header line: fields separated by commas, semicolons or tabs, quoted where need be.

Polars parses all fields as text. Where it cannot, or a number is none, Python's own reader goes through the file
again to tell the line. Comments may stand before the header, not after it: there a `#` may start an id.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import EmptyFileError, FormatError
from assay.files.registry import Head, head_of
from assay.files.sources import Source
from assay.tables.named_columns import NamedColumns

_SEPARATORS = ("\t", ",", ";")
_LONGEST_HEADER = 1 << 20
_SAYS = {"\t": "TSV", ",": "CSV", ";": "CSV"}


class _Dialect(NamedTuple):
    """Where the header is, and how fields are separated and quoted."""

    line: int
    separator: str
    names: list[str]
    quoted: bool = True


def _header(line: str, separators: tuple[str, ...] = _SEPARATORS) -> tuple[str, list[str]] | None:
    """The separator and the names of a header line, unless it is as long as none is."""
    for separator in separators if len(line) <= _LONGEST_HEADER else ():
        if separator in line:
            try:
                return separator, next(csv.reader([line.rstrip("\r\n")], delimiter=separator, strict=True), [])
            except csv.Error:
                return None
    return None


def read_fields(source: Source, separator: str | None, expected: str) -> NamedColumns:
    """All columns as text, whatever they are called; `expected` is for messages.

    >>> read_fields(Source(io.StringIO("a;b\\n1;2\\n")), None, "a table").frame.to_dict(as_series=False)
    {'a': ['1'], 'b': ['2']}
    """
    head = head_of(source)
    number, line = head.numbered[0] if head.numbered else (1, b"")
    mark, names = _header(line.decode(errors="replace"), _SEPARATORS if separator is None else (separator,)) or ("", [])
    if len(set(names)) < max(len(names), 2):
        raise FormatError(source.name, number, expected=expected, got=", ".join(names) or line.decode(errors="replace"))
    frame, dialect = _loaded(source, _Dialect(number, mark, names), "a line or more below the header")

    def where(row: int) -> tuple[str, int | None]:
        lines = (line for line, _ in _rows(_with_newlines(source.read()), dialect))
        return source.name, next(itertools.islice(lines, row, None), None)

    return NamedColumns(source.name, frame, where, title=f"{_SAYS.get(mark, 'CSV')} with a header")


def _loaded(source: Source, dialect: _Dialect, expected: str) -> tuple[pl.DataFrame, _Dialect]:
    """The fields, one line or more of them, and how they turned out to be quoted."""
    data = _with_newlines(source.read())
    frame = _parsed(data, dialect)
    if frame is None and dialect.separator == "\t":
        # Files with tabs often quote nothing, and have quotation marks in their texts.
        dialect = dialect._replace(quoted=False)
        frame = _parsed(data, dialect)
    if frame is None or _may_be_ragged(frame):
        _refuse_ragged(source, data, dialect, sure=frame is None)
    if frame is None or not frame.height:
        raise EmptyFileError(source.name, expected)
    return frame, dialect


def _with_newlines(data: bytes) -> bytes:
    """Where carriage returns alone end the lines, newlines instead."""
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _parsed(data: bytes, dialect: _Dialect) -> pl.DataFrame | None:
    """All fields as text, without blank lines; None if they do not fit."""
    start = 0
    for _ in range(dialect.line):  # the header, and comments before it
        start = data.find(b"\n", start) + 1 or len(data)
    # Polars takes what starts like a compressed file for one, so that a line of our own stands before the rows.
    fields = dialect.separator.join("-" for _ in dialect.names).encode()
    try:
        frame = pl.read_csv(
            b"%b\n%b" % (fields, data[start:]),
            separator=dialect.separator,
            schema=dict.fromkeys(dialect.names, pl.String),
            quote_char='"' if dialect.quoted else None,
            has_header=False,
        )[1:]
    except pl.exceptions.PolarsError:
        return None
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def header_of(head: Head, separator: str | None = None) -> list[str]:
    """The names in the header line of a table; none if the line has no separator."""
    header = _header(head.first, _SEPARATORS if separator is None else (separator,)) if head.numbered else None
    return header[1] if header else []


def _may_be_ragged(frame: pl.DataFrame) -> bool:
    """Polars fills short lines up with nulls, which are also what empty fields give: whoever has none is fine."""
    return bool(frame.width and frame[frame.columns[-1]].null_count())


def _rows(data: bytes, dialect: _Dialect) -> Iterator[tuple[int, list[str]]]:
    """All rows after the header that are not blank, with the number of the line that each ends on."""
    lines = io.StringIO(data.decode(errors="replace"), newline="")
    for _ in range(dialect.line):
        lines.readline()
    csv.field_size_limit(1 << 30)
    quoting: Any = csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=dialect.separator, quoting=quoting)
    for row in reader:
        if any(row):
            yield dialect.line + reader.line_num, row


def _refuse_ragged(source: Source, data: bytes, dialect: _Dialect, *, sure: bool) -> None:
    """Find the line that has another number of fields, or is not text; `sure`: there has to be something wrong."""
    columns = len(dialect.names)
    for line, row in _rows(data, dialect):
        got = dialect.separator.join(row)
        if len(row) != columns:
            raise FormatError(source.name, line, expected=f"{columns} fields", got=got)
        if sure and any("\ufffd" in field for field in row):
            raise FormatError(source.name, line, expected="text in UTF-8", got=got)
    if sure:
        raise FormatError(source.name, None, expected="fields quoted as in CSV")
