"""How stable a way to cluster is: clusters of overlapping subsamples, compared on the items that two of them share.

A number of clusters that the items really have is found again whichever of them are looked at; another one depends on
chance. Every two subsamples are compared by the adjusted Rand index, which is 0 where they agree by chance only, so
that numbers of clusters can be held against one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from assay.counting.contingency import Contingency
from assay.counting.judgments import Floats, Ints
from assay.measures.parser import parse_measure

#: Puts points into clusters: the place of each one's cluster.
Fit: TypeAlias = Callable[[Floats], Ints]
#: The work to cite for it, by its key in the bibliography.
CITES = "benhur2002"
#: The part of the items that a subsample has.
SHARE = 0.8
#: Tables of so many cells at most are held at once.
MOST_CELLS = 2_000_000
_NOT_DRAWN = -1


class Stability(NamedTuple):
    """The mean of the adjusted Rand indices of every two subsamples, and how they spread; NaN if there is none."""

    mean: float = np.nan
    spread: float = np.nan


def subsamples(items: int, resamples: int, rng: np.random.Generator) -> list[Ints]:
    """Random subsamples without replacement, each in the order of the items.

    >>> [len(drawn) for drawn in subsamples(10, 3, np.random.default_rng(0))]
    [8, 8, 8]
    """
    size = max(1, round(SHARE * items))
    return [np.sort(rng.choice(items, size, replace=False)) for _ in range(resamples)]


def stability_of(points: Floats, fit: Fit, samples: Sequence[Ints]) -> Stability:
    """Cluster each subsample, and see how far every two of them agree on the items that both have.

    >>> two = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> halves = [np.array([0, 1, 3, 4]), np.array([0, 1, 2, 3, 4])]
    >>> stability_of(two, lambda X: (X[:, 0] > 5).astype(np.int64), halves)
    Stability(mean=1.0, spread=nan)
    """
    labels = []
    for rows in samples:
        labels_of_sample = np.full(len(points), _NOT_DRAWN, dtype=np.int64)
        labels_of_sample[rows] = np.unique(fit(points[rows]), return_inverse=True)[1]
        labels.append(labels_of_sample)
    values = agreements(labels)
    known = values[~np.isnan(values)]
    if not len(known):
        return Stability()
    spread = float(known.std(ddof=1)) if len(known) > 1 else np.nan
    return Stability(float(known.mean()), spread)


def agreements(labels: Sequence[Ints]) -> Floats:
    """The adjusted Rand index of every two clusterings on the items that both have; -1 marks those that one lacks.

    >>> agreements([np.array([0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0])])
    array([1.])
    """
    width = 1 + max((int(labelling.max()) for labelling in labels), default=0)
    adjusted_rand = parse_measure("ARI", "clustering").of
    names = tuple(range(width))
    row, column = np.divmod(np.arange(width * width), width)
    values = []
    # A table each pair over the same cells, so that the measure is computed for many at once; not all, to spare memory.
    pairs = list(combinations(labels, 2))
    for start in range(0, len(pairs), step := max(1, MOST_CELLS // width**2)):
        counts = [
            np.bincount((first * width + other)[(first >= 0) & (other >= 0)], minlength=width * width)
            for first, other in pairs[start : start + step]
        ]
        tables = Contingency(names, names, row, column, np.array(counts), tuple(map(str, range(len(counts)))))
        values.append(adjusted_rand(tables))
    return np.concatenate(values) if values else np.empty(0)
