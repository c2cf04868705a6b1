"""Which rules give a value: alone, in the known tools' combinations, or in any other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

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
#: A few units in the last place of a number near 1: so much may come of adding up in another order.
_LAST_PLACES = 1e-15


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
        # Half a digit, and a little more, for a number in the middle may have been rounded either way.
        little = min(_ROUNDING, 1e-3 * 10.0**-self.digits) + _LAST_PLACES * max(1.0, abs(self.number))
        return not math.isnan(value) and abs(value - self.number) <= 0.5 * 10.0**-self.digits + little

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
    #: Of so many rules at a time, all combinations were tried.
    most_changes: int = 0
    #: Whether there were more combinations, and the search stopped at the most it tries.
    stopped: bool = False


def wanted(value: str | float, digits: int | None = None) -> Wanted:
    """Read a value; the precision is that of its decimals, unless `digits` says otherwise.

    >>> wanted("0.7537").digits, wanted(0.5).digits, wanted("0.75", digits=4).digits
    (4, 1, 4)
    >>> wanted("75.37%").number, wanted("75.37%").digits
    (0.7537, 4)
    """
    said = value.strip() if isinstance(value, str) else repr(_float(value))
    text = said.removesuffix("%").rstrip()
    number = _float(text)
    if not math.isfinite(number) or "_" in text:
        raise ParameterError(f"the value to look for is a number such as 0.7537, not {value!r}")
    mantissa, _, exponent = text.lower().partition("e")
    decimals = min(max(len(mantissa.partition(".")[2]) - int(exponent or 0), 0), _MOST_DIGITS)
    if digits is not None:
        if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= _MOST_DIGITS:
            raise ParameterError(f"digits is a whole number from 0 to {_MOST_DIGITS}, not {digits!r}")
        decimals = digits
    made = Wanted(said, number, decimals)
    return made if text == said else made.in_percent()


def _float(value: Any) -> float:
    """A number, or text that is one; not a number for anything else, such as True."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, str | int | float | np.number):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError, TypeError):
        return math.nan


def answer(asked: Wanted, case: Case, own: Setting, singles: Sequence[Match]) -> Answer:
    """Look among Assay's value and those of the known rules, then among combinations, the smallest first."""
    top = own.measure.definition.bounds
    ways = [asked]
    if not asked.percent and top is not None and top[1] <= 1 < asked.number <= 100:  # 57.57 for 0.5757
        ways.append(asked.in_percent())
    for way in ways:
        if found := [match for match in singles if way.fits(match.value)]:
            return Answer(way, tuple(found), len(singles))
    tried, nearest = len(singles), min(singles, key=lambda match: _distance(match, ways))
    choices, finished, stopped = atoms(case, own), 0, False
    seen = {setting for match in singles if (setting := _setting(own, match.rules)) is not None}
    for size in range(1, min(MOST_CHANGES, len(choices)) + 1):
        fitting: list[tuple[Wanted, Match]] = []
        for match in _combined(choices, size, case, own, seen):
            if tried >= MOST_TRIALS:
                stopped = True
                break
            tried += 1
            nearest = min(nearest, match, key=lambda match: _distance(match, ways))
            fitting += [(way, match) for way in ways if way.fits(match.value)]
        finished = finished if stopped else size
        if fitting:
            matches = tuple(match for _, match in fitting)
            return Answer(fitting[0][0], matches, tried, tuple(choices), None, finished, stopped)
        if stopped:
            break
    return Answer(asked, (), tried, tuple(choices), nearest, finished, stopped)


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


def _combined(
    choices: dict[str, list[Rule]], size: int, case: Case, own: Setting, seen: set[Setting]
) -> Iterator[Match]:
    """Every combination of so many rules, one of a part at most; no setting that was seen before."""
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
