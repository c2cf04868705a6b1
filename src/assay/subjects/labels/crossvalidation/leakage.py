"""What a model may know of the items it is tested on: twins on both sides, ids, groups and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import listed, number_of
from assay.measures.counting.judgments import Floats, Ints

if TYPE_CHECKING:
    from assay.subjects.labels.crossvalidation.splits import Split

#: Rows tell items apart if such a share of them is distinct; or a smaller one, if equal rows have equal labels.
_TELLING, _LEAST_TELLING = 0.5, 0.1


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
        sides = pairwise(rows.indptr)
        return codes_of((rows.indices[low:high].tobytes(), rows.data[low:high].tobytes()) for low, high in sides)
    is_plain = isinstance(X, np.ndarray) or hasattr(X, "to_numpy")
    table = np.asarray(X, dtype=None if is_plain else object)
    table = table.reshape(len(table), -1)
    if table.dtype.kind in "biuf":
        # Adding 0 makes one zero of the two.
        return codes_of(row.tobytes() for row in np.ascontiguousarray(table + 0))
    try:
        return codes_of(map(tuple, table.tolist()))
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


def on_both_sides(codes: Ints, splits: Sequence[Split]) -> int:
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
    splits: Sequence[Split],
    items: int,
    *,
    rows: Ints | None = None,
    ids: Ints | None = None,
    groups: Ints | None = None,
    times: Floats | None = None,
) -> list[str]:
    """Warnings of the same item, group or features on both sides of a fold, and of learning from the future."""
    warnings: list[str] = []
    tested = np.zeros(items, dtype=np.bool_)
    for split in splits:
        tested[split.test] = True
    by_row = {
        "them": np.arange(items),
        "a row with the same id": ids,
        "a row with the very same features: copies of one item should be in one group": rows,
    }
    for what, codes in (by_row | {"their group": groups}).items():
        if codes is None or (warnings and what in by_row):
            continue
        if same := on_both_sides(codes, splits):
            of_all = f"{same:,} of {number_of('item', int(tested.sum()))}"
            warnings.append(f"leak: {of_all} are tested by a model that has learned from {what}")
    if times is not None:
        early = sum(bool(times[split.train].max() > times[split.test].min()) for split in splits)
        if early:
            where = f"in {early} of {number_of('fold', len(splits))}"
            warnings.append(f"leak: {where} a model has learned from items of a later time than some it is tested on")
    return warnings


def labels_not_learned(splits: Sequence[Split], codes: Ints, labels: Sequence[Any]) -> list[str]:
    """A warning of folds whose training set lacks a label; `codes` are the places of labels.

    >>> from assay.subjects.labels.crossvalidation.splits import Split
    >>> labels_not_learned([Split(1, 7, np.array([0]), np.array([1]))], np.array([0, 1]), ["ham", "spam"])
    ['in 1 of 1 fold there is nothing to learn of some label: fold 7 learns from no item of spam']
    """
    absent = [np.bincount(codes[split.train], minlength=len(labels)) == 0 for split in splits]
    lacking = [(split.fold, gone) for split, gone in zip(splits, absent, strict=True) if gone.any()]
    if not lacking:
        return []
    first, gone = lacking[0]
    without = listed([str(label) for label, is_absent in zip(labels, gone, strict=True) if is_absent])
    where = f"{len(lacking)} of {number_of('fold', len(splits))}"
    return [f"in {where} there is nothing to learn of some label: fold {first} learns from no item of {without}"]
