"""Measures with a user who knows how much is wanted and goes on accordingly: INSQ, INST."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.graded import Graded
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Expected, Horizon, MaxGrade
from assay.measures.kernels import max_grade_of, steps_of
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity


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
    units, end = len(ranks.queries), float(horizon or np.inf) + 1
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
    total: Floats = there + start**2 * (_squares_from(start + there) - _squares_from(start + length))
    return total


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
    tail: Floats = total + rest
    return tail
