"""What a model may know of the items it is tested on: twins on both sides, ids, groups and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from assay.core.errors import listed, number_of
from assay.measures.counting.judgments import Floats, Ints

#: Rows tell items apart if such a share of them is distinct; or a smaller one, if equal rows have equal labels.
_TELLING, _LEAST_TELLING = 0.5, 0.1


class FoldSides(Protocol):
    """Rows on the two sides of a fold."""

    @property
    def train(self) -> Ints:
        """Rows that are learned from."""

    @property
    def test(self) -> Ints:
        """Rows that are tested."""


def codes_of(values: Iterable[Any]) -> Ints:
    """A number for each distinct value, in the order of their first appearance.

    >>> codes_of(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    places: dict[Any, int] = {}
    return np.fromiter((places.setdefault(value, len(places)) for value in values), dtype=np.int64)


def row_codes(X: Any) -> Ints | None:  # noqa: N803  # what scikit-learn calls the features
    """A number for each distinct row of features; None where rows cannot be told apart so.

    >>> row_codes(np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])).tolist()
    [0, 1, 0]
    """
    if hasattr(X, "tocsr"):
        rows = X.tocsr(copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        ends = rows.indptr
        return codes_of(
            (rows.indices[low:high].tobytes(), rows.data[low:high].tobytes()) for low, high in pairwise(ends)
        )
    table = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X, dtype=None if _is_plain(X) else object)
    if table.ndim not in {1, 2}:
        table = table.reshape(len(table), -1)
    if table.dtype.kind in "biuf":
        # Adding 0 makes one zero of the two.
        return codes_of(row.tobytes() for row in np.ascontiguousarray(table + 0))
    try:
        return codes_of(tuple(row) if table.ndim == 2 else row for row in table.tolist())
    except TypeError:  # lists and the like, which have no hash
        return None


def twin_codes(X: Any, labels: Ints) -> Ints | None:  # noqa: N803
    """A number for each distinct row, where equal rows are likely to be copies of one item; else None.

    Of few features with few values most items have equals, which are no copies: there, nothing can be told.

    >>> twin_codes(np.array([[0.1], [0.2], [0.3], [0.1]]), np.array([0, 1, 1, 1])).tolist()
    [0, 1, 2, 0]
    >>> twin_codes(np.array([[0], [1], [0], [1], [1]]), np.array([0, 1, 1, 0, 0])) is None
    True
    """
    rows = row_codes(X)
    if rows is None or not len(rows):
        return rows
    distinct = (int(rows.max()) + 1) / len(rows)
    several = len(np.unique(np.column_stack([rows, labels]), axis=0)) / len(rows)
    return rows if distinct >= _TELLING or (distinct >= _LEAST_TELLING and several == distinct) else None


def _is_plain(X: Any) -> bool:  # noqa: N803
    return isinstance(X, np.ndarray) or hasattr(X, "to_numpy")


def on_both_sides(codes: Ints, splits: Sequence[FoldSides]) -> int:
    """How many items are tested by a model that has learned from one with the same code.

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


def leaks_between_rows(
    splits: Sequence[FoldSides],
    items: int,
    *,
    total: str | None = None,
    rows: Ints | None = None,
    ids: Ints | None = None,
    groups: Ints | None = None,
    times: Floats | None = None,
    advises: bool = True,
) -> list[str]:
    """Warnings of the same item, group or features on both sides of a fold, and of learning from the future.

    `advises`: say which parameter of `crossval` splits items otherwise.
    """
    warnings = []
    total = total or number_of("item", items)
    if same := on_both_sides(np.arange(items), splits):
        warnings.append(f"leak: {same:,} of {total} are tested by a model that has learned from them")
    if ids is not None and (same := on_both_sides(ids, splits)) and not warnings:
        warnings.append(
            f"leak: {same:,} of {total} are tested by a model that has learned from a row with the same id"
            + (": give the ids as groups" if advises else "")
        )
    if rows is not None and (same := on_both_sides(rows, splits)) and not warnings:
        warnings.append(
            f"{same:,} of {total} are tested by a model that has learned from a row with the very same features: "
            "copies of one item should be in one group"
        )
    if groups is not None and (same := on_both_sides(groups, splits)):
        warnings.append(
            f"leak: {same:,} of {total} are tested by a model that has learned from their group"
            + (": keep groups whole, as cv='group' does" if advises else "")
        )
    if times is not None:
        early = sum(bool(times[split.train].max() > times[split.test].min()) for split in splits)
        if early:
            warnings.append(
                f"leak: in {early} of {number_of('fold', len(splits))} a model has learned from items of a later time "
                "than some it is tested on" + (": cv='time' keeps the order" if advises else "")
            )
    return warnings


def labels_not_learned(
    names: Sequence[Any], splits: Sequence[FoldSides], codes: Ints, labels: Sequence[Any]
) -> list[str]:
    """A warning of folds, by their names, whose training set lacks a label; `codes` are the places of labels.

    >>> from assay.subjects.labels.crossvalidation.splits import Split
    >>> labels_not_learned([7], [Split(1, 7, np.array([0]), np.array([1]))], np.array([0, 1]), ["ham", "spam"])
    ['in 1 of 1 fold there is nothing to learn of some label: fold 7 learns from no item of spam']
    """
    absent = [np.bincount(codes[split.train], minlength=len(labels)) == 0 for split in splits]
    lacking = [(name, gone) for name, gone in zip(names, absent, strict=True) if gone.any()]
    if not lacking:
        return []
    first, gone = lacking[0]
    without = listed([str(label) for label, is_absent in zip(labels, gone, strict=True) if is_absent])
    where = f"{len(lacking)} of {number_of('fold', len(splits))}"
    return [f"in {where} there is nothing to learn of some label: fold {first} learns from no item of {without}"]
