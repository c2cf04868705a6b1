"""Files of predictions: a row an item, with the truth, what systems predicted, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, did_you_mean, listed
from assay.files.named_columns import as_whole, chosen, named_columns, names_in_any, zero_or_one
from assay.files.prediction_columns import ColumnPlan, Columns, StatedColumns, SystemColumns, looks_like, plan
from assay.files.sources import Readable, Source
from assay.tables.label_columns import ids_of
from assay.tables.label_matrices import ScoreColumns, lists_of_indicators
from assay.tables.label_rules import Nulls, Unknown, distinct
from assay.tables.named_columns import NamedColumns
from assay.tables.predictions import Predictions, assembled


def read_predictions(
    given: Readable | Source | Any,
    *,
    truth: Columns = None,
    prediction: Columns = None,
    score: Columns = None,
    item: str | None = None,
    weight: str | None = None,
    systems: Sequence[str] | None = None,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    nulls: Nulls = "error",
    unknown: Unknown = "error",
    separator: str | None = None,
    list_separator: str | None = None,
    name: str | None = None,
    keep: Mapping[str, str | None] | None = None,
) -> list[Predictions]:
    """Read predictions from CSV, TSV, JSON, JSONL, Parquet, Arrow or a data frame: one table a system of the file.

    Columns are known by their usual names (`truth`, `prediction`, `score`, `item_id`, `weight` and others); or they are
    said. `prediction_NAME` and `score_NAME` are of the system NAME; where NAME is a label, `score_NAME` is the score
    of that label. Several labels an item: lists in JSONL and Parquet, a `list_separator` in cells of CSV, or columns
    `truth_LABEL` and `prediction_LABEL` of 0 and 1. `systems` chooses some of the systems; `name` is what a system is
    called that the file does not name. `nulls` and `unknown` are the rules of `Predictions.of`; an empty cell is null.
    `keep`: further columns to keep as text, by the names they get; one that is None is kept if the file has it.

    >>> import io
    >>> file = io.StringIO("item_id,truth,prediction_old,prediction_new\\n1,spam,ham,spam\\n2,ham,ham,ham\\n")
    >>> [(system.name, system.prediction.to_list()) for system in read_predictions(file)]
    [('old', ['ham', 'ham']), ('new', ['spam', 'ham'])]
    """
    table = named_columns(given, "predictions", separator)
    if list_separator == "":
        raise ParameterError("list_separator is a text of one character or more")

    def occurring(columns: Iterable[str]) -> set[str]:
        return {str(label) for column in columns for label in distinct(table.labels(column, list_separator))}

    stated = StatedColumns(truth, prediction, score, item, weight)
    layout = plan(table.path, table.frame.columns, stated, occurring)
    labelled = _labelled(table, layout, list_separator)
    kept = _kept(table, keep or {})
    known = labels or tuple(layout.indicators) or None
    assemble = partial(assembled, labels=known, pos_label=pos_label, nulls=nulls, unknown=unknown, origin=table.path)
    tables = [
        _system_table(
            table, layout, system, labelled, assemble, name=_called(system, part, layout), rows=rows, kept=kept
        )
        for part, rows in _parts(table, layout, name or table.stem)
        for system in layout.systems
    ]
    return tables if systems is None else chosen(tables, systems, table.path, "system")


def looks_like_predictions(value: object) -> bool:
    """Whether a file or a data frame holds predictions, by the names of its columns; False for anything else.

    >>> import io
    >>> looks_like_predictions(io.StringIO("id,label,pred\\n1,a,b\\n")), looks_like_predictions({"q": {"d": 1}})
    (True, False)
    """
    return looks_like(names_in_any(value))


def _parts(table: NamedColumns, layout: ColumnPlan, name: str) -> list[tuple[str, pl.Series | None]]:
    """The rows of each system, if a column names it; else all rows, under one name."""
    if layout.system is None:
        return [(name, None)]
    values = table.texts(layout.system, f"a system in {layout.system}")
    return [(system, (values == system).arg_true()) for system in values.unique(maintain_order=True).to_list()]


def _called(system: SystemColumns, part: str, layout: ColumnPlan) -> str:
    if system.name is None:
        return part
    return f"{part} {system.name}" if layout.system else system.name


def _labelled(table: NamedColumns, layout: ColumnPlan, list_separator: str | None) -> dict[str | None, pl.Series]:
    """The true labels (under None) and the predicted ones of each column, or each system with columns of 0 and 1."""
    if layout.indicators:
        labels: dict[str | None, pl.Series] = {None: _listed(table, layout.indicators)}
        for system in layout.systems:
            if system.indicators:
                labels[system.prediction or system.name or ""] = _listed(table, system.indicators)
            elif system.prediction:
                labels[system.prediction] = table.labels(system.prediction, list_separator)
        return labels
    columns = [layout.truth, *(system.prediction for system in layout.systems)]
    held = [column for column in columns if column is not None]
    values = [table.labels(column, list_separator) for column in held]
    # Cells of text are numbers only if all of them are, in the truth and in all predictions.
    values = as_whole(values) if table.exact is None else values
    return {None if column == layout.truth else column: series for column, series in zip(held, values, strict=True)}


def _listed(table: NamedColumns, columns: Mapping[str, str]) -> pl.Series:
    cells = np.stack([zero_or_one(table, column) for column in columns.values()], axis=1)
    return lists_of_indicators(cells, list(columns), "labels")[0]


def _system_table(
    table: NamedColumns, layout: ColumnPlan, system: SystemColumns, labelled: Mapping[str | None, pl.Series],
    assemble: Callable[..., Predictions], *, name: str, rows: pl.Series | None, kept: Mapping[str, pl.Series],
) -> Predictions:  # fmt: skip
    """The table of one system; `rows` are its rows in the file, if others have some, too."""
    columns = {"truth": labelled[None]}
    predicted = system.prediction or ((system.name or "") if system.indicators else None)
    if predicted is not None:
        columns["prediction"] = labelled[predicted]
    if layout.weight is not None:
        columns["weight"] = table.numbers(layout.weight, "weight").cast(pl.Float64)
    if layout.item is not None:
        columns["item_id"] = ids_of(table.labels(layout.item), f"{table.path}: {layout.item}")
    columns |= kept
    scores: ScoreColumns | None = None
    if system.class_scores:
        each = [table.numbers(column, "score").alias(column) for column in system.class_scores.values()]
        scores = ScoreColumns(each, tuple(system.class_scores))
    elif system.score is not None:
        scores = _scores(table, system.score)
    if rows is not None:
        columns = {ours: values.gather(rows) for ours, values in columns.items()}
        scores = None if scores is None else scores._replace(columns=[column.gather(rows) for column in scores.columns])
    return assemble(
        {ours: values.alias(ours) for ours, values in columns.items()},
        scores,
        name=name,
        where=lambda row: table.where(row if rows is None else int(rows[row])),
        remarks=tuple(f"{name}: {aside}" for aside in layout.aside),
    )


def _kept(table: NamedColumns, keep: Mapping[str, str | None]) -> dict[str, pl.Series]:
    """Further columns as text, by the names they get."""
    names = table.frame.columns
    for column in keep.values():
        if column is not None and column not in names:
            near = did_you_mean(column, names)
            raise ParameterError(f"{table.path}: no column is called {column!r}: there are {listed(names)}{near}")
    columns = {ours: column or ours for ours, column in keep.items() if (column or ours) in names}
    return {ours: ids_of(table.labels(column), f"{table.path}: {column}") for ours, column in columns.items()}


def _scores(table: NamedColumns, column: str) -> ScoreColumns:
    """One score an item; or, in an object, a score of each label."""
    values = table.frame[column]
    if not isinstance(values.dtype, pl.Struct):
        return ScoreColumns([table.numbers(column, "score").alias(column)])
    inside = table._replace(frame=values.struct.unnest())
    return ScoreColumns([inside.numbers(label, "score") for label in inside.frame.columns], tuple(inside.frame.columns))
