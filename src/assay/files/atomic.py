"""Files appear whole or not at all: written under a temporary name in the same folder, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from assay.errors import InputError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file so that nobody ever sees half of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder) / "table.md", "| AP |")
    ...     (Path(folder) / "table.md").read_text()
    '| AP |'
    """
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that nobody ever sees half of it, byte by byte as given."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` once all is written; if anything fails, nothing has happened."""
    target = Path(os.path.realpath(path))  # where a link leads to is replaced, not the link
    given = Path(path)
    try:
        if given.exists() and not given.is_file() and not given.is_dir():
            with given.open("wb") as device:  # a pipe or a device cannot be replaced
                yield device
            return
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes files private; a report is an ordinary file
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise InputError(f"{target}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem
