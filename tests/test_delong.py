"""DeLong's variance against its definition written out over all pairs, and where it has nothing to say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from strategies import quickly

from assay import InputError, ParameterError
from assay.measures.counting.judgments import Floats
from assay.measures.counting.scored import Scored
from assay.stats.delong import delong, delong_paired, exact_bound


def kernel(truth: Any, scores: Any) -> Floats:
    """1 where a positive item (row) beats a negative one (column), 1/2 where they tie, 0 otherwise."""
    positive = [score for one, score in zip(truth, scores, strict=True) if one]
    negative = [score for one, score in zip(truth, scores, strict=True) if not one]
    return np.array([[1.0 if p > n else 0.5 if p == n else 0.0 for n in negative] for p in positive])


def covariance(truth: Any, *scores: Any) -> tuple[Floats, Floats]:
    """The areas, and their covariances by the definition: of row means by rows, of column means by columns."""
    tables = [kernel(truth, one) for one in scores]
    rows, columns = tables[0].shape
    by_row = np.atleast_2d(np.cov(np.array([table.mean(axis=1) for table in tables]), ddof=1))
    by_column = np.atleast_2d(np.cov(np.array([table.mean(axis=0) for table in tables]), ddof=1))
    return np.array([table.mean() for table in tables]), by_row / rows + by_column / columns


def drawn(seed: int, items: int = 40, digits: int = 1) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(items) < 0.4
    truth[:4] = True, True, False, False
    first = rng.normal(truth, 1.0).round(digits)
    return truth, first, (first + rng.normal(0, 1.0, items)).round(digits)


@in_turn("seed", range(8))
@in_turn("digits", [0, 1, 9])
def test_the_variance_is_that_of_the_definition(seed: int, digits: int) -> None:
    truth, scores, _ = drawn(seed, digits=digits)
    areas, expected = covariance(truth, scores)
    found = delong(Scored.from_scores(truth, scores), 0.9)
    assert found.auc == pytest.approx(areas[0])
    assert found.variance == pytest.approx(expected[0, 0])


@in_turn("seed", range(8))
@in_turn("digits", [0, 1, 9])
def test_the_variance_of_a_difference_is_that_of_the_definition(seed: int, digits: int) -> None:
    truth, first, second = drawn(seed, digits=digits)
    areas, expected = covariance(truth, first, second)
    variance = expected[0, 0] + expected[1, 1] - 2 * expected[0, 1]
    found = delong_paired(truth, first, second)
    assert found.auc == pytest.approx(tuple(areas))
    assert found.difference == pytest.approx(areas[0] - areas[1])
    assert found.variance == pytest.approx(variance)
    assert found.p == pytest.approx(2 * scipy_stats.norm.sf(abs(areas[0] - areas[1]) / np.sqrt(variance)))
    turned = delong_paired(truth, second, first)
    assert (turned.difference, turned.p) == pytest.approx((-found.difference, found.p))


some = st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=14)


@quickly
@given(some)
def test_nothing_ever_leaves_its_bounds(items: list[tuple[bool, int, int]]) -> None:
    truth, first, second = (np.array(column) for column in zip(*items, strict=True))
    found = delong(Scored.from_scores(truth, first))
    if truth.any() and not truth.all():
        assert found.interval.is_known or found.note
        if found.interval.is_known:
            assert 0 <= found.interval.low <= found.auc <= found.interval.high <= 1
            assert found.interval.low < found.interval.high
    else:
        assert np.isnan(found.auc)
        assert "there is no" in found.note
    paired = delong_paired(truth, first, second)
    assert np.isnan(paired.p) or 0 <= paired.p <= 1
    assert not np.isnan(paired.p) or paired.note
    if paired.interval.is_known:
        assert -1 <= paired.interval.low <= paired.difference <= paired.interval.high <= 1


@in_turn("positives", [2, 5, 60])
def test_a_score_without_error_is_not_certain(positives: int) -> None:
    scored = Scored.from_lists(positive=[0.9] * positives, negative=[0.1] * 200)
    found = delong(scored, 0.95)
    assert (found.auc, found.variance, found.interval.high) == (1.0, 0.0, 1.0)
    # Had the area been at the lower end, so many pairs would all be won with a probability of 5 %.
    assert found.interval.low**positives == pytest.approx(0.05)
    assert found.interval.method == "exact bound"
    assert "exact" in found.note
    worst = delong(Scored.from_lists(positive=[0.1] * positives, negative=[0.9] * 200), 0.95)
    assert (worst.interval.low, worst.interval.high) == pytest.approx((0.0, 1 - found.interval.low))


def test_a_constant_score_may_have_been_constant_by_chance() -> None:
    found = delong(Scored.from_lists([1] * 30, [1] * 30), 0.95)
    assert found.auc == 0.5
    assert 0.5 - found.interval.low == pytest.approx(found.interval.high - 0.5)
    assert 1 - 2 * (0.5 - found.interval.low) == pytest.approx(0.05 ** (1 / 30))


def test_the_bound_of_a_hundred_pairs_is_the_rule_of_three() -> None:
    assert exact_bound(1.0, 100, 0.95).low == pytest.approx(1 - 3 / 100, abs=1e-3)


def test_the_interval_of_log_odds_is_made_there() -> None:
    truth, scores, _ = drawn(3)
    found = delong(Scored.from_scores(truth, scores), 0.95)
    assert found.interval.method == "DeLong, logit"
    odds = np.log(found.auc / (1 - found.auc))
    reach = scipy_stats.norm.ppf(0.975) * np.sqrt(found.variance) / (found.auc * (1 - found.auc))
    ends = [1 / (1 + np.exp(-(odds + side * reach))) for side in (-1, 1)]
    assert [found.interval.low, found.interval.high] == pytest.approx(ends)


def test_intervals_cover_the_area_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    area = float(scipy_stats.norm.cdf(1 / np.sqrt(2)))
    covered = 0
    for _ in range(600):
        scored = Scored.from_lists(rng.normal(1, 1, 40).tolist(), rng.normal(0, 1, 60).tolist())
        low, high, *_ = delong(scored, 0.9).interval
        covered += low <= area <= high
    assert 0.86 <= covered / 600 <= 0.94


def test_near_1_with_few_items_only_the_interval_of_log_odds_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    shift = np.sqrt(2) * scipy_stats.norm.ppf(0.95)
    covered = {"plain": 0, "log odds": 0}
    for _ in range(500):
        scored = Scored.from_lists(rng.normal(shift, 1, 20).tolist(), rng.normal(0, 1, 20).tolist())
        found = delong(scored, 0.95)
        covered["log odds"] += found.interval.low <= 0.95 <= found.interval.high
        covered["plain"] += abs(found.auc - 0.95) <= 1.96 * np.sqrt(found.variance)
    assert covered["plain"] / 500 < 0.9
    assert 0.93 <= covered["log odds"] / 500 <= 0.98


def test_p_values_are_uniform_where_two_scores_are_equally_good() -> None:
    rng = np.random.default_rng(4)
    truth = np.repeat([True, False], 50)
    found = []
    for _ in range(500):
        shared = rng.normal(truth, 1.0)
        first, second = (shared + rng.normal(0, 0.7, 100) for _ in range(2))
        found.append(delong_paired(truth, first, second).p)
    assert scipy_stats.kstest(found, "uniform").pvalue > 0.01


def test_scores_in_the_same_order_do_not_differ() -> None:
    truth, scores, _ = drawn(1)
    for other in (scores, np.exp(scores), scores * 3 - 7):
        found = delong_paired(truth, scores, other)
        assert (found.difference, found.variance, found.p) == (0.0, 0.0, 1.0)
        assert found.interval[:2] == (0.0, 0.0)


def test_a_difference_without_spread_is_tested_on_pairs() -> None:
    truth = [1] * 6 + [0] * 9
    found = delong_paired(truth, truth, [0.5] * 15)
    assert (found.difference, found.variance) == (0.5, 0.0)
    assert found.p == pytest.approx(2 * 0.5**6)
    assert "sign test" in found.note
    assert not found.interval.is_known


def test_one_item_of_a_class_has_no_spread() -> None:
    found = delong(Scored.from_lists([0.5], [0.1, 0.6, 0.3]))
    assert found.auc == pytest.approx(2 / 3)
    assert np.isnan(found.variance)
    assert not found.interval.is_known
    assert found.note == "one item of a class has no spread"
    assert delong_paired([1, 0, 0], [3, 2, 1], [1, 2, 3]).note == found.note
    assert delong_paired([1, 0, 0], [3, 2, 1], [3, 2, 1]).p == 1.0


def test_what_cannot_be_done_is_refused() -> None:
    weighted = Scored.from_scores([1, 0, 1], [3, 2, 1], sample_weight=[1, 2, 3])
    with pytest.raises(ParameterError, match="not for weights: use the bootstrap"):
        delong(weighted)
    scored = Scored.from_lists([1, 2], [0, 3])
    with pytest.raises(ParameterError, match="confidence is a number between 0 and 1, not 95"):
        delong(scored, 95)
    with pytest.raises(InputError, match="scores_b: expected finite numbers, got nan at item 2"):
        delong_paired([1, 0], [1, 2], [1, np.nan])
    with pytest.raises(InputError, match="scores_b: expected 2 scores"):
        delong_paired([1, 0], [1, 2], [1, 2, 3])
    with pytest.raises(ParameterError, match="which label is positive"):
        delong_paired(["a", "b"], [1, 2], [1, 2])


def test_whole_numbers_without_sign_are_not_subtracted() -> None:
    truth, big = [1, 1, 0, 0], np.array([0, 1, 2, 3], dtype=np.uint8)
    found = delong_paired(truth, big, np.array([5, 5, 5, 5], dtype=np.uint8))
    assert found.difference == -0.5
    assert found.p == pytest.approx(2 * 0.5**2)
