"""Figures as Vega-Lite: an Altair object, to change it. Colours, dashes and shapes are those of the light theme."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.errors import need, number_of
from assay.show.canvas import dots_apart
from assay.show.figure import AXES, MOST_SERIES, Figure, Mark, Panel, Ruler
from assay.show.svg import FONT, MOST_NAMES
from assay.show.theme import COLOURS

if TYPE_CHECKING:
    import altair as alt

DASHES = ((1, 0), (7, 4), (2, 3), (9, 3, 2, 3), (4, 2), (12, 4), (1, 4), (12, 3, 3, 3, 3, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
#: The colour of what a mark means.
_MEANINGS = {
    "gain": "good", "loss": "bad", "rise": "even", "fall": "dim", "tied": "axis", "from": "axis", "to": "good",
    "reference": "axis", "best": "ink", "band": "band", "cut": "ink", "plain": "ink",
} | {f"s{place}": f"line-{place}" for place in range(1, MOST_SERIES + 1)}  # fmt: skip
_INK, _DIM, _REST = COLOURS["ink"].light, COLOURS["dim"].light, COLOURS["axis"].light


def chart(figure: Figure) -> alt.ConcatChart:
    """The figure as an Altair object: a panel or several, each of layers."""
    need("altair", extra="report", purpose="a chart")
    import altair  # noqa: PLC0415  # heavy, and only here

    figure = figure.legible()
    panels = [_Panel(altair, figure, panel, first=not place).drawn() for place, panel in enumerate(figure.panels)]
    words = [text for text in (figure.subtitle, *figure.notes) if text]
    title = altair.TitleParams(figure.title, subtitle=words)
    whole: alt.ConcatChart = altair.concat(*panels, columns=figure.across, spacing=24, title=title).configure(
        **_theme()
    )
    return whole


def _theme() -> dict[str, Any]:
    """The looks of all charts."""
    axis = {
        "labelColor": _DIM,
        "titleColor": _INK,
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
    }
    lines = {"gridColor": COLOURS["line"].light, "domainColor": _REST, "tickColor": _REST, "titlePadding": 8}
    title = {
        "anchor": "start",
        "color": _INK,
        "fontSize": 16,
        "subtitleColor": _DIM,
        "subtitleFontSize": 13,
        "offset": 14,
    }
    legend = {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "symbolSize": 90,
        "labelLimit": 320,
    }
    return {
        "background": "white",
        "font": FONT,
        "padding": 16,
        "axis": axis | lines,
        "legend": legend,
        "title": title | {"subtitlePadding": 6},
        "view": {"stroke": None},
    }


class _Panel:
    """One panel: its marks as layers that share their axes."""

    def __init__(self, altair: Any, figure: Figure, panel: Panel, *, first: bool) -> None:
        self.alt, self.figure, self.panel, self.first = altair, figure, panel, first

    def drawn(self) -> Any:
        """The layers, in their order."""
        layers = [layer for mark in self.panel.marks for layer in self._layers(mark)]
        size = {"width": self.panel.width, "height": self.panel.height}
        title = self.alt.TitleParams(self.panel.title, fontSize=12, fontWeight="normal", offset=8)
        return self.alt.layer(*layers).properties(**size, **({"title": title} if self.panel.title else {}))

    def _layers(self, mark: Mark) -> list[Any]:
        frame = self._rows(mark)
        at = self.alt.Chart(self.alt.Data(values=frame.to_dicts()))
        places = self._places(mark)
        looks = self._looks(mark)
        seen = {"opacity": 0.5} if mark.faint else {}
        if mark.kind == "line":
            width = 1.2 if mark.faint or mark.meaning == "reference" else 2
            style = {"strokeWidth": width, "interpolate": "step-before" if mark.step else "linear"} | seen
            dashes = {"strokeDash": [4, 4]} if mark.meaning == "reference" else {}
            line = at.mark_line(**style, **dashes).encode(**places, **looks, order=self.alt.Order("number:Q"))
            return [line, self._dots(mark, at, places)] if mark.dots else [line]
        if mark.kind == "point":
            return [self._dots(mark, at, places)]
        if mark.kind == "area":
            return [at.mark_area(opacity=0.16).encode(**places, **looks)]
        if mark.kind == "rule":
            dashes = {"strokeDash": [4, 3]} if mark.meaning == "best" else {}
            rule = at.mark_rule(strokeWidth=2, **seen, **dashes).encode(**places, **looks)
            words = at.mark_text(baseline="bottom", dy=-4, color=_INK, fontSize=12, y=0)
            return [rule, words.encode(x=places["x"], text=f"{mark.label}:N")] if mark.label else [rule]
        if mark.kind == "text":
            light = self.alt.condition(f"datum[{mark.shade!r}] > 0.7", self.alt.value("white"), self.alt.value(_INK))
            return [at.mark_text(fontSize=12).encode(**places, text=f"{mark.label}:N", color=light)]
        shade = (
            {
                "opacity": self.alt.Opacity(
                    f"{mark.shade}:Q", scale=self.alt.Scale(domain=[0, 1], range=[0, 1]), legend=None
                )
            }
            if mark.shade
            else {}
        )
        return [at.mark_bar(**seen).encode(**places, **looks, **shade, tooltip=self._tips(mark))]

    def _rows(self, mark: Mark) -> pl.DataFrame:
        """The rows of a mark, of the best series last and so above the others; with colours, and where dots are."""
        finite = (pl.when(column.is_finite()).then(column) for column in mark.frame.select(pl.col(pl.Float64)))
        frame = mark.frame.with_columns(*finite, number=pl.int_range(pl.len()), dot=True)  # JSON has no infinity
        if mark.meaning in frame.columns:
            colours = {word: COLOURS[name].light for word, name in _MEANINGS.items()}
            frame = frame.with_columns(colour=pl.col(mark.meaning).replace_strict(colours, default=_REST))
        if mark.kind != "line" or not mark.series:
            return frame
        parts = frame.partition_by(mark.series, maintain_order=True, as_dict=True)
        order = [each.name for each in reversed(self.figure.series)]
        rows = [part for _, part in sorted(parts.items(), key=lambda part: order.index(str(part[0][0])))]
        return pl.concat(
            [part.with_columns(dot=pl.int_range(pl.len()) % dots_apart(part.height) == 0) for part in rows]
        )

    def _dots(self, mark: Mark, at: Any, places: dict[str, Any]) -> Any:
        best = mark.meaning == "best"
        dots = at.mark_point(filled=not best, size=200 if best else 45)
        shapes = {"shape": self._coded(self.alt.Shape, mark.series, SHAPES, "circle")} if mark.series else {}
        seen = self.alt.condition("datum.dot", self.alt.value(1), self.alt.value(0))
        looks = self._looks(mark, dashes=False) | shapes
        return dots.encode(**places, **looks, opacity=seen, tooltip=self._tips(mark))

    def _looks(self, mark: Mark, *, dashes: bool = True) -> dict[str, Any]:
        """The colour of a mark, by its meaning or its series; lines have dashes too."""
        alt, meaning = self.alt, mark.meaning or ("" if mark.series else "s1")
        if meaning in mark.frame.columns:
            return {"color": alt.Color("colour:N", scale=None)}
        if meaning:
            return {"color": alt.value(COLOURS[_MEANINGS[meaning]].light)}
        colours = [COLOURS[f"line-{place}"].light for place in range(1, MOST_SERIES + 1)]
        looks = {"color": self._coded(alt.Color, mark.series, colours, _REST)}
        if mark.kind == "line" and dashes:
            looks["strokeDash"] = self._coded(alt.StrokeDash, mark.series, DASHES, DASHES[0])
        return looks

    def _coded(self, channel: Any, column: str, codes: Any, rest: Any) -> Any:
        """A channel that tells series apart, with their numbers in its legend."""
        series = self.figure.series
        shown, others = series[:MOST_SERIES], series[MOST_SERIES:]
        coded = [*codes[: len(shown)], *([rest] * len(others))]
        scale = self.alt.Scale(domain=[each.name for each in series], range=[*map(_listed, coded)])
        if self.figure.key is None or not self.first:
            return channel(f"{column}:N", scale=scale, legend=None)
        more = f" ({number_of('other', len(others))} grey)" if others else ""
        words = json.dumps({each.name: f"{each.value}   {each.name}".strip() for each in shown})
        values = [each.name for each in shown]
        legend = self.alt.Legend(title=f"{self.figure.key}{more}", values=values, labelExpr=f"({words})[datum.label]")
        return channel(f"{column}:N", scale=scale, legend=legend)

    def _tips(self, mark: Mark) -> list[Any]:
        if mark.label and not mark.tips:
            return [self.alt.Tooltip(f"{mark.label}:N", title=" ")]
        numeric = {name for name in mark.tips if mark.frame.schema[name] == pl.Float64}
        return [
            self.alt.Tooltip(f"{name}:Q", title=name.replace("_", " "), format=".12~g")
            if name in numeric
            else self.alt.Tooltip(f"{name}:N", title=name.replace("_", " "))
            for name in mark.tips
        ]

    def _places(self, mark: Mark) -> dict[str, Any]:
        """Both axes, with both ends where a mark has them; what has no column reaches from end to end."""
        places: dict[str, Any] = {}
        for axis in AXES:
            name, other = getattr(mark, axis), getattr(mark, f"{axis}2")
            ruler = self.panel.ruler(axis)
            if not name:
                places |= {
                    axis: self.alt.value(0),
                    f"{axis}2": self.alt.value(getattr(self.panel, "width" if axis == "x" else "height")),
                }
                continue
            places[axis] = self._axis(axis, name, ruler)
            if other:
                places[f"{axis}2"] = f"{other}:Q"
            elif mark.kind == "bar" and ruler.scale.kind != "category":
                places[f"{axis}2"] = self.alt.datum(0)
        return places

    def _axis(self, axis: str, name: str, ruler: Ruler) -> Any:
        alt, scale = self.alt, ruler.scale
        channel = alt.X if axis == "x" else alt.Y
        if scale.kind == "category":
            turned = (
                {"labelAngle": -90}
                if axis == "x" and len(scale.names) * max(map(len, scale.names), default=0) * 7 > self.panel.width
                else {"labelAngle": 0}
            )
            ticks = alt.Axis(ticks=False, grid=False, labels=len(scale.names) <= MOST_NAMES, labelLimit=180, **turned)
            domain = alt.Scale(domain=list(scale.names))
            return channel(
                f"{name}:N",
                sort=list(scale.names),
                scale=domain,
                title=scale.title or None,
                axis=None if scale.bare else ticks,
            )
        ends = [ruler.low, ruler.high]
        domain = alt.Scale(domain=sorted(ends), reverse=ends[0] > ends[1], nice=False, zero=False, type=scale.kind)
        marks = ruler.ticks()
        words = (
            {"labelExpr": f"{json.dumps([text for _, text in marks])}[indexof({[at for at, _ in marks]}, datum.value)]"}
            if scale.names
            else {}
        )
        ticks = alt.Axis(
            values=[at for at, _ in marks],
            grid=scale.grid,
            labelFlush=False,
            **({"format": "%"} if scale.percent else words),
        )
        return channel(f"{name}:Q", scale=domain, title=scale.title or None, axis=None if scale.bare else ticks)


def _listed(code: Any) -> Any:
    return list(code) if isinstance(code, tuple) else code
