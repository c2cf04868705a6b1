"""`assay compare`, `power` and `correlate` as they are typed: results on stdout, one clear line for what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import run_assay

import assay

DATA = Path(assay.__file__).parent / "data" / "bicycles"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(DATA, tmp_path / "bicycles")


def test_two_runs_are_compared_in_a_table_and_in_words(folder: Path) -> None:
    done = run_assay("compare", "qrels.txt", "old=runs/bm25.run", "new=runs/expanded.run", "-m", "AP", folder=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("measure     old     new  difference")
    assert "new is better than old under AP" in done.stdout
    assert "qrels.txt: TREC qrels" in done.stderr


def test_json_holds_everything_and_nothing_else_is_on_stdout(folder: Path) -> None:
    done = run_assay("compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "-m", "AP,RR", "--json", folder=folder)
    payload = json.loads(done.stdout)["sections"]
    rows = payload["findings"]["findings"]
    assert [row["measure"] for row in rows] == ["AP", "RR"]
    assert rows[0]["noticed"]["queries"] == 20
    assert payload["method"]["coverage"][0]["system"] == "bm25"


@pytest.mark.parametrize("form", ["--csv", "--json", "--markdown", "--latex"])
@pytest.mark.parametrize("extra", [["--judge-next", "3"], ["--queries", "2"], ["--changes", "all"], ["--bounds"]])
def test_what_is_asked_for_besides_takes_the_place_of_the_table(folder: Path, form: str, extra: list[str]) -> None:
    files = ("qrels.txt", "runs/bm25.run", "runs/expanded.run")
    done = run_assay("compare", *files, "-m", "nDCG@10", *extra, form, "--quiet", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "verdict" not in done.stdout
    assert done.stdout


def test_scores_are_compared_from_a_file(folder: Path) -> None:
    files = ("qrels.txt", "runs/bm25.run", "runs/titles.run")
    run_assay("evaluate", *files, "-m", "RR", "-q", "--csv", "-o", "scores.csv", folder=folder)
    done = run_assay("scores", "compare", "scores.csv", "--csv", folder=folder)
    assert done.stdout.splitlines()[1].startswith("RR,bm25,titles,20,")
    assert "from scores alone" in done.stderr


def test_the_intervals_are_drawn(folder: Path) -> None:
    done = run_assay(
        "compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "-m", "RR", "--plot", "x.svg", folder=folder
    )
    assert done.returncode == 0
    assert (folder / "x.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "qrels.txt", "runs/bm25.run"], "a comparison takes at least two systems, not bm25 alone"),
        (["compare", "qrels.txt", "a=runs/bm25.run", "a=runs/titles.run"], "two runs are called 'a'"),
        (["compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "-b", "bm26"], "did you mean bm25?"),
        (["compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "--test", "z"], "the test is one of permutation"),
        (["compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "--slices", "kind"], "--topics FILE"),
        (
            ["scores", "compare", "one.csv", "--level", "2"],
            "--level goes with assay agreement compare or assay compare",
        ),
        (["compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "--plot", "x.doc"], "x.doc: the name ends in"),
        (["compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "--changes", "t99"], "there is no query 't99'"),
        (["compare", "qrels.txt"], "RUN is missing"),
        (["compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "runs/tfidf.run", "--queries", "2"], "--system"),
        (
            ["compare", "qrels.txt", "runs/bm25.run", "runs/titles.run", "--system", "none"],
            "--system goes with --queries",
        ),
        (["scores", "compare", "nan.csv"], "nan.csv:3: expected a finite number as value, got 'NaN'"),
        (["scores", "compare", "one.csv"], "expected at least 2 units that all systems have, got 1"),
        (["scores", "compare", "twice.csv"], "twice.csv:1: expected a name of its own for each column, got 'a'"),
        (
            ["scores", "compare", "constant.csv"],
            "score: expected one score per unit, got the same scores for all 3 units",
        ),
        (["scores", "compare", "apart.csv"], "the systems a, b have no query in common"),
        (["scores", "power", "one.csv"], "at least 2 units"),
        (["correlate", "qrels.txt", "runs/bm25.run", "runs/titles.run", "-m", "AP"], "say two measures"),
        (["scores", "correlate", "flat.csv"], "AP: all items have the same number"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(
    folder: Path, arguments: list[str], message: str
) -> None:
    (folder / "nan.csv").write_text("a,b\n0.1,0.2\n0.2,NaN\n")
    (folder / "one.csv").write_text("a,b\n0.1,0.2\n")
    (folder / "twice.csv").write_text("a,a\n0.1,0.2\n0.1,0.2\n")
    (folder / "apart.csv").write_text("system,query_id,AP\na,q1,0.1\nb,q2,0.2\n")
    (folder / "constant.csv").write_text("a,b\n0.5,0.7\n0.5,0.7\n0.5,0.7\n")
    (folder / "flat.csv").write_text("system,AP,RR\na,0.5,0.2\nb,0.5,0.1\n")
    done = run_assay(*arguments, "-o", "out.txt", folder=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") <= 2
    assert not (folder / "out.txt").exists()
