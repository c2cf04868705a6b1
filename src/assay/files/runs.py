"""Runs and judgments in files: read whole, or (runs) gone through chunk by chunk in bounded memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from assay.errors import FormatError
from assay.files.columns import BadRowError, Layout, all_lines, data_lines, last_data_line, parse
from assay.files.registry import Format, detect
from assay.files.sources import Readable, Source
from assay.tables import Qrels, Run

T = TypeVar("T")

# Polars parses a chunk on all cores; a few chunks under way at once keep them busy between two parses.
_UNDER_WAY = min(4, (os.cpu_count() or 1) + 1)


@dataclass(frozen=True)
class RunFile:
    """A run that stays in its file: each pass reads, checks and parses it chunk by chunk.

    >>> import io
    >>> run = scan_run(io.BytesIO(b"q1 Q0 d1 1 2.5 mine"), name="mine")
    >>> run.read().frame.rows()
    [('q1', 'd1', 2.5, 1.0)]
    """

    source: Source
    format: str
    layout: Layout
    name: str

    @property
    def origin(self) -> str:
        """Where the run comes from, for messages: its path."""
        return self.source.name

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the file in order; `prepare` runs in the threads that parse."""
        if rank_by == "rank":
            layout = self.layout._replace(numbers=("rank",))
            return parsed(self.source, layout, lambda frame: prepare(_ranked(frame)))
        return parsed(self.source, self.layout, prepare)

    def read(self) -> Run:
        """Read the whole table into memory, with its ranks if all of them are numbers."""
        layout = self.layout._replace(text=(*self.layout.text, "rank"))
        frame = _concat(parsed(self.source, layout, _same), layout)
        rank = frame["rank"].cast(pl.Float64, strict=False)
        frame = frame.drop("rank")
        if not rank.has_nulls() and not rank.is_nan().any():
            frame = frame.with_columns(rank)
        return Run(frame, self.name, self.format)

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the line where this document comes up for the second time."""
        found = _occurrences(self.source, self.layout, query_id=query_id, doc_id=doc_id)
        return self.source.name, found[1][0] if len(found) > 1 else None

    def tag(self) -> str:
        """The tag on the last line, by which the reference tool calls the run."""
        last = b""
        for chunk in self.source.chunks():
            last = last_data_line(chunk) or last
        return last.split()[self.layout.columns.index("tag")].decode()


def scan_run(given: Readable, *, format: str | None = None, name: str | None = None) -> RunFile:
    """Find out the format of a run file without reading it; evaluation then streams it.

    >>> import io
    >>> scan_run(io.StringIO("q1 Q0 d1 1 2.5 mine")).format
    'TREC run'
    """
    source = Source(given)
    found = detect(source, "run", format)
    return RunFile(source, found.says, found.layout, name or source.stem)


def read_run(given: Readable, *, format: str | None = None, name: str | None = None) -> Run:
    """Read a run file into memory.

    >>> import io
    >>> read_run(io.StringIO("q1 Q0 d1 1 2.5 mine")).frame.rows()
    [('q1', 'd1', 2.5, 1.0)]
    """
    return scan_run(given, format=format, name=name).read()


def read_qrels(
    given: Readable, *, format: str | None = None, name: str | None = None, judges: bool | None = None
) -> Qrels:
    """Read judgments. `judges`: whether column 2 names the judge; None finds out from documents judged twice.

    >>> import io
    >>> read_qrels(io.StringIO("q1 0 d1 2")).frame.rows()
    [('q1', 'd1', 2.0)]
    """
    source = Source(given)
    found = detect(source, "qrels", format)
    frame = _concat(parsed(source, found.layout, _same), found.layout)
    frame, says = _with_judges(frame, found, judges)

    def contradiction(**wanted: str) -> tuple[str, int | None]:
        """The first line that gives another grade than the lines before."""
        in_file = {"iteration" if key == "judge" else key: value for key, value in wanted.items()}
        (_, first), *rest = _occurrences(source, found.layout, **in_file)
        return source.name, next((line for line, fields in rest if float(fields[-1]) != float(first[-1])), None)

    return Qrels.settled(frame, name or source.name, says, contradiction)


def parsed(source: Source, layout: Layout, prepare: Callable[[pl.DataFrame], T]) -> Iterator[T]:
    """Parse a file chunk by chunk, several at once, and yield in order what `prepare` makes of each."""
    lines = rows = 0

    def work(data: bytes) -> tuple[T, int, int]:
        frame, count = parse(data, layout)
        return prepare(frame), count, frame.height

    with ThreadPoolExecutor(_UNDER_WAY, thread_name_prefix="assay-parse") as pool:
        waiting: deque[Future[tuple[T, int, int]]] = deque()
        try:
            for data in source.chunks():
                waiting.append(pool.submit(work, data))
                if len(waiting) < _UNDER_WAY:
                    continue
                result, count, height = waiting.popleft().result()
                lines, rows = lines + count, rows + height
                yield result
            while waiting:
                result, count, height = waiting.popleft().result()
                lines, rows = lines + count, rows + height
                yield result
        except BadRowError as bad:
            raise FormatError(source.name, lines + bad.line, expected=bad.expected, got=bad.got) from None
        finally:
            for future in waiting:
                future.cancel()
    if not rows:
        raise FormatError(source.name, None, expected=layout.expected, note="there are no data in the file")


def _same(frame: pl.DataFrame) -> pl.DataFrame:
    return frame


def _ranked(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn ranks, which are best when small, into scores, which are best when large."""
    return frame.select("query_id", "doc_id", score=-pl.col("rank"))


def _concat(frames: Iterator[pl.DataFrame], layout: Layout) -> pl.DataFrame:
    return pl.concat(list(frames)).select(*layout.text, *layout.numbers)


def _with_judges(frame: pl.DataFrame, found: Format, judges: bool | None) -> tuple[pl.DataFrame, str]:
    """Keep column 2 as `judge` if asked for, or if it is what tells several judgments of a document apart."""
    if "iteration" not in frame.columns:
        return frame, found.says
    if judges is None:
        pairs = frame.n_unique(["query_id", "doc_id"])
        judges = pairs < frame.height and pairs < frame.n_unique(["query_id", "doc_id", "iteration"])
    if not judges:
        return frame.drop("iteration"), found.says
    frame = frame.rename({"iteration": "judge"})
    return frame, f"{found.says} by {frame['judge'].n_unique()} judges"


def _occurrences(source: Source, layout: Layout, **wanted: str) -> list[tuple[int, list[bytes]]]:
    """Search the file for lines with these values; slow, and only done to say where something is wrong."""
    values = [(layout.columns.index(column), value.encode()) for column, value in wanted.items()]
    found = []
    before = 0
    for data in source.chunks():
        for number, line in data_lines(data):
            fields = line.split()
            if all(fields[column] == value for column, value in values):
                found.append((before + number, fields))
        before += len(all_lines(data))
    return found
