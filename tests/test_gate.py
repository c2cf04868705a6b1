"""The gate's rules: each outcome and each edge, its error rates in simulations, and what inputs it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from documents import json_of
from hypothesis import given
from hypothesis import strategies as st
from shared_data import shared
from strategies import quickly

import assay
from assay import InputError, ParameterError, TopicError
from assay.cli.output import Options
from assay.core.errors import speaking
from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import intervals
from assay.stats.mean_samples import MeanSample
from assay.stats.permutation import permutation_test
from assay.stats.samples import Drawing
from assay.subjects.ranking.pairing import called, guards_of
from assay.verbs.gating.checks import (
    EXIT_CODES,
    OUTCOMES,
    Check,
    Coverage,
    GateSettings,
    Outcome,
    Part,
    checks_of,
    decided,
    margins_in,
    margins_of,
    worst,
)
from assay.verbs.sections.gates import advice

SETTINGS = GateSettings(0.05, "report", 0.1, None, resamples=2_000, bootstrap_resamples=1_000)
Table = dict[str, dict[str, float]]


def judged(topics: int) -> Table:
    """Ten relevant documents a topic."""
    return {f"q{topic:02}": {f"r{n}": 1 for n in range(10)} for topic in range(topics)}


def found(*counts: int) -> Table:
    """A run with so many relevant documents in the first ten, topic by topic: P@10 is a tenth of that."""
    made: Table = {}
    for topic, count in enumerate(counts):
        documents = [f"r{n}" for n in range(count)] + [f"x{n}" for n in range(10 - count)]
        made[f"q{topic:02}"] = {doc: 10.0 - place for place, doc in enumerate(documents)}
    return made


def paired(first: Floats, second: Floats, *, higher_is_better: bool = True) -> MeanSample:
    values = np.column_stack([first, second])
    units = tuple(f"q{n:03}" for n in range(len(values)))
    return MeanSample(
        values,
        systems=("old", "new"),
        units=units,
        measure="AP",
        unit_kind="query",
        bounds=(0.0, 1.0),
        direction="higher" if higher_is_better else "lower",
    )


def check_of(differences: Floats, margin: float = 0.01, settings: GateSettings = SETTINGS) -> Check:
    part = Part(paired(np.full(len(differences), 0.5), 0.5 + differences), "", margin, "as asked for")
    return checks_of([part], settings)[0]


# The rules on numbers.

NUMBERS: dict[str, Any] = {
    "difference": -0.005, "all_zero": False, "units": 50, "bound": -0.02, "p": 0.2, "margin": 0.01,
}  # fmt: skip


@in_turn(
    ("changed", "outcome", "why"),
    [
        ({"all_zero": True, "difference": 0.0, "units": 2}, "pass", "no unit differs"),
        ({"difference": math.nan}, "inconclusive", "a system has no number"),
        ({"units": 4, "bound": 0.5, "difference": 0.6}, "inconclusive", "fewer than 5"),
        ({"units": 5, "bound": -0.009}, "pass", "within the margin"),
        ({"bound": -0.01}, "inconclusive", "neither"),  # exactly the margin is not within it
        ({"bound": -0.01 + 1e-17}, "inconclusive", "neither"),  # nor what differs from it by rounding
        ({"bound": -0.01 + 1e-9}, "pass", "within the margin"),
        ({"difference": -0.01, "p": 0.049}, "fail", "p < 0.05"),  # exactly the margin is a loss that matters
        ({"difference": -0.01 + 1e-17, "p": 0.049}, "fail", "p < 0.05"),
        ({"difference": -0.01 + 1e-9, "p": 0.001}, "inconclusive", "perhaps of less than the margin"),
        ({"difference": -0.5, "p": 0.05}, "inconclusive", "p is not below 0.05"),  # exactly alpha is not below it
        ({"difference": -0.5, "bound": -0.009, "p": 0.001}, "pass", "within the margin"),  # the bound is asked first
        ({"difference": -0.5, "bound": math.nan, "p": 0.001}, "fail", "p < 0.05"),
        ({"difference": 0.3, "bound": math.nan, "p": math.nan}, "inconclusive", "no interval"),
        ({"difference": -0.02, "p": 0.09, "alpha": 0.1}, "fail", "p < 0.1"),
    ],
)
def test_each_edge_of_the_rules(changed: dict[str, Any], outcome: str, why: str) -> None:
    decision = decided(**(NUMBERS | changed))
    assert decision.outcome == outcome
    assert why in decision.why


@given(
    difference=st.floats(-1, 1), bound=st.floats(-1, 1), p=st.floats(0, 1), margin=st.floats(1e-3, 0.5),
    units=st.integers(1, 9),
)  # fmt: skip
@quickly
def test_the_rules_are_those_of_the_design(
    difference: float, bound: float, p: float, margin: float, units: int
) -> None:
    """Written down once more, as the design has them; numbers next to a border are left to the test above."""
    if min(abs(bound + margin), abs(difference + margin)) < 1e-9:
        return
    expected = 3
    if units >= 5 and bound > -margin:
        expected = 0
    elif units >= 5 and p < 0.05 and difference <= -margin:
        expected = 1
    got = decided(difference=difference, all_zero=False, units=units, bound=bound, p=p, margin=margin)
    assert EXIT_CODES[got.outcome] == expected


def test_the_worst_outcome_counts() -> None:
    order: tuple[Outcome, ...] = ("pass", "inconclusive", "fail", "invalid")
    assert order == OUTCOMES
    for place, outcome in enumerate(order):
        assert worst([*order[:place], outcome, *order[:place]]) == outcome
    assert [EXIT_CODES[outcome] for outcome in order] == [0, 3, 1, 2]


# From units to a check.


def test_bound_and_p_are_those_of_compare_on_one_side() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random(30), rng.random(30)
    check = checks_of([Part(paired(one, other), "", 0.01, "")], SETTINGS)[0]
    sample = MeanSample(np.column_stack([one, other]))
    drawn, without = sample.resampled(Drawing(1_000, 0)), sample.without_each
    interval = intervals(drawn[:, 1] - drawn[:, 0], float(np.mean(other - one)), without[:, 1] - without[:, 0], [0.9])[
        0
    ]
    assert check.at_worst == pytest.approx(interval.low)
    assert check.p == permutation_test(other - one, resamples=2_000, alternative="less").p


def test_a_measure_where_less_is_better_is_the_mirror_image() -> None:
    rng = np.random.default_rng(5)
    one, other = rng.random(30), rng.random(30)
    for shift in (-0.3, 0.0, 0.3):
        plain = checks_of([Part(paired(one, other + shift), "", 0.02, "")], SETTINGS)[0]
        mirrored = paired(1 - one, 1 - other - shift, higher_is_better=False)
        mirror = checks_of([Part(mirrored, "", 0.02, "")], SETTINGS)[0]
        assert mirror.outcome == plain.outcome
        assert (mirror.improved, mirror.same, mirror.worsened) == (plain.improved, plain.same, plain.worsened)
        assert mirror.p == plain.p
        assert mirror.difference == pytest.approx(-plain.difference)
        assert mirror.at_worst == pytest.approx(-plain.at_worst, abs=1e-3)
        assert (mirror.allowed, plain.allowed) == (0.02, -0.02)
        assert [loss.unit for loss in mirror.worst] == [loss.unit for loss in plain.worst]


def test_a_difference_that_is_exactly_the_margin_on_every_unit_fails() -> None:
    """The bound is the margin itself, so it does not lie within it, and the loss reaches it."""
    for units in (5, 12, 40):
        assert check_of(np.full(units, -0.1), margin=0.1).outcome == "fail"
        assert check_of(np.full(units, -0.1), margin=0.1 + 1e-6).outcome == "pass"
        assert check_of(np.full(units, -0.1), margin=0.1 - 1e-6).outcome == "fail"


def test_four_units_tell_nothing_and_five_do() -> None:
    assert check_of(np.full(4, -0.4)).outcome == "inconclusive"
    assert check_of(np.full(4, 0.4)).outcome == "inconclusive"
    assert check_of(np.full(5, -0.4)).outcome == "fail"  # p is 1 of 2^5
    assert check_of(np.full(5, 0.4)).outcome == "pass"


def test_the_worst_units_are_those_that_lost_most() -> None:
    differences = np.array([0.1, -0.2, 0.0, -0.4, -0.1, 0.3, -0.3, -0.05, -0.01, 0.2])
    check = check_of(differences)
    assert [loss.unit for loss in check.worst] == ["q003", "q006", "q001", "q004", "q007"]
    assert check.worst[0].difference == pytest.approx(-0.4)
    assert (check.improved, check.same, check.worsened) == (3, 1, 6)


def test_the_units_needed_let_an_equal_candidate_pass_most_of_the_time() -> None:
    """What is promised where one cannot tell is what a simulation finds."""
    rng = np.random.default_rng(0)
    small = rng.normal(0, 1, 10)
    standard = (small - small.mean()) / small.std(ddof=1)
    needed = check_of(0.05 * standard, margin=0.02).needed
    assert needed is not None
    passed = [check_of(rng.normal(0, 0.05, needed), margin=0.02).outcome == "pass" for _ in range(300)]
    assert np.mean(passed) == pytest.approx(0.8, abs=0.07)


# Error rates.


def outcomes_of(draws: Floats, margin: float) -> list[Outcome]:
    return [check_of(row, margin).outcome for row in draws]


def rates(draws: Floats, margin: float) -> dict[str, float]:
    got = outcomes_of(draws, margin)
    return {outcome: got.count(outcome) / len(got) for outcome in OUTCOMES}


#: Three standard errors of a rate of 5 % in so many draws.
REPETITIONS = 100
SLACK = 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)


@pytest.mark.parametrize("shape", ["normal", "skewed", "mostly zero"])
def test_false_alarms_and_wrong_passes_keep_to_alpha(shape: str) -> None:
    rng = np.random.default_rng(11)
    size = (REPETITIONS, 40)
    if shape == "normal":
        noise = rng.normal(0, 0.1, size)
    elif shape == "skewed":
        noise = (rng.gamma(4.0, 0.05, size) - 0.2) * rng.choice([-1, 1], (REPETITIONS, 1))
    else:
        noise = np.where(rng.random(size) < 0.5, 0.0, rng.normal(0, 0.14, size))
    margin = 0.05
    equal, at_margin = rates(noise, 0.001), rates(noise - margin, margin)
    assert equal["fail"] <= 0.05 + SLACK
    assert at_margin["pass"] <= 0.05 + SLACK
    # And the gate is no coward: it fails what is clearly worse, and passes what is clearly not.
    assert rates(noise[:100] - 0.1, margin)["fail"] > 0.9
    assert rates(noise[:100] + 0.05, margin)["pass"] > 0.9


def test_several_checks_raise_neither_false_alarms_nor_wrong_passes() -> None:
    rng, repetitions = np.random.default_rng(12), 60
    slack = 3 * math.sqrt(0.05 * 0.95 / repetitions)
    draws = rng.normal(0, 0.1, (repetitions, 6, 30))
    alarms = raw_alarms = 0
    for measures in draws:
        parts = [Part(paired(np.full(30, 0.5), 0.5 + row), "", 0.001, "") for row in measures]
        checks = checks_of(parts, SETTINGS)
        alarms += worst(check.outcome for check in checks) == "fail"
        raw_alarms += any(check.p_uncorrected < 0.05 for check in checks)
    assert alarms / repetitions <= 0.05 + slack
    assert raw_alarms / repetitions > 0.15  # without the correction there would be many
    wrong = 0
    for measures in draws[:, :3]:
        # One of three is worse by just the margin, the others are better: all have to pass, each at alpha.
        shifts = (-0.05, 0.1, 0.1)
        parts = [
            Part(paired(np.full(30, 0.5), 0.5 + row + shift), "", 0.05, "")
            for row, shift in zip(measures, shifts, strict=True)
        ]
        wrong += worst(check.outcome for check in checks_of(parts, SETTINGS)) == "pass"
    assert wrong / repetitions <= 0.05 + slack


def test_p_values_are_corrected_by_holm_over_all_checks() -> None:
    rng = np.random.default_rng(2)
    parts = [Part(paired(rng.random(25), rng.random(25) - shift), "", 0.01, "") for shift in (0.15, 0.1, 0.2)]
    checks = checks_of(parts, SETTINGS)
    ordered = sorted(checks, key=lambda check: check.p_uncorrected)
    expected = np.maximum.accumulate([check.p_uncorrected * (3 - place) for place, check in enumerate(ordered)])
    assert [check.p for check in ordered] == pytest.approx(np.minimum(expected, 1).tolist())


# The verb, from judgments and runs.


def test_exit_0_for_identical_runs_and_for_a_fall_within_the_margin() -> None:
    same = assay.gate(judged(3), found(5, 5, 5), found(5, 5, 5), measures="P@10")
    assert (same.outcome, same.exit_code) == ("pass", 0)
    assert "identical under P@10: no query differs (0.5000)" in same.sentence
    near = assay.gate(judged(10), found(*[5] * 10), found(*[4] * 10), measures="P@10", margin=0.11)
    assert (near.outcome, near.exit_code) == ("pass", 0)


def test_exit_1_for_a_fall_of_exactly_the_margin_through_the_whole_verb() -> None:
    result = assay.gate(judged(10), found(*[5] * 10), found(*[4] * 10), measures="P@10", margin=0.1)
    assert (result.outcome, result.exit_code) == ("fail", 1)
    assert result.checks[0].at_worst == pytest.approx(-0.1)
    assert "candidate is worse than baseline under P@10: 0.4000 against 0.5000, -0.1000" in result.sentence


MIXED = found(8, 1, 8, 1, 8, 1, 7, 2), found(1, 8, 1, 8, 1, 8, 2, 6)


def test_exit_3_if_one_cannot_tell_and_what_it_is_turned_into() -> None:
    result = assay.gate(judged(8), *MIXED, measures="P@10")
    assert (result.outcome, result.exit_code) == ("inconclusive", 3)
    assert result.sentence.startswith("Inconclusive: candidate could be worse than baseline under P@10 by ")
    needed = result.checks[0].needed
    assert needed is not None
    assert f"about {needed:,} queries" in str(result)
    for turned, code in (("pass", 0), ("fail", 1)):
        again = assay.gate(judged(8), *MIXED, measures="P@10", inconclusive=turned)  # type: ignore[arg-type]
        assert (again.outcome, again.exit_code) == ("inconclusive", code)
        assert f"counted as {turned}ed" in again.sentence


def test_exit_3_with_four_topics_however_bad_they_are() -> None:
    result = assay.gate(judged(4), found(9, 9, 9, 9), found(0, 0, 0, 0), measures="P@10")
    assert result.exit_code == 3
    assert "fewer than 5 units" in result.sentence
    alone = assay.gate(judged(1), found(9), found(0), measures="P@10")
    assert "fewer than 5 units" in alone.sentence


def test_exit_2_if_more_topics_are_missing_than_allowed() -> None:
    complete, partly = found(*[5] * 10), found(*[5] * 9)
    at_the_limit = assay.gate(judged(10), complete, partly, measures="P@10", max_missing=0.1)
    assert at_the_limit.outcome != "invalid"
    above = assay.gate(judged(10), complete, found(*[5] * 8), measures="P@10", max_missing=0.1)
    assert (above.outcome, above.exit_code) == ("invalid", 2)
    assert above.sentence == "Invalid input: candidate lacks 2 of 10 judged topics (20.0%); allowed are 10.0%."
    baseline = assay.gate(judged(10), found(*[5] * 8), complete, measures="P@10")
    assert "baseline lacks 2 of 10" in baseline.sentence
    none = assay.gate(judged(10), complete, partly, measures="P@10", max_missing=0)
    assert none.exit_code == 2
    skipped = assay.gate(judged(10), complete, found(*[5] * 8), measures="P@10", missing="skip")
    assert skipped.exit_code == 2  # leaving them out of the mean does not bring them back


def test_shares_of_missing_topics_are_counted_not_divided() -> None:
    """3 of 30 is a tenth, though 0.1 x 30 is a little more than 3."""
    for missing, topics, share in ((3, 30, 0.1), (7, 70, 0.1), (1, 3, 1 / 3), (29, 100, 0.29)):
        settings = SETTINGS._replace(max_missing=share)
        both = Coverage("old", topics, missing, 1.0), Coverage("new", topics, missing + 1, 1.0)
        assert [guard.holds for guard in guards_of(both, settings) if guard.name == "missing topics"] == [True, False]


def test_exit_2_if_too_few_documents_are_judged() -> None:
    qrels, run = judged(6), found(*[6] * 6)
    for least, code in ((0.6, 0), (0.61, 2)):
        result = assay.gate(qrels, run, run, measures="P@10", min_judged=least)
        assert result.exit_code == code
    assert "60.0% judged in the top 10 of candidate; at least 61.0% is asked for" in result.sentence
    assert result.guards[-1].name == "judged documents"


def test_exit_2_if_a_measure_is_undefined_for_all_topics() -> None:
    """What counts as 0 on both sides for want of a value is no equality."""
    run, other = found(*[5] * 6), found(*[1] * 6)
    unknown = assay.gate(judged(6), run, other, measures="Accuracy", margin=0.01)
    assert (unknown.outcome, unknown.exit_code) == ("invalid", 2)
    assert unknown.sentence.startswith("Invalid input: Accuracy is undefined for every query of baseline (")
    assert "collection_size" in next(advice(unknown))
    assert assay.gate(judged(6), run, other, measures="Accuracy", collection_size=100).outcome != "invalid"
    above = assay.gate(judged(6), run, other, measures=["AP", "P@10"], relevance_level=9)
    assert above.exit_code == 2
    assert "AP is undefined for every query of candidate (no relevant document)" in above.sentence
    frozen = assay.freeze(judged(6), run, "AP", relevance_level=9)
    assert assay.gate(judged(6), frozen, other).exit_code == 2
    nothing = {query: dict.fromkeys(documents, 0) for query, documents in judged(6).items()}
    assert assay.gate(nothing, run, other, measures="AP").exit_code == 2
    assert assay.gate(nothing, run, other, measures="AP", undefined="skip").exit_code == 2
    with pytest.raises(InputError, match=r"SetR\(average='micro'\) is undefined for baseline"):
        assay.gate(nothing, run, other, measures="SetR(average='micro')", margin=0.01)
    partly = judged(6) | {"q00": {"r0": 0}}
    assert assay.gate(partly, run, run, measures="AP").outcome == "pass"


def test_exit_2_if_no_document_of_either_run_is_judged() -> None:
    qrels = judged(6)
    strangers = {query: {"z": 1.0} for query in qrels}
    result = assay.gate(qrels, strangers, strangers, measures="RR")
    assert (result.outcome, result.exit_code) == ("invalid", 2)
    assert "no document in the top 10 of baseline or candidate is judged" in result.sentence
    assert assay.gate(qrels, found(*[5] * 6), strangers, measures="RR").outcome == "fail"
    cold = assay.gate(qrels, assay.freeze(qrels, strangers, "RR"), strangers)
    assert cold.exit_code == 2


def test_advice_names_only_what_is_wrong() -> None:
    """Each guard has its own, and settings are called as they are called where one is."""
    run, few = found(*[5] * 10), found(*[5] * 8)
    missing = assay.gate(judged(10), run, few, measures="P@10")
    [complete] = advice(missing)
    assert complete == "What to do: complete the run; or allow more topics to be missing (max_missing=...)."
    with speaking(Options()):
        assert next(advice(missing)).endswith("or allow more topics to be missing (--max-missing).")
    unjudged = assay.gate(judged(10), run, run, measures="P@10", min_judged=0.9)
    with speaking(Options()):
        assert [*advice(unjudged)] == ["What to do: judge more documents; or ask for less (--min-judged)."]
    both = (Coverage("old", 9, 9, math.nan), Coverage("new", 9, 9, math.nan))
    every = guards_of(both, SETTINGS._replace(min_judged=0.5), {"old": ["AP is undefined"], "new": ["so it is"]})
    assert {guard.name for guard in every} == {"missing topics", "defined values", "judged at all", "judged documents"}
    assert not any(guard.holds for guard in every)
    assert len({guard.advice for guard in every}) == 4


def test_invalid_comes_before_fail() -> None:
    result = assay.gate(judged(10), found(*[9] * 10), found(*[1] * 8), measures="P@10")
    assert result.checks[0].outcome == "fail"
    assert result.outcome == "invalid"
    assert "Failed" not in str(result)


def test_the_worst_of_several_measures_decides_and_the_correction_is_stated() -> None:
    result = assay.gate(judged(10), found(*[5] * 10), found(*[4] * 10), measures=["P@10", "RR", "Success@1"])
    assert [check.outcome for check in result.checks] == ["fail", "pass", "pass"]
    assert result.outcome == "fail"
    assert "of 3 checks of candidate against baseline, 1 failed (P@10), 2 passed" in result.sentence
    assert "Holm" in str(result)
    assert "intersection-union" in str(result)


def test_margins_by_measure() -> None:
    runs = found(*[5] * 10), found(*[4] * 10)
    result = assay.gate(judged(10), *runs, measures=["P@10", "R@10"], margin={"P@10": 0.2})
    assert [check.outcome for check in result.checks] == ["pass", "fail"]
    assert [check.margin_says for check in result.checks] == ["as asked for", "0.01 of the measure's range"]
    texts = ["0.05", "nDCG(gain='exp')@10=0.3", "ndcg_cut_10=0.2"]
    names = ["nDCG(gain='exp')@10", "nDCG@10", "AP"]
    both = margins_of(margins_in(texts), called, names)
    assert both == {None: 0.05, "nDCG(gain='exp')@10": 0.3, "nDCG@10": 0.2}
    for twice in (["0.1", "0.2"], ["nDCG@10=0.1", "ndcg_cut_10=0.1"]):
        with pytest.raises(ParameterError, match=r"two margins are given for (all measures|nDCG@10)"):
            margins_of(margins_in(twice), called, names)


def test_slices_are_checks_of_their_own() -> None:
    before = found(*[5] * 16)
    after = found(*[6] * 8, *[3] * 8)
    kinds = {f"q{topic:02}": "short" if topic < 8 else "long" for topic in range(16)}
    result = assay.gate(judged(16), before, after, measures="P@10", margin=0.02, slices="length", topics=kinds)
    named = {check.slice: check.outcome for check in result.checks}
    assert named == {"": "inconclusive", "length = long": "fail", "length = short": "pass"}
    assert result.outcome == "fail"
    frame = assay.Topics.of(dict.fromkeys(kinds, "")).frame
    table = frame.with_columns(length=frame["query_id"].replace_strict(kinds))
    again = assay.gate(judged(16), before, after, measures="P@10", margin=0.02, slices="length", topics=table)
    assert [check.row() for check in again.checks] == [check.row() for check in result.checks]


def test_topics_without_the_attribute_are_a_group_and_if_all_lack_it_refused() -> None:
    runs = found(*[5] * 16), found(*[6] * 16)
    kinds = {f"q{topic:02}": "short" if topic < 8 else "long" for topic in range(14)}
    result = assay.gate(judged(16), *runs, measures="P@10", slices="length", topics=kinds)
    assert [check.units for check in result.checks if check.slice == "length = (none)"] == [2]
    with pytest.raises(ParameterError, match="known of no unit: there is nothing to group"):
        assay.gate(judged(16), *runs, measures="P@10", slices="length", topics={"elsewhere": "short"})


def test_topics_that_do_not_differ_cannot_make_a_check_fail() -> None:
    """Of twenty topics three differ: no order of three signs is rarer than one in eight."""
    after = found(*[1] * 3, *[6] * 17)
    result = assay.gate(judged(20), found(*[6] * 20), after, measures="P@10", margin=0.001)
    assert result.checks[0].p == 1 / 8
    clear = assay.gate(judged(20), found(*[6] * 20), found(*[1] * 6, *[6] * 14), measures="P@10", margin=0.001)
    assert clear.outcome == "fail"


def test_a_pooled_measure_where_less_is_better() -> None:
    """Fallout counts over all topics; a candidate that retrieves more that is irrelevant fails."""
    rules: dict[str, Any] = {"measures": "Fallout(average='micro')", "collection_size": 100, "margin": 0.01}
    good, bad = found(*[9] * 8), found(*[4] * 8)
    worse = assay.gate(judged(8), good, bad, **rules)
    assert (worse.outcome, worse.checks[0].allowed) == ("fail", 0.01)
    assert worse.checks[0].p == 1 / 2**8
    assert assay.gate(judged(8), bad, good, **rules).outcome == "pass"


@in_turn(
    ("settings", "message"),
    [
        ({"measures": "Judged@10"}, "neither good nor bad"),
        ({"margin": 0}, "the margin is a number above 0, not 0"),
        ({"margin": {"AP": 0.1}}, "a margin is given for AP, but the gate is on P@10"),
        ({"alpha": 0.5}, "alpha is a number between"),
        ({"inconclusive": "maybe"}, "inconclusive is one of report, pass, fail, not 'maybe'"),
        ({"max_missing": 1.5}, "max_missing is a number from 0 to 1"),
        ({"min_judged": True}, "min_judged is a number from 0 to 1"),
        ({"slices": "length"}, "slices (an attribute) and topics go together"),
        ({"measures": []}, "there is no measure"),
        ({"seed": -1}, "seed is a whole number"),
        ({"level": 2}, "unknown argument 'level'"),
    ],
)
def test_wrong_calls_are_refused_in_a_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=r"^[^\n]+$") as caught:
        assay.gate(judged(6), found(*[5] * 6), found(*[4] * 6), **({"measures": "P@10"} | settings))
    assert message in str(caught.value)


def test_runs_without_a_topic_in_common_are_refused() -> None:
    run = found(5, 5, 5, 5, 5)
    with pytest.raises(TopicError, match="no topic in common"):
        assay.gate(judged(5), run, {"elsewhere": {"d": 1.0}})
    with pytest.raises(ParameterError, match="one run is the candidate, not 2"):
        assay.gate(judged(5), run, {"a": run, "b": run})


def test_runs_have_their_names_and_two_of_the_same_name_are_told_apart() -> None:
    run = found(5, 5, 5, 5, 5)
    result = assay.gate(judged(5), {"bm25": run}, {"bm25": run})
    assert (result.baseline, result.candidate) == ("bm25 (baseline)", "bm25 (candidate)")
    named = assay.gate(judged(5), {"old": run}, {"new": run})
    assert (named.baseline, named.candidate) == ("old", "new")


def test_the_same_seed_gives_the_same_numbers_in_any_order_of_topics() -> None:
    old, new = MIXED
    first = assay.gate(judged(8), old, new, measures=["P@10", "AP"], seed=4)
    turned = {query: new[query] for query in reversed(new)}
    again = assay.gate(judged(8), old, turned, measures=["P@10", "AP"], seed=4)
    assert [check.row() for check in again.checks] == [check.row() for check in first.checks]


def test_every_form_of_the_result() -> None:
    result = assay.gate(judged(8), *MIXED, measures=["P@10", "AP"])
    payload = json_of(result)
    assert (payload["outcome"]["outcome"], payload["outcome"]["exit_code"]) == ("inconclusive", 3)
    assert [row["measure"] for row in payload["checks"]["checks"]] == ["P@10", "AP"]
    assert payload["checks"]["checks"][0]["difference"] == result.checks[0].difference
    assert payload["checks"]["checks"][0]["lost_most"][0] == result.checks[0].worst[0]._asdict()
    assert payload["coverage"]["coverage"][1] == {
        "system": "candidate",
        "topics": 8,
        "missing": 0,
        "judged": result.coverage[1].judged,
    }
    assert result.to_frame()["outcome"].to_list() == [check.outcome for check in result.checks]
    assert result.to_markdown().startswith("## ❔ Quality gate: inconclusive\n")
    assert "\\begin{tabular}" in result.to_latex()
    assert "<table>" in result.to_html()
    assert result.to_csv().splitlines()[0].startswith("measure,slice,unit_kind,units")
    assert "GateResult inconclusive" in repr(result)


def test_real_runs_are_gated() -> None:
    folder = shared("trec-covid-r1")
    qrels, runs = folder / "qrels.covid-round1.txt", folder / "runs"
    better = assay.gate(qrels, runs / "BRPHJ_NLP1.gz", runs / "CSIROmed_RF.gz", measures=["nDCG@10", "AP"])
    assert better.exit_code == 0
    worse = assay.gate(qrels, runs / "CSIROmed_RF.gz", runs / "BRPHJ_NLP1.gz", measures=["nDCG@10", "AP"])
    assert worse.exit_code == 1
    assert any("a loss may come from them" in note for note in worse.notes)
    close = assay.gate(qrels, runs / "T5R1.gz", runs / "base.unipd.it.gz")
    comparison = assay.compare(qrels, [runs / "T5R1.gz", runs / "base.unipd.it.gz"], measures="nDCG@10")
    assert close.exit_code == 3
    assert close.checks[0].at_worst == comparison.finding().narrow.low


def test_extractions_are_gated_by_document() -> None:
    truth = [(f"d{number}", 0, 4, "PER") for number in range(12)]
    old, new = (assay.extract(truth, truth[:count], name=name) for name, count in (("old", 12), ("new", 3)))
    result = assay.gate(old, new)
    assert (result.outcome, result.checks[0].measure, result.checks[0].units) == ("fail", "F1", 12)
    assert assay.gate(new, baseline=old).sentence == result.sentence
    assert assay.gate([old, new], baseline="new", candidate="old").outcome == "pass"
    spans = assay.gate(old.truth, {"old": old.predicted}, {"new": new.predicted}, measures="F")
    assert spans.sentence == result.sentence
    with pytest.raises(ParameterError, match="a gate takes judgments, a baseline and a candidate"):
        assay.gate(old.truth, new.truth)


def test_bare_scores_are_gated_by_name_and_ask_for_a_direction() -> None:
    rows = [
        (system, "latency", "page", str(number), value + number % 3, None)
        for system, value in (("a", 3.0), ("b", 2.0))
        for number in range(12)
    ]
    scores = assay.Scores(pl.DataFrame(rows, schema=assay.Scores.SCHEMA, orient="row"))
    with pytest.raises(ParameterError, match="latency: its direction is not known"):
        assay.gate(scores, baseline="a", candidate="b")
    assert assay.gate(scores, baseline="a", candidate="b", direction="lower").outcome == "pass"
    assert assay.gate(scores, "b", "a", direction="lower").outcome == "fail"
    with pytest.raises(ParameterError, match="names of systems, not Scores"):
        assay.gate(scores, scores)


@in_turn(
    ("margin", "said"),
    [
        (0.1, []),
        (0.2, ["the margin 0.2 is more than a tenth of the range of AP"]),
        (5.0, ["the margin 5 is not narrower than the range of AP: no difference is larger"]),
    ],
)
def test_a_margin_so_wide_that_nothing_or_little_could_fail_is_noted(margin: float, said: list[str]) -> None:
    qrels = {f"q{number}": {"good": 1} for number in range(6)}
    old, new = ({query: {"good": 1.0, "bad": bad} for query in qrels} for bad in (0.5, 1.5))
    gated = assay.gate(qrels, old, new, measures="AP", margin=margin)
    compared = assay.compare(qrels, {"old": old, "new": new}, measures="AP", margin=margin)
    for notes in (gated.notes, compared.notes):
        assert [note for note in notes if "margin" in note] == said
