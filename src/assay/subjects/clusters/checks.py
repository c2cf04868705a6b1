"""Checks of clusterings, and clusterings as the doctor looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from assay.core.errors import ParameterError, listed, number_of, quote, worded
from assay.files.clusters import read_clusters
from assay.files.sources import Source, is_file
from assay.subjects.clusters.remarks import USUAL_NOISE
from assay.subjects.clusters.rules import Rules
from assay.tables.clusters import Clusters
from assay.tables.roles import is_frame
from assay.verbs.diagnosis.examination import (
    CheckFinding,
    Examination,
    Examined,
    Overview,
    Reading,
    Severity,
    among,
    check,
    finding,
    share,
    unreadable,
)

_LOOSEN = "let the algorithm find clusters (a larger radius, fewer neighbours)"
_NAME = "name the noise label with `{noise}`"


@dataclass(frozen=True, eq=False)
class ExaminedClusters:
    """One clustering, and the label of items that are in no cluster."""

    of: Clusters
    noise: Any = None

    @property
    def file(self) -> str:
        """The file that it comes from."""
        return self.of.whence

    @property
    def system(self) -> str:
        """The name of the system."""
        return self.of.name

    def items(self, rows: pl.Series) -> pl.Series:
        """The items of a mask."""
        return self.of.item_id.filter(rows)


class ClustersExamination(Examination):
    """A file as it was read, each clustering, its points, and all clusterings together.

    A further option: `columns`, which columns hold what, as `read_clusters` takes them. `{name: file}` as an input
    names a file's clustering.
    """

    modules = ("assay.subjects.clusters.checks",)
    options = ("noise",)

    def things(self) -> Iterator[Examined]:
        """Each clustering, then all of them."""
        self.files: list[str] = []
        self.systems: list[ExaminedClusters] = []
        for data in self.inputs:
            name, readable = next(iter(data.items())) if isinstance(data, Mapping) and len(data) == 1 else (None, data)
            for thing in self._opened(readable, name):
                self.files.append(thing.file)
                if isinstance(thing, Reading):
                    yield Examined(thing, ("file",))
                    continue
                self.systems.append(thing)
                yield Examined(thing, ("clustering",))
                if thing.of.points is not None:
                    yield Examined(thing, ("points",))
        if not self.files:
            raise ParameterError("there is no clustering to look at")
        if len(self.systems) > 1:
            yield Examined(self.systems, ("clusterings",))

    def _opened(self, readable: Any, name: str | None) -> Iterator[Reading | ExaminedClusters]:
        noise = self.stated.get("noise")
        columns = dict(self.stated.get("columns") or {})
        if isinstance(readable, Clusters):
            reading, systems = self.opened(readable.whence, lambda: [replace(readable, name=name or readable.name)])
        elif is_file(readable) or is_frame(readable):
            source = Source.of(readable) if is_file(readable) else readable
            path = source.name if isinstance(source, Source) else "clusters"
            readers = [partial(read_clusters, source, name=name, **columns)]
            if columns.pop("points", None) is not None:  # clusters may be sound where points are not
                readers.append(partial(read_clusters, source, name=name, **columns))
            reading, systems = self.opened(path, *readers)
        else:
            raise ParameterError(f"doctor takes files of clusters, or Clusters, not {type(readable).__name__}")
        yield reading
        yield from (ExaminedClusters(system, noise) for system in systems or ())

    def overview(self) -> Overview:
        """The files, and the clusterings in them."""
        files = [*dict.fromkeys(self.files)]
        systems = tuple(system.system for system in self.systems)
        title = f"{listed(files)}, {number_of('clustering', len(systems))}"
        return Overview(title, {"clusters": files, "systems": [*systems]}, len(systems), "clustering", systems)


unreadable(
    "unreadable-clusters",
    __name__,
    question="Is the file no table of clusters, is a coordinate not finite, or does an item have no cluster?",
    advice="give each item a cluster, in a column `cluster`, and a point of finite numbers",
)


@check(
    "noise", "clustering", "error", "warning",
    question="Are all items noise (an error), or does a cluster have a label that usually means noise?",
    advice=f"{_LOOSEN}; {_NAME}",
)  # fmt: skip
def noise(system: ExaminedClusters) -> Iterator[CheckFinding]:
    """No cluster but noise; -1 that counts as a cluster."""
    if Rules(noise=system.noise).noisy(system.of).all():
        message = "all items are noise: there is no cluster"
        yield finding("noise", "error", system, message, len(system.of), todo=_LOOSEN)
    elif system.noise is None:
        usual = system.of.cluster.cast(pl.String).str.to_lowercase().is_in(USUAL_NOISE)
        labels = system.of.cluster.filter(usual)
        message = f"{number_of('item', len(labels))} labelled {quote(str(labels.first()))} count as one cluster"
        for each in among("noise", "warning", system, "item", system.items(usual), message=message):
            yield replace(each, advice=worded(_NAME))


@check(
    "clustered-twice", "clustering", "error", "warning",
    question="Is an item listed twice, in two clusters (an error) or in the same one?",
    advice="keep one row per item: overlapping clusters are not supported, and copies count twice",
)  # fmt: skip
def clustered_twice(system: ExaminedClusters) -> Iterator[CheckFinding]:
    """Ids that come again."""
    frame = system.of.frame
    again = frame["item_id"].is_duplicated()
    differ = again & frame.select(pl.col("cluster").n_unique().over("item_id") > 1).to_series()
    for rows, where, severity in (
        (differ, "in several clusters", "error"),
        (again & ~differ, "in the same cluster", "warning"),
    ):
        ids = system.items(rows).unique(maintain_order=True)
        message = f"{number_of('item', len(ids))} more than once, {where}"
        yield from among("clustered-twice", severity, system, "item", ids, message=message)  # type: ignore[arg-type]


@check(
    "absent-classes", "clustering", "warning",
    question="Are there items without a class, where others have one?",
    advice="`{unlabelled=drop}` leaves them out, `{unlabelled=class}` makes them a class; otherwise evaluation stops",
)  # fmt: skip
def absent_classes(system: ExaminedClusters) -> Iterator[CheckFinding]:
    """Empty cells of the class."""
    if system.of.truth is not None:
        absent = system.items(system.of.truth.is_null())
        message = f"{share(len(absent), len(system.of), 'item')} without a class"
        yield from among("absent-classes", "warning", system, "item", absent, message=message)


@check(
    "constant-points", "points", "error", "note",
    question="Are all points the same (an error), or is a coordinate the same for all items?",
    advice="check that the right columns were named: a constant adds nothing to a distance",
)  # fmt: skip
def constant_points(system: ExaminedClusters) -> Iterator[CheckFinding]:
    """Columns without a difference."""
    points = system.of.points
    if points is None or len(points) < 2:
        return
    constant = (points == points[0]).all(axis=0)
    if not constant.any():
        return
    names = system.of.point_names or [f"column {number + 1}" for number in range(points.shape[1])]
    which = [name for name, is_constant in zip(names, constant, strict=True) if is_constant]
    message = "all points are the same" if constant.all() else f"the same number for all items: {listed(which)}"
    yield finding("constant-points", "error" if constant.all() else "note", system, message, len(which))


@check(
    "other-items", "clusterings", "error", "warning",
    question="Does one clustering lack items that another has, or do two have no item in common (an error)?",
    advice="cluster the same items, under the same ids: clusterings are compared item by item",
)  # fmt: skip
def other_items(systems: Sequence[ExaminedClusters]) -> Iterator[CheckFinding]:
    """Each against the first."""
    first, *others = systems
    ids = first.of.item_id
    for other in others:
        missing = first.items(~ids.is_in(other.of.item_id.implode()))
        extra = other.items(~other.of.item_id.is_in(ids.implode()))
        message = f"{number_of('item', len(missing))} of {first.system} missing, {len(extra):,} not in it"
        severity: Severity = "error" if len(extra) == len(other.of) else "warning"
        yield from among("other-items", severity, other, "item", [*missing, *extra], message=message)
