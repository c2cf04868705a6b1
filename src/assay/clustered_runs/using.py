"""`clusters_by_use`: judgments, a run and the clusters of its results -> what the clusters are good for."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import Any

from assay.clustered_runs.best import best_clusters
from assay.clustered_runs.reading import SAID, flat_run, grouped, read_in_order
from assay.clustered_runs.result import ClustersByUse
from assay.comparison import compare
from assay.core.domains import Real, Whole
from assay.core.errors import ParameterError, number_of, refuse_unknown
from assay.counting.policies import Policies
from assay.evaluation import evaluate
from assay.files.document_clusters import read_document_clusters
from assay.inputs import judgments_of, named_runs
from assay.measures.registry import Measure

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
    **settings: Any,
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
    given = next(iter(opened.values()))
    wanted = list(DEFAULT_MEASURES) if measures is None else measures
    Real().check("level", level)
    of_compare = signature(compare).parameters
    rules = {name: value for name, value in settings.items() if name not in of_compare}
    # Duplicates and the like are found, with their line, before all else; and this knows the rules.
    flat = evaluate(judged, {FLAT: given}, wanted, seed=seed, **rules)
    found, said = grouped(given, read_document_clusters(clusters), flat.policies)
    best = best_clusters(found, flat.qrels, level=level, draws=draws, seed=seed)
    if best.is_empty():
        raise ParameterError(f"no document has a grade of {level:g} or more: nothing is relevant, choose another level")
    settings.pop("rank_by", None)  # ranks are scores by now
    orders = {FLAT: flat_run(found, FLAT), CLUSTERED: read_in_order(found, order, CLUSTERED)}
    comparison = compare(judged, orders, measures=wanted, seed=seed, **settings)
    without = len(judged.topics) - best.height
    if without:
        said = (*said, f"{number_of('query', without)} without a relevant document: not among the best clusters")
    evaluation = comparison.evaluation
    warnings = said if evaluation is None else (*evaluation.warnings, *said)
    return ClustersByUse(best, comparison, order, SAID[order], level, draws, seed, tuple(dict.fromkeys(warnings)))
