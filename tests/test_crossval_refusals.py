"""What cross-validation refuses: estimators, calls and data, each in one clear line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from sklearn import datasets
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, LeavePOut
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import AssayError, InputError, ParameterError, crossval

CANCER = datasets.load_breast_cancer(return_X_y=True)


class Fails(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    def fit(self, x: Any, y: Any) -> Fails:  # noqa: ARG002
        raise ValueError("no\nway")

    def predict(self, x: Any) -> Any:
        return x


def test_what_fails_in_a_fold_is_said_in_one_line() -> None:
    with pytest.raises(InputError, match=r"^Fails: ValueError: no way$"):
        crossval(Fails(), *CANCER)


class Surprises(GaussianNB):  # type: ignore[misc]
    def fit(self, x: Any, y: Any) -> Surprises:  # noqa: ARG002
        raise KeyError("column")


def test_whatever_an_estimator_raises_it_is_named() -> None:
    with pytest.raises(InputError, match=r"^Surprises: KeyError: 'column'$"):
        crossval(Surprises(), *CANCER)


class Says(GaussianNB):  # type: ignore[misc]
    """Says something odd of what it is asked about."""

    def __init__(self, what: str = "") -> None:
        super().__init__()
        self.what = what

    def predict(self, x: Any) -> Any:
        said = super().predict(x)
        odd = {"short": said[1:], "nan": np.where(said == 0, np.nan, said), "seven": said * 7, "column": said[:, None]}
        return odd.get(self.what, said)

    def predict_proba(self, x: Any) -> Any:
        said = super().predict_proba(x)
        return np.full_like(said, np.nan) if self.what == "probabilities" else said


@in_turn(
    ("what", "says"),
    [
        ("short", r"ValueError: cannot reshape array of size 113 into shape \(114,\)"),
        ("nan", "InputError: predict: expected 0, 1, got nan"),
        ("seven", "InputError: predict: expected 0, 1, got 7"),
        ("probabilities", "InputError: expected scores that are finite numbers, got nan or infinite ones"),
    ],
)
def test_what_an_estimator_says_that_is_no_prediction_is_blamed_on_it(what: str, says: str) -> None:
    with pytest.raises(InputError, match=rf"^Says: fold 1 of repeat 1: {says}$"):
        crossval(Says(what), *CANCER)


def test_predictions_in_a_column_are_predictions() -> None:
    assert crossval(Says("column"), *CANCER).mean("Accuracy") == crossval(Says(), *CANCER).mean("Accuracy")


class Duck:
    """Looks like an estimator, and can be neither copied nor asked what it is."""

    def fit(self, x: Any, y: Any) -> Duck:  # noqa: ARG002
        return self

    def predict(self, x: Any) -> Any:
        return np.zeros(len(x))


class Plain(BaseEstimator):  # type: ignore[misc]
    """An estimator that does not say what kind it is."""

    def fit(self, x: Any, y: Any) -> Plain:  # noqa: ARG002
        self.label_ = y[0]
        return self

    def predict(self, x: Any) -> Any:
        return np.repeat(self.label_, len(x))


def test_an_estimator_need_not_say_that_it_is_a_classifier() -> None:
    assert crossval(Plain(), *CANCER, measures="Accuracy").mean() < 1


def test_measures_of_two_labels_are_refused_for_three() -> None:
    with pytest.raises(ParameterError, match=r"^AUC is for two labels, and there are 3$"):
        crossval(GaussianNB(), *datasets.load_iris(return_X_y=True), measures="AUC")


@pytest.mark.parametrize("cv", ["leave-one-out", LeaveOneOut()])
def test_more_splits_than_anybody_waits_for_are_refused(cv: Any) -> None:
    with pytest.raises(ParameterError, match="10,000"):
        crossval(GaussianNB(), np.zeros((10_001, 1)), np.arange(10_001) % 2, cv=cv)


@in_turn(
    ("given", "says"),
    [
        (LinearRegression(), "^LinearRegression is not a classifier but a regressor: "),
        (make_pipeline(StandardScaler(), LinearRegression()), "^LinearRegression is not a classifier"),
        (KMeans(), "^KMeans is not a classifier but a clusterer: "),
        (GaussianNB, r"^GaussianNB is a class, not an estimator: make one: GaussianNB\(\)$"),
        (StandardScaler(), "^StandardScaler is not a classifier: expected an estimator with fit and predict$"),
        ({}, "got none"),
        (GridSearchCV(Duck(), {}), "^GridSearchCV holds something that is not an estimator of scikit-learn: "),
        (Duck(), "^Duck is not an estimator of scikit-learn: "),
    ],
)
def test_what_is_no_classifier_is_refused(given: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        crossval(given, *CANCER)


@in_turn(
    ("options", "says"),
    [
        ({"cv": "repeatd"}, "did you mean repeated"),
        ({"cv": 1}, "cv is a whole number from 2 on"),
        ({"cv": True}, "cv is a whole number from 2 on"),
        ({"cv": LeavePOut(3)}, "LeavePOut makes more than 10,000 splits"),
        ({"cv": "leave-one-out", "repeats": 2}, "^repeats=2 has no effect with cv=leave-one-out"),
        ({"cv": "split", "test_size": 20}, "test_size is a number between 0 and 1"),
        ({"cv": 600}, "items cannot be split like this"),
        ({"cv": [(np.arange(5), np.arange(600))]}, "row numbers from 0 to 568"),
        ({"cv": [(np.arange(5), [])]}, "split 1: expected rows to learn from, and rows to test on, each of them once"),
        ({"cv": [[1, 2, 3]]}, "items cannot be split like this"),
        ({"cv": []}, "at least one split"),
        ({"groups": [1, 2]}, "expected as many values as y has, 569, got 2 in groups"),
        ({"time": [1, 2]}, "569, got 2 in time"),
        ({"item_id": [1, 2]}, "^expected as many values as y has, 569, got 2 in item_id$"),
        ({"item_id": [*range(568), None]}, "^item_id: 1 null, the first at item 569: "),
        ({"sample_weight": [1, 2]}, "^sample_weight: expected 569 weights, one per item, got 2$"),
        ({"sample_weight": [-1.0] * 569}, "^sample_weight: expected numbers from 0 on, got -1.0$"),
        ({"sample_weight": [1.0] * 568 + [None]}, "^sample_weight: expected numbers from 0 on, got nan$"),
        ({"fold": "fold"}, "go with predictions"),
        ({"measures": "Acuracy"}, "did you mean"),
        ({"confidence": 95}, "confidence"),
        ({"repeats": 0}, "repeats is a whole number"),
        ({"repeats": 4, "cv": KFold(3)}, "^repeats=4 has no effect with cv=a splitter"),
        ({"repeats": 4, "cv": "5x2"}, "^repeats=4 has no effect with cv=5x2"),
        ({"cv": 2.5}, "^cv is a whole number from 2 on, not 2.5$"),
        (
            {"cv": [(np.arange(9, 99), [0, 1, 0])]},
            "^cv: split 1: expected rows to learn from, .*, each of them once$",
        ),
        ({"groups": [*range(568), None]}, "^groups: 1 null, the first at item 569: "),
        ({"groups": [*range(568), math.nan]}, "^groups: 1 null, the first at item 569: "),
        (
            {"time": [*range(568), math.nan]},
            "^time: row 569: expected a number or a date such as 2024-05-31, got 'nan'$",
        ),
        (
            {"time": [*range(568), math.inf]},
            "^time: row 569: expected a number or a date such as 2024-05-31, got 'inf'$",
        ),
        ({"time": ["2024-05-31"] * 568 + ["31/05/2024"]}, "^time: row 569: expected .* such as 2024-05-31, got '31/05"),
        ({"time": ["9:00", "10:00"] * 284 + ["9:00"]}, "^time: row 1: expected a number or a date"),
    ],
)
def test_a_wrong_call_is_refused_in_one_clear_line(options: dict[str, Any], says: str) -> None:
    with pytest.raises(AssayError, match=says) as caught:
        crossval(GaussianNB(), *CANCER, **options)
    assert "\n" not in str(caught.value)


def test_data_that_do_not_fit_together_are_refused() -> None:
    x, y = CANCER
    for features, labels, says in (
        (x, y[:-1], "expected as many labels as X has rows, 569, got 568"),
        (x, np.zeros(569, dtype=int), "two labels or more, got 0"),
        (x, [None, *y[1:].tolist()], "1 null, the first at item 1"),
        (x, np.linspace(0, 1.5, 569), "expected labels, got the number"),
        (x, np.eye(2)[y], "expected one value per item|one label per item"),
        (x, None, "give both X and y"),
        (pl.LazyFrame({"a": [0.0] * 569}), y, r"^X: expected an array, .*, got LazyFrame$"),
        (pl.DataFrame({"a": [0.0] * 569}).to_arrow(), y, r"^X: expected an array, .*, got Table$"),
        (7, y, r"^X: expected an array, .*, got int$"),
        (None, None, "an estimator needs X and y"),
    ):
        with pytest.raises(AssayError, match=says):
            crossval(GaussianNB(), features, labels)
