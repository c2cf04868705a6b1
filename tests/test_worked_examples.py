"""The worked examples of the lecture material, each with its arithmetic in view. Ids are those of the collection."""

from __future__ import annotations

import math

import pytest

from assay import Confusion, Measure, Ranks, evaluate
from assay.measures import (
    AP,
    CG,
    DCG,
    ERR,
    IDCG,
    RR,
    IPrec,
    IPrecMean,
    NumRelRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    nDCG,
)

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
    assert (4 / 10 + 4 / 8) / 2 == 0.45
    assert value(SetF, confusion) == approx(2 * 0.4 * 0.5 / (0.4 + 0.5)) == approx(0.444, abs=5e-4)


def test_S2_nothing_retrieved_has_recall_0_and_no_precision() -> None:
    """Precision is 0/0: undefined, with a reason, and not 0."""
    nothing = Confusion.from_table(tp=0, fp=0, fn=8, tn=999_992)
    assert value(SetR, nothing) == 0
    assert math.isnan(value(SetP, nothing))
    assert SetP.per_unit(nothing).reasons() == ["nothing was retrieved"]


def test_S3_only_one_relevant_document_retrieved() -> None:
    """Precision is perfect and recall an eighth; their harmonic mean stays near the lower one."""
    one = Confusion.from_table(tp=1, fp=0, fn=7)
    assert (value(SetP, one), value(SetR, one)) == (1, 1 / 8)
    assert (1 + 1 / 8) / 2 == 0.5625
    assert value(SetF, one) == approx(2 * 1 * 0.125 / (1 + 0.125)) == approx(0.222, abs=5e-4)


def test_S4_everything_retrieved() -> None:
    """Recall is perfect, and the harmonic mean is not fooled by it."""
    everything = Confusion.from_table(tp=8, fp=999_992, fn=0)
    assert (value(SetP, everything), value(SetR, everything)) == (8 / 1_000_000, 1)
    assert approx(0.500004) == (0.000008 + 1) / 2
    assert value(SetF, everything) == approx(2 * 8 / (8 + 1_000_000)) == approx(0.000016, abs=5e-7)


@pytest.mark.parametrize(
    ("retrieved", "found", "expected"), [(14, 7, (0.50, 0.35, 0.41)), (6, 4, (0.67, 0.20, 0.31))], ids=["S5", "S6"]
)
def test_S5_S6_two_systems(retrieved: int, found: int, expected: tuple[float, ...]) -> None:
    """Twenty relevant documents: precision, recall and F1 from three counts."""
    system = Confusion.from_table(tp=found, fp=retrieved - found, fn=20 - found)
    precision, recall = found / retrieved, found / 20
    in_view = (precision, recall, 2 * precision * recall / (precision + recall))
    assert tuple(value(measure, system) for measure in (SetP, SetR, SetF)) == approx(in_view)
    assert in_view == approx(expected, abs=5e-3)


@pytest.mark.parametrize(
    ("retrieved", "found", "precision", "recall", "f1"),
    [
        (80, 80, 1, 0.8, 0.89),
        (90, 70, 0.78, 0.7, 0.74),
        (120, 100, 0.83, 1, 0.91),
        (0, 0, math.nan, 0, math.nan),
        (50, 50, 1, 0.5, 0.67),
    ],
    ids=["M1", "M2", "M3", "M4", "M5"],
)
def test_S7_five_methods(retrieved: int, found: int, precision: float, recall: float, f1: float) -> None:
    """A corpus of 120 documents, 100 of them relevant; M4 retrieves nothing."""
    method = Confusion.from_table(tp=found, fp=retrieved - found, fn=100 - found, tn=20 - (retrieved - found))
    assert value(SetP, method) == approx(precision, abs=5e-3, nan_ok=True)
    assert value(SetR, method) == approx(recall, abs=5e-3)
    assert value(SetF, method) == approx(f1, abs=5e-3, nan_ok=True)


def test_S8_means_of_precision_and_recall() -> None:
    """Harmonic <= geometric <= arithmetic, and equal only where precision and recall are."""
    for found in range(1, 9):
        for noise in range(10):
            table = Confusion.from_table(tp=found, fp=noise, fn=8 - found)
            means = value(SetF, table), value(SetAP, table) ** 0.5, (value(SetP, table) + value(SetR, table)) / 2
            if noise == 8 - found:
                assert means == approx([value(SetP, table)] * 3)
            else:
                assert means[0] < means[1] < means[2]


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


@pytest.mark.parametrize(
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
    assert [gain / (3 * k) for k, gain in enumerate(at_each_rank(CG, G4), 1)] == approx(shares, abs=5.5e-3)
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


@pytest.mark.parametrize("grade", [50, 60, 100])
def test_G9_sure_satisfaction_gives_the_reciprocal_rank(grade: float) -> None:
    """Where a relevant document satisfies for certain, nothing below the first one counts."""
    ranks = Ranks.from_grades([0, 0, grade, 0, grade], [grade, 0], [0, grade])
    assert RR.of(ranks).tolist() == approx([1 / 3, 1, 1 / 2])
    assert ERR.of(ranks).tolist() == approx([1 / 3, 1, 1 / 2])
