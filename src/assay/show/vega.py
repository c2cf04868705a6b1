"""Figures as Vega-Lite: an Altair object, to change it. Colours, dashes and shapes are those of the light theme."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from assay.core.errors import need, number_of
from assay.show.figure import AXES, MOST_NAMES, MOST_SERIES, AxisName, Figure, Mark, Panel, dots_apart
from assay.show.svg import COLOURS, asset, in_light

if TYPE_CHECKING:
    import altair as alt

Spec: TypeAlias = dict[str, Any]

DASHES = ((1, 0), (7, 4), (2, 3), (9, 3, 2, 3), (4, 2), (12, 4), (1, 4), (12, 3, 3, 3, 3, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
#: The colour of what a mark means.
_MEANINGS = {
    "gain": "good", "loss": "bad", "rise": "even", "fall": "dim", "tied": "axis", "from": "axis", "to": "good",
    "reference": "axis", "best": "ink", "band": "band", "cut": "ink", "plain": "ink",
} | {f"s{place}": f"line-{place}" for place in range(1, MOST_SERIES + 1)}  # fmt: skip
_COLOURS = {meaning: COLOURS[name].light for meaning, name in _MEANINGS.items()}
_INK, _REST = COLOURS["ink"].light, COLOURS["axis"].light


def chart(figure: Figure) -> alt.ConcatChart:
    """The figure as an Altair object: a panel or several, each of layers."""
    need("altair", extra="report", purpose="a chart")
    altair: Any = importlib.import_module("altair")  # heavy, and only here

    panels = []
    for place, panel in enumerate(figure.panels):
        layers = _Layers(figure, panel, is_first=not place)
        charts = []
        for mark in panel.marks:
            data = altair.Data(values=layers.rows(mark).to_dicts())
            for kind, style, encoding in layers.of(mark):
                channels = altair.FacetedEncoding(**encoding)
                charts.append(altair.Chart(data, channels, {"type": kind, **style}))
        words = {"text": panel.title, "fontSize": 12, "fontWeight": "normal", "offset": 8}
        more = {"title": words} if panel.title else {}
        panels.append(altair.layer(*charts, width=panel.width, height=panel.height, **more))
    title = {"text": figure.title, "subtitle": [text for text in (figure.subtitle, *figure.notes) if text]}
    config = json.loads(in_light(asset("vega.json")))
    whole: alt.ConcatChart = altair.concat(*panels, columns=figure.across, spacing=24, title=title, config=config)
    return whole


class _Layers:
    """The marks of one panel as layers that share their axes."""

    def __init__(self, figure: Figure, panel: Panel, *, is_first: bool) -> None:
        self.figure, self.panel = figure, panel
        self.has_key = is_first and figure.key is not None

    def of(self, mark: Mark) -> list[tuple[str, Spec, Spec]]:
        """The kind, the style and the encoding of each layer that a mark needs."""
        looks = self._looks(mark)
        text = _field(mark.label)
        places: Spec = {key: value for axis in AXES for key, value in self._places(mark, axis).items()}
        seen: Spec = {"opacity": 0.5} if mark.faint else {}
        dashes: Spec = {}
        if mark.kind == "line":
            is_reference = mark.meaning == "reference"
            style: Spec = {"interpolate": "step-before" if mark.step else "linear", **seen}
            style |= {"strokeWidth": 1.2 if mark.faint or is_reference else 2}
            style |= {"strokeDash": [4, 4]} if is_reference else {}
            if mark.series and not mark.meaning:
                dashes = {"strokeDash": self._coded(mark.series, DASHES)}
            line = {**places, **looks, **dashes, "order": _field("number", is_number=True)}
            return [("line", style, line), *([self._dots(mark, places | looks)] if mark.dots else [])]
        if mark.kind == "point":
            return [self._dots(mark, places | looks)]
        if mark.kind == "area":
            return [("area", {"opacity": 0.16}, places | looks)]
        if mark.kind == "rule":
            dashes = {"strokeDash": [4, 3]} if mark.meaning == "best" else {}
            above = {"baseline": "bottom", "dy": -4, "color": _INK, "fontSize": 12, "y": 0}
            words = [("text", above, {"x": places["x"], "text": text})] if mark.label else []
            return [("rule", {"strokeWidth": 2, **seen, **dashes}, places | looks), *words]
        if mark.kind == "text":
            light = _when(f"datum[{mark.shade!r}] > 0.7", "white", _INK)
            return [("text", {"fontSize": 12}, {**places, "text": text, "color": light})]
        shades = {"scale": {"domain": [0, 1], "range": [0, 1]}, "legend": None}
        shade = {"opacity": _field(mark.shade, is_number=True) | shades} if mark.shade else {}
        return [("bar", seen, {**places, **looks, **shade, "tooltip": _tips(mark)})]

    def rows(self, mark: Mark) -> pl.DataFrame:
        """The rows of a mark, of the best series last and so above the others; with colours, and where dots are."""
        finite = (pl.when(column.is_finite()).then(column) for column in mark.frame.select(pl.col(pl.Float64)))
        frame = mark.frame.with_columns(*finite, number=pl.int_range(pl.len()), dot=True)  # JSON has no infinity
        if mark.meaning in frame.columns:
            frame = frame.with_columns(colour=pl.col(mark.meaning).replace_strict(_COLOURS, default=_REST))
        if mark.kind != "line" or not mark.series:
            return frame
        parts = frame.partition_by(mark.series, maintain_order=True, as_dict=True)
        order = [series.name for series in reversed(self.figure.series)]
        rows = [part for _, part in sorted(parts.items(), key=lambda part: order.index(str(part[0][0])))]
        dots = (pl.int_range(pl.len()) % dots_apart(part.height) == 0 for part in rows)
        return pl.concat([part.with_columns(dot=dot) for part, dot in zip(rows, dots, strict=True)])

    def _dots(self, mark: Mark, looks: Spec) -> tuple[str, Spec, Spec]:
        best = mark.meaning == "best"
        shapes = {"shape": self._coded(mark.series, SHAPES, "circle")} if mark.series else {}
        seen = {"opacity": _when("datum.dot", 1, 0), "tooltip": _tips(mark)}
        return "point", {"filled": not best, "size": 200 if best else 45}, {**looks, **shapes, **seen}

    def _looks(self, mark: Mark) -> Spec:
        """The colour of a mark, by its meaning or its series."""
        meaning = mark.meaning or ("" if mark.series else "s1")
        if meaning in mark.frame.columns:
            return {"color": _field("colour") | {"scale": None}}
        if meaning:
            return {"color": {"value": _COLOURS[meaning]}}
        return {"color": self._coded(mark.series, [_COLOURS[f"s{n}"] for n in range(1, MOST_SERIES + 1)], _REST)}

    def _coded(self, column: str, codes: Sequence[Any], rest: Any = None) -> Spec:
        """A channel that tells series apart, with their numbers in its legend."""
        series = self.figure.series
        coloured = series[:MOST_SERIES]
        others = series[MOST_SERIES:]
        coded = [*codes[: len(coloured)], *([rest or codes[0]] * len(others))]
        channel = _field(column) | {"scale": {"domain": [each.name for each in series], "range": coded}}
        if not self.has_key:
            return channel | {"legend": None}
        more = f" ({number_of('other', len(others))} grey)" if others else ""
        words = json.dumps({each.name: f"{each.value}   {each.name}".strip() for each in coloured})
        legend = {"title": f"{self.figure.key}{more}", "labelExpr": f"({words})[datum.label]"}
        return channel | {"legend": {**legend, "values": [each.name for each in coloured]}}

    def _places(self, mark: Mark, axis: AxisName) -> Spec:
        """The start and the end of a mark along an axis; without a column it reaches from end to end."""
        name = getattr(mark, axis)
        other = getattr(mark, f"{axis}2")
        if not name:
            return {axis: {"value": 0}, f"{axis}2": {"value": self.panel.height if axis == "y" else self.panel.width}}
        is_number = self.panel.ruler(axis).scale.kind != "category"
        place = {axis: _field(name, is_number=is_number) | self._axis(axis)}
        if other:
            return place | {f"{axis}2": {"field": other}}
        return place | ({f"{axis}2": {"datum": 0}} if mark.kind == "bar" and is_number else {})

    def _axis(self, axis: AxisName) -> Spec:
        """The scale of an axis, with its title and what is written along it."""
        ruler = self.panel.ruler(axis)
        scale = ruler.scale
        title = ruler.scale.title or None
        if scale.kind == "category":
            names = list(scale.names)
            is_long = len(names) * max(map(len, names), default=0) * 7 > self.panel.width
            ticks: Spec = {"ticks": False, "grid": False, "labels": len(names) <= MOST_NAMES, "labelLimit": 180}
            ticks["labelAngle"] = -90 if axis == "x" and is_long else 0
            return {"sort": names, "scale": {"domain": names}, "title": title, "axis": None if scale.bare else ticks}
        ends = [ruler.low, ruler.high]
        marks = ruler.ticks()
        domain = {"domain": sorted(ends), "reverse": ends[0] > ends[1], "type": scale.kind}
        ticks = {"values": [at for at, _ in marks], "grid": scale.grid, "labelFlush": False}
        if scale.percent:
            ticks["format"] = "%"
        elif scale.names:
            words = json.dumps([text for _, text in marks])
            ticks["labelExpr"] = f"{words}[indexof({ticks['values']}, datum.value)]"
        nice = {"nice": False, "zero": False}
        return {"scale": domain | nice, "title": title, "axis": None if scale.bare else ticks}


def _field(name: str, *, is_number: bool = False) -> Spec:
    return {"field": name, "type": "quantitative" if is_number else "nominal"}


def _when(test: str, then: Any, otherwise: Any) -> Spec:
    return {"condition": {"test": test, "value": then}, "value": otherwise}


def _tips(mark: Mark) -> list[Spec]:
    """Tips of the rows."""
    if mark.label and not mark.tips:
        return [_field(mark.label) | {"title": " "}]
    numbers = {name for name in mark.tips if mark.frame.schema[name] == pl.Float64}
    fields = (_field(name, is_number=name in numbers) | {"title": name.replace("_", " ")} for name in mark.tips)
    return [field | {"format": ".12~g"} if field["field"] in numbers else field for field in fields]
