"""The page as a whole: its head, what stands on top, and the sections below.

Its policy lets nothing in but the page's own style and script, by their digests, so that no document could run anything
even if it got through unescaped.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from assay.report.html.curve import curves
from assay.report.html.evidence import bounds, coverage, power
from assay.report.html.markup import Html, element, given, joined, prose
from assay.report.html.queries import changed, differences, every_value, numbers_of_curves, values
from assay.report.html.sources import methods, provenance
from assay.report.html.systems import systems_table
from assay.report.html.theme import variables
from assay.report.html.verdicts import at_a_glance, by_pair, cards
from assay.report.legible import legible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.reporting.contents import Advice, Contents, NoticedOf

# A balance: what an assayer weighs with.
_BALANCE = "M12 3v17M7 20h10M4 7h16M4 7l-3 6a3.2 3.2 0 0 0 6 0zM20 7l-3 6a3.2 3.2 0 0 0 6 0z"
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='-1 0 26 24' fill='none' stroke='%230a6c66' "
    f"stroke-width='2'%3E%3Cpath d='{_BALANCE}'/%3E%3C/svg%3E"
)


class Section(NamedTuple):
    """A part of the page: where links find it, its name in the list of sections, its title, a lead, and the rest."""

    id: str
    short: str
    title: str
    lead: str
    body: Html


def page(contents: Contents) -> str:
    """The whole report as one file of HTML; `contents` as `assay.make_report(...).contents`."""
    style, script = _asset("style.css"), _asset("script.js")
    style = Html(variables() + "\n" + style)
    sections = list(_sections(contents))
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"Assay {contents.provenance.version}"),
        element("link", rel="icon", href=_ICON),
        element("title", contents.title),
        element("style", style),
    )
    body = element(
        "body",
        element("a", "Skip to the content", href="#top", class_="skip"),
        _bar(sections),
        element("main", _hero(contents), *map(_section, sections), id="top", tabindex=-1),
        element("footer", f"Made with Assay {contents.provenance.version}, {contents.provenance.made}"),
        element("script", script),
    )
    return f"<!doctype html>\n{legible(element('html', head, body, lang='en'))}\n"


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


def _section(section: Section) -> Html:
    lead = [element("p", section.lead, class_="section-lead")] if section.lead else []
    head = element("div", element("h2", section.title, id=f"{section.id}-title"), *lead, class_="head")
    return element("section", head, section.body, id=section.id, aria_labelledby=f"{section.id}-title")


def _bar(sections: list[Section]) -> Html:
    """The name, the list of sections and the switch between light and dark, always within reach."""
    links = element("ul", *(element("li", element("a", one.short, href=f"#{one.id}")) for one in sections))
    logo = element("svg", element("path", d=_BALANCE), viewBox="-1 0 26 24", class_="logo", aria_hidden="true")
    switch = element(
        "label",
        element(
            "input",
            type="checkbox",
            id="theme",
            role="switch",
            autocomplete="off",
            aria_label="Switch between light and dark",
        ),
        element("span", "◐", aria_hidden="true"),
        class_="switch",
        title="Switch between light and dark",
    )
    return element(
        "header",
        element("a", logo, "Assay", href="#top", class_="brand"),
        element("nav", links, aria_label="Sections"),
        switch,
        class_="bar",
    )


def _hero(contents: Contents) -> Html:
    """What was found in words, what to do, and what to mind; numbers wait for the cards."""
    claim, *said = contents.summary
    pairs = by_pair(contents.verdicts)
    if len(pairs) == len(contents.systems) - 1 == 1 and pairs[0][0].measure == contents.measures[0].name:
        # Of a single pair the sentences are full of numbers: its card has them, and a mark for every measure.
        claim, said = f"{pairs[0][0].headline} under {pairs[0][0].measure}.", []
    minded = [*contents.caveats, *contents.warnings]
    aside = [_advice(contents.advice)] if contents.advice else []
    aside += [_minded(minded)] if minded else []
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


def _minded(texts: Sequence[str]) -> Html:
    listed = element("ul", *(element("li", prose(text)) for text in texts))
    return element("aside", element("p", element("b", "Mind this")), listed, class_="warnings", aria_label="Warnings")


@cache
def _asset(name: str) -> Html:
    return Html(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _digest(text: str) -> str:
    """The digest by which a policy lets one style or script in."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
