"""Random judgments and runs: small enough to be checked by hand or by brute force, odd enough to bring out mistakes.

Each table has what real ones have: graded and negative judgments, tied scores, unjudged documents, judged topics that
the run lacks, topics of the run that nobody judged, topics without a relevant document, ids in any script.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from twin import Topic, rank

Table: TypeAlias = dict[str, dict[str, float]]

TOP_GRADE = 4.0
#: Byte order, code-point order and case differ among these, some look like numbers or like nothing.
DOC_IDS = (*(f"d{number}" for number in range(1, 25)), "D1", "001", "1", "NA", "d-1", "é", "ß", "日本", "𝔡", "ﬀ")
#: Grades of a topic are drawn from one of these; the last three give topics without a relevant document.
PROFILES = ((0, 1), (0, 1, 2, 3, 4), (-2, -1, 0, 1, 2), (0, 0, 0, 3), (1, 2), (0,), (-1, 0), (-1,))
FRACTIONS = (0.25, 0.5, 1.0, 1.5, 2.75)

#: Examples are the same in every run, so that a failure on one machine is a failure on all.
quickly = settings(max_examples=20, deadline=None, derandomize=True, database=None)


class Tables(NamedTuple):
    """Judgments and a run."""

    qrels: Table
    run: Table

    def whole(self) -> dict[str, dict[str, int]]:
        """The judgments with whole grades, as the reference tool wants them.

        It crashes on a topic without any non-negative grade, so such a topic gets a judgment of 0 for a document that
        no run returns.
        """
        grades = {query: {doc: int(grade) for doc, grade in docs.items()} for query, docs in self.qrels.items()}
        return {q: docs if max(docs.values()) >= 0 else {**docs, "nowhere": 0} for q, docs in grades.items()}

    def for_the_reference_tool(self) -> Tables:
        """The same tables, with judgments as in `whole`."""
        return Tables({query: dict(docs) for query, docs in self.whole().items()}, self.run)

    def topics(self, level: float = 1.0, ties: str = "doc_id_descending") -> list[Topic]:
        """The judged topics for the slow twin, in the order of the judgments; a missing one is an empty ranking."""
        return [Topic(rank(self.run.get(query, {}), ties), docs, level) for query, docs in self.qrels.items()]


def shuffled(table: Table, rng: np.random.Generator) -> list[tuple[str, str, float]]:
    """The rows of a table in any order, the queries mixed up."""
    rows = [(query, doc, value) for query, docs in table.items() for doc, value in docs.items()]
    return [rows[row] for row in rng.permutation(len(rows))]


def random_tables(
    seed: int, topics: int = 18, *, documents: int = 16, levels: int | None = 6, fractions: bool = False
) -> Tables:
    """Make tables from a seed; scores are quarters, which single precision tells apart.

    Up to `documents` are judged, as many retrieved, of half as many again; there are `levels` different scores, or,
    with None, no ties at all.
    """
    rng = np.random.default_rng(seed)
    qrels: Table = {}
    run: Table = {}
    for number in range(topics):
        query = f"q{number}" if number % 5 else f"thème {number}"
        profile = PROFILES[int(rng.integers(len(PROFILES)))] if number else PROFILES[1]
        grades = (*profile, *FRACTIONS) if fractions and number % 2 else profile
        pool = rng.permutation(DOC_IDS)[: documents * 3 // 2].tolist()
        judged = _some(rng, pool, documents)
        qrels[query] = {doc: float(grades[int(rng.integers(len(grades)))]) for doc in judged}
        found = _some(rng, pool, documents)
        values = rng.permutation(len(found)) if levels is None else rng.integers(0, levels, len(found))
        run[query] = {doc: (float(value) - 3) / 4 for doc, value in zip(found, values, strict=True)}
    for missing in list(qrels)[3::7]:
        del run[missing]
    run["nobody judged this"] = {"d1": 1.0, "d2": 0.5}
    return Tables(qrels, run)


def _some(rng: np.random.Generator, pool: list[str], most: int) -> list[str]:
    chosen: list[str] = rng.permutation(pool)[: int(rng.integers(1, most + 1))].tolist()
    return chosen


doc_ids = st.sampled_from(DOC_IDS)
#: Text of any script, but no surrogates, which UTF-8 cannot write, and no control characters, which C cannot read.
any_ids = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=5)
grades = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.0, TOP_GRADE])
scores = st.integers(-8, 8).map(lambda value: value / 4)


@st.composite
def tables(draw: st.DrawFn, whole: bool = False, most: int = 8) -> Tables:
    """Small tables; `whole` gives whole grades only."""
    kinds = grades.filter(float.is_integer) if whole else grades
    queries = draw(st.lists(any_ids, min_size=1, max_size=4, unique=True))
    judged = {query: draw(st.dictionaries(doc_ids | any_ids, kinds, min_size=1, max_size=most)) for query in queries}
    run: Table = {}
    for number, query in enumerate(queries):
        # Most documents of the run should be judged ones; the first topic is there, the others may be missing.
        found = st.sampled_from(sorted(judged[query])) | doc_ids
        run[query] = draw(st.dictionaries(found, scores, min_size=0 if number else 1, max_size=most))
    extra = draw(st.dictionaries(any_ids.filter(lambda query: query not in judged), st.just({"d1": 1.0}), max_size=1))
    return Tables(judged, run | extra)
