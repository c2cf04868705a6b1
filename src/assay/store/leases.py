"""What an assessor has and did not finish: kept for longer, taken up again, or given back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from assay.core.errors import InputError
from assay.store import schema as db
from assay.store.database import time_after
from assay.store.handout import MINUTE, RENEW, Assessor, Task, assessor_of, end_leases, hand_out, task_of
from assay.store.projects import Project
from assay.store.settings import Settings


def hand_out_more(project: Project, assessor: str, number: int, *, besides: Collection[int] = ()) -> list[Task]:
    """So many documents to judge next, `besides` assignments that are at hand: those that they have, then new ones."""
    with project.database.writing(durable=False) as connection:
        person = assessor_of(connection, project, assessor, active=True)
        until = _until(person)
        kept = [row.id for row in _held(connection, person) if row.id not in besides][:number]
        for key in kept:
            connection.execute(RENEW, {"key": key, "until": until})
        tasks = [task_of(connection, project, key, until) for key in kept]
    while len(tasks) < number and (task := hand_out(project, assessor, resume=False)) is not None:
        tasks.append(task)
    return tasks


def renew(project: Project, assessor: str, assignment: int) -> int:
    """Keep a document for as long as a lease takes from now on; when that ends."""
    leases = renew_all(project, assessor, [assignment])
    if not leases:
        raise InputError(f"{assessor} does not have this document any more: the lease has run out")
    return leases[assignment]


def renew_all(project: Project, assessor: str, assignments: Collection[int]) -> dict[int, int]:
    """Keep documents for as long as a lease takes from now on: when that ends, for those that they still have."""
    with project.database.writing(durable=False) as connection:
        person = assessor_of(connection, project, assessor)
        until = _until(person)
        renewed = connection.scalars(
            update(db.assignment)
            .where(db.assignment.c.id.in_(assignments), db.assignment.c.assessor_id == person.id)
            .where(db.assignment.c.state == db.fixed("leased"))
            .values(lease_until=until)
            .returning(db.assignment.c.id)
        )
        return dict.fromkeys(sorted(renewed), until)


def give_back(
    project: Project, assessor: str, *, keep: int | None = None, leases: Mapping[int, int] | None = None
) -> int:
    """Give back what an assessor has and did not finish, so that others need not wait; how many documents.

    `keep`: an assignment that they keep. `leases`: only these assignments, and only if their leases end when they are
    said to: one that was renewed meanwhile is in use elsewhere.
    """
    with project.database.writing(durable=False) as connection:
        person = assessor_of(connection, project, assessor)
        held = [
            row
            for row in _held(connection, person)
            if row.id != keep and (leases is None or leases.get(row.id) == row.lease_until)
        ]
        end_leases(connection, held)
        return len(held)


def _until(person: Assessor) -> int:
    """When a lease ends that begins now."""
    return time_after(person.last) + Settings.stored(person.settings).lease * MINUTE


def _held(connection: Connection, person: Assessor) -> list[Any]:
    """What somebody has, in the order in which it was handed out."""
    return list(connection.execute(_HELD, {"assessor": person.id}))


_HELD = (
    select(db.assignment.c.id, db.assignment.c.item_id, db.assignment.c.purpose, db.assignment.c.lease_until)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == db.fixed("leased"))
    .order_by(db.assignment.c.number)
)
