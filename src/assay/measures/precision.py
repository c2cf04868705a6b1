"""Precision, recall and what is made of them at a cut-off; and how much of a ranking was judged."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.measures.counting.judgments import Mask
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Beta, Cutoff, Depth, Factor, GivenCurve, Level, Points, Recall, Rule, RuleName
from assay.measures.kernels import (
    NOTHING_RETRIEVED,
    found_steps,
    found_within,
    relevant_rows,
    relevant_total,
    retrieved_total,
    share_within,
    steps_of,
)
from assay.measures.registry import Measure, measure
from assay.measures.sets import square_of_beta
from assay.measures.steps import PerUnit, Steps, quantity


@measure(
    cites="buckley2005",
    trec_eval="P.{cutoff}",
    ir_measures="P@{cutoff}",
    ranx="precision@{cutoff}",
    aliases=("Precision",),
    user_model="reads the first k results",
    closed_under_ties=True,
)
def P(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Precision: the share of the first *k* results that is relevant.

    .. math:: P@k = \frac{1}{k} \sum_{i=1}^{k} x_i

    :math:`x_i` is 1 if the document at rank *i* is relevant. A list shorter than *k* is still divided by *k*. Without
    a cut-off the whole result is taken, and precision is undefined if nothing was retrieved.

    >>> P(cutoff=4).of(Ranks.from_grades([1, 0, 1, 0]))  # 2/4
    array([0.5])
    """
    return found_within(ranks, cutoff, rel) / (retrieved_total(ranks) if cutoff is None else cutoff)


@measure(
    cites="buckley2005",
    trec_eval="recall.{cutoff}",
    ir_measures="R@{cutoff}",
    ranx="recall@{cutoff}",
    aliases=("Recall",),
    user_model="wants everything that is relevant",
    closed_under_ties=True,
)
def R(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Recall: the share of the relevant documents that is among the first *k* results.

    .. math:: R@k = \frac{1}{R} \sum_{i=1}^{k} x_i

    :math:`R` is the number of relevant documents. Undefined without one.

    >>> R(cutoff=3).of(Ranks.from_grades([1, 0, 1], judged=[[1, 1, 1]]))  # 2/5
    array([0.4])
    """
    return found_within(ranks, cutoff, rel) / relevant_total(ranks, rel)


def _harmonic(ranks: Ranks, *, cutoff: int | None, beta: float, rel: float | None) -> PerUnit:
    """The weighted harmonic mean as textbooks write it."""
    precision, recall = (share(cutoff=cutoff, rel=rel).per_unit(ranks).named(share.name) for share in (P, R))
    if (square := square_of_beta(beta)) is None:
        return recall
    return (1 + square) * precision * recall / (square * precision + recall)


@measure(
    cites="vanrijsbergen1979",
    ranx="f1@{cutoff}",
    aliases=("F1", "F-measure"),
    user_model="weighs precision against recall",
    closed_under_ties=True,
    also={"the weighted harmonic mean of P and R": _harmonic},
)
def F(ranks: Ranks, *, cutoff: Cutoff = None, beta: Beta = 1.0, rel: Level = None) -> PerUnit:
    r"""F: the weighted harmonic mean of precision and recall at a cut-off.

    .. math:: F_\beta@k = \frac{(1+\beta^2)\, P@k \cdot R@k}{\beta^2\, P@k + R@k}
              = \frac{(1+\beta^2) \sum_{i=1}^{k} x_i}{\beta^2 R + k}

    With :math:`\beta > 1` recall weighs more, with :math:`\beta < 1` precision does; `beta=inf` is recall. Undefined
    without a relevant document and, without a cut-off, if nothing was retrieved.

    >>> F(cutoff=4).of(Ranks.from_grades([1, 0, 0, 0], judged=[[1]]))  # P 1/4, R 1/2
    array([0.3333])
    """
    hits = found_within(ranks, cutoff, rel)
    relevant = relevant_total(ranks, rel)
    depth = retrieved_total(ranks) if cutoff is None else quantity("cutoff", np.full(len(ranks.queries), cutoff))
    if (square := square_of_beta(beta)) is None:
        return hits / relevant
    share = (1 + square) * hits / (square * relevant + depth)
    return share.defined_with(relevant).defined_with(depth)


@measure(
    trec_eval="success.{cutoff}",
    ir_measures="Success@{cutoff}",
    ranx="hit_rate@{cutoff}",
    aliases=("HitRate", "hit_rate", "hit rate", "Hits"),
    user_model="is content with one relevant result",
)
def Success(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Success: 1 if there is a relevant document among the first *k* results, else 0.

    .. math:: \mathrm{Success}@k = \max_{i \le k} x_i

    Its mean is the hit rate, Hits@k. How many relevant documents there are among the first *k* is `NumRelRet`.

    >>> Success(cutoff=2).of(Ranks.from_grades([0, 1, 1]))
    array([1.])
    """
    rows = relevant_rows(ranks, rel)
    return found_steps(rows, len(ranks.queries), cutoff).max("found")


@measure(
    cites="buckley2005",
    trec_eval="Rprec",
    ir_measures="Rprec",
    ranx="r-precision",
    aliases=("RPrecision", "R-Precision", "r_precision"),
    user_model="reads as many results as there are relevant documents",
    closed_under_ties=True,
)
def Rprec(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""R-precision: precision after as many results as there are relevant documents.

    .. math:: \mathrm{Rprec} = P@R = R@R

    At this rank precision and recall are equal. (The other meaning of the word, precision at a given recall, is
    `PrecisionAtRecall`.) Undefined without a relevant document.

    >>> Rprec.of(Ranks.from_grades([1, 0, 1], judged=[[]]))  # P@2
    array([0.5])
    """
    relevant = ranks.relevant(rel)
    rows = relevant_rows(ranks, rel)
    steps = found_steps(rows, len(ranks.queries), relevant[rows.query], "among the first R")
    return steps.sum("found") / relevant_total(ranks, rel)


@measure(
    trec_eval="Rprec_mult.{factor}",
    user_model="reads a multiple of the number of relevant documents",
    closed_under_ties=True,
)
def RprecMult(ranks: Ranks, *, factor: Factor = 1.0, rel: Level = None) -> PerUnit:
    r"""Precision after a multiple of the number of relevant documents.

    .. math:: P@k, \quad k = \lfloor t R + 0.9 \rfloor

    The rounding is the reference tool's. Undefined where *k* is 0.

    >>> RprecMult(factor=2).of(Ranks.from_grades([1, 0, 1, 0], judged=[[]]))  # k = 4: 2/4
    array([0.5])
    """
    cutoff = np.floor(factor * ranks.relevant(rel) + 0.9).astype(np.int64)
    rows = relevant_rows(ranks, rel)
    steps = found_steps(rows, len(ranks.queries), cutoff[rows.query])
    return steps.sum("found") / quantity("cutoff", cutoff, when_zero="the cut-off is 0")


@measure(
    trec_eval="relative_P.{cutoff}",
    aliases=("RCap", "R_cap", "CappedRecall"),
    user_model="reads the first k results",
    closed_under_ties=True,
)
def RelP(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Precision as a share of what is attainable: there may be fewer than *k* relevant documents.

    .. math:: \frac{1}{\min(k, R)} \sum_{i=1}^{k} x_i

    The same number is capped recall: recall, with the denominator capped at *k*, since no more can be found there.
    Undefined without a relevant document and, without a cut-off, if nothing was retrieved.

    >>> RelP(cutoff=5).of(Ranks.from_grades([1, 0, 1, 0, 0]))  # 2/min(5, 2)
    array([1.])
    """
    depth = retrieved_total(ranks) if cutoff is None else quantity("cutoff", np.full(len(ranks.queries), cutoff))
    relevant = relevant_total(ranks, rel)
    attainable = relevant.at_most(depth).defined_with(relevant).defined_with(depth)
    return found_within(ranks, cutoff, rel) / attainable


def _best_precision(points: Steps, there: Mask, recall: float) -> PerUnit:
    """The largest precision among the points of a curve from a recall on."""
    return points.where(there).max("precision").named(f"IPrec@{recall:g}")


def _marked(points: Steps, there: Mask, recall: float, rounded: str = "") -> PerUnit:
    """The same with all points, so that it is seen which ones lie below the recall that is asked for."""
    points = points.with_columns(reaching=np.where(there, points["precision"], 0.0))
    points = points.meaning(reaching=f"precision if recall is {recall:g} or more{rounded}, else 0")
    return points.max("reaching").named(f"IPrec@{recall:g}")


def _iprec_of_points(curve: GivenCurve, *, recall: float) -> PerUnit:
    return _marked(curve.points, curve.points["recall"] >= recall, recall)


def _mean_of_points(curve: GivenCurve, *, points: int) -> PerUnit:
    best = [_best_precision(curve.points, curve.points["recall"] >= level, level) for level in _levels(points)]
    return _total(best) / points


@measure(
    trec_eval="iprec_at_recall.{recall}",
    ir_measures="IPrec@{recall}",
    aliases=("InterpolatedPrecision",),
    user_model="reads on until a share of the relevant documents is found",
    of_points=_iprec_of_points,
)
def IPrec(ranks: Ranks, *, recall: Recall = 0.0, rule: Rule = "exact", rel: Level = None) -> PerUnit:
    r"""Interpolated precision: the largest precision at this recall or beyond.

    .. math:: \mathrm{IPrec}@r = \max_{i:\ \mathrm{recall}(i) \ge r} P@i

    0 where that recall is never reached. The rule `exact` compares recall itself; `trec_eval-10` and `trec_eval-9` ask
    for *rR* relevant documents, rounded to the nearest whole number or as :math:`\lfloor rR + 0.9 \rfloor`.
    Undefined without a relevant document.

    >>> IPrec(recall=0.5).of(Ranks.from_grades([0, 1, 1, 0]))  # max(1/2, 2/3)
    array([0.6667])
    """
    steps = points_at_hits(ranks, rel)
    there = _reaching(steps, ranks, recall, rule, rel)
    rounded = "" if rule == "exact" else f" ({recall:g} × relevant is rounded as {rule} does)"
    return _marked(steps, there, recall, rounded).defined_with(relevant_total(ranks, rel))


@measure(
    trec_eval="11pt_avg",
    aliases=("11pt_avg", "ElevenPoint"),
    user_model="reads to every level of recall alike",
    of_points=_mean_of_points,
)
def IPrecMean(ranks: Ranks, *, points: Points = 11, rule: Rule = "exact", rel: Level = None) -> PerUnit:
    r"""Mean interpolated precision at evenly spaced levels of recall, 0 and 1 included; usually 11.

    .. math:: \frac{1}{11} \sum_{j=0}^{10} \mathrm{IPrec}@(j/10)

    >>> IPrecMean.of(Ranks.from_grades([1, 0, 0, 1]))  # (6 * 1 + 5 * 1/2) / 11
    array([0.7727])
    """
    steps = points_at_hits(ranks, rel)
    best = [_best_precision(steps, _reaching(steps, ranks, level, rule, rel), level) for level in _levels(points)]
    return (_total(best) / points).defined_with(relevant_total(ranks, rel))


def _levels(points: int) -> list[float]:
    return [point / (points - 1) for point in range(points)]


def _total(parts: list[PerUnit]) -> PerUnit:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def points_at_hits(ranks: Ranks, rel: float | None) -> Steps:
    """Precision and recall at the rank of each relevant document."""
    rows = relevant_rows(ranks, rel)
    steps = steps_of(rows, len(ranks.queries))
    steps = steps.with_columns(found=steps.count_so_far())
    # Recall by division: 3 of 30 and the level 0.1 are then the same number.
    recall = steps["found"] / np.maximum(ranks.relevant(rel)[rows.query], 1)
    steps = steps.with_columns(recall=recall, precision=steps["found"] / steps["rank"])
    return steps.meaning(recall="found / relevant", precision="found / rank")


def _reaching(steps: Steps, ranks: Ranks, recall: float, rule: RuleName, rel: float | None) -> Mask:
    """A mask of the points that reach a recall, by one rule or another."""
    half = 0.9 if rule == "trec_eval-9" else 0.5
    wanted = np.floor(recall * ranks.relevant(rel)[steps.unit] + half)
    return steps["recall"] >= recall if rule == "exact" else steps["found"] >= wanted


@measure(ir_measures="Judged@{cutoff}", counted_as=None, higher_is_better=None, closed_under_ties=True)
def Judged(ranks: Ranks, *, cutoff: Cutoff = None) -> PerUnit:
    r"""Coverage: the share of the first *k* results that has been judged.

    .. math:: \frac{\text{judged among the first } \min(k, n)}{\min(k, n)}

    A list of *n* < *k* documents is divided by *n*. Undefined, and left out of the mean, if nothing was retrieved.

    >>> Judged(cutoff=4).of(Ranks.from_grades([1, None, 0, None]))  # 2/4
    array([0.5])
    """
    looked_at = ranks.retrieved if cutoff is None else np.minimum(ranks.retrieved, cutoff)
    return _judged_within(ranks, cutoff) / quantity("looked at", looked_at, when_zero=NOTHING_RETRIEVED)


@measure(trec_eval="unj.{cutoff}", higher_is_better=None, closed_under_ties=True)
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


def _number(
    trec_eval: str, ir_measures: str | None = None, higher_is_better: bool | None = None
) -> Callable[[Callable[..., PerUnit]], Measure]:
    """A plain number, added up over queries."""
    return measure(
        trec_eval=trec_eval,
        ir_measures=ir_measures,
        bounds=None,
        summary="sum",
        higher_is_better=higher_is_better,
        closed_under_ties=True,
    )


@_number("num_ret", "NumRet")
def NumRet(ranks: Ranks) -> PerUnit:
    r"""Number of documents retrieved.

    .. math:: n

    >>> NumRet.of(Ranks.from_grades([1, None, 0]))
    array([3.])
    """
    return quantity("retrieved", ranks.retrieved)


@_number("num_rel", "NumRel")
def NumRel(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Number of relevant documents.

    .. math:: R

    >>> NumRel.of(Ranks.from_grades([1, 0], judged=[[1]]))
    array([2.])
    """
    return quantity("relevant", ranks.relevant(rel))


@_number("num_rel_ret", "NumRelRet", higher_is_better=True)
def NumRelRet(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Number of relevant documents retrieved, down to a cut-off if one is given.

    .. math:: \sum_{i=1}^{k} x_i

    ranx calls it hits, and takes the mean over queries; Hits@k is the hit rate here, `Success`.

    >>> NumRelRet.of(Ranks.from_grades([1, 0, 1], judged=[[1]]))
    array([2.])
    """
    return found_within(ranks, cutoff, rel)


@_number("num_nonrel_judged_ret", higher_is_better=False)
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
