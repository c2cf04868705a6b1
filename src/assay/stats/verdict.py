"""From a difference, its intervals and its p-value to one word: the rules of the verdict, in their order."""

from __future__ import annotations

from math import isnan
from typing import Literal, NamedTuple, TypeAlias

from assay.stats.bootstrap import Interval
from assay.stats.digits import as_level

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
    untested: Interval | None = None,
) -> Verdict:
    """Apply the rules, in this order: identical, too few units, equivalent, better or worse, cannot tell.

    `narrow` is the interval at level 1 - 2 alpha, which lies within the margin if both one-sided tests of equivalence
    reject; `p` is corrected for the other comparisons of its family. Where there is no test, a difference is sure if 0
    lies outside of `untested`, the interval at level 1 - alpha, or wider for the other comparisons.

    >>> narrow = Interval(0.031, 0.067, level=0.9, method="bca")
    >>> str(verdict(difference=0.05, all_zero=False, units=50, narrow=narrow, p=0.001, margin=0.01))
    'better'
    >>> wide = Interval(0.011, 0.087, level=0.95, method="subsampling")
    >>> numbers = {"difference": 0.05, "all_zero": False, "units": 50, "narrow": narrow, "margin": 0.01}
    >>> verdict(**numbers, p=float("nan"), untested=wide)[:2]
    ('better', 'the 95% interval lies on one side of 0')
    """
    sure, said = p < alpha, f"p < {alpha:g}"
    if untested is not None:
        sure, said = untested.is_beside_zero, f"the {as_level(untested.level)} interval lies on one side of 0"
    if isnan(difference):
        return Verdict("cannot tell", "a system has no number")
    if all_zero:
        return Verdict("identical", "no unit differs")
    if units < FEWEST_UNITS:
        return Verdict("cannot tell", f"fewer than {FEWEST_UNITS} paired units")
    if narrow.is_known and -margin < narrow.low and narrow.high < margin:
        why = f"the {narrow.level:.0%} interval lies within the margin"
        return Verdict("equivalent", why, negligible=sure)
    if sure:
        return Verdict(_direction(difference, higher_is_better), said)
    return Verdict("cannot tell", _why_not(alpha, untested))


def _why_not(alpha: float, untested: Interval | None) -> str:
    if untested is None:
        return f"p is not below {alpha:g}"
    return f"0 lies in the {as_level(untested.level)} interval" if untested.is_known else "there is no interval"


def _direction(difference: float, higher_is_better: bool | None) -> Word:
    """What a sure difference is; of a number that is neither good nor bad, such as a count of topics, only higher."""
    if higher_is_better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == higher_is_better else "worse"
