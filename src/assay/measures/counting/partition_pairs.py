"""How often each class meets each cluster: pairs of labels, of which only those that occur are kept.

The two label sets have nothing to do with one another: classes may be text and clusters numbers. There may be as many
clusters as items, so there is never a table with a cell for every pair, unless it is a small one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, ParameterError, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.tables.label_columns import labels_of
from assay.tables.label_rules import label_like

#: What to do about items without a label of a cluster.
NO_CLUSTER = "name the label of items in no cluster with `noise`"

#: Up to so many cells, a table with a cell for each pair is the fastest way.
_MOST_CELLS = 1 << 22
#: Larger products of two numbers are no whole numbers of 64 bits any more.
_LARGEST_KEY = 1 << 62


class PartitionPairs(NamedTuple):
    """Classes and clusters that occur, in order, and how many items each pair of them has (or what they weigh).

    `row` and `column` are places among `classes` and `clusters`; the pairs are sorted by them. `squares` are sums of
    squared weights, None where nothing is weighted.
    """

    classes: tuple[Any, ...]
    clusters: tuple[Any, ...]
    row: Ints
    column: Ints
    counts: NDArray[Any]
    squares: Floats | None


def partition_pairs(truth: pl.Series, cluster: pl.Series, weight: Floats | None = None) -> PartitionPairs:
    """Count pairs of labels; null is a label, the last one, called None.

    >>> found = partition_pairs(pl.Series(["x", "o", "x"]), pl.Series([7, 2, 7]))
    >>> found.classes, found.clusters, found.counts
    (('o', 'x'), (2, 7), array([1, 2]))
    """
    if (keys := _keys(truth, cluster)) is not None:
        return _by_keys(*keys, weight)
    frame = pl.LazyFrame({"t": truth, "c": cluster} | ({} if weight is None else {"w": weight}))
    counted = [pl.len().cast(pl.Int64).alias("n")]
    if weight is not None:
        counted = [pl.col("w").sum().alias("n"), (pl.col("w") * pl.col("w")).sum().alias("s")]
    grouped = frame.group_by("t", "c").agg(counted).collect(engine="streaming")
    (classes, row), (clusters, column) = (_placed(grouped[name]) for name in ("t", "c"))
    order = np.lexsort((column, row))
    squares = None if weight is None else grouped["s"].to_numpy()[order]
    return PartitionPairs(classes, clusters, row[order], column[order], grouped["n"].to_numpy()[order], squares)


def partition_labels(values: Any, name: str) -> pl.Series:
    """One label an item, in a column; null where there is none.

    >>> partition_labels(np.array([1, 0]), "labels_true").to_list()
    [1, 0]
    """
    series = labels_of(values, name)
    if isinstance(series.dtype, pl.List):
        raise InputError(f"{name}: expected one label an item, got lists of them: overlapping groups are not measured")
    return series


def same_length(truth: pl.Series, cluster: pl.Series) -> None:
    """Refuse labels of different lengths, and none at all."""
    if len(truth) != len(cluster):
        raise InputError(
            f"expected as many clusters as classes, one of each an item, got {len(cluster)} and {len(truth)}"
        )
    if not len(truth):
        raise InputError("expected at least one item, got none")


def noisy_items(cluster: pl.Series, noise: Any) -> pl.Series:
    """Which items are in no cluster, as they have the label that says so.

    >>> noisy_items(pl.Series([0, -1]), -1).to_list()
    [False, True]
    """
    if isinstance(noise, bool | np.bool) and cluster.dtype != pl.Boolean:
        raise ParameterError(f"noise is a label of the clusters, such as {cluster[0]!r}, not {noise!r}")
    noisy: pl.Series = cluster == label_like(cluster[0], noise)
    return noisy


class _Range(NamedTuple):
    """Whole numbers of one side: the values, the smallest, and how far they reach."""

    values: NDArray[Any]
    low: int
    width: int


def _keys(truth: pl.Series, cluster: pl.Series) -> tuple[_Range, _Range] | None:
    """Both sides as ranges of whole numbers, if they are and a pair of them fits into one number."""
    sides = []
    for series in (truth, cluster):
        if not series.dtype.is_integer() or series.null_count():
            return None
        values = series.to_numpy()
        low = int(values.min())
        sides.append(_Range(values, low, int(values.max()) - low + 1))
    left, right = sides
    return (left, right) if left.width * right.width < _LARGEST_KEY else None


def _by_keys(left: _Range, right: _Range, weight: Floats | None) -> PartitionPairs:
    # Step by step in place, in 64 bits: the labels may be of a narrower type, and copies of ten millions take time.
    keys = left.values.astype(np.int64)
    if left.low:
        keys -= left.low
    keys *= right.width
    keys += right.values
    if right.low:
        keys -= right.low
    squares: Floats | None = None
    counts: NDArray[Any]
    if (cells := left.width * right.width) <= max(_MOST_CELLS, len(keys) // 8):
        occurring = np.bincount(keys, minlength=cells)
        kept = np.flatnonzero(occurring)
        if weight is None:
            counts = occurring[kept]
        else:
            counts = np.bincount(keys, weights=weight, minlength=cells)[kept]
            squares = np.bincount(keys, weights=weight * weight, minlength=cells)[kept].astype(np.float64, copy=False)
    elif weight is None:
        keys.sort()
        starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        kept, counts = keys[starts], np.diff(starts, append=len(keys))
    else:
        kept, place = np.unique(keys, return_inverse=True)
        counts, squares = (
            np.bincount(place, weights=weights).astype(np.float64) for weights in (weight, weight * weight)
        )
    classes, row = np.unique(kept // right.width, return_inverse=True)
    clusters, column = np.unique(kept % right.width, return_inverse=True)
    return PartitionPairs(
        tuple((classes + left.low).tolist()), tuple((clusters + right.low).tolist()), row, column, counts, squares
    )


def _placed(labels: pl.Series) -> tuple[tuple[Any, ...], Ints]:
    """The distinct labels in order, null last, and the place of each; those of an Enum in its own order."""
    known = labels.unique().sort(nulls_last=True)
    if isinstance(known.dtype, pl.Categorical):
        known = known.cast(pl.String).sort(nulls_last=True)
        labels = labels.cast(pl.String)
    names = tuple(known.to_list())
    places = pl.DataFrame({"label": known, "place": np.arange(len(names), dtype=np.int64)})
    joined = labels.to_frame("label").join(places, on="label", how="left", nulls_equal=True, maintain_order="left")
    return names, joined["place"].to_numpy()


def described(left_out: dict[str, int]) -> str:
    """How many items were left out, and why.

    >>> described({"noise": 2, "without a class": 1})
    '2 items (noise), 1 item (without a class)'
    """
    return ", ".join(f"{number_of('item', count)} ({why})" for why, count in left_out.items())
