"""Checks of click logs, and logs as the doctor looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, partial
from typing import Any, Unpack

import polars as pl

from assay.core.errors import number_of, quote
from assay.core.options import LogRules
from assay.files.log_assembly import hasty_users
from assay.files.log_looks import is_log_folder
from assay.files.logs import read_log
from assay.files.sources import Source, is_file
from assay.tables.log import CLICK, Log
from assay.verbs.diagnosis.examination import (
    EXAMPLES,
    CheckFinding,
    Diagnosis,
    Examination,
    Examined,
    Example,
    Overview,
    Severity,
    check,
    examined,
    examples_of,
    finding,
    share,
    unreadable,
)

#: Who asks more often than this within a minute is hardly a person.
_MOST_PER_MINUTE = 20
#: A session of more pages than this is hardly one.
_MOST_PAGES = 200
#: Nobody reads a page for longer, in minutes.
_LONGEST_DWELL = 120.0
#: An event so long after its page is hardly of it, or the clocks disagree.
_LATEST = timedelta(hours=24)


@dataclass(frozen=True, eq=False)
class ExaminedLog:
    """A log, and what checks ask of it more than once."""

    file: str
    log: Log
    system: None = None

    def oddity(self, code: str) -> tuple[int, str, str] | None:
        """An oddity of the log: its count, its wording, the first case."""
        return next((odd[1:] for odd in self.log.oddities if odd.code == code), None)

    @cached_property
    def events(self) -> pl.LazyFrame:
        """Events with the times of their pages, and how long `after` these they came."""
        pages = self.impressions.select("impression", "impression_id", page_time="time")
        events = self.log.events.join(pages, on="impression", how="left", maintain_order="left")
        return events.with_columns(after=pl.col("time") - pl.col("page_time"))

    @cached_property
    def impressions(self) -> pl.LazyFrame:
        """Pages; those without a name are called by their number."""
        number = pl.col("impression").cast(pl.String)
        return self.log.impressions.with_columns(impression_id=pl.coalesce("impression_id", number))

    @cached_property
    def pages(self) -> int:
        """The number of pages."""
        return self.log.sizes[0]


class ClicksExamination(Examination):
    """The files of a log as they were read, and the log in them."""

    modules = ("assay.subjects.clicks.checks",)
    options = ("log_rules",)

    def things(self) -> Iterator[Examined]:
        """The log; where a line is no record, what the others hold."""
        given = [Source.of(each) if is_file(each) and not is_log_folder(each) else each for each in self.inputs]
        self.file = ", ".join(str(getattr(each, "name", each)) for each in given)
        rules = dict(self.stated.get("log_rules", {}))
        readable = given if len(given) > 1 else given[0]
        readers = (partial(read_log, readable, **{**rules, "malformed": way}) for way in ("error", "drop"))
        reading, self.log = self.opened(self.file, *readers)
        yield Examined(reading, ("file",))
        if self.log is not None:
            yield Examined(ExaminedLog(self.file, self.log), ("log",))

    def overview(self) -> Overview:
        """The files, and how much is in them."""
        if self.log is None:
            return Overview(self.file, {"log": self.file}, 1, system="log")
        pages, results, clicks = self.log.sizes
        counts = f"{number_of('result page', pages)}, {number_of('result', results)}, {number_of('click', clicks)}"
        return Overview(f"{self.file}, {counts}", {"log": self.file}, 1, system="log")


def check_log(given: Any, **rules: Unpack[LogRules]) -> Diagnosis:
    """Look a click log over for what makes numbers wrong or misleading; `rules` are those of `read_log`.

    >>> from assay import Log
    >>> [found.check for found in check_log(Log.from_pages([("q1", ["d1"], ["d9"])])).findings]
    ['clicks-not-shown', 'no-times', 'no-users']
    """
    inputs = given if isinstance(given, list | tuple) else [given]
    return examined(ClicksExamination(inputs, {"log_rules": rules} if rules else {}, lambda _: None))


def _told(name: str, severity: Severity, log: ExaminedLog, *codes: str) -> Iterator[CheckFinding]:
    """Findings counted when the log was read."""
    for code in codes:
        if (odd := log.oddity(code)) is not None:
            count, says, example = odd
            yield finding(name, severity, log, says, count, examples=[Example(example)] if example else [])


def _noticed(name: str, severity: Severity, *codes: str, question: str, advice: str) -> None:
    """Register a check of what was counted when the log was read."""
    check(name, "log", severity, question=question, advice=advice)(lambda log: _told(name, severity, log, *codes))


def _no_rows(
    name: str,
    *codes: str,
    says: Callable[[ExaminedLog, int], str],
    example: Callable[[dict[str, Any]], str],
    question: str,
    advice: str,
) -> Callable[[Callable[[ExaminedLog], pl.LazyFrame]], None]:
    """Register a check that warns of rows which the decorated function finds, and of what was counted in reading."""

    def register(rows: Callable[[ExaminedLog], pl.LazyFrame]) -> None:
        def find(log: ExaminedLog) -> Iterator[CheckFinding]:
            yield from _told(name, "warning", log, *codes)
            frame = rows(log)
            count, first = pl.collect_all([frame.select(pl.len()), frame.head(EXAMPLES)], engine="streaming")
            if number := int(count.item()):
                yield finding(name, "warning", log, says(log, number), number, examples=examples_of(first, example))

        check(name, "log", "warning", question=question, advice=advice)(find)

    return register


def _page(row: dict[str, Any]) -> str:
    return f"page {quote(row['impression_id'])}"


unreadable(
    "unreadable-log",
    __name__,
    question="Is the file no click log, or is a line no record of its layout?",
    advice="see docs/import-a-click-log for the layouts; leave out lines that are no records with {malformed=drop}",
)


_noticed(
    "malformed-lines", "warning", "malformed", "no-document",
    question="Are there lines that are no records?",
    advice="look how the log is written: a process that was stopped leaves half a line behind",
)  # fmt: skip


_noticed(
    "zero-ranks", "note", "zero-rank",
    question="Do ranks start at 0?",
    advice="ranks count from 1 here; if the first result has rank 1 after all, say so ({rank_base=1})",
)  # fmt: skip


_noticed(
    "odd-ranks", "warning", "odd-rank", "no-rank", "taken-rank",
    question="Are there ranks that are no whole numbers, or two documents at one rank of a page?",
    advice="correct the ranks: what stands at no rank, or where another document stands, is left out",
)  # fmt: skip


_noticed(
    "rows-out-of-order", "note", "out-of-order",
    question="Are rows of result pages that no column names out of order?",
    advice="nothing, if pages are as many as they should be; an id of the page on each row (`serp_id`) tells for sure",
)  # fmt: skip


_noticed(
    "unsure-pages", "warning", "click-time", "alike-page",
    question="Are times those of clicks, or do result pages share all that tells them apart?",
    advice="write the time of the search and an id of the page (`serp_id`) on each row",
)  # fmt: skip


@_no_rows(
    "rank-gaps",
    says=lambda log, number: f"{share(number, log.pages, 'result page')} with gaps",
    example=lambda row: f"{_page(row)}: {row['len']} results, the last at rank {row['rank']}",
    question="Do lists leave ranks out, or start below the first?",
    advice="log the whole list that was returned: click models take what is missing for a shorter list",
)
def rank_gaps(log: ExaminedLog) -> pl.LazyFrame:
    """Lists with ranks that nobody tells of."""
    lists = log.log.results.group_by("impression").agg(pl.len(), pl.col("rank").max())
    gaps = lists.filter(pl.col("len") < pl.col("rank"))
    return gaps.join(log.impressions.select("impression", "impression_id"), on="impression").sort("impression")


@_no_rows(
    "pages-without-results",
    says=lambda log, number: f"{share(number, log.pages, 'result page')} without results",
    example=lambda row: f"{_page(row)}, query {quote(str(row['query_text'] or row['query_id']))}",
    question="Are there pages of which nobody knows what they showed?",
    advice="log what was returned (`query_response_hit_ids`), or what was seen; an empty list says that there was none",
)
def pages_without_results(log: ExaminedLog) -> pl.LazyFrame:
    """Pages without results that do not say that there were none."""
    unknown = log.impressions.filter(pl.col("n_results").fill_null(1) > 0)
    there = log.log.results.select("impression").unique()
    return unknown.join(there, on="impression", how="anti", maintain_order="left")


@check(
    "no-clicks", "log", "error",
    question="Is there no click at all?",
    advice="look at the actions of the events, and say which column tells of clicks ({columns})",
)  # fmt: skip
def no_clicks(log: ExaminedLog) -> Iterator[CheckFinding]:
    """Nothing to learn from."""
    if not log.log.sizes[2]:
        actions = log.log.events.select(pl.col("action").unique().sort()).collect()["action"].drop_nulls()
        others = f"; events are {', '.join(map(quote, actions.head(5)))}" if len(actions) else ""
        yield finding("no-clicks", "error", log, f"no click on {number_of('result page', log.pages)}{others}")


@_no_rows(
    "clicks-not-shown",
    says=lambda log, number: f"{share(number, log.log.sizes[2], 'click')} on documents that were not shown",
    example=lambda row: f"{_page(row)}: {quote(str(row['doc_id']))}",
    question="Are there clicks on documents that their page did not show?",
    advice="ids of clicks and of results may differ, or lists be cut off; such clicks count for no result",
)
def clicks_not_shown(log: ExaminedLog) -> pl.LazyFrame:
    """Clicks without a place on their page."""
    return log.events.filter((pl.col("action") == CLICK) & pl.col("rank").is_null())


@_no_rows(
    "clicks-before-pages",
    says=lambda _, number: f"{number_of('event', number)} before their page",
    example=lambda row: f"{_page(row)}: {row['action']} {-row['after'].total_seconds():,.1f} s before",
    question="Are there events before their page was shown?",
    advice="clocks of browsers and servers differ: use one of them for both; times to the first click leave these out",
)
def clicks_before_pages(log: ExaminedLog) -> pl.LazyFrame:
    """Events that come too early."""
    return log.events.filter(pl.col("time") < pl.col("page_time"))


@_no_rows(
    "odd-times",
    "odd-time",
    says=lambda _, number: f"{number_of('event', number)} a day or more after their page",
    example=lambda row: f"{_page(row)}: {row['action']} {row['after'].days} days later",
    question="Are there times that cannot be, or events a day and more after their page?",
    advice="look at the format and the zone of the times; one that cannot be read is unknown",
)
def odd_times(log: ExaminedLog) -> pl.LazyFrame:
    """Clocks that disagree."""
    return log.events.filter(pl.col("after") > _LATEST)


_noticed(
    "no-zones", "note", "no-zone",
    question="Do times state no zone?",
    advice="say which it is ({zone}): days begin elsewhere otherwise, and hours that are set back come twice",
)  # fmt: skip


_noticed(
    "repeated-events", "warning", "repeated-event", "repeated-page", "repeated-result",
    question="Were events, results or pages sent more than once?",
    advice="give each event an id and write it once; events that were sent again are left out ({repeated_events=keep})",
)  # fmt: skip


_noticed(
    "lost-events", "warning", "lost-event",
    question="Are there events of pages that are not in the log?",
    advice="read the file with the queries together with that of the events; the id of the page should be on both",
)  # fmt: skip


@_no_rows(
    "giant-sessions",
    says=lambda _, number: f"{number_of('session', number)} of more than {_MOST_PAGES} pages",
    example=lambda row: f"session {quote(row['session_id'])}: {number_of('result page', row['len'])}",
    question="Are there sessions of hundreds of pages?",
    advice="they may be robots, or many people behind one id: leave them out ({exclude}), or make sessions by user",
)
def giant_sessions(log: ExaminedLog) -> pl.LazyFrame:
    """Sessions that nobody has."""
    sizes = log.impressions.filter(pl.col("session_id").is_not_null()).group_by("user_id", "session_id").len()
    return sizes.filter(pl.col("len") > _MOST_PAGES).sort("len", "session_id", descending=[True, False])


@_no_rows(
    "robots",
    says=lambda _, number: f"{number_of('user', number)} with more than {_MOST_PER_MINUTE} queries in a minute",
    example=lambda row: f"user {quote(row['user_id'])}, from {row['time']:%Y-%m-%d %H:%M}",
    question="Are there users who ask more often than a person can?",
    advice="leave them out ({most_per_minute=20}): they see many pages, and click on none or on all",
)
def robots(log: ExaminedLog) -> pl.LazyFrame:
    """Users with too many queries in a minute."""
    return hasty_users(log.impressions, _MOST_PER_MINUTE).sort("queries", "user_id", descending=[True, False])


@_no_rows(
    "impossible-dwell",
    "odd-dwell",
    says=lambda _, number: f"{number_of('dwell time', number)} of more than two hours",
    example=lambda row: f"{_page(row)}, {quote(str(row['doc_id']))}: {row['dwell_ms'] / 3.6e6:,.1f} h",
    question="Are there dwell times that are negative, or longer than two hours?",
    advice="take long ones as unknown ({longest_dwell=30}): people leave pages open and go away",
)
def impossible_dwell(log: ExaminedLog) -> pl.LazyFrame:
    """Nobody reads for so long."""
    return log.events.filter(pl.col("dwell_ms") > 60_000 * _LONGEST_DWELL)


@check(
    "no-times", "log", "note",
    question="Are there no times?",
    advice="log them: without, nothing is known of periods, dwell or the time to the first click",
)  # fmt: skip
def no_times(log: ExaminedLog) -> Iterator[CheckFinding]:
    """Nothing happens in time."""
    if "impressions.time" not in log.log.known:
        yield finding("no-times", "note", log, "result pages have no times")


@check(
    "no-users", "log", "note",
    question="Does the log tell no users apart?",
    advice="log an id per user or browser: pages of one person are not independent, and tests take them for it",
)  # fmt: skip
def no_users(log: ExaminedLog) -> Iterator[CheckFinding]:
    """Nobody knows who it was."""
    if log.log.unit_kind != "user":
        unit = {"session": "sessions", "page": "single result pages"}[log.log.unit_kind]
        yield finding("no-users", "note", log, f"no users: {unit} are the units of tests and intervals")
