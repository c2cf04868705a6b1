"""How alike two orders are, taken apart: Kendall's tau, Spearman's rho, tau_AP, rank-biased overlap.

The values are those of `correlate`; the steps come from the same comparisons of items.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assay.core.digits import short
from assay.core.domains import Real
from assay.core.errors import ParameterError, listed, number_of
from assay.measures.cascade import RR
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit, quantity
from assay.stats.correlation import Orders, kendall, spearman, tau_ap, tau_ap_parts
from assay.stats.overlap import depths_of, rbo
from assay.verbs.explanation.result import Explanation, StepTable, counts_named, formula

#: What coefficients are called, in small letters without marks.
_NAMES = {
    "kendall": "tau-b", "kendallstaub": "tau-b", "taub": "tau-b", "tau": "tau", "kendallstau": "tau",
    "spearman": "rho", "spearmansrho": "rho", "rho": "rho", "tauap": "tau_AP", "rbo": "RBO",
}  # fmt: skip
_WITH_P = re.compile(r"(?P<name>[^()]+?)\s*(\(\s*(p\s*=\s*)?(?P<p>[\d.eE+-]+)\s*\))?")
#: A coefficient taken apart: its name, its value, its formula, the table behind it, and what to say of it.
Apart: TypeAlias = tuple[str, float, PerUnit, StepTable, tuple[str, ...]]


def is_coefficient(measure: object) -> bool:
    """Whether a name stands for a coefficient of two orders.

    >>> is_coefficient("Kendall's tau-b"), is_coefficient("RBO(p=0.8)"), is_coefficient("AP")
    (True, True, False)
    """
    return isinstance(measure, str) and bool(_kind(measure)[0])


def of_two_lists(measure: str, first: Any, second: Any) -> Explanation:
    """A coefficient of two orders, step by step.

    The lists are rankings, with the best item first, or dicts from items to numbers, of which the larger is the better.

    >>> of_two_lists("tau", ["A", "B", "C", "D"], ["B", "A", "C", "D"]).formula.numbers
    '(5 - 1) / 6'
    """
    kind, p = _kind(measure)
    if second is None:
        raise ParameterError(f"{measure} is about two orders of the same items: give two lists, or two dicts")
    if p is not None and kind != "RBO":
        raise ParameterError(f"{measure}: p is the chance to read on, which goes with RBO")
    if kind == "RBO":
        apart = _overlap(_ranking(first), _ranking(second), 0.9 if p is None else p)
    else:
        items, *numbers = _two_lists(first, second)
        orders = [Orders.of(side[None]) for side in numbers]
        ways = {"rho": _spearman, "tau_AP": _tau_ap}
        apart = ways[kind](items, *orders) if kind in ways else _kendall(items, *orders, is_b=kind == "tau-b")
    name, value, tree, table, remarks = apart
    # What the formula makes of ties alone is 0, and no number.
    tree = replace(tree, values=np.array([value]))
    return Explanation(
        measure=Measure(RR.definition._replace(name=name, counts=Orders, parameters={}, at=None)),
        unit="two orders",
        unit_kind="table",
        value=value,
        reason="all items of a list are tied: it has no order" if math.isnan(value) else None,
        steps=(table,),
        counts=tuple(counts_named([(tree, 0)])),
        formula=formula(tree, 0),
        signature=f"{name}|v1",
        remarks=remarks,
    )


def _kind(measure: str) -> tuple[str, float | None]:
    """Which coefficient is meant, if any, and its chance to read on, if that is said."""
    match = _WITH_P.fullmatch(measure.strip())
    kind = "" if match is None else _NAMES.get(re.sub(r"[^a-z]", "", match["name"].lower()), "")
    if match is None or not kind or match["p"] is None:
        return kind, None
    try:
        return kind, float(match["p"])
    except ValueError:
        raise ParameterError(f"{measure}: p is a number between 0 and 1") from None


def _numbers(order: Any) -> dict[str, float]:
    """A number for each item: as given, or by its place in a list."""
    if isinstance(order, Mapping):
        pairs = [(str(item), Real().check(f"item {str(item)!r}", value)) for item, value in order.items()]
    elif isinstance(order, list | tuple | np.ndarray | pl.Series) and getattr(order, "ndim", 1) == 1:
        pairs = [(str(item), -float(rank)) for rank, item in enumerate(order, 1)]
    else:
        raise ParameterError(f"expected a list of items or a dict of numbers, got {type(order).__name__}")
    items = [item for item, _ in pairs]
    if twice := [item for item in items if items.count(item) > 1]:
        raise ParameterError(f"an order holds {twice[0]!r} twice")
    return dict(pairs)


def _ranking(order: Any) -> list[str]:
    """The items, the best first; ties have no place in it."""
    numbers = _numbers(order)
    if len(set(numbers.values())) < len(numbers):
        raise ParameterError("RBO is about rankings without ties: two items have the same place")
    return sorted(numbers, key=lambda item: -numbers[item])


def _two_lists(first: Any, second: Any) -> tuple[list[str], Floats, Floats]:
    """The items, the best of the first list on top, and their numbers in both lists, the larger the better."""
    left, other = _numbers(first), _numbers(second)
    if apart := left.keys() ^ other.keys():
        raise ParameterError(
            f"the orders hold different items, {listed(sorted(apart))}: rank-biased overlap (RBO) alone takes those"
        )
    if len(left) < 2:
        raise ParameterError(f"expected 2 items or more, got {number_of('item', len(left))}")
    items = sorted(left, key=lambda item: -left[item])
    return items, np.array([left[item] for item in items]), np.array([other[item] for item in items])


def _is_tied(*orders: Orders) -> bool:
    """Whether two items of a list are tied."""
    items = orders[0].signs.shape[1]
    return any(float(order.untied[0]) < items * (items - 1) for order in orders)


def _ranks(order: Orders) -> Floats:
    """The ranks of the items; tied ones share the mean of theirs."""
    ranks: Floats = (order.signs.shape[1] + 1 - order.lead[0]) / 2
    return ranks


def _kendall(items: list[str], first: Orders, second: Orders, *, is_b: bool) -> Apart:
    """Every two items, and whether the lists agree on which of them is ahead."""
    places = np.triu_indices(len(items), 1)
    signs = [order.signs[0][places].astype(int) for order in (first, second)]
    kinds = np.array(["discordant", "tied", "concordant"])[signs[0] * signs[1] + 1]
    names = [(items[i], items[j]) for i, j in zip(*places, strict=True)]
    ahead = {
        name: ["=" if not sign else pair[sign < 0] for pair, sign in zip(names, side.tolist(), strict=True)]
        for name, side in zip(("first", "second"), signs, strict=True)
    }
    frame = pl.DataFrame({"pair": list(map(" ".join, names)), **ahead, "is": kinds.tolist()})
    table = StepTable("pairs", (), frame, {"first": "which item is ahead in the first list; = for a tie"})
    agree, differ = (quantity(kind, [np.sum(kinds == kind)]) for kind in ("concordant", "discordant"))
    pairs = quantity("pairs", [len(kinds)])
    if is_b:
        ties = zip(("first", "second"), signs, strict=True)
        tied, other = (quantity(f"tied in the {which}", [np.sum(side == 0)]) for which, side in ties)
        tau = (agree - differ) / ((pairs - tied) * (pairs - other)).sqrt()
        return "Kendall's tau-b", kendall(first.numbers[0], second.numbers[0]).value, tau, table, ()
    tau = (agree - differ) / pairs
    value = float(tau.values[0]) if signs[0].any() and signs[1].any() else math.nan
    tied_pairs = "pairs that are tied in a list count in the number of pairs only: tau-b leaves them out there"
    return "Kendall's tau", value, tau, table, (tied_pairs,) if _is_tied(first, second) else ()


def _spearman(items: list[str], first: Orders, second: Orders) -> Apart:
    name, value = "Spearman's rho", spearman(first.numbers[0], second.numbers[0]).value
    ranks, other = _ranks(first), _ranks(second)
    columns: dict[str, Any] = {"item": items, "first_rank": ranks, "second_rank": other}
    n, squares = quantity("items", [len(items)]), (ranks - other) ** 2
    plain = 1 - 6 * quantity("sum of d²", [squares.sum()]) / (n * (n * n - 1))
    if not _is_tied(first, second):
        frame = pl.DataFrame(columns | {"d": ranks - other, "d²": squares})
        return name, value, plain, StepTable("items", (("d²", "sum"),), frame, {"d": "first_rank - second_rank"}), ()
    u, v = ranks - ranks.mean(), other - other.mean()
    means = {"u": "first_rank - mean of first_rank", "v": "second_rank - mean of second_rank", "uv": "u × v"}
    table = StepTable("items", (), pl.DataFrame(columns | {"u": u, "v": v, "uv": u * v}), means)
    sums = {"sum of uv": u @ v, "sum of u²": u @ u, "sum of v²": v @ v}
    top, left, right = (quantity(each, [total]) for each, total in sums.items())
    remarks = (
        "tied items share the mean of their ranks, and rho is Pearson's r of the ranks",
        f"1 - 6 sum of d² / (n (n² - 1)), which holds without ties only, would give {short(float(plain.values[0]))}",
    )
    return name, value, top / (left * right).sqrt(), table, remarks


def _tau_ap(items: list[str], first: Orders, second: Orders) -> Apart:
    name, value, rank = "tau_AP", tau_ap(first.numbers[0], second.numbers[0]).value, _ranks(second)
    order = np.argsort(rank, kind="stable")
    above, agreement, weight = (column[0][order].astype(np.float64) for column in tau_ap_parts(first, second))
    columns: dict[str, Any] = {"item": [items[at] for at in order], "place": rank[order], "above": above}
    n, means = quantity("items", [len(rank)]), {"above": "items above it in the second order"}
    belong = "those of them that belong above it according to the first order"
    if not _is_tied(first, second):  # agreement is what belongs above less what does not, and both together are all
        right = (above + agreement) / 2
        share = np.where(above > 0, right / np.maximum(above, 1), np.nan)
        frame = pl.DataFrame(columns | {"right": right, "share": pl.Series(share).fill_nan(None)})
        table = StepTable("items", (("share", "sum"),), frame, means | {"right": belong, "share": "right / above"})
        return name, value, 2 * quantity("sum of share", [np.nansum(share)]) / (n - 1) - 1, table, ()
    product = agreement * weight
    frame = pl.DataFrame(columns | {"agreement": agreement, "weight": weight, "product": product})
    means |= {
        "agreement": f"{belong}, less those that belong below",
        "weight": "1 / items above, the mean over all ways to break ties",
        "product": "agreement × weight",
    }
    table = StepTable("items", (("product", "sum"),), frame, means)
    tau = quantity("sum of product", [product.sum()]) / (n - 1)
    return name, value, tau, table, ("ties are broken in all ways: it is the mean",)


def _overlap(first: list[str], second: list[str], p: float) -> Apart:
    """Rank-biased overlap, depth by depth."""
    overlap, (common, share, weight) = rbo(first, second, p), depths_of(first, second, p)
    longest, product = len(common), share * weight
    lists = {name: items + [""] * (longest - len(items)) for name, items in (("first", first), ("second", second))}
    columns = {"rank": np.arange(1, longest + 1), "common": common, "share": share, "weight": weight}
    goes_on = "" if len(first) == len(second) else "; beyond the end of the shorter list, its share there goes on"
    means = {
        "common": f"items that both have down to this rank{goes_on}",
        "share": "common / rank",
        "weight": f"(1 - {p:g}) × {p:g}^(rank - 1)",
        "product": "share × weight",
    }
    frame = pl.DataFrame({**lists, **columns, "product": product})
    table = StepTable("ranking", (("product", "sum"),), frame, means)
    last = quantity("last share", [share[-1]]) * quantity("chance to read on", [p**longest])
    remarks = (
        f"chance to read on beyond rank {longest} = {p:g}^{longest}; the share there is taken to go on",
        f"whatever follows, it is at least {short(overlap.least)} and at most {short(overlap.most)}",
    )
    total = quantity("sum of product", [product.sum()])
    return f"RBO(p={p:g})", overlap.extrapolated, total + last, table, remarks
