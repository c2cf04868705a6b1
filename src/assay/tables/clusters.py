"""Clusterings: the cluster of each item, beside its class and its point, as far as these are known."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, argument, number_of
from assay.tables.label_columns import ids_of, numbers_of, single_labels_of
from assay.tables.label_rules import ItemTable
from assay.tables.roles import Where, refuse_rows

_IN_MEMORY = "in memory"
_ORDER = ("item_id", "truth", "cluster", "weight")


@dataclass(frozen=True, eq=False)
class Clusters(ItemTable):
    """One clustering, one row per item.

    `columns` holds `cluster` and, as far as they were given, `truth` (the class; null where an item has none), `weight`
    and `item_id`. Labels keep their type: text, whole numbers, booleans. `points` has a row of numbers an item, or all
    distances between items. `frame` is the table with `item_id` in front in any case: row numbers from 1 if none were
    given.

    >>> clusters = Clusters.of(["tea", "tea", "milk"], [0, 0, 1])
    >>> clusters.frame.rows()
    [('1', 'tea', 0), ('2', 'tea', 0), ('3', 'milk', 1)]
    """

    subject: ClassVar[str] = "clusters"

    columns: pl.DataFrame
    name: str = "clusters"
    points: NDArray[np.float64] | None = None
    #: What the columns of the points are called, if they have names.
    point_names: tuple[str, ...] = ()
    #: A file's path, for messages.
    origin: str = _IN_MEMORY
    #: What was noticed when the table was made; `warnings` has more.
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        labels_true: Any = None,
        labels_pred: Any = None,
        *,
        X: Any = None,  # noqa: N803  # as everybody calls it
        sample_weight: Any = None,
        item_id: Any = None,
        name: str = "clusters",
    ) -> Clusters:
        """Take classes, clusters and points from lists, arrays or columns of any library; classes may be unknown.

        `X` has one row per item: an array, a data frame of numbers, or the square of all distances.

        >>> Clusters.of(labels_pred=[0, 0, 1], X=[[1.0], [2.0], [9.0]]).points.shape
        (3, 1)
        """
        if isinstance(labels_true, Clusters):
            return labels_true
        if labels_pred is None:
            raise InputError("expected the cluster of each item as labels_pred, got nothing")
        columns = {"cluster": single_labels_of(labels_pred, "labels_pred")}
        if labels_true is not None:
            columns["truth"] = single_labels_of(labels_true, "labels_true")
        if sample_weight is not None:
            columns["weight"] = numbers_of(sample_weight, "sample_weight").cast(pl.Float64)
        if item_id is not None:
            columns["item_id"] = ids_of(item_id, "item_id")
        points, names = (None, ()) if X is None else _points(X)
        return assembled_clusters(columns, points, names, name=name)

    def __repr__(self) -> str:
        known = ", ".join(name for name, held in (("classes", self.truth), ("points", self.points)) if held is not None)
        return f"<Clusters {self.name!r}: {number_of('item', len(self))}{', with ' if known else ''}{known}>"

    @property
    def cluster(self) -> pl.Series:
        """The cluster of each item."""
        return self.columns["cluster"]

    @property
    def truth(self) -> pl.Series | None:
        """The class of each item, null where it has none; None if no classes are known."""
        return self._column("truth")

    @property
    def whence(self) -> str:
        """The name in messages: the file that they come from, or their own name."""
        return _whence(self.origin, self.name)

    def taken(self, rows: pl.Series) -> Clusters:
        """Some of the items: a mask, or row numbers from 0 in the order wanted; row numbers as ids stay what they are.

        >>> Clusters.of(None, list("aab")).taken(pl.Series([2, 0])).frame.rows()
        [('3', 'b'), ('1', 'a')]
        """
        kept = self.frame.filter(rows) if rows.dtype == pl.Boolean else self.frame[rows]
        points = None if self.points is None else self.points[rows.to_numpy()]
        if points is not None and self.points is not None and self._are_distances:
            points = points[:, rows.to_numpy()]
        return dataclasses.replace(self, columns=kept, points=points)

    @property
    def _are_distances(self) -> bool:
        """True if the points are, as far as their shape tells, all distances between the items."""
        points = self.points
        return points is not None and points.shape == (len(self), len(self)) and not np.diagonal(points).any()


def assembled_clusters(
    columns: dict[str, pl.Series],
    points: NDArray[np.float64] | None = None,
    point_names: tuple[str, ...] = (),
    *,
    name: str = "clusters",
    origin: str = _IN_MEMORY,
    where: Where | None = None,
    remarks: tuple[str, ...] = (),
) -> Clusters:
    """Check columns against one another and make a table of them; `where` finds the line of a row in a file."""
    height = len(columns["cluster"])
    place = where or (lambda row: (f"{name}: item {row + 1}", None))
    for what, values in (*columns.items(), ("points", points)):
        if values is not None and len(values) != height:
            raise InputError(
                f"{name}: expected {number_of('value', height)} of {what}, as many as items have clusters, "
                f"got {len(values):,}"
            )
    if not height:
        raise InputError(f"{_whence(origin, name)}: expected at least one item, got none")
    note = f"an item in no cluster has a label that is named with {argument('noise')}"
    refuse_rows(columns["cluster"].is_null(), place, "the cluster of an item", note=note)
    if "weight" in columns:
        weight = columns["weight"]
        refuse_rows(~(weight >= 0).fill_null(False), place, "a weight from 0 on", weight)
        if not (weight > 0).any():
            raise InputError(f"{_whence(origin, name)}: all weights are 0")
    if points is not None:
        wrong = ~np.isfinite(points)
        first = pl.Series(points[np.arange(height), wrong.argmax(axis=1)])
        refuse_rows(pl.Series(wrong.any(axis=1)), place, "finite numbers as a point", first)
    if "truth" in columns and columns["truth"].null_count() == height:
        raise InputError(f"{_whence(origin, name)}: expected the class of some items at least, got none")
    frame = pl.DataFrame([columns[key].alias(key) for key in _ORDER if key in columns])
    return _without_weightless(Clusters(frame, name, points, point_names, origin, remarks))


def _without_weightless(clusters: Clusters) -> Clusters:
    """The items that weigh anything: one of weight 0 counts as if it were not there, also where items are counted."""
    weight = clusters.weight
    counts = None if weight is None else weight > 0
    if counts is None or counts.all():
        return clusters
    remark = f"{clusters.whence}: {number_of('item', int((~counts).sum()))} of weight 0 left out"
    return dataclasses.replace(clusters.taken(counts), remarks=(*clusters.remarks, remark))


def _whence(origin: str, name: str) -> str:
    return name if origin == _IN_MEMORY else origin


def _points(points: Any) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Points as an array, and the names of their columns, if they have any."""
    names = tuple(map(str, points.columns)) if hasattr(points, "columns") else ()
    dense = next((getattr(points, way) for way in ("to_numpy", "toarray") if hasattr(points, way)), lambda: points)
    try:
        rows = np.asarray(dense(), dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(f"X: expected a row of numbers per item: {problem}") from None
    if rows.ndim != 2 or not rows.shape[1]:
        raise InputError(f"X: expected a row of numbers per item, got an array of shape {rows.shape}")
    return rows, names


def label_text(label: Any) -> str:
    """A label as it is shown; items without a class may be a class of their own."""
    return "(none)" if label is None else str(label)
