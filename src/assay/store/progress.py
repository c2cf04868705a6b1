"""The progress of an assessor: counted once when they begin, since it goes through all that is open."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import exists, func, select

from assay.store import schema as db
from assay.store.handout import assessor_of
from assay.store.projects import Project


class Progress(NamedTuple):
    """Documents that somebody judged, and those that they may still be asked for."""

    done: int
    left: int


def progress_of(project: Project, assessor: str) -> Progress:
    """Numbers of items that an assessor has judged, and of those open to them: others may take some of these."""
    with project.database.reading() as connection:
        person = assessor_of(connection, project, assessor)
        done = select(func.count()).where(db.assignment.c.assessor_id == person.id, db.assignment.c.state == "done")
        had = exists().where(
            db.assignment.c.item_id == db.item.c.id, db.assignment.c.assessor_id == person.id,
            db.assignment.c.purpose == "main", db.assignment.c.state.in_(("done", "skipped")),
        )  # fmt: skip
        left = select(func.count()).where(
            db.item.c.project_id == project.id, db.item.c.state == "open", db.item.c.taken < db.item.c.wanted, ~had
        )
        shared = list(connection.scalars(select(db.share.c.topic_id).filter_by(assessor_id=person.id)))
        if shared:
            left = left.where(db.item.c.topic_id.in_(shared))
        return Progress(connection.scalar(done) or 0, connection.scalar(left) or 0)
