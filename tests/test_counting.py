"""Counting against the slow twin: every rank in plain view, however the rows come and whatever the policies say."""

from __future__ import annotations

import io
import itertools
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from strategies import Tables, quickly, random_tables, shuffled, tables

from assay import (
    Confusion,
    DuplicateError,
    InputError,
    ParameterError,
    Policies,
    Qrels,
    Ranks,
    Run,
    TopicError,
    scan_run,
)
from assay.files import Source
from assay.measures.counting import Graded, Judgments
from assay.measures.counting.judgments import Hashes, Ints, pair_hashes

Row: TypeAlias = tuple[str, str, float]
Table: TypeAlias = dict[str, dict[str, float]]

approx = pytest.approx
TIES = ("doc_id_descending", "doc_id_ascending", "input_order", "expected")
each_tie_rule = pytest.mark.parametrize("ties", TIES)


# The slow twin: one dense ranking a query, no hashes, no batches, no shortcut.


class Hit(NamedTuple):
    """A retrieved document that is in the judgments; the rank is None where ties are averaged."""

    query: str
    doc: str
    grade: float
    rank: int | None
    tie_first: int
    tie_last: int


@dataclass(frozen=True)
class Counted:
    """What counting should find."""

    hits: list[Hit]
    retrieved: dict[str, int]
    missing: list[str]
    ignored: set[str]


def ranking(rows: Sequence[tuple[str, float]], ties: str, duplicates: str) -> list[tuple[str, float]]:
    """Documents of one query, best first."""
    kept: dict[str, tuple[int, float]] = {}
    for place, (doc, score) in enumerate(rows):
        if doc not in kept or (duplicates == "best" and score > kept[doc][1]):
            kept[doc] = (place, score)
    in_order = sorted(kept, key=lambda doc: kept[doc][0])
    if ties in {"doc_id_descending", "doc_id_ascending"}:
        in_order.sort(key=str.encode, reverse=ties == "doc_id_descending")
    return [(doc, kept[doc][1]) for doc in sorted(in_order, key=lambda doc: -kept[doc][1])]


def tie_bounds(ranked: Sequence[tuple[str, float]]) -> dict[str, tuple[int, int]]:
    """The first and the last rank that each document could have among equal scores."""
    bounds: dict[str, tuple[int, int]] = {}
    for doc, score in ranked:
        places = [rank for rank, (_, other) in enumerate(ranked, 1) if other == score]
        bounds[doc] = (min(places), max(places))
    return bounds


def count(rows: Sequence[Row], qrels: Table, **rules: Any) -> Counted:
    """Count by the book."""
    policies = Policies(**rules)
    hits: list[Hit] = []
    retrieved: dict[str, int] = {}
    for query, judged in qrels.items():
        found = [(doc, score) for other, doc, score in rows if other == query]
        if policies.score_precision == "single":
            found = [(doc, float(np.float32(score))) for doc, score in found]
        ranked = ranking(found, policies.ties, policies.duplicates)
        bounds = tie_bounds(ranked)
        if policies.depth is not None and policies.ties != "expected":
            ranked = ranked[: policies.depth]
        if policies.judged_only:
            ranked = [(doc, score) for doc, score in ranked if judged.get(doc, -1) >= 0]
            bounds = tie_bounds(ranked)
        ranks = {doc: rank for rank, (doc, _) in enumerate(ranked, 1)}
        if policies.ties == "expected" and policies.depth is not None:  # a document is there if it could be
            ranks = {doc: rank for doc, rank in ranks.items() if bounds[doc][0] <= policies.depth}
        retrieved[query] = min(len(ranked), policies.depth or len(ranked))
        for doc in sorted(ranks.keys() & judged.keys()):
            rank = None if policies.ties == "expected" else ranks[doc]
            hits.append(Hit(query, doc, judged[doc], rank, *bounds[doc]))
    there = {query for query, _, _ in rows}
    missing = [query for query in qrels if query not in there]
    if policies.missing == "skip":
        retrieved = {query: number for query, number in retrieved.items() if query in there}
    return Counted(sorted(hits), retrieved, missing, there - qrels.keys())


def counted(ranks: Ranks) -> Counted:
    """What counting did find, in the same words."""
    rows = zip(
        (ranks.queries[number] for number in ranks.hits.query),
        ranks.doc_ids.gather(ranks.hits.document),
        ranks.hits.grade.tolist(),
        [None] * len(ranks.hits.rank) if ranks.hits.averaged else ranks.hits.rank.tolist(),
        ranks.hits.tie_first.tolist(),
        ranks.hits.tie_last.tolist(),
        strict=True,
    )
    retrieved = dict(zip(ranks.queries, ranks.retrieved.tolist(), strict=True))
    return Counted(sorted(Hit(*row) for row in rows), retrieved, ranks.missing_topics, set(ranks.ignored_topics))


def rows_of(table: Table) -> list[Row]:
    return [(query, doc, score) for query, docs in table.items() for doc, score in docs.items()]


def check(run: Any, rows: Sequence[Row], qrels: Table, **rules: Any) -> Ranks:
    """Count, compare with the twin, and look at what must always hold."""
    ranks = Ranks.from_tables(run, qrels, **rules)
    found, expected = counted(ranks), count(rows, qrels, **rules)
    assert found.hits == expected.hits
    assert found.retrieved == expected.retrieved
    assert found.missing == expected.missing
    assert found.ignored == expected.ignored
    order = list(zip(ranks.hits.query.tolist(), ranks.hits.rank.tolist(), strict=True))
    assert order == sorted(set(order))
    assert ((ranks.hits.tie_first <= ranks.hits.rank) & (ranks.hits.rank <= ranks.hits.tie_last)).all()
    return ranks


# How the rows come. Each of these gives the same rows of each query, in another order or broken up otherwise.


def contiguous(rows: Sequence[Row], _: np.random.Generator) -> list[Row]:
    return list(rows)


def sorted_by_score(rows: Sequence[Row], _: np.random.Generator) -> list[Row]:
    queries = list(dict.fromkeys(row[0] for row in rows))
    return sorted(rows, key=lambda row: (queries.index(row[0]), -row[2]))


def worst_first(rows: Sequence[Row], _: np.random.Generator) -> list[Row]:
    return sorted(rows, key=lambda row: (row[0], row[2]))


def in_two_halves(rows: Sequence[Row], _: np.random.Generator) -> list[Row]:
    """Each query once at the top and once at the bottom."""
    place = {id(row): number for number, row in enumerate(rows)}
    return sorted(rows, key=lambda row: (place[id(row)] % 2, row[0]))


def one_query_split(rows: Sequence[Row], _: np.random.Generator) -> list[Row]:
    """The last row comes first: its query is split, the others are whole."""
    return [rows[-1], *rows[:-1]]


def interleaved(rows: Sequence[Row], _: np.random.Generator) -> list[Row]:
    """A row of each query in turn."""
    by_query = [list(group) for _, group in itertools.groupby(rows, key=lambda row: row[0])]
    return [row for turn in itertools.zip_longest(*by_query) for row in turn if row is not None]


def mixed_up(rows: Sequence[Row], rng: np.random.Generator) -> list[Row]:
    return [rows[place] for place in rng.permutation(len(rows))]


ARRANGEMENTS = (contiguous, sorted_by_score, worst_first, in_two_halves, one_query_split, interleaved, mixed_up)
each_arrangement = pytest.mark.parametrize("arranged", ARRANGEMENTS, ids=lambda arranged: arranged.__name__)


@contextmanager
def in_batches(rows: int) -> Iterator[None]:
    """Go through runs a few rows at a time: `rows` of them in memory, about as many of a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.tables.ranking_tables._BATCH_ROWS", rows)
        patch.setattr("assay.measures.counting.streaming._BLOCK_ROWS", rows)
        patch.setattr(Source.chunks, "__defaults__", (rows * 20,))
        yield


def as_file(rows: Sequence[Row], between: str = "") -> io.BytesIO:
    """A TREC run; the rank column is the row's number, from 0."""
    lines = (
        f"{query.replace(' ', '_')} Q0 {doc} {place} {score!r} tag\n" for place, (query, doc, score) in enumerate(rows)
    )
    return io.BytesIO(between.join(lines).encode())


def without_blanks(table: Table) -> Table:
    """Query ids as a file can hold them."""
    return {query.replace(" ", "_"): docs for query, docs in table.items()}


# All policies, all arrangements.

RULES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "depth 1": {"depth": 1},
    "depth 5": {"depth": 5},
    "depth 1000": {"depth": 1000},
    "judged only": {"judged_only": True},
    "judged only after depth": {"judged_only": True, "depth": 4},
    "skip missing": {"missing": "skip"},
    "single precision": {"score_precision": "single"},
    "first of duplicates, of which there are none": {"duplicates": "first"},
    "best of duplicates, of which there are none": {"duplicates": "best"},
}


@each_tie_rule
@each_arrangement
def test_counts_agree_with_the_twin_for_every_rule(arranged: Callable[..., list[Row]], ties: str) -> None:
    for seed, rules in enumerate(RULES.values()):
        if ties == "expected" and rules.get("judged_only") and "depth" in rules:
            continue  # refused, see below
        data = random_tables(seed, topics=8)
        rows = arranged(rows_of(data.run), np.random.default_rng(seed))
        check(rows, rows, data.qrels, ties=ties, **rules)


@pytest.mark.parametrize("batch", [1, 3, 50])
@each_arrangement
def test_counts_do_not_depend_on_where_batches_end(arranged: Callable[..., list[Row]], batch: int) -> None:
    for seed, ties in enumerate(TIES):
        data = random_tables(seed, topics=6)
        rows = arranged(rows_of(data.run), np.random.default_rng(seed))
        with in_batches(batch):
            check(rows, rows, data.qrels, ties=ties)


@pytest.mark.parametrize("batch", [2, 1000])
@each_arrangement
def test_a_file_counts_like_the_table_in_memory(arranged: Callable[..., list[Row]], batch: int) -> None:
    for seed, ties in enumerate(("doc_id_descending", "expected")):
        data = random_tables(seed, topics=4, documents=8)
        qrels = without_blanks(data.qrels)
        rows = arranged(rows_of(without_blanks(data.run)), np.random.default_rng(seed))
        in_memory = Ranks.from_tables(rows, qrels, ties=ties)  # type: ignore[arg-type]
        with in_batches(batch):
            # Comments between the lines make chunks without a row, in the middle of queries.
            for between in "", "# " + "comment " * 10 + "\n":
                from_file = check(scan_run(as_file(rows, between)), rows, qrels, ties=ties)
                assert_same(from_file, in_memory)


def assert_same(one: Ranks, other: Ranks) -> None:
    """Equal in every column."""
    assert (one.queries, one.max_grade, one.policies) == (other.queries, other.max_grade, other.policies)
    assert one.ignored_topics == other.ignored_topics
    assert one.doc_ids.equals(other.doc_ids)
    np.testing.assert_array_equal(one.retrieved, other.retrieved)
    np.testing.assert_array_equal(one.in_run, other.in_run)
    for rows, same in (one.hits, other.hits), (one.ideal, other.ideal):
        for column in "query", "rank", "grade", "tie_first", "tie_last", "document":
            np.testing.assert_array_equal(getattr(rows, column), getattr(same, column))
        assert (rows.averaged, rows.limit) == (same.averaged, same.limit)


def test_a_dict_counts_like_its_rows() -> None:
    data = random_tables(5)
    assert_same(Ranks.from_tables(data.run, data.qrels), Ranks.from_tables(rows_of(data.run), data.qrels))
    mixed = shuffled(data.run, np.random.default_rng(5))
    assert_same(Ranks.from_tables(data.run, data.qrels), Ranks.from_tables(mixed, data.qrels))


@given(tables(), st.sampled_from(TIES), st.sampled_from(list(RULES.values())), st.integers(1, 12), st.randoms())
@quickly
def test_counts_agree_with_the_twin_on_any_table(
    data: Tables, ties: str, rules: dict[str, Any], batch: int, random: Any
) -> None:
    if ties == "expected" and rules.get("judged_only") and "depth" in rules:
        return
    rows = rows_of(data.run)
    random.shuffle(rows)
    with in_batches(batch):
        check(rows, rows, data.qrels, ties=ties, **rules)


@st.composite
def with_duplicates(draw: st.DrawFn) -> tuple[list[Row], Table]:
    """Rows in any order with many a document twice, and judgments."""
    docs, scores = st.sampled_from("abcde"), st.integers(0, 2).map(float)
    rows = draw(st.lists(st.tuples(st.sampled_from(["q1", "q2", "q3"]), docs, scores), min_size=1, max_size=14))
    judged = {query: draw(st.dictionaries(docs, scores, min_size=1, max_size=5)) for query in ("q1", "q2", rows[0][0])}
    return rows, judged


@given(with_duplicates(), st.sampled_from(TIES), st.sampled_from(["first", "best"]), st.integers(1, 6))
@quickly
def test_of_duplicates_the_first_or_the_best_counts(
    data: tuple[list[Row], Table], ties: str, duplicates: str, batch: int
) -> None:
    rows, qrels = data
    with in_batches(batch):
        check(rows, rows, qrels, ties=ties, duplicates=duplicates)


@given(with_duplicates(), st.integers(1, 6))
@quickly
def test_duplicates_are_an_error_if_and_only_if_a_judged_query_has_some(
    data: tuple[list[Row], Table], batch: int
) -> None:
    rows, qrels = data
    seen = Counter((query, doc) for query, doc, _ in rows if query in qrels)
    twice = {pair for pair, times in seen.items() if times > 1}
    with in_batches(batch):
        if not twice:
            check(rows, rows, qrels)
            return
        with pytest.raises(DuplicateError) as error:
            Ranks.from_tables(rows, qrels)
    line = error.value.line
    assert line is not None
    pair = rows[line - 1][:2]
    assert pair in twice
    assert sum(row[:2] == pair for row in rows[:line]) == 2  # the row named is the second one
    assert f"document {pair[1]!r}" in str(error.value)
    assert f"query {pair[0]!r}" in str(error.value)


@in_turn("batch", [1, 2, 1000])
def test_a_duplicate_in_a_file_is_named_by_path_line_query_and_document(batch: int, tmp_path: Path) -> None:
    rows = [("q1", "a", 3.0), ("q1", "b", 2.0), ("q2", "a", 1.0), ("q2", "b", 0.5), ("q1", "a", 0.25), ("q1", "a", 0.0)]
    (tmp_path / "mine.run").write_bytes(b"# comment\n\n" + as_file(rows).getvalue())
    with in_batches(batch), pytest.raises(DuplicateError) as error:
        Ranks.from_tables(scan_run(tmp_path / "mine.run"), {"q1": {"a": 1}, "q2": {"a": 1}})
    assert (error.value.path, error.value.line) == (str(tmp_path / "mine.run"), 2 + 5)
    assert str(error.value).startswith(f"{tmp_path / 'mine.run'}:7: expected each document once in a query")
    assert "document 'a'" in str(error.value)
    assert "query 'q1'" in str(error.value)
    assert "duplicates='first' or duplicates='best'" in str(error.value)


def test_duplicates_of_a_topic_without_judgments_do_not_matter() -> None:
    rows = [("q1", "a", 1.0), ("nobody judged this", "a", 1.0), ("nobody judged this", "a", 1.0)]
    check(rows, rows, {"q1": {"a": 1.0}})


class Shared(io.BytesIO):
    """A file that lets the main thread read on in between if another thread starts to read it from the top."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.seeks, self.started, self.moved = 0, threading.Event(), threading.Event()

    def seek(self, offset: int, whence: int = 0) -> int:
        if threading.current_thread() is not threading.main_thread():
            self.seeks += 1
            if self.seeks == 2:  # the first look is for the marks of compressed data
                self.started.set()
        return super().seek(offset, whence)

    def read(self, size: int | None = -1) -> bytes:
        if threading.current_thread() is not threading.main_thread():
            if self.started.is_set():
                self.moved.wait(0.5)
            return super().read(size)
        if self.tell() > 600:  # the duplicate is on its way
            self.started.wait(0.5)
        data = super().read(size)
        if self.started.is_set():
            self.moved.set()
        return data


def test_a_duplicate_in_an_open_file_is_named_by_its_line() -> None:
    rows = [(f"q{number // 4}", f"d{number}", -float(number)) for number in range(80)]
    rows[22] = rows[21]  # in the second batch
    with in_batches(16), pytest.raises(DuplicateError) as error:
        Ranks.from_tables(scan_run(Shared(as_file(rows).getvalue())), {row[0]: {"d1": 1.0} for row in rows})
    assert error.value.line == 23


# Ties.


def test_ties_go_by_the_bytes_of_the_id_not_by_letters_numbers_or_code_units() -> None:
    """In UTF-16 𝔡 comes before ﬀ, in code points and in UTF-8 after it; capitals come before small letters."""
    run = {"q": dict.fromkeys(["d10", "d9", "D9", "é", "z", "ﬀ", "𝔡"], 1.0)}
    ranks = Ranks.from_tables(run, {"q": dict.fromkeys(run["q"], 1)})
    assert ranks.doc_ids.gather(ranks.hits.document).to_list() == ["𝔡", "ﬀ", "é", "z", "d9", "d10", "D9"]
    ranks = Ranks.from_tables(run, {"q": dict.fromkeys(run["q"], 1)}, ties="doc_id_ascending")
    assert ranks.doc_ids.gather(ranks.hits.document).to_list() == ["D9", "d10", "d9", "z", "é", "ﬀ", "𝔡"]


@each_tie_rule
def test_scores_that_are_infinite_are_scores(ties: str) -> None:
    rows = [("q", "a", -np.inf), ("q", "b", np.inf), ("q", "c", 0.0), ("q", "d", np.inf), ("q", "e", -np.inf)]
    check(rows, rows, {"q": {"a": 1.0, "b": 2.0, "d": 0.0, "e": 1.0}}, ties=ties)


def test_zero_and_minus_zero_are_tied() -> None:
    rows = [("q", "a", -0.0), ("q", "b", 0.0)]
    assert check(rows, rows, {"q": {"a": 1.0}}).hits.rank.tolist() == [2]  # b comes before a


def test_single_precision_ties_what_double_precision_tells_apart() -> None:
    run, qrels = {"q": {"a": 20.000002, "b": 20.000001}}, {"q": {"a": 1}}
    assert Ranks.from_tables(run, qrels).hits.rank.tolist() == [1]
    single = Ranks.from_tables(run, qrels, score_precision="single")
    assert single.hits.rank.tolist() == [2]  # tied, and b comes before a
    assert (single.hits.tie_first.tolist(), single.hits.tie_last.tolist()) == ([1], [2])


def test_scores_too_large_for_single_precision_are_tied_without_a_warning() -> None:
    run = {"q": {"a": 1e300, "b": 1e299}}
    assert Ranks.from_tables(run, {"q": {"a": 1}}, score_precision="single").hits.rank.tolist() == [2]


def test_equal_scores_of_different_queries_are_no_ties() -> None:
    rows = [("q1", "a", 1.0), ("q2", "b", 1.0), ("q3", "c", 1.0)]
    ranks = check(rows, rows, {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}})
    assert ranks.hits.tie_last.tolist() == [1, 1, 1]


# One query, no query, other queries.


@pytest.mark.parametrize("batch", [1, 3, 64])
@each_tie_rule
def test_one_query_may_go_on_over_many_batches(ties: str, batch: int) -> None:
    rng = np.random.default_rng(1)
    rows = [("q", f"d{number}", float(rng.integers(0, 20))) for number in range(100)]
    qrels = {"q": {f"d{number}": float(number % 3) for number in range(0, 130, 7)}}
    with in_batches(batch):
        check(rows, rows, qrels, ties=ties)
        check(scan_run(as_file(rows)), rows, qrels, ties=ties)


@in_turn("batch", [1, 2, 3, 100])
def test_topics_without_judgments_are_ignored_and_listed(batch: int) -> None:
    """Before, between and after the judged ones, and in the middle of one of them."""
    rows = [("x", "a", 1.0), ("q1", "a", 1.0), ("y", "a", 1.0), ("q2", "b", 2.0), ("z", "a", 1.0), ("q2", "a", 1.0)]
    rows += [("x", "b", 1.0)]
    with in_batches(batch):
        ranks = check(rows, rows, {"q1": {"a": 1.0}, "q2": {"a": 1.0}})
    assert ranks.ignored_topics == {"x", "y", "z"}
    assert ranks.hits.rank.tolist() == [1, 2]


def test_a_missing_topic_counts_as_an_empty_result_unless_told_otherwise() -> None:
    run, qrels = {"q2": {"a": 1.0}}, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
    zero = Ranks.from_tables(run, qrels)
    assert (zero.queries, zero.retrieved.tolist(), zero.missing_topics) == (("q1", "q2", "q3"), [0, 1, 0], ["q1", "q3"])
    skipped = Ranks.from_tables(run, qrels, missing="skip")
    assert (skipped.queries, skipped.retrieved.tolist(), skipped.missing_topics) == (("q2",), [1], ["q1", "q3"])
    assert (skipped.hits.query.tolist(), skipped.ideal.query.tolist()) == ([0], [0])
    with pytest.raises(TopicError, match="2 judged topics missing, the first is 'q1'"):
        Ranks.from_tables(run, qrels, missing="error")


@in_turn("rule", ["zero", "skip", "error"])
@in_turn("topics", [1, 2, 3])
def test_nothing_in_common_is_an_error_that_shows_both_sides(topics: int, rule: str) -> None:
    run = {f"MB{number}": {"a": 1.0} for number in range(topics)}
    with pytest.raises(TopicError, match=r"no topic in common .*'MB0'[^…]*; the judgments have '1', '2'(;|$)"):
        Ranks.from_tables(run, {"1": {"a": 1}, "2": {"a": 1}}, missing=rule)  # type: ignore[arg-type]


@in_turn("others", ["x", "xy", "xyz"])
def test_a_run_may_end_in_batches_of_topics_without_judgments(others: str) -> None:
    """Three batches: two with the judged topic, which then is complete, and one with other topics only."""
    rows = [*(("q1", f"d{place}", -float(place)) for place in range(7)), ("x", "first", 1.0)]
    rows += sorted((others[place % len(others)], f"d{place}", 1.0) for place in range(4))
    with in_batches(4):
        check(rows, rows, {"q1": {"d2": 1.0}})


@in_turn(("run", "qrels"), [({"q": {"a": 1.0}}, {}), ({}, {})], ids=str)
def test_judgments_of_nothing_have_nothing_in_common_with_a_run(run: Table, qrels: Table) -> None:
    with pytest.raises(TopicError, match=r"no topic in common .*; the judgments have none$"):
        Ranks.from_tables(run, qrels)


def test_documents_that_are_not_judged_may_be_an_error() -> None:
    run, qrels = {"q1": {"a": 1.0}, "q2": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q1": {"a": 1}, "q2": {"a": 0, "b": -1}}
    with pytest.raises(InputError, match=r"unjudged='error'.* got 2 without judgment in query 'q2'"):
        Ranks.from_tables(run, qrels, unjudged="error")  # a negative grade says that nobody judged b
    assert Ranks.from_tables(run, qrels, unjudged="error", depth=1).retrieved.tolist() == [1, 1]


def test_an_unjudged_document_that_may_come_first_is_an_error() -> None:
    with pytest.raises(InputError, match="unjudged='error'"):
        Ranks.from_tables({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, ties="expected", depth=1, unjudged="error")


@in_turn(("level", "relevant"), [(1.0, [2, 1]), (2.0, [1, 1]), (0.5, [3, 1]), (0.0, [4, 2]), (3.5, [0, 0])])
def test_the_relevance_level_says_which_grades_count(level: float, relevant: list[int]) -> None:
    """A negative grade never counts, not even at level 0."""
    qrels = {"q1": {"a": 2, "b": 1, "c": 0.5, "d": 0, "e": -1}, "q2": {"a": 3, "b": 0}}
    ranks = Ranks.from_tables({"q1": {"a": 1.0}}, qrels, relevance_level=level)
    assert ranks.relevant().tolist() == relevant
    assert ranks.relevant(2).tolist() == [1, 1]
    assert (ranks.level(), ranks.level(7)) == (level, 7)


def test_the_ideal_ranking_is_all_that_was_judged_best_first() -> None:
    ranks = Ranks.from_tables({"q1": {"x": 1.0}}, {"q1": {"a": 0, "b": 2, "c": -1, "d": 2}, "q2": {"a": 1}})
    assert ranks.ideal.query.tolist() == [0, 0, 0, 0, 1]
    assert ranks.ideal.rank.tolist() == [1, 2, 3, 4, 1]
    assert ranks.ideal.grade.tolist() == [2, 2, 0, -1, 1]
    assert ranks.max_grade == 2


def test_ranks_may_rank() -> None:
    """From 0 on, with gaps, and against the scores; equal ranks are ties."""
    frame = pl.DataFrame(
        {"query_id": ["q"] * 4, "doc_id": ["a", "b", "c", "d"], "score": [4.0, 3.0, 2.0, 1.0], "rank": [7, 0, 3, 3]}
    )
    ranks = Ranks.from_tables(frame, {"q": {"a": 1, "c": 1}}, rank_by="rank")
    assert ranks.doc_ids.gather(ranks.hits.document).to_list() == ["c", "a"]
    assert ranks.hits.rank.tolist() == [3, 4]  # b, then d before c, then a
    assert (ranks.hits.tie_first.tolist(), ranks.hits.tie_last.tolist()) == ([2, 4], [3, 4])


@each_arrangement
def test_the_rank_column_of_a_file_ranks(arranged: Callable[..., list[Row]]) -> None:
    """The rank that is written is the number of the row."""
    data = random_tables(3, topics=6)
    rows = arranged(rows_of(without_blanks(data.run)), np.random.default_rng(3))
    by_rank = [(query, doc, -float(place)) for place, (query, doc, _) in enumerate(rows)]
    with in_batches(3):
        check(scan_run(as_file(rows)), by_rank, without_blanks(data.qrels), rank_by="rank")


# Policies are checked where they are made.


@in_turn(
    ("rules", "message"),
    [
        ({"ties": "random"}, "ties is one of doc_id_descending, .*, not 'random'"),
        ({"ties": "doc_id_descendin"}, "did you mean doc_id_descending"),
        ({"missing": "drop"}, "missing is one of zero, skip, error, not 'drop'"),
        ({"duplicates": None}, "duplicates is one of error, first, best, not None"),
        ({"depth": 0}, "depth is a whole number from 1 on, not 0"),
        ({"depth": -3}, "depth is a whole number from 1 on, not -3"),
        ({"depth": True}, "depth is a whole number from 1 on, not True"),
        ({"collection_size": 0}, "collection_size is a whole number from 1 on, not 0"),
        ({"collection_size": 0.5}, "collection_size is a whole number from 1 on, not 0.5"),
        ({"relevance_level": -1}, "relevance_level is a number from 0 on, not -1"),
        ({"relevance_level": float("nan")}, "relevance_level is a number from 0 on, not nan"),
        ({"relevance_level": float("inf")}, "relevance_level is a number from 0 on, not inf"),
        ({"relevance_level": True}, "relevance_level is a number from 0 on, not True"),
        ({"tie": "expected"}, "unknown argument 'tie'; did you mean ties"),
        ({"ties": "expected", "depth": 3, "judged_only": True}, "cannot be combined"),
    ],
    ids=str,
)
def test_policies_that_do_not_exist_are_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Ranks.from_tables({"q": {"a": 1.0}}, {"q": {"a": 1}}, **rules)


@in_turn("rules", [{"depth": 2.5}, {"depth": "3"}, {"relevance_level": "1"}, {"judged_only": "no"}], ids=str)
def test_policies_of_the_wrong_type_are_refused(rules: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(rules))):
        Ranks.from_tables({"q": {"a": 1.0}}, {"q": {"a": 1}}, **rules)


def test_given_policies_are_changed_by_keywords_and_recorded() -> None:
    given = Policies(ties="doc_id_ascending", depth=2)
    ranks = Ranks.from_tables({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"b": 1}}, given, depth=1)
    assert ranks.policies == replace(given, depth=1)
    assert (ranks.hits.rank.tolist(), ranks.retrieved.tolist()) == ([], [1])


# Hashes only save time: when they collide, nothing changes.


@contextmanager
def colliding(buckets: int) -> Iterator[None]:
    """Let pairs share a few hashes; the judged ones still find a seed that tells them apart."""

    def few(topic: Ints, doc_hash: Hashes) -> Hashes:
        return pair_hashes(topic, doc_hash) % np.uint64(buckets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.measures.counting.judgments.pair_hashes", few)
        patch.setattr("assay.measures.counting.streaming.pair_hashes", few)
        yield


@each_arrangement
@each_tie_rule
def test_colliding_hashes_give_no_wrong_hit(arranged: Callable[..., list[Row]], ties: str) -> None:
    """Three judged pairs have three of four hashes; most of the other documents have the same."""
    rng = np.random.default_rng(7)
    table = {query: {f"d{number}": float(rng.integers(0, 5)) for number in range(30)} for query in ("q1", "q2")}
    rows = arranged(rows_of(table), rng)
    with colliding(4), in_batches(11):
        ranks = check(rows, rows, {"q1": {"d3": 1.0, "nowhere": 1.0}, "q2": {"d5": 2.0}}, ties=ties)
    assert len(ranks.hits.rank) == 2


@each_arrangement
@pytest.mark.parametrize("duplicates", ["first", "best"])
def test_colliding_hashes_make_no_duplicates(arranged: Callable[..., list[Row]], duplicates: str) -> None:
    rng = np.random.default_rng(8)
    once = [(query, f"d{number}", float(rng.integers(0, 5))) for query in ("q1", "q2") for number in range(12)]
    twice = [*once, ("q2", "d5", 9.0), ("q1", "d7", 2.0), ("q1", "d1", 9.0)]
    qrels = {"q1": {"d1": 1.0, "d7": 1.0}, "q2": {"d5": 2.0}}
    with colliding(4), in_batches(5):
        rows = arranged(once, rng)
        check(rows, rows, qrels)
        rows = arranged(twice, rng)
        check(rows, rows, qrels, duplicates=duplicates)
        with pytest.raises(DuplicateError) as error:
            Ranks.from_tables(rows, qrels)
    line = error.value.line
    assert line is not None
    assert rows[line - 1][:2] in {("q2", "d5"), ("q1", "d7"), ("q1", "d1")}


def test_judgments_that_no_hash_tells_apart_are_an_error_not_a_wrong_count() -> None:
    with colliding(1), pytest.raises(InputError, match="cannot be told apart"):
        Ranks.from_tables([("q", "a", 1.0)], {"q": {"a": 1, "b": 1}})


@quickly
@given(
    data=tables(),
    ties=st.sampled_from(TIES),
    rules=st.sampled_from(
        [{}, {"depth": 2}, {"judged_only": True}, {"missing": "skip"}, {"score_precision": "single"}]
    ),
)
def test_dicts_count_like_rows(data: Tables, ties: str, rules: dict[str, Any]) -> None:
    in_dicts = Ranks.from_tables(data.run, data.qrels, ties=ties, **rules)  # type: ignore[arg-type]
    assert_same(in_dicts, Ranks.from_tables(rows_of(data.run), rows_of(data.qrels), ties=ties, **rules))  # type: ignore[arg-type]
    assert_same(in_dicts, Ranks.from_tables(data.run, rows_of(data.qrels), ties=ties, **rules))  # type: ignore[arg-type]
    assert_same(in_dicts, Ranks.from_tables(rows_of(data.run), data.qrels, ties=ties, **rules))  # type: ignore[arg-type]


@each_tie_rule
@pytest.mark.parametrize("comparisons", [0, 1 << 40])
def test_tied_documents_are_placed_alike_by_comparing_and_by_sorting(ties: str, comparisons: int) -> None:
    data = random_tables(31, documents=40, levels=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.measures.counting.streaming._COMPARISONS_A_ROW", comparisons)
        check(rows_of(data.run), rows_of(data.run), data.qrels, ties=ties)


@each_tie_rule
@pytest.mark.parametrize("sorting", [0, 1 << 40])
@pytest.mark.parametrize("letters", ["ab", "aé€😀", "a\0b"])
def test_dicts_place_tied_documents_like_rows_by_comparing_and_by_sorting(
    ties: str, sorting: int, letters: str
) -> None:
    rng = random.Random(32)
    # Some ids begin another, some begin alike for longer than what is compared at a time.
    ids = sorted({start + "".join(rng.choices(letters, k=rng.randint(1, 12))) for start in ("", "alike-" * 3) * 200})
    queries = [f"q{number}" for number in range(8)]
    qrels = {query: dict.fromkeys(rng.sample(ids, 60), 1) for query in queries[2:]}
    run = {query: {doc: float(rng.randrange(40)) for doc in rng.sample(ids, len(ids))} for query in queries}
    falling = {query: dict(sorted(docs.items(), key=lambda item: -item[1])) for query, docs in run.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.measures.counting.ranking._SORTING", sorting)
        for dicts in run, falling, {query: falling[query] for query in queries[2:]}:
            assert_same(Ranks.from_tables(dicts, qrels, ties=ties), Ranks.from_tables(rows_of(dicts), qrels, ties=ties))  # type: ignore[arg-type]


def test_dicts_may_change_after_they_were_taken() -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
    taken, judged = Run.of(run), Qrels.of(qrels)
    run["q"]["b"] = 3.0
    qrels["q"]["a"] = 1
    ranks = Ranks.from_tables(taken, judged)
    assert (ranks.hits.rank.tolist(), ranks.relevant().tolist()) == ([2], [1])
    assert taken.frame.rows() == [("q", "a", 2.0), ("q", "b", 1.0)]


def test_judgments_are_prepared_once_and_serve_many_runs() -> None:
    data, other = random_tables(11), random_tables(12)
    judgments = Judgments.of(Qrels.of(data.qrels))
    for run in data.run, other.run:
        assert_same(Ranks.from_tables(run, judgments), Ranks.from_tables(run, data.qrels))
    assert judgments.max_grade == max(grade for docs in data.qrels.values() for grade in docs.values())


# What is made of counts.


def names(ranks: Ranks) -> list[str]:
    return [str(doc) for doc in ranks.doc_ids.gather(ranks.hits.document)]


def orders(ranks: Ranks, draws: int, seed: int = 0) -> Counter[tuple[tuple[str, int], ...]]:
    """How often each outcome comes up: documents with their ranks."""
    rng = np.random.default_rng(seed)
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    for _ in range(draws):
        drawn = ranks.drawn(rng)
        found[tuple(zip(names(drawn), drawn.hits.rank.tolist(), strict=True))] += 1
    return found


def assert_equally_often(found: Counter[Any], outcomes: int, draws: int) -> None:
    """Each outcome within five standard deviations of its share."""
    share = 1 / outcomes
    tolerance = 5 * (draws * share * (1 - share)) ** 0.5
    assert len(found) == outcomes
    assert all(abs(times - draws * share) <= tolerance for times in found.values())


def test_every_order_of_tied_documents_is_drawn_equally_often() -> None:
    """z comes first, then a, b and c in one of 3! = 6 orders."""
    ranks = Ranks.from_tables(
        {"q": {"z": 2.0, "a": 1.0, "b": 1.0, "c": 1.0}}, {"q": dict.fromkeys("zabc", 1)}, ties="expected"
    )
    found = orders(ranks, 1200)
    assert_equally_often(found, 6, 1200)
    assert all(order[0] == ("z", 1) for order in found)


def test_unjudged_documents_take_part_in_the_draw() -> None:
    """Two of four tied documents are judged: 4 * 3 pairs of ranks."""
    ranks = Ranks.from_tables({"q": dict.fromkeys("abcd", 1.0)}, {"q": {"b": 1, "c": 0}}, ties="expected")
    assert_equally_often(orders(ranks, 1800), 12, 1800)


def test_draws_of_different_queries_and_groups_are_independent() -> None:
    """Two groups of two in q1 and one in q2: 2 * 2 * 2 outcomes."""
    run = {"q1": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}, "q2": {"a": 1.0, "b": 1.0}}
    ranks = Ranks.from_tables(run, {"q1": dict.fromkeys("abcd", 1), "q2": dict.fromkeys("ab", 1)}, ties="expected")
    assert_equally_often(orders(ranks, 1200), 8, 1200)


def test_a_draw_keeps_to_the_depth() -> None:
    """Of three tied documents two are seen: each of the 3 * 2 outcomes equally often."""
    ranks = Ranks.from_tables(
        {"q": dict.fromkeys("abc", 1.0)}, {"q": dict.fromkeys("abc", 1)}, ties="expected", depth=2
    )
    found = orders(ranks, 1200)
    assert_equally_often(found, 6, 1200)
    assert all([rank for _, rank in order] == [1, 2] for order in found)


def test_a_draw_is_a_ranking_without_ties_that_its_seed_brings_back() -> None:
    data = random_tables(21)
    ranks = Ranks.from_tables(data.run, data.qrels, ties="expected")
    drawn = ranks.drawn(np.random.default_rng(3)).hits
    assert not drawn.averaged
    np.testing.assert_array_equal(drawn.tie_first, drawn.rank)
    np.testing.assert_array_equal(drawn.tie_last, drawn.rank)
    np.testing.assert_array_equal(np.lexsort((drawn.rank, drawn.query)), np.arange(len(drawn.rank)))
    np.testing.assert_array_equal(drawn.rank, ranks.drawn(np.random.default_rng(3)).hits.rank)
    assert sorted(zip(drawn.query.tolist(), drawn.document.tolist(), strict=True)) == sorted(
        zip(ranks.hits.query.tolist(), ranks.hits.document.tolist(), strict=True)
    )
    assert len({(query, rank) for query, rank in zip(drawn.query, drawn.rank, strict=True)}) == len(drawn.rank)


@in_turn("depth", [None, 1, 2, 3, 4])
def test_the_mean_over_ranks_is_the_mean_over_all_orders(depth: int | None) -> None:
    """Documents a | b c d | e, of which b and d are judged: all 3! orders of the middle ones, cut at the depth."""
    run = {"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}}
    ranks = Ranks.from_tables(run, {"q": {"b": 1, "d": 1}}, ties="expected", depth=depth)
    expected = dict.fromkeys("bd", 0.0)
    for order in itertools.permutations("bcd"):
        for doc in "bd":
            rank = 2 + order.index(doc)
            expected[doc] += (1 / rank if depth is None or rank <= depth else 0.0) / 6
    weights = ranks.hits.at_rank(lambda rank: 1 / rank)
    kept = [doc for doc in "bd" if depth is None or depth >= 2]
    assert dict(zip(names(ranks), weights.tolist(), strict=True)) == approx({doc: expected[doc] for doc in kept})


def test_a_weight_by_rank_is_taken_at_the_rank_where_there_is_one() -> None:
    ranks = Ranks.from_grades([1, None, 1])
    assert ranks.hits.at_rank(lambda rank: 1 / rank).tolist() == approx([1 / 1, 1 / 3])


def rows(
    query: Sequence[int], rank: Sequence[int], grade: Sequence[float], first: Sequence[int], last: Sequence[int]
) -> Graded:
    numbers = [np.array(column, dtype=np.int64) for column in (query, rank, first, last)]
    documents = np.arange(len(query))
    return Graded(numbers[0], numbers[1], np.array(grade, dtype=np.float64), numbers[2], numbers[3], documents)


def test_condensed_rankings_close_up_and_ties_close_up_with_them() -> None:
    """Ranks 2 to 5 are tied; the hit at 3 has a negative grade and goes, and so do all that are in no judgments."""
    hits = rows([0, 0, 0, 0, 1], [1, 3, 4, 5, 2], [1, -1, 0, 2, 1], [1, 2, 2, 2, 2], [1, 5, 5, 5, 2])
    condensed = hits.condensed()
    assert condensed.query.tolist() == [0, 0, 0, 1]
    assert condensed.rank.tolist() == [1, 2, 3, 1]
    assert condensed.grade.tolist() == [1, 0, 2, 1]
    assert condensed.tie_first.tolist() == [1, 2, 2, 1]
    assert condensed.tie_last.tolist() == [1, 3, 3, 1]
    assert condensed.document.tolist() == [0, 2, 3, 4]


def test_nothing_condensed_is_nothing_and_nothing_drawn_is_nothing() -> None:
    none = rows([], [], [], [], [])
    assert none.condensed().rank.tolist() == none.drawn(np.random.default_rng(0)).rank.tolist() == []
    only_negative = rows([0, 1], [1, 1], [-1, -2], [1, 1], [1, 1])
    assert only_negative.condensed().rank.tolist() == []


def test_judged_only_counts_what_is_left_as_retrieved() -> None:
    run = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "q2": {"x": 1.0}}
    ranks = Ranks.from_tables(run, {"q1": {"b": 1, "c": -1, "d": 0}, "q2": {"a": 1}}, judged_only=True)
    assert ranks.retrieved.tolist() == [2, 0]
    assert (names(ranks), ranks.hits.rank.tolist()) == (["b", "d"], [1, 2])
    assert ranks.missing_topics == []  # q2 was there, though nothing of it is left


@given(tables(), st.randoms())
@quickly
def test_some_queries_of_the_counts_are_the_counts_of_some_queries(data: Tables, random: Any) -> None:
    """As if the judgments had held these topics only; the others are then ignored."""
    ranks = Ranks.from_tables(data.run, data.qrels)
    keep = [random.random() < 0.5 or number == 0 for number in range(len(data.qrels))]
    kept = {query: docs for (query, docs), there in zip(data.qrels.items(), keep, strict=True) if there}
    some, few = ranks.only(np.array(keep)), Ranks.from_tables(data.run, kept)
    assert counted(some) == replace(counted(few), ignored=counted(some).ignored)
    assert (some.queries, some.in_run.tolist()) == (few.queries, few.in_run.tolist())
    assert (some.ideal.query.tolist(), some.ideal.grade.tolist()) == (
        few.ideal.query.tolist(),
        few.ideal.grade.tolist(),
    )


def test_no_query_may_be_kept_as_well() -> None:
    none = Ranks.from_grades([1, 0], [1]).only(np.array([False, False]))
    assert (none.queries, none.retrieved.tolist(), none.hits.rank.tolist(), none.ideal.rank.tolist()) == (
        (),
        [],
        [],
        [],
    )


def test_every_rank_has_a_grade_minus_1_if_unknown_minus_2_if_pooled_only() -> None:
    ranks = Ranks.from_tables(
        {"q1": {"a": 4.0, "b": 3.0, "c": 2.0}, "q3": {"x": 2.0, "a": 1.0}},
        {"q1": {"c": 2, "a": -1}, "q2": {"a": 1}, "q3": {"a": 0}},
    )
    every = ranks.every_rank()
    assert every.query.tolist() == [0, 0, 0, 2, 2]
    assert every.rank.tolist() == [1, 2, 3, 1, 2]
    assert every.grade.tolist() == [-2, -1, 2, -1, 0]


@given(tables(), st.sampled_from([{}, {"depth": 2}, {"judged_only": True}, {"missing": "skip"}]))
@quickly
def test_every_rank_agrees_with_the_twin(data: Tables, rules: dict[str, Any]) -> None:
    ranks = Ranks.from_tables(data.run, data.qrels, **rules)
    expected = []
    for number, query in enumerate(ranks.queries):
        ranked = ranking(list(data.run.get(query, {}).items()), "doc_id_descending", "error")[: rules.get("depth")]
        grades = [data.qrels[query].get(doc, None) for doc, _ in ranked]
        if rules.get("judged_only"):
            grades = [grade for grade in grades if grade is not None and grade >= 0]
        told = [-1.0 if grade is None else -2.0 if grade < 0 else grade for grade in grades]
        expected += [(number, rank, grade) for rank, grade in enumerate(told, 1)]
    every = ranks.every_rank()
    assert list(zip(every.query.tolist(), every.rank.tolist(), every.grade.tolist(), strict=True)) == expected


def test_tied_documents_have_no_rank_of_their_own_when_ties_are_averaged() -> None:
    ranks = Ranks.from_tables({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}}, ties="expected", depth=1)
    with pytest.raises(ParameterError, match="no rank of their own"):
        ranks.every_rank()


# Right and wrong decisions.


def test_a_retrieved_set_is_counted_as_decisions() -> None:
    """q1 finds 1 of 2 relevant documents among 3, q2 nothing, q3 one that is not relevant."""
    run = {"q1": {"a": 3.0, "b": 2.0, "x": 1.0}, "q3": {"a": 1.0}}
    qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}, "q3": {"a": -1}}
    confusion = Confusion.from_tables(run, qrels, collection_size=10)
    assert confusion.units == ("q1", "q2", "q3")
    assert confusion.tp.tolist() == [1, 0, 0]
    assert confusion.fp.tolist() == [3 - 1, 0, 1]
    assert confusion.fn.tolist() == [2 - 1, 1, 0]
    assert confusion.tn is not None
    assert confusion.tn.tolist() == [10 - 1 - 2 - 1, 10 - 1, 10 - 1]
    assert Confusion.from_tables(run, qrels).tn is None


def test_the_relevance_level_decides_what_is_right() -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2, "c": 1}}
    ranks = Ranks.from_tables(run, qrels)
    assert Confusion.from_ranks(ranks).tp.tolist() == [2]
    assert Confusion.from_ranks(ranks, level=2).tp.tolist() == [1]
    assert Confusion.from_ranks(ranks, level=2).fn.tolist() == [0]
    assert Confusion.from_tables(run, qrels, relevance_level=2).fp.tolist() == [1]


def test_a_collection_smaller_than_what_was_seen_of_it_is_refused() -> None:
    run, qrels = {"q1": {"a": 1.0, "b": 0.5}, "q2": {"a": 1.0}}, {"q1": {"a": 1, "c": 1}, "q2": {"a": 1}}
    with pytest.raises(ParameterError, match="collection_size is 2, but a query has 3 documents"):
        Confusion.from_tables(run, qrels, collection_size=2)
    confusion = Confusion.from_tables(run, qrels, collection_size=3)  # a and b retrieved, c missed
    assert confusion.tn is not None
    assert confusion.tn.tolist() == [0, 2]


@given(tables(), st.sampled_from([{}, {"depth": 2}, {"judged_only": True}, {"relevance_level": 2.0}]))
@quickly
def test_decisions_add_up(data: Tables, rules: dict[str, Any]) -> None:
    ranks = Ranks.from_tables(data.run, data.qrels, **rules)
    confusion = Confusion.from_ranks(ranks, collection_size=1000)
    assert confusion.tn is not None
    assert (np.stack([confusion.tp, confusion.fp, confusion.fn, confusion.tn]) >= 0).all()
    np.testing.assert_array_equal(confusion.tp + confusion.fp, ranks.retrieved)
    np.testing.assert_array_equal(confusion.tp + confusion.fn, ranks.relevant())
    assert (confusion.tp + confusion.fp + confusion.fn + confusion.tn == 1000).all()


def test_which_decisions_were_taken_is_open_when_ties_reach_over_the_depth() -> None:
    with pytest.raises(ParameterError, match="which tied documents the depth leaves in is open"):
        Confusion.from_tables({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1, "b": 1}}, ties="expected", depth=1)


# Rankings for examples.


def test_grades_by_rank_are_what_the_tables_would_give() -> None:
    example = Ranks.from_grades([2, None, 0], [None, 1], judged=[[1, 3], []])
    run = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"x": 2.0, "a": 1.0}}
    ranks = Ranks.from_tables(run, {"q1": {"a": 2, "b": 0, "c": 1, "d": 3}, "q2": {"a": 1}})
    assert (example.queries, example.max_grade) == (ranks.queries, ranks.max_grade)
    assert example.retrieved.tolist() == ranks.retrieved.tolist() == [3, 2]
    for column in "query", "rank", "grade":
        assert getattr(example.hits, column).tolist() == getattr(ranks.hits, column).tolist()
        assert getattr(example.ideal, column).tolist() == getattr(ranks.ideal, column).tolist()


def test_counting_changes_neither_table() -> None:
    data = random_tables(31)
    run, qrels = Run.of(data.run), Qrels.of(data.qrels)
    before = run.frame.clone(), qrels.frame.clone()
    for ties in TIES:
        Ranks.from_tables(run, qrels, ties=ties, duplicates="best", depth=3)  # type: ignore[arg-type]
    assert run.frame.equals(before[0])
    assert qrels.frame.equals(before[1])
