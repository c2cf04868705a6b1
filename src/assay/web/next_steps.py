"""The next steps of a project: what is missing, what waits, and the page to do it on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.core.errors import number_of
from assay.store.adjudication import waiting
from assay.store.changes import state_of
from assay.store.holdings import holdings_of
from assay.store.memberships import members_of
from assay.store.projects import newest_guidelines
from assay.store.releases import releases
from assay.web import access
from assay.web.context import Context


@dataclass(frozen=True)
class Step:
    """Something to do: why, what a button says, and where it leads within the workbench."""

    why: str
    button: str
    to: str


def next_steps(context: Context) -> list[Step]:
    """What is to be done next, the most pressing first, of what somebody may do."""
    if context.role in access.MANAGERS:
        return list(_of_manager(context))
    disputed = waiting(context.project) if context.role in access.ADJUDICATORS else 0
    return [_decide(context, disputed)] if disputed else []


def _of_manager(context: Context) -> Iterator[Step]:
    project, at = context.project, f"/projects/{context.project_key}"
    held = holdings_of(project)
    if not held.pooled:
        parts = {"topics": held.topics, "documents": held.documents, "runs": len(held.runs)}
        if missing := [name for name, count in parts.items() if not count]:
            lacking = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
            yield Step(f"This project still lacks {lacking}.", "Add files", f"{at}/files")
        else:
            yield Step("Nobody has anything to judge yet.", "Make a pool", f"{at}/pool")
    if (state := state_of(project)) != "open":
        yield Step(f"This project is {state}: nothing is handed out.", "Open it", f"{at}/settings")
    if disputed := held.items.get("disputed", 0):
        yield _decide(context, disputed)
    if not newest_guidelines(project):
        yield Step("Assessors have no guidelines to look up.", "Write guidelines", f"{at}/settings")
    if len([each for each in members_of(project) if each.role in access.ASSESSORS]) < max(2, project.settings.overlap):
        yield Step("Few people can judge here.", "Invite somebody", f"{at}/people")
    if held.pooled and not held.items.get("open", 0) and not disputed:
        settled = [each["facts"]["states"].get("settled", 0) for each in releases(project)]
        if not settled or settled[-1] < held.pooled:
            yield Step("Every document is settled.", "Make a release", f"{at}/releases")


def _decide(context: Context, disputed: int) -> Step:
    waits = "waits" if disputed == 1 else "wait"
    why = f"{number_of('document', disputed)} {waits} for a decision."
    return Step(why, "Decide", f"/projects/{context.project_key}/disagreements")
