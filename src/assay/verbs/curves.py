"""`Curve`: points of systems to look at, as a table and as a chart; every subject draws its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core import registry
from assay.core.errors import ParameterError, number_of
from assay.core.results import Result

if TYPE_CHECKING:
    import altair as alt

    from assay.show.figure import Figure
    from assay.show.model import Document


@dataclass(frozen=True, eq=False)
class Curve(Result):
    """Points of one or more systems, with what goes with them; `chart` draws them, `save` writes them.

    `name` says which curve it is, and so how it is drawn: see `registry.figure`. `frame`: one row for each point.
    `summary`: one number for each system (the mean of the points, the area below, ...), how many queries it is made
    from, and how many of them were undefined.

    >>> from assay import curves
    >>> judged, run = {"q1": {"d1": 1, "d2": 1}}, {"q1": {"d1": 2.0, "d3": 1.0, "d2": 0.5}}
    >>> curve = curves.precision_recall(judged, run, levels=3)
    >>> curve.frame["precision"].to_list()  # 1/1, 1/1, 2/3
    [1.0, 1.0, 0.6666666666666666]
    """

    kind = "curve"
    name: str
    title: str
    subtitle: str
    frame: pl.DataFrame
    summary: pl.DataFrame
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        warned = f"; {number_of('warning', len(self.warnings))}" if self.warnings else ""
        return f"<Curve: {self.title}, {self.subtitle}; {number_of('point', self.frame.height)}{warned}>"

    def to_frame(self) -> pl.DataFrame:
        """One row for each point."""
        return self.frame

    def figure(self) -> Figure:
        """The drawing as data: marks on axes. An error where there is nothing to draw."""
        figure: Figure = registry.load("assay.verbs.sections.curves:figure")(self)
        return figure

    def page(self) -> Document:
        """The figure as a page by itself."""
        page: Document = registry.load("assay.verbs.sections.curves:page")(self)
        return page

    def chart(self) -> alt.ConcatChart:
        """The figure as an Altair object, to change it; needs the extra `report`."""
        chart: alt.ConcatChart = registry.verb("chart")(self.figure())
        return chart

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write a picture (.svg, .png, .pdf), a page (.html) or the points (.csv, .json, .md), by the file's suffix.

        What was read is not replaced, unless `overwrite` says so."""
        target: Path = registry.verb("save")(self, path, overwrite=overwrite)
        return target

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        try:
            picture = {"image/svg+xml": registry.load("assay.show.svg:standalone")(self.figure())}
        except ParameterError:
            picture = {"text/html": self.to_html()}
        return {**picture, "text/plain": repr(self)}
