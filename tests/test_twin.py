"""The slow twin itself, against numbers computed by hand and against the reference tool."""

import math
import random

import pytest
from cases import in_turn
from twin import Topic, rank
from twin_further import TWINS

approx = pytest.approx
CUTOFFS = (1, 5, 10, 20)
TENTHS = [i / 10 for i in range(11)]


def topic(grades: str, *missed: float, level: float = 1.0) -> Topic:
    """Grades in rank order (`-` is in no qrels, `.` pooled but unjudged), then those of documents not retrieved."""
    marks = grades.split()
    found = {f"d{i}": -1.0 if mark == "." else float(mark) for i, mark in enumerate(marks) if mark != "-"}
    return Topic(tuple(f"d{i}" for i in range(len(marks))), found | {f"m{i}": g for i, g in enumerate(missed)}, level)


def hits_at(*ranks: int, length: int, relevant: int) -> Topic:
    """A list of this length with relevant documents at these ranks, and the others not retrieved."""
    marks = ("1" if i in ranks else "0" for i in range(1, length + 1))
    return topic(" ".join(marks), *[1.0] * (relevant - len(ranks)))


def over_cutoffs(name: str, of: Topic, **params: object) -> list[float | None]:
    """The measure at 1, 2, ... and the end of the list."""
    return [TWINS[name](of, cutoff=k, **params) for k in range(1, len(of.ranking) + 1)]


R1 = hits_at(1, 4, 6, 9, length=10, relevant=8)
G1 = "4 3 4 2 0 0 0 1 1 0"
G4 = topic("0 2 1 3 0 2 0 3 1 3", *[3.0] * 2, *[2.0] * 8)  # 5 documents of grade 3 and 10 of grade 2 exist


def test_ties_go_by_the_bytes_of_the_doc_id() -> None:
    """Tied documents come in falling or rising order of their bytes, or as they came."""
    scores = {"d9": 1.0, "d10": 1.0, "é": 1.0, "a": 2.0}
    assert rank(scores) == ("a", "é", "d9", "d10")
    assert rank(scores, "doc_id_ascending") == ("a", "d10", "d9", "é")
    assert rank(scores, "input_order") == ("a", "d9", "d10", "é")


def test_precision_and_recall_at_each_rank() -> None:
    """R1: four hits in ten ranks, eight relevant documents."""
    assert over_cutoffs("P", R1) == [1 / 1, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 3 / 6, 3 / 7, 3 / 8, 4 / 9, 4 / 10]
    assert over_cutoffs("R", R1) == [1 / 8, 1 / 8, 1 / 8, 2 / 8, 2 / 8, 3 / 8, 3 / 8, 3 / 8, 4 / 8, 4 / 8]
    assert TWINS["Rprec"](R1) == 3 / 8
    assert TWINS["AP"](R1) == approx((1 / 1 + 2 / 4 + 3 / 6 + 4 / 9) / 8) == approx(0.3056, abs=5e-5)


def test_f_is_the_harmonic_mean_of_precision_and_recall() -> None:
    """R1 and S1: precision 4/10 and recall 4/8; beta is not squared by the caller."""
    assert TWINS["F"](R1, cutoff=10) == TWINS["SetF"](R1) == approx(2 / (10 / 4 + 8 / 4)) == approx(0.444, abs=5e-4)
    assert TWINS["SetF"](R1, beta=2) == approx(5 * 0.4 * 0.5 / (4 * 0.4 + 0.5))


def test_interpolated_precision_is_the_best_at_this_recall_or_beyond() -> None:
    """R3: hits at ranks 2, 5 and 8, a fourth relevant document is missed."""
    r3 = hits_at(2, 5, 8, length=10, relevant=4)
    points = [TWINS["IPrec"](r3, recall=r) for r in TENTHS]
    assert points == approx([1 / 2] * 3 + [2 / 5] * 3 + [3 / 8] * 2 + [0] * 3)
    assert TWINS["IPrecMean"](r3) == approx((3 * 0.5 + 3 * 0.4 + 2 * 0.375) / 11)
    assert [(TWINS["R"](r3, cutoff=k), TWINS["P"](r3, cutoff=k)) for k in (2, 5, 8)] == [
        (0.25, 0.50),
        (0.50, 0.40),
        (0.75, 0.375),
    ]


def test_the_curve_of_precision_and_recall() -> None:
    """R10 to R12 and R15: the point nearest to (1, 1), the crossing at rank 8, the best precision from a hit on."""
    assert TWINS["SystemEfficiency"](R1) == approx(1 - math.dist((4 / 9, 4 / 8), (1, 1)) / math.sqrt(2))
    assert TWINS["BreakEven"](R1) == 3 / 8
    assert TWINS["BreakEven"](topic("1 1", 1.0)) is None
    assert TWINS["PrecisionAtRecall"](R1, recall=0.3) == 3 / 6
    assert TWINS["InterpolatedAP"](topic("0 1 1")) == approx((2 / 3 + 2 / 3) / 2)


def test_pairs_of_documents() -> None:
    """R2: 6 + 4 + 3 + 1 of 4 * 6 pairs among the retrieved; in a collection, tied pairs below the list count half."""
    assert TWINS["AUC"](R1, unretrieved="left_out") == 14 / 24
    assert TWINS["AUC"](R1) is None
    five = Topic(("a", "b"), {"a": 1.0, "m": 1.0}, size=5)  # b, x and y are irrelevant
    assert TWINS["AUC"](five) == (3 + 2 / 2) / (2 * 3)
    assert TWINS["AUC"](five, unretrieved="relevant_last") == 3 / (2 * 3)


def test_decisions_about_each_document() -> None:
    """Two of five retrieved, one of them relevant, and one relevant document missed."""
    five = Topic(("a", "b"), {"a": 1.0, "m": 1.0}, size=5)
    assert [TWINS[name](five) for name in ("Accuracy", "ErrorRate")] == [3 / 5, 2 / 5]
    assert [TWINS[name](five) for name in ("Fallout", "Specificity")] == approx([1 / 3, 2 / 3])
    assert TWINS["MCC"](five) == approx((1 * 2 - 1 * 1) / math.sqrt(2 * 2 * 3 * 3))
    assert [TWINS[name](five) for name in ("Jaccard", "ArithmeticMean", "GeometricMean")] == approx(
        [1 / 3, 1 / 2, 1 / 2]
    )
    assert TWINS["Accuracy"](R1) is None


def test_graded_precision() -> None:
    """Grades 1 0 2: the sums behind graded AP, the blended ratios of Q, ERR as a share of its best."""
    graded = topic("1 0 2")
    assert TWINS["gAP"](graded) == approx((1 / 1 + (1 + 2) / 3) / (1 + 2))
    assert TWINS["gAP"](graded, thresholds=((1.0, 1.0), (2.0, 3.0))) == approx((1 / 1 + (1 + 4) / 3) / (1 + 4))
    assert TWINS["Q"](graded) == approx(((1 + 1) / (1 + 2) + (2 + 3) / (3 + 3)) / 2)
    assert TWINS["Q"](graded, cutoff=1) == approx((1 + 1) / (1 + 2))
    got, best = 1 / 4 + 3 / 4 * 3 / 4 / 3, 3 / 4 + 1 / 4 * 1 / 4 / 2
    assert TWINS["nERR"](graded) == approx(got / best)
    assert TWINS["nCG"](graded, cutoff=2) == 1 / 3
    assert TWINS["nCG"](graded, cutoff=2, ideal="scale") == 1 / 4


def test_users_with_a_goal() -> None:
    """One document is wanted and found at once: INSQ reads on with (2/3)^2, INST with (1/2)^2."""
    assert TWINS["INSQ"](topic("1 0"), horizon=2) == approx(1 / (1 + 4 / 9))
    assert TWINS["INST"](topic("1 0"), horizon=2) == approx(1 / (1 + 1 / 4))


def test_the_reference_tool_counts_documents_for_a_recall_point() -> None:
    """Of 3 relevant documents, recall 0.4 asks for 2 (exact), round(1.2) = 1 (version 10), int(2.1) = 2 (version 9)."""
    three = hits_at(2, 6, 7, length=7, relevant=3)
    values = {rule: TWINS["IPrec"](three, recall=0.4, rule=rule) for rule in ("exact", "trec_eval-10", "trec_eval-9")}
    assert values == {"exact": approx(3 / 7), "trec_eval-10": approx(1 / 2), "trec_eval-9": approx(3 / 7)}
    half = hits_at(1, 2, 5, length=5, relevant=5)  # 0.5 * 5 = 2.5 documents, a half goes up to 3
    assert TWINS["IPrec"](half, recall=0.5, rule="trec_eval-10") == approx(3 / 5)


def test_precision_and_recall_with_many_relevant_documents() -> None:
    """R4: seven hits in ten ranks, twenty relevant documents."""
    r4 = hits_at(1, 3, 4, 5, 6, 7, 9, length=10, relevant=20)
    assert over_cutoffs("P", r4) == approx([1, 0.5, 0.67, 0.75, 0.80, 0.83, 0.86, 0.75, 0.78, 0.70], abs=5e-3)
    assert over_cutoffs("R", r4) == approx([0.05, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.30, 0.35, 0.35])


@in_turn(
    ("ranks", "expected"),
    [
        ((1, 3, 4, 5, 6, 7, 9, 11, 14, 20), 0.76),
        ((1, 2, 4, 5, 6, 7, 9, 11, 14, 20), 0.79),
        ((1, 3, 4, 5, 6, 7, 8, 11, 14, 20), 0.77),
        (tuple(range(1, 11)), 1.00),
        (tuple(range(11, 21)), 0.33),
    ],
)
def test_average_precision_rewards_early_ranks(ranks: tuple[int, ...], expected: float) -> None:
    """R5 and R6: a swap at the top of the list changes more than one further down."""
    in_view = sum(found / i for found, i in enumerate(ranks, start=1)) / 10
    assert TWINS["AP"](hits_at(*ranks, length=20, relevant=10)) == approx(in_view) == approx(expected, abs=5e-3)


def test_mean_average_precision() -> None:
    """R7: the mean of two topics with five and four relevant documents."""
    first, second = TWINS["AP"](topic("1 0 1 1 1 0 0 1")), TWINS["AP"](topic("1 0 1 0 1 1 0 0"))
    assert first == approx((1 + 2 / 3 + 3 / 4 + 4 / 5 + 5 / 8) / 5) == approx(0.77, abs=5e-3)
    assert second == approx((1 + 2 / 3 + 3 / 5 + 4 / 6) / 4) == approx(0.7333, abs=5e-5)
    assert sum(value or 0 for value in (first, second)) / 2 == approx(0.75, abs=5e-3)


def test_two_of_the_first_three() -> None:
    """R9: two hits in three ranks, five relevant documents."""
    r9 = hits_at(1, 3, length=3, relevant=5)
    assert (TWINS["P"](r9, cutoff=3), TWINS["R"](r9, cutoff=3)) == (2 / 3, 2 / 5)


def test_reciprocal_rank_is_zero_if_nothing_is_found() -> None:
    """R13: first hits at 1, 2, 4 and nowhere."""
    values = [TWINS["RR"](topic(grades, 1.0)) for grades in ("1 0", "0 1 1", "0 - . 1", "0 0 0")]
    assert values == [1, 1 / 2, 1 / 4, 0]
    assert sum(value or 0 for value in values) / 4 == 0.4375


def test_dcg_with_two_undiscounted_ranks() -> None:
    """G1 to G3: the discount 1/log2(max(i, 2)), whose logarithm of 1 is never asked for."""
    running = [4, 7, 9.52, 10.52, 10.52, 10.52, 10.52, 10.86, 11.17, 11.17]
    assert over_cutoffs("DCG", topic(G1), discount="log2max2") == approx(running, abs=6e-3)
    assert over_cutoffs("DCG", topic(G1), discount="log_b", base=2) == approx(running, abs=6e-3)
    full = 4 + 3 + 4 / math.log2(3) + 2 / math.log2(4) + 1 / math.log2(8) + 1 / math.log2(9)
    assert TWINS["DCG"](topic(G1), discount="log2max2") == approx(full)
    assert TWINS["DCG"](topic("3" + G1[1:]), discount="log2max2") == approx(full - 1) == approx(10.17, abs=5e-3)
    last = 3 / math.log2(10)
    assert TWINS["DCG"](topic(G1[:-1] + "3"), discount="log2max2") == approx(full + last) == approx(12.08, abs=1e-2)


def test_gain_at_each_rank() -> None:
    """G4: cumulated, discounted and as a share of the ideal, which knows the documents that were missed."""
    assert over_cutoffs("CG", G4) == [0, 2, 3, 6, 6, 8, 8, 11, 12, 15]
    dcg = [0, 1.26, 1.76, 3.05, 3.05, 3.77, 3.77, 4.71, 5.01, 5.88]
    ideal = [3.00, 4.89, 6.39, 7.68, 8.85, 9.56, 10.22, 10.86, 11.46, 12.04]
    assert over_cutoffs("DCG", G4) == approx(dcg, abs=6e-3)
    assert over_cutoffs("DCG", topic("3 3 3 3 3 2 2 2 2 2")) == approx(ideal, abs=6e-3)
    ndcg = [0, 0.26, 0.28, 0.40, 0.35, 0.39, 0.37, 0.43, 0.44, 0.49]
    assert over_cutoffs("nDCG", G4) == approx(ndcg, abs=6e-3)
    assert TWINS["P"](G4, cutoff=10) == 7 / 10


def test_ndcg_of_a_list_that_holds_all_judged_documents() -> None:
    """G5: the terms are 3, 2/log2(3), 3/2, 0, 1/log2(6) and 2/log2(7)."""
    g5 = topic("3 2 3 0 1 2")
    dcg = 3 + 2 / math.log2(3) + 3 / 2 + 0 + 1 / math.log2(6) + 2 / math.log2(7)
    best = 3 + 3 / math.log2(3) + 2 / 2 + 2 / math.log2(5) + 1 / math.log2(6)
    assert TWINS["CG"](g5) == 3 + 2 + 3 + 0 + 1 + 2
    assert TWINS["DCG"](g5) == approx(dcg) == approx(6.86, abs=5e-3)
    assert TWINS["DCG"](topic("3 3 2 2 1 0")) == approx(best) == approx(7.14, abs=6e-3)
    assert TWINS["nDCG"](g5) == approx(dcg / best) == approx(0.96, abs=5e-3)


def test_the_ideal_is_a_parameter() -> None:
    """All judged documents cut at k, all of them, or only what was retrieved, cut at k."""
    short = topic("1 0 2 1", 3.0)
    log3 = math.log2(3)
    assert TWINS["nDCG"](short, cutoff=2) == approx(1 / (3 + 2 / log3))
    assert TWINS["nDCG"](short, cutoff=2, ideal="uncut") == approx(1 / (3 + 2 / log3 + 1 / 2 + 1 / math.log2(5)))
    assert TWINS["nDCG"](short, cutoff=2, ideal="retrieved") == approx(1 / (2 + 1 / log3))


def test_gains_and_discounts_are_parameters() -> None:
    """Grades 1, unjudged, 3, 2 under each gain, and under each discount."""
    marks = topic("1 - 3 2", level=2.0)
    gains = {"linear": 1 + 3 + 2, "exp": 1 + 7 + 3, "binary": 0 + 1 + 1}
    assert {gain: TWINS["CG"](marks, gain=gain) for gain in gains} == gains
    assert TWINS["CG"](marks, gain={3.0: 10.0}) == 1 + 10 + 2
    assert TWINS["DCG"](marks, base=4) == approx(1 / (1 / 2) + 3 / 1 + 2 / math.log(5, 4))
    assert TWINS["DCG"](marks, discount="log_b", base=4) == approx(1 + 3 + 2 / 1)
    assert TWINS["DCG"](marks, discount="zipf") == approx(1 + 3 / 3 + 2 / 4)
    assert TWINS["DCG"](marks, discount="none") == 6


def test_expected_reciprocal_rank() -> None:
    """G8: the user is satisfied with probability 7/8 at rank 1, else 0 at rank 2, else 3/8 at rank 3."""
    assert TWINS["ERR"](topic("3 0 2"), max_grade=3) == 7 / 8 + 0 + 1 / 3 * (3 / 8) * (1 / 8) == 0.890625


def test_binary_err_approaches_the_reciprocal_rank() -> None:
    """G9: with (2^g - 1) / 2^g, a high grade satisfies the user almost surely, and later documents do not matter."""
    sure = topic("0 0 50 0 50")
    assert TWINS["ERR"](sure, max_grade=50) == approx(1 / 3) == TWINS["RR"](sure)


def test_rank_biased_precision_and_its_residual() -> None:
    """The user reads ranks 1 to 4 with probabilities 1, 1/2, 1/4, 1/8; ranks 2 and 4 were not judged."""
    read = topic("2 - 1 .")
    assert TWINS["RBP"](read, p=0.5, max_grade=2) == 1 / 2 * (2 / 2 + 1 / 2 * 1 / 4)
    assert TWINS["RBP"](read, p=0.5, max_grade=2, gain="exp") == 1 / 2 * (3 / 4 + 1 / 4 * 1 / 4)
    assert TWINS["RBP"](read, p=0.5, gain="binary", cutoff=2) == 1 / 2
    assert TWINS["RBPResidual"](read, p=0.5) == 1 / 16 + 1 / 2 * (1 / 2 + 1 / 8)
    assert TWINS["RBPResidual"](topic("1 0"), p=0.5) == 1 / 4


def test_short_lists_and_unjudged_documents() -> None:
    """Three documents of which one is judged: a share of the list, and the reference tool's share of k."""
    three = topic("1 - .")
    assert (TWINS["Judged"](three, cutoff=5), TWINS["Unjudged"](three, cutoff=5)) == (1 / 3, 2 / 5)
    assert TWINS["P"](three, cutoff=5) == 1 / 5
    assert TWINS["Yaap"](topic("0 1", 1.0)) == approx(math.log((1 + 1 / 2) / (1 + 2 - 1 / 2)))
    assert TWINS["Utility"](topic("1 0 -", 1.0), a=2, b=-1, c=-3, d=1, collection_size=9) == 2 - 2 - 3 + 5


@in_turn("name", ["R", "F", "RR", "AP", "Rprec", "Bpref", "InfAP", "BinG", "IPrecMean", "nDCG", "RelP"])
def test_without_a_relevant_document_it_is_undefined(name: str) -> None:
    """Nothing is divided by zero, and nothing is passed off as 0."""
    assert TWINS[name](topic("0 - .")) is None


@in_turn("name", ["P", "SetP", "SetF", "SetAP", "SetRelP", "Judged"])
def test_an_empty_list_has_no_precision(name: str) -> None:
    """S2 and S7: with nothing retrieved, precision and what is made of it are undefined."""
    assert TWINS[name](Topic((), {"d1": 1.0})) is None


# The reference tool's name (version 9), and the twin's name and parameters.
REFERENCE: dict[str, tuple[str, dict[str, object]]] = {
    "num_ret": ("NumRet", {}),
    "num_rel": ("NumRel", {}),
    "num_rel_ret": ("NumRelRet", {}),
    "num_nonrel_judged_ret": ("NumNonRelRet", {}),
    "map": ("AP", {}),
    "Rprec": ("Rprec", {}),
    "bpref": ("Bpref", {}),
    "recip_rank": ("RR", {}),
    "infAP": ("InfAP", {}),
    "binG": ("BinG", {}),
    "G": ("G", {}),
    "ndcg": ("nDCG", {}),
    "ndcg_rel": ("nDCGRel", {}),
    "Rndcg": ("Rndcg", {}),
    "utility": ("Utility", {}),
    "11pt_avg": ("IPrecMean", {"rule": "trec_eval-9"}),
    "set_P": ("SetP", {}),
    "set_recall": ("SetR", {}),
    "set_map": ("SetAP", {}),
    "set_relative_P": ("SetRelP", {}),
    "set_F": ("SetF", {"beta": 2.0}),
    **{f"P_{k}": ("P", {"cutoff": k}) for k in CUTOFFS},
    **{f"recall_{k}": ("R", {"cutoff": k}) for k in CUTOFFS},
    **{f"map_cut_{k}": ("AP", {"cutoff": k}) for k in CUTOFFS},
    **{f"ndcg_cut_{k}": ("nDCG", {"cutoff": k}) for k in CUTOFFS},
    **{f"relative_P_{k}": ("RelP", {"cutoff": k}) for k in CUTOFFS},
    **{f"success_{k}": ("Success", {"cutoff": k}) for k in CUTOFFS},
    **{f"iprec_at_recall_{r:.2f}": ("IPrec", {"recall": r, "rule": "trec_eval-9"}) for r in TENTHS},
    **{f"Rprec_mult_{i / 5:.2f}": ("RprecMult", {"factor": i / 5}) for i in range(1, 11)},
}


@pytest.mark.parametrize("level", [1, 2])
def test_the_twin_agrees_with_the_reference_tool(level: int) -> None:
    """On random topics with ties, grades and negative judgments; the reference tool prints 0 where we say undefined."""
    reference = pytest.importorskip("pytrec_eval")
    rng = random.Random(20 + level)
    docs = [f"d{i}" for i in range(40)] + ["é", "D1", "d-1"]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q in (f"q{i}" for i in range(150)):
        grades = rng.choice([(0, 1), (-1, 0, 1, 2, 3), (-2, -1, 0, 0, 2), (0, 0, 0, 5)])
        qrels[q] = {doc: rng.choice(grades) for doc in rng.sample(docs, rng.randint(1, 30))}
        qrels[q][rng.choice(docs)] = rng.choice((0, 1, 2))  # the package crashes if all grades of a topic are negative
        # Quarters of a few values: many ties, and no two scores that single precision cannot tell apart.
        run[q] = {doc: rng.randint(0, 40) / 4 for doc in rng.sample(docs, rng.randint(1, 43))}
    asked = {*REFERENCE, "set_F_4.0"}  # beta squared; the value comes back as set_F
    theirs = reference.RelevanceEvaluator(qrels, asked, relevance_level=level).evaluate(run)
    for q, scores in run.items():
        ours = Topic(rank(scores), {doc: float(grade) for doc, grade in qrels[q].items()}, float(level))
        for printed, (name, params) in REFERENCE.items():
            value = TWINS[name](ours, **params)
            assert (value or 0.0) == approx(theirs[q][printed], abs=1e-9), (q, printed, params)
