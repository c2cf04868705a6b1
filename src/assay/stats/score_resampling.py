"""Measures of scores on items that are drawn anew, or left out: scores are sorted once, and weighted.

What a resample changes is how often each item counts, not where it stands. So nothing is sorted again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.measures.score_curves import AveragePrecision

#: How often each positive, and each negative item counts.
Draw: TypeAlias = tuple[NDArray[Any], NDArray[Any]]
#: Random groups of items, of which each is left out once.
GROUPS = 50


class SortedItems(NamedTuple):
    """One system's scores, sorted; `order` is where the items stand in what is drawn, None if in the same order."""

    scored: Scored
    order: tuple[Ints, Ints] | None = None


def in_common(positive: Mask, scores: Sequence[Floats], weight: Floats | None) -> list[SortedItems]:
    """Systems' scores of the same items, in an order of the items that does not depend on how they came."""
    order = np.lexsort((*scores[::-1],) if weight is None else (weight, *scores[::-1]))
    sides = [order[positive[order]], order[~positive[order]]]
    systems = []
    for numbers in scores:
        first, second = (np.argsort(numbers[side], kind="stable") for side in sides)
        ordered = [sides[0][first], sides[1][second]]
        weights = [None, None] if weight is None else [weight[side] for side in ordered]
        scored = Scored(numbers[ordered[0]], numbers[ordered[1]], *weights)
        systems.append(SortedItems(scored, (first, second)))
    return systems


def drawn_items(n_positive: int, n_negative: int, resamples: int, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Draws of each positive and each negative item, resample by resample.

    How many of all items drawn are positive is a binomial number; which ones, is then drawn within each class.

    >>> [int(positive.sum() + negative.sum()) for positive, negative in drawn_items(2, 3, resamples=2, seed=0)]
    [5, 5]
    """
    rng = np.random.default_rng(seed)
    items = n_positive + n_negative
    for _ in range(resamples):
        positives = int(rng.binomial(items, n_positive / items))
        yield _drawn(rng, n_positive, positives), _drawn(rng, n_negative, items - positives)


def without_some(measure: Measure, systems: Sequence[SortedItems], seed: int) -> Floats:
    """Each system's number (column) without some of the items (row), for the jackknife.

    Average precision without each item is what its derivative says, which is as good as exact where items are many; of
    other measures, each of `GROUPS` random groups of about equal size is left out.

    >>> systems = [SortedItems(Scored.from_lists(positive=[0.9, 0.4], negative=[0.5]))]
    >>> without_some(AveragePrecision, systems, seed=0)[:, 0]  # 5/6 + 1/36, 5/6 - 5/36, 5/6 + 1/9
    array([0.8611, 0.6944, 0.9444])
    """
    if measure == AveragePrecision:
        return np.column_stack([np.concatenate(_precision_without_each(*system)) for system in systems])
    n_positive, n_negative = len(systems[0].scored.positive), len(systems[0].scored.negative)
    group = np.random.default_rng(seed).permutation(n_positive + n_negative) % GROUPS
    left = (group != number for number in range(GROUPS))
    return measured(measure, systems, ((some[:n_positive], some[n_positive:]) for some in left))


def measured(measure: Measure, systems: Sequence[SortedItems], draws: Iterable[Draw]) -> Floats:
    """Each system's number (column) in each draw of the items (row); NaN where it has none.

    >>> systems = [SortedItems(Scored.from_lists(positive=[0.9, 0.4], negative=[0.5]))]
    >>> measured(AveragePrecision, systems, [(np.array([1, 1]), np.array([1])), (np.array([0, 2]), np.array([0]))])
    array([[0.8333],
           [1.    ]])
    """
    fast = measure == AveragePrecision
    functions = [_precision(system.scored) if fast else _any(system.scored, measure) for system in systems]
    orders = [system.order or (slice(None), slice(None)) for system in systems]
    both = list(zip(functions, orders, strict=True))
    return np.array([[value(draw[0][first], draw[1][last]) for value, (first, last) in both] for draw in draws])


def _drawn(rng: np.random.Generator, items: int, draws: int) -> Ints:
    if not items:
        return np.zeros(0, dtype=np.int64)
    return np.bincount(rng.integers(items, size=draws), minlength=items)


def _precision(scored: Scored) -> Callable[[NDArray[Any], NDArray[Any]], float]:
    """Average precision for other weights of the same items: the mean of the precision at each positive item's score.

    From the highest score on, items are added up down to each positive one, and what ties with it.
    """
    positives, others = (
        np.ascontiguousarray(len(side) - np.searchsorted(side, scored.positive)[::-1])
        for side in (scored.positive, scored.negative)
    )
    positive_weight, negative_weight = scored.positive_weight, scored.negative_weight

    def precision(positive: NDArray[Any], negative: NDArray[Any]) -> float:
        if positive_weight is not None and negative_weight is not None:
            positive, negative = positive * positive_weight, negative * negative_weight
        positive, negative = np.ascontiguousarray(positive[::-1]), np.ascontiguousarray(negative[::-1])
        running, noise = (np.concatenate([[0], np.cumsum(side)]) for side in (positive, negative))
        tp = running[positives]
        predicted = tp + noise[others]
        precisions = positive * (tp / (predicted + (predicted == 0)))
        return float(precisions.sum()) / float(running[-1]) if running[-1] else np.nan

    return precision


def _precision_without_each(scored: Scored, order: tuple[Ints, Ints] | None) -> tuple[Floats, Floats]:
    """Average precision without each positive, and without each negative item, to the first order.

    An item that is left out takes its own precision along, and changes that of all positive items not above it.
    """
    positive, negative = scored.positive, scored.negative
    first, last = np.ones(len(positive)), np.ones(len(negative))
    if scored.positive_weight is not None and scored.negative_weight is not None:
        first, last = scored.positive_weight, scored.negative_weight
    tp, fp = (
        weight.sum() - np.append(0, np.cumsum(weight))[np.searchsorted(side, positive)]
        for side, weight in ((positive, first), (negative, last))
    )
    precision = tp / (tp + fp)
    value = float(first @ precision) / float(first.sum())
    total = float(first.sum())
    gained, lost = (np.append(0, np.cumsum(first * part / (tp + fp) ** 2)) for part in (fp, tp))
    changes = (
        first * (precision - value + gained[np.searchsorted(positive, positive, side="right")]) / total,
        -last * lost[np.searchsorted(positive, negative, side="right")] / total,
    )
    without = tuple(value - change for change in changes)
    for side, places in zip(without, order or (), strict=False):
        side[places] = side.copy()
    return without[0], without[1]


def _any(scored: Scored, measure: Measure) -> Callable[[NDArray[Any], NDArray[Any]], float]:
    """Any measure of scores for other weights of the same items."""

    def value(positive: NDArray[Any], negative: NDArray[Any]) -> float:
        weighted = scored.reweighted(positive.astype(np.float64), negative.astype(np.float64))
        return float(measure.of(weighted)[0])

    return value
