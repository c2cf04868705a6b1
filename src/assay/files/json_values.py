"""Bytes -> JSON values: one value a file, or one object a line; what is no JSON is refused, with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from assay.errors import FormatError
from assay.files.registry import Head
from assay.files.sources import Source


def loaded(source: Source, data: bytes | None = None) -> Any:
    """The whole file as one JSON value; a key that comes twice in an object is refused, for one would be lost."""
    try:
        return json.loads(source.read() if data is None else data, object_pairs_hook=partial(_unique, source))
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
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise FormatError(source.name, None, expected="each key once in an object", got=key)
        made[key] = value
    return made


def records(source: Source, data: bytes | None = None) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The objects of the file, with their lines (None in a list)."""
    data = source.read() if data is None else data
    for number, record in _values(source, data):
        if not isinstance(record, dict):
            raise FormatError(source.name, number, expected="a JSON object", got=json.dumps(record))
        yield number, record


def _values(source: Source, data: bytes) -> Iterator[tuple[int | None, Any]]:
    if is_list(data):
        found = loaded(source, data)
        yield from ((None, value) for value in (found if isinstance(found, list) else [found]))
        return
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as problem:
                got = line.decode(errors="replace")
                raise FormatError(source.name, number, expected="a JSON object", got=got) from problem


def is_list(data: bytes) -> bool:
    """Whether the file is one list, and not one object a line."""
    return data[:1024].lstrip().startswith(b"[")


def nowhere(source: Source, **_wanted: Any) -> tuple[str, int | None]:
    """Only the file's name, for values that stand on no line of their own."""
    return source.name, None


def text_of(head: Head) -> str:
    """The start of a file as text."""
    return head.start.decode(errors="replace").lstrip("\ufeff \r\n\t")


def first_object(head: Head) -> dict[str, Any] | None:
    """The object that a file or its list starts with, if it is whole in what was looked at."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text_of(head).lstrip(" \r\n\t["))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
