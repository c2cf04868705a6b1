"""Of what several rules choose, the one threshold to start with, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.core.digits import as_percent
from assay.core.errors import argument
from assay.subjects.labels.thresholds.rules import DEFAULT_RULES, Rule

#: From this share on, one class is so rare that the other one decides most rates.
RARE = 0.2
#: Rules that say what is wanted, the most telling first, and what they rest on.
_STATED = {
    "cost": "it costs least by what you said errors cost",
    "budget": "it finds most within the budget that you stated",
    "max_precision_given_recall": "it keeps the recall that you asked for",
    "max_recall_given_precision": "it keeps the precision that you asked for",
    "max_tpr_given_tnr": "it keeps the TNR that you asked for",
    "max_tnr_given_tpr": "it keeps the TPR that you asked for",
}


class Recommendation(NamedTuple):
    """The rule whose threshold to take, and the reason for it."""

    rule: Rule
    threshold: float
    reason: str


class Choice(NamedTuple):
    """The choice of a rule, and the value of its criterion there."""

    rule: Rule
    threshold: float
    value: float


def recommended(choices: Sequence[Choice], positives: float) -> Recommendation | None:
    """The threshold to start with; `positives` is the share of positive items. None if no rule found one.

    A rule that says what errors cost, or what has to be kept, goes before all others, if somebody asked for it.

    >>> from assay.subjects.labels.thresholds.rules import max_f, youden
    >>> recommended([Choice(max_f, 0.4, 0.8), Choice(youden, 0.3, 0.7)], positives=0.5).rule
    youden
    """
    known = [choice for choice in choices if not math.isnan(choice.threshold) and not math.isnan(choice.value)]
    if not known:
        return None
    if tuple(choice.rule for choice in choices) != DEFAULT_RULES:
        for name, reason in _STATED.items():
            if stated := next((choice for choice in known if choice.rule.name == name), None):
                return Recommendation(stated.rule, stated.threshold, reason)
    share = as_percent(positives)
    if RARE < positives < 1 - RARE:
        usual = "youden"
        reason = f"{share} of the items are positive, so positives and negatives found count alike"
    else:
        usual = "max_f"
        reason = f"{share} of the items are positive, so the other class decides accuracy and TNR"
    choice = next((choice for choice in known if choice.rule.name == usual), known[0])
    if choice.rule.name != usual:
        reason = "it is the first rule that you named"
    cost = argument("rule", "cost(fp=1,fn=10)")
    return Recommendation(choice.rule, choice.threshold, f"{reason}; if one error costs more, say so: {cost}")
