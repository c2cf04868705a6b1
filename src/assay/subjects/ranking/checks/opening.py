"""Judgments and runs opened for the doctor: strictly if possible, tolerantly if not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, cast

import polars as pl

from assay.core.errors import EmptyFileError, FormatError, InputError, ParameterError, quote
from assay.files import RunFile, detect, is_file
from assay.files.line_reader import Lines, Looks, looks_of, ranks_of, read_lines
from assay.files.registry import Kind
from assay.files.registry import named as named_kind
from assay.files.runs import line_of_row, numbered_lines
from assay.files.sources import Readable, Source
from assay.subjects.ranking.evaluation import named_runs
from assay.tables import Batches, Qrels
from assay.tables.roles import Where
from assay.tables.shapes import FlatDicts, rows_of
from assay.verbs.diagnosis.examination import Example, Reading, pair

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
        """True if blanks separate the fields."""
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
    """As much as can be made of a file that the strict readers refuse."""
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
    """True if numbers look like grades: a few different ones, all of them whole."""
    return values.n_unique() <= _MOST_GRADES and bool((values.floor() == values).all())


def _are_alike(source: Source, looks: Looks, rows: int) -> bool:
    """True if all lines of a TREC run have the same number of columns."""
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
    """The contents of a file that is not what it should be; nothing if nobody knows."""
    try:
        reader = detect(source, None)
    except (FormatError, InputError):
        return ""
    return reader.title if reader.kind != kind else ""
