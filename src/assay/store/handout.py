"""The next document of an assessor: chosen, leased and written down in one transaction, so none goes out too often.

What goes first: documents that somebody has asked for (`urgency`), then those that the fewest people have, then the
order of the project. No order follows a rank; the order in which an assessor judged is kept with the assignments.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from sqlalchemy import Connection, and_, bindparam, exists, func, or_, select, text, tuple_, update

from assay.core.errors import InputError, listed
from assay.store import schema as db
from assay.store.database import StoreError, time_after
from assay.store.projects import Project, item_keys, record
from assay.store.rows import digest, inserted
from assay.store.scales import Aspect
from assay.store.settings import Order, Settings

MINUTE: Final = 60_000
_SPAN: Final = 2**31


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


class Assessor(NamedTuple):
    """An assessor, and how things stand where they judge, as one transaction sees them.

    `settings`: those of the project now, whoever has changed them. `held`: a document that they have. `topic`: where
    they are. `ends`: when the first lease of all ends. `last`: the time of the last entry.
    """

    id: int
    name: str
    is_active: bool
    asked: int
    settings: str
    state: str
    held: int | None
    topic: int | None
    has_share: bool
    is_urgent: bool
    ends: int | None
    last: int | None


def assessor_of(connection: Connection, project: Project, name: str, *, active: bool = False) -> Assessor:
    """An assessor by name; an error says who there is, and who may not judge any more."""
    row = connection.execute(_ASSESSOR, {"project": project.id, "name": name}).one_or_none()
    if row is None:
        names = connection.scalars(select(db.assessor.c.name).filter_by(project_id=project.id)).all()
        known = f"there are {listed(list(names))}" if names else "there is none yet"
        raise InputError(f"{project.name}: no assessor is called {name!r}: {known}; `assay judge assign` adds some")
    person = Assessor(*row)
    if active and not person.is_active:
        raise InputError(f"{project.name}: {name} does not judge here any more")
    return person


def hand_out(project: Project, assessor: str, *, resume: bool = True) -> Task | None:
    """The next document for an assessor, leased to them; None where nothing is left.

    `resume`: one that they have and did not finish comes first. A lease that has run out is taken back from whoever
    had it, at any hand-out.
    """
    # On PostgreSQL others may hold what is left for a moment: then wait for them, and look at what they left.
    for waits in (False,) if project.database.is_sqlite else (False, True, True):
        task = _hand_out(project, assessor, resume=resume, waits=waits)
        if task is not None:
            return task
    return None


def _hand_out(project: Project, assessor: str, *, resume: bool, waits: bool) -> Task | None:
    with project.database.writing(durable=False) as connection:
        person = assessor_of(connection, project, assessor, active=True)
        time = time_after(person.last, strict=True)
        if person.state != "open":
            raise StoreError(
                f"{project.name} is {person.state}: nothing is handed out; `assay judge change --state open` opens it"
            )
        settings = Settings.stored(person.settings)
        lease = time + settings.lease * MINUTE
        if resume and person.held is not None:
            connection.execute(RENEW, {"key": person.held, "until": lease})
            return task_of(connection, project, person.held, lease)
        if person.ends is not None and person.ends < time:
            end_leases(connection, connection.execute(_OVERDUE, {"time": time}).all())
        chosen = next(_choices(connection, project, person, settings, waits=waits), None)
        if chosen is None:
            return None
        assignment = _lease(connection, person, *chosen, time=time, until=lease)
        return task_of(connection, project, assignment, lease)


def ask_first(project: Project, pairs: Mapping[tuple[str, str], int], *, actor: str = "") -> int:
    """Put documents before all others, by topic and document: the higher the number, the sooner; how many were open."""
    with project.database.writing() as connection:
        keys = item_keys(connection, project, pairs)
        changed = connection.execute(
            update(db.item).where(db.item.c.id == bindparam("key")).values(urgency=bindparam("soon")),
            [{"key": keys[pair], "soon": urgency} for pair, urgency in pairs.items()],
        )
        record(connection, project.id, actor, "asked first", f"{len(keys)} documents", {})
        return changed.rowcount


#: An item that could come next, why it is asked, and the assignment that it had before.
Choice: TypeAlias = tuple[int, str, int | None]


def _choices(
    connection: Connection, project: Project, person: Assessor, settings: Settings, *, waits: bool
) -> Iterator[Choice]:
    """What could come next, best first."""
    number = person.asked + 1
    if settings.gold_every and number % settings.gold_every == 0:
        yield from _gold(connection, project, person)
    if settings.repeat_every and number % settings.repeat_every == settings.repeat_every // 2:
        yield from _repeat(connection, settings, person)
    shared = tuple(connection.scalars(_SHARE, {"assessor": person.id})) if person.has_share else ()
    find = _finder(connection, project, person, settings.order, waits=waits)
    if person.is_urgent:
        yield from find(shared or (None,), urgent=True)
    topics: Sequence[int | None] = (None,)
    if settings.order not in {"random", "priority"} or shared:
        topics = _in_order(project.seed, person.id, shared or project.topics)
        if person.topic in topics:  # the one that they are at comes first
            topics = (person.topic, *(topic for topic in topics if topic != person.topic))
    yield from find(topics)
    for item, assignment in connection.execute(_SKIPPED[waits], {"assessor": person.id}):
        yield item, "main", assignment


def _finder(
    connection: Connection, project: Project, person: Assessor, order: Order, *, waits: bool
) -> Callable[..., Iterator[Choice]]:
    """Look for the item that comes first among those open, topic by topic or (None) in all."""
    ways = ("after", "before") if order in {"topic", "random"} else ("priority",)
    given = {"project": project.id, "assessor": person.id, "start": _chance(project.seed, person.id, person.asked)}

    def find(topics: Sequence[int | None], *, urgent: bool = False) -> Iterator[Choice]:
        for topic, way in itertools.product(topics, ways):
            row = connection.execute(_FIRST[topic is not None, way, waits], {**given, "topic": topic}).first()
            if row is not None and (row.urgency or not urgent):
                yield row.item, "main", row.former

    return find


@functools.lru_cache(maxsize=1000)
def _in_order(seed: int, person: int, topics: tuple[int, ...]) -> tuple[int, ...]:
    """Topics in the order that is drawn for an assessor."""
    return tuple(sorted(topics, key=lambda topic: _chance(seed, person, -topic)))


def _gold(connection: Connection, project: Project, person: Assessor) -> Iterator[Choice]:
    """Items with a known answer that the assessor has not had."""
    found = connection.scalars(_GOLD, {"project": project.id, "assessor": person.id}).all()
    if found:
        yield found[_chance(project.seed, person.id, person.asked) % len(found)], "gold", None


def _repeat(connection: Connection, settings: Settings, person: Assessor) -> Iterator[Choice]:
    """Items that the assessor judged long enough ago, and not twice yet."""
    before = person.asked - settings.repeat_after
    found = connection.scalar(_REPEAT, {"assessor": person.id, "before": before})
    if found is not None:
        yield found, "repeat", None


def _lease(
    connection: Connection, person: Assessor, item: int, purpose: str, former: int | None, *, time: int, until: int
) -> int:
    values = {"number": person.asked + 1, "handed_at": time, "lease_until": until}
    if former is None:
        former = inserted(
            connection, db.assignment, item_id=item, assessor_id=person.id, purpose=purpose, state="leased", **values
        )
    else:  # it was skipped, or a lease has run out
        connection.execute(_LEASE, {"key": former, **values})
    if purpose == "main":
        connection.execute(_TAKE, {"item": item, "by": 1})
    connection.execute(_ASKED, {"key": person.id})
    return former


def end_leases(connection: Connection, held: Any) -> None:
    """End leases, then give up their places: in this order for all, so that nobody waits for somebody who waits."""
    # Somebody else may have ended the same lease meanwhile: its place is given up once. The rows are sorted here, since
    # SQLite would go through all assignments to find them in order.
    ordered = sorted(held, key=lambda row: row.id)
    ended = [row for row in ordered if connection.execute(_END_LEASE, {"key": row.id}).rowcount]
    for item in sorted(row.item_id for row in ended if row.purpose == "main"):
        connection.execute(_TAKE, {"item": item, "by": -1})


def task_of(connection: Connection, project: Project, assignment: int, lease: int) -> Task:
    """An assignment as its assessor sees it."""
    row = connection.execute(_TEXT, {"key": assignment}).one()
    return Task(
        assignment, row.topic_id, row.title, row.description, row.narrative, row.doc_id, row.heading or "",
        row.body or "", tuple(project.aspects.values()), row.rules or "", row.guideline, lease,
    )  # fmt: skip


def _chance(*parts: int) -> int:
    """A number that these parts always give: the order that is drawn for an assessor."""
    drawn = hashlib.blake2b("/".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(drawn) % _SPAN


def _one(column: Any, *conditions: Any, order: Any = None) -> Any:
    return select(column).where(*conditions).order_by(order).limit(1).scalar_subquery()


_its, _held_by = db.assignment.c, db.assignment.c.assessor_id == db.assessor.c.id
_ASSESSOR = (
    select(
        db.assessor.c.id, db.assessor.c.name, db.assessor.c.is_active, db.assessor.c.asked, db.project.c.settings,
        db.project.c.state,
        _one(_its.id, _held_by, _its.state == db.fixed("leased"), order=_its.number),
        _one(
            db.item.c.topic_id, _held_by, text(f"assignment.state IN {db.ASSIGNED}"),
            _its.number == db.assessor.c.asked, db.item.c.id == _its.item_id,
        ),
        exists().where(db.share.c.assessor_id == db.assessor.c.id),
        exists().where(
            db.item.c.project_id == db.project.c.id, db.item.c.state == db.fixed("open"),
            db.item.c.taken < db.item.c.wanted, db.item.c.urgency > 0,
        ),
        select(func.min(_its.lease_until)).where(_its.state == db.fixed("leased")).scalar_subquery(),
        db.LAST_ENTRY,
    )
    .join(db.project, db.project.c.id == db.assessor.c.project_id)
    .where(db.assessor.c.project_id == bindparam("project"), db.assessor.c.name == bindparam("name"))
)  # fmt: skip
_SHARE = select(db.share.c.topic_id).where(db.share.c.assessor_id == bindparam("assessor")).order_by("topic_id")
_OVERDUE = select(db.assignment.c.id, db.assignment.c.item_id, db.assignment.c.purpose).where(
    db.assignment.c.state == db.fixed("leased"), db.assignment.c.lease_until < bindparam("time")
)
RENEW = update(db.assignment).where(db.assignment.c.id == bindparam("key")).values(lease_until=bindparam("until"))
_LEASE = (
    update(db.assignment)
    .where(db.assignment.c.id == bindparam("key"))
    .values(
        state="leased", number=bindparam("number"), handed_at=bindparam("handed_at"),
        lease_until=bindparam("lease_until"),
    )
)  # fmt: skip
_END_LEASE = (
    update(db.assignment)
    .where(db.assignment.c.id == bindparam("key"), db.assignment.c.state == db.fixed("leased"))
    .values(state="released")
)
_TAKE = update(db.item).where(db.item.c.id == bindparam("item")).values(taken=db.item.c.taken + bindparam("by"))
_ASKED = update(db.assessor).where(db.assessor.c.id == bindparam("key")).values(asked=db.assessor.c.asked + 1)
_rules = db.guideline.alias()
_newest = select(func.max(_rules.c.id)).where(_rules.c.project_id == db.item.c.project_id)
_TEXT = (
    select(
        db.topic.c.topic_id, db.topic.c.title, db.topic.c.description, db.topic.c.narrative, db.item.c.doc_id,
        db.document.c.title.label("heading"), db.document.c.body, db.guideline.c.id.label("guideline"),
        db.guideline.c.text.label("rules"),
    )
    .select_from(db.assignment)
    .join(db.item, db.item.c.id == db.assignment.c.item_id)
    .join(db.topic, db.topic.c.id == db.item.c.topic_id)
    .outerjoin(
        db.document,
        and_(db.document.c.collection_id == db.topic.c.collection_id, db.document.c.doc_id == db.item.c.doc_id),
    )
    .outerjoin(db.guideline, db.guideline.c.id == _newest.scalar_subquery())
    .where(db.assignment.c.id == bindparam("key"))
)  # fmt: skip
_skipped = (
    select(db.assignment.c.item_id, db.assignment.c.id)
    .join(db.item, db.item.c.id == db.assignment.c.item_id)
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == db.fixed("skipped"))
    .where(db.item.c.state == db.fixed("open"), db.item.c.taken < db.item.c.wanted)
    .order_by(db.assignment.c.number)
    .limit(1)
)
#: Held like all that is handed out: else two people could take the last place at once.
_SKIPPED = {
    waits: _skipped.with_for_update(skip_locked=not waits, of=[db.assignment, db.item]) for waits in (False, True)
}
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
    .where(db.assignment.c.assessor_id == bindparam("assessor"), db.assignment.c.state == db.fixed("done"))
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


def _first(by_topic: bool, way: str, waits: bool) -> Any:
    """The item that comes first: the most urgent, those that the fewest people have, then by the way that is asked for.

    Another look at the items finds how urgent and rare that is, so that these are read in the order of an index.
    """
    level, conditions = db.item.alias(), []
    for item in (level, db.item):
        former = db.assignment.alias()
        mine = and_(
            former.c.item_id == item.c.id, former.c.assessor_id == bindparam("assessor"), former.c.purpose == "main"
        )
        is_open = and_(
            item.c.project_id == bindparam("project"), item.c.state == db.fixed("open"), item.c.taken < item.c.wanted,
            or_(former.c.id.is_(None), former.c.state == db.fixed("released")),
            *([item.c.topic_id == bindparam("topic")] if by_topic else []),
        )  # fmt: skip
        conditions.append((item.outerjoin(former, mine), is_open, former.c.id))
    (tables, is_open, _), (all_tables, is_candidate, assignment) = conditions
    rarest = select(level.c.urgency, level.c.taken).select_from(tables).where(is_open)
    rarest = rarest.order_by(level.c.urgency.desc(), level.c.taken).limit(1)
    found = (
        select(db.item.c.id.label("item"), db.item.c.urgency, assignment.label("former"))
        .select_from(all_tables)
        .where(is_candidate, tuple_(db.item.c.urgency, db.item.c.taken) == rarest.scalar_subquery())
        .limit(1)
        .with_for_update(skip_locked=not waits, of=db.item)
    )
    start: Any = bindparam("start")
    if way == "priority":
        return found.order_by(db.item.c.priority, db.item.c.shuffle)
    reached = db.item.c.shuffle >= start
    return found.where(reached if way == "after" else ~reached).order_by(db.item.c.shuffle)


_FIRST = {key: _first(*key) for key in itertools.product((False, True), ("priority", "after", "before"), (False, True))}
