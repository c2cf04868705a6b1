"""Polars panics on some broken files, and prints so to stderr before it raises: noise, beside an error of ours."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

_STDERR = 2
_one_at_a_time = threading.RLock()


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Keep what a panic prints before an error off stderr; whatever else is printed meanwhile comes after.

    >>> with quiet_panics():
    ...     pass
    """
    with _one_at_a_time, ExitStack() as opened:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # it is closed: nothing will be seen anyway
            yield
            return
        try:
            printed = opened.enter_context(tempfile.TemporaryFile())
        except OSError:  # nothing can be written anywhere: better noise than no result
            os.close(stderr)
            yield
            return
        os.dup2(printed.fileno(), _STDERR)
        refused = False
        try:
            yield
        except BaseException:  # a thread of Polars may panic, and the call raise something else
            refused = True
            raise
        finally:
            os.dup2(stderr, _STDERR)
            os.close(stderr)
            printed.seek(0)
            text = printed.read()
            if refused:  # what stands before the panic is somebody else's
                text = text.partition(b"\nthread '")[0]
            if text:
                with suppress(OSError):  # what others print is no reason to fail
                    os.write(_STDERR, text)
