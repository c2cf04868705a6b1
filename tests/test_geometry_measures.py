"""Measures of clusterings by where the points are: the worked example, scikit-learn, plain loops, undefined values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from hypothesis import given
from label_data import recomputed
from point_data import Numbers, clustered, plain_distances
from scipy.spatial.distance import cdist
from sklearn import metrics as sklearn_metrics
from sklearn.datasets import load_iris, load_wine
from strategies import quickly

from assay import Measure, Points, parse_measure
from assay.measures import registered
from assay.measures.geometry import ALL_ALONE, NO_PAIR, ONE_CLUSTER

approx = pytest.approx
MEASURES = [one for one in registered("clustering").values() if one.definition.counts is Points]
each_measure = in_turn("measure", MEASURES, ids=str)
ALIKE = "the points of each cluster are all alike"
LINE, HALVES = [0, 1, 2, 10, 11], [0, 0, 0, 1, 1]


def value(measure: str | Measure, points: Points) -> float:
    (number,) = parse_measure(measure, "clustering").of(points)
    return float(number)


def reason(measure: str | Measure, points: Points) -> str | None:
    return parse_measure(measure, "clustering").per_unit(points).reason(0)


def examples() -> list[Points]:
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(30, 3)) + 2, rng.integers(0, 4, 30)
    made = [Points.of(rows, codes, metric=metric) for metric in ("euclidean", "manhattan", "cosine", "sqeuclidean")]
    return [
        *made,
        Points.of(rows, codes, sample_size=12),
        Points.of(cdist(rows, rows), codes, metric="precomputed"),
        Points.of(LINE, HALVES),
        Points.of(LINE, [0] * 5),
        Points.of(LINE, range(5)),
        Points.of([1, 1, 2, 2], [0, 0, 1, 1]),
        Points.of([1, 1, 1, 1], [0, 0, 1, 1]),
        Points.of([5], ["a"]),
    ]


# The worked example: points 0 1 2 | 10 11 on a line.


def test_the_silhouette_of_the_worked_example() -> None:
    points = Points.of(LINE, HALVES)
    each = [1 - 1.5 / 10.5, 1 - 1 / 9.5, 1 - 1.5 / 8.5, 1 - 1 / 9, 1 - 1 / 10]
    assert points.silhouettes == approx(each)
    assert value("Silhouette", points) == approx(sum(each) / 5)
    assert value("Silhouette", points) == approx(0.8729, abs=5e-5)
    # A source divides by all points of the cluster, the point itself included, and has 0.9223: it is not that.
    with_itself = [1 - 1 / 10.5, 1 - (2 / 3) / 9.5, 1 - 1 / 8.5, 1 - 0.5 / 9, 1 - 0.5 / 10]
    assert sum(with_itself) / 5 == approx(0.9223, abs=5e-5)


def test_davies_bouldin_and_calinski_harabasz_of_the_worked_example() -> None:
    points = Points.of(LINE, HALVES)
    assert value("DaviesBouldin", points) == approx((2 / 3 + 1 / 2) / 9.5)
    assert value("DaviesBouldin", points) == approx(0.1228, abs=5e-5)
    between, within = 3 * (1 - 4.8) ** 2 + 2 * (10.5 - 4.8) ** 2, 2 + 0.5
    assert value("CalinskiHarabasz", points) == approx((between / 1) / (within / 3))
    assert value("CalinskiHarabasz", points) == approx(129.96)


# scikit-learn, and plain loops.


@given(clustered(plain=True))
@quickly
def test_measures_agree_with_scikit_learn_on_random_points(data: tuple[Numbers, list[int]]) -> None:
    rows, codes = data
    points = Points.of(rows, codes)
    # Its distances of nearly equal points are good to half the digits only.
    assert value("Silhouette", points) == approx(sklearn_metrics.silhouette_score(rows, codes), abs=1e-6)
    for name in ("DaviesBouldin", "CalinskiHarabasz"):
        ours, theirs = value(name, points), getattr(sklearn_metrics, _sklearn(name))(rows, codes)
        if math.isnan(ours):  # where it has 0 or 1 by convention
            assert reason(name, points) in {"two clusters have the same centroid", ALIKE}
        else:
            assert ours == approx(theirs, rel=1e-9, abs=1e-7), name


def _sklearn(name: str) -> str:
    function = parse_measure(name, "clustering").definition.sklearn
    assert function is not None
    return function


@in_turn("load", [load_iris, load_wine])
def test_measures_agree_with_scikit_learn_on_its_data_sets(load: Any) -> None:
    rows, classes = load(return_X_y=True)
    points = Points.of(rows, classes)
    for name in ("Silhouette", "DaviesBouldin", "CalinskiHarabasz"):
        assert value(name, points) == approx(getattr(sklearn_metrics, _sklearn(name))(rows, classes), rel=1e-9)
    assert value("Silhouette", Points.of(rows, classes, metric="cosine")) == approx(
        sklearn_metrics.silhouette_score(rows, classes, metric="cosine"), abs=1e-9
    )


@given(clustered())
@quickly
def test_mean_distances_are_those_of_all_pairs(data: tuple[Numbers, list[int]]) -> None:
    rows, codes = data
    points, distance = Points.of(rows, codes), plain_distances(rows)
    same, upper = np.equal.outer(codes, codes), np.triu(np.ones((len(codes), len(codes)), dtype=bool), 1)
    for name, mask in (("WithinDistance", same & upper), ("BetweenDistance", ~same & upper)):
        assert value(name, points) == approx(float(distance[mask].mean()), rel=1e-9, abs=1e-300), name


@in_turn("metric", ["cosine", "sqeuclidean", "manhattan"])
@in_turn("offset", [0.0, 1e3])
def test_closed_forms_of_pairs_are_those_of_all_pairs(metric: str, offset: float) -> None:
    rng = np.random.default_rng(1)
    rows, codes = rng.normal(size=(40, 4)) + offset, rng.integers(0, 5, 40)
    points = Points.of(rows, codes, metric=metric)
    # 1 - cosine loses digits where all directions are nearly the same; half the squared difference of them does not.
    units = rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))
    distance = (
        cdist(units, units, "sqeuclidean") / 2
        if metric == "cosine"
        else cdist(rows, rows, "cityblock" if metric == "manhattan" else metric)
    )
    same, upper = np.equal.outer(codes, codes), np.triu(np.ones((40, 40), dtype=bool), 1)
    for side, mask in (("Within", same & upper), ("Between", ~same & upper)):
        mean = float(distance[mask].mean())
        assert value(f"{side}Distance", points) == approx(mean, rel=1e-8)
        if metric == "cosine":
            assert value(f"{side}Similarity", points) == approx(1 - mean, abs=1e-9)
    table = points.per_cluster()
    for cluster, within, between in table.select("cluster", "within_distance", "between_distance").iter_rows():
        inside = codes == cluster
        assert within == approx(distance[np.ix_(inside, inside)].sum() / (inside.sum() * (inside.sum() - 1)), rel=1e-8)
        assert between == approx(distance[np.ix_(inside, ~inside)].mean(), rel=1e-8)
    assert table["silhouette"].to_numpy() @ table["items"].to_numpy() / 40 == approx(value("Silhouette", points))


@in_turn("metric", ["euclidean", "manhattan", "cosine"])
def test_davies_bouldin_in_other_metrics_is_its_definition(metric: str) -> None:
    rng = np.random.default_rng(2)
    rows, codes = rng.normal(size=(50, 4)) + 1, rng.integers(0, 4, 50)
    scipy_metric = "cityblock" if metric == "manhattan" else metric
    units = rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)) if metric == "cosine" else rows
    middle = np.array([units[codes == cluster].mean(axis=0) for cluster in range(4)])
    spread = [cdist(rows[codes == c], middle[[c]], scipy_metric).mean() for c in range(4)]
    apart = cdist(middle, middle, scipy_metric)
    worst = [max((spread[one] + spread[c]) / apart[one, c] for c in range(4) if c != one) for one in range(4)]
    assert value("DaviesBouldin", Points.of(rows, codes, metric=metric)) == approx(np.mean(worst), rel=1e-9)


def test_measures_do_not_lose_digits_far_from_the_origin() -> None:
    """Whole numbers, so that moving them by a billion loses nothing: what differs is lost in the computation."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 5, 200)
    rows = np.round(1000 * rng.normal(size=(200, 6)) + 3000 * rng.normal(size=(5, 6))[codes])
    for name in ("Silhouette", "DaviesBouldin", "CalinskiHarabasz", "WithinDistance", "BetweenDistance"):
        here, there = value(name, Points.of(rows, codes)), value(name, Points.of(rows + 1e9, codes))
        assert there == approx(here, rel=1e-12), name
        assert value(name, Points.of(rows / 2**30, codes)) == approx(here / (2**30 if "Distance" in name else 1))


def test_a_sampled_silhouette_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(4)
    codes = np.repeat([0, 1, 2], [3000, 900, 100])
    rows = rng.normal(size=(4000, 5)) + 2 * rng.normal(size=(3, 5))[codes]
    exact, some = Points.of(rows, codes), Points.of(rows, codes, sample_size=400, seed=1)
    assert value("Silhouette", some) == approx(value("Silhouette", exact), abs=0.05)
    for name in ("WithinDistance", "BetweenDistance"):
        assert value(name, some) == approx(value(name, exact), rel=0.05)
    for name in ("DaviesBouldin", "CalinskiHarabasz"):  # these take all points in any case
        assert value(name, some) == value(name, exact)


# Undefined values have a reason.


@in_turn(
    ("measures", "points", "says"),
    [
        ("Silhouette DaviesBouldin CalinskiHarabasz BetweenDistance", Points.of(LINE, [0] * 5), ONE_CLUSTER),
        ("Silhouette DaviesBouldin CalinskiHarabasz BetweenDistance", Points.of([3], [0]), ONE_CLUSTER),
        ("Silhouette DaviesBouldin CalinskiHarabasz", Points.of(LINE, range(5)), ALL_ALONE),
        ("WithinDistance", Points.of(LINE, range(5)), NO_PAIR),
        ("CalinskiHarabasz", Points.of([1, 1, 2, 2], [0, 0, 1, 1]), ALIKE),
        ("CalinskiHarabasz", Points.of([1, 1, 1, 1], [0, 0, 1, 1]), ALIKE),
        ("DaviesBouldin", Points.of([0, 2, 1, 1], [0, 0, 1, 1]), "two clusters have the same centroid"),
        ("DaviesBouldin", Points.of([0.1, 0.3, 0.15, 0.25], [0, 0, 1, 1]), "two clusters have the same centroid"),
        ("DaviesBouldin", Points.of([[1, 1], [2, 2], [5, 5]], [0, 0, 1], metric="cosine"), "the same centroid"),
        ("DaviesBouldin", Points.of([[1, 0], [-1, 0], [0, 5]], [0, 0, 1], metric="cosine"), "cancel out"),
        ("DaviesBouldin", Points.of(LINE, HALVES, metric="sqeuclidean"), "no centroids in the metric sqeuclidean"),
        ("CalinskiHarabasz", Points.of(LINE, HALVES, metric="manhattan"), "about Euclidean distances"),
        ("WithinSimilarity BetweenSimilarity", Points.of(LINE, HALVES), "a distance, and not a similarity"),
        ("DaviesBouldin", Points.of(np.ones((3, 3)) - np.eye(3), [0, 0, 1], metric="precomputed"), "no points"),
    ],
)  # fmt: skip
def test_undefined_values_have_a_reason(measures: str, points: Points, says: str) -> None:
    for name in measures.split():
        assert math.isnan(value(name, points)), name
        assert says in (reason(name, points) or ""), name


def test_points_that_are_alike_in_each_cluster_are_perfect() -> None:
    points = Points.of([1, 1, 2, 2], [0, 0, 1, 1])
    assert value("Silhouette", points) == 1
    assert value("DaviesBouldin", points) == 0
    assert value("WithinDistance", points) == 0


def test_points_that_are_all_alike_are_between_the_clusters() -> None:
    assert value("Silhouette", Points.of([1, 1, 1, 1], [0, 0, 1, 1])) == 0


# Every measure.


@each_measure
def test_its_name_reads_back_and_it_has_a_card(measure: Measure) -> None:
    assert parse_measure(str(measure), "clustering") == measure
    for alias in measure.definition.aliases:
        assert parse_measure(alias.upper(), "clustering") == measure
    card = measure.__doc__ or ""
    assert ".. math::" in card
    assert f">>> {measure.name}.of" in card


@each_measure
def test_values_are_within_bounds_and_steps_reduce_to_them(measure: Measure) -> None:
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    for points in examples():
        result = measure.per_unit(points)
        number = float(result.values[0])
        assert math.isnan(number) == (result.reason(0) is not None)
        assert math.isnan(number) or low <= number <= high
        assert recomputed(result, 0) == approx(number, nan_ok=True)


@each_measure
def test_the_order_of_items_and_the_names_of_clusters_do_not_matter(measure: Measure) -> None:
    rng = np.random.default_rng(5)
    rows, codes, order = rng.normal(size=(60, 3)), rng.integers(0, 4, 60), rng.permutation(60)
    for metric in ("euclidean", "cosine"):
        plain = value(measure, Points.of(rows, codes, metric=metric))
        moved = Points.of(rows[order], np.array(list("dbca"))[codes[order]].tolist(), metric=metric)
        assert value(measure, moved) == approx(plain, rel=1e-12, nan_ok=True)


@each_measure
def test_clusters_that_are_apart_are_better_than_mixed_ones(measure: Measure) -> None:
    rng = np.random.default_rng(6)
    codes = np.repeat([0, 1, 2], 20)
    rows = rng.normal(size=(60, 3)) * 0.1 + np.eye(3)[codes]
    metric = "cosine" if "Similarity" in measure.name else "euclidean"
    apart, mixed = (value(measure, Points.of(rows, one, metric=metric)) for one in (codes, rng.permutation(codes)))
    assert (apart > mixed) is measure.definition.higher_is_better


# What the page about measures says of scikit-learn.


@in_turn(
    ("name", "rows", "codes", "theirs"),
    [
        ("CalinskiHarabasz", [1, 1, 2, 2], [0, 0, 1, 1], 1),
        ("DaviesBouldin", [0, 2, -1, 3], [0, 0, 1, 1], 0),
        ("DaviesBouldin", [0, 2, -1, 3, 9, 10], [0, 0, 1, 1, 2, 2], (1.5 / 8.5 + 2 * 2.5 / 8.5) / 3),
    ],
)
def test_what_is_undefined_here_has_a_number_there(name: str, rows: Any, codes: Any, theirs: float) -> None:
    points = np.array(rows, dtype=float)[:, None]
    assert getattr(sklearn_metrics, _sklearn(name))(points, codes) == approx(theirs)
    assert reason(name, Points.of(points, codes)) in {ALIKE, "two clusters have the same centroid"}


@in_turn("name", ["Silhouette", "DaviesBouldin", "CalinskiHarabasz"])
@in_turn("codes", [[0, 0, 0, 0], [0, 1, 2, 3]])
def test_what_is_undefined_here_is_an_error_there(name: str, codes: list[int]) -> None:
    points = np.arange(4.0)[:, None]
    assert reason(name, Points.of(points, codes)) in {ONE_CLUSTER, ALL_ALONE}
    with pytest.raises(ValueError, match="Number of labels"):
        getattr(sklearn_metrics, _sklearn(name))(points, codes)


def test_far_from_the_origin_silhouettes_are_what_they_are_near_it() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3)) * 1e-3 + 1e6
    codes = rng.integers(0, 3, 300)
    rows += codes[:, None] * 1e-3
    assert value("Silhouette", Points.of(rows, codes)) == approx(value("Silhouette", Points.of(rows - 1e6, codes)))
    assert value("Silhouette", Points.of(rows, codes)) == approx(0.13, abs=0.005)
    assert sklearn_metrics.silhouette_score(rows - 1e6, codes) == approx(0.13, abs=0.005)
    assert abs(sklearn_metrics.silhouette_score(rows, codes) - 0.13) > 0.05


def test_samples_stray_less_than_those_of_scikit_learn() -> None:
    rows, codes = load_iris(return_X_y=True)
    ours = [value("Silhouette", Points.of(rows, codes, sample_size=30, seed=seed)) for seed in range(200)]
    theirs = [sklearn_metrics.silhouette_score(rows, codes, sample_size=30, random_state=seed) for seed in range(200)]
    assert (np.std(ours), np.std(theirs)) == approx((0.03, 0.06), abs=0.005)
