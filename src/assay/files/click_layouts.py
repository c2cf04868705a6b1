"""Layouts of published click logs: Yandex relevance prediction (the challenge's and a sample's), and Baidu-ULTR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from assay.files.log_looks import BAIDU_QUERY, BAIDU_RESULT, CLICKED, SAMPLE_RECORD
from assay.files.log_records import ReadingRules, Records, exploded
from assay.files.sources import Source
from assay.tables.log import CLICK

_SECOND = 1000
_YANDEX = "`SessionID Time Q QueryID RegionID URL...` or `SessionID Time C URLID`"
_SAMPLE = "`query_region<TAB>url,url,... : url , url`"
_BAIDU = "`Qid Query Reformulation`, or a result with 17 columns or more, the 6th of which says whether it was clicked"
_DWELT, _CLICK_COUNT = 16, 25


def read_yandex(source: Source, rules: ReadingRules) -> Iterator[Records]:
    """The challenge's layout. Clicks name no page: they are of their session's last that showed the document."""
    rules.tallies.assume(
        "times count from the start of each session, in units that are not known: they order events, and are not kept"
    )
    for numbered in _numbered_lines(source, rules):
        pages, events = [], []
        for line, text in numbered:
            session, time, kind, *rest = (*text.rstrip("\r").split("\t"), "", "", "")
            rest = [each for each in rest if each]
            is_query, is_click = kind == "Q" and len(rest) >= 2, kind == "C" and len(rest) == 1
            if not (session and time.isdecimal() and len(time) < 10 and (is_query or is_click)):
                rules.malformed(line, _YANDEX, text)
                continue
            when = int(time) * _SECOND
            if is_query:
                key = f"{rules.label}{session}/{line}"
                pages.append((key, line, when, session, f"{rest[0]}_{rest[1]}", rest[2:]))
            else:
                events.append((line, when, session, rest[0]))
        frame = _frame_of(pages, "key row time session_id query_id docs")
        clicks = _frame_of(events, "row time session_id doc_id").with_columns(action=pl.lit(CLICK))
        # Results go with the pages of their session.
        yield Records.of(_pages(frame), exploded(frame.rename({"session_id": "source", "docs": "doc_id"})), clicks)


def read_yandex_sample(source: Source, rules: ReadingRules) -> Iterator[Records]:
    """Pages with their clicks, and no times, users or sessions."""
    rules.tallies.assume("there are no times, users or sessions in this layout")
    number = 0
    for numbered in _numbered_lines(source, rules):
        pages, events = [], []
        for line, text in numbered:
            for part in text.split(";"):
                if not part.strip():
                    continue
                record = SAMPLE_RECORD.fullmatch(part)
                docs = [] if record is None else [doc.strip() for doc in record[2].split(",")]
                if record is None or not all(docs):
                    rules.malformed(line, _SAMPLE, part.strip())
                    continue
                number += 1
                key = f"{rules.label}{number}"
                pages.append((key, number, record[1].strip(), docs))
                events += [(key, number, doc.strip()) for doc in record[3].split(",") if doc.strip()]
        frame = _frame_of(pages, "key row query_id docs")
        clicks = _frame_of(events, "key row doc_id").with_columns(action=pl.lit(CLICK))
        yield Records.of(_pages(frame), exploded(frame.rename({"docs": "doc_id"})), clicks)


def read_baidu(source: Source, rules: ReadingRules) -> Iterator[Records]:
    """A line for a query, and one for each of its results."""
    rules.tallies.assume(
        "there are no times, users or sessions in this layout; dwell is in units that are not known: it is the `value` "
        "of a click"
    )
    key = ""
    for numbered in _numbered_lines(source, rules):
        pages, shown, events = [], [], []
        for line, text in numbered:
            fields = text.rstrip("\r").split("\t")
            if len(fields) == BAIDU_QUERY and fields[0]:
                key = f"{rules.label}{line}"
                pages.append((key, line, fields[0], fields[1].replace("\x01", " ")))
            elif key and len(fields) >= BAIDU_RESULT and fields[0].isdecimal() and fields[CLICKED] in {"0", "1"}:
                shown.append((key, line, min(int(fields[0][:9]), 10**9), fields[1]))
                count = fields[_CLICK_COUNT] if len(fields) > _CLICK_COUNT else ""
                clicks = int(fields[CLICKED]) * max(1, int(count[:4]) if count.isdecimal() else 1)
                events += [(key, line, fields[1], shown[-1][2], _number(fields[_DWELT]))] * clicks
            else:
                rules.malformed(line, _BAIDU, text)
        yield Records.of(
            _frame_of(pages, "key row query_id query_text"),
            _frame_of(shown, "key row ordinal doc_id").with_columns(listed=pl.lit(True)),
            _frame_of(events, "key row doc_id ordinal value").with_columns(action=pl.lit(CLICK), counted=pl.lit(True)),
        )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _numbered_lines(source: Source, rules: ReadingRules) -> Iterator[list[tuple[int, str]]]:
    """The lines that hold something, with their numbers, chunk by chunk."""
    before = 1
    for chunk in source.chunks():
        lines = chunk.split(b"\n")
        numbered = []
        for number, line in enumerate(lines, before):
            try:
                numbered += [(number, line.decode())] if line.strip() else []
            except UnicodeDecodeError:
                rules.malformed(number, "text in UTF-8", line.decode(errors="replace"))
        yield numbered
        before += len(lines) - 1


def _pages(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(n_results=pl.col("docs").list.len())


_KINDS: dict[str, Any] = {
    "docs": pl.List(pl.String),
    "row": pl.Int64, "rank": pl.Int64, "ordinal": pl.Int64, "n_results": pl.Int64, "time": pl.Datetime("ms"),
    "value": pl.Float64,
}  # fmt: skip


def _frame_of(rows: Sequence[tuple[object, ...]], names: str) -> pl.DataFrame:
    schema = {name: _KINDS.get(name, pl.String) for name in names.split()}
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    raw = {name: pl.Int64 if name == "time" else kind for name, kind in schema.items()}
    return pl.DataFrame(
        [pl.Series(name, column, raw[name]).cast(schema[name]) for name, column in zip(raw, columns, strict=True)]
    )
