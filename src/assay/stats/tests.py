"""Tests of paired differences, by name: permutation, bootstrap, t, Wilcoxon's signed ranks, signs.

Each takes the differences, unit by unit, of the second system from the first, asks whether they are centred at 0, and
answers two-sidedly. Differences that are all zero give p = 1 under every test. Differences that are all alike, but not
zero, have no spread to hold their mean against: the t-test and the bootstrap then have no p-value (NaN) and say so,
while the others, which need no spread, go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy import special

from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import weights
from assay.stats.effects import d_z, wins
from assay.stats.mcnemar import NAMES, Way
from assay.stats.permutation import MOST_UNITS_EXACT, NOTHING_DIFFERS, Outcome, permutation_test

# Differences are ranked to so many digits: what lies behind them is rounding, and would break ties at random.
_DIGITS = 9
# Numbers held against one another at a time.
_TOGETHER = 1 << 22
# Means of resamples that are this near to what is observed count as reaching it.
_NEARLY = 1e-9
# Up to so many untied differences, SciPy goes through the distribution of the sum of ranks.
_MOST_RANKS_EXACT = 50


class PairedTest(Protocol):
    """A test of paired differences; those that draw nothing take no notice of `resamples` and `seed`."""

    def __call__(self, differences: Floats, *, resamples: int = ..., seed: int = ...) -> Outcome:
        """Test whether the differences are centred at 0."""


def paired_t(differences: Floats) -> Outcome:
    """Student's t-test of the mean difference.

    The p-value is NaN where the spread is unknown: with one unit, or where all differences are alike.

    >>> paired_t(np.array([0.1, 0.2, 0.3]))  # 0.2 / (0.1 / √3), 2 degrees of freedom
    Outcome(test='t', statistic=3.4641, p=0.0742, resamples=None, note='2 degrees of freedom', sign=None)
    """
    return _without_spread("t", differences) or _student(differences)


def wilcoxon(differences: Floats) -> Outcome:
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
        return _nothing_differs("wilcoxon")
    signed = np.sign(rounded) * stats.rankdata(sizes)
    gained, lost = float(signed[signed > 0].sum()), float(-signed[signed < 0].sum())
    if len(sizes) - zeros <= MOST_UNITS_EXACT:
        found = permutation_test(signed)
        how, p = f"{found.note} of ranks", found.p
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


def sign_test(differences: Floats) -> Outcome:
    """The binomial test of units won against units lost; units that are tied are dropped. The statistic: units won.

    >>> sign_test(np.array([0.1, 0.2, 0.3, 0.1, 0.0]))  # 2 of the 2^4 ways to win and lose
    Outcome(test='sign', statistic=4.0, p=0.125, resamples=None, note='exact; 4 higher, 0 lower, 1 tied and dropped',
            sign=1)
    """
    won, tied, lost = wins(differences)
    if not won + lost:
        return _nothing_differs("sign")
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
    rounded: Floats = np.round(numbers * scale) / scale
    return rounded


def _student(differences: Floats) -> Outcome:
    freedom = len(differences) - 1
    t = d_z(differences) * np.sqrt(len(differences))
    plural = "degree" if freedom == 1 else "degrees"
    return Outcome("t", float(t), 2 * float(special.stdtr(freedom, -abs(t))), None, f"{freedom} {plural} of freedom")


def _without_spread(test: str, differences: Floats) -> Outcome | None:
    """What a test that needs a spread says where there is none."""
    if wins(differences).tied == len(differences):
        return _nothing_differs(test)
    if len(differences) == 1:
        return Outcome(test, np.nan, np.nan, None, "no p-value: one unit has no spread")
    if np.isnan(d_z(differences)):
        return Outcome(test, np.copysign(np.inf, differences[0]), np.nan, None, "no p-value: all differences are alike")
    return None


def _nothing_differs(test: str) -> Outcome:
    return Outcome(test, 0.0, 1.0, None, NOTHING_DIFFERS)


def _drawing_nothing(test: Callable[[Floats], Outcome]) -> PairedTest:
    def tested(differences: Floats, *, resamples: int = 0, seed: int = 0) -> Outcome:
        del resamples, seed
        return test(differences)

    return tested


#: The tests by name, under one signature.
TESTS: dict[str, PairedTest] = {
    "permutation": permutation_test,
    "bootstrap": bootstrap_test,
    "t": _drawing_nothing(paired_t),
    "wilcoxon": _drawing_nothing(wilcoxon),
    "sign": _drawing_nothing(sign_test),
}
#: Tests of all systems at once, whose p-values need no further correction.
SIMULTANEOUS = ("tukey", "randomised_tukey")
#: The ways of McNemar's test, by what it is called then.
MCNEMAR: dict[str, Way] = {name: way for way, name in NAMES.items()}
#: Tests of predicted labels, and of scores.
OF_CLASSIFIERS = ("swap", *MCNEMAR, "delong", "jackknife", "bootstrap_interval")
EVERY_TEST = (*TESTS, *SIMULTANEOUS, *OF_CLASSIFIERS)
#: What stands for the test where there is none.
NO_TEST = "none"
#: The works to cite for tests, by their keys in the bibliography.
CITES = {
    "permutation": ("smucker2007",),
    "bootstrap": ("sakai2006",),
    "t": ("student1908", "smucker2007"),
    "wilcoxon": ("wilcoxon1945", "pratt1959"),
    "sign": ("dixon1946",),
    "tukey": ("tukey1949", "carterette2012"),
    "randomised_tukey": ("carterette2012",),
    **dict.fromkeys(MCNEMAR, ("mcnemar1947",)),
    "delong": ("delong1988",),
    "jackknife": ("efron1993",),
    "bootstrap_interval": ("efron1993",),
}
