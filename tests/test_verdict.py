"""The rules of the verdict, one test a line of the list, and the letters of many systems."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.bootstrap import Interval
from assay.stats.verdict import FindingVerdict, groups, verdict

WIDE = Interval(-0.02, 0.12, 0.9, "bca")


def said(**changes: Any) -> FindingVerdict:
    usual: dict[str, Any] = {
        "difference": 0.05, "all_zero": False, "units": 50, "interval": WIDE, "narrow": WIDE, "p": 0.2, "margin": 0.01,
    }  # fmt: skip
    return verdict(**(usual | changes))


def test_no_difference_anywhere_is_identical_however_few_the_units() -> None:
    assert said(all_zero=True, difference=0.0, units=2, p=1.0).word == "identical"


def test_with_fewer_than_five_units_one_cannot_tell_whatever_p_is() -> None:
    found = said(units=4, p=0.0001, narrow=Interval(-0.001, 0.001, 0.9, "bca"))
    assert (found.word, found.why) == ("inconclusive", "fewer than 5 units")
    assert said(units=5, p=0.0001).word == "better"


def test_a_narrow_interval_within_the_margin_is_equivalent() -> None:
    found = said(narrow=Interval(-0.004, 0.009, 0.9, "bca"), p=0.3)
    assert (found.word, found.negligible) == ("equivalent", False)


def test_equivalence_comes_before_significance_and_says_that_the_difference_is_negligible() -> None:
    found = said(narrow=Interval(0.002, 0.006, 0.9, "bca"), p=0.001)
    assert (found.word, found.negligible) == ("equivalent", True)
    assert str(found) == "equivalent (a real but negligible difference)"


def test_an_interval_that_reaches_the_margin_is_not_within_it() -> None:
    assert said(narrow=Interval(-0.004, 0.01, 0.9, "bca"), p=0.3).word == "inconclusive"
    assert said(narrow=Interval(-0.01, 0.004, 0.9, "bca"), p=0.3).word == "inconclusive"


def test_a_small_p_is_better_or_worse() -> None:
    assert said(p=0.049).word == "better"
    assert said(p=0.049, difference=-0.05).word == "worse"
    assert said(p=0.05).word == "inconclusive"


def test_where_less_is_better_the_sign_turns_round() -> None:
    assert said(p=0.01, higher_is_better=False).word == "worse"
    assert said(p=0.01, difference=-0.05, higher_is_better=False).word == "better"


def test_without_an_interval_nothing_is_equivalent() -> None:
    assert said(narrow=Interval(float("nan"), float("nan"), 0.9, "bca"), p=0.3).word == "inconclusive"


def test_a_verdict_carries_that_it_depends_on_unjudged_documents() -> None:
    assert str(said(p=0.01)._replace(unjudged=7)) == "better; depends on unjudged documents"


@in_turn("systems", [1, 2, 30])
def test_all_alike_is_one_group(systems: int) -> None:
    assert groups(systems, []) == [("a",)] * systems


def test_all_apart_is_a_letter_each_beyond_z_too() -> None:
    letters = groups(30, list(combinations(range(30), 2)))
    assert [letters[0], letters[25], letters[26]] == [("a",), ("z",), ("aa",)]


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(_pairs(n)) if n > 1 else st.nothing()))
    )
)
def test_systems_share_a_letter_just_if_nobody_between_them_can_be_told_from_another(
    case: tuple[int, set[tuple[int, int]]],
) -> None:
    systems, apart = case
    letters = groups(systems, apart)
    for first, last in combinations(range(systems), 2):
        alike = not any(pair in apart for pair in combinations(range(first, last + 1), 2))
        assert bool(set(letters[first]) & set(letters[last])) == alike
    assert all(letters)


def _pairs(systems: int) -> list[tuple[int, int]]:
    return list(combinations(range(systems), 2))
