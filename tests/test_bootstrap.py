"""Drawing units anew is what it says: held against recounting unit by unit, and against SciPy's intervals."""

from __future__ import annotations

import numpy as np
import pytest
from cases import in_turn
from scipy import stats as scipy_stats

from assay import PerUnit
from assay.core.options import Method
from assay.measures.counting.judgments import Floats
from assay.measures.steps import quantity
from assay.stats.bootstrap import Interval, intervals, weights
from assay.stats.mean_samples import MeanSample, Summary
from assay.stats.samples import Drawing
from assay.stats.weighted_samples import PooledSample

SUMMARIES: dict[Summary, object] = {
    "mean": lambda values: values.mean(axis=0),
    "geometric": lambda values: np.exp(np.log(values).mean(axis=0)),
    "sum": lambda values: values.sum(axis=0),
}


def interval(
    resampled: Floats, observed: float, without_each: Floats, level: float = 0.95, method: Method = "bca"
) -> Interval:
    return intervals(resampled, observed, without_each, [level], method)[0]


def moved_out(level: float, units: int) -> float:
    """The level at which SciPy, which takes normal tails for what they are, goes out as far as ours do."""
    reach = np.sqrt(units / (units - 1)) * scipy_stats.t.ppf((1 + level) / 2, units - 1)
    return float(2 * scipy_stats.norm.cdf(reach) - 1)


def counted(seed: int, units: int = 12) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    retrieved = rng.integers(1, 6, units)
    return rng.binomial(retrieved, 0.6).astype(float), retrieved.astype(float)


def f1(found: Floats, retrieved: Floats) -> PerUnit:
    """A formula of several sums: 2 found / (retrieved + 4 a unit)."""
    relevant = quantity("relevant", np.full(len(found), 4.0))
    return quantity("found", found) * 2 / (quantity("retrieved", retrieved) + relevant)


def test_every_resample_draws_as_many_units_as_there_are_each_as_often_as_any() -> None:
    drawn = np.concatenate(list(weights(units=7, resamples=20_000, seed=0)))
    assert drawn.shape == (20_000, 7)
    assert (drawn.sum(axis=1) == 7).all()
    # The number of times a unit is drawn is binomial: mean 1, variance 6/7.
    np.testing.assert_allclose(drawn.mean(axis=0), 1, atol=4 * np.sqrt(6 / 7 / 20_000))
    np.testing.assert_allclose(drawn.var(axis=0), 6 / 7, rtol=0.05)


def test_blocks_hold_every_resample_once() -> None:
    sizes = [len(block) for block in weights(units=500_000, resamples=5, seed=0)]
    assert sum(sizes) == 5
    assert len(sizes) > 1


@in_turn("summary", SUMMARIES)
def test_averaged_numbers_are_those_of_the_units_drawn(summary: Summary) -> None:
    values = np.random.default_rng(1).uniform(0.1, 1, (9, 3))
    sample = MeanSample(values, summary)
    put_together = SUMMARIES[summary]
    assert callable(put_together)
    drawn = next(weights(9, 50, seed=2))
    expected = [put_together(np.repeat(values, row.astype(int), axis=0)) for row in drawn]
    np.testing.assert_allclose(sample.reweighted(drawn), expected, rtol=1e-12)
    np.testing.assert_allclose(sample.observed, put_together(values), rtol=1e-12)


def test_pooled_numbers_are_recounted_from_the_units_drawn() -> None:
    one, other = counted(0), counted(1)
    drawn = next(weights(12, 50, seed=3))
    expected = []
    for row in drawn.astype(int):
        again = [[np.repeat(counts, row).sum() for counts in system] for system in (one, other)]
        expected.append([2 * found / (retrieved + 4 * 12) for found, retrieved in again])
    np.testing.assert_allclose(PooledSample((f1(*one), f1(*other))).reweighted(drawn), expected, rtol=1e-12)


def test_numbers_without_a_unit_are_those_of_the_others() -> None:
    found, retrieved = counted(5)
    values = np.column_stack([found / retrieved, found])
    kept = [np.arange(12) != unit for unit in range(12)]
    np.testing.assert_allclose(MeanSample(values).without_each, [values[rest].mean(axis=0) for rest in kept])
    expected = [[2 * found[rest].sum() / (retrieved[rest].sum() + 4 * 11)] for rest in kept]
    np.testing.assert_allclose(PooledSample((f1(found, retrieved),)).without_each, expected)


def test_sums_over_the_number_of_units_are_means() -> None:
    values = np.random.default_rng(6).random((20, 2))
    ones = quantity("units", np.ones(20))
    pooled = PooledSample(tuple(quantity("value", column) / ones for column in values.T))
    averaged = MeanSample(values)
    np.testing.assert_allclose(pooled.resampled(Drawing(500, 1)), averaged.resampled(Drawing(500, 1)), rtol=1e-12)
    np.testing.assert_allclose(pooled.without_each, averaged.without_each, rtol=1e-12)


@in_turn(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@in_turn("level", [0.9, 0.95])
@in_turn("seed", range(3))
def test_intervals_of_a_skewed_mean_agree_with_scipy(method: Method, theirs: str, level: float, seed: int) -> None:
    values = np.random.default_rng(seed).exponential(size=(40, 1)).round(1)
    sample = MeanSample(values)
    resampled = sample.resampled(Drawing(20_000, seed))[:, 0]
    ours = interval(resampled, float(sample.observed[0]), sample.without_each[:, 0], level, method)
    expected = scipy_stats.bootstrap(
        (values[:, 0],), np.mean, n_resamples=20_000, confidence_level=moved_out(level, 40), method=theirs, batch=2_000,
        rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    # The quantiles of 20,000 draws have a standard error of about 1 % of the interval's width; there are two of them.
    near = 0.04 * (expected.high - expected.low)
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=near)
    assert (ours.level, ours.method) == (level, method)


@in_turn("seed", range(3))
def test_intervals_of_a_ratio_of_sums_agree_with_scipy(seed: int) -> None:
    found, retrieved = counted(seed, 40)
    sample = PooledSample((quantity("found", found) / quantity("retrieved", retrieved),))
    resampled = sample.resampled(Drawing(20_000, seed))[:, 0]
    ours = interval(resampled, float(sample.observed[0]), sample.without_each[:, 0])
    expected = scipy_stats.bootstrap(
        (found, retrieved), lambda top, under, axis: top.sum(axis) / under.sum(axis), paired=True, n_resamples=20_000,
        confidence_level=moved_out(0.95, 40), batch=2_000, rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    near = 0.04 * (expected.high - expected.low)
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=near)


def test_the_correction_shifts_towards_the_long_tail() -> None:
    sample = MeanSample(np.random.default_rng(3).exponential(size=(30, 1)) ** 2)
    resampled = sample.resampled(Drawing(10_000, 0))[:, 0]
    given_all = (resampled, float(sample.observed[0]), sample.without_each[:, 0])
    plain, corrected = interval(*given_all, method="percentile"), interval(*given_all, method="bca")
    assert plain.low < corrected.low
    assert plain.high < corrected.high


def test_the_correction_for_bias_is_efrons() -> None:
    resampled = np.linspace(0, 1, 10_001)
    even = np.linspace(-1, 1, 100_001)  # no skewness, hence no acceleration; so many that t is normal
    found = interval(resampled, 0.6, even, level=0.9)
    bias = scipy_stats.norm.ppf(0.6)  # as 60 % of the resamples lie below the number observed
    expected = [scipy_stats.norm.cdf(2 * bias + scipy_stats.norm.ppf(tail)) for tail in (0.05, 0.95)]
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-3)


@in_turn("method", ["percentile", "bca"])
def test_units_all_alike_give_an_interval_of_no_width(method: Method) -> None:
    sample = MeanSample(np.full((10, 1), 0.3))
    found = interval(sample.resampled(Drawing(100, 0))[:, 0], 0.3, sample.without_each[:, 0], method=method)
    assert (found.low, found.high) == pytest.approx((0.3, 0.3))
    assert found.is_known


def test_resamples_without_a_number_are_left_out_and_a_number_undefined_has_no_interval() -> None:
    resampled = np.array([0.1, 0.2, np.nan, 0.3] * 50)
    none = np.full(4, np.nan)
    for method in ("percentile", "bca"):
        assert interval(resampled, 0.2, none, method=method) == interval(
            resampled[~np.isnan(resampled)], 0.2, none, method=method
        )
        assert not interval(resampled, np.nan, none, method=method).is_known
        assert not interval(none, 0.2, none, method=method).is_known


def test_a_seed_gives_the_same_resamples() -> None:
    sample = MeanSample(np.random.default_rng(0).random((15, 2)))
    np.testing.assert_array_equal(sample.resampled(Drawing(200, 5)), sample.resampled(Drawing(200, 5)))
    assert not np.array_equal(sample.resampled(Drawing(200, 5)), sample.resampled(Drawing(200, 6)))
