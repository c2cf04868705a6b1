"""How rankings were evaluated and compared, in sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterator

from assay.core.digits import as_level
from assay.core.errors import joined, number_of, several
from assay.core.words import INTERVALS, TESTS
from assay.measures.registry import Measure
from assay.stats import confidence
from assay.stats import tests as stats_tests
from assay.stats.permutation import NOTHING_DIFFERS
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.sections.basis import Basis
from assay.subjects.ranking.sections.rules import rules
from assay.verbs.comparison import Comparison
from assay.verbs.sections.bibliography import Citations
from assay.verbs.sections.methods import correction, equivalence, systems_named, tested, were

_MOST_RANKINGS = 8
_NOT_ADJUSTED = ", not adjusted for the number of comparisons"


def of_rankings(basis: Basis, cite: Citations) -> Iterator[str]:
    """How rankings were evaluated, or scores taken, and how they were compared."""
    systems = systems_named("system", basis.systems, _MOST_RANKINGS)
    comparison, settings = basis.comparison, basis.settings
    if basis.evaluation is None:
        units = number_of(basis.unit_kind, len(basis.paired[basis.main].units))
        yield f"The scores of {systems} on {units} were taken as given: {joined(basis.measures)}."
    else:
        yield from _evaluated(basis, basis.evaluation, systems, cite)
    if comparison is not None:
        test = comparison.settings.test
        name = f"{'' if test == 'tukey' else 'the '}{TESTS[test]}"  # it is Tukey's
        how = f"{cite(*stats_tests.CITES[test])}{_how(comparison)}"
        yield f"{tested(comparison)} by {name}{how}; {correction(comparison, cite)}."
    adjusted = comparison is not None and comparison.family_size > 1
    for way in dict.fromkeys(interval.method for _, interval in basis.standings.values()):
        if way in INTERVALS:
            cited = f"{cite(*confidence.CITES[way])} at the {as_level(1 - settings.alpha)} level"
            resamples = f", from {settings.bootstrap_resamples:,} resamples of the {several(basis.unit_kind)}"
            ends = (resamples if INTERVALS[way].is_drawn else "") + (_NOT_ADJUSTED if adjusted else "")
            yield f"Intervals are {INTERVALS[way].full}{cited}{ends}."
    if comparison is not None:
        yield from equivalence(comparison, basis.unit_kind, cite)


def _evaluated(basis: Basis, evaluation: Evaluation, systems: str, cite: Citations) -> Iterator[str]:
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


def topics_of(basis: Basis, evaluation: Evaluation) -> str:
    """How many topics the numbers are of, under the main measure; and of how many, where some were left out.

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
    """How the test was done, in brackets: what the findings say of it, or how many swaps were drawn."""
    every = dict.fromkeys(finding.outcome.note for finding in comparison.findings)
    notes = [note for note in every if note not in {"", NOTHING_DIFFERS}]
    if len(notes) == 1:  # several are those of several measures
        return f" ({notes[0]})"
    if (swaps := comparison.settings.resamples) is not None:
        return f" ({swaps:,} random swaps, or all there are where these are fewer)"
    return ""
