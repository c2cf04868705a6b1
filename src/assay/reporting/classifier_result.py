"""`ClassifierReport`: what is known about classifiers, to be written in every form."""

from __future__ import annotations

from assay.report.layout import Table
from assay.report.written_classifier import measures_table
from assay.report.written_items import remarks
from assay.reporting.classifier_contents import ClassifierContents
from assay.reporting.result import Report
from assay.show.legible import on_one_line


class ClassifierReport(Report[ClassifierContents]):
    """Measures with intervals, confusion, thresholds, classes, advice and provenance, as plain data and in every form.

    >>> from assay import Predictions, classify
    >>> report = classify(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0])).report()
    >>> print(report.contents.summary[0])
    predictions finds 50.0% (95% interval 9.5% to 90.5%) of all 1, and 100.0% (95% interval 20.7% to 100.0%)
    of what it calls 1 is 1.
    """

    def __str__(self) -> str:
        said = (*self.contents.summary, *(f"{text}." for text in remarks(self.contents)))
        return "\n".join(map(on_one_line, said))

    def to_html(self) -> str:
        """One page of its own: it loads nothing from anywhere."""
        from assay.report.html.classifier_page import classifier_page  # noqa: PLC0415  # only who wants it loads it

        return classifier_page(self.contents)

    def to_markdown(self) -> str:
        """As GitHub shows it."""
        from assay.report.written_classifier import to_markdown  # noqa: PLC0415

        return to_markdown(self.contents)

    def to_latex(self) -> str:
        """A document with the tables (booktabs), the methods and the references, to take parts from."""
        from assay.report.written_classifier_latex import to_latex  # noqa: PLC0415

        return to_latex(self.contents)

    def _table(self) -> Table:
        return measures_table(self.contents)
