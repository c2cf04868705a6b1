"""Judgments and runs as the doctor examines them: a collection, each run, and what goes on between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, TopicError, number_of
from assay.files import read_documents, read_topics
from assay.measures.counting.id_normalisation import IdMatch, RenamedDocuments, other_topics, renamed_documents
from assay.measures.counting.judgments import Floats, Judgments
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.measures.remarks import (
    LEAST_RISES,
    NEARLY_ALL,
    NO_CONTRADICTIONS,
    Contradictions,
    contradictions,
    only_relevant,
    swapped_queries,
)
from assay.subjects.ranking.checks.opening import Opened, named, open_judgments, open_run
from assay.subjects.ranking.evaluation import listed_measures, texts_of
from assay.tables import Documents, Qrels, Run, Topics
from assay.verbs.diagnosis.examination import Examination, Examined, Overview, WholeFile

#: With fewer topics than this, nothing is said about nearly all of them, and nothing can be told from differences.
LEAST_TOPICS = 5
#: Where something is that no run has alone.
ALL_RUNS = WholeFile("all runs")


@dataclass(frozen=True, eq=False)
class ExaminedCollection:
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

    @property
    def judge_column(self) -> str | None:
        """The column that may name judges, or subtopics."""
        return next((name for name in ("judge", "iteration") if name in self.judgments.rows.columns), None)

    @cached_property
    def has_judges(self) -> bool:
        """True if column 2 tells several judgments of a document apart: judges, or subtopics."""
        frame = self.judgments.rows
        if self.judge_column is None:
            return False
        pairs = frame.n_unique(["query_id", "doc_id"])
        return pairs < frame.height and pairs < frame.n_unique(["query_id", "doc_id", self.judge_column])

    @cached_property
    def grades(self) -> pl.DataFrame:
        """One judgment per document: its first one; of several judges or subtopics, the largest."""
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
    def lists_only_relevant(self) -> bool:
        """True if every judged document is relevant."""
        return not self.has_judges and only_relevant(self.grades["relevance"].to_numpy(), self.level)

    @cached_property
    def topic_ids(self) -> list[str]:
        """The judged topics."""
        return self.by_topic["query_id"].to_list()


@dataclass(frozen=True, eq=False)
class ExaminedRun:
    """A run, and what the judgments make of it."""

    run: Opened
    case: ExaminedCollection

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.run.name

    @cached_property
    def repeated(self) -> pl.Series:
        """True where a row's document came up in the same query before."""
        pairs = self.run.rows.select("query_id", "doc_id")
        if pairs.n_unique() == pairs.height:
            return pl.repeat(False, pairs.height, eager=True)
        return ~pairs.select(pl.struct(pl.all()).is_first_distinct()).to_series()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows, without duplicates."""
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
    def other_topics(self) -> IdMatch | None:
        """Topics that one side has alone, and that the other one writes differently."""
        return other_topics(self.queries["query_id"], pl.Series(self.case.topic_ids, dtype=pl.String))

    @cached_property
    def other_documents(self) -> RenamedDocuments | None:
        """Documents at the top that are judged for their query under an id that is written differently."""
        return renamed_documents(self.frame, self.case.grades, self.common)

    @cached_property
    def ranked(self) -> pl.DataFrame:
        """The rows whose rank is a number, without duplicates, and which `row` of the file each is."""
        rows = self.run.rows.with_row_index("row")
        if "rank" not in rows.columns:
            return rows.clear().with_columns(rank=pl.lit(None, pl.Float64))
        return rows.filter(pl.col("rank").is_finite() & ~self.repeated)

    @cached_property
    def columns_are_swapped(self) -> bool:
        """True if ranks and scores stand in each other's place, in nearly all queries."""
        swapped, several = swapped_queries(self.ranked)
        return bool(several) and swapped >= NEARLY_ALL * several

    @cached_property
    def conflicts(self) -> Contradictions:
        """The places where ranks say another order than scores."""
        return NO_CONTRADICTIONS if self.columns_are_swapped else contradictions(self.ranked)

    @property
    def ranks_are_upside_down(self) -> bool:
        """True if scores rise with the rank in nearly all queries, and often enough to say so."""
        conflicts = self.conflicts
        return conflicts.upside_down >= NEARLY_ALL * conflicts.several and len(conflicts.rows) >= LEAST_RISES

    @cached_property
    def ranks(self) -> Ranks | None:
        """The run counted against the judgments; None if they have no topic in common."""
        table = Run(self.frame.select("query_id", "doc_id", "score"), self.name, self.run.format)
        try:
            return Ranks.from_tables(table, self.case.counted, relevance_level=self.case.level)
        except TopicError:
            return None


def valued(measure: Measure, ranks: Ranks) -> Floats:
    """One number per topic, undefined ones as the measure counts them (NaN if it leaves them out)."""
    values = measure.of(ranks)
    return values if measure.substitute is None else np.where(np.isnan(values), measure.substitute, values)


#: What ties and topics are judged by, unless somebody asks for other measures.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")


class RankingExamination(Examination):
    """A file as it was read, the judgments, each run by itself or with the judgments, all runs likewise."""

    modules = tuple(
        f"assay.subjects.ranking.checks.{name}" for name in ("lines", "grades", "identifiers", "run_scores")
    )
    options = ("measures", "topics", "documents", "grades", "level")

    def things(self) -> Iterator[Examined]:
        """The judgments, then the runs, then all runs together."""
        if len(self.inputs) != 2:
            raise ParameterError("doctor takes judgments and runs: give both")
        qrels, runs = self.inputs
        measures = self.stated.get("measures")
        self.measures = listed_measures(DEFAULT_MEASURES if measures is None else measures)
        scale, is_range = _scale(self.stated.get("grades"))
        self.judgments, self.runs = open_judgments(qrels), named(runs)
        if not self.runs:
            raise ParameterError("there is no run to look at")
        case = ExaminedCollection(
            self.judgments,
            self.measures,
            measures is not None,
            self.stated.get("level", 1.0),
            scale,
            is_range,
            texts_of(self.stated.get("topics"), Topics, read_topics),
            texts_of(self.stated.get("documents"), Documents, read_documents),
        )
        yield Examined(self.judgments, ("file",))
        if is_judged := _is_usable(self.judgments):
            yield Examined(case, ("judgments",))
        systems = []
        for name, run in self.runs:
            self.watch(name)
            system = ExaminedRun(open_run(run, name), case)
            yield Examined(system.run, ("file",))
            if _is_usable(system.run):
                systems.append(system)
                yield Examined(system, ("ranking", "run") if is_judged else ("ranking",))
        if systems:
            yield Examined(systems, ("rankings",))
            if is_judged:
                yield Examined(systems, ("runs",))

    def overview(self) -> Overview:
        """The judgments, the runs, and the measures that they were looked at by."""
        file = self.judgments.file
        names = [name for name, _ in self.runs]
        data = {"judgments": file, "runs": names, "measures": [*map(str, self.measures)]}
        return Overview(f"{file} and {number_of('run', len(names))}", data, len(names), "run", first=file)


def _is_usable(file: Opened) -> bool:
    """True if there are rows to look at."""
    return file.frame is not None and file.rows.height > 0


def _scale(scale: str | Sequence[float] | None) -> tuple[tuple[float, ...], bool]:
    """The scale of grades, and whether it is a range: `0..3`, `0,1,3`, or a list of grades."""
    if scale is None:
        return (), False
    parts: Sequence[Any] = scale
    is_range = isinstance(scale, str) and ".." in scale
    if isinstance(scale, str):
        parts = scale.split("..") if is_range else scale.split(",")
    try:
        grades = tuple(sorted({float(part) for part in parts}))
    except (TypeError, ValueError):
        grades = ()
    if not grades or not all(abs(grade) < float("inf") for grade in grades) or (is_range and len(parts) != 2):
        raise ParameterError(f"grades are given as 0..3 or 0,1,2, not {scale!r}")
    return grades, is_range
