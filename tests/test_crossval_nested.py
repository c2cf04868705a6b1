"""Nested cross-validation: choices are tested on other items; folds in processes; simulated optimism."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from sklearn import config_context, datasets, metrics
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from assay import AssayError, InputError, choose_threshold, crossval, nested

CANCER = datasets.load_breast_cancer(return_X_y=True)
WINE = datasets.load_wine(return_X_y=True)
INNER, OUTER = (StratifiedKFold(folds, shuffle=True, random_state=folds) for folds in (3, 4))
GRID = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 8]}


def test_a_choice_of_parameters_is_a_search_inside_each_fold() -> None:
    tree = DecisionTreeClassifier(random_state=0)
    found = nested(tree, GRID, *WINE, inner=INNER, outer=OUTER, measures=["Accuracy", "F"])
    theirs = cross_val_score(GridSearchCV(tree, GRID, cv=INNER), *WINE, cv=OUTER)
    assert found.outer.values("Accuracy") == pytest.approx(theirs)
    search = GridSearchCV(tree, GRID, cv=OUTER).fit(*WINE)
    assert found.not_nested.mean("Accuracy") == pytest.approx(search.best_score_)
    assert found.optimism("Accuracy") == pytest.approx(search.best_score_ - theirs.mean())
    features, labels = WINE
    for row, (train, _) in zip(found.chosen.iter_rows(named=True), OUTER.split(*WINE), strict=True):
        inside = GridSearchCV(tree, GRID, cv=INNER).fit(features[train], labels[train])
        assert {name: row[name] for name in GRID} == {name: str(value) for name, value in inside.best_params_.items()}
        assert row["inner Accuracy"] == pytest.approx(inside.best_score_)


def test_the_lowest_loss_and_the_highest_area_are_chosen() -> None:
    tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [2, None]}
    by_loss = nested(tree, grid, *CANCER, inner=2, outer=2, measures="Accuracy", select_by="LogLoss")
    assert by_loss.chosen["max_depth"].to_list() == ["2", "2"]  # a full tree is always sure, and sometimes wrong
    by_area = nested(tree, grid, *CANCER, inner=INNER, outer=OUTER, measures="AUC")
    search = GridSearchCV(tree, grid, cv=INNER, scoring="roc_auc")
    assert by_area.outer.values("AUC") == pytest.approx(cross_val_score(search, *CANCER, cv=OUTER, scoring="roc_auc"))


def test_a_threshold_is_chosen_from_scores_of_inner_folds() -> None:
    features, labels = CANCER
    found = nested(GaussianNB(), "max_f(beta=2)", *CANCER, inner=INNER, outer=OUTER, measures="F(beta=2)")
    for place, (train, test) in enumerate(OUTER.split(*CANCER)):
        inside = cross_val_predict(GaussianNB(), features[train], labels[train], cv=INNER, method="predict_proba")[:, 1]
        threshold = choose_threshold(labels[train], inside, rule="max_f(beta=2)", resamples=0).threshold
        score = GaussianNB().fit(features[train], labels[train]).predict_proba(features[test])[:, 1]
        assert found.chosen["threshold"][place] == threshold
        theirs = metrics.fbeta_score(labels[test], score >= threshold, beta=2)
        assert found.outer.values()[place] == pytest.approx(theirs)
    every = cross_val_predict(GaussianNB(), *CANCER, cv=OUTER, method="predict_proba")[:, 1]
    naive = choose_threshold(labels, every, rule="max_f(beta=2)", resamples=0).threshold
    values = [metrics.fbeta_score(labels[test], every[test] >= naive, beta=2) for _, test in OUTER.split(*CANCER)]
    assert found.not_nested.values() == pytest.approx(values)


def test_choosing_among_noise_looks_good_only_where_it_is_not_nested() -> None:
    """Features without meaning: what is learned is right by chance, 0.5, however it was chosen."""
    rng = np.random.default_rng(5)
    grid = {"random_state": range(8), "max_features": [1], "max_depth": [2, 4]}
    honest, naive = [], []
    for trial in range(3):
        features, labels = rng.normal(size=(40, 4)), rng.permutation(np.repeat([0, 1], 20))
        found = nested(
            DecisionTreeClassifier(), grid, features, labels, inner=2, outer=4, measures="Accuracy", seed=trial
        )
        honest.append(found.mean())
        naive.append(found.not_nested.mean())
    assert np.mean(naive) > 0.57
    assert np.mean(honest) == pytest.approx(0.5, abs=0.08)


def test_groups_stay_whole_inside_folds_too() -> None:
    groups = np.arange(569) // 8
    found = nested(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, *CANCER, inner=2, outer=GroupKFold(3), groups=groups,
                   measures="Accuracy")  # fmt: skip
    assert not [one for one in found.warnings if "leak" in one]
    assert found.chosen.height == 3


def test_every_form_shows_both_numbers_and_the_choices() -> None:
    found = nested(DecisionTreeClassifier(), {"max_depth": [1, 3]}, *WINE, inner=2, outer=3, measures="Accuracy")
    told = json.loads(found.to_json())["sections"]
    assert told["measures"]["measures"][0]["nested"] == found.mean()
    assert told["chosen"]["chosen"] == found.chosen.to_dicts()
    assert told["basis"]["not_nested"]["sections"]["measures"]["measures"][0]["pooled"] == found.not_nested.pooled()
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert f"{found.mean():.4f}" in text
        assert f"{found.not_nested.mean():.4f}" in text
        assert "max_depth" in text.replace("\\", "")
    assert found.to_frame()["optimism"].to_list() == [found.optimism()]


@in_turn(
    ("estimator", "choice", "data", "says"),
    [
        (
            DecisionTreeClassifier(),
            {"max_dept": [1]},
            WINE,
            "^DecisionTreeClassifier has no parameter 'max_dept'; did you mean max_depth",
        ),
        (make_pipeline(SVC()), {"C": [1]}, WINE, r"^Pipeline has no parameter 'C'; did you mean svc__C\?$"),
        (DecisionTreeClassifier(), {"max_depth": 3}, WINE, "^max_depth: expected a list of values .*, got 3$"),
        (DecisionTreeClassifier(), [{"max_depth": []}], WINE, r"^max_depth: expected a list of values .*, got \[\]$"),
        (DecisionTreeClassifier(), 7, WINE, "^choice is a grid of parameters, such as .*, or a rule for thresholds$"),
        (DecisionTreeClassifier(), "youden", WINE, "a threshold is for two labels, and there are 3"),
        (DecisionTreeClassifier(), "yuden", CANCER, "did you mean youden"),
        (LinearRegression(), {"fit_intercept": [True]}, CANCER, "is not a classifier"),
        ({"a": GaussianNB(), "b": GaussianNB()}, "youden", CANCER, "one estimator at a time"),
        (SVC(), {"C": ["much"]}, WINE, "SVC: InvalidParameterError: "),
    ],
)
def test_a_wrong_call_is_refused_in_one_clear_line(estimator: Any, choice: Any, data: Any, says: str) -> None:
    with pytest.raises(AssayError, match=says) as caught:
        nested(estimator, choice, *data, inner=2, outer=2)
    assert "\n" not in str(caught.value)


def test_a_grid_may_replace_a_step_and_set_its_parameters() -> None:
    pipeline = Pipeline([("model", GaussianNB())])
    grid = {"model": [DecisionTreeClassifier(random_state=0)], "model__max_depth": [1, 3]}
    assert nested(pipeline, grid, *WINE, inner=2, outer=2, measures="Accuracy").mean() > 0.8


@in_turn("choice", ["youden", {"var_smoothing": [1e-9, 1e-2]}])
@in_turn("groups", [None, np.arange(569) // 8])
def test_metadata_routing_changes_nothing(choice: Any, groups: Any) -> None:
    weight = np.where(CANCER[1] == 1, 2.0, 1.0)
    asked: dict[str, Any] = {"groups": groups, "sample_weight": weight, "measures": "Accuracy"}
    plain = nested(GaussianNB(), choice, *CANCER, inner=2, outer=2, **asked)
    with config_context(enable_metadata_routing=True):
        routed = nested(GaussianNB(), choice, *CANCER, inner=2, outer=2, **asked)
        assert crossval(GaussianNB(), *CANCER, cv=2, **asked).mean() > 0.9
    assert routed.to_frame().equals(plain.to_frame())


def test_a_rule_that_no_threshold_keeps_is_said() -> None:
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat([0, 1], 50))
    with pytest.raises(InputError, match="no threshold for max_recall_given_precision"):
        nested(GaussianNB(), "max_recall_given_precision(1)", rng.normal(size=(100, 1)), labels, inner=2, outer=2)


def test_side_by_side_gives_what_one_after_another_gives() -> None:
    forest = {"forest": RandomForestClassifier(3)}
    one, two = (crossval(forest, *CANCER, cv=2, measures="AUC", n_jobs=jobs) for jobs in (1, 2))
    assert one.to_frame().equals(two.to_frame())
    assert one.predictions().frame.equals(two.predictions().frame)
    assert one.notes == ("forest has no random_state of its own: 0 is used",)


def test_inner_folds_may_be_pairs_that_can_be_gone_through_only_once() -> None:
    once = ((np.arange(60), np.arange(60, 100)) for _ in range(1))
    tree = DecisionTreeClassifier(random_state=0)
    found = nested(tree, {"max_depth": [1, 2]}, *WINE, inner=once, outer=3, measures="Accuracy")
    assert found.chosen.height == 3


def test_time_runs_forward_in_inner_folds_too() -> None:
    features, labels = CANCER
    order = np.random.default_rng(0).permutation(569)
    asked: dict[str, Any] = {"outer": "time", "measures": "Accuracy"}
    grid = {"var_smoothing": [1e-9, 1e-3]}
    plain = nested(GaussianNB(), grid, features, labels, **asked)
    assert not plain.warnings
    mixed = nested(GaussianNB(), grid, features[order], labels[order], time=order, **asked)
    assert mixed.chosen.equals(plain.chosen)
    assert mixed.mean() == plain.mean()
    first = next(iter(TimeSeriesSplit(5).split(features)))[0]
    search = GridSearchCV(GaussianNB(), grid, cv=TimeSeriesSplit(5), scoring="accuracy").fit(
        features[first], labels[first]
    )
    assert plain.chosen["inner Accuracy"][0] == pytest.approx(search.best_score_)


def test_chosen_parameters_can_be_set_again() -> None:
    tree = DecisionTreeClassifier(random_state=0)
    found = nested(tree, {"max_depth": [None, 1]}, *WINE, inner=2, outer=3, measures="Accuracy")
    assert [str(one["max_depth"]) for one in found.parameters] == found.chosen["max_depth"].to_list()
    assert {one["max_depth"] for one in found.parameters} <= {None, 1}
    assert tree.set_params(**found.parameters[0]) is tree
    assert nested(GaussianNB(), "youden", *CANCER, inner=2, outer=2, measures="Accuracy").parameters == ({}, {})
