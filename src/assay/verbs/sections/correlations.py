"""What correlations show: the coefficients of two lists and their items side by side, or a matrix of more lists."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import number_of, several
from assay.show.model import Column, Document, Section, Table

if TYPE_CHECKING:
    from assay.verbs.correlation.result import Correlations, PairOfLists


def document(result: Correlations) -> Document:
    """Of two lists the coefficients and the items, of more a matrix of each coefficient; and what they mean."""
    pair, is_one = result.pairs[0], len(result.pairs) == 1
    names = [coefficient.name for coefficient in pair.coefficients]
    tables = (_coefficients(result, pair), _items(result, pair)) if is_one else tuple(_matrix(result, n) for n in names)
    every = [{"lists": [each.first, each.second], "items": each.items.to_dicts()} for each in result.pairs]
    full = {} if is_one else {"coefficients": result.to_frame().to_dicts(), "pairs": every}
    redrawn = any(each.with_other_units for each in result.pairs)
    settings = {"unit_kind": result.unit_kind, "resamples": result.resamples if redrawn else 0, "seed": result.seed}
    sections = (
        Section("correlations", parts=tables, data=full),
        Section.of_lines("meaning", _lines(result), data=settings),
        Section.of_lines("notes", result.notes),
    )
    return Document("correlations", sections, " and ".join(result.lists))


def _coefficients(result: Correlations, pair: PairOfLists) -> Table:
    level = pair.coefficients[-1].level
    columns = [
        Column("coefficient"),
        Column("value", kind="number"),
        Column("value", f"{as_level(level)} interval" if level < 1 else "bounds", "interval", ends=("low", "high")),
    ]
    if pair.with_other_units:
        title = f"{several(result.unit_kind or 'unit')} redrawn"
        columns.append(Column("value", title, "interval", ends=("low_units", "high_units")))
    return Table("coefficients", result.to_frame(), tuple(columns), f"{pair.first} and {pair.second}")


def _items(result: Correlations, pair: PairOfLists) -> Table:
    columns = [Column("item", result.item)]
    for side, name in (("first", pair.first), ("second", pair.second)):
        has_values = side in pair.items.columns
        columns += [Column(side, name, "number")] if has_values else []
        columns.append(Column(f"{side}_rank", "rank" if has_values else name, "chosen"))
    return Table("items", pair.items, (*columns, Column("movement", kind="chosen", signed=True)))


def _matrix(result: Correlations, coefficient: str) -> Table:
    """A coefficient of every two lists, the first as the row."""
    rows, columns = result.lists[:-1], result.lists[1:]
    values = {
        (pair.first, pair.second): each.value
        for pair in result.pairs
        for each in pair.coefficients
        if each.name == coefficient
    }
    frame = pl.DataFrame({"": rows} | {other: [values.get((row, other)) for row in rows] for other in columns})
    numbers = (Column(name, kind="number", missing="") for name in columns)
    return Table(coefficient, frame, (Column(""), *numbers), coefficient)


def _lines(result: Correlations) -> list[str]:
    """What the numbers mean, in words."""
    pair, items = result.pairs[0], several(result.item)
    if len(result.pairs) > 1:
        of = number_of(result.item, pair.items.height)
        return [f"{of}; the row is the reference of tau_AP, the column is held against it."]
    level = as_level(pair.coefficients[-1].level)
    lines = []
    if any(each.level < 1 and not math.isnan(each.low) for each in pair.coefficients):
        lines.append(f"{level} interval: over {items}, had others been drawn.")
    if pair.with_other_units:
        lines.append(
            f"{several(result.unit_kind or 'unit')} redrawn: where {level} of the values for these {items} lie, over "
            f"{result.resamples:,} draws (seed {result.seed}). Not a confidence interval: drawing anew adds noise to "
            "both lists, so they lie low."
        )
    for note in dict.fromkeys(each.note for each in pair.coefficients if each.note):
        lines.append(f"{', '.join(each.name for each in pair.coefficients if each.note == note)}: {note}.")
    return lines
