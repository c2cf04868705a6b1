"""Runs of a contestant, and how they did: never judgments, and never the runs of others."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import PurePath

from pydantic import Field

from assay.core.errors import InputError, listed
from assay.files import read_run
from assay.files.sources import Source
from assay.store.kept_runs import KnownRun, keep_runs, known_runs
from assay.store.releases import releases
from assay.store.texts import topic_names
from assay.web import makings
from assay.web.context import Context, Done, Fields, ProblemError
from assay.web.documents import Kept, KeptShown
from assay.web.pages.results import USUAL, Asked, release_of

#: Each score tells a little of the judgments: whoever may send runs without end could find them out.
MOST_RUNS = 20


class NewRun(Fields):
    """A run to send; its name is that of the file, unless it gets another one."""

    name: str = Field(default="", max_length=100)


@dataclass(frozen=True)
class OwnRun:
    """A run of whoever asks."""

    name: str
    sent_at: int


@dataclass(frozen=True)
class ContestPage:
    """The runs of whoever asks, and their scores under a release."""

    project: int
    runs: list[OwnRun]
    most: int
    topics: int
    releases: list[int]
    release: int | None
    measure: str
    measures: list[str]
    board: KeptShown


def contest(context: Context) -> ContestPage:
    """Show the runs of whoever asks, and how they did under a release."""
    given: Asked = context.query
    project, runs = context.project, _own(context)
    versions = [int(each["version"]) for each in reversed(releases(project))]
    board: Kept | None = None
    number = given.release or (versions[0] if versions else None)
    if number is not None and runs:
        what = makings.asked(release_of(project, number), runs, given.measure, own=True)
        board = makings.at_once(project, "leaderboard", what)
    return ContestPage(
        project.id, [OwnRun(each.name, each.created_at) for each in runs], MOST_RUNS, len(project.topics), versions,
        number, given.measure, list(USUAL), board,
    )  # fmt: skip


def send_run(context: Context) -> Done:
    """Take a run of a contestant; what is wrong with it is said with its line."""
    given: NewRun = context.form
    files = context.files.get("run", [])
    if len(files) != 1:
        raise ProblemError(422, "run: choose one file")
    own = _own(context)
    if len(own) >= MOST_RUNS:
        raise ProblemError(409, f"you have sent {MOST_RUNS} runs, which is as many as anybody may")
    upload = files[0]
    content = upload.file.read()
    # The names of others' runs are nobody's business: each contestant's are below their own.
    name = f"{context.actor}/{given.name or PurePath(upload.name).stem or 'run'}"
    read = read_run(Source(io.BytesIO(content), name=upload.name), name=name)
    _check_topics(context, upload.name, set(read.frame["query_id"].unique()))
    source = Source(io.BytesIO(content), name=upload.name)
    keep_runs(context.project, {name: source}, actor=context.actor, account=context.somebody.id)
    return Done(f"/projects/{context.project_key}/contest", f"{name} is here.", {"name": name})


def _own(context: Context) -> list[KnownRun]:
    return known_runs(context.project, account=context.somebody.id)


def _check_topics(context: Context, file: str, queries: set[str]) -> None:
    """Refuse a run for other topics, which would score nothing without a word."""
    known = topic_names(context.project)
    if not queries & known:
        raise InputError(f"{file}: none of its topics is among those of the project, which are {listed(sorted(known))}")
