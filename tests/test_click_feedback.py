"""Clicks become judgments and preferences; both are held against judgments by people."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given
from hypothesis import strategies as st

from assay import (
    ClickedLists,
    InputError,
    Log,
    ParameterError,
    Qrels,
    Ranks,
    agree_with_clicks,
    calibrate_measures,
    evaluate,
    judge_clicks,
    parse_measure,
    prefer_clicks,
    read_qrels,
)
from assay.measures.counting.behaviour import BehaviourCounts
from assay.measures.counting.judgments import Floats
from assay.measures.counting.preferences import STRATEGIES, preference_votes
from assay.stats.paired_preferences import bradley_terry, sign_tests

DATA = Path(__file__).parents[1] / "src" / "assay" / "data"
LOG, QRELS = DATA / "clicks" / "log.ndjson.gz", DATA / "bicycles" / "qrels.txt"

# Preferences.


@in_turn(
    ("strategy", "pairs"),
    [
        ("skip-above", "3>2 5>2 5>4"),
        ("last-click", "5>2 5>4"),
        ("earlier-click", "1>3 5>1 5>3"),
        ("skip-previous", "3>2 5>4"),
        ("no-click-next", "1>2 3>4 5>6"),
    ],
)
def test_strategies_read_the_published_example(strategy: str, pairs: str) -> None:
    """Joachims et al. (2005): seven results, clicks on 3, 1 and 5 in this order."""
    log = Log.from_pages([("q", list("1234567"), list("315"))])
    found = preference_votes(log, strategy).select(pl.format("{}>{}", "doc_id", "other")).to_series().to_list()
    assert sorted(found) == sorted(pairs.split())


def test_chains_prefer_what_the_next_query_found() -> None:
    """Passed over above the last click; without a click, the first two; not across sessions, nor for the same query."""
    pages = [("q1", list("abc"), ["b"]), ("q2", list("xy"), ["y"]), ("q3", list("uvw"), []), ("q4", ["z"], ["z"])]
    log = Log.from_pages([*pages, *pages[:1], *pages[:1]], session_id=["s1", "s1", "s2", "s2", "s3", "s3"])
    found = preference_votes(log, "query-chain")
    assert found.select("query_id", "doc_id", "other").rows() == [("q1", "y", "a"), ("q3", "z", "u"), ("q3", "z", "v")]
    with pytest.raises(InputError, match="expected sessions"):
        preference_votes(Log.from_pages(pages), "query-chain")


def test_a_chain_of_queries_is_of_one_user() -> None:
    pages = [("q1", list("abc"), ["b"]), ("q2", list("xy"), ["y"])]
    log = Log.from_pages(pages, user_id=["ana", "ben"], session_id=["1", "1"])
    assert preference_votes(log, "query-chain").is_empty()


def test_a_click_counts_on_a_result_that_no_event_saw() -> None:
    log = Log.from_pages([("q", ["a", "b"], ["b"])])
    hidden = Log.of(log.impressions.collect(), log.results.collect().with_columns(seen=pl.Series([True, False])))
    assert judge_clicks(hidden).pairs.select("doc_id", "impressions", "clicks").rows() == [("a", 1, 0), ("b", 1, 1)]


def test_judgments_of_several_judges_are_refused() -> None:
    log = Log.from_pages([("q", ["a", "b"], ["b"])] * 12)
    rows = {"query_id": ["q"] * 4, "judge": list("xyxy"), "doc_id": list("aabb"), "relevance": [2, 1, 0, 0]}
    qrels = Qrels(pl.DataFrame(rows))
    for verb in (agree_with_clicks, calibrate_measures):
        with pytest.raises(InputError, match=r"one judgment per query and document, got those of 2 judges \(x, y\)"):
            verb(qrels, log)
    with pytest.raises(InputError, match="2 judges"):
        prefer_clicks(log, qrels=qrels)


def test_results_that_were_never_on_the_screen_were_not_skipped() -> None:
    log = Log.from_pages([("q", ["a", "b"], ["b"])])
    hidden = Log.of(log.impressions.collect(), log.results.collect().with_columns(seen=pl.Series([False, True])))
    assert preference_votes(hidden).is_empty()


def test_the_last_click_is_the_last_in_time_also_on_a_document_clicked_before() -> None:
    log = Log.from_pages([("q", ["x", "b", "y", "a"], ["a", "b", "a"])])
    found = preference_votes(log, "last-click").select("doc_id", "other").rows()
    assert found == [("a", "x"), ("a", "y")]
    earlier = preference_votes(log, "earlier-click").select("doc_id", "other").rows()
    assert earlier == [("b", "a")]  # a was clicked first


def test_a_document_that_a_page_shows_twice_was_not_skipped_if_either_was_clicked() -> None:
    events = pl.DataFrame({"impression": [0, 0], "action": "click", "doc_id": ["a", "c"], "rank": [3, 4]})
    shown = pl.DataFrame({"impression": [0] * 4, "rank": [1, 2, 3, 4], "doc_id": list("abac")})
    log = Log.of(pl.DataFrame({"impression": [0], "query_id": ["q"]}), shown, events)
    assert preference_votes(log).select("doc_id", "other").rows() == [("c", "b")]


def test_pages_of_nobody_are_of_their_session() -> None:
    """Whether votes, intervals of models or measures are counted: a session without a user is one person."""
    pages = [("q", ["a", "b"], ["b"])] * 4
    log = Log.from_pages(pages, user_id=["u", None, None, None], session_id=["s", "t", "t", None])
    assert preference_votes(log)["won"].to_list() == [3]
    unit = ClickedLists.from_log(log).unit
    assert unit is not None
    assert len(set(unit.tolist())) == len(BehaviourCounts.of(log).units) == 3
    assert unit[1] == unit[2]


def test_a_user_has_one_vote_on_a_pair() -> None:
    """The way most of their pages go; as many both ways is no vote. Pages of nobody count each."""
    pages = [("q", ["a", "b"], ["b"])] * 3 + [("q", ["b", "a"], ["a"])] * 2
    by_user = preference_votes(Log.from_pages(pages, user_id=["u", "u", "u", "u", "v"]))
    assert by_user.select("doc_id", "other", "won", "lost", "pages").rows() in (
        [("a", "b", 1, 1, 5)], [("b", "a", 1, 1, 5)],
    )  # fmt: skip
    by_page = preference_votes(Log.from_pages(pages))
    assert by_page.select("doc_id", "won", "lost").rows() == [("b", 3, 2)]
    even = Log.from_pages([pages[0], pages[-1]], user_id=["u", "u"])
    assert preference_votes(even).is_empty()


@given(st.lists(st.tuples(st.permutations("abcd"), st.lists(st.sampled_from("abcd"), max_size=4)), max_size=8))
def test_skip_above_is_what_loops_find(pages: list[tuple[list[str], list[str]]]) -> None:
    wanted: dict[tuple[str, str], int] = {}
    for docs, clicked in pages:
        for high, low in itertools.combinations(docs, 2):
            if low in clicked and high not in clicked:
                wanted[low, high] = wanted.get((low, high), 0) + 1
    log = Log.from_pages([("q", docs, list(dict.fromkeys(clicked))) for docs, clicked in pages])
    found: dict[tuple[str, str], int] = {}
    for doc, other, won, lost in preference_votes(log).select("doc_id", "other", "won", "lost").iter_rows():
        found |= {(doc, other): won, (other, doc): lost}
    assert {pair: count for pair, count in found.items() if count} == wanted


def test_bradley_terry_maximises_the_likelihood() -> None:
    """At the estimate, expected wins are the wins; errors are those of the curvature, taken by differences."""
    rng = np.random.default_rng(0)
    wins = rng.integers(1, 9, size=(5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    fit = bradley_terry(wins)
    chance = 1 / (1 + np.exp(fit.strength[None, :] - fit.strength[:, None]))
    assert ((wins + wins.T) * chance).sum(axis=1) == pytest.approx(wins.sum(axis=1), abs=1e-6)
    strength = np.exp(fit.strength)  # Hunter's minorisation step stays where it is
    assert wins.sum(axis=1) / ((wins + wins.T) / (strength[:, None] + strength)).sum(axis=1) == pytest.approx(strength)
    assert fit.strength.mean() == pytest.approx(0, abs=1e-9)

    def likelihood(theta: Floats) -> float:
        return float((wins * -np.log1p(np.exp(theta[None, :] - theta[:, None]))).sum())

    step, eye = 1e-4, np.eye(5)
    bent = [
        [
            sum(
                s * t * likelihood(fit.strength + step * (s * eye[i] + t * eye[j])) for s in (-1, 1) for t in (-1, 1)
            ) / (4 * step**2)
            for j in range(5)
        ]
        for i in range(5)
    ]  # fmt: skip
    assert fit.error == pytest.approx(np.sqrt(np.diag(np.linalg.pinv(-np.array(bent), rcond=1e-4))), rel=1e-3)


def test_bradley_terry_says_when_there_is_no_finite_answer() -> None:
    """A document that never lost is infinitely strong; a prior keeps it finite, and the order as it should be."""
    wins = np.array([[0.0, 3.0, 1.0], [0.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    assert np.isnan(bradley_terry(wins).strength).all()
    held = bradley_terry(wins, prior=0.5)
    assert not held.connected
    assert (np.diff(held.strength) < 0).all()
    ranking = prefer_clicks(Log.from_pages([("q", ["a", "b"], ["b"])]), prior=0.0).ranking
    assert ranking["strength"].null_count() == 2
    assert "no finite strengths" in ranking["reason"][0]


def test_sign_tests_are_binomial() -> None:
    from scipy.stats import binomtest  # noqa: PLC0415  # the oracle

    for won, lost in itertools.product(range(6), repeat=2):
        wanted = binomtest(won, won + lost).pvalue if won + lost else 1.0
        assert sign_tests(np.array([won]), np.array([lost]))[0] == pytest.approx(wanted)


def test_preferences_of_the_example_log_agree_with_its_judgments() -> None:
    """The log's users follow the grades, so most votes do; its earlier clicks tell least, as in the studies."""
    result = prefer_clicks(LOG, qrels=QRELS)
    shares = dict(result.strategies.select("strategy", "agree").iter_rows())
    assert shares["skip-above"] > 0.8 > shares["earlier-click"]
    assert set(result.strategies["strategy"]) == set(STRATEGIES)
    assert result.pairs.filter("decided")["p_corrected"].max() < 0.05  # type: ignore[operator]
    assert result.to_qrels().frame["relevance"].is_in([0.0, 1.0, 2.0, 3.0]).all()


# COEC and judgments.


def test_expected_clicks_are_summed_over_ranks() -> None:
    """A document that is mostly at rank 2, once at rank 1: the best rank alone would make it look bad."""
    others = [("o", ["x", "y"], ["x"])] * 45 + [("o", ["x", "y"], ["y"])] * 5
    pages: list[tuple[str, list[str], list[str]]] = [("q", ["a", "b"], []), *[("q", ["b", "a"], ["a"])] * 9]
    result = judge_clicks(Log.from_pages(pages + others), shrinkage=0.0)
    rates = dict(result.ranks.select("rank", "rate").iter_rows())
    assert rates == {1: 45 / 60, 2: 14 / 60}
    row = result.pairs.filter(doc_id="a").row(0, named=True)
    assert row["expected"] == pytest.approx(1 * 45 / 60 + 9 * 14 / 60)
    assert row["estimate"] == pytest.approx(9 / (45 / 60 + 9 * 14 / 60))
    best_rank_only = 9 / (rates[1] * 10)
    assert best_rank_only < 1.3 < row["estimate"]


def test_coec_is_one_for_users_who_click_by_rank_alone() -> None:
    rng = np.random.default_rng(4)
    pages: list[tuple[str, list[str], list[str]]] = []
    for _ in range(3000):
        docs = list(rng.permutation(list("abcd")))
        pages.append(
            ("q", docs, [doc for doc, rate in zip(docs, (0.5, 0.3, 0.2, 0.1), strict=True) if rng.random() < rate])
        )
    result = judge_clicks(Log.from_pages(pages))
    assert result.pairs["estimate"].to_numpy() == pytest.approx(1.0, abs=0.1)
    assert (result.pairs["low"] < 1).all() and (result.pairs["high"] > 1).all()  # noqa: PT018


def test_intervals_of_coec_without_shrinkage_are_those_of_a_poisson_count() -> None:
    from scipy.stats import chi2  # noqa: PLC0415  # the oracle

    pages = [("q", ["a", "b"], ["a"])] * 7 + [("q", ["a", "b"], [])] * 5 + [("r", ["a"], ["a"])] * 4
    row = judge_clicks(Log.from_pages(pages), shrinkage=0.0).pairs.row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx(
        (chi2.ppf(0.025, 14) / 2 / row["expected"], chi2.ppf(0.975, 16) / 2 / row["expected"])
    )


def test_too_little_support_is_no_grade_and_never_looks_bad() -> None:
    """Few impressions, few expected clicks: left out of the judgments, with the reason."""
    pages = [("q", ["a", "b"], ["a"])] * 12 + [("r", ["c"], ["c"])] * 3
    result = judge_clicks(Log.from_pages(pages))
    reasons = dict(result.pairs.select("doc_id", "reason").iter_rows())
    assert reasons == {"a": None, "b": "too few expected clicks", "c": "too few impressions"}
    assert result.to_qrels().frame.select("doc_id", "impressions", "clicks", "source").rows() == [("a", 12, 12, "COEC")]


def test_where_nobody_clicks_nothing_is_relevant_or_not() -> None:
    """No clicks are expected then, so that there is nothing to compare clicks with."""
    result = judge_clicks(Log.from_pages([("q", ["a", "b"], [])] * 20), min_expected=0.0, shrinkage=0.0)
    assert result.judged.is_empty()
    assert set(result.pairs["reason"]) == {"too few expected clicks"}


def test_queries_that_read_alike_are_merged_in_view() -> None:
    pages = [("p1", ["a", "b"], ["a"])] * 8 + [("p2", ["a", "b"], ["b"])] * 8
    log = Log.from_pages(pages, query_text=["Bike Light"] * 8 + ["bike  light "] * 8)
    result = judge_clicks(log, same_text=True)
    assert result.pairs["query_id"].unique().to_list() == ["p1"]
    assert result.merges.rows() == [("p1", "Bike Light", 8), ("p1", "bike  light ", 8)]
    assert judge_clicks(log).merges.is_empty()


@pytest.mark.parametrize("by", ["PBM", "DBN", "SDBN", "UBM", "COEC"])
def test_judgments_of_every_source_find_what_the_users_like(by: str) -> None:
    """The users of the example log go by grades; what clicks say of documents rises with these."""
    result = agree_with_clicks(QRELS, LOG, by=by, resamples=100)
    means = result.grades["estimate"].to_list()
    assert means[3] > 2 * means[0]
    assert result.summary["auc_low"][0] > 0.6


@in_turn(
    ("wrong", "words"),
    [
        ({"by": "magic"}, "by is one of COEC, "),
        ({"by": "GCTR"}, "by is one of COEC, "),
        ({"quantiles": [0.9, 0.5]}, "rising"),
        ({"quantiles": [1.5]}, "from 0 to 1"),
        ({"thresholds": []}, "one number or more"),
        ({"min_impressions": 0}, "from 1 on"),
        ({"shrinkage": -1.0}, "from 0 on"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        judge_clicks(Log.from_pages([("q", ["a"], ["a"])] * 20), **wrong)


def test_written_judgments_read_back(tmp_path: Path) -> None:
    done = invoke(["clicks", "judge", LOG, "-o", tmp_path / "clicks.qrels", "--thresholds", "0.8,1.5"])
    assert done.exit_code == 0
    qrels = read_qrels(tmp_path / "clicks.qrels")
    assert set(qrels.frame["relevance"]) == {0.0, 1.0, 2.0}
    result = judge_clicks(LOG, thresholds=[0.8, 1.5])
    assert qrels.frame.height == result.judged.height
    assert invoke(["clicks", "judge", LOG, "-o", tmp_path / "clicks.csv"]).exit_code == 0
    table = pl.read_csv(tmp_path / "clicks.csv")
    assert {"impressions", "clicks", "estimate", "low", "high", "reason"} <= set(table.columns)


# Do clicks and judgments agree?


def clicking(grades: dict[str, int], pages: int, seed: int, query: str = "q") -> list[tuple[str, list[str], list[str]]]:
    """Users who click what has a high grade."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(pages):
        docs = list(rng.permutation(list(grades)))
        made.append((query, docs, [doc for doc in docs if rng.random() < 0.1 + 0.35 * grades[doc]]))
    return made


def test_judgments_that_users_contradict_look_out_of_date_and_others_do_not() -> None:
    true = {"a": 2, "b": 1, "c": 0, "d": 0}
    turned = {"a": 0, "b": 0, "c": 1, "d": 2}
    pages = clicking(true, 80, 0, "fresh") + clicking(true, 80, 1, "stale")
    result = agree_with_clicks({"fresh": true, "stale": turned}, Log.from_pages(pages))
    assert result.out_of_date["query_id"].to_list() == ["stale"]
    assert result.queries.filter(query_id="fresh")["auc"][0] == 1.0
    found = set(result.disagreements["query_id"])
    assert found <= {"stale", "fresh"}
    assert result.disagreements["query_id"][0] == "stale"


def test_out_of_date_is_rarely_said_of_users_who_click_anything() -> None:
    """Clicks that do not look at grades: at most the share of false alarms that the level allows."""
    rng = np.random.default_rng(7)
    pages, qrels = [], {}
    for number in range(60):
        query = f"q{number}"
        qrels[query] = {doc: int(rng.integers(0, 3)) for doc in "abcd"}
        pages += [(query, list(rng.permutation(list("abcd"))), [str(rng.choice(list("abcd")))]) for _ in range(15)]
    result = agree_with_clicks(qrels, Log.from_pages(pages), resamples=50)
    assert result.out_of_date.height <= 3
    low, high = result.summary["auc_low"][0], result.summary["auc_high"][0]
    assert low < 0.5 < high


def test_coefficients_are_those_of_scipy_query_by_query() -> None:
    from scipy.stats import kendalltau, spearmanr  # noqa: PLC0415  # the oracle

    result = agree_with_clicks(QRELS, LOG, resamples=20)
    for (query,), rows in result.documents.group_by("query_id"):
        found = result.queries.filter(query_id=query).row(0, named=True)
        grade, estimate = rows["grade"].to_numpy(), rows["estimate"].to_numpy()
        assert found["kendall"] == pytest.approx(kendalltau(grade, estimate).statistic)
        assert found["spearman"] == pytest.approx(spearmanr(grade, estimate).statistic)
        pairs = [(e > f) + 0.5 * (e == f) for e in estimate[grade >= 1] for f in estimate[grade < 1]]
        assert found["auc"] == pytest.approx(np.mean(pairs))


def test_judgments_of_other_documents_are_refused() -> None:
    with pytest.raises(InputError, match="expected judgments of documents"):
        agree_with_clicks({"other": {"a": 1}}, Log.from_pages([("q", ["a"], ["a"])] * 20))


# Measures calibrated on a log.


def every_dbn_outcome(
    grades: list[int], near: dict[int, float], content: dict[int, float], go_on: float
) -> tuple[float, float]:
    """Expected utility of clicks, and reciprocal rank of satisfaction, over all that can happen to a user."""
    top = max(grades)
    utility = effort = 0.0
    for states in itertools.product((0, 1), repeat=3 * len(grades)):
        chance, worth, reached, at = 1.0, 0.0, True, 0.0
        for place, grade in enumerate(grades):
            attracted, satisfied, goes = states[3 * place : 3 * place + 3]
            for state, of in ((attracted, near[grade]), (satisfied, content[grade]), (goes, go_on)):
                chance *= of if state else 1 - of
            if reached and attracted:
                worth += (2**grade - 1) / 2**top
                at = at or (1 / (place + 1) if satisfied else 0.0)
            reached = reached and bool(goes) and not (attracted and satisfied)
        utility += chance * worth
        effort += chance * at
    return utility, effort


def test_ebu_and_rr_dbn_are_what_enumeration_of_all_users_gives() -> None:
    near, content = {0: 0.1, 1: 0.4, 2: 0.9}, {0: 0.05, 1: 0.5, 2: 0.8}
    for grades in ([2, 0, 1], [0, 1, 2, 1], [1, 2, 2, 0]):
        utility, effort = every_dbn_outcome(grades, near, content, 0.7)
        tables: dict[str, Any] = {"attraction": near, "satisfaction": content, "continuation": 0.7}
        ranks = Ranks.from_grades(grades)
        assert parse_measure("EBU")(**tables).of(ranks)[0] == pytest.approx(utility, abs=1e-12)
        assert parse_measure("rrDBN")(**tables).of(ranks)[0] == pytest.approx(effort, abs=1e-12)


def test_u_ubm_is_what_enumeration_of_all_clicks_gives() -> None:
    near, rows = {0: 0.1, 1: 0.4, 2: 0.9}, [[1.0], [0.8, 0.9], [0.5, 0.6, 0.7], [0.3, 0.4, 0.5, 0.6]]
    for grades in ([2, 0, 1], [0, 1, 2, 1]):
        utility = 0.0
        for clicks in itertools.product((0, 1), repeat=len(grades)):
            chance, last, worth = 1.0, 0, 0.0
            for place, (grade, click) in enumerate(zip(grades, clicks, strict=True)):
                of = near[grade] * rows[place][last]
                chance *= of if click else 1 - of
                last, worth = (place + 1, worth + (2**grade - 1) / 2**2) if click else (last, worth)
            utility += chance * worth
        text = "; ".join(" ".join(map(str, row)) for row in rows)
        measure = parse_measure(f"uUBM(attraction={{0: 0.1, 1: 0.4, 2: 0.9}}, examination='{text}', max_grade=2)")
        assert measure.of(Ranks.from_grades(grades))[0] == pytest.approx(utility, abs=1e-12)


def test_err_is_rr_dbn_of_users_whom_everything_attracts() -> None:
    ranks = Ranks.from_grades([1, 0, 2], [0, 0, 3])
    table = {0: 0.1, 1: 0.3, 2: 0.6, 3: 0.9}
    dbn = parse_measure("rrDBN")(attraction=dict.fromkeys(table, 1.0), satisfaction=table, continuation=1.0)
    assert dbn.of(ranks) == pytest.approx(parse_measure("ERR")(satisfaction=table).of(ranks))


def simulated(pages: int, seed: int) -> tuple[Log, Qrels]:
    """Users of a dynamic Bayesian network, by grade."""
    near, content, go_on = np.array([0.15, 0.5, 0.8]), np.array([0.1, 0.4, 0.9]), 0.85
    rng = np.random.default_rng(seed)
    grades = {f"q{number}": rng.integers(0, 3, 6) for number in range(20)}
    made = []
    for _ in range(pages):
        query = f"q{rng.integers(20)}"
        order, clicked = rng.permutation(6), []
        for doc in order:
            grade = grades[query][doc]
            if rng.random() < near[grade]:
                clicked.append(f"d{doc}")
                if rng.random() < content[grade]:
                    break
            if rng.random() > go_on:
                break
        made.append((query, [f"d{doc}" for doc in order], clicked))
    rows = [(query, f"d{doc}", int(grade)) for query, docs in grades.items() for doc, grade in enumerate(docs)]
    return Log.from_pages(made), Qrels.of(rows)


def test_calibration_finds_the_users_that_made_the_log() -> None:
    log, qrels = simulated(6000, 1)
    result = calibrate_measures(qrels, log, cutoff=6)
    names = [measure.name for measure in result.measures]
    assert names == ["ERR", "EBU", "rrDBN", "uUBM"]
    chosen = result.measures[1].chosen
    assert [chance for _, chance in chosen["attraction"]] == pytest.approx([0.15, 0.5, 0.8], abs=0.03)
    assert [chance for _, chance in chosen["satisfaction"]] == pytest.approx([0.1, 0.4, 0.9], abs=0.06)
    assert chosen["continuation"] == pytest.approx(0.85, abs=0.02)
    first = result.parameters.filter(model="CM")["attraction"].to_list()
    assert dict(result.measures[0].chosen["satisfaction"]) == pytest.approx(dict(enumerate(first)), abs=1e-3)


def test_calibrated_measures_are_ordinary_measures(tmp_path: Path) -> None:
    """Their text reads back, and evaluate and the command take it."""
    assert invoke(["clicks", "calibrate", QRELS, LOG, "-o", tmp_path / "measures.txt"]).exit_code == 0
    texts = (tmp_path / "measures.txt").read_text(encoding="utf-8").splitlines()
    assert [str(parse_measure(text)) for text in texts] == texts
    run = DATA / "bicycles" / "runs" / "bm25.run"
    result = evaluate(QRELS, run, texts)
    assert all(0 < result.mean(text, "bm25") < 2 for text in texts)
    assert invoke(["evaluate", QRELS, run, "-m", texts[3]]).exit_code == 0
    told = invoke(["explain", texts[1], QRELS, run, "-q", "1"])
    assert "still_reading" in told.stdout


@in_turn("wrong", ["0.5 0.5", "1; 0.5", "1; x y", "1.5"])
def test_odd_rows_of_examination_are_refused(wrong: str) -> None:
    with pytest.raises(ParameterError, match=r"(in |^)examination of uUBM"):
        parse_measure("uUBM")(examination=wrong)


def test_a_log_without_clicks_has_no_grades_for_the_right_reason() -> None:
    judgments = judge_clicks(Log.from_pages([("q", ["a", "b"], [])] * 20))
    assert judgments.warnings == ("nothing has a grade: too few expected clicks",)
    assert "Grades begin" not in str(judgments)


@in_turn("by", ["COEC", "PBM"])
def test_pages_without_a_query_are_left_out_and_counted(by: str) -> None:
    pages = [("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["b"]), (None, ["a", "b"], ["a"])] * 10
    judgments = judge_clicks(Log.from_pages(pages), by=by)
    assert judgments.pairs["query_id"].unique().to_list() == ["q"]
    assert judgments.pairs["impressions"].to_list() == [20, 20]
    assert judgments.warnings == ("10 result pages without a query: left out",)


def test_agreement_says_why_there_is_nothing_to_tell() -> None:
    log = Log.from_pages([("q", ["a", "b"], [])] * 20 + [("r", ["c", "d"], ["c"])] * 20)
    with pytest.raises(InputError, match="got none that clicks can say something of: too few impressions"):
        agree_with_clicks({"q": {"a": 1, "b": 0}}, log, min_impressions=50)
    with pytest.raises(InputError, match=r"got none$"):
        agree_with_clicks({"q": {"x": 1}}, log)
    nothing = agree_with_clicks({"q": {"a": 1, "b": 0}}, log, by="DCTR")
    assert "No verdict: no judged document was clicked." in str(nothing)
