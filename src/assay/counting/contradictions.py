"""Where the ranks of a run say another order than its scores, and where the two columns are exchanged."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from assay.counting.judgments import Ints

#: Shorter queries say little about what their columns are.
_LEAST_DOCUMENTS = 3


class Contradictions(NamedTuple):
    """Rows at which a score rises from a rank to the next, the rows before them, and queries that only rise."""

    rows: Ints
    before: Ints
    queries: list[str]
    upside_down: int
    several: int


NO_CONTRADICTIONS = Contradictions(np.zeros(0, np.int64), np.zeros(0, np.int64), [], 0, 0)


def contradictions(frame: pl.DataFrame) -> Contradictions:
    """Where the rank column says another order than the scores: a worse rank with a higher score.

    >>> found = contradictions(pl.DataFrame({"query_id": ["q", "q"], "rank": [1.0, 2.0], "score": [3.0, 4.0]}))
    >>> found.queries, found.upside_down
    (['q'], 1)
    """
    query = frame["query_id"].rle_id().to_numpy()
    rank, score = frame["rank"].to_numpy(), frame["score"].to_numpy()
    same = query[1:] == query[:-1]
    if not len(query):
        return NO_CONTRADICTIONS
    in_order = not (same & ((rank[1:] <= rank[:-1]) | (score[1:] > score[:-1]))).any()
    # Queries that are split over the file would be several stretches: sorting by name puts them together.
    if in_order and int(query[-1]) + 1 == frame["query_id"].n_unique():
        return NO_CONTRADICTIONS
    query = frame["query_id"].rank("dense").to_numpy().astype(np.int64)
    # By rank, and within a rank the highest score first: then a score rises only from a rank to the next one.
    order = np.lexsort((-score, rank, query))
    same = np.diff(query[order]) == 0
    after, before = score[order][1:], score[order][:-1]
    rises, falls = same & (after > before), same & (after < before)
    later, earlier = order[1:][rises], order[:-1][rises]
    rising, falling = np.unique(query[later]), np.unique(query[order[1:][falls]])
    first = np.sort(np.unique(query[later], return_index=True)[1])
    queries = frame["query_id"].gather(later[first]).to_list() if len(later) else []
    several = len(np.unique(query[order[1:][same]]))
    at = np.argsort(later, kind="stable")
    return Contradictions(later[at], earlier[at], queries, len(np.setdiff1d(rising, falling)), several)


def swapped_queries(frame: pl.DataFrame) -> tuple[int, int]:
    """Queries in which scores count 1, 2, 3 ... while ranks fall as scores should; and how many could be such.

    >>> swapped_queries(pl.DataFrame({"query_id": ["q"] * 3, "rank": [9.5, 7.1, 3.0], "score": [1.0, 2.0, 3.0]}))
    (1, 1)
    """
    rank, score = pl.col("rank"), pl.col("score")
    queries = frame.group_by("query_id").agg(
        count=pl.len(),
        counts=(score.n_unique() == pl.len()) & (score.min() == 1) & (score.max() == pl.len()),
        # Ranks that stand side by side are ranks, in whatever order.
        spread=(rank.max() - rank.min() + 1 != pl.len()) | (rank.floor() != rank).any(),
        falls=(rank.sort_by(score).diff().drop_nulls() <= 0).all(),
    )
    queries = queries.filter(pl.col("count") >= _LEAST_DOCUMENTS)
    return queries.filter("counts", "spread", "falls").height, queries.height
