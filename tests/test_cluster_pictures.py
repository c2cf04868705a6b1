"""Pictures of many clusters, and what commands say where a picture or a report cannot be had, or not whole."""

from __future__ import annotations

import itertools
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from command import run_assay

from assay import Clusters, Contingency, cluster
from assay.show.figure import Panel
from assay.subjects.clusters import curves as cluster_curves
from assay.subjects.clusters.evidence import MOST_CLASSES, MOST_CLUSTERS


def many(clusters: int, label: str = "{} is the number of this cluster", each: int = 3) -> Clusters:
    rng = np.random.default_rng(0)
    codes = np.arange(clusters * each) % clusters
    return Clusters.of(None, [label.format(code) for code in codes], X=rng.normal(size=(len(codes), 2)))


def silhouettes_drawn(given: Clusters) -> tuple[Panel, tuple[str, ...]]:
    curve = cluster_curves.silhouettes(cluster(given, "Silhouette", resamples=10))
    (panel,) = curve.figure().panels
    return panel, curve.warnings


def test_every_cluster_is_named_and_none_like_another() -> None:
    panel, warnings = silhouettes_drawn(many(40))
    names = panel.y.names
    assert len(set(names)) == 40
    assert all("…" in name and len(name) < 30 for name in names)
    assert panel.height >= 40 * 14
    assert warnings == ()


def test_bars_fill_their_cluster_and_none_lies_on_another() -> None:
    codes = [0] * 200 + [1] * 2 + [2] * 3
    panel, _ = silhouettes_drawn(Clusters.of(None, codes, X=np.random.default_rng(1).normal(size=(205, 2))))
    rows = panel.marks[0].frame.to_dicts()
    ends = [(row["top"], row["bottom"]) for row in rows]
    assert len(rows) == 205
    assert all(before[1] <= after[0] + 1e-9 for before, after in itertools.pairwise(ends))
    for name in ("1", "2"):
        own = [end for row, end in zip(rows, ends, strict=True) if row["cluster"] == name]
        assert own[-1][1] - own[0][0] == pytest.approx(14)


def test_where_clusters_are_too_many_to_be_named_that_is_said() -> None:
    panel, warnings = silhouettes_drawn(many(201, each=2))
    assert set(panel.y.names) == {""}
    assert warnings == ("clusters: 201 clusters are too many to name each beside its silhouettes",)


def test_a_map_of_very_many_classes_and_clusters_is_cut_without_making_the_whole_table() -> None:
    size = 20_000
    codes = np.arange(size) // 2
    given = Clusters.of(codes.tolist(), np.random.default_rng(0).permutation(codes).tolist())
    result = cluster(given, "Purity", resamples=2)
    tracemalloc.start()
    shown = result.report().table("matrix")
    curve = cluster_curves.contingency(result)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # all cells are 800 MB
    assert shown.shape == (MOST_CLASSES + 1, MOST_CLUSTERS + 2)  # with names and sums
    assert curve.frame.height == cluster_curves.MOST_DRAWN**2
    assert curve.warnings == (
        "clusters: drawn are the 70 largest of 10,000 classes and the 70 largest of 10,000 clusters",
    )


def test_a_part_of_a_table_is_that_of_the_whole() -> None:
    rng = np.random.default_rng(2)
    table = Contingency.from_table(rng.integers(0, 4, size=(9, 7)) + np.eye(9, 7, dtype=int))
    rows, columns = [8, 0, 3], [6, 2]
    assert np.array_equal(table.part(rows, columns), table.table[np.ix_(rows, columns)])


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("id,cluster,x\n1,a,0.5\n2,b,1.5\n3,b,2.5\n")
    (tmp_path / "n.csv").write_text("id,group,kind\n1,a,b\n2,b,c\n")
    for arguments, says in (
        (("clustering", "plot", "c.csv", "--kind", "silhouete"), "did you mean silhouette?"),
        (
            ("clustering", "plot", "c.csv", "--kind", "over-k", "--points", "x"),
            "name the numbers of clusters to try, as in --ks 2:10"),
        (
            ("clustering", "plot", "c.csv", "--kind", "contingency"),
            "c.csv: contingency is of classes, and there are none: --truth names them"),
        (
            ("clustering", "plot", "c.csv", "--kind", "silhouette"),
            "c.csv: silhouette is of points, and there are none: --points names them"),
        (("clustering", "report", "n.csv"), "got 'id, group, kind' (cluster may be called"),
    ):  # fmt: skip
        done = run_assay(*arguments, folder=tmp_path)
        assert done.returncode == 2
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_missing_file_of_judgments_is_still_said_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 0.5 a\n")
    for name in ("judgments.txt", "scores.txt", "rocs"):
        assert run_assay("plot", name, "a.run", folder=tmp_path).stderr.startswith(f"assay: {name}: cannot be read")


def test_a_table_that_is_too_large_is_said_to_be_left_out() -> None:
    one = Clusters.of([n % 3 for n in range(60)], [n % 20 for n in range(60)])
    said = str(cluster(one, "ARI", resamples=10))
    assert "The table of 3 classes and 20 clusters is too large to show" in said
    assert "too large" not in str(cluster(Clusters.of(list("xxo"), [0, 0, 1]), "ARI"))


def test_it_is_said_where_silhouettes_are_of_more_points_than_there_are_items() -> None:
    truth = [None, None, *(n % 2 for n in range(18))]
    given = Clusters.of(truth, [n % 2 for n in range(20)], X=np.random.default_rng(0).normal(size=(20, 2)))
    result = cluster(given, ["ARI", "Silhouette"], unlabelled="drop", resamples=10)
    says = "Silhouettes are of all 20 points, other numbers of the 18 items with a class."
    report = result.report()
    for text in (str(result), report.to_html(), report.to_markdown(), report.to_latex()):
        assert says in text
    whole = Clusters.of([n % 2 for n in range(20)], given.cluster, X=given.points)
    assert "Silhouettes are of all" not in str(cluster(whole, ["ARI", "Silhouette"], resamples=10))
