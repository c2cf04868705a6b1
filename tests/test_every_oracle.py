"""Every registered measure against those who compute it too: the slow twin, the reference tool, ir_measures."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from strategies import Table, Tables, quickly, tables
from twin import Topic, rank
from twin_further import TWINS
from variants import DATA, EXACT, MEASURES, by_query, counted, fill, same, values, variants

from assay import Measure, Ranks
from assay.core.domains import Whole
from assay.measures import AUC, INSQ, INST

TWIN_NAMES = {"tp": "a", "fp": "b", "fn": "c", "tn": "d", "T": "wanted"}


@cache
def taken_by(name: str) -> frozenset[str]:
    """The parameters of a twin."""
    return frozenset(inspect.signature(TWINS[name]).parameters)


def slowly(measure: Measure, topic: Topic, max_grade: float) -> float:
    """The twin's value for one topic; NaN where it is undefined."""
    slow = TWINS[measure.name]
    taken = taken_by(measure.name)
    asked = {TWIN_NAMES.get(name, name): value for name, value in measure.parameters.items()}
    asked.pop("average", None)  # it says what becomes of the values, not what they are
    if "rel" in asked and "rel" not in taken:
        level = asked.pop("rel")
        topic = topic if level is None else replace(topic, level=level)
    if "gain" in asked and not isinstance(asked["gain"], str):
        asked["gain"] = dict(asked["gain"])
    if "gain" in asked and "gain" not in taken:
        gain = asked.pop("gain")
        asked["gains"] = None if gain == "linear" else gain
    if asked.get("discount") == "log2max2" and asked["base"] != 2:
        asked["discount"] = "log_b"
    if "max_grade" in asked:
        asked["max_grade"] = asked["max_grade"] or max_grade
    value = slow(topic, **asked)
    return math.nan if value is None else value


def top_of(qrels: Table) -> float:
    return max([0.0, *(grade for docs in qrels.values() for grade in docs.values())])


TWINNED = [measure for measure in MEASURES if measure.name in TWINS]
POLICIES: list[dict[str, Any]] = [
    {},
    {"ties": "doc_id_ascending", "relevance_level": 2.0},
    {"ties": "input_order", "relevance_level": 0.5},
    {"depth": 3},
    {"judged_only": True},
    {"judged_only": True, "depth": 4, "relevance_level": 0.0},
    {"collection_size": 40, "depth": 4},
]


@pytest.mark.parametrize("rules", POLICIES, ids=str)
@in_turn("measure", TWINNED, ids=str)
def test_agrees_with_the_slow_twin(measure: Measure, rules: dict[str, Any]) -> None:
    """On seeded tables, for every parameter and policy."""
    for name in ["small"] if rules else ["graded", "fractions"]:
        topics = DATA[name].topics(rules.get("relevance_level", 1.0), rules.get("ties", "doc_id_descending"))
        topics = [shortened(topic, rules) for topic in topics]
        for variant in variants(measure):
            wanted = [slowly(variant, topic, top_of(DATA[name].qrels)) for topic in topics]
            assert same(variant.of(counted(name, **rules)), wanted), f"{variant} on {name}"


def shortened(topic: Topic, rules: dict[str, Any]) -> Topic:
    """Cut the ranking, and then take unjudged documents out, as the reference tool does."""
    kept = topic.ranking[: rules.get("depth")]
    if rules.get("judged_only"):
        kept = tuple(doc for doc in kept if topic.judged.get(doc, -1.0) >= 0)
    return replace(topic, ranking=kept, size=rules.get("collection_size"))


@quickly
@given(tables(), st.data())
def test_agrees_with_the_slow_twin_on_anything(data: Tables, draw: st.DataObject) -> None:
    """Every measure, each with parameters drawn at random, on tables drawn at random."""
    ranks = Ranks.from_tables(data.run, data.qrels)
    topics = [Topic(rank(data.run.get(query, {})), data.qrels[query]) for query in ranks.queries]
    for measure in TWINNED:
        variant = draw.draw(st.sampled_from(variants(measure)))
        wanted = [slowly(variant, topic, top_of(data.qrels)) for topic in topics]
        assert same(variant.of(ranks), wanted), str(variant)


def reference_rule(measure: Measure) -> Measure:
    """The packages are built on version 9 of the reference tool."""
    return measure(rule="trec_eval-9") if "rule" in measure.parameters else measure


def as_the_reference_tool_has_it(measure: Measure, value: float) -> float:
    """Undefined values count as declared, 0 for most; geometric means are given as logarithms."""
    known = (measure.definition.counted_as or 0.0) if math.isnan(value) else value
    return math.log(known) if measure.definition.summary == "geometric" else known


@cache
def for_the_reference_tool(kind: str) -> Tables:
    return DATA[kind].for_the_reference_tool()


@cache
def counted_for_it(kind: str, **rules: Any) -> Ranks:
    data = for_the_reference_tool(kind)
    return Ranks.from_tables(data.run, data.qrels, **rules)


@in_turn("level", [1, 2])
@in_turn("measure", [measure for measure in MEASURES if measure.definition.trec_eval], ids=str)
def test_agrees_with_the_reference_tool(measure: Measure, level: int) -> None:
    """Query by query, for each name that the measure has there and the package knows."""
    package = pytest.importorskip("pytrec_eval")
    asked: dict[str, Measure] = {}
    for template in measure.definition.trec_eval:
        stem, _, parameter = template.partition(".")
        if stem not in package.supported_measures:
            continue
        if not parameter:
            asked[stem] = reference_rule(measure)
            continue
        declared = measure.definition.parameters[parameter.strip("{}")]
        for value in [*values(declared), 5 if isinstance(declared.domain, Whole) else 0.2]:
            shown = f"{value}" if isinstance(declared.domain, Whole) else f"{value:.2f}"
            asked[f"{stem}_{shown}"] = reference_rule(measure(**{declared.name: value}))
    if not asked:
        pytest.skip(f"the package knows none of {', '.join(measure.definition.trec_eval)}")
    for kind in DATA:
        data, ranks = for_the_reference_tool(kind), counted_for_it(kind, relevance_level=level)
        theirs = package.RelevanceEvaluator(data.whole(), set(asked), relevance_level=level).evaluate(data.run)
        assert set(theirs) == {*data.qrels} & {*data.run}
        for name, ours in asked.items():
            got = by_query(ours, ranks)
            for query, printed in theirs.items():
                value = as_the_reference_tool_has_it(ours, got[query])
                assert value == pytest.approx(printed[name], abs=EXACT), (name, query)


@in_turn("measure", [measure for measure in MEASURES if measure.definition.ir_measures], ids=str)
def test_agrees_with_ir_measures(measure: Measure) -> None:
    """Query by query, where its own code or the reference tool behind it computes the measure."""
    package = pytest.importorskip("ir_measures")
    data = DATA["graded"].for_the_reference_tool()
    # Its own code breaks ties the other way, and takes any line in the judgments for a judgment.
    judged = Tables({q: {d: g for d, g in docs.items() if g >= 0} for q, docs in data.qrels.items()}, data.run)
    compared = 0
    template = measure.definition.ir_measures or ""
    for ours, name in [fill(measure, template), (measure, template.removesuffix("@{cutoff}"))]:
        for provider, ties, tables_ in (
            (package.pytrec_eval, "doc_id_descending", data),
            (package.judged, "doc_id_ascending", judged),
        ):
            if "{" in name or not is_computed_by(provider, package.parse_measure(name)):
                continue
            got = by_query(reference_rule(ours), Ranks.from_tables(tables_.run, tables_.qrels, ties=ties))  # type: ignore[arg-type]
            for result in provider.iter_calc([package.parse_measure(name)], tables_.whole(), tables_.run):
                if result.query_id in data.run:
                    value = as_the_reference_tool_has_it(ours, got[result.query_id])
                    assert value == pytest.approx(result.value, abs=EXACT), (name, result.query_id)
                    compared += 1
    if not compared:
        pytest.skip(f"{template} is computed by another provider, with rules of its own")


def is_computed_by(provider: Any, measure: Any) -> bool:
    try:
        return bool(provider.supports(measure))
    except AssertionError:  # the package wants a cut-off
        return False


@in_turn("wanted", [1.0, 2.0, 3.5])
@in_turn("measure", [INSQ, INST], ids=str)
def test_agrees_with_cwl_eval(measure: Measure, wanted: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By way of ir_measures, which leaves tied documents as they came."""
    monkeypatch.chdir(tmp_path)  # the package writes a log into the folder it is loaded in
    pytest.importorskip("cwl")
    package = pytest.importorskip("ir_measures")
    data = DATA["graded"].for_the_reference_tool()
    got = by_query(measure(T=wanted, max_grade=4), Ranks.from_tables(data.run, data.qrels, ties="input_order"))
    asked = package.parse_measure(f"{measure.name}(T={wanted},max_rel=4)")
    theirs = [r for r in package.cwl_eval.iter_calc([asked], data.whole(), data.run) if r.query_id in data.run]
    assert theirs
    for result in theirs:
        assert got[result.query_id] == pytest.approx(result.value, abs=EXACT)


def test_auc_agrees_with_what_ir_measures_calls_accuracy() -> None:
    """It looks at retrieved documents only, and leaves out queries where there is nothing to compare."""
    package = pytest.importorskip("ir_measures")
    data = DATA["untied"].for_the_reference_tool()
    got = by_query(AUC(unretrieved="left_out"), Ranks.from_tables(data.run, data.qrels))
    theirs = list(package.accuracy.iter_calc([package.parse_measure("Accuracy")], data.whole(), data.run))
    assert theirs
    for result in theirs:
        known = 0.0 if math.isnan(got[result.query_id]) else got[result.query_id]
        assert known == pytest.approx(result.value, abs=EXACT), result.query_id


@in_turn("measure", [INSQ, INST], ids=str)
def test_without_a_horizon_the_user_may_read_on_for_ever(measure: Measure) -> None:
    """The value is the limit of those with ever further horizons."""
    for topic in DATA["fractions"].topics()[:6]:
        ranks = Ranks.from_grades([topic.judged.get(doc) for doc in topic.ranking], judged=[[4.0]])
        (limit,) = measure(horizon=None).of(ranks)
        off = [abs(limit - measure(horizon=ranks_read).of(ranks)[0]) for ranks_read in (10**3, 10**5, 10**7)]
        assert off[0] >= off[1] >= off[2]
        assert off[2] < 1e-6
