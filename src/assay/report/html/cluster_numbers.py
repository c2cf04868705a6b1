"""Measures over the number of clusters: a small chart each, the number it prefers marked, and the verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.report.html.grid import grid
from assay.report.html.markup import Html, element, heads, joined, number, percent, prose, table
from assay.show.axis import Axis, around

if TYPE_CHECKING:
    from assay.reporting.cluster_contents import NumberOf, OverK


def over_k(one: NumberOf) -> Html:
    """The verdict in words, the charts, and all in numbers."""
    remarks = [element("li", prose(_sentence(text))) for text in one.remarks]
    return joined(
        element("p", element("b", prose(_sentence(one.says))), class_="claim-small"),
        *([element("ul", *remarks, class_="said-list")] if remarks else []),
        element("div", *map(_chart, one.measures), class_="over-k"),
        element("p", " ".join(one.basis), class_="dim small"),
        element("details", element("summary", "In numbers"), _numbers(one), class_="numbers"),
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _chart(own: OverK) -> Html:
    known = [
        (k, value, 0.0 if math.isnan(spread) else spread)
        for k, value, spread in zip(own.ks, own.values, own.spread, strict=True)
        if not math.isnan(value)
    ]
    best = "" if own.preferred is None else f": best at {own.preferred}"
    title = element("h4", own.measure, element("span", best, class_="dim"))
    if not known:
        return element("div", title, element("p", "undefined", class_="dim"))
    # Only stability has a spread, and more than 1 there is not.
    tops = [min(value + spread, 1.0) if spread else value for _, value, spread in known]
    axis = around([*tops, *(value - spread for _, value, spread in known)], zero=False)
    across = Axis(own.ks[0], own.ks[-1]) if len(own.ks) > 1 else Axis(own.ks[0] - 1, own.ks[0] + 1)
    points = " ".join(f"{100 * across.at(k):.2f},{100 * axis.from_top(value):.2f}" for k, value, _ in known)
    there = [
        f"{100 * across.at(k):.2f},{100 * axis.from_top(top):.2f}" for (k, *_), top in zip(known, tops, strict=True)
    ]
    back = [f"{100 * across.at(k):.2f},{100 * axis.from_top(value - spread):.2f}" for k, value, spread in known]
    band = [element("polygon", points=" ".join([*there, *reversed(back)]), class_="spread-band")]
    plot = element(
        "svg",
        *(band if any(spread for *_, spread in known) else []),
        element("polyline", points=points, class_="line s1"),
        viewBox="0 0 100 100", preserveAspectRatio="none", width="100%", height="100%",
    )  # fmt: skip
    marks = [
        element("circle", cx=percent(across.at(k)), cy=percent(axis.from_top(value)), r=5.0 if is_best else 3.0,
                class_="at-best" if is_best else "at-k")
        for k, value, _ in known
        for is_best in [k == own.preferred]
    ]  # fmt: skip
    every = max(1, math.ceil(len(own.ks) / 10))
    below = [
        element("text", str(k), x=percent(across.at(k)), y="100%", dy="18", class_="middle") for k in own.ks[::every]
    ]
    says = f"{own.measure} over the number of clusters{best}: " + ", ".join(f"{k}: {number(v)}" for k, v, _ in known)
    chart = element(
        "svg", element("title", says), *grid(axis, 3), *below, plot, *marks, class_="curves small", role="img"
    )
    return element(
        "div", title, element("div", chart, class_="plot"), element("p", "clusters", class_="axis-name right")
    )


def _numbers(one: NumberOf) -> Html:
    first = one.measures[0]
    rows = [
        element(
            "tr",
            element("th", str(k), scope="row"),
            *(
                element("td", _value(own, place), class_="n")
                for own in one.measures
            ),
        )
        for place, k in enumerate(first.ks)
    ]  # fmt: skip
    return table("Measures over the number of clusters", heads("k", *(own.measure for own in one.measures)), rows)


def _value(own: OverK, place: int) -> Html:
    spread = own.spread[place]
    text = number(own.values[place]) + ("" if math.isnan(spread) else f" ± {number(spread)}")
    return element("b", text) if own.preferred == own.ks[place] else joined(text)
