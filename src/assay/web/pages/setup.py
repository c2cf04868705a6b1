"""New projects, and the files that they are made from: topics, documents, runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from assay.core.errors import InputError, number_of
from assay.files import read_run, read_topics
from assay.files.document_stream import document_batches
from assay.store import holdings
from assay.store.bundled import bundled_project
from assay.store.kept_runs import keep_runs
from assay.store.memberships import add_member
from assay.store.projects import begin_project
from assay.store.scales import SCALES, scale_of
from assay.store.settings import Settings
from assay.web import uploads
from assay.web.context import Context, Done, Fields


class NewProject(Fields):
    """A project to be: its name, and what is hard to change later. `grades`: a scale of one's own, `0=no,1=yes`."""

    name: str = Field(min_length=1, max_length=100)
    scale: str = Field(default="graded", max_length=100)
    grades: str = Field(default="", max_length=2000)
    overlap: int = Field(default=1, ge=1, le=100)
    guidelines: str = ""


class Part(Fields):
    """Topics, documents or runs."""

    part: holdings.Part


@dataclass(frozen=True)
class ScaleShown:
    """A scale that a project can have."""

    name: str
    grades: str


@dataclass(frozen=True)
class NewProjectPage:
    """What a new project can choose from."""

    scales: list[ScaleShown]


@dataclass(frozen=True)
class FilesPage:
    """What a project has to be made from, and the limits of uploads."""

    project: int
    topics: int
    documents: int
    pooled: int
    runs: list[holdings.KeptRun]
    most_megabytes: int
    most_rows: int


def new_project(context: Context) -> NewProjectPage:  # noqa: ARG001  # every page gets it
    """Ask what a new project is to be."""
    known = ("graded", "binary", "web", "preference")
    return NewProjectPage([ScaleShown(name, SCALES[name].described()) for name in known])


def make_project(context: Context) -> Done:
    """Make a project, which then waits for its files; whoever makes it owns it."""
    given: NewProject = context.form
    project = begin_project(
        context.database, given.name, scale=scale_of(given.grades or given.scale),
        settings=Settings.of({"overlap": given.overlap}), guidelines=given.guidelines, actor=context.actor,
    )  # fmt: skip
    add_member(project, context.somebody, "owner", actor=context.actor)
    return Done(f"/projects/{project.id}/files", f"{project.name} is made: add its files.", {"project": project.id})


def make_bundled(context: Context) -> Done:
    """Make a project of the bundled collection, ready to judge by two people each."""
    name = holdings.unused_name(context.database, "bicycles")
    project = bundled_project(context.database, name, settings=Settings(overlap=2, most=2), actor=context.actor)
    add_member(project, context.somebody, "owner", actor=context.actor)
    return Done(f"/projects/{project.id}", f"{name} is ready to judge.", {"project": project.id})


def files(context: Context) -> FilesPage:
    """Show what a project has, and take more."""
    held, settings = holdings.holdings_of(context.project), context.settings
    return FilesPage(
        context.project_key, held.topics, held.documents, held.pooled, held.runs, settings.most_upload // 2**20,
        settings.most_rows,
    )  # fmt: skip


def add_topics(context: Context) -> Done:
    """Add topics from files in any format that is known."""
    read = (read_topics(source) for source in uploads.sources(context))
    new, known = holdings.take_topics(
        context.project, list(uploads.limited(read, context.settings)), actor=context.actor
    )  # fmt: skip
    return _added(context, "topic", new, known)


def add_documents(context: Context) -> Done:
    """Add documents from files in any format that is known."""
    pieces = (piece for source in uploads.sources(context) for piece in document_batches(source))
    new, known = holdings.take_documents(
        context.project, uploads.limited(pieces, context.settings), actor=context.actor
    )  # fmt: skip
    return _added(context, "document", new, known)


def add_runs(context: Context) -> Done:
    """Keep runs, each under the name of its file."""
    found: dict[str, Any] = {}
    for source in uploads.sources(context):
        if source.stem in found:
            raise InputError(f"{source.name}: two files hold a run {source.stem!r}: give each a name of its own")
        found[source.stem] = source
    for _ in uploads.limited((read_run(source) for source in found.values()), context.settings):
        pass  # read before any is kept: a line that is wrong leaves nothing behind
    keep_runs(context.project, found, actor=context.actor)
    return Done(_here(context), f"{number_of('run', len(found))} added.", {"runs": list(found)})


def remove(context: Context) -> Done:
    """Take all topics, documents or runs away again, before there is a pool."""
    given: Part = context.form
    count = holdings.empty(context.project, given.part, actor=context.actor)
    return Done(_here(context), f"{number_of(given.part[:-1], count)} removed.", {"removed": count})


def _added(context: Context, what: str, new: int, known: int) -> Done:
    before = f" {number_of(what, known)} {'was' if known == 1 else 'were'} there before." if known else ""
    return Done(_here(context), f"{number_of(what, new)} added.{before}", {"added": new, "known": known})


def _here(context: Context) -> str:
    return f"/projects/{context.project_key}/files"
