"""What the numbers rest on: coverage, bounds for unjudged documents, and what so many queries can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.digits import as_level, as_percent
from assay.core.errors import listed
from assay.report.html.markup import Html, change, element, given, heads, joined, number, table
from assay.report.html.whiskers import Reach, detection, meter, whisker
from assay.report.written import NOT_ALL_TRIED, lowest_and_highest
from assay.show.axis import around

if TYPE_CHECKING:
    from assay.reporting.contents import Bound, Coverage, PowerOf


def coverage(systems: Sequence[Coverage]) -> Html:
    """What each system returned, and how much of it was judged."""
    depths = [depth for depth, _ in systems[0].judged]
    head = heads(
        "system",
        "topics",
        "missing",
        "ignored",
        "retrieved",
        "relevant found",
        "tied",
        *(f"judged@{d}" for d in depths),
    )
    rows = []
    for one in systems:
        found = one.relevant_retrieved / one.relevant if one.relevant else math.nan
        counts = [element("td", f"{n:,}", class_="n") for n in (one.topics, one.missing, one.ignored, one.retrieved)]
        relevant = f"{one.relevant_retrieved:,} of {one.relevant:,}"
        rows.append(
            element(
                "tr",
                element("th", given(one.system), scope="row"),
                *counts,
                _filled(found, relevant),
                element("td", f"{one.tied:,}", class_="n"),
                *(_filled(share, as_percent(share)) for _, share in one.judged),
            )
        )
    return joined(
        table("What each system's numbers rest on", head, rows),
        element(
            "p",
            "Missing: judged topics that the system has no results for. Ignored: its topics without judgments. "
            "Tied: documents that were judged and share their score with another of the same query. "
            + (
                "Judged@k: the share of its first k documents that somebody judged."
                if depths
                else "The judgments were declared complete: documents without judgment are irrelevant."
            ),
            class_="dim small",
        ),
    )


def _filled(share: float, text: str) -> Html:
    return element("td", text, *([] if math.isnan(share) else [meter(share, text)]), class_="n")


def bounds(systems: Sequence[Bound]) -> Html:
    """How far each number could move with other grades for unjudged documents: a table a measure."""
    measures = dict.fromkeys(bound.measure for bound in systems)
    moved = [name for name in measures if any(one.low < one.high for one in systems if one.measure == name)]
    fixed = [name for name in measures if name not in moved]
    said = f"No unjudged document is within reach of {listed(fixed)}: other grades would change nothing."
    open_ended = not all(one.exact for one in systems)
    return joined(
        *([element("p", NOT_ALL_TRIED, class_="dim")] if open_ended else []),
        *([element("p", said, class_="dim")] if fixed else []),
        *([_tables(systems, moved)] if moved else []),
    )


def _tables(systems: Sequence[Bound], measures: Sequence[str]) -> Html:
    return element(
        "div", *(_bounds([one for one in systems if one.measure == measure]) for measure in measures), class_="pair"
    )


def _bounds(systems: Sequence[Bound]) -> Html:
    axis = around((value for one in systems for value in (one.low, one.high, one.value)), zero=False)
    head = joined(
        heads("system", "lowest", systems[0].measure, "highest"),
        element("th", "could lie", scope="col", class_="drawn"),
    )
    rows = [
        element(
            "tr",
            element("th", given(one.system), scope="row"),
            *(element("td", text, class_="n") for text in (low, number(one.value), high)),
            element(
                "td",
                whisker(axis, Reach(one.value, one.low, one.high), f"{low} to {high}", "plain"),
                class_="drawn",
            ),
        )
        for one in systems
        for low, high in [lowest_and_highest(one)]
    ]
    return table(f"{systems[0].measure} with other grades for unjudged documents", head, rows)


def power(pairs: Sequence[PowerOf]) -> Html:
    """What would have been detected, beside what was seen and what matters."""
    head = joined(
        heads("pair", "queries", "seen", "detectable", "matters", "queries needed"),
        element("th", "seen and detectable", scope="col", class_="drawn"),
    )
    axis = around((value for one in pairs for value in (abs(one.difference), one.detectable, 1.5 * one.margin)), room=0)
    rows = [
        element(
            "tr",
            element("th", given(one.system), " against ", given(one.baseline), scope="row"),
            element("td", f"{one.units:,}", class_="n"),
            element("td", change(one.difference), class_="n"),
            element("td", number(one.detectable), class_="n"),
            element("td", f"±{one.margin:g}", class_="n"),
            element("td", "NA" if one.needed is None else f"{one.needed:,}", class_="n"),
            element(
                "td",
                detection(
                    axis,
                    one.difference,
                    one.detectable,
                    one.margin,
                    f"seen {change(one.difference)}, detectable {number(one.detectable)}",
                ),
                class_="drawn",
            ),
        )
        for one in pairs
    ]
    share = as_level(pairs[0].power)
    return joined(
        table("What so many queries can show", head, rows),
        element(
            "p",
            f"Detectable: the smallest true difference that would be found {share} of the time (bar). Seen: the "
            f"difference in these data (dot, without its sign). Queries needed: to find a difference that just matters "
            f"(shaded), {share} of the time.",
            class_="dim small",
        ),
    )
