"""The next document of an assessor: chosen, leased and written down in one transaction, so none goes out too often.

What goes first: documents that somebody has asked for (`urgency`), then those that the fewest people have, then the
order of the project. No order follows a rank; the order in which an assessor judged is kept with the assignments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, exists, func, insert, select, update

from assay.core.errors import InputError, listed
from assay.store import schema as db
from assay.store.database import StoreError, now
from assay.store.projects import Project, digest
from assay.store.scales import Aspect

_MINUTE: Final = 60_000
_SPAN: Final = 2**31
#: Assignments that keep a document from being handed to the same person again.
_KEEPS = ("leased", "done", "skipped")


@dataclass(frozen=True)
class Task:
    """A document to judge, as an assessor sees it: nothing of runs, ranks, scores or of what others said."""

    assignment: int
    topic_id: str
    title: str
    description: str
    narrative: str
    doc_id: str
    heading: str
    text: str
    aspects: tuple[Aspect, ...]
    guidelines: str
    guideline: int | None
    lease_until: int

    @property
    def shown(self) -> str:
        """The sha256 of what is on the screen, which every label keeps."""
        asked = [f"{each.name}: {each.question}: {each.scale.described()}" for each in self.aspects]
        texts = (self.topic_id, self.title, self.description, self.narrative, self.doc_id, self.heading, self.text)
        return digest(*texts, self.guidelines, *asked)


@dataclass(frozen=True)
class Assessor:
    """An assessor."""

    id: int
    name: str
    alias: str
    kind: str
    asked: int


def assessor_of(connection: Connection, project: Project, name: str, *, active: bool = False) -> Assessor:
    """An assessor by name; an error says who there is, and who may not judge any more."""
    row = connection.execute(_ASSESSOR, {"project": project.id, "name": name}).one_or_none()
    if row is None:
        names = connection.scalars(select(db.assessor.c.name).filter_by(project_id=project.id)).all()
        known = f"there are {listed(list(names))}" if names else "there is none yet"
        raise InputError(f"{project.name}: no assessor is called {name!r}: {known}; `assay judge assign` adds some")
    if active and not row.is_active:
        raise InputError(f"{project.name}: {name} does not judge here any more")
    return Assessor(row.id, row.name, row.alias, row.kind, row.asked)


def hand_out(project: Project, assessor: str, *, resume: bool = True) -> Task | None:
    """The next document for an assessor, leased to them; None where nothing is left.

    `resume`: one that they have and did not finish comes first. A lease that has run out is taken back from whoever
    had it, at any hand-out.
    """
    with project.database.writing(durable=False) as connection:
        time = now(connection, strict=True)
        person = assessor_of(connection, project, assessor, active=True)
        _check_open(connection, project)
        lease = time + project.settings.lease * _MINUTE
        if resume and (held := connection.scalar(_HELD, {"assessor": person.id})) is not None:
            connection.execute(_RENEW, {"key": held, "until": lease})
            return _task(connection, project, held, lease)
        _take_back(connection, time)
        chosen = next(_choices(connection, project, person), None)
        if chosen is None:
            return None
        assignment = _lease(connection, person, *chosen, time=time, until=lease)
        return _task(connection, project, assignment, lease)


def renew(project: Project, assessor: str, assignment: int) -> int:
    """Keep a document for as long as a lease takes from now on; when that ends."""
    with project.database.writing(durable=False) as connection:
        lease = now(connection) + project.settings.lease * _MINUTE
        person = assessor_of(connection, project, assessor)
        renewed = connection.execute(
            update(db.assignment)
            .where(db.assignment.c.id == assignment, db.assignment.c.assessor_id == person.id)
            .where(db.assignment.c.state == "leased")
            .values(lease_until=lease)
        )
        if not renewed.rowcount:
            raise InputError(f"{assessor} does not have this document any more: the lease has run out")
        return lease


def give_back(project: Project, assessor: str, *, keep: int | None = None) -> int:
    """Give back what an assessor has and did not finish, so that others need not wait; how many documents.

    `keep`: an assignment that they keep.
    """
    with project.database.writing(durable=False) as connection:
        person = assessor_of(connection, project, assessor)
        held = [row for row in connection.execute(_HELD_ITEMS, {"assessor": person.id}) if row.id != keep]
        _release(connection, held)
        return len(held)


def ask_first(project: Project, pairs: Mapping[tuple[str, str], int], *, actor: str = "") -> int:
    """Put documents before all others, by topic and document: the higher the number, the sooner; how many were open."""
    from assay.store.projects import item_keys, record  # noqa: PLC0415

    with project.database.writing() as connection:
        keys = item_keys(connection, project, pairs)
        changed = connection.execute(
            update(db.item).where(db.item.c.id == bindparam("key")).values(urgency=bindparam("soon")),
            [{"key": keys[pair], "soon": urgency} for pair, urgency in pairs.items()],
        )
        record(connection, project.id, actor, "asked first", f"{len(keys)} documents", {})
        return changed.rowcount


def _check_open(connection: Connection, project: Project) -> None:
    state = connection.scalar(select(db.project.c.state).where(db.project.c.id == project.id))
    if state != "open":
        raise StoreError(
            f"{project.name} is {state}: nothing is handed out; `assay judge change --state open` opens it"
        )


def _choices(connection: Connection, project: Project, person: Assessor) -> Iterator[tuple[int, str, int | None]]:
    """Items that could come next, best first: the item, why it is asked, and the assignment it had before."""
    settings, number = project.settings, person.asked + 1
    if settings.gold_every and number % settings.gold_every == 0:
        yield from _gold(connection, project, person)
    if settings.repeat_every and number % settings.repeat_every == settings.repeat_every // 2:
        yield from _repeat(connection, project, person)
    shared = list(connection.scalars(select(db.share.c.topic_id).filter_by(assessor_id=person.id)))
    find = _finder(connection, project, person)
    if item := find(shared or None, urgent=True):
        yield item, "main", None
    if settings.order not in {"random", "priority"} or shared:
        for topic in _topics(connection, project, person, shared):
            if item := find([topic]):
                yield item, "main", None
    elif item := find(None):
        yield item, "main", None
    for item, assignment in connection.execute(_SKIPPED, {"assessor": person.id}):
        yield item, "main", assignment


Find = Callable[..., int | None]


def _finder(connection: Connection, project: Project, person: Assessor) -> Find:
    """Look for the item that comes first among those open, within topics or in all."""
    start = _chance(project.seed, person.id, person.asked)
    given = {"project": project.id, "assessor": person.id}

    def find(topics: list[int] | None, *, urgent: bool = False) -> int | None:
        for topic in [None] if topics is None else topics:
            level = connection.execute(_level(topic is not None), {**given, "topic": topic}).first()
            if level is None or (urgent and not level.urgency):
                continue
            place = {**given, "topic": topic, "urgency": level.urgency, "taken": level.taken}
            if project.settings.order not in {"topic", "random"}:
                found = connection.scalar(_first(topic is not None, "priority"), place)
            else:
                found = connection.scalar(_first(topic is not None, "after"), {**place, "start": start})
                if found is None:
                    found = connection.scalar(_first(topic is not None, "before"), {**place, "start": start})
            if found is not None:
                return int(found)
        return None

    return find


def _topics(connection: Connection, project: Project, person: Assessor, shared: list[int]) -> list[int]:
    """The topics in the order of an assessor: the one they are at, then the others as chance has them."""
    every = shared or list(connection.scalars(select(db.topic.c.id).filter_by(collection_id=project.collection)))
    order = sorted(every, key=lambda topic: _chance(project.seed, person.id, -topic))
    at = connection.scalar(_AT_TOPIC, {"assessor": person.id, "number": person.asked})
    return [at, *(topic for topic in order if topic != at)] if at in order else order


def _gold(connection: Connection, project: Project, person: Assessor) -> Iterator[tuple[int, str, None]]:
    """Items with a known answer that the assessor has not had."""
    found = connection.scalars(_GOLD, {"project": project.id, "assessor": person.id}).all()
    if found:
        yield found[_chance(project.seed, person.id, person.asked) % len(found)], "gold", None


def _repeat(connection: Connection, project: Project, person: Assessor) -> Iterator[tuple[int, str, None]]:
    """Items that the assessor judged long enough ago, and not twice yet."""
    before = person.asked - project.settings.repeat_after
    found = connection.scalar(_REPEAT, {"assessor": person.id, "before": before})
    if found is not None:
        yield found, "repeat", None


def _lease(
    connection: Connection, person: Assessor, item: int, purpose: str, former: int | None, *, time: int, until: int
) -> int:
    values = {"state": "leased", "number": person.asked + 1, "handed_at": time, "lease_until": until}
    if former is None and purpose == "main":  # a lease that ran out leaves its row behind
        former = connection.scalar(_FORMER, {"item": item, "assessor": person.id})
    if former is None:
        made = connection.execute(
            insert(db.assignment).values(item_id=item, assessor_id=person.id, purpose=purpose, **values)
        )
        assert made.inserted_primary_key is not None
        former = int(made.inserted_primary_key[0])
    else:
        connection.execute(update(db.assignment).where(db.assignment.c.id == former).values(**values))
    if purpose == "main":
        connection.execute(_TAKE, {"item": item, "by": 1})
    connection.execute(_ASKED, {"key": person.id})
    return former


def _take_back(connection: Connection, time: int) -> None:
    """End the leases that have run out."""
    _release(connection, connection.execute(_OVERDUE, {"time": time}).all())


def _release(connection: Connection, held: Any) -> None:
    """End leases, then give up their places: in this order for all, so that nobody waits for somebody who waits."""
    # Somebody else may have ended the same lease meanwhile: its place is given up once. The rows are sorted here, since
    # SQLite would go through all assignments to find them in order.
    ordered = sorted(held, key=lambda row: row.id)
    ended = [row for row in ordered if connection.execute(_END_LEASE, {"key": row.id}).rowcount]
    for item in sorted(row.item_id for row in ended if row.purpose == "main"):
        connection.execute(_TAKE, {"item": item, "by": -1})


def _task(connection: Connection, project: Project, assignment: int, lease: int) -> Task:
    row = connection.execute(_TEXT, {"key": assignment}).one()
    rules = connection.execute(_GUIDELINES, {"project": project.id}).first()
    return Task(
        assignment, row.topic_id, row.title, row.description, row.narrative, row.doc_id, row.heading or "",
        row.body or "",
        tuple(project.aspects.values()), rules.text if rules else "", rules.id if rules else None, lease,
    )  # fmt: skip


def _chance(*parts: int) -> int:
    """A number that these parts always give: the order that is drawn for an assessor."""
    drawn = hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(drawn) % _SPAN


_ASSESSOR = select(db.assessor).where(
    db.assessor.c.project_id == bindparam("project"), db.assessor.c.name == bindparam("name")
)
_HELD = (
    select(db.assignment.c.id)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == "leased")
    .order_by(db.assignment.c.number)
    .limit(1)
)
_HELD_ITEMS = select(db.assignment.c.id, db.assignment.c.item_id, db.assignment.c.purpose).where(
    db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == "leased"
)
_OVERDUE = select(db.assignment.c.id, db.assignment.c.item_id, db.assignment.c.purpose).where(
    db.assignment.c.state == "leased", db.assignment.c.lease_until < bindparam("time")
)
_FORMER = select(db.assignment.c.id).where(
    db.assignment.c.item_id == bindparam("item"), db.assignment.c.assessor_id == bindparam("assessor"),
    db.assignment.c.purpose == "main",
)  # fmt: skip
_RENEW = update(db.assignment).where(db.assignment.c.id == bindparam("key")).values(lease_until=bindparam("until"))
_END_LEASE = (
    update(db.assignment)
    .where(db.assignment.c.id == bindparam("key"), db.assignment.c.state == "leased")
    .values(state="released")
)
_TAKE = update(db.item).where(db.item.c.id == bindparam("item")).values(taken=db.item.c.taken + bindparam("by"))
_ASKED = update(db.assessor).where(db.assessor.c.id == bindparam("key")).values(asked=db.assessor.c.asked + 1)
_AT_TOPIC = (
    select(db.item.c.topic_id)
    .join(db.assignment, db.assignment.c.item_id == db.item.c.id)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.number == bindparam("number"))
    .limit(1)
)
_TEXT = (
    select(
        db.topic.c.topic_id, db.topic.c.title, db.topic.c.description, db.topic.c.narrative, db.item.c.doc_id,
        db.document.c.title.label("heading"), db.document.c.body,
    )
    .select_from(db.assignment)
    .join(db.item, db.item.c.id == db.assignment.c.item_id)
    .join(db.topic, db.topic.c.id == db.item.c.topic_id)
    .outerjoin(
        db.document,
        and_(db.document.c.collection_id == db.topic.c.collection_id, db.document.c.doc_id == db.item.c.doc_id),
    )
    .where(db.assignment.c.id == bindparam("key"))
)  # fmt: skip
_GUIDELINES = (
    select(db.guideline.c.id, db.guideline.c.text)
    .where(db.guideline.c.project_id == bindparam("project"))
    .order_by(db.guideline.c.version.desc())
    .limit(1)
)
_SKIPPED = (
    select(db.assignment.c.item_id, db.assignment.c.id)
    .join(db.item, db.item.c.id == db.assignment.c.item_id)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == "skipped")
    .where(db.item.c.state == "open", db.item.c.taken < db.item.c.wanted)
    .order_by(db.assignment.c.number)
)
_again = db.assignment.alias()
_GOLD = (
    select(db.gold.c.item_id)
    .join(db.item, db.item.c.id == db.gold.c.item_id)
    .where(db.item.c.project_id == bindparam("project"))
    .where(~exists().where(_again.c.item_id == db.item.c.id, _again.c.assessor_id == bindparam("assessor")))
    .order_by(db.gold.c.item_id)
)
_REPEAT = (
    select(db.assignment.c.item_id)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == "done")
    .where(db.assignment.c.purpose == "main", db.assignment.c.number <= bindparam("before"))
    .where(
        ~exists().where(
            _again.c.item_id == db.assignment.c.item_id, _again.c.purpose == "repeat",
            _again.c.assessor_id == bindparam("assessor"),
        )
    )
    .order_by(func.abs(db.assignment.c.number * 2 - bindparam("before")))
    .limit(1)
)  # fmt: skip


def _open(by_topic: bool) -> Any:
    """The conditions of items that can be handed to an assessor."""
    conditions = [
        db.item.c.project_id == bindparam("project"), db.item.c.state == "open", db.item.c.taken < db.item.c.wanted,
        ~exists().where(
            _again.c.item_id == db.item.c.id, _again.c.assessor_id == bindparam("assessor"),
            _again.c.purpose == "main", _again.c.state.in_(_KEEPS),
        ),
    ]  # fmt: skip
    return and_(*conditions, *([db.item.c.topic_id == bindparam("topic")] if by_topic else []))


_LEVELS = {
    by_topic: select(db.item.c.urgency, db.item.c.taken)
    .where(_open(by_topic))
    .order_by(db.item.c.urgency.desc(), db.item.c.taken)
    .limit(1)
    for by_topic in (False, True)
}


def _level(by_topic: bool) -> Any:
    """The urgency of the first open item, and the number of people who have it."""
    return _LEVELS[by_topic]


def _made(by_topic: bool, which: str) -> Any:
    level = and_(db.item.c.urgency == bindparam("urgency"), db.item.c.taken == bindparam("taken"))
    found = select(db.item.c.id).where(_open(by_topic), level)
    if which == "priority":
        found = found.order_by(db.item.c.priority, db.item.c.shuffle)
    else:
        start: Any = bindparam("start")
        found = found.where(db.item.c.shuffle >= start if which == "after" else db.item.c.shuffle < start)
        found = found.order_by(db.item.c.shuffle)
    return found.limit(1).with_for_update(skip_locked=True, of=db.item)


_FIRST = {
    (by_topic, which): _made(by_topic, which) for by_topic in (False, True) for which in ("priority", "after", "before")
}


def _first(by_topic: bool, which: str) -> Any:
    """The item that comes first at a level."""
    return _FIRST[by_topic, which]
