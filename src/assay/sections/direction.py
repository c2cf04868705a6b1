"""Which way a measure is good: what is green and what is red depends on it, and so do the words beside them."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

#: What a difference is; a class of the page's style.
Meaning: TypeAlias = Literal["gain", "loss", "tied", "rise", "fall"]


def meaning(difference: float, higher_is_better: bool | None) -> Meaning:
    """What a difference is: a gain or a loss; a rise or a fall where neither is good.

    >>> meaning(0.1, True), meaning(0.1, False), meaning(0.1, None), meaning(0.0, True)
    ('gain', 'loss', 'rise', 'tied')
    """
    if not difference or math.isnan(difference):
        return "tied"
    if higher_is_better is None:
        return "rise" if difference > 0 else "fall"
    return "gain" if (difference > 0) == higher_is_better else "loss"


def meant(difference: float, higher_is_better: bool | None) -> str:
    """What up or down means, where it is not what one expects.

    >>> meant(0.1, False), meant(-0.1, False), meant(0.1, True)
    (' (worse)', ' (better)', '')
    """
    words = {"gain": " (better)", "loss": " (worse)"}
    return words.get(meaning(difference, higher_is_better), "") if higher_is_better is False else ""


def noted(higher_is_better: bool | None, before: str = "") -> str:
    """What to say beside the name of a measure, after what stands `before`; nothing where higher is better.

    >>> noted(False, ", "), noted(True, ", ")
    (', lower is better', '')
    """
    words = {False: "lower is better", None: "neither high nor low is taken as better"}
    return "" if higher_is_better else f"{before}{words[higher_is_better]}"


def counts(higher: int, same: int, lower: int, higher_is_better: bool | None) -> tuple[str, str, str]:
    """How many units went up, stayed and went down, in words.

    >>> counts(3, 1, 2, False)
    ('▲ 3 higher (worse)', '1 same', '▼ 2 lower (better)')
    """
    up, down = (meant(sign, higher_is_better) for sign in (1, -1))
    return f"▲ {higher:,} higher{up}", f"{same:,} same", f"▼ {lower:,} lower{down}"
