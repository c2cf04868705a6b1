"""Read predictions: which columns hold the truth, the predictions, the scores is said, or guessed by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import FormatError, ParameterError, argument, listed, number_of
from assay.files.named_columns import (
    as_whole,
    chosen,
    named_columns,
    refuse_absent,
    zero_or_one,
)
from assay.files.sources import Readable, Source
from assay.tables.label_arrays import ScoreColumns, lists_of_indicators
from assay.tables.label_columns import FOLD_DOMAINS, IS_TESTED, ids_of
from assay.tables.label_rules import Nulls, distinct
from assay.tables.named_columns import NamedColumns
from assay.tables.predictions import Predictions, assembled
from assay.tables.roles import (
    ITEM,
    MARKS,
    PREDICTION,
    SCORE,
    SYSTEM,
    TRUTH,
    WEIGHT,
    absent,
    find,
    folded_name,
    refuse_rows,
    suffix,
    suffixed,
)  # fmt: skip

#: One column; several, a system each (or, of scores, a label each); or names (of systems, of labels) to columns.
Columns: TypeAlias = str | Sequence[str] | Mapping[str, str] | None

#: A number with something other than zeros behind the point.
_FRACTION = re.compile(r"[-+]?[0-9]*\.[0-9]*[1-9][0-9]*([eE][-+]?[0-9]+)?")
_NOTHING: Mapping[str, str] = MappingProxyType({})


class SystemColumns(NamedTuple):
    """The columns of one system; `None` is a name that the file does not tell."""

    name: str | None
    prediction: str | None = None
    #: Labels to columns of 0 and 1, where items have several labels.
    indicators: Mapping[str, str] = _NOTHING
    score: str | None = None
    #: Labels to columns of scores.
    class_scores: Mapping[str, str] = _NOTHING


class ColumnPlan(NamedTuple):
    """The use of each column; `truth` is one column, or `indicators` are labels to columns of 0 and 1."""

    truth: str | None
    indicators: dict[str, str]
    item: str | None
    weight: str | None
    #: A column that names the system of each row.
    system: str | None
    systems: list[SystemColumns]
    #: What was read from one column though another one has a name for it, too.
    aside: tuple[str, ...] = ()


class StatedColumns(NamedTuple):
    """The caller's statements about columns."""

    truth: Columns = None
    prediction: Columns = None
    score: Columns = None
    item: str | None = None
    weight: str | None = None


def plan(
    path: str, names: Sequence[str], stated: StatedColumns, labels: Callable[[Iterable[str]], set[str]]
) -> ColumnPlan:
    """Say what each column is; `labels` gives the labels that occur in columns, as text."""
    for columns in stated:
        refuse_absent(path, names, _each(columns))
    truth, indicators = _truth(path, names, stated.truth)
    item = stated.item or find(ITEM, names)
    weight = stated.weight or find(WEIGHT, names)
    taken = {truth, item, weight, *indicators.values()}
    free = [name for name in names if name not in taken]
    unscored = [name for name in free if name not in _each(stated.score)]
    predictions = _predictions(path, unscored, stated.prediction, indicators)
    held = [column for system in predictions for column in (system.prediction,) if column]
    used = {*held, *(column for system in predictions for column in system.indicators.values())}
    rest = [name for name in free if name not in used]

    def known() -> set[str]:
        return set(indicators) or labels([*([truth] if truth else []), *held])

    systems = _with_scores(path, predictions, rest, stated.score, known)
    if not systems:
        raise absent("predictions", names, path, 1)
    layout = ColumnPlan(truth, indicators, item, weight, find(SYSTEM, free), systems)
    return layout._replace(aside=_aside(names, stated, layout))


def _each(columns: Columns) -> list[str]:
    """The columns that are stated, one by one."""
    several = columns.values() if isinstance(columns, Mapping) else columns or ()
    return [columns] if isinstance(columns, str) else list(several)


def _aside(names: Sequence[str], columns: StatedColumns, layout: ColumnPlan) -> tuple[str, ...]:
    """Say which column was guessed to be something where a second one has a name for it and is left aside."""
    systems = layout.systems
    nameless = next((system for system in systems if system.name is None), SystemColumns(None))
    scored = nameless.score or next((system.score for system in systems if system.score), None)
    read = {layout.truth, layout.item, layout.weight, *(name for system in systems for name in _columns_of(system))}
    notes = []
    for role, stated, column in (
        (TRUTH, columns.truth, layout.truth), (PREDICTION, columns.prediction, nameless.prediction),
        (SCORE, columns.score, scored), (ITEM, columns.item, layout.item), (WEIGHT, columns.weight, layout.weight),
    ):  # fmt: skip
        others = [name for name in names if name and folded_name(name) in role.names and name not in read]
        if stated is None and column is not None and others:
            what = role.name.removesuffix("_id")
            ways = f"say {argument(what)} for another"
            notes.append(f"the {what} is read from the column {column!r}, not from {listed(others)}: {ways}")
    return tuple(notes)


def _columns_of(system: SystemColumns) -> tuple[str | None, ...]:
    return system.prediction, system.score, *system.indicators.values(), *system.class_scores.values()


def _truth(path: str, names: Sequence[str], stated: Columns) -> tuple[str | None, dict[str, str]]:
    if isinstance(stated, str):
        return stated, {}
    if stated is not None:
        return None, dict(stated) if isinstance(stated, Mapping) else {suffix(name, TRUTH): name for name in stated}
    column = find(TRUTH, names)
    indicators: dict[str, str] = {} if column else suffixed(names, TRUTH)
    if column is None and not indicators:
        raise absent("predictions", names, path, 1)
    return column, indicators


def _predictions(path: str, free: Sequence[str], stated: Columns, indicators: Mapping[str, str]) -> list[SystemColumns]:
    """The systems that have predictions, each with its column or columns."""
    if isinstance(stated, str):
        return [SystemColumns(None, stated)]
    if stated is not None:
        pairs = stated.items() if isinstance(stated, Mapping) else ((suffix(name, PREDICTION), name) for name in stated)
        return [SystemColumns(name, column) for name, column in pairs]
    plain = find(PREDICTION, free)
    systems = [SystemColumns(None, plain)] if plain else []
    scored = set(_scores_of_predictions(free).values())
    by_suffix = suffixed(free, PREDICTION, TRUTH)
    by_suffix = {name: column for name, column in by_suffix.items() if column not in scored}
    if not indicators or not by_suffix:
        return systems + [SystemColumns(name, column) for name, column in by_suffix.items()]
    labels = listed(list(indicators))
    if other := next((name for name in by_suffix if name not in indicators), None):
        expected = f"predictions of the labels of the truth, {labels}"
        raise FormatError(
            path, 1, expected=expected, got=by_suffix[other], note=f"no column truth_{other} goes with it"
        )
    if lacking := [label for label in indicators if label not in by_suffix]:
        expected = f"a column of predictions for each label of the truth, {labels}"
        raise FormatError(path, 1, expected=expected, note=f"there is none for {listed(lacking)}")
    return [*systems, SystemColumns(None, indicators={label: by_suffix[label] for label in indicators})]


def _with_scores(
    path: str, systems: list[SystemColumns], rest: Sequence[str], stated: Columns, known: Callable[[], set[str]]
) -> list[SystemColumns]:
    """Add the columns of scores to the systems; those of systems that have nothing else make systems."""
    if stated is not None:
        return _with_said_scores(path, systems, stated)
    beside = _scores_of_predictions([*rest, *(system.prediction for system in systems if system.prediction)])
    plain = find(SCORE, rest) or beside.get("")
    named = {system.name: system._replace(score=beside.get(system.name or "")) for system in systems}
    # What tells no system is of the only one, or of one without a name.
    alone = next(iter(named)) if len(named) == 1 else None
    if plain:
        named[alone] = named.get(alone, SystemColumns(None))._replace(score=plain)
    by_suffix = suffixed([name for name in rest if name != plain], SCORE)
    labels = known() if by_suffix else set()
    others: dict[str, str] = {}
    for rest_of_name, column in by_suffix.items():
        system, label = _split(rest_of_name, [name for name in named if name is not None], labels)
        if system is None:
            others[rest_of_name] = column
        elif label:
            held = named[system].class_scores
            named[system] = named[system]._replace(class_scores={**held, label: column})
        else:
            named[system] = named[system]._replace(score=column)
    if set(others) & labels or any(":" in column for column in others.values()):
        # Scores of labels, also of those that never occur.
        if None not in named and len(named) > 1:
            systems_of = listed([str(name) for name in named])
            raise FormatError(path, 1, expected=f"scores of {systems_of}", got=listed(list(others.values())))
        named[alone] = named.get(alone, SystemColumns(None))._replace(class_scores=others)
        others = {}
    only_scores = [SystemColumns(name, score=column) for name, column in others.items()]
    return sorted([*named.values(), *only_scores], key=lambda system: system.name is not None)


def _scores_of_predictions(names: Sequence[str]) -> dict[str, str]:
    """Columns of scores of a prediction, such as prediction_score or pred_NAME_prob: by NAME, or under no name."""
    by_suffix = suffixed(names, PREDICTION, TRUTH)
    columns: dict[str, str] = {}
    for rest, column in by_suffix.items():
        system, _, word = rest.rpartition("_")
        if folded_name(word) in SCORE.names and (not system or system in by_suffix):
            columns.setdefault(system, column)
    return columns


def _split(text: str, systems: Sequence[str], labels: set[str]) -> tuple[str | None, str]:
    """The system and the label in the rest of a column's name: `bm25`, `bm25_spam`, `spam`."""
    if text in systems:
        return text, ""
    for system in systems:
        for mark in MARKS:
            if text.startswith(system + mark) and (mark == ":" or text.removeprefix(system + mark) in labels):
                return system, text.removeprefix(system + mark)
    return None, text


def _with_said_scores(path: str, systems: list[SystemColumns], stated: Columns) -> list[SystemColumns]:
    first, *others = systems or [SystemColumns(None)]
    if isinstance(stated, Mapping):
        return [first._replace(class_scores=dict(stated)), *others]
    columns = [stated] if isinstance(stated, str) else list(stated or ())
    if others and not isinstance(stated, str):
        if len(systems) != len(columns):
            raise ParameterError(f"{path}: {len(systems)} columns of predictions, and {len(columns)} of scores")
        return [system._replace(score=column) for system, column in zip(systems, columns, strict=True)]
    if len(columns) == 1:
        return [first._replace(score=columns[0]), *others]
    return [first._replace(class_scores={suffix(column, SCORE): column for column in columns})]


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
    list_separator: str | None = None,
    name: str | None = None,
    keep: Mapping[str, str | None] | None = None,
) -> list[Predictions]:
    """Read predictions from CSV, TSV, JSON, JSONL, Parquet, Arrow or a data frame: one table a system of the file.

    Columns are known by their usual names (`truth`, `prediction`, `score`, `item_id`, `weight` and others); or they are
    said. `prediction_NAME` and `score_NAME` are of the system NAME; where NAME is a label, `score_NAME` is the score
    of that label. Several labels per item: lists in JSONL and Parquet, a `list_separator` in cells of CSV, or columns
    `truth_LABEL` and `prediction_LABEL` of 0 and 1. `systems` chooses some of the systems; `name` is what a system is
    called that the file does not name. `nulls` is the rule of `Predictions.of`; an empty cell is null.
    `keep`: further columns to keep as text, by the names they get; one that is None is kept if the file has it.

    >>> import io
    >>> file = io.StringIO("item_id,truth,prediction_old,prediction_new\\n1,spam,ham,spam\\n2,ham,ham,ham\\n")
    >>> [(system.name, system.prediction.to_list()) for system in read_predictions(file)]
    [('old', ['ham', 'ham']), ('new', ['spam', 'ham'])]
    """
    table = named_columns(given, "predictions")
    if list_separator == "":
        raise ParameterError("list_separator is a text of one character or more")

    def occurring(columns: Iterable[str]) -> set[str]:
        return {str(label) for column in columns for label in distinct(table.labels(column, list_separator))}

    stated = StatedColumns(truth, prediction, score, item, weight)
    layout = plan(table.path, table.frame.columns, stated, occurring)
    labelled = _labelled(table, layout, list_separator)
    kept = _kept(table, keep or {})
    known = labels or tuple(layout.indicators) or None
    assemble = partial(assembled, labels=known, pos_label=pos_label, nulls=nulls, origin=table.path)
    tables = [
        _system_table(
            table, layout, system, labelled, assemble, name=_called(system, part, layout), rows=rows, kept=kept
        )
        for part, rows in _parts(table, layout, name or table.stem)
        for system in layout.systems
    ]
    return tables if systems is None else chosen(tables, systems, table.path, "system")


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
        labels: dict[str | None, pl.Series] = {None: _lists_of_labels(table, layout.indicators)}
        for system in layout.systems:
            if system.indicators:
                labels[""] = _lists_of_labels(table, system.indicators)
            elif system.prediction:
                labels[system.prediction] = table.labels(system.prediction, list_separator)
        return labels
    columns = [layout.truth, *(system.prediction for system in layout.systems)]
    held = [column for column in columns if column is not None]
    for column in held[1 if layout.truth else 0 :]:
        _refuse_scores(table, column, layout.truth)
    values = [table.labels(column, list_separator) for column in held]
    # Cells of text are numbers only if all of them are, in the truth and in all predictions.
    values = as_whole(values) if table.exact is None else values
    return {None if column == layout.truth else column: series for column, series in zip(held, values, strict=True)}


def _refuse_scores(table: NamedColumns, column: str, truth: str | None) -> None:
    """Refuse predictions that are fractions, none of which is a true label: they are scores, or of a regression."""
    values = table.frame[column]
    if not (values.dtype == pl.String or values.dtype.is_float()):
        return
    fractions = {value for value in distinct(values) if _FRACTION.fullmatch(str(value).strip())}
    if fractions and (truth is None or fractions.isdisjoint(distinct(table.frame[truth]))):
        wrong = values.is_in(sorted(fractions))
        way = f"{argument('score', column)} takes scores of the positive label"
        refuse_rows(wrong, table.where, f"a label in {column}", values, note=way)


def _lists_of_labels(table: NamedColumns, columns: Mapping[str, str]) -> pl.Series:
    cells = np.stack([zero_or_one(table, column) for column in columns.values()], axis=1)
    return lists_of_indicators(cells, list(columns), "labels")[0]


def _system_table(
    table: NamedColumns, layout: ColumnPlan, system: SystemColumns, labelled: Mapping[str | None, pl.Series],
    assemble: Callable[..., Predictions], *, name: str, rows: pl.Series | None, kept: Mapping[str, pl.Series],
) -> Predictions:  # fmt: skip
    """The table of one system; `rows` are its rows in the file, if others have some, too."""
    columns = {"truth": labelled[None]}
    if system.prediction or system.indicators:
        columns["prediction"] = labelled[system.prediction or ""]
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
        remarks=tuple(f"{name}: {note}" for note in (*layout.aside, *_trained(table, rows, kept))),
    )


def _trained(table: NamedColumns, rows: pl.Series | None, kept: Mapping[str, pl.Series]) -> Iterator[str]:
    """Say that a file of folds also holds what was learned from, where nothing tells these rows apart."""
    if "split" in kept or table.frame.schema.get("split") not in {pl.String, pl.Categorical}:
        return
    words = table.frame["split"].cast(pl.String).str.to_lowercase()
    tested = (words if rows is None else words.gather(rows)).replace_strict(IS_TESTED, default=None)
    learned = int((~tested).sum())
    if learned and learned < len(tested) and not tested.null_count():
        yield (
            f"{learned:,} of {number_of('row', len(tested))} are training rows by the column 'split', and count "
            "like tested ones: leave them out, or cross-validate"
        )


def _kept(table: NamedColumns, keep: Mapping[str, str | None]) -> dict[str, pl.Series]:
    """Further columns as text, by the names they get."""
    names = table.frame.columns
    refuse_absent(table.path, names, keep.values())
    columns = {ours: column or ours for ours, column in keep.items() if (column or ours) in names}
    kept = {ours: ids_of(table.labels(column), f"{table.path}: {column}") for ours, column in columns.items()}
    for ours, (is_right, expected) in FOLD_DOMAINS.items():
        if ours in kept:
            wrong = [value is not None and not is_right(value) for value in kept[ours]]
            refuse_rows(pl.Series(wrong, dtype=pl.Boolean), table.where, f"{expected} as {ours}", kept[ours])
    return kept


def _scores(table: NamedColumns, column: str) -> ScoreColumns:
    """One score per item; or, in an object, a score of each label."""
    values = table.frame[column]
    if not isinstance(values.dtype, pl.Struct):
        return ScoreColumns([table.numbers(column, "score").alias(column)])
    inside = table._replace(frame=values.struct.unnest())
    return ScoreColumns([inside.numbers(label, "score") for label in inside.frame.columns], tuple(inside.frame.columns))
