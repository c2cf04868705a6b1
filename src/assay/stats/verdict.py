"""From a difference, its intervals and its p-value to one word: the rules of the verdict, in their order."""

from __future__ import annotations

from math import isnan
from typing import Literal, NamedTuple, TypeAlias

from assay.stats.bootstrap import Interval

Word: TypeAlias = Literal["identical", "equivalent", "better", "worse", "higher", "lower", "cannot tell"]

#: With fewer paired units than this, nothing is said about a difference.
FEWEST_UNITS = 5


class Verdict(NamedTuple):
    """What can be said about a difference.

    `why` names the rule that decided. `negligible`: the systems are equivalent, and yet surely differ a little.
    `unjudged`: so many documents have no judgment, and could change the sign of the difference; 0 if they could not.
    """

    word: Word
    why: str
    negligible: bool = False
    unjudged: int = 0

    def __str__(self) -> str:
        said = f"{self.word} (a real but negligible difference)" if self.negligible else self.word
        return f"{said}; depends on unjudged documents" if self.unjudged else said


def verdict(
    *,
    difference: float,
    all_zero: bool,
    units: int,
    narrow: Interval,
    p: float,
    margin: float,
    alpha: float = 0.05,
    higher_is_better: bool | None = True,
) -> Verdict:
    """Apply the rules, in this order: identical, too few units, equivalent, better or worse, cannot tell.

    `narrow` is the interval at level 1 - 2 alpha, which lies within the margin if both one-sided tests of equivalence
    reject; `p` is corrected for the other comparisons of its family.

    >>> narrow = Interval(0.031, 0.067, level=0.9, method="bca")
    >>> str(verdict(difference=0.05, all_zero=False, units=50, narrow=narrow, p=0.001, margin=0.01))
    'better'
    """
    if isnan(difference):
        return Verdict("cannot tell", "a system has no number")
    if all_zero:
        return Verdict("identical", "no unit differs")
    if units < FEWEST_UNITS:
        return Verdict("cannot tell", f"fewer than {FEWEST_UNITS} paired units")
    if narrow.is_known and -margin < narrow.low and narrow.high < margin:
        why = f"the {narrow.level:.0%} interval lies within the margin"
        return Verdict("equivalent", why, negligible=p < alpha)
    if p < alpha:
        return Verdict(_direction(difference, higher_is_better), f"p < {alpha:g}")
    return Verdict("cannot tell", f"p is not below {alpha:g}")


def _direction(difference: float, higher_is_better: bool | None) -> Word:
    """What a sure difference is; of a number that is neither good nor bad, such as a count of topics, only higher."""
    if higher_is_better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == higher_is_better else "worse"
