"""A table of counts as a heat map, with the items of each cell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_level, as_percent, counted, percent_span
from assay.core.errors import number_of
from assay.show.model import Column, Section, Table, Widget
from assay.stats.bootstrap import Interval
from assay.verbs.sections.estimates import (
    counts_table,
)
from assay.verbs.sections.reports import named

#: So many items stand behind a cell, and behind all cells of a map together.
MOST_ITEMS, MOST_ITEMS_IN_ALL = 25, 600
#: Of more columns than these the names are turned, and items stand below the map.
_MANY_LABELS = 8
#: Of names that are longer than this together, items stand below the map, too.
_LONG_NAMES, _LONGEST_LINE = 48, 16
#: Shades from none to full.
_SHADES = 10


class HeatSides(NamedTuple):
    """Names of the rows and columns of a map, in words; `{}` stands for a label.

    `keys` are their names in JSON, and in tables. `wholes` is what the shares of a row and of a column are of; `right`
    and `wrong` say what a cell holds, of `items` with a `row` and a `column`; `legend` is about the whole map.
    """

    keys: tuple[str, str]
    corner: str
    ways: tuple[str, str]
    wholes: tuple[str, str]
    right: str
    wrong: str
    legend: str
    back: str


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A map of counts, or of weights; `name` must be unlike all others of the document.

    `sums` of rows, of columns and of all are what shares are of: they may hold more than is shown, and `left_out` says
    so. `is_right` marks the cells to be green. `intervals` are those of a cell's shares of its row, its
    column and all, where shares have some; `items` the first ones of a cell, by its row and column, of `all_items`.
    """

    name: str
    caption: str
    sides: HeatSides
    rows: Sequence[str]
    columns: Sequence[str]
    counts: np.ndarray
    sums: tuple[np.ndarray, np.ndarray, float]
    is_right: np.ndarray
    intervals: Mapping[tuple[int, int], tuple[Interval, ...]] = field(default_factory=dict)
    left_out: str = ""
    items: Mapping[tuple[int, int], pl.DataFrame] = field(default_factory=dict)
    all_items: Mapping[tuple[int, int], int] = field(default_factory=dict)
    order: str = "in the order of the file"

    def section(self, system: str, aside: str) -> Section:
        """The map as a part of a section, which can be folded; JSON has its `cells`, too."""
        cells = ({key: value for key, value in cell.items() if key[0] != "_"} for row in self.cells for cell in row)
        data = {"system": system, "cells": list(cells)}
        heads = (" \\ ".join(self.sides.keys), self.rows, self.columns)
        table = counts_table("matrix", heads, self.counts, self.is_right, self.caption)
        table = replace(table, notes=(self.left_out,) if self.left_out else ())
        return Section(self.name, system, (Widget("heat", self, (table,)),), aside=aside, data=data)

    def with_items(
        self,
        labels: tuple[pl.Series, pl.Series],
        known: tuple[Sequence[Any], Sequence[Any]],
        item_id: pl.Series | None,
        score: pl.Series | None = None,
        sure: pl.Series | None = None,
    ) -> HeatMap:
        """The same with the first items of each cell: the surest ones, else as they come.

        `labels` of all items, in rows and in columns; `known` are those of the map. Items without ids are numbered: of
        these only, as there may be millions of others.
        """
        places = map(_places, labels, known)
        frame = pl.DataFrame(dict(zip(("row", "column"), places, strict=True))).with_row_index("at")
        if sure is not None:
            frame = frame.sort(sure, descending=True, nulls_last=True, maintain_order=True)
        groups = frame.drop_nulls().group_by("row", "column", maintain_order=True)
        cells = groups.agg(pl.col("at").head(MOST_ITEMS), pl.len())
        most = max(1, min(MOST_ITEMS, MOST_ITEMS_IN_ALL // max(1, cells.height)))
        items, counts = {}, {}
        for row, column, every, counts[row, column] in cells.iter_rows():
            at = every[:most]
            ids = [place + 1 for place in at] if item_id is None else item_id.gather(at)
            names = dict(zip(self.sides.keys, (self.rows[row], self.columns[column]), strict=True))
            listed = pl.DataFrame({"item_id": list(map(named, ids)), **names})
            scores = {} if score is None else {"score": score.gather(at).cast(pl.Float64)}
            items[row, column] = listed.with_columns(**scores)
        order = self.order if sure is None else "the surest predictions first"
        return replace(self, items=items, all_items=counts, order=order)

    @property
    def margins(self) -> tuple[list[str], list[str]]:
        """The sums of what is shown: of the rows; of the columns, and of all."""
        rows, columns = (list(map(counted, self.counts.sum(axis=axis).tolist())) for axis in (1, 0))
        return rows, [*columns, counted(float(self.counts.sum()))]

    @property
    def size(self) -> str:
        """The class of the style, by how many columns there are, and how long their names."""
        if len(self.columns) > _MANY_LABELS:
            return "heat many"
        length = sum(min(len(label), _LONGEST_LINE) for label in self.columns)
        return "heat wide" if length > _LONG_NAMES else "heat"

    @cached_property
    def cells(self) -> list[list[dict[str, Any]]]:
        """All cells, row by row: the number, what share of its row, its column and all it is, and the first items.

        Keys that begin with `_` are what a page shows: the number in all four ways, the shades of the first three, the
        same in words, and the items as a table.
        """
        return [[self._cell(row, column) for column in range(len(self.columns))] for row in range(len(self.rows))]

    def _cell(self, row: int, column: int) -> dict[str, Any]:
        names = (self.rows[row], self.columns[column])
        number = float(self.counts[row, column])
        cell: dict[str, Any] = {**dict(zip(self.sides.keys, names, strict=True)), "number": number}
        wholes = (self.sums[0][row], self.sums[1][column], self.sums[2])
        texts = [counted(number)]
        facts = []
        shades = [_shade(number / (self.counts.max(initial=0.0) or 1.0))]
        of_what = (*(words.format(name) for words, name in zip(self.sides.wholes, names, strict=True)), "of all items")
        intervals = self.intervals.get((row, column), (Interval.unknown(0, ""),) * len(wholes))
        keys = (*self.sides.keys, "all")
        for key, whole, says, interval in zip(keys, map(float, wholes), of_what, intervals, strict=True):
            share = number / whole if whole else math.nan
            cell |= {f"of_{key}": share, f"of_{key}_low": interval.low, f"of_{key}_high": interval.high}
            texts.append(as_percent(share) if whole else "–")
            shades.append(_shade(share))
            if whole:
                level = f" ({as_level(interval.level)} interval {percent_span(interval.low, interval.high)})"
                facts.append(f"{as_percent(share)}{level if interval.is_known else ''} {says}")
        every = self.all_items.get((row, column), 0)
        frame = self.items.get((row, column))
        words = self.sides.right if self.is_right[row, column] else self.sides.wrong
        headline = words.format(items=_items(number, every), row=names[0], column=names[1])
        headline += "" if number == (every or number) else f", with a weight of {counted(number)}"
        cell |= {"_texts": texts, "_shades": shades, "_headline": headline, "_facts": facts, "_items": None}
        cell["_kind"] = ("right" if self.is_right[row, column] else "wrong") + ("" if number else " none")
        if frame is not None:
            columns = [Column("item_id", "item"), *map(Column, self.sides.keys)]
            columns += [Column("score", kind="short")] if "score" in frame.columns else []
            some = f"The first {frame.height:,} of {every:,}" if frame.height < every else "All of them"
            cell |= {"all_items": every, "items": frame.to_dicts(), "_order": f"{some}, {self.order}."}
            cell["_items"] = Table(f"{self.name}-{row}-{column}", frame, tuple(columns), headline, look="listed")
        return cell


def _places(labels: pl.Series, known: Sequence[Any]) -> pl.Series:
    """The place of each item's label among those that are shown; none where it is not."""
    places = {label: place for place, label in enumerate(known)}
    of_none = places.pop(None, None)
    at = labels.replace_strict(list(places), list(places.values()), default=None, return_dtype=pl.Int64)
    return at if of_none is None else at.zip_with(labels.is_not_null(), pl.Series([of_none] * len(labels)))


def _shade(share: float) -> int:
    """The nearest shade, but some shade for whatever is not nothing."""
    return 0 if math.isnan(share) or share <= 0 else max(1, round(_SHADES * share))


def _items(number: float, every: int) -> str:
    """The items of a cell: their number, or their weight."""
    if every and number != every:
        return number_of("item", every)
    return number_of("item", int(number)) if number == int(number) else f"items of weight {counted(number)}"
