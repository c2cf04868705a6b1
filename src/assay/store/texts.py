"""Texts of topics and documents by their ids, for pages that show a few of them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from assay.store import schema as db
from assay.store.projects import Project


def topic_names(project: Project) -> set[str]:
    """The ids of the topics of a project."""
    with project.database.reading() as connection:
        return set(connection.scalars(select(db.topic.c.topic_id).filter_by(collection_id=project.collection)))


def topic_text(project: Project, topic: str) -> tuple[str, str]:
    """The title and the description of a topic; empty where there is none."""
    mine = select(db.topic.c.title, db.topic.c.description).filter_by(collection_id=project.collection, topic_id=topic)
    with project.database.reading() as connection:
        row = connection.execute(mine).one_or_none()
        return ("", "") if row is None else (row.title, row.description)


def headings_of(project: Project, documents: Collection[str]) -> dict[str, str]:
    """The titles of documents by their ids, as far as they are known."""
    rows = select(db.document.c.doc_id, db.document.c.title).filter_by(collection_id=project.collection)
    with project.database.reading() as connection:
        return {row.doc_id: row.title for row in connection.execute(rows.where(db.document.c.doc_id.in_(documents)))}
