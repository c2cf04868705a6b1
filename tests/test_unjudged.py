"""Unjudged documents: every retrieved document is counted, and what they could do is what brute force finds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from shared_data import shared
from strategies import random_tables

from assay import (
    DuplicateError,
    Evaluation,
    InputError,
    Measure,
    ParameterError,
    Policies,
    Qrels,
    Ranks,
    Run,
    evaluate,
    parse_measure,
    scan_run,
)
from assay.measures import registered
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranks import as_judged, retrieved, same_queries
from assay.subjects.ranking import extremes as search
from assay.subjects.ranking import unjudged as bounding
from assay.subjects.ranking.extremes import extremes
from assay.subjects.ranking.hypothetical_judgments import Trials
from assay.subjects.ranking.unjudged import bounds_of, judge_next, limits, reach_of

Table: TypeAlias = dict[str, dict[str, float]]

approx = pytest.approx
#: Measures that add up over documents, divided by what judgments do not change.
FIXED = ("P@5", "DCG@5", "CG", "RBP", "RBP(p=0.5)@4")
#: The same, divided by what only the number of relevant documents changes; of all grades, see the tests of trust.
COUNTED = ("R@5", "F@5")
MEASURES = [measure for measure in registered().values() if not measure.definition.subtopics]
NOTHING_RELEVANT: Table = {"q1": {"x": 0}, "q2": {"x": 1}}
ONE_UNJUDGED: dict[str, Table] = {"a": {"q1": {"u": 1}, "q2": {"x": 1}}, "b": {"q1": {"x": 1}, "q2": {"x": 1}}}
each_measure = in_turn("measure", MEASURES, ids=str)


def small_tables(seed: int, topics: int = 5, documents: int = 9) -> tuple[Table, dict[str, Table]]:
    """Judgments and two runs in which most queries have a few unjudged documents."""
    rng = np.random.default_rng(seed)
    ids = [f"d{number}" for number in range(documents)]
    qrels: Table = {}
    runs: dict[str, Table] = {"a": {}, "b": {}}
    for topic in map(str, range(topics)):
        judged = rng.permutation(ids)[: int(rng.integers(2, documents - 3))]
        qrels[topic] = {doc: float(rng.choice([-1, 0, 0, 1, 2])) for doc in judged.tolist()}
        for run in runs.values():
            found = rng.permutation(ids)[: int(rng.integers(3, 7))].tolist()
            run[topic] = {doc: -float(place) for place, doc in enumerate(found)}
    qrels["0"]["top"] = 2.0  # so that the highest grade is the same whatever else is drawn
    return qrels, runs


def counted(qrels: Table, runs: dict[str, Table], depth: int | None = None, **rules: Any) -> dict[str, Ranks]:
    made = {name: Run.of(run, name) for name, run in runs.items()}
    return retrieved(made, Qrels.of(qrels), Policies(**rules), depth)


def values(evaluation: Evaluation, system: str) -> Floats:
    return next(iter(evaluation.system(system).results.values())).values


def unjudged_of(qrels: Table, runs: dict[str, Table], query: str, cutoff: int | None) -> list[str]:
    """The slow twin: unjudged documents of a query that a run has within the cut-off."""
    found: dict[str, None] = {}
    for run in runs.values():
        ranking = sorted(run[query], key=lambda doc: -run[query][doc])
        found |= dict.fromkeys(doc for doc in ranking[:cutoff] if qrels[query].get(doc, -1) < 0)
    return list(found)


def every_judgment(qrels: Table, runs: dict[str, Table], cutoff: int | None) -> Iterator[Table]:
    """The slow twin: all ways to judge the unjudged documents irrelevant or highly relevant."""
    unjudged = {query: unjudged_of(qrels, runs, query, cutoff) for query in qrels}
    for bits in itertools.product((0.0, 2.0), repeat=max(map(len, unjudged.values()))):
        yield {query: qrels[query] | dict(zip(unjudged[query], bits, strict=False)) for query in qrels}


def all_heights(trials: Trials) -> Floats:
    """The height of every query (columns) under every hypothesis of lowest and highest grades (rows), and as judged."""
    query, top = trials.unjudged.query, trials.grades[-1]
    first = np.searchsorted(query, trials.queries)
    rows = [trials.height(trials.observed)]
    for bits in range(1 << int(np.bincount(query, minlength=1).max())):
        chosen = trials.values(
            trials.queries,
            lambda _, number: np.where((bits >> (number - first[query[number]])) & 1 == 1, top, 0.0),  # noqa: B023
        )
        rows.append(trials.height(chosen))
    return np.array(rows)


# Counts that hold every retrieved document.


@in_turn("depth", [None, 1, 3, 100])
@in_turn("ties", ["doc_id_descending", "doc_id_ascending", "input_order"])
def test_every_document_down_to_the_depth_is_a_hit(depth: int | None, ties: str) -> None:
    qrels, run = random_tables(5)
    ranks = counted(qrels, {"run": run}, depth, ties=ties)["run"]
    for number, query in enumerate(ranks.queries):
        rows = ranks.hits.where(ranks.hits.query == number)
        ids = list(run.get(query, {}))
        by_id = sorted(ids, key=str.encode, reverse=ties.endswith("descending")) if "doc_id" in ties else ids
        ranking = sorted(by_id, key=lambda doc: -run[query][doc])
        wanted = [
            (rank, doc) for rank, doc in enumerate(ranking, 1) if depth is None or rank <= depth or doc in qrels[query]
        ]
        found = [ranks.doc_ids[document] for document in rows.document.tolist()]
        assert list(zip(rows.rank.tolist(), found, strict=True)) == wanted
        grades = [qrels[query].get(doc, -1.0) for _, doc in wanted]
        assert rows.grade.tolist() == grades


def test_values_are_those_of_an_evaluation() -> None:
    """Of every measure; also of measures that tell documents of the pool from others, whatever else was added."""
    qrels, run = random_tables(11)
    other = {query: docs for query, docs in random_tables(12).run.items() if query in qrels}
    rules: dict[str, Any] = {"collection_size": 100}
    for name, one in {"a": run, "b": other}.items():
        expected = evaluate(qrels, one, MEASURES, **rules).system("run").results
        for depth in (None, 4):
            ranks = as_judged(counted(qrels, {"a": run, "b": other}, depth, **rules)[name])
            for measure in MEASURES:
                np.testing.assert_allclose(
                    measure.of(ranks), expected[measure].values, rtol=1e-12, err_msg=str(measure)
                )


def test_a_gain_for_documents_outside_the_pool_stays_theirs() -> None:
    measure = parse_measure("DCG(gain={-1: 0.5, 2: 3})")
    qrels, runs = small_tables(3)
    counts = counted(qrels, runs)
    assert measure.of(as_judged(counts["a"])) == approx(values(evaluate(qrels, runs["a"], [measure]), "run"))


def test_files_tables_and_dicts_are_counted_alike(tmp_path: Path) -> None:
    qrels, run = random_tables(7)
    rows = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    path = tmp_path / "some.run"
    path.write_text("".join(f"{q.replace(' ', '_')}\tQ0\t{d}\t1\t{s}\tx\n" for q, d, s in rows), encoding="utf-8")
    judged = Qrels.of({query.replace(" ", "_"): docs for query, docs in qrels.items()})
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    frame = frame.with_columns(pl.col("query_id").str.replace_all(" ", "_", literal=True))
    from_file = retrieved({"run": scan_run(path)}, judged, None, 3)["run"]
    from_frame = retrieved({"run": Run.of(frame)}, judged, None, 3)["run"]
    assert from_file.doc_ids.to_list() == from_frame.doc_ids.to_list()
    np.testing.assert_array_equal(from_file.hits.rank, from_frame.hits.rank)
    np.testing.assert_array_equal(from_file.hits.document, from_frame.hits.document)


def test_the_order_may_be_that_of_the_ranks() -> None:
    run = Run.of(pl.DataFrame({"query_id": "q", "doc_id": ["x", "y"], "score": [1.0, 2.0], "rank": [1, 2]}))
    ranks = retrieved({"run": run}, Qrels.of({"q": {"z": 1}}), Policies(rank_by="rank"), 1)["run"]
    assert ranks.doc_ids[int(ranks.hits.document[0])] == "x"


def test_a_document_that_comes_twice_is_an_error_or_counts_once() -> None:
    run = Run.of(pl.DataFrame({"query_id": "q", "doc_id": ["x", "y", "x", "z"], "score": [1.0, 0.9, 9.0, 0.95]}))
    judged = Qrels.of({"q": {"z": 1}})
    with pytest.raises(DuplicateError):
        retrieved({"run": run}, judged)
    for rule, expected in {"first": ["x", "z", "y"], "best": ["x", "z", "y"]}.items():
        ranks = retrieved({"run": run}, judged, Policies(duplicates=rule), 2)["run"]  # type: ignore[arg-type]
        assert [ranks.doc_ids[document] for document in ranks.hits.document.tolist()] == expected[:2]


def test_scores_that_single_precision_takes_for_equal_are_tied() -> None:
    run = {"q": {"a": 1.0, "b": 1.0 + 1e-12}}
    for precision, first in {"double": "b", "single": "a"}.items():
        ranks = counted({"q": {"z": 1}}, {"run": run}, 1, score_precision=precision, ties="doc_id_ascending")["run"]
        assert [ranks.doc_ids[document] for document in ranks.hits.document.tolist()] == [first]


def test_what_the_run_lacks_is_missing_here_too() -> None:
    qrels: Table = {"q1": {"x": 1}, "q2": {"x": 1}, "q3": {"y": 1}}
    runs: dict[str, Table] = {"a": {"q1": {"x": 1}, "q2": {"y": 1}}, "b": {"q2": {"x": 1}, "q3": {"x": 1}}}
    counts = counted(qrels, runs, missing="skip")
    assert counts["a"].queries == ("q1", "q2")
    ours, theirs = same_queries(counts["a"], counts["b"])
    assert ours.queries == theirs.queries == ("q2",)
    assert reach_of(parse_measure("P@1"), counts["a"], counts["b"]).low == approx(0.0)


def test_rules_that_leave_nothing_to_ask_are_refused() -> None:
    qrels, runs = small_tables(0)
    with pytest.raises(ParameterError, match="no rank of their own"):
        counted(qrels, runs, ties="expected")
    with pytest.raises(ParameterError, match="takes unjudged documents out"):
        counted(qrels, runs, judged_only=True)
    with pytest.raises(InputError, match="unjudged='error'"):
        counted(qrels, runs, unjudged="error")
    with pytest.raises(ParameterError, match="depth is a whole number"):
        counted(qrels, runs, 0)


def test_systems_that_were_not_counted_together_are_not_compared() -> None:
    qrels, runs = small_tables(0)
    with pytest.raises(ParameterError, match="counted them together"):
        same_queries(counted(qrels, runs)["a"], counted(qrels, runs)["b"])


def test_subtopics_are_kept() -> None:
    frame = pl.DataFrame({"query_id": "q", "judge": ["1", "2", "1"], "doc_id": ["x", "x", "y"], "relevance": [1, 0, 1]})
    run = {"q": {"new": 3.0, "x": 2.0, "y": 1.0}}
    ranks = retrieved({"run": Run.of(run)}, Qrels.of(frame), subtopics=True)["run"]
    assert ranks.hits.grade.tolist() == [-1.0, 1.0, 1.0]
    measure = parse_measure("alpha_nDCG@5")
    expected = values(evaluate(frame, run, [measure], subtopics=True), "run")
    assert measure.of(as_judged(ranks)) == approx(expected)
    with pytest.raises(ParameterError, match="subtopics an unjudged document"):
        bounds_of(measure, ranks)


@each_measure
def test_other_grades_give_what_other_judgments_give(measure: Measure) -> None:
    """`regraded` against an evaluation on judgments that hold these grades."""
    qrels, runs = small_tables(4)
    ranks = counted(qrels, runs, collection_size=50)["a"]
    assert ranks.judgments is not None
    grades = np.random.default_rng(1).choice([-1.0, 0.0, 1.0, 2.0], len(ranks.doc_ids))
    changed: Table = {query: {} for query in qrels}
    columns = zip(ranks.judgments.topic.tolist(), ranks.doc_ids.to_list(), grades.tolist(), strict=True)
    for row, (topic, doc, grade) in enumerate(columns):
        if grade >= 0 or (ranks.added is not None and not ranks.added[row]):
            changed[ranks.queries[topic]][doc] = grade
    # Beside one that takes the size of the collection, so that it is refused for no measure.
    expected = values(evaluate(changed, runs["a"], [measure, "Fallout"], collection_size=50), "run")
    np.testing.assert_allclose(measure.of(ranks.regraded(grades)), expected, rtol=1e-12)


# How far the difference of two systems could move.


@in_turn("seed", range(1))
@in_turn(("name", "few"), [(name, 1 << 40) for name in (*FIXED, *COUNTED)] + [(name, 0) for name in FIXED])
def test_it_is_what_brute_force_finds(name: str, few: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All judgments of all unjudged documents, each evaluated as if they had been made; in long lists, too."""
    monkeypatch.setattr(search, "FEW_ROWS", few)
    measure = parse_measure(name)
    qrels, runs = small_tables(seed)
    cutoff = measure.parameters.get("cutoff")
    differences = []
    for judged in every_judgment(qrels, runs, cutoff):
        evaluation = evaluate(judged, runs, [measure])
        differences.append(np.nan_to_num(values(evaluation, "b")) - np.nan_to_num(values(evaluation, "a")))
    counts = counted(qrels, runs)
    reach = reach_of(measure, counts["a"], counts["b"])
    assert reach.low == approx(np.min(differences, axis=0).mean())
    assert reach.high == approx(np.max(differences, axis=0).mean())
    assert reach.documents == sum(len(unjudged_of(qrels, runs, query, cutoff)) for query in qrels)


@each_measure
def test_it_comes_near_to_brute_force_for_every_measure(measure: Measure) -> None:
    """Never beyond what is possible, and of the way to it a few percent short at most, all queries together."""
    missed = width = 0.0
    counts = counted(*small_tables(1), collection_size=50)
    for systems in ([counts["a"], counts["b"]], [counts["a"]]):
        trials = Trials(measure, systems, "counted_as")
        heights = all_heights(trials)[:, trials.counted]
        low, high = np.nanmin(heights, axis=0), np.nanmax(heights, axis=0)
        found_low, found_high = (trials.height(values)[trials.counted] for values in extremes(trials)[:2])
        missed += float((found_low - low + high - found_high).sum())
        width += float((high - low).sum())
    assert missed <= 0.05 * width + 1e-9


@in_turn("few", [0, 1 << 21])
@in_turn("name", ["AP", "ERR@4", "Bpref", "GMAP", "Q@4", "nDCG@4", "nERR", "gAP", "SetAP", "Rprec"])
def test_what_is_sure_is_so_and_nothing_lies_beyond_the_limits_of_the_rest(
    name: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all grades tried, and without: in lists that are called short, and in those that are called long."""
    counts = counted(*small_tables(6, topics=4, documents=8))
    for systems in ([counts["a"], counts["b"]], [counts["a"]]):
        trials = Trials(parse_measure(name), systems, "counted_as")
        with monkeypatch.context() as every:
            every.setattr(search, "_MOST_FOR_ALL", 1 << 14)
            every.setattr(search, "way_of", lambda *_: "all")
            low, high, sure = extremes(trials)
        assert sure.all()
        with monkeypatch.context() as some:
            some.setattr(search, "_ROWS_FOR_ALL", 0)
            some.setattr(search, "FEW_ROWS", few)
            some.setattr(bounding, "FEW_ROWS", few)
            found = extremes(trials)
        least, most = limits(trials, found)
        lowest, highest = trials.height(low), trials.height(high)
        assert (least <= lowest + 1e-9).all()
        assert (most >= highest - 1e-9).all()
        np.testing.assert_allclose(trials.height(found.low)[found.sure], lowest[found.sure], atol=1e-9)
        np.testing.assert_allclose(trials.height(found.high)[found.sure], highest[found.sure], atol=1e-9)


@pytest.mark.parametrize("name", ["AP", "ERR", "RR", "Q", "nDCG", "Rprec"])
def test_in_long_lists_it_comes_near_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FEW_ROWS", 0)
    monkeypatch.setattr(search, "_ROWS_FOR_ALL", 0)
    missed = width = 0.0
    for seed in range(2):
        qrels, runs = small_tables(seed)
        counts = counted(qrels, runs)
        trials = Trials(parse_measure(name), [counts["a"], counts["b"]], "counted_as")
        heights = all_heights(trials)
        found = [trials.height(values) for values in extremes(trials)[:2]]
        missed += float((found[0] - heights.min(axis=0) + heights.max(axis=0) - found[1]).sum())
        width += float(np.ptp(heights, axis=0).sum())
    assert missed <= 0.1 * width


def test_the_same_system_twice_has_no_reach() -> None:
    qrels, runs = small_tables(2)
    counts = counted(qrels, {"a": runs["a"], "again": runs["a"]})
    for name in ("AP", "nDCG@5", "P@5"):
        low, high, documents, changes_sign, _ = reach_of(parse_measure(name), counts["a"], counts["again"])
        assert (low, high, changes_sign) == (0.0, 0.0, False)
        assert documents > 0


def test_whether_the_sign_could_change() -> None:
    qrels: Table = {"q": {"x": 1, "y": 0}}
    better: Table = {"q": {"x": 2, "u": 1}}
    worse: Table = {"q": {"y": 2, "v": 1}}
    counts = counted(qrels, {"worse": worse, "better": better, "x": {"q": {"x": 1}}})
    sure = reach_of(parse_measure("P@1"), counts["worse"], counts["better"])
    assert sure == (1.0, 1.0, 0, False, True)
    # u and v are open: with v relevant and u not, the two are equal, but never the other way round.
    assert not reach_of(parse_measure("P@2"), counts["worse"], counts["better"]).changes_sign
    assert not reach_of(parse_measure("P@2"), counts["better"], counts["worse"]).changes_sign
    # Where nothing differs, any difference that could come about counts.
    assert reach_of(parse_measure("P@2"), counts["x"], counts["better"])[:4] == (0.0, 0.5, 1, True)


def test_documents_beyond_the_cutoff_are_left_alone() -> None:
    qrels: Table = {"q": {"x": 1}}
    counts = counted(qrels, {"a": {"q": {"x": 3, "u": 2, "v": 1}}, "b": {"q": {"x": 3, "v": 2, "u": 1}}})
    assert reach_of(parse_measure("nDCG@1"), counts["a"], counts["b"])[:4] == (0.0, 0.0, 0, False)
    assert reach_of(parse_measure("nDCG@2"), counts["a"], counts["b"]).documents == 2


def test_a_micro_average_moves_with_all_queries_together() -> None:
    measure = parse_measure("SetP(average='micro')")
    qrels: Table = {"q1": {"x": 1, "y": 0}, "q2": {"x": 1}}
    runs: dict[str, Table] = {"a": {"q1": {"x": 1}, "q2": {"x": 1}}, "b": {"q1": {"y": 1}, "q2": {"u": 1, "x": 2}}}
    counts = counted(qrels, runs)
    # a finds 2 of 2; b finds 1 of 3, or 2 of 3 with u.
    assert reach_of(measure, counts["a"], counts["b"])[:4] == approx((1 / 3 - 1, 2 / 3 - 1, 1, False))
    bounds = bounds_of(measure, counts["b"])
    assert (bounds.mean_low, bounds.mean_high) == approx((1 / 3, 2 / 3))
    assert np.isnan(bounds.low).all()
    with pytest.raises(ParameterError, match="sums counts up"):
        judge_next(measure, counts["a"], counts["b"])


def test_a_geometric_mean_is_put_together_as_one() -> None:
    measure = parse_measure("GMAP")
    qrels: Table = {"q1": {"x": 1}, "q2": {"x": 1}}
    runs: dict[str, Table] = {
        "a": {"q1": {"x": 1}, "q2": {"x": 1}},
        "b": {"q1": {"u": 2, "x": 1}, "q2": {"x": 1}},
    }
    counts = counted(qrels, runs)
    reach = reach_of(measure, counts["a"], counts["b"])
    # As judged 1 and sqrt(1/2 * 1); with u relevant a finds 1 of 2 and b both.
    assert (reach.low, reach.high) == approx((0.5**0.5 - 1, 1 - 0.5**0.5))


# Queries without a value as judged.


def test_they_count_as_declared_until_something_is_relevant() -> None:
    counts = counted(NOTHING_RELEVANT, ONE_UNJUDGED)
    assert reach_of(parse_measure("RR"), counts["a"], counts["b"])[:4] == (-0.5, 0.0, 1, True)


def test_they_stay_left_out() -> None:
    counts = counted(NOTHING_RELEVANT, ONE_UNJUDGED)
    assert reach_of(parse_measure("RR"), counts["a"], counts["b"], "skip")[:4] == (0.0, 0.0, 1, False)
    bounds = bounds_of(parse_measure("RR"), counts["a"], "skip")
    assert np.isnan(bounds.low[0])
    assert bounds.mean_high == approx(1.0)


def test_they_may_be_an_error() -> None:
    counts = counted(NOTHING_RELEVANT, ONE_UNJUDGED)
    with pytest.raises(InputError, match="undefined for 1 of 2"):
        reach_of(parse_measure("RR"), counts["a"], counts["b"], "error")


# How low and how high a single system's value could be.


def test_rbp_reaches_up_by_its_residual_but_for_the_tail() -> None:
    """The residual also has what comes after the last document, of weight p^n: nobody returned that."""
    qrels, runs = small_tables(6)
    ranks = counted(qrels, runs)["a"]
    plain = as_judged(ranks)
    for p in (0.5, 0.8):
        bounds = bounds_of(parse_measure("RBP")(p=p), ranks)
        value, residual = (parse_measure(name)(p=p).of(plain) for name in ("RBP", "RBPResidual"))
        assert bounds.low == approx(value)
        assert bounds.high == approx(value + residual - p**plain.retrieved)


def test_a_relevant_document_far_down_may_lower_ndcg() -> None:
    """So that all unjudged documents irrelevant is not the worst that can be."""
    ranks = counted({"q": {"x": 1}}, {"a": {"q": {"x": 4, "u": 3, "v": 2, "w": 1}}})["a"]
    bounds = bounds_of(parse_measure("nDCG"), ranks)
    assert bounds.high == approx([1.0])
    assert bounds.low == approx([(1 + 1 / np.log2(5)) / (1 + 1 / np.log2(3))])


def test_without_a_positive_grade_a_document_could_still_be_relevant() -> None:
    ranks = counted({"q": {"x": 0}}, {"a": {"q": {"u": 1}}})["a"]
    for name in ("P@1", "RR", "nDCG@1", "AP"):
        assert bounds_of(parse_measure(name), ranks).high == approx([1.0])


def test_the_top_of_a_named_scale_is_the_highest_grade() -> None:
    ranks = counted({"q": {"x": 1}}, {"a": {"q": {"u": 1}}})["a"]
    assert bounds_of(parse_measure("RBP(p=0.5, max_grade=4)"), ranks).high == approx([0.5])


def test_without_unjudged_documents_there_is_one_value() -> None:
    ranks = counted({"q": {"x": 1, "y": 0}}, {"a": {"q": {"y": 2, "x": 1}}})["a"]
    bounds = bounds_of(parse_measure("AP"), ranks)
    assert bounds.low == approx([0.5])
    assert bounds.high == approx([0.5])


# Which documents to judge next.


@in_turn("undefined", ["counted_as", "skip"])
@in_turn("name", ["AP", "nDCG@5", "P@5", "RR", "ERR", "Bpref", "InfAP", "GMAP", "NumRelRet", "Judged@5", "SetF"])
def test_the_effect_is_that_of_judging_the_document(name: str, undefined: Any) -> None:
    """Each document is judged in turn, and both systems are evaluated anew."""
    measure = parse_measure(name)
    qrels, runs = small_tables(8)
    counts = counted(qrels, runs)
    frame = judge_next(measure, counts["a"], counts["b"], 1000, ("a", "b"), undefined)
    found = {(row["query_id"], row["doc_id"]): row for row in frame.to_dicts()}

    def difference(judged: Table) -> float:
        evaluation = evaluate(judged, runs, [measure], undefined=undefined)
        return evaluation.mean(measure, "b") - evaluation.mean(measure, "a")

    now, effects = difference(qrels), {}
    for query in qrels:
        for doc in unjudged_of(qrels, runs, query, measure.parameters.get("cutoff")):
            effects[query, doc] = difference(qrels | {query: qrels[query] | {doc: 2.0}}) - now
    assert {pair for pair, effect in effects.items() if abs(effect) > 1e-9} == set(found)
    for pair, row in found.items():
        assert row["effect"] == approx(effects[pair])
        better = (row["effect"] > 0) == (measure.definition.higher_is_better is not False)
        assert row["favours"] == ("b" if better else "a")
    sizes = frame["effect"].abs().round(9).to_list()
    assert sizes == sorted(sizes, reverse=True)


def test_ranks_are_those_of_both_systems() -> None:
    qrels, runs = small_tables(9)
    counts = counted(qrels, runs)
    frame = judge_next(parse_measure("AP"), counts["a"], counts["b"], 5, ("a", "b"))
    assert frame.columns == ["query_id", "doc_id", "rank_a", "rank_b", "effect", "favours"]
    assert frame.height == 5
    for row in frame.to_dicts():
        for name, run in runs.items():
            ranking = sorted(run[row["query_id"]], key=lambda doc: -run[row["query_id"]][doc])
            expected = ranking.index(row["doc_id"]) + 1 if row["doc_id"] in ranking else None
            assert row[f"rank_{name}"] == expected


def test_without_unjudged_documents_there_is_nothing_to_judge() -> None:
    counts = counted({"q": {"x": 1}}, {"a": {"q": {"x": 1}}, "b": {"q": {"x": 2}}})
    assert judge_next(parse_measure("AP"), counts["a"], counts["b"]).height == 0
    with pytest.raises(ParameterError, match="n is a whole number"):
        judge_next(parse_measure("AP"), counts["a"], counts["b"], 0)


def test_a_large_collection_is_looked_at_in_full() -> None:
    """TREC-COVID, round 1: two runs of a thousand documents a topic, most of them unjudged."""
    folder = shared("trec-covid-r1", "runs")
    runs = {path.name: scan_run(path) for path in sorted(folder.iterdir())[:2]}
    qrels = shared("trec-covid-r1", "qrels.covid-round1.txt")
    evaluation = evaluate(qrels, dict(runs), ["AP", "P@10", "nDCG@10"])
    first, second = retrieved(runs, evaluation.qrels).values()
    assert (np.bincount(first.hits.query) == first.retrieved).all()
    for measure in evaluation.measures:
        means = [evaluation.mean(measure, name) for name in runs]
        assert [np.nan_to_num(measure.of(as_judged(ranks))).mean() for ranks in (first, second)] == approx(means)
        reach = reach_of(measure, first, second)
        assert reach.low <= means[1] - means[0] <= reach.high
        bounds = bounds_of(measure, second)
        assert bounds.mean_low <= means[1] <= bounds.mean_high
    nearest = judge_next(evaluation.measures[2], first, second, 3)
    assert nearest["effect"].abs().is_sorted(descending=True)
