"""What a new ranking would have earned on a log: unbiased where the assumptions hold, refused without overlap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke

from assay import InputError, Log, ParameterError, Run, value_rankings
from assay.measures.counting.click_counts import LoggedPages
from assay.measures.counting.judgments import Floats
from assay.stats.off_policy import by_document, by_position, by_propensity
from assay.subjects.clicks.counterfactual import fitted_examination

LOOK = np.array([1.0, 0.6, 0.4, 0.2])
LIKE = {"q1": [0.2, 0.7, 0.5, 0.1], "q2": [0.6, 0.1, 0.3, 0.8]}
NEW = {"q1": [1, 2, 0, 3], "q2": [3, 0, 2, 1]}
RUN = Run.of({query: {f"d{doc}": -float(rank) for rank, doc in enumerate(docs)} for query, docs in NEW.items()})
#: Two queries, as often: what the new ranking earns per page under the position-based model.
TRUTH = float(np.mean([sum(LOOK[rank] * LIKE[query][doc] for rank, doc in enumerate(NEW[query])) for query in NEW]))


def logged(pages: int, seed: int, *, shuffled: bool, users: int = 0) -> Log:
    """Pages of users of the position-based model; the logged order is fixed, or any order is as likely."""
    rng = np.random.default_rng(seed)
    rows, results = [], []
    for page in range(pages):
        query = ("q1", "q2")[page % 2]
        order = rng.permutation(4) if shuffled else np.arange(4)
        clicked = rng.random(4) < LOOK * np.array(LIKE[query])[order]
        rows.append((page, query, f"u{page // 5}" if users else None))
        results += [
            (page, rank + 1, f"d{doc}", int(hit), 0.25 if shuffled else 1.0)
            for rank, (doc, hit) in enumerate(zip(order, clicked, strict=True))
        ]
    impressions = pl.DataFrame(rows, schema=["impression", "query_id", "user_id"], orient="row")
    shown = pl.DataFrame(results, schema=["impression", "rank", "doc_id", "clicks", "propensity"], orient="row")
    return Log.of(impressions, shown)


def test_rankings_that_end_before_the_pages_are_warned_about() -> None:
    short = Run.of({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {f"d{doc}": -float(doc) for doc in range(4)}})
    log = logged(40, 1, shuffled=False)
    warned = "short: on 20 pages it has fewer results than were shown, and loses the clicks further down for that alone"
    assert warned in value_rankings(log, {"short": short}, cutoff=4, examination=list(LOOK)).warnings
    for run, cutoff in ((RUN, 4), (short, 2)):
        assert not any(
            "fewer results" in text for text in value_rankings(log, run, cutoff=cutoff, examination=list(LOOK)).warnings
        )


@pytest.mark.parametrize("shuffled", [False, True])
def test_estimates_are_unbiased_where_their_assumptions_hold(shuffled: bool) -> None:
    """Over many small logs, the mean of the estimates is the truth, within its standard error."""
    found: dict[str, list[float]] = {}
    for seed in range(30):
        pages = LoggedPages.from_tables(logged(80, seed, shuffled=shuffled), RUN, 4)
        values = {"PBM": by_position(pages, LOOK), "by document": by_document(pages, LOOK)}
        if shuffled:
            values |= {"IPS": by_propensity(pages)}
        for name, value in values.items():
            found.setdefault(name, []).append(value.estimate)
    for name, estimates in found.items():
        error = np.std(estimates) / np.sqrt(len(estimates))
        assert abs(np.mean(estimates) - TRUTH) < 3 * error, name


def test_propensities_of_a_fixed_order_say_nothing_about_another() -> None:
    """Inverse propensity scoring sees only documents that stood where the new ranking has them."""
    pages = LoggedPages.from_tables(logged(40, 0, shuffled=False), RUN, 4)
    assert by_propensity(pages).coverage < 0.5


def test_self_normalised_weights_vary_less_and_come_close() -> None:
    plain, steady = [], []
    for seed in range(20):
        pages = LoggedPages.from_tables(logged(120, seed, shuffled=True), RUN, 4)
        plain.append(by_propensity(pages).estimate)
        steady.append(by_propensity(pages, normalised=True).estimate)
    assert np.std(steady) < np.std(plain)
    assert np.mean(steady) == pytest.approx(TRUTH, abs=0.05)


def test_self_normalised_weights_earn_nothing_at_ranks_that_the_ranking_does_not_fill() -> None:
    """Every page has a click at rank 2, but the new ranking has a rank 2 for every second page only."""
    shown = pl.DataFrame(
        [(page, rank, doc, int(rank == 2), 0.5) for page in range(8) for rank, doc in enumerate("ab", 1)],
        schema=["impression", "rank", "doc_id", "clicks", "propensity"], orient="row",
    )  # fmt: skip
    log = Log.of(pl.DataFrame({"impression": range(8), "query_id": ["q1", "q2"] * 4}), shown)
    pages = LoggedPages.from_tables(log, Run.of({"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}), 2)
    assert by_propensity(pages, normalised=True).values.tolist() == [1.0, 0.0] * 4


def by_hand(log: Log, run: dict[str, list[int]], look: Floats) -> float:
    """The published sum, page by page."""
    pages: dict[int, str] = dict(log.impressions.select("impression", "query_id").collect().iter_rows())
    total = 0.0
    for page, rank, doc, clicks in log.results.select("impression", "rank", "doc_id", "clicks").collect().iter_rows():
        new = run[pages[page]].index(int(doc[1:]))
        total += bool(clicks) * look[new] / look[rank - 1]
    return total / len(pages)


def test_the_estimate_is_the_published_sum() -> None:
    log = logged(50, 3, shuffled=True)
    assert by_position(LoggedPages.from_tables(log, RUN, 4), LOOK).estimate == pytest.approx(by_hand(log, NEW, LOOK))


def test_one_document_on_some_pages_of_its_query_counts_in_full_by_document() -> None:
    """Half of the pages do not show b: page by page it earns half, by document all."""
    log = Log.from_pages([("q", ["a", "b"], ["b"]), ("q", ["a", "c"], [])] * 10)
    pages = LoggedPages.from_tables(log, Run.of({"q": {"b": 1.0}}), 1)
    assert by_position(pages, np.array([1.0, 0.5])).estimate == 1.0  # 20 pages: 10 clicks of weight 2
    assert by_document(pages, np.array([1.0, 0.5])).estimate == 2.0
    assert by_position(pages, np.array([1.0, 0.5])).coverage == 0.5


def test_results_that_nobody_saw_were_there_all_the_same() -> None:
    """What a log says of views is what examination is about: it must not count twice."""
    log = logged(600, 3, shuffled=True)
    views = (pl.col("clicks") > 0) | (pl.col("rank") <= 2)
    viewed = Log.of(log.impressions.collect(), log.results.collect().with_columns(seen=views))
    blind, seeing = (value_rankings(each, RUN, cutoff=4, min_coverage=1).values for each in (log, viewed))
    assert seeing.equals(blind)
    assert seeing.filter((pl.col("low") < TRUTH) & (pl.col("high") > TRUTH)).height == 4
    assert seeing["coverage"].to_list() == [1.0] * 4  # all of it: no estimator is ahead by an error of rounding


def test_pages_with_propensities_stand_for_those_without() -> None:
    """A quarter of the pages was shuffled: over many logs, the mean of the estimates is the truth."""
    found: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(30):
        some = pl.col("impression") % 8 < 2
        log = logged(320, seed, shuffled=True)
        known = pl.when(some).then("propensity")
        log = Log.of(log.impressions.collect(), log.results.collect().with_columns(propensity=known))
        pages = LoggedPages.from_tables(log, RUN, 4)
        for normalised, estimates in found.items():
            estimates.append(by_propensity(pages, normalised=normalised).estimate)
    for estimates in found.values():
        assert abs(np.mean(estimates) - TRUTH) < 3 * np.std(estimates) / np.sqrt(len(estimates))
    assert value_rankings(log, RUN, cutoff=4).warnings == (
        "run: IPS and SNIPS rest on 80 of 320 pages, those with propensities, which are taken for a random sample of "
        "all pages of their query",
    )


def test_a_document_that_a_page_shows_twice_counts_once() -> None:
    log = Log.from_pages([("q", ["a", "a", "b"], ["a"])] * 4)
    found = by_position(LoggedPages.from_tables(log, Run.of({"q": {"a": 1.0}}), 1), LOOK)
    assert (found.estimate, found.coverage) == (1.0, 1.0)
    second = log.events.collect().with_columns(rank=pl.lit(2))
    below = Log.of(log.impressions.collect(), log.results.collect().with_columns(clicks=None), second)
    found = by_position(LoggedPages.from_tables(below, Run.of({"q": {"a": 1.0}}), 1), LOOK)
    assert found.estimate == pytest.approx(1 / LOOK[1])  # clicked at rank 2, wherever else it stands


def test_clipping_bounds_weights_and_the_effective_sample_is_that_of_kish() -> None:
    pages = LoggedPages.from_tables(logged(30, 1, shuffled=True), RUN, 4)
    free, held = by_position(pages, LOOK), by_position(pages, LOOK, clip=1.5)
    assert held.largest == 1.5 < free.largest
    assert free.effective == pytest.approx(free.weights.sum() ** 2 / (free.weights**2).sum())
    assert held.estimate < free.estimate


def test_intervals_cover() -> None:
    """Of users who come again, nine or more of ten 95% intervals hold the truth."""
    hits = 0
    for seed in range(20):
        found = value_rankings(
            logged(150, seed, shuffled=True, users=30), RUN, examination=LOOK.tolist(), cutoff=4, resamples=200
        )
        row = found.values.row(0, named=True)
        hits += row["low"] <= TRUTH <= row["high"]
    assert hits >= 17


def test_the_fitted_examination_is_that_of_the_users() -> None:
    assert fitted_examination(logged(6000, 2, shuffled=True), 4) == pytest.approx(LOOK, abs=0.05)


def test_a_log_of_one_fixed_order_cannot_tell_looking_from_liking() -> None:
    with pytest.raises(InputError, match="shown at several ranks, got none for rank 2, 3 and 4"):
        value_rankings(logged(40, 0, shuffled=False), RUN, cutoff=4)


def test_without_common_queries_there_is_no_answer() -> None:
    with pytest.raises(InputError, match="expected queries of in memory, got none"):
        value_rankings(logged(10, 0, shuffled=True), {"other": {"q9": {"d1": 1.0}}}, examination=LOOK.tolist())


@in_turn(
    ("wrong", "words"),
    [
        ({"examination": 0.5}, "examination is numbers, one per rank, not 0.5"),
        ({"examination": []}, "examination starts above 0"),
        ({"examination": [1.5]}, "from 0 to 1"),
        ({"examination": LOOK.tolist(), "clip": 0.0}, "clip is a number above 0"),
        ({"examination": LOOK.tolist(), "min_coverage": 2.0}, "min_coverage is a number from 0 to 1"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        value_rankings(logged(4, 0, shuffled=True), RUN, **wrong)  # type: ignore[arg-type]


def test_a_call_without_a_run_is_refused() -> None:
    nothing: Any
    for nothing in ([], {}):
        with pytest.raises(ParameterError, match="expected a run or more, got none"):
            value_rankings(logged(4, 0, shuffled=True), nothing, examination=LOOK.tolist())


def test_a_ranking_that_was_never_shown_is_refused(tmp_path: Path) -> None:
    """Exit code 1, the reason in words, and no number; wrong input is 2."""
    query = {"query_id": "p1", "user_query": "q", "query_response_hit_ids": ["a", "b"], "timestamp": 1772431200}
    log, run = tmp_path / "log.ndjson", tmp_path / "new.run"
    log.write_text(json.dumps(query) + "\n", encoding="utf-8")
    run.write_text("q Q0 z 1 1.0 new\n", encoding="utf-8")
    done = invoke(["clicks", "value", log, run, "--examination", "1,0.5", "--json"])
    assert done.exit_code == 1
    (row,) = (each for each in json.loads(done.stdout)["sections"]["values"]["values"] if each["estimator"] == "PBM")
    assert row["value"] is None
    assert "the log covers 0.0% of what users would look at, less than 50%" in row["refused"]
    run.write_text("other Q0 z 1 1.0 new\n", encoding="utf-8")
    done = invoke(["clicks", "value", log, run, "--examination", "1,0.5"])
    assert isinstance(done.exception, InputError)


def test_ranks_of_which_examination_is_not_known_count_neither_for_the_ranking_nor_for_the_log() -> None:
    """The logged ranking, valued by its own log, is worth what it had, down to the rank that is known."""
    log = Log.from_pages([("q", ["a", "b", "c"], ["a", "c"]), ("q", ["a", "b", "c"], ["b", "c"])] * 4)
    same = Run.of({"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    result = value_rankings(log, same, examination=[1.0, 0.5])
    assert result.values["logged"].to_list() == [1.0, 1.0]
    assert result.values["difference"].to_list() == [0.0, 0.0]
    assert result.settings["cutoff"] == 2
    assert result.warnings == ("results below rank 2 do not count: examination is stated for no more",)


def test_a_log_without_results_cannot_tell_how_far_users_look() -> None:
    with pytest.raises(InputError, match="expected clicked documents that were shown at several ranks"):
        value_rankings(Log.from_pages([("q", [], [])]), {"q": {"a": 1.0}})


@in_turn("propensity", [0.0, 1.5])
def test_a_propensity_that_cannot_be_is_refused_with_the_log(propensity: float) -> None:
    log = logged(8, 1, shuffled=True)
    odd = Log.of(log.impressions.collect(), log.results.collect().with_columns(propensity=propensity), origin="a.csv")
    with pytest.raises(InputError, match=f"a.csv: expected propensities above 0 and at most 1, got {propensity:g}"):
        value_rankings(odd, RUN, examination=LOOK.tolist())
