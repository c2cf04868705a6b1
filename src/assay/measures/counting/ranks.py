"""`Ranks`: what ranked measures are computed from. Sparse: it holds the judged documents only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, ParameterError, TopicError, argument, number_of
from assay.core.evaluation_options import PolicyRules
from assay.measures.counting.id_normalisation import bridge
from assay.measures.counting.judgments import (
    Floats,
    Graded,
    Ints,
    Judgments,
    Mask,
    Subtopics,
    place_in_group,
    tiny_tables,
)
from assay.measures.counting.ranking import DEFAULT_POLICIES, Found, Policies, policies
from assay.measures.counting.streaming import find_hits
from assay.tables import Batches, Qrels, Run, picked
from assay.tables.nearest_first import best_first


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Ranks of the judged documents, query by query.

    `retrieved`: how many documents each query returned; `hits`: the retrieved documents that are in the judgments;
    `ideal`: all judged documents, best grade first. Queries and documents are numbered; `queries` and `doc_ids` name
    them.

    >>> Ranks.from_grades([2, 0, 1]).hits.grade
    array([2., 0., 1.])
    """

    unit_kind: ClassVar[str] = "query"
    vocabularies: ClassVar[tuple[str, ...]] = ("ranking",)

    queries: tuple[str, ...]
    retrieved: Ints
    in_run: NDArray[np.bool_]
    hits: Graded
    ideal: Graded
    max_grade: float
    judgments: Judgments | None = None
    policies: Policies = DEFAULT_POLICIES
    ignored_topics: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    #: How many judged queries have an infinite score, and how many one score for all of several documents.
    infinite_scores: int = 0
    equal_scores: int = 0
    #: By document: whether it is here because it was retrieved, not because somebody judged it; see `retrieved`.
    added: Mask | None = None

    @classmethod
    def from_tables(
        cls,
        run: Any,
        qrels: Any,
        given: Policies | None = None,
        *,
        subtopics: bool = False,
        **changes: Unpack[PolicyRules],
    ) -> Ranks:
        """Count a run against judgments; the policies are keyword arguments, see `Policies`.

        With `subtopics`, the column `judge` of the judgments says for which subtopic a document was judged.

        >>> ranks = Ranks.from_tables({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"c": 1, "b": 0}})
        >>> ranks.hits.rank, ranks.retrieved
        (array([2, 3]), array([3]))
        """
        judgments = qrels if isinstance(qrels, Judgments) else Judgments.of(Qrels.of(qrels), subtopics)
        batches: Batches = run if hasattr(run, "batches") else Run.of(run)
        chosen = policies(given, **changes)
        batches = best_first(batches, lower_is_better=chosen.lower_is_better)
        counts = find_hits(batches, judgments, chosen)
        # A run without results is that of a system that found nothing; one of other topics is most likely a mistake.
        if not judgments.topics or (counts.ignored and not counts.in_run.any()):
            raise TopicError(_nothing_in_common(batches.origin, judgments, counts))
        hits = counts.hits
        ranks = cls(
            judgments.topics,
            counts.retrieved,
            counts.in_run,
            hits=Graded(
                hits.topic,
                hits.rank,
                judgments.grade[hits.judgment],
                hits.tie_first,
                hits.tie_last,
                hits.judgment,
                averaged=chosen.ties == "expected",
            ),
            ideal=_ideal(judgments),
            max_grade=judgments.max_grade,
            judgments=judgments,
            policies=chosen,
            ignored_topics=counts.ignored,
            infinite_scores=int(counts.infinite.sum()),
            equal_scores=int(counts.equal.sum()),
        )
        return ranks._under(chosen, batches.origin)

    @classmethod
    def from_grades(
        cls, *grades: Sequence[float | None], judged: Sequence[Sequence[float]] | None = None, level: float = 1.0
    ) -> Ranks:
        """Tiny rankings for examples: each a list of grades by rank, None for a document that is not in the judgments.

        `judged` lists the grades of the judged documents that were not retrieved, one list a ranking.

        >>> Ranks.from_grades([1, None, 0], judged=[[1, 1]]).relevant()
        array([3])
        """
        rest = judged if judged is not None else [[] for _ in grades]
        rows = [
            (q, rank, grade) for q, row in enumerate(grades) for rank, grade in enumerate(row, 1) if grade is not None
        ]
        known = [
            [grade for grade in row if grade is not None] + list(others)
            for row, others in zip(grades, rest, strict=True)
        ]
        ideal = [
            (q, rank, grade) for q, row in enumerate(known) for rank, grade in enumerate(sorted(row, reverse=True), 1)
        ]
        return cls(
            tuple(f"q{number}" for number in range(1, len(grades) + 1)),
            np.array([len(row) for row in grades], dtype=np.int64),
            np.ones(len(grades), dtype=np.bool_),
            _graded(rows),
            _graded(ideal),
            max((grade for row in known for grade in row), default=0.0),
            policies=Policies(relevance_level=level),
        )

    @classmethod
    def from_subtopics(
        cls,
        *rankings: Sequence[Collection[str] | None],
        judged: Sequence[Sequence[Collection[str]]] | None = None,
        **changes: Unpack[PolicyRules],
    ) -> Ranks:
        """Tiny rankings for examples: by rank, the subtopics that each document is relevant to.

        `[]` is a document that was judged and is relevant to none; None is one that is not in the judgments. `judged`
        lists the judged documents that were not retrieved, one list a ranking.

        >>> Ranks.from_subtopics([["a"], [], ["a", "b"]], judged=[[["c"]]]).relevant()
        array([3])
        """
        run, qrels = tiny_tables(rankings, judged)
        return cls.from_tables(run, qrels, subtopics=True, **changes)

    @property
    def subtopics(self) -> Subtopics | None:
        """To which subtopics the judged documents are relevant; None if they were not judged by subtopic."""
        return None if self.judgments is None else self.judgments.subtopics

    @property
    def doc_ids(self) -> pl.Series:
        """The names of the judged documents; tiny rankings from grades have none."""
        return pl.Series(dtype=pl.String) if self.judgments is None else self.judgments.doc_id

    def relevant(self, level: float | None = None) -> Ints:
        """The number of relevant documents of each query."""
        relevant = self.ideal.grade >= self.level(level)
        return np.bincount(self.ideal.query[relevant], minlength=len(self.queries))

    def level(self, level: float | None = None) -> float:
        """The smallest relevant grade: as given, or as the policies say."""
        return self.policies.relevance_level if level is None else level

    @property
    def missing_topics(self) -> list[str]:
        """Judged topics that the run does not have, whether they count as empty or are left out."""
        return [*self.left_out, *(query for query, there in zip(self.queries, self.in_run, strict=True) if not there)]

    def every_rank(self) -> Graded:
        """All retrieved documents, those without judgment with grade -1: for the few rules that give them a gain."""
        if self.hits.averaged:
            raise ParameterError("tied documents have no rank of their own under ties='expected'")
        query = np.repeat(np.arange(len(self.queries)), self.retrieved)
        rank = place_in_group(query) + 1
        grade = np.full(len(query), -1.0)
        starts = np.cumsum(self.retrieved) - self.retrieved
        # A negative judgment means: pooled, but not judged. The reference tool knows it as -2.
        grade[starts[self.hits.query] + self.hits.rank - 1] = np.where(self.hits.grade < 0, -2.0, self.hits.grade)
        document = np.full(len(query), -1, dtype=np.int64)
        document[starts[self.hits.query] + self.hits.rank - 1] = self.hits.document
        return Graded(query, rank, grade, rank, rank, document)

    def drawn(self, rng: np.random.Generator) -> Ranks:
        """The same counts with tied documents in a random order."""
        by_name, hits = self._by_name
        drawn = hits.drawn(rng)
        drawn = replace(drawn, query=by_name[drawn.query])
        return replace(self, hits=drawn.taken(np.lexsort((drawn.rank, drawn.query))))

    @cached_property
    def _by_name(self) -> tuple[Ints, Graded]:
        """Queries in the order of their names, and their hits: what is drawn does not depend on the order of rows."""
        by_name = np.array(sorted(range(len(self.queries)), key=self.queries.__getitem__), dtype=np.int64)
        hits = replace(self.hits, query=np.argsort(by_name)[self.hits.query])
        document = self.doc_ids.rank("ordinal").to_numpy()[hits.document]
        return by_name, hits.taken(np.lexsort((document, hits.tie_first, hits.query)))

    def _under(self, chosen: Policies, name: str) -> Ranks:
        """Apply the policies that change what was found."""
        ranks = self
        if (depth := chosen.depth) is not None:
            if ranks.hits.averaged:
                hits = replace(ranks.hits.where(ranks.hits.tie_first <= depth), limit=depth)
            else:
                hits = ranks.hits.where(ranks.hits.rank <= depth)
            ranks = replace(ranks, hits=hits, retrieved=np.minimum(ranks.retrieved, depth))
        if chosen.unjudged == "error":
            ranks._refuse_unjudged(name)
        if chosen.judged_only:
            hits = ranks.hits.condensed()
            ranks = replace(ranks, hits=hits, retrieved=np.bincount(hits.query, minlength=len(ranks.queries)))
        missing = ranks.missing_topics
        if missing and chosen.missing == "error":
            raise TopicError(f"{name}: {number_of('judged topic', len(missing))} missing, the first is {missing[0]!r}")
        if missing and chosen.missing == "skip":
            return replace(ranks.only(ranks.in_run), left_out=tuple(missing))
        return ranks

    def regraded(self, grades: Floats) -> Ranks:
        """The same rankings under other grades, one for each of `doc_ids`; the ideal ranking is made anew.

        A document that was added to the judgments and has a negative grade still is left out, as if it had never been.

        >>> ranks = Ranks.from_tables({"q": {"a": 3, "b": 2}}, {"q": {"a": 0, "b": 1}})
        >>> ranks.doc_ids.to_list(), ranks.regraded(np.array([0.0, 2.0])).ideal.grade
        (['b', 'a'], array([2., 0.]))
        """
        kept = np.ones(len(grades), dtype=np.bool_) if self.added is None else ~self.added | (grades >= 0)
        hits, ideal = self.hits.where(kept[self.hits.document]), self.ideal.where(kept[self.ideal.document])
        order = np.lexsort((-grades[ideal.document], ideal.query))
        query, document = ideal.query[order], ideal.document[order]
        place = place_in_group(query) + 1
        return replace(
            self,
            hits=replace(hits, grade=grades[hits.document]),
            ideal=Graded(query, place, grades[document], place, place, document),
            max_grade=float(grades.max(initial=0.0)),
        )

    def only(self, keep: NDArray[np.bool_]) -> Ranks:
        """Keep some of the queries."""
        number = np.cumsum(keep) - 1
        hits, ideal = self.hits.where(keep[self.hits.query]), self.ideal.where(keep[self.ideal.query])
        return replace(
            self,
            queries=tuple(query for query, kept in zip(self.queries, keep, strict=True) if kept),
            retrieved=self.retrieved[keep],
            in_run=self.in_run[keep],
            hits=replace(hits, query=number[hits.query]),
            ideal=replace(ideal, query=number[ideal.query]),
        )

    def _refuse_unjudged(self, name: str) -> None:
        judged = np.bincount(self.hits.query[self.hits.grade >= 0], minlength=len(self.queries))
        looked_at = self.retrieved.copy()
        if self.hits.averaged:  # where the depth cuts through a tie, any of its documents may be looked at
            np.maximum.at(looked_at, self.hits.query, self.hits.tie_last)
        short = np.flatnonzero(looked_at > judged)
        if len(short):
            query = self.queries[short[0]]
            count = int(looked_at[short[0]] - judged[short[0]])
            raise InputError(
                f"{name}: expected every document to be judged ({argument('unjudged', 'error')}), "
                f"got {count} without judgment in query {query!r}, and {len(short) - 1} more such queries"
            )


def _graded(rows: list[tuple[int, int, float]]) -> Graded:
    query = np.array([row[0] for row in rows], dtype=np.int64)
    rank = np.array([row[1] for row in rows], dtype=np.int64)
    grade = np.array([row[2] for row in rows], dtype=np.float64)
    return Graded(query, rank, grade, rank, rank, np.zeros(len(rows), dtype=np.int64))


def _ideal(judgments: Judgments) -> Graded:
    place = place_in_group(judgments.topic) + 1
    return Graded(judgments.topic, place, judgments.grade, place, place, np.arange(len(place)))


def _nothing_in_common(name: str, judgments: Judgments, counts: Found) -> str:
    ours, theirs = (
        ", ".join([*map(repr, ids[:3]), *["…"] * (len(ids) > 3)]) or "none"
        for ids in (sorted(counts.ignored), judgments.topics)
    )
    message = f"{name}: no topic in common with the judgments: the run has {ours}; the judgments have {theirs}"
    bridged = bridge(pl.Series(sorted(counts.ignored), dtype=pl.String), pl.Series(judgments.topics), loosely=True)
    return message if bridged is None else f"{message}; they differ in {bridged.differ_in}: {bridged.example}"


_PAIR = ["query_id", "doc_id"]
UNJUDGED = -1.0


def retrieved(
    runs: Mapping[str, Batches],
    qrels: Qrels,
    base: Policies | None = None,
    depth: int | None = None,
    *,
    subtopics: bool = False,
) -> dict[str, Ranks]:
    """Count runs so that every document is a hit that one of them has down to `depth` (None: however deep).

    What nobody judged has grade -1 and is marked in `Ranks.added`; everything else, also what was judged and stands
    deeper, is counted as `Ranks.from_tables` counts it. `ties="expected"` is refused, since a document then has no rank
    of its own, and so is `judged_only`, which takes out what is asked for here. With `unjudged="error"` an unjudged
    document is an error here as everywhere.

    >>> from assay.tables import Run
    >>> counts = retrieved({"mine": Run.of({"q": {"a": 3, "b": 2, "c": 1}})}, Qrels.of({"q": {"b": 2}}), depth=2)
    >>> counts["mine"].hits.rank, counts["mine"].hits.grade
    (array([1, 2]), array([-1.,  2.]))
    """
    chosen = policies(base)
    if (reason := why_not(chosen)) is not None:
        raise ParameterError(reason)
    if depth is not None:
        depth = Policies(depth=depth).depth  # checked there
    known = Judgments.of(qrels, subtopics)
    topics = pl.DataFrame({"query_id": pl.Series(known.topics, dtype=pl.String)})
    documents = pl.concat([_documents(run, topics, chosen, depth) for run in runs.values()])
    new = documents.unique(maintain_order=True).join(_pairs(known), on=_PAIR, how="anti", maintain_order="left")
    judgments = Judgments(
        known.topics,
        np.append(known.topic, known.numbers_of(new["query_id"])),
        np.append(known.grade, np.full(new.height, UNJUDGED)),
        pl.concat([known.doc_id, new["doc_id"]]),
        known.subtopics,
    )
    added = _among(judgments, new)
    counts = {name: Ranks.from_tables(run, judgments, chosen) for name, run in runs.items()}
    reached = ~added | _reached(counts.values(), depth, len(added))
    return {
        name: replace(ranks, hits=ranks.hits.where(reached[ranks.hits.document]), added=added)
        for name, ranks in counts.items()
    }


def why_not(rules: Policies) -> str | None:
    """The reason why documents cannot be counted so under these policies; None if they can.

    >>> why_not(Policies(judged_only=True))
    'judged_only takes unjudged documents out of the ranking, so there is nothing to say about them'
    """
    if rules.ties == "expected":
        return (
            "tied documents have no rank of their own under ties='expected': choose another rule to look at documents"
        )
    if rules.judged_only:
        return "judged_only takes unjudged documents out of the ranking, so there is nothing to say about them"
    return None


def as_judged(ranks: Ranks) -> Ranks:
    """The counts without what `retrieved` added: those that an evaluation is made from.

    >>> from assay.tables import Run
    >>> counts = retrieved({"mine": Run.of({"q": {"a": 3, "b": 2}})}, Qrels.of({"q": {"b": 2}}))
    >>> as_judged(counts["mine"]).hits.rank
    array([2])
    """
    return ranks if ranks.judgments is None else ranks.regraded(ranks.judgments.grade)


def same_queries(first: Ranks, second: Ranks) -> tuple[Ranks, Ranks]:
    """Two systems that `retrieved` has counted together, on the queries that both have.

    >>> from assay.tables import Run
    >>> runs = {"mine": Run.of({"q1": {"a": 1}, "q2": {"a": 1}}), "yours": Run.of({"q2": {"b": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q1": {"a": 1}, "q2": {"a": 1}}), Policies(missing="skip"))
    >>> [ranks.queries for ranks in same_queries(counts["mine"], counts["yours"])]
    [('q2',), ('q2',)]
    """
    if first.judgments is None or first.judgments is not second.judgments or first.added is None:
        raise ParameterError("the documents of two systems are compared if `retrieved` has counted them together")
    if first.queries == second.queries:
        return first, second
    ours, theirs = set(first.queries), set(second.queries)
    return (
        first.only(np.array([query in theirs for query in first.queries], dtype=np.bool_)),
        second.only(np.array([query in ours for query in second.queries], dtype=np.bool_)),
    )


def _documents(run: Batches, topics: pl.DataFrame, chosen: Policies, depth: int | None) -> pl.DataFrame:
    """The documents of judged topics, down to the depth and a little further: those with equal scores are in."""
    least = min((limit for limit in (depth, chosen.depth) if limit is not None), default=None)
    # Which of two rows counts is not known batch by batch, so no row is left out where a document may come twice.
    limit = least if chosen.duplicates == "error" else None
    score = pl.col("score").cast(pl.Float32 if chosen.score_precision == "single" else pl.Float64)

    def best(frame: pl.DataFrame) -> pl.DataFrame:
        rows = frame.select(*_PAIR, score=score).join(topics, on="query_id", how="semi", maintain_order="left")
        if limit is None:
            return rows
        return rows.filter(pl.col("score").rank("min", descending=True).over("query_id") <= limit)

    run = best_first(run, lower_is_better=chosen.lower_is_better)
    pieces = list(run.batches(best, chosen.rank_by))
    return best(pl.concat(pieces)).select(_PAIR) if pieces else pl.DataFrame(schema=dict.fromkeys(_PAIR, pl.String))


def _pairs(judgments: Judgments) -> pl.DataFrame:
    query_id = picked(pl.Series(judgments.topics, dtype=pl.String), judgments.topic)
    return pl.DataFrame({"query_id": query_id, "doc_id": judgments.doc_id})


def _among(judgments: Judgments, new: pl.DataFrame) -> Mask:
    """A mask of the judgments of these pairs."""
    marked = _pairs(judgments).join(new.with_columns(new=pl.lit(True)), on=_PAIR, how="left", maintain_order="left")
    return marked["new"].fill_null(False).to_numpy()


def _reached(counts: Iterable[Ranks], depth: int | None, documents: int) -> Mask:
    """The documents that some system has down to the depth."""
    reached = np.zeros(documents, dtype=np.bool_)
    for ranks in counts:
        rows = ranks.hits if depth is None else ranks.hits.where(ranks.hits.rank <= depth)
        reached[rows.document] = True
    return reached
