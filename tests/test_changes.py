"""What changed between two systems: for users, by query, by document, and within slices."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly, random_tables

from assay import (
    Confusion,
    Measure,
    ParameterError,
    Policies,
    Qrels,
    Ranks,
    Run,
    Scores,
    Topics,
    compare,
    evaluate,
    parse_measure,
)
from assay.measures import registered
from assay.measures.counting.ranks import as_judged, retrieved, same_queries
from assay.measures.steps import Steps
from assay.measures.steps import quantity as counted_number
from assay.measures.summary import filled
from assay.stats.mean_samples import MeanSample
from assay.subjects.ranking.document_analysis import VisibleChanges, changes, noticed, why_no_shares
from assay.verbs.comparison.result import NONE, attribute_of, slices

Table: TypeAlias = dict[str, dict[str, float]]

approx = pytest.approx
MEASURES = [one for one in registered().values() if not one.definition.subtopics]
PAGE_ABOUT_CHANGES = Path(__file__).parents[1] / "docs" / "what-changed.md"


def counted(qrels: Table, first: Table, second: Table, depth: int | None = None, **rules: Any) -> tuple[Ranks, Ranks]:
    runs = {"first": Run.of(first), "second": Run.of(second)}
    counts = retrieved(runs, Qrels.of(qrels), Policies(**rules), depth)
    return counts["first"], counts["second"]


def random_systems(seed: int) -> tuple[Table, Table, Table]:
    """Judgments and two runs on the same topics, with ties, unjudged documents and missing topics."""
    qrels, run = random_tables(seed)
    other = {query: docs for query, docs in random_tables(seed + 1000).run.items() if query in qrels}
    return qrels, run, other


def listed(*documents: str) -> dict[str, float]:
    return {doc: -float(rank) for rank, doc in enumerate(documents)}


# What users would notice.


def test_each_kind_of_change_is_counted() -> None:
    qrels: Table = {key: {"r": 1.0, "x": 0.0} for key in ("same", "up", "down", "appears", "disappears", "order")}
    first = {
        "same": listed("r", "x"), "up": listed("x", "r"), "down": listed("r", "x"), "appears": listed("x"),
        "disappears": listed("x", "r"), "order": listed("r", "x", "u"),
    }  # fmt: skip
    second = {
        "same": listed("r", "x"), "up": listed("r", "x"), "down": listed("u", "r"), "appears": listed("x", "r"),
        "disappears": listed("x"), "order": listed("r", "u", "x"),
    }  # fmt: skip
    assert noticed(*counted(qrels, first, second)) == VisibleChanges(
        queries=6,
        first_result_changes=2,  # up, down
        first_relevant_up=1,
        first_relevant_down=1,
        first_relevant_appears=1,
        first_relevant_disappears=1,
        page_documents_change=3,  # down, appears, disappears
        page_order_changes=2,  # up, order
    )


def test_only_the_first_ten_results_are_on_the_page() -> None:
    shared = [f"d{number}" for number in range(10)]
    first, second = {"q": listed(*shared, "u")}, {"q": listed(*shared, "v", "u")}
    found = noticed(*counted({"q": {"x": 1}}, first, second))
    assert (found.page_documents_change, found.page_order_changes, found.first_result_changes) == (0, 0, 0)


def test_a_topic_that_a_run_lacks_is_an_empty_page() -> None:
    found = noticed(*counted({"q1": {"x": 1}, "q2": {"x": 1}}, {"q1": listed("x")}, {"q2": listed("x")}))
    assert found.first_result_changes == 2
    assert (found.first_relevant_appears, found.first_relevant_disappears) == (1, 1)


@in_turn("seed", range(3))
def test_what_is_noticed_is_what_a_slow_look_finds(seed: int) -> None:
    qrels, run, other = random_systems(seed)
    found = noticed(*counted(qrels, run, other))
    lists = [
        {q: sorted(sorted(docs, key=str.encode, reverse=True), key=lambda doc: -docs[doc]) for q, docs in one.items()}
        for one in (run, other)
    ]
    pages = [[ranking.get(query, [])[:10] for query in qrels] for ranking in lists]
    tops = [[page[:1] for page in system] for system in pages]
    relevant = [
        [next((rank for rank, doc in enumerate(one.get(q, []), 1) if qrels[q].get(doc, -1) >= 1), None) for q in qrels]
        for one in lists
    ]
    in_both = [(before, after) for before, after in zip(*relevant, strict=True) if before and after]
    assert found.queries == len(qrels)
    assert found.first_result_changes == sum(a != b for a, b in zip(*tops, strict=True))
    assert found.page_documents_change == sum(set(a) != set(b) for a, b in zip(*pages, strict=True))
    assert found.page_order_changes == sum(set(a) == set(b) and a != b for a, b in zip(*pages, strict=True))
    assert found.first_relevant_up == sum(after < before for before, after in in_both)
    assert found.first_relevant_down == sum(after > before for before, after in in_both)
    assert found.first_relevant_appears == sum(a is None and b is not None for a, b in zip(*relevant, strict=True))
    assert found.first_relevant_disappears == sum(a is not None and b is None for a, b in zip(*relevant, strict=True))


# What changed by document.


def differences(one: Measure, first: Ranks, second: Ranks) -> dict[str, float]:
    """Each query's difference, undefined values as the mean takes them."""
    before, after = (filled(one, one.of(as_judged(ranks))) for ranks in same_queries(first, second))
    pairs = zip(first.queries, (after - before).tolist(), strict=True)
    return {query: difference for query, difference in pairs if not np.isnan(difference)}


@in_turn("one", MEASURES, ids=str)
def test_shares_add_up_to_the_difference(one: Measure) -> None:
    """For every measure that splits; those that do not have no shares, and a reason."""
    for seed in range(2):
        qrels, run, other = random_systems(seed)
        first, second = counted(qrels, run, other, collection_size=100)
        frame = changes(one, first, second, depth=1000)
        assert frame.height > 0
        if (reason := why_no_shares(one, first)) is not None:
            assert frame["share"].null_count() == frame.height
            assert reason == f"{one} does not add up over documents"
            continue
        shares = dict(frame.group_by("query_id").agg(pl.col("share").sum()).rows())
        for query, difference in differences(one, first, second).items():
            assert shares.get(query, 0.0) == approx(difference, abs=1e-12)


def test_the_page_names_every_measure_without_shares() -> None:
    """A measure that loses its shares, or gets some, is noticed here: the page has the one list of those without."""
    ranks, _ = counted({"q": {"x": 1, "y": 0}}, {"q": listed("x", "y")}, {"q": listed("x")}, collection_size=100)
    without = {one.name for one in MEASURES if why_no_shares(one, ranks) is not None}
    of_sets = {one.name for one in MEASURES if one.definition.counts is Confusion}
    assert of_sets <= without
    paragraphs = PAGE_ABOUT_CHANGES.read_text(encoding="utf-8").split("\n\n")
    (paragraph,) = (text for text in paragraphs if text.startswith("Not every value is a sum over documents."))
    named = set(re.findall(r"\w+", paragraph)) & set(registered())
    # Measures made of a confusion matrix are named as a group, with examples.
    assert named - of_sets == without - of_sets
    assert named & of_sets


@in_turn("name", ["P@3", "nDCG@5", "AP@4", "RBP@6", "ERR@3", "RR@2", "R@5", "F@5", "Q@3"])
def test_within_the_cutoff_they_add_up_too(name: str) -> None:
    qrels, run, other = random_systems(8)
    first, second = counted(qrels, run, other)
    shares = dict(changes(parse_measure(name), first, second).group_by("query_id").agg(pl.col("share").sum()).rows())
    for query, difference in differences(parse_measure(name), first, second).items():
        assert shares.get(query, 0.0) == approx(difference, abs=1e-12)


def test_subtopics_have_shares_too() -> None:
    frame = pl.DataFrame({"query_id": "q", "judge": ["1", "2"], "doc_id": ["x", "y"], "relevance": [1, 1]})
    runs = {"a": Run.of({"q": listed("x", "u")}), "b": Run.of({"q": listed("y", "x")})}
    counts = retrieved(runs, Qrels.of(frame), subtopics=True)
    found = changes(parse_measure("StRecall@2"), counts["a"], counts["b"])
    assert found["share"].sum() == approx(0.5)


def test_documents_come_with_grade_ranks_and_change() -> None:
    qrels: Table = {"q": {"up": 2, "down": 1, "lost": 0}}
    first = {"q": listed("down", "lost", "up", "deep")}
    second = {"q": listed("up", "down", "new", "lost", "deep")}
    frame = changes(parse_measure("DCG@3"), *counted(qrels, first, second), ("a", "b"))
    assert frame.columns == ["query_id", "doc_id", "grade", "rank_a", "rank_b", "change", "share"]
    assert frame.drop("share").rows() == [
        ("q", "up", 2.0, 3, 1, "up"),
        ("q", "down", 1.0, 1, 2, "down"),
        ("q", "lost", 0.0, 2, 4, "lost"),
        ("q", "new", None, None, 3, "gained"),
    ]
    assert frame["share"].to_list() == approx([2 - 2 / 2, 1 / np.log2(3) - 1, 0, 0])


def test_how_far_down_to_look_is_the_cutoff_or_a_page_or_as_asked() -> None:
    qrels: Table = {"q": {"d0": 1}}
    run = {"q": listed(*(f"d{number}" for number in range(30)))}
    first, second = counted(qrels, run, run)
    heights = {name: changes(parse_measure(name), first, second).height for name in ("AP", "P@5", "nDCG@20")}
    assert heights == {"AP": 10, "P@5": 5, "nDCG@20": 20}
    assert changes(parse_measure("P@5"), first, second, depth=7).height == 7
    assert set(changes(parse_measure("AP"), first, second)["change"]) == {"same"}
    with pytest.raises(ParameterError, match="depth is a whole number"):
        changes(parse_measure("AP"), first, second, depth=0)


def test_what_adds_up_splits_and_nothing_else_does() -> None:
    rows = Steps(np.array([0, 0]), 1, {"rank": np.array([1, 2]), "gain": np.array([3.0, 1.0])})
    gain, number = rows.sum("gain"), counted_number("relevant", [2])
    for formula in (gain, gain / number, 2 * gain, number * gain, gain + gain, gain - gain / number, rows.max("gain")):
        found = formula.shares()
        assert found is not None
        assert found.share.sum() == approx(formula.values[0])
    ideal = Steps(rows.unit, 1, rows.columns, says="ideal").sum("gain")
    for formula in (number, number + gain, gain * gain, gain.sqrt(), gain.at_least(1), ideal, number / gain):
        assert formula.shares() is None


def test_a_unit_without_a_value_has_no_shares() -> None:
    rows = Steps(np.array([0, 1]), 2, {"rank": np.array([1, 1]), "gain": np.array([3.0, 1.0])})
    found = (rows.sum("gain") / counted_number("relevant", [0, 2])).shares()
    assert found is not None
    assert (found.unit.tolist(), found.share.tolist()) == ([1], [0.5])


def test_the_value_of_the_first_relevant_document_is_its_own() -> None:
    ranks, _ = counted({"q": {"x": 1, "y": 1}}, {"q": listed("u", "x", "y")}, {"q": listed("x")})
    shares = parse_measure("RR").per_unit(as_judged(ranks)).shares()
    assert shares is not None
    assert (shares.rank.tolist(), shares.share.tolist()) == ([2], [0.5])


# What changed by query.


@in_turn("name", ["AP", "nDCG@5", "GMAP", "NumRelRet", "Judged@5"])
@in_turn("undefined", ["counted_as", "skip"])
def test_queries_that_differ_most_come_first(name: str, undefined: Any) -> None:
    qrels, run, other = random_systems(2)
    one = parse_measure(name)
    frame = compare(qrels, {"a": run, "b": other}, measures=[one], undefined=undefined).queries()
    assert frame.columns == ["query_id", "value_a", "value_b", "difference", "share", "cumulated"]
    assert frame["difference"].abs().is_sorted(descending=True)
    assert frame["difference"].to_list() == approx((frame["value_b"] - frame["value_a"]).to_list())
    assert frame["share"].sum() == approx(1.0)
    assert frame["cumulated"][-1] == approx(1.0)
    evaluation = evaluate(qrels, {"a": run, "b": other}, [one], undefined=undefined)
    if undefined == "counted_as" and one.definition.summary == "mean" and one.definition.counted_as is not None:
        difference = evaluation.mean(one, "b") - evaluation.mean(one, "a")
        assert frame["difference"].mean() == approx(difference)


def test_of_no_difference_there_are_no_shares() -> None:
    run = {"p": listed("x"), "q": listed("x")}
    frame = compare({"p": {"x": 1}, "q": {"x": 1}}, {"a": run, "b": run}, measures="RR").queries()
    assert frame.row(0) == ("p", 1.0, 1.0, 0.0, None, None)


# Slices.


def paired(values: dict[str, tuple[float, float]], name: str = "AP") -> MeanSample:
    rows = [
        (system, name, "query", unit, value, None)
        for unit, pair in values.items()
        for system, value in zip("ab", pair, strict=True)
    ]
    return MeanSample.of_scores(Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row")), name)


def test_units_are_grouped_by_their_attribute_and_the_rest_comes_last() -> None:
    found = slices(
        paired({"1": (0.1, 0.5), "2": (0.3, 0.1), "3": (0.2, 0.4), "4": (0.0, 1.0)}),
        0,
        1,
        {"1": "short", "2": "long", "3": "short", "4": None, "5": "short"},
    )
    named = [(value, part.units) for value, part in found.items()]
    assert named == [("long", ("2",)), ("short", ("1", "3")), (NONE, ("4",))]
    assert found["short"].observed == approx([0.15, 0.45])
    values = found["short"].unit_values()
    assert values is not None
    assert np.diff(values)[:, 0] == approx([0.4, 0.2])
    turned = slices(paired({"1": (0.1, 0.5), "2": (0.3, 0.1)}), 1, 0, {"1": "x", "2": "x"})
    assert turned["x"].observed == approx([0.3, 0.2])


def test_many_numbers_become_quarters_and_few_stay_apart() -> None:
    many = paired({str(number): (0.0, 1.0) for number in range(12)})
    found = slices(many, 0, 1, {str(number): number * 10 for number in range(12)})
    assert [*found] == ["0 to 20", "30 to 50", "60 to 80", "90 to 110"]
    assert [part.size for part in found.values()] == [3, 3, 3, 3]
    few = slices(many, 0, 1, {str(number): str(number % 3 + 9) for number in range(12)})
    assert [*few] == ["9", "10", "11"]
    partly = slices(many, 0, 1, {str(number): number / 4 if number else "" for number in range(12)})
    assert [*partly][-1] == NONE


@quickly
@given(st.lists(st.none() | st.floats(-5, 5, width=16) | st.integers(-3, 3), min_size=2, max_size=30))
def test_every_unit_is_in_one_slice(attribute: list[float | None]) -> None:
    units = {str(number): (float(number), 1.0) for number in range(len(attribute))}
    try:
        found = slices(paired(units), 0, 1, dict(zip(units, attribute, strict=True)))
    except ParameterError:
        assert len(set(attribute)) == len(attribute) or set(attribute) == {None}
        return
    assert sorted(itertools.chain.from_iterable(part.units for part in found.values())) == sorted(units)


def test_an_attribute_is_a_column_of_the_topics_or_a_dict() -> None:
    topics = Topics.of(pl.DataFrame({"query_id": ["1", "2"], "title": ["a", "b"], "kind": ["x", None]}))
    assert attribute_of(topics, "kind") == {"1": "x", "2": ""}
    assert attribute_of({"1": 3}) == {"1": 3}
    with pytest.raises(ParameterError, match="did you mean kind"):
        attribute_of(topics, "kinds")
    with pytest.raises(ParameterError, match="nothing to group"):
        slices(paired({"1": (0, 1), "2": (0, 1)}), 0, 1, attribute_of(topics, "title"))


def test_slices_of_a_geometric_mean_are_geometric_means() -> None:
    found = slices(paired({"1": (0.1, 0.4), "2": (0.4, 0.4)}, "GMAP"), 0, 1, {"1": "x", "2": "x"})["x"]
    assert found.observed == approx([0.2, 0.4])
