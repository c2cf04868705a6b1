"""Intervals of proportions against statsmodels, and how often they hold what they promise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import ParameterError
from assay.stats.bootstrap import Interval
from assay.stats.proportions import agresti_coull, clopper_pearson, normal, proportion_interval, wilson

proportion = pytest.importorskip("statsmodels.stats.proportion")

METHODS = {"wilson": wilson, "beta": clopper_pearson, "agresti_coull": agresti_coull, "normal": normal}
Maker = Callable[[float, float, float], Interval]


@pytest.mark.parametrize(("theirs", "ours"), METHODS.items())
@given(st.integers(1, 300), st.floats(0, 1), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_the_intervals_are_those_of_statsmodels(
    theirs: str, ours: Maker, trials: int, share: float, level: float
) -> None:
    successes = round(share * trials)
    low, high = proportion.proportion_confint(successes, trials, alpha=1 - level, method=theirs)
    found = ours(successes, trials, level)
    assert found.low == pytest.approx(max(0.0, low), abs=1e-12)
    assert found.high == pytest.approx(min(1.0, high), abs=1e-12)
    assert found.level == level


@pytest.mark.parametrize("method", METHODS.values())
def test_without_trials_there_is_no_interval(method: Maker) -> None:
    found = method(0, 0, 0.95)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@pytest.mark.parametrize("method", [wilson, clopper_pearson])
def test_nothing_out_of_many_does_not_mean_never(method: Maker) -> None:
    assert method(0, 50, 0.95).low == 0.0
    assert 0 < method(0, 50, 0.95).high < 0.1
    assert method(50, 50, 0.95).high == 1.0


def coverage(method: Maker, share: float, trials: int = 40) -> float:
    """How often an interval holds the true share, exactly: the probability of all outcomes for which it does."""
    total = 0.0
    for successes in range(trials + 1):
        found = method(successes, trials, 0.95)
        chance = math.comb(trials, successes) * share**successes * (1 - share) ** (trials - successes)
        total += chance * (found.low <= share <= found.high)
    return total


def test_intervals_cover_as_often_as_they_say() -> None:
    """Wilson's on average over shares, now a little more often and now less; Clopper and Pearson's for every share."""
    shares = np.linspace(0.02, 0.98, 97)
    wilsons = [coverage(wilson, share) for share in shares]
    assert np.mean(wilsons) == pytest.approx(0.95, abs=0.01)
    assert min(wilsons) > 0.88
    assert min(coverage(clopper_pearson, share) for share in shares) >= 0.95
    assert np.mean([coverage(normal, share) for share in shares]) < 0.93


@pytest.mark.parametrize(("successes", "trials", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, math.nan)])
def test_impossible_numbers_are_refused(successes: float, trials: float, level: float) -> None:
    with pytest.raises(ParameterError):
        wilson(successes, trials, level)


def test_a_method_is_chosen_by_name() -> None:
    assert proportion_interval(3, 9, 0.9, "agresti_coull") == agresti_coull(3, 9, 0.9)
    with pytest.raises(ParameterError, match="did you mean wilson"):
        proportion_interval(3, 9, method="wilsn")  # type: ignore[arg-type]
