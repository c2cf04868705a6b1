"""`assay audit`: other tools' values to the digit, the rule that gives a value, and signatures read again."""

from __future__ import annotations

import json
import math
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from audit_twin import MEASURES, Rows, expected
from cases import in_turn
from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import shared
from strategies import quickly, random_tables
from variants import MEASURES as ALL_MEASURES
from variants import variants

import assay
from assay import (
    AssayError,
    Audit,
    ParameterError,
    Policies,
    Qrels,
    Run,
    audit,
    compare_signatures,
    evaluate,
    parse_measure,
    parse_signature,
)
from assay.cli.output import Options
from assay.core.errors import speaking
from assay.measures import registered
from assay.measures.summary import signature
from assay.subjects.ranking.audit.audit import wanted
from assay.subjects.ranking.audit.case import AuditCase
from assay.subjects.ranking.audit.rules import AuditSetting, ToolRule
from assay.subjects.ranking.audit.rules import registered as rules
from assay.subjects.ranking.audit.signatures import FOLLOWS

approx = pytest.approx
ROOT = Path(__file__).parents[1]
TEA = ROOT / "src" / "assay" / "data" / "tea"
JUDGED = {"A": 3, "B": 2, "C": 2, "D": 1, "E": 1, "F": 1, "G": 1, "H": 1}
RANKING = ["A", "X", "D", "D"]
#: The published table: the same list, called nDCG@5 by all of them.
TEN = {
    "Assay's own": 0.5757,
    "exponential gain": 0.6690,
    "as OpenSearch workbench": 0.71,
    "as Quepid": 0.6492,
    "as Elasticsearch rank_eval": 0.7327,
    "as LlamaIndex": 0.4884,
    "as Haystack": 0.5548,
    "as MLflow": 0.7537,
    "as Phoenix": 0.9515,
    "context precision": 0.8056,
}


def by_rule(result: Audit) -> dict[str, float]:
    return dict(result.to_frame().select("rule", "value").iter_rows())


def test_one_ranking_and_its_ten_values() -> None:
    found = by_rule(audit(JUDGED, RANKING, "nDCG@5"))
    assert {name: round(found[name], 4) for name in TEN} == TEN


@in_turn("name", TEN)
def test_each_of_the_ten_values_names_its_rule(name: str) -> None:
    text = "0.71" if TEN[name] == 0.71 else f"{TEN[name]:.4f}"
    found = audit(JUDGED, RANKING, "nDCG@5", value=text)
    assert found.answer is not None
    names = [" + ".join(rule.name for rule in match.rules) or "Assay's own" for match in found.answer.matches]
    assert name in names
    assert found.is_found


def test_precision_and_recall_of_the_same_list() -> None:
    precision, recall = audit(JUDGED, RANKING, "P@5"), audit(JUDGED, RANKING, "R@5")
    assert (precision.value, by_rule(precision)["as Elasticsearch and MLflow"]) == approx((0.40, 0.75))
    assert (recall.value, by_rule(recall)["duplicates kept"]) == approx((0.25, 0.375))


def test_the_own_value_is_that_of_evaluate_and_carries_its_signature() -> None:
    tables = random_tables(5)
    for name in ("nDCG@5", "AP", "RR@3", "RBP", "ERR@5", "Bpref", "MicroP", "GMAP", "NumRelRet"):
        result, evaluation = audit(tables.qrels, tables.run, name), evaluate(tables.qrels, tables.run, name)
        assert result.value == approx(evaluation.mean())
        assert result.signature == next(iter(evaluation.signatures.values()))


def test_what_is_not_assays_has_no_signature_and_what_is_can_be_asked_for() -> None:
    tables = random_tables(6)
    for row in audit(tables.qrels, tables.run, "nDCG@5").to_frame().iter_rows(named=True):
        if row["signature"] is not None:
            result = compare_signatures(row["signature"], row["signature"])
            again = called(result.first.call, tables.qrels, tables.run)
            assert again.mean() == approx(row["value"]), row["rule"]


def called(call: str, qrels: Any, run: Any) -> Any:
    """What the Python call of a comparison gives."""
    return eval(call, {"assay": assay, "qrels": qrels, "run": run})  # our own text


# --- rules against brute force ---------------------------------------------------------------------------------------


@cache
def random_rows(seed: int) -> Rows:
    """A short list with repeated documents, ties, unjudged ones, scores that only 64 bits tell apart, odd ranks."""
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(8)]
    kinds = [(0.0, 1.0), (0.0, 1.0, 2.0, 3.0, 4.0), (-1.0, 0.0, 1.0, 2.5), (1.0, 2.0)][seed % 4]
    judged = {str(doc): float(rng.choice(kinds)) for doc in rng.permutation(names)[: rng.integers(2, 8)]}
    docs = [str(doc) for doc in rng.choice(names, size=int(rng.integers(1, 7)))]
    scores = [20.0 + float(rng.integers(0, 3)) + 1e-7 * float(rng.integers(0, 2)) for _ in docs]
    if seed % 3 == 0:
        docs = list(dict.fromkeys(docs))
    ranks = rng.permutation(len(docs)) + 1
    return Rows(tuple((doc, scores[place], int(ranks[place])) for place, doc in enumerate(docs)), judged)


@cache
def case_of(seed: int) -> AuditCase:
    """One case for all rules and measures: what it has counted is counted once."""
    data = random_rows(seed)
    columns = list(zip(*data.rows, strict=True))
    frame = pl.DataFrame({"query_id": ["q"] * len(data.rows), "doc_id": columns[0], "score": columns[1]})
    run = Run(frame.with_columns(rank=pl.Series(columns[2], dtype=pl.Float64)))
    return AuditCase(run, Qrels.of({"q": data.judged}), "q")


#: Measures whose mean over orders of ties is sampled: the mean over all orders is another number.
SAMPLED = {"RR", "ERR", "Bpref", "IPrec", "IPrecMean", "GMAP"}


@pytest.mark.parametrize("name", MEASURES)
def test_every_rule_agrees_with_plain_loops(name: str) -> None:
    for rule in rules(registered()[name]):
        if not (name in SAMPLED and rule.name == "ties averaged"):
            check_with_plain_loops(name, rule)


def check_with_plain_loops(name: str, rule: ToolRule) -> None:
    tried = 0
    for seed in range(12):
        data = random_rows(seed)
        case = case_of(seed)
        own = AuditSetting(registered()[name](**MEASURES[name]), Policies(duplicates="first"), case.data)
        changed = rule.applied(own)
        if changed is None:
            continue
        tried += 1
        assert case.value(changed) == approx(expected(name, rule.name, data), abs=1e-9, nan_ok=True), (rule, data)
    # Some measures have no level and no mean, some are not in trec_eval, and those of sets have no document twice.
    of_sets = name == "SetF" and rule.part == "duplicates"
    seldom = rule.part in {"topics", "level", "rounding"} or rule.name.startswith("as trec_eval")
    assert tried or of_sets or seldom, rule


def test_the_twins_cover_every_rule() -> None:
    """A rule of a measure that nothing is tried on would be checked by nobody."""
    means = {"missing topics left out", "mean over the topics of the run", "undefined topics left out"}
    unchecked = [rule.name for rule in rules() if not (rule.of == () or set(rule.of) & set(MEASURES))]
    assert unchecked == []
    assert {rule.name for rule in rules() if rule.part == "topics"} == means


def test_rules_about_topics_count_the_right_ones() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}, "4": {"b": 1}}
    run = {"1": {"a": 1.0}, "3": {"a": 1.0}, "4": {"c": 2.0, "b": 1.0}, "9": {"a": 1.0}}
    found = by_rule(audit(qrels, run, "RR"))
    assert found["Assay's own"] == approx((1 + 0 + 0 + 0.5) / 4)
    assert found["missing topics left out"] == approx((1 + 0 + 0.5) / 3)
    assert found["mean over the topics of the run"] == approx((1 + 0 + 0.5 + 0) / 4)
    without = audit(qrels, run, "RR", value=f"{(1 + 0 + 0.5) / 3:.4f}")
    assert without.is_found
    skipped = next(rule for rule in rules() if rule.name == "undefined topics left out")
    case = AuditCase(Run.of(run), Qrels.of(qrels))
    setting = skipped.applied(AuditSetting(parse_measure("RR"), Policies(), case.data))
    assert setting is not None
    assert case.value(setting) == approx((1 + 0 + 0.5) / 3)


@in_turn(
    ("measure", "is_there"),
    [("nDCG@5", True), ("AP", True), ("RR", True), ("RR@5", False), ("RBP", False), ("P", False)],
)
def test_trec_eval_is_named_for_measures_that_it_has(measure: str, is_there: bool) -> None:
    assert (audit(JUDGED, RANKING, measure).tools == ("trec_eval 10 -c",)) is is_there


def test_trec_eval_is_not_named_for_values_that_it_does_not_give() -> None:
    """It cuts grades to whole numbers and counts undefined values as 0; at a document that comes again it stops."""
    whole, cut = {"q": {"a": 1, "b": 3}}, {"q": {"a": 1.5, "b": 3}}
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert audit(whole, run, "nDCG@5").tools == ("trec_eval 10 -c",)
    fractions = audit(cut, run, "nDCG@5")
    assert fractions.tools == ()
    assert by_rule(fractions)["as trec_eval 10 with -c"] == approx(audit(whole, run, "nDCG@5").value)
    assert fractions.value != approx(audit(whole, run, "nDCG@5").value)
    qrels = {"1": {"a": 1}, "2": {"a": 0}}
    both = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    skipped = audit(qrels, both, "AP", undefined="skip")
    assert (skipped.value, skipped.tools, by_rule(skipped)["as trec_eval 10 with -c"]) == (1.0, (), 0.5)
    twice = str(audit(JUDGED, RANKING, "nDCG@5"))
    assert "also that of trec_eval 10 -c, after removing duplicates." in twice
    assert "removing duplicates" not in str(audit(JUDGED, ["A", "X", "D"], "nDCG@5"))


@pytest.mark.parametrize("measure", ["ERR@5", "RR", "Bpref", "nDCG@5"])
def test_the_value_of_one_query_is_that_of_evaluate_also_where_orders_are_drawn(measure: str) -> None:
    rng = np.random.default_rng(5)
    qrels = {f"q{topic}": {f"d{doc}": int(rng.integers(0, 4)) for doc in range(9)} for topic in range(3)}
    rows = [(f"q{topic}", f"d{doc}", float(rng.integers(1, 3))) for topic in range(3) for doc in range(9)]
    scores = evaluate(qrels, rows, measure, ties="expected", seed=3, samples=20).scores.frame
    for query, value in scores.select("unit", "value").iter_rows():
        found = audit(qrels, rows, measure, query=query, ties="expected", seed=3, samples=20)
        assert found.value == value
        again = audit(qrels, [*rows, ("q1", "d0", 0.5)], measure, query=query, ties="expected", seed=3, samples=20)
        assert again.value == value  # a row that comes again in another query is left out


def test_cwl_eval_reads_the_file_as_it_stands() -> None:
    """Scores do not matter, duplicates earn gain again, and what stands below rank 1,000 is lost."""
    qrels = {"q": {"a": 2, "b": 1, "c": -1}}
    rows = [("q", "x", 1.0), ("q", "a", 5.0), ("q", "a", 5.0), ("q", "c", 9.0)]
    assert by_rule(audit(qrels, rows, "AP"))["as cwl_eval"] == approx((1 / 2 + 2 / 3) / 2)
    deep = [("q", f"x{place}", 0.0) for place in range(1000)]
    assert by_rule(audit(qrels, [*deep[:-1], ("q", "a", 9.0)], "AP"))["as cwl_eval"] == approx(1 / 1000)
    assert by_rule(audit(qrels, [*deep, ("q", "a", 9.0)], "AP"))["as cwl_eval"] == 0


def test_rounding_by_topic_comes_before_the_mean() -> None:
    qrels = {"1": dict.fromkeys("abc", 1), "2": dict.fromkeys("abc", 1)}
    run = {"1": {"a": 1.0}, "2": {"b": 2.0, "c": 1.0}}
    rounded = next(rule for rule in rules() if rule.part == "rounding")
    case = AuditCase(Run.of(run), Qrels.of(qrels))
    setting = rounded.applied(AuditSetting(parse_measure("R@5"), Policies(), case.data))
    assert setting is not None
    assert case.value(setting) == approx((0.33 + 0.67) / 2)


# --- rules against the tools themselves ------------------------------------------------------------------------------


def tables_for_tools(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Whole grades, numbers as topics, no negative grades: what all of the tools can read."""
    tables = random_tables(seed)
    names = {query: str(number + 1) for number, query in enumerate([*tables.qrels, "nobody judged this"])}
    qrels = {
        names[query]: {doc: max(int(grade), 0) for doc, grade in docs.items()} for query, docs in tables.qrels.items()
    }
    return qrels, {names[query]: docs for query, docs in tables.run.items()}


@cache
def values_of(measure: str, seed: int) -> dict[str, float]:
    """What each rule gives for the tables that tools are given."""
    return by_rule(audit(*tables_for_tools(seed), measure))


@in_turn("seed", range(3))
@in_turn(
    ("measure", "rule", "name"),
    [
        ("nDCG@5", "as trec_eval 9", "ndcg_cut_5"),
        ("nDCG@5", "no cut-off", "ndcg"),
        ("AP@5", "as trec_eval 9", "map_cut_5"),
        ("AP@5", "no cut-off", "map"),
        ("RR@5", "no cut-off", "recip_rank"),
        ("P@5", "as trec_eval 9", "P_5"),
        ("P@5", "divided by min(k, relevant documents)", "relative_P_5"),
        ("IPrecMean", "as trec_eval 9", "11pt_avg"),
    ],
)
def test_rules_of_pytrec_eval(measure: str, rule: str, name: str, seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = tables_for_tools(seed)
    # Averaging over the topics it returns is the rule of missing topics; those it leaves out count as 0 here.
    got = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    values = [topic[name] for topic in got.values()]
    topics = len(values) if rule == "as trec_eval 9" else len(qrels)
    assert values_of(measure, seed)[rule] == approx(sum(values) / topics, abs=1e-9)


@in_turn("seed", range(3))
@in_turn(
    ("measure", "rule", "theirs"),
    [
        ("nDCG@5", "exponential gain", "nDCG(dcg='exp-log2')@5"),
        ("ERR@5", "top of the scale is 4", "ERR@5"),
        ("RR@5", "ties by document id, smallest first", "RR@5"),
        ("P@5", "unjudged documents taken out first", "P(judged_only=True)@5"),
        ("P@5", "relevant from grade 2 on", "P(rel=2)@5"),
        ("SetF(beta=2)", "beta squared", "SetF(beta=2.0)"),
    ],
)
def test_rules_of_ir_measures(measure: str, rule: str, theirs: str, seed: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = tables_for_tools(seed)
    parsed = ir_measures.parse_measure(theirs)
    try:
        got = ir_measures.calc_aggregate([parsed], qrels, run)[parsed]
    except (RuntimeError, ValueError, subprocess.CalledProcessError) as problem:  # the script needs Perl
        pytest.skip(f"ir_measures cannot compute {theirs} here: {problem}")
    # gdeval prints five decimals.
    assert values_of(measure, seed)[rule] == approx(got, abs=1e-5 if "exp" in theirs or "ERR" in theirs else 1e-9)


@in_turn("seed", range(8))
def test_the_rule_of_scikit_learn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    data = random_rows(seed)
    if len(data.rows) < 2:
        pytest.skip("scikit-learn wants two documents")
    judged = {doc: max(grade, 0.0) for doc, grade in data.judged.items()}
    grades = [judged.get(doc, 0.0) for doc, _, _ in data.rows]
    got = metrics.ndcg_score([grades], [[score for _, score, _ in data.rows]], k=4)
    rows = [("q", doc, score) for doc, score, _ in data.rows]
    assert by_rule(audit({"q": judged}, rows, "nDCG@4"))["as scikit-learn"] == approx(got, abs=1e-9)


def test_equal_scores_in_32_bits_are_those_of_pytrec_eval() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 20.000002, "b": 20.000001}}
    got = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)["1"]["recip_rank"]
    found = by_rule(audit(qrels, run, "RR"))
    assert (found["Assay's own"], found["scores compared as 32-bit numbers"]) == (1.0, got) == (1.0, 0.5)


# --- the rule that gives a value -------------------------------------------------------------------------------------


def test_a_combination_that_no_tool_is_known_for_is_found() -> None:
    own = parse_measure("nDCG@5")
    case = AuditCase(Run.of([("q", doc, -place) for place, doc in enumerate(RANKING)]), Qrels.of({"q": JUDGED}), "q")
    planted = AuditSetting(own(gain="binary", discount="zipf"), Policies(duplicates="first"), case.data)
    result = audit(JUDGED, RANKING, own, value=f"{case.value(planted):.6f}")
    assert result.answer is not None
    found = [sorted(rule.name for rule in match.rules) for match in result.answer.matches]
    assert ["binary gain", "discount by rank"] in found
    assert all(result.answer.wanted.fits(match.value) for match in result.answer.matches)
    assert "binary gain + discount by rank" in str(result)


def test_a_value_that_nothing_gives_is_said_to_be_so() -> None:
    result = audit(JUDGED, RANKING, "nDCG@5", value="0.123456")
    assert result.answer is not None
    assert not result.is_found
    assert result.answer.nearest is not None
    assert "No rule gives 0.123456." in str(result)
    assert f"{result.answer.tried} ways of counting were tried: single rules, and a few pairs." in str(result)


@in_turn(
    ("text", "value", "fits"),
    [
        ("0.7537", 0.75374, True),
        ("0.7537", 0.75376, False),
        ("0.75", 0.7549, True),
        ("0.7500", 0.7549, False),
        (".5", 0.54, True),
        ("1", 0.6, True),
        ("7.5e-1", 0.7549, True),
        (0.25, 0.2549, True),
        ("0.5", math.nan, False),
        ("75.37%", 0.75372, True),
        ("75.37 %", 0.75376, False),
        ("0.575714285714", 0.5757142857145, True),
        ("0.575714285714", 0.575714285716, False),
        (np.float64(0.25), 0.2549, True),
    ],
)
def test_as_many_decimals_as_were_typed_have_to_agree(text: str | float, value: float, fits: bool) -> None:
    assert wanted(text).fits(value) is fits


def test_a_percentage_is_understood() -> None:
    result = audit(JUDGED, RANKING, "nDCG@5", value="57.57")
    assert result.answer is not None
    assert result.answer.wanted.percent
    assert result.answer.matches[0].rules == ()


def test_a_percent_sign_means_a_percentage_and_nothing_else() -> None:
    result = audit(JUDGED, RANKING, "nDCG@5", value="57.57%")
    assert result.answer is not None
    assert result.answer.matches[0].rules == ()
    assert "57.57% is Assay's own value." in str(result)


def test_few_decimals_are_said_to_say_little() -> None:
    """1 is what every value from a half on is rounded to, Assay's own among them."""
    for value in ("1", "0.6"):
        assert "So few decimals may agree by chance" in str(audit(JUDGED, RANKING, "nDCG@5", value=value))
    assert "So few decimals" not in str(audit(JUDGED, RANKING, "nDCG@5", value="0.5757"))


@in_turn("value", ["", "nan", "inf", "0,75", "1_0", "one", "%", "5%%", True, [1], (), np.True_, 10**400])
def test_a_value_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ParameterError, match="the value to look for is a number"):
        audit(JUDGED, RANKING, "nDCG@5", value=value)


@quickly
@given(st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12))
def test_reading_a_value_gives_one_or_says_that_it_is_none(value: str | float) -> None:
    try:
        found = wanted(value)
    except ParameterError:
        return
    assert found.fits(found.number)


# --- signatures ------------------------------------------------------------------------------------------------------


@st.composite
def policies(draw: st.DrawFn) -> Policies:
    whole = st.none() | st.integers(1, 2**62 - 1)
    made = {
        "ties": st.sampled_from(["doc_id_descending", "doc_id_ascending", "input_order", "expected"]),
        "unjudged": st.sampled_from(["irrelevant", "error"]),
        "missing": st.sampled_from(["zero", "skip", "error"]),
        "duplicates": st.sampled_from(["error", "first", "best"]),
        "rank_by": st.sampled_from(["score", "rank"]),
        "depth": whole,
        "judged_only": st.booleans(),
        "relevance_level": st.floats(0, 1e6) | st.integers(0, 5),
        "score_precision": st.sampled_from(["double", "single"]),
        "collection_size": whole,
        "lower_is_better": st.booleans(),
    }
    chosen: dict[str, Any] = {name: draw(values) for name, values in made.items()}
    if chosen["ties"] == "expected" and chosen["judged_only"]:
        chosen["depth"] = None
    return Policies(**chosen)


@settings(quickly, max_examples=8)
@given(
    st.integers(0, 1000),
    policies(),
    st.floats(0, 1e6) | st.integers(0, 5).map(float),
    st.sampled_from(["counted_as", "skip", "error"]),
    st.integers(0, 2**70),
    st.none() | st.text(max_size=8),
    st.booleans(),
)
def test_signatures_of_every_measure_are_read_again(
    variant: int, rules: Policies, top: float, undefined: Any, seed: int, judge: str | None, subtopics: bool
) -> None:
    for measure in ALL_MEASURES:
        known = variants(measure)
        one = known[variant % len(known)]
        text = signature(one, rules, top, undefined, seed=seed, samples=7, judge=judge, subtopics=subtopics)
        if text != text.strip():
            return
        found = parse_signature(text)
        assert str(found) == text
        if "rel" in one.parameters or one.depends_on_level:
            level = one.parameters.get("rel")
            assert found.policies.relevance_level == (rules.relevance_level if level is None else level)
        assert (found.policies.depth, found.rules.get("judge")) == (rules.depth, judge)
        assert found.rules.get("subtopics", False) is subtopics


PLAIN = "nDCG@10|gain=linear|discount=log2|base=2|ideal=judged|ties=doc_id_descending|unjudged=irrelevant|missing=zero"
WHOLE = f"{PLAIN}|undefined=0|v1"


@in_turn(
    ("text", "message"),
    [
        ("", "no measure is called ''"),
        ("nDGC@10|gain=linear", "no measure is called 'nDGC'; did you mean nDCG"),
        (WHOLE.replace("gain", "gian"), "nDCG has no field 'gian'; did you mean gain?"),
        (WHOLE.replace("ties=doc_id_descending", "ties=random"), "ties is one of doc_id_descending"),
        (WHOLE.replace("gain=linear", "gain=lniear"), "gain of nDCG is one of linear, exp, binary"),
        (WHOLE.replace("|undefined", "|depht=3|undefined"), "nDCG has no field 'depht'; did you mean depth?"),
        (WHOLE.replace("|undefined", "|depth=x|undefined"), "depth is a whole number"),
        (WHOLE.replace("base=2", "base=two"), "base of nDCG is a number"),
        (WHOLE.replace("@10", "@ten"), "cutoff of nDCG is a whole number"),
        (WHOLE.replace("undefined=0", "undefined=7"), f"Assay would write it as '{WHOLE}'"),
        (WHOLE.replace("base=2", "base=2.0"), "Assay would write it as 'nDCG@10|gain=linear|discount=log2|base=2|"),
        (WHOLE.removesuffix("|v1"), "expected a version, such as v1, at the end, got 'undefined=0'"),
        (f"{WHOLE}|seed=1", "expected a version, such as v1, at the end, got 'seed=1'"),
        (f"{PLAIN}|v1", f"Assay would write it as '{WHOLE}'"),
        ("Rprec@3|rel=1|v1", "Assay would write it as 'Rprec|rel=1|ties"),
    ],
)
def test_a_signature_that_is_none_gets_one_line(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as problem:
        parse_signature(text)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


@quickly
@given(st.data())
def test_a_damaged_signature_is_refused_or_is_another_signature(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(WHOLE)))
    put = data.draw(st.text(st.sampled_from("|=@v0123:,.eabnone\n"), max_size=4))
    text = WHOLE[:place] + put + WHOLE[place + data.draw(st.integers(0, 3)) :]
    try:
        found = str(parse_signature(text))
    except ParameterError as problem:
        found = str(problem) if "\n" in str(problem) else text.strip()
    assert found == text.strip()


def test_what_differs_is_said_with_what_follows() -> None:
    first = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "nDCG@10").signatures["nDCG@10"]
    other = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "nDCG(gain='exp')@5", ties="expected", depth=100)
    result = compare_signatures(first, other.signatures["nDCG(gain='exp')@5"])
    assert result.differences == {
        "cutoff": ("10", "5"),
        "gain": ("linear", "exp"),
        "ties": ("doc_id_descending", "expected"),
        "depth": ("–", "100"),
    }
    assert all(result.to_frame()["follows"])
    with speaking(Options()):
        command = "assay evaluate QRELS RUN -m \"nDCG(gain='exp')@5\" --ties expected --depth 100"
        assert result.second.call == command
    assert compare_signatures(first, first).differences == {}
    assert "same rules" in str(compare_signatures(first, first))


@in_turn("judge", ["NIST", "a|b", "x|undefined=0|v1", "|judge=b", "50%", "%7C", "%25|%", "a|subtopics=true"])
def test_judges_may_be_called_anything(judge: str) -> None:
    text = signature(parse_measure("P@5"), Policies(), 3.0, judge=judge)
    found = parse_signature(text)
    assert (found.rules["judge"], str(found)) == (judge, text)
    if not set("|%") & set(judge) or judge == "50%":
        assert f"|judge={judge}|undefined=0|v1" in text  # ordinary names stand there as they are


@in_turn("level", [2.5, 1e-7, 123456789.0, 0.1 + 0.2])
def test_the_command_has_the_level_in_full(level: float) -> None:
    text = signature(parse_measure("P@5"), Policies(relevance_level=level), 3.0)
    with speaking(Options()):
        command = compare_signatures(text, text).first.call
    assert float(command.rpartition(" ")[2]) == level


def test_two_measures_are_not_compared_parameter_by_parameter() -> None:
    rules = "ties=expected|unjudged=irrelevant|missing=zero|undefined=0"
    result = compare_signatures(f"AP|rel=1|{rules}|v1", f"DCG@5|gain=exp|discount=log2|base=2|{rules}|v2")
    assert list(result.differences) == ["measure", "version"]


@quickly
@given(st.sampled_from(["nDCG@10", "AP", "RR", "RBP", "ERR@5", "SetP", "Utility", "IPrec@0.5"]), policies())
def test_the_call_of_a_signature_gives_that_signature(name: str, rules: Policies) -> None:
    measure = parse_measure(name)
    text = signature(measure, rules, 3.0, seed=3, samples=2)
    call = compare_signatures(text, WHOLE).first.call
    qrels = {"q": {"a": 3, "b": 3}}
    run = Run(pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "rank": [1.0, 2.0]}))
    try:
        again = called(call, qrels, run)
    except AssayError:  # a depth beyond any list, a collection smaller than it
        return
    assert next(iter(again.signatures.values())) == text


def test_every_policy_has_a_sentence_on_what_follows() -> None:
    assert {name for name in Policies.__dataclass_fields__ if name != "relevance_level"} <= set(FOLLOWS)


# --- what the command does -------------------------------------------------------------------------------------------

LIST = ("--judged", "A:3,B:2,C:2,D:1,E:1,F:1,G:1,H:1", "--ranking", "A,X,D,D", "-m", "nDCG@5")


def test_the_command_names_the_rule_and_exits_0() -> None:
    done = run_assay("audit", *LIST, "--value", "0.7537", folder=TEA)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.7537 matches: as MLflow." in done.stdout
    assert "nDCG@5|gain=linear" in done.stdout


def test_the_command_exits_1_if_no_rule_gives_the_value() -> None:
    done = run_assay("audit", *LIST, "--value", "0.123456", "--json", folder=TEA)
    assert done.returncode == 1
    told = json.loads(done.stdout)["sections"]
    assert told["signature"]["asked"]["found"] is False
    assert {rule["rule"]: round(rule["value"], 4) for rule in told["rules"]["rules"]}["as MLflow"] == 0.7537


@in_turn("form", ["--csv", "--markdown", "--latex"])
def test_every_form_has_values_tools_and_reasons(form: str, tmp_path: Path) -> None:
    out = tmp_path / "audit.txt"
    done = run_assay("audit", "qrels.txt", "words.run", "--query", "t3", form, "-o", out, folder=TEA)
    assert (done.returncode, done.stdout) == (0, "")
    text = out.read_text(encoding="utf-8")
    assert "Quepid" in text
    assert "duplicates earn gain again" in text


def test_a_run_with_repeated_documents_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("1 0 d1 1\n1 0 d2 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 3 t\n1 Q0 d1 2 2 t\n")
    done = run_assay("audit", "a.qrels", "a.run", "-m", "P@2", folder=tmp_path)
    assert done.returncode == 0
    assert "1 duplicate row (a document already listed for its query)" in done.stdout
    refused = run_assay("audit", "a.qrels", "a.run", "-m", "P@2", "--duplicates", "error", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("assay: a.run:2: expected each document once in a query")


def test_two_signatures_on_the_command_line() -> None:
    done = run_assay("audit", "--signature", WHOLE, "--signature", WHOLE.replace("linear", "exp"), folder=TEA)
    assert done.returncode == 0
    assert "gain: Matters where" in done.stdout


@in_turn(
    ("arguments", "message"),
    [
        ((), "give judgments and a run, or --judged and --ranking, or two signatures"),
        (("qrels.txt",), "give a run after the judgments"),
        (("qrels.txt", "words.run", *LIST), "or two signatures, not several"),
        (("--judged", "A:1"), "--judged and --ranking go together"),
        (("--judged", "A", "--ranking", "A"), "--judged is documents and grades, such as A:3,B:2, not 'A'"),
        (("--judged", "A:1,A:2", "--ranking", "A"), "--judged names document 'A' twice"),
        (
            ("--judged", "A:1", "--ranking", "A,,B"),
            "--ranking: expected documents with commas between them",
        ),
        ((*LIST, "--query", "3"), "--query goes with files, not with a list"),
        ((*LIST, "--value", "abc"), "the value to look for is a number such as 0.7537, not 'abc'"),
        (("qrels.txt", "words.run", "--query", "t33"), "choose a query of t1, t2"),
        (("qrels.txt", "words.run", "-m", "nDGC"), "no measure is called 'nDGC'; did you mean nDCG"),
        (("qrels.txt", "words.run", "-m", "alpha_nDCG@5"), "no rules of other tools are known"),
        (("--signature", WHOLE), "--signature is given twice, to compare the two; it was given once"),
        (("--signature", WHOLE, "--signature", "AP|v1"), "signature 'AP|v1': Assay would write it as 'AP|rel=1|"),
        (("--signature", WHOLE, "--signature", WHOLE, "--ties", "expected"), "--ties goes with judgments and a run"),
        (("--signature", WHOLE, "--signature", WHOLE, "--value", "1"), "--value goes with judgments and a run"),
    ],
)
def test_a_wrong_call_gets_one_line_and_exit_2(arguments: tuple[str, ...], message: str) -> None:
    done = run_assay("audit", *arguments, folder=TEA)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_odd_about_the_data_is_said() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 0}, "3": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}, "9": {"a": 1.0}}
    assert audit(qrels, run, "AP").notes == (
        "run: 1 judged topic missing, counted as empty",
        "run: 1 topic without judgments, ignored",
    )
    undefined = audit(qrels, run, "AP", query="2")
    assert math.isnan(undefined.value)
    assert undefined.notes[-1] == "AP is undefined here (no relevant document); in a mean it counts as 0"
    missing = audit(qrels, run, "AP", query="3")
    assert (missing.value, missing.query, missing.where) == (0, "3", "query 3")


def test_wrong_calls_from_python() -> None:
    with pytest.raises(ParameterError, match="a bare list has no queries"):
        audit(JUDGED, RANKING, query="q")
    with pytest.raises(ParameterError, match="one of them is empty"):
        audit(JUDGED, [])
    with pytest.raises(ParameterError, match="one of them is empty"):
        audit({}, ["a"])
    with pytest.raises(AssayError, match=r"nowhere\.run"):
        audit({"q": {"a": 1}}, ["nowhere.run"])
    with pytest.raises(ParameterError, match="one run"):
        audit({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}})
    with pytest.raises(ParameterError, match="unknown argument 'tis'; did you mean ties"):
        audit(JUDGED, RANKING, tis="expected")  # type: ignore[call-arg]


def test_real_runs_can_be_audited_by_topic_and_in_the_mean() -> None:
    qrels, run = (
        shared("dl19-bm25", "qrels.dl19-passage.txt"),
        shared("dl19-bm25", "run.msmarco-v1-passage.bm25-default.dl19.txt"),
    )
    whole = audit(str(qrels), str(run), "nDCG@10")
    assert whole.value == approx(evaluate(str(qrels), str(run), "nDCG@10").mean())
    assert by_rule(whole)["exponential gain"] < whole.value
    topic = evaluate(str(qrels), str(run), "nDCG@10").systems[0].ranks.queries[3]
    one = audit(str(qrels), str(run), "nDCG@10", query=topic)
    assert one.where == f"query {topic}"


def test_the_page_on_disagreement_has_every_rule_with_its_tools_and_its_sentence() -> None:
    page = (ROOT / "docs" / "why-tools-disagree.md").read_text(encoding="utf-8")
    rows = {tuple(cell.strip() for cell in line.strip("|").split("|")) for line in page.splitlines() if line[:1] == "|"}
    for rule in rules():
        if rule.tools:
            assert (rule.name, ", ".join(rule.of) or "any", ", ".join(rule.tools), rule.why) in rows, rule.name
