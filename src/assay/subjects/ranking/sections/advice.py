"""What to do next, in one line, read off the findings."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.core.errors import joined, number_of, several
from assay.core.words import opening
from assay.stats.verdict import FEWEST_UNITS
from assay.subjects.ranking.sections.basis import Basis
from assay.verbs.comparison import Finding
from assay.verbs.sections.sentences import detecting


class ReportAdvice(NamedTuple):
    """What to do next: a sentence, and what to type for that; empty where there is nothing.

    >>> print(ReportAdvice("Judge these first.", "assay compare …"))
    Judge these first (assay compare …).
    """

    text: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.text.removesuffix('.')} ({self.command})." if self.command else self.text


def advice(basis: Basis) -> ReportAdvice | None:
    """One line on what to do next; None without anything to compare.

    Of several systems, it is about the best one that is better than the baseline; if none is, about the best.
    """
    findings = basis.findings()
    if not findings:
        return None
    chosen = next((finding for finding in findings if finding.verdict.word == "better"), findings[0])
    text, command = _of(basis, chosen)
    return ReportAdvice(text if len(findings) == 1 else f"{chosen.system}: {text[0].lower()}{text[1:]}", command)


def _of(basis: Basis, finding: Finding) -> ReportAdvice:
    word, measure = finding.verdict.word, finding.measure
    if word in {"higher", "lower"}:
        known = f"{measure} is neither good nor bad: choose a measure that is"
        stated = f"state the direction of {measure} to know whether that is good"
        return ReportAdvice(f"{opening(word)}; {stated if finding.direction == 'unknown' else known}.")
    if finding.verdict.unjudged and (word != "inconclusive" or finding.units >= FEWEST_UNITS):
        return _unjudged(finding, opening(word))
    if word == "inconclusive":
        return ReportAdvice(_open(basis, finding))
    if word == "identical":
        return ReportAdvice(f"No {basis.unit_kind} differs under {measure}: make sure that these are two systems.")
    return _settled(basis, finding)


def _unjudged(finding: Finding, says: str) -> ReportAdvice:
    """Judge first what the verdict depends on."""
    link, could = ("and", "decide") if finding.verdict.word == "inconclusive" else ("but", "turn")
    why = f"{number_of('unjudged document', finding.verdict.unjudged)} could {could} it"
    command = f"assay compare … -m {finding.measure} --judge-next 25"
    return ReportAdvice(f"{says}, {link} {why}: judge these first.", command)


def _open(basis: Basis, finding: Finding) -> str:
    """How many units it would take, unless something else stands in the way."""
    units = number_of(basis.unit_kind, finding.units)
    if math.isnan(finding.difference) or finding.all_zero:
        return f"Inconclusive: {finding.measure} is {finding.verdict.why}."
    if finding.units < FEWEST_UNITS:
        return f"Inconclusive: {units} are too few; get at least {FEWEST_UNITS}."
    if finding.units < (finding.needed or 0) and finding.verdict.conflict != "direction":
        return f"Inconclusive with {units}. {detecting(finding)}"
    return f"Inconclusive: more {several(basis.unit_kind)} may settle it."


def _settled(basis: Basis, finding: Finding) -> ReportAdvice:
    """A verdict that no unjudged document is known to turn round: what the other measures say against it."""
    others = [each for name in basis.measures[1:] for each in basis.findings(name) if each.system == finding.system]
    word = finding.verdict.word
    against = {"better": ["worse"], "worse": ["better"]}.get(word, ["better", "worse"])
    opposed = [f"{each.verdict.word} under {each.measure}" for each in others if each.verdict.word in against]
    says = f"{opening(word)} under {finding.measure}"
    if opposed:
        return ReportAdvice(f"{says}, but {', '.join(opposed)}: decide which matters.")
    same = [each for each in others if each.verdict.word == word]
    unsure = next((each for each in same if each.verdict.unjudged), None)
    if unsure is not None:
        return _unjudged(unsure, f"{says}; under {unsure.measure}, too")
    if word == "equivalent":
        return ReportAdvice(f"{says}: choose by something else, such as cost or speed.")
    names = [finding.measure, *(each.measure for each in same)]
    under = "all measures" if 1 < len(names) == len(basis.measures) else joined(names, most=len(names))
    says = f"{opening(word)} under {under}"
    if basis.is_unchecked(finding):
        return ReportAdvice(f"{says}, as far as is judged: what unjudged documents could do was not checked.")
    return ReportAdvice(
        f"{says}: {f'keep {finding.baseline}' if word == 'worse' else 'nothing here stands against it'}."
    )
