"""Measures of probabilities: against scikit-learn and slow twins."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from label_data import recomputed
from strategies import quickly
from test_label_measures import variants

from assay import InputError, Measure, ParameterError, Predictions, parse_measure
from assay.measures import registered
from assay.measures.counting.probabilities import Probabilities
from assay.measures.probabilities import bins_of

approx = pytest.approx
MEASURES = [one for one in registered("multiclass").values() if one.definition.counts is Probabilities]
each_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)


class Given(NamedTuple):
    truth: list[Any]
    scores: list[list[float]]
    labels: list[Any]
    weight: list[float] | None

    def counted(self) -> Probabilities:
        return Probabilities.from_scores(self.truth, self.scores, labels=self.labels, sample_weight=self.weight)


@st.composite
def given_probabilities(draw: st.DrawFn, least: int = 2) -> Given:
    """Rows of a few sixths or twentieths, with ties, zeros and ones; labels may never be true."""
    labels: list[Any] = draw(st.sampled_from([["a", "ab", "é", "日本"], [0, 1, 2, 3], [-5, 0, 7, 10**12]]))
    labels = sorted(labels[: draw(st.integers(least, 4))])
    size = draw(st.integers(1, 12))
    rows = []
    for _ in range(size):
        parts = draw(st.lists(st.integers(0, 6), min_size=len(labels), max_size=len(labels)).filter(any))
        rows.append([part / sum(parts) for part in parts])
    truth = draw(st.lists(st.sampled_from(labels), min_size=size, max_size=size))
    weights = st.lists(st.sampled_from([0.0, 0.1, 0.2, 1.0, 3.0]), min_size=size, max_size=size).filter(any)
    return Given(truth, rows, labels, draw(st.none() | weights))


def mean(measure: str | Measure, counts: Probabilities) -> float:
    """The number of all items: the mean by weight, unless there is one number for all anyway."""
    found = parse_measure(measure, "multiclass").of(counts)
    if parse_measure(measure, "multiclass").definition.summary == "pooled":
        return float(found[0])
    return float(np.average(found, weights=counts.weight))


# What holds for each.


@each_measure
@quickly
@given(data=given_probabilities(), seed=st.integers(0, 99))
def test_bounds_steps_order_and_names(measure: Measure, data: Given, seed: int) -> None:
    """Values are within bounds and are what the steps give; no order, of items or of labels, makes a difference."""
    counts = data.counted()
    rng = np.random.default_rng(seed)
    items, labels = rng.permutation(len(data.truth)), rng.permutation(len(data.labels))
    moved = Given(
        [f"label {data.truth[item]}" for item in items],
        [[data.scores[item][place] for place in labels] for item in items],
        [f"label {data.labels[place]}" for place in labels],
        None if data.weight is None else [data.weight[item] for item in items],
    ).counted()
    low, high = measure.definition.bounds or (0.0, math.inf)
    for variant in variants(measure):
        if variant.parameters.get("of") == "positive":
            continue  # there is no positive label
        result = variant.per_unit(counts)
        assert ((result.values >= low) & (result.values <= high + 1e-12)).all()
        assert [recomputed(result, unit) for unit in range(len(result.values))] == approx(result.values.tolist())
        assert mean(variant, moved) == approx(mean(variant, counts), abs=1e-12)


@each_measure
def test_perfect_is_best(measure: Measure) -> None:
    perfect = Probabilities.from_scores(["a", "b", "c"], np.eye(3), labels=["a", "b", "c"])
    assert mean(measure, perfect) == (1.0 if measure.definition.higher_is_better else 0.0)


# Against others.


@quickly
@given(given_probabilities(least=3))
def test_many_labels_agree_with_scikit_learn(data: Given) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    counts, options = data.counted(), {"labels": data.labels, "sample_weight": data.weight}
    assert mean("LogLoss", counts) == approx(metrics.log_loss(data.truth, data.scores, **options), abs=1e-12)
    assert mean("Brier", counts) == approx(metrics.brier_score_loss(data.truth, data.scores, **options))
    truth = np.array([[float(label == true) for label in data.labels] for true in data.truth])
    wanted = metrics.mean_squared_error(truth, data.scores, sample_weight=data.weight)
    assert mean("MSE", counts) == approx(wanted)


@quickly
@given(given_probabilities(least=3), st.integers(1, 4), st.integers(0, 9))
def test_top_k_agrees_with_scikit_learn_without_ties(data: Given, k: int, seed: int) -> None:
    """Any scores will do; ties are broken at random here first, as scikit-learn breaks them by place."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    scores = rng.permuted(np.tile(np.arange(len(data.labels)), (len(data.truth), 1)), axis=1) * 7.5 - 3
    counts = Probabilities.from_scores(data.truth, scores, labels=data.labels, sample_weight=data.weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = metrics.top_k_accuracy_score(data.truth, scores, k=k, labels=data.labels, sample_weight=data.weight)
    assert mean(f"TopKAccuracy@{k}", counts) == approx(wanted)


@quickly
@given(given_probabilities(), st.integers(1, 4), st.integers(0, 9))
def test_top_k_is_the_mean_over_orders_of_ties(data: Given, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for true, row, got in zip(
        data.truth, data.scores, parse_measure(f"TopKAccuracy@{k}", "multiclass").of(data.counted()), strict=True
    ):
        hits = []
        for _ in range(200):
            noise = rng.random(len(row))
            order = sorted(range(len(row)), key=lambda place: (-row[place], noise[place]))
            hits.append(data.labels.index(true) in order[:k])
        assert np.mean(hits) == approx(got, abs=0.2)


@quickly
@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])), min_size=1, max_size=20))
def test_two_labels_agree_with_scikit_learn(items: list[tuple[bool, float]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    truth, scores = [int(true) for true, _ in items], [score for _, score in items]
    counts = Probabilities.from_scores(truth, scores)
    assert mean("LogLoss", counts) == approx(metrics.log_loss(truth, scores, labels=[0, 1]), abs=1e-12)
    if len(set(truth)) == 2:
        assert mean("Brier", counts) == approx(metrics.brier_score_loss(truth, scores, pos_label=1))
    assert mean("MSE", counts) == approx(mean("Brier", counts)) == approx(np.mean((np.array(truth) - scores) ** 2))


@quickly
@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 0.9, 1.0])), min_size=1, max_size=30),
    st.integers(1, 12),
)
def test_calibration_errors_are_those_of_the_calibration_curve(items: list[tuple[bool, float]], bins: int) -> None:
    """The bins are scikit-learn's, which knows the curve but not the error."""
    calibration = pytest.importorskip("sklearn.calibration")
    truth, scores = [int(true) for true, _ in items], [score for _, score in items]
    if len(set(truth)) < 2:
        return
    came, said = calibration.calibration_curve(truth, scores, n_bins=bins)
    counts = Probabilities.from_scores(truth, scores)
    size = np.array(list(Counter(sorted(bins_of(np.array(scores), bins).tolist())).values()))
    gaps = np.abs(came - said)
    assert mean(f"ECE(bins={bins})", counts) == approx((gaps * size).sum() / len(items))
    assert mean(f"MCE(bins={bins})", counts) == approx(gaps.max())


@quickly
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40), st.integers(1, 12))
def test_bins_of_equal_mass_hold_as_many_items_as_can_be(thousandths: list[int], bins: int) -> None:
    """No bin border parts equal probabilities; without ties the sizes differ by one at most."""
    claimed = np.array(thousandths) / 1000
    found = bins_of(claimed, bins, "mass")
    pairs = sorted(zip(claimed.tolist(), found.tolist(), strict=True))
    assert all(low[1] <= high[1] for low, high in pairwise(pairs))
    assert len(set(pairs)) == len(set(thousandths))
    if len(set(thousandths)) == len(thousandths):
        sizes = np.bincount(found, minlength=bins)
        assert sizes.max() - sizes.min() <= 1


@quickly
@given(given_probabilities(), st.integers(1, 9))
def test_calibration_of_the_predicted_label_by_hand(data: Given, bins: int) -> None:
    """Where several labels have the highest probability, each of them is the predicted one by its share."""
    rows: dict[int, list[tuple[float, float, float]]] = {}
    weights = data.weight or [1.0] * len(data.truth)
    for true, row, weight in zip(data.truth, data.scores, weights, strict=True):
        best = max(row)
        came = (row[data.labels.index(true)] == best) / row.count(best)
        place = int(np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], best))
        rows.setdefault(place, []).append((weight, best, came))
    off = [abs(sum(w * (came - said) for w, said, came in of_bin)) for of_bin in rows.values()]
    assert mean(f"ECE(bins={bins}, of=predicted)", data.counted()) == approx(sum(off) / sum(weights), abs=1e-12)


# Policies.


def test_a_probability_of_0_costs_as_much_as_in_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    counts = Probabilities.from_scores([1, 0], [0.0, 0.0])
    assert mean("LogLoss", counts) == approx(metrics.log_loss([1, 0], [0.0, 0.0]))
    assert parse_measure("LogLoss", "binary").of(counts) == approx([36.0437, 0.0], abs=1e-4)


def test_two_labels_have_a_positive_one_and_calibration_is_about_it() -> None:
    counts = Probabilities.from_scores([0, 1, 1, 0], [0.1, 0.3, 0.9, 0.2])
    assert mean("ECE", counts) == mean("ECE(of=positive)", counts) != mean("ECE(of=predicted)", counts)
    with pytest.raises(ParameterError, match="needs a positive label"):
        mean("ECE(of=positive)", Probabilities.from_scores(["a"], [[0.5, 0.25, 0.25]], labels=["a", "b", "c"]))


def test_tables_of_predictions_give_the_same() -> None:
    scores = {"a": [0.7, 0.2], "b": [0.2, 0.3], "c": [0.1, 0.5]}
    table = Predictions.of(["a", "b"], y_score=scores, item_id=["x", "y"], sample_weight=[1.0, 2.0])
    counts = Probabilities.from_predictions(table)
    assert (counts.units, counts.labels) == (("x", "y"), ("a", "b", "c"))
    assert counts.of_truth.tolist() == [0.7, 0.3]
    assert mean("Brier", counts) == approx(((0.09 + 0.04 + 0.01) + 2 * (0.04 + 0.49 + 0.25)) / 3)
    binary = Probabilities.from_predictions(Predictions.of(["no", "yes"], y_score=[0.2, 0.9], pos_label="yes"))
    assert binary.of_truth.tolist() == [0.8, 0.9]


@in_turn(
    ("truth", "scores", "options", "says"),
    [
        ([0, 1], [0.5, 1.5], {}, "item 2: expected probabilities from 0 to 1, got 1.5"),
        ([0, 1], [0.5, math.nan], {}, "item 2: expected numbers, got nan"),
        ([0, 1, 2], [[0.5, 0.5, 0], [0.2, 0.2, 0.2], [1, 0, 0]], {}, "item 2: expected probabilities that add up to 1"),
        ([0, 1], [0.5], {}, "got 1 and 2"),
        ([], [], {}, "at least one item"),
        ([0, 1], [[0.2, 0.3, 0.5], [1, 0, 0]], {}, "y_score has 3 columns, and there are 2 labels (0, 1)"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, "one score per item goes with two labels, and there are 3"),
        (["a", "a"], [0.1, 0.2], {}, "all items have the label a"),
        (["a", "b"], [0.1, 0.2], {}, "which label is positive"),
        ([0, 1], ["x", "y"], {}, "expected numbers"),
        ([0, 1], {0: [0.5, 0.5], 2: [0.5, 0.5]}, {}, "got 1"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_line(truth: Any, scores: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises((InputError, ParameterError)) as caught:
        mean("LogLoss", Probabilities.from_scores(truth, scores, **options))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_scores_that_are_no_probabilities_are_good_for_top_k() -> None:
    counts = Probabilities.from_scores(["a", "b"], [[3.0, -1, 2], [9.0, 8, 7]], labels=["a", "b", "c"])
    assert mean("TopKAccuracy@1", counts) == 0.5
    assert mean("TopKAccuracy@1", Probabilities.from_scores([0, 1], [0.1, 0.2])) == 0.5
    with pytest.raises(ParameterError, match="a score of each label"):
        mean("TopKAccuracy@1", Probabilities.from_scores([0, 1], [-0.1, 0.2]))
