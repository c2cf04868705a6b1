"""Average precision, its geometric mean, its relatives for incomplete judgments and for grades."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats, Graded, place_in_group
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Beta, Cutoff, Floor, GainName, GainTable, Level, PlainGain, Thresholds
from assay.measures.kernels import (
    NO_GAIN,
    best_first,
    gain_in_words,
    gains,
    relevant_rows,
    relevant_total,
    running_at,
    steps_of,
    within,
)
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps


def _area(ranks: Ranks, *, cutoff: int | None, rel: float | None) -> PerUnit:
    """Under the precision-recall curve: each step of recall times the precision at its end."""
    steps = _precisions(ranks, cutoff, rel)
    relevant = relevant_total(ranks, rel)
    step = 1.0 / np.maximum(relevant.values, 1.0)[steps.unit]
    if "found" in steps.columns:
        steps = steps.with_columns(recall=steps["found"] * step).meaning(recall="found / relevant")
    steps = steps.with_columns(recall_step=step, area=steps["precision"] * step)
    steps = steps.meaning(
        recall_step="recall here - recall at the relevant document before", area="precision × recall_step"
    )
    return steps.sum("area").defined_with(relevant)


@measure(
    cites="buckley2005",
    trec_eval=("map", "map_cut.{cutoff}"),
    ir_measures="AP@{cutoff}",
    ranx="map@{cutoff}",
    aliases=("MAP", "AveragePrecision"),
    user_model="stops at a relevant document, each as likely as the others",
    closed_under_ties=True,
    also={"the area under the precision-recall curve": _area},
)
def AP(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Average precision: the mean over all relevant documents of the precision at their rank, 0 if not retrieved.

    .. math:: \mathrm{AP}@k = \frac{1}{R} \sum_{i=1}^{k} x_i \, P@i

    This is also the area under the precision-recall curve, :math:`\sum_i P@i\,(R@i - R@(i-1))`. With a cut-off the
    sum stops there and is still divided by *R*, as in the reference tool. Undefined without a relevant document.

    >>> AP.of(Ranks.from_grades([1, 0, 1]))  # (1/1 + 2/3) / 2
    array([0.8333])
    """
    return _precisions(ranks, cutoff, rel).sum("precision") / relevant_total(ranks, rel)


@measure(
    cites="robertson2006",
    trec_eval="gm_map",
    aliases=("GMMAP",),
    counted_as=1e-5,
    summary="geometric",
    user_model="as AP; poor queries weigh most",
)
def GMAP(ranks: Ranks, *, floor: Floor = 1e-5, rel: Level = None) -> PerUnit:
    r"""Average precision for the geometric mean: values below the floor are raised to it.

    .. math:: \mathrm{GMAP} = \exp \frac{1}{n} \sum_q \ln \max(\mathrm{AP}_q, 10^{-5})

    >>> GMAP.of(Ranks.from_grades([0, 1], [0, 0]))
    array([0.5, nan])
    """
    return AP(rel=rel).per_unit(ranks).at_least(floor)


def _precisions(ranks: Ranks, cutoff: int | None, rel: float | None) -> Steps:
    """The relevant documents retrieved, how many were found so far, and the precision there."""
    rows = relevant_rows(ranks, rel)
    steps = steps_of(rows, len(ranks.queries))
    if rows.averaged:
        steps = steps.with_columns(precision=_mean_precision(rows, cutoff))
        return steps.meaning(precision="the mean of found / rank over the orders of tied documents")
    steps = steps.with_columns(found=steps.count_so_far())
    steps = steps.with_columns(precision=steps["found"] / steps["rank"]).meaning(precision="found / rank")
    return steps if cutoff is None else steps.where(steps["rank"] <= cutoff)


def precision_at(rows: Graded) -> Floats:
    """Precision at the rank of each row, where all rows count as relevant; tied ones on average over their orders."""
    if rows.averaged:
        return _mean_precision(rows, None)
    return (place_in_group(rows.query) + 1) / rows.rank


def _mean_precision(rows: Graded, cutoff: int | None) -> Floats:
    """Precision at a tied document's rank, on average over all orders of the tied documents.

    With `above` relevant documents before the tie and `others` more in it (of `size` - 1), a document at the tie's
    *i*-th place sees above + 1 + (i - 1) others / (size - 1) relevant ones down to its rank; averaged over the places.
    """
    first = rows.tie_first
    size = rows.tie_last - rows.tie_first + 1
    group = rows.tie_groups()
    above = place_in_group(rows.query) - place_in_group(group)
    others = np.bincount(group)[group] - 1 if len(group) else group
    end = rows.last_within(cutoff)
    places = np.maximum(end - first + 1, 0)
    harmonic = np.append(0.0, np.cumsum(1.0 / np.arange(1, rows.tie_last.max(initial=0) + 1)))
    inverse = harmonic[np.maximum(end, first - 1)] - harmonic[first - 1]
    each = others / np.maximum(size - 1, 1)
    mean: Floats = ((above + 1) * inverse + each * (places - first * inverse)) / size
    return mean


@measure(
    cites="buckley2004",
    trec_eval="bpref",
    ir_measures="Bpref",
    ranx="bpref",
    aliases=("BPref",),
    user_model="prefers relevant documents to judged irrelevant ones",
)
def Bpref(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Binary preference: how rarely documents judged irrelevant stand above relevant ones. Unjudged ones do not count.

    .. math:: \mathrm{bpref} = \frac{1}{R} \sum_{r} \Big( 1 - \frac{\min(b_r, R)}{\min(N, R)} \Big)

    The sum runs over the relevant documents retrieved; :math:`b_r` documents judged irrelevant stand above *r*, and
    :math:`N` were judged irrelevant in all; a term is 1 where :math:`b_r = 0`. Undefined without a relevant document.

    >>> Bpref.of(Ranks.from_grades([1, None, 0, 1]))  # (1 + (1 - 1/1)) / 2
    array([0.5])
    """
    level = ranks.level(rel)
    relevant = ranks.relevant(rel)
    judged_not = (ranks.ideal.grade >= 0) & (ranks.ideal.grade < level)
    irrelevant = np.bincount(ranks.ideal.query[judged_not], minlength=len(ranks.queries))
    judged = ranks.hits.where(ranks.hits.grade >= 0)
    passed = Steps(judged.query, len(ranks.queries), {"irrelevant": (judged.grade < level).astype(np.float64)})
    steps = steps_of(judged, len(ranks.queries)).with_columns(irrelevant_above=passed.running("irrelevant"))
    steps = steps.where(judged.grade >= level)
    most = np.minimum(relevant, irrelevant)[steps.unit]
    share = np.minimum(steps["irrelevant_above"], relevant[steps.unit]) / np.maximum(most, 1)
    steps = steps.with_columns(at_most=most, preferred=1.0 - share).meaning(
        irrelevant_above="documents judged irrelevant above this one",
        at_most="the smaller of relevant and judged irrelevant documents there are",
        preferred="1 - min(irrelevant_above, relevant) / at_most",
    )
    return steps.sum("preferred") / relevant_total(ranks, rel)


@measure(trec_eval="gm_bpref", counted_as=1e-5, summary="geometric", user_model="as Bpref; poor queries weigh most")
def GMBpref(ranks: Ranks, *, floor: Floor = 1e-5, rel: Level = None) -> PerUnit:
    r"""Binary preference for the geometric mean: values below the floor are raised to it.

    .. math:: \exp \frac{1}{n} \sum_q \ln \max(\mathrm{bpref}_q, 10^{-5})

    >>> GMBpref.of(Ranks.from_grades([0, 1]))
    array([0.])
    """
    return Bpref(rel=rel).per_unit(ranks).at_least(floor)


@measure(
    cites="yilmaz2006",
    trec_eval="infAP",
    ir_measures="infAP",
    aliases=("InferredAP",),
    bounds=(0.0, 1.00001),
    user_model="as AP, where only a sample of the pool was judged",
)
def InfAP(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Inferred average precision: AP estimated where only a random sample of the pool was judged.

    .. math:: \frac{1}{R} \sum_{r} \Big( \frac{1}{i} + \frac{i-1}{i} \cdot \frac{p+q+u}{i-1} \cdot
              \frac{p+\varepsilon}{p+q+2\varepsilon} \Big)

    The sum runs over the relevant documents retrieved, at rank *i*; above it stand *p* relevant documents, *q* judged
    irrelevant and *u* of the pool without judgment (negative grade); :math:`\varepsilon = 10^{-5}`.
    With complete judgments this is AP, but for the effect of :math:`\varepsilon`.

    >>> InfAP.of(Ranks.from_grades([0, 1]))  # 1/2 + 1/2 * 1/1 * 0.00001/1.00002
    array([0.5])
    """
    epsilon = 1e-5
    level = ranks.level(rel)
    grade = ranks.hits.grade
    kinds = {"relevant": grade >= level, "irrelevant": (grade >= 0) & (grade < level), "unjudged": grade < 0}
    passed = Steps(ranks.hits.query, len(ranks.queries), {name: kind.astype(float) for name, kind in kinds.items()})
    above = {f"{name}_above": passed.running(name) - passed[name] for name in kinds}
    steps = steps_of(ranks.hits, len(ranks.queries)).with_columns(**above).where(kinds["relevant"])
    relevant, irrelevant, unjudged = (steps[name] for name in above)
    # In the place of (i-1)/i * (p+q+u)/(i-1) stands (p+q+u)/i: the same, and no division by 0 at rank 1.
    pooled = (relevant + irrelevant + unjudged) / steps["rank"]
    expected = (relevant + epsilon) / (relevant + irrelevant + 2 * epsilon)
    precision = 1.0 / steps["rank"] + pooled * expected
    steps = steps.with_columns(pooled_above=pooled, relevant_share=expected, expected_precision=precision).meaning(
        pooled_above="(relevant_above + irrelevant_above + unjudged_above) / rank",
        relevant_share="(relevant_above + ε) / (relevant_above + irrelevant_above + 2ε), ε = 0.00001",
        expected_precision="1 / rank + pooled_above × relevant_share",
    )
    return steps.sum("expected_precision") / relevant_total(ranks, rel)


@measure(
    cites="robertson2010",
    aliases=("GAP", "GradedAveragePrecision"),
    user_model="sets a threshold of relevance, then stops at a relevant document",
    closed_under_ties=True,
)
def gAP(ranks: Ranks, *, thresholds: Thresholds = "uniform") -> PerUnit:
    r"""Graded average precision: average precision for a user whose threshold of relevance is not known.

    .. math:: \mathrm{gAP} = \sum_{i} \frac{1}{i} \sum_{j \le i} \min(t_i, t_j) \Big/ \sum_d t_d

    :math:`t_i` is the probability that the user finds the document at rank *i* relevant, which is to say that the
    threshold is not above its grade; the sum below runs over all judged documents *d*. By default all thresholds of the
    scale are as likely (`uniform`), and :math:`t` is proportional to the grade. A table such as {1: 1, 2: 3} gives
    the grades that may be the threshold, and how likely they are in proportion. With binary judgments this is AP.
    Undefined if no document can be relevant.

    >>> gAP.of(Ranks.from_grades([1, 2]))  # (1/1 + (1 + 2)/2) / (1 + 2)
    array([0.8333])
    """
    chance = _chance_of_relevance(ranks.hits.grade, thresholds)
    rows, chance = ranks.hits.where(chance > 0), chance[chance > 0]
    steps = steps_of(rows, len(ranks.queries)).with_columns(chance=chance)
    steps = steps.with_columns(contribution=_shared_chances(rows, chance, len(ranks.queries))).meaning(
        chance=_chance_in_words(thresholds),
        contribution="the sum of the smaller chance, of this document and of each one down to it, / rank",
    )
    ideal = steps_of(ranks.ideal, len(ranks.queries), kind="ideal")
    ideal = ideal.with_columns(chance=_chance_of_relevance(ranks.ideal.grade, thresholds))
    ideal = ideal.meaning(chance=_chance_in_words(thresholds))
    return steps.sum("contribution") / ideal.sum("chance", when_zero=NO_GAIN)


@measure(
    cites="sakai2007",
    aliases=("Q-measure", "QMeasure"),
    user_model="stops at a relevant document, each as likely as the others; content with gain and precision",
)
def Q(
    ranks: Ranks, *, cutoff: Cutoff = None, beta: Beta = 1.0, gain: PlainGain = "linear", rel: Level = None
) -> PerUnit:
    r"""Q-measure: average precision with the blended ratio, which looks at gain as well, in the place of precision.

    .. math:: Q@k = \frac{1}{\min(k, R)} \sum_{i=1}^{k} x_i \,
              \frac{\sum_{j \le i} x_j + \beta\, G_i}{i + \beta\, I_i}, \quad G_i = \sum_{j \le i} x_j\, g_j

    :math:`I_i` is the cumulated gain of the ideal ranking at rank *i*; only relevant documents have a gain: see `CG`.
    With :math:`\beta = 0` this is AP, with `beta=inf` gain alone counts. With a cut-off the sum stops there and is
    divided by *k* if there are more relevant documents than that (`AP` is not). Undefined without a relevant document.

    >>> Q.of(Ranks.from_grades([1, 0, 2]))  # ((1 + 1)/(1 + 2) + (2 + 3)/(3 + 3)) / 2
    array([0.75])
    """
    level = ranks.level(rel)
    units = len(ranks.queries)
    rows = within(ranks.hits.where(ranks.hits.grade >= level), cutoff)
    steps = steps_of(rows, units).with_columns(gain=gains(rows.grade, gain, level))
    steps = steps.with_columns(found=steps.count_so_far(), gained=steps.running("gain"))
    steps = steps.with_columns(ideal_gained=running_at(_ideal(ranks, gain, level), steps))
    # By its share, not by beta itself, which may be infinite: then gain alone counts, where there is any.
    by_gain = np.where(steps["ideal_gained"] > 0, 1.0 if math.isinf(beta) else beta / (1 + beta), 0.0)
    top = (1 - by_gain) * steps["found"] + by_gain * steps["gained"]
    ratio = top / ((1 - by_gain) * steps["rank"] + by_gain * steps["ideal_gained"])
    weighted = (
        "gained / ideal_gained"
        if math.isinf(beta)
        else (f"(found + {beta:g} × gained) / (rank + {beta:g} × ideal_gained)")
    )
    relevant = relevant_total(ranks, rel)
    number = relevant if cutoff is None else relevant.at_most(cutoff).defined_with(relevant)
    steps = steps.with_columns(blended_ratio=ratio).meaning(
        gain=gain_in_words(gain, rows.grade),
        gained="gain down to here",
        ideal_gained="gain of the ideal ranking down to this rank",
        blended_ratio=weighted,
    )
    return steps.sum("blended_ratio") / number


def _ideal(ranks: Ranks, gain: GainName, level: float) -> Steps:
    """The running total of gain in the ideal ranking of relevant documents."""
    relevant = ranks.ideal.where(ranks.ideal.grade >= level)
    rows, worth = best_first(relevant, gains(relevant.grade, gain, level))
    steps = steps_of(rows, len(ranks.queries), kind="ideal").with_columns(gain=worth)
    return steps.with_columns(total=steps.running("gain"))


def _shared_chances(rows: Graded, chance: Floats, units: int) -> Floats:
    """For each row the sum of min(t_i, t_j) over the rows down to it, divided by its rank.

    A minimum is a sum over the levels that both reach: so this is the precision at each level, weighted by its height.
    """
    ranked = pl.DataFrame({"query": rows.query, "chance": chance})
    level = ranked.select(pl.col("chance").rank("dense").over("query")).to_series().to_numpy()
    total = np.zeros(len(chance))
    below = np.zeros(units)
    for number in range(1, int(level.max(initial=0)) + 1):  # the first level of all queries at once, then the second
        height = below.copy()
        height[rows.query[level == number]] = chance[level == number]
        reached = level >= number
        total[reached] += (height - below)[rows.query[reached]] * precision_at(rows.where(reached))
        below = height
    return total


def _chance_in_words(thresholds: Literal["uniform"] | GainTable) -> str:
    where = "the grade" if thresholds == "uniform" else "the weight of the thresholds up to the grade"
    return f"{where}, in proportion to the chance that the user finds it relevant"


def _chance_of_relevance(grade: Floats, thresholds: Literal["uniform"] | GainTable) -> Floats:
    """Chances that the user finds documents of these grades relevant, in proportion."""
    if thresholds == "uniform":
        return np.maximum(grade, 0.0)
    chance = np.zeros(len(grade))
    for threshold, weight in thresholds:
        if threshold <= 0 or weight < 0:
            raise ParameterError(
                f"thresholds of gAP are grades above 0 with a weight from 0 on, not {threshold:g}: {weight:g}"
            )
        chance += np.where(grade >= threshold, weight, 0.0)
    return chance
