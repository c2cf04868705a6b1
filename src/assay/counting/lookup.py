"""A run in dicts -> hits: documents are looked up one by one, without making columns of text first."""

from __future__ import annotations

import itertools
from bisect import bisect_left

import numpy as np

from assay.counting.judgments import Ints, Judgments
from assay.counting.policies import Policies
from assay.counting.ranking import NONE, Found, Hits, compared, ranked, sorted_rows
from assay.tables import FlatDicts


def look_up_hits(run: FlatDicts, judgments: Judgments, policies: Policies) -> Found:
    """Find the hits of a run that came in dicts; no document can come twice in a query."""
    number = [judgments.topic_number.get(query, -1) for query in run.query_ids]
    topic = np.repeat(np.array(number, dtype=np.int64), run.lengths)
    position, judgment = _judged(run, number, judgments)
    row = np.flatnonzero(topic >= 0)
    topic, score = topic[row], compared(run.numbers[row], policies)
    order = sorted_rows(topic, score, policies)
    if order is not None:
        row, score = row[order], score[order]
    place = np.empty(len(run.doc_ids), dtype=np.int64)
    place[row] = np.arange(len(row))

    def by_id(tied: Ints, first: Ints, last: Ints, descending: bool) -> Ints:
        """The rows that documents with equal scores move to when all with that score are sorted by id."""
        in_place = order is None and len(row) == len(run.doc_ids)
        ranking = run.doc_ids if in_place else [run.doc_ids[at] for at in row.tolist()]
        moved, known, alike = [], -1, ranking
        for mine, start, end in zip(tied.tolist(), first.tolist(), last.tolist(), strict=True):
            if start != known:
                known, alike = start, sorted(ranking[start : end + 1])
            smaller = bisect_left(alike, ranking[mine])
            moved.append(end - smaller if descending else start + smaller)
        return np.array(moved, dtype=np.int64)

    hits, _ = ranked(topic, score, place[position], judgment, ties=policies.ties, settle=by_id)
    retrieved = np.bincount(topic, minlength=len(judgments.topics))
    ignored = frozenset(query for query, known in zip(run.query_ids, number, strict=True) if known < 0)
    return Found(Hits.together([hits]), retrieved, retrieved > 0, ignored)


def _judged(run: FlatDicts, number: list[int], judgments: Judgments) -> tuple[Ints, Ints]:
    """The positions of judged documents among all, and of their judgments."""
    found: list[Ints] = [NONE]
    documents = iter(run.doc_ids)
    for topic, length in zip(number, run.lengths, strict=True):
        known = judgments.by_document[topic] if topic >= 0 else {}
        these = itertools.islice(documents, length)
        found.append(np.fromiter(map(known.get, these, itertools.repeat(-1)), np.int64, length))
    judgment = np.concatenate(found)
    position = np.flatnonzero(judgment >= 0)
    return position, judgment[position]
