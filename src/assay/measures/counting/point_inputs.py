"""Rows of numbers and cluster labels as callers have them, made ready for `Points`; and samples of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, number_of
from assay.measures.counting.contingency import NOISE
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import codes, distinct_labels, ordered
from assay.measures.counting.partition_pairs import NO_CLUSTER, noisy_items
from assay.tables.label_columns import refuse_nulls

#: Whole numbers that lie this close together are counted, and not sorted.
_WIDEST = 1 << 22
_TWO = 2
#: What is no number, by NumPy's letters.
_KINDS = {"U": "text", "S": "text", "T": "text", "c": "complex numbers", "M": "dates", "m": "spans of time"}


def numbers_in_rows(points: Any) -> Floats:
    """A row of numbers an item, from whatever library; one number an item is a row of one.

    >>> numbers_in_rows([3, 4]).shape
    (2, 1)
    """
    if hasattr(points, "toarray"):
        raise InputError("X: expected rows of numbers, got a sparse matrix: X.toarray() makes it a full one")
    try:
        array = np.asarray(points.to_numpy() if hasattr(points, "to_numpy") else points)
    except ValueError:
        raise InputError("X: expected rows of numbers, all of one length") from None
    if array.dtype.kind not in "biufO":
        raise InputError(f"X: expected rows of numbers, got {_KINDS.get(array.dtype.kind, str(array.dtype))}")
    if array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.flat):
        raise InputError(f"X: expected rows of numbers, got {_KINDS['U']}")
    try:
        rows = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise InputError("X: expected rows of numbers") from None
    if rows.ndim not in {1, _TWO}:
        raise InputError(f"X: expected a row of numbers an item, got an array of shape {rows.shape}")
    return rows.reshape(-1, 1) if rows.ndim == 1 else rows


def kept_points(cluster: pl.Series, noise: Any) -> tuple[pl.Series | None, dict[str, int]]:
    """Which items are in a cluster, None if all are, and how many are left out as noise.

    >>> kept_points(pl.Series([0, -1]), -1)[1]
    {'noise': 1}
    """
    refuse_nulls(cluster, "labels", NO_CLUSTER)
    if noise is None:
        return None, {}
    is_noise = noisy_items(cluster, noise)
    if not (noisy := int(is_noise.sum())):
        return None, {}
    if noisy == len(cluster):
        raise InputError(f"no item is left: {number_of('item', noisy)} (noise)")
    return ~is_noise, {NOISE: noisy}


def coded(cluster: pl.Series) -> tuple[Ints, tuple[Any, ...]]:
    """The place of each item's cluster among those that occur, and these in order.

    >>> coded(pl.Series([7, 2, 7]))
    (array([1, 0, 1]), (2, 7))
    """
    if cluster.dtype.is_integer():
        values = cluster.to_numpy()
        low, high = int(values.min()), int(values.max())
        if high - low < _WIDEST:
            place = values.astype(np.int64) - low
            occurs = np.bincount(place) > 0
            occupied = np.flatnonzero(occurs)
            place = place if occurs.all() else (np.cumsum(occurs) - 1)[place]
            return place, tuple((occupied + low).tolist())
        known, place = np.unique(values, return_inverse=True)
        return place.astype(np.int64), tuple(known.tolist())
    clusters = ordered(distinct_labels(cluster), None, cluster)
    return codes(cluster, clusters), clusters


#: So many points of a cluster, if it has them: from one alone nobody knows how much they differ.
_FEWEST = 2


def drawn_by_cluster(codes: Ints, sizes: Ints, sample_size: int | None, seed: int) -> Ints | None:
    """The rows that are drawn, sorted: of each cluster in proportion to its size; None if all are taken.

    >>> drawn = drawn_by_cluster(np.repeat([0, 1], [90, 10]), np.array([90, 10]), sample_size=10, seed=0)
    >>> drawn.shape, drawn[drawn >= 90].shape
    ((10,), (2,))
    """
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or seed < 0:
        raise ParameterError(f"seed is a whole number from 0 on, not {seed!r}")
    if sample_size is None:
        return None
    if isinstance(sample_size, bool) or not hasattr(sample_size, "__index__"):
        raise ParameterError(f"sample_size is a whole number, not {sample_size!r}")
    if sample_size >= len(codes):
        return None
    least = np.minimum(sizes, _FEWEST)
    if sample_size < (fewest := int(least.sum())):
        has = f"{number_of('cluster', len(sizes))} need {fewest:,}, two of each that has them"
        raise ParameterError(f"sample_size is too small: {has}, not {sample_size}")
    taken = _shares(sizes, least, sample_size)
    rng = np.random.default_rng(seed)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    rows = [
        order[start + rng.choice(size, number, replace=False)]
        for start, size, number in zip(starts.tolist(), sizes.tolist(), taken.tolist(), strict=True)
    ]
    return np.sort(np.concatenate(rows))


def _shares(sizes: Ints, least: Ints, wanted: int) -> Ints:
    """How many of each cluster: as near to proportion as whole numbers and the smallest numbers let it be."""
    low, high = 0.0, 1.0
    for _ in range(60):  # the share of every cluster at which the numbers, rounded down, are just not too many
        share = (low + high) / 2
        low, high = (share, high) if _at(sizes, least, share).sum() <= wanted else (low, share)
    taken = _at(sizes, least, low)
    missing = wanted - int(taken.sum())
    behind = np.where(taken < sizes, sizes * high - taken, -np.inf)
    taken[np.argsort(-behind, kind="stable")[:missing]] += 1
    return taken


def _at(sizes: Ints, least: Ints, share: float) -> Ints:
    numbers: Ints = np.maximum(np.floor(sizes * share).astype(np.int64), least)
    return numbers
