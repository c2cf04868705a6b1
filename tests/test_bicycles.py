"""The collection that comes with the package holds together, and its runs are what the script makes."""

from __future__ import annotations

import sqlite3
import statistics
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from assay import evaluate, read_collection, read_qrels, read_run

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "src" / "assay" / "data" / "bicycles"
RUNS = sorted((FOLDER / "runs").glob("*.run"))


def test_everything_that_is_named_is_there() -> None:
    collection = read_collection(FOLDER)
    assert collection.documents is not None
    assert collection.topics is not None
    documents = set(collection.documents.frame["doc_id"])
    topics = set(collection.topics.frame["query_id"])
    assert (len(documents) >= 100, len(topics)) == (True, 20)
    assert not collection.warnings
    for column in "title", "description", "narrative":
        assert (collection.topics.frame[column].str.len_chars() > 5).all()
    for name in "qrels.txt", "judgments.txt":
        frame = read_qrels(FOLDER / name).frame
        assert (set(frame["query_id"]), set(frame["doc_id"]) <= documents) == (topics, True)
    for run in RUNS:
        frame = read_run(run).frame
        assert set(frame["query_id"]) <= topics
        assert set(frame["doc_id"]) <= documents


def test_the_judgments_are_the_medians_of_three_assessors_who_differ_sometimes() -> None:
    judged = read_qrels(FOLDER / "judgments.txt").frame
    wide = judged.pivot("judge", index=["query_id", "doc_id"], values="relevance")
    judges = ["ana", "ben", "cleo"]
    assert wide.select(judges).null_count().sum_horizontal().item() == 0
    median = {row[:2]: statistics.median(row[2:]) for row in wide.select("query_id", "doc_id", *judges).iter_rows()}
    assert {row[:2]: row[2] for row in read_qrels(FOLDER / "qrels.txt").frame.iter_rows()} == median
    for one, other in combinations(judges, 2):
        same = wide.select((pl.col(one) == pl.col(other)).mean()).item()
        assert 0.75 < same < 0.95


def test_ranking_is_worth_something() -> None:
    result = evaluate(FOLDER / "qrels.txt", RUNS, "nDCG@10")
    means = {system.name: result.mean("nDCG@10", system.name) for system in result.systems}
    assert min(means, key=means.__getitem__) == "shuffled"
    assert all(result.coverage["judged@10"] == 1.0)


def test_the_runs_are_what_the_script_makes(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the script needs scikit-learn")
    with sqlite3.connect(":memory:") as database:
        options = {row[0] for row in database.execute("PRAGMA compile_options")}
    if "ENABLE_FTS5" not in options:
        pytest.skip("this SQLite was built without FTS5")
    script = ROOT / "scripts" / "make_bicycles_runs.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, capture_output=True)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in RUNS}
    for path in RUNS:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
