"""Measures of diversity against a slow twin, against the tool that defined them, and by hand."""

from __future__ import annotations

import io
import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given
from hypothesis import strategies as st
from shared_data import shared
from strategies import quickly
from variants import EXACT, fill, same, variants

from assay import InputError, Measure, ParameterError, Qrels, Ranks, evaluate, parse_measure, read_qrels
from assay.measures import ERR_IA, StRecall, alpha_DCG, alpha_nDCG, nDCG, nERR_IA, registered
from assay.measures.counting import Judgments

NO_SUBTOPICS = "there are no judgments of subtopics: subtopics=True says that column 2 of the judgments names them"

Row: TypeAlias = tuple[str, str, str, float]  # query, subtopic, document, grade
Run: TypeAlias = dict[str, dict[str, float]]

MEASURES = tuple(measure for measure in registered().values() if measure.definition.subtopics)
DOC_IDS = ("d1", "d10", "d2", "D1", "é", "ß", "日本", "𝔡", "ﬀ", "001", "1", "NA")
each_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)
approx = pytest.approx


@dataclass(frozen=True, eq=False)
class Diverse:
    """Judgments by subtopic, and a run."""

    rows: list[Row]
    run: Run

    @property
    def queries(self) -> list[str]:
        return list(dict.fromkeys(row[0] for row in self.rows))

    def frame(self) -> pl.DataFrame:
        schema = {"query_id": pl.String, "judge": pl.String, "doc_id": pl.String, "relevance": pl.Float64}
        return pl.DataFrame(self.rows, schema, orient="row")

    def ranks(self, **rules: Any) -> Ranks:
        return counted(self, **rules)


@cache
def counted(data: Diverse, **rules: Any) -> Ranks:
    """What measures are computed from: counted once, as all of them take the same."""
    return Ranks.from_tables(data.run, data.frame(), subtopics=True, **rules)


@cache
def random_data(seed: int, topics: int = 12, whole: bool = True) -> Diverse:
    """Topics with one subtopic or several, some never relevant; graded, negative and missing judgments; ties."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    run: Run = {}
    for number in range(topics):
        query = f"q{number}"
        subtopics = [f"{letter}" for letter in "äbcdef"[: int(rng.integers(1, 7))]]
        grades = [-2, -1, 0, 0, 0, 1, 2, 3] if number % 5 else [-1, 0]
        for doc in rng.permutation(DOC_IDS)[: int(rng.integers(1, 11))].tolist():
            judged = [subtopic for subtopic in subtopics if rng.random() < 0.7] or subtopics[:1]
            rows += [(query, s, doc, float(rng.choice(grades) + (0 if whole else 0.5))) for s in judged]
        found = rng.permutation(DOC_IDS)[: int(rng.integers(1, 12))].tolist()
        run[query] = {doc: float(rng.integers(0, 5)) for doc in found}
    del run["q3"]
    run["nobody judged this"] = {"d1": 1.0}
    return Diverse(rows, run)


@st.composite
def diverse(draw: st.DrawFn) -> Diverse:
    """Small tables of one or two topics."""
    grades = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.0, 2.0])
    pairs = st.tuples(st.sampled_from("abcd"), st.sampled_from(DOC_IDS))
    rows: list[Row] = []
    run: Run = {}
    for query in ("q1", "q2")[: draw(st.integers(1, 2))]:
        judged = draw(st.dictionaries(pairs, grades, min_size=1, max_size=12))
        rows += [(query, subtopic, doc, grade) for (subtopic, doc), grade in judged.items()]
        run[query] = draw(st.dictionaries(st.sampled_from(DOC_IDS), st.integers(0, 3).map(float), min_size=1))
    return Diverse(rows, run)


# The slow twin: sets of subtopics in plain loops, one query at a time.


class Topic(NamedTuple):
    """A ranking, and for each judged document the subtopics that it is relevant to."""

    ranking: list[str]
    about: dict[str, set[str]]


def topic_of(data: Diverse, query: str, level: float = 1.0) -> Topic:
    about: dict[str, set[str]] = {doc: set() for of, _, doc, _ in data.rows if of == query}
    for of, subtopic, doc, grade in data.rows:
        if of == query and grade >= max(level, 0):
            about[doc].add(subtopic)
    scores = data.run.get(query, {})
    by_id = sorted(scores, key=str.encode, reverse=True)
    return Topic(sorted(by_id, key=lambda doc: -scores[doc]), about)


def novelties(topic: Topic, ranking: list[str], alpha: float) -> list[float]:
    seen: Counter[str] = Counter()
    gains = []
    for doc in ranking:
        about = topic.about.get(doc, set())
        gains.append(math.fsum((1 - alpha) ** seen[subtopic] for subtopic in about))
        seen.update(about)
    return gains


def greedy(topic: Topic, alpha: float) -> list[str]:
    ranking: list[str] = []
    while left := [doc for doc in topic.about if doc not in ranking]:
        gain = {doc: round(novelties(topic, [*ranking, doc], alpha)[-1], 12) for doc in left}
        ranking.append(max(left, key=lambda doc: (gain[doc], doc.encode())))
    return ranking


def subtopics_of(topic: Topic) -> set[str]:
    return set().union(*topic.about.values())


def summed(gains: list[float], cutoff: int | None, discount: Callable[[int], float]) -> float:
    return sum(gain * discount(rank) for rank, gain in enumerate(gains[:cutoff], 1))


DISCOUNTS: dict[str, Callable[[int], float]] = {
    "DCG": lambda rank: 1 / math.log2(rank + 1),
    "ERR": lambda rank: 1 / rank,
}


def slowly(measure: Measure, topic: Topic) -> float:
    """The twin's value; NaN where it is undefined."""
    cutoff, alpha = measure.parameters["cutoff"], measure.parameters.get("alpha", 1.0)
    there = subtopics_of(topic)
    if not there:
        return math.nan
    if measure.name == "StRecall":
        return len(set().union(*(topic.about.get(doc, set()) for doc in topic.ranking[:cutoff]))) / len(there)
    discount = DISCOUNTS["ERR" if "ERR" in measure.name else "DCG"]
    if measure.name in {"alpha_nDCG", "nERR_IA"}:
        best = novelties(topic, greedy(topic, alpha), alpha)
    else:
        best = [len(there) * (1 - alpha) ** above for above in range(cutoff)]
    return summed(novelties(topic, topic.ranking, alpha), cutoff, discount) / summed(best, cutoff, discount)


def check_against_twin(measure: Measure, data: Diverse) -> None:
    ranks, level = data.ranks(), measure.parameters["rel"]
    wanted = [slowly(measure, topic_of(data, query, 1.0 if level is None else level)) for query in ranks.queries]
    assert same(measure.of(ranks), wanted), str(measure)


@pytest.mark.parametrize("seed", range(3))
@each_measure
def test_agrees_with_the_slow_twin(measure: Measure, seed: int) -> None:
    data = random_data(seed, whole=seed % 2 == 0)
    for variant in variants(measure):
        check_against_twin(variant, data)


@quickly
@given(diverse(), st.data())
def test_agrees_with_the_slow_twin_on_anything(data: Diverse, draw: st.DataObject) -> None:
    for measure in MEASURES:
        check_against_twin(draw.draw(st.sampled_from(variants(measure))), data)


# The tool that defined them, where it is installed.


def ndeval(data: Diverse, measure: Measure, alpha: float, level: int = 1) -> dict[str, float]:
    """Values by query from pyndeval, called through ir_measures."""
    package = pytest.importorskip("ir_measures")
    pytest.importorskip("pyndeval", reason="pyndeval, which computes ndeval's measures, is not installed")
    theirs = package.parse_measure(str(measure))(rel=level)
    theirs = theirs if alpha == 0.5 else theirs(alpha=alpha)
    judged = [package.Qrel(query, doc, int(grade), subtopic) for query, subtopic, doc, grade in data.rows]
    found = [package.ScoredDoc(query, doc, score) for query, docs in data.run.items() for doc, score in docs.items()]
    return {result.query_id: result.value for result in package.pyndeval.iter_calc([theirs], judged, found)}


def check_against_ndeval(data: Diverse, measure: Measure, alpha: float = 0.5, level: int = 1) -> None:
    theirs = ndeval(data, measure, alpha, level)
    assert set(theirs) >= set(data.run) & set(data.queries)
    ours = measure(alpha=alpha) if "alpha" in measure.parameters else measure
    # It breaks ties of a run by rising id.
    ranks = data.ranks(ties="doc_id_ascending", relevance_level=level)
    for query, value in zip(ranks.queries, np.nan_to_num(ours.of(ranks)).tolist(), strict=True):
        if query in data.run:
            assert value == approx(theirs[query], abs=EXACT), (str(ours), query)


@pytest.mark.parametrize("level", [1, 2])
@each_measure
def test_agrees_with_ndeval(measure: Measure, level: int) -> None:
    """Its cut-offs go to 20; at 1 it does not divide two of the measures by their bound."""
    lowest = 2 if measure in {alpha_DCG, ERR_IA} else 1
    for cutoff in (lowest, 3, 5, 20):
        check_against_ndeval(random_data(11), measure @ cutoff, level=level)


@in_turn("alpha", [0.0, 0.25, 0.9])
@in_turn("measure", [alpha_DCG, alpha_nDCG], ids=str)
def test_agrees_with_ndeval_on_redundancy(measure: Measure, alpha: float) -> None:
    for cutoff in (2, 5, 20):
        check_against_ndeval(random_data(12), measure @ cutoff, alpha)


@in_turn("measure", [alpha_DCG @ 1, ERR_IA @ 1], ids=str)
def test_ndeval_does_not_divide_at_the_first_rank(measure: Measure) -> None:
    """So its value there is the number of subtopics that the first document covers, and can be above 1."""
    data = Diverse([("q", "a", "d1", 1), ("q", "b", "d1", 1), ("q", "c", "d2", 1)], {"q": {"d1": 1.0}})
    assert ndeval(data, measure, 0.5) == {"q": 2.0}
    assert measure.of(data.ranks()) == approx([2 / 3])


@pytest.fixture(scope="module")
def web_track() -> Diverse:
    """Real judgments of 50 topics, and a run of the relevant documents and some others, shuffled."""
    qrels = read_qrels(shared("qrels", "qrels.web.201-250.ndeval.txt.gz"), subtopics=True)
    rows = qrels.frame.select("query_id", "judge", "doc_id", "relevance").rows()
    rng = np.random.default_rng(0)
    best = qrels.frame.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("relevance").max())
    run: Run = {}
    for query, doc, grade in best.rows():
        if grade > 0 or rng.random() < 0.3:
            run.setdefault(query, {})[doc] = float(rng.random())
    return Diverse(rows, run)


@each_measure
def test_agrees_with_ndeval_on_real_judgments(measure: Measure, web_track: Diverse) -> None:
    for cutoff in (5, 20):
        check_against_ndeval(web_track, measure @ cutoff)


def test_real_judgments_are_counted_once_a_document(web_track: Diverse) -> None:
    ranks = web_track.ranks()
    assert len(ranks.ideal.document) == len({(query, doc) for query, _, doc, _ in web_track.rows})
    assert ranks.relevant().sum() == len({(query, doc) for query, _, doc, grade in web_track.rows if grade >= 1})
    assert ranks.subtopics is not None
    assert len(ranks.subtopics.grade) == len(web_track.rows)


# By hand.


def test_a_second_document_on_a_subtopic_gains_half() -> None:
    """Jaguar the car, the car again, the cat; nobody found the operating system."""
    ranks = Ranks.from_subtopics([["car"], ["car"], [], ["cat"]], judged=[[["os"]]])
    log = math.log2
    got = 1 / log(2) + 0.5 / log(3) + 0 / log(4) + 1 / log(5)
    best = 1 / log(2) + 1 / log(3) + 1 / log(4) + 0.5 / log(5)
    assert alpha_nDCG.of(ranks) == approx([got / best])
    assert alpha_nDCG(cutoff=2).of(ranks) == approx([(1 / log(2) + 0.5 / log(3)) / (1 / log(2) + 1 / log(3))])
    bound = 3 * (1 / log(2) + 0.5 / log(3))
    assert alpha_DCG(cutoff=2).of(ranks) == approx([(1 / log(2) + 0.5 / log(3)) / bound])
    assert ERR_IA(cutoff=4).of(ranks) == approx([(1 + 0.5 / 2 + 1 / 4) / (3 * (1 + 1 / 4 + 1 / 12 + 1 / 32))])
    assert nERR_IA.of(ranks) == approx([(1 + 0.5 / 2 + 1 / 4) / (1 + 1 / 2 + 1 / 3 + 0.5 / 4)])
    assert [StRecall(cutoff=cutoff).of(ranks)[0] for cutoff in (1, 2, 4)] == approx([1 / 3, 1 / 3, 2 / 3])


def test_alpha_says_how_much_repetition_is_worth() -> None:
    """Nothing with 1; as much as the first time with 0."""
    ranks = Ranks.from_subtopics([["a"], ["a"]], judged=[[["b"]]])
    first, second = 1.0, 1 / math.log2(3)
    assert alpha_nDCG(alpha=1, cutoff=2).of(ranks) == approx([first / (first + second)])
    assert alpha_nDCG(alpha=0, cutoff=2).of(ranks) == approx([1.0])


def test_among_documents_that_gain_alike_the_last_id_comes_first() -> None:
    """All three cover two subtopics; which comes first decides what is left for the second rank."""
    rows = [("q", subtopic, doc, 1.0) for doc, about in {"x": "ab", "y": "cd", "z": "bc"}.items() for subtopic in about]
    # Greedily: z (2), then y, b and c being known: .5 + 1. The run: x (2), then y (2).
    ranks = Diverse(rows, {"q": {"x": 2.0, "y": 1.0}}).ranks()
    second = 1 / math.log2(3)
    assert alpha_nDCG(cutoff=2).of(ranks) == approx([(2 + 2 * second) / (2 + 1.5 * second)])
    # With another name, z comes last: y first, and then x; the run is as good as that.
    renamed = Diverse([(q, s, "a" if doc == "z" else doc, grade) for q, s, doc, grade in rows], {"q": {"x": 2, "y": 1}})
    assert alpha_nDCG(cutoff=2).of(renamed.ranks()) == approx([1.0])


def test_bytes_decide_which_id_is_last() -> None:
    """As UTF-8: 'ﬀ' comes before '𝔡', which has four bytes."""
    rows = [("q", s, doc, 1.0) for doc, about in {"ﬀ": "ab", "𝔡": "bc", "é": "de"}.items() for s in about]
    check_against_twin(alpha_nDCG(cutoff=2), Diverse(rows, {"q": {"é": 1.0}}))
    assert greedy(topic_of(Diverse(rows, {}), "q"), 0.5)[0] == "𝔡"


def test_a_subtopic_counts_if_a_document_reaches_the_level() -> None:
    rows = [
        ("q", "a", "d", 1.0),
        ("q", "b", "d", 2.0),
        ("q", "c", "d", 0.0),
        ("q", "d", "d", -1.0),
        ("q", "b", "e", 3.0),
    ]
    ranks = Diverse(rows, {"q": {"d": 1.0}}).ranks()
    assert alpha_DCG(cutoff=1).of(ranks) == approx([1.0])  # a and b, of a and b
    assert ERR_IA(cutoff=2, rel=0).of(ranks) == approx([3 / (3 * (1 + 0.5 / 2))])  # 0 is relevant then; -1 never is
    assert StRecall(rel=3).of(ranks) == approx([0.0])  # b, by e alone


# How documents are counted.


def test_a_document_has_the_largest_of_its_grades() -> None:
    rows = [("q", "a", "d", 0.0), ("q", "b", "d", 2.0), ("q", "a", "e", -1.0), ("q", "a", "f", 1.0)]
    ranks = Diverse(rows, {"q": {"f": 4.0, "d": 3.0, "e": 2.0, "x": 1.0}}).ranks()
    assert ranks.hits.grade.tolist() == [1.0, 2.0, -1.0]
    assert nDCG.of(ranks) == approx([(1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))])
    assert ranks.subtopics is not None
    assert ranks.subtopics.names == ("a", "b")


def test_subtopics_of_different_queries_have_nothing_to_do_with_each_other() -> None:
    rows = [("q1", "1", "d", 1.0), ("q2", "1", "d", 1.0), ("q2", "2", "e", 1.0)]
    ranks = Diverse(rows, {"q1": {"d": 1.0}, "q2": {"d": 1.0}}).ranks()
    assert StRecall.of(ranks).tolist() == [1.0, 0.5]
    assert alpha_nDCG(cutoff=1).of(ranks).tolist() == [1.0, 1.0]


@each_measure
def test_the_order_of_rows_and_the_names_of_subtopics_make_no_difference(measure: Measure) -> None:
    data, rng = random_data(5), np.random.default_rng(1)
    new = {"ä": "10", "b": "9", "c": "日", "d": "a b", "e": "0", "f": "-"}
    rows = [(query, new[subtopic], doc, grade) for query, subtopic, doc, grade in data.rows]
    mixed = Diverse([rows[at] for at in rng.permutation(len(rows))], data.run)
    for variant in variants(measure):
        wanted = dict(zip(data.ranks().queries, variant.of(data.ranks()).tolist(), strict=True))
        got = dict(zip(mixed.ranks().queries, variant.of(mixed.ranks()).tolist(), strict=True))
        assert got == approx(wanted, abs=1e-12, nan_ok=True), str(variant)


@each_measure
def test_values_are_within_the_declared_bounds(measure: Measure) -> None:
    """Measures with a greedy ideal declare none; they are never negative, and about 1 at most."""
    for seed, variant in itertools.product(range(2), variants(measure)):
        known = variant.of(random_data(seed).ranks())
        known = known[~np.isnan(known)]
        assert ((known >= 0) & (known <= (1.5 if measure.definition.bounds is None else 1 + 1e-12))).all(), str(variant)


@in_turn("measure", [alpha_nDCG, nERR_IA], ids=str)
def test_the_greedy_ranking_has_the_value_1(measure: Measure) -> None:
    data = random_data(7)
    topics = {query: topic_of(data, query) for query in data.queries}
    for variant in variants(measure(rel=None)):
        if variant.parameters["rel"] is not None:
            continue
        ideals = {query: greedy(topic, variant.parameters["alpha"]) for query, topic in topics.items()}
        run = {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in ideals.items()}
        found = variant.of(Diverse(data.rows, run).ranks())
        assert found[~np.isnan(found)] == approx(1.0), str(variant)


@each_measure
def test_rules_of_counting_apply(measure: Measure) -> None:
    """A missing topic can be skipped, lists be cut, unjudged documents be taken out."""
    data = random_data(9)
    skipped = data.ranks(missing="skip")
    assert "q3" not in skipped.queries
    there = [query in skipped.queries for query in data.ranks().queries]
    assert same(measure.of(skipped), measure.of(data.ranks())[there])
    assert same(measure(cutoff=3).of(data.ranks(depth=2)), measure(cutoff=3).of(cut(data, 2).ranks()))
    pairs = {(query, doc) for query, _, doc, grade in data.rows if grade >= 0}
    judged = {query: {doc: s for doc, s in docs.items() if (query, doc) in pairs} for query, docs in data.run.items()}
    assert same(measure.of(data.ranks(judged_only=True)), measure.of(Diverse(data.rows, judged).ranks()))


def cut(data: Diverse, depth: int) -> Diverse:
    run = {
        query: {doc: scores[doc] for doc in topic_of(data, query).ranking[:depth]} for query, scores in data.run.items()
    }
    return Diverse(data.rows, run)


@each_measure
def test_expected_ties_are_the_mean_over_all_orders(measure: Measure) -> None:
    rows = [
        ("q", subtopic, f"d{number}", 1.0) for number, about in enumerate(["ab", "b", "c", "ac"]) for subtopic in about
    ]
    tied = Diverse(rows, {"q": dict.fromkeys(["d0", "d1", "d2", "x"], 1.0)}).ranks(ties="expected")
    two = measure(cutoff=2)
    each = [
        two.of(Diverse(rows, {"q": {doc: -float(rank) for rank, doc in enumerate(order)}}).ranks())[0]
        for order in itertools.permutations(["d0", "d1", "d2", "x"])
    ]
    got = two.per_unit(tied, samples=200, seed=1)
    assert got.values == approx([np.mean(each)], abs=5 * np.std(each) / math.sqrt(200))
    assert got.op == "mean of 200 orders of ties"


@each_measure
def test_steps_show_what_each_document_adds(measure: Measure) -> None:
    """The columns of the ranking add up to the number above the line."""
    result = measure(cutoff=3).per_unit(random_data(2).ranks())
    top = result.operands[0]
    assert top.steps is not None
    assert top.column is not None
    assert set(top.steps.columns) >= {"rank", "grade"}
    sums = np.bincount(top.steps.unit, weights=top.steps[top.column], minlength=top.steps.units)
    assert same(sums.tolist(), top.values)


# Without subtopics there is no number, and the reason is told.


@each_measure
def test_without_judgments_of_subtopics_there_is_no_value(measure: Measure) -> None:
    for ranks in (Ranks.from_grades([1, 0], [1]), Ranks.from_tables({"q": {"d": 1.0}}, {"q": {"d": 1}})):
        result = measure.per_unit(ranks)
        assert np.isnan(result.values).all()
        assert set(result.reasons()) == {NO_SUBTOPICS}


@each_measure
def test_without_a_relevant_document_there_is_no_value(measure: Measure) -> None:
    result = measure.per_unit(Ranks.from_subtopics([["a"], []], [[], None]))
    assert np.isnan(result.values).tolist() == [False, True]
    assert result.reasons() == [None, "no subtopic has a relevant document"]


def test_a_cut_off_that_cannot_be_added_up_is_refused() -> None:
    with pytest.raises(ParameterError, match="the cut-off is at most 1,000,000 here, not 1,000,001"):
        (ERR_IA @ 1_000_001).of(Ranks.from_subtopics([["a"]]))


def test_names_of_other_tools_are_understood() -> None:
    for name in ("alpha-nDCG@5", "α_nDCG@5", "alpha_nDCG(alpha=0.5, rel=None)@5"):
        assert parse_measure(name) == alpha_nDCG @ 5
    for name in ("S-recall@5", "SRecall@5", "strec@5"):
        assert parse_measure(name) == StRecall @ 5
    assert parse_measure("ERR-IA@10") == ERR_IA @ 10
    for measure in MEASURES:
        ours, theirs = fill(measure, measure.definition.ir_measures or "")
        assert parse_measure(theirs) == ours


# evaluate and the command line.

QRELS = "t1 car d1 1\nt1 cat d1 0\nt1 cat d2 1\nt1 car d2 0\nt1 car d3 2\nt1 os d4 1\n"
RUN: Run = {"t1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}}


def test_subtopics_are_understood_if_documents_are_judged_for_several() -> None:
    result = evaluate(io.StringIO(QRELS), RUN, ["StRecall@2", "StRecall@3"])
    assert result.to_frame().row(0)[1:] == approx((1 / 3, 2 / 3))
    assert result.subtopics
    assert result.qrels.format == "TREC qrels for 3 subtopics"
    (warning,) = result.warnings
    assert warning.startswith("<file>: column 2 is taken for subtopics")
    assert result.signatures["StRecall@2"] == (
        "StRecall@2|rel=1|ties=doc_id_descending|unjudged=irrelevant|missing=zero|subtopics=true|undefined=0|v1"
    )


def test_other_measures_alone_need_a_word() -> None:
    both = ["StRecall@3", "P@3"]
    with pytest.raises(InputError, match=r"3 judges .or for as many subtopics.: .* subtopics=True"):
        evaluate(io.StringIO(QRELS), RUN, "P@3")
    with pytest.raises(InputError, match="3 judges"):
        evaluate(io.StringIO(QRELS), RUN, "StRecall@3", subtopics=False)
    result = evaluate(io.StringIO(QRELS), RUN, both, subtopics=True)
    assert result.to_frame().row(0)[1:] == approx((2 / 3, 3 / 3))
    assert "|subtopics=true|" in result.signatures["P@3"]


def test_tables_name_the_subtopic_in_the_column_judge() -> None:
    frame = read_qrels(io.StringIO(QRELS), subtopics=True).frame
    for qrels in (frame, Qrels.of(frame), frame.to_pandas(), frame.to_arrow()):
        assert evaluate(qrels, RUN, "StRecall@3").mean() == approx(2 / 3)


def test_judgments_without_subtopics_are_pointed_out() -> None:
    plain = {"t1": {"d1": 1, "d2": 0}}
    result = evaluate(plain, RUN, ["StRecall@3", "ERR_IA@5", "P@3"])
    assert not result.subtopics
    assert result.summary("StRecall@3").undefined == 1
    assert result.scores.frame["undefined"].to_list() == [NO_SUBTOPICS, NO_SUBTOPICS, None]
    assert result.warnings == tuple(f"run: {name} is undefined: {NO_SUBTOPICS}" for name in ("StRecall@3", "ERR_IA@5"))
    with pytest.raises(InputError, match=r"qrels: expected judgments of subtopics .* got none"):
        evaluate(plain, RUN, "StRecall@3", subtopics=True)


def test_a_single_subtopic_is_pointed_out() -> None:
    """An unused column 2 is not a subtopic."""
    assert math.isnan(evaluate(io.StringIO("t1 0 d1 1\n"), RUN, "StRecall@3").mean())
    (warning,) = evaluate(io.StringIO("t1 0 d1 1\n"), RUN, "StRecall@3", subtopics=True).warnings
    assert warning == "<file>: all judgments are of one subtopic, '0': is this what column 2 means?"


def test_column_2_names_judges_or_subtopics() -> None:
    with pytest.raises(ParameterError, match="either judges or subtopics"):
        evaluate(io.StringIO(QRELS), RUN, "StRecall", judge="car", subtopics=True)
    with pytest.raises(ParameterError, match="subtopics is True, False or None, not 'yes'"):
        evaluate(io.StringIO(QRELS), RUN, "StRecall", subtopics="yes")  # type: ignore[arg-type]
    assert evaluate(io.StringIO(QRELS), RUN, "P@1", judge="car").mean() == 1.0
    assert Judgments.of(read_qrels(io.StringIO("t1 anna d1 1\n"), judges=True)).subtopics is None


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "my.qrels").write_text(QRELS)
    (tmp_path / "my.run").write_text("t1 Q0 d1 1 3 r\nt1 Q0 d3 2 2 r\nt1 Q0 d2 3 1 r\n")
    return [str(tmp_path / "my.qrels"), str(tmp_path / "my.run")]


def test_the_command_line_takes_subtopics(files: list[str]) -> None:
    call = ["evaluate", *files, "-m", "StRecall@2", "-m", "RR", "--csv", "--quiet"]
    result = invoke([*call, "--subtopics"])
    assert result.stdout == f"system,StRecall@2,RR\nmy,{1 / 3!r},1.0\n"
    assert invoke([*call[:-4], "--csv", "--quiet"]).stdout == f"system,StRecall@2\nmy,{1 / 3!r}\n"
    assert invoke(call).stdout == result.stdout
