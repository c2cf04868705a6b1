"""The results of a run in clusters, and the order in which they are read: cluster by cluster."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import polars as pl

from assay.core.domains import Choice
from assay.core.errors import ParameterError, number_of
from assay.counting.policies import DEFAULT_POLICIES, Policies
from assay.tables import Batches, Run

#: Which cluster is read first: that of the best document, the largest, or the one with the largest mean score.
Order: TypeAlias = Literal["best-rank", "size", "mean-score"]
ORDERS: tuple[str, ...] = get_args(Order)
SAID = {
    "best-rank": "clusters by the rank of their best document",
    "size": "clusters by their size, the largest first",
    "mean-score": "clusters by the mean score of their documents",
}


def grouped(
    run: Batches, clusters: pl.DataFrame, rules: Policies = DEFAULT_POLICIES
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The results of each query with rank and cluster, and what was odd; one without a cluster is alone in its own.

    Documents are ranked as the measures rank them under the same rules.

    >>> run = Run.of({"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})
    >>> grouped(run, pl.DataFrame({"doc_id": ["d1", "d3"], "cluster": ["a", "a"]}))[0].rows()
    [('q', 'd1', 3.0, 1, 'a'), ('q', 'd2', 2.0, 2, '(alone) d2'), ('q', 'd3', 1.0, 3, 'a')]
    """
    ranked = _ranked(run, rules).with_columns(rank=pl.int_range(1, pl.len() + 1).over("query_id"))
    keys = [name for name in ("query_id", "doc_id") if name in clusters.columns]
    clustered = ranked.join(clusters, on=keys, how="left", maintain_order="left")
    alone = int(clustered["cluster"].null_count())
    remarks = []
    if alone:
        remarks.append(
            f"{number_of('result', alone)} of {clustered.height:,} without a cluster: each is read on its own"
        )
    if alone == clustered.height:
        raise ParameterError("no result of the run has a cluster: are these the clusters of its documents?")
    mark = "(alone) "
    while clustered["cluster"].str.starts_with(mark).any():
        mark = f"({mark})"  # a name that no cluster has already
    return clustered.with_columns(pl.col("cluster").fill_null(pl.concat_str(pl.lit(mark), "doc_id"))), tuple(remarks)


def _ranked(run: Batches, rules: Policies) -> pl.DataFrame:
    """The documents of each query, the best first, each once."""
    if rules.ties == "expected":
        raise ParameterError("ties='expected' is about all orders, and clusters are read in one: choose another rule")
    score = pl.col("score").cast(pl.Float32 if rules.score_precision == "single" else pl.Float64).cast(pl.Float64)
    pieces = run.batches(lambda frame: frame.select("query_id", "doc_id", score), rules.rank_by)
    rows = pl.concat(list(pieces))
    if rules.duplicates != "error":
        rows = rows if rules.duplicates == "first" else _best_first(rows)
        rows = rows.unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    if rules.ties != "input_order":
        rows = rows.sort("doc_id", descending=rules.ties == "doc_id_descending")
    return _best_first(rows)


def _best_first(rows: pl.DataFrame) -> pl.DataFrame:
    """By query and falling score; what is alike in both stays in its order."""
    return rows.sort("query_id", "score", descending=[False, True], maintain_order=True)


def flat_run(clustered: pl.DataFrame, name: str) -> Run:
    """The run as it was, its ranks settled.

    >>> run = Run.of({"q": {"d1": 3.0, "d2": 3.0}})
    >>> flat_run(grouped(run, pl.DataFrame({"doc_id": ["d1"], "cluster": ["a"]}))[0], "flat").frame.rows()
    [('q', 'd2', -1.0), ('q', 'd1', -2.0)]
    """
    return Run(clustered.select("query_id", "doc_id", score=-pl.col("rank").cast(pl.Float64)), name)


def read_in_order(clustered: pl.DataFrame, order: str, name: str) -> Run:
    """The run as it is read cluster by cluster: clusters in an order, documents within each by rank.

    >>> run = Run.of({"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})
    >>> both = grouped(run, pl.DataFrame({"doc_id": ["d1", "d2", "d3"], "cluster": ["a", "b", "a"]}))[0]
    >>> read_in_order(both, "best-rank", "read").frame["doc_id"].to_list()
    ['d1', 'd3', 'd2']
    """
    Choice(ORDERS).check("order", order)
    keys = ["query_id", "cluster"]
    by = {
        "best-rank": pl.col("rank").min().over(keys),
        "size": -pl.len().cast(pl.Int64).over(keys),
        "mean-score": -pl.col("score").mean().over(keys),
    }[order]
    placed = clustered.with_columns(_by=by, _best=pl.col("rank").min().over(keys))
    # Of clusters that are alike in this, the one with the better best document comes first.
    read = placed.sort("query_id", "_by", "_best", "rank")
    score = -pl.int_range(1, pl.len() + 1).over("query_id").cast(pl.Float64)
    return Run(read.select("query_id", "doc_id", score=score), name)
