"""Jobs that a server begins: each in a process of its own, one after the other."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Final

from assay.core.errors import AssayError
from assay.store import jobs
from assay.store.database import Database
from assay.web.security import log_error

#: So many are at work at once; the others wait.
_SEATS: Final = threading.BoundedSemaphore(1)
#: Seconds between two signs of life of what waits.
_PATIENCE: Final = 2.0


def start(database: Database, key: int) -> None:
    """Have a job done."""
    threading.Thread(target=_attend, args=(database, key), daemon=True, name=f"job {key}").start()


def _attend(database: Database, key: int) -> None:
    """Wait for a seat, let a process do the job, and write down if that dies."""
    try:
        while not _SEATS.acquire(timeout=_PATIENCE):
            if not jobs.beat(database, key, message="waiting for other work"):
                return
        try:
            _work(database, key)
        finally:
            _SEATS.release()
        jobs.end(database, key, "failed", "the process that did it died: this may take more memory than there is")
    except AssayError:
        return  # the database has gone: the job has fallen silent, which says it all
    except OSError as problem:  # no process can be made
        log_error(problem, f"job {key}")
        jobs.end(database, key, "failed", "no process could be started for it")


def _work(database: Database, key: int) -> None:
    # The place may hold a password: it is sent, and stands in no list of processes. The pipe stays open as long as the
    # server lives. In a session of its own, the process does not hear the Ctrl-C that stops the server.
    command = [sys.executable, "-m", "assay.web.work"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"place": database.place, "job": key}) + "\n")
        process.stdin.flush()
        process.wait()
