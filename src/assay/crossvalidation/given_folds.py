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


def of_predictions(predictions: Sequence[Predictions], settings: Settings) -> CrossValidation:
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
    task = Task(kind, labels, test[0].positive)
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


def _collapsed(predictions: Predictions, settings: Settings) -> Predictions:
    if settings.one_class is None:
        return predictions if settings.pos_label is None else replace(predictions, pos_label=settings.pos_label)
    collapsed = against_rest(predictions, settings.one_class)
    if not isinstance(collapsed, Predictions):
        raise InputError("a confusion matrix has no folds: give predictions")
    return collapsed


def _prepared(predictions: Predictions, settings: Settings) -> Any:
    alone = settings.measures is not None and predictions.prediction is None
    return prepare(predictions.name, predictions, None, settings.pos_label, settings.threshold, scores_alone=alone)


def _learned(
    system: Folded, keys: Sequence[tuple[Any, Any]], measures: Sequence[Measure], task: Task, settings: Settings
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
