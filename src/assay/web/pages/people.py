"""The people of a project: who belongs to it, in which role, and links that invite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.store import memberships
from assay.store.accounts import add_link
from assay.store.memberships import Member, change_role, drop_member, members_of
from assay.web.context import Context, Done, Fields, ProblemError

Role: TypeAlias = Literal["owner", "manager", "adjudicator", "assessor", "contestant", "viewer"]


class Invitation(Fields):
    """What somebody who follows the link will be."""

    role: Role = "assessor"


class NewRole(Fields):
    """What a member is from now on."""

    role: Role


@dataclass(frozen=True)
class PeoplePage:
    """The members of a project, links that invite, and the roles that whoever asks can give."""

    project: int
    members: list[Member]
    links: list[memberships.Invitation]
    roles: list[str]


def people(context: Context) -> PeoplePage:
    """List the members of a project, and the links that still work."""
    project = context.project
    links = memberships.invitations_of(project)
    return PeoplePage(context.project_key, members_of(project), links, _roles(context))


def invite(context: Context) -> Done:
    """Make a link that one person can use to join."""
    given: Invitation = context.form
    if given.role not in _roles(context):
        raise ProblemError(403, "only an owner makes owners")
    secret = add_link(
        context.database, "invite", project=context.project_key, role=given.role, invited_by=context.actor
    )
    link = context.link(f"/join/{secret}")
    return Done(_here(context), f"Send this link to one person, within a week: {link}", {"link": link})


def revoke(context: Context) -> Done:
    """Make a link that invites worthless."""
    memberships.revoke_invitation(
        context.project, context.path["key"], actor=context.actor, may_own=context.role == "owner"
    )
    return Done(_here(context), "The link is worthless now.")


def set_role(context: Context) -> Done:
    """Give a member another role."""
    given: NewRole = context.form
    change_role(context.project, context.path["key"], given.role, actor=context.actor, may_own=context.role == "owner")
    return Done(_here(context), "The role is changed.")


def drop(context: Context) -> Done:
    """End a membership; what the member said stays, and what they had begun goes to others."""
    drop_member(context.project, context.path["key"], actor=context.actor, may_own=context.role == "owner")
    return Done(_here(context), "The member is gone; their labels stay, and what they had begun goes to others.")


def _here(context: Context) -> str:
    return f"/projects/{context.project_key}/people"


def _roles(context: Context) -> list[str]:
    every = ["owner", "manager", "adjudicator", "assessor", "contestant", "viewer"]
    return every if context.role == "owner" else every[1:]
