"""Tests of paired differences by name, McNemar's, that of all systems at once; and how large a difference is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from assay.measures.counting.judgments import Floats, Ints
from assay.stats.bootstrap import weights
from assay.stats.estimates import ROUNDING
from assay.stats.permutation import MOST_UNITS_EXACT, Alternative, Outcome, permutation_test


class Wins(NamedTuple):
    """On how many units the second of two systems has the larger number, the same, the smaller one."""

    won: int
    tied: int
    lost: int


def wins(differences: Floats) -> Wins:
    """Count the units won, tied and lost.

    >>> wins(np.array([0.2, 0.0, -0.1, 0.3]))
    Wins(won=2, tied=1, lost=1)
    """
    won = int(np.sum(differences > 0))
    lost = int(np.sum(differences < 0))
    return Wins(won, len(differences) - won - lost, lost)


def d_z(differences: Floats) -> float:
    """The mean of paired differences in their standard deviations; NaN where they do not vary.

    >>> d_z(np.array([0.1, 0.2, 0.3]))  # 0.2 / 0.1
    2.0
    """
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    mean = float(differences.mean()) if len(differences) else float("nan")
    # A spread that is a tiny part of the mean is rounding.
    return mean / spread if spread > ROUNDING * abs(mean) and spread > 0 else float("nan")


def cliffs_delta(first: Floats, second: Floats) -> float:
    """Cliff's delta: how much more often the second's value exceeds the first's than the reverse, -1 to 1.

    All values are held against all, whatever their units: 0 is full overlap, 1 none with the second above.

    >>> cliffs_delta(np.array([1.0, 2.0]), np.array([2.0, 3.0]))  # 3 of 4 pairs above, 1 tied
    0.75
    """
    ordered = np.sort(first)
    below = np.searchsorted(ordered, second, side="left").sum()
    not_above = np.searchsorted(ordered, second, side="right").sum()
    pairs = len(first) * len(second)
    return float(below - (pairs - not_above)) / pairs if pairs else float("nan")


def mcnemar(only_first: int, only_second: int, alternative: Alternative = "two-sided") -> Outcome:
    """Test whether as many items are right by the first system alone as by the second alone.

    The statistic is how many more the second has. It is the binomial test of the items that only one is right about,
    of which what was observed counts by half (mid-p), as an exact p-value is too large for counts that cannot vary
    smoothly: over how many items may differ, the share of false alarms comes near to alpha and hardly ever exceeds it
    (Fagerland, Lydersen and Laake 2013), though for a given number of them it may (at alpha 0.05 it is 0.077 at most,
    for 16 items). `alternative`: whether the second is right more often (`greater`), or less.

    >>> mcnemar(only_first=5, only_second=14)
    Outcome(test='mcnemar', statistic=9.0, p=0.0414, resamples=None, note='mid-p; 14 items fixed, 5 broken', sign=None)
    """
    apart = only_second - only_first
    items = only_first + only_second
    if not items:
        return Outcome.of_no_difference("mcnemar")
    note = f"mid-p; {only_second:,} {'item' if only_second == 1 else 'items'} fixed, {only_first:,} broken"
    if alternative == "two-sided":
        fewer = min(only_first, only_second)
        p = 2 * (_at_most(fewer, items) - 0.5 * _exactly(fewer, items))
    else:
        fewer = only_first if alternative == "greater" else only_second
        p = _at_most(fewer, items) - 0.5 * _exactly(fewer, items)
    return Outcome("mcnemar", float(apart), min(1.0, p), None, note)


def _at_most(count: int, items: int) -> float:
    """The chance that a fair coin falls heads so often at most."""
    return float(special.bdtr(count, items, 0.5))


def _exactly(count: int, items: int) -> float:
    return _at_most(count, items) - (_at_most(count - 1, items) if count else 0.0)


# Differences are ranked to so many digits: what lies behind them is rounding, and would break ties at random.
_DIGITS = 9
# Numbers held against one another at a time.
_TOGETHER = 1 << 22
# Means of resamples that are this near to what is observed count as reaching it.
_NEARLY = 1e-9
# Up to so many untied differences, SciPy goes through the distribution of the sum of ranks.
_MOST_RANKS_EXACT = 50


def paired_t(differences: Floats, *, resamples: int = 0, seed: int = 0) -> Outcome:  # noqa: ARG001
    """Student's t-test of the mean difference.

    The p-value is NaN where the spread is unknown: with one unit, or where all differences are alike.

    >>> paired_t(np.array([0.1, 0.2, 0.3]))  # 0.2 / (0.1 / √3), 2 degrees of freedom
    Outcome(test='t', statistic=3.4641, p=0.0742, resamples=None, note='2 degrees of freedom', sign=None)
    """
    without = _without_spread("t", differences)
    if without is not None:
        return without
    freedom = len(differences) - 1
    t = d_z(differences) * np.sqrt(len(differences))
    plural = "degree" if freedom == 1 else "degrees"
    return Outcome("t", float(t), 2 * float(special.stdtr(freedom, -abs(t))), None, f"{freedom} {plural} of freedom")


def wilcoxon(differences: Floats, *, resamples: int = 0, seed: int = 0) -> Outcome:  # noqa: ARG001
    """Wilcoxon's signed-rank test; the statistic is the smaller of the two sums of ranks.

    Zeros are treated as by Pratt: they take part in the ranking, and their ranks then belong to neither side. Ties
    share their mean rank. The p-value is exact where at most 16 differences are not zero, whatever the ties, or where
    at most 50 differences have neither zeros nor ties; otherwise it is a normal approximation whose variance allows
    for zeros and ties, without correction for continuity. The note says which it was.

    >>> wilcoxon(np.array([0.1, 0.2, -0.1, 0.4, 0.0, 0.3]))
    Outcome(test='wilcoxon', statistic=2.5, p=0.1875, resamples=None,
           note='exact: all 2^5 swaps of ranks; 1 zero ranked, then left out (Pratt); ties share their mean rank',
           sign=1)
    """
    from scipy import stats  # noqa: PLC0415  # slow to import

    rounded = _to_digits(differences)
    sizes = np.abs(rounded)
    zeros = int(np.count_nonzero(sizes == 0))
    tied = len(np.unique(sizes[sizes > 0])) < len(sizes) - zeros
    if zeros == len(sizes):
        return Outcome.of_no_difference("wilcoxon")
    signed = np.sign(rounded) * stats.rankdata(sizes)
    gained = float(signed[signed > 0].sum())
    lost = float(-signed[signed < 0].sum())
    if len(sizes) - zeros <= MOST_UNITS_EXACT:
        found = permutation_test(signed)
        how = f"{found.note} of ranks"
        p = found.p
    else:
        exact = len(sizes) <= _MOST_RANKS_EXACT and not (zeros or tied)
        method = "exact" if exact else "asymptotic"
        p = float(stats.wilcoxon(rounded, zero_method="pratt", method=method).pvalue)
        how = "exact" if exact else "normal approximation"
    notes = [how]
    if zeros:
        notes.append(f"{zeros} zero{'s' if zeros > 1 else ''} ranked, then left out (Pratt)")
    if tied:
        notes.append("ties share their mean rank")
    return Outcome("wilcoxon", min(gained, lost), p, None, "; ".join(notes), int(np.sign(gained - lost)))


def sign_test(differences: Floats, *, resamples: int = 0, seed: int = 0) -> Outcome:  # noqa: ARG001
    """The binomial test of units won against units lost; units that are tied are dropped. The statistic: units won.

    >>> sign_test(np.array([0.1, 0.2, 0.3, 0.1, 0.0]))  # 2 of the 2^4 ways to win and lose
    Outcome(test='sign', statistic=4.0, p=0.125, resamples=None, note='exact; 4 higher, 0 lower, 1 tied and dropped',
            sign=1)
    """
    won, tied, lost = wins(differences)
    if not won + lost:
        return Outcome.of_no_difference("sign")
    p = min(1.0, 2 * float(special.bdtr(min(won, lost), won + lost, 0.5)))
    note = f"exact; {won} higher, {lost} lower, {tied} tied and dropped"
    return Outcome("sign", float(won), p, None, note, int(np.sign(won - lost)))


def bootstrap_test(differences: Floats, *, resamples: int = 10_000, seed: int = 0) -> Outcome:
    """The studentised bootstrap: how often t reaches so far when units are drawn from differences moved to mean 0.

    A resample that holds one difference only has no spread; it is no evidence against the null and counts as reaching
    so far. The p-value is NaN where the spread of the differences themselves is unknown, as in `paired_t`.

    >>> bootstrap_test(np.array([0.1, 0.2, 0.3, 0.1, 0.2, -0.1, 0.4, 0.2]), resamples=999)
    Outcome(test='bootstrap', statistic=3.3263, p=0.007, resamples=999, note='999 resamples of units', sign=None)
    """
    without = _without_spread("bootstrap", differences)
    if without is not None:
        return without
    t = d_z(differences) * np.sqrt(len(differences))
    p = float(bootstrap_of_pairs(differences[:, None], resamples=resamples, seed=seed)[0])
    return Outcome("bootstrap", float(t), p, resamples, f"{resamples:,} resamples of units")


def bootstrap_of_pairs(differences: Floats, *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """The p-values of the studentised bootstrap for many pairs (columns of differences), all under the same resamples.

    NaN where a pair's differences have no spread, and 1 where they are all zero.

    >>> pair = np.array([0.1, 0.2, 0.3, 0.1, 0.2, -0.1, 0.4, 0.2])
    >>> bootstrap_of_pairs(np.column_stack([pair, 0 * pair]), resamples=999)
    array([0.007, 1.   ])
    """
    units = len(differences)
    t = np.abs([d_z(column) * np.sqrt(units) for column in differences.T])
    moved = differences - differences.mean(axis=0)
    squares = moved**2
    extreme = np.zeros(differences.shape[1], dtype=np.int64)
    for drawn in weights(units, resamples, seed):
        for rows in np.array_split(drawn, max(1, drawn.shape[0] * differences.shape[1] // _TOGETHER)):
            # What a threaded product may change in the last digit, the tolerance below covers.
            means = rows @ moved / units
            spreads = np.sqrt(np.maximum(rows @ squares / units - means**2, 0) / (units - 1))
            # Held against t without dividing, as the spread may be zero.
            np.abs(means, out=means)
            extreme += np.count_nonzero(means * (1 + _NEARLY) >= t * spreads, axis=0)
    p = np.where(np.isnan(t), np.nan, (extreme + 1) / (resamples + 1))
    return np.where((differences == 0).all(axis=0), 1.0, p)


def _to_digits(numbers: Floats) -> Floats:
    """Every number to as many digits, however large or small it is."""
    scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(np.abs(np.where(numbers == 0, 1.0, numbers)))))
    return np.round(numbers * scale) / scale


def _without_spread(test: str, differences: Floats) -> Outcome | None:
    """The outcome of a test that needs a spread, where there is none."""
    if wins(differences).tied == len(differences):
        return Outcome.of_no_difference(test)
    if len(differences) == 1:
        return Outcome(test, np.nan, np.nan, None, "no p-value: one unit has no spread")
    if np.isnan(d_z(differences)):
        return Outcome(test, np.copysign(np.inf, differences[0]), np.nan, None, "no p-value: all differences are alike")
    return None


#: The tests by name, under one signature: those that draw nothing take no notice of `resamples` and `seed`.
TESTS: dict[str, Callable[..., Outcome]] = {
    "permutation": permutation_test,
    "bootstrap": bootstrap_test,
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
}
#: Those that count swaps or signs: with few units, their p-values cannot be small.
COUNTING = ("permutation", "wilcoxon", "sign")
#: Tests of all systems at once, whose p-values need no further correction.
SIMULTANEOUS = ("randomised_tukey",)
#: Tests of predicted labels, and of scores.
OF_CLASSIFIERS = ("swap", "mcnemar", "delong", "jackknife", "bootstrap_interval")
#: The tests of ratios over different users.
OF_RATIOS = ("welch", "division")

EVERY_TEST = (*TESTS, *SIMULTANEOUS, *OF_CLASSIFIERS, *OF_RATIOS)
#: What stands for the test where there is none.
NO_TEST = "none"
#: The works to cite for tests, by their keys in the bibliography.
CITES = {
    "permutation": ("smucker2007",),
    "bootstrap": ("sakai2006",),
    "t": ("student1908", "smucker2007"),
    "wilcoxon": ("wilcoxon1945", "pratt1959"),
    "sign": ("dixon1946",),
    "randomised_tukey": ("carterette2012",),
    "mcnemar": ("mcnemar1947",),
    "delong": ("delong1988",),
    "jackknife": ("efron1993",),
    "bootstrap_interval": ("efron1993",),
}


# Numbers shuffled at a time.
_BLOCK = 1 << 20


def randomised_tukey(values: Floats, *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """The p-values of all pairs if each unit's values could have belonged to any of the systems.

    Values are shuffled among the systems, unit by unit; a pair's difference is held against the largest difference of
    two means that the shuffled table has. The observed table counts as one more draw: p = (b + 1) / (n + 1).

    >>> randomised_tukey(np.array([[0.1, 0.3, 0.3], [0.2, 0.5, 0.3], [0.3, 0.4, 0.5], [0.0, 0.2, 0.2]]), resamples=999)
    array([0.081, 0.145, 0.958])
    """
    units, systems = values.shape
    rng = np.random.default_rng(seed)
    totals = values.sum(axis=0)
    first, second = np.triu_indices(systems, 1)
    apart = np.abs(totals[second] - totals[first])
    tables = min(resamples, max(1, _BLOCK // max(values.size, 1)))
    # Shuffling what has been shuffled gives just another random order, so that one copy serves all draws.
    shuffled = np.repeat(values[None], tables, axis=0)
    ranges = np.empty(resamples)
    for start in range(0, resamples, tables):
        block = shuffled[: resamples - start]
        rng.permuted(block, axis=2, out=block)
        ranges[start : start + tables] = np.ptp(block.sum(axis=1), axis=1)
    # Sums of the same numbers in another order differ in the last digits, and count as equal.
    reach = ROUNDING * units * float(np.abs(values).max(initial=0.0))
    ranges.sort()
    extreme: Ints = resamples - np.searchsorted(ranges, apart - reach)
    return (extreme + 1) / (resamples + 1)
