"""Adjudication where assessors stay apart: the queue of disputes, and decisions that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, func, insert, select

from assay.core.errors import InputError
from assay.store import schema as db
from assay.store.database import StoreError, now
from assay.store.projects import Project, item_keys, record
from assay.store.rows import storable
from assay.store.saving import IS_CURRENT, settle


@dataclass(frozen=True)
class Opinion:
    """An assessor's opinion of an item, with the reason."""

    alias: str
    value: int | None
    note: str
    kind: str


@dataclass(frozen=True)
class Dispute:
    """An item on which assessors differ, with all that they said."""

    item: int
    topic_id: str
    title: str
    description: str
    narrative: str
    doc_id: str
    heading: str
    text: str
    opinions: tuple[Opinion, ...]


def waiting(project: Project) -> int:
    """The number of items that wait for a decision."""
    rows = select(func.count()).select_from(db.item).filter_by(project_id=project.id, state="disputed")
    with project.database.reading() as connection:
        return connection.scalar(rows) or 0


def disputes(
    project: Project, *, limit: int | None = None, offset: int = 0, only: tuple[str, str] | None = None
) -> list[Dispute]:
    """The items that wait for a decision, by topic; `only`: the item of a topic and document, whatever its state."""
    rows = (
        select(
            db.item.c.id, db.topic.c.topic_id, db.topic.c.title, db.topic.c.description, db.topic.c.narrative,
            db.item.c.doc_id, db.document.c.title.label("heading"), db.document.c.body,
        )
        .join(db.topic, db.topic.c.id == db.item.c.topic_id)
        .outerjoin(
            db.document,
            and_(db.document.c.collection_id == db.topic.c.collection_id, db.document.c.doc_id == db.item.c.doc_id),
        )
        .where(db.item.c.project_id == project.id)
        .order_by(db.topic.c.place, db.item.c.id)
        .limit(limit)
        .offset(offset)
    )  # fmt: skip
    with project.database.reading() as connection:
        if only is None:
            rows = rows.where(db.item.c.state == "disputed")
        else:
            rows = rows.where(db.item.c.id == item_keys(connection, project, [only])[only])
        found = connection.execute(rows).all()
        said = _opinions(connection, [row.id for row in found])
    return [
        Dispute(row.id, row.topic_id, row.title, row.description, row.narrative, row.doc_id, row.heading or "",
                row.body or "", tuple(said.get(row.id, ())))
        for row in found
    ]  # fmt: skip


def adjudicate(
    project: Project, topic_id: str, doc_id: str, value: int | None, *, decided_by: str, reason: str = "",
    waits: bool = False,
) -> None:  # fmt: skip
    """Decide what a document is worth, whatever the assessors said; None: cannot be judged by anybody.

    A decision stands until the next one on the same document; the labels stay as they are. `waits`: only if it waits
    for a decision still.
    """
    if value is not None:
        project.scale.grade(value)
    if not decided_by.strip():
        raise InputError("decided_by: expected the name of whoever decides, got nothing")
    with project.database.writing() as connection:
        item = item_keys(connection, project, [(topic_id, doc_id)])[topic_id, doc_id]
        if waits and connection.scalar(select(db.item.c.state).where(db.item.c.id == item)) != "disputed":
            raise StoreError(f"{topic_id} {doc_id} waits for no decision any more: somebody else has decided")
        connection.execute(
            insert(db.adjudication).values(
                item_id=item, value=value, reason=storable(reason), decided_by=decided_by, created_at=now(connection)
            )
        )
        settle(connection, project, {item: 0})
        what = f"{topic_id} {doc_id}"
        record(connection, project.id, decided_by, "adjudicated", what, {"value": value, "reason": reason})


def said_by_others(project: Project, assignment: int) -> str:
    """What others said of the document of an assignment, by alias, for projects that are not blind."""
    with project.database.reading() as connection:
        row = connection.execute(select(db.assignment).where(db.assignment.c.id == assignment)).one()
        mine = connection.scalar(select(db.assessor.c.alias).where(db.assessor.c.id == row.assessor_id))
        said = _opinions(connection, [row.item_id]).get(row.item_id, [])
    words = [
        f"{each.alias}: {'cannot judge' if each.value is None else project.scale.grade(each.value).label}"
        f"{f' ({each.note})' if each.note else ''}"
        for each in said
        if each.alias != mine
    ]
    return "; ".join(words)


def decisions(connection: Connection, project: Project) -> dict[int, Any]:
    """The latest decision on each item that has one: its row."""
    rows = (
        select(db.adjudication)
        .join(db.item, db.item.c.id == db.adjudication.c.item_id)
        .where(db.item.c.project_id == project.id)
        .order_by(db.adjudication.c.id)
    )
    return {row.item_id: row for row in connection.execute(rows)}


def _opinions(connection: Connection, items: list[int]) -> dict[int, list[Opinion]]:
    rows = (
        select(db.assignment.c.item_id, db.assessor.c.alias, db.label.c.value, db.label.c.note, db.assessor.c.kind)
        .select_from(db.label)
        .join(db.assignment, db.assignment.c.id == db.label.c.assignment_id)
        .join(db.assessor, db.assessor.c.id == db.assignment.c.assessor_id)
        .where(db.assignment.c.item_id.in_(items), db.assignment.c.purpose != "repeat")
        .where(db.assignment.c.state == "done", IS_CURRENT)
        .order_by(db.label.c.id)
    )
    said: dict[int, list[Opinion]] = {}
    for item, alias, value, note, kind in connection.execute(rows):
        said.setdefault(item, []).append(Opinion(alias, value, note, kind))
    return said
