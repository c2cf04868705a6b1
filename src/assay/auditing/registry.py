"""`@rule`: how another tool counts, registered where it is defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from assay.auditing.settings import Setting
from assay.core.errors import ParameterError
from assay.measures.registry import Measure

#: From a setting to another one; None where the rule has no meaning.
Change: TypeAlias = Callable[[Setting], Setting | None]

_RULES: list[Rule] = []


@dataclass(frozen=True)
class Rule:
    """A rule that some tools count by: its name, the tools, a sentence on why it matters, and what it changes.

    A rule without tools is shown nowhere until it gives a value that is looked for. `part` says what is chosen: of each
    part, one rule at most is in force.

    >>> from assay.auditing.catalogue import rules
    >>> from assay.measures import nDCG
    >>> next(rule.tools for rule in rules(nDCG) if rule.name == "exponential gain")[0]
    'gdeval'
    """

    name: str
    why: str
    change: Change
    tools: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    part: str | None = None

    def suits(self, measure: Measure) -> bool:
        """Whether it has anything to do with a measure."""
        return not self.of or measure.name in self.of

    def applied(self, setting: Setting) -> Setting | None:
        """The setting under this rule, which may be the same; None if the rule does not go with it."""
        try:
            return self.change(setting)
        except ParameterError:
            return None


def rule(
    name: str, *, tools: tuple[str, ...] = (), of: tuple[str, ...] = (), part: str | None = None
) -> Callable[[Change], Rule]:
    """Register a function from a setting to another one as a rule; its docstring says why values differ."""

    def register(change: Change) -> Rule:
        why = " ".join((change.__doc__ or "").split())
        entry = Rule(name, why, change, tools, of, part)
        _RULES.append(entry)
        return entry

    return register


def registered() -> tuple[Rule, ...]:
    """All rules, in the order of their definition."""
    return tuple(_RULES)


def together(setting: Setting, *rules: Rule) -> Setting:
    """Several rules, one after the other; those that do not go with the setting are passed over."""
    for single in rules:
        setting = single.applied(setting) or setting
    return setting
