"""Expectation-maximisation where a click is two things at once: the result attracts, and its place is examined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from assay.measures.counting.clicked_lists import Cells, Codes, sums
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.stats.click_models.estimation import FittingRules, Trace, penalty, share

#: Cells in a part: arrays of more than 128 kB are taken from the system each time. And what is divided by at least.
_CELLS, _NOTHING = 1 << 13, 1e-300


class TwoFactors(NamedTuple):
    """Attractiveness by pair, examination by group, and what speaks for and against each attractiveness."""

    attractiveness: Floats
    examination: Floats
    against: tuple[Floats, Floats]
    trace: Trace


def fit_two_factors(cells: Cells, pairs: int, rules: FittingRules) -> TwoFactors:
    """Fit P(click) = attractiveness x examination; the largest examination is 1, since only products are known.

    Iterations leave both free, and the scale is settled afterwards: no rank need be the one that is examined most.

    >>> from assay.measures.counting.clicked_lists import ClickedLists
    >>> lists = ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["a"]), ("q", ["b", "a"], ["b"])] * 9)
    >>> fit_two_factors(lists.cells(), 2, FittingRules()).examination
    array([1. , 0.5])
    """
    pair, group, impressions, clicks, groups = cells
    skips = impressions - clicks
    pair_shown, pair_clicks = sums(pair, impressions, pairs), sums(pair, clicks, pairs)
    group_shown, group_clicks = sums(group, impressions, len(groups)), sums(group, clicks, len(groups))
    # Without pseudo-clicks a pair that was never clicked attracts nobody: what it says of examination is known.
    still = pair_clicks == 0 if rules.clicks == 0 else np.zeros(pairs, dtype=np.bool_)
    unmoved = sums(group[still[pair]], skips[still[pair]], len(groups))
    parts = list(_parts(pair, group, skips, ~still))
    alpha = np.where(still, 0.0, (pair_clicks + 1) / (pair_shown + 2))
    rate = group_clicks / np.maximum(group_shown, 1)
    gamma = np.clip(rate / max(float(rate.max(initial=0)), 1e-9), 0.1, 0.9)
    trace = Trace(rules)
    attracted = np.zeros(pairs)
    while True:
        value = _logs(pair_clicks, alpha) + _logs(group_clicks, gamma)
        value += penalty(alpha, rules) + penalty(gamma, rules)
        examined = unmoved.copy()
        for part in parts:
            near = np.repeat(alpha[part.pairs], part.cells)
            seen = gamma[part.group]
            missed = np.maximum(1 - near * seen, _NOTHING)
            value += float(part.skips @ np.log(missed))
            unclicked = part.skips / missed
            attracted[part.pairs] = np.add.reduceat((1 - seen) * unclicked, part.starts)
            examined += sums(part.group, (1 - near) * unclicked, len(groups))
        if trace.is_done(value):
            break
        alpha = share(pair_clicks + alpha * attracted, pair_shown, rules, alpha)
        gamma = share(group_clicks + gamma * examined, group_shown, rules, gamma)
        ratio = _best_ratio(alpha[pair_shown > 0], gamma[group_shown > 0], rules)
        alpha, gamma = np.where(pair_shown > 0, alpha * ratio, alpha), np.where(group_shown > 0, gamma / ratio, gamma)
    largest = float(gamma.max(initial=0.0))
    if largest > 0:
        alpha, gamma = alpha * largest, gamma / largest
    seen = gamma[group]
    slope = np.where(skips > 0, seen / np.maximum(1 - alpha[pair] * seen, _NOTHING), 0.0)
    against = sums(pair, skips * slope, pairs), sums(pair, skips * slope**2, pairs)
    return TwoFactors(alpha, gamma, against, trace)


def _best_ratio(alpha: Floats, gamma: Floats, rules: FittingRules) -> float:
    """The factor of attractiveness, and divisor of examination, that meets the prior best; else 1.

    Products stay, and so does the likelihood: without this, iterations creep along it. One step of Newton's method.
    """
    if not (rules.clicks and rules.skips):
        return 1.0
    odds, other = alpha / (1 - alpha), gamma / (1 - gamma)
    slope = rules.clicks * (len(alpha) - len(gamma)) + rules.skips * float(other.sum() - odds.sum())
    bend = rules.skips * float((odds / (1 - alpha)).sum() + (other / (1 - gamma)).sum())
    step = slope / bend
    before = penalty(alpha, rules) + penalty(gamma, rules)
    ratio = float(np.exp(np.clip(step, np.log(gamma.max()) / 2, -np.log(alpha.max()) / 2)))
    after = penalty(alpha * ratio, rules) + penalty(gamma / ratio, rules)
    return ratio if after >= before else 1.0


class _Part(NamedTuple):
    """Cells of some pairs, as many as a processor keeps at hand: where each pair starts, and how many cells it has."""

    pairs: Ints
    starts: Ints
    cells: Ints
    group: Ints
    skips: Floats


def _parts(pair: Codes, group: Codes, skips: Floats, moving: Mask) -> Iterator[_Part]:
    """All cells of pairs that move, in parts."""
    chosen = moving[pair]
    pair, group, skips = pair[chosen], group[chosen], skips[chosen]
    if not len(pair):
        return
    starts = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]]))
    ends = np.append(starts[1:], len(pair))
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + _CELLS)))
        begin = int(starts[first])
        end = int(ends[last - 1])
        rows = slice(begin, end)
        yield _Part(
            pair[starts[first:last]].astype(np.int64), starts[first:last] - begin,
            ends[first:last] - starts[first:last], group[rows].astype(np.int64), skips[rows],
        )  # fmt: skip
        first = last


def _logs(counts: Floats, values: Floats) -> float:
    """The sum of logarithms, each so often; 0 where there is nothing to count."""
    some = counts > 0
    return float(counts[some] @ np.log(values[some]))
