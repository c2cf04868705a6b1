"""Small drawings that sit in tables and cards by the hundred: numbers with whiskers, bars, shares.

Plain SVG. Places are shares of the width and text keeps its size, so that one drawing serves a phone, a screen and a
sheet of paper; colours are those of the page's theme, by the names of its style.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from markupsafe import Markup, escape

from assay.show.axis import Axis, around, label

#: What an attribute of an element may be.
Attribute: TypeAlias = str | float | None


def shape(
    tag: str, attributes: Mapping[str, Attribute] | None = None, inside: Markup | str = "", **more: Attribute
) -> Markup:
    """An element of a drawing; text and attributes are escaped. `_` in names is `-`; None leaves an attribute out.

    >>> shape("line", x1="0", stroke_width=2.0, class_="zero")
    Markup('<line x1="0" stroke-width="2" class="zero"/>')
    """
    named = {**(attributes or {}), **{key.rstrip("_").replace("_", "-"): value for key, value in more.items()}}
    start = tag + "".join(f' {key}="{escape(_plain(value))}"' for key, value in named.items() if value is not None)
    return Markup(f"<{start}>{escape(inside)}</{tag}>" if inside else f"<{start}/>")


def _plain(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def percent(share: float) -> str:
    """A place or a length, as a share of the width or height.

    >>> percent(0.5), percent(1 / 3)
    ('50%', '33.33%')
    """
    return f"{_plain(100.0 * share + 0.0)}%"


def drawing(title: str, *parts: Markup, class_: str, **attributes: Attribute) -> Markup:
    """A drawing that is one picture to a screen reader, with its title in words.

    >>> drawing("0.5", class_="dot")
    Markup('<svg class="dot" role="img"><title>0.5</title></svg>')
    """
    inside = Markup().join([Markup(f"<title>{escape(title)}</title>"), *parts])
    return shape("svg", None, inside, class_=class_, role="img", **attributes)


def _upright(place: float, class_: str) -> Markup:
    """A line from top to bottom, at a share of the width."""
    return shape("line", x1=percent(place), x2=percent(place), y1="0", y2="100%", class_=class_)


class Reach(NamedTuple):
    """A number, and from where to where it may lie; NaN where that is not known."""

    value: float
    low: float = math.nan
    high: float = math.nan


def whisker(
    axis: Axis,
    reach: Reach,
    title: str,
    class_: str = "",
    *,
    narrow: Reach | None = None,
    ground: float = math.nan,
    band: float = 0.0,
) -> Markup:
    """A number and its interval on a bare axis; a line at 0 where the axis goes beyond it. Nothing without a number.

    `narrow`: a narrower interval, drawn thick. `ground`: a number to compare with, a thin line where it lies.
    `band`: as far around 0, it is shaded.

    >>> whisker(Axis(0, 1), Reach(0.5, 0.25, 0.75), "0.5").count("<line")
    1
    """
    if math.isnan(reach.value):
        return Markup()
    low, high = axis.at(-band), axis.at(band)
    shaded = shape("rect", x=percent(low), width=percent(high - low), height="100%", class_="band")
    parts = [shaded] if band else []
    parts += [_upright(axis.at(0), "zero")] if axis.low < 0 < axis.high else []
    parts += [] if math.isnan(ground) else [_upright(axis.at(ground), "dummy")]
    for (_, left, right), kind in ((reach, "reach"), (narrow or Reach(math.nan), "narrow")):
        if not (math.isnan(left) or math.isnan(right)):
            line = shape("line", x1=percent(axis.at(left)), x2=percent(axis.at(right)), y1="50%", y2="50%")
            parts.append(shape("g", inside=line, class_=kind))
    parts.append(shape("circle", cx=percent(axis.at(reach.value)), cy="50%", r=4, class_="dot"))
    return drawing(title, *parts, class_=f"whisker {class_}".strip())


def ticks(axis: Axis, title: str, about: int = 4) -> Markup:
    """The numbers along an axis, above or below what is drawn on it; those that are not whole go where it is narrow.

    >>> ticks(Axis(0, 1), "from 0 to 1", about=2).count("<text")
    3
    """
    marks = []
    for tick in axis.ticks(about):
        place = axis.at(tick)
        anchor = "middle" if 0 < place < 1 else "end" if place else "start"
        fine = "" if tick == round(tick) else " fine"
        marks.append(shape("text", inside=label(tick), x=percent(place), y=14, class_=f"{anchor}{fine}"))
    return drawing(title, *marks, class_="ticks-of")


def shares(parts: Mapping[str, float], title: str, class_: str = "shares") -> Markup:
    """Parts of a whole as one bar, each by the class of its style.

    >>> shares({"gain": 3, "tied": 0, "loss": 1}, "3 up, 1 down").count("<rect")
    2
    """
    total, start, bars = sum(parts.values()) or 1.0, 0.0, []
    for kind, part in parts.items():
        if part:
            bars.append(shape("rect", x=percent(start), width=percent(part / total), height="100%", class_=kind))
            start += part / total
    return drawing(title, *bars, class_=class_)


def sparkline(values: Sequence[float], kinds: Sequence[str]) -> Markup:
    """Bars as small as a word, one for each value, each by the class of its style.

    >>> sparkline([0.5, -0.25, math.nan], ["gain", "loss", "tied"]).count("<path")
    2
    """
    axis = around(values, room=0.03)
    zero, paths = 100 * (1 - axis.at(0)), dict[str, str]()
    for place, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        if value and not math.isnan(value):
            paths[kind] = paths.get(kind, "") + f"M{place} {zero:.2f}h1V{100 * (1 - axis.at(value)):.2f}h-1z"
    bars = (shape("path", d=path, class_=kind) for kind, path in paths.items())
    room = {"viewBox": f"0 0 {max(len(values), 1)} 100", "preserveAspectRatio": "none", "aria-hidden": "true"}
    return shape("svg", room, Markup().join(bars), class_="sparkline")
