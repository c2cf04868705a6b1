"""Files with a tag per token (BIO, BIOES): the spans in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from assay.core import options
from assay.core.domains import Choice
from assay.core.errors import EmptyFileError, FormatError, number_of
from assay.files.sources import Source, decoded, lines_of
from assay.subjects.spans.spans import UNTYPED, Spans, spans_of

Bio: TypeAlias = options.Bio

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


_BREAK = "-DOCSTART-"
_EXPECTED = "a token and its tag, such as B-PER, I-PER or O"


class Token(NamedTuple):
    """A line of a file: its number, and its columns."""

    line: int
    fields: list[str]


class Sentence(NamedTuple):
    """Tokens up to a blank line, and the document that they are of."""

    document: int
    tokens: list[Token]


def sentences(source: Source) -> tuple[list[Sentence], tuple[str, ...]]:
    """All sentences of a file, and what is odd about it."""
    text, warnings = decoded(source)
    sentences_read: list[Sentence] = []
    document, tokens = 0, list[Token]()
    for number, line in enumerate(lines_of(text), 1):
        fields = line.rstrip().split("\t") if "\t" in line.strip() else line.split()
        starts_document = bool(fields) and fields[0].startswith(_BREAK)
        if fields and not starts_document and not _is_comment(fields):
            tokens.append(Token(number, fields))
            continue
        if (not fields or starts_document) and tokens:
            sentences_read.append(Sentence(document, tokens))
            tokens = []
        document += starts_document
    if tokens:
        sentences_read.append(Sentence(document, tokens))
    if not sentences_read:
        raise EmptyFileError(source.name, _EXPECTED)
    return sentences_read, warnings


def _is_comment(fields: Sequence[str]) -> bool:
    """A line that starts with # and does not end with a tag; the token # has one."""
    return fields[0].startswith("#") and tag_of(fields[-1].strip()) is None


def read_tagged(source: Source, *, bio: Bio = "conlleval") -> Spans:
    """The spans of one column of tags, the last."""
    tagged, warnings = sentences(source)
    return _spans(source, tagged, -1, bio, warnings)


def read_both(source: Source, *, bio: Bio = "conlleval") -> tuple[Spans, Spans]:
    """The true and the predicted spans of a file with two columns of tags at the end: truth, then prediction."""
    tagged, warnings = sentences(source)
    for token in (token for sentence in tagged for token in sentence.tokens):
        if len(token.fields) < 2 or tag_of(token.fields[-2].strip()) is None:
            expected = "two tags at the end of the line, truth and prediction (or a second file with predictions)"
            raise FormatError(source.name, token.line, expected=expected, got=" ".join(token.fields))
    return _spans(source, tagged, -2, bio, warnings), _spans(source, tagged, -1, bio, ())


def read_pair(truth: Source, predicted: Source, *, bio: Bio = "conlleval") -> tuple[Spans, Spans]:
    """The spans of two files with the same tokens, a tag each."""
    ours, warnings = sentences(truth)
    theirs, more = sentences(predicted)
    for first, other in zip(ours, theirs, strict=False):
        for ours_token, theirs_token in zip(first.tokens, other.tokens, strict=False):
            if not _same(ours_token, theirs_token):
                expected = f"the token of {truth.name}:{ours_token.line}, {ours_token.fields[0]!r}"
                raise FormatError(predicted.name, theirs_token.line, expected=expected, got=theirs_token.fields[0])
        if len(first.tokens) != len(other.tokens):
            expected = (
                f"a sentence of {number_of('token', len(first.tokens))}, as at {truth.name}:{first.tokens[0].line}"
            )
            got = number_of("token", len(other.tokens))
            raise FormatError(predicted.name, other.tokens[0].line, expected=expected, got=got)
    if len(ours) != len(theirs):
        expected = f"{number_of('sentence', len(ours))}, as in {truth.name}"
        raise FormatError(predicted.name, None, expected=expected, got=number_of("sentence", len(theirs)))
    return _spans(truth, ours, -1, bio, warnings), _spans(predicted, theirs, -1, bio, more)


def _same(first: Token, other: Token) -> bool:
    """Whether the words are equal; who has tags only has none."""
    return min(len(first.fields), len(other.fields)) < 2 or first.fields[0] == other.fields[0]


def _spans(source: Source, tagged: list[Sentence], column: int, bio: Bio, warnings: tuple[str, ...]) -> Spans:
    Choice(Bio).check("bio", bio)
    tags = [[_tag(source, token, column) for token in sentence.tokens] for sentence in tagged]
    if bio == "strict":
        _refuse_misplaced(source, tagged, tags, column)
    elif lost := sum(map(orphans, tags)):
        remark = f"{source.name}: {number_of('span', lost)} without B- at the start: counted (bio=conlleval)"
        warnings = (*warnings, remark)
    named = tuple(dict.fromkeys(_document(tagged, number) for number in range(len(tagged))))
    return spans_of(_rows(tagged, tags, column), named, source.name, warnings)


def _document(tagged: Sequence[Sentence], number: int) -> str:
    """Documents are numbered from 1; in a file that does not part them, each sentence is one."""
    return str(max(tagged[number].document, 1)) if tagged[-1].document else str(number + 1)


def _rows(tagged: Sequence[Sentence], tags: Sequence[Sequence[Tag]], column: int) -> Iterator[dict[str, object]]:
    before: dict[str, int] = {}
    for number, (sentence, sentence_tags) in enumerate(zip(tagged, tags, strict=True)):
        document = _document(tagged, number)
        offset = before.get(document, 0)
        before[document] = offset + len(sentence_tags)
        for start, end, kind in spans_in(sentence_tags):
            tokens = sentence.tokens[start:end]
            has_words = len(tokens[0].fields) > abs(column)
            yield {
                "document": document, "start": offset + start, "end": offset + end, "type": kind,
                "text": " ".join(token.fields[0] for token in tokens) if has_words else None, "line": tokens[0].line,
            }  # fmt: skip


def _tag(source: Source, token: Token, column: int) -> Tag:
    tag = tag_of(token.fields[column].strip()) if len(token.fields) >= abs(column) else None
    if tag is None:
        raise FormatError(source.name, token.line, expected=_EXPECTED, got=" ".join(token.fields))
    return tag


def _refuse_misplaced(source: Source, tagged: Sequence[Sentence], tags: Sequence[Sequence[Tag]], column: int) -> None:
    has_ends = any(tag.mark in "ES" for sentence_tags in tags for tag in sentence_tags)
    for sentence, sentence_tags in zip(tagged, tags, strict=True):
        if wrong := misplaced(sentence_tags, has_ends=has_ends):
            place, expected = wrong
            token = sentence.tokens[place]
            note = "bio='conlleval' starts a span there"
            raise FormatError(source.name, token.line, expected=expected, got=token.fields[column], note=note)
