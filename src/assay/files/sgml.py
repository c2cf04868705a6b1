"""Topics and documents in TREC's SGML, and topics in XML.

Tags are looked for, not parsed into a tree: TREC's topics close none of theirs, entities are few, and nothing is ever
fetched or expanded.
"""

from __future__ import annotations

import itertools
import re

import polars as pl

from assay.core.errors import FormatError
from assay.files.registry import Head, register
from assay.files.sources import Source, decoded, without_entities
from assay.tables import Documents, Topics

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*+)([^<>]*+)>")
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([A-Za-z_:][\w:.-]*+)\s*+=\s*+("[^"]*"|'[^']*')""")
#: What is passed over, by how it starts and ends.
_PASSED_OVER = {"<!--": "-->", "<?": "?>", "<!DOCTYPE": ">"}
_PASSED_OVER_FROM = re.compile("|".join(map(re.escape, _PASSED_OVER)))
#: What stands before the text of a document that has no tag for it.
_RECORD_HEAD = ("docno", "dochdr", "docid", "docoldno", "title", "headline")
#: What stands before the text in classic topics.
_LABELS = {"num": "Number", "title": "Topic", "desc": "Description", "narr": "Narrative"}
_TOPIC_FIELDS = {
    "title": "title", "query": "title", "desc": "description", "description": "description", "question": "description",
    "narr": "narrative", "narrative": "narrative",
}  # fmt: skip
_DOCUMENT_FIELDS = {
    "title": "title",
    "headline": "title",
    "head": "title",
    "ttl": "title",
    "text": "text",
    "body": "text",
}


def _elements(text: str, name: str, wanted: str) -> list[tuple[int, str, str]]:
    """Each element of a name: the line it starts on, its attributes and what it holds."""
    blank = _without_comments(text.replace("\r\n", "\n"))
    elements: list[tuple[int, str, str]] = []
    opened: tuple[int, str, int] | None = None
    line, counted = 1, 0
    for tag in re.finditer(rf"<(/?){wanted}((?:\s[^<>]*)?)>", blank, re.IGNORECASE):
        line, counted = line + blank.count("\n", counted, tag.start()), tag.start()
        if tag[1] and opened is None:
            raise FormatError(name, line, expected=f"<{wanted}> before </{wanted}>")
        if tag[1] and opened is not None:
            elements.append((opened[0], opened[1], blank[opened[2] : tag.start()]))
            opened = None
        elif opened is not None:
            raise FormatError(name, line, expected=f"</{wanted}> of line {opened[0]} before another <{wanted}>")
        else:
            opened = (line, tag[2], tag.end())
    if opened is not None:
        raise FormatError(name, opened[0], expected=f"</{wanted}> after <{wanted}>", note="the file ends before")
    return elements


def _without_comments(text: str) -> str:
    """The text without what is passed over, its line ends aside; what never ends is text."""
    parts: list[str] = []
    ends = dict.fromkeys(_PASSED_OVER, 0)  # no end is looked for twice, so that many starts cost no more than one
    kept = place = 0
    while match := _PASSED_OVER_FROM.search(text, place):
        start, end = match.start(), ends[match[0]]
        if 0 <= end < match.end():
            end = ends[match[0]] = text.find(_PASSED_OVER[match[0]], match.end())
        place = match.end()
        if end >= 0:
            place = end + len(_PASSED_OVER[match[0]])
            parts += [text[kept:start], "\n" * text.count("\n", start, place)]
            kept = place
    return "".join([*parts, text[kept:]])


def _fields(inner: str) -> list[tuple[str, str]]:
    """Tags and the text up to the next tag; closing tags end a field."""
    fields: list[tuple[str, str]] = []
    marks = list(_TAG.finditer(inner))
    for mark, after in itertools.zip_longest(marks, marks[1:]):
        if not mark[1]:
            fields.append((mark[2].lower(), inner[mark.end() : after.start() if after else len(inner)]))
    return fields


def _closed(inner: str) -> dict[str, list[tuple[re.Match[str], re.Match[str]]]]:
    """Of each name the elements that are closed, by their two tags; within one, another of its name is text."""
    elements: dict[str, list[tuple[re.Match[str], re.Match[str]]]] = {}
    opened: dict[str, re.Match[str]] = {}
    for tag in _TAG.finditer(inner):
        name = tag[2].lower()
        if not tag[1] and tag[3][:1].strip() == "":
            opened.setdefault(name, tag)
        elif tag[1] and not tag[3].strip() and name in opened:
            elements.setdefault(name, []).append((opened.pop(name), tag))
    return elements


def _without_record_head(inner: str, closed: dict[str, list[tuple[re.Match[str], re.Match[str]]]]) -> str:
    parts: list[str] = []
    kept = 0
    for start, end in sorted(
        (start_tag.start(), other.end()) for name in _RECORD_HEAD for start_tag, other in closed.get(name, ())
    ):
        if start >= kept:
            parts.append(inner[kept:start])
            kept = end
    return " ".join([*parts, inner[kept:]])


def _plain(text: str) -> str:
    """Entities as what they stand for, white space as single blanks, and nothing that UTF-8 cannot write."""
    return " ".join(without_entities(text).split()).encode(errors="replace").decode()


def _labelled(tag: str, text: str) -> str:
    """Without the label that classic topics repeat, such as `Number:`."""
    label = _LABELS.get(tag)
    return _plain(text).removeprefix(f"{label}:").strip() if label else _plain(text)


def _topics(source: Source, name: str) -> Topics:
    text, warnings = decoded(source)
    element = "top" if re.search(r"<top[\s>]", text, re.IGNORECASE) else "topic"
    lines, rows = [], []
    for line, attributes, inner in _elements(text, source.name, element):
        row = {"query_id": "", "title": "", "description": "", "narrative": ""}
        known = {key.lower(): value[1:-1] for key, value in _ATTRIBUTE.findall(attributes)}
        row["query_id"] = _plain(known.get("number") or known.get("id") or "")
        fields = _fields(inner)
        for tag, held in fields:
            if tag in {"num", "number", "id"} and not row["query_id"]:
                row["query_id"] = _labelled("num", held)
            elif tag in _TOPIC_FIELDS and not row[_TOPIC_FIELDS[tag]]:
                row[_TOPIC_FIELDS[tag]] = _labelled(tag, held)
        if not row["query_id"]:
            raise FormatError(source.name, line, expected="a topic with a number, as <num> or number=")
        if not fields:  # a topic that is nothing but a text
            row["title"] = _plain(inner)
        lines.append(line)
        rows.append(row)
    if not rows:
        raise FormatError(source.name, None, expected="topics, each in <top> or <topic>", note="there are none")
    title = "TREC topics" if element == "top" else "XML topics"
    return Topics(pl.DataFrame(rows), name, title, warnings, lambda row: (source.name, lines[row]))


def _documents(source: Source, name: str) -> Documents:
    text, warnings = decoded(source)
    lines, rows = [], []
    for line, _, inner in _elements(text, source.name, "doc"):
        fields = dict.fromkeys(("doc_id", "title", "text"), "")
        fields["doc_id"] = next((_plain(held) for tag, held in _fields(inner) if tag == "docno"), "")
        if not fields["doc_id"]:
            raise FormatError(source.name, line, expected="a document with a <DOCNO>")
        closed = _closed(inner)
        for tag, column in _DOCUMENT_FIELDS.items():
            if tag in closed and not fields[column]:
                fields[column] = _untagged(
                    " ".join(inner[start_tag.end() : other.start()] for start_tag, other in closed[tag])
                )
        if not re.search(r"<(text|body)\b", inner, re.IGNORECASE):  # web pages: all but the head of the record is text
            fields["text"] = _untagged(_without_record_head(inner, closed))
        lines.append(line)
        rows.append(fields)
    if not rows:
        raise FormatError(source.name, None, expected="documents, each in <DOC>", note="there are none")
    return Documents(pl.DataFrame(rows), name, "TREC documents", warnings, lambda row: (source.name, lines[row]))


def _untagged(text: str) -> str:
    return _plain(_TAG.sub(" ", text))


@register("trec-topics", "topics", "TREC topics", "`<top> <num> <title> <desc> <narr> </top>`", _topics)
def trec_topics(head: Head) -> bool:
    """A `<top>`, or XML with a `<topic>`."""
    match = re.search(rb"<top(ics?)?[\s>]", head.start, re.IGNORECASE)
    return head.first.lstrip().startswith("<") and match is not None


@register("trec-documents", "documents", "TREC documents", "`<DOC> <DOCNO> <TEXT> </DOC>`", _documents)
def trec_documents(head: Head) -> bool:
    """A `<DOC>`."""
    return head.first.lstrip().startswith("<") and re.search(rb"<doc[\s>]", head.start, re.IGNORECASE) is not None
