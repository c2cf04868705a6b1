"""What a number of clusters is held against: points without clusters, and subsamples clustered anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.parser import parse_measure

#: The work to cite for it, by its key in the bibliography.
CITES_REFERENCE = "tibshirani2001"
#: Reference data have so many points at most.
MOST_POINTS = 500
#: Clusters of fewer points than this, on average, look unlike those of many: with fewer points than the data have, so
#: many clusters are not held against them.
_FEWEST_EACH = 5
_TINY = 1e-12


def even_points(points: Floats) -> Callable[[int, np.random.Generator], Floats]:
    """What draws so many points, spread evenly over the smallest box along the principal axes that holds all points.

    >>> draw = even_points(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))  # a diagonal, and nothing across
    >>> bool(np.ptp(draw(100, np.random.default_rng(0)) @ [1, -1]) < 1e-9)
    True
    """
    middle = points.mean(axis=0)
    centred = points - middle
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    turned = centred @ axes.T
    flat = np.ptp(turned, axis=0) <= _TINY * float(np.abs(centred).max())
    low, high = (np.where(flat, 0.0, end) for end in (turned.min(axis=0), turned.max(axis=0)))

    def draw(count: int, rng: np.random.Generator) -> Floats:
        drawn: Floats = rng.uniform(low, high, size=(count, len(low))) @ axes + middle
        return drawn

    return draw


class Reference(NamedTuple):
    """The largest silhouette over all numbers of clusters: that of the data, and those of data without structure."""

    value: float
    without: tuple[float, ...]
    #: Points of each of the data sets without structure, and the largest number of clusters that they were put into.
    points: int
    most: int

    @property
    def reached(self) -> int:
        """How many data sets without structure come as high."""
        return sum(best >= self.value for best in self.without)

    @property
    def has_structure(self) -> bool:
        """Whether the data stand out from all data without structure.

        >>> Reference(0.5, (0.3, 0.4), 100, 9).has_structure, Reference(0.4, (0.3, 0.4), 100, 9).has_structure
        (True, False)
        """
        return self.reached == 0


def most_held(points: int, drawn_from: int) -> int:
    """The largest number of clusters that reference data can be held against, of `points`, for data of `drawn_from`.

    >>> most_held(60, 60), most_held(500, 20_000)
    (59, 100)
    """
    return points - 1 if points == drawn_from else points // _FEWEST_EACH


def reference_of(
    points: Floats, silhouettes: Mapping[int, float], fit: Callable[[int, Floats], Ints], *, sets: int, items: int,
    rng: np.random.Generator, metric: str = "euclidean", tell: Callable[[], None] = lambda: None,
) -> Reference | None:  # fmt: skip
    """Cluster data without structure as the data were; None if nothing can be held against them.

    `silhouettes` are those of the data by number of clusters, `points` some or all of the `items`. `tell` is called
    after each data set.
    """
    draw, size = even_points(points), min(len(points), MOST_POINTS)
    held = {k: value for k, value in silhouettes.items() if k <= most_held(size, items) and not np.isnan(value)}
    largest = []
    for _ in range(sets if held else 0):
        sample = draw(size, rng)
        values = [float(np.mean(Points.of(sample, fit(k, sample), metric=metric).silhouettes)) for k in held]
        largest += [np.nanmax(values)] if not np.isnan(values).all() else []
        tell()
    return Reference(max(held.values()), tuple(map(float, largest)), size, max(held)) if largest else None


#: Puts points into clusters: the place of each one's cluster.
Fit: TypeAlias = Callable[[Floats], Ints]
#: The work to cite for it, by its key in the bibliography.
CITES = "benhur2002"
#: The part of the items that a subsample has.
SHARE = 0.8
#: Tables of so many cells at most are held at once.
MOST_CELLS = 2_000_000
_NOT_DRAWN = -1


class ClusterStability(NamedTuple):
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


def stability_of(points: Floats, fit: Fit, samples: Sequence[Ints]) -> ClusterStability:
    """Cluster each subsample, and see how far every two of them agree on the items that both have.

    >>> two = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> halves = [np.array([0, 1, 3, 4]), np.array([0, 1, 2, 3, 4])]
    >>> stability_of(two, lambda X: (X[:, 0] > 5).astype(np.int64), halves)
    ClusterStability(mean=1.0, spread=nan)
    """
    labels = []
    for rows in samples:
        labels_of_sample = np.full(len(points), _NOT_DRAWN, dtype=np.int64)
        labels_of_sample[rows] = np.unique(fit(points[rows]), return_inverse=True)[1]
        labels.append(labels_of_sample)
    values = agreements(labels)
    known = values[~np.isnan(values)]
    if not len(known):
        return ClusterStability()
    spread = float(known.std(ddof=1)) if len(known) > 1 else np.nan
    return ClusterStability(float(known.mean()), spread)


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
