"""The few values that Assay has no parameter for: what other tools make of the same counts."""

from __future__ import annotations

import numpy as np

from assay.counting.judgments import Floats
from assay.counting.ranks import Ranks
from assay.measures import AP, Judged
from assay.measures.kernels import max_grade_of
from assay.measures.registry import Measure


def rbp_of_grades(ranks: Ranks, measure: Measure) -> Floats:
    """RBP with grades as gains, not divided by the top of the scale.

    >>> from assay.measures import RBP
    >>> rbp_of_grades(Ranks.from_grades([3, 3, 3]), RBP(p=0.5))  # 0.5 (3 + 3/2 + 3/4)
    array([2.625])
    """
    top = max_grade_of(ranks, measure.parameters["max_grade"])
    scaled: Floats = measure(gain="linear").of(ranks) * (top or 1.0)
    return scaled


def log_of_ap(ranks: Ranks, measure: Measure) -> Floats:
    """The natural logarithm of AP, which is raised to 0.00001 first.

    >>> log_of_ap(Ranks.from_grades([1]), AP)
    array([0.])
    """
    logs: Floats = np.log(np.maximum(np.nan_to_num(AP(rel=measure.parameters["rel"]).of(ranks)), 1e-5))
    return logs


def bpref_or_none(ranks: Ranks, measure: Measure) -> Floats:
    """bpref, and no number where a relevant document was found but none was judged irrelevant.

    >>> from assay.measures import Bpref
    >>> bpref_or_none(Ranks.from_grades([1], [1, 0]), Bpref)
    array([nan,  1.])
    """
    level, topics = ranks.level(measure.parameters["rel"]), len(ranks.queries)
    values = np.nan_to_num(measure.of(ranks))
    irrelevant = np.bincount(ranks.ideal.query[ranks.ideal.grade < level], minlength=topics)
    hits = np.bincount(ranks.hits.query[ranks.hits.grade >= level], minlength=topics)
    return np.where((irrelevant == 0) & (hits > 0), np.nan, values)


def judged_of_k(ranks: Ranks, measure: Measure) -> Floats:
    """Judged documents among the first *k*, divided by *k* also where there are fewer.

    >>> judged_of_k(Ranks.from_grades([1]), Judged @ 4)
    array([0.25])
    """
    cutoff = measure.parameters["cutoff"]
    share: Floats = np.nan_to_num(measure.of(ranks)) * np.minimum(ranks.retrieved, cutoff) / cutoff
    return share


def unjudged_of_returned(ranks: Ranks, measure: Measure) -> Floats:
    """Unjudged documents among the first *k*, divided by as many as there are.

    >>> from assay.measures import Unjudged
    >>> unjudged_of_returned(Ranks.from_grades([None]), Unjudged @ 4)
    array([1.])
    """
    return 1.0 - Judged(cutoff=measure.parameters["cutoff"]).of(ranks)
