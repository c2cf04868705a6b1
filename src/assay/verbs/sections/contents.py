"""What is shown of a file or a folder, and of the formats that can be read and written."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.files import formats
from assay.files.contents import Contents, grades_in_words
from assay.files.writing import writers
from assay.show.model import Column, Document, Prose, Section, Table

_METADATA = "ir_metadata"
#: Two columns without heads: what something is called, and what it is.
_NAMED = (Column("name", ""), Column("value", ""))


def document(contents: Contents) -> Document:
    """One line per fact, then the warnings and the first rows."""
    facts = {name: _words(value) for name, value in contents.facts.items() if name != _METADATA}
    metadata = str(contents.facts.get(_METADATA, "")).splitlines()
    sections = [
        Section("facts", parts=(named_table("facts", facts),), data={"facts": contents.facts}),
        Section("metadata", parts=(Prose(style="code", points=tuple(metadata), title=_METADATA),) if metadata else ()),
        Section("doubts", parts=tuple(Prose(f"warning: {warning}") for warning in contents.warnings)),
    ]
    if contents.rows is not None and contents.rows.height:
        sections.append(Section("rows", parts=(Table.of("rows", contents.rows),)))
    return Document("contents", tuple(section for section in sections if section.parts))


def document_of_formats() -> Document:
    """All formats, by kind: how they are called, what they look like, and whether they can be written."""
    sections = []
    for kind in ("run", "qrels", "topics", "documents"):
        read = {known.name: f"{known.title}, {known.shape}" for known in formats(kind)}
        written = {known.name: " ".join(known.endings) for known in writers(kind)}
        sections += [
            Section(f"{kind}_read", f"{kind}: read", (named_table("formats", read),)),
            Section(f"{kind}_written", f"{kind}: written", (named_table("formats", written),)),
        ]
    return Document("formats", tuple(sections))


def named_table(name: str, facts: dict[str, str]) -> Table:
    """Facts by their names, without heads.

    >>> named_table("facts", {"kind": "run"}).frame.rows()
    [('kind', 'run')]
    """
    frame = pl.DataFrame(
        {"name": list(facts), "value": list(facts.values())}, schema=dict.fromkeys(["name", "value"], pl.String)
    )
    return Table(name, frame, _NAMED)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return grades_in_words(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
