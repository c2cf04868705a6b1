"""`assay classify`: what it prints, in which forms, and one clear line for whatever is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import in_turn

import assay
from assay import AssayError
from assay.cli.calling import call

LETTERS = Path(assay.__file__).parent / "data" / "letters"
SPAM, TOPICS, TAGS = (str(LETTERS / name) for name in ("spam.csv", "topics.csv", "tags.jsonl"))
WOMEN = ("--matrix", "13 4 2; 2 15 1; 5 1 57", "--labels", "Woman,Man,Child", "--orientation", "rows_are_predicted")


class Done(NamedTuple):
    code: int
    out: str
    err: str


def run(*arguments: str, cwd: Path | None = None) -> Done:
    """The command in this process; what `main` makes of errors is tested below, in another one."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), chdir(cwd or Path.cwd()):
        try:
            code = call(["classifier", "evaluate", *arguments])
        except AssayError as problem:
            code = 2
            err.write(f"assay: {problem}\n")
    return Done(code, out.getvalue(), err.getvalue())


def run_alone(*arguments: str, stdin: str | None = None) -> Done:
    """The command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", "classifier", "evaluate", *arguments],
        input=stdin, encoding="utf-8", capture_output=True, check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def test_the_screen_has_matrix_measures_baselines_classes_and_advice() -> None:
    done = run(SPAM, "--positive", "spam", "--system", "bayes")
    assert done.code == 0
    for part in (
        "confusion matrix (rows: truth, columns: prediction)",
        "ham                 148     5    153",
        "95% interval  always ham  chance",
        "Recall            0.8723  [0.7483, 0.9402]      0.0000  0.2350",
        "spam        47  0.891 [0.770, 0.953]",
        "[other_prevalence]",
        "binary: 200 items, 2 labels, positive is spam.",
    ):
        assert part in done.out
    assert done.err == f"{SPAM}: 200 items\n"


def test_a_typed_matrix_is_collapsed_to_one_class() -> None:
    done = run(*WOMEN, "--class", "Child")
    assert done.code == 0
    assert "prediction \\ truth  Child  rest  items" in done.out
    for part in (
        "Precision         0.9048",
        "NPV               0.9189",
        "Recall            0.9500",
        "0.8500",
        "0.9100",
    ):
        assert part in done.out


def test_a_matrix_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("truth,ill,well\nill,20,10\nwell,180,1820\n", encoding="utf-8")
    done = run("--matrix", "m.csv", "--positive", "ill", "--prevalence", "0.1", "--prevalence", "0.5", cwd=tmp_path)
    assert done.code == 0
    assert "98.5% of the items are well, so accuracy misleads: always predicting well would score 98.5%" in done.out
    assert "0.1000  0.4515  0.9609" in done.out


def test_json_and_csv_hold_numbers_in_full() -> None:
    told = json.loads(run(TOPICS, "--json", "--errors", "3", "--most-confused", "2").out)["sections"]
    assert told["basis"]["task"] == "multiclass"
    assert len(told["systems"]["topics"]["errors"]) == 3
    accuracy = told["measures"]["measures"][0]
    assert accuracy["value"] == pytest.approx(134 / 150)
    rows = list(csv.DictReader(io.StringIO(run(TOPICS, "--csv").out)))
    assert float(rows[0]["low"]) == accuracy["low"]


@in_turn(("option", "mark"), [("--markdown", "| --- | ---: |"), ("--latex", r"\begin{tabular}")])
def test_tables_for_papers(option: str, mark: str) -> None:
    assert mark in run(TAGS, option, "--resamples", "50").out


def test_output_goes_to_a_file_and_messages_stay_away_with_quiet(tmp_path: Path) -> None:
    done = run(TAGS, "--quiet", "--resamples", "50", "-o", str(tmp_path / "out.txt"))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "multilabel: 60 items, 6 labels." in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_columns_are_said_where_their_names_are_unusual() -> None:
    table = "who,is,said,how_sure,times\n1,yes,yes,0.9,1\n2,no,yes,0.6,2\n3,no,no,0.1,3\n"
    done = run_alone(
        "-", "--item-id", "who", "--truth", "is", "--prediction", "said", "--score", "how_sure", "--weight", "times",
        "--positive", "yes", "-m", "Precision", "-m", "AUC", "--json", stdin=table,
    )  # fmt: skip
    assert done.code == 0, done.err
    values = [row["value"] for row in json.loads(done.out)["sections"]["measures"]["measures"]]
    assert values == [pytest.approx(1 / 3), 1.0]
    assert "items of equal weight" in done.err


def test_a_remark_is_muted() -> None:
    assert "[other_prevalence]" in run(SPAM, "--positive", "spam").out
    assert "[other_prevalence]" not in run(SPAM, "--positive", "spam", "--mute", "other_prevalence").out


def test_shares_and_pairs_are_shown_on_demand() -> None:
    done = run(TOPICS, "--normalize", "true", "--most-confused", "1")
    assert "shares of true items" in done.out
    assert "78.6%" in done.out
    assert "most confused" in done.out


def test_two_files_are_two_systems(tmp_path: Path) -> None:
    for name, said in (("one", "a b b"), ("two", "a a b")):
        rows = "".join(f"{t},{p}\n" for t, p in zip("aab", said.split(), strict=True))
        (tmp_path / f"{name}.csv").write_text(f"truth,prediction\n{rows}", encoding="utf-8")
    done = run("one.csv", "new=two.csv", "--positive", "a", "-m", "Recall", cwd=tmp_path)
    assert done.code == 0
    assert "one: confusion matrix" in done.out
    assert "new: confusion matrix" in done.out


BAD = {
    "truth,prediction\n": "there are no data in the file",
    "": "there are no data in the file",
    "truth,prediction\na,b\nb\n": ":3: expected",
    "truth,prediction\na,b\n,b\n": ":3: expected a value as truth",
    "truth,score\n1,0.5\n0,nan\n": "nan",
    "truth,score\n1,0.5\n0,high\n": "high",
    "truth,score\n1,3\n0,-2\n": "--threshold",
    "truth,prediction\nham,spam\nspam,spam\n": "--positive spam",
    "this,that\n1,2\n": "expected",
}


@in_turn("text", BAD)
def test_bad_files_get_one_clear_line_and_exit_code_2(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(text, encoding="utf-8")
    done = run("bad.csv", "--quiet", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("assay: ")
    assert done.err.count("\n") == 1
    assert BAD[text] in done.err


BAD_CALLS = [
    ((), "give a file of predictions, or --matrix"),
    (("nowhere.csv",), "nowhere.csv"),
    ((SPAM, *WOMEN), "not several"),
    ((*WOMEN, "--errors", "3"), "--errors goes with predictions"),
    ((SPAM,), "--positive spam"),
    ((SPAM, "--positive", "spma"), "did you mean spam"),
    ((SPAM, "--positive", "spam", "-m", "Acuracy"), "did you mean Accuracy"),
    ((SPAM, "--positive", "spam", "--normalize", "rows"), "--normalize is one of true, pred, all"),
    ((SPAM, "--positive", "spam", "--orientation", "rows"), "--orientation is one of"),
    ((SPAM, "--positive", "spam", "--mute", "everything"), "no remark is called 'everything'"),
    ((SPAM, "--positive", "spam", "--system", "bays"), "bayes"),
    ((SPAM, "--positive", "spam", "--prevalence", "2"), "between 0 and 1"),
    ((SPAM, "--positive", "spam", "--json", "--csv"), "choose one of"),
    ((SPAM, "--positive", "spam", "--nulls", "ignore"), "--nulls is one of"),
    ((TOPICS, "--class", "orders"), "did you mean order"),
    ((TOPICS, "--labels", "order,question"), "expected a label of order, question"),
    (("--matrix", "1 2; 3"), "matrix"),
    (("--matrix", "1 2; 3 x"), "--matrix: row 2: expected a number, got 'x'"),
    (("--matrix", "1 2 / 3 x"), "--matrix: row 2: expected a number, got 'x'"),
    (("--matrix", "1 2; 3 -4"), "--matrix: row 2: expected numbers from 0 on, got -4"),
    (("--matrix", "of 2024/matrix.csv"), "no such file"),
    (("--matrix", "1 2; 3 4", "--positive", "1", "--threshold", "0.5"), "threshold"),
    (("--matrix", "1 2; 3 4", "--nulls", "drop"), "--nulls goes with predictions, not with --matrix"),
    (("--matrix", "1 2; 3 4", "--system", "zzz"), "--system goes with predictions, not with --matrix"),
    (("--matrix", "1 2; 3 4", "--item-id", "id"), "--item-id goes with predictions, not with --matrix"),
    (("--matrix", ""), "--matrix: expected a matrix, such as '13 4; 2 15', or a file of one, got nothing"),
    ((TOPICS, "--prevalence", "0.1"), "there are 4: --class compares one with all others, as in --class complaint"),
    ((TOPICS, "--class", "order", "--positive", "order"), "--positive goes without --class"),
]


@in_turn(("arguments", "says"), BAD_CALLS)
def test_bad_calls_get_one_clear_line_and_exit_code_2(arguments: tuple[str, ...], says: str) -> None:
    done = run(*arguments, "--quiet")
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1


def test_a_wrong_call_ends_with_one_line_and_exit_code_2_in_a_process_of_its_own() -> None:
    done = run_alone(SPAM)
    assert (done.code, done.out) == (2, "")
    assert "assay: which label is positive, ham or spam?" in done.err
    assert "Traceback" not in done.err
