"""Tests, corrections and analysis of variance agree with SciPy and statsmodels, and are sane where those are not."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from scipy import stats as scipy_stats

from assay import ParameterError
from assay.measures.counting.judgments import Floats
from assay.stats import tests
from assay.stats.permutation import permutation_test
from assay.stats.tests import TESTS, bootstrap_test, paired_t, sign_test, wilcoxon, wins
from assay.stats.verdict import CORRECTIONS, corrected

SHAPES = ("smooth", "tied", "with zeros", "far off")


def differences(seed: int, units: int, shape: str) -> Floats:
    rng = np.random.default_rng(seed)
    drawn = rng.normal(0.1, 0.3, units)
    if shape == "tied":
        return np.where(drawn.round(1) == 0, 0.1, drawn.round(1))
    if shape == "with zeros":
        return np.where(rng.random(units) < 0.3, 0.0, drawn)
    return drawn**5 * 1000 if shape == "far off" else drawn


def sample_of(seed: int, units: int, systems: int) -> Floats:
    """Values that differ by unit, by system and by chance."""
    rng = np.random.default_rng(seed)
    by_unit, by_system = rng.normal(0, 1, (units, 1)), rng.normal(0, 0.3, (1, systems))
    return np.asarray(by_unit + by_system + rng.normal(0, 0.5, (units, systems)))


@in_turn("shape", SHAPES)
@in_turn("units", [2, 3, 10, 40])
def test_the_t_test_agrees_with_scipy(units: int, shape: str) -> None:
    for seed in range(5):
        numbers = differences(seed, units, shape)
        if np.ptp(numbers) < 1e-9:
            continue
        found, expected = paired_t(numbers), scipy_stats.ttest_rel(numbers, np.zeros(units))
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("units", [3, 9, 30, 60])
def test_the_signed_rank_test_agrees_with_scipy(units: int, shape: str) -> None:
    for seed in range(2):
        numbers = differences(seed, units, shape)
        # SciPy tells ties by the last bit, and we do by the twelfth decimal.
        numbers = numbers.round(12)
        moved = np.count_nonzero(numbers)
        if not moved:
            continue
        method: Any = "auto" if moved > 16 else scipy_stats.PermutationMethod(n_resamples=1 << units)
        if moved <= 16 and units > 13:
            continue  # SciPy would not go through all swaps
        expected = scipy_stats.wilcoxon(numbers, zero_method="pratt", method=method)
        found = wilcoxon(numbers)
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_the_signed_rank_test_says_how_it_came_to_its_p_value() -> None:
    assert wilcoxon(differences(0, 30, "smooth")).note == "exact"
    assert wilcoxon(differences(0, 60, "smooth")).note == "normal approximation"
    assert wilcoxon(differences(0, 60, "tied")).note == "normal approximation; ties share their mean rank"
    assert (
        wilcoxon(np.array([0.1, 0.0, 0.3])).note
        == "exact: all 2^2 swaps of ranks; 1 zero ranked, then left out (Pratt)"
    )


def test_differences_that_are_equal_but_for_rounding_are_ties() -> None:
    assert wilcoxon(np.array([0.3 - 0.1, 0.2, 0.5 - 0.4, 0.1, -0.3])) == wilcoxon(np.array([0.2, 0.2, 0.1, 0.1, -0.3]))


@in_turn("shape", SHAPES)
@in_turn("units", [1, 5, 40, 400])
def test_the_sign_test_agrees_with_scipy(units: int, shape: str) -> None:
    for seed in range(5):
        numbers = differences(seed, units, shape)
        won, _, lost = wins(numbers)
        if won + lost:
            assert sign_test(numbers).p == pytest.approx(scipy_stats.binomtest(won, won + lost).pvalue, rel=1e-9)


def test_the_bootstrap_counts_studentised_resamples_that_reach_so_far() -> None:
    numbers = differences(2, 12, "smooth")
    moved, rng = numbers - numbers.mean(), np.random.default_rng(9)
    drawn = moved[rng.integers(12, size=(50_000, 12))]
    t = np.abs(scipy_stats.ttest_1samp(drawn, 0, axis=1).statistic)
    expected = float(np.mean(t >= abs(scipy_stats.ttest_1samp(numbers, 0).statistic)))
    assert bootstrap_test(numbers, resamples=50_000).p == pytest.approx(expected, abs=0.006)  # 4 standard errors
    assert bootstrap_test(numbers, resamples=99) == bootstrap_test(numbers, resamples=99)
    assert bootstrap_test(numbers, resamples=99, seed=1).p != bootstrap_test(numbers, resamples=99, seed=2).p


def test_resamples_of_one_unit_over_and_over_count_as_reaching_so_far() -> None:
    # Of the four ways to draw two of two units, two hold one unit only; the other two have mean 0 and do not reach t.
    assert bootstrap_test(np.array([1.0, 3.0]), resamples=40_000).p == pytest.approx(0.5, abs=0.01)


@in_turn("name", TESTS)
@in_turn("units", [0, 1, 2, 30])
def test_differences_that_are_all_zero_give_a_p_value_of_one(name: str, units: int) -> None:
    assert TESTS[name](np.zeros(units), resamples=99, seed=0).p == 1.0


@in_turn("name", ["t", "bootstrap"])
def test_differences_all_alike_have_no_p_value_where_a_spread_is_needed(name: str) -> None:
    found = TESTS[name](np.array([0.3 - 0.1, 0.4 - 0.2, 0.2, 0.2]), resamples=99, seed=0)
    assert np.isnan(found.p)
    assert found.statistic == np.inf
    assert found.note == "no p-value: all differences are alike"
    assert np.isnan(TESTS[name](np.array([0.2]), resamples=99, seed=0).p)


@in_turn("name", ["permutation", "wilcoxon", "sign"])
def test_differences_all_alike_are_as_telling_as_their_signs_elsewhere(name: str) -> None:
    assert TESTS[name](np.full(6, 0.2), resamples=99, seed=0).p == 2 / 2**6


@in_turn("name", TESTS)
@in_turn("shape", SHAPES)
def test_swapping_the_systems_changes_nothing(name: str, shape: str) -> None:
    numbers = differences(3, 25, shape)
    one, other = (TESTS[name](sign * numbers, resamples=999, seed=0).p for sign in (1, -1))
    # The bootstrap draws the same units, permutations the same signs: both see the mirror image.
    assert one == pytest.approx(other, rel=1e-9)


STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "benjamini-hochberg": "fdr_bh"}


@pytest.mark.parametrize("method", STATSMODELS)
def test_corrections_agree_with_statsmodels(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "gc.collect", lambda: 0
    )  # statsmodels collects garbage in each call, half a second in a long run
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415  # slow to import

    for seed in range(30):
        rng = np.random.default_rng(seed)
        p = (rng.random(rng.integers(1, 40)) ** 3).round(int(rng.integers(1, 6)))
        np.testing.assert_allclose(corrected(p, method), multipletests(p, method=STATSMODELS[method])[1], atol=1e-12)


@in_turn("method", CORRECTIONS)
def test_corrections_keep_the_order_stay_below_one_and_leave_out_what_is_no_p_value(method: str) -> None:
    p = np.array([0.5, np.nan, 0.001, 0.2, np.nan, 0.9, 0.001])
    known = ~np.isnan(p)
    found = corrected(p, method)
    np.testing.assert_array_equal(np.isnan(found), ~known)
    np.testing.assert_array_equal(found[known], corrected(p[known], method))
    assert (found[known] >= p[known]).all()
    assert (found[known] <= 1).all()
    assert (np.diff(found[known][np.argsort(p[known])]) >= 0).all()
    assert corrected(np.array([]), method).size == 0
    assert np.isnan(corrected(np.array([np.nan]), method)).all()


def test_a_misspelt_correction_gets_a_suggestion() -> None:
    with pytest.raises(ParameterError, match=r"correction is one of none, bonferroni.*did you mean bonferroni"):
        corrected(np.array([0.01, 0.02, 0.5]), "bonferoni")


def test_the_randomised_test_approaches_all_orders() -> None:
    values = np.array([[0.1, 0.4, 0.5], [0.2, 0.2, 0.9], [0.3, 0.6, 0.4]])
    totals = values.sum(axis=0)
    tables = [np.sum(rows, axis=0) for rows in product(*(list(permutations(row)) for row in values))]
    ranges = np.array([np.ptp(table) for table in tables])
    first, second = np.triu_indices(3, 1)
    expected = [np.mean(ranges >= abs(totals[j] - totals[i]) - 1e-9) for i, j in zip(first, second, strict=True)]
    np.testing.assert_allclose(tests.randomised_tukey(values, resamples=40_000), expected, atol=0.012)


def test_the_randomised_test_of_two_systems_is_the_permutation_test() -> None:
    values = sample_of(8, 14, 2)
    expected = permutation_test(values[:, 1] - values[:, 0]).p
    assert tests.randomised_tukey(values, resamples=40_000)[0] == pytest.approx(expected, abs=0.012)


def test_the_randomised_test_is_the_same_for_a_seed_and_never_zero() -> None:
    values = sample_of(9, 20, 5)
    one = tests.randomised_tukey(values, resamples=999, seed=4)
    np.testing.assert_array_equal(one, tests.randomised_tukey(values, resamples=999, seed=4))
    assert (one != tests.randomised_tukey(values, resamples=999, seed=5)).any()
    assert one.min() >= 1 / 1000
    assert len(tests.randomised_tukey(np.zeros((3, 1)))) == 0
    assert tests.randomised_tukey(np.full((4, 3), 0.3), resamples=50).tolist() == [1.0, 1.0, 1.0]
