"""The top of a report on rankings: the claim, advice, and how rankings were counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from assay.core.digits import as_level, number
from assay.core.errors import joined, number_of, several
from assay.core.words import INTERVALS, TESTS, opening
from assay.measures.registry import Measure
from assay.show.model import Prose, Section, Widget
from assay.stats.bootstrap import Interval
from assay.stats.estimates import CITES as CITES_OF_INTERVALS
from assay.stats.permutation import NOTHING_DIFFERS
from assay.stats.tests import CITES as CITES_OF_TESTS
from assay.stats.verdict import FEWEST_UNITS
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.evidence import Evidence
from assay.subjects.ranking.sections.verdicts import badge, by_pair
from assay.verbs.comparison import Comparison, Finding
from assay.verbs.sections.methods import Citations, correction, equivalence, systems_named, tested, were
from assay.verbs.sections.reports import summed_up, values_of_systems
from assay.verbs.sections.sentences import conflict, detecting, headline, of_group, of_verdict, relation

_UNJUDGED = ("unjudged", "irrelevant")
#: What is said of a rule that has a value.
_SAID = {
    ("rank_by", "rank"): "documents were taken in the order of the rank column, whatever their scores",
    ("lower_is_better", True): "the lowest scores counted as best",
    ("score_precision", "single"): "scores were compared in single precision",
    ("ties", "doc_id_descending"): "documents with equal {key} were put in descending order of their ids",
    ("ties", "doc_id_ascending"): "documents with equal {key} were put in ascending order of their ids",
    ("ties", "input_order"): "documents with equal {key} stayed in the order of the run file",
    ("ties", "expected"): "values are means over all orders of documents with equal {key}",
    ("duplicates", "first"): "of a document that a run has twice for a topic, the first row counted",
    ("duplicates", "best"): "of a document that a run has twice for a topic, the row with the best score counted",
    ("judged_only", True): "documents without judgment were taken out of the rankings",
    ("unjudged", "error"): "every document that was looked at has a judgment",
    ("complete", True): "the judgments were declared complete, so that documents without judgment are not relevant",
    _UNJUDGED: "documents without judgment counted as not relevant",
    ("missing", "zero"): "a topic that a run lacks counted as one without results",
    ("missing", "skip"): "topics that a run lacks were left out{everywhere}",
    ("missing", "error"): "every run has all topics",
    ("undefined", "error"): "no value was undefined",
    ("undefined", "skip"): "topics with an undefined value were left out under that measure{everywhere}",
}


def rules(evaluation: Evaluation, measures: Sequence[Measure]) -> str:
    """The rules of counting, in one sentence."""
    policies = evaluation.policies
    everywhere = ", for all systems" if len(evaluation.systems) > 1 else ""
    in_force = set((asdict(policies) | {"undefined": evaluation.undefined}).items())
    if policies.judged_only or policies.complete:
        in_force.discard(_UNJUDGED)
    key = "ranks" if policies.rank_by == "rank" else "scores"
    said = [text.format(key=key, everywhere=everywhere) for rule, text in _SAID.items() if rule in in_force]
    text = "; ".join([*said, *_numbers(evaluation, measures)])
    if evaluation.compat is not None:
        return f"The profile {evaluation.compat} was in force: {text}."
    return f"{text[0].upper()}{text[1:]}."


def _numbers(evaluation: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    """The rules that have a number or a name."""
    policies = evaluation.policies
    if policies.depth is not None:
        yield f"only the first {number_of('document', policies.depth)} of a topic were looked at"
    if evaluation.judge is not None:
        yield f"of several judges, {evaluation.judge} counted"
    if evaluation.subtopics:
        yield "judgments are by subtopic"
    if policies.collection_size is not None:
        yield f"the collection was taken to hold {number_of('document', policies.collection_size)}"
    if evaluation.undefined == "counted_as":
        groups: dict[float | None, list[str]] = {}
        for measure in measures:
            if not measure.is_micro:
                groups.setdefault(measure.substitute, []).append(str(measure))
        of_measures = {value: f" under {joined(names)}" if len(groups) > 1 else "" for value, names in groups.items()}
        counted = ("were left out" if value is None else f"counted as {value:g}" for value in groups)
        together = [f"{said}{under}" for said, under in zip(counted, of_measures.values(), strict=True)]
        if together:
            yield f"undefined values {' and '.join(together)}"


_MOST_RANKINGS = 8

_NOT_ADJUSTED = ", not adjusted for the number of comparisons"


def of_rankings(basis: Evidence, cite: Citations) -> Iterator[str]:
    """The way rankings were evaluated, or scores taken, and how they were compared."""
    systems = systems_named("system", basis.systems, _MOST_RANKINGS)
    comparison, settings = basis.comparison, basis.settings
    if basis.evaluation is None:
        units = number_of(basis.unit_kind, len(basis.paired[basis.main].units))
        yield f"The scores of {systems} on {units} were taken as given: {joined(basis.measures)}."
    else:
        yield from _evaluated(basis, basis.evaluation, systems, cite)
    if comparison is not None:
        test = comparison.settings.test
        how = f"{cite(*CITES_OF_TESTS[test])}{_how(comparison)}"
        yield f"{tested(comparison)} by the {TESTS[test]}{how}; {correction(comparison, cite)}."
    adjusted = comparison is not None and comparison.family_size > 1
    for way in dict.fromkeys(interval.method for _, interval in basis.standings.values()):
        if way in INTERVALS:
            cited = f"{cite(*CITES_OF_INTERVALS[way])} at the {as_level(1 - settings.alpha)} level"
            resamples = f", from {settings.bootstrap_resamples:,} resamples of the {several(basis.unit_kind)}"
            ends = (resamples if INTERVALS[way].is_drawn else "") + (_NOT_ADJUSTED if adjusted else "")
            yield f"Intervals are {INTERVALS[way].full}{cited}{ends}."
    if comparison is not None:
        yield from equivalence(comparison, basis.unit_kind, cite)


def _evaluated(basis: Evidence, evaluation: Evaluation, systems: str, cite: Citations) -> Iterator[str]:
    grades = evaluation.qrels.frame["relevance"].to_numpy()
    judgments = number_of("relevance judgment", len(grades))
    scale = f"grades {grades.min():g} to {grades.max():g}" if len(grades) else "no grade"
    level = f"a document of grade {evaluation.policies.relevance_level:g} or more counted as relevant"
    topics = topics_of(basis, evaluation)
    yield f"{systems} {were(basis.systems)} evaluated on {topics} with {judgments} ({scale}); {level}."
    measures = [basis.measure(name) for name in basis.measures]
    top = evaluation.systems[0].ranks.max_grade
    named = [f"{measure}{cite(*measure.works)}{_parameters(measure, top)}" for measure in measures]
    yield f"Effectiveness was measured by {joined(named)}."
    yield rules(evaluation, measures)


def topics_of(basis: Evidence, evaluation: Evaluation) -> str:
    """The number of topics under the main measure; and of how many, where some were left out.

    A topic is left out where a run lacks it or a value is undefined, if the rules say so.
    """
    every = len(evaluation.qrels.topics)
    used = len(basis.paired[basis.main].units) if basis.main in basis.paired else every
    return ("" if used == every else f"{used:,} of ") + number_of("topic", every)


def _parameters(measure: Measure, top: float) -> str:
    """The parameters that a measure's name does not show, in brackets.

    `top` is the largest grade of the judgments: the top of the scale, where a measure wants one and none was named.
    """
    visible = {measure.definition.at, *measure.given}
    details = [
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in measure.parameters.items()
        if name not in visible and value is not None
    ]
    if measure.parameters.get("max_grade", top) is None:
        details.append(f"max_grade {top:g}, the largest in the judgments")
    return f" ({', '.join(details)})" if details else ""


def _how(comparison: Comparison) -> str:
    """The way the test was done, in brackets: what the findings say of it, or how many swaps were drawn."""
    every = dict.fromkeys(finding.outcome.note for finding in comparison.findings)
    notes = [note for note in every if note not in {"", NOTHING_DIFFERS}]
    if len(notes) == 1:  # several are those of several measures
        return f" ({notes[0]})"
    if (swaps := comparison.settings.resamples) is not None:
        return f" ({swaps:,} random swaps, or all there are where these are fewer)"
    return ""


def advice(basis: Evidence) -> tuple[str, str]:
    """The next step in a line, and what to type for it; both empty without anything to compare.

    Of several systems, it is about the best one that is better than the baseline; if none is, about the best.
    """
    findings = basis.findings()
    if not findings:
        return "", ""
    chosen = next((finding for finding in findings if finding.verdict.word == "better"), findings[0])
    text, command = _of(basis, chosen)
    return text if len(findings) == 1 else f"{chosen.system}: {text[0].lower()}{text[1:]}", command


def _of(basis: Evidence, finding: Finding) -> tuple[str, str]:
    word = finding.verdict.word
    measure = finding.measure
    if word in {"higher", "lower"}:
        known = f"{measure} is neither good nor bad: choose a measure that is"
        stated = f"state the direction of {measure} to know whether that is good"
        return f"{opening(word)}; {stated if finding.direction == 'unknown' else known}.", ""
    if finding.verdict.unjudged and (word != "inconclusive" or finding.units >= FEWEST_UNITS):
        return _unjudged(basis, finding, opening(word))
    if word == "inconclusive":
        return _open(basis, finding), ""
    if word == "identical":
        return f"No {basis.unit_kind} differs under {measure}: make sure that these are two systems.", ""
    return _settled(basis, finding)


def _unjudged(basis: Evidence, finding: Finding, says: str) -> tuple[str, str]:
    """Judge first what the verdict depends on."""
    link, could = ("and", "decide") if finding.verdict.word == "inconclusive" else ("but", "turn")
    why = f"{number_of('unjudged document', finding.verdict.unjudged)} could {could} it"
    return f"{says}, {link} {why}: judge these first.", basis.judge_next(finding)


def _open(basis: Evidence, finding: Finding) -> str:
    """The number of units it would take, unless something else stands in the way."""
    units = number_of(basis.unit_kind, finding.units)
    if finding.verdict.incomparable:
        return f"No verdict by {finding.measure}: {finding.verdict.why}."
    if math.isnan(finding.difference) or finding.all_zero:
        return f"Inconclusive: {finding.measure} is {finding.verdict.why}."
    if finding.units < FEWEST_UNITS:
        return f"Inconclusive: {units} are too few; get at least {FEWEST_UNITS}."
    if finding.units < (finding.needed or 0) and finding.verdict.conflict != "direction":
        return f"Inconclusive with {units}. {detecting(finding)}"
    return f"Inconclusive: more {several(basis.unit_kind)} may settle it."


def _settled(basis: Evidence, finding: Finding) -> tuple[str, str]:
    """A verdict that no unjudged document is known to turn round: what the other measures say against it."""
    others = [each for name in basis.measures[1:] for each in basis.findings(name) if each.system == finding.system]
    word = finding.verdict.word
    against = {"better": ["worse"], "worse": ["better"]}.get(word, ["better", "worse"])
    opposed = [f"{each.verdict.word} under {each.measure}" for each in others if each.verdict.word in against]
    says = f"{opening(word)} under {finding.measure}"
    if opposed:
        return f"{says}, but {', '.join(opposed)}: decide which matters.", ""
    same = [each for each in others if each.verdict.word == word]
    unsure = next((each for each in same if each.verdict.unjudged), None)
    if unsure is not None:
        return _unjudged(basis, unsure, f"{says}; under {unsure.measure}, too")
    if word == "equivalent":
        return f"{says}: choose by something else, such as cost or speed.", ""
    names = [finding.measure, *(each.measure for each in same)]
    under = "all measures" if 1 < len(names) == len(basis.measures) else joined(names, most=len(names))
    says = f"{opening(word)} under {under}"
    if basis.is_unchecked(finding):
        return f"{says}, as far as is judged: what unjudged documents could do was not checked.", ""
    return f"{says}: {f'keep {finding.baseline}' if word == 'worse' else 'nothing here stands against it'}.", ""


_MOST_NAMES = 6
#: Groups of systems with the same verdict, in their order.
_GROUPS = ("better", "higher", "equivalent", "identical", "inconclusive", "worse", "lower")


def summary(basis: Evidence) -> Iterator[Section]:
    """The findings in words, the verdicts at a glance, what to do, and what to mind; numbers wait for the cards."""
    sentences, caveats, (text, command) = list(_sentences(basis)), list(_caveats(basis)), advice(basis)
    tables = (basis.evaluation, basis.texts.topics, basis.texts.documents)
    warnings = [warning for table in tables if table is not None for warning in table.warnings]
    claims = tuple(Prose(sentence, "claim") for sentence in sentences)
    to_do = Prose(text, "advice", (command,) if command else (), "What to do") if text else None
    data = {
        "summary": sentences,
        "caveats": caveats,
        "warnings": warnings,
        "advice": {"text": text, "command": command} if text else None,
        "alpha": basis.settings.alpha,
        "measures": [{"name": name, "higher_is_better": basis.higher_is_better(name)} for name in basis.measures],
    }
    glance = Widget("glance", _glance(basis, sentences), claims)
    yield summed_up(_lead(basis), [glance], to_do, [*caveats, *warnings], data)


def _lead(basis: Evidence) -> str:
    counts = [number_of("system", len(basis.systems))]
    if basis.evaluation is None:
        counts.append(number_of(basis.unit_kind, len(basis.paired[basis.main].units)))
    else:
        counts.append(topics_of(basis, basis.evaluation))
        counts.append(number_of("judgment", basis.evaluation.qrels.frame.height))
    lower = f"; lower {basis.main} is better" if basis.higher_is_better(basis.main) is False else ""
    return ", ".join(counts) + lower


def _glance(basis: Evidence, sentences: Sequence[str]) -> dict[str, Any]:
    """The verdicts in a line of words, each a link to its card: on each system, or on the only one by each measure."""
    pairs, (claim, *others) = by_pair(basis), sentences
    if len(pairs) == len(basis.systems) - 1 == 1 and pairs[0][0].measure == basis.main:
        # Of a single pair the sentences are full of numbers: its card has them, and a mark for every measure.
        claim = f"{headline(pairs[0][0])} under {basis.main}."
        others = []
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


def _sentences(basis: Evidence) -> Iterator[str]:
    """The winner, and how sure that is: a few sentences that stand above all else."""
    findings = basis.findings()
    if not findings:
        yield from _without_comparison(basis)
    elif len(findings) == 1:
        yield of_verdict(findings[0], basis.unit_kind)
        if clash := conflict(findings[0], basis.unit_kind):
            yield clash
        yield from _other_measures(basis)
    else:
        yield from _best(basis)
        yield _of_groups(findings, basis.main, basis.baseline)


def _best(basis: Evidence) -> Iterator[str]:
    """The system with the best number of several, and how it stands to the baseline."""
    best = basis.systems[0]
    value, interval = basis.standings[basis.main, best]
    if not math.isnan(value):
        top = "Highest" if basis.higher_is_better(basis.main) is None else "Best"
        words = {each.system: f"{relation(each.verdict.word)} {each.baseline}" for each in basis.findings()}
        stands = words.get(best, "the baseline")
        yield f"{top} under {basis.main}: {best}, {number(value)} ({_reach(interval)}), {stands}."


def _caveats(basis: Evidence) -> Iterator[str]:
    """Caveats on what unjudged documents could do to verdicts by the main measure, or that nobody could look at it."""
    if basis.evaluation is not None:
        yield from basis.evaluation.notes
    findings = basis.findings()
    looked_at = [finding for finding in basis.told if finding.measure == basis.main]
    if any(map(basis.is_unchecked, looked_at)):
        what = "this verdict" if len(findings) == 1 else "these verdicts"
        yield f"Unjudged documents were not checked: other grades for them could change {what}."
    depend = sum(bool(finding.verdict.unjudged) for finding in looked_at)
    if depend:
        which = "This verdict depends" if len(findings) == 1 else f"{depend} of {len(looked_at)} verdicts depend"
        yield f"{which} on unjudged documents: with other grades for them, the difference could change its sign."


def _without_comparison(basis: Evidence) -> Iterator[str]:
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


def _other_measures(basis: Evidence) -> Iterator[str]:
    """The verdict on the only pair by the other measures, in a sentence."""
    findings = [finding for name in basis.measures[1:] for finding in basis.findings(name)]
    clauses = [
        f"{word} under {joined([each.measure for each in alike], most=_MOST_NAMES)}"
        for word, alike in _by_verdict(findings)
    ]
    if clauses:
        yield f"By the other measures: {'; '.join(clauses)}."


def _of_groups(findings: Sequence[Finding], measure: str, baseline: str) -> str:
    clauses: list[str] = []
    for word, alike in _by_verdict(findings):
        systems = joined([each.system for each in alike], most=_MOST_NAMES)
        clauses.append(of_group(word, systems, "it" if clauses else baseline, many=len(alike) > 1))
    return f"Under {measure}, {'; '.join(clauses)}."


def _by_verdict(findings: Sequence[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """The findings by their verdicts, the good news first."""
    for word in _GROUPS:
        if alike := [finding for finding in findings if finding.verdict.word == word]:
            yield word, alike
