"""Polars panics on some broken files, and prints so to stderr before it raises: noise, beside an error of ours."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2
_one_at_a_time = threading.RLock()


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Keep what is printed before an error off stderr; without an error, what is printed meanwhile comes after.

    >>> with quiet_panics():
    ...     pass
    """
    with _one_at_a_time, tempfile.TemporaryFile() as printed:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # it is closed: nothing will be seen anyway
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
            if not refused and (text := printed.read()):
                os.write(_STDERR, text)
