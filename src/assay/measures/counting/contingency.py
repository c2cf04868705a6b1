"""`Contingency`: how many items of each class are in each cluster; all that external measures of a clustering need.

The two label sets have nothing to do with one another: classes may be text and clusters numbers. There may be as many
clusters as items, so there is never a table with a cell for every pair, unless it is a small one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.options import NoisePolicy, UnlabelledPolicy
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.label_pairs import weights_of
from assay.measures.counting.partition_labels import NO_CLUSTER, check_noise, noisy_items, same_length, singletons
from assay.tables.label_columns import refuse_nulls, single_labels_of

#: Up to so many cells, a table with a cell for each pair is the fastest way.
_MOST_CELLS = 1 << 22
#: Larger products of two numbers are no whole numbers of 64 bits any more.
_LARGEST_KEY = 1 << 62
#: Under these names, items that were left out are counted.
NOISE, WITHOUT_CLASS = "noise", "without a class"
#: So many items can be counted: sums of fewer are exact as floating-point numbers.
_MOST_ITEMS = 1 << 53
#: A weight that is left after all others were taken off, and is smaller than this share of them, is rounding.
_ROUNDING = 1e-12


class ContingencyCells(NamedTuple):
    """The cells that have items, unit by unit: their class and cluster (by place), their items, and those of both.

    `squares` are sums of squared weights: how many items there are, where these have no weights.
    """

    unit: Ints
    row: Ints
    column: Ints
    items: Floats
    of_class: Floats
    of_cluster: Floats
    squares: Floats


class PairCounts(NamedTuple):
    """Unordered pairs of items, by whether they share a class and whether they share a cluster: one number a unit.

    `tp`: both; `fp`: the cluster only; `fn`: the class only; `tn`: neither. Together n (n - 1) / 2.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats


#: What the cells are of pairs of items, which share a class, a cluster, both or neither.
CELLS_OF_PAIRS = {
    "TP": "pairs in one class and one cluster",
    "FP": "pairs in one cluster, but two classes",
    "FN": "pairs in one class, but two clusters",
    "TN": "pairs in two classes and two clusters",
}


@dataclass(frozen=True, eq=False)
class Contingency:
    """Counts of the items of each class (row) in each cluster (column): the cells that occur, one table per unit.

    Most are of one unit, all items; subsamples of the items have a table each, over the same cells. Where items have
    weights, the counts are sums of them and `squares` sums of squared weights, so that a pair of items weighs the
    product of both. `left_out` says how many items were not counted, and why.

    >>> table = Contingency.from_labels(list("xxxoo"), [1, 1, 2, 2, 2])
    >>> table.table
    array([[0, 2],
           [2, 1]])
    """

    subject: ClassVar[str] = "clusters"

    unit_kind: ClassVar[str] = "table"
    vocabularies: ClassVar[tuple[str, ...]] = ("clustering",)
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "how many items of each class are in each cluster"

    classes: tuple[Any, ...]
    clusters: tuple[Any, ...]
    row: Ints
    column: Ints
    counts: NDArray[Any]  # units x cells, int64 or float64
    units: tuple[str, ...] = ("all",)
    squares: Floats | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        wanted = (len(self.units), len(self.row))
        if self.counts.shape != wanted or len(self.column) != len(self.row):
            raise ParameterError(
                f"counts of {number_of('unit', wanted[0])} have the shape {wanted}, not {self.counts.shape}"
            )

    @classmethod
    def from_labels(
        cls, labels_true: Any, labels_pred: Any, *, sample_weight: Any = None, noise: Any = None,
        noise_as: NoisePolicy = "drop", unlabelled: UnlabelledPolicy = "error",
    ) -> Contingency:  # fmt: skip
        """Count classes and clusters, item by item.

        `noise` is the cluster label of items that are in no cluster, such as -1. `noise_as`: `drop` leaves them out,
        `singletons` makes each a cluster of its own, `cluster` keeps them together in one. `unlabelled` is about items
        without a class (null): `error`, `drop`, or `class`, a class of their own.

        >>> Contingency.from_labels(["x", "o", "x"], [0, 0, -1], noise=-1).left_out
        {'noise': 1}
        """
        check_noise(noise, noise_as)
        Choice(UnlabelledPolicy).check("unlabelled", unlabelled)
        truth, cluster = single_labels_of(labels_true, "labels_true"), single_labels_of(labels_pred, "labels_pred")
        same_length(truth, cluster)
        weight = None if sample_weight is None else weights_of(sample_weight, len(truth))
        refuse_nulls(cluster, "labels_pred", NO_CLUSTER)
        if unlabelled == "error":
            refuse_nulls(truth, "labels_true", "choose unlabelled='drop' or 'class' for items without a class")
        left_out = {}
        kept = pl.repeat(True, len(truth), eager=True)
        if unlabelled == "drop" and truth.null_count():
            left_out[WITHOUT_CLASS], kept = truth.null_count(), truth.is_not_null()
        if noise is not None and noise_as != "cluster":
            is_noise = noisy_items(cluster, noise)
            if noise_as == "singletons":
                cluster = singletons(cluster, is_noise)
            elif noisy := int((kept & is_noise).sum()):
                left_out[NOISE], kept = noisy, kept & ~is_noise
        if left_out:
            if not kept.any():
                why = ", ".join(f"{number_of('item', count)} ({reason})" for reason, count in left_out.items())
                raise InputError(f"no item is left: {why}")
            truth, cluster = truth.filter(kept), cluster.filter(kept)
            weight = None if weight is None else weight[kept.to_numpy()]
        return replace(_table_of_pairs(truth, cluster, weight), left_out=left_out)

    @classmethod
    def from_table(
        cls, table: Any, classes: Sequence[Any] | None = None, clusters: Sequence[Any] | None = None
    ) -> Contingency:
        """Take a ready table, a row a class and a column a cluster; both are numbered from 0 unless they are named.

        >>> Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes="xod").items
        array([17.])
        """
        try:
            array = np.asarray(table)
        except ValueError:  # rows of different lengths
            array = np.empty(0)
        if array.ndim != 2 or array.dtype.kind not in "iuf" or not array.size:  # rows and columns
            raise InputError("a table of classes and clusters is made of numbers in rows and columns")
        counts = array.astype(np.float64)
        if not (countable := (counts >= 0) & (counts == np.floor(counts)) & np.isfinite(counts)).all():
            wrong = counts[~countable].flat[0]
            raise InputError(f"a table of classes and clusters counts items: {wrong:g} is no number of them")
        if not (total := counts.sum()):
            raise InputError("expected at least one item, got none")
        if total > _MOST_ITEMS:
            raise InputError(f"a table of classes and clusters counts {_MOST_ITEMS:,} items at most, not {total:,.0f}")
        sides = []
        for what, names, size in (("class", classes, len(counts)), ("cluster", clusters, counts.shape[1])):
            named = tuple(range(size)) if names is None else tuple(names)
            if len(named) != size or len(set(named)) < size:
                raise InputError(f"expected {size} different names, one per {what}, got {len(named)}: {list(named)}")
            sides.append(named)
        row, column = np.nonzero(counts)
        return cls(sides[0], sides[1], row, column, counts[row, column][None].astype(np.int64))

    @property
    def table(self) -> NDArray[Any]:
        """All cells of the only unit, those that are 0 too: a row a class, a column a cluster."""
        table = np.zeros((len(self.classes), len(self.clusters)), dtype=self.counts.dtype)
        table[self.row, self.column] = self._only
        return table

    def without_empty(self) -> Contingency:
        """The same without classes and clusters that no item is in, and without cells that weigh nothing.

        >>> Contingency.from_table([[3, 0], [1, 0]]).without_empty().clusters
        (0,)
        """
        held: list[Mask] = [np.asarray(sizes.max(axis=0) > 0) for sizes in (self.class_sizes, self.cluster_sizes)]
        kept = self.counts.any(axis=0)
        if kept.all() and all(mask.all() for mask in held):
            return self
        (classes, row), (clusters, column) = (
            (tuple(compress(names, mask)), (np.cumsum(mask) - 1)[place[kept]])
            for names, place, mask in zip((self.classes, self.clusters), (self.row, self.column), held, strict=True)
        )
        squares = None if self.squares is None else self.squares[:, kept]
        return replace(
            self, classes=classes, clusters=clusters, row=row, column=column, counts=self.counts[:, kept],
            squares=squares,
        )  # fmt: skip

    @property
    def is_weighted(self) -> bool:
        """True if counts are sums of weights, and not numbers of items."""
        return self.squares is not None

    @cached_property
    def items(self) -> Floats:
        """Items of each unit: their number, or their weight."""
        items: Floats = self.class_sizes.sum(axis=1)
        return items

    @cached_property
    def class_sizes(self) -> Floats:
        """Sizes of classes: units x classes."""
        return self._added_up(self.row, len(self.classes))

    @cached_property
    def cluster_sizes(self) -> Floats:
        """Sizes of clusters: units x clusters."""
        return self._added_up(self.column, len(self.clusters))

    @cached_property
    def largest_of_clusters(self) -> Floats:
        """Items of the largest class of each cluster: units x clusters."""
        return self._largest(self.column, len(self.clusters))

    @cached_property
    def largest_of_classes(self) -> Floats:
        """Items of each class in the cluster that has most of it: units x classes."""
        return self._largest(self.row, len(self.classes))

    @cached_property
    def cells(self) -> ContingencyCells:
        """The cells that have items, of all units.

        >>> Contingency.from_labels(list("xxo"), [1, 1, 1]).cells.of_cluster
        array([3., 3.])
        """
        unit, place = np.nonzero(self.counts)
        row, column = self.row[place], self.column[place]
        squares = self.counts if self.squares is None else self.squares
        items, squared = (cells[unit, place].astype(np.float64) for cells in (self.counts, squares))
        return ContingencyCells(
            unit, row, column, items, self.class_sizes[unit, row], self.cluster_sizes[unit, column], squared
        )

    @cached_property
    def pairs_of_cells(self) -> PairCounts:
        """Contributions of the `cells` to the pairs: those within a cell, and half of those with items of other cells.

        Nothing is subtracted from a larger number of pairs, so small counts are exact beside large ones, up to 2^62
        items, beyond which counts are floating-point numbers.
        """
        cells = self.cells
        in_cluster, in_class = cells.of_cluster - cells.items, cells.of_class - cells.items
        elsewhere = self.items[cells.unit] - in_class - in_cluster - cells.items
        if self.is_weighted:
            elsewhere = np.where(elsewhere > _ROUNDING * self.items[cells.unit], elsewhere, 0.0)
        return PairCounts(
            np.maximum(cells.items * cells.items - cells.squares, 0.0) / 2,
            cells.items * in_cluster / 2,
            cells.items * in_class / 2,
            cells.items * elsewhere / 2,
        )

    @cached_property
    def pairs(self) -> PairCounts:
        """Pairs of items that share a class, a cluster, both or neither.

        >>> Contingency.from_labels(list("xxo"), [1, 1, 1]).pairs
        PairCounts(tp=array([1.]), fp=array([2.]), fn=array([0.]), tn=array([0.]))
        """
        unit = self.cells.unit
        units = len(self.units)
        added = (np.bincount(unit, weights=each, minlength=units) for each in self.pairs_of_cells)
        return PairCounts(*(each.astype(np.float64, copy=False) for each in added))

    def _added_up(self, place: Ints, groups: int) -> Floats:
        """The items of each group, unit by unit."""
        sums = np.bincount(self._flat(place, groups), self.counts.ravel(), len(self.units) * groups)
        return sums.astype(np.float64, copy=False).reshape(len(self.units), groups)

    def _largest(self, place: Ints, groups: int) -> Floats:
        sums = np.zeros(len(self.units) * groups)
        np.maximum.at(sums, self._flat(place, groups), self.counts.ravel())
        return sums.reshape(len(self.units), groups)

    def _flat(self, place: Ints, groups: int) -> Ints:
        """The place of each cell's group in a table of units and groups."""
        if len(self.units) == 1:
            return place
        return (np.arange(len(self.units))[:, None] * groups + place).ravel()

    @property
    def _only(self) -> NDArray[Any]:
        if len(self.units) != 1:
            raise ParameterError(f"there are {len(self.units)} tables, one per unit: choose one")
        counts: NDArray[Any] = self.counts[0]
        return counts

    def part(self, classes: Sequence[int], clusters: Sequence[int]) -> Floats:
        """The items of some classes (rows) and clusters (columns), by their places; the whole table is not made.

        >>> Contingency.from_table([[5, 1, 0], [0, 4, 2]]).part([1], [2, 0]).tolist()
        [[2.0, 0.0]]
        """
        row, column = np.full(len(self.classes), -1), np.full(len(self.clusters), -1)
        row[classes], column[clusters] = np.arange(len(classes)), np.arange(len(clusters))
        inside = (row[self.row] >= 0) & (column[self.column] >= 0)
        cells = np.zeros((len(classes), len(clusters)))
        cells[row[self.row[inside]], column[self.column[inside]]] = self._only[inside]
        return cells

    def to_frame(self) -> pl.DataFrame:
        """The cells that occur: class, cluster and how many items.

        >>> Contingency.from_labels(list("xxo"), [1, 1, 1]).to_frame().rows()
        [('o', 1, 1), ('x', 1, 2)]
        """
        columns = {
            "class": pl.Series([self.classes[place] for place in self.row]),
            "cluster": pl.Series([self.clusters[place] for place in self.column]),
            "items": self._only,
        }
        return pl.DataFrame(columns)


def _table_of_pairs(truth: pl.Series, cluster: pl.Series, weight: Floats | None) -> Contingency:
    """Count pairs of labels; null is a label, the last one, called None."""
    if all(side.dtype.is_integer() and not side.null_count() for side in (truth, cluster)):
        by_number = _by_number(truth.to_numpy(), cluster.to_numpy(), weight)
        if by_number is not None:
            return by_number
    frame = pl.LazyFrame({"t": truth, "c": cluster} | ({} if weight is None else {"w": weight}))
    counted = [pl.len().cast(pl.Int64).alias("n")]
    if weight is not None:
        counted = [pl.col("w").sum().alias("n"), (pl.col("w") * pl.col("w")).sum().alias("s")]
    grouped = frame.group_by("t", "c").agg(counted).collect(engine="streaming")
    (classes, row), (clusters, column) = (_placed(grouped[name]) for name in ("t", "c"))
    order = np.lexsort((column, row))
    counts = grouped["n"].to_numpy()[order][None]
    squares = None if weight is None else grouped["s"].to_numpy()[order][None]
    return Contingency(classes, clusters, row[order], column[order], counts, squares=squares)


def _by_number(truth: NDArray[Any], cluster: NDArray[Any], weight: Floats | None) -> Contingency | None:
    """Count pairs of whole numbers by one number each; None if that would be too large."""
    low, other_low = int(truth.min()), int(cluster.min())
    width = int(cluster.max()) - other_low + 1
    if (cells := (int(truth.max()) - low + 1) * width) >= _LARGEST_KEY:
        return None
    # Step by step in place, in 64 bits: the labels may be of a narrower type, and copies of ten millions take time.
    keys = truth.astype(np.int64)
    if low:
        keys -= low
    keys *= width
    keys += cluster
    if other_low:
        keys -= other_low
    counts: NDArray[Any]
    squares: Floats | None = None
    if cells <= max(_MOST_CELLS, len(keys) // 8):
        occurring = np.bincount(keys, minlength=cells)
        kept = np.flatnonzero(occurring)
        counts = occurring[kept]
        if weight is not None:
            counts, squares = (
                np.bincount(keys, weights, cells)[kept].astype(np.float64) for weights in (weight, weight * weight)
            )
    elif weight is None:
        kept, counts = np.unique(keys, return_counts=True)
    else:
        kept, place = np.unique(keys, return_inverse=True)
        counts, squares = (np.bincount(place, weights).astype(np.float64) for weights in (weight, weight * weight))
    (classes, row), (clusters, column) = (np.unique(side, return_inverse=True) for side in np.divmod(kept, width))
    names, other_names = tuple((classes + low).tolist()), tuple((clusters + other_low).tolist())
    return Contingency(
        names, other_names, row, column, counts[None], squares=None if squares is None else squares[None]
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
