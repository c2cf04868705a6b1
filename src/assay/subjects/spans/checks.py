"""Checks of true and predicted spans, and spans as the doctor looks at them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.core.errors import InputError, ParameterError, listed, number_of, quote
from assay.files.sources import Source, is_file
from assay.subjects.spans.result import Extraction
from assay.subjects.spans.span_files import read_spans, read_truth_and_predicted
from assay.subjects.spans.spans import SpanPlaceError, Spans
from assay.verbs.diagnosis.examination import (
    CheckFinding,
    Examination,
    Examined,
    Overview,
    Reading,
    Severity,
    among,
    check,
    finding,
    in_rows,
    share,
    unreadable,
)

_MARKS = re.compile(r"[\W_]+")
_ONE_SPELLING = "spell each type in one way: `Per` predicted where the truth has `PER` is a miss and a false alarm"
_UNKNOWN_TYPE = "drop types that were not annotated: every span of such a type is a false alarm"


@dataclass(frozen=True, eq=False)
class ExaminedSpans:
    """The true spans, or the predicted ones."""

    file: str
    side: str
    of: Spans
    system: None = None

    @property
    def documents(self) -> list[str]:
        """The documents that have spans, or are named."""
        return [*dict.fromkeys([*self.of.documents, *self.of.once["document"]])]


def _span(row: dict[str, Any]) -> str:
    place = " | ".join(row["values"]) if "values" in row else f"{row['start']} to {row['end']}"
    return f"{quote(row['document'])}, {place}, {row['type']}"


class SpansExamination(Examination):
    """A file as it was read, the spans of each side, and both sides together."""

    modules = ("assay.subjects.spans.checks",)

    def things(self) -> Iterator[Examined]:
        """The true spans, the predicted ones, and both."""
        data = self.inputs
        if len(data) == 1 and isinstance(data[0], Extraction):
            data = [data[0].truth, data[0].predicted]
        if len(data) not in {1, 2} or (len(data) == 1 and not is_file(data[0])):
            raise ParameterError("doctor takes true and predicted spans, or a file that has both")
        data = [Source.of(each) if is_file(each) else each for each in data]
        self.files = [each.name if isinstance(each, Source) else Spans.origin for each in data]
        for name in self.files:
            self.watch(name)
        sides: list[Spans] = []
        if all(isinstance(each, Source) for each in data):
            try:
                sides = [*read_truth_and_predicted(*data)]
            except SpanPlaceError as problem:
                if len(data) == 1:
                    yield Examined(Reading(self.files[0], problem), ("file",))
                    return
            except InputError as problem:
                yield Examined(Reading(self.files[0] if len(data) == 1 else listed(self.files), problem), ("file",))
                return
        yield from (Examined(Reading(name), ("file",)) for name in (self.files if sides else ()))
        for number, each in enumerate([] if sides else data):
            spans, refusal = _tolerated(each, may_be_empty=number > 0)
            yield Examined(Reading(self.files[number], refusal), ("file",))
            if spans is not None:
                sides.append(spans)
        files = self.files if len(self.files) == 2 else self.files * 2
        if files[0] == files[1]:
            files = [f"{name}, {side} spans" for name, side in zip(files, ("true", "predicted"), strict=True)]
        if len(sides) == 2:
            both = tuple(map(ExaminedSpans, files, ("true", "predicted"), sides))
            yield from (Examined(side, ("side",)) for side in both)
            yield Examined(both, ("sides",))

    def overview(self) -> Overview:
        """The files."""
        return Overview(" and ".join(dict.fromkeys(self.files)), {"spans": self.files}, 1, first=self.files[0])


def _tolerated(data: Any, may_be_empty: bool) -> tuple[Spans | None, InputError | None]:
    """Spans, without those that have no place; and what is wrong."""
    try:
        spans = read_spans(data, may_be_empty=may_be_empty) if isinstance(data, Source) else Spans.of(data)
    except SpanPlaceError as problem:
        return Spans(problem.frame.filter(~problem.wrong), problem.documents), problem
    except InputError as problem:
        return None, problem
    return spans, None


unreadable(
    "unreadable-spans",
    __name__,
    question="Does the file hold no spans, or do the tokens of the two files differ?",
    advice="write tokens with tags, or JSON or a table with `document`, `start`, `end` and `type`; see docs/extraction",
    apart=SpanPlaceError,
)


@check(
    "span-places", "file", "error",
    question="Are there spans that are empty, end before they start, or start below 0?",
    advice="a span starts at `start` and ends before `end`, the position after its last character",
)  # fmt: skip
def span_places(file: Reading) -> Iterator[CheckFinding]:
    """Spans that are no stretch of text."""
    if isinstance(file.problem, SpanPlaceError):
        wrong = file.problem.frame.filter(file.problem.wrong)
        empty = wrong.filter(pl.col("start") == pl.col("end")).height
        message = f"{number_of('span', wrong.height)} with an impossible start or end, {empty:,} of them empty"
        yield from in_rows("span-places", "error", file, wrong, _span, message=message)


@check(
    "spans-twice", "side", "warning",
    question="Is a span listed twice?",
    advice="it counts once; find out why it is repeated: another type may have been meant",
)  # fmt: skip
def spans_twice(side: ExaminedSpans) -> Iterator[CheckFinding]:
    """Spans with place and type of one that came before."""
    again = side.of.frame.filter(~pl.struct(side.of.key).is_first_distinct())
    message = number_of(f"repeated {side.side} span", again.height)
    yield from in_rows("spans-twice", "warning", side, again, _span, message=message)


@check(
    "beyond-text", "side", "error",
    question="Does a span end beyond the text of its document?",
    advice="count positions in characters of the text in the file, not in bytes, tokens or another version of it",
)  # fmt: skip
def beyond_text(side: ExaminedSpans) -> Iterator[CheckFinding]:
    """Spans without text, in documents where others have theirs."""
    if not side.of.are_tuples:
        has_text = pl.col("text").is_not_null()
        beyond = side.of.frame.filter(~has_text & has_text.any().over("document"))
        message = f"{number_of('span', beyond.height)} beyond the end of the document"
        yield from in_rows("beyond-text", "error", side, beyond, _span, message=message)


@check(
    "type-spelling", "sides", "error", "warning",
    question="Are types spelt in two ways (an error), or are types predicted that no true span has?",
    advice=f"{_ONE_SPELLING}; {_UNKNOWN_TYPE}",
)  # fmt: skip
def type_spelling(sides: tuple[ExaminedSpans, ExaminedSpans]) -> Iterator[CheckFinding]:
    """Types that differ in case, blanks and marks only; types of one side."""
    true, predicted = (set(side.of.once["type"]) for side in sides)
    predictions = sides[1]
    spelt = {_folded(kind): kind for kind in sorted(true)}
    others = sorted(predicted - true)
    alike = [f"{quote(kind)} for {quote(spelt[_folded(kind)])}" for kind in others if _folded(kind) in spelt]
    rest = [kind for kind in others if _folded(kind) not in spelt]
    if alike:
        message = f"{number_of('type', len(alike))} spelt differently: {listed(alike)}"
        yield finding("type-spelling", "error", predictions, message, len(alike), todo=_ONE_SPELLING)
    if rest and true:
        message = f"{number_of('type', len(rest))} that no true span has: {listed(rest)}"
        yield finding("type-spelling", "warning", predictions, message, len(rest), todo=_UNKNOWN_TYPE)


def _folded(kind: str) -> str:
    return _MARKS.sub("", kind.casefold())


@check(
    "other-documents", "sides", "error", "warning",
    question="Are there documents on one side only, or none on both (an error)?",
    advice="use the same document ids in both files; a document in which nothing was found may be listed without spans",
)  # fmt: skip
def other_documents(sides: tuple[ExaminedSpans, ExaminedSpans]) -> Iterator[CheckFinding]:
    """Documents with true spans alone, or with predicted ones alone."""
    names = [side.documents for side in sides]
    is_apart = all(names) and not set(names[0]) & set(names[1])
    for side, here, others in zip(sides, names, names[::-1], strict=True):
        known = set(others)
        alone = [name for name in here if name not in known]
        message = f"{share(len(alone), len(here), 'document')} with {side.side} spans only"
        severity: Severity = "error" if is_apart else "warning"
        yield from among("other-documents", severity, side, "document", alone, message=message)
