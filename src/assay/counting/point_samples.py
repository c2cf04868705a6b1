"""A sample of points that every cluster has its share in."""

from __future__ import annotations

import numpy as np

from assay.core.errors import ParameterError, number_of
from assay.counting.judgments import Ints

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
