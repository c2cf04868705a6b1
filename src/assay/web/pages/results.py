"""Results of a release: the leaderboard of its runs, and where from there."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from pydantic import Field

from assay.core.errors import not_among
from assay.store.jobs import Job
from assay.store.kept_runs import KnownRun, known_runs
from assay.store.projects import Project
from assay.store.releases import Release, open_release, releases
from assay.web import makings
from assay.web.context import Context, Done, Fields, NotFoundError, ProblemError
from assay.web.documents import Kept, KeptShown
from assay.web.pages.jobs import JobLine, ask_for, line_of

#: Measures that the form offers; any other one may be typed.
USUAL = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Success@10", "RBP", "ERR@20", "Bpref")


class Asked(Fields):
    """A release, the newest unless one is named, and a measure."""

    release: int | None = Field(default=None, ge=1, le=2**31 - 1)
    measure: str = Field(default="nDCG@10", min_length=1, max_length=100)


class Pair(Asked):
    """Two runs that are held against one another."""

    baseline: str = Field(min_length=1, max_length=300)
    system: str = Field(min_length=1, max_length=300)


@dataclass(frozen=True)
class ResultsPage:
    """The leaderboard of a release, or what there has to be before there is one."""

    project: int
    releases: list[int]
    release: int | None
    measure: str
    measures: list[str]
    runs: list[str]
    board: KeptShown
    #: The job that makes the leaderboard, where it takes long.
    job: JobLine | None


def results(context: Context) -> ResultsPage:
    """Show the leaderboard of a release: runs with intervals, and which cannot be told apart."""
    given: Asked = context.query
    project, runs = context.project, known_runs(context.project)
    versions = [int(each["version"]) for each in reversed(releases(project))]
    board: Kept | None = None
    job: Job | None = None
    number = given.release or (versions[0] if versions else None)
    if number is not None and runs:
        release = release_of(project, number)
        what = makings.asked(release, runs, given.measure)
        if makings.is_quick(runs):
            board = makings.at_once(project, "leaderboard", what)
        else:
            board, job = makings.ready(project, "leaderboard", what)
    return ResultsPage(
        project.id, versions, number, given.measure, list(USUAL), [each.name for each in runs], board,
        None if job is None else line_of(project.id, job),
    )  # fmt: skip


def rank(context: Context) -> Done:
    """Have the leaderboard of many runs made, which takes a while."""
    given: Asked = context.form
    runs = known_runs(context.project)
    if not runs:
        raise ProblemError(409, "this project keeps no runs: there is nothing to rank")
    what = makings.asked(release_of(context.project, given.release), runs, given.measure)
    return ask_for(context, "leaderboard", what)


def report(context: Context) -> Done:
    """Have the full report of two runs made, which takes a while."""
    given: Pair = context.form
    runs = pair_of(context.project, given)
    release = release_of(context.project, given.release)
    return ask_for(context, "report", makings.asked(release, runs, given.measure, baseline=given.baseline))


def release_of(project: Project, number: int | None) -> Release:
    """A release of a project, the newest unless one is named."""
    known = [int(each["version"]) for each in releases(project)]
    if not known:
        raise NotFoundError("there is no release yet: release judgments first")
    if number is not None and number not in known:
        raise NotFoundError(f"there is no release {number}: the newest is {known[-1]}")
    return open_release(project, number or known[-1])


def pair_of(project: Project, given: Pair) -> list[KnownRun]:
    """The two runs that are meant, the baseline first."""
    known = {each.name: each for each in known_runs(project)}
    for name in (given.baseline, given.system):
        if name not in known:
            raise not_among("run", name, known)
    if given.baseline == given.system:
        raise ProblemError(400, f"{given.system} is held against itself: choose two runs")
    return [known[given.baseline], known[given.system]]


def query_string(given: Asked, **more: object) -> str:
    """The end of an address that asks for the same, with more."""
    named = {**given.model_dump(exclude_none=True), **more}
    return urlencode({name: str(value) for name, value in named.items() if value is not None})
