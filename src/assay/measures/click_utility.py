"""Measures whose user is a click model: EBU and rrDBN (dynamic Bayesian network), uUBM (user browsing model).

Their parameters can be fitted to a log of clicks and judgments, so that the user of the measure is the one of the log.
"""

from __future__ import annotations

import numpy as np

from assay.measures.cascade import Chances, product_above
from assay.measures.counting.judgments import Floats, Graded, Ints, place_in_group
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Continuation, Cutoff, Examination, MaxGrade, Satisfaction
from assay.measures.kernels import chance_of_satisfaction, max_grade_of, steps_of, within
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps

_READS_ON = "clicks what attracts, stops when satisfied or tired"
_WORTH = "(2^grade - 1) / 2^{:g}"


@measure(cites="yilmaz2010", aliases=("ExpectedBrowsingUtility",), bounds=None, user_model=_READS_ON)
def EBU(
    ranks: Ranks,
    *,
    cutoff: Cutoff = None,
    attraction: Satisfaction = "exponential",
    satisfaction: Satisfaction = "exponential",
    continuation: Continuation = 0.9,
    max_grade: MaxGrade = None,
) -> PerUnit:
    r"""Expected browsing utility: what the documents that a user clicks are worth together.

    .. math:: \mathrm{EBU}@k = \sum_{i=1}^{k} e_i\, a_i\, g_i, \quad e_1 = 1, \quad
              e_{i+1} = \gamma\, e_i\, (1 - a_i s_i)

    :math:`a_i` is the chance that a document attracts a click, :math:`s_i` that it satisfies once clicked, both by
    its grade; :math:`\gamma` the chance to read on. The gain is :math:`g_i = (2^{grade_i} - 1) / 2^{max\_grade}`.
    `attraction` and `satisfaction` are the same formula of the grade (`exponential`), 1 for relevant documents
    (`binary`), or tables such as `{0: 0.1, 1: 0.4}`, which `assay clicks calibrate` fits to a log. Documents without
    judgment, and grades that a table does not name, neither attract nor satisfy.

    >>> tables = {"attraction": {0: 0.1, 1: 0.5}, "satisfaction": {0: 0.2, 1: 0.8}}
    >>> EBU(**tables, max_grade=1).of(Ranks.from_grades([0, 1]))  # 0 + 0.9 (1 - 0.1 * 0.2) * 0.5 * 0.5
    array([0.2205])
    """
    steps = _browsed(ranks, cutoff, (attraction, satisfaction), continuation, max_grade)
    top = max_grade_of(ranks, max_grade)
    worth = chance_of_satisfaction(steps["grade"], top)
    steps = steps.with_columns(gain=worth, contribution=steps["still_reading"] * steps["attracted"] * worth)
    steps = steps.meaning(gain=_WORTH.format(top), contribution="still_reading × attracted × gain")
    return steps.sum("contribution")


@measure(cites="chuklin2013", bounds=(0.0, 1.0), user_model=_READS_ON)
def rrDBN(
    ranks: Ranks,
    *,
    cutoff: Cutoff = None,
    attraction: Satisfaction = "exponential",
    satisfaction: Satisfaction = "exponential",
    continuation: Continuation = 0.9,
    max_grade: MaxGrade = None,
) -> PerUnit:
    r"""Expected reciprocal rank of the document that satisfies, under the dynamic Bayesian network of clicks.

    .. math:: \mathrm{rrDBN}@k = \sum_{i=1}^{k} \frac{1}{i}\, e_i\, a_i\, s_i, \quad e_1 = 1, \quad
              e_{i+1} = \gamma\, e_i\, (1 - a_i s_i)

    The user and the parameters are those of `EBU`. `ERR` is the case in which every document attracts and
    :math:`\gamma = 1`.

    >>> tables = {"attraction": {0: 0.1, 1: 0.5}, "satisfaction": {0: 0.2, 1: 0.8}}
    >>> rrDBN(**tables).of(Ranks.from_grades([0, 1]))  # 0.02 + (1/2) 0.9 (1 - 0.02) 0.4
    array([0.1964])
    """
    steps = _browsed(ranks, cutoff, (attraction, satisfaction), continuation, max_grade)
    share = steps["still_reading"] * steps["attracted"] * steps["satisfied"] / steps["rank"]
    steps = steps.with_columns(contribution=share)
    return steps.meaning(contribution="still_reading × attracted × satisfied / rank").sum("contribution")


@measure(cites="chuklin2013", bounds=None, user_model="clicks what attracts; looks on from the last click")
def uUBM(
    ranks: Ranks,
    *,
    cutoff: Cutoff = None,
    attraction: Satisfaction = "exponential",
    examination: Examination = "distance",
    max_grade: MaxGrade = None,
) -> PerUnit:
    r"""Expected utility under the user browsing model: what the documents that a user clicks are worth together.

    .. math:: \mathrm{uUBM}@k = \sum_{i=1}^{k} P(C_i)\, g_i, \quad
              P(C_i) = \sum_{j=0}^{i-1} P(C_j) \Big( \prod_{l=j+1}^{i-1} (1 - a_l \gamma_{lj}) \Big) a_i \gamma_{ij}

    :math:`\gamma_{ij}` is the chance to look at rank *i* if the last click was at rank *j* (0: none yet), and
    :math:`P(C_0) = 1`. `examination` gives it in rows, `'1; 0.8 0.9'`: one row for each rank, by the rank of the last
    click, from none on; ranks below are not looked at. `distance` is :math:`1/(i-j)`. Attraction and gain are those of
    `EBU`.

    >>> uUBM(attraction={1: 0.5}, examination="1; 0.6 0.8").of(Ranks.from_grades([1, 1]))
    array([0.425])
    >>> 0.5 * 0.5 + (0.5 * 0.5 * 0.8 + 0.5 * 0.5 * 0.6) * 0.5  # rank 2 after a click on rank 1, and after none
    0.425
    """
    rows = within(ranks.hits, cutoff)
    chances = Chances(ranks, max_grade, attraction)
    attracted = chances.of(rows.grade)
    clicked = _clicked(rows, attracted, len(ranks.queries), examination)
    top = max_grade_of(ranks, max_grade)
    worth = chance_of_satisfaction(rows.grade, top)
    steps = steps_of(rows, len(ranks.queries)).with_columns(
        attracted=attracted, clicked=clicked, gain=worth, contribution=clicked * worth
    )
    return steps.meaning(
        attracted=chances.in_words("a", "attracts"),
        clicked="over all ranks of the click before, the chance of that click, of none since, and of this one",
        gain=_WORTH.format(top),
        contribution="clicked × gain",
    ).sum("contribution")


def _browsed(
    ranks: Ranks,
    cutoff: int | None,
    chances: tuple[Satisfaction, Satisfaction],
    continuation: float,
    max_grade: float | None,
) -> Steps:
    """Chances that a document attracts and satisfies, and that its rank is reached."""
    rows = within(ranks.hits, cutoff)
    attraction, satisfaction = (Chances(ranks, max_grade, each) for each in chances)
    attracted, satisfied = attraction.of(rows.grade), satisfaction.of(rows.grade)
    steps = steps_of(rows, len(ranks.queries))
    reading = np.power(continuation, rows.rank - 1.0) * product_above(rows, 1.0 - attracted * satisfied)
    return steps.with_columns(attracted=attracted, satisfied=satisfied, still_reading=reading).meaning(
        attracted=attraction.in_words("a", "attracts"),
        satisfied=satisfaction.in_words("s", "satisfies once clicked"),
        still_reading=f"{continuation:g}^(rank - 1) × the product of 1 - a s over all documents above",
    )


def _clicked(rows: Graded, attracted: Floats, units: int, examination: str) -> Floats:
    """Chances of a click on each document under the user browsing model: only judged ones ever have one."""
    place = place_in_group(rows.query)
    width = int(place.max(initial=-1)) + 1
    # How likely the last click so far was at each of the documents above; the first column: there was none.
    last = np.zeros((units, width + 1))
    last[:, 0], at = 1.0, np.zeros((units, width + 1), dtype=np.int64)
    clicked = np.zeros(len(rows.rank))
    table = None if examination == "distance" else _table(examination)
    for depth in range(width):
        here = place == depth
        query, rank = rows.query[here], rows.rank[here]
        before, previous = last[query, : depth + 1], at[query, : depth + 1]
        look = 1.0 / (rank[:, None] - previous) if table is None else _looked_up(table, rank[:, None], previous)
        click = before * attracted[here, None] * look
        last[query, : depth + 1] = before - click
        clicked[here] = click.sum(axis=1)
        last[query, depth + 1], at[query, depth + 1] = clicked[here], rank
    return clicked


def _looked_up(table: Floats, rank: Ints, previous: Ints) -> Floats:
    end = len(table) - 1
    return np.where(rank <= end, table[np.minimum(rank, end), np.minimum(previous, end)], 0.0)


def _table(examination: str) -> Floats:
    """Rows of examination by rank, from 1 on, and by the rank of the click before."""
    rows = [[float(number) for number in row.split()] for row in examination.split(";")]
    table = np.zeros((len(rows) + 1, len(rows) + 1))
    for rank, row in enumerate(rows, start=1):
        table[rank, : len(row)] = row
    return table
