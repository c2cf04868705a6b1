"""Preferences between pairs of documents, read off clicks by the strategies of Joachims et al."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from assay.core.domains import Choice
from assay.core.errors import InputError
from assay.measures.counting.click_counts import SHOWN
from assay.tables.log import CLICK, Log, person


class Strategy(NamedTuple):
    """A way to read preferences off a page: what it is called, and what a clicked document is preferred to."""

    title: str
    #: Whether the clicked document is preferred to another of its page (`other_...`); None: to what a session's last
    #: page showed.
    over: pl.Expr | None


def _pages(log: Log) -> pl.LazyFrame:
    """Results of pages with a click: their rank, whether they were clicked and, if so, as which click of the page.

    A document that a page shows twice stands at its first place, clicked if it was clicked at any.
    """
    order = (
        log.events.filter(pl.col("action") == CLICK, pl.col("doc_id").is_not_null())
        .with_columns(turn=pl.int_range(pl.len()).over("impression"))
        .group_by("impression", "doc_id")
        .agg(pl.col("turn").min(), latest=pl.col("turn").max())
    )
    results = log.results.filter(SHOWN).group_by("impression", "doc_id")
    rows = results.agg(pl.col("rank").min(), clicked=(pl.col("clicks") > 0).any())
    rows = rows.join(order, on=["impression", "doc_id"], how="left")
    rows = rows.with_columns(
        last=pl.col("rank").filter("clicked").max().over("impression"),
        is_last=pl.col("latest") == pl.col("latest").filter("clicked").max().over("impression"),
    )
    return rows.select("impression", "rank", "doc_id", "clicked", "turn", "last", "is_last")


def _preferred(log: Log, strategy: Strategy) -> pl.LazyFrame:
    """Clicked documents beside those (`other_doc_id`) that they are preferred to, page by page."""
    if strategy.over is None:
        return _chain(log)
    rows = _pages(log).filter(pl.col("last").is_not_null())
    others = rows.select("impression", pl.col("rank", "doc_id", "clicked", "turn").name.prefix("other_"))
    pairs = rows.filter("clicked").join(others, on="impression", how="inner").filter(strategy.over)
    return pairs.select("impression", "doc_id", "other_doc_id")


def _chain(log: Log) -> pl.LazyFrame:
    """Clicks on the next page of a session beside what was passed over on this one, for this one's query.

    Passed over: all above the last click that was not clicked; without a click, the first two.
    """
    session = ("user_id", "session_id")  # users may number their sessions, each from 1
    pages = log.impressions.drop_nulls(["session_id", "query_id"]).sort(*session, "time", "impression", nulls_last=True)
    follows = pl.col("impression", "query_id").shift(-1).over(session).name.prefix("next_")
    pages = pages.with_columns(follows).filter(pl.col("next_query_id") != pl.col("query_id"))
    rows = _pages(log)
    passed = rows.filter(
        ~pl.col("clicked")
        & pl.when(pl.col("last").is_null()).then(pl.col("rank") <= 2).otherwise(pl.col("rank") < pl.col("last"))
    )
    clicked = rows.filter("clicked").select(next_impression="impression", doc_id="doc_id")
    seen = passed.select("impression", other_doc_id="doc_id")
    pairs = (
        pages.select("impression", "next_impression").join(clicked, on="next_impression").join(seen, on="impression")
    )
    return pairs.filter(pl.col("doc_id") != pl.col("other_doc_id")).select("impression", "doc_id", "other_doc_id")


_SKIPPED = ~pl.col("other_clicked")
_SKIPPED_ABOVE = _SKIPPED & (pl.col("other_rank") < pl.col("rank"))
_EARLIER = pl.col("other_clicked") & (pl.col("other_turn") < pl.col("turn"))
#: The strategies by name, in the order of Joachims et al. (2005); the last is of Radlinski and Joachims (2005).
STRATEGIES = {
    "skip-above": Strategy("click > skip above", _SKIPPED_ABOVE),
    "last-click": Strategy("last click > skip above", _SKIPPED_ABOVE & pl.col("is_last")),
    "earlier-click": Strategy("click > earlier click", _EARLIER),
    "skip-previous": Strategy("click > skip previous", _SKIPPED & (pl.col("other_rank") == pl.col("rank") - 1)),
    "no-click-next": Strategy("click > no-click next", _SKIPPED & (pl.col("other_rank") == pl.col("rank") + 1)),
    "query-chain": Strategy("query chain", None),
}


def suited(log: Log) -> list[str]:
    """The strategies that a log has what it takes for: chains need sessions.

    >>> "query-chain" in suited(Log.from_pages([("q", ["a"], [])]))
    False
    """
    has_sessions = "impressions.session_id" in log.known
    return [name for name, strategy in STRATEGIES.items() if has_sessions or strategy.over is not None]


def preference_votes(log: Log, strategy: str = "skip-above") -> pl.DataFrame:
    """Preferences between documents, for each query: `query_id`, `doc_id`, `other`, `won`, `lost`, `pages`.

    A user has one vote on a pair of documents, whatever number of pages it rests on: the way most of these go; as many
    both ways is no vote, and a pair without a vote is left out. Without users that holds for sessions, and without
    these for pages. `pages` counts the pages with a preference, either way. The first document is the one with more
    votes, or the smaller id.

    >>> log = Log.from_pages([("q", ["a", "b", "c"], ["b"]), ("q", ["a", "b", "c"], ["c"])])
    >>> preference_votes(log).rows()
    [('q', 'b', 'a', 1, 0, 1), ('q', 'c', 'a', 1, 0, 1), ('q', 'c', 'b', 1, 0, 1)]
    """
    Choice(tuple(STRATEGIES)).check("strategy", strategy)
    if STRATEGIES[strategy].over is None and "impressions.session_id" not in log.known:
        raise InputError(f"{log.origin}: expected sessions, which chains of queries are read from, got none")
    pages = log.impressions.drop_nulls("query_id").select("impression", "query_id", voter=person(log.unit_kind))
    first = pl.col("doc_id") < pl.col("other_doc_id")
    pairs = _preferred(log, STRATEGIES[strategy]).unique().join(pages, on="impression", how="inner")
    pairs = pairs.select(
        "query_id", "voter",
        a=pl.when(first).then("doc_id").otherwise("other_doc_id"),
        b=pl.when(first).then("other_doc_id").otherwise("doc_id"),
        side=pl.when(first).then(1).otherwise(-1),
    )  # fmt: skip
    votes = pairs.group_by("query_id", "a", "b", "voter").agg(side=pl.col("side").sum().sign(), pages=pl.len())
    counts = votes.group_by("query_id", "a", "b").agg(
        up=(pl.col("side") > 0).sum().cast(pl.Int64), down=(pl.col("side") < 0).sum().cast(pl.Int64),
        pages=pl.col("pages").sum().cast(pl.Int64),
    )  # fmt: skip
    counts = counts.filter(pl.col("up") + pl.col("down") > 0)
    keep = pl.col("up") >= pl.col("down")
    table = counts.select(
        "query_id",
        doc_id=pl.when(keep).then("a").otherwise("b"), other=pl.when(keep).then("b").otherwise("a"),
        won=pl.max_horizontal("up", "down"), lost=pl.min_horizontal("up", "down"), pages="pages",
    )  # fmt: skip
    return table.sort("query_id", "doc_id", "other").collect(engine="streaming")


def judgment_votes(log: Log, grades: pl.DataFrame) -> pl.DataFrame:
    """People whose clicks go with and against the judgments of a query: `query_id`, `with`, `against`.

    On each page, a clicked document is compared with those above it that were not clicked; who mostly preferred the
    higher `grade` has a vote for the judgments, who mostly preferred the lower one has a vote against them.

    >>> log = Log.from_pages([("q", ["a", "b"], ["b"])] * 3 + [("q", ["b", "a"], ["a"])])
    >>> grades = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": [0.0, 1.0]})
    >>> judgment_votes(log, grades).rows()
    [('q', 3, 1)]
    """
    known = grades.lazy().select("query_id", "doc_id", "grade")
    others = known.rename({"doc_id": "other_doc_id", "grade": "other_grade"})
    pages = log.impressions.drop_nulls("query_id").select("impression", "query_id", voter=person(log.unit_kind))
    pairs = _preferred(log, STRATEGIES["skip-above"]).join(pages, on="impression", how="inner")
    pairs = pairs.join(known, on=["query_id", "doc_id"]).join(others, on=["query_id", "other_doc_id"])
    sides = pairs.group_by("query_id", "voter").agg(side=(pl.col("grade") - pl.col("other_grade")).sign().sum().sign())
    votes = sides.group_by("query_id").agg(
        (pl.col("side") > 0).sum().cast(pl.Int64).alias("with"),
        (pl.col("side") < 0).sum().cast(pl.Int64).alias("against"),
    )
    return votes.sort("query_id").collect(engine="streaming")
