"""The rules of the gate: when a check passes, fails, or is inconclusive; and what several checks make together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from assay.core import options
from assay.core.domains import POSITIVE
from assay.core.errors import ParameterError, did_you_mean
from assay.measures import parse_measure
from assay.stats.rounding import ROUNDING
from assay.stats.verdict import FEWEST_UNITS

Outcome: TypeAlias = Literal["pass", "inconclusive", "fail", "invalid"]
Inconclusive: TypeAlias = options.Inconclusive

#: The outcomes, from best to worst: several checks together are as good as the worst of them.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
EXIT_CODES: dict[Outcome, int] = {"pass": 0, "fail": 1, "invalid": 2, "inconclusive": 3}
#: What `inconclusive` may be set to: its own exit code, or that of another outcome.
INCONCLUSIVE: tuple[Inconclusive, ...] = get_args(get_args(Inconclusive)[0])


class Decision(NamedTuple):
    """The outcome of one check, and the rule that decided."""

    outcome: Outcome
    why: str


def decided(
    *,
    difference: float,
    all_zero: bool,
    units: int,
    bound: float,
    p: float,
    margin: float,
    alpha: float = 0.05,
    scale: float = 1.0,
    at_best: float | None = None,
    one_sided: str = "",
) -> Decision:
    """Apply the rules, in this order: identical, too few units, not worse by the margin, surely worse, inconclusive.

    `difference` is what the candidate gains, so that a loss is negative whatever the measure's direction; `bound` the
    lower end of its interval at level 1 - 2 alpha; `p` one-sided, corrected for the other checks. Numbers that differ
    by rounding only, at the `scale` of what the difference is of, are the same. Where there is no test, a loss is sure
    if even `at_best`, the upper end of the interval (wider for the other checks), is one. `one_sided` says where one
    system alone has a value: then they are not identical.

    >>> decided(difference=0.002, all_zero=False, units=50, bound=-0.004, p=0.7, margin=0.01).outcome
    'pass'
    >>> decided(difference=-0.01, all_zero=False, units=50, bound=-0.02, p=0.001, margin=0.01).outcome
    'fail'
    """
    nearly = ROUNDING * max(scale, margin)
    if isnan(difference):
        return Decision("inconclusive", "a system has no number")
    if all_zero:
        return Decision("inconclusive", one_sided) if one_sided else Decision("pass", "no unit differs")
    if units < FEWEST_UNITS:
        return Decision("inconclusive", f"fewer than {FEWEST_UNITS} paired units")
    if bound > -margin + nearly:
        return Decision("pass", "the bound lies within the margin")
    beyond, sure = difference <= -margin + nearly, p < alpha if at_best is None else at_best < -nearly
    chance = f"p is not below {alpha:g}" if at_best is None else "0 lies in the interval"
    if beyond and sure:
        by = f"p < {alpha:g}" if at_best is None else "the whole interval is one"
        return Decision("fail", f"a loss of the margin or more, and {by}")
    why = "a loss, but perhaps of less than the margin" if sure else "neither within the margin, nor surely a loss"
    if sure and difference >= 0:
        why = f"p < {alpha:g} for a loss, but the difference is none: they point in different ways"
    if isnan(bound):
        why = "there is no interval to decide by"
    return Decision("inconclusive", f"a loss of the margin or more, but {chance}" if beyond else why)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """What several outcomes make together: the worst of them.

    >>> worst(["pass", "fail", "inconclusive"])
    'fail'
    """
    return max(outcomes, key=OUTCOMES.index, default="pass")


#: From what a measure was called by a user to its name in the scores.
Named: TypeAlias = Callable[[Any], str]


def named_of_rankings(measure: Any) -> str:
    """What a measure of rankings is called.

    >>> named_of_rankings("ndcg_cut_10")
    'nDCG@10'
    """
    return str(parse_measure(measure))


#: The margin of each measure by name; under None, that of the others.
Margins: TypeAlias = dict[str | None, float]


def margins_of(stated: Any, named: Named, measures: Sequence[str]) -> Margins:
    """The margins that were asked for: one for all measures, or by measure.

    >>> margins_of({"map": 0.02}, named_of_rankings, ["AP"])
    {'AP': 0.02}
    """
    by_name = dict(stated) if isinstance(stated, Mapping) else {} if stated is None else {None: stated}
    margins: Margins = {}
    for key, value in by_name.items():
        name = None if key is None else named(key)
        if name in margins:
            raise ParameterError(f"two margins are given for {name}: give one")
        if name is not None and name not in measures:
            hint = did_you_mean(name, measures)
            raise ParameterError(f"a margin is given for {name}, but the gate is on {', '.join(measures)}{hint}")
        margins[name] = POSITIVE.check("the margin", value)
    return margins


def margins_in(texts: Iterable[str]) -> Margins:
    """Margins as they are typed: NUMBER, or MEASURE=NUMBER.

    >>> margins_in(["0.05", "nDCG@10=0.02"])
    {None: 0.05, 'nDCG@10': 0.02}
    """
    margins: Margins = {}
    for text in texts:
        measure, _, number = text.rpartition("=")
        try:
            value = POSITIVE.check("the margin", float(number))
        except ValueError as problem:
            said = "a margin is a number above 0, or MEASURE=NUMBER"
            raise ParameterError(f"{said}, such as nDCG@10=0.02, not {text!r}") from problem
        if (measure or None) in margins:
            raise ParameterError(f"two margins are given for {measure or 'all measures'}: give one")
        margins[measure or None] = value
    return margins
