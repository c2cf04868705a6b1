"""How much was retrieved, is relevant, is judged: the counts that stand beside every score."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Cutoff, Depth, Level
from assay.measures.kernels import NOTHING_RETRIEVED, found_within, share_within, steps_of
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, quantity


@measure(ir_measures="Judged@{cutoff}", counted_as=None, user_model="-", higher_is_better=None, closed_under_ties=True)
def Judged(ranks: Ranks, *, cutoff: Cutoff = None) -> PerUnit:
    r"""Coverage: the share of the first *k* results that has been judged.

    .. math:: \frac{\text{judged among the first } \min(k, n)}{\min(k, n)}

    A list of *n* < *k* documents is divided by *n*. Undefined, and left out of the mean, if nothing was retrieved.

    >>> Judged(cutoff=4).of(Ranks.from_grades([1, None, 0, None]))  # 2/4
    array([0.5])
    """
    looked_at = ranks.retrieved if cutoff is None else np.minimum(ranks.retrieved, cutoff)
    return _judged_within(ranks, cutoff) / quantity("looked at", looked_at, when_zero=NOTHING_RETRIEVED)


@measure(trec_eval="unj.{cutoff}", user_model="-", higher_is_better=None, closed_under_ties=True)
def Unjudged(ranks: Ranks, *, cutoff: Depth = 10) -> PerUnit:
    r"""The share of the first *k* ranks that holds a document without judgment; always divided by *k*.

    .. math:: \frac{\text{unjudged among the first } k}{k}

    >>> Unjudged(cutoff=4).of(Ranks.from_grades([1, None]))  # 1/4
    array([0.25])
    """
    return (quantity("looked at", np.minimum(ranks.retrieved, cutoff)) - _judged_within(ranks, cutoff)) / cutoff


@measure(
    ir_measures="NumQ",
    aliases=("num_q",),
    bounds=(1.0, 1.0),
    summary="sum",
    user_model="-",
    higher_is_better=None,
    closed_under_ties=True,
)
def NumQ(ranks: Ranks) -> PerUnit:
    r"""Number of queries: 1 for each.

    .. math:: 1

    >>> NumQ.of(Ranks.from_grades([1]))
    array([1.])
    """
    return quantity("query", np.ones(len(ranks.queries)))


@measure(
    trec_eval="num_ret",
    ir_measures="NumRet",
    bounds=None,
    summary="sum",
    user_model="-",
    higher_is_better=None,
    closed_under_ties=True,
)
def NumRet(ranks: Ranks) -> PerUnit:
    r"""Number of documents retrieved.

    .. math:: n

    >>> NumRet.of(Ranks.from_grades([1, None, 0]))
    array([3.])
    """
    return quantity("retrieved", ranks.retrieved)


@measure(
    trec_eval="num_rel",
    ir_measures="NumRel",
    bounds=None,
    summary="sum",
    user_model="-",
    higher_is_better=None,
    closed_under_ties=True,
)
def NumRel(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Number of relevant documents.

    .. math:: R

    >>> NumRel.of(Ranks.from_grades([1, 0], judged=[[1]]))
    array([2.])
    """
    return quantity("relevant", ranks.relevant(rel))


@measure(
    trec_eval="num_rel_ret",
    ir_measures="NumRelRet",
    bounds=None,
    summary="sum",
    user_model="-",
    closed_under_ties=True,
)
def NumRelRet(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Number of relevant documents retrieved, down to a cut-off if one is given.

    .. math:: \sum_{i=1}^{k} x_i

    ranx calls it hits, and takes the mean over queries; Hits@k is the hit rate here, `Success`.

    >>> NumRelRet.of(Ranks.from_grades([1, 0, 1], judged=[[1]]))
    array([2.])
    """
    return found_within(ranks, cutoff, rel)


@measure(
    trec_eval="num_nonrel_judged_ret",
    bounds=None,
    summary="sum",
    user_model="-",
    higher_is_better=False,
    closed_under_ties=True,
)
def NumNonRelRet(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Number of documents retrieved that were judged irrelevant.

    .. math:: \sum_{i} [0 \le grade_i < level]

    >>> NumNonRelRet.of(Ranks.from_grades([1, 0, None]))
    array([1.])
    """
    grade = ranks.hits.grade
    rows = ranks.hits.where((grade >= 0) & (grade < ranks.level(rel)))
    steps = steps_of(rows, len(ranks.queries)).with_columns(found=share_within(rows, None))
    return steps.meaning(found="1 for a document judged irrelevant").sum("found")


def _judged_within(ranks: Ranks, cutoff: int | None) -> PerUnit:
    rows = ranks.hits.where(ranks.hits.grade >= 0)
    steps = steps_of(rows, len(ranks.queries)).with_columns(judged=share_within(rows, cutoff))
    return steps.meaning(judged="1 for a judged document" + ("" if cutoff is None else " within the cut-off")).sum(
        "judged"
    )
