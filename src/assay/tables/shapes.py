"""Tables made in memory: of dicts of dicts, data frames of any library, rows as tuples.

Most dicts are plain: text to text to numbers. Those are checked and kept as they are; columns of text are made when
somebody asks for them. Everything else becomes columns at once, and is refused with a message where that fails.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError
from assay.tables.roles import is_frame

#: What `Run.of` and `Qrels.of` take: dicts of dicts, data frames of any library, or rows as tuples.
InMemory: TypeAlias = Mapping[str, Mapping[str, float]] | Iterable[tuple[Any, ...]] | Any

_FEW_ROWS = 1 << 16


class FlatDicts(NamedTuple):
    """A plain {query: {document: number}}, laid out flat: its queries, how long each is, and all rows.

    >>> FlatDicts.of({"q1": {"d1": 2, "d2": 1.5}})
    FlatDicts(query_ids=['q1'], lengths=[2], doc_ids=['d1', 'd2'], numbers=array([2. , 1.5]))
    """

    query_ids: list[str]
    lengths: list[int]
    doc_ids: list[str]
    numbers: np.ndarray[Any, np.dtype[np.float64]]

    @classmethod
    def of(cls, data: Mapping[Any, Any], *, finite: bool = False) -> FlatDicts | None:
        """Lay dicts out; None if any of their keys is not text, or any value not a number that can be used."""
        if not all(issubclass(kind, Mapping) for kind in set(map(type, data.values()))):
            return None
        data = {query: documents for query, documents in data.items() if documents}
        lengths = list(map(len, data.values()))
        doc_ids = list(itertools.chain.from_iterable(data.values()))
        if not {kind for kind, _ in itertools.groupby(_chained(data), type)} <= {float, int}:
            return None
        try:
            for text in ("".join(data), "".join(doc_ids)):
                if not text.isascii():
                    text.encode()
            numbers = np.fromiter(_chained(data), np.float64, sum(lengths))
        except (TypeError, UnicodeError, OverflowError):
            return None
        refused = ~np.isfinite(numbers) if finite else np.isnan(numbers)
        return None if refused.any() else cls(list(data), lengths, doc_ids, numbers)

    def frame(self, value: str) -> pl.DataFrame:
        """The rows in columns."""
        query = np.repeat(np.arange(len(self.query_ids)), self.lengths)
        return pl.DataFrame(
            {
                "query_id": picked(pl.Series(self.query_ids, dtype=pl.String), query),
                "doc_id": pl.Series(self.doc_ids, dtype=pl.String),
                value: pl.Series(self.numbers),
            }
        )


def _chained(data: Mapping[Any, Mapping[Any, Any]]) -> Iterable[Any]:
    """All numbers, query by query."""
    return itertools.chain.from_iterable(map(operator.methodcaller("values"), data.values()))


def rows_of(data: InMemory, value: str, name: str) -> pl.DataFrame | FlatDicts:
    """Take any of the accepted shapes, checked; refuse anything else."""
    flat = FlatDicts.of(data, finite=value == "relevance") if isinstance(data, Mapping) else None
    if flat is not None:
        return flat
    from assay.tables.named_columns import NamedColumns, ranking_rows  # noqa: PLC0415  # dicts do without

    columns = NamedColumns.of(data if is_frame(data) else _columns(data, value), name)
    return ranking_rows("run" if value == "score" else "qrels", columns)


def as_series(values: np.ndarray[Any, Any]) -> pl.Series:
    """A column of numbers.

    >>> as_series(np.array([1.0, 2.0])).to_list()
    [1.0, 2.0]
    """
    # To take a NumPy array, Polars loads `numpy.ma` (20 ms, once): more than a small evaluation takes in all.
    return pl.Series(values.tolist() if 0 < len(values) < _FEW_ROWS else values)


def picked(values: pl.Series, rows: np.ndarray[Any, np.dtype[np.int64]]) -> pl.Series:
    """Some of the values, in a given order.

    >>> picked(pl.Series(["a", "b", "c"]), np.array([2, 0])).to_list()
    ['c', 'a']
    """
    return values.gather(as_series(rows))


def _columns(data: InMemory, value: str) -> pl.DataFrame:
    """Any of the accepted shapes -> a frame, not yet checked."""
    if isinstance(data, Mapping):
        return _from_mapping(data, value)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _from_rows(data, value)
    raise InputError(f"expected a dict of dicts, a data frame or rows as tuples, got {type(data).__name__}")


def _from_mapping(data: Mapping[Any, Any], value: str) -> pl.DataFrame:
    rows: list[tuple[Any, Any, Any]] = []
    for query_id, documents in data.items():
        if not isinstance(documents, Mapping):
            kind = type(documents).__name__
            raise InputError(f"query {query_id!r}: expected a dict of doc_id to {value}, got {kind}")
        rows += [(query_id, doc_id, number) for doc_id, number in documents.items()]
    return _from_rows(rows, value)


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
        is_grade = name == "relevance" and issubclass(kind, bool | np.bool)
        if not is_grade and (issubclass(kind, str | bytes | bool | np.bool) or not hasattr(kind, "__float__")):
            odd = next(value for value in values if type(value) is kind)
            raise InputError(f"expected a number as {name}, got {odd!r}")
    try:
        return pl.Series(name, np.array(values, dtype=np.float64).reshape(len(values)))
    except (TypeError, ValueError, OverflowError) as problem:
        raise InputError(f"expected a number as {name}: {problem}") from problem
