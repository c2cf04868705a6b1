"""Rank correlation: the definitions by brute force, published values, SciPy as oracle, and the verb on real systems."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from shared_data import shared
from strategies import quickly

import assay
from assay import InputError, ParameterError, correlate, explain, read_scores
from assay.measures.counting.orders import Comparisons
from assay.stats.correlation import COEFFICIENTS, kendall, pearson, row_by_row, spearman, tau_ap
from assay.stats.overlap import rbo

TEA = Path(__file__).parents[1] / "src" / "assay" / "data" / "tea"
RUNS = [str(TEA / f"{name}.run") for name in ("alphabet", "words", "stems")]
approx = pytest.approx
# Few different numbers, so that there are ties.
LISTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12)

# Ten numbers with and without ties from the tests of pyircor, which gives 0.8519 and 0.7454.
TRUE = [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992]
ESTIMATED = [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988]
ESTIMATED_WITH_TIES = [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1]


def slow_tau_ap(first: list[float], second: list[float]) -> float:
    """Down the second list, the share of items above that belong there; without ties."""
    order = sorted(range(len(first)), key=lambda item: -second[item])
    shares = [
        sum(first[above] > first[item] for above in order[:rank]) / rank for rank, item in enumerate(order) if rank
    ]
    return 2 * sum(shares) / len(shares) - 1


def broken(numbers: list[float]) -> list[list[float]]:
    """All ways to break the ties of a list."""
    groups = [[i for i, number in enumerate(numbers) if number == value] for value in sorted(set(numbers))]
    ways = []
    for orders in product(*(permutations(group) for group in groups)):
        place = {item: rank for rank, item in enumerate(item for order in orders for item in order)}
        ways.append([float(place[item]) for item in range(len(numbers))])
    return ways


def test_spearman_without_ties_is_the_textbook_formula() -> None:
    first, second = [86, 97, 99, 100, 101, 103, 106, 110, 112, 113], [2, 20, 28, 27, 50, 29, 7, 17, 6, 12]
    d2 = sum((a - b) ** 2 for a, b in zip(stats.rankdata(first), stats.rankdata(second), strict=True))
    assert d2 == 194
    assert spearman(first, second).value == approx(1 - 6 * 194 / (10 * (10**2 - 1)))


@given(LISTS)
@quickly
def test_coefficients_agree_with_scipy_with_and_without_ties(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(numbers, dtype=float) for numbers in zip(*pairs, strict=True))
    found = [coefficient(first, second).value for coefficient in (pearson, spearman, kendall)]
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert all(map(math.isnan, found))
        return
    oracles = [stats.pearsonr, stats.spearmanr, stats.kendalltau] if len(first) > 2 else [stats.spearmanr] * 3
    assert found == approx([oracle(first, second).statistic for oracle in oracles])
    agree = sum(
        int(np.sign((first[i] - first[j]) * (second[i] - second[j]))) for i, j in combinations(range(len(first)), 2)
    )
    lists = [dict(enumerate(numbers.tolist())) for numbers in (first, second)]
    assert explain("tau", *lists).value == approx(agree / math.comb(len(first), 2))


@given(st.permutations(range(7)))
@quickly
def test_tau_ap_is_the_share_of_items_that_belong_above(order: list[int]) -> None:
    first, second = [float(n) for n in range(7)], [float(n) for n in order]
    assert tau_ap(first, second).value == approx(slow_tau_ap(first, second))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5))
@quickly
def test_tau_ap_with_ties_is_the_mean_over_all_ways_to_break_them(pairs: list[tuple[int, int]]) -> None:
    first, second = ([float(n) for n in numbers] for numbers in zip(*pairs, strict=True))
    if len(set(first)) == 1 or len(set(second)) == 1:
        return
    every = [slow_tau_ap(one, other) for one in broken(first) for other in broken(second)]
    assert tau_ap(first, second).value == approx(np.mean(every))


def test_tau_ap_gives_the_published_values() -> None:
    assert tau_ap(TRUE, ESTIMATED).value == approx(0.8519, abs=5e-5)
    assert tau_ap(TRUE, ESTIMATED_WITH_TIES).value == approx(0.7454, abs=5e-5)
    assert "ties" in tau_ap(TRUE, ESTIMATED_WITH_TIES).note


def test_errors_at_the_top_weigh_more_in_tau_ap_alone() -> None:
    reference = list(range(10, 0, -1))
    top, bottom = [9, 10, *range(8, 0, -1)], [*range(10, 2, -1), 1, 2]
    assert kendall(reference, top).value == kendall(reference, bottom).value
    assert tau_ap(reference, top).value < tau_ap(reference, bottom).value


def test_intervals_are_on_fishers_scale_with_the_variances_named() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=30)
    second = first + rng.normal(size=30)
    for coefficient, variance in (
        (pearson, lambda _: 1 / 27),
        (spearman, lambda r: (1 + r**2 / 2) / 27),
        (kendall, lambda _: 0.437 / 26),
    ):
        found = coefficient(first, second, 0.9)
        reach = stats.norm.ppf(0.95) * math.sqrt(variance(found.value))
        assert np.arctanh([found.low, found.high]) == approx(np.arctanh(found.value) + np.array([-reach, reach]))
    wanted = stats.pearsonr(first, second).confidence_interval(0.9)
    assert pearson(first, second, 0.9)[2:4] == approx(tuple(wanted))


@in_turn("items", [15, 40])
def test_intervals_cover_about_as_often_as_they_say(items: int) -> None:
    """Two normal numbers with correlation 0.9: tau and rho of the population follow; tau_AP's mean is simulated."""
    rng = np.random.default_rng(items)

    def drawn(lists: int) -> tuple[np.ndarray, np.ndarray]:
        first = rng.normal(size=(lists, items))
        return first, 0.9 * first + math.sqrt(1 - 0.9**2) * rng.normal(size=(lists, items))

    truth = {
        "Kendall's tau-b": 2 / math.pi * math.asin(0.9),
        "tau_AP": float(row_by_row(*drawn(4000))["tau_AP"].mean()),
        "Spearman's rho": 6 / math.pi * math.asin(0.45),
        "Pearson's r": 0.9,
    }
    first, second = drawn(200)
    for coefficient in (kendall, tau_ap, spearman, pearson):
        found = [coefficient(one, other) for one, other in zip(first, second, strict=True)]
        covered = np.mean([one.low <= truth[one.name] <= one.high for one in found])
        assert 0.91 <= covered <= 0.995, (found[0].name, covered)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=8))
@quickly
def test_many_lists_at_once_are_the_same_as_one_by_one(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array([numbers, numbers[::-1]], dtype=float) for numbers in zip(*pairs, strict=True))
    found = row_by_row(first, second)
    for coefficient in (kendall, tau_ap, spearman, pearson):
        for row in range(2):
            one = coefficient(first[row], second[row])
            assert found[one.name][row] == approx(one.value, nan_ok=True, abs=1e-12)


def test_what_has_no_coefficient_or_no_interval_says_why() -> None:
    assert kendall([1, 1, 1], [1, 2, 3]).note == "all numbers of the first list are the same"
    assert spearman([1], [2]).note == "no order with fewer than 2 items"
    assert pearson([1, 2, 4], [1, 3, 2]).note == "no interval with fewer than 4 items"
    assert kendall(range(9), range(9))[1:4] == approx((1.0, math.nan, math.nan), nan_ok=True)
    assert tau_ap(range(20), [1, 0, *range(2, 20)]).note.startswith("no interval: the agreement is perfect, but")
    with pytest.raises(ParameterError, match="equally long"):
        pearson([1, 2], [1, 2, 3])
    with pytest.raises(ParameterError, match="1 item of 3 without a number"):
        spearman([1, math.nan, 2], [1, 2, 3])
    with pytest.raises(ParameterError, match="two lists of numbers"):
        kendall(["a"], ["b"])
    with pytest.raises(ParameterError, match="level"):
        kendall([1, 2], [1, 2], 1.5)


def slow_rbo(first: list[int], second: list[int], p: float) -> tuple[float, float, float]:
    """The formulas of Webber, Moffat and Zobel (2010), (32), (11) by its series, and (30), sums written out."""
    s, n = sorted((len(first), len(second)))

    def x(depth: int) -> int:
        return len({*first[:depth]} & {*second[:depth]})

    def series(start: int, end: int) -> float:
        return sum(p**d / d for d in range(start, end + 1))

    seen = sum(x(d) / d * p**d for d in range(1, n + 1))
    beyond = sum(x(s) * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    extrapolated = (1 - p) / p * (seen + beyond) + ((x(n) - x(s)) / n + x(s) / s) * p**n
    least = (1 - p) / p * sum(x(d) / d * p**d for d in range(1, 3000))
    f = n + s - x(n)
    rest = s * series(s + 1, f) + n * series(n + 1, f) + x(n) * (math.log(1 / (1 - p)) - series(1, f))
    return extrapolated, least, p**s + p**n - p**f - (1 - p) / p * rest


@given(
    st.lists(st.integers(0, 11), unique=True, min_size=1, max_size=9),
    st.lists(st.integers(0, 11), unique=True, min_size=1, max_size=9),
    st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.98]),
)
@quickly
def test_rbo_is_what_the_formulas_give(first: list[int], second: list[int], p: float) -> None:
    found = rbo(first, second, p)
    assert found[:3] == approx(slow_rbo(first, second, p))
    assert found.least - 1e-12 <= found.extrapolated <= found.most + 1e-12


def test_rbo_of_the_papers_example_by_hand() -> None:
    """Lists a b c d e f g and z c a v w x y: overlaps 0 0 2 2 2 2 2, so shares 0, 0, 2/3, 2/4, 2/5, 2/6, 2/7."""
    shares = [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
    to_the_end = sum(0.1 * 0.9**depth * share for depth, share in enumerate(shares))
    assert rbo(list("abcdefg"), list("zcavwxy"), 0.9).extrapolated == approx(to_the_end + 2 / 7 * 0.9**7)


def test_rbo_refuses_what_is_no_ranking() -> None:
    for lists, p, why in (
        ((["a", "a"], ["b"]), 0.9, "the first ranking holds 'a' twice"),
        ((["a"], []), 0.9, "the second ranking is empty"),
        ((["a"], ["a"]), 1.0, "between 0 and 1"),
        (("ab", ["a"]), 0.9, "not the text"),
    ):
        with pytest.raises(ParameterError, match=why):
            rbo(lists[0], lists[1], p)


def test_lists_are_matched_by_name_and_what_is_left_out_is_said() -> None:
    found = correlate({"a": 3, "b": 2, "c": 1, "d": 9}, {"c": 5, "b": 4, "a": 9, "e": None}, names=("one", "two"))
    assert found.value("Kendall's tau-b") == approx(1 / 3)
    assert found.notes == ("2 items not in both of one and two, left out",)
    assert found.pairs[0].items["item"].to_list() == ["a", "b", "c"]
    assert found.pairs[0].items["movement"].to_list() == [0, -1, 1]
    assert correlate({"a": 1, "b": 2, "c": None}, {"a": 1, "b": 2, "c": 3}).notes == (
        "1 item without a number, left out",
    )


def test_rankings_of_the_same_items_get_all_coefficients_others_overlap_alone() -> None:
    same = correlate(["a", "b", "c"], ["b", "a", "c"])
    assert same.value("Kendall's tau-b") == approx(1 / 3)
    assert same.value("RBO(p=0.9)") == rbo(["a", "b", "c"], ["b", "a", "c"]).extrapolated
    other = correlate(["a", "b"], ["b", "x"], p=0.5)
    assert [one.name for one in other.pairs[0].coefficients] == ["RBO(p=0.5)"]
    assert "different items" in other.notes[0]


def test_two_measures_of_an_evaluation_come_with_the_topics_drawn_anew() -> None:
    evaluation = assay.evaluate(str(TEA / "qrels.txt"), RUNS, ["AP", "RR", "P@5"])
    found = correlate(evaluation, "AP", "RR", resamples=200)
    means = sorted((evaluation.mean("AP", system.name) for system in evaluation.systems), reverse=True)
    assert found.pairs[0].items["first"].to_list() == approx(means)
    assert set(found.pairs[0].with_other_units) == {one.name for one in found.pairs[0].coefficients}
    assert correlate(evaluation, "AP", "RR", resamples=0).pairs[0].with_other_units == {}
    assert str(found) == str(correlate(evaluation, "AP", "RR", resamples=200))
    assert len(correlate(evaluation, resamples=10).pairs) == 3


def test_smaller_numbers_of_a_measure_that_is_better_when_lower_rank_first() -> None:
    evaluation = assay.evaluate(str(TEA / "qrels.txt"), RUNS, ["AP", "Fallout"], collection_size=24, depth=5)
    found = correlate(evaluation, "AP", "Fallout", resamples=20)
    assert found.notes == ("Fallout: the smaller number is the better one",)
    assert found.value("Kendall's tau-b") > 0


def test_two_sets_of_judgments_and_two_sets_of_topics() -> None:
    evaluation = assay.evaluate(str(TEA / "qrels.txt"), RUNS, "AP")
    stricter = assay.evaluate(str(TEA / "qrels.txt"), RUNS, "AP", relevance_level=2)
    found = correlate(evaluation, stricter, names=("1 on", "2 on"), resamples=50)
    assert (found.pairs[0].first, found.pairs[0].second) == ("AP (1 on)", "AP (2 on)")
    halves = correlate(evaluation, measure="AP", units=(["t1", "t2", "t3"], ["t4", "t5"]), resamples=50)
    by_topic = evaluation.scores.of("stems", "AP")
    mean = by_topic.filter(by_topic["unit"].is_in(["t4", "t5"]))["value"].mean()
    assert halves.pairs[0].items.filter(item="stems")["second"].item() == approx(mean)
    split = correlate(evaluation, measure="AP", split=4, seed=3, resamples=0)
    assert split.pairs[0].first == "AP (4 drawn)"


def test_a_split_draws_from_the_topics_that_count_by_the_rules_of_the_evaluation() -> None:
    """t4 has no relevant document: it counts as 0, or is skipped, and then there are but three topics to draw from."""
    qrels = {"t1": {"d": 1}, "t2": {"d": 1}, "t3": {"d": 1}, "t4": {"d": 0}}
    runs = {name: {topic: {"d": score, "x": 1.0} for topic in qrels} for name, score in (("good", 2.0), ("poor", 0.0))}
    counted = correlate(assay.evaluate(qrels, runs, "AP"), measure="AP", split=2)
    assert sorted(counted.pairs[0].items.select("first", "second").row(0)) == [(1 + 0) / 2, (1 + 1) / 2]
    with pytest.raises(ParameterError, match="two sets of 1 to 1 of the 3 units, not 2"):
        correlate(assay.evaluate(qrels, runs, "AP", undefined="skip"), measure="AP", split=2)


def test_a_list_of_equal_numbers_has_no_coefficient_and_is_named() -> None:
    found = correlate({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 3}, names=("flat", "steep"))
    assert found.constant == ("flat",)
    assert {one.note for one in found.pairs[0].coefficients} == {"all numbers of the first list are the same"}
    assert all(math.isnan(one.value) for one in found.pairs[0].coefficients)
    assert correlate([1, 2, 3], [1, 3, 2]).constant == ()


def test_every_coefficient_is_registered_under_the_name_that_it_gives() -> None:
    """And what looks at order alone does not change if the numbers are stretched."""
    first, second = np.array([1.0, 2.0, 4.0, 3.0, 9.0]), np.array([2.0, 1.0, 4.0, 3.0, 5.0])
    assert len({one.name for one in COEFFICIENTS}) == len(COEFFICIENTS)
    for one in COEFFICIENTS:
        found = one.of(first, second, 0.95)
        assert found.name == one.name
        assert one.rows(Comparisons.of(first[None]), Comparisons.of(second[None])) == approx(found.value)
        stretched = one.of(first**3, second, 0.95).value
        assert (stretched == approx(found.value)) == one.of_order


def test_topic_halves_of_real_systems_agree_as_scipy_says() -> None:
    scores = read_scores(shared("system-topic-scores", "adhoc8_ap.named.csv"), measure="AP")
    found = correlate(scores, measure="AP", split=25, resamples=0)
    items = found.pairs[0].items
    assert items.height == 129
    assert found.value("Kendall's tau-b") == approx(stats.kendalltau(items["first"], items["second"]).statistic)
    assert found.value("Spearman's rho") == approx(stats.spearmanr(items["first"], items["second"]).statistic)


def test_what_cannot_be_correlated_is_refused_in_one_line() -> None:
    evaluation = assay.evaluate(str(TEA / "qrels.txt"), RUNS, ["AP", "RR"])
    renamed = assay.evaluate(str(TEA / "qrels.txt"), {"other": RUNS[0]}, ["AP", "RR"])
    refused: list[tuple[type[assay.AssayError], str, Callable[[], object]]] = [
        (InputError, "no item in common", lambda: correlate({"a": 1}, {"b": 1})),
        (InputError, "no system in common", lambda: correlate(evaluation, renamed, measure="AP")),
        (InputError, "2 items or more, got 1 item with", lambda: correlate({"a": 1, "b": math.nan}, {"a": 1, "b": 2})),
        (ParameterError, "equally long, not 2 and 3", lambda: correlate([1, 2], [1, 2, 3])),
        (ParameterError, "not one of each", lambda: correlate([1, 2], {"a": 1, "b": 2})),
        (ParameterError, "expected a number, got 'x'", lambda: correlate({"a": "x"}, {"a": 1})),
        (ParameterError, "two measures at least", lambda: correlate(evaluation, "AP")),
        (ParameterError, "choose a measure of AP, RR", lambda: correlate(evaluation, "AP", "P@5")),
        (ParameterError, "two sets of 1 to 4", lambda: correlate(evaluation, measure="AP", split=5)),
        (InputError, "no unit of this set", lambda: correlate(evaluation, measure="AP", units=(["t1"], ["no"]))),
        (ParameterError, "go with one evaluation", lambda: correlate(evaluation, renamed, measure="AP", split=2)),
        (ParameterError, "not both", lambda: correlate(evaluation, "AP", "RR", measure="AP")),
        (ParameterError, "choose one measure of AP, RR", lambda: correlate(evaluation, split=2)),
        (ParameterError, "the scores are of AP, RR", lambda: correlate(evaluation.scores, "AP", "P@5")),
        (ParameterError, "choose units or split", lambda: correlate(evaluation, "AP", split=2, units=(["t1"], ["t2"]))),
        (ParameterError, "nothing to correlate", correlate),
        (ParameterError, "two lists at least", lambda: correlate([1, 2])),
        (ParameterError, "holds 'a' twice", lambda: correlate(["a", "a"], ["b"])),
        (ParameterError, "all different", lambda: correlate([1, 2], [2, 1], names=("x", "x"))),
    ]
    for kind, why, attempt in refused:
        with pytest.raises(kind, match=why):
            attempt()


def test_every_form_holds_the_numbers() -> None:
    found = correlate({"a_1": 3, "b": 2, "c": 1}, {"a_1": 9, "b": 4, "c": 5}, names=("AP", "RR"))
    rows = json.loads(found.to_json())["sections"]["correlations"]["coefficients"]
    assert rows[0]["value"] == approx(1 / 3)
    assert rows[0]["low"] is None
    assert found.to_csv().splitlines()[1].startswith("AP,RR,Kendall's tau-b,0.333333")
    assert "| Kendall's tau-b | 0.3333 | NA |" in found.to_markdown()
    assert r"a\_1 & 3.0000 & 1" in found.to_latex()
    assert "<td>0.3333</td>" in found._repr_html_()
    assert repr(found) == "<Correlations of AP, RR: 3 items>"


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("empty_folder")
def test_the_command_correlates_measures_judgments_topics_and_lists() -> None:
    Path("lists.csv").write_text("system,AP,RR\na,0.3,0.5\nb,0.2,0.7\nc,0.1,0.2\nd,0.4,0.9\ne,0.35,NA\n")
    Path("one.csv").write_text("name;x\na;1\nb;2\n")
    Path("two.csv").write_text("name;x\nb;2\na;1\n")
    Path("A.txt").write_text("t1\nt2\n")
    Path("B.txt").write_text("t3\nt4\n")
    evaluated = [str(TEA / "qrels.txt"), *RUNS]
    for arguments, title in (
        (["lists.csv"], "AP and RR"),
        (["one.csv", "two.csv"], "x (one) and x (two)"),
        ([*evaluated, "-m", "AP", "-m", "RR"], "AP and RR"),
        ([*evaluated, "-m", "AP,RR,P@5"], "Kendall's tau-b"),
        ([*evaluated, "-m", "AP", "--split", "4"], "AP (4 drawn) and AP (4 others)"),
        ([*evaluated, "-m", "AP", "--topics-of", "A.txt", "--topics-of", "B.txt"], "AP (A) and AP (B)"),
    ):
        subject = [] if arguments[0] in evaluated else ["scores"]
        done = invoke([*subject, "correlate", *arguments], catch_exceptions=False)
        assert done.exit_code == 0
        assert done.stdout.splitlines()[0] == title
    told = invoke(["scores", "correlate", "lists.csv", "--json"], catch_exceptions=False)
    assert len(json.loads(told.stdout)["sections"]["correlations"]["items"]) == 4
    assert "1 item without a number" in told.stderr


@pytest.mark.usefixtures("empty_folder")
def test_the_command_refuses_bad_calls_and_files_in_one_line() -> None:
    Path("twice.csv").write_text("system,AP,RR\na,0.3,0.5\na,0.2,0.7\n")
    Path("text.csv").write_text("system,AP,RR\na,0.3,high\n")
    Path("short.csv").write_text("system,AP,RR\na,0.3\n")
    Path("narrow.csv").write_text("system,AP\na,0.3\n")
    Path("empty.csv").write_text("")
    Path("nan.csv").write_text('system,AP,RR\n"a\nb",0.3,n/a\nc,0.3,NaN\n')
    Path("infinite.csv").write_text("system,AP,RR\na,-inf,0.5\n")
    Path("flat.csv").write_text("system,AP,RR\na,0.5,0.1\nb,0.5,0.2\nc,,0.4\n")
    Path("same.csv").write_text("query_id,a,b\nq1,0.5,0.5\nq2,0.25,0.25\n")
    Path("alone.csv").write_text("system,AP,RR\na,0.5,0.1\nb,NA,0.2\n")
    Path("elsewhere.csv").write_text("system,AP\nz,0.3\n")
    evaluated = [str(TEA / "qrels.txt"), *RUNS]
    for arguments, why in (
        (["twice.csv"], "twice.csv:3: expected each name once, got 'a'"),
        (["text.csv"], "text.csv:2: expected a finite number as RR, got 'high'"),
        (["short.csv"], "short.csv:2: expected 3 fields"),
        (["narrow.csv"], "one column of numbers"),
        (["empty.csv"], "empty.csv: expected a header"),
        (["nan.csv"], "nan.csv:4: expected a finite number as RR, got 'NaN'"),
        (["infinite.csv"], "infinite.csv:2: expected a finite number as AP, got '-inf'"),
        (["flat.csv"], "flat.csv: AP: all items have the same number: there is no order to correlate"),
        (
            ["same.csv", "-m", "AP", "--split", "1"],
            "same.csv: AP (1 drawn) and AP (1 others): all systems",
        ),
        (["alone.csv"], "AP and RR: expected 2 items or more, got 1 item with a number in both"),
        (["narrow.csv", "elsewhere.csv"], "AP (narrow) and AP (elsewhere) have no item in common"),
        (["narrow.csv", "narrow.csv"], "names are 2, all different"),
        ([*evaluated[:2], "-m", "AP", "-m", "RR"], "AP and RR: expected 2 systems or more, got 1 system"),
        (["narrow.csv", "--split", "2"], "--split goes with"),
        ([*evaluated, "-m", "AP"], "say two measures"),
        ([*evaluated, "-m", "AP,RR", "--split", "2"], "--split takes one measure"),
        ([*evaluated, "-m", "AP", "--topics-of", "empty.csv"], "give it twice"),
        (
            [*evaluated, "-m", "AP", "--topics-of", "empty.csv", "--topics-of", "empty.csv"],
            "empty.csv:1: expected ids, one per line",
        ),
        ([*evaluated, "-m", "AP", "--split", "2", "--other-qrels", "x"], "choose one of"),
    ):
        done = invoke([*([] if arguments[0] in evaluated else ["scores"]), "correlate", *arguments])
        assert isinstance(done.exception, assay.AssayError), done.output
        assert why in str(done.exception)
        assert "\n" not in str(done.exception)
