"""The formats Assay knows, and which one a file is in.

A format is registered where it is defined. Detection looks at the first lines, and what it found is said: by
`Run.format`, `Qrels.format` and the command line.
"""

from __future__ import annotations

import codecs
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from assay.core.errors import EmptyFileError, FormatError, ParameterError, did_you_mean
from assay.core.packages import load_added
from assay.files.columns import all_lines, data_lines, is_number
from assay.files.sources import BYTE_ORDER_MARK, LONGEST_LINE, Source, without_end_mark
from assay.tables.roles import LISTS, Where, absent, are_clicks, are_rated_lists, of_lists

Kind: TypeAlias = Literal["run", "qrels", "topics", "documents"]

_HEAD_BYTES = 1 << 12
# Comments and blank lines before the data are gone through up to here.
_LONGEST_PREAMBLE = 1 << 24
#: Parquet and Arrow files start so; they have no lines to look for.
COLUMN_MARKS = (b"PAR1", b"ARROW1")
_HEAD_OF_COLUMNS = 16
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLANK_SEPARATED = {"trec-run", "msmarco-run", "trec-qrels", "qrels-3"}
_OTHERS = ("sgml", "topic_sections", "json_files", "named_columns")
#: The layouts of the classic collections, which look like columns to formats that are separated by blanks.
_CLASSIC = "classic_layouts"
_CLASSIC_NAMES = ("cf-", "lisa-", "npl-", "time-")
_FEWEST_COLUMNS = 4
_USUAL = {"run": "trec-run", "qrels": "trec-qrels", "topics": "trec-topics", "documents": "jsonl-documents"}
#: What a file's name says of its content, where that would fit several kinds: an id and a text may be a topic.
_HINTS: dict[Kind, tuple[str, ...]] = {
    "documents": ("corpus", "doc", "collection", "passages", ".all"),
    "topics": ("topics", "queries", "query", "questions", ".qry", ".que"),
    "qrels": ("qrel", ".rel", "judg"),
}


@dataclass(frozen=True, eq=False)
class Head:
    """The part of a file that detection looks at: first bytes, and first lines that hold data, with their numbers.

    Every format looks, and the first line may be long: what is made of it is made once.
    """

    start: bytes
    numbered: list[tuple[int, bytes]]
    source: Source

    @cached_property
    def lines(self) -> list[str]:
        """The lines."""
        return [line.decode(errors="replace") for _, line in self.numbered]

    @property
    def first(self) -> str:
        """The first line."""
        return self.lines[0]

    @cached_property
    def rows(self) -> list[list[str]]:
        """The fields of each line, as blanks separate them (other white space is part of a field)."""
        return [[field.decode(errors="replace") for field in line.split()] for _, line in self.numbered]

    @property
    def fields(self) -> list[str]:
        """The fields of the first line."""
        return self.rows[0]

    @cached_property
    def text(self) -> str:
        """The first bytes as text, from where something stands."""
        return self.start.decode(errors="replace").lstrip("\ufeff \r\n\t")

    @property
    def is_binary(self) -> bool:
        """True for a file of columns, Parquet or Arrow, which has no lines."""
        return self.start.startswith(COLUMN_MARKS)

    @property
    def is_json(self) -> bool:
        """True for JSON: one object per line, or a list."""
        return self.text.startswith(("{", "["))

    @cached_property
    def first_object(self) -> dict[str, Any] | None:
        """The JSON object that a file or its list starts with, if it is whole in what was looked at."""
        import json  # noqa: PLC0415  # nobody waits for JSON who reads a TREC run

        try:
            value, _ = json.JSONDecoder().raw_decode(self.text.lstrip(" \r\n\t["))
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    @cached_property
    def keys(self) -> list[str]:
        """The keys of the JSON objects on the first lines: a tool may leave out what is empty, also in the first."""
        import json  # noqa: PLC0415  # nobody waits for JSON who reads a TREC run

        keys = dict.fromkeys(self.first_object or {})
        for line in self.lines[1:] if self.text.startswith("{") else ():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            keys |= dict.fromkeys(record) if isinstance(record, dict) else {}
        return list(keys)


class Loaded(NamedTuple):
    """Judgments as they stand in a file: a frame, and who finds the line of a row again."""

    frame: pl.DataFrame
    where: Where | None = None
    warnings: tuple[str, ...] = ()
    #: Which of the format's dialects it is, if there are several.
    title: str = ""
    #: If the grades of several judges are added up, unless somebody asks for judges: the words that say so.
    summed: str = ""


class Format(NamedTuple):
    """The form of a table in a file.

    >>> from assay.files import formats
    >>> [format.name for format in formats("run")][:2]
    ['trec-run', 'msmarco-run']
    """

    name: str
    kind: Kind
    title: str
    #: What a line or a record looks like, for messages.
    shape: str
    matches: Callable[[Head], bool]
    #: Reads a source: a run (under a name), `Loaded` judgments, topics or documents.
    read: Callable[[Source, str], Any]


_FORMATS: dict[str, Format] = {}


def register(
    name: str, kind: Kind, title: str, shape: str, read: Callable[[Source, str], Any]
) -> Callable[[Callable[[Head], bool]], Callable[[Head], bool]]:
    """Register a format; the decorated function tells from the start of a file whether the file is in it."""

    def add(matches: Callable[[Head], bool]) -> Callable[[Head], bool]:
        _FORMATS[name] = Format(name, kind, title, shape, matches, read)
        return matches

    return add


def formats(kind: Kind | None = None) -> list[Format]:
    """List the registered formats, of one kind or all, with those that packages add."""
    _load_others()
    load_added("assay.formats")
    return [known for known in _in_order() if kind in {None, known.kind}]


def detect(source: Source, kind: Kind | None = None, name: str | None = None) -> Format:
    """Find the format of a file that should hold a table of this kind, or any; `name` fixes it."""
    if name is not None:
        return _named(name, kind)
    head = head_of(source)
    if not head.numbered:
        raise EmptyFileError(source.name, _wanted(kind))
    if _may_be_classic(head):
        importlib.import_module(f"assay.files.{_CLASSIC}")
    if kind is not None and (known := next(_fitting(head, kind), None)):
        return known
    _load_others()
    # Words of a text may happen to look like columns: where any kind will do, other signs count for more.
    fitting = sorted(_fitting(head), key=lambda known: known.name in _BLANK_SEPARATED)
    hinted = _hinted(source.name) if kind is None else set()
    fitting.sort(key=lambda known: known.kind not in hinted)
    if kind is None and any(known.kind == "run" for known in fitting) and are_rated_lists(_names(head)):
        fitting.sort(key=lambda known: known.kind != "qrels")
    for known in fitting:
        if kind in {None, known.kind}:
            return known
    if load_added("assay.formats") and (known := next(_fitting(head, kind), None)):
        return known
    note = f"this looks like {fitting[0].title}" if fitting else None
    number, line = head.numbered[0]
    names = _names(head)
    words = [word for name in names for word in name.split()]
    is_header = len(names) > 1 and "".join(names).isprintable() and not any(map(is_number, words))
    if not fitting and is_header and (kind is not None or are_clicks(names)):
        lists = [name for name, value in (head.first_object or {}).items() if isinstance(value, list)]
        if lists and kind in LISTS:
            raise of_lists(kind, names, lists[0], source.name, number)
        raise absent(kind or "run", names, source.name, None if head.is_binary else number)
    if not fitting and any(separator in line for separator in (b",", b";")):
        note = "a table with commas needs a first line that names its columns"
    got = " ".join(line.decode(errors="replace").split())
    raise FormatError(source.name, number, expected=_wanted(kind), got=got, note=note)


def _names(head: Head) -> list[str]:
    names: list[str] = importlib.import_module("assay.files.named_columns").names_of(head)
    return names


def _fitting(head: Head, kind: Kind | None = None) -> Iterator[Format]:
    return (known for known in _in_order() if kind in {None, known.kind} and known.matches(head))


def _hinted(path: str) -> set[Kind]:
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return {kind for kind, words in _HINTS.items() if any(word in name for word in words)}


def _load_others() -> None:
    """Load the modules of rarer formats, which register them: nobody waits for JSON who reads a TREC run."""
    for module in (_CLASSIC, *_OTHERS):
        importlib.import_module(f"assay.files.{module}")


def _may_be_classic(head: Head) -> bool:
    """True if a file may be in the layout of a classic collection: its first line has few words, tags, or numbers."""
    words = head.numbered[0][1].split()
    return len(words) < _FEWEST_COLUMNS or words[0].startswith((b"<", b"*")) or all(map(bytes.isdigit, words))


def _in_order() -> list[Format]:
    """All formats that are loaded, classic layouts first."""
    return sorted(_FORMATS.values(), key=lambda known: not known.name.startswith(_CLASSIC_NAMES))


def head_of(source: Source) -> Head:
    """The start of a file, as much of it as it takes to see a few lines that hold data; it is read once."""
    if source.head is None:
        source.head = _read_head(source)
    head: Head = source.head
    return head


def _read_head(source: Source) -> Head:
    with source.open() as file:
        data = bytearray()
        before = 0
        # A long preamble of comments or blank lines is not yet an empty file.
        while more := file.read(_HEAD_BYTES):
            if not data and more.startswith(COLUMN_MARKS):
                return Head(more, [(1, more[:_HEAD_OF_COLUMNS])], source)
            if not data and more.startswith(_UTF_16):
                raise FormatError(source.name, 1, expected="text in UTF-8", got="UTF-16", note="save it as UTF-8")
            # The first line is looked at whole, unless it is as long as no record is: a whole file on one line.
            more = without_end_mark(more + file.readline(LONGEST_LINE))
            data += more
            lines = all_lines(more if before else more.removeprefix(BYTE_ORDER_MARK))
            if numbered := data_lines(more) if more.strip() else []:
                return Head(bytes(data), [(before + number, lines[number - 1]) for number, _ in numbered], source)
            if len(data) > _LONGEST_PREAMBLE:
                expected = f"data within the first {_LONGEST_PREAMBLE:,} bytes"
                raise FormatError(source.name, None, expected=expected, got="only comments and blank lines")
            before += len(lines)
    return Head(bytes(data), [], source)


def named(kind: Kind) -> str:
    """The name of a table of a kind, for messages.

    >>> named("run")
    'a run'
    """
    return "a run" if kind == "run" else kind


def _named(name: str, kind: Kind | None) -> Format:
    if name not in _FORMATS:
        _load_others()
    if name not in _FORMATS:
        load_added("assay.formats")
    try:
        known = _FORMATS[name]
    except KeyError:
        raise ParameterError(f"no format is called {name!r}{did_you_mean(name, _FORMATS)}") from None
    if kind not in {None, known.kind}:
        raise ParameterError(f"format {name!r} holds {known.kind}, not {kind}")
    return known


def _wanted(kind: Kind | None) -> str:
    """The usual format of a kind; the others are many, and `assay show --formats` lists them."""
    _load_others()
    usual = [_FORMATS[name] for each, name in _USUAL.items() if kind in {None, each}]
    return " or ".join(f"{known.title} {known.shape}" for known in usual)
