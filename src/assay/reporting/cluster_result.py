"""`ClusterReport`: what is known about clusterings, to be written in every form."""

from __future__ import annotations

from assay.report.layout import Table
from assay.report.written_cluster import measures_table
from assay.report.written_items import remarks
from assay.reporting.cluster_contents import ClusterContents
from assay.reporting.result import Report
from assay.show.legible import on_one_line


class ClusterReport(Report[ClusterContents]):
    """Measures with intervals, classes in clusters, silhouettes, splits and merges, advice and provenance.

    >>> from assay import Clusters, cluster
    >>> report = cluster(Clusters.of(list("xxoo"), [0, 0, 0, 1]), "Purity").report()
    >>> print(report.contents.summary[0])
    clusters puts 75.0% (95% interval 50.0% to 100.0%) of the items in a cluster whose largest class is theirs.
    """

    def __str__(self) -> str:
        said = (*self.contents.summary, *(f"{text}." for text in remarks(self.contents)))
        return "\n".join(map(on_one_line, said))

    def to_html(self) -> str:
        """One page of its own: it loads nothing from anywhere."""
        from assay.report.html.cluster_page import cluster_page  # noqa: PLC0415  # only who wants it loads it

        return cluster_page(self.contents)

    def to_markdown(self) -> str:
        """As GitHub shows it."""
        from assay.report.written_cluster import to_markdown  # noqa: PLC0415

        return to_markdown(self.contents)

    def to_latex(self) -> str:
        """A document with the tables (booktabs), the methods and the references, to take parts from."""
        from assay.report.written_cluster_latex import to_latex  # noqa: PLC0415

        return to_latex(self.contents)

    def _table(self) -> Table:
        return measures_table(self.contents)
