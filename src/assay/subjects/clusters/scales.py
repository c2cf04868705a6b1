"""Columns of points that are in different units: one of them may decide alone how far points are apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.core.digits import as_percent
from assay.tables.clusters import Clusters

#: A column with more than this part of all variance decides nearly alone.
_NEARLY_ALL = 0.9
#: Metrics that bring columns to one scale, or look at directions.
_ON_ONE_SCALE = ("cosine", "correlation", "precomputed")


def uneven_columns(clusters: Clusters, metric: str) -> Iterator[str]:
    """A warning if nearly all of the variance is in one column.

    >>> metres = Clusters.of(None, [0, 0, 1], X=[[1, 90], [2, 10], [1, 50]])
    >>> print(next(uneven_columns(metres, "euclidean")).split(",")[0])
    column 2 has 99.98% of the variance
    """
    points = clusters.points
    if points is None or metric in _ON_ONE_SCALE or points.shape[1] == 1:
        return
    # Of numbers near the largest that there are, squares have no place: what matters is how they compare.
    variance = (points / max(float(np.abs(points).max()), np.finfo(float).tiny)).var(axis=0)
    if not variance.any() or np.count_nonzero(variance) == 1:
        return
    largest, share = int(variance.argmax()), float(variance.max() / variance.sum())
    if share > _NEARLY_ALL:
        name = clusters.point_names[largest] if clusters.point_names else f"column {largest + 1}"
        yield (
            f"{name} has {as_percent(share, 2)} of the variance, and so decides nearly alone how far points are apart: "
            "standardise columns that are in different units"
        )
