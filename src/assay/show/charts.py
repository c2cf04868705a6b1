"""Figures that several results have: curves, bars per query, scores, calibration, steps.

Each function takes plain frames, documented by their columns, and returns a `Figure`; words around it are the caller's
(`dataclasses.replace`). `series` are in the order of their colours, the best first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import polars as pl

from assay.show.figure import Figure, Mark, Panel, Scale, Series
from assay.show.model import LONGEST, shown_rows

#: A column, and the axis that it stands on; of an axis from 0 to 1, its title.
Along: TypeAlias = tuple[str, Scale | str]

#: Points of a system that are drawn as they are; of more, those that can be told apart.
MOST_POINTS = 2000
#: As many steps of an axis as can be told apart: the square has fewer dots.
STEPS = 500
#: Of more clusters, none is named beside its silhouettes.
MOST_NAMED = 200
#: Up to here every rank has its place in a waterfall; further down only ranks that add something.
MOST_RANKS = 20


def lines(
    frame: pl.DataFrame,
    x: Along,
    y: Along,
    series: Sequence[Series],
    *,
    key: str | None = None,
    ground: Sequence[Mark] = (),
    step: bool = False,
    front: str = "",
) -> Figure:
    """A line for each `system`, with dots on some of its points, above the marks of the `ground`.

    `front`: the system that is drawn before the others, which are faint.

    >>> points = pl.DataFrame({"system": ["a", "a"], "k": [1, 2], "value": [0.5, 0.75]})
    >>> lines(points, ("k", Scale("cut-off")), ("value", Scale("P")), [Series("a")]).panels[0].marks[0].kind
    'line'
    """
    (across, below), (up, beside) = x, y
    points = frame.drop_nulls([across, up])
    line = Mark("line", points, across, up, series="system", step=step)
    if front:
        others = points.filter(pl.col("system") != front)
        behind = [] if others.is_empty() else [replace(line, frame=others, faint=True)]
        first = points.filter(pl.col("system") == front)
        lines_of = [*behind, replace(line, frame=first, tips=filled(first))]
    else:
        lines_of = [replace(line, tips=filled(points), dots=True)]
    below, beside = (Scale(scale, 0, 1) if isinstance(scale, str) else scale for scale in (below, beside))
    panel = Panel(below, beside, (*ground, *lines_of))
    return Figure("points", (panel,), series=tuple(series), key=key, data=frame)


def filled(frame: pl.DataFrame) -> tuple[str, ...]:
    """The columns that are told of a point: all that have values."""
    return tuple(name for name in frame.columns if frame[name].null_count() < frame.height)


def reference(*points: tuple[float, float]) -> Mark:
    """A thin broken line to compare with."""
    return replace(_path(*points), meaning="reference")


def _path(*points: tuple[float | None, float | None]) -> Mark:
    frame = pl.DataFrame(points, schema={"x": pl.Float64, "y": pl.Float64}, orient="row")
    return Mark("line", frame, "x", "y")


#: Where both rates are equal.
DIAGONAL = reference((0, 0), (1, 1))


def here(x: float | None, y: float | None, hook: str) -> Mark:
    """A point that a page's script moves."""
    return replace(_path((x, y)), kind="point", hook=hook)


def thinned(frame: pl.DataFrame, x: str, y: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The points to draw: of many, the ends and those where the line enters or leaves a cell of a fine grid.

    >>> thinned(pl.DataFrame({"system": ["a"], "x": [0.0], "y": [None]}), "x", "y")[0].height
    0
    """
    points = frame.drop_nulls([x, y])
    if max(points.group_by("system").len()["len"], default=0) <= MOST_POINTS:
        return points, ()
    scaled = ((pl.col(name) - pl.col(name).min()) / (pl.col(name).max() - pl.col(name).min()) for name in (x, y))
    places = pl.struct((each * STEPS).floor() for each in scaled)
    enters, leaves = ((places != places.shift(by)).over("system").fill_null(True) for by in (1, -1))
    kept = points.filter(enters | leaves)
    note = f"{kept.height:,} of {points.height:,} points are drawn: all that are {1 / STEPS:g} of an axis apart"
    return kept, (note,) if kept.height < points.height else ()


def precision_recall(frame: pl.DataFrame, series: Sequence[Series], *, key: str | None = None) -> Figure:
    """Precision at levels of recall: `system`, `recall`, `precision`."""
    return lines(frame, ("recall", "recall"), ("precision", "precision"), series, key=key)


def roc(
    frame: pl.DataFrame,
    series: Sequence[Series],
    *,
    key: str | None = None,
    band: pl.DataFrame | None = None,
    front: str = "",
) -> Figure:
    """True against false positive rate: `system`, `fpr`, `tpr`; `band`: `system`, `fpr`, `low`, `high`."""
    bands = () if band is None else (Mark("area", band, "fpr", "low", y2="high", series="system"),)
    across, up = ("fpr", "false positive rate"), ("tpr", "true positive rate")
    return lines(frame, across, up, series, key=key, ground=(DIAGONAL, *bands), front=front)


def precision_by_threshold(
    frame: pl.DataFrame,
    series: Sequence[Series],
    *,
    key: str | None = None,
    prevalence: float | None = None,
    front: str = "",
) -> Figure:
    """Precision against recall at every threshold, in steps: `system`, `recall`, `precision`.

    `prevalence`: the share of positive items, which is the precision of a guess.
    """
    # The first precision holds from recall 0 on, as in the sum of average precision.
    points = frame.drop_nulls(["recall", "precision"])
    parts = points.partition_by("system", maintain_order=True)
    stairs = pl.concat([each for part in parts for each in (part.head(1).with_columns(recall=0.0), part)] or [points])
    guess = () if prevalence is None else (reference((0, prevalence), (1, prevalence)),)
    across, up = ("recall", "recall"), ("precision", "precision")
    return lines(stairs, across, up, series, key=key, ground=guess, step=True, front=front)


def calibration(
    frame: pl.DataFrame, series: Sequence[Series], *, key: str | None = None, label: str = "positive"
) -> Figure:
    """The share of positive items against the mean probability: `system`, `probability`, `came_true`, `low`, `high`."""
    across = ("probability", "mean probability in the bin")
    up = ("came_true", f"share that is {label}")
    whiskers = Mark("rule", frame, "probability", "low", y2="high", series="system", faint=True)
    return lines(frame, across, up, series, key=key, ground=(DIAGONAL, whiskers))


def score_distributions(
    frame: pl.DataFrame,
    titles: Mapping[str, str],
    cuts: Mapping[str, float | None],
    *,
    mirrored: bool = False,
    size: tuple[int, int] = (480, 190),
) -> Figure:
    """Items of each kind by bins of their scores: `system`, `label`, `low`, `high`, `share`.

    A panel for each system of `titles`. `mirrored`: the second label hangs down. `cuts`: the threshold of each system,
    which a page's script moves as `scores` where it is mirrored.
    """
    labels = tuple(frame["label"].unique(maintain_order=True))
    low, high = float(frame["low"].min()), float(frame["high"].max())  # type: ignore[arg-type]
    if mirrored:
        frame = frame.with_columns(pl.when(pl.col("label") == labels[0]).then("share").otherwise(-pl.col("share")))
    y = Scale("" if mirrored else "share of the kind", percent=True, about=4, zero=True, bare=mirrored)
    panels = []
    for system, title in titles.items():
        rows = frame.filter(pl.col("system") == system)
        cut = cuts.get(system)
        marks = [Mark("bar", rows, "low", "share", x2="high", series="label", tips=filled(rows), faint=not mirrored)]
        if cut is not None and (mirrored or low <= cut <= high):
            at = pl.DataFrame({"at": [cut], "end": [high], "words": ["" if mirrored else f"{cut:.6g}"]})
            hook = "scores" if mirrored else ""
            marks = [Mark("bar", at, "at", x2="end", meaning="band", hook=hook), *marks] if mirrored else marks
            marks.append(Mark("rule", at, "at", meaning="cut", label="words", hook=hook))
        panels.append(Panel(Scale("score", low, high), y, tuple(marks), title, *size))
    return Figure("points", tuple(panels), series=tuple(map(Series, labels)), key="items", data=frame)


def bars(
    frame: pl.DataFrame,
    value: str,
    *,
    name: str = "query_id",
    x: Scale | None = None,
    y: Scale | None = None,
    meaning: str = "s1",
    label: str = "",
    link: str = "",
    size: tuple[int, int] | None = None,
) -> Panel:
    """One bar for each row, in the order of the frame: its `name`, its `value`, what it means, where it leads to.

    Of very many bars only those at both ends are links.

    >>> frame = pl.DataFrame({"query_id": ["q1", "q2"], "value": [0.5, 0.1], "to": ["d1", "d2"]})
    >>> bars(frame, "value", link="to").x.names
    ('q1', 'q2')
    """
    if link and frame.height > LONGEST:
        frame = frame.with_columns(
            pl.when(pl.int_range(pl.len()).is_in(shown_rows(frame.height))).then(link).alias(link)
        )
    names = tuple(frame[name])
    x = x or Scale("topic", kind="category", names=names)
    mark = Mark("bar", frame, name, value, meaning=meaning, label=label, link=link, tips=() if label else filled(frame))
    width = min(900, max(400, 14 * len(x.names)))
    return Panel(x, y or Scale(zero=True), (mark,), "", *(size or (width, 240)))


def waterfall(frame: pl.DataFrame, series: Sequence[Series], *, best: float | None = None, height: int = 200) -> Figure:
    """The sum of a value, rank by rank, of two systems side by side.

    `series`: both, and `best`, where there is such a value. The frame has the columns `side` (from or to), `rank` (null
    for all below those that are shown), `adds`, `running` (the sum so far) and `words`.

    >>> steps = {"side": ["from"], "rank": [1], "adds": [0.5], "running": [0.5], "words": ["rank 1: d1"]}
    >>> [mark.kind for mark in waterfall(pl.DataFrame(steps), [Series("old"), Series("new")]).panels[0].marks]
    ['rule', 'bar']
    """
    ranks = _shown_ranks(frame)
    slots = {rank: place for place, rank in enumerate(ranks)}
    steps: list[dict[str, Any]] = []
    joins: list[dict[str, Any]] = []
    for side, shift in (("from", 0.07), ("to", 0.5)):
        rows = [row for row in frame.filter(pl.col("side") == side).iter_rows(named=True) if row["adds"]]
        for row in sorted((row for row in rows if row["rank"] in slots), key=lambda row: slots[row["rank"]]):
            left = slots[row["rank"]] + shift
            if joins and joins[-1]["side"] == side:
                joins[-1]["end"] = left
            joins.append({"side": side, "start": left + 0.43, "end": float(len(ranks)), "at": row["running"]})
            steps.append(row | {"left": left, "right": left + 0.43, "start": row["running"] - row["adds"]})
    marks = [
        Mark("rule", pl.DataFrame(joins), "start", "at", x2="end", meaning="side"),
        Mark("bar", pl.DataFrame(steps), "left", "running", x2="right", y2="start", meaning="side", label="words"),
    ]
    if best is not None:
        marks.insert(0, Mark("rule", pl.DataFrame({"at": [best]}), y="at", meaning="best"))
    if len(ranks) <= 12:
        every = 1
    elif len(ranks) <= 24:
        every = 2
    else:
        every = 5
    ticks = [place for place, rank in enumerate(ranks) if place % every == 0 or rank is None]
    words = tuple("below" if ranks[place] is None else str(ranks[place]) for place in ticks)
    x = Scale("rank", 0, max(len(ranks), 1), ticks=tuple(place + 0.5 for place in ticks), names=words, grid=False)
    panel = Panel(x, Scale(zero=True, about=4), tuple(marks), "", 640, height)
    named = tuple(replace(each, style=style) for each, style in zip(series, ("from", "to", "best"), strict=False))
    return Figure("steps", (panel,), series=named, key="", data=frame)


def _shown_ranks(frame: pl.DataFrame) -> list[int | None]:
    """The ranks that have a place in the chart; None, at the end, stands for all below the ranking that is shown."""
    ranks = [rank for rank in frame["rank"] if rank is not None]
    below: list[int | None] = [None] if frame.filter(pl.col("rank").is_null() & (pl.col("adds") != 0)).height else []
    if max(ranks, default=0) <= MOST_RANKS:
        return [*range(1, max(ranks, default=0) + 1), *below]
    return [*sorted(set(frame.filter(pl.col("adds") != 0)["rank"].drop_nulls())), *below]
