"""Distances of each point to its own cluster and to the nearest other one, a tile at a time.

Points are sorted by cluster and cut into blocks: pieces of a large cluster, or several small clusters together. A tile
holds the distances of two blocks and serves both: its rows and its columns are added up by cluster. What is kept is a
few numbers a point, so memory does not grow with the square of the points, nor with points times clusters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.measures.counting.distances import PRECOMPUTED, Centroids, Distances
from assay.measures.counting.judgments import Floats, Ints

#: So many points a block. A tile of two fits into the cache of a core.
BLOCK = 512
#: Each thread holds a tile; more of them would hold too much.
_MOST_THREADS = 8


class Block(NamedTuple):
    """Points that stand together: several whole clusters, or a piece of one; `last` says that it is the last piece.

    `starts` is where each cluster starts in it, `first` the number of the first of them.
    """

    start: int
    end: int
    first: int
    starts: Ints
    is_piece: bool
    last: bool


class Sums(NamedTuple):
    """Of each point: the sum of distances to its own cluster and to all others, and the nearest other cluster.

    `nearest_mean` is the mean distance to that cluster; infinite, and `nearest` -1, where there is no other.
    """

    own: Floats
    other: Floats
    nearest_mean: Floats
    nearest: Ints

    @classmethod
    def of_nothing(cls, points: int) -> Sums:
        """Before any distance is added."""
        return cls(np.zeros(points), np.zeros(points), np.full(points, np.inf), np.full(points, -1, dtype=np.int64))

    def offer(self, place: Any, mean: Floats, cluster: Ints | int) -> None:
        """Take a cluster as the nearest where its mean distance is smaller; of equal ones the first stays."""
        nearer = mean < self.nearest_mean[place]
        self.nearest_mean[place] = np.where(nearer, mean, self.nearest_mean[place])
        self.nearest[place] = np.where(nearer, cluster, self.nearest[place])


class _Seen(NamedTuple):
    """One side of a tile: sums of distances to the other side, to the own cluster, and the nearest of the others."""

    total: Floats
    own: Floats | None = None
    mean: Floats | None = None
    cluster: Ints | None = None


def blocks_of(sizes: Ints, most: int = BLOCK) -> list[Block]:
    """Cut clusters, one after the other, into blocks.

    >>> [(block.start, block.end, block.first, block.is_piece) for block in blocks_of(np.array([2, 1, 7]), most=4)]
    [(0, 3, 0, False), (3, 7, 2, True), (7, 10, 2, True)]
    """
    ends = np.cumsum(sizes)
    blocks: list[Block] = []
    cluster = 0
    while cluster < len(sizes):
        start = int(ends[cluster] - sizes[cluster])
        if sizes[cluster] > most:
            for piece in range(start, int(ends[cluster]), most):
                end = min(piece + most, int(ends[cluster]))
                blocks.append(Block(piece, end, cluster, np.zeros(1, dtype=np.int64), True, end == ends[cluster]))
            cluster += 1
            continue
        after = max(int(np.searchsorted(ends, start + most, side="right")), cluster + 1)
        starts = ends[cluster:after] - sizes[cluster:after] - start
        blocks.append(Block(start, int(ends[after - 1]), cluster, starts, False, True))
        cluster = after
    return blocks


def sums_of_all(distances: Distances, order: Ints, sizes: Ints) -> Sums:
    """The sums of every point, in the order of the clusters; `order` has the points' rows, cluster by cluster.

    >>> line = Distances(np.array([[0.0], [1.0], [5.0]]), "euclidean")
    >>> sums_of_all(line, np.arange(3), np.array([2, 1])).nearest_mean
    array([5. , 4. , 4.5])
    """
    blocks = blocks_of(sizes)
    tile = _tiles(distances, order)
    sums, unfinished = Sums.of_nothing(len(order)), np.zeros(len(order))
    with _Threads(len(blocks) > 1 and distances.threads_for(BLOCK)) as each:
        for number, ours in enumerate(blocks):
            rows = slice(ours.start, ours.end)
            so_far = np.zeros(ours.end - ours.start)
            later = blocks[number:]
            for theirs, (seen, back) in zip(later, each(partial(_both_sides, tile, sizes, ours), later), strict=True):
                columns = slice(theirs.start, theirs.end)
                if ours.is_piece and theirs.first == ours.first:
                    sums.own[rows] += seen.total
                    if theirs is not ours:
                        sums.own[columns] += back.total
                    continue
                sums.other[rows] += seen.total
                if seen.own is not None:
                    sums.own[rows] += seen.own
                if seen.mean is not None and seen.cluster is not None:
                    sums.offer(rows, seen.mean, seen.cluster)
                else:
                    so_far += seen.total
                    if theirs.last:
                        sums.offer(rows, so_far / sizes[theirs.first], theirs.first)
                        so_far[:] = 0.0
                if theirs is ours:
                    continue
                sums.other[columns] += back.total
                if back.mean is not None and back.cluster is not None:
                    sums.offer(columns, back.mean, back.cluster)
                else:
                    unfinished[columns] += back.total
            if ours.is_piece and ours.last:  # all points after it have now seen all of this cluster
                sums.offer(slice(ours.end, None), unfinished[ours.end :] / sizes[ours.first], ours.first)
                unfinished[ours.end :] = 0.0
    return sums


def sums_of_some(distances: Distances, order: Ints, sizes: Ints, chosen: Ints) -> Sums:
    """The same for some of the points, each against all; `chosen` are places in `order`.

    >>> line = Distances(np.array([[0.0], [1.0], [5.0]]), "euclidean")
    >>> sums_of_some(line, np.arange(3), np.array([2, 1]), np.array([2])).nearest_mean
    array([4.5])
    """
    codes = np.repeat(np.arange(len(sizes)), sizes)
    blocks = blocks_of(sizes)
    tile = _tiles(distances, order)
    sums = Sums.of_nothing(len(chosen))
    with _Threads(len(blocks) > 1 and distances.threads_for(BLOCK)) as each:
        for start in range(0, len(chosen), BLOCK):
            place = chosen[start : start + BLOCK]
            rows = slice(start, start + len(place))
            cluster = codes[place]
            so_far = np.zeros(len(place))
            for block, seen in zip(blocks, each(partial(_one_side, tile, sizes, place, cluster), blocks), strict=True):
                if seen.own is not None and seen.mean is not None and seen.cluster is not None:
                    sums.own[rows] += seen.own
                    sums.other[rows] += seen.total
                    sums.offer(rows, seen.mean, seen.cluster)
                    continue
                at_home = cluster == block.first
                sums.own[rows] += np.where(at_home, seen.total, 0.0)
                sums.other[rows] += np.where(at_home, 0.0, seen.total)
                so_far += seen.total
                if block.last:
                    sums.offer(rows, np.where(at_home, np.inf, so_far / sizes[block.first]), block.first)
                    so_far[:] = 0.0
    return sums


def sums_to_centroids(centroids: Centroids, chosen: Ints | None, *, half: bool) -> Sums:
    """The same for squared Euclidean distances, in the order of rows: their mean over a cluster needs its middle only.

    The mean of |x - y|² over a cluster is the squared distance from its middle, and the mean of such in the cluster.
    `half` of them is 1 - cosine, for points of length 1.

    >>> line = Centroids.of(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 2)
    >>> sums_to_centroids(line, None, half=False).nearest_mean  # 5², 4², (5² + 4²) / 2
    array([25. , 16. , 20.5])
    """
    rows = np.arange(len(centroids.codes)) if chosen is None else chosen
    sizes = centroids.sizes
    spread = centroids.within / centroids.sizes
    factor = 0.5 if half else 1.0
    sums = Sums.of_nothing(len(rows))
    for start in range(0, len(rows), step := max(1, BLOCK * BLOCK // len(sizes))):
        row = rows[start : start + step]
        at = slice(start, start + len(row))
        home = centroids.codes[row]
        means = centroids.squares_from(row) + spread
        sums.own[at] = sizes[home] * (centroids.squares[row] + spread[home])
        means[np.arange(len(row)), home] = 0.0
        sums.other[at] = means @ sizes
        means[np.arange(len(row)), home] = np.inf
        sums.offer(at, means.min(axis=1), means.argmin(axis=1))
    return Sums(sums.own * factor, sums.other * factor, sums.nearest_mean * factor, sums.nearest)


def _both_sides(
    tile: Callable[[Ints, Ints], NDArray[Any]], sizes: Ints, ours: Block, theirs: Block
) -> tuple[_Seen, _Seen]:
    rows, columns = np.arange(ours.start, ours.end), np.arange(theirs.start, theirs.end)
    distances = tile(rows, columns)
    if ours is not theirs:
        return _seen(distances, theirs, sizes), _seen(distances.T, ours, sizes)
    np.fill_diagonal(distances, 0.0)  # whatever a metric says of a point and itself
    if ours.is_piece:
        return (seen := _seen(distances, ours, sizes)), seen
    place = np.searchsorted(ours.starts, np.arange(len(rows)), side="right") - 1
    return (seen := _seen(distances, ours, sizes, place)), seen


def _one_side(
    tile: Callable[[Ints, Ints], NDArray[Any]], sizes: Ints, place: Ints, cluster: Ints, block: Block
) -> _Seen:
    distances = tile(place, np.arange(block.start, block.end))
    inside = np.flatnonzero((place >= block.start) & (place < block.end))
    distances[inside, place[inside] - block.start] = 0.0
    if block.is_piece:
        return _seen(distances, block, sizes)
    at = cluster - block.first
    return _seen(distances, block, sizes, np.where((at >= 0) & (at < len(block.starts)), at, -1))


def _seen(distances: NDArray[Any], block: Block, sizes: Ints, home: Ints | None = None) -> _Seen:
    """Distances of points (rows) from a block (columns), added up; `home` is the own cluster's place, -1 for none."""
    if block.is_piece:
        return _Seen(_row_sums(distances))
    if len(block.starts) == 1:
        sums = _row_sums(distances)[:, None]
    else:
        sums = np.add.reduceat(distances, block.starts, axis=1, dtype=np.float64)
    means = sums / sizes[block.first : block.first + len(block.starts)]
    inner = None
    rows = np.arange(len(sums))
    total = sums.sum(axis=1)
    if home is not None:
        inside = np.flatnonzero(home >= 0)
        inner = np.zeros(len(sums))
        inner[inside] = sums[inside, home[inside]]
        means[inside, home[inside]] = np.inf
        sums[inside, home[inside]] = 0.0
        total = sums.sum(axis=1)
    at = means.argmin(axis=1)
    return _Seen(total, inner, means[rows, at], at + block.first)


def _row_sums(distances: NDArray[Any]) -> Floats:
    totals: Floats = distances.sum(axis=1).astype(np.float64, copy=False)
    return totals


def _tiles(distances: Distances, order: Ints) -> Callable[[Ints, Ints], NDArray[Any]]:
    """Tiles of places in the order of the clusters."""
    if distances.metric == PRECOMPUTED:
        return lambda rows, columns: distances.between(order[rows], order[columns])
    points = distances.X if (np.diff(order) == 1).all() else distances.X[order]
    return lambda rows, columns: distances.tile(_points_at(points, rows), _points_at(points, columns))


def _points_at(points: Floats, places: Ints) -> Floats:
    """Rows of points; without a copy if they stand together, one after the other.

    >>> _points_at(np.arange(5.0)[:, None], np.array([1, 4, 0, 3])).ravel()
    array([1., 4., 0., 3.])
    """
    return points[places[0] : places[-1] + 1] if (np.diff(places) == 1).all() else points[places]


class _Threads:
    """A `map` in threads, as long as the block lasts; a plain one where there is little to do."""

    def __init__(self, several: bool) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(min(cores, _MOST_THREADS)) if several and cores > 1 else None

    def __enter__(self) -> Callable[[Callable[[Block], Any], Sequence[Block]], Iterator[Any]]:
        return map if self._pool is None else self._pool.map

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
