"""Measures with a user who goes down the list and stops somewhere: RR, ERR, RBP, INSQ, INST and theirs."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.measures.counting.judgments import Floats, Graded, Ints
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import (
    Cutoff,
    Expected,
    GainTable,
    Horizon,
    Level,
    MaxGrade,
    Persistence,
    PlainGain,
    Satisfaction,
    SatisfactionName,
)
from assay.measures.kernels import (
    NO_GAIN,
    NO_RELEVANT_FOUND,
    best_first,
    chance_of_satisfaction,
    max_grade_of,
    persistence,
    relevant_rows,
    relevant_total,
    steps_of,
    weight_in_words,
    within,
)
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity


@measure(
    cites="voorhees1999",
    trec_eval="recip_rank",
    ir_measures="RR@{cutoff}",
    ranx="mrr@{cutoff}",
    aliases=("MRR", "ReciprocalRank"),
    user_model="reads down to the first relevant document",
)
def RR(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Reciprocal rank of the first relevant document; 0 if none is found within the cut-off.

    .. math:: \mathrm{RR} = 1 \big/ \min \{ i : x_i = 1 \}

    Its mean is known as MRR. Undefined if no document is relevant.

    >>> RR.of(Ranks.from_grades([0, 1, 1]))  # 1/2
    array([0.5])
    """
    rows = within(relevant_rows(ranks, rel), cutoff)
    steps = steps_of(rows, len(ranks.queries)).with_columns(reciprocal=1.0 / rows.rank)
    steps = steps.meaning(reciprocal="1 / rank")
    return steps.max("reciprocal").defined_with(relevant_total(ranks, rel))


@measure(
    aliases=("FirstRelevantRank",),
    bounds=(1.0, np.inf),
    user_model="reads down to the first relevant document",
    counted_as=None,
    higher_is_better=False,
)
def FirstRank(ranks: Ranks, *, rel: Level = None) -> PerUnit:
    r"""Rank of the first relevant document: how many results a user reads until there is one.

    .. math:: \min \{ i : x_i = 1 \}

    Lower is better. Undefined if no relevant document was retrieved; such queries are left out of the mean, as there is
    no rank to count them with. So look at `Success` beside it: a system that finds nothing for the hard queries has the
    lower mean. `RR` is its reciprocal, in which those queries count as 0.

    >>> FirstRank.of(Ranks.from_grades([0, 0, 1, 1], [0, 0]))
    array([ 3., nan])
    """
    rows = relevant_rows(ranks, rel)
    steps = steps_of(rows, len(ranks.queries))
    steps = steps.with_columns(first=np.where(steps.count_so_far() == 1, rows.rank, 0))
    steps = steps.meaning(first="the rank of the first relevant document, 0 for those after it")
    first = steps.sum("first", when_zero=NO_RELEVANT_FOUND)
    return first.defined_with(relevant_total(ranks, rel)).defined_with(first)


@measure(
    ir_measures="ERR@{cutoff}",
    user_model="reads on until satisfied; a good document satisfies sooner",
    cites="chapelle2009",
)
def ERR(
    ranks: Ranks, *, cutoff: Cutoff = None, max_grade: MaxGrade = None, satisfaction: Satisfaction = "exponential"
) -> PerUnit:
    r"""Expected reciprocal rank of the document that satisfies the user.

    .. math:: \mathrm{ERR}@k = \sum_{i=1}^{k} \frac{1}{i}\, R_i \prod_{j<i} (1 - R_j), \quad
              R_i = \frac{2^{grade_i} - 1}{2^{max\_grade}}

    :math:`R_i` is the chance that the document at rank *i* satisfies. `max_grade` is the top of the scale; if it is not
    given, it is the largest grade of the judgments. That is `satisfaction='exponential'`. With `binary`, every relevant
    document satisfies for certain, and ERR is the reciprocal rank of the first; a table such as `{1: 0.2, 2: 0.9}`
    gives the chance of each grade, and grades that it does not name have none. 0 if nothing relevant is found.

    >>> ERR(max_grade=3).of(Ranks.from_grades([3, 0, 2]))  # 7/8 + (1/3) (3/8) (1/8)
    array([0.8906])
    >>> ERR(satisfaction="binary").of(Ranks.from_grades([0, 0, 1, 0, 1]))  # 1/3
    array([0.3333])
    >>> ERR(satisfaction={1: 0.2, 2: 0.9}).of(Ranks.from_grades([1, 0, 2]))  # 0.2 + (1/3) 0.9 (1 - 0.2)
    array([0.44])
    """
    chances = Chances(ranks, max_grade, satisfaction)
    return _read_on(within(ranks.hits, cutoff), chances, len(ranks.queries)).sum("contribution")


@measure(
    aliases=("NormalisedERR",),
    user_model="reads on until satisfied; a good document satisfies sooner",
    cites="chapelle2009",
)
def nERR(
    ranks: Ranks, *, cutoff: Cutoff = None, max_grade: MaxGrade = None, satisfaction: Satisfaction = "exponential"
) -> PerUnit:
    r"""Expected reciprocal rank, as a share of the ideal ranking's.

    .. math:: \mathrm{nERR}@k = \frac{\mathrm{ERR}@k}{\mathrm{ERR}^*@k}

    The ideal ranking has all judged documents, those that satisfy most likely first, down to the cut-off. See `ERR`.
    Undefined without a document that has a gain.

    >>> nERR(max_grade=1).of(Ranks.from_grades([0, 1, 1]))  # (1/2/2 + 1/4/3) / (1/2 + 1/4/2)
    array([0.5333])
    """
    chances = Chances(ranks, max_grade, satisfaction)
    units = len(ranks.queries)
    best, _ = best_first(ranks.ideal, chances.of(ranks.ideal.grade))
    ideal = _read_on(within(best, cutoff), chances, units, kind="ideal")
    got = _read_on(within(ranks.hits, cutoff), chances, units)
    return got.sum("contribution") / ideal.sum("contribution", when_zero=NO_GAIN)


@measure(
    cites="moffat2008",
    ir_measures="RBP(p={p})",
    aliases=("RankBiasedPrecision",),
    user_model="goes on to the next result with probability p",
    closed_under_ties=True,
)
def RBP(
    ranks: Ranks,
    *,
    p: Persistence = 0.8,
    cutoff: Cutoff = None,
    gain: PlainGain = "linear",
    max_grade: MaxGrade = None,
) -> PerUnit:
    r"""Rank-biased precision: gain per result read, for a user who goes on with probability *p*.

    .. math:: \mathrm{RBP} = (1-p) \sum_{i} g_i\, p^{\,i-1}

    The gain lies between 0 and 1: grade / max_grade (`linear`), 1 if relevant (`binary`), or
    :math:`(2^{grade} - 1) / 2^{max\_grade}` (`exp`). How much higher the value could be if unjudged and unretrieved
    documents were relevant is given by `RBPResidual`.

    >>> RBP(p=0.5).of(Ranks.from_grades([1, 0, 1]))  # 0.5 (1 + 0.25)
    array([0.625])
    """
    top = max_grade_of(ranks, max_grade)
    rows = ranks.hits
    grade = np.maximum(rows.grade, 0.0)
    if gain == "binary":
        worth = (rows.grade >= ranks.level()).astype(np.float64)
    elif gain == "exp":
        worth = chance_of_satisfaction(grade, top)
    else:
        worth = grade / (top or 1.0)
    weight = rows.at_rank(lambda rank: np.where(rank <= (cutoff or np.inf), persistence(rank, p), 0.0))
    steps = steps_of(rows, len(ranks.queries)).with_columns(gain=worth, weight=weight, contribution=worth * weight)
    means = {"binary": "1 if relevant", "exp": f"(2^grade - 1) / 2^{top:g}", "linear": f"grade / {top or 1.0:g}"}
    steps = steps.meaning(gain=means[gain], weight=weight_in_words(p), contribution="gain × weight")
    return steps.sum("contribution")


@measure(
    user_model="as RBP; what is not known of the value",
    closed_under_ties=True,
    higher_is_better=False,
    cites="moffat2008",
)
def RBPResidual(ranks: Ranks, *, p: Persistence = 0.8, cutoff: Cutoff = None) -> PerUnit:
    r"""How much RBP could grow if every unjudged document, and all beyond the end of the list, were fully relevant.

    .. math:: p^{\,n} + (1-p) \sum_{i \le n,\ \text{unjudged}} p^{\,i-1}

    *n* is the number of documents looked at. RBP's true value lies between `RBP` and `RBP` + `RBPResidual`.

    >>> RBPResidual(p=0.5).of(Ranks.from_grades([1, None]))  # 0.5^2 + 0.5 * 0.5
    array([0.5])
    """
    rows = ranks.hits.where(ranks.hits.grade >= 0)
    # All weights down to n add up to 1 - p^n: what is left of 1 is the tail and the unjudged documents.
    weight = rows.at_rank(lambda rank: np.where(rank <= (cutoff or np.inf), persistence(rank, p), 0.0))
    known = steps_of(rows, len(ranks.queries)).with_columns(known=weight)
    known = known.meaning(known=f"the weight of a judged document, {weight_in_words(p)}")
    return 1.0 - known.sum("known")


class Chances:
    """Chances that documents satisfy, or attract, by their grades.

    >>> Chances(Ranks.from_grades([2, 0]), 2, "exponential").of(np.array([2.0, 1.0, 0.0]))
    array([0.75, 0.25, 0. ])
    """

    def __init__(self, ranks: Ranks, max_grade: float | None, satisfaction: SatisfactionName | GainTable) -> None:
        self.top, self.level, self.satisfaction = max_grade_of(ranks, max_grade), ranks.level(), satisfaction

    def of(self, grade: Floats) -> Floats:
        """The chances of documents with these grades; without a judgment, or a grade in the table, none."""
        if self.satisfaction == "exponential":
            return chance_of_satisfaction(grade, self.top)
        if self.satisfaction == "binary":
            return ((grade >= self.level) & (grade >= 0)).astype(np.float64)
        chance = np.zeros(len(grade))
        for of_grade, value in self.satisfaction:
            chance[grade == of_grade] = value
        return chance

    def in_words(self, symbol: str = "R", does: str = "satisfies") -> str:
        """The chance as a formula."""
        means = f"the chance that the document {does}"
        if self.satisfaction == "exponential":
            return f"{symbol} = (2^grade - 1) / 2^{self.top:g}, {means}"
        if self.satisfaction == "binary":
            return f"{symbol} = 1 if relevant, {means}"
        named = ", ".join(f"{value:g} for grade {of_grade:g}" for of_grade, value in self.satisfaction)
        return f"{symbol} = {named or '0'}, {means}"


def product_above(rows: Graded, left: Floats) -> Floats:
    """The product of what is left after each document, over all documents above, query by query."""
    above = pl.col("left").shift(1, fill_value=1.0).cum_prod().over("query")
    return pl.DataFrame({"query": rows.query, "left": left}).select(above).to_series().to_numpy()


def _read_on(rows: Graded, chances: Chances, units: int, kind: str = "ranking") -> Steps:
    """Chances that a document satisfies and that it is read at all, and their product, by rank."""
    satisfied = chances.of(rows.grade)
    still_reading = product_above(rows, 1.0 - satisfied)
    steps = steps_of(rows, units, kind).with_columns(satisfied=satisfied, still_reading=still_reading)
    steps = steps.with_columns(contribution=satisfied * still_reading / steps["rank"])
    return steps.meaning(
        satisfied=chances.in_words(),
        still_reading="the product of 1 - R over all documents above",
        contribution="satisfied × still_reading / rank",
    )


@measure(
    ir_measures="INSQ(T={T})",
    user_model="wants so many documents, and goes on the more readily the more and the further down",
    closed_under_ties=True,
)
def INSQ(ranks: Ranks, *, T: Expected = 1.0, horizon: Horizon = 1000, max_grade: MaxGrade = None) -> PerUnit:  # noqa: N803
    r"""INSQ: gain per result read, for a user who wants *T* documents' worth and goes on from rank *i* accordingly.

    .. math:: \frac{\sum_i w_i\, g_i}{\sum_i w_i}, \quad w_i = \Big( \frac{2T}{2T + i - 1} \Big)^2

    :math:`w_i` is the chance to read rank *i*; from there the user goes on with the chance
    :math:`((i + 2T - 1)/(i + 2T))^2`. The gain is grade / max_grade; the top of the scale is the largest grade of the
    judgments if it is not given. The sums end at the `horizon`: at rank 1000, as in cwl_eval and ir_measures, or, with
    None, never, as in the paper.

    >>> INSQ(T=1, horizon=2).of(Ranks.from_grades([0, 1]))  # w = 1, (2/3)^2: (4/9) / (1 + 4/9)
    array([0.3077])
    """
    rows, worth = _gains(ranks, max_grade)
    start = 2.0 * T

    def weight(rank: Ints) -> Floats:
        return np.where(rank <= (horizon or np.inf), (start / (start + rank - 1.0)) ** 2, 0.0)

    read = rows.at_rank(weight)
    steps = steps_of(rows, len(ranks.queries)).with_columns(gain=worth, read=read, contribution=worth * read)
    steps = steps.meaning(
        gain=_gain_in_words(ranks, max_grade),
        read=f"the chance to read this rank, ({start:g} / ({start:g} + rank - 1))²",
        contribution="gain × read",
    )
    in_all = _read(np.full(len(ranks.queries), start), np.full(len(ranks.queries), float(horizon or np.inf)))
    return steps.sum("contribution") / quantity("results read", in_all)


@measure(
    cites="bailey2015",
    ir_measures="INST(T={T})",
    user_model="wants so many documents, and goes on the more readily the more are still missing",
)
def INST(ranks: Ranks, *, T: Expected = 1.0, horizon: Horizon = 1000, max_grade: MaxGrade = None) -> PerUnit:  # noqa: N803
    r"""INST: gain per result read, for a user who wants *T* documents' worth and minds what was found already.

    .. math:: \frac{\sum_i w_i\, g_i}{\sum_i w_i}, \quad
              w_i = \prod_{j<i} \Big( \frac{j + T + T_j - 1}{j + T + T_j} \Big)^2, \quad T_j = T - \sum_{l \le j} g_l

    :math:`w_i` is the chance to read rank *i*, :math:`T_j` what is still wanted after rank *j*. Gain and horizon are
    those of `INSQ`, which does not look at what was found.

    >>> INST(T=1, horizon=2).of(Ranks.from_grades([1, 1]))  # w = 1, (1/2)^2: all that is read is relevant
    array([1.])
    >>> INST(T=1, horizon=2).of(Ranks.from_grades([1, 0]))  # 1 / (1 + 1/4)
    array([0.8])
    """
    units = len(ranks.queries)
    end = float(horizon or np.inf) + 1
    rows, worth = _gains(ranks, max_grade)
    kept = (worth > 0) & (rows.rank < end)
    rows, worth = rows.where(kept), worth[kept]
    steps = steps_of(rows, units).with_columns(gain=worth)
    # From one document with a gain to the next the factors cancel out: only the ends of the stretch are left.
    last = np.append(np.diff(rows.query) != 0, True)[: len(rows.query)]
    rank = rows.rank.astype(np.float64)
    length: Floats = np.where(last, end, np.append(rank[1:], 0.0)[: len(rank)]) - rank
    start = np.maximum(rows.rank + 2.0 * T - steps.running("gain") - 1.0, 0.0)
    first = np.full(units, end)
    np.minimum.at(first, rows.query, rows.rank)
    log_way = np.where(last, 0.0, _log_way(start, np.where(last, 1.0, length)))
    way_so_far = Steps(rows.query, units, {"way": log_way}).running("way") - log_way
    read = np.exp(way_so_far + _log_way(np.full(units, 2.0 * T), first - 1)[rows.query])
    steps = steps.with_columns(
        still_wanted=T - steps.running("gain"),
        read=read,
        read_from_here=read * _read(start, length),
        contribution=steps["gain"] * read,
    ).meaning(
        gain=_gain_in_words(ranks, max_grade),
        still_wanted=f"{T:g} - the gain down to here",
        read="the chance to read this rank: over all ranks above, the product of "
        f"((rank + {T:g} + still_wanted - 1) / (rank + {T:g} + still_wanted))²",
        read_from_here="the sum of read from here to before the next document with a gain",
        contribution="gain × read",
    )
    before = quantity("results read before the first gain", _read(np.full(units, 2.0 * T), first - 1))
    return steps.sum("contribution") / (before + steps.sum("read_from_here"))


def _gains(ranks: Ranks, max_grade: float | None) -> tuple[Graded, Floats]:
    worth: Floats = np.maximum(ranks.hits.grade, 0.0) / (max_grade_of(ranks, max_grade) or 1.0)
    return ranks.hits, worth


def _gain_in_words(ranks: Ranks, max_grade: float | None) -> str:
    return f"grade / {max_grade_of(ranks, max_grade) or 1.0:g}"


def _log_way(start: Floats, length: Floats) -> Floats:
    """The logarithm of (start / (start + length))^2; a start of 0 leaves nothing, as good as e^-1400."""
    with np.errstate(divide="ignore"):
        way: Floats = 2.0 * (np.log(np.maximum(start, 1e-304)) - np.log(np.maximum(start + length, 1e-304)))
    return way


def _read(start: Floats, length: Floats) -> Floats:
    """The sum of (start / (start + i))^2 for i from 0 to length - 1."""
    there = np.minimum(length, 1.0)  # 0 for no term at all, else the first term, which is 1
    return there + start**2 * (_squares_from(start + there) - _squares_from(start + length))


def _squares_from(x: Floats) -> Floats:
    """The sum of 1/(x + i)^2 over all i from 0 on: sixteen terms one by one, the rest by the Euler-Maclaurin formula.

    >>> _squares_from(np.array([1.0]))  # pi^2 / 6
    array([1.6449])
    """
    x = np.maximum(x, 1e-9)  # a start of 0 is multiplied by 0 afterwards
    total = sum((1.0 / (x + i) ** 2 for i in range(16)), np.zeros(len(x)))
    inverse = 1.0 / (x + 16)
    square = inverse**2
    rest = inverse * (1 + inverse / 2 + square * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))))
    return total + rest
