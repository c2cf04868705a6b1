"""Column names: what other tools call the columns of our tables, and how named columns become a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from assay.core.errors import FormatError
from assay.files.registry import Kind, Loaded
from assay.tables import Documents, Run, Topics
from assay.tables.shapes import Locate

#: All kinds; where an object fits several, the first one counts.
KINDS: tuple[Kind, ...] = ("run", "qrels", "documents", "topics")
#: Of each column the names that files give it, in small letters, the usual one first.
_NAMES: dict[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "queryid", "topic", "topic_id", "q_id", "query", "query_text"),
    "doc_id": ("doc_id", "docno", "docid", "corpus_id", "document_id", "doc", "pid", "passage_id", "product_id"),
    "score": ("score", "sim", "similarity", "retrieval_score"),
    "rank": ("rank", "position", "doc_position"),
    "relevance": ("relevance", "label", "rel", "rating", "grade", "judgment", "judgement", "relevance_score"),
    "judge": ("judge", "assessor", "worker", "worker_id", "annotator"),
    "iteration": ("iteration", "iter", "q0"),
    "title": ("title",),
    "description": ("description", "desc", "question"),
    "narrative": ("narrative", "narr"),
    "text": ("text", "body", "content", "contents", "abstract"),
}
_IDS = ("_id", "id")
_NUMBERS = {"score", "rank", "relevance"}
#: What a table of each kind cannot do without, and what it may have besides.
_NEEDED: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "run": (("query_id",), ("doc_id",), ("score", "rank")),
    "qrels": (("query_id",), ("doc_id",), ("relevance",)),
    "topics": (("query_id",), ("title", "text")),
    "documents": (("doc_id",), ("text", "title")),
}
_WANTED: dict[Kind, tuple[str, ...]] = {
    "run": ("query_id", "doc_id", "score", "rank"),
    "qrels": ("query_id", "doc_id", "relevance", "judge", "iteration"),
    "topics": ("query_id", "title", "description", "narrative", "text"),
    "documents": ("doc_id", "title", "text"),
}
#: Judgments of BEIR call the grade `score`.
_BEIR = ("query_id", "corpus_id", "score")


def shape_of(kind: Kind) -> str:
    """The columns of a kind, for messages.

    >>> shape_of("run")
    'with the columns `query_id`, `doc_id`, `score` or `rank`'
    """
    return "with the columns " + ", ".join(" or ".join(f"`{name}`" for name in names) for names in _NEEDED[kind])


def columns_of(kind: Kind, header: Sequence[str]) -> dict[str, str] | None:
    """Which of our columns each name in a header stands for (ours to theirs), or None if some are absent.

    >>> columns_of("qrels", ["qid", "docno", "label"])
    {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
    """
    folded = {folded_name(name): name for name in reversed(header)}
    if kind in {"run", "qrels"} and tuple(map(folded_name, header[: len(_BEIR)])) == _BEIR:
        theirs = [folded[name] for name in _BEIR]
        return dict(zip(("query_id", "doc_id", "relevance"), theirs, strict=True)) if kind == "qrels" else None
    names = dict(_NAMES)
    if kind == "topics":
        names["query_id"] = (*_NAMES["query_id"][:-2], *_IDS)
        names["title"] = ("title", "query", "query_text", "text")
    if kind == "documents":
        names["doc_id"] = (*_NAMES["doc_id"], *_IDS)
    columns: dict[str, str] = {}
    for ours in _WANTED[kind]:
        name = next((folded[name] for name in names[ours] if name in folded), None)
        if name is not None and name not in columns.values():
            columns[ours] = name
    if any(not set(either) & set(columns) for either in _NEEDED[kind]):
        return None
    if "judge" in columns:
        columns.pop("iteration", None)
    return columns


def called(ours: str, header: Sequence[str]) -> str | None:
    """What a header calls one of our columns; None if it has none of the names.

    >>> called("doc_id", ["docno", "cluster"])
    'docno'
    """
    folded = {folded_name(name): name for name in reversed(header)}
    return next((folded[name] for name in _NAMES[ours] if name in folded), None)


def folded_name(name: str) -> str:
    """A column's name as names are compared.

    >>> folded_name(" Query-ID")
    'query_id'
    """
    return name.strip().strip("\ufeff").casefold().replace(" ", "_").replace("-", "_")


def table_of(
    kind: Kind, frame: pl.DataFrame, columns: Mapping[str, str], *, name: str, title: str, locate: Locate
) -> Any:
    """Named columns of any types -> a run, loaded judgments, topics or documents."""
    if kind in {"topics", "documents"}:
        make = Topics if kind == "topics" else Documents
        key = make.key
        chosen = [_column(frame[columns[key]], key, locate)]
        chosen += [frame[theirs].alias(ours) for ours, theirs in columns.items() if ours != key]
        taken = {*columns, *columns.values()}
        return make(pl.DataFrame([*chosen, *(frame[rest] for rest in frame.columns if rest not in taken)]),
                    name, title, locate=locate)  # fmt: skip
    table = pl.DataFrame([_column(frame[theirs], ours, locate) for ours, theirs in columns.items()])
    if kind == "qrels":
        return Loaded(table, locate, title=title)
    if "score" not in table.columns:
        table = table.with_columns(score=-pl.col("rank"))
    order = [column for column in ("query_id", "doc_id", "score", "rank") if column in table.columns]
    return Run(table.select(order), name, title, locate=locate)


def _column(values: pl.Series, ours: str, locate: Locate) -> pl.Series:
    """Bring a column to its type; refuse nothing, and what is neither text nor the number that it should be."""
    kind = values.dtype
    if ours in _NUMBERS:
        expected = f"a number as {ours}"
        usable = kind.is_numeric() or kind in {pl.String, pl.Null}
        text = values.str.strip_chars() if kind == pl.String else values
        cast = text.cast(pl.Float64, strict=False) if usable else pl.repeat(None, len(values), eager=True)
        cast = cast.cast(pl.Float64)
        # An infinite score has a place in an order; an infinite grade has none.
        refused = cast.is_null() | cast.is_nan() | (cast.is_infinite() if ours == "relevance" else False)
    else:
        expected = f"text or a whole number as {ours}"
        usable = kind.is_integer() or kind.base_type() in {pl.String, pl.Categorical, pl.Enum, pl.Null}
        cast = values.cast(pl.String) if usable else pl.repeat(None, len(values), dtype=pl.String, eager=True)
        refused = cast.is_null() | (cast == "")
    if refused.any():
        row = int(refused.arg_max() or 0)
        path, line = locate(row=row)
        got = "" if values[row] is None or cast[row] == "" else str(values[row])
        raise FormatError(path, line, expected=expected, got=got)
    return cast.alias(ours)


def line_of(
    records: Iterable[tuple[int | None, Mapping[str, Any]]],
    columns: Mapping[str, str],
    row: int | None,
    wanted: Mapping[str, str],
) -> int | None:
    """The line of a row by its number; else of the second one with these values, or that contradicts the first one."""
    grade = columns.get("relevance")
    first: list[Any] = []
    for index, (line, record) in enumerate(records):
        if row is not None:
            if index == row:
                return line
            continue
        if all(str(record.get(columns[ours])) == value for ours, value in wanted.items() if ours in columns):
            if first and (grade is None or not _same(record.get(grade), first[0])):
                return line
            first = first or [record.get(grade) if grade else None]
    return None


def _same(value: Any, other: Any) -> bool:
    try:
        return float(value) == float(other)
    except (TypeError, ValueError):
        return bool(value == other)
