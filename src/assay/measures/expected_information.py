"""How much mutual information chance gives to classes and clusters of given sizes.

If items are put into clusters at random, and all sizes stay as they are, a class of *a* items and a cluster of *b* have
a hypergeometric number of items in common. Only numbers near the mean matter; of those that are rarer than 1e-18, and
they are nearly all, nothing is computed. Where the spread is large, the expectation is a series in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.counting.judgments import Floats, Ints

#: Numbers of common items that are rarer than e to the minus this are left out.
_RARE = 45.0
#: From this variance on, the series is exact to the last digits: all it leaves out is less than 1 / variance⁴.
_WIDE = 2000.0
#: So many pairs of sizes are looked at together, and so many numbers of common items: what fits near the processor.
_PAIRS, _TERMS = 1 << 17, 1 << 15


def expected_information(class_sizes: Floats, cluster_sizes: Floats) -> float:
    """The mean of mutual information, in nats, over all ways to put items into clusters of these sizes.

    >>> expected_information(np.array([2.0, 2.0]), np.array([2.0, 2.0]))  # ln(2) in two of six ways, 0 in the others
    0.2310
    """
    return float(expected_by_unit(class_sizes[None], cluster_sizes[None])[0])


def expected_by_unit(class_sizes: Floats, cluster_sizes: Floats) -> Floats:
    """The same for several tables, each with a row of sizes; 0 without items. Sizes that they share are met once.

    >>> expected_by_unit(np.array([[2.0, 2.0], [4.0, 0.0]]), np.array([[2.0, 2.0], [1.0, 3.0]]))
    array([0.231, 0.   ])
    """
    items = class_sizes.sum(axis=1)
    ours, other = _Sizes.of(class_sizes), _Sizes.of(cluster_sizes)
    columns = np.bincount(other.unit, minlength=len(items))
    first, ends = np.cumsum(columns) - columns, np.cumsum(columns[ours.unit])
    total, start, done = np.zeros(len(items)), 0, 0
    while start < len(ends):
        end = max(start + 1, int(np.searchsorted(ends, done + _PAIRS, side="right")))
        row = np.repeat(np.arange(start, end), columns[ours.unit[start:end]])
        unit = ours.unit[row]
        column = first[unit] + np.arange(done, done + len(row)) - (ends[row] - columns[unit])
        pairs = _Pairs(ours.size[row], other.size[column], items[unit])
        expected = _of_pairs(pairs) if unit[0] == unit[-1] else _of_pairs_once(pairs)
        total += np.bincount(unit, ours.times[row] * other.times[column] * expected, len(items))
        start, done = end, int(ends[end - 1])
    return total / np.where(items > 0, items, 1.0)


class _Sizes(NamedTuple):
    """The different sizes of each unit's groups, and how many groups have them."""

    unit: Ints
    size: Floats
    times: Ints

    @classmethod
    def of(cls, sizes: Floats) -> _Sizes:
        ordered = np.sort(sizes, axis=1)
        new = np.ones(sizes.shape, dtype=np.bool_)
        new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        places = np.flatnonzero(new)
        times, size = np.diff(places, append=sizes.size), ordered.ravel()[places]
        kept = size > 0
        return cls(places[kept] // sizes.shape[1], size[kept], times[kept])


class _Pairs(NamedTuple):
    """The sizes of classes and of clusters that meet, and how many items there are in all."""

    a: Floats
    b: Floats
    items: Floats

    def where(self, places: Any) -> _Pairs:
        return _Pairs(self.a[places], self.b[places], self.items[places])


def _of_pairs_once(pairs: _Pairs) -> Floats:
    """What `_of_pairs` gives, where many pairs are the same: subsamples of the same items have about the same sizes."""
    key = np.zeros(len(pairs.a), dtype=np.int64)
    for values in pairs:
        known, place = np.unique(values, return_inverse=True)
        key = key * len(known) + place
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    expected: Floats = _of_pairs(pairs.where(first))[place]
    return expected


def _of_pairs(pairs: _Pairs) -> Floats:
    """The expectation of n ln(n / mean) for each pair of sizes; n is how many items both have in common."""
    a, b, items = pairs
    mean = a * b / items
    variance = mean * (1 - a / items) * (1 - b / items) * items / np.maximum(items - 1, 1.0)
    expected = np.empty(len(a))
    wide = variance >= _WIDE
    expected[wide] = _series(pairs.where(wide), mean[wide], variance[wide])
    # Bernstein's inequality: further than this from the mean lie the numbers that are too rare.
    reach = _RARE / 3 + np.sqrt((_RARE / 3) ** 2 + 2 * _RARE * variance)
    low = np.maximum(np.maximum(0.0, a + b - items), np.floor(mean - reach))
    high = np.minimum(np.minimum(a, b), np.ceil(mean + reach))
    width = (high - low + 1).astype(np.int64)
    # Pairs with windows of about the same width are next to each other, so that little of a block is empty.
    order = np.flatnonzero(~wide)
    order = order[np.argsort(-width[order], kind="stable")]
    start = 0
    while start < len(order):
        block = order[start : start + max(1, _TERMS // int(width[order[start]]))]
        expected[block] = _summed(pairs.where(block), low[block], high[block])
        start += len(block)
    return expected


def _series(pairs: _Pairs, mean: Floats, variance: Floats) -> Floats:
    """By the moments: (1 + d) ln(1 + d) - d = d²/2 - d³/6 + d⁴/12 - ..., d being the distance in shares of the mean.

    The first four moments are exact, those after them as far as they follow from these.
    """
    items = pairs.items
    p, q = pairs.a / items, pairs.b / items
    third = variance * (1 - 2 * p) * (1 - 2 * q) * items / (items - 2)
    spread = items**2 * (1 + 1 / items - 6 * p * (1 - p) - 6 * q * (1 - q)) + 6 * (5 * items - 6) * variance
    beyond = variance * spread / ((items - 2) * (items - 3))  # the fourth moment beyond that of a normal distribution
    moments = (
        variance,
        third,
        3 * variance**2 + beyond,
        10 * variance * third,
        15 * variance**3 + 15 * variance * beyond + 10 * third**2,
        105 * variance**2 * third,
        105 * variance**4,
    )
    terms = [moment / (k * (k - 1) * (-mean) ** k) for k, moment in enumerate(moments, start=2)]
    series: Floats = mean * np.sum(terms, axis=0)
    return series


def _summed(pairs: _Pairs, low: Floats, high: Floats) -> Floats:
    """Number by number: each is so many times as likely as the one before it."""
    a, b, items = (each[:, None] for each in pairs)
    mean = a * b / items
    common = low[:, None] + np.arange(int((high - low).max()) + 1)
    there = common <= high[:, None]
    n = common[:, :-1]
    # How many times as likely as the first: the last possible number makes it 0, and it stays so.
    likely = np.ones(common.shape)
    np.multiply(a - n, b - n, out=likely[:, 1:])
    likely[:, 1:] /= (n + 1) * (items - a - b + n + 1)
    likely[:, 1:] *= there[:, 1:]
    np.cumprod(likely, axis=1, out=likely)
    # As n - mean is 0 on average it may be taken off: what is left is never negative, and small where n is near.
    gained = mean - common
    share = np.log1p(-gained / mean, out=np.zeros(common.shape), where=common > 0)
    gained += common * share
    expected: Floats = (likely * gained).sum(axis=1) / likely.sum(axis=1)
    return expected
