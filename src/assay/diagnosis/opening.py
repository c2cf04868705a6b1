"""Files and tables as the doctor is given them: opened strictly if possible, tolerantly if not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from assay.counting.judgments import Ints
from assay.diagnosis.looks import Looks, intact_chunks, looks_of
from assay.diagnosis.tolerant import Lines, read_lines
from assay.errors import FormatError, InputError, ParameterError
from assay.files import RunFile, detect, is_file
from assay.files.columns import all_lines, data_lines
from assay.files.registry import Kind, head_of
from assay.files.runs import parsed
from assay.files.sources import Readable, Source
from assay.given import named_runs
from assay.tables import Batches, Qrels
from assay.tables.shapes import FlatDicts, rows_of

_BLANK_SEPARATED = ("TREC run", "MS MARCO run", "TREC qrels", "qrels in three columns")


@dataclass(frozen=True, eq=False)
class Opened:
    """A table with what was noticed when it was read.

    `frame` is None if no table could be made of the file; `tolerated` tells what was wrong, where the strict readers
    refused the file, and `refusal` is what they said.
    """

    kind: Kind
    name: str
    file: str
    format: str = "in memory"
    frame: pl.DataFrame | None = None
    looks: Looks | None = None
    tolerated: Lines | None = None
    refusal: str = ""
    #: What the file holds, if it is not what was expected at its place.
    other: str = ""
    source: Source | None = None

    @property
    def rows(self) -> pl.DataFrame:
        """The table; call it only if there is one."""
        return cast("pl.DataFrame", self.frame)

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


def open_judgments(given: Any) -> Opened:
    """Open judgments.

    >>> open_judgments({"q1": {"d1": 1}}).rows.rows()
    [('q1', 'd1', 1.0)]
    """
    if is_file(given):
        return _open_file(given, "qrels", None, _strict_qrels)
    if isinstance(given, Qrels):
        return Opened("qrels", given.name, given.name, given.format, _ids_first(given.frame))
    rows = rows_of(given, "relevance", "qrels")
    frame = rows.frame("relevance") if isinstance(rows, FlatDicts) else rows
    return Opened("qrels", "qrels", "qrels", frame=_ids_first(frame))


def open_run(given: Any, name: str | None) -> Opened:
    """Open a run.

    >>> import io
    >>> open_run(io.StringIO("q1 Q0 d1 1 2.5 mine"), "mine").rows.rows()
    [('q1', 'd1', 2.5, 1.0, 'mine')]
    """
    if isinstance(given, RunFile):
        return _open_file(given.source, "run", given.name, _strict_run)
    if _is_openable(given) or isinstance(given, Source):
        return _open_file(given, "run", name, _strict_run)
    table = next(iter(named_runs([given]).values())).read()
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


def _stem(run: Any) -> str:
    if isinstance(run, Source):
        return run.stem
    return str(getattr(run, "name", "run"))


def _open_file(
    given: Readable | Source, kind: Kind, name: str | None, read: Callable[[Source], tuple[pl.DataFrame, str]]
) -> Opened:
    source = given if isinstance(given, Source) else Source(given)
    looks = looks_of(source)
    opened = Opened(
        kind, name or (source.stem if kind == "run" else source.name), source.name, looks=looks, source=source
    )

    def made(**more: Any) -> Opened:
        return Opened(**{field: getattr(opened, field) for field in ("kind", "name", "file", "looks", "source")} | more)

    if not looks.size and not looks.binary and not looks.damage:
        return opened
    try:
        frame, says = read(source)
    except (FormatError, ParameterError) as problem:
        refusal = str(problem)
    else:
        return made(frame=frame, format=says)
    lines = None if looks.binary else read_lines(b"".join(intact_chunks(source)), kind)
    if lines is not None and lines.kind == kind:
        return made(frame=lines.frame, format=lines.says, tolerated=lines, refusal=refusal)
    return made(refusal=refusal, other=_other(source, kind, lines))


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
        pl.col("rank").cast(pl.Float64, strict=False),
    ]
    return frame.select(*wanted, *(["tag"] if "tag" in frame.columns else []))


def _strict_qrels(source: Source) -> tuple[pl.DataFrame, str]:
    found = detect(source, "qrels")
    loaded = found.read(source, source.name)
    return _ids_first(loaded.frame), loaded.says or found.says


def _ids_first(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("query_id", "doc_id", pl.exclude("query_id", "doc_id"))


def _other(source: Source, kind: Kind, lines: Lines | None) -> str:
    """What a file holds that is not what it should be; nothing if nobody knows."""
    if lines is not None:
        return lines.says
    try:
        found = detect(source, None)
    except (FormatError, InputError):
        return ""
    return found.says if found.kind != kind else ""


def _data_line_numbers(source: Source) -> Ints:
    numbers: list[Ints] = []
    before = 0
    for data in source.chunks():
        numbers.append(np.array([number for number, _ in data_lines(data)], dtype=np.int64) + before)
        before += len(all_lines(data))
    return np.concatenate(numbers)
