"""Files read line by line, whatever is wrong with them: rows that fit a shape, and the lines that fit none."""

from __future__ import annotations

import codecs
import csv
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import number_of
from assay.files.headers import columns_of
from assay.files.registry import Kind, is_number
from assay.files.sources import BYTE_ORDER_MARK
from assay.measures.counting.judgments import Ints


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
    #: How many columns there should be, and whether a header names them.
    columns: int = 0
    named: bool = False


def number_in(text: str) -> float | None:
    """A number, also with a decimal comma; None if it is none.

    >>> number_in("2,5"), number_in("high")
    (2.5, None)
    """
    plain = text.replace(",", ".") if text.count(",") == 1 else text
    # Python reads digits of all scripts, other tools only those of ASCII.
    return float(plain) if plain.isascii() and is_number(plain) else None


def frame_of(columns: Mapping[str, Sequence[str]], values: Sequence[float], kind: Kind) -> pl.DataFrame:
    """Columns of texts, and the numbers that make a run or judgments of them.

    >>> frame_of({"query_id": ["q1"], "doc_id": ["d1"]}, [2.0], "run").rows()
    [('q1', 'd1', 2.0)]
    """
    texts = {name: pl.Series(column, dtype=pl.String) for name, column in columns.items()}
    if "rank" in texts:
        texts["rank"] = ranks_of(texts["rank"])
    ids = {name: texts.pop(name) for name in ("query_id", "doc_id")}
    number = "score" if kind == "run" else "relevance"
    return pl.DataFrame(ids | {number: pl.Series(values, dtype=pl.Float64)} | texts)


def ranks_of(texts: pl.Series) -> pl.Series:
    """Ranks as numbers; null where they are none, or no finite ones.

    >>> ranks_of(pl.Series(["1", "nan", "first"])).to_list()
    [1.0, None, None]
    """
    ranks = texts.cast(pl.Float64, strict=False)
    return ranks.set(~ranks.is_finite(), None)


#: So many lines are looked at to find out whether they hold objects, and what their keys are.
_SAMPLE_OF_OBJECTS = 100


def read_objects(lines: Sequence[tuple[int, str]], kind: Kind) -> Lines | None:
    """Read the lines that are objects of a table of this kind; None unless most of the first lines are.

    >>> text = ['{"query_id": "q1", "doc_id": "d1", "score": 2}', '{"query_id": "q1", "doc_']
    >>> found = read_objects([*enumerate(text, 1)], "run")
    >>> found.frame.rows(), found.malformed[0].line
    ([('q1', 'd1', 2.0)], 2)
    """
    number = "score" if kind == "run" else "relevance"
    sample = [record for _, line in lines[:_SAMPLE_OF_OBJECTS] if (record := _object(line)) is not None]
    columns = columns_of(kind, list(sample[0])) if sample else None
    if columns is None or number not in columns or len(sample) * 2 < len(lines[:_SAMPLE_OF_OBJECTS]):
        return None
    texts: dict[str, list[str]] = {"query_id": [], "doc_id": []}
    values: list[float] = []
    kept: list[int] = []
    malformed: list[Bad] = []
    numbers: list[Bad] = []
    for line, text in lines:
        record = _object(text)
        ids = None if record is None else [_text(record.get(columns[name])) for name in texts]
        if record is None or ids is None or None in ids:
            malformed.append(Bad(line, text, "no object" if record is None else "an id is absent"))
            continue
        text_value = record.get(columns[number])
        value = number_in(json.dumps(text_value)) if type(text_value) in {int, float} else None
        if value is None or not (math.isfinite(value) or (kind == "run" and not math.isnan(value))):
            numbers.append(Bad(line, text, f"{json.dumps(text_value)} is no number"))
            continue
        for name, identifier in zip(texts, ids, strict=True):
            texts[name].append(str(identifier))
        values.append(value)
        kept.append(line)
    frame = frame_of(texts, values, kind)
    return Lines(kind, "JSONL", frame, np.array(kept, dtype=np.int64), tuple(malformed), tuple(numbers), named=True)


def _object(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _text(value: Any) -> str | None:
    """An id: text that UTF-8 can write, or a whole number."""
    is_id = isinstance(value, str | int) and not isinstance(value, bool)
    text = str(value) if is_id else ""
    return text if is_id and text == text.encode(errors="replace").decode() else None


_SAMPLE = 2000
#: Fewer lines than this share make sense: then it is another kind of file, not one with bad lines.
_LEAST_SHARE = 0.3
_RANKED_COLUMNS = 3
_BLANKS = bytes.maketrans(b"\v\f", b"  ")
_SEPARATORS = (None, ",", ";", "|")
_HEADER_WORDS = {
    "query", "query_id", "queryid", "qid", "query-id", "topic", "topic_id", "doc", "doc_id", "docid", "docno", "doc-id",
    "corpus-id", "document", "rank", "score", "sim", "tag", "run", "run_id", "runid", "relevance", "rel", "grade",
    "label", "judgment", "iter", "iteration", "q0",
}  # fmt: skip


class Shape(NamedTuple):
    """Which columns a line has: how many at least and at most are accepted, how many there should be, and which."""

    says: str
    least: int
    most: int | None
    columns: int
    query: int
    document: int
    number: int
    rank: int | None = None
    tag: int | None = None
    iteration: int | None = None


_SHAPES: dict[Kind, tuple[Shape, ...]] = {
    "run": (Shape("TREC run", 5, None, 6, 0, 2, 4, rank=3, tag=5),),
    "qrels": (
        Shape("TREC qrels", 4, 4, 4, 0, 2, 3, iteration=1),
        Shape("qrels in three columns", 3, 3, 3, 0, 1, 2),
    ),
}


def read_lines(data: bytes, kind: Kind) -> Lines | None:
    """Read what makes sense; None if hardly anything does, whatever kind of table it might be.

    >>> found = read_lines(b"q1 Q0 d1 1 2.5 mine\\nq1 Q0 d2 2\\nq1 Q0 d3 3 high mine\\n", "run")
    >>> found.frame.rows(), found.malformed[0].problem
    ([('q1', 'd1', 2.5, 1.0, 'mine')], '4 columns')
    """
    text, encoding, odd = _decoded(data)
    # Equally good ways to read are taken in this order: as what was expected, separated by blanks.
    kinds: list[Kind] = [kind, "qrels" if kind == "run" else "run"]
    lines = next(
        (candidate for way in kinds for candidate in (_named(text, way), read_objects(text, way)) if candidate), None
    )
    lines = lines or _unnamed(text, kinds)
    if lines and kind == "run" and lines.kind == "qrels" and not lines.named:
        lines = _ranked(lines) or lines
    return lines and lines._replace(encoding=encoding, encoding_lines=odd)


def _unnamed(text: list[tuple[int, str]], kinds: Sequence[Kind]) -> Lines | None:
    """A table whose columns have no names, in the shape that most of its lines have."""
    best: tuple[float, int, Kind, Shape, str | None] | None = None
    sample = (
        text if len(text) <= _SAMPLE else [text[place] for place in np.linspace(0, len(text) - 1, _SAMPLE, dtype=int)]
    )
    for priority, (kind, separator) in enumerate((kind, mark) for kind in kinds for mark in _SEPARATORS):
        for shape in _SHAPES[kind]:
            fitting = _share(sample, shape, separator)
            if best is None or (fitting, -priority) > best[:2]:
                best = (fitting, -priority, kind, shape, separator)
    if best is None or best[0] < _LEAST_SHARE:
        return None
    _, _, kind, shape, separator = best
    if shape.most is None:
        # Columns behind the last one are ignored, as long as all lines have them: else, an id may hold a blank.
        widths = Counter(len(_split(line, separator)) for _, line in sample)
        shape = shape._replace(most=max(shape.columns, widths.most_common(1)[0][0]))
    return _rows(text, kind, shape, separator)


def _ranked(lines: Lines) -> Lines | None:
    """A run in three columns, of which the last one counts the documents of each query; None if it does not."""
    grade = pl.col("relevance")
    queries = lines.frame.group_by("query_id").agg(
        counts=(grade.n_unique() == pl.len()) & (grade.min() == 1) & (grade.floor() == grade).all()
    )
    if lines.columns != _RANKED_COLUMNS or not lines.frame.height or not queries["counts"].all():
        return None
    frame = lines.frame.select("query_id", "doc_id", score=-grade, rank=grade)
    return lines._replace(kind="run", says="MS MARCO run", frame=frame)


def _named(lines: list[tuple[int, str]], kind: Kind) -> Lines | None:
    """A table whose first line names its columns, separated by commas, semicolons or tabs."""
    for separator in ("\t", ",", ";") if lines else ():
        names = _split(lines[0][1], separator)
        columns = columns_of(kind, names) if len(names) > 1 else None
        number = "score" if kind == "run" else "relevance"
        if columns is None or number not in columns:
            continue
        place = {ours: names.index(theirs) for ours, theirs in columns.items()}
        width = len(names)
        form = "TSV" if separator == "\t" else "CSV"
        shape = Shape(
            form, width, width, width, place["query_id"], place["doc_id"], place[number],
            place.get("rank"), place.get("tag"), place.get("judge", place.get("iteration")),
        )  # fmt: skip
        return _rows(lines[1:], kind, shape, separator)._replace(named=True)
    return None


def _decoded(data: bytes) -> tuple[list[tuple[int, str]], str, tuple[int, ...]]:
    """The lines that hold data, with their numbers; the encoding; the lines that are not in UTF-8."""
    if wide := _wide(data):
        return _decoded(data.decode(wide, errors="replace").encode())[0], wide[:6].upper(), ()
    plain = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").translate(_BLANKS).removeprefix(BYTE_ORDER_MARK)
    try:
        return _numbered(plain.decode().split("\n")), "UTF-8", ()
    except UnicodeDecodeError:
        pass
    lines, odd = [], []
    for number, line in enumerate(plain.split(b"\n"), 1):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            odd.append(number)
            lines.append(line.decode("latin-1"))
    return _numbered(lines), "Latin-1", tuple(odd)


def _wide(data: bytes) -> str | None:
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    start = data[:200]
    if not start.count(0) > len(start) / 4:
        return None
    return "utf-16-be" if start[:1] == b"\0" else "utf-16-le"


def _numbered(lines: Sequence[str]) -> list[tuple[int, str]]:
    stripped = ((number, line.strip(" \t\ufeff")) for number, line in enumerate(lines, 1))
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def _split(line: str, separator: str | None) -> list[str]:
    if separator is None:
        fields = line.replace("\t", " ").split(" ")
        return [field for field in fields if field] if "" in fields else fields
    if '"' in line:
        try:
            return next(csv.reader([line], delimiter=separator))
        except csv.Error:
            pass
    return [field.strip() for field in line.split(separator)]


def _share(lines: Sequence[tuple[int, str]], shape: Shape, separator: str | None) -> float:
    fitting = 0
    for _, line in lines:
        fields = _split(line, separator)
        fits = len(fields) >= shape.least and (shape.most is None or len(fields) <= shape.most)
        fitting += fits and number_in(fields[shape.number]) is not None
    return fitting / max(len(lines), 1)


def _rows(lines: list[tuple[int, str]], kind: Kind, shape: Shape, separator: str | None) -> Lines:
    names = {"query_id": shape.query, "doc_id": shape.document, "rank": shape.rank, "tag": shape.tag}
    names["iteration"] = shape.iteration
    places = {name: place for name, place in names.items() if place is not None}
    columns: dict[str, list[str]] = {name: [] for name in places}
    # Column by column: a list for each of a million rows would keep the garbage collector busy.
    filled = [(columns[name].append, place) for name, place in places.items()]
    values: list[float] = []
    kept: list[int] = []
    malformed: list[Bad] = []
    numbers: list[Bad] = []
    header: Bad | None = None
    for place, (line, text) in enumerate(lines):
        fields = _split(text, separator)
        if place == 0 and _is_header(fields):
            header = Bad(line, text, "names of columns")
            continue
        fits = len(fields) >= shape.columns and len(fields) == (shape.most or len(fields))
        if not fits:
            malformed.append(Bad(line, text, number_of("column", len(fields))))
            if not shape.least <= len(fields) <= shape.columns:
                continue
        text_value = fields[shape.number]
        value = number_in(text_value)
        if value is None or math.isnan(value) or (kind == "qrels" and math.isinf(value)):
            if fits:  # what is wrong with a line is told once
                numbers.append(Bad(line, text, f"{text_value!r} is no number"))
            continue
        if "," in text_value and fits:
            numbers.append(Bad(line, text, f"{text_value!r} has a comma for a point"))
        for add, column in filled:
            add(fields[column] if column < len(fields) else "")
        values.append(value)
        kept.append(line)
    frame = frame_of(columns, values, kind)
    numbered = np.array(kept, dtype=np.int64)
    return Lines(
        kind,
        shape.says,
        frame,
        numbered,
        tuple(malformed),
        tuple(numbers),
        header,
        separator=separator,
        columns=shape.most or shape.columns,
    )


def _is_header(fields: Sequence[str]) -> bool:
    """Whether a line names columns: two known words or more, and no number."""
    words = [field.strip("\"'").lower() for field in fields]
    return sum(word in _HEADER_WORDS for word in words) >= 2 and not any(is_number(word) for word in words)
