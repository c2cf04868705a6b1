"""The tables that flow between the stages: `Run`, `Qrels` and `Scores`, each a Polars frame with a checked schema."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

    def __post_init__(self) -> None:
        _refuse_absent(self.frame.columns, "score", self.name)

    @classmethod
    def of(cls, data: InMemory, name: str = "run") -> Run:
        """Take a run from dicts of dicts, a data frame of any library, or `(query_id, doc_id, score)` tuples."""
        if isinstance(data, Run):
            return data
        return cls(_checked(_columns(data, "score", name), "score", name), name)

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
                    f"{self.name}: rank_by='rank' needs a column `rank` of numbers, there is {', '.join(frame.columns)}"
                )
            frame = frame.with_columns(score=-pl.col("rank").cast(pl.Float64))
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

    def __post_init__(self) -> None:
        _refuse_absent(self.frame.columns, "relevance", self.name)

    @classmethod
    def of(cls, data: InMemory, name: str = "qrels") -> Qrels:
        """Take judgments from dicts of dicts, any data frame, or `(query_id, doc_id, relevance)` tuples."""
        if isinstance(data, Qrels):
            return data
        frame = _checked(_columns(data, "relevance", name), "relevance", name)
        if isinstance(data, Mapping) and {str} >= set(map(type, itertools.chain(data, *data.values()))):
            return cls(frame, name)  # a dict whose keys are text cannot hold a pair twice
        return cls.settled(frame, name)

    @classmethod
    def settled(cls, frame: pl.DataFrame, name: str, format: str = "in memory", locate: Locate | None = None) -> Qrels:
        """Collapse rows given twice; refuse rows that contradict one another."""
        keys = [name for name in ("query_id", "doc_id", "judge") if name in frame.columns]
        if frame.n_unique(keys) == frame.height:
            return cls(frame, name, format)
        unique = frame.unique(maintain_order=True)
        if unique.n_unique(keys) < unique.height:
            first = unique.filter(unique.select(keys).is_duplicated()).row(0, named=True)
            wanted = {key: first[key] for key in keys}
            path, line = locate(**wanted) if locate else (name, None)
            grades = unique.filter(*(pl.col(key) == value for key, value in wanted.items()))["relevance"].to_list()
            by = f" by judge {quote(wanted['judge'])}" if "judge" in wanted else ""
            pair = f"document {quote(wanted['doc_id'])} for query {quote(wanted['query_id'])}"
            raise FormatError(
                path,
                line,
                expected=f"one judgment of {pair}{by}",
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


Locate: TypeAlias = Callable[..., tuple[str, int | None]]


@dataclass(frozen=True)
class Scores:
    """One number per system, measure and unit; where there is none, `undefined` says why.

    Columns: `system, measure, unit_kind, unit, value, undefined`.

    >>> from assay import evaluate
    >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.9}}, "AP").scores.of("run", "AP").rows()
    [('run', 'AP', 'query', 'q1', 1.0, None)]
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


#: The column that a table may have besides, by its column of numbers.
_OPTIONAL = {"score": "rank", "relevance": "judge"}


def _columns(data: InMemory, value: str, name: str) -> pl.DataFrame:
    """Any of the accepted shapes -> a frame, not yet checked."""
    if isinstance(data, Mapping):
        return _from_mapping(data, value)
    if isinstance(data, pl.DataFrame | pl.LazyFrame):
        try:
            return data.lazy().collect()
        except (OSError, pl.exceptions.PolarsError) as problem:
            raise InputError(f"{name}: cannot be read: {problem}") from problem
    if hasattr(data, "columns") or hasattr(data, "__arrow_c_stream__") or hasattr(data, "column_names"):
        return _from_frame(data, value, name)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _from_rows(data, value)
    raise InputError(f"expected a dict of dicts, a data frame or rows as tuples, got {type(data).__name__}")


def _from_mapping(data: Mapping[Any, Any], value: str) -> pl.DataFrame:
    for kind in set(map(type, data.values())):  # a check per type, not per query: there may be many
        if not issubclass(kind, Mapping):
            query_id = next(query_id for query_id, documents in data.items() if type(documents) is kind)
            raise InputError(f"query {query_id!r}: expected a dict of doc_id to {value}, got {kind.__name__}")
    lengths = np.array(list(map(len, data.values())), dtype=np.int64)
    topics = _texts(list(data), "query_id")
    documents = list(itertools.chain.from_iterable(data.values()))
    numbers = list(itertools.chain.from_iterable(map(operator.methodcaller("values"), data.values())))
    return pl.DataFrame(
        {
            "query_id": topics.gather(np.repeat(np.arange(len(data)), lengths)),
            "doc_id": _texts(documents, "doc_id"),
            value: _numbers(numbers, value),
        }
    )


def _from_rows(rows: Iterable[Any], value: str) -> pl.DataFrame:
    listed = list(rows)
    for number, row in enumerate(listed, 1):
        if not isinstance(row, tuple | list | np.ndarray) or len(row) != 3:
            raise InputError(f"row {number}: expected (query_id, doc_id, {value}), got {row!r}")
    queries, documents, numbers = zip(*listed, strict=True) if listed else ((), (), ())
    return pl.DataFrame(
        {
            "query_id": _texts(queries, "query_id"),
            "doc_id": _texts(documents, "doc_id"),
            value: _numbers(numbers, value),
        }
    )


def _from_frame(data: Any, value: str, name: str) -> pl.DataFrame:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # loaded only for frames of other libraries

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError as problem:
        raise InputError(f"expected a data frame, got {type(data).__name__}") from problem
    except nw.exceptions.NarwhalsError as problem:
        raise InputError(f"{name}: {' '.join(str(problem).split())}") from problem
    try:
        there = frame.columns
        wanted = {
            column: frame[column] for column in ("query_id", "doc_id", value, _OPTIONAL[value]) if column in there
        }
    except (ValueError, IndexError, nw.exceptions.NarwhalsError) as problem:
        raise InputError(f"{name}: expected a data frame with a name for each column, got {problem}") from problem
    _refuse_absent(there, value, name)
    columns = {}
    for column, values in wanted.items():
        missing = values.is_null()
        if missing.any():
            raise InputError(f"{name}: row {missing.to_list().index(True) + 1}: expected a {column}, got none")
        if values.dtype.is_numeric():
            columns[column] = pl.Series(values.to_numpy().copy())  # the frame's own memory may change later
        elif column not in {value, "rank"}:
            columns[column] = _texts(values.to_list(), column)
        elif values.dtype == nw.Object:
            columns[column] = _numbers(values.to_list(), column)
        else:
            raise InputError(f"{name}: expected numbers in column {column}, got {values.dtype}")
    return pl.DataFrame(columns)


def _refuse_absent(there: Sequence[Any], value: str, name: str) -> None:
    needed = ("query_id", "doc_id", value)
    if any(column not in there for column in needed):
        raise InputError(
            f"{name}: expected the columns {', '.join(needed)}, got {', '.join(map(str, there)) or 'none'}"
        )


def _checked(frame: pl.DataFrame, value: str, name: str) -> pl.DataFrame:
    """Bring the columns to their types; refuse what is absent, null or not a number."""
    _refuse_absent(frame.columns, value, name)
    wanted = ["query_id", "doc_id", value, *({_OPTIONAL[value]} & set(frame.columns))]
    columns = {column: frame[column] for column in wanted}
    for column, values in columns.items():
        if values.null_count():
            row = int(values.is_null().arg_max() or 0)
            raise InputError(f"{name}: row {row + 1}: expected a {column}, got null")
        if column in {value, "rank"}:
            columns[column] = _as_numbers(values, name, finite=column == "relevance")
        elif values.dtype != pl.String:
            if not (values.dtype.is_integer() or values.dtype.base_type() in {pl.Categorical, pl.Enum, pl.Null}):
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


def _text(value: Any, name: str) -> str:
    """Ids are text or whole numbers; text has to be such that it can be written down."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or value.encode(errors="ignore") != value.encode(errors="surrogatepass"):
        raise InputError(f"expected text or whole numbers as {name}, got {value!r}")
    return value


def _texts(values: Sequence[Any], name: str) -> pl.Series:
    try:
        return pl.Series(values, dtype=pl.String, strict=True)
    except (TypeError, UnicodeError, pl.exceptions.PolarsError):
        return pl.Series([_text(value, name) for value in values], dtype=pl.String)


def _numbers(values: Sequence[Any], name: str) -> pl.Series:
    for kind in set(map(type, values)):  # a check per type, not per value: there may be millions
        if issubclass(kind, str | bytes | bool | np.bool) or not hasattr(kind, "__float__"):
            odd = next(value for value in values if type(value) is kind)
            raise InputError(f"expected a number as {name}, got {odd!r}")
    try:
        return pl.Series(name, np.array(values, dtype=np.float64).reshape(len(values)))
    except (TypeError, ValueError, OverflowError) as problem:
        raise InputError(f"expected a number as {name}: {problem}") from problem
