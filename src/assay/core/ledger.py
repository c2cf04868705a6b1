"""A ledger of the files that were read and written: no output replaces an input, unless told to.

Each command keeps a ledger of its own; what Python calls read and write outside of any goes into the session's. What
Assay itself has written may be written again, read or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING

from assay.core.errors import ParameterError, argument

if TYPE_CHECKING:
    from assay.files.atomic import Output


class Ledger:
    """The files that a command, or a Python session, has read and written, and the outputs that it holds back.

    >>> ledger = Ledger()
    >>> ledger.refuse_inputs([__file__])
    >>> ledger.add_input(__file__)
    >>> ledger.refuse_inputs([__file__])
    Traceback (most recent call last):
    assay.core.errors.ParameterError: ...ledger.py: is an input and would be replaced: choose another name ...
    """

    def __init__(self, *, overwrite: bool = False) -> None:
        self._overwrite = overwrite
        self._inputs: set[str] = set()
        self._streams: list[os.stat_result] = []
        self._outputs: set[str] = set()
        #: Outputs that are made, and wait for others; None: there are no others.
        self.waiting: list[Output] | None = None

    def add_input(self, path: str | os.PathLike[str]) -> None:
        """Note that a file was read."""
        self._inputs.add(os.path.realpath(path))

    def add_stream(self, stream: IO[bytes] | IO[str]) -> None:
        """Note that an open file was read: stdin, if it is not a pipe, or one that the caller has opened."""
        with suppress(OSError, ValueError, AttributeError):
            self._streams.append(os.fstat(stream.fileno()))

    def add_output(self, path: str | os.PathLike[str]) -> None:
        """Note that a file was written."""
        self._outputs.add(os.path.realpath(path))

    def refuse_inputs(self, targets: Iterable[str | os.PathLike[str]], *, overwrite: bool = False) -> None:
        """Refuse to write where something was read from, by whatever name: links lead to the same file."""
        if overwrite or self._overwrite:
            return
        for target in targets:
            if os.path.realpath(target) not in self._outputs and os.path.isfile(target) and self._has_read(target):  # noqa: PTH113
                raise ParameterError(
                    f"{os.fspath(target)}: is an input and would be replaced: choose another name for the output, or "
                    f"use {argument('overwrite', True)}"
                )

    def _has_read(self, target: str | os.PathLike[str]) -> bool:
        there = os.stat(target)  # noqa: PTH116
        if any(os.path.samestat(there, stream) for stream in self._streams):
            return True
        return any(_is_same(target, path) for path in self._inputs)


def _is_same(target: str | os.PathLike[str], path: str | os.PathLike[str]) -> bool:
    """Tell whether both are the same file, by whatever name."""
    with suppress(OSError, ValueError):
        return os.path.samefile(target, path)  # noqa: PTH121
    return False


_session = Ledger()
_current: ContextVar[Ledger] = ContextVar("ledger", default=_session)


def current() -> Ledger:
    """The ledger of the command that runs; outside of any, that of the session."""
    return _current.get()


@contextmanager
def ledger_of_command(*, overwrite: bool = False) -> Iterator[Ledger]:
    """Give a command a ledger of its own; it may be told to overwrite what it reads."""
    ledger = Ledger(overwrite=overwrite)
    token = _current.set(ledger)
    try:
        yield ledger
    finally:
        _current.reset(token)
