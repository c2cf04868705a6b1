"""The verb `clusters_by_use`: clusters of search results, judged by how early their readers find what is relevant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, TypeAlias, Unpack, get_args

import numpy as np
import polars as pl

from assay.core.domains import Choice, Real, Whole
from assay.core.errors import ParameterError, number_of, refuse_unknown
from assay.core.options import ComparisonOptions
from assay.core.results import Result
from assay.files.clusters import read_document_clusters
from assay.measures.counting.judgments import Ints
from assay.measures.counting.ranking import DEFAULT_POLICIES, Policies
from assay.measures.registry import Measure
from assay.subjects.ranking.evaluation import evaluate, judgments_of, named_runs
from assay.tables import Batches, Qrels, Run
from assay.tables.nearest_first import best_first
from assay.verbs.comparison import Comparison, compare


@dataclass(frozen=True, eq=False)
class ClustersByUse(Result):
    """The use of clusters of search results.

    `best`: one row per query with its best cluster (F1), the flat list cut after as many documents, and what random
    clusters of the same sizes give. `comparison`: the run read cluster by cluster against the flat list.

    >>> from assay import clusters_by_use
    >>> judged = {f"q{n}": {"d3": 1} for n in range(6)}
    >>> run = {query: {"d1": 3.0, "d2": 2.0, "d3": 1.0} for query in judged}
    >>> result = clusters_by_use(judged, run, {"d1": "a", "d2": "b", "d3": "a"}, "RR")
    >>> result.comparison.findings[0].difference  # d3 is read second, not third: 1/2 - 1/3
    0.1667
    """

    kind = "clusters by use"

    best: pl.DataFrame
    comparison: Comparison
    order: str
    says: str
    level: float
    draws: int
    seed: int
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ClustersByUse: {number_of('query', self.best.height)}, order {self.order}>"

    def mean(self, of: str = "f1") -> float:
        """The mean over queries of a column of `best`, such as `f1`, `f1_flat` or `f1_chance`."""
        return float(self.best[of].mean())  # type: ignore[arg-type]  # numbers, and at least one

    def to_frame(self) -> pl.DataFrame:
        """One row for each query: its best cluster, the flat list and chance."""
        return self.best


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

    >>> from assay.subjects.ranking.clustered_results import grouped
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
    run = best_first(run, lower_is_better=rules.lower_is_better)
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


DEFAULT_MEASURES = ("nDCG@10", "AP", "P@10")
FLAT, CLUSTERED = "flat", "clustered"


def clusters_by_use(
    qrels: Any,
    run: Any,
    clusters: Any,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    order: str = "best-rank",
    level: float = 1.0,
    draws: int = 200,
    seed: int = 0,
    **settings: Unpack[ComparisonOptions],
) -> ClustersByUse:
    """Judge clusters of search results by use: by the best cluster of each query, and by the order they are read in.

    `qrels` and `run` are what `evaluate` takes. `clusters`: a file or a frame with `doc_id, cluster`, and `query_id` if
    each query has its own; or a dict from documents to clusters, or from queries to such. `order`, of reading:
    clusters by the rank of their best document (`best-rank`), by `size` or by `mean-score`; within each, documents by
    rank. `level`: the smallest grade that is relevant, for the best cluster. `draws`: how often documents are dealt out
    to clusters at random, for what chance gives. Further `settings` are those of `compare` and of `evaluate`.

    >>> judged = {"q1": {"d3": 1, "d4": 1}, "q2": {"d2": 1}}
    >>> run = {"q1": {"d1": 4.0, "d3": 3.0, "d2": 2.0, "d4": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}
    >>> result = clusters_by_use(judged, run, {"d1": "a", "d2": "a", "d3": "b", "d4": "b"}, "RR")
    >>> result.best.select("query_id", "cluster", "f1", "f1_flat").rows()
    [('q1', 'b', 1.0, 0.5), ('q2', 'a', 0.6667, 0.6667)]
    """
    refuse_unknown(settings, clusters_by_use, compare, Policies, evaluate)
    seed, draws = Whole(0).check("seed", seed), Whole(1).check("draws", draws)
    judged = judgments_of(qrels)
    opened = named_runs(run)
    if len(opened) != 1:
        raise ParameterError(f"expected one run, whose results are clustered, got {len(opened)}")
    opened_run = next(iter(opened.values()))
    wanted = list(DEFAULT_MEASURES) if measures is None else measures
    Real().check("level", level)
    of_compare = signature(compare).parameters
    rules: dict[str, Any] = {name: value for name, value in settings.items() if name not in of_compare}
    # Duplicates and the like are found, with their line, before all else; and this knows the rules.
    flat = evaluate(judged, {FLAT: opened_run}, wanted, seed=seed, **rules)
    clustered, remarks = grouped(opened_run, read_document_clusters(clusters), flat.policies)
    best = best_clusters(clustered, flat.qrels, level=level, draws=draws, seed=seed)
    if best.is_empty():
        raise ParameterError(f"no document has a grade of {level:g} or more: nothing is relevant, choose another level")
    settings.pop("rank_by", None)  # ranks are scores by now
    orders = {FLAT: flat_run(clustered, FLAT), CLUSTERED: read_in_order(clustered, order, CLUSTERED)}
    comparison = compare(judged, orders, measures=wanted, seed=seed, **settings)
    without = len(judged.topics) - best.height
    if without:
        remarks = (*remarks, f"{number_of('query', without)} without a relevant document: not among the best clusters")
    evaluation = comparison.evaluation
    warnings = remarks if evaluation is None else (*evaluation.warnings, *remarks)
    return ClustersByUse(best, comparison, order, SAID[order], level, draws, seed, tuple(dict.fromkeys(warnings)))
