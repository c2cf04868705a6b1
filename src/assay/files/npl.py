"""NPL, also known as Vaswani: records of a number, lines, and a slash on a line of its own, in all three files."""

from __future__ import annotations

import polars as pl

from assay.files.records import documents_of, is_whole, marked_records, numbered_pairs, relevant, topics_of
from assay.files.registry import Head, Loaded, register
from assay.files.sources import Source
from assay.tables import Documents, Topics

_SLASH = "/"


def _documents(source: Source, _name: str) -> Documents:
    rows, warnings = marked_records(source, _SLASH, alone=True)
    frame = pl.DataFrame({"doc_id": [row.key for row in rows], "text": [row.text for row in rows]})
    return documents_of(frame, "NPL documents", source, warnings)


def _topics(source: Source, _name: str) -> Topics:
    rows, warnings = marked_records(source, _SLASH, alone=True)
    return topics_of(rows, "NPL topics", source, warnings)


def _judgments(source: Source, _name: str) -> Loaded:
    rows, warnings = marked_records(source, _SLASH, alone=True)
    return relevant(numbered_pairs(rows, source), source, warnings)


def _first_record(head: Head) -> list[str]:
    """What stands between the number and the slash at the start of a file; nothing if it does not start so."""
    lines = [line.strip() for line in head.lines]
    return lines[1 : lines.index(_SLASH)] if is_whole(lines[0]) and _SLASH in lines else []


@register("npl-qrels", "qrels", "NPL judgments", "a query's number, its documents, `/`", _judgments)
def npl_judgments(head: Head) -> bool:
    """A record of numbers only."""
    fields = " ".join(_first_record(head)).split()
    return bool(fields) and all(map(is_whole, fields))


@register("npl-documents", "documents", "NPL documents", "a number, text, `/`", _documents)
@register("npl-topics", "topics", "NPL topics", "a number, text, `/`", _topics)
def npl_texts(head: Head) -> bool:
    """A record of words."""
    return any(character.isalpha() for line in _first_record(head) for character in line)
