"""Files that wait for a word: labels whose import somebody has looked at and not yet asked for.

They are kept where the results of long work are, but under no project: lists of its work are no place for them.
"""

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
            connection, db.job, account_id=user.id, kind=_KIND, state="done",
            given=json.dumps({"project": project.id, "name": name, **options}), result=zstandard.compress(content),
            created_at=time, ended_at=time,
        )  # fmt: skip


def staged(project: Project, key: int) -> Staged:
    """A file that waits."""
    with project.database.reading() as connection:
        row = connection.execute(select(db.job).filter_by(id=key, kind=_KIND)).one_or_none()
    options = {} if row is None else json.loads(row.given)
    if row is None or options.pop("project") != project.id:
        raise InputError("this file does not wait here any more: choose it again")
    return Staged(key, options.pop("name"), zstandard.decompress(row.result), options)


def unstage(project: Project, key: int) -> None:
    """Forget a file."""
    found = staged(project, key)
    with project.database.writing() as connection:
        connection.execute(delete(db.job).filter_by(id=found.key, kind=_KIND))
