"""Clusterings to look at: silhouettes, classes by clusters, and measures over the number of clusters.

Each is an `assay.verbs.curves.Curve`: a table, one number per clustering, and a chart.

>>> from assay.subjects.clusters import curves as cluster_curves
>>> from assay import Clusters, cluster
>>> result = cluster(Clusters.of(list("xxo"), [0, 0, 1], X=[[0.0], [1.0], [9.0]]))
>>> cluster_curves.silhouettes(result).frame["silhouette"].round(4).to_list()
[0.8889, 0.875, 0.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from assay.core.digits import number
from assay.core.errors import ParameterError, argument, number_of
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.show import charts
from assay.show.figure import Figure, Mark, Panel, Scale
from assay.show.legible import cut_apart
from assay.subjects.clusters.over_k import NumberOfClusters
from assay.subjects.clusters.result import Clustering, arranged, label_text
from assay.verbs.curves import Curve
from assay.verbs.sections.curves import drawn_from, ends_of

#: Of more classes or clusters, the largest are drawn: cells would be too small to see.
MOST_DRAWN = 70
#: A cell of a map is so large, and no smaller than that; the map no larger than this.
_CELL, _SMALLEST_CELL, _LARGEST_MAP = 48, 9, 640
#: Of more clusters or classes, cells have no numbers.
_MOST_NUMBERS = 20
#: So many pixels high are all silhouettes together, without the room between clusters.
_SILHOUETTES = 420
_SUMMARY = {"system": pl.String, "measure": pl.String, "value": pl.Float64, "higher_is_better": pl.Boolean}


def silhouettes(result: Clustering, *, system: str | None = None) -> Curve:
    """The silhouette of each point, cluster by cluster, the largest first; of many points, some of them.

    >>> from assay import Clusters, cluster
    >>> result = cluster(Clusters.of(None, [0, 0, 1, 1], X=[[0.0], [1.0], [9.0], [9.5]]))
    >>> silhouettes(result).summary["value"].round(4).to_list()
    [0.9141]
    """
    frames, values, notes, sizes = [], [], [], []
    for name in _chosen(result, system):
        points = result.points(name)
        if points is None:
            raise ParameterError(f"{name}: silhouettes are of points, and there are none: say {argument('points')}")
        bars = result.bars(name)
        if bars is None:
            raise ParameterError(f"{name}: a single cluster has no silhouettes")
        notes += [f"{name}: {bars.note}"] if bars.note else []
        if len(bars.clusters) > charts.MOST_NAMED:
            notes.append(f"{name}: {len(bars.clusters):,} clusters are too many to name each beside its silhouettes")
        values.append((name, "Silhouette", bars.mean, True))
        sizes.append(number_of("point", points.items))
        ids = points.item_id
        frames += [
            pl.DataFrame(
                {
                    "system": [name] * len(each.values),
                    "cluster": [str(each.cluster)] * len(each.values),
                    "item": [str(row + 1) if ids is None else str(ids[row]) for row in each.rows.tolist()],
                    "silhouette": each.values,
                    "nearest": list(map(str, each.nearest)),
                }
            )
            for each in bars.clusters
        ]
    frame = pl.concat(frames)
    subtitle = f"{sizes[0]}, {result.rules.metric} distances"
    summary = pl.DataFrame(values, schema=_SUMMARY, orient="row")
    return Curve("silhouette", "Silhouettes, cluster by cluster", subtitle, frame, summary, tuple(notes))


def contingency(result: Clustering, *, system: str | None = None) -> Curve:
    """Items of each class in each cluster, those that belong together side by side.

    >>> from assay import Contingency, cluster
    >>> contingency(cluster(Contingency.from_table([[5, 1], [0, 4]]))).frame.select("items", "of_cluster").rows()
    [(5.0, 1.0), (1.0, 0.2), (0.0, 0.0), (4.0, 0.8)]
    """
    frames, values, sizes = [], [], []
    notes = list(result.warnings)
    for name in _chosen(result, system):
        table = result.contingency(name)
        if table is None:
            raise ParameterError(f"{name}: no classes are known: say {argument('truth')}")
        every = arranged(table)
        rows, columns = (
            largest(order, sizes[0], MOST_DRAWN)
            for order, sizes in zip(every, (table.class_sizes, table.cluster_sizes), strict=True)
        )
        if cut := left_out(table, rows, columns):
            notes.append(f"{name}: drawn are {cut}")
        cells = table.part(rows, columns)
        held = table.largest_of_clusters[0].sum() / table.cluster_sizes[0].sum()
        values.append((name, "Purity", float(held), True))
        sizes.append(number_of("class", len(table.classes)))
        classes = [label_text(table.classes[at]) for at in rows]
        clusters = [str(table.clusters[at]) for at in columns]
        across = len(clusters)
        frames.append(
            pl.DataFrame(
                {
                    "system": [name] * cells.size,
                    "class": np.repeat(classes, across),
                    "cluster": clusters * len(classes),
                    "items": cells.ravel(),
                    "of_class": (cells / table.class_sizes[0][rows][:, None]).ravel(),
                    "of_cluster": (cells / table.cluster_sizes[0][columns]).ravel(),
                }
            )
        )
    summary = pl.DataFrame(values, schema=_SUMMARY, orient="row")
    return Curve("contingency", "Classes in clusters", f"{sizes[0]}; shade: share of the cluster", pl.concat(frames),
                 summary, tuple(notes))  # fmt: skip


def over_k(result: NumberOfClusters) -> Curve:
    """Each measure over the number of clusters, and the number that it prefers.

    >>> from assay import number_of_clusters
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> over_k(number_of_clusters(X, [2, 3], measures="Silhouette", stability=False, resamples=2)).frame["k"].to_list()
    [2, 3]
    """
    preferred = {"system": list(result.names), "value": [result.preferred(name) for name in result.names]}
    summary = pl.DataFrame(preferred, schema={"system": pl.String, "value": pl.Int64})
    subtitle = f"{number_of('point', result.items)}, {result.by}"
    title = "Measures over the number of clusters"
    return Curve("over_k", title, subtitle, result.to_frame(), summary, result.warnings)


def largest(order: Ints, sizes: Floats, most: int) -> list[int]:
    """The places of the largest groups, in the order given.

    >>> largest(np.array([2, 0, 1]), np.array([5.0, 1.0, 7.0]), most=2)
    [2, 0]
    """
    kept = set(np.argsort(-sizes, kind="stable")[:most].tolist())
    return [int(at) for at in order if int(at) in kept]


def left_out(table: Contingency, classes: Sequence[int], clusters: Sequence[int]) -> str:
    """The classes and clusters of a table that are kept, where some are left out; else nothing."""
    kinds = (("classes", classes, table.classes), ("clusters", clusters, table.clusters))
    cut = [f"the {len(kept)} largest of {len(of):,} {what}" for what, kept, of in kinds if len(kept) < len(of)]
    return " and ".join(cut)


def _chosen(result: Clustering, system: str | None) -> list[str]:
    return [each.name for each in result.systems] if system is None else [result.system(system).name]


@drawn_from("silhouette")
def silhouettes_figure(curve: Curve) -> Figure:
    """A panel for each clustering, two beside one another."""
    systems = curve.summary.select("system", "value").rows()
    lowest, width = ends_of(curve.frame["silhouette"])[0], 460 if len(systems) == 1 else 345
    if lowest >= 0:
        low = 0.0
    elif lowest < -0.5:
        low = -1.0
    else:
        low = -0.5
    panels = []
    for name, mean in systems:
        panel = _silhouette(curve.frame.filter(pl.col("system") == name), mean, low=low, width=width)
        panels.append(replace(panel, title=name if len(systems) > 1 else ""))
    return Figure("points", tuple(panels), across=2)


def _silhouette(frame: pl.DataFrame, mean: float, *, low: float, width: int) -> Panel:
    """The silhouette of each point as a bar, cluster by cluster in the order of the frame: `cluster`, `silhouette`.

    Every cluster is at least as high as its name. What lies nearer to another cluster, and so is below 0, stands out.
    """
    sizes = frame.group_by("cluster", maintain_order=True).len()
    clusters = sizes["cluster"].to_list()
    is_named = len(clusters) <= charts.MOST_NAMED
    between, line = (6, 14) if is_named else (0, 0)
    high = (pl.col("len") / frame.height * _SILHOUETTES).clip(lower_bound=line)
    sizes = sizes.with_columns(high=high).with_columns(
        start=pl.col("high").cum_sum() - pl.col("high") + between * pl.int_range(pl.len())
    )
    bar, place = pl.col("high") / pl.col("len"), pl.int_range(pl.len()).over("cluster")
    placed = frame.join(sizes, on="cluster", maintain_order="left").select(
        *frame.columns,
        top=pl.col("start") + bar * place,
        bottom=pl.col("start") + bar * (place + 1),
        meaning=pl.when(pl.col("silhouette") < 0).then(pl.lit("loss")).otherwise(pl.lit("gain")),
    )
    bottom = float(placed["bottom"].max())  # type: ignore[arg-type]
    middles = tuple((sizes["start"] + sizes["high"] / 2).to_list())
    names = tuple(cut_apart(clusters, 24)) if is_named else ("",) * len(clusters)
    at = pl.DataFrame({"at": [mean], "words": [f"mean {number(mean)}"]})
    marks = (
        Mark("bar", placed, "silhouette", "top", y2="bottom", meaning="meaning", tips=charts.filled(frame)),
        Mark("rule", at, "at", meaning="best", label="words"),
    )
    down = Scale("", bottom, 0, ticks=middles, names=names, grid=False)
    return Panel(Scale("silhouette", low, 1), down, marks, "", width, round(bottom))


@drawn_from("items")
def contingency_figure(curve: Curve) -> Figure:
    """A map for each clustering: the shade is the share of the cluster, the number how many items there are."""
    panels = []
    for system, purity in curve.summary.select("system", "value").rows():
        rows = curve.frame.filter(pl.col("system") == system)
        clusters, classes = (tuple(rows[name].unique(maintain_order=True)) for name in ("cluster", "class"))
        width, height = (
            min(_LARGEST_MAP, max(_SMALLEST_CELL, min(_CELL, _LARGEST_MAP // len(names))) * len(names))
            for names in (clusters, classes)
        )
        cells = rows.with_columns(words=pl.col("items").map_elements(_counted, return_dtype=pl.String))
        ground = Mark("bar", cells.head(1), meaning="band")
        marks = [ground, Mark("bar", cells, "cluster", "class", shade="of_cluster", tips=charts.filled(rows))]
        if max(len(classes), len(clusters)) <= _MOST_NUMBERS:
            marks.append(Mark("text", cells, "cluster", "class", label="words", shade="of_cluster"))
        x, y = Scale("cluster", kind="category", names=clusters), Scale("class", kind="category", names=classes)
        panels.append(Panel(x, y, tuple(marks), f"{system}: purity {number(purity)}", width, height))
    return Figure("points", tuple(panels))


def _counted(items: float) -> str:
    if not items:
        return ""
    if items == round(items):
        return f"{items:,.0f}"
    return number(items, 2)


@drawn_from("value")
def over_k_figure(curve: Curve) -> Figure:
    """A panel for each measure, two beside one another, its line over `k`, the number it prefers ringed and named."""
    panels = []
    ends = float(curve.frame["k"].min()), float(curve.frame["k"].max())  # type: ignore[arg-type]
    x = Scale("clusters", *ends, whole=True, about=8)
    x = x if ends[0] < ends[1] else Scale("clusters", ends[0] - 1, ends[0] + 1)
    for measure, k in curve.summary.select("system", "value").rows():
        rows = curve.frame.filter(pl.col("measure") == measure).drop_nulls("value")
        if rows.is_empty():
            continue
        marks = []
        if rows["spread"].is_not_null().any():
            # Only stability has a spread, and more than 1 there is not.
            top = (pl.col("value") + pl.col("spread").fill_null(0.0)).clip(upper_bound=1.0)
            spread = rows.with_columns(low=pl.col("value") - pl.col("spread").fill_null(0.0), high=top)
            marks.append(Mark("area", spread, "k", "low", y2="high", meaning="s1"))
        marks.append(Mark("line", rows, "k", "value", meaning="s1", tips=charts.filled(rows), dots=True))
        if k is not None:
            marks.append(Mark("point", rows.filter(pl.col("k") == k), "k", "value", meaning="best"))
        title = measure if k is None else f"{measure}: best at {k}"
        panels.append(Panel(x, Scale(about=4), tuple(marks), title, 230, 150))
    return Figure("points", tuple(panels), across=2)
