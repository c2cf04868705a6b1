"""Distances between points, a tile at a time, and centroids: there is never a table of all distances.

Euclidean distances are made of one matrix product, |x|² + |y|² - 2xy, which loses digits where two points are close
beside what they are far from. So each tile is moved to its own middle first, and pairs that are close even there are
computed again from their difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.domains import Choice
from assay.core.errors import InputError
from assay.measures.counting.judgments import Floats, Ints

#: The distances are given, not the points.
PRECOMPUTED = "precomputed"
#: Metrics whose mean over a cluster follows from its centroid: a point, or its direction, and a squared distance.
SQUARED = ("cosine", "sqeuclidean")
_EPS = float(np.finfo(np.float64).eps)
#: A cosine distance of points that are alike, but not number by number, may be this far from 0 by rounding.
COSINE_ROUNDING = (8 * _EPS) ** 2
#: All metrics that are known by name.
METRICS = ("euclidean", "cosine", "manhattan", "sqeuclidean", PRECOMPUTED)

_SYNONYMS = {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}
#: A squared distance that is a smaller share of both squared norms has lost too many digits.
_CLOSE = 1e-4
#: In so few dimensions, differences are as fast as a matrix product, and need no repair.
_FEW_DIMENSIONS = 4
#: So many numbers are gathered at most to repair a tile; beyond, all of it is computed from differences.
_MOST_GATHERED = 1 << 19
#: A product of fewer multiplications stays in the thread that asks for it; larger ones are split over threads that wait
#: for one another, which takes many times as long where other threads do the same.
_ONE_THREAD = 1 << 18
#: Products of this many rows, or more, are worth it.
_FEWEST_ROWS = 8
#: Squares of larger numbers may be none, and squares of smaller ones 0.
_LARGEST = 1e100


def numbered(row: int) -> str:
    """A row by its number, from 1 on.

    >>> numbered(0)
    'row 1'
    """
    return f"row {row + 1}"


def metric_named(metric: str) -> str:
    """The metric under its first name.

    >>> metric_named("cityblock")
    'manhattan'
    """
    name = _SYNONYMS.get(metric, metric) if isinstance(metric, str) else metric
    Choice(METRICS).check("metric", name)
    return name


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances between any rows of some points, in a metric; or taken from a table of all of them.

    >>> Distances(np.array([[0.0], [3.0], [4.0]]), "euclidean").between(np.array([0]), np.array([1, 2]))
    array([[3., 4.]])
    """

    X: Floats
    metric: str

    def threads_for(self, block: int) -> bool:
        """True if tiles of so many rows are best made in several threads: not where a product has threads itself."""
        return self.metric != "euclidean" or _rows_a_product(self.X.shape[1], block) >= _FEWEST_ROWS

    def between(self, rows: Ints, columns: Ints) -> NDArray[Any]:
        """The distances of some points from others: a row and a column for each."""
        if self.metric == PRECOMPUTED:
            return self.X[np.ix_(rows, columns)]
        return self.tile(self.X[rows], self.X[columns])

    def tile(self, left: Floats, right: Floats) -> NDArray[Any]:
        """The distances of points from points, which are rows of the same kind as `X`."""
        if self.metric == "euclidean" and left.shape[1] > _FEW_DIMENSIONS:
            return _euclidean(left, right)
        if self.metric == "cosine":
            return _by_difference(left, right, "sqeuclidean") / 2  # of rows of length 1
        return _by_difference(left, right, self.metric)


def _by_difference(left: Floats, right: Floats, metric: str) -> Floats:
    from scipy.spatial.distance import cdist  # noqa: PLC0415  # only who measures distances waits for it

    distances: Floats = cdist(left, right, "cityblock" if metric == "manhattan" else metric)
    return distances


def _euclidean(left: Floats, right: Floats) -> Floats:
    middle = (left.mean(axis=0) + right.mean(axis=0)) / 2
    ours, theirs = left - middle, right - middle
    lengths, others = np.einsum("ij,ij->i", ours, ours), np.einsum("ij,ij->i", theirs, theirs)
    # The norms are two more columns: one product gives squared distances, and no tile is gone through for them.
    columns = ours.shape[1]
    first, second = np.empty((len(ours), columns + 2)), np.empty((len(theirs), columns + 2))
    np.multiply(ours, -2.0, out=first[:, :columns])
    first[:, columns], first[:, columns + 1] = lengths, 1.0
    second[:, :columns], second[:, columns], second[:, columns + 1] = theirs, 1.0, others
    squares = _product(first, second)
    if squares.min() < _CLOSE * (lengths.max() + others.max()):
        doubtful = squares < (_CLOSE * lengths)[:, None] + _CLOSE * others
        row, column = np.nonzero(doubtful)
        if len(row) * max(columns, 8) > min(_MOST_GATHERED, squares.size):
            return _by_difference(left, right, "euclidean")
        apart = left[row] - right[column]
        squares[row, column] = np.einsum("ij,ij->i", apart, apart)
    np.sqrt(squares, out=squares)
    return squares


def _rows_a_product(columns: int, others: int) -> int:
    """The number of rows that can be multiplied at once in the calling thread."""
    return _ONE_THREAD // max(1, (columns + 2) * others) // 8 * 8


def _product(first: Floats, second: Floats) -> Floats:
    """Each row of the first with each of the second."""
    rows = _rows_a_product(first.shape[1] - 2, len(second))
    if not _FEWEST_ROWS <= rows < len(first):
        return first @ second.T
    products = np.empty((len(first), len(second)))
    whole = len(first) // rows * rows
    np.matmul(
        first[:whole].reshape(-1, rows, first.shape[1]), second.T, out=products[:whole].reshape(-1, rows, len(second))
    )
    np.matmul(first[whole:], second.T, out=products[whole:])
    return products


def checked_points(points: Floats, metric: str, row_name: Callable[[int], str]) -> Floats:
    """Points that have distances: finite numbers, of a size whose square is a number, fit for the metric.

    For cosine, rows are divided by their length, for correlation after their mean is taken off. `row_name` says how a
    row is called in a message.
    """
    if not points.shape[1]:
        raise InputError("X: expected at least one column, got none")
    with np.errstate(all="ignore"):
        total = points.sum()  # the fastest way to see that all are finite
    if not np.isfinite(total):
        finite = np.isfinite(points).all(axis=1)
        if not finite.all():
            row = int(np.argmin(finite))
            raise InputError(
                f"X: {row_name(row)}: expected finite numbers, got {points[row][~np.isfinite(points[row])][0]}"
            )
    largest = float(max(points.max(), -points.min()))
    if largest and not 1 / _LARGEST <= largest <= _LARGEST:
        raise InputError(
            f"X: expected numbers of which the largest is from {1 / _LARGEST:g} to {_LARGEST:g}, got {largest:g}: "
            "choose another unit for them"
        )
    return _of_length_1(points, row_name) if metric == "cosine" else points


def _of_length_1(points: Floats, row_name: Callable[[int], str]) -> Floats:
    # By the largest number first: the squares of small ones would be 0.
    largest = np.abs(points).max(axis=1, keepdims=True)
    if not largest.all():
        row = int(np.argmin(largest))
        raise InputError(f"X: {row_name(row)}: metric cosine needs a direction, and all numbers are 0")
    scaled: Floats = points / largest
    scaled /= np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return scaled


def checked_matrix(matrix: Floats, row_name: Callable[[int], str]) -> Floats:
    """A table of all distances: square, from 0 on, the same in both directions, 0 from a point to itself."""
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"X: metric precomputed: expected a square of distances, got the shape {matrix.shape}")
    slack = 1e-9 * float(np.nanmax(np.abs(matrix), initial=0.0))
    for start in range(0, len(matrix), 256):
        rows = matrix[start : start + 256]
        for wrong, expected in (
            (~np.isfinite(rows), "finite distances"),
            (rows < 0, "distances from 0 on"),
            (np.abs(rows - matrix[:, start : start + 256].T) > slack, "the same distance in both directions"),
        ):
            if wrong.any():
                row, column = (int(place[0]) for place in np.nonzero(wrong))
                distance = rows[row, column]
                back = matrix[column, start + row]
                got = f"{distance:g} and {back:g}" if "both" in expected else f"{distance:g}"
                where = f"{row_name(start + row)}, column {column + 1}"
                raise InputError(f"X: {where}: expected {expected}, got {got}")
    off = np.abs(np.diagonal(matrix)) > slack
    if off.any():
        row = int(np.argmax(off))
        raise InputError(f"X: {row_name(row)}: expected a distance of 0 to itself, got {matrix[row, row]:g}")
    return matrix


#: So many points are worked on at a time.
_STRETCH = 1 << 14
#: So many numbers are held at a time where each centroid meets each other.
_MOST_HELD = 1 << 20
#: A distance of this many roundings cannot be told from 0.
_ROUNDINGS = 8 * _EPS


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
        """Distances of the centroids from the origin; one that rounding alone can have moved there is at 0."""
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

    ones = np.ones(len(codes))
    ends = np.arange(len(codes) + 1)
    return csc_array((ones, codes, ends), shape=(clusters, len(codes))) @ values
