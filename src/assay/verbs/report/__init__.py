"""`make_report`: everything that is known about systems, as a page, Markdown, LaTeX and JSON."""

from assay.verbs.report.report import Report, make_report

__all__ = ["Report", "make_report"]
