"""Pools against slow twins: which documents, in which order, what they cost; samples and what follows from them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import shared

from assay import InputError, ParameterError, choose_runs, evaluate, inferred_scores, make_pool, pool_bias, read_qrels
from assay.ground_truth.run_ranks import RunRanks, overlaps

Runs = dict[str, dict[str, dict[str, float]]]
DOCUMENTS = [f"d{number}" for number in range(9)]


@st.composite
def some_runs(draw: st.DrawFn) -> Runs:
    """Two to five runs on one to three topics, with ties, gaps and short rankings."""
    scores = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=7)
    topics = [f"q{number}" for number in range(draw(st.integers(1, 3)))]
    return {f"r{number}": {topic: draw(scores) for topic in topics} for number in range(draw(st.integers(2, 5)))}


def ranked(scores: dict[str, float]) -> list[str]:
    return sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])


def twin(runs: Runs, depth: int) -> dict[tuple[str, str], dict[str, int]]:
    """Of each pooled document, the rank in each run that has it so high."""
    sources: dict[tuple[str, str], dict[str, int]] = {}
    for name, topics in runs.items():
        for topic, scores in topics.items():
            for rank, document in enumerate(ranked(scores)[:depth], start=1):
                sources.setdefault((topic, document), {})[name] = rank
    return sources


def pairs(frame: pl.DataFrame) -> list[tuple[str, str]]:
    return list(frame.select("query_id", "doc_id").iter_rows())


@settings(max_examples=10, deadline=None)
@given(some_runs(), st.integers(1, 8))
def test_a_pool_is_the_union_of_the_first_documents_each_once(runs: Runs, depth: int) -> None:
    pool, expected = make_pool(runs, depth=depth), twin(runs, depth)
    assert sorted(pairs(pool.frame)) == sorted(expected)
    for row in pool.frame.iter_rows(named=True):
        sources = expected[row["query_id"], row["doc_id"]]
        assert (row["best_rank"], row["runs"]) == (min(sources.values()), len(sources))
        assert row["first_run"] == min(sources, key=lambda name: (sources[name], name))
    deeper = twin(runs, depth + 1)
    assert set(pairs(pool.deeper)) == set(deeper) - set(expected)
    assert set(pairs(pool.frame)) <= set(pairs(make_pool(runs, depth=depth + 1).frame))
    alone = {name: sum(list(each) == [name] for each in expected.values()) for name in runs}
    assert dict(pool.contributions().select("run", "unique").iter_rows()) == alone


@settings(max_examples=10, deadline=None)
@given(some_runs(), st.integers(1, 6), st.sampled_from(["take", "rbp", "rrf"]))
def test_a_budget_takes_the_documents_that_the_strategy_puts_first(runs: Runs, budget: int, strategy: Any) -> None:
    pool, sources = make_pool(runs, strategy=strategy, budget=budget, order="priority"), twin(runs, 100)
    weights = {"rbp": lambda rank: 0.2 * 0.8 ** (rank - 1), "rrf": lambda rank: 1 / (60 + rank)}
    for topic in {topic for topic, _ in sources}:
        documents = {document: ranks for (other, document), ranks in sources.items() if other == topic}
        chosen = pool.frame.filter(query_id=topic)["doc_id"].to_list()
        assert len(chosen) == min(budget, len(documents))
        if strategy in weights:
            worth = {document: sum(map(weights[strategy], ranks.values())) for document, ranks in documents.items()}
        else:
            worth = {document: -min(ranks.values()) for document, ranks in documents.items()}
        left = [worth[document] for document in documents if document not in chosen]
        assert [worth[each] for each in chosen] == pytest.approx(sorted((worth[each] for each in chosen), reverse=True))
        assert min(worth[each] for each in chosen) >= max(left, default=-np.inf) - 1e-12


def test_take_goes_rank_by_rank_and_run_by_run() -> None:
    """x is first of the third run, and further down in the first: the second run's first document comes before it."""
    runs = {"a": {"q": {"w": 2.0, "x": 1.0}}, "b": {"q": {"y": 1.0}}, "c": {"q": {"x": 1.0}}}
    assert make_pool(runs, strategy="take", budget=2, order="priority").frame["doc_id"].to_list() == ["w", "y"]


def test_the_order_is_seeded_and_recorded() -> None:
    runs = {"a": {"q": {document: float(n) for n, document in enumerate(DOCUMENTS)}}, "b": {"q": {"d0": 1.0}}}
    first, again, other = (make_pool(runs, depth=9, seed=seed) for seed in (1, 1, 2))
    assert first.frame.equals(again.frame)
    assert first.frame["doc_id"].to_list() != other.frame["doc_id"].to_list()
    assert sorted(first.frame["doc_id"]) == sorted(other.frame["doc_id"])
    assert first.settings["seed"] == 1
    best_first = make_pool(runs, depth=9, order="priority").frame
    assert best_first["order"].to_list() == best_first["priority"].to_list()


def test_what_the_next_step_costs() -> None:
    """Depth 1 has d1 (of both runs) and e1, e2; rank 2 adds d2 and d3 for q, nothing for p."""
    runs = {
        "a": {"q": {"d1": 3.0, "d2": 2.0}, "p": {"e1": 1.0}},
        "b": {"q": {"d1": 3.0, "d3": 2.0}, "p": {"e2": 1.0}},
    }
    pool = make_pool(runs, depth=1, qrels={"q": {"d3": 1, "d2": 0}, "p": {"e1": 2}})
    rows = pool.next_steps().select("step", "documents", "fewest", "most", "in_all", "relevant").rows()
    assert rows == [
        ("one more rank", 1.0, 0, 2, 2, 0.5),
        ("one more run", 1.0, 1, 1, None, 0.5),
        ("one more topic", 1.5, 1, 2, None, 0.5),
    ]


def test_unusual_pools_are_warned_about() -> None:
    runs = {"a": {"q": {"d1": 1.0}}, "b": {"q": {"d1": 1.0}}, "empty": {}}
    told = " ".join(make_pool(runs, depth=10, topics=["q", "x"]).warnings)
    for part in ("3 runs", "depth of 10 is shallow", "nearly the same", "documents for topic x", "in run empty"):
        assert part in told


@in_turn(
    ("options", "message"),
    [
        ({"budget": 5}, "a budget needs a strategy"),
        ({"strategy": "take"}, "needs a budget"),
        ({"strategy": "rpb", "budget": 3}, "rpb"),
        ({"strata": {10: 1.0}}, "strata go with"),
        ({"strategy": "sample", "strata": {10: 0.0}}, "above 0"),
        ({"strategy": "sample", "depth": 7}, "as deep as its strata"),
        ({"depth": 0}, "depth is a whole number"),
        ({"groups": {"x": "y"}}, "a group is given for 'x'"),
    ],
)
def test_pools_that_cannot_be_made_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make_pool({"a": {"q": {"d": 1.0}}}, **options)


def test_runs_without_documents_are_refused() -> None:
    nothing = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})
    with pytest.raises(InputError, match="no documents: there is nothing to pool"):
        make_pool({"a": nothing, "b": nothing})
    with pytest.raises(InputError, match="for the 1 topic asked for"):
        make_pool({"a": {"q": {"d": 1.0}}}, topics=["x"])


@settings(max_examples=8, deadline=None)
@given(some_runs())
def test_overlap_is_the_share_of_common_documents(runs: Runs) -> None:
    held = {name: {(t, d) for t, scores in topics.items() for d in scores} for name, topics in runs.items()}
    for first, second, share in overlaps(RunRanks.of(runs)).iter_rows():
        assert share == pytest.approx(len(held[first] & held[second]) / len(held[first] | held[second]))


@settings(max_examples=8, deadline=None)
@given(some_runs(), st.integers(1, 3), st.booleans())
def test_each_run_chosen_adds_most(runs: Runs, number: int, judged: bool) -> None:
    relevant = {("q0", document) for document in DOCUMENTS[::2]} if judged else set()
    qrels = {"q0": {document: int(document in DOCUMENTS[::2]) for document in DOCUMENTS}} if judged else None
    number = min(number, len(runs))
    held = {name: {(t, d) for t, scores in topics.items() for d in ranked(scores)[:5]} for name, topics in runs.items()}
    covered: set[tuple[str, str]] = set()
    for row in choose_runs(runs, number, qrels=qrels, depth=5).chosen.iter_rows(named=True):
        worth = {name: (len((each - covered) & relevant), len(each - covered)) for name, each in held.items()}
        assert worth[row["run"]] == max(worth.values())
        assert row["new"] == len(held[row["run"]] - covered)
        covered |= held.pop(row["run"])
        assert row["documents"] == len(covered)


def test_chosen_runs_that_add_nothing_are_named() -> None:
    runs = {"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d1": 2.0}}, "c": {"q": {"d2": 1.0}}}
    assert choose_runs(runs, 1).warnings == ()
    assert choose_runs(runs, 2).warnings == ("1 run of the choice adds no document: b",)
    assert choose_runs(runs, 3).warnings == ("2 runs of the choice add no document: b, c",)


def test_a_choice_is_held_against_another_selection() -> None:
    runs = {"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d1": 2.0}}, "c": {"q": {"d9": 1.0}}}
    choice = choose_runs(runs, 2, compared_with=["a", "b"])
    documents = dict(choice.selections.select("selection", "documents").iter_rows())
    assert (documents["this choice"], documents["your selection"], documents["all runs"]) == (3, 2, 3)
    assert 2 <= documents["random (mean)"] <= 3
    with pytest.raises(ParameterError, match="cannot choose 4 runs from 3"):
        choose_runs(runs, 4)
    with pytest.raises(ParameterError, match="choose a run of a, b, c, not 'd'"):
        choose_runs(runs, 1, compared_with=["d"])


# Samples ------------------------------------------------------------------------------------------------------------


def collection(seed: int = 1) -> tuple[dict[str, dict[str, int]], Runs]:
    """Complete judgments of 5 topics with 80 documents, and three runs of falling quality."""
    rng = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(80)]
    qrels = {
        f"q{n}": {each: int(rng.random() < 0.25) * int(rng.integers(1, 3)) for each in documents} for n in range(5)
    }
    runs = {
        name: {
            topic: {each: grade * worth + rng.normal() for each, grade in grades.items()}
            for topic, grades in qrels.items()
        }
        for name, worth in (("good", 1.0), ("fair", 0.7), ("poor", 0.3))
    }
    return qrels, runs


def drawn(pool: Any, qrels: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for topic, document in pairs(pool.to_judge()):
        judged.setdefault(topic, {})[document] = qrels[topic][document]
    return judged


def test_a_sample_draws_the_stated_share_of_each_stratum() -> None:
    _, runs = collection()
    pool = make_pool(runs, strategy="sample", strata={5: 1.0, 20: 0.5, 60: 0.1})
    for (_, stratum), part in pool.frame.partition_by("query_id", "stratum", as_dict=True).items():
        rate = {5: 1.0, 20: 0.5, 60: 0.1}[stratum]
        number = int(np.ceil(rate * part.height - 1e-9))
        assert part["order"].count() == number
        assert part["inclusion"].unique().to_list() == [number / part.height]
        assert part["best_rank"].max() <= stratum
    assert pool.to_judge().height < pool.frame.height
    assert set(pool.to_qrels().frame["relevance"].unique()) == {-1.0}


def test_of_a_pool_that_is_judged_whole_the_estimates_are_the_measures() -> None:
    qrels, runs = collection()
    pool = make_pool(runs, strategy="sample", strata={10: 1.0, 80: 1.0})
    found = inferred_scores(pool, drawn(pool, qrels), runs, measures=["xinfAP", "infNDCG", "infNDCG@10"])
    expected = evaluate(drawn(pool, qrels), runs, ["AP", "nDCG", "nDCG@10"])
    values = [expected.mean(measure, run) for run in runs for measure in ("AP", "nDCG", "nDCG@10")]
    assert found.scores["value"].to_list() == pytest.approx(values, abs=1e-6)
    assert found.scores["error"].to_list() == pytest.approx([0.0] * 9)


def published(ranking: list[str], strata: dict[str, int], grades: dict[str, int]) -> tuple[float, float]:
    """xinfAP and infNDCG as the paper has them, by plain loops; `grades` of what was drawn."""
    sizes = {s: sum(each == s for each in strata.values()) for s in strata.values()}
    counts = {s: sum(strata[d] == s for d in grades) for s in sizes}
    worth = {document: sizes[strata[document]] / counts[strata[document]] for document in grades}
    total = 0.0
    for place, document in enumerate(ranking):
        if not grades.get(document):
            continue
        expected = 1.0
        for stratum in sizes:
            above = [each for each in ranking[:place] if strata.get(each) == stratum]
            judged = [grades[each] > 0 for each in above if each in grades]
            expected += len(above) * (sum(judged) + 1e-5) / (len(judged) + 2e-5)
        total += worth[document] * expected / (place + 1)
    gain = 0.0
    for stratum in sizes:
        here = {rank: document for rank, document in enumerate(ranking, 1) if strata.get(document) == stratum}
        seen = [grades[document] / np.log2(rank + 1) for rank, document in here.items() if document in grades]
        mean = np.mean([grades[each] for each in grades if strata[each] == stratum])
        gain += sum(seen) * len(here) / len(seen) if seen else mean * sum(1 / np.log2(rank + 1) for rank in here)
    ideal, rank = 0.0, 0.0
    discounts = np.append(0, np.cumsum(1 / np.log2(np.arange(len(strata)) + 2)))
    for grade in sorted({each for each in grades.values() if each}, reverse=True):
        number = sum(worth[document] for document, each in grades.items() if each == grade)
        ends = np.interp([rank, rank + number], np.arange(len(discounts)), discounts)
        ideal, rank = ideal + grade * float(ends[1] - ends[0]), rank + number
    relevant = sum(worth[document] for document, each in grades.items() if each)
    return (total / relevant, gain / ideal) if relevant else (0.0, 0.0)


def test_over_all_samples_of_small_pools_the_correction_takes_off_most_of_the_bias() -> None:
    """Every way to draw 4 of 8 documents, two others judged anyway. Of a single pool, it may be off by more."""
    rng, off = np.random.default_rng(0), []
    strata = {"a0": 1, "a1": 1} | {f"b{n}": 9 for n in range(8)}
    for _ in range(2):
        grades = {document: int(rng.random() < 0.4) * int(rng.integers(1, 3)) for document in strata} | {"a0": 1}
        ranking = sorted(strata, key=lambda document: -grades[document] - rng.normal())
        run = {"run": {"q": {document: -float(rank) for rank, document in enumerate(ranking)}}}
        truth = evaluate({"q": grades}, run, ["AP", "nDCG"])
        tables, relevant = [], []
        for sample in itertools.combinations([f"b{n}" for n in range(8)], 4):
            judged = {document: grades[document] for document in ("a0", "a1", *sample)}
            pool = pl.DataFrame({"query_id": ["q"] * 10, "doc_id": list(strata), "stratum": list(strata.values())})
            found = inferred_scores(pool, {"q": judged}, run, measures=["xinfAP", "infNDCG"])
            assert found.scores["published"].to_list() == pytest.approx(published(ranking, strata, judged))
            # A mean is kept between 0 and 1; the numbers of topics are not, so that they can be right on average.
            tables.append(found.topics.select("value", "published").to_numpy())
            relevant.append(float(found.strata["estimated"].to_numpy().sum()))
        assert np.mean(relevant) == pytest.approx(sum(grade > 0 for grade in grades.values()))
        off.append(np.abs(np.mean(tables, axis=0) - np.array([[truth.mean("AP")], [truth.mean("nDCG")]])))
    (ap, ap_published), (ndcg, ndcg_published) = np.mean(off, axis=0)
    assert ap < 0.6 * ap_published
    assert ndcg < ndcg_published


def test_estimates_from_samples_are_right_on_average_and_their_intervals_hold_the_truth() -> None:
    """60 samples of a pool whose judgments are known; `benchmarks.studies` has more, and thinner ones."""
    qrels, runs = collection()
    strata, measures = {10: 1.0, 30: 0.5, 80: 0.3}, ["xinfAP", "infNDCG", "infNDCG@20"]
    pools = [make_pool(runs, strategy="sample", strata=strata, seed=seed) for seed in range(60)]
    whole = {t: {d: qrels[t][d] for other, d in pairs(pools[0].frame) if other == t} for t in qrels}
    complete = evaluate(whole, runs, ["AP", "nDCG", "nDCG@20"])
    truth = np.array([complete.mean(measure, run) for run in runs for measure in ("AP", "nDCG", "nDCG@20")])
    tables = [inferred_scores(pool, drawn(pool, qrels), runs, measures=measures).scores for pool in pools]
    values = np.stack([table["value"].to_numpy() for table in tables])
    held = np.stack([
        (table["low"].to_numpy() <= truth) & (truth <= table["high"].to_numpy()) for table in tables
    ])  # fmt: skip
    assert np.abs(values.mean(axis=0) - truth).max() < 0.005
    assert 0.93 <= held.mean() <= 0.97


def test_only_judgments_of_documents_that_were_drawn_count(tmp_path: Path) -> None:
    qrels, runs = collection()
    pool = make_pool(runs, strategy="sample", strata={5: 1.0, 40: 0.2})
    pool.frame.write_csv(tmp_path / "pool.csv")
    tables = [
        inferred_scores(given, judged, runs).scores
        for given, judged in ((pool, drawn(pool, qrels)), (pool, qrels), (tmp_path / "pool.csv", qrels))
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_what_rests_on_nothing_is_warned_about() -> None:
    """Judgments of other topics, and a run without a document of the pool."""
    runs, others = {"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d3": 1.0}}}, {"x": {"d9": 1}}
    assert "no document of the pool has a judgment" in " ".join(make_pool(runs, qrels=others).warnings)
    assert "no run has a relevant document" in " ".join(choose_runs(runs, 1, qrels=others).warnings)
    pool = make_pool({"a": runs["a"]}, strategy="sample", strata={2: 1.0})
    estimated = inferred_scores(pool, {"q": {"d1": 1, "d2": 0}}, runs)
    assert estimated.warnings == ("no document of the pool in run b",)


def test_measures_that_do_not_follow_from_a_sample_are_refused() -> None:
    qrels, runs = collection()
    pool = make_pool(runs, strategy="sample")
    with pytest.raises(ParameterError, match="not 'P@10'"):
        inferred_scores(pool, drawn(pool, qrels), runs, measures="P@10")
    judged = {topic: dict([*grades.items()][1:]) for topic, grades in drawn(pool, qrels).items()}
    assert any(f"5 of {pool.to_judge().height} sampled documents have no judgment" in each
               for each in inferred_scores(pool, judged, runs).warnings)  # fmt: skip
    with pytest.raises(InputError, match="no document of the pool is judged"):
        inferred_scores(pool, {"other": {"d": 1}}, runs)
    with pytest.raises(InputError, match="expected a table with the columns `query_id`, `doc_id`, `stratum`"):
        inferred_scores(pool.frame.drop("stratum"), qrels, runs)


# The command --------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.run").write_text("q Q0 d1 1 2 a\nq Q0 d2 2 1 a\np Q0 e1 1 1 a\n", encoding="utf-8")
    (tmp_path / "b.run").write_text("q Q0 d3 1 2 b\nq Q0 d1 2 1 b\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("q 0 d1 1\nq 0 d2 0\nq 0 d3 1\np 0 e1 1\n", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("q\tgreen tea\n", encoding="utf-8")
    return tmp_path


def test_a_pool_is_written_in_the_form_that_the_ending_names(folder: Path) -> None:
    for name in ("pool.csv", "pool.json", "pool.qrels"):
        done = run_assay("pool", "make", "a.run", "b.run", "--depth", 1, "-o", name, folder=folder)
        assert done.returncode == 0, done.stderr
        assert f"{name}: 3 documents to judge for 2 topics (1 to 2 per topic), from 2 runs" in done.stderr
    assert pl.read_csv(folder / "pool.csv").height == 3
    written = json.loads((folder / "pool.json").read_text(encoding="utf-8"))
    assert written["sections"]["pool"]["settings"]["depth"] == 1
    assert len(written["sections"]["sources"]["sources"]) == 3
    assert read_qrels(folder / "pool.qrels").frame["relevance"].to_list() == [-1.0] * 3


def test_topics_and_groups_come_from_files(folder: Path) -> None:
    (folder / "groups.csv").write_text("run,team,MAP\na,team,0.1\nb,team,0.2\n", encoding="utf-8")
    words = ("pool", "make", "a.run", "b.run", "--topics", "topics.tsv", "--groups", "groups.csv", "--csv", "--quiet")
    done = run_assay(*words, "--table", "contributions", folder=folder)
    assert done.stdout.splitlines()[1].startswith("a,team,2,1,2")
    assert "p," not in run_assay(*words, folder=folder).stdout


def test_a_collection_brings_its_runs_judgments_and_groups(folder: Path) -> None:
    for group, names in (("team", ["a.run", "qrels"]), ("other", ["b.run"])):
        verb = "add" if (folder / "own").exists() else "new"
        assert run_assay("collection", verb, "own", *names, "--group", group, folder=folder).returncode == 0
    words = ("--csv", "--quiet", "--table")
    made = run_assay("pool", "make", "own", *words, "contributions", folder=folder)
    assert made.stdout.splitlines()[1] == "a,team,3,2,2,2,1,1"
    bias = run_assay("pool", "bias", "own", "-m", "P@1", "--depth", 1, *words, "left_out", folder=folder)
    assert [line.split(",")[:2] for line in bias.stdout.splitlines()[1:]] == [["a", "team"], ["b", "other"]]
    assert "a" in run_assay("pool", "choose", 1, "own", *words, "chosen", folder=folder).stdout
    assert run_assay("pool", "simulate", "own", "--strategy", "take", folder=folder).returncode == 0
    assert pool_bias(folder / "own", measures="P@1", depth=1).left_out["group"].to_list() == ["team", "other"]


def test_a_sampled_pool_is_judged_and_estimated_from_files(folder: Path) -> None:
    made = run_assay(
        "pool", "make", "a.run", "b.run", "--strategy", "sample", "--strata", "2=1", "-o", "s.csv", folder=folder
    )
    assert made.returncode == 0, made.stderr
    done = run_assay("pool", "estimate", "s.csv", "qrels", "a.run", "-m", "xinfAP", "--csv", folder=folder)
    assert float(done.stdout.splitlines()[1].split(",")[2]) == pytest.approx((1 / 2 + 1) / 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["make", "a.run", "--budget", "3"], "a budget needs a strategy"),
        (["make", "a.run", "--depth", "1.5"], "--depth: expected a whole number, got '1.5'"),
        (["choose", "1.5", "a.run", "b.run"], "N: expected a whole number, got '1.5'"),
        (["make", "a.run", "--strategy", "sample", "--strata", "ten=1"], "--strata is as 10=1,50=0.2"),
        (
            ["make", "a.run", "--strategy", "sample", "--strata", "9=1,9=0.5"],
            "one share for each best rank; got two for 9",
        ),
        (["make", "a.run", "-o", "pool.csv.gz"], "pool.csv.gz: the ending names no form of a result"),
        (["make", "a.run", "-o", "pool.parquet"], "pool.parquet: the ending names no form of a result"),
        (["make", "a.run", "--groups", "qrels"], "run"),
        (
            ["make", "a.run", "--groups", "two.csv"],
            "two.csv:3: expected one group for run 'a', which is of 'x', got 'y'",
        ),
        (["make", "empty.run", "-o", "out.csv"], "nothing to pool"),
        (["choose", "5", "a.run", "b.run"], "cannot choose 5 runs from 2"),
        (["simulate", "qrels", "a.run", "--budgets", "x"], "--budgets: expected whole numbers"),
        (["simulate", "qrels", "a.run", "b.run", "--topics", "topics.tsv"], "go together"),
        (["bias", "qrels", "a.run"], "give two or more"),
        (["bias", "qrels", "a.run", "b.run", "--depths", "1,y"], "--depths: expected whole numbers"),
        (["estimate", "qrels", "qrels", "a.run"], "stratum"),
        (["estimate", "twice.csv", "qrels", "a.run"], "twice.csv:3: expected each document once in a query, got 'd1'"),
    ],
)
def test_calls_that_are_wrong_say_so_in_a_line(words: list[str], message: str, folder: Path) -> None:
    (folder / "empty.run").write_text("", encoding="utf-8")
    (folder / "two.csv").write_text("run,group\na,x\na,y\n", encoding="utf-8")
    (folder / "twice.csv").write_text("query_id,doc_id,stratum\nq,d1,1\nq,d1,2\n", encoding="utf-8")
    done = run_assay("pool", *words, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (folder / "out.csv").exists()


def test_runs_come_through_a_pipe(folder: Path) -> None:
    stdin = (folder / "a.run").read_bytes()
    done = run_assay("pool", "make", "a=-", "b.run", "--csv", "--quiet", folder=folder, stdin=stdin)
    assert done.stdout.count("\n") == 1 + 4


def test_the_pools_of_trec_covid_grow_with_depth() -> None:
    files = sorted(shared("trec-covid-r1", "runs").glob("*.gz"))[:4]
    sizes = [make_pool(files, depth=depth).frame.height for depth in (5, 10)]
    every = twin_of_files(files, 5)
    assert sizes[0] == len(every) < sizes[1]


def twin_of_files(files: list[Path], depth: int) -> set[tuple[str, str]]:
    import gzip  # noqa: PLC0415

    pooled: set[tuple[str, str]] = set()
    for file in files:
        topics: dict[str, dict[str, float]] = {}
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            topic, _, document, _, score, _ = line.split(maxsplit=5)
            topics.setdefault(topic, {})[document] = float(score)
        pooled |= {(topic, document) for topic, scores in topics.items() for document in ranked(scores)[:depth]}
    return pooled


def test_judgments_that_there_are_stay_in_the_judgments_of_a_pool(tmp_path: Path) -> None:
    """What a pool is made with is not lost where it is written as judgments; the rest is -1."""
    (tmp_path / "a.run").write_text("q Q0 d1 1 2.0 a\nq Q0 d2 2 1.0 a\n")
    (tmp_path / "qrels.txt").write_text("q 0 d1 2\nq 0 other 1\n")
    told = run_assay("pool", "make", "a.run", "--qrels", "qrels.txt", "-o", "pool.qrels", folder=tmp_path)
    assert told.returncode == 0
    assert sorted((tmp_path / "pool.qrels").read_text().splitlines()) == ["q 0 d1 2", "q 0 d2 -1"]


def test_pools_take_judgments_below_0_and_of_several_judges(tmp_path: Path) -> None:
    """A pool that nobody has judged yet may be made again; -2 for spam stays; of several judges the highest counts."""
    runs = {"a": {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}}
    pool = make_pool(runs, depth=3, qrels={"q": {"d1": -1, "d2": -2}})
    assert dict(pool.to_qrels().frame.select("doc_id", "relevance").iter_rows()) == {"d1": -1, "d2": -2, "d3": -1}
    (tmp_path / "two.qrels").write_text("q ana d1 0\nq ben d1 2\n")
    pool = make_pool(runs, depth=3, qrels=tmp_path / "two.qrels")
    assert dict(pool.to_qrels().frame.select("doc_id", "relevance").iter_rows()) == {"d1": 2, "d2": -1, "d3": -1}


def test_a_document_that_comes_twice_in_a_run_is_refused_at_its_line(tmp_path: Path) -> None:
    """Before, which of its ranks counted depended on how deep the run was read."""
    (tmp_path / "a.run").write_text("q Q0 d1 1 1 a\nq Q0 d2 2 5 a\nq Q0 d1 3 9 a\n")
    told = run_assay("pool", "make", "a.run", "--depth", "3", folder=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert "a.run:3: expected each document once in a query (document 'd1' comes again" in told.stderr


def test_no_measures_are_refused_not_taken_for_the_usual_ones() -> None:
    qrels, runs = collection()
    for call in (
        lambda: pool_bias(qrels, runs, measures=[]),
        lambda: inferred_scores(make_pool(runs), qrels, runs, measures=[]),
    ):
        with pytest.raises(ParameterError, match="no measure"):
            call()
