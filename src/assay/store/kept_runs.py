"""The runs that a project keeps: never shown to assessors, but what verdicts are about."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import zstandard
from sqlalchemy import func, insert, select

from assay.core.errors import InputError
from assay.files.sources import Source
from assay.store import schema as db
from assay.store.database import now
from assay.store.projects import Project, record
from assay.store.rows import digest


@dataclass(frozen=True)
class KnownRun:
    """A run that is kept, without what is in it: its name, what its bytes have for a sha256, and how many are kept."""

    name: str
    sha256: str
    size: int
    created_at: int


def known_runs(project: Project, *, account: int | None = None) -> list[KnownRun]:
    """The runs that a project keeps, in the order in which they came; or those of a contestant alone."""
    columns = db.run.c.name, db.run.c.sha256, func.length(db.run.c.content), db.run.c.created_at
    wanted = select(*columns).where(db.run.c.collection_id == project.collection)
    if account is not None:
        wanted = wanted.where(db.run.c.account_id == account)
    with project.database.reading() as connection:
        return [KnownRun(*row) for row in connection.execute(wanted.order_by(db.run.c.id))]


def keep_runs(project: Project, runs: Mapping[str, Any], *, actor: str = "", account: int | None = None) -> None:
    """Keep run files with the project as they are, so that releases can be compared by them.

    `account`: the contestant whose they are.
    """
    rows = []
    for name, given in runs.items():
        with Source.of(given).open() as file:
            content = file.read()
        rows.append((name, content))
    with project.database.writing() as connection:
        there = set(connection.scalars(select(db.run.c.name).filter_by(collection_id=project.collection)))
        for name, content in rows:
            if name in there:
                raise InputError(f"{project.name}: there is a run {name!r} already: give the file another name")
            connection.execute(
                insert(db.run).values(
                    collection_id=project.collection, name=name, sha256=digest(content.hex()),
                    content=zstandard.compress(content), created_at=now(connection), account_id=account,
                )
            )  # fmt: skip
        record(connection, project.id, actor, "runs kept", ", ".join(runs), {})


def kept_runs(project: Project, names: Iterable[str] | None = None) -> dict[str, Any]:
    """The runs that are kept with a project, by name; or some of them."""
    from assay.files import read_run  # noqa: PLC0415

    wanted = select(db.run.c.name, db.run.c.content).where(db.run.c.collection_id == project.collection)
    if names is not None:
        wanted = wanted.where(db.run.c.name.in_(list(names)))
    with project.database.reading() as connection:
        rows = connection.execute(wanted.order_by(db.run.c.id)).all()
    return {
        name: read_run(Source(io.BytesIO(zstandard.decompress(content)), name=name), name=name)
        for name, content in rows
    }
