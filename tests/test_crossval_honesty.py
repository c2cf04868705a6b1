"""Where a number could be wrong or a leak overlooked: tiny folds, labels not learned, overlapping splits, weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import in_turn
from scipy import stats
from sklearn import datasets, metrics
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, KFold, LeavePGroupsOut, LeavePOut, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from assay import InputError, ParameterError, Predictions, crossval, leakage_check, nested
from assay.tables.label_columns import times_of

CANCER = datasets.load_breast_cancer(return_X_y=True)
IRIS = datasets.load_iris(return_X_y=True)
#: Two labels, one after the other, as in a table that is sorted by them.
SORTED = np.repeat([0, 1], 100)
FEATURES = np.random.default_rng(0).normal(size=(200, 3)) + SORTED[:, None]


def untouched(features: Any, labels: Any) -> Any:  # noqa: ARG001
    return features


def test_where_every_permutation_gives_the_same_no_all_clear_is_given() -> None:
    features, labels = CANCER[0][:24], CANCER[1][:24]
    check = leakage_check(DummyClassifier(), features, labels, prepare=untouched, cv=2, permutations=20)
    assert np.isnan(check.p)
    assert not check.leaks
    assert not check.is_fine
    assert check.says.startswith("Inconclusive: labels permuted once more")
    never = DummyClassifier(strategy="constant", constant=0)
    undefined = leakage_check(never, *CANCER, prepare=untouched, cv=2, permutations=20, measure="Precision")
    assert np.isnan(undefined.p)


@in_turn("wrapped", [lambda one: one, make_pipeline, lambda one: GridSearchCV(one, {"C": [1.0]}, cv=2)])
def test_decision_values_of_three_labels_are_no_scores_of_labels(wrapped: Any) -> None:
    with pytest.raises(ParameterError, match=r"computed from scores, and .* has none that it could use"):
        crossval(wrapped(SVC(decision_function_shape="ovo")), *IRIS, cv=2, measures="TopK(k=1)")
    assert crossval(wrapped(SVC()), *IRIS, cv=2, measures="Accuracy").mean() > 0.9


@in_turn("model", [GaussianNB(), DecisionTreeClassifier(random_state=0), DummyClassifier()])
def test_a_label_that_is_not_there_to_learn_from_has_probability_0_of_two_labels_too(model: Any) -> None:
    found = crossval(model, FEATURES, SORTED, cv="time", measures=["Brier", "AUC"])
    said = []
    for train, test in TimeSeriesSplit(5).split(FEATURES):
        fitted = model.fit(FEATURES[train], SORTED[train])
        said.append(fitted.predict_proba(FEATURES[test])[:, 1] if len(fitted.classes_) == 2 else np.zeros(len(test)))
    score, truth = np.concatenate(said), SORTED[35:]
    assert found.pooled("Brier") == pytest.approx(np.mean((score - truth) ** 2))
    assert found.pooled("AUC") == pytest.approx(metrics.roc_auc_score(truth, score))
    lacking = "in 2 of 5 folds a label is missing from the training items: fold 1 has none of 1"
    assert lacking in found.warnings


def test_items_sorted_by_three_labels_can_be_split_in_the_order_of_rows() -> None:
    found = crossval(GaussianNB(), *IRIS, cv="time")
    assert found.predictions().class_scores[2].to_list()[0] == 0.0
    assert found.warnings[-1].endswith("fold 1 has none of 1, 2")


def test_predictions_of_overlapping_splits_are_not_taken_for_those_of_many_items() -> None:
    features, labels = CANCER[0][:24], CANCER[1][:24]
    found = crossval(GaussianNB(), features, labels, cv=LeavePOut(2), measures=["Accuracy", "AUC"])
    with pytest.raises(ParameterError, match="items are tested several times in a repeat"):
        found.predictions()
    given = Predictions.of([0, 1, 0, 1], [0, 1, 1, 1], item_id=["a", "b", "a", "c"])
    with pytest.raises(ParameterError, match="several times"):
        crossval(given, fold=[1, 1, 2, 2], measures="Accuracy").predictions()
    grouped = crossval(GaussianNB(), *CANCER, cv=LeavePGroupsOut(2), groups=np.arange(569) % 5, measures="Accuracy")
    assert (len(grouped.folds), grouped.repeats, grouped.overlap) == (10, 1, True)
    assert grouped.says == "LeavePGroupsOut, splits overlap"


class ByFirstFeature:
    """Learns from small values and tests on large ones."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:  # noqa: ARG002, N803
        order = np.argsort(np.asarray(X)[:, 0], kind="stable")
        yield order[: len(order) // 2], order[len(order) // 2 :]


class ByName:
    """Tests on the group that is called b, and on the label that is called well."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:  # noqa: ARG002, N803
        held = (np.asarray(groups) == "b") & (np.asarray(y) == "well")
        yield np.flatnonzero(~held), np.flatnonzero(held)


def test_a_splitter_sees_features_labels_and_groups_as_they_were_given() -> None:
    features, labels = CANCER
    found = crossval(GaussianNB(), features, labels, cv=ByFirstFeature(), measures="Accuracy")
    order = np.argsort(features[:, 0], kind="stable")
    assert found.predictions().item_id.to_list() == [str(row + 1) for row in sorted(order[284:])]
    words, groups = np.where(labels == 1, "well", "ill"), ["a", "b", "c"] * 189 + ["a", "b"]
    asked: dict[str, Any] = {"groups": groups, "measures": "Accuracy", "pos_label": "well"}
    named = crossval(GaussianNB(), features, words, cv=ByName(), **asked)
    assert named.folds[0].test_items == sum((words == "well") & (np.array(groups) == "b"))
    grid = {"var_smoothing": [1e-9, 1e-2]}
    assert nested(GaussianNB(), grid, features, words, inner=ByName(), outer=KFold(5), **asked).chosen.height == 5
    spied = nested(GaussianNB(), grid, features, labels, inner=ByFirstFeature(), outer=3, measures="Accuracy")
    assert spied.chosen.height == 3
    check = leakage_check(GaussianNB(), features, labels, prepare=untouched, cv=ByFirstFeature(), permutations=20)
    assert len(check.chance) == 20


def test_a_choice_of_parameters_allows_for_weights_where_it_learns_and_where_it_is_measured() -> None:
    features, labels = CANCER
    weight = np.random.default_rng(3).integers(1, 30, 569).astype(float)
    rows = np.arange(569)
    outer = [(rows[::2], rows[1::2]), (rows[1::2], rows[::2])]
    inner = [(np.arange(140), np.arange(140, 280))]
    tree, depths = DecisionTreeClassifier(random_state=0), [1, 2, 3, 4, 6]
    found = nested(tree, {"max_depth": depths}, features, labels, inner=inner, outer=outer, measures="Accuracy",
                   sample_weight=weight)  # fmt: skip
    for row, (train, _) in zip(found.chosen.iter_rows(named=True), outer, strict=True):
        learn, test = train[:140], train[140:280]
        values = {}
        for depth in depths:
            one = DecisionTreeClassifier(random_state=0, max_depth=depth)
            one.fit(features[learn], labels[learn], sample_weight=weight[learn])
            values[depth] = metrics.accuracy_score(
                labels[test], one.predict(features[test]), sample_weight=weight[test]
            )
        assert row["inner Accuracy"] == pytest.approx(max(values.values()))
        assert values[int(row["max_depth"])] == pytest.approx(max(values.values()))


def test_settings_without_a_number_are_not_chosen_and_tiny_outer_folds_are_pooled() -> None:
    constant = DummyClassifier(strategy="constant", constant=1)
    found = nested(constant, {"constant": [0, 1]}, *CANCER, inner=3, outer=3, measures="Precision")
    assert found.chosen["constant"].to_list() == ["1", "1", "1"]
    features, labels = CANCER[0][:24], CANCER[1][:24]
    grid = {"var_smoothing": [1e-9, 1e-3]}
    alone = nested(GaussianNB(), grid, features, labels, inner=2, outer="leave-one-out", measures=["AUC", "Accuracy"],
                   select_by="Accuracy")  # fmt: skip
    assert not np.isnan(alone.pooled("AUC"))
    assert alone.optimism("AUC") == pytest.approx(alone.not_nested.pooled("AUC") - alone.pooled("AUC"))
    assert "nested, pooled" in str(alone)
    assert "NA" not in str(alone)
    for asked in ({"inner": "leave-one-out", "outer": 2}, {"inner": 2, "outer": "leave-one-out"}):
        with pytest.raises(InputError, match="AUC is undefined for every parameter in some fold: choose by another"):
            nested(GaussianNB(), grid, features, labels, measures="AUC", **asked)  # type: ignore[arg-type]


def test_degrees_of_freedom_are_those_of_folds_with_a_number() -> None:
    features = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.repeat([0, 1], [56, 4])
    found = crossval(GaussianNB(), features, labels, measures="AUC")
    values = found.values()[~np.isnan(found.values())]
    error = np.sqrt((1 / 4 + found.test_share) * values.var(ddof=1))
    assert found.interval()[:2] == pytest.approx(stats.t.interval(0.95, 3, values.mean(), error))


def test_repeated_folds_keep_given_groups_whole() -> None:
    groups = np.arange(569) // 5
    found = crossval(GaussianNB(), *CANCER, cv="repeated", repeats=2, groups=groups, measures="Accuracy")
    assert not found.warnings
    assert "groups kept whole" in found.says


@in_turn("frame", [pl.DataFrame, pd.DataFrame])
def test_data_frames_are_taken_as_files_are(frame: Any) -> None:
    columns = {
        "item_id": ["a", "b", "c", "d"], "truth": ["ham", "spam", "ham", "spam"], "part": [1, 1, 2, 2],
        "prediction_old": ["ham", "ham", "ham", "spam"], "prediction_new": ["ham", "spam", "spam", "spam"],
    }  # fmt: skip
    found = crossval(frame(columns), fold="part", pos_label="spam", measures="Accuracy")
    assert [found.values("Accuracy", name).tolist() for name in ("old", "new")] == [[0.5, 1.0], [1.0, 0.5]]
    said = {"truth": [1, 0, 1, 0], "prediction": [1, 0, 1, 1], "fold": [1, 1, 2, 2]}
    named = crossval({"mine": frame(said)}, measures="Accuracy")
    assert (named.mean(), named.systems[0].name) == (0.75, "mine")
    assert crossval(frame(said), fold=[1, 2, 1, 2], measures="Accuracy").values().tolist() == [1.0, 0.5]
    with pytest.raises(InputError, match="expected a column that says in which fold"):
        crossval(frame({"truth": [1, 0], "prediction": [1, 0]}))


def test_items_that_are_twice_in_a_fold_or_change_their_truth_are_refused() -> None:
    ids = ["a", "a", "b", "c"]
    with pytest.raises(InputError, match="rows 1 and 2: expected each item once in a fold, got 'a' several times"):
        crossval(Predictions.of([0, 0, 1, 0], [0, 0, 1, 1], item_id=ids), fold=[1, 1, 2, 2])
    for truths in ([0, 1, 1, 0], [["x"], ["y"], ["y"], []]):
        given = Predictions.of(truths, truths, item_id=["a", "b"] * 2)
        with pytest.raises(InputError, match=r"item 'a' has the truth .* in row 1 and .* in row 3"):
            crossval(given, fold=[1, 2, 1, 2], repeat=[1, 1, 2, 2])


def test_what_folds_of_a_file_learned_from_is_assumed_aloud() -> None:
    given = Predictions.of([0, 1] * 3, [0, 1] * 3)
    found = crossval(given, fold=[1, 1, 2, 2, 3, 3], time=range(6), measures="Accuracy")
    assert found.says == "3 folds as given, each assumed to have learned from all others"
    assert (
        "a later time than some it is tested on; this assumes that each fold learned from all others"
        in found.warnings[0]
    )
    assert "cv=" not in found.warnings[0]


def test_times_are_numbers_dates_or_text_that_says_a_date() -> None:
    days = pd.date_range("2024-01-30", periods=3)
    for form in (
        [3, 5, 9], ["3", "5", "10"], ["2024-01", "2024-02", "2024-12"],
        ["2024-01-31T22:00", "2024-01-31T23:00", "2024-02-01"],
        ["2024-01-01T10:00+05:00", "2024-01-01T09:00+01:00", "2024-01-01T09:30+00:00"], days, days.to_numpy(), [*days],
        pl.Series([*days]),
    ):  # fmt: skip
        assert np.argsort(times_of(form, "time"), kind="stable").tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="row 2: expected a number or a date such as 2024-05-31, got 'NaT'"):
        times_of([days[0], pd.NaT], "time")
    with pytest.raises(InputError, match="row 1: expected a number or a date"):
        times_of(np.array(["NaT", "2024-01-01"], dtype="datetime64[D]"), "time")


def test_the_row_of_a_wrong_split_is_named() -> None:
    predictions = Predictions.of([0, 1, 0, 1], [0, 1, 1, 1])
    with pytest.raises(InputError, match=r"^predictions: row 2: expected train or test as split, got 'dev'$"):
        crossval(predictions, fold=[1, 1, 2, 2], split=["test", "dev", "test", "dev"])
