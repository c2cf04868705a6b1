"""Extracted spans as tables: counts and measures per type, the misses and the false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from assay.report.layout import Cell, Table
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.extraction import Extraction

_TITLES = {"misses": "Misses", "false_alarms": "False alarms"}


def tables(result: Extraction) -> list[Titled]:
    """The numbers, then the lists that were asked for."""
    return [Titled("", _numbers(result.to_frame())), *(_listed(result, name) for name in result.shown)]


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
