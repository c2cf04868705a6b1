"""Which cluster goes with which class, if each has at most one: the matching that keeps most items.

A small table is solved as it is. In a large one, most cells decide themselves: who has at least as many items as the
next best for its class and the next best for its cluster together is in some best matching. What is left, if anything,
is solved without ever making a table with a cell for each class and cluster.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.counting.contingency import Contingency
from assay.counting.judgments import Floats, Ints, Mask

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
    places, parts = np.arange(len(cells.row)), []
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
    """Whether a cell has at least as many items as the best other one of its row and of its column together."""
    decided: Mask = cells.items >= _best_other(cells.row, cells.items) + _best_other(cells.column, cells.items)
    return decided


def _best_other(place: Ints, items: Floats) -> Floats:
    """The largest number of items of another cell in the same row, or in the same column."""
    order = np.lexsort((-items, place))
    first = np.append(True, place[order][1:] != place[order][:-1])
    starts, group = np.flatnonzero(first), np.cumsum(first) - 1
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
        dense, where = np.zeros(shape), np.full(shape, -1)
        dense[row, column], where[row, column] = cells.items, np.arange(len(row))
        chosen = where[optimize.linear_sum_assignment(dense, maximize=True)]
    elif np.all(cells.items == cells.items[0]):  # all are worth the same, so as many as possible
        graph = sparse.csr_array((np.arange(1, len(row) + 1), (row, column)), shape=shape)
        partner = sparse.csgraph.maximum_bipartite_matching(graph, perm_type="column")
        chosen = _places(shape[1], row, column, np.flatnonzero(partner >= 0), partner[partner >= 0])
    else:
        # A place of its own for each row, that is worth nothing, lets a row go without a partner.
        worst, spare = cells.items.max() + 1, np.arange(shape[0])
        costs = np.append(worst - cells.items, np.full(shape[0], worst))
        ends = np.append(row, spare), np.append(column, shape[1] + spare)
        graph = sparse.csr_array((costs, ends), shape=(shape[0], sum(shape)))
        left, right = sparse.csgraph.min_weight_full_bipartite_matching(graph)
        chosen = _places(shape[1], row, column, left[right < shape[1]], right[right < shape[1]])
    kept: Ints = chosen[chosen >= 0]
    return kept


def _places(width: int, row: Ints, column: Ints, left: Ints, right: Ints) -> Ints:
    """Where cells of these rows and columns stand among all."""
    keys = row.astype(np.int64) * width + column
    order = np.argsort(keys)
    places: Ints = order[np.searchsorted(keys[order], left.astype(np.int64) * width + right)]
    return places
