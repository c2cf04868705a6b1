"""Pairs of systems under one measure: differences, intervals, tests, effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.core.digits import number, p_phrase
from assay.core.errors import number_of
from assay.core.notes import Note
from assay.counting.judgments import Floats, Ints
from assay.stats.anova import randomised_tukey, tukey_hsd, two_way
from assay.stats.bootstrap import FEWEST_DRAWN, Interval, Method, bootstrapped, intervals
from assay.stats.cluster_samples import MOST_HALVES, Subsampled
from assay.stats.effects import Wins
from assay.stats.label_samples import Patterns
from assay.stats.paired import Paired
from assay.stats.permutation import NO_DIFFERENCE, Outcome, permutation_of_pairs, permutation_of_pooled, swaps
from assay.stats.samples import Averaged, Pooled, Sample
from assay.stats.score_samples import Drawing, ScoreSample
from assay.stats.suited_tests import SIMULTANEOUS, by_labels, by_scores, chosen_test
from assay.stats.tests import TESTS, bootstrap_of_pairs

#: From so many pairs on, all share the same swaps.
_MANY_PAIRS = 32
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 100_000, 1_000_000
#: Where all systems are moved at once, so many permutations do: they need no correction.
_MOST_PERMUTATIONS = 10_000
#: Where every swap is counted anew, so many numbers are added up at most for all pairs.
_MOST_COUNTED = 2_000_000_000
#: Of predicted labels, so many cells of confusion matrices are filled at most for all pairs.
_MOST_CELLS = 100_000_000
#: What a bootstrap may cost: so many numbers are drawn at most, but not fewer resamples than tell an interval's ends.
_DRAWS, _FEWEST_REDRAWN = 100_000_000, 200


class Numbers(NamedTuple):
    """What is known of one pair before a verdict is reached: see `Finding`."""

    difference: float
    interval: Interval
    narrow: Interval
    all_zero: bool
    d_z: float
    cliffs_delta: float
    wins: Wins
    spread: float


def few_units(unit_kind: str, units: int) -> list[str]:
    """What to say of intervals of fewer than 5 units.

    >>> few_units("query", 4)
    ["4 queries are too few for a bootstrap: intervals are Student's t, and there are none where all values are alike"]
    """
    if not 2 <= units < FEWEST_DRAWN:
        return []
    few = f"{number_of(unit_kind, units)} are too few for a bootstrap"
    return [f"{few}: intervals are Student's t, and there are none where all values are alike"]


def resamples_for(pairs: int, alpha: float) -> int:
    """Enough swaps for the smallest p-value to stay well below alpha after a correction over so many pairs.

    >>> resamples_for(1, 0.05), resamples_for(8256, 0.05)
    (100000, 495360)
    """
    return min(max(_FEWEST_RESAMPLES, int(np.ceil(3 * pairs / alpha))), _MOST_RESAMPLES)


def smallest_p(outcome: Outcome, units: int) -> float:
    """The smallest p-value that a test can give: those that count swaps, signs or resamples cannot give any.

    >>> smallest_p(Outcome("permutation", 0.1, 0.5, resamples=None), units=5), smallest_p(Outcome("t", 2.1, 0.04), 5)
    (0.0625, 0.0)
    """
    if outcome.resamples is not None:
        return 1 / (outcome.resamples + 1)
    return 2 / 2**units if outcome.test in {"permutation", "sign", "wilcoxon"} else 0.0


def out_of_reach(results: Sequence[Outcome], units: int, family: int, alpha: float) -> str | None:
    """Why no pair of a family could be told apart, whatever the data: the smallest p-value, corrected, is too large.

    >>> out_of_reach([Outcome("permutation", 0.1, 0.0625)], units=5, family=10, alpha=0.05)
    'no pair could be told apart: over 10 comparisons, the smallest corrected p-value that this test can give is 0.62'
    """
    least = family * min(smallest_p(one, units) for one in results)
    if least < alpha:
        return None
    over = number_of("comparison", family)
    return (
        f"no pair could be told apart: over {over}, the smallest corrected p-value that this test can give is "
        f"{min(least, 1):.2g}"
    )


def outcomes(
    paired: Paired, pairs: Sequence[tuple[int, int]], test: str | None, resamples: int, seed: int
) -> list[Outcome]:
    """Test each pair of systems, given by their places, by the test named or the measure's own; many share swaps.

    >>> from assay.stats.samples import Averaged
    >>> values = np.array([[0.1, 0.3], [0.2, 0.4], [0.1, 0.5], [0.3, 0.4], [0.2, 0.3]])
    >>> paired = Paired("AP", "query", ("a", "b"), ("1", "2", "3", "4", "5"), Averaged(values))
    >>> outcomes(paired, [(0, 1)], "sign", 0, 0)[0].p  # all of 5 won
    0.0625
    """
    test, sample = chosen_test(paired, test), paired.sample
    if isinstance(sample, Patterns):
        fewer = min(resamples, max(10_000, _MOST_CELLS // (len(pairs) * sample.cost)))
        return [by_labels(sample.only(*pair), test, resamples=fewer, seed=seed) for pair in pairs]
    if isinstance(sample, ScoreSample):
        return [by_scores(sample, pair, test, Drawing(resamples, seed)) for pair in pairs]
    if isinstance(sample, Subsampled):
        return [sample.untested(*pair) for pair in pairs]
    if isinstance(sample, Pooled):
        formulas = sample.formulas
        fewer = min(resamples, max(10_000, _MOST_COUNTED // (len(pairs) * len(paired.units))))
        return [permutation_of_pooled(formulas[i], formulas[j], resamples=fewer, seed=seed) for i, j in pairs]
    known = ~np.isnan(paired.observed)
    tested = [pair for pair in pairs if known[list(pair)].all()]
    if len(tested) == len(pairs):
        return _of_means(paired, pairs, test, resamples, seed)
    # A system without a number is compared with nobody, and has no part in tests of all systems at once.
    place, names = np.cumsum(known) - 1, tuple(np.array(paired.systems)[known].tolist())
    numbered = replace(paired, systems=names, sample=Averaged(sample.values[:, known], sample.summary))
    places = [(int(place[i]), int(place[j])) for i, j in tested]
    found = dict(zip(tested, _of_means(numbered, places, test, resamples, seed) if tested else (), strict=True))
    return [found.get(pair, Outcome(test, np.nan, np.nan, None, NO_DIFFERENCE)) for pair in pairs]


def _of_means(paired: Paired, pairs: Sequence[tuple[int, int]], test: str, resamples: int, seed: int) -> list[Outcome]:
    """Test means of units' numbers."""
    if test == "permutation":
        resamples = min(resamples, max(10_000, _MOST_COUNTED // len(paired.units)))
    if test in SIMULTANEOUS:
        return _simultaneous(paired, pairs, test, min(resamples, _MOST_PERMUTATIONS), seed)
    if test not in {"permutation", "bootstrap"} or len(pairs) <= _MANY_PAIRS:
        return [TESTS[test](paired.differences(*pair), resamples=resamples, seed=seed) for pair in pairs]
    return _together(paired, pairs, test, resamples, seed)


def _together(paired: Paired, pairs: Sequence[tuple[int, int]], test: str, resamples: int, seed: int) -> list[Outcome]:
    """Many pairs under the same swaps, or the same resamples."""
    drawn: int | None = resamples
    says = f"{resamples:,} resamples of units"
    if test == "bootstrap":
        p = bootstrap_of_pairs(
            np.column_stack([paired.differences(*pair) for pair in pairs]), resamples=resamples, seed=seed
        )
    else:
        places = np.array(pairs)
        p = permutation_of_pairs(paired.additive, places[:, 0], places[:, 1], resamples=resamples, seed=seed)
        drawn, says = swaps(len(paired.units), resamples)
    means = paired.additive.mean(axis=0)
    return [Outcome(test, float(means[j] - means[i]), float(p[n]), drawn, says) for n, (i, j) in enumerate(pairs)]


def _simultaneous(
    paired: Paired, pairs: Sequence[tuple[int, int]], test: str, resamples: int, seed: int
) -> list[Outcome]:
    additive, drawn = paired.additive, None
    systems = additive.shape[1]
    if test == "tukey":
        model, found = two_way(additive), tukey_hsd(additive)
        p, freedom = found.p, f"{model.systems.degrees_of_freedom}, {model.residual_degrees_of_freedom}"
        sure, width = p_phrase(model.systems.p), number(found.half_width)
        note = f"systems differ with F({freedom}) = {number(model.systems.f, 2)}, {sure}; half width {width}"
    else:
        drawn, p = resamples, randomised_tukey(additive, resamples=resamples, seed=seed)
        note = f"{resamples:,} permutations within units"
    table = np.ones((systems, systems))
    table[np.triu_indices(systems, 1)] = p
    table = np.fmin(table, table.T)
    means = additive.mean(axis=0)
    return [Outcome(test, float(means[j] - means[i]), float(table[i, j]), drawn, note) for i, j in pairs]


class _Redrawn(NamedTuple):
    """Systems' numbers (rows): observed, in each resample, and without units; `counts` says without how many alike."""

    observed: Floats
    resampled: Floats
    without_each: Floats
    counts: Ints | None

    @classmethod
    def of(cls, sample: Sample, without_each: Floats, resamples: int, seed: int) -> _Redrawn:
        """Draw units anew, so often."""
        observed = sample.observed()
        numbers = np.empty((len(observed), 0))
        if resamples:
            numbers = np.ascontiguousarray(bootstrapped(sample, resamples, seed).T)
        counts = sample.counts if isinstance(sample, Patterns) else None
        return cls(observed, numbers, without_each.T, counts)

    def intervals(self, of: Callable[[Floats], Floats], levels: Sequence[float], method: Method) -> list[Interval]:
        """The intervals of what is made of the systems' numbers."""
        observed = float(of(self.observed))
        return intervals(of(self.resampled), observed, of(self.without_each), levels, method, counts=self.counts)


class Resampled:
    """The systems' numbers in bootstrap resamples, made once for all pairs; of predicted labels, for each pair.

    `resamples` is how many there are: fewer than asked for where the units are very many, and their mean nearly normal;
    none where t intervals were asked for, or the units are too few for others. Areas under the ROC curve need none:
    theirs are DeLong's intervals. Of clusterings, they are halves of the items.

    >>> from assay.stats.samples import Averaged
    >>> values = np.array([[0.1, 0.3], [0.2, 0.4], [0.1, 0.5], [0.3, 0.4], [0.2, 0.3]])
    >>> paired = Paired("AP", "query", ("a", "b"), ("1", "2", "3", "4", "5"), Averaged(values))
    >>> Resampled(paired, 1000, seed=0, method="hull").numbers(0, 1, alpha=0.05).wins
    Wins(won=5, tied=0, lost=0)
    """

    def __init__(self, paired: Paired, resamples: int, seed: int, method: Method) -> None:
        self.paired, self.method, self.seed = paired, method, seed
        self._shared: _Redrawn | None = None
        if isinstance(paired.sample, ScoreSample):
            self.resamples = paired.sample.resamples(resamples)
            return
        if isinstance(paired.sample, Subsampled):
            self.resamples = min(resamples, MOST_HALVES)
            return
        if method == "t" or len(paired.units) < FEWEST_DRAWN:
            self.resamples = 0
            return
        if isinstance(paired.sample, Patterns):
            # Two systems are drawn at a time: all together would have more patterns than need be.
            two = paired.sample.only(*range(min(2, len(paired.systems))))
            self.resamples = min(resamples, max(_FEWEST_REDRAWN, _DRAWS // two.cost))
            return
        self.resamples = min(resamples, max(_FEWEST_REDRAWN, _DRAWS // paired.sample.units))

    def of_system(self, system: int, level: float) -> Interval:
        """The interval of a system's number."""
        sample = self.paired.sample
        if len(self.paired.units) < 2:
            return Interval.unknown(level, self.method)
        if isinstance(sample, ScoreSample | Subsampled):
            return sample.of_system(system, level, Drawing(self.resamples, self.seed))
        redrawn, (place,) = self._redrawn(sample, system)
        return redrawn.intervals(lambda rows: rows[place], [level], self.method)[0].within(self._range(system))

    def numbers(self, first: int, second: int, alpha: float) -> Numbers:
        """Everything but the test about one pair."""
        paired = self.paired
        wide, narrow = self.of_difference(first, second, 1 - alpha, 1 - 2 * alpha)
        return Numbers(
            paired.difference(first, second),
            wide,
            narrow,
            paired.is_same(first, second),
            *paired.effects(first, second),
            self._spread(first, second),
        )

    def halves(self, first: int, second: int) -> int | None:
        """Of clusterings, how many halves of the items the intervals of their difference come from."""
        sample = self.paired.sample
        if not isinstance(sample, Subsampled):
            return None
        return sample.drawn(first, second, Drawing(self.resamples, self.seed))

    def _spread(self, first: int, second: int) -> float:
        sample = self.paired.sample
        if isinstance(sample, Subsampled):
            return sample.spread(first, second, Drawing(self.resamples, self.seed))
        return self.paired.spread(first, second)

    def of_difference(self, first: int, second: int, *levels: float) -> list[Interval]:
        """The intervals of the second system's number less the first one's."""
        sample = self.paired.sample
        if len(self.paired.units) < 2:  # one unit says nothing about others
            return [Interval.unknown(level, self.method) for level in levels]
        if isinstance(sample, ScoreSample | Subsampled):
            return sample.of_difference(first, second, levels, Drawing(self.resamples, self.seed))
        redrawn, (one, other) = self._redrawn(sample, first, second)

        def difference(rows: Floats) -> Floats:
            less: Floats = rows[other] - rows[one]
            return less

        low, high = self._range(first, second)
        return [one.within((low - high, high - low)) for one in redrawn.intervals(difference, levels, self.method)]

    def _range(self, *systems: int) -> tuple[float, float]:
        """Where the measure's numbers can lie; as far as these systems' do, which may not keep to the range."""
        numbers = self.paired.observed[list(systems)]
        least, most = self.paired.bounds or (-np.inf, np.inf)
        return float(min(least, *numbers)), float(max(most, *numbers))

    def notes(self) -> list[str]:
        """What to say of the intervals: that units are too few to draw them anew."""
        kind, units = self.paired.unit_kind, len(self.paired.units)
        if isinstance(self.paired.sample, ScoreSample):
            few = f"{number_of(kind, units)} are too few for an interval of a difference"
            return [Note.on(self.paired.measure, few)] if 2 <= units < FEWEST_DRAWN else []
        return [] if isinstance(self.paired.sample, Subsampled) else few_units(kind, units)

    def _redrawn(self, sample: Sample, *systems: int) -> tuple[_Redrawn, Sequence[int]]:
        """The resamples that hold these systems, and the rows in which they stand there."""
        if isinstance(sample, Patterns):
            own = sample.only(*systems)
            return _Redrawn.of(own, own.without_each(), self.resamples, self.seed), range(len(systems))
        if self._shared is None:
            self._shared = _Redrawn.of(sample, self.paired.without_each, self.resamples, self.seed)
        return self._shared, systems
