"""`explain` on classifiers: what is shown is what was computed, from whatever a classifier's number is made of."""

from __future__ import annotations

import math
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import explained, invoke
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

from assay import (
    AssayError,
    Confusion,
    ConfusionMatrix,
    ParameterError,
    Predictions,
    Ranks,
    classify,
    explain,
    parse_measure,
)
from assay.cli.literals import labels_in, looks_like_matrix, matrix_in, scores_in
from assay.measures import registered
from assay.measures.counting.confusion_matrix import LabelSets
from assay.measures.counting.scored import Scored
from assay.measures.matrices import averaged, overall
from assay.verbs.explanation.explain import is_of_classes

LETTERS = Path(__file__).parents[1] / "src" / "assay" / "data" / "letters"
PEOPLE = ConfusionMatrix.from_matrix(
    [[13, 4, 2], [2, 15, 1], [5, 1, 57]], ["Woman", "Man", "Child"], orientation="rows_are_predicted"
)
ILL = ConfusionMatrix.from_matrix([[20, 10], [180, 1820]], ["ill", "well"], pos_label="ill")


def matrices() -> st.SearchStrategy[ConfusionMatrix]:
    """Small matrices with empty rows and columns among them."""

    def made(size: int) -> st.SearchStrategy[ConfusionMatrix]:
        cells = st.lists(st.lists(st.integers(0, 5), min_size=size, max_size=size), min_size=size, max_size=size)
        return cells.map(lambda rows: ConfusionMatrix.from_matrix(rows, list("abcd")[:size]))

    return st.integers(2, 4).flatmap(made)


def binary_scores() -> st.SearchStrategy[Scored]:
    sides = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]), max_size=6)
    return st.tuples(sides, sides).filter(any).map(lambda both: Scored.from_lists(*both))


def of_kind(vocabulary: str, *kinds: type) -> list[str]:
    names = registered(vocabulary, unit_kind="table")
    return [name for name, measure in names.items() if measure.definition.counts in kinds]


# What is shown is what was computed


@given(matrices(), st.data())
@quickly
def test_the_value_of_a_matrix_is_the_one_that_evaluation_gives(matrix: ConfusionMatrix, data: st.DataObject) -> None:
    """Every measure, every average; and the formula with numbers in it comes to the value."""
    name = data.draw(st.sampled_from(of_kind("multiclass", Confusion, ConfusionMatrix)))
    measure = parse_measure(name, "multiclass")
    if "average" in measure.parameters:
        measure = measure(average=data.draw(st.sampled_from(["macro", "micro", "weighted"])))
    made, expected = explain(measure, matrix), overall(measure, matrix)
    assert made.value == pytest.approx(expected.values[0], nan_ok=True)
    assert made.reason == expected.reason(0)
    assert str(made)
    assert explained(made.to_json())["value"] == (None if math.isnan(made.value) else pytest.approx(made.value))
    assert "matrix" in made.to_frame()["part"].to_list()


@given(matrices(), st.data())
@quickly
def test_the_classes_shown_are_those_averaged(matrix: ConfusionMatrix, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["Precision", "Recall", "F", "Specificity", "NPV"]))
    made = explain(parse_measure(name, "multiclass"), matrix)
    classes = parse_measure(name, "binary").of(matrix.per_class())
    assert [part.value for part in made.parts] == pytest.approx(classes.tolist(), nan_ok=True)
    shown = [math.nan if value is None else value for value in made.steps[1].frame["value"].to_list()]
    assert shown == pytest.approx(classes.tolist(), nan_ok=True)
    assert made.undefined_units == int(np.isnan(classes).sum())
    if made.is_defined:
        assert made.value == pytest.approx(np.nanmean(classes))


@given(matrices(), st.data())
@quickly
def test_one_class_is_its_collapse(matrix: ConfusionMatrix, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(of_kind("binary", Confusion)))
    label = data.draw(st.sampled_from(matrix.labels))
    made = explain(name, matrix, label=label)
    assert made.value == pytest.approx(explain(name, matrix.collapse(label)).value, nan_ok=True)
    assert f"positive={label}" in made.signature
    if len(matrix.labels) > 2:
        collapsed = made.steps[1].frame
        assert made.steps[1].says == f"{label} against the rest"
        assert collapsed.row(2)[-1] == matrix.table.sum()


@given(binary_scores(), st.data())
@quickly
def test_the_value_of_scores_is_the_one_that_evaluation_gives(scored: Scored, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(of_kind("binary", Scored)))
    made = explain(name, scored)
    assert made.value == pytest.approx(float(parse_measure(name, "binary").of(scored)[0]), nan_ok=True)
    for way in made.other_ways:
        assert way.value == pytest.approx(made.value)
    assert str(made)


@given(binary_scores(), st.data())
@quickly
def test_every_threshold_is_counted(scored: Scored, data: st.DataObject) -> None:
    """With `running`, the measure at each threshold is what that threshold alone gives."""
    name = data.draw(st.sampled_from(["Accuracy", "Precision", "F", "MCC"]))
    table = explain(name, scored, threshold=0.5, running=True).steps[-1].frame
    printed = str(parse_measure(name, "binary"))
    for row in table.to_dicts():
        alone = explain(name, scored, threshold=row["threshold"])
        value = math.nan if row[printed] is None else row[printed]
        assert value == pytest.approx(alone.value, nan_ok=True)


def test_averages_over_labels_are_those_of_classify() -> None:
    truth, predicted = [["a", "b"], ["b"], [], ["c"]], [["a"], ["b", "c"], [], ["a"]]
    weights = [1.0, 2.0, 0.5, 3.0]
    for extra in ({}, {"sample_weight": weights}):
        predictions = Predictions.of(truth, predicted, **extra)  # type: ignore[arg-type]  # weights or nothing
        for name in ("MacroF1", "MicroF1", "WeightedF1", "Recall(average='samples')", "ExactMatch", "HammingLoss"):
            made = explain(name, predictions)
            assert made.value == pytest.approx(classify(predictions, [name]).value(name)), name
    sets = LabelSets.from_labels(truth, predicted)
    macro = parse_measure("F", "multiclass")
    assert explain("F", Predictions.of(truth, predicted)).value == pytest.approx(
        float(averaged(macro, sets.per_label()).values[0])
    )


def test_one_label_and_one_item_of_several_labels() -> None:
    predictions = Predictions.of([["a", "b"], ["b"]], [["a"], ["a", "b"]], item_id=["x", "y"])
    assert explain("Precision", predictions, label="a").value == 1 / 2
    assert explain("Precision", predictions, item="y").value == 1 / 2
    assert explain("Recall", predictions, item="x").value == 1 / 2
    with pytest.raises(ParameterError, match="choose one of them"):
        explain("Recall", predictions, item="x", label="a")
    with pytest.raises(ParameterError, match="several labels"):
        explain("AUC", predictions)


@pytest.fixture
def scored_predictions() -> Predictions:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 40)
    score = np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0, 1)
    ids = [f"m{number}" for number in range(40)]
    return Predictions.of(np.where(truth, "spam", "ham"), y_score=score, pos_label="spam", item_id=ids)


@pytest.mark.parametrize("name", ["F1", "MCC", "Accuracy", "AUC", "AveragePrecision", "LogLoss", "Brier", "ECE"])
def test_predictions_are_explained_as_they_are_classified(name: str, scored_predictions: Predictions) -> None:
    result = classify(scored_predictions, [name])
    made = explain(name, scored_predictions)
    assert made.value == pytest.approx(result.value(name))
    assert made.signature == result.signatures[result.system().name][str(result.measures[0])]
    assert explain(name, result).value == result.explain().value == pytest.approx(made.value)


def test_signatures_of_several_labels_say_what_is_meant() -> None:
    tags = Predictions.of([["a", "b"], ["b"]], [["a"], ["b"]], item_id=["x", "y"])
    assert "|average=binary|labels=a,b|positive=b|" in explain("F1", tags, label="b").signature
    assert "|average=binary|labels=a,b|undefined" in explain("F1", tags, item="x").signature
    assert "|average=macro|labels=a,b|undefined" in explain("F1", tags).signature


def test_measures_of_scores_ask_for_no_threshold() -> None:
    """Scores such as logits have no usual threshold, and AUC needs none."""
    truth, score = [0, 1, 0, 1, 1], [-3.0, 2.5, 4.0, 7.0, 1.0]
    raw = Predictions.of(truth, y_score=score)
    assert explain("AUC", raw).value == pytest.approx(4 / 6)
    assert explain("AveragePrecision", raw).is_defined
    with pytest.raises(ParameterError, match="looks at all thresholds"):
        explain("AUC", raw, threshold=0.0)
    with pytest.raises(ParameterError, match="for which there is no usual threshold"):
        explain("F1", raw)


def test_thresholds_beside_given_predictions_leave_them_as_they_are() -> None:
    given = Predictions.of([0, 1, 0, 1], [1, 1, 0, 0], y_score=[0.1, 0.9, 0.3, 0.8])
    plain, running = explain("F1", given), explain("F1", given, running=True)
    assert running.value == plain.value == 0.5
    assert running.remarks == plain.remarks
    assert [step.says for step in running.steps] == [*(step.says for step in plain.steps), "thresholds"]
    with_label = explain("F1", given, threshold=0.5, running=True)
    assert with_label.value == 1


def test_scores_of_one_class_against_the_rest() -> None:
    truth = ["a", "b", "c", "a"]
    scores = [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.1, 0.2, 0.7], [0.4, 0.5, 0.1]]
    given = Predictions.of(truth, y_score=scores, labels=["a", "b", "c"])
    expected = Scored.from_scores([1, 0, 0, 1], [0.6, 0.5, 0.1, 0.4])
    found = explain("AUC", given, label="a")
    assert found.value == parse_measure("AUC", "binary").of(expected)[0]
    assert "|positive=a|" in found.signature
    assert classify(given).explain("AUC", label="a").value == found.value
    with pytest.raises(ParameterError, match="say which class is meant, as in label='a'"):
        explain("AUC", given)


def test_an_item_of_predictions(scored_predictions: Predictions) -> None:
    each = classify(scored_predictions, ["LogLoss"]).scores.frame
    made = explain("LogLoss", scored_predictions, item="m7")
    assert made.value == pytest.approx(each.filter(pl.col("unit") == "m7")["value"][0])
    assert (made.unit, made.unit_kind) == ("m7", "item")
    brier = explain("Brier", scored_predictions, item="m7")
    assert brier.steps[0].frame["class"].to_list() == ["ham", "spam"]
    with pytest.raises(ParameterError, match="choose an item of"):
        explain("LogLoss", scored_predictions, item="m99")
    with pytest.raises(ParameterError, match="leave out the item"):
        explain("ECE", scored_predictions, item="m7")


def test_weights_weigh_in_means_over_items() -> None:
    predictions = Predictions.of([1, 0, 1], y_score=[0.9, 0.2, 0.4], sample_weight=[1, 2, 5])
    made = explain("Brier", predictions)
    assert made.value == pytest.approx((0.1**2 * 1 + 0.2**2 * 2 + 0.6**2 * 5) / 8)
    assert "contribution = Brier × weight" in str(made)


# Names and words


def test_names_of_retrieved_sets_go_first_and_classifiers_words_come_with_theirs() -> None:
    counts = Confusion.from_table(20, 180, 10, 1820)
    assert "retrieved" in str(explain("NPV", counts))
    assert "predicted positive" in str(explain("Precision", counts))
    assert "mean over queries" in str(explain("MCC", Confusion.from_table(0, 0, 1, 1)))
    assert explain("F1", counts).measure == parse_measure("F1", "binary")


@in_turn(("name", "expected"), [("F1", True), ("AP", False), ("P@10", False), ("nothing", False)])
def test_which_names_are_of_classifiers_alone(name: str, expected: bool) -> None:
    assert is_of_classes(name) is expected


def test_measures_of_rankings_are_refused_for_classifiers() -> None:
    from assay.measures import SetP  # noqa: PLC0415

    with pytest.raises(ParameterError, match="is a measure of rankings"):
        explain(SetP, ILL)


def test_undefined_is_told_with_its_reason() -> None:
    made = explain("Precision", ConfusionMatrix.from_matrix([[0, 3], [0, 4]], ["a", "b"], pos_label="a"))
    assert math.isnan(made.value)
    assert "NA (nothing is predicted positive)" in str(made)
    macro = explain("Precision(average='macro')", ConfusionMatrix.from_matrix([[0, 3], [0, 4]], ["a", "b"]))
    assert macro.value == pytest.approx((4 / 7 + 0) / 2)
    assert "1 class without a number: counted as 0" in str(macro)
    skipped = explain("Precision", Predictions.of(list("aabc"), list("bbbc")), undefined="skip")
    assert skipped.value == pytest.approx((1 / 3 + 1) / 2)
    assert "1 class without a number: left out" in str(skipped)


@in_turn(
    ("call", "message"),
    [
        (lambda: explain("Accuracy", PEOPLE, threshold=0.5), "a matrix has none"),
        (lambda: explain("Accuracy", PEOPLE, item="x"), "a matrix has none"),
        (lambda: explain("Accuracy", PEOPLE, system="x"), "counts are of nobody"),
        (lambda: explain("Accuracy", PEOPLE, query="x"), "query is about rankings"),
        (lambda: explain("Accuracy", PEOPLE, ties="expected"), "rule of classify"),
        (lambda: explain("Kappa", PEOPLE, label="Robot"), "expected a label of Woman, Man, Child"),
        (lambda: explain("FOfMeans", PEOPLE, label="Man"), "leave out the class"),
        (lambda: explain("F(average='macro')", PEOPLE, label="Man"), "leave out the average, or the class"),
        (lambda: explain("AUC", PEOPLE), "is computed from Scored"),
        (lambda: explain("AUC", Scored.from_lists([0.9], [0.1]), threshold=0.5), "leave out the threshold"),
        (lambda: explain("Recall", Scored.from_lists([9.0], [0.1])), "have no usual threshold"),
        (lambda: explain("Brier", Scored.from_lists([0.9], [0.1])), "not from scores alone"),
        (lambda: explain("Recall", Scored.from_lists([0.9], [0.1]), label="a"), "these are scores of one"),
        (lambda: explain("AUC", Predictions.of([0, 1], [0, 1])), "scores"),
        (lambda: explain("RR", Ranks.from_grades([1]), label="a"), "is about classifiers"),
        (lambda: explain("Recall", Predictions.of([0, 1], [0, 1]), system="b"), "choose a system"),
    ],
)
def test_what_has_no_meaning_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


def test_many_classes_are_told_up_to_a_number() -> None:
    many = ConfusionMatrix.from_matrix(np.eye(30, dtype=int) * 3 + 1)
    said = str(explain("Recall", many))
    assert "10 classes not shown" in said
    assert said.count(": Recall = ") == 20
    assert "classes not shown" not in str(explain("Recall", many, show=30))


# The command line


def typed(command: str) -> str:
    done = invoke(["classifier", "explain", *shlex.split(command)])
    assert done.exit_code == 0, done.output
    return done.stdout


def refused(command: str) -> str:
    with pytest.raises(AssayError) as caught:
        invoke(["classifier", "explain", *shlex.split(command)], catch_exceptions=False)
    return str(caught.value)


def test_a_matrix_is_labelled_as_it_is_turned() -> None:
    upright = typed("Precision --matrix '20 10; 180 1820' --labels ill,well --positive ill")
    turned = typed(
        "Precision --matrix '20 180; 10 1820' --labels ill,well --positive ill --orientation rows_are_predicted"
    )
    assert "truth  predicted ill  predicted well" in upright
    assert "prediction  true ill  true well" in turned
    assert "Precision = 20 / 200" in upright
    assert "Precision = 20 / 200" in turned


def test_a_matrix_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("prediction,Woman,Man,Child\nWoman,13,4,2\nMan,2,15,1\nChild,5,1,57\n", encoding="utf-8")
    told = explained(typed(f"Recall --matrix {path} --class Child --json"))
    assert told["value"] == pytest.approx(57 / 60)
    assert explained(typed(f"Accuracy --matrix {path} --labels Child,Man,Woman --json"))["value"] == 0.85


def test_files_of_predictions() -> None:
    assert "Recall, for spam" in typed(f"Recall {LETTERS / 'spam.csv'} --system bayes --positive spam")
    assert "choose a system with --system NAME: there are bayes, words" in refused(f"F1 {LETTERS / 'spam.csv'}")
    topics = explained(typed(f"MacroF1 {LETTERS / 'topics.csv'} --json"))
    assert list(topics["classes"]) == ["complaint", "order", "question", "supplier"]
    assert "for letter001" in typed(f"LogLoss {LETTERS / 'topics.csv'} --item letter001")
    assert "over" in typed(f"MacroF1 {LETTERS / 'tags.jsonl'}")
    assert typed(f"AUC {LETTERS / 'spam.csv'} --prediction prediction_words --score score_words --positive spam")


def test_forms_of_a_classifiers_explanation() -> None:
    command = "MacroF1 --matrix '13 4 2; 2 15 1; 5 1 57'"
    assert typed(f"{command} --csv").startswith("class,part,")
    assert "| truth |" in typed(f"{command} --markdown")
    assert r"\begin{tabular}" in typed(f"{command} --latex")
    assert "<table>" in typed(f"{command} --html")


@in_turn(
    ("command", "message"),
    [
        ("F1 --matrix '1 2; 3'", "got 1 in row 2"),
        ("F1 --matrix '1 2; 3 -4'", "numbers from 0 on"),
        ("F1 --matrix '1 2; 3 x'", "--matrix: row 2: expected a number, got 'x'"),
        ("F1 --matrix '1 2; 3 4' --labels a", "expected 2, one for each row, got 1"),
        ("F1 --matrix '1 2; 3 4' --labels a,a", "different labels"),
        ("F1 --matrix '1 2; 3 4' --scores 'P 1'", "not several"),
        ("F1 --matrix '1 2; 3 4' --orientation sideways", "rows_are_true, rows_are_predicted"),
        ("F1 --matrix '1 2; 3 4' --system x", "--system goes with predictions"),
        ("F1 --matrix '1 2; 3 4' --ties expected", "--ties goes with assay explain"),
        ("F1 --matrix '1 2; 3 4' --relevant 3", "--relevant goes with assay explain"),
        ("AUC --scores 'P .9, X .2'", "got 'X .2'"),
        ("AUC --scores 'P .9,'", "got nothing"),
        ("AUC --scores 'P .9, N nan'", "expected a number, got 'nan'"),
        ("AUC --scores 'P .9, N .2' --labels a,b", "--labels goes with a file, not with --scores"),
        ("F1 nothing.csv", "no such file"),
        (f"F1 {LETTERS / 'topics.csv'} --nulls keep", "error, drop, label"),
        (f"F1 {LETTERS / 'topics.csv'} --truth wrong", "no column is called 'wrong'"),
        (f"F1 {LETTERS / 'spam.csv'} --system bayes", "which label is positive, ham or spam"),
    ],
)
def test_bad_calls_get_one_line(command: str, message: str) -> None:
    said = refused(f"{command}" if "--nulls" not in command else f"{command} --truth truth")
    assert message in said
    assert "\n" not in said


@in_turn("option", ["--threshold", "--class", "--truth"])
def test_options_of_classifiers_are_refused_for_rankings(option: str) -> None:
    with pytest.raises(AssayError, match=f"{option} goes with assay classifier explain"):
        invoke(["explain", "AP", "--grades", "1,0", option, "0.5"], catch_exceptions=False)


# The parsers of typed lists


@given(st.text(max_size=40))
@quickly
def test_parsers_of_typed_lists_give_a_list_or_one_clear_error(text: str) -> None:
    for parse in (matrix_in, scores_in, labels_in):
        said = ""
        try:
            assert parse(text)
        except ParameterError as problem:
            said = str(problem)
        assert "\n" not in said
    assert looks_like_matrix(text) in {True, False}


@given(st.integers(1, 5).flatmap(lambda size: st.lists(
    st.lists(st.integers(0, 10**6), min_size=size, max_size=size), min_size=size, max_size=size)),
    st.sampled_from([";", " ; ", "/", "\n"]), st.sampled_from([" ", ",", ", ", "\t"]))  # fmt: skip
@quickly
def test_a_matrix_is_read_as_it_was_typed(rows: list[list[int]], between: str, within: str) -> None:
    text = between.join(within.join(map(str, row)) for row in rows)
    assert matrix_in(text) == rows
    assert looks_like_matrix(text)


@given(st.lists(st.tuples(st.booleans(), st.floats(-1e6, 1e6)), min_size=1, max_size=20))
@quickly
def test_scores_are_read_as_they_were_typed(items: list[tuple[bool, float]]) -> None:
    text = ", ".join(f"{'P' if positive else 'n'} {score!r}" for positive, score in items)
    assert list(zip(*scores_in(text), strict=True)) == items


def test_rankings_are_explained_without_scipy() -> None:
    call = "assay.explain('AP', {'q': {'a': 1}}, {'q': {'a': 1.0}})"
    code = f"import sys, assay; {call}; print('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
