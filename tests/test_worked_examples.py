"""The worked examples of the lecture material, each with its arithmetic in view. Ids are those of the collection."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from cases import in_turn

from assay import Confusion, Measure, ParameterError, Ranks, evaluate, parse_measure
from assay.measures import (
    AP,
    AUC,
    CG,
    DCG,
    ERR,
    IDCG,
    MCC,
    RR,
    Accuracy,
    ArithmeticMean,
    BreakEven,
    ErrorRate,
    Fallout,
    GeometricMean,
    InterpolatedAP,
    IPrec,
    IPrecMean,
    Jaccard,
    NumRelRet,
    P,
    PrecisionAtRecall,
    R,
    Rprec,
    SetF,
    SetP,
    SetR,
    Specificity,
    SystemEfficiency,
    nCG,
    nDCG,
)
from assay.measures.summary import Summary

approx = pytest.approx
TENTHS = [i / 10 for i in range(11)]


def hits_at(*ranks: int, length: int, relevant: int) -> Ranks:
    """A list of this length with relevant documents at these ranks; the others are not retrieved."""
    grades = [1 if rank in ranks else 0 for rank in range(1, length + 1)]
    return Ranks.from_grades(grades, judged=[[1] * (relevant - len(ranks))])


def value(measure: Measure, counts: Ranks | Confusion) -> float:
    """The value for the only query."""
    (only,) = measure.of(counts).tolist()
    return float(only)


def at_each_rank(measure: Measure, ranks: Ranks) -> list[float]:
    """The measure at 1, 2, ... and the end of the list."""
    return [value(measure @ k, ranks) for k in range(1, int(ranks.retrieved[0]) + 1)]


def in_collection_of(documents: int, ranks: Ranks) -> Ranks:
    """The same ranking, with the size of the collection known."""
    return replace(ranks, policies=replace(ranks.policies, collection_size=documents))


R1 = hits_at(1, 4, 6, 9, length=10, relevant=8)


# Set retrieval


def test_S1_a_retrieved_set_in_a_large_collection() -> None:
    """Ten of a million documents are retrieved, four of the eight relevant ones among them."""
    confusion = Confusion.from_ranks(R1, collection_size=1_000_000)
    assert (confusion.tp.tolist(), confusion.fp.tolist(), confusion.fn.tolist()) == ([4], [6], [4])
    assert confusion.tn is not None
    assert confusion.tn.tolist() == [1_000_000 - 4 - 6 - 4] == [999_986]
    assert value(SetP, confusion) == 4 / 10
    assert value(SetR, confusion) == 4 / 8
    assert value(ArithmeticMean, confusion) == (4 / 10 + 4 / 8) / 2 == 0.45
    assert value(SetF, confusion) == approx(2 * 0.4 * 0.5 / (0.4 + 0.5)) == approx(0.444, abs=5e-4)
    assert value(Accuracy, confusion) == (4 + 999_986) / 1_000_000 == 0.99999
    assert value(ErrorRate, confusion) == (6 + 4) / 1_000_000 == 0.00001


def test_S1_the_size_of_the_collection_is_a_rule_of_the_evaluation() -> None:
    """Without it nobody can say how many documents were rightly left out, and the reason is given."""
    run = {"q": {f"d{rank}": -float(rank) for rank in range(1, 11)}}
    qrels = {"q": {"d1": 1, "d4": 1, "d6": 1, "d9": 1, "m1": 1, "m2": 1, "m3": 1, "m4": 1}}
    result = evaluate(qrels, run, "Accuracy", collection_size=1_000_000)
    assert result.mean() == (4 + 999_986) / 1_000_000
    assert "|collection_size=1000000|" in result.signatures["Accuracy"]
    without = evaluate(qrels, run, "Accuracy")
    assert without.scores.frame["undefined"].to_list() == [
        "the size of the collection is not known: give collection_size=..."
    ]
    assert "collection_size" not in without.signatures["Accuracy"]
    with pytest.raises(ParameterError, match="collection_size is 13, but a query has 14 documents"):
        evaluate(qrels, run, "Accuracy", collection_size=13)


def test_S2_nothing_retrieved_has_recall_0_and_no_precision() -> None:
    """Precision is 0/0: undefined, with a reason, and not 0."""
    nothing = Confusion.from_table(tp=0, fp=0, fn=8, tn=999_992)
    assert value(SetR, nothing) == 0
    assert math.isnan(value(SetP, nothing))
    assert SetP.per_unit(nothing).reasons() == ["nothing was retrieved"]
    assert value(ErrorRate, nothing) == (0 + 8) / 1_000_000 == 0.000008
    assert MCC.per_unit(nothing).reasons() == ["nothing was retrieved"]


def test_S3_only_one_relevant_document_retrieved() -> None:
    """Precision is perfect and recall an eighth; their harmonic mean stays near the lower one."""
    one = Confusion.from_table(tp=1, fp=0, fn=7)
    assert (value(SetP, one), value(SetR, one)) == (1, 1 / 8)
    assert value(ArithmeticMean, one) == (1 + 1 / 8) / 2 == 0.5625
    assert value(SetF, one) == approx(2 * 1 * 0.125 / (1 + 0.125)) == approx(0.222, abs=5e-4)


def test_S4_everything_retrieved() -> None:
    """Recall is perfect, and the harmonic mean is not fooled by it."""
    everything = Confusion.from_table(tp=8, fp=999_992, fn=0)
    assert (value(SetP, everything), value(SetR, everything)) == (8 / 1_000_000, 1)
    assert value(ArithmeticMean, everything) == (0.000008 + 1) / 2 == approx(0.500004)
    assert value(SetF, everything) == approx(2 * 8 / (8 + 1_000_000)) == approx(0.000016, abs=5e-7)


@in_turn(
    ("retrieved", "found", "expected"), [(14, 7, (0.50, 0.35, 0.41)), (6, 4, (0.67, 0.20, 0.31))], ids=["S5", "S6"]
)
def test_S5_S6_two_systems(retrieved: int, found: int, expected: tuple[float, ...]) -> None:
    """Twenty relevant documents: precision, recall and F1 from three counts."""
    system = Confusion.from_table(tp=found, fp=retrieved - found, fn=20 - found)
    precision, recall = found / retrieved, found / 20
    in_view = (precision, recall, 2 * precision * recall / (precision + recall))
    assert tuple(value(measure, system) for measure in (SetP, SetR, SetF)) == approx(in_view)
    assert in_view == approx(expected, abs=5e-3)


@in_turn(
    ("retrieved", "found", "precision", "recall", "accuracy", "f1"),
    [
        (80, 80, 1, 0.8, 0.83, 0.89),
        (90, 70, 0.78, 0.7, 0.58, 0.74),
        (120, 100, 0.83, 1, 0.83, 0.91),
        (0, 0, math.nan, 0, 0.17, math.nan),
        (50, 50, 1, 0.5, 0.58, 0.67),
    ],
    ids=["M1", "M2", "M3", "M4", "M5"],
)
def test_S7_E6_five_methods(
    retrieved: int, found: int, precision: float, recall: float, accuracy: float, f1: float
) -> None:
    """A corpus of 120 documents, 100 of them relevant. M4 retrieves nothing, which is right for 20: 1/6, not 0.16."""
    method = Confusion.from_table(tp=found, fp=retrieved - found, fn=100 - found, tn=20 - (retrieved - found))
    assert value(SetP, method) == approx(precision, abs=5e-3, nan_ok=True)
    assert value(SetR, method) == approx(recall, abs=5e-3)
    assert value(SetF, method) == approx(f1, abs=5e-3, nan_ok=True)
    left_out = 20 - (retrieved - found)
    assert value(Accuracy, method) == approx((found + left_out) / 120) == approx(accuracy, abs=5e-3)
    assert value(Fallout, method) == (retrieved - found) / 20 == approx(1 - value(Specificity, method))


def test_S8_means_of_precision_and_recall() -> None:
    """Harmonic <= geometric <= arithmetic, and equal only where precision and recall are."""
    for found in range(1, 9):
        for noise in range(10):
            table = Confusion.from_table(tp=found, fp=noise, fn=8 - found)
            means = tuple(value(mean, table) for mean in (parse_measure("HarmonicMean"), GeometricMean, ArithmeticMean))
            precision, recall = found / (found + noise), found / 8
            assert means[0] == approx(2 / (1 / precision + 1 / recall))
            assert means[1:] == approx((math.sqrt(precision * recall), (precision + recall) / 2))
            if noise == 8 - found:
                assert means == approx([value(SetP, table)] * 3)
            else:
                assert means[0] < means[1] < means[2]


def test_S9_a_small_query_weighs_as_much_as_a_large_one_in_the_macro_average_only() -> None:
    """Two queries with 90 hits among 100 results, and one whose single result misses the only relevant document."""
    found = [f"d{number}" for number in range(100)]
    large = {doc: int(number < 90) for number, doc in enumerate(found)}
    qrels = {"a": large, "b": large, "small": {"missed": 1}}
    run = {"a": dict.fromkeys(found, 1.0), "b": dict.fromkeys(found, 1.0), "small": {"wrong": 1.0}}
    micro = ["SetP(average='micro')", "MicroR", "MicroF", "Jaccard(average='micro')"]
    result = evaluate(qrels, run, ["SetP", "SetR", *micro])
    assert result.mean("SetP") == approx((90 / 100 + 90 / 100 + 0 / 1) / 3) == approx(0.60)
    assert result.mean("MicroP") == (90 + 90 + 0) / (100 + 100 + 1) == approx(0.896, abs=5e-4)
    assert result.mean("SetR") == approx((90 / 90 + 90 / 90 + 0 / 1) / 3)
    assert result.mean("MicroR") == (90 + 90 + 0) / (90 + 90 + 1)
    assert result.mean("MicroF") == approx(2 * 180 / (201 + 181))
    assert result.mean("Jaccard(average='micro')") == 180 / (201 + 181 - 180)
    assert str(parse_measure("MicroP")) == "SetP(average='micro')"
    assert result.signatures["SetP(average='micro')"].startswith("SetP|average=micro|rel=1|")


def test_S9_undefined_values_do_not_touch_the_micro_average() -> None:
    """A query that retrieves nothing has no precision, but its counts are zeros like any others."""
    qrels = {"a": {"d": 1}, "b": {"d": 1}}
    run: dict[str, dict[str, float]] = {"a": {"d": 2.0, "e": 1.0}, "b": {}}
    for undefined in ("counted_as", "skip"):
        result = evaluate(qrels, run, ["MicroP", "SetP"], undefined=undefined)
        assert result.summary("MicroP") == Summary(value=(1 + 0) / (2 + 0), units=2, undefined=0)
        assert result.scores.frame["value"].to_list()[:2] == [1 / 2, None]
    assert evaluate(qrels, run, "SetP", undefined="skip").mean() == 1 / 2
    assert evaluate(qrels, run, "SetP").mean() == (1 / 2 + 0) / 2


def test_C1_C8_the_same_measures_serve_other_decisions() -> None:
    """A test for an illness: 20 found, 180 false alarms, 10 missed, 1820 rightly left alone."""
    ill = Confusion.from_table(tp=20, fp=180, fn=10, tn=1820)
    assert (value(SetP, ill), value(SetR, ill)) == approx((20 / 200, 20 / 30))
    assert value(Specificity, ill) == 1820 / 2000 == 0.91
    assert value(Accuracy, ill) == approx((20 + 1820) / 2030) == approx(0.906, abs=5e-4)
    correlation = (20 * 1820 - 180 * 10) / math.sqrt(200 * 30 * 2000 * 1830)
    assert value(MCC, ill) == approx(correlation) == approx(0.2335, abs=5e-5)
    assert value(Jaccard, ill) == 20 / (20 + 180 + 10) == approx(0.0952, abs=5e-5)
    assert value(MCC, Confusion.from_table(tp=3, fp=0, fn=0, tn=7)) == approx(1)
    assert value(MCC, Confusion.from_table(tp=0, fp=3, fn=7, tn=0)) == approx(-1)


# Ranked retrieval, binary


def test_R1_precision_and_recall_at_each_rank() -> None:
    """Four hits in ten ranks, eight relevant documents."""
    assert at_each_rank(P, R1) == approx([1 / 1, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 3 / 6, 3 / 7, 3 / 8, 4 / 9, 4 / 10])
    assert at_each_rank(R, R1) == approx([1 / 8, 1 / 8, 1 / 8, 2 / 8, 2 / 8, 3 / 8, 3 / 8, 3 / 8, 4 / 8, 4 / 8])
    assert value(Rprec, R1) == 3 / 8 == 0.375
    assert value(NumRelRet, R1) == 4


def test_R1_E1_average_precision_adds_up_hits_only() -> None:
    """It is 0.3056; the 0.3524 in print has the precision at rank 8, which holds no hit, among its terms."""
    assert value(AP, R1) == approx((1 / 1 + 2 / 4 + 3 / 6 + 4 / 9) / 8) == approx(0.3056, abs=5e-5)
    assert approx(0.3524, abs=5e-5) == (1 / 1 + 2 / 4 + 3 / 6 + 3 / 8 + 4 / 9) / 8


def test_R1_average_precision_is_the_area_under_the_curve() -> None:
    """The sum of precision times the step in recall is the mean over relevant documents."""
    recalls = [0.0, *at_each_rank(R, R1)]
    area = sum(p * (recalls[k] - recalls[k - 1]) for k, p in enumerate(at_each_rank(P, R1), 1))
    assert value(AP, R1) == approx(area)


def test_R2_area_under_the_roc_curve() -> None:
    """Ten documents, four of them relevant: 14 of the 24 pairs of a relevant and an irrelevant one are in order."""
    true_positive_rate = [found / 4 for found in (0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4)]
    false_positive_rate = [noise / 6 for noise in (0, 0, 1, 2, 2, 3, 3, 4, 5, 5, 6)]
    steps = zip(pairwise(false_positive_rate), pairwise(true_positive_rate), strict=True)
    area = sum((right - left) * (low + high) / 2 for (left, right), (low, high) in steps)
    below = [6 - 0, 6 - 2, 6 - 3, 6 - 5]  # irrelevant documents below each relevant one
    among_ten = value(AUC(unretrieved="left_out"), R1)
    assert among_ten == approx(sum(below) / (4 * 6)) == approx(14 / 24) == approx(area)
    universe = hits_at(1, 4, 6, 9, length=10, relevant=4)
    assert value(AUC, in_collection_of(10, universe)) == approx(14 / 24)


def test_R2_in_the_whole_collection_the_rule_for_what_is_not_retrieved_decides() -> None:
    """Eight relevant documents in a million; the four that were missed stand somewhere in the long rest, or last."""
    ranks = in_collection_of(1_000_000, R1)
    rest = 999_992 - 6
    in_order = 14 + 4 * rest
    assert value(AUC, ranks) == approx((in_order + 4 * rest / 2) / (8 * 999_992)) == approx(0.75, abs=1e-5)
    assert value(AUC(unretrieved="relevant_last"), ranks) == approx(in_order / (8 * 999_992)) == approx(0.5, abs=1e-5)
    assert AUC.per_unit(R1).reasons() == ["the size of the collection is not known: give collection_size=..."]


def test_R3_interpolated_precision() -> None:
    """Hits at 2, 5 and 8, a fourth relevant document is missed: the best precision at each recall or beyond."""
    r3 = hits_at(2, 5, 8, length=10, relevant=4)
    curve = [(value(R @ k, r3), value(P @ k, r3)) for k in (2, 5, 8)]
    assert curve == [(1 / 4, 1 / 2), (2 / 4, 2 / 5), (3 / 4, 3 / 8)] == [(0.25, 0.50), (0.50, 0.40), (0.75, 0.375)]
    points = [value(IPrec @ recall, r3) for recall in TENTHS]
    assert points == approx([0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.375, 0.375, 0, 0, 0])
    assert value(IPrecMean, r3) == approx((3 * 0.5 + 3 * 0.4 + 2 * 0.375) / 11)


def test_R4_precision_and_recall_with_many_relevant_documents() -> None:
    """Seven hits in ten ranks, twenty relevant documents."""
    r4 = hits_at(1, 3, 4, 5, 6, 7, 9, length=10, relevant=20)
    found = [1, 1, 2, 3, 4, 5, 6, 6, 7, 7]
    assert at_each_rank(P, r4) == approx([hits / k for k, hits in enumerate(found, 1)])
    assert at_each_rank(P, r4) == approx([1, 0.5, 0.67, 0.75, 0.80, 0.83, 0.86, 0.75, 0.78, 0.70], abs=5e-3)
    assert at_each_rank(R, r4) == approx([0.05, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.30, 0.35, 0.35])


@in_turn(
    ("ranks", "expected"),
    [
        ((1, 3, 4, 5, 6, 7, 9, 11, 14, 20), 0.76),
        ((1, 2, 4, 5, 6, 7, 9, 11, 14, 20), 0.79),
        ((1, 3, 4, 5, 6, 7, 8, 11, 14, 20), 0.77),
        (tuple(range(1, 11)), 1.00),
        (tuple(range(11, 21)), 0.33),
    ],
    ids=["R5", "R5: 2 and 3 swapped", "R5: 8 and 9 swapped", "R6: on top", "R6: below"],
)
def test_R5_R6_average_precision_rewards_early_ranks(ranks: tuple[int, ...], expected: float) -> None:
    """Ten relevant documents: a swap at the top of the list changes more than one further down."""
    in_view = sum(found / rank for found, rank in enumerate(ranks, 1)) / 10
    assert value(AP, hits_at(*ranks, length=20, relevant=10)) == approx(in_view) == approx(expected, abs=5e-3)


def test_R7_E2_mean_average_precision() -> None:
    """Two queries, each with its own precisions and its own number of relevant documents."""
    run = {query: {f"d{rank}": -float(rank) for rank in range(1, 9)} for query in ("q1", "q2")}
    qrels = {
        "q1": dict(zip(run["q1"], [1, 0, 1, 1, 1, 0, 0, 1], strict=True)),
        "q2": dict(zip(run["q2"], [1, 0, 1, 0, 1, 1, 0, 0], strict=True)),
    }
    result = evaluate(qrels, run, "AP")
    first, second = result.scores.frame["value"].to_list()
    assert first == approx((1 / 1 + 2 / 3 + 3 / 4 + 4 / 5 + 5 / 8) / 5) == approx(0.77, abs=5e-3)
    assert second == approx((1 / 1 + 2 / 3 + 3 / 5 + 4 / 6) / 4) == approx(0.7333, abs=5e-5)
    assert result.mean("MAP") == approx((first + second) / 2) == approx(0.75, abs=5e-3)


def test_R8_E3_interpolation_looks_at_recall_beyond() -> None:
    """A ranking of 630 relevant documents that goes through the points of the curve, and dips between them.

    Recall 0.4 with precision 0.5 is left out: no ranking has it next to the following point, and it is dominated.
    """
    through = [(1, 1), (63, 70), (189, 270), (315, 525), (441, 735), (567, 1134), (630, 6300)]
    assert [found / rank for found, rank in through] == approx([1, 0.9, 0.7, 0.6, 0.6, 0.5, 0.1])
    grades: list[float] = []
    for (before, above), (found, rank) in zip([(0, 0), *through], through, strict=False):
        grades += [0] * (rank - above - (found - before)) + [1] * (found - before)
    curve = Ranks.from_grades(grades)
    expected = [1, 0.9, 0.7, 0.7, 0.6, 0.6, 0.6, 0.6, 0.5, 0.5, 0.1]
    assert [value(IPrec @ recall, curve) for recall in TENTHS] == approx(expected)
    assert value(IPrecMean, curve) == approx(sum(expected) / 11) == approx(0.62, abs=5e-3)


def test_R9_two_of_the_first_three() -> None:
    """Five relevant documents, two of them among the first three."""
    r9 = hits_at(1, 3, length=3, relevant=5)
    assert (value(P @ 3, r9), value(R @ 3, r9)) == approx((2 / 3, 2 / 5))


R5 = hits_at(1, 3, 4, 5, 6, 7, 9, 11, 14, 20, length=20, relevant=10)


def test_R10_system_efficiency() -> None:
    """One minus the smallest distance of the precision-recall curve to (1, 1), as a share of the largest there is."""
    assert value(SystemEfficiency, R1) == approx(1 - math.dist((4 / 9, 4 / 8), (1, 1)) / math.sqrt(2))
    assert value(SystemEfficiency, R1) == approx(0.4715, abs=5e-5)
    assert value(SystemEfficiency, R5) == approx(1 - math.dist((8 / 11, 8 / 10), (1, 1)) / math.sqrt(2))
    assert value(SystemEfficiency, R5) == approx(0.7609, abs=5e-5)
    for ranks in (R1, R5):
        curve = zip(at_each_rank(P, ranks), at_each_rank(R, ranks), strict=True)
        nearest = min(math.dist(point, (1, 1)) for point in curve)
        assert value(SystemEfficiency, ranks) == approx(1 - nearest / math.sqrt(2))
    assert value(SystemEfficiency, Ranks.from_grades([1, 1, 1])) == 1
    assert value(SystemEfficiency, Ranks.from_grades([0, 0], judged=[[1]])) == 0


def test_R11_precision_at_a_recall_threshold() -> None:
    """The second meaning of R-precision: two of ten relevant documents are found at rank 3."""
    assert value(PrecisionAtRecall @ 0.2, R5) == value(parse_measure("PrecisionAtRecall@0.2"), R5) == 2 / 3
    assert value(PrecisionAtRecall @ 0.15, R5) == 2 / 3  # one document is not enough
    assert value(Rprec, R5) == 7 / 10
    assert value(PrecisionAtRecall @ 1, R5) == 10 / 20
    assert value(PrecisionAtRecall @ 0.6, R1) == 0  # never reached


def test_R12_break_even_point() -> None:
    """Precision and recall are both 3/8 at rank 8, which is R-precision."""
    assert value(P @ 8, R1) == value(R @ 8, R1) == 3 / 8
    assert value(BreakEven, R1) == value(Rprec, R1) == 0.375
    short = hits_at(1, 2, length=3, relevant=4)  # 2/3 and 2/4 at the end: the curve stops before they meet
    assert value(Rprec, short) == 2 / 4
    assert BreakEven.per_unit(short).reasons() == [
        "precision and recall never meet: fewer documents were retrieved than are relevant"
    ]


def test_R15_average_precision_from_interpolated_precision() -> None:
    """Each precision is replaced by the largest at that recall or beyond; in R1 they fall, so nothing changes."""
    assert value(InterpolatedAP, R1) == approx((1 + 1 / 2 + 1 / 2 + 4 / 9) / 8)
    late = hits_at(3, 4, 5, length=5, relevant=3)  # 1/3, 2/4, 3/5: the last one counts three times
    assert value(InterpolatedAP, late) == approx((3 / 5 + 3 / 5 + 3 / 5) / 3)
    assert value(AP, late) == approx((1 / 3 + 2 / 4 + 3 / 5) / 3)


def test_R13_mean_reciprocal_rank() -> None:
    """First hits at 1, 2 and 4; a query without a hit counts 0, not nothing."""
    qrels = {query: {"hit": 1} for query in ("q1", "q2", "q3", "q4")}
    misses = [f"d{number}" for number in range(3)]
    found = {"q1": ["hit", *misses], "q2": ["d1", "hit"], "q3": [*misses, "hit"], "q4": misses}
    run = {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in found.items()}
    result = evaluate(qrels, run, "RR")
    assert result.scores.frame["value"].to_list() == [1 / 1, 1 / 2, 1 / 4, 0]
    assert result.mean("MRR") == (1 + 1 / 2 + 1 / 4 + 0) / 4 == 0.4375


# Ranked retrieval, graded

G1 = [4, 3, 4, 2, 0, 0, 0, 1, 1, 0]
G4 = Ranks.from_grades([0, 2, 1, 3, 0, 2, 0, 3, 1, 3], judged=[[3] * 2 + [2] * 8])
undiscounted_to_2 = DCG(discount="log2max2")


def test_G1_dcg_with_two_undiscounted_ranks() -> None:
    """The discount is 1/log2(max(i, 2)): the first two ranks count in full."""
    ranks = Ranks.from_grades(G1)
    discounts = [1 / math.log2(max(i, 2)) for i in range(1, 11)]
    assert discounts == approx([1, 1, 0.63, 0.50, 0.43, 0.39, 0.36, 0.33, 0.32, 0.30], abs=5.5e-3)
    steps = undiscounted_to_2.per_unit(ranks).steps
    assert steps is not None
    assert steps["discount"].tolist() == approx(discounts)
    running = [4, 7, 9.52, 10.52, 10.52, 10.52, 10.52, 10.86, 11.17, 11.17]
    assert at_each_rank(undiscounted_to_2, ranks) == approx(running, abs=5.5e-3)
    full = 4 + 3 + 4 / math.log2(3) + 2 / math.log2(4) + 1 / math.log2(8) + 1 / math.log2(9)
    assert value(undiscounted_to_2, ranks) == approx(full)


def test_G2_one_grade_less_on_top() -> None:
    """At rank 1 a grade counts in full: 11.17 - 1."""
    assert value(undiscounted_to_2, Ranks.from_grades([3, *G1[1:]])) == approx(11.17 - 1, abs=5.5e-3)


def test_G3_three_grades_more_at_the_end() -> None:
    """At rank 10 a grade counts 0.30: 11.17 + 3/log2(10)."""
    last = value(undiscounted_to_2, Ranks.from_grades([*G1[:-1], 3]))
    assert last == approx(11.17 + 3 / math.log2(10), abs=5.5e-3) == approx(12.08, abs=1e-2)


def test_G4_gain_at_each_rank() -> None:
    """Cumulated, as a share of the scale, discounted, ideal, and discounted as a share of the ideal."""
    cumulated = [0, 2, 3, 6, 6, 8, 8, 11, 12, 15]
    assert at_each_rank(CG, G4) == cumulated
    shares = [0, 0.33, 0.33, 0.50, 0.40, 0.44, 0.38, 0.46, 0.44, 0.50]
    assert [gain / (3 * k) for k, gain in enumerate(cumulated, 1)] == approx(shares, abs=5.5e-3)
    # The formula in print lacks the 1/k that its own table uses.
    assert at_each_rank(nCG(ideal="scale"), G4) == approx([gain / (3 * k) for k, gain in enumerate(cumulated, 1)])
    best = [3, 6, 9, 12, 15, 17, 19, 21, 23, 25]  # five documents of grade 3, then those of grade 2
    assert at_each_rank(nCG, G4) == approx([gain / ideal for gain, ideal in zip(cumulated, best, strict=True)])
    dcg = [0, 1.26, 1.76, 3.05, 3.05, 3.77, 3.77, 4.71, 5.01, 5.88]
    ideal = [3.00, 4.89, 6.39, 7.68, 8.85, 9.56, 10.22, 10.86, 11.46, 12.04]
    ndcg = [0, 0.26, 0.28, 0.40, 0.35, 0.39, 0.37, 0.43, 0.44, 0.49]
    assert at_each_rank(DCG, G4) == approx(dcg, abs=5.5e-3)
    assert at_each_rank(IDCG, G4) == approx(ideal, abs=5.5e-3)
    assert at_each_rank(nDCG, G4) == approx(ndcg, abs=5.5e-3)
    assert value(P @ 10, G4) == 7 / 10


def test_G5_E4_ndcg_of_a_list_that_holds_all_judged_documents() -> None:
    """The gain is the grade and the discount 1/log2(i + 1), whatever formula is printed beside the numbers."""
    g5 = Ranks.from_grades([3, 2, 3, 0, 1, 2])
    terms = [3 / 1, 2 / math.log2(3), 3 / 2, 0, 1 / math.log2(6), 2 / math.log2(7)]
    best = [3 / 1, 3 / math.log2(3), 2 / 2, 2 / math.log2(5), 1 / math.log2(6), 0]
    assert value(CG, g5) == 3 + 2 + 3 + 0 + 1 + 2 == 11
    assert terms == approx([3, 1.26, 1.5, 0, 0.39, 0.71], abs=5.5e-3)
    assert value(DCG, g5) == approx(sum(terms)) == approx(6.86, abs=5.5e-3)
    assert value(IDCG, g5) == approx(sum(best)) == approx(7.14, abs=5.5e-3)
    assert value(nDCG, g5) == approx(sum(terms) / sum(best)) == approx(0.96, abs=5e-3)


def test_G6_the_ideal_ranking() -> None:
    """Two documents of grade 4 and one of grade 3 are judged; nothing of it need be retrieved."""
    ranks = Ranks.from_grades([None, None, None], judged=[[4, 3, 4]])
    assert ranks.ideal.grade.tolist() == [4, 4, 3]
    assert at_each_rank(IDCG(discount="none"), ranks) == [4, 4 + 4, 4 + 4 + 3]


def test_G7_gains_and_discounts_are_parameters() -> None:
    """Grades 1 3 2 under both gains, other bases, and ranks below the base undiscounted."""
    ranks = Ranks.from_grades([1, 3, 2])
    exponential = DCG(gain="exp")
    assert value(exponential, ranks) == approx((2**1 - 1) / 1 + (2**3 - 1) / math.log2(3) + (2**2 - 1) / 2)
    assert value(DCG(base=10), ranks) == approx(1 / math.log10(2) + 3 / math.log10(3) + 2 / math.log10(4))
    assert value(DCG(discount="log2max2", base=3), ranks) == approx(1 + 3 + 2 / math.log(3, 3))
    assert value(nDCG(base=10), ranks) == approx(value(nDCG, ranks))  # a base is a factor, and cancels out
    best = (2**3 - 1) / 1 + (2**2 - 1) / math.log2(3) + (2**1 - 1) / 2
    assert value(nDCG(gain="exp"), ranks) == approx(value(exponential, ranks) / best)


def test_G8_E5_expected_reciprocal_rank() -> None:
    """A grade g of at most 3 satisfies with probability (2^g - 1)/2^3, not (2^g - 1)/(2 * 3)."""
    ranks = Ranks.from_grades([3, 0, 2])
    assert value(ERR(max_grade=3), ranks) == approx(7 / 8 + 0 + 1 / 3 * (3 / 8) * (1 / 8)) == approx(0.890625)
    assert value(ERR, ranks) == value(ERR(max_grade=3), ranks)  # the largest grade of the judgments


def test_E5_the_top_of_the_scale_is_that_of_all_judgments() -> None:
    """A query whose best document has grade 1 is measured on the scale of the others."""
    ranks = Ranks.from_grades([1], [3])
    assert ERR.of(ranks).tolist() == approx([(2 - 1) / 2**3, (8 - 1) / 2**3])
    result = evaluate({"a": {"d": 1}, "b": {"d": 3}}, {"a": {"d": 1}, "b": {"d": 1}}, "ERR")
    assert "|max_grade=3|" in result.signatures["ERR"]


@in_turn("grade", [50, 60, 100])
def test_G9_sure_satisfaction_gives_the_reciprocal_rank(grade: float) -> None:
    """Where a relevant document satisfies for certain, nothing below the first one counts."""
    ranks = Ranks.from_grades([0, 0, grade, 0, grade], [grade, 0], [0, grade])
    assert RR.of(ranks).tolist() == approx([1 / 3, 1, 1 / 2])
    assert ERR.of(ranks).tolist() == approx([1 / 3, 1, 1 / 2])
