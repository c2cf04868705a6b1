"""Several tables, each with a title, and lines of text below: as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.report.layout import Table
from assay.show.legible import on_one_line

if TYPE_CHECKING:
    from rich.console import Console


class Titled(NamedTuple):
    """A table and its title."""

    title: str
    table: Table


def show(tables: Sequence[Titled], lines: Sequence[str], to: Console) -> None:
    """Print to a console."""
    from rich.text import Text  # noqa: PLC0415  # results that are never printed need no Rich

    from assay.report.terminal import show_table  # noqa: PLC0415

    for number, (title, table) in enumerate(tables):
        if number:
            to.print()
        if title:
            to.print(Text(on_one_line(title), style="bold"))
        show_table(table, to)
    if tables and lines:
        to.print()
    for line in lines:
        to.print(Text(on_one_line(line)))


def to_text(tables: Sequence[Titled], lines: Sequence[str]) -> str:
    """As plain text, aligned.

    >>> import polars as pl
    >>> print(to_text([Titled("Scores", Table.of(pl.DataFrame({"system": ["a"], "AP": [0.5]})))], ["On 2 topics."]))
    Scores
    system      AP
    a       0.5000
    <BLANKLINE>
    On 2 topics.
    """
    from assay.show.terminal import console  # noqa: PLC0415

    out = console(plain=True)
    with out.capture() as captured:
        show(tables, lines, out)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def to_markdown(tables: Sequence[Titled], lines: Sequence[str]) -> str:
    """Pipe tables below their titles, then the lines."""
    parts = [(f"**{on_one_line(title)}**\n\n" if title else "") + table.to_markdown() for title, table in tables]
    return "\n".join([*parts, *(f"{on_one_line(line)}\n" for line in lines)])


def to_latex(tables: Sequence[Titled], lines: Sequence[str]) -> str:
    """Booktabs tables; titles and lines are comments, for whoever writes the caption."""
    parts = [(f"% {on_one_line(title)}\n" if title else "") + table.to_latex() for title, table in tables]
    return "\n".join([*parts, *(f"% {on_one_line(line)}\n" for line in lines)])


def to_html(tables: Sequence[Titled], lines: Sequence[str]) -> str:
    """Plain tables, for notebooks and pages."""
    parts = [
        f"<p><b>{html.escape(title)}</b></p>{table.to_html()}" if title else table.to_html() for title, table in tables
    ]
    return "".join([*parts, *(f"<p>{html.escape(line)}</p>" for line in lines)])
