"""Charts of clusterings: silhouettes as bars, classes by clusters as a map, measures over the number of clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import number
from assay.report.chart_parts import DIM, GRID, INK, PALETTE, altair, data, tooltip
from assay.show.legible import cut_apart

if TYPE_CHECKING:
    from assay.report.charts import Drawable

_WIDTH, _HEIGHT = 460, 420
#: Between clusters; and so high is each at least, for its name.
_BETWEEN, _LINE = 6, 14
_LONGEST_NAME = 24
#: Of more clusters, none is named.
MOST_NAMED = 200
_CELL, _SMALLEST_CELL, _LARGEST_MAP = 48, 9, 640
_LETTER = 7
#: Of more clusters or classes, cells have no numbers.
_MOST_NUMBERS = 20
_STABILITY = "Stability"
_PANEL_WIDTH, _PANEL_HEIGHT = 230, 150
_ACROSS = 2


def _silhouettes(curve: Drawable) -> list[Any]:
    """A panel a clustering: bars sorted within each cluster, a line at the mean."""
    systems = curve.summary["system"].to_list()
    means = dict(curve.summary.select("system", "value").rows())
    lowest = min(0.0, *curve.frame["silhouette"].to_list())
    panels = [_bars(curve.frame.filter(system=name), means[name], name, len(systems) > 1, lowest) for name in systems]
    return panels if len(panels) <= _ACROSS else [altair().concat(*panels, columns=_ACROSS)]


def _bars(own: pl.DataFrame, mean: float, name: str, several: bool, lowest: float) -> Any:
    alt = altair()
    sizes = own.group_by("cluster", maintain_order=True).len()
    clusters = sizes["cluster"].to_list()
    is_named = len(clusters) <= MOST_NAMED
    # In pixels: a cluster of few points is as high as its name all the same.
    spread = sizes.with_columns(
        high=(pl.col("len") / own.height * _HEIGHT).clip(lower_bound=_LINE if is_named else 0),
        colour=pl.Series([PALETTE[place % len(PALETTE)] for place in range(len(clusters))]),
    )
    between = _BETWEEN if is_named else 0
    spread = spread.with_columns(start=pl.col("high").cum_sum() - pl.col("high") + between * pl.int_range(pl.len()))
    height = float(spread["high"].sum()) + between * (len(clusters) - 1)
    bar = pl.col("high") / pl.col("len")
    placed = (
        own.join(spread, on="cluster", maintain_order="left")
        .with_columns(top=pl.col("start") + bar * pl.int_range(pl.len()).over("cluster"), bar=bar)
        .with_columns(bottom=pl.col("top") + pl.col("bar"))
        .drop("len", "high", "start", "bar")
    )
    down = alt.Scale(domain=[0, height], reverse=True, nice=False)
    across = alt.Scale(domain=[lowest, 1], nice=lowest < 0)
    bars = (
        alt.Chart(data(placed))
        .mark_rect()
        .encode(
            x=alt.X("silhouette:Q", title="silhouette", scale=across, axis=alt.Axis(labelFlush=False)),
            x2=alt.datum(0),
            y=alt.Y("top:Q", axis=None, scale=down),
            y2="bottom:Q",
            color=alt.Color("colour:N", scale=None),
            tooltip=tooltip(own),
        )
    )
    named = spread.select(
        at=pl.col("start") + pl.col("high") / 2,
        text=pl.Series(cut_apart(clusters, _LONGEST_NAME) if is_named else [""] * len(clusters), dtype=pl.String),
    )
    names = (
        alt.Chart(data(named))
        .mark_text(align="right", dx=-8, color=INK, fontSize=12)
        .encode(x=alt.value(0), y=alt.Y("at:Q", scale=down), text="text:N")
    )
    rule = alt.Chart(alt.Data(values=[{"at": mean, "says": f"mean {number(mean)}"}]))
    line = rule.mark_rule(color=INK, strokeDash=[4, 3], strokeWidth=1.5).encode(x="at:Q")
    words = rule.mark_text(align="center", baseline="bottom", dy=-3, y=0, color=INK, fontSize=12)
    panel = alt.layer(bars, names, line, words.encode(x="at:Q", text="says:N"))
    panel = panel.properties(width=_WIDTH if not several else _WIDTH * 3 // 4, height=round(height))
    return panel.properties(title=_small(name, offset=22)) if several else panel


def _small(text: str, offset: int = 6) -> Any:
    return altair().TitleParams(text, fontSize=12, fontWeight="normal", color=DIM, offset=offset)


def _contingency(curve: Drawable) -> list[Any]:
    """A map a clustering: the shade is the share of the cluster, the number how many items there are."""
    systems = curve.summary.rows(named=True)
    return [altair().vconcat(*(_map(curve.frame.filter(system=row["system"]), row) for row in systems), spacing=20)]


def _map(own: pl.DataFrame, row: dict[str, Any]) -> Any:
    alt = altair()
    classes, clusters = (own[name].unique(maintain_order=True).to_list() for name in ("class", "cluster"))
    width, height = (
        min(_LARGEST_MAP, max(_SMALLEST_CELL, min(_CELL, _LARGEST_MAP // len(labels))) * len(labels))
        for labels in (clusters, classes)
    )
    # Names that do not fit beside one another are turned.
    turned = max(map(len, clusters)) * _LETTER > width / len(clusters)
    axis = alt.Axis(labelAngle=-45 if turned else 0, labelLimit=110)
    across = alt.X("cluster:O", sort=clusters, title="cluster", axis=axis)
    down = alt.Y("class:O", sort=classes, title="class", axis=alt.Axis(labelLimit=160))
    at = alt.Chart(data(own.with_columns(says=pl.col("items").map_elements(_counted, return_dtype=pl.String))))
    scale = alt.Scale(domain=[0, 1], range=[GRID, PALETTE[0]], interpolate="rgb")
    shade = alt.Color("of_cluster:Q", scale=scale, legend=None)
    cells = at.mark_rect(stroke="white").encode(x=across, y=down, color=shade, tooltip=tooltip(own))
    layers = [cells]
    if max(len(classes), len(clusters)) <= _MOST_NUMBERS:
        ink = alt.condition("datum.of_cluster > 0.7", alt.value("white"), alt.value(INK))
        layers.append(at.mark_text(fontSize=12).encode(x=across, y=down, text="says:N", color=ink))
    panel = alt.layer(*layers).properties(width=width, height=height)
    return panel.properties(title=_small(f"{row['system']}: purity {number(row['value'])}"))


def _counted(items: float) -> str:
    return "" if not items else f"{items:,.0f}" if items == round(items) else number(items, 2)


def _over_k(curve: Drawable) -> list[Any]:
    """A panel a measure, two beside one another: its line over k, the number it prefers marked and named."""
    alt = altair()
    panels = []
    lowest, highest = curve.frame["k"].min(), curve.frame["k"].max()
    for place, row in enumerate(curve.summary.rows(named=True)):
        own = curve.frame.filter(measure=row["system"]).drop_nulls("value")
        if own.is_empty():
            continue
        colour = PALETTE[place % len(PALETTE)]
        ticks = alt.Axis(format="d", tickMinStep=1, labelFlush=False)
        across = alt.X("k:Q", title="clusters", scale=alt.Scale(domain=[lowest, highest], nice=False), axis=ticks)
        up = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(tickCount=4))
        lines = alt.Chart(data(own))
        layers = []
        if row["system"] == _STABILITY and own["spread"].is_not_null().any():
            top = (pl.col("value") + pl.col("spread")).clip(upper_bound=1.0)  # more there is not
            ends = own.with_columns(low=pl.col("value") - pl.col("spread"), high=top)
            band = alt.Chart(data(ends)).mark_area(color=colour, opacity=0.15)
            layers.append(band.encode(x=across, y=alt.Y("low:Q", title=None, scale=alt.Scale(zero=False)), y2="high:Q"))
        layers.append(lines.mark_line(color=colour, strokeWidth=2).encode(x=across, y=up))
        layers.append(
            lines.mark_point(filled=True, size=30, color=colour, opacity=1).encode(x=across, y=up, tooltip=tooltip(own))
        )
        title = row["system"]
        if row["value"] is not None:
            best = alt.Chart(data(own.filter(pl.col("k") == row["value"])))
            ring = best.mark_point(size=130, color=INK, strokeWidth=1.8, opacity=1, filled=False)
            layers.append(ring.encode(x=across, y=up))
            title = f"{title}: best at {row['value']}"
        panel = alt.layer(*layers).properties(width=_PANEL_WIDTH, height=_PANEL_HEIGHT)
        panels.append(panel.properties(title=_small(title)))
    return [alt.concat(*panels, columns=_ACROSS, spacing=24)]


#: How each kind is drawn.
DRAWN: dict[str, Callable[[Drawable], list[Any]]] = {
    "silhouette": _silhouettes,
    "contingency": _contingency,
    "over_k": _over_k,
}
