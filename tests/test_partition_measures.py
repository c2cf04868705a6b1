"""What holds for every measure of a clustering against known classes.

Against scikit-learn where it has the measure, against loops over items and pairs, against whole numbers of any length.
Measures are not listed: a new one is tested by being registered.
"""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given, settings
from label_data import recomputed
from partition_data import TWINS, Grouped, cluster_accuracy, grouped, information, of, reason
from strategies import quickly
from variants import values

from assay import Contingency, Measure, parse_measure
from assay.measures import partitions, registered

approx = pytest.approx
some = settings(quickly, max_examples=10)

MEASURES = [one for one in registered("clustering").values() if one.definition.counts is Contingency]
each_measure = in_turn("measure", MEASURES, ids=str)
#: The 17 documents of the textbook: classes x, o, d in three clusters.
SEVENTEEN = Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes="xod")
TABLES = [
    [[5, 1, 2], [1, 4, 0], [0, 1, 3]],
    [[4, 0, 0], [0, 3, 0], [0, 0, 2]],  # perfect
    [[1, 1, 1], [1, 1, 1], [1, 1, 1]],  # clusters tell nothing
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],  # no two share anything
    [[1, 0, 0], [1, 0, 0], [1, 0, 0]],  # one cluster, three classes
    [[1, 1, 1], [0, 0, 0], [0, 0, 0]],  # one class, three clusters
    [[3, 0, 0], [0, 0, 0], [0, 0, 0]],  # one of each
    [[1, 0, 0], [0, 0, 0], [0, 0, 0]],  # a single item
    [[9000000, 1, 20], [5, 800000, 7], [0, 3, 10]],
]


def variants(measure: Measure) -> list[Measure]:
    parameters = measure.definition.parameters.items()
    changed = [measure(**{name: value}) for name, parameter in parameters for value in values(parameter)]
    return list(dict.fromkeys([measure, *changed]))


# Every measure has a name, a card, and numbers that can be relied on.


@each_measure
def test_its_name_reads_back_and_it_has_a_card(measure: Measure) -> None:
    for variant in variants(measure):
        assert parse_measure(str(variant), "clustering") == variant
        assert pickle.loads(pickle.dumps(variant)) == variant
    for alias, means in measure.definition.aliases.items():
        assert parse_measure(alias.upper(), "clustering") == measure(**means)
    card = measure.__doc__ or ""
    assert card.strip().split("\n\n")[0].endswith(".")
    assert ".. math::" in card
    assert f">>> {measure.name}" in card
    if measure.definition.sklearn is not None:
        assert parse_measure(measure.definition.sklearn, "clustering") == measure


@each_measure
def test_values_are_within_bounds_undefined_ones_have_a_reason_and_steps_reduce_to_the_value(measure: Measure) -> None:
    low, high = measure.definition.bounds or (0.0, math.inf)
    for variant, table in product(variants(measure), map(Contingency.from_table, TABLES)):
        result = variant.per_unit(table)
        number, why = float(result.values[0]), result.reason(0)
        assert math.isnan(number) == (why is not None), (str(variant), table.table, why)
        assert math.isnan(number) or low <= number <= high, (str(variant), table.table)
        assert recomputed(result, 0) == approx(number, nan_ok=True, abs=1e-12), (str(variant), table.table)


@each_measure
def test_stacked_tables_give_what_single_ones_give(measure: Measure) -> None:
    row, column = np.divmod(np.arange(9), 3)
    stacked = Contingency(
        tuple("abc"), (1, 2, 3), row, column, np.array(TABLES).reshape(-1, 9), tuple(map(str, range(len(TABLES))))
    )
    for variant in variants(measure):
        together = variant.per_unit(stacked)
        each = [variant.per_unit(Contingency.from_table(table)) for table in TABLES]
        assert together.values == approx([float(one.values[0]) for one in each], nan_ok=True), str(variant)
        assert together.reasons() == [one.reason(0) for one in each], str(variant)


@some
@given(grouped(weighted=True) | grouped())
def test_order_and_names_make_no_difference_and_classes_and_clusters_may_be_exchanged(data: Grouped) -> None:
    rng = np.random.default_rng(len(data.truth))
    order = rng.permutation(len(data.truth))
    names = {label: f"g{place}" for place, label in enumerate(rng.permutation(sorted(set(map(str, data.cluster)))))}
    weight = None if data.weight is None else [data.weight[place] for place in order]
    moved = Grouped([data.truth[p] for p in order], [names[str(data.cluster[p])] for p in order], weight)
    as_given, mixed = data.table(), moved.table()
    swapped = Grouped(data.cluster, data.truth, data.weight).table()
    for measure in MEASURES:
        wanted = approx(of(measure, as_given), nan_ok=True, abs=1e-12)
        assert of(measure, mixed) == wanted, str(measure)
        assert of(EXCHANGED.get(measure.name, measure.name), swapped) == wanted, str(measure)


EXCHANGED = {
    "Purity": "InversePurity",
    "InversePurity": "Purity",
    "BCubedPrecision": "BCubedRecall",
    "BCubedRecall": "BCubedPrecision",
    "PairPrecision": "PairRecall",
    "PairRecall": "PairPrecision",
    "PairFP": "PairFN",
    "PairFN": "PairFP",
    "Homogeneity": "Completeness",
    "Completeness": "Homogeneity",
}


@some
@given(grouped())
def test_the_true_classes_are_the_best_clusters(data: Grouped) -> None:
    true, found = Grouped(data.truth, data.truth).table(), data.table()
    for measure in MEASURES:
        best, given_clusters = of(measure, true), of(measure, found)
        if not math.isnan(best) and not math.isnan(given_clusters):
            apart = given_clusters - best if measure.definition.higher_is_better else best - given_clusters
            assert apart <= 1e-12, str(measure)
        if measure.definition.bounds is not None and measure.definition.bounds[1] == 1 and not math.isnan(best):
            assert best == approx(1), str(measure)


# Against loops over items and pairs, with weights and without.


@some
@given(grouped(weighted=True) | grouped())
def test_every_measure_is_what_a_loop_over_items_or_pairs_gives(data: Grouped) -> None:
    table = data.table()
    for name, twin in TWINS.items():
        assert of(name, table) == approx(twin(data), nan_ok=True, abs=1e-9), (name, data)


def test_the_twins_are_of_all_measures_but_those_that_have_other_tests() -> None:
    rest = {one.name for one in MEASURES} - {name.partition("(")[0] for name in TWINS}
    assert rest == {"ClusterAccuracy", "ARI", "AMI", "VMeasure"}


@quickly
@given(grouped(weighted=True, items=7) | grouped(items=7))
def test_cluster_accuracy_is_the_best_of_all_ways_to_name_the_clusters(data: Grouped) -> None:
    for small, rest in ((1 << 14, 1 << 20), (0, 1 << 20), (0, 0)):  # as it is; cells decide themselves; sparse
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(partitions, "_SMALL", small)
            patch.setattr(partitions, "_REST", rest)
            assert of("ClusterAccuracy", data.table()) == approx(cluster_accuracy(data))


def test_the_ways_to_match_agree_on_larger_tables() -> None:
    rng = np.random.default_rng(5)
    for level in (0.1, 0.6, 3, 40):
        table = Contingency.from_table(rng.poisson(level, (40, 55)) + np.eye(40, 55, dtype=int))
        found = []
        for small, rest in ((1 << 14, 1 << 20), (0, 1 << 20), (0, 0)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(partitions, "_SMALL", small)
                patch.setattr(partitions, "_REST", rest)
                matches = partitions.best_matches(table)
            assert len(set(matches.row)) == len(set(matches.column)) == len(matches.row)
            assert matches.items == approx(table.table[matches.row, matches.column])
            found.append(matches.items.sum())
        assert found[0] == found[1] == found[2]


@quickly
@given(grouped(weighted=True) | grouped())
def test_identities(data: Grouped) -> None:
    table = data.table()
    value = {name: of(name, table) for name in ("VMeasure", "NMI", "MI", "VI", "Rand", "NMImin", "NMImax")}
    assert value["VMeasure"] == approx(value["NMI"], nan_ok=True)
    assert of("VMeasure(beta=0)", table) == approx(of("Homogeneity", table), nan_ok=True)
    joint = Grouped([f"{t!r} {c!r}" for t, c, _ in data.items], data.truth, data.weight)
    # What both are about, and what one is about and not the other, is all that there is.
    assert value["MI"] + value["VI"] == approx(information(joint._replace(cluster=joint.truth)), abs=1e-9)
    tp, fp, fn, tn = (float(each[0]) for each in table.pairs)
    if not math.isnan(value["Rand"]):
        assert 1 - value["Rand"] == approx((fp + fn) / (tp + fp + fn + tn), abs=1e-12)
    if not math.isnan(value["NMImin"]):
        assert value["NMImax"] - 1e-12 <= value["NMI"] <= of("NMIgeometric", table) + 1e-12 <= value["NMImin"] + 2e-12


@quickly
@given(grouped(weighted=True))
def test_adjusted_rand_of_weights_is_kappa_of_the_weighted_pairs(data: Grouped) -> None:
    tp, fp, fn, tn = (float(each[0]) for each in data.table().pairs)
    total, found = tp + fp + fn + tn, of("ARI", data.table())
    if math.isnan(found):
        assert min(tp + fn, fn + tn) == approx(0, abs=1e-9) == min(tp + fp, fp + tn)
        return
    agreed = (tp + tn) / total
    expected = ((tp + fn) * (tp + fp) + (fn + tn) * (fp + tn)) / total**2
    assert found == approx((agreed - expected) / (1 - expected), abs=1e-6)


# Against scikit-learn: all it has, on labels of any types.

DEFINED_THERE = [
    "Rand", "ARI", "FowlkesMallows", "MI", "NMI", "NMImin", "NMImax", "NMIgeometric", "AMI", "AMImin", "AMImax",
    "AMIgeometric", "Homogeneity", "Completeness", "VMeasure", "VMeasure(beta=0.3)", "VMeasure(beta=4)",
]  # fmt: skip


def of_scikit_learn(measure: Measure, truth: list[Any], cluster: list[Any]) -> float:
    metrics = pytest.importorskip("sklearn.metrics")
    options = {"average_method" if name == "average" else name: value for name, value in measure.chosen.items()}
    truth, cluster = ([sorted(set(side)).index(label) for label in side] for side in (truth, cluster))
    return float(getattr(metrics, str(measure.definition.sklearn))(truth, cluster, **options))


@some
@given(grouped(items=30))
def test_it_agrees_with_scikit_learn_and_where_it_is_undefined_there_is_a_convention(data: Grouped) -> None:
    table = data.table()
    for name in DEFINED_THERE:
        theirs = of_scikit_learn(parse_measure(name, "clustering"), data.truth, data.cluster)
        if why := reason(name, table):
            assert "by convention" not in why or theirs == approx(1.0 if "(1 by" in why else 0.0, abs=1e-2), why
        else:
            assert of(name, table) == approx(theirs, abs=1e-7 if name.startswith("AMI") else 1e-12), name


def test_every_measure_that_scikit_learn_has_is_compared() -> None:
    named = {one.name for one in MEASURES if one.definition.sklearn is not None}
    assert named == {parse_measure(name, "clustering").name for name in DEFINED_THERE}


@pytest.mark.parametrize(("items", "classes", "clusters"), [(20_000, 3, 5), (3_000, 900, 1_200), (50_000, 20, 2_000)])
def test_it_agrees_with_scikit_learn_on_many_items(items: int, classes: int, clusters: int) -> None:
    rng = np.random.default_rng(items)
    truth = rng.integers(0, classes, items)
    cluster = np.where(rng.random(items) < 0.4, truth, rng.integers(0, clusters, items))
    table = Contingency.from_labels(truth.astype(str), cluster)
    for name in DEFINED_THERE:
        measure = parse_measure(name, "clustering")
        metrics = pytest.importorskip("sklearn.metrics")
        options = {"average_method" if key == "average" else key: value for key, value in measure.chosen.items()}
        theirs = getattr(metrics, str(measure.definition.sklearn))(truth, cluster, **options)
        assert of(name, table) == approx(theirs, abs=1e-9), name


# Golden numbers, sizes, and what is undefined.


@in_turn(
    ("name", "wanted"),
    [
        ("Purity", 12 / 17), ("InversePurity", 12 / 17), ("NMI", 0.3646), ("NMImin", 0.3715), ("NMImax", 0.3579),
        ("VMeasure", 0.3646), ("Rand", 92 / 136), ("ARI", 0.2429), ("PairTP", 20), ("PairFP", 20), ("PairFN", 24),
        ("PairTN", 72), ("PairPrecision", 0.5), ("PairRecall", 0.4545), ("PairF1", 0.4762), ("PairF5", 0.4561),
        ("BCubedPrecision", 0.5843), ("BCubedRecall", 0.5676), ("ClusterAccuracy", 12 / 17),
    ],
)  # fmt: skip
def test_the_seventeen_documents(name: str, wanted: float) -> None:
    assert of(name, SEVENTEEN) == approx(wanted, abs=5e-5)


def test_one_cluster_a_document_is_pure_and_worth_nothing() -> None:
    table = Contingency.from_labels(list("xxxxxoxooooxxdddd"), range(17))
    assert of("Purity", table) == 1
    assert (of("ARI", table), of("AMI", table)) == approx((0, 0), abs=1e-12)
    assert reason("PairPrecision", table) == "no two items share a cluster"


@in_turn("size", [1, 10**4, 10**9, 10**12])
def test_adjusted_rand_is_exact_at_any_size(size: int) -> None:
    table = [[5 * size, size, 2 * size], [size, 4 * size, 0], [0, size, 3 * size]]
    cells = [n for row in table for n in row]
    tp, fp, fn = (
        sum(n * (n - 1) // 2 for n in sizes) for sizes in (cells, map(sum, zip(*table, strict=True)), map(sum, table))
    )
    total = 17 * size * (17 * size - 1) // 2
    fp, fn = fp - tp, fn - tp
    tn = total - tp - fp - fn
    exact = Fraction(2 * (tp * tn - fn * fp), (tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))
    assert of("ARI", Contingency.from_table(table)) == approx(float(exact), rel=1e-14)


def test_sizes_change_no_share() -> None:
    """No overflow: what does not depend on chance or pairs is the same for a million million times as many items."""
    many = Contingency.from_table(np.array([[5, 1, 2], [1, 4, 0], [0, 1, 3]]) * 10**12)
    for measure in MEASURES:
        value = of(measure, many)
        assert np.isfinite(value), measure
        if measure.name not in {"AMI", "ARI", "Rand", "FowlkesMallows"} and not measure.name.startswith("Pair"):
            assert value == approx(of(measure, SEVENTEEN), rel=1e-12), measure
    assert of("AMI", many) == approx(of("NMI", many), rel=1e-9)  # chance gives nothing


def test_ten_million_labels() -> None:
    """The numbers of a small table, a hundred thousand times; narrow types do not run over."""
    truth = np.tile(np.array([0, 0, 0, 1, 1], dtype=np.int8), 2_000_000)
    cluster = np.tile(np.array([0, 0, 1, 1, 1], dtype=np.uint8), 2_000_000)
    table, small = Contingency.from_labels(truth, cluster), Contingency.from_labels([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    for name in ("Purity", "BCubedF", "NMI", "VI"):
        assert of(name, table) == approx(of(name, small))
    metrics = pytest.importorskip("sklearn.metrics")
    assert metrics.adjusted_rand_score(truth[:1000], cluster[:1000]) == approx(of("ARI", table), abs=1e-2)
    assert of("PairTP", table) == 2 * (4e6 * (4e6 - 1) / 2) + 2_000_000 * 1_999_999 / 2


@in_turn(
    ("table", "names", "why"),
    [
        ([[3]], ["NMI", "AMI", "ARI", "VMeasure"], "one class and one cluster (1 by convention)"),
        ([[1]], ["Rand"], "there is one item only"),
        ([[1, 0], [0, 1]], ["ARI", "AMI"], "no two items share a class or a cluster (1 by convention)"),
        ([[1, 0], [0, 1]], ["PairF"], "no two items share a class or a cluster"),
        ([[1, 1]], ["Homogeneity", "VMeasure(beta=0)"], "there is one class only (1 by convention)"),
        ([[1], [1]], ["Completeness"], "there is one cluster only (1 by convention)"),
        ([[2, 1]], ["NMImin", "NMIgeometric"], "(0 by convention)"),
        ([[2, 1]], ["AMImin", "AMIgeometric"], "chance gives as much information as there can be"),
        ([[1, 1]], ["PairPrecision", "FowlkesMallows"], "no two items share a cluster"),
        ([[1], [1]], ["PairRecall", "FowlkesMallows"], "no two items share a class"),
    ],
)
def test_what_is_undefined_says_why(table: list[list[int]], names: list[str], why: str) -> None:
    for name in names:
        told = reason(name, table)
        assert told is not None
        assert told.endswith(why), name


def test_a_unit_without_items_has_no_number() -> None:
    empty = replace(SEVENTEEN, counts=np.zeros_like(SEVENTEEN.counts))
    for measure in MEASURES:
        if measure.definition.bounds is not None:  # none but the counts of pairs
            assert measure.per_unit(empty).reason(0) == "there is no item", measure


def test_items_that_weigh_nothing_are_none() -> None:
    table = Contingency.from_labels([1, 1, 2], [1, 2, 2], sample_weight=[0.0, 0.0, 0.0])
    assert {reason(name, table) for name in ("Rand", "ARI", "PairF", "Purity", "NMI")} == {"there is no item"}


def test_betas_go_all_the_way() -> None:
    for name, limit in (("PairF", "PairRecall"), ("BCubedF", "BCubedRecall"), ("PurityF", "InversePurity")):
        assert of(f"{name}(beta=1e200)", SEVENTEEN) == approx(of(limit, SEVENTEEN))
    assert of("VMeasure(beta=1e300)", SEVENTEEN) == approx(of("Completeness", SEVENTEEN))


# On the command line.


def told(*arguments: str) -> str:
    result = invoke(["measures", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_line_lists_measures_of_clusterings() -> None:
    listed = told("--clusterings")
    assert all(measure.name in listed for measure in MEASURES)
    assert "adjusted_rand_score" in listed
    assert "Adjusted Rand index" in told("ARI")
    assert "pair precision" in told("FowlkesMallows", "--clusterings")
    assert "retrieved" in told("Precision")


def test_the_command_line_gives_them_as_json() -> None:
    (found,) = json.loads(told("AMI", "--json"))["sections"]["measures"]["measures"]
    assert (found["bounds"], found["vocabulary"], found["higher_is_better"]) == ([None, 1.0], "clustering", True)
    listed = json.loads(told("--clusterings", "--json"))["sections"]["measures"]["measures"]
    assert len(listed) >= len(MEASURES)
    assert all("NaN" not in text and "Infinity" not in text for text in (told("--classifiers", "--json"),))


def test_names_that_nobody_has_are_answered_with_the_nearest() -> None:
    result = invoke(["measures", "Purty"])
    assert "did you mean Purity" in f"{result.exception} {result.output}"
    both = invoke(["measures", "--classifiers", "--clusterings"])
    assert "not both" in f"{both.exception} {both.output}"
