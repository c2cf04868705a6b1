"""Strategies step by step, simulations and leave-out-uniques, against slow twins."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau
from test_pooling import DOCUMENTS, Runs, ranked, some_runs, twin

from assay import (
    Documents,
    InputError,
    ParameterError,
    Topics,
    evaluate,
    inferred_scores,
    make_pool,
    next_documents,
    pool_bias,
    simulate_pool,
)
from assay.core.results import Result
from assay.ground_truth.simulation import STRATEGIES
from assay.ground_truth.strategies import ADAPTIVE, Judged, simulate
from assay.stats.correlation import tau_ap

Judgments = dict[str, dict[str, int]]

JUDGED = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=3)


# Strategies ---------------------------------------------------------------------------------------------------------


def slow_move_to_front(rankings: list[list[str]], relevant: dict[str, bool]) -> list[str]:
    """Priorities kept as such: stay with a run until it errs, then lower it and go on to the next of the highest."""
    priority, order, current = [0] * len(rankings), list[str](), 0
    while True:
        rest = {n: [d for d in ranking if d not in order] for n, ranking in enumerate(rankings)}
        rest = {n: ranking for n, ranking in rest.items() if ranking}
        if not rest:
            return order
        if current not in rest or (order and not relevant.get(order[-1], False)) or not order:
            highest = [n for n in rest if priority[n] == max(priority[each] for each in rest)]
            after = current if order else -1
            current = next((n for n in highest if n > after), highest[0])
        order.append(rest[current][0])
        priority[current] -= not relevant.get(order[-1], False)


def slow_max_mean(rankings: list[list[str]], relevant: dict[str, bool]) -> list[str]:
    hits, tries, order = [0] * len(rankings), [0] * len(rankings), list[str]()
    while True:
        rest = {n: [d for d in ranking if d not in order] for n, ranking in enumerate(rankings)}
        open_runs = [n for n, ranking in rest.items() if ranking]
        if not open_runs:
            return order
        best = max((1 + hits[n]) / (2 + tries[n]) for n in open_runs)
        run = next(n for n in open_runs if (1 + hits[n]) / (2 + tries[n]) == best)
        order.append(rest[run][0])
        tries[run] += 1
        hits[run] += relevant.get(order[-1], False)


def slow_take(rankings: list[list[str]], _: dict[str, bool]) -> list[str]:
    rows = itertools.chain.from_iterable(itertools.zip_longest(*rankings))
    return list(dict.fromkeys(each for each in rows if each is not None))


TWINS = {"move-to-front": slow_move_to_front, "max-mean": slow_max_mean, "take": slow_take}
RANKINGS = st.lists(st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=7), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None)
@given(RANKINGS, JUDGED, st.sampled_from(sorted(TWINS)))
def test_strategies_read_documents_as_their_slow_twins_do(
    rankings: list[list[str]], judged: dict[str, int], strategy: str
) -> None:
    relevant = {document: grade > 0 for document, grade in judged.items()}
    assert [each.doc_id for each in simulate(strategy, rankings, relevant)] == TWINS[strategy](rankings, relevant)


@settings(max_examples=20, deadline=None)
@given(RANKINGS, JUDGED, st.sampled_from(sorted(ADAPTIVE)), st.integers(1, 3))
def test_a_simulation_is_the_same_steps_as_a_judge_in_the_loop_takes(
    rankings: list[list[str]], judged: dict[str, int], strategy: str, batch: int
) -> None:
    """Several documents at a time are each read once, too."""
    relevant = {document: grade > 0 for document, grade in judged.items()}
    history: list[Judged] = []
    while step := next_documents(strategy, rankings, history, count=batch, seed=3):
        history += [Judged(each.doc_id, each.run, relevant.get(each.doc_id, False)) for each in step]
    assert batch > 1 or history == simulate(strategy, rankings, relevant, seed=3)
    read = [each.doc_id for each in history]
    assert sorted(read) == sorted(set(itertools.chain.from_iterable(rankings)))


def test_a_bandit_prefers_the_run_that_finds_more() -> None:
    """One run of 30 relevant documents, one of 30 others: Thompson sampling finds most of the first soon."""
    rankings = [[f"bad{n}" for n in range(30)], [f"good{n}" for n in range(30)]]
    relevant = {f"good{n}": True for n in range(30)}
    first = simulate("thompson", rankings, relevant, seed=1)[:30]
    assert sum(each.relevant for each in first) > 20
    with pytest.raises(ParameterError, match="did you mean max-mean"):
        next_documents("maxmean", rankings)


# Simulations --------------------------------------------------------------------------------------------------------


@settings(max_examples=8, deadline=None)
@given(some_runs(), JUDGED, st.integers(1, 5))
def test_simulated_pools_find_what_was_judged_within_the_budget(
    runs: Runs, judged: dict[str, int], budget: int
) -> None:
    qrels = {"q0": {document: judged.get(document, 0) for document in DOCUMENTS}}
    held = {document for topics in runs.values() for document in topics["q0"]}
    found = simulate_pool(qrels, runs, budgets=[budget, 100], measures="P@3", seed=2)
    relevant = {document: grade > 0 for document, grade in qrels["q0"].items()}
    for strategy, limit, number, hits in found.curve.select("strategy", "budget", "judged", "relevant").iter_rows():
        if limit == 100:
            assert (number, hits) == (len(held), sum(relevant[document] for document in held))
        elif strategy == "depth":
            sizes = [len(twin({name: {"q0": topics["q0"]} for name, topics in runs.items()}, k)) for k in range(10)]
            assert number == max(size for size in sizes if size <= budget)
        else:
            assert number == min(budget, len(held))
        if strategy in TWINS and limit == budget:
            first = TWINS[strategy]([ranked(topics["q0"]) for topics in runs.values()], relevant)[:budget]
            assert hits == sum(relevant[document] for document in first)


def test_tau_is_that_of_systems_scored_by_the_documents_judged() -> None:
    rng = np.random.default_rng(4)
    qrels = {f"q{n}": {document: int(rng.random() < 0.4) for document in DOCUMENTS} for n in range(4)}
    runs: Runs = {f"r{m}": {t: {d: float(rng.random()) for d in DOCUMENTS} for t in qrels} for m in range(6)}
    found = simulate_pool(qrels, runs, strategies="take", budgets=[3], measures="AP").curve.row(0, named=True)
    kept = {t: {d: qrels[t][d] for d in slow_take([ranked(run[t]) for run in runs.values()], {})[:3]} for t in qrels}
    for topic, grades in kept.items():
        assert len(grades) == 3, topic
    full, part = evaluate(qrels, runs, "AP"), evaluate(kept, runs, "AP")
    expected = kendalltau([full.mean("AP", run) for run in runs], [part.mean("AP", run) for run in runs])
    assert found["tau"] == pytest.approx(expected.statistic)


def test_strategies_that_find_as_much_are_not_ranked() -> None:
    runs = {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"x": 2.0, "z": 1.0}}}
    told = simulate_pool({"q": {"x": 1, "y": 0, "z": 0}}, runs, budgets=[1], measures="AP").to_markdown()
    assert "With 1 document per topic, all strategies find 100% of the relevant documents." in told


def test_words_alone_cost_documents_and_miss_some() -> None:
    """Of three relevant documents, one holds all words of the title, one holds one, one none."""
    documents = Documents.of({"a": "Green tea leaves", "b": "some TEA", "c": "a hot drink", "d": "tea bags"})
    topics = Topics.of({"q": "the green tea", "unjudged": "drink"})
    qrels = {"q": {"a": 1, "b": 2, "c": 1, "d": 0}}
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}
    table = simulate_pool(qrels, runs, topics=topics, documents=documents).texts
    assert table is not None
    assert table.select("documents", "relevant", "missed").rows() == [(1, 1, 2), (3, 2, 1)]
    bias = pool_bias(qrels, runs, topics=topics, documents=documents)
    assert bias.unmatched is not None
    assert bias.unmatched.rows() == [("q", 3, 1)]


def test_words_are_looked_for_in_the_topic_that_was_judged_also_where_ids_are_written_differently() -> None:
    """As in Cranfield, judgments number the topics by position, 1 and 2, while topics are called 2 and 4."""
    topics = Topics.of({"2": "green tea", "4": "coffee"})
    documents = Documents.of({"7": "green tea", "8": "coffee"})
    qrels = {"1": {"007": 1}, "2": {"8": 1}}
    runs = {"x": {"1": {"007": 1.0}}, "y": {"2": {"8": 1.0}}}
    simulated = simulate_pool(qrels, runs, topics=topics, documents=documents)
    assert simulated.texts is not None
    assert simulated.texts["missed"].to_list() == [0, 0]
    bias = pool_bias(qrels, runs, topics=topics, documents=documents)
    assert bias.unmatched is not None
    assert bias.unmatched.rows() == [("1", 1, 0), ("2", 1, 0)]
    for result in (simulated, bias):
        said = " ".join(result.warnings)
        assert "queries are numbered by position" in said
        assert "'007' is '7'" in said


@in_turn(("grade", "words"), [(1, "every judged document is relevant"), (0, "no judged document is")])
def test_judgments_of_one_kind_are_warned_about(grade: int, words: str) -> None:
    qrels = {"q": {"a": grade, "b": grade}}
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}
    for result in (simulate_pool(qrels, runs), pool_bias(qrels, runs)):
        assert words in " ".join(result.warnings)
        assert not any("judged document is" in each for each in simulate_pool({"q": {"a": 1, "b": 0}}, runs).warnings)


@in_turn(
    ("options", "kind", "message"),
    [
        ({"strategies": "hedge"}, ParameterError, "choose a strategy of depth"),
        ({"budgets": []}, ParameterError, "at least one budget"),
        ({"budgets": [0]}, ParameterError, "budgets is a whole number"),
        ({"topics": Topics.of({"q": "tea"})}, ParameterError, "go together"),
    ],
)
def test_simulations_that_cannot_be_made_are_refused(options: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        simulate_pool({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, **options)


def test_judgments_that_have_nothing_to_do_with_the_runs_are_refused() -> None:
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}
    for call in (simulate_pool, pool_bias):
        with pytest.raises(InputError, match="no topic in common"):
            call({"other": {"a": 1}}, runs)
        with pytest.raises(InputError, match="no document is judged"):
            call({"q": {"a": -1}}, runs)
        judges = pl.DataFrame({"query_id": "q", "judge": ["ana", "ben"], "doc_id": "a", "relevance": [0, 1]})
        with pytest.raises(InputError, match="one judgment of each document, got those of ana, ben"):
            call(judges, runs)
    with pytest.raises(InputError, match="nothing to simulate"):
        simulate_pool({"q": {"z": 1}}, runs)
    one = simulate_pool({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, budgets=[1])
    assert "one run only" in one.warnings[0]
    assert one.curve["tau"].null_count() == one.curve.height == len(STRATEGIES) * 2


# Leave-out-uniques --------------------------------------------------------------------------------------------------


def slow_uniques(runs: Runs, groups: dict[str, str], depth: int) -> dict[str, set[tuple[str, str]]]:
    unique: dict[str, set[tuple[str, str]]] = {group: set() for group in groups.values()}
    for pair, sources in twin(runs, depth).items():
        owners = {groups[name] for name in sources}
        if len(owners) == 1:
            unique[owners.pop()].add(pair)
    return unique


@settings(max_examples=8, deadline=None)
@given(some_runs(), st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=4), st.integers(1, 4))
def test_leaving_out_uniques_scores_runs_by_what_others_found(runs: Runs, judged: dict[str, int], depth: int) -> None:
    topics = next(iter(runs.values()))
    qrels = {topic: dict(judged) for topic in topics}
    groups = {name: f"g{number % 3}" for number, name in enumerate(runs)}
    bias = pool_bias(qrels, runs, measures=["P@2", "R@5"], groups=groups, depth=depth, depths=(1, 2))
    unique = slow_uniques(runs, groups, depth)
    full = evaluate(qrels, runs, ["P@2", "R@5"])
    for row in bias.left_out.iter_rows(named=True):
        lost = unique[row["group"]]
        # An irrelevant document that nobody has keeps topics that lose all of their judgments.
        kept = {t: {d: g for d, g in grades.items() if (t, d) not in lost} | {"none": 0} for t, grades in qrels.items()}
        assert row["unique"] == sum((t, d) in lost for t, grades in qrels.items() for d in grades)
        assert row["unique_relevant"] == sum((t, d) in lost and g > 0 for t, gs in qrels.items() for d, g in gs.items())
        for column, judgments in (("full", qrels), ("without", kept)):
            expected = evaluate(judgments, {row["run"]: runs[row["run"]]}, row["measure"]).mean()
            assert row[column] == (None if np.isnan(expected) else pytest.approx(expected))
        others = [full.mean(row["measure"], name) for name in runs if name != row["run"]]
        place = None if row["without"] is None else 1 + sum(value > row["without"] for value in others)
        assert row["place_without"] == place


@settings(max_examples=10, deadline=None)
@given(some_runs(), st.integers(1, 3))
def test_a_shallower_pool_scores_by_what_it_holds(runs: Runs, depth: int) -> None:
    qrels = {
        topic: {document: int(n % 2) for n, document in enumerate(DOCUMENTS)} for topic in next(iter(runs.values()))
    }
    bias = pool_bias(qrels, runs, measures="R@5", depths=(depth,))
    pooled = twin(runs, depth)
    kept = {t: {d: g for d, g in grades.items() if (t, d) in pooled} | {"none": 0} for t, grades in qrels.items()}
    for row in bias.depths.iter_rows(named=True):
        expected = evaluate(kept, runs, "R@5")
        assert row["judged"] == len(pooled)
        mean = np.mean([expected.mean("R@5", name) for name in runs])
        assert (row["mean"] is None and np.isnan(mean)) or row["mean"] == pytest.approx(mean)


def test_a_verdict_says_by_which_measures_a_new_system_is_judged_fairly() -> None:
    """The run `odd` alone finds its documents: without them it has nothing; three others find the same."""
    qrels = {f"q{n}": {"a": 1, "b": 1, "c": 0, "odd1": 1, "odd2": 1} for n in range(5)}
    runs: Runs = {
        "one": {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in qrels},
        "two": {topic: {"a": 3.0, "c": 2.0, "b": 1.0} for topic in qrels},
        "three": {topic: {"c": 3.0, "a": 2.0, "b": 1.0} for topic in qrels},
        "odd": {topic: {"odd1": 3.0, "odd2": 2.0} for topic in qrels},
    }
    bias = pool_bias(qrels, runs, measures=["P@2", "RR"], depth=3)
    assert [each.fair for each in bias.verdicts] == [False, False]
    assert bias.verdicts[0].loser == "odd"
    assert bias.verdicts[0].largest_loss == 1.0
    text = str(bias)
    assert "not fair to a new system by P@2 and RR" in text
    assert "all runs together lose 33% of their P@2" in text
    assert bias.verdicts[0].loss == pytest.approx(1 / 3)  # of 1, 0.5, 0.5 and 1, the last is lost
    full, without = (bias.left_out.filter(measure="P@2")[name].to_numpy() for name in ("full", "without"))
    assert bias.verdicts[0].tau_ap == pytest.approx(tau_ap(full, without).value)
    fair = pool_bias(qrels, {name: run for name, run in runs.items() if name != "odd"}, measures=["P@2"], depth=3)
    assert [each.fair for each in fair.verdicts] == [True]
    assert "can score a new system fairly by P@2" in str(fair)
    with pytest.raises(ParameterError, match="all runs are of one group"):
        pool_bias(qrels, runs, groups=dict.fromkeys(runs, "team"))


def test_a_run_that_scores_little_does_not_make_a_collection_unfair_but_a_good_one_does() -> None:
    """Two runs find all of a to d, and others ever less of it; one more run alone has a document of its own."""
    topics = [f"q{n}" for n in range(10)]
    qrels = {topic: {"a": 1, "b": 1, "c": 1, "d": 1, "alone": 1} for topic in topics}
    every = {topic: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for topic in topics}
    runs: Runs = {f"r{n}": every | {f"q{m}": {"a": 1.0} for m in range(n)} for n in range(8)} | {"same": every}
    poor = pool_bias(qrels, runs | {"odd": {"q0": {"alone": 1.0}}}, measures="P@5", depth=4)
    assert (poor.verdicts[0].fair, poor.verdicts[0].largest_loss) == (True, 0.0)
    assert poor.left_out.filter(run="odd")["relative"].to_list() == [-1.0]
    with_own = {topic: {"alone": 5.0, "a": 4.0, "b": 3.0, "c": 2.0} for topic in topics}
    good = pool_bias(qrels, runs | {"odd": with_own}, measures="P@5", depth=4).verdicts[0]
    assert (good.fair, good.loser) == (False, "odd")
    assert good.largest_loss == pytest.approx(1 / 4)


def test_judgments_of_other_runs_are_warned_about() -> None:
    runs: Runs = {"x": {"q": {"a": 2.0}}, "y": {"q": {"b": 1.0}}}
    few, many = ({"q": {"a": 1, "b": 0} | {f"other{n}": 0 for n in range(number)}} for number in (0, 2))
    assert not any("others were pooled" in each for each in pool_bias(few, runs, depth=1).warnings)
    assert "2 of 4 judged documents are not among the first 1 of these runs" in " ".join(
        pool_bias(many, runs, depth=1).warnings
    )


def test_few_runs_are_warned_about() -> None:
    runs: Runs = {f"r{n}": {"q": {f"d{n}": 2.0, "a": 1.0}} for n in range(5)}
    said = {
        number: " ".join(pool_bias({"q": {"a": 1, "d0": 0}}, dict([*runs.items()][:number]), measures="AP").warnings)
        for number in (4, 5)
    }
    assert "4 runs only: the order of so few says little" in said[4]
    assert "runs only" not in said[5]


def test_sparse_judgments_are_drawn_with_a_seed() -> None:
    rng = np.random.default_rng(0)
    qrels = {f"q{n}": {document: int(rng.random() < 0.5) for document in DOCUMENTS} for n in range(5)}
    runs: Runs = {f"r{m}": {t: {d: float(rng.random()) for d in DOCUMENTS} for t in qrels} for m in range(4)}
    tables = [pool_bias(qrels, runs, measures=["R@3"], depths=(), seed=seed).sparse for seed in (1, 1, 2)]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


def test_every_result_is_shown_in_every_form() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "p": {"a": 1}}
    runs: Runs = {"x": {"q": {"a": 2.0, "b": 1.0}, "p": {"a": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}, "p": {"b": 1.0}}}
    results: list[Result] = [simulate_pool(qrels, runs), pool_bias(qrels, runs)]
    for result in results:
        assert all((str(result), result.to_json(), result.to_html(), result.to_markdown(), result.to_latex()))
        assert isinstance(result.to_frame(), pl.DataFrame)
    assert "<svg" in simulate_pool(qrels, runs).to_html()


def test_numbers_that_no_shallower_pool_moves_are_shown_too() -> None:
    """RR@1 is the same with the judgments of a pool of depth 1: there is no direction to tell."""
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "p": {"a": 1, "b": 0}}
    runs: Runs = {"x": {"q": {"a": 2.0, "b": 1.0}, "p": {"a": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}, "p": {"b": 1.0}}}
    text = str(pool_bias(qrels, runs, measures="RR@1", depth=1, depths=[1]))
    assert "Judgments of shallower pools" in text
    assert "What fewer judgments do" not in text


def test_what_is_asked_for_twice_is_shown_once() -> None:
    qrels, runs = {"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"b": 2.0, "a": 1.0}}}
    simulated = simulate_pool(qrels, runs, strategies=["take", "take"], measures="P@1,P@1", budgets=[1, 1])
    assert simulated.curve.height == 1
    assert "P@1" in str(simulated)
    assert len(pool_bias(qrels, runs, measures="P@1,P@1", depth=1).verdicts) == 1
    pool = make_pool(runs, depth=2)
    assert inferred_scores(pool, qrels, runs, measures="xinfAP,xinfAP").scores.height == 2


# Too little, and measures that are better when lower ------------------------------------------------------------------


def lines_of(runs: dict[str, dict[str, list[str]]], folder: Path) -> list[str]:
    for name, topics in runs.items():
        lines = (
            f"{topic} Q0 {doc} {rank} {9 - rank} {name}\n"
            for topic, docs in topics.items()
            for rank, doc in enumerate(docs, 1)
        )
        (folder / name).write_text("".join(lines))
    return list(runs)


def test_two_equal_runs_on_one_topic_are_too_little_to_call_judgments_fair(tmp_path: Path) -> None:
    names = lines_of({"one": {"q1": ["a", "b"]}, "two": {"q1": ["a", "b"]}, "three": {"q1": ["b", "a"]}}, tmp_path)
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    done = run_assay("pool", "bias", "qrels", *names[:2], "-m", "P@1", folder=tmp_path)
    assert "fairly by" not in done.stdout
    assert "1 topic and 2 runs say too little to call judgments fair: it takes 5 topics and 3 runs" in done.stderr
    simulated = run_assay("pool", "simulate", "qrels", *names, "-m", "P@1", folder=tmp_path)
    assert "3 runs only: tau has a few values" in simulated.stderr


def test_a_measure_that_is_better_when_lower_loses_where_it_rises(tmp_path: Path) -> None:
    """`odd` alone finds x: without it, its first relevant document comes third, not first."""
    topics = [f"q{n}" for n in range(6)]
    runs = {"good": ["a", "b", "c"], "fair": ["c", "a", "b"], "odd": ["x", "y", "a"]}
    names = lines_of({name: dict.fromkeys(topics, docs) for name, docs in runs.items()}, tmp_path)
    grades = {"a": 1, "b": 1, "c": 0, "x": 1, "y": 0}
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q in topics for d, g in grades.items()))
    bias = pool_bias(tmp_path / "qrels", [str(tmp_path / name) for name in names], measures=["FirstRank"], depth=3)
    rows = {row["run"]: (row["full"], row["without"], row["place"]) for row in bias.left_out.iter_rows(named=True)}
    assert rows == {"good": (1.0, 1.0, 1), "fair": (2.0, 2.0, 3), "odd": (1.0, 3.0, 1)}
    (verdict,) = bias.verdicts
    assert (verdict.fair, verdict.loser, verdict.largest_loss) == (False, "odd", 2.0)
    assert verdict.loss == pytest.approx(6 / 4 - 1)
    assert verdict.places == 2


def test_scores_that_are_all_na_are_the_reason_why_there_is_no_verdict(tmp_path: Path) -> None:
    names = lines_of({name: {"q1": ["a", "b"]} for name in ("one", "two")}, tmp_path)
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 1\n")
    (tmp_path / "nothing").write_text("q1 0 a 0\nq1 0 b 0\n")
    sizes = "Fallout is undefined: the size of the collection is not known"
    for qrels, measures, why in (
        ("qrels", "Fallout", sizes),
        ("qrels", "Fallout,P@1", f"{sizes}; runs are tied, or have no score"),
        ("nothing", "nDCG", "nDCG is undefined: no judged document has a gain"),
    ):
        done = run_assay("pool", "bias", qrels, *names, "-m", measures, folder=tmp_path)
        assert f"No measure has an order of systems to compare: {why}." in " ".join(done.stdout.split())
