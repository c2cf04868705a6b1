"""The files that were read: nothing that is written takes the place of one, unless it is told to.

What Assay itself has written in this process may be written again, read or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import IO

from assay.core.arguments import argument
from assay.core.errors import ParameterError

_read: set[str] = set()
_streams: list[os.stat_result] = []
_written: set[str] = set()
_allowed = False


def remember(path: str | os.PathLike[str]) -> None:
    """A file was read."""
    _read.add(os.path.realpath(path))


def remember_stream(stream: IO[bytes] | IO[str]) -> None:
    """An open file was read: stdin, if it is not a pipe, or one that the caller has opened."""
    with suppress(OSError, ValueError, AttributeError):
        _streams.append(os.fstat(stream.fileno()))


def remember_written(path: str | os.PathLike[str]) -> None:
    """A file was written, and is no original."""
    _written.add(os.path.realpath(path))


def start_anew(*, overwrite: bool = False) -> None:
    """Forget what was read and written: each command is one of its own, and may be told to overwrite."""
    global _allowed  # noqa: PLW0603  # what a command was told holds for all that it writes
    _read.clear()
    _streams.clear()
    _written.clear()
    _allowed = overwrite


def are_given_up() -> bool:
    """Whether this command was told to overwrite its inputs."""
    return _allowed


def check(targets: Iterable[str | os.PathLike[str]], overwrite: bool = False) -> None:
    """Refuse to write where something was read from, by whatever name: links lead to the same file."""
    for target in targets:
        if overwrite or _allowed or os.path.realpath(target) in _written or not os.path.isfile(target):  # noqa: PTH113
            continue
        there = os.stat(target)  # noqa: PTH116
        if any(os.path.samestat(there, known) for known in _streams) or any(is_same(target, path) for path in _read):
            raise ParameterError(
                f"{os.fspath(target)}: is an input, and would be replaced: choose another name for the output, or say "
                f"{argument('overwrite', True)}"
            )


def is_same(target: str | os.PathLike[str], path: str | os.PathLike[str]) -> bool:
    """Whether both are the same file, by whatever name."""
    with suppress(OSError, ValueError):
        return os.path.samefile(target, path)  # noqa: PTH121
    return False
