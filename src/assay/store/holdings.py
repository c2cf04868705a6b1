"""What a project is made from: topics, documents and runs as they come in, the pool made of them, and its cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import polars as pl
from sqlalchemy import delete, func, insert, select, update

from assay.core.errors import InputError, listed, number_of
from assay.store import schema as db
from assay.store.database import Database
from assay.store.kept_runs import kept_runs
from assay.store.labels_table import frame_of, labels_frame
from assay.store.preferences import are_preferences, in_pairs
from assay.store.projects import Project, add_documents, add_items, lacking_texts, pool_as_json, record
from assay.store.rows import batched, storable
from assay.tables import Documents, Topics

if TYPE_CHECKING:
    from assay.ground_truth.pooling import Pool

Part: TypeAlias = Literal["topics", "documents", "runs"]
_TABLES: Final = {"topics": db.topic, "documents": db.document, "runs": db.run}
#: Seconds for a judgment, until a project has so many labels that it knows its own.
USUAL_SECONDS, _ENOUGH = 30.0, 20


@dataclass(frozen=True)
class KeptRun:
    """A run that is kept with a project."""

    id: int
    name: str
    created_at: int


@dataclass(frozen=True)
class Holdings:
    """What a project has: topics, documents, runs, and documents of its pool by their state."""

    topics: int
    documents: int
    runs: list[KeptRun]
    items: dict[str, int]

    @property
    def pooled(self) -> int:
        """The documents of the pool."""
        return sum(self.items.values())


@dataclass(frozen=True)
class Cost:
    """The cost of a pool before it is made.

    `new`: documents that are not in the project's pool yet; `judgments`: labels that these get by the overlap, with
    known answers and repeats; `hours`: at `seconds` for each. `at_most`: judgments where everybody disagrees.
    `topics_without`, `documents_without`: those without a text.
    """

    documents: int
    new: int
    topics: int
    judgments: int
    at_most: int
    seconds: float
    is_own_pace: bool
    hours: float
    topics_without: list[str]
    documents_without: list[str]


def holdings_of(project: Project) -> Holdings:
    """What a project has so far."""
    runs = select(db.run.c.id, db.run.c.name, db.run.c.created_at).filter_by(collection_id=project.collection)
    states = select(db.item.c.state, func.count()).filter_by(project_id=project.id).group_by(db.item.c.state)
    with project.database.reading() as connection:
        topics, documents = (
            connection.scalar(select(func.count()).select_from(table).filter_by(collection_id=project.collection)) or 0
            for table in (db.topic, db.document)
        )
        kept = [KeptRun(*row) for row in connection.execute(runs.order_by(db.run.c.id))]
        return Holdings(topics, documents, kept, dict(map(tuple, connection.execute(states))))


def take_topics(project: Project, topics: Iterable[Topics], *, actor: str = "") -> tuple[int, int]:
    """Add topics to a project; how many were new, and how many were there before."""
    rows = [row for each in topics for row in each.frame.iter_rows(named=True)]
    texts = {row["query_id"]: row for row in rows}
    with project.database.writing() as connection:
        known = set(connection.scalars(select(db.topic.c.topic_id).filter_by(collection_id=project.collection)))
        new = [
            {"collection_id": project.collection, "topic_id": key, "place": len(known) + place,
             **{name: storable(row.get(name)) for name in ("title", "description", "narrative")}}
            for place, (key, row) in enumerate((key, row) for key, row in texts.items() if key not in known)
        ]  # fmt: skip
        if new:
            connection.execute(insert(db.topic), new)
            record(connection, project.id, actor, "topics added", number_of("topic", len(new)), {})
    return len(new), len(rows) - len(new)


def take_documents(project: Project, documents: Iterable[Documents], *, actor: str = "") -> tuple[int, int]:
    """Add documents to a project, pooled or not; how many were new, and how many were there before."""
    pieces = list(documents)  # read before the first is written: nobody waits for it, and an error leaves nothing
    with project.database.writing() as connection:
        known = _AllBut(connection.scalars(select(db.document.c.doc_id).filter_by(collection_id=project.collection)))
        new = add_documents(connection, project.collection, pieces, known)
        if new:
            record(connection, project.id, actor, "documents added", number_of("document", len(new)), {})
    return len(new), sum(len(piece) for piece in pieces) - len(new)


def empty(project: Project, part: Part, *, actor: str = "") -> int:
    """Take all topics, documents or runs away again, as long as there is no pool; how many there were."""
    table: Any = _TABLES[part]
    with project.database.writing() as connection:
        if connection.scalar(select(db.item.c.id).filter_by(project_id=project.id).limit(1)) is not None:
            raise InputError(f"{project.name} has a pool: its {part} stay; make another project for others")
        count = connection.execute(delete(table).where(table.c.collection_id == project.collection)).rowcount
        if count:
            record(connection, project.id, actor, f"{part} removed", f"{count:,}", {})
        return count


def pool_of(project: Project, **how: Any) -> Pool:
    """A pool of the runs that a project keeps, as `make_pool` makes it; nothing is changed."""
    from assay.ground_truth.pooling import make_pool  # noqa: PLC0415

    runs = kept_runs(project)
    if not runs:
        raise InputError(f"{project.name}: there is no run yet: a pool is made of the first documents of runs")
    return make_pool(runs, **how)


def cost_of(project: Project, pool: Pool, *, seconds: float | None = None) -> Cost:
    """The cost of a pool: documents, judgments, hours."""
    settings, frame = project.settings, pool.to_judge().select("query_id", "doc_id")
    new = frame.join(_pooled(project), on=["query_id", "doc_id"], how="anti")
    extra = sum(1 / every for every in (settings.gold_every, settings.repeat_every) if every)
    judgments, at_most = (round(new.height * each * (1 + extra)) for each in (settings.overlap, settings.most))
    own = None if seconds else _own_pace(project)
    pace = seconds or own or USUAL_SECONDS
    return Cost(
        frame.height, new.height, frame["query_id"].n_unique(), judgments, at_most, pace, own is not None,
        judgments * pace / 3600, _unknown(project, db.topic, db.topic.c.topic_id, set(frame["query_id"])),
        _unknown(project, db.document, db.document.c.doc_id, set(frame["doc_id"])),
    )  # fmt: skip


def fill_pool(project: Project, pool: Pool, *, keep_missing: bool = False, actor: str = "") -> int:
    """Add what a pool has and the project has not to the documents to judge; how many.

    Documents need a text, unless told to keep them without.
    """
    cost = cost_of(project, pool, seconds=1)
    if without := cost.topics_without:
        raise InputError(f"{number_of('topic', len(without))} of the pool have no text: {listed(without)}")
    if cost.documents_without and not keep_missing:
        raise lacking_texts(set(cost.documents_without), pool.to_judge()["doc_id"].n_unique())
    pairs: Documents | None = None
    if are_preferences(project.scale):
        if _pooled(project).height:
            raise InputError(f"{project.name}: pairs were drawn from its pool: make another project for other runs")
        pool, pairs = in_pairs(pool, _texts(project), seed=project.seed)
    frame = pool.to_judge()
    with project.database.writing() as connection:
        topics = select(db.topic.c.topic_id, db.topic.c.id).filter_by(collection_id=project.collection)
        keys = {row.topic_id: row.id for row in connection.execute(topics)}
        if pairs is not None:
            add_documents(connection, project.collection, pairs, set(frame["doc_id"]))
        there = _pooled(project)
        new = frame.join(there, on=["query_id", "doc_id"], how="anti", maintain_order="left")
        last = connection.scalar(select(func.max(db.item.c.priority)).filter_by(project_id=project.id)) or 0
        # What comes later is drawn by the seed and by what was there, as documents that are added one by one are.
        seed: int | list[int] = [project.seed, there.height] if there.height else project.seed
        fresh = replace(
            pool,
            frame=new.with_columns(pl.col("priority") + last),
            sources=pool.sources.join(there, on=["query_id", "doc_id"], how="anti", maintain_order="left"),
        )
        if new.height:
            add_items(connection, project.id, fresh, keys, settings=project.settings, seed=seed)
            values = {"pool": pool_as_json(pool)}
            connection.execute(update(db.project).where(db.project.c.id == project.id).values(values))
            verb = "pool grown" if there.height else "pool made"
            record(connection, project.id, actor, verb, number_of("document", new.height), dict(pool.settings))
    return new.height


class _AllBut(set[str]):
    """All ids but those that are in it."""

    def __contains__(self, name: object) -> bool:
        return not super().__contains__(name)


def _pooled(project: Project) -> pl.DataFrame:
    rows = (
        select(db.topic.c.topic_id, db.item.c.doc_id)
        .join(db.topic, db.topic.c.id == db.item.c.topic_id)
        .where(db.item.c.project_id == project.id)
    )
    with project.database.reading() as connection:
        return frame_of(connection, rows, {"query_id": pl.String, "doc_id": pl.String})


def _unknown(project: Project, table: Any, column: Any, names: set[str]) -> list[str]:
    """The names that a project has no text of."""
    with project.database.reading() as connection:
        mine = select(column).select_from(table).where(table.c.collection_id == project.collection)
        known = {
            name
            for part in batched(names, db.BATCH)
            for name in connection.scalars(mine.where(column.in_(part)))
        }  # fmt: skip
    return sorted(names - known)


def _own_pace(project: Project) -> float | None:
    """The median of seconds for a label, where there are enough."""
    with project.database.reading() as connection:
        seconds = labels_frame(connection, project)["seconds"].drop_nulls()
    median = seconds.median()
    return float(np.maximum(median, 1)) if isinstance(median, float) and len(seconds) >= _ENOUGH else None


def _texts(project: Project) -> Iterator[Documents]:
    """The documents of a project, in pieces."""
    columns = db.document.c
    rows = select(columns.doc_id, columns.title, columns.body).filter_by(collection_id=project.collection)
    with project.database.reading() as connection:
        for part in connection.execute(rows, execution_options={"yield_per": db.BATCH}).partitions(db.BATCH):
            schema = {"doc_id": pl.String, "title": pl.String, "text": pl.String}
            yield Documents.of(pl.DataFrame(list(map(tuple, part)), schema=schema, orient="row"))


def unused_name(database: Database, name: str) -> str:
    """A name for a project, with a number where there is one of that name."""
    with database.reading() as connection:
        taken = set(connection.scalars(select(db.project.c.name)))
    return next(each for each in (name, *(f"{name} {n}" for n in range(2, len(taken) + 3))) if each not in taken)
