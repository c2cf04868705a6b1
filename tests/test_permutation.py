"""The permutation test is what its definition says: held against all swaps, against SciPy, and against recounting."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from cases import in_turn
from scipy import stats as scipy_stats

from assay import PerUnit
from assay.measures.counting.judgments import Floats
from assay.measures.steps import quantity
from assay.stats.permutation import (
    MOST_UNITS_EXACT,
    Alternative,
    permutation_of_pairs,
    permutation_of_pooled,
    permutation_test,
)

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
#: Monte-Carlo p-values may be this many standard errors apart; seeds are fixed, so that it holds once and for all.
FAR = 4.5


def differences(seed: int, units: int, *, ties: bool) -> Floats:
    """Random differences; with ties, in steps of a tenth, zeros among them, as precision at 10 has."""
    drawn = np.random.default_rng(seed).normal(0.1, 0.3, units)
    return drawn.round(1) if ties else drawn


def by_brute_force(numbers: Floats, alternative: Alternative) -> float:
    """The share of all sign vectors whose sum is at least as extreme as that of the numbers as they are."""
    total = numbers.sum()
    sums = [sum(sign * number for sign, number in zip(signs, numbers, strict=True))
            for signs in product((1, -1), repeat=len(numbers))]  # fmt: skip
    reached = {
        "two-sided": [abs(each) >= abs(total) - 1e-9 for each in sums],
        "greater": [each >= total - 1e-9 for each in sums],
        "less": [each <= total + 1e-9 for each in sums],
    }
    return float(np.mean(reached[alternative]))


def monte_carlo_error(p: float, resamples: int) -> float:
    return FAR * float(np.sqrt(p * (1 - p) / resamples)) + 1 / resamples


@in_turn("alternative", ALTERNATIVES)
@in_turn("ties", [False, True])
@in_turn("units", [1, 2, 5, 10])
def test_few_units_give_the_share_of_all_sign_vectors(units: int, ties: bool, alternative: Alternative) -> None:
    for seed in range(5):
        numbers = differences(seed, units, ties=ties)
        found = permutation_test(numbers, alternative=alternative)
        assert found.p == pytest.approx(by_brute_force(numbers, alternative), abs=1e-12)
        assert found.resamples is None
        assert found.note.startswith("exact")


@in_turn("alternative", ALTERNATIVES)
@in_turn("ties", [False, True])
def test_drawn_swaps_agree_with_scipy(ties: bool, alternative: Alternative) -> None:
    for seed in range(3):
        numbers, resamples = differences(seed, 40, ties=ties) - 0.04, 20_000
        ours = permutation_test(numbers, resamples=resamples, seed=seed, alternative=alternative)
        theirs = scipy_stats.permutation_test(
            (numbers,), np.mean, permutation_type="samples", n_resamples=resamples, vectorized=True,
            alternative=alternative, rng=np.random.default_rng(seed),
        ).pvalue  # fmt: skip
        # SciPy doubles the smaller tail, and with it the standard error's square.
        assert ours.p == pytest.approx(theirs, abs=2 * monte_carlo_error(theirs, resamples))
        assert ours.resamples == resamples


def test_drawn_swaps_approach_all_swaps() -> None:
    numbers = differences(3, MOST_UNITS_EXACT, ties=False)
    exact = permutation_test(numbers)
    # More units than are gone through, but the ones added hardly matter.
    drawn = permutation_test(np.append(numbers, np.full(8, 1e-11)), resamples=100_000)
    assert exact.resamples is None
    assert drawn.p == pytest.approx(exact.p, abs=monte_carlo_error(exact.p, 100_000))


def test_units_that_do_not_differ_change_nothing() -> None:
    numbers = differences(1, 12, ties=False)
    with_zeros = permutation_test(np.append(numbers, np.zeros(100)))
    assert with_zeros.p == permutation_test(numbers).p
    assert with_zeros.statistic == pytest.approx(numbers.sum() / 112)


@in_turn("units", [0, 1, 7, 60])
def test_systems_that_nowhere_differ_are_not_told_apart(units: int) -> None:
    for alternative in ALTERNATIVES:
        assert permutation_test(np.zeros(units), alternative=alternative).p == 1.0


def test_the_order_of_the_units_does_not_matter_where_sums_tie_but_for_rounding() -> None:
    numbers = np.array([0.1, 0.2, 0.3, -0.1, -0.2, 0.7, -0.3, 0.1, 0.2, -0.6])
    rng = np.random.default_rng(0)
    assert len({permutation_test(rng.permutation(numbers)).p for _ in range(20)}) == 1


def test_drawn_swaps_count_sums_that_tie_with_the_observed_one() -> None:
    numbers = np.append(np.full(26, 0.1), np.full(14, -0.1))
    # All differences are of one size, so the sum depends on the number of wins alone.
    expected = scipy_stats.binomtest(26, 40).pvalue
    assert permutation_test(numbers).p == pytest.approx(expected, abs=monte_carlo_error(expected, 100_000))


def test_a_drawn_p_value_is_never_zero_and_is_the_same_for_a_seed() -> None:
    numbers = np.linspace(0.5, 1.0, 50)
    assert permutation_test(numbers, resamples=999).p == 1 / 1000
    close = differences(5, 60, ties=False) - 0.05
    assert permutation_test(close, resamples=999, seed=3) == permutation_test(close, resamples=999, seed=3)
    assert permutation_test(close, resamples=999, seed=3).p != permutation_test(close, resamples=999, seed=4).p


@in_turn("ties", [False, True])
def test_pairs_of_few_units_are_gone_through(ties: bool) -> None:
    values = np.column_stack([differences(seed, 9, ties=ties) for seed in range(5)])
    first, second = np.triu_indices(5, 1)
    expected = [by_brute_force(values[:, j] - values[:, i], "two-sided") for i, j in zip(first, second, strict=True)]
    np.testing.assert_allclose(permutation_of_pairs(values, first, second), expected, atol=1e-12)


def test_pairs_agree_with_the_test_of_each_pair() -> None:
    values = np.column_stack([differences(seed, 45, ties=seed % 2 == 0) for seed in range(6)])
    first, second = np.triu_indices(6, 1)
    together = permutation_of_pairs(values, first, second, resamples=20_000, seed=1)
    for p, i, j in zip(together, first, second, strict=True):
        alone = permutation_test(values[:, j] - values[:, i], resamples=20_000, seed=2).p
        assert p == pytest.approx(alone, abs=2 * monte_carlo_error(alone, 20_000))


def test_a_pair_does_not_depend_on_the_other_pairs() -> None:
    values = np.column_stack([differences(seed, 700, ties=False) for seed in range(4)])
    first, second = np.triu_indices(4, 1)
    all_pairs = permutation_of_pairs(values, first, second, resamples=3_000)
    np.testing.assert_array_equal(
        all_pairs[2:4], permutation_of_pairs(values, first[2:4], second[2:4], resamples=3_000)
    )
    np.testing.assert_array_equal(all_pairs, permutation_of_pairs(values, second, first, resamples=3_000))


def test_a_system_and_its_copy_are_not_told_apart() -> None:
    values = np.column_stack([differences(0, 30, ties=False)] * 2)
    assert permutation_of_pairs(values, np.array([0]), np.array([1]), resamples=500).tolist() == [1.0]


def counted(seed: int, units: int, share: float) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    retrieved = rng.integers(1, 6, units)
    return rng.binomial(retrieved, share).astype(float), retrieved.astype(float)


def ratio(found: Floats, retrieved: Floats) -> PerUnit:
    return quantity("found", found) / quantity("retrieved", retrieved)


@in_turn("alternative", ALTERNATIVES)
@in_turn("seed", range(5))
def test_a_ratio_of_sums_is_recounted_under_every_swap(seed: int, alternative: Alternative) -> None:
    one, other = counted(seed, 8, 0.4), counted(seed + 100, 8, 0.7)
    observed = other[0].sum() / other[1].sum() - one[0].sum() / one[1].sum()
    reached = []
    for swap in product((False, True), repeat=8):
        first = [np.where(swap, theirs, ours).sum() for ours, theirs in zip(one, other, strict=True)]
        second = [np.where(swap, ours, theirs).sum() for ours, theirs in zip(one, other, strict=True)]
        apart = second[0] / second[1] - first[0] / first[1]
        extreme = {"two-sided": abs(apart) >= abs(observed) - 1e-9, "greater": apart >= observed - 1e-9,
                   "less": apart <= observed + 1e-9}  # fmt: skip
        reached.append(extreme[alternative])
    found = permutation_of_pooled(ratio(*one), ratio(*other), alternative=alternative)
    assert found.statistic == pytest.approx(observed)
    assert found.p == pytest.approx(np.mean(reached), abs=1e-12)


@in_turn("units", [10, 40])
def test_sums_over_the_number_of_units_are_means(units: int) -> None:
    rng = np.random.default_rng(4)
    one, other = (rng.random(units) < 0.5).astype(float), (rng.random(units) < 0.7).astype(float)
    ones = np.ones(units)
    pooled = permutation_of_pooled(ratio(one, ones), ratio(other, ones), resamples=20_000)
    averaged = permutation_test(other - one, resamples=20_000)
    assert pooled.statistic == pytest.approx(averaged.statistic)
    error = 1e-12 if units <= MOST_UNITS_EXACT else 2 * monte_carlo_error(averaged.p, 20_000)
    assert pooled.p == pytest.approx(averaged.p, abs=error)


def test_the_scale_of_a_pooled_number_does_not_matter() -> None:
    one, other = counted(0, 12, 0.4), counted(1, 12, 0.7)
    plain = permutation_of_pooled(ratio(*one), ratio(*other))
    large = permutation_of_pooled(ratio(*one) * 1e6, ratio(*other) * 1e6)
    assert large.p == plain.p


def test_swaps_that_leave_the_number_undefined_speak_for_the_null() -> None:
    # Two of the four swaps leave a system that has retrieved nothing: p is 4/4, and not 2/4.
    one, other = ratio(np.array([0.0, 1.0]), np.array([0.0, 2.0])), ratio(np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    assert permutation_of_pooled(one, other).p == 1.0


def test_a_difference_that_is_undefined_has_no_p_value() -> None:
    undefined = ratio(np.zeros(3), np.zeros(3))
    for alternative in ALTERNATIVES:
        found = permutation_of_pooled(undefined, ratio(np.ones(3), np.ones(3)), alternative=alternative)
        assert np.isnan(found.statistic)
        assert np.isnan(found.p)
        assert found.note == "no p-value: a system has no number"
