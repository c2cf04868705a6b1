"""An evaluation as a table for other programs and for papers: JSON, CSV, Markdown, LaTeX, HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any

from assay.core.digits import decimals, number
from assay.report.estimates import best
from assay.report.layout import Cell, Table, as_json, escaped_cell
from assay.show.legible import on_one_line

if TYPE_CHECKING:
    from assay.evaluation import Evaluation, System
    from assay.measures.registry import Measure

JSON_SCHEMA_VERSION = 1


def systems_table(evaluation: Evaluation) -> Table:
    """One row a system, one column a measure."""
    values = [
        [evaluation.summary(measure, system.name).value for measure in evaluation.measures]
        for system in evaluation.systems
    ]
    tops = [
        best(column, measure.definition.higher_is_better)
        for measure, column in zip(evaluation.measures, zip(*values, strict=True), strict=True)
    ]
    least = [decimals(column) for column in zip(*values, strict=True)]
    rows = [
        (
            (system.name,),
            tuple(
                Cell(shown(m, v, places), v == top)
                for m, v, top, places in zip(evaluation.measures, row, tops, least, strict=True)
            ),
        )
        for system, row in zip(evaluation.systems, values, strict=True)
    ]
    return Table(("system",), tuple(map(str, evaluation.measures)), tuple(rows))


def queries_table(evaluation: Evaluation, systems: Iterable[System] | None = None) -> Table:
    """One row a system and query, one column a measure."""
    rows = [
        ((system.name, query), tuple(Cell(shown(m, float(r.values[place]))) for m, r in system.results.items()))
        for system in (evaluation.systems if systems is None else systems)
        for place, query in enumerate(system.ranks.queries)
    ]
    return Table(("system", "query_id"), tuple(map(str, evaluation.measures)), tuple(rows))


def shown(measure: Measure, value: float, least: int = 4) -> str:
    """Four decimals, or as many as it takes; counts as whole numbers, NA where there is no value."""
    is_count = measure.definition.summary == "sum" and value.is_integer()
    return number(value, 0 if is_count else least)


def to_json(evaluation: Evaluation, per_query: bool = False) -> str:
    """Scores, coverage, policies and signatures; numbers in full, null where there is none."""
    coverage = {row["system"]: row for row in evaluation.coverage.to_dicts()}
    told: dict[str, Any] = {
        "schema_version": JSON_SCHEMA_VERSION,
        "qrels": {
            "name": evaluation.qrels.name,
            "format": evaluation.qrels.format,
            "topics": len(evaluation.qrels.topics),
            "judgments": evaluation.qrels.frame.height,
        },
        "policies": asdict(evaluation.policies) | {"undefined": evaluation.undefined},
        "seed": evaluation.seed,
        "signatures": evaluation.signatures,
        "warnings": list(evaluation.warnings),
        "systems": [
            _system_as_json(evaluation, system, coverage[system.name], per_query) for system in evaluation.systems
        ],
    }
    return as_json(told)


def _system_as_json(
    evaluation: Evaluation, system: System, coverage: dict[str, Any], per_query: bool
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": system.name,
        "scores": {str(m): evaluation.summary(m, system.name)._asdict() for m in evaluation.measures},
        "coverage": {name: value for name, value in coverage.items() if name != "system"},
        "missing_topics": system.ranks.missing_topics,
        "ignored_topics": sorted(system.ranks.ignored_topics),
    }
    if per_query:
        told["queries"] = {
            query: {str(m): float(result.values[number]) for m, result in system.results.items()}
            for number, query in enumerate(system.ranks.queries)
        }
        told["undefined"] = {
            str(m): {q: reason for q, reason in zip(system.ranks.queries, result.reasons(), strict=True) if reason}
            for m, result in system.results.items()
            if result.undefined
        }
    return told


def to_csv(evaluation: Evaluation, per_query: bool = False) -> str:
    """One row a system, or a system and query; numbers in full, empty where there is none."""
    import polars as pl  # noqa: PLC0415  # other forms need no frames

    names = ("system", "query_id") if per_query else ("system",)
    rows: list[tuple[str | None, ...]] = []
    for system in evaluation.systems:
        if not per_query:
            means = [evaluation.summary(measure, system.name).value for measure in evaluation.measures]
            rows.append((system.name, *map(_in_full, means)))
            continue
        for place, query in enumerate(system.ranks.queries):
            rows.append((system.name, query, *(_in_full(float(r.values[place])) for r in system.results.values())))
    heads = dict.fromkeys((*names, *map(str, evaluation.measures)), pl.String)
    return pl.DataFrame(rows, schema=heads, orient="row").write_csv()


def _in_full(value: float) -> str | None:
    return None if math.isnan(value) else repr(value)


def to_markdown(evaluation: Evaluation, per_query: bool = False) -> str:
    """A pipe table; the best number of each column in bold. Below, why there is no number where there is none."""
    notes = "".join(f"\n{escaped_cell(line)}\n" for line in evaluation.without_number)
    return _table(evaluation, per_query).to_markdown() + notes


def to_latex(evaluation: Evaluation, per_query: bool = False) -> str:
    """A booktabs table; the best number of each column in bold. Comments below say why there is no number."""
    notes = "".join(f"% {on_one_line(line)}\n" for line in evaluation.without_number)
    return _table(evaluation, per_query).to_latex() + notes


def to_html(evaluation: Evaluation, per_query: bool = False) -> str:
    """A plain table, for notebooks and pages."""
    notes = "".join(f"<p>{escape(line)}</p>" for line in evaluation.without_number)
    return _table(evaluation, per_query).to_html() + notes


def _table(evaluation: Evaluation, per_query: bool) -> Table:
    return queries_table(evaluation) if per_query else systems_table(evaluation)
