"""Labels are saved: each in one transaction, once, for good; and what becomes of the item follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from sqlalchemy import Connection, bindparam, exists, insert, select, update

from assay.core.errors import InputError, ParameterError
from assay.store import schema as db
from assay.store.database import StoreError, time_after
from assay.store.handout import assessor_of
from assay.store.projects import Project
from assay.store.rows import batched, inserted, storable
from assay.store.settings import Settings
from assay.store.settling import Standing, standing

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
        row = _assigned(connection, project, assessor, assignment, client_key)
        is_back, rules = row.state in {"released", "skipped"}, Settings.stored(row.settings).rules(project.scale)
        # While more people are asked for, it stays open whatever this one says: then nobody else's labels are read.
        is_early = value is not None and row.item_state == "open" and row.taken + is_back < rules.overlap
        key = {"item": row.item_id, "assignment": assignment}
        said = connection.execute(_OWN_LABELS if is_early else _LABELS, key).all()
        if known := next((each for each in said if each.client_key == client_key), None):
            return Saved(known.id, True, known.is_late, known.is_surplus)
        current = next((each for each in said if each.assignment == assignment and each.id is not None), None)
        if replaces is not None and (current is None or current.id != replaces):
            raise ConflictError("the label was changed meanwhile: look at it again", current.id if current else None)
        is_surplus = current.is_surplus if current else is_back and row.purpose == "main" and row.taken >= row.wanted
        is_late = row.state == "released"
        label = inserted(
            connection, db.label, assignment_id=assignment, supersedes=current.id if current else None,
            created_at=time_after(said[0].last), verdict="cannot_judge" if value is None else "graded", value=value,
            note=storable(note), active_ms=active_ms, input=input, shown=shown, guideline_id=guideline,
            client_key=client_key, client_at=client_at, is_late=is_late, is_surplus=is_surplus,
        )  # fmt: skip
        if grades:
            rows = [{"label_id": label, "aspect_id": aspect, "value": grade} for aspect, grade in grades.items()]
            connection.execute(insert(db.label_aspect), rows)
        if row.state != "done":
            connection.execute(STATE, {"key": assignment, "to": "done"})
        if row.purpose == "main" and not is_surplus:
            found = Standing("open", row.wanted)
            if not is_early or current is not None:  # what is changed may have been that it cannot be judged
                every = connection.execute(_LABELS, key).all() if is_early else said
                others = [each.value for each in _current(every) if each.assignment != assignment]
                found = standing([*others, value], rules, decided=said[0].is_decided)
            _write(connection, [(row, found, int(is_back))])
        return Saved(label, False, is_late, is_surplus)


def _assigned(connection: Connection, project: Project, assessor: str, assignment: int, client_key: str = "") -> Any:
    """An assignment of an assessor with its item, both held for this transaction."""
    row = connection.execute(_ASSIGNED, {"key": assignment, "client_key": client_key}).one_or_none()
    if row is not None and row.known not in {None, assignment}:
        raise ParameterError(f"client_key {client_key!r} was used for another document")
    if row is None or row.name != assessor or row.project_id != project.id:
        assessor_of(connection, project, assessor)
        raise InputError(f"{assessor} was not asked about this document")
    return row


def skip(project: Project, assessor: str, assignment: int) -> None:
    """Leave a document to somebody else; it comes again when nothing else is left."""
    with project.database.writing() as connection:
        row = _assigned(connection, project, assessor, assignment)
        if row.state != "leased":
            return
        connection.execute(STATE, {"key": assignment, "to": "skipped"})
        if row.purpose == "main":
            _write(connection, [(row, Standing(row.item_state, row.wanted), -1)])


def undo(project: Project, assessor: str, *, client_key: str, assignment: int | None = None) -> int | None:
    """Take back the last label of an assessor, who gets the document again; its assignment, None if there is none.

    `assignment`: that of this one, where it is not the last.
    """
    with project.database.writing() as connection:
        person = assessor_of(connection, project, assessor)
        known = connection.scalar(_KNOWN, {"client_key": client_key})
        if known is not None:
            return int(known)
        given = {"assessor": person.id, "key": assignment}
        row = connection.execute(_LAST if assignment is None else _SAME, given).first()
        if row is None:
            return None
        said = connection.execute(_LABELS, {"item": row.item_id}).all()
        current = next(each for each in said if each.assignment == row.id)
        time = time_after(person.last)
        inserted(
            connection, db.label, assignment_id=row.id, supersedes=current.id, created_at=time, verdict="withdrawn",
            client_key=client_key, is_surplus=current.is_surplus,
        )  # fmt: skip
        lease = time + Settings.stored(person.settings).lease * 60_000
        connection.execute(_AGAIN, {"key": row.id, "until": lease})
        if row.purpose == "main":
            # A label that was not waited for held no place; now that it is open again, it does.
            settle(connection, project, {row.item_id: int(current.is_surplus)})
        return int(row.id)


def settle_all(connection: Connection, project: Project) -> None:
    """The standing of every item by the rules of a project, after these have changed."""
    gold = select(db.gold.c.item_id)
    items = select(db.item.c.id).where(db.item.c.project_id == project.id, db.item.c.id.not_in(gold))
    settle(connection, project, dict.fromkeys(connection.scalars(items), 0))


def settle(connection: Connection, project: Project, took: Mapping[int, int]) -> None:
    """Write down where items stand, after something was said of them, and how many more people have each."""
    settings = connection.scalars(select(db.project.c.settings).filter_by(id=project.id)).one()
    rules = Settings.stored(settings).rules(project.scale)
    for part in batched(sorted(took), db.BATCH):
        items = connection.execute(_LOCKED, {"items": part}).all()
        said: dict[int, list[int | None]] = {}
        for item, value in connection.execute(_SAID, {"items": part}):
            said.setdefault(item, []).append(value)
        decided = set(connection.scalars(_DECIDED, {"items": part}))
        found = ((row, standing(said.get(row.item_id, []), rules, decided=row.item_id in decided)) for row in items)
        _write(connection, ((row, where, took[row.item_id]) for row, where in found))


def _write(connection: Connection, moves: Iterable[tuple[Any, Standing, int]]) -> None:
    """Write down where items stand, those that have moved, and how many more people have each."""
    moved = [
        {"key": row.item_id, "to": found.state, "number": found.wanted, "by": took}
        for row, found, took in moves
        if took or found != (row.item_state, row.wanted)
    ]
    if moved:
        connection.execute(_SETTLED, moved)


def _current(said: Sequence[Any]) -> Iterator[Any]:
    """Of all labels of an item, the newest first, those that settle it: one for each person who judged it."""
    newest = {each.assignment: each for each in reversed(said) if each.id is not None}
    for each in newest.values():
        if (each.purpose, each.state) == ("main", "done") and each.verdict != "withdrawn" and not each.is_surplus:
            yield each


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


_later = db.label.alias()
#: A label that no later one supersedes, and that was not withdrawn.
IS_CURRENT = (~exists().where(_later.c.supersedes == db.label.c.id)) & (db.label.c.verdict != "withdrawn")

_KNOWN = select(db.label.c.assignment_id).where(db.label.c.client_key == bindparam("client_key"))
_ASSIGNED = (
    select(
        db.assignment.c.item_id, db.assignment.c.state, db.assignment.c.purpose, db.assessor.c.name,
        db.item.c.project_id, db.item.c.taken, db.item.c.wanted, db.item.c.state.label("item_state"),
        db.project.c.settings, _KNOWN.scalar_subquery().label("known"),
    )
    .join(db.item, db.item.c.id == db.assignment.c.item_id)
    .join(db.assessor, db.assessor.c.id == db.assignment.c.assessor_id)
    .join(db.project, db.project.c.id == db.item.c.project_id)
    .where(db.assignment.c.id == bindparam("key"))
    .with_for_update(of=[db.assignment, db.item])
)  # fmt: skip
#: All that was ever said of an item, the newest first; asked for when it is held, since others may have said something
#: before that.
_LABELS = (
    select(
        db.assignment.c.id.label("assignment"), db.assignment.c.state, db.assignment.c.purpose, db.label.c.id,
        db.label.c.client_key, db.label.c.verdict, db.label.c.value, db.label.c.is_late, db.label.c.is_surplus,
        db.LAST_ENTRY.label("last"),
        exists().where(db.adjudication.c.item_id == bindparam("item")).label("is_decided"),
    )
    .outerjoin(db.label, db.label.c.assignment_id == db.assignment.c.id)
    .where(db.assignment.c.item_id == bindparam("item"))
    .order_by(db.label.c.id.desc())
)  # fmt: skip
_OWN_LABELS = _LABELS.where(db.assignment.c.id == bindparam("assignment"))
STATE = update(db.assignment).where(db.assignment.c.id == bindparam("key")).values(state=bindparam("to"))
_AGAIN = (
    update(db.assignment)
    .where(db.assignment.c.id == bindparam("key"))
    .values(state="leased", lease_until=bindparam("until"))
)
_DONE = (
    select(db.assignment.c.id, db.assignment.c.item_id, db.assignment.c.purpose)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == db.fixed("done"))
    .with_for_update()
)
_LAST = _DONE.order_by(db.assignment.c.number.desc()).limit(1)
_SAME = _DONE.where(db.assignment.c.id == bindparam("key"))
_ITEMS: Any = bindparam("items", expanding=True)
_SAID = (
    select(db.assignment.c.item_id, db.label.c.value)
    .join(db.assignment, db.assignment.c.id == db.label.c.assignment_id)
    .where(db.assignment.c.item_id.in_(_ITEMS), db.assignment.c.purpose == "main")
    .where(db.assignment.c.state == db.fixed("done"), ~db.label.c.is_surplus, IS_CURRENT)
)
_LOCKED = (
    select(db.item.c.id.label("item_id"), db.item.c.state.label("item_state"), db.item.c.wanted)
    .where(db.item.c.id.in_(_ITEMS))
    .order_by(db.item.c.id)
    .with_for_update()
)
_DECIDED = select(db.adjudication.c.item_id).where(db.adjudication.c.item_id.in_(_ITEMS))
_SETTLED = (
    update(db.item)
    .where(db.item.c.id == bindparam("key"))
    .values(state=bindparam("to"), wanted=bindparam("number"), taken=db.item.c.taken + bindparam("by"))
)
