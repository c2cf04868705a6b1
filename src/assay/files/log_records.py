"""Records of click logs as readers give them, before pages and events have found one another; times; what was odd."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import FormatError, ParameterError, did_you_mean, number_of
from assay.files.times import TIME, utc_times
from assay.tables.log import Oddity, in_schema

#: A page by its `key`, whatever the source calls it; `row` is its place in the source; `source` is the application;
#: `partial`: one of several rows that tell of the page; `impression_id`: what it is called, if not by its key; `group`:
#: of rows of a table that names no pages, and that may be of one page.
PAGES: dict[str, Any] = {
    "key": pl.String, "row": pl.Int64, "time": TIME, "user_id": pl.String, "session_id": pl.String,
    "query_id": pl.String, "query_text": pl.String, "system": pl.String, "n_results": pl.Int64,
    "latency_ms": pl.Float64, "page": pl.Int64, "answered": pl.Boolean, "source": pl.String,
    "partial": pl.Boolean, "impression_id": pl.String, "group": pl.UInt64,
}  # fmt: skip
#: `rank` is known, from 1; `ordinal` is as the source counts. `listed`: by the engine; otherwise somebody saw it.
RESULTS: dict[str, Any] = {
    "key": pl.String, "row": pl.Int64, "rank": pl.Int64, "ordinal": pl.Int64, "doc_id": pl.String, "seen": pl.Boolean,
    "propensity": pl.Float64, "listed": pl.Boolean, "source": pl.String,
    "group": pl.UInt64,
}  # fmt: skip
#: An event without a key is of the last page of its session, or of the last that showed its document. `counted`: it is
#: what the row of a result counts, so that nobody knows which click came first.
EVENTS: dict[str, Any] = {
    "key": pl.String, "row": pl.Int64, "time": TIME, "action": pl.String, "doc_id": pl.String, "ordinal": pl.Int64,
    "value": pl.Float64, "dwell_ms": pl.Float64, "user_id": pl.String, "session_id": pl.String,
    "query_text": pl.String, "source": pl.String, "counted": pl.Boolean, "group": pl.UInt64,
}  # fmt: skip
#: No result stands further down: engines give no more, and what counts by rank should fit in memory.
_DEEPEST = 10_000
#: What each oddity is called: what is counted, and what to say of it.
_SAYS = {
    "malformed": ("line", "that cannot be read as a record: left out"),
    "zero-rank": ("application", "with ranks that start at 0: one was added to each"),
    "no-document": ("row", "without a document: left out"),
    "out-of-order": ("result page", "whose rows are out of order: put together by what they share"),
    "click-time": ("clicked row", "with the time of the click: taken for the last page before it that lacks its rank"),
    "alike-page": ("result page", "that share all that tells them apart: by rank, the first document is of the first"),
    "repeated-page": ("result page", "came again under the same id: the first was kept"),
    "lost-event": ("event", "of result pages that are not in the log, or of none: left out"),
    "repeated-event": ("event", "sent again, with the same time, action and document: left out"),
    "repeated-result": ("result", "came again at the same rank of a page: the first was kept"),
    "taken-rank": ("result", "at a rank where another document stands: left out"),
    "odd-rank": ("rank", f"not a whole number from 0 to {_DEEPEST:,}: unknown"),
    "no-rank": ("result", "without a rank, on pages where others have one: left out"),
    "no-zone": ("time", "without a time zone: read as {zone}"),
    "odd-time": ("time", "not readable, or before 1970 or after 2100: unknown"),
    "odd-number": ("cell", "of dwell, latency or propensity without a readable number: unknown"),
    "odd-dwell": ("dwell time", "negative, or longer than {most}: unknown"),
    "outside-period": ("result page", "outside the period: left out"),
    "other-system": ("result page", "of other systems: left out"),
    "excluded": ("result page", "excluded by {by}: left out"),
    "robot": ("result page", "of users with more than {most} queries in a minute: left out"),
}


class Records(NamedTuple):
    """A piece of a source: pages, results and events, each in the columns of `PAGES`, `RESULTS`, `EVENTS`."""

    pages: pl.DataFrame
    results: pl.DataFrame
    events: pl.DataFrame

    @classmethod
    def of(
        cls, pages: pl.DataFrame | None = None, results: pl.DataFrame | None = None, events: pl.DataFrame | None = None
    ) -> Records:
        """Frames with some of the columns; the others are null."""
        frames = zip((pages, results, events), (PAGES, RESULTS, EVENTS), strict=True)
        return cls(*(in_schema(pl.DataFrame() if frame is None else frame, schema) for frame, schema in frames))

    @classmethod
    def joined(cls, pieces: list[Records]) -> Records:
        """Several pieces as one."""
        return cls(*(pl.concat(frames) for frames in zip(*pieces, strict=True))) if pieces else cls.of()


def told_once(pages: pl.DataFrame) -> pl.DataFrame:
    """Pages of which several rows tell, once each, with the smallest of what these say: in whatever order they come.

    >>> rows = pl.DataFrame({"key": ["p", "p", "q"], "row": [7, 9, 8], "system": ["new", "new", "old"]})
    >>> told_once(rows.with_columns(user_id=pl.Series(["u2", None, None]))).rows()
    [('p', 7, 'new', 'u2'), ('q', 8, 'old', None)]
    """
    if not pages["key"].is_duplicated().any():
        return pages
    return pages.group_by("key", maintain_order=True).agg(pl.exclude("key").min()).select(pages.columns)


class Tallies:
    """Oddities, counted by kind; the first case of each is kept.

    >>> tallies = Tallies()
    >>> tallies.add("repeated-event", 2, "p1")
    >>> [oddity.says for oddity in tallies.oddities()]
    ['2 events sent again, with the same time, action and document: left out']
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.examples: dict[str, str] = {}
        #: What is said in the words of an oddity, such as the zone.
        self.words: dict[str, str] = {}
        self.assumptions: dict[str, None] = {}
        #: Why no number should be made of it.
        self.refusal: str | None = None

    def add(self, code: str, count: int, example: str = "", **words: str) -> None:
        """Count so many cases."""
        if count:
            self.counts[code] = self.counts.get(code, 0) + count
            self.examples.setdefault(code, example)
            self.words |= words

    def assume(self, remark: str) -> None:
        """Keep in mind what was assumed."""
        self.assumptions[remark] = None

    def refuse(self, why: str) -> None:
        """Keep in mind why it is to be refused, once all of it was read; the first reason counts."""
        self.refusal = self.refusal or why

    def oddities(self) -> tuple[Oddity, ...]:
        """Oddities, in the order in which they are looked for."""
        return tuple(
            Oddity(code, count, f"{number_of(thing, count)} {text.format_map(self.words)}", self.examples[code])
            for code, (thing, text) in _SAYS.items() if (count := self.counts.get(code, 0))
        )  # fmt: skip

    def remarks(self) -> tuple[str, ...]:
        """All of it in sentences."""
        return (*self.assumptions, *(oddity.says for oddity in self.oddities()))


class ReadingRules(NamedTuple):
    """Rules by which a source is read, and the counter of oddities."""

    tallies: Tallies
    #: The zone of times that state none.
    zone: str | None = None
    #: Whether a line that is no record is left out, and not an error.
    lenient: bool = False
    #: Whether queries that differ in case and blanks are one.
    fold_queries: bool = False
    #: The file, for messages; and what the names of nameless pages start with, where there are several files.
    path: str = ""
    label: str = ""

    def malformed(self, line: int, expected: str, got: str) -> None:
        """Refuse a line, or count it."""
        problem = FormatError(self.path, line, expected=expected, got=got)
        if not self.lenient:
            raise problem
        self.tallies.add("malformed", 1, str(problem))


#: What stands for a number that is not known.
_NO_NUMBER = ("", "-", "na", "n/a", "nan", "none", "null")
#: No list is longer.
_MOST = 1e9


def checked_zone(zone: str | None) -> str | None:
    """A time zone by its name, refused if there is none of that name.

    >>> checked_zone("Europe/Berlin")
    'Europe/Berlin'
    """
    import zoneinfo  # noqa: PLC0415  # only who names a zone waits for it

    if zone is not None:
        try:
            zoneinfo.ZoneInfo(zone)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as problem:
            near = did_you_mean(zone, zoneinfo.available_timezones())
            raise ParameterError(f"no time zone is called {zone!r}, as in Europe/Berlin{near}") from problem
    return zone


def times_of(values: pl.Series, rules: ReadingRules) -> pl.Series:
    """Times in UTC; those that state no zone, and those that cannot be read, are counted.

    >>> tallies = Tallies()
    >>> times_of(pl.Series(["2026-03-02T07:00:00+01:00", "soon"]), ReadingRules(tallies)).to_list(), tallies.counts
    ([datetime.datetime(2026, 3, 2, 6, 0), None], {'odd-time': 1})
    """
    utc, zoneless = utc_times(values, rules.zone)
    odd = values.is_not_null() & utc.is_null()
    if values.dtype == pl.String:
        odd &= values.str.strip_chars() != ""
    for code, which in (("no-zone", zoneless), ("odd-time", odd)):
        rules.tallies.add(code, int(which.sum()), str(values.filter(which).first() or ""), zone=rules.zone or "UTC")
    return utc


def numbers_of(values: pl.Series) -> pl.Series:
    """Numbers as they are or as text; what is none is null."""
    text = values.cast(pl.String).str.strip_chars() if values.dtype == pl.String else values
    numbers = text.cast(pl.Float64, strict=False)
    return numbers.set(~numbers.is_finite().fill_null(True), None)


def amounts_of(values: pl.Series, rules: ReadingRules) -> pl.Series:
    """The same, where text that is none, such as 12,5, is counted."""
    numbers = numbers_of(values)
    if values.dtype == pl.String:
        text = values.str.strip_chars().str.to_lowercase()
        odd = (numbers.is_null() & ~text.is_in(_NO_NUMBER)).fill_null(False)
        rules.tallies.add("odd-number", int(odd.sum()), str(values.filter(odd).first()))
    return numbers


def wholes_of(values: pl.Series) -> pl.Series:
    """Whole numbers from 0; what is none is null."""
    numbers = numbers_of(values)
    odd = (numbers < 0) | (numbers != numbers.floor()) | (numbers > _MOST)
    return numbers.set(odd.fill_null(False), None).cast(pl.Int64)


def ordinals_of(values: pl.Series, rules: ReadingRules) -> pl.Series:
    """Ranks as the source counts them; what is no whole number is null, and counted."""
    wholes = wholes_of(values)
    wholes = wholes.set((wholes > _DEEPEST).fill_null(False), None)
    odd = wholes.is_null() & values.is_not_null()
    rules.tallies.add("odd-rank", int(odd.sum()), str(values.filter(odd).first()))
    return wholes


def truths_of(values: pl.Series) -> pl.Series:
    """True and false, as they are, as numbers or as text; what is neither is null."""
    if values.dtype == pl.Boolean:
        return values
    text = values.cast(pl.String).str.strip_chars().str.to_lowercase()
    known = {"true": True, "1": True, "1.0": True, "yes": True, "false": False, "0": False, "0.0": False, "no": False}
    return text.replace_strict(known, default=None, return_dtype=pl.Boolean)


def ids_in(values: pl.Series) -> pl.Series:
    """Ids as text; empty ones are null. Whole numbers may be stored as floats, where some are absent."""
    if values.dtype.is_float():
        whole = values.cast(pl.Int64, strict=False)
        values = whole if (whole == values.fill_nan(None)).fill_null(True).all() else values.fill_nan(None)
    text = values.cast(pl.String)
    return text.set((text == "").fill_null(False), None)


def exploded(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per document of lists (`doc_id`), with its rank.

    >>> exploded(pl.DataFrame({"key": ["p", "q"], "doc_id": [["d1", "d2"], []]})).rows()
    [('p', 'd1', 1, True), ('p', 'd2', 2, True)]
    """
    length = pl.col("doc_id").list.len()
    rows = rows.filter(length > 0).with_columns(rank=pl.int_ranges(1, length + 1), listed=pl.lit(True))
    return rows.explode("doc_id", "rank")


def query_ids(texts: pl.Series, rules: ReadingRules) -> pl.Series:
    """Queries without an id, known by their text as it stands; nothing where it is blank.

    >>> query_ids(pl.Series([" Flat  Tyre", ""]), ReadingRules(Tallies())).to_list()
    [' Flat  Tyre', None]
    """
    texts = folded_queries(texts) if rules.fold_queries else texts
    return texts.set((texts.str.strip_chars() == "").fill_null(False), None)


def folded_queries(texts: pl.Series) -> pl.Series:
    """Queries in lower case, with single blanks.

    >>> folded_queries(pl.Series([" Flat  Tyre", "flat tyre"])).to_list()
    ['flat tyre', 'flat tyre']
    """
    return texts.str.to_lowercase().str.strip_chars().str.replace_all(r"\s+", " ")
