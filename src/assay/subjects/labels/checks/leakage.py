"""Checks of items that a system was trained on and is judged by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from assay.core.digits import as_level, as_percent
from assay.core.errors import FormatError, ParameterError, quote
from assay.files.named_columns import names_of, read_named_columns
from assay.files.registry import head_of
from assay.files.sources import Source, is_file
from assay.subjects.labels.checks.examined_predictions import CONTENT, PredictionsFile
from assay.subjects.labels.checks.items import columns_named
from assay.tables.roles import ITEM, TRUTH, find
from assay.verbs.diagnosis.findings import EXAMPLES, CheckFinding, Example, Severity, check, finding, share

#: From this share of the items on, numbers are wrong rather than doubtful.
MANY = 0.05
_LONGEST = 40
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

    @cached_property
    def truth(self) -> str | None:
        """The column of their labels, if it has a usual name."""
        return find(TRUTH, self.training.columns)


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
    alone = _one_column(source)
    return Trained(file, source.name, read_named_columns(source, _TABLE).frame if alone is None else alone)


def _one_column(source: Source) -> pl.DataFrame | None:
    """The lines of a table with a single column; None if there are more."""
    head = head_of(source)
    if not head.numbered or names_of(head):
        return None
    number, line = head.numbered[0]
    name = line.decode(errors="replace").strip().strip('"')
    try:
        lines = pl.read_csv(
            source.read(), separator="\x1f", skip_lines=number, has_header=False, schema={name: pl.String}
        )
    except (pl.exceptions.PolarsError, OSError) as problem:  # the latter of what looks compressed to Polars
        raise FormatError(source.name, None, expected=_TABLE, note="it is no text") from problem
    return lines.drop_nulls()


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
        examples = [file.example(row) for row in shared.arg_true().head(EXAMPLES).to_list()]
        part = as_percent(count / file.rows.height)
        message = f"{share(count, file.rows.height, 'item')} ({part}) in {trained.name}, too, by id"
        yield finding("trained-ids", "error", file, message, count, examples=examples)


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
    keys = [f"key {number}" for number in range(len(trained.columns))]
    ours = file.rows.select(
        _key(f"{CONTENT}{name}").alias(key) for name, key in zip(trained.columns, keys, strict=True)
    )
    theirs = trained.training.select(_key(name).alias(key) for name, key in zip(trained.columns, keys, strict=True))
    theirs = theirs.with_columns(_truth(trained)).filter(~pl.all_horizontal(pl.col(keys).is_null()))
    labels = theirs.group_by(keys).agg(pl.col("truth").drop_nulls().unique())
    rows = ours.with_row_index("row").with_columns(file.rows["truth"].alias("own"))
    shared = rows.join(labels, on=keys, maintain_order="left", nulls_equal=True)
    shared = shared.filter(~pl.all_horizontal(pl.col(keys).is_null()))
    if not shared.height:
        return
    part = shared.height / file.rows.height
    severity: Severity = "error" if part >= MANY else "warning"
    other = 0
    if trained.truth is not None and not file.is_multilabel:
        differs = (pl.col("truth").list.len() > 0) & ~pl.col("own").is_in(pl.col("truth"))
        other = shared.filter(differs).height
    message = (
        f"{share(shared.height, file.rows.height, 'item')} ({as_percent(part)}) in {trained.name}, too, with the same "
        f"{columns_named(trained.columns)}"
    )
    message += f"; {other:,} of them with another label there" if other else ""
    examples = [_shown(file, int(row), trained.columns[0]) for row in shared["row"].head(EXAMPLES).to_list()]
    yield finding("trained-items", severity, file, message, shared.height, examples=examples)


def _truth(trained: Trained) -> pl.Series:
    if trained.truth is None:
        return pl.repeat(None, trained.training.height, dtype=pl.String, eager=True).alias("truth")
    return _text(trained.training[trained.truth]).alias("truth")


def _text(values: pl.Series) -> pl.Series:
    return (
        values.cast(pl.String)
        if not isinstance(values.dtype, pl.List)
        else values.cast(pl.List(pl.String)).list.join(" ")
    )


def _key(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()


def _shown(file: PredictionsFile, row: int, column: str) -> Example:
    text = str(file.rows[f"{CONTENT}{column}"][row])
    return file.example(row, quote(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"))
