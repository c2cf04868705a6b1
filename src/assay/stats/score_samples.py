"""`ScoreSample`: two or more systems' scores of the same items, under a measure of scores such as AUC.

Scores of different systems may be on different scales: swapping them would make numbers of neither. So areas under the
ROC curve are compared by DeLong's test, and other measures by drawing items anew with all their scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.counting.judgments import Floats, Mask
from assay.counting.scored import Scored
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval, percentiles
from assay.stats.delong import DeLong, DeLongPaired, delong, delong_paired
from assay.stats.permutation import Alternative, Outcome
from assay.stats.score_bootstrap import bootstrap_scores, bootstrap_scores_paired

#: Each resample is measured on its own, so that fewer have to do: so many at most, and at least.
MOST_RESAMPLES, _FEWEST_RESAMPLES = 2_000, 500
#: Between the two, as many as take so many scores.
_MOST_SCORES = 50_000_000
# What an area is multiplied by: the Gini coefficient is twice the area, less 1.
_SCALES = {"AUC": 1.0, "Gini": 2.0}


class Drawing(NamedTuple):
    """How often items are drawn anew, and from which seed."""

    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class ScoreSample:
    """Systems' scores (an array a system) of the same items, of which some are positive, and a measure of scores.

    >>> from assay.measures import parse_measure
    >>> first, second = np.array([6.0, 5, 3, 4, 2, 1]), np.array([6.0, 1, 4, 3, 5, 2])
    >>> positive = np.array([True, True, True, False, False, False])
    >>> sample = ScoreSample(parse_measure("AUC", "binary"), positive, (first, second))
    >>> sample.observed(), sample.scale
    (array([0.8889, 0.5556]), 1.0)
    """

    measure: Measure
    positive: Mask
    scores: tuple[Floats, ...]
    weight: Floats | None = None
    _redrawn: dict[tuple[int, int, Drawing], Floats] = field(default_factory=dict, repr=False)

    @property
    def units(self) -> int:
        """How many items there are."""
        return len(self.positive)

    @property
    def scale(self) -> float | None:
        """What the measure is of an area under the ROC curve, if DeLong's variance serves it; None if it does not."""
        plain = not self.measure.chosen and self.weight is None
        return _SCALES.get(self.measure.name) if plain else None

    @cached_property
    def scored(self) -> tuple[Scored, ...]:
        """Each system's scores, sorted."""
        return tuple(Scored.from_scores(self.positive, scores, sample_weight=self.weight) for scores in self.scores)

    def observed(self) -> Floats:
        """Each system's number."""
        return np.concatenate([self.measure.of(one) for one in self.scored])

    def resamples(self, asked: int) -> int:
        """How often items are drawn anew: not at all where DeLong's variance serves."""
        most = min(MOST_RESAMPLES, max(_FEWEST_RESAMPLES, _MOST_SCORES // self.units))
        return 0 if self.scale is not None else min(asked, most)

    def is_same(self, first: int, second: int) -> bool:
        """Whether two systems put all items into the same order, ties included."""
        one, other = (np.unique(self.scores[system], return_inverse=True)[1].ravel() for system in (first, second))
        return bool((one == other).all())

    def of_difference(self, first: int, second: int, levels: Sequence[float], drawing: Drawing) -> list[Interval]:
        """The intervals of the second system's number less the first one's."""
        if self.scale is not None:
            return [_scaled(self.delong(first, second, level).interval, self.scale) for level in levels]
        drawn = self.redrawn(first, second, drawing)
        return [percentiles(drawn, level) for level in levels]

    def of_system(self, system: int, level: float, drawing: Drawing) -> Interval:
        """The interval of a system's number."""
        if self.scale is not None:
            found: DeLong = delong(self.scored[system], level)
            shift = self.scale - 1  # the Gini coefficient is 0 where the area is one half
            return _scaled(found.interval, self.scale, -shift)
        made = bootstrap_scores(
            self.scored[system],
            self.measure,
            confidence=level,
            resamples=self.resamples(drawing.resamples),
            seed=drawing.seed,
            method="percentile",
        )
        return made.interval

    def spread(self, first: int, second: int) -> float:
        """How much an item's part in the difference varies; NaN where it is not known."""
        if self.scale is None:
            return math.nan
        variance = self.delong(first, second).variance
        return self.scale * math.sqrt(variance * self.units) if variance >= 0 else math.nan

    def delong(self, first: int, second: int, level: float = 0.95) -> DeLongPaired:
        """DeLong's comparison of two areas: the second less the first."""
        return delong_paired(self.positive, self.scores[second], self.scores[first], confidence=level)

    def redrawn(self, first: int, second: int, drawing: Drawing) -> Floats:
        """The differences in resamples of the items; NaN where one has no number."""
        fewer = drawing._replace(resamples=self.resamples(drawing.resamples))
        key = (first, second, fewer)
        if key not in self._redrawn:
            made = bootstrap_scores_paired(
                self.positive,
                self.scores[second],
                self.scores[first],
                self.measure,
                sample_weight=self.weight,
                resamples=fewer.resamples,
                seed=fewer.seed,
                method="percentile",
            )
            self._redrawn[key] = made.resampled
        return self._redrawn[key]


def delong_test(sample: ScoreSample, first: int, second: int, alternative: Alternative = "two-sided") -> Outcome:
    """DeLong's test of two areas from the same items; the statistic is the difference in standard errors.

    >>> from assay.measures import parse_measure
    >>> first, second = np.array([6.0, 5, 3, 4, 2, 1]), np.array([6.0, 1, 4, 3, 5, 2])
    >>> positive = np.array([True, True, True, False, False, False])
    >>> delong_test(ScoreSample(parse_measure("AUC", "binary"), positive, (first, second)), 0, 1)
    Outcome(test='delong', statistic=-0.866, p=0.3865, resamples=None, note='')
    """
    found = sample.delong(first, second)
    error = math.sqrt(found.variance) if found.variance > 0 else math.nan
    z = (
        found.difference / error
        if error > 0
        else math.copysign(math.inf, found.difference)
        if found.difference
        else 0.0
    )
    p = found.p
    if alternative != "two-sided" and found.difference:
        towards = (found.difference > 0) == (alternative == "greater")
        p = p / 2 if towards else 1 - p / 2
    return Outcome("delong", z, p, None, found.note)


def bootstrap_of_scores(
    sample: ScoreSample, first: int, second: int, drawing: Drawing, alternative: Alternative = "two-sided"
) -> Outcome:
    """Whether the difference in resamples of the items lies on one side of 0: the interval, read as a test.

    Two-sided, p is twice the share of resamples on the smaller side, what was observed counting as one more.

    >>> from assay.measures import parse_measure
    >>> scores = np.arange(20.0)
    >>> sample = ScoreSample(parse_measure("AveragePrecision", "binary"), scores >= 10, (-scores, scores))
    >>> bootstrap_of_scores(sample, 0, 1, Drawing(199, seed=0)).p
    0.01
    """
    drawn = sample.redrawn(first, second, drawing)
    # What has no number is no evidence: it counts on both sides.
    draws, unknown = len(drawn) + 1, np.isnan(drawn)
    below, above = (int(np.count_nonzero(unknown | side)) + 1 for side in (drawn <= 0, drawn >= 0))
    if alternative == "two-sided":
        p = min(1.0, 2 * min(below, above) / draws)
    else:
        p = (below if alternative == "greater" else above) / draws
    observed = sample.observed()
    says = f"{len(drawn):,} resamples of items"
    return Outcome("bootstrap_interval", float(observed[second] - observed[first]), p, len(drawn), says)


def _scaled(interval: Interval, scale: float, shift: float = 0.0) -> Interval:
    return interval._replace(low=scale * interval.low + shift, high=scale * interval.high + shift)
