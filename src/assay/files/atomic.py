"""Files are written whole or not at all, and never in the place of one that was read, unless told to.

What Assay itself has written in this process may be written again, read or not.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from assay.core.errors import InputError, ParameterError, argument, reason

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


def start_anew(*, overwrite: bool = False) -> None:
    """Forget what was read and written: each command is one of its own, and may be told to overwrite."""
    global _allowed  # noqa: PLW0603  # what a command was told holds for all that it writes
    _read.clear()
    _streams.clear()
    _written.clear()
    _allowed = overwrite


def check(targets: Iterable[str | os.PathLike[str]], overwrite: bool = False) -> None:
    """Refuse to write where something was read from, by whatever name: links lead to the same file."""
    for target in targets:
        if overwrite or _allowed or os.path.realpath(target) in _written or not os.path.isfile(target):  # noqa: PTH113
            continue
        there = os.stat(target)  # noqa: PTH116
        if any(os.path.samestat(there, known) for known in _streams) or any(is_same(target, path) for path in _read):
            raise ParameterError(
                f"{os.fspath(target)}: is an input and would be replaced: choose another name for the output, or use "
                f"{argument('overwrite', True)}"
            )


def is_same(target: str | os.PathLike[str], path: str | os.PathLike[str]) -> bool:
    """Whether both are the same file, by whatever name."""
    with suppress(OSError, ValueError):
        return os.path.samefile(target, path)  # noqa: PTH121
    return False


def write_text(path: str | os.PathLike[str], text: str, *, overwrite: bool = False) -> None:
    """Write a file so that nobody ever sees half of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder) / "table.md", "| AP |")
    ...     (Path(folder) / "table.md").read_text()
    '| AP |'
    """
    write_bytes(path, text.encode(), overwrite=overwrite)


def write_bytes(path: str | os.PathLike[str], content: bytes, *, overwrite: bool = False) -> None:
    """Write a file so that nobody ever sees half of it, byte by byte as given."""
    with replacing(path, overwrite=overwrite) as file:
        file.write(content)


def write_texts(texts: Mapping[Path, str], *, overwrite: bool = False) -> None:
    """Write several files; the first is put in its place only when the last has been written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_texts({Path(folder) / "a.md": "A", Path(folder) / "b.md": "B"})
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['a.md', 'b.md']
    """
    with ExitStack() as unfinished:
        for path in sorted(texts, key=_is_device):  # what goes to a pipe cannot be taken back
            file = unfinished.enter_context(replacing(path, overwrite=overwrite))
            file.write(texts[path].encode())
            if not _is_device(path):
                file.flush()
                os.fsync(file.fileno())


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a path where no file can be written, before any work is done: no folder, no permission, a folder itself.

    >>> check_target("nowhere/table.md")
    Traceback (most recent call last):
    assay.core.errors.InputError: ...nowhere/table.md: cannot be written: no such file or directory
    """
    target = Path(os.path.realpath(path))
    with one_line_errors(target):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _refuse_read_only(path)
        place = Path(path) if _is_device(Path(path)) else target.parent
        place.stat()
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def replacing(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` once all is written; if anything fails, nothing has happened.

    What was read is not replaced, unless `overwrite` says so.
    """
    check([path], overwrite)
    target = Path(os.path.realpath(path))  # where a link leads to is replaced, not the link
    _refuse_read_only(path)
    with one_line_errors(target):
        if _is_device(Path(path)):
            with Path(path).open("wb") as device:  # a pipe or a device cannot be replaced
                yield device
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _put(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _refuse_read_only(path: str | os.PathLike[str]) -> None:
    """Refuse a file that may not be written to: files are replaced, which would not ask for leave."""
    if Path(path).is_file() and not (os.access(path, os.W_OK) and Path(path).stat().st_mode & 0o222):
        raise InputError(f"{os.fspath(path)}: cannot be written: it is read-only")


def _is_device(path: Path) -> bool:
    """Whether there is something that is neither a file nor a folder; a link to a pipe leads nowhere but by itself."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _put(temporary: Path, target: Path) -> None:
    """Let a file take the place of the target, with its permissions, or those of an ordinary new file."""
    umask = os.umask(0)
    os.umask(umask)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~umask
    temporary.chmod(mode)
    temporary.replace(target)
    _written.add(os.path.realpath(target))


@contextmanager
def one_line_errors(target: Path) -> Iterator[None]:
    """Whatever goes wrong is told in one line."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"{target}: cannot be written: {reason(problem)}") from problem
