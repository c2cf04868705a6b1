"""Lists side by side: one column per list, one row per place, longest first, so that ranks are gone through at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.measures.counting.clicked_lists import ClickedLists, Codes
from assay.measures.counting.judgments import Floats, Ints, Mask

#: Results in a block: as many as a processor keeps at hand.
_CELLS = 1 << 16


@dataclass(frozen=True, eq=False)
class PageBlock:
    """Some lists, longest first. Below the end of a list stands the pair behind the last one, which is never clicked.

    `row`: the row of each cell in the lists. `height[r]`: how many of the lists have a result at place r.
    """

    pair: Codes
    rank: Codes
    clicked: Mask
    row: Ints
    weight: Floats
    height: Ints

    @property
    def places(self) -> int:
        """How many results the longest list has."""
        return len(self.height)

    @cached_property
    def hits(self) -> list[Ints]:
        """The columns that are clicked, place by place."""
        return [np.flatnonzero(clicked) for clicked in self.clicked]

    @cached_property
    def inside(self) -> Mask:
        """Which cells are results."""
        return np.arange(len(self.weight)) < self.height[:, None]


def blocks(lists: ClickedLists, most: int = _CELLS) -> Iterator[PageBlock]:
    """All lists that have results, in blocks of about one length.

    >>> lists = ClickedLists.of([("q", ["d1"], []), ("q", ["d1", "d2"], ["d2"])])
    >>> [(block.pair.tolist(), block.height.tolist()) for block in blocks(lists)]
    [([[0, 0], [1, 2]], [2, 1])]
    """
    length = lists.length
    order = np.argsort(-length, kind="stable")
    order = order[: int((length > 0).sum())]
    falling = -length[order]
    start = 0
    while start < len(order):
        places = -int(falling[start])
        # Lists less than half as long have a block of their own: no more than half of it is empty.
        fitting = int(np.searchsorted(falling, -places / 2, side="right"))
        end = min(len(order), max(start + 1, min(start + max(1, most // places), fitting)))
        chosen = order[start:end]
        place = np.arange(places)[:, None]
        inside = place < length[chosen]
        row = np.where(inside, lists.offsets[chosen] + place, 0)
        yield PageBlock(
            np.where(inside, lists.pair[row], np.int32(lists.pairs.height)), np.where(inside, lists.rank[row], 0),
            inside & lists.clicked[row], row, lists.weight[chosen], inside.sum(axis=1),
        )  # fmt: skip
        start = end
