"""A run in dicts -> hits: documents are looked up one by one, without making columns of text first."""

from __future__ import annotations

import itertools
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from assay.counting.judgments import Ints, Judgments
from assay.counting.policies import Policies
from assay.counting.ranking import Found, Hits, compared, odd_queries, ranked, sorted_rows
from assay.tables import FlatDicts

# Tied documents looked at at a time: what is made of their ids stays in the processor's cache.
_BLOCK = 1 << 9
# What it takes to begin comparing ids, and to sort them instead, for each document, as a number of comparisons.
_BEGINNING, _SORTING = 1 << 11, 1 << 5
_WORD = 8


def look_up_hits(run: FlatDicts, judgments: Judgments, policies: Policies) -> Found:
    """Find the hits of a run that came in dicts; no document can come twice in a query."""
    number = [judgments.topic_number.get(query, -1) for query in run.query_ids]
    topic = np.repeat(np.array(number, dtype=np.int64), run.lengths)
    position, judgment = _judged(run, number, topic, judgments)
    row: Ints | None = None  # where the rows come from, if not in their order or not all of them
    score = compared(run.numbers, policies)
    if -1 in number:
        row = np.flatnonzero(topic >= 0)
        topic, score = topic[row], score[row]
    if (order := sorted_rows(topic, score, policies)) is not None:
        row, score = order if row is None else row[order], score[order]
    if row is not None:
        place = np.empty(len(run.doc_ids), dtype=np.int64)
        place[row] = np.arange(len(row))
        by_place = np.argsort(place[position])
        position, judgment = place[position][by_place], judgment[by_place]

    def by_id(tied: Ints, first: Ints, last: Ints, descending: bool) -> Ints:
        """The rows that documents with equal scores move to when all with that score are sorted by id."""
        ranking = run.doc_ids if row is None else [run.doc_ids[at] for at in row.tolist()]
        blocks = [slice(start, start + _BLOCK) for start in range(0, len(tied), _BLOCK)]
        smaller = np.concatenate([_smaller(ranking, tied[block], first[block], last[block]) for block in blocks])
        moved: Ints = last - smaller if descending else first + smaller
        return moved

    hits, query_starts = ranked(topic, score, position, judgment, ties=policies.ties, settle=by_id)
    retrieved = np.bincount(topic, minlength=len(judgments.topics))
    ignored = frozenset(query for query, known in zip(run.query_ids, number, strict=True) if known < 0)
    odd = np.zeros((2, len(judgments.topics)), dtype=np.bool_)
    if len(topic):
        odd[:, topic[query_starts]] = odd_queries(score, query_starts)
    return Found(Hits.together([hits]), retrieved, retrieved > 0, ignored, *odd)


def _judged(run: FlatDicts, number: list[int], topic: Ints, judgments: Judgments) -> tuple[Ints, Ints]:
    """The positions of judged documents among all, and of their judgments."""
    numbers = [np.zeros(0, dtype=np.int32)]
    documents = iter(run.doc_ids)
    for query, length in zip(number, run.lengths, strict=True):
        known = judgments.by_document[query] if query >= 0 else {}
        these = itertools.islice(documents, length)
        numbers.append(np.fromiter(map(known.get, these, itertools.repeat(-1)), np.int32, length))
    judged = np.concatenate(numbers)
    position = np.flatnonzero(judged >= 0)
    return position, judgments.positions(topic[position], judged[position].astype(np.int64))


def _smaller(ranking: list[str], tied: Ints, first: Ints, last: Ints) -> Ints:
    """How many documents with the same score have a smaller id than each of some; these come in the order of rows."""
    start, end, sizes = int(first[0]), int(last[-1]) + 1, last - first + 1
    comparisons = int(sizes.sum())
    if _BEGINNING + end - start + comparisons > _SORTING * len(tied):
        return _smaller_by_sorting(ranking, tied, first, last)
    # Each id ends in a zero, which is smaller than what a longer one has there: what comes after makes no difference.
    content = np.frombuffer("\0".join([*ranking[start:end], "\0" * _WORD]).encode(), np.uint8)
    ends = np.flatnonzero(content == 0)[: 1 - _WORD]
    if len(ends) != end - start + 1:  # an id has a zero inside
        return _smaller_by_sorting(ranking, tied, first, last)
    begin = np.append(0, ends[:-2] + 1)
    words: NDArray[np.uint64] = np.ndarray(len(content) - _WORD + 1, ">u8", content, strides=(1,))
    word = words[begin].astype(np.uint64)
    offset = np.cumsum(sizes) - sizes
    mine, other = np.repeat(tied - start, sizes), np.repeat(first - start - offset, sizes) + np.arange(comparisons)
    our, their = word[mine], word[other]
    smaller = their < our
    undecided = np.flatnonzero((their == our) & (mine != other))
    ours, theirs = begin[mine[undecided]], begin[other[undecided]]
    while len(undecided):
        ours, theirs = ours + _WORD, theirs + _WORD
        our, their = words[ours], words[theirs]
        smaller[undecided[their < our]] = True
        same = np.flatnonzero(our == their)
        undecided, ours, theirs = undecided[same], ours[same], theirs[same]
    counts: Ints = np.add.reduceat(smaller, offset, dtype=np.int64)
    return counts


def _smaller_by_sorting(ranking: list[str], tied: Ints, first: Ints, last: Ints) -> Ints:
    smaller, known, alike = [], -1, ranking
    for mine, start, end in zip(tied.tolist(), first.tolist(), last.tolist(), strict=True):
        if start != known:
            known, alike = start, sorted(ranking[start : end + 1])
        smaller.append(bisect_left(alike, ranking[mine]))
    return np.array(smaller, dtype=np.int64)
