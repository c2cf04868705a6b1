"""Predictions with a fold column, made elsewhere: opened, checked, and measured fold by fold."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.arguments import argument
from assay.core.errors import InputError, ParameterError, listed, number_of, quote
from assay.files import is_file
from assay.files.sources import Source
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.registry import Measure
from assay.subjects.labels.crossvalidation.leakage import codes_of, labels_not_learned, leaks_between_rows
from assay.subjects.labels.crossvalidation.measuring import LabelTask, MeasureSettings, Values, by_fold, measures_of
from assay.subjects.labels.crossvalidation.result import CrossValidatedSystem, CrossValidation, FoldRecord
from assay.subjects.labels.crossvalidation.splits import TINY
from assay.subjects.labels.inputs import against_rest, all_labels, labelled, not_alike, prepare, same_task
from assay.tables import Predictions
from assay.tables.label_columns import ids_of
from assay.tables.named_columns import is_frame

#: What the columns of folds are called in tables of predictions, and in files that say nothing else.
COLUMNS = ("fold", "repeat", "split", "group", "time")
_IS_TESTED = {"train": False, "training": False, "test": True, "testing": True}


class Folded(NamedTuple):
    """One system: the tested rows, and the rows that were learned from, if there are any; both with repeat and fold."""

    name: str
    test: Predictions
    train: Predictions | None
    folds: tuple[FoldRecord, ...]
    warnings: tuple[str, ...]
    #: Whether items are tested several times in a repeat.
    overlap: bool


class _Sides(NamedTuple):
    """The rows on both sides of a fold; if nobody `said` what was learned from, that is all of `known` but the tested.

    Each fold's own list of all rows but its own would be too much to hold where folds are thousands.
    """

    known: Ints
    test: Ints
    said: bool

    @property
    def train(self) -> Ints:
        return self.known if self.said else np.delete(self.known, np.searchsorted(self.known, self.test))


def predictions_in(predictions: Any, columns: Mapping[str, Any], pos_label: Any = None) -> list[Predictions]:
    """The predictions of every system, each with its columns of folds.

    `given`: `Predictions`, a path, a data frame, or several of these in a list or in a dict with their names.
    `columns`: for each of `COLUMNS` the name of a column of the file or frame, or beside `Predictions` values, one a
    row; None to look for a column of that name.
    """
    if isinstance(predictions, Predictions):
        return [_with_columns(predictions, columns)]
    if isinstance(predictions, Mapping):
        named = [(str(name), predictions_in(part, columns, pos_label)) for name, part in predictions.items()]
        return [
            dataclasses.replace(table, name=name if len(tables) == 1 else f"{name} {table.name}")
            for name, tables in named
            for table in tables
        ]
    if (source := _source(predictions)) is not None:
        from assay.files.predictions import read_predictions  # noqa: PLC0415  # only who reads files waits for readers

        for name, value in columns.items():
            if value is not None and not isinstance(value, str):
                raise ParameterError(f"{name} names a column of the {source[1]}, and is no {type(value).__name__}")
        return read_predictions(source[0], pos_label=pos_label, keep=columns)
    if isinstance(predictions, Sequence):
        return [table for part in predictions for table in predictions_in(part, columns, pos_label)]
    raise ParameterError(
        "expected an estimator with X and y, or Predictions, a path or a data frame with a column fold, not "
        f"{type(predictions).__name__}"
    )


def _source(value: Any) -> tuple[Any, str] | None:
    """What can be read as a file, and what it is called: a file, or a data frame of any library in its place."""
    if isinstance(value, Source) or is_file(value):
        return value, "file"
    return (value, "frame") if is_frame(value) else None


def _with_columns(predictions: Predictions, columns: Mapping[str, Any]) -> Predictions:
    """The same with the values that were given beside it."""
    added = []
    for name, value in columns.items():
        if isinstance(value, str):
            raise ParameterError(f"{name}: expected a value a row beside Predictions, got the text {value!r}")
        if value is not None:
            column = ids_of(value, name).alias(name)
            if len(column) != len(predictions):
                raise InputError(
                    f"expected as many values as there are items, {len(predictions):,}, got {len(column):,} in {name}"
                )
            added.append(column)
    return dataclasses.replace(predictions, columns=predictions.columns.with_columns(added)) if added else predictions


def folded(predictions: Predictions) -> Folded:
    """Check the folds of one system and tell the rows apart that were tested and learned from."""
    columns, name = predictions.columns, _called(predictions)
    if "fold" not in columns.columns:
        raise InputError(f"{name}: expected a column that says in which fold an item was tested: {argument('fold')}")
    for column in COLUMNS:
        if column in columns.columns and columns[column].null_count():
            row = int(columns[column].is_null().arg_max() or 0)
            raise InputError(f"{name}: row {row + 1}: expected a value as {column}, got nothing")
    if "repeat" not in columns.columns:
        columns = columns.with_columns(repeat=pl.lit(1))
    columns = columns.with_columns(_repeat(columns["repeat"], name), _numbers_if_whole(columns["fold"]))
    tested = _tested(columns, name)
    rest = [column for column in columns.columns if column not in {"repeat", "fold", "split"}]
    table = dataclasses.replace(predictions, columns=columns.select(*rest, "repeat", "fold"))
    test = table.taken(pl.Series(tested))
    train = None if tested.all() else table.taken(pl.Series(~tested))
    if not len(test):
        raise InputError(f"{name}: every row was learned from: expected rows with split test")
    _refuse_twins(table, test)
    each = _each_fold(columns, tested)
    records = tuple(FoldRecord(*key, len(pair.train), len(pair.test)) for key, pair in each.items())
    if len(records) < 2:
        raise InputError(f"{name}: expected several folds, got one ({records[0].fold})")
    if empty := [str(record.fold) for record in records if not record.train_items]:
        raise InputError(f"{name}: nothing was learned from in fold {listed(empty)}: there is no train row of it")
    problems = _said(table, columns, each, number_of("tested row", len(test)), name)
    if train is None:
        assumed = "; that is, if each fold learned from all others: rows with split train would say from which"
        problems = [f"{problem}{assumed}" for problem in problems]
    overlap = bool(predictions.has_ids and test.columns.select("repeat", "item_id").is_duplicated().any())
    untested = [] if train is None else sorted(set(train.item_id.to_list()) - set(test.item_id.to_list()))
    if untested:
        problems.append(f"{number_of('item', len(untested))} learned from, but never tested, first {untested[0]!r}")
    warnings = (*predictions.remarks, *(f"{predictions.name}: {problem}" for problem in problems))
    return Folded(predictions.name, test, train, records, warnings, overlap)


def _called(predictions: Predictions) -> str:
    """Where predictions are from, and whose they are if that does not say it."""
    if predictions.origin == "in memory":
        return predictions.name
    return predictions.origin if predictions.name in predictions.origin else f"{predictions.origin}: {predictions.name}"


def _said(
    predictions: Predictions, columns: pl.DataFrame, each: Mapping[tuple[Any, Any], _Sides], total: str, name: str
) -> list[str]:
    """What may have been known of tested rows beforehand, and what cannot have been learned."""
    problems = leaks_between_rows(
        [*each.values()],
        len(columns),
        total=total,
        ids=codes_of(predictions.item_id) if predictions.has_ids else None,
        groups=codes_of(columns["group"]) if "group" in columns.columns else None,
        times=_times(columns, name),
        advises=False,
    )
    if isinstance(predictions.truth.dtype, pl.List):
        return problems
    labels = predictions.truth.unique(maintain_order=True).to_list()
    return [
        *problems,
        *labels_not_learned([fold for _, fold in each], [*each.values()], codes_of(predictions.truth), labels),
    ]


def _each_fold(columns: pl.DataFrame, tested: Any) -> dict[tuple[Any, Any], _Sides]:
    """The rows of each repeat and fold; where it is not said what was learned from, that is all other folds."""
    keyed = columns.select("repeat", "fold").with_row_index("row").with_columns(tested=pl.Series(tested))
    is_stated = not tested.all()

    def rows(side: pl.DataFrame, *by: str) -> dict[Any, Ints]:
        grouped = side.group_by(by, maintain_order=True).agg("row").sort(by)
        return {tuple(key): np.array(held, dtype=np.int64) for *key, held in grouped.iter_rows()}

    test = rows(keyed.filter("tested"), "repeat", "fold")
    known = rows(keyed.filter(~pl.col("tested")), "repeat", "fold") if is_stated else rows(keyed, "repeat")
    nothing = np.empty(0, dtype=np.int64)
    return {
        key: _Sides(known.get(key if is_stated else key[:1], nothing), tested_rows, is_stated)
        for key, tested_rows in test.items()
    }


def _refuse_twins(predictions: Predictions, test: Predictions) -> None:
    """Refuse an item that a fold tests twice, or that has one truth here and another there."""
    if not predictions.has_ids:
        return
    keyed = test.columns.select("item_id", "repeat", "fold")
    if (twice := keyed.filter(keyed.is_duplicated())).height:
        item, repeat, fold = twice.row(0)
        raise InputError(
            f"{_called(predictions)}: expected each item once in a fold, got {item!r} several times in fold {fold} of "
            f"repeat {repeat}: several rows of one thing are a group"
        )
    truths = predictions.columns.select("item_id", "truth").unique(maintain_order=True)
    if (other := truths.filter(truths["item_id"].is_duplicated())).height:
        item, truth = other.row(0)
        also = other.filter(pl.col("item_id") == item)["truth"].to_list()[1]
        raise InputError(
            f"{_called(predictions)}: item {item!r} has the truth {truth!r} in one row and {also!r} in another"
        )


def _repeat(values: pl.Series, name: str) -> pl.Series:
    numbers = _numbers_if_whole(values)
    if numbers.dtype == pl.String:  # names of repeats, in their order
        known = numbers.unique(maintain_order=True).to_list()
        numbers = numbers.replace_strict(known, range(1, len(known) + 1), return_dtype=pl.Int64)
    if (numbers < 0).any():
        raise InputError(f"{name}: expected the number of the repeat, got {numbers.min()!r}")
    return numbers.alias("repeat")


def _numbers_if_whole(values: pl.Series) -> pl.Series:
    """Whole numbers where all are, so that fold 10 comes after fold 9; else text."""
    if values.dtype.is_integer():
        return values.cast(pl.Int64)
    text = values.cast(pl.String)
    if not (numbers := text.cast(pl.Int64, strict=False)).null_count():
        return numbers
    # 2.0 is what fold 2 becomes in a column that had a gap.
    floats = text.cast(pl.Float64, strict=False).fill_null(np.nan)
    return floats.cast(pl.Int64) if ((floats == floats.floor()) & (floats.abs() < 2**53)).all() else text


def _tested(columns: pl.DataFrame, name: str) -> Any:
    """Which rows were tested, as a mask."""
    if "split" not in columns.columns:
        return np.ones(len(columns), dtype=np.bool_)
    words = columns["split"].cast(pl.String).str.to_lowercase()
    if strange := [word for word in words.unique(maintain_order=True).to_list() if word not in _IS_TESTED]:
        row = int((words == strange[0]).arg_max() or 0)
        raise InputError(f"{name}: row {row + 1}: expected train or test as split, got {strange[0]!r}")
    return words.replace_strict(_IS_TESTED, return_dtype=pl.Boolean).to_numpy()


def _times(columns: pl.DataFrame, name: str) -> Floats | None:
    return None if "time" not in columns.columns else times_of(columns["time"].to_list(), f"{name}: time")


def times_of(values: Iterable[Any], what: str) -> Floats:
    """Times as numbers that keep their order: finite numbers, dates, or text such as 2024-05-31 (ISO 8601).

    >>> times_of(["2024-05-31", "2023-01-01"], "time").tolist()
    [1.0, 0.0]
    """
    held = [value.item() if isinstance(value, np.generic) else value for value in values]
    for row, value in enumerate(held, 1):
        if value is None or value != value:  # noqa: PLR0124  # what is not a number or not a time is not even equal to itself
            raise InputError(f"{what}: row {row}: expected a time, got nothing")
    try:
        numbers = np.array([float(value) for value in held])
    except (TypeError, ValueError):
        return _ranked([_parsed(value, f"{what}: row {row}") for row, value in enumerate(held, 1)], what)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(f"{what}: row {row + 1}: expected a finite number, got {held[row]}")
    return numbers


def _parsed(value: Any, where: str) -> Any:
    """A date or a time of a day as it is; text as the time that it says. Other text would sort by its letters."""
    if not isinstance(value, str):
        return value
    month = f"{value}-01" if re.fullmatch(r"\d{4}-\d{2}", value) else value
    try:
        return datetime.fromisoformat(month)
    except ValueError:
        raise InputError(f"{where}: expected a number or a date such as 2024-05-31, got {quote(value)}") from None


def _ranked(times: list[Any], what: str) -> Floats:
    try:
        places = {time: place for place, time in enumerate(sorted(set(times)))}
    except TypeError:
        raise InputError(f"{what}: expected times of one type, which have an order") from None
    return np.array([float(places[time]) for time in times])


def of_predictions(predictions: Sequence[Predictions], settings: MeasureSettings) -> CrossValidation:
    """Measure predictions that were made elsewhere, system by system, on the folds they say."""
    if not predictions:
        raise ParameterError("expected predictions, got none")
    [(name, often)] = Counter(table.name for table in predictions).most_common(1)
    if often > 1:
        raise ParameterError(f"two systems are called {name!r}: give each a name of its own, in a dict")
    held = [folded(_collapsed(table, settings)) for table in predictions]
    first = held[0]
    for other in held[1:]:
        if [fold[:2] for fold in other.folds] != [fold[:2] for fold in first.folds]:
            raise InputError(f"{first.name} and {other.name} have different folds: nothing could be held side by side")
    test = [_prepared(system.test, settings) for system in held]
    kind, labels = same_task(test), all_labels(test)
    task = LabelTask(kind, labels, test[0].positive)
    tables: list[Any] = [system.given for system in test]
    measures = measures_of(settings.measures, task, tables[0])
    keys = [(fold.repeat, fold.fold) for fold in first.folds]
    systems = tuple(
        CrossValidatedSystem.of(table, keys, measures, task, _learned(system, keys, measures, task, settings))
        for system, table in zip(held, tables, strict=True)
    )
    warnings = [*(warning for system in held for warning in system.warnings), *_not_alike(test)]
    notes = dict.fromkeys(note for system in test for note in system.notes)
    return CrossValidation(
        systems, measures, first.folds, task, _says(first), None, settings.confidence,
        tuple(dict.fromkeys(warnings)), tuple(notes), max(fold.test_items for fold in first.folds) <= TINY,
        settings.shows_folds, any(system.overlap for system in held),
    )  # fmt: skip


def _collapsed(predictions: Predictions, settings: MeasureSettings) -> Predictions:
    if settings.one_class is None:
        return predictions if settings.pos_label is None else replace(predictions, pos_label=settings.pos_label)
    collapsed = against_rest(predictions, settings.one_class)
    if not isinstance(collapsed, Predictions):
        raise InputError("a confusion matrix has no folds: give predictions")
    return collapsed


def _prepared(predictions: Predictions, settings: MeasureSettings) -> Any:
    alone = settings.measures is not None and predictions.prediction is None
    return prepare(predictions.name, predictions, None, settings.pos_label, settings.threshold, scores_alone=alone)


def _learned(
    system: Folded,
    keys: Sequence[tuple[Any, Any]],
    measures: Sequence[Measure],
    task: LabelTask,
    settings: MeasureSettings,
) -> dict[Measure, Values]:
    if system.train is None:
        return {}
    table = labelled(system.train, settings.threshold, needed=False).predictions
    return by_fold(table, keys, measures, task)


def _not_alike(test: Sequence[Any]) -> tuple[str, ...]:
    """A warning if systems were not tested on the same items in the same folds."""

    def keyed(system: Any) -> Any:
        frame = system.given.frame
        ids = pl.format("{} {} {}", "repeat", "fold", "item_id")
        return system._replace(given=replace(system.given, columns=frame.with_columns(item_id=ids)))

    return not_alike([keyed(system) for system in test]) if len(test) > 1 else ()


def _says(held: Folded) -> str:
    repeats = len({fold.repeat for fold in held.folds})
    text = f"{number_of('fold', len(held.folds))} as given" + (f", in {repeats} repeats" if repeats > 1 else "")
    return text if held.train is not None else f"{text}, each taken to have learned from all others"
