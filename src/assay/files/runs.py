"""Runs, judgments and topics as TREC and SMART write them; runs are gone through in chunks, in bounded memory."""

from __future__ import annotations

import itertools
import os
import re
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, TypeVar

import polars as pl

from assay.core.errors import EmptyFileError, FormatError, number_of
from assay.files.columns import BadRowError, Layout, all_lines, data_lines, is_number, last_data_line, parse
from assay.files.records import is_whole
from assay.files.registry import Head, Kind, Loaded, register
from assay.files.sources import BYTE_ORDER_MARK, CHUNK_BYTES, Source, decoded, lines_of
from assay.tables import Documents, Run, Topics

_START, _END = "ir_metadata.start", "ir_metadata.end"
# A header is read whole; one without an end is not looked for beyond this.
_MOST_BYTES = 1 << 20


def metadata_of(source: Source) -> str:
    """The header's lines without their comment signs; nothing if there is no header.

    >>> import io
    >>> metadata_of(Source(io.BytesIO(b"# ir_metadata.start\\n# tag: mine\\n# ir_metadata.end\\nq1 Q0 d1 1 2 mine\\n")))
    'tag: mine'
    """
    with source.open() as file:
        first = file.readline(_MOST_BYTES).removeprefix(BYTE_ORDER_MARK).decode(errors="replace")
        if not first.startswith("#") or _uncommented(first).strip() != _START:
            return ""
        lines: list[str] = []
        while (line := file.readline(_MOST_BYTES).decode(errors="replace")).startswith("#"):
            if _uncommented(line).strip() == _END:
                break
            lines.append(_uncommented(line))
        return "\n".join(lines)


def as_header(metadata: str) -> str:
    """The header again, as comment lines.

    >>> as_header("tag: mine")
    '# ir_metadata.start\\n# tag: mine\\n# ir_metadata.end\\n'
    """
    if not metadata:
        return ""
    return "".join(f"# {line}\n" for line in (_START, *metadata.split("\n"), _END))


def _uncommented(line: str) -> str:
    return line.rstrip("\r\n").removeprefix("#").removeprefix(" ")


T = TypeVar("T")

R = TypeVar("R")

_START_BYTES = 1 << 16

_RUN_COLUMNS = ("query_id", "doc_id", "score", "rank")

# Polars parses a chunk on all cores; a few chunks under way at once keep them busy between two parses.
_UNDER_WAY = min(4, (os.cpu_count() or 1) + 1)


@dataclass(frozen=True, eq=False)
class RunFile:
    """A run that stays in its file: each pass reads, checks and parses it chunk by chunk.

    >>> import io
    >>> from assay.files import scan_run
    >>> run = scan_run(io.BytesIO(b"q1 Q0 d1 1 2.5 mine"), name="mine")
    >>> run.read().frame.rows()
    [('q1', 'd1', 2.5, 1.0)]
    """

    subject: ClassVar[str] = "ranking"

    source: Source
    format: str
    layout: Layout
    name: str

    @property
    def origin(self) -> str:
        """The origin of the run, for messages: its path."""
        return self.source.name

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the file in order; `prepare` runs in the threads that parse."""
        if rank_by == "rank" or "score" not in self.layout.columns:
            layout = self.layout._replace(numbers=("rank",))
            return parsed(self.source, layout, lambda frame: prepare(_ranked(frame)))
        return parsed(self.source, self.layout, prepare)

    def read(self) -> Run:
        """Read the whole table into memory, with its ranks if all of them are numbers."""
        frame = self.rows("rank")
        if "score" not in frame.columns:
            frame = frame.with_columns(score=-pl.col("rank")).select(*_RUN_COLUMNS)
            return Run(frame, self.name, self.format, self.metadata)
        rank = frame["rank"].cast(pl.Float64, strict=False)
        frame = frame.drop("rank")
        if not rank.has_nulls() and not rank.is_nan().any():
            frame = frame.with_columns(rank)
        return Run(frame, self.name, self.format, self.metadata)

    def rows(self, *besides: str) -> pl.DataFrame:
        """All rows, and some columns beside, as far as there are such; as text, unless they make the order."""
        further = [name for name in besides if name in self.layout.columns and name not in self.layout.numbers]
        return load_columns(self.source, self.layout._replace(text=(*self.layout.text, *further))).frame

    def first_rows(self) -> pl.DataFrame:
        """The rows at the start of the file, with their ranks beside their scores, if it has both."""
        chunk = next(self.source.chunks(_START_BYTES), b"")
        if "score" not in self.layout.columns:
            return _ranked(parse(chunk, self.layout)[0])
        frame, _ = parse(chunk, self.layout._replace(text=(*self.layout.text, "rank")))
        return frame.with_columns(pl.col("rank").cast(pl.Float64, strict=False))

    @cached_property
    def metadata(self) -> str:
        """Metadata of the run in an `ir_metadata` header: YAML, without the comment signs; or nothing."""
        return metadata_of(self.source)

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the line where this document comes up for the second time."""
        query, document = map(self.layout.columns.index, ("query_id", "doc_id"))
        rows = ((number, line.split()) for number, line in numbered_lines(self.source))
        pair = query_id.encode(), doc_id.encode()
        lines = (number for number, fields in rows if (fields[query], fields[document]) == pair)
        return self.source.name, next(itertools.islice(lines, 1, None), None)

    def tag(self) -> str:
        """The tag on the last line, by which the reference tool calls the run."""
        if "tag" not in self.layout.columns:
            return self.name
        last = b""
        for chunk in self.source.chunks():
            last = last_data_line(chunk) or last
        return last.split()[self.layout.columns.index("tag")].decode()


def load_columns(source: Source, layout: Layout) -> Loaded:
    """Read judgments whose fields are separated by blanks."""
    frames = parsed(source, layout, lambda frame: frame)
    return Loaded(pl.concat(list(frames)), partial(line_of_row, source))


def numbered_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that hold data, with their numbers; slow, and only done to say where something is wrong."""
    before = 0
    for data in source.chunks():
        yield from ((before + number, line) for number, line in data_lines(data))
        before += len(all_lines(data))


def line_of_row(source: Source, row: int) -> tuple[str, int | None]:
    """The file, and the line of a row (from 0)."""
    lines = (number for number, _ in numbered_lines(source))
    return source.name, next(itertools.islice(lines, row, None), None)


def parsed(source: Source, layout: Layout, prepare: Callable[[pl.DataFrame], T]) -> Iterator[T]:
    """Parse a file chunk by chunk, several at once, and yield in order what `prepare` makes of each."""
    lines = rows = 0

    def work(data: bytes) -> tuple[T, int, int]:
        frame, count = parse(data, layout)
        return prepare(frame), count, frame.height

    # A file of a single chunk is not worth starting threads for.
    single = source.size is not None and source.size <= CHUNK_BYTES
    try:
        for result, count, height in map(work, source.chunks()) if single else _ahead(work, source.chunks()):
            lines, rows = lines + count, rows + height
            yield result
    except BadRowError as bad:
        problem = bad.problem
        raise FormatError(source.name, lines + problem.line, expected=problem.expected, got=problem.got) from None
    if not rows:
        raise EmptyFileError(source.name, layout.expected)


def _ahead(work: Callable[[bytes], R], chunks: Iterator[bytes]) -> Iterator[R]:
    """Work on a few chunks at once, and yield the results in order."""
    with ThreadPoolExecutor(_UNDER_WAY, thread_name_prefix="assay-parse") as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for data in chunks:
                waiting.append(pool.submit(work, data))
                if len(waiting) == _UNDER_WAY:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _ranked(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn ranks, which are best when small, into scores, which are best when large."""
    return frame.select("query_id", "doc_id", score=-pl.col("rank"))


RUN_LAYOUT = Layout(
    columns=("query_id", "iteration", "doc_id", "rank", "score", "tag"),
    text=("query_id", "doc_id"),
    numbers=("score",),
    extra_columns=True,
)

RANKED_LAYOUT = Layout(columns=("query_id", "doc_id", "rank"), text=("query_id", "doc_id"), numbers=("rank",))

QRELS_LAYOUT = Layout(
    columns=("query_id", "iteration", "doc_id", "relevance"),
    text=("query_id", "iteration", "doc_id"),
    numbers=("relevance",),
    finite=True,
)

SHORT_QRELS_LAYOUT = Layout(
    columns=("query_id", "doc_id", "relevance"), text=("query_id", "doc_id"), numbers=("relevance",), finite=True
)


_FIELD = re.compile(r"^\.([A-Z])(?:\s+(.*))?$")

_TITLE, _TEXT = "T", "W"
#: What the letters of the classic collections stand for; any other field is kept under its letter.
_NAMED = {"A": "authors", "B": "source", "C": "categories", "K": "keywords", "N": "notes", "X": "references"}
# Questions are short: records that are longer on average are documents.
_MOST_LINES_OF_A_TOPIC = 12

REL_LAYOUT = Layout(columns=("query_id", "doc_id", "zero", "number"), text=("query_id", "doc_id"), numbers=("number",))


def smart_records(text: str, name: str) -> list[tuple[int, str, dict[str, list[str]]]]:
    """The records of a text: the line where each starts, its id, and the lines of its fields; `name` is the file's."""
    entries: list[tuple[int, str, dict[str, list[str]]]] = []
    field: list[str] | None = None
    for number, line in enumerate(map(str.rstrip, lines_of(text)), 1):
        mark = _FIELD.match(line)
        if mark and mark[1] == "I":
            identifier = (mark[2] or "").strip()
            if not identifier:
                raise FormatError(name, number, expected="`.I` and an id", got=line)
            entries.append((number, identifier, {}))
            field = None
        elif mark and entries:
            field = entries[-1][2].setdefault(mark[1], [])
            field += [mark[2]] if mark[2] else []
        elif field is not None:
            field.append(line)
        elif line:
            raise FormatError(name, number, expected="a field such as `.W`" if entries else "`.I` and an id", got=line)
    return entries


def _texts(kind: Kind, source: Source, name: str) -> Topics | Documents:
    text, warnings = decoded(source)
    rows = smart_records(text, source.name)
    if not rows:
        raise FormatError(source.name, None, expected="records that start with `.I`", note="there are none")
    if "\r\n" in text:
        warnings += (f"{source.name}: lines end in CR LF, read as line ends",)
    del text
    held = dict.fromkeys(tag for _, _, fields in rows for tag in fields)
    rest = {tag: _NAMED.get(tag, tag.lower()) for tag in held if tag not in {_TITLE, _TEXT}}
    columns = {
        tag: [" ".join(" ".join(fields.get(tag, ())).split()) for _, _, fields in rows]
        for tag in (_TITLE, _TEXT, *rest)
    }
    extra = {column: columns[tag] for tag, column in rest.items()}
    ids = [key for _, key, _ in rows]
    titles = columns[_TITLE]
    texts = columns[_TEXT]
    if empty := sum(not text for text in texts):
        warnings += (f"{source.name}: {number_of(kind.removesuffix('s'), empty)} without text",)

    def where(row: int) -> tuple[str, int | None]:
        return source.name, rows[row][0]

    if kind == "topics":
        named = [text or title for title, text in zip(titles, texts, strict=True)]
        return Topics(pl.DataFrame({"query_id": ids, "title": named, **extra}), name, "SMART topics", warnings, where)
    frame = pl.DataFrame({"doc_id": ids, "title": titles, "text": texts, **extra})
    return Documents(frame, name, "SMART documents", warnings, where)


def _is_smart(head: Head) -> bool:
    return head.first.startswith(".I ") or head.first == ".I"


def _has_field(letters: str, head: Head) -> bool:
    """Documents have titles, sources or references; questions are mostly bare text, though some name authors."""
    marks = {mark[1] for line in head.lines if (mark := _FIELD.match(line.rstrip()))}
    return bool(marks & set(letters))


@register("smart-documents", "documents", "SMART documents", "records `.I .T .A .W`", partial(_texts, "documents"))
def smart_documents(head: Head) -> bool:
    """Records with titles, sources or references, or long ones."""
    if not _is_smart(head):
        return False
    starts = sum(line.startswith(".I") for line in head.lines)
    return _has_field("TBX", head) or len(head.lines) > _MOST_LINES_OF_A_TOPIC * starts


@register("smart-topics", "topics", "SMART topics", "records `.I .W`", partial(_texts, "topics"))
@register("smart-plain", "documents", "SMART documents", "records `.I .W`", partial(_texts, "documents"))
def smart_topics(head: Head) -> bool:
    """Records of text."""
    return _is_smart(head)


def _judgments(source: Source, _name: str) -> Loaded:
    """`query_id doc_id 0 0.000000`: who is listed is relevant, the last two columns mean nothing."""
    loaded = load_columns(source, REL_LAYOUT)
    frame = loaded.frame.select("query_id", "doc_id", relevance=pl.lit(1.0))
    remark = (
        f"{source.name}: the last two columns of SMART judgments mean nothing; every document listed is relevant (1)"
    )
    return Loaded(frame, loaded.where, (remark,))


@register("smart-qrels", "qrels", "SMART judgments", "`query_id doc_id 0 0.000000`", _judgments)
def smart_judgments(head: Head) -> bool:
    """Four columns, and the last two are always zero: no TREC file calls all its documents 0."""
    rows = head.rows
    if len(rows) < 2 and not (rows and len(rows[0]) == 4 and "." in rows[0][3]):
        return False
    return all(len(row) == 4 and row[2] == "0" and set(row[3]) <= set("0.") for row in rows)


def _shape(layout: Layout) -> str:
    return f"`{' '.join(layout.columns)}`"


def _run(title: str, layout: Layout, source: Source, name: str) -> RunFile:
    return RunFile(source, title, layout, name)


def _qrels(layout: Layout, source: Source, _name: str) -> Loaded:
    return load_columns(source, layout)


@register("trec-run", "run", "TREC run", _shape(RUN_LAYOUT), partial(_run, "TREC run", RUN_LAYOUT))
def trec_run(head: Head) -> bool:
    """Six columns or more, the fifth a number."""
    return len(head.fields) >= 6 and is_number(head.fields[4])


@register("msmarco-run", "run", "MS MARCO run", _shape(RANKED_LAYOUT), partial(_run, "MS MARCO run", RANKED_LAYOUT))
def msmarco_run(head: Head) -> bool:
    """Three columns, the last a rank: within a query no rank comes twice, and there is a second one."""
    rows = head.rows
    if any(len(row) != 3 or not is_whole(row[2]) for row in rows):
        return False
    queries = [[int(row[2]) for row in group] for _, group in itertools.groupby(rows, key=lambda row: row[0])]
    return all(len(set(ranks)) == len(ranks) for ranks in queries) and any({1, 2} <= set(ranks) for ranks in queries)


@register("trec-qrels", "qrels", "TREC qrels", _shape(QRELS_LAYOUT), partial(_qrels, QRELS_LAYOUT))
def trec_qrels(head: Head) -> bool:
    """Four columns, the last a number; the second is an iteration, or names the judge."""
    return len(head.fields) == 4 and is_number(head.fields[3])


@register("qrels-3", "qrels", "qrels in three columns", _shape(SHORT_QRELS_LAYOUT), partial(_qrels, SHORT_QRELS_LAYOUT))
def short_qrels(head: Head) -> bool:
    """Three columns, the last a number."""
    return len(head.fields) == 3 and is_number(head.fields[2])
