"""`LoggedPages`: result pages of a log beside a new ranking: what was shown where, clicked, and where it would be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.errors import InputError
from assay.measures.counting.click_counts import SHOWN
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.tables import Run
from assay.tables.log import Log, person


@dataclass(frozen=True, eq=False)
class LoggedPages:
    """The pages of queries that a ranking answers, one row per result that was shown.

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
        """How many pages there are."""
        return len(self.query)

    @property
    def depth(self) -> Ints:
        """How many documents the ranking has for the query of each page, within the cut-off."""
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
        rows = log.results.filter(SHOWN).join(numbers.select("impression", "page", "query_id").lazy(), on="impression")
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
