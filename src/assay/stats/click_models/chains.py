"""Chains: people read from the top, click what attracts them, and go on or stop. Exact posteriors, forward and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.measures.counting.clicked_lists import ClickedLists, Codes, sums
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.stats.click_models.estimation import FittingRules, Trace, penalty, share

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
        """The length of the longest list."""
        return len(self.height)

    @cached_property
    def hits(self) -> list[Ints]:
        """The columns that are clicked, place by place."""
        return [np.flatnonzero(clicked) for clicked in self.clicked]

    @cached_property
    def inside(self) -> Mask:
        """A mask of the cells that are results."""
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


#: Below this a probability is taken for nothing: what divides by it is 0 as well.
_NOTHING = 1e-300
#: Places after which messages are scaled anew: products of so many probabilities do not vanish.
_RESCALED = 8


class Continuation(NamedTuple):
    """Probabilities of going on: after a skip, after a click by rank, and after a click that satisfied."""

    skip: float
    click: Floats
    satisfied: float


@dataclass(frozen=True)
class Chain:
    """The parameters of a chain: of each pair, and of going on. `satisfaction` may be that of attractiveness."""

    attractiveness: Floats
    satisfaction: Floats
    going_on: Continuation


@dataclass(eq=False)
class Expected:
    """Expectations from the clicks of all lists: sums for the pairs, and of going on (numerator, denominator).

    `against`, `for_satisfaction` and `against_satisfaction` are the sums of slopes of the likelihood, and of squares.
    """

    attracted: Floats
    satisfied: Floats
    log_likelihood: float = 0.0
    skip: Floats = field(default_factory=lambda: np.zeros(2))
    click: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    satisfied_click: Floats = field(default_factory=lambda: np.zeros(2))
    against: tuple[Floats, ...] = ()
    for_satisfaction: tuple[Floats, ...] = ()
    against_satisfaction: tuple[Floats, ...] = ()


class Posterior(NamedTuple):
    """A block's posteriors. By cell: the slope against attraction of what was not clicked. By click, place by place
    from the last one: satisfied, its slope, going on if not satisfied and if satisfied."""

    probability: Floats
    examination: Floats
    slope: Floats
    clicks: list[tuple[Floats, Floats, Floats, Floats]]
    skip: Floats


def posterior(block: PageBlock, chain: Chain) -> Posterior:
    """The forward pass, which knows the clicks above, and the backward pass, which knows those below."""
    near = chain.attractiveness[block.pair]
    stay, leave, sated = chain.going_on
    probability, examination = forward(block, near, chain)
    width = near.shape[1]
    slope = np.zeros_like(near)
    on, off = np.ones(width), np.ones(width)  # how probable what follows is, if the next result is read or not
    clicks: list[tuple[Floats, Floats, Floats, Floats]] = []
    skip = np.zeros(2)
    for place in range(block.places - 1, -1, -1):
        high = int(block.height[place])
        hits = block.hits[place]
        alpha = near[place, :high]
        read = examination[place, :high]
        weight = block.weight[:high]
        below, above = on[:high], off[:high]
        ahead = above + stay * (below - above)
        seen = read * ahead
        known = np.maximum((1 - alpha) * seen + (1 - read) * above, _NOTHING)
        np.divide(seen, known, out=slope[place, :high])
        slope[place, hits] = 0.0
        if place + 1 < block.places:
            next_high = int(block.height[place + 1])
            examined = weight[:next_high] * (1 - alpha[:next_high]) * slope[place, :next_high]
            going = examined * below[:next_high] / np.maximum(ahead[:next_high], _NOTHING)
            skip += (stay * going.sum(), examined.sum())
        content = chain.satisfaction[block.pair[place, hits]]
        followed = below[hits]
        stopped = above[hits]
        go = leave[block.rank[place, hits]]
        unsated, sated_ahead = stopped + go * (followed - stopped), stopped + sated * (followed - stopped)
        mixed = np.maximum((1 - content) * unsated + content * sated_ahead, _NOTHING)
        clicks.append((
            content * sated_ahead / mixed, (sated_ahead - unsated) / mixed,
            go * followed / np.maximum(unsated, _NOTHING), sated * followed / np.maximum(sated_ahead, _NOTHING),
        ))  # fmt: skip
        on[:high] = (1 - alpha) * ahead
        on[hits] = alpha[hits] * mixed
        off[hits] = 0.0
        if place % _RESCALED == 0:
            largest = np.maximum(np.maximum(on, off), _NOTHING)
            on /= largest
            off /= largest
    return Posterior(probability, examination, slope, clicks, skip)


def forward(block: PageBlock, near: Floats, chain: Chain) -> tuple[Floats, Floats]:
    """Probabilities of each click, or of none, after the clicks above; and that the result is read."""
    stay, leave, sated = chain.going_on
    probability, examination = np.ones_like(near), np.zeros_like(near)
    read = np.ones(near.shape[1])
    for place in range(block.places):
        high = int(block.height[place])
        hits = block.hits[place]
        read = read[:high]
        examination[place, :high] = read
        click = near[place, :high] * read
        none = np.subtract(1.0, click, out=probability[place, :high])
        following = stay * (read - click) / np.maximum(none, _NOTHING)
        none[hits] = click[hits]
        content = chain.satisfaction[block.pair[place, hits]]
        following[hits] = leave[block.rank[place, hits]] * (1 - content) + sated * content
        read = following
    return probability, examination


class ChainData:
    """Lists laid out for iterations: blocks, and the pair of each of their cells and clicks."""

    def __init__(self, lists: ClickedLists) -> None:
        self.lists = lists.collapsed()
        self.pairs = lists.pairs.height
        self.blocks = list(blocks(self.lists))
        self.cells = np.concatenate([block.pair.ravel() for block in self.blocks] or [np.zeros(0, dtype=np.int32)])
        self.sizes = [block.pair.size for block in self.blocks]
        order = [(block, place) for block in self.blocks for place in range(block.places - 1, -1, -1)]
        self.clicked = _joined([block.pair[place, block.hits[place]] for block, place in order]).astype(np.intp)
        self.click_rank = _joined([block.rank[place, block.hits[place]] for block, place in order]).astype(np.intp)
        self.click_weight = _joined([block.weight[block.hits[place]] for block, place in order])
        # The last result of a list tells nothing about going on.
        self.has_next = _joined([
            block.hits[place] < (block.height[place + 1] if place + 1 < block.places else 0) for block, place in order
        ]).astype(np.bool_)  # fmt: skip
        self.ranks = int(self.lists.rank.max(initial=0)) + 1

    def expected(self, chain: Chain, *, slopes: bool = False) -> Expected:
        """Go over all blocks and add up."""
        attracted = np.empty(len(self.cells))
        steep = np.empty(len(self.cells)) if slopes else None
        totals = Expected(np.zeros(0), np.zeros(0))
        parts: list[tuple[Floats, Floats, Floats, Floats]] = []
        start = 0
        for block, size in zip(self.blocks, self.sizes, strict=True):
            known = posterior(block, chain)
            near = chain.attractiveness[block.pair]
            cells = attracted[start : start + size].reshape(block.pair.shape)
            np.multiply((1 - (1 - near) * known.slope) * near, block.weight, out=cells)
            for place, hits in enumerate(block.hits):
                cells[place, hits] = 0.0
            if steep is not None:
                steep[start : start + size] = known.slope.ravel()
            with np.errstate(divide="ignore"):
                totals.log_likelihood += float(block.weight @ np.log(known.probability).sum(axis=0))
            totals.skip += known.skip
            parts += known.clicks
            start += size
        sated, slope, going, going_sated = (_joined([part[n] for part in parts]) for n in range(4))
        weight = self.click_weight
        totals.attracted, totals.satisfied = self.by_cell(attracted), self.by_click(weight * sated)
        ahead = weight * self.has_next
        rank = self.click_rank
        unsated = ahead * (1 - sated)
        totals.click = np.stack([sums(rank, each, self.ranks) for each in (unsated * going, unsated)], axis=1)
        totals.satisfied_click = np.array([(ahead * sated * going_sated).sum(), (ahead * sated).sum()])
        if steep is not None:
            weights = _joined([np.broadcast_to(block.weight, block.pair.shape).ravel() for block in self.blocks])
            totals.against = self.by_cell(weights * steep), self.by_cell(weights * steep**2)
            up, down = np.maximum(slope, 0.0), np.maximum(-slope, 0.0)
            totals.for_satisfaction = self.by_click(weight * up), self.by_click(weight * up**2)
            totals.against_satisfaction = self.by_click(weight * down), self.by_click(weight * down**2)
        return totals

    def by_cell(self, values: Floats) -> Floats:
        """Sums of values of cells for each pair."""
        return sums(self.cells, values, self.pairs + 1)[: self.pairs]

    def by_click(self, values: Floats) -> Floats:
        """Sums of values of clicks for each pair."""
        return sums(self.clicked, values, self.pairs)


class ChainFit(NamedTuple):
    """The parameters that were found, what speaks for and against them, and the course."""

    chain: Chain
    expected: Expected
    trace: Trace


def fit_chain(
    lists: ClickedLists,
    rules: FittingRules,
    start: Continuation,
    going_on: Callable[[Expected, FittingRules, Continuation], Continuation],
    free: Callable[[Expected, Continuation], Floats],
    *,
    satisfaction: str,
) -> ChainFit:
    """Iterate. `going_on` gives the next continuation, `free` those of its parameters that are estimated.

    `satisfaction`: `own`, that of each pair; `attractiveness`, the same as that; `none`.
    """
    data = ChainData(lists)
    impressions = data.lists.by_pair()
    clicks = data.lists.by_pair(data.lists.clicked)
    zero = (clicks == 0) & (rules.clicks == 0)
    alpha = np.where(zero, 0.0, (clicks + 1) / (impressions + 2))
    sigma = alpha if satisfaction == "attractiveness" else np.full(data.pairs, 0.5 if satisfaction == "own" else 0.0)
    going = start
    trace = Trace(rules)
    while True:
        chain = Chain(_padded(alpha), _padded(sigma), going)
        totals = data.expected(chain)
        value = totals.log_likelihood + penalty(alpha, rules) + penalty(free(totals, going), rules)
        value += penalty(sigma, rules) if satisfaction == "own" else 0.0
        if trace.is_done(value):
            break
        if satisfaction == "attractiveness":
            alpha = share(clicks + totals.attracted + totals.satisfied, impressions + clicks, rules, alpha)
            sigma = alpha
        else:
            alpha = share(clicks + totals.attracted, impressions, rules, alpha)
            sigma = share(totals.satisfied, clicks, rules, sigma) if satisfaction == "own" else sigma
        going = going_on(totals, rules, going)
    return ChainFit(chain, data.expected(chain, slopes=True), trace)


def _padded(values: Floats) -> Floats:
    """With the pair below the end of lists, which attracts nobody."""
    return np.append(np.nan_to_num(values), 0.0)


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0)
