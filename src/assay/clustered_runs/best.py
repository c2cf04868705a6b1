"""The best cluster of each query: what somebody gets who finds it at once, and what chance would give.

Whoever picks the best cluster knows the judgments, which no searcher does. So beside it stands what the best of random
clusters of the same sizes gives, and what the flat list gives that is cut after as many documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.counting.judgments import Ints
from assay.tables import Qrels

_PARTS = ("precision", "recall", "f1")
SCHEMA = {
    "query_id": pl.String, "cluster": pl.String, "clusters": pl.Int64, "items": pl.Int64, "relevant": pl.Int64,
    "all_relevant": pl.Int64,
    **{f"{part}{of}": pl.Float64 for of in ("", "_flat", "_chance") for part in _PARTS},
}  # fmt: skip


def best_clusters(
    clustered: pl.DataFrame, qrels: Qrels, *, level: float = 1.0, draws: int = 200, seed: int = 0
) -> pl.DataFrame:
    """A row a judged query with a relevant document: its best cluster by F1, the flat list, and chance.

    >>> from assay.clustered_runs.reading import grouped
    >>> from assay.tables import Run
    >>> run = Run.of({"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}})
    >>> clusters = pl.DataFrame({"doc_id": ["d1", "d2", "d3", "d4"], "cluster": ["a", "b", "a", "b"]})
    >>> best = best_clusters(grouped(run, clusters)[0], Qrels.of({"q": {"d2": 1, "d4": 1}}))
    >>> best.select("cluster", "precision", "recall", "f1", "f1_flat").rows()
    [('b', 1.0, 1.0, 1.0, 0.5)]
    """
    good = qrels.frame.filter(pl.col("relevance") >= level).select("query_id", "doc_id").unique()
    wanted = good.group_by("query_id", maintain_order=True).len("all").sort("query_id")
    marked = clustered.join(good.with_columns(relevant=1), on=["query_id", "doc_id"], how="left").with_columns(
        pl.col("relevant").fill_null(0)
    )
    by_query = marked.partition_by("query_id", as_dict=True)
    rng = np.random.default_rng(seed)
    rows = []
    for query, total in wanted.iter_rows():
        judged = by_query.get((query,))
        if judged is None:  # a judged query without results: nothing is found
            rows.append((query, None, 0, 0, 0, total, *[0.0] * 9))
            continue
        tables = judged.group_by("cluster", maintain_order=True).agg(
            items=pl.len(), relevant=pl.col("relevant").sum(), best=pl.col("rank").min()
        )
        tables = tables.sort("best")
        sizes, hits = tables["items"].to_numpy().astype(np.int64), tables["relevant"].to_numpy().astype(np.int64)
        at = int(np.argmax(_shares(hits, sizes, total)[2]))
        size = int(sizes[at])
        in_flat = int(judged.filter(pl.col("rank") <= size)["relevant"].sum())
        rows.append(
            (query, tables["cluster"][at], len(sizes), size, int(hits[at]), total,
             *_shares(hits[at], size, total), *_shares(in_flat, size, total),
             *_by_chance(sizes, int(hits.sum()), total, draws, rng))
        )  # fmt: skip
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _shares(hits: Any, size: Any, total: int) -> tuple[Any, Any, Any]:
    """Precision, recall and F1 of a cluster, or of several."""
    return hits / size, hits / total, 2 * hits / (size + total)


def _by_chance(sizes: Ints, hits: int, total: int, draws: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """The same for the best of clusters of these sizes to which documents are dealt out at random, on average."""
    dealt = rng.multivariate_hypergeometric(sizes, hits, size=draws)
    at = np.argmax(_shares(dealt, sizes, total)[2], axis=1)
    precision, recall, f1 = (float(part.mean()) for part in _shares(dealt[np.arange(draws), at], sizes[at], total))
    return precision, recall, f1
