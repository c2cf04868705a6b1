"""Measures with their intervals, of classifiers and of clusterings alike: a table, and lines on what is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import listed
from assay.show.cells import best
from assay.show.model import Column, Table

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.classification.intervals import Estimate
    from assay.classification.measurement import Baseline
    from assay.clustering import Clustering
    from assay.measures.registry import Measure

#: Stands where there is no interval.
DASH = "–"


def measures_table(
    result: Classification | Clustering,
    called: Callable[[Measure], str],
    beside: Sequence[Baseline] = (),
    system: str | None = None,
) -> Table:
    """All measures: of one system with intervals and the baselines `beside`; of several, a column each.

    `called` is what people call a measure. `system`: this one alone, of several.
    """
    if len(result.systems) > 1 and system is None:
        return _of_several(result, called, beside)
    return _of_one(result, called, beside, result.system(system).name)


def _of_one(
    result: Classification | Clustering,
    called: Callable[[Measure], str],
    beside: Sequence[Baseline],
    system: str,
) -> Table:
    rows = []
    for measure in result.measures:
        estimate = result.estimate(measure, system)
        row = {"measure": called(measure), "value": estimate.value, "low": estimate.low, "high": estimate.high}
        row |= {baseline.kind: baseline.values[measure] for baseline in beside}
        rows.append(row | {"left_out": listed(estimate.left_out)})
    columns = [
        Column("measure"),
        Column("value", kind="number", compared="row"),
        Column("value", _level(result), "bracketed", ends=("low", "high"), missing=DASH),
        *_beside(beside, compared="row"),
    ]
    if any(row["left_out"] for row in rows):
        columns.append(Column("left_out", "left out"))
    caption = f"{system}: measures" if len(result.systems) > 1 else "measures"
    return Table("measures", pl.DataFrame(rows), tuple(columns), caption)


def _of_several(
    result: Classification | Clustering,
    called: Callable[[Measure], str],
    beside: Sequence[Baseline],
) -> Table:
    names = [system.name for system in result.systems]
    rows, tops = [], set()
    for place, measure in enumerate(result.measures):
        row: dict[str, Any] = {"measure": called(measure)}
        estimates = {f"system_{number}": result.estimate(measure, name) for number, name in enumerate(names)}
        for key, estimate in estimates.items():
            row |= {key: estimate.value, f"{key}_low": estimate.low, f"{key}_high": estimate.high}
            row[f"{key}_without"] = _without(estimate)
        top = best((estimate.value for estimate in estimates.values()), end_of(measure))
        tops |= {(place, key) for key, estimate in estimates.items() if estimate.value == top}
        rows.append(row | {baseline.kind: baseline.values[measure] for baseline in beside})
    systems = (
        Column(key, name, "estimate", compared="systems", ends=(f"{key}_low", f"{key}_high"), also=f"{key}_without")
        for key, name in ((f"system_{number}", name) for number, name in enumerate(names))
    )
    columns = (Column("measure"), *systems, *_beside(beside))
    return Table("measures", pl.DataFrame(rows), columns, f"measures, with {_level(result)}s", best=frozenset(tops))


def _level(result: Classification | Clustering) -> str:
    return f"{as_level(result.confidence)} interval"


def _beside(baselines: Sequence[Baseline], compared: str = "") -> Iterator[Column]:
    for baseline in baselines:
        yield Column(baseline.kind, baseline.says, "number", compared=compared, missing=DASH)


def _without(estimate: Estimate) -> str:
    """What a number lacks: its interval, or classes that its average leaves out."""
    dash = f" {DASH}" if math.isnan(estimate.low) and not math.isnan(estimate.value) else ""
    return dash + (f" without {listed(estimate.left_out)}" if estimate.left_out else "")


def end_of(measure: Measure) -> Literal["high", "low"] | None:
    """Which end of its numbers is best.

    >>> from assay.measures import parse_measure
    >>> end_of(parse_measure("Accuracy", "binary"))
    'high'
    """
    higher = measure.definition.higher_is_better
    return None if higher is None else "high" if higher else "low"


def undefined(result: Classification | Clustering, called: Callable[[Measure], str]) -> Iterator[str]:
    """Why there is no number, a line each."""
    for system in result.systems:
        whose = f" of {system.name}" if len(result.systems) > 1 else ""
        for measure in result.measures:
            reason = result.estimate(measure, system.name).undefined
            if reason is not None:
                yield f"{called(measure)}{whose} is undefined: {reason}."


def without_interval(reasons: Iterable[tuple[str, str, str | None]], systems: int) -> Iterator[str]:
    """Which numbers have no interval, a line a reason; `reasons` are measures, systems and why, if that is so.

    >>> list(without_interval([("ARI", "a", None), ("NMI", "a", "all halves are alike")], systems=1))
    ['No interval (–) of NMI: all halves are alike.']
    """
    whys: dict[str, dict[str, list[str]]] = {}
    for measure, system, why in reasons:
        if why:
            whys.setdefault(why, {}).setdefault(measure, []).append(system)
    for why, measures in whys.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for name, whose in measures.items():
            alike.setdefault(() if len(whose) == systems else tuple(whose), []).append(name)
        parts = [f"{listed(names)} of {listed(whose)}" if whose else listed(names) for whose, names in alike.items()]
        yield f"No interval ({DASH}) of {'; '.join(parts)}: {why}."
