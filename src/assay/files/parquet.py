"""Parquet and Arrow files: columns by name, read in batches."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import polars as pl

from assay.core.errors import EmptyFileError, FormatError
from assay.files.registry import COLUMN_MARKS
from assay.files.sources import Source
from assay.tables import Run
from assay.tables.named_columns import NamedColumns, ranking_rows

T = TypeVar("T")

_BATCH_ROWS = 1 << 18


class TableFile:
    """A run in a file of columns: each pass reads it batch by batch."""

    def __init__(self, source: Source, columns: dict[str, str], name: str) -> None:
        self.source, self.columns, self.format, self.name = source, columns, _format_name(source), name
        with _intact(source):
            rows = _scan(source).select(pl.len()).collect().item()
        if not rows:
            raise EmptyFileError(source.name, "rows")

    @property
    def origin(self) -> str:
        """Where the run comes from, for messages: its path."""
        return self.source.name

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the file in order."""
        start = 0
        with _intact(self.source):
            frames = iter(
                _scan(self.source)
                .select(self.columns.values())
                .collect_batches(chunk_size=_BATCH_ROWS, maintain_order=True)
            )
        while True:
            with _intact(self.source):
                frame = next(frames, None)
            if frame is None:
                break
            if frame.height:
                run = self._table(frame, start)
                start += frame.height
                yield from run.batches(prepare, rank_by)

    def read(self) -> Run:
        """Read the whole table into memory."""
        with _intact(self.source):
            frame = _scan(self.source).select(self.columns.values()).collect()
        return self._table(frame, 0)

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the row (from 1) where this document comes up for the second time."""
        return self.source.name, self.read().whereabouts(query_id, doc_id)[1]

    def _table(self, frame: pl.DataFrame, start: int) -> Run:
        table = _named(self.source, frame, start)
        rows = ranking_rows("run", table, self.columns)
        return Run(rows, self.name, self.format, where=table.where, origin=self.source.name)


def _named(source: Source, frame: pl.DataFrame, start: int = 0) -> NamedColumns:
    """These files have no lines: the number of the row, from 1."""
    return NamedColumns(
        source.name, frame, lambda row: (source.name, start + row + 1), lambda column: frame[column].to_list(),
        _format_name(source),
    )  # fmt: skip


def _scan(source: Source) -> pl.LazyFrame:
    # A compressed file, or none at all, is read whole; the library goes through any other by itself.
    content: Any = source.path if source.plain else io.BytesIO(source.read())
    return pl.scan_parquet(content) if _format_name(source) == "Parquet" else pl.scan_ipc(content)


def _format_name(source: Source) -> str:
    with source.open() as file:
        return "Parquet" if file.read(6).startswith(COLUMN_MARKS[0]) else "Arrow"


@contextmanager
def _intact(source: Source) -> Iterator[None]:
    """What the library says of a broken file, said as ours."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        broke = isinstance(problem, pl.exceptions.PanicException)
        note = "it cannot be decoded" if broke else (str(problem).splitlines() or [""])[0][:200]
        raise FormatError(source.name, None, expected="an intact Parquet or Arrow file", note=note) from problem


def read_table(source: Source) -> NamedColumns:
    """All columns of a file, whatever they are called."""
    with _intact(source):
        return _named(source, _scan(source).collect())


def names_in(source: Source) -> list[str]:
    """The names of the columns."""
    with _intact(source):
        return _scan(source).collect_schema().names()
