"""What a model may know of the items it is tested on: twins on both sides, groups, time, preprocessing of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from assay.counting.judgments import Floats, Ints
from assay.errors import number_of

#: How near to 0 and 1 the mean and the standard deviation of a column are that was standardised.
_NEAR = 1e-6
#: How far from 1 a column may end that was scaled to it.
_ROUNDING = 1e-12
#: Columns whose correlations are below this are components of one analysis of all rows.
_UNCORRELATED = 1e-9
#: More columns than these are not held against one another.
_MOST_COLUMNS = 500


class Sides(Protocol):
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
    found: dict[Any, int] = {}
    return np.fromiter((found.setdefault(value, len(found)) for value in values), dtype=np.int64)


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


def _is_plain(X: Any) -> bool:  # noqa: N803
    return isinstance(X, np.ndarray) or hasattr(X, "to_numpy")


def on_both_sides(codes: Ints, splits: Sequence[Sides]) -> int:
    """How many items are tested by a model that has learned from one with the same code.

    >>> from assay.crossvalidation.splitting import Split
    >>> on_both_sides(np.array([0, 1, 0]), [Split(1, 1, np.array([0, 1]), np.array([2]))])
    1
    """
    found = np.zeros(len(codes), dtype=np.bool_)
    known = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.bool_)
    for one in splits:
        known[:] = False
        known[codes[one.train]] = True
        found[one.test[known[codes[one.test]]]] = True
    return int(found.sum())


def said_of_rows(
    splits: Sequence[Sides],
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
    said = []
    total = total or number_of("item", items)
    if same := on_both_sides(np.arange(items), splits):
        said.append(f"leak: {same:,} of {total} are tested by a model that has learned from them")
    if ids is not None and (same := on_both_sides(ids, splits)) and not said:
        said.append(
            f"leak: {same:,} of {total} are tested by a model that has learned from a row with the same id"
            + (": give the ids as groups" if advises else "")
        )
    if rows is not None and (same := on_both_sides(rows, splits)) and not said:
        said.append(
            f"{same:,} of {total} are tested by a model that has learned from a row with the very same features: "
            "copies of one item should be in one group"
        )
    if groups is not None and (same := on_both_sides(groups, splits)):
        said.append(
            f"leak: {same:,} of {total} are tested by a model that has learned from their group"
            + (": keep groups whole, as cv='group' does" if advises else "")
        )
    if times is not None:
        early = sum(bool(times[one.train].max() > times[one.test].min()) for one in splits)
        if early:
            said.append(
                f"leak: in {early} of {number_of('fold', len(splits))} a model has learned from items of a later time "
                "than some it is tested on" + (": cv='time' keeps the order" if advises else "")
            )
    return said


def said_of_columns(X: Any) -> list[str]:  # noqa: N803
    """Warnings of columns that look as if all rows had been looked at to make them.

    >>> raw = np.random.default_rng(0).normal(3, 2, (50, 2))
    >>> said_of_columns(raw), said_of_columns((raw - raw.mean(0)) / raw.std(0))[0][:46]
    ([], '2 of 2 columns of X have mean 0 and standard d')
    """
    table = _numeric(X)
    if table is None or len(table) < 3:
        return []
    # Columns of two values (yes and no, -1 and 1) may be so by nature.
    low, high = table.min(axis=0), table.max(axis=0)
    several = ((table > low) & (table < high)).any(axis=0)
    table, low, high = table[:, several], low[several], high[several]
    columns = table.shape[1]
    if not columns:
        return []
    mean = table.mean(axis=0)
    centred = np.abs(mean) < _NEAR
    spreads = (table.std(axis=0, ddof=ddof) for ddof in (0, 1))
    standard = centred & np.logical_or.reduce([np.abs(spread - 1) < _NEAR for spread in spreads])
    advice = "with the items to be tested in view: fit that inside each fold, in a pipeline"
    if standard.any():
        which = f"{int(standard.sum())} of {number_of('column', columns)} of X"
        return [
            f"{which} have mean 0 and standard deviation 1 over all rows, as if standardised before splitting, {advice}"
        ]
    if columns > 1 and bool((low == 0).all() and (np.abs(high - 1) < _ROUNDING).all()):
        return [f"all {columns} columns of X reach from 0 to 1 over all rows, as if scaled before splitting, {advice}"]
    if 1 < columns <= _MOST_COLUMNS and len(table) > columns:
        spread = table.std(axis=0)
        if bool((np.abs(mean) < _NEAR * spread).all()):
            related = (table / spread).T @ (table / spread) / len(table) - np.eye(columns)
            if np.abs(related).max() < _UNCORRELATED:
                return [
                    f"the {columns} columns of X are centred and uncorrelated over all rows, as principal components "
                    f"are that were found before splitting, {advice}"
                ]
    return []


def _numeric(X: Any) -> Floats | None:  # noqa: N803
    """The features as numbers, if they are a table of numbers in memory, without gaps."""
    if hasattr(X, "tocsr"):  # mostly zeros, and so not centred; who made them cannot be seen
        return None
    try:
        table = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    except ValueError:
        return None
    if table.ndim != 2 or table.dtype.kind not in "iuf" or not np.isfinite(table).all():
        return None
    return table.astype(np.float64)
