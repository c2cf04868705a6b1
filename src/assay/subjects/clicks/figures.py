"""Figures of behaviour: clicks by rank, and a measure over time."""

from __future__ import annotations

from assay.show.figure import Figure, Mark, Scale
from assay.verbs.curves import Curve
from assay.verbs.sections.curves import drawn_from, ends_of, lines

#: So many days or weeks are named below a line.
_MOST_DATES = 6


@drawn_from("rank", "value")
def click_ranks_figure(curve: Curve) -> Figure:
    """The share of results clicked, rank by rank, with a band."""
    ranks = range(1, max(int(ends_of(curve.frame["rank"])[1]), 2) + 1)
    across = Scale("rank", ranks[0], ranks[-1], ticks=tuple(map(float, ranks)))
    return _banded(curve, ("rank", across), "share clicked")


@drawn_from("place", "value")
def over_time_figure(curve: Curve) -> Figure:
    """A line over days or weeks, some of which are named, with a band."""
    period = "day" if "day" in curve.frame.columns else "week"
    named = curve.frame.select("place", period).unique().sort("place")
    every = max(1, -(-named.height // _MOST_DATES))
    # The year is in the table; below the line there is no room for it.
    ticks = named["place"][::every].to_list()
    names = named[period][::every].str.slice(5).to_list()
    x = Scale(period, 0, max(named.height - 1, 1), ticks=tuple(map(float, ticks)), names=tuple(names))
    return _banded(curve, ("place", x), curve.summary["measure"][0])


def _banded(curve: Curve, x: tuple[str, Scale], title: str) -> Figure:
    """Lines above bands from `low` to `high`."""
    band = Mark("area", curve.frame.drop_nulls(["low", "high"]), x[0], "low", y2="high", series="system")
    return lines(curve, x, ("value", Scale(title, zero=True)), band)
