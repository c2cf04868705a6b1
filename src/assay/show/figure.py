"""A figure is data: marks on two axes, described once, and drawn by a writer (SVG in the page's colours, Vega-Lite)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl


class Axis(NamedTuple):
    """A straight axis from `low` to `high`."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """The share of the axis below a value; values beyond its ends stand at its ends.

        >>> Axis(-1, 1).at(0.5), Axis(0, 1).at(3)
        (0.75, 1.0)
        """
        # By halves: the distance of the largest numbers is none.
        return min(max((value / 2 - self.low / 2) / (self.high / 2 - self.low / 2), 0.0), 1.0)

    def ticks(self, about: int = 4) -> list[float]:
        """Round numbers along the axis, `about` so many.

        >>> Axis(-0.2, 0.43).ticks(3)
        [-0.2, 0.0, 0.2, 0.4]
        """
        step = _round_step(self.high / about - self.low / about)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]


def around(values: Iterable[float], *, zero: bool = True, room: float = 0.06) -> Axis:
    """An axis that holds all values that are numbers, and zero, with some room at both ends.

    >>> around([0.5, 1.0, float("nan")], room=0)
    Axis(low=0.0, high=1.0)
    >>> around([])
    Axis(low=-0.06, high=1.06)
    """
    known = [value for value in values if math.isfinite(value)]
    if zero or not known:
        known.append(0.0)
    low, high = min(known), max(known)
    if high - low < 1e-12:
        high = low + 1.0
    return Axis(low - room * (high - low), high + room * (high - low))


def rounded_out(values: Iterable[float], about: int = 4, *, zero: bool = True) -> Axis:
    """An axis that holds all values, and zero unless that is not asked for, its ends on round numbers.

    >>> rounded_out([0.43, -0.12])
    Axis(low=-0.2, high=0.6)
    """
    low, high = around(values, zero=zero, room=0)
    step = _round_step((high - low) / about)
    return Axis(
        round(math.floor(low / step + 1e-9) * step, 12) + 0.0, round(math.ceil(high / step - 1e-9) * step, 12) + 0.0
    )


def _round_step(step: float) -> float:
    """The round number that is nearest, as a ratio."""
    power = 10.0 ** math.floor(math.log10(step))
    return min((power * factor for factor in (1, 2, 2.5, 5, 10)), key=lambda near: abs(math.log(near / step)))


def label(value: float) -> str:
    """A number at a tick.

    >>> label(0.2), label(-0.5), label(0.0)
    ('0.2', '−0.5', '0')
    """
    return f"{value:g}".replace("-", "−")


MarkKind: TypeAlias = Literal["line", "area", "bar", "rule", "point", "text"]

AxisName: TypeAlias = Literal["x", "y"]

AXES: tuple[AxisName, AxisName] = ("x", "y")
#: Colours that can be told apart; further series are grey.
MOST_SERIES = 8
#: Of more names along an axis, none is written.
MOST_NAMES = 60
#: Of so many points, all have dots; of more, about the second number.
ALL_DOTS, _SOME_DOTS = 25, 10


@dataclass(frozen=True)
class Scale:
    """An axis: its title, its ends where they are not those of the data, its ticks where they are not round numbers.

    `category`: the values are names, in the order of `names`; else `names` are words for the ticks. `about`: so many
    ticks there should be. `zero`: 0 is on it. `exact`: it ends where the data do, not on a round number. `whole`: ticks
    are whole numbers. `grid`: lines go across the chart. `bare`: neither lines nor numbers are drawn.
    """

    title: str = ""
    low: float | None = None
    high: float | None = None
    kind: Literal["linear", "log", "category"] = "linear"
    ticks: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    about: int = 5
    zero: bool = False
    exact: bool = False
    whole: bool = False
    percent: bool = False
    grid: bool = True
    bare: bool = False


class Ruler(NamedTuple):
    """Places of values on a scale whose ends are known, as shares of its length."""

    low: float
    high: float
    scale: Scale = Scale()

    def __repr__(self) -> str:
        return f"Ruler(low={self.low}, high={self.high})"

    def at(self, *values: Any) -> list[float | None]:
        """The place of each value, the middle of its room if it is a name; None where there is no value.

        >>> Ruler(1, 100, Scale(kind="log")).at(10, None), Ruler(0, 2, Scale(kind="category", names=("a", "b"))).at("a")
        ([0.5, None], [0.25])
        """
        if self.scale.kind == "category":
            places = {name: (place + 0.5) * self.width() for place, name in enumerate(self.scale.names)}
            return [places.get(value) for value in values]
        scaled = math.log if self.scale.kind == "log" else float
        axis = Axis(scaled(self.low), scaled(self.high))
        return [None if value is None or math.isnan(value) else axis.at(scaled(value)) for value in values]

    def width(self) -> float:
        """The room of a name."""
        return 1 / max(len(self.scale.names), 1)

    def ticks(self) -> list[tuple[float, str]]:
        """Values with what stands beside them.

        >>> Ruler(0, 1, Scale(percent=True, about=2)).ticks()
        [(0.0, '0%'), (0.5, '50%'), (1.0, '100%')]
        """
        scale = self.scale
        if scale.kind == "category":
            return [(name, name) for name in scale.names]  # type: ignore[misc]  # names are the values then
        if scale.ticks:
            ends = sorted((self.low, self.high))
            words = scale.names or map(label, scale.ticks)
            return [(at, text) for at, text in zip(scale.ticks, words, strict=True) if ends[0] <= at <= ends[1]]
        ticks = Axis(*sorted((self.low, self.high))).ticks(scale.about)
        if scale.whole:
            ticks = sorted({float(round(tick)) for tick in ticks if self.low <= round(tick) <= self.high})
        return [(tick, f"{label(100 * tick)}%" if scale.percent else label(tick)) for tick in ticks]


@dataclass(frozen=True, eq=False)
class Mark:
    """Marks of one kind, one for each row of the frame (of lines and areas: one for each series).

    | kind | what is drawn |
    |---|---|
    | line | a line through the points, in steps if `step`; with dots on some points if `dots` |
    | area | what lies between `y` and `y2` |
    | bar | a box from `x` to `x2` and from `y` to `y2` |
    | rule | a straight line between the same |
    | point | a dot |
    | text | the words of `label` |

    All of them name columns. A bar without its other end starts at 0, or is as wide as its name has room; a bar or a
    rule without `x` goes from left to right, without `y` from top to bottom.

    `series` names the column that tells lines apart and colours them, in the order of `Figure.series`. `meaning` names
    the column of what a mark means, or is one word for all: gain, loss, tied, rise, fall, from, to, reference, best,
    band, or s1 to s8, the colours of series. `label` names a column of words for each mark; `tips` columns that are
    told where one points at it. `link` names the column of places a mark leads to, none where it is null; `shade` one
    of shares from 0 to 1. `faint`: behind others.
    `hook`: what a page's script calls it.
    """

    kind: MarkKind
    frame: pl.DataFrame
    x: str = ""
    y: str = ""
    x2: str = ""
    y2: str = ""
    series: str = ""
    meaning: str = ""
    label: str = ""
    tips: tuple[str, ...] = ()
    link: str = ""
    shade: str = ""
    step: bool = False
    dots: bool = False
    faint: bool = False
    hook: str = ""


@dataclass(frozen=True)
class Series:
    """A name in the key, and the number that goes with it. `style`: a meaning, where its place is not its colour."""

    name: str
    value: str = ""
    style: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """One chart: marks on two axes, the first drawn first. Its size, in pixels, holds where there is no page."""

    x: Scale
    y: Scale
    marks: tuple[Mark, ...]
    title: str = ""
    width: int = 400
    height: int = 400

    @property
    def is_labelled(self) -> bool:
        """True if words stand on top of it, above a rule."""
        return any(mark.kind == "rule" and mark.label and any(mark.frame[mark.label]) for mark in self.marks)

    def ruler(self, axis: AxisName) -> Ruler:
        """The ends of an axis: as its scale says, else round numbers that hold all of the data."""
        scale: Scale = getattr(self, axis)
        if scale.kind == "category":
            return Ruler(0, len(scale.names), scale)
        names = [(mark.frame, getattr(mark, name)) for mark in self.marks for name in (axis, f"{axis}2")]
        columns = [frame[name] for frame, name in names if name and frame.schema[name].is_numeric()]
        values = [float(end) for column in columns for end in (column.min(), column.max()) if end is not None]
        values += [0.0] if scale.zero or not values else []
        low, high = min(values), max(values)
        if scale.low is None and scale.high is None and not scale.exact and scale.kind == "linear":
            low, high = rounded_out((low, high), scale.about, zero=False)
        low = low if scale.low is None else float(scale.low)
        high = high if scale.high is None else float(scale.high)
        return Ruler(low, high if high != low else low + 1, scale)


@dataclass(frozen=True, eq=False)
class Figure:
    """One panel or several, with a key of their series. `says` is what it shows in words, for who cannot see it.

    `name` is its key in JSON, where `data`, the points, stand. `notes` stand below the subtitle. `key` is the title of
    the key; None: there is none. `across`: so many panels stand side by side. `look`: a class of the page's style.
    """

    name: str
    panels: tuple[Panel, ...]
    title: str = ""
    subtitle: str = ""
    notes: tuple[str, ...] = ()
    says: str = ""
    series: tuple[Series, ...] = ()
    key: str | None = None
    across: int = 1
    look: str = ""
    data: pl.DataFrame = field(default_factory=pl.DataFrame)

    def style_of(self, series: str) -> str:
        """The class of a series: s1 to s8 for the first ones, `rest` for others."""
        return next((style for each, style in self.styles() if each.name == series), "rest")

    def styles(self) -> list[tuple[Series, str]]:
        """The series that can be told apart, each with its class."""
        return [(each, each.style or f"s{n}") for n, each in enumerate(self.series[:MOST_SERIES], start=1)]


def dots_apart(points: int) -> int:
    """The distance of dots on a line: every point of a few has one; of many, about ten have."""
    return 1 if points <= ALL_DOTS else (points - 1) // _SOME_DOTS
