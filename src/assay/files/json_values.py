"""JSON as values, and where each stands; what Polars prints on broken files is kept from people's eyes."""

from __future__ import annotations

import json
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import polars as pl

from assay.core.errors import FormatError, quote
from assay.files.sources import Source

_STDERR = 2

_one_at_a_time = threading.RLock()


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Keep what a panic prints before an error off stderr; whatever else is printed meanwhile comes after.

    >>> with quiet_panics():
    ...     pass
    """
    with _one_at_a_time, ExitStack() as opened:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # it is closed: nothing will be seen anyway
            yield
            return
        try:
            printed = opened.enter_context(tempfile.TemporaryFile())
        except OSError:  # nothing can be written anywhere: better noise than no result
            os.close(stderr)
            yield
            return
        os.dup2(printed.fileno(), _STDERR)
        refused = False
        try:
            yield
        except BaseException:  # a thread of Polars may panic, and the call raise something else
            refused = True
            raise
        finally:
            os.dup2(stderr, _STDERR)
            os.close(stderr)
            printed.seek(0)
            text = printed.read()
            if refused:  # what stands before the panic is somebody else's
                text = text.partition(b"\nthread '")[0]
            if text:
                with suppress(OSError):  # what others print is no reason to fail
                    os.write(_STDERR, text)


# Half of a surrogate pair, escaped or (which Python's reader lets pass) in bytes.
_LONE_SURROGATE = re.compile(
    rb"\xed[\xa0-\xbf]|\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|[c-fC-F](?<!\\u[dD][89abAB]..\\u[dD].))"
)

#: So many lines tell whether objects have the same keys; longer ones than this are not looked at.
_LOOKED_AT, _LONG_LINE = 400, 1 << 14
#: Objects with more keys than this should have them in common: of so many cells, one at least should be filled.
_MANY_KEYS, _MOSTLY_EMPTY = 200, 200
#: Where, of so many cells of the lines that are looked at, fewer than one is filled, all lines are gone through.
_HARDLY_FILLED = 20


def loaded(source: Source, data: bytes | None = None) -> Any:
    """The whole file as one JSON value; a key that comes twice in an object is refused, for one would be lost."""
    data = source.read() if data is None else data
    try:
        return _written(source, data, json.loads(data, object_pairs_hook=partial(_unique, source)))
    except json.JSONDecodeError as problem:
        raise FormatError(source.name, problem.lineno, expected="JSON", note=problem.msg) from problem
    except RecursionError as problem:
        raise FormatError(source.name, None, expected="JSON", note="it is nested too deeply") from problem
    except UnicodeDecodeError as problem:
        wrong = f"byte {problem.start + 1:,} is {problem.object[problem.start]:#04x}"
        raise FormatError(source.name, None, expected="text in UTF-8", note=wrong) from problem
    except FormatError:
        raise
    except ValueError as problem:  # a number of thousands of digits
        raise FormatError(source.name, None, expected="JSON", note=str(problem)) from problem


def _unique(source: Source, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise FormatError(source.name, None, expected="each key once in an object", got=key)
        fields[key] = value
    return fields


def fast_table(data: bytes) -> pl.DataFrame | None:
    """One object a line as a table, by Polars; None if it cannot, and for texts that no UTF-8 can write."""
    # Polars takes what starts like a compressed file for one, so that data have to start like an object.
    if not data[:1024].lstrip().startswith(b"{") or _LONE_SURROGATE.search(data) or _are_scattered(data):
        return None
    try:
        with quiet_panics():
            return pl.read_ndjson(data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, ValueError, pl.exceptions.PanicException):
        return None


def fast_object_lines(data: bytes, schema: Mapping[str, Any]) -> pl.DataFrame | None:
    """One object a line in the columns of a schema, one row per line; None where a line is none, or does not fit.

    >>> fast_object_lines(b'{"a": 1, "b": 2}\\n', {"a": pl.String}).rows()
    [('1',)]
    """
    if data.lstrip()[:1] != b"{" or _LONE_SURROGATE.search(data):
        return None
    try:
        with quiet_panics():
            frame = pl.read_ndjson(data, schema=dict(schema))
    except (pl.exceptions.PolarsError, ValueError, pl.exceptions.PanicException):
        return None
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return frame if frame.height == lines else None


def object_lines(
    data: bytes, line: int, schema: Mapping[str, Any], refuse: Callable[[int, str, str], None]
) -> pl.DataFrame:
    """One object a line in the columns of a schema (text, lists and objects of text), with the line as `row`.

    What is no object is refused, by its line, with what was expected and what came; where that does not raise, the
    line is left out. A value that is of another kind than the schema has it is null.

    >>> object_lines(b'{"a": 1}\\n[]\\n', 1, {"a": pl.String}, lambda line, expected, got: None).rows()
    [(1, '1')]
    """
    frame = fast_object_lines(data, schema)
    if frame is not None:
        return frame.select(pl.int_range(line, line + pl.len(), dtype=pl.Int64).alias("row"), pl.all())
    rows = []
    for number, text in enumerate(data.split(b"\n"), line):
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            rows.append({"row": number, **{name: _fitting(record.get(name), kind) for name, kind in schema.items()}})
        else:
            refuse(number, "a JSON object", text[:200].decode(errors="replace"))
    return pl.DataFrame(rows, schema={"row": pl.Int64, **schema}, orient="row")


def _fitting(value: Any, kind: Any) -> Any:
    """A value as a type of text, lists and objects has it; null where it is something else."""
    if isinstance(kind, pl.Struct):
        held = value if isinstance(value, dict) else {}
        return {field.name: _fitting(held.get(field.name), field.dtype) for field in kind.fields}
    if isinstance(kind, pl.List):
        return [_fitting(each, pl.String) for each in value] if isinstance(value, list) else None
    if value is None or isinstance(value, dict | list):
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode(errors="replace").decode()


def _are_scattered(data: bytes) -> bool:
    """Whether lines, looked at here and there, have hardly a key in common: most cells of a table would be empty."""
    keys: set[str] = set()
    lines = held = ends = 0
    for place in range(0, len(data), max(1, len(data) // _LOOKED_AT)):
        if place < ends:
            continue
        start = data.rfind(b"\n", 0, place) + 1
        ends = data.find(b"\n", place) + 1 or len(data)
        try:
            record = json.loads(data[start:ends]) if ends - start < _LONG_LINE else None
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            lines, held = lines + 1, held + len(record)
            keys.update(record)
    return len(keys) > _MANY_KEYS and len(keys) * lines > _HARDLY_FILLED * held


def keys_of(source: Source, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """All keys of some objects, which become columns; refused where that would be a table of empty cells."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if len(keys) > _MANY_KEYS and len(keys) * len(rows) > _MOSTLY_EMPTY * sum(map(len, rows)):
        note = f"{len(rows):,} objects have {len(keys):,} different ones"
        raise FormatError(source.name, None, expected="objects with the same keys", note=note)
    return keys


def _written(source: Source, data: bytes, value: Any, line: int | None = None) -> Any:
    """The value, if all its texts can be written in UTF-8: half of a surrogate pair cannot."""
    if _LONE_SURROGATE.search(data):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as problem:
            odd = quote(str(problem.object)[problem.start : problem.end])
            raise FormatError(source.name, line, expected="text that UTF-8 can write", note=odd) from problem
    return value


def records(source: Source, data: bytes | None = None) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The objects of the file, with their lines (None in a list)."""
    data = source.read() if data is None else data
    for number, record in _values(source, data):
        if not isinstance(record, dict):
            raise FormatError(source.name, number, expected="a JSON object", got=json.dumps(record))
        yield number, record


def _values(source: Source, data: bytes) -> Iterator[tuple[int | None, Any]]:
    if is_list(data):
        content = loaded(source, data)
        yield from ((None, value) for value in (content if isinstance(content, list) else [content]))
        return
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as problem:
                got = line.decode(errors="replace")
                raise FormatError(source.name, number, expected="a JSON object", got=got) from problem
            yield number, _written(source, line, value, number)


def is_list(data: bytes) -> bool:
    """Whether the file is one list, and not one object a line."""
    return data[:1024].lstrip().startswith(b"[")
