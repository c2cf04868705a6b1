"""CF, the cystic fibrosis collection, in XML: articles in `<RECORD>`, and queries with four experts' grades."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from assay.core.errors import FormatError, listed, number_of
from assay.files.records import Record, documents_of, is_whole, plain_number, topics_of, unlike_announced
from assay.files.registry import Head, Loaded, register
from assay.files.sources import Source, decoded, without_entities
from assay.tables import Documents, Topics

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
    announced: int | None
    items: list[tuple[str, str]]


def _parts(text: str, start: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """What stands between one start and the next, whether it is closed or not, and the line where it begins."""
    line, at = 1, 0
    starts = list(start.finditer(text))
    for number, match in enumerate(starts):
        line, at = line + text.count("\n", at, match.start()), match.start()
        end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        yield line, text[match.end() : end]


def _held(part: str, tag: str) -> list[str]:
    """What the elements of a name hold."""
    held: list[str] = []
    end = 0
    while (start := part.find(f"<{tag}>", end)) >= 0:
        start += len(tag) + 2
        end = part.find(f"</{tag}>", start)
        end = len(part) if end < 0 else end
        held.append(" ".join(without_entities(part[start:end]).split()))
    return held


def _documents(source: Source, _name: str) -> Documents:
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
    return documents_of(pl.DataFrame(rows, schema=schema), "CF documents", source, warnings)


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
        results = next(iter(_held(part, "Results")), "")
        announced = int(results) if is_whole(results) else None
        queries.append(_Query(line, plain_number(number), " ".join(_held(part, "QueryText")), announced, []))
        for score, document in _ITEM.findall(part):
            if len(score) == _EXPERTS:
                queries[-1].items.append((score, plain_number(document)))
            elif len(score) == len(document) == len(number):
                queries.append(_Query(line, plain_number(document), "", int(score), []))
                lost.append(plain_number(document))
            else:
                raise FormatError(source.name, line, expected="a score of four digits, one per expert", got=score)
    if lost:
        warnings += (
            f"{source.name}: the start of query {listed(lost)} is an item of the query before: its text is lost, and "
            "its judgments are read",
        )
    return queries, warnings


def _topics(source: Source, _name: str) -> Topics:
    queries, warnings = _queries(source)
    rows = [Record(query.line, query.number, [query.text]) for query in queries]
    return topics_of(rows, "CF topics", source, warnings)


def _judgments(source: Source, _name: str) -> Loaded:
    """One row for each expert and document; the sum of the four grades where nobody asks for experts."""
    queries, warnings = _queries(source)
    counts = ((query.number, len(query.items), query.announced) for query in queries)
    warnings += unlike_announced(counts, source)
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


@register("cf-topics", "topics", "CF topics", "`<QUERY> <QueryNumber> <QueryText>`", _topics)
def cf_topics(head: Head) -> bool:
    """A `<QUERY>` with a `<QueryNumber>`."""
    return re.search(rb"<QUERY>\s*<QueryNumber>", head.start) is not None


@register("cf-qrels", "qrels", "CF judgments", '`<Item score="1222">139</Item>`', _judgments)
def cf_judgments(head: Head) -> bool:
    """Topics with items."""
    return cf_topics(head) and re.search(rb"<Item\s+score", head.start) is not None
