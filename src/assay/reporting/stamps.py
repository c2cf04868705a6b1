"""Whether files stayed as they were while a report was made of them: a digest must be that of what was read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import InputError


class Stamp(NamedTuple):
    """What changes whenever a file does: its size, the time of its last change, and which file it is."""

    size: int
    changed: int
    inode: int


def stamps_of(*given: Any) -> dict[str, Stamp]:
    """The stamps of all files among what was given, by their real paths; lists and dicts may hold further ones.

    >>> stamps_of({"q1": {"d1": 1}}, ["nowhere.run"], None)
    {}
    """
    found: dict[str, Stamp] = {}
    for one in given:
        if isinstance(one, str | os.PathLike):
            stamp = stamp_of(Path(one))
            if stamp is not None:
                found[os.path.realpath(one)] = stamp
        elif isinstance(one, list | tuple) and not hasattr(one, "_fields"):
            found |= stamps_of(*one)
        elif isinstance(one, Mapping):
            # Runs by name; what is deeper is a run itself.
            found |= stamps_of(*(value for value in one.values() if isinstance(value, str | os.PathLike)))
    return found


def stamp_of(path: Path) -> Stamp | None:
    """A file's stamp; None if there is none, or it is a pipe or a device."""
    try:
        if not path.is_file():
            return None
        known = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(known.st_size, known.st_mtime_ns, known.st_ino)


def check_unchanged(path: Path, before: Stamp | None) -> None:
    """Refuse a file that is not what it was."""
    if before is not None and stamp_of(path) != before:
        raise InputError(f"{path}: changed while the report was made: make it again")
