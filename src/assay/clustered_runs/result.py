"""`ClustersByUse`: the best cluster of each query, and the clusters' reading order against the flat list."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from assay.comparison import Comparison
from assay.core.errors import number_of
from assay.core.results import Result


@dataclass(frozen=True, eq=False)
class ClustersByUse(Result):
    """What clusters of search results are good for.

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
