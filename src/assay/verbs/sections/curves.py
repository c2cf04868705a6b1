"""Documents of curves: the figure of each kind, its points and its numbers.

A subject draws its own kinds of curves, by functions that its declaration names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import polars as pl

from assay.core import registry
from assay.core.digits import NOT_AVAILABLE, number
from assay.core.errors import ParameterError
from assay.core.words import short_name
from assay.measures.parser import parse_measure
from assay.show import charts
from assay.show.figure import MOST_SERIES, Figure, Mark, Panel, Scale, Series
from assay.show.model import Document, Prose, Section, Table

if TYPE_CHECKING:
    from assay.verbs.curves import Curve

Draw: TypeAlias = "Callable[[Curve], Figure]"
#: Names of systems in a title are no longer than this.
LONGEST_NAME = 40
_VERDICTS = {"better": "s1", "worse": "s2", "equivalent": "s3", "identical": "s3"}


class CurveFigure(NamedTuple):
    """The drawing of a kind of curve: the figure, and the numbers that a point needs to be drawn.

    `thinned`: of very many points, those are drawn that can be told apart. `best`: of very many systems, the best are.
    """

    draw: Draw
    columns: tuple[str, ...]
    thinned: bool = False
    best: bool = False


def drawn_from(*columns: str, thinned: bool = False, best: bool = False) -> Callable[[Draw], CurveFigure]:
    """Make a function the figure of a kind of curve: see `CurveFigure`."""
    return lambda draw: CurveFigure(draw, columns, thinned, best)


def document(curve: Curve) -> Document:
    """The points; in JSON, also the number of each system."""
    data = {"name": curve.name, "subtitle": curve.subtitle, "warnings": list(curve.warnings)}
    points = Table.of("points", curve.frame)
    section = Section("curve", parts=(points,), data={**data, "summary": curve.summary.to_dicts()})
    return Document("curve", (section,), curve.title)


def page(curve: Curve) -> Document:
    """The figure as a page by itself, with what is odd about it below."""
    picture = figure(curve)
    words = Section("summary", lead=" · ".join(filter(None, (picture.subtitle, *picture.notes))))
    warnings = (Prose(style="list", points=curve.warnings),) if curve.warnings else ()
    section = Section("curve", "", (replace(picture, title="", subtitle="", notes=()), *warnings))
    return Document("curve", (words, section), picture.title, page=True, eyebrow="Curve")


def figure(curve: Curve) -> Figure:
    """The figure of a curve, by its kind; an error where there is nothing to draw."""
    kind: CurveFigure = registry.figure(curve.name)
    if curve.frame.drop_nulls(list(kind.columns)).is_empty():
        raise ParameterError(f"there is nothing to draw: {curve.title}, {curve.subtitle} (no value is defined)")
    notes: tuple[str, ...] = ()
    if kind.thinned:
        points, notes = charts.thinned(curve.frame, *kind.columns)
        bands = [curve.frame.filter(pl.col("curve") == "band")] if "low" in curve.frame.columns else []
        curve = replace(curve, frame=pl.concat([points, *bands]))
    picture = kind.draw(curve)
    systems = curve.summary["system"].to_list()
    only = [short_name(systems[0], LONGEST_NAME)] if len(systems) == 1 else []
    best = kind.best and len(systems) > MOST_SERIES
    subtitle = [*only, curve.subtitle, *([f"the best {MOST_SERIES} of {len(systems)} systems"] if best else [])]
    return replace(picture, title=curve.title, subtitle=" · ".join(subtitle), notes=notes, data=curve.frame)


def ranked(summary: pl.DataFrame) -> tuple[Series, ...]:
    """The systems with their numbers, the best first."""
    ordered = summary.sort("value", descending=more_is_better(summary), nulls_last=True, maintain_order=True)
    values = (NOT_AVAILABLE if value is None else number(value, 3) for value in ordered["value"])
    return tuple(map(Series, ordered["system"], values))


def more_is_better(summary: pl.DataFrame) -> bool:
    """True if a larger number is a better one; the systems of a chart have the same measure."""
    if "higher_is_better" in summary.columns:  # not a measure of rankings
        return bool(summary["higher_is_better"].all())
    return all(parse_measure(name).definition.higher_is_better is not False for name in summary["measure"].unique())


def key_of(curve: Curve) -> str | None:
    """The title of the key; one system needs none, as the subtitle names it."""
    if curve.summary.height < 2:
        return None
    return ", ".join(short_name(name) for name in curve.summary["measure"].unique(maintain_order=True))


def lines(
    curve: Curve,
    x: tuple[str, Scale | str],
    y: tuple[str, Scale | str],
    *ground: Mark,
    frame: pl.DataFrame | None = None,
) -> Figure:
    """A line for each system, above the marks of the ground; `x` and `y`: a column each, and its axis."""
    points = curve.frame if frame is None else frame
    return charts.lines(points, x, y, ranked(curve.summary), key=key_of(curve), ground=ground)


def ends_of(column: pl.Series) -> tuple[float, float]:
    """The smallest and the largest number of a column."""
    numbers = column.drop_nulls().to_list()
    return min(numbers, default=0.0), max(numbers, default=0.0)


@drawn_from("value")
def intervals(curve: Curve) -> Figure:
    """A panel for each measure; a dot and its interval in each row. A difference has a line at 0, and its margin."""
    panels = []
    for rows in curve.frame.partition_by("measure", maintain_order=True):
        names = tuple(rows["system"].unique(maintain_order=True))
        verdicts = pl.col("verdict").replace_strict(_VERDICTS, default="tied", return_dtype=pl.String)
        marked = rows.with_columns(
            meaning=pl.when(pl.col("verdict").is_null()).then(pl.lit("plain")).otherwise(verdicts)
        )
        marks = [
            Mark("rule", marked, "low", "system", x2="high", meaning="meaning"),
            Mark("point", marked, "value", "system", meaning="meaning", tips=charts.filled(rows)),
        ]
        is_difference = bool(rows["margin"].is_not_null().any())
        if is_difference:
            zero = rows.select(zero=0.0, low=-pl.col("margin").max(), high=pl.col("margin").max()).head(1)
            marks = [
                Mark("bar", zero, "low", x2="high", meaning="band"),
                Mark("rule", zero, "zero", meaning="cut"),
                *marks,
            ]
        title = f"{rows['measure'][0]}{', difference' if is_difference else ''}"
        y = Scale(kind="category", names=names)
        panels.append(Panel(Scale(about=8), y, tuple(marks), title, 420, 24 * len(names)))
    return Figure("points", tuple(panels))
