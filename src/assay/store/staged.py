"""Files that wait for a word: labels whose import somebody has looked at and not yet asked for."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import zstandard
from sqlalchemy import delete, select

from assay.core.errors import InputError
from assay.store import schema as db
from assay.store.accounts import User
from assay.store.database import now
from assay.store.projects import Project
from assay.store.rows import inserted

_KIND: Final = "labels to import"
_HOURS: Final = 24


class Staged(NamedTuple):
    """A file that waits, and how it is to be read."""

    key: int
    name: str
    content: bytes
    options: dict[str, Any]


def stage(project: Project, user: User, name: str, content: bytes, options: dict[str, Any]) -> int:
    """Keep a file for a day; the key under which it waits. Older ones are forgotten."""
    with project.database.writing() as connection:
        time = now(connection)
        old = db.job.c.created_at < time - _HOURS * 3_600_000
        connection.execute(delete(db.job).where(db.job.c.kind == _KIND, old))
        return inserted(
            connection, db.job, project_id=project.id, account_id=user.id, kind=_KIND, state="done",
            given=json.dumps({"name": name, **options}), result=zstandard.compress(content), created_at=time,
            ended_at=time,
        )  # fmt: skip


def staged(project: Project, key: int) -> Staged:
    """A file that waits."""
    with project.database.reading() as connection:
        row = connection.execute(select(db.job).filter_by(id=key, project_id=project.id, kind=_KIND)).one_or_none()
    if row is None:
        raise InputError("this file does not wait here any more: choose it again")
    options = json.loads(row.given)
    return Staged(key, options.pop("name"), zstandard.decompress(row.result), options)


def unstage(project: Project, key: int) -> None:
    """Forget a file."""
    with project.database.writing() as connection:
        connection.execute(delete(db.job).filter_by(id=key, project_id=project.id, kind=_KIND))
