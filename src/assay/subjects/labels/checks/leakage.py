"""Checks of items that a system was trained on and is judged by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from assay.core.digits import as_level, as_percent
from assay.core.errors import FormatError, ParameterError
from assay.files.named_columns import read_named_columns
from assay.files.sources import Source, is_file
from assay.subjects.labels.checks.examined_predictions import CONTENT, PredictionsFile
from assay.subjects.labels.checks.items import columns_named
from assay.tables.roles import ITEM, find
from assay.verbs.diagnosis.findings import EXAMPLES, CheckFinding, Severity, check, finding, share

#: From this share of the items on, numbers are wrong rather than doubtful.
MANY = 0.05
_TABLE = "a table with named columns"


@dataclass(frozen=True, eq=False)
class Trained:
    """A file of predictions beside the items that the system was trained on."""

    file: PredictionsFile
    name: str
    training: pl.DataFrame

    @cached_property
    def columns(self) -> list[str]:
        """Further columns that both have, by name: those of text, or all if there are none."""
        return [name for name in self.file.texts if name in self.training.columns] or [
            name for name in self.file.content if name in self.training.columns
        ]

    @cached_property
    def ids(self) -> pl.Series | None:
        """The ids of the items that were trained on, if they have some."""
        column = find(ITEM, [name for name in self.training.columns if name])
        return None if column is None else _text(self.training[column])


def open_training(file: PredictionsFile, training: Any) -> Trained:
    """Read the items that a system was trained on: a file, or a data frame.

    >>> open_training(PredictionsFile("test.csv"), pl.DataFrame({"id": [1, 2]})).ids.to_list()
    ['1', '2']
    """
    if isinstance(training, pl.DataFrame):
        return Trained(file, "train", training)
    if not is_file(training):
        raise ParameterError(f"train is a file or a Polars data frame, not {type(training).__name__}")
    source = training if isinstance(training, Source) else Source(training)
    return Trained(file, source.name, read_named_columns(source, _TABLE).frame)


def comparable(trained: Trained) -> None:
    """Refuse a table that nothing can be looked up in."""
    if not trained.columns and not (trained.ids is not None and trained.file.has_ids):
        has = ", ".join(trained.training.columns)
        expected = f"ids, or further columns of {trained.file.file}"
        raise FormatError(trained.name, 1, expected=expected, got=has)


@check(
    "trained-ids", "training", "error",
    question="Are there items of the test with the id of an item that was trained on?",
    advice="take them out of the test: what a model has seen it may have learnt by heart",
)  # fmt: skip
def trained_ids(trained: Trained) -> Iterator[CheckFinding]:
    """Ids that are in both files; bare row numbers are no ids."""
    ids, file = trained.ids, trained.file
    if ids is None or not file.has_ids or _are_row_numbers(file.rows["item_id"]):
        return
    shared = file.rows["item_id"].is_in(ids.drop_nulls().unique().implode())
    if count := int(shared.sum()):
        part = as_percent(count / file.rows.height)
        message = f"{share(count, file.rows.height, 'item')} ({part}) in {trained.name}, too, by id"
        yield finding("trained-ids", "error", file, message, count, examples=file.examples(shared))


def _are_row_numbers(ids: pl.Series) -> bool:
    """Whether ids merely number the rows, from 0 or 1 on."""
    first = ids[0] if len(ids) else None
    if first not in {"0", "1"}:
        return False
    return ids.equals(pl.int_range(int(first), int(first) + len(ids), eager=True).cast(pl.String))


@check(
    "trained-items", "training", "error", "warning",
    question="Are there items of the test with the content of one that was trained on: "
    f"{as_level(MANY)} or more (an error)?",
    advice="take them out of the test, or out of the training; split by content, so that copies stay on one side",
)  # fmt: skip
def trained_items(trained: Trained) -> Iterator[CheckFinding]:
    """Content that is in both files, blanks at the ends and case apart."""
    file = trained.file
    if not trained.columns:
        return
    ours = file.rows.select(_key(f"{CONTENT}{name}").alias(name) for name in trained.columns).with_row_index("row")
    theirs = trained.training.select(_key(name) for name in trained.columns).unique()
    shared = ours.join(theirs, on=trained.columns, how="semi", nulls_equal=True, maintain_order="left")
    shared = shared.filter(~pl.all_horizontal(pl.col(trained.columns).is_null()))
    if not shared.height:
        return
    part = shared.height / file.rows.height
    severity: Severity = "error" if part >= MANY else "warning"
    both = f"{share(shared.height, file.rows.height, 'item')} ({as_percent(part)}) in {trained.name}, too"
    message = f"{both}, with the same {columns_named(trained.columns)}"
    rows, first = shared["row"].head(EXAMPLES).to_list(), trained.columns[0]
    examples = [file.example(row, file.cell(row, first)) for row in rows]
    yield finding("trained-items", severity, file, message, shared.height, examples=examples)


def _text(values: pl.Series) -> pl.Series:
    is_list = isinstance(values.dtype, pl.List)
    return values.cast(pl.List(pl.String)).list.join(" ") if is_list else values.cast(pl.String)


def _key(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
