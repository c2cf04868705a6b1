"""The verdicts of a report: a card for each pair of systems on a page, elsewhere the table and the sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from assay.comparison import Finding
from assay.core.digits import as_level, numbers, p_phrase, signed, signed_percent
from assay.core.errors import number_of
from assay.core.words import MARKS, tone_of
from assay.reporting.basis import Basis
from assay.reporting.provenance import correction_of
from assay.sections.conflicts import conflict
from assay.sections.direction import counts, meaning, noted
from assay.sections.sentences import caveat, headline, without_caveat
from assay.sections.verdicts import verdicts_table
from assay.show.axis import Axis, around
from assay.show.drawings import Reach, difference, shares, whisker
from assay.show.model import Prose, Section, Widget

#: Up to so many cards show their paragraphs; more show them when asked.
FEW = 2


def verdicts(basis: Basis) -> Iterator[Section | str]:
    """The verdicts by the main measure, then by the others if they are few; and what was left out."""
    told, comparison = basis.told, basis.comparison
    if not told or comparison is None:
        return
    if len(basis.measures) > 1 and all(finding.measure == basis.main for finding in told):
        under, ask = ", ".join(basis.measures[1:]), basis.shown.wording.compare
        if any(map(basis.findings, basis.measures[1:])):
            yield f"verdicts under {under} stand in the table as marks; {ask} gives them in words"
    notes = ["* depends on unjudged documents"] if any(finding.verdict.unjudged for finding in told) else []
    if comparison.correction:
        over = number_of("comparison", comparison.family_size)
        notes.append(f"p corrected ({comparison.correction}, {over}); intervals are not adjusted.")
    elif comparison.family_size > 1:
        notes.append(f"Correction of p: {correction_of(comparison)}; intervals are not adjusted.")
    table = verdicts_table(told, caption=f"Differences from {basis.baseline}", notes=tuple(notes))
    paragraphs = tuple(Prose(text) for finding in told for text in in_words(basis, finding))
    more = {
        "alpha": basis.settings.alpha,
        "correction": comparison.correction,
        "comparisons": comparison.family_size,
        "details": [_details(basis, finding) for finding in told],
    }
    yield Section("verdicts", "Verdicts", (Widget("cards", _cards(basis), (table, *paragraphs)),), data=more)


def in_words(basis: Basis, finding: Finding) -> list[str]:
    """A finding in words, and what it depends on."""
    words = without_caveat(finding, basis.unit_kind, basis.settings.power), caveat(finding)
    return [text for text in words if text]


def badge(finding: Finding) -> dict[str, str]:
    """A verdict in a word, how it is meant, and its mark."""
    word = finding.verdict.word
    small = " (negligible difference)" if finding.verdict.negligible else ""
    return {"word": f"{word}{small}", "tone": tone_of(word), "mark": MARKS.get(word, "")}


def by_pair(basis: Basis) -> list[list[Finding]]:
    """The findings that are told on each system, the one under the main measure first."""
    pairs: dict[str, list[Finding]] = {}
    for finding in basis.told:
        pairs.setdefault(finding.system, []).append(finding)
    return list(pairs.values())


def _details(basis: Basis, finding: Finding) -> dict[str, Any]:
    """What JSON has besides the rows of the table."""
    words = in_words(basis, finding)
    return {
        "measure": finding.measure,
        "system": finding.system,
        **badge(finding),
        "headline": headline(finding),
        "paragraph": words[0],
        "caveat": caveat(finding),
        "depends_on": finding.verdict.unjudged,
        "conflict_says": conflict(finding, basis.unit_kind),
    }


def _cards(basis: Basis) -> dict[str, Any]:
    """A card for each system, in their order, and what there is to know of all cards."""
    pairs, told = by_pair(basis), basis.told
    axes = {name: _axis([each for each in told if each.measure == name]) for name in basis.measures}
    # What is to be said of all is said once, above; a card has it in its words.
    is_said = all(findings[0].verdict.unjudged for findings in pairs)
    alone = len(pairs) if len(pairs) % 3 == 1 else None  # in rows of three the last one has all the room
    every = [
        _card(basis, findings, axes, f"v{place}", is_open=len(pairs) <= FEW or place == alone, is_said=is_said)
        for place, findings in enumerate(pairs, start=1)
    ]
    rest = sum(len(basis.findings(name)) for name in basis.measures) - len(told)
    stand = f"{number_of('more verdict', rest)} {'stands as a mark' if rest == 1 else 'stand as marks'}"
    return {
        "size": "cards one" if len(pairs) == 1 else "cards" if len(pairs) in {2, 4} else "cards many",
        "cards": every,
        "legend": " ".join(_legend(basis)),
        "rest": stand if rest else "",
    }


def _legend(basis: Basis) -> Iterator[str]:
    """What the drawings mean."""
    drawn = next((each for each in basis.told if each.interval.is_known), None)
    if drawn is not None:
        yield f"Line: the {as_level(drawn.interval.level)} interval of the difference."
        if drawn.narrow.is_known:
            level = as_level(drawn.narrow.level)
            yield f"Its thick part: the {level} interval, by which equivalence is judged."
    yield "Shaded: differences too small to matter."
    if basis.comparison is not None and basis.comparison.correction:
        yield "p\u2011values are corrected for several comparisons; intervals are not adjusted for them."


def _axis(findings: Sequence[Finding]) -> Axis:
    """One axis for all differences under a measure, so that cards can be compared by eye."""
    ends = ((each.interval.low, each.interval.high, each.difference, 1.5 * each.margin.value) for each in findings)
    return around([value for low, high, seen, room in ends for value in (low, high, seen, room, -room)])


def _card(
    basis: Basis, findings: Sequence[Finding], axes: dict[str, Axis], name: str, *, is_open: bool, is_said: bool
) -> dict[str, Any]:
    main, *others = findings
    way = basis.higher_is_better(main.measure)
    won, tied, lost = main.wins
    clash, unjudged = conflict(main, basis.unit_kind), main.verdict.unjudged
    caveats = [clash] if clash and not is_open else []
    caveats += [f"It depends on {number_of('unjudged document', unjudged)}."] if unjudged and not is_said else []
    return {
        "id": name,
        "system": main.system,
        "verdict": badge(main),
        "measure": f"{main.measure}{noted(way, ', ')}",
        "headline": headline(main),
        "difference": signed(main.difference),
        "relative": "" if math.isnan(main.relative) else signed_percent(main.relative),
        "both": " → ".join(numbers([main.baseline_value, main.value])),
        "drawing": difference(axes[main.measure], _reach(main), _narrow(main), main.margin.value, _says(main)),
        "facts": list(_facts(basis, main)),
        "shares": shares(
            {meaning(1, way): won, "tied": tied, meaning(-1, way): lost},
            f"higher for {won}, the same for {tied}, lower for {lost}",
        ),
        "counts": counts(won, tied, lost, way),
        "words": in_words(basis, main),
        "caveats": caveats,
        "is_open": is_open,
        "others": [
            {
                "measure": each.measure,
                "way": noted(basis.higher_is_better(each.measure)),
                "verdict": badge(each),
                "difference": signed(each.difference),
                "drawing": whisker(axes[each.measure], _reach(each), _says(each), badge(each)["tone"]),
                "words": in_words(basis, each),
            }
            for each in others
        ],
    }


def _facts(basis: Basis, finding: Finding) -> Iterator[str]:
    """The numbers below the drawing."""
    interval, comparison = finding.interval, basis.comparison
    if interval.is_known:
        yield f"{as_level(interval.level)} interval {signed(interval.low)} to {signed(interval.high)}"
    if not math.isnan(finding.p):
        correction = "" if comparison is None else comparison.correction
        size = 0 if comparison is None else comparison.family_size
        yield p_phrase(finding.p) + (f" ({correction}, {number_of('comparison', size)})" if correction else "")
    if not math.isnan(finding.d_z):
        yield f"d_z {signed(finding.d_z, 2)}"


def _reach(finding: Finding) -> Reach:
    return Reach(finding.difference, finding.interval.low, finding.interval.high)


def _narrow(finding: Finding) -> Reach:
    return Reach(finding.difference, finding.narrow.low, finding.narrow.high)


def _says(finding: Finding) -> str:
    text = f"{finding.system} less {finding.baseline} under {finding.measure}: {signed(finding.difference)}"
    ends = f", interval {signed(finding.interval.low)} to {signed(finding.interval.high)}"
    return (text + (ends if finding.interval.is_known else "")).replace("-", "−")
