"""JSON: dicts of dicts, and tables of objects.

`{query: {document: number}}` is a run or judgments. One object a line, or a list of objects, is a table whose keys are
its columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import polars as pl

from assay.core.errors import EmptyFileError, FormatError, InputError
from assay.files.headers import KINDS, columns_of, line_of, shape_of, table_of
from assay.files.json_values import fast_table, keys_of, loaded, nowhere, records
from assay.files.registry import Head, Kind, Loaded, named, register
from assay.files.sources import Source
from assay.tables import Qrels, Run

_SHAPE = "`{query_id: {doc_id: number}}`"
_KEY = r'"[^"\\]*+(?:\\.[^"\\]*+)*+":'
# White space aside: an object whose values are objects, of which the first that holds anything holds a number.
_DICTS = re.compile(rf"\{{(?:{_KEY}\{{\}},)*+(?:{_KEY}\{{{_KEY}[-0-9NI]|(?:{_KEY}\{{\}})?\}}\Z)")
_WHOLE = range(-(1 << 63), 1 << 63)


# Dicts of dicts.


def _dicts(kind: Kind, source: Source, name: str) -> Any:
    data = loaded(source)
    if not isinstance(data, dict):
        raise FormatError(source.name, None, expected=_SHAPE, got=type(data).__name__)
    try:
        frame = (Run.of(data, name) if kind == "run" else Qrels.of(data, name)).frame
    except InputError as problem:
        raise FormatError(source.name, None, expected=_SHAPE, note=str(problem)) from problem
    if not frame.height:
        raise EmptyFileError(source.name, _SHAPE)
    if "" in data or (frame["doc_id"] == "").any():
        raise FormatError(source.name, None, expected=_SHAPE, note="an id is empty")
    locate = partial(nowhere, source)
    return Run(frame, name, "JSON", locate=locate) if kind == "run" else Loaded(frame, locate, title="JSON")


def _is_dicts(head: Head) -> bool:
    return _DICTS.match("".join(head.text.split())) is not None


# Tables: one object a line, or a list of objects.


def _table(kind: Kind, source: Source, name: str) -> Any:
    data = source.read()
    frame = _fast(kind, data)
    if frame is None:
        frame = _slow(source, data)
    del data
    columns = columns_of(kind, frame.columns)
    if columns is None:
        raise FormatError(source.name, None, expected=f"objects {shape_of(kind)}", got=", ".join(frame.columns))
    return table_of(kind, frame, columns, name=name, title="JSONL", locate=partial(_locate, source, columns))


def _fast(kind: Kind, data: bytes) -> pl.DataFrame | None:
    """Let Polars parse; None if it cannot, or if an id may have been a list, which Polars writes as text."""
    # To look at all lines for the types of columns takes longer than to read them: those of a run are known.
    frame = fast_table(data, _types(data) if kind == "run" else None)
    columns = None if frame is None else columns_of(kind, frame.columns)
    if frame is None or columns is None or not frame.height:
        return None
    ids = [frame[theirs] for ours, theirs in columns.items() if ours.endswith("_id")]
    return None if any(_were_others(values) for values in ids) else frame


def _types(data: bytes) -> dict[str, pl.DataType] | None:
    """The columns of a run, from its first line; None if that has something other than texts as ids."""
    start = data.lstrip()[: 1 << 16].splitlines()
    try:
        first = json.loads(start[0]) if start else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(first, dict):
        return None
    columns = columns_of("run", list(first))
    if columns is None or not all(isinstance(first[columns[key]], str) for key in ("query_id", "doc_id")):
        return None
    return {theirs: pl.String() if ours.endswith("_id") else pl.Float64() for ours, theirs in columns.items()}


def _were_others(values: pl.Series) -> bool:
    """Whether ids may have been lists, or numbers too long, before they became text among texts."""
    return values.dtype == pl.String and values.str.contains(r"^[\[{]|^-?[0-9]+\.?[0-9]*[eE.][-+0-9]*$").any()


def _slow(source: Source, data: bytes) -> pl.DataFrame:
    rows = [record for _, record in records(source, data)]
    if not rows:
        raise EmptyFileError(source.name, "JSON objects")
    names = keys_of(source, rows)
    return pl.DataFrame({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pl.Series:
    """Numbers as numbers, numbers among texts as text; what is neither is nothing."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pl.Series(values, dtype=pl.Boolean)
    if kinds == {int} and all(value is None or value in _WHOLE for value in values):
        return pl.Series(values, dtype=pl.Int64)
    if kinds == {float}:
        return pl.Series(values, dtype=pl.Float64)
    return pl.Series([_as_text(value) for value in values], dtype=pl.String)


def _as_text(value: Any) -> str | None:
    return value if isinstance(value, str) else repr(value) if type(value) in {int, float} else None


def _locate(
    source: Source, columns: Mapping[str, str], row: int | None = None, **wanted: str
) -> tuple[str, int | None]:
    if row is None and not wanted:
        return source.name, None
    return source.name, line_of(records(source), columns, row, wanted)


def _is_table(kind: Kind, head: Head) -> bool:
    first = head.first_object
    return first is not None and columns_of(kind, list(first)) is not None


for _kind in KINDS[:2]:
    register(f"json-{_kind}", _kind, f"JSON of {named(_kind)}", _SHAPE, partial(_dicts, _kind))(_is_dicts)
for _kind in KINDS:
    register(f"jsonl-{_kind}", _kind, f"JSONL of {named(_kind)}", shape_of(_kind), partial(_table, _kind))(
        partial(_is_table, _kind)
    )
