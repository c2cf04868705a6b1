"""Extracted spans as tables: counts and measures per type, the misses and the false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from assay.core.digits import as_level, bracketed
from assay.report.layout import Cell, Table
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.extraction import Extraction

_ENDS = ("_low", "_high")
_TITLES = {"misses": "Misses", "false_alarms": "False alarms"}


def tables(result: Extraction) -> list[Titled]:
    """The numbers, their intervals, then the lists that were asked for."""
    frame = result.to_frame()
    ends = [name for name in frame.columns if name.endswith(_ENDS)]
    shown = [Titled("", _numbers(frame.drop(ends)))]
    if any(frame[name].is_not_null().any() for name in ends):
        shown.append(Titled(f"{as_level(result.confidence)} intervals", _intervals(frame.select("type", *ends))))
    return [*shown, *(_listed(result, name) for name in result.shown)]


def _intervals(frame: pl.DataFrame) -> Table:
    """The intervals of the numbers, a row each; a dash where there is none."""
    measures = [name.removesuffix(_ENDS[0]) for name in frame.columns if name.endswith(_ENDS[0])]
    rows = []
    for row in frame.iter_rows(named=True):
        both = [[row[f"{measure}{end}"] for end in _ENDS] for measure in measures]
        cells = tuple(Cell("–" if low is None else bracketed(low, high)) for low, high in both)
        rows.append(((row["type"],), cells))
    return Table(("type",), tuple(measures), tuple(rows))


def _numbers(frame: pl.DataFrame) -> Table:
    table = Table.of(frame)
    # A measure without a value has a dash; the mean of types has no counts, and so nothing there.
    counts = ("true", "predicted", "TP", "FP", "FN")
    blank = frozenset(table.numbers.index(name) for name in counts)
    *rows, (names, cells) = table.rows
    mean = tuple(Cell("") if place in blank else cell for place, cell in enumerate(cells))
    return Table(table.names, table.numbers, (*rows, (names, mean)))


def _listed(result: Extraction, name: str) -> Titled:
    frame: pl.DataFrame = getattr(result, name)
    columns = [column for column in ("document", "type", "text", "start", "end", "line") if column in frame.columns]
    kept = [column for column in columns if column in {"document", "type"} or frame[column].null_count() < frame.height]
    title = f"{_TITLES[name]} ({frame.height:,})"
    return Titled(title, Table.of(frame.select(kept)))
