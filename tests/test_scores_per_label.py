"""A score for each label: of two labels as of three, the largest decides, and what does not add up to 1 is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from command import run_assay

from assay import InputError, ParameterError, Predictions, classify

TWO = "truth,score:a,score:b\na,.9,.8\nb,.2,.7\nb,.9,.8\na,.6,.1\nb,.3,.9\na,.7,.2\n"
OFF = "expected probabilities that add up to 1 (to within 0.01), got 1.7"
TAGS = "truth_a,truth_b,score:a,score:b\n1,0,.9,.3\n0,1,.2,.7\n1,1,.6,.8\n0,0,.1,.4\n"
ONE_SCORE = "truth,score\n0,-2.1\n1,.3\n1,1.7\n0,.1\n"
LOGITS = "truth,score:a,score:b,score:c\na,2.1,.3,-1\nb,.2,1.7,0\nc,.2,1.7,3\n"


def evaluated(folder: Path, table: str, *options: str) -> dict[str, Any]:
    """The document of `classifier evaluate`, with what it says on stderr."""
    (folder / "mine.csv").write_text(table)
    done = run_assay("classifier", "evaluate", "mine.csv", "--json", "--resamples", "0", *options, folder=folder)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def values_of(document: dict[str, Any]) -> dict[str, float]:
    return {row["measure"]: row["value"] for row in document["sections"]["measures"]["measures"]}


def test_of_two_labels_the_one_with_the_larger_score_is_predicted(tmp_path: Path) -> None:
    assert values_of(evaluated(tmp_path, TWO, "--positive", "b"))["Recall"] == pytest.approx(2 / 3)
    items = Predictions.of(["a"], y_score={"a": [0.9], "b": [0.8]}, pos_label="b")
    assert items.most_likely().prediction.to_list() == ["a"]  # type: ignore[union-attr]


@pytest.mark.parametrize("measure", ["LogLoss", "Brier", "ECE", "MSE"])
@pytest.mark.parametrize("labels", [2, 3])
def test_scores_that_do_not_add_up_are_refused_with_two_labels_as_with_three(
    measure: str, labels: int, tmp_path: Path
) -> None:
    header, *rows = TWO.splitlines()
    table = TWO if labels == 2 else "\n".join([f"{header},score:c", *(f"{row},0" for row in rows)])
    (tmp_path / "mine.csv").write_text(table)
    positive = ("--positive", "b") if labels == 2 else ()
    done = run_assay("classifier", "evaluate", "mine.csv", "-m", measure, *positive, folder=tmp_path)
    assert done.returncode == 2
    assert OFF in done.stderr


def test_the_log_loss_of_an_array_of_two_columns_is_refused_or_that_of_both() -> None:
    with pytest.raises(InputError, match="add up to 1"):
        classify(Predictions.of([0, 1], y_score=[[0.2, 0.2], [0.9, 0.9]]), "LogLoss")
    rounded = Predictions.of([0, 1], y_score=[[0.667, 0.334], [0.25, 0.75]])
    assert classify(rounded, "LogLoss").value() == pytest.approx(-(math.log(0.667) + math.log(0.75)) / 2)


@pytest.mark.parametrize(
    ("table", "options", "left_out", "says"),
    [
        (TWO, ("--positive", "b"), {"LogLoss", "Brier"}, "scores of item 1 add up to 1.7"),
        (ONE_SCORE, ("--threshold", "0"), {"LogLoss", "Brier"}, "scores go from -2.1 to 1.7"),
        (LOGITS, (), {"LogLoss", "Brier"}, "scores go from -1 to 3"),
        (LOGITS.replace("2.1", ".9").replace("-1", "0").replace("1.7", ".7").replace(",3", ",.9"), (),
         {"LogLoss", "Brier"}, "scores of item 1 add up to 1.2"),
    ],
)  # fmt: skip
def test_usual_measures_that_scores_do_not_allow_are_named(
    table: str, options: tuple[str, ...], left_out: set[str], says: str, tmp_path: Path
) -> None:
    document = evaluated(tmp_path, table, *options)
    assert not left_out & set(values_of(document))
    assert f"LogLoss and Brier are left out, as they need probabilities: {says}" in json.dumps(document)


def test_top_k_accuracy_takes_any_scores_of_each_label(tmp_path: Path) -> None:
    assert values_of(evaluated(tmp_path, LOGITS))["TopKAccuracy@2"] == 1.0
    assert values_of(evaluated(tmp_path, TWO, "--positive", "b", "-m", "TopKAccuracy@1")) == {
        "TopKAccuracy@1": pytest.approx(5 / 6)
    }


def test_one_probability_tells_that_of_the_other_label_too(tmp_path: Path) -> None:
    table = "truth,score\n0,.2\n1,.7\n1,.4\n"
    assert values_of(evaluated(tmp_path, table, "-m", "TopKAccuracy@1")) == {"TopKAccuracy@1": pytest.approx(2 / 3)}
    (tmp_path / "mine.csv").write_text(ONE_SCORE)
    done = run_assay("classifier", "evaluate", "mine.csv", "-m", "TopKAccuracy@1", folder=tmp_path)
    assert done.returncode == 2
    assert "one score per item tells the other label's only if it is a probability" in done.stderr


@pytest.mark.parametrize("measure", ["Brier", "LogLoss", "AUC", "Recall", "ECE"])
@pytest.mark.parametrize("scores", [".9 .8 .3", ".9 .8 .7"])
def test_a_file_whose_only_label_is_a_number_has_a_negative_label_of_another_name(
    measure: str, scores: str, tmp_path: Path
) -> None:
    table = "truth,score\n" + "".join(f"2,{score}\n" for score in scores.split())
    values = values_of(evaluated(tmp_path, table, "--positive", "2", "-m", measure))
    shares = [float(score) for score in scores.split()]
    expected = {
        "Brier": sum((1 - share) ** 2 for share in shares) / 3,
        "LogLoss": -sum(map(math.log, shares)) / 3,
        "AUC": None,
        "Recall": sum(share >= 0.5 for share in shares) / 3,
    }
    if measure in expected:
        assert values[measure] == (None if expected[measure] is None else pytest.approx(expected[measure]))


def test_scores_of_several_labels_predict_each_label_that_reaches_the_threshold(tmp_path: Path) -> None:
    document = evaluated(tmp_path, TAGS, "-m", "ExactMatch")
    assert values_of(document) == {"ExactMatch": 1.0}
    assert "each label is predicted from a score of 0.5 on" in json.dumps(document)
    assert values_of(evaluated(tmp_path, TAGS, "-m", "ExactMatch", "--threshold", "0.75")) == {"ExactMatch": 0.5}


def test_scores_that_go_beside_several_labels_for_nothing_are_said_to(tmp_path: Path) -> None:
    header, *rows = TAGS.splitlines()
    lines = [f"{header},prediction_a,prediction_b", *(f"{row},1,0" for row in rows)]
    document = evaluated(tmp_path, "\n".join(lines))
    assert "scores are left aside, as no measure of items with several labels takes them" in json.dumps(document)
    alone = evaluated(tmp_path, "\n".join(lines), "--class", "a", "-m", "AUC")
    assert values_of(alone) == {"AUC": 1.0}


def test_another_positive_label_has_scores_of_its_own() -> None:
    items = Predictions.of([0, 1, 1], y_score={0: [0.9, 0.2, 0.8], 1: [0.8, 0.7, 0.9]})
    assert classify(items, "AUC").value() == 0.5
    assert classify(items, "AUC", pos_label=0).value() == 1.0


def test_one_score_per_item_stays_that_of_the_label_it_was_given_for() -> None:
    truth, scores = ["a", "b", "a", "b"], [0.9, 0.2, 0.6, 0.4]
    items = Predictions.of(truth, y_score=scores, pos_label="a")
    assert classify(items, "AUC", pos_label="a").value() == 1.0
    with pytest.raises(ParameterError, match="the scores are those of a, and none are of b"):
        classify(items, "AUC", pos_label="b")
    both = Predictions.of(truth, y_score={"a": scores, "b": [1 - score for score in scores]}, pos_label="a")
    assert classify(both, "Brier", pos_label="b").value() == pytest.approx(classify(both, "Brier").value())
    unsaid = Predictions.of(truth, y_score=scores)
    assert [classify(unsaid, "AUC", pos_label=label).value() for label in "ab"] == [1.0, 0.0]
