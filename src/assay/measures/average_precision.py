"""Average precision, its geometric mean, and its relatives for incomplete judgments."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.graded import Graded, place_in_group
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Cutoff, Floor, Level
from assay.measures.kernels import relevant_rows, relevant_total, steps_of
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps


def _area(ranks: Ranks, *, cutoff: int | None, rel: float | None) -> PerUnit:
    """Under the precision-recall curve: each step of recall times the precision at its end."""
    steps, relevant = _precisions(ranks, cutoff, rel), relevant_total(ranks, rel)
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
    precision: Floats = (place_in_group(rows.query) + 1) / rows.rank
    return precision


def _mean_precision(rows: Graded, cutoff: int | None) -> Floats:
    """Precision at a tied document's rank, on average over all orders of the tied documents.

    With `above` relevant documents before the tie and `others` more in it (of `size` - 1), a document at the tie's
    *i*-th place sees above + 1 + (i - 1) others / (size - 1) relevant ones down to its rank; averaged over the places.
    """
    first, size = rows.tie_first, rows.tie_last - rows.tie_first + 1
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
