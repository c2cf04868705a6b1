"""SVG piece by piece: shapes, small drawings that sit in tables and cards, and the marks of a figure.

Plain SVG. Places are shares of the width and text keeps its size, so that one drawing serves a phone, a screen and a
sheet of paper; colours are those of the page's theme, by the names of its style.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import polars as pl
from markupsafe import Markup, escape

from assay.show.figure import AXES, MOST_SERIES, Axis, AxisName, Figure, Mark, Panel, around, dots_apart, label

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
        if 0 < place < 1:
            anchor = "middle"
        elif place:
            anchor = "end"
        else:
            anchor = "start"
        fine = "" if tick == round(tick) else " fine"
        marks.append(shape("text", inside=label(tick), x=percent(place), y=14, class_=f"{anchor}{fine}"))
    return drawing(title, *marks, class_="ticks-of")


def shares(parts: Mapping[str, float], title: str, class_: str = "shares") -> Markup:
    """Parts of a whole as one bar, each by the class of its style.

    >>> shares({"gain": 3, "tied": 0, "loss": 1}, "3 up, 1 down").count("<rect")
    2
    """
    total = sum(parts.values()) or 1.0
    start = 0.0
    bars = []
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
    zero = 100 * (1 - axis.at(0))
    paths = dict[str, str]()
    for place, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        if value and not math.isnan(value):
            paths[kind] = paths.get(kind, "") + f"M{place} {zero:.2f}h1V{100 * (1 - axis.at(value)):.2f}h-1z"
    bars = (shape("path", d=path, class_=kind) for kind, path in paths.items())
    room = {"viewBox": f"0 0 {max(len(values), 1)} 100", "preserveAspectRatio": "none", "aria-hidden": "true"}
    return shape("svg", room, Markup().join(bars), class_="sparkline")


# Of s1 to s8, drawn around their middle, 8 units wide.
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.6 -3.6h7.2v7.2h-7.2z",
    "M0 -4.6l4.4 7.8h-8.8z",
    "M0 -5l4.2 5l-4.2 5l-4.2 -5z",
    "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "M0 4.6l4.4 -7.8h-8.8z",
    "M-4.5 -2h9v4h-9z",
    "M-2 -4.5h4v9h-4z",
)
#: Of more marks, none says its numbers where one points at it.
MOST_TIPS = 2000
#: With more bars there is no room between them; else this share of each.
_MOST_APART, _APART = 300, 0.16
#: Words on a darker ground than this are light.
_DARK = 0.7
#: Attributes that are places or lengths, and along which axis.
_ALONG: dict[str, AxisName] = dict.fromkeys(("x", "x1", "x2", "cx", "width"), "x")

_ALONG |= dict.fromkeys(("y", "y1", "y2", "cy", "height"), "y")

Points: TypeAlias = list[tuple[float, float]]

Span: TypeAlias = tuple[float, float]


class Canvas:
    """A panel to draw on: `size` in pixels, or None where places are shares of the room that there is."""

    def __init__(self, figure: Figure, panel: Panel, size: tuple[float, float] | None = None) -> None:
        self.figure, self.panel, self.size = figure, panel, size
        self.rulers = {axis: panel.ruler(axis) for axis in AXES}

    def marks(self) -> list[Markup]:
        """All marks, the first below the others."""
        return [each for mark in self.panel.marks for each in getattr(self, f"_{mark.kind}s")(mark)]

    def at(self, axis: AxisName, values: Iterable[Any]) -> list[float | None]:
        """Places of values, as shares from the left or from the top; names stand from top to bottom."""
        shares = self.rulers[axis].at(*values)
        if axis == "x" or self.rulers[axis].scale.kind == "category":
            return shares
        return [None if share is None else 1 - share for share in shares]

    def length(self, axis: AxisName, share: float) -> str | float:
        """A place or a length along an axis, as an attribute."""
        return percent(share) if self.size is None else share * self.size[axis == "y"]

    def shape(self, tag: str, class_: str, tip: str = "", *, words: str = "", **more: Attribute) -> Markup:
        """A shape or words; places and lengths among its attributes are shares. `tip`: what it says of itself."""
        shares = {key: self.length(_ALONG[key], float(more.pop(key) or 0.0)) for key in [*more] if key in _ALONG}
        inside = shape("title", inside=tip) if tip else words
        return shape(tag, shares, inside, class_=class_ or None, **more)

    def placed(self, x: float, y: float, inside: Markup) -> Markup:
        """Something that is drawn around a place."""
        left, top = self.length("x", x), self.length("y", y)
        if self.size is None:
            return shape("svg", inside=inside, x=left, y=top)
        return shape("g", inside=inside, transform=f"translate({left:.2f} {top:.2f})")

    def outline(self, paths: Iterable[Points], class_: str, tip: str = "", *, closed: bool = False) -> Markup:
        """Lines or areas through points."""
        wide, high = self.size or (100, 100)
        end = "z" if closed else ""
        steps = [" ".join(f"{wide * x:.3f} {high * y:.3f}" for x, y in points) for points in paths]
        path = self.shape("path", class_, tip, d="".join(f"M{each}{end}" for each in steps))
        if self.size is not None:
            return path
        room = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none", "width": "100%", "height": "100%"}
        return shape("svg", room, path)

    def segment(self, across: Span, down: Span, class_: str, tip: str = "", hook: str | None = None) -> Markup:
        """A straight line; `hook`: what a script finds it by."""
        (x1, x2), (y1, y2) = across, down
        return self.shape("line", class_, tip, x1=x1, x2=x2, y1=y1, y2=y2, data_line=hook)

    def _box(self, across: Span, down: Span, class_: str, tip: str = "", **more: Any) -> Markup:
        ends: dict[str, Any] = {
            "x": across[0],
            "y": down[0],
            "width": across[1] - across[0],
            "height": down[1] - down[0],
        }
        return self.shape("rect", class_, tip, **ends, **more)

    def _points_of(self, mark: Mark, frame: pl.DataFrame) -> Iterator[tuple[float | None, float | None]]:
        """The place of each row."""
        return zip(self.at("x", frame[mark.x]), self.at("y", frame[mark.y]), strict=True)

    def _looks(self, mark: Mark) -> list[str]:
        """The class of each row: what it means, else that of its series."""
        frame = mark.frame
        if mark.meaning:
            return frame[mark.meaning].to_list() if mark.meaning in frame.columns else [mark.meaning] * frame.height
        if not mark.series:
            return ["s1"] * frame.height
        styles = {name: self.figure.style_of(name) for name in frame[mark.series].unique()}
        return [styles[name] for name in frame[mark.series]]

    def _ends(self, mark: Mark, axis: AxisName) -> list[Span | None]:
        """From where to where a bar or a rule goes along an axis."""
        name = getattr(mark, axis)
        other = getattr(mark, f"{axis}2")
        ruler = self.rulers[axis]
        if not name:
            return [(0.0, 1.0)] * mark.frame.height
        starts = self.at(axis, mark.frame[name])
        if other:
            ends = self.at(axis, mark.frame[other])
        elif mark.kind == "rule":
            ends = starts
        elif ruler.scale.kind == "category":
            half = ruler.width() * (1 - _APART * (len(ruler.scale.names) <= _MOST_APART and not mark.shade)) / 2
            ends = [None if start is None else start + half for start in starts]
            starts = [None if start is None else start - half for start in starts]
        else:
            ends = self.at(axis, [0.0]) * mark.frame.height
        both = zip(starts, ends, strict=True)
        spans = (None if start is None or end is None else (start, end) for start, end in both)
        return [span if span is None or mark.kind == "rule" else (min(span), max(span)) for span in spans]

    def _groups(self, mark: Mark) -> Iterator[tuple[str, str, pl.DataFrame]]:
        """Name, class and rows of each series: those in grey first, the best last and so above the others."""
        if not mark.series:
            yield "", self._looks(mark)[0] if mark.frame.height else "", mark.frame
            return
        parts = mark.frame.partition_by(mark.series, maintain_order=True, as_dict=True)
        for (name, *_), rows in sorted(parts.items(), key=lambda part: self._order(str(part[0][0])), reverse=True):
            yield str(name), mark.meaning or self.figure.style_of(str(name)), rows

    def _order(self, name: str) -> int:
        style = self.figure.style_of(name)
        return int(style[1:]) if style[1:].isdigit() else MOST_SERIES + 1

    def _lines(self, mark: Mark) -> Iterator[Markup]:
        for name, style, frame in self._groups(mark):
            every = enumerate(self._points_of(mark, frame))
            known = [(place, (x, y)) for place, (x, y) in every if x is not None and y is not None]
            points = [point for _, point in known]
            if not points:
                continue
            class_ = f"line {style}{' faint' if mark.faint else ''}"
            yield self.outline([stairs(points) if mark.step else points], class_, name)
            if not mark.dots or style == "rest":
                continue
            apart = dots_apart(len(points))
            tips = tips_of(mark, frame)
            for count, (place, (x, y)) in enumerate(known):
                if count % apart == 0:
                    yield self._dot(x, y, style, tips[place])
                elif self.size is None and len(points) <= MOST_TIPS // len(self.figure.series or (1,)):
                    yield self.shape("circle", "hit", tips[place], cx=x, cy=y, r=6)

    def _areas(self, mark: Mark) -> Iterator[Markup]:
        for _, style, frame in self._groups(mark):
            xs = self.at("x", frame[mark.x])
            ys, others = (self.at("y", frame[name]) for name in (mark.y, mark.y2))
            rows = [(x, y, z) for x, y, z in zip(xs, ys, others, strict=True) if None not in (x, y, z)]
            there = [(x, y) for x, y, _ in rows]
            back = [(x, z) for x, _, z in reversed(rows)]
            yield self.outline([there + back], f"area {style}", closed=True)  # type: ignore[list-item]

    def _bars(self, mark: Mark) -> Iterator[Markup]:
        """A box each, where each has something to say; else one shape for all that look alike, and links above it."""
        spans = list(zip(self._ends(mark, "x"), self._ends(mark, "y"), strict=True))
        tips = tips_of(mark, mark.frame)
        seen = " see-through" if mark.faint else ""
        alone = mark.shade or mark.hook or (any(tips) and len(tips) <= MOST_TIPS and not mark.link)
        shades = mark.frame[mark.shade].to_list() if mark.shade else [None] * mark.frame.height
        shapes: dict[str, list[Points]] = {}
        for (across, down), style, shade, tip in zip(spans, self._looks(mark), shades, tips, strict=True):
            if across is None or down is None:
                continue
            if alone:
                more = {"data-band": mark.hook or None, "fill-opacity": shade}
                yield self._box(across, down, f"box {style}{seen}", tip, **more)
            elif down[1] > down[0]:
                (left, right), (top, bottom) = across, down
                shapes.setdefault(style, []).append([(left, top), (right, top), (right, bottom), (left, bottom)])
        for style, boxes in shapes.items():
            yield self.outline(boxes, f"{style}{seen}", closed=True)
        for (across, _), link, tip in zip(spans, mark.frame[mark.link] if mark.link else (), tips, strict=False):
            if across is not None and link is not None:
                hit = self._box(across, (0, 1), "hit")
                yield shape("a", inside=shape("title", inside=tip) + hit, href=f"#{link}")

    def _rules(self, mark: Mark) -> Iterator[Markup]:
        words = mark.frame[mark.label].to_list() if mark.label else [""] * mark.frame.height
        tips = tips_of(mark, mark.frame)
        seen = " see-through" if mark.faint else ""
        rows = zip(self._ends(mark, "x"), self._ends(mark, "y"), self._looks(mark), words, tips, strict=True)
        for across, down, style, text, tip in rows:
            if across is not None and down is not None:
                yield self.segment(across, down, f"rule {style}{seen}", tip, mark.hook or None)
                if text:
                    yield self.shape("text", "middle ink", words=text, x=across[0], y=0.0, dy=-6)

    def _points(self, mark: Mark) -> Iterator[Markup]:
        places = self._points_of(mark, mark.frame)
        for (x, y), style, tip in zip(places, self._looks(mark), tips_of(mark, mark.frame), strict=True):
            if mark.hook:
                away = "none" if x is None or y is None else None
                place: dict[str, Any] = {"cx": x or 0.0, "cy": y or 0.0, "r": 7}
                yield self.shape("circle", "at", tip, **place, data_point=mark.hook, display=away)
            elif x is not None and y is not None:
                yield self._dot(x, y, style, tip)

    def _dot(self, x: float, y: float, style: str, tip: str) -> Markup:
        place = int(style[1:]) if style[1:].isdigit() else 1
        if place == 1:
            return self.shape("circle", f"mark {style}", tip, cx=x, cy=y, r=7 if style == "best" else 4)
        return self.placed(x, y, self.shape("path", f"mark {style}", tip, d=SHAPES[place - 1]))

    def _texts(self, mark: Mark) -> Iterator[Markup]:
        places = self._points_of(mark, mark.frame)
        shades = mark.frame[mark.shade].to_list() if mark.shade else [0.0] * mark.frame.height
        for (x, y), words, shade in zip(places, mark.frame[mark.label], shades, strict=True):
            if words and x is not None and y is not None:
                class_ = f"middle {'light' if shade > _DARK else 'ink'}"
                yield self.shape("text", class_, words=words, x=x, y=y, dy=".35em")


def tips_of(mark: Mark, frame: pl.DataFrame) -> list[str]:
    """Tips of the rows: the label of each, else its numbers, a line each."""
    if mark.label and mark.kind in ("bar", "point"):
        return frame[mark.label].to_list()
    rows = frame.select(mark.tips).iter_rows(named=True) if mark.tips else ({} for _ in range(frame.height))
    known = ([(name.replace("_", " "), value) for name, value in row.items() if value is not None] for row in rows)
    return ["\n".join(f"{name}: {_written(value)}" for name, value in row) for row in known]


def _written(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def stairs(points: Points) -> Points:
    """The corners of a line that goes up or down before it goes on to the right.

    >>> stairs([(0, 1), (1, 2)])
    [(0, 1), (0, 2), (1, 2)]
    """
    corners = points[:1]
    for (x, _), (right, y) in pairwise(points):
        corners += [(x, y), (right, y)]
    return corners
