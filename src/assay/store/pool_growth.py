"""A pool that grows while people judge: documents that later runs found, or that would decide a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, insert, select

from assay.core.errors import number_of
from assay.store import schema as db
from assay.store.projects import Project, add_documents, record

if TYPE_CHECKING:
    from assay.tables import Documents


def add_to_pool(
    project: Project,
    pairs: Sequence[tuple[str, str]],
    documents: Documents | Iterable[Documents],
    *,
    actor: str = "",
) -> set[tuple[str, str]]:
    """Add documents of topics to the pool; which of them were new, of topics of the project, and have a text."""
    with project.database.writing() as connection:
        topics = select(db.topic.c.topic_id, db.topic.c.id).filter_by(collection_id=project.collection)
        keys = {row.topic_id: row.id for row in connection.execute(topics)}
        wanted = {document for topic, document in pairs if topic in keys}
        texts = select(db.document.c.doc_id).filter_by(collection_id=project.collection)
        stored = set(connection.scalars(texts.where(db.document.c.doc_id.in_(wanted))))
        there = stored | add_documents(connection, project.collection, documents, wanted - stored)
        rows = select(db.item.c.topic_id, db.item.c.doc_id).filter_by(project_id=project.id)
        pooled = {(topic, document) for topic, document in connection.execute(rows)}
        new = [
            (topic, document) for topic, document in dict.fromkeys(pairs)
            if topic in keys and document in there and (keys[topic], document) not in pooled
        ]  # fmt: skip
        # A project's order is drawn by its seed; what comes later is drawn by it and by what was there.
        shuffle = np.random.default_rng([project.seed, len(pooled)]).integers(0, 2**31, len(new)).tolist()
        last = connection.scalar(select(func.max(db.item.c.priority)).filter_by(project_id=project.id)) or 0
        if new:
            connection.execute(
                insert(db.item),
                [
                    {"project_id": project.id, "topic_id": keys[topic], "doc_id": document, "priority": last + place,
                     "shuffle": chance, "wanted": project.settings.overlap}
                    for place, ((topic, document), chance) in enumerate(zip(new, shuffle, strict=True), 1)
                ],
            )  # fmt: skip
            by_topic = dict(Counter(topic for topic, _ in new))
            record(connection, project.id, actor, "pool grown", number_of("document", len(new)), {"topics": by_topic})
    return set(new)
