"""Advice on classifiers: each remark where it belongs, with the number behind it, and not elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from cases import in_turn

from assay import ConfusionMatrix, Predictions, classify
from assay.subjects.labels.advice import REMARKS
from assay.verbs.subject import Remark

#: The four methods of the worked example, as TP, FP, FN, TN.
FOUR = {"A": (95, 30, 5, 70), "B": (40, 80, 60, 20), "C": (90, 70, 10, 30), "D": (60, 5, 40, 95)}


def matrix(tp: int, fp: int, fn: int, tn: int) -> ConfusionMatrix:
    return ConfusionMatrix.from_matrix([[tp, fn], [fp, tn]], ["ill", "well"], pos_label="ill")


def remarks(given: ConfusionMatrix | Predictions, mute: Sequence[str] = ()) -> dict[str, Remark]:
    return {remark.code: remark for remark in classify(given, "Recall", mute=mute).advice}


@in_turn("name", FOUR)
def test_of_four_methods_one_rules_out_one_rules_in_and_one_is_to_be_negated(name: str) -> None:
    verdicts = {"rules_out", "rules_in", "below_diagonal"}
    expected = {"A": {"rules_out"}, "B": {"below_diagonal"}, "C": set(), "D": {"rules_in"}}
    assert set(remarks(matrix(*FOUR[name]))) & verdicts == expected[name]


def test_ruling_out_states_both_numbers_and_the_threshold() -> None:
    said = remarks(matrix(*FOUR["A"]))["rules_out"].says
    for part in ("TPR 95.0%", "NPV 93.3%", "90% or more"):
        assert part in said
    said = remarks(matrix(*FOUR["D"]))["rules_in"].says
    for part in ("TNR 95.0%", "PPV 92.3%", "90% or more"):
        assert part in said


def test_below_the_diagonal_says_what_the_opposite_would_give() -> None:
    remark = remarks(matrix(*FOUR["B"]))["below_diagonal"]
    assert "TPR 60.0% and FPR 20.0%" in remark.says
    assert remark.number == pytest.approx(0.4)


def test_negated_scores_are_advised_where_the_threshold_hides_it() -> None:
    items = Predictions.of([1, 1, 0, 0], y_score=[0.1, 0.2, 0.3, 0.4])
    remark = remarks(items)["below_diagonal"]
    assert remark.number == 1.0
    assert "negated it is 1.0000" in remark.says


@in_turn("weight", [0.001, 1000.0])
def test_weights_that_are_all_alike_make_nothing_surer(weight: float) -> None:
    truth, predicted = [1, 1, 1, 0, 0, 0, 1, 0] * 2, [1, 0, 1, 1, 0, 1, 1, 1] * 2
    plain = remarks(Predictions.of(truth, predicted))
    assert "baseline" in plain
    assert "bias" not in plain
    weighted = remarks(Predictions.of(truth, predicted, sample_weight=[weight] * len(truth)))
    assert {code: remark.says for code, remark in weighted.items()} == {
        code: remark.says for code, remark in plain.items()
    }


def test_weights_that_leave_less_than_nothing_as_true_negatives_get_remarks() -> None:
    """The cells add up to a little more than the whole table, by rounding."""
    truth, predicted = [1, 1, 0, 1, 0, 0], [0, 1, 1, 0, 1, 1]
    items = Predictions.of(truth, predicted, sample_weight=[0.243, 0.889, 0.227, 0.126, 0.289, 0.587])
    assert "below_diagonal" in remarks(items)
    assert "PPV" in classify(items).at_prevalence(0.1).columns


def test_a_rare_label_makes_accuracy_misleading() -> None:
    remark = remarks(matrix(20, 180, 10, 1820))["prevalence"]
    assert remark.number == pytest.approx(2000 / 2030)
    assert "98.5% of the items are" in remark.says
    assert "90.6%" in remark.says


def test_a_label_that_nearly_all_have_does_so_too() -> None:
    assert "95.0% of the items are" in remarks(matrix(94, 4, 1, 1))["prevalence"].says


@in_turn(("positives", "misleads"), [(9, True), (10, False), (50, False), (90, False), (91, True)])
def test_misleading_starts_at_a_tenth(positives: int, misleads: bool) -> None:
    found = remarks(matrix(positives - 2, 2, 2, 98 - positives))
    assert ("prevalence" in found) is misleads


def test_predictive_values_elsewhere_follow_from_bayes() -> None:
    result = classify(matrix(595, 4965, 105, 94335), "Recall")
    here = result.at_prevalence(0.007).row(0)
    assert here[1] == pytest.approx(595 / (595 + 4965))
    assert here[2] == pytest.approx(94335 / (94335 + 105))
    prevalence, ppv, npv = result.at_prevalence(0.5).row(0)
    assert (prevalence, ppv, npv) == pytest.approx((0.5, 0.85 / (0.85 + 0.05), 0.95 / (0.95 + 0.15)))
    remark = remarks(matrix(*FOUR["A"]))["other_prevalence"]
    assert remark.number == pytest.approx(0.95 * 0.01 / (0.95 * 0.01 + 0.3 * 0.99))


@in_turn("prevalence", [0.0, 1.0, -0.1, float("nan")])
def test_a_prevalence_is_a_share(prevalence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        classify(matrix(*FOUR["A"]), "Recall").at_prevalence(prevalence)


def test_bias_is_said_of_the_label_that_is_predicted_too_often() -> None:
    remark = remarks(matrix(*FOUR["C"]))["bias"]
    assert remark.about == "ill"
    assert remark.number == pytest.approx(0.3)
    assert "bias" not in remarks(matrix(90, 10, 10, 90))


def test_bias_by_chance_is_not_said() -> None:
    """Three mistakes of one kind and none of the other are a tenth of these items, and yet chance."""
    assert "bias" not in remarks(matrix(15, 3, 0, 12))


def test_confused_pairs_come_with_their_share_of_the_truth() -> None:
    table = ConfusionMatrix.from_matrix([[6, 4, 0], [0, 10, 0], [0, 1, 19]], ["a", "b", "c"])
    found = [remark for remark in classify(table, "F").advice if remark.code == "confused_pair"]
    assert [(remark.about, remark.number) for remark in found] == [("a as b", 0.4)]


def test_micro_and_macro_part_where_one_class_dominates() -> None:
    table = ConfusionMatrix.from_matrix([[95, 0, 0], [3, 0, 0], [1, 0, 1]], ["a", "b", "c"])
    remark = {one.code: one for one in classify(table, "F").advice}["micro_macro"]
    assert remark.number == pytest.approx(0.96 - (1 + 0 + 0.5) / 3)
    assert "a has 95.0% of the items" in remark.says
    assert "worst is b, with 0.0% of 3 items right" in remark.says
    even = ConfusionMatrix.from_matrix([[9, 1, 0], [0, 9, 1], [1, 0, 9]], ["a", "b", "c"])
    assert "micro_macro" not in {one.code for one in classify(even, "F").advice}


def test_no_better_than_the_dummy() -> None:
    remark = remarks(matrix(20, 15, 20, 45))["baseline"]
    assert remark.number == 0.6
    assert "always predicting well" in remark.says
    assert "baseline" not in remarks(matrix(35, 5, 5, 55))


def test_where_accuracy_misleads_the_dummy_is_held_against_both_rates() -> None:
    assert "not clearly better than guessing" in remarks(matrix(2, 180, 18, 1800))["baseline"].says
    assert "baseline" not in remarks(matrix(20, 180, 10, 1820))


@in_turn("code", REMARKS)
def test_every_remark_can_be_muted(code: str) -> None:
    cases = [matrix(*cells) for cells in (*FOUR.values(), (20, 180, 10, 1820), (20, 15, 20, 45))]
    cases += [ConfusionMatrix.from_matrix([[95, 0, 0], [3, 0, 0], [1, 0, 1]], ["a", "b", "c"])]
    assert any(code in remarks(case) for case in cases)
    assert not any(code in remarks(case, mute=[code]) for case in cases)


def test_remarks_name_their_system() -> None:
    good, bad = Predictions.of([0, 1] * 50, [0, 1] * 50), Predictions.of([0, 1] * 50, [1, 0] * 50)
    found = classify({"good": good, "bad": bad}, "F").advice
    assert {remark.system for remark in found if remark.code == "below_diagonal"} == {"bad"}


def test_every_remark_has_a_finite_number() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        size = int(rng.integers(2, 5))
        table = rng.integers(0, 30, (size, size)) * (rng.random((size, size)) < 0.7)
        if not table.sum():
            continue
        named = ConfusionMatrix.from_matrix(table, pos_label=1 if size == 2 else None)
        for remark in classify(named, "F", resamples=10).advice:
            assert remark.number is not None
            assert np.isfinite(remark.number), remark
