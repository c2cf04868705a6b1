"""The middle of each cluster and how far its points are from there: two passes over the points, a stretch at a time.

Points are compared with the first one of their cluster, not with the origin. So nothing is lost where all points are
far from the origin, nor where clusters are small beside the distances between them; and points that are all alike are
exactly 0 from their middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.measures.counting.judgments import Floats, Ints

#: So many points are worked on at a time.
_STRETCH = 1 << 14
#: So many numbers are held at a time where each centroid meets each other.
_MOST_HELD = 1 << 20
#: A distance of this many roundings cannot be told from 0.
_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)


class Worst(NamedTuple):
    """Of each cluster: the other one that it is least apart from, their distance, and the ratio that says so."""

    cluster: Ints
    distance: Floats
    ratio: Floats


@dataclass(frozen=True, eq=False)
class Centroids:
    """The middle of each cluster: its first point, and the mean of all as seen from there.

    >>> made = Centroids.of(np.array([[0.0], [1.0], [2.0], [10.0], [11.0]]), np.array([0, 0, 0, 1, 1]), 2)
    >>> made.means.ravel(), made.within, made.between
    (array([ 1. , 10.5]), array([2. , 0.5]), array([43.32, 64.98]))
    """

    X: Floats
    codes: Ints
    sizes: Ints
    first: Floats
    shift: Floats

    @classmethod
    def of(cls, points: Floats, codes: Ints, clusters: int) -> Centroids:
        """Find the middles; every cluster has a point."""
        sizes = np.bincount(codes, minlength=clusters)
        at = np.empty(clusters, dtype=np.int64)
        at[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last to be written is the first point
        first = points[at]
        total = np.zeros((clusters, points.shape[1]))
        for rows, code in _stretches(codes, clusters):
            total += _added_up(points[rows] - first[code], code, clusters)
        return cls(points, codes, sizes, first, total / sizes[:, None])

    @property
    def means(self) -> Floats:
        """The centroids themselves."""
        return self.first + self.shift

    @cached_property
    def squares(self) -> Floats:
        """Of each point, the squared Euclidean distance from its centroid."""
        values = np.empty(len(self.codes))
        for rows, off in self._residuals():
            values[rows] = np.einsum("ij,ij->i", off, off)
        return values

    @cached_property
    def within(self) -> Floats:
        """Of each cluster, the sum of its points' squared distances from the centroid."""
        return self._by_cluster(self.squares)

    @cached_property
    def between(self) -> Floats:
        """Of each cluster, the squared distance of its centroid from that of all points, times its points."""
        seen = (self.first - self.first[0]) + self.shift
        off = seen - self.sizes @ seen / self.sizes.sum()
        squares: Floats = self.sizes * np.einsum("ij,ij->i", off, off)
        return squares

    def squares_from(self, rows: Ints) -> Floats:
        """The squared distances of some points from all centroids: a row a point."""
        from scipy.spatial.distance import cdist  # noqa: PLC0415  # only who measures distances waits for it

        # As seen from one point of the first cluster, so that what all have in common takes no digits.
        lengths: Floats = cdist(self.X[rows] - self.first[0], (self.first - self.first[0]) + self.shift, "sqeuclidean")
        return lengths

    @property
    def lengths(self) -> Floats:
        """How far each centroid is from the origin; one that rounding alone can have moved there is at 0."""
        lengths = _length(self.means, "euclidean")
        return np.where(lengths <= _ROUNDINGS * _length(self.first, "euclidean"), 0.0, lengths)

    def directions(self) -> Centroids:
        """The directions of the centroids, each as a cluster of its own; none is at the origin."""
        aimed = self.means / self.lengths[:, None]
        return Centroids(aimed, np.arange(len(aimed)), np.ones(len(aimed), dtype=np.int64), aimed, np.zeros_like(aimed))

    def spreads(self, metric: str) -> Floats:
        """Of each cluster, the mean distance of its points from the centroid: euclidean, manhattan or cosine.

        For cosine, the points have length 1; their mean distance from a mean of length *m* is 1 - m.
        """
        if metric == "cosine":
            # 1 - m² is the mean squared distance from the mean, which has all digits; 1 - m itself has not.
            return self.within / self.sizes / (1 + self.lengths)
        if metric == "euclidean":
            return self._by_cluster(np.sqrt(self.squares)) / self.sizes
        values = np.empty(len(self.codes))
        for rows, off in self._residuals():
            values[rows] = np.abs(off).sum(axis=1)
        return self._by_cluster(values) / self.sizes

    def worst(self, spreads: Floats, metric: str) -> Worst:
        """Of each cluster, the other one with the largest (sum of both spreads) / (distance of both centroids)."""
        clusters = len(self.sizes)
        worst = Worst(np.zeros(clusters, dtype=np.int64), np.zeros(clusters), np.zeros(clusters))
        for start in range(0, clusters, step := max(1, _MOST_HELD // (clusters * self.X.shape[1]))):
            rows = slice(start, start + step)
            far = self.first[rows, None] - self.first
            apart = _length(far + (self.shift[rows, None] - self.shift), metric)
            # What rounding alone can make of two middles that are the same; squared for cosine.
            least = np.full(apart.shape, _ROUNDINGS)
            if metric != "cosine":
                least = _length(far, metric) + _length(self.shift[rows], metric)[:, None] + _length(self.shift, metric)
            apart[apart <= _ROUNDINGS * least] = 0.0
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.where(apart > 0, (spreads[rows, None] + spreads) / apart, np.inf)
            numbers = np.arange(start, min(start + step, clusters))
            ratio[numbers - start, numbers] = -np.inf
            at = ratio.argmax(axis=1)
            for kept, column in zip(worst, (at, apart[numbers - start, at], ratio[numbers - start, at]), strict=True):
                kept[rows] = column
        return worst

    def _residuals(self) -> Iterator[tuple[slice, Floats]]:
        """The points as seen from their centroids, a stretch at a time."""
        for rows, code in _stretches(self.codes, len(self.sizes)):
            off = self.X[rows] - self.first[code]
            off -= self.shift[code]
            yield rows, off

    def _by_cluster(self, values: Floats) -> Floats:
        return np.bincount(self.codes, weights=values, minlength=len(self.sizes)).astype(np.float64, copy=False)


def _length(apart: Floats, metric: str) -> Floats:
    if metric == "manhattan":
        return np.abs(apart).sum(axis=-1)  # type: ignore[no-any-return]
    squares: Floats = np.einsum("...i,...i", apart, apart)
    return squares / 2 if metric == "cosine" else np.sqrt(squares)


def _stretches(codes: Ints, clusters: int) -> Iterator[tuple[slice, Ints]]:
    """Rows, a stretch at a time, and the clusters of each; not shorter than there are clusters."""
    for start in range(0, len(codes), step := max(_STRETCH, clusters)):
        yield slice(start, start + step), codes[start : start + step]


def _added_up(values: Floats, codes: Ints, clusters: int) -> Any:
    """Rows added up by cluster."""
    from scipy.sparse import csc_array  # noqa: PLC0415  # only who measures distances waits for it

    ones, ends = np.ones(len(codes)), np.arange(len(codes) + 1)
    return csc_array((ones, codes, ends), shape=(clusters, len(codes))) @ values
