"""A judging database: SQLite in a file, or PostgreSQL by its URL; opened, made, brought up to date, and its errors."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from assay.core.errors import InputError, need, reason

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

#: The newest version of the tables: the name of the last migration.
NEWEST: Final = "0004"
#: The first bytes of every SQLite file.
_SQLITE: Final = b"SQLite format 3\0"
#: So long a writer waits for another one, in seconds.
_PATIENCE: Final = 30.0
#: A server of PostgreSQL takes a hundred at once, unless it is told to take more; a thread may hold two.
_MOST_CONNECTIONS: Final = 60
#: A clock that is further behind than this has been set back; less is the difference between machines.
_BEHIND_MS: Final = 60_000


class StoreError(InputError):
    """A judging database cannot be used as asked: locked, read-only, full, of another version, no database at all."""


class Database:
    """A judging database that is open. `reading` and `writing` are the only ways to its rows.

    A write is one transaction: it is on disk when `writing` ends, or nothing of it is.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        #: What messages call it: its path, or its URL without the password.
        self.name = name
        #: Threads wait for it in line, where SQLite would let each look now and then whether it may write.
        self._turn = threading.Lock()

    @property
    def is_sqlite(self) -> bool:
        """True for a file of SQLite."""
        return self.engine.dialect.name == "sqlite"

    @property
    def place(self) -> str:
        """Where another process finds it: its path, or its URL with the password, which is for no screen."""
        if self.is_sqlite:
            return self.name
        return self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """See the database as it is at one moment, while others may write."""
        with self._begun("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """Change the database in one transaction, while nobody else writes to SQLite.

        Without `durable` a power cut may undo it, as long as nothing that is durable came after it; a killed process
        undoes nothing. That is for hand-outs: what was never judged can be handed out again.
        """
        safely = f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}"
        with self._in_turn(), self._begun(safely, "BEGIN IMMEDIATE") as connection:
            yield connection

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait for other threads that write to SQLite, without a connection that these may need."""
        if not self.is_sqlite:
            yield
            return
        if not self._turn.acquire(timeout=_PATIENCE):
            raise StoreError(f"{self.name}: {_told('database is locked')}")
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def _begun(self, *statements: str) -> Iterator[Connection]:
        """A transaction, which these statements begin on SQLite."""
        # Its driver begins none by itself, and an event of the engine would slow down every statement.
        with self._explained(), self.engine.begin() as connection:
            for statement in statements if self.is_sqlite else ():
                _raw(connection, statement)
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what a driver says into one line that names the database."""
        from sqlalchemy import exc  # noqa: PLC0415  # loaded with the database

        try:
            yield
        except (exc.OperationalError, exc.DatabaseError, exc.InternalError) as problem:
            if isinstance(problem, exc.IntegrityError | exc.DataError | exc.ProgrammingError):
                raise
            raise StoreError(f"{self.name}: {_told(str(problem.orig))}") from problem
        except sqlite3.Error as problem:  # a transaction that could not begin
            raise StoreError(f"{self.name}: {_told(str(problem))}") from problem
        except exc.TimeoutError as problem:
            raise StoreError(f"{self.name}: too many connections at once; try again") from problem


def open_database(place: str | os.PathLike[str], *, create: bool = False) -> Database:
    """Open a judging database by its path or URL, and bring an older one up to date.

    `create`: make it if there is none. A file that is no judging database is refused, and so is one that a newer
    version of Assay has written.
    """
    text = os.fspath(place)
    database = _postgres(text) if is_url(text) else _sqlite(text, create=create)
    try:
        version = _version(database)
        if version is None and not create:
            raise StoreError(f"{database.name}: expected a judging project, got a database without one")
        if version != NEWEST:
            _upgrade(database)
    except BaseException:
        database.close()
        raise
    return database


def is_url(place: str) -> bool:
    """True if a place is the URL of a database and not a path.

    >>> is_url("postgresql://team@localhost/judging"), is_url("project.db")
    (True, False)
    """
    return re.match(r"(postgresql|postgres|sqlite)(\+\w+)?:", place) is not None


def now(connection: Connection) -> int:
    """The time in milliseconds, never before what the database has seen."""
    from sqlalchemy import select  # noqa: PLC0415

    from assay.store.schema import LAST_ENTRY  # noqa: PLC0415

    return time_after(connection.scalar(select(LAST_ENTRY)))


def time_after(last: int | None, *, strict: bool = False) -> int:
    """The time in milliseconds, not before the last entry of a database.

    A clock that was set back would end leases early and put labels in the wrong order: `strict` refuses it.
    """
    clock, last = time.time_ns() // 1_000_000, last or 0
    if strict and clock < last - _BEHIND_MS:
        behind = (last - clock) / 60_000
        raise StoreError(
            f"the clock of this machine is {behind:,.0f} minutes behind the last entry: set it right, then go on; "
            "labels are still saved"
        )
    return max(clock, last)


def _sqlite(place: str, *, create: bool) -> Database:
    from sqlalchemy import create_engine, event  # noqa: PLC0415

    path = Path(re.sub(r"^sqlite(\+\w+)?:/{0,3}", "", place) if is_url(place) else place)
    _check_file(path, create=create)
    engine = create_engine(
        _url_of(path), max_overflow=-1, connect_args={"timeout": _PATIENCE, "check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # `Database` begins transactions, not the driver
        for pragma in ("foreign_keys=ON", "synchronous=FULL", "cache_size=-65536"):
            connection.execute(f"PRAGMA {pragma}")

    database = Database(engine, str(path))
    if create:
        with database._explained(), engine.connect() as connection:
            _raw(connection, "PRAGMA journal_mode=WAL")
    return database


def _url_of(path: Path) -> str:
    """Where SQLite finds it. In a folder that is read-only it can be read, as long as nobody else writes to it."""
    place = path.absolute()
    may_write = os.access(place.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
    is_fixed = not may_write and place.exists() and not Path(f"{place}-wal").exists()
    return f"sqlite:///file:{quote(str(place))}?mode=ro&immutable=1&uri=true" if is_fixed else f"sqlite:///{place}"


def _raw(connection: Connection, statement: str) -> None:
    """Run a statement that begins a transaction, or needs none, by the driver itself."""
    raw: Any = connection.connection.dbapi_connection
    raw.execute(statement)


def _check_file(path: Path, *, create: bool) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE))
    except FileNotFoundError:
        if create and path.absolute().parent.is_dir():
            return
        hint = "the folder does not exist" if create else "`assay judge init` makes a project"
        raise StoreError(f"{path}: there is no such file; {hint}") from None
    except OSError as problem:
        raise StoreError(f"{path}: cannot be read: {reason(problem)}") from problem
    if start != _SQLITE and not (create and not start):
        raise StoreError(f"{path}: expected a judging project (an SQLite database), got another file")


def _postgres(url: str) -> Database:
    from sqlalchemy import create_engine, make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    need("psycopg", extra="postgres", purpose="a PostgreSQL database")
    try:
        parsed = make_url(url).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):  # a port that is no number
        hidden = re.sub(r"(//[^:/@]*):[^/]*@", r"\1:***@", url)
        raise StoreError(f"{hidden}: expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE") from None
    engine = create_engine(
        parsed, pool_pre_ping=True, max_overflow=_MOST_CONNECTIONS - 5, connect_args={"connect_timeout": 10}
    )
    return Database(engine, parsed.set(drivername="postgresql").render_as_string(hide_password=True))


def _version(database: Database) -> str | None:
    """The version of its tables; None for an empty database."""
    from sqlalchemy import inspect, text  # noqa: PLC0415

    with database.reading() as connection:
        tables = set(inspect(connection).get_table_names())
        if "alembic_version" in tables and "assignment" in tables:
            found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        elif not tables:
            return None
        else:
            raise StoreError(f"{database.name}: expected a judging project, got a database of something else")
    if found is None or (found.isdecimal() and found <= NEWEST):
        return found
    raise StoreError(
        f"{database.name}: was written by a newer version of Assay (tables {found}, known up to {NEWEST}): "
        "upgrade Assay to use it"
    )


def _upgrade(database: Database) -> None:
    """Run the migrations that are missing, all or none."""
    from alembic import command  # noqa: PLC0415  # only what is not up to date waits for it
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7238452)")  # one at a time
        config.attributes["connection"] = connection
        command.upgrade(config, NEWEST)


def _told(message: str) -> str:
    """The meaning of a driver's message, for readers."""
    text = " ".join(message.split())
    for pattern, meaning in _MEANINGS.items():
        if re.search(pattern, text, re.IGNORECASE):
            return meaning
    return text


_MEANINGS: Final = {
    r"database is locked": f"is locked: another program has been writing to it for {_PATIENCE:g} s; try again",
    r"readonly database|read-only": "is read-only: nothing can be saved",
    r"disk is full|no space left|disk full": "the disk is full: nothing was saved; make room and try again",
    r"disk i/o error": "the disk reports an error: nothing was saved",
    r"file is not a database|malformed": "is damaged, or no database; restore a backup with `assay judge restore`",
    r"unable to open database": "cannot be opened: no permission, or the folder is read-only",
    r'database "[^"]*" does not exist': "there is no such database; make it with createdb",
    r'role "[^"]*" does not exist|password authentication failed': "the password is wrong, or the user is unknown",
    r"terminating connection|server closed|connection (is|was) (lost|closed)": (
        "the server has gone: what was not acknowledged was not saved; try again"
    ),
    r"failed to resolve host": "there is no such host",
    r"connection refused|could not connect|connection failed|timeout expired": "no server answers there",
}
