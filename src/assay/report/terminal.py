"""Tables of results that are not documents yet, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from assay.report.layout import Cell, Table
from assay.show.legible import cut_apart

#: Blanks between columns.
_GAP = 2
#: Where a table is too wide: so wide are names and heads at most, and names at least.
_NAME, _HEAD, _NARROWEST = 24, 16, 6
_LONGEST_NUMBER = 40
_MOST_LINES = 3


def show_table(table: Table, to: Console, title: str | None = None) -> None:
    """Print a table, in several pieces if it is too wide: names then take several lines, numbers stay whole."""
    table = table.legible()
    widths = _Widths.of(table, to.width)
    if widths.are_folded:
        table = _shortened(table)
    for block, own in _blocks(table, widths, to.width):
        to.print(_rich(block, own, title))


class _Widths(NamedTuple):
    """How wide each column is."""

    names: list[int]
    numbers: list[int]
    are_folded: bool = False

    @classmethod
    def of(cls, table: Table, width: int) -> _Widths:
        """As wide as what is in them; where that is too wide, names and heads are folded."""
        names = [
            max([cell_len(head), *(cell_len(row[place]) for row, _ in table.rows)])
            for place, head in enumerate(table.names)
        ]
        heads = [cell_len(head) for head in table.numbers]
        cells = [max((cell_len(row[place].text) for _, row in table.rows), default=0) for place in range(len(heads))]
        numbers = [max(pair) for pair in zip(heads, cells, strict=True)]
        if sum(names) + sum(numbers) + _GAP * (len(names) + len(numbers)) <= width:
            return cls(names, numbers)
        # What is longer than any number is a label among the numbers.
        cells = [one if one <= _LONGEST_NUMBER else _NAME for one in cells]
        numbers = [max(cell, min(head, _HEAD)) for head, cell in zip(heads, cells, strict=True)]
        names = [min(one, max(_NAME, width // 3)) for one in names]
        room = width - max(numbers, default=0) - _GAP * len(names)
        while sum(names) > room and max(names) > _NARROWEST:
            names[names.index(max(names))] -= 1
        return cls(names, numbers, are_folded=True)


def _shortened(table: Table) -> Table:
    """The same with heads and first names of three lines at most, as long as they can then be told apart."""
    short = iter(cut_apart([names[0] for names, _ in table.rows if names], _MOST_LINES * _NAME))
    rows = tuple(((next(short), *names[1:]) if names else names, cells) for names, cells in table.rows)
    return Table(table.names, tuple(cut_apart(table.numbers, _MOST_LINES * _HEAD)), rows)


def _blocks(table: Table, widths: _Widths, width: int) -> Iterator[tuple[Table, _Widths]]:
    """Cut a table that is too wide into several, each with the names in front."""
    room = width - sum(widths.names) - _GAP * len(widths.names)
    if not table.numbers:
        yield table, widths
    start = 0
    while start < len(table.numbers):
        end, used = start, 0
        while end < len(table.numbers):
            used += widths.numbers[end] + _GAP
            if used > room and end > start:
                break
            end += 1
        rows = tuple((names, cells[start:end]) for names, cells in table.rows)
        yield Table(table.names, table.numbers[start:end], rows), _Widths(widths.names, widths.numbers[start:end])
        start = end


def _rich(table: Table, widths: _Widths, title: str | None = None) -> RichTable:
    shown = _empty(title)
    for name, width in zip(table.names, widths.names, strict=True):
        shown.add_column(Text(name), width=width, overflow="fold")
    for name, width in zip(table.numbers, widths.numbers, strict=True):
        shown.add_column(Text(name), justify="right", width=width, overflow="fold")
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
