"""Figures of rankings' curves."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from assay.core.words import short_name
from assay.show import charts
from assay.show.figure import MOST_SERIES, Figure, Mark, Scale, rounded_out
from assay.verbs.curves import Curve
from assay.verbs.sections.curves import LONGEST_NAME, drawn_from, ends_of, key_of, lines, more_is_better, ranked

_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@drawn_from("recall", "precision")
def precision_recall(curve: Curve) -> Figure:
    """Precision at levels of recall; of a single topic, at every rank."""
    levels = curve.frame.filter(pl.col("curve") == "interpolated")
    sawtooth = _corners(curve.frame.filter(pl.col("curve") == "every rank"), "recall")
    picture = charts.precision_recall(
        levels if sawtooth.is_empty() else sawtooth, ranked(curve.summary), key=key_of(curve)
    )
    if sawtooth.is_empty() or levels.is_empty():
        return picture
    stairs = pl.concat([_stairs(rows) for rows in sawtooth.partition_by("system", maintain_order=True)])
    marks = (
        Mark("line", sawtooth, "recall", "precision", series="system", faint=True),
        Mark("line", stairs, "recall", "precision", series="system", step=True),
        Mark(
            "point", levels.drop_nulls("precision"), "recall", "precision", series="system", tips=charts.filled(levels)
        ),
    )
    return replace(picture, panels=(replace(picture.panels[0], marks=marks),))


def _corners(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Points between two others on the same straight line are not drawn: a list of 1,000 documents has few corners."""
    before, after = (pl.col(column).eq(pl.col(column).shift(by)).over("system").fill_null(False) for by in (1, -1))
    return frame.filter(~(before & after))


def _stairs(rows: pl.DataFrame) -> pl.DataFrame:
    """The line through interpolated precision at every recall: the best precision from here on, and 0 after the end."""
    best = rows.with_columns(pl.col("precision").cum_max(reverse=True))
    steps = best.unique("recall", maintain_order=True, keep="first")
    first = steps.head(1).with_columns(recall=0.0)
    last = steps.tail(1).with_columns(precision=0.0)
    everything_found = rows["recall"][-1] == 1.0
    return pl.concat([first, steps, *([] if everything_found else [last, last.with_columns(recall=1.0)])])


@drawn_from("false_positive_rate", "true_positive_rate")
def roc(curve: Curve) -> Figure:
    """The rates of true and of false positives."""
    of_topic = curve.frame["query_id"].is_not_null().any()
    points = _corners(curve.frame, "true_positive_rate") if of_topic else curve.frame
    return lines(
        curve,
        ("false_positive_rate", "false positive rate"),
        ("true_positive_rate", "true positive rate"),
        charts.DIAGONAL,
        frame=points,
    )


@drawn_from("cutoff", "value")
def by_cutoff(curve: Curve) -> Figure:
    """A measure over its cut-off."""
    title = curve.title.removesuffix(" by cut-off")
    top = ends_of(curve.frame["value"])[1]
    ticks = tuple(map(float, _CUTOFFS))
    across = Scale("cut-off (logarithmic)", kind="log", ticks=ticks)
    return lines(curve, ("cutoff", across), ("value", title if top <= 1 else Scale(title, zero=True)))


@drawn_from("value", best=True)
def per_query(curve: Curve) -> Figure:
    """One row of bars for each system, all in the same order: the easiest topic first."""
    means = curve.frame.group_by("query_id", maintain_order=True).agg(pl.col("value").mean())
    easiest = means.sort("value", descending=more_is_better(curve.summary), nulls_last=True, maintain_order=True)
    low, high = ends_of(curve.frame["value"])
    series = ranked(curve.summary)[:MOST_SERIES]
    y = Scale(low=min(low, 0.0), high=max(high, 1.0), about=2 if high <= 1 else 3)
    height = 280 if len(series) == 1 else max(56, 360 // len(series))
    panels = []
    for place, each in enumerate(series, start=1):
        is_last = place == len(series)
        x = Scale("topic" if is_last else "", kind="category", names=tuple(easiest["query_id"]), bare=not is_last)
        rows = curve.frame.filter(pl.col("system") == each.name)
        panel = charts.bars(rows, "value", x=x, y=y, meaning=f"s{place}")
        title = f"{each.value}   {short_name(each.name, LONGEST_NAME)}" if len(series) > 1 else ""
        panels.append(replace(panel, title=title, height=height))
    return Figure("points", tuple(panels))


@drawn_from("difference")
def differences(curve: Curve) -> Figure:
    """A bar for each topic, gains and losses apart."""
    better = pl.col("difference") >= 0 if more_is_better(curve.summary) else pl.col("difference") <= 0
    low, high = ends_of(curve.frame["difference"])
    axis = rounded_out((min(low, -0.05), max(high, 0.05)), about=8)
    marked = curve.frame.with_columns(meaning=pl.when(better).then(pl.lit("s1")).otherwise(pl.lit("s2")))
    panel = charts.bars(marked, "difference", y=Scale("difference", *axis, about=8), meaning="meaning")
    bars = replace(panel.marks[0], tips=charts.filled(curve.frame))
    return Figure("points", (replace(panel, marks=(bars,), height=320),))
