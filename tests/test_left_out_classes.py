"""Counted as 0, and left out, is said: averages over classes name the classes in which they are undefined."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from command import run_assay

import assay
from assay import ConfusionMatrix, Predictions

DATA = Path(assay.__file__).parent / "data" / "letters"
TRUTH = ["a", "b", "c", "a", "b", "a"]
#: c is never predicted: it has no precision. 2/3 for a and 2/3 for b.
NEVER_C = ["a", "b", "a", "a", "b", "b"]


def undefined_classes(matrix: np.ndarray[Any, np.dtype[np.int64]], measure: str, *, weighted: bool) -> list[set[str]]:
    """Which classes have nothing to divide by, in plain loops: by the system's own doing, and by the truth's."""
    own, truths = set[str](), set[str]()
    for place, label in enumerate("abcd"):
        true, predicted = int(matrix[place].sum()), int(matrix[:, place].sum())
        divisor = {"Precision": predicted, "Recall": true, "F": true + predicted, "BalancedAccuracy": true}[measure]
        if divisor == 0 and not (weighted and true == 0):
            (own if true else truths).add(label)
    return [own, truths]


AVERAGES = ("Precision", "Recall", "F", "BalancedAccuracy", "Precision(average='weighted')",
            "Recall(average='weighted')", "Precision(average='micro')")  # fmt: skip


@in_turn("seed", range(20))
def test_the_classes_named_are_those_without_a_number(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (4, 4)) * rng.integers(0, 2, (4, 1)) * rng.integers(0, 2, (1, 4))
    table[0, 0] += 1
    result = assay.classify(ConfusionMatrix.from_matrix(table, list("abcd")), AVERAGES, resamples=100)
    for name in AVERAGES:
        plain = name.partition("(")[0]
        expected = undefined_classes(table, plain, weighted="weighted" in name)
        gaps = result.estimate(name).gaps
        assert gaps is not None
        found = [set(gaps.counted), set(gaps.left_out)]
        assert found == ([set(), set()] if "micro" in name else expected), name


def test_table_lines_frame_and_json_name_the_class() -> None:
    result = assay.classify(Predictions.of(TRUTH, NEVER_C, name="m"), ["Precision", "Recall"], resamples=100)
    assert result.value("Precision") == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert result.to_frame()["counted"].to_list() == ["c", None]
    text = str(result)
    assert "c as 0" in text
    assert "Precision (macro) counts class c as 0: nothing is predicted positive." in text
    rows = json.loads(result.to_json())["sections"]["measures"]["measures"]
    assert [(row["counted"], row["counted_as"]) for row in rows] == [(["c"], 0.0), ([], None)]
    for form in (result.report().to_markdown(), result.report().to_html()):
        assert "c as 0" in form
    skipped = assay.classify(Predictions.of(TRUTH, NEVER_C, name="m"), "Precision", resamples=100, undefined="skip")
    assert skipped.value() == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert skipped.to_frame()["left_out"].to_list() == ["c"]
    assert "Precision (macro) leaves out class c, where it is undefined." in str(skipped)
    assert json.loads(skipped.to_json())["sections"]["measures"]["measures"][0]["left_out"] == ["c"]


def test_nothing_is_said_where_no_class_is_left_out() -> None:
    result = assay.classify(Predictions.of(TRUTH, TRUTH, name="m"), resamples=100)
    assert "left out" not in str(result)
    assert set(result.to_frame()["left_out"]) == set(result.to_frame()["counted"]) == {None}


def test_of_several_systems_each_names_its_own() -> None:
    both = [Predictions.of(TRUTH, predicted, name=name) for name, predicted in (("m", NEVER_C), ("n", TRUTH))]
    text = str(assay.classify(both, "Precision", resamples=100))
    assert "Precision (macro) of m counts class c as 0" in text
    assert "of n counts" not in text
    compared = assay.compare(both, measures="Precision", resamples=1000)
    assert compared.notes == ("Precision (macro) of m counts class c as 0: nothing is predicted positive",)
    for form in (str(compared), compared.to_markdown(), compared.to_json(), compared.to_html()):
        assert compared.notes[0] in form
    assert compared.notes[0] in assay.gate(*both, measures="Precision", resamples=1000).notes


def test_a_classification_report_names_them_by_column() -> None:
    report = assay.classification_report(TRUTH, NEVER_C)
    assert (report.left_out, report.counted) == ({}, {("precision", 0.0): ["c"]})
    assert "averages of precision count class c as 0" in str(report)
    assert report.precision.macro == pytest.approx(4 / 9)
    skipped = assay.classification_report(TRUTH, NEVER_C, zero_division=np.nan)
    assert skipped.left_out == {"precision": ["c"]}
    assert "macro avg of precision leaves out class c" in str(skipped)


def test_labels_of_items_with_several_are_named_too() -> None:
    sets = Predictions.of([["x"], ["x", "y"], ["z"]], [["x"], ["x"], ["z"]], name="m")
    result = assay.classify(sets, "Precision", resamples=100)
    assert str(result.estimate("Precision").gaps).startswith("Gaps(kind='class', counted=('y',), counted_as=0.0")


def test_types_of_spans_are_named_too() -> None:
    result = assay.extract([("d", 0, 4, "PER"), ("d", 5, 6, "LOC")], [("d", 0, 4, "PER")])
    assert "The mean of types counts precision of type LOC as 0: nothing is predicted positive." in str(result)
    assert json.loads(result.to_json())["sections"]["basis"]["counted"] == {"precision": ["LOC"]}
    skipped = assay.extract([("d", 0, 4, "PER"), ("d", 5, 6, "LOC")], [("d", 0, 4, "PER")], undefined="skip")
    assert skipped.left_out == {"precision": ["LOC"]}
    assert "The mean of types leaves out type LOC, where precision is undefined." in str(skipped)
    assert json.loads(skipped.to_json())["sections"]["basis"]["left_out"] == {"precision": ["LOC"]}


def test_the_command_line_names_them(tmp_path: Path) -> None:
    rows = "".join(f"{truth},{predicted}\n" for truth, predicted in zip(TRUTH, NEVER_C, strict=True))
    (tmp_path / "p.csv").write_text(f"truth,prediction\n{rows}")
    done = run_assay("classifier", "evaluate", "p.csv", "-m", "Precision", folder=tmp_path)
    assert "counts class c as 0" in done.stdout
    for policy in ("--undefined=skip", "--zero-division=nan"):
        done = run_assay("classifier", "evaluate", "p.csv", "-m", "Precision", policy, folder=tmp_path)
        assert "leaves out class c" in done.stdout


@pytest.mark.parametrize(("policy", "shown"), [("0", 0.0), ("1", 1.0), ("skip", None), ("counted_as", None)])
def test_the_table_of_classes_has_the_policy_of_the_means(policy: Any, shown: float | None, tmp_path: Path) -> None:
    rows = "".join(f"{truth},{predicted}\n" for truth, predicted in zip(TRUTH, NEVER_C, strict=True))
    (tmp_path / "p.csv").write_text(f"truth,prediction\n{rows}")
    words = ["classifier", "evaluate", "p.csv", "--undefined", policy]
    told = json.loads(run_assay(*words, "--json", folder=tmp_path).stdout)
    by_class = assay.classify(tmp_path / "p.csv", undefined=policy).per_class()
    assert by_class.filter(label="c")["precision"].to_list() == [shown]
    assert by_class.filter(label="c")["precision_low"].to_list() == [None]
    (row,) = (row for row in rows_in(told) if row.get("label") == "c" and "precision" in row)
    assert row["precision"] == shown
    spans = assay.extract([("d", 0, 4, "PER"), ("d", 5, 6, "LOC")], [("d", 0, 4, "PER")], undefined=policy)
    assert spans.per_type.filter(type="LOC")["precision"].to_list() == [shown]


def rows_in(told: Any) -> Iterator[dict[str, Any]]:
    """All dicts of a document."""
    if isinstance(told, dict):
        yield told
    for part in told.values() if isinstance(told, dict) else told if isinstance(told, list) else []:
        yield from rows_in(part)


@pytest.mark.parametrize(("beta", "name"), [("1", "F1"), ("2", "F(beta=2)")])
def test_spans_and_comparisons_of_them_print_one_name_of_f(beta: str, name: str, tmp_path: Path) -> None:
    spans = [str(DATA / each) for each in ("mentions.conll", "lists.conll", "capitals.conll")]
    table = run_assay("extraction", "evaluate", *spans[:2], "--beta", beta, folder=tmp_path).stdout
    heads = [line.split()[-1] for line in table.splitlines() if line.startswith("type ")]
    assert heads == [name, name]
    compared = run_assay("extraction", "compare", *spans, "--beta", beta, folder=tmp_path).stdout
    assert any(line.startswith(f"{name} ") for line in compared.splitlines())


def test_folds_name_them_too() -> None:
    """In the second fold nothing is predicted to be c, which has items there: (2/2 + 1/2 + 0) / 3 = 1/2."""
    truth = ["a", "b", "c", "a", "a", "b", "c"]
    predicted = ["a", "b", "c", "a", "a", "b", "b"]
    result = assay.crossval(Predictions.of(truth, predicted), fold=[1, 1, 1, 2, 2, 2, 2], measures="Precision")
    assert result.values().tolist() == [1.0, 0.5]
    assert result.per_fold()["counted"].to_list() == [None, "c"]
    assert "Precision (macro) counts class c as 0 in 1 of 2 folds, where nothing is predicted so." in str(result)
