"""Walks of models down lists: the probability of each click, given the clicks above or given nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.stats.click_models.chains import Chain, PageBlock


class Walk(ABC):
    """A walk down the lists of a block. `near`: how attractive each result is, places by lists."""

    def __init__(self, block: PageBlock, near: Floats) -> None:
        self.block, self.near = block, near

    @abstractmethod
    def probability(self, place: int) -> Floats:
        """The probability of a click at this place, after the clicks above."""

    def advance(self, place: int, clicked: Mask) -> None:  # noqa: B027  # to many models it does not matter
        """Tell which of the lists are clicked at this place."""

    @abstractmethod
    def examination(self) -> Floats:
        """Probabilities that each result is examined, whatever is clicked: places by lists."""


class IndependentWalk(Walk):
    """A click does not depend on other clicks: attractiveness times a rate for the rank."""

    def __init__(self, block: PageBlock, near: Floats, rate: Floats) -> None:
        super().__init__(block, near)
        self.rate = rate

    def probability(self, place: int) -> Floats:
        """Attractiveness times the rate."""
        high = int(self.block.height[place])
        return self.near[place, :high] * self.rate[self.block.rank[place, :high]]

    def examination(self) -> Floats:
        """The rates."""
        return self.rate[self.block.rank]


class BrowsingWalk(Walk):
    """Examination that depends on the rank of a result and on that of the click above: `rate[rank, above]`."""

    def __init__(self, block: PageBlock, near: Floats, rate: Floats) -> None:
        super().__init__(block, near)
        self.rate = rate
        self.above: Ints = np.zeros(near.shape[1], dtype=np.int64)

    def probability(self, place: int) -> Floats:
        """Attractiveness times the rate for the click above."""
        high = int(self.block.height[place])
        return self.near[place, :high] * self.rate[self.block.rank[place, :high], self.above[:high]]

    def advance(self, place: int, clicked: Mask) -> None:
        """The clicked ones have their last click here."""
        high = len(clicked)
        self.above[:high] = np.where(clicked, self.block.rank[place, :high], self.above[:high])

    def examination(self) -> Floats:
        """Sum over where the last click above may be."""
        rank = self.block.rank
        width = self.near.shape[1]
        examined = np.zeros_like(self.near)
        # How probable it is that the last click so far is at each place; the first row stands for none.
        last = np.zeros((self.block.places + 1, width))
        last[0] = 1.0
        above = np.concatenate([np.zeros((1, width), dtype=rank.dtype), rank])
        for place in range(self.block.places):
            rates = self.rate[rank[place], above[: place + 1]]
            examined[place] = (last[: place + 1] * rates).sum(axis=0)
            clicks = last[: place + 1] * rates * self.near[place]
            last[: place + 1] -= clicks
            last[place + 1] = clicks.sum(axis=0)
        return examined


class ReadingWalk(Walk):
    """People read from the top, and go on or stop."""

    def __init__(self, block: PageBlock, chain: Chain) -> None:
        super().__init__(block, chain.attractiveness[block.pair])
        self.chain = chain
        self.read = np.ones(self.near.shape[1])

    def probability(self, place: int) -> Floats:
        """Attractiveness, where the result is read."""
        high = int(self.block.height[place])
        return self.near[place, :high] * self.read[:high]

    def advance(self, place: int, clicked: Mask) -> None:
        """The next place: users who clicked may be satisfied, others may have stopped further up."""
        high = len(clicked)
        pair, rank = self.block.pair[place, :high], self.block.rank[place, :high]
        stay, leave, sated = self.chain.going_on
        alpha = self.near[place, :high]
        read = self.read[:high]
        content = self.chain.satisfaction[pair]
        missed = 1 - alpha * read
        skipped = stay * (read - alpha * read) / np.where(missed > 0, missed, 1.0)
        self.read[:high] = np.where(clicked, leave[rank] * (1 - content) + sated * content, skipped)

    def examination(self) -> Floats:
        """The product of going on, place by place."""
        examined = np.ones_like(self.near)
        stay, leave, sated = self.chain.going_on
        content = self.chain.satisfaction[self.block.pair]
        click = leave[self.block.rank] * (1 - content) + sated * content
        examined[1:] = np.cumprod((stay * (1 - self.near) + self.near * click)[:-1], axis=0)
        return examined
