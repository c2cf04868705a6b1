"""`audit`: what other tools would make of the same run, and which rules give a value that somebody has."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, Unpack

import polars as pl

from assay.core.errors import AssayError, ParameterError, did_you_mean, listed, number_of, refuse_unknown
from assay.core.options import EvaluationOptions
from assay.core.results import Result
from assay.measures import parse_measure
from assay.measures.counting.ranking import Policies, policies
from assay.measures.registry import Measure
from assay.measures.summary import signature
from assay.subjects.ranking.audit import measure_rules  # noqa: F401  # it registers its rules, after those of reading
from assay.subjects.ranking.audit.case import AuditCase
from assay.subjects.ranking.audit.rules import AuditSetting, ToolRule, registered
from assay.subjects.ranking.evaluation import Evaluation, evaluate, named_runs

#: What is chosen otherwise together, as tools that nobody has listed do. More combinations would explain any number.
PAIRS = (("gain", "discount"), ("gain", "ideal"), ("gain", "duplicates"), ("grades", "level"))
_ROUNDING = 1e-9
_MOST_DIGITS = 15
#: A few units in the last place of a number near 1: so much may come of adding up in another order.
_LAST_PLACES = 1e-15


class WantedValue(NamedTuple):
    """A value as another tool printed it: the text, how many decimals it has, and whether it is a percentage."""

    text: str
    number: float
    digits: int
    percent: bool = False

    def fits(self, value: float) -> bool:
        """True if a value, rounded to as many decimals, would be printed so.

        >>> wanted("0.75").fits(0.7537), wanted("0.7500").fits(0.7537)
        (True, False)
        """
        # Half a digit, and a little more, for a number in the middle may have been rounded either way.
        little = min(_ROUNDING, 1e-3 * 10.0**-self.digits) + _LAST_PLACES * max(1.0, abs(self.number))
        return not math.isnan(value) and abs(value - self.number) <= 0.5 * 10.0**-self.digits + little

    def in_percent(self) -> WantedValue:
        """The same, taken for a percentage."""
        return WantedValue(self.text, self.number / 100, self.digits + 2, percent=True)


class RuleValue(NamedTuple):
    """The value that rules give together, and the signature for it, if Assay has one; no rules are Assay's own."""

    rules: tuple[ToolRule, ...]
    value: float
    signature: str | None = None


class Answer(NamedTuple):
    """The rules found for a value, the number of ways tried, and what came nearest if nothing was found."""

    wanted: WantedValue
    matches: tuple[RuleValue, ...]
    tried: int
    nearest: RuleValue | None = None


def wanted(value: str | float) -> WantedValue:
    """Read a value; the precision is that of its decimals.

    >>> wanted("0.7537").digits, wanted(0.5).digits
    (4, 1)
    >>> wanted("75.37%").number, wanted("75.37%").digits
    (0.7537, 4)
    """
    text = str(value).strip()
    bare = text.removesuffix("%").rstrip()
    try:
        number = Decimal(bare)
    except InvalidOperation:
        number = Decimal("nan")
    if not math.isfinite(float(number)) or "_" in bare:
        raise ParameterError(f"the value to look for is a number such as 0.7537, not {value!r}")
    decimals = min(max(-int(number.as_tuple().exponent), 0), _MOST_DIGITS)
    target = WantedValue(text, float(number), decimals)
    return target if bare == text else target.in_percent()


def answer(asked: WantedValue, case: AuditCase, default: AuditSetting, singles: Sequence[RuleValue]) -> Answer:
    """Look among Assay's value (first) and those of single rules, then among further ones and the stated pairs."""
    top = default.measure.definition.bounds
    ways = [asked]
    if not asked.percent and top is not None and top[1] <= 1 < asked.number <= 100:  # 57.57 for 0.5757
        ways.append(asked.in_percent())
    value = singles[0].value
    parts = [rule for rule in registered(default.measure) if rule.part]
    unnamed = _different([(rule,) for rule in parts if not rule.tools], case, default, value)
    stated = [(first, other) for first in parts for other in parts if (first.part, other.part) in PAIRS]
    matches: list[RuleValue] = []
    for tried in ([*singles, *unnamed], _different(stated, case, default, value)):
        matches += tried
        for way in ways:
            if fitting := tuple(match for match in tried if way.fits(match.value)):
                return Answer(way, fitting, len(matches))
    return Answer(asked, (), len(matches), min(matches, key=lambda match: _distance(match, ways)))


def _different(
    tries: Sequence[tuple[ToolRule, ...]], case: AuditCase, default: AuditSetting, value: float
) -> list[RuleValue]:
    """The values of rules, one after the other; only where each of them makes a difference to those before."""
    matches = []
    for chosen in tries:
        values = [value]
        setting: AuditSetting | None = default
        try:
            for rule in chosen:
                setting = None if setting is None else rule.applied(setting)
                values.append(math.nan if setting is None else case.value(setting))
        except AssayError:  # a rule that these data have nothing for, or rules that exclude one another
            continue
        if all(abs(after - before) > _ROUNDING for before, after in itertools.pairwise(values)):
            matches.append(RuleValue(chosen, values[-1]))
    return matches


def _distance(match: RuleValue, ways: Sequence[WantedValue]) -> float:
    return math.inf if math.isnan(match.value) else min(abs(match.value - way.number) for way in ways)


# What differs by less is the same number, added up in another order.
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """One value and what other tools' rules make of the same data.

    >>> from assay import audit
    >>> result = audit({"A": 3, "B": 2, "C": 2}, ["A", "X", "C"], "nDCG@3", value="0.7537")
    >>> round(result.value, 4), result.is_found
    (0.7602, False)
    """

    kind = "audit"

    measure: Measure
    #: The query, or None if the value is a mean or that of a bare list.
    query: str | None
    #: What the value is of, in words.
    where: str
    value: float
    signature: str
    #: Tools whose rules as a whole are those of the value.
    tools: tuple[str, ...]
    findings: tuple[RuleValue, ...]
    repeated_rows: int
    answer: Answer | None = None
    #: What was odd about the data.
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Audit of {self.measure}: {self.value}, {number_of('other value', len(self.different))}>"

    @property
    def different(self) -> list[RuleValue]:
        """The rules that give another value here, largest first."""
        differing = [finding for finding in self.findings if not self._is_same(finding)]
        return sorted(differing, key=lambda finding: (math.isnan(finding.value), -finding.value))

    @property
    def same(self) -> list[RuleValue]:
        """The rules that would give the same here."""
        return list(filter(self._is_same, self.findings))

    def _is_same(self, finding: RuleValue) -> bool:
        return abs(finding.value - self.value) <= _SAME

    @property
    def is_found(self) -> bool:
        """True if some rule, or a stated pair of rules, gives the value that was asked for."""
        return self.answer is not None and bool(self.answer.matches)

    def to_frame(self) -> pl.DataFrame:
        """One row per rule, Assay's own first: value, difference, rule, tools, why, and Assay's signature for it.

        `same`: whether the rule makes no difference here.
        """
        default = ToolRule("Assay's own", "", lambda setting: setting, self.tools)
        findings = (RuleValue((default,), self.value, self.signature), *self.different, *self.same)
        rows = [
            (value, value - self.value, rule.name, ", ".join(rule.tools), rule.why, signature)
            for (rule,), value, signature in findings
        ]
        numbers = ("value", "difference")
        texts = ("rule", "tools", "why", "signature")
        schema = dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(texts, pl.String)
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        same = pl.col("difference").abs() <= _SAME
        return frame.with_columns(pl.col(numbers).fill_nan(None), same=same)


#: The query of a bare list.
LIST = "the list"


def audit(
    qrels: Any,
    run: Any,
    measure: str | Measure = "nDCG@10",
    *,
    query: str | None = None,
    value: str | float | None = None,
    **rules: Unpack[EvaluationOptions],
) -> Audit:
    """Compute a value as Assay does, and as other tools would; name the rule that gives a value somebody else got.

    `qrels` and `run` are what `evaluate` takes, or a bare list: `{document: grade}` and the documents in order.
    `query`: its value, instead of the mean. `value`: what another tool printed, best as text, since its decimals tell
    how exact it is. Further keyword arguments are rules of `evaluate` for Assay's own value. A document that comes
    again in a query is no error here: its first row counts, unless `duplicates` says otherwise.

    >>> judged = dict(A=3, B=2, C=2, D=1, E=1, F=1, G=1, H=1)
    >>> result = audit(judged, ["A", "X", "D", "D"], "nDCG@5", value="0.7537")
    >>> round(result.value, 4), result.answer.matches[0].rules[0].tools
    (0.5757, ('MLflow',))
    """
    refuse_unknown(rules, audit, Policies, evaluate)
    asked = None if value is None else wanted(value)
    of_list = _are_lists(qrels, run)
    if of_list and query is not None:
        raise ParameterError("a bare list has no queries: leave query out")
    if of_list:
        qrels, run = _from_lists(qrels, run)
    if of_list:
        chosen = LIST
    elif query is None:
        chosen = None
    else:
        chosen = str(query)
    case, default, evaluation = _case(qrels, run, parse_measure(measure), chosen, dict(rules))
    undefined = _undefined(evaluation, chosen)
    value_here = math.nan if undefined or math.isnan(evaluation.mean()) else case.value(default)
    findings: list[RuleValue] = []
    whole: list[str] = []
    for rule in registered(default.measure):
        changed = rule.applied(default) if rule.tools else None
        if changed is None:
            continue
        if changed == default:
            whole += [] if rule.part or math.isnan(value_here) else rule.tools
            continue
        try:
            got = case.value(changed)
            if math.isnan(value_here) and got == default.measure.substitute:
                continue  # what nobody has a value for, other tools may print as 0: no rule makes it one
        except AssayError:  # what a rule needs is not in these data; Assay's own value was found without trouble
            continue
        findings.append(RuleValue((rule,), got, _signature(changed, case, evaluation)))
    result = Audit(
        default.measure,
        None if of_list else chosen,
        LIST if of_list else _where(case, default),
        value_here,
        _signature(default, case, evaluation) or "",
        tuple(dict.fromkeys(whole)),
        tuple(findings),
        case.repeated_rows,
        notes=evaluation.warnings + undefined,
    )
    if asked is None:
        return result
    return replace(result, answer=answer(asked, case, default, [RuleValue((), value_here), *result.different]))


def _are_lists(qrels: Any, run: Any) -> bool:
    """Tell {document: grade} and documents in order from judgments by query and files."""
    if not isinstance(run, list | tuple) or not all(isinstance(document, str) for document in run):
        return False
    return isinstance(qrels, Mapping) and not any(isinstance(grade, Mapping) for grade in qrels.values())


def _from_lists(judged: Mapping[Any, Any], ranking: Any) -> tuple[dict[str, Any], list[tuple[str, str, float]]]:
    """A bare list as judgments and a run of one query."""
    if not judged or not ranking:
        raise ParameterError("a bare list needs judged documents and a ranking, and one of them is empty")
    return {LIST: dict(judged)}, [(LIST, doc, float(len(ranking) - place)) for place, doc in enumerate(ranking)]


def _case(
    qrels: Any, run: Any, measure: Measure, query: str | None, rules: dict[str, Any]
) -> tuple[AuditCase, AuditSetting, Evaluation]:
    """The case to audit, Assay's own setting, and the evaluation that it is the setting of."""
    if measure.definition.subtopics or rules.pop("subtopics", None):
        raise ParameterError(f"{measure}: no rules of other tools are known for judgments by subtopic")
    opened = named_runs(run)
    if len(opened) > 1:
        raise ParameterError("audit takes one run: audit one after the other")
    name, source = next(iter(opened.items()))
    read = source.read()
    evaluation = evaluate(qrels, {name: source}, measure, **{"duplicates": "first", **rules})
    topics = evaluation.systems[0].ranks.queries
    if query is not None and query not in topics:
        # It may be there, and without judgments, or left out as the run has nothing for it.
        raise ParameterError(f"choose a query of {listed(topics)}, not {query!r}{did_you_mean(query, topics)}")
    case = AuditCase(read, evaluation.qrels, query, seed=evaluation.seed, samples=evaluation.samples)
    chosen = evaluation.policies
    if not case.has_repeated_rows and "duplicates" not in rules:
        chosen = policies(chosen, duplicates="error")
    return case, AuditSetting(evaluation.measures[0], chosen, case.data, undefined=evaluation.undefined), evaluation


def _where(case: AuditCase, default: AuditSetting) -> str:
    if case.query is None:
        topics = number_of("topic", len(case.ranks(default).queries))
        return f"mean of {topics}" if default.has_mean else f"all {topics}"
    return f"query {case.query}"


def _undefined(evaluation: Evaluation, query: str | None) -> tuple[str, ...]:
    """The reason why a query has no value of its own, and what it counts as."""
    (system,), (measure,) = evaluation.systems, evaluation.measures
    reason = None if query is None else system.results[measure].reason(system.ranks.queries.index(query))
    if reason is None:
        return ()
    counts = "is left out" if measure.substitute is None else f"counts as {measure.substitute:g}"
    return (f"{measure} is undefined here ({reason}); in a mean it {counts}",)


def _signature(setting: AuditSetting, case: AuditCase, evaluation: Evaluation) -> str | None:
    """The signature to ask Assay for; None if only other tools have the rule."""
    if not setting.is_assays:
        return None
    return signature(
        setting.measure,
        setting.policies,
        case.data.top_grade,
        setting.undefined,
        seed=evaluation.seed,
        samples=evaluation.samples,
        judge=evaluation.judge,
    )
