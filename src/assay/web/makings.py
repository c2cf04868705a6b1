"""What long work makes: documents of a project, by the kind of work and what is given.

What is given holds all that the document depends on: the sha256 of the release and of each run, the measure, and the
version of Assay. So a result is kept for good, and found again by what is given.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from assay import __version__
from assay.core.errors import InputError
from assay.show.model import Document
from assay.store import jobs
from assay.store.kept_runs import KnownRun, kept_runs, known_runs
from assay.store.leaderboards import leaderboard
from assay.store.projects import Project
from assay.store.releases import Release, open_release
from assay.web.documents import Kept

#: As much is computed while somebody waits; more than that is a job.
_FEW_RUNS, _FEW_BYTES = 8, 2**22
_MOST_REMEMBERED = 64


@dataclass
class Progress:
    """How far a piece of work is; whoever does it writes it here."""

    done: int = 0
    total: int = 0
    message: str = ""

    def step(self, done: int, total: int, message: str) -> None:
        """Say what is done next."""
        self.done, self.total, self.message = done, total, message


Making: TypeAlias = Callable[[Project, Mapping[str, Any], Progress], Document]


def asked(release: Release, runs: list[KnownRun], measure: str, **more: Any) -> dict[str, Any]:
    """What is given to make a document of a release."""
    named = {each.name: each.sha256 for each in runs}
    return {
        "release": release.version, "sha256": release.sha256, "runs": named, "measure": measure, "assay": __version__,
        **more,
    }  # fmt: skip


def _leaderboard(project: Project, given: Mapping[str, Any], progress: Progress) -> Document:
    progress.step(0, 2, "reading runs")
    runs = _runs(project, given)
    progress.step(1, 2, f"comparing {len(runs):,} runs")
    return leaderboard(open_release(project, given["release"]), runs, given["measure"], is_own=given.get("own", False))


def _report(project: Project, given: Mapping[str, Any], progress: Progress) -> Document:
    from assay.verbs.report import make_report  # noqa: PLC0415  # loads SciPy

    progress.step(0, 3, "reading runs")
    runs = _runs(project, given)
    progress.step(1, 3, "putting the report together")
    release = open_release(project, given["release"])
    measures = list(dict.fromkeys([given["measure"], "AP", "RR"]))
    names = [name for name in runs if name != given["baseline"]]
    title = f"{', '.join(names)} against {given['baseline']}: {project.name}, release {release.version}"
    report = make_report(release.to_qrels(), runs, measures, baseline=given["baseline"], title=title)
    progress.step(2, 3, "writing the page")
    return report.document()


#: What can be asked for, by its name.
MAKINGS: Final[dict[str, Making]] = {"leaderboard": _leaderboard, "report": _report}


def _runs(project: Project, given: Mapping[str, Any]) -> dict[str, Any]:
    """The runs that are meant, if they are still those that were meant."""
    known = {each.name: each.sha256 for each in known_runs(project)}
    if any(known.get(name) != sha256 for name, sha256 in given["runs"].items()):
        raise InputError("the runs have changed meanwhile: ask for it anew")
    return kept_runs(project, given["runs"])


def is_quick(runs: list[KnownRun]) -> bool:
    """True if somebody can wait for it."""
    return len(runs) <= _FEW_RUNS and sum(each.size for each in runs) <= _FEW_BYTES


_remembered: dict[tuple[Any, ...], Kept] = {}
_lock = threading.Lock()


def at_once(project: Project, kind: str, given: Mapping[str, Any]) -> Kept:
    """A document that takes no time to speak of: made now, and remembered for the next time."""
    key = (project.database.name, project.id, kind, repr(given))
    with _lock:
        if key in _remembered:
            return _remembered[key]
    kept = Kept.of(MAKINGS[kind](project, given, Progress()))
    with _lock:
        while len(_remembered) >= _MOST_REMEMBERED:
            _remembered.pop(next(iter(_remembered)))
        _remembered[key] = kept
    return kept


def ready(project: Project, kind: str, given: Mapping[str, Any]) -> tuple[Kept | None, jobs.Job | None]:
    """A document that a job has made; or the job that is at it, or came to nothing."""
    job = jobs.found(project, kind, given)
    if job is None or job.state != "done":
        return None, job
    content = jobs.result_of(project, job.id)
    return (None if content is None else Kept.of_bytes(content)), job
