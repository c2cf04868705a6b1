"""Intervals of measures of scores by drawing items anew: scores are sorted once, and resamples are weights on them.

What a resample changes is how often each item counts, not where it stands. So nothing is sorted again: an area under
the ROC curve is a running sum of the negatives' weights, looked up at the places of the positives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.core.domains import Choice, Whole
from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import weights_of
from assay.measures.counting.positives import positives, refuse_lengths, refuse_not_finite, scores_of
from assay.measures.counting.scored import Scored, places
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.score_curves import AUC, AveragePrecision
from assay.stats.bootstrap import Interval, Method, intervals
from assay.stats.confidence import checked_confidence
from assay.stats.delong import exact_bound

#: `items`: all items are drawn together, so that the share of positive ones varies, as it would in new data.
#: `stratified`: as many positive and as many negative items are drawn as there are.
Sampling: TypeAlias = Literal["items", "stratified"]

_SAMPLINGS = ("items", "stratified")


class ScoreBootstrap(NamedTuple):
    """A measure of scores, its number in each resample (NaN where it has none), and the interval that those give.

    With two systems, `value`, `resampled` and `interval` are of the difference, the first less the second, and
    `systems` holds the two numbers; with one, it holds the value.
    """

    measure: Measure
    value: float
    interval: Interval
    resampled: Floats
    systems: tuple[float, ...]
    sampling: Sampling
    seed: int
    note: str = ""


def bootstrap_scores(
    scored: Scored,
    measure: Measure | str = AUC,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    sampling: Sampling = "items",
    method: Method | None = None,
) -> ScoreBootstrap:
    """An interval for a measure of scores, from items drawn anew with replacement.

    `method` is `bca` where the measure is AUC, whose value without each item is known at once, and `percentile`
    otherwise. Where all resamples give the same AUC, as they do for a score that separates the items without exception,
    the interval is the exact bound of `delong` instead.

    >>> scored = Scored.from_lists(positive=[0.9, 0.8, 0.6, 0.4], negative=[0.7, 0.5, 0.3, 0.2])
    >>> found = bootstrap_scores(scored, seed=1)
    >>> found.value, found.interval.method, len(found.resampled)
    (0.8125, 'bca', 1000)
    """
    chosen = _Chosen.of(
        measure, confidence=confidence, resamples=resamples, seed=seed, sampling=sampling, method=method
    )
    return _bootstrapped([_System.of(scored, chosen.measure)], chosen)


def bootstrap_scores_paired(
    y_true: Any,
    scores_a: Any,
    scores_b: Any,
    measure: Measure | str = AUC,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    sampling: Sampling = "items",
    method: Method | None = None,
) -> ScoreBootstrap:
    """An interval for the difference of two scores of the same items: each resample draws items, with both scores.

    The order of the items does not matter: they are sorted by their scores before anything is drawn.

    >>> found = bootstrap_scores_paired([1, 1, 1, 0, 0, 0], [6, 5, 3, 4, 2, 1], [6, 1, 4, 3, 5, 2])
    >>> found.value, found.systems
    (0.3333, (0.8889, 0.5556))
    """
    chosen = _Chosen.of(
        measure, confidence=confidence, resamples=resamples, seed=seed, sampling=sampling, method=method
    )
    truth, _ = positives(y_true, pos_label)
    scores = [scores_of(one, name) for one, name in ((scores_a, "scores_a"), (scores_b, "scores_b"))]
    for one, name in zip(scores, ("scores_a", "scores_b"), strict=True):
        refuse_lengths(len(truth), len(one), name)
        refuse_not_finite(one, name)
    weight = None if sample_weight is None else weights_of(sample_weight, len(truth))
    keys = (*scores[::-1],) if weight is None else (weight, *scores[::-1])
    order = np.lexsort(keys)
    sides = [order[truth[order]], order[~truth[order]]]
    systems = [_System.of_items(one, sides, weight, chosen.measure) for one in scores]
    return _bootstrapped(systems, chosen)


def drawn_items(
    n_positive: int, n_negative: int, resamples: int, seed: int, sampling: Sampling = "items"
) -> Iterator[tuple[Ints, Ints]]:
    """How often each positive and each negative item is drawn, resample by resample.

    How many of all items drawn are positive is a binomial number; which ones, is then drawn within each class.

    >>> [(int(positive.sum()), int(negative.sum())) for positive, negative in drawn_items(2, 3, 2, 0, "stratified")]
    [(2, 3), (2, 3)]
    """
    rng = np.random.default_rng(seed)
    items = n_positive + n_negative
    for _ in range(resamples):
        drawn = n_positive if sampling == "stratified" else int(rng.binomial(items, n_positive / items))
        yield _drawn(rng, n_positive, drawn), _drawn(rng, n_negative, items - drawn)


def _drawn(rng: np.random.Generator, items: int, draws: int) -> Ints:
    if not items:
        return np.zeros(0, dtype=np.int64)
    return np.bincount(rng.integers(items, size=draws), minlength=items)


class _Chosen(NamedTuple):
    """What is computed, and how."""

    measure: Measure
    confidence: float
    resamples: int
    seed: int
    sampling: Sampling
    method: Method

    @classmethod
    def of(
        cls,
        measure: Measure | str,
        *,
        confidence: float,
        resamples: int,
        seed: int,
        sampling: Sampling,
        method: Method | None,
    ) -> _Chosen:
        """The same, checked."""
        checked_confidence(confidence)
        Whole(1).check("resamples", resamples)
        Whole(0).check("seed", seed)
        Choice(_SAMPLINGS).check("sampling", sampling)
        meant = parse_measure(measure, "binary") if isinstance(measure, str) else measure
        made_from = meant.definition.counts
        if made_from is not Scored:
            raise ParameterError(f"{meant} is not a measure of scores: it is made from {made_from.__name__}")
        if method not in {None, "bca", "percentile"}:
            raise ParameterError(f"method is bca or percentile, not {method!r}")
        if method == "bca" and not _is_area(meant):
            raise ParameterError(f"bca is for AUC only: {meant} takes percentile")
        return cls(meant, confidence, resamples, seed, sampling, method or ("bca" if _is_area(meant) else "percentile"))


class _System(NamedTuple):
    """One system: its number in a resample, and without each item; `order` is where its sorted scores' items stand."""

    scored: Scored
    value_of: Callable[[NDArray[Any], NDArray[Any]], float]
    order: tuple[Ints, Ints] | None

    @classmethod
    def of(cls, scored: Scored, measure: Measure, order: tuple[Ints, Ints] | None = None) -> _System:
        if _is_area(measure):
            return cls(scored, _area(scored), order)
        return cls(scored, _precision(scored) if measure == AveragePrecision else _any(scored, measure), order)

    @classmethod
    def of_items(cls, scores: NDArray[Any], sides: Sequence[Ints], weight: Floats | None, measure: Measure) -> _System:
        """A system's scores of items whose numbers are given for either class, in the order in which they are drawn."""
        kinds = {"f": np.float64, "u": np.uint64}
        numbers = scores.astype(kinds.get(scores.dtype.kind, np.int64))
        first, second = (np.argsort(numbers[side], kind="stable") for side in sides)
        ordered = [sides[0][first], sides[1][second]]
        weights = [None, None] if weight is None else [weight[side] for side in ordered]
        scored = Scored(numbers[ordered[0]], numbers[ordered[1]], *weights)
        return cls.of(scored, measure, (first, second))

    def of_drawn(self, positive: Ints, negative: Ints) -> float:
        """The number in a resample, from how often each item was drawn."""
        if self.order is None:
            return self.value_of(positive, negative)
        return self.value_of(positive[self.order[0]], negative[self.order[1]])

    def observed(self) -> float:
        return self.value_of(np.ones(len(self.scored.positive)), np.ones(len(self.scored.negative)))

    def without_each(self) -> Floats:
        """The AUC without each of the positive, then of the negative items, in the order in which they are drawn."""
        found = _areas_without_each(self.scored)
        if self.order is not None:
            for side, order in zip(found, self.order, strict=True):
                side[order] = side.copy()
        return np.concatenate(found)


def _bootstrapped(systems: list[_System], chosen: _Chosen) -> ScoreBootstrap:
    """Draw items, and take the differences of two systems or the numbers of one."""
    first = systems[0].scored
    n_positive, n_negative = len(first.positive), len(first.negative)
    draws = drawn_items(n_positive, n_negative, chosen.resamples, chosen.seed, chosen.sampling)
    resampled = _compared(np.array([[system.of_drawn(*drawn) for system in systems] for drawn in draws]))
    observed = tuple(system.observed() for system in systems)
    value = float(_compared(np.array([observed]))[0])
    without = np.zeros(n_positive + n_negative)  # percentiles ask only how many there are
    if chosen.method == "bca":
        without = _compared(np.column_stack([system.without_each() for system in systems]))
    interval = intervals(resampled, value, without, [chosen.confidence], chosen.method)[0]
    if len(systems) == 1:
        interval = interval.within(chosen.measure.definition.bounds)
    known = resampled[~np.isnan(resampled)]
    note = ""
    if np.isnan(value):
        note = str(chosen.measure.per_unit(first).reason(0))
    elif (known == value).all():
        note = "all resamples give the same number"
        if len(systems) == 1 and _is_area(chosen.measure) and value in {0.0, 0.5, 1.0}:
            interval = exact_bound(value, min(n_positive, n_negative), chosen.confidence)
            note += ": the interval is an exact one-sided bound"
    elif len(known) < chosen.resamples:
        note = f"{chosen.resamples - len(known):,} of {chosen.resamples:,} resamples have no value and are left out"
    return ScoreBootstrap(chosen.measure, value, interval, resampled, observed, chosen.sampling, chosen.seed, note)


def _compared(numbers: Floats) -> Floats:
    """The first system less the second (columns), or the only one."""
    return numbers[:, 0] - numbers[:, 1] if numbers.shape[1] == 2 else numbers[:, 0]


def _area(scored: Scored) -> Callable[[NDArray[Any], NDArray[Any]], float]:
    """AUC for other weights of the same items."""
    below, not_above = places(scored.positive, scored.negative)
    tied = below is not not_above
    positive_weight, negative_weight = scored.positive_weight, scored.negative_weight

    def area(positive: NDArray[Any], negative: NDArray[Any]) -> float:
        if positive_weight is not None and negative_weight is not None:
            positive, negative = positive * positive_weight, negative * negative_weight
        running = np.concatenate([[0], np.cumsum(negative)])
        beaten = running[below]
        twice = beaten + (running[not_above] if tied else beaten)
        pairs = float(positive.sum()) * float(running[-1])
        return float(positive @ twice) / (2 * pairs) if pairs else np.nan

    return area


def _precision(scored: Scored) -> Callable[[NDArray[Any], NDArray[Any]], float]:
    """Average precision for other weights of the same items: the mean of the precision at each positive item's score.

    From the highest score on, items are added up down to each positive one, and what ties with it.
    """
    own, others = (
        np.ascontiguousarray(len(side) - np.searchsorted(side, scored.positive)[::-1])
        for side in (scored.positive, scored.negative)
    )
    positive_weight, negative_weight = scored.positive_weight, scored.negative_weight

    def precision(positive: NDArray[Any], negative: NDArray[Any]) -> float:
        if positive_weight is not None and negative_weight is not None:
            positive, negative = positive * positive_weight, negative * negative_weight
        positive, negative = np.ascontiguousarray(positive[::-1]), np.ascontiguousarray(negative[::-1])
        running, noise = (np.concatenate([[0], np.cumsum(side)]) for side in (positive, negative))
        tp = running[own]
        predicted = tp + noise[others]
        found = positive * (tp / (predicted + (predicted == 0)))
        return float(found.sum()) / float(running[-1]) if running[-1] else np.nan

    return precision


def _any(scored: Scored, measure: Measure) -> Callable[[NDArray[Any], NDArray[Any]], float]:
    """Any measure of scores for other weights of the same items."""

    def value(positive: NDArray[Any], negative: NDArray[Any]) -> float:
        weighted = scored.reweighted(positive.astype(np.float64), negative.astype(np.float64))
        return float(measure.of(weighted)[0])

    return value


def _areas_without_each(scored: Scored) -> tuple[Floats, Floats]:
    """AUC without each positive item, and without each negative one: its pairs are taken out."""
    positive = _weight_of(scored.positive, scored.positive_weight)
    negative = _weight_of(scored.negative, scored.negative_weight)
    of_positive = _pairs_of_each(scored.positive, scored.negative, negative)
    of_negative = positive.sum() - _pairs_of_each(scored.negative, scored.positive, positive)
    won = float(positive @ of_positive)
    with np.errstate(divide="ignore", invalid="ignore"):
        without_positive = (won - positive * of_positive) / ((positive.sum() - positive) * negative.sum())
        without_negative = (won - negative * of_negative) / ((negative.sum() - negative) * positive.sum())
    return without_positive, without_negative


def _pairs_of_each(scores: NDArray[Any], others: NDArray[Any], weight: Floats) -> Floats:
    """The weight of the others that each score beats, ties counting half."""
    below, not_above = places(scores, others)
    running = np.append(0.0, np.cumsum(weight))
    won: Floats = (running[below] + running[not_above]) / 2
    return won


def _weight_of(scores: NDArray[Any], weight: Floats | None) -> Floats:
    return np.ones(len(scores)) if weight is None else weight


def _is_area(measure: Measure) -> bool:
    """Whether it is the whole area under the ROC curve."""
    whole = measure.definition.function is AUC.definition.function
    return whole and measure.parameters["max_fpr"] in {None, 1.0}
