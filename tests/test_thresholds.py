"""Thresholds: every rule against a loop over all thresholds, ties and weights included; resamples against a twin."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import (
    ChosenThreshold,
    InputError,
    ParameterError,
    Predictions,
    Thresholds,
    choose_threshold,
    parse_measure,
    thresholds,
)
from assay.cli.literals import scores_in
from assay.core.digits import threshold as shortest
from assay.measures import registered
from assay.measures.counting.scored import Scored
from assay.stats.score_resampling import drawn_items
from assay.subjects.labels.thresholds.candidates import Candidates
from assay.subjects.labels.thresholds.choice import best_places, redrawn, threshold_table
from assay.subjects.labels.thresholds.rules import Rule, parse_rule, registered_rules

C6 = (
    "P .90, P .80, N .70, P .60, P .55, P .54, N .53, N .52, P .51, N .50, "
    "P .40, N .39, P .38, N .37, N .36, N .35, P .34, N .33, P .30, N .10"
)
TRUTH, SCORES = scores_in(C6)
RULES = [
    "max_accuracy", "closest_to_corner", "youden", "weighted(w=0.8)", "weighted(w=0)", "max_f", "max_f(beta=2)",
    "max_f(beta=0)", "max_tpr_given_tnr(tnr=0.7)", "max_tnr_given_tpr(tpr=0.6)",
    "max_precision_given_recall(recall=0.4)", "max_recall_given_precision(precision=0.6)", "cost(fp=1, fn=10)",
    "cost(fp=3, fn=2, tp=-1, tn=0.5)", "cost(fp=1, fn=10, prevalence=0.01)", "cost(fp=1, fn=1, prevalence=1)",
    "budget(alerts=3)", "budget(share=0.25)",
]  # fmt: skip


#: Where more true positives, or fewer false ones, are no better: the best threshold need not be a corner of the curve.
MORE_RULES = [
    "weighted(w=1)", "max_f(beta=1e200)", "cost(fp=-1, fn=2)", "cost(fp=1, fn=1, tp=1)", "cost(fp=0, fn=1)",
    "cost(fp=1, fn=1, prevalence=0)", "max_precision_given_recall(recall=0)", "max_recall_given_precision(precision=0)",
]  # fmt: skip


class TestWorkedExamples:
    def test_c6_accuracy_by_threshold_and_the_area(self) -> None:
        table = threshold_table(TRUTH, SCORES)
        percent = [55, 60, 55, 60, 65, 70, 65, 60, 65, 60, 65, 60, 65, 60, 55, 50, 55, 50, 55, 50]
        assert (100 * table.frame["accuracy"]).to_list()[1:] == pytest.approx(percent)
        assert table.frame["threshold"].to_list() == [math.inf, *SCORES]
        assert table.auc == pytest.approx(0.68)
        row = table.frame.row(6, named=True)
        assert (row["tp"], row["fp"], row["fn"], row["tn"], row["tpr"], row["fpr"]) == (5, 1, 5, 9, 0.5, 0.1)

    @pytest.mark.parametrize(
        ("rule", "threshold", "value", "cells"),
        [
            ("max_accuracy", 0.54, 0.70, (5, 1, 5, 9)),
            ("youden", 0.54, 0.40, (5, 1, 5, 9)),
            ("max_tpr_given_tnr(tnr=0.9)", 0.54, 0.5, (5, 1, 5, 9)),
            ("closest_to_corner", 0.51, 0.5, (6, 3, 4, 7)),
            ("cost(fp=1, fn=10)", 0.30, 0.45, (10, 9, 0, 1)),
        ],
    )
    def test_c7_rules(self, rule: str, threshold: float, value: float, cells: tuple[int, ...]) -> None:
        found = choose_threshold(TRUTH, SCORES, rule=rule, resamples=0)
        assert found.threshold == threshold
        assert found.value == pytest.approx(value)
        confusion = found.confusion
        assert confusion.tn is not None
        assert (confusion.tp[0], confusion.fp[0], confusion.fn[0], confusion.tn[0]) == cells

    def test_c7_two_thresholds_are_as_close_to_the_corner_and_the_rule_for_ties_decides(self) -> None:
        higher = choose_threshold(TRUTH, SCORES, rule="closest_to_corner", resamples=0)
        assert (higher.threshold, higher.tied) == (0.51, (0.40,))
        assert "0.4 would do as well; of equals the highest threshold is chosen" in str(higher)


def twin(rule: Rule, truth: Any, scores: Any, weight: Any) -> tuple[float, float] | None:
    """The same by a loop over all thresholds, with fractions written out; the criterion less is better if negated."""
    parameters = rule.parameters
    found: list[tuple[float, float, float, float]] = []
    for threshold in [math.inf, *sorted(set(scores), reverse=True)]:
        cells = dict.fromkeys(("tp", "fp", "fn", "tn"), 0.0)
        for is_positive, score, one in zip(truth, scores, weight, strict=True):
            predicted = score >= threshold
            cells[("t" if predicted == is_positive else "f") + ("p" if predicted else "n")] += one
        tp, fp, fn, tn = cells["tp"], cells["fp"], cells["fn"], cells["tn"]
        positives, negatives, total = tp + fn, fp + tn, tp + fp + fn + tn
        tpr = tp / positives if positives else math.nan
        tnr = tn / negatives if negatives else math.nan
        precision = tp / (tp + fp) if tp + fp else math.nan
        if rule.name == "cost" and parameters["prevalence"] is not None:
            share = parameters["prevalence"]
            of_positive = (parameters["tp"] * tpr + parameters["fn"] * (1 - tpr)) * share if share else 0
            of_negative = (parameters["fp"] * (1 - tnr) + parameters["tn"] * tnr) * (1 - share) if share < 1 else 0
            cost = of_positive + of_negative
        else:
            cost = sum(parameters.get(cell, 0) * cells[cell] for cell in cells) / total
        beta = parameters.get("beta", 1.0) ** 2
        weighing = parameters.get("w", 0.5)
        recalled = beta * precision + tpr
        f = (1 + beta) * precision * tpr / recalled if recalled else (0.0 if tp + fp and positives else math.nan)
        value = {
            "max_accuracy": (tp + tn) / total,
            "closest_to_corner": -math.hypot(1 - tnr, 1 - tpr),
            "youden": tpr + tnr - 1,
            "weighted": weighing * tpr + (1 - weighing) * tnr,
            "max_f": f,
            "max_tpr_given_tnr": tpr,
            "max_tnr_given_tpr": tnr,
            "max_precision_given_recall": precision,
            "max_recall_given_precision": tpr,
            "cost": -cost,
            "budget": tpr,
        }[rule.name]
        bounded = {"tnr": tnr, "tpr": tpr, "recall": tpr, "precision": precision}
        name = next((name for name in bounded if rule.name.endswith(f"given_{name}")), None)
        kept = name is None or bounded[name] >= parameters[name] - 1e-9
        if rule.name == "budget":
            most = parameters["share"] * total if parameters["alerts"] is None else parameters["alerts"]
            kept = tp + fp <= most + 1e-9
        if kept and not math.isnan(value):
            found.append((value, 0.0 if name is None else bounded[name], threshold, value))
    if not found:
        return None
    best = max(one[0] for one in found)
    found = [one for one in found if one[0] >= best - 1e-9]
    most = max(one[1] for one in found)
    found = [one for one in found if one[1] >= most - 1e-9]
    threshold = max(one[2] for one in found)
    return threshold, -best if rule.name in {"closest_to_corner", "cost"} else best


@st.composite
def items(draw: st.DrawFn) -> tuple[list[bool], list[float], list[float] | None]:
    """A few items with few distinct scores, so that there are ties; of one class only, now and then."""
    number = draw(st.integers(1, 14))
    truth = draw(st.lists(st.booleans(), min_size=number, max_size=number))
    scores = draw(st.lists(st.integers(-3, 6).map(float), min_size=number, max_size=number))
    weights = st.one_of(st.none(), st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=number, max_size=number))
    return truth, scores, draw(weights)


@pytest.mark.parametrize("text", RULES)
@settings(max_examples=10, deadline=None)
@given(given_items=items())
def test_every_rule_chooses_what_a_loop_over_all_thresholds_finds(text: str, given_items: Any) -> None:
    truth, scores, weight = given_items
    rule = parse_rule(text)
    found = choose_threshold(truth, scores, rule=rule, sample_weight=weight, pos_label=True, resamples=0)
    expected = twin(rule, truth, scores, weight or [1.0] * len(truth))
    if expected is None:
        assert math.isnan(found.threshold)
        assert found.undefined
        assert found.measures["value"].is_null().all()
    else:
        assert found.threshold == expected[0]
        assert found.value == pytest.approx(expected[1])


def test_every_rule_is_in_the_list_that_is_tested() -> None:
    assert {parse_rule(text).name for text in RULES} == set(registered_rules()) - {"fixed"}


def test_the_criterion_is_the_measure_of_that_name_at_the_threshold() -> None:
    named = {"max_accuracy": "Accuracy", "youden": "Youden", "max_f(beta=2)": "F(beta=2)", "budget(alerts=4)": "Recall"}
    for rule, measure in named.items():
        found = choose_threshold(TRUTH, SCORES, rule=rule, resamples=0)
        assert found.value == pytest.approx(found.value_of(measure))


@pytest.mark.parametrize(
    ("rule", "measure"),
    [
        ("max_accuracy", "Accuracy"), ("youden", "Youden"), ("weighted", "BalancedAccuracy"), ("max_f", "F"),
        ("max_f(beta=2)", "F(beta=2)"), ("max_f(beta=0)", "F(beta=0)"), ("max_f(beta=1e160)", "F(beta=1e160)"),
        ("max_tpr_given_tnr", "Recall"), ("max_tnr_given_tpr", "Specificity"),
        ("max_precision_given_recall", "Precision"), ("max_recall_given_precision", "Recall"),
        ("budget(alerts=2)", "Recall"),
    ],
)  # fmt: skip
@settings(max_examples=10, deadline=None)
@given(given_items=items())
def test_the_criterion_is_the_measure_at_every_threshold_also_above_all_scores(
    rule: str, measure: str, given_items: Any
) -> None:
    truth, scores, weight = given_items
    scored = Scored.from_scores(truth, scores, pos_label=True, sample_weight=weight)
    expected = [parse_measure(measure, "binary").of(scored.at(one))[0] for one in scored.table.threshold]
    np.testing.assert_allclose(parse_rule(rule).of(Candidates(scored).cells).value, expected, atol=1e-12)


def test_a_beta_beyond_all_numbers_asks_for_recall_alone() -> None:
    found = choose_threshold(TRUTH, SCORES, rule="max_f(beta=1e160)", resamples=10)
    assert (found.threshold, found.value, found.tied[0]) == (0.30, 1.0, 0.10)


def test_all_measures_of_two_labels_are_there_with_reasons_where_they_are_undefined() -> None:
    found = choose_threshold([1, 0], [0.9, 0.1], rule="fixed(2.0)", resamples=0)
    counted = [name for name, one in registered("binary").items() if one.definition.counts.__name__ == "Confusion"]
    counted.remove("ExactMatch")  # of items with several labels
    assert found.measures["measure"].to_list() == counted
    assert found.measures.filter(measure="Precision").row(0)[1:] == (None, "nothing is predicted positive")
    assert found.measures.filter(measure="Specificity")["value"].item() == 1.0


class TestThresholdsThemselves:
    def test_nothing_positive_is_a_candidate_and_is_said_in_words(self) -> None:
        found = choose_threshold([0, 0, 0, 1], [0.9, 0.8, 0.7, 0.1], rule="max_accuracy", resamples=0)
        assert found.is_above_all
        assert "above all scores" in str(found)
        (told,) = json.loads(found.to_json())["sections"]["thresholds"]["thresholds"]
        assert (told["threshold"], told["above_all_scores"]) == (None, True)

    def test_a_bound_that_cannot_be_kept_is_na_with_the_reason(self) -> None:
        found = choose_threshold([0, 1, 0], [0.9, 0.8, 0.7], rule="max_recall_given_precision", resamples=50)
        assert (math.isnan(found.threshold), math.isnan(found.value)) == (True, True)
        assert found.undefined == "no threshold has precision >= 0.9: 0.5 is the most"
        assert "NA: no threshold has precision >= 0.9" in str(found)

    def test_with_one_class_rates_have_no_value_and_accuracy_has(self) -> None:
        found = thresholds([1, 1], [0.9, 0.8], resamples=0)
        assert found["youden"].undefined == "there is no negative item"
        assert found["max_tpr_given_tnr"].undefined == "there is no negative item"
        assert found["max_accuracy"].threshold == 0.8

    def test_of_equals_under_a_bound_the_one_with_more_of_what_is_bounded_is_taken(self) -> None:
        """Precision 1 with recall 0.5 or with recall 1: nobody wants the former."""
        found = choose_threshold([1, 1, 0], [0.9, 0.8, 0.7], rule="max_precision_given_recall(0.5)", resamples=0)
        assert (found.threshold, found.tied) == (0.8, ())

    def test_rounding_does_not_decide(self) -> None:
        """0.1 + 0.2 of weight, in one order and in the other."""
        truth, scores, weight = [1, 1, 0, 1, 0], [5, 4, 3, 2, 1], [0.1, 0.2, 0.3, 0.3, 0.1]
        found = choose_threshold(truth, scores, rule="max_accuracy", sample_weight=weight, resamples=0)
        assert found.threshold == 4
        assert found.tied == (2.0,)

    def test_a_given_threshold_need_not_be_a_score_and_nothing_is_chosen(self) -> None:
        found = choose_threshold(TRUTH, SCORES, rule="fixed(threshold=0.525)", resamples=100)
        assert found.threshold == 0.525
        assert found.confusion.tp[0] == 5
        assert found.confusion.fp[0] == 2
        assert found.value == pytest.approx(0.3)
        assert (math.isnan(found.interval.low), math.isnan(found.corrected), found.warnings) == (True, True, ())
        assert found.value_interval.low < 0.3 < found.value_interval.high

    @pytest.mark.parametrize("threshold", [math.inf, 0.95, 0.9, 0.45, 0.1, 0.0])
    def test_a_given_threshold_counts_as_the_scores_say(self, threshold: float) -> None:
        found = choose_threshold(TRUTH, SCORES, rule=parse_rule("fixed")(threshold=threshold), resamples=20)
        expected = sum(is_positive and score >= threshold for is_positive, score in zip(TRUTH, SCORES, strict=True))
        assert found.confusion.tp[0] == expected

    def test_what_is_shown_can_be_typed_and_decides_alike(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(200):
            below, number = sorted((rng.normal(size=2) * 10.0 ** rng.integers(-8, 8)).tolist())
            typed = float(shortest(number, below))
            assert below < typed <= number
        assert shortest(3.0, 2.0) == "3"
        assert shortest(-0.71239, -math.inf) == "-0.7124"  # not above: away from 0

    def test_every_threshold_that_is_shown_decides_as_it_does(self) -> None:
        """Scores that differ in the seventh digit: rounded, they would be above one another."""
        truth, scores = [1, 0, 1, 0, 0], [4.824998, 4.8249979, 4.8249978, 4.8249977, 4.8249976]
        whole = threshold_table(truth, scores, rows=3)
        assert "4.825" not in str(whole)
        found = choose_threshold(truth, scores, rule="max_tpr_given_tnr(1.0)", resamples=50)
        assert "4.825" not in str(found)
        tied = thresholds([1, 0, 1, 0], scores[:4], ["max_accuracy"], resamples=50)
        assert "4.8249978 would do as well" in str(tied)
        assert "4.825" not in str(tied)

    def test_numbers_in_a_rule_and_its_bound_are_in_full(self) -> None:
        found = choose_threshold(
            [1] * 1808 + [0] * 201, [1] * 2009, rule="max_recall_given_precision(0.9)", resamples=0
        )
        assert found.undefined == "no threshold has precision >= 0.9: 0.89995 is the most"
        near = thresholds(TRUTH, SCORES, ["fixed(0.4)", "fixed(0.40000001)"], resamples=0)
        assert near[parse_rule("fixed(0.40000001)")].threshold == 0.40000001
        assert [str(one.rule) for one in near] == ["fixed(threshold=0.4)", "fixed(threshold=0.40000001)"]

    def test_weights_are_shown_in_full(self) -> None:
        found = choose_threshold([1, 0], [0.9, 0.1], sample_weight=[10873.5, 8437.0], resamples=0)
        assert "10,873.50" in str(found)

    def test_a_table_of_one_rule_is_a_row(self) -> None:
        found = choose_threshold(TRUTH, SCORES, resamples=20).to_frame()
        assert found.select("threshold", "criterion").rows() == [(0.54, "Youden's J")]

    def test_whole_scores_and_labels_of_any_kind(self) -> None:
        found = choose_threshold(["ham", "spam", "spam"], [1, 2, 3], pos_label="spam", resamples=0)
        assert (found.threshold, found.settings.positive) == (2.0, "spam")
        assert "positive: spam" in str(found)


class TestResamples:
    @pytest.mark.parametrize(("size", "digits"), [(40, 1), (40, 9), (7, 0), (4, 9)])
    def test_a_resample_is_what_choosing_from_the_items_drawn_gives(self, size: int, digits: int) -> None:
        """Each resample written out: items repeated as often as they are drawn, sorted and chosen from anew.

        Of few items, now and then, none of a class is drawn.
        """
        rng = np.random.default_rng(3)
        truth = rng.random(size) < 0.4
        scores = np.round(rng.normal(size=size) + truth, digits)
        scored = Scored.from_scores(truth, scores)
        rules = [parse_rule(text) for text in (*RULES, *MORE_RULES)]
        candidates = Candidates(scored)
        taken = np.array([next(iter(best_places(rule, candidates)), -1) for rule in rules])
        drawn = redrawn(rules, taken, candidates, resamples=30, seed=8)
        draws = list(drawn_items(len(scored.positive), len(scored.negative), 30, 8))
        for number, (positive, negative) in enumerate(draws):
            made = Scored(np.repeat(scored.positive, positive), np.repeat(scored.negative, negative))
            for rule, choice, found in zip(rules, taken, drawn, strict=True):
                expected = best_places(rule, Candidates(made))
                if not len(expected):
                    assert found.place[number] == -1
                    continue
                place = found.place[number]
                assert candidates.threshold[place] == Candidates(made).threshold[expected[0]], rule
                assert found.value[number] == pytest.approx(rule.of(Candidates(made).cells).value[expected[0]])
                on_all = rule.of(candidates.cells).value
                assert found.on_all[number] == pytest.approx(on_all[place], nan_ok=True)
                if choice >= 0:
                    there = made.at(float(candidates.threshold[choice]))
                    assert there.tn is not None
                    assert found.fixed[number] == pytest.approx(
                        twin_value(rule, there.tp[0], there.fp[0], there.fn[0], there.tn[0]), nan_ok=True
                    )

    def test_weights_go_into_resamples(self) -> None:
        """Items that weigh 2 count as two of the items they are, though they are drawn together."""
        rng = np.random.default_rng(1)
        truth, scores = rng.random(30) < 0.5, rng.normal(size=30)
        plain = choose_threshold(truth, scores, resamples=200)
        doubled = choose_threshold(truth, scores, sample_weight=np.full(30, 2.0), resamples=200)
        assert (doubled.interval.low, doubled.interval.high) == (plain.interval.low, plain.interval.high)
        assert doubled.corrected == pytest.approx(plain.corrected)

    def test_the_seed_decides_and_is_kept(self) -> None:
        first, again, other = (choose_threshold(TRUTH, SCORES, resamples=100, seed=seed) for seed in (1, 1, 2))
        assert first.corrected == again.corrected != other.corrected
        assert json.loads(first.to_json())["sections"]["meaning"]["seed"] == 1

    def test_the_corrected_criterion_is_nearer_to_the_truth_than_the_one_that_was_chosen_by(self) -> None:
        """Positive scores are normal around 1, negative ones around 0: what a threshold is worth is known."""
        rng = np.random.default_rng(11)
        off: dict[str, list[float]] = {"value": [], "corrected": []}
        covered = []
        for _ in range(60):
            truth = rng.random(80) < 0.5
            scores = rng.normal(size=80) + truth
            found = choose_threshold(truth, scores, resamples=120)
            worth = _upper(found.threshold - 1) - _upper(found.threshold)
            off["value"].append(found.value - worth)
            off["corrected"].append(found.corrected - worth)
            covered.append(found.value_interval.low <= worth <= found.value_interval.high)
        assert np.mean(off["value"]) > 0.06
        assert abs(np.mean(off["corrected"])) < 0.6 * np.mean(off["value"])
        assert np.mean(covered) > 0.82

    def test_no_resamples_no_intervals(self) -> None:
        found = thresholds(TRUTH, SCORES, resamples=0)
        assert all(math.isnan(one.interval.low) and math.isnan(one.corrected) for one in found)
        assert "resamples" not in str(found)

    def test_a_bound_at_its_edge_is_kept_by_part_of_the_resamples(self) -> None:
        found = choose_threshold(TRUTH, SCORES, rule="max_tpr_given_tnr(0.9)", resamples=300)
        assert 0.3 < found.kept < 1
        assert "bound kept" in str(found)
        assert math.isnan(choose_threshold(TRUTH, SCORES, resamples=20).kept)

    @pytest.mark.parametrize("judged_on", [None, ([0] * 5, [0.1, 0.1, 0.1, 0.2, 0.2])])
    def test_resamples_that_are_all_alike_give_no_interval(self, judged_on: Any) -> None:
        found = choose_threshold([1, 1], [0.5, 0.4], rule="max_accuracy", judged_on=judged_on, resamples=50)
        assert not found.value_interval.is_known
        assert "max_accuracy: no interval, as all resamples give the same number." in str(found)


def twin_value(rule: Rule, tp: float, fp: float, fn: float, tn: float) -> float:
    """A rule's criterion from four cells, as items with these cells at one threshold give it."""
    from assay.subjects.labels.thresholds.candidates import ThresholdCells  # noqa: PLC0415

    return float(rule.of(ThresholdCells(np.array([tp]), np.array([fp]), tp + fn, fp + tn)).value[0])


def _upper(x: float) -> float:
    return 0.5 * math.erfc(x / math.sqrt(2))


class TestJudgedElsewhere:
    def test_values_are_those_on_the_other_data(self) -> None:
        other = ([1, 0, 1, 0], [0.6, 0.7, 0.5, 0.1])
        found = choose_threshold(TRUTH, SCORES, rule="max_accuracy", judged_on=other, resamples=200)
        assert found.threshold == 0.54
        assert found.value == pytest.approx(0.5)  # 0.6 and 0.1 rightly, 0.7 and 0.5 wrongly
        assert (found.confusion.tp[0], found.confusion.fp[0]) == (1, 1)
        assert math.isnan(found.corrected)
        assert not any("same data" in warning for warning in found.warnings)
        assert found.value_interval.low < 0.5 < found.value_interval.high

    def test_the_same_data_are_no_other_data(self) -> None:
        found = choose_threshold(TRUTH, SCORES, judged_on=(TRUTH[::-1], SCORES[::-1]), resamples=100)
        assert "chosen and judged on the same data" in found.warnings[0]
        assert found.settings.judged_on is None
        assert found.corrected < found.value

    def test_what_cannot_be_told_there_has_a_reason(self) -> None:
        found = thresholds(TRUTH, SCORES, ["youden", "max_f", "max_tpr_given_tnr"], judged_on=([0, 0], [0.6, 0.1]))
        says = "its criterion is undefined on the other data: there is no positive item"
        assert found.warnings == (f"youden: {says}", f"max_tpr_given_tnr(0.9): {says}")
        assert found["max_f"].value == found["max_f"].value_of("F") == 0.0

    def test_without_there_is_a_warning(self) -> None:
        assert "chosen and judged on the same data" in choose_threshold(TRUTH, SCORES, resamples=0).warnings[0]

    def test_a_bound_that_breaks_there_is_said(self) -> None:
        other = ([1, 0, 0], [0.9, 0.8, 0.1])
        found = choose_threshold(TRUTH, SCORES, rule="max_tpr_given_tnr", judged_on=other, resamples=0)
        assert found.warnings == (
            "max_tpr_given_tnr(0.9): TNR >= 0.9 does not hold on the other data: it is 0.5 there",
        )

    def test_several_rules_are_judged_there_in_one_go(self) -> None:
        other = Predictions.of(TRUTH, y_score=SCORES, pos_label=True)
        found = thresholds(TRUTH, SCORES, judged_on=other, resamples=50)
        assert [one.value for one in found] == [one.value for one in thresholds(TRUTH, SCORES, resamples=0)]


class TestGiven:
    def test_predictions_scored_and_files_are_taken(self, tmp_path: Any) -> None:
        table = pl.DataFrame({"truth": TRUTH, "score": SCORES})
        table.write_csv(tmp_path / "scores.csv")
        shapes = [
            Predictions.of(TRUTH, y_score=SCORES),
            Scored.from_scores(TRUTH, SCORES),
            tmp_path / "scores.csv",
            str(tmp_path / "scores.csv"),
        ]
        assert {choose_threshold(one, resamples=0).threshold for one in shapes} == {0.54}

    def test_one_class_of_several_stands_against_the_rest(self) -> None:
        scores = {"a": [0.8, 0.1, 0.3], "b": [0.1, 0.7, 0.1], "c": [0.1, 0.2, 0.6]}
        found = choose_threshold(Predictions.of(["a", "b", "c"], y_score=scores), pos_label="c", resamples=0)
        assert (found.threshold, found.value) == (0.6, 1.0)
        with pytest.raises(
            ParameterError, match="say which class is positive, against all others, as in pos_label='a'"
        ):
            choose_threshold(Predictions.of(["a", "b", "c"], y_score=scores))

    def test_one_of_several_systems_is_asked_for_by_name(self) -> None:
        both = {"old": Predictions.of([1, 0], y_score=[0.1, 0.9]), "new": Predictions.of([1, 0], y_score=[0.9, 0.1])}
        assert choose_threshold(both, system="new", resamples=0).value == 1.0
        with pytest.raises(ParameterError, match="there are old, new: say system='old'"):
            choose_threshold(both)
        with pytest.raises(ParameterError, match="no system is called 'nwe'; did you mean new"):
            choose_threshold(both, system="nwe")

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"rule": "yuoden"}, "no rule is called 'yuoden'; did you mean youden"),
            (
                {"rule": "max_tpr_given_tnr", "tnr": 0.9},
                r"^unknown argument 'tnr': .* rule='max_tpr_given_tnr\(0\.9\)'$",
            ),
            ({"rule": "cost", "fp": 1, "fn": 10}, r"say rule='cost\(fp=1, fn=10\)'$"),
            ({"rule": "max_f(bta=2)"}, "max_f has no parameter 'bta'; it takes beta; did you mean beta"),
            ({"rule": "max_f(beta=-1)"}, "beta of max_f is a number from 0 on, or inf, not -1"),
            ({"rule": "max_f(beta=1, beta=2)"}, "beta is given twice"),
            ({"rule": "cost(3)"}, "expected parameter=value in the parentheses, got '3'"),
            ({"rule": 3}, "a rule is given by name"),
            ({"rule": "budget"}, r"a budget is a number of alerts or a share"),
            ({"rule": "budget(alerts=3, share=0.1)"}, r"a budget is a number of alerts or a share"),
            ({"rule": "fixed"}, "a fixed threshold is given as in"),
            ({"rule": "max_tpr_given_tnr(1.5)"}, "tnr of max_tpr_given_tnr is a number from 0 to 1, not 1.5"),
            ({"rule": "fixed(nan)"}, "fixed"),
            ({"confidence": 1.0}, "confidence is a number between 0 and 1"),
            ({"resamples": -1}, "resamples"),
            ({"pos_label": 5}, "5"),
        ],
    )
    def test_what_is_wrong_is_said(self, changes: dict[str, Any], says: str) -> None:
        with pytest.raises(ParameterError, match=says):
            choose_threshold([1, 0], [0.9, 0.1], **changes)

    def test_rules_that_are_none_are_refused(self) -> None:
        for rules, says in ((5, "a rule is given by name"), ([], "expected at least one rule")):
            with pytest.raises(ParameterError, match=says):
                thresholds([1, 0], [0.9, 0.1], rules)  # type: ignore[arg-type]

    def test_scores_that_are_none_are_refused(self) -> None:
        with pytest.raises(InputError, match="expected finite numbers, got nan at item 2"):
            choose_threshold([1, 0], [0.9, math.nan])
        with pytest.raises(InputError, match="expected 2 scores"):
            choose_threshold([1, 0], [0.9])
        with pytest.raises(InputError, match="there is no score per item"):
            choose_threshold(Predictions.of([1, 0], [1, 0]))
        with pytest.raises(ParameterError, match=r"got int: Predictions\.of"):
            choose_threshold(5)


class TestResults:
    def test_all_rules_at_once_are_a_row_each(self) -> None:
        found = thresholds(TRUTH, SCORES, resamples=50)
        assert isinstance(found, Thresholds)
        assert found.to_frame().height == len(found) == 8
        assert found.to_frame()["threshold"].to_list()[:3] == [0.54, 0.51, 0.54]
        assert isinstance(found["max_f"], ChosenThreshold)
        assert "same data" in found["max_f"].warnings[0]
        with pytest.raises(ParameterError, match="choose a rule of max_accuracy"):
            found["nothing"]

    def test_rules_in_one_go_and_one_by_one_agree(self) -> None:
        together = thresholds(TRUTH, SCORES, RULES, resamples=60, seed=4)
        for one in together:
            alone = choose_threshold(TRUTH, SCORES, rule=one.rule, resamples=60, seed=4)
            assert str(alone.row()) == str(one.row())  # as text, since NaN is not NaN

    def test_a_constant_score_leaves_everything_or_nothing(self) -> None:
        found = choose_threshold([1, 0, 1], [0.5, 0.5, 0.5], rule="youden", resamples=20)
        assert found.is_above_all
        assert found.tied == (0.5,)

    @pytest.mark.parametrize("form", ["csv", "json", "markdown", "latex", "html"])
    def test_every_form_of_one_and_of_several(self, form: str) -> None:
        for found in (thresholds(TRUTH, SCORES, resamples=20), choose_threshold(TRUTH, SCORES, resamples=20)):
            text = getattr(found, f"to_{form}")()
            assert text
            if form == "json":
                told = json.loads(text)["sections"]
                assert told["thresholds"]["thresholds"][0]["measures"]["TP"] >= 0
                assert told["meaning"]["predicted_positive"] == "score >= threshold"

    def test_a_table_of_thresholds_may_be_cut_down(self) -> None:
        table = threshold_table(TRUTH, SCORES, rows=5)
        assert table.frame["threshold"].to_list() == [math.inf, 0.55, 0.5, 0.36, 0.1]
        assert "5 of 21 thresholds, evenly spaced" in str(table)
        assert json.loads(table.to_json())["sections"]["thresholds"]["rows"][0]["threshold"] is None


def test_items_that_all_weigh_nothing_are_refused() -> None:
    for call in (choose_threshold, thresholds, threshold_table):
        with pytest.raises(InputError, match=r"^scores: all weights are 0$"):
            call([1, 0], [0.9, 0.1], sample_weight=[0, 0])


def test_items_that_were_chosen_on_and_judged_on_are_counted_in_a_warning() -> None:
    def some(first: int, last: int) -> Predictions:
        rows = range(first, last)
        return Predictions.of([r % 2 for r in rows], y_score=[r / 50 for r in rows], item_id=[f"i{r}" for r in rows])

    said = "5 items in both data sets: the judgment is not independent of the choice"
    assert said in thresholds(some(0, 20), judged_on=some(15, 40), resamples=0).warnings
    assert said in choose_threshold(some(0, 20), judged_on=some(15, 40), resamples=0).warnings
    nameless = Predictions.of([0, 1], y_score=[0.3, 0.4])  # row numbers are no ids
    for others in (some(20, 40), nameless):
        assert choose_threshold(some(0, 20), judged_on=others, resamples=0).warnings == ()


@in_turn("kind", [np.int64, np.uint64])
def test_a_threshold_among_large_whole_numbers_counts_what_it_promises(kind: type) -> None:
    """Numbers beyond 2^53 that 64-bit floating point cannot tell apart are one threshold."""
    scores: np.ndarray = np.array([2**60 + 1, 2**60, 2**60 + 2, 5], dtype=kind)
    found = choose_threshold([1, 0, 1, 0], scores, resamples=0)
    assert found.value == found.value_of("Youden") == 0.5
    table = threshold_table([1, 0, 1, 0], scores)
    assert table.frame.select("threshold", "tp", "fp").rows() == [(math.inf, 0, 0), (2.0**60, 2, 1), (5.0, 2, 2)]
    assert choose_threshold([1, 0], np.array([2**53, 1], dtype=kind), resamples=0).threshold == 2.0**53


def test_a_threshold_for_one_of_several_labels() -> None:
    scores = {"a": [0.9, 0.4, 0.2, 0.6], "b": [0.1, 0.8, 0.7, 0.1]}
    truth = [["a"], ["a", "b"], ["b"], []]
    for items in (Predictions.of(truth, y_score=scores, pos_label="b"), Predictions.of(truth, truth, y_score=scores)):
        found = choose_threshold(items, rule="youden", pos_label="b", resamples=0)
        assert (found.threshold, found.value, found.settings.positive) == (0.7, 1.0, "b")
    with pytest.raises(ParameterError, match="there is one score per class: say which class is positive"):
        choose_threshold(Predictions.of(truth, truth, y_score=scores))


def test_a_cost_that_is_not_finite_is_called_that() -> None:
    with pytest.raises(ParameterError, match=r"^fp of cost is a finite number, not inf$"):
        parse_rule("cost")(fp=math.inf)
