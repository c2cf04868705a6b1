"""Figures as SVG, in a page or as a file of its own, and from that as PNG and PDF; colours of the page by name.

Both are the same marks with the same classes, whose looks are in `assets/figure.css`. A file has that style in it, with
the light theme's colours in place of their names and pixels in place of other units, since converters know neither.
"""

from __future__ import annotations

import math
import os
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from assay.core import registry
from assay.core.errors import ParameterError, need, number_of
from assay.files.atomic import write_bytes
from assay.show.canvas import SHAPES, Attribute, Canvas, shape
from assay.show.figure import AXES, MOST_NAMES, MOST_SERIES, Figure, Panel
from assay.show.legible import cut_apart, legible

if TYPE_CHECKING:
    from assay.verbs.curves import Curve


class Colour(NamedTuple):
    """A colour of the page by what it is for."""

    light: str
    dark: str


@cache
def asset(name: str) -> str:
    """A file of the page: style, script, or the looks of charts."""
    return resources.files("assay.show").joinpath("assets", name).read_text(encoding="utf-8")


COLOURS = {
    name: Colour(light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((\S+), (\S+)\);", asset("theme.css"))
}


def in_light(text: str) -> str:
    """Colours of the light theme in place of their names, for programs that know no variables.

    >>> in_light("stroke: var(--ink)")
    'stroke: #16201f'
    """
    return re.sub(r"var\(--([\w-]+)\)", lambda match: COLOURS[match[1]].light, text)


# Arial and Liberation Sans have the same widths: what is laid out with one is not cut off with the other.
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
#: A page's charts are about so wide; names that do not fit there are turned.
_PAGE_WIDTH = 640

_LONGEST_NAME, _LONGEST_TURNED = 40, 18
#: Names beside a chart are so many pixels apart at least, or some are left out.
_LEAST_APART = 14

_EDGE, _BETWEEN, _LINE, _SAMPLE = 16.0, 24.0, 20.0, 30.0
#: A file of its own is at least so wide, for its title.
_NARROWEST = 400

_NARROW, _WIDE = frozenset(" !'()*,-./:;I[]fijlrt|"), frozenset("%@MWmw—…")


def draw(figure: Figure) -> Markup:
    """The figure for a page: as wide as there is room, with its key."""
    panels = [_on_page(figure, panel) for panel in figure.panels]
    if figure.across > 1 and len(panels) > 1:
        panels = [shape("div", inside=Markup().join(panels), class_="charts")]
    parts = [
        shape("h4", inside=figure.title) if figure.title else Markup(),
        *(shape("p", inside=text, class_="dim small") for text in (figure.subtitle, *figure.notes) if text),
        *panels,
        _key_on_page(figure),
    ]
    whole = shape("figure", inside=Markup().join(parts), class_=f"figure {figure.look}".strip())
    return Markup(legible(whole))


def _on_page(figure: Figure, panel: Panel) -> Markup:
    canvas = Canvas(figure, panel)
    names = _names(panel, _PAGE_WIDTH)
    inside = Markup().join([*_axes(canvas, names), *canvas.marks()])
    linked = any(mark.link for mark in panel.marks)
    words = figure.says or ", ".join(filter(None, (figure.title, panel.title, *(each.name for each in figure.series))))
    about = {"role": "group", "aria-label": words} if linked else {"role": "img"}
    title = Markup() if linked else shape("title", inside=words)
    chart = shape("svg", about, title + inside, class_="chart", height=f"{panel.height / 16:g}rem")
    rooms = {
        "turned": names.turned,
        "named": names.left > 2 * _LINE,
        "long": names.left > 5 * _LINE,
        "labelled": panel.is_labelled,
    }
    room = " ".join(["plot", *(name for name, is_needed in rooms.items() if is_needed)])
    parts = [shape("h4", inside=panel.title)] if panel.title else []
    parts += [shape("p", inside=panel.y.title, class_="axis-name")] if panel.y.title else []
    parts.append(shape("div", inside=chart, class_=room))
    parts += [shape("p", inside=panel.x.title, class_="axis-name right")] if panel.x.title else []
    return shape("div", inside=Markup().join(parts))


def _key_on_page(figure: Figure) -> Markup:
    if figure.key is None:
        return Markup()
    items = []
    for place, (each, style) in enumerate(figure.styles(), start=1):
        words = shape("bdi", inside=each.name) + shape("span", inside=each.value)
        items.append(shape("li", inside=_sample_on_page(figure, style) + words, class_=f"k{place}"))
    if rest := figure.series[MOST_SERIES:]:
        items.append(shape("li", inside=f"and {len(rest)} more in grey", class_="dim"))
    return shape("ul", inside=Markup().join(items), class_="key")


def _sample_on_page(figure: Figure, style: str) -> Markup:
    line, dot = _sample(figure, style)
    if line is None:
        box = shape("rect", width="100%", height="100%", class_=f"box {style}")
        return shape("svg", {"aria-hidden": "true"}, box, class_="chart swatch")
    inside = shape("line", x1="0", x2="100%", y1="50%", y2="50%", class_=line)
    inside += shape("svg", inside=dot, x="50%", y="50%") if dot else ""
    return shape("svg", {"aria-hidden": "true"}, inside, class_="chart sample")


def _sample(figure: Figure, style: str) -> tuple[str | None, Markup]:
    """The sample of a series in the key: the class of its line, None for a box, and the dot on it."""
    if style == "best":
        return "rule best", Markup()
    if not any(mark.kind == "line" for panel in figure.panels for mark in panel.marks):
        return None, Markup()
    return f"line {style}", shape("path", d=SHAPES[int(style[1:]) - 1], class_=f"mark {style}")


class _Names(NamedTuple):
    """The words along both axes, whether those below stand upright, and the room that they take."""

    below: list[tuple[float, str]]
    beside: list[tuple[float, str]]
    turned: bool
    left: float
    bottom: float


def _names(panel: Panel, width: float) -> _Names:
    """The names along the axes of a chart of this width."""
    below, beside = ([] if ruler.scale.bare else ruler.ticks() for ruler in map(panel.ruler, AXES))
    is_category = panel.x.kind == "category"
    below = [] if is_category and len(below) > MOST_NAMES else below
    turned = is_category and sum(width_of(text) + 8 for _, text in below) > width
    below = _cut(below, _LONGEST_TURNED) if turned else below
    too_many = math.ceil(_LEAST_APART * len(beside) / panel.height) if panel.y.kind == "category" else 1
    beside = _cut(beside[:: max(too_many, 1)], _LONGEST_NAME)
    left = max((width_of(text) for _, text in beside), default=0.0) + 10
    bottom = max((width_of(text) for _, text in below), default=0.0) + 10 if turned else _LINE * bool(below)
    return _Names(below, beside, turned, left, bottom)


def _cut(names: list[tuple[float, str]], most: int) -> list[tuple[float, str]]:
    return [(at, text) for (at, _), text in zip(names, cut_apart([text for _, text in names], most), strict=True)]


def _axes(canvas: Canvas, names: _Names) -> Iterator[Markup]:
    """Lines across a chart at the ticks of its axes, and the words beside them."""
    scales = canvas.panel.x, canvas.panel.y
    for (_, words), share in zip(names.beside, canvas.at("y", [at for at, _ in names.beside]), strict=True):
        if scales[1].grid and scales[1].kind != "category":
            yield canvas.segment((0, 1), (share or 0.0, share or 0.0), "grid")
        yield canvas.shape("text", "end", words=words, x=0, y=share or 0.0, dx=-8, dy=".32em")
    for (_, words), share in zip(names.below, canvas.at("x", [at for at, _ in names.below]), strict=True):
        place = share or 0.0
        if scales[0].grid and scales[0].kind != "category" and canvas.size is not None:
            yield canvas.segment((place, place), (0, 1), "grid")
        if names.turned:
            turned = shape("text", inside=words, transform="rotate(-90)", x=-8, dy=".32em", class_="end")
            yield canvas.placed(place, 1, turned)
        else:
            yield canvas.shape("text", "middle", words=words, x=place, y=1, dy=18)
    for axis in AXES:
        scale = canvas.rulers[axis].scale
        zero = canvas.at(axis, [0.0])[0] if scale.kind == "linear" and not scale.names else None
        if zero is not None and 0 < zero < 1:
            at = (zero, zero)
            all_along = (0.0, 1.0)
            yield canvas.segment(at, all_along, "zero") if axis == "x" else canvas.segment(all_along, at, "zero")


def standalone(figure: Figure) -> Markup:
    """The figure as a file of its own: title, subtitle and key, in the light theme's colours.

    >>> str(standalone(Figure("f", (), title="<b>")))[:4]
    '<svg'
    """
    boxes = [_box(Canvas(figure, panel, (panel.width, panel.height))) for panel in figure.panels]
    rows = [boxes[start : start + figure.across] for start in range(0, len(boxes), figure.across)]
    right = max((sum(box.left + box.width + _BETWEEN for box in row) for row in rows), default=0.0) + _EDGE
    key, wide, high = _key(figure)
    width = round(max(_NARROWEST, right + (wide + _EDGE if key else _EDGE - _BETWEEN)))
    parts, start = _head(figure, width - 2 * _EDGE)
    top = start
    for row in rows:
        x = _EDGE
        above = max(box.top for box in row)
        for box in row:
            parts.append(shape("g", inside=box.inside, transform=f"translate({x + box.left:.2f} {top + above:.2f})"))
            x += box.left + box.width + _BETWEEN
        top += above + max(box.bottom for box in row) + 10
    parts.append(shape("g", inside=key, transform=f"translate({right:.2f} {start:.2f})"))
    height = round(max(top, start + high))
    size: dict[str, Attribute] = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}"}
    title = figure.says or ", ".join(filter(None, (figure.title, figure.subtitle)))
    ground = shape("rect", width="100%", height="100%", class_="ground")
    inside = Markup().join([shape("title", inside=title), shape("style", inside=_style()), ground, *parts])
    more = {"xmlns": "http://www.w3.org/2000/svg", "font-family": FONT, "role": "img", "class": "chart"}
    return Markup(legible(shape("svg", {**more, **size}, inside)))


class _Box(NamedTuple):
    """A chart with its axes, and the room that it takes: before it starts, above it, and from there on."""

    inside: Markup
    left: float
    top: float
    width: float
    bottom: float


def _box(canvas: Canvas) -> _Box:
    panel = canvas.panel
    names = _names(panel, panel.width)
    left = names.left + (_LINE if panel.y.title else 0)
    bottom = names.bottom + (_LINE if panel.x.title else 0)
    top = _LINE * (bool(panel.title) + panel.is_labelled) + 6
    parts = [*_axes(canvas, names), *canvas.marks()]
    if panel.x.title:
        parts.append(canvas.shape("text", "middle ink", words=panel.x.title, x=0.5, y=1, dy=round(bottom + 2)))
    if panel.y.title:
        turned = f"translate({-left + 10:.1f} {panel.height / 2:g}) rotate(-90)"
        parts.append(shape("text", inside=panel.y.title, transform=turned, class_="middle ink"))
    if panel.title:
        title = _wrapped(panel.title, max(panel.width, _NARROWEST), 12)[0]
        parts.append(shape("text", inside=title, y=-10 - _LINE * panel.is_labelled, class_="ink"))
    return _Box(Markup().join(parts), left, top, panel.width, panel.height + bottom + 10)


def _head(figure: Figure, width: float) -> tuple[list[Markup], float]:
    """Title, subtitle and notes, and where the rest starts."""
    y = _EDGE
    parts = []
    lines = [(figure.title, "head", 16), *((text, "subtitle", 13) for text in (figure.subtitle, *figure.notes))]
    for text, class_, size in lines:
        for line in _wrapped(text, width, size):
            y += size + 4
            parts.append(shape("text", inside=line, x=_EDGE, y=y - 4, class_=class_))
    return parts, y + 16


def _wrapped(text: str, width: float, size: float) -> list[str]:
    """A text in lines that are no wider than that."""
    letter = width_of(text, size) / max(len(text), 1)
    return textwrap.wrap(text, max(1, int(width / max(letter, 1))))


def _key(figure: Figure) -> tuple[Markup, float, float]:
    """The sample, number and name of each series, one below the other; how wide and how high that is."""
    if figure.key is None:
        return Markup(), 0.0, 0.0
    parts = []
    y = 14.0
    if figure.key:
        parts.append(shape("text", inside=figure.key, y=y, class_="ink"))
        y += _LINE
    styles = figure.styles()
    rest = figure.series[MOST_SERIES:]
    name_at = _SAMPLE + 10 + max((width_of(each.value) + 10 for each, _ in styles if each.value), default=0.0)
    names = cut_apart([each.name for each, _ in styles], _LONGEST_NAME)
    for (each, style), name in zip(styles, names, strict=True):
        line, dot = _sample(figure, style)
        if line is None:
            parts.append(shape("rect", x=_SAMPLE - 12, y=y - 10, width=12, height=12, class_=f"box {style}"))
        else:
            parts.append(shape("line", x1=0, x2=_SAMPLE, y1=y - 4, y2=y - 4, class_=line))
            parts.append(shape("g", inside=dot, transform=f"translate({_SAMPLE / 2} {y - 4})"))
        parts.append(shape("text", inside=each.value, x=_SAMPLE + 10, y=y, class_="ink"))
        parts.append(shape("text", inside=name, x=name_at, y=y, class_="ink"))
        y += _LINE
    if rest:
        parts.append(shape("line", x1=0, x2=_SAMPLE, y1=y - 4, y2=y - 4, class_="line rest"))
        parts.append(shape("text", inside=number_of("other", len(rest)), x=name_at, y=y))
        y += _LINE
    return Markup().join(parts), max(width_of(figure.key), name_at + max(map(width_of, names), default=0.0)), y


def width_of(text: str, size: float = 12) -> float:
    """About how wide a text is, in pixels.

    >>> width_of("bm25", 10), width_of("WWW", 10), width_of("日本", 10)
    (25.5, 27.0, 20.0)
    """
    return round(size * sum(map(_letter, text)), 2)


def _letter(letter: str) -> float:
    """The width of a letter, as a share of the font's size."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in _NARROW:
        return 0.3
    if letter in _WIDE:
        return 0.9
    if letter.isupper():
        return 0.7
    return 0.55


@cache
def _style() -> Markup:
    """The looks of marks, with colours and lengths that every program knows."""
    text = re.sub(r"([\d.]+)rem", lambda match: f"{16 * float(match[1]):g}px", in_light(asset("figure.css")))
    return Markup(re.sub(r"/\*.*?\*/\s*", "", text, flags=re.DOTALL))  # a file of ours


#: A picture in pixels has so many for each of the drawing.
_SCALE = 2


def save(curve: Curve, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a figure or its points in the form that the suffix says; the file appears whole or not at all."""
    target = Path(path)
    write_bytes(target, FORMS[suffix_of(target)](curve), overwrite=overwrite)
    return target


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix of a file to write, if there is a form that goes with it and the installed packages can draw it."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMS:
        raise ParameterError(f"{path}: the name ends in one of {', '.join(FORMS)}, to say in which form to write")
    if suffix in (".png", ".pdf"):
        _converter()
    return suffix


def _converter() -> Any:
    need("vl_convert", extra="report", purpose="a chart in a file")
    import vl_convert  # noqa: PLC0415  # heavy, and only here

    return vl_convert


def _page(curve: Curve) -> bytes:
    return str(registry.writer("html")(curve.page())).encode()


FORMS: dict[str, Callable[[Curve], bytes]] = {
    ".svg": lambda curve: standalone(curve.figure()).encode(),
    ".png": lambda curve: bytes(_converter().svg_to_png(standalone(curve.figure()), scale=_SCALE)),
    ".pdf": lambda curve: bytes(_converter().svg_to_pdf(standalone(curve.figure()))),
    ".html": _page,
    ".json": lambda curve: curve.to_json().encode(),
    ".csv": lambda curve: curve.to_csv().encode(),
    ".md": lambda curve: curve.to_markdown().encode(),
}
