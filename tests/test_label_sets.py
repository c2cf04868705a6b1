"""Items with several labels each: counted by item and by label, as scikit-learn counts its indicator matrices."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

from assay import Confusion, InputError, parse_measure
from assay.measures.counting.confusion_matrix import LabelSets
from assay.measures.summary import summarise

approx = pytest.approx
LABELS = ["a", "ab", "é", "日本"]
TEA = LabelSets.from_labels(
    [["green", "china"], ["black"], ["herbal"]], [["green"], ["black", "india"], ["black"]]
)  # the 3-document example of C9


class Sets(NamedTuple):
    truth: list[list[str]]
    prediction: list[list[str]]
    weight: list[float] | None

    def counted(self) -> LabelSets:
        return LabelSets.from_labels(self.truth, self.prediction, labels=LABELS, sample_weight=self.weight)

    def indicators(self) -> tuple[Any, Any]:
        return tuple(  # type: ignore[return-value]
            np.array([[int(label in item) for label in LABELS] for item in column])
            for column in (self.truth, self.prediction)
        )


@st.composite
def sets(draw: st.DrawFn) -> Sets:
    """Few items, many of them without a label."""
    size = draw(st.integers(1, 8))
    items = st.lists(st.lists(st.sampled_from(LABELS), unique=True, max_size=4), min_size=size, max_size=size)
    weights = st.lists(st.sampled_from([0.1, 0.2, 0.3, 1.0, 4.0]), min_size=size, max_size=size)
    return Sets(draw(items), draw(items), draw(st.none() | weights))


def per(measure: str, counts: Confusion) -> np.ndarray[Any, Any]:
    return parse_measure(measure, "binary").of(counts)


@quickly
@given(sets())
def test_every_decision_is_counted_once(data: Sets) -> None:
    counts = data.counted()
    true, said = (matrix.astype(bool) for matrix in data.indicators())
    weight = np.ones(len(true)) if data.weight is None else np.array(data.weight)
    for axis, found in ((1, counts.per_item()), (0, counts.per_label())):
        by = np.ones((len(true), 1)) if axis else weight[:, None]
        for cell, where in (("tp", true & said), ("fp", ~true & said), ("fn", true & ~said), ("tn", ~true & ~said)):
            wanted = (where * by).sum(axis=axis)
            assert getattr(found, cell) == approx(wanted), cell
            assert ((getattr(found, cell) == 0) == (where.sum(axis=axis) == 0)).all(), cell


@quickly
@given(sets())
def test_lists_sets_columns_and_matrices_are_the_same(data: Sets) -> None:
    wanted = data.counted().per_item()
    true, said = data.indicators()
    for truth, prediction in (
        ([set(item) for item in data.truth], [set(item) for item in data.prediction]),
        (pl.Series(data.truth, dtype=pl.List(pl.String)), pl.Series(data.prediction, dtype=pl.List(pl.String))),
        ([[*item, *item] for item in data.truth], data.prediction),  # twice is once
        (true, said),
    ):
        found = LabelSets.from_labels(truth, prediction, labels=LABELS).per_item()
        for cell in ("tp", "fp", "fn", "tn"):
            assert getattr(found, cell).tolist() == getattr(wanted, cell).tolist()


@quickly
@given(sets())
def test_it_agrees_with_scikit_learn(data: Sets) -> None:
    """With `zero_division=nan`: what is undefined is left out. By its default it would count as 0."""
    metrics = pytest.importorskip("sklearn.metrics")
    counts, (true, said) = data.counted(), data.indicators()
    items, weight = counts.per_item(), np.ones(len(true)) if data.weight is None else np.array(data.weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"sample_weight": data.weight, "zero_division": np.nan}
        theirs = metrics.precision_recall_fscore_support(true, said, average="samples", **options)
        by_label = metrics.precision_recall_fscore_support(true, said, average=None, **options)
        jaccard = metrics.jaccard_score(true, said, average="samples", sample_weight=data.weight)
    for name, wanted, of_labels in zip(("Precision", "Recall", "F1"), theirs[:3], by_label[:3], strict=True):
        got = per(name, items)
        known = ~np.isnan(got)
        mean = np.average(got[known], weights=weight[known]) if known.any() else np.nan
        assert mean == approx(wanted, nan_ok=True), name
        assert per(name, counts.per_label()) == approx(of_labels, nan_ok=True), name
    assert np.average(np.nan_to_num(per("Jaccard", items)), weights=weight) == approx(jaccard)
    exact = metrics.accuracy_score(true, said, sample_weight=data.weight)
    assert np.average(per("ExactMatch", items), weights=weight) == approx(exact)
    hamming = parse_measure("HammingLoss", "binary")(average="micro")
    wanted = metrics.hamming_loss(true, said, sample_weight=data.weight)
    assert summarise(hamming, hamming.per_unit(counts.per_label())).value == approx(wanted)


def test_C9_three_documents_by_hand() -> None:
    assert per("Precision", TEA.per_item()).tolist() == [1, 1 / 2, 0]
    assert per("Recall", TEA.per_item()).tolist() == [1 / 2, 1, 0]
    assert per("Jaccard", TEA.per_item()).tolist() == [1 / 2, 1 / 2, 0]
    assert per("F1", TEA.per_item()) == approx([2 / 3, 2 / 3, 0])
    assert per("ExactMatch", TEA.per_item()).tolist() == [0, 0, 0]
    assert TEA.labels == ("black", "china", "green", "herbal", "india")
    assert per("ErrorRate", TEA.per_item()) == approx([1 / 5, 1 / 5, 2 / 5])


def test_an_item_without_any_label_has_no_f_and_says_why() -> None:
    """scikit-learn counts it as 0, though nothing is wrong: here it is left out, and the exact match counts it."""
    empty = LabelSets.from_labels([["a"], []], [["a"], []]).per_item()
    for name in ("F1", "Jaccard"):
        result = parse_measure(name, "binary").per_unit(empty)
        assert result.reasons() == [None, "nothing is positive and nothing is predicted positive"]
    assert per("ExactMatch", empty).tolist() == [1, 1]


@in_turn(
    ("truth", "prediction", "options", "says"),
    [
        ([["a"]], [["a"], ["b"]], {}, "expected as many predictions as true labels, got 2 and 1"),
        ([], [], {}, "at least one item"),
        (["a"], ["b"], {}, "expected a list of labels per item"),
        ([["a"], None], [["a"], ["b"]], {}, "y_true"),
        ([["a"]], [["c"]], {"labels": ["a", "b"]}, "got 'c'"),
        ([["a"]], [["a"]], {"sample_weight": [1, 2]}, "1 weight"),
    ],
)
def test_bad_input_is_told_in_one_line(truth: Any, prediction: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        LabelSets.from_labels(truth, prediction, **options)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
