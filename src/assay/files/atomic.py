"""Files appear whole or not at all: written under a temporary name in the same folder, then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from assay.errors import InputError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file so that nobody ever sees half of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder) / "table.md", "| AP |")
    ...     (Path(folder) / "table.md").read_text()
    '| AP |'
    """
    target = Path(os.path.realpath(path))  # where a link leads to is replaced, not the link
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_text(text, encoding="utf-8")  # a pipe or a device cannot be replaced
        else:
            _replace(target, text)
    except OSError as problem:
        raise InputError(f"{target}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem


def _replace(target: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes files private; a report is an ordinary file
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
