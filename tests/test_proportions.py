"""Intervals of proportions against statsmodels, and how often they hold what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st

from assay import ParameterError
from assay.stats.bootstrap import wilson

proportion = pytest.importorskip("statsmodels.stats.proportion")


@given(st.integers(1, 300), st.floats(0, 1), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_the_interval_is_that_of_statsmodels(trials: int, share: float, level: float) -> None:
    successes = round(share * trials)
    low, high = proportion.proportion_confint(successes, trials, alpha=1 - level, method="wilson")
    found = wilson(successes, trials, level)
    assert found.low == pytest.approx(max(0.0, low), abs=1e-12)
    assert found.high == pytest.approx(min(1.0, high), abs=1e-12)
    assert found.level == level


def test_without_trials_there_is_no_interval() -> None:
    found = wilson(0, 0, 0.95)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_nothing_out_of_many_does_not_mean_never() -> None:
    assert wilson(0, 50, 0.95).low == 0.0
    assert 0 < wilson(0, 50, 0.95).high < 0.1
    assert wilson(50, 50, 0.95).high == 1.0


def coverage(share: float, trials: int = 40) -> float:
    """How often an interval holds the true share, exactly: the probability of all outcomes for which it does."""
    total = 0.0
    for successes in range(trials + 1):
        found = wilson(successes, trials, 0.95)
        chance = math.comb(trials, successes) * share**successes * (1 - share) ** (trials - successes)
        total += chance * (found.low <= share <= found.high)
    return total


def test_intervals_cover_as_often_as_they_say() -> None:
    """On average over shares, now a little more often and now less."""
    shares = np.linspace(0.02, 0.98, 97)
    wilsons = [coverage(share) for share in shares]
    assert np.mean(wilsons) == pytest.approx(0.95, abs=0.01)
    assert min(wilsons) > 0.88


@in_turn(("successes", "trials", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, math.nan)])
def test_impossible_numbers_are_refused(successes: float, trials: float, level: float) -> None:
    with pytest.raises(ParameterError):
        wilson(successes, trials, level)
