"""`classify`: numbers, intervals, baselines and classes against other ways to the same."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn

import assay
from assay import AssayError, Classification, ConfusionMatrix, InputError, ParameterError, Predictions, classify, scorer
from assay.measures.matrices import overall
from assay.stats.bootstrap import wilson
from assay.stats.delong import delong
from assay.subjects.labels.intervals import Patterns, resampled_matrices
from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.result import ClassificationView

LETTERS = Path(assay.__file__).parent / "data" / "letters"


def two_labels(n: int = 300, seed: int = 0, weights: bool = False) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    score = np.clip(rng.normal(0.3 + 0.35 * truth, 0.2), 0, 1)
    weight = rng.integers(1, 5, n) / 2 if weights else None
    return Predictions.of(truth.astype(int), y_score=score, sample_weight=weight)


def many_labels(n: int = 200, seed: int = 0) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    guess = rng.choice(["a", "b", "c"], n)
    return Predictions.of(truth, np.where(rng.random(n) < 0.7, truth, guess))


def test_the_data_say_what_kind_of_classifier_it_is() -> None:
    assert classify(two_labels()).task == "binary"
    assert classify(many_labels()).task == "multiclass"
    assert classify(Predictions.of([["a"], ["a", "b"]], [["a"], []])).task == "multilabel"


def test_binary_numbers_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    items = two_labels()
    result = classify(items)
    truth, score = items.truth.to_numpy(), items.score.to_numpy()  # type: ignore[union-attr]
    said = (score >= 0.5).astype(int)
    assert result.threshold == 0.5
    expected = {
        "Precision": metrics.precision_score(truth, said),
        "Recall": metrics.recall_score(truth, said),
        "F1": metrics.f1_score(truth, said),
        "Specificity": metrics.recall_score(truth, said, pos_label=0),
        "Accuracy": metrics.accuracy_score(truth, said),
        "BalancedAccuracy": metrics.balanced_accuracy_score(truth, said),
        "MCC": metrics.matthews_corrcoef(truth, said),
        "AUC": metrics.roc_auc_score(truth, score),
        "AveragePrecision": metrics.average_precision_score(truth, score),
        "LogLoss": metrics.log_loss(truth, score),
        "Brier": metrics.brier_score_loss(truth, score),
    }
    assert {name: result.value(name) for name in expected} == pytest.approx(expected)


def test_multiclass_numbers_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    items = many_labels()
    result = classify(items)
    truth, said = items.truth.to_list(), items.prediction.to_list()  # type: ignore[union-attr]
    for average in ("macro", "weighted"):
        expected = metrics.precision_recall_fscore_support(truth, said, average=average)[:3]
        found = [result.value(f"{name}(average='{average}')") for name in ("Precision", "Recall", "F")]
        assert found == pytest.approx(expected)
    assert result.value("MCC") == pytest.approx(metrics.matthews_corrcoef(truth, said))
    assert result.value("Kappa") == pytest.approx(metrics.cohen_kappa_score(truth, said))
    support = metrics.precision_recall_fscore_support(truth, said)[3]
    assert result.per_class()["support"].to_list() == support.tolist()


def test_multilabel_numbers_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    truth = rng.random((80, 4)) < 0.4
    said = np.where(rng.random((80, 4)) < 0.8, truth, ~truth)
    result = classify(Predictions.of(truth.astype(int), said.astype(int), labels=list("wxyz")))
    assert result.value("ExactMatch") == pytest.approx(metrics.accuracy_score(truth, said))
    assert result.value("HammingLoss") == pytest.approx(metrics.hamming_loss(truth, said))
    for average in ("macro", "micro"):
        expected = metrics.precision_recall_fscore_support(truth, said, average=average)[:3]
        found = [result.value(f"{name}(average='{average}')") for name in ("Precision", "Recall", "F")]
        assert found == pytest.approx(expected)
    # Items without labels have no precision here, and count as 0 there.
    full = truth.any(axis=1) & said.any(axis=1)
    part = classify(Predictions.of(truth[full].astype(int), said[full].astype(int), labels=list("wxyz")))
    expected = metrics.precision_recall_fscore_support(truth[full], said[full], average="samples")[:3]
    found = [part.value(f"{name}(average='samples')") for name in ("Precision", "Recall", "F")]
    assert found == pytest.approx(expected)


def test_weights_count_as_that_many_items() -> None:
    items = two_labels(weights=True)
    weight, score = items.weight, items.score
    assert weight is not None
    assert score is not None
    rows = pl.Series(np.repeat(np.arange(len(items)), np.rint(weight.to_numpy() * 2).astype(int)))
    repeated = Predictions.of(items.truth.gather(rows), y_score=score.gather(rows))
    once, often = classify(items), classify(repeated)
    for measure in once.measures:
        assert once.value(measure) == pytest.approx(often.value(measure)), str(measure)


@in_turn("kind", [pl.Boolean, pl.Int64, pl.String])
def test_weighted_intervals_are_the_same_whatever_the_type_of_the_labels(kind: Any) -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 60)
    said, weight = np.where(rng.random(60) < 0.8, truth, 1 - truth), rng.random(60)
    typed = [pl.Series(values).cast(kind) for values in (truth, said)]
    found = classify(Predictions.of(*typed, sample_weight=weight), "F").estimate()
    assert found == classify(Predictions.of(truth, said, sample_weight=weight), "F").estimate()
    assert found.low < found.value < found.high


def test_shares_have_wilsons_interval_areas_delongs_and_others_draw_items() -> None:
    result = classify(two_labels())
    methods = {str(measure): result.estimate(measure).method for measure in result.measures}
    wilsons = {"Precision", "Recall", "Specificity", "NPV", "Accuracy"}
    assert {name for name, method in methods.items() if method == "wilson"} == wilsons
    assert methods["AUC"] == "DeLong, logit"
    assert {methods[name] for name in ("F1", "MCC", "BalancedAccuracy", "AveragePrecision")} == {"bootstrap"}
    assert {methods[name] for name in ("LogLoss", "Brier")} == {"t"}
    tp, fn = result.matrix().table[1, 1], result.matrix().table[1, 0]
    expected = wilson(tp, tp + fn)
    assert result.estimate("Recall")[1:3] == (expected.low, expected.high)
    area = delong(result.scored()).interval  # type: ignore[arg-type]
    assert result.estimate("AUC")[1:3] == (area.low, area.high)


def test_weighted_items_have_no_wilson_interval_and_their_effective_number_is_said() -> None:
    items = two_labels(weights=True)
    result = classify(items)
    assert result.estimate("Recall").method == "bootstrap"
    assert "wilson" not in {result.estimate(measure).method for measure in result.measures}
    weight = items.weight.to_numpy()  # type: ignore[union-attr]
    effective = f"{weight.sum() ** 2 / (weight**2).sum():,.1f} items"
    assert any(effective in note for note in result.notes)


def test_drawing_cells_is_drawing_items() -> None:
    """The mean and spread of F and MCC over resamples of cells are those over resamples of items."""
    items = many_labels(n=60, seed=4)
    result = classify(items, ["F", "MCC", "Accuracy"])
    matrix = result.matrix()
    cell = np.flatnonzero(matrix.table)
    patterns = Patterns(cell, np.ones(len(cell)), matrix.table.ravel()[cell])
    blocks = list(resampled_matrices(patterns, matrix.labels, None, 4000, seed=1))
    rng = np.random.default_rng(2)
    drawn = rng.integers(len(items), size=(4000, len(items)))
    codes = [column.replace_strict(["a", "b", "c"], [0, 1, 2]).to_numpy() for column in (items.truth, items.prediction)]  # type: ignore[union-attr]
    tables = np.array([np.bincount(3 * codes[0][row] + codes[1][row], minlength=9).reshape(3, 3) for row in drawn])
    twin = ConfusionMatrix(matrix.labels, tables, tuple(map(str, range(4000))))
    for measure in result.measures:
        ours = np.concatenate([overall(measure, block).values for block in blocks])
        theirs = overall(measure, twin).values
        assert np.nanmean(ours) == pytest.approx(np.nanmean(theirs), abs=0.005)
        assert np.nanstd(ours) == pytest.approx(np.nanstd(theirs), rel=0.06)
        assert np.nanquantile(ours, [0.025, 0.975]) == pytest.approx(np.nanquantile(theirs, [0.025, 0.975]), abs=0.015)


def test_weighted_cells_are_drawn_item_by_item() -> None:
    """Items with weights are drawn with them: a resample's total weight is that of its items."""
    items = Predictions.of([1, 1, 0, 0], [1, 0, 0, 0], sample_weight=[2.0, 2.0, 0.5, 4.0])
    patterns = classify(items, "F").system().counts[Patterns]
    assert patterns.items.sum() == 4
    blocks = list(resampled_matrices(patterns, (0, 1), 1, 500, seed=0))
    totals = np.concatenate([block.items for block in blocks])
    assert set(np.unique(totals)) <= {sum(combo) for combo in _sums([2.0, 2.0, 0.5, 4.0])}
    assert totals.mean() == pytest.approx(8.5, abs=0.4)


def _sums(weights: list[float]) -> list[tuple[float, ...]]:
    return [(a, b, c, d) for a in weights for b in weights for c in weights for d in weights]


@in_turn("measure", ["F", "MCC", "BalancedAccuracy"])
def test_bootstrap_intervals_cover_about_as_often_as_they_say(measure: str) -> None:
    shares = np.array([0.55, 0.1, 0.08, 0.27])
    exact = classify(
        ConfusionMatrix.from_matrix((shares * 10000).astype(int).reshape(2, 2)), measure, resamples=1
    ).value()
    rng = np.random.default_rng(5)
    covered = 0
    for seed in range(100):
        table = rng.multinomial(150, shares).reshape(2, 2)
        one = classify(ConfusionMatrix.from_matrix(table), measure, resamples=300, seed=seed).estimate()
        covered += one.low <= exact <= one.high
    assert 0.90 <= covered / 100 <= 0.99


def test_a_perfect_classifier_is_not_presented_as_certain() -> None:
    result = classify(Predictions.of([0, 1] * 10, [0, 1] * 10), ["F", "Recall"])
    assert result.value("F") == 1.0
    assert math.isnan(result.estimate("F").low)
    assert result.estimate("F").method == "none"
    assert 0.6 < result.estimate("Recall").low < 0.8


def test_the_same_seed_gives_the_same_intervals() -> None:
    items = many_labels()
    one, same, other = (classify(items, "F", seed=seed).estimate() for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_baselines_are_the_same_measures_on_what_a_blind_classifier_predicts() -> None:
    items = two_labels()
    result = classify(items)
    majority, chance = result.baselines()
    zeros = Predictions.of(items.truth, np.zeros(len(items), dtype=int))
    blind = classify(zeros, ["Accuracy", "Recall", "Precision"])
    assert majority.says == "always 0"
    assert {str(one): value for one, value in majority.values.items()}["Accuracy"] == blind.value("Accuracy")
    share = items.truth.mean()
    assert isinstance(share, float)
    values = {str(one): value for one, value in chance.values.items()}
    assert values["Recall"] == pytest.approx(share)
    assert values["Accuracy"] == pytest.approx(share**2 + (1 - share) ** 2)
    of_scores = {str(one): value for one, value in majority.values.items()}
    assert of_scores["AUC"] == 0.5
    assert of_scores["AveragePrecision"] == pytest.approx(share)
    assert of_scores["LogLoss"] == pytest.approx(-share * math.log(share) - (1 - share) * math.log(1 - share))


def test_classes_stand_beside_their_support() -> None:
    frame = classify(many_labels()).per_class()
    assert frame.columns[:3] == ["label", "support", "predicted"]
    row = frame.row(2, named=True)
    assert row["label"] == "c"
    matrix = classify(many_labels()).matrix().table
    expected = wilson(matrix[2, 2], matrix[2].sum())
    assert (row["recall"], row["recall_low"], row["recall_high"]) == pytest.approx(
        (matrix[2, 2] / matrix[2].sum(), expected.low, expected.high)
    )


def test_undefined_numbers_have_a_reason_and_no_interval() -> None:
    result = classify(Predictions.of([0, 1, 0], [0, 0, 0]))
    found = result.estimate("Precision")
    assert math.isnan(found.value)
    assert found.undefined == "nothing is predicted positive"
    assert result.to_frame().filter(pl.col("measure") == "Precision").row(0, named=True)["value"] is None


def test_a_score_that_is_the_same_for_all_has_an_area_of_one_half() -> None:
    assert classify(Predictions.of([0, 1, 1, 0], y_score=[0.7] * 4), "AUC").value() == 0.5


def test_one_class_only_leaves_what_needs_both_undefined() -> None:
    result = classify(Predictions.of([1, 1, 1], [1, 0, 1], y_score=[0.9, 0.2, 0.8]))
    assert result.value("Recall") == pytest.approx(2 / 3)
    for name in ("Specificity", "AUC"):
        assert math.isnan(result.value(name))
        assert "negative" in str(result.estimate(name).undefined)


def test_scores_that_are_no_probabilities_need_a_threshold() -> None:
    items = Predictions.of([0, 1, 1], y_score=[-3.0, 2.5, 8.0])
    with pytest.raises(ParameterError, match=r"scores go from -3 to 8.*threshold"):
        classify(items)
    result = classify(items, threshold=2.5)
    assert result.value("Recall") == 1.0
    assert "LogLoss" not in map(str, result.measures)


def test_a_threshold_replaces_given_predictions_and_says_so() -> None:
    items = Predictions.of([0, 1, 1], [0, 0, 0], y_score=[0.1, 0.4, 0.9])
    assert classify(items, "Recall").value() == 0.0
    result = classify(items, "Recall", threshold=0.4)
    assert result.value() == 1.0
    assert "predictions are replaced" in result.notes[0]


def test_a_score_for_each_class_predicts_the_largest() -> None:
    scores = {"a": [0.6, 0.2, 0.1], "b": [0.3, 0.5, 0.2], "c": [0.1, 0.3, 0.7]}
    result = classify(Predictions.of(["a", "b", "b"], y_score=scores))
    assert result.value("Accuracy") == pytest.approx(2 / 3)
    assert "largest score" in result.notes[0]


def test_one_class_against_the_rest_is_the_collapsed_matrix() -> None:
    items = many_labels()
    collapsed = classify(items).matrix().collapse("b")
    result = classify(items, one_class="b")
    assert (result.positive, result.task) == ("b", "binary")
    assert result.matrix().table.tolist() == collapsed.table.tolist()
    assert classify(classify(items).matrix(), one_class="b").value("F") == result.value("F")


def test_several_systems_share_labels() -> None:
    one = Predictions.of(["a", "b", "c"], ["a", "b", "a"], name="one")
    other = Predictions.of(["a", "b", "c"], ["d", "b", "c"], name="other")
    result = classify([one, other], "Accuracy")
    assert result.labels == ("a", "b", "c", "d")
    assert [result.value(system=name) for name in ("one", "other")] == pytest.approx([2 / 3, 2 / 3])


def test_scores_are_of_classes_items_or_the_table() -> None:
    result = classify(LETTERS / "topics.csv")
    kinds = {measure: result.scores.of("topics", measure)["unit_kind"].unique().item() for measure in ("F", "MCC")}
    assert kinds == {"F": "class", "MCC": "table"}
    losses = result.scores.of("topics", "LogLoss")
    assert losses["unit_kind"].unique().item() == "item"
    assert losses.height == 150
    assert losses["value"].mean() == pytest.approx(result.value("LogLoss"))


def test_signatures_name_everything_that_a_number_depends_on() -> None:
    result = classify(LETTERS / "spam.csv", ["Precision", "F(beta=2)"], pos_label="spam", threshold=0.5)
    for name in ("bayes", "words"):
        told = result.signatures[name]
        assert told["Precision"] == "Precision|average=binary|positive=spam|threshold=0.5|ties=>=|undefined=skip|v1"
        assert "beta=2" in told["F(beta=2)"]


def test_json_holds_everything_in_full() -> None:
    result = classify(LETTERS / "spam.csv", pos_label="spam", shown=ClassificationView(prevalences=(0.01,), errors=2))
    told = json.loads(result.to_json())["sections"]
    assert told["matrices"]["bayes"]["matrix"]["counts"] == result.matrix("bayes").table.tolist()
    assert told["measures"]["measures"][0]["value"] == result.value("Precision", "bayes")
    assert len(told["systems"]["bayes"]["errors"]) == 2
    assert told["basis"]["signatures"]["words"] == result.signatures["words"]
    assert told["advice"]["advice"][0]["code"] in {"prevalence", "rules_out", "rules_in", "other_prevalence"}


@in_turn("form", ["to_markdown", "to_latex", "to_html", "to_csv", "__str__"])
@in_turn("file", ["spam.csv", "topics.csv", "tags.jsonl"])
def test_every_form_can_be_written(form: str, file: str) -> None:
    result = classify(LETTERS / file, pos_label="spam" if file == "spam.csv" else None, resamples=50)
    assert len(getattr(result, form)()) > 200


def test_the_orientation_is_always_on_the_axes() -> None:
    table = [[13, 4, 2], [2, 15, 1], [5, 1, 57]]
    matrix = ConfusionMatrix.from_matrix(table, ["Woman", "Man", "Child"], orientation="rows_are_predicted")
    upright = str(classify(matrix, "Accuracy"))
    turned = str(classify(matrix, "Accuracy", shown=ClassificationView(orientation="rows_are_predicted")))
    assert "rows: truth, columns: prediction" in upright
    assert "Woman                  13    2      5     20" in upright
    assert "rows: prediction, columns: truth" in turned
    assert "Woman                  13    4      2     19" in turned


def test_a_matrix_of_weights_has_numbers_but_no_drawn_intervals() -> None:
    result = classify(ConfusionMatrix.from_matrix([[1.5, 0.5], [0.25, 2.0]]))
    assert result.value("Accuracy") == pytest.approx(3.5 / 4.25)
    assert {result.estimate(measure).method for measure in result.measures} == {"none"}


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (Predictions.of(["ham", "spam"], ["ham", "ham"]), {}, "pos_label='spam'"),
    (Predictions.of([0, 1], [0, 1]), {"measures": "AUC"}, "computed from scores"),
    (Predictions.of([0, 1], [0, 1]), {"measures": "Precison"}, "did you mean Precision"),
    (Predictions.of([0, 1], [0, 1]), {"mute": ["prevalense"]}, "did you mean prevalence"),
    (Predictions.of([0, 1], [0, 1]), {"confidence": 1.0}, "confidence is a number between 0 and 1"),
    (Predictions.of([0, 1], [0, 1]), {"threshold": 0.5}, "no scores"),
    (Predictions.of([0, 1], [0, 1]), {"measures": []}, "no measure"),
    (Predictions.of(list("abc"), list("abc")), {"labels": ["a", "b"]}, "not among those stated: c"),
    (ConfusionMatrix.from_matrix([[0, 0], [0, 0]]), {}, "at least one item"),
    (Predictions.of(list("abc"), list("abc")), {"measures": "F(average='samples')"}, "several labels"),
    ([1, 2], {}, "expected Predictions"),
    ([], {}, "got none"),
    ({}, {}, "got none"),
    (Predictions.of([[], []], [[], []]), {}, "expected labels, got none"),
    (Predictions.of([0, 1], y_score=[0.1, 0.2]), {"threshold": "0.5"}, "threshold is a finite number, not '0.5'"),
    (Predictions.of([0, 1], y_score=[0.1, 0.2]), {"threshold": True}, "threshold is a finite number, not True"),
]


@in_turn(("given", "settings", "says"), BAD)
def test_what_cannot_be_is_refused_in_one_line(given: Any, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(AssayError, match=says) as problem:
        classify(given, **settings)
    assert "\n" not in str(problem.value)


def test_systems_of_different_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="one kind at a time"):
        classify({"two": Predictions.of([0, 1], [0, 1]), "many": Predictions.of([0, 1, 2], [0, 1, 2])})


@in_turn("name", ["Specificity", "F(beta=2)", "MCC", "Accuracy"])
def test_scorers_serve_scikit_learn(name: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    selection = pytest.importorskip("sklearn.model_selection")
    dummy: Any = pytest.importorskip("sklearn.dummy").DummyClassifier(strategy="stratified", random_state=0)
    rng = np.random.default_rng(0)
    x, y = rng.random((90, 2)), rng.integers(0, 2, 90)
    found = selection.cross_val_score(dummy, x, y, scoring=metrics.make_scorer(scorer(name)), cv=3)
    expected = []
    for train, test in selection.StratifiedKFold(3).split(x, y):
        said = dummy.fit(x[train], y[train]).predict(x[test])
        expected.append(classify(Predictions.of(y[test], said), name).value())
    assert found == pytest.approx(expected)


def test_scorers_take_weights_scores_and_many_labels() -> None:
    assert scorer("Recall")([1, 1, 0], [1, 0, 0], sample_weight=[3, 1, 1]) == 0.75
    assert scorer("AUC")([1, 1, 0], [0.9, 0.3, 0.4]) == 0.5
    assert scorer("F", average="micro")(list("abc"), list("abb")) == pytest.approx(2 / 3)
    assert scorer("Precision", pos_label="y")(["y", "n"], ["y", "y"]) == 0.5


def test_the_result_is_small_and_named() -> None:
    result = classify(two_labels())
    assert isinstance(result, Classification)
    assert repr(result) == "<Classification of predictions: binary, 2 labels>"


def test_the_letters_are_what_the_script_makes(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "scripts" / "make_letters.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for name in ("spam.csv", "topics.csv", "tags.jsonl"):
        assert (tmp_path / name).read_bytes() == (LETTERS / name).read_bytes()


def test_all_systems_of_a_file_are_kept_whatever_they_are_called() -> None:
    result = classify({"mine": LETTERS / "spam.csv"}, "Recall", pos_label="spam")
    assert [system.name for system in result.systems] == ["mine bayes", "mine words"]
    plain = classify(LETTERS / "spam.csv", "Recall", pos_label="spam")
    assert result.value(system="mine words") == plain.value(system="words")


def test_scores_of_two_labels_are_read_with_the_positive_label(tmp_path: Path) -> None:
    """Which of two columns of scores is kept, the reader has to know."""
    path = tmp_path / "two.csv"
    path.write_text("truth,score_ham,score_spam\nham,0.9,0.1\nspam,0.3,0.7\nspam,0.8,0.2\n", encoding="utf-8")
    result = classify(path, ["Recall", "AUC"], pos_label="spam")
    assert (result.value("Recall"), result.value("AUC")) == (0.5, 1.0)


@in_turn("where", ["classify", "predictions"])
def test_a_positive_label_among_three_is_refused_and_one_class_named(where: str) -> None:
    stated = "b" if where == "predictions" else None
    items = Predictions.of(list("abc"), list("abb"), pos_label=stated)
    with pytest.raises(ParameterError, match=r"there are 3 \(a, b, c\): one_class='b' sets it against"):
        classify(items, pos_label="b" if where == "classify" else None)
    assert classify(Predictions.of(list("abc"), list("abb")), "Recall", one_class="b").value() == 1.0


def test_an_absent_prediction_of_two_labels_is_wrong_and_leaves_two() -> None:
    items = Predictions.of([0, 1, 1, 0], [0, None, 1, None], nulls="label")
    result = classify(items, ["Accuracy", "Recall", "Specificity", "MCC"])
    assert (result.task, result.labels, result.positive) == ("binary", ("0", "1"), "1")
    assert result.matrix().table.tolist() == [[1, 1], [1, 1]]
    assert [result.value(measure) for measure in result.measures] == [0.5, 0.5, 0.5, 0.0]
    assert "2 items without a prediction, counted as the wrong label" in result.notes[0]
    scored = classify(Predictions.of([0, 1, 1], [0, None, 1], y_score=[0.1, 0.2, 0.9], nulls="label"))
    assert (scored.value("Recall"), scored.value("AUC")) == (0.5, 1.0)
    assert scored.value("LogLoss") == pytest.approx(-np.log([0.9, 0.2, 0.9]).mean())


def test_an_absent_prediction_of_more_labels_is_wrong_and_no_class() -> None:
    """It counts against recall and accuracy; precision is that of what was predicted."""
    items = Predictions.of(list("aabbcc"), ["a", "b", "b", None, "c", None], nulls="label")
    result = classify(items)
    assert result.labels == ("a", "b", "c")
    assert result.matrix().labels == ("a", "b", "c", "(none)")
    assert result.per_class()["label"].to_list() == ["a", "b", "c"]
    assert result.value("Accuracy") == 0.5
    assert result.value("Precision") == pytest.approx((1 + 0.5 + 1) / 3)
    assert result.value("Recall") == pytest.approx(0.5)
    assert set(result.scores.of("predictions", "F")["unit"]) == {"a", "b", "c"}
    majority, _ = result.baselines()
    assert majority.values[result.measure("Recall")] == pytest.approx(1 / 3)
    assert result.confused()["prediction"].to_list().count("(none)") == 2


def test_without_resamples_only_intervals_that_need_none_are_there() -> None:
    result = classify(two_labels(), ["Recall", "F", "AUC", "AveragePrecision"], resamples=0)
    known = {str(measure): not np.isnan(result.estimate(measure).low) for measure in result.measures}
    assert known == {"Recall": True, "F1": False, "AUC": True, "AveragePrecision": False}
    assert result.per_class()["f1_low"].null_count() == 2
    assert "resamples, seed" not in str(result)
    alone = classify(two_labels(), "F", resamples=0)
    assert ": it takes resamples.\n" in f"{alone}\n"
    assert "Intervals (95%)" not in str(alone)


def test_an_absent_prediction_is_not_right_about_the_rest_of_the_labels() -> None:
    items = Predictions.of(list("abca"), ["a", None, "c", "b"], nulls="label")
    result = classify(items, "Accuracy", one_class="a")
    assert result.matrix().table.tolist() == [[1, 1], [1, 1]]
    assert "1 item without a prediction, counted as the wrong label" in result.notes[0]
    several = Predictions.of([["a"], ["b"], ["a", "b"]], [["a"], None, ["b"]], nulls="label")
    assert classify(several, "Accuracy", one_class="a").value() == pytest.approx(1 / 3)


def test_a_threshold_belongs_to_a_system() -> None:
    """Whatever the order of the files; a measure of scores has none."""
    scored = Predictions.of([0, 1, 1], y_score=[0.1, 0.7, 0.4], name="scored")
    given = Predictions.of([0, 1, 1], [0, 1, 0], y_score=[0.2, 0.3, 0.1], name="given")
    for order in ([scored, given], [given, scored]):
        result = classify(order, ["Recall", "AUC"])
        assert [(one.name, one.threshold) for one in result.systems if one.name == "scored"] == [("scored", 0.5)]
        assert result.system("given").threshold is None
        assert result.threshold is None
        assert "|threshold=0.5|" in result.signatures["scored"]["Recall"]
        assert "threshold" not in result.signatures["given"]["Recall"]
        assert "threshold" not in result.signatures["scored"]["AUC"]


def test_a_loss_is_not_below_0_nor_a_share_of_items() -> None:
    alike = classify(Predictions.of([1, 1, 0], y_score=[0.7] * 3))
    assert alike.estimate("LogLoss").low == 0.0
    perfect = classify(Predictions.of([1, 0, 1], y_score=[1, 0, 1]))
    assert {perfect.estimate(name).method for name in ("LogLoss", "Brier")} == {"none"}


def test_systems_on_other_items_or_with_another_truth_get_a_warning() -> None:
    one = Predictions.of([0, 1, 0, 1], [0, 1, 1, 1], item_id=list("wxyz"), name="one")
    other = Predictions.of([1, 0, 0], [1, 0, 0], item_id=list("xyq"), name="other")
    assert any("do not have the same items" in said and "lacks" in said for said in classify([one, other]).warnings)
    turned = Predictions.of([1, 0, 1, 0], [1, 1, 1, 0], item_id=list("zyxw"), name="turned")
    assert classify([one, turned]).warnings == ()
    denied = Predictions.of([0, 1, 1, 1], [0, 1, 1, 1], item_id=list("wxyz"), name="denied")
    assert any("item 'y': the truth is 0 in one and 1 in denied" in said for said in classify([one, denied]).warnings)


def test_a_measure_is_found_by_the_name_that_is_printed() -> None:
    result = classify(Predictions.of([["a"], ["b"], []], [["a"], ["a"], ["b"]]))
    assert "ErrorRate (micro)" in map(str, result.measures)
    for measure in result.measures:
        assert result.value(str(measure)) == pytest.approx(result.value(measure), nan_ok=True)


def test_counts_of_several_labels_an_item_are_sums_with_drawn_intervals() -> None:
    items = Predictions.of([["a"], ["b"], ["a", "b"]] * 5, [["a"], ["a"], ["b"]] * 5)
    one = classify(items, "TP").estimate()
    assert (one.value, one.method) == (10.0, "bootstrap")
    assert one.low < one.value < one.high


def test_a_code_to_mute_may_be_given_alone() -> None:
    assert classify(Predictions.of([0, 1], [0, 1]), mute="prevalence").mute == ("prevalence",)


def test_an_estimate_says_how_often_items_were_drawn_for_it() -> None:
    result = classify(two_labels(), ["Recall", "F", "AUC", "AveragePrecision"], resamples=300)
    drawn = {str(measure): result.estimate(measure).resamples for measure in result.measures}
    assert drawn == {"Recall": 0, "F1": 300, "AUC": 0, "AveragePrecision": 300}


def test_what_takes_a_while_is_found_once() -> None:
    result = classify(two_labels())
    assert result.per_class() is result.per_class()
    assert result.baselines() is result.baselines()


def test_the_surest_mistakes_come_first() -> None:
    scores = {"a": [0.6, 0.2, 0.8], "b": [0.3, 0.5, 0.1], "c": [0.1, 0.3, 0.1]}
    result = classify(Predictions.of(["b", "c", "c"], y_score=scores, item_id=["x", "y", "z"]))
    assert result.errors()["item_id"].to_list() == ["z", "x", "y"]
    two = Predictions.of([0, 1, 0, 1], y_score=[0.6, 0.05, 0.8, 0.9], item_id=list("wxyz"))
    assert classify(two).errors()["item_id"].to_list() == ["x", "y", "w"]
    assert classify(two, threshold=0.1).errors()["item_id"].to_list() == ["y", "w", "x"]


def test_a_scorer_gives_the_same_measure_in_every_fold() -> None:
    whole = scorer("F", labels=[0, 1, 2])
    assert whole([0, 1, 1, 0], [0, 1, 0, 0]) == pytest.approx((0.8 + 2 / 3) / 2)
    assert scorer("F")([0, 1, 1, 0], [0, 1, 0, 0]) == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="3"):
        whole([0, 3], [0, 0])
    with pytest.raises(ParameterError, match="only one of two labels"):
        scorer("F", 1, labels=[0, 1, 2])


@in_turn("name", ["Accuracy", "ErrorRate", "MCC", "Kappa", "BalancedAccuracy"])
def test_a_scorer_asks_for_the_positive_label_only_if_it_matters(name: str) -> None:
    truth, said = list("aabbbab"), list("ababbbb")
    found = [scorer(name, label)(truth, said) for label in "ab"]
    assert [scorer(name)(truth, said)] * 2 == pytest.approx(found)
    with pytest.raises(ParameterError, match="which label is positive"):
        scorer("Precision")(truth, said)


def test_classifiers_that_are_compared_have_the_numbers_of_classify() -> None:
    """Absent predictions and measures of several labels per item go the same way."""
    several = [
        Predictions.of(list("aabbcc"), ["a", "b", "b", None, "c", None], nulls="label", name="silent"),
        Predictions.of(list("aabbcc"), list("abbbcc"), name="all"),
    ]
    sets = [
        Predictions.of([["a"], ["b"], []], said, name=name)
        for name, said in (("one", [["a"], ["a"], []]), ("other", [["a", "b"], ["b"], ["b"]]))
    ]
    two = [
        Predictions.of(["0", "1", "1"], ["0", None, "1"], nulls="label", name="silent"),
        Predictions.of(["0", "1", "1"], ["1", "1", "1"], name="all"),
    ]
    for given, names in (
        (several, ("Accuracy", "F", "Precision(average='micro')")),
        (sets, ("HammingLoss", "ExactMatch")),
        (two, ("Accuracy", "F", "Specificity")),
    ):
        both, result = Classifiers.of(given), classify(given, names)
        for measure in result.measures:
            expected = [result.value(measure, system.name) for system in result.systems]
            assert both.sample(str(measure)).observed.tolist() == pytest.approx(expected)


def test_a_comparison_says_which_threshold_each_system_has() -> None:
    scored = Predictions.of([0, 1, 1], y_score=[0.1, 0.7, 0.4], name="scored")
    given = Predictions.of([0, 1, 1], [0, 1, 0], name="given")
    both = Classifiers.of([scored, given])
    assert both.thresholds == (0.5, None)
    assert "|threshold=0.5,given|" in both.signature("Recall")
    assert "threshold" not in Classifiers.of(given).signature("Recall")


def test_wrong_items_are_shown_without_scores_too() -> None:
    items = Predictions.of(["ham", "spam"], ["ham", "ham"], pos_label="spam", item_id=["m1", "m2"])
    shown = str(classify(items, "Recall", shown=ClassificationView(errors=3)))
    assert "m2       spam   ham" in shown


def unbounded(**more: Any) -> Predictions:
    """Scores that are no probabilities, and nothing predicted."""
    truth, scores = [1, 0, 1, 0, 0, 1], [3.5, -1.2, 2.0, 2.5, 0.1, 9.0]
    return Predictions.of(truth, y_score=scores, name="far", **more)


def test_measures_of_scores_alone_need_no_threshold() -> None:
    """And have the numbers that they have with one; there is no matrix, and one line says why."""
    result = classify(unbounded(), ["AUC", "AveragePrecision", "EER"])
    with_one = classify(unbounded(), ["AUC", "AveragePrecision", "EER"], threshold=1.0)
    for measure in result.measures:
        assert result.estimate(measure) == with_one.estimate(measure)
        assert result.baselines()[0].values[measure] == with_one.baselines()[0].values[measure]
    assert (result.labels, result.positive, result.threshold) == ((0, 1), 1, None)
    assert result.notes == ("far: no predictions, and no threshold to make them from scores: there is no matrix",)
    text = str(result)
    assert "confusion matrix" not in text
    assert "precision" not in text
    told = json.loads(result.to_json())["sections"]
    assert told["matrices"] == {}
    assert "classes" not in told["systems"]["far"]
    assert told["measures"]["measures"][0]["value"] == result.value("AUC")
    for asked in (result.matrix, result.per_class, result.errors, result.confused):
        with pytest.raises(ParameterError, match=r"has scores and no predictions: say threshold"):
            asked()


def test_of_two_systems_the_one_with_predictions_keeps_its_matrix() -> None:
    given = Predictions.of([1, 0, 1, 0, 0, 1], [1, 0, 1, 1, 0, 1], y_score=[2, 0, 1, 0, 0, 7], name="near")
    result = classify([unbounded(), given], "AUC")
    assert str(result).count("confusion matrix") == 1
    assert "near: confusion matrix" in str(result)
    assert result.matrix("near").table.tolist() == [[2, 1], [0, 3]]


@in_turn(
    ("measures", "says"),
    [
        (None, "scores go from -1.2 to 9.*threshold"),
        (["AUC", "F"], "scores go from -1.2 to 9.*threshold"),
        ("Acuracy", "did you mean Accuracy"),
        ("LogLoss", "expected probabilities from 0 to 1"),
    ],
)
def test_without_a_threshold_other_measures_say_what_they_lack(measures: Any, says: str) -> None:
    with pytest.raises(AssayError, match=says):
        classify(unbounded(), measures)


def test_briers_score_of_two_labels_is_at_most_1_and_so_is_its_interval() -> None:
    bad = Predictions.of([1, 0, 1, 0], y_score=[0.01, 0.99, 0.05, 0.3])
    assert classify(bad, "Brier").estimate().high == 1.0
    scores = {"a": [0.0, 0.9, 1.0, 0.9], "b": [1.0, 0.1, 0.0, 0.1], "c": [0.0, 0.0, 0.0, 0.0]}
    worse = Predictions.of(["a", "b", "c", "c"], y_score=scores)
    assert 1.0 < classify(worse, "Brier").estimate().high <= 2.0


def test_an_absent_prediction_of_several_labels_is_wrong_and_no_label() -> None:
    """Neither in the table of labels nor in averages over them, whatever other systems there are."""
    truth: list[list[str]] = [["a"], ["a", "b"], ["b"], []]
    absent = Predictions.of(truth, [["a"], None, ["b"], None], nulls="label", name="absent")
    other = Predictions.of(truth, [["a"], ["a"], ["b"], []], name="other")
    measures = ["ExactMatch", "HammingLoss", "F", "F(average='micro')", "F(average='samples')"]
    alone, both = classify(absent, measures), classify([other, absent], measures)
    assert alone.labels == both.labels == ("a", "b")
    assert alone.per_class()["label"].to_list() == ["a", "b"]
    assert [alone.value(one) for one in measures] == [both.value(one, "absent") for one in measures]
    assert alone.value("ExactMatch") == 0.5  # not right about the item without labels, either
    assert alone.value("HammingLoss") == 2 / 8
    assert alone.value("F(average='micro')") == pytest.approx(2 * 2 / (2 * 2 + 2))
    assert alone.value("F(average='samples')") == 0.5
    assert both.value("HammingLoss", "other") == 1 / 8


def test_comparing_several_labels_an_item_counts_as_classify_does() -> None:
    """All systems decide about the labels of all systems, and an absent prediction is none of them."""
    truth: list[list[str]] = [["a"], ["a", "b"], ["b"], []]
    absent = Predictions.of(truth, [["a"], None, ["b"], None], nulls="label", name="absent")
    strange = Predictions.of(truth, [["a"], ["a", "c"], ["b"], []], name="strange")
    measures = ["ExactMatch", "HammingLoss", "F(average='micro')", "F(average='samples')"]
    result, paired = classify([strange, absent], measures), Classifiers.of([strange, absent])
    for name in measures:
        values = [result.value(name, system) for system in ("strange", "absent")]
        assert paired.sample(name).observed.tolist() == pytest.approx(values)


def test_one_of_several_labels_keeps_its_scores() -> None:
    scores = {"a": [0.9, 0.4, 0.2, 0.6], "b": [0.1, 0.8, 0.7, 0.1]}
    items = Predictions.of([["a"], ["a", "b"], ["b"], []], [["a"], ["b"], ["b"], ["a"]], y_score=scores)
    assert classify(items, "AUC", one_class="a").value() == 0.75
    assert classify(items, "AUC", one_class="b").value() == 1.0


def test_remarks_that_would_say_nothing_are_not_made() -> None:
    perfect = classify(ConfusionMatrix.from_matrix([[50, 0], [0, 50]], ["n", "p"], pos_label="p"))
    assert "other_prevalence" not in {remark.code for remark in perfect.advice}
    alone = classify(ConfusionMatrix.from_matrix([[5, 0], [0, 0]], ["n", "p"], pos_label="p"))
    [said] = [str(remark) for remark in alone.advice if remark.code == "prevalence"]
    assert "of the items are n, so accuracy misleads" in said
    of_three = classify(ConfusionMatrix.from_matrix([[5, 1, 0], [0, 0, 0], [0, 0, 0]], ["a", "b", "c"]))
    assert any("of the items are a, so accuracy misleads" in str(remark) for remark in of_three.advice)


def test_a_million_weights_take_no_million_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matrices of items with very many weights: the same intervals, by draws of cells."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 6000)
    said, weight = np.where(rng.random(6000) < 0.7, truth, 1 - truth), rng.lognormal(0, 1, 6000)
    items = Predictions.of(truth, said, sample_weight=weight)
    by_cell = classify(items, "F").estimate()
    monkeypatch.setattr("assay.stats.bootstrap._MANY_WEIGHTS", 10_000)
    by_item = classify(items, "F").estimate()
    wide = by_item.high - by_item.low
    assert by_cell != by_item
    assert (by_cell.low, by_cell.high) == pytest.approx((by_item.low, by_item.high), abs=0.06 * wide)


@in_turn("measure", ["MCC", "AUC", "AveragePrecision", "Gini"])
def test_weights_give_no_interval_to_a_classifier_without_a_mistake(measure: str) -> None:
    """Resamples then differ by rounding alone."""
    truth, weight = np.resize([0, 1], 60), np.random.default_rng(0).random(60)
    perfect = classify(Predictions.of(truth, truth, y_score=truth * 0.8 + 0.1, sample_weight=weight), measure)
    assert perfect.value(measure) == pytest.approx(1)
    assert math.isnan(perfect.estimate(measure).low)
