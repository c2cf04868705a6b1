"""Estimators over splits -> a `CrossValidation`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.classification.opening import labelled
from assay.core.errors import number_of
from assay.crossvalidation.asking import Settings
from assay.crossvalidation.measuring import gathered, measured, measures_of
from assay.crossvalidation.result import CrossValidatedSystem, CrossValidation, FoldRecord
from assay.crossvalidation.running import Fit, FoldOutcome, Items, fitted, run, seeded, tabled, takes_weights
from assay.crossvalidation.splitting import Splits
from assay.crossvalidation.watching import Progress
from assay.measures.registry import Measure
from assay.tables import Predictions


def of_estimators(
    estimators: Mapping[str, Any],
    items: Items,
    splits: Splits,
    settings: Settings,
    *,
    seed: int,
    n_jobs: int | None,
    progress: Progress | None,
    train_scores: bool,
    warnings: Sequence[str] = (),
    fit: Fit = fitted,
    kept: list[FoldOutcome] | None = None,
) -> CrossValidation:
    """Run every estimator over the same splits; `kept` receives the outcomes of the folds."""
    task = items.task
    total, done, warned, notes = len(splits.each) * len(estimators), 0, [*splits.warnings, *warnings], []
    systems: list[CrossValidatedSystem] = []
    wanted: tuple[Measure, ...] = ()
    for name, estimator in estimators.items():
        fresh, was_unset = seeded(estimator, seed)
        notes += [f"{name} has no random_state of its own: {seed} is used"] if was_unset else []
        if items.weight is not None and not takes_weights(fresh):
            warned.append(f"{name} takes no weights: they count where it is measured, not where it learns")
        outcomes, learned, caught = [], [], Counter[str]()
        for outcome in run(fresh, items, splits.each, train=train_scores, n_jobs=n_jobs, fit=fit, name=name):
            if outcome.train is not None:
                held = _labelled(tabled([outcome.train], [outcome.split.train], items, name), settings.threshold)
                wanted = wanted or measures_of(settings.measures, task, held)
                learned.append(measured(held, wanted, task))
            caught.update(outcome.warnings)
            outcomes.append(outcome._replace(train=None))
            done += 1
            if progress is not None:
                progress(done, total)
        if kept is not None:
            kept += outcomes
        warned += [
            f"{name}: in {number} of {number_of('fold', len(outcomes))}: {text}" for text, number in caught.items()
        ]
        table = _labelled(_out_of_fold(outcomes, items, name), settings.threshold)
        wanted = wanted or measures_of(settings.measures, task, table)
        keys = [(split.repeat, split.fold) for split in splits.each]
        systems.append(CrossValidatedSystem.of(table, keys, wanted, task, gathered(learned, wanted) if learned else {}))
    records = tuple(FoldRecord(split.repeat, split.fold, len(split.train), len(split.test)) for split in splits.each)
    return CrossValidation(
        tuple(systems), wanted, records, task, splits.says, seed, settings.confidence,
        tuple(dict.fromkeys(warned)), tuple(dict.fromkeys(notes)), splits.tiny, settings.shows_folds, splits.overlap,
    )  # fmt: skip


def _labelled(predictions: Predictions, threshold: float | None) -> Predictions:
    return predictions if threshold is None else labelled(predictions, threshold).predictions


def _out_of_fold(outcomes: Sequence[FoldOutcome], items: Items, name: str) -> Predictions:
    """What was said of all tested items, by repeat and in the order of the rows."""
    table = tabled([outcome.test for outcome in outcomes], [outcome.split.test for outcome in outcomes], items, name)
    sizes = [len(outcome.split.test) for outcome in outcomes]
    repeat = np.repeat([outcome.split.repeat for outcome in outcomes], sizes)
    fold = np.repeat([outcome.split.fold for outcome in outcomes], sizes)
    order = np.lexsort((fold, np.concatenate([outcome.split.test for outcome in outcomes]), repeat))
    columns = table.columns.with_columns(repeat=pl.Series(repeat), fold=pl.Series(fold))
    return replace(table, columns=columns[order])
