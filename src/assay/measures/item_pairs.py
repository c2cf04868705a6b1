"""Measures of a clustering against known classes by pairs of items: together in both, in one, in none."""

from __future__ import annotations

from typing import NamedTuple

from assay.measures.counting.contingency import Contingency
from assay.measures.definition import Beta
from assay.measures.partitions import NO_ITEM, cells_of
from assay.measures.registry import measure
from assay.measures.sets import square_of_beta
from assay.measures.steps import PerUnit, quantity

NO_PAIR_IN_CLUSTER = "no two items share a cluster"
NO_PAIR_IN_CLASS = "no two items share a class"
NO_PAIR_AT_ALL = "no two items share a class or a cluster"
ONE_ITEM = "there is one item only"
ONE_OF_EACH = "one class and one cluster (1 by convention)"


@measure(bounds=None, aliases=("PairTruePositives",))
def PairTP(table: Contingency) -> PerUnit:
    r"""Pairs of items that share both a class and a cluster: rightly put together.

    .. math:: TP = \sum_{jk} \frac{n_{jk} (n_{jk} - 1)}{2}

    :math:`n_{jk}` is how many items of class *j* are in cluster *k*. A pair counts once, whatever the order of its
    items. Where items have weights, a pair weighs the product of both.

    >>> PairTP.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 10 + 1 + 6 + 3
    array([20.])
    """
    return _by_cell(table, "TP")


@measure(bounds=None, higher_is_better=False, aliases=("PairFalsePositives",))
def PairFP(table: Contingency) -> PerUnit:
    r"""Pairs of items of one cluster, but of different classes: wrongly put together.

    .. math:: FP = \sum_k \frac{b_k (b_k - 1)}{2} - TP

    :math:`b_k` is how many items cluster *k* has.

    >>> PairFP.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 15 + 15 + 10 - 20
    array([20.])
    """
    return _by_cell(table, "FP")


@measure(bounds=None, higher_is_better=False, aliases=("PairFalseNegatives",))
def PairFN(table: Contingency) -> PerUnit:
    r"""Pairs of items of one class, but of different clusters: wrongly kept apart.

    .. math:: FN = \sum_j \frac{a_j (a_j - 1)}{2} - TP

    :math:`a_j` is how many items class *j* has.

    >>> PairFN.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 28 + 10 + 6 - 20
    array([24.])
    """
    return _by_cell(table, "FN")


@measure(bounds=None, aliases=("PairTrueNegatives",))
def PairTN(table: Contingency) -> PerUnit:
    r"""Pairs of items that share neither a class nor a cluster: rightly kept apart.

    .. math:: TN = \frac{N (N - 1)}{2} - TP - FP - FN

    >>> PairTN.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 136 - 20 - 20 - 24
    array([72.])
    """
    return _by_cell(table, "TN")


@measure(aliases=("PairP",))
def PairPrecision(table: Contingency) -> PerUnit:
    r"""Pair precision: of the pairs of items that share a cluster, the share that also have one class.

    .. math:: \frac{TP}{TP + FP}

    Undefined if no two items share a cluster.

    >>> PairPrecision.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 20 / 40
    array([0.5])
    """
    return _precision(_pairs(table))


@measure(aliases=("PairR",))
def PairRecall(table: Contingency) -> PerUnit:
    r"""Pair recall: of the pairs of items that have one class, the share that also share a cluster.

    .. math:: \frac{TP}{TP + FN}

    Undefined if no two items share a class.

    >>> PairRecall.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 20 / 44
    array([0.4545])
    """
    return _recall(_pairs(table))


@measure(aliases={"PairF1": {}, "PairFBeta": {}, "PairF5": {"beta": 5.0}, "PairF0.5": {"beta": 0.5}})
def PairF(table: Contingency, *, beta: Beta = 1.0) -> PerUnit:
    r"""F of pair precision and pair recall: their weighted harmonic mean.

    .. math:: \frac{(1 + \beta^2)\, TP}{(1 + \beta^2)\, TP + \beta^2 FN + FP}

    With beta above 1, recall weighs more: keeping two alike apart is then worse than putting two unlike together.
    Undefined if no two items share a class or a cluster.

    >>> PairF.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 40 / (40 + 24 + 20)
    array([0.4762])
    >>> PairF(beta=5).of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 520 / (520 + 600 + 20)
    array([0.4561])
    """
    pairs = _pairs(table)
    if (square := square_of_beta(beta)) is None:
        return _recall(pairs)
    together = (1 + square) * pairs.tp
    neither = NO_PAIR_AT_ALL if square else NO_PAIR_IN_CLUSTER
    return together / (together + square * pairs.fn + pairs.fp).saying(neither)


@measure(aliases=("RandIndex", "RI", "rand_score"), sklearn="rand_score", cites="rand1971")
def Rand(table: Contingency) -> PerUnit:
    r"""Rand index: the share of all pairs of items that are rightly put together or rightly kept apart.

    .. math:: \frac{TP + TN}{TP + FP + FN + TN}

    Most pairs are to be kept apart if there are many classes, so it is high for nearly any clustering with many
    clusters; `ARI` takes off what chance would give. Undefined for a single item.

    >>> Rand.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # (20 + 72) / 136
    array([0.6765])
    """
    tp, fp, fn, tn = _pairs(table)
    return (tp + tn) / (tp + fp + fn + tn).saying(ONE_ITEM)


@measure(
    cites="hubert1985",
    bounds=(-1.0, 1.0),
    aliases=("AdjustedRand", "AdjustedRandIndex", "adjusted_rand_score"),
    sklearn="adjusted_rand_score",
)
def ARI(table: Contingency) -> PerUnit:
    r"""Adjusted Rand index: the Rand index beyond what chance gives to clusters and classes of these sizes.

    .. math:: \frac{2\, (TP \cdot TN - FN \cdot FP)}{(TP + FN) (FN + TN) + (TP + FP) (FP + TN)}

    1 if classes and clusters are the same but for their names, around 0 for clusters at random, and not below -0.5
    unless items have weights. It is Cohen's kappa of the pairs. Undefined if all items are in one class and one
    cluster, and if no two share either. (Others say 1 there, by convention.)

    >>> ARI.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # 2 (20 * 72 - 24 * 20) / (44 * 96 + 40 * 92)
    array([0.2429])
    """
    tp, fp, fn, tn = _pairs(table)
    above = (2 * (tp * tn - fn * fp)).defined_with((fp + fn + tn).saying(ONE_OF_EACH))
    above = above.defined_with((tp + fp + fn).saying(f"{NO_PAIR_AT_ALL} (1 by convention)"))
    return above / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


@measure(
    aliases=("FMI", "FowlkesMallowsIndex", "fowlkes_mallows_score"),
    sklearn="fowlkes_mallows_score",
    cites="fowlkes1983",
)
def FowlkesMallows(table: Contingency) -> PerUnit:
    r"""Fowlkes-Mallows index: the geometric mean of pair precision and pair recall.

    .. math:: \sqrt{\frac{TP}{TP + FP} \cdot \frac{TP}{TP + FN}}

    Undefined if no two items share a cluster, or no two share a class.

    >>> FowlkesMallows.of(Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]]))  # sqrt(20/40 * 20/44)
    array([0.4767])
    """
    pairs = _pairs(table)
    return (_precision(pairs).named("pair precision") * _recall(pairs).named("pair recall")).sqrt()


class _Pairs(NamedTuple):
    """The four counts of pairs, as the leaves of formulas."""

    tp: PerUnit
    fp: PerUnit
    fn: PerUnit
    tn: PerUnit


def _pairs(table: Contingency) -> _Pairs:
    """The four counts; `PairTP` and its like show the cells that they are added up from."""
    tp, *others = (quantity(name, each) for name, each in zip(_MEANINGS, table.pairs, strict=True))
    if not table.items.all():  # items are in no formula, so they are not shown where there are some
        tp = tp.defined_with(quantity("items", table.items, when_zero=NO_ITEM))
    return _Pairs(tp, *others)


_MEANINGS = {
    "TP": "pairs within the cell",
    "FP": "half of the pairs with the other items of the cluster",
    "FN": "half of the pairs with the other items of the class",
    "TN": "half of the pairs with items of other classes and clusters",
}


def _by_cell(table: Contingency, name: str) -> PerUnit:
    """Pairs by cell: those within it, and half of those with another one, so that none counts twice."""
    each = dict(zip(_MEANINGS, table.pairs_of_cells, strict=True))[name]
    return cells_of(table, **{name: each}).meaning(**{name: _MEANINGS[name]}).sum(name)


def _precision(pairs: _Pairs) -> PerUnit:
    return pairs.tp / (pairs.tp + pairs.fp).saying(NO_PAIR_IN_CLUSTER)


def _recall(pairs: _Pairs) -> PerUnit:
    return pairs.tp / (pairs.tp + pairs.fn).saying(NO_PAIR_IN_CLASS)
