"""`Points`: rows of numbers in clusters; all that internal measures of a clustering need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, number_of
from assay.measures.counting.contingency import NOISE
from assay.measures.counting.distances import (
    COSINE_ROUNDING,
    PRECOMPUTED,
    SQUARED,
    Centroids,
    Distances,
    checked_matrix,
    checked_points,
    metric_named,
    numbered,
)
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import codes, distinct_labels, ordered
from assay.measures.counting.partition_labels import NO_CLUSTER, noisy_items
from assay.measures.counting.silhouettes import Sums, sums_of_all, sums_of_some, sums_to_centroids
from assay.tables.label_columns import ids_of, refuse_nulls, single_labels_of

#: Whole numbers that lie this close together are counted, and not sorted.
_WIDEST = 1 << 22

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
    if rows.ndim not in {1, 2}:
        raise InputError(f"X: expected a row of numbers per item, got an array of shape {rows.shape}")
    return rows.reshape(-1, 1) if rows.ndim == 1 else rows


def kept_points(cluster: pl.Series, noise: Any) -> tuple[pl.Series | None, dict[str, int]]:
    """The items that are in a cluster, None if all are, and the number of those left out as noise.

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


def order_of_rows(*tables: Floats) -> Ints:
    """The rows of tables that stand beside one another, by their numbers: an order that is not that of the items.

    >>> order_of_rows(np.array([[2.0, 1.0], [1.0, 3.0], [1.0, 2.0]]))
    array([2, 1, 0])
    """
    frame = pl.DataFrame(np.column_stack(tables) + 0.0)  # -0.0 becomes 0.0
    return frame.with_row_index("row").sort(frame.columns)["row"].to_numpy().astype(np.int64)


#: So many points of a cluster, if it has them: from one alone nobody knows how much they differ.
_FEWEST = 2


def drawn_by_cluster(codes: Ints, sizes: Ints, sample_size: int | None, seed: int) -> Ints | None:
    """The rows that are drawn, sorted: of each cluster in proportion to its size; None if all are taken.

    >>> drawn = drawn_by_cluster(np.repeat([0, 1], [90, 10]), np.array([90, 10]), sample_size=10, seed=0)
    >>> drawn.shape, drawn[drawn >= 90].shape
    ((10,), (2,))
    """
    Whole(0).check("seed", seed)
    sample_size = Whole(0, optional=True).check("sample_size", sample_size)
    if sample_size is None or sample_size >= len(codes):
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
    """Sample sizes by cluster: as near to proportion as whole numbers and the smallest numbers allow."""
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


class PointSilhouette(NamedTuple):
    """One point's silhouette: `own` is the mean distance to the others of its cluster, `other` to the nearest one."""

    item: str
    cluster: Any
    own: float
    nearest: Any
    other: float
    value: float


@dataclass(frozen=True, eq=False)
class Points:
    """The items of a clustering as points, a row of numbers each, and the place of each one's cluster.

    `X` may be a table of all distances instead (`metric="precomputed"`). For cosine and correlation its rows are of
    length 1, as the metric sees them. `left_out` says how many items were left out as noise. With `sample_size`,
    silhouettes and mean distances are those of so many points, drawn from every cluster, each against all points.

    >>> points = Points.of([0, 1, 2, 10, 11], list("aaabb"))
    >>> points.silhouettes  # of the first: 1 - 1.5 / 10.5
    array([0.8571, 0.8947, 0.8235, 0.8889, 0.9   ])
    """

    vocabularies: ClassVar[tuple[str, ...]] = ("clustering",)
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "the items' features or distances, and their clusters"
    unit_kind: ClassVar[str] = "table"
    units: ClassVar[tuple[str, ...]] = ("all",)

    X: Floats
    codes: Ints
    clusters: tuple[Any, ...]
    metric: str = "euclidean"
    item_id: pl.Series | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    sample_size: int | None = None
    seed: int = 0

    @classmethod
    def of(
        cls, X: Any, labels: Any, *, metric: str = "euclidean", noise: Any = None,  # noqa: N803  # scikit-learn's name
        item_id: Any = None,
        sample_size: int | None = None, seed: int = 0,
    ) -> Points:  # fmt: skip
        """Take points and the cluster of each.

        `X` has a row of numbers an item, or one number, or all distances if `metric` is `precomputed`. `metric`:
        euclidean, cosine, manhattan or another one of `scipy.spatial.distance.cdist`. Items with the label `noise` are
        left out. `sample_size`: so many silhouettes are made, of points drawn by `seed` from every cluster.

        >>> Points.of([[0, 0], [0, 2], [9, 9]], [0, 0, -1], noise=-1).left_out
        {'noise': 1}
        """
        metric = metric_named(metric)
        rows = numbers_in_rows(X)
        cluster = single_labels_of(labels, "labels")
        if len(rows) != len(cluster):
            raise InputError(f"expected as many labels as rows of X, one per item, got {len(cluster)} and {len(rows)}")
        if not len(rows):
            raise InputError("expected at least one item, got none")
        names = None if item_id is None else ids_of(item_id, "item_id")
        if names is not None and len(names) != len(rows):
            raise InputError(f"item_id: expected {number_of('id', len(rows))}, one per item, got {len(names)}")
        kept, left_out = kept_points(cluster, noise)
        if kept is not None:
            names = pl.Series(map(str, range(1, len(rows) + 1))) if names is None else names
            cluster, names = cluster.filter(kept), names.filter(kept)
            at = kept.to_numpy()
            if metric == PRECOMPUTED and rows.shape[0] == rows.shape[1]:
                rows = rows[:, at]
            rows = rows[at]
        codes, clusters = coded(cluster)
        points = cls(rows, codes, clusters, metric, names, left_out, sample_size, seed)
        _ = points.chosen  # a sample that cannot be drawn is refused now, and not when it is used
        if metric == PRECOMPUTED:
            return replace(points, X=checked_matrix(rows, points.row_name))
        return replace(points, X=checked_points(rows, metric, points.row_name))

    @cached_property
    def sizes(self) -> Ints:
        """Sizes of clusters."""
        return np.bincount(self.codes, minlength=len(self.clusters))

    @property
    def items(self) -> int:
        """The number of points."""
        return len(self.codes)

    def row_name(self, row: int) -> str:
        """The name of a row in a message.

        >>> Points.of([0, 1], [0, 0], item_id=["a", "b"]).row_name(1)
        'item b'
        """
        return numbered(row) if self.item_id is None else f"item {self.item_id[row]}"

    def only(self, rows: Ints) -> Points:
        """Some of the points, all of them against one another; clusters that have none left are gone.

        >>> Points.of([0, 1, 2, 10, 11], list("aaabb")).only(np.array([0, 2, 3])).sizes
        array([2, 1])
        """
        kept, codes = np.unique(self.codes[rows], return_inverse=True)
        kept_rows = self.X[np.ix_(rows, rows)] if self.metric == PRECOMPUTED else self.X[rows]
        names = None if self.item_id is None else self.item_id.gather(pl.Series(rows))
        clusters = tuple(self.clusters[place] for place in kept)
        return replace(
            self, X=kept_rows, codes=codes.astype(np.int64), clusters=clusters, item_id=names, sample_size=None
        )

    @cached_property
    def chosen(self) -> Ints | None:
        """The rows that were drawn for `sample_size`; None if all are taken."""
        order = np.arange(self.items) if self.sample_size is None else self._order
        drawn = drawn_by_cluster(self.codes[order], self.sizes, self.sample_size, self.seed)
        return None if drawn is None else np.sort(order[drawn])

    @property
    def _order(self) -> Ints:
        """The points in an order that is not that of the items: by coordinates; of distances, by names, if any."""
        if self.metric != PRECOMPUTED:
            return order_of_rows(self.X)
        return np.arange(self.items) if self.item_id is None else self.item_id.arg_sort().to_numpy().astype(np.int64)

    @cached_property
    def sums(self) -> Sums:
        """Of each point, or each chosen one, sums of distances and the nearest other cluster, in the order of rows."""
        if self.metric in SQUARED:
            return sums_to_centroids(self.centroids, self.chosen, half=self.metric == "cosine")
        order = np.argsort(self.codes, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        if self.chosen is None:
            sums = sums_of_all(self.distances, order, self.sizes)
            return Sums(sums.own[place], sums.other[place], sums.nearest_mean[place], sums.nearest[place])
        return sums_of_some(self.distances, order, self.sizes, place[self.chosen])

    @cached_property
    def silhouettes(self) -> Floats:
        """The silhouette of each point; 0 for one that is alone in its cluster; NaN for one that was not drawn.

        >>> Points.of([0, 1, 5], [0, 0, 1]).silhouettes  # 1 - 1/5, 1 - 1/4
        array([0.8 , 0.75, 0.  ])
        """
        size = self.sizes[self.codes if self.chosen is None else self.codes[self.chosen]]
        other = self.sums.nearest_mean
        inner = np.where(size > 1, self.sums.own / np.maximum(size - 1, 1), other)
        larger = np.maximum(inner, other)
        with np.errstate(invalid="ignore"):
            # Where both are 0, the point is as near to the one as to the other; without another cluster there is none.
            apart = larger > self._rounding
            values = np.where(apart, (other - inner) / np.where(apart, larger, 1.0), 0.0)
        return self._spread_out(values, np.nan)

    @cached_property
    def nearest(self) -> Ints:
        """The place of the nearest other cluster of each point; -1 where there is none or the point was not drawn.

        >>> Points.of([0, 1, 5], [0, 0, 1]).nearest
        array([1, 1, 0])
        """
        return self._spread_out(self.sums.nearest.astype(np.float64), -1).astype(np.int64)

    @cached_property
    def mean_silhouettes(self) -> Floats:
        """Of each cluster, the mean silhouette of its points, or of those that were drawn."""
        return self._mean(self.silhouettes)

    @cached_property
    def centroids(self) -> Centroids:
        """The middle of each cluster; for cosine, of the directions of its points."""
        if self.metric == PRECOMPUTED:
            raise InputError("there are distances only, and no points: clusters have no middle")
        return Centroids.of(self.X, self.codes, len(self.clusters))

    @cached_property
    def distances(self) -> Distances:
        """Distances between any of the points."""
        return Distances(self.X, self.metric)

    @cached_property
    def summed_within(self) -> Floats:
        """Of each cluster, the sum of distances of its points from one another, each pair twice."""
        if self.metric in SQUARED:
            return 2 * self.sizes * self.centroids.within * self._factor
        return self._mean(self._spread_out(self.sums.own, np.nan)) * self.sizes

    @cached_property
    def summed_between(self) -> Floats:
        """Of each cluster, the sum of distances of its points from those of all others."""
        if self.metric not in SQUARED:
            return self._mean(self._spread_out(self.sums.other, np.nan)) * self.sizes
        centroids, sizes, items = self.centroids, self.sizes, self.items
        rest = centroids.within.sum() - centroids.within
        middles = items * centroids.between + sizes * centroids.between.sum()
        sums: Floats = ((items - sizes) * centroids.within + sizes * rest + middles) * self._factor
        return sums

    def per_cluster(self) -> pl.DataFrame:
        """A row a cluster: its points, their mean silhouette, and mean distances within and to all other points.

        >>> Points.of([0, 1, 2, 10, 11], list("aaabb")).per_cluster()["within_distance"].to_list()
        [1.3333333333333333, 1.0]
        """
        sizes = self.sizes
        several = len(self.clusters) > 1
        pairs = sizes * (sizes - 1)
        others = sizes * (self.items - sizes)
        silhouettes = self.mean_silhouettes if several else [None] * len(sizes)
        columns = {
            "cluster": pl.Series(self.clusters),
            "items": sizes,
            "silhouette": pl.Series(silhouettes, dtype=pl.Float64),
            "within_distance": _divided(self.summed_within, pairs),
            "between_distance": _divided(self.summed_between, others),
        }
        return pl.DataFrame(columns)

    def distances_of(self, item: str | int) -> pl.DataFrame:
        """The mean distance of one point to each cluster, its own without itself: `cluster`, `items`, `mean_distance`.

        An item is named by its id, or by its row, from 1 on, if there are no ids.

        >>> Points.of([0, 1, 2, 10, 11], list("aaabb")).distances_of(1).rows()
        [('a', 2, 1.5), ('b', 2, 10.5)]
        """
        row = self._row_of(item)
        apart = self.distances.between(np.array([row]), np.arange(self.items))[0].astype(np.float64)
        apart[row] = 0.0
        items = self.sizes - (np.arange(len(self.sizes)) == self.codes[row])
        total = np.bincount(self.codes, weights=apart, minlength=len(self.sizes)).astype(np.float64, copy=False)
        means = _divided(total, items)
        return pl.DataFrame({"cluster": pl.Series(self.clusters), "items": items, "mean_distance": means})

    def silhouette_of(self, item: str | int) -> PointSilhouette:
        """One point's silhouette and the two distances it is made of.

        >>> Points.of([0, 1, 2, 10, 11], list("aaabb")).silhouette_of(1)
        PointSilhouette(item='1', cluster='a', own=1.5, nearest='b', other=10.5, value=0.8571)
        """
        row, table = self._row_of(item), self.distances_of(item)
        home = int(self.codes[row])
        name = str(row + 1) if self.item_id is None else str(self.item_id[row])
        means = table["mean_distance"].fill_null(np.nan).to_numpy().copy()
        inner, means[home] = float(means[home]), np.inf
        if len(means) == 1:
            return PointSilhouette(name, self.clusters[home], inner, None, float("nan"), float("nan"))
        at = int(np.argmin(means))
        other = float(means[at])
        larger = max(inner, other)
        value = 0.0 if self.sizes[home] == 1 or larger <= self._rounding else (other - inner) / larger
        return PointSilhouette(name, self.clusters[home], inner, self.clusters[at], other, value)

    def _row_of(self, item: str | int) -> int:
        if self.item_id is not None:
            at = (self.item_id == str(item)).arg_true()
            if len(at) > 1:
                raise InputError(f"expected the id of one point, got {str(item)!r}, which {len(at)} points have")
            if len(at):
                return int(at[0])
        elif str(item).isdecimal() and 1 <= int(item) <= self.items:
            return int(item) - 1
        known = f"a row from 1 to {self.items}" if self.item_id is None else "the id of a point"
        raise InputError(f"expected {known}, got {str(item)!r}")

    @property
    def _factor(self) -> float:
        """The factor of squared distances: for directions, half of one is 1 - cosine."""
        return 0.5 if self.metric == "cosine" else 1.0

    @property
    def _rounding(self) -> float:
        """Mean distances up to this cannot be told from 0."""
        return COSINE_ROUNDING if self.metric == "cosine" else 0.0

    @cached_property
    def _taken(self) -> Ints:
        """Numbers of points to look at, by cluster."""
        return self.sizes if self.chosen is None else np.bincount(self.codes[self.chosen], minlength=len(self.sizes))

    def _mean(self, values: Floats) -> Floats:
        """The mean by cluster of what is known of points."""
        rows = slice(None) if self.chosen is None else self.chosen
        total = np.bincount(self.codes[rows], weights=values[rows], minlength=len(self.sizes))
        return total / self._taken

    def _spread_out(self, values: Floats, otherwise: float) -> Floats:
        """Values of the chosen points in the rows of all."""
        if self.chosen is None:
            return values
        spread = np.full(self.items, otherwise)
        spread[self.chosen] = values
        return spread


def _divided(sums: Floats, by: Ints) -> pl.Series:
    """Null where there is nothing to divide by."""
    return pl.Series(
        [total / number if number else None for total, number in zip(sums, by, strict=True)], dtype=pl.Float64
    )
