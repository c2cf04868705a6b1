"""Equivalence and non-inferiority: an oracle, and the interval that says the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from assay.core.errors import ParameterError
from assay.stats.equivalence import equivalence_test, noninferiority_test

NUMBERS = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=3, max_size=30)


@given(NUMBERS, st.sampled_from([0.01, 0.1, 0.5]))
def test_both_tests_agree_with_the_oracle(numbers: list[float], margin: float) -> None:
    differences = np.array(numbers)
    found = equivalence_test(differences, margin)
    if np.ptp(differences) < 1e-9:
        assert found.p == float(not -margin < numbers[0] < margin)
        return
    p, above, below = ttost_paired(differences, np.zeros(len(differences)), -margin, margin)
    assert found.p == pytest.approx(p)
    assert (found.p_above, found.p_below) == pytest.approx((above[1], below[1]))
    assert noninferiority_test(differences, margin).p == pytest.approx(above[1])


@given(NUMBERS, st.sampled_from([0.05, 0.2]))
def test_equivalence_is_when_the_narrow_interval_lies_within_the_margin(numbers: list[float], margin: float) -> None:
    differences = np.array(numbers)
    if np.ptp(differences) < 1e-9:
        return
    low, high = stats.ttest_1samp(differences, 0).confidence_interval(0.9)
    if min(abs(low + margin), abs(high - margin)) > 1e-9:
        assert (equivalence_test(differences, margin).p < 0.05) == (-margin < low and high < margin)


def test_the_test_holds_its_level_at_the_margin() -> None:
    rng = np.random.default_rng(0)
    rejected = [equivalence_test(rng.normal(0.1, 0.2, 50), 0.1).p < 0.05 for _ in range(4000)]
    assert np.mean(rejected) == pytest.approx(0.05, abs=0.012)


def test_edges_of_equivalence() -> None:
    assert equivalence_test(np.zeros(5), 0.1).p == 0
    assert equivalence_test(np.full(5, 0.1), 0.1).p == 1
    assert equivalence_test(np.zeros(5), 0.1).note == "all differences are the same"
    assert math.isnan(equivalence_test(np.array([0.1]), 0.1).p)
    assert noninferiority_test(np.array([0.1]), 0.1).note == "no test with fewer than 2 units"
    for margin in (0, -0.1, math.nan):
        with pytest.raises(ParameterError, match="margin"):
            equivalence_test(np.zeros(5), margin)
    with pytest.raises(ParameterError, match="without gaps"):
        noninferiority_test(np.array([0.1, math.nan]), 0.1)
