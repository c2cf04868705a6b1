"""A/B tests: numbers by other tools and by hand, real data, soundness, plans, looks, and what data do to it all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from scipy import stats
from shared_data import shared

import assay
from assay import (
    InputError,
    ParameterError,
    PlannedMeasure,
    PlannedTest,
    abtest,
    compare,
    make_report,
    plan_test,
    watch,
)
from assay.stats.sample_ratio import mismatch
from assay.subjects.experiments.looks import read_looks

USERS = Path(assay.__file__).parent / "data" / "abtest" / "users.csv"
TREATED = "new ranking"
#: What tea-tasting 1.14 prints of the bundled users: both values, the difference, its interval, p.
TEA_TASTING = {
    "clicks": (2.48626145, 2.88240200, 0.39614055, 0.19092970, 0.60135140, 0.000157219485),
    "clicks/searches": (0.40809075, 0.47129415, 0.06320340, 0.04382857, 0.08257823, 1.9012141e-10),
}
#: The same with what the users did before as covariates; it takes one slope over both variants, Assay one within them.
TEA_TASTING_CUPED = {
    "clicks": (2.51929717, 2.84931117, 0.33001400, 0.17084195, 0.48918604),
    "clicks/searches": (0.40909690, 0.47031273, 0.06121583, 0.04306796, 0.07936369),
}
BEFORE = {"clicks": "clicks_before", "clicks/searches": "clicks_before/searches_before"}


def users(number: int = 400, **columns: Any) -> pl.DataFrame:
    rng = np.random.default_rng(number)
    return pl.DataFrame(
        {
            "user": [f"u{place}" for place in range(number)],
            "variant": ["control", "new"] * (number // 2),
            "clicks": rng.poisson(3, number),
            "pages": rng.poisson(4, number) + 1,
            **columns,
        }
    )


def both(result: assay.ABTest, measure: str) -> tuple[float, ...]:
    sample, reach = result.sample(measure), result.difference(measure, result.variants[1])
    return (*sample.observed, sample.difference(0, 1), reach.low, reach.high)


@in_turn("measure", TEA_TASTING)
def test_means_and_ratios_are_those_of_tea_tasting(measure: str) -> None:
    finding = compare(abtest(USERS, measure)).findings[0]
    assert (*both(abtest(USERS, measure), measure), finding.p) == pytest.approx(TEA_TASTING[measure], rel=1e-6)


@in_turn("measure", TEA_TASTING_CUPED)
def test_covariates_adjust_as_in_tea_tasting(measure: str) -> None:
    result = abtest(USERS, measure, covariates={measure: BEFORE[measure]})
    assert both(result, measure) == pytest.approx(TEA_TASTING_CUPED[measure], rel=1e-3)
    assert result.saving(measure) > 0.1


def test_a_covariate_of_a_mean_is_an_analysis_of_covariance() -> None:
    frame = pl.read_csv(USERS)
    result = abtest(USERS, "clicks", covariates=BEFORE | {"clicks": "clicks_before"})
    groups = [frame.filter(pl.col("variant") == name) for name in ("control", TREATED)]
    within = np.sum([np.cov(each["clicks"], each["clicks_before"]) * each.height for each in groups], axis=0)
    slope = within[0, 1] / within[1, 1]
    adjusted = [each["clicks"].to_numpy() - slope * each["clicks_before"].to_numpy() for each in groups]
    assert both(result, "clicks")[2] == pytest.approx(adjusted[1].mean() - adjusted[0].mean())


def test_the_test_is_welchs_and_medians_agree_with_their_bootstrap() -> None:
    frame = pl.read_csv(USERS)
    control, treated = (
        frame.filter(pl.col("variant") == name)["latency_ms"].to_numpy() for name in ("control", TREATED)
    )
    assert compare(USERS, measures="latency_ms").findings[0].p == pytest.approx(
        stats.ttest_ind(treated, control, equal_var=False).pvalue
    )
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(control, (800, len(control))), axis=1)
    low, high = abtest(USERS, "median(latency_ms)").estimate("median(latency_ms)", "control")[1:3]
    assert high - low == pytest.approx(2 * 1.96 * medians.std(), rel=0.25)


def test_capped_and_winsorised_columns_are_cut_off() -> None:
    result = abtest(users(8, clicks=[1, 2, 3, 4, 5, 6, 7, 100]), ["capped(clicks, 5)", "winsorised(clicks, 0.5)"])
    assert result.value("capped(clicks, 5)", "new") == (2 + 4 + 5 + 5) / 4
    assert result.value("winsorised(clicks, 0.5)", "new") == (2 + 4 + 4.5 + 4.5) / 4


def test_cookie_cats_as_a_product_manager_looks_at_it() -> None:
    report = make_report(shared("cookie-cats", "cookie_cats.csv"))
    assert report.advice == "Do not ship gate_40: gate_40 is worse than gate_30 under retention_7."
    assert "p = 0.0086" in report.warnings[0]
    assert "suspicious" in report.warnings[0]
    heavy = next(each for each in abtest(shared("cookie-cats", "cookie_cats.csv")).heavy)
    assert (heavy.largest, heavy.largest_variant) == (49854, "gate_30")
    assert (heavy.difference, heavy.without_largest) == pytest.approx((-1.1575, -0.0433), abs=1e-4)


@in_turn(
    ("sizes", "weights", "p"),
    [
        ([50_500, 49_500], None, 0.00157),
        ([44_700, 45_489], None, 0.00861),
        ([900, 100], [9, 1], 1.0),
        ([60, 0, 0], None, 0.0),
    ],
)
def test_the_sample_ratio_check_is_pearsons(sizes: list[int], weights: list[float] | None, p: float) -> None:
    assert mismatch(sizes, weights) == pytest.approx(p, abs=1e-5)


def test_a_split_that_cannot_be_is_not_trusted_whatever_the_numbers_say() -> None:
    frame = users(2000)
    lost = frame.filter((pl.col("variant") == "control") | (pl.int_range(pl.len()) % 10 > 2))
    assert make_report(lost).advice.startswith("Cannot be trusted: the split is not the planned one: control 1,000")
    share = lost.filter(pl.col("variant") == "new").height / lost.height
    assert not make_report(lost, weights=[1 - share, share]).advice.startswith("Cannot")


def test_users_in_several_variants_are_left_out_and_counted() -> None:
    frame = pl.concat([users(), users().head(4).with_columns(variant=pl.lit("new"))]).unique(maintain_order=True)
    result = abtest(frame)
    assert sum(result.experiment.sizes.values()) == 398
    assert "2 users in several variants (0.5%): left out" in result.warnings[0]


REFUSED: dict[str, tuple[Any, str]] = {
    "two rows of a user": (pl.concat([users(4), users(4)]), "one row per user, got 2 of 'u0': add them up first"),
    "one variant": (users().with_columns(variant=pl.lit("a")), "expected two variants or more, got a alone"),
    "no numbers": (users().select("user", "variant"), "a column of numbers beside user and variant, got none"),
    "no variant": (users().drop("variant"), "expected a table with the columns `user_id`, `variant`"),
    "no user": (users().with_columns(user=None), "expected text or a whole number as user_id"),
    "a word among numbers": (
        users().with_columns(clicks=pl.Series(["3"] * 399 + ["many"])),
        "expected a finite number as 'clicks', got 'many'",
    ),
}  # fmt: skip


@in_turn("case", REFUSED)
def test_what_cannot_be_read_is_refused_in_a_sentence(case: str) -> None:
    data, says = REFUSED[case]
    with pytest.raises(InputError) as refusal:
        abtest(data)
    assert says in str(refusal.value)


def test_odd_numbers_are_survived() -> None:
    huge = users(clicks=[2**40 + place for place in range(400)])  # beyond 32 bits, and variance keeps its digits
    assert abtest(huge).sample("clicks").arms[0].variance * 200 == pytest.approx(np.var(np.arange(0, 400, 2), ddof=1))
    gaps = users().with_columns(clicks=pl.when(pl.int_range(400) % 40 > 1).then(pl.col("clicks")))
    assert abtest(gaps).sample("clicks").arms[0].units == 190
    empty = users().with_columns(pages=pl.lit(0))
    with pytest.raises(InputError, match=r"clicks/pages is undefined: the denominator is 0"):
        compare(empty, measures="clicks/pages")


def test_values_missing_in_one_variant_alone_are_not_compared() -> None:
    lacking = users().with_columns(
        clicks=pl.when((pl.col("variant") == "control") | (pl.col("pages") > 4)).then("clicks")
    )
    assert compare(lacking, measures="clicks").findings[0].verdict.incomparable


def test_a_covariate_that_the_test_has_changed_is_refused() -> None:
    with pytest.raises(InputError, match="was it measured after users saw a variant"):
        abtest(USERS, "converted", covariates={"converted": "clicks"})
    with pytest.raises(ParameterError, match="is adjusted by a ratio of before the test, not by clicks_before"):
        abtest(USERS, "clicks/searches", covariates={"clicks/searches": "clicks_before"})


def test_rows_in_another_order_and_a_swapped_control_change_nothing_but_the_sign() -> None:
    frame = pl.read_csv(USERS)
    mixed = frame.sample(fraction=1, shuffle=True, seed=1)
    first, shuffled = (both(abtest(each, "clicks"), "clicks") for each in (frame, mixed))
    swapped = both(abtest(frame, "clicks", control=TREATED), "clicks")
    assert shuffled == pytest.approx(first)
    assert (swapped[2], swapped[3], swapped[4]) == pytest.approx((-first[2], -first[4], -first[3]))


# Plans and looks.

PLAN = PlannedTest(
    "new-ranking", (PlannedMeasure("converted", difference=0.03), PlannedMeasure("clicks", "secondary"),
                    PlannedMeasure("latency_ms", "guardrail", "lower", margin=8.0)),
    users=2938, variants=("control", TREATED), looks=5, sequential="group",
)  # fmt: skip


@in_turn(
    ("stated", "wanted"),
    [
        ({"mean": 0.1, "difference": 0.02}, 2 * 2 * 0.09 * 7.8489 / 0.0004),
        ({"sd": 2.0, "difference": 0.1, "weights": (0.9, 0.1)}, 4 * (1 / 0.9 + 1 / 0.1) * 7.8489 / 0.01),
        ({"mean": 0.08, "margin": 0.01}, 2 * 2 * 0.0736 * 6.1826 / 0.0001),  # one-sided
        ({"sd": 1.0, "difference": 0.1, "variants": ("a", "b", "c")}, 6 * 9.5051 / 0.01),  # alpha / 2
    ],
)
def test_users_are_those_of_the_formula(stated: dict[str, Any], wanted: float) -> None:
    assert plan_test("k", "x", **stated).plan.users == pytest.approx(wanted, rel=1e-3)


def test_a_plan_is_written_read_back_and_told_when_it_was_changed() -> None:
    text = PLAN.to_toml()
    assert PlannedTest.parse(text) == PLAN
    changed = PlannedTest.parse(text.replace("margin = 8.0", "margin = 80.0"))
    assert changed.changed
    assert "was changed after it was written" in abtest(USERS, plan=changed).warnings[0]
    with pytest.raises(InputError, match="one primary measure, which comes first"):
        PlannedTest.parse(text.replace('"primary"', '"secondary"'))
    with pytest.raises(InputError, match="the plan is of control, new ranking, got the variants control, new"):
        abtest(users(), plan=PLAN)


def test_a_plan_tests_its_families_and_calls_the_rest_exploratory() -> None:
    result = compare(USERS, measures=["converted", "clicks", "latency_ms", "revenue"], plan=PLAN)
    assert any("not planned, so exploratory: revenue" in note for note in result.notes)
    assert [finding.p == finding.outcome.p for finding in result.findings] == [True] * 4  # each family has one
    assert result.findings[2].margin == (8.0, "as planned")


def test_each_look_is_written_down_and_the_next_one_knows(tmp_path: Path) -> None:
    plan, record = tmp_path / "plan.toml", tmp_path / "plan.looks.jsonl"
    plan.write_text(PLAN.to_toml(), encoding="utf-8")
    lines = USERS.read_text(encoding="utf-8").splitlines()
    for number in (800, 1200, 1200, 2400):
        part = tmp_path / f"first{number}.csv"
        part.write_text("\n".join(lines[: number + 1]) + "\n", encoding="utf-8")
        assert invoke(["abtest", "watch", part, "--plan", plan, "--when", f"at {number}"]).exit_code == 0
    looks = read_looks(record)
    assert [(look.users, look.decisions[0]["word"]) for look in looks] == [
        (800, "keep running"), (1200, "keep running"), (2400, "ship"),
    ]  # fmt: skip
    again = watch(USERS, plan, earlier=looks, when="at 2400")
    assert json.loads(again.look.line()) == json.loads(looks[-1].line())
    (stop,) = again.stopped.values()
    assert stop.low < stop.estimate < again.comparison.findings[0].difference
    plan.write_text(PLAN.to_toml().replace("margin = 8.0", "margin = 9.0"), encoding="utf-8")
    assert any("was changed after the first look" in each for each in watch(USERS, plan, earlier=looks).warnings)
    with pytest.raises(InputError, match="at least as many users as at the last look"):
        watch(tmp_path / "first800.csv", plan, earlier=looks)


@in_turn(
    ("plan", "word"),
    [
        ({"users": 2400}, "ship"),
        (
            {"users": 2400, "measures": (PlannedMeasure("converted", direction="lower", difference=0.03),)},
            "do not ship",
        ),
        ({"users": 2400, "measures": (PlannedMeasure("revenue", difference=1.0),)}, "do not ship"),
        ({"users": 9000, "measures": (PlannedMeasure("revenue", difference=1.0),)}, "keep running"),
        ({"users": 2600, "measures": (PlannedMeasure("revenue", direction="lower", difference=2.0),)}, "stop: futile"),
        ({"users": 9000, "sequential": "fixed"}, "keep running"),
        ({"users": 2400, "measures": (PlannedMeasure("latency_ms", direction="lower", margin=9.0),)}, "ship"),
        ({"users": 2400, "measures": (PlannedMeasure("clicks", direction="lower", margin=0.1),)}, "do not ship"),
    ],
)
def test_decisions_follow_from_the_plan(plan: dict[str, Any], word: str) -> None:
    fields = {name: getattr(PLAN, name) for name in ("key", "measures", "users", "variants", "looks", "sequential")}
    assert watch(USERS, PlannedTest(**{**fields, **plan})).decisions[0].word == word


def test_no_difference_is_found_in_five_percent_of_tests_of_nothing() -> None:
    """Users differ and search often: a test over searches, as if they were users, finds far more."""
    rng, tests, found, naive = np.random.default_rng(2), 110, dict.fromkeys(("clicks", "clicks/pages", "cuped"), 0), 0
    for _ in range(tests):
        rate = rng.beta(2, 3, 400)
        pages, before = 1 + rng.poisson(rng.gamma(1.5, 4, 400)), rng.binomial(8, rate)
        clicks = rng.binomial(pages, rate)
        frame = users(clicks=clicks, pages=pages, before=before)
        result = abtest(frame, ["clicks", "clicks/pages"])
        adjusted = abtest(frame, ["clicks"], covariates={"clicks": "before"}) if abs(mean_gap(before)) < 3 else result
        for name, each, measure in (("clicks", result, "clicks"), ("clicks/pages", result, "clicks/pages"),
                                    ("cuped", adjusted, "clicks")):  # fmt: skip
            gap = each.sample(measure).gap(0, 1)
            found[name] += abs(gap.difference / gap.error) > stats.t.ppf(0.975, gap.freedom)
        sums = [(clicks[side::2].sum(), pages[side::2].sum()) for side in (0, 1)]
        naive += stats.chi2_contingency([[hit, all_ - hit] for hit, all_ in sums], correction=False).pvalue < 0.05
    for count in found.values():
        assert stats.binomtest(count, tests, 0.05).pvalue > 0.001
    assert naive / tests > 0.12


def mean_gap(values: np.ndarray[Any, Any]) -> float:
    """How far the means of both variants are apart, in standard errors."""
    return float(stats.ttest_ind(values[::2], values[1::2]).statistic)


# Units, groups of users, chances.


def test_clusters_are_the_units_where_they_were_assigned() -> None:
    rng = np.random.default_rng(8)
    store = np.repeat(np.arange(40), 25)
    frame = pl.DataFrame(
        {
            "user": range(1000),
            "variant": np.where(store % 2, "new", "control"),
            "store": [f"s{each}" for each in store],
            "sold": rng.normal(size=40)[store] + rng.normal(size=1000) + 3,
        }
    )
    by_store = frame.group_by("store", "variant").agg(pl.col("sold").mean())
    one, other = (by_store.filter(pl.col("variant") == name)["sold"] for name in ("control", "new"))
    users, stores = (compare(abtest(frame, "sold", **each)).findings[0] for each in ({}, {"cluster": "store"}))  # type: ignore[arg-type]
    assert stores.difference == pytest.approx(other.mean() - one.mean()) == pytest.approx(users.difference)  # type: ignore[operator]
    assert stores.p == pytest.approx(stats.ttest_ind(one, other, equal_var=False).pvalue, rel=0.05)
    assert users.p < stores.p / 10  # as if 25 users of a store told 25 times as much


def test_groups_have_differences_of_their_own_and_are_corrected_for_one_another() -> None:
    result = abtest(USERS, "clicks", by="device")
    frame = pl.read_csv(USERS)
    alone = [
        compare(frame.filter(pl.col("device") == each.group), measures="clicks").findings[0] for each in result.groups
    ]
    assert [each.difference for each in result.groups] == pytest.approx([each.difference for each in alone])
    assert all(each.p >= other.p for each, other in zip(result.groups, alone, strict=True))
    assert sum(each.users for each in result.groups) == 2400
    with pytest.raises(ParameterError, match="choose a column of device, not 'browser'"):
        abtest(USERS, by="browser")


def test_chances_and_losses_are_those_of_a_normal_difference() -> None:
    (chance,) = abtest(USERS, "latency_ms", bayes=True).chances
    gap = abtest(USERS, "latency_ms").sample("latency_ms").gap(0, 1)
    draws = np.random.default_rng(0).normal(gap.difference, gap.error, 400_000)
    assert chance.better == pytest.approx((draws < 0).mean(), abs=0.003)  # lower is better
    assert chance.loss == pytest.approx(np.maximum(draws, 0).mean(), rel=0.01)


def test_a_variant_that_was_renamed_half_way_is_one_and_is_said() -> None:
    frame = users().with_columns(
        variant=pl.when(pl.int_range(400) > 300).then(pl.col("variant").str.to_titlecase()).otherwise("variant")
    )
    result = abtest(frame)
    assert result.experiment.sizes == {"control": 200, "new": 200}
    assert any("variant 'New' is taken for 'new': was it renamed?" in each for each in result.warnings)


def test_in_a_test_of_the_same_variants_a_difference_is_a_fault() -> None:
    assert make_report(users(), same=True).advice == "No difference: as it should be in an A/A test."
    assert make_report(USERS, measures="clicks", same=True).advice.startswith(
        "Cannot be trusted: in an A/A test nothing"
    )


def test_before_the_one_look_of_a_plan_no_verdict_counts() -> None:
    early = PlannedTest("k", (PlannedMeasure("clicks", difference=0.2),), 9000, variants=("control", TREATED))
    assert any("one look, at 9,000 users, and there are 2,400" in each for each in compare(USERS, plan=early).notes)
    assert make_report(USERS, plan=early).advice.startswith("Keep running: until there are 9,000 users")
