"""Whether scores can be read as probabilities: the share of positive items against the mean score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import counted
from assay.report.html.grid import grid
from assay.report.html.markup import Html, element, given, heads, number, percent, table
from assay.show.axis import Axis, label
from assay.show.theme import LINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.classifier_contents import Calibration


def calibration(parts: Sequence[Calibration]) -> Html:
    """The share of positive items against the mean score, with intervals; a chart a system."""
    return element("div", *(_calibration(one, place) for place, one in enumerate(parts)), class_="calibrations")


def _calibration(one: Calibration, place: int) -> Html:
    axis = Axis(0, 1)
    levels = [element("text", label(at), x=percent(at), y="100%", dy="18", class_="middle") for at in axis.ticks(4)]
    points, style = [], f"s{place % LINES + 1}"
    for group in one.bins:
        x = percent(group.score)
        if not math.isnan(group.share.low):
            points.append(
                element(
                    "line",
                    x1=x,
                    x2=x,
                    y1=percent(1 - group.share.low),
                    y2=percent(1 - group.share.high),
                    class_="spread",
                )
            )
        says = f"mean score {number(group.score)}: {number(group.share.value)} of {counted(group.items)} items"
        points.append(
            element("circle", element("title", says), cx=x, cy=percent(1 - group.share.value), r=5, class_="mark")
        )
    diagonal = element("line", x1="0", y1="100%", x2="100%", y2="0", class_="chance")
    chart = element(
        "svg",
        element("title", f"Calibration of {one.system}: expected error {number(one.error)}"),
        *grid(axis, 4),
        *levels,
        diagonal,
        *points,
        class_=f"curves square {style}",
        role="img",
    )
    head = heads("mean score", f"share of {one.label}", "interval", "items")
    rows = [
        element(
            "tr",
            element("th", number(group.score), scope="row"),
            element("td", number(group.share.value), class_="n"),
            element(
                "td",
                "–" if math.isnan(group.share.low) else f"{number(group.share.low, 3)} – {number(group.share.high, 3)}",
                class_="n",
            ),
            element("td", counted(group.items), class_="n"),
        )
        for group in one.bins
    ]
    return element(
        "div",
        element("h3", given(one.system)),
        element("p", f"Expected calibration error {number(one.error)}", class_="dim small"),
        element("p", "share of ", given(one.label), class_="axis-name"),
        element("div", chart, class_="plot"),
        element("p", "mean score", class_="axis-name right"),
        element(
            "details",
            element("summary", "As a table"),
            table(f"Calibration of {one.system}", head, rows),
            class_="numbers",
        ),
        class_="keyed",
    )
