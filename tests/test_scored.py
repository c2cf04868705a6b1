"""Scores of a binary classifier: counts and measures agree with scikit-learn, SciPy and with plain counting."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from strategies import quickly

from assay import AssayError, InputError, Measure, ParameterError, Predictions, parse_measure
from assay.measures.counting.judgments import Floats
from assay.measures.counting.scored import Scored
from assay.measures.score_curves import AUC, EER, KS, AveragePrecision, Gini, PRArea

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is optional, and not installed")

#: Worked example C6: twenty items by score, highest first.
C6_TRUTH = [letter == "P" for letter in "PPNPPPNNPNPNPNNNPNPN"]
C6_SCORES = [
    *(0.90, 0.80, 0.70, 0.60, 0.55, 0.54, 0.53, 0.52, 0.51, 0.50),
    *(0.40, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.10),
]
C6_ACCURACY = [
    *(0.55, 0.60, 0.55, 0.60, 0.65, 0.70, 0.65, 0.60, 0.65, 0.60),
    *(0.65, 0.60, 0.65, 0.60, 0.55, 0.50, 0.55, 0.50, 0.55, 0.50),
]
MEASURES = (AUC, AUC(max_fpr=0.3), Gini, AveragePrecision, PRArea, EER, KS)
SHAPES = ("smooth", "tied", "whole", "few values", "nearly separated", "signed zeros", "single precision", "rare")


def made(seed: int, shape: str, items: int = 60) -> tuple[Any, Any]:
    """Truth of both classes, and scores that say something about it."""
    rng = np.random.default_rng(seed)
    truth = rng.random(items) < (0.05 if shape == "rare" else 0.4)
    truth[:2] = True, False
    scores: Any = rng.normal(truth * 1.0, 1.0)
    if shape == "tied":
        scores = scores.round(1)
    elif shape == "whole":
        scores = (scores * 10).astype(np.int16)
    elif shape == "few values":
        scores = (scores > 0.5).astype(np.int64)
    elif shape == "nearly separated":
        scores = scores + 4 * truth
    elif shape == "signed zeros":
        scores = np.where(np.abs(scores) < 1, np.where(rng.random(items) < 0.5, -0.0, 0.0), scores)
    elif shape == "single precision":
        scores = scores.astype(np.float32)
    return truth.astype(np.int64), scores


def value(measure: Measure, scored: Scored) -> float:
    return float(measure.of(scored)[0])


@pytest.fixture
def c6() -> Scored:
    return Scored.from_scores(C6_TRUTH, C6_SCORES)


def test_the_worked_example_has_its_area_and_its_accuracies(c6: Scored) -> None:
    table = c6.table
    accuracy = (table.tp + table.tn) / 20
    assert value(AUC, c6) == pytest.approx(0.68)
    assert table.threshold.tolist() == [np.inf, *C6_SCORES]
    assert accuracy[1:] == pytest.approx(C6_ACCURACY)
    assert table.threshold[accuracy.argmax()] == 0.54


@in_turn("shape", SHAPES)
@in_turn("seed", range(2))
@in_turn("weighted", [False, True])
def test_tables_and_areas_are_those_of_scikit_learn(seed: int, shape: str, weighted: bool) -> None:
    truth, scores = made(seed, shape)
    weight = np.random.default_rng(seed).integers(0, 4, len(truth)) * 0.5 if weighted else None
    if weight is not None:
        weight[:2] = 1.0  # both classes keep an item
    scored = Scored.from_scores(truth, scores, sample_weight=weight)
    fpr, tpr, thresholds = metrics.roc_curve(truth, scores, sample_weight=weight, drop_intermediate=False)
    np.testing.assert_allclose(scored.table.fpr, fpr, atol=1e-12)
    np.testing.assert_allclose(scored.table.tpr, tpr, atol=1e-12)
    np.testing.assert_array_equal(scored.table.threshold, thresholds)
    precision, recall, _ = metrics.precision_recall_curve(truth, scores, sample_weight=weight)
    assert value(PRArea, scored) == pytest.approx(metrics.auc(recall, precision))
    assert value(AUC, scored) == pytest.approx(metrics.roc_auc_score(truth, scores, sample_weight=weight))
    expected = metrics.average_precision_score(truth, scores, sample_weight=weight)
    assert value(AveragePrecision, scored) == pytest.approx(expected)
    for max_fpr in (0.01, 0.1, 0.37, 0.999, 1.0):
        expected = metrics.roc_auc_score(truth, scores, sample_weight=weight, max_fpr=max_fpr)
        assert value(AUC(max_fpr=max_fpr), scored) == pytest.approx(expected)


def test_a_large_table_is_that_of_scikit_learn() -> None:
    truth, scores = made(1, "smooth", items=200_000)
    scored = Scored.from_scores(truth, scores)
    fpr, tpr, thresholds = metrics.roc_curve(truth, scores, drop_intermediate=False)
    np.testing.assert_array_equal(scored.table.threshold, thresholds)
    np.testing.assert_array_equal(scored.table.tpr, tpr)
    np.testing.assert_array_equal(scored.table.fpr, fpr)
    assert value(AUC, scored) == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-14)


@in_turn("shape", SHAPES)
def test_pairs_won_are_the_statistic_of_mann_and_whitney(shape: str) -> None:
    truth, scores = made(5, shape)
    positive, negative = scores[truth == 1].astype(float), scores[truth == 0].astype(float)
    won = Scored.from_scores(truth, scores).won
    assert won.wins + won.ties / 2 == scipy_stats.mannwhitneyu(positive, negative).statistic
    assert won.wins == sum(bool(p > n) for p in positive for n in negative)


@in_turn("shape", SHAPES)
def test_the_largest_distance_is_that_of_two_samples_in_scipy(shape: str) -> None:
    truth, scores = made(6, shape)
    expected = scipy_stats.ks_2samp(scores[truth == 1].astype(float), scores[truth == 0].astype(float)).statistic
    assert value(KS, Scored.from_scores(truth, scores)) == pytest.approx(expected)


def equal_error(fpr: Floats, fnr: Floats) -> float:
    """The crossing of two polygons, piece by piece: FPR rises, FNR falls."""
    for (a, b), (c, d) in zip(itertools.pairwise(fpr), itertools.pairwise(fnr), strict=True):
        if a <= c and b >= d:
            return float(a if a == c else a + (b - a) * (c - a) / ((c - a) + (b - d)))
    raise AssertionError("the curves do not cross")


@in_turn("shape", SHAPES)
@in_turn("seed", range(5))
def test_the_equal_error_rate_is_where_the_two_rates_cross(seed: int, shape: str) -> None:
    scored = Scored.from_scores(*made(seed, shape))
    expected = equal_error(scored.table.fpr, 1 - scored.table.tpr)
    assert value(EER, scored) == pytest.approx(expected)


small = st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=30)


@quickly
@given(small)
def test_counts_at_any_threshold_are_those_of_plain_counting(items: list[tuple[bool, int]]) -> None:
    truth, scores = [one for one, _ in items], [score / 2 for _, score in items]
    scored = Scored.from_scores(truth, scores)
    for threshold in (-np.inf, -0.75, -0.5, 0.0, 0.1, 1.5, np.inf):
        cells = scored.at(threshold)
        predicted = [score >= threshold for score in scores]
        expected = [
            sum(t and p for t, p in zip(truth, predicted, strict=True)),
            sum(not t and p for t, p in zip(truth, predicted, strict=True)),
            sum(t and not p for t, p in zip(truth, predicted, strict=True)),
            sum(not t and not p for t, p in zip(truth, predicted, strict=True)),
        ]
        assert cells.tn is not None
        assert [int(cell[0]) for cell in (cells.tp, cells.fp, cells.fn, cells.tn)] == expected
    table = scored.table
    assert table.threshold.tolist() == [np.inf, *sorted(set(scores), reverse=True)]
    for threshold, tp, fp in zip(*table, strict=True):
        cells = scored.at(threshold)
        assert (cells.tp[0], cells.fp[0]) == (tp, fp)


@quickly
@given(small)
def test_scores_turned_round_give_the_rest_of_each_measure(items: list[tuple[bool, int]]) -> None:
    truth, scores = np.array([one for one, _ in items]), np.array([score for _, score in items])
    there, back = Scored.from_scores(truth, scores), Scored.from_scores(truth, -scores)
    for measure in (AUC, EER):
        np.testing.assert_allclose(measure.of(back), 1 - measure.of(there), atol=1e-12)
    np.testing.assert_allclose(Gini.of(back), -Gini.of(there), atol=1e-12)
    np.testing.assert_allclose(KS.of(back), KS.of(there), atol=1e-12)


@quickly
@given(small)
def test_a_thinned_table_is_the_same_curve_without_points_in_line(items: list[tuple[bool, int]]) -> None:
    table = Scored.from_scores([one for one, _ in items], [score for _, score in items]).table
    thin = table.thinned()
    points = set(zip(*table, strict=True))
    assert set(zip(*thin, strict=True)) <= points
    corners = list(zip(thin.fp.tolist(), thin.tp.tolist(), strict=True))
    for (a, b), (c, d), (e, f) in zip(corners, corners[1:], corners[2:], strict=False):
        assert (c - a) * (f - d) != (e - c) * (d - b)
    assert np.trapezoid(thin.tp, thin.fp) == np.trapezoid(table.tp, table.fp)


@quickly
@given(small, st.data())
def test_whole_weights_are_items_that_occur_so_often(items: list[tuple[bool, int]], data: st.DataObject) -> None:
    truth, scores = np.array([one for one, _ in items]), np.array([score for _, score in items])
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items))))
    if not weight.any():
        weight[0] = 1
    weighted = Scored.from_scores(truth, scores, sample_weight=weight)
    repeated = Scored.from_scores(np.repeat(truth, weight), np.repeat(scores, weight))
    order = np.lexsort((scores, ~truth))
    first = int(truth.sum())
    again = Scored.from_scores(truth, scores).reweighted(
        weight[order][:first].astype(float), weight[order][first:].astype(float)
    )
    np.testing.assert_allclose(weighted.table, repeated.table)
    for measure in MEASURES:
        np.testing.assert_allclose(measure.of(weighted), measure.of(repeated), atol=1e-12)
        np.testing.assert_allclose(measure.of(again), measure.of(repeated), atol=1e-12)


def labels_in_all_types() -> list[Any]:
    words = ["spam", "ham", "spam", "ham", "ham"]
    series = pl.Series(words)
    return [
        words,
        np.array(words),
        np.array(words, dtype=object),
        series,
        series.cast(pl.Categorical),
        series.cast(pl.Enum(["spam", "ham"])),
        pd.Series(words),
        pd.Series(words, dtype="category"),
        series.to_arrow(),
    ]


@in_turn("labels", labels_in_all_types(), ids=lambda labels: type(labels).__name__)
def test_text_labels_of_any_library_say_which_items_are_positive(labels: Any) -> None:
    scored = Scored.from_scores(labels, [5, 4, 3, 2, 1], pos_label="spam")
    assert scored.positive.tolist() == [3, 5]
    assert scored.negative.tolist() == [1, 2, 4]


@in_turn(
    "labels",
    [
        [1, 0, 1],
        [True, False, True],
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([1.0, 0.0, 1.0]),
        np.array([1, -1, 1]),
        np.array([1, 0, 1], dtype=object),
        ["1", "0", "1"],
        ["true", "false", "true"],
        pl.Series([True, False, True]),
        pd.Series([1, 0, 1], dtype="Int64"),
        pl.Series([1, 0, 1], dtype=pl.Int8),
    ],
    ids=repr,
)
def test_labels_of_which_everybody_knows_the_positive_need_no_name(labels: Any) -> None:
    assert Scored.from_scores(labels, [0.3, 0.2, 0.1]).positive.tolist() == [0.1, 0.3]


def test_other_labels_need_a_positive_one() -> None:
    with pytest.raises(
        ParameterError, match=r"which label is positive, ham or spam.*pos_label='ham' or pos_label='spam'"
    ):
        Scored.from_scores(["spam", "ham"], [1, 2])
    with pytest.raises(ParameterError, match="expected a label of ham, spam, got 'spma'; did you mean spam"):
        Scored.from_scores(["spam", "ham"], [1, 2], pos_label="spma")
    with pytest.raises(ParameterError, match="there are 3"):
        Scored.from_scores(["a", "b", "c"], [1, 2, 3])


def test_with_a_positive_label_all_others_are_negative() -> None:
    truth, scores = ["a", "b", "c", "a", "b"], [0.9, 0.8, 0.7, 0.6, 0.5]
    fpr, tpr, _ = metrics.roc_curve(truth, scores, pos_label="a", drop_intermediate=False)
    table = Scored.from_scores(truth, scores, pos_label="a").table
    assert (table.fpr.tolist(), table.tpr.tolist()) == (fpr.tolist(), tpr.tolist())


@in_turn(
    ("truth", "scores", "message"),
    [
        ([1, 0], [0.5, np.nan], "y_score: expected finite numbers, got nan at item 2"),
        ([1, 0], [-np.inf, 0.5], "y_score: expected finite numbers, got -inf at item 1"),
        ([1, 0, 1], [0.5, 0.1], "y_score: expected 3 scores, one for each label of y_true, got 2"),
        ([1, 0], [[0.5, 0.5], [0.1, 0.9]], r"shape \(2, 2\): give the positive label's column"),
        ([1, 0], ["high", "low"], "y_score: expected numbers, got 'high'"),
        ([1, 0], [0.5, None], "y_score: 1 null, the first at item 2"),
        ([1, 0], pl.Series([None, 0.5]), "y_score: 1 null, the first at item 1"),
        ([1, 0], 0.5, "y_score: expected one value per item, as a list or an array, got float"),
        ([], [], "y_true: expected at least one item, got none"),
        ([1, None], [0.5, 0.1], "y_true: 1 null, the first at item 2"),
        ([1, "a"], [0.5, 0.1], "y_true: expected values of one type, got int and str"),
        ([0.5, 1.0], [0.5, 0.1], "y_true: expected labels, got the number 0.5: scores are given as y_score"),
        ([[1], [0]], [0.5, 0.1], "y_true: expected one label per item, got lists of them"),
    ],
)
def test_what_cannot_be_used_gets_one_clear_line(truth: Any, scores: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        Scored.from_scores(truth, scores)
    assert "\n" not in str(refused.value)


@in_turn("weight", [[1, -1], [1, np.nan], [1], ["a", "b"]])
def test_weights_are_numbers_from_0_on_one_an_item(weight: Any) -> None:
    with pytest.raises(InputError, match="sample_weight"):
        Scored.from_scores([1, 0], [0.5, 0.1], sample_weight=weight)


@in_turn(("truth", "reason"), [([0, 0, 0], "there is no positive item"), ([1, 1, 1], "there is no negative item")])
@in_turn("measure", MEASURES, ids=str)
def test_one_class_alone_has_no_value_but_a_reason(measure: Measure, truth: list[int], reason: str) -> None:
    found = measure.per_unit(Scored.from_scores(truth, [0.3, 0.2, 0.2]))
    if measure in {AveragePrecision, PRArea} and truth[0]:
        assert found.values.tolist() == [1.0]  # all that is predicted positive is so
        return
    assert np.isnan(found.values[0])
    assert found.reason(0) == reason


@in_turn("truth", [["ham"] * 3, [0] * 3, [False] * 3])
def test_the_positive_label_may_be_one_that_does_not_occur(truth: list[Any]) -> None:
    pos_label = {str: "spam", int: 1, bool: True}[type(truth[0])]
    scored = Scored.from_scores(truth, [1, 2, 3], pos_label=pos_label)
    assert (scored.positives, scored.negatives) == (0, 3)


def test_a_constant_score_has_an_area_of_exactly_one_half() -> None:
    for positive, negative in ((1, 1), (3, 7), (333, 1001)):
        scored = Scored.from_lists([0.1] * positive, [0.1] * negative)
        assert value(AUC, scored) == 0.5
        assert value(EER, scored) == 0.5
        assert value(KS, scored) == 0.0


def test_both_zeros_are_the_same_score() -> None:
    scored = Scored.from_lists(positive=[-0.0, 0.0], negative=[0.0, -0.0])
    assert scored.won == (0, 4)
    assert scored.table.threshold.tolist() == [np.inf, 0.0]
    assert not np.signbit(scored.table.threshold).any()


def test_whole_numbers_are_compared_exactly_beyond_what_floats_can_tell_apart() -> None:
    scored = Scored.from_lists(positive=[2**53 + 1], negative=[2**53])
    assert scored.won == (1, 0)
    assert scored.table.tp.tolist() == [0, 1, 1]
    above = Scored.from_scores([1, 0], np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64))
    assert above.won == (1, 0)
    assert [int(above.at(threshold).tp[0]) for threshold in (-np.inf, -1.0, np.inf)] == [1, 1, 0]


def test_a_threshold_between_whole_scores_is_held_against_them_as_a_number() -> None:
    scored = Scored.from_lists(positive=[3, 2], negative=[2, -1])
    assert [int(scored.at(threshold).tp[0]) for threshold in (2, 2.5, 3.0, 3.1)] == [2, 1, 1, 0]
    with pytest.raises(ParameterError, match="a threshold is a number, not nan"):
        scored.at(np.nan)


def test_scores_of_single_precision_are_held_against_a_threshold_as_they_are() -> None:
    scored = Scored.from_scores([1, 0], np.array([0.7, 0.1], dtype=np.float32))
    assert scored.at(0.7).tp[0] == 0  # it is 0.699999988
    assert scored.at(float(np.float32(0.7))).tp[0] == 1


def test_scores_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(ParameterError, match="positive is made of numbers that ascend"):
        Scored(np.array([2.0, 1.0]), np.array([1.0]))
    with pytest.raises(ParameterError, match="negative is made of numbers that ascend"):
        Scored(np.array([1.0]), np.array([1.0, np.nan]))


def test_predictions_with_scores_become_scored() -> None:
    made_of = Predictions.of(
        ["spam", "ham", "spam"], y_score=[0.9, 0.7, 0.8], pos_label="spam", sample_weight=[1.0, 2.0, 3.0]
    )
    scored = Scored.from_predictions(made_of)
    assert scored.positive.tolist() == [0.8, 0.9]
    assert scored.positive_weight is not None
    assert scored.positive_weight.tolist() == [3.0, 1.0]
    with pytest.raises(AssayError, match="there are no scores"):
        Scored.from_predictions(Predictions.of([1, 0], [1, 1]))


@in_turn("measure", MEASURES, ids=str)
@in_turn("shape", SHAPES)
def test_other_ways_to_a_measure_give_the_same_number(measure: Measure, shape: str) -> None:
    scored = Scored.from_scores(*made(8, shape))
    for way in measure.definition.also.values():
        np.testing.assert_allclose(way(scored, **measure.arguments).values, measure.of(scored), atol=1e-12)


def test_average_precision_shows_its_sum_over_thresholds(c6: Scored) -> None:
    found = AveragePrecision.per_unit(c6)
    assert found.steps is not None
    assert list(found.steps.columns) == ["threshold", "tp", "fp", "precision", "recall", "found", "step", "area"]
    assert found.steps["threshold"].tolist() == [s for s, positive in zip(C6_SCORES, C6_TRUTH, strict=True) if positive]
    assert found.steps["area"].sum() == pytest.approx(found.values[0])


def test_the_area_is_shown_as_pairs_won_and_tied() -> None:
    found = AUC.per_unit(Scored.from_lists(positive=[0.9, 0.6], negative=[0.7, 0.6]))
    shown = {leaf.op: leaf.values[0] for leaf in found.leaves()}
    assert shown == {"pairs won": 2, "0.5": 0.5, "ties": 1, "positive items": 2, "negative items": 2}


def test_the_trapezoid_of_precision_and_recall_is_too_good_where_scores_tie() -> None:
    # One of two positive items is found at once, the other only with all six negative ones.
    scored = Scored.from_scores([1, 1, 0, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1, 1])
    assert value(AveragePrecision, scored) == pytest.approx(1 / 2 * 1 + 1 / 2 * 2 / 8)
    assert value(PRArea, scored) == pytest.approx(1 / 2 * 1 + 1 / 2 * (1 + 2 / 8) / 2)
    # Had the tied items come one by one, in any order, the step sum would have been lower on average.
    orders = [
        value(AveragePrecision, Scored.from_lists([8, place], [other for other in range(1, 8) if other != place]))
        for place in range(1, 8)
    ]
    assert np.mean(orders) < value(PRArea, scored)


@quickly
@given(st.lists(st.booleans(), min_size=1, max_size=30).filter(any))
def test_the_trapezoid_is_not_above_average_precision_where_all_scores_differ(truth: list[bool]) -> None:
    scored = Scored.from_scores(truth, range(len(truth)))
    assert value(PRArea, scored) <= value(AveragePrecision, scored) + 1e-12


@in_turn("vocabulary", ["binary", "multiclass"])
@in_turn("name", ["AUC", "ROC_AUC", "AveragePrecision", "PRArea", "EER", "KS", "Gini", "AUC(max_fpr=0.1)"])
def test_measures_of_scores_have_names_for_classifiers(name: str, vocabulary: Any) -> None:
    assert parse_measure(name, vocabulary).definition.counts is Scored


def test_the_name_stays_that_of_rankings_where_rankings_are_measured() -> None:
    assert parse_measure("AUC").definition.counts is not Scored


@in_turn("max_fpr", [0, -0.1, 1.1, "half", np.nan])
def test_a_largest_false_positive_rate_lies_above_0_and_up_to_1(max_fpr: Any) -> None:
    with pytest.raises(ParameterError, match="max_fpr of AUC is a number above 0, up to 1, not"):
        AUC(max_fpr=max_fpr)
