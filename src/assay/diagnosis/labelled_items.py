"""Checks of items: what is there twice, and columns that give the answer away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assay.core.errors import number_of, quote
from assay.diagnosis.findings import EXAMPLES, Example, Finding, Severity
from assay.diagnosis.labelled import CONTENT, LabelledFile
from assay.diagnosis.registry import check, finding

_LONGEST = 40
_MOST_NAMED = 3
_LOOK = "look at conflicting labels: one of them is wrong"
_COPIES = "leave copies out, or keep them on one side of a split"


@check(
    "item-ids", "predictions", "error", "warning",
    question="Does an item id come twice, with another truth (an error) or with the same?",
    advice="keep one row an item: items that are there twice count twice, and make everything look surer than it is",
)  # fmt: skip
def item_ids(file: LabelledFile) -> Iterator[Finding]:
    """Ids that come again."""
    if not file.has_ids:
        return
    rows = file.rows.select("item_id", "truth").with_row_index("row").filter(pl.col("item_id").is_not_null())
    again = rows.filter(pl.col("item_id").is_duplicated())
    if not again.height:
        return
    truths = again.group_by("item_id", maintain_order=True).agg(pl.col("truth").n_unique(), pl.col("row"))
    for conflict in (True, False):
        groups = truths.filter((pl.col("truth") > 1) == conflict)
        if not groups.height:
            continue
        severity: Severity = "error" if conflict else "warning"
        how = "with different true labels" if conflict else "with the same true label"
        examples = [file.example(rows[1]) for rows in groups["row"].head(EXAMPLES).to_list()]
        message = f"{number_of('item id', groups.height)} more than once, {how}"
        yield finding("item-ids", severity, file, message, groups.height, examples=examples)


@check(
    "same-items", "predictions", "warning", "note",
    question="Do items have the same text (or, without any, further columns), with another truth (a warning) or not?",
    advice=f"{_LOOK}; {_COPIES}",
)  # fmt: skip
def same_items(file: LabelledFile) -> Iterator[Finding]:
    """Rows with the same text, or without text with the same further columns; blanks at the ends and case apart."""
    if not file.content:
        return
    names = [f"{CONTENT}{name}" for name in file.texts]
    folded = [pl.col(name).str.strip_chars().str.to_lowercase() for name in names if file.rows[name].dtype == pl.String]
    rows = file.rows.with_row_index("row").with_columns(folded).filter(~pl.all_horizontal(pl.col(names).is_null()))
    groups = rows.group_by(names, maintain_order=True).agg(pl.col("truth").n_unique().alias("truths"), pl.col("row"))
    groups = groups.filter(pl.col("row").list.len() > 1)
    for conflict in (True, False):
        chosen = groups.filter((pl.col("truths") > 1) == conflict)
        if not chosen.height:
            continue
        items = int(chosen["row"].list.len().sum())
        how = "but different true labels" if conflict else "and the same true label"
        row_groups = [places.to_list() for places in chosen["row"].head(EXAMPLES)]
        examples = [_alike(file, places) for places in row_groups]
        groups_of = number_of("group", chosen.height)
        message = (
            f"{number_of('item', items)} with the same {columns_named(file.texts)} as another, {how} ({groups_of})"
        )
        severity: Severity = "warning" if conflict else "note"
        todo = _LOOK if conflict else _COPIES
        yield finding("same-items", severity, file, message, items, examples=examples, todo=todo)


def columns_named(names: Sequence[str]) -> str:
    """Columns by name, as long as they are few.

    >>> columns_named(["title", "text"])
    "'title' and 'text'"
    """
    return " and ".join(map(quote, names)) if len(names) <= _MOST_NAMED else f"{len(names)} further columns"


def _alike(file: LabelledFile, rows: list[int]) -> Example:
    example = file.example(rows[0])
    truths = file.rows["truth"].gather(rows).to_list()
    content = str(file.rows[f"{CONTENT}{file.texts[0]}"][rows[0]])
    short = content if len(content) <= _LONGEST else content[: _LONGEST - 1] + "…"
    labels = ", ".join(str(label) for label in dict.fromkeys(map(str, truths)))
    return Example(f"{example.text} and {number_of('other', len(rows) - 1)}: {quote(short)}: {labels}", example.line)


@check(
    "truth-in-column", "predictions", "warning",
    question="Does a further column tell the truth of every item, value by value?",
    advice="a model that has seen this column has seen the answer: leave it out of the features",
)  # fmt: skip
def truth_in_column(file: LabelledFile) -> Iterator[Finding]:
    """Columns with as many values as there are labels, one for each."""
    if file.is_multilabel or len(file.labels) < 2 or file.rows.height < 2 * len(file.labels):
        return
    for name in file.content:
        column = file.rows[f"{CONTENT}{name}"]
        if isinstance(column.dtype, pl.List | pl.Struct | pl.Object):
            continue
        pairs = file.rows.select("truth", value=column).drop_nulls().unique()
        values = pairs["value"].n_unique()
        if pairs.height == values == len(file.labels) and int(column.null_count()) == 0:
            examples = [Example(f"{quote(str(value))}: {quote(truth)}") for truth, value in pairs.sort("truth").rows()]
            message = f"the column {quote(name)} has one value for each label"
            yield finding("truth-in-column", "warning", file, message, examples=examples[:EXAMPLES])
