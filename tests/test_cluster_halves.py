"""Intervals of clusterings: halves are what drawing items one by one gives, and intervals hold what they promise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn

from assay import Clustering, Clusters, Contingency, InputError, Points, cluster, parse_measure
from assay.stats.half_samples import around
from assay.stats.samples import Drawing
from assay.subjects.clusters import halves
from assay.subjects.clusters.halves import MOST_POINTS, Halves
from assay.subjects.clusters.result import ClusteredSystem
from assay.subjects.clusters.rules import Rules
from assay.subjects.clusters.subject import Clusterings
from assay.tables.alignment import aligned

ARI, PURITY, SILHOUETTE = (parse_measure(name, "clustering") for name in ("ARI", "Purity", "Silhouette"))


def items(n: int = 90, seed: int = 0, *, right: float = 0.8, **more: object) -> Clusters:
    """Items of three classes, most of them in the cluster of their class."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    pred = np.where(rng.random(n) < right, truth, rng.choice(3, n))
    return Clusters.of(truth, pred, **more)  # type: ignore[arg-type]


def halves_of(result: Clustering) -> Halves:
    return Halves.of(result.systems, result.rules, Drawing(result.resamples, result.seed))


def test_all_items_of_the_halves_are_the_table() -> None:
    rng = np.random.default_rng(1)
    truth = pl.Series(rng.choice(["x", "y", None], 50).tolist())  # type: ignore[arg-type]
    pred = rng.choice([-1, 0, 1], 50)
    for noise_as in ("drop", "singletons", "cluster"):
        for unlabelled in ("drop", "class"):
            said: dict[str, Any] = {"noise": -1, "noise_as": noise_as, "unlabelled": unlabelled}
            made = cluster(Clusters.of(truth, pred), "Purity", **said)
            drawn = made.drawn()
            assert drawn is not None
            (side,) = drawn.sides
            whole = side.tables(drawn.items[None], None)
            table = made.contingency()
            assert table is not None
            assert sorted(whole.counts[0]) == sorted(table.counts[0])
            assert ARI.of(whole) == pytest.approx(ARI.of(table))


def test_halves_are_spread_as_items_drawn_one_by_one() -> None:
    """The slow twin draws half of the items, without replacement, and counts them anew."""
    given = items()
    fast = halves_of(cluster(given, "ARI")).values(ARI)[:, 0]
    rng = np.random.default_rng(2)
    truth, pred = given.truth.to_numpy(), given.cluster.to_numpy()  # type: ignore[union-attr]
    slow = []
    for _ in range(1000):
        rows = rng.choice(90, 45, replace=False)
        slow.append(float(ARI.of(Contingency.from_labels(truth[rows], pred[rows]))[0]))
    assert fast.mean() == pytest.approx(np.mean(slow), abs=0.012)
    assert fast.std() == pytest.approx(np.std(slow), rel=0.1)


@in_turn("n", [40, 41, 400])
def test_a_share_of_items_strays_as_its_standard_error_says(n: int) -> None:
    """Of a mean, deviations of halves have the variance σ²/n, for an odd number of items, too."""
    right = int(0.8 * n)
    result = cluster(Contingency.from_table([[right, 0, n - right, 0], [0, 3 * n, 0, n]]), "InversePurity")
    # Each item is in the large cluster of its class or not: shares of two groups of known sizes.
    share = (right + 3 * n) / (5 * n)
    spread = halves_of(result).deviations("InversePurity").std()
    assert spread == pytest.approx(math.sqrt(share * (1 - share) / (5 * n)), rel=0.08)


def test_an_interval_is_turned_around_the_value() -> None:
    """Where halves stray far upwards, the truth may lie far below; no end is nearer than that of a normal curve."""
    found = around(0.5, np.array([-0.1] * 10 + [0.3] * 10), 0.5)
    assert [found.low, found.high] == pytest.approx([0.2, 0.5 + 0.6744897502 * 0.2])
    assert not around(0.5, np.zeros(10), 0.95).is_known
    assert not around(0.5, np.full(10, np.nan), 0.95).is_known


def test_the_seed_decides_and_the_order_of_items_does_not() -> None:
    given = items()
    turned = given.taken(pl.Series(np.random.default_rng(3).permutation(90)))
    first, again, other = (
        cluster(one, "ARI", seed=seed).estimate() for one, seed in ((given, 1), (turned, 1), (given, 2))
    )
    assert first == again
    assert first.low != other.low


def test_clusterings_of_the_same_items_see_the_same_halves() -> None:
    given = items(item_id=[f"i{number}" for number in range(90)])
    turned = given.taken(pl.Series(np.random.default_rng(3).permutation(90)))
    both = Clusterings.of({"a": given, "b": turned})
    drawn = both.halves((0, 1), Drawing(2000, 0)).values("ARI")
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert drawn[:, 0].std() == pytest.approx(both.halves((0,), Drawing(2000, 0)).values("ARI").std(), rel=0.1)
    with pytest.raises(InputError, match="has item ids and c has none"):
        Clusterings.of({"a": given, "c": items(seed=9, right=0.5)})


def test_differences_of_clusterings_are_paired() -> None:
    """Two clusterings that differ in few items stray together: apart, differences would be 1.4 times as spread."""
    given = items(200)
    changed = given.cluster.to_numpy().copy()
    changed[:10] = (changed[:10] + 1) % 3
    other = Clusters.of(given.truth, changed)
    drawn = Clusterings.of({"a": given, "b": other}).halves((0, 1), Drawing(2000, 0)).deviations("ARI")
    assert (drawn[:, 0] - drawn[:, 1]).std() < 0.7 * drawn[:, 0].std()


def test_noise_of_one_clustering_stays_in_the_other() -> None:
    truth = np.repeat([0, 1], 30)
    noisy = truth.copy()
    noisy[::3] = -1
    pair = cluster({"all": Clusters.of(truth, truth), "some": Clusters.of(truth, noisy)}, "Purity", noise=-1)
    drawn = halves_of(pair)
    tables = drawn.tables
    assert tables[0].items.tolist() == [30.0] * 2000
    assert set(tables[1].items) != {30.0}
    assert tables[1].items.mean() == pytest.approx(20, abs=0.2)


def test_a_table_holds_no_items_to_pair() -> None:
    with pytest.raises(InputError, match="holds no items to pair"):
        Clusterings.of({"a": items(), "b": Contingency.from_table([[9, 1], [1, 9]])})


@in_turn(
    ("other", "expected"),
    [
        (
            Clusters.of([0, 1], [0, 0], item_id=["a", "b"], name="two"),
            r"item 'b': the class is 0 in one and 1 in two",
        ),
        (Clusters.of(None, [0, 0], item_id=["a", "b"], name="two"), r"one tells the class of each item, and two does"),
        (Clusters.of([0, 0], [0, 0], item_id=["a", "c"], name="two"), r"one lacks 1 item that another system has: c"),
        (Clusters.of([0, 0], [0, 0], item_id=["a", "a"], name="two"), r"two: the item 'a' occurs more than once"),
    ],
)
def test_items_that_do_not_agree_are_not_paired(other: Clusters, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        aligned([Clusters.of([0, 0], [0, 1], item_id=["a", "b"], name="one"), other])


def test_weights_are_drawn_with_their_items() -> None:
    weight = np.random.default_rng(5).choice([1.0, 2.5], 90)
    result = cluster(items(sample_weight=weight), ["Purity", "ARI"])
    tables = halves_of(result).tables[0]
    assert tables.is_weighted
    assert tables.items.mean() == pytest.approx(weight.sum() / 2, rel=0.01)
    for name in ("Purity", "ARI"):
        one = result.estimate(name)
        assert one.low < one.value < one.high


def test_tables_of_any_size_have_intervals() -> None:
    """More items than NumPy draws from without replacement, whose squares exceed 64 bits."""
    huge = cluster(Contingency.from_table([[3 * 10**12, 10**12], [10**12, 2 * 10**12]]), ["Purity", "ARI"])
    for name in ("Purity", "ARI"):
        one = huge.estimate(name)
        assert 0 < one.high - one.low < 1e-4
        assert one.low < one.value < one.high


def test_what_cannot_be_drawn_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cluster(Clusters.of([0, 1, 1], [0, 1, 0]), "Purity").estimate().method == "none"
    assert cluster(Contingency.from_table([[9, 0], [0, 9]]), "ARI").estimate().method == "none"  # all halves alike
    assert cluster(items(), "PairTP").estimate().method == "none"  # a half has fewer pairs
    weighted = Contingency.from_labels([0, 1], [0, 1], sample_weight=[1, 2])
    assert cluster(weighted, "Purity").estimate().method == "none"
    monkeypatch.setattr(halves, "MOST_KINDS", 5)
    assert cluster(items(), "ARI").estimate().method == "none"


def test_what_has_no_interval_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(0).normal(size=(90, 2))
    given = items(sample_weight=np.arange(1.0, 91.0), X=points)
    assert "grows" in str(cluster(given, "CalinskiHarabasz").estimate().no_interval)
    three = cluster(Clusters.of([0, 1, 1], [0, 1, 0]), "Purity").estimate()
    assert three.no_interval == "3 items are too few to draw halves from"
    same = cluster(Contingency.from_table([[9, 0], [0, 9]]), "ARI").estimate()
    assert same.no_interval == "all halves of the items give the same number"
    table = Contingency.from_labels([0, 1], [0, 1], sample_weight=[1, 2])
    assert "a table does not hold the weights" in str(cluster(table, "Purity").estimate().no_interval)
    assert cluster(given, "Purity").estimate().no_interval is None
    monkeypatch.setattr(halves, "MOST_KINDS", 5)
    result = cluster(given, "Purity")
    assert "90 kinds of items (class, cluster and weight)" in str(result.estimate().no_interval)
    assert "\nNo interval (–) of Purity: there are 90 kinds of items" in str(result)


def test_middles_that_hardly_differ_have_no_interval_of_davies_bouldin() -> None:
    """Clusters of pure noise: more points bring their middles together, and the number grows with the points."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 12, 6000)
    wild = cluster(Clusters.of(None, labels, X=rng.normal(size=(6000, 3))), "DaviesBouldin", resamples=60)
    assert wild.estimate().no_interval == "halves of the items give a very different number"
    assert math.isnan(wild.estimate().low)
    both = {"a": wild.systems[0].clusters, "b": Clusters.of(None, labels % 3, X=wild.systems[0].clusters.points)}  # type: ignore[union-attr]
    assert np.isnan(halves_of(cluster(both, "DaviesBouldin", resamples=60)).deviations("DaviesBouldin")).any()


def test_davies_bouldin_is_computed_on_true_halves_of_any_number_of_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its halves stray as its numbers do over samples, for overlapping clusters, too."""
    middles = np.random.default_rng(99).normal(size=(8, 3)) * 3

    def sample(seed: int) -> Clusters:
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 8, 3000)
        labels = np.where(rng.random(3000) < 0.2, rng.integers(0, 8, 3000), truth)
        return Clusters.of(None, labels, X=middles[truth] + rng.normal(size=(3000, 3)))

    over_samples = [cluster(sample(seed), "DaviesBouldin").value() for seed in range(60)]
    drawn = halves_of(cluster(sample(0), "DaviesBouldin", resamples=200))
    assert drawn.deviations("DaviesBouldin").std() == pytest.approx(np.std(over_samples), rel=0.3)
    assert drawn.scale_of(parse_measure("DaviesBouldin", "clustering")) == 1.0
    monkeypatch.setattr(halves, "MOST_DRAWN", 1500 * 3 * 50)
    assert cluster(sample(0), "DaviesBouldin").estimate().resamples == 50


def test_many_kinds_of_items_are_drawn_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halves, "MOST_HALVES_DRAWN", 3000)
    fewer = cluster(items(), "ARI")
    assert fewer.estimate().resamples == len(halves_of(fewer).values("ARI")) < 2000


def test_silhouettes_of_halves_are_those_of_their_points_alone() -> None:
    rng = np.random.default_rng(6)
    points = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [3, 3]], 30, axis=0)
    labels = np.repeat([0, 1], 30)
    labels[::10] = -1
    result = cluster(Clusters.of(None, labels, X=points), ["Silhouette", "DaviesBouldin"], noise=-1, resamples=20)
    drawn = halves_of(result).subsets
    assert drawn is not None
    values = halves_of(result).values("Silhouette")[:, 0]
    for rows, value in zip(drawn.rows(), values, strict=True):
        kept = rows[labels[rows] >= 0]
        assert float(SILHOUETTE.of(Points.of(points[kept], labels[kept]))[0]) == pytest.approx(value, abs=1e-12)
    assert drawn.size == 30
    assert result.estimate("Silhouette").resamples == 20


def test_of_many_points_small_subsets_are_drawn_and_scaled() -> None:
    rng = np.random.default_rng(7)
    labels = np.repeat([0, 1], 2000)
    points = rng.normal(size=(4000, 2)) + 4 * labels[:, None]
    result = cluster(Clusters.of(None, labels, X=points), "Silhouette", resamples=60)
    drawn = halves_of(result).subsets
    assert drawn is not None
    assert [drawn.size, drawn.scale] == pytest.approx([MOST_POINTS, math.sqrt(300 / 3700)])
    one = result.estimate()
    assert 0.002 < one.high - one.low < 0.05


def test_distances_that_were_given_are_drawn_by_row_and_column() -> None:
    rng = np.random.default_rng(8)
    points = rng.normal(size=(40, 2)) + 3 * np.repeat([[0], [1]], 20, axis=0)
    order = np.lexsort(points.T[::-1])  # as points are drawn; of distances, rows are drawn as they come
    points, labels = points[order], np.repeat([0, 1], 20)[order]
    apart = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    one = cluster(Clusters.of(None, labels, X=points), "Silhouette", resamples=30).estimate()
    two = cluster(Clusters.of(None, labels, X=apart), "Silhouette", metric="precomputed", resamples=30).estimate()
    assert two[:3] == pytest.approx(one[:3])


@in_turn(("n", "least"), [(100, 0.87), (400, 0.89)])
def test_intervals_hold_the_number_of_the_population(n: int, least: float) -> None:
    """Samples of a population with four classes and clusters that are mostly right; a promise of 95 %."""
    population = np.full((4, 4), 0.03) + np.diag([0.6, 0.5, 0.4, 0.3])
    population /= population.sum()
    whole = Contingency.from_table(np.rint(population * 1e12).astype(np.int64))
    rng = np.random.default_rng(10)
    held = {PURITY: 0, ARI: 0}
    for seed in range(150):
        table = rng.multinomial(n, population.ravel()).reshape(4, 4)
        result = cluster(Contingency.from_table(table), list(held), resamples=300, seed=seed)
        for measure in held:
            one = result.estimate(measure)
            held[measure] += one.low <= measure.of(whole)[0] <= one.high
    for measure, hits in held.items():
        assert least <= hits / 150, measure


def test_halves_can_be_made_of_systems_directly() -> None:
    table = Contingency.from_table([[30, 2], [3, 25]])
    system = ClusteredSystem("one", None, {Contingency: table}, {})
    made = Halves.of([system], Rules(), Drawing(50, 1))
    assert made.values("ARI").shape == (50, 1)
    with pytest.raises(InputError, match="there are no points to draw from"):
        made.values("Silhouette")
    drawn = cluster(table, "ARI", resamples=50, seed=1).drawn()
    assert drawn is not None
    assert drawn.values("ARI") == pytest.approx(made.values("ARI"))
