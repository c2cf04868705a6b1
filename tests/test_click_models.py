"""Click models: posteriors against enumeration, parameters recovered from simulation, likelihoods that never fall."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from shared_data import shared

import assay
from assay import ClickedLists, ClickModel, InputError, Log, compare_click_models, simulate_clicks
from assay.measures.counting.judgments import Floats
from assay.show.figure import Figure
from assay.stats.click_models.chains import Chain, Continuation, blocks, posterior
from assay.stats.click_models.models import MODELS, shared_frame
from assay.subjects.clicks.model_sections import comparison_document
from benchmarks.studies import click_interval_coverage

#: Plain maximum likelihood, unless a prior is stated: what parameters are is then known.
fit_clicks = partial(assay.fit_clicks, prior=(0.0, 0.0))

CHAINS = {
    "CM": ("none", Continuation(1.0, np.zeros(9), 0.0)),
    "DCM": ("none", Continuation(1.0, np.array([0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1]), 0.0)),
    "SDBN": ("own", Continuation(1.0, np.ones(9), 0.0)),
    "DBN": ("own", Continuation(0.8, np.full(9, 0.8), 0.0)),
    "CCM": ("attractiveness", Continuation(0.9, np.full(9, 0.6), 0.3)),
}


def enumerated(alpha: Floats, sigma: Floats, going: Continuation, clicks: tuple[int, ...]) -> dict[str, Any]:
    """Go through all states: examined, attracted and satisfied at each rank; what is expected given the clicks."""
    size = len(clicks)
    total, found = 0.0, {name: np.zeros(size) for name in ("E", "A", "S", "on")}
    states = itertools.product([0, 1], repeat=3)
    for path in itertools.product(list(states), repeat=size):
        weight, reads = 1.0, 1
        for rank, (examined, attracted, satisfied) in enumerate(path):
            click = examined and attracted
            weight *= (examined == reads) if rank == 0 else 1.0
            weight *= alpha[rank] if attracted else 1 - alpha[rank]
            weight *= (sigma[rank] if satisfied else 1 - sigma[rank]) if click else float(not satisfied)
            weight *= float(bool(click) == bool(clicks[rank]))
            if rank + 1 < size:
                after = (going.satisfied if satisfied else going.click[rank + 1]) if click else going.skip
                chance = after if examined else 0.0
                weight *= chance if path[rank + 1][0] else 1 - chance
            if not weight:
                break
        if weight:
            total += weight
            for rank, (examined, attracted, satisfied) in enumerate(path):
                found["E"][rank] += weight * examined
                found["A"][rank] += weight * attracted
                found["S"][rank] += weight * satisfied
                found["on"][rank] += weight * (rank + 1 < size and path[rank + 1][0])
    return {"likelihood": total, **{name: values / max(total, 1e-300) for name, values in found.items()}}


@in_turn("name", CHAINS)
def test_posteriors_equal_enumeration_over_all_latent_states(name: str) -> None:
    satisfaction, going = CHAINS[name]
    rng = np.random.default_rng(3)
    size = 3
    alpha = rng.uniform(0.1, 0.9, size)
    sigma = {"own": rng.uniform(0.1, 0.9, size), "attractiveness": alpha, "none": np.zeros(size)}[satisfaction]
    docs = [f"d{rank}" for rank in range(size)]
    chain = Chain(np.append(alpha, 0), np.append(sigma, 0), going)
    for clicks in itertools.product([0, 1], repeat=size):
        truth = enumerated(alpha, sigma, going, clicks)
        lists = ClickedLists.of([("q", docs, [doc for doc, click in zip(docs, clicks, strict=True) if click])])
        block = next(iter(blocks(lists)))
        with np.errstate(divide="ignore"):
            found = posterior(block, chain)
        assert np.prod(found.probability) == pytest.approx(truth["likelihood"], abs=1e-12)
        if not truth["likelihood"]:
            continue  # what cannot happen has no posterior
        clicked = np.array(clicks, dtype=bool)
        examined = np.where(clicked, 1.0, (1 - alpha) * found.slope[:, 0])
        attracted = np.where(clicked, 1.0, alpha * (1 - examined))
        satisfied, going_on = np.zeros(size), np.zeros(size)
        for rank, (sated, _, on, on_sated) in zip(range(size - 1, -1, -1), found.clicks, strict=True):
            if len(sated):
                satisfied[rank] = sated[0]
                going_on[rank] = (1 - sated[0]) * on[0] + sated[0] * on_sated[0]
        for key, values in (("E", examined), ("A", attracted), ("S", satisfied)):
            np.testing.assert_allclose(values, truth[key], atol=1e-12, rtol=0)
        inner = clicked[:-1]
        np.testing.assert_allclose(going_on[:-1][inner], truth["on"][:-1][inner], atol=1e-12, rtol=0)
        skips = float((truth["on"][:-1] * ~inner).sum())
        if going.skip < 1:
            assert found.skip[0] == pytest.approx(skips, abs=1e-12)
            assert found.skip[1] == pytest.approx(float((truth["E"][:-1] * ~inner).sum()), abs=1e-12)


# Simulated lists ------------------------------------------------------------------------------------------------------

SHARED_OF = {
    "GCTR": shared_frame("click rate", np.array([0.2])),
    "RCTR": shared_frame("click rate", np.array([0.4, 0.3, 0.2, 0.1]), [1, 2, 3, 4]),
    "DCTR": shared_frame("click rate", np.zeros(0)),
    "PBM": shared_frame("examination", np.array([1.0, 0.7, 0.5, 0.4]), [1, 2, 3, 4]),
    "UBM": shared_frame(
        "examination", np.array([1.0, 0.6, 0.9, 0.4, 0.5, 0.8, 0.3, 0.4, 0.6, 0.9]),
        [1, 2, 2, 3, 3, 3, 4, 4, 4, 4], [0, 0, 1, 0, 1, 2, 0, 1, 2, 3],
    ),
    "CM": shared_frame("continuation", np.zeros(0)),
    "DCM": shared_frame("continuation", np.array([0.7, 0.5, 0.4, 0.3]), [1, 2, 3, 4]),
    "SDBN": shared_frame("continuation", np.zeros(0)),
    "DBN": shared_frame("continuation", np.array([0.8])),
    "SDBN-exact": shared_frame("continuation", np.zeros(0)),
    "DCM-exact": shared_frame("continuation", np.array([0.7, 0.5, 0.4, 0.3]), [1, 2, 3, 4]),
    "CCM": pl.concat([
        shared_frame(f"continuation {after}", np.array([value]))
        for after, value in (("after a skip", 0.9), ("after a click", 0.6), ("when satisfied", 0.3))
    ]),
}  # fmt: skip


def shown(pages: int, *, queries: int = 4, pool: int = 8, length: int = 4, seed: int = 0) -> ClickedLists:
    """Pages of one length, with documents of their query in random order."""
    rng = np.random.default_rng(seed)
    query = rng.integers(0, queries, pages)
    docs = np.argsort(rng.random((pages, pool)), axis=1)[:, :length]
    pairs = pl.DataFrame({"query_id": np.repeat(np.arange(queries), pool), "doc_id": np.arange(queries * pool)})
    return ClickedLists(
        pairs.cast(pl.String), (query[:, None] * pool + docs).astype(np.int32).ravel(),
        np.tile(np.arange(1, length + 1, dtype=np.int32), pages), np.zeros(pages * length, dtype=np.bool_),
        np.arange(0, pages * length + 1, length), np.ones(pages),
    )  # fmt: skip


def truth_of(name: str, lists: ClickedLists, seed: int = 1) -> ClickModel:
    """A model with parameters drawn at random."""
    rng = np.random.default_rng(seed)
    size = lists.pairs.height
    columns: dict[str, Any] = {"impressions": np.ones(size), "clicks": np.ones(size)}
    if MODELS[name].relevance:
        columns["attractiveness"] = rng.uniform(0.1, 0.8, size)
    if "satisfaction" in MODELS[name].relevance:
        columns["satisfaction"] = rng.uniform(0.2, 0.8, size)
    pairs = lists.pairs.with_columns(**{key: pl.Series(values) for key, values in columns.items()})
    return ClickModel(name, pairs, SHARED_OF[name], {"prior": [0.0, 0.0]})


@in_turn("name", MODELS)
def test_sampling_then_counting_gives_the_probabilities_of_the_model(name: str) -> None:
    lists = ClickedLists.of([("q", ["a", "b", "c", "d"], [])]).taken(np.zeros(60_000, dtype=np.int64))
    model = truth_of(name, lists)
    drawn = model.sample(lists, seed=4)
    clicks = drawn.clicked.reshape(-1, 4)
    plain = model.click_probabilities(drawn, conditional=False).reshape(-1, 4)
    given = model.click_probabilities(drawn).reshape(-1, 4)
    np.testing.assert_allclose(clicks.mean(axis=0), plain[0], atol=0.008)
    # After each pattern of clicks, the next click is as frequent as the model says.
    for place in range(1, 4):
        pattern = clicks[:, :place] @ (1 << np.arange(place))
        for each in np.unique(pattern):
            rows = pattern == each
            if rows.sum() > 2000:
                assert clicks[rows, place].mean() == pytest.approx(given[rows, place][0], abs=0.03)
                assert np.ptp(given[rows, place]) < 1e-12


@in_turn("name", MODELS)
def test_parameters_are_recovered_and_the_likelihood_never_falls(name: str) -> None:
    # What was drawn from the exact model is found by it; simplified estimators find what they assume, not more.
    lists = shown(20_000)
    model = truth_of(name, lists)
    drawn = model.sample(lists, seed=2)
    fit = fit_clicks(drawn, name, iterations=300)
    assert all(np.diff(fit.trace) > -1e-7)
    assert fit.log_likelihood(drawn) == pytest.approx(fit.trace[-1] if fit.trace else fit.log_likelihood(drawn))
    if name in {"DCM", "SDBN"}:
        return
    assert fit.log_likelihood(drawn) >= model.log_likelihood(drawn)
    if "attractiveness" in fit.pairs.columns:
        joined = fit.pairs.join(model.pairs, on=["query_id", "doc_id"], suffix="_true")
        assert (joined["attractiveness"] - joined["attractiveness_true"]).abs().mean() < 0.03  # type: ignore[operator]
    merged = fit.shared.join(model.shared, on=["parameter", "rank", "click_above"], nulls_equal=True, suffix="_true")
    assert ((merged["value"] - merged["value_true"]).abs() < 0.06).all()


def test_dbn_finds_the_continuation_of_a_hundred_thousand_pages() -> None:
    lists = shown(100_000, queries=8, pool=12, length=10)
    drawn = truth_of("DBN", lists).sample(lists, seed=3)
    fit = fit_clicks(drawn, "DBN", iterations=60)
    assert fit.shared["value"][0] == pytest.approx(0.80, abs=0.01)


@in_turn("name", [name for name in MODELS if MODELS[name].relevance])
def test_the_penalised_likelihood_never_falls_either(name: str) -> None:
    lists = shown(300)
    fit = fit_clicks(truth_of(name, lists).sample(lists, seed=2), name, prior=(1, 2), iterations=50)
    assert all(np.diff(fit.trace) > -1e-9)
    assert fit.pairs["attractiveness"].is_between(0, 1, closed="none").all()


@in_turn("name", ["PBM", "UBM", "DBN", "CCM", "DCM-exact"])
def test_intervals_of_relevance_cover(name: str) -> None:
    held = total = 0
    for seed in range(3):
        lists = shown(4_000, queries=6, pool=10, length=4, seed=seed)
        truth = truth_of(name, lists, seed)
        fit = fit_clicks(truth.sample(lists, seed), name, iterations=150, tolerance=1e-6)
        wanted = truth.pairs.with_columns(
            truth=pl.col("attractiveness") * (pl.col("satisfaction") if name == "DBN" else
                                              pl.col("attractiveness") if name == "CCM" else 1.0)
        )  # fmt: skip
        joined = fit.relevance(0.9).join(wanted, on=["query_id", "doc_id"])
        held += int(joined.select(pl.col("truth").is_between("low", "high")).sum().item())
        total += joined.height
    assert total == 180
    assert 0.83 <= held / total <= 0.97  # 90 %, give or take three standard errors


def test_intervals_hold_nothing_and_everything() -> None:
    rare = fit_clicks(ClickedLists.of([("q", ["a", "b"], ["b"])] * 9), "DCM").relevance()
    assert rare.filter(pl.col("doc_id") == "a").row(0)[4:6] == (0.0, 0.0)
    assert rare.filter(pl.col("doc_id") == "a")["high"][0] == pytest.approx(1 - np.exp(-3.8415 / 18), abs=1e-4)
    sure = rare.filter(pl.col("doc_id") == "b").row(0, named=True)
    assert (sure["relevance"], sure["high"]) == (1.0, 1.0)
    assert 0.6 < sure["low"] < 1


# Layouts --------------------------------------------------------------------------------------------------------------


def odd_lists(seed: int = 0) -> ClickedLists:
    """Lists of different lengths, some empty, one of sixty results, documents twice, ranks with gaps."""
    rng = np.random.default_rng(seed)
    pages = []
    for length in [*rng.integers(0, 6, 300), 60, 25, 0]:
        docs = [f"d{number}" for number in rng.integers(0, 70 if length > 6 else 8, length)]
        pages.append((f"q{rng.integers(0, 2)}", docs, [doc for doc in docs if rng.random() < 0.2]))
    log = Log.from_pages(pages)
    gaps = log.results.with_columns(rank=pl.when(pl.col("rank") > 3).then(pl.col("rank") + 2).otherwise("rank"))
    return ClickedLists.from_log(replace(log, results=gaps))


@pytest.mark.parametrize("name", MODELS)
def test_collapsed_lists_and_odd_lists_give_the_same_fit_and_finite_numbers(name: str) -> None:
    lists = odd_lists()
    twice = lists.taken(np.repeat(np.arange(len(lists)), 2))
    collapsed = twice.collapsed()
    assert len(collapsed) < len(lists)
    assert collapsed.weight.sum() == 2 * (lists.length > 0).sum()
    fits = [fit_clicks(each, name, prior=(1, 1), iterations=20) for each in (twice, collapsed)]
    keys = ["query_id", "doc_id"]
    first, second = (fit.pairs.sort(keys) for fit in fits)
    assert first.select(keys).equals(second.select(keys))
    for column in set(first.columns) - set(keys):
        np.testing.assert_allclose(first[column].to_numpy(), second[column].to_numpy(), rtol=1e-9)
    np.testing.assert_allclose(fits[0].shared["value"], fits[1].shared["value"], rtol=1e-9)
    assert fits[0].log_likelihood(twice) == pytest.approx(fits[1].log_likelihood(collapsed))
    plain = fits[0].click_probabilities(lists, conditional=False)
    assert ((plain >= 0) & (plain <= 1)).all()
    assert fits[0].perplexity(lists)["perplexity"].is_finite().all()
    assert len(fits[0].sample(lists).pair) == len(lists.pair)


def test_cells_add_up_what_two_factor_models_look_at() -> None:
    lists = odd_lists(1)
    for above in (False, True):
        plain, weighted = (each.cells(by_click_above=above) for each in (lists, lists.collapsed()))
        frame = pl.DataFrame({"pair": lists.pair, "rank": lists.rank, "above": lists.previous_click * above,
                              "clicked": lists.clicked})  # fmt: skip
        counted = frame.group_by("pair", "rank", "above").agg(shown=pl.len(), clicks=pl.col("clicked").sum())
        counted = counted.sort("pair", "rank", "above")
        for cells in (plain, weighted):
            assert cells.pair.tolist() == counted["pair"].to_list()
            assert cells.shown.tolist() == counted["shown"].to_list()
            assert cells.clicks.tolist() == counted["clicks"].to_list()
            assert cells.groups[cells.group][:, 0].tolist() == counted["rank"].to_list()


def test_pairs_are_numbered_by_first_appearance_also_where_documents_are_shared() -> None:
    lists = ClickedLists.of([("q1", ["b", "a"], []), ("q2", ["a", "b"], []), ("q1", ["a", "c"], [])])
    assert lists.pairs.rows() == [("q1", "b"), ("q1", "a"), ("q2", "a"), ("q2", "b"), ("q1", "c")]
    assert lists.pair.tolist() == [0, 1, 2, 3, 1, 4]


def test_tied_pairs_have_one_parameter() -> None:
    lists = ClickedLists.of([("q", ["a", "b", "c"], ["a"]), ("q", ["b", "a", "c"], ["a", "c"])])
    grades = pl.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "grade": [1, 0, 1]})
    fit = fit_clicks(lists.tied(grades, -1), "DCTR")
    assert fit.pairs.rows() == [(0, 2, 0, 0.0), (1, 4, 3, 0.75)]
    assert fit.relevance().columns[0] == "grade"
    assert lists.tied(grades.head(1).cast({"grade": pl.String}), "none").pairs["grade"].to_list() == ["1", "none"]


# Six things that the library PyClick gets wrong -----------------------------------------------------------------------


def test_pages_without_clicks_do_not_pull_the_continuation_to_one() -> None:
    # 1: there, the last click of a page without clicks is at its end, so that nobody ever stops.
    lists = shown(10_000, length=8, pool=10)
    truth = truth_of("DBN", lists)
    dull = replace(truth, pairs=truth.pairs.with_columns(attractiveness=pl.col("attractiveness") * 0.3))
    drawn = dull.sample(lists, seed=1)
    assert (drawn.last_click < 0).mean() > 0.3
    assert fit_clicks(drawn, "DBN", iterations=80).shared["value"][0] == pytest.approx(0.8, abs=0.03)


def test_what_follows_a_rank_is_looked_up_at_that_rank() -> None:
    # 2 and 3: there, parameters below a rank are read from the top of the list, and what was not examined counts as
    # examined. The posterior of the second of three results, nothing clicked, alpha 0.5, 0.4, 0.9, gamma 0.8.
    docs = ["a", "b", "c"]
    block = next(iter(blocks(ClickedLists.of([("q", docs, [])]))))
    chain = Chain(np.array([0.5, 0.4, 0.9, 0.0]), np.full(4, 0.5), Continuation(0.8, np.full(4, 0.8), 0.0))
    third = 0.8 * 0.1 + 0.2  # no click at rank 3 after reading rank 2
    read, unread = 0.5 * 0.8 * 0.6 * third, 0.5 * 0.2
    examined = 0.6 * posterior(block, chain).slope[1, 0]
    assert examined == pytest.approx(read / (read + unread), abs=1e-15)


def test_the_cascade_model_has_a_relevance_and_conditional_probabilities() -> None:
    # 4 and 5: there, relevance is an error, and what is conditional on no click above is not.
    lists = ClickedLists.of([("q", ["a", "b"], ["b"])] * 2 + [("q", ["a", "b"], ["a"])] + [("q", ["a", "b"], [])])
    fit = fit_clicks(lists, "CM")
    assert fit.relevance()["relevance"].to_list() == pytest.approx([1 / 4, 2 / 3])
    assert fit.click_probabilities(lists)[:2] == pytest.approx([1 / 4, 2 / 3])
    assert fit.click_probabilities(lists, conditional=False)[:2] == pytest.approx([1 / 4, 3 / 4 * 2 / 3])
    assert fit.log_likelihood(lists) == pytest.approx(np.log([0.75, 2 / 3] * 2 + [0.25] + [0.75, 1 / 3]).sum())


@in_turn("length", [1, 3, 12])
def test_ubm_is_one_model_for_lists_of_every_length(length: int) -> None:
    # 6: there, "no click above" is another column in training than in probabilities, unless lists have ten results;
    # and lists of more than ten are an error.
    lists = shown(3_000, length=length, pool=14, queries=2)
    ranks = np.arange(1, length + 1)
    rows = [(rank, above, 0.9 ** (rank - above - 1)) for rank in ranks for above in range(rank)]
    rank, above, value = (list(each) for each in zip(*rows, strict=True))
    truth = replace(
        truth_of("PBM", lists), name="UBM", shared=shared_frame("examination", np.array(value), rank, above)
    )
    drawn = truth.sample(lists, seed=1)
    fit = fit_clicks(drawn, "UBM")
    plain = fit.click_probabilities(drawn, conditional=False)
    by_rank = [plain[lists.rank == each].mean() for each in ranks]
    clicks = [drawn.clicked[lists.rank == each].mean() for each in ranks]
    np.testing.assert_allclose(by_rank, clicks, atol=0.01)


# Perplexity and comparison --------------------------------------------------------------------------------------------


def test_perplexity_divides_by_the_results_shown_at_a_rank() -> None:
    lists = ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["a"], []), ("q", ["a"], ["a"])])
    model = fit_clicks(lists, "RCTR", prior=(1, 1))
    frame = model.perplexity(lists)
    first = (3 / 5) ** (-2 / 3) * (2 / 5) ** (-1 / 3)
    assert frame["perplexity"].to_list() == pytest.approx([first, 3 / 2, (first + 3 / 2) / 2])
    assert frame["shown"].to_list() == [3, 1, 4]


def test_intervals_of_perplexity_are_those_of_the_bootstrap_over_users() -> None:
    rng = np.random.default_rng(0)
    lists = shown(1_500, seed=5)
    model = truth_of("PBM", lists)
    drawn = replace(model.sample(lists, seed=6), unit=rng.integers(0, 200, 1_500).astype(np.int32), unit_kind="user")
    found = model.perplexity(drawn).row(-1, named=True)
    pages = [np.flatnonzero(drawn.unit == unit) for unit in range(200)]
    values = []
    for _ in range(300):
        chosen = np.concatenate([pages[unit] for unit in rng.integers(0, 200, 200)])
        values.append(model.surprise(drawn.taken(chosen)).perplexity)
    low, high = np.quantile(values, [0.025, 0.975])
    assert (found["high"] - found["low"]) == pytest.approx(high - low, rel=0.2)


def test_comparison_on_later_pages_says_what_is_impossible() -> None:
    lists = shown(2_000, queries=3, pool=6)
    drawn = truth_of("DBN", lists).sample(lists, seed=1)
    log = _as_log(drawn, times=True)
    result = compare_click_models(log, ["RCTR", "PBM", "DBN", "CM"])
    assert result.settings["split"] == "time"
    assert result.settings["held_out_pages"] == 400
    assert result.best == "DBN"
    cascade = result.table.filter(pl.col("model") == "CM").row(0, named=True)
    assert cascade["log_likelihood"] is None
    assert cascade["conditional_perplexity"] is None
    clicks = drawn.clicked.reshape(-1, 4)[1600:].sum(axis=1)
    assert cascade["impossible_pages"] == pytest.approx((clicks > 1).mean())
    assert "impossible on" in str(result)
    position = result.table.filter(pl.col("model") == "PBM").row(0, named=True)
    assert position["behind_best_high"] < 0
    other = compare_click_models(_as_log(drawn), ["RCTR", "PBM"], seed=3)
    assert other.settings["split"] == "random"
    assert other.table.equals(compare_click_models(_as_log(drawn), ["RCTR", "PBM"], seed=3).table)
    for form in ("to_html", "to_json", "to_markdown", "to_latex", "to_csv"):
        assert "PBM" in getattr(result, form)()


def _as_log(lists: ClickedLists, *, times: bool = False) -> Log:
    """A page of four results for each list; an hour apart, if they have times."""
    names = lists.pairs.rows()
    pages = []
    for pairs, clicks in zip(lists.pair.reshape(-1, 4), lists.clicked.reshape(-1, 4), strict=True):
        docs = [names[pair][1] for pair in pairs]
        pages.append((names[pairs[0]][0], docs, [doc for doc, click in zip(docs, clicks, strict=True) if click]))
    if not times:
        return Log.from_pages(pages)
    hours = [datetime(2026, 1, 1) + timedelta(hours=hour) for hour in range(len(pages))]
    return Log.from_pages(pages, time=hours)


def test_perplexity_of_what_is_impossible_is_infinite_and_quiet() -> None:
    """Plain maximum likelihood rules out a first click; ranks on which nothing impossible happened keep a number."""
    fit = fit_clicks(ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["a", "b"], [])]), "DCTR")
    later = ClickedLists.of([("q", ["a", "b"], ["b"]), ("q", ["a", "b"], [])])
    with np.errstate(all="raise", divide="ignore"):
        found = fit.perplexity(later)
    assert found["perplexity"].to_list() == [2.0, np.inf, np.inf]
    assert found["low"].to_list()[1:] == [None, None]


def test_a_large_share_of_few_pages_is_held_out_by_time() -> None:
    times = [datetime(2026, 3, day) for day in range(1, 11)]
    log = Log.from_pages([("q", ["a"], ["a"] * (1 - day % 2)) for day in range(10)], time=times)
    for share, pages in ((0.9, 9), (0.99, 9), (0.2, 2)):
        settings = compare_click_models(log, "GCTR", held_out=share).settings
        assert (settings["split"], settings["held_out_pages"]) == ("time", pages)


def test_plain_likelihood_on_held_out_pages_may_be_impossible_and_says_so() -> None:
    log = Log.from_pages([("q", ["a"], [])] * 9 + [("q", ["a"], ["a"])])
    test = ClickedLists.of([("q", ["a"], ["a"]), ("q", ["new"], [])])
    fit = fit_clicks(log.where(pl.col("impression") < 9), "DCTR")
    assert fit.log_likelihood(test) == -np.inf
    assert fit.is_seen(test).tolist() == [True, False]
    assert fit_clicks(log, "DCTR").click_probabilities(test).tolist() == pytest.approx([0.1, 0.1])  # the mean of all


# Files and commands ---------------------------------------------------------------------------------------------------


@in_turn("name", MODELS)
def test_a_saved_model_says_the_same(name: str, tmp_path: Path) -> None:
    lists = shown(200)
    fit = fit_clicks(truth_of(name, lists).sample(lists, seed=2), name, prior=(1, 1), iterations=10)
    fit.save(tmp_path / "model.json")
    read = ClickModel.load(tmp_path / "model.json")
    assert read.click_probabilities(lists).tolist() == fit.click_probabilities(lists).tolist()
    assert (read.trace, read.converged, read.settings) == (fit.trace, fit.converged, fit.settings)
    if fit.model.relevance:
        assert read.relevance().equals(fit.relevance())
    assert str(read)


def _shared(**changed: list[int | None]) -> dict[str, Any]:
    rows: dict[str, Any] = {"parameter": ["examination"] * 2, "rank": [1, 2], "click_above": [None] * 2}
    return rows | {"value": [1.0, 0.5], "shown": [1.0, 1.0]} | changed


DAMAGE = {
    "not json": ("{", "expected JSON"),
    "another file": ('{"a": 1}', "expected a click model that was saved, with the key 'assay_click_model'"),
    "another version": (("assay_click_model", 99), "expected a click model of version 1"),
    "no such model": (("name", "XYZ"), "choose a click model of"),
    "no pairs": (("pairs", None), "pairs is no table"),
    "no probability": (("shared", {"parameter": ["examination"], "rank": [1], "click_above": [None], "value": [7],
                                   "shown": [1]}), "value is no probability"),
    "uneven": (("evidence", {}), "evidence does not fit the pairs"),
    "no impressions": (("pairs", {"query_id": ["q"], "clicks": [1], "attractiveness": [1.0]}), "pairs have no impress"),
    "no clicks": (("pairs", {"query_id": ["q"], "impressions": [1], "attractiveness": [1.0]}), "pairs have no clicks"),
    "no attractiveness": (("pairs", {"query_id": ["q"], "impressions": [1], "clicks": [1]}), "pairs have no attract"),
    "numbers for ids": (("pairs", {"query_id": [1, 2], "impressions": [1, 1], "clicks": [1, 0],
                                   "attractiveness": [1.0, 0.0]}), "unexpected value"),
    "more clicks than impressions": (("pairs", {"query_id": ["q", "p"], "impressions": [1, 1], "clicks": [5, 0],
                                                "attractiveness": [1.0, 0.0]}), "clicks are no counts from 0 to"),
    "another model's parameters": (("name", "DBN"), "pairs have no satisfaction"),
    "a model without its parameters": (("name", "RCTR"), "a parameter is not one of RCTR"),
    "no ranks": (("shared", _shared(rank=[None, None])), "examination is not there by rank"),
    "clicks above": (("shared", _shared(click_above=[0, 1])), "examination is not there by rank"),
    "a rank twice": (("shared", _shared(rank=[2, 2])), "is there twice"),
    "rank 0": (("shared", _shared(rank=[0, 1])), "ranks are from 1 to"),
    "a word for a truth value": (("converged", "no"), "`converged` is no truth value"),
    "a word for a number": (("trace", ["x"]), "could not convert"),
}  # fmt: skip


@in_turn("damage", DAMAGE)
def test_a_damaged_model_is_one_error(damage: str, tmp_path: Path) -> None:
    fit_clicks(ClickedLists.of([("q", ["a", "b"], ["a"])]), "PBM").save(tmp_path / "model.json")
    contents = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    change, message = DAMAGE[damage]
    text = change if isinstance(change, str) else json.dumps(contents | {change[0]: change[1]})
    (tmp_path / "bad.json").write_text(text, encoding="utf-8")
    with pytest.raises(assay.FormatError, match=message) as caught:
        ClickModel.load(tmp_path / "bad.json")
    assert str(caught.value).startswith(str(tmp_path / "bad.json"))
    assert "\n" not in str(caught.value)


def test_calls_that_make_no_sense_are_refused() -> None:
    lists = ClickedLists.of([("q", ["a"], ["a"])])
    with pytest.raises(assay.ParameterError, match="choose a click model of GCTR"):
        fit_clicks(lists, "PMB")
    with pytest.raises(assay.ParameterError, match="prior is two numbers"):
        fit_clicks(lists, "PBM", prior=1)  # type: ignore[arg-type]
    with pytest.raises(assay.ParameterError, match="clickless"):
        fit_clicks(lists, "PBM", clickless="kept")  # type: ignore[arg-type]
    with pytest.raises(assay.InputError, match="no result on any page"):
        fit_clicks(ClickedLists.of([("q", [], [])]), "PBM")
    with pytest.raises(assay.InputError, match="no result on any page: a click model has nothing to predict"):
        fit_clicks(lists, "PBM").perplexity(ClickedLists.of([("q", [], [])]))
    with pytest.raises(assay.ParameterError, match="has no relevance"):
        fit_clicks(lists, "RCTR").relevance()


def test_the_page_draws_the_best_models_first_and_in_the_same_colours() -> None:
    log = Log.from_pages(
        [("q", ["a", "b", "c"], ["b"]), ("q", ["b", "a", "c"], ["a", "b"]), ("q", ["c", "a"], [])] * 20
    )
    result = compare_click_models(log, ["GCTR", "CM", "PBM", "RCTR", "DBN"], split="random")
    document = comparison_document(result)
    figures = [part for section in document.sections for part in section.parts if isinstance(part, Figure)]
    assert {(panel.x.low, panel.x.high) for figure in figures for panel in figure.panels} == {(1, 3)}
    drawn = [[each.name for each in figure.series] for figure in figures]
    rates = [name for name in result.order if name in {"GCTR", "RCTR"}]
    models = [name for name in result.order if name not in rates]
    assert drawn == [models + rates, models]
    assert [figure.panels[0].x.low for figure in figures] == [1, 1]  # there is no rank 0


def test_what_a_log_cannot_tell_is_missing_and_not_where_iterations_started() -> None:
    single = fit_clicks(ClickedLists.of([("q", ["a"], ["a"]), ("q", ["b"], [])] * 9), "DBN")
    assert single.shared["value"].to_list() == [None]  # nobody could go on
    assert single.relevance()["relevance"].to_list() == [None, 0.0]  # nor tell whether a click satisfied
    assert single.click_probabilities(ClickedLists.of([("q", ["b", "a"], [])])).tolist() == pytest.approx([0.0, 0.9])
    last = fit_clicks(ClickedLists.of([("q", ["a", "b"], ["a", "b"]), ("q", ["a", "b"], ["a"])] * 9), "DBN")
    assert last.relevance().select("relevance", "low", "high").row(1) == (None, 0.0, 1.0)  # only clicked at the end
    assert fit_clicks(ClickedLists.of([("q", ["a"], ["a"])]), "DBN", prior=(1, 1)).shared["value"].to_list() == [0.5]


def test_people_who_always_go_on_have_a_continuation_of_one() -> None:
    # All read down to the last result: the likelihood is largest where nobody ever stops, and is that of the fit.
    lists = ClickedLists.of([("q", ["a", "b", "c"], ["c"])] * 3 + [("q", ["b", "a", "c"], ["b", "c"])] * 2)
    for name, parameters in (("CCM", 3), ("DBN", 1)):
        fit = fit_clicks(lists, name)
        assert fit.shared["value"].to_list() == [pytest.approx(1.0)] * parameters
        assert fit.log_likelihood(lists) == pytest.approx(fit.trace[-1])
        assert fit.shared["shown"].sum() == pytest.approx(10.0)  # after each result but the last ones


def test_ranks_too_deep_for_ubm_are_one_error() -> None:
    log = Log.from_pages([("q", [f"d{n}" for n in range(5001)], ["d0"])])
    with pytest.raises(assay.InputError, match="expected ranks up to 4,999, which UBM can tell apart"):
        fit_clicks(log, "UBM", iterations=1).log_likelihood(log)


def test_pages_without_clicks_are_examined_or_dropped() -> None:
    lists = ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["a", "b"], [])])
    assert fit_clicks(lists, "SDBN").pairs["attractiveness"].to_list() == [0.5, 0.0]
    assert fit_clicks(lists, "SDBN", clickless="dropped").pairs["attractiveness"].to_list() == [1.0, None]


def test_simulated_clicks_make_a_log() -> None:
    log = Log.from_pages([("q", ["a", "b"], ["a"]), ("q", [], []), ("q", ["b", "a"], ["a"])], user_id=["u", "v", "w"])
    fit = fit_clicks(log, "PBM")
    drawn = simulate_clicks(fit, log, times=30, seed=1)
    pages, results, _ = drawn.sizes
    assert (pages, results) == (90, 120)
    assert drawn.unit_kind == "user"
    assert drawn.results.filter(pl.col("doc_id") == "b").select(pl.col("clicks").sum()).collect().item() == 0
    run = assay.Run.of({"q": {"a": 1.0, "b": 2.0, "c": 0.5}})
    assert simulate_clicks(fit, run, depth=2).results.collect()["doc_id"].to_list() == ["b", "a"]
    assert simulate_clicks(fit, run, depth=2).remarks == ("clicks were drawn from PBM, seed 0",)
    told = "33.3% of the results are new to the model for their query: they count with the mean of all"
    assert simulate_clicks(fit, run).remarks[1:] == (told,)
    with pytest.raises(assay.ParameterError, match="a number of results per page goes with a run"):
        simulate_clicks(fit, log, depth=2)


def test_the_commands_fit_save_and_simulate(tmp_path: Path) -> None:
    def run(*words: str) -> Any:
        return run_assay("clicks", *words, folder=tmp_path)

    (tmp_path / "log.csv").write_text(
        "serp_id,query,doc_id,rank,clicked\n"
        + "".join(f"p{n},tea,d{1 + (n + r) % 2},{1 + r},{int(n % 3 == r)}\n" for n in range(60) for r in range(2)),
        encoding="utf-8",
    )
    (tmp_path / "tea.run").write_text("tea Q0 d1 1 2 mine\ntea Q0 d2 2 1 mine\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("tea 0 d1 1\ntea 0 d2 0\n", encoding="utf-8")
    done = run("fit", "log.csv", "--model", "PBM", "--model", "RCTR", "--qrels", "qrels", "--save", "m.json")
    assert done.returncode == 0, done.stderr
    assert "On held-out pages" in done.stdout
    assert "m.json: " in done.stderr
    assert run("simulate", "m.json", "tea.run", "-o", "made", "--times", "5").returncode == 0
    assert assay.read_log(tmp_path / "made").sizes[0] == 5
    assert json.loads(run("fit", "log.csv", "--json", "--prior", "0", "0").stdout)["kind"] == "click model comparison"
    bad = run("fit", "log.csv", "--model", "PBN")
    assert bad.returncode == 2
    assert "did you mean PBM or DBN?" in bad.stderr
    assert run("simulate", "qrels", "tea.run", "-o", "other").returncode == 2
    assert not (tmp_path / "other").exists()


def test_on_real_pages_models_that_know_more_predict_more() -> None:
    pages = shared("clicks-yandex-wscd2012", "trainSample.gz")
    result = compare_click_models(pages, ["RCTR", "DCTR", "PBM", "UBM", "CM", "SDBN"], iterations=100)
    likelihood = dict(result.table.select("model", "log_likelihood").iter_rows())
    assert likelihood["UBM"] > likelihood["PBM"] > likelihood["DCTR"] > likelihood["RCTR"]
    assert likelihood["CM"] is None
    impossible = result.table.filter(pl.col("model") == "CM")["impossible_pages"][0]
    assert impossible == pytest.approx(0.25, abs=0.01)
    assert result.settings["several_clicks"] == pytest.approx(0.255, abs=0.001)


def test_models_are_not_compared_on_a_log_without_clicks() -> None:
    with pytest.raises(InputError, match="expected clicks to fit models to, got none on 16 training pages"):
        compare_click_models(Log.from_pages([("q", ["a", "b"], [])] * 20), "PBM")


def test_judgments_may_be_a_dict_and_pages_need_queries() -> None:
    log = Log.from_pages([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["a"])] * 20)
    rows = compare_click_models(log, ["PBM"], qrels={"q": {"a": 1, "b": 0}}).disagreements
    assert rows is not None
    assert rows.select("doc_id", "grade").sort("doc_id").rows() == [("a", 1.0), ("b", 0.0)]
    with pytest.raises(InputError, match="expected queries, by id or by text, got none"):
        fit_clicks(Log.from_pages([(None, ["a"], ["a"])]), "PBM")


def test_all_models_may_have_others_beside_them(tmp_path: Path) -> None:
    pages = "".join(
        f"p{n},q,{doc},{rank},{int(n % 3 == rank)}\n" for n in range(30) for rank, doc in ((1, "a"), (2, "b"))
    )
    (tmp_path / "log.csv").write_text(f"impression_id,query_id,doc_id,rank,click\n{pages}", encoding="utf-8")
    done = run_assay("clicks", "fit", "log.csv", "--model", "all", "--model", "SDBN-exact", "--model", "DBN", "--csv",
                     folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 12  # a line of names, ten models and one


# Any order of examination, and how much is enough to say so ----------------------------------------------------------


def pages_of(examined: list[float], pages: int, seed: int = 0) -> list[tuple[str, list[str], list[str]]]:
    """Pages of people who examine each rank that often, whatever they click."""
    rng = np.random.default_rng(seed)
    attracts = rng.uniform(0.1, 0.9, 20)
    made = []
    for _ in range(pages):
        docs = rng.permutation(20)[: len(examined)]
        hits = rng.random(len(examined)) < attracts[docs] * np.array(examined)
        made.append(("tea", [f"d{doc}" for doc in docs], [f"d{doc}" for doc in docs[hits]]))
    return made


def em_in_plain_loops(lists: ClickedLists, name: str, prior: tuple[float, float]) -> tuple[list[float], list[float]]:
    """Attractiveness by pair and examination by group, free, scaled so that the largest examination is 1."""
    group_of: dict[tuple[int, int], int] = {}
    rows = []
    for pair, rank, above, clicked in zip(lists.pair, lists.rank, lists.previous_click, lists.clicked, strict=True):
        group = group_of.setdefault((int(rank), int(above) if name == "UBM" else 0), len(group_of))
        rows.append((int(pair), group, bool(clicked)))
    attracts, examined = [0.5] * lists.pairs.height, [0.5] * len(group_of)
    for _ in range(3_000):
        counts = [[0.0, 0.0] for _ in attracts], [[0.0, 0.0] for _ in examined]
        for pair, group, clicked in rows:
            a, g = attracts[pair], examined[group]
            missed = 1 - a * g
            counts[0][pair][0] += 1.0 if clicked else a * (1 - g) / missed
            counts[1][group][0] += 1.0 if clicked else g * (1 - a) / missed
            counts[0][pair][1] += 1
            counts[1][group][1] += 1
        attracts, examined = (
            [(yes + prior[0]) / (of + sum(prior)) for yes, of in each] for each in counts
        )  # fmt: skip
    largest = max(examined)
    order = sorted(group_of, key=lambda group: group)
    return [each * largest for each in attracts], [examined[group_of[group]] / largest for group in order]


@pytest.mark.parametrize("examined", [[0.1, 0.9, 0.9], [0.5, 1.0, 0.2], [0.9, 0.4, 0.7]], ids=str)
@pytest.mark.parametrize(("name", "prior"), [("PBM", (0.0, 0.0)), ("PBM", (1.0, 1.0)), ("UBM", (1.0, 1.0))])
def test_any_order_of_examination_is_fitted_as_plain_loops_fit_it(
    name: str, prior: tuple[float, float], examined: list[float]
) -> None:
    rng = np.random.default_rng(1)
    docs = [list(rng.permutation(list("abcd"))[: len(examined)]) for _ in range(40)]
    lists = ClickedLists.of([
        ("q", shown, [doc for doc, rate in zip(shown, examined, strict=True) if rng.random() < rate * 0.7])
        for shown in docs
    ])  # fmt: skip
    fit = fit_clicks(lists, name, prior=prior, iterations=1_500, tolerance=0.0)
    attracts, gaze = em_in_plain_loops(lists, name, prior)
    keys = ["rank", "click_above"] if name == "UBM" else ["rank"]
    assert fit.shared.sort(keys)["value"].to_list() == pytest.approx(gaze, abs=1e-6)
    assert fit.pairs["attractiveness"].to_list() == pytest.approx(attracts, abs=1e-6)
    assert fit.shared["value"].max() == 1.0


def test_a_first_rank_below_a_banner_does_not_make_rates_by_rank_win(tmp_path: Path) -> None:
    table = "serp_id,user,query,doc,position,clicked\n"
    for number, (query, docs, clicked) in enumerate(pages_of([0.1, 0.9, 0.9, 0.9, 0.9], 4_000)):
        for rank, doc in enumerate(docs, 1):
            table += f"p{number},u{number // 4},{query},{doc},{rank},{int(doc in clicked)}\n"
    (tmp_path / "log.csv").write_text(table)
    done = run_assay("clicks", "fit", "log.csv", "--model", "PBM", "--model", "RCTR", folder=tmp_path)
    assert "Best: PBM predicts the held-out clicks best, clearly better than all others." in done.stdout
    assert "prior of 1 pseudo-click and 1 pseudo-skip" in done.stdout
    plain = run_assay("clicks", "fit", "log.csv", "--prior", "0", "0", folder=tmp_path)
    assert "maximum likelihood, without a prior" in plain.stdout
    assert "behind the best" not in plain.stdout  # one model alone has no place
    assert "Best" not in plain.stdout
    frame = compare_click_models(tmp_path / "log.csv", ["PBM"]).examination
    assert frame["examination"][0] == pytest.approx(0.11, abs=0.03)
    assert frame["examination"].max() == 1.0


def test_two_pages_are_too_few_to_call_a_model_best() -> None:
    log = Log.from_pages(pages_of([1.0, 0.5], 10), user_id=[f"u{page}" for page in range(10)])
    result = compare_click_models(log, ["PBM", "RCTR", "DCTR"])
    text = str(result)
    assert "Best" not in text
    assert "clearly better" not in text
    assert "2 held-out users are too few to tell which model is best" in text
    assert any(
        warning.startswith("2 held-out users on 2 pages only: with fewer than 30") for warning in result.warnings
    )
    ends = result.table.select(pl.col("^.*perplexity_(low|high)$")).to_numpy()
    assert (ends >= 1).all()
    assert (result.ranks.select(pl.col("^.*_(low|high)$")).to_numpy() >= 1).all()
    assert (result.table["log_likelihood_high"].to_numpy() <= 0).all()
    assert (result.table["log_likelihood_low"].to_numpy() <= result.table["log_likelihood"].to_numpy()).all()


def test_the_command_and_the_library_fit_by_the_same_prior() -> None:
    log = Log.from_pages(pages_of([1.0, 0.6, 0.3], 300))
    fit = assay.fit_clicks(log, "PBM")
    assert repr(fit).endswith("prior 1 1>")
    assert repr(fit_clicks(log, "PBM")).endswith("maximum likelihood>")
    lists = ClickedLists.from_log(log)
    late = lists.taken(np.flatnonzero(np.arange(300) % 5 > 0))
    assert compare_click_models(log).settings["prior"] == fit.settings["prior"]
    assert assay.fit_clicks(late, "UBM").shared.equals(assay.fit_clicks(late, "UBM", prior=(1, 1)).shared)


def test_a_count_of_reading_has_no_interval_and_says_why(tmp_path: Path) -> None:
    """What the clicks of people who read on without a click cannot tell: see `benchmarks.studies`."""
    log = Log.from_pages(pages_of([1.0, 0.9, 0.8], 400))
    counted = fit_clicks(log, "SDBN").relevance()
    assert counted["relevance"].null_count() == 0
    assert counted["low"].null_count() == counted["high"].null_count() == counted.height
    assert fit_clicks(log, "SDBN-exact").relevance()["low"].null_count() == 0
    assay.write_log(log, tmp_path / "log")
    told = run_assay("clicks", "judge", "log", "--by", "SDBN", folder=tmp_path)
    assert "SDBN has no intervals of relevance" in told.stderr
    assert run_assay("clicks", "judge", "log", "--by", "SDBN-exact", folder=tmp_path).returncode == 0


def test_intervals_of_the_exact_model_cover_what_those_of_the_count_did_not() -> None:
    coverage = click_interval_coverage.coverage
    covered = {name: coverage(name, repeats=6, pages=500) for name in ("SDBN", "SDBN-exact")}
    assert covered["SDBN"] < 0.85 < covered["SDBN-exact"]
