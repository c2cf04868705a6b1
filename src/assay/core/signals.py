"""Ctrl-C and SIGTERM end the work wherever they fall: in a library that swallows them, between two renames, at the end.

Only the command listens; in Python, signals are the caller's own.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_asked: int | None = None
_held = 0


def listen() -> None:
    """Hear Ctrl-C, unless it is ignored, and SIGTERM."""
    global _asked, _held  # there is one process
    _asked, _held = None, 0
    if signal.getsignal(signal.SIGINT) in {signal.default_int_handler, _hear}:
        signal.signal(signal.SIGINT, _hear)
    signal.signal(signal.SIGTERM, _hear)
    sys.unraisablehook = _unraisable


def exit_code() -> int | None:
    """The exit code of a process that a signal has ended, whatever was made of the exception; None: none came."""
    return _asked


def obey() -> None:
    """Stop if a signal came that a library has swallowed: before something is written or printed."""
    if _asked is not None and not _held:
        _end(_asked)


@contextmanager
def held() -> Iterator[None]:
    """Hear what comes within this at its end."""
    global _held  # noqa: PLW0603
    _held += 1
    try:
        yield
    finally:
        _held -= 1
    obey()


def hold() -> None:
    """From now on only note what comes: the process ends anyway, and what is on its way out is let out."""
    global _held  # noqa: PLW0603
    _held += 1


def _hear(number: int, _frame: object) -> None:
    global _asked  # noqa: PLW0603
    _asked = 128 + number
    if not _held:
        _end(_asked)


def _end(code: int) -> None:
    if code == 128 + signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(code)


def _unraisable(problem: sys.UnraisableHookArgs) -> None:
    if _asked is None:  # else the signal fell where nothing can be raised, and is obeyed later
        sys.__unraisablehook__(problem)
