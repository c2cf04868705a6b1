"""The overlap of two rankings, weighted by rank (RBO)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from assay.core.errors import ParameterError, quote
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.orders import common_by_depth, depths_of


class Overlap(NamedTuple):
    """Rank-biased overlap of two rankings, 0 to 1.

    `extrapolated` takes the overlap at the end of the lists to go on; whatever follows, it is at least `least`, and at
    most `least + residual`.
    """

    extrapolated: float
    least: float
    residual: float

    @property
    def most(self) -> float:
        """The largest overlap possible, whatever follows."""
        return self.least + self.residual


def rbo(first: Sequence[Hashable], second: Sequence[Hashable], p: float = 0.9) -> Overlap:
    """Rank-biased overlap of Webber, Moffat and Zobel (2010).

    Someone reads both rankings from the top, and after each rank goes on with probability `p`: so ranks beyond 1 / (1 -
    p) matter little. The overlap is the expected share of items, among those read, that are in both. The rankings may
    differ in length; neither may hold an item twice.

    >>> rbo(["a", "b", "c"], ["a", "b", "c"]).extrapolated
    1.0
    >>> rbo(["a", "b"], ["b", "a"], p=0.5).extrapolated  # share 0 at rank 1 with weight 1/2, and 1 ever after
    0.5
    """
    if not 0 < p < 1:
        raise ParameterError(f"p is the chance to read on, between 0 and 1, not {p:g}")
    for which, ranking in (("first", first), ("second", second)):
        _check(which, ranking)
    short, long = sorted((len(first), len(second)))
    common = common_by_depth(first, second)
    _, share, weight = depths_of(first, second, p)
    # Beyond both lists, the overlap of the two together is taken to go on.
    extrapolated = float(weight @ share) + float(share[-1]) * p**long
    least = _least(common, p)
    return Overlap(min(extrapolated, 1.0), least, _most(common, short, p) - least)


def _check(which: str, ranking: Sequence[Hashable]) -> None:
    if isinstance(ranking, str):
        raise ParameterError(f"a ranking is a list of items, not the text {quote(ranking)}")
    if not len(ranking):
        raise ParameterError(f"the {which} ranking is empty")
    seen: set[Hashable] = set()
    for item in ranking:
        if item in seen:
            raise ParameterError(f"the {which} ranking holds {item!r} twice")
        seen.add(item)


def _least(common: Ints, p: float) -> float:
    """The overlap if nothing that follows is in both: the sum of p^d / d to infinity is -ln(1 - p)."""
    depths = np.arange(1, len(common) + 1)
    series = p**depths / depths
    last = common[-1]
    return float((1 - p) / p * (series @ (common - last) - last * np.log1p(-p)))


def _most(common: Ints, short: int, p: float) -> float:
    """The overlap if everything that follows is in both as soon as it can be."""
    long = len(common)
    full = long + short - int(common[-1])  # from here on the lists hold the same items
    depths = np.arange(1, full + 1)
    seen: Floats = np.append(common, np.full(full - long, common[-1])).astype(np.float64)
    reached = np.minimum(depths, seen + np.maximum(depths - short, 0) + np.maximum(depths - long, 0))
    weights = (1 - p) * p ** (depths - 1.0)
    return float(weights @ (reached / depths)) + p**full
