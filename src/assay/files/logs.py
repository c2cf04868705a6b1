"""Click logs: which format a file is in, `read_log`, and the folder of tables that `write_log` writes."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from assay.core.errors import AssayError, EmptyFileError, FormatError, InputError, ParameterError, argument, not_among
from assay.files import atomic
from assay.files.click_layouts import (
    is_baidu,
    is_yandex,
    is_yandex_sample,
    read_baidu,
    read_yandex,
    read_yandex_sample,
)
from assay.files.json_values import loaded
from assay.files.log_assembly import (
    BY_PAGE,
    BY_PERSON,
    BY_SESSION,
    Cleaning,
    Spool,
    Tables,
    assembled,
    attributed,
    finished,
    ordinals,
)
from assay.files.log_records import ReadingRules, Records, Tallies, checked_zone
from assay.files.parquet import names_in
from assay.files.registry import Head, head_of
from assay.files.sources import Readable, Source, is_file
from assay.files.ubi import is_ubi, read_ubi
from assay.tables.log import TABLES, Log, Oddity
from assay.tables.roles import ColumnNames, named_by

MANIFEST = "log.json"
_VERSION = 1
#: So many bytes of text are looked at as one part, in memory.
_PART_BYTES = 96 << 20
#: What text shrinks to when it is compressed, about.
_TIMES = 10

Malformed: TypeAlias = Literal["error", "drop"]
Duplicates: TypeAlias = Literal["drop", "keep"]
Reader: TypeAlias = Callable[[Source, ReadingRules], Iterator[Records]]


class LogFormat(NamedTuple):
    """A layout of click logs: what it is called, whether a file is in it, and how it is read."""

    title: str
    matches: Callable[[Head], bool]
    read: Reader
    #: Whether events name their session, and not their page.
    by_session: bool = False
    clocked: bool = True


def _starts_as_ubi(head: Head) -> bool:
    return head.text.startswith("{") and is_ubi(head.first_object or {})


LOG_FORMATS = {
    "ubi": LogFormat("Open UBI 1.3", _starts_as_ubi, read_ubi),
    "yandex": LogFormat("Yandex relevance prediction", is_yandex, read_yandex, by_session=True, clocked=False),
    "yandex-sample": LogFormat("Yandex relevance prediction, sample", is_yandex_sample, read_yandex_sample),
    "baidu": LogFormat("Baidu-ULTR", is_baidu, read_baidu),
}


def is_log_folder(path: object) -> bool:
    """Whether there is a folder that `write_log` has written.

    >>> is_log_folder("nowhere")
    False
    """
    return isinstance(path, str | os.PathLike) and path != "-" and (Path(path) / MANIFEST).is_file()


def read_log(
    given: Any,
    *,
    columns: ColumnNames = None,
    format: str | None = None,
    zone: str | None = None,
    rank_base: int | None = None,
    session_gap: float = 30.0,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    systems: Sequence[str] | str | None = None,
    exclude: Mapping[str, str | Sequence[str]] | None = None,
    most_per_minute: int | None = None,
    longest_dwell: float | None = None,
    duplicates: Duplicates = "drop",
    malformed: Malformed = "error",
    name: str | None = None,
) -> Log:
    """Read a click log, whatever its layout, from a file or several that belong together.

    >>> import io
    >>> query = '{"query_id": "p1", "user_query": "tea", "query_response_hit_ids": ["d1", "d2"], "timestamp": 1772431200}'
    >>> click = ('{"query_id": "p1", "action_name": "click", "timestamp": 1772431205, "event_attributes": '
    ...          '{"object": {"object_id": "d2"}, "position": {"ordinal": 2}}}')
    >>> read_log(io.StringIO(query + chr(10) + click))
    <Log 'file': 1 result page, 2 results, 1 click>
    """
    if isinstance(given, Log):
        return given
    tallies = Tallies()
    rules = Cleaning(
        since=_moment(since, "since"), until=_moment(until, "until"),
        systems=[systems] if isinstance(systems, str) else systems,
        exclude={column: [each] if isinstance(each, str) else list(each) for column, each in (exclude or {}).items()},
        most_per_minute=most_per_minute, longest_dwell=longest_dwell, session_gap=session_gap, duplicates=duplicates,
        rank_base=rank_base,
    )  # fmt: skip
    if is_log_folder(given) and rules == Cleaning():
        return _opened(Path(given), name)
    with named_by(columns):
        sources = [Source.of(each) for each in (given if isinstance(given, list | tuple) else [given])]
        reading = ReadingRules(tallies, checked_zone(zone), malformed == "drop")
        parts = list(_tables(sources, format, rules, reading))
    frames = [pl.concat(each) for each in zip(*parts, strict=True)] if len(parts) > 1 else list(parts[0])
    return Log(
        *(frame.lazy() for frame in frames), name=name or sources[0].stem, origin=", ".join(s.name for s in sources),
        remarks=tallies.remarks(), oddities=tallies.oddities(),
    )  # fmt: skip


def _moment(value: str | datetime | None, what: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ParameterError(f"{what} is a time such as 2026-03-01 or 2026-03-01T12:00, not {value!r}") from None


def _format_of(source: Source, name: str | None) -> LogFormat:
    if name is not None:
        if name not in LOG_FORMATS:
            raise not_among("format", name, LOG_FORMATS)
        return LOG_FORMATS[name]
    head = head_of(source)
    if not head.numbered:
        raise EmptyFileError(source.name, "a click log")
    known = next((known for known in LOG_FORMATS.values() if known.matches(head)), None)
    if known is None:
        titles = ", ".join(known.title for known in LOG_FORMATS.values())
        number, line = head.numbered[0]
        raise FormatError(source.name, number, expected=f"a click log ({titles})", got=line.decode(errors="replace"))
    return known


def _tables(sources: Sequence[Source], name: str | None, rules: Cleaning, reading: ReadingRules) -> Iterator[Tables]:
    """The tables part by part."""
    formats = [_format_of(source, name) for source in sources]
    parts = 1 + sum(map(_bytes, sources)) // _PART_BYTES
    by_session = any(known.by_session for known in formats)
    spool = Spool(parts)
    smallest: dict[str, int] = {}
    for source, known in zip(sources, formats, strict=True):
        for records in known.read(source, reading):
            for application, least in ordinals(records).items():
                smallest[application] = min(least, smallest.get(application, least))
            spool.add(records, BY_SESSION if by_session else BY_PAGE)
    bases = {application: _base(application, least, rules, reading.tallies) for application, least in smallest.items()}
    people = Spool(parts)
    for records in spool.each():
        people.add(assembled(attributed(records) if by_session else records, bases, reading.tallies), BY_PERSON)
    cleaning = replace(rules, clocked=all(known.clocked for known in formats))
    start = 0
    for records in people.each():
        made = finished(records, cleaning, reading.tallies, start)
        start += made.impressions.height
        yield made
    if not start:
        raise EmptyFileError(", ".join(source.name for source in sources), "result pages")


def _base(application: str, least: int, rules: Cleaning, tallies: Tallies) -> int:
    if rules.rank_base is not None:
        return rules.rank_base
    if least == 0:
        whose = f" of {application!r}" if application else ""
        tallies.assume(f"ranks{whose} start at 0: one was added")
    return min(least, 1)


def _bytes(source: Source) -> int:
    """How much text there is, about."""
    path = source.path
    if path is None or not path.is_file():
        return 0
    return path.stat().st_size if source.size is not None else _TIMES * path.stat().st_size


def write_log(log: Log, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a log as a folder of three Parquet files and a small manifest, which `read_log` reads lazily.

    The folder appears when all of it is written. A folder that is there is replaced only if it holds a log, if
    `overwrite` says so, and if the log was not read from it.

    >>> import tempfile
    >>> log = Log.from_pages([("q1", ["d1", "d2"], ["d2"])])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     read_log(write_log(log, Path(place) / "kept"))
    <Log 'log': 1 result page, 2 results, 1 click>
    """
    with _replacing(Path(folder), overwrite, log.origin) as place:
        for name, frame in _frames(log).items():
            frame.sink_parquet(place / f"{name}.parquet", maintain_order=True)
        _write_manifest(place, log.name, log.origin, log.remarks, log.oddities)
    return Path(folder)


def _frames(log: Log) -> dict[str, pl.LazyFrame]:
    return {"impressions": log.impressions, "results": log.results, "events": log.events}


def _write_manifest(place: Path, name: str, source: str, remarks: Sequence[str], oddities: Sequence[Oddity]) -> None:
    counts = {table: pl.scan_parquet(place / f"{table}.parquet").select(pl.len()).collect().item() for table in TABLES}
    content = {
        "assay_log": _VERSION, "name": name, "source": source, "counts": counts, "remarks": list(remarks),
        "oddities": [oddity._asdict() for oddity in oddities],
    }  # fmt: skip
    atomic.write_text(place / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def _replacing(folder: Path, overwrite: bool, origin: str) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its place once all is written; if anything fails, nothing has happened."""
    target = Path(os.path.realpath(folder))
    if target.exists() and not overwrite:
        raise InputError(f"{folder}: is there already: name another folder, or say {argument('overwrite', True)}")
    if target.exists() and not is_log_folder(target):
        raise InputError(f"{folder}: is no folder of a log, and is not replaced: name another")
    if origin and os.path.realpath(origin) == str(target):
        raise ParameterError(f"{folder}: is an input, and would be replaced: name another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as problem:
        raise InputError(f"{folder}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem
    try:
        made = place / "log"
        made.mkdir()
        yield made
        if target.exists():
            target.rename(place / "old")
        made.rename(target)
    except OSError as problem:
        raise InputError(f"{folder}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _opened(folder: Path, name: str | None = None) -> Log:
    """The log in a folder, as files that are scanned."""
    path = folder / MANIFEST
    manifest = loaded(Source(path))
    if not isinstance(manifest, dict) or manifest.get("assay_log") != _VERSION:
        raise FormatError(str(path), None, expected=f"the manifest of a log, version {_VERSION}")
    frames = []
    for table, schema in TABLES.items():
        part = folder / f"{table}.parquet"
        source = Source(part)
        names = names_in(source)
        if absent := [column for column in schema if column not in names]:
            raise FormatError(
                str(part), None, expected=f"the columns of {table}", note=f"there is no {', '.join(absent)}"
            )
        frames.append(pl.scan_parquet(part).select(*schema))
    remarks = tuple(map(str, manifest.get("remarks", ())))
    oddities = tuple(Oddity(**each) for each in manifest.get("oddities", ()))
    return Log(
        *frames,
        name=name or str(manifest.get("name", folder.name)),
        origin=str(folder),
        remarks=remarks,
        oddities=oddities,
    )


def looks_like_log(value: object) -> bool:
    """Whether a folder, a file or a data frame is a click log, by a look at its first lines.

    >>> import io
    >>> looks_like_log(io.StringIO('{"user_query": "tea"}')), looks_like_log(io.StringIO("q1 Q0 d1 1 0.5 tag"))
    (True, False)
    """
    if is_log_folder(value):
        return True
    if not is_file(value) and not isinstance(value, Source) or value == "-":
        return False
    try:
        head = head_of(Source.of(value))
    except AssayError:
        return False
    return bool(head.numbered) and any(known.matches(head) for known in LOG_FORMATS.values())
