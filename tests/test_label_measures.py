"""What holds for every measure of classifiers; those of labels against scikit-learn and slow twins.

Measures are not listed: a new one is tested by being registered.
"""

from __future__ import annotations

import itertools
import json
import math
import warnings
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given, settings
from hypothesis import strategies as st
from label_data import TWINS, Cells, Labelled, labelled, recomputed
from strategies import quickly
from variants import values

from assay import Confusion, ConfusionMatrix, Measure, ParameterError, parse_measure
from assay.core.domains import Domain
from assay.core.evaluation_options import Undefined
from assay.measures import cells, registered
from assay.measures.matrices import averages, overall
from assay.measures.summary import signature
from assay.measures.vocabularies import LABELS, Vocabulary

approx = pytest.approx
#: For tests that try every measure on each example.
a_few = settings(quickly, max_examples=8)

ALL = [(vocabulary, measure) for vocabulary in LABELS for measure in registered(vocabulary).values()]
OF_LABELS = [
    (vocabulary, measure)
    for vocabulary in LABELS
    for measure in registered(vocabulary, unit_kind="table").values()
    if measure.definition.counts in {Confusion, ConfusionMatrix}
]
OF_CELLS = [measure for measure in registered("binary", "table").values() if measure.definition.counts is Confusion]
each_of_labels = in_turn(("vocabulary", "measure"), OF_LABELS, ids=str)
each_vocabulary = pytest.mark.parametrize("vocabulary", LABELS)


def of_labels(vocabulary: str) -> list[Measure]:
    return [measure for known, measure in OF_LABELS if known == vocabulary]


TABLES = [
    [[5, 0, 0], [1, 3, 0], [1, 2, 4]],
    [[0, 4, 1], [3, 0, 2], [1, 1, 0]],
    [[0, 7, 0], [0, 9, 0], [0, 2, 0]],
    [[0, 0, 0], [3, 1, 5], [0, 0, 0]],
    [[0, 0, 0], [0, 6, 0], [0, 0, 0]],
    [[2.5, 0.1, 0], [0, 0.3, 0.2], [0, 0, 1e-3]],
]
PAIRS = [
    [[8, 2], [1, 9]],
    [[0, 5], [5, 0]],
    [[4, 0], [6, 0]],
    [[0, 0], [3, 7]],
    [[0, 0], [0, 5]],
    [[0.1, 0.2], [0.3, 0.7]],
]


def matrices(vocabulary: str) -> list[ConfusionMatrix]:
    if vocabulary == "binary":
        return [ConfusionMatrix.from_matrix(table, ["no", "yes"], pos_label="yes") for table in PAIRS]
    return [ConfusionMatrix.from_matrix(table, ["a", "b", "c"]) for table in TABLES]


def variants(measure: Measure) -> list[Measure]:
    """The measure with each parameter changed; averages over items are for items with several labels."""
    parameters = measure.definition.parameters.items()
    changed = [
        measure(**{name: value})
        for name, parameter in parameters
        for value in values(parameter)
        if is_let_in(parameter.domain, value)
    ]
    return [one for one in dict.fromkeys([measure, *changed]) if one.parameters.get("average") != "samples"]


def is_let_in(domain: Domain, value: object) -> bool:
    try:
        domain.check("", value)
    except ParameterError:
        return False
    return True


def value(measure: str | Measure, matrix: ConfusionMatrix, vocabulary: Vocabulary = "multiclass") -> float:
    (number,) = overall(parse_measure(measure, vocabulary), matrix).values
    return float(number)


# Every measure has a name, a card, and numbers that can be relied on.


@in_turn(("vocabulary", "measure"), ALL, ids=str)
def test_its_name_reads_back(vocabulary: Vocabulary, measure: Measure) -> None:
    for variant in variants(measure):
        assert parse_measure(str(variant), vocabulary) == variant
    for alias, means in measure.definition.aliases.items():
        assert parse_measure(alias, vocabulary) == measure(**means)
        assert parse_measure(alias.upper(), vocabulary) == measure(**means)
    assert measure.definition.counted_as is None


@in_turn(("vocabulary", "measure"), ALL, ids=str)
def test_it_has_a_card(vocabulary: Vocabulary, measure: Measure) -> None:
    assert vocabulary == measure.definition.vocabulary
    card = measure.__doc__ or ""
    assert card.strip().split("\n\n")[0].endswith(".")
    assert ".. math::" in card
    assert f">>> {measure.definition.function.__name__}" in card or ">>> scores" in card


@each_of_labels
def test_values_are_within_bounds_and_undefined_ones_have_a_reason(vocabulary: str, measure: Measure) -> None:
    for variant in variants(measure):
        low, high = variant.definition.bounds or (-math.inf, math.inf)
        for matrix in matrices(vocabulary):
            result = overall(variant, matrix)
            number, reason = float(result.values[0]), result.reason(0)
            assert math.isnan(number) == (reason is not None), (str(variant), matrix.table, reason)
            assert math.isnan(number) or low - 1e-12 <= number <= high + 1e-12, (str(variant), matrix.table)


@each_of_labels
def test_steps_reduce_to_the_value(vocabulary: str, measure: Measure) -> None:
    for variant in variants(measure):
        for matrix in matrices(vocabulary):
            result = overall(variant, matrix)
            assert recomputed(result, 0) == approx(float(result.values[0]), nan_ok=True), (str(variant), matrix.table)


@each_of_labels
def test_stacked_tables_give_what_single_ones_give(vocabulary: str, measure: Measure) -> None:
    singles = matrices(vocabulary)
    tables = np.concatenate([one.tables.astype(np.float64) for one in singles])
    stacked = ConfusionMatrix(singles[0].labels, tables, tuple(map(str, range(len(singles)))), singles[0].positive)
    for variant in variants(measure):
        together = overall(variant, stacked)
        each = [overall(variant, one) for one in singles]
        assert together.values == approx([float(one.values[0]) for one in each], nan_ok=True), str(variant)
        assert together.reasons() == [one.reason(0) for one in each]


@each_vocabulary
@a_few
@given(data=labelled(least=2), seed=st.integers(0, 99))
def test_order_and_names_make_no_difference(vocabulary: str, data: Labelled, seed: int) -> None:
    """Items in any order, labels in any order and under any name; but kappa may weigh by the order of labels."""
    if vocabulary == "binary":
        data = data._replace(
            labels=data.labels[:2],
            truth=[label if label in data.labels[:2] else data.labels[0] for label in data.truth],
            prediction=[label if label in data.labels[:2] else data.labels[1] for label in data.prediction],
        )
    positive = data.labels[1] if vocabulary == "binary" else None
    rng = np.random.default_rng(seed)
    items, labels = rng.permutation(len(data.truth)), rng.permutation(len(data.labels))
    names = {label: f"{number}th" for number, label in zip(labels, data.labels, strict=True)}
    moved = Labelled(
        [names[data.truth[item]] for item in items],
        [names[data.prediction[item]] for item in items],
        [names[data.labels[place]] for place in labels],
        None if data.weight is None else [data.weight[item] for item in items],
    )
    before, after = data.matrix(positive), moved.matrix(None if positive is None else names[positive])
    for variant in itertools.chain.from_iterable(map(variants, of_labels(vocabulary))):
        if variant.parameters.get("weights", "none") == "none":
            wanted = float(overall(variant, before).values[0])
            assert float(overall(variant, after).values[0]) == approx(wanted, nan_ok=True, abs=1e-9), str(variant)


@each_vocabulary
@quickly
@given(data=labelled(weighted=False))
def test_nothing_is_better_than_perfect(vocabulary: str, data: Labelled) -> None:
    if vocabulary == "binary" and len(data.labels) != 2:
        return
    positive = data.labels[1] if vocabulary == "binary" else None
    said, perfect = data.matrix(positive), data._replace(prediction=data.truth).matrix(positive)
    for measure in of_labels(vocabulary):
        better = measure.definition.higher_is_better
        if better is None or measure.definition.bounds is None:
            continue  # it is neither good nor bad, or has no best value: likelihood ratios, counts
        got, best = (float(overall(measure, matrix).values[0]) for matrix in (said, perfect))
        if not math.isnan(got) and not math.isnan(best):
            assert got <= best + 1e-12 if better else got >= best - 1e-12, str(measure)


@quickly
@given(labelled(least=2), st.sampled_from([None, 0, 1]))
def test_all_averages_at_once_are_those_one_by_one(data: Labelled, place: int | None) -> None:
    matrix = data.matrix(None if place is None else data.labels[place])
    asked = [measure for measure in registered("multiclass").values() if "average" in measure.parameters]
    for measure, found in averages(asked, matrix).items():
        assert measure.of(matrix.per_class()) == approx(found.classes, nan_ok=True)
        for average in ("macro", "micro", "weighted"):
            one_by_one = float(overall(measure(average=average), matrix).values[0])
            assert getattr(found, average) == approx(one_by_one, nan_ok=True), (str(measure), average)


def test_parts_of_formulas_are_made_once_for_a_table_and_anew_for_another() -> None:
    table = Confusion.from_table(tp=4, fp=6, fn=4, tn=86)
    assert cells.retrieved(table) is cells.retrieved(table)
    of_class = replace(table, unit_kind="class")
    assert [cells.retrieved(one).op for one in (table, of_class)] == ["retrieved", "predicted positive"]
    assert cells.retrieved(replace(table, fp=np.array([0]))).values == [4.0]


def test_cells_of_classes_that_are_none_are_refused() -> None:
    for wrong in ([[-1, 1]] * 4, [[1.5, -0.5]] * 4, [[math.nan, 1]] * 4):
        with pytest.raises(ParameterError, match="tp is made of numbers from 0 on"):
            Confusion.of_classes(("a", "b"), np.array(wrong))
    with pytest.raises(ParameterError, match="tp is one number for each of 3 units"):
        Confusion.of_classes(("a", "b", "c"), np.ones((4, 2)))


# Twins and scikit-learn.


@quickly
@given(cells=st.tuples(*[st.sampled_from([0, 0, 1, 2, 3, 10, 1000, 0.1, 0.25])] * 4))
def test_every_measure_agrees_with_its_slow_twin(cells: tuple[float, ...]) -> None:
    """Every measure of four cells has one: there is no other definition to check the odd ones against."""
    table = Cells(*cells)
    tp, fp, fn, tn = (np.array([cell], dtype=float) for cell in cells)
    counts = Confusion(("all",), tp, fp, fn, tn, "table")
    for measure in OF_CELLS:
        assert measure.of(counts) == approx([TWINS[measure.name](table)], nan_ok=True), str(measure)


def quietly(function: Any, *arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@settings(quickly, max_examples=12)
@given(labelled(), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_precision_recall_and_f_agree_with_scikit_learn(data: Labelled, beta: float) -> None:
    """What is undefined is left out with `zero_division=nan`, and counts as 0 or 1 with these."""
    metrics = pytest.importorskip("sklearn.metrics")
    matrix = data.matrix()
    asked = [parse_measure(name, "multiclass") for name in ("Precision", "Recall", f"F(beta={beta})")]
    options = {"labels": data.labels, "sample_weight": data.weight, "zero_division": np.nan, "beta": beta}
    compute = metrics.precision_recall_fscore_support
    theirs = quietly(compute, data.truth, data.prediction, average=None, **options)
    for measure, wanted in zip(asked, theirs, strict=False):
        assert measure.of(matrix.per_class()) == approx(wanted, nan_ok=True), str(measure)
    policies: tuple[tuple[Undefined, float], ...] = (("skip", np.nan), ("0", 0.0), ("1", 1.0))
    for average, (policy, division) in product(("macro", "micro", "weighted"), policies):
        if average == "micro" and policy != "skip":
            continue  # one number for all classes, which has no mean in it
        options["zero_division"] = division
        theirs = quietly(compute, data.truth, data.prediction, average=average, **options)
        for measure, wanted in zip(asked, theirs[:3], strict=True):
            got = float(overall(measure(average=average), matrix, policy).values[0])
            if math.isnan(got) and average == "weighted":
                continue  # no class that has a number has items: scikit-learn says 0
            assert got == approx(wanted, nan_ok=True), (str(measure), average, policy)


@quickly
@given(labelled(most=2, least=2))
def test_binary_measures_agree_with_scikit_learn(data: Labelled) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    positive = data.labels[1]
    matrix = data.matrix(positive)
    options = {"pos_label": positive, "sample_weight": data.weight, "labels": data.labels, "average": "binary"}
    if positive not in {*data.truth, *data.prediction}:
        return  # scikit-learn refuses a positive label that does not occur
    undefined = {"zero_division": np.nan}
    for name, function in {
        "Precision": metrics.precision_score,
        "Recall": metrics.recall_score,
        "F1": metrics.f1_score,
    }.items():
        wanted = quietly(function, data.truth, data.prediction, **options, **undefined)
        assert value(name, matrix, "binary") == approx(wanted, nan_ok=True), name
    got = value("Jaccard", matrix, "binary")
    if not math.isnan(got):
        assert got == approx(quietly(metrics.jaccard_score, data.truth, data.prediction, **options))
    ratios = quietly(
        metrics.class_likelihood_ratios,
        data.truth,
        data.prediction,
        labels=data.labels,
        sample_weight=data.weight,
        replace_undefined_by=np.nan,
    )
    for name, wanted in zip(("LRPlus", "LRMinus"), ratios, strict=True):
        assert value(name, matrix, "binary") == approx(wanted, nan_ok=True), name


@quickly
@given(labelled())
def test_measures_of_the_whole_matrix_agree_with_scikit_learn(data: Labelled) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    matrix, weight = data.matrix(), {"sample_weight": data.weight}
    both = (data.truth, data.prediction)
    assert value("Accuracy", matrix) == approx(metrics.accuracy_score(*both, **weight))
    assert value("ErrorRate", matrix) == approx(metrics.zero_one_loss(*both, **weight))
    assert value("HammingLoss", matrix) == approx(metrics.hamming_loss(*both, **weight))
    for adjusted in (False, True):
        wanted = quietly(metrics.balanced_accuracy_score, *both, adjusted=adjusted, **weight)
        got = value(f"BalancedAccuracy(adjusted={adjusted})", matrix)
        # Adjusted, there is nothing to divide by with one class; scikit-learn gives an infinite number, or none.
        assert got == approx(wanted) or (adjusted and math.isnan(got) and not math.isfinite(wanted))
    mcc = value("MCC", matrix)
    assert (0.0 if math.isnan(mcc) else mcc) == approx(quietly(metrics.matthews_corrcoef, *both, **weight), abs=1e-9)
    for weights in (None, "linear", "quadratic"):
        wanted = quietly(metrics.cohen_kappa_score, *both, labels=data.labels, weights=weights, **weight)
        got = value(f"Kappa(weights={weights or 'none'})", matrix)
        assert got == approx(wanted, nan_ok=True, abs=1e-9), weights


@quickly
@given(labelled(weighted=False))
def test_jaccard_agrees_with_scikit_learn_where_it_is_defined(data: Labelled) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    matrix = data.matrix()
    ours = parse_measure("Jaccard", "multiclass").of(matrix.per_class())
    theirs = quietly(metrics.jaccard_score, data.truth, data.prediction, labels=data.labels, average=None)
    assert np.nan_to_num(ours) == approx(theirs)
    for average in ("macro", "micro", "weighted"):
        if not np.isnan(ours).any():
            wanted = metrics.jaccard_score(data.truth, data.prediction, labels=data.labels, average=average)
            assert value(f"Jaccard(average={average})", matrix) == approx(wanted), average


# The worked examples.


def decided(tp: int, fp: int, fn: int, tn: int) -> ConfusionMatrix:
    return ConfusionMatrix.from_matrix([[tn, fp], [fn, tp]], ["no", "yes"], pos_label="yes")


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        pytest.param(
            (20, 180, 10, 1820),
            {"Prevalence": 0.0148, "PPV": 0.1, "NPV": 0.9945, "TPR": 0.667, "TNR": 0.91, "ACC": 0.906, "MCC": 0.2335,
             "Jaccard": 0.0952},
            id="C1, C8",
        ),
        pytest.param(
            (595, 4965, 105, 94335),
            {"Prevalence": 0.007, "PPV": 0.107, "NPV": 0.999, "TPR": 0.85, "TNR": 0.95, "ACC": 0.949},
            id="C2",
        ),
        pytest.param((95, 30, 5, 70), {"TPR": 0.95, "FPR": 0.3, "PPV": 0.76, "NPV": 0.93, "ACC": 0.825}, id="C5 A"),
        pytest.param((40, 80, 60, 20), {"TPR": 0.4, "FPR": 0.8, "PPV": 0.33, "NPV": 0.25, "ACC": 0.3}, id="C5 B"),
        pytest.param((90, 70, 10, 30), {"TPR": 0.9, "FPR": 0.7, "PPV": 0.56, "NPV": 0.75, "ACC": 0.6}, id="C5 C"),
        pytest.param((60, 5, 40, 95), {"TPR": 0.6, "FPR": 0.05, "PPV": 0.92, "NPV": 0.7, "ACC": 0.775}, id="C5 D"),
    ],
)  # fmt: skip
def test_C1_C2_C5_C8(cells: tuple[int, int, int, int], wanted: dict[str, float]) -> None:
    for name, number in wanted.items():
        assert value(name, decided(*cells), "binary") == approx(number, abs=0.005 if number < 1 else 0), name


def test_C1_always_negative_is_nearly_always_right() -> None:
    assert value("MajorityShare", decided(20, 180, 10, 1820)) == approx(2000 / 2030)
    assert value("MajorityShare", decided(20, 180, 10, 1820)) == approx(0.985, abs=5e-4)


C3 = ConfusionMatrix.from_matrix(
    [[13, 4, 2], [2, 15, 1], [5, 1, 57]], ["Woman", "Man", "Child"], orientation="rows_are_predicted"
)


def test_C3_and_C4_and_C9() -> None:
    """Both numbers that are called macro F1 have a name of their own."""
    assert (value("Accuracy", C3), value("ErrorRate", C3)) == (0.85, 0.15)
    for name in ("Precision", "Recall", "F1"):
        assert value(parse_measure(name, "multiclass")(average="micro"), C3) == approx(0.85)
    macro = {"Precision": 0.8074, "Recall": 0.7833, "F1": 0.7943, "FOfMeans": 0.7952}
    assert {name: value(name, C3) for name in macro} == approx(macro, abs=5e-5)
    for label, wanted in {"Woman": (0.68, 0.91, 0.65, 0.925, 0.87), "Child": (0.90, 0.92, 0.95, 0.85, 0.91)}.items():
        got = [value(name, C3.collapse(label), "binary") for name in ("PPV", "NPV", "TPR", "TNR", "ACC")]
        assert got == approx(wanted, abs=0.006), label
    assert value("Accuracy", ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]])) == 12 / 16


def test_C8_mcc_of_perfect_inverted_and_constant_predictions() -> None:
    for vocabulary in LABELS:
        assert value("MCC", decided(5, 0, 0, 5), vocabulary) == approx(1, abs=1e-15)
        assert value("MCC", decided(0, 5, 5, 0), vocabulary) == approx(-1, abs=1e-15)
        constant = overall(parse_measure("MCC", vocabulary), decided(5, 5, 0, 0))
        assert math.isnan(constant.values[0])
        assert "(0 by convention)" in str(constant.reason(0))


@in_turn("beta", [0.0, 0.5, 1.0, 2.0, 7.0])
def test_C10_beta_and_alpha_say_the_same(beta: float) -> None:
    matrix = decided(4, 6, 4, 86)
    alpha = 1 / (1 + beta**2)
    precision, recall = 0.4, 0.5
    wanted = 1 / (alpha / precision + (1 - alpha) / recall)
    for name in (f"F(beta={beta})", f"F(alpha={alpha!r})"):
        assert value(name, matrix, "binary") == approx(wanted), name


def test_C10_the_ends_are_precision_and_recall() -> None:
    matrix = decided(4, 6, 4, 86)
    assert [value(name, matrix, "binary") for name in ("F(beta=0)", "F(alpha=1)")] == approx([0.4, 0.4])
    ends = ("F(beta=1e6)", "F(beta=1e300)", "F(alpha=0)", "F(alpha=1e-300)")
    assert [value(name, matrix, "binary") for name in ends] == approx([0.5] * 4)
    assert value("FOfMeans(beta=1e200)", C3) == approx(value("Recall", C3))
    with pytest.raises(ParameterError, match="beta or alpha, not both"):
        value("F(beta=2, alpha=0.2)", matrix, "binary")


def test_a_class_that_is_never_predicted_has_f_0_and_no_precision() -> None:
    """Left out of the mean, the worst class would raise macro F1."""
    matrix = ConfusionMatrix.from_labels(["a", "a", "b"], ["a", "a", "a"])
    assert parse_measure("Precision", "multiclass").of(matrix.per_class())[1:] == approx([math.nan], nan_ok=True)
    assert value("F1", matrix) == approx((0.8 + 0) / 2)


def test_counts_are_added_up_over_classes_and_have_letters() -> None:
    assert value("TP", C3) == value("Right", C3.collapse("Woman"), "multiclass") - 87 + 85
    assert [value(name, decided(1, 2, 3, 4), "binary") for name in ("P", "N", "T", "Wrong", "PP", "PN")] == [
        4, 6, 5, 5, 3, 7,
    ]  # fmt: skip
    assert parse_measure("F", "binary").name == "F"


def test_alpha_is_in_a_signature_only_if_it_is_given() -> None:
    assert "alpha" not in signature(parse_measure("SetF"), None, 0.0)
    assert "|alpha=0.2|" in signature(parse_measure("SetF(alpha=0.2)"), None, 0.0)


def test_adjusted_is_yes_or_no() -> None:
    assert parse_measure("BalancedAccuracy(adjusted=true)", "multiclass").parameters["adjusted"] is True
    with pytest.raises(ParameterError, match="True or False, not 2"):
        parse_measure("BalancedAccuracy(adjusted=2)", "multiclass")


# On the command line.


def shown(*arguments: str) -> str:
    result = invoke(["measures", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_list_of_classifiers_measures_names_each() -> None:
    listed = shown("--classifiers")
    for vocabulary in LABELS:
        for name in registered(vocabulary):
            assert name in listed
    assert "log_loss" in listed
    assert "assay measures --classifiers" in shown()


def test_a_name_that_only_classifiers_have_is_found() -> None:
    assert shown("Brier").startswith("Brier\n")
    assert shown("sensitivity", "--classifiers").startswith("Recall\n")


def test_a_name_that_means_something_else_for_rankings_shows_both() -> None:
    cards = shown("Precision")
    assert cards.startswith("P\n")
    assert "\nPrecision\n" in cards
    assert shown("Precision", "--classifiers").startswith("Precision\n")
    assert "the confusion matrix of all classes" in shown("MCC", "--classifiers")
    cards_in_json = json.loads(shown("LogLoss", "--json"))["sections"]["measures"]["measures"]
    assert [card["scikit_learn"] for card in cards_in_json] == ["log_loss"]


@each_vocabulary
@a_few
@given(data=labelled(least=2), beta=st.sampled_from([0.3, 1.0, 3.0]))
def test_rounding_leads_no_number_out_of_its_bounds(vocabulary: str, data: Labelled, beta: float) -> None:
    """Perfect predictions, and all wrong ones, with weights that are no binary fractions."""
    weights = [0.1 * (place + 1) for place in range(len(data.truth))]
    pairs = dict(zip(data.labels, [*data.labels[1:], data.labels[0]], strict=True))
    for said in (data.truth, [pairs[label] for label in data.truth]):
        labels = data.labels if vocabulary == "multiclass" else data.labels[:2]
        kept = [row for row, both in enumerate(zip(data.truth, said, strict=True)) if {*both} <= {*labels}]
        if not kept:
            continue
        truth, predicted, weight = ([part[row] for row in kept] for part in (data.truth, said, weights))
        positive = labels[0] if vocabulary == "binary" else None
        matrix = ConfusionMatrix.from_labels(truth, predicted, labels=labels, pos_label=positive, sample_weight=weight)
        for measure in of_labels(vocabulary):
            low, high = measure.definition.bounds or (-np.inf, np.inf)
            with_beta = [measure(beta=beta)] if "beta" in measure.parameters else []
            for variant in (*variants(measure), *with_beta):
                values = overall(variant, matrix).values
                assert not ((values < low) | (values > high)).any(), str(variant)


def test_perfect_predictions_have_an_mcc_of_1() -> None:
    rng = np.random.default_rng(6)
    for vocabulary in LABELS:
        for tp, tn in rng.uniform(0.1, 10, size=(200, 2)).tolist():
            matrix = ConfusionMatrix.from_matrix([[tp, 0], [0, tn]], pos_label=1)
            assert float(overall(parse_measure("MCC", vocabulary), matrix).values[0]) <= 1


def test_exact_match_is_not_for_whole_tables() -> None:
    for vocabulary in LABELS:
        assert "ExactMatch" in registered(vocabulary)
        assert "ExactMatch" not in registered(vocabulary, unit_kind="table")
        with pytest.raises(ParameterError, match="is a number for each query or item or document, not for a"):
            overall(parse_measure("ExactMatch", vocabulary), matrices(vocabulary)[0])


def test_a_class_that_is_never_predicted_lowers_macro_f_and_macro_precision() -> None:
    matrix = ConfusionMatrix.from_labels(["a", "b"], ["a", "a"])
    told = {name: float(overall(parse_measure(name, "multiclass"), matrix).values[0])
            for name in ("MacroPrecision", "MacroF1", "FOfMeans")}  # fmt: skip
    assert told == approx({"MacroPrecision": (1 / 2 + 0) / 2, "MacroF1": (2 / 3 + 0) / 2, "FOfMeans": 1 / 3})
