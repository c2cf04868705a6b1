"""Cross-validation of estimators: the numbers and predictions of scikit-learn, kept apart by fold and pooled."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from scipy import stats
from sklearn import datasets, metrics
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import assay
from assay import ParameterError, crossval

CANCER = datasets.load_breast_cancer(return_X_y=True)
SETS = {
    "cancer": CANCER,
    "iris": datasets.load_iris(return_X_y=True),
    "wine": datasets.load_wine(return_X_y=True),
    "digits": tuple(part[:600] for part in datasets.load_digits(return_X_y=True)),
}
FOLDS = StratifiedKFold(5, shuffle=True, random_state=3)
#: Measures by their names in scikit-learn; those of losses are negative there.
SCORERS = {
    "cancer": {"Accuracy": "accuracy", "Precision": "precision", "Recall": "recall", "F": "f1", "AUC": "roc_auc",
               "AveragePrecision": "average_precision", "Brier": "neg_brier_score", "LogLoss": "neg_log_loss"},
    "iris": {"Accuracy": "accuracy", "F": "f1_macro", "Recall": "recall_macro", "LogLoss": "neg_log_loss"},
}  # fmt: skip
SCORERS |= {"wine": SCORERS["iris"], "digits": {"Accuracy": "accuracy", "F": "f1_macro"}}


@in_turn("name", SETS)
def test_values_of_folds_on_both_sides_are_those_of_scikit_learn(name: str) -> None:
    x, y = SETS[name]
    tree, scorers = DecisionTreeClassifier(max_depth=4, random_state=0), SCORERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cross_validate(tree, x, y, cv=FOLDS, scoring=[*scorers.values()], return_train_score=True)
    found = crossval(tree, x, y, cv=FOLDS, measures=[*scorers])
    for measure, scorer in scorers.items():
        sign = -1 if scorer.startswith("neg") else 1
        assert found.values(measure) == pytest.approx(sign * theirs[f"test_{scorer}"], abs=1e-12)
        assert found.train_values(measure) == pytest.approx(sign * theirs[f"train_{scorer}"], abs=1e-12)
        gap = float(np.mean(theirs[f"train_{scorer}"] - theirs[f"test_{scorer}"]))
        assert found.optimism(measure) == pytest.approx(gap, abs=1e-12)
        assert found.mean(measure) == pytest.approx(sign * theirs[f"test_{scorer}"].mean())
        assert found.spread(measure) == pytest.approx(theirs[f"test_{scorer}"].std(ddof=1))


@in_turn("name", SETS)
def test_out_of_fold_predictions_are_those_of_scikit_learn(name: str) -> None:
    x, y = SETS[name]
    found = crossval(GaussianNB(), x, y, cv=FOLDS, measures="Accuracy")
    table = found.predictions()
    assert table.prediction is not None
    assert table.prediction.to_list() == cross_val_predict(GaussianNB(), x, y, cv=FOLDS).tolist()
    theirs = cross_val_predict(GaussianNB(), x, y, cv=FOLDS, method="predict_proba")
    held = [table.score] if table.score is not None else [*table.class_scores.values()]
    mine = np.column_stack([one.to_numpy() for one in held])  # of two labels the positive one, the second
    assert mine == pytest.approx(theirs[:, -1:] if table.score is not None else theirs)
    assert table.truth.to_list() == y.tolist()
    assert found.pooled("Accuracy") == pytest.approx(metrics.accuracy_score(y, table.prediction.to_numpy()))


def test_pooled_and_mean_of_folds_are_two_numbers() -> None:
    """Scores of models on different scales: within each fold all is in order, across folds nothing is."""
    truth = [1, 0, 1, 0, 1, 0]
    score = [0.2, 0.1, 0.6, 0.5, 1.0, 0.9]
    found = crossval(assay.Predictions.of(truth, y_score=score), fold=[1, 1, 2, 2, 3, 3], measures="AUC")
    assert found.values().tolist() == [1.0, 1.0, 1.0]
    assert found.mean() == 1.0
    assert found.pooled() == pytest.approx(metrics.roc_auc_score(truth, score))
    assert found.pooled() < 0.7


def test_the_interval_is_that_of_the_corrected_resampled_variance() -> None:
    found = crossval(GaussianNB(), *CANCER, cv=FOLDS, measures="Accuracy")
    values = found.values()
    ratio = np.mean([one.test_items / one.train_items for one in found.folds])
    error = math.sqrt((1 / 5 + ratio) * values.var(ddof=1))
    low, high = stats.t.interval(0.95, 4, loc=values.mean(), scale=error)
    assert found.interval()[:2] == pytest.approx((low, high))
    assert found.interval().method == "corrected t"


def test_threads_give_what_one_after_another_gives() -> None:
    from joblib import parallel_config  # type: ignore[import-untyped]  # noqa: PLC0415

    model = LogisticRegression(max_iter=2, random_state=0)
    one = crossval(model, *CANCER, cv=3, measures="AUC")
    with parallel_config("threading"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        two = crossval(model, *CANCER, cv=3, measures="AUC", n_jobs=2)
    assert one.to_frame().equals(two.to_frame())
    assert one.warnings


def test_the_same_seed_gives_the_same_and_another_one_other_folds() -> None:
    first, again, other = (crossval(GaussianNB(), *CANCER, measures="Accuracy", seed=seed) for seed in (4, 4, 5))
    assert first.values().tolist() == again.values().tolist()
    assert first.values().tolist() != other.values().tolist()
    assert "seed 4" in first.says


def test_estimators_are_left_as_they_were() -> None:
    tree = DecisionTreeClassifier()
    crossval(tree, *CANCER, measures="Accuracy", cv=2)
    assert tree.random_state is None
    assert not hasattr(tree, "tree_")


def test_repeats_of_scikit_learns_splitters_are_told_apart() -> None:
    found = crossval(
        GaussianNB(), *CANCER, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), measures="F"
    )
    assert [(one.repeat, one.fold) for one in found.folds] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    each = [found.predictions(repeat=repeat) for repeat in (1, 2)]
    assert [one.item_id.n_unique() for one in each] == [569, 569]
    mean = np.mean([metrics.f1_score(one.truth.to_numpy(), one.columns["prediction"].to_numpy()) for one in each])
    assert found.pooled("F") == pytest.approx(mean)


def test_every_random_split_is_a_repeat_of_its_own() -> None:
    found = crossval(GaussianNB(), *CANCER, cv="split", test_size=0.3, repeats=3, measures="Accuracy")
    assert [(one.repeat, one.fold) for one in found.folds] == [(1, 1), (2, 1), (3, 1)]
    assert found.folds[0].test_items == 171
    assert not found.is_pooled
    assert "70% of items to learn from, 30% to test" in found.says
    drawn = crossval(GaussianNB(), *CANCER, cv=ShuffleSplit(3, test_size=0.6, random_state=0), measures="Accuracy")
    assert drawn.repeats == 3


def test_a_single_split_has_a_value_and_no_interval() -> None:
    found = crossval(GaussianNB(), *CANCER, cv="split", measures="Accuracy")
    assert len(found.folds) == 1
    assert not found.interval().is_known
    assert math.isnan(found.spread())
    assert "value" in str(found).splitlines()[0]


def test_leaving_one_out_says_to_read_the_pooled_numbers() -> None:
    x, y = (part[:80] for part in CANCER)
    found = crossval(GaussianNB(), x, y, cv="leave-one-out", measures=["Accuracy", "AUC", "Recall"])
    assert len(found.folds) == 80
    assert math.isnan(found.mean("AUC"))
    assert found.mean("Accuracy") == pytest.approx(found.pooled("Accuracy"))
    score = cross_val_predict(GaussianNB(), x, y, cv=KFold(80), method="predict_proba")[:, 1]
    assert found.pooled("AUC") == pytest.approx(metrics.roc_auc_score(y, score))
    assert "AUC is undefined in every fold: there is no" in str(found)
    assert "read the pooled numbers" in str(found)
    assert not found.interval("Accuracy").is_known


def test_decision_values_serve_where_there_are_no_probabilities() -> None:
    x, y = CANCER
    machine = make_pipeline(StandardScaler(), SVC())
    theirs = cross_validate(machine, x, y, cv=FOLDS, scoring="roc_auc")["test_score"]
    assert crossval(machine, x, y, cv=FOLDS, measures="AUC").values() == pytest.approx(theirs)
    flipped = crossval(machine, x, y, cv=FOLDS, measures="AUC", pos_label=0)
    assert flipped.values() == pytest.approx(theirs)  # the other label's scores, the other way round
    assert [str(one) for one in crossval(RidgeClassifier(), x, y).measures][-1] == "AUC"  # no Brier score of those


def test_probabilities_of_the_label_called_positive_are_taken() -> None:
    x, y = CANCER
    found = crossval(GaussianNB(), x, y, cv=FOLDS, measures=["Recall", "Brier"], pos_label=0)
    said = cross_val_predict(GaussianNB(), x, y, cv=FOLDS)
    assert found.pooled("Recall") == pytest.approx(metrics.recall_score(y, said, pos_label=0))
    chance = cross_val_predict(GaussianNB(), x, y, cv=FOLDS, method="predict_proba")[:, 0]
    assert found.pooled("Brier") == pytest.approx(np.mean((chance - (y == 0)) ** 2))


def test_a_threshold_decides_instead_of_the_estimator() -> None:
    x, y = CANCER
    found = crossval(GaussianNB(), x, y, cv=FOLDS, measures="Recall", threshold=0.999)
    score = cross_val_predict(GaussianNB(), x, y, cv=FOLDS, method="predict_proba")[:, 1]
    assert found.pooled() == pytest.approx(metrics.recall_score(y, score >= 0.999))


def test_labels_may_be_text_booleans_or_columns_of_other_libraries() -> None:
    x, y = CANCER
    words = np.where(y == 1, "well", "ill")
    plain = crossval(GaussianNB(), x, y, cv=FOLDS, measures="Recall").values()
    forms: list[Any] = [
        words,
        words.tolist(),
        pl.Series(words.tolist()),
        pl.Series(words.tolist(), dtype=pl.Categorical),
    ]
    for form in forms:
        assert crossval(GaussianNB(), x, form, cv=FOLDS, measures="Recall", pos_label="well").values() == pytest.approx(
            plain
        )
    assert crossval(GaussianNB(), pl.DataFrame(x), y == 1, cv=FOLDS, measures="Recall").values() == pytest.approx(plain)
    with pytest.raises(ParameterError, match="pos_label"):
        crossval(GaussianNB(), x, words)


def test_features_may_be_lists_of_text() -> None:
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.naive_bayes import MultinomialNB  # noqa: PLC0415

    texts, labels = ["win money now", "tea at noon"] * 10, ["spam", "ham"] * 10
    found = crossval(make_pipeline(CountVectorizer(), MultinomialNB()), texts, labels, pos_label="spam")
    assert found.mean("Accuracy") == 1.0


def test_weights_count_where_it_learns_and_where_it_is_measured() -> None:
    x, y = CANCER
    weight = np.where(y == 1, 3.0, 1.0)
    found = crossval(GaussianNB(), x, y, cv=FOLDS, measures="Accuracy", sample_weight=weight)
    for place, (train, test) in enumerate(FOLDS.split(x, y)):
        said = GaussianNB().fit(x[train], y[train], sample_weight=weight[train]).predict(x[test])
        assert found.values()[place] == pytest.approx(metrics.accuracy_score(y[test], said, sample_weight=weight[test]))
    piped = make_pipeline(StandardScaler(), GaussianNB())
    assert not crossval(piped, x, y, cv=2, measures="Accuracy", sample_weight=weight).warnings
    from sklearn.neighbors import KNeighborsClassifier  # noqa: PLC0415

    without = crossval(KNeighborsClassifier(), x, y, cv=2, measures="Accuracy", sample_weight=weight)
    assert without.warnings == (
        "KNeighborsClassifier takes no weights: they count in its measures, not in its training",
    )


@in_turn("cv", ["leave-one-out", "time", 5])
def test_all_items_of_a_fold_may_weigh_1(cv: Any) -> None:
    x, y = np.arange(60.0)[:, None], np.arange(60) % 2
    weight = np.array([2.0] * 15 + [1.0] * 45)
    found = crossval(GaussianNB(), x, y, cv=cv, measures="Accuracy", sample_weight=weight)
    tested = found.predictions().frame
    assert tested["weight"].to_list() == [weight[int(item) - 1] for item in tested["item_id"]]


def test_warnings_of_estimators_are_counted() -> None:
    model = LogisticRegression(max_iter=2, random_state=0)
    found = crossval(model, *CANCER, cv=3, measures="Accuracy")
    assert found.warnings[0].startswith("LogisticRegression: 3 warnings in 3 folds: ConvergenceWarning: lbfgs")


class Hesitant(GaussianNB):  # type: ignore[misc]
    def predict_proba(self, x: Any) -> Any:
        warnings.warn("not sure", stacklevel=1)
        return super().predict_proba(x)


def test_warnings_of_predictions_are_counted_too() -> None:
    found = crossval(Hesitant(), *CANCER, cv=3, measures="Accuracy")  # tested items, and those learned from
    assert found.warnings == ("Hesitant: 6 warnings in 3 folds: UserWarning: not sure",)


def test_a_class_that_is_not_there_to_learn_from_has_probability_0() -> None:
    x = np.arange(9.0)[:, None]
    y = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    rows = np.arange(9)
    found = crossval(GaussianNB(), x, y, cv=[(rows[:6], rows[6:]), (rows[3:], rows[:3])], measures="Accuracy")
    assert found.values().tolist() == [0.0, 0.0]
    assert found.predictions().class_scores[2].to_list()[-3:] == [0.0, 0.0, 0.0]


def test_out_of_fold_predictions_go_on_to_curves_thresholds_and_classify() -> None:
    found = crossval({"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}, *CANCER, cv=FOLDS)
    systems = [found.predictions(name) for name in ("bayes", "tree")]
    curve = assay.classifier_curves.roc(systems)
    assert curve.summary["value"].to_list() == pytest.approx([found.pooled("AUC", name) for name in ("bayes", "tree")])
    assert assay.classify(systems, "MCC").value("MCC", "tree") == pytest.approx(found.pooled("MCC", "tree"))
    chosen = assay.choose_threshold(found.predictions("bayes"), rule="max_accuracy", resamples=0)
    assert chosen.value >= found.pooled("Accuracy", "bayes")
    with pytest.raises(ParameterError, match="choose a system of bayes, tree"):
        found.predictions()
    again = crossval([found.predictions("bayes")])  # the table holds its folds
    assert again.values("Accuracy") == pytest.approx(found.values("Accuracy", "bayes"))


def test_every_form_of_a_result_holds_its_numbers() -> None:
    found = crossval(GaussianNB(), *CANCER, cv=GroupKFold(4), groups=np.arange(569) // 3, measures=["Accuracy", "AUC"])
    import json  # noqa: PLC0415

    told = json.loads(found.to_json())["sections"]
    assert told["measures"]["measures"][0]["mean_of_folds"] == found.mean("Accuracy")
    assert told["basis"]["splits"] == "GroupKFold"
    assert len(told["folds"]["values"]) == 8
    number = f"{found.mean('Accuracy'):.4f}"
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert number in text
    assert found.to_frame()["pooled"].to_list() == [found.pooled("Accuracy"), found.pooled("AUC")]
    assert found.per_fold("AUC")["value"].to_list() == found.values("AUC").tolist()
    assert repr(found) == "<CrossValidation of GaussianNB: 4 folds>"


def test_without_scikit_learn_files_can_be_measured_and_estimators_ask_for_it() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
from assay import Predictions, crossval
print(crossval(Predictions.of([0, 1, 1, 0], [0, 1, 0, 0]), fold=[1, 1, 2, 2], measures="Accuracy").mean())
class Model:
    def fit(self, X, y): ...
    def predict(self, X): ...
try:
    crossval(Model(), [[0], [1]], [0, 1])
except ImportError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "0.75",
        "cross-validating an estimator needs sklearn: pip install 'assay[sklearn]'",
    ]
