"""Predictions with a fold column, made elsewhere: opened, checked, and measured fold by fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import InputError, argument, listed, number_of
from assay.measures.counting.judgments import Ints
from assay.subjects.labels.crossvalidation.items import codes_of, leaks
from assay.subjects.labels.crossvalidation.measuring import FoldRecord, LabelTask
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import Split
from assay.subjects.labels.inputs import all_labels, labelled, opened, prepare, same_task, unpaired
from assay.subjects.labels.measurement import Measures
from assay.tables import Predictions
from assay.tables.label_columns import FOLD_COLUMNS, IS_TESTED, ids_of, refuse_nulls, times_of


class FoldedPredictions(NamedTuple):
    """One system: the tested rows, and the rows that were learned from, if there are any; both with repeat and fold."""

    test: Predictions
    train: Predictions | None
    folds: tuple[FoldRecord, ...]
    warnings: tuple[str, ...]


def predictions_in(predictions: Any, columns: Mapping[str, Any], pos_label: Any = None) -> list[Predictions]:
    """The predictions of every system, each with its columns of folds.

    `columns`: for each of `FOLD_COLUMNS` the name of a column of the file or frame, or values, one a row; None to look
    for a column of that name.
    """
    names = {name: value if isinstance(value, str) else None for name, value in columns.items()}
    added = [ids_of(value, name).alias(name) for name, value in columns.items() if not isinstance(value, str | None)]
    tables = opened(predictions, pos_label, keep=names)
    for column in added:
        for table in tables:
            if len(column) != len(table):
                raise InputError(
                    f"expected as many values as there are items, {len(table):,}, got {len(column):,} in {column.name}"
                )
    return [replace(table, columns=table.columns.with_columns(added)) for table in tables]


def folded(predictions: Predictions) -> FoldedPredictions:
    """Check the folds of one system and tell the rows apart that were tested and learned from."""
    columns = predictions.columns
    name = _called(predictions)
    if "fold" not in columns.columns:
        raise InputError(f"{name}: expected a column that says in which fold an item was tested: {argument('fold')}")
    for column in FOLD_COLUMNS:
        if column in columns.columns:
            refuse_nulls(columns[column], f"{name}: {column}", "expected a value in each row")
    if "repeat" not in columns.columns:
        columns = columns.with_columns(repeat=pl.lit(1))
    columns = columns.with_columns(_repeat(columns["repeat"]), _numbers_if_whole(columns["fold"]))
    tested = _tested(columns, name)
    rest = [column for column in columns.columns if column not in {"repeat", "fold", "split"}]
    table = replace(predictions, columns=columns.select(*rest, "repeat", "fold"))
    test = table.taken(pl.Series(tested))
    train = None if tested.all() else table.taken(pl.Series(~tested))
    if not len(test):
        raise InputError(f"{name}: all rows are training rows: expected rows with split test")
    _refuse_twins(table, tested)
    splits = _splits(columns, tested)
    records = tuple(split.record for split in splits)
    if len(records) < 2:
        raise InputError(f"{name}: expected several folds, got one ({records[0].fold})")
    if empty := [str(record.fold) for record in records if not record.train_items]:
        raise InputError(f"{name}: expected training rows of every fold, got none of fold {listed(empty)}")
    problems = leaks(
        splits,
        table.truth.to_list(),
        () if table.kind == "multilabel" else table.truth.unique(maintain_order=True).to_list(),
        ids=table.item_id if predictions.has_ids else None,
        groups=table.columns.get_column("group", default=None),
        times=times_of(columns["time"].to_list(), f"{name}: time") if "time" in columns.columns else None,
    )
    if train is None:
        assumed = "; this assumes that each fold learned from all others: rows with split train would say from which"
        problems = [f"{problem}{assumed}" for problem in problems]
    warnings = (*predictions.remarks, *(f"{predictions.name}: {problem}" for problem in problems))
    return FoldedPredictions(test, train, records, warnings)


def _called(predictions: Predictions) -> str:
    """The origin of predictions, and their system if that does not say it."""
    if predictions.origin == "in memory":
        return predictions.name
    return predictions.origin if predictions.name in predictions.origin else f"{predictions.origin}: {predictions.name}"


def _splits(columns: pl.DataFrame, tested: Any) -> list[Split]:
    """The rows of each repeat and fold; where it is not said what was learned from, that is all other folds."""
    keyed = columns.select("repeat", "fold").with_row_index("row").with_columns(tested=pl.Series(tested))
    stated = not tested.all()

    def rows(side: pl.DataFrame, *by: str) -> dict[Any, Ints]:
        grouped = side.group_by(by, maintain_order=True).agg("row").sort(by)
        return {tuple(key): np.array(held, dtype=np.int64) for *key, held in grouped.iter_rows()}

    known = rows(keyed.filter(~pl.col("tested")), "repeat", "fold") if stated else rows(keyed, "repeat")
    nothing = np.empty(0, dtype=np.int64)
    return [
        Split(key[0], key[1], known.get(key if stated else key[:1], nothing), test, stated)
        for key, test in rows(keyed.filter("tested"), "repeat", "fold").items()
    ]


def _refuse_twins(predictions: Predictions, tested: Any) -> None:
    """Refuse an item that a fold tests twice, or that has one truth here and another there."""
    if not predictions.has_ids:
        return
    rows = predictions.columns.with_row_index("row", offset=1)
    keys = ["item_id", "repeat", "fold"]
    twice = rows.filter(pl.Series(tested)).filter(pl.struct(keys).is_duplicated())
    if twice.height:
        item, repeat, fold = twice.select(keys).row(0)
        first, second = twice.filter(item_id=item, repeat=repeat, fold=fold)["row"][:2]
        raise InputError(
            f"{_called(predictions)}: rows {first} and {second}: expected each item once in a fold, got {item!r} "
            f"several times in fold {fold} of repeat {repeat}: several rows of one thing are a group"
        )
    truths = rows.unique(["item_id", "truth"], keep="first", maintain_order=True)
    other = truths.filter(pl.col("item_id").is_duplicated())
    if other.height:
        item = other["item_id"][0]
        (first, truth), (second, also) = other.filter(item_id=item).select("row", "truth").rows()[:2]
        raise InputError(
            f"{_called(predictions)}: item {item!r} has the truth {truth!r} in row {first} and {also!r} in row {second}"
        )


def _repeat(values: pl.Series) -> pl.Series:
    """The number of the repeat; names are numbered in their order."""
    numbers = _numbers_if_whole(values)
    return (numbers if numbers.dtype == pl.Int64 else pl.Series(codes_of(values) + 1)).alias("repeat")


def _numbers_if_whole(values: pl.Series) -> pl.Series:
    """Whole numbers where all are, so that fold 10 comes after fold 9; else text. Fold 2 may be written as 2.0."""
    numbers = values.cast(pl.String).cast(pl.Float64, strict=False).fill_null(np.nan)
    is_whole = numbers.is_finite() & (numbers == numbers.floor()) & (numbers.abs() < 2**53)
    return numbers.cast(pl.Int64) if is_whole.all() else values.cast(pl.String)


def _tested(columns: pl.DataFrame, name: str) -> Any:
    """A mask of the rows that were tested."""
    if "split" not in columns.columns:
        return np.ones(len(columns), dtype=np.bool_)
    words = columns["split"].str.to_lowercase()
    if strange := [word for word in words.unique(maintain_order=True).to_list() if word not in IS_TESTED]:
        row = words.to_list().index(strange[0]) + 1
        raise InputError(f"{name}: row {row}: expected train or test as split, got {strange[0]!r}")
    return words.replace_strict(IS_TESTED, return_dtype=pl.Boolean).to_numpy()


def of_predictions(
    predictions: Sequence[Predictions], measures: Measures, pos_label: Any, threshold: float | None
) -> CrossValidation:
    """Measure predictions that were made elsewhere, system by system, on the folds they say."""
    systems = [folded(table) for table in predictions]
    folds = systems[0].folds
    for other in systems[1:]:
        if [fold[:2] for fold in other.folds] != [fold[:2] for fold in folds]:
            names = f"{systems[0].test.name} and {other.test.name}"
            raise InputError(f"{names} have different folds: they cannot be compared")
    prepared = [
        prepare(test.name, test, None, pos_label, threshold,
                scores_alone=measures is not None and test.prediction is None)
        for test, *_ in systems
    ]  # fmt: skip
    tables: list[Any] = [
        (tested.given, None if system.train is None else labelled(system.train, threshold, needed=False).predictions)
        for tested, system in zip(prepared, systems, strict=True)
    ]
    repeats = len({fold.repeat for fold in folds})
    says = f"{number_of('fold', len(folds))} as given" + (f", in {repeats} repeats" if repeats > 1 else "")
    if systems[0].train is None:
        says += ", each assumed to have learned from all others"
    task = LabelTask(same_task(prepared), all_labels(prepared), prepared[0].positive)
    warnings = [*(warning for system in systems for warning in system.warnings), *_not_alike(prepared)]
    return replace(
        CrossValidation.of(tables, folds, task, measures, says),
        warnings=tuple(dict.fromkeys(warnings)),
        notes=tuple(dict.fromkeys(note for system in prepared for note in system.notes)),
        overlap=any(system.test.columns.select("repeat", "item_id").is_duplicated().any() for system in systems),
    )


def _not_alike(test: Sequence[Any]) -> tuple[str, ...]:
    """A warning if systems were not tested on the same items in the same folds."""
    ids = pl.format("{} {} {}", "repeat", "fold", "item_id")
    keyed = [
        system._replace(given=replace(system.given, columns=system.given.frame.with_columns(item_id=ids)))
        for system in test
    ]
    return unpaired(keyed)
