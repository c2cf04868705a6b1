"""Measures of a clustering by what it tells about classes: entropy and mutual information, on `Contingency`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.definition import Base, Beta, MeanName, MeanOfEntropies
from assay.measures.item_pairs import NO_PAIR_AT_ALL, ONE_OF_EACH
from assay.measures.partitions import NO_ITEM, cells_of, groups
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, quantity, unknown

#: Numbers of common items that are rarer than e to the minus this are left out.
_RARE = 45.0
#: From this variance on, the series is exact to the last digits: all it leaves out is less than 1 / variance⁴.
_WIDE = 2000.0
#: So many pairs of sizes are looked at together, and so many numbers of common items: what fits near the processor.
_PAIRS, _TERMS = 1 << 17, 1 << 15


def expected_by_unit(class_sizes: Floats, cluster_sizes: Floats) -> Floats:
    """The mean of mutual information, in nats, over all ways to put items into clusters of these sizes.

    Each table has a row of sizes, and a number: 0 without items. Sizes that several tables share are met once.

    >>> sizes = np.array([[2.0, 2.0], [4.0, 0.0]]), np.array([[2.0, 2.0], [1.0, 3.0]])
    >>> expected_by_unit(*sizes)  # the first: ln(2) in two of six ways, 0 in the others
    array([0.231, 0.   ])
    """
    items = class_sizes.sum(axis=1)
    ours, other = _Sizes.of(class_sizes), _Sizes.of(cluster_sizes)
    columns = np.bincount(other.unit, minlength=len(items))
    first = np.cumsum(columns) - columns
    ends = np.cumsum(columns[ours.unit])
    total = np.zeros(len(items))
    start = 0
    done = 0
    while start < len(ends):
        end = max(start + 1, int(np.searchsorted(ends, done + _PAIRS, side="right")))
        row = np.repeat(np.arange(start, end), columns[ours.unit[start:end]])
        unit = ours.unit[row]
        column = first[unit] + np.arange(done, done + len(row)) - (ends[row] - columns[unit])
        pairs = _Pairs(ours.size[row], other.size[column], items[unit])
        expected = _of_pairs(pairs) if unit[0] == unit[-1] else _of_pairs_once(pairs)
        total += np.bincount(unit, ours.times[row] * other.times[column] * expected, len(items))
        start = end
        done = int(ends[end - 1])
    return total / np.where(items > 0, items, 1.0)


class _Sizes(NamedTuple):
    """The different sizes of each unit's groups, and how many groups have them."""

    unit: Ints
    size: Floats
    times: Ints

    @classmethod
    def of(cls, sizes: Floats) -> _Sizes:
        ordered = np.sort(sizes, axis=1)
        new = np.ones(sizes.shape, dtype=np.bool_)
        new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        places = np.flatnonzero(new)
        times = np.diff(places, append=sizes.size)
        size = ordered.ravel()[places]
        kept = size > 0
        return cls(places[kept] // sizes.shape[1], size[kept], times[kept])


class _Pairs(NamedTuple):
    """The sizes of classes and of clusters that meet, and how many items there are in all."""

    a: Floats
    b: Floats
    items: Floats

    def where(self, places: Any) -> _Pairs:
        return _Pairs(self.a[places], self.b[places], self.items[places])


def _of_pairs_once(pairs: _Pairs) -> Floats:
    """As `_of_pairs`, where many pairs are the same: subsamples of the same items have about the same sizes."""
    key = np.zeros(len(pairs.a), dtype=np.int64)
    for values in pairs:
        known, place = np.unique(values, return_inverse=True)
        key = key * len(known) + place
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return _of_pairs(pairs.where(first))[place]


def _of_pairs(pairs: _Pairs) -> Floats:
    """The expectation of n ln(n / mean) for each pair of sizes; n is how many items both have in common."""
    a, b, items = pairs
    mean = a * b / items
    variance = mean * (1 - a / items) * (1 - b / items) * items / np.maximum(items - 1, 1.0)
    expected = np.empty(len(a))
    wide = variance >= _WIDE
    expected[wide] = _series(pairs.where(wide), mean[wide], variance[wide])
    # Bernstein's inequality: further than this from the mean lie the numbers that are too rare.
    reach = _RARE / 3 + np.sqrt((_RARE / 3) ** 2 + 2 * _RARE * variance)
    low = np.maximum(np.maximum(0.0, a + b - items), np.floor(mean - reach))
    high = np.minimum(np.minimum(a, b), np.ceil(mean + reach))
    width = (high - low + 1).astype(np.int64)
    # Pairs with windows of about the same width are next to each other, so that little of a block is empty.
    order = np.flatnonzero(~wide)
    order = order[np.argsort(-width[order], kind="stable")]
    start = 0
    while start < len(order):
        block = order[start : start + max(1, _TERMS // int(width[order[start]]))]
        expected[block] = _summed(pairs.where(block), low[block], high[block])
        start += len(block)
    return expected


def _series(pairs: _Pairs, mean: Floats, variance: Floats) -> Floats:
    """By the moments: (1 + d) ln(1 + d) - d = d²/2 - d³/6 + d⁴/12 - ..., d being the distance in shares of the mean.

    The first four moments are exact, those after them as far as they follow from these.
    """
    items = pairs.items
    p, q = pairs.a / items, pairs.b / items
    third = variance * (1 - 2 * p) * (1 - 2 * q) * items / (items - 2)
    spread = items**2 * (1 + 1 / items - 6 * p * (1 - p) - 6 * q * (1 - q)) + 6 * (5 * items - 6) * variance
    beyond = variance * spread / ((items - 2) * (items - 3))  # the fourth moment beyond that of a normal distribution
    moments = (
        variance,
        third,
        3 * variance**2 + beyond,
        10 * variance * third,
        15 * variance**3 + 15 * variance * beyond + 10 * third**2,
        105 * variance**2 * third,
        105 * variance**4,
    )
    terms = [moment / (k * (k - 1) * (-mean) ** k) for k, moment in enumerate(moments, start=2)]
    series: Floats = mean * np.sum(terms, axis=0)
    return series


def _summed(pairs: _Pairs, low: Floats, high: Floats) -> Floats:
    """Number by number: each is so many times as likely as the one before it."""
    a, b, items = (each[:, None] for each in pairs)
    mean = a * b / items
    common = low[:, None] + np.arange(int((high - low).max()) + 1)
    there = common <= high[:, None]
    n = common[:, :-1]
    # How many times as likely as the first: the last possible number makes it 0, and it stays so.
    likely = np.ones(common.shape)
    np.multiply(a - n, b - n, out=likely[:, 1:])
    likely[:, 1:] /= (n + 1) * (items - a - b + n + 1)
    likely[:, 1:] *= there[:, 1:]
    np.cumprod(likely, axis=1, out=likely)
    # As n - mean is 0 on average it may be taken off: what is left is never negative, and small where n is near.
    gained = mean - common
    share = np.log1p(-gained / mean, out=np.zeros(common.shape), where=common > 0)
    gained += common * share
    expected: Floats = (likely * gained).sum(axis=1) / likely.sum(axis=1)
    return expected


ONE_CLASS = "there is one class only (1 by convention)"
ONE_CLUSTER = "there is one cluster only (1 by convention)"
NO_MEAN = "the mean of the entropies is 0, as there is one class or one cluster only (0 by convention)"
NO_ROOM = "chance gives as much information as there can be"
WEIGHTED = "items have weights, and chance is about numbers of items"
_MEANS = {"arithmetic": {}, "min": {"average": "min"}, "max": {"average": "max"}, "geometric": {"average": "geometric"}}


@measure(bounds=(0.0, np.inf), aliases=("MutualInformation", "mutual_info_score"), sklearn="mutual_info_score")
def MI(table: Contingency, *, base: Base = math.e) -> PerUnit:
    r"""Mutual information: how much an item's cluster tells about its class, in nats, or bits with base 2.

    .. math:: I = \sum_{jk} \frac{n_{jk}}{N} \ln \frac{N\, n_{jk}}{a_j\, b_k}

    :math:`n_{jk}` is how many items of class *j* are in cluster *k*; :math:`a_j` and :math:`b_k` are all items of the
    class and of the cluster. 0 if clusters tell nothing. More clusters make it larger; `NMI` and `AMI` put it in
    bounds.

    >>> MI.of(Contingency.from_table([[2, 0], [0, 2]])), MI(base=2).of(Contingency.from_table([[2, 0], [0, 2]]))
    (array([0.6931]), array([1.]))
    """
    return _in_base(_information(table), base)


@measure(
    cites="strehl2002",
    aliases={"NormalizedMutualInformation": {}, "normalized_mutual_info_score": {},
             **{f"NMI{name}": stands for name, stands in _MEANS.items()}},
    sklearn="normalized_mutual_info_score",
)  # fmt: skip
def NMI(table: Contingency, *, average: MeanOfEntropies = "arithmetic") -> PerUnit:
    r"""Normalised mutual information: what clusters tell about classes, as a share of the mean of both entropies.

    .. math:: \frac{I}{\frac{1}{2} (H_a + H_b)}, \quad H_a = \sum_j \frac{a_j}{N} \ln \frac{N}{a_j}, \quad
              H_b = \sum_k \frac{b_k}{N} \ln \frac{N}{b_k}

    *I* is mutual information, :math:`H_a` the entropy of the classes and :math:`H_b` that of the clusters. `average`
    takes another mean: the geometric one, the smaller or the larger entropy. It is not 0 for clusters at random, and
    grows with their number: see `AMI`. Undefined for one class in one cluster (others say 1 there), and if the
    geometric mean or the smaller entropy is 0.

    >>> NMI.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 0.3919 / ((1.0551 + 1.0951) / 2)
    array([0.3646])
    >>> NMI(average="min").of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 0.3919 / 1.0551
    array([0.3715])
    """
    of_classes, of_clusters = _entropy(table, "class"), _entropy(table, "cluster")
    information = _information(table).defined_with((of_classes + of_clusters).saying(ONE_OF_EACH))
    return information / _mean(of_classes, of_clusters, average).saying(NO_MEAN)


@measure(
    cites="vinh2010",
    bounds=(-np.inf, 1.0),
    aliases={"AdjustedMutualInformation": {}, "adjusted_mutual_info_score": {},
             **{f"AMI{name}": stands for name, stands in _MEANS.items()}},
    sklearn="adjusted_mutual_info_score",
)  # fmt: skip
def AMI(table: Contingency, *, average: MeanOfEntropies = "arithmetic") -> PerUnit:
    r"""Adjusted mutual information: what clusters tell about classes, beyond what chance gives to such sizes.

    .. math:: \frac{I - E}{\frac{1}{2} (H_a + H_b) - E}

    *I* is mutual information, *E* its mean over all ways to put the items into clusters of the same sizes,
    :math:`H_a` and :math:`H_b` are the entropies of classes and clusters; `average` takes another mean of them. 1 if
    both are the same but for names, around 0 for clusters at random, and possibly below. Undefined where every way to
    put the items into clusters gives the same, and where items have weights.

    >>> AMI.of(Contingency.from_table([[2, 0], [0, 2]])), AMI.of(Contingency.from_table([[1, 1], [1, 1]]))
    (array([1.]), array([-0.5]))
    """
    information = _information(table)
    mean = _mean(_entropy(table, "class"), _entropy(table, "cluster"), average)
    by_chance = _by_chance(table)
    several, shared, room = _what_chance_can_change(table, average)
    above = (information - by_chance).defined_with(several).defined_with(shared).defined_with(room)
    return above / (mean - by_chance).saying(NO_ROOM)


@measure(aliases=("homogeneity_score",), sklearn="homogeneity_score", cites="rosenberg2007")
def Homogeneity(table: Contingency) -> PerUnit:
    r"""Homogeneity: how much of what there is to know about classes the clusters tell.

    .. math:: 1 - \frac{H_{a|b}}{H_a} = \frac{I}{H_a}

    *I* is mutual information, :math:`H_a` the entropy of the classes, :math:`H_{a|b}` what is left of it if the cluster
    is known. 1 if no cluster has two classes. Undefined if there is one class only (others say 1 there).

    >>> Homogeneity.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 0.3919 / 1.0551
    array([0.3715])
    """
    return _information(table) / _entropy(table, "class").saying(ONE_CLASS)


@measure(aliases=("completeness_score",), sklearn="completeness_score", cites="rosenberg2007")
def Completeness(table: Contingency) -> PerUnit:
    r"""Completeness: how much of what there is to know about clusters the classes tell.

    .. math:: 1 - \frac{H_{b|a}}{H_b} = \frac{I}{H_b}

    Homogeneity with classes and clusters exchanged. 1 if no class is in two clusters. Undefined if there is one cluster
    only (others say 1 there).

    >>> Completeness.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 0.3919 / 1.0951
    array([0.3579])
    """
    return _information(table) / _entropy(table, "cluster").saying(ONE_CLUSTER)


@measure(aliases={"V": {}, "v_measure_score": {}}, sklearn="v_measure_score", cites="rosenberg2007")
def VMeasure(table: Contingency, *, beta: Beta = 1.0) -> PerUnit:
    r"""V-measure: the weighted harmonic mean of homogeneity and completeness.

    .. math:: \frac{(1 + \beta)\, h\, c}{\beta\, h + c} = \frac{(1 + \beta)\, I}{H_a + \beta\, H_b}

    *h* is homogeneity and *c* completeness. With beta above 1, completeness weighs more; it is beta, not its square.
    With beta 1 it is `NMI`, with `inf` completeness. Undefined for one class in one cluster (others say 1 there).

    >>> VMeasure.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # of 0.3715 and 0.3579
    array([0.3646])
    """
    weight = 1.0 if math.isinf(beta) else beta / (1 + beta)
    of_classes, of_clusters = _entropy(table, "class"), _entropy(table, "cluster")
    information = _information(table).defined_with((of_classes + of_clusters).saying(ONE_OF_EACH))
    return information / ((1 - weight) * of_classes + weight * of_clusters).saying(
        ONE_CLASS if weight < 1 else ONE_CLUSTER
    )


@measure(
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aliases=("VariationOfInformation", "SharedInformationDistance"),
    cites="meila2007",
)
def VI(table: Contingency, *, base: Base = math.e) -> PerUnit:
    r"""Variation of information: what clusters do not tell about classes, and classes not about clusters.

    .. math:: H_{a|b} + H_{b|a} = \sum_{jk} \frac{n_{jk}}{N} \Big( \ln \frac{a_j}{n_{jk}} + \ln \frac{b_k}{n_{jk}} \Big)

    In nats, or bits with base 2. 0 if classes and clusters are the same but for their names; it is a distance between
    two ways to divide items into groups, and ln *N* at most.

    >>> VI(base=2).of(Contingency.from_table([[1, 1], [1, 1]]))  # a bit each way
    array([2.])
    """
    cells = table.cells
    apart = cells.items * (np.log(cells.of_class / cells.items) + np.log(cells.of_cluster / cells.items))
    rows = cells_of(table, class_items=cells.of_class, cluster_items=cells.of_cluster, surprise=apart)
    rows = rows.meaning(surprise="items × (ln(class_items / items) + ln(cluster_items / items))")
    return _in_base(rows.sum("surprise") / rows.sum("items", NO_ITEM), base)


def _in_base(nats: PerUnit, base: float) -> PerUnit:
    return nats if base == math.e else nats / math.log(base)


def _information(table: Contingency) -> PerUnit:
    """Mutual information in nats."""
    cells = table.cells
    information = cells.items * np.log((cells.items / cells.of_class) * (table.items[cells.unit] / cells.of_cluster))
    rows = cells_of(table, class_items=cells.of_class, cluster_items=cells.of_cluster, information=information)
    rows = rows.meaning(information="items × ln(N × items / (class_items × cluster_items))")
    return (rows.sum("information") / rows.sum("items", NO_ITEM)).named("I")


def _entropy(table: Contingency, kind: str) -> PerUnit:
    """The entropy of classes or clusters, in nats."""
    rows = groups(kind, table.class_sizes if kind == "class" else table.cluster_sizes)
    total = rows.sum("items", NO_ITEM)
    # All items are the sum of this very column, so that the entropy of a single group is 0, whatever the weights are.
    rows = rows.with_columns(entropy=rows["items"] * np.log(total.values[rows.unit] / rows["items"]))
    rows = rows.meaning(entropy="items × ln(N / items)")
    return (rows.sum("entropy") / total).named("H(classes)" if kind == "class" else "H(clusters)")


def _mean(first: PerUnit, other: PerUnit, average: MeanName) -> PerUnit:
    if average == "arithmetic":
        return (first + other) / 2
    if average == "geometric":
        return (first * other).sqrt()
    return first.at_most(other) if average == "min" else first.at_least(other)


def _by_chance(table: Contingency) -> PerUnit:
    if table.is_weighted:
        return unknown("E", len(table.units), WEIGHTED)
    return quantity("E", expected_by_unit(table.class_sizes, table.cluster_sizes))


def _what_chance_can_change(table: Contingency, average: MeanName) -> tuple[PerUnit, PerUnit, PerUnit]:
    """0 where nothing is left to be known beyond chance: told by numbers of groups, as differences would be rounding.

    Chance always gives all the information of one side if that side is one group, or if the other has one item a group.
    """
    sides = (table.class_sizes, table.cluster_sizes)
    single_class, other = ((sizes > 0).sum(axis=1) <= 1 for sizes in sides)
    single, other_single = (sizes.max(axis=1) <= 1 for sizes in sides)
    settled = np.zeros(len(table.units), dtype=np.bool_)
    if average in {"min", "geometric"}:
        settled |= single_class | other
    if average == "min":
        settled |= single | other_single
    return (
        quantity("several classes or clusters", ~(single_class & other), when_zero=ONE_OF_EACH),
        quantity("some share a class or a cluster", ~(single & other_single), f"{NO_PAIR_AT_ALL} (1 by convention)"),
        quantity("chance can change it", ~settled, when_zero=NO_ROOM),
    )
