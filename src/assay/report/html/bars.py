"""One bar a query, sorted, each bar a link to its query."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assay.report.html.grid import grid
from assay.report.html.markup import Html, element, percent
from assay.show.axis import Axis, around

#: With more queries than this a bar is thinner than a hair: then only the bars at both ends are links.
MOST_LINKED = 1000
#: Bars at each end that stay links then.
LINKED_ENDS = 100
#: So many ids fit below the bars, if none is longer than this.
MOST_LABELS, LONGEST_LABEL = 30, 6
#: With more bars there is no room between them.
MOST_APART = 300
_ROOM = 0.03  # above the highest bar and below the lowest one


class Bar(NamedTuple):
    """A query's bar: its id, its height, what kind it is of (a class of the style), and what is said of it."""

    query_id: str
    value: float
    kind: str
    says: str


def linked(queries: int) -> list[int]:
    """The places of queries whose bars are links and which are listed below: all, or those at both ends.

    >>> linked(3), len(linked(5000)), linked(5000)[100]
    ([0, 1, 2], 200, 4900)
    """
    if queries <= MOST_LINKED:
        return list(range(queries))
    return [*range(LINKED_ENDS), *range(queries - LINKED_ENDS, queries)]


def bars(queries: Sequence[Bar], says: str, link: Callable[[int], str]) -> Html:
    """The chart; `link(place)` is where the bar at a place leads.

    >>> shown = [Bar("q1", 0.5, "gain", "query q1"), Bar("q2", -0.1, "loss", "query q2")]
    >>> chart = bars(shown, "two queries", lambda at: f"#d{at}")
    >>> chart.count("<a "), 'class="gain"' in chart, 'class="loss"' in chart
    (2, True, True)
    """
    axis = around((bar.value for bar in queries), room=_ROOM)
    places = linked(len(queries))
    kept = set(places)
    rest = [place for place in range(len(queries)) if place not in kept]
    parts = [*grid(axis, 5), *([_plain(axis, queries, rest)] if rest else [])]
    parts += [_bar(axis, queries[place], place, len(queries), link(place)) for place in places]
    if len(queries) <= MOST_LABELS and all(len(bar.query_id) <= LONGEST_LABEL for bar in queries):
        parts += [
            element(
                "text", bar.query_id, x=percent((place + 0.5) / len(queries)), y="100%", dy="16", class_="id middle"
            )
            for place, bar in enumerate(queries)
        ]
    return element("div", element("svg", *parts, class_="bars", role="group", aria_label=says), class_="plot")


def sparkline(queries: Sequence[Bar]) -> Html:
    """The same, small and without links, for the line that opens the chart."""
    axis = around((bar.value for bar in queries), room=_ROOM)
    return element("svg", _plain(axis, queries, range(len(queries))), class_="sparkline", aria_hidden="true")


def _bar(axis: Axis, bar: Bar, place: int, queries: int, href: str) -> Html:
    slot = 1 / queries
    gap = 0.16 * slot if queries <= MOST_APART else 0.0
    top, height = _span(axis, bar.value)
    return element(
        "a",
        element("title", bar.says),
        element("rect", x=percent(place * slot), width=percent(slot), height="100%", class_="hit"),
        element(
            "rect",
            x=percent(place * slot + gap / 2),
            y=percent(top),
            width=percent(slot - gap),
            height=percent(height),
            class_=bar.kind,
        ),
        href=href,
    )


def _plain(axis: Axis, queries: Sequence[Bar], places: Sequence[int]) -> Html:
    """Bars without links: a shape for all of a kind, drawn to the width that there is."""
    shapes: dict[str, list[str]] = {}
    for place in places:
        top, height = _span(axis, queries[place].value)
        if height:
            shapes.setdefault(queries[place].kind, []).append(f"M{place} {100 * top:.2f}h1v{100 * height:.2f}h-1z")
    paths = [element("path", d="".join(shape), class_=kind) for kind, shape in shapes.items()]
    return element(
        "svg",
        *paths,
        viewBox=f"0 0 {max(len(queries), 1)} 100",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
    )


def _span(axis: Axis, value: float) -> tuple[float, float]:
    """Top and height of a bar; one that is not a number has no height."""
    if math.isnan(value) or value == 0:
        return axis.from_top(0), 0.0
    top, bottom = sorted((axis.from_top(0), axis.from_top(value)))
    return top, bottom - top
