"""Text that can be drawn: what XML and the scripts of charts cannot hold is replaced, and no two names become one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

    from assay.report.charts import Drawable

# Everything but the characters of XML 1.0; the program that draws ends at once where one of these comes in. XML allows
# some controls that terminals obey: they go, too.
_NOT_XML = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Marks that turn the direction of writing: those of a name would reverse the sentence around it.
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINE_ENDS = re.compile("[\u0085\u2028\u2029]")  # they end a line within a script's strings


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
    if text.isprintable():  # nearly all text is, and tables are long
        return text
    return _NOT_XML.sub("\ufffd", _DIRECTIONS.sub("\ufffd", _LINE_ENDS.sub(" ", text)))


def on_one_line(text: str) -> str:
    r"""The same for a line or a cell that people read: what ends lines, or goes back in them, is a blank.

    >>> on_one_line("two\r\nlines\x1b[31m")
    'two lines\ufffd[31m'
    """
    return text if text.isprintable() else legible(" ".join(text.splitlines()).replace("\t", " "))


def cut_apart(names: Sequence[str], most: int) -> list[str]:
    """Names cut in the middle where they are longer than `most`; longer ones stay where two would be the same.

    >>> cut_apart(["tea", "complaint about a refund", "complaint about a parcel"], 16)
    ['tea', 'complai… refund', 'complai… parcel']
    """
    longest = max(map(len, names), default=0)
    while most < longest:
        half = most // 2 - 1
        cut = [name if len(name) <= most else f"{name[:half]}…{name[-half:]}" for name in names]
        if len(set(cut)) == len(set(names)):
            return cut
        most *= 2
    return list(names)


def all_legible(curve: Drawable) -> Legible:
    """The same to draw, legible; systems and topics that would then be called the same are numbered."""
    import polars as pl  # noqa: PLC0415  # a message that is made legible need not wait for it

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
