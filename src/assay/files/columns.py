"""Bytes of whole lines -> columns, for the formats whose fields are separated by blanks.

Polars parses, and parses fast when every line has its fields one separator apart. It does not complain about lines
that have not, so each chunk is looked over first; a chunk with tabs among spaces, blank lines, CRLF ends, comments or
ragged lines is tidied up and then parsed. Both ways give the same columns; only the second one costs more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.files.sources import BYTE_ORDER_MARK

# What C's isspace accepts, as the reference tool does; ids may hold any other character.
_BLANKS = bytes.maketrans(b"\t\v\f", b"   ")
_SPACE, _NEWLINE, _COMMENT = 32, 10, b"#"
# Small enough for the temporary masks to stay in the processor's cache: three times faster than a chunk at once.
_BLOCK = 1 << 18
# Polars takes what starts so for a compressed file, and text may start so: zlib's `x` and a control character.
_LIKE_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd")


class BadRowError(Exception):
    """A row that cannot be used; whoever knows the file and the line before the chunk turns it into a FormatError."""

    def __init__(self, line: int, expected: str, got: str) -> None:
        super().__init__(line, expected, got)
        self.line, self.expected, self.got = line, expected, got


class Layout(NamedTuple):
    """The columns of a format: all of them in file order, and which ones are wanted, as numbers or as text."""

    columns: tuple[str, ...]
    text: tuple[str, ...]
    numbers: tuple[str, ...]
    extra_columns: bool = False
    finite: bool = False

    @property
    def expected(self) -> str:
        """The line as it should be, for messages."""
        return f"{len(self.columns)} columns `{' '.join(self.columns)}`"


def parse(data: bytes, layout: Layout) -> tuple[pl.DataFrame, int]:
    """Parse whole lines; give the wanted columns and the number of lines."""
    separator = b"\t" if b"\t" in data[: data.find(b"\n") + 1] else b" "
    lines = None if data.startswith(_LIKE_COMPRESSED) else _regular_lines(data, separator)
    if lines is not None:
        frame = _parse_regular(data, separator, layout)
        if frame is not None and frame.height == lines:
            _refuse_nan(data, frame, layout)
            return frame, lines
    frame = _parse_tidied(data, layout)
    _refuse_nan(data, frame, layout)
    return frame, len(all_lines(data))


def _regular_lines(data: bytes, separator: bytes) -> int | None:
    """Count the lines, or give None unless blanks are single separators and single newlines, never side by side."""
    codes = np.frombuffer(data, dtype=np.uint8)
    newlines = separators = blanks = 0
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK + 1]  # one byte over the edge, so that neighbours are seen
        blank = block <= _SPACE
        if (blank[1:] & blank[:-1]).any() or (block == BYTE_ORDER_MARK[0]).any():
            return None
        block = block[:_BLOCK]
        blanks += int(np.count_nonzero(blank[:_BLOCK]))
        newlines += int(np.count_nonzero(block == _NEWLINE))
        separators += int(np.count_nonzero(block == separator[0]))
    if blanks != newlines + separators or not len(codes) or codes[0] <= _SPACE:
        return None
    return newlines + (not data.endswith(b"\n"))


def _parse_regular(data: bytes, separator: bytes, layout: Layout) -> pl.DataFrame | None:
    """Parse regular lines; give None if a line is short, is a comment or holds something that is not a number."""
    last = layout.columns[-1]
    wanted = dict.fromkeys((*layout.text, *layout.numbers, last))
    try:
        frame = _scan(data, separator, layout, numbers=layout.numbers).select(*wanted).collect()
    except pl.exceptions.PolarsError:
        return None
    # Polars fills short lines up with nulls: a null in the last column gives them away.
    if any(column.null_count() for column in frame.iter_columns()) or _has_extra(data, separator, layout, frame.height):
        return None
    if frame[layout.columns[0]].str.starts_with("#").any():
        return None
    return frame.select(*layout.text, *layout.numbers)


def _has_extra(data: bytes, separator: bytes, layout: Layout, rows: int) -> bool:
    """Tell whether a line has more columns than the layout, for layouts that do not allow it."""
    return not layout.extra_columns and data.count(separator) != rows * (len(layout.columns) - 1)


def _parse_tidied(data: bytes, layout: Layout) -> pl.DataFrame:
    tidied = _tidy(data)
    empty = dict.fromkeys(layout.text, pl.String) | dict.fromkeys(layout.numbers, pl.Float64)
    if not tidied:
        return pl.DataFrame(schema=empty)
    overflow = () if layout.extra_columns else ("overflow",)
    # Polars takes the number of columns from the first line: give it one that has them all.
    full = b" ".join(b"-" for _ in (*layout.columns, *overflow)) + b"\n"
    try:
        frame = _scan(full + tidied, b" ", layout, numbers=(), overflow=overflow).collect()[1:]
    except pl.exceptions.PolarsError:
        raise _undecodable(data, layout) from None
    short = frame[layout.columns[-1]].is_null()
    if overflow:
        short |= frame["overflow"].is_not_null()
    if short.any():
        raise _bad_row(data, int(short.arg_max() or 0), layout.expected)
    for name in layout.numbers:
        number = frame[name].cast(pl.Float64, strict=False)
        if number.has_nulls():
            raise _bad_row(data, int(number.is_null().arg_max() or 0), f"a number as {name}", name, layout)
        frame = frame.with_columns(number)
    return frame.select(*layout.text, *layout.numbers)


def _scan(
    data: bytes, separator: bytes, layout: Layout, numbers: Sequence[str], overflow: tuple[str, ...] = ()
) -> pl.LazyFrame:
    kinds = {name: pl.Float64 if name in numbers else pl.String for name in (*layout.columns, *overflow)}
    return pl.scan_csv(
        data, separator=separator.decode(), has_header=False, schema=kinds, quote_char=None, truncate_ragged_lines=True
    )


def _tidy(data: bytes) -> bytes:
    """Leave single spaces between fields, and no blank line, no comment, no space at either end of a line."""
    plain = _with_newlines(data).translate(_BLANKS).replace(b"\n" + BYTE_ORDER_MARK, b"\n")
    codes = np.frombuffer(plain.removeprefix(BYTE_ORDER_MARK) + b"\n", dtype=np.uint8)
    space, newline = codes == _SPACE, codes == _NEWLINE
    # Of neighbouring spaces the last one stays, and none stays before a newline ...
    codes = codes[~(space & np.append(space[1:] | newline[1:], True))]
    # ... then none stays at the start of a line, nor a newline that follows a newline.
    at_start = np.append(True, codes[:-1] == _NEWLINE)
    codes = codes[~(at_start & (codes == _SPACE))]
    codes = codes[~(np.append(True, codes[:-1] == _NEWLINE) & (codes == _NEWLINE))]
    tidied: bytes = codes.tobytes()
    if _COMMENT not in tidied:
        return tidied
    return b"".join(line for line in tidied.splitlines(keepends=True) if not line.startswith(_COMMENT))


def data_lines(data: bytes) -> list[tuple[int, bytes]]:
    """List the lines that hold data, with their numbers in the chunk from 1."""
    plain = (line.removeprefix(BYTE_ORDER_MARK).translate(_BLANKS).strip(b" ") for line in all_lines(data))
    return [(number, line) for number, line in enumerate(plain, 1) if line and not line.startswith(_COMMENT)]


def last_data_line(data: bytes) -> bytes | None:
    """The last line that holds data, looked for from the end."""
    end = len(data)
    while end >= 0:
        start = data.rfind(b"\n", 0, end)
        if lines := data_lines(data[start + 1 : end]):
            return lines[-1][1]
        end = start
    return None


def _with_newlines(data: bytes) -> bytes:
    """CR LF and CR alone end lines too."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def all_lines(data: bytes) -> list[bytes]:
    """Cut whole lines apart, whatever ends them."""
    return _with_newlines(data).removesuffix(b"\n").split(b"\n")


def _refuse_nan(data: bytes, frame: pl.DataFrame, layout: Layout) -> None:
    """Refuse NaN in a column of numbers, for it has no place in an order, and infinite grades."""
    for name in layout.numbers:
        values = frame[name].to_numpy()
        refused = ~np.isfinite(values) if layout.finite else np.isnan(values)
        if refused.any():
            raise _bad_row(data, int(refused.argmax()), f"a number as {name}", name, layout)


def _bad_row(
    data: bytes, row: int, expected: str, column: str | None = None, layout: Layout | None = None
) -> BadRowError:
    number, line = data_lines(data)[row]
    if column is not None and layout is not None:
        line = line.split()[layout.columns.index(column)]
    return BadRowError(number, expected, line.decode(errors="replace"))


def _undecodable(data: bytes, layout: Layout) -> BadRowError:
    for number, line in data_lines(data):
        try:
            line.decode()
        except UnicodeDecodeError:
            return BadRowError(number, f"{layout.expected} in UTF-8", line.decode(errors="backslashreplace"))
    number, line = data_lines(data)[0]
    return BadRowError(number, layout.expected, line.decode())
