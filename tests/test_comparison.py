"""`compare`: the whole way from judgments, runs or scores to a verdict, and what is refused on it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from documents import json_of
from scipy import stats
from shared_data import shared

from assay import InputError, ParameterError, Scores, compare, evaluate
from assay.core import words as names
from assay.stats.tests import SIMULTANEOUS, TESTS
from assay.stats.verdict import CORRECTIONS
from assay.verbs.comparison.findings import pairs_of
from assay.verbs.sections.methods import family, method
from assay.verbs.sections.sentences import sentences


def scores(**systems: Sequence[float | None]) -> Scores:
    """A table of scores on the same units."""
    rows = [
        (name, "AP", "query", f"q{unit}", value, None if value is not None else "no value")
        for name, values in systems.items()
        for unit, value in enumerate(values)
    ]
    return Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row"))


def noisy(seed: int, units: int = 40, shift: float = 0.0, noise: float = 0.05) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    first = rng.uniform(0.2, 0.8, units)
    return first.tolist(), np.clip(first + rng.normal(shift, noise, units), 0, 1).tolist()


QRELS = {f"q{n}": {"good": 2, "fair": 1, "bad": 0} for n in range(12)}
FIRST = {f"q{n}": {"bad": 3.0, "good": 2.0, "fair": 1.0} for n in range(12)}
VARIED = {f"q{n}": {"bad": 3.0, "good": 2.0 if n % 2 else 4.0} for n in range(12)}
SECOND = {f"q{n}": {"good": 3.0, "fair": 2.0, "bad": 1.0} for n in range(12)}


def test_a_difference_its_test_and_its_effect_are_those_of_scipy() -> None:
    first, second = noisy(1, shift=0.03)
    found = compare(scores(a=first, b=second), test="t").findings[0]
    difference = np.subtract(second, first)
    assert found.difference == pytest.approx(difference.mean())
    assert found.p == pytest.approx(stats.ttest_rel(second, first).pvalue)
    assert found.d_z == pytest.approx(difference.mean() / difference.std(ddof=1))
    assert found.spread == pytest.approx(difference.std(ddof=1))
    assert sum(found.wins) == 40


def test_the_baseline_comes_first_and_differences_are_what_the_other_gains() -> None:
    comparison = compare(QRELS, {"first": FIRST, "second": SECOND}, measures="RR", baseline="second")
    found = comparison.finding()
    assert (found.baseline, found.system) == ("second", "first")
    assert found.difference == pytest.approx(0.5 - 1.0)
    assert found.verdict.word == "worse"


def test_an_evaluation_gives_what_its_parts_give() -> None:
    runs = {"first": FIRST, "second": SECOND}
    from_evaluation = compare(evaluate(QRELS, runs, ["RR", "nDCG@3"]))
    from_parts = compare(QRELS, runs, measures=["RR", "nDCG@3"])
    assert from_evaluation.to_frame().equals(from_parts.to_frame())
    assert from_evaluation.measures == ("RR", "nDCG@3")


def test_bare_scores_give_the_same_statistics_and_say_what_is_left_out() -> None:
    evaluation = evaluate(QRELS, {"varied": VARIED, "second": SECOND}, "RR")
    whole, bare = compare(evaluation).finding(), compare(evaluation.scores).finding()
    assert repr(bare[:18]) == repr(whole[:18])  # NaN is not equal to itself
    assert (bare.reach, bare.noticed) == (None, None)
    assert any("from scores alone" in note for note in compare(evaluation.scores).notes)


def test_a_file_of_scores_is_read() -> None:
    text = evaluate(QRELS, {"varied": VARIED, "second": SECOND}, ["RR", "AP"]).to_csv(per_query=True)
    comparison = compare(io.StringIO(text), measures="RR")
    assert comparison.measures == ("RR",)
    assert comparison.finding().difference == pytest.approx(1 - 0.75)


def test_every_word_of_the_verdict_comes_out_of_data() -> None:
    base, same = noisy(2, noise=0.001)
    _, better = noisy(2, shift=0.2)
    few = compare(scores(a=base[:4], b=better[:4])).finding().verdict
    words = {
        "identical": compare(scores(a=base, b=base)).finding().verdict.word,
        "equivalent": compare(scores(a=base, b=same)).finding().verdict.word,
        "better": compare(scores(a=base, b=better)).finding().verdict.word,
        "worse": compare(scores(a=better, b=base)).finding().verdict.word,
        "inconclusive": few.word,
    }
    assert all(word == said for word, said in words.items()), words
    negligible = compare(scores(a=base, b=[value + 0.002 for value in base])).finding().verdict
    assert (negligible.word, negligible.negligible) == ("equivalent", True)
    assert compare(scores(a=noisy(3)[0], b=noisy(3, noise=0.1)[1])).finding().verdict.word == "inconclusive"


def test_unjudged_documents_that_could_turn_the_difference_round_are_named() -> None:
    unknown = {query: {"new": 3.0, "good": 2.0} for query in QRELS}
    quite_unknown = {query: {"new": 3.0, "newer": 2.0} for query in QRELS}
    found = compare(QRELS, {"first": FIRST, "unknown": quite_unknown}, measures="P@2").finding()
    assert (found.difference, found.verdict.word, found.verdict.unjudged) == (-0.5, "worse", 24)
    assert found.reach is not None
    assert (found.reach.low, found.reach.high) == pytest.approx((-0.5, 0.5))
    alike = compare(QRELS, {"first": FIRST, "unknown": unknown}, measures="P@1")
    assert (alike.finding().verdict.word, alike.finding().verdict.unjudged) == ("identical", 12)
    assert "12 documents within reach of the measure have no judgment" in next(iter(sentences(alike)))
    judged_well = compare(QRELS, {"first": FIRST, "second": SECOND}, measures="P@1").finding()
    assert judged_well.verdict.unjudged == 0


def test_the_margin_is_a_share_of_the_range_or_of_the_baseline_and_is_said() -> None:
    bounded = compare(QRELS, {"a": FIRST, "b": SECOND}, measures="RR").finding().margin
    unbounded = compare(QRELS, {"a": FIRST, "b": SECOND}, measures="DCG").finding()
    given = compare(QRELS, {"a": FIRST, "b": SECOND}, measures="RR", margin=0.05).finding().margin
    assert (bounded.value, bounded.says) == (0.01, "0.01 of the measure's range")
    assert unbounded.margin.value == pytest.approx(0.01 * unbounded.baseline_value)
    assert (given.value, given.says) == (0.05, "as asked for")


@in_turn(("before", "after"), [(10, 20), (5, 10)])
def test_a_hundred_per_cent_better_is_told_with_the_queries_that_change(before: int, after: int) -> None:
    """Worked example R14: 10 or 5 of 100 queries are behind the same relative change."""
    qrels = {f"q{n}": {"good": 1} for n in range(100)}
    runs = {
        name: {f"q{n}": {"good" if n < right else "bad": 1.0} for n in range(100)}
        for name, right in (("old", before), ("new", after))
    }
    comparison = compare(qrels, runs, measures="P@1")
    found = comparison.finding()
    assert (found.difference, found.relative) == pytest.approx(((after - before) / 100, 1.0))
    said = str(comparison)
    assert f"+{(after - before) / 100:.4f} (+100.0%)" in said
    assert f"higher for {after - before}, the same for {100 - (after - before)} and lower for 0 of 100 queries" in said


def test_geometric_means_are_compared_on_their_scale_and_tested_on_logarithms() -> None:
    rng = np.random.default_rng(5)
    qrels = {f"q{n}": {f"d{i}": int(rng.integers(0, 2)) for i in range(10)} | {"d0": 1} for n in range(20)}
    runs = {name: {query: {f"d{i}": float(rng.random()) for i in range(10)} for query in qrels} for name in ("a", "b")}
    evaluation = evaluate(qrels, runs, "GMAP")
    found = compare(evaluation, test="t").finding()
    assert found.difference == pytest.approx(evaluation.mean("GMAP", "b") - evaluation.mean("GMAP", "a"))
    values = [evaluation.scores.of(name, "GMAP")["value"].to_numpy() for name in ("a", "b")]
    assert found.p == pytest.approx(stats.ttest_rel(np.log(values[1]), np.log(values[0])).pvalue)
    assert found.interval.low < found.difference < found.interval.high


def test_micro_averages_are_compared_by_recounting() -> None:
    measure = "SetP(average='micro')"
    rng = np.random.default_rng(6)
    qrels = {f"q{n}": {f"d{i}": int(rng.integers(0, 2)) for i in range(8)} for n in range(30)}
    runs = {
        name: {q: {f"d{i}": 1.0 - i / 10 for i in range(int(rng.integers(2, 8)))} for q in qrels} for name in ("a", "b")
    }
    evaluation = evaluate(qrels, runs, measure)
    found = compare(evaluation).finding()
    assert found.difference == pytest.approx(evaluation.mean(measure, "b") - evaluation.mean(measure, "a"))
    assert found.interval.low < found.difference < found.interval.high
    assert 0 < found.p <= 1
    with pytest.raises(ParameterError, match="its test is permutation, not t"):
        compare(evaluation, test="t")


def test_pairs_against_one_baseline_several_or_all() -> None:
    names = ["a", "b", "c"]
    assert pairs_of(names, "b").pairs == ((1, 0), (1, 2))
    assert pairs_of(names, ["a", "b"]).pairs == ((0, 1), (0, 2), (1, 2))
    assert pairs_of(names).pairs == ((0, 1), (0, 2), (1, 2))
    assert pairs_of(names[:2]).pairs == ((0, 1),)


def test_the_family_decides_how_much_is_corrected() -> None:
    first, second = noisy(7, shift=0.02)
    table = scores(a=first, b=second, c=noisy(8)[0])
    two = Scores(pl.concat([table.frame, table.frame.with_columns(measure=pl.lit("RR"))]))
    alone = compare(two, baseline="a", correction="bonferroni")
    together = compare(two, baseline="a", correction="bonferroni", family="all")
    plain = compare(two, baseline="a", correction="none")
    for one, other, raw in zip(alone.findings, together.findings, plain.findings, strict=True):
        assert one.p == pytest.approx(min(1, 2 * raw.p), rel=0.02)
        assert other.p == pytest.approx(min(1, 4 * raw.p), rel=0.02)
    assert family(alone).endswith("over 2 comparisons with a, measure by measure")
    assert family(together).endswith("over 2 comparisons with a, under 2 measures together")


def test_groups_of_many_systems_follow_the_pairs() -> None:
    rng = np.random.default_rng(9)
    easy = rng.uniform(0.1, 0.5, 40)
    table = scores(**{f"s{n}": (easy + 0.1 * (n // 2) + rng.normal(0, 0.02, 40)).tolist() for n in range(6)})
    comparison = compare(table)
    standing = comparison.standing()
    assert [one.groups for one in standing] == [("a",), ("a",), ("b",), ("b",), ("c",), ("c",)]
    assert [one.value for one in standing] == sorted((one.value for one in standing), reverse=True)


def test_results_are_the_same_for_a_seed_and_others_for_another() -> None:
    first, second = noisy(10, shift=0.01)
    table = scores(a=first, b=second)
    one, again, other = (compare(table, seed=seed).finding() for seed in (1, 1, 2))
    assert one == again
    assert one.p != other.p or one.interval != other.interval


@in_turn("test", [*TESTS, *SIMULTANEOUS])
def test_every_test_can_be_chosen_and_is_named(test: str) -> None:
    rng = np.random.default_rng(11)
    comparison = compare(scores(**{name: rng.uniform(0, 1, 12).tolist() for name in "abc"}), test=test)
    assert all(0 <= one.p <= 1 for one in comparison.findings)
    assert method(comparison).startswith(names.TESTS[test][:4].capitalize())


@in_turn("correction", CORRECTIONS)
def test_every_correction_can_be_chosen_and_is_named(correction: str) -> None:
    table = scores(a=noisy(1)[0], b=noisy(1)[1], c=noisy(2)[0])
    assert names.CORRECTIONS[correction] in method(compare(table, correction=correction))


def test_rounding_is_no_difference() -> None:
    found = compare(scores(a=[0.1 + 0.2] * 8 + [0.5], b=[0.3] * 8 + [0.5])).finding()
    assert (found.verdict.word, found.p, found.wins) == ("identical", 1.0, (0, 9, 0))


def test_what_was_drawn_is_what_is_said() -> None:
    first, second = noisy(12)
    assert compare(scores(a=first, b=second), test="t").settings.resamples is None
    drawn = compare(scores(a=first, b=second), resamples=500, bootstrap_resamples=100)
    assert (drawn.settings.resamples, drawn.settings.bootstrap_resamples) == (500, 100)
    assert "(500 random swaps)" in method(drawn)
    exact = compare(scores(**{f"s{n}": noisy(n)[0][:10] for n in range(9)}))
    assert exact.settings.resamples is None
    assert "exact: all 2^10 swaps" in method(exact)


def test_slices_have_their_own_findings_whatever_the_systems_are_called() -> None:
    first, second = noisy(13, shift=0.1)
    comparison = compare(scores(p=first, low=second))
    halves = comparison.slices({f"q{unit}": "early" if unit < 20 else "late" for unit in range(40)})
    assert halves["slice"].to_list() == ["early", "late"]
    assert halves["value_p"].to_list() == pytest.approx([np.mean(first[:20]), np.mean(first[20:])])
    assert halves["difference"].mean() == pytest.approx(comparison.finding().difference)
    whole = compare(scores(p=first[:20], low=second[:20]))
    assert halves["low"][0] == pytest.approx(whole.finding().interval.low)


def test_documents_are_bounded_and_can_be_judged() -> None:
    unknown = {query: {"new": 3.0, "good": 2.0} for query in QRELS}
    comparison = compare(QRELS, {"first": FIRST, "unknown": unknown}, measures="P@1")
    assert comparison.bounds().select("value", "low", "high").rows() == [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    assert comparison.judge_next(3).height == 3
    assert comparison.judge_next(3)["effect"].to_list() == pytest.approx([1 / 12] * 3)


def test_a_comparison_can_be_written_in_every_form() -> None:
    comparison = compare(QRELS, {"first": FIRST, "second": SECOND}, measures=["RR", "P@1"])
    payload = json_of(comparison)
    assert payload["findings"]["findings"][0]["verdict"] == "better"
    assert payload["method"]["settings"]["seed"] == 0
    assert "second is better than first under RR" in str(comparison)
    assert "| RR | 0.5000 | 1.0000 | +0.5000 |" in comparison.to_markdown()
    assert r"\toprule" in comparison.to_latex()
    assert "<table>" in comparison._repr_html_()
    assert comparison.to_csv().startswith("measure,baseline,system")
    assert comparison.to_pandas()["difference"].tolist() == pytest.approx(comparison.to_frame()["difference"].to_list())


@in_turn(
    ("given", "settings", "message"),
    [
        (scores(a=[0.1, 0.2]), {}, "a comparison takes at least two systems"),
        (scores(a=[0.1], b=[0.2]), {}, "AP: expected at least 2 queries that all systems have, got 1"),
        (scores(a=[0.1, float("nan")], b=[0.2, 0.1]), {}, "AP of a on q1: expected a number, or null, got nan"),
        (scores(a=[0.1, 1e140], b=[0.2, 0.1]), {}, "AP of a on q1: expected a number of at most 1e+90, got 1e+140"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"baseline": "c"}, "choose a baseline of a, b, not 'c'"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"measures": "RR"}, "the scores are of AP, not of RR"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"test": "permutations"}, "did you mean permutation?"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"correction": "holmes"}, "did you mean holm?"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"alpha": 0.5}, "alpha is a number between 0 and 0.5"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"margin": 0.0}, "the margin is a number above 0"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"ties": "expected"}, "'ties' is a rule of evaluation"),
        (scores(a=[0.1, 0.2], b=[0.2, 0.1]), {"baseline": "a", "all_pairs": True}, "choose a baseline, or all pairs"),
    ],
)
def test_bad_input_is_refused_in_a_line(given: Scores, settings: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, ParameterError)) as problem:
        compare(given, **settings)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_systems_without_a_common_unit_are_refused() -> None:
    rows = [("a", "AP", "query", "q1", 0.5, None), ("b", "AP", "query", "q2", 0.5, None)]
    with pytest.raises(InputError, match="the systems a, b have no query in common"):
        compare(Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row")))


def test_scores_that_never_vary_are_refused_and_perfect_systems_are_identical() -> None:
    with pytest.raises(InputError, match="expected one score per query, got the same scores for all 3 queries"):
        compare(scores(a=[0.5, 0.5, 0.5], b=[0.7, 0.7, 0.7]))
    perfect = compare(QRELS, {"one": SECOND, "other": SECOND}, measures="RR")
    assert perfect.finding().verdict.word == "identical"


def test_two_numbers_for_one_unit_are_refused() -> None:
    table = scores(a=[0.1, 0.2], b=[0.2, 0.1]).frame
    with pytest.raises(InputError, match="AP of a on q0: expected one number, got two"):
        compare(Scores(pl.concat([table, table.head(1)])))


def test_all_pairs_of_a_real_track(tmp_path: Path) -> None:
    """Of every sixth system, as all of them make 8,256 pairs."""
    table = pl.read_csv(shared("system-topic-scores", "adhoc8_ap.named.csv"))
    path = tmp_path / "scores.csv"
    table.select(table.columns[::6]).write_csv(path)
    comparison = compare(path, measures="AP")
    assert len(comparison.findings) == 22 * 21 / 2
    means = pl.read_csv(path).mean().row(0)
    assert comparison.standing()[0].value == pytest.approx(max(means))
    apart = [one.p < 0.05 for one in comparison.findings]
    assert 0.2 < np.mean(apart) < 0.8


def test_the_runs_of_a_real_track() -> None:
    folder = shared("trec-covid-r1")
    runs = sorted((folder / "runs").iterdir())[:3]
    qrels = next(path for path in folder.iterdir() if "qrels" in path.name)
    comparison = compare(qrels, [str(run) for run in runs], measures=["AP", "nDCG@10"])
    assert len(comparison.findings) == 2 * 3
    assert all(one.noticed is not None for one in comparison.findings)
