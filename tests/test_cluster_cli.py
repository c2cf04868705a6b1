"""`assay cluster`: what it prints, in which forms, and one clear line for whatever is wrong."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import in_turn
from command import explained

import assay
from assay import AssayError
from assay.cli.calling import call
from assay.cli.items import clusterings
from assay.cli.options import ClusterInputs

NOTES = str(Path(assay.__file__).parent / "data" / "notes" / "notes.csv")
SPAM = str(Path(assay.__file__).parent / "data" / "letters" / "spam.csv")
QUICK = ("--resamples", "20")


class Done(NamedTuple):
    code: int
    out: str
    err: str


def run(*arguments: str, verb: str = "evaluate") -> Done:
    """The command in this process; what `main` makes of errors is tested below, in another one."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = call(["clustering", verb, *arguments])
        except AssayError as problem:
            code = 2
            err.write(f"assay: {problem}\n")
    return Done(code, out.getvalue(), err.getvalue())


def test_the_screen_has_counts_measures_tables_and_advice() -> None:
    done = run(
        NOTES, "--points", "rest", "--noise", "-1", "--unlabelled", "drop", "--system", "density", *QUICK,
        "--per-class", "--per-cluster", "--moves",
    )  # fmt: skip
    assert done.code == 0
    for part in (
        "items (rows: classes, columns: clusters)", "measures\n", "95% interval", "Silhouette", "BCubedF1",
        "clusters\n", "best match", "clusters of several classes", "garden (56.1%), kitchen (43.9%)",
        "* left out: 6 items without a class, 19 items that are noise", "[class_unheld]", "seed 0",
    ):  # fmt: skip
        assert part in done.out, part
    assert f"{NOTES}: 120 items, points of 3 numbers\n" in done.err
    assert "warning:" in done.err
    assert not run(NOTES, "--unlabelled", "drop", "-m", "ARI", "--quiet", *QUICK).err


def test_the_forms_hold_the_same_numbers() -> None:
    call = (NOTES, "--unlabelled", "drop", "-m", "ARI", "-m", "NMI", *QUICK)
    rows = list(csv.DictReader(io.StringIO(run(*call, "--csv").out)))
    told = json.loads(run(*call, "--json").out)["sections"]["measures"]["measures"]
    assert [row["system"] for row in rows] == ["kmeans", "kmeans", "density", "density", "words", "words"]
    assert float(rows[0]["value"]) == told[0]["value"] == pytest.approx(0.7310, abs=5e-5)
    assert "| ARI |" in run(*call, "--markdown").out
    assert r"\toprule" in run(*call, "--latex").out


def test_a_table_is_typed() -> None:
    done = run("--contingency", "5 1 2; 1 4 0; 0 1 3", "-m", "Purity", "-m", "PairF1")
    shown = dict(line.split()[:2] for line in done.out.splitlines() if line.startswith(("Purity", "PairF1")))
    assert shown == {"Purity": "0.7059", "PairF1": "0.4762"}


def test_the_result_is_written_to_a_file_whole_or_not_at_all(tmp_path: Path) -> None:
    to = tmp_path / "out.md"
    run(NOTES, "--unlabelled", "drop", "-m", "ARI", "--markdown", "-o", str(to), *QUICK)
    assert "| ARI |" in to.read_text()
    bad = tmp_path / "bad.md"
    assert run(NOTES, "--markdown", "-o", str(bad)).code == 2
    assert not bad.exists()


@in_turn(
    ("arguments", "expected"),
    [
        ((), "give a file of clusters, or --contingency"),
        ((NOTES,), "6 items without a class, first 'n007': --unlabelled drop leaves such items out"),
        ((NOTES, "--contingency", "1 2"), "give a file of clusters, or --contingency, not several"),
        (("--contingency", "1 2", "--noise", "0"), "--noise goes with a file, not with --contingency"),
        (("--contingency", "1 2; 3"), "--contingency: expected as many numbers in row 2 as in row 1, 2, got 1"),
        (("--contingency", "1 x"), "--contingency: row 1: expected a number, got 'x'"),
        (("--contingency", ""), "--contingency: row 1: expected a number, got nothing"),
        (("--contingency", "0 0"), "expected at least one item, got none"),
        ((NOTES, "--noise-as", "drop"), "--noise-as goes with --noise"),
        ((NOTES, "--noise", "-1", "--noise-as", "singles"), "--noise-as is one of cluster, drop, singletons, not"),
        ((NOTES, "--unlabelled", "keep"), "--unlabelled is one of error, drop, class, not 'keep'"),
        ((NOTES, "--points", "x,,y"), "--points: expected columns with commas between them, got 'x,,y'"),
        ((NOTES, "--system", "kmean"), "no clustering is called 'kmean': there are kmeans, density, words"),
        ((NOTES, "--unlabelled", "drop", "-m", "Silhouette"), "and kmeans has none: give X, or say --points"),
        ((NOTES, "--cluster", "note", "--truth", "note"), "'note' cannot be a clustering and something else"),
        (("none.csv",), "none.csv: cannot be read: no such file or directory"),
        ((SPAM,), "expected a table with the column `cluster`"),
        ((NOTES, "--json", "--csv"), "choose one of --json and --csv"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(arguments: tuple[str, ...], expected: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert expected in done.err
    assert not done.out


def test_a_wrong_line_ends_the_command_with_exit_code_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "clustering", "evaluate", "-"],
        input="class,cluster\nx,1\ny,\n", encoding="utf-8", capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        "assay: <stdin>:3: expected the cluster of an item, got nothing "
        "(an item in no cluster has a label that is named with --noise)\n"
    )
    assert not done.stdout


def test_names_of_files_go_before_the_names_of_clusterings() -> None:
    named = clusterings([f"mine={NOTES}"], ClusterInputs(system=("mine",), cluster=("cluster_kmeans",)))
    assert [each.name for each in named] == ["mine"]
    several = clusterings([f"mine={NOTES}"], ClusterInputs(points="rest"))
    assert [each.name for each in several] == ["mine kmeans", "mine density", "mine words"]


def test_names_twice_and_numbers_too_large_are_said_in_words_of_the_command_line() -> None:
    done = run(NOTES, NOTES)
    assert done.code == 2
    assert "two clusterings are called 'kmeans': name=FILE gives a file a name of its own" in done.err
    assert (
        "expected numbers from 0 to 2^53, got 99999999999999999999"
        in run("--contingency", "99999999999999999999 1").err
    )
    done = run(NOTES, "--unlabelled", "drop", "--metric", "foo")
    assert (done.code, done.out) == (2, "")
    assert "--metric is about points, and there are none: say --points" in done.err


def test_labels_with_pipes_tags_and_line_breaks_stay_in_their_cells_of_markdown(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    rows = [{"class": label, "cluster": label} for label in ("a|b", "<i>c", "two\nlines") for _ in range(3)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    shown = run(str(path), "--markdown", "--per-cluster", *QUICK).out
    tables = [line for line in shown.splitlines() if line.startswith("|")]
    for label in (r"a\|b", r"\<i\>c", "two lines"):
        assert any(line.count(label) == 2 for line in tables), label  # the cluster and its largest class


@in_turn("option", [("--per-class",), ("--per-cluster",), ("--moves",), ("--mute", "chance"), ("--confidence", "0.5")])
def test_options_of_one_clustering_are_refused_where_they_have_no_meaning(
    option: tuple[str, ...], tmp_path: Path
) -> None:
    over_k = run(NOTES, "--points", "x,y", "--ks", "2:3", "--resamples", "2", *option, verb="number")
    assert over_k.code == 2
    assert over_k.err.startswith(f"assay: no such option: {option[0]}")
    path = tmp_path / "clusters.csv"
    path.write_text("doc_id,cluster\nd1,a\n")
    by_use = run("qrels.txt", "a.run", str(path), *option, verb="by-use")
    assert by_use.err.startswith(f"assay: no such option: {option[0]}")


@in_turn("option", ["--unlabelled", "--weight", "--cluster", "--system", "--noise", "--noise-as"])
def test_where_points_are_clustered_there_is_no_option_about_clusters(option: str) -> None:
    done = run(NOTES, "--points", "x", "--ks", "2", option, "y", verb="number")
    assert done.code == 2
    assert done.err.startswith(f"assay: no such option: {option}")
    assert f"{option} " not in run("--help-all", verb="number").out


def test_the_points_that_are_clustered_are_named() -> None:
    assert (
        "notes.csv: 120 items, points of 3 numbers: x, y, z\n"
        in run(NOTES, "--points", "rest", "--ks", "2", "--resamples", "2", verb="number").err
    )


def test_messages_name_the_file(tmp_path: Path) -> None:
    for text, says in (
        ("id,class,cluster,weight\na,x,0,0\nb,y,1,0\n", "all weights are 0"),
        ("id,cluster\na,0\nb,1\n", "there are clusters, and neither classes nor points"),
    ):
        path = tmp_path / "items.csv"
        path.write_text(text)
        assert f"assay: {path}: {says}" in run(str(path)).err


def test_a_sampled_number_is_explained_with_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("cluster,x\n" + "".join(f"{n % 2},{(n * 37) % 23}\n" for n in range(20)))
    asked = ("--points", "x", "--sample-size", "5", "--seed", "3", "--json")
    told = json.loads(run(str(path), *asked, "-m", "Silhouette").out)["sections"]["measures"]["measures"]
    out = io.StringIO()
    with redirect_stdout(out):
        call(["clustering", "explain", "Silhouette", str(path), *asked])
    assert explained(out.getvalue())["value"] == pytest.approx(told[0]["value"])
    with pytest.raises(AssayError, match="--seed goes with --sample-size"):
        call(["clustering", "explain", "Silhouette", str(path), "--points", "x", "--seed", "3"])
