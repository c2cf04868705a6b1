"""Run x judgments -> hits, in one pass over the rows.

A hit is a retrieved document that is in the judgments. Its rank is found without sorting whole runs: rows come in
batches, most queries are contiguous and already sorted, and then a hit's rank is its row. Queries that are not sorted
are sorted; documents with equal scores are compared only where a hit is among them; queries that are split over the
input are gathered in a second pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.counting.judgments import Hashes, Ints, Judgments, Mask, pair_hashes
from assay.counting.policies import Policies
from assay.errors import DuplicateError, quote
from assay.tables import Batches


@dataclass(frozen=True)
class Hits:
    """Retrieved documents that are in the judgments: where they stand, and which judgment is theirs."""

    topic: Ints
    judgment: Ints
    rank: Ints
    tie_first: Ints
    tie_last: Ints

    def outside(self, topics: Mask) -> Hits:
        """The hits of other topics."""
        keep = ~topics[self.topic]
        return Hits(self.topic[keep], self.judgment[keep], self.rank[keep], self.tie_first[keep], self.tie_last[keep])

    def columns(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """The columns in the order of the fields."""
        return self.topic, self.judgment, self.rank, self.tie_first, self.tie_last


@dataclass(frozen=True)
class Found:
    """The hits of a run, by topic and rank, and how many documents each topic retrieved."""

    hits: Hits
    retrieved: Ints
    in_run: Mask
    ignored: frozenset[str]


def find_hits(run: Batches, judgments: Judgments, policies: Policies) -> Found:
    """Go through a run once (twice where queries are split over the input) and find its hits."""
    search = _Search(run, judgments, policies)
    whole: list[Hits] = []
    for batch in _whole_queries(run.batches(search.prepare, policies.rank_by)):
        hits = search.first_pass(batch)
        if hits is not None:
            whole.append(hits)
    if search.split.any():
        # What was counted of a split query was a part of it: count those queries anew, together.
        whole = [hits.outside(search.split) for hits in whole]
        parts = [search.rows_of_split(part) for part in run.batches(search.prepare, policies.rank_by)]
        whole.append(search.count(pl.concat(parts).sort("topic", maintain_order=True)))
    return search.found(whole)


class _Search:
    """One search for hits: what stays the same over the batches, and what is found out on the way."""

    def __init__(self, run: Batches, judgments: Judgments, policies: Policies) -> None:
        self.run, self.judgments, self.policies = run, judgments, policies
        topics = len(judgments.topics)
        self.retrieved = np.zeros(topics, dtype=np.int64)
        self.seen = np.zeros(topics, dtype=np.bool_)
        self.split = np.zeros(topics, dtype=np.bool_)
        self.ignored: set[str] = set()

    def prepare(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add what is cheap to make per row, in the threads that parse."""
        if self.policies.score_precision == "single":
            frame = frame.with_columns(pl.col("score").cast(pl.Float32).cast(pl.Float64))
        return frame.with_columns(frame["doc_id"].hash(self.judgments.seed).alias("hash"))

    def _numbered(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, Ints]:
        """Number the topics and drop rows without judgments; also give the number of each stretch of one topic."""
        stretches = frame["query_id"].rle().struct.unnest()
        names = stretches["value"].to_list()
        numbers = np.fromiter((self.judgments.topic_number.get(name, -1) for name in names), np.int64, len(names))
        lengths = stretches["len"].to_numpy().astype(np.int64)
        known = numbers >= 0
        frame = frame.select("doc_id", "score", "hash", topic=np.repeat(numbers, lengths))
        if not known.all():
            self.ignored.update(name for name, judged in zip(names, known, strict=True) if not judged)
            frame = frame.filter(pl.col("topic") >= 0)
        return frame, numbers[known]

    def first_pass(self, frame: pl.DataFrame) -> Hits | None:
        """Count a batch of whole queries; note the queries that come up more than once."""
        frame, numbers = self._numbered(frame)
        if not len(numbers):
            return None
        again = self.seen[numbers] | (np.bincount(numbers, minlength=len(self.seen))[numbers] > 1)
        self.split[numbers[again]] = True
        self.seen[numbers] = True
        if again.all():
            return None
        if again.any():
            frame = frame.filter(~self.split[frame["topic"].to_numpy()])
        return self.count(frame)

    def rows_of_split(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Keep the rows of queries that are split over the input."""
        frame, _ = self._numbered(frame)
        return frame.filter(self.split[frame["topic"].to_numpy()])

    def count(self, frame: pl.DataFrame) -> Hits:
        """Find the hits among the rows of whole queries, each of them contiguous."""
        frame = self._without_duplicates(frame)
        topic, score = frame["topic"].to_numpy(), frame["score"].to_numpy()
        same_topic = topic[1:] == topic[:-1]
        if (same_topic & (score[1:] > score[:-1])).any():
            frame = frame[np.lexsort((-score, topic))]
            topic, score = frame["topic"].to_numpy(), frame["score"].to_numpy()
            same_topic = topic[1:] == topic[:-1]
        rows, judgment = self.judgments.find(_pairs(frame), topic, frame["doc_id"])
        query_starts = _starts(same_topic)
        self.retrieved[topic[query_starts]] = np.diff(query_starts, append=len(topic))
        tie_starts = _starts(same_topic & (score[1:] == score[:-1]))
        group = np.searchsorted(tie_starts, rows, side="right") - 1
        first, last = tie_starts[group], np.append(tie_starts[1:], len(topic))[group] - 1
        rows = self._settled(rows, first, last, frame["doc_id"])
        before = query_starts[np.searchsorted(query_starts, rows, side="right") - 1] - 1
        return Hits(topic[rows], judgment, rows - before, first - before, last - before)

    def _settled(self, rows: Ints, first: Ints, last: Ints, documents: pl.Series) -> Ints:
        """Move hits among equal scores to the row that their doc_id gives them."""
        tied = last > first
        if self.policies.ties in {"input_order", "expected"} or not tied.any():
            return rows
        starts, index = np.unique(first[tied], return_index=True)
        sizes = (last[tied][index] - starts) + 1
        members = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        descending = self.policies.ties == "doc_id_descending"
        ordered = pl.DataFrame(
            {"group": np.repeat(starts, sizes), "doc_id": documents.gather(members), "row": members}
        ).sort("group", "doc_id", descending=[False, descending])
        # The members of a group, in row order, are the places; the sorted documents take them in turn.
        place = np.empty(len(members), dtype=np.int64)
        place[np.searchsorted(members, ordered["row"].to_numpy())] = members
        settled = rows.copy()
        settled[tied] = place[np.searchsorted(members, rows[tied])]
        return settled

    def _without_duplicates(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Look for a document twice in a query: by hash, and by text only where hashes are equal."""
        hashes = np.sort(_pairs(frame))
        equal = hashes[1:] == hashes[:-1]
        if not equal.any():
            return frame
        suspects = frame.filter(np.isin(_pairs(frame), hashes[1:][equal]))
        twice = suspects.filter(suspects.select("topic", "doc_id").is_duplicated())
        if not twice.height:
            return frame
        if self.policies.duplicates == "error":
            query_id, doc_id = self.judgments.topics[twice["topic"][0]], twice["doc_id"][0]
            path, line = self.run.whereabouts(query_id, doc_id)
            once = "each document once in a query (duplicates='first' or 'best' keeps one)"
            raise DuplicateError(
                path, line, expected=once, got=f"document {quote(doc_id)} again in query {quote(query_id)}"
            )
        if self.policies.duplicates == "best":
            frame = frame.sort("topic", "score", descending=[False, True], maintain_order=True)
        return frame.unique(["topic", "doc_id"], keep="first", maintain_order=True)

    def found(self, batches: Iterable[Hits]) -> Found:
        """Put the batches together, by topic and rank."""
        none = np.zeros(0, dtype=np.int64)
        columns = zip((none,) * 5, *(hits.columns() for hits in batches), strict=True)
        topic, judgment, rank, tie_first, tie_last = (np.concatenate(parts) for parts in columns)
        order = np.lexsort((rank, topic))
        hits = Hits(topic[order], judgment[order], rank[order], tie_first[order], tie_last[order])
        return Found(hits, self.retrieved, self.seen, frozenset(self.ignored))


def _whole_queries(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Cut the stream where queries end: what may go on in the next batch waits for it."""
    waiting: list[pl.DataFrame] = []
    for frame in frames:
        if not frame.height:
            continue
        last = frame["query_id"][-1]
        others = frame["query_id"] != last
        end = others.len() - int(others.reverse().arg_max() or 0) if others.any() else 0
        if waiting and (end or waiting[-1]["query_id"][-1] != last):
            yield pl.concat([*waiting, frame.head(end)])
            waiting = []
        elif end:
            yield frame.head(end)
        waiting.append(frame.tail(frame.height - end))
    if waiting:
        yield pl.concat(waiting)


def _pairs(frame: pl.DataFrame) -> Hashes:
    return pair_hashes(frame["topic"].to_numpy(), frame["hash"].to_numpy())


def _starts(goes_on: Mask) -> Ints:
    """Rows that do not go on with the row before."""
    return np.append(np.zeros(1, np.int64), np.flatnonzero(~goes_on) + 1)
