"""Tags of tokens (BIO, IOB1, IOBES, BILOU) -> spans, by a rule for tags that do not follow one another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from assay.extraction.spans import UNTYPED

Bio: TypeAlias = Literal["conlleval", "strict"]

_TAG = re.compile(r"O|([BIESLUM])(?:-(.+))?")
# BILOU says L and U for what IOBES calls E and S; BMES says M for I.
_SAME = {"L": "E", "U": "S", "M": "I"}


class Tag(NamedTuple):
    """What a token is part of: O, or B, I, E, S and a type."""

    mark: str
    type: str = ""


class Tagged(NamedTuple):
    """A span in tokens of a sentence, from `start` to before `end`."""

    start: int
    end: int
    type: str


def tag_of(text: str) -> Tag | None:
    """Read a tag; None if the text is none.

    >>> tag_of("B-PER"), tag_of("U-LOC"), tag_of("O"), tag_of("NNP")
    (Tag(mark='B', type='PER'), Tag(mark='S', type='LOC'), Tag(mark='O', type=''), None)
    """
    match = _TAG.fullmatch(text)
    if match is None:
        return None
    if match[1] is None:
        return Tag("O")
    return Tag(_SAME.get(match[1], match[1]), match[2] or UNTYPED)


def spans_in(tags: Sequence[Tag]) -> list[Tagged]:
    """The spans of a sentence, as the reference script of the CoNLL shared tasks finds them.

    A span starts at B or S; and at I or E, if no span of this type is open. It ends after E or S; and before B, S, O,
    another type, or the end of the sentence.

    >>> spans_in([Tag("I", "PER"), Tag("I", "PER"), Tag("I", "LOC"), Tag("O")])
    [Tagged(start=0, end=2, type='PER'), Tagged(start=2, end=3, type='LOC')]
    """
    spans: list[Tagged] = []
    start: int | None = None
    kind = ""
    for place, (mark, named) in enumerate(tags):
        if start is not None and (mark in "BSO" or named != kind):
            spans.append(Tagged(start, place, kind))
            start = None
        if mark != "O" and start is None:
            start, kind = place, named
        if mark in "ES" and start is not None:
            spans.append(Tagged(start, place + 1, kind))
            start = None
    if start is not None:
        spans.append(Tagged(start, len(tags), kind))
    return spans


def misplaced(tags: Sequence[Tag], *, has_ends: bool = False) -> tuple[int, str] | None:
    """The first tag that cannot follow the one before it, and what was expected there; None if all can.

    I and E continue a span of their type. With `has_ends` (IOBES), a span of several tokens has to end with E.

    >>> misplaced([Tag("O"), Tag("I", "PER")])
    (1, 'B-PER before I-PER')
    """
    before = Tag("O")
    for place, tag in enumerate([*tags, Tag("O")]):
        is_open = before.mark in "BI"
        goes_on = tag.mark in "IE" and is_open and tag.type == before.type
        if tag.mark in "IE" and not goes_on:
            return place, f"B-{tag.type} before {tag.mark}-{tag.type}"
        if has_ends and is_open and not goes_on:
            expected = f"I-{before.type} or E-{before.type} after {before.mark}-{before.type}"
            return min(place, len(tags) - 1), expected
        before = tag
    return None


def orphans(tags: Sequence[Tag]) -> int:
    """How many spans start without B or S.

    >>> orphans([Tag("B", "PER"), Tag("O"), Tag("I", "PER")])
    1
    """
    return sum(tags[span.start].mark not in "BS" for span in spans_in(tags))
