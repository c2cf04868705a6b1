"""`Orders`: two orders of items, as rank correlations are counted from them; and every two items of lists compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.domains import Real
from assay.core.errors import ParameterError, listed, number_of
from assay.measures.counting.judgments import Floats, Ints

#: Numbers that differ by less than this, as a share of the largest, are tied: rounding moves them apart.
_ROUNDING = 1e-12


class Comparisons(NamedTuple):
    """Lists of numbers, a list a row; `signs` is 1 where item i is above item j, -1 where below, 0 where tied.

    >>> Comparisons.of(np.array([[0.5, 0.25, 0.25]])).signs[0]
    array([[ 0,  1,  1],
           [-1,  0,  0],
           [-1,  0,  0]], dtype=int8)
    """

    numbers: Floats
    signs: NDArray[np.int8]

    @classmethod
    def of(cls, numbers: Floats) -> Comparisons:
        """Compare every two items of each list."""
        apart = numbers[:, :, None] - numbers[:, None, :]
        reach = _ROUNDING * np.abs(numbers).max(axis=1)[:, None, None]
        return cls(numbers, (apart > reach).astype(np.int8) - (apart < -reach).astype(np.int8))

    @property
    def untied(self) -> Floats:
        """In each list, how many pairs are not tied; every pair counts twice."""
        untied: Floats = np.count_nonzero(self.signs, axis=(1, 2)).astype(np.float64)
        return untied

    @property
    def lead(self) -> Floats:
        """Items above each item less those below it: twice its mid-rank, but for a constant."""
        lead: Floats = self.signs.sum(axis=2, dtype=np.float64)
        return lead


@dataclass(frozen=True, eq=False)
class Orders:
    """Two orders of items: a number for each item in either, of which the larger is the better.

    >>> Orders.of(["A", "B", "C"], {"A": 3, "B": 1, "C": 1}).ranks
    (array([1., 2., 3.]), array([1. , 2.5, 2.5]))
    """

    vocabularies: ClassVar[tuple[str, ...]] = ("order",)
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "two orders of items"
    unit_kind: ClassVar[str] = "table"
    units: ClassVar[tuple[str, ...]] = ("two orders",)

    first: Mapping[str, float]
    second: Mapping[str, float]

    @classmethod
    def of(cls, first: Any, second: Any) -> Orders:
        """Make orders of rankings, with the best item first, or of dicts from items to numbers."""
        return cls(_numbers(first), _numbers(second))

    @cached_property
    def items(self) -> list[str]:
        """The items, the best of the first order on top; orders of different items are refused."""
        if apart := self.first.keys() ^ self.second.keys():
            raise ParameterError(
                f"the orders hold different items, {listed(sorted(apart))}: rank-biased overlap (RBO) alone takes those"
            )
        if len(self.first) < 2:
            raise ParameterError(f"expected 2 items or more, got {number_of('item', len(self.first))}")
        return sorted(self.first, key=lambda item: -self.first[item])

    @cached_property
    def comparisons(self) -> tuple[Comparisons, Comparisons]:
        """Every two items compared, in either order."""
        first, second = (
            Comparisons.of(np.array([[side[item] for item in self.items]])) for side in (self.first, self.second)
        )
        return first, second

    @property
    def ranks(self) -> tuple[Floats, Floats]:
        """The ranks of the items in either order; tied ones share the mean of theirs."""
        first, second = ((len(self.items) + 1 - each.lead[0]) / 2 for each in self.comparisons)
        return first, second

    @property
    def is_tied(self) -> bool:
        """True if two items of an order are tied."""
        pairs = len(self.items) * (len(self.items) - 1)
        return any(each.untied[0] < pairs for each in self.comparisons)

    @property
    def is_constant(self) -> bool:
        """True if all items of an order are tied."""
        return any(each.untied[0] == 0 for each in self.comparisons)

    @property
    def rankings(self) -> tuple[list[str], list[str]]:
        """The items of either order, the best first; ties have no place in it."""
        for which, side in (("first", self.first), ("second", self.second)):
            if not side:
                raise ParameterError(f"the {which} ranking is empty")
            if len(set(side.values())) < len(side):
                raise ParameterError("RBO is about rankings without ties: two items have the same place")
        first, second = (sorted(side, key=lambda item: -side[item]) for side in (self.first, self.second))
        return first, second


def _numbers(order: Any) -> dict[str, float]:
    """A number for each item: as stated, or by its place in a list."""
    if isinstance(order, Mapping):
        pairs = [(str(item), Real().check(f"item {str(item)!r}", value)) for item, value in order.items()]
    elif isinstance(order, list | tuple | np.ndarray | pl.Series) and getattr(order, "ndim", 1) == 1:
        pairs = [(str(item), -float(rank)) for rank, item in enumerate(order, 1)]
    else:
        raise ParameterError(f"expected a list of items or a dict of numbers, got {type(order).__name__}")
    if twice := [item for item, count in Counter(item for item, _ in pairs).items() if count > 1]:
        raise ParameterError(f"an order holds {twice[0]!r} twice")
    return dict(pairs)


def tau_ap_parts(reference: Comparisons, other: Comparisons) -> tuple[Ints, Ints, Floats]:
    """Contributions of items to tau_AP, row by row: items above each, those that belong there, and a weight.

    Of the items above it in the second list, those that belong above it according to the first are counted, less those
    that belong below. The weight is 1 over the items above, or the mean of that over all ways to break ties. The
    products of the last two add up to tau_AP, times the number of items less 1.

    >>> lists = (Comparisons.of(np.array([numbers])) for numbers in ([4.0, 3, 2, 1], [3.0, 4, 2, 1]))
    >>> above, agreement, _ = tau_ap_parts(*lists)
    >>> above[0], agreement[0]
    (array([1, 0, 2, 3]), array([-1,  0,  2,  3]))
    """
    above = other.signs < 0
    agreement = -(reference.signs * above).sum(axis=2, dtype=np.int64)
    counted = above.sum(axis=2)
    return counted, agreement, tau_ap_weight(counted, (other.signs == 0).sum(axis=2))


def tau_ap_weight(above: Ints, tied: Ints) -> Floats:
    """The mean of 1 / (items above), over the places that an item may take among those tied with it.

    Pairs of tied items cancel out over all orders, and nothing is above the first: both weigh nothing.

    >>> tau_ap_weight(np.array([0, 1, 2]), np.array([1, 1, 1]))
    array([0. , 1. , 0.5])
    """
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, int((above + tied).max(initial=1)) + 1)))
    upto = np.maximum(above + tied - 1, 0)
    mean: Floats = (harmonic[upto] - harmonic[np.maximum(above - 1, 0)]) / np.maximum(tied, 1)
    return np.where(above > 0, mean, 0.0)


def depths_of(first: Sequence[Hashable], second: Sequence[Hashable], p: float) -> tuple[Floats, Floats, Floats]:
    """Items in common down to each depth of two rankings, their share, and its weight.

    Beyond the end of the shorter list, its overlap there is taken to go on.

    >>> depths_of(["a", "b"], ["b", "a"], p=0.5)
    (array([0., 2.]), array([0., 1.]), array([0.5 , 0.25]))
    """
    short, long = sorted((len(first), len(second)))
    common = common_by_depth(first, second)
    depth = np.arange(1, long + 1)
    seen = common + np.maximum(depth - short, 0) * common[short - 1] / short
    weight = ((1 - p) * p ** (depth - 1.0)).astype(np.float64)
    return seen, seen / depth, weight


def common_by_depth(first: Sequence[Hashable], second: Sequence[Hashable]) -> Ints:
    """Items in common down to each depth: an item counts from its lower rank on.

    >>> common_by_depth(["a", "b", "c"], ["b", "a"])
    array([0, 2, 2])
    """
    depth = max(len(first), len(second))
    ranks = {item: rank for rank, item in enumerate(first)}
    met = [max(rank, ranks[item]) for rank, item in enumerate(second) if item in ranks]
    return np.cumsum(np.bincount(met, minlength=depth)) if met else np.zeros(depth, dtype=np.int64)
