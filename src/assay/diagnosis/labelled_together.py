"""Checks of several files of predictions together: whether they are about the same items, and agree on the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assay.core.errors import number_of, quote
from assay.diagnosis.findings import EXAMPLES, Example, Finding
from assay.diagnosis.labelled import Labelled, LabelledFile
from assay.diagnosis.registry import check, finding


@check(
    "truth-conflict", "together", "error",
    question="Have items another true label in one file than in another?",
    advice="find out which file is right: systems are compared on one truth",
)  # fmt: skip
def truth_conflict(systems: Sequence[Labelled]) -> Iterator[Finding]:
    """Each against the first."""
    first, name = systems[0], _called(systems[0], systems).name
    for other in systems[1:]:
        if other.of.is_multilabel != first.of.is_multilabel:
            message = f"of this and {name} only one has several labels an item"
            yield finding("truth-conflict", "error", _called(other, systems), message, other.of.rows.height)
            continue
        if not _can_be_paired(first, other):
            continue
        both = _items(other).join(_items(first), on="item_id", suffix=" before", maintain_order="left")
        wrong = both.filter(pl.col("truth") != pl.col("truth before"))
        if not wrong.height:
            continue
        examples = [
            other.of.example(row, f"{quote(truth)} here, {quote(before)} in {name}")
            for row, truth, before in wrong.select("row", "truth", "truth before").head(EXAMPLES).rows()
        ]
        message = f"{number_of('item', wrong.height)} with another true label than in {name}"
        yield finding("truth-conflict", "error", _called(other, systems), message, wrong.height, examples=examples)


@check(
    "missing-items", "together", "warning",
    question="Does a file lack items that another one has, or can items not be paired: by ids, or row by row?",
    advice="let all systems predict the same items: `compare` stops here, and `{missing=drop}` leaves such items out",
)  # fmt: skip
def missing_items(systems: Sequence[Labelled]) -> Iterator[Finding]:
    """Each against all others, by id; without ids, against the first."""
    first, name = systems[0], _called(systems[0], systems).name
    for other in systems[1:]:
        if _can_be_paired(first, other):
            continue
        if first.of.has_ids != other.of.has_ids:
            message = f"{'no item' if first.of.has_ids else 'item'} ids, unlike {name}: items cannot be paired"
        else:
            rows = number_of("row", other.of.rows.height)
            message = f"{rows}, {name} has {first.of.rows.height:,}: without ids, items are paired row by row"
        yield finding(
            "missing-items", "warning", _called(other, systems), message, todo="write the id of each item to all files"
        )
    with_ids = [system for system in systems if system.of.has_ids]
    if len(with_ids) < 2:
        return
    every = pl.concat([_items(system).select("item_id") for system in with_ids]).unique(maintain_order=True)
    for system in with_ids:
        lacking = every.join(_items(system), on="item_id", how="anti", maintain_order="left")["item_id"]
        if len(lacking):
            examples = [Example(f"item {quote(item)}") for item in lacking.head(EXAMPLES)]
            message = f"{number_of('item', len(lacking))} missing that another has"
            yield finding(
                "missing-items", "warning", _called(system, systems), message, len(lacking), examples=examples
            )


def _called(system: Labelled, systems: Sequence[Labelled]) -> Labelled | LabelledFile:
    """The file, unless it holds several tables, one a system."""
    return system.of if sum(other.file == system.file for other in systems) == 1 else system


def _can_be_paired(first: Labelled, other: Labelled) -> bool:
    if first.of.has_ids or other.of.has_ids:
        return first.of.has_ids and other.of.has_ids
    return first.of.rows.height == other.of.rows.height


def _items(system: Labelled) -> pl.DataFrame:
    """The `row` and `truth` of each item, as text, by its id or by its row; of an id that comes again, the first."""
    truth = pl.col("truth").list.unique().list.sort().list.join(", ") if system.of.is_multilabel else pl.col("truth")
    rows = system.of.rows.with_row_index("row")
    item = pl.col("item_id" if system.of.has_ids else "row").cast(pl.String)
    items = rows.select("row", truth, item_id=item)
    return items.drop_nulls("item_id").unique("item_id", keep="first", maintain_order=True)
