"""How far judges agree, on `Ratings`: beyond what chance would give, by one or another idea of chance.

Every number is a formula on sums over items, so that intervals come from drawing items anew, as everywhere.
"""

from __future__ import annotations

from itertools import accumulate, combinations
from typing import Annotated, Literal, TypeAlias, get_args

import numpy as np

from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.ratings import Ratings
from assay.measures.definition import Weights
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, quantity

ScaleName = Literal["nominal", "ordinal", "interval", "ratio"]
Scale: TypeAlias = Annotated[ScaleName, Choice(get_args(ScaleName))]

NO_PAIR = "no item has labels from two judges"
ONE_CATEGORY = "all labels are of one category: agreement by chance is certain"
#: Distances of every two categories are summed one by one: of more categories than this, that takes too long.
MOST_CATEGORIES = 30


@measure(aliases=("PercentAgreement", "Agree"), counted_as=None)
def Agreement(ratings: Ratings) -> PerUnit:
    r"""Percent agreement: of the pairs of judges of an item, the share that agrees, averaged over items.

    .. math:: \frac{1}{N} \sum_u \frac{\sum_k n_{uk} (n_{uk} - 1)}{m_u (m_u - 1)}

    :math:`n_{uk}`: labels of category *k* of item *u*; :math:`m_u`: its labels. Items with one label are left out. With
    two judges it is P(A), the share of items with the same label.

    >>> Agreement.per_unit(Ratings.from_labels([["a", "b", "b"], ["a", "b", "a"]])).pooled().values  # 2 / 3
    array([0.6667])
    """
    return _agreeing(ratings)


@measure(aliases=("Cohen", "CohenKappa"), bounds=(-1.0, 1.0), counted_as=None, cites="cohen1960")
def Kappa(ratings: Ratings, *, weights: Weights = "none") -> PerUnit:
    r"""Cohen's kappa of two judges: agreement beyond chance, where each judge keeps to their own shares of categories.

    .. math:: \frac{P(A) - P(E)}{1 - P(E)}, \quad P(E) = \sum_k \frac{a_k}{N} \frac{b_k}{N}

    :math:`a_k`, :math:`b_k`: items that the first and the second judge put in category *k*. For grades, `weights` make
    a disagreement worse the farther apart two categories are in their order: linearly, or by the square. Undefined
    where both judges put everything in one category.

    >>> ratings = Ratings.from_labels([["yes"] * 5 + ["no"] * 5, ["yes"] * 4 + ["no"] * 6])
    >>> Kappa.per_unit(ratings).pooled().values  # P(A) 9/10, P(E) (5*4 + 5*6)/100: (0.9 - 0.5) / 0.5
    array([0.8])
    """
    first, second = ratings.pair()
    both = first >= 0
    items = quantity("items", both, when_zero=NO_PAIR)
    if weights == "none":
        observed = (quantity("same label", both & (first == second)) / items).named("P(A)")
        expected = _dot([(_is(first, k), _is(second, k)) for k in range(len(ratings.categories))], ratings, items)
        return _beyond(observed, expected)
    apart = np.abs(first - second) ** (2 if weights == "quadratic" else 1)
    observed = (quantity("distance", np.where(both, apart, 0)) / items).named("observed distance")
    chance = _squared(first, second, both, items) if weights == "quadratic" else _linear(first, second, ratings, items)
    return 1.0 - observed / chance.saying(ONE_CATEGORY).named("distance by chance")


@measure(aliases=("Scott", "Pi"), bounds=(-1.0, 1.0), counted_as=None, cites="scott1955")
def ScottPi(ratings: Ratings) -> PerUnit:
    r"""Scott's pi of two judges: agreement beyond chance, where both share one distribution of categories.

    .. math:: \frac{P(A) - P(E)}{1 - P(E)}, \quad P(E) = \sum_k \left(\frac{a_k + b_k}{2N}\right)^2

    Textbooks on search also call this kappa (with pooled marginals).

    >>> ratings = Ratings.from_labels([["yes"] * 5 + ["no"] * 5, ["yes"] * 4 + ["no"] * 6])
    >>> ScottPi.per_unit(ratings).pooled().values  # P(A) 0.9, P(E) 0.45^2 + 0.55^2: (0.9 - 0.505) / 0.495
    array([0.798])
    """
    ratings.pair()  # refuses other numbers of judges
    return _of_one_distribution(ratings)


@measure(aliases=("Fleiss",), bounds=(-1.0, 1.0), counted_as=None, cites="fleiss1971")
def FleissKappa(ratings: Ratings) -> PerUnit:
    r"""Fleiss' kappa of several judges, who need not be the same for every item.

    .. math:: \frac{\bar P - P(E)}{1 - P(E)}, \quad P(E) = \sum_k p_k^2

    :math:`\bar P`: the share of agreeing pairs, averaged over items; :math:`p_k`: the share of all labels that is of
    category *k*. Items with one label are left out. Undefined where all labels are of one category.

    >>> ratings = Ratings.from_labels([["a", "a"], ["a", "b"], ["a", "b"]])
    >>> FleissKappa.per_unit(ratings).pooled().values  # mean of 1 and 1/3; 1 - chance (4/6)^2 + (2/6)^2
    array([0.25])
    """
    return _of_one_distribution(ratings)


@measure(aliases=("Krippendorff", "KrippendorffAlpha"), bounds=(-1.0, 1.0), counted_as=None, cites="krippendorff2004")
def Alpha(ratings: Ratings, *, scale: Scale = "nominal") -> PerUnit:
    r"""Krippendorff's alpha: of several judges, with labels missing, on any scale.

    .. math:: 1 - \frac{D_o}{D_e}, \quad
        D_o = \sum_u \frac{1}{m_u - 1} \sum_{i \ne j} \delta^2(v_{ui}, v_{uj}), \quad
        D_e = \frac{1}{n - 1} \sum_{c, k} n_c n_k \delta^2(c, k)

    :math:`n`: all labels of items that have two or more. The distance :math:`\delta` of two different labels is 1
    (`nominal`), the labels that lie between them (`ordinal`), their difference (`interval`), or that over their sum
    (`ratio`). Undefined where all labels are of one category.

    >>> ratings = Ratings.from_labels([[1, 2, 3, 3], [1, 2, 3, 4]])
    >>> Alpha.per_unit(ratings).pooled().values, Alpha(scale="interval").per_unit(ratings).pooled().values
    (array([0.6957]), array([0.8889]))
    """
    labels, counts = _of_several(ratings)
    every = quantity("labels", labels, when_zero=NO_PAIR)
    if scale in {"nominal", "interval"}:
        observed, expected = _nominal(labels, counts) if scale == "nominal" else _moments(labels, counts, ratings)
    else:
        observed, expected = _by_pairs(labels, counts, ratings, scale)
    chance = (expected / (every - 1.0)).saying(ONE_CATEGORY)
    return 1.0 - observed.named("observed disagreement") / chance.named("disagreement by chance")


@measure(aliases=("GwetAC1", "AC"), bounds=(-1.0, 1.0), counted_as=None, cites="gwet2008")
def AC1(ratings: Ratings) -> PerUnit:
    r"""Gwet's AC1 of several judges: chance is guessing where an item is hard, so that rare categories do not lower it.

    .. math:: \frac{\bar P - P(E)}{1 - P(E)}, \quad P(E) = \frac{1}{K - 1} \sum_k \pi_k (1 - \pi_k)

    :math:`\pi_k`: the mean over items of the share of their labels that is of category *k*; *K*: how many categories
    there are. With one category only it is undefined.

    >>> ratings = Ratings.from_labels([["yes"] * 5 + ["no"] * 5, ["yes"] * 4 + ["no"] * 6])
    >>> AC1.per_unit(ratings).pooled().values  # P(E) = 2 * 0.45 * 0.55: (0.9 - 0.495) / 0.505
    array([0.802])
    """
    return _gwet(ratings, np.eye(len(ratings.categories)))


@measure(aliases=("GwetAC2",), bounds=(-1.0, 1.0), counted_as=None, cites="gwet2008")
def AC2(ratings: Ratings, *, weights: Weights = "quadratic") -> PerUnit:
    r"""Gwet's AC2: AC1 for grades, where neighbouring ones agree in part, by linear or quadratic weights.

    .. math:: \frac{\bar P_w - P_w(E)}{1 - P_w(E)}, \quad
        P_w(E) = \frac{\sum_{kl} w_{kl}}{K (K - 1)} \sum_k \pi_k (1 - \pi_k)

    :math:`w_{kl} = 1 - (v_k - v_l)^2 / (v_{max} - v_{min})^2`, or the same without squares (`linear`).

    >>> ratings = Ratings.from_labels([[0, 1, 2], [0, 1, 1]])
    >>> AC2.per_unit(ratings).pooled().values  # P(A) 2.75 / 3, P(E) 11/18: (0.9167 - 0.6111) / 0.3889
    array([0.7857])
    """
    values = ratings.values
    width = float(np.ptp(values)) or 1.0
    apart = np.abs(values[:, None] - values[None, :]) / width
    kept = np.eye(len(values)) if weights == "none" else 1 - (apart**2 if weights == "quadratic" else apart)
    return _gwet(ratings, kept)


@measure(aliases=("PosAgree",), counted_as=None, cites="cicchetti1990")
def PositiveAgreement(ratings: Ratings) -> PerUnit:
    r"""Positive agreement: where one judge says relevant, how often another one does, too.

    .. math:: \frac{\sum_u r_u (r_u - 1)}{\sum_u r_u (m_u - 1)}

    :math:`r_u`: labels of item *u* that say relevant. With two judges it is :math:`2a / (2a + b + c)`.

    >>> PositiveAgreement.per_unit(Ratings.from_labels([[1, 1, 0, 0], [1, 0, 0, 0]])).pooled().values  # 2 / 3
    array([0.6667])
    """
    return _specific(ratings, ratings.relevant, "no judge says relevant")


@measure(aliases=("NegAgree",), counted_as=None, cites="cicchetti1990")
def NegativeAgreement(ratings: Ratings) -> PerUnit:
    r"""Negative agreement: where one judge says not relevant, how often another one does, too.

    .. math:: \frac{\sum_u s_u (s_u - 1)}{\sum_u s_u (m_u - 1)}

    :math:`s_u`: labels of item *u* that say not relevant.

    >>> NegativeAgreement.per_unit(Ratings.from_labels([[1, 1, 0, 0], [1, 0, 0, 0]])).pooled().values  # 4 / 5
    array([0.8])
    """
    return _specific(ratings, ~ratings.relevant, "no judge says not relevant")


@measure(aliases=("Jaccard",), counted_as=None, cites="voorhees2000")
def Overlap(ratings: Ratings) -> PerUnit:
    r"""Overlap: of the items that some judge finds relevant, the share that all of its judges do.

    .. math:: \frac{|R_1 \cap R_2 \cap \ldots|}{|R_1 \cup R_2 \cup \ldots|}

    Items with one label are left out.

    >>> Overlap.per_unit(Ratings.from_labels([[1, 1, 0], [1, 0, 0]])).pooled().values  # 1 / 2
    array([0.5])
    """
    labels, counts = _of_several(ratings)
    hits = counts[:, ratings.relevant].sum(axis=1)
    every = (labels > 0) & (hits == labels)
    some = hits > 0
    return quantity("relevant to all", every) / quantity("relevant to some", some, "no judge says relevant")


def _of_several(ratings: Ratings) -> tuple[Ints, Ints]:
    """Labels and counts by category of the items that two judges or more labelled; 0 for the others."""
    labels = ratings.labels_of_item
    several = labels > 1
    return np.where(several, labels, 0), np.where(several[:, None], ratings.counts, 0)


def _agreeing(ratings: Ratings) -> PerUnit:
    labels, counts = _of_several(ratings)
    pairs = np.maximum(labels * (labels - 1), 1)
    share = (counts * (counts - 1)).sum(axis=1) / pairs
    return (quantity("share of agreeing pairs", share) / quantity("items", labels > 1, NO_PAIR)).named("P(A)")


def _of_one_distribution(ratings: Ratings) -> PerUnit:
    """Agreement beyond chance, where all labels are drawn from one distribution of categories."""
    labels, counts = _of_several(ratings)
    every = quantity("labels", labels, when_zero=NO_PAIR)
    shares = [quantity(f"labels {name}", counts[:, k]) / every for k, name in enumerate(ratings.categories)]
    return _beyond(_agreeing(ratings), _sum([share * share for share in shares]).named("P(E)"))


def _beyond(observed: PerUnit, expected: PerUnit) -> PerUnit:
    return (observed - expected) / (1.0 - expected).saying(ONE_CATEGORY)


def _is(labels: Ints, category: int) -> Floats:
    chosen: Floats = (labels == category).astype(np.float64)
    return chosen


def _dot(pairs: list[tuple[Floats, Floats]], ratings: Ratings, items: PerUnit) -> PerUnit:
    """Agreement by chance: the sum of products of both judges' shares."""
    terms = [
        quantity(f"first {name}", ours) / items * (quantity(f"second {name}", theirs) / items)
        for name, (ours, theirs) in zip(ratings.categories, pairs, strict=True)
    ]
    return _sum(terms).named("P(E)")


def _squared(first: Ints, second: Ints, both: Mask, items: PerUnit) -> PerUnit:
    """The mean squared distance of two labels drawn apart: from the moments of both judges."""
    squares = quantity("squares", np.where(both, first**2 + second**2, 0)) / items
    means = [quantity(name, np.where(both, labels, 0)) / items for name, labels in (("a", first), ("b", second))]
    return squares - 2.0 * (means[0] * means[1])


def _linear(first: Ints, second: Ints, ratings: Ratings, items: PerUnit) -> PerUnit:
    """The mean distance of two labels drawn apart: for each step of the scale, how often it lies between them."""
    steps = []
    for step in range(len(ratings.categories) - 1):
        ours, theirs = (
            quantity(f"{who} up to {ratings.categories[step]}", (labels >= 0) & (labels <= step)) / items
            for who, labels in (("first", first), ("second", second))
        )
        steps.append(ours * (1.0 - theirs) + theirs * (1.0 - ours))
    return _sum(steps) if steps else quantity("nothing", np.zeros(len(first)))


def _nominal(labels: Ints, counts: Ints) -> tuple[PerUnit, PerUnit]:
    different = (labels**2 - (counts**2).sum(axis=1)) / np.maximum(labels - 1, 1)
    every = quantity("labels", labels)
    same = [quantity("category", counts[:, k]) for k in range(counts.shape[1])]
    return quantity("disagreeing pairs", different), every * every - _sum([part * part for part in same])


def _moments(labels: Ints, counts: Ints, ratings: Ratings) -> tuple[PerUnit, PerUnit]:
    """Squared differences from sums and sums of squares: about the middle of the scale, so that nothing cancels."""
    values = ratings.values - ratings.values.mean()
    total = counts @ values
    squares = counts @ values**2
    different = 2 * (labels * squares - total**2) / np.maximum(labels - 1, 1)
    every, sums = quantity("labels", labels), quantity("sum", total)
    return quantity("squared differences", different), 2.0 * (every * quantity("squares", squares) - sums * sums)


def _by_pairs(labels: Ints, counts: Ints, ratings: Ratings, scale: str) -> tuple[PerUnit, PerUnit]:
    """Distances of every two categories, which on an ordinal scale are made of all labels, category by category."""
    width = len(ratings.categories)
    if width > MOST_CATEGORIES:
        raise ParameterError(
            f"a scale of {width} categories is too long for scale={scale!r} (up to {MOST_CATEGORIES}): use 'interval'"
        )
    if scale == "ratio" and (ratings.values < 0).any():
        raise ParameterError("a ratio scale has no labels below 0")
    sizes = [quantity(f"labels {name}", counts[:, k]) for k, name in enumerate(ratings.categories)]
    below = accumulate(sizes)
    places = [up_to - 0.5 * size for up_to, size in zip(below, sizes, strict=True)]
    observed, expected = [], []
    for low, high in combinations(range(width), 2):
        distance: PerUnit | float
        if scale == "ordinal":
            apart = places[high] - places[low]
            distance = apart * apart
        else:
            low_value, high_value = ratings.values[[low, high]]
            distance = float(((high_value - low_value) / (high_value + low_value)) ** 2)
        coincident = 2 * counts[:, low] * counts[:, high] / np.maximum(labels - 1, 1)
        observed.append(distance * quantity("coincidences", coincident))
        expected.append(distance * (2.0 * (sizes[low] * sizes[high])))
    nothing = quantity("nothing", np.zeros(len(labels)))
    return _sum([*observed, nothing]), _sum([*expected, nothing])


def _sum(parts: list[PerUnit]) -> PerUnit:
    """All parts added up, two by two, so that no formula is deeper than it must be."""
    while len(parts) > 1:
        odd = parts[len(parts) // 2 * 2 :]
        parts = [*(first + second for first, second in zip(parts[::2], parts[1::2], strict=False)), *odd]
    return parts[0]


def _gwet(ratings: Ratings, weights: Floats) -> PerUnit:
    labels, counts = _of_several(ratings)
    width = len(ratings.categories)
    if width < 2:
        raise ParameterError("AC1 and AC2 need at least two categories: state all that there are")
    weighted = counts @ weights
    share = (counts * (weighted - 1)).sum(axis=1) / np.maximum(labels * (labels - 1), 1)
    observed = (quantity("share of agreeing pairs", share) / quantity("items", labels > 1, NO_PAIR)).named("P(A)")
    every = ratings.labels_of_item
    items = quantity("labelled items", every > 0, when_zero=NO_PAIR)
    parts = []
    for k, name in enumerate(ratings.categories):
        part = quantity(f"shares {name}", ratings.counts[:, k] / np.maximum(every, 1)) / items
        parts.append(part * (1.0 - part))
    expected = (float(weights.sum()) / (width * (width - 1))) * _sum(parts)
    return _beyond(observed, expected.named("P(E)"))


def _specific(ratings: Ratings, chosen: Mask, nobody: str) -> PerUnit:
    labels, counts = _of_several(ratings)
    these = counts[:, chosen].sum(axis=1)
    agreeing = quantity("agreeing pairs", these * (these - 1))
    return agreeing / quantity("pairs", these * np.maximum(labels - 1, 0), when_zero=nobody)
