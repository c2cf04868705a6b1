"""Findings in plain sentences, for people who ship, publish or teach."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING

from assay.errors import number_of
from assay.report.layout import NOT_AVAILABLE, number
from assay.stats.verdict import FEWEST_UNITS, percent

if TYPE_CHECKING:
    from assay.classification.pairing import Flips
    from assay.clustering.pairing import Alike
    from assay.comparison.findings import Finding
    from assay.comparison.result import Comparison
    from assay.rankings.noticed import Noticed

#: Who reads a comparison of many pairs wants a table; sentences are for a few.
MOST_SENTENCES = 12


def sentences(comparison: Comparison) -> Iterator[str]:
    """What was found, a paragraph a finding; for many systems, what the table says."""
    kind = comparison.paired[0].unit_kind
    if comparison.pairs.all_pairs and len(comparison.findings) > MOST_SENTENCES:
        yield from _of_many(comparison)
        return
    power = comparison.settings.power
    pairs = dict.fromkeys((finding.baseline, finding.system) for finding in comparison.findings)
    for pair in pairs:
        findings = [finding for finding in comparison.findings if (finding.baseline, finding.system) == pair]
        for finding in findings:
            yield of_finding(finding, kind, power)
        if findings[0].noticed is not None:
            yield of_noticed(findings[0].noticed, *(pair if len(pairs) > 1 else ("", "")))
        if findings[0].flips is not None:
            yield of_flips(findings[0].flips, *pair)
        if comparison.clusterings is not None and findings[0].verdict.word != "identical":
            yield of_alike(comparison.clusterings.alike(*pair), *pair)


def of_finding(finding: Finding, kind: str, power: float) -> str:
    """One finding in words: the verdict, the numbers behind it, and what it depends on."""
    return " ".join(part for part in (without_caveat(finding, kind, power), caveat(finding)) if part)


def without_caveat(finding: Finding, kind: str, power: float) -> str:
    """One finding in words, but for what it depends on."""
    parts = (of_verdict(finding, kind), _needed(finding, kind, power), _units(finding, kind))
    return " ".join(part for part in parts if part)


def caveat(finding: Finding) -> str:
    """What a finding depends on: unjudged documents that could change its sign; empty if there are none."""
    if not finding.verdict.unjudged or finding.reach is None:
        return ""
    reach, difference = finding.reach, finding.difference
    turns = reach.low < 0 if difference > 0 else reach.high > 0 if difference < 0 else reach.low < reach.high
    number = finding.verdict.unjudged
    return (
        f"It {'depends' if turns else 'may depend'} on unjudged documents: {number_of('document', number)} within "
        f"reach of the measure {'has' if number == 1 else 'have'} no judgment, and with other grades the difference "
        f"could lie anywhere from {signed(reach.low)} to {signed(reach.high)}"
        f"{'' if reach.exact else ', perhaps further: there were too many grades to try all'}."
    )


def headline(finding: Finding) -> str:
    """One finding in a few words, without numbers."""
    system, baseline, word = finding.system, finding.baseline, finding.verdict.word
    if word == "identical":
        return f"{system} and {baseline} are identical"
    if word == "equivalent":
        return f"{system} is as good as {baseline}"
    if word == "cannot tell":
        return f"One cannot tell {system} from {baseline}"
    return f"{system} is {word} than {baseline}"


def of_verdict(finding: Finding, kind: str) -> str:
    """The verdict of one finding with its numbers, in a sentence."""
    system, baseline, measure, word = finding.system, finding.baseline, finding.measure, finding.verdict.word
    if word == "identical":
        return f"{system} and {baseline} are identical under {measure}: no {kind} differs ({finding.value:.4f})."
    if math.isnan(finding.difference):
        both = {baseline: finding.baseline_value, system: finding.value}
        absent = " and ".join(name for name, value in both.items() if math.isnan(value))
        return (
            f"One cannot tell whether {system} is better or worse than {baseline} under {measure}: no number "
            f"of {absent} ({number(finding.value)} against {number(finding.baseline_value)})."
        )
    numbers = f"{finding.value:.4f} against {finding.baseline_value:.4f}, {_change(finding)}"
    interval, p = _interval(finding), _decided_by(finding)
    if word == "equivalent":
        small = "There is a real difference, but a negligible one. " if finding.verdict.negligible else ""
        return (
            f"{system} is as good as {baseline} under {measure}: whatever difference there is lies within "
            f"±{finding.margin.value:g}, the smallest that matters. {small}It has {numbers} ({interval}{p})."
        )
    if word in {"better", "worse", "higher", "lower"}:
        return f"{system} is {word} than {baseline} under {measure}: {numbers} ({interval}{p})."
    said = f"One cannot tell whether {system} is better or worse than {baseline} under {measure}"
    return f"{said}: {numbers} ({interval}{p})."


def _decided_by(finding: Finding) -> str:
    """The p-value; where there is no test, the wider interval that decides among several comparisons."""
    deciding = finding.deciding
    if deciding is None:
        return f", p {p_value(finding.p)}"
    if not deciding.is_known or deciding.level == finding.interval.level:
        return ""
    low, high = signed(deciding.low), signed(deciding.high)
    return f"; for all comparisons together, {percent(deciding.level)} interval {low} to {high}"


def _needed(finding: Finding, kind: str, power: float) -> str:
    """What it would take to tell, where one cannot."""
    if finding.verdict.word != "cannot tell":
        return ""
    if finding.units < FEWEST_UNITS:
        return f"{number_of(kind, finding.units)} are too few to tell anything."
    if finding.needed is None or not finding.spread > 0:
        return ""
    units, needed = number_of(kind, finding.units), number_of(kind, finding.needed)
    return (
        f"With {units}, a difference of {finding.detectable:.3f} would be detected {power:.0%} of the time; "
        f"to detect {finding.margin.value:g} that often takes about {needed}."
    )


def _units(finding: Finding, kind: str) -> str:
    if finding.verdict.word == "identical" or math.isnan(finding.cliffs_delta):  # or units have no numbers
        return ""
    won, tied, lost = finding.wins
    of = number_of(kind, won + tied + lost)
    return f"The value is higher for {won}, the same for {tied} and lower for {lost} of {of}."


def of_flips(flips: Flips, baseline: str, system: str) -> str:
    """How many items one classifier has right that the other has wrong.

    >>> from assay.classification.pairing import Flips
    >>> of_flips(Flips(items=200, fixed=14, broken=5, changed=0), "old", "new")
    'Of 200 items, new fixed 14 that old has wrong, and broke 5 that old has right.'
    """
    items = number_of("item", flips.items)
    if not (flips.fixed or flips.broken or flips.changed):
        return f"{system} and {baseline} predict the same for all of {items}."
    said = f"Of {items}, {system} fixed {flips.fixed:,} that {baseline} has wrong, and broke {flips.broken:,} that "
    said += f"{baseline} has right"
    return said + (f"; {flips.changed:,} went from one mistake to another." if flips.changed else ".")


def of_alike(alike: Alike, baseline: str, system: str) -> str:
    """How alike two clusterings are, whatever they are worth.

    >>> from assay.clustering.pairing import Alike
    >>> of_alike(Alike(items=200, moved=14, ari=0.8123), "old", "new")
    'Of 200 items, new puts 14 in another cluster than old, names of clusters aside (adjusted Rand index 0.8123).'
    """
    index = NOT_AVAILABLE if math.isnan(alike.ari) else f"{alike.ari:.4f}"
    return (
        f"Of {number_of('item', alike.items)}, {system} puts {alike.moved:,} in another cluster than {baseline}, names "
        f"of clusters aside (adjusted Rand index {index})."
    )


def of_noticed(seen: Noticed, baseline: str = "", system: str = "") -> str:
    """What users would see of it."""
    what = f"What users would notice of {system} in place of {baseline}" if system else "What users would notice"
    return f"{what}: {seen_by_users(seen)}"


def seen_by_users(seen: Noticed) -> str:
    """The same without saying that it is about users, to go on after a colon."""
    moves = [
        f"{words} for {count}"
        for words, count in (
            ("moves up", seen.first_relevant_up),
            ("down", seen.first_relevant_down),
            ("appears", seen.first_relevant_appears),
            ("disappears", seen.first_relevant_disappears),
        )
        if count
    ]
    first = f"the first result changes for {seen.first_result_changes} of {number_of('query', seen.queries)}"
    if not moves:
        return f"{first}; the first relevant result stays where it is."
    listed = moves[0] if len(moves) == 1 else f"{', '.join(moves[:-1])} and {moves[-1]}"
    return f"{first}; the first relevant result {listed}."


def _of_many(comparison: Comparison) -> Iterator[str]:
    """How many pairs could be told apart, and who leads."""
    alpha = comparison.settings.alpha
    for paired in comparison.paired:
        of_measure = [one for one in comparison.findings if one.measure == paired.measure]
        apart = sum(one.is_sure(alpha) for one in of_measure)
        best = comparison.standing(paired.measure)[0]
        like = [one for one in of_measure if best.system in {one.system, one.baseline} and not one.is_sure(alpha)]
        detectable = [one.detectable for one in of_measure if not math.isnan(one.detectable)]
        said = (
            f"{paired.measure}: {apart:,} of {number_of('pair', len(of_measure))} can be told apart. {best.system} has "
            f"the best number, {best.value:.4f}"
        )
        said += (
            f"; {number_of('system', len(like))} cannot be told from it" if like else ", and is apart from all others"
        )
        if detectable:
            said += (
                f". A single pair, tested alone, would show a difference of {median(detectable):.3f} "
                f"{comparison.settings.power:.0%} of the time (median over pairs)"
            )
        yield said + "."


def _change(finding: Finding) -> str:
    """The difference, absolute and relative."""
    if math.isnan(finding.relative):
        return signed(finding.difference)
    return f"{signed(finding.difference)} ({finding.relative:+.1%})"


def signed(value: float) -> str:
    """A difference with its sign.

    >>> signed(0.05), signed(-0.0), signed(math.nan)
    ('+0.0500', '0.0000', 'NA')
    """
    if math.isnan(value):
        return NOT_AVAILABLE
    return f"{value:+.4f}" if round(value, 4) else "0.0000"


def _interval(finding: Finding) -> str:
    """The interval of the difference."""
    if not finding.interval.is_known:
        return "no interval"
    low, high = signed(finding.interval.low), signed(finding.interval.high)
    return f"{finding.interval.level:.0%} interval {low} to {high}"


def p_value(p: float) -> str:
    """A p-value as papers print it.

    >>> p_value(0.04), p_value(0.00001)
    ('= 0.0400', '< 0.0001')
    """
    if math.isnan(p):
        return "not available"
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}"
