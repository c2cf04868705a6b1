"""Which grades, and which sets of documents, have to be tried to be sure of the lowest and the highest value.

Grades of unjudged documents are many, and so are the ways to give them. For most measures a few hold the extremes.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from assay.counting.confusion import Confusion
from assay.counting.judgments import Floats
from assay.counting.ranks import Ranks
from assay.measures.registry import Measure

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
