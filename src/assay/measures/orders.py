"""How alike two orders of items are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.measures.counting.orders import Orders, depths_of, tau_ap_parts
from assay.measures.definition import Persistence
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity

NO_ORDER = "all items of a list are tied: it has no order"


@measure(
    aliases=("Kendall's tau-b", "tau-b", "tau_b"), bounds=(-1.0, 1.0), counted_as=None, summary="pooled",
    cites="kendall1945",
)  # fmt: skip
def Kendall(orders: Orders) -> PerUnit:
    r"""Kendall's tau-b: pairs of items in the same order, less those in opposite order, as a share of untied pairs.

    .. math:: \frac{C - D}{\sqrt{(N - T_1) (N - T_2)}}

    *C*, *D*: pairs in the same and in opposite order; *N*: all pairs; :math:`T_1`, :math:`T_2`: those that are tied in
    the first and in the second order. It divides by the geometric mean of two numbers of pairs: those
    that are untied in the first order, and those that are untied in the second.

    >>> Kendall.of(Orders.of(["A", "B", "C", "D"], {"A": 3, "B": 2, "C": 2, "D": 1}))  # 5 / sqrt(6 * 5)
    array([0.9129])
    """
    steps, (agree, differ, pairs) = _pairs(orders)
    tied, other = (
        steps.counted(f"tied in the {which}", [len(steps.unit) - each.untied[0] / 2])
        for which, each in zip(("first", "second"), orders.comparisons, strict=True)
    )
    return _of_orders((agree - differ) / ((pairs - tied) * (pairs - other)).sqrt(), orders)


@measure(aliases=("Kendall's tau",), bounds=(-1.0, 1.0), counted_as=None, summary="pooled", cites="kendall1945")
def tau(orders: Orders) -> PerUnit:
    r"""Kendall's tau (tau-a): pairs of items in the same order, less those in opposite order, as a share of all pairs.

    .. math:: \frac{C - D}{N}

    *C*, *D*: pairs in the same and in opposite order; *N*: all pairs, tied ones too: tau-b (`Kendall`) leaves them out.

    >>> tau.of(Orders.of(["A", "B", "C", "D"], ["B", "A", "C", "D"]))  # (5 - 1) / 6
    array([0.6667])
    """
    _, (agree, differ, pairs) = _pairs(orders)
    return _of_orders((agree - differ) / pairs, orders)


@measure(aliases=("Spearman's rho", "rho"), bounds=(-1.0, 1.0), counted_as=None, summary="pooled", cites="spearman1904")
def Spearman(orders: Orders) -> PerUnit:
    r"""Spearman's rho: Pearson's r of the ranks. Tied items share the mean of their ranks.

    .. math:: 1 - \frac{6 \sum_i d_i^2}{n (n^2 - 1)}

    *d*: the difference of an item's two ranks; *n*: the items. This form holds where nothing is tied.

    >>> Spearman.of(Orders.of(["A", "B", "C", "D"], ["B", "A", "C", "D"]))  # 1 - 6 * (1 + 1) / (4 * 15)
    array([0.8])
    """
    first, second = orders.ranks
    columns = {"item": np.array(orders.items), "first_rank": first, "second_rank": second}
    steps = _steps_of(len(first), columns, "items")
    n = quantity("items", [len(first)])
    if not orders.is_tied:
        d = first - second
        steps = steps.with_columns(**{"d": d, "d²": d**2}).meaning(d="first_rank - second_rank")
        return 1 - 6 * steps.sum("d²") / (n * (n * n - 1))
    u, v = first - first.mean(), second - second.mean()
    means = {"u": "first_rank - mean of first_rank", "v": "second_rank - mean of second_rank", "uv": "u × v"}
    steps = steps.with_columns(u=u, v=v, uv=u * v).meaning(**means)
    top, left, right = (steps.counted(f"sum of {name}", [total]) for name, total in
                        {"uv": u @ v, "u²": u @ u, "v²": v @ v}.items())  # fmt: skip
    return _of_orders(top / (left * right).sqrt(), orders)


@measure(bounds=(-1.0, 1.0), counted_as=None, summary="pooled", cites="yilmaz2008")
def tau_AP(orders: Orders) -> PerUnit:
    r"""tau_AP: as Kendall's tau, but errors at the top of the second order weigh more; the first is the reference.

    .. math:: \frac{2}{n - 1} \sum_{i=2}^n \frac{C(i)}{i - 1} - 1

    *C(i)*: of the items above rank *i* of the second order, those that belong above according to the first. Where items
    are tied, it is the mean over all ways to break the ties.

    >>> tau_AP.of(Orders.of(["A", "B", "C", "D"], ["A", "B", "D", "C"]))  # 2 * (1/1 + 2/2 + 2/3) / 3 - 1
    array([0.7778])
    """
    rank = orders.ranks[1]
    order = np.argsort(rank, kind="stable")
    above, agreement, weight = (column[0][order].astype(np.float64) for column in tau_ap_parts(*orders.comparisons))
    columns = {"item": np.array(orders.items)[order], "place": rank[order], "above": above}
    steps = _steps_of(len(rank), columns, "items").meaning(above="items above it in the second order")
    n = quantity("items", [len(rank)])
    belong = "those of them that belong above it according to the first order"
    if not orders.is_tied:  # agreement is what belongs above less what does not, and both together are all
        right = (above + agreement) / 2
        steps = steps.with_columns(right=right, share=right / np.maximum(above, 1))
        steps = steps.meaning(right=belong, share="right / above, 0 for the first item")
        return 2 * steps.sum("share") / (n - 1) - 1
    steps = steps.with_columns(agreement=agreement, weight=weight, product=agreement * weight).meaning(
        agreement=f"{belong}, less those that belong below",
        weight="1 / items above, the mean over all ways to break ties",
        product="agreement × weight",
    )
    return _of_orders(steps.sum("product") / (n - 1), orders)


@measure(counted_as=None, summary="pooled", cites="webber2010")
def RBO(orders: Orders, *, p: Persistence = 0.9) -> PerUnit:
    r"""Rank-biased overlap: the expected share of items in both, where readers go on with probability *p*.

    .. math:: (1 - p) \sum_{d=1}^{n} p^{d-1} \frac{X_d}{d} + p^n \frac{X_n}{n}

    :math:`X_d`: the items that both have down to rank *d*; *n*: the length of the longer order. The orders need not
    hold the same items, nor be of one length; the share at their end is taken to go on.

    >>> RBO(p=0.5).of(Orders.of(["A", "B"], ["B", "A"]))  # share 0 at rank 1 with weight 1/2, and 1 ever after
    array([0.5])
    """
    first, second = orders.rankings
    common, share, weight = depths_of(first, second, p)
    longest = len(common)
    lists = {name: np.array(side + [""] * (longest - len(side))) for name, side in
             (("first", first), ("second", second))}  # fmt: skip
    goes_on = "" if len(first) == len(second) else "; beyond the end of the shorter list, its share there goes on"
    columns = {"rank": np.arange(1, longest + 1), "common": common, "share": share, "weight": weight}
    steps = _steps_of(longest, {**lists, **columns, "product": share * weight}, "ranking").meaning(
        common=f"items that both have down to this rank{goes_on}",
        share="common / rank",
        weight=f"(1 - {p:g}) × {p:g}^(rank - 1)",
        product="share × weight",
    )
    return steps.sum("product") + quantity("last share", [share[-1]]) * quantity("chance to read on", [p**longest])


def _pairs(orders: Orders) -> tuple[Steps, list[PerUnit]]:
    """Every two items, and whether the orders agree on which of them is ahead; how many pairs do, do not, and all."""
    places = np.triu_indices(len(orders.items), 1)
    signs = [each.signs[0][places].astype(int) for each in orders.comparisons]
    names = [(orders.items[i], orders.items[j]) for i, j in zip(*places, strict=True)]
    kinds = np.array(["discordant", "tied", "concordant"])[signs[0] * signs[1] + 1]
    columns = {"pair": np.array([" ".join(pair) for pair in names])}
    for which, side in zip(("first", "second"), signs, strict=True):
        ahead = ["=" if not sign else pair[sign < 0] for pair, sign in zip(names, side.tolist(), strict=True)]
        columns[which] = np.array(ahead)
    steps = _steps_of(len(kinds), columns | {"is": kinds}, "pairs")
    steps = steps.meaning(first="which item is ahead in the first list; = for a tie")
    counts = [steps.counted(kind, [np.sum(kinds == kind)]) for kind in ("concordant", "discordant")]
    return steps, [*counts, steps.counted("pairs", [len(kinds)])]


def _steps_of(count: int, columns: dict[str, np.ndarray[tuple[int], np.dtype[np.generic]]], says: str) -> Steps:
    return Steps(np.zeros(count, dtype=np.int64), 1, columns, says)


def _of_orders(result: PerUnit, orders: Orders) -> PerUnit:
    """The result; none where a list has no order, whatever its formula comes to."""
    if not orders.is_constant:
        return result
    return replace(result, values=np.array([np.nan]), undefined={NO_ORDER: np.array([True])})
