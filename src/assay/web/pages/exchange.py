"""What goes out and comes in: judgments, labels and tasks as files; labels of other tools, looked at first."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from assay.core.errors import InputError, number_of
from assay.files.labels import read_labels
from assay.files.sources import Source
from assay.store.holdings import holdings_of
from assay.store.listings import LabelImport
from assay.store.staged import Staged, stage, staged, unstage
from assay.store.transfer import exported, take_labels
from assay.web import uploads
from assay.web.context import Context, Done, Fields, File, ProblemError
from assay.web.documents import Shown

_TYPES = {".csv": "text/csv; charset=utf-8", ".json": "application/json", ".jsonl": "application/x-ndjson"}


class Export(Fields):
    """What to write, and in which form."""

    what: Literal["labels", "judges", "history", "everything", "tasks"] = "labels"
    form: Literal["", ".qrels", ".csv", ".jsonl", ".json"] = ""
    tool: Literal["label-studio", "quepid"] = "label-studio"
    aspect: str | None = Field(default=None, max_length=1000)


class ReleaseExport(Fields):
    """A release by its number, and the form to write it in."""

    version: int | None = Field(default=None, ge=1, le=2**31)
    form: Literal[".qrels", ".csv", ".jsonl"] = ".qrels"
    unjudged: bool = False


class Labels(Fields):
    """Whose labels a file holds, and which grades they are: `0=0,0.5=1,1=3`."""

    kind: Literal["human", "program", "model"] = "human"
    grades: str = Field(default="", max_length=2000)


class Waiting(Fields):
    """A file that was looked at; without one, the page of all that goes in and out."""

    file: int | None = Field(default=None, ge=1, le=2**53)


class Chosen(Fields):
    """The file to import."""

    file: int = Field(ge=1, le=2**53)


@dataclass(frozen=True)
class ExchangePage:
    """What can be taken along, and what an import would do."""

    project: int
    aspects: list[str]
    open: int
    file: int | None
    name: str
    taken: int
    document: Shown | None


def exchange(context: Context) -> ExchangePage:
    """Show what goes out and comes in; of a file that waits, what would be taken and what refused."""
    asked: Waiting = context.query
    project = context.project
    aspects = [each.name for each in project.aspects.values()]
    waiting = holdings_of(project).items.get("open", 0)
    if asked.file is None:
        return ExchangePage(project.id, aspects, waiting, None, "", 0, None)
    found = staged(project, asked.file)
    result = _taken(context, found, dry_run=True)
    return ExchangePage(project.id, aspects, waiting, found.key, found.name, result.taken, result.document())


def look(context: Context) -> Done:
    """Take a file of labels, and say what would be imported; nothing is."""
    given: Labels = context.form
    sources = uploads.sources(context)
    if len(sources) > 1:
        raise ProblemError(422, "choose one file of labels at a time")
    source = sources[0]
    found = Staged(0, source.name, source.read(), vars(given))
    result = _taken(context, found, dry_run=True)
    key = stage(context.project, context.somebody, found.name, found.content, found.options)
    data = {"file": key, "taken": result.taken, "known": result.known, "refused": result.refused.height}
    return Done(f"{_here(context)}?file={key}", "Nothing is imported yet: this is what would be.", data)


def take(context: Context) -> Done:
    """Import a file of labels that was looked at."""
    given: Chosen = context.form
    result = _taken(context, staged(context.project, given.file), dry_run=False)
    unstage(context.project, given.file)
    said = f"{number_of('label', result.taken)} imported."
    return Done(_here(context), said, {"taken": result.taken, "known": result.known})


def leave(context: Context) -> Done:
    """Forget a file of labels that was looked at."""
    given: Chosen = context.form
    unstage(context.project, given.file)
    return Done(_here(context), "Nothing was imported.")


def export(context: Context) -> File:
    """Write labels, all that was ever said, everything, or tasks for another tool."""
    asked: Export = context.query
    ending = asked.form or {"judges": ".qrels", "labels": ".csv", "tasks": ".json"}.get(asked.what, ".jsonl")
    more: dict[str, Any] = {"aspect": asked.aspect, "tool": asked.tool}
    name = asked.tool if asked.what == "tasks" else asked.what
    return _file(context, asked.what, ending, name, **more)


def export_release(context: Context) -> File:
    """Write a release as judgments."""
    asked: ReleaseExport = context.query
    name = "release" if asked.version is None else f"release-{asked.version}"
    return _file(context, "release", asked.form, name, version=asked.version, unjudged=asked.unjudged)


def _file(context: Context, what: str, ending: str, name: str, **more: Any) -> File:
    text, _ = exported(context.project, what, ending=ending, **more)
    named = f"{context.project.name}-{name}{ending}"
    return File(text.encode("utf-8", "replace"), _TYPES.get(ending, "text/plain; charset=utf-8"), named)


def _taken(context: Context, found: Staged, *, dry_run: bool) -> LabelImport:
    labels = read_labels(Source(io.BytesIO(found.content), name=found.name), repeated="last")
    if len(labels) > context.settings.most_rows:
        raise InputError(f"{found.name}: at most {context.settings.most_rows:,} labels are taken at once")
    options = found.options
    return take_labels(
        context.project, labels, kind=options["kind"], grades=options["grades"] or None, dry_run=dry_run,
        actor=context.actor,
    )  # fmt: skip


def _here(context: Context) -> str:
    return f"/projects/{context.project_key}/exchange"
