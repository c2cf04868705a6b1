"""Files of spans: tables, JSON, and a tag per token (BIO, BIOES)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from assay.core.errors import EmptyFileError, FormatError, number_of
from assay.files.json_values import records
from assay.files.named_columns import names_of, read_named_columns
from assay.files.parquet import read_table
from assay.files.registry import head_of
from assay.files.sources import Readable, Source, decoded, lines_of
from assay.subjects.spans.spans import UNTYPED, SpanPlace, Spans, spans_of
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import TABLES, find, roles_in

_TAG = re.compile(r"O|([BIESLUM])(?:-(.+))?")
# BILOU says L and U for what IOBES calls E and S; BMES says M for I.
_SAME = {"L": "E", "U": "S", "M": "I"}


class Tag(NamedTuple):
    """The part of a token: O, or B, I, E, S and a type."""

    mark: str
    type: str = ""


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


def tagged_spans(tags: Sequence[Tag]) -> list[SpanPlace]:
    """The spans of a sentence in tokens, as the reference script of the CoNLL shared tasks finds them.

    A span starts at B or S; and at I or E, if no span of this type is open. It ends after E or S; and before B, S, O,
    another type, or the end of the sentence.

    >>> tagged_spans([Tag("I", "PER"), Tag("I", "PER"), Tag("I", "LOC"), Tag("O")])
    [SpanPlace(start=0, end=2, type='PER'), SpanPlace(start=2, end=3, type='LOC')]
    """
    spans: list[SpanPlace] = []
    start: int | None = None
    kind = ""
    for place, (mark, named) in enumerate(tags):
        if start is not None and (mark in "BSO" or named != kind):
            spans.append(SpanPlace(start, place, kind))
            start = None
        if mark != "O" and start is None:
            start, kind = place, named
        if mark in "ES" and start is not None:
            spans.append(SpanPlace(start, place + 1, kind))
            start = None
    if start is not None:
        spans.append(SpanPlace(start, len(tags), kind))
    return spans


_BREAK = "-DOCSTART-"

_EXPECTED = "a token and its tag, such as B-PER, I-PER or O"


class Token(NamedTuple):
    """A line of a file: its number, and its columns."""

    line: int
    fields: list[str]


#: The tokens up to a blank line, and the name of the document that they are of.
Sentence: TypeAlias = tuple[str, list[Token]]


def sentences(source: Source) -> tuple[list[Sentence], tuple[str, ...]]:
    """All sentences of a file, and what is odd about it.

    Documents are numbered from 1; in a file that does not part them, each sentence is one.
    """
    text, warnings = decoded(source)
    numbered: list[tuple[int, list[Token]]] = []
    document = 0
    tokens = list[Token]()
    for number, line in enumerate(lines_of(text), 1):
        fields = line.rstrip().split("\t") if "\t" in line.strip() else line.split()
        starts_document = bool(fields) and fields[0].startswith(_BREAK)
        if fields and not starts_document and not _is_comment(fields):
            tokens.append(Token(number, fields))
            continue
        if (not fields or starts_document) and tokens:
            numbered.append((document, tokens))
            tokens = []
        document += starts_document
    if tokens:
        numbered.append((document, tokens))
    if not numbered:
        raise EmptyFileError(source.name, _EXPECTED)
    parted = numbered[-1][0] > 0
    named = [(str(max(part, 1) if parted else place), held) for place, (part, held) in enumerate(numbered, 1)]
    return named, warnings


def _is_comment(fields: Sequence[str]) -> bool:
    """A line that starts with # and does not end with a tag; the token # has one."""
    return fields[0].startswith("#") and tag_of(fields[-1].strip()) is None


def read_tagged(source: Source) -> Spans:
    """The spans of one column of tags, the last."""
    tagged, warnings = sentences(source)
    return _spans(source, tagged, -1, warnings)


def read_both(source: Source) -> tuple[Spans, Spans]:
    """The true and the predicted spans of a file with two columns of tags at the end: truth, then prediction."""
    tagged, warnings = sentences(source)
    for token in (token for _, tokens in tagged for token in tokens):
        if len(token.fields) < 2 or tag_of(token.fields[-2].strip()) is None:
            expected = "two tags at the end of the line, truth and prediction (or a second file with predictions)"
            raise FormatError(source.name, token.line, expected=expected, got=" ".join(token.fields))
    return _spans(source, tagged, -2, warnings), _spans(source, tagged, -1, ())


def read_pair(truth: Source, predicted: Source) -> tuple[Spans, Spans]:
    """The spans of two files with the same tokens, a tag each."""
    ours, warnings = sentences(truth)
    theirs, more = sentences(predicted)
    for (_, first), (_, other) in zip(ours, theirs, strict=False):
        for ours_token, theirs_token in zip(first, other, strict=False):
            if not _same(ours_token, theirs_token):
                expected = f"the token of {truth.name}:{ours_token.line}, {ours_token.fields[0]!r}"
                raise FormatError(predicted.name, theirs_token.line, expected=expected, got=theirs_token.fields[0])
        if len(first) != len(other):
            expected = f"a sentence of {number_of('token', len(first))}, as at {truth.name}:{first[0].line}"
            raise FormatError(predicted.name, other[0].line, expected=expected, got=number_of("token", len(other)))
    if len(ours) != len(theirs):
        expected = f"{number_of('sentence', len(ours))}, as in {truth.name}"
        raise FormatError(predicted.name, None, expected=expected, got=number_of("sentence", len(theirs)))
    # Only one file need say where documents begin: the tokens are the same. A file that does not has a document for
    # each sentence.
    marked = min(ours, theirs, key=lambda side: len({document for document, _ in side}))
    true, guessed = (
        [(document, tokens) for (document, _), (_, tokens) in zip(marked, side, strict=True)] for side in (ours, theirs)
    )
    return _spans(truth, true, -1, warnings), _spans(predicted, guessed, -1, more)


def _same(first: Token, other: Token) -> bool:
    """True if the words are equal; a side with tags only has none."""
    return min(len(first.fields), len(other.fields)) < 2 or first.fields[0] == other.fields[0]


def _spans(source: Source, tagged: list[Sentence], column: int, warnings: tuple[str, ...]) -> Spans:
    rows: list[dict[str, object]] = []
    before: Counter[str] = Counter()  # tokens of the document's sentences so far
    orphans = 0
    for document, tokens in tagged:
        tags = [_tag(source, token, column) for token in tokens]
        for start, end, kind in tagged_spans(tags):
            has_words = len(tokens[start].fields) > abs(column)
            place = {"start": before[document] + start, "end": before[document] + end}
            text = " ".join(token.fields[0] for token in tokens[start:end]) if has_words else None
            rows.append({"document": document, **place, "type": kind, "text": text, "line": tokens[start].line})
            orphans += tags[start].mark not in "BS"
        before[document] += len(tokens)
    if orphans:
        warnings = (*warnings, f"{source.name}: {number_of('span', orphans)} without B- at the start, counted")
    return spans_of(rows, tuple(before), source.name, warnings)


def _tag(source: Source, token: Token, column: int) -> Tag:
    tag = tag_of(token.fields[column].strip()) if len(token.fields) >= abs(column) else None
    if tag is None:
        raise FormatError(source.name, token.line, expected=_EXPECTED, got=" ".join(token.fields))
    return tag


_ROLES = {role.name: role for role in TABLES["spans"]}

_VALUES, _TUPLES = "values", "tuples"

_SPANS = ("spans", "entities", "labels", "label", _TUPLES)

_TRUTH = ("truth", "gold", "y_true", "true")

_PREDICTED = ("prediction", "predicted", "pred", "y_pred", "predictions")

_SHAPES = (
    "tokens with tags such as B-PER; or JSON objects with `document`, `start`, `end`, `type`, or with `spans` of a "
    "document; or a table with one span per row"
)


def read_spans(readable: Readable | Source, *, may_be_empty: bool = False) -> Spans:
    """Read spans from a file of tagged tokens (CoNLL), from JSON or JSONL, or from a table (CSV, TSV, Parquet).

    JSON has a span a line, `{"document": "d1", "start": 0, "end": 4, "type": "PER"}`, or a document a line, with its
    `spans` (or `entities`) as such objects or as lists `[0, 4, "PER"]`. A line with `values` is a tuple, and `tuples`
    of a document are lists of values. A file without any is refused, unless it `may_be_empty`: nothing was found then.

    >>> import io
    >>> read_spans(io.StringIO("Ada B-PER\\nLovelace I-PER\\nspoke O\\n")).frame.row(0)
    ('1', 0, 2, 'PER', 'Ada Lovelace', 1)
    """
    source = Source.of(readable)
    if may_be_empty and _is_empty(source):
        return spans_of([], (), source.name, (f"{source.name}: no spans in the file: nothing was found",))
    form = _form(source)
    if form == "tags":
        return read_tagged(source)
    return _from_json(source, _SPANS) if form == "json" else spans_in(read_named_columns(source, _SHAPES))


def read_truth_and_predicted(
    truth: Readable | Source, predicted: Readable | Source | None = None
) -> tuple[Spans, Spans]:
    """Read two files of spans; or one that has both: two columns of tags, or objects with `truth` and `prediction`.

    A second file that is empty, or has only a header, says that nothing was found; beside tagged tokens it has to have
    the same tokens.

    >>> import io
    >>> truth, predicted = read_truth_and_predicted(io.StringIO("Ada B-PER O\\nspoke O O\\n"))
    >>> len(truth), len(predicted)
    (1, 0)
    """
    source = Source.of(truth)
    form = _form(source)
    if predicted is None:
        if form == "tags":
            return read_both(source)
        if form == "table":
            raise FormatError(source.name, 1, expected="truth and predictions in one file, or a second file")
        return _from_json(source, _TRUTH), _from_json(source, _PREDICTED)
    other = Source.of(predicted)
    if form == "tags" and _form(other) == "tags":
        return read_pair(source, other)
    gold = read_spans(source)
    guesses = read_spans(other, may_be_empty=True)
    if len(guesses) and "tags" in (form, _form(other)):
        tokens, places = (source, other) if form == "tags" else (other, source)
        remark = f"{tokens.name} has places in tokens: spans match only if {places.name} counts tokens, not characters"
        return gold, replace(guesses, warnings=(*guesses.warnings, remark))
    return gold, guesses


def _is_empty(source: Source) -> bool:
    """True if a file has no span and names no document: it has no line, a header only, or an empty list."""
    head = head_of(source)
    if not head.numbered:
        return True
    form = _form(source)
    if form == "json":
        return next(records(source), None) is None
    if head.is_binary:
        return not read_table(source).frame.height
    return form == "table" and len(head.numbered) == 1


def _form(source: Source) -> str:
    head = head_of(source)
    if not head.numbered:
        raise EmptyFileError(source.name, _SHAPES)
    if head.is_binary:
        return "table"
    if head.is_json:
        return "json"
    names = names_of(head)
    is_header = len(roles_in("spans", names)) > 1 and tag_of(names[-1].strip()) is None
    return "table" if is_header else "tags"


def spans_in(table: NamedColumns) -> Spans:
    """The spans of a table with a span a row."""
    columns = table.roles("spans")
    held = {ours: table.frame[name] for ours, name in columns.items()}
    for ours in ("start", "end"):
        name = columns[ours]
        numbers = table.numbers(name, ours)
        places = numbers.cast(pl.Int64, strict=False)
        whole = places.is_not_null() & (numbers == numbers.floor())
        table.refuse(~whole.fill_null(False), f"a whole number as {ours}", name)
        held[ours] = places
    lists = {ours: values.to_list() for ours, values in held.items()} | {"line": table.lines()}
    rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    for number, row in enumerate(rows):
        if row["document"] in (None, "") or isinstance(row["document"], list | dict):
            raise table.error(number, "a document", str(row["document"] or ""))
    return spans_of(rows, (), table.path)


def _from_json(source: Source, keys: Sequence[str]) -> Spans:
    """A span or a tuple a record, or a document a record with a list under one of the keys."""
    rows: list[dict[str, Any]] = []
    documents: list[str] = []
    for count, (line, record) in enumerate(records(source), 1):
        document = _first(record, "document")
        named = str(line or count) if document is None else str(document)
        key = next((key for key in keys if isinstance(record.get(key), list)), None)
        where = {"document": named, "line": line}
        if key is not None:
            documents.append(named)
            text = record.get("text")
            for item in record[key]:
                row = _span(item, key == _TUPLES, source.name, line) | where
                if isinstance(text, str) and row.get("text") is None and "start" in row:
                    row["text"] = _cut(text, row)
                rows.append(row)
        elif keys is _SPANS and (_VALUES in record or _first(record, "start") is not None):
            rows.append(_span(record, _VALUES in record, source.name, line) | where)
        else:
            expected = f"an object with a list as {' or '.join(f'`{key}`' for key in keys[:2])}"
            raise FormatError(source.name, line, expected=expected, got=", ".join(record))
    for row in rows:
        if (_VALUES in row) != (_VALUES in rows[0]):
            kinds = ("spans", "a tuple") if _VALUES in row else ("tuples", "a span")
            raise FormatError(source.name, row["line"], expected=f"{kinds[0]}, as above", got=kinds[1])
    if not documents and not rows:
        raise EmptyFileError(source.name, _SHAPES)
    return spans_of(rows, tuple(documents), source.name)


def _span(item: Any, is_tuple: bool, path: str, line: int | None) -> dict[str, Any]:
    """One span: an object, or a list of start, end and type; or the values of a tuple."""
    if isinstance(item, Mapping):
        values = item.get(_VALUES)
        if isinstance(values, list):
            return {_VALUES: values, "type": _first(item, "type")}
        return {role: _first(item, role) for role in ("start", "end", "type", "text")}
    if isinstance(item, list) and item:
        if is_tuple or not all(isinstance(value, int | float) for value in item[:2]):
            return {_VALUES: item}
        if len(item) in {2, 3}:
            return dict(zip(("start", "end", "type"), item, strict=False))
    raise FormatError(path, line, expected="a span as an object, or as [start, end, type]", got=str(item))


def _cut(text: str, row: Mapping[str, Any]) -> str | None:
    start, end = row.get("start"), row.get("end")
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text):
        return text[start:end]
    return None


def _first(record: Mapping[str, Any], role: str) -> Any:
    name = find(_ROLES[role], [name for name, value in record.items() if value is not None])
    return None if name is None else record[name]
