"""What a report on clusterings holds: plain data, from which every form of it is written."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.reporting.contents import Provenance, Reference, Spoken
from assay.reporting.item_contents import MeasuredSystem, RemarkOf, ShownMeasure


class MapCell(NamedTuple):
    """Items of one class in one cluster, as a count (or weight) and as shares; the first of them.

    `largest` says whether the class is the largest one of the cluster: what purity counts.
    """

    number: float
    of_class: float
    of_cluster: float
    of_all: float
    largest: bool
    items: tuple[str, ...] = ()
    all_items: int = 0


class ContingencyMap(NamedTuple):
    """A clustering's table: rows are classes, columns clusters; `left_out` says which are not shown."""

    system: str
    classes: tuple[str, ...]
    clusters: tuple[str, ...]
    cells: tuple[tuple[MapCell, ...], ...]
    left_out: str = ""


class SilhouetteItem(NamedTuple):
    """A point that lies nearer to another cluster."""

    item_id: str
    cluster: str
    nearest: str
    value: float


class SilhouetteCluster(NamedTuple):
    """The silhouettes of a cluster that are drawn, the largest first."""

    cluster: str
    items: int
    mean: float
    values: tuple[float, ...]


class Silhouettes(NamedTuple):
    """A clustering's silhouettes; `note` says that not all are drawn, or of what; `misplaced` counts points below 0."""

    system: str
    clusters: tuple[SilhouetteCluster, ...]
    mean: float
    items: int
    misplaced: int
    worst: tuple[SilhouetteItem, ...]
    note: str = ""


class ClusterRow(NamedTuple):
    """A cluster: its items, its largest class, its silhouette; empty or NaN where that is not known."""

    cluster: str
    items: float
    share: float
    largest_class: str = ""
    purity: float = math.nan
    silhouette: float = math.nan
    misplaced: float = math.nan


class ClassRow(NamedTuple):
    """A class: where most of it is, and how well the cluster that matches best would do as a guess at it."""

    name: str
    items: float
    clusters: int
    largest_cluster: str
    held: float
    best_match: str
    precision: float
    recall: float
    f1: float


class Part(NamedTuple):
    """A part of a class or a cluster: its name, its items and its share."""

    name: str
    items: float
    share: float


class Move(NamedTuple):
    """A class that is split over clusters (`split`), or a cluster that merges classes (`merged`)."""

    kind: str
    group: str
    parts: tuple[Part, ...]


class Groups(NamedTuple):
    """A clustering's clusters, classes, splits and merges; `left_out` says which are not shown, and of what."""

    system: str
    clusters: tuple[ClusterRow, ...]
    classes: tuple[ClassRow, ...]
    moves: tuple[Move, ...]
    left_out: str = ""


class OverK(NamedTuple):
    """A measure over the number of clusters; NaN where it is undefined; `spread` is that of stability."""

    measure: str
    ks: tuple[int, ...]
    values: tuple[float, ...]
    spread: tuple[float, ...]
    preferred: int | None


class NumberOf(NamedTuple):
    """Which number of clusters the points have: measures over k, the verdict, remarks, and how it was made."""

    measures: tuple[OverK, ...]
    says: str
    remarks: tuple[str, ...]
    basis: tuple[str, ...]


class ClusterContents(NamedTuple):
    """Everything in a report on clusterings, in reading order. What cannot be had is empty, and `notes` says why."""

    title: str
    lead: str
    confidence: float
    summary: tuple[str, ...]
    remarks: tuple[RemarkOf, ...]
    measures: tuple[ShownMeasure, ...]
    systems: tuple[MeasuredSystem, ...]
    verdicts: tuple[Spoken, ...]
    maps: tuple[ContingencyMap, ...]
    silhouettes: tuple[Silhouettes, ...]
    groups: tuple[Groups, ...]
    number_of: NumberOf | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    methods: str
    references: tuple[Reference, ...]
    provenance: Provenance

    @property
    def dummy(self) -> str:
        """No clustering without skill stands beside the measures."""
        return ""
