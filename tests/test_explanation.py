"""`explain`: what is shown is what was computed, for every measure and whatever is given."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import explained
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly
from variants import counted, variants

from assay import Confusion, GivenCurve, Measure, ParameterError, Ranks, evaluate, explain, parse_measure
from assay.measures import BreakEven, IPrec, IPrecMean, SystemEfficiency, registered
from assay.verbs.explanation import ranks_of

MEASURES = list(registered().values())


def tables(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments with grades -1 to 3, and a run with ties and unjudged documents."""
    rng = np.random.default_rng(seed)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(-1, 4)) for d in rng.choice(30, 12, replace=False)} for q in range(4)}
    run = {q: {f"d{d}": float(rng.integers(0, 8)) for d in rng.choice(30, 15, replace=False)} for q in qrels}
    return qrels, run


@in_turn("measure", [m for m in MEASURES if not m.definition.subtopics], ids=str)
def test_the_steps_of_every_measure_reduce_to_its_value(measure: Measure) -> None:
    qrels, run = tables(0)
    # Beside one that takes the size of the collection, so that it is refused for no measure.
    evaluation = evaluate(qrels, run, [measure, "Fallout"], collection_size=100)
    result = evaluation.systems[0].results[measure]
    for number, query in enumerate(evaluation.systems[0].ranks.queries):
        expected = float(result.values[number])
        found = evaluation.explain(measure, query=query, show=1000)
        assert found.value == pytest.approx(expected, nan_ok=True)
        assert found.is_defined == (not math.isnan(expected))
        assert str(found).splitlines()[-1] == found.signature
        # What is shown adds up to what the formula holds: the leaves of the result, each from its own table.
        for leaf in result.leaves():
            if leaf.steps is None or leaf.column is None or not (leaf.steps.unit == number).any():
                continue
            table = next(table for table in found.steps if table.says == leaf.steps.says)
            assert (leaf.column, leaf.op) in table.reduced
            column = table.frame[leaf.column].drop_nulls()
            total = column.sum() if leaf.op == "sum" else max(column.to_list(), default=0.0)
            if leaf.name is None:
                assert total == pytest.approx(float(leaf.values[number]))
            else:  # a part that looks at some of the rows
                assert column.is_in([float(leaf.values[number])]).any() or leaf.values[number] == 0
        titles = [table.caption for table in found.document().section("steps").tables()]
        assert len(set(titles)) == len(titles)
        for way in found.other_ways:
            assert way.value == pytest.approx(expected)


def test_every_rank_is_shown_with_its_document_also_where_there_is_no_step() -> None:
    found = explain("AP", {"q": {"a": 1, "c": 1, "d": 0}}, {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    rows = found.steps[0].frame.select("rank", "doc_id", "grade", "precision").rows()
    assert rows == [(1, "a", 1.0, 1.0), (2, "b", None, None), (3, "c", 1.0, pytest.approx(2 / 3)), (4, "d", 0.0, None)]


def test_the_ideal_stands_beside_the_ranking() -> None:
    found = explain("nDCG@2", {"q": {"a": 1, "b": 3}}, {"q": {"a": 2.0, "b": 1.0}})
    assert [table.says for table in found.steps] == ["ranking", "ideal"]
    assert found.steps[1].frame["doc_id"].to_list() == ["b", "a"]
    assert found.formula.words == "sum of contribution (ranking) / sum of contribution (ideal)"


def test_the_ideal_of_a_measure_with_an_order_of_its_own_names_no_documents() -> None:
    found = explain("nDCG(gain={1: 9, 2: 1})", {"q": {"a": 1, "b": 2}}, {"q": {"b": 2.0, "a": 1.0}})
    assert found.steps[1].frame.select("grade", "gain").rows() == [(1.0, 9.0), (2.0, 1.0)]
    assert "doc_id" not in found.steps[1].frame.columns


def test_what_is_not_shown_is_said_and_is_in_the_data() -> None:
    found = explain("DCG", Ranks.from_grades([1] * 30), show=3)
    assert "\n27 ranks of the ranking not shown; they add" in str(found)
    assert found.document().tables()["ranking"].frame.height == 3
    assert found.to_frame().filter(part="ranking").height == 30


@in_turn("form", ["to_markdown", "to_latex", "to_html", "to_json", "to_csv"])
def test_it_is_written_in_every_form(form: str) -> None:
    assert "contribution" in getattr(explain("DCG", Ranks.from_grades([2, 1])), form)()


GIVEN: dict[str, Any] = {
    "a list": ("DCG", Ranks.from_grades([2, 1])),
    "two lists": ("AP", Ranks.from_grades([1, 0], [0, 1])),
    "counts": ("MCC", Confusion.from_table(4, 6, 4, 86)),
    "micro": ("MicroP", Confusion(("a", "b"), np.array([1, 2]), np.array([0, 1]), np.array([1, 1]))),
    "points": ("IPrecMean", GivenCurve.from_points([(1, 0), (0.5, 1)])),
}


@in_turn("form", ["to_markdown", "to_latex", "to_html", "to_json", "to_csv", "_repr_html_", "__str__"])
@in_turn("given", GIVEN)
def test_whatever_is_given_is_written_in_every_form(form: str, given: str) -> None:
    measure, counts = GIVEN[given]
    explanation = explain(measure, counts)
    text = getattr(explanation, form)()
    assert explanation.measure.name in text
    if form == "to_json":
        told = explained(text)
        assert told["value"] == pytest.approx(explanation.value)
        assert told["signature"] == explanation.signature
    elif form == "to_csv":
        last = pl.read_csv(text.encode(), infer_schema_length=None).row(-1, named=True)
        assert (last["name"], last["number"]) == (str(explanation.measure), pytest.approx(explanation.value))
    else:
        assert f"{explanation.value:.6g}"[:6] in text
    if form == "to_latex":
        assert not any(line.startswith("%") for line in text.splitlines())
        assert text.isascii()  # signs of formulas are spelled as LaTeX wants them


# Several queries: the numbers, and how they become one.


SUMMARIES = ["AP", "GMAP", "NumRelRet", "Judged", "SetP", "SetP(average='micro')", "MCC(average='micro')"]


@in_turn("measure", SUMMARIES)
@in_turn("undefined", ["counted_as", "skip"])
def test_the_queries_add_up_to_the_number_of_the_evaluation(measure: str, undefined: Any) -> None:
    qrels, run = tables(3)
    qrels["q9"], run["q9"] = {"d1": 0}, {}  # nothing relevant, nothing retrieved
    run["q9"] = {"d2": 1.0}
    asked = [measure, "Fallout"]  # which takes the size of the collection and has a share that can be 0/0
    evaluation = evaluate(qrels, run, asked, collection_size=100, undefined=undefined)
    found = evaluation.explain(measure)
    assert found.value == pytest.approx(evaluation.mean(measure))
    assert found.steps[0].frame["query"].to_list() == [*qrels]
    column = found.steps[0].frame[found.steps[0].reduced[0][0]].drop_nulls()
    total = sum(float(number) for number in column)
    if found.summary == "mean":
        assert total / len(column) == pytest.approx(found.value)
        assert found.counts == (("queries", len(column)),)
    elif found.summary == "geometric mean":
        assert math.exp(total / len(column)) == pytest.approx(found.value)
    elif found.summary == "sum":
        assert total == found.value
    else:
        assert dict(found.counts)[found.steps[0].reduced[0][0]] == total
    assert found.signature == evaluation.signatures[measure]


def test_a_micro_average_is_made_of_the_summed_counts() -> None:
    counts = Confusion(("a", "b"), np.array([1, 2]), np.array([0, 7]), np.array([1, 1]))
    found = explain("MicroP", counts)
    assert (found.formula.words, found.formula.numbers) == ("TP / retrieved", "3 / 10")
    assert [part.value for part in found.parts] == pytest.approx([1.0, 2 / 9])


def test_an_evaluation_explains_what_it_has_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = tables(0)
    evaluation = evaluate(qrels, {"one": run, "two": run}, ["AP", "RR"], ties="expected", seed=7, samples=20)
    monkeypatch.setattr(Measure, "per_unit", None)  # computing anything again is an error
    found = evaluation.explain("RR", query="q1", system="two")
    assert found.value == evaluation.system("two").results[evaluation.measure("RR")].values[1]
    assert "samples=20|seed=7" in found.signature
    assert evaluation.explain("AP", query="q1", system="one").formula.words == "sum of precision / relevant"
    with pytest.raises(ParameterError, match="choose a system of one, two"):
        evaluation.explain("AP", query="q1")
    with pytest.raises(ParameterError, match="the evaluation is made already"):
        explain("AP", evaluation, query="q1", system="one", depth=3)


# Ties, gaps, and other ways to the same number.


TIED = {"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}}


def test_tied_documents_are_marked_and_named_judged_or_not() -> None:
    found = explain("nDCG@5", {"q": {"a": 0, "c": 1, "e": 2}}, TIED, ties="expected")
    rows = found.steps[0].frame.select("doc_id", "tied_ranks", "grade").rows()
    assert rows == [("a", None, 0), ("b", "2-4", None), ("c", "2-4", 1), ("d", "2-4", None), ("e", None, 2)]
    discount = found.steps[0].frame["discount"][2]
    assert discount == pytest.approx(sum(1 / math.log2(rank + 1) for rank in (2, 3, 4)) / 3)
    assert "share their ranks" in str(found)


def test_what_a_depth_cuts_out_of_a_tie_is_shown_if_it_counts() -> None:
    found = explain("AP", {"q": {"d": 1}}, TIED, ties="expected", depth=2)
    assert found.steps[0].frame["rank"].to_list() == [1, 2, 3, 4]
    assert found.steps[0].frame["precision"].sum() == pytest.approx(found.value) == pytest.approx(1 / 2 / 3)
    assert found.steps[0].frame["doc_id"].to_list() == ["a", "b", "c", "d"]
    assert found.steps[0].frame["grade"].to_list() == [None, None, None, 1]


def test_without_a_closed_form_for_ties_the_ranking_is_shown_and_the_reason() -> None:
    found = explain("RR", {"q": {"c": 1}}, TIED, ties="expected")
    assert found.formula.words == "mean of 100 orders of ties"
    assert found.steps[0].frame["tied_ranks"].to_list() == [None, "2-4", "2-4", "2-4", None]
    assert "no closed form" in str(found)


def test_a_query_that_is_not_there_is_told_from_one_that_nobody_judged() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q3": {"a": 1.0}}
    empty = explain("AP", qrels, run, query="q2")
    assert empty.value == 0
    assert "counts as an empty result" in str(empty)
    with pytest.raises(ParameterError, match="'q2' is judged, but the run has nothing for it: missing='skip'"):
        explain("AP", qrels, run, query="q2", missing="skip")
    for query in ("q3", "q4"):
        with pytest.raises(ParameterError, match=f"choose a query of q1, q2, not '{query}'"):
            explain("AP", qrels, run, query=query)


@in_turn("measure", [m for m in MEASURES if m.definition.also], ids=str)
@in_turn("ties", ["doc_id_descending", "expected"])
def test_other_ways_lead_to_the_same_number(measure: Measure, ties: str) -> None:
    """Under every parameter, wherever they are defined."""
    name = "graded"
    ranks = counted(name, ties=ties, collection_size=200)
    compared = 0
    for variant in variants(measure):
        if variant.is_sampled(ranks.policies):
            continue
        of_sets = variant.definition.counts is Confusion
        counts = Confusion.from_ranks(ranks, variant.parameters["rel"]) if of_sets else ranks
        values = variant.of(ranks)
        for way in variant.definition.also.values():
            other = way(counts, **variant.arguments).values
            assert np.isnan(other[np.isnan(values)]).all()  # what is undefined is so in every way
            there = ~np.isnan(other) & ~np.isnan(values)
            assert other[there] == pytest.approx(values[there])
            compared += int(there.sum())
    assert compared > 10


@in_turn("measure", [m for m in MEASURES if m.definition.also], ids=str)
@in_turn("grades", [[1, 0], [0], [], [1, 1, 1, 0, 0, 0]], ids=str)
@in_turn("relevant", [None, 5])
def test_what_has_no_number_has_none_in_another_way(measure: Measure, grades: list[int], relevant: int | None) -> None:
    """Also where more documents are relevant than were retrieved, and where nothing is."""
    ranks = ranks_of(grades, relevant=relevant, collection_size=20)
    found = explain(measure, ranks)
    counts = Confusion.from_ranks(ranks) if measure.definition.counts is Confusion else ranks
    for way in measure.definition.also.values():
        assert found.is_defined or np.isnan(way(counts, **measure.arguments).values[0])
    if not found.is_defined:
        assert not found.other_ways
        assert "also" not in str(found)


def test_arithmetic_that_is_not_the_value_is_not_shown() -> None:
    never_meets = explain("BreakEven", ranks_of([1, 0], relevant=5))
    assert (never_meets.formula.numbers, never_meets.other_ways) == ("NA", ())
    assert "1 / 5" not in str(never_meets)
    assert explain("SetP", Confusion.from_table(0, 0, 8)).formula.numbers == "0 / 0"  # but this is why


def test_few_numbers_are_added_up_in_sight() -> None:
    assert explain("AP", ranks_of([1, 0, 0, 1, 0, 1], relevant=8)).formula.numbers == "(1 + 0.5000 + 0.5000) / 8"
    assert explain("P@10", ranks_of([1] * 8)).formula.numbers == "(1 + 1 + 1 + 1 + 1 + 1 + 1 + 1) / 10"
    assert explain("P@10", ranks_of([1] * 9)).formula.numbers == "9 / 10"
    assert explain("DCG(gain={1: -2})", ranks_of([2, 0, 1])).formula.numbers == "2 - 1"


@in_turn("unretrieved", ["random_order", "relevant_last"])
def test_auc_without_a_collection_size_shows_the_whole_formula(unretrieved: str) -> None:
    known = explain(f"AUC(unretrieved={unretrieved})", ranks_of([1, 0, 1], collection_size=10))
    unknown = explain(f"AUC(unretrieved={unretrieved})", ranks_of([1, 0, 1]))
    assert unknown.formula.words == known.formula.words
    assert unknown.formula.numbers.endswith("/ 2 / ?")
    assert unknown.reason == "the size of the collection is not known: give collection_size=..."


def test_the_column_of_running_values_is_the_measure_at_every_cutoff() -> None:
    ranks = ranks_of([0, 2, 1, 3], exist={3: 2, 2: 2})
    for name in ("P", "nDCG", "AP", "RBP", "IDCG"):
        measure = parse_measure(name)
        frame = explain(measure, ranks, running=True).steps[0].frame
        expected = [float(measure(cutoff=rank).of(ranks)[0]) for rank in range(1, frame.height + 1)]
        assert frame[f"{name}@k"].to_list() == pytest.approx(expected)
    with pytest.raises(ParameterError, match="Rprec has no cut-off"):
        explain("Rprec", ranks, running=True)


def test_the_running_values_go_on_to_the_cutoff_and_the_sum_stays_where_nothing_is_found() -> None:
    found = explain("P@50", ranks_of([1, 1]), running=True)
    assert found.steps[0].frame["P@k"].to_list() == [1.0, *(2 / rank for rank in range(2, 51))]
    assert found.steps[0].frame["running_sum"].to_list() == [1.0, *[2.0] * 49]
    deep = explain("P@5000", ranks_of([1]), running=True)
    assert deep.steps[0].frame.height == 100
    assert "P@k is shown down to rank 100; the cut-off is 5,000" in deep.remarks
    empty = explain("P@3", {"q": {"a": 1}, "p": {"a": 1}}, {"p": {"a": 1.0}}, query="q", running=True)
    assert empty.steps[0].frame["P@k"].to_list() == [0, 0, 0]


@in_turn("measure", [m for m in MEASURES if "cutoff" in m.parameters], ids=str)
def test_the_running_value_at_the_cutoff_is_the_value_or_is_refused(measure: Measure) -> None:
    """Under averaged ties too, whatever seed and samples the evaluation has."""
    if measure.definition.subtopics:
        pytest.skip("needs judgments of subtopics")
    qrels, run = tables(1)
    evaluation = evaluate(qrels, run, measure(cutoff=10), ties="expected", seed=7, samples=20)
    for query in qrels:
        if not measure.definition.closed_under_ties:
            with pytest.raises(ParameterError, match="no closed form for tied documents"):
                evaluation.explain(query=query, running=True)
            continue
        found = evaluation.explain(query=query, running=True)
        table = next(table.frame for table in found.steps if f"{measure.name}@k" in table.frame.columns)
        last = table.filter(rank=10)[f"{measure.name}@k"][0]
        assert (math.nan if last is None else last) == pytest.approx(found.value, nan_ok=True)


# Points of a curve that somebody gives: the same numbers as from a ranking that has this curve.


@quickly
@given(st.lists(st.integers(0, 1), min_size=1, max_size=25).filter(any), st.integers(0, 5))
def test_points_of_a_ranking_give_what_the_ranking_gives(grades: list[int], missed: int) -> None:
    ranks = ranks_of(grades, relevant=sum(grades) + missed)
    found = np.cumsum(grades)
    at = [rank for rank, grade in enumerate(grades, 1) if grade]
    points = [(float(found[rank - 1] / rank), float(found[rank - 1] / (sum(grades) + missed))) for rank in at]
    curve = GivenCurve.from_points(points)
    for measure in (IPrec(recall=0.0), IPrec(recall=0.35), IPrec(recall=1.0), IPrecMean, SystemEfficiency):
        assert measure.of(curve) == pytest.approx(measure.of(ranks))


@quickly
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_the_break_even_point_of_a_curve_lies_on_it(points: list[tuple[float, float]]) -> None:
    """Against a twin that walks every line between two points."""
    result = BreakEven.per_unit(GivenCurve.from_points(points))
    ordered = sorted(points, key=lambda point: -point[1])
    met = [p for p, r in ordered if p == r]
    for (p, r), (q, s) in itertools.pairwise(ordered):
        if (p - r) * (q - s) < 0:
            share = (p - r) / ((p - r) - (q - s))
            met.append(p + share * (q - p))
    if met:
        assert result.values[0] == pytest.approx(max(met), abs=1e-9)
    else:
        assert math.isnan(result.values[0])
        assert result.reason(0) == "precision and recall do not meet between these points"


def test_points_are_refused_where_they_say_nothing() -> None:
    curve = GivenCurve.from_points([(1, 0)])
    with pytest.raises(ParameterError, match="curve; IPrec, IPrecMean, BreakEven, SystemEfficiency can"):
        explain("AP", curve)
    with pytest.raises(ParameterError, match="rule of IPrec has no meaning for points"):
        explain("IPrec(rule='trec_eval-9')", curve)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        GivenCurve.from_points([(1.5, 0)])


def test_what_cannot_be_explained_is_refused() -> None:
    ranks = Ranks.from_grades([1, 0], [0, 1])
    refused: dict[str, Callable[[], object]] = {
        "choose a query of q1, q2, not 'q3'": lambda: explain("AP", ranks, query="q3"),
        "not int alone": lambda: explain("AP", 3),
        "computed from judgments of subtopics": lambda: explain("alpha_nDCG@5", ranks, query="q1"),
        "too few": lambda: ranks_of([1, 1], relevant=1),
        "not both": lambda: ranks_of([1], relevant=1, exist={1: 1}),
        "given 2 times for 3 lists": lambda: ranks_of([1], [1], [1], relevant=[1, 2]),
        "a name of its own": lambda: ranks_of([1], [1], names=["a", "a"]),
        "rule of evaluation": lambda: explain("AP", ranks, depth=3),
    }
    for message, call in refused.items():
        with pytest.raises(ParameterError, match=message):
            call()
