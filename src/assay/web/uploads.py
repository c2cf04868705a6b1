"""Files that somebody sends, as sources for the readers: one by one, compressed, or several in a zip archive.

Nothing is written to disk under a name that somebody chose. What is sent is limited in bytes as it comes in, and in
bytes as it expands while it is read; rows are counted by whoever takes them.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Final, Protocol, TypeVar

import polars as pl

from assay.core.errors import quote
from assay.files.sources import Source
from assay.web.context import Context, ProblemError, Settings, Upload

#: Like single compressed files: more than this many times their size is out of all proportion, unless it is small.
_MOST_TIMES: Final = 100
_SMALL_BYTES: Final = 16 << 20
_MOST_FILES: Final = 1000
_ZIP: Final = b"PK\x03\x04"
_PARQUET: Final = b"PAR1"


class Counted(Protocol):
    """A table whose rows can be counted."""

    @property
    def frame(self) -> pl.DataFrame:
        """The rows."""


T = TypeVar("T", bound=Counted)


def sources(context: Context) -> list[Source]:
    """The files that came with a form."""
    sent = context.files.get("files", [])
    if not sent:
        raise ProblemError(422, "choose a file first")
    found = [source for upload in sent for source in _opened(upload, context.settings)]
    seen = 0

    def watch(count: int) -> None:
        nonlocal seen
        seen += count
        _check_size("what was sent", seen, context.settings)

    for source in found:
        _check_rows(source, context.settings)
        source.watch = watch
    return found


def limited(tables: Iterable[T], settings: Settings) -> Iterator[T]:
    """Tables as they come, with an error after more rows than are taken."""
    rows = 0
    for table in tables:
        rows += table.frame.height
        _refuse_more(rows, settings)
        yield table


def _opened(upload: Upload, settings: Settings) -> Iterator[Source]:
    name = _shown(upload.name)
    start = upload.file.read(len(_ZIP))
    upload.file.seek(0)
    if start != _ZIP:
        yield Source(upload.file, name=name)
        return
    try:
        archive = zipfile.ZipFile(upload.file)
        members = [each for each in archive.infolist() if not each.is_dir()]
        _check_members(members, name, upload.size, settings)
        for each in members:
            yield Source(archive.open(each), name=_shown(each.filename.rpartition("/")[2]))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as problem:
        raise ProblemError(400, f"{name}: expected an intact zip archive without a password: {problem}") from None


def _check_members(members: list[zipfile.ZipInfo], name: str, size: int, settings: Settings) -> None:
    """Refuse an archive that would grow too large, or whose names lead elsewhere."""
    if not members:
        raise ProblemError(400, f"{name}: there are no files in the archive")
    if len(members) > _MOST_FILES:
        raise ProblemError(413, f"{name}: at most {_MOST_FILES:,} files are taken at once, got {len(members):,}")
    for each in members:
        parts = each.filename.replace("\\", "/").split("/")
        if ".." in parts or not parts[0] or ":" in parts[0]:
            raise ProblemError(400, f"{name}: {quote(each.filename)} leads out of the archive: nothing of it was taken")
    expanded = sum(each.file_size for each in members)  # no more than this is ever read
    if expanded > max(_SMALL_BYTES, _MOST_TIMES * size):
        raise ProblemError(413, f"{name}: {size:,} compressed bytes that hold {expanded:,}: nothing of it was taken")
    _check_size(name, expanded, settings)


def _check_rows(source: Source, settings: Settings) -> None:
    """Refuse a Parquet file of more rows than are taken before it is read: a few bytes may hold many alike."""
    try:
        with source.open() as file:
            if file.read(len(_PARQUET)) != _PARQUET:
                return
            file.seek(0)
            rows = pl.scan_parquet(io.BytesIO(file.read(settings.most_expanded))).select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError):
        return  # whoever reads it says what is wrong with it
    _refuse_more(rows, settings)


def _refuse_more(rows: int, settings: Settings) -> None:
    if rows > settings.most_rows:
        raise ProblemError(413, f"this is too large: at most {settings.most_rows:,} rows are taken at once")


def _check_size(name: str, count: int, settings: Settings) -> None:
    if count > settings.most_expanded:
        most = settings.most_expanded // 2**20
        raise ProblemError(413, f"{name} is too large: at most {most:,} MB are taken, as they are without compression")


def _shown(name: str) -> str:
    """A file's name as messages and lists have it."""
    return "".join(each if each.isprintable() else "\ufffd" for each in name)[:200] or "file"
