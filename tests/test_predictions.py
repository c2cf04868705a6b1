"""`Predictions`: what callers have becomes one table, or one clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from cases import in_turn

from assay import AssayError, InputError, ParameterError, Predictions
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.tables.alignment import aligned
from assay.tables.label_rules import positive_label

TEXTS = ["spam", "ham", "spam", "ham"]
PREDICTED = ["spam", "spam", "ham", "ham"]
ENUM = pl.Enum(["spam", "ham"])


@in_turn(
    "make",
    [
        list, tuple, np.array, lambda values: np.array(values, dtype=object), pd.Series,
        lambda values: pd.Series(values, dtype="category"), lambda values: pd.Series(values, dtype="string"), pl.Series,
        lambda values: pl.Series(values, dtype=pl.Categorical), lambda values: pl.Series(values, dtype=ENUM),
        pa.array, lambda values: pa.chunked_array([values[:2], values[2:]]), iter,
        lambda values: pa.array(values).dictionary_encode(),
    ],
)  # fmt: skip
def test_text_of_every_library_gives_the_same_labels(make: Any) -> None:
    made = Predictions.of(make(TEXTS), make(PREDICTED), pos_label="spam")
    assert made.truth.cast(pl.String).to_list() == TEXTS
    assert made.prediction is not None
    assert made.prediction.cast(pl.String).to_list() == PREDICTED
    assert sorted(made.label_values) == ["ham", "spam"]
    assert (made.kind, made.positive, made.negative) == ("binary", "spam", "ham")


@in_turn(
    "make",
    [
        list, np.array, lambda values: np.array(values, dtype=object), lambda values: np.array(values, dtype=np.uint8),
        lambda values: np.array(values, dtype=float), lambda values: np.array(values)[:, None], pd.Series,
        lambda values: pd.Series(values, dtype="Int64"), lambda values: pd.Series(values, dtype="category"),
        lambda values: pl.Series(values, dtype=pl.Int8), lambda values: pl.Series(values, dtype=pl.Float32), pa.array,
        lambda values: [np.int64(value) for value in values], lambda values: [float(value) for value in values],
    ],
)  # fmt: skip
def test_whole_numbers_however_stored_are_labels(make: Any) -> None:
    made = Predictions.of(make([0, 1, 1]), make([1, 1, 0]))
    assert made.frame.rows() == [("1", 0, 1), ("2", 1, 1), ("3", 1, 0)]
    assert made.truth.dtype == pl.Int64
    assert made.positive == 1


@in_turn("make", [list, np.array, pd.Series, pl.Series, lambda v: pd.Series(v, dtype="boolean")])
def test_truth_values_stay_what_they_are(make: Any) -> None:
    made = Predictions.of(make([True, False]), make([True, True]))
    assert (made.label_values, made.positive) == ((False, True), True)


def test_labels_of_an_enum_keep_its_order_and_all_others_are_sorted() -> None:
    sizes = pl.Enum(["small", "middle", "large"])
    made = Predictions.of(pl.Series(["large", "small"], dtype=sizes), pl.Series(["middle", "small"], dtype=sizes))
    assert made.label_values == ("small", "middle", "large")
    assert Predictions.of([10, 9, 2], [2, 2, 2]).label_values == (2, 9, 10)
    assert Predictions.of(["b", "a"], ["b", "b"], labels=["b", "a"]).label_values == ("b", "a")


@in_turn("only", [(0, 1), (False, True), ("0", "1"), ("false", "true"), ("False", "True")])
def test_of_a_known_pair_both_labels_are_there_if_one_occurs(only: tuple[Any, Any]) -> None:
    for label in only:
        made = Predictions.of([label, label], [label, label])
        assert (made.label_values, made.kind, made.positive) == (only, "binary", only[1])


def test_constant_truth_with_scores_is_binary() -> None:
    made = Predictions.of(["ill", "ill"], y_score=[0.2, 0.7], pos_label="ill")
    assert (made.kind, made.positive) == ("binary", "ill")
    assert made.at(0.5).frame["prediction"].to_list() == ["not ill", "ill"]


@in_turn(("labels", "positive"), [([0, 1], 1), ([-1, 1], 1), ([1, 2], 1), (["0", "1"], "1"), ([False, True], True)])
def test_the_positive_label_is_one_or_true_among_two(labels: list[Any], positive: Any) -> None:
    assert positive_label(labels) is positive


def test_where_nothing_says_which_label_is_positive_the_error_shows_what_to_write() -> None:
    made = Predictions.of(TEXTS, PREDICTED)
    with pytest.raises(ParameterError, match=r"ham or spam\? say pos_label='ham' or pos_label='spam'"):
        _ = made.positive
    with pytest.raises(ParameterError, match="expected a label of ham, spam, got 'spa'; did you mean spam"):
        _ = Predictions.of(TEXTS, PREDICTED, pos_label="spa").positive
    with pytest.raises(ParameterError, match="only one of two labels can be positive: there are a, b, c"):
        _ = Predictions.of(["a", "b", "c"], ["a", "b", "c"]).positive


def test_a_label_from_the_command_line_is_text_and_found_all_the_same() -> None:
    assert Predictions.of([0, 1], [0, 0], pos_label="0").positive == 0
    assert Predictions.of([True, False], [True, True], pos_label="false").positive is False
    assert Predictions.of([1, 2, 3], [1, 2, 2], labels=["3", "2", "1"]).label_values == (3, 2, 1)


def test_the_second_of_two_columns_of_scores_is_that_of_the_positive_label() -> None:
    table = np.array([[0.9, 0.1], [0.3, 0.7]])
    for given in (table, table.tolist(), pl.Series(table.tolist()), pd.DataFrame(table)):
        assert Predictions.of([0, 1], y_score=given).frame["score"].to_list() == [0.1, 0.7]
    assert Predictions.of([0, 1], y_score=table, pos_label=0).frame["score"].to_list() == [0.9, 0.3]
    by_label = {"spam": [0.2, 0.9], "ham": [0.8, 0.1]}
    assert Predictions.of(["ham", "spam"], y_score=by_label, pos_label="spam").frame["score"].to_list() == [0.2, 0.9]
    with pytest.raises(ParameterError, match="which label is positive"):
        Predictions.of(["ham", "spam"], y_score=table)


def test_scores_of_each_class_stand_under_its_label() -> None:
    table = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
    made = Predictions.of(["a", "b"], y_score=table, labels=["c", "b", "a"])
    assert made.columns.columns == ["truth", "score:c", "score:b", "score:a"]
    assert made.most_likely().frame["prediction"].to_list() == ["a", "c"]  # of equals, the first in order
    named = pl.DataFrame({"b": [0.5], "a": [0.3], "c": [0.2]})
    assert Predictions.of(["a"], y_score=named).class_scores["a"].to_list() == [0.3]
    numbers = Predictions.of([3, 10, 2], y_score=np.eye(3))
    assert list(numbers.class_scores) == [2, 3, 10]
    assert numbers.most_likely().frame["prediction"].to_list() == [2, 3, 10]


@in_turn(
    ("y_true", "y_pred"),
    [
        ([{"a", "b"}, set(), {"c"}], [["a"], ["b"], ("c", "c")]),
        (pl.Series([["b", "a"], [], ["c"]]), pl.Series([["a"], ["b"], ["c"]])),
        (np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=bool)),
        ([[1, 1, 0], [0, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        (scipy.sparse.csr_matrix([[1, 1, 0], [0, 0, 0], [0, 0, 1]]), scipy.sparse.coo_array(np.eye(3))),
        (
            pd.DataFrame({"a": [1, 0, 0], "b": [1, 0, 0], "c": [0, 0, 1]}),
            pl.DataFrame({"c": [0, 0, 1], "b": [0, 1, 0], "a": [1, 0, 0]}),
        ),
    ],
)
def test_several_labels_an_item_are_lists_whatever_they_came_as(y_true: Any, y_pred: Any) -> None:
    made = Predictions.of(y_true, y_pred, labels=["a", "b", "c"])
    assert made.kind == "multilabel"
    assert made.frame["truth"].to_list() == [["a", "b"], [], ["c"]]
    assert made.frame["prediction"].to_list() == [["a"], ["b"], ["c"]]
    assert made.label_values == ("a", "b", "c")


def test_random_matrices_of_labels_hold_what_scikit_learn_counts_in_them() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is optional, and not installed")
    rng = np.random.default_rng(5)
    for _ in range(20):
        truth, predicted = (rng.integers(0, 2, (rng.integers(1, 30), 4)) for _ in range(2))
        predicted = np.resize(predicted, truth.shape)
        made = Predictions.of(truth, scipy.sparse.csc_array(predicted))
        expected = metrics.multilabel_confusion_matrix(truth, predicted)[:, 1, 1]
        both = zip(made.frame["truth"], made.frame["prediction"], strict=True)
        shared = [label for one, other in both for label in set(one) & set(other)]
        assert [shared.count(str(label)) for label in range(4)] == expected.tolist()


@in_turn(
    ("call", "says"),
    [
        ({"y_true": [0, 1], "y_pred": [0]}, "expected as many values as y_true has, 2, got 1 in y_pred"),
        ({"y_true": [0], "y_pred": [0], "item_id": ["a", "b"]}, "got 2 in item_id"),
        ({"y_true": [0], "y_score": [[0.1, 0.9], [0.2, 0.8]]}, "got 2 in y_score"),
        ({"y_true": [], "y_pred": []}, "expected at least one item, got none"),
        ({"y_true": [0, 1], "y_score": [0.1, float("nan")]}, "y_score: row 2: expected a finite number, got nan"),
        ({"y_true": [0, 1], "y_score": np.array([0.1, -np.inf])}, "y_score: row 2: expected a finite number, got -inf"),
        ({"y_true": [0, 1], "y_score": ["a", "b"]}, "y_score: expected numbers, got values of the type String"),
        ({"y_true": [0, 1], "y_pred": ["a", "b"]}, r"numbers \(0\) in y_true and text \('a'\) in y_pred"),
        ({"y_true": [0, "a"], "y_pred": [0, 1]}, "y_true: expected values of one type, got int and str"),
        ({"y_true": [0.5, 1], "y_pred": [0, 1]}, "expected labels, got the number 0.5: scores are given as y_score"),
        ({"y_true": "ab", "y_pred": "ab"}, "expected one value per item, as a list or an array, got str"),
        ({"y_true": 1, "y_pred": 1}, "got int"),
        ({"y_true": {0, 1}, "y_pred": [0, 1]}, "got a set, which has no order"),
        ({"y_true": [object()], "y_pred": [1]}, "expected text, numbers or booleans, got object"),
        ({"y_true": [0, 1], "y_pred": [None, 1]}, "row 1: expected a value as prediction.*nulls='drop'.*nulls='label'"),
        (
            {"y_true": [0, None], "y_pred": [0, 1]},
            "row 2: expected a value as truth.*1 null in this column; nulls='drop'",
        ),
        ({"y_true": [0, None], "y_pred": [0, 1], "nulls": "label"}, "1 null in this column"),
        ({"y_true": [None], "y_pred": [0], "nulls": "drop"}, "every item lacks something"),
        ({"y_true": [0], "y_pred": [0], "nulls": "no"}, "nulls is one of error, drop, label, not 'no'"),
        (
            {"y_true": [0, 1], "y_pred": [0, 7], "labels": [0, 1]},
            "row 2: expected a label of 0, 1 as prediction, got '7'",
        ),
        ({"y_true": ["a"], "y_pred": ["a"], "labels": ["a", "a"]}, "expected each label once"),
        ({"y_true": ["a"], "y_pred": ["a"], "labels": "a"}, "labels is a list of labels"),
        ({"y_true": [0, 1], "y_pred": [0, 1], "sample_weight": [1, -2]}, "expected a weight from 0 on, got '-2.0'"),
        ({"y_true": ["a", "b", "c"], "y_score": [1, 2, 3]}, "one score per item goes with two labels, and there are 3"),
        ({"y_true": ["a", "b", "c"], "y_score": np.ones((3, 2))}, "y_score has 2 columns, and there are 3 labels"),
        ({"y_true": ["a", "b", "c"], "y_score": {"a": [1, 1, 1], "b": [0, 0, 0]}}, "there are no scores for c"),
        ({"y_true": [["a"], ["b"]], "y_pred": ["a", "b"]}, "several labels per item in y_true and text"),
        ({"y_true": [["a"], "b"], "y_pred": [["a"], ["b"]]}, "row 2: expected a list of labels as in the other rows"),
        ({"y_true": np.array([[0, 2]]), "y_pred": np.array([[0, 1]])}, "row 1: expected 0 or 1 in a matrix of labels"),
        (
            {"y_true": np.ones((1, 2)), "y_pred": np.ones((1, 2)), "labels": ["a"]},
            "a column for each of 1 labels, got 2",
        ),
        ({"y_true": [2**70], "y_pred": [1]}, "y_true: "),
    ],
)
def test_what_cannot_be_used_gets_one_clear_line(call: dict[str, Any], says: str) -> None:
    with pytest.raises(AssayError, match=says) as caught:
        Predictions.of(**call)
    assert "\n" not in str(caught.value)


def test_nulls_are_dropped_and_counted_and_rows_keep_their_numbers() -> None:
    made = Predictions.of([0, 1, None, 1], [0, None, 1, 1], nulls="drop")
    assert made.frame.rows() == [("1", 0, 0), ("4", 1, 1)]
    assert made.warnings == ("predictions: 2 items left out for lack of a value (truth 1, prediction 1)",)
    missing = pd.Series(["a", float("nan"), "b"])
    assert Predictions.of(missing, ["a", "b", "b"], nulls="drop").frame["truth"].to_list() == ["a", "b"]


def test_an_absent_prediction_may_count_as_a_label_that_is_never_right() -> None:
    made = Predictions.of(["a", "b"], ["a", None], nulls="label")
    assert made.frame["prediction"].to_list() == ["a", "(none)"]
    assert made.label_values == ("a", "b", "(none)")
    assert "1 item without a prediction" in made.warnings[0]
    assert Predictions.of([2, 10], [2, None], nulls="label").frame["truth"].to_list() == ["2", "10"]


def test_labels_that_no_item_has_and_ids_that_come_twice_are_said() -> None:
    made = Predictions.of(["a", "b"], ["c", "d"], item_id=["x", "x"], name="new")
    assert made.unseen == ("c", "d")
    assert made.warnings == (
        "new: 2 labels predicted that no item has: c, d", "new: 1 item id more than once, first 'x'",
    )  # fmt: skip


def test_a_threshold_is_reached_by_what_is_equal_to_it() -> None:
    made = Predictions.of(["no", "yes", "yes"], ["yes"] * 3, y_score=[0.4, 0.5, 0.6], pos_label="yes").at(0.5)
    assert made.frame["prediction"].to_list() == ["no", "yes", "yes"]
    for kind in (ENUM, pl.Categorical()):
        texts = pl.Series(TEXTS, dtype=kind)
        assert Predictions.of(texts, y_score=[1, 0, 1, 1], pos_label="spam").at(1).frame["prediction"].to_list() == [
            "spam", "ham", "spam", "spam",
        ]  # fmt: skip
    with pytest.raises(ParameterError, match="a threshold needs one score per item: there are no scores"):
        Predictions.of([0, 1], [0, 1]).at(0.5)


def test_ten_million_rows_cost_nearly_nothing_and_ids_are_made_when_asked_for() -> None:
    numbers = pl.Series(np.arange(10_000_000) % 7)
    texts = pl.Series(["a", "b", "c", "d", "e", "f", "g"]).gather(numbers)
    for values in (numbers, texts):
        made = Predictions.of(values, values)
        assert "item_id" not in made.columns.columns
    assert made.frame.columns == ["item_id", "truth", "prediction"]
    assert made.frame["item_id"][-1] == "10000000"


def table(name: str, rows: dict[str, tuple[Any, Any]], **more: Any) -> Predictions:
    truth, predicted = zip(*rows.values(), strict=True)
    return Predictions.of(truth, predicted, item_id=list(rows), name=name, **more)


def test_systems_are_brought_to_the_order_of_the_first() -> None:
    one = table("one", {"a": (0, 1), "b": (1, 1), "c": (0, 0)})
    other = table("other", {"c": (0, 1), "a": (0, 0), "b": (1, 0)})
    made = aligned([one, other])
    assert made[0].frame.rows() == one.frame.rows()
    assert made[1].frame.rows() == [("a", 0, 0), ("b", 1, 0), ("c", 0, 1)]


def test_items_that_a_system_lacks_are_named_or_left_out_and_counted() -> None:
    one = table("one", {"a": (0, 1), "b": (1, 1)})
    other = table("other", {"b": (1, 0), "z": (1, 0), "y": (0, 0)})
    with pytest.raises(InputError, match="one lacks 2 items that another system has: z, y"):
        aligned([one, other])
    made = aligned([one, other], missing="drop")
    assert [system.frame.rows() for system in made] == [[("b", 1, 1)], [("b", 1, 0)]]
    assert made[0].warnings == ("3 items left out that not every system has",)
    with pytest.raises(InputError, match="no item in common"):
        aligned([one, table("third", {"q": (1, 1)})], missing="drop")


def test_systems_that_cannot_be_paired_are_refused() -> None:
    one = table("one", {"a": (0, 1), "b": (1, 1)})
    with pytest.raises(InputError, match=r"item 'b': the truth is 1 in one and 0 in other \(1 item differs\)"):
        aligned([one, table("other", {"b": (0, 0), "a": (0, 0)})])
    with pytest.raises(InputError, match="one has item ids and bare has none"):
        aligned([one, Predictions.of([0, 1], [0, 1], name="bare")])
    with pytest.raises(InputError, match="short has 1 row and long 2"):
        aligned([Predictions.of([0], [0], name="short"), Predictions.of([0, 1], [0, 1], name="long")])
    twice = Predictions.of([0, 1], [0, 1], item_id=["a", "a"], name="twice")
    with pytest.raises(InputError, match="twice: the item 'a' occurs more than once"):
        aligned([one, twice])
    with pytest.raises(InputError, match=r"item 'b': the weight is 1\.0 in one and 2\.0 in weighed"):
        aligned([one, table("weighed", {"a": (0, 1), "b": (1, 1)}, sample_weight=[1, 2])])
    with pytest.raises(ParameterError, match="missing is one of error, drop"):
        aligned([one, one], missing="no")  # type: ignore[arg-type]
    several = Predictions.of([["a"], []], [["a"], []], name="one", item_id=["a", "b"])
    with pytest.raises(InputError, match=r"^of one and one only one has several labels per item$"):
        aligned([one, several])


def test_a_missing_weight_is_refused_and_weights_of_1_are_kept() -> None:
    with pytest.raises(InputError, match="expected a value as weight"):
        Predictions.of([0, 1], [0, 1], sample_weight=[1, None])
    ones = Predictions.of([0, 1], [0, 1], sample_weight=[1, 1])
    assert ones.weight is not None
    assert [system.weight for system in aligned([ones, Predictions.of([0, 1], [1, 1])])] == [None, None]


def test_numbers_and_the_same_numbers_as_text_are_paired_as_text() -> None:
    one = table("one", {"a": (0, 1), "b": (1, None)}, nulls="label")
    other = table("other", {"b": (1, 0), "a": (0, 0)})
    assert [system.frame["truth"].to_list() for system in aligned([other, one])] == [["1", "0"], ["1", "0"]]


@in_turn(("truth", "known"), [([-1, -1], (-1, 1)), ([0, 0], (0, 1)), ([1, 1], (0, 1))])
def test_one_label_of_a_known_pair_is_half_of_it_everywhere(truth: list[int], known: tuple[int, int]) -> None:
    scores = [0.1, 0.4]
    assert Predictions.of(truth, y_score=scores).label_values == known
    assert Probabilities.from_scores(truth, scores).labels == known
    assert len(Scored.from_scores(truth, scores).positive) == (2 if truth[0] == 1 else 0)


@in_turn(("label", "stated"), [("ham", "spam"), (3, "7"), (False, "true"), ("spam", "spam")])
def test_a_stated_positive_label_need_not_occur(label: Any, stated: Any) -> None:
    truth, scores = [label, label], [0.1, 0.4]
    positive = Predictions.of(truth, y_score=scores, pos_label=stated).positive
    assert positive == {"spam": "spam", "7": 7, "true": True}[stated]
    assert len(Scored.from_scores(truth, scores, pos_label=stated).positive) == (2 if label == positive else 0)


@in_turn("threshold", [float("nan"), "0.5", None])
def test_a_threshold_is_a_number(threshold: Any) -> None:
    predictions = Predictions.of([0, 1], y_score=[0.1, 0.2])
    for refuse in (predictions.at, Scored.from_predictions(predictions).at):
        with pytest.raises(ParameterError, match="a threshold is a number, not"):
            refuse(threshold)


def test_an_abstention_cannot_be_mistaken_for_a_label() -> None:
    with pytest.raises(InputError, match="is a true label: it cannot stand for an absent prediction"):
        Predictions.of(["(none)", "b"], ["b", None], nulls="label")


def test_whole_scores_beyond_what_floats_can_tell_apart_keep_their_order() -> None:
    for scores in ([2**53 + 1, 2**53], np.array([2**63 + 1, 2**63], np.uint64), [-(2**53), -(2**53) - 1]):
        assert Scored.from_predictions(Predictions.of([1, 0], y_score=scores)).won == (1, 0)
    assert Predictions.of([1, 0], y_score=[3, 2]).columns["score"].dtype == pl.Float64
    assert Predictions.of([1, 0], [1, 0], sample_weight=[2**53 + 1, 1]).columns["weight"].dtype == pl.Float64


@in_turn(
    "table",
    [
        pd.DataFrame({"label": ["ham", "spam"]}),
        pl.DataFrame({"label": ["ham", "spam"]}),
        pa.table({"label": ["ham", "spam"]}),
        np.array([["ham"], ["spam"]]),
        np.array([["ham"], ["spam"]], dtype=object),
    ],
)
def test_a_table_of_one_column_of_text_is_a_column(table: Any) -> None:
    assert Predictions.of(table, table).truth.to_list() == ["ham", "spam"]


def test_sparse_labels_in_one_column_are_a_column() -> None:
    assert Predictions.of(scipy.sparse.csr_matrix([[0], [1]]), [0, 1]).truth.to_list() == [0, 1]


def test_what_an_array_masks_is_absent() -> None:
    masked = np.ma.masked_array([0, 1, 1], mask=[False, True, False])
    with pytest.raises(AssayError, match="row 2: expected a value as truth, got nothing"):
        Predictions.of(masked, [0, 1, 1])
    assert Predictions.of(masked, [0, 1, 1], nulls="drop").truth.to_list() == [0, 1]
    with pytest.raises(InputError, match="y_score: 1 null, the first at item 2"):
        Scored.from_scores([0, 1, 1], np.ma.masked_array([0.1, 0.2, 0.3], mask=masked.mask))
