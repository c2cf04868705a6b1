"""Columns by the names that other tools give them, or that somebody says: alike in files and in data frames."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import in_turn
from command import invoke, run_assay

import assay
from assay import InputError, ParameterError
from assay.tables.roles import TABLES

JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
RUN: dict[str, list[Any]] = {"query": ["q1", "q1", "q2"], "doc": ["d2", "d1", "d1"], "number": [0.9, 0.5, 0.3]}
LIBRARIES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "Polars": pl.DataFrame, "Polars, lazy": pl.LazyFrame, "pandas": pd.DataFrame, "Arrow": pa.table,
}  # fmt: skip
each_library = in_turn("library", LIBRARIES.values(), ids=LIBRARIES)


def renamed(*names: str) -> dict[str, list[Any]]:
    return dict(zip(names, RUN.values(), strict=True))


def as_file(folder: Path, columns: dict[str, list[Any]], ending: str = "csv") -> str:
    path = folder / f"table.{ending}"
    frame = pl.DataFrame(columns)
    getattr(frame, f"write_{ending.replace('jsonl', 'ndjson')}")(path)
    return str(path)


NAMES = [
    ("query_id", "doc_id", "score"),
    ("qid", "docno", "similarity"),
    ("question", "chunk_id", "similarity"),
    ("question_id", "context", "retrieval_score"),
    ("User Input", "Node-ID", "Cosine Similarity"),
]


@each_library
@in_turn("names", NAMES, ids=" ".join)
def test_the_names_of_other_tools_are_known_in_files_and_frames(
    names: tuple[str, str, str], library: Callable[[Any], Any], tmp_path: Path
) -> None:
    expected = (1 / 2 + 1) / 2
    assert assay.evaluate(JUDGED, library(renamed(*names)), "RR").mean() == expected
    for ending in ("csv", "jsonl", "parquet"):
        assert assay.evaluate(JUDGED, as_file(tmp_path, renamed(*names), ending), "RR").mean() == expected


@each_library
def test_true_and_false_are_judgments(library: Callable[[Any], Any], tmp_path: Path) -> None:
    judged: dict[str, list[Any]] = {
        "question": ["q1", "q1", "q2"],
        "chunk_id": ["d1", "d2", "d1"],
        "is_relevant": [True, False, True],
    }
    run = renamed("question", "chunk_id", "similarity")
    for qrels in (library(judged), *(as_file(tmp_path, judged, ending) for ending in ("csv", "jsonl", "parquet"))):
        assert assay.evaluate(qrels, library(run), "RR").mean() == (1 / 2 + 1) / 2
    assert assay.Qrels.of({"q": {"d": True, "e": False}}).frame["relevance"].to_list() == [1.0, 0.0]


@each_library
def test_columns_are_said_of_runs_and_judgments(library: Callable[[Any], Any], tmp_path: Path) -> None:
    run, said = renamed("Search term", "url", "points"), {"query_id": "Search term", "doc_id": "url", "score": "points"}
    for table in (library(run), as_file(tmp_path, run)):
        assert assay.evaluate(JUDGED, table, "RR", columns=said).mean() == (1 / 2 + 1) / 2
    assert assay.read_run(as_file(tmp_path, run), columns=said).frame.height == 3
    qrels: dict[str, list[Any]] = {"Search term": ["q1"], "url": ["d1"], "points": [2]}
    read = assay.read_qrels(as_file(tmp_path, qrels), columns={**said, "relevance": "points"} | {"score": "url"})
    assert read.frame.rows() == [("q1", "d1", 2.0)]
    runs = {"a": library(run), "b": library(run)}
    assert assay.compare(JUDGED, runs, measures=["RR"], columns=said).finding("RR").difference == 0
    assert assay.doctor(JUDGED, {"a": as_file(tmp_path, run)}, columns=said).is_healthy


@each_library
def test_columns_are_said_of_predictions_clusters_spans_and_scores(library: Callable[[Any], Any]) -> None:
    predicted = library({"Gold": ["a", "b", "b"], "Output": ["a", "a", "b"], "n": [1, 2, 3]})
    said = {"truth": "Gold", "prediction": "Output"}
    assert assay.classify(predicted, "Accuracy", pos_label="a", columns=said).value() == 2 / 3
    usual = library({"label": ["a", "b", "b"], "pred": ["a", "a", "b"]})
    assert assay.classify({"mine": usual}, "Accuracy", pos_label="a").value() == 2 / 3
    groups = library({"Group": [1, 1, 2], "Kind": ["x", "x", "y"]})
    assert assay.cluster(groups, "Purity", columns={"cluster": "Group", "truth": "Kind"}).value() == 1
    true = library({"Doc": ["d"], "Von": [0], "Bis": [4]})
    roles = {"document": "Doc", "start": "Von", "end": "Bis"}
    assert assay.extract(true, true, columns=roles).value("F") == 1
    scores = library({"system": ["a", "a"], "measure": ["ms", "ms"], "unit": ["u", "v"], "value": [1.5, 2.5]})
    assert assay.read_scores(scores).of("a", "ms")["value"].to_list() == [1.5, 2.5]


def test_what_is_absent_is_named_with_what_it_may_be_called(tmp_path: Path) -> None:
    run = renamed("Search term", "url", "points")
    for table in (pl.DataFrame(run), as_file(tmp_path, run), as_file(tmp_path, run, "parquet")):
        with pytest.raises(InputError) as problem:
            assay.evaluate(JUDGED, table)
        assert "`query_id`, `doc_id`, `score` or `rank`, got 'Search term, url, points'" in str(problem.value)
        assert "doc_id may be called docno, docid" in str(problem.value)
        assert "name them with columns=..., as in query_id='Search term'" in str(problem.value)


def test_roles_and_columns_that_are_not_there_are_refused() -> None:
    run = pl.DataFrame(renamed("qid", "docno", "points"))
    with pytest.raises(ParameterError, match=r"columns: no role is called 'scor': .*did you mean score\?"):
        assay.evaluate(JUDGED, run, columns={"scor": "points"})
    with pytest.raises(InputError, match="score may be called"):
        assay.evaluate(JUDGED, run, columns={"score": "point"})
    with pytest.raises(ParameterError, match="columns: no table has a column 'author'"):
        assay.evaluate(JUDGED, run, columns={"score": "points", "judge": "author"})


@in_turn("verb", [["evaluate"], ["report", "-o", "x.html"], ["plot", "-o", "x.svg"],
                                  ["evaluate", "-o", "x.json"]])  # fmt: skip
def test_the_command_line_writes_nothing_where_no_table_has_a_column(tmp_path: Path, verb: list[str]) -> None:
    (tmp_path / "said.csv").write_text("truth,prediction,score\n1,1,0.9\n0,0,0.1\n1,0,0.4\n", encoding="utf-8")
    done = run_assay("classifier", *verb, "said.csv", "--columns", "truth=gold", "--quiet", folder=tmp_path)
    says = "assay: --columns: no table has a column 'gold': there are truth, prediction, score\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", says)
    assert [path.name for path in tmp_path.iterdir()] == ["said.csv"]


def test_the_command_line_says_columns(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n", encoding="utf-8")
    run = as_file(tmp_path, renamed("Search term", "url, if any", "points"))
    said = ["--columns", "query_id=Search term,doc_id=url, if any,score=points"]
    done = invoke(["evaluate", str(qrels), run, "-m", "RR", "--csv", *said])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "table,0.75")
    apart = ["--columns", "query_id=Search term", "--columns", "doc_id=url, if any,score=points"]
    assert invoke(["evaluate", str(qrels), run, "-m", "RR", "--csv", *apart]).stdout == done.stdout
    refused = invoke(["evaluate", str(qrels), run, "-m", "RR"])
    assert "with --columns, as in query_id='Search term'" in str(refused.exception)
    assert "expected ROLE=NAME" in str(invoke(["evaluate", str(qrels), run, "--columns", "points"]).exception)


def test_the_command_line_says_columns_of_every_subject(tmp_path: Path) -> None:
    labels = as_file(tmp_path, {"Gold": [1, 0, 1], "Output": [1, 1, 1]})
    said = ["--columns", "truth=Gold,prediction=Output"]
    done = invoke(["classifier", "evaluate", labels, "-m", "Accuracy", "--json", *said])
    assert json.loads(done.stdout)
    assert invoke(["classifier", "doctor", labels, *said]).exit_code in {0, 1}
    groups = as_file(tmp_path, {"Group": [1, 1, 2, 2], "Kind": ["x", "x", "y", "y"]}, "parquet")
    said = ["--columns", "cluster=Group,truth=Kind"]
    assert invoke(["clustering", "evaluate", groups, "-m", "Purity", *said]).exit_code == 0
    spans = as_file(tmp_path, {"Doc": ["d", "e"], "Von": [0, 0], "Bis": [4, 3]}, "parquet")
    said = ["--columns", "document=Doc,start=Von,end=Bis"]
    assert invoke(["extraction", "evaluate", spans, spans, *said]).exit_code == 0
    scores = as_file(
        tmp_path, {"Model": ["a", "a", "b", "b"], "what": ["ms"] * 4, "who": ["u", "v"] * 2, "n": [1, 2, 3, 4]}
    )
    said = ["--columns", "system=Model,measure=what,unit=who,value=n", "--direction", "lower"]
    done = invoke(["scores", "compare", scores, *said, "--json"])
    assert (done.exit_code, bool(json.loads(done.stdout))) == (0, True)


def test_no_name_stands_for_two_roles_of_a_table() -> None:
    for table, roles in TABLES.items():
        names = [name for role in roles for name in dict.fromkeys(role.names) if role.name not in {"title", "text"}]
        doubled = {name for name in names if names.count(name) > 1}
        assert not doubled - {"question"}, table
