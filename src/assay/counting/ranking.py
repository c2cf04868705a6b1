"""Rows of whole queries -> hits: what rank a retrieved document has that is in the judgments.

Whole runs are never sorted: most come in order, and then a hit's rank is its row. Queries that are out of order are
sorted; documents with equal scores are compared only where a hit is among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from assay.counting.judgments import Floats, Ints, Mask
from assay.counting.policies import Policies

#: Rows of tied documents, first and last row with the same score, whether larger ids come first -> rows by id.
Settle: TypeAlias = Callable[[Ints, Ints, Ints, bool], Ints]
NONE = np.zeros(0, dtype=np.int64)


class Hits(NamedTuple):
    """Retrieved documents that are in the judgments: where they stand, and which judgment is theirs."""

    topic: Ints
    judgment: Ints
    rank: Ints
    tie_first: Ints
    tie_last: Ints

    def outside(self, topics: Mask) -> Hits:
        """The hits of other topics."""
        return self.take(np.flatnonzero(~topics[self.topic]))

    def take(self, rows: Ints) -> Hits:
        """Some of the hits, in a given order."""
        return Hits(*(column[rows] for column in self))

    @classmethod
    def together(cls, parts: Iterable[Hits]) -> Hits:
        """All parts, by topic and rank."""
        joined = cls(*map(np.concatenate, zip(NO_HITS, *parts, strict=True)))
        # One number for both, since they come nearly sorted: a stable sort makes use of that, `lexsort` does not.
        place = joined.topic * (joined.rank.max(initial=0) + 1) + joined.rank
        return joined.take(np.argsort(place, kind="stable"))


NO_HITS = Hits(NONE, NONE, NONE, NONE, NONE)


class Found(NamedTuple):
    """The hits of a run, by topic and rank, and how many documents each topic retrieved."""

    hits: Hits
    retrieved: Ints
    in_run: Mask
    ignored: frozenset[str]
    #: The topics that have a score beyond all numbers (`1e999` is read as infinity), and those with one score for all.
    infinite: Mask
    equal: Mask


def odd_queries(score: Floats, query_starts: Ints) -> tuple[Mask, Mask]:
    """The queries with an infinite score, and those of which all documents have one score; scores fall.

    >>> odd_queries(np.array([np.inf, 1.0, 2.0, 2.0]), np.array([0, 2]))
    (array([ True, False]), array([False,  True]))
    """
    ends = np.append(query_starts[1:], len(score)) - 1
    highest, lowest = score[query_starts], score[ends]
    return np.isinf(highest) | np.isinf(lowest), (highest == lowest) & (ends > query_starts)


def compared(score: Floats, policies: Policies) -> Floats:
    """The scores as they are compared."""
    if policies.score_precision == "double":
        return score
    with np.errstate(over="ignore"):  # beyond 32 bits is infinite, as it was for tools that compare so
        return score.astype(np.float32).astype(np.float64)


def sorted_rows(topic: Ints, score: Floats, policies: Policies) -> Ints | None:
    """The order by topic (each contiguous) and falling score, or None for rows that have it already."""
    if not ((topic[1:] == topic[:-1]) & (score[1:] > score[:-1])).any():
        return None
    keeps_order = policies.ties in {"input_order", "expected"} or policies.duplicates != "error"
    order = np.argsort(-score, kind="stable" if keeps_order else "quicksort")
    stretch = np.append(0, np.cumsum(topic[1:] != topic[:-1]))
    return order[stable_order(stretch[order])]


def ranked(topic: Ints, score: Floats, rows: Ints, judgment: Ints, *, ties: str, settle: Settle) -> tuple[Hits, Ints]:
    """Turn the rows of judged documents into hits; also give the first row of each query.

    Rows are in the order of `sorted_rows`; `settle` finds the place of hits among equal scores by their ids.
    """
    same_topic = topic[1:] == topic[:-1]
    query_starts = starts(same_topic)
    first = last = rows
    same_score = same_topic & (score[1:] == score[:-1])
    beside = np.append(False, same_score)[rows] | np.append(same_score, False)[rows]
    if beside.any():
        tie_starts = starts(same_score)
        group = np.searchsorted(tie_starts, rows, side="right") - 1
        first, last = tie_starts[group], np.append(tie_starts[1:], len(topic))[group] - 1
        if ties in {"doc_id_descending", "doc_id_ascending"}:
            tied = np.flatnonzero(last > first)
            rows = rows.copy()
            rows[tied] = settle(rows[tied], first[tied], last[tied], ties == "doc_id_descending")
    before = query_starts[np.searchsorted(query_starts, rows, side="right") - 1] - 1
    return Hits(topic[rows], judgment, rows - before, first - before, last - before), query_starts


def stable_order(numbers: Ints) -> Ints:
    """The order by number that leaves rows with the same number as they were."""
    # NumPy sorts 16-bit numbers by radix, several times faster than wider ones.
    return np.argsort(numbers.astype(np.uint16) if numbers.max(initial=0) < 1 << 16 else numbers, kind="stable")


def starts(goes_on: Mask) -> Ints:
    """Rows that do not go on with the row before."""
    return np.append(np.zeros(1, np.int64), np.flatnonzero(~goes_on) + 1)
