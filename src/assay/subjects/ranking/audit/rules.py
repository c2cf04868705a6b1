"""`AuditSetting`: all that a value depends on; and `@rule`: how another tool counts, registered where it is defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, Unpack, cast

from assay.core.errors import ParameterError
from assay.core.options import PolicyRules
from assay.measures.counting.judgments import Floats
from assay.measures.counting.policies import Policies, policies
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure, ParameterValue
from assay.measures.summary import Undefined

Repeated: TypeAlias = Literal["one", "last", "kept", "renamed"]
IdealOf: TypeAlias = Literal["judged", "cutoff", "hits", "retrieved"]
Grades: TypeAlias = Literal["given", "whole", "not_negative"]
Topics: TypeAlias = Literal["judged", "returned"]
Counted: TypeAlias = Callable[[Ranks, Measure], Floats]


class Data(NamedTuple):
    """What rules have to know of the data: the largest grade, whether a mean is asked for, whether there are ranks.

    `has_fractions`: whether some grade is no whole number.
    """

    top_grade: float = 0.0
    is_mean: bool = True
    has_ranks: bool = False
    has_fractions: bool = False


NOTHING_KNOWN = Data()


@dataclass(frozen=True)
class AuditSetting:
    """A measure, the policies that Assay has, and the rules that only other tools have.

    `repeated`: a document that comes again counts once (which row, the policies say), with the score of its last row,
    every time (`kept`), or as another document that was judged alike (`renamed`).
    `in_file_order`: neither scores nor ranks matter.
    `ideal`: of the judged documents, best first, all are looked at, or as many as the cut-off, or as many as there are
    hits; or only those that were retrieved.
    `grades`: as given, cut to whole numbers, or negative ones taken for 0.
    `topics`: the mean is over the judged ones as the policies say, or over all that the run returned.
    `undefined`: as in `evaluate`.
    `digits`: the value of each topic is rounded.
    `counted`: a function takes the measure's place where Assay has no parameter for the rule.

    >>> from assay.measures import nDCG
    >>> AuditSetting(nDCG @ 5, Policies()).measured(gain="exp").measure
    nDCG(gain='exp')@5
    """

    measure: Measure
    policies: Policies
    data: Data = NOTHING_KNOWN
    repeated: Repeated = "one"
    in_file_order: bool = False
    ideal: IdealOf = "judged"
    grades: Grades = "given"
    topics: Topics = "judged"
    undefined: Undefined = "counted_as"
    digits: int | None = None
    counted: Counted | None = None

    def measured(self, **parameters: ParameterValue) -> AuditSetting:
        """The same with other parameters of the measure."""
        return replace(self, measure=self.measure(**parameters))

    def under(self, **rules: Unpack[PolicyRules]) -> AuditSetting:
        """The same under other policies."""
        return replace(self, policies=policies(self.policies, **rules))

    def having(self, **changes: object) -> AuditSetting:
        """The same with other rules of this class."""
        return replace(self, **changes)  # type: ignore[arg-type]

    @property
    def cutoff(self) -> int | None:
        """The measure's cut-off, if it has one."""
        return cast("int | None", self.measure.parameters.get("cutoff"))

    @property
    def has_mean(self) -> bool:
        """Whether topics are put together by the mean of their values."""
        return self.measure.definition.summary == "mean" and not self.measure.is_micro

    @property
    def is_assays(self) -> bool:
        """Whether `evaluate` can be asked for it: nothing but parameters and policies."""
        return self == AuditSetting(self.measure, self.policies, self.data, undefined=self.undefined)


#: From a setting to another one; None where the rule has no meaning.
Change: TypeAlias = Callable[[AuditSetting], AuditSetting | None]

_RULES: list[ToolRule] = []


@dataclass(frozen=True)
class ToolRule:
    """A rule that some tools count by: its name, the tools, a sentence on why it matters, and what it changes.

    A rule without tools is shown nowhere until it gives a value that is looked for. `part` says what is chosen: of each
    part, one rule at most is in force.

    >>> from assay import audit  # brings all rules
    >>> from assay.measures import nDCG
    >>> next(rule.tools for rule in registered(nDCG) if rule.name == "exponential gain")[0]
    'gdeval'
    """

    name: str
    why: str
    change: Change
    tools: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    part: str | None = None

    def applied(self, setting: AuditSetting) -> AuditSetting | None:
        """The setting under this rule, which may be the same; None if the rule does not go with it."""
        try:
            return self.change(setting)
        except ParameterError:
            return None


def rule(
    name: str, *, tools: tuple[str, ...] = (), of: tuple[str, ...] = (), part: str | None = None
) -> Callable[[Change], ToolRule]:
    """Register a function from a setting to another one as a rule; its docstring says why values differ."""

    def register(change: Change) -> ToolRule:
        why = " ".join((change.__doc__ or "").split())
        entry = ToolRule(name, why, change, tools, of, part)
        _RULES.append(entry)
        return entry

    return register


def registered(measure: Measure | None = None) -> tuple[ToolRule, ...]:
    """All rules, in the order of their definition, or those that have to do with a measure."""
    return tuple(rule for rule in _RULES if measure is None or not rule.of or measure.name in rule.of)


def together(setting: AuditSetting, *rules: ToolRule) -> AuditSetting:
    """Several rules, one after the other; those that do not go with the setting are passed over."""
    for single in rules:
        setting = single.applied(setting) or setting
    return setting
