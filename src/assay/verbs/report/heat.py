"""Counts of two kinds of labels as a map: shaded cells, four ways to read their numbers, and the items behind each.

A page needs no script for it: what the cells show is chosen by radio buttons that the style reads, and a cell is a link
to its items, which the style shows as long as they are what the address points at.
"""

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
from assay.show.canvas import Reach
from assay.show.model import Column, Section, Table, Widget
from assay.stats.bootstrap import wilson
from assay.verbs.report.items import named
from assay.verbs.sections.estimates import counts_table

#: Of more columns than these the names are turned, and items stand below the map.
_MANY_LABELS = 8
#: Of names that are longer than this together, items stand below the map, too.
_LONG_NAMES, _LONGEST_LINE = 48, 16
#: So many items stand behind a cell, and behind all cells of a map together.
MOST_ITEMS, MOST_ITEMS_IN_ALL = 25, 600
#: Shades from none to full.
_SHADES = 10


class HeatSides(NamedTuple):
    """What the rows and columns of a map are, in words; `{}` stands for a label.

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
    order: str

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
    `items` are the first ones of a cell, by its row and column, of `all_items`.
    """

    name: str
    caption: str
    sides: HeatSides
    rows: Sequence[str]
    columns: Sequence[str]
    counts: np.ndarray
    sums: tuple[np.ndarray, np.ndarray, float]
    is_right: np.ndarray
    confidence: float | None = None
    left_out: str = ""
    items: Mapping[tuple[int, int], pl.DataFrame] = field(default_factory=dict)
    all_items: Mapping[tuple[int, int], int] = field(default_factory=dict)
    order: str = "in the order of the file"

    def section(self, system: str, aside: str) -> Section:
        """The map as a part of a section, which can be folded; JSON has its `cells`, too."""
        data = {"system": system, "cells": [self._payload(*place) for place in np.ndindex(self.counts.shape)]}
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
    def cells(self) -> list[list[HeatCell]]:
        """All cells, row by row."""
        return [[self._cell(row, column) for column in range(len(self.columns))] for row in range(len(self.rows))]

    def _cell(self, row: int, column: int) -> HeatCell:
        names, number = (self.rows[row], self.columns[column]), float(self.counts[row, column])
        every, shares = self.all_items.get((row, column), 0), self._shares(row, column)
        is_right = bool(self.is_right[row, column])
        words = self.sides.right if is_right else self.sides.wrong
        headline = words.format(items=_items(number, every), row=names[0], column=names[1])
        headline += "" if number == (every or number) else f", with a weight of {counted(number)}"
        wholes = (*(words.format(name) for words, name in zip(self.sides.wholes, names, strict=True)), "of all items")
        known = [(share, of) for share, of in zip(shares, wholes, strict=True) if not math.isnan(share.value)]
        facts = tuple(f"{self._percent(share)} {of}" for share, of in known)
        part = number / (float(self.counts.max(initial=0.0)) or 1.0)
        shades = tuple(map(_shade, (part, shares[0].value, shares[1].value)))
        listed, some = None, "All of them"
        if (frame := self.items.get((row, column))) is not None:
            columns = [Column("item_id", "item"), *map(Column, self.sides.keys)]
            columns += [Column("score", kind="short")] if "score" in frame.columns else []
            listed = Table(f"{self.name}-{row}-{column}", frame, tuple(columns), headline, look="listed")
            some = f"The first {frame.height:,} of {every:,}" if frame.height < every else some
        return HeatCell(number, shares, shades, is_right, headline, facts, listed, f"{some}, {self.order}.")

    def _shares(self, row: int, column: int) -> tuple[Reach, ...]:
        wholes, part = (self.sums[0][row], self.sums[1][column], self.sums[2]), float(self.counts[row, column])
        return tuple(_share(part, float(whole), self.confidence) for whole in wholes)

    def _percent(self, share: Reach) -> str:
        if self.confidence is None:
            return as_percent(share.value)
        reach = f"{as_level(self.confidence)} interval {percent_span(share.low, share.high)}"
        return f"{as_percent(share.value)} ({reach})"

    def _payload(self, row: int, column: int) -> dict[str, Any]:
        """A cell for other programs."""
        payload: dict[str, Any] = dict(zip(self.sides.keys, (self.rows[row], self.columns[column]), strict=True))
        payload["number"] = float(self.counts[row, column])
        for key, share in zip((*self.sides.keys, "all"), self._shares(row, column), strict=True):
            payload |= {f"of_{key}": share.value, f"of_{key}_low": share.low, f"of_{key}_high": share.high}
        if (frame := self.items.get((row, column))) is not None:
            payload |= {"all_items": self.all_items[row, column], "items": frame.to_dicts()}
        return payload


def _places(labels: pl.Series, known: Sequence[Any]) -> pl.Series:
    """Where the label of each item stands among those that are shown; none where it does not."""
    places = {label: place for place, label in enumerate(known)}
    of_none = places.pop(None, None)
    at = labels.replace_strict(list(places), list(places.values()), default=None, return_dtype=pl.Int64)
    return at if of_none is None else at.zip_with(labels.is_not_null(), pl.Series([of_none] * len(labels)))


def _share(part: float, whole: float, confidence: float | None) -> Reach:
    if not whole or confidence is None:
        return Reach(part / whole if whole else math.nan)
    interval = wilson(part, whole, confidence)
    return Reach(part / whole, interval.low, interval.high)


def _shade(share: float) -> int:
    """The nearest shade, but some shade for whatever is not nothing."""
    return 0 if math.isnan(share) or share <= 0 else max(1, round(_SHADES * share))


def _items(number: float, every: int) -> str:
    """How many items a cell holds, or what they weigh."""
    if every and number != every:
        return number_of("item", every)
    return number_of("item", int(number)) if number == int(number) else f"items of weight {counted(number)}"
