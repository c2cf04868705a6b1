"""The states of an item, on one page: from what was said of it to what happens next.

::

    open ----------- enough labels, alike ------------------> settled
      |  ^                                                       |
      |  `--- a label is withdrawn, or the item sent back -------'
      |
      +-- enough labels, apart: one more person is asked, up to `most`; still open
      |
      `-- `most` labels, and still apart ----> disputed ---- adjudicated ----> settled

Labels are *apart* where they differ by more than `tolerance` grades; or, where only relevance counts, where some say
relevant and some do not. Of three labels or more, the same grade by more than half of them settles it. Who says that a
document cannot be judged is replaced by somebody else; the second to say so makes the item disputed. A late label that
nobody waits for any more is kept, and changes no state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

State: TypeAlias = Literal["open", "disputed", "settled"]
#: So many people have to say that a document cannot be judged before somebody else decides.
UNJUDGEABLE: Final = 2


#: Of fewer labels than this, nobody is outvoted.
MAJORITY: Final = 3


class Rules(NamedTuple):
    """The number of people who judge an item, and the rule of when they disagree."""

    #: Labels by different people that every item gets.
    overlap: int = 1
    #: Labels that an item gets at most, where the first ones are apart.
    most: int = 1
    #: Grades may differ by this without being apart.
    tolerance: int = 0
    #: The grades that count as relevant, if only these two sides count; None: grades count.
    sides: Collection[int] | None = None
    #: Whether somebody decides where people stay apart; if not, the release's policy does.
    adjudicated: bool = True


class Standing(NamedTuple):
    """The standing of an item, and the number of people to be asked in all."""

    state: State
    wanted: int


def standing(grades: Sequence[int | None], rules: Rules, *, decided: bool = False) -> Standing:
    """The standing of an item after these labels; None: cannot be judged. `decided`: somebody has adjudicated.

    >>> standing([2], Rules(overlap=2, most=3)), standing([2, 0], Rules(overlap=2, most=3))
    (Standing(state='open', wanted=2), Standing(state='open', wanted=3))
    >>> standing([2, 0, 1], Rules(overlap=2, most=3)), standing([2, 0, 2], Rules(overlap=2, most=4))
    (Standing(state='disputed', wanted=3), Standing(state='settled', wanted=3))
    """
    given = [grade for grade in grades if grade is not None]
    refused = len(grades) - len(given)
    if decided:
        return Standing("settled", len(grades))
    if refused >= UNJUDGEABLE:
        return Standing("disputed" if rules.adjudicated else "settled", len(grades))
    if len(given) < rules.overlap:
        return Standing("open", rules.overlap + refused)
    if not are_apart(given, rules) or has_majority(given):
        return Standing("settled", len(grades))
    if len(given) < rules.most:
        return Standing("open", len(given) + 1 + refused)
    return Standing("disputed" if rules.adjudicated else "settled", len(grades))


def are_apart(given: Sequence[int], rules: Rules) -> bool:
    """True if grades differ by more than is tolerated.

    >>> are_apart([2, 3], Rules(tolerance=1)), are_apart([2, 3], Rules(sides={2, 3})), are_apart([0, 3], Rules())
    (False, False, True)
    """
    if rules.sides is not None:
        return len({grade in rules.sides for grade in given}) > 1
    return max(given, default=0) - min(given, default=0) > rules.tolerance


def has_majority(given: Sequence[int]) -> bool:
    """True if more than half of three labels or more are the same.

    >>> has_majority([2, 0, 2]), has_majority([2, 0, 2, 0]), has_majority([2])
    (True, False, False)
    """
    most = max(Counter(given).values(), default=0)
    return len(given) >= MAJORITY and 2 * most > len(given)
