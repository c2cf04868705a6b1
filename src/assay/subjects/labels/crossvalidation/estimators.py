"""Estimators run over the splits of items, and what may be known of tested items beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed
from assay.measures.counting.label_pairs import weights_of
from assay.subjects.labels.crossvalidation.fitting import (
    FoldOutcome,
    at_threshold,
    fold_outcome,
    in_folds,
    seeded,
    tabled,
    weights_for,
)
from assay.subjects.labels.crossvalidation.folded_predictions import times_of
from assay.subjects.labels.crossvalidation.leakage import codes_of, labels_not_learned, leaks_between_rows, twin_codes
from assay.subjects.labels.crossvalidation.measuring import measures_of
from assay.subjects.labels.crossvalidation.result import CrossValidatedSystem, CrossValidation, FoldRecord
from assay.subjects.labels.crossvalidation.splits import FoldItems, Splits, rows_of
from assay.subjects.labels.measurement import Measures
from assay.tables.label_columns import ids_of, labels_of, refuse_nulls
from assay.tables.label_rules import both_labels, distinct, positive_label, row_numbers


def items_of(
    X: Any,  # noqa: N803
    y: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    item_id: Any = None,
    groups: Any = None,
    time: Any = None,
) -> FoldItems:
    """Features and labels, checked against one another.

    >>> items_of([[0.0], [1.0]], ["ham", "spam"], pos_label="spam").labels
    ('ham', 'spam')
    """
    truth = labels_of(y, "y")
    if isinstance(truth.dtype, pl.List):
        raise InputError(
            "y: expected one label an item; predictions of several an item can be given with a fold column"
        )
    refuse_nulls(truth, "y", "give items that have a label")
    rows = _rows_in(X)
    if rows != len(truth):
        raise InputError(f"expected as many labels as X has rows, {rows:,}, got {len(truth):,} in y")
    labels = tuple(distinct(truth))
    if len(labels) < 2:
        raise InputError(f"y: expected two labels or more, got {listed([*map(str, labels)]) or 'none'}")
    if pos_label is not None and len(labels) > 2:
        raise ParameterError(f"only one of two labels can be positive, and there are {len(labels)}")
    positive = positive_label(both_labels([*labels], pos_label), pos_label) if len(labels) == 2 else None
    if truth.dtype.base_type() in {pl.Categorical, pl.Enum}:
        truth = truth.cast(pl.String)
    weight = None if sample_weight is None else weights_of(sample_weight, rows)
    ids = row_numbers(rows) if item_id is None else ids_of(item_id, "item_id")
    if groups is not None:
        refuse_nulls(ids_of(groups, "groups"), "groups", "give every item a group")
        groups = np.asarray(groups)
    times = None if time is None else times_of(time, "time")
    for name, held in (("item_id", ids), ("groups", groups), ("time", times)):
        if held is not None and len(held) != rows:
            raise InputError(f"expected as many values as y has, {rows:,}, got {len(held):,} in {name}")
    return FoldItems(X, np.asarray(truth.to_list()), truth, labels, positive, ids, weight, groups, times)


def _rows_in(X: Any) -> int:  # noqa: N803  # what scikit-learn calls the features
    """How many rows features have; an error where they have none that could be taken."""
    try:
        rows = int(X.shape[0] if hasattr(X, "shape") else len(X))
        rows_of(X, np.arange(min(rows, 1)))
    except (TypeError, LookupError, ValueError):
        raise InputError(
            f"X: expected an array, a list, a sparse matrix, or a frame of pandas or Polars, got {type(X).__name__}"
        ) from None
    return rows


def leaks(items: FoldItems, splits: Splits, *, has_ids: bool) -> list[str]:
    """What may be known of tested items beforehand, as far as it can be seen; and what cannot be learned."""
    known = {label: place for place, label in enumerate(items.labels)}
    places = np.array([known[label] for label in items.truth.to_list()])
    ids = codes_of(items.ids) if has_ids else None
    leaked = leaks_between_rows(
        splits.each, len(items), rows=twin_codes(items.X, places), ids=ids, groups=items.group_codes, times=items.times
    )
    return leaked + labels_not_learned(splits.each, places, items.labels)


def not_weighted(name: str, model: Any, items: FoldItems) -> list[str]:
    """A warning of weights that learning cannot allow for."""
    if items.weight is None or weights_for(model, items.weight):
        return []
    return [f"{name} takes no weights: they count where it is measured, not where it learns"]


def of_estimators(
    estimators: Mapping[str, Any],
    items: FoldItems,
    splits: Splits,
    measures: Measures = None,
    *,
    seed: int,
    n_jobs: int | None,
    progress: bool,
    train_scores: bool = False,
    threshold: float | None = None,
) -> CrossValidation:
    """Run every estimator over the same splits."""
    warned: list[str] = []
    notes, systems = [], {}
    for name, estimator in estimators.items():
        model, was_unset = seeded(estimator, seed)
        notes += [f"{name} has no random_state of its own: {seed} is used"] if was_unset else []
        warned += not_weighted(name, model, items)
        each = [(model, items, split, train_scores) for split in splits.each]
        outcomes, said = in_folds(fold_outcome, each, splits.each, name, n_jobs=n_jobs, progress=progress)
        warned += said
        at = None if threshold is None else [threshold] * len(outcomes)
        systems[name] = outcomes if at is None else at_threshold(outcomes, at, items)
    return measured_outcomes(systems, items, splits, measures, seed=seed, warned=warned, notes=notes)


def measured_outcomes(
    systems: Mapping[str, Sequence[FoldOutcome]],
    items: FoldItems,
    splits: Splits,
    measures: Measures,
    *,
    seed: int,
    warned: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> CrossValidation:
    """Measure what the models of all folds have said."""
    held, wanted = [], None
    for name, outcomes in systems.items():
        test, learned = [each.test for each in outcomes], [each.train for each in outcomes if each.train is not None]
        table = tabled(test, [split.test for split in splits.each], splits.each, items, name)
        train = tabled(learned, [split.train for split in splits.each], splits.each, items, name) if learned else None
        wanted = wanted or measures_of(measures, items.task, table)
        keys = [(split.repeat, split.fold) for split in splits.each]
        held.append(CrossValidatedSystem.of(table, train, keys, wanted, items.task))
    records = tuple(FoldRecord(split.repeat, split.fold, len(split.train), len(split.test)) for split in splits.each)
    return CrossValidation(
        tuple(held), wanted or (), records, items.task, splits.says, seed,
        warnings=tuple(dict.fromkeys([*splits.warnings, *warned])), notes=tuple(dict.fromkeys(notes)),
        tiny=splits.tiny, overlap=splits.overlap,
    )  # fmt: skip
