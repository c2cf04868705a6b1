"""Measures over the number of clusters, for people: a table with the best number of each measure, and the verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import number
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.clustering.over_k import AtK, NumberOfClusters

JSON_SCHEMA_VERSION = 1


def tables(result: NumberOfClusters) -> list[Titled]:
    """A row a number of clusters; what each measure prefers stands out."""
    has_stability = any(row.stability is not None for row in result.rows)
    best = {name: result.preferred(name) for name in result.votes}
    rows = []
    for row in result.rows:
        cells = [
            Cell(number(float(found.values[0])), best.get(str(measure)) == row.k)
            for measure, found in row.results.items()
        ]
        if has_stability:
            cells.append(Cell(_stable(row), best.get("Stability") == row.k))
        rows.append(((str(row.k),), (*cells, Cell(f"{row.smallest:,}"))))
    prefers = [_preferred(result.preferred(name)) for name in result.names]
    rows.append((("prefers",), (*map(Cell, prefers), Cell(""))))
    names = (*map(str, result.measures), *(["Stability"] if has_stability else []), "smallest")
    return [Titled("measures over the number of clusters k", Table(("k",), names, tuple(rows)))]


def _preferred(k: int | None) -> str:
    return "–" if k is None else str(k)


def _stable(row: AtK) -> str:
    one = row.stability
    if one is None or math.isnan(one.mean):
        return "NA"
    return number(one.mean) if math.isnan(one.spread) else f"{number(one.mean)} ± {number(one.spread)}"


def lines(result: NumberOfClusters) -> list[str]:
    """The verdict first, then what else to know, and what the numbers rest on."""
    undefined = dict.fromkeys(
        f"{row['measure']} with {row['k']} clusters is undefined: {row['undefined']}."
        for row in result.to_frame().to_dicts()
        if row["undefined"] is not None
    )
    remarks = [f"* {remark}" for remark in result.remarks()]
    return [f"Verdict: {result.says()}.", *remarks, "", *undefined, *result.basis()]


def to_json(result: NumberOfClusters) -> str:
    """Everything that is known, numbers in full, null where there is none."""
    reference = result.reference
    told = {
        "schema_version": JSON_SCHEMA_VERSION,
        "verdict": result.verdict,
        "k": result.k,
        "votes": result.votes,
        "says": result.says(),
        "remarks": list(result.remarks()),
        "measures": result.to_frame().to_dicts(),
        "smallest": {str(row.k): row.smallest for row in result.rows},
        "reference": None
        if reference is None
        else {"value": reference.value, "without_structure": list(reference.without), "points": reference.points},
        "by": result.by,
        "metric": result.metric,
        "items": result.items,
        "resamples": result.resamples,
        "seed": result.seed,
        "warnings": list(result.warnings),
    }
    return as_json(told)
