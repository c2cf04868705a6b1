"""Corrections of p-values for the number of comparisons they are a family of.

Bonferroni's and Holm's keep the chance of even one false alarm below alpha; Benjamini and Hochberg's keeps the expected
share of false alarms among the alarms below it. Of many systems, letters then tell which cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from string import ascii_lowercase

import numpy as np

from assay.core.domains import Choice
from assay.core.errors import number_of
from assay.measures.counting.judgments import Floats
from assay.stats.permutation import Outcome

#: The corrections by name.
CORRECTIONS = ("none", "bonferroni", "holm", "benjamini-hochberg")
#: The works to cite for them, by their keys in the bibliography.
CITES = {"bonferroni": ("dunn1961",), "holm": ("holm1979",), "benjamini-hochberg": ("benjamini1995",)}
#: How many random swaps are drawn, at least and at most.
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 100_000, 1_000_000


def corrected(p: Floats, method: str) -> Floats:
    """Correct a family of p-values, in the order given; a NaN is no member of the family and stays NaN.

    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm")  # 3 x 0.01, 2 x 0.03, at least as much as the one before
    array([0.03, 0.06, 0.06])
    """
    Choice(CORRECTIONS).check("correction", method)
    members = np.flatnonzero(~np.isnan(p))
    order = members[np.argsort(p[members], kind="stable")]
    ascending, size = p[order], len(order)
    places = np.arange(1, size + 1)
    if method == "bonferroni":
        ascending = ascending * size
    elif method == "holm":
        ascending = np.maximum.accumulate(ascending * (size + 1 - places))
    elif method == "benjamini-hochberg":
        ascending = np.minimum.accumulate((ascending * size / places)[::-1])[::-1]
    result = np.full(len(p), np.nan)
    result[order] = np.minimum(ascending, 1.0)
    return result


def corrected_as_stated(p: Floats, method: str) -> Floats:
    """Correct over the family as it was stated: a comparison without a p-value is a member, and keeps having none.

    >>> corrected_as_stated(np.array([0.01, np.nan]), "bonferroni")
    array([0.02,  nan])
    """
    return np.where(np.isnan(p), np.nan, corrected(np.where(np.isnan(p), 1.0, p), method))


def resamples_for(pairs: int, alpha: float) -> int:
    """Enough swaps for the smallest p-value to stay well below alpha after a correction over so many pairs.

    >>> resamples_for(1, 0.05), resamples_for(8256, 0.05)
    (100000, 495360)
    """
    return min(max(_FEWEST_RESAMPLES, int(np.ceil(3 * pairs / alpha))), _MOST_RESAMPLES)


def smallest_p(outcome: Outcome, units: int) -> float:
    """The smallest p-value that a test can give: those that count swaps, signs or resamples cannot give any.

    >>> smallest_p(Outcome("permutation", 0.1, 0.5, resamples=None), units=5), smallest_p(Outcome("t", 2.1, 0.04), 5)
    (0.0625, 0.0)
    """
    if outcome.resamples is not None:
        return 1 / (outcome.resamples + 1)
    return 2 / 2**units if outcome.test in {"permutation", "sign", "wilcoxon"} else 0.0


def out_of_reach(outcomes: Sequence[Outcome], units: int, family: int, alpha: float) -> str | None:
    """Why no pair of a family could be told apart, whatever the data: the smallest p-value, corrected, is too large.

    >>> out_of_reach([Outcome("permutation", 0.1, 0.0625)], units=5, family=10, alpha=0.05)
    'no pair could be told apart: over 10 comparisons, the smallest corrected p-value that this test can give is 0.62'
    """
    least = family * min(smallest_p(outcome, units) for outcome in outcomes)
    if least < alpha:
        return None
    over = number_of("comparison", family)
    return (
        f"no pair could be told apart: over {over}, the smallest corrected p-value that this test can give is "
        f"{min(least, 1):.2g}"
    )


def groups(systems: int, apart: Collection[tuple[int, int]]) -> list[tuple[str, ...]]:
    """Give each system, in the order of their numbers, its letters; systems that share one cannot be told apart.

    `apart` lists the pairs that can. A group is a longest stretch of neighbours none of whom can be told from another,
    so that two systems that cannot be told apart share no letter if somebody between them stands out.

    >>> groups(4, [(0, 2), (0, 3)])
    [('a',), ('a', 'b'), ('b',), ('b',)]
    """
    # The nearest system further down that each one can be told from: a stretch ends before it.
    stands_out = [systems] * systems
    for one, other in apart:
        first, second = sorted((one, other))
        stands_out[first] = min(stands_out[first], second)
    stretches: list[range] = []
    for first in range(systems):
        end = min(stands_out[first:])
        if not stretches or end > stretches[-1].stop:
            stretches.append(range(first, end))
    names = _letters(len(stretches))
    return [
        tuple(name for name, stretch in zip(names, stretches, strict=True) if system in stretch)
        for system in range(systems)
    ]


def _letters(count: int) -> list[str]:
    """a to z, then aa, ab, …."""
    names = list(ascii_lowercase)
    length = 2
    while len(names) < count:
        names += ["".join(letters) for letters in product(ascii_lowercase, repeat=length)]
        length += 1
    return names[:count]
