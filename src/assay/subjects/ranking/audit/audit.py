"""`audit`: a value, and what other tools' rules make of the same run and judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

from assay.core.errors import AssayError, ParameterError, did_you_mean, listed, number_of, refuse_unknown
from assay.core.options import EvaluationOptions
from assay.measures import parse_measure
from assay.measures.counting.ranking import Policies, policies
from assay.measures.registry import Measure
from assay.measures.summary import signature
from assay.subjects.ranking.audit.rules import AuditSetting, registered
from assay.subjects.ranking.audit.search import Audit, AuditCase, RuleValue, answer, wanted
from assay.subjects.ranking.evaluation import Evaluation, evaluate, named_runs

#: The query of a bare list.
LIST = "the list"


def audit(
    qrels: Any,
    run: Any,
    measure: str | Measure = "nDCG@10",
    *,
    query: str | None = None,
    value: str | float | None = None,
    digits: int | None = None,
    **rules: Unpack[EvaluationOptions],
) -> Audit:
    """Compute a value as Assay does, and as other tools would; name the rule that gives a value somebody else got.

    `qrels` and `run` are what `evaluate` takes, or a bare list: `{document: grade}` and the documents in order.
    `query`: its value, instead of the mean. `value`: what another tool printed, best as text, since its decimals tell
    how exact it is; `digits` says it otherwise. Further keyword arguments are rules of `evaluate` for Assay's own
    value. A document that comes again in a query is no error here: its first row counts, unless `duplicates` says
    otherwise.

    >>> judged = dict(A=3, B=2, C=2, D=1, E=1, F=1, G=1, H=1)
    >>> result = audit(judged, ["A", "X", "D", "D"], "nDCG@5", value="0.7537")
    >>> round(result.value, 4), result.answer.matches[0].rules[0].tools
    (0.5757, ('MLflow',))
    """
    refuse_unknown(rules, audit, Policies, evaluate)
    asked = None if value is None else wanted(value, digits)
    if digits is not None and value is None:
        raise ParameterError("digits goes with a value to look for")
    of_list = _are_lists(qrels, run)
    if of_list and query is not None:
        raise ParameterError("a bare list has no queries: leave query out")
    if of_list:
        qrels, run = _from_lists(qrels, run)
    chosen = LIST if of_list else None if query is None else str(query)
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
        raise ParameterError("a bare list takes judged documents and a ranking: there is none in one of them")
    return {LIST: dict(judged)}, [(LIST, doc, float(len(ranking) - place)) for place, doc in enumerate(ranking)]


def _case(
    qrels: Any, run: Any, measure: Measure, query: str | None, rules: dict[str, Any]
) -> tuple[AuditCase, AuditSetting, Evaluation]:
    """What is audited, Assay's own setting, and the evaluation that it is the setting of."""
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
    """Why a query has no value of its own, and what it counts as."""
    (system,), (measure,) = evaluation.systems, evaluation.measures
    reason = None if query is None else system.results[measure].reason(system.ranks.queries.index(query))
    if reason is None:
        return ()
    counts = "is left out" if measure.substitute is None else f"counts as {measure.substitute:g}"
    return (f"{measure} is undefined here ({reason}); in a mean it {counts}",)


def _signature(setting: AuditSetting, case: AuditCase, evaluation: Evaluation) -> str | None:
    """What to ask Assay for; None if only other tools have the rule."""
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
