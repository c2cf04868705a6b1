"""Impressions and clicks by document, query and rank; queries that are the same; expected clicks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from assay.core.errors import InputError, number_of
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.tables import Run
from assay.tables.log import IMPRESSIONS, Log, person

#: A result that was shown for all we know: some logs say which ones never came into view. What was clicked did.
SHOWN = pl.col("seen").fill_null(value=True) | (pl.col("clicks") > 0)


def normalised(text: pl.Expr) -> pl.Expr:
    """A query as it is compared with others: compatible characters alike, in lower case, blanks single.

    >>> pl.DataFrame({"q": ["  Bike\\tLight ", "bike light"]}).select(normalised(pl.col("q"))).to_series().to_list()
    ['bike light', 'bike light']
    """
    return text.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


#: The query of a page, as it is compared with those of other pages.
QUERY = normalised(pl.coalesce("query_text", "query_id"))


def by_query_text(log: Log) -> tuple[Log, pl.DataFrame]:
    """Give pages whose queries read alike one query, and say which were merged: `query_id`, `written`, `pages`.

    The query is called by the most frequent of their ids, or by its text where there are none. Pages without a text
    keep their id.

    >>> pages = [("a", ["d"], []), ("a", ["d"], []), ("b", ["d"], [])]
    >>> log = Log.from_pages(pages, query_text=["bike light", "Bike Light", "bike  light"])
    >>> merged, table = by_query_text(log)
    >>> table.rows()
    [('a', 'Bike Light', 1), ('a', 'bike  light', 1), ('a', 'bike light', 1)]
    """
    pages = log.impressions.with_columns(alike=normalised(pl.col("query_text")))
    votes = (
        pages.drop_nulls("alike").group_by("alike", "query_id").len().sort("len", "query_id", descending=[True, False])
    )
    names = votes.group_by("alike", maintain_order=True).agg(name=pl.col("query_id").drop_nulls().first())
    names = names.with_columns(pl.coalesce("name", "alike").alias("name"))
    pages = pages.join(names, on="alike", how="left", maintain_order="left")
    pages = pages.with_columns(query_id=pl.coalesce("name", "query_id"))
    written = pages.drop_nulls("alike").group_by("query_id", pl.col("query_text").alias("written")).agg(pages=pl.len())
    merges = written.filter(pl.len().over("query_id") > 1).sort("query_id", "written").collect()
    return replace(log, impressions=pages.select(*IMPRESSIONS)), merges


def with_query_ids(log: Log) -> Log:
    """The same log, with the text of a query as its id where it has no other; pages without a query are left out.

    >>> log = Log.from_pages([(None, ["d"], [])], query_text=["bike light"])
    >>> with_query_ids(log).impressions.collect()["query_id"].to_list()
    ['bike light']
    """
    if not log.known & {"impressions.query_id", "impressions.query_text"}:
        raise InputError(f"{log.origin}: expected queries, by id or by text, got none")
    query = pl.coalesce("query_id", "query_text")
    named = replace(log, impressions=log.impressions.with_columns(query_id=query))
    nameless = int(named.impressions.select(pl.col("query_id").is_null().sum()).collect().item())
    if not nameless:
        return named
    return named.where(
        pl.col("query_id").is_not_null(), f"{number_of('result page', nameless)} without a query: left out"
    )


def click_cells(log: Log) -> pl.DataFrame:
    """Impressions and clicks of each document at each rank for each query, in the order of their names.

    A click is a page on which the document was clicked at least once; results that were never on the screen, where the
    log knows it, do not count as shown.

    >>> log = Log.from_pages([("q", ["a", "b"], ["b"]), ("q", ["b", "a"], ["b", "b"])])
    >>> click_cells(log).rows()
    [('q', 'a', 1, 1, 0), ('q', 'a', 2, 1, 0), ('q', 'b', 1, 1, 1), ('q', 'b', 2, 1, 1)]
    """
    queries = log.impressions.select("impression", "query_id")
    results = log.results.filter(SHOWN).join(queries, on="impression", how="inner")
    cells = results.group_by("query_id", "doc_id", "rank").agg(
        impressions=pl.len().cast(pl.Int64), clicks=(pl.col("clicks") > 0).sum().cast(pl.Int64)
    )
    return cells.drop_nulls("query_id").sort("query_id", "doc_id", "rank").collect(engine="streaming")


def rank_rates(cells: pl.DataFrame) -> pl.DataFrame:
    """Impressions, clicks and click-through rate of each rank, over all queries.

    >>> rank_rates(click_cells(Log.from_pages([("q", ["a", "b"], ["b"]), ("q", ["a", "b"], ["a", "b"])]))).rows()
    [(1, 2, 1, 0.5), (2, 2, 2, 1.0)]
    """
    totals = cells.group_by("rank").agg(pl.col("impressions", "clicks").sum()).sort("rank")
    return totals.with_columns(rate=pl.col("clicks") / pl.col("impressions"))


def expected_clicks(cells: pl.DataFrame) -> pl.DataFrame:
    """Clicks of each document for each query, and how many it would have had if it were as good as any at its ranks.

    Expected clicks are the sum over ranks of how often it was shown there, times the rate of that rank: not its
    impressions times the rate of the best rank that it ever had.

    >>> log = Log.from_pages([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], []), ("q", ["b", "a"], ["a"])])
    >>> expected_clicks(click_cells(log)).rows()  # a: once at rank 1, twice at rank 2; both rates are 1/3
    [('q', 'a', 3, 2, 1.0), ('q', 'b', 3, 0, 1.0)]
    """
    rates = rank_rates(cells).select("rank", "rate")
    rows = cells.join(rates, on="rank", how="left", maintain_order="left")
    return rows.group_by("query_id", "doc_id", maintain_order=True).agg(
        pl.col("impressions", "clicks").sum(), expected=(pl.col("impressions") * pl.col("rate")).sum()
    )


@dataclass(frozen=True, eq=False)
class LoggedPages:
    """The pages of queries that a ranking answers, one row per document of a page.

    Results of which the log says that nobody saw them are there, too: how far users look is what examination says.
    `new_rank` is 0 where the ranking does not have the document within the cut-off. `wanted`: one row per query and
    document of the ranking within the cut-off, with its rank and whether the log ever shows it. Propensities are NaN
    where they were not logged.

    >>> log = Log.from_pages([("q", ["a", "b"], ["b"])])
    >>> pages = LoggedPages.from_tables(log, Run.of({"q": {"b": 2.0, "c": 1.0}}), cutoff=2)
    >>> pages.old_rank, pages.new_rank, pages.clicked, pages.wanted["shown"].to_list()
    (array([1, 2]), array([0, 1]), array([False,  True]), [True, False])
    """

    page: Ints
    document: Ints
    old_rank: Ints
    new_rank: Ints
    clicked: Mask
    propensity: Floats
    #: The query and the person of each page, by number.
    query: Ints
    unit: Ints
    wanted: pl.DataFrame
    cutoff: int
    left_out: int

    @property
    def pages(self) -> int:
        """The number of pages."""
        return len(self.query)

    @cached_property
    def has_propensities(self) -> Mask:
        """True if any page has propensities."""
        return np.isin(np.arange(self.pages), self.page[~np.isnan(self.propensity)])

    @property
    def depth(self) -> Ints:
        """The number of documents in the ranking for the query of each page, within the cut-off."""
        sizes = self.wanted.group_by("query_id").agg(pl.len().cast(pl.Int64)).sort("query_id")["len"].to_numpy()
        return sizes[self.query]

    @classmethod
    def from_tables(cls, log: Log, run: Run, cutoff: int = 10) -> LoggedPages:
        """Pair the pages of a log with what a run returns for their queries, best scores first."""
        best = run.frame.sort("query_id", "score", "doc_id", descending=[False, True, True])
        best = best.unique(["query_id", "doc_id"], keep="first", maintain_order=True)
        best = best.with_columns(new=pl.int_range(1, pl.len() + 1).over("query_id")).filter(pl.col("new") <= cutoff)
        pages = log.impressions.select("impression", "query_id", person=person(log.unit_kind)).collect()
        answered = pages.filter(pl.col("query_id").is_in(best["query_id"].unique().implode()))
        if not answered.height:
            raise InputError(f"{run.origin}: expected queries of {log.origin}, got none of them")
        numbers = answered.with_columns(
            page=pl.int_range(pl.len()),
            query=pl.col("query_id").rank("dense").cast(pl.Int64) - 1,
            unit=pl.col("person").rank("dense").cast(pl.Int64) - 1,
        )
        rows = log.results.join(numbers.select("impression", "page", "query_id").lazy(), on="impression")
        rows = rows.join(best.select("query_id", "doc_id", "new").lazy(), on=["query_id", "doc_id"], how="left")
        # A document that a page shows twice counts once: where it was clicked, or else where it stands first.
        rows = rows.sort("page", pl.col("clicks") == 0, "rank")
        rows = rows.unique(["page", "doc_id"], keep="first", maintain_order=True)
        results = rows.sort("page", "rank", maintain_order=True).collect()
        odd = results.filter(~((pl.col("propensity") > 0) & (pl.col("propensity") <= 1)))["propensity"]
        if len(odd):
            raise InputError(f"{log.origin}: expected propensities above 0 and at most 1, got {odd[0]:g}")
        pairs = results.select("query_id", "doc_id").unique().with_columns(shown=pl.lit(value=True))
        wanted = best.filter(pl.col("query_id").is_in(answered["query_id"].unique().implode()))
        wanted = wanted.join(pairs, on=["query_id", "doc_id"], how="left", maintain_order="left")
        traffic = numbers.group_by("query_id").agg(pages=pl.len())
        wanted = wanted.with_columns(pl.col("shown").fill_null(value=False)).join(traffic, on="query_id", how="left")
        document = results.select(pl.struct("query_id", "doc_id").rank("dense").cast(pl.Int64) - 1).to_series()
        return cls(
            results["page"].to_numpy(), document.to_numpy(), results["rank"].to_numpy(),
            results["new"].fill_null(0).cast(pl.Int64).to_numpy(), (results["clicks"] > 0).to_numpy(),
            results["propensity"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
            numbers["query"].to_numpy(), numbers["unit"].to_numpy(),
            wanted.select("query_id", "doc_id", rank="new", shown="shown", pages="pages"), cutoff,
            pages.height - answered.height,
        )  # fmt: skip
