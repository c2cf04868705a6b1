"""An evaluation as one self-contained page: no script, no request to anywhere, light and dark."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

from assay.errors import ParameterError, number_of
from assay.measures.curve_points import averaged_precision, level_measures
from assay.measures.curve_words import mean_over
from assay.report.layout import NOT_AVAILABLE
from assay.report.legible import Legible, legible
from assay.report.pictures import inline_svg
from assay.report.tables import systems_table, to_html

if TYPE_CHECKING:
    from assay.evaluation import Evaluation
    from assay.measures.registry import Measure

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5c6675; --line: #dfe3e8; --paper: #fff; --bar: #0072b2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebef; --dim: #9aa4b2; --line: #333b47; --paper: #14181e; --bar: #56b4e9; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 74rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p, small { color: var(--dim); } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .55rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
thead th { font-size: .85rem; } tbody th, th:first-child { text-align: left; font-weight: 600; }
td b { color: var(--bar); } code { font-size: .8rem; overflow-wrap: anywhere; }
meter { width: 5rem; height: .8rem; vertical-align: -.05rem; }
figure { margin: 0; } figure svg { max-width: 100%; height: auto; border-radius: .4rem; }
@media print { body { margin: 0; max-width: none; } }
"""


def page(evaluation: Evaluation, title: str) -> str:
    """Scores, counts, one measure for every query, and what each number depends on."""
    shown = next((m for m in evaluation.measures if m.name == "nDCG"), evaluation.measures[0])
    signatures = "".join(f"<li><code>{html.escape(text)}</code></li>" for text in evaluation.signatures.values())
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in evaluation.warnings)
    counts = ", ".join(
        number_of(what, number)
        for what, number in (
            ("system", len(evaluation.systems)),
            ("topic", len(evaluation.qrels.topics)),
            ("judgment", evaluation.qrels.frame.height),
        )
    )
    text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>
<h1>{html.escape(title)}</h1>
<p>{counts}.{_marked(evaluation)}</p>
<div class="wide">{to_html(evaluation)}</div>
{f"<h2>Warnings</h2><ul>{warnings}</ul>" if warnings else ""}
<h2>Precision and recall</h2>{_chart(evaluation)}
<h2>What the scores rest on</h2><div class="wide">{_coverage(evaluation)}</div>
<h2>{html.escape(str(shown))}, query by query</h2><div class="wide">{_queries(evaluation, shown)}</div>
<h2>How each number was made</h2><ul>{signatures}</ul>
</body></html>
"""
    return legible(text)


def _marked(evaluation: Evaluation) -> str:
    """Which values are marked, if any are."""
    columns = list(zip(*(cells for _, cells in systems_table(evaluation).rows), strict=True))
    marked = sum(any(cell.best for cell in column) for column in columns)
    if not marked:
        return ""
    where = "each column" if marked == len(columns) else "a column"
    return f"\nThe best value of {where} is marked{'' if marked == len(columns) else ', where more is better'}."


def _chart(evaluation: Evaluation) -> str:
    """The averaged precision-recall curve of all systems."""
    measures = level_measures(11, evaluation.compat)  # type: ignore[arg-type]  # rules and profiles share their names
    results = {
        system.name: {m: m.per_unit(system.ranks, seed=evaluation.seed, samples=evaluation.samples) for m in measures}
        for system in evaluation.systems
    }
    # What was refused as undefined was so under the measures asked for; the chart is not one of them.
    undefined = "counted_as" if evaluation.undefined == "error" else evaluation.undefined
    frame, summary = averaged_precision(results, undefined)
    over = mean_over(system.ranks.queries for system in evaluation.systems)
    try:
        drawn = inline_svg(Legible("pr", "Interpolated precision at 11 levels of recall", over, frame, summary))
    except ParameterError:
        return "<p>There is no curve to draw: precision at levels of recall is undefined for every topic.</p>"
    if drawn is None:
        return "<p>Charts are drawn here once they are installed: <code>pip install 'assay[report]'</code>.</p>"
    return f"<figure>{drawn}</figure>"


def _coverage(evaluation: Evaluation) -> str:
    head = "".join(f"<th>{html.escape(name.replace('_', ' '))}</th>" for name in evaluation.coverage.columns)
    rows = "".join(
        f"<tr><th>{html.escape(system)}</th>" + "".join(f"<td>{_count(value)}</td>" for value in counts) + "</tr>"
        for system, *counts in evaluation.coverage.rows()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _queries(evaluation: Evaluation, measure: Measure) -> str:
    """One row a query, one bar a system; systems may differ in their queries if missing ones are skipped."""
    values = [
        dict(zip(system.ranks.queries, system.results[measure].values.tolist(), strict=True))
        for system in evaluation.systems
    ]
    known_values = [value for known in values for value in known.values() if not math.isnan(value)]
    ends = round(min([0.0, *known_values]), 4), round(max([1.0, *known_values]), 4)
    head = "<th>query</th>" + "".join(f"<th>{html.escape(system.name)}</th>" for system in evaluation.systems)
    queries = [query for query in evaluation.qrels.topics if any(query in known for known in values)]
    rows = "".join(
        f"<tr><th>{html.escape(query)}</th>"
        + "".join(f"<td>{_bar(known.get(query), ends)}</td>" for known in values)
        + "</tr>"
        for query in queries
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _count(value: float) -> str:
    if isinstance(value, float):
        return NOT_AVAILABLE if math.isnan(value) else f"{value:.1%}"
    return f"{value:,}"


def _bar(value: float | None, ends: tuple[float, float]) -> str:
    if value is None or math.isnan(value):
        return NOT_AVAILABLE
    low, high = ends
    return f'<meter min="{low:.12g}" max="{high:.12g}" value="{value:.4f}"></meter> {value:.4f}'
