"""Files of tagged tokens, as the CoNLL shared tasks have them: a token a line, a blank line after a sentence.

Columns are separated by tabs or blanks. The last column is the tag; of a file with truth and predictions, the last two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.core.domains import Choice
from assay.core.errors import EmptyFileError, FormatError, number_of
from assay.extraction.spans import Spans, spans_of
from assay.extraction.tags import Bio, Tag, misplaced, orphans, spans_in, tag_of
from assay.files.sources import Source, decoded, lines_of

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
    found: list[Sentence] = []
    document, tokens = 0, list[Token]()
    for number, line in enumerate(lines_of(text), 1):
        fields = line.rstrip().split("\t") if "\t" in line.strip() else line.split()
        starts_document = bool(fields) and fields[0].startswith(_BREAK)
        if fields and not starts_document and not _is_comment(fields):
            tokens.append(Token(number, fields))
            continue
        if (not fields or starts_document) and tokens:
            found.append(Sentence(document, tokens))
            tokens = []
        document += starts_document
    if tokens:
        found.append(Sentence(document, tokens))
    if not found:
        raise EmptyFileError(source.name, _EXPECTED)
    return found, warnings


def _is_comment(fields: Sequence[str]) -> bool:
    """A line that starts with # and does not end with a tag; the token # has one."""
    return fields[0].startswith("#") and tag_of(fields[-1].strip()) is None


def read_tagged(source: Source, *, bio: Bio = "conlleval") -> Spans:
    """The spans of one column of tags, the last."""
    found, warnings = sentences(source)
    return _spans(source, found, -1, bio, warnings)


def read_both(source: Source, *, bio: Bio = "conlleval") -> tuple[Spans, Spans]:
    """The true and the predicted spans of a file with two columns of tags at the end: truth, then prediction."""
    found, warnings = sentences(source)
    for token in (token for sentence in found for token in sentence.tokens):
        if len(token.fields) < 2 or tag_of(token.fields[-2].strip()) is None:
            expected = "two tags at the end of the line, truth and prediction (or a second file with predictions)"
            raise FormatError(source.name, token.line, expected=expected, got=" ".join(token.fields))
    return _spans(source, found, -2, bio, warnings), _spans(source, found, -1, bio, ())


def read_pair(truth: Source, predicted: Source, *, bio: Bio = "conlleval") -> tuple[Spans, Spans]:
    """The spans of two files with the same tokens, a tag each."""
    ours, warnings = sentences(truth)
    theirs, more = sentences(predicted)
    for one, other in zip(ours, theirs, strict=False):
        for ours_token, theirs_token in zip(one.tokens, other.tokens, strict=False):
            if not _same(ours_token, theirs_token):
                expected = f"the token of {truth.name}:{ours_token.line}, {ours_token.fields[0]!r}"
                raise FormatError(predicted.name, theirs_token.line, expected=expected, got=theirs_token.fields[0])
        if len(one.tokens) != len(other.tokens):
            expected = f"a sentence of {number_of('token', len(one.tokens))}, as at {truth.name}:{one.tokens[0].line}"
            got = number_of("token", len(other.tokens))
            raise FormatError(predicted.name, other.tokens[0].line, expected=expected, got=got)
    if len(ours) != len(theirs):
        expected = f"{number_of('sentence', len(ours))}, as in {truth.name}"
        raise FormatError(predicted.name, None, expected=expected, got=number_of("sentence", len(theirs)))
    return _spans(truth, ours, -1, bio, warnings), _spans(predicted, theirs, -1, bio, more)


def _same(one: Token, other: Token) -> bool:
    """Whether the words are equal; who has tags only has none."""
    return min(len(one.fields), len(other.fields)) < 2 or one.fields[0] == other.fields[0]


def _spans(source: Source, found: list[Sentence], column: int, bio: Bio, warnings: tuple[str, ...]) -> Spans:
    Choice(Bio).check("bio", bio)
    tags = [[_tag(source, token, column) for token in sentence.tokens] for sentence in found]
    if bio == "strict":
        _refuse_misplaced(source, found, tags, column)
    elif lost := sum(map(orphans, tags)):
        said = f"{source.name}: {number_of('span', lost)} without B- at the start: counted (bio=conlleval)"
        warnings = (*warnings, said)
    named = tuple(dict.fromkeys(_document(found, number) for number in range(len(found))))
    return spans_of(_rows(found, tags, column), named, source.name, warnings)


def _document(found: Sequence[Sentence], number: int) -> str:
    """Documents are numbered from 1; in a file that does not part them, each sentence is one."""
    return str(max(found[number].document, 1)) if found[-1].document else str(number + 1)


def _rows(found: Sequence[Sentence], tags: Sequence[Sequence[Tag]], column: int) -> Iterator[dict[str, object]]:
    before: dict[str, int] = {}
    for number, (sentence, own) in enumerate(zip(found, tags, strict=True)):
        document = _document(found, number)
        offset = before.get(document, 0)
        before[document] = offset + len(own)
        for start, end, kind in spans_in(own):
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


def _refuse_misplaced(source: Source, found: Sequence[Sentence], tags: Sequence[Sequence[Tag]], column: int) -> None:
    has_ends = any(tag.mark in "ES" for own in tags for tag in own)
    for sentence, own in zip(found, tags, strict=True):
        if wrong := misplaced(own, has_ends=has_ends):
            place, expected = wrong
            token = sentence.tokens[place]
            note = "bio='conlleval' starts a span there"
            raise FormatError(source.name, token.line, expected=expected, got=token.fields[column], note=note)
