"""The projects of somebody."""

from __future__ import annotations

from dataclasses import dataclass

from assay.store.memberships import Membership, memberships_of
from assay.web.context import Context


@dataclass(frozen=True)
class HomePage:
    """The projects of somebody, the newest first."""

    projects: list[Membership]


def projects(context: Context) -> HomePage:
    """List the projects of whoever asks."""
    return HomePage(memberships_of(context.database, context.somebody))
