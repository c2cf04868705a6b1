"""Average precision for graded judgments: graded AP and the Q-measure."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.average_precision import precision_at
from assay.measures.counting.graded import Graded
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Beta, Cutoff, GainName, GainTable, Level, PlainGain, Thresholds
from assay.measures.kernels import (
    NO_GAIN,
    best_first,
    gain_in_words,
    gains,
    relevant_total,
    running_at,
    steps_of,
    within,
)
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps


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
    level, units = ranks.level(rel), len(ranks.queries)
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
    total, below = np.zeros(len(chance)), np.zeros(units)
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
    """How likely the user finds documents of these grades relevant, in proportion."""
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
