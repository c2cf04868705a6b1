"""What a model may know of the items it is tested on: twins on both sides, groups, time, preprocessing of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl
from polars import selectors

from assay.core.errors import listed, number_of
from assay.counting.judgments import Floats, Ints

#: More columns than these are not held against one another.
_MOST_COLUMNS = 500
#: So many columns that reach from 0 to 1, and such a share of all, were scaled so; fewer may be so by nature.
_SCALED, _SCALED_SHARE = 3, 0.9
#: Rows tell items apart if such a share of them is distinct; or a smaller one, if equal rows have equal labels.
_TELLING, _LEAST_TELLING = 0.5, 0.1


class _Near(NamedTuple):
    """How near a number is to one that it would be but for rounding."""

    #: To 0 and 1, of means and standard deviations.
    moment: float
    #: To 1, of the largest value.
    end: float
    #: To 0, of correlations.
    correlation: float


_DOUBLE, _SINGLE = _Near(1e-6, 1e-12, 1e-7), _Near(1e-5, 1e-6, 1e-3)


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


def on_both_sides(codes: Ints, splits: Sequence[Sides]) -> int:
    """How many items are tested by a model that has learned from one with the same code.

    >>> from assay.crossvalidation.splits import Split
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


def said_of_labels(names: Sequence[Any], splits: Sequence[Sides], codes: Ints, labels: Sequence[Any]) -> list[str]:
    """A warning of folds, by their names, whose training set lacks a label; `codes` are the places of labels.

    >>> from assay.crossvalidation.splits import Split
    >>> said_of_labels([7], [Split(1, 7, np.array([0]), np.array([1]))], np.array([0, 1]), ["ham", "spam"])
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


def said_of_columns(X: Any) -> list[str]:  # noqa: N803
    """Warnings of columns that look as if all rows had been looked at to make them.

    >>> raw = np.random.default_rng(0).normal(3, 2, (50, 2))
    >>> said_of_columns(raw), said_of_columns((raw - raw.mean(0)) / raw.std(0))[0][:46]
    ([], '2 of 2 columns of X have mean 0 and standard d')
    """
    table = _numeric(X)
    if table is None or len(table) < 3:
        return []
    near = _DOUBLE if table.dtype == np.float64 else _SINGLE
    table = table[:, np.isfinite(table).any(axis=0) & ~np.isinf(table).any(axis=0)].astype(np.float64)
    # Columns of two values (yes and no, -1 and 1) may be so by nature.
    low, high = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
    several = ((table > low) & (table < high)).any(axis=0)
    table, low, high = table[:, several], low[several], high[several]
    columns = table.shape[1]
    if not columns:
        return []
    mean, spread = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    known = len(table) - np.isnan(table).sum(axis=0)
    spreads = (spread, spread * np.sqrt(known / (known - 1)))
    standard = (np.abs(mean) < near.moment) & np.logical_or.reduce(
        [np.abs(spread_of_columns - 1) < near.moment for spread_of_columns in spreads]
    )
    advice = "with the items to be tested in view: fit that inside each fold, in a pipeline"
    of = f"of {number_of('column', columns)} of X"
    if standard.any():
        return [
            f"{int(standard.sum())} {of} have mean 0 and standard deviation 1 over all rows, as if standardised before "
            f"splitting, {advice}"
        ]
    scaled = int(((low == 0) & (np.abs(high - 1) < near.end)).sum())
    if 1 < scaled == columns or (scaled >= _SCALED and scaled >= _SCALED_SHARE * columns):
        return [f"{scaled} {of} reach from 0 to 1 over all rows, as if scaled before splitting, {advice}"]
    centred = np.abs(mean) < near.moment * spread
    if 2 * centred.sum() >= columns and _are_components(table[:, centred], near):
        return [
            f"{int(centred.sum())} {of} are centred and uncorrelated over all rows, as principal components are that "
            f"were found before splitting, {advice}"
        ]
    return []


def _are_components(centred: Floats, near: _Near) -> bool:
    """Whether columns are components of one analysis of all rows."""
    rows, columns = centred.shape
    if not 1 < columns <= min(_MOST_COLUMNS, rows - 1) or np.isnan(centred).any():
        return False
    # A design that has each level of a factor equally often is balanced by nature: its columns have few values.
    if min(len(np.unique(column)) for column in centred.T) < rows / 2:
        return False
    unit = centred / centred.std(axis=0)
    related = unit.T @ unit / rows - np.eye(columns)
    return bool(np.abs(related).max() < near.correlation)


def _numeric(X: Any) -> Floats | None:  # noqa: N803
    """The columns of numbers, NaN where there is a gap; single precision if any is. None if there are none to see."""
    if hasattr(X, "tocsr"):  # mostly zeros, and so not centred; who made them cannot be seen
        return None
    if hasattr(X, "select_dtypes"):
        X = X.select_dtypes("number", exclude=["timedelta", "complexfloating"])  # noqa: N806
        small = any(str(dtype).lower() in {"float16", "float32"} for dtype in X.dtypes)
        return np.asarray(X.to_numpy(dtype=np.float32 if small else np.float64, na_value=np.nan))
    if isinstance(X, pl.DataFrame):
        X = X.select(selectors.numeric())  # noqa: N806
        small = pl.Float32 in X.dtypes
        return np.asarray(X.cast(pl.Float32 if small else pl.Float64).to_numpy())
    try:
        table = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    except ValueError:
        return None
    if table.ndim != 2 or table.dtype.kind not in "iuf":
        return None
    return table if table.dtype in {np.dtype(np.float16), np.dtype(np.float32)} else table.astype(np.float64)
