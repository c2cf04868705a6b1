"""Judging projects: what is judged, by whom and by which rules; made once, opened by name."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sqlalchemy import Connection, insert, select, update

from assay.core.errors import InputError, ParameterError, argument, listed, not_among, number_of
from assay.ground_truth.pooling import Pool
from assay.store import schema as db
from assay.store.database import Database, StoreError, now
from assay.store.rows import insert_many, inserted, storable
from assay.store.scales import Aspect, Grade, Scale
from assay.store.settings import Settings

if TYPE_CHECKING:
    from assay.tables import Documents, Topics

#: The first aspect of every project.
RELEVANCE: Final = "relevance"


@dataclass(frozen=True)
class Project:
    """A project in an open database; what it says of itself is read when it is opened."""

    database: Database
    id: int
    collection: int
    name: str
    seed: int
    settings: Settings
    pool: Mapping[str, Any]

    @cached_property
    def aspects(self) -> dict[int, Aspect]:
        """The questions about each document, by the key of the aspect: relevance first."""
        joined = select(db.aspect, db.grade, db.scale.c.name.label("scale_name")).join(
            db.scale, db.scale.c.id == db.aspect.c.scale_id
        )
        rows = joined.join(db.grade, db.grade.c.scale_id == db.scale.c.id).where(db.aspect.c.project_id == self.id)
        grades: dict[int, list[Grade]] = {}
        texts: dict[int, tuple[str, str, str]] = {}
        with self.database.reading() as connection:
            for row in connection.execute(rows.order_by(db.aspect.c.place, db.grade.c.place)).mappings():
                key = row[db.aspect.c.id]
                texts[key] = (row[db.aspect.c.name], row["scale_name"], row[db.aspect.c.question])
                grades.setdefault(key, []).append(
                    Grade(row["value"], row["label"], row["help"], row["gain"], row["is_relevant"], row["key"])
                )
        return {
            key: Aspect(name, Scale(scale, tuple(grades[key])), question)
            for key, (name, scale, question) in texts.items()
        }

    @cached_property
    def topics(self) -> tuple[int, ...]:
        """The keys of the topics, which are the same for good."""
        with self.database.reading() as connection:
            keys = connection.scalars(select(db.topic.c.id).filter_by(collection_id=self.collection).order_by("id"))
            return tuple(keys)

    @property
    def scale(self) -> Scale:
        """The grades of relevance."""
        return next(iter(self.aspects.values())).scale

    def __repr__(self) -> str:
        return f"<Project {self.name!r} in {self.database.name}>"


def create_project(
    database: Database,
    name: str,
    pool: Pool,
    topics: Topics,
    documents: Documents | Iterable[Documents],
    *,
    scale: Scale,
    settings: Settings | None = None,
    aspects: Sequence[Aspect] = (),
    guidelines: str = "",
    keep_missing: bool = False,
    seed: int = 0,
    actor: str = "",
) -> Project:
    """Make a project of a pool, with the text of its topics and documents.

    Everything is made in one transaction. A pooled document without text is an error, unless told to keep it: then its
    judges are shown the id alone.
    """
    to_judge = pool.to_judge()
    with database.writing() as connection:
        project, collection, settings = _begun(
            connection, database, name, scale, settings, aspects, guidelines, seed, actor
        )
        connection.execute(update(db.project).where(db.project.c.id == project).values(pool=pool_as_json(pool)))
        by_topic = add_topics(connection, collection, topics, to_judge["query_id"].unique().to_list())
        wanted = set(to_judge["doc_id"])
        missing = wanted - add_documents(connection, collection, documents, wanted)
        if missing and not keep_missing:
            raise lacking_texts(missing, len(wanted))
        add_items(connection, project, pool, by_topic, settings=settings, seed=seed)
        record(connection, project, actor, "project made", name, {"items": to_judge.height, "missing": len(missing)})
    return open_project(database, name)


def begin_project(
    database: Database, name: str, *, scale: Scale, settings: Settings | None = None, aspects: Sequence[Aspect] = (),
    guidelines: str = "", seed: int = 0, actor: str = "",
) -> Project:  # fmt: skip
    """Make a project without topics, documents and pool, which are added to it one after the other."""
    with database.writing() as connection:
        project, *_ = _begun(connection, database, name, scale, settings, aspects, guidelines, seed, actor)
        record(connection, project, actor, "project made", name, {"items": 0})
    return open_project(database, name)


def _begun(  # noqa: PLR0917  # what a project is made of, handed on
    connection: Connection, database: Database, name: str, scale: Scale, settings: Settings | None,
    aspects: Sequence[Aspect], guidelines: str, seed: int, actor: str,
) -> tuple[int, int, Settings]:  # fmt: skip
    """The keys of a new project and of its collection, and its settings."""
    settings = settings or Settings()
    _check_name(name)
    asked = [Aspect(RELEVANCE, scale), *aspects]
    names = [each.name for each in asked]
    if twice := next((each for each in names if names.count(each) > 1), None):
        raise ParameterError(f"aspects: every aspect has a name of its own, got {twice!r} twice")
    if connection.scalar(select(db.project.c.id).where(db.project.c.name == name)) is not None:
        raise StoreError(f"{database.name}: there is a project {name!r} already: choose another name")
    time = now(connection)
    collection = inserted(connection, db.collection, name=name, created_at=time)
    project = inserted(
        connection, db.project, collection_id=collection, name=name, settings=settings.to_json(), seed=seed,
        created_at=time,
    )  # fmt: skip
    for place, aspect in enumerate(asked):
        _add_aspect(connection, project, place, aspect)
    if guidelines.strip():
        add_guidelines(connection, project, guidelines, actor)
    return project, collection, settings


def pool_as_json(pool: Pool) -> str:
    """How a pool was made, as it is kept with its project."""
    return json.dumps(dict(pool.settings), sort_keys=True, default=str)


def lacking_texts(missing: set[str], wanted: int) -> InputError:
    """The error where pooled documents have no text."""
    return InputError(
        f"{number_of('document', len(missing))} of {wanted:,} in the pool have no text "
        f"({listed(sorted(missing))}): add them to the documents, or keep them without text, "
        f"{argument('keep_missing', True)}"
    )


def open_project(database: Database, name: str | None = None) -> Project:
    """A project by its name; the only one that there is, if none is named."""
    with database.reading() as connection:
        rows = {row.name: row for row in connection.execute(select(db.project).order_by(db.project.c.id))}
    if not rows:
        raise StoreError(f"{database.name}: there is no project yet: `assay judge init` makes one")
    if name is None and len(rows) > 1:
        raise StoreError(f"{database.name}: there are several projects ({listed(list(rows))}): choose one by its name")
    if name is not None and name not in rows:
        raise not_among("project", name, rows)
    return _project(database, next(iter(rows.values())) if name is None else rows[name])


def project_by_key(database: Database, key: int) -> Project:
    """A project by its key."""
    with database.reading() as connection:
        row = connection.execute(select(db.project).where(db.project.c.id == key)).one_or_none()
    if row is None:
        raise InputError("there is no such project")
    return _project(database, row)


def add_assessors(
    project: Project,
    names: Iterable[str],
    *,
    kind: str = "human",
    topics: Iterable[str] | None = None,
    details: Mapping[str, Any] | None = None,
    actor: str = "",
) -> list[str]:
    """Add assessors, or give those that there are other topics; the aliases under which others see them.

    `topics`: only these are handed out to them.
    """
    wanted = list(dict.fromkeys(names))
    with project.database.writing() as connection:
        known = {row.name: row for row in connection.execute(select(db.assessor).filter_by(project_id=project.id))}
        ids = None if topics is None else _topic_keys(connection, project, topics)
        count = len(known)
        for name in wanted:
            _check_name(name)
            if name in known:
                key = known[name].id
            else:
                count += 1
                key = inserted(
                    connection, db.assessor, project_id=project.id, name=name, alias=f"{_WORDS[kind]} {count}",
                    kind=kind, details=json.dumps(dict(details or {}), sort_keys=True), created_at=now(connection),
                )  # fmt: skip
            if ids is not None:
                connection.execute(db.share.delete().where(db.share.c.assessor_id == key))
                connection.execute(insert(db.share), [{"assessor_id": key, "topic_id": each} for each in ids])
        record(connection, project.id, actor, "assessors added", ", ".join(wanted), {"kind": kind})
        rows = connection.execute(select(db.assessor.c.name, db.assessor.c.alias).filter_by(project_id=project.id))
        aliases = {row.name: row.alias for row in rows}
    return [aliases[name] for name in wanted]


_WORDS = {"human": "assessor", "program": "program", "model": "model", "import": "import"}


def open_within(connection: Connection, project: Project) -> Project:
    """A project as a transaction sees it, which may have changed it."""
    return _project(project.database, connection.execute(select(db.project).where(db.project.c.id == project.id)).one())


def _project(database: Database, row: Any) -> Project:
    return Project(
        database, row.id, row.collection_id, row.name, row.seed, Settings.of(row.settings), json.loads(row.pool)
    )


def add_guidelines(connection: Connection, project: int, text: str, actor: str = "") -> int:
    """Add a version of the guidelines; labels say under which version they were given."""
    versions = select(db.guideline.c.version).filter_by(project_id=project).order_by(db.guideline.c.version.desc())
    version = (connection.scalar(versions.limit(1)) or 0) + 1
    key = inserted(
        connection, db.guideline, project_id=project, version=version, text=storable(text), created_at=now(connection)
    )
    record(connection, project, actor, "guidelines added", f"version {version}", {})
    return key


def newest_guidelines(project: Project) -> str:
    """The guidelines that hold now; empty where there are none."""
    newest = select(db.guideline.c.text).filter_by(project_id=project.id).order_by(db.guideline.c.version.desc())
    with project.database.reading() as connection:
        return connection.scalar(newest.limit(1)) or ""


def item_keys(connection: Connection, project: Project, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The keys of items by topic and document; an error names those that are in no pool."""
    wanted = list(pairs)
    rows = connection.execute(
        select(db.topic.c.topic_id, db.item.c.doc_id, db.item.c.id)
        .join(db.topic, db.topic.c.id == db.item.c.topic_id)
        .where(db.item.c.project_id == project.id, db.topic.c.topic_id.in_({topic for topic, _ in wanted}))
    )
    known = {(topic, document): key for topic, document, key in rows}
    absent = [" ".join(pair) for pair in wanted if pair not in known]
    if absent:
        raise InputError(
            f"{len(absent):,} of {number_of('document', len(wanted))} {'is' if len(absent) == 1 else 'are'} "
            f"not in the pool: {listed(absent)}"
        )
    return {pair: known[pair] for pair in wanted}


def record(  # noqa: PLR0917  # who did what, in the order of a sentence
    connection: Connection, project: int | None, actor: str, verb: str, what: str, details: Mapping[str, Any]
) -> None:
    """Write down who did what; nothing of this is ever changed."""
    connection.execute(
        insert(db.event).values(
            project_id=project, actor=actor, verb=verb, what=what, details=json.dumps(dict(details), sort_keys=True),
            created_at=now(connection),
        )
    )  # fmt: skip


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise ParameterError(f"expected a name of 1 to 100 printable characters, got {name!r}")


def _add_aspect(connection: Connection, project: int, place: int, aspect: Aspect) -> None:
    scale = inserted(connection, db.scale, name=aspect.scale.name)
    inserted(
        connection,
        db.aspect,
        project_id=project,
        scale_id=scale,
        name=aspect.name,
        question=aspect.question,
        place=place,
    )
    grades = [
        {"scale_id": scale, "value": grade.value, "place": number, "label": grade.label, "help": grade.help,
         "gain": grade.worth, "is_relevant": grade.counts, "key": grade.key}
        for number, grade in enumerate(aspect.scale.grades)
    ]  # fmt: skip
    connection.execute(insert(db.grade), grades)


def add_topics(connection: Connection, collection: int, topics: Topics, wanted: list[str]) -> dict[str, int]:
    """Add topics that are pooled; the keys of all topics of a collection."""
    frame = topics.frame
    texts = {row["query_id"]: row for row in frame.iter_rows(named=True)}
    if absent := [each for each in wanted if each not in texts]:
        raise InputError(f"{number_of('topic', len(absent))} of the pool have no text: {listed(sorted(absent))}")
    rows = [
        {"collection_id": collection, "topic_id": each, "place": place,
         **{name: storable(texts[each].get(name)) for name in ("title", "description", "narrative")}}
        for place, each in enumerate(name for name in texts if name in set(wanted))
    ]  # fmt: skip
    connection.execute(insert(db.topic), rows)
    return {
        row.topic_id: row.id
        for row in connection.execute(select(db.topic.c.topic_id, db.topic.c.id).filter_by(collection_id=collection))
    }


def add_documents(
    connection: Connection, collection: int, documents: Documents | Iterable[Documents], wanted: Container[str]
) -> set[str]:
    """Add the documents that are wanted; which were found."""
    found: set[str] = set()
    for piece in [documents] if hasattr(documents, "frame") else documents:
        rows = []
        for row in piece.frame.iter_rows(named=True):
            if row["doc_id"] not in wanted or row["doc_id"] in found:
                continue
            found.add(row["doc_id"])
            details = {
                name: value for name, value in row.items()
                if name not in {"doc_id", "title", "text"} and isinstance(value, str | int | float) and value != ""
            }  # fmt: skip
            rows.append(
                {"collection_id": collection, "doc_id": row["doc_id"], "title": storable(row["title"]),
                 "body": storable(row["text"]), "details": storable(json.dumps(details, ensure_ascii=False))}
            )  # fmt: skip
        insert_many(connection, db.document, rows)
    return found


def add_items(
    connection: Connection, project: int, pool: Pool, by_topic: Mapping[str, int], *, settings: Settings,
    seed: int | list[int],
) -> None:  # fmt: skip
    """Add the documents of a pool to judge, and the runs that found them."""
    frame = pool.to_judge()
    shuffle = np.random.default_rng(seed).integers(0, 2**31, frame.height)
    columns = zip(
        frame["query_id"], frame["doc_id"], frame["priority"], frame["stratum"], frame["inclusion"], shuffle.tolist(),
        strict=True,
    )  # fmt: skip
    insert_many(
        connection,
        db.item,
        [
            {"project_id": project, "topic_id": by_topic[query], "doc_id": document, "priority": int(priority),
             "stratum": int(stratum or 0), "inclusion": float(inclusion), "shuffle": chance, "wanted": settings.overlap}
            for query, document, priority, stratum, inclusion, chance in columns
        ],
    )  # fmt: skip
    rows = connection.execute(select(db.item.c.topic_id, db.item.c.doc_id, db.item.c.id).filter_by(project_id=project))
    keys = {(topic, document): key for topic, document, key in rows}
    sources = (
        {"item_id": keys[by_topic[query], document], "run": run, "rank": rank}
        for query, document, run, rank in pool.sources.select("query_id", "doc_id", "run", "rank").iter_rows()
        if (by_topic.get(query), document) in keys
    )
    insert_many(connection, db.source, sources)


def _topic_keys(connection: Connection, project: Project, topics: Iterable[str]) -> list[int]:
    rows = connection.execute(select(db.topic.c.topic_id, db.topic.c.id).filter_by(collection_id=project.collection))
    known = {row.topic_id: row.id for row in rows}
    for each in topics:
        if each not in known:
            raise not_among("topic", each, known)
    return [known[each] for each in topics]
