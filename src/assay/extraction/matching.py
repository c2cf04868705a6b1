"""Which predicted span is which true one: by place and type, or by overlap, one to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import polars as pl

from assay.core.errors import InputError, ParameterError
from assay.extraction.spans import Spans

Match: TypeAlias = Literal["exact", "overlap", "type_overlap"]


class Place(NamedTuple):
    """Where a span is, and of what type."""

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


def _by_document(spans: Spans) -> dict[str, tuple[list[int], list[Place]]]:
    """The spans of each document by start, and which rows they are."""
    frame = spans.once.with_row_index("row").sort("document", "start", "end", "type")
    by_document: dict[str, tuple[list[int], list[Place]]] = {}
    for document, row, start, end, kind in frame.select("document", "row", "start", "end", "type").iter_rows():
        rows, places = by_document.setdefault(document, ([], []))
        rows.append(row)
        places.append(Place(start, end, kind))
    return by_document


def overlapping(truth: Sequence[Place], predicted: Sequence[Place], *, same_type: bool) -> list[tuple[int, int]]:
    """Pairs of overlapping spans of one document, one to one, those with the largest overlap first.

    Of equal overlaps those of equal type come first, then the true span that is first in the text, then the predicted
    one. `same_type`: spans of different types do not match.

    >>> overlapping([Place(0, 4, "A"), Place(4, 9, "A")], [Place(3, 8, "A")], same_type=True)
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


def _touching(truth: Sequence[Place], predicted: Sequence[Place]) -> Iterator[tuple[int, int]]:
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
