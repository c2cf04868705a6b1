"""Ratios over users: Welch's test and the delta method against SciPy, the bootstrap, and simulated experiments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay import ParameterError
from assay.stats.ratio_samples import RatioSample, RatioSums
from assay.stats.samples import NO_DRAWING, Drawing
from benchmarks.studies import ratio_calibration

DRAWING = Drawing(999, seed=0)
Numbers = st.lists(st.floats(-50, 50).map(lambda number: round(number, 3)), min_size=3, max_size=30)


def users(number: int, rng: np.random.Generator, start: int = 0) -> RatioSums:
    """Users as the script of the table draws them: those who search more click more."""
    return ratio_calibration.users(number, rng, start)


def means(*columns: object, shared: bool = False) -> RatioSample:
    """Plain means, as ratios with one in each denominator."""
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    starts = [0 if shared else 1000 * place for place in range(len(arrays))]
    sums = tuple(
        RatioSums(np.arange(start, start + len(each)), each, np.ones(len(each)))
        for each, start in zip(arrays, starts, strict=True)
    )
    names = tuple(f"s{place}" for place in range(len(sums)))
    return RatioSample(sums, systems=names, measure="m", unit_kind="user")


@settings(max_examples=24, deadline=None)
@given(Numbers, Numbers)
def test_of_means_the_test_is_welchs(first: list[float], second: list[float]) -> None:
    if min(np.std(first), np.std(second)) < 1e-3:
        return
    sample = means(first, second)
    expected = stats.ttest_ind(second, first, equal_var=False)
    (found,) = sample.test([(0, 1)], None, DRAWING)
    assert found.test == "welch"
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    ends = expected.confidence_interval(0.9)
    (interval,) = sample.intervals((0, 1), [0.9], NO_DRAWING)
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-9)
    for side in ("greater", "less"):
        one_sided = stats.ttest_ind(second, first, equal_var=False, alternative=side).pvalue
        assert sample.test([(0, 1)], None, DRAWING, side)[0].p == pytest.approx(one_sided, rel=1e-9)


def test_with_the_same_users_it_is_the_paired_test_and_with_some_it_lies_between() -> None:
    rng = np.random.default_rng(3)
    person = rng.normal(size=60)
    first, second = person + 0.3 * rng.normal(size=60), person + 0.3 * rng.normal(size=60) + 0.1
    paired, apart = means(first, second, shared=True), means(first, second)
    assert paired.tests[0] == "t"
    assert paired.test([(0, 1)], None, DRAWING)[0].p == pytest.approx(stats.ttest_rel(second, first).pvalue)
    assert (paired.size, apart.size) == (60, 120)
    ours = RatioSums(np.arange(60), first, np.ones(60))
    half = RatioSample((ours, RatioSums(np.arange(30, 90), second, np.ones(60))), systems=("a", "b"), unit_kind="user")
    assert half.tests[0] == "welch"
    assert "30 users of both systems" in half.test([(0, 1)], None, DRAWING)[0].note
    # Users in another order are the same users.
    turned = np.random.default_rng(0).permutation(60)
    mixed = RatioSample((ours, RatioSums(turned, second[turned], np.ones(60))), systems=("a", "b"), unit_kind="user")
    assert mixed.gap(0, 1) == pytest.approx(paired.gap(0, 1))


def test_shared_users_in_part_are_what_a_bootstrap_of_people_gives() -> None:
    rng = np.random.default_rng(4)
    people = 400
    base = rng.normal(size=people)
    seen = [rng.random(people) < 0.7, rng.random(people) < 0.6]
    sums = []
    for mask in seen:
        searches = rng.integers(1, 6, people).astype(float)
        above = searches * (0.5 + 0.1 * base) + rng.normal(size=people) * 0.2
        sums.append(RatioSums(np.flatnonzero(mask), above[mask], searches[mask]))
    gap = RatioSample(tuple(sums), systems=("a", "b"), unit_kind="user").gap(0, 1)
    dense = np.zeros((people, 4))
    for place, each in enumerate(sums):
        dense[each.who, 2 * place], dense[each.who, 2 * place + 1] = each.numerator, each.denominator
    drawn = rng.multinomial(people, np.full(people, 1 / people), size=4000) @ dense
    spread = (drawn[:, 2] / drawn[:, 3] - drawn[:, 0] / drawn[:, 1]).std()
    assert gap.error == pytest.approx(spread, rel=0.06)


def test_the_delta_method_is_what_a_bootstrap_of_users_gives() -> None:
    rng = np.random.default_rng(5)
    sums = users(500, rng)
    drawn = rng.multinomial(500, np.full(500, 1 / 500), size=4000) @ np.column_stack([sums.numerator, sums.denominator])
    assert math.sqrt(sums.variance) == pytest.approx((drawn[:, 0] / drawn[:, 1]).std(), rel=0.05)


def test_alike_systems_are_told_apart_in_about_five_of_a_hundred_experiments() -> None:
    rng = np.random.default_rng(6)
    rate, experiments = users(1_000_000, rng).ratio, 200
    alarms = {"welch": 0, "permutation": 0, "paired": 0}
    held = 0
    for seed in range(experiments):
        sample = RatioSample((users(60, rng), users(90, rng, 60)), systems=("a", "b"), unit_kind="user")
        for name in ("welch", "permutation"):
            alarms[name] += sample.test([(0, 1)], name, Drawing(199, seed))[0].p < 0.05
        pair = RatioSample((users(60, rng), users(60, rng)), systems=("a", "b"), unit_kind="user")
        alarms["paired"] += pair.test([(0, 1)], None, DRAWING)[0].p < 0.05
        (interval,) = sample.intervals((0,), [0.95], NO_DRAWING)
        held += interval.low <= rate <= interval.high
    # Binomial limits of 200 experiments at 5%, with some room for what 60 users are short of.
    for name, count in alarms.items():
        assert 2 <= count <= 20, name
    assert held >= 0.91 * experiments


def test_needed_users_find_the_difference_they_were_counted_for() -> None:
    rng = np.random.default_rng(7)
    first, second = users(3000, rng), users(3000, rng, 3000)
    sample = RatioSample((first, second), systems=("a", "b"), unit_kind="user")
    spread = sample.spread(0, 1, NO_DRAWING)
    # For means: n per arm = (z + z)^2 (s^2 + s^2) / d^2.
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    variance = (first.variance + second.variance) * 3000
    assert sample.needed(0.02, spread, 0.05, 0.8) == pytest.approx(2 * z**2 * variance / 0.02**2, rel=0.01)
    least = sample.detectable((0, 1), spread, 0.05, 0.8)
    assert least == pytest.approx(z * sample.gap(0, 1).error, rel=0.01)


def test_odd_samples_have_no_p_value_and_say_why() -> None:
    alike = means([1.0, 1.0, 1.0], [1.0, 1.0])
    assert alike.test([(0, 1)], None, DRAWING)[0].p == 1.0
    constant = means([1.0, 1.0, 1.0], [2.0, 2.0])
    (found,) = constant.test([(0, 1)], None, DRAWING)
    assert math.isnan(found.p)
    assert found.note == "no p-value: nothing varies between users"
    assert means([1.0] * 8, [2.0] * 8).test([(0, 1)], "permutation", DRAWING)[0].p < 0.01
    nobody = RatioSample((RatioSums(np.array([]), np.array([]), np.array([])), users(5, np.random.default_rng(0))),
                         ("nothing was clicked", None), systems=("a", "b"), unit_kind="user")  # fmt: skip
    assert nobody.undefined() == ["nothing was clicked", None]
    assert math.isnan(nobody.test([(0, 1)], None, DRAWING)[0].p)
    assert not nobody.intervals((0, 1), [0.95], NO_DRAWING)[0].is_known
    assert means([1.0, 2.0], [1.0, 2.0], shared=True).is_same(0, 1)
    with pytest.raises(ParameterError, match="its test is welch, not wilcoxon"):
        means([1.0, 2.0], [1.0, 3.0]).test([(0, 1)], "wilcoxon", DRAWING)


def test_a_system_with_a_single_user_is_tested_by_permutation_alone() -> None:
    alone = means([0.9], np.linspace(0.0, 0.5, 39))
    (found,) = alone.test([(0, 1)], "permutation", Drawing(4999, seed=1))
    assert found.p == pytest.approx(1 / 40, abs=0.01)  # the single user is the highest of 40
    (welch,) = alone.test([(0, 1)], None, DRAWING)
    assert math.isnan(welch.p)
    assert welch.note == "no p-value: a system has a single user"


def test_where_nothing_varied_nobody_knows_how_many_users_are_needed() -> None:
    never = means([0.0] * 8, [0.0] * 9)
    spread = never.spread(0, 1, NO_DRAWING)
    assert math.isnan(spread)
    assert math.isnan(never.detectable((0, 1), spread, 0.05, 0.8))
    assert never.needed(0.01, spread, 0.05, 0.8) is None


def test_permutations_are_seeded_and_near_welchs_p() -> None:
    rng = np.random.default_rng(8)
    sample = RatioSample((users(80, rng), users(80, rng, 80)), systems=("a", "b"), unit_kind="user")
    first, again = (sample.test([(0, 1)], "permutation", Drawing(4999, seed=1))[0] for _ in range(2))
    assert first.test == "division"  # nothing is paired: the users are of one system each
    assert first == again
    assert first.p == pytest.approx(sample.test([(0, 1)], None, DRAWING)[0].p, abs=0.03)
    two, one = (sample.test([(0, 1)], "permutation", Drawing(4999, seed=1), side)[0].p for side in ("greater", "less"))
    assert two + one == pytest.approx(1.0, abs=0.01)


def test_swaps_hold_where_users_of_both_systems_have_many_pages_in_one_and_few_in_the_other() -> None:
    """A difference that is not held against its error would be significant in a fifth of these experiments."""
    rng, found = np.random.default_rng(3), 0
    for seed in range(200):
        pages = rng.poisson((9, 0.2), (60, 2)).T + 1.0
        clicked = rng.binomial(pages.astype(np.int64), 0.4).astype(np.float64)
        sums = tuple(RatioSums(np.arange(60), *each) for each in zip(clicked, pages, strict=True))
        sample = RatioSample(sums, systems=("old", "new"), measure="CTR", unit_kind="user")
        (outcome,) = sample.test([(0, 1)], "permutation", Drawing(199, seed))
        found += outcome.p < 0.05
    assert 2 <= found <= 20


def test_without_a_swap_the_statistic_is_that_of_the_paired_test() -> None:
    rng = np.random.default_rng(5)
    sample = means(rng.normal(size=12), rng.normal(size=12), shared=True)
    (swapped,), (paired,) = (sample.test([(0, 1)], test, DRAWING) for test in ("permutation", "t"))
    assert swapped.statistic == pytest.approx(paired.statistic)
    assert swapped.p == pytest.approx(paired.p, abs=0.05)


def test_effects_do_not_depend_on_rounding() -> None:
    """Sums over pages come in any order: ratios that differ in the last digit are tied."""
    who, pages = np.arange(6), np.full(6, 3.0)
    clicks = np.array([0.3, 0.6, 0.9, 0.3, 0.6, 0.9])
    noisy = clicks * (1 + np.array([1, -1, 1, -1, 1, -1]) * 1e-16 * 4)
    deltas = [
        RatioSample((RatioSums(who[:3], each[:3], pages[:3]), RatioSums(who[3:], each[3:], pages[3:]))).effects(0, 1)
        for each in (clicks, noisy)
    ]
    assert deltas[0].cliffs_delta == deltas[1].cliffs_delta == 0.0
