"""How likely users look at each rank, from a log; refused where the log cannot tell looking from liking."""

from __future__ import annotations

import numpy as np

from assay.core.errors import InputError, argument, joined
from assay.measures.counting.clicked_lists import Cells, ClickedLists
from assay.measures.counting.judgments import Floats, Mask
from assay.stats.click_models.fitting import fit_clicks
from assay.tables.log import Log


def fitted_examination(log: Log, cutoff: int = 10) -> Floats:
    """Examination by rank, from rank 1 (1.0) on, by the position-based model; 0 where unknown, below the cut-off.

    A rank is known if clicked documents that were shown there were also shown at ranks that are known: otherwise nobody
    can tell a rank that is not looked at from documents that are not liked.

    >>> pages = [("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["a"]), ("q", ["b", "a"], ["b"])]
    >>> fitted_examination(Log.from_pages(pages), cutoff=2)
    array([1. , 0.5])
    """
    lists = ClickedLists.from_log(log)
    cells = lists.cells()
    ranks = cells.groups[:, 0]
    known = _linked(cells)
    lost = [str(rank) for rank in ranks[~known] if rank <= cutoff]
    if lost or not len(ranks) or ranks[0] != 1:
        raise InputError(
            f"{log.origin}: expected clicked documents that were shown at several ranks, got none for rank "
            f"{joined(lost) if lost else '1'}: the log cannot separate how far users look from what they like; state "
            f"how likely each rank is looked at, {argument('examination')}"
        )
    rows = fit_clicks(lists, "PBM").shared.sort("rank")
    curve = np.zeros(int(ranks[-1]))
    curve[rows["rank"].to_numpy() - 1] = np.where(known, rows["value"].fill_null(0.0).to_numpy(), 0.0)
    return curve


def _linked(cells: Cells) -> Mask:
    """Which ranks are linked to the first by documents that were shown at both, and clicked somewhere."""
    from scipy.sparse import coo_array  # noqa: PLC0415  # slow to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  # slow to load

    pairs = int(cells.pair.max(initial=-1)) + 1
    liked = np.bincount(cells.pair, cells.clicks, pairs) > 0
    rows = liked[cells.pair]
    size = len(cells.groups)
    links = coo_array(
        (np.ones(int(rows.sum())), (cells.group[rows], size + cells.pair[rows])), shape=(size + pairs, size + pairs)
    )
    _, part = connected_components(links, directed=False)
    linked: Mask = part[:size] == part[:1]
    return linked
