"""The log of a project; for administrators, the log of all, a check of the database and a backup."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field

from assay.store.events import Event, events_of
from assay.store.upkeep import back_up, check_store
from assay.web.context import Context, Fields, File
from assay.web.documents import DocumentPage

_PAGE, _PIECE = 100, 1 << 20


class Looked(Fields):
    """Which events: older than one, by somebody, of a kind."""

    before: int | None = Field(default=None, ge=1, le=2**53)
    actor: str = Field(default="", max_length=1000)
    verb: str = Field(default="", max_length=100)


@dataclass(frozen=True)
class LogPage:
    """A page of the log, the newest first; `older`: where the next page begins."""

    events: list[Event]
    actor: str
    verb: str
    older: int | None


def log(context: Context) -> LogPage:
    """Show who did what in a project."""
    return _log(context, context.project_key)


def whole_log(context: Context) -> LogPage:
    """Show who did what, in all projects and with accounts."""
    return _log(context, None)


def database(context: Context) -> DocumentPage:
    """Check the database: damage, and what must not be."""
    return DocumentPage(check_store(context.database).document())


def backup(context: Context) -> File:
    """Write all of the database to a file, as it is at one moment, while others go on."""
    folder = tempfile.TemporaryDirectory(prefix="assay-")
    place = Path(folder.name) / "backup"
    try:
        back_up(context.database, place)
    except BaseException:
        folder.cleanup()
        raise
    name = f"assay-{datetime.now(UTC):%Y-%m-%d}.backup"
    return File(_pieces(place, folder), "application/octet-stream", name)


def _pieces(place: Path, folder: tempfile.TemporaryDirectory[str]) -> Iterator[bytes]:
    with folder, place.open("rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")


def _log(context: Context, project: int | None) -> LogPage:
    asked: Looked = context.query
    found = events_of(
        context.database, project, before=asked.before, actor=asked.actor, verb=asked.verb, most=_PAGE + 1
    )
    shown = found[:_PAGE]
    return LogPage(shown, asked.actor, asked.verb, shown[-1].id if len(found) > _PAGE else None)
