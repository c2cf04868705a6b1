"""Pairs of systems under one measure: differences, intervals, tests, effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assay.counting.judgments import Floats
from assay.errors import ParameterError, did_you_mean
from assay.stats.anova import randomised_tukey, tukey_hsd
from assay.stats.bootstrap import Interval, Method, bootstrapped, intervals
from assay.stats.effects import Wins, cliffs_delta, d_z, wins
from assay.stats.paired import Paired
from assay.stats.permutation import Outcome, permutation_of_pairs, permutation_of_pooled
from assay.stats.samples import Averaged, Pooled
from assay.stats.tests import TESTS

#: Tests of all systems at once, whose p-values need no further correction.
SIMULTANEOUS = ("tukey", "randomised_tukey")
#: From so many pairs on, all share the same swaps.
_MANY_PAIRS = 32
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 100_000, 1_000_000
#: What a bootstrap may cost: so many numbers are drawn at most.
_DRAWS = 500_000_000


class Numbers(NamedTuple):
    """What is known of one pair before a verdict is reached."""

    difference: float
    interval: Interval
    narrow: Interval
    all_zero: bool
    d_z: float
    cliffs_delta: float
    wins: Wins
    spread: float


def resamples_for(pairs: int, alpha: float) -> int:
    """Enough swaps for the smallest p-value to stay well below alpha after a correction over so many pairs.

    >>> resamples_for(1, 0.05), resamples_for(8256, 0.05)
    (100000, 495360)
    """
    return min(max(_FEWEST_RESAMPLES, int(np.ceil(3 * pairs / alpha))), _MOST_RESAMPLES)


def bootstrap_resamples_for(units: int, wanted: int) -> int:
    """As many resamples as wanted, fewer where the units are very many (their mean is then nearly normal anyway)."""
    return max(1_000, min(wanted, _DRAWS // max(units, 1)))


def tested(paired: Paired, pairs: Sequence[tuple[int, int]], test: str, resamples: int, seed: int) -> list[Outcome]:
    """Test each pair; with many pairs and the permutation test, all under the same swaps."""
    if isinstance(paired.sample, Pooled):
        if test != "permutation":
            raise ParameterError(
                f"{paired.measure} is made of counts summed over all units: its test is permutation, not {test}"
            )
        return _tested_pooled(paired.sample, pairs, resamples, seed)
    if test in SIMULTANEOUS:
        return _simultaneous(paired.sample, pairs, test, resamples, seed)
    if test not in TESTS:
        known = [*TESTS, *SIMULTANEOUS]
        raise ParameterError(f"the test is one of {', '.join(known)}, not {test!r}{did_you_mean(test, known)}")
    if test == "permutation" and len(pairs) > _MANY_PAIRS:
        places = np.array(pairs)
        p = permutation_of_pairs(paired.sample.additive, places[:, 0], places[:, 1], resamples=resamples, seed=seed)
        return [
            Outcome(
                test, float(paired.differences(*pair).mean()), float(value), resamples, f"{resamples:,} shared swaps"
            )
            for pair, value in zip(pairs, p, strict=True)
        ]
    return [TESTS[test](paired.differences(*pair), resamples=resamples, seed=seed) for pair in pairs]


def _tested_pooled(sample: Pooled, pairs: Sequence[tuple[int, int]], resamples: int, seed: int) -> list[Outcome]:
    # Every swap is counted anew, which costs more than adding differences up.
    fewer = min(resamples, 10_000)
    formulas = sample.formulas
    return [permutation_of_pooled(formulas[i], formulas[j], resamples=fewer, seed=seed) for i, j in pairs]


def _simultaneous(
    sample: Averaged, pairs: Sequence[tuple[int, int]], test: str, resamples: int, seed: int
) -> list[Outcome]:
    systems = sample.values.shape[1]
    if test == "tukey":
        p = tukey_hsd(sample.additive).p
        note, drawn = "two-way analysis of variance, Tukey's HSD", None
    else:
        drawn = min(resamples, 10_000)
        p = randomised_tukey(sample.additive, resamples=drawn, seed=seed)
        note = f"randomised Tukey HSD, {drawn:,} permutations within units"
    table = np.ones((systems, systems))
    table[np.triu_indices(systems, 1)] = p
    table = np.minimum(table, table.T)
    means = sample.additive.mean(axis=0)
    return [Outcome(test, float(means[j] - means[i]), float(table[i, j]), drawn, note) for i, j in pairs]


class Resampled:
    """The systems' numbers in bootstrap resamples, made once for all pairs."""

    def __init__(self, paired: Paired, resamples: int, seed: int, method: Method) -> None:
        self.paired, self.method = paired, method
        self.resamples = bootstrap_resamples_for(len(paired.units), resamples)
        self._numbers = np.ascontiguousarray(bootstrapped(paired.sample, self.resamples, seed).T)
        self._without_each = paired.sample.without_each().T
        self._observed = paired.observed

    def of_system(self, system: int, level: float) -> Interval:
        """The interval of a system's number."""
        return self._intervals(lambda rows: rows[system], level)[0]

    def numbers(self, first: int, second: int, alpha: float) -> Numbers:
        """Everything but the test about one pair."""
        paired, observed = self.paired, self._observed

        def difference(rows: Floats) -> Floats:
            apart: Floats = rows[second] - rows[first]
            return apart

        of_units = _differences_of_units(paired, first, second)
        known = of_units[~np.isnan(of_units)]
        if isinstance(paired.sample, Averaged) and paired.sample.summary == "mean":
            spread = float(known.std(ddof=1)) if len(known) > 1 else float("nan")
        else:  # whatever is not a plain mean varies as much as its resamples do
            spread = float(np.nanstd(difference(self._numbers)) * np.sqrt(len(paired.units)))
        values = _values_of_units(paired)
        wide, narrow = self._intervals(difference, 1 - alpha, 1 - 2 * alpha)
        return Numbers(
            float(observed[second] - observed[first]),
            wide,
            narrow,
            not known.any() and observed[second] == observed[first],
            d_z(known) if isinstance(paired.sample, Averaged) else float("nan"),
            cliffs_delta(_known(values[:, first]), _known(values[:, second])),
            wins(known),
            spread,
        )

    def _intervals(self, of: Callable[[Floats], Floats], *levels: float) -> list[Interval]:
        if len(self.paired.units) < 2:  # one unit says nothing about others
            return [Interval(np.nan, np.nan, level, self.method) for level in levels]
        return intervals(of(self._numbers), float(of(self._observed)), of(self._without_each), levels, self.method)


def _values_of_units(paired: Paired) -> Floats:
    if isinstance(paired.sample, Averaged):
        return paired.sample.values
    return np.column_stack([formula.values for formula in paired.sample.formulas])


def _differences_of_units(paired: Paired, first: int, second: int) -> Floats:
    if isinstance(paired.sample, Averaged):
        return paired.differences(first, second)
    values = _values_of_units(paired)
    difference: Floats = values[:, second] - values[:, first]
    return difference


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]
