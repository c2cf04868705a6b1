"""Which of each two items is ahead, in many lists of numbers at once; and how far two lists agree on that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.measures.counting.judgments import Floats
from assay.stats.rounding import ROUNDING

_BLOCK = 1 << 22


class Orders(NamedTuple):
    """Lists of numbers, a list a row; `signs` is 1 where item i is above item j, -1 where below, 0 where tied.

    >>> Orders.of(np.array([[0.5, 0.25, 0.25]])).signs[0]
    array([[ 0,  1,  1],
           [-1,  0,  0],
           [-1,  0,  0]], dtype=int8)
    """

    numbers: Floats
    signs: NDArray[np.int8]

    @classmethod
    def of(cls, numbers: Floats) -> Orders:
        """Compare every two items of each list."""
        apart = numbers[:, :, None] - numbers[:, None, :]
        reach = ROUNDING * np.abs(numbers).max(axis=1)[:, None, None]
        return cls(numbers, (apart > reach).astype(np.int8) - (apart < -reach).astype(np.int8))

    @property
    def untied(self) -> Floats:
        """In each list, how many pairs are not tied; every pair counts twice."""
        untied: Floats = np.count_nonzero(self.signs, axis=(1, 2)).astype(np.float64)
        return untied

    @property
    def lead(self) -> Floats:
        """How many items each item is above, less those that it is below: twice its mid-rank, but for a constant."""
        lead: Floats = self.signs.sum(axis=2, dtype=np.float64)
        return lead


def orders_of(first: Floats, second: Floats) -> Iterator[tuple[Orders, Orders]]:
    """Two tables of lists, row against row, in blocks that fit into memory.

    >>> [(len(one.signs), len(other.signs)) for one, other in orders_of(np.eye(3), np.eye(3))]
    [(3, 3)]
    """
    rows = max(1, _BLOCK // max(first.shape[1] ** 2, 1))
    for start in range(0, len(first), rows):
        yield Orders.of(first[start : start + rows]), Orders.of(second[start : start + rows])


def tau_b(first: Orders, second: Orders) -> Floats:
    """Kendall's tau-b, row against row; NaN where all items of a list are tied.

    >>> tau_b(Orders.of(np.array([[1.0, 2.0, 3.0, 4.0]])), Orders.of(np.array([[1.0, 2.0, 4.0, 3.0]])))
    array([0.6667])
    """
    agreement = (first.signs * second.signs).sum(axis=(1, 2), dtype=np.float64)
    untied = first.untied * second.untied
    tau: Floats = np.divide(agreement, np.sqrt(untied), out=np.full(len(untied), np.nan), where=untied > 0)
    return tau


def swapped(first: Orders, second: Orders) -> Floats:
    """The share of pairs of items that the two lists order the opposite way, row against row.

    >>> swapped(Orders.of(np.array([[1.0, 2.0, 3.0]])), Orders.of(np.array([[1.0, 3.0, 2.0]])))
    array([0.3333])
    """
    items = first.signs.shape[1]
    share: Floats = np.count_nonzero(first.signs * second.signs < 0, axis=(1, 2)) / (items * (items - 1))
    return share
