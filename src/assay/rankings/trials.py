"""One system, or two, valued under hypothetical judgments: what the search for extremes tries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from assay.core.errors import ParameterError
from assay.counting.judgments import Floats, Ints, Mask
from assay.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.measures.summary import Undefined, filled, summarise
from assay.rankings.hypotheses import Grading, Hypotheses, Unjudged
from assay.rankings.sufficient import grades_of, tells_unjudged
from assay.stats.mean_samples import MeanSample


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
        #: The grades that unjudged documents may have, and whether no other one matters.
        self.grades, self.all_grades = grades_of(measure, systems[0], top)
        as_it_is = [Hypotheses(ranks, self.unjudged, top, others_irrelevant=False) for ranks in systems]
        for system in as_it_is:
            summarise(measure, measure.per_unit(system.plain), undefined)  # undefined="error" raises here
        #: The systems' values as judged, one row a system.
        self.observed = self._values(as_it_is, self.queries, none)
        self.as_it_is = self.systems = as_it_is
        # To most measures what is unjudged is irrelevant. For the others it has to become irrelevant.
        if tells_unjudged(measure, systems[0]):
            self.systems = [Hypotheses(ranks, self.unjudged, top, others_irrelevant=True) for ranks in systems]
        #: Queries with a value as judged; the others are left out of the mean, whatever a hypothesis says of them.
        self.counted: Mask = ~np.isnan(self.observed.sum(axis=0))
        self.ranks = [self.unjudged.ranks_in(ranks) for ranks in systems]

    @property
    def others_irrelevant(self) -> bool:
        """Whether what a hypothesis leaves out is judged irrelevant, so that nothing stays as it was."""
        return self.systems[0].others_irrelevant

    @cached_property
    def sizes(self) -> Ints:
        """How many rows it takes to try one hypothesis about a query."""
        return sum((system.sizes for system in self.systems), np.zeros(len(self.queries), dtype=np.int64))

    @cached_property
    def alike(self) -> Mask:
        """The queries for which two systems return the same documents at the same ranks: no grade parts them."""
        if len(self.systems) == 1:
            return np.zeros(len(self.queries), dtype=np.bool_)
        rows = [system.plain.hits for system in self.systems]
        pairs = [set(zip(hits.document.tolist(), hits.rank.tolist(), strict=True)) for hits in rows]
        apart = np.array([document for document, _ in pairs[0] ^ pairs[1]], dtype=np.int64)
        differs = np.zeros(len(self.queries), dtype=np.bool_)
        for hits in rows:
            differs[hits.query[np.isin(hits.document, apart)]] = True
        differs[self.unjudged.query[self.ranks[0] != self.ranks[1]]] = True
        same: Mask = ~differs & (self.systems[0].plain.retrieved == self.systems[1].plain.retrieved)
        return same

    @cached_property
    def kind(self) -> Ints:
        """For each document: 0 if the first system (or the only one) alone has it, 1 the second alone, 2 both."""
        there = [np.isfinite(rank) & (rank <= self.cutoff) for rank in self.ranks]
        return np.where(there[0], np.where(there[-1] & (len(there) == 2), 2, 0), 1)

    def cutoff_at(self, query: Ints, more: Ints) -> Floats:
        """Where R-precision cuts if so many more documents were relevant."""
        relevant = self.systems[0].plain.relevant(self.measure.parameters.get("rel"))[query] + more
        cutoff: Floats = np.floor(self.measure.parameters.get("factor", 1.0) * relevant + 0.9)
        return cutoff

    def values(self, query: Ints, grading: Grading) -> Floats:
        """The systems' values (rows) under hypotheses (columns), undefined ones as the mean takes them."""
        return self._values(self.systems, query, grading)

    def _values(self, systems: Sequence[Hypotheses], query: Ints, grading: Grading) -> Floats:
        values = np.array([system.values(self.measure, query, grading) for system in systems])
        return filled(self.measure, values, self.undefined)

    @cached_property
    def one_by_one(self) -> Floats:
        """The systems' values (rows) if a single document (columns) were relevant, all else as it is."""
        return self.values_with(np.arange(len(self.unjudged.query)))

    def values_with(self, numbers: Ints) -> Floats:
        """The systems' values (rows) if one of these documents (columns) were relevant, all else as it is."""
        query = self.unjudged.query[numbers]
        columns = np.empty((len(self.as_it_is), len(query)))
        for row, (system, rank) in enumerate(zip(self.as_it_is, self.ranks, strict=True)):
            # To a system that does not return them, all documents of a query are alike: one of them is tried.
            returned = np.isfinite(rank[numbers])
            there, elsewhere = np.flatnonzero(returned), np.flatnonzero(~returned)
            queries, first = np.unique(query[elsewhere], return_index=True)
            tried = numbers[np.append(there, elsewhere[first])]
            values = filled(self.measure, system.values_with(self.measure, tried), self.undefined)
            of_query = np.zeros(len(self.queries))
            of_query[queries] = values[len(there) :]
            columns[row] = of_query[query]
            columns[row, there] = values[: len(there)]
        return columns

    @property
    def before_first_relevant(self) -> Ints:
        """The documents that stand above all relevant ones in one of the systems."""
        above = np.zeros(len(self.unjudged.query), dtype=np.bool_)
        for system, rank in zip(self.as_it_is, self.ranks, strict=True):
            hits = system.plain.hits
            relevant = hits.grade >= system.plain.level(self.measure.parameters.get("rel"))
            first = np.full(len(self.queries), np.inf)
            np.minimum.at(first, hits.query[relevant], hits.rank[relevant])
            above |= rank < first[self.unjudged.query]
        return np.flatnonzero(above)

    def height(self, values: Floats) -> Floats:
        """What is to be made low or high, on the scale on which queries are averaged."""
        with np.errstate(divide="ignore"):
            additive = MeanSample(values.T, self.measure.definition.summary).additive
        height: Floats = additive[:, -1] - additive[:, 0] if values.shape[0] == 2 else additive[:, 0]
        return height

    def summary(self, values: Floats) -> Floats:
        """Each system's number."""
        kept = values[:, self.counted]
        if not kept.shape[1]:
            return np.full(len(values), np.nan)
        return MeanSample(kept.T, self.measure.definition.summary).observed

    def advantage(self) -> Floats:
        """How much further up each document stands in the second system, or how far up in the only one: -1 to 1."""
        weights = [np.where(rank <= self.cutoff, 1.0 / rank, 0.0) for rank in self.ranks]
        return weights[-1] - weights[0] if len(weights) == 2 else weights[0]

    def only_in_one(self) -> Floats:
        """1 for what only the second system has within the cut-off, -1 for what only the first has, else 0."""
        there = [(np.isfinite(rank) & (rank <= self.cutoff)).astype(np.float64) for rank in self.ranks]
        return there[-1] - there[0]

    def values_of(self, system: int, query: Ints, grading: Grading) -> Floats:
        """The values of one of the systems under hypotheses."""
        return filled(self.measure, self.systems[system].values(self.measure, query, grading), self.undefined)


def none(unit: Ints, number: Ints) -> Floats:
    """The hypothesis that no document is relevant that nobody judged.

    >>> none(np.array([0, 0]), np.array([3, 4]))
    array([0., 0.])
    """
    return np.zeros(np.broadcast(unit, number).shape)


def _top(measure: Measure, ranks: Ranks) -> float:
    """The grade of a document that is taken to be relevant: the top of the scale."""
    named = measure.parameters.get("max_grade")
    highest = max(ranks.max_grade, 0.0 if named is None else float(named))
    level = ranks.level(measure.parameters.get("rel")) if measure.depends_on_level else 0.0
    return max(highest, level) or 1.0
