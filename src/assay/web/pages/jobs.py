"""Long work of a project: what is under way and what came of it, with progress, a way to stop it, and to try again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from assay.store import jobs as store
from assay.store.jobs import Job
from assay.web import working
from assay.web.context import Context, Done, Fields, File, NotFoundError
from assay.web.documents import Kept, page_file

_TITLES = {"leaderboard": "Leaderboard", "report": "Report"}


class Download(Fields):
    """Look at a file, or keep it."""

    download: bool = False


@dataclass(frozen=True)
class JobLine:
    """A job of a project: what it makes, where it stands, how far it is."""

    id: int
    title: str
    about: str
    state: str
    done: int
    total: int
    message: str
    is_open: bool
    is_file: bool
    #: Where its result is.
    leads_to: str
    created_at: int
    ended_at: int | None


@dataclass(frozen=True)
class JobsPage:
    """The long work of a project, the newest first."""

    project: int
    jobs: list[JobLine]
    is_open: bool


@dataclass(frozen=True)
class JobPage:
    """A piece of long work."""

    project: int
    job: JobLine
    is_open: bool


def jobs(context: Context) -> JobsPage:
    """List the long work of a project."""
    lines = [line_of(context.project_key, each) for each in store.jobs_of(context.project, _TITLES)]
    return JobsPage(context.project_key, lines, any(each.is_open for each in lines))


def job(context: Context) -> JobPage:
    """Show how far a piece of work is."""
    line = line_of(context.project_key, _job(context))
    return JobPage(context.project_key, line, line.is_open)


def stop(context: Context) -> Done:
    """Ask a job to stop."""
    asked = store.cancel(context.project, _job(context).id)
    return Done(_place(context, context.path["key"]), "It is being stopped." if asked else "It has ended already.")


def again(context: Context) -> Done:
    """Ask for the same work once more."""
    former = _job(context)
    return ask_for(context, former.kind, former.given)


def file(context: Context) -> File:
    """Show a report, or download it."""
    given: Download = context.query
    found = _job(context)
    content = store.result_of(context.project, found.id)
    if content is None:
        raise NotFoundError("this has not been made: ask for it again")
    kept = Kept.of_bytes(content)
    names = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join([found.kind, *found.given.get("runs", {})]))[:80].strip("-")
    return page_file(kept.page, name=f"{names}.html" if given.download else "")


def ask_for(context: Context, kind: str, given: Mapping[str, Any]) -> Done:
    """Have long work done, unless it is done already, and go where its progress is shown."""
    there = store.found(context.project, kind, given)
    if there is not None and there.state == "done":
        return Done(line_of(context.project_key, there).leads_to, "", {"job": there.id})
    user = context.user
    key, is_new = store.add_job(context.project, kind, given, account=None if user is None else user.id)
    if is_new:
        working.start(context.database, key)
    return Done(_place(context, key), "", {"job": key})


def _job(context: Context) -> Job:
    found = store.job_of(context.project, context.path["key"])
    if found is None or found.kind not in _TITLES:  # files that wait to be imported are kept there, too
        raise NotFoundError("there is no such work")
    return found


def _place(context: Context, key: int) -> str:
    return f"/projects/{context.project_key}/jobs/{key}"


def line_of(project: int, job: Job) -> JobLine:
    """A job as pages show it."""
    given, is_file = job.given, job.kind == "report"
    runs = list(given.get("runs", {}))
    named = ", ".join(runs) if len(runs) <= 4 else f"{len(runs):,} runs"
    about = f"release {given.get('release')}, {given.get('measure')}: {named}"
    if is_file:
        leads_to = f"/projects/{project}/jobs/{job.id}/file"
    else:
        asked = urlencode({name: given[name] for name in ("release", "measure") if name in given})
        leads_to = f"/projects/{project}/results?{asked}"
    return JobLine(
        job.id, _TITLES.get(job.kind, job.kind), about, job.state, job.done, job.total, job.message, job.is_open,
        is_file, leads_to, job.created_at, job.ended_at,
    )  # fmt: skip
