"""Several systems' predictions of the same items, brought to one order."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

import polars as pl

from assay.core.domains import Choice
from assay.core.errors import InputError, listed, number_of
from assay.core.evaluation_options import MissingItems
from assay.tables.clusters import Clusters
from assay.tables.label_rules import ItemTable
from assay.tables.predictions import Predictions

Items = TypeVar("Items", Predictions, Clusters)


def aligned(systems: Sequence[Items], *, missing: MissingItems = "error") -> list[Items]:
    """The same items in the same order for every system, that of the first; found by `item_id`, or by row without ids.

    `missing`: an item that a system lacks is an error, or it is left out and counted (`drop`). The truth and the weight
    of an item are the same in all of them, or an error names the item.

    >>> one = Predictions.of([0, 1], [0, 0], item_id=["a", "b"], name="one")
    >>> other = Predictions.of([1, 0], [1, 1], item_id=["b", "a"], name="other")
    >>> aligned([one, other])[1].frame.rows()
    [('a', 0, 1), ('b', 1, 1)]
    """
    tables = _in_one_order(systems, missing)
    first, *others = tables = [_as_text(system) for system in tables] if _differ_in_type(tables) else tables
    what = "truth" if isinstance(first, Predictions) else "class"
    for other in others:
        if (first.truth is None) != (other.truth is None):
            with_it, without = (first, other) if other.truth is None else (other, first)
            raise InputError(f"{with_it.name} tells the {what} of each item, and {without.name} does not")
        if first.truth is not None and other.truth is not None:
            _refuse_differing(what, first, other, first.truth, other.truth)
        _refuse_differing("weight", first, other, _weights(first), _weights(other))
    if any(system.weight is None for system in tables):  # then all weigh 1, where they say so or not
        return [_without_weights(system) for system in tables]
    return tables


def of_some_weight(systems: list[Items]) -> list[Items]:
    """The items that weigh anything: those of weight 0 are no units of a comparison. How many there are is said.

    >>> one = Predictions.of([0, 1], [0, 0], sample_weight=[0.5, 0.0], name="one")
    >>> len(of_some_weight([one])[0])
    1
    """
    heavy = _weights(systems[0]) > 0
    if not heavy.any() or not (gone := len(heavy) - int(heavy.sum())):
        return systems
    tables: list[Items] = [system.taken(heavy) for system in systems]
    remark = f"{number_of('item', gone)} left out that {'has' if gone == 1 else 'have'} a weight of 0"
    tables[0] = dataclasses.replace(tables[0], remarks=(*tables[0].remarks, remark))
    return tables


def _in_one_order(systems: Sequence[Items], missing: MissingItems) -> list[Items]:
    """The same items in the same order for every system, whatever else their tables hold."""
    Choice(MissingItems).check("missing", missing)
    if len(systems) == 1:
        return list(systems)
    with_ids = [system for system in systems if system.has_ids]
    if with_ids and len(with_ids) < len(systems):
        without = next(system for system in systems if not system.has_ids)
        raise InputError(f"{with_ids[0].name} has item ids and {without.name} has none: items cannot be paired")
    return _by_id(systems, missing) if with_ids else _by_row(systems)


def _refuse_differing(what: str, first: ItemTable, other: ItemTable, ours: pl.Series, theirs: pl.Series) -> None:
    """Refuse values that two systems do not agree on, item by item."""
    differ = ours.ne_missing(theirs)
    if differ.any():
        row = int(differ.arg_max() or 0)
        count = int(differ.sum())
        shown = [values.to_list()[row] for values in (ours, theirs)]
        raise InputError(
            f"item {first.item_id[row]!r}: the {what} is {shown[0]!r} in {first.name} and {shown[1]!r} in {other.name} "
            f"({number_of('item', count)} {'differs' if count == 1 else 'differ'})"
        )


def _by_row(systems: Sequence[Items]) -> list[Items]:
    first = systems[0]
    for other in systems[1:]:
        if len(other) != len(first):
            sizes = f"{first.name} has {number_of('row', len(first))} and {other.name} {len(other):,}"
            raise InputError(f"{sizes}: without item ids, rows are paired one by one")
    return list(systems)


def _by_id(systems: Sequence[Items], missing: MissingItems) -> list[Items]:
    for system in systems:
        ids = system.item_id
        if ids.n_unique() < len(ids):
            twice = ids.filter(ids.is_duplicated())[0]
            raise InputError(f"{system.name}: the item {twice!r} occurs more than once: items cannot be paired")
    first = systems[0]
    if all(system.item_id.equals(first.item_id) for system in systems[1:]):
        return list(systems)
    order = pl.concat([system.item_id.to_frame() for system in systems]).unique(maintain_order=True)
    rows = order
    for number, system in enumerate(systems):
        place = system.item_id.to_frame().with_row_index(f"row {number}")
        rows = rows.join(place, on="item_id", how="left", maintain_order="left")
    whole = rows.drop_nulls()
    if missing == "error" and whole.height < rows.height:
        for number, system in enumerate(systems):
            lacking = rows.filter(pl.col(f"row {number}").is_null())["item_id"].to_list()
            if lacking:
                raise InputError(
                    f"{system.name} lacks {number_of('item', len(lacking))} that another system has: {listed(lacking)}"
                )
    if not whole.height:
        raise InputError(f"{listed([system.name for system in systems])} have no item in common")
    tables: list[Items] = [system.taken(whole[f"row {number}"].cast(pl.Int64)) for number, system in enumerate(systems)]
    if gone := rows.height - whole.height:
        remark = f"{number_of('item', gone)} left out that not every system has"
        tables[0] = dataclasses.replace(tables[0], remarks=(*tables[0].remarks, remark))
    return tables


def _differ_in_type(systems: Sequence[Items]) -> bool:
    """True if labels are of several types: one file's may all be numbers, or be text for the sake of an abstention."""
    names = {system.truth.dtype: system.name for system in systems if system.truth is not None}
    several = [name for kind, name in names.items() if isinstance(kind, pl.List)]
    single = [name for kind, name in names.items() if not isinstance(kind, pl.List)]
    if several and single:
        raise InputError(f"of {several[0]} and {single[0]} only one has several labels per item")
    return len(names) > 1


def _as_text(system: Items) -> Items:
    held = [name for name in ("truth", "prediction") if name in system.columns.columns]
    text = dataclasses.replace(system, columns=system.columns.with_columns(pl.col(held).cast(pl.String)))
    if isinstance(text, Predictions) and text.labels is not None:
        return dataclasses.replace(text, labels=tuple(map(str, text.labels)))
    return text


def _weights(system: Items) -> pl.Series:
    """The weight of each item: 1 where none is told."""
    return pl.repeat(1.0, len(system), eager=True) if system.weight is None else system.weight


def _without_weights(system: Items) -> Items:
    return system if system.weight is None else dataclasses.replace(system, columns=system.columns.drop("weight"))
