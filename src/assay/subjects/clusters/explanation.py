"""Numbers of clusterings, taken apart: from the table of classes and clusters, or from the points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import short
from assay.core.errors import ParameterError, argument, listed, refuse_unknown
from assay.measures import parse_measure
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.geometry import ONE_CLUSTER
from assay.measures.registry import Measure
from assay.measures.steps import quantity
from assay.subjects.clusters.evaluation import cluster
from assay.subjects.clusters.remarks import REMARKS, ClusteringCase
from assay.subjects.clusters.result import Clustering
from assay.subjects.clusters.rules import Rules, cluster_signature, computed
from assay.tables.clusters import label_text
from assay.verbs.explanation.numbers import View, explained
from assay.verbs.explanation.result import Explanation, Formula, Place, StepTable, formula

#: Points of more numbers than this are named, and their numbers are not shown.
_MOST_NUMBERS = 6
ALONE = "it is alone in its cluster, and counts 0"


def tables_of_points(measure: Measure, points: Points) -> Iterator[StepTable]:
    """Contributions of single points to a number: silhouettes, or distances from centroids."""
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
    inner = np.where(others > 0, points.sums.own / np.maximum(others, 1), np.nan)
    columns = {
        "item": _items(points, rows),
        "cluster": _clusters(points, points.codes[rows]),
        "nearest": _clusters(points, points.nearest[rows]),
        "a": inner,
        "b": points.sums.nearest_mean,
        "s": points.silhouettes[rows],
    }
    meanings = {
        "a": "mean distance to the other points of its cluster",
        "b": "mean distance to the points of the nearest other cluster",
        "s": "(b - a) / max(a, b), and 0 for a point that is alone in its cluster",
    }
    return StepTable("points", (), pl.DataFrame(columns).fill_nan(None), meanings)


def _centroid_tables(measure: Measure, points: Points) -> Iterator[StepTable]:
    """Places of the centroids, and the distance of each point from its own."""
    centroids = points.centroids
    squared = measure.name == "CalinskiHarabasz"
    name = "squared_distance" if squared else "distance"
    rows = np.arange(points.items)
    held = {"item": _items(points, rows), "cluster": _clusters(points, points.codes)}
    apart = centroids.squares if squared else np.sqrt(centroids.squares)
    means = {name: f"{'squared ' if squared else ''}distance of the point from the centroid of its cluster"}
    yield StepTable("points", (), pl.DataFrame({**held, **_numbers(points.X), name: apart}), means)
    if points.X.shape[1] > _MOST_NUMBERS:
        return
    names = list(map(str, points.clusters))
    middles = centroids.means
    sizes = points.sizes
    if squared:
        names, middles = [*names, "all points"], np.vstack([middles, points.X.mean(axis=0)])
        sizes = np.append(sizes, points.items)
    frame = pl.DataFrame({"cluster": pl.Series(names, dtype=pl.String), "items": sizes, **_numbers(middles)})
    yield StepTable("centroids", (), frame, {})


def remarks_on_points(measure: Measure, points: Points) -> Iterator[str]:
    """The silhouette if the point itself counted among those of its cluster, as it does in some books.

    >>> from assay.measures import parse_measure
    >>> list(remarks_on_points(parse_measure("Silhouette", "clustering"), Points.of([0, 1, 2, 10, 11], list("aaabb"))))
    ['a is over the other points of a cluster; with the point itself among them, Silhouette would be 0.9223']
    """
    if measure.name != "Silhouette":
        return
    rows = np.arange(points.items) if points.chosen is None else points.chosen
    sizes = points.sizes[points.codes[rows]]
    other = points.sums.nearest_mean
    inner = points.sums.own / sizes
    largest = np.maximum(inner, other)
    single = np.where((sizes > 1) & (largest > 0), (other - inner) / np.where(largest > 0, largest, 1), 0.0)
    remark = "a is over the other points of a cluster; with the point itself among them, Silhouette would be"
    yield f"{remark} {short(float(single.mean()))}"


def undefined_of_points(measure: Measure, points: Points, why: str, view: View) -> Explanation:
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
        signature=view.signature or str(measure),
    )


def of_one_point(measure: Measure, points: Points, item: str, view: View) -> Explanation:
    """One point's silhouette: its distances to all points, their means by cluster, and what is made of those.

    >>> from assay.measures import parse_measure
    >>> points = Points.of([0, 1, 2, 10, 11], list("aaabb"))
    >>> of_one_point(parse_measure("Silhouette", "clustering"), points, "1", View(None, False)).formula.numbers
    '(10.5000 - 1.5000) / max(10.5000, 1.5000)'
    """
    silhouette, means = points.silhouette_of(item), points.distances_of(item)
    home = points.clusters.index(silhouette.cluster)
    if len(points.clusters) == 1:
        return undefined_of_points(measure, points, ONE_CLUSTER, view)
    alone = bool(points.sizes[home] == 1)
    value = (quantity("b", [silhouette.other]) - quantity("a", [silhouette.own])) / quantity(
        "b", [silhouette.other]
    ).at_least(quantity("a", [silhouette.own]))
    worked = formula(value, 0)
    if alone or max(silhouette.own, silhouette.other) == 0:
        why = ALONE if alone else "a and b are both 0, so that it counts 0"
        worked = Formula(why, "0", is_plain=True)
    counts = () if alone else (("a", silhouette.own), ("b", silhouette.other))
    return Explanation(
        measure=measure,
        unit=f"item {silhouette.item}, in cluster {silhouette.cluster}",
        unit_kind="item",
        value=silhouette.value,
        reason=None,
        steps=(_distances(points, silhouette.item), _by_cluster(means, home, silhouette.nearest)),
        counts=counts,
        formula=worked,
        signature=view.signature or str(measure),
        shown=view.depth or 20,
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
    parts = ["b: the nearest other" if name == nearest else "" for name in clusters]
    parts[home] = "a: its own, itself left out"
    frame = means.with_columns(
        cluster=pl.Series(list(map(str, clusters)), dtype=pl.String),
        is_part=pl.Series(parts, dtype=pl.String),
        added_up=pl.col("mean_distance") * pl.col("items"),
    ).rename({"is_part": "is", "items": "points"})
    meanings = {"mean_distance": "added_up / points; of its own cluster, points is one less than it has"}
    return StepTable("clusters", (), frame.select("cluster", "is", "points", "added_up", "mean_distance"), meanings)


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


#: Tables with more classes or clusters than this are not shown as they are: the cells are listed.
_MOST_SHOWN = 12
#: So many numbers of pairs are written out.
_MOST_TERMS = 12
#: Measures that are made of pairs of items.
_OF_PAIRS = (
    "PairTP", "PairFP", "PairFN", "PairTN", "PairPrecision", "PairRecall", "PairF", "Rand", "ARI", "FowlkesMallows",
)  # fmt: skip
#: Measures that many clusters flatter.
_FLATTERED = ("Purity", "PurityF", "Homogeneity", "BCubedPrecision", "PairPrecision")


def of_clusters(
    measure: str | Measure, inputs: Sequence[Any], chosen: Place, view: View, rules: dict[str, Any]
) -> Explanation:
    """The number of a clustering, whatever it is given by.

    >>> table = Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes="xod")
    >>> of_clusters("Rand", [table], Place(), View(None, False), {}).formula.numbers
    '(20 + 72) / (20 + 20 + 24 + 72)'
    """
    subject = inputs[0]
    chosen.refuse("is about rankings: of a clustering, choose an item", "query")
    wanted = parse_measure(measure, "clustering")
    chosen.refuse("is about classifiers, and these are clusters", "label", "threshold")
    view.refuse_running("clusterings")
    if isinstance(subject, Contingency | Points):
        if rules:
            raise ParameterError(f"{next(iter(rules))!r} is a rule of cluster: it goes with clusters of items")
        chosen.refuse("says whose clusters are meant: counts are of nobody", "system")
        rules_of_points = (
            Rules(metric=subject.metric, sample_size=subject.sample_size) if isinstance(subject, Points) else Rules()
        )
        return _of_counts(wanted, subject, rules_of_points, chosen, view)
    return _of_items(wanted, subject, chosen, view, rules)


def _of_items(measure: Measure, subject: Any, chosen: Place, view: View, rules: dict[str, Any]) -> Explanation:
    """A clustering whose items are known, or a result that has counted them."""
    if isinstance(subject, Clustering):
        if rules:
            raise ParameterError(f"{next(iter(rules))!r} is a rule of cluster, and the clusters are counted already")
        result = subject
    else:
        refuse_unknown(rules, cluster)
        result = cluster(subject, [measure], **rules)
    if chosen.system is None and len(result.systems) > 1:
        names = listed([system.name for system in result.systems])
        way = argument("system")
        raise ParameterError(f"choose one of the clusterings {names} ({way})")
    system = result.system(chosen.system)
    computed(measure, system.counts, system.name)  # which says what is lacking
    return _of_counts(measure, system.counts[measure.definition.counts], result.rules, chosen, view)


def _of_counts(measure: Measure, counts: Contingency | Points, rules: Rules, chosen: Place, view: View) -> Explanation:
    if not isinstance(counts, measure.definition.counts):
        needed, got = (
            ("classes and clusters", "points") if isinstance(counts, Points) else ("points", "a table of counts")
        )
        raise ParameterError(f"{measure} is computed from {needed}, and these are {got}")
    weighted = isinstance(counts, Contingency) and counts.is_weighted
    view = view._replace(signature=cluster_signature(measure, rules, weighted=weighted), undefined="skip")
    if chosen.item is not None:
        if not isinstance(counts, Points) or measure.name != "Silhouette":
            raise ParameterError(f"item goes with Silhouette, which points have: {measure} is one number for all items")
        return of_one_point(measure, counts, chosen.item, view)
    result = measure.per_unit(counts)
    if isinstance(counts, Points) and (why := result.reason(0)) is not None:
        return undefined_of_points(measure, counts, why, view)
    before = _tables(measure, counts) if isinstance(counts, Contingency) else tables_of_points(measure, counts)
    explanation = explained(measure, counts, result, 0, view)
    classes = counts.classes if isinstance(counts, Contingency) else ()
    steps = (*before, *(_named(table, classes, counts.clusters) for table in explanation.steps))
    remarks = _remarks(measure, counts) if isinstance(counts, Contingency) else remarks_on_points(measure, counts)
    return replace(explanation, steps=steps, remarks=(*explanation.remarks, *remarks))


def _tables(measure: Measure, table: Contingency) -> Iterator[StepTable]:
    """The table with its margins; of measures of pairs, how many pairs there are and of which kind."""
    if len(table.units) > 1:
        raise ParameterError(f"expected one table of classes and clusters, got {len(table.units)}")
    if max(len(table.classes), len(table.clusters)) <= _MOST_SHOWN:
        yield contingency_table(table)
    if measure.name in _OF_PAIRS and not table.is_weighted:
        yield from pairs_tables(table)


def contingency_table(table: Contingency) -> StepTable:
    """Items of each class (rows) in each cluster (columns), with the margins.

    >>> contingency_table(Contingency.from_table([[2, 1], [0, 3]], classes="xo", clusters="ab")).frame.rows()
    [('x', 2.0, 1.0, 3.0), ('o', 0.0, 3.0, 3.0), ('all', 2.0, 4.0, 6.0)]
    """
    cells = np.zeros((len(table.classes) + 1, len(table.clusters) + 1))
    cells[table.row, table.column] = table.counts[0]
    cells[:-1, -1], cells[-1, :-1], cells[-1, -1] = table.class_sizes[0], table.cluster_sizes[0], table.items[0]
    columns = {f"cluster {label_text(name)}": cells[:, place] for place, name in enumerate(table.clusters)}
    names = pl.Series("class", [*map(label_text, table.classes), "all"], dtype=pl.String)
    return StepTable("table", (), pl.DataFrame({"class": names, **columns, "all": cells[:, -1]}), {})


def pairs_tables(table: Contingency) -> Iterator[StepTable]:
    """The pairs within each cell, n (n - 1) / 2; and those within cells, clusters and classes, added up.

    >>> cells, sums = pairs_tables(Contingency.from_table([[3, 0], [1, 2]]))
    >>> sums.frame.select("pairs_within", "made_of", "pairs").rows()[:2]
    [('a class and a cluster: TP', '3 + 0 + 1', 4.0), ('a cluster: TP + FP', '6 + 1', 7.0)]
    """
    items = table.counts[0].astype(np.float64)
    cells = {
        "class": pl.Series([label_text(table.classes[place]) for place in table.row], dtype=pl.String),
        "cluster": pl.Series([label_text(table.clusters[place]) for place in table.column], dtype=pl.String),
        "items": items,
        "pairs": _pairs(items),
    }
    yield StepTable("cells", (("pairs", "sum"),), pl.DataFrame(cells), {"pairs": "items × (items - 1) / 2"})
    total = float(table.items[0])
    tp, fp, fn, _ = (float(count[0]) for count in table.pairs)
    rows = [
        ("a class and a cluster: TP", _written(items), tp),
        ("a cluster: TP + FP", _written(table.cluster_sizes[0]), tp + fp),
        ("a class: TP + FN", _written(table.class_sizes[0]), tp + fn),
        ("all items: TP + FP + FN + TN", f"{short(total)} × {short(total - 1)} / 2", float(_pairs(total))),
    ]
    schema = {"pairs_within": pl.String, "made_of": pl.String, "pairs": pl.Float64}
    yield StepTable("pairs of items", (), pl.DataFrame(rows, schema=schema, orient="row"), {})


def _pairs(items: Any) -> Any:
    return items * (items - 1) / 2


def _written(sizes: Floats) -> str:
    """The pairs within groups of these sizes, one number after the other."""
    if len(sizes) > _MOST_TERMS:
        return f"{len(sizes):,} numbers"
    return " + ".join(short(float(count)) for count in _pairs(np.asarray(sizes)))


def _named(table: StepTable, classes: Sequence[Any], clusters: Sequence[Any]) -> StepTable:
    """Steps with the names of classes and clusters in place of their numbers."""
    frame = table.frame
    for column, names in (("class", classes), ("cluster", clusters), ("neighbour", clusters)):
        if column in frame.columns and frame.schema[column] != pl.String:
            known = pl.Series(column, list(map(label_text, names)), dtype=pl.String)
            frame = frame.with_columns(known.gather(frame[column].cast(pl.UInt32)))
    return table._replace(frame=frame)


def _remarks(measure: Measure, table: Contingency) -> Iterator[str]:
    """Remarks on what flatters the number: many clusters, clusters of one item."""
    if table.is_weighted:
        if measure.name in _OF_PAIRS:
            yield "items have weights: a pair weighs the product of both"
        return
    if measure.name not in _FLATTERED:
        return
    result = cluster(table, [measure])
    for code in ("many_clusters", "singletons"):
        yield from (remark.says for remark in REMARKS[code](ClusteringCase(result, result.systems[0], table, None)))
