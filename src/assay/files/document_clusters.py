"""Which cluster each document is in: for all queries, or for each query its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from assay.core.errors import FormatError, InputError, ParameterError
from assay.files.clusters import CLUSTER
from assay.files.headers import called, folded_name
from assay.files.named_columns import read_named_columns
from assay.files.sources import Source, is_file

SHAPE = "a table with the columns `doc_id` and `cluster`, and `query_id` if each query has clusters of its own"
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
    table = read_named_columns(source, SHAPE)
    header = table.frame.columns
    folded = {folded_name(name): name for name in reversed(header)}
    cluster = next((folded[name] for name in CLUSTER if name in folded), None)
    document = called("doc_id", header) or next((folded[name] for name in ("item_id", "id") if name in folded), None)
    if cluster is None or document is None:
        raise FormatError(source.name, 1, expected=SHAPE, got=", ".join(header))
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
