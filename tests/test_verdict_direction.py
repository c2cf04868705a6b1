"""A verdict never contradicts its test: what a test finds counts only where it points the way the difference does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from documents import json_of, lines_of
from reported import contents_of

import assay

#: Small gains on 18 units and large losses on 2: the mean is a loss, and most units are gains.
MANY_SMALL_GAINS = [0.02] * 18 + [-0.9] * 2
TESTS = ["permutation", "bootstrap", "t", "wilcoxon", "sign"]


def scores(differences: Any, measure: str = "AP") -> assay.Scores:
    """System `a` with some numbers, and `b`, which differs from it by these."""
    rows = []
    for place, difference in enumerate(differences):
        start = 0.9 - 0.001 * place
        rows += [("a", measure, "query", f"q{place:03}", start, None)]
        rows += [("b", measure, "query", f"q{place:03}", start + float(difference), None)]
    return assay.Scores(pl.DataFrame(rows, schema=assay.Scores.SCHEMA, orient="row"))


def quick(differences: Any, **settings: Any) -> assay.Comparison:
    drawn = {} if settings.get("test") in {"t", "wilcoxon", "sign"} else {"resamples": 2000}  # those draw nothing
    return assay.compare(scores(differences), **{**drawn, "bootstrap_resamples": 500, **settings})


def finding(differences: Any, **settings: Any) -> Any:
    return quick(differences, **settings).findings[0]


@in_turn("test", ["sign", "wilcoxon"])
def test_most_units_gain_and_the_mean_is_a_loss_so_there_is_no_verdict(test: str) -> None:
    compared = quick(MANY_SMALL_GAINS, test=test)
    one = compared.findings[0]
    assert one.p < 0.01
    assert one.difference == pytest.approx((18 * 0.02 - 2 * 0.9) / 20)
    assert (one.verdict.word, one.verdict.conflict) == ("inconclusive", "direction")
    said = lines_of(compared, "sentences")[0]
    assert "The test and the mean do not point the same way: the mean is lower" in said
    assert "The value is higher for 18" in said


@in_turn("test", TESTS)
@in_turn("mirrored", [1, -1])
def test_better_and_worse_always_agree_with_the_test_and_with_the_mean(test: str, mirrored: int) -> None:
    """On random differences, with which way each test points worked out here once more."""
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(25):
        units = int(rng.integers(8, 25))
        differences = mirrored * np.where(
            rng.random(units) < 0.2, -rng.uniform(0, 0.9), rng.uniform(0.005, 0.05, units)
        )
        one = finding(differences, test=test)
        ranks = np.argsort(np.argsort(np.abs(differences))) + 1
        points = {"sign": np.sign(differences).sum(), "wilcoxon": (np.sign(differences) * ranks).sum()}
        way = np.sign(points.get(test, differences.mean()))
        seen.add(one.verdict.word)
        if one.verdict.word in {"better", "worse"}:
            assert one.p < 0.05
            assert np.sign(one.difference) == way == (1 if one.verdict.word == "better" else -1)
        elif one.p < 0.05 and one.verdict.word == "inconclusive":
            assert one.verdict.conflict == "direction"
            assert np.sign(one.difference) != way
    assert "inconclusive" in seen


def test_a_mean_of_zero_is_neither_better_nor_worse_whatever_the_test_finds() -> None:
    one = finding([0.05] * 18 + [-0.45] * 2, test="sign")
    assert one.p < 0.001
    assert one.difference == 0
    assert (one.verdict.word, one.verdict.conflict) == ("inconclusive", "direction")


def test_systems_that_a_test_and_the_mean_disagree_about_share_a_letter() -> None:
    frames = [
        scores(MANY_SMALL_GAINS).frame,
        scores([0.3] * 20).frame.filter(system="b").with_columns(system=pl.lit("c")),
    ]
    compared = assay.compare(assay.Scores(pl.concat(frames)), test="sign", bootstrap_resamples=200)
    letters = {one.system: set(one.groups) for one in compared.standing("AP")}
    assert letters["a"] & letters["b"]
    assert not letters["a"] & letters["c"]


def test_with_fewer_than_five_units_systems_are_not_told_apart_in_any_table() -> None:
    frames = [scores([0.1, 0.101, 0.102, 0.099]).frame]
    frames.append(scores([0.3, 0.302, 0.299, 0.301]).frame.filter(system="b").with_columns(system=pl.lit("c")))
    compared = assay.compare(assay.Scores(pl.concat(frames)), test="t", bootstrap_resamples=200)
    assert all(one.p < 0.05 and one.verdict.word == "inconclusive" for one in compared.findings)
    assert all(one.groups == ("a",) for one in compared.standing("AP"))


def test_an_interval_beside_zero_and_a_large_p_are_explained_by_the_other_comparisons() -> None:
    spread = np.linspace(-1, 1, 40)
    error = spread.std(ddof=1) / np.sqrt(40)
    moved = spread + 2.5 * error  # t = 2.5: p is about 0.017 alone, and three times that for three comparisons
    frames = [scores(0.2 * moved).frame]
    for name, others in (("c", np.roll(spread, 7)), ("d", np.roll(spread, 13))):
        frames.append(scores(0.2 * others).frame.filter(system="b").with_columns(system=pl.lit(name)))
    compared = assay.compare(assay.Scores(pl.concat(frames)), baseline="a", correction="bonferroni", test="t")
    clashing = [one for one in compared.findings if one.outcome.p < 0.05 <= one.p and one.interval.is_beside_zero]
    assert clashing
    for one in clashing:
        assert (one.verdict.word, one.verdict.conflict) == ("inconclusive", "interval only")
        said = next(line for line in lines_of(compared) if f"between {one.system} and a" in line)
        assert "it is of this comparison alone; p is corrected for the others" in said


def test_too_few_units_that_differ_explain_a_large_p() -> None:
    compared = quick([0.0] * 15 + [0.3, 0.35, 0.3, 0.25, 0.3], test="permutation")  # 2 of 2^5 swaps: p = 0.0625
    one = compared.findings[0]
    assert one.p == pytest.approx(2 / 2**5)
    assert (one.interval.is_beside_zero, one.verdict.conflict) == (True, "interval only")
    assert "The interval excludes 0, but only 5 queries differ" in lines_of(compared, "sentences")[0]


def test_a_test_without_p_says_so_beside_an_interval_that_excludes_zero() -> None:
    compared = quick([0.125] * 8, test="t")
    assert np.isnan(compared.findings[0].p)
    assert compared.findings[0].verdict.word == "inconclusive"


@in_turn("test", TESTS)
def test_where_test_and_interval_disagree_that_is_data_and_a_sentence(test: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(15):
        compared = quick(rng.choice([0.0, 0.0, 0.1, 0.2, -0.1, 0.5], 12), test=test)
        one = compared.findings[0]
        if one.all_zero or np.isnan(one.p):
            continue
        sure, beside = one.p < 0.05, one.interval.is_beside_zero
        agrees = one.outcome.sign is None or one.outcome.sign * one.difference > 0
        expected = "direction" if sure and not agrees else None
        if expected is None and sure != beside:
            expected = "test only" if sure else "interval only"
        assert one.verdict.conflict == expected
        written = json_of(compared)["findings"]["findings"][0]
        assert written["conflict"] == expected
        explained = any(
            words in lines_of(compared, "sentences")[0] for words in ("The test decides", "there is no verdict")
        )
        assert explained == (expected is not None)


def test_what_cannot_be_told_says_what_the_margin_and_the_difference_observed_would_take() -> None:
    rng = np.random.default_rng(2)
    differences = np.concatenate([rng.normal(0.03, 0.12, 25)])
    compared = quick(differences, margin=0.01)
    one = compared.findings[0]
    assert one.verdict.word == "inconclusive"
    again = assay.plan(scores(differences), difference=abs(one.difference), resamples=1000).measures[0].pairs[0]
    assert one.needed_observed == again.needed
    assert one.needed is not None
    said = lines_of(compared, "sentences")[0]
    assert f"Detecting a 0.01 gain would take about {one.needed:,}; the gain observed (0.0" in said
    assert f"), about {one.needed_observed:,}." in said


def test_slices_and_reports_follow_the_same_rule() -> None:
    compared = quick(MANY_SMALL_GAINS + MANY_SMALL_GAINS, test="sign", margin=0.001)
    halves = {f"q{place:03}": "first" if place < 20 else "second" for place in range(40)}
    sliced = compared.slices(halves)
    assert sliced["verdict"].to_list() == ["inconclusive"] * 2
    assert sliced["conflict"].to_list() == ["direction"] * 2
    report = assay.make_report(scores(MANY_SMALL_GAINS), test="sign")
    [card] = contents_of(report).verdicts
    assert (card.tone, card.word, card.conflict) == ("open", "inconclusive", "direction")
    for text in (report.to_html(), report.to_markdown(), report.to_latex(), " ".join(contents_of(report).summary)):
        assert "do not point the same way" in text


def test_the_test_of_5x2_folds_must_agree_with_the_mean_of_all_folds() -> None:
    """Alpaydin's F rejects where repeats differ from one another."""
    items = 100  # in a fold
    truth = np.tile([0, 1], items * 5)
    # The first repeat gains 10 %, the four others lose as much, both folds of a repeat nearly the same.
    wrong = {"old": np.full((5, 2), 20), "new": 20 + np.array([[-10], [10], [10], [10], [10]]) + [0, 1]}
    systems = {}
    for name, counts in wrong.items():
        predicted = truth.copy()
        for place, count in enumerate(counts.ravel()):
            predicted[place * items : place * items + count] ^= 1
        systems[name] = assay.Predictions.of(truth, predicted, item_id=[str(place) for place in range(len(truth))])
    fold, repeat = np.tile(np.repeat([1, 2], items), 5), np.repeat(np.arange(1, 6), 2 * items)
    result = assay.crossval(systems, fold=fold, repeat=repeat, measures="Accuracy").compare(test="5x2cv")
    one = result.finding()
    assert one.difference == pytest.approx((wrong["old"] - wrong["new"]).mean() / items)
    assert one.difference < 0
    assert one.p < 0.05
    assert (one.verdict.word, one.verdict.conflict) == ("inconclusive", "direction")
    assert "The test and the mean do not point the same way" in lines_of(result, "sentences")[0]
    assert json_of(result)["findings"]["findings"][0]["conflict"] == "direction"


def test_the_command_does_not_say_worse_where_most_topics_gain(tmp_path: Path) -> None:
    scores(MANY_SMALL_GAINS).frame.select("system", "measure", "unit", "value").write_csv(tmp_path / "s.csv")
    for test in ("sign", "wilcoxon"):
        done = run_assay("scores", "compare", "s.csv", "--test", test, "--json", folder=tmp_path)
        written = json.loads(done.stdout)["sections"]["findings"]["findings"][0]
        assert (written["verdict"], written["conflict"]) == ("inconclusive", "direction")
        assert "point in different ways" in written["why"]
