"""How alike two orders are, taken apart: Kendall's tau, Spearman's rho, tau_AP, rank-biased overlap.

The values are those of `correlate`; the steps come from the same comparisons of items.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import short
from assay.core.errors import ParameterError, listed, number_of
from assay.measures.counting.judgments import Floats
from assay.measures.definition import Definition
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit, quantity
from assay.stats.correlation import kendall, spearman, tau_ap, tau_ap_parts
from assay.stats.orders import Orders
from assay.stats.overlap import depths_of, rbo
from assay.verbs.explanation.result import Explanation, Formula, StepTable, formula

#: What coefficients are called, in small letters without marks.
_NAMES = {
    "kendall": "b", "kendallb": "b", "kendallstaub": "b", "taub": "b",
    "tau": "a", "taua": "a", "kendallstau": "a", "kendalltau": "a", "kendalla": "a", "kendallstaua": "a",
    "spearman": "spearman", "spearmansrho": "spearman", "spearmanrho": "spearman", "rho": "spearman",
    "tauap": "tau_ap", "rbo": "rbo", "rankbiasedoverlap": "rbo",
}  # fmt: skip
_WITH_P = re.compile(r"(?P<name>[^()]+?)\s*(\(\s*(p\s*=\s*)?(?P<p>[\d.eE+-]+)\s*\))?")


class TwoLists(NamedTuple):
    """The items of two lists, and their numbers in each, the larger the better."""

    items: tuple[str, ...]
    first: Floats
    second: Floats

    @property
    def orders(self) -> tuple[Orders, Orders]:
        """Which of each two items is ahead, in either list."""
        return Orders.of(self.first[None]), Orders.of(self.second[None])


class _Taken(NamedTuple):
    """A coefficient taken apart: its name and value, the tables, what was counted, and the formula."""

    name: str
    value: float
    steps: tuple[StepTable, ...]
    counts: tuple[tuple[str, float], ...]
    formula: Formula
    remarks: tuple[str, ...] = ()


def is_coefficient(measure: object) -> bool:
    """Whether a name stands for a coefficient of two orders.

    >>> is_coefficient("Kendall's tau-b"), is_coefficient("RBO(p=0.8)"), is_coefficient("AP")
    (True, True, False)
    """
    return isinstance(measure, str) and _kind(measure) is not None


def of_two_lists(measure: str, first: Any, second: Any) -> Explanation:
    """A coefficient of two orders, step by step.

    The lists are rankings, with the best item first, or dicts from items to numbers, of which the larger is the better.

    >>> of_two_lists("tau", ["A", "B", "C", "D"], ["B", "A", "C", "D"]).formula.numbers
    '(5 - 1) / 6'
    """
    kind, p = _kind(measure), _p_of(measure)
    if second is None:
        raise ParameterError(f"{measure} is about two orders of the same items: give two lists, or two dicts")
    if kind == "rbo":
        taken = _overlap(_ranking(first), _ranking(second), 0.9 if p is None else p)
    else:
        if p is not None:
            raise ParameterError(f"{measure}: p is the chance to read on, which goes with RBO")
        lists = _two_lists(first, second)
        ways = {"a": _kendall_a, "b": _kendall_b, "spearman": _spearman, "tau_ap": _tau_ap}
        taken = ways[str(kind)](lists)
        if np.isnan(taken.value) and kind in {
            "a",
            "tau_ap",
        }:  # what the formula makes of ties alone is 0, and no number
            taken = taken._replace(formula=Formula(taken.formula.words, "", is_plain=True))
    return Explanation(
        measure=_measure(taken.name),
        unit="two orders",
        unit_kind="table",
        value=taken.value,
        reason=None if not np.isnan(taken.value) else "all items of a list are tied: it has no order",
        steps=taken.steps,
        counts=taken.counts,
        formula=taken.formula,
        signature=f"{taken.name}|v1",
        remarks=taken.remarks,
    )


def _kind(measure: str) -> str | None:
    match = _WITH_P.fullmatch(measure.strip())
    return None if match is None else _NAMES.get(re.sub(r"[^a-z]", "", match["name"].lower()))


def _p_of(measure: str) -> float | None:
    match = _WITH_P.fullmatch(measure.strip())
    if match is None or match["p"] is None:
        return None
    try:
        return float(match["p"])
    except ValueError:
        raise ParameterError(f"{measure}: p is a number between 0 and 1") from None


def _measure(name: str) -> Measure:
    """What stands for a measure in the explanation; it is none, as it has no counts of units."""
    return Measure(
        Definition(
            name=name, vocabulary="ranking", function=of_two_lists, counts=TwoLists, parameters={}, at=None,
            bounds=(-1.0, 1.0), user_model=None, counted_as=None, summary="pooled", trec_eval=(), ir_measures=None,
            ranx=None, aliases={}, closed_under_ties=False, higher_is_better=None, subtopics=False, version=1, also={},
            of_points=None, sklearn=None, proportion=False, unit_kinds=None,
        )
    )  # fmt: skip


def _numbers(order: Any) -> dict[str, float]:
    if isinstance(order, Mapping):
        _refuse_twice([str(item) for item in order])
        return {str(item): _number(item, number) for item, number in order.items()}
    return {item: -float(rank) for rank, item in enumerate(_ranking(order), 1)}


def _ranking(order: Any) -> list[str]:
    """The items, the best first; ties have no place in it."""
    if isinstance(order, Mapping):
        numbers = _numbers(order)
        if len(set(numbers.values())) < len(numbers):
            raise ParameterError("RBO is about rankings without ties: two items have the same place")
        return sorted(numbers, key=lambda item: -numbers[item])
    is_array = isinstance(order, pl.Series) or (isinstance(order, np.ndarray) and order.ndim == 1)
    if isinstance(order, str | bytes) or not (is_array or isinstance(order, Sequence)):
        raise ParameterError(f"expected a list of items or a dict of numbers, got {type(order).__name__}")
    items = [str(item) for item in order]
    _refuse_twice(items)
    return items


def _number(item: Any, given_as: Any) -> float:
    try:
        number = float(given_as)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"item {str(item)!r}: expected a number, got {given_as!r}")
    return number


def _refuse_twice(items: list[str]) -> None:
    if len(set(items)) < len(items):
        raise ParameterError(f"an order holds {next(item for item in items if items.count(item) > 1)!r} twice")


def _two_lists(first: Any, second: Any) -> TwoLists:
    left, other = _numbers(first), _numbers(second)
    apart = [item for item in (*left, *other) if (item in left) != (item in other)]
    if apart:
        raise ParameterError(
            f"the orders hold different items, {listed(apart)}: rank-biased overlap (RBO) alone takes those"
        )
    if len(left) < 2:
        raise ParameterError(f"an order takes 2 items at least, got {number_of('item', len(left))}")
    items = sorted(left, key=lambda item: -left[item])
    return TwoLists(tuple(items), np.array([left[item] for item in items]), np.array([other[item] for item in items]))


def _kendall_a(lists: TwoLists) -> _Taken:
    value = kendall(lists.first, lists.second, variant="a").value
    table, counted = _pairs(lists)
    agree, differ, pairs = (quantity(name, [counted[name]]) for name in ("concordant", "discordant", "pairs"))
    counts = tuple((name, counted[name]) for name in ("concordant", "discordant", "pairs"))
    return _Taken("Kendall's tau", value, (table,), counts, formula((agree - differ) / pairs, 0), _ties_of(lists, "a"))


def _kendall_b(lists: TwoLists) -> _Taken:
    value = kendall(lists.first, lists.second).value
    table, counted = _pairs(lists)
    agree, differ, pairs, tied_first, other = (quantity(name, [counted[name]]) for name in counted)
    tau = (agree - differ) / ((pairs - tied_first) * (pairs - other)).sqrt()
    return _Taken("Kendall's tau-b", value, (table,), tuple(counted.items()), formula(tau, 0), _ties_of(lists, "b"))


def _pairs(lists: TwoLists) -> tuple[StepTable, dict[str, float]]:
    """Every two items, and whether the lists agree on which of them is ahead."""
    left, other = (order.signs[0] for order in lists.orders)
    first, second = np.triu_indices(len(lists.items), 1)
    ours, theirs = left[first, second].astype(int), other[first, second].astype(int)
    kinds = np.where(ours * theirs > 0, "concordant", np.where(ours * theirs < 0, "discordant", "tied"))
    frame = pl.DataFrame(
        {
            "pair": [f"{lists.items[i]} {lists.items[j]}" for i, j in zip(first, second, strict=True)],
            "first": _ahead(lists, first, second, ours),
            "second": _ahead(lists, first, second, theirs),
            "is": kinds.tolist(),
        }
    )
    counted = {
        "concordant": float(np.sum(ours * theirs > 0)),
        "discordant": float(np.sum(ours * theirs < 0)),
        "pairs": float(len(first)),
        "tied in the first": float(np.sum(ours == 0)),
        "tied in the second": float(np.sum(theirs == 0)),
    }
    return StepTable("pairs", (), frame, {"first": "which item is ahead in the first list; = for a tie"}), counted


def _ahead(lists: TwoLists, first: Any, second: Any, signs: Any) -> list[str]:
    return [
        "=" if sign == 0 else lists.items[i if sign > 0 else j] for i, j, sign in zip(first, second, signs, strict=True)
    ]


def _ties_of(lists: TwoLists, variant: str) -> tuple[str, ...]:
    if not _is_tied(lists):
        return ("there are no ties, so that tau and tau-b are the same",) if variant == "b" else ()
    if variant == "b":
        plain = kendall(lists.first, lists.second, variant="a").value
        remark = f"without the correction for ties (tau, by all pairs) it would be {short(plain)}"
        return () if np.isnan(plain) else (remark,)
    return ("pairs that are tied in a list count in the number of pairs only: tau-b leaves them out there",)


def _is_tied(lists: TwoLists) -> bool:
    items = len(lists.items)
    return any(float(order.untied[0]) < items * (items - 1) for order in lists.orders)


def _ranks(lists: TwoLists) -> tuple[Floats, Floats]:
    """The ranks in both lists; tied items share the mean of theirs."""
    items = len(lists.items)
    first_ranks, other = ((items + 1 - order.lead[0]) / 2 for order in lists.orders)
    return first_ranks, other


def _spearman(lists: TwoLists) -> _Taken:
    value = spearman(lists.first, lists.second).value
    first_ranks, other = _ranks(lists)
    apart, items = first_ranks - other, len(lists.items)
    columns: dict[str, Any] = {"item": list(lists.items), "first_rank": first_ranks, "second_rank": other}
    counts: tuple[tuple[str, float], ...] = (("items", float(items)),)
    n, plain = quantity("items", [items]), 1 - 6 * float(np.sum(apart**2)) / (items * (items**2 - 1))
    if not _is_tied(lists):
        table = StepTable("items", (("d²", "sum"),), pl.DataFrame(columns | {"d": apart, "d²": apart**2}), _MEANS_D)
        rho = 1 - 6 * quantity("sum of d²", [np.sum(apart**2)]) / (n * (n * n - 1))
        return _Taken("Spearman's rho", value, (table,), (*counts, ("sum of d²", np.sum(apart**2))), formula(rho, 0))
    u, v = first_ranks - first_ranks.mean(), other - other.mean()
    table = StepTable("items", (), pl.DataFrame(columns | {"u": u, "v": v, "uv": u * v}), _MEANS_U)
    sums = {"sum of uv": np.sum(u * v), "sum of u²": np.sum(u * u), "sum of v²": np.sum(v * v)}
    top, left, right = (quantity(name, [total]) for name, total in sums.items())
    remarks = (
        "tied items share the mean of their ranks, and rho is Pearson's r of the ranks",
        f"1 - 6 sum of d² / (n (n² - 1)), which holds without ties only, would give {short(plain)}",
    )
    counts = tuple((name, float(total)) for name, total in sums.items())
    return _Taken("Spearman's rho", value, (table,), counts, formula(top / (left * right).sqrt(), 0), remarks)


_MEANS_D = {"d": "first_rank - second_rank"}
_MEANS_U = {"u": "first_rank - mean of first_rank", "v": "second_rank - mean of second_rank", "uv": "u × v"}


def _tau_ap(lists: TwoLists) -> _Taken:
    value = tau_ap(lists.first, lists.second).value
    parts = tau_ap_parts(*lists.orders)
    above, agreement, weight = (column[0] for column in parts)
    rank, tied = _ranks(lists)[1], _is_tied(lists)
    order = np.argsort(rank, kind="stable")
    names = [lists.items[place] for place in order]
    above, agreement, weight = (column[order].astype(np.float64) for column in (above, agreement, weight))
    n = quantity("items", [len(names)])
    items = (("items", float(len(names))),)
    if not tied:  # agreement is what belongs above less what does not, and both together are all above
        right = (above + agreement) / 2
        share = np.where(above > 0, right / np.maximum(above, 1), np.nan)
        frame = pl.DataFrame({"item": names, "place": rank[order], "above": above, "right": right, "share": share})
        table = StepTable("items", (("share", "sum"),), frame.with_columns(pl.col("share").fill_nan(None)), _MEANS_AP)
        tau = 2 * quantity("sum of share", [np.nansum(share)]) / (n - 1) - 1
        return _Taken("tau_AP", value, (table,), (*items, ("sum of share", float(np.nansum(share)))), formula(tau, 0))
    product = agreement * weight
    frame = pl.DataFrame({"item": names, "place": rank[order], "above": above, "agreement": agreement,
                          "weight": weight, "product": product})  # fmt: skip
    table = StepTable("items", (("product", "sum"),), frame, _MEANS_TIED)
    tau = quantity("sum of product", [product.sum()]) / (n - 1)
    counts = (*items, ("sum of product", float(product.sum())))
    return _Taken("tau_AP", value, (table,), counts, formula(tau, 0), ("ties are broken in all ways: it is the mean",))


_MEANS_AP = {
    "above": "items above it in the second order",
    "right": "those of them that belong above it according to the first order",
    "share": "right / above",
}
_MEANS_TIED = {
    "above": "items above it in the second order",
    "agreement": "those of them that belong above it according to the first order, less those that belong below",
    "weight": "1 / items above, the mean over all ways to break ties",
    "product": "agreement × weight",
}


def _overlap(first: list[str], second: list[str], p: float) -> _Taken:
    """Rank-biased overlap, depth by depth."""
    overlap, name = rbo(first, second, p), f"RBO(p={p:g})"
    depths = depths_of(first, second, p)
    longest = len(depths.depth)
    frame = pl.DataFrame(
        {
            "first": first + [""] * (longest - len(first)),
            "second": second + [""] * (longest - len(second)),
            "rank": depths.depth,
            "common": depths.common,
            "share": depths.share,
            "weight": depths.weight,
            "product": depths.share * depths.weight,
        }
    )
    table = StepTable("ranking", (("product", "sum"),), frame, {
        "common": "items that both have down to this rank" + ("" if len(first) == len(second) else _GOES_ON),
        "share": "common / rank", "weight": f"(1 - {p:g}) × {p:g}^(rank - 1)", "product": "share × weight",
    })  # fmt: skip
    parts = {"sum of product": float(depths.share @ depths.weight), "last share": float(depths.share[-1]),
             "chance to read on": p**longest}  # fmt: skip
    total, last, on = (quantity(word, [number]) for word, number in parts.items())
    extrapolated: PerUnit = total + last * on
    remarks = (
        f"chance to read on beyond rank {longest} = {p:g}^{longest}; the share there is taken to go on",
        f"whatever follows, it is at least {short(overlap.least)} and at most {short(overlap.most)}",
    )
    return _Taken(name, overlap.extrapolated, (table,), tuple(parts.items()), formula(extrapolated, 0), remarks)


_GOES_ON = "; beyond the end of the shorter list, its share there goes on"
