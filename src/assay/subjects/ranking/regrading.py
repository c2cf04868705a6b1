"""Which grades, and which sets of documents, have to be tried to be sure of the lowest and the highest value.

Grades of unjudged documents are many, and so are the ways to give them. For most measures a few hold the extremes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from assay.core.errors import ParameterError
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.measures.summary import Undefined, filled, summarise
from assay.stats.mean_samples import MeanSample
from assay.subjects.ranking.hypothetical_judgments import Grading, Hypotheses, Unjudged

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
    """How to find the extremes of a measure, or of a difference of two systems.

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
    """Whether a number of relevant documents is worth most at the top of the ranking, and least at the bottom.

    >>> from assay.measures import AP, Q
    >>> rises_with_rank(AP), rises_with_rank(Q)  # Q looks at the gain of all documents above
    (True, False)
    """
    return measure.name in _BY_RANK and not _has_table(measure)


def tells_unjudged(measure: Measure, ranks: Ranks) -> bool:
    """Whether a document that is judged irrelevant may count other than one that is not judged.

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
    """Whether a grade only says if a document is relevant."""
    if measure.definition.counts is Confusion:
        return True
    known = measure.name in _BLIND | _PREFERENCES | {"NumNonRelRet"}
    return known and measure.depends_on_level and measure.parameters.get("gain", "binary") == "binary"


def _has_table(measure: Measure) -> bool:
    """Whether a table says what grades are worth: a higher one may be worth less."""
    return any(isinstance(value, tuple) for value in measure.parameters.values())


class Trials:
    """One system, or two, under hypothetical judgments that they share.

    The height of a hypothesis is the system's value, or the second system's less the first one's. The counts are those
    of `counting.retrieved`, on the same queries.

    >>> from assay.measures.counting.retrieved import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> trials = Trials(RR, [counts["mine"]], "counted_as")
    >>> trials.observed, trials.one_by_one  # as judged, and if `new` were relevant
    (array([[0.5]]), array([[1.]]))
    """

    def __init__(self, measure: Measure, systems: Sequence[Ranks], undefined: Undefined) -> None:
        if measure.definition.subtopics:
            raise ParameterError.on(measure, "to which subtopics an unjudged document would be relevant is open")
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
