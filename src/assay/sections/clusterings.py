"""What clusterings show: classes by clusters, measures with intervals, clusters, classes, splits and merges, advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.clustering.computing import called
from assay.core.digits import as_level, as_percent, short
from assay.core.errors import number_of
from assay.core.words import INTERVALS
from assay.sections.estimates import DASH, measures_table, undefined, without_interval
from assay.sections.matrices import contingency_table
from assay.show.model import Column, Document, Kind, Prose, Section, Table
from assay.stats.confidence import SUBSAMPLING

if TYPE_CHECKING:
    from assay.clustering import Clustering
    from assay.counting.contingency import Contingency

#: Tables of more classes or clusters than this are not shown.
MOST_CLASSES, MOST_CLUSTERS = 25, 15
_KINDS: dict[str, Kind] = {
    "share": "percent", "misplaced": "percent", "items": "short", "of_largest": "short", "held": "short",
    "clusters": "count",
}  # fmt: skip


def document(result: Clustering) -> Document:
    """Classes by clusters of each clustering, the measures of all, what else was asked for; advice, and the basis."""
    names = [system.name for system in result.systems]
    held = {name: table for name in names if (table := result.contingency(name)) is not None}
    contingencies = tuple(
        contingency_table(table, _prefix(result, name)) for name, table in held.items() if not _is_large(table)
    )
    settings = {"rules": result.rules._asdict(), "confidence": result.confidence, "resamples": result.resamples}
    settings |= {"seed": result.seed, "warnings": list(result.warnings), "signatures": result.signatures}
    counts = {"contingency": {name: table.to_frame().to_dicts() for name, table in held.items()}}
    remarks = {"remarks": [remark._asdict() for remark in result.advice]}
    sections = (
        Section("contingency", parts=contingencies, data=counts),
        Section("measures", parts=(measures_table(result, called),), data={"measures": result.to_frame().to_dicts()}),
        Section("systems", parts=tuple(_groups(result, name) for name in names)),
        Section("advice", parts=tuple(_advice(result)), data=remarks),
        Section("basis", parts=tuple(map(Prose, _basis(result))), data=settings),
    )
    return Document("clustering", sections, ", ".join(names))


def _prefix(result: Clustering, system: str) -> str:
    return f"{system}: " if len(result.systems) > 1 else ""


def _is_large(table: Contingency) -> bool:
    return len(table.classes) > MOST_CLASSES or len(table.clusters) > MOST_CLUSTERS


def _groups(result: Clustering, system: str) -> Section:
    """What was asked for besides: clusters, classes, splits and merges. JSON has all of them."""
    prefix, asked = _prefix(result, system), result.shown
    clusters, items = result.per_cluster(system), result.system(system).clusters
    data: dict[str, Any] = {} if items is None else {"items": len(items)}
    data |= {"clusters": clusters.to_dicts()}
    parts = [groups_table("clusters", clusters, f"{prefix}clusters")] if asked.per_cluster else []
    if (table := result.contingency(system)) is not None:
        classes, moves = result.per_class(system), result.moves(system)
        data |= {"left_out": dict(table.left_out), "classes": classes.to_dicts(), "moves": moves.to_dicts()}
        parts += [groups_table("classes", classes, f"{prefix}classes")] if asked.per_class else []
        parts += moves_tables(moves, prefix) if asked.moves else []
    return Section(system, parts=tuple(parts), data=data)


def groups_table(name: str, frame: pl.DataFrame, caption: str) -> Table:
    """Clusters, or classes, in the order of the frame's columns: names among the numbers stay where they are."""
    columns = (
        Column(key, key.replace("_", " "), _KINDS.get(key, "text" if dtype == pl.String else "number"), missing=DASH)
        for key, dtype in frame.schema.items()
    )
    return Table(name, frame, tuple(columns), caption)


def moves_tables(moves: pl.DataFrame, prefix: str = "") -> Iterator[Table]:
    """Classes that are split and clusters that merge some, each with its parts in words: 3 (45.0%), 1 (40.0%)."""
    for kind, title, group, into in (
        ("split", "classes split over clusters", "class", "into"),
        ("merged", "clusters of several classes", "cluster", "of"),
    ):
        rows = []
        for parts in moves.filter(kind=kind).partition_by("group", maintain_order=True):
            shares = zip(parts["part"], parts["share"], strict=True)
            words = ", ".join(f"{part} ({as_percent(share)})" for part, share in shares)
            rows.append({"group": parts["group"][0], "parts": words, "items": parts["items"].sum()})
        if rows:
            columns = (Column("group", group), Column("parts", into), Column("items", kind="short"))
            yield Table(kind, pl.DataFrame(rows), columns, prefix + title)


def _advice(result: Clustering) -> Iterator[Prose]:
    """All remarks; what holds for every clustering alike is said once."""
    often = Counter((remark.code, remark.says) for remark in result.advice)
    points = []
    for remark in result.advice:
        whose = "" if often[remark.code, remark.says] == len(result.systems) else f"{remark.system}: "
        points.append(f"{whose}{remark.says} [{remark.code}]")
    if points:
        yield Prose(style="list", points=tuple(dict.fromkeys(points)))


def _basis(result: Clustering) -> Iterator[str]:
    """What is undefined; how many items, classes and clusters there were, and where intervals come from."""
    names = [system.name for system in result.systems]
    yield from undefined(result, called)
    sizes = {name: _size(result, name) for name in names}
    each = [f"{name}: {size}" for name, size in sizes.items()]
    yield f"{sizes[names[0]] if len(set(sizes.values())) == 1 else '; '.join(each)}."
    estimates = [(measure, name, result.estimate(measure, name)) for measure in result.measures for name in names]
    drawn = sorted({estimate.resamples for *_, estimate in estimates if estimate.method == SUBSAMPLING})
    if drawn:
        way = f"{INTERVALS[SUBSAMPLING].short} ({' or '.join(f'{count:,}' for count in drawn)}, seed {result.seed})"
        yield f"Intervals ({as_level(result.confidence)}): {way}; the clusters are taken as they are."
    reasons = ((called(measure), name, estimate.no_interval) for measure, name, estimate in estimates)
    yield from without_interval(reasons, len(names))
    for name in names:
        if (table := result.contingency(name)) is not None and _is_large(table):
            size = f"{number_of('class', len(table.classes))} and {number_of('cluster', len(table.clusters))}"
            the = f"{name}: the" if len(names) > 1 else "The"
            yield f"{the} table of {size} is too large to show: see the table of clusters, JSON, or a report."
    yield from filter(None, dict.fromkeys(of_points(result, name) for name in names))
    if len(names) > 1 and any(result.points(name) is not None for name in names):
        yield f"Distances are {result.rules.metric}."


def of_points(result: Clustering, system: str) -> str:
    """That silhouettes are of more points than there are items with a class, or nothing."""
    table, points = result.contingency(system), result.points(system)
    if table is None or points is None or table.is_weighted or len(points.codes) <= table.items[0]:
        return ""
    items = number_of("item", int(table.items[0]))
    return f"Silhouettes are of all {len(points.codes):,} points, other numbers of the {items} with a class."


def _size(result: Clustering, system: str) -> str:
    table, points = result.contingency(system), result.points(system)
    parts = []
    if table is not None:
        total = float(table.items[0])
        parts = [f"a weight of {short(total)}" if table.is_weighted else number_of("item", int(total))]
        parts += [number_of("class", len(table.classes)), number_of("cluster", len(table.clusters))]
    if points is not None:
        parts.append(number_of("point", len(points.codes)))
        parts += [] if table is not None else [number_of("cluster", len(points.clusters))]
    return ", ".join(parts)
