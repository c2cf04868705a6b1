"""JSON that is one dict of dicts: `{query: {document: number}}` is a run or judgments."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from assay.core.errors import EmptyFileError, FormatError, InputError
from assay.files.json_values import loaded
from assay.files.registry import Head, Kind, Loaded, named, register
from assay.files.sources import Source
from assay.tables import Qrels, Run

_SHAPE = "`{query_id: {doc_id: number}}`"
_KEY = r'"[^"\\]*+(?:\\.[^"\\]*+)*+":'
# White space aside: an object whose values are objects, of which the first that holds anything holds a number.
_DICTS = re.compile(rf"\{{(?:{_KEY}\{{\}},)*+(?:{_KEY}\{{{_KEY}[-0-9NI]|(?:{_KEY}\{{\}})?\}}\Z)")
_KINDS: tuple[Kind, ...] = ("run", "qrels")


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
    return Run(frame, name, "JSON", origin=source.name) if kind == "run" else Loaded(frame, title="JSON")


def _is_dicts(head: Head) -> bool:
    return _DICTS.match("".join(head.text.split())) is not None


for _kind in _KINDS:
    register(f"json-{_kind}", _kind, f"JSON of {named(_kind)}", _SHAPE, partial(_dicts, _kind))(_is_dicts)
