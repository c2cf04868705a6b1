"""Documents on the terminal: tables that fit, prose that can be read, and nothing that steers the terminal."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from assay.show.cells import Cell, Grid, grid
from assay.show.legible import cut_apart, legible, on_one_line
from assay.show.model import Column, Document, Part, Prose, Section, Table, Task, Verdict

_PIPED_WIDTH = 1000
#: From this width on, tables show all they have.
_WIDE = 130
#: Tables are turned, and prose is set, no wider than this.
_LONGEST_TURNED, _LONGEST_LINE = 120, 88
#: Blanks between columns.
_GAP = 2
#: Where a table is too wide: so wide are names and heads at most, and names at least.
_NAME, _HEAD, _NARROWEST = 24, 16, 6
_LONGEST_NUMBER = 40
_MOST_LINES = 3
#: Prose of these styles is set in lines, even where it does not go to a terminal.
_SET = {"paragraph", "fine"}
#: A task is marked by its tone, and set no wider than this.
_MARKS, _LONGEST_TASK = {"good": "✓", "bad": "✗", "open": "!", "even": "·"}, 100
_TONES = {"good": "bold green", "bad": "bold red", "open": "bold yellow", "even": "bold"}


def console(stderr: bool = False, plain: bool = False) -> Console:
    """A console as wide as the terminal; piped or `plain`, wide enough for nothing to be cut, and without colour."""
    stream = sys.stderr if stderr else sys.stdout
    if plain or not stream.isatty():
        return _Legible(file=stream, width=_PIPED_WIDTH, highlight=False, force_terminal=False, color_system=None)
    return _Legible(file=stream, highlight=False)


class _Legible(Console):
    """A console that data do not steer: what terminals obey is shown as a sign that it cannot be shown."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for part in super().render(renderable, options):
            yield part if part.control else part._replace(text=legible(part.text))


def _line(text: str, style: str = "") -> Text:
    """Text on one line, whatever names in it hold."""
    return Text(on_one_line(text), style=style)


def write(document: Document) -> str:
    """The document as plain text, aligned.

    >>> import polars as pl
    >>> scores = Table.of("scores", pl.DataFrame({"system": ["a"], "AP": [0.5]}), "Scores")
    >>> print(write(Document("example", (Section("scores", parts=(scores, Prose("On 2 topics."))),))))
    Scores
    system      AP
    a       0.5000
    <BLANKLINE>
    On 2 topics.
    """
    out = console(plain=True)
    with out.capture() as captured:
        show(document, out, longest=out.width)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def show(document: Document, to: Console, longest: int = _LONGEST_LINE) -> None:
    """Print to a console: sections and tables apart by a blank line, lines of prose close together.

    Paragraphs are set no wider than `longest`.
    """
    parts = [part for section in document.sections for part in _flat(section)]
    before: Part | _Turned | None = None
    for part in _pieces(parts, to.width):
        if before is not None and not _are_close(before, part):
            to.print()
        _show(part, to, longest)
        before = part


class _Turned(NamedTuple):
    """Tables with their rows side by side, one below the other; all rows but the first so many are dim."""

    cells: Grid
    bright: int


def _pieces(parts: Iterable[Part], width: int) -> Iterator[Part | _Turned]:
    """What is printed at a time: tables that are turned stand on the same columns, as long as these fit."""
    for turned, group in groupby(parts, lambda part: isinstance(part, Table) and part.turned):
        together = tuple(group)
        joined = _joined([part for part in together if isinstance(part, Table)]) if turned else None
        yield from (joined,) if joined is not None and _fits(joined.cells, width) else together


def _joined(tables: Sequence[Table]) -> _Turned:
    first, *others = (grid(table).turned() for table in tables)
    empty = (Cell(""),) * len(first.columns)
    rows = [row for each in others for row in (empty, *each.rows)]
    return _Turned(first._replace(rows=(*first.rows, *rows)), len(first.rows))


def _fits(cells: Grid, width: int) -> bool:
    return sum(_whole(cells)) + _GAP * (len(cells.columns) - 1) <= min(width, _LONGEST_TURNED)


def _flat(section: Section) -> Iterator[Part]:
    """What is printed of a section: its title, and its parts; what stands for widgets."""
    if section.title:
        yield Prose(section.title, "lead")
    if section.lead:
        yield Prose(section.lead, "dim")
    for part in section.still():
        if isinstance(part, Section):
            yield from _flat(part)
        elif isinstance(part, Table | Prose | Verdict | Task):
            yield part


def _are_close(before: Part | _Turned, part: Part | _Turned) -> bool:
    """Whether no blank line stands between: below a title, and between lines of prose, of a list, or tasks."""
    if isinstance(before, Task) or isinstance(part, Task):
        return type(before) is type(part) or isinstance(before, Prose)
    if not isinstance(before, Prose) or before.style == "lead":
        return isinstance(before, Prose)
    kinds = {"dim": "plain", "fine": "plain", "plain": "plain", "list": "list"}
    return isinstance(part, Prose) and part.style in kinds and kinds.get(before.style) == kinds[part.style]


def _show(part: Part | _Turned, to: Console, longest: int) -> None:
    is_set = isinstance(part, Verdict) or (isinstance(part, Prose) and part.style in _SET)
    width = min(to.width, longest) if to.is_terminal or is_set else to.width
    if isinstance(part, Table):
        show_table(part, to)
    elif isinstance(part, _Turned):
        to.print(_rich(part.cells, _whole(part.cells), part.bright))
    elif isinstance(part, Verdict):
        to.print(_line(part.text, style=_TONES[part.tone]), width=width)
    elif isinstance(part, Task):
        _show_task(part, to)
    elif isinstance(part, Prose):
        style = {"lead": "bold", "dim": "dim", "fine": "dim", "claim": "bold"}.get(part.style, "")
        if part.title:
            to.print(_line(part.title, style="bold"))
        for line in part.lines:
            to.print(_line(f"* {line}" if part.style == "list" else line, style=style), width=width)


def _show_task(task: Task, to: Console) -> None:
    """Its head, and below it what it rests on and what to do; ids are never cut: whoever copies one wants it whole."""
    lines = [(f"  {_MARKS[task.tone]} {task.head}", _TONES[task.tone]), *((f"    {line}", "") for line in task.lines)]
    for line, style in lines:
        start = " " * (len(line) - len(line.lstrip()))
        wrapped = textwrap.wrap(
            line, min(to.width, _LONGEST_TASK), subsequent_indent=f"{start}  ", break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
        for text in wrapped:
            to.print(_line(text, style=style), no_wrap=True, overflow="ignore", crop=False)


def show_table(table: Table, to: Console) -> None:
    """Print a table, in several pieces if it is too wide: names then take several lines, numbers stay whole."""
    table = table.at_most()
    cells = grid(table, brief=to.width < _WIDE)
    if table.caption:
        to.print(_line(table.caption, style="bold"))
    widths = _whole(cells)
    if sum(widths) + _GAP * len(widths) > to.width:
        widths, cells = _folded(cells, to.width), _shortened(cells)
    for block, columns in _blocks(cells, widths, to.width):
        to.print(_rich(block, columns))
    for note in table.notes:
        to.print(_line(note, style="dim"))


def _widths(cells: Grid) -> tuple[list[int], list[int]]:
    """How wide the head of each column is, and how wide its cells are."""
    heads = [cell_len(on_one_line(column.head)) for column in cells.columns]
    return heads, [max((cell_len(row[at].words) for row in cells.rows), default=0) for at in range(len(heads))]


def _whole(cells: Grid) -> list[int]:
    """How wide the columns are if nothing is folded."""
    return [max(pair) for pair in zip(*_widths(cells), strict=True)]


def _folded(cells: Grid, width: int) -> list[int]:
    """How wide the columns are where there is too little room: names and heads are folded, numbers stay whole."""
    heads, inside = _widths(cells)
    widest = width if cells.names == len(heads) else max(_NAME, width // 3)
    names = [min(size, widest) for size in _whole(cells)[: cells.names]]
    # What is longer than any number is a label among the numbers.
    kept = [size if size <= _LONGEST_NUMBER else _NAME for size in inside[cells.names :]]
    numbers = [max(cell, min(head, _HEAD)) for head, cell in zip(heads[cells.names :], kept, strict=True)]
    room = width - max(numbers, default=0) - _GAP * len(names)
    while sum(names) > room and max(names) > _NARROWEST:
        names[names.index(max(names))] -= 1
    return [*names, *numbers]


def _shortened(cells: Grid) -> Grid:
    """The same with heads and first names of three lines at most, as long as they can then be told apart."""
    heads = cut_apart([column.head for column in cells.columns[cells.names :]], _MOST_LINES * _HEAD)
    columns = (*cells.columns[: cells.names], *(Column(head, kind="number") for head in heads))
    if not cells.names:
        return cells._replace(columns=columns)
    short = cut_apart([row[0].words for row in cells.rows], _MOST_LINES * _NAME)
    rows = tuple((Cell(name), *row[1:]) for name, row in zip(short, cells.rows, strict=True))
    return Grid(columns, cells.names, rows)


def _blocks(cells: Grid, widths: list[int], width: int) -> Iterator[tuple[Grid, list[int]]]:
    """Cut a table that is too wide into several, each with the names in front."""
    names = list(range(cells.names))
    blocks = [names]
    for place in range(cells.names, len(cells.columns)):
        used = sum(widths[at] + _GAP for at in [*blocks[-1], place])
        blocks += [names] if used > width and blocks[-1] != names else []
        blocks[-1] = [*blocks[-1], place]
    for places in blocks:
        rows = tuple(tuple(row[at] for at in places) for row in cells.rows)
        block = Grid(tuple(cells.columns[at] for at in places), cells.names, rows)
        yield block, [widths[at] for at in places]


def _rich(cells: Grid, widths: list[int], bright: int | None = None) -> RichTable:
    has_heads = any(column.head for column in cells.columns)
    table = RichTable(box=None, header_style="bold", padding=(0, 1), pad_edge=False, show_header=has_heads)
    for place, (column, width) in enumerate(zip(cells.columns, widths, strict=True)):
        justify: JustifyMethod = "right" if place >= cells.names else "left"
        table.add_column(Text(on_one_line(column.head)), justify=justify, width=width, overflow="fold")
    for place, row in enumerate(cells.rows):
        usual = "dim" if bright is not None and place >= bright else ""
        styles = ("bold green" if cell.best else "dim" if cell.is_missing else usual for cell in row)
        table.add_row(*(Text(cell.words, style=style) for cell, style in zip(row, styles, strict=True)))
    return table
