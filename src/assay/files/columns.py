"""Bytes of whole lines -> columns, for the formats whose fields are separated by blanks.

Polars parses, and parses fast when every line has its fields one separator apart. It does not complain about lines
that have not, so each chunk is looked over first; a chunk with tabs among spaces, blank lines, CRLF ends, comments or
ragged lines is tidied up and then parsed. Both ways give the same columns; only the second one costs more.

What Polars refuses is gone through line by line (`problems`): a strict reader raises the first problem, and `doctor`
(`files/line_reader.py`) collects them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import number_of
from assay.files.sources import BYTE_ORDER_MARK

# What C's isspace accepts, as the reference tool does; ids may hold any other character.
_BLANKS = bytes.maketrans(b"\t\v\f", b"   ")
_SPACE, _NEWLINE, _COMMENT = 32, 10, b"#"
# Small enough for the temporary masks to stay in the processor's cache: three times faster than a chunk at once.
_BLOCK = 1 << 18
# Polars takes what starts so for a compressed file, and text may start so: zlib's `x` and a control character.
_LIKE_COMPRESSED = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd")


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


class Problem(NamedTuple):
    """A line that is no row: which one, what it says, what is wrong with it; what was expected, and what came instead.

    `column` is the one that holds no number; None if the line as a whole is wrong.
    """

    line: int
    text: str
    words: str
    expected: str
    got: str
    column: str | None = None


class BadRowError(Exception):
    """A row that cannot be used; whoever knows the file and the line before the chunk turns it into a FormatError."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


def fields_of(line: str) -> list[str]:
    """The fields of a line, as blanks separate them.

    >>> fields_of("q1\\t0  d1")
    ['q1', '0', 'd1']
    """
    fields = line.replace("\t", " ").split(" ")
    return [field for field in fields if field] if "" in fields else fields


def is_number(text: str) -> bool:
    """Tell whether a field reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def problems(
    lines: Iterable[tuple[int, str]],
    layout: Layout,
    split: Callable[[str], list[Any]] = fields_of,
    keep: Callable[[int, list[Any]], None] | None = None,
) -> Iterator[Problem]:
    """Faults of lines, one after the other; `keep` gets the fields of the others, numbers as such.

    >>> from assay.files.runs import QRELS_LAYOUT
    >>> [problem.words for problem in problems([(1, "q1 0 d1 2"), (2, "q1 0 d2"), (3, "q1 0 d3 high")], QRELS_LAYOUT)]
    ['3 columns', "'high' is no number"]
    """
    width = len(layout.columns)
    numbers = [(name, layout.columns.index(name)) for name in layout.numbers]
    for line, text in lines:
        fields = split(text)
        if len(fields) < width or (len(fields) > width and not layout.extra_columns):
            yield Problem(line, text, number_of("column", len(fields)), layout.expected, text)
            continue
        for name, place in numbers:
            field = fields[place]
            # Python reads digits of all scripts, other tools only those of ASCII.
            number = float(field) if field.isascii() and is_number(field) else math.nan
            if math.isnan(number) or (layout.finite and math.isinf(number)):
                yield Problem(line, text, f"{field!r} is no number", f"a number as {name}", field, name)
                break
            fields[place] = number
        else:
            if keep is not None:
                keep(line, fields)


def parse(data: bytes, layout: Layout) -> tuple[pl.DataFrame, int]:
    """Parse whole lines; give the wanted columns and the number of lines."""
    separator = b"\t" if b"\t" in data[: data.find(b"\n") + 1] else b" "
    lines = None if data.startswith(_LIKE_COMPRESSED) else _regular_lines(data, separator)
    frame = None if lines is None else _parse_regular(data, separator, layout)
    if lines is None or frame is None or frame.height != lines:
        frame = _parse_tidied(data, layout)
        lines = len(all_lines(data))
    for name in layout.numbers:
        # NaN has no place in an order, and an infinite grade no meaning.
        values = frame[name].to_numpy()
        if not (np.isfinite(values) if layout.finite else ~np.isnan(values)).all():
            raise BadRowError(_first_problem(data, layout))
    return frame, lines


def _first_problem(data: bytes, layout: Layout) -> Problem:
    """The first line that cannot be used, where some line cannot."""
    lines: list[tuple[int, str]] = []
    odd: Problem | None = None
    for number, line in data_lines(data):
        try:
            lines.append((number, line.decode()))
        except UnicodeDecodeError:
            text = line.decode(errors="backslashreplace")
            odd = Problem(number, text, "not UTF-8", f"{layout.expected} in UTF-8", text)
            break
    first = next(problems(lines, layout), odd)
    number, text = lines[0] if lines else (1, "")
    return first or Problem(number, text, "", layout.expected, text)


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
        raise BadRowError(_first_problem(data, layout)) from None
    whole = frame[layout.columns[-1]].is_not_null()
    if overflow:
        whole &= frame["overflow"].is_null()
    frame = frame.with_columns(pl.col(layout.numbers).cast(pl.Float64, strict=False))
    if not whole.all() or any(frame[name].has_nulls() for name in layout.numbers):
        raise BadRowError(_first_problem(data, layout))
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
