"""Clusterings for people: classes and clusters in a table, measures with intervals, splits and merges, advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level, as_percent, decimals, number, short
from assay.core.errors import number_of
from assay.core.words import INTERVALS
from assay.report.estimates import best, ends, known, measured, undefined, with_ends, without_interval
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled
from assay.stats.interval_names import SUBSAMPLING

if TYPE_CHECKING:
    from assay.clustering import Clustering
    from assay.counting.contingency import Contingency
    from assay.measures.registry import Measure

JSON_SCHEMA_VERSION = 1
#: Tables of more classes or clusters than this are left to `--csv` and `--json`.
MOST_CLASSES, MOST_CLUSTERS = 25, 15
#: Measures that people know by another name with their usual parameters.
_CALLED = {"PairF": "PairF1", "BCubedF": "BCubedF1", "PurityF": "PurityF1"}


def called(measure: Measure) -> str:
    """A measure as people call it.

    >>> from assay.measures import parse_measure
    >>> called(parse_measure("BCubedF", "clustering")), called(parse_measure("Purity", "clustering"))
    ('BCubedF1', 'Purity')
    """
    return _CALLED.get(str(measure), str(measure))


def tables(result: Clustering) -> list[Titled]:
    """Classes by clusters of each clustering, the measures of all, and what else was asked for."""
    several = len(result.systems) > 1
    shown: list[Titled] = []
    for system in result.systems:
        shown += _counts(result, system.name, f"{system.name}: " if several else "")
    shown.append(_measures(result))
    for system in result.systems:
        shown += _further(result, system.name, f"{system.name}: " if several else "")
    return shown


def _counts(result: Clustering, system: str, prefix: str) -> Iterator[Titled]:
    table = result.contingency(system)
    if table is None or _is_large(table):
        return
    yield Titled(f"{prefix}items (rows: classes, columns: clusters)", contingency_table(table))


def _is_large(table: Contingency) -> bool:
    return len(table.classes) > MOST_CLASSES or len(table.clusters) > MOST_CLUSTERS


def contingency_table(table: Contingency) -> Table:
    """Classes and clusters with their sums; the largest class of each cluster stands out."""
    cells, largest = table.table, table.largest_of_clusters[0]
    classes = ["(none)" if label is None else str(label) for label in table.classes]
    body = [
        (
            (name,),
            (
                *(Cell(short(float(cell)), bool(cell and cell == largest[k])) for k, cell in enumerate(cells[row])),
                Cell(short(float(cells[row].sum()))),
            ),
        )
        for row, name in enumerate(classes)
    ]
    totals = (*(Cell(short(float(total))) for total in cells.sum(axis=0)), Cell(short(float(cells.sum()))))
    names = (*map(str, table.clusters), "items")
    return Table(("class \\ cluster",), names, (*body, (("items",), totals)))


def _measures(result: Clustering) -> Titled:
    percent = f"{as_level(result.confidence)} interval"
    rows: list[tuple[tuple[str, ...], tuple[Cell, ...]]] = []
    if len(result.systems) == 1:
        for measure in result.measures:
            one = result.estimate(measure)
            rows.append(((called(measure),), (Cell(number(one.value)), Cell(ends(one)))))
        return Titled("measures", Table(("measure",), ("value", percent), tuple(rows)))
    for measure in result.measures:
        found = [result.estimate(measure, system.name) for system in result.systems]
        top = best([one.value for one in found], measure.definition.higher_is_better)
        least = decimals((one.value for one in found), 3)
        cells = tuple(Cell(with_ends(*known(one), " –", least), one.value == top) for one in found)
        rows.append(((called(measure),), cells))
    names = tuple(system.name for system in result.systems)
    return Titled(f"measures, with {percent}s", Table(("measure",), names, tuple(rows)))


def _further(result: Clustering, system: str, prefix: str) -> Iterator[Titled]:
    """What was asked for besides: clusters, classes, splits and merges."""
    if result.shown.per_cluster:
        yield Titled(f"{prefix}clusters", _spelt(result.per_cluster(system)))
    if result.contingency(system) is None:
        return
    if result.shown.per_class:
        yield Titled(f"{prefix}classes", _spelt(result.per_class(system)))
    if result.shown.moves:
        moves = result.moves(system)
        for kind, title, group in (
            ("split", "classes split over clusters", "class"),
            ("merged", "clusters of several classes", "cluster"),
        ):
            if (rows := moves.filter(kind=kind)).height:
                yield Titled(f"{prefix}{title}", _parts(rows, group))


def _spelt(frame: pl.DataFrame) -> Table:
    """A frame in its own order of columns: names among the numbers stay where they are."""
    first, *others = frame.columns
    rows = tuple(
        ((str(row[first]),), tuple(Cell(_said(row[name], name)) for name in others)) for row in frame.to_dicts()
    )
    return Table((first,), tuple(name.replace("_", " ") for name in others), rows)


def _said(value: Any, column: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if column in {"share", "misplaced"}:
        return as_percent(value)
    return short(float(value)) if column in {"items", "of_largest", "held"} else _decimal(value)


def _decimal(value: float) -> str:
    return number(value) if isinstance(value, float) else f"{value:,}"


def _parts(rows: pl.DataFrame, group: str) -> Table:
    """A row a group, its parts in words: 3 (45.0%), 1 (40.0%)."""
    made = []
    for own in rows.partition_by("group", maintain_order=True):
        parts = [f"{part} ({as_percent(share)})" for part, share in own.select("part", "share").iter_rows()]
        made.append(((own["group"][0], ", ".join(parts)), (Cell(short(float(own["items"].sum()))),)))
    into = "into" if group == "class" else "of"
    return Table((group, into), ("items",), tuple(made))


def lines(result: Clustering) -> list[str]:
    """Advice, then what the numbers rest on."""
    said = []
    # What holds for every clustering alike is said once.
    often = Counter((remark.code, remark.says) for remark in result.advice)
    for remark in result.advice:
        whose = "" if often[remark.code, remark.says] == len(result.systems) else f"{remark.system}: "
        said.append(f"* {whose}{remark.says} [{remark.code}]")
    said = [*dict.fromkeys(said), ""] if said else []
    return [*said, *undefined(result, called), *_basis(result)]


def _basis(result: Clustering) -> Iterator[str]:
    """How many items, classes and clusters there were, and where intervals come from."""
    several = len(result.systems) > 1
    held = {system.name: _size(result, system.name) for system in result.systems}
    if len(set(held.values())) == 1:
        yield f"{next(iter(held.values()))}."
    else:
        yield f"{'; '.join(f'{name}: {size}' for name, size in held.items())}."
    found = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    drawn = sorted({one.resamples for one in found if one.method == SUBSAMPLING})
    if drawn:
        way = f"{INTERVALS[SUBSAMPLING].short} ({' or '.join(f'{one:,}' for one in drawn)}, seed {result.seed})"
        yield f"Intervals ({as_level(result.confidence)}): {way}; the clusters are taken as they are."
    yield from _without_interval(result)
    yield from _left_out(result)
    yield from filter(None, dict.fromkeys(of_points(result, system.name) for system in result.systems))
    if several and any(_has_points(result, system.name) for system in result.systems):
        yield f"Distances are {result.rules.metric}."


def _left_out(result: Clustering) -> Iterator[str]:
    """Whose table of classes and clusters is too large to be shown, and where it is."""
    for system in result.systems:
        table = result.contingency(system.name)
        if table is not None and _is_large(table):
            of = f"{system.name}: the" if len(result.systems) > 1 else "The"
            size = f"{number_of('class', len(table.classes))} and {number_of('cluster', len(table.clusters))}"
            yield f"{of} table of {size} is too large to show: see --per-cluster, --json, or assay report."


def of_points(result: Clustering, system: str) -> str:
    """That silhouettes are of more points than there are items with a class, or nothing."""
    table, points = result.contingency(system), result.points(system)
    if table is None or points is None or table.is_weighted or len(points.codes) <= table.items[0]:
        return ""
    items = number_of("item", int(table.items[0]))
    return f"Silhouettes are of all {len(points.codes):,} points, other numbers of the {items} with a class."


def _without_interval(result: Clustering) -> Iterator[str]:
    found = [
        (called(measure), system.name, result.estimate(measure, system.name).no_interval)
        for measure in result.measures
        for system in result.systems
    ]
    yield from without_interval(found, len(result.systems))


def _has_points(result: Clustering, system: str) -> bool:
    return result.points(system) is not None


def _size(result: Clustering, system: str) -> str:
    table, points = result.contingency(system), result.points(system)
    parts = []
    if table is not None:
        total = float(table.items[0])
        weight = "a weight of " if table.is_weighted else ""
        items = f"{weight}{short(total)}" if weight else number_of("item", int(total))
        parts.append(f"{items}, {number_of('class', len(table.classes))}, {number_of('cluster', len(table.clusters))}")
    if points is not None:
        own = number_of("point", len(points.codes))
        parts.append(own if table is not None else f"{own}, {number_of('cluster', len(points.clusters))}")
    return ", ".join(parts)


def to_json(result: Clustering) -> str:
    """Everything that is known, numbers in full, null where there is none."""
    rows = result.to_frame().to_dicts()
    told = {
        "schema_version": JSON_SCHEMA_VERSION,
        "rules": result.rules._asdict(),
        "confidence": result.confidence,
        "resamples": result.resamples,
        "seed": result.seed,
        "warnings": list(result.warnings),
        "signatures": result.signatures,
        "advice": [remark._asdict() for remark in result.advice],
        "systems": [_system(result, system.name, rows) for system in result.systems],
    }
    return as_json(told)


def _system(result: Clustering, name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {"name": name}
    clusters = result.system(name).clusters
    if clusters is not None:
        told["items"] = len(clusters)
    told["measures"] = measured(rows, name)
    told["clusters"] = result.per_cluster(name).to_dicts()
    table = result.contingency(name)
    if table is not None:
        told["left_out"] = dict(table.left_out)
        told["contingency"] = table.to_frame().to_dicts()
        told["classes"] = result.per_class(name).to_dicts()
        told["moves"] = result.moves(name).to_dicts()
    return told
