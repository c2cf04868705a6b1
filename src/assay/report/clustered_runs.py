"""Clusters of search results, for people: the best cluster beside chance and the flat list, and the reading order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from assay.core.digits import number, numbers
from assay.core.errors import number_of
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.clustered_runs import ClustersByUse

JSON_SCHEMA_VERSION = 1
_PARTS = ("precision", "recall", "f1")
_ROWS = (
    ("best cluster of each query", ""),
    ("flat list, cut after as many", "_flat"),
    ("best cluster, by chance", "_chance"),
)


def tables(result: ClustersByUse) -> list[Titled]:
    """Means over queries of the best cluster and what it is held against; then the order of reading."""
    rows = tuple(((says,), tuple(Cell(number(result.mean(f"{part}{of}"))) for part in _PARTS)) for says, of in _ROWS)
    best = Table(("mean over queries",), ("precision", "recall", "F1"), rows)
    compared = [one.table for one in result.comparison.tables()]
    title = f"best cluster (of {number(_mean_clusters(result), 1)} a query)"
    return [
        Titled(title, best),
        *(Titled(f"reading order: {result.says}, against the flat list", table) for table in compared[:1]),
        *(Titled("", table) for table in compared[1:]),
    ]


def _mean_clusters(result: ClustersByUse) -> float:
    return float(result.best["clusters"].mean())  # type: ignore[arg-type]  # numbers, and at least one


def lines(result: ClustersByUse) -> list[str]:
    """First what the best cluster is worth, which is more than anybody gets; then the comparison."""
    best, flat, chance = (result.mean(f"f1{of}") for of in ("", "_flat", "_chance"))
    own, of_list, by_chance = numbers([best, flat, chance])
    said = [
        "The best cluster is optimistic: whoever picks it knows which documents are relevant. Random clusters of the "
        f"same sizes come to an F1 of {by_chance} that way ({result.draws:,} deals, seed {result.seed}), these to "
        f"{own}, and the flat list, cut after as many documents, to {of_list}.",
        f"{number_of('query', result.best.height)}; relevant from a grade of {result.level:g} on.",
        "",
    ]
    # Which documents to judge first is a question to `compare`, not to clusters.
    told = (line.removesuffix("; --judge-next lists those to judge first.") for line in result.comparison.lines())
    return [*said, *told]


def to_json(result: ClustersByUse) -> str:
    """Everything, numbers in full."""
    told = {
        "schema_version": JSON_SCHEMA_VERSION,
        "order": result.order,
        "level": result.level,
        "draws": result.draws,
        "seed": result.seed,
        "warnings": list(result.warnings),
        "means": {name: result.mean(name) for name in result.best.columns if name.startswith(_PARTS)},
        "queries": result.best.to_dicts(),
        "reading_order": json.loads(result.comparison.to_json()),
    }
    return as_json(told)
