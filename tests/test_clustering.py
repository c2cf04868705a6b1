"""`cluster`: values, tables of clusters and classes, splits and merges, remarks, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn

import assay
from assay import Clusters, Contingency, InputError, ParameterError, cluster
from assay.subjects.clusters.halves import purity_by_chance
from assay.subjects.clusters.remarks import REMARKS

NOTES = Path(assay.__file__).parent / "data" / "notes" / "notes.csv"
SEVENTEEN = [[5, 1, 2], [1, 4, 0], [0, 1, 3]]
#: No rule for noise has this name.
KEEP: Any = "keep"
LINE = [[0.0], [1.0], [2.0], [10.0], [11.0]]


def said(result: assay.Clustering) -> set[str]:
    return {remark.code for remark in result.advice}


def test_the_seventeen_documents_have_the_numbers_of_the_textbook() -> None:
    names = ("Purity", "NMI", "Rand", "PairF1", "PairF(beta=5)")
    result = cluster(Contingency.from_table(SEVENTEEN), names)
    values = [result.value(name) for name in names]
    assert values == pytest.approx([12 / 17, 0.3646, 92 / 136, 0.4762, 0.4561], abs=5e-5)


def test_points_on_a_line_have_the_numbers_made_by_hand() -> None:
    result = cluster(Clusters.of(None, list("aaabb"), X=LINE))
    assert result.contingency() is None
    values = [result.value(name) for name in ("Silhouette", "DaviesBouldin", "CalinskiHarabasz")]
    assert values == pytest.approx([0.8729, 0.1228, 129.96], abs=5e-3)
    assert [str(measure) for measure in result.measures] == ["Silhouette", "DaviesBouldin", "CalinskiHarabasz"]


def test_a_table_and_its_items_give_the_same() -> None:
    truth = [row for row, cells in enumerate(SEVENTEEN) for count in cells for _ in range(count)]
    pred = [column for cells in SEVENTEEN for column, count in enumerate(cells) for _ in range(count)]
    one, other = cluster(Contingency.from_table(SEVENTEEN)), cluster(Clusters.of(truth, pred))
    same = one.to_frame().drop("system"), other.to_frame().drop("system")
    assert same[0].equals(same[1])


def test_what_is_in_clusters_and_classes_is_as_counted_one_by_one() -> None:
    rng = np.random.default_rng(4)
    truth, pred = rng.choice(list("xyz"), 60).tolist(), rng.choice([5, 6, 7, 8], 60).tolist()
    result = cluster(Clusters.of(truth, pred), "Purity")
    cells, sizes, classes = Counter(zip(truth, pred, strict=True)), Counter(pred), Counter(truth)
    for row in result.per_cluster().iter_rows(named=True):
        own = {label: cells[label, int(row["cluster"])] for label in classes}
        assert row["items"] == sizes[int(row["cluster"])]
        assert row["of_largest"] == max(own.values()) == own[row["largest_class"]]
        assert row["purity"] == pytest.approx(row["of_largest"] / row["items"])
        assert row["share"] == pytest.approx(row["items"] / 60)
    for row in result.per_class().iter_rows(named=True):
        label = row["class"]
        f1 = {k: 2 * cells[label, k] / (sizes[k] + classes[label]) for k in sizes}
        assert row["f1"] == pytest.approx(max(f1.values()))
        best = int(row["best_match"])
        assert f1[best] == pytest.approx(row["f1"])
        assert row["precision"] == pytest.approx(cells[label, best] / sizes[best])
        assert row["recall"] == pytest.approx(cells[label, best] / classes[label])
        assert row["held"] == max(cells[label, k] for k in sizes)
    sizes_shown = result.per_cluster()["items"].to_list()
    assert sizes_shown == sorted(sizes_shown, reverse=True)


def test_splits_and_merges_leave_small_parts_out() -> None:
    table = Contingency.from_table([[40, 30, 2, 0], [0, 1, 30, 0], [0, 0, 20, 9]], list("xyz"), list("abcd"))
    moves = cluster(table, "Purity").moves()
    assert moves.rows() == [
        ("split", "x", "a", 40, pytest.approx(40 / 72)),
        ("split", "x", "b", 30, pytest.approx(30 / 72)),
        ("split", "z", "c", 20, pytest.approx(20 / 29)),
        ("split", "z", "d", 9, pytest.approx(9 / 29)),
        ("merged", "c", "y", 30, pytest.approx(30 / 52)),
        ("merged", "c", "z", 20, pytest.approx(20 / 52)),
    ]


def test_clusters_are_shown_with_their_silhouettes_if_there_are_points() -> None:
    result = cluster(Clusters.of(list("xxyyy"), list("aaabb"), X=LINE), "Purity")
    shown = result.per_cluster()
    assert shown["cluster"].to_list() == ["a", "b"]
    assert shown["silhouette"].to_list() == pytest.approx([(0.8571 + 0.8947 + 0.8235) / 3, 0.8944], abs=5e-4)
    assert shown["misplaced"].to_list() == [0.0, 0.0]


@in_turn("noise_as", ["drop", "singletons", "cluster"])
def test_noise_is_what_was_said(noise_as: Any) -> None:
    items = Clusters.of(list("xxyyy"), [0, 0, 1, -1, -1], X=LINE)
    result = cluster(items, noise=-1, noise_as=noise_as)
    table, points = result.contingency(), result.points()
    assert table is not None
    assert points is not None
    clusters = {"drop": 2, "singletons": 4, "cluster": 3}[noise_as]
    assert len(table.clusters) == len(points.clusters) == clusters
    assert ("left_out" in said(result)) == (noise_as == "drop")
    assert f"noise=-1|noise_as={noise_as}" in result.signatures["clusters"]["Purity"]


def test_a_label_of_noise_that_nobody_has_is_a_warning() -> None:
    result = cluster(Clusters.of(list("xy"), [0, 1]), "Purity", noise="noise")
    assert result.warnings == ("no item has the label of noise, 'noise'",)


def test_items_without_a_class_are_refused_dropped_or_a_class() -> None:
    items = Clusters.of(["x", None, "y", "y"], [0, 0, 1, 1], X=[[0.0], [1], [5], [6]], item_id=list("abcd"))
    with pytest.raises(InputError, match=r"clusters: 1 item without a class, first 'b': unlabelled='drop' leaves"):
        cluster(items)
    dropped = cluster(items, unlabelled="drop")
    assert dropped.value("Purity") == 1.0
    assert dropped.points() is not None
    assert len(dropped.points().codes) == 4  # type: ignore[union-attr]
    kept = cluster(items, unlabelled="class")
    assert kept.value("Purity") == 0.75
    assert set(kept.per_class()["class"]) == {"x", "y", "(none)"}
    assert "(none)" in str(kept)


def test_weights_count_as_items_would() -> None:
    truth, pred, weight = list("xxyyz"), [0, 1, 1, 1, 0], [2, 1, 3, 1, 2]
    again = [np.repeat(values, weight) for values in (truth, pred)]
    weighted, repeated = Clusters.of(truth, pred, sample_weight=weight), Clusters.of(again[0], again[1])
    assert cluster(weighted, "Purity").value() == pytest.approx(cluster(repeated, "Purity").value())
    assert "weighted=true" in cluster(weighted, "Purity").signatures["clusters"]["Purity"]


def test_one_cluster_an_item_is_pure_and_said_to_be_so_by_chance() -> None:
    result = cluster(Clusters.of(list("xxxyyz"), list("abcdef")), ["Purity", "ARI"])
    assert result.value("Purity") == 1.0
    remark = next(one for one in result.advice if one.code == "many_clusters")
    assert remark.number == 1.0
    assert "6 clusters of these sizes would reach 1.0000 by chance" in remark.says
    assert {"many_clusters", "singletons"} <= said(result)


def test_purity_by_chance_is_the_mean_over_shuffled_items() -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(4, 200, p=[0.5, 0.3, 0.15, 0.05])
    pred = rng.choice(15, 200)
    table = Contingency.from_labels(truth, pred)
    shuffled = [Contingency.from_labels(rng.permutation(truth), pred) for _ in range(400)]
    mean = np.mean([one.largest_of_clusters.sum() / 200 for one in shuffled])
    assert purity_by_chance(table, seed=1) == pytest.approx(mean, abs=0.01)
    assert purity_by_chance(table, seed=1) == purity_by_chance(table, seed=1)


def test_purity_by_chance_of_more_items_than_an_urn_holds() -> None:
    huge = Contingency.from_table((np.array(SEVENTEEN) * 10**11).tolist())
    assert purity_by_chance(huge) == pytest.approx(8 / 17, abs=1e-3)


@in_turn(
    ("code", "truth", "pred"),
    [
        ("noise_unsaid", "xxyy", [0, 0, 1, -1]),
        ("noise_unsaid", "xxyy", ["a", "a", "b", "Noise"]),
        ("one_cluster", "xy" * 15, [0] * 29 + [1]),
        ("singletons", "xxyy", [0, 0, 1, 2]),
        ("class_unheld", "xxxxyz", [0, 0, 0, 0, 0, 1]),
        ("chance", "xy" * 20, [0, 0, 1, 1] * 10),
        ("many_clusters", "xy" * 20, list(range(20)) * 2),
    ],
)
def test_a_remark_is_made_where_it_holds_and_can_be_muted(code: str, truth: str, pred: list[Any]) -> None:
    items = Clusters.of(list(truth), pred)
    assert code in said(cluster(items, "Purity"))
    assert code not in said(cluster(items, "Purity", mute=[code]))


def test_good_clusters_get_no_remark() -> None:
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], 60)
    points = rng.normal(size=(180, 2)) + 12 * np.column_stack([truth == 0, truth == 1])
    assert cluster(Clusters.of(truth, truth, X=points)).advice == ()


def test_few_items_for_many_clusters_are_said_to_flatter() -> None:
    rng = np.random.default_rng(2)
    result = cluster(Clusters.of(rng.choice(5, 100), rng.choice(20, 100)), ["NMI", "ARI"])
    remark = next(one for one in result.advice if one.code == "few_items")
    assert remark.about == "NMI"
    assert result.value("NMI") > 0.1  # though clusters were drawn at random


def test_every_code_of_a_remark_is_known_and_others_are_refused() -> None:
    assert len(REMARKS) == 8
    with pytest.raises(ParameterError, match=r"no remark is called 'singleton'.*did you mean singletons"):
        cluster(Clusters.of([0, 1], [0, 1]), mute="singleton")


@in_turn(
    ("call", "expected"),
    [
        (lambda: cluster(Clusters.of(None, [0, 1])), r"clusters: there are clusters, and neither classes nor points"),
        (lambda: cluster(Clusters.of([0, 1], [0, 1]), "Silhouette"), r"Silhouette is computed from the points"),
        (lambda: cluster(Clusters.of(None, [0, 1], X=[[0], [1]]), "ARI"), r"ARI is computed from the classes"),
        (lambda: cluster(Clusters.of([0, 1], [0, 1]), "nDCG"), r"nDCG"),
        (lambda: cluster(Clusters.of([0, 1], [0, 1]), []), r"there is no measure to compute"),
        (lambda: cluster([]), r"expected clusters, got none"),
        (lambda: cluster(3), r"expected Clusters, a Contingency, a path or a data frame, got int"),
        (lambda: cluster([Clusters.of([0], [0]), Clusters.of([0], [0])]), r"two clusterings are called 'clusters'"),
        (lambda: cluster(Clusters.of([0, 1], [0, 1]), confidence=95), r"confidence"),
        (lambda: cluster(Clusters.of([0, 1], [0, 1]), resamples=0), r"resamples is a whole number from 1 on"),
        (lambda: cluster(Clusters.of([0, 1], [0, 1]), noise=0, noise_as=KEEP), r"noise_as is one of"),
        (lambda: cluster(Clusters.of([0, 1], [-1, -1]), noise=-1), r"clusters: no item is left: 2 items \(noise\)"),
        (lambda: cluster(Clusters.of(None, [0, 1], X=[[0], [1]]), metric="cosign"), r"metric is one of"),
        (lambda: cluster(Clusters.of(None, [0, 1], X=[[0], [1]]), metric="cosine"), r"clusters: X: item 1: metric"),
        (lambda: cluster(Contingency.from_table(SEVENTEEN), "Purity").value("Purity", "x"), r"choose a clustering of"),
        (lambda: cluster(Contingency.from_table(SEVENTEEN), "Purity").value("NMI"), r"choose a measure of Purity"),
        (lambda: cluster(Clusters.of(None, [0, 1], X=[[0], [1]])).moves(), r"no classes are known"),
    ],
)
def test_bad_calls_and_inputs_get_one_clear_line(call: Any, expected: str) -> None:
    with pytest.raises((ParameterError, InputError), match=expected) as problem:
        call()
    assert "\n" not in str(problem.value)


def test_undefined_numbers_have_reasons_and_no_interval() -> None:
    result = cluster(Clusters.of([0, 0, 0], [1, 1, 1], X=[[1.0], [2], [4]]))
    frame = result.to_frame()
    undefined = dict(frame.filter(pl.col("value").is_null()).select("measure", "undefined").iter_rows())
    assert undefined.keys() == {"NMI", "ARI", "VMeasure", "Silhouette", "DaviesBouldin", "CalinskiHarabasz"}
    assert undefined["Silhouette"] == "there is one cluster only"
    assert frame["interval"].to_list() == ["none"] * 11
    assert "Silhouette is undefined: there is one cluster only." in str(result)


def test_several_clusterings_are_read_named_and_warned_about() -> None:
    result = cluster(NOTES, ["Purity", "ARI"], unlabelled="drop")
    assert [system.name for system in result.systems] == ["kmeans", "density", "words"]
    assert result.value("ARI", "kmeans") == pytest.approx(0.7310, abs=5e-5)
    again = cluster(result, ["Purity", "ARI"], unlabelled="drop")
    assert again.to_frame().equals(result.to_frame())
    named = cluster({"a": NOTES, "b": Contingency.from_table(SEVENTEEN)}, "Purity", unlabelled="drop")
    assert [system.name for system in named.systems] == ["a kmeans", "a density", "a words", "b"]
    other = Clusters.of(list("xy"), [0, 1], name="other", item_id=["n001", "q"])
    apart = cluster([other, *assay.read_clusters(NOTES)], "Purity", unlabelled="drop")
    assert "do not have the same items" in apart.warnings[0]


def test_everything_is_written_in_every_form() -> None:
    items = assay.read_clusters(NOTES, points="rest", systems=["density"])
    result = cluster(items, unlabelled="drop", noise=-1, resamples=50)
    sections = json.loads(result.to_json())["sections"]
    system = sections["systems"]["density"]
    assert sections["basis"]["rules"]["noise"] == -1
    assert [row["measure"] for row in sections["measures"]["measures"]] == [str(measure) for measure in result.measures]
    assert sum(row["items"] for row in sections["contingency"]["contingency"]["density"]) == 95
    assert {row["class"] for row in system["classes"]} == {"garden", "kitchen", "travel", "money"}
    assert {row["kind"] for row in system["moves"]} == {"merged"}
    assert result.to_csv().startswith("system,measure,value,low,high,interval,undefined,no_interval\n")
    assert "**measures**" in result.to_markdown()
    assert r"\begin{tabular}" in result.to_latex()
    assert "<table>" in result._repr_html_()
    assert result.scores.of("density", "Purity")["value"].to_list() == [pytest.approx(70 / 95)]
    assert repr(result) == "<Clustering of density: 11 measures>"


def test_no_number_depends_on_the_order_of_items() -> None:
    frame = pl.read_csv(NOTES)
    turned = frame.sample(fraction=1, shuffle=True, seed=1)
    results = []
    for one in (frame, turned):
        points = one.select("x", "y", "z").to_numpy()
        items = Clusters.of(one["class"], one["cluster_kmeans"], X=points, item_id=one["item_id"])
        results.append(cluster(items, ["Purity", "ARI", "DaviesBouldin"], unlabelled="drop", resamples=20))
    first, second = (result.to_frame() for result in results)
    external = pl.col("measure").is_in(["Purity", "ARI"])
    assert first.filter(external).equals(second.filter(external))
    assert results[0].value("DaviesBouldin") == pytest.approx(results[1].value("DaviesBouldin"))


def test_noise_has_the_same_names_in_the_table_among_the_points_and_in_halves() -> None:
    """One by one, items of noise are clusters that no other is called as, wherever they are counted."""
    for labels, noise in (([0, 0, 1, 1, -1, -1], -1), (["-1 1", "-1 1", "noise 1", "noise 1", "-1", "-1"], "-1")):
        given = Clusters.of(list("xxooxo"), labels, X=[[0.0], [1.0], [9.0], [8.0], [4.0], [5.0]])
        result = cluster(given, ["Silhouette", "ARI"], noise=noise, noise_as="singletons")
        table, points = result.contingency(), result.points()
        assert table is not None
        assert points is not None
        assert set(table.clusters) == set(points.clusters) == set(result.drawn().sides[0].clusters)  # type: ignore[union-attr]
        assert len(table.clusters) == 4
        frame = result.per_cluster()
        assert frame["silhouette"].null_count() == 0
        assert frame.filter(items=1)["silhouette"].to_list() == [0.0, 0.0]


def test_clusterings_that_no_default_fits_are_refused() -> None:
    pair = {"a": Clusters.of([0, 1], [0, 1]), "b": Clusters.of(None, [0, 1], X=[[1.0], [2.0]])}
    with pytest.raises(InputError, match="no measure fits all clusterings: a has classes only, b has points only"):
        cluster(pair)


def test_what_is_about_points_needs_points() -> None:
    for said in ({"metric": "cosine"}, {"sample_size": 2}):
        with pytest.raises(ParameterError, match="is about points, and there are none"):
            cluster(Clusters.of([0, 1], [0, 1]), **said)


def test_calls_that_say_nothing_of_use_get_one_line() -> None:
    odd: Any = 3
    with pytest.raises(ParameterError, match="measures are names, not 3"):
        cluster(Clusters.of([0, 1], [0, 1]), odd)
    with pytest.raises(InputError, match=r"labels_true: expected labels, got the number 1.5$"):
        Clusters.of([1.5, 2.5], [0, 1])
    two = cluster({"a": Clusters.of([0, 1], [0, 1]), "b": Clusters.of([0, 1], [0, 0])}, ["Purity", "ARI"])
    with pytest.raises(ParameterError, match=r"choose a measure of Purity, ARI$"):
        two.estimate(system="a")
    with pytest.raises(ParameterError, match=r"choose a clustering of a, b$"):
        two.estimate("ARI")


def test_the_share_of_items_left_out_is_of_the_numbers_it_is_about() -> None:
    """Noise is left out of points and classes, items without a class of what needs classes."""
    points = [[0.0], [1.0], [9.0], [8.0]]
    noisy = cluster(Clusters.of([0, 0, 1, 1], [0, 0, 1, -1], X=points), noise=-1)
    unknown = cluster(Clusters.of([0, 0, 1, None], [0, 0, 1, 1], X=points), unlabelled="drop")
    says = [next(one.says for one in result.advice if one.code == "left_out") for result in (noisy, unknown)]
    assert "the numbers cover 75.0% of the items" in says[0]
    assert "the numbers against classes cover 75.0% of the items" in says[1]


def test_the_interval_of_a_remark_stays_within_the_bounds_of_the_measure() -> None:
    result = cluster(Contingency.from_table([[2, 1], [0, 3]]), "ARI")
    remark = next(one for one in result.advice if one.code == "chance")
    one = result.estimate("ARI")
    assert one.high <= 1
    assert f"[{one.low:.4f}, {one.high:.4f}]" in remark.says


@in_turn("table", [[[3, 0], [1, 0]], [[3, 1], [0, 0], [2, 5]], [[3, 0, 1], [2, 0, 5]]])
def test_groups_without_items_are_left_out_and_said_to_be(table: list[list[int]]) -> None:
    whole = np.array(table)
    rows, columns = np.flatnonzero(whole.any(axis=1)), np.flatnonzero(whole.any(axis=0))
    result = cluster(Contingency.from_table(table))
    classes, clusters = [*map(str, rows)], [*map(str, columns)]
    expected = cluster(Contingency.from_table(whole[np.ix_(rows, columns)], classes=classes, clusters=clusters))
    for found, wanted in (
        (result.per_class(), expected.per_class()),
        (result.per_cluster(), expected.per_cluster()),
        (result.moves(), expected.moves()),
        (result.to_frame(), expected.to_frame()),
    ):
        assert found.equals(wanted)
    assert result.advice == expected.advice
    assert [text for text in result.warnings if "left out" in text] == [
        "table: no items in class 1: left out" if len(rows) < len(whole) else "table: no items in cluster 1: left out"
    ]


def test_a_cluster_whose_items_weigh_nothing_is_none() -> None:
    items = Clusters.of(list("xxyyx"), [0, 0, 1, 1, 2], sample_weight=[1, 1, 2, 1, 0])
    result = cluster(items, ["Purity"])
    assert result.per_cluster()["cluster"].to_list() == ["1", "0"]
    assert result.per_class()["clusters"].to_list() == [1, 1]
    assert result.moves().is_empty()


def test_one_cluster_is_said_to_be_one_and_nothing_is_said_of_many() -> None:
    for size in (5, 200):
        result = cluster(Clusters.of(["x"] * size + ["y"] * size, [0] * 2 * size), resamples=300)
        assert "one_cluster" in said(result)
        assert "few_items" not in said(result)
        assert result.estimate("NMI").no_interval == "all halves of the items give the same number"
    assert any("holds all items: that alone makes inverse purity 1" in one.says for one in result.advice)
    assert "one_cluster" not in said(cluster(Clusters.of(["x"] * 9, [0] * 9), "Purity"))


def test_few_items_are_said_to_be_few() -> None:
    result = cluster(Clusters.of(list("xxxxxyyyyy"), range(10)), ["InversePurity", "BCubedF", "ARI"])
    remark = next(one for one in result.advice if one.code == "few_items")
    assert remark.says.startswith("10 items are few for 10 clusters: InversePurity and BCubedF1 would be lower")


def test_columns_in_different_units_are_warned_about() -> None:
    points = np.random.default_rng(0).normal(size=(30, 2)) * [1, 1000]
    items = Clusters.of(None, [0, 1] * 15, X=points)
    assert any("standardise" in text for text in cluster(items, "Silhouette").warnings)
    assert not cluster(items, "Silhouette", metric="cosine").warnings
