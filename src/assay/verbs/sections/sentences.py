"""Findings in plain sentences, for people who ship, publish or teach."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING

from assay.core.digits import as_level, number, numbers, p_phrase, signed, signed_percent
from assay.core.errors import number_of, several
from assay.stats.tests import COUNTING
from assay.stats.verdict import FEWEST_UNITS

if TYPE_CHECKING:
    from assay.stats.bootstrap import Interval
    from assay.verbs.comparison.findings import Finding
    from assay.verbs.comparison.result import Comparison

#: Which way a gain is, where a number is known to be good or bad.
_DIRECTED = {"higher": 1, "lower": -1}
#: What tests look at that are not about the difference itself; {} stands for the units.
_LOOKS_AT = {
    "sign": "the sign test only counts the {} that gain and those that lose",
    "wilcoxon": "Wilcoxon's test looks at the ranks of the differences, not at their sizes",
    "bootstrap_interval": "the test counts on which side of 0 the resamples lie",
    "delong": "the test here counts pairs of a positive and a negative item",
    "5x2cv": "the repeats differ from one another by more than a common difference explains",
}


def sentences(comparison: Comparison) -> Iterator[str]:
    """The findings, a paragraph each; for many systems, what the table says."""
    kind = comparison.samples[0].unit_kind
    if comparison.is_of_many:
        yield from _of_many(comparison)
        return
    power = comparison.settings.power
    pairs = dict.fromkeys((finding.baseline, finding.system) for finding in comparison.findings)
    for pair in pairs:
        findings = [finding for finding in comparison.findings if (finding.baseline, finding.system) == pair]
        for finding in findings:
            yield of_finding(finding, kind, power)
        yield from comparison.further_sentences[pair]


def of_finding(finding: Finding, kind: str, power: float) -> str:
    """One finding in words: the verdict, the numbers behind it, and what it depends on."""
    return " ".join(filter(None, (without_caveat(finding, kind, power), caveat(finding))))


def without_caveat(finding: Finding, kind: str, power: float) -> str:
    """One finding in words, but for what it depends on."""
    if finding.verdict.incomparable:
        return of_verdict(finding, kind)
    parts = (of_verdict(finding, kind), conflict(finding, kind), needed(finding, kind, power), _units(finding, kind))
    return " ".join(filter(None, parts))


def caveat(finding: Finding) -> str:
    """The condition of a finding: unjudged documents that could change its sign; empty if there are none."""
    if not finding.verdict.unjudged or finding.reach is None:
        return ""
    words: str = finding.reach.caveat(finding.difference)
    return words


def headline(finding: Finding) -> str:
    """One finding in a few words, without numbers."""
    system = finding.system
    baseline = finding.baseline
    word = finding.verdict.word
    if finding.verdict.incomparable:
        return f"{system} and {baseline} cannot be compared"
    if word == "identical":
        return f"{system} and {baseline} are identical"
    if word == "equivalent":
        return f"{system} is {'as good' if finding.direction in _DIRECTED else 'about the same'} as {baseline}"
    if math.isnan(finding.difference):
        return f"{system} and {baseline} cannot be compared"
    if word == "inconclusive":
        return f"No clear difference between {system} and {baseline}"
    return f"{system} is {word} than {baseline}"


def of_verdict(finding: Finding, kind: str) -> str:
    """The verdict of one finding with its numbers, in a sentence."""
    claim = f"{headline(finding)} under {finding.measure}"
    verdict = finding.verdict
    has_numbers = not math.isnan(finding.value)  # of preferences, only the difference is known
    if verdict.word == "identical":
        return f"{claim}: no {kind} differs{f' ({number(finding.value)})' if has_numbers else ''}."
    against = " against ".join(numbers([finding.value, finding.baseline_value]))
    if math.isnan(finding.difference):
        return f"{claim}, {verdict.why}: {against}."
    if verdict.incomparable:
        return f"{claim}: {verdict.why} ({against})."
    if finding.all_zero:
        return f"{claim}: no {kind} differs where both have a value ({number(finding.value)}), but {verdict.why}."
    relative = "" if math.isnan(finding.relative) else f" ({signed_percent(finding.relative)})"
    reach = interval_of(finding.interval) if finding.interval.is_known else "no interval"
    values = f"{signed(finding.difference)}{relative} ({reach}{_decided_by(finding)})."
    if has_numbers:
        values = f"{against}, {values}"
    if verdict.word != "equivalent":
        return f"{claim}: {values}"
    small = "There is a real difference, but a negligible one. " if verdict.negligible else ""
    within = f"lies within ±{finding.margin.value:.3g}, the smallest that matters"
    return f"{claim}: whatever difference there is {within}. {small}It has {values}"


def conflict(finding: Finding, kind: str) -> str:
    """The reason why test, interval and difference disagree, and which of them decides; empty where they agree."""
    clash = finding.verdict.conflict
    alpha = round(1 - finding.interval.level, 12)
    differ = finding.wins.won + finding.wins.lost
    looks = _LOOKS_AT.get(finding.outcome.test, "").format(several(kind))
    why = f"the interval is about the mean, and {looks}" if looks else "the two are computed in different ways"
    if clash is None:
        return ""
    if clash == "direction":
        if finding.difference == 0:
            mean = "the same"
        elif finding.difference > 0:
            mean = "higher"
        else:
            mean = "lower"
        way = f"the mean is {mean}, but {looks or 'the test is not about the mean'}"
        return f"The test and the mean do not point the same way: {way}. So there is no verdict."
    if clash == "test only":
        return f"The interval includes 0 although p is below {alpha}: {why}. The test decides."
    if finding.deciding is not None:
        why = "it is of this comparison alone; the wider one for all comparisons together includes 0, and decides"
    elif math.isnan(finding.p):
        why = f"the test gives {finding.outcome.note or 'no p-value'}"
    elif finding.outcome.p < finding.p:
        alone = f"without them, p = {finding.outcome.p:.2g}"
        why = f"it is of this comparison alone; p is corrected for the others ({alone}), and it decides"
    elif _is_exact(finding) and 2.0 ** (1 - differ) >= alpha:
        few = f"{number_of(kind, differ)} {'differs' if differ == 1 else 'differ'}"
        why = f"only {few}: that is too few for this test to give a p-value below {alpha}. The test decides"
    else:
        why = f"p is not below {alpha}: {why}. The test decides"
    return f"The interval excludes 0, but {why}."


def _is_exact(finding: Finding) -> bool:
    return finding.outcome.test in COUNTING and finding.outcome.resamples is None


def of_group(word: str, systems: str, baseline: str, *, many: bool) -> str:
    """The standing of systems with the same verdict to the baseline.

    >>> of_group("better", "a and b", "old", many=True), of_group("inconclusive", "c", "it", many=False)
    ('a and b are better than old', 'c shows no clear difference from it')
    """
    are, is_ = ("show", "shows") if word == "inconclusive" else ("are", "is")
    return f"{systems} {are if many else is_} {relation(word)} {baseline}"


def relation(word: str) -> str:
    """The words between a system and the baseline, by the word of the verdict.

    >>> relation("better"), relation("inconclusive")
    ('better than', 'no clear difference from')
    """
    words = {"equivalent": "as good as", "identical": "identical with", "inconclusive": "no clear difference from"}
    return words.get(word, f"{word} than")


def _decided_by(finding: Finding) -> str:
    """The p-value; where there is no test, the wider interval that decides among several comparisons."""
    deciding = finding.deciding
    if deciding is None:
        return f", {p_phrase(finding.p)}"
    is_wider = deciding.is_known and deciding.level != finding.interval.level
    return f"; for all comparisons together, {interval_of(deciding)}" if is_wider else ""


def interval_of(interval: Interval) -> str:
    """The interval of a difference, with its level."""
    return f"{as_level(interval.level)} interval {signed(interval.low)} to {signed(interval.high)}"


def needed(finding: Finding, kind: str, power: float) -> str:
    """The differences that the units can show, and how many it takes, where a finding is inconclusive; else empty."""
    no_verdict = math.isnan(finding.difference) or finding.verdict.incomparable
    if finding.verdict.word != "inconclusive" or no_verdict:
        return ""
    if finding.units < FEWEST_UNITS:
        return f"{number_of(kind, finding.units)} are too few for any verdict."
    if finding.needed is None or not finding.spread > 0:
        return ""
    return (
        f"Inconclusive with {number_of(kind, finding.units)}: a {_change_of(finding)} of "
        f"{number(finding.detectable, 3)} would be detected {as_level(power)} of the time. {detecting(finding)}"
    )


def detecting(finding: Finding) -> str:
    """The number of units it takes to detect the margin, and a difference like the one observed."""
    change = _change_of(finding)
    like = finding.needed_observed
    size = numbers([abs(finding.difference), finding.margin.value], 2)[0]
    observed = "" if like is None else f"; the {change} observed ({size}), about {like:,}"
    return f"Detecting a {finding.margin.value:.3g} {change} would take about {finding.needed:,}{observed}."


def _change_of(finding: Finding) -> str:
    return "gain" if finding.difference * _DIRECTED.get(finding.direction, 0) > 0 else "difference"


def _units(finding: Finding, kind: str) -> str:
    if finding.all_zero or math.isnan(finding.cliffs_delta):  # or units have no numbers
        return ""
    won, tied, lost = finding.wins
    if not (units := won + tied + lost):  # no unit is of both systems
        return ""
    of = number_of(kind, units)
    return f"The value is higher for {won}, the same for {tied} and lower for {lost} of {of}."


def _of_many(comparison: Comparison) -> Iterator[str]:
    """The number of pairs that could be told apart, and who leads."""
    alpha = comparison.settings.alpha
    power = as_level(comparison.settings.power)
    for sample in comparison.samples:
        findings = [finding for finding in comparison.findings if finding.measure == sample.measure]
        best = comparison.standing(sample.measure)[0]
        if math.isnan(best.value):
            reason = sample.undefined()[0]
            yield f"{sample.measure}: no system has a number{f' ({reason})' if reason else ''}."
            continue
        unsure = [finding for finding in findings if not finding.is_sure(alpha)]
        like = sum(best.system in {finding.system, finding.baseline} for finding in unsure)
        shows = f"{number_of('system', like)} {'shows' if like == 1 else 'show'} no clear difference from it"
        alike = f"; {shows}" if like else "; it differs clearly from all others"
        top = "best" if sample.higher_is_better is not None else "highest"
        pairs = number_of("pair", len(findings))
        parts = [
            f"{sample.measure}: {len(findings) - len(unsure):,} of {pairs} differ clearly",
            f"{best.system} has the {top} number, {number(best.value)}{alike}",
        ]
        if detectable := [finding.detectable for finding in findings if not math.isnan(finding.detectable)]:
            shown = f"a difference of {number(median(detectable), 3)} {power} of the time"
            parts.append(f"A single pair, tested alone, would show {shown} (median over pairs)")
        yield ". ".join(parts) + "."
