"""Which number of clusters: measures over k, stability, structure; in Python, on the command line, as pictures."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, davies_bouldin_score, silhouette_score
from sklearn.mixture import GaussianMixture

import assay
from assay import AssayError, Clusters, Contingency, ParameterError, Points, cluster, number_of_clusters
from assay.cli.literals import numbers_in
from assay.subjects.clusters import curves as cluster_curves
from assay.subjects.clusters.number_of_clusters import agreements, even_points, stability_of, subsamples
from assay.subjects.clusters.result import arranged, bars_of

NOTES = Path(assay.__file__).parent / "data" / "notes" / "notes.csv"
Array = NDArray[np.float64]


def groups(middles: list[tuple[float, float]], size: int, spread: float = 0.3, seed: int = 0) -> Array:
    """Points around middles."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(middle, spread, size=(size, 2)) for middle in middles])


THREE = groups([(0, 0), (5, 0), (0, 5)], 25)


def test_measures_over_k_are_those_of_scikit_learn_on_the_same_clusters() -> None:
    result = number_of_clusters(THREE, [2, 3, 5], stability=False, resamples=2, seed=7)
    points = THREE[np.lexsort(THREE.T)]  # as they are clustered, whatever their order
    for k in (2, 3, 5):
        labels = KMeans(k, n_init=5, random_state=7).fit_predict(points)
        for name, theirs in (
            ("Silhouette", silhouette_score),
            ("DaviesBouldin", davies_bouldin_score),
            ("CalinskiHarabasz", calinski_harabasz_score),
        ):
            assert result.value(name, k) == pytest.approx(theirs(points, labels))


def test_three_groups_are_found_by_all_measures() -> None:
    result = number_of_clusters(THREE, range(2, 6), resamples=6)
    assert (result.verdict, result.k, set(result.votes.values())) == ("agree", 3, {3})
    assert result.says() == "3 clusters: Silhouette, DaviesBouldin, CalinskiHarabasz and Stability prefer 3"
    assert result.value("Stability", 3) == 1.0
    assert result.value("Stability", 5) < 0.95


def test_points_without_structure_have_no_number_of_clusters() -> None:
    """Uniform and normal points are not called structured; three groups are."""
    rng = np.random.default_rng(3)
    for points in (rng.uniform(size=(80, 2)), rng.normal(size=(80, 3)), rng.normal(size=(80, 2)) @ [[9, 5], [0, 1]]):
        result = number_of_clusters(points, range(2, 5), stability=False)
        assert (result.verdict, result.k) == ("no structure", None)
        assert "it takes no clusters to come so high" in str(result)


def test_votes_that_differ_are_told_one_by_one() -> None:
    """Two far groups, of which one falls into two: some measures see two, some three."""
    points = groups([(0, 0), (10, 0), (10, 2)], 30, 0.35)
    result = number_of_clusters(points, range(2, 6), resamples=4)
    assert result.verdict == "disagree"
    assert len(set(result.votes.values())) > 1
    for name, k in result.votes.items():
        best = [result.value(name, tried) for tried in result.ks]
        assert result.value(name, k) == (min(best) if name == "DaviesBouldin" else max(best))
    assert "no clear number of clusters" in result.says()


def test_the_same_seed_gives_the_same_and_is_recorded() -> None:
    one, other = (number_of_clusters(THREE, [2, 4], resamples=4, seed=5) for _ in range(2))
    assert one.to_frame().equals(other.to_frame())
    assert one.reference == other.reference
    assert json.loads(one.to_json())["sections"]["basis"]["seed"] == 5


def test_the_order_of_the_points_makes_no_difference() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(80, 2)) + rng.integers(0, 3, size=(80, 1)) * 2
    one, other = (number_of_clusters(rows, range(2, 5), resamples=5) for rows in (points, rng.permutation(points)))
    assert one.to_frame().equals(other.to_frame())
    assert one.reference == other.reference


def test_stability_is_the_mean_adjusted_rand_of_every_two_subsamples() -> None:
    drawn = subsamples(len(THREE), 4, np.random.default_rng(0))

    def fit(points: Array) -> Any:
        return KMeans(4, n_init=1, random_state=0).fit_predict(points)

    mean, spread = stability_of(THREE, fit, 4, drawn)
    labels = [dict(zip(rows.tolist(), fit(THREE[rows]).tolist(), strict=True)) for rows in drawn]
    expected = []
    for one, other in combinations(labels, 2):
        shared = sorted(set(one) & set(other))
        expected.append(adjusted_rand_score([one[item] for item in shared], [other[item] for item in shared]))
    assert mean == pytest.approx(np.mean(expected))
    assert spread == pytest.approx(np.std(expected, ddof=1))


def test_agreements_leave_out_items_that_one_lacks() -> None:
    rng = np.random.default_rng(1)
    labels = [rng.integers(-1, 3, 40) for _ in range(4)]
    for found, (one, other) in zip(agreements(labels), combinations(labels, 2), strict=True):
        both = (one >= 0) & (other >= 0)
        assert found == pytest.approx(adjusted_rand_score(one[both], other[both]))


def test_the_box_without_structure_holds_all_points_and_lies_along_their_axes() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 2)) @ [[10, 9], [0, 0.5]]
    drawn = even_points(points)(500, rng)
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    along, of_drawn = ((rows - points.mean(axis=0)) @ axes.T for rows in (points, drawn))
    # Along the axes the box is narrow: no reference point lies far from the line that the data lie on.
    assert np.all(of_drawn >= along.min(axis=0) - 1e-9)
    assert np.all(of_drawn <= along.max(axis=0) + 1e-9)


@in_turn("estimator", [AgglomerativeClustering(), GaussianMixture()])
def test_any_clusterer_that_takes_a_number_will_do(estimator: Any) -> None:
    result = number_of_clusters(THREE, range(2, 5), estimator=estimator, resamples=3)
    assert result.k == 3
    assert type(estimator).__name__ in str(result)


def test_measures_against_classes_are_shown_and_have_no_say() -> None:
    truth = np.repeat(list("abc"), 25)
    result = number_of_clusters(
        THREE, [2, 3], labels_true=truth, measures=["Silhouette", "ARI", "WithinDistance"], resamples=2
    )
    assert result.value("ARI", 3) == 1.0
    assert set(result.votes) == {"Silhouette", "Stability"}
    with pytest.raises(ParameterError, match="ARI: against classes, which are not known"):
        number_of_clusters(THREE, [2, 3], measures=["ARI"])


def test_units_that_differ_are_warned_about() -> None:
    result = number_of_clusters(THREE * [1, 1000], [2], stability=False, resamples=2)
    assert any("column 2 has 99.9999% of the variance" in text and "standardise" in text for text in result.warnings)
    for points, metric in ((THREE, "euclidean"), (THREE * [1, 1000], "cosine"), (THREE * [0, 1], "euclidean")):
        assert not number_of_clusters(points, [2], stability=False, resamples=2, metric=metric).warnings


def test_the_largest_number_tried_is_said_to_be_an_end() -> None:
    points = groups([(x, y) for x in (0, 5, 10) for y in (0, 5)], 12)
    result = number_of_clusters(points, range(2, 5), resamples=3)
    assert any("the largest number tried: try more" in text for text in result.remarks())


@in_turn(
    ("points", "ks", "says"),
    [
        (THREE, [75], "75 clusters of 75 points: try fewer clusters than points, 74 at most"),
        (THREE, [1, 2], "a number of clusters is a whole number from 2 on, not 1"),
        (THREE, [], "expected numbers of clusters to try"),
        (np.zeros((10, 2)), [2], "2 clusters, and no more than 1 different point"),
        ([[0.0], [np.nan], [1.0]], [2], "finite numbers as a point"),
        (5, [2], "expected a row of numbers per item"),
    ],
)
def test_bad_calls_are_refused_in_one_line(points: Any, ks: list[int], says: str) -> None:
    with pytest.raises(AssayError, match=says) as refused:
        number_of_clusters(points, ks)
    assert "\n" not in str(refused.value)


def test_what_cannot_be_clustered_is_refused() -> None:
    with pytest.raises(ParameterError, match="expected an estimator that takes n_clusters"):
        number_of_clusters(THREE, [2], estimator=object())
    with pytest.raises(ParameterError, match=r"expected an estimator, such as KMeans\(\), got the class"):
        number_of_clusters(THREE, [2], estimator=KMeans)
    with pytest.raises(ParameterError, match=r"such as range\(2, 11\), not 3"):
        number_of_clusters(THREE, 3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="distances only"):
        number_of_clusters(THREE, [2], metric="precomputed")
    with pytest.raises(ParameterError, match="choose a number of clusters of 2, 3, not 9"):
        number_of_clusters(THREE, [2, 3], stability=False, resamples=2).value("Silhouette", 9)


# Files and the command line.


def ran(*arguments: str) -> Any:
    return invoke(list(arguments))


def test_the_command_clusters_points_and_says_the_number(tmp_path: Path) -> None:
    done = ran("clustering", "number", str(NOTES), "--points", "x,y,z", "--ks", "2:4", "--resamples", "9", "--json")
    assert done.exit_code == 0
    told = json.loads(done.stdout)["sections"]["verdict"]
    assert (told["verdict"], told["k"]) == ("agree", 3)
    frame = pl.DataFrame({"a": THREE[:, 0], "b": THREE[:, 1]})  # no clusters are needed, nor ids
    frame.write_csv(tmp_path / "points.csv")
    shown = ran(
        "clustering", "number", str(tmp_path / "points.csv"), "--points", "rest", "--ks", "2,3", "--resamples", "3"
    )
    assert "Verdict: 3 clusters" in shown.stdout


@in_turn(
    ("arguments", "says"),
    [
        (["--ks", "2:3"], "--ks: expected the columns of the points"),
        (["--points", "x,y", "--ks", "2-3"], "--ks: expected numbers of clusters, as 2:10 or 2,4,8, got '2-3'"),
        (["--points", "x,y", "--ks", "2:500"], "500 clusters of 120 points"),
        (["--points", "x,y"], "name the numbers of clusters to try, as in --ks 2:10"),
        (["--points", "x", "--ks", "2:3", "--noise", "-1"], "no such option: --noise"),
        (["--points", "note", "--ks", "2:3"], "expected a finite number as a coordinate"),
    ],
)
def test_wrong_calls_end_in_one_line(arguments: list[str], says: str) -> None:
    done = ran("clustering", "number", str(NOTES), *arguments)
    assert isinstance(done.exception, AssayError)
    assert says in str(done.exception)


@given(st.text(max_size=12))
def test_numbers_are_read_or_refused(text: str) -> None:
    """Whatever is typed gives numbers, or one clear refusal."""
    said = ""
    try:
        found = numbers_in(text)
    except ParameterError as refused:
        found, said = [], str(refused)
    assert bool(found) != said.startswith("--ks: expected numbers of clusters")
    assert all(isinstance(number, int) for number in found)


# Pictures.


def test_pictures_are_drawn_and_their_points_written(tmp_path: Path) -> None:
    points = ["--points", "x,y,z", "--unlabelled", "drop", "--quiet"]
    for kind, more in (("silhouette", points), ("contingency", points), ("over-k", [*points[:2], "--ks", "2:3"])):
        for suffix in ("svg", "csv", "json"):
            target = tmp_path / f"{kind}.{suffix}"
            assert ran("clustering", "plot", str(NOTES), "--kind", kind, *more, "-o", str(target)).exit_code == 0
            assert target.stat().st_size
    frame = pl.read_csv(tmp_path / "silhouette.csv", infer_schema=False)
    assert frame.group_by("system").len()["len"].to_list() == [120, 120, 120]


def test_a_picture_without_what_it_needs_is_refused(tmp_path: Path) -> None:
    target = str(tmp_path / "a.csv")
    for arguments, says in (
        (["clustering", "plot", str(NOTES)], "silhouette is of points, and there are none: --points names them"),
        (["clustering", "plot", str(NOTES), "--points", "x", "--ks", "2:3"], "--ks goes with --kind over-k"),
        (["classifier", "plot", str(NOTES), "--points", "x"], "--points goes with assay clustering plot"),
        (["clustering", "plot", str(NOTES), "--score", "x"], "--score goes with assay classifier plot"),
    ):
        assert says in str(ran(*arguments, "-o", target).exception)


def test_bars_are_sorted_within_clusters_and_thinned_evenly() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 5000)
    points = Points.of(rng.normal(size=(5000, 2)) + labels[:, None], labels)
    bars = bars_of(points)
    assert bars is not None
    assert abs(bars.drawn - 2000) <= 3
    assert bars.items == 5000
    assert "silhouettes are drawn, evenly spaced" in bars.note
    assert bars.mean == pytest.approx(points.silhouettes.mean())
    for one in bars.clusters:
        own = points.silhouettes[points.codes == points.clusters.index(one.cluster)]
        assert np.all(np.diff(one.values) <= 0)
        assert (one.values[0], one.values[-1]) == (own.max(), own.min())
    assert bars_of(Points.of([[0.0], [1.0]], [0, 0])) is None


def test_what_belongs_together_stands_on_the_diagonal() -> None:
    table = Contingency.from_table([[1, 0, 9], [7, 0, 0], [0, 20, 0]])
    rows, columns = arranged(table)
    assert table.table[np.ix_(rows, columns)].tolist() == [[20, 0, 0], [0, 9, 1], [0, 0, 7]]


def test_the_curve_of_a_clustering_says_its_measure() -> None:
    result = cluster(Clusters.of(list("aabb"), [0, 0, 1, 1], X=[[0.0], [1.0], [8.0], [9.0]]))
    assert cluster_curves.silhouettes(result).summary["value"][0] == pytest.approx(result.value("Silhouette"))
    assert cluster_curves.contingency(result).summary["value"][0] == result.value("Purity")
    with pytest.raises(ParameterError, match="no classes are known"):
        cluster_curves.contingency(cluster(Clusters.of(None, [0, 1, 1], X=[[0.0], [1.0], [2.0]])))
    with pytest.raises(ParameterError, match="a single cluster has no silhouettes"):
        cluster_curves.silhouettes(cluster(Clusters.of(None, [1, 1, 1], X=[[0.0], [1.0], [2.0]])))


def test_structure_is_looked_for_only_where_data_without_any_have_points_enough() -> None:
    points = np.random.default_rng(0).uniform(size=(520, 2))
    none = number_of_clusters(points, [101, 510], stability=False, resamples=2)
    assert none.reference is None
    assert "too many clusters for data sets without structure" in " ".join(none.basis())
    some = number_of_clusters(points, [2, 510], stability=False, resamples=2)
    assert some.reference is not None
    assert some.reference.value == pytest.approx(some.value("Silhouette", 2))
    assert "the largest silhouette over k up to 2 counts" in " ".join(some.basis())


def test_of_numbers_that_are_equally_stable_the_largest_is_preferred() -> None:
    """Far groups of which two lie nearer to each other: two clusters are as stable as three."""
    for seed in range(2):
        points = groups([(0, 0), (30, 0), (30, 9)], 40, 0.2, seed)
        result = number_of_clusters(points, range(3, 7), resamples=6)
        assert (result.verdict, result.k) == ("agree", 3)
    points = groups([(0, 0), (3, 3), (7, 7)], 40, 0.2)
    result = number_of_clusters(points, range(2, 8), resamples=6)
    assert result.value("Stability", 2) == result.value("Stability", 3)
    assert (result.verdict, result.k, result.preferred("Stability")) == ("agree", 3, 3)
    alone = number_of_clusters(points, [2, 3], measures="WithinDistance", resamples=6)
    assert (alone.votes, alone.k) == ({"Stability": 3}, 3)


def test_structure_is_looked_for_whatever_was_measured() -> None:
    points = np.random.default_rng(3).uniform(size=(80, 2))
    assert number_of_clusters(points, [2, 3], measures="DaviesBouldin", resamples=10).verdict == "no structure"


@in_turn("scale", [1e-30, 1e-13, 1.0, 1e13])
def test_structure_does_not_depend_on_the_unit(scale: float) -> None:
    points = np.random.default_rng(3).uniform(size=(60, 2)) * scale
    assert number_of_clusters(points, range(2, 5), stability=False, resamples=5).verdict == "no structure"


def test_coinciding_points_are_as_many_clusters_as_there_are_different_ones() -> None:
    points = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 5.0]], 20, axis=0)
    result = number_of_clusters(points, range(2, 4), resamples=5)
    assert result.k == 3
    assert "CalinskiHarabasz" not in result.votes  # without width, it has no number where it would be best
    assert not any("try more" in text for text in result.remarks())


def test_by_cosine_it_is_directions_that_are_clustered() -> None:
    rng = np.random.default_rng(1)
    angle = np.repeat([0.1, 1.2, 2.4], 40) + rng.normal(scale=0.05, size=120)
    points = rng.uniform(0.5, 10, size=(120, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    result = number_of_clusters(points, range(2, 6), metric="cosine", resamples=5)
    assert (result.verdict, result.k) == ("agree", 3)


def test_many_pairs_of_many_clusters_are_compared_some_at_a_time() -> None:
    rng = np.random.default_rng(2)
    labels = [rng.integers(0, 900, 2000) for _ in range(3)]
    expected = [adjusted_rand_score(one, other) for one, other in combinations(labels, 2)]
    assert agreements(labels) == pytest.approx(expected)


def test_measures_against_classes_alone_do_not_tell_the_number() -> None:
    truth = np.repeat([0, 1, 2], len(THREE) // 3)
    result = number_of_clusters(THREE, [2, 3], labels_true=truth, measures="ARI", stability=False, resamples=2)
    assert result.says() == "none of the measures asked for can tell the number of clusters"
