"""`Points`: distances, silhouettes, centroids and samples against plain loops; bounded memory."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from point_data import Numbers, brute_force, clustered, plain_distances
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_samples
from strategies import quickly

from assay import InputError, ParameterError, Points
from assay.measures.counting import silhouettes
from assay.measures.counting.distances import Centroids, Distances
from assay.measures.counting.points import drawn_by_cluster
from assay.measures.counting.silhouettes import blocks_of

approx = pytest.approx


# Silhouettes.


@given(clustered(), st.sampled_from([2, 3, 5, 512]))
@quickly
def test_silhouettes_are_those_of_plain_loops_at_any_offset_and_scale(
    data: tuple[Numbers, list[int]], block: int
) -> None:
    rows, codes = data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(silhouettes, "BLOCK", block)
        patch.setattr(blocks_of, "__defaults__", (block,))
        points = Points.of(rows, codes)
        value, nearest, own, other = brute_force(plain_distances(rows), codes)
        assert points.silhouettes == approx(value, abs=1e-9)
        assert points.sums.own == approx(own, rel=1e-9, abs=1e-300)
        assert points.sums.other == approx(other, rel=1e-9, abs=1e-300)
        if (points.nearest != nearest).any():  # two clusters may be equally near, but for rounding
            differs = np.flatnonzero(points.nearest != nearest)
            for point in differs:
                means = points.distances_of(int(point) + 1)["mean_distance"].to_list()
                assert means[points.nearest[point]] == approx(means[nearest[point]], rel=1e-9)


@in_turn("metric", ["euclidean", "cosine", "manhattan", "sqeuclidean"])
@in_turn(("size", "columns", "clusters"), [(60, 3, 5), (1300, 9, 4), (700, 5, 300)])
def test_silhouettes_agree_with_scikit_learn_in_every_metric(
    metric: str, size: int, columns: int, clusters: int
) -> None:
    rng = np.random.default_rng(size)
    rows, codes = np.abs(rng.normal(size=(size, columns))) + 0.5, rng.integers(0, clusters, size)
    rows[5:15] = rows[4]
    theirs = silhouette_samples(rows, codes, metric=metric)
    assert Points.of(rows, codes, metric=metric).silhouettes == approx(theirs, abs=1e-9)


def test_given_distances_serve_as_well_as_points() -> None:
    rng = np.random.default_rng(4)
    rows, codes = rng.normal(size=(900, 3)), rng.integers(0, 5, 900)
    given_points = Points.of(rows, codes, metric="manhattan")
    table = Points.of(cdist(rows, rows, "cityblock"), codes, metric="precomputed")
    assert table.silhouettes == approx(given_points.silhouettes, abs=1e-12)
    assert (table.nearest == given_points.nearest).all()
    some = np.arange(0, 900, 3)
    assert table.only(some).silhouettes == approx(given_points.only(some).silhouettes, abs=1e-12)
    assert table.distances_of(7).equals(given_points.distances_of(7), null_equal=True)


@in_turn("columns", [3, 400])
def test_rows_in_proportion_are_between_the_clusters(columns: int) -> None:
    """All distances are 0 but for rounding, which is not divided by rounding."""
    rng = np.random.default_rng(columns)
    rows, codes = np.outer([1, 2, 3, 5, 7, 9.0], np.append([1, 3, 0.7], rng.random(columns - 3))), [0, 0, 1, 1, 1, 1]
    points = Points.of(rows, codes, metric="cosine")
    assert points.silhouettes.tolist() == [0] * 6
    assert points.silhouette_of(1).value == 0


def test_small_angles_are_not_rounding() -> None:
    angle = np.array([0, 1, 2, 10, 11]) * 1e-9
    points = Points.of(np.c_[np.cos(angle), np.sin(angle)], [0, 0, 0, 1, 1], metric="cosine")
    assert points.silhouettes == approx(Points.of(angle * 1e9, [0, 0, 0, 1, 1], metric="sqeuclidean").silhouettes)


def test_the_order_of_rows_does_not_matter_to_a_sample() -> None:
    """Points are drawn by their coordinates; where there are distances alone, by the names of the items."""
    rng = np.random.default_rng(0)
    rows, codes, names = rng.normal(size=(60, 3)), rng.choice([*"abc"], 60), [f"i{number:02}" for number in range(60)]
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))
    order = rng.permutation(60)
    turned = [names[place] for place in order]
    for one, other in (
        (Points.of(rows, codes, sample_size=20), Points.of(rows[order], codes[order], sample_size=20)),
        (Points.of(distances, codes, metric="precomputed", item_id=names, sample_size=20),
         Points.of(distances[np.ix_(order, order)], codes[order], metric="precomputed", item_id=turned,
                   sample_size=20)),
    ):  # fmt: skip
        assert np.nansum(one.silhouettes) == pytest.approx(np.nansum(other.silhouettes), abs=1e-12)


def test_the_order_of_rows_and_the_names_of_clusters_do_not_matter() -> None:
    rng = np.random.default_rng(6)
    rows, codes = rng.normal(size=(1500, 6)), rng.integers(0, 4, 1500)
    order = rng.permutation(1500)
    plain = Points.of(rows, codes).silhouettes
    assert Points.of(rows[order], codes[order]).silhouettes == approx(plain[order], abs=1e-12)
    names = np.array(["d", "a", "c", "b"])[codes]
    assert Points.of(rows, names.tolist()).silhouettes == approx(plain, abs=1e-12)


def test_threads_do_not_change_a_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    rows, codes = rng.normal(size=(2600, 6)), rng.integers(0, 3, 2600)
    several = Points.of(rows, codes).silhouettes
    monkeypatch.setattr(Distances, "threads_for", lambda *_: False)
    assert (Points.of(rows, codes).silhouettes == several).all()


def test_many_dimensions_go_through_one_product() -> None:
    rng = np.random.default_rng(8)
    rows, codes = rng.normal(size=(1100, 90)), rng.integers(0, 3, 1100)
    assert Points.of(rows, codes).silhouettes == approx(silhouette_samples(rows, codes), abs=1e-9)


@in_turn("clusters", [8, 3000])
def test_memory_does_not_grow_with_the_square_of_the_points(clusters: int) -> None:
    """All distances of 6,000 points are 288 MB, and points times clusters up to 144 MB; a few tiles are held."""
    rng = np.random.default_rng(9)
    rows, codes = rng.normal(size=(6000, 6)), np.arange(6000) % clusters
    points = Points.of(rows, codes)
    tracemalloc.start()
    try:
        assert np.isfinite(points.silhouettes).all()
        assert tracemalloc.get_traced_memory()[1] < 64 * 2**20
    finally:
        tracemalloc.stop()


def test_blocks_hold_every_point_once() -> None:
    rng = np.random.default_rng(10)
    for _ in range(50):
        sizes = rng.integers(1, 40, rng.integers(1, 30))
        blocks = blocks_of(sizes, most=16)
        assert [block.start for block in blocks] == [0, *(block.end for block in blocks[:-1])]
        assert blocks[-1].end == sizes.sum()
        assert all(block.end - block.start <= 16 for block in blocks)
        assert sum(len(block.starts) for block in blocks if block.last) == len(sizes)


# One point.


@given(clustered())
@quickly
def test_one_point_is_shown_with_the_numbers_that_its_silhouette_is_made_of(data: tuple[Numbers, list[int]]) -> None:
    rows, codes = data
    points = Points.of(rows, codes)
    for row in range(len(rows)):
        shown = points.silhouette_of(row + 1)
        assert shown.value == approx(points.silhouettes[row], abs=1e-9)
        assert shown.cluster == codes[row]
        table = points.distances_of(row + 1)
        assert table["items"].sum() == len(rows) - 1
        assert shown.other == approx(table.filter(pl.col("cluster") != codes[row])["mean_distance"].min(), rel=1e-12)


def test_items_are_found_by_id_and_keep_their_row_when_noise_is_left_out() -> None:
    points = Points.of([50, 0, 1, 9], [-1, 0, 0, 1], noise=-1)
    assert points.silhouette_of(2).own == 1
    assert points.silhouette_of("4").value == 0
    named = Points.of([50, 0, 1, 9], ["none", "a", "a", "b"], noise="none", item_id=list("wxyz"))
    assert named.silhouette_of("x")[:-1] == ("x", "a", 1.0, "b", 9.0)
    assert named.silhouette_of("x").value == approx(8 / 9)
    for of, item in ((points, 1), (named, "w"), (Points.of([0, 1], [0, 1]), 3), (Points.of([0, 1], [0, 1]), "x")):
        with pytest.raises(InputError, match=r"expected .*, got"):
            of.distances_of(item)


def test_one_cluster_has_no_other() -> None:
    points = Points.of([0, 1, 5], [0, 0, 0])
    assert np.isnan(points.silhouettes).all()
    assert (points.nearest == -1).all()
    assert np.isnan(points.silhouette_of(1).value)
    assert points.per_cluster()["silhouette"].to_list() == [None]
    assert points.per_cluster()["between_distance"].to_list() == [None]


# Samples.


def test_a_sample_has_every_cluster_and_each_point_is_measured_against_all() -> None:
    rng = np.random.default_rng(11)
    codes = np.repeat([0, 1, 2, 3], [1500, 400, 3, 1])
    rows = rng.normal(size=(len(codes), 6)) + 3 * rng.normal(size=(4, 6))[codes]
    for metric in ("euclidean", "manhattan", "cosine"):
        full, some = Points.of(rows, codes, metric=metric), Points.of(rows, codes, metric=metric, sample_size=200)
        assert some.chosen is not None
        assert len(some.chosen) == 200
        assert some.silhouettes[some.chosen] == approx(full.silhouettes[some.chosen], abs=1e-9)
        assert np.isnan(some.silhouettes).sum() == len(codes) - 200
        assert (some.nearest[some.chosen] == full.nearest[some.chosen]).all()
        taken = np.bincount(codes[some.chosen])
        assert taken[2:].tolist() == [2, 1]
        assert taken[0] / 1500 == approx(taken[1] / 400, abs=0.01)
    assert Points.of(rows, codes, sample_size=len(codes)).chosen is None


def test_points_of_a_sample_are_themselves_wherever_they_stand() -> None:
    """Shuffled items, clusters of one size: the ends of a sample often lie as far apart as it is long."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        codes = rng.permutation(np.repeat([0, 1], 50))
        rows = rng.normal(size=(100, 2)) + 4.0 * codes[:, None]
        full, some = Points.of(rows, codes), Points.of(rows, codes, sample_size=50, seed=seed)
        assert some.silhouettes[some.chosen] == approx(full.silhouettes[some.chosen], abs=1e-9)


def test_the_mean_of_a_sample_is_not_biased() -> None:
    rng = np.random.default_rng(12)
    codes = np.repeat([0, 1, 2], [400, 150, 50])
    rows = rng.normal(size=(600, 3)) + rng.normal(size=(3, 3))[codes]
    full = Points.of(rows, codes)
    exact = full.silhouettes.mean()
    means = []
    for seed in range(300):
        some = Points.of(rows, codes, metric="sqeuclidean", sample_size=60, seed=seed)
        assert some.chosen is not None
        some.__dict__["silhouettes"] = np.where(np.isin(np.arange(600), some.chosen), full.silhouettes, np.nan)
        means.append(float((some.sizes * some.mean_silhouettes).sum() / 600))
    assert np.mean(means) == approx(exact, abs=4 * np.std(means) / np.sqrt(300))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(0, 1000), st.floats(0, 1))
@quickly
def test_samples_are_as_large_as_asked_and_near_to_proportion(sizes: list[int], seed: int, share: float) -> None:
    counts = np.array(sizes)
    codes = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    least = np.minimum(counts, 2)
    wanted = int(least.sum() + share * (counts.sum() - least.sum()))
    drawn = drawn_by_cluster(codes, counts, wanted, seed)
    if drawn is None:
        assert wanted >= len(codes)
        return
    taken = np.bincount(codes[drawn], minlength=len(counts))
    assert len(set(drawn.tolist())) == wanted
    assert (taken >= least).all()
    free = taken > least
    if free.any():  # those that have more than the least have one share of theirs, but for rounding
        assert (np.abs(taken[free] - counts[free] * (taken[free] / counts[free]).mean()) < 2 + 0.1 * counts[free]).all()


@in_turn(("size", "says"), [(3, "2 clusters need 4"), (2.5, "whole number"), (True, "whole number")])
def test_samples_that_are_too_small_are_refused(size: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Points.of(np.arange(10.0), [0, 1] * 5, sample_size=size)


# Centroids.


@given(clustered())
@quickly
def test_centroids_and_squared_distances_are_those_of_fractions(data: tuple[Numbers, list[int]]) -> None:
    rows, codes = data
    made = Centroids.of(rows, np.array(codes), max(codes) + 1)
    exact = [[Fraction(number) for number in row] for row in rows.tolist()]
    middle = _mean(exact)
    for cluster in range(max(codes) + 1):
        inside = [row for row, code in zip(exact, codes, strict=True) if code == cluster]
        own = _mean(inside)
        off = [[number - mean for number, mean in zip(row, own, strict=True)] for row in inside]
        squares, plain = sum(number**2 for row in off for number in row), sum(abs(n) for row in off for n in row)
        assert made.within[cluster] == approx(float(squares), rel=1e-9, abs=1e-300)
        assert made.spreads("manhattan")[cluster] == approx(float(plain / len(inside)), rel=1e-9, abs=1e-300)
        apart = len(inside) * sum((here - there) ** 2 for here, there in zip(own, middle, strict=True))
        assert made.between[cluster] == approx(float(apart), rel=1e-6, abs=1e-9 * made.between.max())


def _mean(rows: list[list[Fraction]]) -> list[Fraction]:
    return [sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)]


def test_points_that_are_alike_are_exactly_at_their_middle() -> None:
    made = Centroids.of(np.array([[0.1], [0.1], [0.1], [0.7], [0.7]]), np.array([0, 0, 0, 1, 1]), 2)
    assert made.within.tolist() == [0, 0]


# Points and labels as callers have them.


def test_points_come_from_tables_as_well() -> None:
    frame = pl.DataFrame({"x": [0, 1, 9], "y": [0.0, 0.0, 0.0]})
    for rows in (frame, frame.to_pandas(), frame.to_numpy(), frame.rows()):
        assert Points.of(rows, ["a", "a", "b"]).silhouettes == approx([8 / 9, 7 / 8, 0])
    from scipy.sparse import csr_array  # noqa: PLC0415

    with pytest.raises(InputError, match=r"X\.toarray"):
        Points.of(csr_array(frame.to_numpy()), ["a", "a", "b"])


@in_turn("labels", [[10**12, -5, 10**12], [7, 7, 2], ["b", "a", "b"], [True, False, True]])
def test_clusters_are_numbered_in_their_order(labels: list[Any]) -> None:
    points = Points.of([0, 1, 2], labels)
    assert points.clusters == tuple(sorted(set(labels)))
    assert [points.clusters[code] for code in points.codes] == labels
