"""Orders of items, and points in clusters, as somebody types them."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from assay.core.errors import ParameterError, quote

_ORDER = "items with the best first, blanks between them and = between tied ones, such as 'A B=C D'"
_POINTS = "numbers with | between clusters, such as '0 1 2 | 10 11', or with ; between points, '0,0; 1,1 | 5,5; 6,5'"


class TypedPoints(NamedTuple):
    """Points, a row of numbers each, and the number of each one's cluster, from 1 on."""

    rows: list[list[float]]
    clusters: list[int]


def order_in(text: str) -> list[list[str]]:
    """Items with the best first; those that are tied stand together.

    >>> order_in("A B=C D"), order_in("A > B > C")
    ([['A'], ['B', 'C'], ['D']], [['A'], ['B'], ['C']])
    """
    groups = [
        [item.strip() for item in group.split("=")]
        for group in re.split(r"[\s,>]+", "=".join(part.strip() for part in text.split("=")))
    ]
    items = [item for group in groups for item in group]
    if "" in items:
        raise ParameterError(f"--order: expected {_ORDER}, got {quote(text) if text.strip() else 'nothing'}")
    if len(set(items)) < len(items):
        twice = next(item for item in items if items.count(item) > 1)
        raise ParameterError(f"--order: expected each item once, got {quote(twice)} twice in {quote(text)}")
    return groups


def numbers_of(groups: list[list[str]]) -> dict[str, float]:
    """A number for each item of an order, the larger the better; tied items have the same.

    >>> numbers_of([["A"], ["B", "C"]])
    {'A': -1.0, 'B': -2.0, 'C': -2.0}
    """
    return {item: -float(place) for place, group in enumerate(groups, 1) for item in group}


def points_in_clusters(text: str) -> TypedPoints:
    """Points by cluster: `|` between clusters, `;` between points of several numbers; without `;`, each number is one.

    >>> points_in_clusters("0 1 | 10")
    TypedPoints(rows=[[0.0], [1.0], [10.0]], clusters=[1, 1, 2])
    >>> points_in_clusters("0,0; 1,1 | 5,5").rows
    [[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]]
    """
    several = ";" in text
    if not several and (found := re.search(r"[^\s,|]+(,[^\s,|]+)+", text)):
        raise ParameterError(
            f"--points: {quote(found[0])} may be one point or several: end each point with ';', such as '0,0; | 5,5;', "
            "or put blanks between points that are single numbers"
        )
    rows: list[list[float]] = []
    clusters: list[int] = []
    for number, part in enumerate(text.split("|"), 1):
        words = [point for point in part.split(";") if point.strip()] if several else re.split(r"[\s,]+", part.strip())
        if not words or words == [""]:
            raise ParameterError(f"--points: expected {_POINTS}, got no point in cluster {number}")
        rows += [[_number(word) for word in re.split(r"[\s,]+", point.strip())] for point in words]
        clusters += [number] * len(words)
    for place, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParameterError(
                f"--points: expected as many numbers in point {place} as in the first, {len(rows[0])}, got {len(row)}"
            )
    return TypedPoints(rows, clusters)


def _number(word: str) -> float:
    try:
        number = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"--points: expected {_POINTS}, got {quote(word) if word else 'nothing'}")
    return number
