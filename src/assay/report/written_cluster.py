"""A report on clusterings in Markdown, and the tables that it shares with the LaTeX form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.core.digits import NOT_AVAILABLE, as_level, as_percent, counted, number, signed, signed_span, span
from assay.report.layout import Cell, Table
from assay.report.written_items import as_markdown, without_interval
from assay.report.written_markdown import escaped, table, with_title

if TYPE_CHECKING:
    from assay.reporting.cluster_contents import ClusterContents, ContingencyMap, Groups, Move, NumberOf, Silhouettes


def to_markdown(contents: ClusterContents) -> str:
    """What the clusterings are worth, then what that rests on."""
    return as_markdown(contents, _blocks(contents))


def _blocks(contents: ClusterContents) -> Iterator[str]:
    yield "## Measures"
    yield table(measures_table(contents))
    yield from map(escaped, without_interval(contents, NOT_AVAILABLE))
    if contents.verdicts:
        words = [escaped(one.paragraph) for one in contents.verdicts]
        yield from with_title("Compared", [table(compared_table(contents)), *words])
    for one in contents.maps:
        yield from with_title(f"Classes in clusters, {escaped(one.system)}", [table(map_table(one))])
        yield escaped(f"Rows are classes, columns clusters; bold: the largest class of a cluster. {one.left_out}")
    for own in contents.silhouettes:
        yield from with_title(f"Silhouettes of {escaped(own.system)}", [table(silhouettes_table(own))])
        yield escaped(of_silhouettes(own))
    for groups in contents.groups:
        yield from _groups(groups)
    if contents.number_of is not None:
        said = [f"{contents.number_of.says}.", *(f"{text}." for text in contents.number_of.remarks)]
        shown = [table(numbers_table(contents.number_of)), *map(escaped, (*said, *contents.number_of.basis))]
        yield from with_title("How many clusters?", shown)


def _groups(groups: Groups) -> Iterator[str]:
    name = escaped(groups.system)
    yield from with_title(f"Clusters of {name}", [table(clusters_table(groups))])
    if groups.classes:
        yield from with_title(f"Classes, {name}", [table(classes_table(groups))])
    if groups.moves:
        yield from with_title(f"Splits and merges, {name}", [table(moves_table(groups.moves))])
    yield escaped(groups.left_out)


def measures_table(contents: ClusterContents) -> Table:
    """One row a clustering and measure: value, interval, and how that was made."""
    rows = tuple(
        (
            (row.system, one.measure, one.method),
            (
                Cell(number(one.value) if not one.undefined else f"{NOT_AVAILABLE} ({one.undefined})"),
                Cell(span(one.low, one.high)),
            ),
        )
        for row in contents.systems
        for one in row.estimates
    )
    return Table(("clustering", "measure", "interval by"), ("value", f"{as_level(contents.confidence)} interval"), rows)


def compared_table(contents: ClusterContents) -> Table:
    """One row a verdict."""
    rows = tuple(
        (
            (one.measure, one.system, one.baseline, one.word),
            (Cell(signed(one.difference)), Cell(signed_span(one.low, one.high))),
        )
        for one in contents.verdicts
    )
    return Table(("measure", "clustering", "against", "verdict"), ("difference", "interval"), rows)


def map_table(one: ContingencyMap) -> Table:
    """Counts, with the classes in the first column."""
    rows = tuple(
        ((name,), tuple(Cell(counted(cell.number), cell.largest) for cell in cells))
        for name, cells in zip(one.classes, one.cells, strict=True)
    )
    return Table(("class",), tuple(f"cluster {label}" for label in one.clusters), rows)


def silhouettes_table(own: Silhouettes) -> Table:
    """One row a cluster: points, the mean silhouette, the smallest and the largest."""
    rows = tuple(
        (
            (one.cluster,),
            (
                Cell(counted(one.items)),
                *(Cell(number(value)) for value in (one.mean, min(one.values), max(one.values))),
            ),
        )
        for one in own.clusters
    )
    return Table(("cluster",), ("points", "mean", "smallest", "largest"), rows)


def of_silhouettes(own: Silhouettes) -> str:
    """How many points lie nearer to another cluster, and of which there are silhouettes."""
    said = f"The mean is {number(own.mean)}; {own.misplaced:,} of {own.items:,} points lie nearer to another cluster."
    return f"{said} {own.note}." if own.note else said


def clusters_table(groups: Groups) -> Table:
    """One row a cluster."""
    has_classes = any(row.largest_class for row in groups.clusters)
    has_points = any(not math.isnan(row.silhouette) for row in groups.clusters)
    names = ("cluster", "largest class") if has_classes else ("cluster",)
    numbers = ("items", "share", *(["purity"] if has_classes else []))
    numbers += ("silhouette", "misplaced") if has_points else ()
    rows = []
    for row in groups.clusters:
        cells = [counted(row.items), as_percent(row.share), *([number(row.purity)] if has_classes else [])]
        cells += [number(row.silhouette), as_percent(row.misplaced)] if has_points else []
        rows.append(
            ((row.cluster, row.largest_class) if has_classes else (row.cluster,), tuple(Cell(text) for text in cells))
        )
    return Table(names, numbers, tuple(rows))


def classes_table(groups: Groups) -> Table:
    """One row a class."""
    rows = tuple(
        (
            (row.name, row.largest_cluster, row.best_match),
            (
                Cell(counted(row.items)),
                Cell(f"{row.clusters:,}"),
                *(Cell(number(value)) for value in (row.precision, row.recall, row.f1)),
            ),
        )
        for row in groups.classes
    )
    return Table(("class", "most of it in", "best match"), ("items", "clusters", "precision", "recall", "F1"), rows)


def moves_table(moves: Sequence[Move]) -> Table:
    """One row a class that is split, or a cluster that merges classes."""
    rows = tuple(
        (
            (f"{'class' if one.kind == 'split' else 'cluster'} {one.group}", one.kind, parts_of(one)),
            (Cell(counted(sum(part.items for part in one.parts))),),
        )
        for one in moves
    )
    return Table(("group", "is", "parts"), ("items",), rows)


def parts_of(one: Move) -> str:
    """The parts with their shares, in words."""
    return ", ".join(f"{part.name} ({as_percent(part.share)})" for part in one.parts)


def numbers_table(one: NumberOf) -> Table:
    """One row a number of clusters, a column a measure; what each prefers stands out."""
    first = one.measures[0]
    rows = tuple(
        (
            (str(k),),
            tuple(
                Cell(
                    number(own.values[place])
                    + ("" if math.isnan(own.spread[place]) else f" ± {number(own.spread[place])}"),
                    own.preferred == k,
                )
                for own in one.measures
            ),
        )
        for place, k in enumerate(first.ks)
    )
    return Table(("k",), tuple(own.measure for own in one.measures), rows)
