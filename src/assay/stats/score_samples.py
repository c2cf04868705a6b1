"""`ScoreSample`: measures of scores of several systems on the same items, with their tests and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy import special

from assay.core.errors import Note, number_of
from assay.core.options import Method
from assay.measures.counting.judgments import Floats, Mask
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.stats.bootstrap import FEWEST_DRAWN, Interval, intervals, percentiles
from assay.stats.delong import DeLongPaired, delong, delong_paired
from assay.stats.estimates import JACKKNIFE
from assay.stats.permutation import NO_DIFFERENCE, Alternative, Outcome
from assay.stats.samples import Contrast, Drawing, Pair, Sample
from assay.stats.score_resampling import SortedItems, drawn_items, in_common, measured, without_some

#: Each resample is measured on its own, so that fewer have to do: so many at most, and at least.
MOST_RESAMPLES, _FEWEST_RESAMPLES = 2_000, 500
#: Between the two, as many as take so many scores.
_MOST_SCORES = 50_000_000
#: Of more items than this, so many of each class among them, some are left out instead of drawing all.
_MANY_ITEMS, _MANY_OF_EACH = 20_000, 1_000


# What an area is multiplied by: the Gini coefficient is twice the area, less 1.
_SCALES = {"AUC": 1.0, "Gini": 2.0}


def scale_of(measure: Measure) -> float | None:
    """The scale of a measure on the area under the ROC curve; None if it is something else.

    >>> from assay.measures import parse_measure
    >>> scale_of(parse_measure("Gini", "binary")), scale_of(parse_measure("AUC(max_fpr=0.1)", "binary"))
    (2.0, None)
    """
    return _SCALES.get(measure.name) if measure.parameters.get("max_fpr") in {None, 1.0} else None


def resamples_of(items: int, asked: int) -> int:
    """The resamples of so many items: each passes over all scores, so of many, fewer have to do.

    >>> resamples_of(1_000, 10_000), resamples_of(50_000, 10_000), resamples_of(10_000_000, 10_000)
    (2000, 1000, 500)
    """
    return min(asked, MOST_RESAMPLES, max(_FEWEST_RESAMPLES, _MOST_SCORES // items))


def are_many(positives: int, negatives: int) -> bool:
    """True for items so many that leaving some out says as much as drawing them anew, and far sooner.

    >>> are_many(3_000, 17_001), are_many(900, 1_000_000)
    (True, False)
    """
    return positives + negatives > _MANY_ITEMS and min(positives, negatives) >= _MANY_OF_EACH


def score_interval(scored: Scored, measure: Measure, level: float, resamples: int, seed: int) -> tuple[Interval, int]:
    """The interval of a system's number under a measure of scores, and how often items were drawn for it.

    DeLong's for the area under the ROC curve and for what is made of it. Otherwise, and where items have weights, items
    are drawn anew; of very many, some are left out in turn (jackknife).

    >>> from assay.measures import parse_measure
    >>> scored = Scored.from_lists(positive=[0.9, 0.8, 0.6, 0.4], negative=[0.7, 0.5, 0.3, 0.2])
    >>> score_interval(scored, parse_measure("EER", "binary"), 0.95, 100, seed=0)[1]
    100
    """
    scale = None if scored.is_weighted else scale_of(measure)
    if scale is not None:
        shift = scale - 1  # the Gini coefficient is 0 where the area is one half
        return _scaled(delong(scored, level).interval, scale, -shift), 0
    sizes = len(scored.positive), len(scored.negative)
    value = float(measure.of(scored)[0])
    systems = [SortedItems(scored)]
    if are_many(*sizes):
        without = without_some(measure, systems, seed)
        return jackknife(value, without[:, 0], [level])[0].within(measure.definition.bounds), 0
    if not resamples:
        return Interval.unknown(level), 0
    often = resamples_of(sum(sizes), resamples)
    resampled = measured(measure, systems, drawn_items(*sizes, often, seed))[:, 0]
    counts = np.array([sum(sizes)])
    interval = intervals(resampled, value, np.empty(0), [level], "percentile", counts=counts)[0]
    return interval.within(measure.definition.bounds), often


def jackknife(value: float, without: Floats, levels: Sequence[float]) -> list[Interval]:
    """The t intervals of a number that is known without each item, or without each group of items.

    >>> jackknife(2.0, np.array([2.5, 2.0, 1.5]), [0.95])
    [Interval(low=-0.4841, high=4.4841, level=0.95, method='jackknife')]
    """
    t_intervals = intervals(np.empty(0), value, without, levels, "t")
    return [interval._replace(method=JACKKNIFE) for interval in t_intervals]


@dataclass(frozen=True, eq=False)
class ScoreSample(Sample):
    """Systems' scores (an array per system) of the same items, of which some are positive, and a measure of scores.

    >>> from assay.measures import parse_measure
    >>> first, second = np.array([6.0, 5, 3, 4, 2, 1]), np.array([6.0, 1, 4, 3, 5, 2])
    >>> positive = np.array([True, True, True, False, False, False])
    >>> sample = ScoreSample(parse_measure("AUC", "binary"), positive, (first, second))
    >>> sample.observed, sample.scale
    (array([0.8889, 0.5556]), 1.0)
    """

    scorer: Measure
    positive: Mask
    scores: tuple[Floats, ...]
    weight: Floats | None = None

    draws_alike: ClassVar[bool] = True

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.positive)

    @property
    def scale(self) -> float | None:
        """The scale of the measure on the area under the ROC curve, if DeLong's variance serves it; else None."""
        return None if self.weight is not None else scale_of(self.scorer)

    @cached_property
    def positives(self) -> int:
        """The number of positive items."""
        return int(np.count_nonzero(self.positive))

    @property
    def are_many(self) -> bool:
        """True for items so many that some are left out in turn instead of drawing all anew."""
        return are_many(self.positives, self.size - self.positives)

    @cached_property
    def scored(self) -> tuple[Scored, ...]:
        """Each system's scores, sorted."""
        return tuple(Scored.from_scores(self.positive, scores, sample_weight=self.weight) for scores in self.scores)

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        return np.concatenate([self.scorer.of(scored) for scored in self.scored])

    def undefined(self) -> list[str | None]:
        """Reasons why systems have no number, None where they have one."""
        return [self.scorer.per_unit(scored).reason(0) for scored in self.scored]

    def only(self, *systems: int) -> Self:
        """Some of the systems, given by their places."""
        return replace(self, scores=tuple(self.scores[place] for place in systems), systems=self._names(systems))

    def is_same(self, first: int, second: int) -> bool:
        """True if two systems put all items into the same order, ties included."""
        before, after = (np.unique(self.scores[place], return_inverse=True)[1].ravel() for place in (first, second))
        return bool((before == after).all())

    def redraws(self, drawing: Drawing, method: Method = "hull") -> Drawing:
        """The number of resamples: 0 where DeLong's variance or the jackknife serves."""
        never = self.scale is not None or self.are_many
        return drawing._replace(resamples=0 if never else resamples_of(self.size, drawing.resamples))

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """DeLong's intervals of areas; of other numbers, those of resamples of the items, or of the jackknife."""
        if self.size < 2:
            return [Interval.unknown(level, method) for level in levels]
        if len(of) == 1:
            return [score_interval(self.scored[of[0]], self.scorer, level, *drawing)[0] for level in levels]
        if self.size < FEWEST_DRAWN:
            return [Interval.unknown(level) for level in levels]
        if self.scale is not None:
            return [_scaled(self.delong(*of, level).interval, self.scale) for level in levels]
        if self.are_many:
            return jackknife(self.difference(*of), self.without_some(*of, drawing.seed), levels)
        differences = self.redrawn(*of, drawing)
        return [percentiles(differences, level) for level in levels]

    def interval_notes(self) -> list[str]:
        """Notes on the intervals: items too few for those of differences."""
        few = f"{number_of(self.unit_kind, self.size)} are too few for an interval of a difference"
        return [Note.on(self.measure, few)] if 2 <= self.size < FEWEST_DRAWN else []

    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        """The spread of an item's part in the difference; NaN where it is not known."""
        if self.scale is None or self.size < 2 or np.isnan(self.observed[[first, second]]).any():
            return math.nan
        variance = self.delong(first, second).variance
        return self.scale * math.sqrt(variance * self.size) if variance >= 0 else math.nan

    def delong(self, first: int, second: int, level: float = 0.95) -> DeLongPaired:
        """DeLong's comparison of two areas: the second less the first."""
        return delong_paired(self.positive, self.scores[second], self.scores[first], confidence=level)

    def redrawn(self, first: int, second: int, drawing: Drawing) -> Floats:
        """The differences in resamples of the items; NaN where one has no number."""
        often = resamples_of(self.size, drawing.resamples)
        key = (first, second, drawing._replace(resamples=often))
        if key not in self._redrawn:
            draws = drawn_items(self.positives, self.size - self.positives, often, drawing.seed)
            numbers = measured(self.scorer, self._in_common(first, second), draws)
            self._redrawn[key] = numbers[:, 0] - numbers[:, 1]
        return self._redrawn[key]

    def without_some(self, first: int, second: int, seed: int) -> Floats:
        """The differences without each item, or without each group of items."""
        key = (first, second, Drawing(0, seed))
        if key not in self._redrawn:
            numbers = without_some(self.scorer, self._in_common(first, second), seed)
            self._redrawn[key] = numbers[:, 0] - numbers[:, 1]
        return self._redrawn[key]

    def _in_common(self, first: int, second: int) -> list[SortedItems]:
        order = self._by_name((second, first))
        systems = in_common(self.positive, [self.scores[system] for system in order], self.weight)
        return [systems[order.index(second)], systems[order.index(first)]]

    @cached_property
    def _redrawn(self) -> dict[tuple[int, int, Drawing], Floats]:
        return {}

    @property
    def tests(self) -> tuple[str, ...]:
        """DeLong's test of areas; the interval of resamples, read as a test, of all else, or the jackknife."""
        if self.scale is not None:
            return ("delong",)
        return (JACKKNIFE, "bootstrap_interval") if self.are_many else ("bootstrap_interval",)

    def synonym(self, test: str) -> str:
        """Of scores, a bootstrap is that of the interval."""
        return "bootstrap_interval" if test == "bootstrap" else test

    def why_not_test(self, test: str) -> str:
        """The reason why a test does not suit scores."""
        why = "it is made of all items together"
        if test in {"swap", "permutation"}:
            why = "scores of two systems may be on different scales and are never swapped"
        elif test == JACKKNIFE:
            why = "the jackknife is for many items of each class"
        elif test == "delong":
            why = "DeLong's test is for areas under the whole ROC curve, of items without weights"
        return f"{self.measure}: {why}"

    def test_words(self, outcome: Outcome) -> str:
        """The name of the test, and the way it was made."""
        return f"{outcome.test}: {outcome.note}" if outcome.note else outcome.test

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        if test == "delong":
            return [delong_test(self, *pair, alternative) for pair in pairs]
        if test == JACKKNIFE:
            return [jackknife_test(self, *pair, drawing.seed, alternative) for pair in pairs]
        return [bootstrap_of_scores(self, *pair, drawing, alternative) for pair in pairs]


def delong_test(sample: ScoreSample, first: int, second: int, alternative: Alternative = "two-sided") -> Outcome:
    """DeLong's test of two areas from the same items; the statistic is the difference in standard errors.

    >>> from assay.measures import parse_measure
    >>> first, second = np.array([6.0, 5, 3, 4, 2, 1]), np.array([6.0, 1, 4, 3, 5, 2])
    >>> positive = np.array([True, True, True, False, False, False])
    >>> delong_test(ScoreSample(parse_measure("AUC", "binary"), positive, (first, second)), 0, 1)
    Outcome(test='delong', statistic=-0.866, p=0.3865, resamples=None, note='', sign=None)
    """
    areas = sample.delong(first, second)
    error = math.sqrt(areas.variance) if areas.variance > 0 else math.nan
    z = math.copysign(math.inf, areas.difference) if areas.difference else 0.0
    if error > 0:
        z = areas.difference / error
    p = areas.p
    points = areas.difference if areas.sign is None else areas.sign
    if alternative != "two-sided" and points:
        towards = (points > 0) == (alternative == "greater")
        p = p / 2 if towards else 1 - p / 2
    return Outcome("delong", z, p, None, areas.note, areas.sign)


def bootstrap_of_scores(
    sample: ScoreSample, first: int, second: int, drawing: Drawing, alternative: Alternative = "two-sided"
) -> Outcome:
    """The bootstrap interval, read as a test: p from the resamples on one side of 0.

    Two-sided, p is twice the share of resamples on the smaller side, what was observed counting as one more.

    >>> from assay.measures import parse_measure
    >>> scores = np.arange(20.0)
    >>> sample = ScoreSample(parse_measure("AveragePrecision", "binary"), scores >= 10, (-scores, scores))
    >>> bootstrap_of_scores(sample, 0, 1, Drawing(199, seed=0)).p
    0.01
    """
    difference = float(sample.observed[second] - sample.observed[first])
    if math.isnan(difference):
        return Outcome("bootstrap_interval", difference, math.nan, None, NO_DIFFERENCE)
    resampled = sample.redrawn(first, second, drawing)
    # What has no number is no evidence: it counts on both sides.
    draws = len(resampled) + 1
    unknown = np.isnan(resampled)
    below, above = (int(np.count_nonzero(unknown | side)) + 1 for side in (resampled <= 0, resampled >= 0))
    if alternative == "two-sided":
        p = min(1.0, 2 * min(below, above) / draws)
    else:
        p = (below if alternative == "greater" else above) / draws
    note = f"{len(resampled):,} resamples of items"
    return Outcome("bootstrap_interval", difference, p, len(resampled), note, int(np.sign(above - below)))


def jackknife_test(
    sample: ScoreSample, first: int, second: int, seed: int, alternative: Alternative = "two-sided"
) -> Outcome:
    """The test of the difference by its standard error, from the numbers without some items.

    >>> from assay.measures import parse_measure
    >>> scores = np.arange(200.0)
    >>> sample = ScoreSample(parse_measure("EER", "binary"), scores % 5 > 2, (scores % 7, scores % 11))
    >>> jackknife_test(sample, 0, 1, seed=0).note
    '50 groups of items'
    """
    difference = sample.difference(first, second)
    without = sample.without_some(first, second, seed)
    parts = len(without)
    error = (parts - 1) / math.sqrt(parts) * float(np.std(without, ddof=1))
    if error > 0:
        t = difference / error
    elif difference:
        t = math.copysign(math.inf, difference)
    else:
        t = 0.0
    below, above = (float(special.stdtr(parts - 1, end)) for end in (t, -t))
    p = {"two-sided": 2 * min(below, above), "less": below, "greater": above}[alternative]
    return Outcome(JACKKNIFE, t, p, None, "" if parts == sample.size else f"{parts} groups of items")


def _scaled(interval: Interval, scale: float, shift: float = 0.0) -> Interval:
    return interval._replace(low=scale * interval.low + shift, high=scale * interval.high + shift)
