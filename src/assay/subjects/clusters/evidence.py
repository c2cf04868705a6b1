"""The basis of a report on clusterings: their numbers, their comparison, and what is drawn of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from assay.core.digits import as_percent
from assay.core.errors import InputError, ParameterError
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats
from assay.subjects.clusters.curves import largest, left_out, silhouettes
from assay.subjects.clusters.evaluation import cluster
from assay.subjects.clusters.result import Clustering, arranged
from assay.subjects.clusters.subject import Clusterings
from assay.verbs.comparison import Comparison, compare
from assay.verbs.curves import Curve
from assay.verbs.report.items import Items

#: Of more classes and clusters than these, the largest are drawn.
MOST_CLASSES, MOST_CLUSTERS = 20, 30


class DrawnTable(NamedTuple):
    """The largest classes and clusters of a table, by their places: what belongs together stands on the diagonal."""

    classes: list[int]
    clusters: list[int]
    counts: Floats
    #: True where a cell holds the largest class of its cluster.
    largest: np.ndarray
    #: The classes and clusters that are kept, and the share of the others; empty if all are.
    left_out: str

    @classmethod
    def of(cls, table: Contingency) -> DrawnTable:
        """The part of a table that is drawn."""
        rows, columns = arranged(table)
        classes = largest(rows, table.class_sizes[0], MOST_CLASSES)
        clusters = largest(columns, table.cluster_sizes[0], MOST_CLUSTERS)
        counts = table.part(classes, clusters).astype(np.float64)
        kept = left_out(table, classes, clusters)
        if kept:
            rest = "of the weight is" if table.is_weighted else "of the items are"
            kept = f"Shown are {kept}; {as_percent(1 - counts.sum() / float(table.items[0]))} {rest} in others."
        is_largest = (counts > 0) & (counts == table.largest_of_clusters[0][clusters])
        return cls(classes, clusters, counts, is_largest, kept)


@dataclass(frozen=True, eq=False)
class Evidence(Items[Clustering]):
    """Clusterings, compared with a baseline, and the parts of their tables and points that are drawn."""

    kind = "clustering"
    role = "clusters"
    described = "clusterings"
    details = "maps, silhouettes and clusters"
    verb = staticmethod(cluster)
    result_type = Clustering
    subject = "clusters"

    @staticmethod
    def taken_from(clusterings: Clusterings) -> tuple[list[Any], dict[str, Any]]:
        """The clusters that were compared, and by which rules."""
        return [system.clusters for system in clusterings.systems], clusterings.rules._asdict()

    def compared(self, asked: dict[str, Any], comparison: Comparison | None) -> Self:
        """The same with the clusterings held against the baseline; or why not."""
        try:
            comparison = comparison or compare(self.result, baseline=self.baseline, **asked)
        except (InputError, ParameterError) as problem:
            return replace(self, notes=(f"the clusterings are not compared: {problem}",))
        return replace(self, comparison=comparison, notes=comparison.notes)

    def complete(self) -> Self:
        """Finish every measure, and the silhouettes of the clusterings that are looked at closely."""
        self.result.complete()
        _ = self.drawn, self.silhouettes
        return self

    @cached_property
    def drawn(self) -> Mapping[str, DrawnTable]:
        """The table of each clustering that is looked at closely, if its classes are known."""
        tables = {system: self.result.contingency(system) for system in self.close}
        return {system: DrawnTable.of(table) for system, table in tables.items() if table is not None}

    @cached_property
    def silhouettes(self) -> Mapping[str, Curve]:
        """The silhouettes of each clustering that has some: nobody waits for those of many points unasked."""
        result = self.result
        points = {system: result.points(system) for system in self.close}
        return {
            system: silhouettes(result, system=system)
            for system, each in points.items()
            if each is not None and "silhouette" in result.per_cluster(system).columns and len(each.clusters) > 1
        }
