"""Files of clusterings: a row an item, with its cluster (one or several), its class and its point, if known."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.arguments import worded
from assay.core.errors import AssayError, FormatError, InputError, ParameterError, did_you_mean, listed
from assay.files.headers import called, columns_of, folded_name
from assay.files.named_columns import NamedColumns, as_whole, chosen, names_of, read_named_columns
from assay.files.prediction_columns import ITEM, WEIGHT, Columns, looks_like
from assay.files.prediction_columns import TRUTH as TRUTH_OF_CLASSIFIERS
from assay.files.registry import head_of
from assay.files.sources import Readable, Source, is_file
from assay.tables.clusters import Clusters, assembled_clusters
from assay.tables.label_columns import ids_of

CLUSTER = ("cluster", "cluster_id", "cluster_label", "clusters", "labels_pred", "label_pred", "assignment")
TRUTH = ("truth", "class", "labels_true", "label_true", "category", *TRUTH_OF_CLASSIFIERS[1:])
#: Stands for all columns that hold numbers and are nothing else.
REST = "rest"
_STEMS = ("cluster", "clusters")
_MARKS = ("_", ":")
SHAPE = "a table with a column `cluster`, or several `cluster_NAME` (other names are said with {cluster})"


class _ColumnPlan(NamedTuple):
    """What each column is; clusterings by name, None where the file does not tell it."""

    truth: str | None
    item: str | None
    weight: str | None
    clusters: Mapping[str | None, str]
    points: tuple[str, ...]
    #: Columns that might be points, were they numbers.
    maybe: tuple[str, ...]
    #: Whether points are asked for.
    wanted: bool


def read_clusters(
    given: Readable | Source,
    *,
    truth: str | None = None,
    cluster: Columns = None,
    item: str | None = None,
    weight: str | None = None,
    points: Sequence[str] | str | None = None,
    systems: Sequence[str] | None = None,
    separator: str | None = None,
    name: str | None = None,
) -> list[Clusters]:
    """Read clusterings from CSV, TSV, JSON, JSONL, Parquet or Arrow, compressed or not: one table each.

    Columns are known by their usual names (`cluster`, `truth` or `class`, `item_id`, `weight` and others), or they are
    said. `cluster_NAME` is the clustering NAME; a file may hold several. An item without a class has an empty cell.
    `points` names the columns of numbers that make an item's point, or is "rest": all columns that hold numbers and
    are nothing else. `systems` chooses some of the clusterings; `name` is what one is called that the file does not
    name.

    >>> import io
    >>> file = io.StringIO("id,class,cluster_few,cluster_many,x\\na,tea,0,0,1.5\\nb,,0,1,2\\n")
    >>> few, many = read_clusters(file, points="rest")
    >>> few.name, many.frame.rows(), many.points.tolist()
    ('few', [('a', 'tea', 0), ('b', None, 1)], [[1.5], [2.0]])
    """
    source = Source.of(given)
    table = read_named_columns(source, worded(SHAPE), separator)
    layout = _plan(
        source.name, table.frame.columns, truth=truth, cluster=cluster, item=item, weight=weight, points=points
    )
    if not layout.clusters:
        raise FormatError(source.name, 1, expected=worded(SHAPE), got=", ".join(table.frame.columns))
    shared = _shared(table, layout)
    coordinates, aside = _coordinates(table, layout)
    tables = [
        assembled_clusters(
            {**shared, "cluster": _labels(table, column)},
            None if not coordinates else np.column_stack(list(coordinates.values())),
            tuple(coordinates),
            name=system or name or source.stem,
            origin=table.path,
            where=table.where,
            remarks=aside,
        )
        for system, column in layout.clusters.items()
    ]
    return tables if systems is None else chosen(tables, systems, source.name, "clustering")


def read_points(
    readable: Readable | Source, *, points: Sequence[str] | str, truth: str | None = None, item: str | None = None,
    weight: str | None = None, separator: str | None = None, name: str | None = None,
) -> Clusters:  # fmt: skip
    """Read points that are in no clusters yet, all in one cluster `all`; columns are those of `read_clusters`.

    >>> import io
    >>> read_points(io.StringIO("id,x,y\\na,1,2\\nb,3,4\\n"), points="rest").points.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    source = Source.of(readable)
    table = read_named_columns(source, "a table with columns of numbers", separator)
    layout = _plan(source.name, table.frame.columns, truth=truth, cluster={}, item=item, weight=weight, points=points)
    coordinates, aside = _coordinates(table, layout)
    return assembled_clusters(
        {**_shared(table, layout), "cluster": pl.repeat("all", table.frame.height, eager=True)},
        np.column_stack(list(coordinates.values())),
        tuple(coordinates),
        name=name or source.stem,
        origin=table.path,
        where=table.where,
        remarks=aside,
    )


def _shared(table: NamedColumns, layout: _ColumnPlan) -> dict[str, pl.Series]:
    """What all clusterings of a file have in common: classes, weights, ids."""
    shared: dict[str, pl.Series] = {}
    if layout.truth is not None:
        shared["truth"] = _labels(table, layout.truth)
    if layout.weight is not None:
        shared["weight"] = table.numbers(layout.weight, "weight").cast(pl.Float64)
    if layout.item is not None:
        shared["item_id"] = ids_of(table.labels(layout.item), f"{table.path}: {layout.item}")
        _refuse_absent_ids(table, layout.item, shared["item_id"])
    return shared


def looks_like_clusters(value: object) -> bool:
    """Whether a file holds clusterings, by the names of its columns; False for anything else, readable or not.

    Standard input can be read only once: give it as a `Source`, which keeps what was read.

    >>> import io
    >>> looks_like_clusters(io.StringIO("id,cluster\\n1,a\\n")), looks_like_clusters(io.StringIO("truth,pred\\n1,1\\n"))
    (True, False)
    """
    if not isinstance(value, Source) and (not is_file(value) or value == "-"):
        return False
    try:
        head = head_of(Source.of(value))  # type: ignore[arg-type]  # a file, as said
        names = names_of(head) if head.numbered else []
    except AssayError:
        return False
    other = columns_of("run", names) or columns_of("qrels", names) or looks_like(names)
    return bool(_clusterings(names)) and not other


def _plan(
    path: str,
    names: Sequence[str],
    *,
    truth: str | None,
    cluster: Columns,
    item: str | None,
    weight: str | None,
    points: Sequence[str] | str | None,
) -> _ColumnPlan:
    """Say what each column is, from what the caller says and from names."""
    _refuse_twins(path, names if cluster is None else cluster)
    clusters = _clusterings(names) if cluster is None else _stated(cluster)
    features = [points] if isinstance(points, str) else list(points or ())
    features = [] if features == [REST] else features
    for column in (truth, item, weight, *clusters.values(), *features):
        if column is not None and column not in names:
            raise ParameterError(
                f"{path}: no column is called {column!r}: there are {listed(list(names))}{did_you_mean(column, names)}"
            )
    taken = {*clusters.values(), *features}
    free = [name for name in names if name not in taken]
    truth = truth or _exact(free, TRUTH)
    free = [name for name in free if name != truth]
    item, weight = item or _exact(free, ITEM), weight or _exact(free, WEIGHT)
    if twice := next((name for name in (truth, item, weight) if name in clusters.values()), None):
        raise ParameterError(f"{path}: the column {twice!r} cannot be a clustering and something else")
    if twice := next(iter({*features} & {truth, item, weight, *clusters.values()}), None):
        raise ParameterError(f"{path}: the column {twice!r} cannot be a coordinate and something else")
    if twice := next((name for name, times in Counter(features).items() if times > 1), None):
        raise ParameterError(f"{path}: the column {twice!r} is named twice among the points")
    # A clustering is nobody's coordinate, whether or not it is measured here.
    others = {item, weight, *_clusterings(names).values()}
    maybe = tuple(name for name in free if name not in others) if points in (REST, [REST]) else ()
    return _ColumnPlan(truth, item, weight, clusters, tuple(features), maybe, points is not None)


def _clusterings(names: Sequence[str]) -> dict[str | None, str]:
    """Columns that hold clusters, by the name of the clustering."""
    columns: dict[str | None, str] = {}
    if (plain := _exact(names, CLUSTER)) is not None:
        columns[None] = plain
    for column in names:
        rest = _named(column)
        if rest != column and folded_name(column) not in CLUSTER:
            columns.setdefault(rest, column)
    return columns


def _refuse_twins(path: str, columns: Columns) -> None:
    """Refuse two columns of clusters that are called the same, as `cluster_a` and `cluster:a` are."""
    seen: dict[str, str] = {}
    for column in () if columns is None or isinstance(columns, str | Mapping) else columns:
        name = _named(column)
        if name != column and seen.setdefault(name, column) != column:
            raise ParameterError(f"{path}: {seen[name]!r} and {column!r} are both the clustering {name!r}")


def _named(column: str) -> str:
    """What follows the word cluster in the name of a column; else the whole name."""
    for stem in _STEMS:
        for mark in _MARKS:
            if column.casefold().startswith(stem + mark) and len(column) > len(stem) + 1:
                return column[len(stem) + 1 :]
    return column


def _stated(cluster: Columns) -> dict[str | None, str]:
    if isinstance(cluster, str):
        return {None: cluster}
    if isinstance(cluster, Mapping):
        return dict(cluster.items())
    return {_named(column): column for column in cluster or ()}


def _exact(names: Sequence[str], known: Sequence[str]) -> str | None:
    folded = {folded_name(name): name for name in reversed(names)}
    return next((folded[name] for name in known if name in folded), None)


def _labels(table: NamedColumns, column: str) -> pl.Series:
    """Labels of one column; cells of text are numbers only if all of them are."""
    values = table.labels(column)
    if isinstance(values.dtype, pl.List):
        raise FormatError(table.path, None, expected=f"one label an item in {column}", got="lists of them")
    return as_whole([values])[0] if table.exact is None else values


def _refuse_absent_ids(table: NamedColumns, column: str, ids: pl.Series) -> None:
    if ids.null_count():
        path, line = table.where(int(ids.is_null().arg_max() or 0))
        raise FormatError(path, line, expected=f"the id of an item in {column}", got="")


def _coordinates(table: NamedColumns, layout: _ColumnPlan) -> tuple[dict[str, pl.Series], tuple[str, ...]]:
    """The columns that make the points, and what is said of those that hold no numbers."""
    numeric = [column for column in layout.maybe if _has_numbers(table.frame[column])]
    if layout.wanted and not numeric and not layout.points:
        raise FormatError(
            table.path, 1, expected="columns of numbers as points", got=listed(list(layout.maybe)) or "none"
        )
    coordinates = {}
    for column in (*layout.points, *numeric):
        values = table.numbers(column, "a coordinate").cast(pl.Float64)
        if values.null_count():
            path, line = table.where(int(values.is_null().arg_max() or 0))
            raise FormatError(path, line, expected=f"a number in {column}, as a coordinate", got="")
        coordinates[column] = values
    aside = [column for column in layout.maybe if column not in numeric]
    remark = f"{table.path}: no numbers, and so no coordinates: {listed(aside)}"
    return coordinates, (remark,) if aside else ()


def _has_numbers(values: pl.Series) -> bool:
    """Whether any cell is a number: a column of text is no coordinate, one with a wrong cell is an error."""
    if values.dtype == pl.String:
        return values.str.strip_chars().cast(pl.Float64, strict=False).is_not_null().any()
    return values.dtype.is_numeric()


DOCUMENT_SHAPE = "a table with the columns `doc_id` and `cluster`, and `query_id` if each query has clusters of its own"
_TEXT = {"query_id": pl.String, "doc_id": pl.String, "cluster": pl.String}


def read_document_clusters(readable: Any) -> pl.DataFrame:
    """Read `doc_id, cluster`, and `query_id` if there is one; from a file, a frame, a dict of clusters, or of such.

    In a dict or a frame, a document whose cluster is None or NaN is in none.

    >>> read_document_clusters({"d1": 0, "d2": 1}).rows()
    [('d1', '0'), ('d2', '1')]
    >>> read_document_clusters({"q1": {"d1": "a"}}).rows()
    [('q1', 'd1', 'a')]
    """
    if isinstance(readable, Mapping):
        return _checked(_of_dict(readable), "clusters")
    if hasattr(readable, "__arrow_c_stream__"):  # a table of Polars, pandas or Arrow
        readable = pl.DataFrame(readable)
        names = [name for name in _TEXT if name in readable.columns]
        if names[-2:] != ["doc_id", "cluster"]:
            raise InputError(f"clusters: expected the columns doc_id and cluster, got {', '.join(readable.columns)}")
        known = readable.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))
        return _checked(known.select(pl.col(name).cast(pl.String) for name in names), "clusters")
    if not isinstance(readable, Source) and not is_file(readable):
        raise ParameterError(f"expected a file of clusters of documents, or a dict, not {type(readable).__name__}")
    source = Source.of(readable)
    table = read_named_columns(source, DOCUMENT_SHAPE)
    header = table.frame.columns
    folded = {folded_name(name): name for name in reversed(header)}
    cluster = next((folded[name] for name in CLUSTER if name in folded), None)
    document = called("doc_id", header) or next((folded[name] for name in ("item_id", "id") if name in folded), None)
    if cluster is None or document is None:
        raise FormatError(source.name, 1, expected=DOCUMENT_SHAPE, got=", ".join(header))
    query = called("query_id", header)
    columns = {} if query is None else {"query_id": table.labels(query).cast(pl.String)}
    columns |= {"doc_id": table.labels(document).cast(pl.String), "cluster": table.labels(cluster).cast(pl.String)}
    frame = pl.DataFrame(columns)
    absent = frame.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if absent.any():
        path, line = table.where(int(absent.arg_max() or 0))
        raise FormatError(path, line, expected="a document and its cluster", got="an empty cell")
    return _checked(frame, source.name)


def _of_dict(clusters: Mapping[Any, Any]) -> pl.DataFrame:
    if any(isinstance(value, Mapping) for value in clusters.values()):
        if alone := [doc for doc, documents in clusters.items() if not isinstance(documents, Mapping)]:
            raise InputError(f"clusters: expected documents, by query or without, not both: {alone[0]!r} has no query")
        rows = [
            (str(query), str(doc), _label(label))
            for query, documents in clusters.items()
            for doc, label in documents.items()
        ]
        return pl.DataFrame(rows, schema=_TEXT, orient="row")
    rows_of_all = [(str(doc), _label(label)) for doc, label in clusters.items()]
    return pl.DataFrame(rows_of_all, schema={name: _TEXT[name] for name in ("doc_id", "cluster")}, orient="row")


def _label(value: Any) -> str | None:
    return None if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)


def _checked(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Refuse no documents, and a document that is in two clusters; leave out those that are in none."""
    frame = frame.drop_nulls("cluster")
    if frame.is_empty():
        raise InputError(f"{name}: expected documents and their clusters, got none")
    distinct = frame.unique(maintain_order=True)
    keys = [column for column in ("query_id", "doc_id") if column in distinct.columns]
    twice = distinct.filter(pl.struct(keys).is_duplicated())
    if twice.height:
        first = twice.row(0, named=True)
        clusters = twice.filter(pl.all_horizontal(pl.col(key) == first[key] for key in keys))["cluster"].to_list()
        of = f" of query {first['query_id']!r}" if "query_id" in first else ""
        raise InputError(
            f"{name}: document {first['doc_id']!r}{of} is in cluster {clusters[0]!r} and in {clusters[1]!r}: "
            "expected one cluster a document"
        )
    return distinct
