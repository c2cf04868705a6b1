"""What chance gives to clusters: against all ways to hand them out, whole numbers of any length, many units at once."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from hypothesis import given, settings
from partition_data import Grouped, expected_information, grouped, of, reason
from strategies import quickly

from assay import Contingency, parse_measure
from assay.measures import partition_information as by_chance
from assay.measures.counting.judgments import Floats

approx = pytest.approx
a_few = settings(quickly, max_examples=10)


def expected(class_sizes: Floats, cluster_sizes: Floats) -> float:
    """What chance gives to one table."""
    return float(by_chance.expected_by_unit(class_sizes[None], cluster_sizes[None])[0])


@a_few
@given(grouped(items=6))
def test_expected_information_is_the_mean_over_all_ways_to_hand_clusters_out(data: Grouped) -> None:
    table = data.table()
    found = expected(table.class_sizes[0], table.cluster_sizes[0])
    assert found == approx(expected_information(data), abs=1e-12)


def exactly_expected(rows: list[int], columns: list[int]) -> float:
    """From whole numbers: how many ways there are, by binomial coefficients."""
    items, total = sum(rows), 0.0
    for a, b in product(rows, columns):
        for n in range(max(1, a + b - items), min(a, b) + 1):
            likely = math.comb(a, n) * math.comb(items - a, b - n) / math.comb(items, b)
            total += likely * n / items * math.log(items * n / (a * b))
    return total


@in_turn(
    ("rows", "columns"),
    [
        ([1, 1, 1, 1], [2, 2]),
        ([500, 500], [300, 700]),
        ([1990, 10], [1000, 999, 1]),
        ([40] * 10 + [1] * 40, [100, 200, 139, 1]),
        ([500, 500, 200], [600, 600]),
    ],
)
def test_expected_information_is_exact(rows: list[int], columns: list[int]) -> None:
    found = expected(np.array(rows, dtype=float), np.array(columns, dtype=float))
    assert found == approx(exactly_expected(rows, columns), rel=1e-10)


def test_the_series_and_the_sum_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the variance is so large that a series is used, adding up all likely numbers gives the same."""
    sides = [np.array(sizes, dtype=float) for sizes in ([40_000, 50_000, 9_000, 1_000], [70_000, 25_000, 5_000])]
    by_series = expected(*sides)
    monkeypatch.setattr(by_chance, "_WIDE", math.inf)
    assert expected(*sides) == approx(by_series, rel=1e-11)


def test_expected_information_of_many_sizes_takes_little_memory() -> None:
    rng = np.random.default_rng(1)
    sides: list[Floats] = [rng.permutation(np.arange(1, 401)).astype(float) for _ in range(2)]
    tracemalloc.start()
    found = expected(*sides)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30e6  # 160,000 pairs of sizes, with some dozens of numbers each
    assert 0 < found < math.log(400)


def of_one_unit(classes: list[int], clusters: list[int]) -> float:
    return expected(np.array(classes, dtype=float), np.array(clusters, dtype=float))


@in_turn("pairs", [1, 7, 1 << 17])
def test_many_tables_at_once_have_what_each_has_alone(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any sizes, the same and different ones, none among them, in blocks that end anywhere."""
    rng = np.random.default_rng(3)
    items = rng.choice([0, 1, 5, 5, 60, 60, 60, 900, 60_000], 40)
    classes, clusters = (
        np.array([rng.multinomial(n, rng.dirichlet(np.full(groups, 0.5))) for n in items]) for groups in (4, 9)
    )
    alone = [of_one_unit(*pair) for pair in zip(classes.tolist(), clusters.tolist(), strict=True)]
    monkeypatch.setattr(by_chance, "_PAIRS", pairs)
    together = by_chance.expected_by_unit(classes.astype(float), clusters.astype(float))
    assert together == approx(alone, rel=1e-12, abs=1e-15)
    assert all(value == 0 for value, number in zip(together, items, strict=True) if number < 2)


def test_sizes_that_tables_share_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand halves of the same items have a few dozen sizes among them."""
    rng = np.random.default_rng(4)
    table = Contingency.from_labels(truth := rng.integers(0, 5, 1000), np.where(rng.random(1000) < 0.6, truth, 7))
    drawn = rng.multivariate_hypergeometric(table.counts[0], 500, size=2000)
    stacked = replace(table, counts=drawn, units=tuple(map(str, range(2000))))
    looked_at, plain = [], by_chance._of_pairs

    def counted(pairs: Any) -> Floats:
        looked_at.append(len(pairs.a))
        return plain(pairs)

    monkeypatch.setattr(by_chance, "_of_pairs", counted)
    found = parse_measure("AMI", "clustering").of(stacked)
    assert sum(looked_at) < 2000 * 5 * 6 / 5
    for unit in (0, 77, 1999):
        assert found[unit] == approx(of("AMI", replace(table, counts=drawn[unit : unit + 1])), rel=1e-12)


def test_clusters_at_random_are_worth_nothing_on_average() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 5, 300)
    tables = [Contingency.from_labels(truth, rng.integers(0, 40, 300)) for _ in range(200)]
    for name in ("ARI", "AMI", "AMImax"):
        found = np.array([of(name, table) for table in tables])
        assert abs(found.mean()) < 4 * found.std() / math.sqrt(200), name


def test_weights_have_no_chance() -> None:
    table = Contingency.from_labels([1, 1, 2], [1, 2, 2], sample_weight=[1.0, 2.0, 1.0])
    assert reason("AMI", table) == "items have weights, and chance is about numbers of items"
