"""Predictions with a fold column, made elsewhere: opened, their folds checked, train and test rows told apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.counting.judgments import Floats, Ints
from assay.crossvalidation.leakage import codes_of, said_of_rows
from assay.crossvalidation.result import FoldRecord
from assay.errors import InputError, ParameterError, listed, number_of
from assay.files import is_file
from assay.files.sources import Source
from assay.tables import Predictions
from assay.tables.label_columns import ids_of

#: What the columns of folds are called in tables of predictions, and in files that say nothing else.
COLUMNS = ("fold", "repeat", "split", "group", "time")
_SIDES = {"train": "train", "training": "train", "test": "test", "testing": "test"}


class Folded(NamedTuple):
    """One system: the tested rows, and the rows that were learned from, if there are any; both with repeat and fold."""

    name: str
    test: Predictions
    train: Predictions | None
    folds: tuple[FoldRecord, ...]
    warnings: tuple[str, ...]


class _Sides(NamedTuple):
    train: Ints
    test: Ints


def predictions_in(given: Any, columns: Mapping[str, Any], pos_label: Any = None) -> list[Predictions]:
    """The predictions of every system, each with its columns of folds.

    `given`: `Predictions`, a path, or several of these in a list or in a dict with their names. `columns`: for each of
    `COLUMNS` the name of a file's column, or values, one a row; None to look for a column of that name.
    """
    if isinstance(given, Predictions):
        return [_with_columns(given, columns)]
    if isinstance(given, Mapping):
        found = [(str(name), predictions_in(one, columns, pos_label)) for name, one in given.items()]
        return [
            dataclasses.replace(one, name=name if len(own) == 1 else f"{name} {one.name}")
            for name, own in found
            for one in own
        ]
    if isinstance(given, Source) or is_file(given):
        from assay.files.predictions import read_predictions  # noqa: PLC0415  # only who reads files waits for readers

        for name, value in columns.items():
            if value is not None and not isinstance(value, str):
                raise ParameterError(f"{name} names a column of the file, and is no {type(value).__name__}")
        return read_predictions(given, pos_label=pos_label, keep=columns)
    if isinstance(given, Sequence):
        return [found for one in given for found in predictions_in(one, columns, pos_label)]
    raise ParameterError(
        f"expected an estimator with X and y, or Predictions or a path with a column fold, not {type(given).__name__}"
    )


def _with_columns(given: Predictions, columns: Mapping[str, Any]) -> Predictions:
    """The same with the values that were given beside it."""
    added = []
    for name, value in columns.items():
        if isinstance(value, str):
            raise ParameterError(f"{name}: expected a value a row beside Predictions, got the text {value!r}")
        if value is not None:
            made = ids_of(value, name).alias(name)
            if len(made) != len(given):
                raise InputError(
                    f"expected as many values as there are items, {len(given):,}, got {len(made):,} in {name}"
                )
            added.append(made)
    return dataclasses.replace(given, columns=given.columns.with_columns(added)) if added else given


def folded(given: Predictions) -> Folded:
    """Check the folds of one system and tell the rows apart that were tested and learned from."""
    columns, name = given.columns, given.name
    if "fold" not in columns.columns:
        raise InputError(f"{name}: expected a column that says in which fold an item was tested: fold=... (--fold)")
    for column in COLUMNS:
        if column in columns.columns and columns[column].null_count():
            row = int(columns[column].is_null().arg_max() or 0)
            raise InputError(f"{name}: row {row + 1}: expected a value as {column}, got nothing")
    if "repeat" not in columns.columns:
        columns = columns.with_columns(repeat=pl.lit(1))
    columns = columns.with_columns(_repeat(columns["repeat"], name), _numbers_if_whole(columns["fold"]))
    sides = _sides(columns, name)
    rest = [column for column in columns.columns if column not in {"repeat", "fold", "split"}]
    table = dataclasses.replace(given, columns=columns.select(*rest, "repeat", "fold"))
    test = table.taken(pl.Series(sides == "test"))
    train = table.taken(pl.Series(sides == "train")) if (sides == "train").any() else None
    if not len(test):
        raise InputError(f"{name}: every row was learned from: expected rows with split test")
    keys = test.columns.select("repeat", "fold").unique().sort("repeat", "fold").rows()
    pairs = [_rows_of(columns, sides, *key) for key in keys]
    records = tuple(
        FoldRecord(key[0], key[1], len(pair.train), len(pair.test)) for key, pair in zip(keys, pairs, strict=True)
    )
    if len(records) < 2:
        raise InputError(f"{name}: expected several folds, got one ({records[0].fold})")
    if empty := [str(record.fold) for record in records if not record.train_items]:
        raise InputError(f"{name}: nothing was learned from in fold {listed(empty)}: there is no train row of it")
    said = said_of_rows(
        pairs,
        len(columns),
        total=number_of("tested row", len(test)),
        ids=codes_of(given.item_id) if given.has_ids else None,
        groups=codes_of(columns["group"]) if "group" in columns.columns else None,
        times=_times(columns, name),
    )
    untested = [] if train is None else sorted(set(train.item_id.to_list()) - set(test.item_id.to_list()))
    if untested:
        said.append(f"{number_of('item', len(untested))} learned from, but never tested, first {untested[0]!r}")
    return Folded(name, test, train, records, (*given.remarks, *(f"{name}: {one}" for one in said)))


def _repeat(values: pl.Series, name: str) -> pl.Series:
    made = _numbers_if_whole(values)
    if made.dtype == pl.String:  # names of repeats, in their order
        known = made.unique(maintain_order=True).to_list()
        made = made.replace_strict(known, range(1, len(known) + 1), return_dtype=pl.Int64)
    if name and (made < 0).any():
        raise InputError(f"{name}: expected the number of the repeat, got {made.min()!r}")
    return made.alias("repeat")


def _numbers_if_whole(values: pl.Series) -> pl.Series:
    """Whole numbers where all are, so that fold 10 comes after fold 9; else text."""
    if values.dtype.is_integer():
        return values.cast(pl.Int64)
    numbers = values.cast(pl.String).cast(pl.Int64, strict=False)
    return values.cast(pl.String) if numbers.null_count() else numbers.alias(values.name)


def _sides(columns: pl.DataFrame, name: str) -> np.ndarray[Any, Any]:
    if "split" not in columns.columns:
        return np.full(len(columns), "test")
    words = columns["split"].cast(pl.String).str.to_lowercase()
    if strange := [one for one in words.unique(maintain_order=True).to_list() if one not in _SIDES]:
        row = int((words == strange[0]).arg_max() or 0)
        raise InputError(f"{name}: row {row + 1}: expected train or test as split, got {strange[0]!r}")
    return np.array([_SIDES[one] for one in words.to_list()])


def _rows_of(columns: pl.DataFrame, sides: np.ndarray[Any, Any], repeat: Any, fold: Any) -> _Sides:
    """The rows on both sides of a fold; where it is not said what was learned from, that is all other folds."""
    own = (columns["fold"] == fold).to_numpy()
    here = (columns["repeat"] == repeat).to_numpy()
    learned = own if (sides == "train").any() else ~own
    wanted = "train" if (sides == "train").any() else "test"
    return _Sides(np.flatnonzero(here & learned & (sides == wanted)), np.flatnonzero(here & own & (sides == "test")))


def _times(columns: pl.DataFrame, name: str) -> Floats | None:
    return None if "time" not in columns.columns else times_of(columns["time"].to_list(), f"{name}: time")


def times_of(values: Iterable[Any], what: str) -> Floats:
    """Times as numbers that keep their order: numbers, dates, or text such as 2024-05-31, which sorts as it is.

    >>> times_of(["2024-05-31", "2023-01-01"], "time").tolist()
    [1.0, 0.0]
    """
    held = [one.item() if isinstance(one, np.generic) else one for one in values]
    if any(one is None for one in held):
        raise InputError(f"{what}: expected a time a row, got nothing at row {held.index(None) + 1}")
    try:
        numbers = [float(one) for one in held]
    except (TypeError, ValueError):
        numbers = []
    if numbers:
        return np.array(numbers)
    try:
        places = {one: place for place, one in enumerate(sorted(set(held)))}
    except TypeError:
        raise InputError(f"{what}: expected times of one type, which have an order") from None
    return np.array([float(places[one]) for one in held])
