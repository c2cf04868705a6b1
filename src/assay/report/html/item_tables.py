"""Tables of the pages of classifiers and of clusterings: measures with intervals, systems compared."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.report.html.axis import Axis, around
from assay.report.html.direction import noted
from assay.report.html.markup import Html, change, element, given, heads, joined, number, prose, table, tested
from assay.report.html.verdicts import badge
from assay.report.html.whiskers import Reach, upright, whisker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.contents import Spoken
    from assay.reporting.item_contents import Estimated, ItemContents, ShownMeasure


def measures_table(contents: ItemContents) -> Html:
    """A row a measure with its interval, and what no skill scores beside it; of several systems, a column each."""
    has_dummy = any(not math.isnan(one.dummy) for row in contents.systems for one in row.estimates)
    beside = [element("th", "no skill", scope="col", class_="n")] if has_dummy else []
    if len(contents.systems) == 1:
        level = f"{contents.confidence:.0%} interval"
        head = joined(heads("measure", "value"), _drawn_head(), element("th", level, scope="col", class_="n"), *beside)
    else:
        head = joined(heads("measure", *(row.system for row in contents.systems)), *beside)
    rows = [_measure_row(contents, shown, place, has_dummy) for place, shown in enumerate(contents.measures)]
    size = "systems measured" if len(contents.systems) == 1 else "systems measured several"
    return joined(
        table("Measures, with intervals", head, rows, size),
        element("p", _measures_legend(contents, has_dummy), class_="dim small"),
    )


def _drawn_head() -> Html:
    return element("th", "", scope="col", class_="drawn", aria_label="interval, drawn")


def _measure_row(contents: ItemContents, shown: ShownMeasure, place: int, has_dummy: bool) -> Html:
    found = [row.estimates[place] for row in contents.systems]
    axis = _axis(shown, found)
    says = "; ".join(filter(None, (shown.note, noted(shown.higher_is_better))))
    name = element("th", shown.name, *([element("span", says, class_="way")] if says else []), scope="row")
    if len(found) == 1:
        cells = _alone(contents.systems[0].system, found[0], axis)
    else:
        cells = [_estimate(row.system, one, axis) for row, one in zip(contents.systems, found, strict=True)]
    if has_dummy:
        known = [one.dummy for one in found if not math.isnan(one.dummy)]
        cells.append(element("td", number(known[0]) if known else "–", class_="n dim"))
    return element("tr", name, *cells)


def _alone(system: str, one: Estimated, axis: Axis) -> list[Html]:
    """A number, its interval drawn, and in numbers."""
    if math.isnan(one.value):
        return [
            element("td", "NA", class_="n"),
            element("td", one.undefined, class_="dim"),
            element("td", "–", class_="n"),
        ]
    reach = "–" if math.isnan(one.low) else f"{number(one.low)} – {number(one.high)}"
    return [
        element("td", element("b", number(one.value)), class_="n"),
        element("td", _whisker(system, one, axis), class_="drawn"),
        element("td", reach, class_="n dim", title=one.method),
    ]


def _whisker(system: str, one: Estimated, axis: Axis) -> Html:
    """A number with its interval, and a thin line where no skill lies."""
    by = f" ({one.method})" if one.method else ""
    says = f"{system}, {one.measure}: {number(one.value)}"
    if not math.isnan(one.low):
        says = f"{says}, interval {number(one.low)} to {number(one.high)}{by}"
    ground = [] if math.isnan(one.dummy) else [upright(axis.at(one.dummy), "dummy")]
    return whisker(axis, Reach(one.value, one.low, one.high), says, ground=ground)


def _axis(shown: ShownMeasure, found: Sequence[Estimated]) -> Axis:
    """From bound to bound, where a measure has bounds; else around the numbers."""
    if math.isfinite(shown.low) and math.isfinite(shown.high):
        return Axis(shown.low, shown.high)
    return around(value for one in found for value in (one.value, one.low, one.high, one.dummy))


def _estimate(system: str, one: Estimated, axis: Axis) -> Html:
    if math.isnan(one.value):
        return element("td", "NA", element("span", one.undefined, class_="reach-text block"), class_="n")
    value = element("span", number(one.value), class_="value")
    drawn = _whisker(system, one, axis)
    if math.isnan(one.low):
        return element("td", value, drawn, class_="n")
    reach = element("span", f"{number(one.low, 3)} – {number(one.high, 3)}", class_="reach-text", title=one.method)
    return element("td", value, drawn, reach, class_="n")


def _measures_legend(contents: ItemContents, dummies: bool) -> str:
    methods = dict.fromkeys(one.method for row in contents.systems for one in row.estimates if one.method)
    said = []
    if methods:
        said.append(f"Lines: {contents.confidence:.0%} intervals ({', '.join(methods)}).")
    if dummies:
        said.append(f"No skill: what one scores that says {contents.dummy}; a thin line where it lies.")
    return " ".join(said)


def verdicts_table(verdicts: Sequence[Spoken], caption: str) -> Html:
    """Each verdict on a line, and all of them in words; nothing where there is none."""
    if not verdicts:
        return Html("")
    head = joined(
        element("th", "measure", scope="col"),
        element("th", "pair", scope="col"),
        element("th", "verdict", scope="col"),
        element("th", "difference", scope="col", class_="n"),
        element("th", "interval", scope="col", class_="drawn"),
        *([element("th", "p", scope="col", class_="n")] if _tested(verdicts) else []),
    )
    rows = [_verdict_row(verdicts, one) for one in verdicts]
    words = [element("p", prose(one.paragraph)) for one in verdicts]
    return joined(
        table(caption, head, rows, "compared"),
        element("details", element("summary", "In words"), *words, class_="words"),
    )


def _tested(verdicts: Sequence[Spoken]) -> bool:
    """Whether there was a test: clusterings have intervals only."""
    return any(not math.isnan(one.p) for one in verdicts)


def _verdict_row(verdicts: Sequence[Spoken], one: Spoken) -> Html:
    axis = around(
        value
        for other in verdicts
        if other.measure == one.measure
        for value in (other.low, other.high, other.difference, other.margin, -other.margin)
    )
    says = f"{one.system} less {one.baseline} under {one.measure}: {change(one.difference)}"
    p = element("td", tested(one.p).removeprefix("p\u00a0").removeprefix("=\u00a0") or "–", class_="n")
    return element(
        "tr",
        element("th", one.measure, scope="row"),
        element("td", given(one.system), " against ", given(one.baseline)),
        element("td", badge(one)),
        element("td", change(one.difference), class_="n"),
        element(
            "td",
            whisker(axis, Reach(one.difference, one.low, one.high), says, one.tone, zero=True),
            *(
                []
                if math.isnan(one.low)
                else [element("span", f"{change(one.low)} to {change(one.high)}", class_="reach-text")]
            ),
            class_="drawn",
        ),
        *([p] if _tested(verdicts) else []),
    )
