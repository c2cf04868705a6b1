"""A report on clusterings in LaTeX: a document that compiles as it is, whose parts can be taken over into a paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.core.digits import NOT_AVAILABLE
from assay.report.written_cluster import (
    classes_table,
    clusters_table,
    compared_table,
    map_table,
    measures_table,
    moves_table,
    numbers_table,
    of_silhouettes,
    silhouettes_table,
)
from assay.report.written_items import as_latex, without_interval
from assay.report.written_latex import floated, tabular

if TYPE_CHECKING:
    from assay.reporting.cluster_contents import ClusterContents


def to_latex(contents: ClusterContents) -> str:
    """The summary, the tables, the methods, the references and BibTeX entries for them."""
    return as_latex(contents, _tables(contents))


def _tables(contents: ClusterContents) -> Iterator[str]:
    why = " ".join(without_interval(contents, NOT_AVAILABLE))
    yield floated(tabular(measures_table(contents)), f"Measures, with intervals. {why}".strip())
    if contents.verdicts:
        yield floated(tabular(compared_table(contents)), "Clusterings compared.")
    for one in contents.maps:
        yield floated(tabular(map_table(one)), f"Classes (rows) in clusters (columns) of {one.system}. {one.left_out}")
    for own in contents.silhouettes:
        yield floated(tabular(silhouettes_table(own)), f"Silhouettes of {own.system}. {of_silhouettes(own)}")
    for groups in contents.groups:
        yield floated(tabular(clusters_table(groups)), f"Clusters of {groups.system}. {groups.left_out}")
        if groups.classes:
            yield floated(tabular(classes_table(groups)), f"Classes, {groups.system}.")
        if groups.moves:
            yield floated(tabular(moves_table(groups.moves)), f"Splits and merges, {groups.system}.")
    if contents.number_of is not None:
        said = f"Measures over the number of clusters k: {contents.number_of.says}."
        yield floated(tabular(numbers_table(contents.number_of)), said)
