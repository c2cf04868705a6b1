"""The rules of the gate: when a check passes, fails, or is inconclusive; and what several checks make together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isnan
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from assay.core import options
from assay.core.domains import POSITIVE, Choice
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


class Margins(NamedTuple):
    """The smallest losses that matter: of single measures, of all others, or (None) what `compare` takes.

    >>> Margins.of({"nDCG@10": 0.02}).of_measure("nDCG@10")
    0.02
    """

    for_all: float | None = None
    by_measure: Mapping[str, float] = {}

    @classmethod
    def of(cls, given: Any, named: Named = named_of_rankings) -> Margins:
        """Take one number, a dict from measures to numbers, or nothing; `named` says what a measure is called here."""
        if isinstance(given, cls):
            return cls(given.for_all, {named(name): value for name, value in given.by_measure.items()})
        if isinstance(given, Mapping):
            return cls(None, {named(name): POSITIVE.check("the margin", value) for name, value in given.items()})
        return cls(None if given is None else POSITIVE.check("the margin", given))

    @classmethod
    def parsed(cls, texts: Iterable[str], named: Named = named_of_rankings) -> Margins:
        """Take what is typed: numbers, or measures with numbers.

        >>> Margins.parsed(["0.01", "nDCG@10=0.02"])
        Margins(for_all=0.01, by_measure={'nDCG@10': 0.02})
        """
        for_all: float | None = None
        by_measure: dict[str, float] = {}
        for text in texts:
            measure, equals, number = text.rpartition("=")
            try:
                value = POSITIVE.check("the margin", float(number))
            except ValueError as problem:
                said = "a margin is a number above 0, or MEASURE=NUMBER"
                raise ParameterError(f"{said}, such as nDCG@10=0.02, not {text!r}") from problem
            name = named(measure) if equals else None
            if name in by_measure or (name is None and for_all is not None):
                raise ParameterError(f"two margins are given for {name or 'all measures'}: give one")
            if name is None:
                for_all = value
            else:
                by_measure[name] = value
        return cls(for_all, by_measure)

    def of_measure(self, measure: str) -> float | None:
        """The margin of a measure; None if nothing was said about it."""
        return self.by_measure.get(measure, self.for_all)

    def check(self, measures: Iterable[str]) -> None:
        """Refuse a margin for a measure that is not looked at."""
        known = list(measures)
        for name in self.by_measure:
            if name not in known:
                raise ParameterError(
                    f"a margin is given for {name}, but the gate is on {', '.join(known)}{did_you_mean(name, known)}"
                )


def check_inconclusive(wanted: str) -> None:
    """Refuse what is no way to treat an open outcome."""
    Choice(INCONCLUSIVE).check("inconclusive", wanted)
