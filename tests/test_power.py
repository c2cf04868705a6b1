"""Power, stability and discriminative power: an oracle, simulation, and real systems."""

from __future__ import annotations

import csv
import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cases import in_turn
from command import invoke
from scipy import integrate, special, stats
from shared_data import shared
from statsmodels.stats.power import TTestIndPower, TTestPower

import assay
from assay import InputError, ParameterError, Plan, plan
from assay.stats.bootstrap import weights
from assay.stats.mean_samples import MeanSample
from assay.stats.power import power_of, smallest_detectable, units_needed
from assay.stats.stability import discriminative_power, ranking_stability

approx = pytest.approx
TEA = Path(__file__).parents[1] / "src" / "assay" / "data" / "tea"
QRELS = str(TEA / "qrels.txt")
RUNS = [str(TEA / f"{name}.run") for name in ("alphabet", "words", "stems")]


def trec8() -> np.ndarray:
    """AP of 129 systems (columns) on 50 topics (rows)."""
    with shared("system-topic-scores", "adhoc8_ap.named.csv").open(encoding="utf-8") as file:
        return np.array(list(csv.reader(file))[1:], dtype=float)


@in_turn("units", [2, 3, 8, 25, 50, 200])
@in_turn("alpha", [0.01, 0.05, 0.1])
def test_power_agrees_with_the_oracle(units: int, alpha: float) -> None:
    for size in (0.05, 0.2, 0.5, 1.0, 1.5):
        wanted = float(TTestPower().power(size, units, alpha))
        if math.isnan(wanted):  # the oracle gives up far out, where power is 1 for certain
            assert power_of(size, 1.0, units, alpha) > 0.999
        else:
            assert power_of(0.1 * size, 0.1, units, alpha) == approx(wanted, abs=1e-9)


@in_turn(("size", "units"), [(0.4, 52), (0.2, 199), (0.8, 15), (3.0, 4)])
def test_units_needed_are_the_fewest_that_the_oracle_finds_enough(size: float, units: int) -> None:
    assert units_needed(size, 1.0) == units == units_needed(-0.1 * size, 0.1)
    assert TTestPower().power(size, units, 0.05) >= 0.8 > TTestPower().power(size, units - 1, 0.05)


@in_turn("units", [2, 3, 5, 50, 10**6, 10**12])
@in_turn(("alpha", "power"), [(0.05, 0.8), (0.001, 0.99), (0.05, 0.06), (1e-6, 0.9)])
def test_the_smallest_detectable_difference_is_detected_with_just_the_power(
    units: int, alpha: float, power: float
) -> None:
    found = smallest_detectable(0.3, units, alpha, power)
    assert power_of(found, 0.3, units, alpha) == approx(power, abs=1e-9)


def test_many_units_give_what_normal_theory_gives() -> None:
    z = special.ndtri(0.975) + special.ndtri(0.8)
    assert smallest_detectable(1.0, 10**9) == approx(z / math.sqrt(10**9), rel=1e-5)
    assert units_needed(1e-6, 1.0) == approx((z / 1e-6) ** 2, rel=1e-5)


@in_turn("standard_errors", [31.0, 60.0, 1000.0])
@in_turn("freedom", [1, 2, 5])
def test_far_from_zero_power_is_what_integration_gives(standard_errors: float, freedom: int) -> None:
    """With few units and a strict test, power is below 1 even many standard errors out."""
    critical = special.stdtrit(freedom, 1 - 1e-6 / 2)

    def density(deviate: float) -> float:
        chance = special.chdtr(freedom, freedom * ((standard_errors + deviate) / critical) ** 2)
        return float(chance * math.exp(-(deviate**2) / 2) / math.sqrt(2 * math.pi))

    wanted = integrate.quad(density, -10, 10, epsabs=1e-13)[0]
    assert power_of(standard_errors / math.sqrt(freedom + 1), 1.0, freedom + 1, 1e-6) == approx(wanted, abs=1e-10)


def test_power_is_how_often_the_test_rejects() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.normal(0.05, 0.12, size=(20_000, 40))
    rejected = np.mean(stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05)
    assert power_of(0.05, 0.12, 40) == approx(rejected, abs=0.01)


@in_turn("power", [0.06, 0.5, 0.8, 0.999])
def test_units_needed_are_enough_and_one_fewer_is_not(power: float) -> None:
    for size in np.geomspace(0.003, 20, 40):
        found = units_needed(float(size), 1.0, 0.05, power)
        assert found is not None
        assert power_of(size, 1.0, found) >= power
        assert found == 2 or power_of(size, 1.0, found - 1) < power


def test_edges_of_power() -> None:
    assert smallest_detectable(0.0, 10) == 0
    assert math.isnan(smallest_detectable(0.1, 1))
    assert math.isnan(smallest_detectable(math.nan, 10))
    assert units_needed(0.1, 0.0) == 2
    assert [units_needed(0.0, 0.1), units_needed(0.1, math.nan), units_needed(1e-9, 1.0)] == [None, None, None]
    assert power_of(0.1, 0.0, 5) == 1
    assert math.isnan(power_of(0.0, 0.0, 5))
    assert power_of(0.0, 0.1, 5) == approx(0.05)
    for spread, alpha, power in ((-1, 0.05, 0.8), (1, 0, 0.8), (1, 0.05, 1), (1, 0.05, 0.01)):
        with pytest.raises(ParameterError):
            smallest_detectable(spread, 10, alpha, power)


def test_discriminative_power_is_a_share_of_pairs() -> None:
    assert discriminative_power([0.01, 0.05, 0.04], 0.05) == approx(2 / 3)
    assert math.isnan(discriminative_power([]))


def test_stability_of_real_systems_is_the_mean_of_scipys_tau() -> None:
    sample = MeanSample(trec8())
    drawn = sample.reweighted(next(weights(50, 30, 7)))
    # Two systems are the same: their sums may differ in the last digit.
    taus = [stats.kendalltau(sample.observed.round(10), row.round(10)).statistic for row in drawn]
    found = ranking_stability(sample, resamples=30, seed=7)
    assert found.redrawn.tau == approx(np.mean(taus))
    assert (found.redrawn.low, found.redrawn.high) == approx(np.quantile(taus, [0.025, 0.975]))
    assert found.halves.tau < found.redrawn.tau  # fewer topics, and noise on both sides


def test_halves_do_not_overlap_and_leave_at_most_one_unit_out() -> None:
    """Two systems, one ahead on exactly the units of one kind: disjoint halves show it."""
    values = np.column_stack([np.zeros(7), np.eye(7)[0] * 6 - 1])
    found = ranking_stability(MeanSample(values), resamples=500)
    # The odd unit lies in one half (then the halves disagree) or in none, with chance 1/7.
    assert found.halves.swapped == approx(6 / 7, abs=0.05)


def test_constant_systems_have_no_ranking_to_be_stable() -> None:
    assert math.isnan(ranking_stability(MeanSample(np.ones((5, 3))), 10).redrawn.tau)
    assert math.isnan(ranking_stability(MeanSample(np.array([[0.1, 0.2]])), 10).halves.tau)
    with pytest.raises(ParameterError, match="two systems"):
        ranking_stability(MeanSample(np.ones((5, 1))))


def test_a_plan_says_what_its_parts_say() -> None:
    evaluation = assay.evaluate(QRELS, RUNS, ["AP", "RR"])
    found = plan(evaluation, difference=0.05, baseline="words")
    pair = found.measures[0].pairs[1]
    values = {name: evaluation.scores.of(name, "AP")["value"].to_numpy() for name in ("words", "stems")}
    spread = np.std(values["stems"] - values["words"], ddof=1)
    assert (pair.baseline, pair.system, pair.units) == ("words", "stems", 8)
    assert pair.spread == approx(spread)
    assert pair.detectable == approx(smallest_detectable(float(spread), 8))
    assert pair.needed == units_needed(0.05, float(spread))
    assert [one.measure for one in found.measures] == ["AP", "RR"]
    assert plan(QRELS, RUNS, measures="AP").measures[0].difference == approx(0.01)


@cache
def plan_of_a_track() -> Plan:
    return plan(shared("system-topic-scores", "adhoc7_ap.named.csv"), measures="AP", resamples=2000)


def test_a_plan_for_many_systems_gives_the_range() -> None:
    found = plan_of_a_track()
    one = found.measures[0]
    assert len(one.pairs) == math.comb(103, 2)
    middle, low, high = one.range_of("detectable")
    assert low <= middle <= high
    assert f"{middle:.4f} ({low:.4f} to {high:.4f})" in str(found)


def test_pooled_and_geometric_means_have_a_spread_and_sums_are_left_out() -> None:
    found = plan(QRELS, RUNS, measures=["GMAP", "NumRelRet"] if _exists("GMAP") else ["AP", "NumRelRet"])
    assert len(found.measures) == 1
    assert "is a sum over units" in found.notes[0]
    assert all(pair.spread > 0 for pair in found.measures[0].pairs)
    with pytest.raises(InputError, match="is a sum over units"):
        plan(QRELS, RUNS, measures="NumRelRet")


def _exists(name: str) -> bool:
    try:
        assay.parse_measure(name)
    except ParameterError:
        return False
    return True


def test_what_cannot_be_planned_is_refused_in_one_line() -> None:
    one_topic = {"q1": {"d": 1}}
    for why, arguments, options in (
        ("at least two systems", (QRELS, RUNS[:1]), {}),
        ("at least 2 queries", (one_topic, {"a": {"q1": {"d": 1}}, "b": {"q1": {"e": 1}}}), {}),
        (
            "choose a baseline of .*, not 'word'; did you mean words",
            (QRELS, RUNS),
            {"baseline": "word"},
        ),
        ("above 0, not -1", (QRELS, RUNS), {"difference": -1}),
        ("power is a number between", (QRELS, RUNS), {"power": 1.5}),
        ("it goes with judgments and runs", (assay.evaluate(QRELS, RUNS, "AP"),), {"ties": "expected"}),
        ("got int alone", (3,), {}),
    ):
        with pytest.raises(assay.AssayError, match=why):
            plan(*arguments, **options)


def test_the_command_prints_every_form(tmp_path: Path) -> None:
    text = invoke(["power", QRELS, *RUNS, "-m", "AP", "--difference", "0.1"], catch_exceptions=False)
    assert text.stdout.startswith("What 8 queries can show\nmeasure  baseline  system")
    told = json.loads(invoke(["power", QRELS, *RUNS, "-m", "AP", "--json"], catch_exceptions=False).stdout)
    assert told["sections"]["pairs"]["pairs"][0]["units"] == 8
    assert {"redrawn", "halves"} <= set(told["sections"]["measures"]["measures"][0])
    written = tmp_path / "plan.md"
    invoke(["power", QRELS, *RUNS, "-m", "AP", "--markdown", "-o", str(written)], catch_exceptions=False)
    assert written.read_text(encoding="utf-8").startswith("**What 8 queries can show**")
    scores = tmp_path / "scores.csv"
    scores.write_text(assay.evaluate(QRELS, RUNS, "AP").to_csv(per_query=True), encoding="utf-8")
    again = invoke(["scores", "power", str(scores), "--json"], catch_exceptions=False)
    assert json.loads(again.stdout)["sections"]["pairs"]["pairs"][0]["spread"] == approx(
        told["sections"]["pairs"]["pairs"][0]["spread"]
    )


def test_without_a_difference_three_are_planned_for_and_their_origin_is_said() -> None:
    done = invoke(["power", QRELS, *RUNS, "-m", "AP", "-b", "words"], catch_exceptions=False)
    said = " ".join(done.stdout.split())
    assert "No difference was asked for (--difference). Small: 0.01 of the measure's range" in said
    assert "small needed medium needed observed needed" in said
    pair = plan(QRELS, RUNS, measures="AP", baseline="words").measures[0].pairs[1]
    assert [pair.difference, pair.medium] == approx([0.01, 0.05])
    assert pair.needed == units_needed(0.01, pair.spread)
    assert pair.needed_medium == units_needed(0.05, pair.spread)
    assert pair.needed_observed == units_needed(pair.observed, pair.spread)
    assert f"{pair.needed:,} 0.05 {pair.needed_medium:,} {abs(pair.observed):.4f} {pair.needed_observed:,}" in said
    asked = invoke(["power", QRELS, *RUNS, "-m", "AP", "--difference", "0.1"], catch_exceptions=False).stdout
    assert "No difference was asked for" not in asked
    assert "to find: 0.1 (as asked for)." in asked


def test_over_many_pairs_the_three_differences_have_ranges() -> None:
    found = plan_of_a_track()
    middle, low, high = found.measures[0].range_of("needed_medium")
    assert f"0.05  {middle:,.0f} ({low:,.0f} to {high:,.0f})" in str(found)
    assert "needed for the observed" in str(found)


@pytest.mark.parametrize(("difference", "sd"), [(0.05, 0.2), (0.5, 1.0), (1.0, 0.4), (0.001, 0.1)])
def test_a_plan_without_data_agrees_with_the_oracle(difference: float, sd: float) -> None:
    for alpha, power in ((0.05, 0.8), (0.01, 0.95)):
        paired = plan(difference=difference, sd=sd, alpha=alpha, power=power)
        wanted = TTestPower().solve_power(difference / sd, alpha=alpha, power=power)
        assert paired.needed == max(2, math.ceil(round(float(np.ravel(wanted)[0]), 6)))
        apart = plan(difference=difference, sd=sd, alpha=alpha, power=power, groups=2)
        each = TTestIndPower().solve_power(difference / sd, alpha=alpha, power=power)
        assert apart.needed == 2 * math.ceil(round(float(np.ravel(each)[0]), 6))
        assert [one.difference for one in apart.differences] == [difference / 2, difference, 2 * difference]


BY_SPREAD = {
    "power": "128 queries",
    "classifier power": "128 items",
    "extraction power": "128 documents",
    "scores power": "128 units",
    "clicks power": "506 users",
}


@pytest.mark.parametrize("command", BY_SPREAD)
def test_every_subject_plans_without_data(command: str) -> None:
    words = [*command.split(), "--sd", "0.2", "--difference", "0.05"]
    done = invoke(words, catch_exceptions=False)
    assert f"To detect a difference of 0.05: {BY_SPREAD[command]}\n" in done.stdout
    assert json.loads(invoke([*words, "--json"], catch_exceptions=False).stdout)["kind"] == "plan"
    for further in (["-m", "AP"], ["-b", "words"], ["--permutations", "1000"]):
        refused = invoke([*words, *further])
        assert "a plan without data has none" in str(refused.exception)
    assert "to plan without data, state --sd and --difference" in str(invoke(command.split()).exception)
    assert "--difference is missing" in str(invoke([*command.split(), "--sd", "0.2"]).exception)


def test_a_spread_is_refused_where_there_are_data() -> None:
    with_runs = invoke(["power", QRELS, *RUNS, "--sd", "0.2", "--difference", "0.1"])
    assert "these have a spread of their own" in str(with_runs.exception)
    assert "leave QRELS out" in str(invoke(["power", QRELS, "--sd", "0.2", "--difference", "0.1"]).exception)
    with pytest.raises(ParameterError, match="sd is for a plan without data"):
        plan(QRELS, RUNS, sd=0.2)  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="groups is 1"):
        plan(difference=0.1, sd=0.2, groups=3)  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="sd is missing"):
        plan(difference=0.1)  # type: ignore[call-overload]
