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
Way: TypeAlias = Literal["steps", "first two", "cut at R", "numbers", "ranks", "all"]

#: Sums over documents, divided by what depends only on how many documents have which grade: some grade for the
#: documents that help most, the same or a lower one for the next. Then what does not depend on grades at all.
_SHARES = frozenset(
    [
        "P",
        "R",
        "F",
        "RelP",
        "NumRel",
        "NumRelRet",
        "CG",
        "DCG",
        "IDCG",
        "nCG",
        "nDCG",
        "RBP",
        "INSQ",
        "SetP",
        "SetR",
        "SetF",
    ]
)
_GRADELESS = frozenset(["Judged", "Unjudged", "NumQ", "NumRet", "RBPResidual", "TrecRBPResidual"])
#: What the first relevant document of each system decides.
_FIRST = frozenset(["RR", "Success", "FirstRank"])
_CUT_AT_R = frozenset(["Rprec", "RprecMult"])
#: What never falls if a relevant document changes places with an irrelevant one above it.
_BY_RANK = frozenset(["AP", "GMAP", "Bpref", "GMBpref", "InfAP", "BinG", "Yaap", "IPrec", "IPrecMean", "ERR"])
#: Linear in what each document is worth, the others being what they are: the lowest and the highest grade suffice.
_LINEAR = frozenset(["CG", "DCG", "IDCG", "RBP", "INSQ", "ERR"])

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
        return "first two"
    if name in _CUT_AT_R:
        return "cut at R"
    if measure.definition.counts is Confusion or name == "NumNonRelRet":
        return "numbers"
    return "ranks" if name in _BY_RANK and systems == 1 and not _has_table(measure) else "all"


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
    gain = measure.parameters.get("gain", "binary")
    return measure.depends_on_level and gain == "binary"


def _has_table(measure: Measure) -> bool:
    """Whether a table says what grades are worth: a higher one may be worth less."""
    return any(isinstance(value, tuple) for value in measure.parameters.values())
