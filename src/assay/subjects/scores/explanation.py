"""Rank correlations of two orders taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.digits import short
from assay.core.errors import ParameterError
from assay.measures import parse_measure
from assay.measures.counting.orders import Orders
from assay.measures.registry import Measure
from assay.stats.overlap import rbo
from assay.verbs.explanation.numbers import View, explained
from assay.verbs.explanation.result import Explanation, Place


def explain_orders(
    measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: Mapping[str, Any]
) -> Explanation:
    """A rank correlation of two orders: lists with the best item first, or dicts from items to numbers; or `Orders`.

    >>> orders = [["A", "B", "C", "D"], ["B", "A", "C", "D"]]
    >>> explain_orders("tau", orders, Place(), View(None, False), {}).formula.numbers
    '(5 - 1) / 6'
    """
    coefficient = parse_measure(measure, "order")
    place.refuse("has no meaning for two orders", "system", "query", "label", "item", "threshold")
    place.of_counts(rules)
    view.refuse_running("two orders")
    if isinstance(inputs[0], Orders):
        orders = inputs[0]
    elif len(inputs) == 2 and not any(hasattr(value, "subject") for value in inputs):
        orders = Orders.of(*inputs)
    else:
        raise ParameterError(f"{measure} is about two orders of the same items: give two lists, or two dicts")
    result = explained(coefficient, orders, coefficient.per_unit(orders), 0, view._replace(undefined="skip"))
    return view.limited(replace(result, remarks=tuple(_remarks(coefficient, orders))))


def _remarks(measure: Measure, orders: Orders) -> Iterator[str]:
    """Remarks on ties in a coefficient, and on how far overlap may go, whatever follows."""
    if measure.name == "RBO":
        p = measure.parameters["p"]
        rankings = orders.rankings
        longest = max(map(len, rankings))
        overlap = rbo(*rankings, p)
        yield f"chance to read on beyond rank {longest} = {p:g}^{longest}; the share there is taken to go on"
        yield f"whatever follows, it is at least {short(overlap.least)} and at most {short(overlap.most)}"
    elif orders.is_tied and measure.name == "tau":
        yield "pairs that are tied in a list count in the number of pairs only: tau-b leaves them out there"
    elif orders.is_tied and measure.name == "tau_AP":
        yield "ties are broken in all ways: it is the mean"
    elif orders.is_tied and measure.name == "Spearman":
        first, second = orders.ranks
        n = len(first)
        squares = float(np.sum((first - second) ** 2))
        plain = short(1 - 6 * squares / (n * (n * n - 1)))
        yield "tied items share the mean of their ranks, and rho is Pearson's r of the ranks"
        yield f"1 - 6 sum of d² / (n (n² - 1)), which holds without ties only, would give {plain}"
