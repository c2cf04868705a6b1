"""Measures of a clustering against known classes, on `Contingency`: how clusters match classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.definition import Beta
from assay.measures.registry import measure
from assay.measures.sets import square_of_beta
from assay.measures.steps import PerUnit, Steps

#: Up to so many cells, empty ones included, a table is solved as it is; and what is left of a larger one.
_SMALL, _REST = 1 << 14, 1 << 20


class Matches(NamedTuple):
    """Classes and clusters that go together, unit by unit, and how many items they have in common."""

    unit: Ints
    row: Ints
    column: Ints
    items: Floats


def best_matches(table: Contingency) -> Matches:
    """The assignment problem of each unit, solved.

    >>> best_matches(Contingency.from_table([[4, 1], [1, 2], [2, 0]])).column
    array([0, 1])
    """
    matches = []
    for unit, counts in enumerate(table.counts):
        there = np.flatnonzero(counts)
        cells = _Cells(table.row[there], table.column[there], counts[there].astype(np.float64))
        kept = _matched(cells, len(table.classes) * len(table.clusters) <= _SMALL)
        kept = kept[np.argsort(cells.row[kept])]
        matches.append(Matches(np.full(len(kept), unit), cells.row[kept], cells.column[kept], cells.items[kept]))
    return Matches(*(np.concatenate(columns) for columns in zip(*matches, strict=True)))


class _Cells(NamedTuple):
    row: Ints
    column: Ints
    items: Floats

    def where(self, keep: Any) -> _Cells:
        return _Cells(self.row[keep], self.column[keep], self.items[keep])


def _matched(cells: _Cells, small: bool) -> Ints:
    """The places of the cells in a best matching."""
    if small:
        return _solved(cells)
    places = np.arange(len(cells.row))
    parts = []
    while len(places):
        rest = cells.where(places)
        if not (decided := _decided(rest)).any():
            parts.append(places[_solved(rest)])
            break
        parts.append(_one_each(cells, places[decided]))
        taken = cells.where(parts[-1])
        open_row, open_column = (~np.isin(cells[side][places], taken[side]) for side in (0, 1))
        places = places[open_row & open_column]
    return np.concatenate(parts) if parts else places


def _decided(cells: _Cells) -> Mask:
    """True if a cell has at least as many items as the best other one of its row and of its column together."""
    return cells.items >= _best_other(cells.row, cells.items) + _best_other(cells.column, cells.items)


def _best_other(place: Ints, items: Floats) -> Floats:
    """The largest number of items of another cell in the same row, or in the same column."""
    order = np.lexsort((-items, place))
    first = np.append(True, place[order][1:] != place[order][:-1])
    starts = np.flatnonzero(first)
    group = np.cumsum(first) - 1
    second = np.append(items[order], 0.0)[starts + 1] * (np.diff(starts, append=len(place)) > 1)
    best = np.empty(len(place))
    best[order] = np.where(first, second[group], items[order][starts][group])
    return best


def _one_each(cells: _Cells, places: Ints) -> Ints:
    """Of cells that decide themselves, one a row and one a column; the others were as good."""
    for side in (cells.row, cells.column):
        places = places[np.unique(side[places], return_index=True)[1]]
    return places


def _solved(cells: _Cells) -> Ints:
    """A best matching of any cells, by the solver that suits them."""
    from scipy import optimize, sparse  # noqa: PLC0415  # takes longer to load than most tables take to count

    rows, row = np.unique(cells.row, return_inverse=True)
    columns, column = np.unique(cells.column, return_inverse=True)
    shape = (len(rows), len(columns))
    if shape[0] * shape[1] <= _REST:
        dense = np.zeros(shape)
        where = np.full(shape, -1)
        dense[row, column], where[row, column] = cells.items, np.arange(len(row))
        chosen = where[optimize.linear_sum_assignment(dense, maximize=True)]
    elif np.all(cells.items == cells.items[0]):  # all are worth the same, so as many as possible
        graph = sparse.csr_array((np.arange(1, len(row) + 1), (row, column)), shape=shape)
        partner = sparse.csgraph.maximum_bipartite_matching(graph, perm_type="column")
        chosen = _places(shape[1], row, column, np.flatnonzero(partner >= 0), partner[partner >= 0])
    else:
        # A place of its own for each row, that is worth nothing, lets a row go without a partner.
        worst = cells.items.max() + 1
        spare = np.arange(shape[0])
        costs = np.append(worst - cells.items, np.full(shape[0], worst))
        ends = np.append(row, spare), np.append(column, shape[1] + spare)
        graph = sparse.csr_array((costs, ends), shape=(shape[0], sum(shape)))
        left, right = sparse.csgraph.min_weight_full_bipartite_matching(graph)
        chosen = _places(shape[1], row, column, left[right < shape[1]], right[right < shape[1]])
    kept: Ints = chosen[chosen >= 0]
    return kept


def _places(width: int, row: Ints, column: Ints, left: Ints, right: Ints) -> Ints:
    """Places of cells of these rows and columns among all."""
    keys = row.astype(np.int64) * width + column
    order = np.argsort(keys)
    return order[np.searchsorted(keys[order], left.astype(np.int64) * width + right)]


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
