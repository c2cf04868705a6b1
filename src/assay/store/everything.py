"""Everything that a project holds, record by record: rules, people, the pool, labels, decisions, releases, events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sqlalchemy import Select, select

from assay.store import schema as db
from assay.store.labels_table import history
from assay.store.projects import Project
from assay.store.releases import releases


def everything(project: Project) -> Iterator[dict[str, Any]]:
    """The records of a project, each with what it is of under `record`; texts of documents stay in the backup."""
    yield {"record": "project", "name": project.name, "seed": project.seed, "settings": vars(project.settings),
           "pool": dict(project.pool)}  # fmt: skip
    for aspect in project.aspects.values():
        yield {"record": "aspect", "name": aspect.name, "question": aspect.question,
               "grades": [asdict(grade) for grade in aspect.scale.grades]}  # fmt: skip
    with project.database.reading() as connection:
        for name, rows in _queries(project).items():
            for row in connection.execute(rows).mappings():
                yield {"record": name, **{key: _plain(key, value) for key, value in row.items()}}
    for label in history(project):
        yield {"record": "label", **label}
    for each in releases(project):
        yield {"record": "release", **each, "policy": asdict(each["policy"])}


def _queries(project: Project) -> dict[str, Select[Any]]:
    """What is read for each kind of record, in the order in which it was made."""
    assessor, item, topic = db.assessor.c, db.item.c, db.topic.c
    pooled = (topic.topic_id.label("query_id"), item.doc_id)
    of_items = (
        select(*pooled, item.stratum, item.inclusion, item.priority, item.state, item.wanted)
        .join(db.topic, topic.id == item.topic_id)
        .where(item.project_id == project.id)
    )
    return {
        "guidelines": select(db.guideline.c.version, db.guideline.c.text, db.guideline.c.created_at)
        .filter_by(project_id=project.id).order_by(db.guideline.c.version),
        "assessor": select(assessor.name, assessor.alias, assessor.kind, assessor.details, assessor.is_active,
                           assessor.created_at).filter_by(project_id=project.id).order_by(assessor.id),
        "topic": select(topic.topic_id, topic.title, topic.description, topic.narrative)
        .filter_by(collection_id=project.collection).order_by(topic.place),
        "run": select(db.run.c.name, db.run.c.sha256, db.run.c.created_at)
        .filter_by(collection_id=project.collection).order_by(db.run.c.id),
        "item": of_items.order_by(item.id),
        "gold": select(*pooled, db.gold.c.expected, db.gold.c.tolerance)
        .join(db.item, item.id == db.gold.c.item_id).join(db.topic, topic.id == item.topic_id)
        .where(item.project_id == project.id).order_by(item.id),
        "decision": select(*pooled, db.adjudication.c.value, db.adjudication.c.reason, db.adjudication.c.decided_by,
                           db.adjudication.c.created_at)
        .join(db.item, item.id == db.adjudication.c.item_id).join(db.topic, topic.id == item.topic_id)
        .where(item.project_id == project.id).order_by(db.adjudication.c.id),
        "event": select(db.event.c.actor, db.event.c.verb, db.event.c.what, db.event.c.details, db.event.c.created_at)
        .filter_by(project_id=project.id).order_by(db.event.c.id),
    }  # fmt: skip


def _plain(key: str, value: Any) -> Any:
    return json.loads(value) if key == "details" else value
