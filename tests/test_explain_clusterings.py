"""`explain` on clusterings and on two orders: what is shown is what was computed, and each worked example is there."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import explained, invoke
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import quickly

from assay import AssayError, Clusters, Contingency, ParameterError, Points, cluster, explain, parse_measure
from assay.cli.literals import order_in, points_in_clusters
from assay.measures import registered
from assay.measures.counting.orders import Orders
from assay.stats.correlation import kendall, spearman, tau_ap
from assay.stats.overlap import rbo

PAGE = Path(__file__).parents[1] / "docs" / "worked-examples.md"
NOTES = Path(__file__).parents[1] / "src" / "assay" / "data" / "notes" / "notes.csv"
SEVENTEEN = Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes="xod", clusters="123")
FIVE = Points.of([0, 1, 2, 10, 11], list("aaabb"))
ROW = re.compile(
    r"^\| `(?P<command>assay (?:clustering|scores) explain .*?)` \| (?P<result>-?[\d.]+) \|$", re.MULTILINE
)


def commands() -> list[tuple[str, str]]:
    """The commands of the tables about clusterings and orders, and the results beside them."""
    text = PAGE.read_text(encoding="utf-8").partition("## Clusterings")[2]
    return [(row["command"].replace("\\|", "|"), row["result"]) for row in ROW.finditer(text)]


def typed(command: str) -> Any:
    done = invoke([*shlex.split(command)[1:], "--json"])
    assert done.exit_code == 0, done.output
    return explained(done.stdout)


def step(told: Any, part: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told["steps"][part]["rows"]
    return found


# The worked examples


def test_the_page_has_all_of_them() -> None:
    assert len(commands()) >= 26


@in_turn(("command", "result"), commands())
def test_each_command_of_the_page_gives_the_number_beside_it(command: str, result: str) -> None:
    digits = len(result.partition(".")[2])
    assert f"{typed(command)['value']:.{digits}f}" == result


def test_the_pairs_are_sums_of_pairs_within_cells_clusters_and_classes() -> None:
    told = typed(
        "assay clustering explain Rand --contingency '5 1 2; 1 4 0; 0 1 3' --class-names x,o,d --cluster-names 1,2,3"
    )
    assert [row["pairs"] for row in step(told, "pairs of items")] == [20, 40, 44, 136]
    assert [row["made_of"] for row in step(told, "pairs of items")][1:3] == ["15 + 15 + 10", "28 + 10 + 6"]
    assert sum(row["pairs"] for row in step(told, "cells")) == 20
    assert step(told, "table")[0] == {"class": "x", "cluster 1": 5, "cluster 2": 1, "cluster 3": 2, "all": 8}
    assert told["numbers"] == "(20 + 72) / (20 + 20 + 24 + 72)"


def test_a_cluster_for_each_document_has_purity_1_and_a_remark() -> None:
    found = explain("Purity", Contingency.from_labels(list("xxxxxxxxooooodddd"), range(17)))
    assert found.value == 1
    assert any("purity rewards many clusters" in said for said in found.remarks)
    assert not explain("Purity", SEVENTEEN).remarks


def test_all_silhouettes_are_shown_and_one_in_full() -> None:
    rows = step(typed("assay clustering explain Silhouette --clusters '0 1 2 | 10 11'"), "points")
    assert [round(row["s"], 4) for row in rows] == [0.8571, 0.8947, 0.8235, 0.8889, 0.9]
    one = typed("assay clustering explain Silhouette --clusters '0 1 2 | 10 11' --item 3")
    assert [row["distance"] for row in step(one, "points")] == [2, 1, 8, 9]
    assert one["counts"] == {"a": 1.5, "b": 8.5}


def test_spread_and_squares_of_points_are_those_of_their_clusters() -> None:
    for measure, column, summed in (("DaviesBouldin", "distance", "spread"), ("CalinskiHarabasz", None, "within")):
        told = explained(explain(measure, FIVE).to_json())
        points = pl.DataFrame(step(told, "points"))
        by = points.group_by("cluster", maintain_order=True).agg(
            (pl.col(column).mean() if column else pl.col("squared_distance").sum()).alias("made")
        )
        assert by["made"].to_list() == pytest.approx([row[summed] for row in step(told, "clusters")])


# What is shown is what was computed


@st.composite
def tables(draw: st.DrawFn) -> Contingency:
    size = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    rows = draw(st.lists(st.lists(st.integers(0, 5), min_size=size[1], max_size=size[1]), min_size=size[0],
                         max_size=size[0]).filter(lambda found: any(map(any, found))))  # fmt: skip
    return Contingency.from_table(rows)


EXTERNAL = [name for name, one in registered("clustering").items() if one.definition.counts is Contingency]


@settings(quickly, max_examples=6)
@given(table=tables())
def test_every_external_measure_is_explained_with_its_own_value(table: Contingency) -> None:
    for name in EXTERNAL:
        found, value = explain(name, table), float(parse_measure(name, "clustering").of(table)[0])
        assert found.value == pytest.approx(value, nan_ok=True)
        assert all((str(found), found.to_json(), found.to_latex()))
        assert (found.reason is None) == (not np.isnan(value))


@in_turn("name", [one for one in registered("clustering") if one not in EXTERNAL])
def test_every_internal_measure_is_explained_with_its_own_value(name: str) -> None:
    rng = np.random.default_rng(0)
    for metric in ("euclidean", "cosine", "manhattan", "sqeuclidean"):
        points = Points.of(rng.normal(size=(12, 3)), rng.integers(0, 3, 12), metric=metric)
        found, value = explain(name, points), float(parse_measure(name, "clustering").of(points)[0])
        assert found.value == pytest.approx(value, nan_ok=True)
        assert f"metric={metric}" in found.signature
        assert str(found)


def test_one_points_silhouette_is_that_of_all_points() -> None:
    rng = np.random.default_rng(1)
    points = Points.of(rng.normal(size=(15, 2)), rng.integers(0, 4, 15))
    for row, value in enumerate(points.silhouettes, 1):
        assert explain("Silhouette", points, item=str(row)).value == pytest.approx(value)


def test_an_explanation_is_the_same_from_items_from_a_result_and_from_a_file() -> None:
    from_file = explain("ARI", str(NOTES), system="words", unlabelled="drop")
    result = cluster(str(NOTES), ["ARI"], unlabelled="drop")
    assert from_file.value == result.value("ARI", "words") == result.explain("ARI", "words").value
    assert from_file.signature == result.signatures["words"]["ARI"]


def test_weighted_pairs_are_said_to_be_products() -> None:
    items = Clusters.of([0, 0, 1], [0, 0, 1], sample_weight=[2.0, 1.0, 1.0])
    assert any("weighs the product" in said for said in explain("PairTP", items).remarks)


def test_without_another_cluster_there_is_no_silhouette() -> None:
    assert explain("Silhouette", Points.of([0, 1], [0, 0]), item="1").reason == "there is one cluster only"


def test_many_clusters_are_cut_short_and_the_rest_is_counted() -> None:
    found = explain("Purity", Contingency.from_labels(np.arange(60) % 2, np.arange(60) % 30))
    assert "10 clusters not shown; they add 20" in str(found)


# Two orders

ORDERS = st.integers(2, 7).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n) for _ in range(2)))
)


@quickly
@given(ORDERS)
def test_coefficients_are_those_of_correlate_and_their_formulas_come_to_them(numbers: tuple[list[int], ...]) -> None:
    first, second = ({f"i{place}": float(own) for place, own in enumerate(side)} for side in numbers)
    one, other = (np.array(side, dtype=float) for side in numbers)
    ways = {"Kendall": kendall, "Spearman": spearman, "tau_AP": tau_ap}
    for name, function in ways.items():
        found = explain(name, first, second)
        assert found.value == pytest.approx(function(one, other).value, nan_ok=True)
        assert str(found)
        if found.is_defined:
            numbers_in = found.formula.numbers.replace("×", "*").replace("√", "np.sqrt").replace("^", "**")
            assert eval(numbers_in, {"np": np}) == pytest.approx(found.value, abs=2e-3)  # four digits


@quickly
@given(ORDERS)
def test_pairs_are_counted_as_a_slow_twin_counts_them(numbers: tuple[list[int], ...]) -> None:
    first, second = ({f"i{place}": float(own) for place, own in enumerate(side)} for side in numbers)
    agree = differ = 0
    for i, j in combinations(range(len(numbers[0])), 2):
        product = (numbers[0][i] - numbers[0][j]) * (numbers[1][i] - numbers[1][j])
        agree, differ = agree + (product > 0), differ + (product < 0)
    counts = dict(explain("tau", first, second).counts)
    assert (counts["concordant"], counts["discordant"]) == (agree, differ)


@quickly
@given(st.permutations("ABCDE"), st.permutations("ABCFG"), st.integers(1, 5), st.floats(0.1, 0.95))
def test_overlap_is_that_of_correlate_depth_by_depth(one: list[str], other: list[str], cut: int, p: float) -> None:
    found = explain(f"RBO(p={p})", one, other[:cut])
    assert found.value == pytest.approx(rbo(one, other[:cut], p).extrapolated)
    parts, total = dict(found.counts), float(found.steps[0].frame["product"].sum())
    assert total + parts["last share"] * parts["chance to read on"] == pytest.approx(found.value)


def test_names_of_coefficients_are_known_and_no_other_measure_has_them() -> None:
    names = ["tau", "Kendall's tau-b", "tau_AP", "Spearman's rho", "RBO", "rbo(p=0.8)"]
    known = [parse_measure(name, "order").name for name in names]
    assert known == ["tau", "Kendall", "tau_AP", "Spearman", "RBO", "RBO"]
    assert not registered("order").keys() & {*registered("ranking"), *registered("clustering"), *registered("binary")}


@quickly
@given(ORDERS)
def test_registered_coefficients_lie_within_their_bounds_and_say_why_there_is_none(numbers: Any) -> None:
    orders = Orders.of(*({f"i{place}": float(own) for place, own in enumerate(side)} for side in numbers))
    for name, coefficient in registered("order").items():
        if name == "RBO":
            continue  # of rankings without ties
        result = coefficient.per_unit(orders)
        assert (result.reason(0) is None) == (len(set(numbers[0])) > 1 < len(set(numbers[1])))
        assert np.isnan(result.values[0]) or -1 <= result.values[0] <= 1


@in_turn("measure", ["Kendall", "RBO"])
@in_turn(
    ("first", "says"),
    [
        ({"A": "x", "B": 2}, "item 'A' is a finite number, not 'x'"),
        ({"A": None, "B": 2}, "item 'A' is a finite number, not None"),
        ({"A": 1, "B": float("nan")}, "item 'B' is a finite number, not nan"),
        ({1: 1, "1": 2}, "an order holds '1' twice"),
        (["A", "A"], "an order holds 'A' twice"),
        (np.array([["A", "B"]]), "expected a list of items or a dict of numbers, got ndarray"),
    ],
)
def test_what_is_no_order_is_refused(measure: str, first: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(says)):
        explain(measure, first, {"A": 1.0, "B": 3.0})


@in_turn(
    ("first", "second", "which"), [([], [], "first"), ([], ["b"], "first"), (["b"], [], "second"), ({}, {}, "first")]
)
def test_empty_rankings_have_no_overlap(first: Any, second: Any, which: str) -> None:
    with pytest.raises(ParameterError, match=f"the {which} ranking is empty"):
        explain("RBO", first, second)


@in_turn("measure", ["Kendall", "RBO", "Spearman"])
def test_arrays_are_orders_as_lists_are(measure: str) -> None:
    first, second = ["A", "B", "C"], ["B", "A", "C"]
    expected = explain(measure, first, second).value
    assert explain(measure, np.array(first), np.array(second)).value == expected
    assert explain(measure, pl.Series(first), pl.Series(second)).value == expected


@in_turn(
    ("name", "orders"), [("tau", ("A=B=C", "A B C")), ("tau_AP", ("A B C", "A=B=C")), ("Kendall", ("A=B=C", "A B C"))]
)
def test_no_number_is_shown_for_a_list_without_an_order_that_its_formula_belies(
    name: str, orders: tuple[str, str]
) -> None:
    told = invoke(["scores", "explain", name, "--order", orders[0], "--order", orders[1]])
    assert told.exit_code == 0
    [number, *_] = [line for line in told.stdout.splitlines() if "= NA" in line]
    assert "has no order" in number
    assert not re.search(r"= \(?[\d.]+ - [\d.]+\) / [1-9]|= 0 / \(", told.stdout)


@in_turn(
    "words",
    [
        ["Silhouette", "--clusters", "0 1 2"],
        ["Silhouette", "--clusters", "0 1 2", "--item", "1"],
        ["DaviesBouldin", "--clusters", "0 | 1 | 2"],
        ["CalinskiHarabasz", "--clusters", "0 1 | 2 3", "--metric", "manhattan"],
    ],
)
def test_an_undefined_measure_of_points_shows_the_reason_alone(words: list[str]) -> None:
    told = invoke(["clustering", "explain", *words]).stdout.splitlines()
    assert [line.startswith(f"{words[0]} = NA (") for line in told[1:]] == [True, False]
    assert told[2].startswith(f"{words[0]}|")


def test_a_silhouette_says_what_the_point_itself_would_make_of_it() -> None:
    """A slow twin: the mean distance within divided by all points of the cluster, as an erratum of the page has it."""
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(14, 2)), np.append(rng.integers(0, 3, 13), 7)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    values = []
    for row, own in enumerate(labels):
        means = {other: apart[row, labels == other].mean() for other in set(labels.tolist())}
        a, b = means.pop(own), min(mean for other, mean in means.items() if other != own)
        values.append(0.0 if np.sum(labels == own) == 1 else (b - a) / max(a, b))
    said = explain("Silhouette", Points.of(points, labels)).remarks
    assert any(f"with the point itself among them, Silhouette would be {np.mean(values):.4f}" in one for one in said)
    assert any("0.9223" in one for one in explain("Silhouette", FIVE).remarks)


def test_a_file_of_numbers_holds_two_orders(tmp_path: Path) -> None:
    (tmp_path / "lists.csv").write_text("system,AP,RR\na,0.3,0.5\nb,0.2,0.6\nc,0.1,0.1\n", encoding="utf-8")
    told = typed(f"assay scores explain tau {tmp_path / 'lists.csv'}")
    assert told["numbers"] == "(2 - 1) / 3"


# What is refused


@in_turn(
    ("words", "says"),
    [
        (["Purity", "--contingency", "5 1; 2"], "expected as many numbers in row 2"),
        (["Purity", "--contingency", "5 1; 2 0", "--class-names", "x"], "expected 2 different names, one per class"),
        (["Purity", "--contingency", "5 1; 2 0", "--cluster-names", "x"], "--cluster-names: expected 2 names"),
        (["Purity", "--contingency", "5 1; 2 0", "--noise", "1"], "--noise goes with a file"),
        (["Purity", "--contingency", "5 1; 2 0", "--item", "1"], "item goes with Silhouette"),
        (["ARI", "--clusters", "0 1 | 2"], "ARI is computed from classes and clusters"),
        (["Silhouette", "--contingency", "5 1; 2 0"], "Silhouette is computed from points"),
        (["Silhouette", "--clusters", "0 1 | "], "no point in cluster 2"),
        (["Silhouette", "--clusters", "0,0 | 3,3"], "'0,0' may be one point or several: end each point with ';'"),
        (["ARI", str(NOTES), "--unlabelled", "drop"], "choose one of the clusterings kmeans, density, words (--system"),
        (["Silhouette", "--clusters", "0,1; 2 | 3,4"], "expected as many numbers in point 2"),
        (["Silhouette", "--clusters", "0 1 | 5", "--item", "9"], "a row from 1 to 3"),
        (["Silhouette", str(NOTES), "--system", "kmeans", "--unlabelled", "drop"], "--points"),
        (["AP", "--order", "A B", "--order", "B A"], "no measure is called 'AP'"),
        (["kendal", "--order", "A B", "--order", "B A"], "did you mean Kendall"),
        (["tau", "--order", "A B"], "takes --order twice"),
        (["tau", "--order", "A B", "--order", "A C"], "different items"),
        (["tau", "--order", "A A", "--order", "A B"], "each item once"),
        (["tau(p=0.5)", "--order", "A B", "--order", "A B"], "tau has no parameter 'p'"),
        (["RBO(p=2)", "--order", "A B", "--order", "A B"], "p of RBO is a number between 0 and 1"),
        (["nDCG", "--grades", "1,0", "--cluster-names", "a"], "--cluster-names goes with assay clustering explain"),
        (["nDCG", "--grades", "1,0", "--metric", "cosine"], "--metric goes with assay clustering explain"),
    ],
)
def test_bad_input_gets_one_clear_line(words: list[str], says: str) -> None:
    subject = ["scores"] if "--order" in words else [] if "--grades" in words else ["clustering"]
    done = invoke([*subject, "explain", *words])
    assert isinstance(done.exception, AssayError), done.output
    assert says in str(done.exception)
    assert "\n" not in str(done.exception)


def test_what_has_no_meaning_for_clusters_is_refused() -> None:
    for said in ({"query": "q1"}, {"label": "x"}, {"threshold": 0.5}, {"running": True}, {"noise": 1}):
        with pytest.raises(ParameterError):
            explain("Purity", SEVENTEEN, **said)


@quickly
@given(st.text("01.,;| -x", max_size=20))
def test_typed_points_are_read_or_refused(text: str) -> None:
    with suppress(ParameterError):
        rows, clusters = points_in_clusters(text)
        assert len(rows) == len(clusters) > 0
        assert len({len(row) for row in rows}) == 1


@quickly
@given(st.text("AB=, >", max_size=12))
def test_typed_orders_are_read_or_refused(text: str) -> None:
    with suppress(ParameterError):
        items = list(order_in(text))
        assert items
        assert items == [item for item in re.split("[=, >]+", text) if item]
