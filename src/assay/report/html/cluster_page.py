"""The page of a report on clusterings: what they are worth on top, and the sections below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import number_of
from assay.report.html.classifier_page import MOST_REMARKS, remark
from assay.report.html.classifier_tables import measures_table, verdicts_table
from assay.report.html.cluster_heat import maps
from assay.report.html.cluster_numbers import over_k
from assay.report.html.cluster_silhouettes import silhouettes
from assay.report.html.cluster_tables import groups
from assay.report.html.document import Section, document, minded
from assay.report.html.markup import Html, element, prose
from assay.report.html.sources import methods, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reporting.cluster_contents import ClusterContents

_A_PAIR = 2


def cluster_page(contents: ClusterContents) -> str:
    """The whole report as one file of HTML; `contents` as `assay.cluster(...).report().contents`."""
    return document(
        contents.title,
        _hero(contents),
        list(_sections(contents)),
        contents.provenance,
        styles=("style.css", "classifier.css", "cluster.css"),
        scripts=("script.js", "classifier.js"),
    )


def _sections(contents: ClusterContents) -> Iterator[Section]:
    """The parts of the page that have something to show."""
    yield Section("measures", "Measures", "Measures", "Every number with its interval.", measures_table(contents))
    if len(contents.remarks) > MOST_REMARKS:
        said = element("ul", *map(remark, contents.remarks[MOST_REMARKS:]), class_="said-list")
        yield Section("advice", "Advice", "More to know", "", said)
    if contents.verdicts:
        lead = "Whether the difference could be due to the items that happen to be here."
        shown = verdicts_table(contents.verdicts, "Clusterings compared")
        yield Section("compared", "Compared", "Compared", lead, shown)
    if contents.maps:
        lead = f"Which classes are in which clusters.{_some(contents, len(contents.maps))}"
        yield Section("map", "Map", "Classes in clusters", lead, maps(contents.maps))
    if contents.silhouettes:
        lead = (
            "How much nearer each point is to its own cluster than to the next: 1 is far apart, 0 lies between two."
            f"{_some(contents, len(contents.silhouettes))}"
        )
        yield Section("silhouettes", "Silhouettes", "Silhouettes", lead, silhouettes(contents.silhouettes))
    if contents.number_of is not None:
        lead = "Measures over the number of clusters, and how stable each number is."
        yield Section("number", "How many", "How many clusters?", lead, over_k(contents.number_of))
    lead = _some(contents, len(contents.groups)).strip()
    yield Section("groups", "Groups", "Clusters and classes", lead, groups(contents.groups))
    yield Section("methods", "Methods", "Methods", "Ready to paste into a paper.", methods(contents))
    lead = "Everything it takes to make this report again."
    yield Section("provenance", "Provenance", "How it was made", lead, provenance(contents.provenance))
    if contents.notes:
        said = element("ul", *(element("li", prose(text)) for text in contents.notes))
        yield Section("notes", "Notes", "What is not shown", "", said)


def _some(contents: ClusterContents, shown: int) -> str:
    """That a section does not show all clusterings, where it does not."""
    if shown == len(contents.systems):
        return ""
    return f" Shown for {shown:,} of {number_of('clustering', len(contents.systems))}."


def _hero(contents: ClusterContents) -> Html:
    """What the clusterings are worth in words, what to know about that, and what to mind."""
    claim, *said = contents.summary
    if contents.verdicts and len(contents.systems) == _A_PAIR:
        # The sentence on a single pair is full of numbers: the table has them.
        claim = f"{contents.verdicts[0].headline} under {contents.verdicts[0].measure}."
    aside = []
    if contents.remarks:
        first = element("ul", *map(remark, contents.remarks[:MOST_REMARKS]))
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
            element("p", "Clustering report", class_="eyebrow"),
            element("h1", prose(contents.title)),
            element("p", prose(contents.lead), class_="lead"),
        ),
        element("div", element("p", prose(claim), class_="claim"), *(element("p", prose(text)) for text in said)),
        *([element("div", *aside, class_="aside")] if aside else []),
        class_="hero",
    )
