"""Measures of a clustering against known classes: how well clusters and classes match, on `Contingency`."""

from __future__ import annotations

import numpy as np

from assay.counting.contingency import Contingency
from assay.counting.judgments import Floats, Ints
from assay.measures.best_matches import best_matches
from assay.measures.domains import Beta
from assay.measures.registry import measure
from assay.measures.sets import square_of_beta
from assay.measures.steps import PerUnit, Steps

NO_ITEM = "there is no item"


@measure(aliases=("ClusterPurity",), cites="zhao2004")
def Purity(table: Contingency) -> PerUnit:
    r"""Purity: the share of the items that belong to the largest class of their cluster.

    .. math:: \frac{1}{N} \sum_k \max_j n_{jk}

    :math:`n_{jk}` is how many items of class *j* are in cluster *k*. More clusters make it larger: with one for each
    item it is 1, whatever the clusters are worth. So it goes with `InversePurity`, or with the number of clusters.

    >>> Purity.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # (5 + 4 + 3) / 17
    array([0.7059])
    """
    clusters = groups("cluster", table.cluster_sizes, largest_class=table.largest_of_clusters)
    return clusters.sum("largest_class") / clusters.sum("items", NO_ITEM)


@measure(aliases=("ClassPurity",))
def InversePurity(table: Contingency) -> PerUnit:
    r"""Inverse purity: the share of the items that are in the cluster that has most of their class.

    .. math:: \frac{1}{N} \sum_j \max_k n_{jk}

    Purity with classes and clusters exchanged. Fewer clusters make it larger: with a single one it is 1.

    >>> InversePurity.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # (5 + 4 + 3) / 17
    array([0.7059])
    """
    classes = groups("class", table.class_sizes, largest_cluster=table.largest_of_classes)
    return classes.sum("largest_cluster") / classes.sum("items", NO_ITEM)


@measure(aliases={"PurityF1": {}})
def PurityF(table: Contingency, *, beta: Beta = 1.0) -> PerUnit:
    r"""F of purity and inverse purity: their weighted harmonic mean.

    .. math:: \frac{(1 + \beta^2)\, P\, I}{\beta^2 P + I}

    *P* is purity and *I* inverse purity. With beta above 1, inverse purity weighs more. Neither many small clusters nor
    one large one get a high number.

    >>> PurityF.of(Contingency.from_table([[4, 1], [1, 2], [2, 0]]))  # P = 6/10, I = 8/10
    array([0.6857])
    """
    purity, inverse = Purity.per_unit(table), InversePurity.per_unit(table)
    return mean_of_both(purity.named("purity"), inverse.named("inverse purity"), beta)


@measure(aliases={"ClusteringAccuracy": {}, "UnsupervisedAccuracy": {}, "HungarianAccuracy": {}})
def ClusterAccuracy(table: Contingency) -> PerUnit:
    r"""Accuracy of a clustering: the share of the items in the right cluster, if each class has at most one.

    .. math:: \frac{1}{N} \max_{m} \sum_j n_{j\, m(j)}

    *m* gives each class a cluster of its own, or none, so that as many items as possible are in the cluster of their
    class (the assignment problem). Purity may count several clusters for a class; this does not, so with more clusters
    than classes it is below 1.

    >>> ClusterAccuracy.of(Contingency.from_table([[4, 1], [1, 2], [2, 0]]))  # (4 + 2) / 10
    array([0.6])
    """
    matches = best_matches(table)
    rows: dict[str, Floats | Ints] = {"class": matches.row, "cluster": matches.column, "items": matches.items}
    matched = Steps(matches.unit, len(table.units), rows, says="matches")
    return matched.sum("items").named("matched items") / groups("class", table.class_sizes).sum("items", NO_ITEM)


@measure(aliases=("BCubedP",), cites="bagga1998")
def BCubedPrecision(table: Contingency) -> PerUnit:
    r"""B-cubed precision: the mean over items of the share of an item's cluster that has its class.

    .. math:: \frac{1}{N} \sum_{jk} n_{jk} \frac{n_{jk}}{b_k}

    :math:`b_k` is how many items cluster *k* has; an item is a member of its own cluster. It is 1 if no cluster has two
    classes. Each item weighs the same, and not each pair of items, as in pair precision.

    >>> BCubedPrecision.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # (26/6 + 18/6 + 13/5) / 17
    array([0.5843])
    """
    return _b_cubed(table, "cluster_items", "precision")


@measure(aliases=("BCubedR",), cites="bagga1998")
def BCubedRecall(table: Contingency) -> PerUnit:
    r"""B-cubed recall: the mean over items of the share of an item's class that is in its cluster.

    .. math:: \frac{1}{N} \sum_{jk} n_{jk} \frac{n_{jk}}{a_j}

    :math:`a_j` is how many items class *j* has. It is 1 if no class is in two clusters.

    >>> BCubedRecall.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # (30/8 + 17/5 + 10/4) / 17
    array([0.5676])
    """
    return _b_cubed(table, "class_items", "recall")


@measure(aliases={"BCubedF1": {}, "BCubed": {}}, cites="bagga1998")
def BCubedF(table: Contingency, *, beta: Beta = 1.0) -> PerUnit:
    r"""F of B-cubed precision and recall: their weighted harmonic mean.

    .. math:: \frac{(1 + \beta^2)\, P\, R}{\beta^2 P + R}

    *P* is B-cubed precision and *R* B-cubed recall. With beta above 1, recall weighs more: splitting a class is then
    worse than mixing two.

    >>> BCubedF.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # of 0.5843 and 0.5676
    array([0.5758])
    """
    precision, recall = BCubedPrecision.per_unit(table).named("precision"), BCubedRecall.per_unit(table).named("recall")
    return mean_of_both(precision, recall, beta)


def groups(kind: str, sizes: Floats, **columns: Floats) -> Steps:
    """A row a class or a cluster that has items, unit by unit."""
    unit, place = np.nonzero(sizes)
    rows = {name: values[unit, place] for name, values in columns.items()}
    rows_kind = {"class": "classes", "cluster": "clusters"}[kind]
    return Steps(unit, len(sizes), {kind: place, "items": sizes[unit, place], **rows}, rows_kind)


def cells_of(table: Contingency, **columns: Floats) -> Steps:
    """A row a class and cluster that have items in common, unit by unit."""
    cells = table.cells
    rows: dict[str, Floats | Ints] = {"class": cells.row, "cluster": cells.column, "items": cells.items, **columns}
    return Steps(cells.unit, len(table.units), rows, "cells")


def mean_of_both(first: PerUnit, other: PerUnit, beta: float) -> PerUnit:
    """The weighted harmonic mean of two shares, neither of which is 0; the second weighs beta² as much as the first."""
    if (square := square_of_beta(beta)) is None:
        return other
    return (1 + square) * first * other / (square * first + other)


def _b_cubed(table: Contingency, of: str, name: str) -> PerUnit:
    """The mean over items of the share of their cell in its cluster or class."""
    sizes = {"cluster_items": table.cells.of_cluster, "class_items": table.cells.of_class}[of]
    cells = cells_of(table, **{of: sizes})
    cells = cells.with_columns(**{name: cells["items"] * cells["items"] / sizes})
    cells = cells.meaning(**{name: f"items × items / {of}"})
    return cells.sum(name) / cells.sum("items", NO_ITEM)
