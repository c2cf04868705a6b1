"""Datasets by their ids in `ir_datasets`, as in `irds:vaswani`: qrels, topics or documents; the package is optional."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

import polars as pl

from assay.core.errors import InputError, need
from assay.files.headers import columns_of, table_of
from assay.files.registry import Kind, Loaded
from assay.tables import Documents, Topics

_PREFIX = "irds:"
_PARTS = {"qrels": "qrels", "topics": "queries", "documents": "docs"}


def is_dataset(value: object) -> TypeGuard[str]:
    """Tell ids of datasets from files.

    >>> is_dataset("irds:vaswani"), is_dataset("vaswani.qrels")
    (True, False)
    """
    return isinstance(value, str) and value.startswith(_PREFIX)


def loaded_qrels(dataset_id: str) -> Loaded:
    """The judgments of a dataset."""
    qrels: Loaded = _table("qrels", dataset_id)
    return qrels


def loaded_texts(kind: Kind, dataset_id: str) -> Topics | Documents:
    """The topics or the documents of a dataset."""
    texts: Topics | Documents = _table(kind, dataset_id)
    return texts


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
    return table_of(
        kind, frame, columns, name=dataset_id, title=f"ir_datasets {kind}", locate=lambda **_: (dataset_id, None)
    )


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
