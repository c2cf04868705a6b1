"""Measures of a clustering against known classes, on `Contingency`."""

from __future__ import annotations

import numpy as np

from assay.counting.contingency import Contingency
from assay.counting.judgments import Floats
from assay.measures.registry import measure
from assay.measures.steps import PerQuery, Steps

NO_ITEM = "there is no item"


@measure(aliases=("ClusterPurity",))
def Purity(table: Contingency) -> PerQuery:
    r"""Purity: the share of the items that belong to the largest class of their cluster.

    .. math:: \frac{1}{N} \sum_k \max_j n_{jk}

    :math:`n_{jk}` is how many items of class *j* are in cluster *k*. More clusters make it larger: with one a item it
    is 1, whatever the clusters are worth.

    >>> Purity.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # (5 + 4 + 3) / 17
    array([0.7059])
    """
    clusters = _groups("cluster", table.cluster_sizes, largest_class=table.largest_of_clusters)
    return clusters.sum("largest_class") / clusters.sum("items", NO_ITEM)


def _groups(kind: str, sizes: Floats, **columns: Floats) -> Steps:
    """A row a class or a cluster that has items, unit by unit."""
    unit, place = np.nonzero(sizes)
    rows = {name: values[unit, place] for name, values in columns.items()}
    return Steps(unit, len(sizes), {kind: place, "items": sizes[unit, place], **rows}, says=f"{kind}s")
