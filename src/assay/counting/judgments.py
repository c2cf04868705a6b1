"""Judgments made ready for counting: made once, shared by all runs.

A run has millions of rows and a few of them are judged. Each (query, document) pair is hashed to 64 bits; a table with
a slot for each value of the last bits rules out nearly all rows at the price of one look-up; what is left is compared
by hash and then as text, so a collision of hashes cannot give a wrong hit.
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.arguments import argument
from assay.core.errors import InputError
from assay.counting.subtopics import Subtopics
from assay.tables import Qrels, picked

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Hashes: TypeAlias = NDArray[np.uint64]
Mask: TypeAlias = NDArray[np.bool_]

# Multiplying by 2^64 divided by the golden ratio spreads consecutive topic numbers over all bits.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_SLOTS_A_PAIR = 16
# Up to so many look-ups, a dict is faster than setting up a join.
_FEW = 1 << 11


def pair_hashes(topic: Ints, doc_hash: Hashes) -> Hashes:
    """Hash (topic number, document) pairs."""
    return doc_hash ^ ((topic.astype(np.uint64) + np.uint64(1)) * _SPREAD)


class _Table(NamedTuple):
    """Where to look for the hash of a pair: the hashes under a seed that tells them apart, and a slot for each."""

    seed: int
    hashes: Hashes
    order: Ints
    slots: NDArray[np.int32]


class Judgments:
    """The judged pairs, sorted by topic and by grade, best first (the ideal ranking), with their look-up.

    `subtopics` holds the grades of each subtopic, if documents were judged by subtopic; None if not.

    >>> judgments = Judgments.of(Qrels.of({"q1": {"d1": 0, "d2": 2}}))
    >>> judgments.doc_id.to_list(), judgments.grade
    (['d2', 'd1'], array([2., 0.]))
    """

    def __init__(
        self,
        topics: tuple[str, ...],
        topic: Ints,
        grade: Floats,
        doc_ids: pl.Series | list[str],
        subtopics: Subtopics | None = None,
    ) -> None:
        self.topics = topics
        self.topic_number = {name: number for number, name in enumerate(topics)}
        #: Where each judgment stood among those given.
        self._order = np.lexsort((-grade, topic))
        self.topic, self.grade, self._given = topic[self._order], grade[self._order], doc_ids
        self.subtopics = None if subtopics is None else subtopics.moved(np.argsort(self._order))

    @classmethod
    def of(cls, qrels: Qrels, subtopics: bool = False) -> Judgments:
        """Prepare a table of judgments; with `subtopics`, its column `judge` says for which subtopic each one is."""
        if subtopics and qrels.judges:
            pairs, table = Subtopics.of(qrels.frame)
            return cls(*_in_columns(pairs), table)
        if len(qrels.judges) > 1:
            names = ", ".join(qrels.judges[:5]) + (", …" if len(qrels.judges) > 5 else "")
            raise InputError(
                f"{qrels.name}: documents are judged by {len(qrels.judges)} judges (or for as many subtopics): "
                f"{names}; choose one: {argument('judge')}; if they are subtopics, say {argument('subtopics', True)}"
            )
        if qrels.dicts is not None:
            flat = qrels.dicts
            topic = np.repeat(np.arange(len(flat.query_ids)), flat.lengths)
            return cls(tuple(flat.query_ids), topic, flat.numbers, flat.doc_ids)
        return cls(*_in_columns(qrels.frame))

    @cached_property
    def doc_id(self) -> pl.Series:
        """The documents."""
        return picked(pl.Series(self._given, dtype=pl.String), self._order)

    @cached_property
    def by_document(self) -> list[dict[str, int]]:
        """Of each topic, the numbers of its documents, for runs that come in dicts: see `positions`."""
        bounds = np.searchsorted(self.topic, np.arange(len(self.topics) + 1)).tolist()
        # Dicts come topic by topic, and need not be put in order.
        documents = self._given if isinstance(self._given, list) else self.doc_id.to_list()
        # Numbers start anew with each topic: Python has the small ones at hand and makes room for each large one.
        return [
            dict(zip(documents[start:end], range(end - start), strict=True))
            for start, end in itertools.pairwise(bounds)
        ]

    def positions(self, topic: Ints, number: Ints) -> Ints:
        """The positions of judgments, given the numbers that `by_document` has for their documents."""
        place: Ints = np.searchsorted(self.topic, np.arange(len(self.topics)))[topic] + number
        if not isinstance(self._given, list):
            return place
        position = np.empty_like(self._order)
        position[self._order] = np.arange(len(position))
        return position[place]

    @cached_property
    def table(self) -> _Table:
        """The hashed pairs, for runs that come in columns."""
        seed, hashes, order = _told_apart(self.topic, self.doc_id)
        slots = np.full(1 << max(10, int(len(hashes) * _SLOTS_A_PAIR).bit_length()), -1, dtype=np.int32)
        slots[hashes & np.uint64(len(slots) - 1)] = np.arange(len(hashes))
        return _Table(seed, hashes, order, slots)

    @property
    def max_grade(self) -> float:
        """The largest grade anybody gave; 0 if none is positive."""
        return float(self.grade.max(initial=0.0))

    def numbers_of(self, topics: pl.Series) -> Ints:
        """The numbers of topics, -1 for those without judgments."""
        if topics.len() < _FEW:
            number = self.topic_number
            return np.fromiter((number.get(topic, -1) for topic in topics.to_list()), np.int64, topics.len())
        names = pl.Series(self.topics, dtype=pl.String)
        numbers = topics.replace_strict(names, np.arange(names.len()), default=-1, return_dtype=pl.Int64)
        return numbers.to_numpy()

    def find(self, hashes: Hashes, topic: Ints, documents: pl.Series) -> tuple[Ints, Ints]:
        """Find the rows that are judged: their positions, and the positions of their judgments."""
        _, known, order, slots = self.table
        candidates = slots[hashes & np.uint64(len(slots) - 1)]
        rows = np.flatnonzero(candidates >= 0)
        judged, wanted = candidates[rows].astype(np.int64), hashes[rows]
        # A slot holds one of the pairs that share its bits; the others are searched for.
        others = np.flatnonzero(known[judged] != wanted)
        if len(others):
            place = np.searchsorted(known, wanted[others], sorter=order)
            judged[others] = order[np.minimum(place, len(known) - 1)]
        same_hash = known[judged] == wanted
        rows, judged = rows[same_hash], judged[same_hash]
        same = picked(self.doc_id, judged) == picked(documents, rows)
        same_pair = same.to_numpy() & (self.topic[judged] == topic[rows])
        return rows[same_pair], judged[same_pair]


def _in_columns(frame: pl.DataFrame) -> tuple[tuple[str, ...], Ints, Floats, pl.Series]:
    """The topics, and of each judged pair the number of its topic, its grade and its document."""
    stretches = frame["query_id"].rle().struct
    names, lengths = stretches.field("value").to_list(), stretches.field("len").to_numpy()
    number = {topic: index for index, topic in enumerate(dict.fromkeys(names))}
    topic = np.repeat(np.fromiter((number[name] for name in names), np.int64, len(names)), lengths)
    return tuple(number), topic, frame["relevance"].to_numpy(), frame["doc_id"]


def _told_apart(topic: Ints, doc_id: pl.Series) -> tuple[int, Hashes, Ints]:
    """Hash all judged pairs under a seed that tells them apart; also give the order of the hashes."""
    for seed in range(100):
        hashes = pair_hashes(topic, doc_id.hash(seed).to_numpy())
        order = np.argsort(hashes)
        if (np.diff(hashes[order]) != 0).all():
            return seed, hashes, order
    raise InputError("the judgments cannot be told apart")
