"""What the pages of classifiers and of clusterings have alike: the claim with advice beside it, and how it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import number_of
from assay.report.html.document import Section, minded
from assay.report.html.markup import Html, element, given, prose
from assay.report.html.sources import methods, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reporting.item_contents import ItemContents, RemarkOf

#: So many remarks stand beside the claim; the others below it.
_MOST_REMARKS = 4
_A_PAIR = 2


def hero(contents: ItemContents, eyebrow: str) -> Html:
    """What the systems are worth in words, what to know about that, and what to mind."""
    claim, *said = contents.summary
    if contents.verdicts and len(contents.systems) == _A_PAIR:
        # The sentence on a single pair is full of numbers: the table has them.
        claim = f"{contents.verdicts[0].headline} under {contents.verdicts[0].measure}."
    aside = []
    if contents.remarks:
        first = element("ul", *map(_remark, contents.remarks[:_MOST_REMARKS]))
        aside.append(
            element(
                "aside", element("p", element("b", "What to know")), first, class_="advice remarks", aria_label="Advice"
            )
        )
    aside += [minded(contents.warnings)] if contents.warnings else []
    return element(
        "div",
        element(
            "div",
            element("p", eyebrow, class_="eyebrow"),
            element("h1", prose(contents.title)),
            element("p", prose(contents.lead), class_="lead"),
        ),
        element("div", element("p", prose(claim), class_="claim"), *(element("p", prose(text)) for text in said)),
        *([element("div", *aside, class_="aside")] if aside else []),
        class_="hero",
    )


def further_advice(contents: ItemContents) -> Iterator[Section]:
    """The remarks that have no place beside the claim."""
    if len(contents.remarks) > _MOST_REMARKS:
        said = element("ul", *map(_remark, contents.remarks[_MOST_REMARKS:]), class_="said-list")
        yield Section("advice", "Advice", "More to know", "", said)


def closing(contents: ItemContents) -> Iterator[Section]:
    """How the numbers were made, of which files, and what is not shown."""
    yield Section("methods", "Methods", "Methods", "Ready to paste into a paper.", methods(contents))
    lead = "Everything it takes to make this report again."
    yield Section("provenance", "Provenance", "How it was made", lead, provenance(contents.provenance))
    if contents.notes:
        said = element("ul", *(element("li", prose(text)) for text in contents.notes))
        yield Section("notes", "Notes", "Notes", "", said)


def shown_for(contents: ItemContents, shown: int, what: str) -> str:
    """That a section does not show all systems, where it does not."""
    if shown == len(contents.systems):
        return ""
    return f" Shown for {shown:,} of {number_of(what, len(contents.systems))}."


def _remark(one: RemarkOf) -> Html:
    """A piece of advice, and whom it is about."""
    about = [given(one.system), ": "] if one.system else []
    return element("li", *about, prose(f"{one.says}."))
