"""Run x judgments -> hits, in one pass over the rows.

A hit is a retrieved document that is in the judgments. Rows come in batches, and most queries are contiguous; queries
that are split over the input are gathered in a second pass. Batches are counted in the threads that parse them, but for
their first and last query, which may go on in the next batch: those are put together here, in order.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import DuplicateError, argument, quote
from assay.measures.counting.judgments import Floats, Hashes, Ints, Judgments, Mask, pair_hashes
from assay.measures.counting.ranking import (
    NO_HITS,
    NONE,
    Found,
    Hits,
    Policies,
    compared,
    look_up_hits,
    odd_queries,
    ranked,
    sorted_rows,
    stable_order,
    starts,
)
from assay.tables import Batches, Run, as_series, picked

# Rows of scattered queries counted at a time: small enough for the processor's cache, large enough to be worth a call.
_BLOCK_ROWS = 1 << 18
# Up to so many comparisons of ids for each row with a tied score, comparing is faster than sorting.
_COMPARISONS_A_ROW = 8


def find_hits(run: Batches, judgments: Judgments, policies: Policies) -> Found:
    """Go through a run once (twice where queries are split over the input) and find its hits."""
    in_dicts = run.dicts if isinstance(run, Run) and policies.rank_by == "score" else None
    # Many rows are worth being made into columns, which are counted on all cores.
    if in_dicts is not None and len(in_dicts.doc_ids) < _BLOCK_ROWS:
        return look_up_hits(in_dicts, judgments, policies)
    try:
        return _find_hits(run, _Search(judgments, policies), judgments, policies)
    except _FoundTwiceError as twice:
        query_id, doc_id = twice.args
        path, line = run.whereabouts(query_id, doc_id)
        raise DuplicateError(
            path,
            line,
            expected="each document once in a query",
            note=f"document {quote(doc_id)} comes again in query {quote(query_id)}; "
            f"{argument('duplicates', 'first')} or {argument('duplicates', 'best')} keeps one",
        ) from None


def _find_hits(run: Batches, search: "_Search", judgments: Judgments, policies: Policies) -> Found:
    topics = len(judgments.topics)
    retrieved, seen, split = np.zeros(topics, np.int64), np.zeros(topics, np.bool_), np.zeros(topics, np.bool_)
    odd = np.zeros((2, topics), np.bool_)
    ignored: set[str] = set()
    parts: list[Hits] = []
    for counted in _in_order(run.batches(search.piece, policies.rank_by), search, ignored):
        split[counted.topics[seen[counted.topics]]] = True
        split[counted.repeated] = True
        seen[counted.topics] = True
        seen[counted.repeated] = True
        retrieved[counted.topics] = counted.retrieved
        odd[:, counted.topics] = counted.odd
        parts.append(counted.hits)
    if split.any():
        # What was counted of a split query was a part of it: count those queries anew, together.
        parts = [hits.outside(split) for hits in parts]
        for counted in search.gathered(run.batches(lambda frame: search.rows_of(frame, split), policies.rank_by)):
            retrieved[counted.topics] = counted.retrieved
            odd[:, counted.topics] = counted.odd
            parts.append(counted.hits)
    return Found(Hits.together(parts), retrieved, seen, frozenset(ignored), *odd)


class _Rows(NamedTuple):
    """Rows of a run, topics by number; columns of equal length."""

    topic: Ints
    score: Floats
    hash: Hashes
    doc_id: pl.Series

    def slice(self, start: int, end: int) -> "_Rows":
        return _Rows(
            self.topic[start:end], self.score[start:end], self.hash[start:end], self.doc_id.slice(start, end - start)
        )

    def take(self, rows: Ints) -> "_Rows":
        return _Rows(self.topic[rows], self.score[rows], self.hash[rows], picked(self.doc_id, rows))

    def by_id(self, tied: Ints, first: Ints, last: Ints, descending: bool) -> Ints:
        """The rows that documents with equal scores move to when all with that score are sorted by id."""
        groups, index, group = np.unique(first, return_index=True, return_inverse=True)
        sizes = last[index] - groups + 1
        if (last - first + 1).sum() < _COMPARISONS_A_ROW * sizes.sum():
            # Where hits are few among their equals, each is compared with all of them: no sorting.
            return np.add(first, self._before(tied, first, last, descending))
        offsets = np.cumsum(sizes) - sizes
        members = np.repeat(groups - offsets, sizes) + np.arange(sizes.sum())
        ordered = pl.DataFrame(
            {
                "group": np.repeat(np.arange(len(groups)), sizes),
                "doc_id": self.doc_id.gather(members),
                "member": np.arange(len(members)),
            }
        ).sort("group", "doc_id", descending=[False, descending])
        # The members of a group, in row order, are the places; the sorted documents take them in turn.
        place: Ints = np.empty(len(members), dtype=np.int64)
        place[ordered["member"].to_numpy()] = members
        at: Ints = offsets[group] + tied - first
        return place[at]

    def _before(self, tied: Ints, first: Ints, last: Ints, descending: bool) -> Ints:
        """The number of documents with the same score that come before, by id."""
        hits = pl.DataFrame({"row": as_series(tied), "first": as_series(first), "end": as_series(last + 1)})
        pairs = hits.select("row", other=pl.int_ranges("first", "end")).explode("other")
        mine, other = self.doc_id.gather(pairs["row"]), self.doc_id.gather(pairs["other"])
        before = (other > mine if descending else other < mine).to_numpy()
        sizes = last - first + 1
        return np.add.reduceat(before, np.cumsum(sizes) - sizes, dtype=np.int64)

    @staticmethod
    def together(parts: list["_Rows"]) -> "_Rows":
        if len(parts) == 1:
            return parts[0]
        return _Rows(
            np.concatenate([part.topic for part in parts]),
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.hash for part in parts]),
            pl.concat([part.doc_id for part in parts]),
        )


class _Counted(NamedTuple):
    """Counts of whole queries; `repeated` topics came up more than once and wait for the second pass.

    `odd`: which topics have an infinite score, and which of them one score for all documents.
    """

    topics: Ints
    retrieved: Ints
    hits: Hits
    repeated: Ints
    odd: tuple[Mask, Mask]


_NOTHING = _Counted(NONE, NONE, NO_HITS, NONE, (NONE.astype(np.bool_), NONE.astype(np.bool_)))


class _FoundTwiceError(Exception):
    """A document twice in a query; where it is, is looked up when nobody is reading the file any more."""


class _Piece(NamedTuple):
    """A batch: its first query, those between (counted already, if they are many), and its last one, if another."""

    first: _Rows
    between: _Counted | _Rows | None
    last: _Rows | None
    ignored: set[str]


def _in_order(pieces: Iterator[_Piece], search: "_Search", ignored: set[str]) -> Iterator[_Counted]:
    """Put queries together that go on from batch to batch; count what is complete, many queries at a time."""
    waiting: list[_Rows] = []
    complete: list[_Rows] = []
    for piece in pieces:
        ignored |= piece.ignored
        if waiting and not (len(piece.first.topic) and piece.first.topic[0] == waiting[0].topic[0]):
            complete += waiting
            waiting = []
        if len(piece.first.topic):
            waiting.append(piece.first)
        if piece.last is None:
            continue
        complete += waiting
        waiting = [piece.last] if len(piece.last.topic) else []
        if isinstance(piece.between, _Rows):
            complete.append(piece.between)
            if sum(len(rows.topic) for rows in complete) < _BLOCK_ROWS:
                continue
        elif piece.between is not None:
            yield piece.between
        # Rows are views of their batch: counted now, they let go of it.
        if complete:
            yield search.whole_queries(_Rows.together(complete))
            complete = []
    complete += waiting
    if complete:
        yield search.whole_queries(_Rows.together(complete))


class _Search:
    """The constants of all batches; it holds no state, so that threads can share it."""

    def __init__(self, judgments: Judgments, policies: Policies) -> None:
        self.judgments, self.policies, self.seed = judgments, policies, judgments.table.seed

    def piece(self, frame: pl.DataFrame) -> _Piece:
        """Cut a batch at its first and last query and count what lies between."""
        if not frame.height:
            return _Piece(self._numbered(frame, NONE, NONE), None, None, set())
        names, lengths, numbers = self._stretches(frame)
        rows = self._numbered(frame, numbers, lengths)
        ignored = set(names.filter(numbers < 0)) if numbers.min() < 0 else set()
        height = frame.height
        first_length = int(lengths[0])
        first = rows.slice(0, first_length if numbers[0] >= 0 else 0)
        if len(lengths) == 1:
            return _Piece(first, None, None, ignored)
        last_start = height - int(lengths[-1])
        last = rows.slice(last_start if numbers[-1] >= 0 else height, height)
        between = rows.slice(first_length, last_start)
        counted = self.whole_queries(between) if len(between.topic) > _BLOCK_ROWS // 4 else between
        return _Piece(first, counted, last, ignored)

    def whole_queries(self, rows: _Rows) -> _Counted:
        """Count the queries that come up once, in one stretch; name those that come up again."""
        if not len(rows.topic):
            return _NOTHING
        numbers = rows.topic[starts(rows.topic[1:] == rows.topic[:-1])]
        topics, stretches = np.unique(numbers[numbers >= 0], return_counts=True)
        if len(topics) < len(numbers):
            once = np.zeros(len(self.judgments.topics) + 1, dtype=np.bool_)
            once[topics[stretches == 1]] = True
            rows = rows.take(np.flatnonzero(once[rows.topic]))  # topic -1, not judged, finds the False at the end
        counted = self.count(rows)
        return counted._replace(repeated=topics[stretches > 1])

    def rows_of(self, frame: pl.DataFrame, topics: Mask) -> _Rows:
        """The rows of some topics."""
        _, lengths, numbers = self._stretches(frame)
        rows = self._numbered(frame, numbers, lengths)
        return rows.take(np.flatnonzero(np.append(topics, False)[rows.topic]))

    def gathered(self, parts: Iterator[_Rows]) -> Iterator[_Counted]:
        """Count queries whose rows are scattered: brought together first, then some queries at a time."""
        rows = _Rows.together(list(parts))
        rows = rows.take(stable_order(rows.topic))
        first = starts(rows.topic[1:] == rows.topic[:-1])
        cuts = [
            0,
            *np.unique(first[np.searchsorted(first, np.arange(_BLOCK_ROWS, len(rows.topic), _BLOCK_ROWS)) - 1]),
        ]
        for start, end in zip(cuts, [*cuts[1:], len(rows.topic)], strict=True):
            yield self.count(rows.slice(int(start), int(end)))

    def _stretches(self, frame: pl.DataFrame) -> tuple[pl.Series, Ints, Ints]:
        """The stretches of one query after another: names, lengths, and topic numbers, -1 without judgments."""
        stretches = frame["query_id"].rle().struct
        names = stretches.field("value")
        return names, stretches.field("len").to_numpy().astype(np.int64), self.judgments.numbers_of(names)

    def _numbered(self, frame: pl.DataFrame, numbers: Ints, lengths: Ints) -> _Rows:
        score = frame["score"].to_numpy()
        doc_id = frame["doc_id"]
        score = compared(score, self.policies)
        return _Rows(np.repeat(numbers, lengths), score, doc_id.hash(self.seed).to_numpy(), doc_id)

    def count(self, rows: _Rows) -> _Counted:
        """Find the hits among the rows of whole queries, each of them contiguous."""
        if not len(rows.topic):
            return _NOTHING
        rows = self._best_first(self._without_duplicates(rows))
        judged_rows, judgment = self.judgments.find(_pairs(rows), rows.topic, rows.doc_id)
        hits, query_starts = ranked(
            rows.topic, rows.score, judged_rows, judgment, ties=self.policies.ties, settle=rows.by_id
        )
        retrieved = np.diff(query_starts, append=len(rows.topic))
        return _Counted(rows.topic[query_starts], retrieved, hits, NONE, odd_queries(rows.score, query_starts))

    def _best_first(self, rows: _Rows) -> _Rows:
        order = sorted_rows(rows.topic, rows.score, self.policies)
        return rows if order is None else rows.take(order)

    def _without_duplicates(self, rows: _Rows) -> _Rows:
        """Look for a document twice in a query: by hash, and by text only where hashes are equal."""
        hashes = _pairs(rows)
        ordered = np.sort(hashes)
        equal = ordered[1:] == ordered[:-1]
        if not equal.any():
            return rows
        suspects = rows.take(np.flatnonzero(np.isin(hashes, ordered[1:][equal])))
        pairs = pl.DataFrame({"topic": suspects.topic, "doc_id": suspects.doc_id})
        twice = pairs.filter(pairs.is_duplicated())
        if not twice.height:
            return rows
        if self.policies.duplicates == "error":
            raise _FoundTwiceError(self.judgments.topics[twice["topic"][0]], twice["doc_id"][0])
        if self.policies.duplicates == "best":
            rows = self._best_first(rows)
        pairs = pl.DataFrame({"topic": rows.topic, "doc_id": rows.doc_id})
        kept = pairs.select(pl.struct(pl.all()).is_first_distinct()).to_series()
        return rows.take(np.flatnonzero(kept.to_numpy()))


def _pairs(rows: _Rows) -> Hashes:
    return pair_hashes(rows.topic, rows.hash)
