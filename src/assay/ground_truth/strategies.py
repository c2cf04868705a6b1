"""Strategies of judging: pure steps from the rankings of a topic and its judgments to the next documents.

A judge in the loop and a simulation from complete judgments use the same functions. A judgment remembers which run the
document was taken from, so that nothing else has to be kept between two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from assay.core.domains import Whole
from assay.core.errors import not_among


class Proposal(NamedTuple):
    """A document to judge, and the run (by its place) that it is taken from."""

    doc_id: str
    run: int


class Judged(NamedTuple):
    """A judgment: the document, the run that it was taken from (-1: none), and whether it is relevant."""

    doc_id: str
    run: int
    relevant: bool


#: The documents of each run for one topic, best first.
Rankings: TypeAlias = Sequence[Sequence[str]]


class TopicState:
    """Depths to which each run has been read, and relevant documents among those taken from it.

    >>> state = TopicState([["a", "b"], ["b", "c"]])
    >>> state.learn(Judged("b", 1, True))
    >>> state.next_of(1), state.relevant
    ('c', [0, 1])
    """

    def __init__(self, rankings: Rankings) -> None:
        self.rankings = rankings
        #: Documents that were judged, and those that are proposed and not judged yet.
        self.seen, self.pending = set[str](), set[str]()
        self.judged, self.relevant = ([0] * len(rankings) for _ in range(2))
        self.last: Judged | None = None
        self.steps = 0
        self._place = [0] * len(rankings)

    def learn(self, judged: Judged) -> None:
        """Take note of a judgment."""
        self.seen.add(judged.doc_id)
        self.pending.discard(judged.doc_id)
        self.steps += 1
        self.last = judged
        if judged.run >= 0:
            self.judged[judged.run] += 1
            self.relevant[judged.run] += judged.relevant

    def next_of(self, run: int) -> str | None:
        """The first document of a run that is neither judged nor proposed; None if there is none left."""
        ranking, place = self.rankings[run], self._place[run]
        while place < len(ranking) and (ranking[place] in self.seen or ranking[place] in self.pending):
            place += 1
        self._place[run] = place
        return ranking[place] if place < len(ranking) else None

    def depth_of(self, run: int) -> int:
        """The number of documents of a run that have been passed."""
        self.next_of(run)
        return self._place[run]

    def open_runs(self) -> list[int]:
        """The runs that have unseen documents."""
        return [run for run in range(len(self.rankings)) if self.next_of(run) is not None]


#: From a state, the runs that can be read on, and a source of chance: the run to take the next document from.
Choice: TypeAlias = Callable[[TopicState, Sequence[int], np.random.Generator], int]


def _move_to_front(state: TopicState, runs: Sequence[int], _: np.random.Generator) -> int:
    """Stay with a run as long as its documents are relevant; then go to one with the fewest misses (Cormack 1998)."""
    last = state.last
    if last is not None and last.relevant and last.run in runs:
        return last.run
    misses = [state.judged[run] - state.relevant[run] for run in runs]
    fewest = [run for run, count in zip(runs, misses, strict=True) if count == min(misses)]
    # After a miss, the next run in order, so that all have their turn.
    after = -1 if last is None else last.run
    return next((run for run in fewest if run > after), fewest[0])


def _max_mean(state: TopicState, runs: Sequence[int], _: np.random.Generator) -> int:
    """The run with the largest (1 + relevant) / (2 + judged); of several, the first (Losada et al. 2017)."""
    return max(runs, key=lambda run: ((1 + state.relevant[run]) / (2 + state.judged[run]), -run))


def _thompson(state: TopicState, runs: Sequence[int], rng: np.random.Generator) -> int:
    """The run whose precision, drawn from what is known of it, is largest: Beta(1 + relevant, 1 + misses)."""
    hits = np.array([state.relevant[run] for run in runs])
    judged = np.array([state.judged[run] for run in runs])
    return runs[int(rng.beta(1 + hits, 1 + judged - hits).argmax())]


def _rank_by_rank(state: TopicState, runs: Sequence[int], _: np.random.Generator) -> int:
    """The run that has been read least deep: the first ranks of all runs, then the second, and so on (Take)."""
    return min(runs, key=lambda run: (state.depth_of(run), run))


#: Strategies that go by the judgments so far.
ADAPTIVE: Mapping[str, Choice] = {
    "take": _rank_by_rank,
    "move-to-front": _move_to_front,
    "max-mean": _max_mean,
    "thompson": _thompson,
}


def next_documents(
    strategy: str, rankings: Rankings, judged: Iterable[Judged] = (), *, count: int = 1, seed: int = 0
) -> list[Proposal]:
    """The next documents of a topic to judge; fewer than `count` where the runs have no more.

    A function of what it is given and nothing else: the same judgments lead to the same documents.

    >>> rankings = [["a", "b", "c"], ["x", "y", "z"]]
    >>> next_documents("move-to-front", rankings, [Judged("a", 0, True)])
    [Proposal(doc_id='b', run=0)]
    >>> next_documents("move-to-front", rankings, [Judged("a", 0, False)])
    [Proposal(doc_id='x', run=1)]
    """
    state = TopicState(rankings)
    for judgment in judged:
        state.learn(judgment)
    return _proposals(_choice(strategy), state, Whole(1).check("count", count), seed)


def simulate(strategy: str, rankings: Rankings, relevant: Mapping[str, bool], *, seed: int = 0) -> list[Judged]:
    """Judge all documents of a topic in the order of a strategy, as complete judgments answer; unjudged: not relevant.

    >>> [each.doc_id for each in simulate("max-mean", [["a", "b"], ["x", "b"]], {"a": False, "x": True, "b": True})]
    ['a', 'x', 'b']
    """
    state = TopicState(rankings)
    choice = _choice(strategy)
    order = list[Judged]()
    while proposals := _proposals(choice, state, 1, seed):
        ((doc_id, run),) = proposals
        order.append(Judged(doc_id, run, relevant.get(doc_id, False)))
        state.learn(order[-1])
    return order


def _proposals(choice: Choice, state: TopicState, count: int, seed: int) -> list[Proposal]:
    """The next documents of a strategy, before it learns how they are judged."""
    proposals: list[Proposal] = []
    # What is drawn depends on how many judgments there are, so that a step can be taken again.
    rng = np.random.default_rng([seed, state.steps])
    while len(proposals) < count and (runs := state.open_runs()):
        run = choice(state, runs, rng)
        doc_id = state.next_of(run) or ""
        proposals.append(Proposal(doc_id, run))
        state.pending.add(doc_id)
    return proposals


def _choice(strategy: str) -> Choice:
    if strategy not in ADAPTIVE:
        raise not_among("strategy", strategy, ADAPTIVE)
    return ADAPTIVE[strategy]
