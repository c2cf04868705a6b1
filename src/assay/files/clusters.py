"""Files of clusterings: one row per item, with its cluster (one or several), its class and its point, if known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import FormatError, InputError, ParameterError, listed
from assay.files.named_columns import as_whole, chosen, named_columns, refuse_absent
from assay.files.predictions import Columns
from assay.files.sources import Readable, Source, is_file
from assay.tables.clusters import Clusters, assembled_clusters
from assay.tables.label_columns import ids_of
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import CLASS, CLUSTER, ITEM, WEIGHT, absent, find, is_frame, suffix, suffixed

#: Stands for all columns that hold numbers and are nothing else.
REST = "rest"


def read_clusters(
    given: Readable | Source | Any,
    *,
    truth: str | None = None,
    cluster: Columns = None,
    item: str | None = None,
    weight: str | None = None,
    points: Sequence[str] | str | None = None,
    systems: Sequence[str] | None = None,
    name: str | None = None,
) -> list[Clusters]:
    """Read clusterings from CSV, TSV, JSON, JSONL, Parquet, Arrow or a data frame: one table each.

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
    table = named_columns(given, "clusters")
    clusters = _clusterings(table.frame.columns) if cluster is None else _stated(cluster)
    _refuse_twins(table.path, table.frame.columns if cluster is None else cluster)
    if not clusters:
        raise absent("clusters", table.frame.columns, table.path, 1)
    tables = _tables(table, clusters, {"truth": truth, "item_id": item, "weight": weight}, points, name)
    return tables if systems is None else chosen(tables, systems, table.path, "clustering")


def read_points(
    readable: Readable | Source, *, points: Sequence[str] | str, truth: str | None = None, item: str | None = None,
    weight: str | None = None, name: str | None = None,
) -> Clusters:  # fmt: skip
    """Read points that are in no clusters yet, all in one cluster `all`; columns are those of `read_clusters`.

    >>> import io
    >>> read_points(io.StringIO("id,x,y\\na,1,2\\nb,3,4\\n"), points="rest").points.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    table = named_columns(readable, "clusters")
    return _tables(table, {}, {"truth": truth, "item_id": item, "weight": weight}, points, name)[0]


def _tables(
    table: NamedColumns, clusters: Mapping[str | None, str], stated: Mapping[str, str | None],
    points: Sequence[str] | str | None, name: str | None,
) -> list[Clusters]:  # fmt: skip
    """The clusterings of a table by their columns; without any, all items in one cluster."""
    coordinates, roles, remarks = _coordinates(table, clusters, stated, points)
    shared = {}
    if "truth" in roles:
        shared["truth"] = _labels(table, roles["truth"])
    if "weight" in roles:
        shared["weight"] = table.numbers(roles["weight"], "weight").cast(pl.Float64)
    if "item_id" in roles:
        shared["item_id"] = table.texts(roles["item_id"], f"the id of an item in {roles['item_id']}")
    labels: dict[str | None, pl.Series] = {system: _labels(table, column) for system, column in clusters.items()}
    return [
        assembled_clusters(
            {**shared, "cluster": cluster},
            np.column_stack(list(coordinates.values())) if coordinates else None,
            tuple(coordinates),
            name=system or name or table.stem,
            origin=table.path,
            where=table.where,
            remarks=remarks,
        )
        for system, cluster in (labels or {None: pl.repeat("all", table.frame.height, eager=True)}).items()
    ]


def _clusterings(names: Sequence[str]) -> dict[str | None, str]:
    """Columns that hold clusters, by the name of the clustering."""
    plain = find(CLUSTER, names)
    columns: dict[str | None, str] = {} if plain is None else {None: plain}
    columns.update(suffixed(names, CLUSTER))
    return columns


def _stated(cluster: Columns) -> dict[str | None, str]:
    if isinstance(cluster, str):
        return {None: cluster}
    if isinstance(cluster, Mapping):
        return dict(cluster.items())
    return {suffix(column, CLUSTER): column for column in cluster or ()}


def _refuse_twins(path: str, columns: Columns) -> None:
    """Refuse two columns of clusters that are called the same, as `cluster_a` and `cluster:a` are."""
    seen: dict[str, str] = {}
    for column in () if columns is None or isinstance(columns, str | Mapping) else columns:
        name = suffix(column, CLUSTER)
        if name != column and seen.setdefault(name, column) != column:
            raise ParameterError(f"{path}: {seen[name]!r} and {column!r} are both the clustering {name!r}")


def _labels(table: NamedColumns, column: str) -> pl.Series:
    """Labels of one column; cells of text are numbers only if all of them are."""
    values = table.labels(column)
    if isinstance(values.dtype, pl.List):
        raise FormatError(table.path, None, expected=f"one label per item in {column}", got="lists of them")
    return as_whole([values])[0] if table.exact is None else values


def _coordinates(
    table: NamedColumns, clusters: Mapping[str | None, str], stated: Mapping[str, str | None],
    points: Sequence[str] | str | None,
) -> tuple[dict[str, pl.Series], dict[str, str], tuple[str, ...]]:  # fmt: skip
    """The columns that make the points; those that are something else, by role; what is said of the others."""
    path = table.path
    names = table.frame.columns
    features = [points] if isinstance(points, str) else list(points or ())
    is_rest = features == [REST]
    features = [] if is_rest else features
    refuse_absent(path, names, (*stated.values(), *clusters.values(), *features))
    free = [name for name in names if name not in {*clusters.values(), *features}]
    roles: dict[str, str] = {}
    for role in (CLASS, ITEM, WEIGHT):
        if column := stated[role.name] or find(role, [name for name in free if name != roles.get("truth")]):
            roles[role.name] = column
    taken = {*roles.values()}
    if twice := next((name for name in roles.values() if name in clusters.values()), None):
        raise ParameterError(f"{path}: the column {twice!r} cannot be a clustering and something else")
    if twice := next(iter({*features} & {*taken, *clusters.values()}), None):
        raise ParameterError(f"{path}: the column {twice!r} cannot be a coordinate and something else")
    # A clustering is nobody's coordinate, whether or not it is measured here.
    others = {*taken, *_clusterings(names).values()}
    maybe = [name for name in free if name not in others] if is_rest else []
    numeric = [column for column in maybe if _has_numbers(table.frame[column])]
    if points is not None and not numeric and not features:
        raise FormatError(path, 1, expected="columns of numbers as points", got=listed(maybe) or "none")
    coordinates = {}
    for column in (*features, *numeric):
        coordinates[column] = table.numbers(column, "a coordinate").cast(pl.Float64)
        table.refuse(coordinates[column].is_null(), f"a number in {column}, as a coordinate")
    aside = [column for column in maybe if column not in numeric]
    remark = f"{path}: no numbers, and so no coordinates: {listed(aside)}"
    return coordinates, roles, (remark,) if aside else ()


def _has_numbers(values: pl.Series) -> bool:
    """True if any cell is a number: a column of text is no coordinate, one with a wrong cell is an error."""
    if values.dtype == pl.String:
        return values.str.strip_chars().cast(pl.Float64, strict=False).is_not_null().any()
    return values.dtype.is_numeric()


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
    in_file = is_file(readable)
    if not in_file and not is_frame(readable):
        raise ParameterError(f"expected a file of clusters of documents, or a dict, got {type(readable).__name__}")
    table = named_columns(readable, "clustered documents")
    columns = table.roles("clustered documents")
    frame = pl.DataFrame({ours: ids_of(table.labels(name), name) for ours, name in columns.items()})
    nothing = frame.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if in_file:
        table.refuse(nothing, "a document and its cluster")
    return _checked(frame, table.path)


def _of_dict(clusters: Mapping[Any, Any]) -> pl.DataFrame:
    alone = [key for key, documents in clusters.items() if not isinstance(documents, Mapping)]
    if alone and len(alone) < len(clusters):
        raise InputError(f"clusters: expected documents, by query or without, not both: {alone[0]!r} has no query")
    queries = {"": clusters} if alone else clusters
    rows = [
        (str(query), str(doc), None if label is None or label != label else str(label))  # noqa: PLR0124  # NaN
        for query, documents in queries.items()
        for doc, label in documents.items()
    ]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(("query_id", "doc_id", "cluster"), pl.String), orient="row")
    return frame.drop("query_id") if alone else frame


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
            "expected one cluster per document"
        )
    return distinct
