"""Tables and files of clusterings: what is read, what is refused, and that nothing else than a clear line is raised."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import AssayError, Clusters, FormatError, InputError, ParameterError, read_clusters
from assay.files.named_columns import names_in_any
from assay.files.sources import Source
from assay.tables.roles import kind_of

Read = TypeVar("Read")
NOTES = Path(__file__).parents[1] / "src" / "assay" / "data" / "notes" / "notes.csv"


def table(text: str) -> Source:
    return Source(io.StringIO(text), name="c.csv")


def test_each_column_of_clusters_is_a_clustering() -> None:
    read = read_clusters(NOTES, points="rest")
    assert [one.name for one in read] == ["kmeans", "density", "words"]
    first = read[0]
    assert (len(first), first.point_names, first.truth is not None) == (120, ("x", "y", "z"), True)
    assert first.truth is not None
    assert first.truth.null_count() == 6
    assert first.frame.columns == ["item_id", "truth", "cluster"]
    assert first.cluster.dtype == pl.Int64
    assert read[2].cluster.dtype == pl.String
    assert first.warnings == (f"{NOTES}: no numbers, and so no coordinates: note",)


@in_turn(
    ("header", "truth"),
    [("cluster,class", "class"), ("cluster_id,truth", "truth"), ("labels_pred,labels_true", "labels_true"),
     ("Cluster,Category", "Category"), ("cluster,label", "label"), ("assignment,gold", "gold")],
)  # fmt: skip
def test_usual_names_of_columns_are_known(header: str, truth: str) -> None:
    (one,) = read_clusters(table(f"{header}\n1,a\n2,b\n"))
    assert one.name == "c"
    assert one.cluster.to_list() == [1, 2], truth
    assert one.truth is not None
    assert one.truth.to_list() == ["a", "b"]


def test_other_names_are_said() -> None:
    text = "k,kind,w,x1,x2,who\n3,a,2,0.5,1,ann\n4,b,1,1.5,2,bob\n"
    (one,) = read_clusters(table(text), cluster="k", truth="kind", weight="w", item="who", points=["x2", "x1"])
    assert one.frame.rows() == [("ann", "a", 3, 2.0), ("bob", "b", 4, 1.0)]
    assert one.points is not None
    assert one.points.tolist() == [[1, 0.5], [2, 1.5]]
    both = read_clusters(table(text), cluster={"one": "k", "other": "kind"})
    assert [system.name for system in both] == ["one", "other"]
    with pytest.raises(ParameterError, match=r"no clustering is called 'onne': there are one, other; did you mean one"):
        read_clusters(table(text), cluster={"one": "k", "other": "kind"}, systems=["onne"])


def test_formats_other_than_csv_are_read(tmp_path: Path) -> None:
    rows = [{"id": "a", "class": "x", "cluster": 0, "x": 1.0}, {"id": "b", "class": None, "cluster": 1, "x": 2.5}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    (tmp_path / "c.jsonl").write_text(lines)
    (tmp_path / "c.tsv").write_text("id\tclass\tcluster\tx\na\tx\t0\t1\nb\t\t1\t2.5\n")
    for name in ("c.parquet", "c.jsonl", "c.tsv"):
        (one,) = read_clusters(tmp_path / name, points=["x"])
        assert one.frame.rows() == [("a", "x", 0), ("b", None, 1)], name
        assert one.points is not None
        assert one.points.tolist() == [[1.0], [2.5]]


@in_turn(
    ("text", "said", "expected"),
    [
        ("truth,prediction\na,b\n", {}, r"c\.csv:1: expected a table with the column `cluster`, got 'truth, pr"),
        ("class,cluster\na,1\nb,\n", {}, r"c\.csv:3: expected the cluster of an item, got nothing"),
        ("class,cluster\n,1\n,2\n", {}, r"expected the class of some items at least, got none"),
        ("cluster,weight\n1,1\n1,-2\n", {}, r"c\.csv:3: expected a weight from 0 on, got '-2.0'"),
        ("cluster,weight\n1,0\n1,0\n", {}, r"all weights are 0"),
        ("cluster,x\n1,1\n1,inf\n", {"points": "rest"}, r":3: expected a finite number as a coordinate, got 'inf'"),
        ("cluster,x\n1,1\n1,\n", {"points": ["x"]}, r":3: expected a number in x, as a coordinate, got nothing"),
        ("cluster,x\n1,a\n1,b\n", {"points": "rest"}, r"c\.csv:1: expected columns of numbers as points, got 'x'"),
        ("cluster,x\n1,1\n", {"points": ["y"]}, r"no column is called 'y': there are cluster, x"),
        ("cluster,x\n1,1\n", {"truth": "cluster"}, r"'cluster' cannot be a clustering and something else"),
        ("id,cluster\n,1\n", {}, r"c\.csv:2: expected the id of an item in id, got nothing"),
        ("cluster\n1\n", {}, r"c\.csv:1: .* the column `cluster`, got 'cluster' \(a table has two columns or more\)"),
        ("", {}, r"there are no data in the file"),
    ],
)  # fmt: skip
def test_bad_files_give_one_line_that_says_where(text: str, said: dict[str, object], expected: str) -> None:
    with pytest.raises(AssayError, match=expected) as problem:
        read_clusters(table(text), **said)  # type: ignore[arg-type]
    assert "\n" not in str(problem.value)


def test_a_file_is_known_for_clusters_by_its_header(tmp_path: Path) -> None:
    def looks(text: str) -> bool:
        return kind_of(names_in_any(io.StringIO(text))) == "clusters"

    assert looks("id,cluster\n1,1\n")
    assert looks("id,class,cluster_a,cluster_b\n1,x,1,2\n")
    assert kind_of(names_in_any(NOTES)) == "clusters"
    assert not looks("truth,prediction,cluster\na,b,1\n")  # predictions come first
    assert not looks("q1 0 d1 1\n")
    assert not looks("query_id,doc_id,relevance\nq,d,1\n")
    assert not looks("")
    assert kind_of(names_in_any(tmp_path / "none.csv")) != "clusters"
    assert kind_of(names_in_any({"q": {"d": 1}})) != "clusters"


def test_columns_of_any_library_are_taken() -> None:
    pd = pytest.importorskip("pandas")
    points = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, 5, 6]})
    one = Clusters.of(pd.Series(["x", None, "y"]), np.array([0, 0, 1]), X=points)
    other = Clusters.of(pl.Series(["x", None, "y"]), [0, 0, 1], X=[[1, 4], [2, 5], [3, 6]])
    assert one.frame.equals(other.frame)
    assert one.points is not None
    assert other.points is not None
    assert one.points.tolist() == other.points.tolist()
    assert one.point_names == ("a", "b")


@in_turn(
    ("call", "expected"),
    [
        (lambda: Clusters.of([0, 1]), r"expected the cluster of each item as labels_pred"),
        (lambda: Clusters.of([0, 1], [0]), r"expected 1 value of truth, as many as items have clusters, got 2"),
        (lambda: Clusters.of(None, [0, 1], X=[[1], [2], [3]]), r"expected 2 values of points.*got 3"),
        (lambda: Clusters.of(None, []), r"expected at least one item, got none"),
        (lambda: Clusters.of(None, [0, None]), r"clusters: item 2: expected the cluster of an item"),
        (lambda: Clusters.of(None, [0, 1], X=[[1.0], [np.nan]]), r"item 2: expected finite numbers as a point"),
        (lambda: Clusters.of(None, [0, 1], X=[1.0, 2.0]), r"X: expected a row of numbers per item, got an array"),
        (lambda: Clusters.of(None, [0, 1], X=[["a"], ["b"]]), r"X: expected a row of numbers per item"),
        (lambda: Clusters.of(None, [[0], [1]]), r"overlapping groups are not measured"),
    ],
)  # fmt: skip
def test_bad_columns_give_a_clear_line(call: object, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        call()  # type: ignore[operator]


def test_some_of_the_items_keep_their_points_and_distances() -> None:
    one = Clusters.of(list("xyz"), [0, 0, 1], X=[[1.0], [2.0], [3.0]], item_id=list("abc"))
    taken = one.taken(pl.Series([2, 0]))
    assert taken.frame.rows() == [("c", "z", 1), ("a", "x", 0)]
    assert taken.points is not None
    assert taken.points.tolist() == [[3.0], [1.0]]
    distances = np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])
    apart = Clusters.of(None, [0, 0, 1], X=distances).taken(pl.Series([2, 0]))
    assert apart.points is not None
    assert apart.points.tolist() == [[0, 2], [2, 0]]


def test_ids_that_occur_twice_are_a_warning() -> None:
    assert Clusters.of(None, [0, 1], item_id=["a", "a"]).warnings == ("clusters: 1 item id more than once, first 'a'",)


def read_or_refused(call: Callable[[], Read]) -> Read | None:
    """What was read; None if it was refused, in one line."""
    said = ""
    try:
        return call()
    except AssayError as problem:
        said = str(problem)
    assert said
    assert "\n" not in said
    return None


CELLS = st.one_of(
    st.sampled_from(["", "1", "-1", "0.5", "nan", "inf", "x", "NA", '"a,b"', "1e400", " 2 ", "é", "true"]), st.text()
)
NAMES = st.sampled_from(
    ["cluster", "cluster_a", "cluster:b", "class", "truth", "item_id", "id", "weight", "x", "y", "", "cluster_", "note"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=6), st.lists(st.lists(CELLS, max_size=6), max_size=5), st.booleans())
def test_whatever_a_table_holds_is_read_or_refused_in_one_line(
    names: list[str], rows: list[list[str]], with_points: bool
) -> None:
    text = "\n".join([",".join(names), *(",".join(row) for row in rows)])
    read = read_or_refused(lambda: read_clusters(table(text), points="rest" if with_points else None))
    for one in read or []:
        assert one.cluster.null_count() == 0
        assert one.points is None or (len(one.points) == len(one) and bool(np.isfinite(one.points).all()))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_read_or_refused(data: bytes) -> None:
    source = Source(io.BytesIO(b"cluster,class\n" + data), name="c.csv")
    read = read_or_refused(lambda: read_clusters(source))
    assert read is None or all(len(clusters) for clusters in read)
    assert isinstance(names_in_any(Source(io.BytesIO(data), name="c.csv")), list)  # an answer, never an error


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="0123456789 ;,/.-xe\n", max_size=25))
def test_a_typed_table_is_read_or_refused_in_one_line(text: str) -> None:
    from assay.cli.literals import table_in  # noqa: PLC0415

    rows = read_or_refused(lambda: table_in(text))
    assert rows is None or len({len(row) for row in rows}) == 1


def test_what_is_public_is_what_was_defined_here() -> None:
    assert assay.Clusters is Clusters
    assert assay.read_clusters is read_clusters
    assert issubclass(FormatError, InputError)


@in_turn("points", [["cluster_a"], ["x", "cluster_b"], ["x", "w"]])
def test_a_coordinate_is_nothing_else(points: list[str]) -> None:
    text = "class,cluster_a,cluster_b,x,w\nx,0,1,2,1\no,1,1,3,1\n"
    with pytest.raises(ParameterError, match=f"'{points[-1]}' cannot be a coordinate and something else"):
        read_clusters(io.StringIO(text), points=points, weight="w")


def test_two_columns_of_one_clustering_are_refused() -> None:
    text = "class,cluster_a,cluster:a\nx,0,1\no,1,1\n"
    for said in (None, ["cluster_a", "cluster:a"]):
        with pytest.raises(ParameterError, match="'cluster_a' and 'cluster:a' are both the clustering 'a'"):
            read_clusters(io.StringIO(text), cluster=said)


@pytest.mark.parametrize("verb", [("evaluate", "--per-class", "--per-cluster"), ("compare", "-m", "ARI"), ("report",)])
def test_items_of_weight_0_count_nowhere(verb: tuple[str, ...], tmp_path: Path) -> None:
    """Neither among the items, nor in intervals, nor among the points."""
    rng = np.random.default_rng(4)
    rows = [
        f"i{n},{n % 3},{n % 3 if n % 7 else 1},{n % 2},{0 if n % 4 == 1 else 1 + n % 3},{n % 3 + rng.random():.3f}"
        for n in range(60)
    ]
    said = []
    for kept in (rows, [row for row in rows if row.split(",")[4] != "0"]):
        text = "\n".join(["item_id,class,cluster_a,cluster_b,weight,x", *kept])
        (tmp_path / "weighted.csv").write_text(text, encoding="utf-8")
        words = ["clustering", verb[0], "weighted.csv", "--points", "x", *verb[1:]]
        done = run_assay(*words, *(["-o", "page.md"] if verb == ("report",) else []), folder=tmp_path)
        assert done.returncode == 0, done.stderr
        said.append((done.stdout, "15 items of weight 0 left out" in done.stderr))
    assert said[0] == (said[1][0], True)
    assert not said[1][1]
