"""What is asked of a cross-validation, and the items that it is about, checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.counting.judgments import Floats, Ints
from assay.counting.label_pairs import weights_of
from assay.crossvalidation.leakage import codes_of, said_of_columns, said_of_labels, said_of_rows, twin_codes
from assay.crossvalidation.opening import times_of
from assay.crossvalidation.running import Items, rows_in, taken
from assay.crossvalidation.splitting import Asked, Raw, Splits, split_items
from assay.measures.registry import Measure
from assay.tables.label_columns import ids_of, labels_of
from assay.tables.label_rules import both_labels, distinct, positive_label, row_numbers

#: Measures asked for, in whatever way.
Measures = Iterable[str | Measure] | str | Measure | None


class Settings(NamedTuple):
    """What is asked of predictions, however they came about."""

    measures: Measures = None
    pos_label: Any = None
    one_class: Any = None
    threshold: float | None = None
    confidence: float = 0.95
    shows_folds: bool = False


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
        found = None if names is None else codes_of(names)
        times = None if time is None else times_of(time, "time")
        for name, held in (("groups", found), ("time", times)):
            if held is not None and len(held) != items:
                raise InputError(f"expected as many values as y has, {items:,}, got {len(held):,} in {name}")
        return cls(found, times, None if groups is None else np.asarray(groups))

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


def items_of(X: Any, y: Any, *, pos_label: Any = None, sample_weight: Any = None, item_id: Any = None) -> Items:  # noqa: N803
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
    return Items(X, np.asarray(truth.to_list()), truth, labels, positive, ids, weight)


def splits_of(items: Items, parts: Parts, asked: Asked, rows: Ints | None = None) -> Splits:
    """Split items, or some rows of them in their own numbers from 0; a splitter sees what was given."""
    if rows is None:
        raw = Raw(items.X, items.y, parts.given_groups)
        return split_items(len(items), codes_of(items.truth), parts.groups, asked, parts.order, raw=raw)
    own = parts.taken(rows)
    raw = Raw(taken(items.X, rows), items.y[rows], own.given_groups)
    return split_items(len(rows), codes_of(items.truth.gather(pl.Series(rows))), own.groups, asked, own.order, raw=raw)


def leaks(items: Items, splits: Splits, parts: Parts, *, has_ids: bool) -> list[str]:
    """What may be known of tested items beforehand, as far as it can be seen; and what cannot be learned."""
    known = {label: place for place, label in enumerate(items.labels)}
    places = np.array([known[label] for label in items.truth.to_list()])
    return [
        *said_of_rows(
            splits.each, len(items), rows=twin_codes(items.X, places),
            ids=codes_of(items.ids) if has_ids else None, groups=parts.groups, times=parts.times,
        ),
        *said_of_columns(items.X),
        *said_of_labels([one.fold for one in splits.each], splits.each, places, items.labels),
    ]  # fmt: skip
