"""Counts of two kinds of labels as a map: shaded cells, four ways to read their numbers, and the items behind each.

A page needs no script for it: what the cells show is chosen by radio buttons that the style reads, and a cell is a link
to its items, which the style shows as long as they are what the address points at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_level, as_percent, counted, percent_span
from assay.core.errors import number_of
from assay.sections.matrices import counts_table
from assay.show.drawings import Reach
from assay.show.model import Column, Section, Table, Widget
from assay.stats.proportions import wilson

#: Of more columns than these the names are turned, and items stand below the map.
_MANY_LABELS = 8
#: Of names that are longer than this together, items stand below the map, too.
_LONG_NAMES, _LONGEST_LINE = 48, 16
#: So many items stand behind a cell, and behind all cells of a map together.
MOST_ITEMS, MOST_ITEMS_IN_ALL = 25, 600
#: Shades from none to full.
_SHADES = 10


class Sides(NamedTuple):
    """What the rows and columns of a map are, in words; `{}` stands for a label.

    `keys` are their names in JSON, and in the table that stands for the map. `right` and `wrong` say what a cell holds,
    of `items` with a `row` and a `column`; `axes` and `colours` are sentences on the whole map.
    """

    keys: tuple[str, str]
    corner: str
    ways: tuple[str, str]
    of_row: str
    of_column: str
    right: str
    wrong: str
    axes: str
    colours: str
    back: str


class HeatCell(NamedTuple):
    """A cell: its number, the shares of its row, its column and all that it is, and the first of its items, if known.

    `shades` are those of the first three ways to read it. `headline` and `facts` say the same in words.
    """

    number: float
    shares: tuple[Reach, ...]
    shades: tuple[int, ...]
    is_right: bool
    headline: str
    facts: tuple[str, ...]
    items: Table | None
    shown: str

    @property
    def texts(self) -> tuple[str, ...]:
        """The number in all four ways."""
        shares = ("–" if math.isnan(share.value) else as_percent(share.value) for share in self.shares)
        return counted(self.number), *shares


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A map of counts, or of weights; `name` must be unlike all others of the document.

    `sums` of rows, of columns and of all are what shares are of: they may hold more than is shown, and `left_out` says
    so. `is_right` marks the cells to be green. `confidence`: shares have intervals at this level; None: they have none.
    `items` are the first ones of a cell, by its row and column, of `all_items`; `shown` the columns of their tables.
    """

    name: str
    caption: str
    sides: Sides
    rows: Sequence[str]
    columns: Sequence[str]
    counts: np.ndarray
    sums: tuple[np.ndarray, np.ndarray, float]
    is_right: np.ndarray
    confidence: float | None = None
    items: Mapping[tuple[int, int], pl.DataFrame] = field(default_factory=dict)
    all_items: Mapping[tuple[int, int], int] = field(default_factory=dict)
    shown: tuple[Column, ...] = ()
    order: str = "in the order of the file"
    left_out: str = ""

    def section(self, title: str = "", aside: str = "") -> Section:
        """The map as a part of a section, which can be folded if it has a title; JSON has its `cells`, too."""
        return Section(
            self.name, title, (Widget("heat", self, (self._table(),)),), aside=aside,
            data={"system": title, "cells": [self._payload(*place) for place in np.ndindex(self.counts.shape)]},
        )  # fmt: skip

    def with_items(
        self,
        labels: tuple[pl.Series, pl.Series],
        shown: tuple[Sequence[Any], Sequence[Any]],
        listed: Callable[[tuple[int, int], list[int]], pl.DataFrame],
        columns: tuple[Column, ...],
        sure: pl.Series | None = None,
    ) -> HeatMap:
        """The same with the first items of each cell: the surest ones, else as they come.

        `labels` of all items, in rows and in columns; `shown` are those of the map. `listed` makes a table of items at
        some places, of a cell.
        """
        rows, places = (_places(*each) for each in zip(labels, shown, strict=True))
        frame = pl.DataFrame({"row": rows, "column": places}).with_row_index("at")
        if sure is not None:
            frame = frame.with_columns(sure=sure)
            frame = frame.sort("sure", descending=True, nulls_last=True, maintain_order=True).drop("sure")
        known = frame.drop_nulls().group_by("row", "column", maintain_order=True)
        cells = known.agg(pl.col("at").head(MOST_ITEMS), pl.len())
        most = max(1, min(MOST_ITEMS, MOST_ITEMS_IN_ALL // max(1, cells.height)))
        return replace(
            self,
            items={(row, column): listed((row, column), at[:most]) for row, column, at, _ in cells.iter_rows()},
            all_items={(row, column): count for row, column, _, count in cells.iter_rows()},
            shown=columns,
            order=self.order if sure is None else "the surest predictions first",
        )

    @property
    def ways(self) -> tuple[tuple[str, str], ...]:
        """The ways to read the cells: the value of a radio button, and what it is called."""
        of_row, of_column = self.sides.ways
        return ("count", "Counts"), ("truth", of_row), ("predicted", of_column), ("all", "Share of all items")

    @property
    def every(self) -> str:
        """What the sums in the margins are of."""
        return "shown" if self.left_out else "all"

    @property
    def margins(self) -> tuple[list[str], list[str]]:
        """The sums of what is shown: of the rows; of the columns, and of all."""
        rows, columns = (list(map(counted, self.counts.sum(axis=axis).tolist())) for axis in (1, 0))
        return rows, [*columns, counted(float(self.counts.sum()))]

    @property
    def legend(self) -> str:
        """What rows, columns and colours are."""
        linked = " A cell leads to its items." if self.items else ""
        return f"{self.sides.axes} {self.sides.colours} The stronger the colour, the more.{linked}"

    @property
    def size(self) -> str:
        """The class of the style, by how many columns there are, and how long their names."""
        if len(self.columns) > _MANY_LABELS:
            return "heat many"
        length = sum(min(len(label), _LONGEST_LINE) for label in self.columns)
        return "heat wide" if length > _LONG_NAMES else "heat"

    @cached_property
    def cells(self) -> list[list[HeatCell]]:
        """All cells, row by row."""
        return [[self._cell(row, column) for column in range(len(self.columns))] for row in range(len(self.rows))]

    def _cell(self, row: int, column: int) -> HeatCell:
        names, number = (self.rows[row], self.columns[column]), float(self.counts[row, column])
        frame, every = self.items.get((row, column)), self.all_items.get((row, column), 0)
        shares, is_right = self._shares(row, column), bool(self.is_right[row, column])
        headline = (self.sides.right if is_right else self.sides.wrong).format(
            items=_items(number, every), row=names[0], column=names[1]
        )
        headline += "" if number == (every or number) else f", with a weight of {counted(number)}"
        wholes = (self.sides.of_row.format(names[0]), self.sides.of_column.format(names[1]), "of all items")
        facts = tuple(f"{self._says(share)} {of}" for share, of in zip(shares, wholes, strict=True) if _is_known(share))
        part = number / (float(self.counts.max(initial=0.0)) or 1.0)
        shades = tuple(map(_shade, (part, shares[0].value, shares[1].value)))
        listed, shown = None, ""
        if frame is not None:
            listed = Table(f"{self.name}-{row}-{column}", frame, self.shown, headline, look="listed")
            shown = f"The first {frame.height:,} of {every:,}" if frame.height < every else "All of them"
        return HeatCell(number, shares, shades, is_right, headline, facts, listed, f"{shown}, {self.order}.")

    def _shares(self, row: int, column: int) -> tuple[Reach, ...]:
        wholes, part = (self.sums[0][row], self.sums[1][column], self.sums[2]), float(self.counts[row, column])
        return tuple(_share(part, float(whole), self.confidence) for whole in wholes)

    def _says(self, share: Reach) -> str:
        if self.confidence is None:
            return as_percent(share.value)
        reach = f"{as_level(self.confidence)} interval {percent_span(share.low, share.high)}"
        return f"{as_percent(share.value)} ({reach})"

    def _table(self) -> Table:
        """The counts, for where nothing can be drawn."""
        heads = (" \\ ".join(self.sides.keys), self.rows, self.columns)
        table = counts_table("matrix", heads, self.counts, self.is_right, self.caption)
        return replace(table, notes=(self.left_out,) if self.left_out else ())

    def _payload(self, row: int, column: int) -> dict[str, Any]:
        """A cell for other programs."""
        payload: dict[str, Any] = dict(zip(self.sides.keys, (self.rows[row], self.columns[column]), strict=True))
        payload["number"] = float(self.counts[row, column])
        for key, share in zip((*self.sides.keys, "all"), self._shares(row, column), strict=True):
            payload |= {f"of_{key}": share.value, f"of_{key}_low": share.low, f"of_{key}_high": share.high}
        if (frame := self.items.get((row, column))) is not None:
            payload |= {"all_items": self.all_items[row, column], "items": frame.to_dicts()}
        return payload


def _places(labels: pl.Series, shown: Sequence[Any]) -> pl.Series:
    """Where the label of each item stands among those that are shown; none where it does not."""
    places = {label: place for place, label in enumerate(shown)}
    of_none = places.pop(None, None)
    known = labels.replace_strict(list(places), list(places.values()), default=None, return_dtype=pl.Int64)
    return known if of_none is None else known.zip_with(labels.is_not_null(), pl.Series([of_none] * len(labels)))


def _share(part: float, whole: float, confidence: float | None) -> Reach:
    if not whole or confidence is None:
        return Reach(part / whole if whole else math.nan)
    interval = wilson(part, whole, confidence)
    return Reach(part / whole, interval.low, interval.high)


def _is_known(share: Reach) -> bool:
    return not math.isnan(share.value)


def _shade(share: float) -> int:
    """The nearest shade, but some shade for whatever is not nothing."""
    return 0 if math.isnan(share) or share <= 0 else max(1, round(_SHADES * share))


def _items(number: float, every: int) -> str:
    """How many items a cell holds, or what they weigh."""
    if every and number != every:
        return number_of("item", every)
    return number_of("item", int(number)) if number == int(number) else f"items of weight {counted(number)}"
