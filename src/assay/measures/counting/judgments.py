"""Judgments made ready for counting, made once and shared by all runs; and documents with their grades.

A run has millions of rows and a few of them are judged. Each (query, document) pair is hashed to 64 bits; a table with
a slot for each value of the last bits rules out nearly all rows at the price of one look-up; what is left is compared
by hash and then as text, so a collision of hashes cannot give a wrong hit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, argument
from assay.tables import Qrels, picked


@dataclass(frozen=True, eq=False, repr=False)
class Subtopics:
    """The grades of judged documents, subtopic by subtopic: a sparse table, sorted by judgment and subtopic.

    `judgment` is the place among the judgments, where a document stands once, with the largest of its grades;
    `subtopic` is a number, and `names` says which subtopic it is. Queries may have subtopics of the same name.

    >>> rows = [("q", "1", "d", 0.0), ("q", "2", "d", 2.0), ("q", "1", "e", 1.0)]
    >>> pairs, subtopics = Subtopics.of(pl.DataFrame(rows, ["query_id", "judge", "doc_id", "relevance"], orient="row"))
    >>> pairs["relevance"].to_list(), subtopics.subtopic, subtopics.grade
    ([2.0, 1.0], array([0, 1, 0]), array([0., 2., 1.]))
    """

    names: tuple[str, ...]
    judgment: Ints
    subtopic: Ints
    grade: Floats

    @classmethod
    def of(cls, frame: pl.DataFrame) -> tuple[pl.DataFrame, Subtopics]:
        """Take judgments of subtopics apart: each judged pair once, with its largest grade, and the grades of each."""
        key = ["query_id", "doc_id"]
        pairs = frame.group_by(key, maintain_order=True).agg(pl.col("relevance").max())
        numbered = pairs.select(*key).with_row_index("judgment")
        judgment = frame.join(numbered, on=key, how="left", maintain_order="left")["judgment"]
        subtopic = frame["judge"].rank("dense") - 1
        table = cls(
            tuple(frame["judge"].unique().sort().to_list()),
            judgment.to_numpy().astype(np.int64),
            subtopic.to_numpy().astype(np.int64),
            frame["relevance"].to_numpy(),
        )
        return pairs, table._in_order()

    @classmethod
    def none(cls) -> Subtopics:
        """No judgments of subtopics."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls((), nothing, nothing, np.zeros(0))

    def moved(self, place: Ints) -> Subtopics:
        """The same table after the judgments have moved, each to a given place."""
        return replace(self, judgment=place[self.judgment])._in_order()

    def reaching(self, level: float) -> Subtopics:
        """The rows with a grade that counts as relevant; a negative grade never does."""
        return self._take(np.flatnonzero((self.grade >= level) & (self.grade >= 0)))

    def rows_of(self, judgments: Ints) -> tuple[Ints, Ints]:
        """The rows of some judgments, one after the other: to which of those given each belongs, and where it is."""
        first = np.searchsorted(self.judgment, judgments, side="left")
        sizes = np.searchsorted(self.judgment, judgments, side="right") - first
        owner = np.repeat(np.arange(len(judgments)), sizes)
        return owner, np.arange(len(owner)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)

    def _in_order(self) -> Subtopics:
        return self._take(np.lexsort((self.subtopic, self.judgment)))

    def _take(self, rows: Ints) -> Subtopics:
        return replace(self, judgment=self.judgment[rows], subtopic=self.subtopic[rows], grade=self.grade[rows])


def tiny_tables(
    rankings: Sequence[Sequence[Collection[str] | None]], judged: Sequence[Sequence[Collection[str]]] | None
) -> tuple[dict[str, dict[str, float]], pl.DataFrame]:
    """A run and its judgments from lists of subtopics by rank: every document is judged for every subtopic.

    >>> run, qrels = tiny_tables([[["a"], None]], [[["a", "b"]]])
    >>> run, qrels.rows()[2:]
    ({'q1': {'d001': -1.0, 'd002': -2.0}}, [('q1', 'a', 'd003', 1.0), ('q1', 'b', 'd003', 1.0)])
    """
    run: dict[str, dict[str, float]] = {}
    rows: list[tuple[str, str, str, float]] = []
    others = judged if judged is not None else [[] for _ in rankings]
    for number, (ranking, rest) in enumerate(zip(rankings, others, strict=True), 1):
        query = f"q{number}"
        run[query] = {f"d{rank:03}": -float(rank) for rank in range(1, len(ranking) + 1)}
        known = {f"d{place:03}": about for place, about in enumerate([*ranking, *rest], 1) if about is not None}
        names = sorted({name for about in known.values() for name in about}) or ["a"]
        rows += [(query, name, doc, float(name in about)) for doc, about in known.items() for name in names]
    return run, pl.DataFrame(rows, ["query_id", "judge", "doc_id", "relevance"], orient="row")


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
    """A hash table of pairs: their hashes under a seed that tells them apart, and a slot for each."""

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
        judged = candidates[rows].astype(np.int64)
        wanted = hashes[rows]
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


@dataclass(frozen=True, eq=False, repr=False)
class Graded:
    """Documents with their query (a number), rank and grade, sorted by query and rank.

    `document` is the document's place in `Ranks.doc_ids`.
    `tie_first` and `tie_last` are the first and the last rank that the document could have among equal scores. With
    `averaged`, a document has no rank of its own but all of these with equal chance; ranks beyond `limit` are cut off.
    """

    query: Ints
    rank: Ints
    grade: Floats
    tie_first: Ints
    tie_last: Ints
    document: Ints
    averaged: bool = False
    limit: int | None = None

    def where(self, keep: NDArray[np.bool_]) -> Graded:
        """Keep some of the rows."""
        return self.taken(np.flatnonzero(keep))

    def taken(self, rows: Ints) -> Graded:
        """The rows at these places, in this order."""
        return replace(
            self,
            query=self.query[rows],
            rank=self.rank[rows],
            grade=self.grade[rows],
            tie_first=self.tie_first[rows],
            tie_last=self.tie_last[rows],
            document=self.document[rows],
        )

    def at_rank(self, weight: Callable[[Ints], Floats]) -> Floats:
        """Values of a function of the rank, row by row: at its rank, or on average over the ranks it may have.

        >>> columns = [np.array([column]) for column in (0, 2, 1.0, 2, 3, 0)]  # a tie over ranks 2 and 3
        >>> Graded(*columns, averaged=True).at_rank(lambda rank: 1 / rank)
        array([0.4167])
        """
        if not self.averaged:
            return weight(self.rank)
        ranks = np.arange(1, self.tie_last.max(initial=0) + 1)
        reached = np.ones(len(ranks)) if self.limit is None else (ranks <= self.limit).astype(np.float64)
        total = np.append(0.0, np.cumsum(weight(ranks) * reached))
        mean: Floats = (total[self.tie_last] - total[self.tie_first - 1]) / (self.tie_last - self.tie_first + 1)
        return mean

    def tie_groups(self) -> Ints:
        """Number the groups of rows that have the same query and the same scores."""
        if not len(self.query):
            return self.query
        return np.append(0, np.cumsum((np.diff(self.query) != 0) | (np.diff(self.tie_first) != 0)))

    def last_within(self, cutoff: Ints | int | None) -> Ints:
        """The last rank that each row may have within a cut-off (one for all rows, or one a row) and the limit."""
        last = self.tie_last if cutoff is None else np.minimum(self.tie_last, cutoff)
        return last if self.limit is None else np.minimum(last, self.limit)

    def condensed(self) -> Graded:
        """Take documents without judgment out and close the ranks up."""
        judged = self.where(self.grade >= 0)
        place = place_in_group(judged.query)
        group = judged.tie_groups()
        sizes = np.bincount(group)
        first = place - place_in_group(group) + 1
        return replace(judged, rank=place + 1, tie_first=first, tie_last=first + sizes[group] - 1)

    def drawn(self, rng: np.random.Generator) -> Graded:
        """Put documents with equal scores into a random order."""
        group = self.tie_groups()
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        sizes = (self.tie_last - self.tie_first + 1)[starts]
        # Shuffle all places of each group; the group's documents take the first ones of the shuffled places.
        owner = np.repeat(np.arange(len(starts)), sizes)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        shuffled = place[np.lexsort((rng.random(len(owner)), owner))]
        chosen = shuffled[(np.cumsum(sizes) - sizes)[group] + place_in_group(group)]
        rank = self.tie_first + chosen
        order = np.lexsort((rank, self.query))
        kept = order if self.limit is None else order[rank[order] <= self.limit]
        place = rank[kept]
        return Graded(self.query[kept], place, self.grade[kept], place, place, self.document[kept])


def place_in_group(group: Ints) -> Ints:
    """Count from 0 within each stretch of equal numbers.

    >>> place_in_group(np.array([4, 4, 4, 7, 7]))
    array([0, 1, 2, 0, 1])
    """
    rows = np.arange(len(group))
    starts = np.diff(group, prepend=group[:1] - 1) != 0
    return rows - np.maximum.accumulate(np.where(starts, rows, 0))
