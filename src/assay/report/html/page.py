"""The page as a whole: what stands on top, and the sections below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.html.curve import curves
from assay.report.html.document import Section, document, minded
from assay.report.html.evidence import bounds, coverage, power
from assay.report.html.markup import Html, element, given, joined, prose
from assay.report.html.queries import changed, differences, every_value, numbers_of_curves, values
from assay.report.html.sources import methods, provenance
from assay.report.html.systems import systems_table
from assay.report.html.verdicts import at_a_glance, by_pair, cards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reporting.contents import Advice, Contents, NoticedOf


def page(contents: Contents) -> str:
    """The whole report as one file of HTML; `contents` as `assay.make_report(...).contents`."""
    return document(contents.title, _hero(contents), list(_sections(contents)), contents.provenance)


def _sections(contents: Contents) -> Iterator[Section]:
    """The parts of the page that have something to show."""
    main = contents.measures[0]
    if contents.verdicts:
        yield Section("verdicts", "Verdicts", "Verdicts", "", cards(contents))
    if contents.systems:
        yield Section("systems", "Systems", "Systems", "", systems_table(contents))
    if contents.noticed:
        said = element("ul", *map(_noticed, contents.noticed), class_="said-list")
        yield Section("noticed", "Users", "What users would notice", "", said)
    if contents.differences:
        lead = "How each query changes. A mean can rise while many queries fall."
        body = differences(contents)
        if contents.queries is not None:
            body = joined(body, every_value(contents.queries))
        yield Section("differences", "Queries", f"{main.name}, query by query", lead, body)
    elif contents.queries is not None and contents.queries.rows:
        body = values(contents.queries, main.higher_is_better)
        yield Section("differences", "Queries", f"{main.name}, query by query", "", body)
    if contents.curves:
        lead = "Interpolated precision at levels of recall, averaged over queries."
        body = joined(curves(contents.curves), numbers_of_curves(contents))
        yield Section("curves", "Precision and recall", "Precision and recall", lead, body)
    if contents.changed:
        lead = "Both rankings side by side, with the grade of each document and where it moved."
        yield Section("changed", "Rankings", "The queries that changed most", lead, changed(contents))
    if contents.coverage or contents.bounds:
        parts = [coverage(contents.coverage)] if contents.coverage else []
        if contents.bounds:
            parts += [element("h3", "If the unjudged documents had other grades"), bounds(contents.bounds)]
        yield Section("coverage", "Coverage", "What the numbers rest on", "", joined(*parts))
    if contents.power:
        yield Section("power", "Power", "What so many queries can show", "", power(contents.power))
    yield Section("methods", "Methods", "Methods", "Ready to paste into a paper.", methods(contents))
    lead = "Everything it takes to make this report again."
    yield Section("provenance", "Provenance", "How it was made", lead, provenance(contents.provenance))
    if contents.notes:
        said = element("ul", *(element("li", prose(text)) for text in contents.notes))
        yield Section("notes", "Notes", "What is not shown", "", said)


def _hero(contents: Contents) -> Html:
    """What was found in words, what to do, and what to mind; numbers wait for the cards."""
    claim, *said = contents.summary
    pairs = by_pair(contents.verdicts)
    if len(pairs) == len(contents.systems) - 1 == 1 and pairs[0][0].measure == contents.measures[0].name:
        # Of a single pair the sentences are full of numbers: its card has them, and a mark for every measure.
        claim, said = f"{pairs[0][0].headline} under {pairs[0][0].measure}.", []
    to_mind = [*contents.caveats, *contents.warnings]
    aside = [_advice(contents.advice)] if contents.advice else []
    aside += [minded(to_mind)] if to_mind else []
    return element(
        "div",
        element(
            "div",
            element("p", "Evaluation report", class_="eyebrow"),
            element("h1", prose(contents.title)),
            element("p", prose(contents.lead), class_="lead"),
        ),
        element(
            "div",
            element("p", prose(claim), class_="claim"),
            *(element("p", prose(text)) for text in said),
            at_a_glance(contents),
        ),
        *([element("div", *aside, class_="aside")] if aside else []),
        class_="hero",
    )


def _noticed(one: NoticedOf) -> Html:
    return element("li", element("b", given(one.system), " in place of ", given(one.baseline)), prose(f": {one.text}"))


def _advice(advice: Advice) -> Html:
    """What to do; its command stands on a line of its own."""
    return element(
        "aside",
        element("p", element("b", "What to do")),
        element("p", prose(advice.text)),
        *([element("code", advice.command)] if advice.command else []),
        class_="advice",
        aria_label="What to do",
    )
