"""One system, or two, valued under hypothetical judgments: what the search for extremes tries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from assay.counting.judgments import Floats, Ints, Mask
from assay.counting.ranks import Ranks
from assay.errors import ParameterError
from assay.measures.registry import Measure
from assay.measures.summary import Undefined, filled, summarise
from assay.rankings.hypotheses import Chosen, Hypotheses, Unjudged
from assay.stats.samples import Averaged


class Trials:
    """One system, or two, under hypothetical judgments that they share.

    The height of a hypothesis is the system's value, or the second system's less the first one's. The counts are those
    of `counting.retrieved`, on the same queries.

    >>> from assay.counting.retrieved import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> trials = Trials(RR, [counts["mine"]], "counted_as")
    >>> trials.observed, trials.one_by_one  # as judged, and if `new` were relevant
    (array([[0.5]]), array([[1.]]))
    """

    def __init__(self, measure: Measure, systems: Sequence[Ranks], undefined: Undefined) -> None:
        if measure.definition.subtopics:
            raise ParameterError(f"{measure}: to which subtopics an unjudged document would be relevant is open")
        self.measure, self.undefined = measure, undefined
        cutoff = measure.parameters.get("cutoff")
        self.cutoff: float = np.inf if cutoff is None else cutoff
        self.unjudged = Unjudged.within(cutoff, systems)
        self.queries = np.arange(len(systems[0].queries))
        top = _top(measure, systems[0])
        as_it_is = [Hypotheses(ranks, self.unjudged, top, others_irrelevant=False) for ranks in systems]
        irrelevant = [Hypotheses(ranks, self.unjudged, top, others_irrelevant=True) for ranks in systems]
        for system in as_it_is:
            summarise(measure, measure.per_unit(system.plain), undefined)  # undefined="error" raises here
        #: The systems' values as judged, one row a system.
        self.observed = self._values(as_it_is, self.queries, none)
        # Most measures take what is unjudged for irrelevant. For those that do not, it has to become irrelevant.
        same = all(
            np.array_equal(
                self._values(as_it_is, self.queries, some), self._values(irrelevant, self.queries, some), equal_nan=True
            )
            for some in (none, _every_second)
        )
        self.systems, self._as_it_is = as_it_is if same else irrelevant, as_it_is
        #: Queries with a value as judged; the others are left out of the mean, whatever a hypothesis says of them.
        self.counted: Mask = ~np.isnan(self.observed.sum(axis=0))
        self.ranks = [self.unjudged.ranks_in(ranks) for ranks in systems]

    @property
    def others_irrelevant(self) -> bool:
        """Whether what a hypothesis leaves out is judged irrelevant, so that nothing stays as it was."""
        return self.systems[0].others_irrelevant

    @property
    def rows(self) -> int:
        """How many rows it takes to try every unjudged document once."""
        return sum(int(system.sizes[self.unjudged.query].sum()) for system in self.systems)

    def values(self, query: Ints, chosen: Chosen) -> Floats:
        """The systems' values (rows) under hypotheses (columns), undefined ones as the mean takes them."""
        return self._values(self.systems, query, chosen)

    def _values(self, systems: Sequence[Hypotheses], query: Ints, chosen: Chosen) -> Floats:
        values = np.array([system.values(self.measure, query, chosen) for system in systems])
        return filled(self.measure, values, self.undefined)

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
            values = filled(self.measure, system.values_of_one(self.measure, tried), self.undefined)
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
        """How much further up each document stands in the second system, or how far up in the only one: -1 to 1."""
        weights = [np.where(rank <= self.cutoff, 1.0 / rank, 0.0) for rank in self.ranks]
        return weights[-1] - weights[0] if len(weights) == 2 else weights[0]

    def only_in_one(self) -> Floats:
        """1 for what only the second system has within the cut-off, -1 for what only the first has, else 0."""
        there = [(np.isfinite(rank) & (rank <= self.cutoff)).astype(np.float64) for rank in self.ranks]
        return there[-1] - there[0]

    def simple_sets(self) -> list[list[Ranks]]:
        """The systems' counts if no document were relevant, if all were, and those further up in either system."""
        advantage = self.advantage()
        everywhere = np.ones(len(advantage), dtype=np.bool_)
        return [
            [system.counts(self.queries, lambda _, number: chosen[number]) for system in self.systems]  # noqa: B023
            for chosen in (~everywhere, everywhere, advantage > 0, advantage < 0)
        ]


def none(unit: Ints, number: Ints) -> Mask:
    """The hypothesis that no document is relevant that nobody judged.

    >>> none(np.array([0, 0]), np.array([3, 4]))
    array([False, False])
    """
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
