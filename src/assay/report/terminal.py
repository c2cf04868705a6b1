"""An evaluation on the terminal: scores, and the counts that matter beside them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from assay.report.layout import Cell, Table
from assay.report.tables import queries_table, systems_table

if TYPE_CHECKING:
    from assay.evaluation import Evaluation

_PIPED_WIDTH = 1000


def console(stderr: bool = False, plain: bool = False) -> Console:
    """A console as wide as the terminal; piped or `plain`, wide enough for nothing to be cut, and without colour."""
    stream = sys.stderr if stderr else sys.stdout
    if plain or not stream.isatty():
        return Console(file=stream, width=_PIPED_WIDTH, highlight=False, force_terminal=False, color_system=None)
    return Console(file=stream, highlight=False)


def show(evaluation: Evaluation, to: Console, per_query: bool = False) -> None:
    """Print scores and counts; with `per_query` the queries first."""
    if per_query:
        for system in evaluation.systems:
            table = queries_table(evaluation, [system])
            for block in _blocks(table, to.width):
                to.print(_rich(block, title=system.name if len(evaluation.systems) > 1 else None))
    table = systems_table(evaluation)
    if _fits_upright(table, to.width):
        to.print(_upright(table, evaluation))
        return
    show_table(table, to)
    show_table(_counts(evaluation), to)


def show_table(table: Table, to: Console) -> None:
    """Print a table, in several pieces if it is too wide."""
    for block in _blocks(table, to.width):
        to.print(_rich(block))


def _fits_upright(table: Table, width: int) -> bool:
    """Measures down the side read best, as long as all systems fit beside one another."""
    columns = [max(len(names[0]), 8) + 2 for names, _ in table.rows]
    return max(map(len, table.numbers)) + 2 + sum(columns) <= min(width, 120)


def _upright(table: Table, evaluation: Evaluation) -> RichTable:
    shown = _empty()
    shown.add_column("")
    for names, _ in table.rows:
        shown.add_column(Text(names[0]), justify="right", no_wrap=True)
    for number, measure in enumerate(table.numbers):
        cells = [_text(row[number]) for _, row in table.rows]
        shown.add_row(Text(measure), *cells)
    shown.add_row()
    counts = _counts(evaluation)
    for number, name in enumerate(counts.numbers):
        shown.add_row(Text(name, style="dim"), *(Text(row[number].text, style="dim") for _, row in counts.rows))
    return shown


def _counts(evaluation: Evaluation) -> Table:
    """Topics, missing and ignored ones, relevant documents found, the share judged, ties, undefined values."""
    rows = []
    for row, system in zip(evaluation.coverage.to_dicts(), evaluation.systems, strict=True):
        undefined = max(evaluation.summary(measure, system.name).undefined for measure in evaluation.measures)
        judged = "NA" if math.isnan(row["judged@10"]) else f"{row['judged@10']:.1%}"
        found = f"{row['relevant_retrieved']:,} of {row['relevant']:,}"
        plain = (f"{row[name]:,}" for name in ("topics", "missing", "ignored"))
        counts = (*plain, found, judged, f"{row['tied']:,}", f"{undefined:,}")
        rows.append(((system.name,), tuple(map(Cell, counts))))
    names = ("topics", "missing", "ignored", "relevant found", "judged in top 10", "judged, but tied", "undefined")
    return Table(("system",), names, tuple(rows))


def _blocks(table: Table, width: int) -> Iterator[Table]:
    """Cut a table that is too wide into several, each with the names in front."""
    room = width - sum(
        max([len(name), *(len(names[number]) for names, _ in table.rows)]) + 2
        for number, name in enumerate(table.names)
    )
    if not table.numbers:
        yield table
    start = 0
    while start < len(table.numbers):
        end, used = start, 0
        while end < len(table.numbers):
            used += max([len(table.numbers[end]), *(len(cells[end].text) for _, cells in table.rows)]) + 2
            if used > room and end > start:
                break
            end += 1
        rows = tuple((names, cells[start:end]) for names, cells in table.rows)
        yield Table(table.names, table.numbers[start:end], rows)
        start = end


def _rich(table: Table, title: str | None = None) -> RichTable:
    shown = _empty(title)
    for name in table.names:
        shown.add_column(Text(name), no_wrap=True)
    for name in table.numbers:
        shown.add_column(Text(name), justify="right", no_wrap=True)
    for names, cells in table.rows:
        shown.add_row(*map(Text, names), *map(_text, cells))
    return shown


def _empty(title: str | None = None) -> RichTable:
    return RichTable(
        box=None,
        title=None if title is None else Text(title),
        title_justify="left",
        header_style="bold",
        padding=(0, 1),
        pad_edge=False,
    )


def _text(cell: Cell) -> Text:
    return Text(cell.text, style="bold green" if cell.best else "dim" if cell.text == "NA" else "")
