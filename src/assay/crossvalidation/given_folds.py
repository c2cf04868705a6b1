"""Predictions that were made elsewhere, with the fold of each -> a `CrossValidation`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from assay.classification.collapsing import against_rest
from assay.classification.opening import all_labels, labelled, not_alike, prepare, same_task
from assay.core.errors import InputError, ParameterError, number_of
from assay.crossvalidation.asking import Settings
from assay.crossvalidation.measuring import Task, Values, by_fold, measures_of
from assay.crossvalidation.opening import Folded, folded
from assay.crossvalidation.result import CrossValidatedSystem, CrossValidation
from assay.crossvalidation.splitting import TINY
from assay.measures.registry import Measure
from assay.tables import Predictions


def of_predictions(given: Sequence[Predictions], settings: Settings) -> CrossValidation:
    """Measure predictions that were made elsewhere, system by system, on the folds they say."""
    if not given:
        raise ParameterError("expected predictions, got none")
    [(name, often)] = Counter(one.name for one in given).most_common(1)
    if often > 1:
        raise ParameterError(f"two systems are called {name!r}: give each a name of its own, in a dict")
    held = [folded(_collapsed(one, settings)) for one in given]
    first = held[0]
    for other in held[1:]:
        if [one[:2] for one in other.folds] != [one[:2] for one in first.folds]:
            raise InputError(f"{first.name} and {other.name} have different folds: nothing could be held side by side")
    test = [_prepared(one.test, settings) for one in held]
    kind, labels = same_task(test), all_labels(test)
    task = Task(kind, labels, test[0].positive)
    tables: list[Any] = [one.given for one in test]
    measures = measures_of(settings.measures, task, tables[0])
    keys = [(one.repeat, one.fold) for one in first.folds]
    systems = tuple(
        CrossValidatedSystem.of(table, keys, measures, task, _learned(one, keys, measures, task, settings))
        for one, table in zip(held, tables, strict=True)
    )
    said = [*(warning for one in held for warning in one.warnings), *_not_alike(test)]
    notes = dict.fromkeys(note for one in test for note in one.notes)
    return CrossValidation(
        systems, measures, first.folds, task, _says(first), None, settings.confidence,
        tuple(dict.fromkeys(said)), tuple(notes), max(one.test_items for one in first.folds) <= TINY,
        settings.shows_folds, any(one.overlap for one in held),
    )  # fmt: skip


def _collapsed(given: Predictions, settings: Settings) -> Predictions:
    if settings.one_class is None:
        return given if settings.pos_label is None else replace(given, pos_label=settings.pos_label)
    found = against_rest(given, settings.one_class)
    if not isinstance(found, Predictions):
        raise InputError("a confusion matrix has no folds: give predictions")
    return found


def _prepared(given: Predictions, settings: Settings) -> Any:
    alone = settings.measures is not None and given.prediction is None
    return prepare(given.name, given, None, settings.pos_label, settings.threshold, scores_alone=alone)


def _learned(
    one: Folded, keys: Sequence[tuple[Any, Any]], measures: Sequence[Measure], task: Task, settings: Settings
) -> dict[Measure, Values]:
    if one.train is None:
        return {}
    table = labelled(one.train, settings.threshold, needed=False).predictions
    return by_fold(table, keys, measures, task)


def _not_alike(test: Sequence[Any]) -> tuple[str, ...]:
    """A warning if systems were not tested on the same items in the same folds."""

    def keyed(one: Any) -> Any:
        frame = one.given.frame
        ids = pl.format("{} {} {}", "repeat", "fold", "item_id")
        return one._replace(given=replace(one.given, columns=frame.with_columns(item_id=ids)))

    return not_alike([keyed(one) for one in test]) if len(test) > 1 else ()


def _says(held: Folded) -> str:
    repeats = len({one.repeat for one in held.folds})
    said = f"{number_of('fold', len(held.folds))} as given" + (f", in {repeats} repeats" if repeats > 1 else "")
    return said if held.train is not None else f"{said}, each taken to have learned from all others"
