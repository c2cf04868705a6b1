"""The classic collections in SMART format: `.I` starts a record, `.T .A .B .W .X` and others its fields.

Their judgments have traps that give wrong scores silently; each one that is met is warned about.
"""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

import polars as pl

from assay.core.errors import FormatError, number_of
from assay.files.columns import Layout
from assay.files.registry import Head, Kind, Loaded, register
from assay.files.runs import load_columns
from assay.files.sources import Source, decoded, lines_of
from assay.tables import Documents, Topics

_FIELD = re.compile(r"^\.([A-Z])(?:\s+(.*))?$")
_TITLE, _TEXT = "T", "W"
#: What the letters of the classic collections stand for; any other field is kept under its letter.
_NAMED = {"A": "authors", "B": "source", "C": "categories", "K": "keywords", "N": "notes", "X": "references"}
# Questions are short: records that are longer on average are documents.
_MOST_LINES_OF_A_TOPIC = 12
REL_LAYOUT = Layout(columns=("query_id", "doc_id", "zero", "number"), text=("query_id", "doc_id"), numbers=("number",))


class SmartRecord(NamedTuple):
    """A record of a file: the line it starts on, its id and its fields, the lines of each put together."""

    line: int
    key: str
    fields: dict[str, str]


def records(text: str, name: str) -> list[SmartRecord]:
    """The records of a text; `name` is that of the file, for messages."""
    entries: list[tuple[int, str, dict[str, list[str]]]] = []
    field: list[str] | None = None
    for number, line in enumerate(map(str.rstrip, lines_of(text)), 1):
        mark = _FIELD.match(line)
        if mark and mark[1] == "I":
            identifier = (mark[2] or "").strip()
            if not identifier:
                raise FormatError(name, number, expected="`.I` and an id", got=line)
            entries.append((number, identifier, {}))
            field = None
        elif mark and entries:
            field = entries[-1][2].setdefault(mark[1], [])
            field += [mark[2]] if mark[2] else []
        elif field is not None:
            field.append(line)
        elif line:
            raise FormatError(name, number, expected="a field such as `.W`" if entries else "`.I` and an id", got=line)
    return [
        SmartRecord(line, key, {tag: _joined(value) for tag, value in fields.items()}) for line, key, fields in entries
    ]


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _texts(kind: Kind, source: Source, name: str) -> Topics | Documents:
    text, warnings = decoded(source)
    rows = records(text, source.name)
    if not rows:
        raise FormatError(source.name, None, expected="records that start with `.I`", note="there are none")
    if "\r\n" in text:
        warnings += (f"{source.name}: lines end in CR LF, read as line ends",)
    del text
    held = dict.fromkeys(tag for row in rows for tag in row.fields)
    rest = {tag: _NAMED.get(tag, tag.lower()) for tag in held if tag not in {_TITLE, _TEXT}}
    columns = {tag: [row.fields.get(tag, "") for row in rows] for tag in (_TITLE, _TEXT, *rest)}
    extra = {column: columns[tag] for tag, column in rest.items()}
    ids, titles, texts = [row.key for row in rows], columns[_TITLE], columns[_TEXT]
    if empty := sum(not text for text in texts):
        warnings += (f"{source.name}: {number_of(kind.removesuffix('s'), empty)} without text",)
    if kind == "topics":
        frame = pl.DataFrame(
            {"query_id": ids, "title": [text or title for title, text in zip(titles, texts, strict=True)], **extra}
        )
        return Topics(frame, name, "SMART topics", warnings, lambda row: (source.name, rows[row].line))
    frame = pl.DataFrame({"doc_id": ids, "title": titles, "text": texts, **extra})
    return Documents(frame, name, "SMART documents", warnings, lambda row: (source.name, rows[row].line))


def _is_smart(head: Head) -> bool:
    return head.first.startswith(".I ") or head.first == ".I"


def _has_field(letters: str, head: Head) -> bool:
    """Documents have titles, sources or references; questions are mostly bare text, though some name authors."""
    marks = {mark[1] for line in head.lines if (mark := _FIELD.match(line.rstrip()))}
    return bool(marks & set(letters))


@register("smart-documents", "documents", "SMART documents", "records `.I .T .A .W`", partial(_texts, "documents"))
def smart_documents(head: Head) -> bool:
    """Records with titles, sources or references, or long ones."""
    if not _is_smart(head):
        return False
    starts = sum(line.startswith(".I") for line in head.lines)
    return _has_field("TBX", head) or len(head.lines) > _MOST_LINES_OF_A_TOPIC * starts


@register("smart-topics", "topics", "SMART topics", "records `.I .W`", partial(_texts, "topics"))
@register("smart-plain", "documents", "SMART documents", "records `.I .W`", partial(_texts, "documents"))
def smart_topics(head: Head) -> bool:
    """Records of text."""
    return _is_smart(head)


def _judgments(source: Source, _name: str) -> Loaded:
    """`query_id doc_id 0 0.000000`: who is listed is relevant, the last two columns mean nothing."""
    loaded = load_columns(source, REL_LAYOUT)
    frame = loaded.frame.select("query_id", "doc_id", relevance=pl.lit(1.0))
    remark = (
        f"{source.name}: the last two columns of SMART judgments mean nothing; every document listed is relevant (1)"
    )
    return Loaded(frame, loaded.where, (remark,))


@register("smart-qrels", "qrels", "SMART judgments", "`query_id doc_id 0 0.000000`", _judgments)
def smart_judgments(head: Head) -> bool:
    """Four columns, and the last two are always zero: no TREC file calls all its documents 0."""
    rows = head.rows
    if len(rows) < 2 and not (rows and len(rows[0]) == 4 and "." in rows[0][3]):
        return False
    return all(len(row) == 4 and row[2] == "0" and set(row[3]) <= set("0.") for row in rows)
