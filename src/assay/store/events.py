"""The log of who did what: read in pages, the newest first. Nothing of it is ever changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from assay.store import schema as db
from assay.store.database import Database


@dataclass(frozen=True)
class Event:
    """Something that somebody did."""

    id: int
    project: str
    actor: str
    verb: str
    what: str
    details: dict[str, Any]
    created_at: int


def events_of(
    database: Database, project: int | None = None, *, before: int | None = None, actor: str = "", verb: str = "",
    most: int = 100,
) -> list[Event]:  # fmt: skip
    """Events of a project, or of all and of the accounts; `before`: older than this one."""
    events = db.event.c
    rows = select(db.event, db.project.c.name).outerjoin(db.project, db.project.c.id == events.project_id)
    for column, wanted in ((events.project_id, project), (events.actor, actor or None), (events.verb, verb or None)):
        if wanted is not None:
            rows = rows.where(column == wanted)
    if before is not None:
        rows = rows.where(events.id < before)
    with database.reading() as connection:
        found = connection.execute(rows.order_by(events.id.desc()).limit(most)).all()
    return [
        Event(row.id, row.name or "", row.actor, row.verb, row.what, _details(row.details), row.created_at)
        for row in found
    ]


def _details(stored: str) -> dict[str, Any]:
    """What is known of an event; of rules that were changed, those that differ."""
    details: dict[str, Any] = json.loads(stored)
    if set(details) != {"before", "after"}:
        return details
    before, after = (json.loads(details[name]) for name in ("before", "after"))
    return {name: f"{before.get(name)} → {value}" for name, value in after.items() if before.get(name) != value}
