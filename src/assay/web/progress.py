"""How far assessors are: counted when they begin, since that goes through all that is open, and then kept along."""

from __future__ import annotations

import time
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from assay.store.database import Database
from assay.store.progress import Progress, progress_of
from assay.store.projects import Project

#: After so many seconds it is counted again: others take documents, and projects grow.
_LASTS: Final = 300
_kept: WeakKeyDictionary[Database, dict[tuple[int, str], tuple[float, Progress]]] = WeakKeyDictionary()
_lock = Lock()


def progress(project: Project, assessor: str) -> Progress:
    """The documents that an assessor has judged, and those left, as counted in the last minutes."""
    key, time_now = (project.id, assessor), time.monotonic()
    with _lock:
        counted, known = _kept.setdefault(project.database, {}).get(key, (0.0, None))
    if known is None or time_now - counted > _LASTS:
        known = progress_of(project, assessor)
        with _lock:
            _kept[project.database][key] = (time_now, known)
    return known


def move(project: Project, assessor: str, by: int) -> None:
    """Keep along that an assessor has judged one more, or has taken one back."""
    with _lock:
        kept = _kept.get(project.database, {})
        if (known := kept.get((project.id, assessor))) is not None:
            done, left = known[1]
            kept[project.id, assessor] = (known[0], Progress(max(done + by, 0), max(left - by, 0)))
