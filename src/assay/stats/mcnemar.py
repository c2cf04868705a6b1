"""McNemar's test: of the items that one system alone is right about, does each system have half?"""

from __future__ import annotations

from typing import Literal, TypeAlias

from scipy import special

from assay.core.domains import Choice
from assay.stats.permutation import NOTHING_DIFFERS, Alternative, Outcome

Way: TypeAlias = Literal["mid-p", "exact"]

#: What the test is called on the wire, by the way in which its p-value is made.
NAMES: dict[Way, str] = {"mid-p": "mcnemar", "exact": "mcnemar_exact"}


def mcnemar(only_first: int, only_second: int, way: Way = "mid-p", alternative: Alternative = "two-sided") -> Outcome:
    """Test whether as many items are right by the first system alone as by the second alone.

    The statistic is how many more the second has. `exact` is the binomial test of the items that only one is right
    about. `mid-p` counts what was observed by half, as an exact p-value is too large for counts that cannot vary
    smoothly: over how many items may differ, the share of false alarms comes near to alpha and hardly ever exceeds it
    (Fagerland, Lydersen and Laake 2013), though for a given number of them it may (at alpha 0.05 it is 0.077 at most,
    for 16 items). `alternative`: whether the second is right more often (`greater`), or less.

    >>> mcnemar(only_first=5, only_second=14)
    Outcome(test='mcnemar', statistic=9.0, p=0.0414, resamples=None, note='mid-p; 14 items fixed, 5 broken', sign=None)
    >>> mcnemar(5, 14, "exact").p
    0.0636
    """
    Choice(Way).check("the way of McNemar's test", way)
    test, apart, items = NAMES[way], only_second - only_first, only_first + only_second
    if not items:
        return Outcome(test, 0.0, 1.0, None, NOTHING_DIFFERS)
    note = f"{way}; {only_second:,} {'item' if only_second == 1 else 'items'} fixed, {only_first:,} broken"
    half = 0.5 if way == "mid-p" else 0.0
    if alternative == "two-sided":
        fewer = min(only_first, only_second)
        p = 2 * (_at_most(fewer, items) - half * _exactly(fewer, items))
    else:
        fewer = only_first if alternative == "greater" else only_second
        p = _at_most(fewer, items) - half * _exactly(fewer, items)
    return Outcome(test, float(apart), min(1.0, p), None, note)


def _at_most(count: int, items: int) -> float:
    """The chance that a fair coin falls heads so often at most."""
    return float(special.bdtr(count, items, 0.5))


def _exactly(count: int, items: int) -> float:
    return _at_most(count, items) - (_at_most(count - 1, items) if count else 0.0)
