"""Charts of classifiers' scores: ROC, precision-recall, DET, calibration, gain, lift, and the scores by class."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl
from scipy import special

from assay.report.chart_parts import DIM, INK, PALETTE, REST, altair, data, tooltip
from assay.report.charts import legend, lines, looks, square

if TYPE_CHECKING:
    from assay.report.charts import Drawable

#: Points of a system that are drawn as they are; of more, those that can be told apart.
_MOST_POINTS = 2000
#: As many steps of an axis as can be told apart: the square has fewer dots.
_STEPS = 500
_RATES = (0.0001, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 0.9999)
_WIDTH, _HEIGHT = 480, 190
_KINDS_OF_ITEMS = (PALETTE[1], PALETTE[0])

_THINNED = {
    "classifier_roc": ("fpr", "tpr"),
    "classifier_pr": ("recall", "precision"),
    "det": ("fpr_deviate", "fnr_deviate"),
    "gain": ("share", "gain"),
    "lift": ("share", "lift"),
}


def left_out(curve: Drawable) -> list[str]:
    """What is said where points are too many to be drawn, and so thinned out."""
    if curve.kind not in _THINNED:
        return []
    drawn, points = _points(curve).height, _defined(curve).height
    if drawn == points:
        return []
    return [f"{drawn:,} of {points:,} points are drawn: all that are {1 / _STEPS:g} of an axis apart"]


def _defined(curve: Drawable) -> pl.DataFrame:
    """The points that have both numbers, without the band."""
    return curve.frame.drop_nulls(list(_THINNED[curve.kind]))


def _points(curve: Drawable) -> pl.DataFrame:
    """The points to draw: of many, the ends and those where the line enters or leaves a cell of a fine grid."""
    across, up = _THINNED[curve.kind]
    frame = _defined(curve)
    if frame.group_by("system").len()["len"].max() <= _MOST_POINTS:  # type: ignore[operator]  # there is a system
        return frame
    places = pl.struct(_cell(name) for name in (across, up))
    enters = (places != places.shift(1)).over("system").fill_null(True)
    leaves = (places != places.shift(-1)).over("system").fill_null(True)
    return frame.filter(enters | leaves)


def _cell(name: str) -> pl.Expr:
    """The step of an axis that a point is in."""
    low, high = pl.col(name).min(), pl.col(name).max()
    return ((pl.col(name) - low) / (high - low) * _STEPS).floor()


def _line(points: list[tuple[float, float]]) -> Any:
    """A thin broken line to compare with."""
    alt = altair()
    rows = [{"x": x, "y": y, "number": number} for number, (x, y) in enumerate(points)]
    drawn = alt.Chart(alt.Data(values=rows)).mark_line(color=REST, strokeWidth=1, strokeDash=[3, 3])
    return drawn.encode(x="x:Q", y="y:Q", order="number:Q")


def _roc(curve: Drawable) -> list[Any]:
    axes = (("fpr", "false positive rate", 1), ("tpr", "true positive rate", 1))
    layers = [_line([(0, 0), (1, 1)]), *_bands(curve), *lines(curve, _points(curve), axes)]
    return [square(layers), *legend(curve)]


def _bands(curve: Drawable) -> list[Any]:
    alt = altair()
    if "curve" not in curve.frame.columns:
        return []
    chosen, _ = looks(curve.summary)
    bands = curve.frame.filter(pl.col("curve") == "band").select("system", "fpr", "low", "high")
    return [
        alt.Chart(data(bands.filter(pl.col("system") == each.system)))
        .mark_area(color=each.colour, opacity=0.15)
        .encode(x="fpr:Q", y="low:Q", y2="high:Q")
        for each in chosen
    ]


def _precision_recall(curve: Drawable) -> list[Any]:
    axes = (("recall", "recall", 1), ("precision", "precision", 1))
    points = _points(curve)
    # The first precision holds from recall 0 on, as in the sum of average precision.
    starts = points.group_by("system", maintain_order=True).first().with_columns(recall=0.0).select(points.columns)
    stairs = pl.concat(
        [part for own in starts["system"] for part in (starts.filter(system=own), points.filter(system=own))]
    )
    shares = curve.summary["prevalence"].unique().to_list()
    guess = [_line([(0, shares[0]), (1, shares[0])])] if len(shares) == 1 else []
    return [square([*guess, *lines(curve, stairs, axes, line={"interpolate": "step-before"})]), *legend(curve)]


def _det(curve: Drawable) -> list[Any]:
    alt = altair()
    points = _points(curve)
    # Both axes alike, so that the diagonal is where both rates are equal.
    reached = [0.0, *(float(value) for name in ("fpr_deviate", "fnr_deviate") for value in points[name].to_numpy())]
    domain = [min(reached) - 0.1, max(reached) + 0.1]
    ticks = [float(special.ndtri(rate)) for rate in _RATES]
    labels = " : ".join(
        f"abs(datum.value - {tick}) < 1e-6 ? '{rate:g}'" for tick, rate in zip(ticks, _RATES, strict=True)
    )
    axis = alt.Axis(values=[tick for tick in ticks if domain[0] <= tick <= domain[1]], labelExpr=f"{labels} : ''")
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    across = alt.X("fpr_deviate:Q", title="false positive rate (normal deviates)", scale=scale, axis=axis)
    up = alt.Y("fnr_deviate:Q", title="false negative rate (normal deviates)", scale=scale, axis=axis)
    axes = (("fpr_deviate", "", 1), ("fnr_deviate", "", 1))
    equal = _line([(domain[0], domain[0]), (domain[1], domain[1])])
    return [square([equal, *lines(curve, points, axes, scales=(across, up))]), *legend(curve)]


def _calibration(curve: Drawable) -> list[Any]:
    alt = altair()
    axes = (("probability", "mean probability in the bin", 1), ("came_true", "share that is positive", 1))
    chosen, _ = looks(curve.summary)
    whiskers = [
        alt.Chart(data(curve.frame.filter(pl.col("system") == each.system)))
        .mark_rule(color=each.colour, opacity=0.45, strokeWidth=2)
        .encode(x="probability:Q", y="low:Q", y2="high:Q")
        for each in reversed(chosen)
    ]
    drawn = lines(curve, curve.frame, axes, marks=curve.frame)
    return [square([_line([(0, 0), (1, 1)]), *whiskers, *drawn]), *legend(curve)]


def _gain(curve: Drawable) -> list[Any]:
    axes = (("share", "share of the items taken, highest scores first", 1), ("gain", "share of the positive items", 1))
    shares = curve.summary["prevalence"].unique().to_list()
    best = [_line([(0, 0), (shares[0], 1), (1, 1)])] if len(shares) == 1 else []
    return [square([_line([(0, 0), (1, 1)]), *best, *lines(curve, _points(curve), axes)]), *legend(curve)]


def _lift(curve: Drawable) -> list[Any]:
    alt = altair()
    axes = (("share", "", 1), ("lift", "", None))
    title = "share of the items taken, highest scores first"
    across = alt.X("share:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(labelFlush=False))
    up = alt.Y("lift:Q", title="times as many positive items as at random", scale=alt.Scale(zero=True))
    return [square([_line([(0, 1), (1, 1)]), *lines(curve, _points(curve), axes, scales=(across, up))]), *legend(curve)]


def _scores(curve: Drawable) -> list[Any]:
    """A panel a system: both kinds of items over one another, each as shares of its own, and the threshold."""
    alt = altair()
    chosen, _ = looks(curve.summary)
    cuts = dict(curve.summary.select("system", "threshold").rows())
    low, high = curve.frame.select(pl.col("low").min(), pl.col("high").max()).row(0)
    across = alt.Scale(domain=[low, high], nice=False)
    panels = []
    for each in chosen:
        own = curve.frame.filter(pl.col("system") == each.system)
        layers = []
        for label, colour in zip(own["label"].unique(maintain_order=True), _KINDS_OF_ITEMS, strict=True):
            bars = alt.Chart(data(own.filter(pl.col("label") == label))).mark_bar(
                color=colour, opacity=0.55, binSpacing=0
            )
            x = alt.X("low:Q", title="score", scale=across, bin="binned", axis=alt.Axis(labelFlush=False))
            y = alt.Y("share:Q", title="share of the kind", axis=alt.Axis(format=".0%", tickCount=4))
            layers.append(bars.encode(x=x, x2="high:Q", y=y, tooltip=tooltip(own)))
        if (cut := cuts[each.system]) is not None and low <= cut <= high:
            at = alt.Chart(alt.Data(values=[{"at": cut, "says": f"{cut:.6g}"}]))
            layers.append(at.mark_rule(color=INK, strokeWidth=1.5).encode(x="at:Q"))
            words = at.mark_text(align="left", dx=4, y=6, color=INK, fontSize=12)
            layers.append(words.encode(x="at:Q", text="says:N"))
        panel = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
        if len(chosen) > 1:
            words = f"AUC {each.number}   {each.name}"
            panel = panel.properties(title=alt.TitleParams(words, fontSize=12, fontWeight="normal", offset=4))
        panels.append(panel)
    return [alt.vconcat(*panels, spacing=14), _labels(curve.frame["label"].unique(maintain_order=True).to_list())]


def _labels(labels: list[str]) -> Any:
    """Which colour is which kind of item."""
    alt = altair()
    down = alt.Y("place:O", axis=None, scale=alt.Scale(domain=list(range(len(labels)))))
    layers = []
    for place, (label, colour) in enumerate(zip(labels, _KINDS_OF_ITEMS, strict=False)):
        at = alt.Chart(alt.Data(values=[{"place": place, "says": label}])).encode(y=down)
        layers.append(at.mark_square(color=colour, opacity=0.55, size=140).encode(x=alt.value(6)))
        layers.append(
            at.mark_text(align="left", color=INK, fontSize=12).encode(x=alt.value(20), text=alt.Text("says:N"))
        )
    title = alt.TitleParams("items", fontSize=12, fontWeight="normal", color=DIM, offset=6)
    return alt.layer(*layers).properties(width=30, height=20 * len(labels), title=title)


#: How each kind is drawn.
DRAWN: dict[str, Callable[[Drawable], list[Any]]] = {
    "classifier_roc": _roc,
    "classifier_pr": _precision_recall,
    "det": _det,
    "calibration": _calibration,
    "gain": _gain,
    "lift": _lift,
    "scores": _scores,
}
