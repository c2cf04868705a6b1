"""The page of a report: one file, without a request to anywhere, inert whatever the documents hold.

`page` puts it together, `markup` escapes, `theme` has the colours, the other modules draw one part each.
"""

from assay.report.html.page import page

__all__ = ["page"]
