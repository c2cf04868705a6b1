"""Figures of clusterings: silhouettes, classes by clusters, and measures over the number of clusters."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from assay.core.digits import number
from assay.show import charts
from assay.show.figure import Figure, Mark, Panel, Scale
from assay.show.legible import cut_apart
from assay.verbs.curves import Curve
from assay.verbs.sections.curves import drawn_from, ends_of

#: A cell of a map is so large, and no smaller than that; the map no larger than this.
_CELL, _SMALLEST_CELL, _LARGEST_MAP = 48, 9, 640
#: Of more clusters or classes, cells have no numbers.
_MOST_NUMBERS = 20
#: So many pixels high are all silhouettes together, without the room between clusters.
_SILHOUETTES = 420


@drawn_from("silhouette")
def silhouettes_figure(curve: Curve) -> Figure:
    """A panel for each clustering, two beside one another."""
    systems = curve.summary.select("system", "value").rows()
    lowest = ends_of(curve.frame["silhouette"])[0]
    width = 460 if len(systems) == 1 else 345
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
    bar = pl.col("high") / pl.col("len")
    place = pl.int_range(pl.len()).over("cluster")
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
        cells = rows.with_columns(words=pl.col("items").map_elements(_items_in_words, return_dtype=pl.String))
        ground = Mark("bar", cells.head(1), meaning="band")
        marks = [ground, Mark("bar", cells, "cluster", "class", shade="of_cluster", tips=charts.filled(rows))]
        if max(len(classes), len(clusters)) <= _MOST_NUMBERS:
            marks.append(Mark("text", cells, "cluster", "class", label="words", shade="of_cluster"))
        x, y = Scale("cluster", kind="category", names=clusters), Scale("class", kind="category", names=classes)
        panels.append(Panel(x, y, tuple(marks), f"{system}: purity {number(purity)}", width, height))
    return Figure("points", tuple(panels))


def _items_in_words(items: float) -> str:
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
