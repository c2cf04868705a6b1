"""The tables of a page on classifiers alone: items that flipped, classes, confused pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import as_level, as_percent, counted
from assay.core.errors import number_of
from assay.report.html.item_tables import verdicts_table
from assay.report.html.markup import Html, element, given, heads, joined, number, percent, span, table
from assay.report.html.whiskers import Reach, drawing, whisker
from assay.show.axis import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.classifier_contents import Classes, ClassifierContents, ClassRow, ConfusedPairs, Flips, Share


def compared(contents: ClassifierContents) -> Html:
    """Each verdict on a line, and what became of single items."""
    flips = (_flips(one, place) for place, one in enumerate(contents.flips, start=1))
    return joined(verdicts_table(contents, "Classifiers compared"), *flips)


def _flips(one: Flips, place: int) -> Html:
    """How many items were set right and broken, and some of them."""
    said = element(
        "p",
        given(one.system),
        " in place of ",
        given(one.baseline),
        ": ",
        element("b", f"{one.fixed:,} fixed", class_="mark-good"),
        ", ",
        element("b", f"{one.broke:,} broken", class_="mark-bad"),
        ".",
        class_="flips",
        id=f"flips-{place}",
    )
    lists = []
    for title, every, items in (("Fixed", one.fixed, one.fixed_items), ("Broken", one.broke, one.broken_items)):
        if not items:
            continue
        head = joined(
            *(element("th", name, scope="col") for name in ("item", "truth")),
            element("th", given(one.baseline), scope="col"),
            element("th", given(one.system), scope="col"),
        )
        rows = [
            element(
                "tr",
                element("th", given(item.item_id), scope="row"),
                *(element("td", given(text)) for text in (item.truth, item.before, item.after)),
            )
            for item in items
        ]
        shown = f"the first {len(items):,} of {every:,}" if len(items) < every else number_of("item", every)
        lists.append(
            element(
                "details",
                element("summary", f"{title}: {shown}"),
                table(f"{title} by {one.system}", head, rows, "listed"),
                class_="numbers",
            )
        )
    return joined(said, *lists)


def classes(contents: ClassifierContents) -> Html:
    """How well each class is told from the others, a table a system."""
    several = len(contents.classes) > 1
    parts = []
    for place, one in enumerate(contents.classes, start=1):
        body = _classes_of(one, contents.confidence)
        if several:
            body = element(
                "details", element("summary", element("h3", given(one.system))), body, class_="panel on-paper",
                open=place == 1,
            )  # fmt: skip
        parts.append(body)
    return joined(*parts)


def _classes_of(one: Classes, confidence: float) -> Html:
    head = heads("class", "support", "predicted", "precision", "recall", "F1")
    rows = [_class_row(one.system, row) for row in one.rows]
    said = (
        f"Support: items that truly are of the class. Lines: {as_level(confidence)} intervals, all on an axis from 0 "
        f"to 1. {one.left_out}"
    )
    return joined(
        table(f"Classes, by {one.system}", head, rows, "systems classes"),
        element("p", said.strip(), class_="dim small"),
    )


def _class_row(system: str, row: ClassRow) -> Html:
    return element(
        "tr",
        element("th", given(row.label), scope="row"),
        element("td", counted(row.support), class_="n"),
        element("td", counted(row.predicted), class_="n"),
        *(
            _share(f"{system}, {name} of {row.label}", share)
            for name, share in (("precision", row.precision), ("recall", row.recall), ("F1", row.f1))
        ),
    )


def _share(says: str, share: Share) -> Html:
    if math.isnan(share.value):
        return element("td", "NA", class_="n")
    value = element("span", number(share.value), class_="value")
    if math.isnan(share.low):
        return element("td", value, class_="n")
    told = f"{says}: {number(share.value)}, interval {span(share.low, share.high)}"
    reach = element("span", f"{number(share.low, 3)} – {number(share.high, 3)}", class_="reach-text")
    return element("td", value, whisker(Axis(0, 1), Reach(share.value, share.low, share.high), told), reach, class_="n")


def confused_pairs(parts: Sequence[ConfusedPairs]) -> Html:
    """Which labels are taken for which others, most often first."""
    several = len(parts) > 1
    tables = []
    for one in parts:
        most = max((pair.number for pair in one.pairs), default=1.0)
        head = joined(
            heads("truth"),
            element("th", "taken for", scope="col"),
            element("th", "items", scope="col", class_="n"),
            element("th", "of the label", scope="col", class_="n"),
            element("th", "items", scope="col", class_="drawn", aria_hidden="true"),
        )
        rows = [
            element(
                "tr",
                element("th", given(pair.truth), scope="row"),
                element("td", given(pair.prediction)),
                element("td", counted(pair.number), class_="n"),
                element("td", as_percent(pair.of_truth), class_="n"),
                element("td", _bar(pair.number / most), class_="drawn"),
            )
            for pair in one.pairs
        ]
        title = [element("h3", given(one.system))] if several else []
        tables += [*title, table(f"Labels that {one.system} confuses", head, rows, "pairs")]
    return joined(*tables)


def _bar(share: float) -> Html:
    return drawing(
        f"{as_percent(share, 0)} of the largest",
        element("rect", width=percent(share), height="100%", rx=3, class_="error"),
        class_="pair-bar",
    )  # fmt: skip
