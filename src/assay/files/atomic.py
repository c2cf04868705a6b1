"""Files and folders are written whole or not at all, and never in the place of one that was read, unless told to.

Each is made beside its target, under a name that no message shows, and moved. Several that belong together are moved
when the last is made. Which files were read is in `core/ledger.py`.
"""

from __future__ import annotations

import ctypes
import errno
import io
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import IO

from assay.core import signals
from assay.core.errors import AssayError, InputError, ParameterError, reason
from assay.core.ledger import current

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

#: How the names of temporary files end: what ends so, and nothing else, may be removed.
_ENDING = ".assay-unfinished"
#: So many characters of a target's name fit into that of its temporary file, in any script.
_LONGEST_NAME = 50


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
    with together():
        for path, text in texts.items():
            write_text(path, text, overwrite=overwrite)


def append_text(path: str | os.PathLike[str], text: str) -> None:
    """Add to the end of a file, all or nothing: what others add to it meanwhile stays."""
    current().refuse_inputs([path])
    _refuse_read_only(path)
    signals.obey()
    _give(_Appended(Path(path), text.encode()))


@contextmanager
def together() -> Iterator[None]:
    """Put all files that are written within this in place at its end; if anything fails, none is."""
    ledger = current()
    if ledger.waiting is not None:
        yield
        return
    made = ledger.waiting = []
    try:
        yield
        put: list[Output] = []
        with signals.held():
            try:
                # What can be taken back, or cannot be helped, comes before what replaces.
                for output in sorted(made, key=lambda each: isinstance(each, _Temporary)):
                    put.append(output)
                    with one_line_errors(output.target):
                        output.put()
            except BaseException:
                for output in put:
                    output.take_back()
                raise
    finally:
        ledger.waiting = None
        for output in made:
            output.discard()


def refuse_twice(outputs: Iterable[tuple[str, str | os.PathLike[str]]]) -> None:
    """Refuse two outputs of one name, each with what it is called: the second would take the place of the first.

    >>> refuse_twice([("--junit", "z.json"), ("--output", "./z.json")])
    Traceback (most recent call last):
    assay.core.errors.ParameterError: ./z.json: --junit and --output are two files, not one
    """
    names: dict[str, str] = {}
    for name, path in outputs:
        place = os.path.realpath(path)
        if place in names and not _is_device(Path(path)):
            both = f"{names[place]} and {name} are" if names[place] != name else f"{name} twice is"
            raise ParameterError(f"{os.fspath(path)}: {both} two files, not one")
        names[place] = name


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
    ledger = current()
    ledger.refuse_inputs([path], overwrite=overwrite)
    target = Path(os.path.realpath(path))  # where a link leads to is replaced, not the link
    _refuse_read_only(path)
    with one_line_errors(target):
        if _is_device(Path(path)):  # a pipe or a device cannot be replaced
            if ledger.waiting is None:
                with Path(path).open("wb") as device:
                    yield device
            else:
                with io.BytesIO() as kept:
                    yield kept
                    ledger.waiting.append(_Sent(target, Path(path), kept.getvalue()))
            return
        if any(isinstance(each, _Temporary) and each.target == target for each in ledger.waiting or ()):
            raise ParameterError(f"{os.fspath(path)}: two outputs have this name: each takes a file of its own")
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        temporary = _Temporary(target)
        try:
            yield temporary.file
            temporary.finish()
            signals.obey()
        except BaseException:
            temporary.discard()
            raise
        _give(temporary)


@contextmanager
def replacing_folder(folder: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[Path]:
    """A new folder that takes the place of `folder` once all is in it; if anything fails, nothing has happened.

    Without `overwrite` there must be none.
    """
    target = Path(os.path.realpath(folder))
    lock = None
    made: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        place = Path(tempfile.mkdtemp(suffix=_ENDING, prefix=_prefix(target), dir=target.parent))
        lock = _locked_folder(place)
        made = place / target.name
        made.mkdir()
        yield made
        signals.obey()
        _put_folder(made, target, overwrite=overwrite)
    except OSError as problem:
        raise InputError(f"{folder}: cannot be written: {reason(problem)}") from problem
    except AssayError as problem:
        if made is None or str(made) not in str(problem):
            raise
        raise InputError(str(problem).replace(str(made), os.fspath(folder))) from problem  # it has no other name yet
    finally:
        if made is not None:
            shutil.rmtree(made.parent, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _put_folder(made: Path, target: Path, *, overwrite: bool) -> None:
    """Let a folder take the place of the target, which lands where the new one was; at no time is there none."""
    with signals.held():
        if not overwrite or not target.exists():
            made.rename(target)
        elif not _exchanged(made, target):
            old = target.rename(made.parent / "old")
            try:
                made.rename(target)
            except BaseException:
                old.rename(target)
                raise


def _exchanged(one: Path, other: Path) -> bool:
    """Let two paths change places at once, where the system can do that."""
    library = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
    for name, here, swap in (("renameat2", (-100,), 2), ("renamex_np", (), 2)):  # Linux (AT_FDCWD), macOS
        if call := getattr(library, name, None):
            first, second = os.fsencode(one), os.fsencode(other)
            return bool(call(*here, first, *here, second, swap) == 0)
    return False


def _refuse_read_only(path: str | os.PathLike[str]) -> None:
    """Refuse a file that may not be written to: files are replaced, which would not ask for leave."""
    if Path(path).is_file() and not (os.access(path, os.W_OK) and Path(path).stat().st_mode & 0o222):
        raise InputError(f"{os.fspath(path)}: cannot be written: it is read-only")


def _is_device(path: Path) -> bool:
    """True for what is neither a file nor a folder; a link to a pipe leads nowhere but by itself."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def one_line_errors(target: Path) -> Iterator[None]:
    """Whatever goes wrong is told in one line."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"{target}: cannot be written: {reason(problem)}") from problem


class Output:
    """A file that a command has made, and puts in place when all are made."""

    target: Path

    def put(self) -> None:
        """Put it in place."""
        raise NotImplementedError

    def take_back(self) -> None:
        """Undo that as far as it can be undone, because another one could not be put in place."""

    def discard(self) -> None:
        """Leave nothing behind."""


def _give(output: Output) -> None:
    """Put an output in place, or keep it until the others are made."""
    waiting = current().waiting
    if waiting is not None:
        waiting.append(output)
        return
    try:
        with one_line_errors(output.target):
            output.put()
    finally:
        output.discard()


class _Temporary(Output):
    """A file beside its target, locked as long as its process lives: one without a lock is what a killed one left."""

    def __init__(self, target: Path) -> None:
        self.target = target
        _remove_leftovers(target)
        while True:
            handle, name = tempfile.mkstemp(suffix=_ENDING, prefix=_prefix(target), dir=target.parent)
            if _is_locked(handle) and os.fstat(handle).st_nlink:
                break
            os.close(handle)  # another process took it for a leftover, before it was locked
        self._path = Path(name)
        self.file = os.fdopen(handle, "wb")

    def finish(self) -> None:
        """Have all bytes on the disk, with the permissions of the target, or those of an ordinary new file."""
        self.file.flush()
        os.fsync(self.file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        self._path.chmod(stat.S_IMODE(self.target.stat().st_mode) if self.target.exists() else 0o666 & ~umask)
        if fcntl is None:
            self.file.close()  # elsewhere, an open file cannot be moved

    def put(self) -> None:
        self._path.replace(self.target)
        current().add_output(self.target)

    def discard(self) -> None:
        with suppress(OSError):
            self.file.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


class _Appended(Output):
    """Text for the end of a file."""

    def __init__(self, target: Path, content: bytes) -> None:
        self.target = target
        self._content = content
        self._start: int | None = None

    def put(self) -> None:
        with self.target.open("ab", buffering=0) as file:
            self._start = os.fstat(file.fileno()).st_size
            rest = self._content
            try:
                while rest:
                    rest = rest[file.write(rest) :]
                if not _is_device(self.target):
                    os.fsync(file.fileno())
            except BaseException:
                self._cut(len(self._content) - len(rest))
                raise

    def _cut(self, count: int) -> None:
        """Take away what was added last, if nobody has added more."""
        if self._start is not None and self.target.is_file():
            with suppress(OSError):
                if self.target.stat().st_size == self._start + count:
                    os.truncate(self.target, self._start)

    def take_back(self) -> None:
        self._cut(len(self._content))


class _Sent(Output):
    """Bytes for a pipe or a device."""

    def __init__(self, target: Path, path: Path, content: bytes) -> None:
        self.target = target
        self._path = path  # a link to a pipe leads nowhere but by itself
        self._content = content

    def put(self) -> None:
        with self._path.open("wb") as device:
            device.write(self._content)


def _prefix(target: Path) -> str:
    return f".{target.name[:_LONGEST_NAME]}."


def _remove_leftovers(target: Path) -> None:
    """Remove what processes that were killed have left beside the target; the old folder, if none is there, returns."""
    if fcntl is None:  # whose a file is cannot be told
        return
    with suppress(OSError), os.scandir(target.parent) as entries:
        names = [each.path for each in entries if each.name.startswith(_prefix(target)) and each.name.endswith(_ENDING)]
        for name in names:
            with suppress(OSError):
                handle = os.open(name, os.O_RDONLY)
                try:
                    if _is_locked(handle):
                        _remove(Path(name), target)
                finally:
                    os.close(handle)


def _remove(leftover: Path, target: Path) -> None:
    if not leftover.is_dir():
        leftover.unlink()
        return
    if (leftover / "old").is_dir() and not target.exists():
        (leftover / "old").rename(target)
    shutil.rmtree(leftover, ignore_errors=True)


def _locked_folder(folder: Path) -> int | None:
    if fcntl is None:
        return None
    handle = os.open(folder, os.O_RDONLY)
    _is_locked(handle)
    return handle


def _is_locked(handle: int) -> bool:
    """Lock an open file for as long as it is open; not if another process has."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
