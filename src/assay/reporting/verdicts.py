"""What was found, in words: the verdicts, what stands above them, and what users would notice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.comparison import Comparison, Finding
from assay.core.digits import as_level, number
from assay.core.errors import joined, number_of
from assay.core.words import tone_of
from assay.report.written import MARKS
from assay.reporting.basis import Basis
from assay.reporting.contents import NoticedOf, Spoken
from assay.reporting.naming import values_of_systems
from assay.sections.conflicts import conflict
from assay.sections.sentences import caveat, headline, of_group, of_verdict, seen_by_users, without_caveat

#: Verdicts under other measures than the main one are told in words as long as all are not more than this.
MOST_VERDICTS = 12
_MOST_NAMES = 6
#: Groups of systems with the same verdict, in their order.
_GROUPS = ("better", "higher", "equivalent", "identical", "worse", "lower", "inconclusive")


def verdicts(basis: Basis) -> tuple[list[Spoken], list[str]]:
    """The verdicts by the main measure, then by the others if they are few; and what was left out."""
    if basis.comparison is None:
        return [], []
    told = [one for one in basis.findings() if one.system in basis.detailed]
    others = [one for name in basis.measures[1:] for one in basis.findings(name) if one.system in basis.detailed]
    notes = []
    if others and len(told) + len(others) > MOST_VERDICTS:
        under = ", ".join(basis.measures[1:])
        notes.append(f"verdicts under {under} stand in the table as marks; assay compare -m gives them in words")
        others = []
    return [spoken(one, basis.comparison, basis.unit_kind) for one in (*told, *others)], notes


def spoken(finding: Finding, comparison: Comparison, unit_kind: str) -> Spoken:
    """A finding in words, with its numbers and what its p-value is corrected for."""
    return Spoken(
        measure=finding.measure,
        baseline=finding.baseline,
        system=finding.system,
        tone=tone_of(finding.verdict.word),
        word=f"{finding.verdict.word}{' (negligible difference)' if finding.verdict.negligible else ''}",
        headline=headline(finding),
        paragraph=without_caveat(finding, unit_kind, comparison.settings.power),
        caveat=caveat(finding),
        baseline_value=finding.baseline_value,
        value=finding.value,
        difference=finding.difference,
        relative=finding.relative,
        low=finding.interval.low,
        high=finding.interval.high,
        level=finding.interval.level,
        p=finding.p,
        d_z=finding.d_z,
        margin=finding.margin.value,
        won=finding.wins.won,
        tied=finding.wins.tied,
        lost=finding.wins.lost,
        mark=MARKS.get(finding.verdict.word, ""),
        unjudged=finding.verdict.unjudged,
        p_uncorrected=finding.outcome.p,
        comparisons=comparison.family_size,
        correction=comparison.correction,
        narrow_low=finding.narrow.low,
        narrow_high=finding.narrow.high,
        narrow_level=finding.narrow.level,
        conflict=finding.verdict.conflict or "",
        conflict_says=conflict(finding, unit_kind),
    )


def summary(basis: Basis) -> Iterator[str]:
    """Who is better, and how sure: a few sentences that stand above all else."""
    findings = basis.findings()
    if basis.comparison is None or not findings:
        yield from _without_comparison(basis)
        return
    if len(findings) == 1:
        yield of_verdict(findings[0], basis.unit_kind)
        if clash := conflict(findings[0], basis.unit_kind):
            yield clash
        yield from _other_measures(basis)
    else:
        yield _of_groups(findings, basis.main, basis.baseline)
        best = basis.systems[0]
        value, interval = basis.standings[basis.main, best]
        if math.isnan(value):
            return
        top = "highest" if basis.higher_is_better(basis.main) is None else "best"
        reach = _interval(interval.low, interval.high, interval.level)
        yield f"{best} has the {top} number, {number(value)} ({reach})."


def caveats(basis: Basis) -> Iterator[str]:
    """What unjudged documents could do to the verdicts by the main measure, or that nobody could look at it."""
    findings = basis.findings()
    if basis.is_unchecked:
        what = "this verdict" if len(findings) == 1 else "these verdicts"
        yield f"Unjudged documents were not checked: with other grades for them, {what} could be another."
    depend = sum(bool(one.verdict.unjudged) for one in findings)
    if depend:
        which = "This verdict depends" if len(findings) == 1 else f"{depend} of {len(findings)} verdicts depend"
        yield f"{which} on unjudged documents: with other grades for them, the difference could change its sign."


def noticed(basis: Basis) -> list[NoticedOf]:
    """What users would notice of each system in place of the baseline."""
    return [
        NoticedOf(one.baseline, one.system, seen_by_users(one.noticed))
        for one in basis.findings()
        if one.system in basis.detailed and one.noticed is not None
    ]


def _without_comparison(basis: Basis) -> Iterator[str]:
    if len(basis.systems) == 1:
        value, interval = basis.standings[basis.main, basis.systems[0]]
        said = f" ({_interval(interval.low, interval.high, interval.level)})" if interval.is_known else ""
        yield f"{basis.systems[0]} has {_number(value)} under {basis.main}{said}."
        yield "There is no other system to compare it with."
        return
    told = values_of_systems({name: basis.standings[basis.main, name][0] for name in basis.systems}, _MOST_NAMES)
    yield f"Under {basis.main}, {told}."
    yield f"The {number_of('system', len(basis.systems))} are not compared by {basis.main}: see the notes."


def _other_measures(basis: Basis) -> Iterator[str]:
    """The verdict on the only pair by the other measures, in a sentence."""
    groups: dict[str, list[str]] = {}
    for name in basis.measures[1:]:
        for one in basis.findings(name):
            groups.setdefault(one.verdict.word, []).append(name)
    if groups:
        told = "; ".join(f"{word} under {joined(names, most=_MOST_NAMES)}" for word, names in groups.items())
        yield f"By the other measures: {told}."


def _of_groups(findings: Sequence[Finding], measure: str, baseline: str) -> str:
    told: list[str] = []
    for word in _GROUPS:
        names = [one.system for one in findings if one.verdict.word == word]
        if names:
            systems = joined(names, most=_MOST_NAMES)
            told.append(of_group(word, systems, "it" if told else baseline, many=len(names) > 1))
    return f"Under {measure}, {'; '.join(told)}."


def _number(value: float) -> str:
    return "no number" if math.isnan(value) else number(value)


def _interval(low: float, high: float, level: float) -> str:
    return f"{as_level(level)} interval {number(low)} to {number(high)}"
