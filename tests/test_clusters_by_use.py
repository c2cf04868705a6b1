"""Clusters of search results, judged by the best cluster of each query and by the order they are read in."""

from __future__ import annotations

import json
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import shared

from assay import AssayError, InputError, ParameterError, Run, clusters_by_use, compare, evaluate
from assay.files.clusters import read_document_clusters
from assay.subjects.ranking.clustered_results import ORDERS, grouped, read_in_order

JUDGED = {
    "q1": {"d1": 1, "d2": 0, "d3": 2, "d4": 1},
    "q2": {"d2": 1, "d5": 1},
    "q3": {"d9": 1},  # not in the run
    "q4": {"d1": 0},  # nothing relevant
}
RUN = {
    "q1": {"d2": 9.0, "d1": 8.0, "d5": 7.0, "d3": 6.0, "d4": 5.0},
    "q2": {"d1": 3.0, "d2": 2.0, "d5": 1.0},
    "q4": {"d1": 1.0},
}
CLUSTERS = {"d1": "a", "d2": "b", "d3": "a", "d4": "a", "d5": "b"}


def test_the_best_cluster_is_found_by_trying_all() -> None:
    """Each query's best cluster by F1, as a plain loop finds it."""
    result = clusters_by_use(JUDGED, RUN, CLUSTERS, "RR")
    rows = {row["query_id"]: row for row in result.best.to_dicts()}
    assert set(rows) == {"q1", "q2", "q3"}
    for query in ("q1", "q2"):
        relevant = {doc for doc, grade in JUDGED[query].items() if grade >= 1}
        best = max(
            (2 * len(own & relevant) / (len(own) + len(relevant)), label)
            for label in "ab"
            for own in [{doc for doc in RUN[query] if CLUSTERS[doc] == label}]
        )
        assert (rows[query]["f1"], rows[query]["cluster"]) == (pytest.approx(best[0]), best[1])
    assert (rows["q1"]["precision"], rows["q1"]["recall"]) == (1.0, 1.0)
    assert rows["q3"]["f1"] == 0.0  # a judged query without results
    assert result.mean() == pytest.approx((1.0 + 1.0 + 0.0) / 3)
    assert any("1 query without a relevant document" in text for text in result.warnings)


def test_the_flat_list_is_cut_after_as_many_documents() -> None:
    row = clusters_by_use(JUDGED, RUN, CLUSTERS, "RR").best.row(0, named=True)
    # Of the first three (d2, d1, d5) one is relevant.
    assert (row["items"], row["precision_flat"], row["recall_flat"]) == (3, pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_chance_is_what_random_clusters_of_the_same_sizes_give() -> None:
    """The mean over all ways to deal five documents out to clusters of three and two."""
    row = clusters_by_use(JUDGED, RUN, CLUSTERS, "RR", draws=20_000).best.row(0, named=True)
    relevant = [False, True, False, True, True]
    values = [max(2 * sum(dealt[:3]) / (3 + 3), 2 * sum(dealt[3:]) / (2 + 3)) for dealt in set(permutations(relevant))]
    assert row["f1_chance"] == pytest.approx(np.mean(values), abs=0.01)
    assert row["f1_chance"] < row["f1"]


def test_clusters_at_random_are_as_good_as_chance() -> None:
    rng = np.random.default_rng(0)
    documents = [f"d{n}" for n in range(60)]
    judged = {f"q{n}": {doc: int(rng.uniform() < 0.2) for doc in documents} for n in range(40)}
    run = {query: {doc: float(rng.uniform()) for doc in documents} for query in judged}
    own = {query: {doc: int(rng.integers(5)) for doc in documents} for query in judged}
    result = clusters_by_use(judged, run, own, "AP")
    assert result.mean("f1") == pytest.approx(result.mean("f1_chance"), abs=0.03)
    assert result.mean("f1") > result.mean("f1_flat")  # whoever picks knows the answers


@in_turn(
    ("order", "expected"),
    [
        ("best-rank", ["d2", "d5", "d1", "d3", "d4"]),
        ("size", ["d1", "d3", "d4", "d2", "d5"]),
        ("mean-score", ["d2", "d5", "d1", "d3", "d4"]),
    ],
)
def test_documents_are_read_cluster_by_cluster(order: str, expected: list[str]) -> None:
    found, _ = grouped(Run.of(RUN), read_document_clusters(CLUSTERS))
    read = read_in_order(found, order, "read").frame.filter(query_id="q1")
    assert read.sort("score", descending=True)["doc_id"].to_list() == expected


@given(
    st.dictionaries(st.integers(0, 12).map("d{}".format), st.integers(0, 3).map(float), min_size=1),
    st.dictionaries(st.integers(0, 12).map("d{}".format), st.sampled_from("abc"), min_size=1),
    st.sampled_from(ORDERS),
)
@settings(max_examples=24)
def test_reading_loses_no_document_and_keeps_clusters_together(
    scores: dict[str, float], clusters: dict[str, str], order: str
) -> None:
    run = Run.of({"q": scores})
    if not set(scores) & set(clusters):
        with pytest.raises(ParameterError, match="no result of the run has a cluster"):
            grouped(run, read_document_clusters(clusters))
        return
    found, _ = grouped(run, read_document_clusters(clusters))
    read = read_in_order(found, order, "read").frame.sort("score", descending=True)["doc_id"].to_list()
    assert sorted(read) == sorted(scores)
    labels = [clusters.get(doc, doc) for doc in read]
    assert len(labels) == len(set(labels)) + sum(one == other for one, other in pairwise(labels))
    # Within a cluster, as the measures rank: by score, of equal ones the larger id first.
    for label in set(labels):
        own = [doc for doc in read if clusters.get(doc, doc) == label]
        assert own == sorted(own, key=lambda doc: (scores[doc], doc), reverse=True)


def test_both_orders_are_compared_as_compare_does() -> None:
    result = clusters_by_use(JUDGED, RUN, CLUSTERS, ["RR", "AP"])
    found, _ = grouped(Run.of(RUN), read_document_clusters(CLUSTERS))
    runs = {"flat": Run.of(RUN), "clustered": read_in_order(found, "best-rank", "clustered")}
    expected = compare(JUDGED, runs, measures=["RR", "AP"])
    assert result.comparison.to_frame().equals(expected.to_frame())
    flat = evaluate(JUDGED, RUN, "AP").mean()
    assert result.comparison.finding("AP").baseline_value == pytest.approx(flat)


def test_one_cluster_for_all_changes_nothing() -> None:
    result = clusters_by_use(JUDGED, RUN, dict.fromkeys(CLUSTERS, "all"), "AP")
    assert result.comparison.findings[0].difference == 0


def test_it_says_that_the_best_cluster_is_optimistic() -> None:
    text = str(clusters_by_use(JUDGED, RUN, CLUSTERS, "RR"))
    assert "The best cluster is optimistic: to pick it, you would have to know which documents are relevant." in text
    assert "reading order: clusters by the rank of their best document, against the flat list" in text
    assert "--judge-next" not in text  # an option of another command


def test_results_without_a_cluster_are_counted_and_read_alone() -> None:
    result = clusters_by_use(JUDGED, RUN, {"d1": "a", "d3": "a"}, "RR")
    assert any("without a cluster: each is read on its own" in text for text in result.warnings)


def test_files_of_documents_and_clusters_are_read_by_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "clusters.tsv"
    path.write_text("qid\tdocno\tcluster\nq1\td1\t7\nq1\td2\t8\n")
    assert read_document_clusters(path).rows() == [("q1", "d1", "7"), ("q1", "d2", "8")]
    for text, says in (
        ("doc_id,cluster\nd1,a\nd1,b\n", "document 'd1' is in cluster 'a' and in 'b'"),
        ("doc_id,cluster\nd1,\n", ":2: expected a document and its cluster"),
        ("doc_id,group\nd1,1\n", "expected a table with the columns `doc_id`, `cluster`"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=says):
            read_document_clusters(path)
    with pytest.raises(InputError, match="got none"):
        read_document_clusters({})
    with pytest.raises(ParameterError, match="got int"):
        read_document_clusters(7)


def ran(*arguments: str) -> Any:
    return invoke(list(arguments))


def test_the_command_judges_clusters_by_use(tmp_path: Path) -> None:
    qrels, run, clusters = (tmp_path / name for name in ("qrels.txt", "flat.run", "clusters.csv"))
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, own in JUDGED.items() for d, g in own.items()))
    run.write_text("".join(f"{q} Q0 {d} 1 {s} x\n" for q, own in RUN.items() for d, s in own.items()))
    clusters.write_text("doc_id,cluster\n" + "".join(f"{d},{c}\n" for d, c in CLUSTERS.items()))
    files = [str(qrels), str(run), str(clusters)]
    payload = json.loads(ran("clustering", "by-use", *files, "-m", "AP", "--json").stdout)["sections"]["best"]
    expected = clusters_by_use(JUDGED, RUN, CLUSTERS, "AP")
    assert payload["means"][0]["f1"] == pytest.approx(expected.mean())
    assert len(payload["queries"]) == 3
    for more, says in (
        (["--order", "foo"], "order is one of best-rank, size, mean-score, not 'foo'"),
        (["--truth", "x"], "no such option: --truth"),
        (["--ks", "2:3"], "no such option: --ks"),
    ):
        done = ran("clustering", "by-use", *files, *more)
        assert isinstance(done.exception, AssayError)
        assert says in str(done.exception)
    assert "CLUSTERS is missing" in str(ran("clustering", "by-use", *files[:2]).exception)


def test_a_document_twice_in_the_run_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "twice.run"
    path.write_text("q1 Q0 d1 1 2 x\nq1 Q0 d1 2 1 x\n")
    with pytest.raises(AssayError, match=r"twice\.run:2: expected each document once"):
        clusters_by_use(JUDGED, path, CLUSTERS)


def test_clusters_of_real_documents_bring_relevant_ones_together() -> None:
    """On MED, the best of twenty k-means clusters is far better than chance, as the cluster hypothesis has it."""
    from sklearn.cluster import KMeans  # noqa: PLC0415
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415

    documents = [json.loads(line) for line in shared("med", "docs.jsonl").read_text().splitlines()]
    names = [str(one["id"]) for one in documents]
    made = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    matrix = made.fit_transform(f"{one.get('title', '')} {one.get('text', '')}" for one in documents)
    topics = pl.read_csv(
        shared("med", "topics.tsv"), separator="\t", has_header=False, infer_schema=False, quote_char=None
    )
    scores = (made.transform(topics[:, 1].to_list()) @ matrix.T).toarray()
    run = {
        query: {names[at]: float(row[at]) for at in np.argsort(-row)[:100]}
        for query, row in zip(topics[:, 0].to_list(), scores, strict=True)
    }
    labels = KMeans(20, n_init=2, random_state=0).fit_predict(matrix)
    clusters = dict(zip(names, map(str, labels), strict=True))
    result = clusters_by_use(shared("med", "qrels.trec"), run, clusters, ["AP"])
    assert result.best.height == 30
    assert result.mean("f1") > result.mean("f1_chance") + 0.2


@in_turn("ties", ["doc_id_descending", "doc_id_ascending", "input_order"])
def test_one_cluster_changes_nothing_whatever_the_rule_for_ties(ties: str) -> None:
    """Both orders rank equal scores by the same rule."""
    documents = ["d1", "d2", "d3", "d4"]
    judged = {f"q{n}": {"d1": 1, "d3": 2} for n in range(6)}
    run = {query: dict.fromkeys(documents, 1.0) for query in judged}
    found = clusters_by_use(judged, run, dict.fromkeys(documents, 1), "RR", ties=ties).comparison.finding("RR")  # type: ignore[arg-type]
    assert found.difference == 0
    assert found.baseline_value == pytest.approx(evaluate(judged, run, "RR", ties=ties).mean())  # type: ignore[arg-type]


def test_orders_that_are_all_at_once_cannot_be_read() -> None:
    with pytest.raises(ParameterError, match="clusters are read in one"):
        clusters_by_use(JUDGED, RUN, CLUSTERS, "RR", ties="expected")


@in_turn(("duplicates", "first"), [("first", "d2"), ("best", "d1")])
def test_a_document_that_comes_twice_is_kept_once_as_the_rule_says(tmp_path: Path, duplicates: str, first: str) -> None:
    path = tmp_path / "twice.run"
    rows = "{0} Q0 d1 1 1 x\n{0} Q0 d2 2 2 x\n{0} Q0 d1 3 3 x\n"
    path.write_text("".join(rows.format(f"q{n}") for n in range(3)))
    judged = {f"q{n}": {first: 1} for n in range(3)}
    result = clusters_by_use(judged, path, {"d1": "a", "d2": "b"}, "RR", duplicates=duplicates)  # type: ignore[arg-type]
    assert result.comparison.finding("RR").baseline_value == 1.0
    assert result.best["clusters"].to_list() == [2, 2, 2]
    assert result.best["items"].to_list() == [1, 1, 1]


def test_ranks_may_decide_instead_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "ranks.run"
    path.write_text("".join(f"q{n} Q0 d1 2 9 x\nq{n} Q0 d2 1 1 x\n" for n in range(3)))
    judged = {f"q{n}": {"d2": 1} for n in range(3)}
    for rank_by, expected in (("score", 0.5), ("rank", 1.0)):
        found = clusters_by_use(judged, path, {"d1": "a", "d2": "a"}, "RR", rank_by=rank_by).comparison.finding("RR")  # type: ignore[arg-type]
        assert (found.baseline_value, found.value) == (expected, expected)


def test_a_cluster_that_is_none_is_no_cluster() -> None:
    """None and NaN are the absence of a cluster, in dicts and in frames."""
    held = [("d1", "a"), ("d3", "a")]
    given: tuple[Any, ...] = (
        {"d1": "a", "d3": "a", "d2": None, "d4": float("nan")},
        pl.DataFrame({"doc_id": ["d1", "d2", "d3"], "cluster": ["a", None, "a"]}),
        pl.DataFrame({"doc_id": ["d1", "d2", "d3"], "cluster": ["a", None, "a"]}).to_arrow(),
        pl.DataFrame({"doc_id": ["d1", "d2", "d3"], "cluster": ["a", None, "a"]}).to_pandas(),
    )
    for one in given:
        assert read_document_clusters(one).rows() == held
    numbers = pl.DataFrame({"doc_id": ["d1", "d2"], "cluster": [1.0, float("nan")]})
    assert read_document_clusters(numbers)["doc_id"].to_list() == ["d1"]
    with pytest.raises(InputError, match="got none"):
        read_document_clusters({"d1": None})
    with pytest.raises(InputError, match="not both: 'd2' has no query"):
        read_document_clusters({"q1": {"d1": "a"}, "d2": "b"})


def test_a_result_without_a_cluster_joins_no_cluster_of_its_name() -> None:
    run = Run.of({"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})
    found, _ = grouped(run, read_document_clusters({"d1": "(alone) d3", "d2": "x"}))
    assert found["cluster"].n_unique() == 3


def test_a_level_is_a_number() -> None:
    with pytest.raises(ParameterError, match="level is a finite number, not '1'"):
        clusters_by_use(JUDGED, RUN, CLUSTERS, "RR", level="1")  # type: ignore[arg-type]
