"""Measures that the reference tool prints and hardly anybody else computes."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import GainByGrade, GainName, GainTable, Level, Persistence
from assay.measures.kernels import (
    NO_GAIN,
    discount_in_words,
    discounts,
    gain_in_words,
    gains,
    ideal_rows,
    persistence,
    relevant_rows,
    relevant_total,
    rows_with_gain,
    running_at,
    steps_of,
    weight_in_words,
)
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity

_IDEAL_TOTAL = "discounted gain of the ideal ranking down to this rank"


@measure(trec_eval="binG", user_model="counts the irrelevant documents above each relevant one")
def BinG(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Binary G: each relevant document is discounted by the number of others above it that are not relevant.

    .. math:: \frac{1}{R} \sum_{i:\ x_i = 1} \frac{1}{\log_2(2 + i - \mathrm{rel}(i))}

    >>> BinG.of(Ranks.from_grades([1, 0, 1]))  # (1 + 1/log2(3)) / 2
    array([0.8155])
    """
    steps = steps_of(relevant_rows(ranks, rel), len(ranks.queries))
    steps = steps.with_columns(found=steps.count_so_far())
    steps = steps.with_columns(contribution=1.0 / np.log2(2.0 + steps["rank"] - steps["found"]))
    steps = steps.meaning(contribution="1 / log2(2 + rank - found)")
    return steps.sum("contribution") / relevant_total(ranks, rel)


@measure(trec_eval="yaap", bounds=None, user_model="as AP, on a logarithmic scale")
def Yaap(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Yet another average precision: the log odds of the sum of precisions.

    .. math:: \ln \frac{1 + s}{1 + R - s}, \quad s = \sum_{i:\ x_i = 1} P@i

    >>> Yaap.of(Ranks.from_grades([1, 0]))  # ln((1 + 1) / (1 + 1 - 1))
    array([0.6931])
    """
    steps = steps_of(relevant_rows(ranks, rel), len(ranks.queries))
    steps = steps.with_columns(found=steps.count_so_far())
    steps = steps.with_columns(precision=steps["found"] / steps["rank"]).meaning(precision="found / rank")
    total = steps.sum("precision")
    return ((total + 1) / (quantity("relevant", ranks.relevant(rel)) + 1 - total)).log()


@measure(trec_eval="G", bounds=None, user_model="counts the gain missed above each document")
def G(ranks: Ranks, *, gain: GainByGrade = "linear") -> PerUnit:
    r"""G: each gain is discounted by how far the ranking lags behind the ideal one.

    .. math:: \sum_i \frac{g_i}{\log_2(2 + C_i - S_i)} \Big/ \sum_i g^*_i, \quad
              S_i = \sum_{j \le i} g_j,\ C_i = \sum_{j \le i} \max(g^*_j, 1)

    >>> G.of(Ranks.from_grades([0, 1]))  # 1/log2(2 + 2 - 1)
    array([0.6309])
    """
    ranking, ideal = _gained(ranks, gain)
    cost = ideal.with_columns(cost=np.maximum(ideal["gain"], 1.0))
    # Beyond the ideal ranking's end each rank costs 1.
    ahead = running_at(cost.with_columns(total=cost.running("cost")), ranking, beyond=1.0)
    steps = ranking.with_columns(so_far=ranking.running("gain"), ideal_so_far=ahead)
    steps = steps.where(steps["gain"] != 0)
    lag = np.log2(2.0 + steps["ideal_so_far"] - steps["so_far"])
    steps = steps.with_columns(contribution=steps["gain"] / lag).meaning(
        so_far="gain down to here",
        ideal_so_far="gain of the ideal ranking down to this rank, each document counting 1 at least",
        contribution="gain / log2(2 + ideal_so_far - so_far)",
    )
    return steps.sum("contribution") / ideal.sum("gain", NO_GAIN)


@measure(trec_eval="ndcg_rel", bounds=None, user_model="as nDCG, at every relevant document")
def nDCGRel(ranks: Ranks, *, gain: GainByGrade = "linear") -> PerUnit:
    r"""nDCG at the rank of each document with a gain, on average; for one not retrieved, nDCG of the whole list.

    .. math:: \frac{1}{m} \Big( \sum_{i:\ g_i > 0} \frac{D(i)}{I(i)} + (m - \#) \frac{D(n)}{I(m)} \Big)

    >>> nDCGRel.of(Ranks.from_grades([1, 0, 1]))  # (1 + 1.5/1.63093) / 2
    array([0.9599])
    """
    ranking, ideal = _discounted(ranks, gain)
    gaining = ranking.where(ranking["gain"] > 0)
    ideal_total = running_at(ideal, gaining)
    gaining = gaining.with_columns(ideal_total=ideal_total, ratio=gaining["total"] / np.maximum(ideal_total, 1e-300))
    ratio = gaining.meaning(ideal_total=_IDEAL_TOTAL, ratio="total / ideal_total: nDCG at this rank").sum("ratio")
    documents = quantity("documents with a gain", _counts(ideal), when_zero=NO_GAIN)
    whole = ranking.sum("contribution") / ideal.sum("contribution", NO_GAIN)
    return (ratio + (documents - quantity("found", _counts(gaining))) * whole) / documents


@measure(trec_eval="Rndcg", bounds=None, user_model="as nDCG, at the ranks where the ideal gain changes")
def Rndcg(ranks: Ranks, *, gain: GainByGrade = "linear", rel: Level = None) -> PerUnit:
    r"""nDCG on average over the ranks at which the ideal gain changes, and at the end of the list.

    .. math:: \frac{1}{L} \sum_{j=1}^{L} \frac{D(c_j)}{I(c_j)}

    :math:`c_j` are the last ranks of each gain in the ideal ranking. A list that is longer than the ideal one by two
    documents or more adds a term for its end. 0 if no document reaches the relevance level.

    >>> Rndcg.of(Ranks.from_grades([1, 1, 2]))  # (1/2 + 2.63093/3.13093) / 2
    array([0.6701])
    """
    ranking, ideal = _discounted(ranks, gain)
    last = np.append(np.diff(ideal["gain"]) != 0, True) | np.append(np.diff(ideal.unit) != 0, True)
    changes = ideal.where(last[: len(ideal.unit)])
    got = running_at(ranking, changes, beyond=0.0)
    terms = changes.with_columns(ranking_total=got, ratio=got / np.maximum(changes["total"], 1e-300))
    terms = terms.meaning(
        ranking_total="discounted gain of the ranking down to this rank",
        ratio="ranking_total / total, where the ideal gain changes",
    )
    longer = ranks.retrieved >= _counts(ideal) + 2
    whole = ranking.sum("contribution") / ideal.sum("contribution", NO_GAIN)
    number = quantity("terms", _counts(changes) + longer, when_zero=NO_GAIN)
    mean = (terms.sum("ratio") + quantity("longer than ideal", longer) * whole) / number
    return mean * quantity("a document is relevant", ranks.relevant(rel) > 0)


@measure(trec_eval="rbp", user_model="goes on to the next result with probability p", closed_under_ties=True)
def TrecRBP(ranks: Ranks, *, p: Persistence = 0.9, gain: GainByGrade = "linear") -> PerUnit:
    r"""Rank-biased precision as the reference tool has it: gains are rescaled topic by topic.

    .. math:: (1-p) \sum_i g_i\, p^{\,i-1}

    Gains outside 0 to 1 are mapped to it by the smallest and largest gain *of the topic*, so that the same grade is
    worth more in a topic without high grades. `RBP` has one scale for all topics.

    >>> TrecRBP(p=0.5).of(Ranks.from_grades([2, 0, 1]))  # 0.5 (1 + 0.5 * 0.25)
    array([0.5625])
    """
    table = gain if isinstance(gain, tuple) else ()
    units = len(ranks.queries)
    low, high = _scale(ranks, table)
    rows = rows_with_gain(ranks, gain)
    worth = gains(rows.grade, gain, ranks.level())
    outside = (low < 0) | (high > 1)
    span = np.where(outside & (high > low), high - low, 1.0)
    # Only judged documents are rescaled; those without judgment keep their gain of 0.
    rescaled = outside[rows.query] & (rows.grade >= 0)
    worth = np.where(rescaled, (worth - low[rows.query]) / span[rows.query], worth)
    weight = rows.at_rank(lambda rank: persistence(rank, p))
    steps = steps_of(rows, units).with_columns(gain=worth, weight=weight, contribution=worth * weight)
    steps = steps.meaning(
        gain="the gain, mapped to 0 to 1 by the smallest and the largest one of the topic",
        weight=weight_in_words(p),
        contribution="gain × weight",
    )
    return steps.sum("contribution")


@measure(trec_eval="rbp_resid", user_model="as TrecRBP; what is not known of the value", higher_is_better=False)
def TrecRBPResidual(ranks: Ranks, *, p: Persistence = 0.9) -> PerUnit:
    r"""The residual of rank-biased precision as the reference tool has it: 0 if every retrieved document is judged.

    .. math:: p^{\,n} + (1-p) \sum_{i \le n,\ \text{unjudged}} p^{\,i-1}

    >>> TrecRBPResidual(p=0.5).of(Ranks.from_grades([1, 0], [1, None]))
    array([0. , 0.5])
    """
    rows = ranks.hits.where(ranks.hits.grade >= 0)
    judged = np.bincount(rows.query, minlength=len(ranks.queries))
    weight = rows.at_rank(lambda rank: persistence(rank, p))
    known = steps_of(rows, len(ranks.queries)).with_columns(known=weight)
    known = known.meaning(known=f"the weight of a judged document, {weight_in_words(p)}")
    unknown = quantity("something is unjudged", judged < ranks.retrieved)
    return (1.0 - known.sum("known")) * unknown


def _gained(ranks: Ranks, gain: GainName | GainTable) -> tuple[Steps, Steps]:
    """The gains of the ranking, and of the ideal ranking, by rank."""
    units = len(ranks.queries)
    rows = rows_with_gain(ranks, gain)
    best, worth = ideal_rows(ranks, gain)
    ranking = steps_of(rows, units).with_columns(gain=gains(rows.grade, gain, ranks.level()))
    ideal = steps_of(best, units, kind="ideal").with_columns(gain=worth)
    words = gain_in_words(gain, rows.grade)
    return ranking.meaning(gain=words), ideal.meaning(gain=words)


def _discounted(ranks: Ranks, gain: GainName | GainTable) -> tuple[Steps, Steps]:
    """The same with discounted contributions and their running totals."""
    both = []
    for gained in _gained(ranks, gain):
        kept = discounts(gained.columns["rank"].astype(np.int64), "log2", 2)
        steps = gained.with_columns(discount=kept, contribution=gained["gain"] * kept)
        steps = steps.meaning(
            discount=discount_in_words("log2", 2.0),
            contribution="gain × discount",
            total="the contributions down to here: DCG at this rank",
        )
        both.append(steps.with_columns(total=steps.running("contribution")))
    return both[0], both[1]


def _counts(steps: Steps) -> Floats:
    return np.bincount(steps.unit, minlength=steps.units).astype(np.float64)


def _scale(ranks: Ranks, table: GainTable) -> tuple[Floats, Floats]:
    """The smallest and the largest gain among each topic's grades, whole levels from 0 to the highest included."""
    units = len(ranks.queries)
    query, grade = ranks.ideal.query[ranks.ideal.grade >= 0], ranks.ideal.grade[ranks.ideal.grade >= 0]
    highest = np.zeros(units)
    np.maximum.at(highest, query, grade)
    # Beyond 1,000 the grades that occur decide, not every whole number on the way to them.
    levels = np.arange(0.0, min(np.floor(highest.max(initial=0.0)), 1000.0) + 1)
    worth = gains(levels, table, 1.0)
    reached = levels[None, :] <= highest[:, None]
    low = np.where(reached, worth[None, :], np.inf).min(axis=1, initial=np.inf)
    high = np.where(reached, worth[None, :], -np.inf).max(axis=1, initial=-np.inf)
    np.minimum.at(low, query, gains(grade, table, 1.0))
    np.maximum.at(high, query, gains(grade, table, 1.0))
    return low, high
