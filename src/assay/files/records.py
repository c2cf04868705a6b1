"""Records of text, and lists of relevant documents: what the layouts of the classic collections have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from assay.core.errors import FormatError, number_of
from assay.files.registry import Loaded
from assay.files.sources import Source, decoded, lines_of
from assay.tables import Documents, Topics

#: No record, rank or count has more digits.
_MOST_DIGITS = 18


class Record(NamedTuple):
    """A record: the line it starts on, its id, and its lines."""

    line: int
    key: str
    lines: list[str]

    @property
    def text(self) -> str:
        """The lines put together."""
        return " ".join(" ".join(self.lines).split())


def is_whole(text: str) -> bool:
    """Tell whether a field is a whole number, such as that of a record, and no longer than one ever is.

    >>> is_whole("17"), is_whole("-1"), is_whole("1.0")
    (True, False, False)
    """
    return text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS


def plain_number(number: str) -> str:
    """A number without zeros in front.

    >>> plain_number("007"), plain_number("000")
    ('7', '0')
    """
    return number.lstrip("0") or "0"


def marked_records(source: Source, mark: str, *, alone: bool) -> tuple[list[Record], tuple[str, ...]]:
    """Records of a number, lines, and a mark: `alone` on a line, or at the end of one. The last one may lack it.

    >>> import io
    >>> marked_records(Source(io.StringIO("1\\ngreen\\ntea #\\n2\\nmilk")), "#", alone=False)[0][0].text
    'green tea'
    """
    text, warnings = decoded(source)
    rows: list[Record] = []
    is_open = False
    for number, line in enumerate(map(str.strip, lines_of(text)), 1):
        if is_open:
            is_open = not (line == mark or (line.endswith(mark) and not alone))
            rows[-1].lines.append(line if is_open else line.removesuffix(mark))
        elif line:
            if not is_whole(line):
                raise FormatError(source.name, number, expected="the number of a record", got=line)
            rows.append(Record(number, line, []))
            is_open = True
    return rows, warnings


def topics_of(rows: Sequence[Record], title: str, source: Source, warnings: tuple[str, ...]) -> Topics:
    """The topics that records hold."""
    frame = pl.DataFrame({"query_id": [row.key for row in rows], "title": [row.text for row in rows]})
    frame, more = each_once(frame, source.name)
    return Topics(frame, source.name, title, warnings + more)


def documents_of(frame: pl.DataFrame, title: str, source: Source, warnings: tuple[str, ...]) -> Documents:
    """The documents of a frame."""
    frame, more = each_once(frame, source.name)
    return Documents(frame, source.name, title, warnings + more)


def each_once(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Keep the first of several rows under an id; say how many others there are, alike or not, and what has no text.

    >>> each_once(pl.DataFrame({"doc_id": ["1", "1"], "text": ["tea", "tea"]}), "old")[1]
    ('old: 1 document comes again with the same text; kept once',)
    """
    key, text, what = ("doc_id", "text", "document") if "doc_id" in frame.columns else ("query_id", "title", "topic")
    if not frame.height:
        raise FormatError(name, None, expected=f"{what}s", note="there are none")
    different = frame.unique(maintain_order=True)
    first = different.unique(key, keep="first", maintain_order=True)
    warnings = []
    if alike := frame.height - different.height:
        verb = "comes" if alike == 1 else "come"
        warnings.append(f"{name}: {number_of(what, alike)} {verb} again with the same text; kept once")
    if others := different.height - first.height:
        verb = "comes" if others == 1 else "come"
        example = different.filter(~pl.col(key).is_first_distinct())[key][0]
        warnings.append(
            f"{name}: {number_of(what, others)} {verb} again with another text, such as {example!r}; the first is kept"
        )
    if empty := int((first[text] == "").sum()):
        warnings.append(f"{name}: {number_of(what, empty)} without text")
    return first, tuple(warnings)


def numbered_pairs(rows: Iterable[Record], source: Source) -> Iterator[tuple[str, str]]:
    """The query that each record is about, with each document that it names by number."""
    for row in rows:
        for document in row.text.split():
            if not is_whole(document):
                raise FormatError(source.name, row.line, expected="numbers of documents", got=document)
            yield row.key, document


def unlike_announced(queries: Iterable[tuple[str, int, int | None]], source: Source) -> tuple[str, ...]:
    """A warning if queries (number, documents listed, documents announced) have more or fewer than they say."""
    others = [(query, listed, announced) for query, listed, announced in queries if announced not in {None, listed}]
    if not others:
        return ()
    query, listed, announced = others[0]
    count = number_of("query", len(others))
    example = f"query {query} with {listed} of {announced}"
    return (f"{source.name}: {count} with more or fewer documents than announced, such as {example}",)


def relevant(pairs: Iterable[tuple[str, str]], source: Source, warnings: tuple[str, ...] = ()) -> Loaded:
    """Judgments of (query, document) pairs, all of which are relevant."""
    frame = pl.DataFrame(list(pairs), schema={"query_id": pl.String, "doc_id": pl.String}, orient="row")
    if not frame.height:
        raise FormatError(source.name, None, expected="queries and their relevant documents", note="there are none")
    return Loaded(frame.with_columns(relevance=pl.lit(1.0)), warnings=warnings)
