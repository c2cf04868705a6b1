"""The same queries under many hypothetical judgments at once, and measures of them.

A hypothesis gives every unjudged document a grade. To try one costs as much as a query; so all that are to be tried
become queries of one large `Ranks`, and the measure is computed as it always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from assay.core.errors import ParameterError
from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats, Graded, Ints, Mask, place_in_group
from assay.measures.counting.ranking import NONE
from assay.measures.counting.ranks import Ranks, as_judged
from assay.measures.registry import Measure
from assay.measures.summary import filled, summarise
from assay.stats.mean_samples import MeanSample

#: (number of the hypothesis, number of the unjudged document), each an array -> the grade that it has.
Grading: TypeAlias = Callable[[Ints, Ints], Floats]

# Rows computed at a time: enough to be worth a call, few enough to stay in the processor's cache.
_ROWS_AT_A_TIME = 1 << 19


class Unjudged(NamedTuple):
    """Unjudged documents, numbered from 0 in the order of queries: the query of each, and its place in `doc_ids`."""

    query: Ints
    document: Ints

    @classmethod
    def within(cls, cutoff: int | None, systems: Sequence[Ranks]) -> Unjudged:
        """The unjudged documents that one of the systems has within a cut-off; systems with the same queries."""
        query, document = [], []
        for ranks in systems:
            there = ranks.hits.grade < 0
            rows = ranks.hits.where(there if cutoff is None else there & (ranks.hits.rank <= cutoff))
            query.append(rows.query)
            document.append(rows.document)
        # Documents are numbered topic by topic, so that this is the order of queries, too.
        documents, first = np.unique(np.concatenate(document), return_index=True)
        return cls(np.concatenate(query)[first], documents)

    def ranks_in(self, ranks: Ranks) -> Floats:
        """The rank of each in a system, infinite where it was not retrieved."""
        number = self.numbers_of(ranks.hits.document)
        rank = np.full(len(self.document), np.inf)
        rank[number[number >= 0]] = ranks.hits.rank[number >= 0]
        return rank

    def numbers_of(self, documents: Ints) -> Ints:
        """The numbers of documents among these; -1 for all others."""
        if not len(self.document):
            return np.full(len(documents), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.document, documents), len(self.document) - 1)
        return np.where(self.document[place] == documents, place, -1)


class Hypotheses:
    """A system's queries, each under as many hypotheses as wanted.

    Documents with a grade above 0 join the ideal ranking; those with grade 0 stay unjudged, or, with
    `others_irrelevant`, are judged irrelevant. `top` is the highest grade there could be.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import AP
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))["mine"]
    >>> unjudged = Unjudged.within(None, [counts])
    >>> system = Hypotheses(counts, unjudged, top=1.0, others_irrelevant=False)
    >>> system.values(AP, np.array([0, 0]), lambda unit, number: 1.0 * unit)  # nothing more is relevant; all is
    array([0.5, 1. ])
    """

    def __init__(self, ranks: Ranks, unjudged: Unjudged, top: float, *, others_irrelevant: bool) -> None:
        plain = as_judged(ranks)
        self.plain, self.unjudged, self.top, self.others_irrelevant = plain, unjudged, top, others_irrelevant
        number = unjudged.numbers_of(plain.hits.document)
        kept = number < 0 if others_irrelevant else np.ones(len(number), dtype=np.bool_)
        self._hits, self._number = plain.hits.where(kept), number[kept]
        self._ideal = plain.ideal.where(unjudged.numbers_of(plain.ideal.document) < 0)
        self._rank = unjudged.ranks_in(ranks)
        queries = np.arange(len(ranks.queries) + 1)
        self._hit_bounds, self._ideal_bounds, self._unjudged_bounds = (
            np.searchsorted(query, queries) for query in (self._hits.query, self._ideal.query, unjudged.query)
        )

    @property
    def sizes(self) -> Ints:
        """How many rows each query has, unjudged documents included."""
        return self._judged_sizes + np.diff(self._unjudged_bounds)

    @property
    def _judged_sizes(self) -> Ints:
        return np.diff(self._hit_bounds) + np.diff(self._ideal_bounds)

    def values(self, measure: Measure, query: Ints, grading: Grading) -> Floats:
        """The measure of each hypothesis, from its query and the grades it gives; NaN where undefined."""
        values = [np.zeros(0)]
        for start, end in _blocks(self.sizes[query]):
            values.append(measure.of(self.counts(query[start:end], grading, start)))
        return np.concatenate(values)

    def values_with(self, measure: Measure, number: Ints) -> Floats:
        """The measure of the query of each document, if this one has the top grade and all else stays unjudged."""
        query = self.unjudged.query[number]
        values = [np.zeros(0)]
        for start, end in _blocks(self._judged_sizes[query] + 1):
            top = np.full(end - start, self.top)
            values.append(measure.of(self._counts(query[start:end], np.arange(end - start), number[start:end], top)))
        return np.concatenate(values)

    def counts(self, query: Ints, grading: Grading, start: int = 0) -> Ranks:
        """Counts with one query for each hypothesis, the first of them being number `start`."""
        unit, number = _stretches(self._unjudged_bounds, query)
        grade = grading(unit + start, number)
        if not self.others_irrelevant:
            positive = grade > 0
            unit, number, grade = unit[positive], number[positive], grade[positive]
        return self._counts(query, unit, number, grade)

    def _counts(self, query: Ints, unit: Ints, number: Ints, grade: Floats) -> Ranks:
        """Counts with one query for each hypothesis, and in it the unjudged documents that it says something about."""
        there = np.isfinite(self._rank[number])
        assumed = Graded(
            unit[there],
            self._rank[number[there]].astype(np.int64),
            grade[there],
            NONE,
            NONE,
            self.unjudged.document[number[there]],
        )
        owner, at = _stretches(self._hit_bounds, query)
        # What is in the judgments with a negative grade is a hit already, unless something else is said of it.
        doubtful = np.flatnonzero(self._number[at] >= 0)
        if len(doubtful):
            width = len(self.unjudged.query)
            again = np.isin(owner[doubtful] * width + self._number[at[doubtful]], unit * width + number)
            owner, at = np.delete(owner, doubtful[again]), np.delete(at, doubtful[again])
        hits = self._hits
        known = Graded(owner, hits.rank[at], hits.grade[at], NONE, NONE, hits.document[at])
        return replace(
            self.plain,
            queries=("",) * len(query),
            retrieved=self.plain.retrieved[query],
            in_run=self.plain.in_run[query],
            hits=_ranked(known, assumed),
            ideal=self._ideal_rows(query, unit, number, grade),
            max_grade=max(self.top, self.plain.max_grade),
        )

    def _ideal_rows(self, query: Ints, unit: Ints, number: Ints, grade: Floats) -> Graded:
        """The ideal ranking: what was judged and what has a grade by hypothesis, best grade first."""
        owner, at = _stretches(self._ideal_bounds, query)
        owner = np.append(owner, unit)
        grade = np.append(self._ideal.grade[at], grade)
        document = np.append(self._ideal.document[at], self.unjudged.document[number])
        order = np.lexsort((-grade, owner))
        owner = owner[order]
        place = place_in_group(owner) + 1
        return Graded(owner, place, grade[order], place, place, document[order])


def places(group: Ints, *keys: Floats) -> Ints:
    """The place of each row in its group, from 0, in the order of keys, of which the last counts most.

    >>> places(np.array([0, 1, 0]), np.array([5.0, 1.0, 2.0]))
    array([1, 0, 0])
    """
    order = np.lexsort((*keys, group))
    place = np.empty_like(order)
    place[order] = place_in_group(group[order])
    return place


def _ranked(known: Graded, assumed: Graded) -> Graded:
    """Two lists of documents in one, by query and rank."""
    query, rank = np.append(known.query, assumed.query), np.append(known.rank, assumed.rank)
    order = np.argsort(query * (1 + rank.max(initial=0)) + rank, kind="stable")
    rank = rank[order]
    grade, document = np.append(known.grade, assumed.grade), np.append(known.document, assumed.document)
    return Graded(query[order], rank, grade[order], rank, rank, document[order])


def _stretches(bounds: Ints, query: Ints) -> tuple[Ints, Ints]:
    """The rows of some queries, one after the other: to which of those given each belongs, and where it is."""
    first = bounds[query]
    sizes = bounds[query + 1] - bounds[query]
    unit = np.repeat(np.arange(len(query)), sizes)
    return unit, np.arange(len(unit)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)


def _blocks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Cut hypotheses into blocks of not too many rows."""
    total = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = total[start - 1] if start else 0
        end = max(int(np.searchsorted(total, before + _ROWS_AT_A_TIME, side="right")), start + 1)
        yield start, end
        start = end


#: How the extremes are found; `all`: only by trying everything.
Way: TypeAlias = Literal["steps", "one", "cut at R", "numbers", "ranks", "all"]

#: Sums over documents, divided by what depends only on how many documents have which grade: some grade for the
#: documents that help most, the same or a lower one for the next.
_SHARES = frozenset({"P", "R", "F", "RelP", "NumRel", "NumRelRet", "SetP", "SetR", "SetF",
                     "CG", "DCG", "IDCG", "nCG", "nDCG", "RBP", "INSQ"})  # fmt: skip
#: What only asks whether a document was judged.
_GRADELESS = frozenset({"Judged", "Unjudged", "NumQ", "NumRet", "RBPResidual", "TrecRBPResidual"})
#: What the first relevant document decides: that of the system which is to gain suffices.
_FIRST = frozenset({"RR", "Success", "FirstRank"})

_CUT_AT_R = frozenset({"Rprec", "RprecMult"})
#: What never falls if a relevant document changes places with an irrelevant one above it.
_AVERAGE_PRECISIONS = frozenset({"AP", "GMAP", "BinG", "Yaap", "IPrec", "IPrecMean"})

_PREFERENCES = frozenset({"Bpref", "GMBpref", "InfAP"})

_BY_RANK = _AVERAGE_PRECISIONS | _PREFERENCES | {"ERR"}
#: Linear in what each document is worth, the others being what they are: the lowest and the highest grade suffice.
_LINEAR = frozenset({"CG", "DCG", "IDCG", "RBP", "INSQ", "ERR"})
#: Measures to which an unjudged document is an irrelevant one, unless a table gives such documents a gain.
_BLIND = _SHARES | _FIRST | _CUT_AT_R | _AVERAGE_PRECISIONS | {"ERR", "nERR", "Q", "gAP", "INST", "G", "nDCGRel",
                                                               "Rndcg", "TrecRBP"}  # fmt: skip

# More grades than this are thinned out, and nothing is sure then.
_MOST_GRADES = 9


def way_of(measure: Measure, systems: int) -> Way:
    """The way to find the extremes of a measure, or of a difference of two systems.

    >>> from assay.measures import AP, nDCG
    >>> way_of(nDCG @ 10, systems=2), way_of(AP, systems=1), way_of(AP, systems=2)
    ('steps', 'ranks', 'all')
    """
    name = measure.name
    if name in _SHARES | _GRADELESS and not _has_table(measure) and measure.parameters.get("ideal") != "retrieved":
        return "steps"
    if name in _FIRST:
        return "one"
    if name in _CUT_AT_R:
        return "cut at R"
    if measure.definition.counts is Confusion or name == "NumNonRelRet":
        return "numbers"
    return "ranks" if systems == 1 and rises_with_rank(measure) else "all"


def rises_with_rank(measure: Measure) -> bool:
    """True if a number of relevant documents is worth most at the top of the ranking, and least at the bottom.

    >>> from assay.measures import AP, Q
    >>> rises_with_rank(AP), rises_with_rank(Q)  # Q looks at the gain of all documents above
    (True, False)
    """
    return measure.name in _BY_RANK and not _has_table(measure)


def tells_unjudged(measure: Measure, ranks: Ranks) -> bool:
    """True if a document that is judged irrelevant may count other than one that is not judged.

    >>> from assay.measures import AP, Bpref
    >>> ranks = Ranks.from_grades([1])
    >>> tells_unjudged(AP, ranks), tells_unjudged(Bpref, ranks)
    (False, True)
    """
    known = measure.name in _BLIND or measure.definition.counts is Confusion
    irrelevant = not measure.depends_on_level or ranks.level(measure.parameters.get("rel")) > 0
    return not known or not irrelevant or _has_table(measure)


def grades_of(measure: Measure, ranks: Ranks, top: float) -> tuple[Floats, bool]:
    """The grades that unjudged documents may have, from 0 to the top; and whether these are all that matter.

    All whole grades are among them, and those that were given.

    >>> from assay.measures import AP, nDCG
    >>> ranks = Ranks.from_grades([1, 2.5])
    >>> grades_of(nDCG, ranks, top=2.5), grades_of(AP, ranks, top=2.5)
    ((array([0. , 1. , 2. , 2.5]), True), (array([0. , 2.5]), True))
    """
    ends = np.array([0.0, top])
    if _by_level_alone(measure) or (measure.name in _LINEAR | _GRADELESS and not _has_table(measure)):
        return ends, True
    known = ranks.ideal.grade[(ranks.ideal.grade >= 0) & (ranks.ideal.grade <= top)]
    grades = np.unique(np.concatenate([ends, known, np.arange(min(top, 2.0 * _MOST_GRADES))]))
    if len(grades) <= _MOST_GRADES:
        return grades, True
    return grades[np.linspace(0, len(grades) - 1, _MOST_GRADES).astype(np.int64)], False


def _by_level_alone(measure: Measure) -> bool:
    """True if a grade only says if a document is relevant."""
    if measure.definition.counts is Confusion:
        return True
    known = measure.name in _BLIND | _PREFERENCES | {"NumNonRelRet"}
    return known and measure.depends_on_level and measure.parameters.get("gain", "binary") == "binary"


def _has_table(measure: Measure) -> bool:
    """True if a table says what grades are worth: a higher one may be worth less."""
    return any(isinstance(value, tuple) for value in measure.parameters.values())


class Trials:
    """One system, or two, under hypothetical judgments that they share.

    The height of a hypothesis is the system's value, or the second system's less the first one's. The counts are those
    of `counting.retrieved`, on the same queries. `top`: the highest grade of the scale, if none has been given yet.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> trials = Trials(RR, [counts["mine"]], "counted_as")
    >>> trials.observed, trials.one_by_one  # as judged, and if `new` were relevant
    (array([[0.5]]), array([[1.]]))
    """

    def __init__(
        self, measure: Measure, systems: Sequence[Ranks], undefined: Undefined, top: float | None = None
    ) -> None:
        if measure.definition.subtopics:
            raise ParameterError.on(measure, "to which subtopics an unjudged document would be relevant is open")
        self.measure, self.undefined = measure, undefined
        cutoff = measure.parameters.get("cutoff")
        self.cutoff: float = np.inf if cutoff is None else cutoff
        self.unjudged = Unjudged.within(cutoff, systems)
        self.queries = np.arange(len(systems[0].queries))
        top = max(_top(measure, systems[0]), top or 0.0)
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
        """True if what a hypothesis leaves out is judged irrelevant, so that nothing stays as it was."""
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
        """The cut-off of R-precision if so many more documents were relevant."""
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
        values = np.array([system.values_with(self.measure, numbers) for system in self.as_it_is])
        return filled(self.measure, values, self.undefined)

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
        """The number to be made low or high, on the scale on which queries are averaged."""
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
        """The distance of each document up the ranking in the second system, or in the only one: -1 to 1."""
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
