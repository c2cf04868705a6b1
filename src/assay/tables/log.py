"""`Log`: what a search engine showed and what people did with it, in three tables of one shape whatever the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import polars as pl

from assay.core.errors import InputError, ParameterError, number_of

_IN_MEMORY = "in memory"
_TIME = pl.Datetime("ms")
#: One row per result page. `impression` is its row, from 0; times are UTC; `system` is the arm or engine that answered;
#: `page` is 2 on a second page of results; `answered` says whether an answer stood on the page itself.
IMPRESSIONS: dict[str, Any] = {
    "impression": pl.Int64, "impression_id": pl.String, "time": _TIME, "user_id": pl.String, "session_id": pl.String,
    "query_id": pl.String, "query_text": pl.String, "system": pl.String, "n_results": pl.Int64,
    "latency_ms": pl.Float64, "page": pl.Int64, "answered": pl.Boolean,
}  # fmt: skip
#: One row per result of a page, by impression and rank (from 1), with how often it was clicked; where known whether it
#: was seen, and how probable it was to be shown there.
RESULTS: dict[str, Any] = {
    "impression": pl.Int64, "rank": pl.Int64, "doc_id": pl.String, "clicks": pl.Int64, "seen": pl.Boolean,
    "propensity": pl.Float64,
}  # fmt: skip
#: One row per event on a page, by impression and time: `action` is `click`, or whatever the source calls it.
EVENTS: dict[str, Any] = {
    "impression": pl.Int64, "time": _TIME, "action": pl.String, "doc_id": pl.String, "rank": pl.Int64,
    "value": pl.Float64, "dwell_ms": pl.Float64,
}  # fmt: skip
TABLES = {"impressions": IMPRESSIONS, "results": RESULTS, "events": EVENTS}
CLICK = "click"


class Oddity(NamedTuple):
    """An oddity of a log: its count, its wording, and the first case.

    >>> Oddity("repeated-event", 2, "2 events came twice: one of each was left out").number
    2
    """

    code: str
    number: int
    says: str
    example: str = ""


@dataclass(frozen=True, eq=False)
class Log:
    """Result pages, what stood on them and what people did, as lazy frames: see `IMPRESSIONS`, `RESULTS`, `EVENTS`.

    All columns are there; what the source does not know is null. The frames may be of files larger than memory.

    >>> log = Log.from_pages([("q1", ["d1", "d2"], ["d2"]), ("q1", ["d1", "d2"], [])])
    >>> log
    <Log 'log': 2 result pages, 4 results, 1 click>
    """

    subject: ClassVar[str] = "clicks"

    impressions: pl.LazyFrame
    results: pl.LazyFrame
    events: pl.LazyFrame
    name: str = "log"
    #: A file's path, for messages.
    origin: str = _IN_MEMORY
    #: What was dropped or assumed when it was read, and why.
    remarks: tuple[str, ...] = ()
    #: What was odd, counted, as `assay.doctor` tells it.
    oddities: tuple[Oddity, ...] = ()

    @classmethod
    def of(
        cls,
        impressions: pl.DataFrame,
        results: pl.DataFrame,
        events: pl.DataFrame | None = None,
        *,
        name: str = "log",
        origin: str = _IN_MEMORY,
        remarks: Sequence[str] = (),
    ) -> Log:
        """Take frames with some of the columns; `impression` numbers the rows of `impressions` from 0.

        Without `clicks`, results are counted as clicked by the events; without events, these are made of `clicks`.
        """
        pages = complete(impressions, IMPRESSIONS, "impressions").sort("impression")
        if not (pages["impression"] == pl.int_range(pages.height, eager=True)).all():
            raise InputError(f"{origin}: `impression` numbers the result pages from 0, each once")
        listed = complete(results, RESULTS, "results").sort("impression", "rank")
        if not (listed["rank"].fill_null(0) >= 1).all():
            lowest = "none" if listed["rank"].null_count() else str(listed["rank"].min())
            raise InputError(f"{origin}: expected ranks that count from 1, got {lowest}")
        acts = events if events is not None else _clicks_of(listed)
        acts = complete(acts, EVENTS, "events").sort("impression", "time", maintain_order=True)
        for table in (listed, acts):
            if not table["impression"].is_between(0, pages.height - 1).all():
                raise InputError(f"{origin}: results and events are of result pages that are there")
        acts = with_stays(located(acts.lazy(), listed.lazy()).collect(), pages).select(*EVENTS)
        if listed["clicks"].null_count():
            listed = with_clicks(listed.lazy(), acts.lazy()).collect()
        if pages["n_results"].null_count():
            sizes = listed.group_by("impression").len("listed")
            pages = pages.join(sizes, on="impression", how="left").with_columns(
                n_results=pl.coalesce("n_results", "listed", 0).cast(pl.Int64)
            )
        return cls(
            pages.select(*IMPRESSIONS).lazy(), listed.lazy(), acts.lazy(), name=name, origin=origin,
            remarks=tuple(remarks),
        )  # fmt: skip

    @classmethod
    def from_pages(
        cls, pages: Iterable[tuple[str | None, Sequence[str], Sequence[str]]], *, name: str = "log",
        time: Sequence[datetime | None] | None = None, user_id: Sequence[str | None] | None = None,
        session_id: Sequence[str | None] | None = None, query_text: Sequence[str | None] | None = None,
        system: Sequence[str | None] | None = None, latency_ms: Sequence[float | None] | None = None,
        page: Sequence[int | None] | None = None, answered: Sequence[bool | None] | None = None,
    ) -> Log:  # fmt: skip
        """Make a log of a query, its results in order and the clicked ones in order, for each result page.

        The other columns of the pages have one value per page.
        """
        rows = list(pages)
        columns: dict[str, Sequence[Any] | None] = {
            "time": time, "user_id": user_id, "session_id": session_id, "query_text": query_text, "system": system,
            "latency_ms": latency_ms, "page": page, "answered": answered,
        }  # fmt: skip
        known = {column: list(values) for column, values in columns.items() if values is not None}
        for column, values in known.items():
            if len(values) != len(rows):
                raise ParameterError(f"{column} has {len(values)} values, there are {number_of('page', len(rows))}")
        impressions = pl.DataFrame(
            {"impression": range(len(rows)), "query_id": [query for query, _, _ in rows], **known}
        )
        results = [(page, rank, doc) for page, (_, docs, _) in enumerate(rows) for rank, doc in enumerate(docs, 1)]
        clicks = [(page, CLICK, doc) for page, (_, _, clicked) in enumerate(rows) for doc in clicked]
        return cls.of(
            impressions,
            pl.DataFrame(results, schema=["impression", "rank", "doc_id"], orient="row"),
            pl.DataFrame(clicks, schema=["impression", "action", "doc_id"], orient="row"),
            name=name,
        )

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of result pages, results and clicks."""
        clicks = self.events.filter(pl.col("action") == CLICK)
        counts = pl.collect_all([frame.select(pl.len()) for frame in (self.impressions, self.results, clicks)])
        pages, results, clicked = (int(count.item()) for count in counts)
        return pages, results, clicked

    @cached_property
    def known(self) -> frozenset[str]:
        """The columns that hold something, such as `impressions.time`."""
        frames = {"impressions": self.impressions, "results": self.results, "events": self.events}
        held = pl.collect_all([frame.select(pl.all().is_not_null().any()) for frame in frames.values()])
        return frozenset(
            f"{table}.{column}" for table, row in zip(frames, held, strict=True) for column in row.columns
            if row.height and row[column][0]
        )  # fmt: skip

    @property
    def unit_kind(self) -> str:
        """The unit that stands for a person: the user, else the session, else the result page."""
        if "impressions.user_id" in self.known:
            return "user"
        return "session" if "impressions.session_id" in self.known else "page"

    def __repr__(self) -> str:
        pages, results, clicks = (
            number_of(*each) for each in zip(("result page", "result", "click"), self.sizes, strict=True)
        )
        return f"<Log {self.name!r}: {pages}, {results}, {clicks}>"

    def where(self, pages: pl.Expr, remark: str | None = None) -> Log:
        """The pages for which an expression on `impressions` holds, numbered anew, with their results and events.

        >>> log = Log.from_pages([("q1", ["d1"], []), ("q2", ["d2"], ["d2"])])
        >>> log.where(pl.col("query_id") == "q2").results.collect()["doc_id"].to_list()
        ['d2']
        """
        kept = self.impressions.filter(pages).rename({"impression": "old"}).with_row_index("impression")
        kept = kept.with_columns(pl.col("impression").cast(pl.Int64))
        numbers = kept.select("old", "impression")
        results, events = (
            frame.rename({"impression": "old"})
            .join(numbers, on="old", how="inner", maintain_order="left")
            .select(*schema)
            for frame, schema in ((self.results, RESULTS), (self.events, EVENTS))
        )
        remarks = self.remarks if remark is None else (*self.remarks, remark)
        return replace(self, impressions=kept.select(*IMPRESSIONS), results=results, events=events, remarks=remarks)


def person(kind: str) -> pl.Expr:
    """The person behind a page, for all we know: its user (if that is the kind), else its session, else nobody else.

    >>> log = Log.from_pages([("q", [], [])] * 3, user_id=["ana", None, None], session_id=["s1", "s2", None])
    >>> log.impressions.select(person("user")).collect().to_series().to_list()
    ['ana', 'session s2', 'page 2']
    """
    alone = pl.format("page {}", "impression")
    session = pl.col("session_id")
    if kind == "user":
        return pl.coalesce("user_id", pl.format("session {}", session), alone)
    if kind != "session":
        return alone
    # Users may number their sessions, each from 1; sessions that were made of a user's pages have the user's name.
    has_name = session.str.starts_with(pl.format("{}#", "user_id"))
    both = pl.when(has_name).then(session).otherwise(pl.format("{} {}", "user_id", session))
    return pl.coalesce(both, session, alone)


def complete(frame: pl.DataFrame, schema: Mapping[str, Any], what: str) -> pl.DataFrame:
    """All columns of a table in its types; those that are not there are null, and one that it has not is refused."""
    for column in frame.columns:
        if column not in schema:
            raise ParameterError(f"{what} have no column {column!r}; they have {', '.join(schema)}")
    return in_schema(frame, schema)


def in_schema(frame: pl.DataFrame, schema: Mapping[str, Any]) -> pl.DataFrame:
    """The columns of a schema in their types; those that a frame lacks are null, and others are left out.

    >>> in_schema(pl.DataFrame({"rank": [1], "other": [2]}), {"rank": pl.Int64, "doc_id": pl.String}).rows()
    [(1, None)]
    """
    cells = {
        name: (pl.col(name) if name in frame.columns else pl.lit(None)).cast(kind) for name, kind in schema.items()
    }
    return frame.select(**cells) if frame.width else pl.DataFrame(schema=dict(schema))


def located(events: pl.LazyFrame, results: pl.LazyFrame) -> pl.LazyFrame:
    """Events with the rank and the document of the result that each is about; results are in order of their ranks.

    The document counts: where it stands on the page, at the stated rank if it stands there, else at its first place. An
    event without a document is about the result at its rank; one whose document was not shown has no rank.
    """
    place = ["impression", "rank"]
    first_there = pl.any_horizontal(pl.col(place).ne_missing(pl.col(place).shift()))
    there = results.select(*place, "doc_id").filter(first_there).drop_nulls("doc_id")
    there = there.rename({"rank": "at", "doc_id": "shown"})
    events = events.with_row_index("event")
    named = (
        events.join(there, left_on=["impression", "doc_id"], right_on=["impression", "shown"])
        .group_by("event")
        .agg(pl.col("at").min(), stated=pl.col("at").filter(pl.col("at") == pl.col("rank")).first())
        .select("event", at=pl.coalesce("stated", "at"))
    )
    nameless = events.filter(pl.col("doc_id").is_null()).select("event", *place, at="rank")
    nameless = nameless.join(there, left_on=place, right_on=["impression", "at"]).select("event", "at", "shown")
    return (
        events.join(pl.concat([named, nameless], how="diagonal"), on="event", how="left", maintain_order="left")
        .with_columns(rank="at", doc_id=pl.coalesce("doc_id", "shown"))
        .drop("event", "at", "shown")
    )


def with_clicks(results: pl.LazyFrame, events: pl.LazyFrame) -> pl.LazyFrame:
    """Results with how often each was clicked on its page; events know their ranks, see `located`."""
    clicks = events.filter(pl.col("action") == CLICK).group_by("impression", "rank").len("counted")
    joined = results.join(clicks, on=["impression", "rank"], how="left", maintain_order="left")
    return joined.with_columns(clicks=pl.col("counted").fill_null(0).cast(pl.Int64)).select(*RESULTS)


def with_stays(events: pl.DataFrame, pages: pl.DataFrame) -> pl.DataFrame:
    """Clicks whose dwell is not stated, with the time until the next click or page of their session.

    After the last one of a session, or of a page without a session, nobody knows; nor where a click comes before its
    page, by a clock that goes wrong.
    """
    if events["time"].null_count() == events.height:
        return events
    # Users may number their sessions, each from 1.
    session = pl.coalesce("session_id", pl.format("page {}", "impression"))
    sessions = pages.select("impression", "time", user="user_id", session=session, place=pl.lit(None, pl.UInt32))
    events = events.with_row_index("place")
    clicks = events.filter(pl.col("action") == CLICK).select("impression", "time", "place")
    clicks = clicks.join(sessions.drop("place"), on="impression")
    clicks = clicks.filter((pl.col("time") >= pl.col("time_right")).fill_null(True)).drop("time_right")
    steps = pl.concat([clicks, sessions], how="diagonal").drop_nulls("time")
    steps = steps.sort("user", "session", "time", "impression", "place")
    goes_on = pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift(-1)) for name in ("user", "session"))
    following = (pl.col("time").shift(-1) - pl.col("time")).dt.total_milliseconds().cast(pl.Float64)
    stays = steps.select("place", stay=pl.when(goes_on).then(following)).drop_nulls()
    events = events.join(stays, on="place", how="left", maintain_order="left")
    return events.with_columns(dwell_ms=pl.coalesce("dwell_ms", "stay")).drop("place", "stay")


def _clicks_of(results: pl.DataFrame) -> pl.DataFrame:
    """A click event for each click that results count."""
    clicked = results.filter(pl.col("clicks") > 0)
    return clicked.select(
        "impression", "doc_id", "rank", pl.col("clicks").repeat_by("clicks").alias("each")
    ).explode("each").select("impression", "doc_id", "rank", action=pl.lit(CLICK))  # fmt: skip
