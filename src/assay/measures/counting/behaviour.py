"""`BehaviourCounts`: what people did on result pages, summed over each user, session or page of a log.

A measure names the sums that it needs as expressions on a page's columns; the sums of all measures are made
in one pass. The log is gone through part by part, a part being all pages of some of the units, so that what is held in
memory grows with the units and not with the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Choice
from assay.core.errors import InputError
from assay.measures.counting.click_counts import QUERY, SHOWN
from assay.measures.counting.judgments import Floats
from assay.measures.steps import PerUnit, quantity, unknown
from assay.tables.log import CLICK, Log, person

if TYPE_CHECKING:
    from assay.measures.registry import Measure

UnitName: TypeAlias = Literal["user", "session", "page"]

#: About so many pages are gone through at a time.
PAGES_AT_A_TIME = 1_000_000
#: What is known of a page besides what the log says of it. `highest` and `lowest` are ranks of clicks; `skipped`
#: results were shown above the lowest and not clicked; `wait` is in seconds, and null where the first click came before
#: the page; a page `is_new` if the one before it in the session was of another query; `in_common` is the share of the
#: words of two queries, the page's own and the next one's, that both have.
_OF_CLICKS = ("clicks", "highest", "lowest", "first_rank", "last_rank", "rank_sum", "ranked", "skipped", "wait")
_OF_SESSIONS = ("starts", "is_new", "until_next", "next_is_new", "in_common", "session")
_MEANT = pl.col("meant")
#: What a log may not know, in words.
_LACKS = {
    "impressions.time": "the log has no times of pages",
    "events.time": "the log has no times of clicks",
    "events.rank": "the log has no ranks of clicks",
    "events.dwell_ms": "the log has no dwell times",
    "impressions.session_id": "the log has no sessions",
    "impressions.answered": "the log does not say whether an answer stood on the page",
    "impressions.latency_ms": "the log has no latencies",
    "impressions.page": "the log does not number the pages of results",
    "dwell": "the log has neither dwell times nor times of clicks",
}


@dataclass(frozen=True, eq=False)
class BehaviourCounts:
    """Sums over the pages of each unit of a log: those of one system, or of one segment, where they are `split`.

    >>> log = Log.from_pages([("q1", ["d1", "d2"], ["d2"]), ("q2", ["d3"], [])], user_id=["ana", "ana"])
    >>> counts = BehaviourCounts.of(log)
    >>> counts.units, counts.total("clicks", pl.col("clicks")).values
    (('ana',), array([1.]))
    """

    vocabularies: ClassVar[tuple[str, ...]] = ("behaviour",)
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "what users did on result pages"

    log: Log
    unit_kind: UnitName
    #: Which pages are meant; None: all.
    where: pl.Expr | None = None
    #: How many parts the units are divided into.
    parts: int = 1
    #: Sums by what they are of, in the order of `people`.
    _sums: dict[str, Floats] = field(default_factory=dict)
    _people: list[pl.Series] = field(default_factory=list)
    #: Columns that are sums over the clicks of a page, by name.
    _of_clicks: dict[str, pl.Expr] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Log, unit: str | None = None) -> BehaviourCounts:
        """Count by user, session or page; unless told, by the first of these that the log has."""
        kind: UnitName = Choice(UnitName).check("unit", log.unit_kind if unit is None else unit)
        if f"impressions.{kind}_id" not in log.known and kind != "page":
            raise InputError(f"{log.origin}: expected a column of {kind}s to count by, got none")
        pages = int(log.impressions.select(pl.len()).collect().item())
        return cls(log, kind, parts=max(1, -(-pages // PAGES_AT_A_TIME)))

    @property
    def people(self) -> pl.Series:
        """The units by name, in order."""
        if not self._people:
            self._count({})
        return self._people[0]

    @property
    def units(self) -> tuple[str, ...]:
        """The units by name, in order."""
        return tuple(self.people)

    @cached_property
    def known(self) -> frozenset[str]:
        """The columns of the log that hold something; `dwell` where it is logged, or follows from times.

        Where nobody clicked, all is known of clicks: there are none.
        """
        known = self.log.known if self.log.sizes[2] else self.log.known | {"events.rank", "events.time"}
        return known | {"dwell"} if known & {"events.dwell_ms", "events.time"} else known

    def total(self, text: str, amount: pl.Expr, *needs: str, when_zero: str = "0/0") -> PerUnit:
        """An amount of each page summed over the pages of each unit; unknown if the log lacks what it needs."""
        for column in needs:
            if column not in self.known:
                return unknown(text, self._size, _LACKS[column])
        return quantity(text, self._column(amount), when_zero)

    def over_clicks(self, name: str, amount: pl.Expr) -> pl.Expr:
        """A page's sum of an amount of each of its clicks: of `dwell` (seconds), `goes_elsewhere`, `is_last`."""
        self._of_clicks[name] = amount
        return pl.col(name).fill_null(0)

    def split(
        self, by: Mapping[str, pl.Expr], measures: Iterable[Measure] = ()
    ) -> dict[tuple[Any, ...], BehaviourCounts]:
        """Counts of the pages that share a value of each of these columns, with the sums of measures, in one pass."""
        wanted = self._wanted(measures)
        frame = self._frame(wanted, by)
        counts: dict[tuple[Any, ...], BehaviourCounts] = {}
        for values, group in sorted(frame.partition_by(*by, as_dict=True).items(), key=lambda each: _order(each[0])):
            where = pl.lit(True) if self.where is None else self.where
            for expression, value in zip(by.values(), values, strict=True):
                where = where & expression.eq_missing(pl.lit(value))
            counts[values] = replace(
                self, where=where, _people=[group["unit"]], _of_clicks=dict(self._of_clicks),
                _sums={key: group[name].to_numpy() for key, name in _aliases(wanted).items()},
            )  # fmt: skip
        return counts

    def by_rank(self, deepest: int) -> pl.DataFrame:
        """Of each rank, how many results each unit was shown there, and how many of these it clicked."""
        frames = []
        for part in range(self.parts):
            pages = self._base(part).filter(_MEANT).select("impression", "unit")
            results = self.log.results.filter(SHOWN, pl.col("rank") <= deepest).join(pages, on="impression")
            sums = results.group_by("rank", "unit").agg(shown=pl.len(), clicked=(pl.col("clicks") > 0).sum())
            frames.append(sums.collect(engine="streaming"))
        return pl.concat(frames).sort("rank", "unit")

    def within(self, log: Log) -> BehaviourCounts:
        """The same pages of a log with further columns; nothing of it is counted yet."""
        return BehaviourCounts(log, self.unit_kind, self.where, self.parts)

    def outline(self) -> Outline:
        """Counts that are empty, and only note what is asked for."""
        return Outline(self.log, self.unit_kind, self.where, self.parts, self._sums, self._people, self._of_clicks)

    def _wanted(self, measures: Iterable[Measure]) -> dict[str, pl.Expr]:
        """The sums that measures ask for."""
        outline = self.outline()
        for each in measures:
            each.per_unit(outline)
        return outline.wanted

    @property
    def _size(self) -> int:
        return len(self.people)

    def _column(self, amount: pl.Expr) -> Floats:
        key = str(amount)
        if key not in self._sums:
            self._count({key: amount})
        return self._sums[key]

    def _count(self, wanted: Mapping[str, pl.Expr]) -> None:
        missing = {key: amount for key, amount in wanted.items() if key not in self._sums}
        if self._people and not missing:
            return
        frame = self._frame(missing, {})
        self._people[:] = [frame["unit"]]
        self._sums.update({key: frame[name].to_numpy() for key, name in _aliases(missing).items()})

    def _frame(self, wanted: Mapping[str, pl.Expr], by: Mapping[str, pl.Expr]) -> pl.DataFrame:
        """A row per unit, and per value of `by`, with the sums."""
        names = _aliases(wanted)
        columns = {names[key]: amount.cast(pl.Float64) for key, amount in wanted.items()}
        frames = []
        for part in range(self.parts):
            pages = self._pages(part, {name for amount in wanted.values() for name in amount.meta.root_names()})
            rows = pages.select("unit", _MEANT, **by, **columns).filter(_MEANT)
            sums = rows.group_by("unit", *by).agg(pl.col(*columns).sum() if columns else pl.len())
            frames.append(sums.collect(engine="streaming"))
        return pl.concat(frames).sort("unit")

    def _base(self, part: int) -> pl.LazyFrame:
        """The pages of a part, with the unit and the `person` that each is of, and whether it is meant."""
        pages = self.log.impressions.with_columns(
            person=person("user" if self.unit_kind == "page" else self.unit_kind),
            meant=pl.lit(True) if self.where is None else self.where,
        )
        unit = pl.col("impression").cast(pl.String) if self.unit_kind == "page" else pl.col("person")
        # All pages of a session are in one part.
        pages = pages if self.parts == 1 else pages.filter(pl.col("person").hash(seed=0) % self.parts == part)
        return pages.with_columns(unit=unit)

    def _pages(self, part: int, roots: Iterable[str]) -> pl.LazyFrame:
        """The pages of a part with the columns that are asked for; others than those meant are of their sessions."""
        names = set(roots)
        pages = self._base(part)
        amounts = {name: amount for name, amount in self._of_clicks.items() if name in names}
        pages = _with_sessions(pages) if amounts or names & set(_OF_SESSIONS) else pages.filter(_MEANT)
        if amounts or names & set(_OF_CLICKS):
            pages = pages.join(self._clicks(pages, amounts), on="impression", how="left")
            waited = (pl.col("first_time") - pl.col("time")).dt.total_milliseconds() / 1000
            pages = pages.with_columns(wait=pl.when(waited >= 0).then(waited), clicks=pl.col("clicks").fill_null(0))
        if "skipped" in names:
            results = self.log.results.filter(SHOWN, pl.col("clicks") == 0)
            above = results.join(pages.select("impression", "lowest"), on="impression").filter(
                pl.col("rank") < pl.col("lowest")
            )
            pages = pages.join(above.group_by("impression").agg(skipped=pl.len()), on="impression", how="left")
        return pages

    def _clicks(self, pages: pl.LazyFrame, amounts: Mapping[str, pl.Expr]) -> pl.LazyFrame:
        """Clicks page by page."""
        clicks = self.log.events.filter(pl.col("action") == CLICK).with_row_index("order")
        rank = pl.col("rank")
        if amounts:
            whose = ["person", "session"]
            about = pages.select("impression", "goes_on", "ends", *whose, shown="time")
            clicks = clicks.join(about, on="impression", maintain_order="left")
            clicks = clicks.with_columns(
                has_next=(pl.col("impression") == pl.col("impression").shift(-1)).fill_null(value=False),
                repeats=pl.all_horizontal(each.eq_missing(each.shift(-1)) for each in (rank, pl.col("doc_id"))),
            )
            # People go back to an earlier page: what is last in a session may not be on its last page.
            last = pl.col("order").sort_by(pl.coalesce("time", "shown"), "order").last().over(whose)
            clicks = clicks.with_columns(
                dwell=pl.col("dwell_ms") / 1000,
                goes_elsewhere=pl.col("has_next") & ~pl.col("repeats"),
                is_last=(pl.col("order") == last)
                & (~pl.col("goes_on") | (pl.col("time") >= pl.col("ends")).fill_null(value=False)),
            )
        elif self.where is not None or self.parts > 1:
            clicks = clicks.join(pages.select("impression"), on="impression", how="semi")
        in_order = rank.sort_by("order").drop_nulls()
        return clicks.group_by("impression").agg(
            clicks=pl.len(), highest=rank.min(), lowest=rank.max(), first_rank=in_order.first(),
            last_rank=in_order.last(), rank_sum=rank.sum(), ranked=rank.count(), first_time=pl.col("time").min(),
            **{name: amount.cast(pl.Int64).sum() for name, amount in amounts.items()},
        )  # fmt: skip


class Outline(BehaviourCounts):
    """Counts that only note which sums are asked for: a measure of them is undefined where the log lacks something.

    >>> log = Log.from_pages([("q1", ["d1"], ["d1"])])
    >>> list(BehaviourCounts.of(log).outline().total("clicks", pl.col("clicks"), "events.time").undefined)
    ['the log has no times of clicks']
    """

    @cached_property
    def wanted(self) -> dict[str, pl.Expr]:
        """The sums, by what they are of."""
        return {}

    @property
    def _size(self) -> int:
        return 0

    def _column(self, amount: pl.Expr) -> Floats:
        self.wanted[str(amount)] = amount
        return np.zeros(0)


def _with_sessions(pages: pl.LazyFrame) -> pl.LazyFrame:
    """Pages in the order of their sessions, with what came before and after; without a session, a page is its own."""
    session = pl.coalesce("session_id", pl.format("page {}", "impression"))
    ordered = pages.with_columns(text=QUERY, session=session).sort(
        "person", "session", "time", "impression", nulls_last=True
    )

    def beside(step: int) -> tuple[pl.Expr, pl.Expr]:
        whose = (pl.col("person"), pl.col("session"))
        same = pl.all_horizontal(each == each.shift(step) for each in whose)
        return same.fill_null(value=False), pl.col("text").shift(step)

    (follows, before), (goes_on, after) = beside(1), beside(-1)
    words, next_words = pl.col("text").str.split(" "), after.str.split(" ")
    shared, all_words = (each.list.len() for each in (words.list.set_intersection(next_words),
                                                      words.list.set_union(next_words)))  # fmt: skip
    return ordered.with_columns(
        starts=~follows,
        goes_on=goes_on,
        is_new=~follows | pl.col("text").ne_missing(before),
        next_is_new=goes_on & pl.col("text").ne_missing(after),
        in_common=pl.when(goes_on).then(shared / all_words),
        until_next=pl.when(goes_on).then(pl.col("time").shift(-1) - pl.col("time")).dt.total_milliseconds() / 1000,
        ends=pl.col("time").max().over("person", "session"),
    )


def _aliases(wanted: Mapping[str, pl.Expr]) -> dict[str, str]:
    return {key: f"sum {place}" for place, key in enumerate(wanted)}


def _order(values: Sequence[Any]) -> tuple[tuple[bool, str], ...]:
    return tuple((value is None, "" if value is None else str(value)) for value in values)
