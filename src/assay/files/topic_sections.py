"""Topics as people write them in an editor: a section per topic, a field per line, comments behind `#`."""

from __future__ import annotations

import re

import polars as pl

from assay.core.errors import EmptyFileError, FormatError
from assay.files.registry import Head, register
from assay.files.sources import Source, decoded, lines_of
from assay.tables import Topics

_FIELDS = ("title", "description", "narrative")
_SECTION = re.compile(r"\[topic\s+(\S.*?)\s*\]\s*", re.IGNORECASE)
_FIELD = re.compile(r"([A-Za-z]+)\s*:(?:\s+|$)(.*)")
_SHAPE = "`[topic 1]`, then `title:`, `description:`, `narrative:`"
#: What a new file explains to those who write in it.
EXPLANATION = """\
# One section per topic. Lines that begin with # are left out.
# title: what a user would type. description: the need, in one sentence.
# narrative: what makes a document relevant, and what does not. A text may go
# on over several lines, as long as these are indented.
"""


def _topics(source: Source, name: str) -> Topics:
    text, warnings = decoded(source)
    rows: list[dict[str, str]] = []
    lines: list[int] = []
    field = ""
    for number, line in enumerate(lines_of(text), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if section := _SECTION.fullmatch(line):
            rows.append({"query_id": section[1], **dict.fromkeys(_FIELDS, "")})
            lines.append(number)
            field = ""
        elif not rows:
            raise FormatError(source.name, number, expected="a section such as `[topic 1]` first", got=line)
        elif line[0].isspace() and field:
            rows[-1][field] = f"{rows[-1][field]} {line.strip()}".strip()
        elif (stated := _FIELD.fullmatch(line)) and stated[1].lower() in _FIELDS:
            field = stated[1].lower()
            if rows[-1][field]:
                raise FormatError(source.name, number, expected=f"one {field} per topic", got=line)
            rows[-1][field] = stated[2].strip()
        else:
            expected = "title:, description:, narrative:, or a line that is indented and goes on with one of them"
            raise FormatError(source.name, number, expected=expected, got=line)
    if not rows:
        raise EmptyFileError(source.name, _SHAPE)
    for row, first in zip(rows, lines, strict=True):
        if not row["title"]:
            raise FormatError(source.name, first, expected=f"a title for topic {row['query_id']}", got="")
    return Topics(pl.DataFrame(rows), name, "topics in sections", warnings, lambda row: (source.name, lines[row]))


@register("topic-sections", "topics", "topics in sections", _SHAPE, _topics)
def topic_sections(head: Head) -> bool:
    """The first line is the head of a section."""
    return _SECTION.fullmatch(head.first.rstrip("\r\n")) is not None


def as_sections(topics: Topics) -> str:
    """The text of topics in sections.

    >>> print(as_sections(Topics.of({"1": "bitter tea"})), end="")
    [topic 1]
    title: bitter tea
    description:
    narrative:
    """
    sections = []
    for row in topics.frame.iter_rows(named=True):
        fields = [f"{field}: {' '.join(row[field].split())}".rstrip() for field in _FIELDS]
        sections.append("\n".join([f"[topic {row['query_id']}]", *fields, ""]))
    return "\n".join(sections)
