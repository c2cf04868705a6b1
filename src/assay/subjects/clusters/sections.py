"""Documents of clusterings: on the terminal, and in the sections of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import as_level, as_percent, counted, number, short
from assay.core.errors import number_of
from assay.core.words import INTERVALS
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.points import Points
from assay.show.legible import cut_apart
from assay.show.model import Column, Document, Kind, Part, Prose, Section, Table, Verdict, Widget
from assay.stats.estimates import SUBSAMPLING
from assay.subjects.clusters.evidence import DrawnTable, Evidence
from assay.subjects.clusters.over_k import STABILITY, NumberOfClusters
from assay.subjects.clusters.result import Clustering
from assay.tables.clusters import label_text
from assay.verbs.curves import Curve
from assay.verbs.sections.curves import figure
from assay.verbs.sections.estimates import (
    DASH,
    advice_section,
    contingency_table,
    measures_table,
    prefix,
    prose_section,
    settings_of,
    undefined,
    without_interval,
)
from assay.verbs.sections.heat_maps import HeatMap, HeatSides
from assay.verbs.sections.items import by_system, further_advice, measured
from assay.verbs.sections.reports import LONGEST_NAME, is_bounded, named, verdicts

#: Tables of more classes or clusters than this are not shown.
MOST_CLASSES_ON_SCREEN, MOST_CLUSTERS_ON_SCREEN = 25, 15

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
    return len(table.classes) > MOST_CLASSES_ON_SCREEN or len(table.clusters) > MOST_CLUSTERS_ON_SCREEN


def _groups(result: Clustering, system: str) -> Section:
    """Groups that were asked for: clusters, classes, splits and merges. JSON has all of them."""
    before = prefix(result, system)
    asked = result.shown
    clusters = result.per_cluster(system)
    items = result.system(system).clusters
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
    """Undefined numbers, their reasons; numbers of items, classes and clusters, and the source of intervals."""
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
    """A note that silhouettes are of more points than there are items with a class, or nothing."""
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
    table = numbers_table(result)
    measures = result.to_frame()
    reference = result.reference
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
    return Document("number of clusters", sections, "Measures over the number of clusters k")


def numbers_table(result: NumberOfClusters) -> Table:
    """One row per number of clusters; what a measure prefers stands out, and stands below."""
    rows: list[dict[str, Any]] = []
    for k, smallest in result.smallest.items():
        row = {"k": k, "smallest": smallest} | {name: result.value(name, k) for name in result.names}
        rows.append(row | ({_SPREAD: result.spreads[k]} if result.spreads else {}))
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


#: Rows of the tables of clusters and classes, and of misplaced points.
MOST_ROWS, MOST_MISPLACED = 100, 12

_SIDES = HeatSides(
    keys=("class", "cluster"),
    corner="class ↓ cluster →",
    ways=("Share of each class (rows)", "Share of each cluster (columns)"),
    wholes=("of the class {}", "of the cluster {}"),
    right="{items} of class {row} in cluster {column}",
    wrong="{items} of class {row} in cluster {column}",
    legend="Rows are classes, columns clusters. Green is the largest class of a cluster, which purity counts; red are "
    "the others in it.",
    back="Back to the map",
)

_MOVES = {"split": ("class", "is split over"), "merged": ("cluster", "merges")}


def sections(evidence: Evidence) -> Iterator[Section]:
    """All sections that have something to show, in reading order."""
    result, held = evidence.result, evidence.comparison
    yield measured(result)
    yield from further_advice(result)
    if held is not None:
        bounded = {str(measure) for measure in result.measures if is_bounded(measure)}
        lead = "Whether the difference could be due to the items that happen to be here."
        yield Section("compared", "Compared", (verdicts(held, "Clusterings compared", bounded),), lead)
    yield from (section for section in (_maps(evidence), _silhouettes(evidence)) if section.parts)
    parts = [_parts_groups(result, name, f"groups-{place}") for place, name in enumerate(evidence.close, 1)]
    yield by_system("groups", "Clusters and classes", "", parts, result, short="Groups")


def _maps(evidence: Evidence) -> Section:
    """The classes and clusters of each clustering, what belongs together side by side."""
    parts = []
    result = evidence.result
    for place, system in enumerate(evidence.close, 1):
        if system in evidence.drawn:
            heat = _map(result, system, evidence.drawn[system], f"map-{place}")
            pure = f"{counted(heat.counts.max(axis=0).sum())} of {counted(heat.counts.sum())}"
            parts.append(heat.section(system, f"{pure} are of the largest class of their cluster"))
    lead = "Which classes are in which clusters."
    return by_system("map", "Classes in clusters", lead, parts, result, short="Map")


def _map(result: Clustering, system: str, drawn: DrawnTable, name: str) -> HeatMap:
    """The largest classes and clusters, with the first items of each cell; nothing is known of those of a table."""
    table = result.contingency(system)
    assert table is not None  # it is drawn
    known = [table.classes[place] for place in drawn.classes], [table.clusters[place] for place in drawn.clusters]
    rows, columns = (cut_apart(list(map(label_text, each)), LONGEST_NAME) for each in known)
    caption = f"Classes of {system} in rows, clusters in columns"
    sums = table.class_sizes[0][drawn.classes], table.cluster_sizes[0][drawn.clusters], float(table.items[0])
    heat = HeatMap(name, caption, _SIDES, rows, columns, drawn.counts, sums, drawn.largest, left_out=drawn.left_out)
    held = result.system(system).clusters
    if held is None or held.truth is None:
        return heat
    ids = held.item_id if held.has_ids else None
    return heat.with_items((held.truth, result.rules.clusters_of(held)), known, ids)


def _silhouettes(evidence: Evidence) -> Section:
    """The silhouettes of each clustering that has some, and the points that lie nearest to another cluster."""
    parts = []
    result = evidence.result
    for place, system in enumerate(evidence.close, 1):
        if system in evidence.silhouettes:
            parts.append(_silhouettes_of(result, system, evidence.silhouettes[system], f"silhouettes-{place}"))
    lead = "How much nearer each point is to its own cluster than to the next: 1 is far apart, 0 lies between two."
    return by_system("silhouettes", "Silhouettes", lead, parts, result, short="Silhouettes")


def _silhouettes_of(result: Clustering, system: str, curve: Curve, name: str) -> Section:
    bars, points = result.bars(system), result.points(system)
    assert bars is not None  # there are clusters
    assert points is not None
    below = np.flatnonzero(points.silhouettes < 0)
    legend = (
        "One bar per point, the largest first; the broken line is the mean. Points whose bar goes to the left, red, "
        "lie nearer to another cluster."
    )
    text = f"The mean is {number(bars.mean)}; {len(below):,} of {bars.items:,} points lie nearer to another cluster."
    lines = filter(None, (text, f"{bars.note}." if bars.note else "", of_points(result, system)))
    keys = ("cluster", "points", "mean", "smallest", "largest")
    rows = [
        (named(each.cluster), each.items, each.mean, each.values.min(), each.values.max()) for each in bars.clusters
    ]
    table = Table.of("silhouettes", pl.DataFrame(rows, schema=keys, orient="row"), f"Silhouettes of {system}")
    chart = replace(figure(curve), title="", subtitle="", notes=(legend,), says=f"Silhouettes of {system}. {text}")
    parts: list[Part] = [chart, Prose(" ".join(lines), "dim"), replace(table, fold="In numbers")]
    if len(below):
        parts.append(_misplaced(system, points, below))
    data = {"system": system, "mean": bars.mean, "items": bars.items, "below_zero": len(below)}
    return Section(name, system, tuple(parts), aside=f"mean {number(bars.mean)}", data=data)


def _misplaced(system: str, points: Points, below: np.ndarray) -> Table:
    """The points that lie nearest to another cluster."""
    worst = below[np.argsort(points.silhouettes[below], kind="stable")][:MOST_MISPLACED]
    ids = points.item_id
    frame = pl.DataFrame(
        {
            "item_id": [named(row + 1 if ids is None else ids[row]) for row in worst.tolist()],
            "cluster": [named(points.clusters[code]) for code in points.codes[worst]],
            "nearest": [named(points.clusters[code]) for code in points.nearest[worst]],
            "silhouette": points.silhouettes[worst],
        }
    )
    titles = {"item_id": "item", "cluster": "its cluster", "nearest": "nearer to"}
    columns = (*(Column(key, title) for key, title in titles.items()), Column("silhouette", kind="number"))
    some = f"the first {len(worst):,} of {len(below):,}" if len(worst) < len(below) else f"{len(below):,}"
    caption, fold = (f"Points{of} that lie nearer to another cluster" for of in (f" of {system}", ""))
    return Table("misplaced", frame, columns, caption, fold=f"{fold}: {some}", look="listed")


def _parts_groups(result: Clustering, system: str, name: str) -> Section:
    """The clusters and classes of a clustering, its splits and merges; of many, the largest."""
    clusters = result.per_cluster(system)
    classes = pl.DataFrame()
    parts = list[Part]()
    if result.contingency(system) is not None:
        moves, classes = result.moves(system), result.per_class(system)
        if moves.height:
            bars = (_moves(moves, system),)
            rows = {"moves": moves.to_dicts()}
            parts.append(Section(f"{name}-moves", "Split and merged", bars, data=rows))
        note = (
            "Best match: the cluster that would do best as a guess at the class; precision is the share of the cluster "
            "that is of the class, recall the share of the class that is in the cluster."
        )
        table = replace(_table("classes", classes, f"Classes, by {system}"), notes=(note,))
        parts.append(Section(f"{name}-classes", "Where each class went", (table,)))
    table = _table("clusters", clusters, f"Clusters of {system}")
    parts.append(Section(f"{name}-clusters", "What is in each cluster", (table,)))
    more = {"cluster": clusters.height - MOST_ROWS, "class": classes.height - MOST_ROWS}
    rest = [number_of(f"smaller {what}", count) for what, count in more.items() if count > 0]
    lines = filter(None, (f"Not shown: {' and '.join(rest)}." if rest else "", of_points(result, system)))
    return Section(name, system, (*parts, *(Prose(line, "dim") for line in lines)), data={"system": system})


def _table(name: str, frame: pl.DataFrame, caption: str) -> Table:
    """The first rows of a frame with names that are not too long."""
    rows = frame.head(MOST_ROWS).with_columns(pl.col(pl.String).map_elements(named, return_dtype=pl.String))
    narrow = (key for key in frame.columns if not key.endswith("_distance"))
    return replace(groups_table(name, rows, caption).only(*narrow), look="groups")


def _moves(moves: pl.DataFrame, system: str) -> Widget:
    """Classes that are split over clusters, and clusters that merge classes, as bars of their parts."""
    bars: list[dict[str, Any]] = []
    for rows in moves.partition_by("kind", "group", maintain_order=True)[:MOST_ROWS]:
        starts = rows["share"].cum_sum() - rows["share"]
        parts = [
            (named(part), as_percent(share), f"{100 * start:.2f}%", f"{100 * share:.2f}%")
            for part, share, start in zip(rows["part"], rows["share"], starts, strict=True)
        ]
        bars.append({"words": _MOVES[rows["kind"][0]], "group": named(rows["group"][0]), "parts": parts})
    data = {"caption": f"Splits and merges of {system}", "moves": bars}
    return Widget("moves", data, tuple(moves_tables(moves)))
