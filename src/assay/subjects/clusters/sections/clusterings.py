"""What clusterings show: classes by clusters, measures with intervals, clusters, classes; and over their number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level, as_percent, short
from assay.core.errors import number_of
from assay.core.words import INTERVALS
from assay.show.model import Column, Document, Kind, Prose, Section, Table, Verdict
from assay.stats.confidence import SUBSAMPLING
from assay.subjects.clusters.over_k import STABILITY
from assay.verbs.sections.estimates import (
    DASH,
    advice_section,
    measures_table,
    prefix,
    prose_section,
    settings_of,
    undefined,
    without_interval,
)
from assay.verbs.sections.matrices import contingency_table

if TYPE_CHECKING:
    from assay.measures.counting.contingency import Contingency
    from assay.subjects.clusters.over_k import NumberOfClusters
    from assay.subjects.clusters.result import Clustering

#: Tables of more classes or clusters than this are not shown.
MOST_CLASSES, MOST_CLUSTERS = 25, 15
_KINDS: dict[str, Kind] = dict.fromkeys(("items", "of_largest", "held", "clusters"), "count")
_KINDS |= {"share": "percent", "misplaced": "percent", "purity": "bar"}
_SPREAD = f"{STABILITY} (sd)"


def document(result: Clustering) -> Document:
    """Classes by clusters of each clustering, the measures of all, what else was asked for; advice, and the basis."""
    names = [system.name for system in result.systems]
    held = {name: table for name in names if (table := result.contingency(name)) is not None}
    small = {name: table for name, table in held.items() if not _is_large(table)}
    contingencies = tuple(contingency_table(table, prefix(result, name)) for name, table in small.items())
    settings = settings_of(result, "confidence", "resamples", "seed", "warnings", "signatures")
    counts = {"contingency": {name: table.to_frame().to_dicts() for name, table in held.items()}}
    sections = (
        Section("contingency", parts=contingencies, data=counts),
        Section("measures", parts=(measures_table(result),), data={"measures": result.to_frame().to_dicts()}),
        Section("systems", parts=tuple(_groups(result, name) for name in names)),
        advice_section(result, "remarks"),
        prose_section("basis", _basis(result), {"rules": result.rules._asdict()} | settings),
    )
    return Document("clustering", sections, ", ".join(names))


def _is_large(table: Contingency) -> bool:
    return len(table.classes) > MOST_CLASSES or len(table.clusters) > MOST_CLUSTERS


def _groups(result: Clustering, system: str) -> Section:
    """What was asked for besides: clusters, classes, splits and merges. JSON has all of them."""
    before, asked = prefix(result, system), result.shown
    clusters, items = result.per_cluster(system), result.system(system).clusters
    data: dict[str, Any] = {} if items is None else {"items": len(items)}
    data |= {"clusters": clusters.to_dicts()}
    parts = [groups_table("clusters", clusters, f"{before}clusters")] if asked.per_cluster else []
    if (table := result.contingency(system)) is not None:
        classes, moves = result.per_class(system), result.moves(system)
        data |= {"left_out": dict(table.left_out), "classes": classes.to_dicts(), "moves": moves.to_dicts()}
        parts += [groups_table("classes", classes, f"{before}classes")] if asked.per_class else []
        parts += moves_tables(moves, before) if asked.moves else []
    return Section(system, parts=tuple(parts), data=data)


def groups_table(name: str, frame: pl.DataFrame, caption: str) -> Table:
    """Clusters, or classes, in the order of the frame's columns: names among the numbers stay where they are."""
    columns = []
    for key, dtype in frame.schema.items():
        title = "F1" if key == "f1" else key.replace("_", " ")
        kind = _KINDS.get(key, "text" if dtype == pl.String else "number")
        columns.append(Column(key, title, kind, missing=DASH))
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


def _basis(result: Clustering) -> Iterator[str]:
    """What is undefined; how many items, classes and clusters there were, and where intervals come from."""
    names = [system.name for system in result.systems]
    yield from undefined(result)
    sizes = {name: _size(result, name) for name in names}
    each = [f"{name}: {size}" for name, size in sizes.items()]
    yield f"{sizes[names[0]] if len(set(sizes.values())) == 1 else '; '.join(each)}."
    estimates = [result.estimate(measure, name) for measure in result.measures for name in names]
    halves = sorted({estimate.resamples for estimate in estimates if estimate.method == SUBSAMPLING})
    if halves:
        way = f"{INTERVALS[SUBSAMPLING].short} ({' or '.join(f'{count:,}' for count in halves)}, seed {result.seed})"
        yield f"Intervals ({as_level(result.confidence)}): {way}; the clusters are taken as they are."
    yield from without_interval(result)
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


def number_of_clusters(result: NumberOfClusters) -> Document:
    """One row per number of clusters; the verdict, what else to know, and what the numbers rest on."""
    table, measures, reference = numbers_table(result), result.to_frame(), result.reference
    verdict = Verdict(result.verdict, "good" if result.verdict == "agree" else "open", f"Verdict: {result.says()}.")
    remarks = tuple(result.remarks())
    without_number = dict.fromkeys(
        f"{measure} with {k} clusters is undefined: {reason}."
        for k, measure, reason in measures.drop_nulls("undefined").select("k", "measure", "undefined").rows()
    )
    settings = settings_of(result, "by", "metric", "items", "resamples", "seed", "warnings")
    settings["reference"] = None
    if reference is not None:
        settings["reference"] = settings_of(reference, "value", "points") | {"without_structure": reference.without}
    sections = (
        Section("numbers", parts=(table,), data={"measures": measures.to_dicts()}),
        Section("verdict", parts=(verdict,), data={"k": result.k, "votes": result.votes}),
        Section("remarks", parts=(Prose(style="list", points=remarks),) if remarks else ()),
        prose_section("basis", (*without_number, *result.basis()), settings),
    )
    return Document("number of clusters", sections, table.caption)


def numbers_table(result: NumberOfClusters) -> Table:
    """One row per number of clusters; what a measure prefers stands out, and stands below."""
    rows: list[dict[str, Any]] = []
    for at in result.rows:
        row = {"k": at.k, "smallest": at.smallest} | {name: result.value(name, at.k) for name in result.names}
        rows.append(row | ({} if at.stability is None else {_SPREAD: at.stability.spread}))
    prefers = {name: result.preferred(name) for name in result.names}
    columns = (Column(name, kind="number", also=_SPREAD if name == STABILITY else "") for name in result.names)
    return Table(
        "numbers",
        pl.DataFrame(rows, infer_schema_length=None),
        (Column("k"), *columns, Column("smallest", kind="count")),
        "measures over the number of clusters k",
        best=frozenset((result.ks.index(k), name) for name, k in result.votes.items()),
        foot={"k": "prefers"} | {name: DASH if k is None else str(k) for name, k in prefers.items()},
    )
