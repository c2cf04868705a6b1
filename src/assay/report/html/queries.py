"""Query by query: the differences as bars with the numbers below, and the most changed rankings side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from assay.core.digits import short
from assay.core.errors import number_of
from assay.report.html.bars import Bar, bars, linked, sparkline
from assay.report.html.direction import counts, kind, meant, noted
from assay.report.html.markup import Html, change, element, given, heads, joined, number, table
from assay.report.html.waterfall import waterfall

if TYPE_CHECKING:
    from assay.reporting.contents import ChangedQuery, Contents, Differences, Queries, QueryDifference, Ranked, Side

_FIRST = {True: "largest gain first", False: "best first", None: "largest rise first"}
_LINE, _SHORT = 36, 12  # letters in a line on paper, and lines of a query that is kept on one sheet
_MARKS = {"gained": "+", "lost": "×", "up": "▲", "down": "▼", "same": "="}


def differences(contents: Contents) -> Html:
    """A chart for each system; the first one is open."""
    cards = {
        (one.measure, one.baseline.system, one.system.system, one.query_id): f"q{place}"
        for place, one in enumerate(contents.changed, start=1)
    }
    return joined(
        *(
            _chart(one, contents.higher_is_better(one.measure), place, cards)
            for place, one in enumerate(contents.differences, start=1)
        )
    )


def _chart(one: Differences, way: bool | None, place: int, cards: Mapping[tuple[str, str, str, str], str]) -> Html:
    shown = [Bar(query.query_id, query.difference, kind(query.difference, way), _says(query)) for query in one.queries]

    def card(query_id: str) -> str | None:
        return cards.get((one.measure, one.baseline, one.system, query_id))

    def link(at: int) -> str:
        return f"#{card(one.queries[at].query_id) or f'd{place}-{at + 1}'}"

    higher = sum(query.difference > 0 for query in one.queries)
    lower = sum(query.difference < 0 for query in one.queries)
    same = len(one.queries) - higher - lower
    summary = element(
        "summary",
        element("h3", given(one.system), " against ", given(one.baseline)),
        sparkline(shown),
        element("span", counts(higher, same, lower, way), class_="dim small counts"),
        class_="chart-line",
    )
    return element(
        "details",
        summary,
        element(
            "p", f"{_difference_in(one.measure, way)}, {_FIRST[way]}. Each bar leads to its query.", class_="dim small"
        ),
        *(
            [element("a", "Skip the bars", href=f"#d{place}-after", class_="skip inline")]
            if len(one.queries) > 12
            else []
        ),
        bars(shown, f"{one.measure} of {one.system} less that of {one.baseline}, a bar for each query", link),
        _listed(one, place, card),
        class_="panel on-paper" if place == 1 else "panel",
        open=place == 1,
        id=f"d{place}",
    )


def _difference_in(measure: str, higher_is_better: bool | None) -> str:
    note = noted(higher_is_better)
    return f"Difference in {measure}" + (f" ({note})" if note else "")


def _says(query: QueryDifference) -> str:
    said = f"Query {query.query_id}" + (f": {query.text}" if query.text else "")
    return f"{said}\n{change(query.difference)}: {number(query.baseline_value)} to {number(query.value)}"


def values(queries: Queries, higher_is_better: bool | None) -> Html:
    """One system alone: its value for each query as bars, the best first, and in numbers."""
    sign = 1 if higher_is_better is False else -1
    rows = sorted(queries.rows, key=lambda row: math.inf if math.isnan(row.values[0]) else sign * row.values[0])
    shown = [
        Bar(row.query_id, row.values[0], "filled", f"Query {row.query_id}: {row.text}\n{number(row.values[0])}")
        for row in rows
    ]
    first = {True: "best first", False: "lowest, which is best, first", None: "highest first"}[higher_is_better]
    said = element("p", f"{queries.measure} of ", given(queries.systems[0]), f", {first}.", class_="dim small")
    chart = bars(shown, f"{queries.measure} of {queries.systems[0]}, a bar for each query", lambda at: f"#e{at + 1}")
    listed = _every_value(queries._replace(rows=tuple(rows)), "All queries in numbers")
    return element("div", said, chart, listed, class_="panel on-paper still")


def every_value(queries: Queries) -> Html:
    """Every query under every system, as numbers."""
    return _every_value(queries, f"{queries.measure} of every system for each query")


def _every_value(queries: Queries, title: str) -> Html:
    places = linked(len(queries.rows))
    has_text = any(row.text for row in queries.rows)
    rows = [
        element(
            "tr",
            element("th", given(queries.rows[at].query_id), scope="row"),
            *([element("td", given(queries.rows[at].text), class_="text")] if has_text else []),
            *(element("td", number(value), class_="n") for value in queries.rows[at].values),
            id=f"e{at + 1}",
        )
        for at in places
    ]
    head = joined(
        element("th", "query", scope="col"),
        *([element("th", "text", scope="col")] if has_text else []),
        *(element("th", name, scope="col", class_="n") for name in queries.systems),
    )
    left_out = len(queries.rows) - len(places)
    says = title + (f" ({number_of('query', left_out)} left out)" if left_out else "")
    caption = f"{queries.measure} for each query"
    return element("details", element("summary", says), table(caption, head, rows), class_="numbers")


def _listed(one: Differences, place: int, card: Callable[[str], str | None]) -> Html:
    """The numbers behind the bars, a row a query."""
    places = linked(len(one.queries))
    has_text = any(query.text for query in one.queries)
    rows = []
    for at in places:
        query, to = one.queries[at], card(one.queries[at].query_id)
        name = element("a", given(query.query_id), href=f"#{to}") if to else given(query.query_id)
        mark = "▲" if query.difference > 0 else "▼" if query.difference < 0 else "="
        rows.append(
            element(
                "tr",
                element("th", name, scope="row"),
                *([element("td", given(query.text), class_="text")] if has_text else []),
                element("td", number(query.baseline_value), class_="n"),
                element("td", number(query.value), class_="n"),
                element("td", f"{mark} {change(query.difference)}", class_="n"),
                id=f"d{place}-{at + 1}",
            )
        )
    head = joined(
        element("th", "query", scope="col"),
        *([element("th", "text", scope="col")] if has_text else []),
        *(element("th", name, scope="col", class_="n") for name in (one.baseline, one.system, "difference")),
    )
    left_out = len(one.queries) - len(places)
    says = f"All {len(one.queries)} queries in numbers"
    if left_out:
        says = f"The {len(places)} queries that differ most in numbers ({left_out:,} between them are left out)"
    caption = f"{one.measure} of {one.system} and {one.baseline} for each query"
    return element(
        "details", element("summary", says), table(caption, head, rows), class_="numbers", id=f"d{place}-after"
    )


def changed(contents: Contents) -> Html:
    """Both rankings of the most changed queries, with what each document adds; the first one is open."""
    queries = contents.changed
    grades = [item.grade for one in queries for side in (one.baseline, one.system) for item in side.ranking]
    top = max((grade for grade in grades if grade is not None), default=1.0)
    return joined(
        *(_query(one, contents.higher_is_better(one.measure), place, top) for place, one in enumerate(queries, start=1))
    )


def _query(one: ChangedQuery, way: bool | None, place: int, top: float) -> Html:
    mark = "▲" if one.difference > 0 else "▼" if one.difference < 0 else "="
    note = f", {noted(way)}" if noted(way) else ""
    values = f"{number(one.baseline.value)} → {number(one.system.value)}"
    summary = element(
        "summary",
        element(
            "span",
            f"{mark} {change(one.difference)}{meant(one.difference, way)}",
            class_=f"delta {kind(one.difference, way)}",
        ),
        element("h3", element("span", "Query ", given(one.query_id), class_="qid"), given(one.text)),
        element("span", f"{one.measure} {values}{note}", class_="dim small"),
    )
    depth = max((item.rank for side in (one.baseline, one.system) for item in side.ranking), default=0)
    steps = waterfall(one)
    if not steps and one.no_steps:
        steps = element("p", one.no_steps, class_="dim small")
    return element(
        "details",
        summary,
        steps,
        element("div", _side(one.baseline, top, "to", depth), _side(one.system, top, "from", depth), class_="sides"),
        class_="panel query on-paper short" if _lines(one) <= _SHORT else "panel query on-paper",
        open=place == 1,
        id=f"q{place}",
    )


def _lines(one: ChangedQuery) -> int:
    """How many lines of titles the longer ranking takes on paper, about."""
    return max(sum(1 + len(item.title) // _LINE for item in side.ranking) for side in (one.baseline, one.system))


def _side(side: Side, top: float, way: str, depth: int) -> Html:
    items = [_ranked(item, top, way, depth) for item in side.ranking]
    return element(
        "section",
        element("h4", given(side.system), element("span", number(side.value), class_="dim")),
        element("ol", *items, class_="ranking")
        if items
        else element("p", "Returned nothing for this query.", class_="dim"),
        class_="side",
    )


def _ranked(item: Ranked, top: float, way: str, depth: int) -> Html:
    title = item.title or item.text[:90] + ("…" if len(item.text) > 90 else "") or item.doc_id
    if item.text:
        name = element("details", element("summary", given(title)), element("p", given(item.text)), class_="document")
    else:
        name = element("span", given(title), class_="document")
    doc_id = [element("code", given(item.doc_id))] if title != item.doc_id else []
    return element(
        "li",
        element("span", str(item.rank), class_="rank"),
        chip(item.grade, top),
        element("div", name, element("span", *doc_id, moved(item, way, depth), class_="under")),
    )


def chip(grade: float | None, top: float) -> Html:
    """A grade, the darker the higher it is on the scale.

    >>> chip(3, 3), chip(None, 3)
    ('<span class="chip g3" title="grade 3 of 3">3</span>', '<span class="chip unjudged" title="not judged">?</span>')
    """
    if grade is None:
        return element("span", "?", class_="chip unjudged", title="not judged")
    level = 0 if grade <= 0 else min(3, max(1, round(3 * grade / top)))
    return element("span", short(grade), class_=f"chip g{level}", title=f"grade {short(grade)} of {short(top)}")


def moved(item: Ranked, way: str, depth: int) -> Html:
    """Where the other system has the document, in a mark and words; coloured only if it is relevant.

    >>> from assay.reporting.contents import Ranked
    >>> moved(Ranked(3, "d1", "", "", 1.0, "gained", 12), "from", 10)
    '<span class="move gained"><span aria-hidden="true">+</span> enters the top 10, was 12</span>'
    """
    other = "" if item.other_rank is None else f" {item.other_rank}"
    words = {
        "gained": f"enters the top {depth}, was{other}" if other else "new",
        "lost": f"leaves the top {depth}, now{other}" if other else "gone",
        "up": f"{'rises to' if way == 'to' else 'up from'}{other}",
        "down": f"{'falls to' if way == 'to' else 'down from'}{other}",
        "same": "same rank",
    }[item.change]
    kind = f"move {item.change}" if item.grade else "move"  # where a document goes that nobody wants is no matter
    return element("span", element("span", _MARKS[item.change], aria_hidden="true"), f" {words}", class_=kind)


def numbers_of_curves(contents: Contents) -> Html:
    """The points of the precision-recall curves, as a table."""
    levels = contents.curves[0].recall
    rows = [
        element(
            "tr",
            element("th", given(one.system), scope="row"),
            *(element("td", number(value, 3), class_="n") for value in one.precision),
        )
        for one in contents.curves
    ]
    head = heads("system", *(f"{level:g}" for level in levels))
    return element(
        "details",
        element("summary", "The curves in numbers"),
        table("Interpolated precision at levels of recall", head, rows),
        class_="numbers",
    )
