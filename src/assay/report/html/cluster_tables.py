"""The tables of a page on clusterings: clusters, classes, splits and merges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import as_percent, counted
from assay.report.html.markup import Html, element, given, heads, joined, number, percent, table
from assay.report.html.whiskers import drawing, meter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.cluster_contents import ClassRow, ClusterRow, Groups, Move

#: Parts of a bar are told apart by so many colours, in turn.
_COLOURS = 8


def groups(parts: Sequence[Groups]) -> Html:
    """The tables of each clustering, those of the first one open."""
    made = []
    for place, one in enumerate(parts, start=1):
        body = _of_one(one)
        if len(parts) > 1:
            body = element(
                "details", element("summary", element("h3", given(one.system))), body, class_="panel on-paper",
                open=place == 1,
            )  # fmt: skip
        made.append(body)
    return joined(*made)


def _of_one(one: Groups) -> Html:
    parts: list[Html] = []
    if one.moves:
        parts += [element("h4", "Split and merged"), _moves(one)]
    if one.classes:
        parts += [element("h4", "Where each class went"), _classes(one)]
    parts += [element("h4", "What is in each cluster"), _clusters(one)]
    return joined(*parts, *([element("p", one.left_out, class_="dim small")] if one.left_out else []))


def _clusters(one: Groups) -> Html:
    has_classes = any(row.largest_class for row in one.clusters)
    has_points = any(not math.isnan(row.silhouette) for row in one.clusters)
    names = ["cluster", "items", "of all"]
    names += ["largest class", "its share"] if has_classes else []
    names += ["silhouette", "nearer to another"] if has_points else []
    rows = [_cluster_row(row, has_classes, has_points) for row in one.clusters]
    return table(f"Clusters of {one.system}", heads(*names), rows, "groups")


def _cluster_row(row: ClusterRow, has_classes: bool, has_points: bool) -> Html:
    cells = [element("td", counted(row.items), class_="n"), element("td", as_percent(row.share), class_="n")]
    if has_classes:
        says = f"{as_percent(row.purity)} of cluster {row.cluster} are {row.largest_class}"
        share = [] if math.isnan(row.purity) else [element("span", as_percent(row.purity)), meter(row.purity, says)]
        cells += [element("td", given(row.largest_class), class_="n"), element("td", *share, class_="n")]
    if has_points:
        misplaced = "–" if math.isnan(row.misplaced) else as_percent(row.misplaced)
        cells += [element("td", number(row.silhouette), class_="n"), element("td", misplaced, class_="n")]
    return element("tr", element("th", given(row.cluster), scope="row"), *cells)


def _classes(one: Groups) -> Html:
    head = heads("class", "items", "in clusters", "most of it in", "best match", "precision", "recall", "F1")
    return joined(
        table(f"Classes, by {one.system}", head, [_class_row(row) for row in one.classes], "groups"),
        element(
            "p",
            "Best match: the cluster that would do best as a guess at the class; precision is the share of the cluster "
            "that is of the class, recall the share of the class that is in the cluster.",
            class_="dim small",
        ),
    )


def _class_row(row: ClassRow) -> Html:
    most = element("td", given(row.largest_cluster), f" ({counted(row.held)})", class_="n")
    return element(
        "tr",
        element("th", given(row.name), scope="row"),
        element("td", counted(row.items), class_="n"),
        element("td", f"{row.clusters:,}", class_="n"),
        most,
        element("td", given(row.best_match), class_="n"),
        *(element("td", number(value), class_="n") for value in (row.precision, row.recall, row.f1)),
    )


def _moves(one: Groups) -> Html:
    head = joined(
        element("th", "", scope="col", aria_label="class or cluster"),
        element("th", "parts", scope="col", class_="drawn"),
    )
    rows = [_move_row(move) for move in one.moves]
    legend = (
        "Classes of which several clusters hold a tenth or more each, and clusters that hold so much of several "
        "classes. The rest of a bar are smaller parts."
    )
    return joined(
        table(f"Splits and merges of {one.system}", head, rows, "moves"), element("p", legend, class_="dim small")
    )


def _move_row(move: Move) -> Html:
    what = ("class", "is split over") if move.kind == "split" else ("cluster", "merges")
    bars, start = [], 0.0
    for place, part in enumerate(move.parts):
        bars.append(
            element("rect", x=percent(start), width=percent(part.share), height="100%",
                    class_=f"part s{place % _COLOURS + 1}")
        )  # fmt: skip
        start += part.share
    says = ", ".join(f"{part.name}: {as_percent(part.share)}" for part in move.parts)
    words = element(
        "span",
        *(
            element(
                "span", given(part.name), f": {as_percent(part.share)}", class_=f"part-name s{place % _COLOURS + 1}"
            )
            for place, part in enumerate(move.parts)
        ),
        class_="part-names",
    )
    return element(
        "tr",
        element("th", element("span", f"{what[0]} ", class_="dim"), given(move.group),
                element("span", what[1], class_="way"), scope="row"),
        element("td", drawing(says, *bars, class_="parts"), words, class_="drawn"),
    )  # fmt: skip
