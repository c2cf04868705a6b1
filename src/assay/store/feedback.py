"""Adaptive orders: what was judged of a topic says which of its documents come next, in batches.

Judges notice when relevant documents get rare, and several of them judge a topic at once; so the order is made anew
after every ten labels of a topic, and not after each.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, select, update

from assay.ground_truth.strategies import ADAPTIVE, Judged, next_documents
from assay.store import schema as db
from assay.store.labels_table import labels_frame
from assay.store.projects import Project

#: So many labels of a topic make its order anew.
BATCH: Final = 10


def feed_back_label(project: Project, assignment: int) -> int:
    """Order the open documents of a topic, if it is time to, after a label of one; how many were put in order."""
    if project.settings.order not in ADAPTIVE:
        return 0
    of_label = select(db.topic.c.topic_id).select_from(db.assignment).join(db.item).join(db.topic)
    with project.database.reading() as connection:
        topic = connection.scalars(of_label.where(db.assignment.c.id == assignment)).one()
    return feed_back(project, topic)


def feed_back(project: Project, topic_id: str) -> int:
    """Order the open documents of a topic by what was judged of it, if it is time to; how many were put in order."""
    strategy = project.settings.order
    if strategy not in ADAPTIVE:
        return 0
    with project.database.writing(durable=False) as connection:
        of_topic = (db.item.c.project_id == project.id, db.topic.c.topic_id == topic_id)
        items = (
            select(db.item.c.id, db.item.c.doc_id, db.item.c.state).select_from(db.item).join(db.topic).where(*of_topic)
        )
        found = select(db.source.c.run, db.source.c.rank, db.item.c.doc_id).select_from(db.source).join(db.item)
        labels = labels_frame(connection, project, topic=topic_id).drop_nulls("label")
        if not labels.height or labels.height % BATCH:
            return 0
        rankings: dict[str, list[str]] = {}
        best: dict[str, tuple[int, str]] = {}
        for run, rank, document in connection.execute(
            found.join(db.topic).where(*of_topic).order_by(db.source.c.run, db.source.c.rank)
        ):
            rankings.setdefault(run, []).append(document)
            best[document] = min(best.get(document, (rank, run)), (rank, run))
        runs = list(rankings)
        judged = [
            Judged(document, runs.index(best[document][1]) if document in best else -1, project.scale.relevant(grade))
            for document, grade in labels.unique("item_id", keep="last", maintain_order=True)
            .select("item_id", "label")
            .iter_rows()
        ]
        order = next_documents(strategy, list(rankings.values()), judged, count=max(len(best), 1), seed=project.seed)
        place = {proposal.doc_id: number for number, proposal in enumerate(order, 1)}
        rows = [
            {"key": key, "place": place.get(document, len(place) + 1)}
            for key, document, state in connection.execute(items)
            if state == "open"
        ]
        if rows:
            connection.execute(
                update(db.item).where(db.item.c.id == bindparam("key")).values(priority=bindparam("place")), rows
            )
        return len(rows)
