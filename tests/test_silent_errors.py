"""Errors that other tools make without a word. Here the number is right, or there is an error that says why not.

Numbers are those of the list of silent errors; the one about a statistical test belongs to statistics.
"""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from cases import in_turn
from strategies import DOC_IDS, Table

from assay import AssayError, Evaluation, ParameterError, Ranks, Run, evaluate, parse_measure, read_qrels, read_run
from assay.core.errors import UnknownMeasureError
from assay.measures import AP, DCG, ERR, RR, P, R, SetF, SetP, Success, nDCG

approx = pytest.approx


def per_query(result: Evaluation, measure: str) -> dict[str, float | None]:
    """The values of the only system."""
    rows = result.scores.of("run", measure)
    return dict(zip(rows["unit"], rows["value"], strict=True))


# 1 Queries paired by their place


def test_1_queries_are_paired_by_name_whatever_the_order_of_keys() -> None:
    """The same data with keys in another order give the same mean."""
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    run = {"q2": {"b": 1.0, "a": 0.5}, "q1": {"a": 1.0, "b": 0.5}}
    assert evaluate(qrels, run, "RR").mean() == 1.0
    assert evaluate(qrels, dict(reversed(run.items())), "RR").mean() == 1.0
    assert evaluate(dict(reversed(qrels.items())), run, "RR").mean() == 1.0


def test_1_topics_that_do_not_fit_together_are_told() -> None:
    """A topic of the run stands for no other one; none in common is an error that names some of both sides."""
    result = evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "Q2": {"a": 1.0}}, "RR")
    assert result.mean() == (1 + 0) / 2
    assert result.coverage.select("missing", "ignored").row(0) == (1, 1)
    assert len(result.warnings) == 3
    assert "but for upper and lower case: 'Q2' in the run, 'q2' in the judgments" in result.warnings[0]
    with pytest.raises(AssayError, match=r"no topic in common.*'Q1'.*'q1'"):
        evaluate({"q1": {"a": 1}}, {"Q1": {"a": 1.0}}, "RR")


# 2, 3, 8 Measures computed in one call that overwrite one another

GRADED = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 1, "b": 1}}
RANKED = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"c": 2.0, "b": 1.0}}


@in_turn(
    "pair",
    [
        ("nDCG(gain={1: 10, 3: 1})@10", "nDCG@10"),
        ("nDCG(gain='exp')@10", "nDCG(gain='binary')@10"),
        ("RBP(p=0.5)", "RBP(p=0.8)"),
        ("SetF(beta=0.5)", "SetF(beta=2)"),
        ("AP(rel=1)", "AP(rel=2)"),
        ("IPrec@0.5", "IPrec(rule='trec_eval-9')@0.5"),
    ],
    ids=" and ".join,
)
def test_2_3_one_measure_with_two_parameters_in_one_call(pair: tuple[str, str]) -> None:
    """Together, in either order, they give what each gives alone."""
    alone = {name: evaluate(GRADED, RANKED, name).mean() for name in pair}
    for order in (pair, pair[::-1]):
        together = evaluate(GRADED, RANKED, order)
        assert {name: together.mean(name) for name in pair} == alone
        assert len(together.to_frame().columns) == 1 + len(pair)


def test_2_gains_are_those_asked_for() -> None:
    """nDCG with the gains 10 for grade 1 and 1 for grade 3, and with the grades themselves."""
    result = evaluate(GRADED, RANKED, ["nDCG(gain={1: 10, 3: 1})@10", "nDCG@10"])
    log3 = math.log2(3)
    second = (10 / log3) / (10 + 10 / log3)  # of q2, where both documents have the same grade: the same under both
    assert result.mean("nDCG(gain={1: 10, 3: 1})@10") == approx(((1 + 10 / 2) / (10 + 1 / log3) + second) / 2)
    assert result.mean("nDCG@10") == approx(((3 + 1 / 2) / (3 + 1 / log3) + second) / 2)


def test_3_data_that_can_be_read_once_serve_all_measures() -> None:
    """Generators are used up after the first pass; every measure of the call still sees all rows."""
    qrels = ((query, doc, grade) for query, docs in GRADED.items() for doc, grade in docs.items())
    run = ((query, doc, score) for query, docs in RANKED.items() for doc, score in docs.items())
    once = evaluate(qrels, run, ["RBP(p=0.5)", "RBP(p=0.8)", "AP"])
    again = evaluate(GRADED, RANKED, ["RBP(p=0.5)", "RBP(p=0.8)", "AP"])
    assert once.to_frame().rows() == again.to_frame().rows()
    assert once.mean("RBP(p=0.8)") > 0


# 4 Ties


@in_turn("ties", ["doc_id_descending", "doc_id_ascending", "input_order", "expected"])
def test_4_a_cutoff_does_not_change_the_order_of_ties(ties: str) -> None:
    """RR and RR@10 of a list of two agree, whichever rule there is."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    result = evaluate(qrels, run, ["RR", "RR@10", "P@1", "nDCG@1", "Success@1"], ties=ties)  # type: ignore[arg-type]
    assert result.mean("RR") == result.mean("RR@10")
    assert result.mean("P@1") == approx(result.mean("nDCG@1"))
    on_top = {"doc_id_descending": 0.0, "doc_id_ascending": 1.0, "input_order": 1.0, "expected": 0.5}[ties]
    assert result.mean("P@1") == on_top


@in_turn("ties", ["doc_id_descending", "doc_id_ascending", "input_order"])
def test_4_a_constant_scorer_gets_one_verdict(ties: str) -> None:
    """A system that gives every document the same score is put in one order, and all measures see that one."""
    relevant = DOC_IDS[7]
    qrels, run = {"q": {relevant: 1}}, {"q": dict.fromkeys(DOC_IDS, 1.0)}
    order = list(DOC_IDS) if ties == "input_order" else sorted(DOC_IDS, key=str.encode, reverse="desc" in ties)
    place = order.index(relevant) + 1
    result = evaluate(
        qrels,
        run,
        ["RR", "RR@100", "AP", "nDCG", f"Success@{place}", f"P@{place}", f"R@{place - 1}"],
        ties=ties,  # type: ignore[arg-type]
    )
    assert result.mean("RR") == result.mean("RR@100") == result.mean("AP") == approx(1 / place)
    assert result.mean("nDCG") == approx(1 / math.log2(place + 1))
    assert (result.mean(f"Success@{place}"), result.mean(f"P@{place}")) == (1.0, 1 / place)
    assert result.mean(f"R@{place - 1}") == 0.0


def test_4_a_constant_scorer_is_worth_what_chance_is() -> None:
    """With expected ties, the precision of any cut-off is the share of relevant documents."""
    qrels, run = {"q": dict.fromkeys(DOC_IDS[:7], 1)}, {"q": dict.fromkeys(DOC_IDS, 0.0)}
    result = evaluate(qrels, run, ["P@1", "P@10", "R@10"], ties="expected")
    share = 7 / len(DOC_IDS)
    assert [result.mean(name) for name in ("P@1", "P@10", "R@10")] == approx([share, share, 10 / len(DOC_IDS)])


# 5 Queries split over the input


def test_5_a_query_in_pieces_is_one_query() -> None:
    """Rows of two queries take turns; each query comes out once, with all of its documents."""
    rows = [("q1", "a", 0.2), ("q2", "a", 0.9), ("q1", "b", 0.7), ("q2", "b", 0.1), ("q1", "c", 0.9), ("q2", "c", 0.5)]
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    for order in (rows, sorted(rows)):
        result = evaluate(qrels, order, ["RR", "NumRet", "NumQ"])
        assert per_query(result, "RR") == {"q1": approx(1 / 3), "q2": 1.0}
        assert per_query(result, "NumRet") == {"q1": 3.0, "q2": 3.0}
        assert result.mean("NumQ") == 2


def test_5_a_document_twice_in_a_split_query_is_found_out() -> None:
    """The second row may be far from the first one."""
    rows = [("q1", "a", 0.2), ("q2", "a", 0.9), ("q1", "a", 0.7)]
    with pytest.raises(AssayError, match=r"'a'.* again in query 'q1'"):
        evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, rows, "RR")


# 7 Runs of the same name


def test_7_two_runs_of_one_name_are_refused() -> None:
    """They are not merged, and neither hides the other."""
    runs = [Run.of(RANKED, "bm25"), Run.of(RANKED, "bm25")]
    with pytest.raises(ParameterError, match="two runs are called 'bm25'"):
        evaluate(GRADED, runs, "AP")


def test_7_more_runs_than_letters() -> None:
    """Forty systems are forty rows."""
    result = evaluate(GRADED, {f"system {number}": RANKED for number in range(40)}, "AP")
    assert result.to_frame()["AP"].n_unique() == 1
    assert result.to_frame()["system"].to_list() == [f"system {number}" for number in range(40)]


# 8 Parameters that are ignored


@in_turn(
    "name",
    [
        "P@5.5", "P_5.5", "P_10x", "P@10x", "P@-1", "P@0", "P_0", "map_10", "recip_rank_10", "bpref_10", "infAP_3",
        "Bpref@10", "Rprec@5", "SetP@5", "AP(cutof=5)", "AP(5)", "nDCG(gain='cubic')", "RBP(p=1.5)", "SetF(beta=-1)",
        "IPrec@1.5", "nDCG@10@5", "P@", "nDCG(gain=exp)(base=3)", "map_cut_5,10", "", "@10",
        "AP(rel=1, rel=2)", "nDCG(cutoff=5)@10", "ndcg_cut_5@10",
    ],
)  # fmt: skip
def test_8_a_parameter_that_cannot_be_meant_is_refused(name: str) -> None:
    """Nothing is rounded, cut off or left out of what was asked for."""
    with pytest.raises(ParameterError):
        parse_measure(name)


@in_turn(
    "rules",
    [
        {"depth": 0}, {"depth": 1.5}, {"depth": "3"}, {"relevance_level": "1"}, {"relevance_level": math.nan},
        {"judged_only": "no"}, {"ties": "random"}, {"tie": "expected"}, {"samples": 0, "ties": "expected"},
        {"compat": "trec_eval-8"}, {"undefined": "zero"},
    ],
    ids=str,
)  # fmt: skip
def test_8_a_policy_that_cannot_be_meant_is_refused(rules: dict[str, Any]) -> None:
    """No half document, no truth value in words, no mean over no orders."""
    with pytest.raises(ParameterError):
        evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, "RR", **rules)


def test_8_the_error_says_what_is_wrong() -> None:
    """It names the nearest measure, the parameters there are, or the values that are allowed."""
    with pytest.raises(UnknownMeasureError, match="did you mean"):
        parse_measure("ndgc@10")
    with pytest.raises(ParameterError, match=r"AP has no parameter 'cutof'.*did you mean cutoff"):
        parse_measure("AP(cutof=5)")
    with pytest.raises(ParameterError, match=r"cutoff of P is a whole number from 1 on, not 5\.5"):
        parse_measure("P@5.5")


def test_8_a_cutoff_is_a_cutoff_where_there_is_one() -> None:
    """Measures that other tools compute to the end, whatever is asked, are cut here."""
    qrels = {"q": {"a": 1, "b": 1}}
    run = {"q": {"x": 5.0, "a": 4.0, "y": 3.0, "b": 2.0}}
    result = evaluate(qrels, run, ["AP", "AP@3", "map_cut_2", "RR@1", "MRR@2", "mrr@10"])
    assert result.mean("AP") == approx((1 / 2 + 2 / 4) / 2)
    assert result.mean("AP@3") == result.mean("AP@2") == approx((1 / 2) / 2)
    assert (result.mean("RR@1"), result.mean("RR@2"), result.mean("RR@10")) == (0, 1 / 2, 1 / 2)


def test_8_beta_is_beta() -> None:
    """Two values of beta in one call are two measures, and beta is not its square."""
    ranks = Ranks.from_grades([1, 0, 0, 0], judged=[[1]])  # precision 1/4, recall 1/2
    half, double = SetF(beta=0.5), SetF(beta=2)
    assert half.of(ranks).tolist() == approx([1.25 * 0.25 * 0.5 / (0.25 * 0.25 + 0.5)])
    assert double.of(ranks).tolist() == approx([5 * 0.25 * 0.5 / (4 * 0.25 + 0.5)])
    assert half != double
    result = evaluate({"q": {"a": 1, "e": 1}}, {"q": dict.fromkeys("abcd", 1.0)}, [half, double])
    assert result.mean(half) == approx(half.of(ranks)[0])
    assert result.mean(double) == approx(double.of(ranks)[0])


# 9 Topics with nothing to find

MANY = [
    "AP", "nDCG", "nDCG@5", "RR", "P@5", "R@5", "Rprec", "Bpref", "ERR", "RBP", "SetF", "Yaap", "G", "Rndcg", "InfAP",
]  # fmt: skip


@in_turn("odd", [{}, {"a": 0}, {"a": -1, "b": -2}, {"z": 0}, {"z": -1}], ids=str)
def test_9_a_topic_without_relevant_documents_does_not_disturb_others(odd: dict[str, float]) -> None:
    """Whether it comes first, in between or last, the other topics keep their values."""
    alone = evaluate(GRADED, RANKED, MANY)
    run = RANKED | {"odd": {"a": 2.0, "b": 1.0}}
    first, second = GRADED.items()
    for topics in ([("odd", odd), first, second], [first, ("odd", odd), second], [first, second, ("odd", odd)]):
        result = evaluate(dict(topics), run, MANY)
        for name in MANY:
            values = per_query(result, name)
            assert {query: values[query] for query in GRADED} == approx(per_query(alone, name), abs=1e-12), name
            assert values.get("odd") in {None, 0.0} or name == "Yaap"


def test_9_undefined_is_told_and_counted_as_declared() -> None:
    """The topic has no value and a reason; the mean counts it as 0 or leaves it out, as the caller says."""
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    result = evaluate(qrels, run, "AP")
    assert result.scores.frame["value"].to_list() == [1.0, None]
    assert result.scores.frame["undefined"].to_list() == [None, "no relevant document"]
    assert (result.mean(), evaluate(qrels, run, "AP", undefined="skip").mean()) == (0.5, 1.0)
    assert result.summary().undefined == 1
    with pytest.raises(AssayError, match="AP is undefined for 1 of 2"):
        evaluate(qrels, run, "AP", undefined="error")


@in_turn("grade", [10, 60, 100])
def test_9_a_topic_with_high_grades_does_not_disturb_others(grade: float) -> None:
    """Grades in percent are legal; what one topic adds up to does not spill over into the next."""
    ranks = Ranks.from_grades([grade, 0, grade], [1, 0, 1])
    alone = Ranks.from_grades([1, 0, 1])
    for measure in (ERR(max_grade=100), nDCG(gain="exp"), parse_measure("G"), parse_measure("nDCGRel"), AP):
        assert measure.of(ranks)[1] == approx(measure.of(alone)[0]), str(measure)


def test_9_evaluating_again_gives_the_same() -> None:
    """Nothing is left over from one evaluation to the next."""
    once = evaluate(GRADED, RANKED, MANY).to_frame()
    evaluate({"q1": {"b": 3}}, RANKED, MANY)
    assert evaluate(GRADED, RANKED, MANY).to_frame().equals(once)


# 10 Gains and grades that are not whole numbers; levels of relevance


def test_10_gains_less_than_one_apart() -> None:
    """The gains 0.3 and 0.6 are told apart, and sorted."""
    ranks = Ranks.from_grades([1, 2, 1])
    log3 = math.log2(3)
    assert nDCG(gain={1: 0.3, 2: 0.6}).of(ranks).tolist() == approx(
        [(0.3 + 0.6 / log3 + 0.3 / 2) / (0.6 + 0.3 / log3 + 0.3 / 2)]
    )


def test_10_grades_may_be_fractions() -> None:
    """0.9 is not 0 and 1.9 is not 1, in gains and at the level of relevance."""
    qrels, run = {"q": {"a": 0.9, "b": 1.9}}, {"q": {"a": 2.0, "b": 1.0}}
    result = evaluate(qrels, run, ["DCG", "P@1", "RR"])
    assert result.mean("DCG") == approx(0.9 + 1.9 / math.log2(3))
    assert (result.mean("P@1"), result.mean("RR")) == (0.0, 0.5)
    assert evaluate(qrels, run, "RR", relevance_level=0.9).mean() == 1.0


@in_turn("grade", [math.inf, -math.inf, math.nan])
def test_10_a_grade_is_a_finite_number(grade: float) -> None:
    """An infinite grade would make every gain undefined, and the mean 0."""
    with pytest.raises(AssayError):
        evaluate({"q": {"a": grade, "b": 1}}, {"q": {"a": 1.0}}, "nDCG")


def test_10_the_level_of_relevance_holds_for_counts_too() -> None:
    """With level 2 there is one relevant document, also in the number of relevant documents, also if topics lack."""
    qrels, run = {"q1": {"a": 1, "b": 2}, "gone": {"a": 1, "b": 1, "c": 3}}, {"q1": {"a": 1.0}}
    result = evaluate(qrels, run, ["NumRel", "NumRelRet", "AP"], relevance_level=2)
    assert (result.mean("NumRel"), result.mean("NumRelRet"), result.mean("AP")) == (1 + 1, 0, 0)


def test_10_gains_of_documents_without_judgment() -> None:
    """A table may name them: -1 was never pooled, -2 was pooled and not judged. The ideal holds judged ones only."""
    ranks = Ranks.from_grades([1, None, -1], judged=[[-1]])
    table = {-2: 0.25, -1: 0.5}
    got = 1 + 0.5 / math.log2(3) + 0.25 / 2
    assert DCG(gain=table).of(ranks).tolist() == approx([got])
    assert nDCG(gain=table).of(ranks).tolist() == approx([got / 1])


# 11 Ids that look like something else, and rules that hold for some measures only


def test_11_ids_are_text_in_files(tmp_path: Path) -> None:
    """Leading zeros stay, NA is a name, and 1, 01 and 1.0 are three documents."""
    ids = ["001", "01", "1", "1.0", "1e0", "NA", "nan", "null", "None", "inf", "-", "TRUE"]
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"007 0 {doc} {number % 2}\n" for number, doc in enumerate(ids)))
    run.write_text("".join(f"007 Q0 {doc} {number} {-number} NA\n" for number, doc in enumerate(ids)))
    assert read_qrels(qrels).frame["doc_id"].to_list() == read_run(run).frame["doc_id"].to_list() == ids
    result = evaluate(qrels, run, ["P@12", "RR", "NumRel", "Judged@12"])
    assert [result.mean(name) for name in ("P@12", "RR", "NumRel", "Judged@12")] == [6 / 12, 1 / 2, 6, 1]
    assert result.scores.frame["unit"].unique().to_list() == ["007"]


def test_11_ids_are_text_in_frames() -> None:
    """In a data frame of any library, ids of digits match ids of digits, and those with zeros only each other."""
    columns = {"query_id": ["007", "007"], "doc_id": ["01", "NA"]}
    pandas_qrels = pd.DataFrame(columns | {"relevance": [0, 1]})
    polars_run = pl.DataFrame(columns | {"score": [0.5, 1.0]})
    assert evaluate(pandas_qrels, polars_run, "RR").mean() == 1.0
    numbers = pd.DataFrame({"query_id": [7, 7], "doc_id": [1, 2], "score": [1.0, 0.5]})
    assert evaluate({"7": {"1": 1}}, numbers, "RR").mean() == 1.0
    with pytest.raises(AssayError, match="no topic in common"):
        evaluate(pandas_qrels, numbers, "RR")


def test_11_a_missing_id_is_an_error() -> None:
    """An empty cell is not a document called nan."""
    frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", None], "score": [1.0, 0.5]})
    with pytest.raises(AssayError, match="row 2: expected text or a whole number as doc_id"):
        evaluate({"q": {"a": 1}}, frame, "RR")


def test_11_judged_only_holds_for_all_measures() -> None:
    """Where unjudged documents are taken out, they are out for RR and Rprec as for P and nDCG."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 9.0, "y": 8.0, "a": 7.0, "b": 6.0}}
    names = ["RR", "Rprec", "P@1", "nDCG@1", "AP", "R@1", "Bpref", "ERR", "SetP", "Judged@1"]
    condensed = evaluate(qrels, run, names, judged_only=True)
    clean = evaluate(qrels, {"q": {"a": 7.0, "b": 6.0}}, names)
    assert condensed.to_frame().rows() == clean.to_frame().rows()
    assert (condensed.mean("RR"), condensed.mean("Rprec")) == (1.0, 1.0)
    assert evaluate(qrels, run, "RR").mean() == approx(1 / 3)


# 12 Cut-offs by name, different denominators, changed input


def test_12_the_first_k_are_those_with_the_best_scores() -> None:
    """Not those whose names sort first, by any of their characters."""
    qrels, run = {"q": {"zz": 1}}, {"q": {"aa": 0.1, "zz": 0.9, "ba": 0.5}}
    result = evaluate(qrels, run, ["Success@1", "P@1", "RR"])
    assert (result.mean("Success@1"), result.mean("P@1"), result.mean("RR")) == (1, 1, 1)
    assert [measure.of(Ranks.from_grades([1, 0, 0])).item() for measure in (Success @ 1, P @ 1, R @ 1, RR)] == [1] * 4


def test_12_all_means_have_one_denominator() -> None:
    """Judged topics that the run lacks count for every measure, topics without judgments for none."""
    qrels = {f"q{number}": {"a": 1} for number in range(4)}
    run = {"q0": {"a": 1.0}, "q1": {"a": 1.0}, "extra": {"a": 1.0}}
    names = ["AP", "RR", "RR@10", "P@1", "R@10", "nDCG@10", "Success@1", "Rprec", "Bpref", "SetR", "SetF"]
    result = evaluate(qrels, run, names)
    assert [result.mean(name) for name in names] == [2 / 4] * len(names)
    assert evaluate(qrels, run, names, missing="skip").to_frame().row(0)[1:] == (1.0,) * len(names)


@in_turn("rules", [{}, {"ties": "expected"}, {"judged_only": True, "depth": 1}], ids=str)
def test_12_input_is_never_changed(rules: dict[str, Any]) -> None:
    """Dicts and frames come out as they went in."""
    qrels: Table = {"q": {"q": 1, "a": -1, "b": 2}, "empty": {}}
    run: Table = {"q": {"b": 1.0, "q": 3.0, "a": 1.0}, "extra": {"a": 1.0}, "none": {}}
    before = copy.deepcopy((qrels, run))
    order = [list(docs) for docs in run.values()]
    evaluate(qrels, run, ["AP", "nDCG@10", "Judged"], **rules)
    assert (qrels, run) == before
    assert [list(docs) for docs in run.values()] == order
    frame = pd.DataFrame(
        [(q, d, s) for q, docs in run.items() for d, s in docs.items()], columns=["query_id", "doc_id", "score"]
    )
    same = frame.copy(deep=True)
    evaluate(qrels, frame, ["AP", "nDCG@10"], **rules)
    assert frame.equals(same)


def test_12_a_query_may_retrieve_a_document_of_its_own_name() -> None:
    """Nothing is taken out unasked, even where queries are documents too."""
    assert SetP.of(Ranks.from_tables({"d1": {"d1": 2.0, "d2": 1.0}}, {"d1": {"d1": 0, "d2": 1}})).tolist() == [1 / 2]
