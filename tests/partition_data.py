"""Random items with classes and clusters, and slow twins of the measures made of them: item by item, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from assay import Contingency, Measure, parse_measure

NAN = math.nan
KINDS: tuple[list[Any], ...] = (
    ["a", "ab", "B", "é", "日本", ""],
    [0, 1, 2, 3, 4, 5],
    [-7, 0, 3, 10**12, 5, -1],
    [False, True],
)
WEIGHTS = st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0, 2.5, 40.0])


class Grouped(NamedTuple):
    """Classes and clusters of items, and weights or None."""

    truth: list[Any]
    cluster: list[Any]
    weight: list[float] | None = None

    def table(self) -> Contingency:
        return Contingency.from_labels(self.truth, self.cluster, sample_weight=self.weight)

    @property
    def items(self) -> list[tuple[Any, Any, float]]:
        return list(zip(self.truth, self.cluster, self.weight or [1.0] * len(self.truth), strict=True))


@st.composite
def grouped(draw: st.DrawFn, weighted: bool = False, items: int = 14) -> Grouped:
    """A few items; classes and clusters are labels of any two kinds, and at times all alike or all different."""
    size = draw(st.integers(1, items))
    sides = []
    for _ in range(2):
        kind = draw(st.sampled_from(KINDS))
        kept = kind[: draw(st.integers(1, len(kind)))]
        alone = st.permutations(range(100, 100 + size))
        sides.append(draw(st.lists(st.sampled_from(kept), min_size=size, max_size=size) | alone))
    weight = draw(st.lists(WEIGHTS, min_size=size, max_size=size).filter(any)) if weighted else None
    return Grouped(list(sides[0]), list(sides[1]), weight)


def over(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else NAN


def f_of(one: float, other: float, beta: float) -> float:
    return (1 + beta**2) * one * other / (beta**2 * one + other)


def purity(data: Grouped, inverse: bool = False) -> float:
    sides = (data.truth, data.cluster) if inverse else (data.cluster, data.truth)
    weights = data.weight or [1.0] * len(data.truth)
    largest = 0.0
    for group in set(sides[0]):
        members = [(label, w) for own, label, w in zip(*sides, weights, strict=True) if own == group]
        largest += max(sum(w for label, w in members if label == one) for one, _ in members)
    return largest / sum(weights)


def b_cubed(data: Grouped, recall: bool = False) -> float:
    total = 0.0
    for truth, cluster, weight in data.items:
        group = [item for item in data.items if (item[0] == truth if recall else item[1] == cluster)]
        both = sum(w for t, c, w in group if (t, c) == (truth, cluster))
        total += weight * over(both, sum(w for *_, w in group)) if weight else 0.0
    return total / sum(w for *_, w in data.items)


def pairs(data: Grouped) -> tuple[float, float, float, float]:
    """TP, FP, FN, TN: every two items, once."""
    cells = {(same_class, same_cluster): 0.0 for same_class in (True, False) for same_cluster in (True, False)}
    for one, other in combinations(data.items, 2):
        cells[one[0] == other[0], one[1] == other[1]] += one[2] * other[2]
    return cells[True, True], cells[False, True], cells[True, False], cells[False, False]


def pair_f(data: Grouped, beta: float) -> float:
    tp, fp, fn, _ = pairs(data)
    return over((1 + beta**2) * tp, (1 + beta**2) * tp + beta**2 * fn + fp)


def entropy(labels: list[Any], weight: list[float] | None) -> float:
    weights = weight or [1.0] * len(labels)
    sizes = [sum(w for label, w in zip(labels, weights, strict=True) if label == one) for one in set(labels)]
    return sum(-size / sum(weights) * math.log(size / sum(weights)) for size in sizes if size)


def information(data: Grouped) -> float:
    """By the entropies: what both together leave out."""
    both = list(zip(data.truth, data.cluster, strict=True))
    return sum(entropy(side, data.weight) for side in (data.truth, data.cluster)) - entropy(both, data.weight)


def variation(data: Grouped) -> float:
    both = list(zip(data.truth, data.cluster, strict=True))
    apart = 2 * entropy(both, data.weight) - entropy(data.truth, data.weight) - entropy(data.cluster, data.weight)
    return max(apart, 0.0)


def expected_information(data: Grouped) -> float:
    """The mean over all ways to hand the clusters out, of at most seven items."""
    ways = [information(Grouped(data.truth, list(way))) for way in permutations(data.cluster)]
    return math.fsum(ways) / len(ways)


def cluster_accuracy(data: Grouped) -> float:
    """All ways to give classes a cluster each."""
    found = data.table()
    dense = found.table if found.table.shape[0] <= found.table.shape[1] else found.table.T
    ways = permutations(range(dense.shape[1]), dense.shape[0])
    best = max(sum(dense[row, column] for row, column in enumerate(way)) for way in ways)
    return float(best / np.sum(dense))


TWINS: dict[str, Callable[[Grouped], float]] = {
    "Purity": purity,
    "InversePurity": lambda data: purity(data, inverse=True),
    "PurityF": lambda data: f_of(purity(data), purity(data, inverse=True), 1.0),
    "PurityF(beta=2)": lambda data: f_of(purity(data), purity(data, inverse=True), 2.0),
    "BCubedPrecision": b_cubed,
    "BCubedRecall": lambda data: b_cubed(data, recall=True),
    "BCubedF": lambda data: f_of(b_cubed(data), b_cubed(data, recall=True), 1.0),
    "BCubedF(beta=0.5)": lambda data: f_of(b_cubed(data), b_cubed(data, recall=True), 0.5),
    "PairTP": lambda data: pairs(data)[0],
    "PairFP": lambda data: pairs(data)[1],
    "PairFN": lambda data: pairs(data)[2],
    "PairTN": lambda data: pairs(data)[3],
    "PairPrecision": lambda data: over(pairs(data)[0], pairs(data)[0] + pairs(data)[1]),
    "PairRecall": lambda data: over(pairs(data)[0], pairs(data)[0] + pairs(data)[2]),
    "PairF": lambda data: pair_f(data, 1.0),
    "PairF(beta=5)": lambda data: pair_f(data, 5.0),
    "PairF(beta=0)": lambda data: over(pairs(data)[0], pairs(data)[0] + pairs(data)[1]),
    "Rand": lambda data: over(pairs(data)[0] + pairs(data)[3], sum(pairs(data))),
    "FowlkesMallows": lambda data: math.sqrt(
        over(pairs(data)[0], pairs(data)[0] + pairs(data)[1]) * over(pairs(data)[0], pairs(data)[0] + pairs(data)[2])
    ),
    "MI": information,
    "MI(base=2)": lambda data: information(data) / math.log(2),
    "VI": variation,
    "VI(base=2)": lambda data: variation(data) / math.log(2),
    "Homogeneity": lambda data: over(information(data), entropy(data.truth, data.weight)),
    "Completeness": lambda data: over(information(data), entropy(data.cluster, data.weight)),
    "NMI": lambda data: over(
        2 * information(data), entropy(data.truth, data.weight) + entropy(data.cluster, data.weight)
    ),
}


def of(name: str | Measure, table: Contingency) -> float:
    (value,) = parse_measure(name, "clustering").of(table)
    return float(value)


def reason(name: str, table: Any) -> str | None:
    made = table if isinstance(table, Contingency) else Contingency.from_table(table)
    return parse_measure(name, "clustering").per_unit(made).reason(0)
