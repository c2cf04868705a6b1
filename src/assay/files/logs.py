"""Click logs: which layout a file is in, `read_log`, and `import_log`, for which no log is too large."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, Unpack

import polars as pl

from assay.core.errors import (
    EmptyFileError,
    FormatError,
    InputError,
    ParameterError,
    argument,
    not_among,
    refuse_unknown,
)
from assay.core.options import LogRules
from assay.files.click_layouts import read_baidu, read_yandex, read_yandex_sample
from assay.files.click_tables import read_click_frame, read_click_table
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
from assay.files.log_folders import open_folder, replacing_folder, write_manifest
from assay.files.log_looks import is_log_folder, layout_of
from assay.files.log_records import ReadingRules, Records, Tallies, checked_zone
from assay.files.named_columns import names_of
from assay.files.registry import head_of
from assay.files.sources import Source
from assay.files.ubi import read_ubi
from assay.files.writing import disk_errors
from assay.tables.log import IMPRESSIONS, TABLES, Log, Oddity
from assay.tables.roles import absent, is_frame, named_by, refuse_absent, shape_of

#: So many bytes of text are looked at as one part, in memory.
_PART_BYTES = 48 << 20
#: How much larger text is than what it is compressed to, about.
_TIMES = 10
#: So many pages of a folder are taken at a time.
_PAGES_AT_ONCE = 100_000
_FILE_BITS = 40

#: Called with the share of the work that was done since.
Watch: TypeAlias = Callable[[float], None]


class LogFormat(NamedTuple):
    """A layout of click logs: what it is called, and how it is read."""

    title: str
    read: Callable[[Any, ReadingRules], Iterator[Records]]
    #: Whether events name their session, and not their page.
    by_session: bool = False
    #: Whether times are those of a clock.
    clocked: bool = True


LOG_FORMATS = {
    "ubi": LogFormat("Open UBI 1.3", read_ubi),
    "yandex": LogFormat("Yandex relevance prediction", read_yandex, by_session=True, clocked=False),
    "yandex-sample": LogFormat("Yandex relevance prediction, sample", read_yandex_sample),
    "baidu": LogFormat("Baidu-ULTR", read_baidu),
    "table": LogFormat(f"a table {shape_of('log')}", read_click_table),
}


def read_log(given: Any, *, name: str | None = None, **rules: Unpack[LogRules]) -> Log:
    """Read a click log, whatever its layout: a folder of `write_log`, a file, several that belong together, a frame.

    Known are Open UBI 1.3 (with index lines or without; queries and events in one file or several), the layouts of
    Yandex relevance prediction and Baidu-ULTR, and tables (CSV, TSV, JSONL, Parquet, Arrow) with one row per shown
    result, event or page. `columns`: which columns, or attributes of UBI, have which role. `zone`: that of times which
    state none (UTC), `since` and `until` among them. `rank_base`: whether ranks start at 0 or 1, unless the log shows
    it. `session_gap`: the pause in minutes that ends a session of a user where the log names none. Queries without an
    id are known by their text as it stands; with `fold_queries`, whatever its case and blanks.

    Pages are left out by `since` and `until`, `systems`, `exclude` (as `"user_id=qa-*"`), and `most_per_minute` (users
    who ask more in some minute are robots). Dwell times above `longest_dwell` minutes are unknown. `repeated_events`
    and `malformed` lines: `"drop"`, or `"keep"` and `"error"`. What was left out or assumed is counted in
    `Log.remarks`. What is larger than some 50 MB is read through temporary files, and scanned from there.

    >>> import io
    >>> table = "serp_id,query,doc_id,rank,clicked\\np1,tea,d1,1,0\\np1,tea,d2,2,1\\n"
    >>> read_log(io.StringIO(table), name="tea")
    <Log 'tea': 1 result page, 2 results, 1 click>
    """
    work = _Import(given, rules)
    if (whole := work.whole) is not None:
        return whole if name is None else replace(whole, name=name)
    if work.parts == 1:
        ((pages, results, events),) = work.tables()
        return Log(
            pages.lazy(), results.lazy(), events.lazy(), name=name or work.name, origin=work.origin,
            remarks=work.remarks(), oddities=work.oddities(),
        )  # fmt: skip
    folder = tempfile.mkdtemp(prefix="assay-log-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return replace(work.written(Path(folder) / "log", name), origin=work.origin)


def import_log(
    given: Any,
    folder: str | os.PathLike[str],
    *,
    name: str | None = None,
    overwrite: bool = False,
    watch: Watch | None = None,
    **rules: Unpack[LogRules],
) -> Log:
    """Read a click log of any size, and write it as a folder of tables: see `read_log` and `write_log`.

    Memory does not grow with the log. `watch` is called with the share of the work that was done since.

    >>> import io, tempfile
    >>> table = "serp,query,doc,position,clicked\\n1,tea,d1,1,0\\n1,tea,d2,2,1\\n"
    >>> with tempfile.TemporaryDirectory() as place:
    ...     import_log(io.StringIO(table), Path(place) / "kept", name="tea")
    <Log 'tea': 1 result page, 2 results, 1 click>
    """
    return _Import(given, rules, watch).written(Path(folder), name, overwrite, is_all=True)


class _Import:
    """The source of an import, the rules it is read by, and its oddities."""

    def __init__(self, given: Any, rules: LogRules, watch: Watch | None = None) -> None:
        refuse_unknown(rules, LogRules.__annotations__)
        self.columns = rules.get("columns")
        zone = checked_zone(rules.get("zone"))
        self.rules = _cleaning(rules, zone)
        self.tallies = Tallies()
        self.reading = ReadingRules(
            self.tallies, zone, rules.get("malformed") == "drop", fold_queries=rules.get("fold_queries", False)
        )
        items = given if isinstance(given, list | tuple) else [given]
        if not items:
            raise ParameterError("there is no file of a click log")
        self.format = rules.get("format")
        self.inputs = [self._opened(each) for each in items]
        self.logs = [each for each in self.inputs if isinstance(each, Log)]
        self.parts = 1 + sum(map(_bytes, self.inputs)) // _PART_BYTES
        first = self.inputs[0]
        self.name = first.stem if isinstance(first, Source) else getattr(first, "name", None) or "log"
        self.origin = ", ".join(map(_name, self.inputs))
        if len(self.logs) == len(self.inputs):
            self._refuse_settled(rules)
        self._watch(watch)

    @staticmethod
    def _opened(given: Any) -> Any:
        """A log, a data frame or a source, ready to be read."""
        if is_log_folder(given):
            return open_folder(Path(given))
        return given if isinstance(given, Log) or is_frame(given) else Source.of(given)

    def _format_of(self, given: Any) -> LogFormat:
        if isinstance(given, Log):
            return LogFormat("a log", _records_of)
        return _format_of(given, self.format) if isinstance(given, Source) else LogFormat("", read_click_frame)

    def _watch(self, watch: Watch | None) -> None:
        """Reading is half of the work; each part is then gone through twice."""
        self.watch = watch or (lambda _: None)
        sources = [each for each in self.inputs if isinstance(each, Source)]
        total = sum(map(_bytes, sources))
        for source in sources if total else ():
            source.watch = lambda count: self.watch(count / total / 2)

    def _refuse_settled(self, rules: LogRules) -> None:
        """Refuse what logs that were read before have settled, and would pass over."""
        stated = [name for name in ("format", "rank_base") if rules.get(name) is not None]
        stated += ["fold_queries"] if rules.get("fold_queries") else []
        if self.rules.session_gap != Cleaning.session_gap and not any(map(_lacks_sessions, self.logs)):
            stated.append("session_gap")
        if stated:
            settled = "was read before, and has its ranks, sessions and queries"
            raise ParameterError(f"{self.origin}: {settled}: use {argument(stated[0])} where you read its source")

    @property
    def whole(self) -> Log | None:
        """The log that was given, if there is nothing to be done to it."""
        return self.logs[0] if len(self.inputs) == len(self.logs) == 1 and self.rules == Cleaning() else None

    def remarks(self) -> tuple[str, ...]:
        """Remarks on what was left out or assumed, now and when it was imported."""
        return (*(remark for log in self.logs for remark in log.remarks), *self.tallies.remarks())

    def oddities(self) -> tuple[Oddity, ...]:
        """Oddities, now and when it was imported."""
        return (*(oddity for log in self.logs for oddity in log.oddities), *self.tallies.oddities())

    def tables(self) -> Iterator[Tables]:
        """The tables part by part: first the pages with their events, then the people with their pages."""
        spool = Spool(self.parts)
        smallest: dict[str, int] = {}
        with named_by(self.columns):
            formats = [self._format_of(each) for each in self.inputs]
            by_session = any(known.by_session for known in formats)
            for records in self._records(formats):
                for application, least in ordinals(records).items():
                    smallest[application] = min(least, smallest.get(application, least))
                spool.add(records, BY_SESSION if by_session else BY_PAGE)
        bases = {application: self._base(application, least) for application, least in smallest.items()}
        people = Spool(self.parts)
        for records in spool.each():
            self.watch(0.25 / self.parts)
            people.add(assembled(attributed(records) if by_session else records, bases, self.tallies), BY_PERSON)
        if self.tallies.refusal is not None:
            raise InputError(f"{self.origin}: {self.tallies.refusal}")
        clocked = all(known.clocked for known in formats)
        cleaning = replace(self.rules, clocked=clocked, imported=len(self.logs) == len(self.inputs))
        start = 0
        for records in people.each():
            made = finished(records, cleaning, self.tallies, start)
            start += made.impressions.height
            self.watch(0.25 / self.parts)
            yield made
        if not start:
            left = "; ".join(oddity.says for oddity in self.tallies.oddities())
            raise InputError(f"{self.origin}: there are no result pages{f' ({left})' if left else ''}")

    def _records(self, formats: Sequence[LogFormat]) -> Iterator[Records]:
        for number, (given, known) in enumerate(zip(self.inputs, formats, strict=True)):
            rules = self.reading._replace(path=_name(given), label=f"{number + 1}:" if number else "")
            for records in known.read(given, rules):
                later = (frame.with_columns(pl.col("row") + (number << _FILE_BITS)) for frame in records)
                yield Records(*later) if number else records

    def _base(self, application: str, least: int) -> int:
        if self.rules.rank_base is not None:
            return self.rules.rank_base
        self.tallies.add("zero-rank", least == 0, application)
        return min(least, 1)

    def written(self, folder: Path, name: str | None = None, overwrite: bool = False, is_all: bool = False) -> Log:
        """Write the tables as they are made, and open them; `is_all`: nothing else is read, which may have columns."""
        with replacing_folder(folder, overwrite, [*map(_name, self.inputs)]) as place:
            pieces = place.parent / "parts"
            pieces.mkdir()
            for number, made in enumerate(self.tables()):
                for table, frame in made._asdict().items():
                    with disk_errors():
                        frame.write_parquet(pieces / f"{table}-{number:05d}.parquet", compression="lz4")
            if is_all:
                refuse_absent()
            for table in TABLES:
                with disk_errors():
                    pl.scan_parquet(pieces / f"{table}-*.parquet").sink_parquet(
                        place / f"{table}.parquet", maintain_order=True, row_group_size=_PAGES_AT_ONCE
                    )
            write_manifest(place, name or self.name, self.origin, self.remarks(), self.oddities())
        return open_folder(folder)


def _lacks_sessions(log: Log) -> bool:
    """True if there are pages of which sessions can be made."""
    lacks = pl.col("session_id").is_null() & pl.all_horizontal(pl.col("user_id", "time").is_not_null())
    return bool(log.impressions.select(lacks.any()).collect().item())


def _name(given: Any) -> str:
    return str(given.name if isinstance(given, Source) else getattr(given, "origin", "in memory"))


def _cleaning(rules: LogRules, zone: str | None) -> Cleaning:
    """The rules by which pages stay, checked."""
    exclude = []
    for each in _several(rules.get("exclude")):
        column, equals, pattern = each.partition("=")
        if not equals or IMPRESSIONS.get(column) != pl.String:
            texts = ", ".join(name for name, kind in IMPRESSIONS.items() if kind == pl.String)
            raise ParameterError(f"{argument('exclude')} takes COLUMN=PATTERN, as user_id=qa-*, not {each!r}: {texts}")
        exclude.append((column, pattern))
    given: dict[str, Any] = {
        name: rules[name]
        for name in ("rank_base", "session_gap", "most_per_minute", "longest_dwell", "repeated_events")
        if name in rules
    }
    if given.get("rank_base") not in {None, 0, 1}:
        raise ParameterError(f"{argument('rank_base')} is 0 or 1, not {given['rank_base']!r}")
    if not given.get("session_gap", 1) > 0:
        raise ParameterError(f"{argument('session_gap')} is a number of minutes above 0, not {given['session_gap']!r}")
    given |= {name: _moment(rules.get(name), name, zone) for name in ("since", "until")}
    return Cleaning(systems=_several(rules.get("systems")), exclude=tuple(exclude), **given)


def _several(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _moment(value: Any, what: str, zone: str | None) -> datetime | None:
    """A time in UTC, as text or as Python has it; one that states no zone is of the zone that is stated."""
    try:
        moment = value if value is None or isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{argument(what)} is a time such as 2026-03-01T12:00, not {value!r}") from None
    if moment is None:
        return None
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # only who names a time waits for it

    stated = moment.replace(tzinfo=ZoneInfo(zone or "UTC")) if moment.tzinfo is None else moment
    return stated.astimezone(UTC).replace(tzinfo=None)


def _format_of(source: Source, name: str | None) -> LogFormat:
    if name is not None:
        if name not in LOG_FORMATS:
            raise not_among("format", name, LOG_FORMATS)
        return LOG_FORMATS[name]
    head = head_of(source)
    if not head.numbered:
        raise EmptyFileError(source.name, "a click log")
    if head.text.startswith("["):
        raise FormatError(source.name, 1, expected="one JSON object per line", got="a list")
    layout = layout_of(head)
    names = names_of(head) if layout is None else []
    if len(names) > 1:
        raise absent("log", names, source.name, head.numbered[0][0])
    if layout is None:
        titles = "; ".join(known.title for known in LOG_FORMATS.values())
        number, line = head.numbered[0]
        raise FormatError(source.name, number, expected=f"a click log ({titles})", got=line.decode(errors="replace"))
    return LOG_FORMATS[layout]


def _bytes(given: Any) -> int:
    """The size of the text, about; of tables, the size they would have."""
    if isinstance(given, Log):
        return 100 * given.sizes[1]
    if not isinstance(given, Source):
        return 0
    size, is_compressed = given.stored()
    return size * (_TIMES if is_compressed or head_of(given).is_binary else 1)


def _records_of(log: Log, rules: ReadingRules) -> Iterator[Records]:
    """A log as records, to be cleaned again."""
    for start in range(0, log.sizes[0], _PAGES_AT_ONCE):
        here = pl.col("impression").is_between(start, start + _PAGES_AT_ONCE - 1)
        pages, results, events = pl.collect_all(
            [frame.filter(here) for frame in (log.impressions, log.results, log.events)]
        )
        key = (rules.label + pl.col("impression").cast(pl.String)).alias("key")
        yield Records.of(
            pages.with_columns(key, row=pl.col("impression")).drop("impression"),
            results.with_columns(key, row=pl.col("impression"), listed=pl.lit(True)),
            events.with_columns(key, row=pl.int_range(pl.len()), ordinal=pl.col("rank")),
        )
