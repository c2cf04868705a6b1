"""What stands on top of a report: who is better, how sure that is, what to mind and what to do next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from assay.core.digits import as_level, number
from assay.core.errors import joined, number_of
from assay.show.model import Prose, Section, Widget
from assay.stats.bootstrap import Interval
from assay.subjects.ranking.sections.advice import advice
from assay.subjects.ranking.sections.basis import Basis
from assay.subjects.ranking.sections.methods import topics_of
from assay.subjects.ranking.sections.verdicts import badge, by_pair
from assay.verbs.comparison import Finding
from assay.verbs.report.summary import summed_up
from assay.verbs.report.texts import values_of_systems
from assay.verbs.sections.sentences import conflict, headline, of_group, of_verdict

_MOST_NAMES = 6
#: Groups of systems with the same verdict, in their order.
_GROUPS = ("better", "higher", "equivalent", "identical", "worse", "lower", "inconclusive")


def summary(basis: Basis) -> Iterator[Section]:
    """What was found in words, the verdicts at a glance, what to do, and what to mind; numbers wait for the cards."""
    sentences, caveats, next_step = list(_sentences(basis)), list(_caveats(basis)), advice(basis)
    tables = (basis.evaluation, basis.shown.texts.topics, basis.shown.texts.documents)
    warnings = [warning for table in tables if table is not None for warning in table.warnings]
    claims = tuple(Prose(text, "claim") for text in sentences)
    to_do = None
    if next_step is not None:
        commands = (next_step.command,) if next_step.command else ()
        to_do = Prose(next_step.text, "advice", commands, "What to do")
    data = {
        "summary": sentences,
        "caveats": caveats,
        "warnings": warnings,
        "advice": None if next_step is None else next_step._asdict(),
        "alpha": basis.settings.alpha,
        "measures": [{"name": name, "higher_is_better": basis.higher_is_better(name)} for name in basis.measures],
    }
    glance = Widget("glance", _glance(basis, sentences), claims)
    yield summed_up(_lead(basis), [glance], to_do, [*caveats, *warnings], data)


def _lead(basis: Basis) -> str:
    counts = [number_of("system", len(basis.systems))]
    if basis.evaluation is None:
        counts.append(number_of(basis.unit_kind, len(basis.paired[basis.main].units)))
    else:
        counts.append(topics_of(basis, basis.evaluation))
        counts.append(number_of("judgment", basis.evaluation.qrels.frame.height))
    lower = f"; lower {basis.main} is better" if basis.higher_is_better(basis.main) is False else ""
    return ", ".join(counts) + lower


def _glance(basis: Basis, sentences: Sequence[str]) -> dict[str, Any]:
    """The verdicts in a line of words, each a link to its card: on each system, or on the only one by each measure."""
    pairs, (claim, *others) = by_pair(basis), sentences
    if len(pairs) == len(basis.systems) - 1 == 1 and pairs[0][0].measure == basis.main:
        # Of a single pair the sentences are full of numbers: its card has them, and a mark for every measure.
        claim, others = f"{headline(pairs[0][0])} under {basis.main}.", []
    links: list[tuple[str, Finding, int]]
    if len(pairs) == 1:
        links = [(finding.measure, finding, 1) for finding in pairs[0]]
    else:
        links = [(findings[0].system, findings[0], place) for place, findings in enumerate(pairs, start=1)]
    compared = {finding.system for name in basis.measures for finding in basis.findings(name)}
    return {
        "claim": claim,
        "sentences": others,
        "links": [{"name": name, "to": f"v{place}", "verdict": badge(finding)} for name, finding, place in links],
        "rest": len(compared) - len(pairs),
    }


def _sentences(basis: Basis) -> Iterator[str]:
    """Who is better, and how sure: a few sentences that stand above all else."""
    findings = basis.findings()
    if not findings:
        yield from _without_comparison(basis)
    elif len(findings) == 1:
        yield of_verdict(findings[0], basis.unit_kind)
        if clash := conflict(findings[0], basis.unit_kind):
            yield clash
        yield from _other_measures(basis)
    else:
        yield _of_groups(findings, basis.main, basis.baseline)
        best = basis.systems[0]
        value, interval = basis.standings[basis.main, best]
        if not math.isnan(value):
            top = "highest" if basis.higher_is_better(basis.main) is None else "best"
            yield f"{best} has the {top} number, {number(value)} ({_reach(interval)})."


def _caveats(basis: Basis) -> Iterator[str]:
    """What unjudged documents could do to the verdicts by the main measure, or that nobody could look at it."""
    findings = basis.findings()
    looked_at = [finding for finding in basis.told if finding.measure == basis.main]
    if any(map(basis.is_unchecked, looked_at)):
        what = "this verdict" if len(findings) == 1 else "these verdicts"
        yield f"Unjudged documents were not checked: with other grades for them, {what} could be another."
    depend = sum(bool(finding.verdict.unjudged) for finding in looked_at)
    if depend:
        which = "This verdict depends" if len(findings) == 1 else f"{depend} of {len(looked_at)} verdicts depend"
        yield f"{which} on unjudged documents: with other grades for them, the difference could change its sign."


def _without_comparison(basis: Basis) -> Iterator[str]:
    if len(basis.systems) == 1:
        value, interval = basis.standings[basis.main, basis.systems[0]]
        known = "no number" if math.isnan(value) else number(value)
        reach = f" ({_reach(interval)})" if interval.is_known else ""
        yield f"{basis.systems[0]} has {known} under {basis.main}{reach}."
        yield "There is no other system to compare it with."
        return
    values = values_of_systems({name: basis.standings[basis.main, name][0] for name in basis.systems}, _MOST_NAMES)
    yield f"Under {basis.main}, {values}."
    yield f"The {number_of('system', len(basis.systems))} are not compared by {basis.main}: see the notes."


def _reach(interval: Interval) -> str:
    return f"{as_level(interval.level)} interval {number(interval.low)} to {number(interval.high)}"


def _other_measures(basis: Basis) -> Iterator[str]:
    """The verdict on the only pair by the other measures, in a sentence."""
    groups: dict[str, list[str]] = {}
    for name in basis.measures[1:]:
        for finding in basis.findings(name):
            groups.setdefault(finding.verdict.word, []).append(name)
    if groups:
        words = "; ".join(f"{word} under {joined(names, most=_MOST_NAMES)}" for word, names in groups.items())
        yield f"By the other measures: {words}."


def _of_groups(findings: Sequence[Finding], measure: str, baseline: str) -> str:
    clauses: list[str] = []
    for word in _GROUPS:
        names = [finding.system for finding in findings if finding.verdict.word == word]
        if names:
            systems = joined(names, most=_MOST_NAMES)
            clauses.append(of_group(word, systems, "it" if clauses else baseline, many=len(names) > 1))
    return f"Under {measure}, {'; '.join(clauses)}."
