"""The queries of a log and how often each was asked: lists of queries, tables, click logs, and files of topics."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import EmptyFileError, FormatError, argument, number_of, quote
from assay.files.log_looks import is_log_folder, layout_of
from assay.files.log_records import folded_queries
from assay.files.logs import read_log
from assay.files.named_columns import named_columns, names_of, table_head
from assay.files.registry import Head, formats, head_of
from assay.files.sources import Source, decoded, lines_of
from assay.tables.log import Log
from assay.tables.roles import TABLES, absent, columns_of, folded_name

_SHAPE = "a query log: a table with a column `query`, or one query per line"
#: Rows of these kinds are results, and not searches.
_RESULTS = ("run", "qrels")
#: Formats of topics that no list of queries looks like.
_TOPICS = ("trec-topics", "topic-sections", "smart-topics", "tsv-topics")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{2,4}")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")


class AskedQueries(NamedTuple):
    """Queries as they are written, the most frequent first, with their `frequency`; and what is worth a remark."""

    name: str
    counts: pl.DataFrame
    remarks: tuple[str, ...] = ()


def asked_queries(log: Any, *, fold: bool = False) -> AskedQueries:
    """The distinct queries of a log, the most frequent first, and equal ones by their text.

    `fold`: queries that differ in case and blanks are one.

    >>> asked_queries(["Green tea", "green  tea", "milk"], fold=True).counts.rows()
    [('green tea', 2), ('milk', 1)]
    """
    name, rows, remarks = _opened_log(log)
    query = pl.col("query").str.strip_chars()
    rows = rows.select(query, "frequency").filter(pl.col("query") != "")
    if not rows.height:
        raise EmptyFileError(name, "queries")
    if fold:
        rows = rows.with_columns(folded_queries(rows["query"]).alias("query"))
    else:
        remarks = (*remarks, *_variants(rows["query"]))
    counts = rows.group_by("query").agg(pl.col("frequency").sum())
    frequency = counts["frequency"]
    if (frequency % 1 == 0).all() and frequency.sum() < 2**53:  # others are shares of all searches
        counts = counts.with_columns(pl.col("frequency").cast(pl.Int64))
    return AskedQueries(name, counts.sort("frequency", "query", descending=[True, False]), tuple(remarks))


def _variants(queries: pl.Series) -> list[str]:
    """A remark if queries differ in nothing but case and blanks."""
    written = queries.unique(maintain_order=True)
    folded = folded_queries(written)
    alike = written.filter(folded.is_duplicated())
    if not len(alike):
        return []
    first, second = written.filter(folded == folded_queries(alike)[0])[:2]
    which = f"such as {quote(first)} and {quote(second)}"
    return [
        f"{number_of('query', len(alike))} differ from others only in case or blanks, {which}, and count as "
        f"different: {argument('fold_queries', True)} makes them one"
    ]


def _opened_log(log: Any) -> tuple[str, pl.DataFrame, tuple[str, ...]]:
    if isinstance(log, list):
        return "log", pl.DataFrame({"query": log}, schema={"query": pl.String}).with_columns(frequency=1), ()
    if is_log_folder(log) or isinstance(log, Log):
        return _pages(read_log(log))
    source = Source.of(log)
    head = head_of(source)
    if not head.numbered:
        raise EmptyFileError(source.name, _SHAPE)
    names = names_of(head)
    if _is_click_log(head, names):
        return _pages(read_log(source))
    if columns_of("query log", names) is not None:
        return _of_table(source, names)
    if head.is_binary or head.is_json:
        raise absent("query log", names, source.name)
    return _of_text(source, head, names)


def _is_click_log(head: Head, names: list[str]) -> bool:
    """True if rows are results with clicks or events, which make result pages, or records of a click log."""
    columns = columns_of("log", names)
    if columns is None:
        return not names and layout_of(head) is not None
    return not head.is_json or "doc_id" in columns


def _pages(log: Log) -> tuple[str, pl.DataFrame, tuple[str, ...]]:
    """A search is a result page, however many results or clicks it has."""
    query = pl.coalesce("query_text", "query_id").alias("query")
    rows = log.impressions.select(query).drop_nulls().collect().with_columns(frequency=1)
    results = int(log.results.select(pl.len()).collect().item())
    pages = number_of("result page", rows.height)
    counted = f"{log.origin}: a click log: {pages} count as searches, not their {number_of('result', results)}"
    return log.origin, rows, (counted,)


def _of_table(source: Source, names: list[str]) -> tuple[str, pl.DataFrame, tuple[str, ...]]:
    columns = columns_of("query log", names) or {}
    table = named_columns(source, "query log")
    queries = table.frame[columns["query"]].cast(pl.String).alias("query")
    if "frequency" in columns:
        numbers = table.numbers(columns["frequency"], "how often a query was asked").alias("frequency")
        return source.name, pl.DataFrame([queries, numbers]).drop_nulls().filter(pl.col("frequency") > 0), ()
    rows = queries.to_frame().with_columns(frequency=1).drop_nulls()
    if not any(columns_of(kind, names) for kind in _RESULTS):
        return source.name, rows, ()
    distinct = rows.unique("query", maintain_order=True)
    counted = number_of("query", distinct.height)
    return (
        source.name,
        distinct,
        (f"{source.name}: rows are documents, and not searches: {counted}, each counted once",),
    )


def _of_text(source: Source, head: Head, names: list[str]) -> tuple[str, pl.DataFrame, tuple[str, ...]]:
    """Lines, unless they are topics in some format, or rows of a table."""
    known = next((each for each in formats("topics") if each.name in _TOPICS and each.matches(head)), None)
    table = table_head(head)
    if known is not None and not (table and all(_NUMBER.fullmatch(row[-1].strip()) for row in table[1:])):
        topics = known.read(source, source.stem)
        title = "title" if "title" in topics.frame.columns else "text"
        rows = topics.frame.select(query=title).with_columns(frequency=1).drop_nulls()
        return source.name, rows, (f"{source.name}: {known.title}: each title counts once",)
    if table is not None and _is_table(source, table):
        number = head.numbered[0][0]
        if not any(_is_value(cell) for cell in table[0]):
            cells = dict(zip(names, zip(*table[1:], strict=True), strict=False))
            texts = [name for name, column in cells.items() if not any(map(_is_value, column))]
            texts.sort(key=lambda name: -sum(map(len, cells[name])))  # queries are longer than ids
            raise absent("query log", names, source.name, number, texts)
        note = "a table needs a first line that names its columns, such as `query`"
        raise FormatError(source.name, number, expected=_SHAPE, got=head.first, note=note)
    lines = [line.strip() for line in lines_of(decoded(source)[0])]
    if folded_name(lines[0]) in TABLES["query log"][0].names:  # a table with this column alone
        lines = lines[1:]
    return source.name, pl.DataFrame({"query": lines}, schema={"query": pl.String}).with_columns(frequency=1), ()


def _is_table(source: Source, rows: list[list[str]]) -> bool:
    """True if lines with as many fields are rows: by the file's name, those of columns, or numbers and dates."""
    path = source.name.casefold().removesuffix(".gz").removesuffix(".zst")
    known = {name for roles in TABLES.values() for role in roles for name in role.names if name}
    is_known = any(folded_name(cell) in known for cell in rows[0])
    return (
        path.endswith((".csv", ".tsv", ".tab"))
        or is_known
        or any(all(map(_is_value, column)) for column in zip(*(rows[1:] or rows), strict=True))
    )


def _is_value(cell: str) -> bool:
    """True if a cell is a number or starts with a date, as no name of a column does."""
    return bool(_NUMBER.fullmatch(cell.strip()) or _DATE.match(cell.strip()))
