"""A figure is data: marks on two axes, described once, and drawn by a writer (SVG in the page's colours, Vega-Lite)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import polars as pl

MarkKind: TypeAlias = Literal["line", "step", "point", "bar", "span", "area", "rule", "cell", "text"]
ScaleKind: TypeAlias = Literal["linear", "log", "category", "deviate"]
#: What a mark means beyond its series: a gain, a loss, the chosen one, something to compare with, ...
Meaning: TypeAlias = Literal["", "gain", "loss", "tied", "rise", "fall", "best", "reference", "positive", "negative"]


@dataclass(frozen=True)
class Scale:
    """An axis: its title, its ends where they are not those of the data, its ticks where they are not round numbers.

    `category`: names, in the order of `names`. `deviate`: numbers are normal deviates, ticks are labelled with shares.
    `format` of its numbers: "" as they are, "%" as shares.
    """

    title: str = ""
    low: float | None = None
    high: float | None = None
    kind: ScaleKind = "linear"
    ticks: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    format: str = ""
    zero: bool = False
    hidden: bool = False


@dataclass(frozen=True, eq=False)
class Mark:
    """Marks of one kind, one for each row of the frame (of lines, steps and areas: one for each series).

    `x` and `y` name columns; `x2` and `y2` the other ends of bars, spans, areas and cells. `series` names the column
    that tells lines apart, and colours them in the order of `Figure.series`; `meaning` the column of what a mark means
    (or one word for all of them). `label` names a column of words for a mark, `link` one of places that it leads to,
    `shade` one of shares from 0 to 1. `points`: a line has dots on these rows, all of them, or none.
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
    link: str = ""
    shade: str = ""
    points: bool = False
    faint: bool = False


@dataclass(frozen=True)
class Series:
    """A line's name in the key, and the number that goes with it."""

    name: str
    value: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """One chart: marks on two axes, the first drawn first."""

    x: Scale
    y: Scale
    marks: tuple[Mark, ...]
    title: str = ""
    width: int = 400
    height: int = 400


@dataclass(frozen=True, eq=False)
class Figure:
    """One panel or several, with a key of their series. `says` is what it shows in words, for who cannot see it.

    `name` is its key in JSON, where the points of the first mark stand. Series beyond those that can be told apart are
    drawn grey. `across`: so many panels stand side by side.
    """

    name: str
    panels: tuple[Panel, ...]
    title: str = ""
    subtitle: str = ""
    says: str = ""
    series: tuple[Series, ...] = ()
    key: str = ""
    across: int = 1
    look: str = ""
    data: pl.DataFrame = field(default_factory=pl.DataFrame)
