"""The lowest and the highest that unjudged documents could make of each query: a search among hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.comparison.hypotheses import Chosen, Hypotheses, Unjudged
from assay.counting.graded import place_in_group
from assay.counting.judgments import Floats, Ints, Mask
from assay.counting.ranks import Ranks
from assay.errors import ParameterError
from assay.measures.registry import Measure
from assay.measures.summary import Undefined, summarise
from assay.stats.samples import Averaged

# Up to so many rows, every unjudged document is tried one by one, and once more after each change.
_FEW_ROWS = 1 << 21
_MOST_CHANGES = 12
# In longer lists only some sets are tried: so much of what is to a side's advantage, the best of it first.
_PARTS = np.array([1 / 16, 1 / 4, 1 / 2, 1.0])
# Then the number that was best, a little less and a little more.
_NEAR = np.array([-1.0, -0.5, 0.5, 1.0])
_FINER = (0.5, 0.125)
# A difference below this is rounding.
ROUNDING = 1e-12


@dataclass(eq=False)
class _Best:
    """The best hypothesis so far of each query: its height, the systems' values, and what it takes to be relevant.

    `sign` is 1 where the highest is the best, -1 where the lowest is, and heights are multiplied by it.
    """

    sign: int
    height: Floats
    values: Floats
    chosen: Mask


class Trials:
    """One system, or two, under hypothetical judgments that they share.

    The height of a hypothesis is the system's value, or the second system's less the first one's. The counts are those
    of `counting.retrieved`, on the same queries.

    >>> from assay.counting.retrieved import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> trials = Trials(RR, [counts["mine"]], "counted_as")
    >>> trials.observed, trials.extreme(1)
    (array([[0.5]]), array([[1.]]))
    """

    def __init__(self, measure: Measure, systems: Sequence[Ranks], undefined: Undefined) -> None:
        if measure.definition.subtopics:
            raise ParameterError(f"{measure}: to which subtopics an unjudged document would be relevant is open")
        self.measure, self.undefined = measure, undefined
        self.cutoff = measure.parameters.get("cutoff")
        self.unjudged = Unjudged.within(self.cutoff, systems)
        self.queries = np.arange(len(systems[0].queries))
        top = _top(measure, systems[0])
        as_it_is = [Hypotheses(ranks, self.unjudged, top, others_irrelevant=False) for ranks in systems]
        irrelevant = [Hypotheses(ranks, self.unjudged, top, others_irrelevant=True) for ranks in systems]
        for system in as_it_is:
            summarise(measure, measure.per_unit(system.plain), undefined)  # undefined="error" raises here
        #: The systems' values as judged, one row a system.
        self.observed = self._values(as_it_is, self.queries, _none)
        # Most measures take what is unjudged for irrelevant. For those that do not, it has to become irrelevant.
        same = all(
            np.array_equal(
                self._values(as_it_is, self.queries, some), self._values(irrelevant, self.queries, some), equal_nan=True
            )
            for some in (_none, _every_second)
        )
        self.systems, self._as_it_is = as_it_is if same else irrelevant, as_it_is
        #: Queries with a value as judged; the others are left out of the mean, whatever a hypothesis says of them.
        self.counted: Mask = ~np.isnan(self.observed.sum(axis=0))
        self.ranks = [self.unjudged.ranks_in(ranks) for ranks in systems]

    def values(self, query: Ints, chosen: Chosen) -> Floats:
        """The systems' values (rows) under hypotheses (columns), undefined ones as the mean takes them."""
        return self._values(self.systems, query, chosen)

    def _values(self, systems: Sequence[Hypotheses], query: Ints, chosen: Chosen) -> Floats:
        return self._counted_as(np.array([system.values(self.measure, query, chosen) for system in systems]))

    def _counted_as(self, values: Floats) -> Floats:
        declared = self.measure.parameters.get("floor", self.measure.definition.counted_as)
        if self.undefined == "skip" or declared is None:
            return values
        return np.where(np.isnan(values), declared, values)

    @cached_property
    def one_by_one(self) -> Floats:
        """The systems' values (rows) if a single document (columns) were relevant, all else as it is."""
        query = self.unjudged.query
        columns = np.empty((len(self._as_it_is), len(query)))
        for row, (system, rank) in enumerate(zip(self._as_it_is, self.ranks, strict=True)):
            # To a system that does not return them, all documents of a query are alike: one of them is tried.
            there = np.flatnonzero(np.isfinite(rank))
            elsewhere, first = np.unique(query[~np.isfinite(rank)], return_index=True)
            tried = np.append(there, np.flatnonzero(~np.isfinite(rank))[first])
            values = self._counted_as(system.values_of_one(self.measure, tried))
            of_query = np.zeros(len(self.queries))
            of_query[elsewhere] = values[len(there) :]
            columns[row] = of_query[query]
            columns[row, there] = values[: len(there)]
        return columns

    def height(self, values: Floats) -> Floats:
        """What is to be made low or high, on the scale on which queries are averaged."""
        with np.errstate(divide="ignore"):
            additive = Averaged(values.T, self.measure.definition.summary).additive
        height: Floats = additive[:, -1] - additive[:, 0] if values.shape[0] == 2 else additive[:, 0]
        return height

    def summary(self, values: Floats) -> Floats:
        """Each system's number."""
        kept = values[:, self.counted]
        if not kept.shape[1]:
            return np.full(len(values), np.nan)
        return Averaged(kept.T, self.measure.definition.summary).observed()

    def advantage(self) -> Floats:
        """How much further up each document stands in the second system, or how far up in the only one."""
        reach = np.inf if self.cutoff is None else self.cutoff
        weights = [np.where(rank <= reach, 1.0 / rank, 0.0) for rank in self.ranks]
        return weights[-1] - weights[0] if len(weights) == 2 else weights[0]

    def _only_in_one(self) -> Floats:
        """1 for what only the second system has within the cut-off, -1 for what only the first has, else 0."""
        reach = np.inf if self.cutoff is None else self.cutoff
        there = [(np.isfinite(rank) & (rank <= reach)).astype(np.float64) for rank in self.ranks]
        return there[-1] - there[0]

    def simple_sets(self) -> list[list[Ranks]]:
        """The systems' counts if no document were relevant, if all were, and those further up in either system."""
        advantage = self.advantage()
        everywhere = np.ones(len(advantage), dtype=np.bool_)
        return [
            [system.counts(self.queries, lambda _, number: chosen[number]) for system in self.systems]  # noqa: B023
            for chosen in (~everywhere, everywhere, advantage > 0, advantage < 0)
        ]

    def extreme(self, sign: int) -> Floats:
        """The systems' values (rows) at the highest (sign 1) or lowest (-1) height found for each query (columns)."""
        start = np.where(self.counted, sign * self.height(self.observed), -np.inf)
        best = _Best(sign, start, self.observed.copy(), np.zeros(len(self.unjudged.query), dtype=np.bool_))
        if not len(self.unjudged.query):
            return best.values
        if self.systems[0].others_irrelevant:
            self._try_sets(best, self.queries, _none)
        advantage = sign * self.advantage()
        if sum(int(system.sizes[self.unjudged.query].sum()) for system in self.systems) > _FEW_ROWS:
            # Of a single system any document may help; of two, those further up in one of them do.
            self._try_some(best, advantage, 0.0 if len(self.systems) == 2 else -np.inf)
            # Where being there counts more than the rank, what only one system returns comes first.
            self._try_some(best, advantage + 2 * sign * self._only_in_one(), 1.0)
            return best.values
        effect = self.height(self.one_by_one) - self.height(self.observed)[self.unjudged.query]
        for key in (sign * np.nan_to_num(effect), advantage):
            place, number = self._places(key)
            query = np.repeat(self.queries, number)
            self._try_sizes(best, place, query, place_in_group(query) + 1)
        self._improve(best)
        return best.values

    def _try_some(self, best: _Best, key: Floats, least: float) -> None:
        """Take some of the documents that help (their key is above the least), the most helpful first; then all."""
        place, number = self._places(key)
        helpful = np.bincount(self.unjudged.query[key > least], minlength=len(self.queries))
        sizes = np.zeros(len(self.queries), dtype=np.int64)
        sizes = self._try_sizes(best, place, *_listed(np.column_stack([helpful[:, None] * _PARTS, number])), sizes)
        for width in _FINER:
            near = np.minimum(sizes[:, None] * (1 + width * _NEAR), number[:, None])
            sizes = self._try_sizes(best, place, *_listed(near), sizes)

    def _places(self, key: Floats) -> tuple[Ints, Ints]:
        """The place of each document in its query by a key, largest first, from 0; and how many each query has."""
        query = self.unjudged.query
        order = np.lexsort((-key, query))
        place = np.empty_like(query)
        place[order] = place_in_group(query[order])
        return place, np.bincount(query, minlength=len(self.queries))

    def _try_sizes(self, best: _Best, place: Ints, query: Ints, size: Ints, sizes: Ints | None = None) -> Ints:
        """Take so many documents, by their place, to be relevant; give the best number for each query."""
        kept = np.zeros(len(self.queries), dtype=np.int64) if sizes is None else sizes.copy()
        won = self._try_sets(best, query, lambda unit, number: place[number] < size[unit])
        kept[query[won]] = size[won]
        better = np.isin(self.unjudged.query, query[won])
        best.chosen = np.where(better, place < kept[self.unjudged.query], best.chosen)
        return kept

    def _improve(self, best: _Best) -> None:
        """Change the one document of each query that helps most, as long as one does."""
        numbers = np.arange(len(self.unjudged.query))
        for _ in range(_MOST_CHANGES):
            chosen = best.chosen.copy()
            won = self._try_sets(
                best,
                self.unjudged.query[numbers],
                lambda unit, number: chosen[number] ^ (numbers[unit] == number),  # noqa: B023  # used at once
            )
            if not len(won):
                return
            best.chosen[numbers[won]] ^= True
            numbers = np.flatnonzero(np.isin(self.unjudged.query, self.unjudged.query[numbers[won]]))

    def _try_sets(self, best: _Best, query: Ints, chosen: Chosen) -> Ints:
        """Keep the hypothesis that is best for its query, if it is better than what there was; give those kept."""
        if not len(query):
            return query
        values = self.values(query, chosen)
        height = np.nan_to_num(best.sign * self.height(values), nan=-np.inf)
        order = np.lexsort((-height, query))
        first = order[np.append(True, np.diff(query[order]) != 0)]
        won: Ints = first[(height[first] > best.height[query[first]] + ROUNDING) & self.counted[query[first]]]
        best.height[query[won]] = height[won]
        best.values[:, query[won]] = values[:, won]
        return won


def _listed(sizes: Floats) -> tuple[Ints, Ints]:
    """Sizes of sets, one row a query: the queries and the whole numbers from 1 on, each once."""
    whole = np.sort(np.ceil(sizes).astype(np.int64), axis=1)
    new = (whole > 0) & (np.diff(whole, axis=1, prepend=0) > 0)
    query, column = np.nonzero(new)
    return query, whole[query, column]


def _none(unit: Ints, number: Ints) -> Mask:
    return np.zeros(np.broadcast(unit, number).shape, dtype=np.bool_)


def _every_second(_unit: Ints, number: Ints) -> Mask:
    second: Mask = number % 2 == 1
    return second


def _top(measure: Measure, ranks: Ranks) -> float:
    """The grade of a document that is taken to be relevant: the top of the scale."""
    named = measure.parameters.get("max_grade")
    highest = max(ranks.max_grade, 0.0 if named is None else float(named))
    level = ranks.level(measure.parameters.get("rel")) if measure.depends_on_level else 0.0
    return max(highest, level) or 1.0
