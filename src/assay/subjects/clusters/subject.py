"""What are clusterings."""

from __future__ import annotations

from typing import Any

from assay.measures.counting.contingency import Contingency
from assay.subjects.clusters.pairing import Clusterings
from assay.subjects.clusters.result import Clustering
from assay.tables.clusters import Clusters
from assay.verbs.recognition import consists_of


def are_clusters(value: Any) -> bool:
    """Whether something is clusterings: a `Clustering`, `Clusters`, tables or files of them, or several.

    >>> are_clusters(Clusters.of([0, 1], [1, 1])), are_clusters({"q1": {"d1": 1.0}})
    (True, False)
    """
    kinds = (Clustering, Clusterings, Clusters, Contingency)
    return consists_of(value, kinds, "assay.files.clusters:looks_like_clusters")
