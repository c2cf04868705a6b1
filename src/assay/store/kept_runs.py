"""The runs that a project keeps: never shown to assessors, but what verdicts are about."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import zstandard
from sqlalchemy import insert, select

from assay.core.errors import InputError
from assay.files.sources import Source
from assay.store import schema as db
from assay.store.database import now
from assay.store.projects import Project, record
from assay.store.rows import digest


def keep_runs(project: Project, runs: Mapping[str, Any], *, actor: str = "") -> None:
    """Keep run files with the project as they are, so that releases can be compared by them."""
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
                    content=zstandard.compress(content), created_at=now(connection),
                )
            )  # fmt: skip
        record(connection, project.id, actor, "runs kept", ", ".join(runs), {})


def kept_runs(project: Project) -> dict[str, Any]:
    """The runs that are kept with a project, by name."""
    from assay.files import read_run  # noqa: PLC0415

    with project.database.reading() as connection:
        rows = connection.execute(
            select(db.run.c.name, db.run.c.content)
            .where(db.run.c.collection_id == project.collection)
            .order_by(db.run.c.id)
        ).all()
    return {
        name: read_run(Source(io.BytesIO(zstandard.decompress(content)), name=name), name=name)
        for name, content in rows
    }
