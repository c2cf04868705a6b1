"""What the map of classes in clusters is drawn from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.core import digits
from assay.report.html.markup import Html, element

#: Of more labels than these the columns' names are turned, and items stand below the map.
MANY_LABELS = 8
#: Of names that are longer than this together, items stand below the map, too.
LONG_NAMES, LONGEST_LINE = 48, 16
#: Shades from none to full.
SHADES = 10


class Way(NamedTuple):
    """A way to read the cells: the value of its radio button, and what it is called."""

    value: str
    says: str


def choice(id: str, ways: Sequence[Way]) -> Html:
    """Radio buttons that say how to read the cells; the first is chosen."""
    return element(
        "fieldset",
        element("legend", "Cells show"),
        *(
            element(
                "label",
                element("input", type="radio", name=f"{id}-by", value=way.value, checked=way == ways[0]),
                element("span", way.says),
            )
            for way in ways
        ),
        class_="by",
    )


def size_of(labels: Sequence[str]) -> str:
    """The class of a map, by how many labels its columns have, and how long they are."""
    if len(labels) > MANY_LABELS:
        return "heat many"
    return "heat wide" if sum(min(len(label), LONGEST_LINE) for label in labels) > LONG_NAMES else "heat"


def shade(share: float) -> int:
    """The nearest shade, but some shade for whatever is not nothing."""
    if math.isnan(share) or share <= 0:
        return 0
    return max(1, round(SHADES * share))


def as_percent(share: float) -> str:
    """A share as people read it.

    >>> as_percent(0.25), as_percent(math.nan)
    ('25.0%', '–')
    """
    return "–" if math.isnan(share) else digits.as_percent(share)
