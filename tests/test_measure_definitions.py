"""Measures as the literature has them: F at its limit, ERR by satisfaction, hit rate, the first rank, sets by level."""

from __future__ import annotations

import math
import re
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from cases import in_turn
from command import run_assay

import assay
from assay import Clusters, Confusion, Contingency, ParameterError, Predictions, Ranks, parse_measure

GRADES = [2, 0, 1, 0, 0, 1]
QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "e": 1}, "q2": {"a": 1, "d": 2}, "q3": {"x": 2}}
RUN = {"q1": {"a": 5.0, "c": 4.0, "b": 3.0, "z": 2.0}, "q2": {"c": 3.0, "d": 2.0, "a": 1.0}, "q3": {"y": 1.0}}


def value(measure: str, *grades: float, judged: list[int] | None = None) -> float:
    """A measure's number for one ranking."""
    return float(parse_measure(measure).of(Ranks.from_grades(list(grades), judged=[judged or []]))[0])


@in_turn("text", ["F(beta=inf)@3", "F(beta=inf)", "SetF(beta=inf)", "SetF(alpha=0)", "F(beta=1e200)"])
def test_f_with_an_infinite_beta_is_recall(text: str) -> None:
    """Of 4 relevant documents 3 were retrieved, 2 of them among the first three."""
    assert value(text, *GRADES, judged=[1]) == (2 / 4 if "@3" in text else 3 / 4)


def test_f_with_an_infinite_beta_is_recall_of_nothing_too() -> None:
    """Recall of an empty result is 0, though it has no precision."""
    nothing = Confusion.from_table(tp=0, fp=0, fn=3)
    assert parse_measure("SetF(beta=inf)").of(nothing) == [0.0]
    assert np.isnan(parse_measure("SetF").of(nothing)).all()


def test_an_infinite_beta_is_recall_for_classifiers_clusters_and_spans() -> None:
    truth, predicted = [1, 1, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0]
    found = assay.classify(Predictions.of(truth, predicted), ["F(beta=inf)", "Recall"])
    assert found.value("F(beta=inf)") == found.value("Recall") == 1 / 3
    table = Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]])
    for f, recall in (("PairF", "PairRecall"), ("BCubedF", "BCubedRecall"), ("PurityF", "InversePurity"),
                      ("VMeasure", "Completeness")):  # fmt: skip
        limit, whole = (parse_measure(text, "clustering") for text in (f"{f}(beta=inf)", recall))
        assert limit.of(table) == pytest.approx(whole.of(table), abs=1e-12), f
    spans = assay.extract([("d", 0, 4, "P"), ("d", 9, 12, "L")], [("d", 0, 4, "P")], beta=math.inf)
    assert spans.value("F") == 1 / 2
    assert '"beta": "inf"' in spans.to_json()
    with pytest.raises(ParameterError, match="beta is a number above 0, or inf, not nan"):
        assay.extract([("d", 0, 4, "P")], [("d", 0, 4, "P")], beta=math.nan)


def test_the_limit_of_q_is_the_share_of_the_ideal_gain() -> None:
    """Grades 1, 0, 2 and the ideal 2, 1: (1/2 + 3/3) / 2; a very large beta comes near."""
    assert value("Q(beta=inf)", 1, 0, 2) == 0.75
    assert value("Q(beta=1e9)", 1, 0, 2) == pytest.approx(0.75, abs=1e-8)


def test_explain_shows_recall_for_an_infinite_beta(tmp_path: Path) -> None:
    shown = run_assay("explain", "F(beta=inf)", "--counts", "4,6,4,10", folder=tmp_path).stdout
    assert "F(beta=inf) = 4 / 8" in shown
    assert "|beta=inf|" in shown
    text = assay.explain("SetF(beta=inf)", Ranks.from_grades(GRADES)).signature
    assert str(assay.parse_signature(text)) == text


def test_binary_err_is_the_textbooks() -> None:
    """The cascade stops at rank 3, and what comes after it adds nothing at all."""
    assert value("ERR(satisfaction='binary')", 0, 0, 1, 0, 1) == 1 / 3
    steps = assay.explain("ERR(satisfaction='binary')", Ranks.from_grades([0, 0, 1, 0, 1])).steps[0].frame
    assert steps["still_reading"].to_list() == [1, 1, 1, 0, 0]


def test_err_goes_by_a_table_of_chances() -> None:
    """0.2 + 0.9 (1 - 0.2) / 3; a grade that is not in the table satisfies nobody."""
    text = "ERR(satisfaction={1: 0.2, 2: 0.9})"
    assert value(text, 1, 3, 2) == pytest.approx(0.2 + 0.9 * 0.8 / 3)
    assert str(parse_measure(text)) == text
    signature = assay.evaluate(QRELS, RUN, text).signatures[text]
    assert str(assay.parse_signature(signature)) == signature
    # The ideal goes by the chances, not by the grades.
    assert value("nERR(satisfaction={1: 0.9, 2: 0.2})", 1, 2) == 1.0


@in_turn("chances", ["{1: 1.5}", "{1: -0.1}", "{-1: 0.5}", "'linear'"])
def test_what_is_no_chance_is_refused(chances: str) -> None:
    with pytest.raises(ParameterError, match=r"satisfaction of ERR is (a number from 0|one of exponential, binary)"):
        parse_measure(f"ERR(satisfaction={chances})")


def test_binary_satisfaction_goes_by_the_level_and_says_so() -> None:
    result = assay.evaluate(QRELS, RUN, "ERR(satisfaction='binary')", relevance_level=2)
    assert result.to_frame(per_query=True)["ERR(satisfaction='binary')"].to_list() == [1.0, 0.5, 0.0]
    assert "|rel=2|" in result.signatures["ERR(satisfaction='binary')"]


def test_hits_are_hit_rate_in_any_case_of_letters() -> None:
    """One relevant document or three among the first five: a hit is a hit."""
    for name in ("Hits@5", "hits@5", "HitRate@5", "hit_rate@5"):
        assert value(name, 1, 0, 1, 0, 1) == 1.0
        assert value(name, 0, 0, 0, 0, 0, 1) == 0.0
    assert value("NumRelRet@5", 1, 0, 1, 0, 1) == 3.0


def test_first_rank_is_left_out_of_the_mean_where_there_is_none() -> None:
    """q1 at rank 1, q2 at rank 2, q3 never: (1 + 2) / 2."""
    result = assay.evaluate(QRELS, RUN, "FirstRank")
    assert result.to_frame(per_query=True)["FirstRank"].to_list() == [1.0, 2.0, None]
    assert result.mean() == 1.5
    assert result.summary("FirstRank", result.systems[0].name).undefined == 1
    assert "no relevant document was retrieved" in result.to_json(per_query=True)


def test_a_lower_first_rank_is_better() -> None:
    judged = {f"q{n}": {"good": 1} for n in range(8)}
    late = {query: {"bad": 2.0, "good": 1.0} for query in judged}
    soon = {query: {"bad": 1.0, "good": 2.0} for query in judged}
    comparison = assay.compare(judged, {"late": late, "soon": soon}, measures="FirstRank", baseline="late")
    assert str(comparison.finding().verdict) == "better"


def test_rand_is_among_the_clustering_defaults(tmp_path: Path) -> None:
    """4 of 6 pairs: xx and oo together, of the 4 mixed pairs the 2 that are apart."""
    result = assay.cluster(Clusters.of(list("xxoo"), [0, 0, 0, 1]))
    assert result.value("Rand") == 3 / 6
    (tmp_path / "c.csv").write_text("class,cluster\nx,0\nx,0\no,0\no,1\n")
    assert re.search(r"Rand +0\.50", run_assay("clustering", "evaluate", "c.csv", folder=tmp_path).stdout)


@in_turn("text", ["SetP(rel=2)", "SetR(rel=2)", "SetP(relative=True)", "SetP(relative=True,rel=2)",
                                  "SetAP(rel=2)", "SetF(rel=2)", "SetP(relative=False)"])  # fmt: skip
def test_sets_of_ir_measures_are_understood_and_give_its_numbers(text: str) -> None:
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(text)], QRELS, RUN)
    assert assay.evaluate(QRELS, RUN, text).mean() == pytest.approx(next(iter(theirs.values())), abs=1e-12)


def test_the_square_of_beta_gives_ir_measures_set_f() -> None:
    """Its beta is the square: 4 there is 2 here."""
    theirs = ir_measures.calc_aggregate([ir_measures.SetF(beta=4.0)], QRELS, RUN)
    assert assay.evaluate(QRELS, RUN, "SetF(beta=2)").mean() == pytest.approx(next(iter(theirs.values())), abs=1e-12)


def test_a_level_of_sets_is_refused_where_nothing_has_a_grade() -> None:
    with pytest.raises(ParameterError, match="rel of SetP needs documents with grades"):
        parse_measure("SetP(rel=2)").of(Confusion.from_table(tp=1, fp=1, fn=1))
    with pytest.raises(ParameterError, match="relative of SetP is True or False, not 'maybe'"):
        parse_measure("SetP(relative=maybe)")
