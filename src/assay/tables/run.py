"""What a system returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Protocol, TypeVar, cast

import polars as pl

from assay.core.errors import InputError
from assay.tables.shapes import FlatDicts, InMemory, Locate, refuse_absent, rows_of

T = TypeVar("T")

_BATCH_ROWS = 1 << 18


class Batches(Protocol):
    """A run that can be gone through in pieces, more than once: a table in memory, or a file."""

    @property
    def name(self) -> str:
        """What the run is called."""

    @property
    def origin(self) -> str:
        """Where the run comes from, for messages: a file's path, or the name."""

    @property
    def format(self) -> str:
        """The format that it is in, for messages."""

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Give `prepare` each piece (query_id, doc_id, score, in input order), and yield what it returns."""

    def read(self) -> Run:
        """Read the whole table into memory."""

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the file and the line where this document comes up for the second time."""


class Run:
    """What a system returned: `query_id, doc_id, score` and, if it was given, `rank`.

    >>> Run.of({"q1": {"d1": 2.0, "d2": 1.5}}).frame.rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 1.5)]
    """

    def __init__(
        self,
        rows: pl.DataFrame | FlatDicts,
        name: str = "run",
        format: str = "in memory",
        metadata: str = "",
        locate: Locate | None = None,
    ) -> None:
        self.name, self.format = name, format
        self._locate = locate
        #: What the run says about itself: YAML, as an `ir_metadata` header has it.
        self.metadata = metadata
        #: The rows as they came, if they came in dicts: whoever can do with those need not make columns of text.
        self.dicts = rows if isinstance(rows, FlatDicts) else None
        if isinstance(rows, pl.DataFrame):
            refuse_absent(rows.columns, "score", name)
            self.frame = rows

    @classmethod
    def of(cls, data: InMemory, name: str = "run") -> Run:
        """Take a run from dicts of dicts, a data frame of any library, or `(query_id, doc_id, score)` tuples."""
        if isinstance(data, Run):
            return data
        return cls(rows_of(data, "score", name), name)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows, in the order in which they came."""
        return cast("FlatDicts", self.dicts).frame("score")

    @property
    def origin(self) -> str:
        """Where the run comes from, for messages: a file's path, or the name."""
        return self.name if self._locate is None else self._locate()[0]

    def read(self) -> Run:
        """The run itself, which is in memory."""
        return self

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the rows in pieces; with `rank_by="rank"` the score is the negative rank."""
        frame = self.frame
        if rank_by == "rank":
            if "rank" not in frame.columns:
                raise InputError(
                    f"{self.name}: rank_by='rank' needs a column `rank` of numbers, there is {', '.join(frame.columns)}"
                )
            frame = frame.with_columns(score=-pl.col("rank").cast(pl.Float64))
        for start in range(0, frame.height, _BATCH_ROWS):
            yield prepare(frame.slice(start, _BATCH_ROWS))

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the row (from 1), or the line of the file, where this document comes up for the second time."""
        if self._locate is not None:
            return self._locate(query_id=query_id, doc_id=doc_id)
        same = (self.frame["query_id"] == query_id) & (self.frame["doc_id"] == doc_id)
        return self.name, int(same.arg_true()[1]) + 1
