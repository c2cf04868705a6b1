"""Labels of a crowd: what is chosen, who is flagged and why, judgments by rule; HITs out and in; public label sets."""

from __future__ import annotations

import json
import math
import re
import time
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke, run_assay
from scipy import stats
from shared_data import shared

from assay import InputError, Labels, ParameterError, Qrels, crowd, make_hits, read_labels, read_qrels
from assay.core.registry import WRITERS
from assay.core.results import written
from assay.ground_truth.crowd import enough_labels
from assay.ground_truth.workers import FEWEST_GOLD
from assay.stats.aggregation import dawid_skene
from assay.subjects.judges.evaluation import ratings_of
from benchmarks.studies import simulate_agreement

Rows = list[tuple[str, str, str, Any]]
EXAMPLE = Path(__file__).parents[1] / "src" / "assay" / "data" / "crowd" / "labels.csv"


def labels_of(rows: Rows, **columns: list[Any]) -> Labels:
    frame = pl.DataFrame(rows, schema=["query_id", "item_id", "judge", "label"], orient="row")
    return Labels.of(frame.with_columns(pl.Series(name, values) for name, values in columns.items()))


SMALL = labels_of(
    [
        ("q1", "d1", "ana", 2), ("q1", "d1", "ben", 2), ("q1", "d1", "cleo", 0),
        ("q1", "d2", "ana", 0), ("q1", "d2", "ben", 1), ("q2", "d1", "cleo", 1),
    ],
    gold=[2, 2, 2, None, None, 0],
)  # fmt: skip


def simulated(items: int = 300, seed: int = 3) -> Labels:
    """Five careful workers, one who always says 1, one who takes turns, one who clicks at random, and fast."""
    rng = np.random.default_rng(seed)
    rows, seconds, gold = [], [], []
    for item in range(items):
        truth = int(rng.random() < 0.4)
        for place in range(5):
            rows.append(("q", f"d{item}", f"careful{place}", truth if rng.random() < 0.8 else 1 - truth))
        rows += [("q", f"d{item}", "constant", 1), ("q", f"d{item}", "turns", item % 2)]
        rows.append(("q", f"d{item}", "random", int(rng.random() < 0.5)))
        seconds += [20.0] * 7 + [2.0]
        gold += [truth if item % 5 == 0 else None] * 8
    return labels_of(rows, seconds=seconds, gold=gold)


def test_the_chosen_label_comes_with_probability_number_and_entropy() -> None:
    items = crowd(SMALL, method="majority").items
    assert items["label"].to_list() == [2, 0, 1]
    assert items["probability"].to_list() == pytest.approx([2 / 3, 1 / 2, 1])
    assert items["labels"].to_list() == [3, 2, 1]
    assert items["entropy"].to_list() == pytest.approx([-(2 / 3) * math.log2(2 / 3) - (1 / 3) * math.log2(1 / 3), 1, 0])
    assert items["tied"].to_list() == [False, True, False]
    assert items["gold"].to_list() == [2, None, 0]


def test_accuracy_is_over_items_with_gold_and_a_label() -> None:
    right, known, interval = crowd(SMALL, method="majority").accuracy
    assert (right, known) == (1, 2)
    assert interval.low < 0.5 < interval.high
    assert crowd(SMALL, method="majority", gold={"q1 d2": 0}).accuracy[:2] == (1, 1)
    assert crowd(SMALL, method="majority", gold=Qrels.of({"q1": {"d1": 2, "d2": 1}})).accuracy[:2] == (1, 2)


def test_agreement_with_the_majority_leaves_the_worker_out() -> None:
    # d1: ana (2) has ben 2 and cleo 0 as others: no majority. cleo has 2, 2: clear, and says 0. d2: only one other.
    workers = {row["worker"]: row for row in crowd(SMALL, method="majority").workers.iter_rows(named=True)}
    assert workers["cleo"]["agreement"] == 0.0
    assert workers["ana"]["agreement"] == 0.0  # d2: ben says 1, ana 0
    assert workers["ben"]["agreement"] == 0.0
    assert workers["cleo"]["gold"] == 2
    assert workers["cleo"]["accuracy"] == 0.0


def test_free_loaders_are_flagged_with_their_reason_and_careful_workers_are_not() -> None:
    result = crowd(simulated())
    flagged = dict(result.workers.filter("flagged").select("worker", "reason").iter_rows())
    assert set(flagged) == {"constant", "turns", "random"}
    assert "the same answer nearly always: 1 in 100% of labels" in flagged["constant"]
    assert "answers repeat every 2 labels" in flagged["turns"]
    assert "too fast: 2.0 s per label, others 20.0 s" in flagged["random"]
    assert all("no better than chance" in reason for reason in flagged.values())


def test_the_test_against_chance_is_a_binomial_of_the_workers_own_habits() -> None:
    labels = simulated()
    row = crowd(labels).workers.filter(worker="careful0").row(0, named=True)
    assert row["gold"] >= FEWEST_GOLD
    own = labels.frame.filter(judge="careful0").drop_nulls("gold")
    said, true = own["label"].mean(), own["gold"].mean()
    chance = said * true + (1 - said) * (1 - true)  # type: ignore[operator]
    right = int((own["label"] == own["gold"]).sum())
    assert row["chance"] == pytest.approx(chance)
    assert row["p"] == pytest.approx(stats.binomtest(right, own.height, chance, alternative="greater").pvalue)
    assert row["p_corrected"] >= row["p"]


@in_turn("has_gold", [True, False])
def test_honest_workers_are_hardly_ever_flagged(has_gold: bool) -> None:
    """Workers who differ in skill and speed, some of whom see topics without relevant documents only."""
    counted = simulate_agreement.flagged(10, categories=3, least=0.5, prevalence=None, has_gold=has_gold)
    assert counted["workers"] > 250
    assert counted["flagged"] <= 0.03 * counted["workers"]


def test_who_is_fast_and_right_is_not_flagged() -> None:
    truth = np.random.default_rng(0).integers(0, 3, 60).tolist()
    rows = [("q", f"d{n}", worker, truth[n]) for n in range(60) for worker in ("ana", "ben", "cleo")]
    seconds = [20.0, 20.0, 2.0] * 60
    assert not crowd(labels_of(rows, seconds=seconds), method="majority").workers["flagged"].any()


def test_the_same_answer_to_everything_is_right_where_nothing_is_relevant() -> None:
    rows = [("q1", f"d{n}", worker, 0) for n in range(40) for worker in ("ana", "ben", "cleo")]
    truth = np.random.default_rng(0).integers(0, 2, 80).tolist()
    rows += [("q2", f"d{n}", worker, truth[n]) for n in range(80) for worker in ("ben", "cleo", "dora")]
    assert not crowd(labels_of(rows), method="majority").workers["flagged"].any()


def test_a_sorted_list_is_no_rhythm() -> None:
    rows = [("q", f"d{n}", worker, int(n >= 30)) for worker in ("ana", "ben") for n in range(60)]
    assert crowd(labels_of(rows), method="majority").workers["period"].to_list() == [None, None]


def test_workers_with_few_labels_are_not_accused() -> None:
    rows = [("q", f"d{n}", worker, n % 2) for worker in ("ana", "ben", "cleo") for n in range(4)]
    rows += [("q", f"d{n}", "new", 1 - n % 2) for n in range(4)]
    assert not crowd(labels_of(rows), method="majority").workers["flagged"].any()


def test_leaving_workers_out_is_reversible_and_drops_no_label() -> None:
    labels = simulated()
    result = crowd(labels, exclude={"random": "clicks at random"})
    assert dict(result.excluded) == {"random": "clicks at random"}
    assert len(result.labels) == len(labels)
    assert result.items["labels"].unique().to_list() == [7]
    assert result.workers.filter("excluded")["worker"].to_list() == ["random"]
    back = result.excluding([])
    assert back.items["labels"].unique().to_list() == [8]
    assert back.items.equals(crowd(labels).items)
    assert set(crowd(labels, exclude="flagged").excluded) == {"constant", "turns", "random"}


@in_turn("method", ["dawid-skene", "mace", "majority", "weighted"])
def test_every_method_is_better_than_one_label(method: Any) -> None:
    result = crowd(simulated(), method=method)
    right, known, _ = result.accuracy
    assert right / known > 0.85
    if method == "weighted":
        assert any("the weights come from the gold labels" in warning for warning in result.warnings)


def test_how_many_labels_are_enough_is_drawn_by_the_seed() -> None:
    first, again = (crowd(simulated(), method="majority", price=0.1).enough for _ in range(2))
    assert first.equals(again)
    assert first["labels_per_item"].to_list() == list(range(1, 9))
    assert first["reference"].unique().to_list() == ["gold"]
    assert first["share"][-1] > first["share"][0] + 0.1
    assert first["cost"][2] == pytest.approx(0.1 * 3 * 300)
    assert enough_labels(first) is not None
    assert crowd(SMALL, method="majority").enough["reference"].unique().to_list() == ["all labels"]


def test_the_cost_is_that_of_all_labels_also_of_workers_left_out() -> None:
    assert crowd(SMALL, method="majority", price=0.02, exclude=["cleo"]).cost == pytest.approx(6 * 0.02)
    assert crowd(SMALL, method="majority").cost is None


@in_turn(
    ("rule", "expected"),
    [
        ("chosen", [2, 0, 1]), ("expected", [4 / 3, 1 / 2, 1]), ("probability", [2 / 3, 1 / 2, 1]),
        ("relevant", [1, 1, 1]),
    ],
)  # fmt: skip
def test_judgments_follow_the_rule(rule: Any, expected: list[float]) -> None:
    frame = crowd(SMALL, method="majority").to_qrels(rule).frame
    assert frame["relevance"].to_list() == pytest.approx(expected)
    assert frame["labels"].to_list() == [3, 2, 1]
    assert frame["probability"].to_list() == pytest.approx([2 / 3, 1 / 2, 1])


def test_items_that_stay_open_are_pooled_but_not_judged() -> None:
    assert crowd(SMALL, method="majority", ties="none").to_qrels().frame["relevance"].to_list() == [2, -1, 1]


def test_words_are_graded_by_the_order_of_the_categories() -> None:
    rows = [("q", "d", "ana", "yes"), ("q", "d", "ben", "yes"), ("q", "e", "ana", "no"), ("q", "e", "ben", "no")]
    with pytest.raises(ParameterError, match="from the lowest grade up with categories"):
        crowd(labels_of(rows), method="majority").to_qrels()
    graded = crowd(labels_of(rows), method="majority", categories=["no", "partly", "yes"]).to_qrels().frame
    assert graded["relevance"].to_list() == [2, 0]


def test_the_order_of_rows_does_not_matter() -> None:
    labels = simulated(60)
    turned = Labels(labels.frame.reverse())
    for method in ("dawid-skene", "mace", "majority", "weighted"):
        one, other = (crowd(each, method=method).items.sort("item_id") for each in (labels, turned))
        assert one["label"].to_list() == other["label"].to_list()
        assert one["probability"].to_list() == pytest.approx(other["probability"].to_list(), abs=1e-6)


@in_turn(
    ("labels", "arguments", "message"),
    [
        (
            labels_of([("q", "d", "ana", 1), ("q", "e", "ana", 0)]),
            {},
            "expected labels of two judges or more, got those of 'ana' alone",
        ),
        (SMALL, {"exclude": ["bne"]}, "no worker is called 'bne'; did you mean ben"),
        (SMALL, {"exclude": ["ana", "ben", "cleo"]}, "no worker is left"),
        (
            SMALL,
            {"categories": [0, 1]},
            "judge 'ana', item 'q1 d1': expected a label of 0, 1, got '2'; 2 labels outside the scale in all",
        ),
        (SMALL, {"method": "dawid"}, "method is one of"),
        (SMALL, {"price": -1}, "price"),
        (labels_of([("q", "d", "a", 1), ("q", "d", "b", 1)], gold=[1, 0]), {}, "several gold labels"),
    ],
)
def test_bad_input_is_one_clear_error(labels: Labels, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, ParameterError), match=message):
        crowd(labels, **arguments)


def test_a_result_has_every_form() -> None:
    document = crowd(EXAMPLE, price=0.02, exclude="flagged").document()
    for form in WRITERS:
        assert written(document, form).strip()
    data = json.loads(written(document, "json"), parse_constant=pytest.fail)
    assert data["kind"] == "crowd labels"


# HITs -----------------------------------------------------------------------------------------------------------------

TOPICS = pl.DataFrame({"query_id": ["q1", "q2"], "title": ["green tea", "black tea"]})
POOL = [("q1", f"d{n}") for n in range(9)] + [("q2", f"e{n}") for n in range(3)]
GOLD = {"q1": {"g1": 1, "g2": 0}, "q2": {"g3": 1}}


def test_every_document_is_asked_once_and_gold_stands_anywhere() -> None:
    hits = make_hits(TOPICS, POOL, gold=GOLD, per_hit=4, redundancy=3, price=0.1, seed=5)
    assert hits.frame.height == 3 + 1  # 9 documents by 3 beside a gold one; 3 by 3
    asked = hits.key.filter(pl.col("relevance") < 0)
    assert sorted(zip(asked["query_id"], asked["doc_id"], strict=True)) == sorted(POOL)
    assert hits.key.filter(pl.col("relevance") >= 0).group_by("hit").len()["len"].to_list() == [1] * 4
    assert hits.cost == pytest.approx(4 * 3 * 0.1 * 1.2)
    assert hits.key.equals(make_hits(TOPICS, POOL, gold=GOLD, per_hit=4, redundancy=3, seed=5).key)
    key = make_hits(TOPICS, POOL, gold=GOLD, per_hit=4, seed=6).key
    assert key.filter(pl.col("relevance") >= 0)["place"].n_unique() > 1
    assert not {"gold", "relevance"} & set(hits.frame.columns)


def test_a_document_that_several_judged_is_asked_about_once_and_gold_is_one_answer() -> None:
    judged = pl.DataFrame({"query_id": ["q1"] * 4, "doc_id": ["e1", "e1", "e2", "e2"], "judge": ["ana", "ben"] * 2,
                           "relevance": [1, 1, 0, 1]})  # fmt: skip
    assert make_hits(TOPICS, judged).key["doc_id"].sort().to_list() == ["e1", "e2"]
    with pytest.raises(InputError, match="expected one judgment of each document, got those of ana, ben"):
        make_hits(TOPICS, POOL, gold=judged)


def test_gold_may_be_judgments_in_memory() -> None:
    frame = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a"] * 3, "judge": ["x", "y", "z"], "label": [1, 1, 0]})
    judged = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]})
    for gold in (judged, judged.to_pandas(), {"q": {"a": 1}}, {"q a": 1}):
        assert crowd(frame, method="majority", gold=gold).accuracy[:2] == (1, 1)


def test_ten_workers_double_the_fee() -> None:
    assert make_hits(TOPICS, POOL, redundancy=10, price=0.1).settings["fee"] == pytest.approx(0.4)


def test_hits_go_out_and_their_answers_come_back(tmp_path: Path) -> None:
    hits = make_hits(TOPICS, POOL, gold=GOLD, per_hit=4, redundancy=2)
    hits.write(tmp_path / "hits.csv", tmp_path / "key.csv")
    out = pl.read_csv(tmp_path / "hits.csv", infer_schema_length=0)
    rows = []
    for row in out.iter_rows(named=True):
        for worker in ("w1", "w2"):
            answers = {f"Answer.label_{n}": "1" if row[f"doc_id_{n}"] else None for n in range(1, 5)}
            inputs = {f"Input.{name}": value for name, value in row.items()}
            rows.append({"WorkerId": worker, "WorkTimeInSeconds": "40", **inputs, **answers})
    pl.DataFrame(rows).write_csv(tmp_path / "results.csv")
    labels = read_labels(tmp_path / "results.csv", repeated="first")
    documents = {(query, doc) for query, doc in labels.frame.select("query_id", "item_id").iter_rows()}
    assert documents == {*POOL, *((query, doc) for query, grades in GOLD.items() for doc in grades)} & documents
    assert set(POOL) <= documents
    assert labels.frame.filter(item_id="e1")["seconds"].to_list() == [10.0, 10.0]
    items = crowd(labels, method="majority", gold=tmp_path / "key.csv").items
    assert items.height == len(documents)
    known = items.filter(pl.col("item_id").str.starts_with("g"))
    # Nobody said 0 of g2, whose answer it is: that counts as wrong.
    assert known["gold"].to_list() == [int(document != "g2") for document in known["item_id"]]


@in_turn(
    ("arguments", "message"),
    [
        ({"gold_per_hit": 5}, "gold_per_hit"), ({"per_hit": 0}, "per_hit"), ({"redundancy": 0}, "redundancy"),
        ({"price": -0.1}, "price"),
    ],
)  # fmt: skip
def test_hits_that_cannot_be_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make_hits(TOPICS, POOL, **arguments)


def test_topics_that_nobody_described_are_named() -> None:
    with pytest.raises(InputError, match="not described: q9"):
        make_hits(TOPICS, [("q9", "d1")])
    with pytest.raises(InputError, match="nothing to label"):
        make_hits(TOPICS, [("q1", "g1")], gold=GOLD)


def test_results_without_answers_say_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("WorkerId,Input.query_id,Input.doc_id_1\nw,q,d\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"results.csv:1: expected the answers to Input.doc_id_1 as Answer.label_1"):
        read_labels(file)
    file.write_text("WorkerId,Input.query_id,Input.doc_id_1,Answer.label_1\nw,q,d,1\nw,q,e,\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"results.csv:3: expected an answer in Answer.label_1"):
        read_labels(file)


# Commands -------------------------------------------------------------------------------------------------------------


def test_commands_aggregate_and_write_judgments(tmp_path: Path) -> None:
    done = invoke(["crowd", "aggregate", str(EXAMPLE), "--exclude", "flagged", "--qrels", str(tmp_path / "c.qrels")])
    assert done.exit_code == 0, done.output
    assert "gold items" in done.stdout
    assert read_qrels(tmp_path / "c.qrels").frame.height == 240
    workers = invoke(["crowd", "workers", str(EXAMPLE), "--csv", "--quiet"])
    assert workers.stdout.startswith("worker,labels,gold,accuracy")


def test_judgments_never_take_the_place_of_the_other_output(tmp_path: Path) -> None:
    done = run_assay("crowd", "aggregate", str(EXAMPLE), "--qrels", "c.csv", "-o", "c.csv", folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, "assay: c.csv: --output and --qrels are two files, not one\n")
    assert not (tmp_path / "c.csv").exists()


def test_a_label_outside_the_scale_ends_a_command_and_writes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "c.qrels"
    done = run_assay("crowd", "aggregate", str(EXAMPLE), "--categories", "0,2", "--qrels", str(target), folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"assay: {EXAMPLE}: judge 'w4', item '7 b187': ")
    assert "expected a label of 0, 2, got '1'" in done.stderr
    assert not target.exists()


# Public label sets ----------------------------------------------------------------------------------------------------


def test_the_crowd_of_the_relevance_feedback_track() -> None:
    """98,453 labels against 3,277 pairs with gold: models of the workers do better than votes, in seconds."""
    path = shared("crowd-trec-rf10", "trec-rf10-data.txt")
    start = time.process_time()
    table = read_labels(path, repeated="first", no_gold=-1)
    assert table.sizes == (96_883, 20_232, 766)
    graded = Labels(table.frame.with_columns(gold=pl.when(pl.col("gold") >= 0).then("gold")))
    results = {method: crowd(graded, method=method, draws=2) for method in ("majority", "dawid-skene", "mace")}
    assert time.process_time() - start < 10
    right = {method: result.accuracy[0] for method, result in results.items()}
    assert {result.accuracy[1] for result in results.values()} == {3277}
    assert right["majority"] == 1521
    assert right["dawid-skene"] >= right["majority"] + 50
    assert right["mace"] > right["majority"]
    assert results["dawid-skene"].aggregate.converged
    workers = results["majority"].workers.filter("flagged")
    # Three workers gave one answer each for thousands of pages.
    constant = workers.filter(pl.col("reason").str.contains("the same answer"))
    assert {"w108", "w101", "w102"} <= set(constant["worker"])
    # With broken links among the gold, leaving out all that are flagged makes votes better.
    votes, without = (crowd(table, method="majority", exclude=each, draws=0).accuracy for each in ((), "flagged"))
    assert votes[:2] == (2549, 4460)
    assert without[0] / without[1] > votes[0] / votes[1] + 0.02


def test_three_scales_of_the_crowdsourcing_track() -> None:
    """Five documents per row, graded 0 to 2 in the first run and 0 to 100 in the others: columns become rows."""
    hits, given = (
        pl.read_csv(
            shared("crowd-trec2011-uc3m", "data", name), separator="\t", null_values="NA", infer_schema_length=None,
            encoding="latin1",
        )
        for name in ("hits.txt", "assignments.txt")
    )  # fmt: skip
    parts = [
        given.join(hits, on="set").select(
            "run", query_id="topic", item_id=f"doc{n}", judge="worker", label=f"doc{n}rel",
            seconds=pl.col(f"doc{n}img").cast(pl.Float64) + pl.col(f"doc{n}txt").cast(pl.Float64),
        )
        for n in range(1, 6)
    ]  # fmt: skip
    rows = pl.concat(parts).drop_nulls("label")
    assert rows.height == 7085
    for run, method in ((1, "dawid-skene"), (2, "median"), (3, "median")):
        table = read_labels(rows.filter(run=run).drop("run"), repeated="first")
        result = crowd(table, method=method, draws=1)  # type: ignore[arg-type]
        assert result.items.height == table.sizes[1]
        assert result.items["label"].null_count() == 0
        assert result.workers["seconds"].null_count() < result.workers.height
        assert result.to_qrels().frame["relevance"].max() <= (2 if run == 1 else 100)  # type: ignore[operator]


def test_one_gold_item_does_not_make_its_worker_the_only_one_who_counts() -> None:
    """Weights come from gold where it is known, and else from the others: three who agree outvote a fourth."""
    workers = ("odd", "ana", "ben", "cy")
    rows: Rows = [("q", f"d{n}", worker, int(worker == "odd")) for n in range(20) for worker in workers]
    result = crowd(labels_of(rows, gold=[1] * 4 + [None] * 76), method="weighted")
    assert result.items["label"].to_list() == [0] * 20
    *others, odd = result.aggregate.ability  # in the order of their names
    assert odd < min(others)


def test_a_scale_may_be_stated_as_a_range_and_each_category_once(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("item,worker,label\nd1,a,1\nd1,b,7\nd2,a,0\nd2,b,1\n")
    told = run_assay("crowd", "aggregate", "labels.csv", "--categories", "0..3", folder=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert "expected a label of 0, 1, 2, 3, got '7'" in told.stderr
    fits = run_assay("crowd", "aggregate", "labels.csv", "--categories", "0..7", "--csv", folder=tmp_path)
    assert fits.returncode == 0
    with pytest.raises(ParameterError, match="each one once"):
        crowd(SMALL, categories=[0, 1, 1, 2])


def test_a_mark_for_no_gold_is_known_whatever_the_type_of_the_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,worker,label,gold\nd1,a,0.5,-1\nd1,b,1,-1\nd2,a,1,1\nd2,b,0.5,1\n")
    assert read_labels(path, no_gold=-1).frame["gold"].to_list() == [None, None, 1.0, 1.0]
    assert read_labels(path, no_gold="none").frame["gold"].to_list() == [-1.0, -1.0, 1.0, 1.0]


def test_labels_on_a_fine_scale_are_refused_by_models_that_would_not_fit_in_memory() -> None:
    rows: Rows = [("q", f"d{n}", f"w{n % 40}", n / 3) for n in range(4000)]
    with pytest.raises(ParameterError, match="too many confusion matrices"):
        crowd(labels_of(rows))


def test_hits_are_made_of_a_pool_as_it_was_written(tmp_path: Path) -> None:
    """Of a sample, those to judge; the key is never the file that workers see, and both are written or none."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("q1\tgreen tea\n")
    pool = tmp_path / "pool.csv"
    pool.write_text("query_id,doc_id,order,stratum\nq1,d1,1,3\nq1,d2,2,3\nq1,d3,,9\n")
    assert make_hits(topics, pool).key["doc_id"].sort().to_list() == ["d1", "d2"]
    pool.write_text("query_id,doc_id\nq1,d1\nq1,d3\n")
    hits = make_hits(topics, pool)
    assert hits.key["doc_id"].sort().to_list() == ["d1", "d3"]
    with pytest.raises(ParameterError, match="workers must not see the key"):
        hits.write(tmp_path / "hits.csv", tmp_path / "hits.csv")
    with pytest.raises(InputError, match="cannot be written"):
        hits.write(tmp_path / "hits.csv", tmp_path / "nowhere" / "key.csv")
    assert not (tmp_path / "hits.csv").exists()
    told = run_assay("crowd", "hits", "topics.tsv", "pool.csv", "--pay", "-1", folder=tmp_path)
    assert (told.returncode, told.stderr) == (2, "assay: --pay is a number from 0 on, not -1.0\n")


def test_one_worker_may_be_left_out_by_name_and_certainty_has_no_sign() -> None:
    same: Rows = [("q", f"d{n}", worker, 1) for n in range(3) for worker in "ab"]
    assert crowd(labels_of(same), method="weighted").items["label"].to_list() == [1, 1, 1]
    result = crowd(SMALL, method="majority", exclude="cleo")
    assert list(result.excluded) == ["cleo"]
    assert "-0.0" not in result.to_csv()


def test_the_labels_of_the_relevance_feedback_track_are_those_of_the_fixpoint() -> None:
    """Plain passes take 5,000 to get there; where one changes next to nothing, hundreds of labels are still wrong."""
    labels = read_labels(shared("crowd-trec-rf10", "trec-rf10-data.txt"), repeated="first", no_gold=-1)
    ratings = ratings_of(labels)
    fit = dawid_skene(ratings)
    assert fit.converged
    assert len(fit.trace) < 1500
    # Of 5,017 plain passes, after which nothing moves by 1e-11.
    assert np.bincount(fit.chosen).tolist() == [1531, 7968, 5762, 4971]
    assert fit.posterior.sum(axis=0) == pytest.approx([1585.241597, 7440.048917, 5866.577458, 5340.132028], abs=1e-4)


def test_one_category_has_no_model_but_workers_and_votes(tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text("item,judge,label\nd1,ana,1\nd1,ben,1\nd2,ana,1\nd2,ben,1\n")
    refused = run_assay("crowd", "aggregate", "same.csv", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("assay: same.csv: all labels are 1, which leaves nothing to model: use --method")
    for advice in (re.findall(r"--method \w+", refused.stderr)[0].split(), ["--categories", "0,1"]):
        assert advice[0] in refused.stderr
        followed = run_assay("crowd", "aggregate", "same.csv", *advice, "--csv", folder=tmp_path)
        assert (followed.returncode, followed.stderr) == (0, "")
        assert pl.read_csv(followed.stdout.encode())["label"].to_list() == [1, 1]
    workers = run_assay("crowd", "workers", "same.csv", "--csv", folder=tmp_path)
    assert (workers.returncode, workers.stderr) == (0, "")
    assert pl.read_csv(workers.stdout.encode())["labels"].to_list() == [2, 2]


def test_labels_that_nobody_gave_are_told_with_a_method_that_makes_none(tmp_path: Path) -> None:
    rows = ["d1,ana,1", "d1,ben,0", "d2,ana,1", "d3,ben,1", "d4,ben,0", "d5,cleo,0", "d5,ana,0"]
    (tmp_path / "few.csv").write_text("item,judge,label\n" + "\n".join(rows) + "\n")
    told = run_assay("crowd", "aggregate", "few.csv", "--csv", folder=tmp_path)
    assert "2 items got a label that nobody gave them, 2 of them from one label (the first: 'd3')" in told.stderr
    advice = re.findall(r"--method \w+", told.stderr)[0].split()
    followed = run_assay("crowd", "aggregate", "few.csv", *advice, "--csv", folder=tmp_path)
    assert "nobody gave" not in followed.stderr
    assert pl.read_csv(followed.stdout.encode()).filter(labels=1)["label"].to_list() == [1, 1, 0]


def test_a_fit_that_was_stopped_says_what_may_still_change() -> None:
    labels = read_labels(EXAMPLE)
    with mock.patch("assay.ground_truth.crowd.dawid_skene", partial(dawid_skene, iterations=3)):
        result = crowd(labels)
    assert any(
        "dawid-skene was stopped after 3 iterations: a probability still changed by" in w for w in result.warnings
    )


def test_workers_cost_what_their_labels_do() -> None:
    command = ["crowd", "workers", EXAMPLE, "--price", "0.05"]
    table = invoke([*command, "--csv"])
    rows = pl.read_csv(table.stdout.encode())
    assert rows["cost"].to_list() == pytest.approx((rows["labels"] * 0.05).to_list())
    assert f"Cost: {rows['cost'].sum():,.2f} at 0.05 per label." in invoke(command).stdout
