"""A project at a glance, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.store.memberships import known_assessor
from assay.store.progress import progress_of
from assay.store.projects import newest_guidelines
from assay.web import access
from assay.web.context import Context
from assay.web.documents import Shown
from assay.web.next_steps import Step, next_steps


@dataclass(frozen=True)
class OverviewPage:
    """A project as each of its members may see it."""

    project: int
    name: str
    role: str
    scale: list[str]
    guidelines: str
    #: Of whoever asks, if they may judge.
    judged: int | None
    left: int | None
    steps: list[Step]


@dataclass(frozen=True)
class StatusPage:
    """How a project stands, and what to do next."""

    steps: list[Step]
    document: Shown


def overview(context: Context) -> OverviewPage:
    """Show what a project is about, and how far somebody is with it."""
    project = context.project
    judged, left = None, None
    if context.role in access.ASSESSORS and (name := known_assessor(project, context.somebody)):
        judged, left = progress_of(project, name)
    return OverviewPage(
        project.id, project.name, context.role, [each.label for each in project.scale.grades],
        newest_guidelines(project), judged, left, next_steps(context),
    )  # fmt: skip


def status(context: Context) -> StatusPage:
    """Show progress, agreement, each assessor, what is worth a look, and what to do next."""
    from assay.store.quality import project_status  # noqa: PLC0415  # only this page counts that much

    found = project_status(context.project)
    # Where the database is, and what to type, is for whoever is at that machine; what to do next stands above.
    remarks = tuple(each for each in found.remarks if "`assay " not in each)
    return StatusPage(next_steps(context), replace(found, place=found.name, remarks=remarks).document())
