"""Figures of classifiers' curves."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from scipy import special

from assay.core.words import short_name
from assay.show import charts
from assay.show.figure import MOST_SERIES, Figure, Scale
from assay.verbs.curves import Curve
from assay.verbs.sections.curves import LONGEST_NAME, drawn_from, ends_of, key_of, lines, ranked

_RATES = (0.0001, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 0.9999)
_TAKEN = ("share", "share of the items taken, highest scores first")


@drawn_from("fpr", "tpr", thinned=True)
def roc(curve: Curve) -> Figure:
    """The rates of true and of false positives; with a band, if there is one."""
    points = curve.frame.drop_nulls(["fpr", "tpr"])
    band = None
    if "low" in curve.frame.columns:
        band = curve.frame.filter(pl.col("curve") == "band")
        points = points.drop("low", "high")
    return charts.roc(points, ranked(curve.summary), key=key_of(curve), band=band)


@drawn_from("recall", "precision", thinned=True)
def precision_recall(curve: Curve) -> Figure:
    """Precision over recall, threshold by threshold."""
    series = ranked(curve.summary)
    return charts.precision_by_threshold(curve.frame, series, key=key_of(curve), prevalence=_prevalence(curve))


def _prevalence(curve: Curve) -> float | None:
    """The share of positive items, if it is the same for all systems."""
    shares = curve.summary["prevalence"].unique().to_list()
    return shares[0] if len(shares) == 1 else None


@drawn_from("fpr_deviate", "fnr_deviate", thinned=True)
def det(curve: Curve) -> Figure:
    """Both rates of errors, on scales of normal deviates."""
    # Both axes alike, so that the diagonal is where both rates are equal.
    ends = [0.0, *(end for name in ("fpr_deviate", "fnr_deviate") for end in ends_of(curve.frame[name]))]
    low, high = min(ends) - 0.1, max(ends) + 0.1
    ticks = tuple(map(float, special.ndtri(_RATES)))
    names = tuple(f"{rate:g}" for rate in _RATES)
    x = Scale("false positive rate (normal deviates)", low, high, ticks=ticks, names=names)
    y = replace(x, title="false negative rate (normal deviates)")
    return lines(curve, ("fpr_deviate", x), ("fnr_deviate", y), charts.reference((low, low), (high, high)))


@drawn_from("probability", "came_true")
def calibration(curve: Curve) -> Figure:
    """Frequencies of the outcomes that have a probability."""
    return charts.calibration(curve.frame, ranked(curve.summary), key=key_of(curve))


@drawn_from("share", "gain", thinned=True)
def gain(curve: Curve) -> Figure:
    """The share of the positive items among those taken; the best possible one is known if prevalence is."""
    share = _prevalence(curve)
    best = () if share is None else (charts.reference((0, 0), (share, 1), (1, 1)),)
    return lines(curve, _TAKEN, ("gain", "share of the positive items"), charts.DIAGONAL, *best)


@drawn_from("share", "lift", thinned=True)
def lift(curve: Curve) -> Figure:
    """Positive items taken, against as many drawn at random."""
    up = Scale("times as many positive items as at random", zero=True)
    return lines(curve, _TAKEN, ("lift", up), charts.reference((0, 1), (1, 1)))


@drawn_from("items")
def scores(curve: Curve) -> Figure:
    """A panel for each system: both kinds of items over one another, each as shares of its rows, and the threshold."""
    series = ranked(curve.summary)[:MOST_SERIES]
    titles = {each.name: f"AUC {each.value}   {short_name(each.name, LONGEST_NAME)}" for each in series}
    titles = titles if len(series) > 1 else dict.fromkeys(titles, "")
    return charts.score_distributions(curve.frame, titles, dict(curve.summary.select("system", "threshold").rows()))
