"""Group-sequential bounds: published tables to the printed digits, normal integrals, and what holds of all of them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from scipy import optimize, stats

from assay import ParameterError, simulate_tests
from assay.stats.group_sequential import (
    SPENDING,
    Bounds,
    after_stop,
    bounds,
    crossing,
    drift_of,
    futility,
    inflation,
    sequence_factor,
    sequence_p,
    spent,
)
from assay.stats.monitoring import MODES, Monitoring


def equal(looks: int) -> list[float]:
    return [(place + 1) / looks for place in range(looks)]


def constant(looks: int, power: float) -> float:
    """The constant of bounds that are it times a power of 1 / share, at 5 %, two-sided."""

    def off(size: float) -> float:
        limits = Bounds(tuple(equal(looks)), tuple(size * share**-power for share in equal(looks)))
        return float(sum(each.sum() for each in crossing(limits, 0.0))) - 0.05

    return float(optimize.brentq(off, 1.5, 3.5))


#: Jennison and Turnbull (1999), tables 2.1 (Pocock) and 2.3 (O'Brien and Fleming), alpha 0.05.
CONSTANTS = [(2, 2.178, 1.977), (3, 2.289, 2.004), (4, 2.361, 2.024), (5, 2.413, 2.040), (10, 2.555, 2.087)]
#: Bounds by alpha spending as `ldbounds`, gsDesign and rpact print them, two-sided 0.05.
PUBLISHED = [
    ("obrien-fleming", 3, [3.7103, 2.5114, 1.9930]),
    ("obrien-fleming", 5, [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
    ("pocock", 5, [2.4380, 2.4268, 2.4101, 2.3966, 2.3860]),
]


@in_turn(("looks", "pocock", "obrien_fleming"), CONSTANTS)
def test_constants_are_those_of_the_book(looks: int, pocock: float, obrien_fleming: float) -> None:
    # The book rounds up where the third digit is in doubt.
    assert constant(looks, 0.0) == pytest.approx(pocock, abs=6e-4)
    assert constant(looks, 0.5) == pytest.approx(obrien_fleming, abs=6e-4)


@in_turn(("shape", "looks", "published"), PUBLISHED)
def test_spending_bounds_are_the_published_ones(shape: str, looks: int, published: list[float]) -> None:
    assert bounds(equal(looks), shape=shape).upper == pytest.approx(published, abs=1.5e-4)


@in_turn("shape", SPENDING)
def test_unequal_looks_spend_what_the_function_says_by_a_multivariate_normal(shape: str) -> None:
    shares = [0.15, 0.4, 1.0]
    upper = bounds(shares, shape=shape).upper
    correlation = np.sqrt(np.minimum.outer(shares, shares) / np.maximum.outer(shares, shares))
    for looks in (1, 2, 3):
        box = np.array(upper[:looks])
        inside = stats.multivariate_normal(cov=correlation[:looks, :looks]).cdf(box, lower_limit=-box)
        assert 1 - inside == pytest.approx(2 * spent(shares[looks - 1], 0.025, shape), abs=2e-5)


def test_all_of_alpha_is_spent_at_the_end_and_no_more_later() -> None:
    late = bounds([0.5, 1.0, 1.2])
    assert math.isinf(late.upper[-1])
    assert bounds([0.5, 0.9], last=True).upper[-1] < bounds([0.5, 0.9]).upper[-1]
    assert sum(each.sum() for each in crossing(bounds([0.5, 0.9], last=True), 0.0)) == pytest.approx(0.05)


def test_fourteen_looks_keep_the_power_and_save_users_as_planned() -> None:
    limits, drift = bounds(equal(14)), drift_of(0.8)
    above, below = crossing(limits, drift)
    users = float((above + below) @ np.array(equal(14)) + 1 - (above + below).sum())
    assert above.sum() == pytest.approx(0.78, abs=0.005)
    assert users == pytest.approx(0.745, abs=0.005)
    assert inflation(limits) == pytest.approx(1.05, abs=0.005)


def test_futility_that_does_not_bind_leaves_the_upper_bounds_alone() -> None:
    limits, drift = bounds(equal(4)), drift_of(0.8)
    loose, binding = futility(limits, drift), futility(limits, drift, binding=True)
    assert loose.upper == limits.upper
    assert loose.futile == tuple(sorted(loose.futile))
    assert binding.upper[-1] < limits.upper[-1]
    assert crossing(binding, 0.0)[0].sum() == pytest.approx(0.025, abs=1e-4)


def test_without_an_earlier_look_a_stop_has_the_plain_interval() -> None:
    stop = after_stop(bounds([1.0]), 2.5, 4.0)  # error 1 / 2
    assert stop == pytest.approx((2.5 / 2, (2.5 - 1.96) / 2, (2.5 + 1.96) / 2, 2 * stats.norm.sf(2.5)), abs=1e-4)
    assert after_stop(bounds([1.0]), -2.5, 4.0).high == pytest.approx(-stop.low)


def test_after_an_early_stop_the_median_is_without_bias_and_the_interval_covers() -> None:
    rng, shares, truth, covered, above = np.random.default_rng(5), (0.4, 1.0), 2.0, 0, 0
    limits, tests = bounds(shares), 200
    for _ in range(tests):
        steps = rng.normal(truth * np.diff((0.0, *shares)), np.sqrt(np.diff((0.0, *shares))))
        zs = np.cumsum(steps) / np.sqrt(shares)
        look = 1 if abs(zs[0]) >= limits.upper[0] else 2
        stop = after_stop(Bounds(shares[:look], limits.upper[:look]), float(zs[look - 1]), 1.0)
        covered += stop.low <= truth <= stop.high
        above += stop.estimate > truth
    assert stats.binomtest(covered, tests, 0.95).pvalue > 0.001
    assert stats.binomtest(above, tests, 0.5).pvalue > 0.001


def test_a_confidence_sequence_is_half_as_wide_again_where_it_is_tightest() -> None:
    assert sequence_factor(5000, 5000) / stats.norm.ppf(0.975) == pytest.approx(1.55, abs=0.005)
    assert sequence_p(sequence_factor(700, 5000, 0.01), 700, 5000) == pytest.approx(0.01)
    assert sequence_p(0.0, 700, 5000) == 1.0


@in_turn("mode", [mode for mode in MODES if mode != "fixed"])
def test_p_is_below_alpha_where_the_difference_is_beyond_the_bound(mode: str) -> None:
    monitoring = Monitoring.of(mode, 2000, (500, 1000))
    assert monitoring is not None
    for units in (1500, 2000):
        bound = monitoring.factor(units, 0.05)
        assert monitoring.p(bound + 0.01, units) < 0.05 < monitoring.p(bound - 0.01, units)


@in_turn("mode", [mode for mode in MODES if mode != "fixed"])
def test_peeking_makes_no_more_false_positives_than_alpha(mode: str) -> None:
    rng, looks = np.random.default_rng(11), 14
    tests, users = 4000, [1000 * (place + 1) for place in range(looks)]
    z = np.cumsum(rng.normal(size=(tests, looks)), axis=1) / np.sqrt(np.arange(1, looks + 1))
    factors = []
    for place, units in enumerate(users):
        monitoring = Monitoring.of(mode, users[-1], users[:place])
        assert monitoring is not None
        factors.append(monitoring.factor(units, 0.05))
    false = int((np.abs(z) > np.array(factors)).any(axis=1).sum())
    assert stats.binomtest(false, tests, 0.05, alternative="greater").pvalue > 0.001
    assert (np.abs(z) > 1.96).any(axis=1).mean() > 0.18  # what peeking costs


def test_the_fixed_test_of_the_hybrid_is_made_once() -> None:
    first, second = Monitoring.of("hybrid", 1000, ()), Monitoring.of("hybrid", 1000, (1000,))
    assert first is not None
    assert second is not None
    assert first.factor(1000, 0.05) == pytest.approx(stats.norm.isf(0.0225))
    assert second.factor(1200, 0.05) > 2.5


def test_looks_that_do_not_grow_are_refused() -> None:
    with pytest.raises(ParameterError, match="growing shares"):
        bounds([0.5, 0.5])
    with pytest.raises(ParameterError, match="planned end"):
        Monitoring.of("group", None)


def test_simulated_tests_show_what_peeking_costs_on_ones_own_users() -> None:
    rng = np.random.default_rng(1)
    clicks = rng.poisson(rng.gamma(2, 2, 500))
    past = pl.DataFrame({"user": range(500), "clicks": clicks, "pages": clicks + rng.poisson(3, 500) + 1})
    found = {each.way: each for each in simulate_tests(past, "clicks", difference=0.8, tests=600, looks=14).ways}
    assert found["peeking"].false_positives > 0.14
    for way in ("at the end", "group", "hybrid", "always"):
        assert found[way].false_low < 0.05
    assert min(found[way].power for way in ("group", "hybrid")) > 0.72
    assert found["group"].users < 0.8
    ratio = simulate_tests(past, "clicks/pages", difference=0.05, tests=100, looks=2)
    assert ratio.to_frame()["way"].to_list()[0] == "at the end"
