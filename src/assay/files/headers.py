"""Files whose columns have names (CSV, TSV, JSONL, Parquet, Arrow) as runs, judgments, topics and documents."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl

from assay.core.errors import EmptyFileError, FormatError
from assay.files.named_columns import names_of, read_named_columns
from assay.files.parquet import TableFile
from assay.files.registry import COLUMN_MARKS, Head, Kind, Loaded, head_of, named, register
from assay.files.sources import Source, decoded, lines_of
from assay.tables import Documents, Run, Topics
from assay.tables.named_columns import NamedColumns, ranking_rows
from assay.tables.roles import absent, columns_of, shape_of

#: All kinds; where an object fits several, the first one counts.
_KINDS: tuple[Kind, ...] = ("run", "qrels", "documents", "topics")
_FORMS = {"parquet": "Parquet or Arrow", "jsonl": "JSONL", "csv": "CSV or TSV"}
#: How files of a form start.
_STARTS = {"parquet": tuple(mark.decode() for mark in COLUMN_MARKS), "jsonl": ("{", "[")}


def table_of(kind: Kind, table: NamedColumns, columns: dict[str, str], name: str) -> Any:
    """Named columns of any types -> a run, loaded judgments, topics or documents."""
    if kind in {"topics", "documents"}:
        make = Topics if kind == "topics" else Documents
        ids = table.ids(columns[make.key], make.key).alias(make.key)
        texts = [table.frame[theirs].alias(ours) for ours, theirs in columns.items() if ours != make.key]
        rest = table.frame.drop({*columns, *columns.values()} & {*table.frame.columns})
        return make(pl.DataFrame([ids, *texts, *rest]), name, table.title, where=table.where)
    rows = ranking_rows(kind, table, columns)
    if kind == "qrels":
        return Loaded(rows, table.where, title=table.title)
    return Run(rows, name, table.title, where=table.where, origin=table.path)


def _read(kind: Kind, source: Source, name: str) -> Any:
    head = head_of(source)
    columns = columns_of(kind, names_of(head))
    if kind == "run" and columns is not None and head.start.startswith(COLUMN_MARKS):
        return TableFile(source, columns, name)
    table = read_named_columns(source, f"rows {shape_of(kind)}")
    columns = columns_of(kind, table.frame.columns)
    if columns is None:
        raise absent(kind, table.frame.columns, table.path, 1)
    return table_of(kind, table, columns, name)


def _matches(form: str, kind: Kind, head: Head) -> bool:
    is_form = form == next((known for known, marks in _STARTS.items() if head.text.startswith(marks)), "csv")
    return is_form and columns_of(kind, names_of(head)) is not None


def _two_columns(kind: Kind, source: Source, name: str) -> Topics | Documents:
    """An id, a tab and a text, without a header, as MS MARCO has queries and passages."""
    key = "query_id" if kind == "topics" else "doc_id"
    text = "title" if kind == "topics" else "text"
    data, warnings = decoded(source)
    lines: list[int] = []
    rows: list[tuple[str, str]] = []
    for number, line in enumerate(lines_of(data), 1):
        identifier, tab, words = line.partition("\t")
        if not tab and not identifier.strip():
            continue
        if not tab or not identifier.strip():
            raise FormatError(source.name, number, expected=f"`{key}`, a tab, the text", got=line)
        rows.append((identifier.strip(), words.strip()))
        lines.append(number)
    if not rows:
        raise EmptyFileError(source.name, f"`{key}`, a tab, the text")
    frame = pl.DataFrame(rows, schema=[key, text], orient="row")
    make = Topics if kind == "topics" else Documents
    return make(frame, name, "TSV of ids and texts", warnings, where=lambda row: (source.name, lines[row]))


for _form, _title in _FORMS.items():
    for _kind in _KINDS:
        register(f"{_form}-{_kind}", _kind, f"{_title} of {named(_kind)}", shape_of(_kind), partial(_read, _kind))(
            partial(_matches, _form, _kind)
        )


@register(
    "tsv-documents", "documents", "TSV of ids and texts", "`doc_id`, a tab, the text",
    partial(_two_columns, "documents"),
)  # fmt: skip
@register(
    "tsv-topics", "topics", "TSV of ids and texts", "`query_id`, a tab, the text", partial(_two_columns, "topics")
)
def two_columns(head: Head) -> bool:
    """Every line has one tab, and what stands before it is one word."""
    return all(line.count("\t") == 1 and len(line.partition("\t")[0].split()) == 1 for line in head.lines)
