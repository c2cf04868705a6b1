"""The same queries under many hypothetical judgments at once.

A hypothesis gives every unjudged document a grade. To try one costs as much as a query; so all that are to be tried
become queries of one large `Ranks`, and the measure is computed as it always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from assay.measures.counting.graded import Graded, place_in_group
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.ranking import NONE
from assay.measures.counting.ranks import Ranks
from assay.measures.counting.retrieved import as_judged
from assay.measures.registry import Measure

#: (number of the hypothesis, number of the unjudged document), each an array -> the grade that it has.
Grading: TypeAlias = Callable[[Ints, Ints], Floats]

# Rows computed at a time: enough to be worth a call, few enough to stay in the processor's cache.
_ROWS_AT_A_TIME = 1 << 19


class Unjudged(NamedTuple):
    """Unjudged documents, numbered from 0 in the order of queries: the query of each, and its place in `doc_ids`."""

    query: Ints
    document: Ints

    @classmethod
    def within(cls, cutoff: int | None, systems: Sequence[Ranks]) -> Unjudged:
        """The unjudged documents that one of the systems has within a cut-off; systems with the same queries."""
        query, document = [], []
        for ranks in systems:
            there = ranks.hits.grade < 0
            rows = ranks.hits.where(there if cutoff is None else there & (ranks.hits.rank <= cutoff))
            query.append(rows.query)
            document.append(rows.document)
        # Documents are numbered topic by topic, so that this is the order of queries, too.
        documents, first = np.unique(np.concatenate(document), return_index=True)
        return cls(np.concatenate(query)[first], documents)

    def ranks_in(self, ranks: Ranks) -> Floats:
        """The rank of each in a system, infinite where it was not retrieved."""
        number = self.numbers_of(ranks.hits.document)
        rank = np.full(len(self.document), np.inf)
        rank[number[number >= 0]] = ranks.hits.rank[number >= 0]
        return rank

    def numbers_of(self, documents: Ints) -> Ints:
        """The numbers of documents among these; -1 for all others."""
        if not len(self.document):
            return np.full(len(documents), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.document, documents), len(self.document) - 1)
        return np.where(self.document[place] == documents, place, -1)


class Hypotheses:
    """A system's queries, each under as many hypotheses as wanted.

    Documents with a grade above 0 join the ideal ranking; those with grade 0 stay unjudged, or, with
    `others_irrelevant`, are judged irrelevant. `top` is the highest grade there could be.

    >>> from assay.measures.counting.retrieved import retrieved
    >>> from assay.measures import AP
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))["mine"]
    >>> unjudged = Unjudged.within(None, [counts])
    >>> system = Hypotheses(counts, unjudged, top=1.0, others_irrelevant=False)
    >>> system.values(AP, np.array([0, 0]), lambda unit, number: 1.0 * unit)  # nothing more is relevant; all is
    array([0.5, 1. ])
    """

    def __init__(self, ranks: Ranks, unjudged: Unjudged, top: float, *, others_irrelevant: bool) -> None:
        plain = as_judged(ranks)
        self.plain, self.unjudged, self.top, self.others_irrelevant = plain, unjudged, top, others_irrelevant
        number = unjudged.numbers_of(plain.hits.document)
        kept = number < 0 if others_irrelevant else np.ones(len(number), dtype=np.bool_)
        self._hits, self._number = plain.hits.where(kept), number[kept]
        self._ideal = plain.ideal.where(unjudged.numbers_of(plain.ideal.document) < 0)
        self._rank = unjudged.ranks_in(ranks)
        queries = np.arange(len(ranks.queries) + 1)
        self._hit_bounds, self._ideal_bounds, self._unjudged_bounds = (
            np.searchsorted(query, queries) for query in (self._hits.query, self._ideal.query, unjudged.query)
        )

    @property
    def sizes(self) -> Ints:
        """How many rows each query has, unjudged documents included."""
        return self._judged_sizes + np.diff(self._unjudged_bounds)

    @property
    def _judged_sizes(self) -> Ints:
        return np.diff(self._hit_bounds) + np.diff(self._ideal_bounds)

    def values(self, measure: Measure, query: Ints, grading: Grading) -> Floats:
        """The measure of each hypothesis, from its query and the grades it gives; NaN where undefined."""
        values = [np.zeros(0)]
        for start, end in _blocks(self.sizes[query]):
            values.append(measure.of(self.counts(query[start:end], grading, start)))
        return np.concatenate(values)

    def values_with(self, measure: Measure, number: Ints) -> Floats:
        """The measure of the query of each document, if this one has the top grade and all else stays unjudged."""
        query, values = self.unjudged.query[number], [np.zeros(0)]
        for start, end in _blocks(self._judged_sizes[query] + 1):
            top = np.full(end - start, self.top)
            values.append(measure.of(self._counts(query[start:end], np.arange(end - start), number[start:end], top)))
        return np.concatenate(values)

    def counts(self, query: Ints, grading: Grading, start: int = 0) -> Ranks:
        """Counts with one query for each hypothesis, the first of them being number `start`."""
        unit, number = _stretches(self._unjudged_bounds, query)
        grade = grading(unit + start, number)
        if not self.others_irrelevant:
            positive = grade > 0
            unit, number, grade = unit[positive], number[positive], grade[positive]
        return self._counts(query, unit, number, grade)

    def _counts(self, query: Ints, unit: Ints, number: Ints, grade: Floats) -> Ranks:
        """Counts with one query for each hypothesis, and in it the unjudged documents that it says something about."""
        there = np.isfinite(self._rank[number])
        assumed = Graded(
            unit[there],
            self._rank[number[there]].astype(np.int64),
            grade[there],
            NONE,
            NONE,
            self.unjudged.document[number[there]],
        )
        owner, at = _stretches(self._hit_bounds, query)
        # What is in the judgments with a negative grade is a hit already, unless something else is said of it.
        doubtful = np.flatnonzero(self._number[at] >= 0)
        if len(doubtful):
            width = len(self.unjudged.query)
            again = np.isin(owner[doubtful] * width + self._number[at[doubtful]], unit * width + number)
            owner, at = np.delete(owner, doubtful[again]), np.delete(at, doubtful[again])
        hits = self._hits
        known = Graded(owner, hits.rank[at], hits.grade[at], NONE, NONE, hits.document[at])
        return replace(
            self.plain,
            queries=("",) * len(query),
            retrieved=self.plain.retrieved[query],
            in_run=self.plain.in_run[query],
            hits=_ranked(known, assumed),
            ideal=self._ideal_rows(query, unit, number, grade),
            max_grade=max(self.top, self.plain.max_grade),
        )

    def _ideal_rows(self, query: Ints, unit: Ints, number: Ints, grade: Floats) -> Graded:
        """The ideal ranking: what was judged and what has a grade by hypothesis, best grade first."""
        owner, at = _stretches(self._ideal_bounds, query)
        owner = np.append(owner, unit)
        grade = np.append(self._ideal.grade[at], grade)
        document = np.append(self._ideal.document[at], self.unjudged.document[number])
        order = np.lexsort((-grade, owner))
        owner = owner[order]
        place = place_in_group(owner) + 1
        return Graded(owner, place, grade[order], place, place, document[order])


def places(group: Ints, *keys: Floats) -> Ints:
    """The place of each row in its group, from 0, in the order of keys, of which the last counts most.

    >>> places(np.array([0, 1, 0]), np.array([5.0, 1.0, 2.0]))
    array([1, 0, 0])
    """
    order = np.lexsort((*keys, group))
    place = np.empty_like(order)
    place[order] = place_in_group(group[order])
    return place


def _ranked(known: Graded, assumed: Graded) -> Graded:
    """Two lists of documents in one, by query and rank."""
    query, rank = np.append(known.query, assumed.query), np.append(known.rank, assumed.rank)
    order = np.argsort(query * (1 + rank.max(initial=0)) + rank, kind="stable")
    rank = rank[order]
    grade, document = np.append(known.grade, assumed.grade), np.append(known.document, assumed.document)
    return Graded(query[order], rank, grade[order], rank, rank, document[order])


def _stretches(bounds: Ints, query: Ints) -> tuple[Ints, Ints]:
    """The rows of some queries, one after the other: to which of those given each belongs, and where it is."""
    first, sizes = bounds[query], bounds[query + 1] - bounds[query]
    unit = np.repeat(np.arange(len(query)), sizes)
    return unit, np.arange(len(unit)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)


def _blocks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Cut hypotheses into blocks of not too many rows."""
    total = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = total[start - 1] if start else 0
        end = max(int(np.searchsorted(total, before + _ROWS_AT_A_TIME, side="right")), start + 1)
        yield start, end
        start = end
