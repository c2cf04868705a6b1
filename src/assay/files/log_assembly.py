"""Records of a click log -> its tables: pages and events find one another, then sessions, dwell, filters, numbers.

What is more than memory should hold goes through files: pages with their events first, users with their pages then, so
that each part is looked at whole, wherever its lines stand in the source.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import InputError, reason
from assay.files.log_records import EVENTS, PAGES, RESULTS, Records, Tallies, told_once
from assay.files.nameless_pages import refuse_scattered, told_apart
from assay.tables import log as tables
from assay.tables.log import located, with_clicks, with_stays

#: So many rows wait in memory before they are written.
_ROWS_AT_ONCE = 400_000
#: Stands for no session where a block of pages begins or ends.
_NONE = "\0"


@dataclass(frozen=True)
class Cleaning:
    """Rules for the pages to keep and for their times: see `read_log`."""

    since: datetime | None = None
    until: datetime | None = None
    systems: tuple[str, ...] = ()
    #: Columns of pages with patterns (`qa-*`): what fits one is internal traffic.
    exclude: tuple[tuple[str, str], ...] = ()
    most_per_minute: int | None = None
    longest_dwell: float | None = None
    session_gap: float = 30.0
    repeated_events: str = "drop"
    rank_base: int | None = None
    #: Whether times are those of a clock, and tell how long somebody stayed.
    clocked: bool = True
    #: Whether all of it was read before: what was unknown then stays so.
    imported: bool = False


class Tables(NamedTuple):
    """Pages, results and events in the columns of a `Log`."""

    impressions: pl.DataFrame
    results: pl.DataFrame
    events: pl.DataFrame


class Spool:
    """Records in as many parts as memory asks for; what has the same hash is in the same part.

    With one part all stays in memory. With more, rows wait in memory until they are many, and are then added to files,
    one per part and table.
    """

    def __init__(self, parts: int) -> None:
        self.parts = parts
        self._waiting: list[Records] = []
        self._rows = 0
        #: How long what was added to each file is, piece by piece.
        self._sizes: dict[Path, list[int]] = {}
        self._folder: Path | None = None
        if parts > 1:
            self._folder = Path(tempfile.mkdtemp(prefix="assay-log-"))
            weakref.finalize(self, shutil.rmtree, self._folder, True)

    def add(self, records: Records, by: Mapping[str, pl.Expr]) -> None:
        """Take records; `by` gives what those of a part have in common, for each of their tables."""
        if self._folder is not None:
            part = {name: (each.hash(0) % self.parts).cast(pl.Int32).alias("part") for name, each in by.items()}
            records = Records(
                *(frame.with_columns(part[name]) for name, frame in zip(Records._fields, records, strict=True))
            )
        self._waiting.append(records)
        self._rows += sum(frame.height for frame in records)
        if self._folder is not None and self._rows >= _ROWS_AT_ONCE:
            self._write(self._folder)

    def _write(self, folder: Path) -> None:
        for name, frame in zip(Records._fields, Records.joined(self._waiting), strict=True):
            for part, rows in frame.partition_by("part", include_key=False, as_dict=True).items():
                path = folder / f"{name}-{part[0]}"
                try:
                    with path.open("ab") as file:
                        start = file.tell()
                        rows.write_ipc_stream(file, compression="lz4")
                        self._sizes.setdefault(path, []).append(file.tell() - start)
                except OSError as problem:
                    place = f"{folder.parent} (TMPDIR, for temporary files)"
                    raise InputError(f"{place}: cannot be written: {reason(problem)}") from problem
        self._waiting, self._rows = [], 0

    def _read(self, path: Path) -> Iterator[pl.DataFrame]:
        with path.open("rb") as file:
            for size in self._sizes[path]:
                yield pl.read_ipc_stream(file.read(size))

    def each(self) -> Iterator[Records]:
        """The parts one after the other, in the order in which their records came."""
        if self._folder is None:
            yield Records.joined(self._waiting) if self._waiting else Records.of()
            return
        if self._waiting:
            self._write(self._folder)
        for part in range(self.parts):
            paths = (self._folder / f"{name}-{part}" for name in Records._fields)
            yield Records.of(*(pl.concat(self._read(path)) if path in self._sizes else None for path in paths))
        shutil.rmtree(self._folder, ignore_errors=True)


def ordinals(records: Records) -> dict[str, int]:
    """The smallest rank of each application, as it counts."""
    smallest: dict[str, int] = {}
    for frame in (records.results, records.events):
        found = frame.group_by(pl.col("source").fill_null("")).agg(pl.col("ordinal").min()).drop_nulls()
        for source, least in found.iter_rows():
            smallest[source] = min(least, smallest.get(source, least))
    return smallest


#: Pages that may be one are in one part.
BY_PAGE: dict[str, pl.Expr] = dict.fromkeys(Records._fields, pl.coalesce("group", pl.col("key").hash(0)))
BY_SESSION: dict[str, pl.Expr] = {name: pl.col("session_id") for name in ("pages", "events")} | {
    "results": pl.col("source")
}
_PERSON = pl.coalesce("user_id", "session_id", "impression_id", "key")


def assembled(records: Records, bases: Mapping[str, int], tallies: Tallies) -> Records:
    """Pages with what belongs to them: each once, known by its events where no query tells, and with what was shown."""
    records = _based(told_apart(records, tallies), bases)
    pages, results = _each_once(records, tallies)
    results, events = _shown(results, tallies), records.events
    if events["counted"].any():
        events = _counted_once(events)
    kept = events.join(pages.select("key"), on="key", how="semi", maintain_order="left")
    if kept.height < events.height:
        lost = events.join(pages.select("key"), on="key", how="anti", maintain_order="left")
        tallies.add("lost-event", lost.height, _case(lost))
    known = events.sort("row").group_by("key").agg(
        pl.col("user_id", "session_id").drop_nulls().first().name.suffix("_of_events")
    )  # fmt: skip
    counts = results.group_by("key").len("shown")
    is_empty = pl.col("partial").fill_null(False) & (pl.col("n_results") == 0)  # by this row, but others may show some
    pages = (
        pages.join(known, on="key", how="left", maintain_order="left")
        .join(counts, on="key", how="left", maintain_order="left")
        .with_columns(
            user_id=pl.coalesce("user_id", "user_id_of_events"),
            session_id=pl.coalesce("session_id", "session_id_of_events"),
            n_results=pl.coalesce(pl.when(~is_empty).then("n_results"), pl.col("shown").cast(pl.Int64), "n_results"),
        )
        .select(*PAGES)
    )
    people = pages.select("key", person=_PERSON)
    parts = (frame.drop("source").join(people, on="key", how="left", maintain_order="left").rename({"person": "source"})
             .select(*schema) for frame, schema in ((results, RESULTS), (kept, EVENTS)))  # fmt: skip
    return Records(pages, *parts)


def _counted_once(events: pl.DataFrame) -> pl.DataFrame:
    """Events without those of rows that count the clicks of a result which came again: the row with most is kept."""
    result = ["key", "doc_id", "ordinal"]
    rows = events.filter("counted").group_by("row", *result).len()
    kept = rows.sort("len", "row", descending=[True, False]).unique(result, keep="first", maintain_order=True)
    if kept.height == rows.height:
        return events
    others = rows.join(kept, on="row", how="anti").select("row", counted=True)
    return events.join(others, on=["row", "counted"], how="anti", maintain_order="left")


def _each_once(records: Records, tallies: Tallies) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pages by their keys, with the results of those that are kept: of several, the first that returned anything.

    Engines write a query more than once, of which some ask for counts only. Results that name no row are of the page,
    whichever of its rows tells of it.
    """
    empty = pl.col("n_results").fill_null(0) == 0
    is_part = pl.col("partial").fill_null(False)
    parts = told_once(records.pages.filter(is_part))
    ordered = pl.concat([records.pages.filter(~is_part), parts]).sort(empty, "row", maintain_order=True)
    pages = ordered.unique("key", keep="first", maintain_order=True)
    if pages.height == records.pages.height:
        return pages, records.results
    # What the first row does not tell another may.
    others = ordered.filter(pl.col("key").is_duplicated()).group_by("key").agg(
        pl.col(name).drop_nulls().first() for name in ("time", "user_id", "session_id", "query_id", "query_text")
    )  # fmt: skip
    pages = pages.update(others, on="key", how="left")
    queries = pl.col("query_id").drop_nulls().n_unique().over("key")
    several = records.pages.filter(pl.col("key").is_duplicated())
    is_whole = pl.col("partial").is_null()
    several = several.filter(is_whole | ((queries > 1) & ~is_whole.any().over("key")))
    if several.height:
        tallies.add("repeated-page", several.height - several["key"].n_unique(), f"page {several['key'][0]!r}")
    stale = records.pages.filter(is_whole).join(pages, on=["key", "row"], how="anti").select("key", "row").unique()
    return pages, records.results.join(stale, on=["key", "row"], how="anti", maintain_order="left")


#: Once pages and events know one another, the `source` of results and events is the person whose page it is.
BY_PERSON: dict[str, pl.Expr] = {"pages": _PERSON, "results": pl.col("source"), "events": pl.col("source")}


def _case(events: pl.DataFrame) -> str:
    action, doc_id, key = events.select("action", "doc_id", "key").row(0)
    return f"{action} on {doc_id!r}, page {key!r}"


def _based(records: Records, bases: Mapping[str, int]) -> Records:
    """Ranks from 1, whatever the source counts from."""
    table = pl.DataFrame(
        {"source": [*bases], "base": [*bases.values()]}, schema={"source": pl.String, "base": pl.Int64}
    )
    base = pl.col("source").fill_null("").replace_strict(table["source"], table["base"], default=1)
    rank = pl.col("ordinal") - base + 1
    rank = pl.when(rank >= 1).then(rank)
    results = records.results.with_columns(rank=pl.coalesce("rank", rank))
    return records._replace(results=results, events=records.events.with_columns(ordinal=rank))


def _shown(results: pl.DataFrame, tallies: Tallies) -> pl.DataFrame:
    """The results on each page: those that the engine returned; without any, those that somebody saw."""
    results = results if results["row"].is_sorted() else results.sort("row", maintain_order=True)
    unranked = pl.col("rank").is_null()
    if results["rank"].null_count():  # they stand in order
        place = pl.int_range(1, pl.len() + 1).over("key").cast(pl.Int64)
        all_unranked = unranked.all().over("key")
        refuse_scattered(results.filter(all_unranked, "listed"), tallies)
        results = results.with_columns(rank=pl.when(all_unranked).then(place).otherwise("rank"))
        without = results.filter(unranked)
        tallies.add("no-rank", without.height, f"page {without['key'].first()!r}")
        results = results.filter(~unranked)
    listed = results.filter("listed")
    seen = results.filter(~pl.col("listed"))
    is_first = listed.select(pl.struct("key", "rank").is_first_distinct())[:, 0]
    if not is_first.all():  # whichever comes first
        listed = listed.sort("key", "rank", "doc_id", maintain_order=True)
        is_first = listed.select(pl.struct("key", "rank").is_first_distinct())[:, 0]
    first = listed.filter(is_first)
    others = listed.filter(~is_first)
    lost = []
    if others.height:
        lost.append(others.join(first, on=["key", "rank", "doc_id"], how="anti", maintain_order="left"))
        again = others.height - lost[0].height
        tallies.add("repeated-result", again, f"page {others['key'][0]!r}")
    if seen.height:
        views = seen.unique(["key", "doc_id"], keep="first", maintain_order=True)
        more = views.join(first, on=["key", "doc_id"], how="anti", maintain_order="left")
        added = more.join(first, on=["key", "rank"], how="anti", maintain_order="left")
        added = added.unique(["key", "rank"], keep="first", maintain_order=True)
        lost.append(more.join(added, on=["key", "doc_id"], how="anti", maintain_order="left"))
        marks = views.select("key", "doc_id", mark=pl.lit(True))
        pages = views.select("key", looked=pl.lit(True)).unique()
        first = (
            first.join(marks, on=["key", "doc_id"], how="left", maintain_order="left")
            .join(pages, on="key", how="left", maintain_order="left")
            .with_columns(seen=pl.coalesce("seen", "mark", pl.when("looked").then(False)))
            .select(*RESULTS)
        )
        first = pl.concat([first, added])
    for frame in lost:
        if frame.height:
            key, rank, doc_id = frame.select("key", "rank", "doc_id").row(0)
            tallies.add("taken-rank", frame.height, f"{doc_id!r} at rank {rank}, page {key!r}")
    return first


def attributed(records: Records) -> Records:
    """Events that name no page, but a session: of its last page before them that showed their document, or its last."""
    pages = records.pages.filter(pl.col("session_id").is_not_null())
    homeless = records.events.filter(pl.col("key").is_null() & pl.col("session_id").is_not_null())
    if not homeless.height:
        return records
    pages, homeless = _by_moment(pages, homeless)
    there = records.results.select("key", "doc_id").unique().join(pages.select("key", "session_id", "moment"), on="key")
    asof: dict[str, Any] = {"on": "moment", "strategy": "backward", "check_sortedness": False}
    of_document = homeless.select("moment", "row", "session_id", "doc_id").join_asof(
        there.sort("moment").rename({"key": "showed"}), by=["session_id", "doc_id"], **asof
    )
    of_session = homeless.drop("key").join_asof(pages.select("moment", "session_id", "key"), by="session_id", **asof)
    placed = of_session.join(of_document.select("row", "showed"), on="row", how="left", maintain_order="left")
    placed = placed.with_columns(key=pl.coalesce("showed", "key")).select(*EVENTS)
    others = records.events.filter(pl.col("key").is_not_null() | pl.col("session_id").is_null())
    return records._replace(events=pl.concat([others, placed]))


def _by_moment(pages: pl.DataFrame, events: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pages and events with their places in the order of their times; as they are written, where times are missing."""
    both = pl.concat([frame.select("row", "time") for frame in (pages, events)]).unique("row")
    order = ["time", "row"] if not both["time"].null_count() else ["row"]
    moments = both.sort(order).select("row").with_row_index("moment")
    timed = (frame.join(moments, on="row", maintain_order="left").sort("moment") for frame in (pages, events))
    return next(timed), next(timed)


def finished(records: Records, rules: Cleaning, tallies: Tallies, start: int) -> Tables:
    """The tables of a part in which all pages of a person are: cleaned, in order of time, numbered from `start`."""
    pages = _known_once(records.pages, tallies)
    pages = _with_sessions(pages, rules.session_gap) if rules.clocked else pages
    pages = _kept(pages, rules, tallies)
    by_name = pl.when(pl.col("time").is_not_null()).then("key")  # pages of one time are in one order, rows need not be
    pages = pages.sort("time", by_name, "row", nulls_last=True).with_columns(
        impression=pl.int_range(start, start + pl.len(), dtype=pl.Int64),
        impression_id=pl.coalesce("impression_id", "key"),
    )
    numbers = pages.select("key", "impression")
    results = records.results.join(numbers, on="key", how="inner")
    events = records.events.join(numbers, on="key", how="inner")
    if rules.repeated_events == "drop":
        events = _once(events, tallies)
    results = results.with_columns(clicks=pl.lit(None, pl.Int64)).select(*tables.RESULTS).sort("impression", "rank")
    events = located(events.rename({"ordinal": "rank"}).lazy(), results.lazy()).collect()
    at_once = pl.col("counted") | pl.col("time").is_not_null()  # nothing but the rows tells which came first
    place = [pl.when(at_once).then(name).alias(f"{name}_at_once") for name in ("rank", "doc_id")]
    events = events.sort("impression", "time", *place, "row", nulls_last=True)
    if not rules.clocked:  # times have told the order, which is all that they tell
        pages, events = (frame.with_columns(time=pl.lit(None, pl.Datetime("ms"))) for frame in (pages, events))
    events = _with_dwell(events, pages, rules, tallies).select(*tables.EVENTS)
    results = with_clicks(results.lazy(), events.lazy()).collect()
    return Tables(pages.select(*tables.IMPRESSIONS), results, events)


def _known_once(pages: pl.DataFrame, tallies: Tallies) -> pl.DataFrame:
    """Pages without those that logs which were imported one by one have in common: known by name, time, user, query."""
    if pages["impression_id"].null_count() == pages.height:
        return pages
    pages = pages.sort("row")
    name = pl.coalesce("impression_id", "key")
    again = pl.col("time").is_not_null() & ~pl.struct(name, "time", "user_id", "query_id").is_first_distinct()
    left = pages.filter(again)
    if left.height:
        tallies.add("repeated-page", left.height, f"page {left.select(name).item(0, 0)!r}")
        pages = pages.filter(~again)
    return pages


def _with_sessions(pages: pl.DataFrame, gap: float) -> pl.DataFrame:
    """Pages of a user without a session are of the session within so many minutes, or make one of their own."""
    lacks = pl.col("session_id").is_null() & pl.col("user_id").is_not_null() & pl.col("time").is_not_null()
    if not pages.select(lacks.any()).item():
        return pages
    timed = pages.filter(pl.col("user_id").is_not_null() & pl.col("time").is_not_null()).sort("user_id", "time", "row")
    others = pages.filter(pl.col("user_id").is_null() | pl.col("time").is_null())
    # Rows are in order, so that neighbours tell all: no groups are made of hundreds of thousands of users.
    other = pl.col("user_id").ne_missing(pl.col("user_id").shift())
    new = other | (pl.col("time").diff() > timedelta(minutes=gap)).fill_null(True)
    timed = timed.with_columns(new=new)
    # Named by its start: logs that were imported one by one can then be put together.
    start = pl.when("new").then("time").forward_fill()
    own = pl.col("user_id") + "#" + start.dt.to_string("%Y-%m-%dT%H:%M:%S")
    last = pl.col("new").shift(-1).fill_null(True)
    known = pl.col("session_id")
    earlier = pl.coalesce(known, pl.when("new").then(pl.lit(_NONE))).forward_fill()
    later = pl.coalesce(known, pl.when(last).then(pl.lit(_NONE))).backward_fill()
    near = pl.coalesce(pl.when(each != _NONE).then(each) for each in (earlier, later))
    return pl.concat([timed.with_columns(session_id=pl.coalesce(near, own)).select(*PAGES), others])


def _kept(pages: pl.DataFrame, rules: Cleaning, tallies: Tallies) -> pl.DataFrame:
    """Pages that no filter leaves out; each that is left out is counted once, by the first filter."""
    late = pl.lit(False) if rules.until is None else pl.col("time") >= rules.until
    early = pl.lit(False) if rules.since is None else pl.col("time") < rules.since
    reasons: list[tuple[str, pl.Expr, dict[str, str]]] = []
    if rules.since is not None or rules.until is not None:
        reasons.append(("outside-period", early | late | pl.col("time").is_null(), {}))
    if rules.systems:
        reasons.append(("other-system", ~pl.col("system").is_in(rules.systems).fill_null(False), {}))
    if rules.exclude:
        fits = [pl.col(column).str.contains(_pattern(each)).fill_null(False) for column, each in rules.exclude]
        by = ", ".join(f"{column}={each}" for column, each in rules.exclude)
        reasons.append(("excluded", pl.any_horizontal(fits), {"by": by}))
    if rules.most_per_minute is not None:
        robots = hasty_users(pages.lazy(), rules.most_per_minute).collect()["user_id"]
        reasons.append(("robot", pl.col("user_id").is_in(robots.implode()), {"most": str(rules.most_per_minute)}))
    for code, leaves_out, words in reasons:
        goes = leaves_out.fill_null(False)  # nobody knows whose page it is: it stays
        left = pages.filter(goes)
        if left.height:
            tallies.add(code, left.height, f"page {left['key'][0]!r}", **words)
            pages = pages.filter(~goes)
    return pages


def _pattern(glob: str) -> str:
    import fnmatch  # noqa: PLC0415  # only who leaves somebody out waits for it

    # Python's own translation of a star is one that Polars does not know.
    parts = (fnmatch.translate(part).removeprefix("(?s:")[: -len(r")\Z")] for part in glob.split("*"))
    return f"(?s)^{'.*'.join(parts)}$"


def hasty_users(pages: pl.LazyFrame, most: int) -> pl.LazyFrame:
    """Users who asked more than so many queries within some minute, and how many at most."""
    known = pages.filter(pl.col("user_id").is_not_null() & pl.col("time").is_not_null())
    within = pl.col("time") - pl.col("time").shift(most).over("user_id", order_by="time")
    queries = known.with_columns(within=within).filter(pl.col("within") < timedelta(minutes=1))
    return queries.group_by("user_id").agg(pl.len().alias("queries"), pl.col("time").min())


def _once(events: pl.DataFrame, tallies: Tallies) -> pl.DataFrame:
    """Events without those that were sent again: the time is known, and the same."""
    place = pl.when(pl.col("doc_id").is_null()).then("ordinal")  # what was clicked, if no document is named
    what = ("key", "time", "action", "doc_id", place)
    events = events.sort("row")
    again = pl.col("time").is_not_null() & ~pl.struct(*what).is_first_distinct()
    left = events.filter(again)
    if left.height:
        tallies.add("repeated-event", left.height, _case(left))
        events = events.filter(~again)
    return events


def _with_dwell(events: pl.DataFrame, pages: pl.DataFrame, rules: Cleaning, tallies: Tallies) -> pl.DataFrame:
    """Clicks with how long people stayed, where that is known and possible."""
    most = float("inf") if rules.longest_dwell is None else 60_000 * rules.longest_dwell
    odd = (pl.col("dwell_ms") < 0) | (pl.col("dwell_ms") > most) | pl.col("dwell_ms").is_nan()
    events = events if rules.imported else with_stays(events, pages)
    strange = events.filter(odd)
    if strange.height:
        limit = "possible" if rules.longest_dwell is None else f"{rules.longest_dwell:g} minutes"
        tallies.add("odd-dwell", strange.height, _case(strange), most=limit)
        events = events.with_columns(dwell_ms=pl.when(~odd.fill_null(False)).then("dwell_ms"))
    return events
