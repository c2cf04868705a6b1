"""The values of a table as people read them: one cell each, the same words in every form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
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
    span,
)
from assay.core.words import Tone, tone_of
from assay.show.legible import on_one_line
from assay.show.model import NAMES, Column, Table

_FLAGS = {True: "yes", False: "no"}
_PLAIN: dict[str, Callable[[Any], str]] = {
    "count": counted, "short": short, "chosen": "{:g}".format, "p": p_value, "flag": _FLAGS.__getitem__,
}  # fmt: skip


class Cell(NamedTuple):
    """What stands in a cell: its words, and what they are made of, for who can draw.

    `text` is the value, `also` what stands behind it; `best`: it stands out. `value`, `low` and `high` are numbers;
    NaN where there are none.
    """

    text: str
    also: str = ""
    best: bool = False
    tone: Tone | None = None
    link: str = ""
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan

    @property
    def words(self) -> str:
        """All that it says."""
        return self.text + self.also

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


def grid(table: Table, *, brief: bool = False) -> Grid:
    """All cells of a table; `brief` leaves columns out that can be spared.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"system": ["a", "b"], "AP": [0.25, None], "p": [0.04, 1e-9]})
    >>> shown = Table("scores", frame, (Column("system"), Column("AP", kind="number"), Column("p", kind="p")))
    >>> [[cell.text for cell in row] for row in grid(shown).rows]
    [['a', '0.2500', '0.0400'], ['b', 'NA', '< 0.0001']]
    """
    columns = tuple(column for column in table.columns if not (brief and column.spare))
    together: dict[str, list[Column]] = {}
    for column in columns:
        if column.compared not in {"", "column"}:
            together.setdefault(column.compared, []).append(column)
    beside = {word: _side_by_side(table, group) for word, group in together.items()}
    cells = []
    for column in columns:
        texts = beside[column.compared][column.name] if column.compared in beside else _texts(table, column)
        cells.append(_column(table, column, texts))
    names = next((place for place, column in enumerate(columns) if column.kind not in NAMES), len(columns))
    rows = tuple(zip(*cells, strict=True)) if cells else ()
    return Grid(columns, names, rows)


def _values(table: Table, name: str) -> list[Any]:
    return table.frame[name].to_list()


def _floats(table: Table, name: str) -> list[float]:
    return [math.nan if value is None else float(value) for value in _values(table, name)]


def _side_by_side(table: Table, columns: Sequence[Column]) -> dict[str, list[str]]:
    """Numbers that are compared within their row."""
    rows = zip(*(_floats(table, column.name) for column in columns), strict=True)
    least = 4 if columns[0].least is None else columns[0].least
    texts = list(zip(*(numbers(row, least) for row in rows), strict=True))
    return {column.name: list(text) for column, text in zip(columns, texts or [()] * len(columns), strict=True)}


def _texts(table: Table, column: Column) -> list[str]:
    """The words of a column, cell by cell."""
    if column.ends is not None and column.kind in {"interval", "estimate", "range"}:
        ends = [_floats(table, end) for end in column.ends]
        if column.kind == "interval":
            reach = signed_span if column.signed else span
            return [reach(low, high) for low, high in zip(*ends, strict=True)]
        values = _floats(table, column.name)
        return _ranges(column, values, *ends) if column.kind == "range" else _estimates(column, values, *ends)
    if column.kind in {"number", "percent", "bar"}:
        return _numbers(column, _floats(table, column.name))
    shown = _PLAIN.get(column.kind, str)
    return [column.missing if _is_missing(value) else shown(value) for value in _values(table, column.name)]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _estimates(column: Column, values: list[float], lows: list[float], highs: list[float]) -> list[str]:
    least = 3 if column.least is None else column.least
    places = decimals(values, least) if column.compared else least
    return [
        number(value, places) + ("" if math.isnan(low) else f" {bracketed(low, high, 3)}")
        for value, low, high in zip(values, lows, highs, strict=True)
    ]


def _ranges(column: Column, values: list[float], lows: list[float], highs: list[float]) -> list[str]:
    def shown(value: float) -> str:
        if column.least == 0:
            return counted(round(value)) if math.isfinite(value) else NOT_AVAILABLE
        return number(value, 4 if column.least is None else column.least)

    return [
        NOT_AVAILABLE if math.isnan(value) else f"{shown(value)} ({shown(low)} to {shown(high)})"
        for value, low, high in zip(values, lows, highs, strict=True)
    ]


def _numbers(column: Column, values: list[float]) -> list[str]:
    if column.kind == "number":
        least = 4 if column.least is None else column.least
        places = decimals(values, least) if column.compared else least
        texts = [number(value, places) for value in values]
    else:
        least = 1 if column.least is None else column.least
        each = [as_percents([value], least)[0] for value in values]
        texts = as_percents(values, least) if column.compared else each
    if not column.signed:
        return texts
    both = zip(texts, values, strict=True)
    return [f"+{text}" if value > 0 and float(text.strip("%")) else text for text, value in both]


def _column(table: Table, column: Column, texts: Iterable[str]) -> list[Cell]:
    """The cells of a column, with what is known of each beyond its words."""
    height = table.frame.height
    numeric = column.kind not in {*NAMES, "verdict", "flag"} and column.name in table.frame.columns
    values = _floats(table, column.name) if numeric else [math.nan] * height
    lows, highs = ([math.nan] * height,) * 2 if column.ends is None else (_floats(table, end) for end in column.ends)
    also = _values(table, column.also) if column.also else [""] * height
    links = _values(table, column.link) if column.link else [""] * height
    top = _best(values, column.best)
    marked = _values(table, column.marked) if column.marked else [value == top for value in values]
    return [
        Cell(
            column.missing if text == NOT_AVAILABLE else on_one_line(text),
            on_one_line(behind or ""),
            bool(is_best),
            tone_of(text) if column.kind == "verdict" else None,
            link or "",
            value,
            low,
            high,
        )
        for text, behind, is_best, link, value, low, high in zip(
            texts, also, marked, links, values, lows, highs, strict=True
        )
    ]


def _best(values: Sequence[float], which: str | None) -> float | None:
    """The value that stands out: the best of those that are known, if they are not all the same."""
    known = [value for value in values if not math.isnan(value)]
    if which is None or len(set(known)) < 2:
        return None
    return max(known) if which == "high" else min(known)
