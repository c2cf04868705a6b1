"""Long work outside of requests: rows that say what is asked for, how far it is, and what came of it.

Whoever does a job says every second that it is alive. A job that has been silent for longer is *interrupted*, whatever
its row says, so that none runs for ever after a process has died.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import zstandard
from sqlalchemy import Connection, func, select, update

from assay.store import schema as db
from assay.store.database import Database, now
from assay.store.projects import Project
from assay.store.rows import inserted, storable

#: Milliseconds of silence after which nobody is at work any more.
SILENCE: Final = 20_000
_OPEN: Final = ("queued", "running")
_COLUMNS: Final = [column for column in db.job.c if column.name != "result"]


@dataclass(frozen=True)
class Job:
    """A piece of long work as it stands."""

    id: int
    kind: str
    given: Mapping[str, Any]
    state: str
    done: int
    total: int
    message: str
    is_unwanted: bool
    created_at: int
    ended_at: int | None

    @property
    def is_open(self) -> bool:
        """True if it waits, or is under way."""
        return self.state in _OPEN


def add_job(project: Project, kind: str, given: Mapping[str, Any], *, account: int | None = None) -> tuple[int, bool]:
    """Ask for a job; its key, and whether it is new: the same work is not begun twice."""
    with project.database.writing() as connection:
        _interrupt(connection)
        same = select(db.job.c.id).filter_by(project_id=project.id, kind=kind, given=_text(given))
        there = connection.scalar(same.where(db.job.c.state.in_(_OPEN)).limit(1))
        if there is not None:
            return int(there), False
        time = now(connection)
        key = inserted(
            connection, db.job, project_id=project.id, account_id=account, kind=kind, given=_text(given),
            created_at=time, beat_at=time,
        )  # fmt: skip
        return key, True


def jobs_of(project: Project, kinds: Iterable[str], most: int = 100) -> list[Job]:
    """The jobs of a project that are of some kinds, the newest first."""
    mine = (db.job.c.project_id == project.id) & db.job.c.kind.in_(list(kinds))
    rows = select(*_COLUMNS).where(mine).order_by(db.job.c.id.desc()).limit(most)
    with project.database.reading() as connection:
        time = now(connection)
        return [_job(row, time) for row in connection.execute(rows).mappings()]


def job_of(project: Project, key: int) -> Job | None:
    """A job of a project; None where it has none by this key."""
    with project.database.reading() as connection:
        row = connection.execute(select(*_COLUMNS).filter_by(project_id=project.id, id=key)).mappings().one_or_none()
        return None if row is None else _job(row, now(connection))


def result_of(project: Project, key: int) -> bytes | None:
    """What came of a job that is done."""
    with project.database.reading() as connection:
        packed = connection.scalar(select(db.job.c.result).filter_by(project_id=project.id, id=key, state="done"))
        return None if packed is None else zstandard.decompress(packed)


def found(project: Project, kind: str, given: Mapping[str, Any]) -> Job | None:
    """The newest job for the same work that is done, or else the newest at all; None where nobody asked for it."""
    same = select(*_COLUMNS).filter_by(project_id=project.id, kind=kind, given=_text(given))
    with project.database.reading() as connection:
        row = connection.execute(
            same.order_by((db.job.c.state == "done").desc(), db.job.c.id.desc()).limit(1)
        ).mappings().one_or_none()  # fmt: skip
        return None if row is None else _job(row, now(connection))


def begin(database: Database, key: int) -> tuple[int, str, dict[str, Any]] | None:
    """Set to work on a job that waits: its project, its kind, what is given; None if nobody waits for it any more."""
    with database.writing() as connection:
        time = now(connection)
        waiting = (db.job.c.id == key) & (db.job.c.state == "queued")
        if not connection.execute(update(db.job).where(waiting).values(state="running", beat_at=time)).rowcount:
            return None
        row = connection.execute(select(db.job.c.project_id, db.job.c.kind, db.job.c.given).filter_by(id=key)).one()
        return row.project_id, row.kind, json.loads(row.given)


def beat(database: Database, key: int, *, done: int = 0, total: int = 0, message: str = "") -> bool:
    """Say that a job is alive, and how far it is; false if it is to stop."""
    with database.writing(durable=False) as connection:
        values = {"beat_at": now(connection), "done": done, "total": total, "message": storable(message)}
        still = (db.job.c.id == key) & db.job.c.state.in_(_OPEN) & ~db.job.c.is_unwanted
        return bool(connection.execute(update(db.job).where(still).values(**values)).rowcount)


def end(database: Database, key: int, state: str, message: str = "", result: bytes | None = None) -> None:
    """End a job, once: what has ended stays as it is."""
    packed = None if result is None else zstandard.compress(result)
    with database.writing() as connection:
        values = {"state": state, "message": storable(message), "result": packed, "ended_at": now(connection)}
        is_open = (db.job.c.id == key) & db.job.c.state.in_(_OPEN)
        connection.execute(update(db.job).where(is_open).values(**values))


def cancel(project: Project, key: int) -> bool:
    """Ask a job to stop; one that waits has stopped. False where there is nothing to stop."""
    with project.database.writing() as connection:
        mine = (db.job.c.id == key) & (db.job.c.project_id == project.id)
        stopped = {"state": "cancelled", "is_unwanted": True, "ended_at": now(connection)}
        waiting = connection.execute(update(db.job).where(mine & (db.job.c.state == "queued")).values(**stopped))
        at_work = update(db.job).where(mine & (db.job.c.state == "running")).values(is_unwanted=True)
        return bool(waiting.rowcount or connection.execute(at_work).rowcount)


def interrupt_silent(database: Database) -> int:
    """Write down of jobs that nobody is at work on any more that they were interrupted; how many."""
    with database.writing() as connection:
        return _interrupt(connection)


def _interrupt(connection: Connection) -> int:
    time = now(connection)
    is_silent = func.coalesce(db.job.c.beat_at, db.job.c.created_at) < time - SILENCE
    values = {"state": "interrupted", "ended_at": time}
    return connection.execute(update(db.job).where(db.job.c.state.in_(_OPEN) & is_silent).values(**values)).rowcount


def _job(row: Any, time: int) -> Job:
    is_silent = row["state"] in _OPEN and (row["beat_at"] or row["created_at"]) < time - SILENCE
    return Job(
        row["id"], row["kind"], json.loads(row["given"]), "interrupted" if is_silent else row["state"], row["done"],
        row["total"], row["message"], row["is_unwanted"], row["created_at"], row["ended_at"],
    )  # fmt: skip


def _text(given: Mapping[str, Any]) -> str:
    """What is given, written in one way only: jobs with the same text are the same work."""
    return json.dumps(given, sort_keys=True, ensure_ascii=False)
