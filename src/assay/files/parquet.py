"""Parquet and Arrow files: columns by name, read in batches."""

from __future__ import annotations

import io
import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import polars as pl

from assay.core.errors import EmptyFileError, FormatError
from assay.files.json_values import quiet_panics
from assay.files.registry import COLUMN_MARKS
from assay.files.sources import Source
from assay.tables import Run
from assay.tables.named_columns import NamedColumns, ranking_rows
from assay.tables.roles import turned_round

T = TypeVar("T")

_BATCH_ROWS = 1 << 18
_MARK = b"PAR1"
#: Kinds of field in Thrift's compact form, which Parquet is written in.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


class BrokenPagesError(ValueError):
    """A fault of the pages."""


def check_pages(data: Any) -> None:
    """Refuse a file in which a page claims more values than its column has, or less than none.

    Polars takes memory for as many as are claimed before it reads them. Where that fails it ends the process, which
    no error can be made of; and only PyArrow, which is an extra, would read these records in its place.

    >>> import io, polars
    >>> written = io.BytesIO()
    >>> polars.DataFrame({"query_id": ["q1"]}).write_parquet(written)
    >>> check_pages(written.getvalue())
    >>> check_pages(b"PAR1" + bytes(4) + b"PAR1")
    Traceback (most recent call last):
    assay.files.parquet.BrokenPagesError: its list of columns is damaged
    """
    size = len(data)
    length = int.from_bytes(data[size - 8 : size - 4], "little") if size > 12 else 0
    if not length or length > size - 12 or data[size - 4 : size] != _MARK:
        raise BrokenPagesError("its list of columns is damaged")
    try:
        footer = _Records(data, size - 8 - length).record()
        for group in footer.get(4, ()):
            for chunk in group.get(1, ()):
                _check_column(data, chunk[3])
    except RecursionError as problem:
        raise BrokenPagesError("its list of columns is nested too deeply") from problem
    except (IndexError, KeyError, TypeError, AttributeError) as problem:
        raise BrokenPagesError("its pages are damaged") from problem


def _check_column(data: Any, about: dict[int, Any]) -> None:
    """Walk from page to page: numbers are those of the fields of `ColumnMetaData` and `PageHeader`."""
    values, start = about[5], about[9]
    if 11 in about and 0 < about[11] < start:  # the page of the dictionary comes first
        start = about[11]
    end = start + about[7]
    if values < 0 or not 0 <= start <= end <= len(data):
        raise BrokenPagesError("a column lies outside the file")
    pages = _Records(data, start)
    while values > 0 and pages.place < end:
        page = pages.record()
        claimed = (page.get(5) or page.get(8) or page.get(7) or {1: 0})[1]
        # A value of a dictionary takes a byte at least; a column may repeat one value without end.
        most = page[2] if 7 in page else values
        if not 0 <= claimed <= most or page[3] < 0:
            raise BrokenPagesError(f"a page claims {claimed:,} values")
        values -= 0 if 7 in page else claimed
        pages.place += page[3]


class _Records:
    """Records in Thrift's compact form, from a place on: fields by their numbers. Texts are passed over."""

    def __init__(self, data: Any, place: int) -> None:
        self._data, self.place = data, place

    def record(self) -> dict[int, Any]:
        """The fields of the next one."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (_I16, _I32, _I64):
            return self._signed()
        if kind == _STRUCT:
            return self.record()
        if kind in (_LIST, _SET):
            return self._list()
        sizes = {_TRUE: 1, _FALSE: 1, _BYTE: 1, _DOUBLE: 8}
        if kind not in (*sizes, _BINARY):
            raise BrokenPagesError("its list of columns is damaged")
        size = self._unsigned() if kind == _BINARY else sizes[kind]
        self.place += size
        return None

    def _list(self) -> list[Any]:
        head = self._byte()
        count = self._unsigned() if head >> 4 == 15 else head >> 4
        return [self._value(head & 15) for _ in range(count)]

    def _byte(self) -> int:
        byte: int = self._data[self.place]
        self.place += 1
        return byte

    def _unsigned(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise BrokenPagesError("its list of columns is damaged")

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)


class TableFile:
    """A run in a file of columns: each pass reads it batch by batch."""

    def __init__(self, source: Source, columns: dict[str, str], name: str) -> None:
        self.source, self._columns, self.format, self.name = source, columns, _format_name(source), name
        check_file(source)
        with _intact(source):
            rows = _scan(source).select(pl.len()).collect().item()
        if not rows:
            raise EmptyFileError(source.name, "rows")

    @property
    def origin(self) -> str:
        """The origin of the run, for messages: its path."""
        return self.source.name

    @property
    def warnings(self) -> tuple[str, ...]:
        """Remarks on its columns."""
        return turned_round(self.name, self._columns)

    @property
    def is_turned(self) -> bool:
        """True if the scores are distances, with their sign turned round."""
        return "distance" in self._columns

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the file in order."""
        start = 0
        for frame in batches_of(self.source, list(self._columns.values())):
            if frame.height:
                run = self._table(frame, start)
                start += frame.height
                yield from run.batches(prepare, rank_by)

    def read(self) -> Run:
        """Read the whole table into memory."""
        with _intact(self.source):
            frame = _scan(self.source).select(self._columns.values()).collect()
        return self._table(frame, 0)

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the row (from 1) where this document comes up for the second time."""
        return self.source.name, self.read().whereabouts(query_id, doc_id)[1]

    def _table(self, frame: pl.DataFrame, start: int) -> Run:
        table = _named(self.source, frame, start)
        rows = ranking_rows("run", table, self._columns)
        return Run(rows, self.name, self.format, where=table.where, origin=self.source.name, warnings=self.warnings)


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
    """The result of a call to the library, with its words on a broken file as our error."""
    try:
        with quiet_panics():
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        broke = isinstance(problem, pl.exceptions.PanicException)
        note = "it cannot be decoded" if broke else (str(problem).splitlines() or [""])[0][:200]
        raise FormatError(source.name, None, expected="an intact Parquet or Arrow file", note=note) from problem


def check_file(source: Source) -> None:
    """Hold what the pages claim against the file, before Polars believes it."""
    if _format_name(source) != "Parquet":
        return
    try:
        if source.plain and source.path is not None:
            with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                check_pages(mapped)
        else:
            check_pages(source.read())
    except BrokenPagesError as problem:
        expected = "an intact Parquet or Arrow file"
        raise FormatError(source.name, None, expected=expected, note=str(problem)) from problem


def batches_of(source: Source, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Some columns of a file that was checked, batch by batch."""
    with _intact(source):
        frames = iter(_scan(source).select(columns).collect_batches(chunk_size=_BATCH_ROWS, maintain_order=True))
    while True:
        with _intact(source):
            frame = next(frames, None)
        if frame is None:
            return
        yield frame


def read_table(source: Source) -> NamedColumns:
    """All columns of a file, whatever they are called."""
    check_file(source)
    with _intact(source):
        return _named(source, _scan(source).collect())


def names_in(source: Source) -> list[str]:
    """The names of the columns."""
    with _intact(source):
        return _scan(source).collect_schema().names()
