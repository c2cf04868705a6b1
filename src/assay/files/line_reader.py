"""Runs and judgments read line by line whatever is wrong with them, and what the bytes of a file look like."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import FormatError
from assay.files.columns import Layout, Problem, fields_of, is_number, problems
from assay.files.named_columns import names_of, text_pieces
from assay.files.registry import COLUMN_MARKS, Kind, head_of
from assay.files.runs import QRELS_LAYOUT, RUN_LAYOUT, SHORT_QRELS_LAYOUT
from assay.files.sources import BYTE_ORDER_MARK, Source
from assay.tables.roles import TABLES, columns_of, folded_name, shape_of

#: What holds other files, by a mark in its first bytes.
_PACKED = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "compressed twice", b"ustar": "a tar archive"}


class Looks(NamedTuple):
    """The looks of bytes: their number, their lines, and whether they are plain text."""

    size: int = 0
    lines: int = 0
    #: Blanks and tabs.
    blanks: int = 0
    #: Whether all are ASCII, and none is a control character.
    plain: bool = True
    #: Whether it is a file of columns, which has no lines.
    binary: bool = False
    #: What is wrong with a compressed file, or with one that holds others.
    damage: str = ""


def looks_of(source: Source) -> Looks:
    """Look a file over.

    >>> import io
    >>> looks_of(Source(io.BytesIO(b"q1 0 d1 1\\r\\nq1\\t0\\td2\\t0\\r\\n")))
    Looks(size=22, lines=2, blanks=6, plain=True, binary=False, damage='')
    """
    size = lines = blanks = 0
    plain = ended = True
    try:
        for data in source.pieces():
            if not size and data.startswith(COLUMN_MARKS):
                return Looks(len(data), binary=True)
            if not size and (packed := next((what for mark, what in _PACKED.items() if mark in data[:262]), "")):
                return Looks(len(data), damage=f"the file is {packed}, not a table")
            newlines, returns, pairs = data.count(b"\n"), data.count(b"\r"), data.count(b"\r\n")
            tabs = data.count(b"\t")
            low = int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) < 32))
            size, lines = size + len(data), lines + newlines + returns - pairs
            blanks += tabs + data.count(b" ")
            odd = low - newlines - returns - tabs + data.count(b"\x7f")
            plain = plain and data.isascii() and not odd
            ended = data.endswith((b"\n", b"\r"))
    except FormatError as problem:
        reason = str(problem).partition("(")[2].removesuffix(")") or "it ends in the middle"
        return Looks(size, lines, blanks, plain, damage=f"the compressed file is damaged: {reason}")
    return Looks(size, lines + (not ended), blanks, plain)


_SAMPLE = 2000
#: Fewer lines than this share make sense: then it is another kind of file, not one with bad lines.
_LEAST_SHARE = 0.3

_BLANKS = bytes.maketrans(b"\v\f", b"  ")

_NUMBERS = {"run": "score", "qrels": "relevance"}

_LAYOUTS: dict[Kind, dict[str, Layout]] = {
    "run": {
        "TREC run": RUN_LAYOUT._replace(text=("query_id", "doc_id", "rank", "tag"), extra_columns=False),
    },
    "qrels": {"TREC qrels": QRELS_LAYOUT, "qrels in three columns": SHORT_QRELS_LAYOUT},
}

_HEADER_WORDS = {"tag", "run", "run_id", "runid", *(name for kind in ("run", "qrels") for role in TABLES[kind]
                                                    for name in role.names)}  # fmt: skip


class Lines(NamedTuple):
    """The rows of a file that make sense, their lines, and the faults of the others.

    `separator` is None where blanks separate the fields; `named` tells whether the columns have names.
    """

    kind: Kind
    format: str
    #: How many columns there are.
    width: int
    frame: pl.DataFrame
    lines: NDArray[np.int64]
    malformed: tuple[Problem, ...] = ()
    numbers: tuple[Problem, ...] = ()
    separator: str | None = None
    named: bool = False
    header: Problem | None = None
    encoding: str = "UTF-8"
    encoding_lines: tuple[int, ...] = ()


class _Shape(NamedTuple):
    """The shape of lines without names: the types of their fields, and where they are cut."""

    kind: Kind
    title: str
    layout: Layout
    separator: str | None


def ranks_of(texts: pl.Series) -> pl.Series:
    """Ranks as numbers; null where they are none, or no finite ones.

    >>> ranks_of(pl.Series(["1", "nan", "first"])).to_list()
    [1.0, None, None]
    """
    ranks = texts.cast(pl.Float64, strict=False)
    return ranks.set(~ranks.is_finite(), None)


def read_lines(data: bytes, kind: Kind) -> Lines | None:
    """Read what makes sense; None if hardly anything does, whatever kind of table it might be.

    >>> lines = read_lines(b"q1 Q0 d1 1 2.5 mine\\nq1 Q0 d2 2\\nq1 Q0 d3 3 high mine\\n", "run")
    >>> lines.frame.rows(), lines.malformed[0].words
    ([('q1', 'd1', 2.5, 1.0, 'mine')], '4 columns')
    """
    lines, encoding, odd = _decoded(data)
    # Equally good ways to read are taken in this order: as what was expected, separated by blanks.
    kinds: list[Kind] = [kind, "qrels" if kind == "run" else "run"]
    source, names = _source(lines)
    if len(set(names)) < len(names) and any(columns_of(way, names) for way in kinds):
        return None  # whatever has a repeated name is not known: the strict readers say so
    table = next(filter(None, (_named(lines, source, names, way) for way in kinds)), None)
    if table is None and (shape := _unnamed(lines, kinds)) is not None:
        table = _lines_in_shape(lines, shape)
    return None if table is None else table._replace(encoding=encoding, encoding_lines=odd)


def _source(lines: list[tuple[int, str]]) -> tuple[Source, list[str]]:
    """The lines as a source, each at its own place; and its names of columns, if lines hold them."""
    texts = [""] * (lines[-1][0] if lines else 0)
    for line, text in lines:
        texts[line - 1] = text
    source = Source(io.BytesIO("\n".join(texts).encode(errors="replace")), "lines")
    head = head_of(source)
    return source, [] if head.text.startswith(("[", *map(bytes.decode, COLUMN_MARKS))) else names_of(head)


def _named(lines: list[tuple[int, str]], source: Source, names: list[str], kind: Kind) -> Lines | None:
    """A table whose columns have names, as its strict readers read it; what these refuse is gathered."""
    number = _NUMBERS[kind]
    columns = columns_of(kind, names) or {}
    if number not in columns:
        return None
    head, texts = head_of(source), dict(lines)
    wanted = [name for name in ("query_id", "doc_id", number, "rank", "judge", "iteration") if name in columns]
    bad: list[Problem] = []

    def refuse(line: int, expected: str, got: str) -> None:
        bad.append(Problem(line, texts.get(line, got), f"expected {expected}", expected, got))

    pieces = text_pieces(source, [columns[name] for name in wanted], shape_of(kind), refuse)
    rows = pl.concat(pieces).select("row", *(pl.col(columns[name]).fill_null("").alias(name) for name in wanted))
    values = rows[number].str.strip_chars().cast(pl.Float64, strict=False)
    wrong = values.is_null() | (~values.is_finite() if kind == "qrels" else values.is_nan())
    for line, *fields in rows.filter(wrong).iter_rows():
        field = fields[wanted.index(number)]
        words = f"{field!r} is no number"
        bad.append(Problem(line, texts.get(line, field), words, f"a number as {number}", field, number))
    rows = rows.with_columns(values).filter(~wrong).rename({"judge": "iteration"}, strict=False)
    if head.is_json:
        title = "JSONL"
    elif "\t" in head.first:
        title = "TSV"
    else:
        title = "CSV"
    return _table(Lines(kind, title, len(names), rows.drop("row"), rows["row"].to_numpy(), named=True), bad)


def _table(table: Lines, bad: Sequence[Problem]) -> Lines:
    """A table with its ranks as numbers, and with what is wrong with other lines."""
    frame = table.frame
    return table._replace(
        frame=frame.with_columns(ranks_of(frame["rank"])) if "rank" in frame.columns else frame,
        malformed=tuple(problem for problem in bad if problem.column is None),
        numbers=tuple(problem for problem in bad if problem.column is not None),
    )


def _unnamed(lines: list[tuple[int, str]], kinds: Sequence[Kind]) -> _Shape | None:
    """The way to read a table whose columns have no names: the shape that most of its lines have."""
    best: _Shape | None = None
    most = 0
    places = range(len(lines)) if len(lines) <= _SAMPLE else np.linspace(0, len(lines) - 1, _SAMPLE, dtype=int)
    for kind, separator in itertools.product(kinds, (None, ",", ";")):
        sample = [_split(separator, lines[place][1]) for place in places]
        for title, known in _LAYOUTS[kind].items():
            layout = known
            width = len(known.columns)
            if kind == "run":  # columns behind the last one are ignored, as long as all lines have them
                width = max(width, Counter(map(len, sample)).most_common(1)[0][0] if sample else 0)
                layout = known._replace(columns=(*known.columns, *[""] * (width - len(known.columns))))
            at = layout.columns.index(_NUMBERS[kind])
            fitting = sum(
                (len(row) == width or (kind == "run" and len(row) > at)) and _may_be_number(row[at]) for row in sample
            )
            if best is None or fitting > most:
                most = fitting
                best = _Shape(kind, title, layout, separator)
    return best if lines and most >= _LEAST_SHARE * len(places) else None


def _may_be_number(text: str) -> bool:
    """True if a number is meant, also with a decimal comma."""
    plain = text.replace(",", ".") if text.count(",") == 1 else text
    return plain.isascii() and is_number(plain)


def _decoded(data: bytes) -> tuple[list[tuple[int, str]], str, tuple[int, ...]]:
    """The lines that hold data, with their numbers; the encoding; the lines that are not in UTF-8."""
    start = data[:200]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or start.count(0) > len(start) / 4:
        if start[0] > 127:
            wide = "utf-16"
        elif start[0] == 0:
            wide = "utf-16-be"
        else:
            wide = "utf-16-le"
        return _decoded(data.decode(wide, errors="replace").replace("\0", "").encode())[0], "UTF-16", ()
    plain = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").translate(_BLANKS).removeprefix(BYTE_ORDER_MARK)
    lines, odd = [], []
    for number, line in enumerate(plain.split(b"\n"), 1):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            odd.append(number)
            text = line.decode("latin-1")
        if (text := text.strip(" \t\ufeff")) and not text.startswith("#"):
            lines.append((number, text))
    return lines, "Latin-1" if odd else "UTF-8", tuple(odd)


def _split(separator: str | None, line: str) -> list[str]:
    if separator is None:
        return fields_of(line)
    if '"' in line:
        try:
            return next(csv.reader([line], delimiter=separator))
        except csv.Error:
            pass
    return [field.strip() for field in line.split(separator)]


def _lines_in_shape(lines: list[tuple[int, str]], shape: _Shape) -> Lines:
    """The rows of lines in a shape, and what is wrong with the others."""
    layout = shape.layout
    number = _NUMBERS[shape.kind]
    split = partial(_split, shape.separator)
    besides = [name for name in layout.text if name not in {"query_id", "doc_id"}]
    columns: dict[str, list[Any]] = {name: [] for name in ("query_id", "doc_id", number, *besides)}
    # Column by column: a list for each of a million rows would keep the garbage collector busy.
    filled = [(column.append, layout.columns.index(name)) for name, column in columns.items()]
    kept: list[int] = []

    def keep(line: int, fields: list[Any]) -> None:
        kept.append(line)
        for add, place in filled:
            add(fields[place])

    header: Problem | None = None
    if _is_header(split(lines[0][1])):
        (line, text), *lines = lines
        header = Problem(line, text, "names of columns", layout.expected, text)
    bad = list(problems(lines, layout, split, keep))
    frame = pl.DataFrame(columns, schema={name: pl.Float64 if name == number else pl.String for name in columns})
    width = len(layout.columns)
    places = np.array(kept, dtype=np.int64)
    table = Lines(shape.kind, shape.title, width, frame, places, separator=shape.separator, header=header)
    return _table(table, bad)


def _is_header(fields: Sequence[str]) -> bool:
    """True if a line names columns: two known words or more, and no number."""
    words = [folded_name(field.strip("\"'")) for field in fields]
    return sum(word in _HEADER_WORDS for word in words) >= 2 and not any(map(is_number, words))
