"""Files read line by line whatever is wrong with them, and what their bytes look like."""

from __future__ import annotations

import codecs
import csv
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import FormatError, number_of
from assay.files.registry import COLUMN_MARKS, Kind, is_number
from assay.files.runs import QRELS_LAYOUT, RUN_LAYOUT, SHORT_QRELS_LAYOUT
from assay.files.sources import BYTE_ORDER_MARK, LONGEST_LINE, Source
from assay.measures.counting.judgments import Ints
from assay.tables.roles import TABLES, columns_of, folded_name

#: What the libraries say of data that are sound as far as they go; of others, nothing can be trusted.
_SOUND_SO_FAR = ("ended before", "end in the middle", "Not a gzipped file")
#: What holds other files, by a mark in its first bytes.
_PACKED = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "compressed twice", b"ustar": "a tar archive"}


class Looks(NamedTuple):
    """What can be told from bytes: how many there are, in how many lines, and whether they are plain text."""

    size: int = 0
    lines: int = 0
    #: Whether all are ASCII, and none is a control character.
    plain: bool = True
    #: Whether it is a file of columns, which has no lines.
    binary: bool = False
    #: What is wrong with a compressed file, or with one that holds others.
    damage: str = ""

    @property
    def is_garbled(self) -> bool:
        """Whether the bytes cannot be trusted: damage other than an end that comes too soon."""
        return bool(self.damage) and not any(text in self.damage for text in _SOUND_SO_FAR)


def looks_of(source: Source) -> Looks:
    """Look a file over.

    >>> import io
    >>> looks_of(Source(io.BytesIO(b"q1 0 d1 1\\r\\nq1\\t0\\td2\\t0\\r\\n")))
    Looks(size=22, lines=2, plain=True, binary=False, damage='')
    """
    size = lines = 0
    plain = ended = True
    try:
        for data in source.pieces():
            if not size and data.startswith(COLUMN_MARKS):
                return Looks(len(data), binary=True)
            if not size and (packed := next((what for mark, what in _PACKED.items() if mark in data[:262]), "")):
                return Looks(len(data), damage=f"the file is {packed}, not a table")
            newlines, returns, pairs = data.count(b"\n"), data.count(b"\r"), data.count(b"\r\n")
            low = int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) < 32))
            size, lines = size + len(data), lines + newlines + returns - pairs
            odd = low - newlines - returns - data.count(b"\t") + data.count(b"\x7f")
            plain = plain and data.isascii() and not odd
            ended = data.endswith((b"\n", b"\r"))
    except FormatError as problem:
        reason = str(problem).partition("(")[2].removesuffix(")") or "it ends in the middle"
        return Looks(size, lines, plain, damage=f"the compressed file is damaged: {reason}")
    return Looks(size, lines + (not ended), plain)


def intact_chunks(source: Source) -> Iterator[bytes]:
    """The bytes of a file, line by line if it is damaged, up to where the damage is."""
    yielded = 0
    try:
        for data in source.chunks():
            yielded += len(data)
            yield data
    except FormatError:
        pass
    else:
        return
    # The damage is somewhere in the piece that could not be read: take what comes before it.
    read = 0
    try:
        with source.open() as file:
            while len(line := file.readline(LONGEST_LINE)) % LONGEST_LINE:
                read += len(line)
                if read > yielded:
                    yield line
    except FormatError:
        return


_SAMPLE = 2000
#: Fewer lines than this share make sense: then it is another kind of file, not one with bad lines.
_LEAST_SHARE = 0.3

_BLANKS = bytes.maketrans(b"\v\f", b"  ")

_NUMBERS = {"run": "score", "qrels": "relevance"}

_SHAPES: dict[Kind, dict[str, tuple[str, ...]]] = {
    "run": {"TREC run": RUN_LAYOUT.columns},
    "qrels": {"TREC qrels": QRELS_LAYOUT.columns, "qrels in three columns": SHORT_QRELS_LAYOUT.columns},
}

_HEADER_WORDS = {"tag", "run", "run_id", "runid", *(name for kind in ("run", "qrels") for role in TABLES[kind]
                                                    for name in role.names)}  # fmt: skip


class Bad(NamedTuple):
    """A line that does not make sense: which one, what it says, what is wrong with it."""

    line: int
    text: str
    problem: str


class Lines(NamedTuple):
    """What was made of a file: the rows that make sense, their lines, and what is wrong with the others."""

    kind: Kind
    says: str
    frame: pl.DataFrame
    lines: Ints
    malformed: tuple[Bad, ...] = ()
    numbers: tuple[Bad, ...] = ()
    header: Bad | None = None
    encoding: str = "UTF-8"
    encoding_lines: tuple[int, ...] = ()
    separator: str | None = None
    #: How many columns there should be, and whether they have names.
    columns: int = 0
    named: bool = False


class _Shape(NamedTuple):
    """How lines are cut into fields, where our columns are among these, and how many there should be."""

    says: str
    split: Callable[[str], list[str]]
    places: Mapping[str, int]
    width: int
    separator: str | None = None
    named: bool = False


def number_in(text: str) -> float | None:
    """A number, also with a decimal comma; None if it is none.

    >>> number_in("2,5"), number_in("high")
    (2.5, None)
    """
    plain = text.replace(",", ".") if text.count(",") == 1 else text
    # Python reads digits of all scripts, other tools only those of ASCII.
    return float(plain) if plain.isascii() and is_number(plain) else None


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
    >>> found.frame.rows(), found.malformed[0].problem
    ([('q1', 'd1', 2.5, 1.0, 'mine')], '4 columns')
    """
    lines, encoding, odd = _decoded(data)
    # Equally good ways to read are taken in this order: as what was expected, separated by blanks.
    kinds: list[Kind] = [kind, "qrels" if kind == "run" else "run"]
    for way in kinds:
        if (shape := _named(lines, way)) is not None:
            rest = lines if shape.separator is None else lines[1:]
            return _rows(rest, way, shape)._replace(encoding=encoding, encoding_lines=odd)
    best = _unnamed(lines, kinds)
    return None if best is None else _rows(lines, *best)._replace(encoding=encoding, encoding_lines=odd)


def _named(lines: list[tuple[int, str]], kind: Kind) -> _Shape | None:
    """A table whose columns have names: in the first line, or as the keys of an object a line."""
    first = lines[0][1] if lines else ""
    if first.startswith("{"):
        keys = _object(first) or next((record for _, line in lines[:9] if (record := _object(line))), {})
        columns = columns_of(kind, list(keys)) or {}
        if _NUMBERS[kind] not in columns:
            return None
        wanted = [columns[ours] for ours in ("query_id", "doc_id", _NUMBERS[kind])]
        places = {ours: place for place, ours in enumerate(("query_id", "doc_id", _NUMBERS[kind]))}
        return _Shape("JSONL", partial(_cells, wanted), places, len(wanted), named=True)
    for separator in ("\t", ",", ";"):
        names = _split(separator, first)
        columns = (columns_of(kind, names) if len(names) > 1 else None) or {}
        if _NUMBERS[kind] in columns:
            places = {"iteration" if ours == "judge" else ours: names.index(name) for ours, name in columns.items()}
            says = "TSV" if separator == "\t" else "CSV"
            return _Shape(says, partial(_split, separator), places, len(names), separator, named=True)
    return None


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


def _unnamed(lines: list[tuple[int, str]], kinds: Sequence[Kind]) -> tuple[Kind, _Shape] | None:
    """A table whose columns have no names, in the shape that most of its lines have."""
    best: tuple[float, Kind, _Shape] | None = None
    places = range(len(lines)) if len(lines) <= _SAMPLE else np.linspace(0, len(lines) - 1, _SAMPLE, dtype=int)
    for kind in kinds:
        for separator in (None, ",", ";"):
            sample = [_split(separator, lines[place][1]) for place in places]
            for says, columns in _SHAPES[kind].items():
                width = len(columns)
                if kind == "run":  # columns behind the last one are ignored, as long as all lines have them
                    width = max(width, Counter(map(len, sample)).most_common(1)[0][0] if sample else 0)
                at = columns.index(_NUMBERS[kind])
                fitting = sum(
                    (len(row) == width or (kind == "run" and len(row) > at)) and number_in(row[at]) is not None
                    for row in sample
                )
                if best is None or fitting > best[0]:
                    held = {name: place for place, name in enumerate(columns)}
                    best = fitting, kind, _Shape(says, partial(_split, separator), held, width, separator)
    return None if best is None or not lines or best[0] < _LEAST_SHARE * len(places) else best[1:]


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
        fields = line.replace("\t", " ").split(" ")
        return [field for field in fields if field] if "" in fields else fields
    if '"' in line:
        try:
            return next(csv.reader([line], delimiter=separator))
        except csv.Error:
            pass
    return [field.strip() for field in line.split(separator)]


def _rows(lines: list[tuple[int, str]], kind: Kind, shape: _Shape) -> Lines:
    besides = ("rank", "tag") if kind == "run" else ("iteration",)
    wanted = [name for name in ("query_id", "doc_id", *besides) if name in shape.places]
    columns: dict[str, list[str]] = {name: [] for name in wanted}
    # Column by column: a list for each of a million rows would keep the garbage collector busy.
    filled = [(columns[name].append, shape.places[name]) for name in wanted]
    number = shape.places[_NUMBERS[kind]]
    values: list[float] = []
    kept: list[int] = []
    malformed: list[Bad] = []
    numbers: list[Bad] = []
    header: Bad | None = None
    for place, (line, text) in enumerate(lines):
        fields = shape.split(text)
        if place == 0 and not shape.named and _is_header(fields):
            header = Bad(line, text, "names of columns")
            continue
        if len(fields) != shape.width:
            malformed.append(Bad(line, text, number_of("column", len(fields))))
            continue
        value = number_in(fields[number])
        if value is None or math.isnan(value) or (kind == "qrels" and math.isinf(value)) or "," in fields[number]:
            numbers.append(Bad(line, text, f"{fields[number]!r} is no number"))
            continue
        for add, column in filled:
            add(fields[column])
        values.append(value)
        kept.append(line)
    texts = {name: pl.Series(name, column, dtype=pl.String) for name, column in columns.items()}
    if "rank" in texts:
        texts["rank"] = ranks_of(texts["rank"])
    ids = {name: texts.pop(name) for name in ("query_id", "doc_id")}
    frame = pl.DataFrame(ids | {_NUMBERS[kind]: pl.Series(values, dtype=pl.Float64)} | texts)
    return Lines(
        kind, shape.says, frame, np.array(kept, dtype=np.int64), tuple(malformed), tuple(numbers), header,
        separator=shape.separator, columns=shape.width, named=shape.named,
    )  # fmt: skip


def _is_header(fields: Sequence[str]) -> bool:
    """Whether a line names columns: two known words or more, and no number."""
    words = [folded_name(field.strip("\"'")) for field in fields]
    return sum(word in _HEADER_WORDS for word in words) >= 2 and not any(map(is_number, words))
