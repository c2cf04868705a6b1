"""Dots with whiskers: a number and how far it may lie from there.

All charts of the page are drawn here and in the modules beside, as plain SVG, and not by Altair as the single charts of
`assay plot` are: they sit in tables and cards by the hundred, take their colours from the page's theme, link to the
queries behind them, and have to be there without any further package. Places are shares of the width, and text keeps
its size, so that one drawing serves a phone, a screen and a sheet of paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.report.html.direction import kind
from assay.report.html.markup import Html, element, joined, percent
from assay.show.axis import Axis, label


class Reach(NamedTuple):
    """A number, and from where to where it may lie; NaN where that is not known."""

    value: float
    low: float
    high: float


def drawing(says: str, *parts: str, class_: str) -> Html:
    """A chart that is one picture to a screen reader, with what it says in words.

    >>> drawing("0.5", class_="dot")
    '<svg class="dot" role="img"><title>0.5</title></svg>'
    """
    return element("svg", element("title", says), *parts, class_=class_, role="img")


def whisker(
    axis: Axis, reach: Reach, says: str, class_: str = "", *, zero: bool = False, ground: Sequence[Html] = ()
) -> Html:
    """A number and its interval on a bare axis, for the cell of a table; nothing where there is no number.

    `ground` is drawn below them.
    """
    if math.isnan(reach.value):
        return Html("")
    below = [*ground, *([upright(axis.at(0), "zero")] if zero else [])]
    return drawing(says, *below, _stroke(axis, reach), _dot(axis, reach.value), class_=f"whisker {class_}".strip())


def difference(axis: Axis, reach: Reach, narrow: Reach, margin: float, says: str) -> Html:
    """A difference with its interval and, thick in it, a narrow one; zero, and the band of what is too small to matter.

    >>> chart = difference(Axis(-0.2, 0.2), Reach(0.1, 0.0, 0.2), Reach(0.1, 0.05, 0.15), 0.01, "the difference is 0.1")
    >>> [f'class="{part}"' in chart for part in ("band", "zero", "reach", "narrow", "dot")]
    [True, True, True, True, True]
    """
    band = element(
        "rect",
        x=percent(axis.at(-margin)),
        y=0,
        width=percent(axis.at(margin) - axis.at(-margin)),
        height=30,
        class_="band",
    )
    matters = element("text", f"±{margin:g}", x=percent(axis.at(0)), y=-5, class_="middle")
    ticks = joined(
        *(
            joined(
                element("line", x1=percent(axis.at(tick)), x2=percent(axis.at(tick)), y1=30, y2=34, class_="tick"),
                element("text", label(tick), x=percent(axis.at(tick)), y=46, class_="middle"),
            )
            for tick in axis.ticks(4)
        )
    )
    ground = element("line", x1="0", x2="100%", y1=30, y2=30, class_="tick")
    zero = element("line", x1=percent(axis.at(0)), x2=percent(axis.at(0)), y1=0, y2=30, class_="zero")
    line = joined(_stroke(axis, reach, y=15, end=6), _stroke(axis, narrow, y=15, class_="narrow"))
    dot = [] if math.isnan(reach.value) else [_dot(axis, reach.value, y=15, radius=6)]
    return drawing(says, band, matters, ground, zero, ticks, line, *dot, class_="difference")


def upright(place: float, class_: str) -> Html:
    """A line from top to bottom, at a share of the width."""
    return element("line", x1=percent(place), x2=percent(place), y1="0", y2="100%", class_=class_)


def ticks(axis: Axis, says: str, about: int = 4) -> Html:
    """The numbers along an axis, below or above what is drawn on it; those that are not whole go where it is narrow.

    >>> ticks(Axis(0, 1), "from 0 to 1", about=2).count("<text")
    3
    """
    marks = []
    for tick in axis.ticks(about):
        place = axis.at(tick)
        anchor = "middle" if 0 < place < 1 else "end" if place else "start"
        marks.append(element("text", label(tick), x=percent(place), y=14, class_=f"{anchor} {_fine(tick)}".strip()))
    return drawing(says, *marks, class_="ticks-of")


def _fine(tick: float) -> str:
    return "" if tick == round(tick) else "fine"


def meter(share: float, says: str) -> Html:
    """A share as a bar, filled so far.

    >>> 'width="25%"' in meter(0.25, "a quarter")
    True
    """
    return drawing(
        says,
        element("rect", width="100%", height="100%", rx=3, class_="empty"),
        element("rect", width=percent(share), height="100%", rx=3, class_="filled"),
        class_="meter",
    )


def shares(higher: int, same: int, lower: int, higher_is_better: bool | None = True) -> Html:
    """For how many queries the value is higher, the same and lower, as one bar in three parts.

    >>> shares(3, 0, 1).count("<rect")
    2
    """
    parts, start, total = [], 0.0, max(higher + same + lower, 1)
    up, down = kind(1, higher_is_better), kind(-1, higher_is_better)
    for count, name in ((higher, up), (same, "tied"), (lower, down)):
        if count:
            share = count / total
            parts.append(element("rect", x=percent(start), width=percent(share), height="100%", class_=name))
            start += share
    return drawing(f"higher for {higher}, the same for {same}, lower for {lower}", *parts, class_="shares")


def detection(axis: Axis, seen: float, detectable: float, margin: float, says: str) -> Html:
    """The size of the difference seen (dot) and the smallest that would be detected (bar), over what matters (band)."""
    parts = [element("rect", width=percent(axis.at(margin)), height="100%", class_="band")]
    if not math.isnan(detectable):
        parts.append(element("rect", y="32%", width=percent(axis.at(detectable)), height="36%", rx=2, class_="needs"))
    if not math.isnan(seen):
        parts.append(_dot(axis, abs(seen)))
    return drawing(says, *parts, class_="whisker")


def _stroke(axis: Axis, reach: Reach, y: int | None = None, end: int = 0, class_: str = "reach") -> Html:
    if math.isnan(reach.low) or math.isnan(reach.high):
        return Html("")
    left, right = percent(axis.at(reach.low)), percent(axis.at(reach.high))
    middle: str | int = "50%" if y is None else y
    ends = [element("line", x1=at, x2=at, y1=y - end, y2=y + end) for at in (left, right) if y is not None and end]
    return element("g", element("line", x1=left, x2=right, y1=middle, y2=middle), *ends, class_=class_)


def _dot(axis: Axis, value: float, y: int | None = None, radius: float = 4.0) -> Html:
    return element("circle", cx=percent(axis.at(value)), cy="50%" if y is None else y, r=radius, class_="dot")
