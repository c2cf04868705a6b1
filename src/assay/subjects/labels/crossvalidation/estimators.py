"""Estimators run over the splits of items, with progress, and what may be known of tested items beforehand."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import weights_of
from assay.measures.registry import Measure
from assay.subjects.labels.crossvalidation.fitting import (
    Fit,
    FoldItems,
    FoldOutcome,
    fitted,
    rows_in,
    run,
    seeded,
    tabled,
    taken,
    takes_weights,
)
from assay.subjects.labels.crossvalidation.folded_predictions import times_of
from assay.subjects.labels.crossvalidation.leakage import codes_of, labels_not_learned, leaks_between_rows, twin_codes
from assay.subjects.labels.crossvalidation.measuring import MeasureSettings, gathered, measured, measures_of
from assay.subjects.labels.crossvalidation.result import CrossValidatedSystem, CrossValidation, FoldRecord
from assay.subjects.labels.crossvalidation.splits import Raw, SplitDesign, Splits, split_items
from assay.subjects.labels.inputs import labelled
from assay.tables import Predictions
from assay.tables.label_columns import ids_of, labels_of
from assay.tables.label_rules import both_labels, distinct, positive_label, row_numbers

#: Is told of each fold that is done: how many, of how many.
Progress: TypeAlias = Callable[[int, int], None]


def part_of(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Who is told of a part of the work, after so much of it and of so much in all.

    >>> tell = part_of(print, before=5, total=15)
    >>> tell(1, 5)
    6 15
    """
    return None if progress is None else lambda done, _: progress(before + done, total)


@contextmanager
def watched(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """Who is told of folds: the function given; a bar, if True and on a terminal; else nobody.

    >>> with watched(True) as tell:
    ...     print(tell)
    None
    """
    if progress is None or callable(progress):
        yield progress
        return
    if not progress or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  # only a terminal
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("cross-validating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("folds", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Parts(NamedTuple):
    """Which group and which time items belong to, as numbers; and the groups as they were given."""

    groups: Ints | None = None
    times: Floats | None = None
    given_groups: Any = None

    @classmethod
    def of(cls, groups: Any, time: Any, items: int) -> Parts:
        """Both as numbers, one a row."""
        names = None if groups is None else ids_of(groups, "groups")
        if names is not None and names.null_count():
            raise InputError(f"groups: row {int(names.is_null().arg_max() or 0) + 1}: expected a group, got nothing")
        codes = None if names is None else codes_of(names)
        times = None if time is None else times_of(time, "time")
        for name, held in (("groups", codes), ("time", times)):
            if held is not None and len(held) != items:
                raise InputError(f"expected as many values as y has, {items:,}, got {len(held):,} in {name}")
        return cls(codes, times, None if groups is None else np.asarray(groups))

    def taken(self, rows: Ints) -> Parts:
        """Those of some items."""
        times = None if self.times is None else self.times[rows]
        if self.groups is None:
            return Parts(times=times)
        return Parts(codes_of(self.groups[rows]), times, self.given_groups[rows])

    @property
    def order(self) -> Ints | None:
        """The rows in the order of time."""
        return None if self.times is None else np.argsort(self.times, kind="stable")


def items_of(X: Any, y: Any, *, pos_label: Any = None, sample_weight: Any = None, item_id: Any = None) -> FoldItems:  # noqa: N803
    """Features and labels, checked against one another.

    >>> items_of([[0.0], [1.0]], ["ham", "spam"], pos_label="spam").labels
    ('ham', 'spam')
    """
    truth = labels_of(y, "y")
    if isinstance(truth.dtype, pl.List):
        raise InputError(
            "y: expected one label an item; predictions of several an item can be given with a fold column"
        )
    if truth.null_count():
        raise InputError(
            f"y: {number_of('null', truth.null_count())}, first at row {int(truth.is_null().arg_max() or 0) + 1}"
        )
    rows = rows_in(X)
    if rows != len(truth):
        raise InputError(f"expected as many labels as X has rows, {rows:,}, got {len(truth):,} in y")
    labels = tuple(distinct(truth))
    if len(labels) < 2:
        raise InputError(f"y: expected two labels or more, got {listed([*map(str, labels)]) or 'none'}")
    weight = None if sample_weight is None else weights_of(sample_weight, rows)
    ids = row_numbers(rows) if item_id is None else ids_of(item_id, "item_id")
    if len(ids) != rows:
        raise InputError(f"expected as many values as y has, {rows:,}, got {len(ids):,} in item_id")
    if pos_label is not None and len(labels) > 2:
        raise ParameterError(f"only one of two labels can be positive, and there are {len(labels)}")
    positive = positive_label(both_labels([*labels], pos_label), pos_label) if len(labels) == 2 else None
    if truth.dtype.base_type() in {pl.Categorical, pl.Enum}:
        truth = truth.cast(pl.String)
    return FoldItems(X, np.asarray(truth.to_list()), truth, labels, positive, ids, weight)


def splits_of(items: FoldItems, parts: Parts, asked: SplitDesign, rows: Ints | None = None) -> Splits:
    """Split items, or some rows of them in their own numbers from 0; a splitter sees what was given."""
    if rows is None:
        raw = Raw(items.X, items.y, parts.given_groups)
        return split_items(len(items), codes_of(items.truth), parts.groups, asked, parts.order, raw=raw)
    subset = parts.taken(rows)
    raw = Raw(taken(items.X, rows), items.y[rows], subset.given_groups)
    return split_items(
        len(rows), codes_of(items.truth.gather(pl.Series(rows))), subset.groups, asked, subset.order, raw=raw
    )


def leaks(items: FoldItems, splits: Splits, parts: Parts, *, has_ids: bool) -> list[str]:
    """What may be known of tested items beforehand, as far as it can be seen; and what cannot be learned."""
    known = {label: place for place, label in enumerate(items.labels)}
    places = np.array([known[label] for label in items.truth.to_list()])
    return [
        *leaks_between_rows(
            splits.each, len(items), rows=twin_codes(items.X, places),
            ids=codes_of(items.ids) if has_ids else None, groups=parts.groups, times=parts.times,
        ),
        *labels_not_learned([split.fold for split in splits.each], splits.each, places, items.labels),
    ]  # fmt: skip


def of_estimators(
    estimators: Mapping[str, Any],
    items: FoldItems,
    splits: Splits,
    settings: MeasureSettings,
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


def _out_of_fold(outcomes: Sequence[FoldOutcome], items: FoldItems, name: str) -> Predictions:
    """What was said of all tested items, by repeat and in the order of the rows."""
    table = tabled([outcome.test for outcome in outcomes], [outcome.split.test for outcome in outcomes], items, name)
    sizes = [len(outcome.split.test) for outcome in outcomes]
    repeat = np.repeat([outcome.split.repeat for outcome in outcomes], sizes)
    fold = np.repeat([outcome.split.fold for outcome in outcomes], sizes)
    order = np.lexsort((fold, np.concatenate([outcome.split.test for outcome in outcomes]), repeat))
    columns = table.columns.with_columns(repeat=pl.Series(repeat), fold=pl.Series(fold))
    return replace(table, columns=columns[order])
