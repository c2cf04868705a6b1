"""Files and tables as the doctor is given them: opened strictly if possible, tolerantly if not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from assay.core.errors import EmptyFileError, FormatError, InputError, ParameterError, quote
from assay.files import RunFile, detect, is_file
from assay.files.columns import all_lines, data_lines
from assay.files.registry import Kind, head_of
from assay.files.registry import named as named_kind
from assay.files.runs import parsed
from assay.files.sources import Readable, Source
from assay.measures.counting.judgments import Ints
from assay.subjects.ranking.inputs import named_runs
from assay.tables import Batches, Qrels
from assay.tables.shapes import FlatDicts, rows_of
from assay.verbs.diagnosis.file_profile import Looks, intact_chunks, looks_of
from assay.verbs.diagnosis.line_reader import Lines, number_in, ranks_of, read_lines

_BLANK_SEPARATED = ("TREC run", "MS MARCO run", "TREC qrels", "qrels in three columns")
_TREC_COLUMNS, _SAMPLE = 6, 2000
#: Numbers with more different values than this are no grades.
_MOST_GRADES = 12


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

    @cached_property
    def _line_of_row(self) -> Ints | int | None:
        """The line of each row; or a number to add to the row; None where that is not known."""
        if self.tolerated is not None:
            return self.tolerated.lines
        if self.source is None or self.looks is None or self.looks.binary:
            return None
        beyond = self.looks.lines - self.rows.height
        if beyond == 0:
            return 1
        if self.is_blank_separated:
            return _data_line_numbers(self.source)
        head = head_of(self.source)
        named = head.numbered[0][0] if head.numbered else 0
        return 1 + named if beyond == named and "SV" in self.format else None

    def line(self, row: int) -> int | None:
        """The line of a row, from 1."""
        lines = self._line_of_row
        if lines is None:
            return None
        return row + lines if isinstance(lines, int) else int(lines[row])

    def written(self, row: int) -> str | None:
        """The line of a row as it stands in the file, if that is known."""
        line = self.line(row)
        if line is None or self.source is None:
            return None
        before = 0
        for data in self.source.chunks():
            lines = all_lines(data)
            if line <= before + len(lines):
                return lines[line - before - 1].decode(errors="replace")
            before += len(lines)
        return None


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
    called = [
        run.name if isinstance(run, Source) and stems.count(stem) > 1 else stem
        for run, stem in zip(opened, stems, strict=True)
    ]
    return list(zip(_apart(called), opened, strict=True))


def _apart(names: Sequence[str]) -> list[str]:
    """The same names, but those that come again with a number: the same file may be given twice."""
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name} ({count + 1})" if count else name for name, count in zip(names, before, strict=True)]


def _is_openable(run: Any) -> bool:
    """Tell paths, open files and scanned files from tables in memory, which can be read, too."""
    return isinstance(run, RunFile) or (is_file(run) and not hasattr(run, "batches"))


def _open_file(
    readable: Readable | Source, kind: Kind, name: str | None, read: Callable[[Source], tuple[pl.DataFrame, str]]
) -> Opened:
    source = readable if isinstance(readable, Source) else Source(readable)
    looks = looks_of(source)
    opened = Opened(
        kind, name or (source.stem if kind == "run" else source.name), source.name, looks=looks, source=source
    )
    if looks.is_garbled or looks.packed or not (looks.size or looks.binary or looks.damage):
        return opened
    refusal = ""
    try:
        frame, form = read(source)
    except (FormatError, ParameterError) as problem:
        opened = replace(opened, is_blank=isinstance(problem, EmptyFileError))
        refusal = _refusal(problem)
    else:
        widths = _widths(source, frame.height) if form == "TREC run" else {}
        # Lines that differ from the others may hold anything: they are left out below, and named.
        if len(widths) < 2:
            why = _shifted(source, max(widths, default=_TREC_COLUMNS))
            return replace(opened, refusal=why) if why else replace(opened, frame=frame, format=form)
    return _tolerated(opened, source, kind, refusal)


def _tolerated(opened: Opened, source: Source, kind: Kind, refusal: str) -> Opened:
    """What can be made of a file that the strict readers refuse."""
    binary = opened.looks is not None and opened.looks.binary
    lines = None if binary else read_lines(b"".join(intact_chunks(source)), kind)
    if lines is None:
        return replace(opened, refusal=refusal, other=_other(source, kind))
    if lines.kind == kind:
        return replace(opened, frame=lines.frame, format=lines.says, tolerated=lines, refusal=refusal)
    if kind == "run" and not lines.named and not _are_grades(lines.frame["relevance"]):
        return replace(opened, refusal=_without_names(lines), is_blank=False)
    form = f"{named_kind(lines.kind)} in {lines.says}" if lines.named else lines.says
    return replace(opened, refusal=refusal, other=form)


def _refusal(problem: FormatError | ParameterError) -> str:
    """What a strict reader said, without the file's name."""
    if not isinstance(problem, FormatError):
        return str(problem)
    return problem.reason if problem.line is None else f"line {problem.line}: {problem.reason}"


def _are_grades(values: pl.Series) -> bool:
    """Whether numbers look like grades: a few different ones, all of them whole."""
    return values.n_unique() <= _MOST_GRADES and bool((values.floor() == values).all())


def _without_names(lines: Lines) -> str:
    """What keeps a table that could be a run from being read as one."""
    between = "blanks or tabs" if lines.separator is None else repr(lines.separator)
    first = lines.numbers[0] if lines.numbers else None
    if first is not None and first.line < lines.lines.min(initial=1 << 60):
        return f"{quote(first.text)} names no columns that Assay knows, such as query_id, doc_id and score"
    return f"{lines.columns} columns separated by {between}, and no header names them"


def _widths(source: Source, rows: int) -> dict[int, int]:
    """How many lines there are of each number of columns; nothing if all have those of a TREC run."""
    blanks = lines = 0
    for data in source.chunks():
        blanks += data.count(b" ") + data.count(b"\t")
        lines += data.count(b"\n") + (not data.endswith(b"\n"))
    # No line has fewer columns, or the file would have been refused: with as many blanks as that takes, none has more.
    if lines == rows and blanks == rows * (_TREC_COLUMNS - 1):
        return {}
    return Counter(len(line.split()) for data in source.chunks() for _, line in data_lines(data))


def _shifted(source: Source, columns: int) -> str:
    """What tells that ids hold blanks, so that all columns behind them are one further on; nothing if nothing does."""
    if columns == _TREC_COLUMNS:
        return ""
    rows = [line.split() for _, line in data_lines(next(source.chunks()))][:_SAMPLE]
    numbers_read = [[number_in(row[place].decode(errors="replace")) for row in rows] for place in (4, 5)]
    if any(value is None for values in numbers_read for value in values):
        return ""
    fifth, sixth = (np.array(values, dtype=np.float64) for values in numbers_read)
    if (fifth == np.floor(fifth)).all() and (sixth != np.floor(sixth)).any() and len(np.unique(sixth)) > 1:
        return f"every line has {columns} columns, and the sixth looks like the scores: is a blank inside the ids?"
    return ""


def _strict_run(source: Source) -> tuple[pl.DataFrame, str]:
    run: Batches = detect(source, "run").read(source, source.stem)
    if not isinstance(run, RunFile):
        return _ids_first(run.read().frame), run.format
    has_score = "score" in run.layout.columns
    text = [column for column in ("rank", "tag") if column in run.layout.columns and column not in run.layout.numbers]
    layout = run.layout._replace(text=(*run.layout.text, *text))
    frames = list(parsed(source, layout, lambda frame: _with_numbers(frame, has_score)))
    return pl.concat(frames), run.format


def _with_numbers(frame: pl.DataFrame, has_score: bool) -> pl.DataFrame:
    """Ranks as numbers, null where they are none; where there are ranks alone, they make the score."""
    score = pl.col("score") if has_score else -pl.col("rank").cast(pl.Float64).alias("score")
    wanted: list[str | pl.Expr] = [
        "query_id",
        "doc_id",
        score.alias("score"),
        pl.col("rank").map_batches(ranks_of, return_dtype=pl.Float64),
    ]
    return frame.select(*wanted, *(["tag"] if "tag" in frame.columns else []))


def _strict_qrels(source: Source) -> tuple[pl.DataFrame, str]:
    reader = detect(source, "qrels")
    loaded = reader.read(source, source.name)
    return _ids_first(loaded.frame), loaded.title or reader.title


def _ids_first(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("query_id", "doc_id", pl.exclude("query_id", "doc_id"))


def _other(source: Source, kind: Kind) -> str:
    """What a file holds that is not what it should be; nothing if nobody knows."""
    try:
        reader = detect(source, None)
    except (FormatError, InputError):
        return ""
    return reader.title if reader.kind != kind else ""


def _data_line_numbers(source: Source) -> Ints:
    numbers: list[Ints] = []
    before = 0
    for data in source.chunks():
        numbers.append(np.array([number for number, _ in data_lines(data)], dtype=np.int64) + before)
        before += len(all_lines(data))
    return np.concatenate(numbers)


def commented_rows(file: Opened) -> list[tuple[int, str]]:
    """Lines that would be rows if they did not start with a `#`, with their numbers."""
    if file.source is None or file.looks is None or file.looks.binary or not file.looks.comments:
        return []
    number, columns = (4, _TREC_COLUMNS) if file.kind == "run" else (3, 4)
    commented: list[tuple[int, str]] = []
    before = 0
    for data in intact_chunks(file.source):
        lines = all_lines(data)
        for line, text in enumerate(lines, before + 1):
            fields = text.decode(errors="replace").split() if text.startswith(b"#") else []
            if len(fields) == columns and len(fields[0]) > 1 and number_in(fields[number]) is not None:
                commented.append((line, " ".join(fields)))
        before += len(lines)
    return commented
