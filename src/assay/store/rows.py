"""Rows as they are written: text that every database can store, keys of new rows, many rows at once."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Connection, insert

from assay.store import schema as db

T = TypeVar("T")
#: What no database stores in text, and no screen shows.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def inserted(connection: Connection, table: Any, **values: Any) -> int:
    """The key of a row that is added to a table."""
    key = connection.execute(_insert_into(table), values).inserted_primary_key
    assert key is not None
    return int(key[0])


@cache
def _insert_into(table: Any) -> Any:
    """One statement for every table: it is compiled once for good."""
    return insert(table)


def storable(text: str | None) -> str:
    """Text that every database can store: what is no character becomes one that says so.

    >>> storable("a\\x00b")
    'a\ufffdb'
    """
    return _UNSTORABLE.sub("\ufffd", text or "")


def digest(*parts: str) -> str:
    """The sha256 of texts, each with its length before it, so that no two lists have the same."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode()).hexdigest()


def insert_many(connection: Connection, table: Any, rows: Iterable[dict[str, Any]]) -> None:
    """Add rows to a table, many at once."""
    for part in batched(rows, db.BATCH):
        connection.execute(_insert_into(table), part)


def batched(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Rows in lists of a size, which the last one may not reach.

    >>> list(batched("abc", 2))
    [['a', 'b'], ['c']]
    """
    left = iter(rows)
    while part := list(itertools.islice(left, size)):
        yield part
