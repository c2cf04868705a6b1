"""Lines across a chart, and the numbers beside them."""

from __future__ import annotations

from assay.report.html.markup import Html, element, percent
from assay.show.axis import Axis, label


def grid(axis: Axis, about: int) -> list[Html]:
    """Lines across a chart at `about` so many round numbers of its upright axis, and the numbers left of them.

    >>> grid(Axis(0, 1), 1)[1]
    '<text x="0" y="100%" dx="-8" dy=".32em" class="end">0</text>'
    """
    parts = []
    for tick in axis.ticks(about):
        level = percent(axis.from_top(tick))
        parts.append(element("line", x1="0", x2="100%", y1=level, y2=level, class_="grid" if tick else "zero"))
        parts.append(element("text", label(tick), x="0", y=level, dx="-8", dy=".32em", class_="end"))
    return parts
