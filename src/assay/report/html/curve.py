"""Precision at levels of recall: a line a system, told apart by colour, dashes, marks and a name on the line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from assay.report.html.grid import grid
from assay.report.html.markup import Html, element, given, percent
from assay.show.axis import Axis, label
from assay.show.theme import LINES

if TYPE_CHECKING:
    from assay.reporting.contents import PrecisionRecall

# Drawn around their middle, 8 units wide.
_MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.6 -3.6h7.2v7.2h-7.2z",
    "M0 -4.6l4.4 7.8h-8.8z",
    "M0 -5l4.2 5l-4.2 5l-4.2 -5z",
    "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "M0 4.6l4.4 -7.8h-8.8z",
    "M-4.5 -2h9v4h-9z",
    "M-2 -4.5h4v9h-4z",
)
# Of a name: how far its middle is from its point, and how far it has to be from lines, in shares of the height.
_ABOVE, _LEAST_ROOM = 0.035, 0.028


def curves(systems: Sequence[PrecisionRecall]) -> Html:
    """The chart and its key. Systems beyond the colours that can be told apart are drawn grey, behind the others."""
    shown, rest = list(systems[:LINES]), list(systems[LINES:])
    axis = Axis(0, 1)  # of both precision and recall
    levels = [element("text", label(at), x=percent(at), y="100%", dy="18", class_="middle") for at in axis.ticks(5)]
    lines = [element("polyline", element("title", one.system), points=_points(one), class_="rest") for one in rest] + [
        element("polyline", element("title", one.system), points=_points(one), class_=f"line s{place}")
        for place, one in enumerate(shown, start=1)
    ]
    plot = element("svg", *lines, viewBox="0 0 100 100", preserveAspectRatio="none", width="100%", height="100%")
    marks = [
        element("use", href=f"#mark-{place}", x=percent(recall), y=percent(1 - precision), class_=f"mark s{place}")
        for place, one in enumerate(shown, start=1)
        for recall, precision in _known(one)
    ]
    names = [
        element(
            "text",
            one.system,
            x=percent(at.x),
            y=percent(1 - at.y),
            dx="9",
            dy="-7" if at.above else "17",
            class_=f"name s{place}",
        )
        for place, (one, at) in enumerate(zip(shown, label_places(shown), strict=True), start=1)
        if at is not None
    ]
    says = "Precision at levels of recall, " + ", ".join(one.system for one in systems)
    chart = element(
        "svg",
        element("title", says),
        _defined_marks(),
        *grid(axis, 5),
        *levels,
        plot,
        *marks,
        *names,
        class_="curves",
        role="img",
    )
    return element(
        "div",
        element("p", "precision", class_="axis-name"),
        element("div", chart, class_="plot"),
        element("p", "recall", class_="axis-name right"),
        _key(shown, len(rest)),
        class_="keyed",
    )


def _key(shown: Sequence[PrecisionRecall], rest: int) -> Html:
    items = [
        element(
            "li",
            element(
                "svg",
                element("line", x1="0", x2="100%", y1="50%", y2="50%", class_=f"line s{place}"),
                element("use", href=f"#mark-{place}", x="50%", y="50%", class_=f"mark s{place}"),
                class_="sample",
                aria_hidden="true",
            ),
            given(one.system),
            class_=f"k{place}",
        )
        for place, one in enumerate(shown, start=1)
    ]
    if rest:
        items.append(element("li", f"and {rest} more in grey", class_="dim"))
    return element("ul", *items, class_="key")


def _defined_marks() -> Html:
    return element("defs", *(element("path", id=f"mark-{place}", d=d) for place, d in enumerate(_MARKS, start=1)))


def _known(one: PrecisionRecall) -> list[tuple[float, float]]:
    return [(r, p) for r, p in zip(one.recall, one.precision, strict=True) if not math.isnan(p)]


def _points(one: PrecisionRecall) -> str:
    return " ".join(f"{100 * recall:.2f},{100 - 100 * precision:.2f}" for recall, precision in _known(one))


class Place(NamedTuple):
    """Where a line's name stands: right of a point of the line, above it or below."""

    x: float
    y: float
    above: bool


def label_places(shown: Sequence[PrecisionRecall]) -> list[Place | None]:
    """A place for each line's name where it is farthest from all lines and names; None where there is no room."""
    lines = [_known(one) for one in shown]
    taken: list[Place] = []
    places: list[Place | None] = []
    for one, line in zip(shown, lines, strict=True):
        width = 0.014 * len(one.system)
        found = [
            (_room(place, width, lines, taken), -place.x, place)
            for x, y in line
            if x + width < 1
            for place in (Place(x, y, True), Place(x, y, False))
        ]
        best = max(found, default=None)
        places.append(best[2] if best and best[0] > _LEAST_ROOM else None)
        if places[-1] is not None:
            taken.append(places[-1])
    return places


def _room(place: Place, width: float, lines: Sequence[list[tuple[float, float]]], taken: Sequence[Place]) -> float:
    """How far a name at a place would be from the nearest line or name, in shares of the chart's height."""
    middle = place.y + (_ABOVE if place.above else -_ABOVE)
    if not 0.02 < middle < 0.98 or any(
        abs(place.x - other.x) < 0.2 and abs(middle - other.y) < 2.5 * _ABOVE for other in taken
    ):
        return 0.0
    steps = math.ceil(width / 0.02)
    along = [place.x + 0.01 + width * step / steps for step in range(steps + 1)]
    return min((abs(_height(line, x) - middle) for line in lines for x in along if line), default=1.0)


def _height(line: list[tuple[float, float]], x: float) -> float:
    """The height of a line at some place, straight between its points."""
    for (left, low), (right, high) in pairwise(line):
        if left <= x <= right and right > left:
            return low + (high - low) * (x - left) / (right - left)
    return line[-1][1] if x > line[-1][0] else line[0][1]
