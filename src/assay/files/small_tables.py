"""Small tables with a header, in CSV or TSV: rows with the lines they stand on, and the numbers in their fields.

For what people make by hand or in a spreadsheet. Runs and judgments are large, and read by `files.delimited`.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from assay.core.errors import FormatError
from assay.files.decoding import decoded, lines_of
from assay.files.sources import Source

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
