"""Classes and clusters, counted: alike whatever the labels' types, by every way of counting, at any size."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from label_data import forms
from numpy.typing import NDArray
from partition_data import Grouped, grouped, pairs
from strategies import quickly

import assay
from assay import Clusters, Contingency, InputError, ParameterError
from assay.measures.counting import contingency

approx = pytest.approx


def counted(data: Grouped) -> dict[tuple[Any, Any], float]:
    """The items of each class and cluster, one by one."""
    found: Counter[tuple[Any, Any]] = Counter()
    for truth, cluster, weight in data.items:
        found[truth, cluster] += weight  # type: ignore[assignment]
    return dict(found)


def cells(table: Contingency) -> dict[tuple[Any, Any], float]:
    return {(row[0], row[1]): float(row[2]) for row in table.to_frame().rows()}


def as_callers_have_them(labels: list[Any]) -> dict[str, Any]:
    return forms(labels) | {"pandas": pd.Series(labels)}


@quickly
@given(grouped(weighted=True) | grouped())
def test_every_type_of_labels_is_counted_alike_by_every_way_of_counting(data: Grouped) -> None:
    wanted = counted(data)
    clusters = as_callers_have_them(data.cluster)
    for most in (1 << 22, 0):  # a table with a cell for each pair, and none
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(contingency, "_MOST_CELLS", most)
            for name, truth in as_callers_have_them(data.truth).items():
                cluster = clusters.get(name, data.cluster)
                made = Contingency.from_labels(truth, cluster, sample_weight=data.weight)
                assert cells(made) == approx(wanted), (name, most)
                assert list(made.classes) == sorted(set(data.truth)), name
                assert list(made.clusters) == sorted(set(data.cluster)), name


@quickly
@given(grouped(weighted=True) | grouped())
def test_pairs_are_those_of_a_loop_over_all_pairs(data: Grouped) -> None:
    assert [float(each[0]) for each in data.table().pairs] == approx(pairs(data), abs=1e-9)


@in_turn("size", [1, 1000, 10**9, 10**12, 5 * 10**14])
def test_pairs_are_exact_at_any_size(size: int) -> None:
    """Against whole numbers of any length; nothing runs over."""
    table = (np.array([[5, 1, 2], [1, 4, 0], [0, 1, 3]]) * size).tolist()
    columns = [sum(column) for column in zip(*table, strict=True)]
    rows, total = [sum(row) for row in table], sum(columns)

    def within(sizes: list[int]) -> int:
        return sum(n * (n - 1) // 2 for n in sizes)

    tp = within([n for row in table for n in row])
    fp, fn = within(columns) - tp, within(rows) - tp
    wanted = (tp, fp, fn, within([total]) - tp - fp - fn)
    found = Contingency.from_table(table).pairs
    assert [float(each[0]) for each in found] == approx([float(Fraction(each)) for each in wanted], rel=1e-14)


@in_turn("table", [np.array([[1e25, 0], [1e25, 2e25]]), np.array([[1 << 63, 5]], dtype=np.uint64)])
def test_more_items_than_floating_point_numbers_count_are_refused(table: NDArray[Any]) -> None:
    with pytest.raises(InputError, match="9,007,199,254,740,992 items at most"):
        Contingency.from_table(table)


def test_one_wrong_pair_among_very_many_is_not_lost() -> None:
    """In a difference of two large numbers it would be."""
    many = 10**10
    found = Contingency.from_table([[many, 0], [1, many]]).pairs
    assert (found.fp[0], found.fn[0]) == (many, many)


def test_subsamples_over_the_same_cells_are_counted_one_by_one() -> None:
    whole = Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]])
    rng = np.random.default_rng(3)
    drawn = rng.multivariate_hypergeometric(whole.counts[0], 8, size=5)
    stacked = replace(whole, counts=drawn, units=tuple("abcde"))
    assert stacked.items.tolist() == [8.0] * 5
    for unit, counts in enumerate(drawn):
        alone = replace(whole, counts=counts[None])
        for name in ("class_sizes", "cluster_sizes", "largest_of_clusters", "largest_of_classes"):
            assert getattr(stacked, name)[unit].tolist() == getattr(alone, name)[0].tolist()
        assert [each[unit] for each in stacked.pairs] == [each[0] for each in alone.pairs]
    with pytest.raises(ParameterError, match="5 tables, one per unit"):
        stacked.to_frame()
    with pytest.raises(ParameterError, match="the shape"):
        replace(whole, units=("a", "b"))


def test_items_without_weight_are_in_no_cell() -> None:
    made = Contingency.from_labels(["a", "a", "b"], [1, 2, 2], sample_weight=[1.0, 0.0, 2.0])
    assert made.cells.items.tolist() == [1.0, 2.0]
    assert made.is_weighted
    assert made.pairs.fp[0] == 0


# Noise, items without a class, and what is wrong.

TRUTH, CLUSTER = ["x", "x", "o", "o", "o"], [0, -1, 0, -1, 1]


def test_noise_is_left_out_taken_apart_or_kept() -> None:
    dropped = Contingency.from_labels(TRUTH, CLUSTER, noise=-1)
    assert (dropped.items[0], dropped.left_out) == (3.0, {"noise": 2})
    apart = Contingency.from_labels(TRUTH, CLUSTER, noise=-1, noise_as="singletons")
    assert (apart.items[0], len(apart.clusters), apart.left_out) == (5.0, 4, {})
    assert apart.pairs.tp[0] + apart.pairs.fp[0] == 1
    kept = Contingency.from_labels(TRUTH, CLUSTER, noise=-1, noise_as="cluster")
    assert cells(kept) == cells(Contingency.from_labels(TRUTH, CLUSTER))


def test_noise_may_be_a_word_and_singletons_get_names_that_nobody_has() -> None:
    apart = Contingency.from_labels(TRUTH, ["a", "none", "a", "none", "none 1"], noise="none", noise_as="singletons")
    assert apart.items[0] == 5
    assert len(apart.clusters) == 4
    largest = np.array([0, -1, 0, -1, 2**63 - 1])
    assert len(Contingency.from_labels(TRUTH, largest, noise=-1, noise_as="singletons").clusters) == 4


def test_noise_among_booleans_is_named_as_they_are() -> None:
    apart = Contingency.from_labels(TRUTH[:3], [True, False, False], noise=False, noise_as="singletons")
    assert apart.clusters == ("false 1", "false 2", "true")


def test_where_nothing_is_noise_clusters_keep_their_names() -> None:
    assert Contingency.from_labels(TRUTH, [1.0, 2, 1, 2, 3], noise=9, noise_as="singletons").clusters == (1, 2, 3)
    assert Contingency.from_labels([1, 2], [True, False], noise="true", noise_as="drop").left_out == {"noise": 1}
    words = Contingency.from_labels([1, 2], ["a", "b"], noise="c", noise_as="singletons")
    assert words.clusters == ("a", "b")


@in_turn("policy", ["singletons", "cluster"])
def test_a_policy_for_noise_needs_the_label_of_noise(policy: Any) -> None:
    with pytest.raises(ParameterError, match=f"noise_as='{policy}' goes with `noise`"):
        Contingency.from_labels(TRUTH, CLUSTER, noise_as=policy)
    without_classes = Clusters.of(None, CLUSTER, X=np.arange(5.0)[:, None])
    with pytest.raises(ParameterError, match=f"noise_as='{policy}' goes with `noise`"):
        assay.cluster(without_classes, noise_as=policy)


@in_turn("noise", [True, np.True_])
@in_turn("clusters", [[1, 0, 1], ["True", "a", "b"]])
def test_truth_values_are_no_label_of_other_clusters(noise: Any, clusters: list[Any]) -> None:
    with pytest.raises(ParameterError, match=r"noise is a label of the clusters, such as .*, not (np\.)?True"):
        Contingency.from_labels(TRUTH[:3], clusters, noise=noise)


@quickly
@given(grouped(), st.sampled_from(["drop", "singletons"]))
def test_noise_by_either_policy_is_as_if_the_labels_had_been_changed(data: Grouped, policy: Any) -> None:
    noise = data.cluster[0]
    noisy = [place for place, label in enumerate(data.cluster) if label == noise]
    if policy == "drop" and len(noisy) == len(data.cluster):
        return
    kept = [place for place in range(len(data.cluster)) if policy == "singletons" or place not in noisy]
    renamed = [("alone", place) if place in noisy else ("with", data.cluster[place]) for place in kept]
    numbers = [sorted(set(renamed), key=str).index(label) for label in renamed]
    wanted = Contingency.from_labels([data.truth[place] for place in kept], numbers)
    found = Contingency.from_labels(data.truth, data.cluster, noise=noise, noise_as=policy)
    assert found.pairs == wanted.pairs
    assert sorted(found.counts[0]) == sorted(wanted.counts[0])


def test_items_without_a_class_are_an_error_left_out_or_a_class() -> None:
    truth = ["x", None, "o", None]
    with pytest.raises(InputError, match=r"labels_true: 2 nulls, the first at item 2: choose unlabelled='drop'"):
        Contingency.from_labels(truth, [1, 1, 2, 2])
    dropped = Contingency.from_labels(truth, [1, 1, 2, 2], unlabelled="drop")
    assert (dropped.items[0], dropped.left_out) == (2.0, {"without a class": 2})
    assert Contingency.from_labels(truth, [1, 1, 2, 2], unlabelled="class").classes == ("o", "x", None)


@in_turn(
    ("arguments", "says"),
    [
        ({"labels_true": [1, 2], "labels_pred": [1]}, "expected as many clusters as classes"),
        ({"labels_true": [], "labels_pred": []}, "expected at least one item, got none"),
        ({"labels_true": [1, 2], "labels_pred": [1, None]}, "labels_pred: 1 null, the first at item 2"),
        ({"labels_true": [[1], [2]], "labels_pred": [1, 2]}, "overlapping groups are not measured"),
        ({"labels_true": [1, 2], "labels_pred": [0, 0], "noise": 0}, "no item is left: 2 items"),
        ({"labels_true": [2**70, 2], "labels_pred": [0, 0]}, f"labels_true: expected .* 64 bits, got {2**70}$"),
        ({"labels_true": [1, 2], "labels_pred": [0, 0], "sample_weight": [1]}, "expected 2 weights"),
        ({"labels_true": [1, 2], "labels_pred": [0, 0], "sample_weight": [1, -1]}, "expected numbers from 0 on"),
    ],
)
def test_labels_that_cannot_be_counted(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Contingency.from_labels(**arguments)


@in_turn(("name", "word"), [("noise_as", "dropp"), ("unlabelled", "erro")])
def test_unknown_words_are_answered_with_those_that_are_meant(name: str, word: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} is one of .* did you mean"):
        Contingency.from_labels([1], [1], **{name: word})  # type: ignore[arg-type]


@in_turn(
    ("table", "says"),
    [
        ([[1, -2]], "-2 is no number of them"),
        ([[1, 0.5]], "0.5 is no number of them"),
        ([[1, np.nan]], "nan is no number of them"),
        ([[1, np.inf]], "inf is no number of them"),
        ([[0, 0]], "expected at least one item"),
        ([1, 2], "in rows and columns"),
        ([[1, 2], [3]], "in rows and columns"),
        ([["a"]], "in rows and columns"),
        ([[]], "in rows and columns"),
    ],
)
def test_tables_that_count_nothing(table: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Contingency.from_table(table)


def test_names_of_a_table_are_as_many_as_it_has_rows_and_columns() -> None:
    with pytest.raises(InputError, match="expected 2 different names, one per class"):
        Contingency.from_table([[1], [2]], classes=["a", "a"])
    with pytest.raises(InputError, match="expected 1 different names, one per cluster"):
        Contingency.from_table([[1], [2]], clusters=["a", "b"])


def test_a_table_reads_back_from_its_items() -> None:
    table = Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes="xod", clusters=[7, 8, 9])
    rows = table.to_frame().rows()
    truth, cluster = ([row[side] for row in rows for _ in range(row[2])] for side in (0, 1))
    again = Contingency.from_labels(pl.Series(truth), cluster)
    assert cells(again) == cells(table)
    assert table.table.tolist() == [[5, 1, 2], [1, 4, 0], [0, 1, 3]]


@in_turn(
    "table", [[[2**51 + 1, 7], [9, 2**50]], [[2**51 + 1, 7], [9, 1]], [[2**50, 1], [1, 2**50]], [[2**40, 7], [9, 3]]]
)
def test_pairs_of_small_cells_are_counted_beside_huge_ones(table: list[list[int]]) -> None:
    (a, b), (c, d) = table
    found = Contingency.from_table(table).pairs
    exact = (sum(n * (n - 1) // 2 for n in (a, b, c, d)), a * c + b * d, a * b + c * d, a * d + b * c)
    assert [float(one[0]) for one in found] == approx([float(one) for one in exact], rel=1e-14)


def test_classes_and_clusters_without_items_can_be_left_out() -> None:
    table = Contingency.from_table([[3, 0, 1], [0, 0, 0], [2, 0, 5]], classes="xyz", clusters="abc")
    held = table.without_empty()
    assert (held.classes, held.clusters, held.table.tolist()) == (("x", "z"), ("a", "c"), [[3, 1], [2, 5]])
    assert held.without_empty() is held
    weighted = Contingency.from_labels(list("xxyy"), [0, 1, 1, 2], sample_weight=[1, 0, 2, 0]).without_empty()
    assert weighted.to_frame().rows() == [("x", 0, 1.0), ("y", 1, 2.0)]
    assert weighted.squares is not None
    assert weighted.squares.tolist() == [[1.0, 4.0]]
