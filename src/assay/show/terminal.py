"""Documents on the terminal: tables that fit, prose that can be read, and nothing that steers the terminal."""

from __future__ import annotations

import os
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import TextIO

from assay.show.cells import Cell, Grid, grid
from assay.show.legible import cut_apart, on_one_line
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


_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


class Screen:
    """The lines on a terminal: data in them do not steer it.

    >>> screen = Screen(width=12)
    >>> screen.line("no wider than the screen")
    >>> screen.text.splitlines()
    ['no wider', 'than the', 'screen']
    """

    def __init__(self, width: int = _PIPED_WIDTH, *, is_terminal: bool = False) -> None:
        self.width, self.is_terminal = width, is_terminal
        self.has_colour = is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._lines: list[str] = []

    @classmethod
    def of(cls, stream: TextIO, *, plain: bool = False) -> Screen:
        """A screen as wide as the terminal; piped or `plain`, wide enough for nothing to be cut, and without colour."""
        if plain or not stream.isatty():
            return cls()
        return cls(shutil.get_terminal_size().columns, is_terminal=True)

    @property
    def text(self) -> str:
        """All lines, without blanks at their ends."""
        return "".join(f"{line}\n" for line in self._lines)

    def line(self, text: str = "", style: str = "", width: int | None = None) -> None:
        """Words in one style, on as many lines as they take."""
        self._lines += [self._styled(part, style) for part in wrapped(on_one_line(text), width or self.width)]

    def table(self, cells: Grid, widths: list[int], bright: int | None = None) -> None:
        """Columns side by side, names to the left and numbers to the right."""
        heads = tuple(Cell(on_one_line(column.head)) for column in cells.columns)
        rows = [(heads, "bold")] if any(column.head for column in cells.columns) else []
        rows += [(row, "dim" if bright is not None and at >= bright else "") for at, row in enumerate(cells.rows)]
        for row, usual in rows:
            styles = [_style_of(cell, usual) for cell in row]
            parts = [wrapped(on_one_line(cell.words), width) for cell, width in zip(row, widths, strict=True)]
            for words in zip_longest(*parts, fillvalue=""):
                placed = [
                    self._styled(_padded(word, width, right=at >= cells.names), style)
                    for at, (word, width, style) in enumerate(zip(words, widths, styles, strict=True))
                ]
                self._lines.append((" " * _GAP).join(placed).rstrip())

    def _styled(self, text: str, style: str) -> str:
        if not (style and self.has_colour):
            return text
        return f"\x1b[{';'.join(_CODES[word] for word in style.split())}m{text}\x1b[0m"


def _style_of(cell: Cell, usual: str) -> str:
    if cell.best:
        return "bold green"
    return "dim" if cell.is_missing else usual


def _padded(text: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - cells_of(text))
    return blanks + text if right else text + blanks


def cells_of(text: str) -> int:
    """The width of a text on a screen.

    >>> cells_of("tea"), cells_of("茶")
    (3, 2)
    """
    if text.isascii():
        return len(text)
    marks = (unicodedata.combining(sign) or unicodedata.category(sign) in {"Mn", "Me", "Cf"} for sign in text)
    wide = (1 + (unicodedata.east_asian_width(sign) in {"W", "F"}) for sign in text)
    return sum(0 if mark else size for mark, size in zip(marks, wide, strict=True))


def wrapped(text: str, width: int) -> list[str]:
    """Lines that fit; words break where they are longer than a line."""
    if cells_of(text) <= width:
        return [text]
    lines = textwrap.wrap(text, width, break_on_hyphens=False) or [""]
    return [part for line in lines for part in _cut(line, width)]


def _cut(line: str, width: int) -> Iterator[str]:
    """A line in pieces, where its signs are wider than one each."""
    while cells_of(line) > width:
        most = next(at for at in range(len(line), 0, -1) if cells_of(line[:at]) <= width or at == 1)
        yield line[:most]
        line = line[most:]
    yield line


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
    screen = Screen()
    show(document, screen, longest=screen.width)
    return screen.text.removesuffix("\n")


def show(document: Document, to: Screen, longest: int = _LONGEST_LINE) -> None:
    """Print to a console: sections and tables apart by a blank line, lines of prose close together.

    Paragraphs are set no wider than `longest`.
    """
    parts = [part for section in document.sections for part in _flat(section)]
    before: Part | Grid | None = None
    for part in _pieces(parts, to.width):
        if before is not None and not _are_close(before, part):
            to.line()
        _show(part, to, longest)
        before = part


def _pieces(parts: Iterable[Part], width: int) -> Iterator[Part | Grid]:
    """Pieces to print at a time: tables that are turned stand on the same columns, as long as these fit."""
    for turned, group in groupby(parts, lambda part: isinstance(part, Table) and part.turned):
        together = tuple(group)
        joined = _joined([part for part in together if isinstance(part, Table)]) if turned else None
        yield from (joined,) if joined is not None and _turned(joined, width) else together


def _joined(tables: Sequence[Table]) -> Grid:
    first, *others = (grid(table).turned() for table in tables)
    empty = (Cell(""),) * len(first.columns)
    rows = [row for each in others for row in (empty, *each.rows)]
    return first._replace(rows=(*first.rows, *rows), bright=len(first.rows))


def _turned(cells: Grid, width: int) -> list[int]:
    """The widths of a turned table, its names folded on a terminal if need be; nothing where it is too wide."""
    names, *others = _whole(cells)
    room = min(width, _LONGEST_TURNED) - sum(others) - _GAP * len(others)
    least = names if width == _PIPED_WIDTH else min(names, _NAME)
    return [min(names, room), *others] if room >= least else []


def _flat(section: Section) -> Iterator[Part]:
    """The printed parts of a section: its title, and its parts; stand-ins for widgets."""
    if section.title:
        yield Prose(section.title, "lead")
    if section.lead:
        yield Prose(section.lead, "dim")
    for part in section.still():
        if isinstance(part, Section):
            yield from _flat(part)
        elif isinstance(part, Table | Prose | Verdict | Task):
            yield part


def _are_close(before: Part | Grid, part: Part | Grid) -> bool:
    """True if no blank line stands between: below a title, and between lines of prose, of a list, or tasks."""
    if isinstance(before, Task) or isinstance(part, Task):
        return type(before) is type(part) or isinstance(before, Prose)
    if not isinstance(before, Prose) or before.style == "lead":
        return isinstance(before, Prose)
    kinds = {"dim": "plain", "fine": "plain", "plain": "plain", "list": "list"}
    return isinstance(part, Prose) and part.style in kinds and kinds.get(before.style) == kinds[part.style]


def _show(part: Part | Grid, to: Screen, longest: int) -> None:
    is_set = isinstance(part, Verdict) or (isinstance(part, Prose) and part.style in _SET)
    width = min(to.width, longest) if to.is_terminal or is_set else to.width
    if isinstance(part, Table):
        show_table(part, to)
    elif isinstance(part, Grid):
        to.table(part, _turned(part, to.width))
    elif isinstance(part, Verdict):
        to.line(part.text, _TONES[part.tone], width)
    elif isinstance(part, Task):
        _show_task(part, to)
    elif isinstance(part, Prose):
        style = {"lead": "bold", "dim": "dim", "fine": "dim", "claim": "bold"}.get(part.style, "")
        if part.title:
            to.line(part.title, "bold")
        for line in part.lines:
            to.line(f"* {line}" if part.style == "list" else line, style, width)


def _show_task(task: Task, to: Screen) -> None:
    """Its head, and below it what it rests on and what to do; ids are never cut: whoever copies one wants it whole."""
    lines = [
        (f"  {_MARKS[task.tone]} {task.head}", _TONES[task.tone]),
        *((f"    {line}", "") for line in task.evidence),
    ]
    for line, style in lines:
        start = " " * (len(line) - len(line.lstrip()))
        wrapped = textwrap.wrap(
            line, min(to.width, _LONGEST_TASK), subsequent_indent=f"{start}  ", break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
        for text in wrapped:
            to.line(text, style, len(text) + _PIPED_WIDTH)


def show_table(table: Table, to: Screen) -> None:
    """Print a table, in several pieces if it is too wide: names then take several lines, numbers stay whole."""
    table = table.at_most()
    cells = grid(table, brief=to.width < _WIDE)
    if table.caption:
        to.line(table.caption, "bold")
    widths = _whole(cells)
    if sum(widths) + _GAP * len(widths) > to.width:
        widths, cells = _folded(cells, to.width), _shortened(cells)
    for block, columns in _blocks(cells, widths, to.width):
        to.table(block, columns)
    for note in table.notes:
        to.line(note, "dim")


def _widths(cells: Grid) -> tuple[list[int], list[int]]:
    """Widths of the head of each column, and of its cells."""
    heads = [cells_of(on_one_line(column.head)) for column in cells.columns]
    return heads, [max((cells_of(row[at].words) for row in cells.rows), default=0) for at in range(len(heads))]


def _whole(cells: Grid) -> list[int]:
    """Widths of the columns if nothing is folded."""
    return [max(pair) for pair in zip(*_widths(cells), strict=True)]


def _folded(cells: Grid, width: int) -> list[int]:
    """Widths of the columns where there is too little room: names and heads are folded, numbers stay whole."""
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
