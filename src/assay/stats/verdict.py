"""The rules of the verdict, and corrections for several comparisons."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from math import isnan
from string import ascii_lowercase
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from assay.core.digits import as_level
from assay.core.domains import Choice
from assay.core.errors import number_of
from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import Interval
from assay.stats.permutation import Outcome
from assay.stats.tests import COUNTING

#: What does not fit together: the test points away from the difference; the interval excludes 0, but the test finds
#: nothing; or the test finds a difference, but the interval includes 0.
Conflict: TypeAlias = Literal["direction", "interval only", "test only"]

Word: TypeAlias = Literal["identical", "equivalent", "better", "worse", "higher", "lower", "inconclusive"]

_ASIDES: dict[Conflict, str] = {
    "direction": ", but the test and the difference point in different ways",
    "interval only": ", although the interval excludes 0",
    "test only": ", although the interval includes 0",
}

#: The work to cite for equivalence, by its key in the bibliography.
CITES = "schuirmann1987"
#: With fewer paired units than this, nothing is said about a difference.
FEWEST_UNITS = 5
#: Nor is anything, where one system has no value on more than this share of the units that the other has one on.
MOST_WITHHELD = 0.05


class FindingVerdict(NamedTuple):
    """The verdict on a difference.

    `why` names the rule that decided. `negligible`: the systems are equivalent, and yet surely differ a little.
    `unjudged`: so many documents have no judgment, and could change the sign of the difference; 0 if they could not.
    `conflict`: how the test, the interval and the difference do not fit together, if they do not. `incomparable`: there
    is no verdict, as one system has no value on too many of the units that the other has one on.
    """

    word: Word
    why: str
    negligible: bool = False
    unjudged: int = 0
    conflict: Conflict | None = None
    incomparable: bool = False

    def __str__(self) -> str:
        if self.incomparable:
            return f"cannot be compared: {self.why}"
        said = f"{self.word} (a real but negligible difference)" if self.negligible else self.word
        return f"{said}; depends on unjudged documents" if self.unjudged else said


def verdict(
    *,
    difference: float,
    all_zero: bool,
    units: int,
    interval: Interval,
    narrow: Interval,
    p: float,
    margin: float,
    sign: int | None = None,
    alpha: float = 0.05,
    higher_is_better: bool | None = True,
    untested: Interval | None = None,
    one_sided: str = "",
    incomparable: str = "",
) -> FindingVerdict:
    """Apply the rules, in this order: identical, too few units, equivalent, better or worse, inconclusive.

    `interval` is the one at level 1 - alpha; `narrow`, at level 1 - 2 alpha, lies within the margin if both one-sided
    tests of equivalence reject. `p` is corrected for the other comparisons of its family, and `sign` says which way the
    test points (see `Outcome`): a difference is sure only if it points the same way. Where there is no test, it is sure
    if 0 lies outside of `untested`, the interval at level 1 - alpha, or wider for the other comparisons.
    Systems are not identical if one of them has a value where the other has none: `one_sided` says where.
    There is no verdict at all where one system has no value on many units that the other has one on: `incomparable`
    says so.

    >>> ends = {"interval": Interval(0.027, 0.071, 0.95, "bca"), "narrow": Interval(0.031, 0.067, 0.9, "bca")}
    >>> numbers = {"difference": 0.05, "all_zero": False, "units": 50, "margin": 0.01, **ends}
    >>> str(verdict(**numbers, p=0.001)), str(verdict(**numbers, p=0.001, sign=-1))
    ('better', 'inconclusive')
    >>> verdict(**numbers, p=float("nan"), untested=Interval(0.011, 0.087, 0.95, "subsampling"))[:2]
    ('better', 'the 95% interval lies on one side of 0')
    """
    sure = p < alpha
    said = f"p < {alpha:g}"
    if untested is not None:
        sure = untested.is_beside_zero
        said = f"the {as_level(untested.level)} interval lies on one side of 0"
    conflict = _conflict(sure, interval, difference, sign)
    if isnan(difference):
        return FindingVerdict("inconclusive", "a system has no number")
    if incomparable:
        return FindingVerdict("inconclusive", incomparable, incomparable=True)
    if all_zero:
        return (
            FindingVerdict("inconclusive", one_sided) if one_sided else FindingVerdict("identical", "no unit differs")
        )
    if units < FEWEST_UNITS:
        return FindingVerdict("inconclusive", f"fewer than {FEWEST_UNITS} units")
    if narrow.is_known and -margin < narrow.low and narrow.high < margin:
        why = f"the {as_level(narrow.level)} interval lies within the margin"
        return FindingVerdict("equivalent", why, negligible=sure, conflict=conflict)
    why = f"{said if sure else _why_not(alpha, untested)}{_ASIDES[conflict] if conflict else ''}"
    told_apart = sure and conflict != "direction"
    word = _direction(difference, higher_is_better) if told_apart else "inconclusive"
    return FindingVerdict(word, why, conflict=conflict)


def _conflict(sure: bool, interval: Interval, difference: float, sign: int | None) -> Conflict | None:
    if sure and (difference == 0 or (sign is not None and sign * difference <= 0)):
        return "direction"
    if sure == interval.is_beside_zero or not interval.is_known:
        return None
    return "test only" if sure else "interval only"


def _why_not(alpha: float, untested: Interval | None) -> str:
    if untested is None:
        return f"p is not below {alpha:g}"
    return f"0 lies in the {as_level(untested.level)} interval" if untested.is_known else "there is no interval"


def _direction(difference: float, higher_is_better: bool | None) -> Word:
    """The direction of a sure difference; of a number that is neither good nor bad, such as a count, only higher."""
    if higher_is_better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == higher_is_better else "worse"


#: The corrections by name.
CORRECTIONS = ("none", "bonferroni", "holm", "benjamini-hochberg")
#: The works to cite for them, by their keys in the bibliography.
CITES_OF_CORRECTIONS = {"bonferroni": ("dunn1961",), "holm": ("holm1979",), "benjamini-hochberg": ("benjamini1995",)}
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
    ascending = p[order]
    size = len(order)
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
    return 2 / 2**units if outcome.test in COUNTING else 0.0


def out_of_reach(outcomes: Sequence[Outcome], units: int, family: int, alpha: float) -> str | None:
    """The reason why no difference of a family can be significant: even the smallest p-value is too large.

    >>> out_of_reach([Outcome("permutation", 0.1, 0.0625)], units=5, family=10, alpha=0.05)
    'no difference can be significant: over 10 comparisons, the smallest corrected p-value of this test is 0.62'
    """
    least = family * min(smallest_p(outcome, units) for outcome in outcomes)
    if least < alpha:
        return None
    over = number_of("comparison", family)
    smallest = f"the smallest corrected p-value of this test is {min(least, 1):.2g}"
    return f"no difference can be significant: over {over}, {smallest}"


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
