"""Confusion matrices: counted alike whatever the labels' type, whichever way is the shortest for it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from label_data import Labelled, forms, labelled
from strategies import quickly

from assay import ConfusionMatrix, InputError, ParameterError, Predictions
from assay.measures.counting import label_pairs
from assay.measures.counting.scored import Scored

approx = pytest.approx
C3 = ConfusionMatrix.from_matrix(
    [[13, 4, 2], [2, 15, 1], [5, 1, 57]], ["Woman", "Man", "Child"], orientation="rows_are_predicted"
)


def counted(data: Labelled) -> np.ndarray[Any, Any]:
    """The table, cell by cell."""
    weight = data.weight or [1] * len(data.truth)
    rows = list(zip(data.truth, data.prediction, weight, strict=True))
    return np.array([[sum(w for t, p, w in rows if (t, p) == (i, j)) for j in data.labels] for i in data.labels])


@quickly
@given(labelled())
def test_every_type_of_labels_is_counted_alike(data: Labelled) -> None:
    wanted = counted(data)
    for few in (1 << 12, 0):  # by the way for few items, and by those for many
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(label_pairs, "_FEW", few)
            true, predicted = forms(data.truth), forms(data.prediction)
            for name in true:
                made = ConfusionMatrix.from_labels(
                    true[name], predicted[name], labels=data.labels, sample_weight=data.weight
                )
                assert made.labels == tuple(data.labels)
                assert made.table == approx(wanted), (name, few)


TEXTS = st.text("aé日\U0001f980", max_size=11)


@quickly
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30))
def test_text_of_any_length_is_counted_as_it_is_in_lists(pairs: list[tuple[str, str]]) -> None:
    """Of a byte a character or four, in one word of memory or several, and true labels longer than predicted ones."""
    truth, prediction = map(list, zip(*pairs, strict=True))
    as_lists = ConfusionMatrix.from_labels(truth, prediction)
    as_arrays = ConfusionMatrix.from_labels(np.array(truth), np.array(prediction))
    assert as_arrays.labels == as_lists.labels
    assert (as_arrays.table == as_lists.table).all()
    assert (as_lists.table == counted(Labelled(truth, prediction, list(as_lists.labels), None))).all()


@quickly
@given(labelled(weighted=False))
def test_labels_are_those_that_occur_in_order(data: Labelled) -> None:
    found = sorted({*data.truth, *data.prediction})
    true, predicted = forms(data.truth), forms(data.prediction)
    for few in (1 << 12, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(label_pairs, "_FEW", few)
            for name in set(true) - {"enum"}:
                assert list(ConfusionMatrix.from_labels(true[name], predicted[name]).labels) == found, name


def test_an_enum_has_its_own_order() -> None:
    grades = pl.Enum(["low", "high", "top"])
    truth, said = (pl.Series(column, dtype=grades) for column in (["top", "low"], ["low", "low"]))
    assert ConfusionMatrix.from_labels(truth, said).labels == ("low", "top")


@quickly
@given(labelled())
def test_it_agrees_with_scikit_learn(data: Labelled) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    matrix = data.matrix()
    options = {"labels": data.labels, "sample_weight": data.weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert matrix.table == approx(metrics.confusion_matrix(data.truth, data.prediction, **options))
        theirs = metrics.multilabel_confusion_matrix(data.truth, data.prediction, **options)
        for by in ("true", "pred", "all"):
            shares = metrics.confusion_matrix(data.truth, data.prediction, normalize=by, **options)
            assert np.nan_to_num(matrix.normalized(by)) == approx(shares)
    for place, label in enumerate(data.labels):
        (tn, fp), (fn, tp) = theirs[place]
        assert matrix.collapse(label).table == approx(np.array([[tp, fn], [fp, tn]]), abs=1e-9)


@quickly
@given(labelled(weighted=False), st.integers(0, 25))
def test_parts_merge_to_the_whole(data: Labelled, cut: int) -> None:
    cut = min(max(cut, 1), len(data.truth) - 1)
    if cut < 1:
        return
    first, rest = (
        ConfusionMatrix.from_labels(data.truth[part], data.prediction[part]) for part in (slice(cut), slice(cut, None))
    )
    whole = ConfusionMatrix.from_labels(data.truth, data.prediction)
    assert first.merge(rest).in_order(whole.labels).table == approx(whole.table)


def test_weights_leave_nothing_where_there_is_nothing() -> None:
    """0.1 + 0.2 - 0.3 is a little more than 0: the class against which nothing stands has no negatives at all."""
    weights = [0.1, 0.2, 0.3, 0.7]
    one = ConfusionMatrix.from_labels(["a"] * 4, ["a", "a", "b", "b"], sample_weight=weights)
    assert one.per_class().tn is not None
    assert one.per_class().tn[0] == 0  # type: ignore[index]  # there are true negatives, and none of them is left


def test_C3_collapses() -> None:
    assert C3.collapse("Woman").table.tolist() == [[13, 7], [6, 74]]
    assert C3.collapse("Child").table.tolist() == [[57, 3], [6, 34]]
    assert C3.to_frame("rows_are_predicted").row(0) == ("Woman", 13, 4, 2)
    assert C3.to_frame().row(0) == ("Woman", 13, 2, 5)


@in_turn(
    ("truth", "prediction", "options", "says"),
    [
        ([0, 1], [0], {}, "expected as many predictions as true labels, got 1 and 2"),
        ([], [], {}, "at least one item"),
        ([0, 1], ["a", "b"], {}, "of one type"),
        ([0, None], [0, 1], {}, "y_true: 1 null, the first at item 2"),
        (["a", "b"], ["a", "c"], {"labels": ["a", "b"]}, "got 'c'"),
        ([0, 1], [0, 1], {"sample_weight": [1]}, "2 weights"),
        ([0, 1], [0, 1], {"sample_weight": [1, -1]}, "from 0 on, got -1"),
        ([0, 1], [0, 1], {"labels": [0, 0, 1]}, "each label once"),
    ],
)
def test_bad_input_is_told_in_one_line(truth: Any, prediction: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises((InputError, ParameterError)) as caught:
        ConfusionMatrix.from_labels(truth, prediction, **options)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@in_turn("kind", [np.int8, np.int16, np.uint8, np.int64])
def test_labels_at_the_ends_of_a_small_type_do_not_run_over(kind: type) -> None:
    ends = np.iinfo(kind)
    truth: np.ndarray[Any, Any] = np.array([ends.min, ends.max, 0, ends.max], dtype=kind)
    for few in (1 << 12, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(label_pairs, "_FEW", few)
            made = ConfusionMatrix.from_labels(truth, truth[::-1])
            plain = ConfusionMatrix.from_labels(truth.tolist(), truth[::-1].tolist())
            assert made.labels == plain.labels
            assert made.table.tolist() == plain.table.tolist()


def test_labels_of_two_sizes_of_number_are_counted_together() -> None:
    wide = ConfusionMatrix.from_labels(np.array([-200, 100, 300]), np.array([-128, 100, 127], np.int8))
    assert wide.labels == (-200, -128, 100, 127, 300)
    assert ConfusionMatrix.from_labels(np.array([100], np.int8), np.array([300], np.int16)).labels == (100, 300)
    assert ConfusionMatrix.from_labels(np.array([5, 1], np.uint64), np.array([-5, 1])).labels == (-5, 1, 5)


@in_turn(
    ("truth", "prediction"),
    [
        ([1.0, 0.0], [1, 0]), ([1.5], [1.5]), ({1, 2}, [1, 2]), (np.array([[1], [0]]), [1, 0]),
        ([True, False], [1, 0]), (np.array([True, False]), np.array([0, 1], np.int8)), ([[1], [0]], [[1], [0]]),
        (np.array([2**63 + 5, 1], np.uint64), np.array([1, 1], np.uint64)), (["a", None], ["a", "b"]),
        ([1.0, np.nan], [1, 0]), ([1, "a"], [1, 1]), (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), ["a", "c"]),
    ],
)  # fmt: skip
def test_labels_are_taken_as_tables_of_predictions_take_them(truth: Any, prediction: Any) -> None:
    """One label an item, with the same labels in the end; or both refuse."""
    try:
        table = Predictions.of(truth, prediction)
    except InputError:
        with pytest.raises(InputError):
            ConfusionMatrix.from_labels(truth, prediction)
        return
    if table.kind == "multilabel":
        with pytest.raises(InputError, match="got lists"):
            ConfusionMatrix.from_labels(truth, prediction)
        return
    found = ConfusionMatrix.from_labels(truth, prediction).labels
    assert [(label, type(label)) for label in found] == [(label, type(label)) for label in table.label_values]


def test_stated_labels_may_be_written_as_text() -> None:
    assert ConfusionMatrix.from_labels([1, 2], [2, 2], labels=["1", "2"]).labels == (1, 2)
    with pytest.raises(InputError, match="expected a label of 1, 2, got 3: name all labels"):
        ConfusionMatrix.from_labels([1, 2], [2, 3], labels=["1", "2"])
    assert ConfusionMatrix.from_labels([True, False], [True, True], pos_label="true").positive == 1


@in_turn("size", [1e-200, 1e155, 1e308])
def test_weights_beyond_what_products_can_hold_are_refused(size: float) -> None:
    says = "sample_weight: expected weights of which the largest is from 1e-60 to 1e\\+60"
    with pytest.raises(InputError, match=says):
        ConfusionMatrix.from_labels([0, 1], [0, 1], sample_weight=[size, size / 2])
    with pytest.raises(InputError, match=says):
        Scored.from_scores([0, 1], [0.5, 0.7], sample_weight=[size, size / 2])
    with pytest.raises(InputError, match="a confusion matrix: expected weights"):
        ConfusionMatrix.from_matrix([[size, 0], [0, size]])
    kept = ConfusionMatrix.from_labels([0, 1], [0, 1], sample_weight=[1, 1e-200])
    assert kept.is_weighted
    assert kept.table.tolist() == [[1, 0], [0, 1e-200]]
    assert not C3.is_weighted
