"""A project is changed while people judge: its rules, its guidelines, known answers, whether it is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import bindparam, insert, select, update

from assay.core.domains import Choice
from assay.core.errors import number_of
from assay.store import schema as db
from assay.store.handout import assessor_of
from assay.store.leases import give_back
from assay.store.projects import Project, add_guidelines, item_keys, open_project, open_within, record
from assay.store.saving import settle_all
from assay.store.settings import Settings


def change_settings(project: Project, settings: Settings, *, actor: str = "") -> Project:
    """Change the rules of hand-out; items that are not settled follow them."""
    before = project.settings
    with project.database.writing() as connection:
        connection.execute(update(db.project).where(db.project.c.id == project.id), {"settings": settings.to_json()})
        record(
            connection,
            project.id,
            actor,
            "settings changed",
            "",
            {"before": before.to_json(), "after": settings.to_json()},
        )
        changed = open_within(connection, project)
        if settings.rules(project.scale) != before.rules(project.scale):
            settle_all(connection, changed)
    return open_project(project.database, project.name)


def new_guidelines(project: Project, text: str, *, actor: str = "") -> int:
    """Add a version of the guidelines to a project; its number."""
    with project.database.writing() as connection:
        key = add_guidelines(connection, project.id, text, actor)
        return int(connection.scalar(select(db.guideline.c.version).where(db.guideline.c.id == key)) or 0)


def state_of(project: Project) -> str:
    """`open`, `paused` or `closed`."""
    with project.database.reading() as connection:
        return str(connection.scalar(select(db.project.c.state).where(db.project.c.id == project.id)))


def change_state(project: Project, state: str, *, actor: str = "") -> None:
    """Open, pause or close a project; what is saved of documents that are out is kept in any state."""
    Choice(("open", "paused", "closed")).check("state", state)
    with project.database.writing() as connection:
        connection.execute(update(db.project).where(db.project.c.id == project.id).values(state=state))
        record(connection, project.id, actor, "state changed", state, {})


def add_gold(project: Project, expected: Mapping[tuple[str, str], int], *, tolerance: int = 0, actor: str = "") -> int:
    """State known answers of items of the pool, by topic and document; these are handed out to everybody, unmarked."""
    for value in expected.values():
        project.scale.grade(value)
    with project.database.writing() as connection:
        keys = item_keys(connection, project, expected)
        rows = [{"item_id": keys[pair], "expected": value, "tolerance": tolerance} for pair, value in expected.items()]
        connection.execute(db.gold.delete().where(db.gold.c.item_id.in_([row["item_id"] for row in rows])))
        connection.execute(insert(db.gold), rows)
        connection.execute(
            update(db.item).where(db.item.c.id == bindparam("key")).values(wanted=0, state="settled"),
            [{"key": row["item_id"]} for row in rows],
        )
        record(connection, project.id, actor, "gold added", number_of("item", len(rows)), {"tolerance": tolerance})
    return len(rows)


def change_assessors(project: Project, names: Iterable[str], *, is_active: bool, actor: str = "") -> None:
    """Let assessors judge on, or no more; what they said stays, and what they had begun goes to others."""
    wanted = list(names)
    with project.database.writing() as connection:
        people = [assessor_of(connection, project, name) for name in wanted]
        of_them = update(db.assessor).where(db.assessor.c.id.in_([each.id for each in people]))
        changed = connection.execute(of_them.where(db.assessor.c.is_active != is_active).values(is_active=is_active))
        if changed.rowcount:
            verb = "assessors called back" if is_active else "assessors stopped"
            record(connection, project.id, actor, verb, ", ".join(wanted), {})
    if not is_active:
        for name in wanted:
            give_back(project, name)
