"""McNemar's test, against statsmodels and against the binomial distribution written out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import comb

import pytest
from cases import in_turn
from statsmodels.stats.contingency_tables import mcnemar as theirs

from assay.stats.tests import mcnemar

PAIRS = [(0, 1), (1, 1), (0, 5), (5, 14), (14, 5), (3, 3), (40, 61), (200, 150)]


def chances(items: int) -> list[float]:
    """How likely each number of heads is in so many throws."""
    return [comb(items, heads) / 2**items for heads in range(items + 1)]


def as_extreme(first: int, second: int, half: float) -> float:
    """Twice the smaller tail; of what was observed itself, a half is left out for a mid-p."""
    chance, fewer = chances(first + second), min(first, second)
    return min(1.0, 2 * (sum(chance[: fewer + 1]) - half * chance[fewer]))


@in_turn(("first", "second"), PAIRS)
def test_mid_p_counts_what_was_observed_by_half(first: int, second: int) -> None:
    exact = as_extreme(first, second, 0.0)
    assert exact == pytest.approx(theirs([[7, first], [second, 9]], exact=True).pvalue)
    assert mcnemar(first, second).p == pytest.approx(as_extreme(first, second, 0.5))


def test_systems_that_are_right_about_the_same_items_do_not_differ() -> None:
    assert mcnemar(0, 0).p == 1.0
    assert mcnemar(4, 4).p == pytest.approx(1.0)


def test_which_system_comes_first_does_not_matter() -> None:
    one, other = mcnemar(3, 11), mcnemar(11, 3)
    assert one.p == other.p
    assert one.statistic == -other.statistic == 8


@in_turn(("first", "second"), PAIRS)
def test_one_side_is_the_tail_on_that_side(first: int, second: int) -> None:
    chance = chances(first + second)
    both = [mcnemar(first, second, side).p for side in ("greater", "less")]
    assert both == pytest.approx([sum(chance[at:]) - chance[at] / 2 for at in (second, first)])
    # Halves of what was observed, and all the rest: the two mid-p are 1 together.
    assert sum(both) == pytest.approx(1.0)


@in_turn("items", [30, 50, 100])
@in_turn("share", [0.05, 0.2, 0.5])
def test_false_alarms_stay_below_alpha_and_waste_less_of_it_than_the_exact_test(items: int, share: float) -> None:
    """Over how many items may differ: each differs with this share, and then either system is right by a throw."""

    def alarms(p_of: Callable[[int, int], float]) -> float:
        total = 0.0
        for differing in range(items + 1):
            likely = comb(items, differing) * share**differing * (1 - share) ** (items - differing)
            given = zip(range(differing + 1), chances(differing), strict=True)
            total += likely * sum(chance for heads, chance in given if p_of(heads, differing - heads) < 0.05)
        return total

    exact = alarms(lambda first, second: as_extreme(first, second, 0.0))
    assert exact <= alarms(lambda first, second: mcnemar(first, second).p) <= 0.05


def test_p_is_a_probability_whatever_the_counts() -> None:
    for first, second in product(range(8), range(8)):
        for side in ("two-sided", "greater", "less"):
            assert 0 <= mcnemar(first, second, side).p <= 1
