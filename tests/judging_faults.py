"""Assessors killed at any moment: what was acknowledged has to be there, once, and nothing beyond the overlap."""

from __future__ import annotations

import os
import random
import signal
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import NamedTuple, NoReturn

import polars as pl
from sqlalchemy import select

from assay.core.errors import AssayError
from assay.store import schema as db
from assay.store.database import open_database
from assay.store.handout import hand_out
from assay.store.labels_table import labels_of
from assay.store.projects import open_project
from assay.store.saving import save, skip, undo
from assay.store.upkeep import check_store

#: Documents of which somebody said that they cannot be judged, and then took that back: somebody else was asked for it.
_REPLACED = (
    select(db.item.c.doc_id)
    .join(db.assignment, db.assignment.c.item_id == db.item.c.id)
    .join(db.label, db.label.c.assignment_id == db.assignment.c.id)
    .where(db.label.c.verdict == "cannot_judge", db.label.c.id.in_(select(db.label.c.supersedes)))
)


class Killed(NamedTuple):
    """What came of it: kills, labels that were acknowledged, and all that is wrong."""

    kills: int
    acknowledged: int
    problems: list[str]


def kill_assessors(place: str, folder: Path, *, people: int, kills: int, seed: int = 0, pause: float = 0.05) -> Killed:
    """Let so many people judge at once, kill one of them at random again and again, and look at what is left."""
    rng = random.Random(seed)
    names = [f"person {number}" for number in range(people)]
    running = {_judging(place, name, folder): name for name in names}
    done = 0
    try:
        while done < kills:
            time.sleep(rng.expovariate(1 / pause))
            victim = rng.choice(list(running))
            os.kill(victim, signal.SIGKILL)
            os.waitpid(victim, 0)
            name = running.pop(victim)
            running[_judging(place, name, folder)] = name
            done += 1
    finally:
        for process in running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    return _found(place, folder, done)


def _judging(place: str, name: str, folder: Path) -> int:
    """A process in which somebody judges until it is killed."""
    process = os.fork()
    if not process:
        _judge(place, name, folder)
    return process


def _judge(place: str, name: str, folder: Path) -> NoReturn:
    try:
        log = os.open(folder / f"{name}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        with open_database(place) as database:
            project = open_project(database)
            rng = random.Random(os.getpid())
            while True:
                task = hand_out(project, name)
                if task is None:
                    time.sleep(0.05)
                    continue
                chance, key = rng.random(), uuid.uuid4().hex
                if chance < 0.05:
                    skip(project, name, task.assignment)
                elif chance < 0.1:
                    undo(project, name, client_key=key)
                else:
                    saved = save(project, name, task.assignment, rng.choice([0, 1, 2, 3, None]), client_key=key)
                    os.write(log, f"{key} {saved.label}\n".encode())
    except (AssayError, OSError) as problem:
        os.write(2, f"{name}: {problem}\n".encode())
    finally:
        os._exit(1)


def _found(place: str, folder: Path, kills: int) -> Killed:
    acknowledged = [line.split() for path in folder.glob("*.log") for line in path.read_text().splitlines()]
    with open_database(place) as database:
        project = open_project(database)
        with database.reading() as connection:
            keys = Counter(connection.scalars(select(db.label.c.client_key)))
            doubled = Counter(connection.scalars(_REPLACED))
        problems = list(check_store(database).problems)
        labels = labels_of(project).frame
        most = project.settings.most
    problems += [
        f"label {key} was acknowledged and is there {keys[key]} times" for key, _ in acknowledged if keys[key] != 1
    ]
    several = labels.group_by("query_id", "item_id").len().filter(pl.col("len") > most)
    problems += [f"{row} has more labels than {most}" for row in several.iter_rows() if row[2] > most + doubled[row[1]]]
    twice = labels.group_by("query_id", "item_id", "judge").len().filter(pl.col("len") > 1)
    problems += [f"{row}: one person twice" for row in twice.iter_rows()]
    return Killed(kills, len(acknowledged), problems)
