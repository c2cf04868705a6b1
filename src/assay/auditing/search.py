"""Which rules give a value: alone, in the known tools' combinations, or in any other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.auditing.cases import Case
from assay.auditing.catalogue import rules
from assay.auditing.registry import Rule
from assay.auditing.settings import Setting
from assay.errors import AssayError, ParameterError

#: At most so many rules at a time, and so many combinations in all.
MOST_CHANGES = 4
MOST_TRIALS = 3000
_ROUNDING = 1e-9
_MOST_DIGITS = 15


class Wanted(NamedTuple):
    """A value as another tool printed it: the text, how many decimals it has, and whether it is a percentage."""

    text: str
    number: float
    digits: int
    percent: bool = False

    def fits(self, value: float) -> bool:
        """Whether a value, rounded to as many decimals, would be printed so.

        >>> wanted("0.75").fits(0.7537), wanted("0.7500").fits(0.7537)
        (True, False)
        """
        return not math.isnan(value) and abs(value - self.number) <= 0.5 * 10.0**-self.digits + _ROUNDING

    def in_percent(self) -> Wanted:
        """The same, taken for a percentage."""
        return Wanted(self.text, self.number / 100, self.digits + 2, percent=True)


class Match(NamedTuple):
    """Rules that give the wanted value together; none are Assay's own."""

    rules: tuple[Rule, ...]
    value: float


class Answer(NamedTuple):
    """What was found for a value, how many ways were tried, and what came nearest if nothing was found."""

    wanted: Wanted
    matches: tuple[Match, ...]
    tried: int
    #: What was chosen otherwise in combinations, if it came to that.
    parts: tuple[str, ...] = ()
    nearest: Match | None = None
    most_changes: int = MOST_CHANGES


def wanted(value: str | float, digits: int | None = None) -> Wanted:
    """Read a value; the precision is that of its decimals, unless `digits` says otherwise.

    >>> wanted("0.7537").digits, wanted(0.5).digits, wanted("0.75", digits=4).digits
    (4, 1, 4)
    """
    text = value.strip() if isinstance(value, str) else repr(float(value))
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise ParameterError(f"the value to look for is a number such as 0.7537, not {value!r}")
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    if digits is None:
        return Wanted(text, number, min(max(decimals, 0), _MOST_DIGITS))
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= _MOST_DIGITS:
        raise ParameterError(f"digits is a whole number from 0 to {_MOST_DIGITS}, not {digits!r}")
    return Wanted(text, number, digits)


def answer(asked: Wanted, case: Case, own: Setting, known: Sequence[Match]) -> Answer:
    """Look among Assay's value and those of the known rules, then among combinations, the smallest first."""
    top = own.measure.definition.bounds
    ways = [asked]
    if top is not None and top[1] <= 1 < asked.number <= 100:  # 57.57 for 0.5757
        ways.append(asked.in_percent())
    singles = [Match((), case.value(own)), *known]
    for way in ways:
        if found := [match for match in singles if way.fits(match.value)]:
            return Answer(way, tuple(found), len(singles))
    tried, nearest = len(singles), min(singles, key=lambda match: _distance(match, ways))
    choices = atoms(case, own)
    for size in range(1, MOST_CHANGES + 1):
        fitting: list[tuple[Wanted, Match]] = []
        for match in _combined(choices, size, case, own):
            tried += 1
            nearest = min(nearest, match, key=lambda match: _distance(match, ways))
            fitting += [(way, match) for way in ways if way.fits(match.value)]
            if tried >= MOST_TRIALS:
                break
        if fitting:
            return Answer(fitting[0][0], tuple(match for _, match in fitting), tried, tuple(choices))
        if tried >= MOST_TRIALS:
            break
    return Answer(asked, (), tried, tuple(choices), nearest)


def atoms(case: Case, own: Setting) -> dict[str, list[Rule]]:
    """The choices to combine, by part: those that make a difference here, alone or after one other."""
    known = [rule for rule in rules(own.measure) if rule.part and _value(case, own, rule) is not None]
    choices: dict[str, list[Rule]] = {}
    for rule in known:
        others = [other for other in known if other.part != rule.part]
        if any(_differs(_value(case, own, *before, rule), _value(case, own, *before)) for before in _singly(others)):
            choices.setdefault(str(rule.part), []).append(rule)
    return choices


def _singly(rules: Sequence[Rule]) -> Iterator[tuple[Rule, ...]]:
    yield ()
    for rule in rules:
        yield (rule,)


def _differs(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return False
    return not math.isclose(one, other, rel_tol=0, abs_tol=_ROUNDING) and not (math.isnan(one) and math.isnan(other))


def _setting(own: Setting, rules: Sequence[Rule]) -> Setting | None:
    """One rule after the other; None where one does not go with those before."""
    setting: Setting | None = own
    for rule in rules:
        setting = None if setting is None else rule.applied(setting)
    return setting


def _value(case: Case, own: Setting, *rules: Rule) -> float | None:
    setting = _setting(own, rules)
    if setting is None:
        return None
    try:
        return case.value(setting)
    except AssayError:  # a rule that these data have nothing for, or rules that exclude one another
        return None


def _combined(choices: dict[str, list[Rule]], size: int, case: Case, own: Setting) -> Iterator[Match]:
    """Every combination of so many rules, one of a part at most; each setting once."""
    seen = {own}
    for parts in itertools.combinations(choices, size):
        for chosen in itertools.product(*(choices[part] for part in parts)):
            setting = _setting(own, chosen)
            if setting is None or setting in seen:
                continue
            seen.add(setting)
            value = _value(case, own, *chosen)
            if value is not None:
                yield Match(chosen, value)


def _distance(match: Match, ways: Sequence[Wanted]) -> float:
    return math.inf if math.isnan(match.value) else min(abs(match.value - way.number) for way in ways)
