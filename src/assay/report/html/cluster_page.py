"""The page of a report on clusterings: what they are worth on top, and the sections below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.html.cluster_heat import maps
from assay.report.html.cluster_numbers import over_k
from assay.report.html.cluster_silhouettes import silhouettes
from assay.report.html.cluster_tables import groups
from assay.report.html.document import Section, document
from assay.report.html.item_page import closing, further_advice, hero, shown_for
from assay.report.html.item_tables import measures_table, verdicts_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reporting.cluster_contents import ClusterContents


def cluster_page(contents: ClusterContents) -> str:
    """The whole report as one file of HTML; `contents` as `assay.cluster(...).report().contents`."""
    return document(
        contents.title,
        hero(contents, "Clustering report"),
        list(_sections(contents)),
        contents.provenance,
        styles=("style.css", "classifier.css", "cluster.css"),
        scripts=("script.js", "classifier.js"),
    )


def _sections(contents: ClusterContents) -> Iterator[Section]:
    """The parts of the page that have something to show."""
    yield Section(
        "measures",
        "Measures",
        "Measures",
        "Every number with its interval, or why it has none.",
        measures_table(contents),
    )
    yield from further_advice(contents)
    if contents.verdicts:
        lead = "Whether the difference could be due to the items that happen to be here."
        shown = verdicts_table(contents, "Clusterings compared")
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
    yield from closing(contents)


def _some(contents: ClusterContents, shown: int) -> str:
    """That a section does not show all clusterings, where it does not."""
    return shown_for(contents, shown, "clustering")
