"""The test of label measures: if the systems do not differ, their predictions could be swapped for any item.

Where both predict the same nothing changes. Of *m* items with the same truth and the same two predictions, it only
matters for how many the first system has the one and the second the other: a number of heads in *m* throws. So all
swaps are gone through where these numbers have few combinations, as with two labels, and otherwise they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from assay.core.errors import number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.stats.label_patterns import LabelPatterns
from assay.stats.permutation import NO_DIFFERENCE, NOTHING_DIFFERS, Alternative, Outcome
from assay.stats.rounding import ROUNDING

#: All swaps are gone through where they give at most so many different tables.
MOST_COMBINATIONS = 1 << 16
# Throws drawn at a time. Part of the result: blocks use up the seed in turn.
_BLOCK = 1 << 20


class Differing(NamedTuple):
    """Items that two systems predict differently, grouped by truth, the two predictions and weight.

    `table` has one system and a row of counts for what is swapped and what is not: first the cells of items that both
    predict the same, then the items with one prediction, then those with the other. `same` is what the first holds,
    `items` how many items there are in each group, `observed` for how many of them the first system has the one.
    """

    table: LabelPatterns
    same: Floats
    items: Ints
    observed: Ints

    @classmethod
    def of(cls, sample: LabelPatterns) -> Differing:
        """Group what a sample of two systems holds."""
        size = len(sample.labels)
        first, second = sample.predicted.T
        differs = first != second
        weight = np.ones(len(first)) if sample.weight is None else sample.weight
        agreed = sample.truth[~differs] * size + first[~differs]
        cells, place = np.unique(agreed, return_inverse=True)
        same: Floats = np.bincount(place.ravel(), (sample.counts * weight)[~differs], len(cells)).astype(np.float64)
        low, high = np.minimum(first, second)[differs], np.maximum(first, second)[differs]
        keys = np.column_stack([sample.truth[differs], low, high, weight[differs]])
        groups, place = np.unique(keys, axis=0, return_inverse=True)
        counts, ones = sample.counts[differs], first[differs] == low
        items = np.bincount(place.ravel(), counts, len(groups)).astype(np.int64)
        observed = np.bincount(place.ravel(), counts * ones, len(groups)).astype(np.int64)
        truth, low, high = groups[:, :3].astype(np.int64).T
        table = replace(
            sample,
            truth=np.concatenate([cells // size, truth, truth]),
            predicted=np.concatenate([cells % size, low, high])[:, None],
            weight=np.concatenate([np.ones(len(cells)), groups[:, 3], groups[:, 3]]),
            counts=np.concatenate([same, observed, items - observed]).astype(np.int64),
            pattern=np.empty(0, np.int64),
        )
        return cls(table, same, items, observed)

    def differences(self, heads: Ints) -> Floats:
        """The second system's number less the first one's, where the first has the one so often (rows of groups)."""
        same = np.broadcast_to(self.same, (len(heads), len(self.same)))
        there, here = self.items - heads, heads
        first, second = (self.table.of(np.hstack([same, *both]))[:, 0] for both in ((here, there), (there, here)))
        less: Floats = second - first
        return less


def swap_test(
    sample: LabelPatterns, *, resamples: int = 100_000, seed: int = 0, alternative: Alternative = "two-sided"
) -> Outcome:
    """Test whether two systems' label measure differs, by swapping their predictions item by item.

    The p-value is exact where the swaps give at most 65,536 different tables; otherwise swaps are drawn, and what was
    observed counts as one more draw: p = (b + 1) / (n + 1).

    >>> from assay.measures import parse_measure
    >>> from assay.stats.label_samples import LabelSample
    >>> truth, predicted = np.ones(5, int), np.column_stack([np.zeros(5, int), np.ones(5, int)])
    >>> sample = LabelSample.of_items(parse_measure("Recall", "binary"), (0, 1), truth, predicted, positive=1)
    >>> swap_test(sample)  # 2 of the 2^5 ways to swap
    Outcome(test='swap', statistic=1.0, p=0.0625, resamples=None, note='exact: all swaps of 5 items', sign=None)
    """
    differing = Differing.of(sample)
    items = int(differing.items.sum())
    if not items:
        return Outcome("swap", 0.0, 1.0, None, NOTHING_DIFFERS)
    observed = float(differing.differences(differing.observed[None])[0])
    if np.isnan(observed):
        return Outcome("swap", observed, np.nan, None, NO_DIFFERENCE)
    reach = ROUNDING * max(float(np.nanmax(np.abs(sample.observed), initial=0.0)), np.finfo(np.float64).tiny)
    if np.log(differing.items + 1.0).sum() <= np.log(MOST_COMBINATIONS):
        heads, chances = _every(differing.items)
        p = float(chances[_as_extreme(differing.differences(heads), observed, reach, alternative)].sum())
        return Outcome("swap", observed, min(1.0, p), None, f"exact: all swaps of {number_of('item', items)}")
    extreme = 0
    for heads in _drawn(differing.items, resamples, seed):
        extreme += int(np.count_nonzero(_as_extreme(differing.differences(heads), observed, reach, alternative)))
    note = f"{resamples:,} random swaps of {number_of('item', items)}"
    return Outcome("swap", observed, (extreme + 1) / (resamples + 1), resamples, note)


def _as_extreme(swapped: Floats, observed: float, reach: float, alternative: Alternative) -> NDArray[np.bool_]:
    # What is undefined once it is swapped is no evidence against the null: it counts as extreme.
    unknown = np.isnan(swapped - observed)
    if alternative == "greater":
        return unknown | (swapped >= observed - reach)
    if alternative == "less":
        return unknown | (swapped <= observed + reach)
    return unknown | (np.abs(swapped) >= abs(observed) - reach)


def _every(items: Ints) -> tuple[Ints, Floats]:
    """Every combination of numbers of heads, and its chance."""
    number = np.arange(int(np.prod(items + 1)))
    heads = np.column_stack(np.unravel_index(number, tuple(items + 1)))
    ways = special.gammaln(items + 1) - special.gammaln(heads + 1) - special.gammaln(items - heads + 1)
    chances = np.exp((ways - items * np.log(2)).sum(axis=1))
    return heads, chances / chances.sum()


def _drawn(items: Ints, resamples: int, seed: int) -> Iterator[Ints]:
    """Random numbers of heads, a row a resample, block by block."""
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(items))
    for start in range(0, resamples, rows):
        yield rng.binomial(items, 0.5, size=(min(rows, resamples - start), len(items)))
