"""The items that estimators learn from, and what a model may know of the items it is tested on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import weights_of
from assay.subjects.labels.crossvalidation.measuring import LabelTask
from assay.tables import Predictions
from assay.tables.label_columns import ids_of, labels_of, refuse_nulls, times_of
from assay.tables.label_rules import distinct

if TYPE_CHECKING:
    from assay.subjects.labels.crossvalidation.splits import Split

#: Rows with equal features are taken for copies of one item if at least such a share of all rows is distinct.
_TELLING = 0.5


@dataclass(frozen=True, eq=False)
class FoldItems:
    """Items to learn from: features and labels, as scikit-learn takes them, with ids and weights."""

    X: Any
    y: Any
    labels: tuple[Any, ...]
    #: The positive one, where there are two labels.
    positive: Any
    ids: pl.Series
    #: Whether items were given ids.
    has_ids: bool
    weight: Floats | None = None
    #: As they were given.
    groups: Any = None
    times: Floats | None = None

    @classmethod
    def of(
        cls,
        X: Any,  # noqa: N803  # what scikit-learn calls the features
        y: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        item_id: Any = None,
        groups: Any = None,
        time: Any = None,
    ) -> FoldItems:
        """Features and labels, checked against one another.

        >>> FoldItems.of([[0.0], [1.0]], ["ham", "spam"], pos_label="spam").labels
        ('ham', 'spam')
        """
        refuse_nulls(labels_of(y, "y"), "y", "give items that have a label")
        table = Predictions.of(y, pos_label=pos_label, name="y")
        if table.kind == "multilabel":
            raise InputError("y: expected one label per item; predictions of several can be given with a fold column")
        try:
            rows = int(X.shape[0] if hasattr(X, "shape") else len(X))
            rows_of(X, np.arange(min(rows, 1)))
        except (TypeError, LookupError, ValueError):
            kinds = "an array, a list, a sparse matrix, or a frame of pandas or Polars"
            raise InputError(f"X: expected {kinds}, got {type(X).__name__}") from None
        if rows != len(table):
            raise InputError(f"expected as many labels as X has rows, {rows:,}, got {len(table):,} in y")
        labels = tuple(distinct(table.truth))
        if len(labels) < 2:
            raise InputError(f"y: expected two labels or more, got {listed([*map(str, labels)])}")
        if pos_label is not None and len(labels) > 2:
            raise ParameterError(f"only one of two labels can be positive, and there are {len(labels)}")
        if groups is not None:
            refuse_nulls(ids_of(groups, "groups"), "groups", "give every item a group")
            groups = np.asarray(groups)
        times = None if time is None else times_of(time, "time")
        ids = table.item_id if item_id is None else ids_of(item_id, "item_id")
        refuse_nulls(ids, "item_id", "give every item an id")
        for name, column in (("item_id", ids), ("groups", groups), ("time", times)):
            if column is not None and len(column) != rows:
                raise InputError(f"expected as many values as y has, {rows:,}, got {len(column):,} in {name}")
        weight = None if sample_weight is None else weights_of(sample_weight, rows)
        positive = table.positive if len(labels) == 2 else None
        truth = np.asarray(table.truth.to_list())
        return cls(X, truth, labels, positive, ids, item_id is not None, weight, groups, times)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def task(self) -> LabelTask:
        """The task to be learned."""
        return LabelTask("binary" if len(self.labels) == 2 else "multiclass", self.labels, self.positive)

    def taken(self, rows: Ints) -> FoldItems:
        """Some of the items."""
        columns = {name: getattr(self, name) for name in ("y", "ids", "weight", "groups", "times")}
        some = {name: column[rows] for name, column in columns.items() if column is not None}
        return replace(self, X=rows_of(self.X, rows), **some)

    def leaks(self, splits: Sequence[Split]) -> list[str]:
        """Possible leaks to tested items, as far as they can be seen; and columns that cannot be learned."""
        ids = self.ids if self.has_ids else None
        truth = self.y.tolist()
        return leaks(splits, truth, self.labels, X=self.X, ids=ids, groups=self.groups, times=self.times)


def rows_of(X: Any, rows: Ints) -> Any:  # noqa: N803  # what scikit-learn calls the features
    """Some rows of features, of whatever kind.

    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]


def codes_of(values: Iterable[Any]) -> Ints:
    """A number for each distinct value, in the order of their first appearance.

    >>> codes_of(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    places: dict[Any, int] = {}
    return np.fromiter((places.setdefault(value, len(places)) for value in values), dtype=np.int64)


def row_codes(X: Any) -> Ints | None:  # noqa: N803  # what scikit-learn calls the features
    """A number for each distinct row of features; None where rows cannot be compared, or few are distinct.

    Of few features with few values most items have equals, which are no copies: there, nothing can be told.

    >>> row_codes(np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])).tolist()
    [0, 1, 0]
    >>> row_codes(np.array([[0], [1], [0], [1], [1]])) is None
    True
    """
    if hasattr(X, "tocsr"):
        rows = X.tocsr(copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        sides = pairwise(rows.indptr)
        keys: Iterable[Any] = ((rows.indices[low:high].tobytes(), rows.data[low:high].tobytes()) for low, high in sides)
    else:
        is_plain = isinstance(X, np.ndarray) or hasattr(X, "to_numpy")
        table = np.asarray(X, dtype=None if is_plain else object)
        table = table.reshape(len(table), -1)
        # Adding 0 makes one zero of the two.
        keys = [row.tobytes() for row in table + 0] if table.dtype.kind in "biuf" else map(tuple, table.tolist())
    try:
        codes = codes_of(keys)
    except TypeError:  # lists and the like, which have no hash
        return None
    return codes if codes.max(initial=-1) + 1 >= _TELLING * len(codes) else None


def on_both_sides(codes: Ints, splits: Sequence[Split]) -> int:
    """The number of items tested by a model that has learned from one with the same code.

    >>> from assay.subjects.labels.crossvalidation.splits import Split
    >>> on_both_sides(np.array([0, 1, 0]), [Split(1, 1, np.array([0, 1]), np.array([2]))])
    1
    """
    is_known = np.zeros(len(codes), dtype=np.bool_)
    known = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.bool_)
    for split in splits:
        known[:] = False
        known[codes[split.train]] = True
        is_known[split.test[known[codes[split.test]]]] = True
    return int(is_known.sum())


def leaks(
    splits: Sequence[Split],
    truth: Sequence[Any],
    labels: Sequence[Any],
    *,
    X: Any = None,  # noqa: N803
    ids: Iterable[Any] | None = None,
    groups: Iterable[Any] | None = None,
    times: Floats | None = None,
) -> list[str]:
    """Warnings of the same item, group or features on both sides of a fold, and of learning from the future.

    And of labels that cannot be learned; `labels` is empty where items have several.
    """
    tested = number_of("item", len(np.unique(np.concatenate([split.test for split in splits]))))
    by_row = {
        "them": range(len(truth)),
        "a row with the same id": ids,
        "a row with the very same features: copies of one item should be in one group": (
            None if X is None else row_codes(X)
        ),
    }
    warnings: list[str] = []
    for what, values in (by_row | {"their group": groups}).items():
        if values is None or (warnings and what in by_row):
            continue
        if same := on_both_sides(codes_of(values), splits):
            warnings.append(f"leak: {same:,} of {tested} are tested by a model that has learned from {what}")
    early = 0 if times is None else sum(times[split.train].max() > times[split.test].min() for split in splits)
    if early:
        where = f"in {early} of {number_of('fold', len(splits))}"
        warnings.append(f"leak: {where} a model has learned from items of a later time than some it is tested on")
    return warnings + (_labels_not_learned(splits, truth, labels) if labels else [])


def _labels_not_learned(splits: Sequence[Split], truth: Sequence[Any], labels: Sequence[Any]) -> list[str]:
    """A warning of folds whose training items lack a label."""
    places = {label: place for place, label in enumerate(labels)}
    codes = np.array([places[label] for label in truth])
    counts = [np.bincount(codes[split.train], minlength=len(labels)) for split in splits]
    lacking = [(split.fold, count) for split, count in zip(splits, counts, strict=True) if not count.all()]
    if not lacking:
        return []
    fold, count = lacking[0]
    without = listed([str(labels[place]) for place in np.flatnonzero(count == 0).tolist()])
    where = f"{len(lacking)} of {number_of('fold', len(splits))}"
    return [f"in {where} a label is missing from the training items: fold {fold} has none of {without}"]
