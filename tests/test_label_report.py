"""`classification_report`: scikit-learn's numbers, by a shorter way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn

from assay import ConfusionMatrix, InputError, Predictions, classification_report, classify, parse_measure
from assay.measures.matrices import overall

NAMES = np.array(["claim", "news", "offer", "order"])
KEYS = ("precision", "recall", "f1-score", "support")


def drawn(seed: int, items: int = 60) -> tuple[Any, Any, Any]:
    """True and predicted classes, of which the last is rare, and weights."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, items, p=[0.4, 0.3, 0.28, 0.02])
    return truth, np.where(rng.random(items) < 0.6, truth, rng.integers(0, 4, items)), rng.random(items)


@in_turn("seed", range(12))
@in_turn("weighted", [False, True])
@in_turn("text", [False, True])
def test_numbers_are_those_of_scikit_learn(seed: int, weighted: bool, text: bool) -> None:
    """With its `zero_division=nan`, which leaves undefined numbers out of averages."""
    metrics = pytest.importorskip("sklearn.metrics")
    truth, said, weight = drawn(seed)
    pair = (NAMES[truth].tolist(), NAMES[said].tolist()) if text else (truth, said)
    settings: dict[str, Any] = {"sample_weight": weight} if weighted else {}
    expected = metrics.classification_report(*pair, output_dict=True, zero_division=np.nan, **settings)
    found = classification_report(*pair, **settings).to_dict()
    assert found["accuracy"] == pytest.approx(expected.pop("accuracy"))
    assert found.keys() == expected.keys() | {"accuracy", "micro avg"}
    for name, numbers in expected.items():
        assert [found[name][key] for key in KEYS] == pytest.approx([numbers[key] for key in KEYS], nan_ok=True), name


@in_turn("seed", range(5))
def test_numbers_are_those_of_classify(seed: int) -> None:
    truth, said, _ = drawn(seed)
    report, result = (
        classification_report(NAMES[truth], NAMES[said]),
        classify(Predictions.of(NAMES[truth], NAMES[said])),
    )
    assert report.accuracy == pytest.approx(result.value("Accuracy"))
    classes = result.per_class()
    for name, averages in (("Precision", report.precision), ("Recall", report.recall), ("F", report.f1)):
        for average in ("macro", "micro", "weighted"):
            one = overall(parse_measure(f"{name}(average='{average}')", "multiclass"), report.matrix)
            assert getattr(averages, average) == pytest.approx(one.values[0], nan_ok=True)
        column = classes["f1" if name == "F" else name.lower()].fill_null(math.nan).to_list()
        assert averages.classes.tolist() == pytest.approx(column, nan_ok=True)


def test_what_is_undefined_is_nan_and_the_shape_stays() -> None:
    report = classification_report(["a", "b"], ["a", "a"], labels=["a", "b", "c"])
    told = report.to_dict()
    assert list(told) == ["a", "b", "c", "micro avg", "macro avg", "weighted avg", "accuracy"]
    assert math.isnan(told["b"]["precision"])
    assert math.isnan(told["c"]["recall"])
    assert told["c"]["support"] == 0
    frame = report.to_frame()
    assert frame.columns == ["label", "precision", "recall", "f1", "support"]
    assert frame["precision"].to_list() == [0.5, None, None, 0.5, 0.25, 0.25]  # b counts as 0, and c is nowhere
    assert "NA" in str(report)


def test_the_table_has_a_row_for_each_class_and_average() -> None:
    report = classification_report([0, 1, 1], [0, 1, 0])
    lines = str(report).splitlines()
    assert [line.split()[0] for line in lines[1:6]] == ["0", "1", "micro", "macro", "weighted"]
    assert lines[-1] == "accuracy 0.6667"
    assert report.to_frame()["support"].dtype == pl.Int64
    assert classification_report([0, 1], [0, 1], sample_weight=[0.5, 1]).to_frame()["support"].dtype == pl.Float64


def test_an_absent_prediction_is_no_class() -> None:
    given = Predictions.of(["a", "b", "b"], ["a", None, "b"], nulls="label")
    report = classification_report(given.truth, given.prediction)
    assert isinstance(report.matrix, ConfusionMatrix)
    assert list(report.to_dict())[:3] == ["a", "b", "micro avg"]
    assert report.precision.macro == 1.0
    assert report.accuracy == pytest.approx(2 / 3)


def test_labels_that_were_not_stated_are_refused() -> None:
    with pytest.raises(InputError, match="name all labels that occur"):
        classification_report(["a", "b"], ["a", "b"], labels=["a"])
