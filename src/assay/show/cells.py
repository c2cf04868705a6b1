"""The values of a table as people read them: one cell each, the same words in every form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from assay.core.digits import (
    NOT_AVAILABLE,
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
from assay.show.model import NAMES, Column, Table

_FLAGS = {True: "yes", False: "no"}
_PLAIN: dict[str, Callable[[Any], str]] = {
    "count": counted, "short": short, "chosen": "{:g}".format, "p": p_value, "flag": _FLAGS.__getitem__,
    "significant": partial(significant, digits=4),
}  # fmt: skip


class Cell(NamedTuple):
    """What stands in a cell: its words, and what they are made of, for who can draw.

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
    def is_missing(self) -> bool:
        """Whether there is no value."""
        return self.text == NOT_AVAILABLE


class Grid(NamedTuple):
    """A table's columns and its cells, row by row; `names`: how many columns are names, which stand to the left."""

    columns: tuple[Column, ...]
    names: int
    rows: tuple[tuple[Cell, ...], ...]

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
    together: dict[str, list[Column]] = {}
    for column in columns:
        if column.compared not in {"", "column"}:
            together.setdefault(column.compared, []).append(column)
    beside = {word: _side_by_side(table, group) for word, group in together.items()}
    cells = []
    for column in columns:
        is_beside = column.compared in beside and column.kind in {"number", "estimate"}
        texts = beside[column.compared][column.name] if is_beside else _texts(table, column)
        cells.append(_column(table, column, texts))
    names = next((place for place, column in enumerate(columns) if column.kind not in NAMES), len(columns))
    if table.marked and cells:
        marked = zip(cells[0], _values(table, table.marked), strict=True)
        cells[0] = [cell._replace(also=" (baseline)") if is_marked else cell for cell, is_marked in marked]
    rows = tuple(zip(*cells, strict=True)) if cells else ()
    foot = (tuple(Cell(table.foot.get(column.name, "")) for column in columns),) if table.foot else ()
    return Grid(columns, names, (*rows, *foot))


def _values(table: Table, name: str) -> list[Any]:
    return table.frame[name].to_list()


def _floats(table: Table, name: str) -> list[float]:
    return [math.nan if value is None else float(value) for value in _values(table, name)]


def _side_by_side(table: Table, columns: Sequence[Column]) -> dict[str, list[str]]:
    """Numbers, or estimates, that are compared within their row."""
    values = [_floats(table, column.name) for column in columns]
    rows = list(zip(*values, strict=True))
    if columns[0].kind == "estimate":
        places = [decimals(row, _least(columns[0], 3)) for row in rows]
        return {column.name: _estimates(own, places) for column, own in zip(columns, values, strict=True)}
    texts = list(zip(*(numbers(row, _least(columns[0], 4)) for row in rows), strict=True))
    each = zip(columns, texts or [()] * len(columns), values, strict=True)
    return {column.name: _with_sign(column, list(text), own) for column, text, own in each}


def _texts(table: Table, column: Column) -> list[str]:
    """The words of a column, cell by cell."""
    if column.kind == "estimate":
        values, least = _floats(table, column.name), _least(column, 3)
        return _estimates(values, [decimals(values, least) if column.compared else least] * len(values))
    if column.kind == "range":
        return _ranges(column, _floats(table, column.name), *_ends(table, column))
    if column.kind in {"interval", "bracketed"}:
        reach = _in_brackets if column.kind == "bracketed" else signed_span if column.signed else span
        return list(map(reach, *_ends(table, column)))
    if column.kind in {"number", "percent", "bar", "drawn"}:
        return _numbers(column, _floats(table, column.name))
    shown = _PLAIN.get(column.kind, str)
    return [
        column.missing if _is_missing(value) else f"+{shown(value)}" if column.signed and value > 0 else shown(value)
        for value in _values(table, column.name)
    ]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _least(column: Column, usual: int) -> int:
    return usual if column.least is None else column.least


def _ends(table: Table, column: Column) -> list[list[float]]:
    """Both ends of a column's intervals, NaN where there is none."""
    return [_floats(table, end) for end in column.ends or ()]


def _in_brackets(low: float, high: float) -> str:
    return NOT_AVAILABLE if math.isnan(low) else bracketed(low, high)


def _estimates(values: Iterable[float], places: Iterable[int]) -> list[str]:
    """Numbers, each with so many decimals; their intervals stand behind them."""
    return [number(value, digits) for value, digits in zip(values, places, strict=True)]


def _ranges(column: Column, values: list[float], lows: list[float], highs: list[float]) -> list[str]:
    def shown(value: float) -> str:
        if column.least == 0:
            return counted(round(value)) if math.isfinite(value) else NOT_AVAILABLE
        return number(value, _least(column, 4))

    return [
        NOT_AVAILABLE if math.isnan(value) else f"{shown(value)} ({shown(low)} to {shown(high)})"
        for value, low, high in zip(values, lows, highs, strict=True)
    ]


def _numbers(column: Column, values: list[float]) -> list[str]:
    if column.kind in {"number", "drawn"}:
        least = _least(column, 4)
        places = decimals(values, least) if column.compared else least
        texts = [number(value, places) for value in values]
    else:
        least = _least(column, 1)
        each = [as_percents([value], least)[0] for value in values]
        texts = as_percents(values, least) if column.compared else each
    return _with_sign(column, texts, values)


def _with_sign(column: Column, texts: list[str], values: list[float]) -> list[str]:
    if not column.signed:
        return texts
    both = zip(texts, values, strict=True)
    return [f"+{text}" if 0 < value < math.inf and float(text.strip("%")) else text for text, value in both]


def _column(table: Table, column: Column, texts: Iterable[str]) -> list[Cell]:
    """The cells of a column, with what is known of each beyond its words."""
    height = table.frame.height
    numeric = column.kind not in {*NAMES, "words", "verdict", "flag"} and column.name in table.frame.columns
    values = _floats(table, column.name) if numeric else [math.nan] * height
    lows, highs = _ends(table, column) or ([math.nan] * height,) * 2
    reaches = _reaches(lows, highs) if column.kind == "estimate" else [""] * height
    also = _behind(table, column.also) if column.also else [""] * height
    links, words, hints = (
        _values(table, name) if name else [""] * height for name in (column.link, column.mark, column.hint)
    )
    grounds = _floats(table, column.ground) if column.ground else [math.nan] * height
    top, out = best(values, column.best), set() if column.kind in {"interval", "bracketed"} else table.best
    marked = _values(table, column.marked) if column.marked else [top is not None and value == top for value in values]
    return [
        Cell(
            column.missing if text == NOT_AVAILABLE else on_one_line(text),
            reach,
            MARKS.get(word or "", ""),
            hint or "",
            on_one_line(behind or ""),
            bool(is_best) or (row, column.name) in out,
            tone_of(text if column.kind == "verdict" else word) if column.kind == "verdict" or word in MARKS else None,
            link or "",
            value,
            low,
            high,
            ground,
        )
        for row, (text, reach, word, hint, behind, is_best, link, value, low, high, ground) in enumerate(
            zip(texts, reaches, words, hints, also, marked, links, values, lows, highs, grounds, strict=True)
        )
    ]


def _reaches(lows: Iterable[float], highs: Iterable[float]) -> list[str]:
    """Intervals in brackets, behind a number."""
    ends = zip(lows, highs, strict=True)
    return ["" if math.isnan(low) else f" {bracketed(low, high, 3)}" for low, high in ends]


def _behind(table: Table, name: str) -> list[str]:
    """What stands behind values: words as they are, numbers after a sign that each way is meant."""
    if not table.frame[name].dtype.is_numeric():
        return _values(table, name)
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
