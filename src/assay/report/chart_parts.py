"""What all charts share: colours, the theme, data and tooltips. With its neighbours, the only home of Altair."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.core.errors import need

# The colours of Okabe and Ito, the light ones darkened until they stand out on white (3:1 at least).
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#b5588c", "#000000", "#3d96cc", "#cc8400", "#6b6500")
DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (6, 2, 2, 2, 2, 2), (1, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
# Arial and Liberation Sans have the same widths: what is laid out with one is not cut off with the other.
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
INK, DIM, GRID, REST = "#1c2430", "#5c6675", "#e4e8ec", "#c3c9d1"


def altair() -> Any:
    """The package, asked for by name."""
    need("altair", extra="report", purpose="a chart")
    import altair as package  # noqa: PLC0415  # heavy, and only here

    return package


def theme() -> dict[str, Any]:
    """The looks of all charts."""
    quiet = {
        "labelColor": DIM,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
    }
    lines = {"gridColor": GRID, "domainColor": REST, "tickColor": REST, "titlePadding": 8}
    title = {
        "anchor": "start",
        "color": INK,
        "fontSize": 16,
        "subtitleColor": DIM,
        "subtitleFontSize": 13,
        "offset": 14,
    }
    return {
        "background": "white",
        "font": FONT,
        "padding": 16,
        "axis": quiet | lines,
        "title": title | {"subtitlePadding": 6},
        "view": {"stroke": None},
        "header": {"labelColor": INK, "labelFontSize": 12, "title": None},
    }


def data(frame: pl.DataFrame) -> Any:
    """Rows as a chart takes them."""
    alt = altair()
    return alt.Data(values=frame.to_dicts())


def tooltip(frame: pl.DataFrame) -> list[Any]:
    """All that is known of a point."""
    alt = altair()
    return [
        alt.Tooltip(f"{name}:Q", title=name.replace("_", " "), format=".12~g")
        if dtype == pl.Float64
        else alt.Tooltip(f"{name}:N", title=name.replace("_", " "))
        for name, dtype in frame.schema.items()
        if not frame[name].is_null().all()
    ]
