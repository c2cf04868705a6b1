"""Cumulated gain: CG, nCG, DCG, nDCG, with all gains and discounts in use."""

from __future__ import annotations

import numpy as np

from assay.core.errors import ParameterError
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Base, Cutoff, Discount, Gain, GainIdeal, Ideal, MaxGrade, PlainGain
from assay.measures.kernels import NO_GAIN, discounted, gain_in_words, gains, ideal_rows, max_grade_of, rows_with_gain
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity


@measure(
    bounds=None,
    aliases=("CumulatedGain",),
    user_model="reads the first k results alike",
    closed_under_ties=True,
    cites="jarvelin2002",
)
def CG(ranks: Ranks, *, cutoff: Cutoff = None, gain: Gain = "linear") -> PerUnit:
    r"""Cumulated gain: what the first *k* results are worth together.

    .. math:: \mathrm{CG}@k = \sum_{i=1}^{k} g_i

    :math:`g_i` is the gain of the document at rank *i*: its grade (`linear`), :math:`2^{grade} - 1` (`exp`), 1 if it is
    relevant (`binary`), or as a table says, in which grades that are not named keep their own value. Documents without
    judgment gain nothing.

    >>> CG(cutoff=2).of(Ranks.from_grades([3, 2, 3]))  # 3 + 2
    array([5.])
    """
    return _ranking(ranks, cutoff, gain, "none", 2).sum("contribution")


@measure(
    cites="jarvelin2002",
    aliases=("NormalisedCG", "NormalisedCumulatedGain"),
    user_model="reads the first k results alike",
    closed_under_ties=True,
)
def nCG(
    ranks: Ranks,
    *,
    cutoff: Cutoff = None,
    gain: PlainGain = "linear",
    ideal: GainIdeal = "judged",
    max_grade: MaxGrade = None,
) -> PerUnit:
    r"""Normalised cumulated gain: what the first *k* results are worth, as a share of what they could be worth.

    .. math:: \mathrm{nCG}@k = \sum_{i=1}^{k} g_i \Big/ \sum_{i=1}^{k} g^*_i
              \quad \text{or} \quad \frac{1}{k\, g_{max}} \sum_{i=1}^{k} g_i

    Compared with the best ranking of the `judged` documents (the first formula), or with *k* documents at the top of
    the `scale` (the second), whether there are as many or not. The top is `max_grade`; if it is not given, the largest
    grade of the judgments. The scale needs a cut-off. Gains: see `CG`. Undefined without a document that has a gain.

    >>> nCG(cutoff=2).of(Ranks.from_grades([0, 2, 3, 1]))  # (0 + 2) / (3 + 2)
    array([0.4])
    >>> nCG(cutoff=2, ideal="scale").of(Ranks.from_grades([0, 2, 3, 1]))  # (0 + 2) / (2 * 3)
    array([0.3333])
    """
    got = _ranking(ranks, cutoff, gain, "none", 2).sum("contribution")
    if ideal == "judged":
        return got / _ideal(ranks, cutoff, gain, "none", 2, ideal=ideal).sum("contribution", when_zero=NO_GAIN)
    if cutoff is None:
        raise ParameterError("nCG(ideal='scale') needs a cut-off, as in nCG(ideal='scale')@10")
    top = float(gains(np.array([max_grade_of(ranks, max_grade)]), gain, ranks.level())[0])
    return got / quantity("all at the top of the scale", np.full(len(ranks.queries), cutoff * top), when_zero=NO_GAIN)


@measure(
    cites="jarvelin2002",
    trec_eval="dcg",
    ranx="dcg@{cutoff}",
    aliases={"DiscountedCumulatedGain": {}, "dcg_burges": {"gain": "exp"}},
    bounds=None,
    user_model="reads on with falling interest",
    closed_under_ties=True,
)
def DCG(
    ranks: Ranks, *, cutoff: Cutoff = None, gain: Gain = "linear", discount: Discount = "log2", base: Base = 2.0
) -> PerUnit:
    r"""Discounted cumulated gain: the deeper a document stands, the less of its gain counts.

    .. math:: \mathrm{DCG}@k = \sum_{i=1}^{k} g_i\, d_i, \quad d_i = \frac{1}{\log_b(i+1)}

    Discounts: `log2` is the one above (*b* is `base`); `log2max2` is :math:`1/\log_b \max(i, b)`, so that ranks up to
    *b* are not discounted; `zipf` is :math:`1/i`; `none` is 1. Gains: see `CG`.

    >>> DCG.of(Ranks.from_grades([2, 0, 1]))  # 2/1 + 1/2
    array([2.5])
    """
    return _ranking(ranks, cutoff, gain, discount, base).sum("contribution")


@measure(
    trec_eval="ideal_dcg", bounds=None, user_model="as DCG, of the best ranking there could be", closed_under_ties=True
)
def IDCG(
    ranks: Ranks, *, cutoff: Cutoff = None, gain: Gain = "linear", discount: Discount = "log2", base: Base = 2.0
) -> PerUnit:
    r"""The discounted cumulated gain of the ideal ranking: all judged documents, largest gain first.

    .. math:: \mathrm{IDCG}@k = \sum_{i=1}^{k} g^*_i\, d_i

    >>> IDCG.of(Ranks.from_grades([0, 1], judged=[[2]]))  # 2/1 + 1/1.585
    array([2.6309])
    """
    return _ideal(ranks, cutoff, gain, discount, base, ideal="judged").sum("contribution")


@measure(
    cites="jarvelin2002",
    trec_eval=("ndcg", "ndcg_cut.{cutoff}"),
    ir_measures="nDCG@{cutoff}",
    ranx="ndcg@{cutoff}",
    aliases={"NDCG": {}, "ndcg_burges": {"gain": "exp"}},
    user_model="reads on with falling interest",
    closed_under_ties=True,
)
def nDCG(
    ranks: Ranks,
    *,
    cutoff: Cutoff = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: Base = 2.0,
    ideal: Ideal = "judged",
) -> PerUnit:
    r"""Discounted gain of the ranking, as a share of the ideal ranking's.

    .. math:: \mathrm{nDCG}@k = \sum_{i=1}^{k} \frac{g_i}{\log_2(i+1)} \Big/ \sum_{i=1}^{k} \frac{g^*_i}{\log_2(i+1)}

    :math:`g_i`: gain at rank *i*; :math:`g^*`: all judged gains, largest first. Gains and discounts: see `DCG`. The
    ideal is that of the `judged` documents down to the cut-off, of all of them whatever the cut-off (`uncut`), or of
    the `retrieved` ones only, as some tools have it. Undefined without a document that has a gain.

    >>> nDCG(cutoff=3).of(Ranks.from_grades([2, 0, 1]))  # (2/1 + 1/2) / (2/1 + 1/1.585)
    array([0.9502])
    """
    got = _ranking(ranks, cutoff, gain, discount, base)
    best = _ideal(ranks, None if ideal == "uncut" else cutoff, gain, discount, base, ideal=ideal)
    return got.sum("contribution") / best.sum("contribution", when_zero=NO_GAIN)


def _ranking(ranks: Ranks, cutoff: Cutoff, gain: Gain, discount: Discount, base: float) -> Steps:
    rows = rows_with_gain(ranks, gain)
    steps = discounted(
        rows, gains(rows.grade, gain, ranks.level()), len(ranks.queries), cutoff=cutoff, discount=discount, base=base
    )
    return steps.meaning(gain=_in_words(ranks, gain))


def _ideal(ranks: Ranks, cutoff: Cutoff, gain: Gain, discount: Discount, base: float, *, ideal: Ideal) -> Steps:
    rows, worth = ideal_rows(ranks, gain, ideal)
    steps = discounted(rows, worth, len(ranks.queries), cutoff=cutoff, discount=discount, base=base, kind="ideal")
    return steps.meaning(gain=_in_words(ranks, gain))


def _in_words(ranks: Ranks, gain: Gain) -> str:
    return gain_in_words(gain, rows_with_gain(ranks, gain).grade)
