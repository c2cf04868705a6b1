"""What to do next, in one line, read off the findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.core.digits import as_level, as_percent, number
from assay.core.errors import joined, number_of, several
from assay.core.words import opening
from assay.stats.verdict import FEWEST_UNITS
from assay.subjects.ranking.sections.basis import Basis
from assay.verbs.comparison import Finding
from assay.verbs.sections.sentences import detecting

#: A share of unjudged documents that is worth naming; below it, their number says more.
_WORTH_NAMING = 0.05


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
        return _without_findings(basis)
    chosen = next((finding for finding in findings if finding.verdict.word == "better"), findings[0])
    text, command = _of(basis, chosen)
    return ReportAdvice(text if len(findings) == 1 else f"{chosen.system}: {text[0].lower()}{text[1:]}", command)


def _without_findings(basis: Basis) -> ReportAdvice | None:
    topics = 0 if basis.evaluation is None else len(basis.evaluation.qrels.topics)
    if len(basis.systems) > 1 and topics == 1:
        return ReportAdvice(f"One topic says nothing of others: judge at least {FEWEST_UNITS}, then compare again.")
    return None


def _of(basis: Basis, finding: Finding) -> ReportAdvice:
    word = finding.verdict.word
    if word in {"higher", "lower"}:
        if finding.direction == "unknown":
            return ReportAdvice(
                f"{opening(word)}; state the direction of {finding.measure} to know whether that is good."
            )
        return ReportAdvice(
            f"{opening(word)}, but {finding.measure} is neither good nor bad: choose a measure that is."
        )
    too_few = word == "inconclusive" and finding.units < FEWEST_UNITS
    if finding.verdict.unjudged and not too_few:
        return _unjudged(basis, finding, opening(word))
    if word == "inconclusive":
        return ReportAdvice(_open(basis, finding))
    if word == "identical":
        return ReportAdvice(
            f"No {basis.unit_kind} differs under {finding.measure}: make sure that these are two systems."
        )
    return _settled(basis, finding)


def _unjudged(basis: Basis, finding: Finding, says: str) -> ReportAdvice:
    """Judge first what the verdict depends on."""
    judged = {} if basis.evaluation is None else dict(basis.evaluation.coverage.select("system", "judged@10").rows())
    least = min((finding.baseline, finding.system), key=lambda name: judged.get(name, math.nan))
    share = 1 - judged.get(least, math.nan)
    open_still = finding.verdict.word == "inconclusive"
    if share >= _WORTH_NAMING and basis.measure(finding.measure).parameters.get("cutoff"):
        why = f"{as_percent(share, 0)} of the top 10 of {least} is unjudged"
    else:
        unjudged = number_of("unjudged document", finding.verdict.unjudged)
        why = f"{unjudged} could {'decide' if open_still else 'turn'} it"
    command = f"assay compare … -m {finding.measure} --judge-next 25"
    return ReportAdvice(f"{says}, {'and' if open_still else 'but'} {why}: judge these first.", command)


def _open(basis: Basis, finding: Finding) -> str:
    """How many units it would take, unless something else stands in the way."""
    is_plain = not math.isnan(finding.difference) and not finding.all_zero and finding.verdict.conflict != "direction"
    if is_plain and FEWEST_UNITS <= finding.units < (finding.needed or 0):
        return f"Inconclusive with {number_of(basis.unit_kind, finding.units)}. {detecting(finding)}"
    return f"Inconclusive: {_more(basis, finding)}."


def _more(basis: Basis, finding: Finding) -> str:
    """What stands in the way of a verdict; or what so many units show, if the margin takes no more."""
    if math.isnan(finding.difference) or finding.all_zero:
        why = finding.verdict.why
        return f"{why}; look at those first" if finding.all_zero else f"{finding.measure} is {why}"
    if finding.units < FEWEST_UNITS:
        return f"{number_of(basis.unit_kind, finding.units)} are too few; get at least {FEWEST_UNITS}"
    if finding.verdict.conflict == "direction":
        test = finding.outcome.test.replace("_", " ")
        return (
            f"the {test} test and the mean point in different ways; look at the {several(basis.unit_kind)} themselves"
        )
    units, power = several(basis.unit_kind), as_level(basis.settings.power)
    if not finding.spread > 0 or math.isnan(finding.detectable):
        return f"more {units} may settle it"
    shown = f"a difference of {number(finding.detectable, 3)} with a power of {power}"
    return f"{finding.units:,} {units} show {shown}, and a smaller one takes more"


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
        return _unjudged(basis, unsure, f"{says}; under {unsure.measure}, too")
    if word == "equivalent":
        within = f"±{finding.margin.value:.3g}"
        return ReportAdvice(f"{says}, within {within}: choose by something else, such as cost or speed.")
    says = f"{opening(word)} {_under(basis, finding, same)}"
    if basis.is_unchecked(finding):
        return ReportAdvice(f"{says}, as far as is judged: what unjudged documents could do was not checked.")
    if word == "worse":
        return ReportAdvice(f"{says}: keep {finding.baseline}.")
    return ReportAdvice(f"{says}: nothing here stands against it.")


def _under(basis: Basis, finding: Finding, same: Sequence[Finding]) -> str:
    """Under which measures the verdict is the same."""
    if 0 < len(same) == len(basis.measures) - 1:
        return "under all measures"
    names = [finding.measure, *(each.measure for each in same)]
    return f"under {joined(names, most=len(names))}"
