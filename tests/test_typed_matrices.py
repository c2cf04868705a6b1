"""A confusion matrix that is typed: one rule says which of two labels is positive, and the first line says it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from command import run_assay

from assay import ConfusionMatrix, explain

UNLIKE, ALIKE = "--matrix '20 10; 180 1820'", "--matrix '9 1; 1 8'"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (f"evaluate {UNLIKE}", "F1 is 0.1739 if it is 0 (the first), 0.9504 if it is 1 (the second)"),
        (f"explain Precision {UNLIKE}", "Precision is 0.1000 if it is 0 (the first), 0.9945 if it is 1 (the second)"),
        (f"evaluate {UNLIKE} -m Recall", "Recall is 0.6667 if it is 0 (the first), 0.9100 if it is 1 (the second)"),
    ],
)
def test_where_the_two_labels_differ_by_much_the_positive_one_is_asked_for_and_the_answer_works(
    command: str, says: str, tmp_path: Path
) -> None:
    asked = run_assay("classifier", *shlex.split(command), folder=tmp_path)
    assert asked.returncode == 2
    assert says in asked.stderr
    ways = re.search(r"say (--positive 0) or (--positive 1)\n", asked.stderr)
    assert ways is not None
    for way in ways.groups():
        assert run_assay("classifier", *shlex.split(f"{command} {way}"), folder=tmp_path).returncode == 0


@pytest.mark.parametrize("verb", ["evaluate", "explain Precision"])
@pytest.mark.parametrize(
    ("matrix", "first_line"),
    [
        (ALIKE, "matrix: rows are the truth; positive is 1, the second: precision 0.8889, recall 0.8889"
         " (were it 0: 0.9000 and 0.9000)"),
        (f"{UNLIKE} --class 0", "matrix: rows are the truth"),
        (f"{UNLIKE} --positive 0", "matrix: rows are the truth; positive is 0, the first: precision 0.1000,"
         " recall 0.6667 (were it 1: 0.9945 and 0.9100)"),
        (f"{UNLIKE} --positive 0 --orientation rows_are_predicted", "matrix: rows are the prediction; positive is 0,"
         " the first: precision 0.6667, recall 0.1000 (were it 1: 0.9100 and 0.9945)"),
        ("--matrix '5 0 0; 1 3 0; 1 1 5'", "matrix: rows are the truth"),
    ],
)  # fmt: skip
def test_the_first_line_says_how_a_matrix_is_read(verb: str, matrix: str, first_line: str, tmp_path: Path) -> None:
    done = run_assay("classifier", *shlex.split(f"{verb} {matrix}"), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == first_line


@pytest.mark.parametrize("measure", ["Precision", "Recall", "F1", "MCC", "Accuracy", "Precision(average=macro)"])
@pytest.mark.parametrize("options", ["--positive 0", "--positive 1", "--labels ill,well --positive ill"])
def test_evaluate_and_explain_give_one_number_for_a_matrix(measure: str, options: str, tmp_path: Path) -> None:
    words = shlex.split(f"{UNLIKE} {options} --json")
    explained = run_assay("classifier", "explain", measure, *words, folder=tmp_path)
    evaluated = run_assay("classifier", "evaluate", "-m", measure, *words, folder=tmp_path)
    [row] = json.loads(evaluated.stdout)["sections"]["measures"]["measures"]
    assert json.loads(explained.stdout)["sections"]["arithmetic"]["value"] == pytest.approx(row["value"], rel=1e-12)


@pytest.mark.parametrize("command", ["evaluate", "explain F1"])
def test_which_of_two_names_is_positive_is_asked_for_by_both_commands(command: str, tmp_path: Path) -> None:
    words = shlex.split(f"{command} {ALIKE} --labels ill,well")
    done = run_assay("classifier", *words, folder=tmp_path)
    assert done.returncode == 2
    assert "which label is positive, ill or well? say --positive ill or --positive well" in done.stderr


def test_in_python_two_numbered_labels_have_a_positive_one_too() -> None:
    matrix = ConfusionMatrix.from_matrix([[20, 10], [180, 1820]])
    assert explain("Precision", matrix).value == 1820 / 1830
    assert explain("Precision(average='macro')", matrix).value == (20 / 200 + 1820 / 1830) / 2


def test_a_measure_that_is_the_same_for_both_labels_asks_for_nothing(tmp_path: Path) -> None:
    for words in ("evaluate -m Accuracy -m MCC", "explain MCC", "explain 'F1(average=macro)'", "evaluate --class 0"):
        done = run_assay("classifier", *shlex.split(f"{words} {UNLIKE}"), folder=tmp_path)
        assert done.returncode == 0, done.stderr
