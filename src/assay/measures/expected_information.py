"""How much mutual information chance gives to classes and clusters of given sizes.

If items are put into clusters at random, and all sizes stay as they are, a class of *a* items and a cluster of *b* have
a hypergeometric number of items in common. Only numbers near the mean matter; of those that are rarer than 1e-18, and
they are nearly all, nothing is computed. Where the spread is large, the expectation is a series in it.
"""

from __future__ import annotations

import numpy as np

from assay.counting.judgments import Floats

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
    sides = (sizes[sizes > 0] for sizes in (class_sizes, cluster_sizes))
    (one, one_times), (other, other_times) = (np.unique(sizes, return_counts=True) for sizes in sides)
    items, total = float(class_sizes.sum()), 0.0
    if len(one) > len(other):
        one, one_times, other, other_times = other, other_times, one, one_times
    step = max(1, _PAIRS // len(other))
    for start in range(0, len(one), step):
        part = slice(start, start + step)
        a, b = (sizes.ravel() for sizes in np.broadcast_arrays(one[part, None], other))
        times = (one_times[part, None] * other_times).ravel()
        total += float(times @ _of_pairs(a, b, items))
    return total / items


def _of_pairs(a: Floats, b: Floats, items: float) -> Floats:
    """The expectation of n ln(n / mean) for each pair of sizes; n is how many items both have in common."""
    mean = a * b / items
    variance = mean * (1 - a / items) * (1 - b / items) * items / max(items - 1, 1.0)
    made = np.empty(len(a))
    wide = variance >= _WIDE
    made[wide] = _series(a[wide], b[wide], mean[wide], variance[wide], items)
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
        made[block] = _summed(a[block], b[block], low[block], high[block], items)
        start += len(block)
    return made


def _series(a: Floats, b: Floats, mean: Floats, variance: Floats, items: float) -> Floats:
    """By the moments: (1 + d) ln(1 + d) - d = d²/2 - d³/6 + d⁴/12 - ..., d being the distance in shares of the mean.

    The first four moments are exact, those after them as far as they follow from these.
    """
    p, q = a / items, b / items
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


def _summed(a: Floats, b: Floats, low: Floats, high: Floats, items: float) -> Floats:
    """Number by number: each is so many times as likely as the one before it."""
    a, b, mean = a[:, None], b[:, None], (a * b / items)[:, None]
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
