"""Expectation-maximisation where a click is two things at once: the result attracts, and its place is examined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures.counting.clicked_lists import Cells, sums
from assay.measures.counting.judgments import Floats
from assay.stats.click_models.convergence import Rules, Trace, penalty, share


class TwoFactors(NamedTuple):
    """Attractiveness by pair, examination by group, and what speaks for and against each attractiveness."""

    attractiveness: Floats
    examination: Floats
    against: tuple[Floats, Floats]
    trace: Trace


def fit_two_factors(cells: Cells, pairs: int, rules: Rules) -> TwoFactors:
    """Fit P(click) = attractiveness x examination; that of the first group is 1, since only products are known.

    >>> from assay.measures.counting.clicked_lists import ClickedLists
    >>> lists = ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["a"]), ("q", ["b", "a"], ["b"])] * 9)
    >>> fit_two_factors(lists.cells(), 2, Rules()).examination
    array([1. , 0.5])
    """
    pair, group, shown, clicks, groups = cells
    first = np.searchsorted(pair, np.arange(pairs))
    ends = np.append(first[1:], len(pair))
    empty = first == ends
    starts = np.minimum(first, max(len(pair) - 1, 0))

    def by_pair(values: Floats) -> Floats:
        return np.where(empty, 0.0, np.add.reduceat(values, starts)) if len(pair) else np.zeros(pairs)

    def by_group(values: Floats) -> Floats:
        return sums(group, values, len(groups))

    skips = shown - clicks
    pair_shown, pair_clicks, group_shown, group_clicks = (
        by_pair(shown), by_pair(clicks), by_group(shown), by_group(clicks)
    )  # fmt: skip
    alpha = np.where((pair_clicks == 0) & (rules.clicks == 0), 0.0, (pair_clicks + 1) / (pair_shown + 2))
    rate = group_clicks / np.maximum(group_shown, 1)
    gamma = np.clip(rate / max(float(rate.max(initial=0)), 1e-9), 0.1, 0.9)
    gamma[:1] = 1.0
    trace = Trace(rules)
    where = group.astype(np.intp)
    while True:
        near, seen = np.repeat(alpha, ends - first), gamma[where]
        missed = np.maximum(1 - near * seen, 1e-300)
        value = float(skips @ np.log(missed)) + _logs(pair_clicks, alpha) + _logs(group_clicks, gamma)
        value += penalty(alpha, rules) + penalty(gamma[1:], rules)
        unclicked = skips / missed
        if trace.is_done(value):
            break
        attracted = alpha * by_pair((1 - seen) * unclicked)
        examined = gamma * by_group((1 - near) * unclicked)
        alpha = share(pair_clicks + attracted, pair_shown, rules, alpha)
        gamma = share(group_clicks + examined, group_shown, rules, gamma)
        gamma[:1] = 1.0
    slope = np.where(skips > 0, seen / missed, 0.0)
    return TwoFactors(alpha, gamma, (by_pair(skips * slope), by_pair(skips * slope**2)), trace)


def _logs(counts: Floats, values: Floats) -> float:
    """The sum of logarithms, each so often; 0 where there is nothing to count."""
    some = counts > 0
    return float(counts[some] @ np.log(values[some]))
