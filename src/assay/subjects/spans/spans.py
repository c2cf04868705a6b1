"""Spans of text with their types, and which of two sets match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import polars as pl

from assay.core.errors import InputError, ParameterError, number_of
from assay.core.options import Match

#: The type of what has none.
UNTYPED = "any"
_BEYOND = 1 << 63
_REST: dict[str, pl.DataType] = {"type": pl.String(), "text": pl.String(), "line": pl.Int64()}
_PLACES = pl.Schema({"document": pl.String(), "start": pl.Int64(), "end": pl.Int64(), **_REST})
_TUPLES = pl.Schema({"document": pl.String(), "values": pl.List(pl.String), **_REST})


class SpanPlaceError(InputError):
    """Spans end before they start, or where they do; `wrong` tells which rows of the `frame`."""

    def __init__(self, message: str, frame: pl.DataFrame, wrong: pl.Series, documents: tuple[str, ...]) -> None:
        super().__init__(message)
        self.frame, self.wrong, self.documents = frame, wrong, documents


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of documents: `document, start, end, type`, or tuples: `document, values, type`.

    A span starts at `start` and ends before `end`, counted in characters or in tokens, whichever; `text` is what stands
    there and `line` where it was read, where these are known. A span that is given twice counts once. `documents` may
    name more documents than have spans.

    >>> spans = Spans.of([("d1", 0, 4, "PER"), ("d1", 10, 14, "LOC")])
    >>> spans.frame.select("document", "start", "end", "type").rows()
    [('d1', 0, 4, 'PER'), ('d1', 10, 14, 'LOC')]
    """

    subject: ClassVar[str] = "spans"

    frame: pl.DataFrame
    documents: tuple[str, ...] = ()
    origin: str = "in memory"
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.frame.schema not in (_PLACES, _TUPLES):
            raise InputError(f"{self.origin}: expected the columns {list(_PLACES)}, got {self.frame.columns}")
        if not self.are_tuples:
            wrong = (self.frame["start"] < 0) | (self.frame["end"] <= self.frame["start"])
            if wrong.any():
                row = self.frame.row(int(wrong.arg_max() or 0), named=True)
                where = f"{self.origin}:{row['line']}" if row["line"] is not None else self.origin
                place = f"{row['start']} to {row['end']} in {row['document']}"
                message = f"{where}: expected a span that starts at 0 or later and ends after that, got {place}"
                raise SpanPlaceError(message, self.frame, wrong, self.documents)

    @property
    def are_tuples(self) -> bool:
        """True if these are tuples of values, without places."""
        return "values" in self.frame.columns

    @property
    def key(self) -> list[str]:
        """The columns that two equal spans agree in."""
        return ["document", "values", "type"] if self.are_tuples else ["document", "start", "end", "type"]

    @cached_property
    def once(self) -> pl.DataFrame:
        """Each span once, in the order in which they came."""
        return self.frame.unique(self.key, keep="first", maintain_order=True)

    @cached_property
    def repeated(self) -> int:
        """The number of spans given again."""
        return self.frame.height - self.once.height

    def __len__(self) -> int:
        return self.once.height

    def __repr__(self) -> str:
        return f"<Spans: {number_of('span', len(self))}>"

    @classmethod
    def of(cls, data: Any, documents: Sequence[str] = ()) -> Spans:
        """Take spans from rows `(document, start, end, type)`, from dicts with these keys, or from a frame.

        The type may be left out. A dict of documents holds rows without the document.

        >>> len(Spans.of({"d1": [(0, 4, "PER")], "d2": []}).documents)
        2
        """
        if isinstance(data, Spans):
            return data
        named = tuple(map(str, documents))
        if isinstance(data, Mapping):
            named += tuple(str(document) for document in data)
            data = [{"document": document, **_row(row, ())} for document, rows in data.items() for row in rows]
        if hasattr(data, "to_dicts"):
            data = data.to_dicts()
        elif hasattr(data, "to_dict") and hasattr(data, "columns"):
            data = data.to_dict("records")
        if isinstance(data, str) or not isinstance(data, Iterable):
            raise InputError(f"expected spans as rows (document, start, end, type), got {type(data).__name__}")
        return spans_of([_row(row, ("document",)) for row in data], named)

    @classmethod
    def of_tuples(cls, data: Iterable[Sequence[Any]], documents: Sequence[str] = ()) -> Spans:
        """Take tuples of values, each after its document: `(document, value, value, ...)`.

        >>> Spans.of_tuples([("d1", "Rome", "capital of", "Italy")]).frame["values"].to_list()
        [['Rome', 'capital of', 'Italy']]
        """
        rows = []
        for number, row in enumerate(data, 1):
            if isinstance(row, str) or len(row) < 2:
                raise InputError(f"tuple {number}: expected a document and one value or more, got {row!r}")
            rows.append({"document": row[0], "values": list(row[1:])})
        return spans_of(rows, tuple(map(str, documents)))


def spans_of(
    rows: Sequence[Mapping[str, Any]],
    documents: tuple[str, ...],
    origin: str = "in memory",
    warnings: tuple[str, ...] = (),
) -> Spans:
    """Rows with the names of the columns -> spans, or tuples if they have values; what is no place is refused."""
    schema = _TUPLES if rows and "values" in rows[0] else _PLACES
    columns: dict[str, list[Any]] = {name: [] for name in schema}
    for number, row in enumerate(rows, 1):
        where = f"{origin}:{row['line']}" if row.get("line") is not None else f"{origin}: span {number}"
        text, kind = row.get("text"), row.get("type")
        if schema is _PLACES:
            for name in ("start", "end"):
                columns[name].append(_place(row.get(name), name, where))
        else:
            columns["values"].append(["" if value is None else str(value) for value in row["values"]])
            text = " | ".join(columns["values"][-1])
        if row.get("document") is None:
            raise InputError(f"{where}: expected a document, got none")
        columns["document"].append(str(row["document"]))
        columns["type"].append(UNTYPED if kind is None else str(kind))
        columns["text"].append(None if text is None else str(text))
        columns["line"].append(row.get("line"))
    return Spans(_frame(columns, schema, origin), documents, origin, warnings)


def _place(value: Any, name: str, where: str) -> int:
    """The start or the end of a span."""
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"{where}: expected a whole number as {name}, got {value!r}")
    if not -_BEYOND <= int(value) < _BEYOND:
        raise InputError(f"{where}: expected a whole number below 2^63 as {name}, got a larger one")
    return int(value)


def _frame(columns: Mapping[str, list[Any]], schema: pl.Schema, origin: str) -> pl.DataFrame:
    try:
        return pl.DataFrame(columns, schema=schema)
    except (UnicodeError, OverflowError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"{origin}: {' '.join(str(problem).split())[:200]}") from problem


def _row(row: Any, before: tuple[str, ...]) -> dict[str, Any]:
    """A row as a dict, whatever it came as."""
    if isinstance(row, Mapping):
        return dict(row)
    names = (*before, "start", "end", "type")
    if isinstance(row, str) or not isinstance(row, Sequence) or not len(names) - 1 <= len(row) <= len(names):
        raise InputError(f"expected a span as ({', '.join(names)}), got {row!r}")
    return dict(zip(names, row, strict=False))


class SpanPlace(NamedTuple):
    """The place of a span, and its type."""

    start: int
    end: int
    type: str


def matched(truth: Spans, predicted: Spans, match: Match) -> list[tuple[int, int]]:
    """Pairs of rows of `truth.once` and `predicted.once` that are the same, by the rule.

    >>> matched(Spans.of([("d", 0, 4, "PER")]), Spans.of([("d", 2, 6, "PER")]), "overlap")
    [(0, 0)]
    """
    if truth.are_tuples != predicted.are_tuples:
        raise InputError("expected spans, or tuples, on both sides, got one of each")
    if match == "exact":
        return _exact(truth, predicted)
    if truth.are_tuples:
        raise ParameterError(f"match={match!r} goes with spans: tuples have no place, and match exactly or not at all")
    pairs: list[tuple[int, int]] = []
    ours, theirs = _by_document(truth), _by_document(predicted)
    for document, (rows, places) in ours.items():
        if document in theirs:
            other_rows, others = theirs[document]
            pairs_of_places = overlapping(places, others, same_type=match == "type_overlap")
            pairs += [(rows[row], other_rows[other]) for row, other in pairs_of_places]
    return sorted(pairs)


def _exact(truth: Spans, predicted: Spans) -> list[tuple[int, int]]:
    left = truth.once.select(truth.key).with_row_index("truth")
    right = predicted.once.select(predicted.key).with_row_index("predicted")
    pairs = left.join(right, on=truth.key, how="inner").select("truth", "predicted").sort("truth")
    return list(pairs.iter_rows())


def _by_document(spans: Spans) -> dict[str, tuple[list[int], list[SpanPlace]]]:
    """The spans of each document by start, and which rows they are."""
    frame = spans.once.with_row_index("row").sort("document", "start", "end", "type")
    by_document: dict[str, tuple[list[int], list[SpanPlace]]] = {}
    for document, row, start, end, kind in frame.select("document", "row", "start", "end", "type").iter_rows():
        rows, places = by_document.setdefault(document, ([], []))
        rows.append(row)
        places.append(SpanPlace(start, end, kind))
    return by_document


def overlapping(
    truth: Sequence[SpanPlace], predicted: Sequence[SpanPlace], *, same_type: bool
) -> list[tuple[int, int]]:
    """Pairs of overlapping spans of one document, one to one, those with the largest overlap first.

    Of equal overlaps those of equal type come first, then the true span that is first in the text, then the predicted
    one. `same_type`: spans of different types do not match.

    >>> overlapping([SpanPlace(0, 4, "A"), SpanPlace(4, 9, "A")], [SpanPlace(3, 8, "A")], same_type=True)
    [(1, 0)]
    """
    candidates: list[tuple[int, bool, int, int]] = []
    for row, other in _touching(truth, predicted):
        place, guess = truth[row], predicted[other]
        if not same_type or place.type == guess.type:
            shared = min(place.end, guess.end) - max(place.start, guess.start)
            candidates.append((-shared, place.type != guess.type, row, other))
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    found_rows: set[int] = set()
    for _, _, row, other in sorted(candidates):
        if row not in taken and other not in found_rows:
            taken.add(row)
            found_rows.add(other)
            pairs.append((row, other))
    return sorted(pairs)


def _touching(truth: Sequence[SpanPlace], predicted: Sequence[SpanPlace]) -> Iterator[tuple[int, int]]:
    """Pairs that overlap, found in one walk through the text: a span meets those of the other side that are open."""
    sides = (truth, predicted)
    starts = sorted((place.start, side, number) for side in (0, 1) for number, place in enumerate(sides[side]))
    are_open: list[list[int]] = [[], []]
    for start, side, number in starts:
        other = 1 - side
        # Who has ended is struck off here, once; so one long span does not make all others be looked at again.
        are_open[other] = [row for row in are_open[other] if sides[other][row].end > start]
        for row in are_open[other]:
            yield (number, row) if side == 0 else (row, number)
        are_open[side].append(number)


def rows_of(frame: pl.DataFrame, rows: Sequence[int]) -> pl.DataFrame:
    """Some rows of a frame, by number."""
    return frame[pl.Series(rows, dtype=pl.Int64)]
