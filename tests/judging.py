"""Small judging projects for tests."""

from __future__ import annotations

import functools
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay import make_pool
from assay.store.database import Database, open_database
from assay.store.handout import Task, hand_out
from assay.store.projects import Project, add_assessors, create_project
from assay.store.saving import Saved, save
from assay.store.scales import SCALES, aspect_of
from assay.store.settings import Settings
from assay.tables import Documents, Topics

RUNS = {
    "first": {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d4": 2.0, "d5": 1.0}},
    "second": {"q1": {"d3": 2.0, "d1": 1.0}, "q2": {"d6": 3.0, "d4": 1.0}},
}
#: Documents in the pool of both runs.
SIZE = 6


@contextmanager
def fast_folder() -> Iterator[Path]:
    """A folder in memory, where there is one: nothing there waits for a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="assay-", dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


@functools.cache
def _empty() -> bytes:
    with fast_folder() as folder:
        place = folder / "empty.db"
        open_database(str(place), create=True).close()
        return place.read_bytes()


def new_database(place: Path) -> Database:
    """A database without a project: a copy of one whose tables were made once."""
    place.write_bytes(_empty())
    return open_database(str(place))


def make_project(
    database: Database, name: str = "tea", *, people: Iterable[str] = ("ana", "ben", "cleo"), topics: int = 0,
    documents: int = 0, aspects: Iterable[str] = (), runs: Any = RUNS, **settings: Any,
) -> Project:  # fmt: skip
    """A project of two runs on two topics, or of others; or of one run with so many topics and documents for each."""
    if topics:
        runs = {"only": {f"q{t}": {f"d{t}-{d}": 1.0 / (d + 1) for d in range(documents)} for t in range(topics)}}
    ids = {document for run in runs.values() for found in run.values() for document in found}
    queries = {query for run in runs.values() for query in run}
    texts = Topics.of({query: f"about {query}" for query in sorted(queries)})
    project = create_project(
        database, name, make_pool(runs, depth=10_000), texts,
        Documents.of({each: f"The text of {each}." for each in sorted(ids)}), scale=SCALES["graded"],
        settings=Settings.of(settings), aspects=[aspect_of(each) for each in aspects], actor="lead",
    )  # fmt: skip
    add_assessors(project, people, actor="lead")
    return project


def say(project: Project, who: str, task: Task, value: int | None, **more: Any) -> Saved:
    """Save a label under a new key."""
    return save(project, who, task.assignment, value, client_key=uuid.uuid4().hex, **more)


def tasks_of(project: Project, who: str, most: int = 10_000) -> Iterator[Task]:
    """Hand out to somebody until nothing is left for them."""
    for _ in range(most):
        task = hand_out(project, who)
        if task is None:
            return
        yield task


def judge_all(project: Project, who: str, grade: Callable[[Task], int | None], most: int = 10_000) -> list[Task]:
    """Let somebody judge until nothing is left for them; what they judged."""
    seen = []
    for task in tasks_of(project, who, most):
        say(project, who, task, grade(task))
        seen.append(task)
    return seen
