"""Read a table from a file, whatever its format: find out which one it is, and let that one read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard, cast

import polars as pl

from assay.core.errors import InputError, need, number_of
from assay.files.legacy_quirks import grade_in_column_two, turned_round, upside_down
from assay.files.registry import Kind, detect
from assay.files.sources import Readable, Source
from assay.tables import Batches, Documents, Qrels, Run, Topics
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import ColumnNames, columns_of, named_by

_PREFIX = "irds:"
_PARTS = {"qrels": "qrels", "topics": "queries", "documents": "docs"}


def is_dataset(value: object) -> TypeGuard[str]:
    """Tell ids of datasets from files.

    >>> is_dataset("irds:vaswani"), is_dataset("vaswani.qrels")
    (True, False)
    """
    return isinstance(value, str) and value.startswith(_PREFIX)


def _table(kind: Kind, dataset_id: str) -> Any:
    rows = list(_records(kind, dataset_id))
    if not rows:
        raise InputError(f"{dataset_id}: expected {kind}, there are none")
    names = list(rows[0]._fields)
    columns = columns_of(kind, names)
    if columns is None and kind != "qrels":  # a record of many parts says itself what its text is
        frame = pl.DataFrame({names[0]: [row[0] for row in rows], "text": [row.default_text() for row in rows]})
        columns = columns_of(kind, frame.columns)
    else:
        frame = pl.DataFrame({name: _values([row[place] for row in rows]) for place, name in enumerate(names)})
    if columns is None:
        raise InputError(f"{dataset_id}: expected {kind}, got the columns {', '.join(names)}")
    from assay.files.headers import table_of  # noqa: PLC0415  # who reads a file in columns does not wait for it

    table = NamedColumns(dataset_id, frame, lambda _: (dataset_id, None), title=f"ir_datasets {kind}")
    return table_of(kind, table, columns, dataset_id)


def _values(values: list[Any]) -> pl.Series:
    """Numbers and texts as they are; lists and the like as nothing."""
    if all(isinstance(value, int | float) for value in values):
        return pl.Series(values, strict=False)
    return pl.Series([value if isinstance(value, str) else None for value in values], dtype=pl.String)


def _records(kind: Kind, dataset_id: str) -> Iterable[Any]:
    need("ir_datasets", extra="datasets", purpose=f"{dataset_id!r}")
    import ir_datasets  # noqa: PLC0415  # optional

    name, part = dataset_id.removeprefix(_PREFIX), _PARTS[kind]
    try:
        dataset = ir_datasets.load(name)
    except KeyError as problem:
        raise InputError(f"{dataset_id}: ir_datasets has no dataset {name!r}") from problem
    if not getattr(dataset, f"has_{part}")():
        raise InputError(f"{dataset_id}: expected {kind}, this dataset has none")
    records: Iterable[Any] = getattr(dataset, f"{part}_iter")()
    return records


def scan_run(
    given: Readable | Source, *, format: str | None = None, name: str | None = None, columns: ColumnNames = None
) -> Batches:
    """Open a run without reading it, where its format allows that; evaluation then streams it.

    `columns`: which columns have which role, as in `columns={"query_id": "Search term"}`, unless they have a usual
    name.

    >>> import io
    >>> scan_run(io.StringIO("q1 Q0 d1 1 2.5 mine"), name="mine").name
    'mine'
    """
    source = Source.of(given)
    with named_by(columns):
        return cast("Batches", detect(source, "run", format).read(source, name or source.stem))


def read_run(
    given: Readable | Source, *, format: str | None = None, name: str | None = None, columns: ColumnNames = None
) -> Run:
    """Read a run file into memory; `columns` are those of `scan_run`.

    >>> import io
    >>> read_run(io.StringIO("q1 Q0 d1 1 2.5 mine")).frame.rows()
    [('q1', 'd1', 2.5, 1.0)]
    """
    scanned = scan_run(given, format=format, name=name, columns=columns)
    return scanned if isinstance(scanned, Run) else scanned.read()


def read_qrels(
    given: Readable | Source,
    *,
    format: str | None = None,
    name: str | None = None,
    judges: bool | None = None,
    subtopics: bool = False,
    inverse_grades: bool = False,
    columns: ColumnNames = None,
) -> Qrels:
    """Read judgments. `judges`: whether column 2 names the judge; None finds out from documents judged twice.

    `subtopics`: column 2 names the subtopic for which a document was judged; the table has it as `judge`.
    `inverse_grades`: 1 is the best grade, as in Cranfield's codes: the largest becomes 1, and negative ones 0.
    `irds:NAME` reads the judgments of a dataset of `ir_datasets`. `columns` are those of `scan_run`.

    >>> import io
    >>> read_qrels(io.StringIO("q1 0 d1 2")).frame.rows()
    [('q1', 'd1', 2.0)]
    """
    if is_dataset(given):
        loaded, title, origin = _table("qrels", given), "ir_datasets qrels", given
    else:
        source = Source.of(given)
        with named_by(columns):
            detected = detect(source, "qrels", format)
            loaded, title, origin = detected.read(source, name or source.name), detected.title, source.name
        title = loaded.title or title
    doubts = grade_in_column_two(loaded.frame, name or origin) if "iteration" in loaded.frame.columns else []
    frame, title, unique = _with_judges(loaded.frame, title, True if subtopics else judges, subtopics)
    name = name or origin
    where = loaded.where or (lambda _: (origin, None))
    qrels = Qrels(frame, name, title) if unique else Qrels.settled(frame, name, title, where)
    if loaded.summed and not (judges or subtopics):
        frame = qrels.frame.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("relevance").sum())
        qrels = Qrels(frame, name, title, (*qrels.warnings, f"{name}: {loaded.summed}"))
    qrels.warnings += loaded.warnings + tuple(doubts if "judge" not in qrels.frame.columns else ())
    if inverse_grades:
        return turned_round(qrels)
    qrels.warnings += tuple(upside_down(qrels))
    return qrels


def read_topics(given: Readable | Source, *, format: str | None = None) -> Topics:
    """Read topics: TREC SGML, XML, SMART, TSV, CSV, JSONL, Parquet.

    >>> import io
    >>> read_topics(io.StringIO("1\\thow to make tea")).frame["title"].to_list()
    ['how to make tea']
    """
    return cast("Topics", _texts("topics", given, format))


def read_documents(given: Readable | Source, *, format: str | None = None) -> Documents:
    """Read documents: JSONL, TREC SGML, SMART, CSV, TSV, Parquet.

    >>> import io
    >>> read_documents(io.StringIO('{"_id": "d1", "title": "Tea", "text": "Steep it."}')).frame.rows()
    [('d1', 'Tea', 'Steep it.')]
    """
    return cast("Documents", _texts("documents", given, format))


def _texts(kind: Kind, given: Readable | Source, format: str | None) -> Any:
    if is_dataset(given):
        return _table(kind, given)
    source = Source.of(given)
    return detect(source, kind, format).read(source, source.name)


def _with_judges(
    frame: pl.DataFrame, title: str, judges: bool | None, subtopics: bool
) -> tuple[pl.DataFrame, str, bool]:
    """Keep column 2 as `judge` if asked for, or if it is what tells several judgments of a document apart.

    Also tell whether it is known already that no pair comes twice.
    """
    if "iteration" not in frame.columns:
        return frame, title, False
    if judges is None:
        pairs = frame.n_unique(["query_id", "doc_id"])
        if pairs == frame.height:
            return frame.drop("iteration"), title, True
        judges = pairs < frame.n_unique(["query_id", "doc_id", "iteration"])
    if not judges:
        return frame.drop("iteration"), title, False
    frame = frame.rename({"iteration": "judge"})
    count = frame["judge"].n_unique()
    if subtopics:
        return frame, f"{title} for {number_of('subtopic', count)}", False
    return frame, f"{title} by {count} judges", False
