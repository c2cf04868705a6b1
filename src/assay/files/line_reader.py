"""Runs and judgments read line by line whatever is wrong with them, and what the bytes of a file look like."""

from __future__ import annotations

import codecs
import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import FormatError
from assay.files.columns import Layout, Problem, fields_of, is_number, problems
from assay.files.registry import COLUMN_MARKS, Kind
from assay.files.runs import QRELS_LAYOUT, RUN_LAYOUT, SHORT_QRELS_LAYOUT
from assay.files.sources import BYTE_ORDER_MARK, Source
from assay.tables.roles import TABLES, columns_of, folded_name

#: What holds other files, by a mark in its first bytes.
_PACKED = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "compressed twice", b"ustar": "a tar archive"}


class Looks(NamedTuple):
    """What can be told from bytes: how many there are, in how many lines, and whether they are plain text."""

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
    """What was made of a file: the rows that make sense, their lines, and what is wrong with the others.

    `separator` is None where blanks separate the fields; `named` tells whether the columns have names.
    """

    kind: Kind
    format: str
    layout: Layout
    split: Callable[[str], list[Any]]
    separator: str | None = None
    named: bool = False
    frame: pl.DataFrame = pl.DataFrame()
    lines: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    malformed: tuple[Problem, ...] = ()
    numbers: tuple[Problem, ...] = ()
    header: Problem | None = None
    encoding: str = "UTF-8"
    encoding_lines: tuple[int, ...] = ()


def ranks_of(texts: pl.Series) -> pl.Series:
    """Ranks as numbers; null where they are none, or no finite ones.

    >>> ranks_of(pl.Series(["1", "nan", "first"])).to_list()
    [1.0, None, None]
    """
    ranks = texts.cast(pl.Float64, strict=False)
    return ranks.set(~ranks.is_finite(), None)


def read_lines(data: bytes, kind: Kind) -> Lines | None:
    """Read what makes sense; None if hardly anything does, whatever kind of table it might be.

    >>> found = read_lines(b"q1 Q0 d1 1 2.5 mine\\nq1 Q0 d2 2\\nq1 Q0 d3 3 high mine\\n", "run")
    >>> found.frame.rows(), found.malformed[0].words
    ([('q1', 'd1', 2.5, 1.0, 'mine')], '4 columns')
    """
    lines, encoding, odd = _decoded(data)
    # Equally good ways to read are taken in this order: as what was expected, separated by blanks.
    kinds: list[Kind] = [kind, "qrels" if kind == "run" else "run"]
    shape = next(filter(None, (_named(lines, way) for way in kinds)), None) or _unnamed(lines, kinds)
    return None if shape is None else _rows(lines, shape)._replace(encoding=encoding, encoding_lines=odd)


def _named(lines: list[tuple[int, str]], kind: Kind) -> Lines | None:
    """A table whose columns have names: in the first line, or as the keys of one object per line."""
    first = lines[0][1] if lines else ""
    if first.startswith("{"):
        keys = _object(first) or next((record for _, line in lines[:9] if (record := _object(line))), {})
        columns = columns_of(kind, list(keys)) or {}
        if _NUMBERS[kind] not in columns:
            return None
        ours = ("query_id", "doc_id", _NUMBERS[kind])
        return Lines(kind, "JSONL", _layout(kind, ours), partial(_cells, [columns[name] for name in ours]), named=True)
    for separator in ("\t", ",", ";"):
        names = _split(separator, first)
        columns = (columns_of(kind, names) if len(names) > 1 else None) or {}
        if _NUMBERS[kind] in columns:
            roles = {name: "iteration" if ours == "judge" else ours for ours, name in columns.items()}
            layout = _layout(kind, [roles.get(name, "") for name in names])
            return Lines(
                kind, "TSV" if separator == "\t" else "CSV", layout, partial(_split, separator), separator, True
            )
    return None


def _layout(kind: Kind, columns: Sequence[str]) -> Layout:
    """The layout of a table whose columns have names."""
    besides = ("rank", "tag") if kind == "run" else ("iteration",)
    text = tuple(name for name in ("query_id", "doc_id", *besides) if name in columns)
    return Layout(tuple(columns), text, (_NUMBERS[kind],), finite=kind == "qrels")


def _object(line: str) -> dict[str, object] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _cells(wanted: Sequence[str], line: str) -> list[str]:
    """The values of an object, as text that UTF-8 can write."""
    record = _object(line)
    values = [] if record is None else [record.get(name) for name in wanted]
    return ["" if value is None else str(value).encode(errors="replace").decode() for value in values]


def _unnamed(lines: list[tuple[int, str]], kinds: Sequence[Kind]) -> Lines | None:
    """A table whose columns have no names, in the shape that most of its lines have."""
    best: Lines | None = None
    most = 0
    places = range(len(lines)) if len(lines) <= _SAMPLE else np.linspace(0, len(lines) - 1, _SAMPLE, dtype=int)
    for kind in kinds:
        for separator in (None, ",", ";"):
            sample = [_split(separator, lines[place][1]) for place in places]
            for title, known in _LAYOUTS[kind].items():
                layout, width = known, len(known.columns)
                if kind == "run":  # columns behind the last one are ignored, as long as all lines have them
                    width = max(width, Counter(map(len, sample)).most_common(1)[0][0] if sample else 0)
                    layout = known._replace(columns=(*known.columns, *[""] * (width - len(known.columns))))
                at = layout.columns.index(_NUMBERS[kind])
                fitting = sum(
                    (len(row) == width or (kind == "run" and len(row) > at)) and _may_be_number(row[at])
                    for row in sample
                )
                if best is None or fitting > most:
                    most, best = fitting, Lines(kind, title, layout, partial(_split, separator), separator)
    return best if lines and most >= _LEAST_SHARE * len(places) else None


def _may_be_number(text: str) -> bool:
    """Whether a number is meant, also with a decimal comma."""
    plain = text.replace(",", ".") if text.count(",") == 1 else text
    return plain.isascii() and is_number(plain)


def _decoded(data: bytes) -> tuple[list[tuple[int, str]], str, tuple[int, ...]]:
    """The lines that hold data, with their numbers; the encoding; the lines that are not in UTF-8."""
    start = data[:200]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or start.count(0) > len(start) / 4:
        wide = "utf-16" if start[0] > 127 else "utf-16-be" if start[0] == 0 else "utf-16-le"
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


def _rows(lines: list[tuple[int, str]], shape: Lines) -> Lines:
    """The rows of lines in a shape, and what is wrong with the others."""
    layout, number = shape.layout, _NUMBERS[shape.kind]
    columns: dict[str, list[Any]] = {name: [] for name in (*layout.text, number)}
    # Column by column: a list for each of a million rows would keep the garbage collector busy.
    filled = [(column.append, layout.columns.index(name)) for name, column in columns.items()]
    kept: list[int] = []

    def keep(line: int, fields: list[Any]) -> None:
        kept.append(line)
        for add, place in filled:
            add(fields[place])

    header: Problem | None = None
    if shape.named:
        lines = lines if shape.separator is None else lines[1:]
    elif _is_header(shape.split(lines[0][1])):
        (line, text), *lines = lines
        header = Problem(line, text, "names of columns", layout.expected, text)
    bad = list(problems(lines, layout, shape.split, keep))
    frame = pl.DataFrame(columns, schema={name: pl.Float64 if name == number else pl.String for name in columns})
    if "rank" in layout.text:
        frame = frame.with_columns(ranks_of(frame["rank"]))
    besides = [name for name in layout.text if name not in {"query_id", "doc_id"}]
    return shape._replace(
        frame=frame.select("query_id", "doc_id", number, *besides),
        lines=np.array(kept, dtype=np.int64),
        malformed=tuple(problem for problem in bad if problem.column is None),
        numbers=tuple(problem for problem in bad if problem.column is not None),
        header=header,
    )


def _is_header(fields: Sequence[str]) -> bool:
    """Whether a line names columns: two known words or more, and no number."""
    words = [folded_name(field.strip("\"'")) for field in fields]
    return sum(word in _HEADER_WORDS for word in words) >= 2 and not any(map(is_number, words))
