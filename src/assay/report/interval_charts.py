"""Numbers with their intervals, one row each: differences from a baseline, or the systems themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.report.chart_parts import DIM, INK, PALETTE, REST, altair, data, tooltip

if TYPE_CHECKING:
    from assay.report.charts import Drawable

_COLOURS = {"better": PALETTE[0], "worse": PALETTE[1], "equivalent": PALETTE[2], "identical": PALETTE[2]}
_WIDTH, _ROW = 420, 24


def intervals(curve: Drawable) -> list[Any]:
    """A panel a measure; a dot and its interval a row. Differences have a line at 0, and a band for the margin."""
    alt = altair()
    panels = []
    for own in curve.frame.partition_by("measure", maintain_order=True):
        names = own["system"].to_list()
        is_difference = own["margin"].is_not_null().any()
        across = alt.X("value:Q", title=None, scale=alt.Scale(zero=False, nice=True))
        down = alt.Y("system:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=300))
        layers = _zero(own["margin"].max()) if is_difference else []
        for word in own["verdict"].unique(maintain_order=True).to_list():
            rows = alt.Chart(data(own.filter(pl.col("verdict").eq_missing(word))))
            colour = _COLOURS.get(word, DIM if word else INK)
            layers.append(rows.mark_rule(color=colour, strokeWidth=2).encode(x="low:Q", x2="high:Q", y=down))
            dots = rows.mark_point(color=colour, filled=True, size=60, opacity=1)
            layers.append(dots.encode(x=across, y=down, tooltip=tooltip(own)))
        title = f"{own['measure'][0]}{', difference' if is_difference else ''}"
        words = alt.TitleParams(title, fontSize=12, fontWeight="normal", color=DIM, offset=6)
        panels.append(alt.layer(*layers).properties(width=_WIDTH, height=_ROW * len(names), title=words))
    return [alt.vconcat(*panels, spacing=18)]


def _zero(margin: Any) -> list[Any]:
    """No difference, and the band of differences that do not matter."""
    alt = altair()
    at = alt.Chart(alt.Data(values=[{"zero": 0.0, "from": -float(margin), "to": float(margin)}]))
    band = at.mark_rect(color=REST, opacity=0.3).encode(x="from:Q", x2="to:Q")
    return [band, at.mark_rule(color=INK, strokeWidth=1).encode(x="zero:Q")]
