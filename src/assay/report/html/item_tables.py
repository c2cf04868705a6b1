"""Tables of the pages of classifiers and of clusterings: measures with intervals, systems compared."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import as_level
from assay.report.html.direction import noted
from assay.report.html.markup import Html, change, element, given, heads, joined, number, prose, span, table, tested
from assay.report.html.whiskers import Reach, ticks, upright, whisker
from assay.report.written_items import without_interval
from assay.show.axis import Axis, around, rounded_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.contents import Spoken
    from assay.reporting.item_contents import Estimated, ItemContents, ShownMeasure


def measures_table(contents: ItemContents) -> Html:
    """A row a measure with its interval, and what no skill scores beside it; of several systems, a column each."""
    has_dummy = any(not math.isnan(one.dummy) for row in contents.systems for one in row.estimates)
    beside = [element("th", "no skill", scope="col", class_="n")] if has_dummy else []
    axis = _shared_axis(contents)
    if len(contents.systems) == 1:
        level = f"{as_level(contents.confidence)} interval"
        drawn = element("th", *_ticks(axis), scope="col", class_="drawn", aria_label="interval, drawn")
        head = joined(heads("measure", "value"), drawn, element("th", level, scope="col", class_="n"), *beside)
    else:
        named = (element("th", given(row.system), *_ticks(axis), scope="col", class_="n") for row in contents.systems)
        head = joined(heads("measure"), *named, *beside)
    rows = [_measure_row(contents, place, axis, has_dummy) for place in range(len(contents.measures))]
    size = "systems measured" if len(contents.systems) == 1 else "systems measured several"
    return joined(
        table("Measures, with intervals", head, rows, size),
        element("p", _measures_legend(contents, has_dummy), class_="dim small"),
        *(element("p", prose(line), class_="dim small") for line in without_interval(contents)),
    )


def _is_drawn(shown: ShownMeasure) -> bool:
    """Whether a measure has a place on the axis that all share: its values are from -1 to 1, or from 0 to 1."""
    return shown.low >= -1 and shown.high <= 1


def _shared_axis(contents: ItemContents) -> Axis | None:
    """From 0, or from below it where something shown is negative, to 1; None if no measure has its place there."""
    places = [place for place, shown in enumerate(contents.measures) if _is_drawn(shown)]
    found = [row.estimates[place] for row in contents.systems for place in places]
    ends = [value for one in found for value in (one.value, one.low, one.dummy)]
    return Axis(rounded_out(min(end, 0.0) for end in ends if not math.isnan(end)).low, 1.0) if places else None


def _ticks(axis: Axis | None, about: int = 2) -> list[Html]:
    return [] if axis is None else [ticks(axis, f"axis from {axis.low:.2g} to {axis.high:.2g}", about)]


def _measure_row(contents: ItemContents, place: int, shared: Axis | None, has_dummy: bool) -> Html:
    shown, found = contents.measures[place], [row.estimates[place] for row in contents.systems]
    axis = shared if _is_drawn(shown) else None
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


def _alone(system: str, one: Estimated, axis: Axis | None) -> list[Html]:
    """A number, its interval drawn, and in numbers."""
    if math.isnan(one.value):
        return [
            element("td", "NA", class_="n"),
            element("td", one.undefined, class_="dim"),
            element("td", "–", class_="n"),
        ]
    reach = "–" if math.isnan(one.low) else f"{number(one.low)} – {number(one.high)}"
    return [
        element("td", element("b", number(one.value)), *_without(one), class_="n"),
        element("td", _whisker(system, one, axis), class_="drawn"),
        element("td", reach, class_="n dim", title=one.method),
    ]


def _whisker(system: str, one: Estimated, axis: Axis | None) -> Html:
    """A number with its interval, and a thin line where no skill lies; nothing of a measure without bounds."""
    if axis is None:
        return Html("")
    by = f" ({one.method})" if one.method else ""
    says = f"{system}, {one.measure}: {number(one.value)}"
    if not math.isnan(one.low):
        says = f"{says}, interval {span(one.low, one.high)}{by}"
    ground = [] if math.isnan(one.dummy) else [upright(axis.at(one.dummy), "dummy")]
    return whisker(axis, Reach(one.value, one.low, one.high), says, zero=axis.low < 0, ground=ground)


def _estimate(system: str, one: Estimated, axis: Axis | None) -> Html:
    if math.isnan(one.value):
        return element("td", "NA", element("span", one.undefined, class_="reach-text block"), class_="n")
    value = element("span", number(one.value), class_="value")
    drawn = _whisker(system, one, axis)
    ends = "–" if math.isnan(one.low) else f"{number(one.low, 3)} – {number(one.high, 3)}"
    reach = element("span", ends, class_="reach-text block", title=one.method or None)
    return element("td", value, drawn, reach, *_without(one), class_="n")


def _without(one: Estimated) -> list[Html]:
    """The classes that an average leaves out."""
    return [element("span", f"without {one.left_out}", class_="reach-text block")] if one.left_out else []


def _measures_legend(contents: ItemContents, dummies: bool) -> str:
    methods = dict.fromkeys(one.method for row in contents.systems for one in row.estimates if one.method)
    said = []
    if methods:
        said.append(f"Lines: {as_level(contents.confidence)} intervals ({', '.join(methods)}).")
    if not all(map(_is_drawn, contents.measures)):
        said.append("Measures that are not from 0 to 1, or from −1 to 1, are not drawn.")
    if dummies:
        said.append(f"No skill: what one scores that says {contents.dummy}; a thin line where it lies.")
    return " ".join(said)


def verdicts_table(contents: ItemContents, caption: str) -> Html:
    """Each verdict on a line, and all of them in words; nothing where there is none."""
    verdicts = contents.verdicts
    if not verdicts:
        return Html("")
    drawn = {shown.name for shown in contents.measures if _is_drawn(shown)}
    axis, with_p = _axis_of([one for one in verdicts if one.measure in drawn]), _tested(verdicts)
    head = joined(
        element("th", "measure", scope="col"),
        element("th", "pair", scope="col"),
        element("th", "verdict", scope="col"),
        element("th", "difference", scope="col", class_="n"),
        element("th", "interval", *_ticks(axis, 3), scope="col", class_="drawn"),
        *([element("th", "p", scope="col", class_="n")] if with_p else []),
    )
    rows = [_verdict_row(one, axis if one.measure in drawn else None, with_p=with_p) for one in verdicts]
    words = [element("p", prose(one.paragraph)) for one in verdicts]
    return joined(
        table(caption, head, rows, "compared"),
        element("details", element("summary", "In words"), *words, class_="words"),
    )


def _tested(verdicts: Sequence[Spoken]) -> bool:
    """Whether there was a test: clusterings have intervals only."""
    return any(not math.isnan(one.p) for one in verdicts)


def _axis_of(verdicts: Sequence[Spoken]) -> Axis | None:
    """An axis that holds zero and all the differences with their intervals, and what is too small to matter."""
    ends = [value for one in verdicts for value in (one.low, one.high, one.difference, one.margin, -one.margin)]
    return around(ends) if verdicts else None


def _verdict_row(one: Spoken, axis: Axis | None, *, with_p: bool) -> Html:
    reach = "–" if math.isnan(one.low) else f"{change(one.low)} to {change(one.high)}"
    says = f"{one.system} less {one.baseline} under {one.measure}: {change(one.difference)}"
    p = element("td", tested(one.p).removeprefix("p\u00a0").removeprefix("=\u00a0") or "–", class_="n")
    drawn = [] if axis is None else [whisker(axis, Reach(one.difference, one.low, one.high), says, one.tone, zero=True)]
    return element(
        "tr",
        element("th", one.measure, scope="row"),
        element("td", given(one.system), " against ", given(one.baseline)),
        element("td", badge(one)),
        element("td", change(one.difference), class_="n"),
        element(
            "td",
            *drawn,
            element("span", reach, class_="reach-text"),
            class_="drawn",
        ),
        *([p] if with_p else []),
    )


def badge(spoken: Spoken) -> Html:
    """A verdict in a word, with its mark."""
    mark = element("span", spoken.mark or "?", aria_hidden="true")
    return element("span", mark, f" {spoken.word}", class_=f"badge {spoken.tone}")
