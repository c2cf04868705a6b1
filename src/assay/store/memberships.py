"""Who belongs to which project, in which role, and as which assessor they judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, delete, func, select, update

from assay.core.errors import InputError, ParameterError
from assay.store import schema as db
from assay.store.accounts import User
from assay.store.changes import change_assessors
from assay.store.database import Database, now
from assay.store.leases import give_back
from assay.store.projects import Project, add_assessors, record

#: Roles that are asked for no judgment: what they had begun goes to others.
_JUDGE_NOTHING: Final = ("contestant", "viewer")


@dataclass(frozen=True)
class Member:
    """Somebody who belongs to a project."""

    account: int
    name: str
    role: str
    assessor: str | None


@dataclass(frozen=True)
class Invitation:
    """A link that invites, without its secret: the role it gives, who made it, until when it works."""

    id: int
    role: str
    invited_by: str
    created_at: int
    expires_at: int


@dataclass(frozen=True)
class Membership:
    """A project as somebody sees it in a list."""

    project: int
    name: str
    state: str
    role: str
    items: int
    settled: int


def role_in(database: Database, user: User, project: int) -> str | None:
    """What somebody is in a project; administrators are owners of all; None: they have no business there."""
    with database.reading() as connection:
        found = select(db.membership.c.role).filter_by(project_id=project, account_id=user.id)
        role: str | None = connection.scalar(found)
        if role is None and user.is_administrator and connection.scalar(select(db.project.c.id).filter_by(id=project)):
            return "owner"
        return role


def has_projects(database: Database) -> bool:
    """True if there is a project."""
    with database.reading() as connection:
        return connection.scalar(select(db.project.c.id).limit(1)) is not None


def memberships_of(database: Database, user: User) -> list[Membership]:
    """The projects of somebody, the newest first; all of them for an administrator."""
    mine = (db.membership.c.project_id == db.project.c.id) & (db.membership.c.account_id == user.id)
    rows = (
        select(db.project.c.id, db.project.c.name, db.project.c.state, db.membership.c.role)
        .join(db.membership, mine, isouter=user.is_administrator)
        .order_by(db.project.c.id.desc())
    )
    with database.reading() as connection:
        found = connection.execute(rows).all()
        counts = _counts(connection, [row.id for row in found])
    return [Membership(row.id, row.name, row.state, row.role or "owner", *counts.get(row.id, (0, 0))) for row in found]


def members_of(project: Project) -> list[Member]:
    """The people of a project, in the order in which they came."""
    rows = (
        select(db.account.c.id, db.account.c.name, db.membership.c.role, db.assessor.c.name.label("assessor"))
        .join(db.membership, db.membership.c.account_id == db.account.c.id)
        .outerjoin(db.assessor, db.assessor.c.id == db.membership.c.assessor_id)
        .where(db.membership.c.project_id == project.id)
        .order_by(db.membership.c.id)
    )
    with project.database.reading() as connection:
        return [Member(row.id, row.name, row.role, row.assessor) for row in connection.execute(rows)]


def add_member(project: Project, user: User, role: str, *, actor: str = "") -> None:
    """Make somebody a member of a project."""
    _check_role(role)
    with project.database.writing() as connection:
        _join(connection, project, user.id, role)
        record(connection, project.id, actor, "member added", user.name, {"role": role})


def change_role(project: Project, account: int, role: str, *, actor: str = "", may_own: bool = False) -> None:
    """Give a member another role. Only those who own a project make and unmake owners, and one always remains."""
    _check_role(role)
    with project.database.writing() as connection:
        before = _role(connection, project, account)
        _check_owners(connection, project, before, role, may_own=may_own)
        mine = (db.membership.c.project_id == project.id) & (db.membership.c.account_id == account)
        connection.execute(update(db.membership).where(mine).values(role=role))
        record(connection, project.id, actor, "role changed", _name(connection, account), {"from": before, "to": role})
        assessor = connection.scalar(_linked(project).where(db.membership.c.account_id == account))
    if assessor is not None and role in _JUDGE_NOTHING:
        give_back(project, assessor)


def invitations_of(project: Project) -> list[Invitation]:
    """The links of a project that still work, the newest first."""
    columns = db.invitation.c
    rows = select(columns.id, columns.role, columns.invited_by, columns.created_at, columns.expires_at)
    mine = rows.filter_by(project_id=project.id, purpose="invite", used_at=None).order_by(columns.id.desc())
    with project.database.reading() as connection:
        return [Invitation(*row) for row in connection.execute(mine.where(columns.expires_at > now(connection)))]


def revoke_invitation(project: Project, key: int, *, actor: str = "", may_own: bool = False) -> None:
    """Make a link worthless that nobody has used."""
    with project.database.writing() as connection:
        unused = db.invitation.c.used_at.is_(None) & (db.invitation.c.project_id == project.id)
        role = connection.scalar(select(db.invitation.c.role).where(db.invitation.c.id == key, unused))
        if role is None:
            raise InputError("this link was used, or is gone already")
        if role == "owner" and not may_own:
            raise InputError("only an owner makes and unmakes owners")
        connection.execute(delete(db.invitation).where(db.invitation.c.id == key, unused))
        record(connection, project.id, actor, "link revoked", role, {})


def drop_member(project: Project, account: int, *, actor: str = "", may_own: bool = False) -> None:
    """End somebody's membership; what they said stays, and what they had begun goes to others."""
    with project.database.writing() as connection:
        before = _role(connection, project, account)
        _check_owners(connection, project, before, "", may_own=may_own)
        mine = (db.membership.c.project_id == project.id) & (db.membership.c.account_id == account)
        assessor = connection.scalar(_linked(project).where(db.membership.c.account_id == account))
        connection.execute(delete(db.membership).where(mine))
        record(connection, project.id, actor, "member dropped", _name(connection, account), {"role": before})
    if assessor is not None:
        change_assessors(project, [assessor], is_active=False, actor=actor)


def assessor_for(project: Project, user: User, *, owns: bool = False) -> str:
    """The name of the assessor as whom somebody judges, made when they begin.

    Nobody takes over labels by calling themselves as somebody else does: an assessor of the same name who was there
    before is theirs only if they own the project.
    """
    if (known := known_assessor(project, user)) is not None:
        return known
    with project.database.reading() as connection:
        taken = set(connection.scalars(select(db.assessor.c.name).filter_by(project_id=project.id)))
        linked = set(connection.scalars(_linked(project)))
    names = (user.name, *(f"{user.name} {number}" for number in range(2, len(taken) + 3)))
    name = next(each for each in names if each not in taken or (owns and each == user.name and each not in linked))
    add_assessors(project, [name], actor=user.name)
    with project.database.writing() as connection:
        key = connection.scalar(select(db.assessor.c.id).filter_by(project_id=project.id, name=name))
        mine = (db.membership.c.project_id == project.id) & (db.membership.c.account_id == user.id)
        if not connection.execute(update(db.membership).where(mine).values(assessor_id=key)).rowcount:
            _join(connection, project, user.id, "owner")  # an administrator who was no member
            connection.execute(update(db.membership).where(mine).values(assessor_id=key))
    return name


def known_assessor(project: Project, user: User) -> str | None:
    """The name of the assessor as whom somebody judges; None if they have not begun."""
    with project.database.reading() as connection:
        name: str | None = connection.scalar(_linked(project).where(db.membership.c.account_id == user.id))
        return name


def _linked(project: Project) -> Select[Any]:
    """The names of assessors who are somebody's."""
    return (
        select(db.assessor.c.name)
        .join(db.membership, db.membership.c.assessor_id == db.assessor.c.id)
        .where(db.membership.c.project_id == project.id)
    )


def _join(connection: Connection, project: Project, account: int, role: str) -> None:
    mine = select(db.membership.c.id).filter_by(project_id=project.id, account_id=account)
    if connection.scalar(mine) is not None:
        raise InputError(f"{_name(connection, account)} belongs to {project.name} already")
    connection.execute(
        db.membership.insert().values(project_id=project.id, account_id=account, role=role, created_at=now(connection))
    )


def _counts(connection: Connection, projects: list[int]) -> dict[int, tuple[int, int]]:
    settled = func.count().filter(db.item.c.state == "settled")
    rows = select(db.item.c.project_id, func.count(), settled).where(db.item.c.project_id.in_(projects))
    return {key: (items, done) for key, items, done in connection.execute(rows.group_by(db.item.c.project_id))}


def _role(connection: Connection, project: Project, account: int) -> str:
    found = select(db.membership.c.role).filter_by(project_id=project.id, account_id=account)
    role: str | None = connection.scalar(found)
    if role is None:
        raise InputError("there is no such member")
    return role


def _check_role(role: str) -> None:
    if role not in db.ROLES:
        raise ParameterError(f"expected a role of {', '.join(db.ROLES)}, got {role!r}")


def _check_owners(connection: Connection, project: Project, before: str, after: str, *, may_own: bool) -> None:
    if "owner" not in {before, after}:
        return
    if not may_own:
        raise InputError("only an owner makes and unmakes owners")
    owners = select(func.count()).select_from(db.membership).filter_by(project_id=project.id, role="owner")
    if before == "owner" != after and connection.scalar(owners) == 1:
        raise InputError("this is the only owner: make somebody else an owner first")


def _name(connection: Connection, account: int) -> str:
    return connection.scalar(select(db.account.c.name).filter_by(id=account)) or ""
