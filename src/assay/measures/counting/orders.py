"""Other orders of a ranking: what ranks say against scores, ties at their best and worst, the ranking from its end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from assay.measures.counting.graded import Graded, place_in_group
from assay.measures.counting.judgments import Ints
from assay.measures.counting.ranks import Ranks

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


def reordered(hits: Graded, *, best: bool) -> Graded:
    """Documents with equal scores in the order that serves the system best, or worst.

    >>> columns = [np.array(column) for column in ([0, 0], [1, 2], [0.0, 1.0], [1, 1], [3, 3], [0, 1])]
    >>> reordered(Graded(*columns), best=True).rank, reordered(Graded(*columns), best=False).rank
    (array([1, 3]), array([1, 3]))
    """
    # In the best order, relevant documents take the first places of their tie, the highest grades first; others take
    # the last. The worst order is its mirror image.
    order = np.lexsort((-hits.grade, hits.tie_first, hits.query))
    group = np.append(0, np.cumsum((np.diff(hits.query[order]) != 0) | (np.diff(hits.tie_first[order]) != 0)))
    group = group[: len(order)]
    place = place_in_group(group)
    from_end = np.bincount(group)[group] - place - 1
    front, back = hits.tie_first[order] + place, hits.tie_last[order] - from_end
    rank = np.where(hits.grade[order] > 0, front, back)
    if not best:
        rank = hits.tie_first[order] + hits.tie_last[order] - rank
    again = np.lexsort((rank, hits.query[order]))
    rows, rank = order[again], rank[again]
    return Graded(hits.query[rows], rank, hits.grade[rows], rank, rank, hits.document[rows])


def reversed_hits(ranks: Ranks) -> Graded:
    """The hits of a ranking as they are when it is read from its end.

    >>> reversed_hits(Ranks.from_grades([1, None, 0])).rank
    array([1, 3])
    """
    hits = ranks.hits
    mirror = ranks.retrieved[hits.query] + 1
    rank = mirror - hits.rank
    order = np.lexsort((rank, hits.query))
    first, last = mirror - hits.tie_last, mirror - hits.tie_first
    return Graded(hits.query[order], rank[order], hits.grade[order], first[order], last[order], hits.document[order])
