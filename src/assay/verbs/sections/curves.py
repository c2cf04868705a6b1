"""What curves show: the figure of each kind, its points and its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
from scipy import special

from assay.core.digits import NOT_AVAILABLE, number
from assay.core.errors import ParameterError
from assay.measures.curve_points import CurveKind, shortened
from assay.measures.parser import parse_measure
from assay.show import charts
from assay.show.figure import MOST_SERIES, Figure, Mark, Panel, Scale, Series, rounded_out
from assay.show.legible import cut_apart
from assay.show.model import Document, Prose, Section, Table

if TYPE_CHECKING:
    from assay.verbs.curves import Curve

_THINNED = ("classifier_roc", "classifier_pr", "det", "gain", "lift")
_LONGEST_NAME = 40
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_RATES = (0.0001, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 0.9999)
_VERDICTS = {"better": "s1", "worse": "s2", "equivalent": "s3", "identical": "s3"}
#: A cell of a map is so large, and no smaller than that; the map no larger than this.
_CELL, _SMALLEST_CELL, _LARGEST_MAP = 48, 9, 640
#: Of more clusters or classes, cells have no numbers.
_MOST_NUMBERS = 20
#: So many pixels high are all silhouettes together, without the room between clusters.
_SILHOUETTES = 420
#: So many days or weeks are named below a line.
_MOST_DATES = 6
_TAKEN = "share of the items taken, highest scores first"


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
    draw, columns = _FIGURES[curve.name]
    if curve.frame.drop_nulls(list(columns)).is_empty():
        raise ParameterError(f"there is nothing to draw: {curve.title}, {curve.subtitle} (no value is defined)")
    notes: tuple[str, ...] = ()
    if curve.name in _THINNED:
        points, notes = charts.thinned(curve.frame, *columns)
        bands = [curve.frame.filter(pl.col("curve") == "band")] if "low" in curve.frame.columns else []
        curve = replace(curve, frame=pl.concat([points, *bands]))
    picture = draw(curve)
    systems = curve.summary["system"].to_list()
    only = [shortened(systems[0], _LONGEST_NAME)] if len(systems) == 1 else []
    best = len(systems) > MOST_SERIES and curve.name == "queries"
    subtitle = [*only, curve.subtitle, *([f"the best {MOST_SERIES} of {len(systems)} systems"] if best else [])]
    return replace(picture, title=curve.title, subtitle=" · ".join(subtitle), notes=notes, data=curve.frame)


def ranked(summary: pl.DataFrame) -> tuple[Series, ...]:
    """The systems with their numbers, the best first."""
    ordered = summary.sort("value", descending=_more_is_better(summary), nulls_last=True, maintain_order=True)
    values = (NOT_AVAILABLE if value is None else number(value, 3) for value in ordered["value"])
    return tuple(map(Series, ordered["system"], values))


def _more_is_better(summary: pl.DataFrame) -> bool:
    """Whether a larger number is a better one; the systems of a chart have the same measure."""
    if "higher_is_better" in summary.columns:  # not a measure of rankings
        return bool(summary["higher_is_better"].all())
    return all(parse_measure(name).definition.higher_is_better is not False for name in summary["measure"].unique())


def _key(curve: Curve) -> str | None:
    """The title of the key; one system needs none, as the subtitle names it."""
    if curve.summary.height < 2:
        return None
    return ", ".join(shortened(name) for name in curve.summary["measure"].unique(maintain_order=True))


def _lines(curve: Curve, x: Scale | str, y: Scale | str, *ground: Mark, frame: pl.DataFrame | None = None) -> Figure:
    """A line for each system, above the marks of the ground."""
    across, up = _FIGURES[curve.name][1]
    points = curve.frame if frame is None else frame
    return charts.lines(points, (across, x), (up, y), ranked(curve.summary), key=_key(curve), ground=ground)


def _precision_recall(curve: Curve) -> Figure:
    levels = curve.frame.filter(pl.col("curve") == "interpolated")
    sawtooth = _corners(curve.frame.filter(pl.col("curve") == "every rank"), "recall")
    picture = charts.precision_recall(
        levels if sawtooth.is_empty() else sawtooth, ranked(curve.summary), key=_key(curve)
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
    first, last = steps.head(1).with_columns(recall=0.0), steps.tail(1).with_columns(precision=0.0)
    everything_found = rows["recall"][-1] == 1.0
    return pl.concat([first, steps, *([] if everything_found else [last, last.with_columns(recall=1.0)])])


def _roc(curve: Curve) -> Figure:
    of_topic = curve.frame["query_id"].is_not_null().any()
    points = _corners(curve.frame, "true_positive_rate") if of_topic else curve.frame
    return _lines(curve, "false positive rate", "true positive rate", charts.DIAGONAL, frame=points)


def _by_cutoff(curve: Curve) -> Figure:
    title, top = curve.title.removesuffix(" by cut-off"), _ends(curve.frame["value"])[1]
    ticks = tuple(map(float, _CUTOFFS))
    across = Scale("cut-off (logarithmic)", kind="log", ticks=ticks)
    return _lines(curve, across, title if top <= 1 else Scale(title, zero=True))


def _per_query(curve: Curve) -> Figure:
    """One row of bars for each system, all in the same order: the easiest topic first."""
    means = curve.frame.group_by("query_id", maintain_order=True).agg(pl.col("value").mean())
    easiest = means.sort("value", descending=_more_is_better(curve.summary), nulls_last=True, maintain_order=True)
    low, high = _ends(curve.frame["value"])
    series = ranked(curve.summary)[:MOST_SERIES]
    y = Scale(low=min(low, 0.0), high=max(high, 1.0), about=2 if high <= 1 else 3)
    height = 280 if len(series) == 1 else max(56, 360 // len(series))
    panels = []
    for place, each in enumerate(series, start=1):
        is_last = place == len(series)
        x = Scale("topic" if is_last else "", kind="category", names=tuple(easiest["query_id"]), bare=not is_last)
        rows = curve.frame.filter(pl.col("system") == each.name)
        panel = charts.bars(rows, "value", x=x, y=y, meaning=f"s{place}")
        title = f"{each.value}   {shortened(each.name, _LONGEST_NAME)}" if len(series) > 1 else ""
        panels.append(replace(panel, title=title, height=height))
    return Figure("points", tuple(panels))


def _differences(curve: Curve) -> Figure:
    better = pl.col("difference") >= 0 if _more_is_better(curve.summary) else pl.col("difference") <= 0
    low, high = _ends(curve.frame["difference"])
    axis = rounded_out((min(low, -0.05), max(high, 0.05)), about=8)
    marked = curve.frame.with_columns(meaning=pl.when(better).then(pl.lit("s1")).otherwise(pl.lit("s2")))
    panel = charts.bars(marked, "difference", y=Scale("difference", *axis, about=8), meaning="meaning")
    bars = replace(panel.marks[0], tips=charts.filled(curve.frame))
    return Figure("points", (replace(panel, marks=(bars,), height=320),))


def _intervals(curve: Curve) -> Figure:
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


def _classifier_roc(curve: Curve) -> Figure:
    points, band = curve.frame.drop_nulls(["fpr", "tpr"]), None
    if "low" in curve.frame.columns:
        band = curve.frame.filter(pl.col("curve") == "band")
        points = points.drop("low", "high")
    return charts.roc(points, ranked(curve.summary), key=_key(curve), band=band)


def _classifier_precision(curve: Curve) -> Figure:
    series = ranked(curve.summary)
    return charts.precision_by_threshold(curve.frame, series, key=_key(curve), prevalence=_prevalence(curve))


def _prevalence(curve: Curve) -> float | None:
    """The share of positive items, if it is the same for all systems."""
    shares = curve.summary["prevalence"].unique().to_list()
    return shares[0] if len(shares) == 1 else None


def _det(curve: Curve) -> Figure:
    # Both axes alike, so that the diagonal is where both rates are equal.
    ends = [0.0, *(end for name in ("fpr_deviate", "fnr_deviate") for end in _ends(curve.frame[name]))]
    low, high = min(ends) - 0.1, max(ends) + 0.1
    ticks, names = tuple(map(float, special.ndtri(_RATES))), tuple(f"{rate:g}" for rate in _RATES)
    x = Scale("false positive rate (normal deviates)", low, high, ticks=ticks, names=names)
    y = replace(x, title="false negative rate (normal deviates)")
    return _lines(curve, x, y, charts.reference((low, low), (high, high)))


def _gain(curve: Curve) -> Figure:
    share = _prevalence(curve)
    best = () if share is None else (charts.reference((0, 0), (share, 1), (1, 1)),)
    return _lines(curve, _TAKEN, "share of the positive items", charts.DIAGONAL, *best)


def _lift(curve: Curve) -> Figure:
    up = Scale("times as many positive items as at random", zero=True)
    return _lines(curve, _TAKEN, up, charts.reference((0, 1), (1, 1)))


def _scores(curve: Curve) -> Figure:
    """A panel for each system: both kinds of items over one another, each as shares of its rows, and the threshold."""
    series = ranked(curve.summary)[:MOST_SERIES]
    titles = {each.name: f"AUC {each.value}   {shortened(each.name, _LONGEST_NAME)}" for each in series}
    titles = titles if len(series) > 1 else dict.fromkeys(titles, "")
    return charts.score_distributions(curve.frame, titles, dict(curve.summary.select("system", "threshold").rows()))


def _silhouettes(curve: Curve) -> Figure:
    """A panel for each clustering, two beside one another."""
    systems = curve.summary.select("system", "value").rows()
    lowest, width = _ends(curve.frame["silhouette"])[0], 460 if len(systems) == 1 else 345
    low = 0.0 if lowest >= 0 else -1.0 if lowest < -0.5 else -0.5
    panels = []
    for name, mean in systems:
        panel = _silhouette(curve.frame.filter(pl.col("system") == name), mean, low=low, width=width)
        panels.append(replace(panel, title=name if len(systems) > 1 else ""))
    return Figure("points", tuple(panels), across=2)


def _silhouette(frame: pl.DataFrame, mean: float, *, low: float, width: int) -> Panel:
    """The silhouette of each point as a bar, cluster by cluster in the order of the frame: `cluster`, `silhouette`.

    Every cluster is at least as high as its name. What lies nearer to another cluster, and so is below 0, stands out.
    """
    sizes = frame.group_by("cluster", maintain_order=True).len()
    clusters = sizes["cluster"].to_list()
    is_named = len(clusters) <= charts.MOST_NAMED
    between, line = (6, 14) if is_named else (0, 0)
    high = (pl.col("len") / frame.height * _SILHOUETTES).clip(lower_bound=line)
    sizes = sizes.with_columns(high=high).with_columns(
        start=pl.col("high").cum_sum() - pl.col("high") + between * pl.int_range(pl.len())
    )
    bar, place = pl.col("high") / pl.col("len"), pl.int_range(pl.len()).over("cluster")
    placed = frame.join(sizes, on="cluster", maintain_order="left").select(
        *frame.columns,
        top=pl.col("start") + bar * place,
        bottom=pl.col("start") + bar * (place + 1),
        meaning=pl.when(pl.col("silhouette") < 0).then(pl.lit("loss")).otherwise(pl.lit("gain")),
    )
    bottom = float(placed["bottom"].max())  # type: ignore[arg-type]
    middles = tuple((sizes["start"] + sizes["high"] / 2).to_list())
    names = tuple(cut_apart(clusters, 24)) if is_named else ("",) * len(clusters)
    at = pl.DataFrame({"at": [mean], "words": [f"mean {number(mean)}"]})
    marks = (
        Mark("bar", placed, "silhouette", "top", y2="bottom", meaning="meaning", tips=charts.filled(frame)),
        Mark("rule", at, "at", meaning="best", label="words"),
    )
    down = Scale("", bottom, 0, ticks=middles, names=names, grid=False)
    return Panel(Scale("silhouette", low, 1), down, marks, "", width, round(bottom))


def _contingency(curve: Curve) -> Figure:
    """A map for each clustering: the shade is the share of the cluster, the number how many items there are."""
    panels = []
    for system, purity in curve.summary.select("system", "value").rows():
        rows = curve.frame.filter(pl.col("system") == system)
        clusters, classes = (tuple(rows[name].unique(maintain_order=True)) for name in ("cluster", "class"))
        width, height = (
            min(_LARGEST_MAP, max(_SMALLEST_CELL, min(_CELL, _LARGEST_MAP // len(names))) * len(names))
            for names in (clusters, classes)
        )
        cells = rows.with_columns(words=pl.col("items").map_elements(_counted, return_dtype=pl.String))
        ground = Mark("bar", cells.head(1), meaning="band")
        marks = [ground, Mark("bar", cells, "cluster", "class", shade="of_cluster", tips=charts.filled(rows))]
        if max(len(classes), len(clusters)) <= _MOST_NUMBERS:
            marks.append(Mark("text", cells, "cluster", "class", label="words", shade="of_cluster"))
        x, y = Scale("cluster", kind="category", names=clusters), Scale("class", kind="category", names=classes)
        panels.append(Panel(x, y, tuple(marks), f"{system}: purity {number(purity)}", width, height))
    return Figure("points", tuple(panels))


def _counted(items: float) -> str:
    return "" if not items else f"{items:,.0f}" if items == round(items) else number(items, 2)


def _over_k(curve: Curve) -> Figure:
    """A panel for each measure, two beside one another, its line over `k`, the number it prefers ringed and named."""
    panels = []
    ends = float(curve.frame["k"].min()), float(curve.frame["k"].max())  # type: ignore[arg-type]
    x = Scale("clusters", *ends, whole=True, about=8)
    x = x if ends[0] < ends[1] else Scale("clusters", ends[0] - 1, ends[0] + 1)
    for measure, k in curve.summary.select("system", "value").rows():
        rows = curve.frame.filter(pl.col("measure") == measure).drop_nulls("value")
        if rows.is_empty():
            continue
        marks = []
        if rows["spread"].is_not_null().any():
            # Only stability has a spread, and more than 1 there is not.
            top = (pl.col("value") + pl.col("spread").fill_null(0.0)).clip(upper_bound=1.0)
            spread = rows.with_columns(low=pl.col("value") - pl.col("spread").fill_null(0.0), high=top)
            marks.append(Mark("area", spread, "k", "low", y2="high", meaning="s1"))
        marks.append(Mark("line", rows, "k", "value", meaning="s1", tips=charts.filled(rows), dots=True))
        if k is not None:
            marks.append(Mark("point", rows.filter(pl.col("k") == k), "k", "value", meaning="best"))
        title = measure if k is None else f"{measure}: best at {k}"
        panels.append(Panel(x, Scale(about=4), tuple(marks), title, 230, 150))
    return Figure("points", tuple(panels), across=2)


def _click_ranks(curve: Curve) -> Figure:
    """The share of results clicked, rank by rank, with a band."""
    ranks = range(1, max(int(_ends(curve.frame["rank"])[1]), 2) + 1)
    return _banded(curve, Scale("rank", ranks[0], ranks[-1], ticks=tuple(map(float, ranks))), "share clicked")


def _over_time(curve: Curve) -> Figure:
    """A line over days or weeks, some of which are named, with a band."""
    period = "day" if "day" in curve.frame.columns else "week"
    named = curve.frame.select("place", period).unique().sort("place")
    every = max(1, -(-named.height // _MOST_DATES))
    # The year is in the table; below the line there is no room for it.
    ticks, names = named["place"][::every].to_list(), named[period][::every].str.slice(5).to_list()
    x = Scale(period, 0, max(named.height - 1, 1), ticks=tuple(map(float, ticks)), names=tuple(names))
    return _banded(curve, x, curve.summary["measure"][0])


def _banded(curve: Curve, x: Scale, title: str) -> Figure:
    """Lines above bands from `low` to `high`."""
    across = _FIGURES[curve.name][1][0]
    band = Mark("area", curve.frame.drop_nulls(["low", "high"]), across, "low", y2="high", series="system")
    return _lines(curve, x, Scale(title, zero=True), band)


def _ends(column: pl.Series) -> tuple[float, float]:
    numbers = column.drop_nulls().to_list()
    return min(numbers, default=0.0), max(numbers, default=0.0)


#: How a kind of curve is drawn, and the numbers that a point needs to be drawn.
_FIGURES: dict[CurveKind, tuple[Callable[[Curve], Figure], tuple[str, ...]]] = {
    "pr": (_precision_recall, ("recall", "precision")),
    "roc": (_roc, ("false_positive_rate", "true_positive_rate")),
    "cutoff": (_by_cutoff, ("cutoff", "value")),
    "queries": (_per_query, ("value",)),
    "difference": (_differences, ("difference",)),
    "intervals": (_intervals, ("value",)),
    "classifier_roc": (_classifier_roc, ("fpr", "tpr")),
    "classifier_pr": (_classifier_precision, ("recall", "precision")),
    "det": (_det, ("fpr_deviate", "fnr_deviate")),
    "calibration": (
        lambda curve: charts.calibration(curve.frame, ranked(curve.summary), key=_key(curve)),
        ("probability", "came_true"),
    ),
    "gain": (_gain, ("share", "gain")),
    "lift": (_lift, ("share", "lift")),
    "scores": (_scores, ("items",)),
    "silhouette": (_silhouettes, ("silhouette",)),
    "contingency": (_contingency, ("items",)),
    "over_k": (_over_k, ("value",)),
    "click_ranks": (_click_ranks, ("rank", "value")),
    "over_time": (_over_time, ("place", "value")),
}
