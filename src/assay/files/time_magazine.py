"""TIME: articles that start with `*TEXT`, questions that start with `*FIND`; judgments number articles by position."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import polars as pl

from assay.core.errors import FormatError
from assay.files.decoding import decoded, lines_of
from assay.files.records import Record, documents_of, is_whole, numbered_pairs, relevant, topics_of
from assay.files.registry import Head, Loaded, register
from assay.files.sources import Source
from assay.tables import Documents, Topics

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


def _documents(source: Source, _name: str) -> Documents:
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
    return documents_of(frame, "TIME documents", source, warnings)


def _topics(source: Source, _name: str) -> Topics:
    rows, _, warnings = _records(source, "FIND")
    return topics_of(rows, "TIME topics", source, warnings)


def _starts_with(word: str, head: Head) -> bool:
    start = _START.match(head.first)
    return start is not None and start[1] == word


@register("time-documents", "documents", "TIME documents", "`*TEXT 017 01/04/63 PAGE 020`, text", _documents)
def time_documents(head: Head) -> bool:
    """`*TEXT` and a number."""
    return _starts_with("TEXT", head)


@register("time-topics", "topics", "TIME topics", "`*FIND 1`, text", _topics)
def time_topics(head: Head) -> bool:
    """`*FIND` and a number."""
    return _starts_with("FIND", head)


def _judgments(source: Source, _name: str) -> Loaded:
    text, warnings = decoded(source)
    lines = ((number, line.split()) for number, line in enumerate(lines_of(text), 1))
    rows = [Record(number, fields[0], fields[1:]) for number, fields in lines if fields]
    for row in rows:
        if not row.lines or not is_whole(row.key):
            got = " ".join([row.key, *row.lines])
            raise FormatError(source.name, row.line, expected="the number of a query, and of its documents", got=got)
    return relevant(numbered_pairs(rows, source), source, warnings)


@register("time-qrels", "qrels", "TIME judgments", "a query and its documents on a line", _judgments)
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
