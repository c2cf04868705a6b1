"""What every page of a report has around its contents: head, policy, bar of sections, style and script.

Its policy lets nothing in but the page's own style and script, by their digests, so that no document could run anything
even if it got through unescaped.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from assay.report.html.markup import Html, element, prose
from assay.show.legible import legible
from assay.show.theme import variables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.contents import Provenance

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


def document(
    title: str, hero: Html, sections: Sequence[Section], made: Provenance, *, styles: Sequence[str] = ("style.css",),
    scripts: Sequence[str] = ("script.js",),
) -> str:  # fmt: skip
    """The whole page; `styles` and `scripts` are files beside this module, put together to one each."""
    style = Html("\n".join([variables(), *map(_asset, styles)]))
    script = Html("".join(map(_asset, scripts)))
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
        element("meta", name="generator", content=f"Assay {made.version}"),
        element("link", rel="icon", href=_ICON),
        element("title", title),
        element("style", style),
    )
    body = element(
        "body",
        element("a", "Skip to the content", href="#top", class_="skip"),
        _bar(sections),
        element("main", hero, *map(_section, sections), id="top", tabindex=-1),
        element("footer", f"Made with Assay {made.version}, {made.made}"),
        element("script", script),
    )
    return f"<!doctype html>\n{legible(element('html', head, body, lang='en'))}\n"


def minded(texts: Sequence[str]) -> Html:
    """What to mind, beside what was found."""
    listed = element("ul", *(element("li", prose(text)) for text in texts))
    return element("aside", element("p", element("b", "Mind this")), listed, class_="warnings", aria_label="Warnings")


def _section(section: Section) -> Html:
    lead = [element("p", section.lead, class_="section-lead")] if section.lead else []
    head = element("div", element("h2", section.title, id=f"{section.id}-title"), *lead, class_="head")
    return element("section", head, section.body, id=section.id, aria_labelledby=f"{section.id}-title")


def _bar(sections: Sequence[Section]) -> Html:
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


@cache
def _asset(name: str) -> Html:
    return Html(resources.files("assay.show").joinpath("assets", name).read_text(encoding="utf-8"))


def _digest(text: str) -> str:
    """The digest by which a policy lets one style or script in."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
