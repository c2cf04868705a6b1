"""Curves -> charts, in one theme.

Colours are told apart by people with any colour vision; dashes and shapes tell the same in grey. The legend is a small
table beside the chart: line, name and the number that goes with the curve, best first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import polars as pl

from assay.core import digits
from assay.core.errors import ParameterError, number_of
from assay.measures.curve_words import shortened
from assay.measures.parser import parse_measure
from assay.report.chart_parts import DASHES, DIM, INK, PALETTE, REST, SHAPES, altair, data, theme, tooltip
from assay.report.interval_charts import intervals
from assay.show.legible import all_legible

if TYPE_CHECKING:
    import altair as alt

_SIDE = 400
_MOST_BARS_WITH_NAMES = 60
_MOST_TOOLTIPS = 2000
_LONGEST_NAME = 40
# A point is drawn if it has both numbers; topics have a name in place of the first.
_DRAWN = {
    "pr": ["recall", "precision"],
    "roc": ["false_positive_rate", "true_positive_rate"],
    "cutoff": ["cutoff", "value"],
    "queries": ["value"],
    "difference": ["difference"],
    "intervals": ["value"],
    "classifier_roc": ["fpr", "tpr"],
    "classifier_pr": ["recall", "precision"],
    "det": ["fpr_deviate", "fnr_deviate"],
    "calibration": ["probability", "came_true"],
    "gain": ["share", "gain"],
    "lift": ["share", "lift"],
    "scores": ["items"],
    "silhouette": ["silhouette"],
    "contingency": ["items"],
    "over_k": ["value"],
}


#: A column, its title, and the top of its scale: None for cut-offs, and for values that go beyond 1.
Axis: TypeAlias = tuple[str, str, int | None]


class Drawable(Protocol):
    """What is drawn: points, one number a system, and the words above them."""

    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def subtitle(self) -> str: ...  # noqa: D102
    @property
    def frame(self) -> pl.DataFrame: ...  # noqa: D102
    @property
    def summary(self) -> pl.DataFrame: ...  # noqa: D102


class Looks(NamedTuple):
    """How one system is drawn, and what the legend says of it."""

    system: str
    name: str
    number: str
    colour: str
    dash: tuple[int, ...]
    shape: str


def chart(curve: Drawable) -> alt.HConcatChart:
    """The chart of a curve."""
    package = altair()
    if curve.frame.drop_nulls(_DRAWN[curve.kind]).is_empty():
        raise ParameterError(f"there is nothing to draw: {curve.title}, {curve.subtitle} (no value is defined)")
    curve = all_legible(curve)
    from assay.report import classifier_charts, cluster_charts  # noqa: PLC0415  # which are made with what is here

    drawn: dict[str, Callable[[Drawable], Any]] = {
        "pr": _precision_recall,
        "roc": _roc,
        "cutoff": _by_cutoff,
        "queries": _per_query,
        "difference": _differences,
        "intervals": intervals,
        **classifier_charts.DRAWN,
        **cluster_charts.DRAWN,
    }
    parts = drawn[curve.kind](curve)
    left_out = classifier_charts.left_out(curve)
    words = package.TitleParams(curve.title, subtitle=[" · ".join(_said_below(curve)), *left_out])
    made: alt.HConcatChart = package.hconcat(*parts, spacing=24, title=words).configure(**theme())
    return made


def _said_below(curve: Drawable) -> list[str]:
    """The line below the title: the system if there is only one, and what is left out."""
    systems = curve.summary["system"].to_list()
    only = [_short(systems[0])] if len(systems) == 1 else []
    left_out = curve.kind == "queries" and len(systems) > len(PALETTE)
    return [*only, curve.subtitle, *([f"the best {len(PALETTE)} of {len(systems)} systems"] if left_out else [])]


def looks(summary: pl.DataFrame) -> tuple[list[Looks], list[str]]:
    """How the systems are drawn, the best first, and which stay grey: there are too many to tell apart."""
    ordered = summary.sort("value", descending=_more_is_better(summary), nulls_last=True, maintain_order=True)
    names = ordered["system"].to_list()
    values = ordered["value"].to_list()
    told = zip(names, values, PALETTE, DASHES, SHAPES, strict=False)
    chosen = [Looks(n, _short(n), _number(value), colour, dash, shape) for n, value, colour, dash, shape in told]
    return chosen, names[len(PALETTE) :]


def _more_is_better(summary: pl.DataFrame) -> bool:
    """Whether a larger number is a better one; the systems of a chart have the same measure."""
    if "higher_is_better" in summary.columns:  # classifiers' measures have their own names
        return bool(summary["higher_is_better"].all())
    return all(parse_measure(name).definition.higher_is_better is not False for name in summary["measure"].unique())


def _precision_recall(curve: Drawable) -> list[Any]:
    axes = (("recall", "recall", 1), ("precision", "precision", 1))
    sawtooth = _corners(curve.frame.filter(pl.col("curve") == "every rank"), "recall")
    levels = curve.frame.filter(pl.col("curve") == "interpolated")
    if sawtooth.is_empty():
        return [square(lines(curve, levels, axes)), *legend(curve)]
    if levels.is_empty():
        return [square(lines(curve, sawtooth, axes)), *legend(curve)]
    stairs = pl.concat([_stairs(own) for own in sawtooth.partition_by("system", maintain_order=True)])
    layers = [
        *lines(curve, sawtooth, axes, line={"strokeWidth": 1, "opacity": 0.5, "strokeDash": [1, 0]}, marks=None),
        *lines(curve, stairs, axes, line={"interpolate": "step-before"}, marks=levels),
    ]
    return [square(layers), *legend(curve)]


def _corners(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Points between two others on the same straight line are not drawn: a list of 1,000 documents has few corners."""
    same_before = pl.col(column).eq(pl.col(column).shift(1)).over("system").fill_null(False)
    same_after = pl.col(column).eq(pl.col(column).shift(-1)).over("system").fill_null(False)
    return frame.filter(~(same_before & same_after))


def _stairs(own: pl.DataFrame) -> pl.DataFrame:
    """The line through interpolated precision at every recall: the best precision from here on, and 0 after the end."""
    steps = own.with_columns(pl.col("precision").cum_max(reverse=True)).unique(
        "recall", maintain_order=True, keep="first"
    )
    first, last = steps.head(1).with_columns(recall=0.0), steps.tail(1).with_columns(precision=0.0)
    everything_found = own["recall"][-1] == 1.0
    return pl.concat([first, steps, *([] if everything_found else [last, last.with_columns(recall=1.0)])])


def _roc(curve: Drawable) -> list[Any]:
    alt = altair()
    axes = (("false_positive_rate", "false positive rate", 1), ("true_positive_rate", "true positive rate", 1))
    chance = alt.Chart(alt.Data(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    diagonal = chance.mark_line(color=REST, strokeWidth=1, strokeDash=[3, 3]).encode(x="x:Q", y="y:Q")
    points = _corners(curve.frame, "true_positive_rate") if curve.frame["query_id"].is_not_null().any() else curve.frame
    return [square([diagonal, *lines(curve, points, axes)]), *legend(curve)]


def _by_cutoff(curve: Drawable) -> list[Any]:
    top = 1 if _ends(curve.frame["value"])[1] <= 1 else None
    axes = (("cutoff", "cut-off (logarithmic)", None), ("value", curve.title.removesuffix(" by cut-off"), top))
    return [square(lines(curve, curve.frame, axes)), *legend(curve)]


def square(layers: Sequence[Any]) -> Any:
    """Layers in a square."""
    alt = altair()
    return alt.layer(*layers).properties(width=_SIDE, height=_SIDE)


def lines(
    curve: Drawable,
    frame: pl.DataFrame,
    axes: tuple[Axis, Axis],
    *,
    line: dict[str, Any] | None = None,
    marks: pl.DataFrame | Literal["some"] | None = "some",
    scales: tuple[Any, Any] | None = None,
) -> list[Any]:
    """A line a system, the first on top, with markers on some of its points, on given ones or on none.

    `scales`: the two axes as Altair has them, where they are not the usual ones.
    """
    alt = altair()
    across, up = scales or _axes(axes)
    chosen, rest = looks(curve.summary)
    numbered = frame.drop_nulls(axes[1][0]).with_columns(number=pl.int_range(pl.len()).over("system"))
    looking = {"strokeWidth": 2} | (line or {})
    layers = []
    if rest:
        others = alt.Chart(data(numbered.filter(pl.col("system").is_in(rest))))
        grey = others.mark_line(**looking | {"strokeWidth": 1, "color": REST})
        layers.append(grey.encode(x=across, y=up, detail="system:N", order="number:Q", tooltip="system:N"))
    for each in reversed(chosen):
        own = numbered.filter(pl.col("system") == each.system)
        if own.is_empty():
            continue
        drawn = alt.Chart(data(own)).mark_line(**{"color": each.colour, "strokeDash": list(each.dash)} | looking)
        layers.append(drawn.encode(x=across, y=up, order="number:Q"))
        if marks is None:
            continue
        marked = _marked(own) if isinstance(marks, str) else marks.filter(pl.col("system") == each.system)
        # Every point tells its numbers, also those without a marker, as long as there are not too many.
        everywhere = isinstance(marks, str) and marked.height < own.height <= _MOST_TOOLTIPS // len(chosen)
        for shown, opacity in [(marked, 1), *([(own, 0)] if everywhere else [])]:
            point = alt.Chart(data(shown.drop_nulls(axes[1][0]))).mark_point(
                shape=each.shape, filled=True, size=45, opacity=opacity, color=each.colour
            )
            layers.append(point.encode(x=across, y=up, tooltip=tooltip(shown)))
    return layers


def _axes(axes: tuple[Axis, Axis]) -> tuple[Any, Any]:
    """The two axes: from 0 to 1, or logarithmic for cut-offs, or as the values are."""
    alt = altair()
    (x, x_title, x_top), (y, y_title, y_top) = axes
    if x_top is None:
        ticks = alt.Axis(values=[1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000], format="d", labelFlush=False)
        across = alt.X(f"{x}:Q", title=x_title, scale=alt.Scale(type="log", nice=False), axis=ticks)
    else:
        across = alt.X(f"{x}:Q", title=x_title, scale=alt.Scale(domain=[0, x_top]), axis=alt.Axis(labelFlush=False))
    if y_top is None:
        return across, alt.Y(f"{y}:Q", title=y_title)
    return across, alt.Y(f"{y}:Q", title=y_title, scale=alt.Scale(domain=[0, y_top]))


def _marked(own: pl.DataFrame) -> pl.DataFrame:
    """Every point of a few; of many, about ten."""
    apart = 1 if own.height <= 25 else (own.height - 1) // 10
    return own.filter(pl.col("number") % apart == 0)


def legend(curve: Drawable) -> list[Any]:
    """Line, shape, number and name of each system; nothing for one system, which the title names."""
    alt = altair()
    chosen, rest = looks(curve.summary)
    if len(chosen) < 2:
        return []
    places = list(range(len(chosen) + bool(rest)))
    along = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 30]))
    down = alt.Y("place:O", axis=None, scale=alt.Scale(domain=places))
    told = [(each.number, each.name, each.colour, list(each.dash), each.shape) for each in chosen]
    told += [("", number_of("other", len(rest)), REST, [1, 0], "")] if rest else []
    layers = []
    for place, (number, name, colour, dash, shape) in enumerate(told):
        row = {"place": place, "x": 0, "x2": 30, "number": number, "name": name}
        at = alt.Chart(alt.Data(values=[row])).encode(x=along, y=down)
        layers.append(at.mark_rule(color=colour, strokeDash=dash, strokeWidth=2 if shape else 1).encode(x2="x2:Q"))
        if shape:
            layers.append(at.mark_point(shape=shape, filled=True, size=45, opacity=1, color=colour, xOffset=15))
        for column, offset in (("number", 40), ("name", 80)):
            text = at.mark_text(align="left", xOffset=offset, fontSize=12, color=INK if shape else DIM)
            layers.append(text.encode(text=f"{column}:N"))
    measures = curve.summary["measure"].unique().to_list()
    title = alt.TitleParams(", ".join(map(shortened, measures)), fontSize=12, fontWeight="normal", color=DIM, offset=6)
    return [alt.layer(*layers).properties(width=30, height=20 * len(places), title=title)]


def _per_query(curve: Drawable) -> list[Any]:
    """One row of bars a system, all in the same order: the easiest topic first."""
    alt = altair()
    chosen, _ = looks(curve.summary)
    order = curve.frame.group_by("query_id", maintain_order=True).agg(pl.col("value").mean())
    more = _more_is_better(curve.summary)
    queries = order.sort("value", descending=more, nulls_last=True, maintain_order=True)["query_id"].to_list()
    low, high = _ends(curve.frame["value"])
    scale = alt.Scale(domain=[min(low, 0.0), max(high, 1.0)])
    ticks = alt.Axis(values=[0, 0.5, 1]) if high <= 1 else alt.Axis(tickCount=3)
    rows = []
    for each in chosen:
        bars = alt.Chart(data(curve.frame.filter(pl.col("system") == each.system))).mark_bar(color=each.colour)
        row = bars.encode(
            x=_topics(queries, named=each is chosen[-1]),
            y=alt.Y("value:Q", scale=scale, title=None, axis=ticks),
            tooltip=tooltip(curve.frame),
        ).properties(width=_width(queries), height=max(56.0, 280.0 if len(chosen) == 1 else 360.0 / len(chosen)))
        title = alt.TitleParams(f"{each.number}   {each.name}", fontSize=12, fontWeight="normal", offset=4)
        rows.append(row.properties(title=title) if len(chosen) > 1 else row)
    return [alt.vconcat(*rows, spacing=12)]


def _differences(curve: Drawable) -> list[Any]:
    alt = altair()
    queries = curve.frame["query_id"].to_list()
    low, high = _ends(curve.frame["difference"])
    scale = alt.Scale(domain=[min(low, -0.05), max(high, 0.05)], nice=True)
    better = f"datum.difference {'>=' if _more_is_better(curve.summary) else '<='} 0"
    colour = alt.condition(better, alt.value(PALETTE[0]), alt.value(PALETTE[1]))
    bars = (
        alt.Chart(data(curve.frame))
        .mark_bar()
        .encode(
            x=_topics(queries),
            y=alt.Y("difference:Q", title="difference", scale=scale),
            color=colour,
            tooltip=tooltip(curve.frame),
        )
    )
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=INK).encode(y="zero:Q")
    return [alt.layer(bars, zero).properties(width=_width(queries), height=0.8 * _SIDE)]


def _topics(queries: list[str], named: bool = True) -> Any:
    """The axis of topics; their names upright where they do not fit side by side, and none of very many."""
    alt = altair()
    upright = len(queries) * (max(map(len, queries), default=0) * 7 + 8) > _width(queries)
    names = named and len(queries) <= _MOST_BARS_WITH_NAMES
    ticks = alt.Axis(labelAngle=-90 if upright else 0, labels=names, ticks=False, labelPadding=6, grid=False)
    scale = alt.Scale(domain=queries, paddingInner=0.2)
    return alt.X("query_id:N", sort=queries, scale=scale, title="topic" if named else None, axis=ticks)


def _width(queries: list[str]) -> int:
    return min(900, max(_SIDE, 14 * len(queries)))


def _ends(column: pl.Series) -> tuple[float, float]:
    numbers = column.drop_nulls().to_list()
    return min(numbers, default=0.0), max(numbers, default=0.0)


def _number(value: float | None) -> str:
    return digits.NOT_AVAILABLE if value is None else digits.number(value, 3)


def _short(name: str) -> str:
    return shortened(name, _LONGEST_NAME)
