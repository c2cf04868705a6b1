"""From a difference, its intervals and its p-value to one word: the rules of the verdict, in their order."""

from __future__ import annotations

from math import isnan
from typing import Literal, NamedTuple, TypeAlias

from assay.core.digits import as_level
from assay.stats.bootstrap import Interval

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


class FindingVerdict(NamedTuple):
    """What can be said about a difference.

    `why` names the rule that decided. `negligible`: the systems are equivalent, and yet surely differ a little.
    `unjudged`: so many documents have no judgment, and could change the sign of the difference; 0 if they could not.
    `conflict`: how the test, the interval and the difference do not fit together, if they do not.
    """

    word: Word
    why: str
    negligible: bool = False
    unjudged: int = 0
    conflict: Conflict | None = None

    def __str__(self) -> str:
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
) -> FindingVerdict:
    """Apply the rules, in this order: identical, too few units, equivalent, better or worse, inconclusive.

    `interval` is the one at level 1 - alpha; `narrow`, at level 1 - 2 alpha, lies within the margin if both one-sided
    tests of equivalence reject. `p` is corrected for the other comparisons of its family, and `sign` says which way the
    test points (see `Outcome`): a difference is sure only if it points the same way. Where there is no test, it is sure
    if 0 lies outside of `untested`, the interval at level 1 - alpha, or wider for the other comparisons.
    Systems are not identical if one of them has a value where the other has none: `one_sided` says where.

    >>> ends = {"interval": Interval(0.027, 0.071, 0.95, "bca"), "narrow": Interval(0.031, 0.067, 0.9, "bca")}
    >>> numbers = {"difference": 0.05, "all_zero": False, "units": 50, "margin": 0.01, **ends}
    >>> str(verdict(**numbers, p=0.001)), str(verdict(**numbers, p=0.001, sign=-1))
    ('better', 'inconclusive')
    >>> verdict(**numbers, p=float("nan"), untested=Interval(0.011, 0.087, 0.95, "subsampling"))[:2]
    ('better', 'the 95% interval lies on one side of 0')
    """
    sure, said = p < alpha, f"p < {alpha:g}"
    if untested is not None:
        sure, said = untested.is_beside_zero, f"the {as_level(untested.level)} interval lies on one side of 0"
    conflict = _conflict(sure, interval, difference, sign)
    if isnan(difference):
        return FindingVerdict("inconclusive", "a system has no number")
    if all_zero:
        return (
            FindingVerdict("inconclusive", one_sided) if one_sided else FindingVerdict("identical", "no unit differs")
        )
    if units < FEWEST_UNITS:
        return FindingVerdict("inconclusive", f"fewer than {FEWEST_UNITS} paired units")
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
    """What a sure difference is; of a number that is neither good nor bad, such as a count of topics, only higher."""
    if higher_is_better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == higher_is_better else "worse"
