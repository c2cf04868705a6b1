"""Which way a measure is good: what is green and what is red depends on it, and so do the words beside them."""

from __future__ import annotations

import math

from assay.report.html.markup import Html, element, joined


def kind(difference: float, higher_is_better: bool | None) -> str:
    """What a difference is, as a class of the style: a gain or a loss; a rise or a fall where neither is good.

    >>> kind(0.1, True), kind(0.1, False), kind(0.1, None), kind(0.0, True)
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
    said = {"gain": " (better)", "loss": " (worse)"}
    return said.get(kind(difference, higher_is_better), "") if higher_is_better is False else ""


def noted(higher_is_better: bool | None) -> str:
    """What to say beside the name of a measure; nothing where higher is better, as with most.

    >>> noted(False), noted(True)
    ('lower is better', '')
    """
    return {False: "lower is better", None: "neither high nor low is taken as better", True: ""}[higher_is_better]


def counts(higher: int, same: int, lower: int, higher_is_better: bool | None) -> Html:
    """How many queries went up, stayed and went down, in words.

    >>> counts(3, 1, 2, False)
    '<span>▲ 3 higher (worse)</span> <span>1 same</span> <span>▼ 2 lower (better)</span>'
    """
    return joined(
        element("span", f"▲ {higher:,} higher{meant(1, higher_is_better)}"),
        " ",
        element("span", f"{same:,} same"),
        " ",
        element("span", f"▼ {lower:,} lower{meant(-1, higher_is_better)}"),
    )
