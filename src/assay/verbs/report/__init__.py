"""`make_report`: everything that is known about systems, as a page, Markdown, LaTeX and JSON."""

from assay.verbs.report.report import make_report
from assay.verbs.sections.report import Report

__all__ = ["Report", "make_report"]
