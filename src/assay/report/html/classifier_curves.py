"""Drawings of scores: ROC and precision-recall curves with a point on them, and how scores are distributed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.report.html.grid import grid
from assay.report.html.markup import Html, element, given, number, percent, span
from assay.show.axis import Axis, label
from assay.show.theme import LINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.classifier_contents import AtThreshold, Histogram, SystemThresholds
    from assay.reporting.item_contents import Estimated


def area(name: str, estimate: Estimated) -> str:
    """An area under a curve with its interval."""
    if math.isnan(estimate.value):
        return f"{name}: {estimate.undefined or 'not known'}"
    if math.isnan(estimate.low):
        return f"{name} {number(estimate.value)}"
    return f"{name} {number(estimate.value)} ({span(estimate.low, estimate.high)})"


def figure(title: str, says: str, upright: str, level: str, chart: Html) -> Html:
    """A chart with its title and the names of its axes."""
    return element(
        "div",
        element("h4", title),
        element("p", says, class_="dim small"),
        element("p", upright, class_="axis-name"),
        element("div", chart, class_="plot"),
        element("p", level, class_="axis-name right"),
    )


def _chart(says: str, lines: Sequence[Html], point: tuple[float, float] | None, name: str) -> Html:
    """A square chart of shares, with a point on it that moves."""
    axis = Axis(0, 1)
    levels = [element("text", label(at), x=percent(at), y="100%", dy="18", class_="middle") for at in axis.ticks(4)]
    inner = element("svg", *lines, viewBox="0 0 100 100", preserveAspectRatio="none", width="100%", height="100%")
    x, y = (0.0, 0.0) if point is None else point
    at = element(
        "circle", cx=percent(x), cy=percent(1 - y), r=7, class_="at", data_point=name, display=None if point else "none"
    )
    return element(
        "svg", element("title", says), *grid(axis, 4), *levels, inner, at, class_="curves square", role="img"
    )


def _styled(place: int, own: int) -> str:
    style = f"s{place + 1}" if place < LINES else "rest"
    return f"line {style}" if place == own else f"line {style} behind"


def roc(parts: Sequence[SystemThresholds], own: int) -> Html:
    """The ROC curve of one system, those of the others behind it."""
    lines = [element("line", x1=0, y1=100, x2=100, y2=0, class_="chance")]
    for place, part in _own_last(parts, own):
        points = [(share_of(row.fp, row.tn), share_of(row.tp, row.fn)) for row in part.rows]
        known = [(x, y) for x, y in points if not math.isnan(x + y)]
        text = " ".join(f"{100 * x:.2f},{100 - 100 * y:.2f}" for x, y in known)
        lines.append(element("polyline", element("title", part.system), points=text, class_=_styled(place, own)))
    at = parts[own].rows[parts[own].start]
    point = (share_of(at.fp, at.tn), share_of(at.tp, at.fn))
    says = f"ROC curve of {parts[own].system}: {area('AUC', parts[own].auc)}"
    return _chart(says, lines, None if math.isnan(sum(point)) else point, "roc")


def precision_recall(parts: Sequence[SystemThresholds], own: int) -> Html:
    """Precision against recall, step by step, likewise."""
    lines = []
    first = parts[own].rows[0]
    prevalence = share_of(first.fn, first.tn)
    if not math.isnan(prevalence):
        y = 100 - 100 * prevalence
        lines.append(element("line", x1=0, y1=y, x2=100, y2=y, class_="chance"))
    for place, part in _own_last(parts, own):
        # A step: each threshold's precision holds from the recall of the one above it to its own.
        path: list[str] = []
        before = 0.0
        for row in part.rows:
            recall, precision = share_of(row.tp, row.fn), share_of(row.tp, row.fp)
            if math.isnan(recall + precision):
                continue
            path.append(f"{'L' if path else 'M'}{100 * before:.2f} {100 - 100 * precision:.2f}H{100 * recall:.2f}")
            before = recall
        lines.append(element("path", element("title", part.system), d="".join(path), class_=_styled(place, own)))
    at = parts[own].rows[parts[own].start]
    point = (share_of(at.tp, at.fn), share_of(at.tp, at.fp))
    says = f"Precision and recall of {parts[own].system}"
    return _chart(says, lines, None if math.isnan(sum(point)) else point, "pr")


def _own_last(parts: Sequence[SystemThresholds], own: int) -> list[tuple[int, SystemThresholds]]:
    """What is drawn last lies above the others."""
    return sorted(enumerate(parts), key=lambda one: one[0] == own)


def share_of(part: float, rest: float) -> float:
    """A part of a whole; NaN if there is no whole.

    >>> share_of(1, 3)
    0.25
    """
    return part / (part + rest) if part + rest else math.nan


def distributions(part: SystemThresholds, at: AtThreshold) -> Html:
    """Positive items above the line, negative ones below it, each as shares of their class."""
    drawn = part.histogram
    axis = Axis(drawn.edges[0], drawn.edges[-1])
    place = axis.at(min(at.threshold, drawn.edges[-1]))
    ticks = [
        element("text", label(tick), x=percent(axis.at(tick)), y="100%", dy="18", class_="middle")
        for tick in axis.ticks(5)
    ]
    chart = element(
        "svg",
        element("title", f"Scores of {part.positive} (up) and {part.negative} (down), by {part.system}"),
        element(
            "rect", x=percent(place), y="0", width=percent(1 - place), height="100%", class_="band", data_band="scores"
        ),
        element(
            "svg",
            element("path", d=_bars(drawn, up=True), class_="scores-positive"),
            element("path", d=_bars(drawn, up=False), class_="scores-negative"),
            viewBox="0 0 100 100",
            preserveAspectRatio="none",
            width="100%",
            height="100%",
        ),
        element("line", x1="0", x2="100%", y1="50%", y2="50%", class_="zero"),
        element("line", x1=percent(place), x2=percent(place), y1="0", y2="100%", class_="cut", data_line="scores"),
        *ticks,
        class_="scores",
        role="img",
    )
    key = element(
        "ul",
        element("li", element("span", class_="swatch is-positive"), element("span", "up: ", given(part.positive))),
        element("li", element("span", class_="swatch is-negative"), element("span", "down: ", given(part.negative))),
        element("li", element("span", class_="swatch is-band"), element("span", "predicted ", given(part.positive))),
        class_="key flat",
    )
    return element(
        "div",
        element("h4", "Scores"),
        key,
        element("div", chart, class_="plot flush"),
        element("p", "score", class_="axis-name right"),
        class_="at-scores",
    )


def _bars(drawn: Histogram, *, up: bool) -> str:
    """The shape of one class, its bins, all of one width, as shares of it; both classes are drawn to the same scale."""
    own, other = (drawn.positive, drawn.negative) if up else (drawn.negative, drawn.positive)
    shares = [[count / (sum(counts) or 1.0) for count in counts] for counts in (own, other)]
    highest = max(map(max, shares)) or 1.0
    wide = 100 / len(shares[0])
    parts = []
    for place, share in enumerate(shares[0]):
        height = 48 * share / highest * (-1 if up else 1)
        if height:
            parts.append(f"M{place * wide:.2f} 50v{height:.2f}h{wide:.2f}V50z")
    return "".join(parts)


def key_of(parts: Sequence[SystemThresholds]) -> Html:
    """Which line is whose."""
    return element(
        "ul",
        *(
            element(
                "li",
                element(
                    "svg",
                    element("line", x1="0", x2="100%", y1="50%", y2="50%", class_=_styled(place, place)),
                    class_="sample",
                    aria_hidden="true",
                ),
                given(part.system),
            )
            for place, part in enumerate(parts)
        ),
        class_="key",
    )
