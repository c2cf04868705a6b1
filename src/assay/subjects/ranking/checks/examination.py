"""Judgments and runs as the doctor examines them: opened strictly if possible, tolerantly if not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias, cast

import numpy as np
import polars as pl

from assay.core.errors import EmptyFileError, FormatError, InputError, ParameterError, TopicError, number_of, quote
from assay.files import RunFile, detect, is_file, read_documents, read_topics
from assay.files.line_reader import Lines, Looks, looks_of, ranks_of, read_lines
from assay.files.registry import Kind
from assay.files.registry import named as named_kind
from assay.files.runs import line_of_row, numbered_lines
from assay.files.sources import Readable, Source
from assay.measures.counting.id_normalisation import IdMatch, RenamedDocuments, other_topics, renamed_documents
from assay.measures.counting.judgments import Floats, Judgments
from assay.measures.counting.ranks import NO_CONTRADICTIONS, Contradictions, Ranks, contradictions, swapped_queries
from assay.measures.doubts import LEAST_RISES, NEARLY_ALL
from assay.measures.registry import Measure
from assay.subjects.ranking.evaluation import listed_measures, named_runs
from assay.tables import Batches, Documents, Qrels, Run, Topics
from assay.tables.label_rules import Where
from assay.tables.shapes import FlatDicts, rows_of
from assay.verbs.diagnosis.examination import Examination, Examined, Example, Overview, Reading, WholeFile, pair

_BLANK_SEPARATED = ("TREC run", "MS MARCO run", "TREC qrels", "qrels in three columns")

_TREC_COLUMNS = 6
#: Numbers with more different values than this are no grades.
_MOST_GRADES = 12
#: What a strict reader gives: the rows, the format, and who finds the line of a row.
_Table: TypeAlias = tuple[pl.DataFrame, str, Where | None]


@dataclass(frozen=True, eq=False)
class Opened:
    """A table with what was noticed when it was read.

    `frame` is None if no table could be made of the file; `tolerated` tells what was wrong, where the strict readers
    refused the file, and `refusal` is what they said; `is_blank`: that there are no data in it.
    """

    kind: Kind
    name: str
    file: str
    format: str = "in memory"
    frame: pl.DataFrame | None = None
    looks: Looks | None = None
    tolerated: Lines | None = None
    refusal: str = ""
    is_blank: bool = False
    #: What the file holds, if it is not what was expected at its place.
    other: str = ""
    source: Source | None = None
    #: Finds the line of a row.
    where: Where | None = None

    @property
    def rows(self) -> pl.DataFrame:
        """The table; call it only if there is one."""
        return cast("pl.DataFrame", self.frame)

    @property
    def system(self) -> str | None:
        """The system that it is of; judgments are of none."""
        return self.name if self.kind == "run" else None

    @property
    def is_blank_separated(self) -> bool:
        """Whether blanks separate the fields."""
        return self.format in _BLANK_SEPARATED

    def line(self, row: int) -> int | None:
        """The line of a row, from 1."""
        if self.tolerated is not None:
            return int(self.tolerated.lines[row])
        if self.where is None or self.looks is None or self.looks.binary:
            return None
        return row + 1 if self.looks.lines == self.rows.height else self.where(row)[1]

    def example(self, row: int, more: str = "") -> Example:
        """A row as an example: its query and its document."""
        return Example(pair(*self.rows.row(row)[:2]) + more, self.line(row))

    def written(self, row: int) -> Example:
        """A row as an example: the line itself, if it is known, which shows what is odd about it."""
        line = self.line(row)
        lines = () if line is None or self.source is None else numbered_lines(self.source)
        text = next((text for number, text in lines if number == line), b"").decode(errors="replace")
        return Example(quote(" ".join(text.split())), line) if text else self.example(row)


def open_judgments(qrels: Any) -> Opened:
    """Open judgments.

    >>> open_judgments({"q1": {"d1": 1}}).rows.rows()
    [('q1', 'd1', 1.0)]
    """
    if is_file(qrels):
        return _open_file(qrels, "qrels", None, _strict_qrels)
    if isinstance(qrels, Qrels):
        return Opened("qrels", qrels.name, qrels.name, qrels.format, _ids_first(qrels.frame))
    rows = rows_of(qrels, "relevance", "qrels")
    frame = rows.frame("relevance") if isinstance(rows, FlatDicts) else rows
    return Opened("qrels", "qrels", "qrels", frame=_ids_first(frame))


def open_run(run: Any, name: str | None) -> Opened:
    """Open a run.

    >>> import io
    >>> open_run(io.StringIO("q1 Q0 d1 1 2.5 mine"), "mine").rows.rows()
    [('q1', 'd1', 2.5, 1.0, 'mine')]
    """
    if isinstance(run, RunFile):
        return _open_file(run.source, "run", run.name, _strict_run)
    if _is_openable(run) or isinstance(run, Source):
        return _open_file(run, "run", name, _strict_run)
    table = next(iter(named_runs([run]).values())).read()
    return Opened("run", name or table.name, name or table.origin, table.format, _ids_first(table.frame))


def named(runs: Any) -> list[tuple[str, Any]]:
    """Runs with their names, files not yet opened; files of the same name get their folder in front.

    >>> [name for name, _ in named(["a/new.run", "b/new.run", "b/old.run"])]
    ['a/new.run', 'b/new.run', 'old']
    """
    if isinstance(runs, Mapping) and any(map(_is_openable, runs.values())):
        return [(str(name), run) for name, run in runs.items()]
    listed = runs if isinstance(runs, list | tuple) and any(map(_is_openable, runs)) else [runs]
    if not any(map(_is_openable, listed)):
        return list(named_runs(runs).items())
    opened = [Source(run) if _is_openable(run) and not isinstance(run, RunFile) else run for run in listed]
    stems = [run.stem if isinstance(run, Source) else str(getattr(run, "name", "run")) for run in opened]
    return [
        (run.name if isinstance(run, Source) and stems.count(stem) > 1 else stem, run)
        for run, stem in zip(opened, stems, strict=True)
    ]


def _is_openable(run: Any) -> bool:
    """Tell paths, open files and scanned files from tables in memory, which can be read, too."""
    return isinstance(run, RunFile) or (is_file(run) and not hasattr(run, "batches"))


def _open_file(readable: Readable | Source, kind: Kind, name: str | None, read: Callable[[Source], _Table]) -> Opened:
    source = Source.of(readable)
    looks = looks_of(source)
    name = name or (source.stem if kind == "run" else source.name)
    opened = Opened(kind, name, source.name, looks=looks, source=source)
    if looks.damage or not looks.size:
        return opened
    try:
        frame, form, where = read(source)
    except (FormatError, ParameterError) as problem:
        refusal = Reading(source.name, problem).reason
        opened = replace(opened, is_blank=isinstance(problem, EmptyFileError), refusal=refusal)
    else:
        # Lines that differ from the others may hold anything: they are left out below, and named.
        if form != "TREC run" or _are_alike(source, looks, frame.height):
            return replace(opened, frame=frame, format=form, where=where)
    return _tolerated(opened, source, kind)


def _tolerated(opened: Opened, source: Source, kind: Kind) -> Opened:
    """What can be made of a file that the strict readers refuse."""
    binary = opened.looks is not None and opened.looks.binary
    lines = None if binary else read_lines(b"".join(source.chunks()), kind)
    if lines is None:
        return replace(opened, other=_other(source, kind))
    if lines.kind == kind:
        return replace(opened, frame=lines.frame, format=lines.format, tolerated=lines)
    if kind == "run" and not lines.named and not _are_grades(lines.frame["relevance"]):
        return replace(opened, is_blank=False)
    return replace(opened, other=f"{named_kind(lines.kind)} in {lines.format}" if lines.named else lines.format)


def _are_grades(values: pl.Series) -> bool:
    """Whether numbers look like grades: a few different ones, all of them whole."""
    return values.n_unique() <= _MOST_GRADES and bool((values.floor() == values).all())


def _are_alike(source: Source, looks: Looks, rows: int) -> bool:
    """Whether all lines of a TREC run have the same number of columns."""
    # No line has fewer columns, or the file would have been refused: with as many blanks as that takes, none has more.
    if looks.lines == rows and looks.blanks == rows * (_TREC_COLUMNS - 1):
        return True
    return len({len(line.split()) for _, line in numbered_lines(source)}) == 1


def _strict_run(source: Source) -> _Table:
    run: Batches = detect(source, "run").read(source, source.stem)
    if not isinstance(run, RunFile):
        table = run.read()
        return _ids_first(table.frame), run.format, table.where
    rows = run.rows("rank", "tag")
    if "score" not in rows.columns:
        rows = rows.with_columns(score=-pl.col("rank"))
    rows = rows.with_columns(ranks_of(rows["rank"]))
    besides = ["tag"] if "tag" in rows.columns else []
    return rows.select("query_id", "doc_id", "score", "rank", *besides), run.format, partial(line_of_row, source)


def _strict_qrels(source: Source) -> _Table:
    reader = detect(source, "qrels")
    loaded = reader.read(source, source.name)
    return _ids_first(loaded.frame), loaded.title or reader.title, loaded.where


def _ids_first(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("query_id", "doc_id", pl.exclude("query_id", "doc_id"))


def _other(source: Source, kind: Kind) -> str:
    """What a file holds that is not what it should be; nothing if nobody knows."""
    try:
        reader = detect(source, None)
    except (FormatError, InputError):
        return ""
    return reader.title if reader.kind != kind else ""


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
        """Whether column 2 tells several judgments of a document apart: judges, or subtopics."""
        frame = self.judgments.rows
        if self.judge_column is None:
            return False
        pairs = frame.n_unique(["query_id", "doc_id"])
        return pairs < frame.height and pairs < frame.n_unique(["query_id", "doc_id", self.judge_column])

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
class ExaminedRun:
    """A run, and what the judgments make of it."""

    run: Opened
    case: ExaminedCollection

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
    def other_topics(self) -> IdMatch | None:
        """Topics that one side has alone, and that the other one writes differently."""
        return other_topics(self.queries["query_id"], pl.Series(self.case.topic_ids, dtype=pl.String))

    @cached_property
    def other_documents(self) -> RenamedDocuments | None:
        """Documents at the top that are judged for their query under an id that is written differently."""
        return renamed_documents(self.frame, self.case.grades, self.common)

    @cached_property
    def ranked(self) -> pl.DataFrame:
        """The rows whose rank is a number, without documents that come again, and which `row` of the file each is."""
        rows = self.run.rows.with_row_index("row")
        if "rank" not in rows.columns:
            return rows.clear().with_columns(rank=pl.lit(None, pl.Float64))
        return rows.filter(pl.col("rank").is_finite() & ~self.repeated)

    @cached_property
    def columns_are_swapped(self) -> bool:
        """Whether ranks and scores stand in each other's place, in nearly all queries."""
        swapped, several = swapped_queries(self.ranked)
        return bool(several) and swapped >= NEARLY_ALL * several

    @cached_property
    def conflicts(self) -> Contradictions:
        """Where ranks say another order than scores."""
        return NO_CONTRADICTIONS if self.columns_are_swapped else contradictions(self.ranked)

    @property
    def ranks_are_upside_down(self) -> bool:
        """Whether scores rise with the rank in nearly all queries, and often enough to say so."""
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

    @cached_property
    def values(self) -> dict[Measure, Floats]:
        """The value of each topic under each measure; undefined ones as the measure counts them."""
        return {} if self.ranks is None else {measure: valued(measure, self.ranks) for measure in self.case.measures}


def valued(measure: Measure, ranks: Ranks) -> Floats:
    """One number a topic, undefined ones as the measure counts them (NaN if it leaves them out)."""
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
            _texts(self.stated.get("topics"), Topics, read_topics),
            _texts(self.stated.get("documents"), Documents, read_documents),
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
        file, names = self.judgments.file, [name for name, _ in self.runs]
        data = {"judgments": file, "runs": names, "measures": [*map(str, self.measures)]}
        return Overview(f"{file} and {number_of('run', len(names))}", data, len(names), "run", first=file)


def _is_usable(file: Opened) -> bool:
    """Whether there are rows to look at."""
    return file.frame is not None and file.rows.height > 0


def _texts(texts: Any, kind: Any, read: Callable[[Any], Any]) -> Any:
    if texts is None or isinstance(texts, kind):
        return texts
    return read(texts) if is_file(texts) else kind.of(texts)


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
