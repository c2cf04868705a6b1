"""Curves: the worked examples with their arithmetic, and agreement with the measures they are made from."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from strategies import Tables, quickly, tables

from assay import InputError, ParameterError, Ranks, evaluate
from assay.measures import IPrec, IPrecMean, P, R
from assay.measures.curve_points import rank_by_rank
from assay.subjects.ranking import curves
from assay.verbs.curves import Curve

approx = pytest.approx
TENTHS = [level / 10 for level in range(11)]


def ranking(*relevant: int, length: int, missed: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and a run of one query: relevant documents at these ranks, and some that are not retrieved."""
    qrels = {f"d{rank}": 1 for rank in relevant} | {f"m{number}": 1 for number in range(missed)}
    return {"q": qrels}, {"q": {f"d{rank}": -rank for rank in range(1, length + 1)}}


R1 = ranking(1, 4, 6, 9, length=10, missed=4)


def column(curve: Curve, name: str, kind: str | None = None) -> list[Any]:
    frame = curve.frame if kind is None else curve.frame.filter(pl.col("curve") == kind)
    return frame[name].to_list()


# Precision and recall


def test_R3_the_sawtooth_and_its_interpolation() -> None:
    """Hits at ranks 2, 5 and 8; a fourth relevant document is not among the ten retrieved."""
    curve = curves.precision_recall(*ranking(2, 5, 8, length=10, missed=1), query="q")
    found = [0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert column(curve, "recall", "every rank") == [hits / 4 for hits in found]
    assert column(curve, "precision", "every rank") == approx([hits / rank for rank, hits in enumerate(found, 1)])
    expected = [1 / 2, 1 / 2, 1 / 2, 2 / 5, 2 / 5, 2 / 5, 3 / 8, 3 / 8, 0, 0, 0]
    assert column(curve, "recall", "interpolated") == TENTHS
    assert column(curve, "precision", "interpolated") == approx(expected)
    assert curve.summary["value"].item() == approx(sum(expected) / 11)


def test_R4_precision_and_recall_at_every_rank() -> None:
    """Seven hits in ten ranks; twenty relevant documents."""
    curve = curves.precision_recall(*ranking(1, 3, 4, 5, 6, 7, 9, length=10, missed=13), query="q", interpolated=False)
    rounded = [1, 0.5, 0.67, 0.75, 0.80, 0.83, 0.86, 0.75, 0.78, 0.70]
    assert column(curve, "precision") == approx(rounded, abs=5e-3)
    assert column(curve, "recall") == approx([0.05, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.30, 0.35, 0.35])
    assert column(curve, "rank") == list(range(1, 11))


def test_R8_E3_interpolation_takes_the_largest_precision_at_this_recall_or_beyond() -> None:
    """630 relevant documents, through (found, rank) with precision 1, .9, .7, .6, .6, .5, .1; E3: not `up to`."""
    through = [(1, 1), (63, 70), (189, 270), (315, 525), (441, 735), (567, 1134), (630, 6300)]
    relevant = [
        rank - back
        for (before, _), (found, rank) in zip([(0, 0), *through], through, strict=False)
        for back in range(found - before)
    ]
    curve = curves.precision_recall(*ranking(*relevant, length=6300))
    expected = [1, 0.9, 0.7, 0.7, 0.6, 0.6, 0.6, 0.6, 0.5, 0.5, 0.1]
    assert column(curve, "precision") == approx(expected)
    assert curve.summary["value"].item() == approx(sum(expected) / 11) == approx(0.62, abs=5e-3)
    falling = column(curve, "precision")
    assert falling == sorted(falling, reverse=True)


@quickly
@given(tables())
def test_the_averaged_curve_is_the_mean_of_interpolated_precision(given_tables: Tables) -> None:
    qrels, run = given_tables
    curve = curves.precision_recall(qrels, run)
    result = evaluate(qrels, run, [IPrec @ level for level in TENTHS] + [IPrecMean])
    *precision, mean = result.to_frame().row(0)[1:]
    assert column(curve, "precision") == precision
    assert curve.summary["value"].item() == mean
    if mean is None:  # no topic has a relevant document
        assert set(precision) == {None}
    else:
        assert np.mean(column(curve, "precision")) == approx(mean)


@quickly
@given(tables())
@pytest.mark.parametrize("ties", ["doc_id_descending", "expected"])
def test_every_rank_has_the_precision_and_recall_of_the_measures(ties: str, given_tables: Tables) -> None:
    qrels, run = given_tables
    ranks = Ranks.from_tables(run, qrels, ties=ties)  # type: ignore[arg-type]
    for query in range(len(ranks.queries)):
        counted = rank_by_rank(ranks, query)
        for rank in range(1, int(ranks.retrieved[query]) + 1):
            assert counted.precision[rank - 1] == approx((P @ rank).of(ranks)[query])
            assert counted.recall[rank - 1] == approx((R @ rank).of(ranks)[query], nan_ok=True)


@in_turn("compat", ["trec_eval-9", "trec_eval-10"])
def test_a_profile_brings_its_rounding_of_recall_levels(compat: Any) -> None:
    """Of 4 relevant documents 0.26 are 1.04: exactly that takes 2, rounded it takes 1."""
    qrels, run = ranking(2, 5, 8, length=10, missed=1)
    hundredths = [level / 100 for level in range(101)]
    expected = [evaluate(qrels, run, IPrec @ level, compat=compat).mean() for level in hundredths]
    assert column(curves.precision_recall(qrels, run, levels=101, compat=compat), "precision") == expected
    assert column(curves.precision_recall(qrels, run, levels=101, rule=compat), "precision") == expected
    exact = column(curves.precision_recall(qrels, run, levels=101), "precision")
    assert (exact[26], expected[26]) == (2 / 5, 1 / 2)


def test_a_topic_without_relevant_documents_counts_as_0_or_is_left_out_and_is_counted() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    counted, skipped = curves.precision_recall(qrels, run), curves.precision_recall(qrels, run, undefined="skip")
    assert set(column(counted, "precision")) == {(1 + 0) / 2}
    assert set(column(skipped, "precision")) == {1.0}
    assert counted.summary.select("queries", "undefined").row(0) == (2, 1)
    assert skipped.summary.select("queries", "undefined").row(0) == (1, 1)
    assert counted.warnings == ("run: IPrecMean is undefined for 1 topic, counted as 0",)
    assert skipped.warnings == ("run: IPrecMean is undefined for 1 topic, left out",)
    with pytest.raises(InputError, match="undefined for 1 of 2"):
        curves.precision_recall(qrels, run, undefined="error")


def test_an_average_is_always_interpolated() -> None:
    with pytest.raises(ParameterError, match="choose one query"):
        curves.precision_recall(*R1, interpolated=False)


@in_turn("levels", [1, 0, -3, 2.5, True, 1002])
def test_levels_are_at_least_two_and_not_too_many(levels: Any) -> None:
    with pytest.raises(ParameterError, match="levels is a whole number from 2 to 1001"):
        curves.precision_recall(*R1, levels=levels)


def test_an_unknown_query_gets_a_suggestion() -> None:
    for draw in (curves.precision_recall, curves.roc, curves.by_cutoff):
        with pytest.raises(ParameterError, match="no topic of the judgments is called 'topic2'; did you mean topic1"):
            draw({"topic1": {"a": 1}}, {"topic1": {"a": 1.0}}, query="topic2")


def test_a_query_that_the_run_lacks_is_said() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    curve = curves.precision_recall(qrels, {"q1": {"a": 1.0}}, query="q2")
    assert column(curve, "precision", "every rank") == []
    assert set(column(curve, "precision", "interpolated")) == {0.0}
    assert "run: nothing was retrieved for topic q2" in curve.warnings


# ROC


def test_R2_the_roc_curve_of_ten_documents() -> None:
    """Ten documents are the universe: 4 relevant, 6 not; 14 of the 24 pairs are in order."""
    curve = curves.roc(*R1, query="q")
    assert column(curve, "true_positive_rate") == [0, *(found / 4 for found in (1, 1, 1, 2, 2, 3, 3, 3, 4, 4))]
    assert column(curve, "false_positive_rate") == [0, *(passed / 6 for passed in (0, 1, 2, 2, 3, 3, 4, 5, 5, 6))]
    assert curve.summary["value"].item() == approx(14 / 24)
    assert curve.warnings == ()


def test_R2_in_the_whole_collection_the_curve_is_trivial_and_a_warning_says_so() -> None:
    """1,000,000 documents, 8 relevant: the false positive rate is k / 999,992."""
    curve = curves.roc(*R1, query="q", collection_size=1_000_000)
    *listed, last = column(curve, "false_positive_rate")
    assert listed == approx([0, *(passed / 999_992 for passed in (0, 1, 2, 2, 3, 3, 4, 5, 5, 6))])
    assert last == 1  # the rest follows in random order: a straight line to the corner
    assert column(curve, "true_positive_rate")[-2:] == [4 / 8, 1]
    (warning,) = curve.warnings
    assert "trivial" in warning
    assert "1,000,000 documents" in warning
    assert "precision-recall curve tells more" in warning


def test_what_is_assumed_of_documents_not_retrieved_is_a_rule() -> None:
    ends = {
        rule: curves.roc(*R1, query="q", collection_size=100, unretrieved=rule)
        for rule in ("random_order", "relevant_last")
    }
    points = {
        rule: curve.frame.select("false_positive_rate", "true_positive_rate").rows()[11:]
        for rule, curve in ends.items()
    }
    assert points == {"random_order": [(1.0, 1.0)], "relevant_last": [(1.0, 4 / 8), (1.0, 1.0)]}
    # 92 irrelevant documents, 86 of them not retrieved: each of 4 hits is above them, each of 4 missed half or not.
    in_list = 6 * 4 - (0 + 2 + 3 + 5)
    assert ends["random_order"].summary["value"].item() == approx((in_list + 4 * 86 + 4 * 86 / 2) / (8 * 92))
    assert ends["relevant_last"].summary["value"].item() == approx((in_list + 4 * 86) / (8 * 92))


@in_turn(
    ("options", "message"),
    [
        ({"unretrieved": "left_out", "collection_size": 100}, "leave collection_size out"),
        ({"unretrieved": "relevant_last"}, "give collection_size"),
        ({"unretrieved": "ignored"}, "unretrieved is one of"),
        ({"collection_size": 10}, "collection_size is 10, but a query has 14 documents"),
    ],
)
def test_the_rule_and_the_collection_have_to_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        curves.roc(*R1, **options)


def area(curve: Curve) -> float:
    return float(np.trapezoid(column(curve, "true_positive_rate"), column(curve, "false_positive_rate")))


@quickly
@given(tables())
def test_the_area_below_is_the_share_of_pairs_in_order(given_tables: Tables) -> None:
    """Counted one by one: a relevant document above an irrelevant one; equal scores count half."""
    qrels, run = given_tables
    shares = []
    for query, judged in qrels.items():
        rows = run.get(query, {}).items()
        good = [score for doc, score in rows if judged.get(doc, 0) >= 1]
        bad = [score for doc, score in rows if judged.get(doc, 0) < 1]
        pairs = [1.0 if high > low else 0.5 if high == low else 0.0 for high, low in product(good, bad)]
        if pairs:
            shares.append(sum(pairs) / len(pairs))
            assert area(curves.roc(qrels, run, query=query, ties="expected")) == approx(shares[-1])
    if shares:
        assert curves.roc(qrels, run, ties="expected").summary["value"].item() == approx(np.mean(shares))


def test_roc_agrees_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is optional, and not installed")
    rng = np.random.default_rng(1)
    truth, scores = rng.integers(0, 2, 60), rng.integers(0, 12, 60)  # with many ties
    qrels = {"q": {f"d{number}": int(grade) for number, grade in enumerate(truth)}}
    run = {"q": {f"d{number}": float(score) for number, score in enumerate(scores)}}
    curve = curves.roc(qrels, run, query="q", ties="expected")
    assert curve.summary["value"].item() == approx(metrics.roc_auc_score(truth, scores))


def test_a_topic_without_a_roc_curve_is_left_out_and_counted() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
    curve = curves.roc(qrels, run)
    assert curve.summary.row(0)[2:] == (0.0, 1, 1)
    assert curve.warnings == ("run: no ROC curve for 1 topic (no irrelevant document was retrieved), left out",)
    counted = curves.roc(qrels, run, undefined="counted_as")
    assert max(column(counted, "true_positive_rate")) == (1 + 0) / 2
    with pytest.raises(InputError, match="no irrelevant document was retrieved"):
        curves.roc(qrels, run, undefined="error")


@in_turn("options", [{}, {"collection_size": 100, "unretrieved": "relevant_last"}])
def test_no_roc_curve_where_the_depth_leaves_open_which_tied_documents_are_retrieved(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="which tied documents the depth leaves in is open"):
        curves.roc(*R1, ties="expected", depth=3, **options)


def test_in_random_order_the_area_below_the_curve_is_its_auc_also_where_the_depth_cuts_a_tie() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}}
    run = {"q": {"a": 3, "b": 2, "c": 2, "d": 2, "e": 2}}
    curve = curves.roc(qrels, run, query="q", ties="expected", depth=3, collection_size=6, samples=4000)
    assert area(curve) == approx(curve.summary["value"].item(), abs=0.01)


def test_a_roc_curve_whose_documents_are_all_retrieved_is_not_called_trivial() -> None:
    curve = curves.roc({"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 1}}, collection_size=2)
    assert curve.warnings == ()


def test_where_there_is_no_roc_curve_it_is_not_called_trivial() -> None:
    curve = curves.roc({"q": {"a": 0}}, {"q": {"a": 1.0}}, collection_size=1_000_000)
    assert "run: no ROC curve for 1 topic (no relevant document), left out" in curve.warnings
    assert not any("trivial" in warning for warning in curve.warnings)


# Other curves


def test_a_measure_by_its_cutoff_is_the_measure_at_each_cutoff() -> None:
    qrels, run = R1
    curve = curves.by_cutoff(qrels, run, "P")
    assert (curve.subtitle, curves.by_cutoff(qrels, run, "NumRelRet").subtitle) == (
        "mean over 1 topic",
        "sum over 1 topic",
    )
    found = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 7: 3, 10: 4}
    assert dict(curve.frame.select("cutoff", "value").rows()) == approx({k: hits / k for k, hits in found.items()})
    assert column(curves.by_cutoff(qrels, run, P, [3, 9], query="q"), "value") == approx([1 / 3, 4 / 9])
    assert curve.summary["measure"].item() == "P@10"


@in_turn("measure", ["P@5", "Rprec", "IPrec"])
def test_only_a_measure_that_takes_a_cutoff_has_one_to_go_through(measure: str) -> None:
    with pytest.raises(ParameterError, match="choose a measure that takes a cut-off"):
        curves.by_cutoff(*R1, measure=measure)


@in_turn("measure", ["Unjudged", "nCG(ideal='scale')"])
def test_a_measure_that_always_has_a_cutoff_can_be_drawn(measure: str) -> None:
    curve = curves.by_cutoff(*R1, measure=measure)
    assert curve.title == f"{measure} by cut-off"
    for cutoff, value in curve.frame.select("cutoff", "value").rows():
        assert value == evaluate(*R1, f"{measure}@{cutoff}").mean()


@in_turn("measure", ["ERR_IA", "alpha_DCG"])
def test_a_measure_of_diversity_can_be_drawn_by_cutoff(measure: str) -> None:
    qrels = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, 1], "judge": ["1", "2"]})
    curve = curves.by_cutoff(qrels, {"q": {"a": 2.0, "b": 1.0}}, measure, [1, 2], subtopics=True)
    assert curve.title == f"{measure} by cut-off"
    assert curve.frame["value"].is_not_null().all()


def test_cutoffs_are_numbers_in_any_collection() -> None:
    assert column(curves.by_cutoff(*R1, "P", np.array([3, 9])), "cutoff") == [3, 9]
    with pytest.raises(ParameterError, match="there is no cut-off to look at"):
        curves.by_cutoff(*R1, "P", [])
    with pytest.raises(ParameterError, match="cutoffs is a list of whole numbers"):
        curves.by_cutoff(*R1, "P", 10)  # type: ignore[arg-type]


QRELS = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
OLD = {query: {"b": 2.0, "a": 1.0} for query in QRELS}
NEW = {"q1": {"a": 2.0}, "q2": {"c": 3.0, "b": 2.0, "a": 1.0}, "q3": {"a": 1.0}}


def test_per_query_keeps_undefined_values_apart() -> None:
    curve = curves.per_query(evaluate(QRELS, {"old": OLD}, "RR"))
    assert curve.frame.rows() == [
        ("old", "q1", 0.5, None),
        ("old", "q2", 0.5, None),
        ("old", "q3", None, "no relevant document"),
    ]
    assert curve.warnings == ("old: RR is undefined for 1 topic, counted as 0",)


def test_a_warning_says_what_an_undefined_value_was_counted_as() -> None:
    curve = curves.per_query(evaluate(QRELS, {"old": OLD}, "GMAP(floor=0.001)"))
    assert curve.warnings == ("old: GMAP(floor=0.001) is undefined for 1 topic, counted as 0.001",)


@in_turn(
    ("draw", "measure", "reason"),
    [
        (curves.precision_recall, "IPrecMean", "no relevant document"),
        (curves.by_cutoff, "nDCG@2", "no judged document has a gain"),
        (curves.roc, "AUC(unretrieved='left_out')", "no relevant document was retrieved"),
    ],
)
def test_of_one_topic_without_a_value_the_reason_is_said(draw: Any, measure: str, reason: str) -> None:
    curve = draw(QRELS, {"old": OLD}, query="q3")
    assert curve.subtitle == f"topic q3: NA, {reason}"
    assert curve.warnings == (f"old: {measure} is undefined for topic q3 ({reason}): NA",)


def test_where_less_is_better_the_largest_gain_is_below_zero_and_comes_first() -> None:
    curve = curves.differences(evaluate(QRELS, {"old": OLD, "new": NEW}, "ErrorRate", collection_size=10))
    assert column(curve, "difference") == sorted(column(curve, "difference"))
    assert "better on 2, worse on 1" in curve.subtitle  # new misses less of q1 and q3, and takes in one more for q2


def test_long_names_are_shortened_in_titles() -> None:
    curve = curves.differences(evaluate(QRELS, {"o" * 200: OLD, "n" * 200: NEW}, "RR"))
    assert curve.title == f"RR: {'n' * 30}…{'n' * 29} minus {'o' * 30}…{'o' * 29}"


def test_differences_are_sorted_and_count_who_wins() -> None:
    curve = curves.differences(evaluate(QRELS, {"old": OLD, "new": NEW}, "RR"))
    expected = [("q1", 1 / 2, 1.0, 1 - 1 / 2), ("q3", 0.0, 0.0, 0.0), ("q2", 1 / 2, 1 / 3, 1 / 3 - 1 / 2)]
    assert curve.frame.rows() == expected
    assert curve.title == "RR: new minus old"
    assert curve.subtitle == "3 topics: better on 1, worse on 1, the same on 1"
    skipped = curves.differences(evaluate(QRELS, {"old": OLD, "new": NEW}, "RR", undefined="skip"))
    assert column(skipped, "query_id") == ["q1", "q2"]
    assert "1 topic without a value of both systems: left out" in skipped.warnings


def test_a_difference_is_between_two_systems() -> None:
    one = evaluate(QRELS, {"old": OLD}, "RR")
    three = evaluate(QRELS, {"old": OLD, "new": NEW, "newer": NEW}, "RR")
    with pytest.raises(ParameterError, match="choose two; there are old"):
        curves.differences(one)
    with pytest.raises(ParameterError, match="choose two; there are old, new, newer"):
        curves.differences(three)
    with pytest.raises(ParameterError, match="did you mean new"):
        curves.differences(three, "RR", "old", "nwe")
    with pytest.raises(ParameterError, match="and itself"):
        curves.differences(three, "RR", "old", "old")
    assert curves.differences(three, "RR", "newer", "old").title == "RR: old minus newer"


def test_points_as_csv_json_and_markdown() -> None:
    curve = curves.by_cutoff(QRELS, {"a|b": OLD}, "RR", [1, 2])
    value = (1 / 2 + 1 / 2 + 0) / 3
    assert curve.to_csv() == f"system,query_id,cutoff,value\na|b,,1,0.0\na|b,,2,{value}\n"
    assert curve.to_markdown().splitlines()[2:] == ["| a\\|b | NA | 1 | 0.0000 |", "| a\\|b | NA | 2 | 0.3333 |"]
    told = json.loads(curve.to_json())["sections"]["curve"]
    assert told["name"] == "cutoff"
    assert told["points"][1] == {"system": "a|b", "query_id": None, "cutoff": 2, "value": value}
    assert told["summary"][0]["undefined"] == 1
    assert curve.to_frame() is curve.frame
    assert repr(curve) == "<Curve: RR by cut-off, mean over 3 topics; 2 points; 1 warning>"
