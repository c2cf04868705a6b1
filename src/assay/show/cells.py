"""The values of a table as people read them: one cell each, the same words in every form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from assay.core.digits import (
    NOT_AVAILABLE,
    as_percent,
    as_percents,
    bracketed,
    counted,
    decimals,
    number,
    numbers,
    p_value,
    short,
    signed_span,
    significant,
    span,
)
from assay.core.words import MARKS, Tone, tone_of
from assay.show.legible import on_one_line
from assay.show.model import NAMES, Column, Kind, Table

#: From a table and one of its columns to the words of each row.
Wording: TypeAlias = Callable[[Table, Column], list[str]]


class Cell(NamedTuple):
    """A cell: its words, and the values behind them, for writers that draw.

    `text` is the value, `reach` its interval, `also` what stands behind them; `best`: it stands out. `mark` is that of
    a verdict, `hint` what it means. `value`, `low`, `high` and `ground`, which it is compared with, are numbers; NaN
    where there are none.
    """

    text: str
    reach: str = ""
    mark: str = ""
    hint: str = ""
    also: str = ""
    best: bool = False
    tone: Tone | None = None
    link: str = ""
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    ground: float = math.nan

    @property
    def words(self) -> str:
        """All that it says."""
        return f"{self.text}{self.reach}{' ' if self.mark else ''}{self.mark}{self.also}"

    @property
    def is_plain(self) -> bool:
        """True if it is nothing but words."""
        return not (self.mark or self.tone or self.link or self.best)

    @property
    def is_missing(self) -> bool:
        """True if there is no value."""
        return self.text == NOT_AVAILABLE


class Grid(NamedTuple):
    """A table's columns and its cells, row by row; `names`: how many columns are names, which stand to the left."""

    columns: tuple[Column, ...]
    names: int
    rows: tuple[tuple[Cell, ...], ...]
    #: Of rows of several tables, those of the first; the others are dim.
    bright: int | None = None

    def turned(self) -> Grid:
        """The same with rows as columns: only tables with one column of names are turned."""
        heads = tuple(Column(row[0].words, kind="number") for row in self.rows)
        down = zip(self.columns[1:], zip(*(row[1:] for row in self.rows), strict=True), strict=True)
        rows = tuple((Cell(column.head), *cells) for column, cells in down)
        return Grid((Column("", ""), *heads), 1, rows)


def grid(table: Table, *, brief: bool = False, drawn: bool = False) -> Grid:
    """All cells of a table; `brief` leaves columns out that can be spared. `drawn`: what is nothing but drawn is there.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"system": ["a", "b"], "AP": [0.25, None], "p": [0.04, 1e-9]})
    >>> shown = Table("scores", frame, (Column("system"), Column("AP", kind="number"), Column("p", kind="p")))
    >>> [[cell.text for cell in row] for row in grid(shown).rows]
    [['a', '0.2500', '0.0400'], ['b', 'NA', '< 0.0001']]
    >>> columns = (Column("k"), Column("mean", kind="number", also="sd"), Column("moved", kind="chosen", signed=True))
    >>> frame = pl.DataFrame({"k": [2], "mean": [0.5], "sd": [0.25], "moved": [3]})
    >>> [[cell.words for cell in row] for row in grid(Table("t", frame, columns, foot={"k": "all", "mean": "1"})).rows]
    [['2', '0.5000 ± 0.2500', '+3'], ['all', '1', '']]

    What is compared with something that was chosen has decimals until it differs from that:

    >>> kinds = {"at_worst": "number", "allowed": "chosen"}
    >>> columns = tuple(Column(name, kind=kind, signed=True, compared="margin") for name, kind in kinds.items())
    >>> bounds = Table("bounds", pl.DataFrame({"at_worst": [-0.01001], "allowed": [-0.01]}), columns)
    >>> [cell.text for cell in grid(bounds).rows[0]]
    ['-0.01001', '-0.01']
    """
    columns = tuple(
        column for column in table.columns if not (brief and column.spare) and (drawn or column.kind != "drawn")
    )
    groups = {column.compared for column in columns} - {"", "column"}
    beside = {group: _side_by_side(table, [each for each in columns if each.compared == group]) for group in groups}
    cells = []
    for column in columns:
        is_beside = column.compared in beside and column.kind in {"number", "estimate"}
        texts = beside[column.compared][column.name] if is_beside else WORDINGS[column.kind](table, column)
        cells.append(_cells(table, column, texts))
    names = next((place for place, column in enumerate(columns) if column.kind not in NAMES), len(columns))
    if table.marked and cells:
        marked = zip(cells[0], table.frame[table.marked], strict=True)
        cells[0] = [cell._replace(also=" (baseline)") if is_marked else cell for cell, is_marked in marked]
    rows = tuple(zip(*cells, strict=True)) if cells else ()
    foot = (tuple(Cell(table.foot.get(column.name, "")) for column in columns),) if table.foot else ()
    return Grid(columns, names, (*rows, *foot))


def _floats(table: Table, name: str) -> list[float]:
    return [math.nan if value is None else float(value) for value in table.frame[name].to_list()]


def _ends(table: Table, column: Column) -> tuple[list[float], list[float]]:
    """Both ends of a column's intervals, NaN where there is none."""
    low, high = column.ends or ("", "")
    nothing = [math.nan] * table.frame.height
    return (_floats(table, low), _floats(table, high)) if low else (nothing, nothing)


def _least(column: Column, usual: int) -> int:
    return usual if column.least is None else column.least


def _with_sign(column: Column, texts: Iterable[str], values: Iterable[float]) -> list[str]:
    both = zip(texts, values, strict=True)
    return [
        f"+{text}" if column.signed and 0 < value < math.inf and float(text.strip("%")) else text
        for text, value in both
    ]


def _each(word: Callable[[Any], str]) -> Wording:
    """Values one by one, whatever stands in the other rows."""

    def texts(table: Table, column: Column) -> list[str]:
        sign = "+" if column.signed else ""
        return [
            column.missing
            if value is None or (isinstance(value, float) and math.isnan(value))
            else f"{sign if sign and value > 0 else ''}{word(value)}"
            for value in table.frame[column.name].to_list()
        ]

    return texts


def _numbers(table: Table, column: Column, usual: int = 4) -> list[str]:
    values = _floats(table, column.name)
    least = _least(column, usual)
    places = decimals(values, least) if column.compared else least
    return _with_sign(column, [number(value, places) for value in values], values)


def _side_by_side(table: Table, columns: Sequence[Column]) -> dict[str, list[str]]:
    """Numbers, or estimates, that are compared within their row."""
    is_estimate = columns[0].kind == "estimate"
    values = [_floats(table, column.name) for column in columns]
    least = _least(columns[0], 3 if is_estimate else 4)
    texts = []
    for row in zip(*values, strict=True):
        places = decimals(row, least) if is_estimate else 0
        texts.append([number(value, places) for value in row] if is_estimate else numbers(row, least))
    down = list(zip(*texts, strict=True)) or [()] * len(columns)
    return {column.name: _with_sign(column, *each) for column, *each in zip(columns, down, values, strict=True)}


def _shares(table: Table, column: Column) -> list[str]:
    values = _floats(table, column.name)
    least = _least(column, 1)
    texts = as_percents(values, least) if column.compared else [as_percent(value, least) for value in values]
    return _with_sign(column, texts, values)


def _intervals(table: Table, column: Column) -> list[str]:
    return list(map(signed_span if column.signed else span, *_ends(table, column)))


def _brackets(table: Table, column: Column) -> list[str]:
    both = zip(*_ends(table, column), strict=True)
    return [NOT_AVAILABLE if math.isnan(low) else bracketed(low, high) for low, high in both]


def _ranges(table: Table, column: Column) -> list[str]:
    def text(value: float) -> str:
        if column.least == 0:
            return counted(round(value)) if math.isfinite(value) else NOT_AVAILABLE
        return number(value, _least(column, 4))

    rows = zip(_floats(table, column.name), *_ends(table, column), strict=True)
    return [
        NOT_AVAILABLE if math.isnan(value) else f"{text(value)} ({text(low)} to {text(high)})"
        for value, low, high in rows
    ]


#: How the values of a column are worded, by its kind.
WORDINGS: dict[Kind, Wording] = {
    "text": _each(str), "words": _each(str), "link": _each(str), "code": _each(str), "verdict": _each(str),
    "count": _each(counted), "short": _each(short), "chosen": _each("{:g}".format), "p": _each(p_value),
    "flag": _each({True: "yes", False: "no"}.__getitem__), "significant": _each(partial(significant, digits=4)),
    "number": _numbers, "drawn": _numbers, "estimate": partial(_numbers, usual=3), "percent": _shares, "bar": _shares,
    "interval": _intervals, "bracketed": _brackets, "range": _ranges,
}  # fmt: skip
#: Kinds whose values are no numbers.
_WORDS = {*NAMES, "words", "verdict", "flag"}


def _cells(table: Table, column: Column, texts: list[str]) -> list[Cell]:
    """The cells of a column, with what is known of each beyond its words."""

    def beside(name: str, otherwise: Any = "") -> list[Any]:
        return table.frame[name].to_list() if name else [otherwise] * table.frame.height

    is_number = column.kind not in _WORDS and column.name in table.frame.columns
    values = _floats(table, column.name) if is_number else beside("", math.nan)
    ends = _ends(table, column)
    verdicts = beside(column.mark)
    reaches = beside("")
    if column.kind == "estimate":  # intervals in brackets, behind a number
        both = zip(*ends, strict=True)
        reaches = ["" if math.isnan(low) else f" {bracketed(low, high, 3)}" for low, high in both]
    top = best(values, column.best)
    is_best = beside(column.marked) if column.marked else [top is not None and value == top for value in values]
    outstanding = set() if column.kind in {"interval", "bracketed"} else table.best
    tones = [tone_of(word) if word in MARKS else None for word in verdicts]
    cells = map(
        Cell,
        [column.missing if text == NOT_AVAILABLE else on_one_line(text) for text in texts],
        reaches,
        [MARKS.get(word or "", "") for word in verdicts],
        [hint or "" for hint in beside(column.hint)],
        [on_one_line(words or "") for words in _behind(table, column.also)],
        [bool(is_best) or (row, column.name) in outstanding for row, is_best in enumerate(is_best)],
        [tone_of(text) for text in texts] if column.kind == "verdict" else tones,
        [link or "" for link in beside(column.link)],
        values,
        *ends,
        _floats(table, column.ground) if column.ground else beside("", math.nan),
    )
    return list(cells)


def _behind(table: Table, name: str) -> list[str]:
    """The values behind words: words as they are, numbers after a sign that each way is meant."""
    if not name:
        return [""] * table.frame.height
    if not table.frame[name].dtype.is_numeric():
        return table.frame[name].to_list()
    return ["" if math.isnan(value) else f" ± {number(value)}" for value in _floats(table, name)]


def best(values: Iterable[float], which: str | None) -> float | None:
    """The value that stands out: the best of those that are known, if they are not all the same.

    >>> best([0.2, 0.7, math.nan], "high"), best([0.7, 0.7], "high")
    (0.7, None)
    """
    known = [value for value in values if not math.isnan(value)]
    if which is None or len(set(known)) < 2:
        return None
    return max(known) if which == "high" else min(known)
