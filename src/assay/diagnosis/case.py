"""`Case`: what the checks look at. Whatever several of them need is made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.counting.judgments import Floats, Judgments
from assay.counting.ranks import Ranks
from assay.diagnosis.forms import Bridge, bridge
from assay.diagnosis.opening import Opened
from assay.errors import TopicError
from assay.measures.registry import Measure
from assay.tables import Documents, Qrels, Run, Topics

#: So many documents of each query are looked at when ids do not match.
TOP = 100


class Renamed(NamedTuple):
    """Retrieved documents (`query_id, doc_id`) that are judged as `theirs`; and how many are judged as they are."""

    differ_in: str
    pairs: pl.DataFrame
    hits: int


@dataclass(frozen=True, eq=False)
class Case:
    """The judgments and the measures to be used; `asked` tells whether somebody chose the measures."""

    judgments: Opened
    measures: tuple[Measure, ...]
    asked: bool = False
    level: float = 1.0
    #: The smallest and the largest grade, or all grades there are, if that was said.
    scale: tuple[float, ...] = ()
    is_range: bool = False
    topics: Topics | None = None
    documents: Documents | None = None

    @cached_property
    def has_judges(self) -> bool:
        """Whether column 2 tells several judgments of a document apart: judges, or subtopics."""
        frame = self.judgments.rows
        column = next((name for name in ("judge", "iteration") if name in frame.columns), None)
        if column is None:
            return False
        pairs = frame.n_unique(["query_id", "doc_id"])
        return pairs < frame.height and pairs < frame.n_unique(["query_id", "doc_id", column])

    @cached_property
    def grades(self) -> pl.DataFrame:
        """One judgment a document: its first one; of several judges or subtopics, the largest."""
        frame = self.judgments.rows.select("query_id", "doc_id", "relevance")
        if self.has_judges:
            frame = frame.sort("relevance", descending=True, maintain_order=True)
        return frame.unique(["query_id", "doc_id"], keep="first", maintain_order=True)

    @cached_property
    def counted(self) -> Judgments:
        """The judgments, ready for counting."""
        return Judgments.of(Qrels(self.grades, self.judgments.name, self.judgments.format))

    @cached_property
    def by_topic(self) -> pl.DataFrame:
        """Each topic: how many documents were judged, and how many are relevant."""
        relevant = (pl.col("relevance") >= self.level) & (pl.col("relevance") > 0)
        judged = pl.col("relevance") >= 0
        return self.grades.group_by("query_id", maintain_order=True).agg(judged=judged.sum(), relevant=relevant.sum())

    @cached_property
    def topic_ids(self) -> list[str]:
        """The judged topics."""
        return self.by_topic["query_id"].to_list()


@dataclass(frozen=True, eq=False)
class System:
    """A run, and what the judgments make of it."""

    run: Opened
    case: Case

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.run.name

    @cached_property
    def repeated(self) -> pl.Series:
        """Whether a row's document came up in the same query before."""
        pairs = self.run.rows.select("query_id", "doc_id")
        if pairs.n_unique() == pairs.height:
            return pl.repeat(False, pairs.height, eager=True)
        return ~pairs.select(pl.struct(pl.all()).is_first_distinct()).to_series()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows, without documents that come again."""
        return self.run.rows.filter(~self.repeated) if self.repeated.any() else self.run.rows

    @cached_property
    def queries(self) -> pl.DataFrame:
        """Each query: how many documents it has, and its smallest and largest score."""
        score = pl.col("score")
        return self.frame.group_by("query_id", maintain_order=True).agg(
            count=pl.len(), lowest=score.min(), highest=score.max()
        )

    @cached_property
    def common(self) -> list[str]:
        """The queries that were judged."""
        judged = set(self.case.topic_ids)
        return [query for query in self.queries["query_id"].to_list() if query in judged]

    @cached_property
    def other_topics(self) -> Bridge | None:
        """Topics that are judged under an id that is written differently."""
        common = set(self.common)
        ours = [topic for topic in self.queries["query_id"].to_list() if topic not in common]
        theirs = [topic for topic in self.case.topic_ids if topic not in common]
        return bridge(pl.Series(ours, dtype=pl.String), pl.Series(theirs, dtype=pl.String), loosely=True)

    @cached_property
    def other_documents(self) -> Renamed | None:
        """Documents at the top that are judged for their query under an id that is written differently."""
        keys, judged = ["query_id", "doc_id"], self.case.grades
        top = self.frame.select(keys).filter(
            pl.col("query_id").is_in(self.common), pl.int_range(pl.len()).over("query_id") < TOP
        )
        unjudged = top.join(judged, on=keys, how="anti", maintain_order="left")
        not_found = judged.join(self.frame, on=keys, how="anti", maintain_order="left")
        ours = unjudged["doc_id"].unique(maintain_order=True)
        ours = ours.filter(~ours.is_in(judged["doc_id"].implode()))
        hits = top.height - unjudged.height
        found = bridge(ours, not_found["doc_id"].unique(maintain_order=True), loosely=not hits)
        if found is None:
            return None
        names = pl.DataFrame({"doc_id": found.ours, "theirs": found.theirs})
        pairs = unjudged.join(names, on="doc_id", maintain_order="left").join(
            not_found.select("query_id", theirs="doc_id"), on=["query_id", "theirs"], maintain_order="left"
        )
        return Renamed(found.differ_in, pairs, hits) if pairs.height else None

    @cached_property
    def ranks(self) -> Ranks | None:
        """The run counted against the judgments; None if they have no topic in common."""
        table = Run(self.frame.select("query_id", "doc_id", "score"), self.name, self.run.format)
        try:
            return Ranks.from_tables(table, self.case.counted, relevance_level=self.case.level)
        except TopicError:
            return None

    @cached_property
    def values(self) -> dict[Measure, Floats]:
        """The value of each topic under each measure; undefined ones as the measure counts them."""
        return {} if self.ranks is None else {one: valued(one, self.ranks) for one in self.case.measures}


def valued(measure: Measure, ranks: Ranks) -> Floats:
    """One number a topic, undefined ones as the measure counts them (NaN if it leaves them out)."""
    values = measure.of(ranks)
    return values if measure.substitute is None else np.where(np.isnan(values), measure.substitute, values)
