"""Backup, restore and check of a judging database while others work with it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import zstandard
from sqlalchemy import Connection, func, insert, select, text
from sqlalchemy.types import LargeBinary

from assay.core.errors import FormatError, InputError, ParameterError, number_of
from assay.core.results import Result
from assay.files.atomic import check_target, replacing
from assay.store import schema as db
from assay.store.database import NEWEST, Database, StoreError, is_url, open_database

#: The first line of a backup, before the version of its tables.
_HEADER: Final = "assay judging backup"
_BATCH: Final = 5_000
#: What no backup holds: whoever is signed in signs in again, links that were sent are sent anew, and what was computed
#: is computed again.
_PASSING: Final = {"session", "invitation", "throttle", "job"}


@dataclass(frozen=True)
class StoreCheck(Result):
    """The findings of `check`: counts of rows, and faults."""

    kind: ClassVar[str] = "store check"

    name: str
    counts: Mapping[str, int]
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """True if nothing is wrong."""
        return not self.problems


def back_up(database: Database, target: str | os.PathLike[str], *, overwrite: bool = False) -> int:
    """Write all rows to a compressed file, as they are at one moment; how many there were.

    The file is the same for both databases: a backup of SQLite restores to PostgreSQL, and the other way round.
    """
    check_target(target)
    rows = 0
    with database.reading() as connection, replacing(target, overwrite=overwrite) as file:
        if not database.is_sqlite:
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        with zstandard.ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False) as packed:
            packed.write(f"{json.dumps([_HEADER, NEWEST])}\n".encode())
            for line in _lines(connection):
                packed.write(line)
                rows += 1
            packed.write(f"{json.dumps(['end', rows])}\n".encode())
    return rows


def restore(source: str | os.PathLike[str], target: str) -> Database:
    """Make a new database of a backup; all of it or nothing. A database that holds something is not touched."""
    if not is_url(target) and Path(target).exists():
        raise ParameterError(f"{target}: exists already: restore to a new file, look at it, then rename it")
    lines = _packed_lines(source)
    header = next(lines, [])
    if header[:1] != [_HEADER]:
        raise FormatError(os.fspath(source), 1, expected="a backup by `assay judge backup`", got=str(header)[:60])
    if header[1] > NEWEST:
        raise StoreError(f"{os.fspath(source)}: was written by a newer version of Assay: upgrade Assay to restore it")
    database = open_database(target, create=True)
    try:
        with database.writing() as connection:
            if connection.scalar(select(func.count()).select_from(db.project)):
                raise StoreError(f"{database.name}: holds projects already: restore to an empty database")
            _fill(connection, lines, os.fspath(source))
            if not database.is_sqlite:
                _count_on(connection)
    except BaseException:
        database.close()
        if not is_url(target):
            for ending in ("", "-wal", "-shm"):
                Path(f"{target}{ending}").unlink(missing_ok=True)
        raise
    return database


def check_store(database: Database) -> StoreCheck:
    """Count the rows, and look for what must not be: damage, rows without owners, too many labels of an item."""
    with database.reading() as connection:
        counts = {str(table.name): _count(connection, table) for table in db.METADATA.sorted_tables}
        problems = tuple(_problems(connection, database))
    return StoreCheck(database.name, counts, problems)


def _problems(connection: Connection, database: Database) -> Iterator[str]:
    if database.is_sqlite:
        for (line,) in connection.execute(text("PRAGMA integrity_check(20)")):
            if line != "ok":
                yield f"SQLite reports damage: {line}"
        for row in connection.execute(text("PRAGMA foreign_key_check")):
            yield f"a row of {row[0]} refers to a row of {row[2]} that is missing"
    for message, query in _RULES.items():
        broken = connection.scalar(text(query)) or 0
        if broken:
            yield f"{number_of('row', broken)}: {message}"
    for version, content, sha256 in connection.execute(
        select(db.release.c.version, db.release.c.content, db.release.c.sha256)
    ):
        if hashlib.sha256(zstandard.decompress(content)).hexdigest() != sha256:
            yield f"release {version} does not have its sha256"


#: What must not be, and a query that counts it.
_RULES: Final = {
    "more people have an item than were wanted": "SELECT count(*) FROM item WHERE taken > wanted AND state = 'open'",
    "the number of people who have an item is not that of its assignments": """
        SELECT count(*) FROM item WHERE taken <> (
            SELECT count(*) FROM assignment a WHERE a.item_id = item.id AND a.purpose = 'main'
            AND a.state IN ('leased', 'done')
            AND NOT EXISTS (
                SELECT 1 FROM label l WHERE l.assignment_id = a.id AND l.is_surplus AND a.state = 'done'))""",
    "an assignment is done and has no label": """
        SELECT count(*) FROM assignment a WHERE state = 'done'
        AND NOT EXISTS (SELECT 1 FROM label l WHERE l.assignment_id = a.id)""",
    "two labels of one assignment are both current": """
        SELECT count(*) FROM (SELECT assignment_id FROM label l
        WHERE NOT EXISTS (SELECT 1 FROM label n WHERE n.supersedes = l.id)
        GROUP BY assignment_id HAVING count(*) > 1) t""",
    "a label has a grade that its scale does not have": """
        SELECT count(*) FROM label l JOIN assignment a ON a.id = l.assignment_id JOIN item i ON i.id = a.item_id
        JOIN aspect p ON p.project_id = i.project_id AND p.place = 0
        WHERE l.value IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM grade g WHERE g.scale_id = p.scale_id AND g.value = l.value)""",
}


def _count(connection: Connection, table: Any) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


def _lines(connection: Connection) -> Iterator[bytes]:
    for table in db.METADATA.sorted_tables:
        if table.name in _PASSING:
            continue
        ordered = select(table).order_by(*table.primary_key.columns)
        for row in connection.execute(ordered, execution_options={"yield_per": _BATCH}):
            cells = [value.hex() if isinstance(value, bytes) else value for value in row]
            yield f"{json.dumps([table.name, *cells], ensure_ascii=False)}\n".encode()


def _packed_lines(source: str | os.PathLike[str]) -> Iterator[list[Any]]:
    try:
        with Path(source).open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as packed:
            yield from _unpacked(packed, os.fspath(source))
    except OSError as problem:
        raise InputError(f"{os.fspath(source)}: cannot be read: {problem.strerror}") from problem
    except zstandard.ZstdError as problem:
        raise InputError(f"{os.fspath(source)}: is no backup, or a damaged one: {problem}") from problem


def _unpacked(packed: Any, name: str) -> Iterator[list[Any]]:
    rest, number = b"", 0
    while piece := packed.read(1 << 20):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            number += 1
            try:
                cells = json.loads(line)
            except ValueError:
                raise FormatError(
                    name, number, expected="a row of a backup", got=line[:60].decode(errors="replace")
                ) from None
            yield cells
    if rest:
        raise FormatError(name, number + 1, expected="the end of a backup", got=rest[:60].decode(errors="replace"))


def _fill(connection: Connection, lines: Iterator[list[Any]], name: str) -> None:
    batch: list[dict[str, Any]] = []
    table: Any = None
    rows, ended = 0, False
    for label, *cells in lines:
        if label == "end":
            ended = cells == [rows]
            break
        if table is None or label != table.name or len(batch) == _BATCH:
            if batch:
                connection.execute(insert(table), batch)
            batch, table = [], db.METADATA.tables.get(label)
            if table is None:
                raise FormatError(name, rows + 2, expected="a row of a known table", got=label)
        values = zip(table.columns, cells, strict=True)
        batch.append({
            column.name: bytes.fromhex(value) if isinstance(column.type, LargeBinary) else value
            for column, value in values
        })  # fmt: skip
        rows += 1
    if batch:
        connection.execute(insert(table), batch)
    if not ended:
        raise FormatError(name, rows + 2, expected="the end of the backup", got="", note="the file was cut off")


def _count_on(connection: Connection) -> None:
    """Let PostgreSQL number new rows after those that were restored."""
    for table in db.METADATA.sorted_tables:
        if "id" in table.c:
            name = table.name
            connection.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT coalesce(max(id), 1) FROM {name}))"
                )
            )
