"""Labels are saved: each in one transaction, once, for good; and what becomes of the item follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from sqlalchemy import Connection, bindparam, exists, insert, select, update

from assay.core.errors import InputError, ParameterError
from assay.store import schema as db
from assay.store.database import StoreError, now
from assay.store.handout import assessor_of
from assay.store.projects import Project, open_within, storable
from assay.store.settling import Rules, standing

Input: TypeAlias = Literal["", "key", "click", "form", "file", "program"]


class Saved(NamedTuple):
    """The outcome of saving a label: its key; known already, late, or not waited for any more."""

    label: int
    is_repeated: bool = False
    is_late: bool = False
    is_surplus: bool = False


class ConflictError(StoreError):
    """A label was changed meanwhile: what is to be replaced is not the current one."""

    def __init__(self, message: str, current: int | None) -> None:
        super().__init__(message)
        self.current = current


def save(
    project: Project,
    assessor: str,
    assignment: int,
    value: int | None,
    *,
    client_key: str,
    further: Mapping[str, int] | None = None,
    note: str = "",
    active_ms: int | None = None,
    input: Input = "",
    shown: str = "",
    guideline: int | None = None,
    client_at: int | None = None,
    replaces: int | None = None,
) -> Saved:
    """Save what an assessor said of a document: a grade, or None where it cannot be judged.

    `client_key` is made by whoever asks: the same key again changes nothing and answers the same. What was said before
    of this assignment is superseded, and stays. `further`: grades of further aspects, by name. `replaces`: the label
    that the assessor saw and changes; a `ConflictError` if it is not the current one.
    """
    if not client_key or len(client_key) > 200:
        raise ParameterError("client_key: expected 1 to 200 characters that no other label has")
    if value is not None:
        project.scale.grade(value)
    grades = _further(project, further or {})
    with project.database.writing() as connection:
        person = assessor_of(connection, project, assessor)
        known = connection.execute(_KNOWN, {"key": client_key}).one_or_none()
        if known is not None:
            if known.assignment_id != assignment:
                raise ParameterError(f"client_key {client_key!r} was used for another document")
            return Saved(known.id, True, known.is_late, known.is_surplus)
        row = connection.execute(_ASSIGNED, {"key": assignment}).one_or_none()
        if row is None or row.assessor_id != person.id or row.project_id != project.id:
            raise InputError(f"{assessor} was not asked about this document")
        current = connection.execute(_CURRENT, {"assignment": assignment}).one_or_none()
        if replaces is not None and (current is None or current.id != replaces):
            raise ConflictError("the label was changed meanwhile: look at it again", current.id if current else None)
        is_back = row.state in {"released", "skipped"}
        is_surplus = current.is_surplus if current else is_back and row.purpose == "main" and row.taken >= row.wanted
        time = now(connection)
        values = {
            "verdict": "cannot_judge" if value is None else "graded", "value": value, "note": storable(note),
            "active_ms": active_ms, "input": input, "shown": shown, "guideline_id": guideline, "client_key": client_key,
            "client_at": client_at, "is_late": row.state == "released", "is_surplus": is_surplus,
        }  # fmt: skip
        label = _add(connection, assignment, current.id if current else None, time, values)
        if grades:
            rows = [{"label_id": label, "aspect_id": aspect, "value": grade} for aspect, grade in grades.items()]
            connection.execute(insert(db.label_aspect), rows)
        connection.execute(_STATE, {"key": assignment, "to": "done"})
        if row.purpose == "main" and not is_surplus:
            _settle(connection, row.item_id, project.settings.rules(project.scale), took=int(is_back))
        return Saved(label, False, values["is_late"], is_surplus)


def skip(project: Project, assessor: str, assignment: int) -> None:
    """Leave a document to somebody else; it comes again when nothing else is left."""
    with project.database.writing() as connection:
        person = assessor_of(connection, project, assessor)
        row = connection.execute(_ASSIGNED, {"key": assignment}).one_or_none()
        if row is None or row.assessor_id != person.id:
            raise InputError(f"{assessor} was not asked about this document")
        if row.state != "leased":
            return
        connection.execute(_STATE, {"key": assignment, "to": "skipped"})
        if row.purpose == "main":
            _settle(connection, row.item_id, project.settings.rules(project.scale), took=-1)


def undo(project: Project, assessor: str, *, client_key: str) -> int | None:
    """Take back the last label of an assessor, who gets the document again; its assignment, None if there is none."""
    with project.database.writing() as connection:
        person = assessor_of(connection, project, assessor)
        known = connection.execute(_KNOWN, {"key": client_key}).one_or_none()
        if known is not None:
            return int(known.assignment_id)
        row = connection.execute(_LAST, {"assessor": person.id}).first()
        if row is None:
            return None
        current = connection.execute(_CURRENT, {"assignment": row.id}).one()
        time = now(connection)
        values = {"verdict": "withdrawn", "client_key": client_key, "is_surplus": current.is_surplus}
        _add(connection, row.id, current.id, time, values)
        lease = time + project.settings.lease * 60_000
        connection.execute(_AGAIN, {"key": row.id, "until": lease})
        if row.purpose == "main":
            # A label that was not waited for held no place; now that it is open again, it does.
            settle(connection, project, row.item_id, took=int(current.is_surplus))
        return int(row.id)


def settle_all(connection: Connection, project: Project) -> None:
    """The standing of every item by the rules of a project, after these have changed."""
    current = open_within(connection, project)
    rules = current.settings.rules(project.scale)
    gold = select(db.gold.c.item_id)
    items = select(db.item.c.id).where(db.item.c.project_id == project.id, db.item.c.id.not_in(gold))
    for item in connection.scalars(items).all():
        _settle(connection, item, rules)


def settle(connection: Connection, project: Project, item: int, *, took: int = 0) -> None:
    """Write down where an item stands, after something was said of it; `took`: how many more people have it."""
    connection.execute(_LOCKED, {"item": item})
    _settle(connection, item, project.settings.rules(project.scale), took)


def _settle(connection: Connection, item: int, rules: Rules, took: int = 0) -> None:
    """Write down where an item stands; `took`: how many more people have it."""
    rows = connection.execute(_SAID, {"item": item}).all()
    decided = connection.execute(_DECIDED, {"item": item}).first() is not None
    state, wanted = standing([row.value for row in rows], rules, decided=decided)
    values: dict[str, Any] = {"key": item, "to": state, "number": wanted, "by": took}
    connection.execute(_SETTLED, values)


def _further(project: Project, given: Mapping[str, int]) -> dict[int, int]:
    """Grades of further aspects by their keys, each of its scale."""
    by_name = {aspect.name: (key, aspect) for key, aspect in list(project.aspects.items())[1:]}
    grades = {}
    for name, value in given.items():
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise ParameterError(f"aspect {name!r} is not asked for in {project.name}: there are {known}")
        key, aspect = by_name[name]
        grades[key] = aspect.scale.grade(value).value
    return grades


def _add(connection: Connection, assignment: int, current: int | None, time: int, values: dict[str, Any]) -> int:
    made = connection.execute(
        insert(db.label).values(assignment_id=assignment, supersedes=current, created_at=time, **values)
    )
    assert made.inserted_primary_key is not None
    return int(made.inserted_primary_key[0])


_later = db.label.alias()
#: A label that no later one supersedes, and that was not withdrawn.
IS_CURRENT = (~exists().where(_later.c.supersedes == db.label.c.id)) & (db.label.c.verdict != "withdrawn")

_KNOWN = select(db.label).where(db.label.c.client_key == bindparam("key"))
_ASSIGNED = (
    select(db.assignment, db.item.c.project_id, db.item.c.taken, db.item.c.wanted)
    .join(db.item, db.item.c.id == db.assignment.c.item_id)
    .where(db.assignment.c.id == bindparam("key"))
    .with_for_update(of=[db.assignment, db.item])
)
_CURRENT = (
    select(db.label).where(db.label.c.assignment_id == bindparam("assignment")).order_by(db.label.c.id.desc()).limit(1)
)
_STATE = update(db.assignment).where(db.assignment.c.id == bindparam("key")).values(state=bindparam("to"))
_AGAIN = (
    update(db.assignment)
    .where(db.assignment.c.id == bindparam("key"))
    .values(state="leased", lease_until=bindparam("until"))
)
_LAST = (
    select(db.assignment.c.id, db.assignment.c.item_id, db.assignment.c.purpose)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == "done")
    .order_by(db.assignment.c.number.desc())
    .limit(1)
    .with_for_update()
)
_SAID = (
    select(db.label.c.value)
    .join(db.assignment, db.assignment.c.id == db.label.c.assignment_id)
    .where(db.assignment.c.item_id == bindparam("item"), db.assignment.c.purpose == "main")
    .where(db.assignment.c.state == "done", ~db.label.c.is_surplus, IS_CURRENT)
)
_LOCKED = select(db.item.c.id).where(db.item.c.id == bindparam("item")).with_for_update()
_DECIDED = select(db.adjudication.c.id).where(db.adjudication.c.item_id == bindparam("item")).limit(1)
_SETTLED = (
    update(db.item)
    .where(db.item.c.id == bindparam("key"))
    .values(state=bindparam("to"), wanted=bindparam("number"), taken=db.item.c.taken + bindparam("by"))
)
