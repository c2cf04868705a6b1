"""Text that can be drawn: what XML and the scripts of charts cannot hold is replaced, and no two names become one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from assay.report.charts import Drawable

# Everything but the characters of XML 1.0; the program that draws ends at once where one of these comes in.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Marks that turn the direction of writing: those of a name would reverse the sentence around it.
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINE_ENDS = re.compile("[\u2028\u2029]")  # they end a line within a script's strings


class Legible(NamedTuple):
    """What is drawn, with all its text legible."""

    kind: str
    title: str
    subtitle: str
    frame: pl.DataFrame
    summary: pl.DataFrame


def legible(text: str) -> str:
    r"""Replace what is not legal in XML, marks that turn the direction of writing, and line ends that break scripts.

    >>> legible("a\x08b\u2028c\u202ed")
    'a\ufffdb c\ufffdd'
    """
    return _LINE_ENDS.sub(" ", _DIRECTIONS.sub("\ufffd", _NOT_XML.sub("\ufffd", text)))


def all_legible(curve: Drawable) -> Legible:
    """The same to draw, legible; systems and topics that would then be called the same are numbered."""
    columns = {"system", "query_id"}
    names = {
        column: _told_apart(
            name
            for frame in (curve.frame, curve.summary)
            if column in frame.columns
            for name in frame[column].unique(maintain_order=True).drop_nulls().to_list()
        )
        for column in columns
    }
    frame, summary = (
        part.with_columns(
            _renamed(part[column], names.get(column))
            for column, dtype in part.schema.items()
            if dtype == pl.String and not part[column].is_null().all()
        )
        for part in (curve.frame, curve.summary)
    )
    return Legible(curve.kind, legible(curve.title), legible(curve.subtitle), frame, summary)


def _told_apart(names: Iterable[str]) -> dict[str, str]:
    given = list(dict.fromkeys(names))
    # Names that need no change keep theirs.
    changed = {name: name for name in given if legible(name) == name}
    taken = set(changed)
    for name in given:
        if name in changed:
            continue
        candidate, number = legible(name), 1
        while candidate in taken:
            number += 1
            candidate = f"{legible(name)} ({number})"
        changed[name] = candidate
        taken.add(candidate)
    return changed


def _renamed(column: pl.Series, names: dict[str, str] | None) -> pl.Series:
    if names is None:
        names = {text: legible(text) for text in column.unique().drop_nulls().to_list()}
    return column.replace(names)
