"""Labels as tables: those that count, and all that was ever said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import polars as pl
from sqlalchemy import Connection, Select, case, func, select

from assay.core.errors import InputError
from assay.store import schema as db
from assay.store.projects import Project
from assay.store.saving import IS_CURRENT
from assay.store.scales import Aspect
from assay.tables.labels import Labels

#: Labels with what they were said of, and by whom.
_SAID: Final = (
    db.label.join(db.assignment, db.assignment.c.id == db.label.c.assignment_id)
    .join(db.item, db.item.c.id == db.assignment.c.item_id)
    .join(db.topic, db.topic.c.id == db.item.c.topic_id)
    .join(db.assessor, db.assessor.c.id == db.assignment.c.assessor_id)
)
#: What a row of the table of labels holds.
COLUMNS: Final = (
    "query_id", "item_id", "judge", "label", "purpose", "seconds", "time", "gold", "note", "late", "item", "assessor",
)  # fmt: skip


def labels_frame(
    connection: Connection,
    project: Project,
    *,
    purposes: Sequence[str] = ("main", "import"),
    aspect: str | None = None,
    topic: str | None = None,
) -> pl.DataFrame:
    """The labels that count, one row each; `label` is null where somebody could not judge.

    `aspect`: the grades of a further aspect in place of relevance. `topic`: only those of one topic.
    """
    value = db.label.c.value if aspect is None else db.label_aspect.c.value
    rows = (
        select(
            db.topic.c.topic_id, db.item.c.doc_id, db.assessor.c.alias, value, db.assignment.c.purpose,
            db.label.c.active_ms / 1000.0, _SAID_AT, db.gold.c.expected, db.label.c.note,
            db.label.c.is_late,
            db.item.c.id, db.assessor.c.id,
        )
        .select_from(_SAID)
        .outerjoin(db.gold, db.gold.c.item_id == db.item.c.id)
        .where(db.item.c.project_id == project.id, db.assignment.c.purpose.in_(purposes))
        .where(db.assignment.c.state == "done", ~db.label.c.is_surplus, IS_CURRENT)
        .order_by(db.label.c.id)
    )  # fmt: skip
    if topic is not None:
        rows = rows.where(db.topic.c.topic_id == topic, db.topic.c.collection_id == project.collection)
    if aspect is not None:
        rows = rows.join(db.label_aspect, db.label_aspect.c.label_id == db.label.c.id).where(
            db.label_aspect.c.aspect_id == aspect_key(project, aspect)
        )
    return frame_of(connection, rows, _SCHEMA)


#: When something was said: of what came in by a file, by the file, if it tells.
_SAID_AT = case(
    (db.label.c.input == "file", func.coalesce(db.label.c.client_at, db.label.c.created_at)),
    else_=db.label.c.created_at,
)
_SCHEMA: Final = dict(
    zip(
        COLUMNS,
        (pl.String, pl.String, pl.String, pl.Int64, pl.String, pl.Float64, pl.Int64, pl.Int64, pl.String, pl.Boolean,
         pl.Int64, pl.Int64),
        strict=True,
    )
)  # fmt: skip


def labels_of(project: Project, *, purposes: Sequence[str] = ("main", "import"), aspect: str | None = None) -> Labels:
    """The labels that count as a table of `agree` and `crowd`, by alias; without what could not be judged."""
    with project.database.reading() as connection:
        frame = labels_frame(connection, project, purposes=purposes, aspect=aspect)
    return as_labels(project, frame)


def as_labels(project: Project, frame: pl.DataFrame) -> Labels:
    """Rows of labels as `Labels`."""
    kept = frame.drop_nulls("label").with_columns(pl.from_epoch("time", "ms"))
    if not kept.height:
        raise InputError(f"{project.name}: nobody has judged anything yet")
    kept = kept.with_columns(pl.col("note").replace("", None))
    empty = [name for name in ("gold", "seconds", "note") if kept[name].null_count() == kept.height]
    empty += ["time"] * (kept["time"].n_unique() == 1)  # a file without times came in at one moment
    every = ("query_id", "item_id", "judge", "label", "seconds", "time", "gold", "note")
    columns = [name for name in every if name not in empty]
    return Labels.of(kept.select(columns), name=project.name, origin=project.database.name, repeated="last")


def aspect_of(project: Project, name: str) -> Aspect:
    """An aspect of a project by its name."""
    return project.aspects[aspect_key(project, name)]


def aspect_key(project: Project, name: str) -> int:
    """The key of an aspect by its name."""
    for key, aspect in project.aspects.items():
        if aspect.name == name:
            return key
    known = ", ".join(aspect.name for aspect in project.aspects.values())
    raise InputError(f"{project.name}: no aspect is called {name!r}: there are {known}")


def frame_of(connection: Connection, rows: Select[Any], schema: dict[str, Any]) -> pl.DataFrame:
    """The rows of a query as a frame, read in pieces, so that no list of all of them is made."""
    result = connection.execute(rows, execution_options={"yield_per": db.BATCH})
    pieces = [
        pl.DataFrame(list(map(tuple, piece)), schema=schema, orient="row") for piece in result.partitions(db.BATCH)
    ]
    return pl.concat(pieces) if pieces else pl.DataFrame(schema=schema)


def history(project: Project) -> Iterator[dict[str, Any]]:
    """Everything that was ever said, in order: labels that were replaced or withdrawn, too, with their authors."""
    later = db.label.alias()
    rows = (
        select(
            db.label.c.id, db.topic.c.topic_id.label("query_id"), db.item.c.doc_id,
            db.assessor.c.name.label("assessor"), db.assessor.c.alias, db.assessor.c.kind, db.assignment.c.purpose,
            db.assignment.c.number, db.label.c.verdict,
            db.label.c.value, db.label.c.note, db.label.c.active_ms, db.label.c.input, db.label.c.shown,
            db.guideline.c.version.label("guidelines"), db.label.c.client_key, db.label.c.created_at,
            db.label.c.client_at, db.label.c.supersedes, later.c.id.label("superseded_by"), db.label.c.is_late,
            db.label.c.is_surplus,
        )
        .select_from(_SAID)
        .outerjoin(db.guideline, db.guideline.c.id == db.label.c.guideline_id)
        .outerjoin(later, later.c.supersedes == db.label.c.id)
        .where(db.item.c.project_id == project.id)
        .order_by(db.label.c.id)
    )  # fmt: skip
    names = {key: aspect.name for key, aspect in project.aspects.items()}
    with project.database.reading() as connection:
        grades: dict[int, dict[str, int]] = {}
        for label, aspect, value in connection.execute(select(db.label_aspect)):
            grades.setdefault(label, {})[names.get(aspect, str(aspect))] = value
        for row in connection.execute(rows, execution_options={"yield_per": db.BATCH}).mappings():
            yield {**row, "aspects": grades.get(row["id"], {})}
