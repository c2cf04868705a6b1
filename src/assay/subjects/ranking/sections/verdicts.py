"""The table of systems with intervals, and the cards of verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import polars as pl

from assay.core.digits import as_level, numbers, p_phrase, signed, signed_percent
from assay.core.errors import listed, number_of
from assay.core.words import LEGEND, MARKS, counts, meaning, noted, tone_of
from assay.show.canvas import Reach, shares, ticks, whisker
from assay.show.cells import best
from assay.show.figure import Axis, around
from assay.show.model import Column, Prose, Section, Table, Widget
from assay.stats.bootstrap import Interval
from assay.subjects.ranking.evidence import Evidence
from assay.verbs.comparison import Comparison, Finding
from assay.verbs.sections.comparisons import verdicts_table
from assay.verbs.sections.reports import correction_of
from assay.verbs.sections.sentences import caveat, conflict, headline, interval_of, without_caveat

#: What a mark rests on where it is not a test.
_NOT_TESTED = {"≈": "the difference lies within the margin", "=": "no value differs"}

_MANY = 24


def systems(basis: Evidence) -> Iterator[Section]:
    """One row per system, best first: its numbers with intervals, marked where they differ from the baseline's."""
    judged: dict[str, float] = {}
    if basis.evaluation is not None and not basis.is_complete:
        judged = dict(basis.evaluation.coverage.select("system", "judged@10").rows())
    scores, rows = list[dict[str, Any]](), list[dict[str, Any]]()
    for system in basis.systems:
        row: dict[str, Any] = {"system": system, "baseline": system == basis.baseline}
        for name in basis.measures:
            score = _score(basis, name, system)
            row |= {name: score["value"], f"{name} low": score["low"], f"{name} high": score["high"]}
            row |= {f"_{name} word": score["word"], f"_{name} says": score["says"]}
            scores.append(score)
        rows.append(row | {"judged@10": judged.get(system, math.nan)})
    frame = pl.DataFrame(rows, infer_schema_length=None)
    columns = [Column("system"), *(_column(basis, frame, name) for name in basis.measures)]
    if any(not math.isnan(share) for share in judged.values()):
        columns.append(Column("judged@10", kind="percent"))
    notes = tuple(filter(None, [" ".join(_legend(basis, scores, columns))]))
    caption = "Systems, with intervals"
    table = Table("systems", frame, tuple(columns), caption, notes, marked="baseline", look="systems")
    tops = {column.name: best(frame[column.name], column.best) for column in columns[1:]}
    data = [score | {"is_best": score["value"] == tops[score["measure"]]} for score in scores]
    yield Section("systems", "Systems", (table,), data={"scores": data})


def _score(basis: Evidence, measure: str, system: str) -> dict[str, Any]:
    """A system's number under one measure, and how it stands to the baseline's, if it was compared."""
    value, interval = basis.standings[measure, system]
    finding = next((each for each in basis.findings(measure) if each.system == system), None)
    score = {"system": system, "measure": measure, "value": value, "low": interval.low, "high": interval.high}
    if finding is None:
        return score | {"difference": math.nan, "p": math.nan, "verdict": "", "word": "", "mark": "", "says": ""}
    word = finding.verdict.word
    mark = MARKS.get(word, "")
    means = LEGEND.get(mark, "")
    if not math.isnan(finding.difference):
        means = f"{means}: {signed(finding.difference)}, {p_phrase(finding.p)}".replace("-", "−")
    numbers = {"difference": finding.difference, "p": finding.p}
    return score | numbers | {"verdict": str(finding.verdict), "word": word, "mark": mark, "says": means}


#: The end of a measure's numbers that is best, by whether higher is better.
_BEST: dict[bool | None, Literal["high", "low"] | None] = {True: "high", False: "low", None: None}


def _column(basis: Evidence, frame: pl.DataFrame, measure: str) -> Column:
    """A measure's numbers, with decimals until they differ; intervals on one axis."""
    ends = (f"{measure} low", f"{measure} high")
    way = basis.higher_is_better(measure)
    values = (value for name in (measure, *ends) for value in frame[name].to_list())
    return Column(
        measure,
        kind="estimate",
        least=4,
        compared="column",
        best=_BEST[way],
        ends=ends,
        axis=around(values, zero=False),
        mark=f"_{measure} word",
        hint=f"_{measure} says",
        note=noted(way),
    )


def _legend(basis: Evidence, scores: list[dict[str, Any]], columns: list[Column]) -> Iterator[str]:
    """The legend of marks: what stands out, and what they rest on."""
    if len(basis.systems) > _MANY:
        yield f"{number_of('system', len(basis.systems))} in all."
    ranked = {column.name for column in columns if column.best is not None}
    values = [{score["value"] for score in scores if score["measure"] == name} for name in ranked]
    if any(len({value for value in column if not math.isnan(value)}) > 1 for column in values):
        yield "Bold: the best number of its column."
    if lower := [name for name in basis.measures if basis.higher_is_better(name) is False]:
        yield f"Lower {listed(lower)} is better."
    used = {score["mark"] for score in scores}
    tested = f"p below {basis.settings.alpha:g}"
    yield from (f"{mark} {says} ({_NOT_TESTED.get(mark, tested)})." for mark, says in LEGEND.items() if mark in used)
    if any(not math.isnan(score["low"]) for score in scores):
        yield f"Each number has its {as_level(1 - basis.settings.alpha)} interval."


#: Up to so many cards show their paragraphs; more show them when asked.
FEW = 2


def verdicts(basis: Evidence) -> Iterator[Section | str]:
    """The verdicts by the main measure, then by the others if they are few; and what was left out."""
    findings, comparison = basis.told, basis.comparison
    if not findings or comparison is None:
        return
    others = basis.measures[1:]
    if any(map(basis.findings, others)) and all(finding.measure == basis.main for finding in findings):
        yield f"verdicts under {', '.join(others)} stand in the table as marks; `compare` gives them in words"
    notes = ["* depends on unjudged documents"] if any(finding.verdict.unjudged for finding in findings) else []
    if comparison.correction:
        notes.append(f"p corrected ({_corrected(comparison)}); intervals are not adjusted.")
    elif comparison.family_size > 1:
        notes.append(f"Correction of p: {correction_of(comparison)}; intervals are not adjusted.")
    table = verdicts_table(findings, caption=f"Differences from {basis.baseline}", notes=tuple(notes))
    details = [_details(basis, finding) for finding in findings]
    words = (text for each in details for text in (each["paragraph"], each["caveat"]) if text)
    more = {
        "alpha": basis.settings.alpha,
        "correction": comparison.correction,
        "comparisons": comparison.family_size,
        "details": details,
    }
    cards = Widget("cards", _cards(basis, comparison), (table, *map(Prose, words)))
    yield Section("verdicts", "Verdicts", (cards,), data=more)


def badge(finding: Finding) -> dict[str, str]:
    """A verdict in a word, how it is meant, and its mark."""
    word = finding.verdict.word
    small = " (negligible difference)" if finding.verdict.negligible else ""
    return {"word": f"{word}{small}", "tone": tone_of(word), "mark": MARKS.get(word, "")}


def by_pair(basis: Evidence) -> list[list[Finding]]:
    """The findings that are told on each system, the one under the main measure first."""
    pairs: dict[str, list[Finding]] = {}
    for finding in basis.told:
        pairs.setdefault(finding.system, []).append(finding)
    return list(pairs.values())


def _corrected(comparison: Comparison) -> str:
    return f"{comparison.correction}, {number_of('comparison', comparison.family_size)}"


def _details(basis: Evidence, finding: Finding) -> dict[str, Any]:
    """The details of a finding, for JSON and for its card."""
    return {
        "measure": finding.measure,
        "system": finding.system,
        **badge(finding),
        "headline": headline(finding),
        "paragraph": without_caveat(finding, basis.unit_kind, basis.settings.power),
        "caveat": caveat(finding),
        "depends_on": finding.verdict.unjudged,
        "conflict_says": conflict(finding, basis.unit_kind),
    }


def _cards(basis: Evidence, comparison: Comparison) -> dict[str, Any]:
    """A card for each system, in their order, and what there is to know of all cards."""
    pairs = by_pair(basis)
    findings = basis.told
    axes = {name: _axis([each for each in findings if each.measure == name]) for name in basis.measures}
    # What is to be said of all is said once, above; a card has it in its words.
    all_depend = all(pair[0].verdict.unjudged for pair in pairs)
    cards = []
    for place, (main, *others) in enumerate(pairs, start=1):
        rows = [_row(basis, other, axes[other.measure]) for other in others]
        card = _row(basis, main, axes[main.measure]) | _card(basis, comparison, main, axes[main.measure])
        is_open = len(pairs) <= FEW
        unjudged = 0 if all_depend else main.verdict.unjudged
        caveats = [] if is_open else [card["conflict_says"]]
        caveats += [f"It depends on {number_of('unjudged document', unjudged)}."] if unjudged else []
        cards.append(card | {"id": f"v{place}", "is_open": is_open, "caveats": caveats, "others": rows})
    rest = sum(len(basis.findings(name)) for name in basis.measures) - len(findings)
    stand = f"{number_of('more verdict', rest)} {'stands as a mark' if rest == 1 else 'stand as marks'}"
    return {
        "size": {1: "cards one", 2: "cards", 4: "cards"}.get(len(pairs), "cards many"),
        "cards": cards,
        "legend": " ".join(_verdicts_legend(findings, comparison)),
        "rest": stand if rest else "",
    }


def _verdicts_legend(findings: Sequence[Finding], comparison: Comparison) -> Iterator[str]:
    """The meaning of the drawings."""
    known = next((finding for finding in findings if finding.interval.is_known), None)
    if known is not None:
        yield f"Line: the {as_level(known.interval.level)} interval of the difference."
        if known.narrow.is_known:
            yield f"Its thick part: the {as_level(known.narrow.level)} interval, by which equivalence is judged."
    yield "Shaded: differences too small to matter."
    if comparison.correction:
        yield "p\u2011values are corrected for several comparisons; intervals are not adjusted for them."


def _axis(findings: Sequence[Finding]) -> Axis:
    """One axis for all differences under a measure, so that cards can be compared by eye."""
    ends = ((each.interval.low, each.interval.high, each.difference, 1.5 * each.margin.value) for each in findings)
    return around([value for low, high, seen, room in ends for value in (low, high, seen, room, -room)])


def _row(basis: Evidence, finding: Finding, axis: Axis) -> dict[str, Any]:
    """A finding as one line of a card."""
    details = _details(basis, finding)
    return details | {
        "way": noted(basis.higher_is_better(finding.measure)),
        "difference": signed(finding.difference),
        "whisker": whisker(axis, _reach(finding, finding.interval), _alternative(finding), details["tone"]),
    }


def _card(basis: Evidence, comparison: Comparison, finding: Finding, axis: Axis) -> dict[str, Any]:
    """The card of a finding: only that under the main measure has room for it."""
    way, (won, tied, lost) = basis.higher_is_better(finding.measure), finding.wins
    wide, narrow = (_reach(finding, interval) for interval in (finding.interval, finding.narrow))
    parts: dict[str, float] = {meaning(1, way): won, "tied": tied, meaning(-1, way): lost}
    return {
        "relative": "" if math.isnan(finding.relative) else signed_percent(finding.relative),
        "both": " → ".join(numbers([finding.baseline_value, finding.value])),
        "drawing": whisker(axis, wide, _alternative(finding), "large", narrow=narrow, band=finding.margin.value)
        + ticks(axis, "axis"),
        "facts": list(_facts(comparison, finding)),
        "shares": shares(parts, f"higher for {won}, the same for {tied}, lower for {lost}"),
        "counts": counts(won, tied, lost, way),
    }


def _facts(comparison: Comparison, finding: Finding) -> Iterator[str]:
    """The numbers below the drawing."""
    if finding.interval.is_known:
        yield interval_of(finding.interval)
    if not math.isnan(finding.p):
        yield p_phrase(finding.p) + (f" ({_corrected(comparison)})" if comparison.correction else "")
    if not math.isnan(finding.d_z):
        yield f"d_z {signed(finding.d_z, 2)}"


def _reach(finding: Finding, interval: Interval) -> Reach:
    return Reach(finding.difference, interval.low, interval.high)


def _alternative(finding: Finding) -> str:
    """The contents of a drawing in words, for who does not see it."""
    text = f"{finding.system} less {finding.baseline} under {finding.measure}: {signed(finding.difference)}"
    ends = f", interval {signed(finding.interval.low)} to {signed(finding.interval.high)}"
    return (text + (ends if finding.interval.is_known else "")).replace("-", "−")
