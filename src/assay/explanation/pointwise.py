"""The points behind a clustering's number: their silhouettes, their distances from centroids, and one point in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import short
from assay.counting.judgments import Floats, Ints
from assay.counting.points import Points
from assay.explanation.numbers import Shown
from assay.explanation.result import Explanation
from assay.explanation.working import Formula, StepTable, formula
from assay.measures.geometry import ONE_CLUSTER
from assay.measures.registry import Measure
from assay.measures.steps import quantity

#: Points of more numbers than this are named, and their numbers are not shown.
_MOST_NUMBERS = 6
ALONE = "it is alone in its cluster, and counts 0"


def tables_of_points(measure: Measure, points: Points) -> Iterator[StepTable]:
    """What single points add to a number: silhouettes, or distances from centroids."""
    if len(points.clusters) == 1 or len(points.clusters) == points.items:
        return
    if measure.name == "Silhouette":
        yield silhouettes_table(points)
    elif measure.name in {"DaviesBouldin", "CalinskiHarabasz"} and points.metric == "euclidean":
        yield from _centroid_tables(measure, points)


def silhouettes_table(points: Points) -> StepTable:
    """A row a point: the mean distances that its silhouette is made of; of a sample, the points that were drawn.

    >>> silhouettes_table(Points.of([0, 1, 2, 10, 11], list("aaabb"))).frame.row(0)
    ('1', 'a', 'b', 1.5, 10.5, 0.8571)
    """
    rows = np.arange(points.items) if points.chosen is None else points.chosen
    others = points.sizes[points.codes[rows]] - 1
    own = np.where(others > 0, points.sums.own / np.maximum(others, 1), np.nan)
    columns = {
        "item": _items(points, rows),
        "cluster": _clusters(points, points.codes[rows]),
        "nearest": _clusters(points, points.nearest[rows]),
        "a": own,
        "b": points.sums.nearest_mean,
        "s": points.silhouettes[rows],
    }
    meanings = {
        "a": "mean distance to the other points of its cluster",
        "b": "mean distance to the points of the nearest other cluster",
        "s": "(b - a) / max(a, b), and 0 for a point that is alone in its cluster",
    }
    return StepTable("points", (), pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None)), meanings)


def _centroid_tables(measure: Measure, points: Points) -> Iterator[StepTable]:
    """Where the centroids are, and how far each point is from its own."""
    made = points.centroids
    squared = measure.name == "CalinskiHarabasz"
    name = "squared_distance" if squared else "distance"
    rows = np.arange(points.items)
    held = {"item": _items(points, rows), "cluster": _clusters(points, points.codes)}
    apart = made.squares if squared else np.sqrt(made.squares)
    means = {name: f"{'squared ' if squared else ''}distance of the point from the centroid of its cluster"}
    yield StepTable("points", (), pl.DataFrame({**held, **_numbers(points.X), name: apart}), means)
    if points.X.shape[1] > _MOST_NUMBERS:
        return
    names, middles, sizes = list(map(str, points.clusters)), made.means, points.sizes
    if squared:
        names, middles = [*names, "all points"], np.vstack([middles, points.X.mean(axis=0)])
        sizes = np.append(sizes, points.items)
    frame = pl.DataFrame({"cluster": pl.Series(names, dtype=pl.String), "items": sizes, **_numbers(middles)})
    yield StepTable("centroids", (), frame, {})


def remarks_on_points(measure: Measure, points: Points) -> Iterator[str]:
    """What a silhouette would be if the point itself counted among those of its cluster, as it does in some books.

    >>> from assay.measures import parse_measure
    >>> list(remarks_on_points(parse_measure("Silhouette", "clustering"), Points.of([0, 1, 2, 10, 11], list("aaabb"))))
    ['a is over the other points of a cluster; with the point itself among them, Silhouette would be 0.9223']
    """
    if measure.name != "Silhouette":
        return
    rows = np.arange(points.items) if points.chosen is None else points.chosen
    sizes, other = points.sizes[points.codes[rows]], points.sums.nearest_mean
    own = points.sums.own / sizes
    largest = np.maximum(own, other)
    single = np.where((sizes > 1) & (largest > 0), (other - own) / np.where(largest > 0, largest, 1), 0.0)
    said = "a is over the other points of a cluster; with the point itself among them, Silhouette would be"
    yield f"{said} {short(float(single.mean()))}"


def undefined_of_points(measure: Measure, points: Points, why: str, shown: Shown) -> Explanation:
    """A measure that these points have no number for: there is nothing to take apart."""
    return Explanation(
        measure=measure,
        unit="all items",
        unit_kind=points.unit_kind,
        value=float("nan"),
        reason=why,
        steps=(),
        counts=(),
        formula=Formula(str(measure), "", is_plain=True),
        signature=shown.signature or str(measure),
    )


def of_one_point(measure: Measure, points: Points, item: str, shown: Shown) -> Explanation:
    """One point's silhouette: its distances to all points, their means by cluster, and what is made of those.

    >>> from assay.measures import parse_measure
    >>> points = Points.of([0, 1, 2, 10, 11], list("aaabb"))
    >>> of_one_point(parse_measure("Silhouette", "clustering"), points, "1", Shown(None, False)).formula.numbers
    '(10.5000 - 1.5000) / max(10.5000, 1.5000)'
    """
    found, means = points.silhouette_of(item), points.distances_of(item)
    home = points.clusters.index(found.cluster)
    if len(points.clusters) == 1:
        return undefined_of_points(measure, points, ONE_CLUSTER, shown)
    alone = bool(points.sizes[home] == 1)
    made = (quantity("b", [found.other]) - quantity("a", [found.own])) / quantity("b", [found.other]).at_least(
        quantity("a", [found.own])
    )
    told = formula(made, 0)
    if alone or max(found.own, found.other) == 0:
        why = ALONE if alone else "a and b are both 0, so that it counts 0"
        told = Formula(why, "0", is_plain=True)
    counts = () if alone else (("a", found.own), ("b", found.other))
    return Explanation(
        measure=measure,
        unit=f"item {found.item}, in cluster {found.cluster}",
        unit_kind="item",
        value=found.value,
        reason=None,
        steps=(_distances(points, found.item), _by_cluster(means, home, found.nearest)),
        counts=counts,
        formula=told,
        signature=shown.signature or str(measure),
        shown=shown.depth or 20,
    )


def _distances(points: Points, item: str) -> StepTable:
    """The distance of one point from each other one."""
    names = _items(points, np.arange(points.items))
    row = int((names == item).arg_max() or 0)
    others = np.flatnonzero(np.arange(points.items) != row)
    apart = points.distances.between(np.array([row]), others)[0].astype(np.float64)
    columns = {"item": names.gather(others), "cluster": _clusters(points, points.codes[others]), "distance": apart}
    return StepTable("points", (), pl.DataFrame(columns), {"distance": f"{points.metric}, from item {item}"})


def _by_cluster(means: pl.DataFrame, home: int, nearest: Any) -> StepTable:
    """The mean distance to each cluster, and which of them count."""
    clusters = means["cluster"].to_list()
    parts = ["a: its own, itself left out" if at == home else "b: the nearest other" if name == nearest else ""
             for at, name in enumerate(clusters)]  # fmt: skip
    frame = means.with_columns(
        cluster=pl.Series(list(map(str, clusters)), dtype=pl.String),
        is_part=pl.Series(parts, dtype=pl.String),
        added_up=pl.col("mean_distance") * pl.col("items"),
    ).rename({"is_part": "is", "items": "points"})
    means_said = {"mean_distance": "added_up / points; of its own cluster, points is one less than it has"}
    return StepTable("clusters", (), frame.select("cluster", "is", "points", "added_up", "mean_distance"), means_said)


def _items(points: Points, rows: Ints) -> pl.Series:
    if points.item_id is None:
        return pl.Series("item", list(map(str, (rows + 1).tolist())), dtype=pl.String)
    return points.item_id.gather(pl.Series(rows)).cast(pl.String).alias("item")


def _clusters(points: Points, places: Ints) -> pl.Series:
    names = ["" if place < 0 else str(points.clusters[place]) for place in places.tolist()]
    return pl.Series(names, dtype=pl.String)


def _numbers(rows: Floats) -> dict[str, Floats]:
    """The numbers of points, a column each; none if they are many."""
    width = rows.shape[1]
    if width > _MOST_NUMBERS:
        return {}
    return {"x" if width == 1 else f"x{place + 1}": rows[:, place] for place in range(width)}
