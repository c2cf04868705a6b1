"""A process that does one job and ends: `python -m assay.web.work` reads which one from stdin.

It says every second that it is alive and how far it is, stops when somebody asks it to, and ends when the process that
began it has gone: then stdin ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import NoReturn

from assay.core.errors import AssayError
from assay.store import jobs
from assay.store.database import Database, StoreError, open_database
from assay.store.projects import project_by_key
from assay.web.documents import Kept
from assay.web.makings import MAKINGS, Progress
from assay.web.security import log_error

#: Seconds between two signs of life.
_BEAT = 1.0


def main() -> int:
    """Do the job that stdin names."""
    asked = json.loads(sys.stdin.readline() or "{}")
    if not asked:
        return 0
    with open_database(asked["place"]) as database:
        key, progress = int(asked["job"]), Progress()
        threading.Thread(target=_end_with_whoever_asked, args=(database, key), daemon=True).start()
        do(database, key, progress, watched=True)
    return 0


def do(database: Database, key: int, progress: Progress, *, watched: bool = False) -> None:
    """Do a job that waits, and write down what came of it; `watched`: end the process when it is to stop."""
    begun = jobs.begin(database, key)
    if begun is None:
        return
    if watched:
        threading.Thread(target=_beat, args=(database, key, progress), daemon=True).start()
    project, kind, given = begun
    try:
        document = MAKINGS[kind](project_by_key(database, project), given, progress)
        jobs.end(database, key, "done", result=Kept.of(document).to_bytes())
    except AssayError as problem:
        jobs.end(database, key, "failed", str(problem))
    except MemoryError:
        jobs.end(database, key, "failed", "this takes more memory than there is")
    except Exception as problem:  # whatever it is, whoever waits for it learns that it is over
        log_error(problem, f"job {key}")
        jobs.end(database, key, "failed", "something went wrong, and was written to the log")


def _beat(database: Database, key: int, progress: Progress) -> None:
    """Say that the job is alive, until it is to stop."""
    while True:
        try:
            goes_on = jobs.beat(database, key, done=progress.done, total=progress.total, message=progress.message)
        except StoreError:  # the next time, perhaps
            goes_on = True
        if not goes_on:
            _leave(database, key, "cancelled", "somebody stopped it")
        time.sleep(_BEAT)


def _end_with_whoever_asked(database: Database, key: int) -> None:
    """Wait for the end of stdin: then nobody is there for whom to work."""
    sys.stdin.read()
    _leave(database, key, "interrupted", "the server ended before this was done")


def _leave(database: Database, key: int, state: str, message: str) -> NoReturn:
    try:
        jobs.end(database, key, state, message)
    finally:
        os._exit(0)  # what it was at may be within a library that hears nothing


if __name__ == "__main__":
    raise SystemExit(main())
