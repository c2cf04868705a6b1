"""The tables that flow between the stages: `Run`, `Qrels` and `Scores`, each a Polars frame with a checked schema."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import polars as pl

from assay.errors import FormatError, InputError, quote

T = TypeVar("T")
#: What `Run.of` and `Qrels.of` take: dicts of dicts, data frames of any library, or rows as tuples.
InMemory: TypeAlias = Mapping[str, Mapping[str, float]] | Iterable[tuple[Any, ...]] | Any

_BATCH_ROWS = 1 << 18


class Batches(Protocol):
    """A run that can be gone through in pieces, more than once: a table in memory, or a file."""

    @property
    def name(self) -> str:
        """What the run is called."""

    @property
    def origin(self) -> str:
        """Where the run comes from, for messages: a file's path, or the name."""

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Give `prepare` each piece (query_id, doc_id, score, in input order), and yield what it returns."""

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the file and the line where this document comes up for the second time."""


@dataclass(frozen=True)
class Run:
    """What a system returned: `query_id, doc_id, score` and, if it was given, `rank`.

    >>> Run.of({"q1": {"d1": 2.0, "d2": 1.5}}).frame.rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 1.5)]
    """

    frame: pl.DataFrame
    name: str = "run"
    format: str = "in memory"

    @classmethod
    def of(cls, data: InMemory, name: str = "run") -> Run:
        """Take a run from dicts of dicts, a data frame of any library, or `(query_id, doc_id, score)` tuples."""
        if isinstance(data, Run):
            return data
        return cls(_checked(_columns(data, "score"), "score", name), name)

    @property
    def origin(self) -> str:
        """Where the run comes from, for messages."""
        return self.name

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the rows in pieces; with `rank_by="rank"` the score is the negative rank."""
        frame = self.frame
        if rank_by == "rank":
            if "rank" not in frame.columns:
                raise InputError(
                    f"{self.name}: rank_by='rank' needs a column `rank`, there is {', '.join(frame.columns)}; "
                    "evaluate the file itself, or add the column"
                )
            frame = frame.with_columns(score=-pl.col("rank").cast(pl.Float64))
        frame = frame.select("query_id", "doc_id", "score")
        for start in range(0, frame.height, _BATCH_ROWS):
            yield prepare(frame.slice(start, _BATCH_ROWS))

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the row (from 1) where this document comes up for the second time."""
        same = (self.frame["query_id"] == query_id) & (self.frame["doc_id"] == doc_id)
        return self.name, int(same.arg_true()[1]) + 1


@dataclass(frozen=True)
class Qrels:
    """What the assessors judged: `query_id, doc_id, relevance`, and `judge` where several judged the same document.

    Relevance is a number: whole grades or fractions. A negative one means: in the pool, but not judged.

    >>> Qrels.of([("q1", "d1", 1), ("q1", "d2", 0)]).topics
    ['q1']
    """

    frame: pl.DataFrame
    name: str = "qrels"
    format: str = "in memory"
    warnings: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, data: InMemory, name: str = "qrels") -> Qrels:
        """Take judgments from dicts of dicts, any data frame, or `(query_id, doc_id, relevance)` tuples."""
        if isinstance(data, Qrels):
            return data
        return cls.settled(_checked(_columns(data, "relevance"), "relevance", name), name)

    @classmethod
    def settled(cls, frame: pl.DataFrame, name: str, format: str = "in memory", locate: Locate | None = None) -> Qrels:
        """Collapse rows given twice; refuse rows that contradict one another."""
        keys = [name for name in ("query_id", "doc_id", "judge") if name in frame.columns]
        if frame.n_unique(keys) == frame.height:
            return cls(frame, name, format)
        unique = frame.unique(maintain_order=True)
        if unique.select(keys).is_duplicated().any():
            row = unique.filter(unique.select(keys).is_duplicated()).row(0, named=True)
            pair = (row["query_id"], row["doc_id"])
            path, line = locate(*pair) if locate else (name, None)
            grades = unique.filter(pl.col("query_id") == pair[0], pl.col("doc_id") == pair[1])["relevance"].to_list()
            raise FormatError(
                path,
                line,
                expected=f"one judgment of document {quote(pair[1])} for query {quote(pair[0])}",
                got=" and ".join(f"{grade:g}" for grade in grades),
            )
        repeated = frame.height - unique.height
        warnings = (f"{name}: {repeated} judgments given twice alike count once",) if repeated else ()
        return cls(unique, name, format, warnings)

    @property
    def topics(self) -> list[str]:
        """The query ids, in the order of their first judgment."""
        return self.frame["query_id"].unique(maintain_order=True).to_list()

    @property
    def judges(self) -> list[str]:
        """Who judged, if the table says so."""
        return self.frame["judge"].unique().sort().to_list() if "judge" in self.frame.columns else []

    def by_judge(self, judge: str) -> Qrels:
        """Keep one judge's judgments."""
        if judge not in self.judges:
            if not self.judges:
                raise InputError(
                    f"{self.name}: expected judgments by several judges, got those of one; leave judge out"
                )
            known = ", ".join(map(repr, self.judges[:10]))
            raise InputError(f"{self.name}: expected a judge of {known}, got {judge!r}")
        frame = self.frame.filter(pl.col("judge") == judge).drop("judge")
        return Qrels(frame, self.name, self.format, self.warnings)


Locate: TypeAlias = Callable[[str, str], tuple[str, int | None]]


@dataclass(frozen=True)
class Scores:
    """One number per system, measure and unit; where there is none, `undefined` says why.

    Columns: `system, measure, unit_kind, unit, value, undefined`.
    """

    frame: pl.DataFrame

    SCHEMA = pl.Schema(
        {
            "system": pl.String,
            "measure": pl.String,
            "unit_kind": pl.String,
            "unit": pl.String,
            "value": pl.Float64,
            "undefined": pl.String,
        }
    )

    def __post_init__(self) -> None:
        if self.frame.schema != self.SCHEMA:
            raise InputError(f"scores: expected the columns {dict(self.SCHEMA)}, got {dict(self.frame.schema)}")

    def of(self, system: str, measure: str) -> pl.DataFrame:
        """The units of one system under one measure."""
        for column, wanted in (("system", system), ("measure", str(measure))):
            known = self.frame[column].unique(maintain_order=True).to_list()
            if wanted not in known:
                raise InputError(f"scores: expected a {column} of {', '.join(known)}, got {wanted!r}")
        return self.frame.filter(pl.col("system") == system, pl.col("measure") == str(measure))


def _columns(data: InMemory, value: str) -> pl.DataFrame:
    """Any of the accepted shapes -> a frame, not yet checked."""
    if isinstance(data, Mapping):
        return _from_mapping(data, value)
    if isinstance(data, pl.DataFrame | pl.LazyFrame):
        return data.lazy().collect()
    if hasattr(data, "columns") or hasattr(data, "__arrow_c_stream__") or hasattr(data, "column_names"):
        return _from_frame(data)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _from_rows(data, value)
    raise InputError(f"expected a dict of dicts, a data frame or rows as tuples, got {type(data).__name__}")


def _from_mapping(data: Mapping[Any, Any], value: str) -> pl.DataFrame:
    for query_id, documents in data.items():
        if not isinstance(documents, Mapping):
            raise InputError(
                f"query {query_id!r}: expected a dict of doc_id to {value}, got {type(documents).__name__}"
            )
    lengths = np.fromiter((len(documents) for documents in data.values()), dtype=np.int64, count=len(data))
    topics = pl.Series("query_id", [_text(query_id) for query_id in data], dtype=pl.String)
    documents = list(itertools.chain.from_iterable(data.values()))
    numbers = list(itertools.chain.from_iterable(documents.values() for documents in data.values()))
    return pl.DataFrame(
        {
            "query_id": topics.gather(np.repeat(np.arange(len(data)), lengths)),
            "doc_id": _texts(documents),
            value: _numbers(numbers, value),
        }
    )


def _from_rows(rows: Iterable[Any], value: str) -> pl.DataFrame:
    listed = [tuple(row) for row in rows]
    for number, row in enumerate(listed, 1):
        if len(row) != 3:
            raise InputError(f"row {number}: expected (query_id, doc_id, {value}), got {row!r}")
    queries, documents, numbers = zip(*listed, strict=True) if listed else ((), (), ())
    return pl.DataFrame({"query_id": _texts(queries), "doc_id": _texts(documents), value: _numbers(numbers, value)})


def _from_frame(data: Any) -> pl.DataFrame:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded only for frames of other libraries

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError as problem:
        raise InputError(f"expected a data frame, got {type(data).__name__}") from problem
    columns = {name: frame[name] for name in frame.columns}
    for name, column in columns.items():
        missing = column.is_null()
        if missing.any():
            raise InputError(f"row {missing.to_list().index(True) + 1}: expected a {name}, got none")
    return pl.DataFrame(
        {
            name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
            for name, column in columns.items()
        },
        strict=False,
    )


def _checked(frame: pl.DataFrame, value: str, name: str) -> pl.DataFrame:
    """Bring the columns to their types; refuse what is absent, null or not a number."""
    needed = ("query_id", "doc_id", value)
    absent = [column for column in needed if column not in frame.columns]
    if absent:
        raise InputError(f"{name}: expected the columns {', '.join(needed)}, got {', '.join(frame.columns) or 'none'}")
    optional = [column for column in ("rank", "judge") if column in frame.columns]
    columns = {column: frame[column] for column in (*needed, *optional)}
    for column, values in columns.items():
        if values.null_count():
            row = int(values.is_null().arg_max() or 0)
            raise InputError(f"{name}: row {row + 1}: expected a {column}, got null")
        if column in {value, "rank"}:
            columns[column] = _as_numbers(values, name, finite=column == "relevance")
        elif values.dtype != pl.String:
            if values.dtype.is_float():
                raise InputError(f"{name}: expected text or whole numbers in column {column}, got {values.dtype}")
            columns[column] = values.cast(pl.String)
    return pl.DataFrame(columns)


def _as_numbers(values: pl.Series, name: str, *, finite: bool) -> pl.Series:
    if len(values) and not values.dtype.is_numeric():
        raise InputError(f"{name}: expected numbers in column {values.name}, got {values.dtype}")
    numbers = values if values.dtype == pl.Float64 else values.cast(pl.Float64)
    refused = ~np.isfinite(numbers.to_numpy()) if finite else np.isnan(numbers.to_numpy())
    if refused.any():
        row = int(refused.argmax())
        raise InputError(f"{name}: row {row + 1}: expected a number as {values.name}, got {numbers[row]}")
    return numbers


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"expected ids as text, got {value!r}")


def _texts(values: Iterable[Any]) -> pl.Series:
    try:
        return pl.Series(values, dtype=pl.String, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series([_text(value) for value in values], dtype=pl.String)


def _numbers(values: Iterable[Any], name: str) -> pl.Series:
    listed = list(values)
    for kind in set(map(type, listed)):  # a check per type, not per value: there may be millions
        if issubclass(kind, str | bytes | bool | np.bool) or not hasattr(kind, "__float__"):
            odd = next(value for value in listed if type(value) is kind)
            raise InputError(f"expected a number as {name}, got {odd!r}")
    return pl.Series(name, np.fromiter(listed, dtype=np.float64, count=len(listed)))
