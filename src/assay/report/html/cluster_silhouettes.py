"""Silhouettes, cluster by cluster: a row of the table each, its points as bars, the largest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.digits import counted
from assay.report.html.markup import Html, element, given, joined, number, table
from assay.report.html.whiskers import ticks, upright
from assay.show.axis import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.cluster_contents import SilhouetteCluster, Silhouettes

#: All bars together are so high, those of a cluster at least so.
_HEIGHT, _LOWEST = 420, 12


def silhouettes(parts: Sequence[Silhouettes]) -> Html:
    """A drawing for each clustering, the first one open."""
    made = []
    for place, one in enumerate(parts, start=1):
        drawn = _of_one(one)
        if len(parts) > 1:
            said = element("span", f"mean {number(one.mean)}", class_="dim")
            drawn = element(
                "details", element("summary", element("h3", given(one.system)), said), drawn, class_="panel on-paper",
                open=place == 1,
            )  # fmt: skip
        made.append(drawn)
    return joined(*made)


def _of_one(one: Silhouettes) -> Html:
    lowest = min(min(own.values) for own in one.clusters)
    axis = Axis(0.0 if lowest >= 0 else -1.0 if lowest < -0.5 else -0.5, 1.0)  # half of it, or all
    head = joined(
        element("th", "cluster", scope="col"),
        element("th", "points", scope="col", class_="n"),
        element("th", "mean", scope="col", class_="n"),
        element("th", "silhouettes", scope="col", class_="drawn"),
    )
    total = sum(len(own.values) for own in one.clusters)
    rows = [
        element(
            "tr",
            element("th", given(own.cluster), scope="row"),
            element("td", counted(own.items), class_="n"),
            element("td", number(own.mean), class_="n"),
            element("td", _bars(own, axis, one.mean, len(own.values) / total), class_="drawn"),
        )
        for own in one.clusters
    ]
    rows.append(
        element(
            "tr",
            element("td", "", colspan=3),
            element("td", ticks(axis, "silhouette"), class_="drawn"),
            class_="axis-row",
        )
    )
    note = f" {one.note}." if one.note else ""
    legend = (
        f"A bar a point, the largest first. The broken line is the mean, {number(one.mean)}. Points whose bar goes to "
        f"the left, red, lie nearer to another cluster: {one.misplaced:,} of {one.items:,}.{note}"
    )
    return joined(
        table(f"Silhouettes of {one.system}", head, rows, "silhouettes"),
        element("p", legend, class_="dim small"),
        *([_worst(one)] if one.worst else []),
    )


def _bars(own: SilhouetteCluster, axis: Axis, mean: float, share: float) -> Html:
    """The bars of one cluster as two shapes, what is above 0 and what is below."""
    height = max(_LOWEST, round(_HEIGHT * share))
    above = [value for value in own.values if value >= 0]
    below = [value for value in own.values if value < 0]
    shapes = [
        element("path", d=_stairs(values, axis, start), class_=kind)
        for values, start, kind in ((above, 0, "bars"), (below, len(above), "bars below"))
        if values
    ]
    plot = element(
        "svg", *shapes, viewBox=f"0 0 100 {len(own.values)}", preserveAspectRatio="none", width="100%", height="100%"
    )
    says = f"{own.cluster}: {number(min(own.values))} to {number(max(own.values))}, mean {number(own.mean)}"
    return element(
        "svg", element("title", says), plot, upright(axis.at(0), "zero"), upright(axis.at(mean), "mean-line"),
        class_="bars-of", role="img", width="100%", height=height,
    )  # fmt: skip


def _stairs(values: Sequence[float], axis: Axis, start: int) -> str:
    """The outline of bars, one unit high each, from 0 to their values.

    >>> _stairs([1.0, 0.5], Axis(0, 1), 0)
    'M0 0H100V1H50V2H0Z'
    """
    zero = 100 * axis.at(0)
    steps = "".join(f"H{100 * axis.at(value):.4g}V{start + place + 1}" for place, value in enumerate(values))
    return f"M{zero:.4g} {start}{steps}H{zero:.4g}Z"


def _worst(one: Silhouettes) -> Html:
    head = joined(
        *(element("th", name, scope="col") for name in ("item", "its cluster", "nearer to")),
        element("th", "silhouette", scope="col", class_="n"),
    )
    rows = [
        element(
            "tr",
            element("th", given(item.item_id), scope="row"),
            element("td", given(item.cluster)),
            element("td", given(item.nearest)),
            element("td", number(item.value), class_="n"),
        )
        for item in one.worst
    ]
    shown = f"the first {len(rows):,} of {one.misplaced:,}" if len(rows) < one.misplaced else f"{one.misplaced:,}"
    return element(
        "details",
        element("summary", f"Points that lie nearer to another cluster: {shown}"),
        table(f"Points of {one.system} that lie nearer to another cluster", head, rows, "listed"),
        class_="numbers",
    )
