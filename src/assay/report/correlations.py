"""Correlations for people: the coefficients of two lists and their items side by side, or a matrix of more lists."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import NOT_AVAILABLE, as_level, number, span
from assay.core.errors import number_of
from assay.report.layout import Cell, Table
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.correlation.result import Correlations, PairOfLists


def tables(found: Correlations) -> list[Titled]:
    """Of two lists the coefficients and the items, of more a matrix of each coefficient."""
    if len(found.pairs) == 1:
        pair = found.pairs[0]
        title = f"{pair.first} and {pair.second}"
        return [Titled(title, _coefficients(found, pair)), Titled("", _items(found, pair))]
    names = [one.name for one in found.pairs[0].coefficients]
    return [Titled(name, _matrix(found, number)) for number, name in enumerate(names)]


def lines(found: Correlations) -> list[str]:
    """What the numbers mean, in words."""
    pair, items = found.pairs[0], _several(found.item)
    if len(found.pairs) > 1:
        counted = number_of(found.item, pair.items.height)
        return [f"{counted}; the row is the reference of tau_AP, the column is held against it."]
    level = as_level(pair.coefficients[-1].level)
    said = []
    if any(one.level < 1 and not math.isnan(one.low) for one in pair.coefficients):
        said.append(f"{level} interval: over {items}, had others been drawn.")
    if pair.with_other_units:
        said.append(
            f"{_units(found)} redrawn: where {level} of the values for these {items} lie, over {found.resamples:,} "
            f"draws (seed {found.seed}). Not a confidence interval: drawing anew adds noise to both lists, so they lie "
            "low."
        )
    for note in dict.fromkeys(one.note for one in pair.coefficients if one.note):
        said.append(f"{', '.join(one.name for one in pair.coefficients if one.note == note)}: {note}.")
    return said


def _coefficients(found: Correlations, pair: PairOfLists) -> Table:
    level = pair.coefficients[-1].level
    numbers = ["value", f"{as_level(level)} interval" if level < 1 else "bounds"]
    if pair.with_other_units:
        numbers.append(f"{_units(found)} redrawn")
    rows = []
    for one in pair.coefficients:
        cells = [number(one.value), span(one.low, one.high)]
        if pair.with_other_units:
            drawn = pair.with_other_units[one.name]
            cells.append(span(drawn.low, drawn.high))
        rows.append(((one.name,), tuple(map(Cell, cells))))
    return Table(("coefficient",), tuple(numbers), tuple(rows))


def _items(found: Correlations, pair: PairOfLists) -> Table:
    valued = "first" in pair.items.columns
    rows = []
    for row in pair.items.to_dicts():
        cells = []
        for which in ("first", "second"):
            cells += [number(row[which])] if valued else []
            cells.append(NOT_AVAILABLE if row[f"{which}_rank"] is None else f"{row[f'{which}_rank']:g}")
        moved = row["movement"]
        cells.append(NOT_AVAILABLE if moved is None else f"{moved:+g}" if moved else "0")
        rows.append(((row["item"],), tuple(map(Cell, cells))))
    numbers = (pair.first, "rank", pair.second, "rank") if valued else (pair.first, pair.second)
    return Table((found.item,), (*numbers, "movement"), tuple(rows))


def _matrix(found: Correlations, coefficient: int) -> Table:
    lists = found.lists
    values = {(pair.first, pair.second): pair.coefficients[coefficient].value for pair in found.pairs}
    rows = [
        ((one,), tuple(Cell(number(values[one, other]) if (one, other) in values else "") for other in lists[1:]))
        for one in lists[:-1]
    ]
    return Table(("",), lists[1:], tuple(rows))


def _units(found: Correlations) -> str:
    return _several(found.unit_kind or "unit")


def _several(what: str) -> str:
    return number_of(what, 2).removeprefix("2 ")
