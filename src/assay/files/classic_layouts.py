"""Layouts of classic collections: LISA, NPL (also known as Vaswani), TIME magazine, and cystic fibrosis."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import FormatError, listed, number_of
from assay.files.records import (
    Record,
    is_whole,
    marked_records,
    numbered_pairs,
    plain_number,
    relevant,
    settled_texts,
    texts_of,
)
from assay.files.registry import Head, Kind, Loaded, register
from assay.files.sources import Source, decoded, lines_of, without_entities

_DOCUMENT = re.compile(r"Document\s+(\d+)\s*$")

_COLUMN = 12
_SLASH = "/"


def _marked(kind: Kind, name: str, mark: str, source: Source, _name: str) -> Any:
    """Records of a number, lines and a mark, as LISA has topics and NPL has all."""
    rows, warnings = marked_records(source, mark, alone=mark == _SLASH)
    if kind == "qrels":
        return relevant(numbered_pairs(rows, source), source, warnings)
    return texts_of(kind, rows, f"{name} {kind}", source, warnings)


def _lisa_documents(source: Source, _name: str) -> Any:
    text, warnings = decoded(source)
    rows: list[Record] = []
    outside: list[int] = []
    is_open = False
    for number, line in enumerate(lines_of(text), 1):
        start = _DOCUMENT.match(line)
        if start:
            rows.append(Record(number, start[1], []))
            is_open = True
        elif _is_asterisks(line):
            is_open = False
        elif is_open:
            rows[-1].lines.append(line)
        elif line.strip():
            outside.append(number)
    if outside:
        count = number_of("line", len(outside))
        warnings += (f"{source.name}:{outside[0]}: {count} outside all documents, left out",)
    # A blank line ends the title.
    titles = [Record(row.line, row.key, list(itertools.takewhile(str.strip, row.lines))) for row in rows]
    rest = [Record(row.line, row.key, row.lines[len(title.lines) :]) for row, title in zip(rows, titles, strict=True)]
    frame = pl.DataFrame(
        {
            "doc_id": [row.key for row in rows],
            "title": [title.text for title in titles],
            "text": [body.text for body in rest],
        }
    )
    return settled_texts(frame, "LISA documents", source, warnings)


def _is_asterisks(line: str) -> bool:
    return len(line.strip()) > 1 and set(line.strip()) == {"*"}


@register("lisa-documents", "documents", "LISA documents", "`Document 1`, title, text, `****`", _lisa_documents)
def lisa_documents(head: Head) -> bool:
    """`Document` and a number on the first line that is not of asterisks."""
    first = next(itertools.dropwhile(_is_asterisks, head.lines), "")
    return _DOCUMENT.match(first) is not None


@register(
    "lisa-topics", "topics", "LISA topics", "a number, text that ends in `#`", partial(_marked, "topics", "LISA", "#")
)
def lisa_topics(head: Head) -> bool:
    """A number, and then a text that ends in `#`."""
    lines = [line.strip() for line in head.lines]
    return is_whole(lines[0]) and any(line.endswith("#") for line in lines[1:])


def _in_columns(source: Source, _name: str) -> Loaded:
    """Numbers, whatever lines they stand on: a query, how many documents it has, and those."""
    text, warnings = decoded(source)
    numbers = [(place, field) for place, line in enumerate(lines_of(text), 1) for field in line.split()]
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(numbers):
        line, query = numbers[at]
        count = numbers[at + 1][1] if at + 1 < len(numbers) else ""
        end = at + 2 + (int(count) if is_whole(count) else 0)
        documents = [field for _, field in numbers[at + 2 : end]]
        if not is_whole(count) or end > len(numbers) or not all(map(is_whole, (query, *documents))):
            shape = "a query, how many documents it has, and these, all as numbers"
            raise FormatError(source.name, line, expected=shape, got=" ".join([query, count, *documents][:8]))
        pairs += [(query, document) for document in documents]
        at = end
    return relevant(pairs, source, warnings)


@register("lisa-qrels", "qrels", "LISA judgments", "a query, how many documents it has, and these", _in_columns)
def lisa_judgments(head: Head) -> bool:
    """Numbers at the right of columns that are twelve wide: a query, and as many documents as are announced."""
    lines = [line.rstrip() for line in head.lines]
    fields = " ".join(lines).split()
    if not all(map(is_whole, fields)) or any(len(line) % _COLUMN for line in lines):
        return False
    at = 0
    queries = []
    while at + 1 < len(fields):
        queries.append(int(fields[at]))
        at += 2 + int(fields[at + 1])
    return all(before < other for before, other in itertools.pairwise(queries))


def _first_record(head: Head) -> list[str]:
    """The text between the number and the slash at the start of a file; nothing if it does not start so."""
    lines = [line.strip() for line in head.lines]
    return lines[1 : lines.index(_SLASH)] if is_whole(lines[0]) and _SLASH in lines else []


@register(
    "npl-qrels",
    "qrels",
    "NPL judgments",
    "a query's number, its documents, `/`",
    partial(_marked, "qrels", "NPL", _SLASH),
)
def npl_judgments(head: Head) -> bool:
    """A record of numbers only."""
    fields = " ".join(_first_record(head)).split()
    return bool(fields) and all(map(is_whole, fields))


@register(
    "npl-documents", "documents", "NPL documents", "a number, text, `/`", partial(_marked, "documents", "NPL", _SLASH)
)
@register("npl-topics", "topics", "NPL topics", "a number, text, `/`", partial(_marked, "topics", "NPL", _SLASH))
def npl_texts(head: Head) -> bool:
    """A record of words."""
    return any(character.isalpha() for line in _first_record(head) for character in line)


_START = re.compile(r"\*(TEXT|FIND)\s+(\d+)(.*)$")

_END = "*STOP"
#: The judgments count 425 articles. The circulated file has 423: two are missing between the 371st and the 378th,
#: where nothing is judged. Which two is not known; any choice there gives the judged articles their right numbers.
_CIRCULATED, _BEFORE_GAP, _MISSING = 423, 375, 2


def _records(source: Source, word: str) -> tuple[list[Record], list[str], tuple[str, ...]]:
    """The records, and what stands behind the number of each."""
    text, warnings = decoded(source)
    rows: list[Record] = []
    behind: list[str] = []
    for number, line in enumerate(lines_of(text), 1):
        start = _START.match(line)
        if start and start[1] == word:
            rows.append(Record(number, start[2], []))
            behind.append(" ".join(start[3].split()))
        elif line.startswith(_END):
            break
        elif rows:
            rows[-1].lines.append(line)
        elif line.strip():
            raise FormatError(source.name, number, expected=f"`*{word}` and a number", got=line)
    return rows, behind, warnings


def _time_documents(source: Source, _name: str) -> Any:
    rows, behind, warnings = _records(source, "TEXT")
    gap = _MISSING if len(rows) == _CIRCULATED else 0
    places = range(1, len(rows) + 1)
    frame = pl.DataFrame(
        {
            "doc_id": [str(place + gap if place > _BEFORE_GAP else place) for place in places],
            "text": [row.text for row in rows],
            "given_id": [row.key for row in rows],
            "source": behind,
        }
    )
    warnings += (
        f"{source.name}: documents are numbered by position, as the judgments number them; their own numbers are in "
        "the column `given_id`",
    )
    if gap:
        warnings += (
            f"{source.name}: the judgments count 425 documents, and two of them are missing between the 371st and the "
            f"378th: from there on, a document's number is its position in the file plus {gap}",
        )
    return settled_texts(frame, "TIME documents", source, warnings)


def _time_topics(source: Source, _name: str) -> Any:
    rows, _, warnings = _records(source, "FIND")
    return texts_of("topics", rows, "TIME topics", source, warnings)


def _starts_with(word: str, head: Head) -> bool:
    start = _START.match(head.first)
    return start is not None and start[1] == word


@register("time-documents", "documents", "TIME documents", "`*TEXT 017 01/04/63 PAGE 020`, text", _time_documents)
def time_documents(head: Head) -> bool:
    """`*TEXT` and a number."""
    return _starts_with("TEXT", head)


@register("time-topics", "topics", "TIME topics", "`*FIND 1`, text", _time_topics)
def time_topics(head: Head) -> bool:
    """`*FIND` and a number."""
    return _starts_with("FIND", head)


def _time_judgments(source: Source, _name: str) -> Loaded:
    text, warnings = decoded(source)
    lines = ((number, line.split()) for number, line in enumerate(lines_of(text), 1))
    rows = [Record(number, fields[0], fields[1:]) for number, fields in lines if fields]
    for row in rows:
        if not row.lines or not is_whole(row.key):
            got = " ".join([row.key, *row.lines])
            raise FormatError(source.name, row.line, expected="the number of a query, and of its documents", got=got)
    return relevant(numbered_pairs(rows, source), source, warnings)


@register("time-qrels", "qrels", "TIME judgments", "a query and its documents on a line", _time_judgments)
def time_judgments(head: Head) -> bool:
    """Lines of unequal length, all numbers: queries in order, and behind each of them its documents in order."""
    rows = head.rows
    if len({len(row) for row in rows}) == 1 or min(map(len, rows)) < 2:
        return False
    if not all(is_whole(field) for row in rows for field in row):
        return False
    return _rises([row[0] for row in rows]) and all(_rises(row[1:]) for row in rows)


def _rises(numbers: Sequence[str]) -> bool:
    return all(int(before) < int(other) for before, other in itertools.pairwise(numbers))


_EXPERTS = 4

_QUERY_START = re.compile("<QUERY>")

_RECORD_START = re.compile("<RECORD>")

_ITEM = re.compile(r"""<Item\s+score\s*=\s*["'](\d{1,9})["']\s*>\s*(\d{1,9})\s*<""")
#: The elements of an article that are kept, and their columns; an article has an abstract or, rarely, an extract.
_COLUMNS = {
    "title": ("TITLE",), "text": ("ABSTRACT", "EXTRACT"), "authors": ("AUTHOR",), "source": ("SOURCE",),
    "keywords": ("TOPIC",), "medline": ("MEDLINENUM",),
}  # fmt: skip


class _Query(NamedTuple):
    line: int
    number: str
    text: str
    #: How many documents are announced, and the four grades and the number of each that is listed.
    announced: str
    items: list[tuple[str, str]]


def _parts(text: str, start: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The text between one start and the next, closed or not, and the line where it begins."""
    line, at = 1, 0
    starts = list(start.finditer(text))
    for number, match in enumerate(starts):
        line, at = line + text.count("\n", at, match.start()), match.start()
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        yield line, text[match.end() : end]


def _held(part: str, tag: str) -> list[str]:
    """The contents of the elements of a name."""
    held: list[str] = []
    end = 0
    while (start := part.find(f"<{tag}>", end)) >= 0:
        start += len(tag) + 2
        end = part.find(f"</{tag}>", start)
        end = len(part) if end < 0 else end
        held.append(" ".join(without_entities(part[start:end]).split()))
    return held


def _documents(source: Source, _name: str) -> Any:
    text, warnings = decoded(source)
    rows: list[dict[str, str]] = []
    without: list[int] = []
    for line, part in _parts(text, _RECORD_START):
        number = "".join(_held(part, "RECORDNUM"))
        if not is_whole(number):
            without.append(line)
            continue
        held = {column: [value for tag in tags for value in _held(part, tag)] for column, tags in _COLUMNS.items()}
        rows.append({"doc_id": plain_number(number)} | {column: "; ".join(values) for column, values in held.items()})
    if without:
        count = number_of("record", len(without))
        warnings += (f"{source.name}:{without[0]}: {count} without a number in <RECORDNUM>, left out",)
    schema = dict.fromkeys(("doc_id", *_COLUMNS), pl.String)
    return settled_texts(pl.DataFrame(rows, schema=schema), "CF documents", source, warnings)


def _queries(source: Source) -> tuple[list[_Query], tuple[str, ...]]:
    """The queries and their judgments.

    In the circulated file, the start of a query has become an item of the query before it:
    `<Item score="00018">00093</Item>` says that query 93 has 18 documents, which follow. Its text is lost.
    """
    text, warnings = decoded(source)
    queries: list[_Query] = []
    lost: list[str] = []
    for line, part in _parts(text, _QUERY_START):
        number = next(iter(_held(part, "QueryNumber")), "")
        if not is_whole(number):
            raise FormatError(source.name, line, expected="a <QUERY> with its <QueryNumber>", got=number or "none")
        announced = next(iter(_held(part, "Results")), "")
        queries.append(_Query(line, plain_number(number), " ".join(_held(part, "QueryText")), announced, []))
        for score, document in _ITEM.findall(part):
            if len(score) == _EXPERTS:
                queries[-1].items.append((score, plain_number(document)))
            elif len(score) == len(document) == len(number):
                queries.append(_Query(line, plain_number(document), "", score, []))
                lost.append(plain_number(document))
            else:
                raise FormatError(source.name, line, expected="a score of four digits, one per expert", got=score)
    if lost:
        warnings += (
            f"{source.name}: the start of query {listed(lost)} is an item of the query before: its text is lost, and "
            "its judgments are read",
        )
    return queries, warnings


def _judgments(source: Source, _name: str) -> Loaded:
    """One row for each expert and document; the sum of the four grades where nobody asks for experts."""
    queries, warnings = _queries(source)
    others = [each for each in queries if is_whole(each.announced) and int(each.announced) != len(each.items)]
    if others:
        example = f"query {others[0].number} with {len(others[0].items)} of {int(others[0].announced)}"
        count = number_of("query", len(others))
        warnings += (f"{source.name}: {count} with more or fewer documents than announced, such as {example}",)
    frame = pl.DataFrame(
        [
            (query.number, str(expert), document, float(grade))
            for query in queries
            for score, document in query.items
            for expert, grade in enumerate(score, 1)
        ],
        schema={"query_id": pl.String, "iteration": pl.String, "doc_id": pl.String, "relevance": pl.Float64},
        orient="row",
    )
    if not frame.height:
        raise FormatError(source.name, None, expected="judgments, each in an <Item>", note="there are none")
    summed = "a document's grade is the sum of four experts' grades, which are 0, 1 or 2 each"
    return Loaded(frame, warnings=warnings, summed=summed)


@register("cf-documents", "documents", "CF documents", "`<RECORD> <RECORDNUM> <TITLE> <ABSTRACT>`", _documents)
def cf_documents(head: Head) -> bool:
    """A `<RECORD>` with a `<PAPERNUM>` or a `<RECORDNUM>`."""
    return re.search(rb"<RECORD>\s*<(PAPERNUM|RECORDNUM)>", head.start) is not None


def _topics(source: Source, _name: str) -> Any:
    queries, warnings = _queries(source)
    rows = [Record(query.line, query.number, [query.text]) for query in queries]
    return texts_of("topics", rows, "CF topics", source, warnings)


@register("cf-topics", "topics", "CF topics", "`<QUERY> <QueryNumber> <QueryText>`", _topics)
def cf_topics(head: Head) -> bool:
    """A `<QUERY>` with a `<QueryNumber>`."""
    return re.search(rb"<QUERY>\s*<QueryNumber>", head.start) is not None


@register("cf-qrels", "qrels", "CF judgments", '`<Item score="1222">139</Item>`', _judgments)
def cf_judgments(head: Head) -> bool:
    """Topics with items."""
    return cf_topics(head) and re.search(rb"<Item\s+score", head.start) is not None
