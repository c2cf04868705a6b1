"""JSON as values, and where each stands; what Polars prints on broken files is kept from people's eyes."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
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


def _has_lone_surrogate(data: bytes) -> bool:
    may = any(start in data for start in (b"\xed", b"\\ud", b"\\uD"))
    return may and _LONE_SURROGATE.search(data) is not None


#: So many lines tell whether objects have the same keys; longer ones than this are not looked at.
_LOOKED_AT, _LONG_LINE = 400, 1 << 14
#: Objects with more keys than this should have them in common: of so many cells, one at least should be filled.
_MANY_KEYS, _MOSTLY_EMPTY = 200, 200
#: Where, of so many cells of the lines that are looked at, fewer than one is filled, all lines are gone through.
_HARDLY_FILLED = 20


#: So many bytes are read line by line, where one of their lines cannot be read otherwise.
_CAREFUL_BYTES = 1 << 17
#: Longer whole numbers have no type.
_LONGEST_WHOLE = 38
#: Names that JSON writes in one way only, unless it escapes what it need not.
_PLAIN_NAME = re.compile(r"[\w .-]+", re.ASCII)
_ESCAPED_NAME = re.compile(rb"\\u00[2-7]")


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
    """One object per line as a table, by Polars; None if it cannot, and for texts that no UTF-8 can write."""
    # Polars takes what starts like a compressed file for one, so that data have to start like an object.
    if not data[:1024].lstrip().startswith(b"{") or _has_lone_surrogate(data) or _are_scattered(data):
        return None
    try:
        with quiet_panics():
            return pl.read_ndjson(data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, ValueError, pl.exceptions.PanicException):
        return None


def object_lines(
    data: bytes, line: int, schema: Mapping[str, Any], refuse: Callable[[int, str, str], None]
) -> pl.DataFrame:
    """One object per line in the columns of a schema (text, lists and objects of text), with the line as `row`.

    What is no object, or has no list where the schema has one, is refused, by its line, with what was expected and what
    came; where that does not raise, the line is left out. What is no object where the schema has one is null; what is
    no text is JSON. Fields of objects may be left out if no line has them.

    >>> object_lines(b'{"a": 1}\\n[]\\n', 1, {"a": pl.String}, lambda line, expected, got: None).rows()
    [(1, '1')]
    """
    frame = _fast_object_lines(data, line, _occurring(data, schema))
    if frame is not None:
        return frame.with_columns(pl.lit(None, schema[name]).alias(name) for name in schema if name not in frame)
    frames = [pl.DataFrame(schema={"row": pl.Int64, **schema})]
    while data:
        end = data.find(b"\n", _CAREFUL_BYTES) + 1 or len(data)
        piece, data = data[:end], data[end:]
        frame = _fast_object_lines(piece, line, schema)
        frames.append(_careful_object_lines(piece, line, schema, refuse) if frame is None else frame)
        line += piece.count(b"\n")
    return pl.concat(frames)


def _fast_object_lines(data: bytes, line: int, schema: Mapping[str, Any]) -> pl.DataFrame | None:
    """Objects as Polars reads them, one row per line; None where a line is no object, or does not fit."""
    if data.lstrip()[:1] != b"{" or _has_lone_surrogate(data):
        return None
    try:
        with quiet_panics():
            frame = pl.read_ndjson(data, schema=dict(schema))
    except (pl.exceptions.PolarsError, ValueError, pl.exceptions.PanicException):
        return None
    if frame.height != data.count(b"\n") + (not data.endswith(b"\n")):
        return None
    return frame.select(pl.int_range(line, line + pl.len(), dtype=pl.Int64).alias("row"), pl.all())


def _careful_object_lines(
    data: bytes, line: int, schema: Mapping[str, Any], refuse: Callable[[int, str, str], None]
) -> pl.DataFrame:
    """Objects line by line: what is none is refused, what does not fit is null, and Polars reads what is left."""
    kind = pl.Struct(schema)
    lists = [name for name, each in schema.items() if isinstance(each, pl.List)]
    numbers, texts = [], []
    for number, text in enumerate(data.split(b"\n"), line):
        if not text.strip():
            continue
        try:
            record = json.loads(text, **_AS_POLARS)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            refuse(number, "a JSON object", text[:200].decode(errors="replace"))
        elif odd := [name for name in lists if not isinstance(record.get(name), list | None)]:
            refuse(number, f"a list as {odd[0]}", json.dumps(record[odd[0]], ensure_ascii=False)[:200])
        else:
            numbers.append(number)
            texts.append(json.dumps(_fitting(record, kind), ensure_ascii=False))
    frame = pl.read_ndjson("\n".join(texts).encode(errors="replace"), schema=dict(schema))
    return frame.select(pl.Series("row", numbers, pl.Int64), pl.all())


def _fitting(value: Any, kind: Any) -> Any:
    """A value in which objects stand where a type has them; null where something else does."""
    if not isinstance(kind, pl.Struct):
        return value
    is_object = isinstance(value, dict)
    return {each.name: _fitting(value.get(each.name), each.dtype) for each in kind.fields} if is_object else None


def _whole(text: str) -> int | str:
    number = int(text)
    return number if len(text) <= _LONGEST_WHOLE else str(number)


def _real(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else json.dumps(number)


class _Object(dict[str, Any]):
    """As Polars has it: of a key that comes twice the first counts, and as text the object has both."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(reversed(pairs))
        self.pairs = pairs

    def items(self) -> Any:
        return self.pairs


#: What is no number to Polars is text.
_AS_POLARS: dict[str, Any] = {
    "object_pairs_hook": _Object, "parse_int": _whole, "parse_float": _real, "parse_constant": str,
}  # fmt: skip


def _occurring(data: bytes, schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without what no line has: to look for each field in each line takes longer than to read the line."""
    if _ESCAPED_NAME.search(data):
        return dict(schema)
    plain = {name for name in _names(schema) if _PLAIN_NAME.fullmatch(name)}
    rare = [f'"{name}"' for name in plain if f'"{name}"'.encode() not in data[:_CAREFUL_BYTES]]
    text = pl.Series([data.decode(errors="replace")])
    found = text.str.extract_many(pl.Series(rare, dtype=pl.String).implode()).explode()
    return _without(schema, {name.strip('"') for name in {*rare} - {*found}})


def _names(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, kind in schema.items():
        yield name
        if isinstance(kind, pl.Struct):
            yield from _names(kind.to_schema())


def _without(schema: Mapping[str, Any], absent: Set[str]) -> dict[str, Any]:
    left = {}
    for name, kind in schema.items():
        fields = _without(kind.to_schema(), absent) if isinstance(kind, pl.Struct) else None
        if name not in absent and fields != {}:
            left[name] = kind if fields is None else pl.Struct(fields)
    return left


def _are_scattered(data: bytes) -> bool:
    """True if lines, looked at here and there, have hardly a key in common: most cells of a table would be empty."""
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
    if _has_lone_surrogate(data):
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
    if data[:1024].lstrip().startswith(b"["):  # one list, and not one object per line
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
