"""LISA: documents between lines of asterisks, queries that end in `#`, judgments in columns, and the same in words."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import polars as pl

from assay.core.errors import FormatError, number_of
from assay.files.decoding import decoded, lines_of
from assay.files.records import Record, documents_of, is_whole, marked_records, relevant, topics_of, unlike_announced
from assay.files.registry import Head, Loaded, register
from assay.files.sources import Source
from assay.tables import Documents, Topics

_DOCUMENT = re.compile(r"Document\s+(\d+)\s*$")
_QUERY = re.compile(r"Query\s+(\d+)\s*$")
_COUNT = re.compile(r"(\d+)\s+Relevant Refs?:?\s*$")
_COLUMN = 12


def _documents(source: Source, _name: str) -> Documents:
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
    return documents_of(frame, "LISA documents", source, warnings)


def _is_asterisks(line: str) -> bool:
    return len(line.strip()) > 1 and set(line.strip()) == {"*"}


@register("lisa-documents", "documents", "LISA documents", "`Document 1`, title, text, `****`", _documents)
def lisa_documents(head: Head) -> bool:
    """`Document` and a number on the first line that is not of asterisks."""
    first = next(itertools.dropwhile(_is_asterisks, head.lines), "")
    return _DOCUMENT.match(first) is not None


def _topics(source: Source, _name: str) -> Topics:
    rows, warnings = marked_records(source, "#", alone=False)
    return topics_of(rows, "LISA topics", source, warnings)


@register("lisa-topics", "topics", "LISA topics", "a number, text that ends in `#`", _topics)
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
    at, queries = 0, []
    while at + 1 < len(fields):
        queries.append(int(fields[at]))
        at += 2 + int(fields[at + 1])
    return all(before < other for before, other in itertools.pairwise(queries))


def _in_words(source: Source, _name: str) -> Loaded:
    """`Query 1`, `2 Relevant Refs:`, and the documents up to -1; where the two disagree, that is said."""
    text, warnings = decoded(source)
    pairs: list[tuple[str, str]] = []
    announced: dict[str, int] = {}
    query = ""
    for number, line in enumerate(lines_of(text), 1):
        if start := _QUERY.match(line):
            query = start[1]
        elif query and (count := _COUNT.match(line)):
            announced[query] = int(count[1][:_COLUMN])
        elif fields := line.split():
            documents = [field for field in fields if field != "-1"]
            if not query or not all(map(is_whole, documents)):
                raise FormatError(source.name, number, expected="`Query`, its number, and its documents", got=line)
            pairs += [(query, document) for document in documents]
    listed = Counter(query for query, _ in pairs)
    counts = ((query, listed[query], count) for query, count in announced.items())
    unlike = (f"{warning}; LISARJ.NUM is the file to use" for warning in unlike_announced(counts, source))
    return relevant(pairs, source, (*warnings, *unlike))


@register("lisa-words", "qrels", "LISA judgments in words", "`Query 1`, `2 Relevant Refs:`, `3392 3396 -1`", _in_words)
def lisa_words(head: Head) -> bool:
    """`Query 1`, and how many relevant references it has."""
    return _QUERY.match(head.first) is not None and any(map(_COUNT.match, head.lines[1:2]))
