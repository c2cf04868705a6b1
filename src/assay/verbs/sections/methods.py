"""How it was done, in a paragraph to paste into a paper, with the works that it cites: only what was used is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from typing import TYPE_CHECKING

from assay import __version__
from assay.core.digits import as_level
from assay.core.errors import joined, number_of, several
from assay.core.words import INTERVALS, TESTS
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.names import display_name
from assay.show.model import Prose, References, Section
from assay.stats import confidence, corrections, power, verdict
from assay.stats import tests as stats_tests
from assay.stats.confidence import SUBSAMPLING
from assay.stats.permutation import NOTHING_DIFFERS
from assay.stats.tests import SIMULTANEOUS
from assay.subjects.clusters import stability
from assay.subjects.clusters.result import Clustering
from assay.subjects.labels.result import Classification
from assay.verbs.sections.bibliography import Citations
from assay.verbs.sections.rules import rules
from assay.verbs.sections.testing import family, intervals_in_words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.subjects.clusters.over_k import NumberOfClusters
    from assay.subjects.ranking.evaluation import Evaluation
    from assay.subjects.ranking.sections.basis import Basis
    from assay.verbs.comparison import Comparison
    from assay.verbs.report.subject import Reported

_MOST_NAMES = 6
_MOST_RANKINGS = 8
#: From so many different notes on, tests do not say how each was done.
_MOST_NOTES = 2
_NOT_ADJUSTED = ", not adjusted for the number of comparisons"
_NOISE = {"drop": "left out", "singletons": "a cluster of its own each", "cluster": "one cluster"}


def methods(subject: Reported) -> Section:
    """The paragraph, and the works that it cites.

    >>> from assay import Predictions, make_report
    >>> section = make_report(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]), measures="MCC").section("methods")
    >>> print(section.parts[0].text.partition(" All numbers")[0], section.parts[1].works[0].entry, sep=chr(10))
    1 classifier (predictions) was evaluated on 4 items with 2 labels (1 being the positive one).
    It was measured by MCC [1].
    Matthews, B. W. (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme.
    Biochimica et Biophysica Acta (BBA) – Protein Structure, 405(2), 442–451.
    """
    cite = Citations()
    sentences = [*subject.methods(cite), f"All numbers were computed with Assay {__version__} (seed {subject.seed})."]
    text, works = " ".join(sentences), cite.works()
    parts = (Prose(text, "copy", title="Methods paragraph"), *([References(works)] if works else ()))
    return Section("methods", "Methods", parts, "Ready to paste into a paper.", "Methods", {"paragraph": text})


def of_rankings(basis: Basis, cite: Citations) -> Iterator[str]:
    """How rankings were evaluated, or scores taken, and how they were compared."""
    systems = _systems("system", basis.systems, _MOST_RANKINGS)
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
        yield f"{_tested(comparison)} by {name}{how}; {_family(comparison, cite)}."
    adjusted = comparison is not None and comparison.family_size > 1
    for way in dict.fromkeys(interval.method for _, interval in basis.standings.values()):
        if way in INTERVALS:
            cited = f"{cite(*confidence.CITES[way])} at the {as_level(1 - settings.alpha)} level"
            resamples = f", from {settings.bootstrap_resamples:,} resamples of the {several(basis.unit_kind)}"
            ends = (resamples if INTERVALS[way].is_drawn else "") + (_NOT_ADJUSTED if adjusted else "")
            yield f"Intervals are {INTERVALS[way].full}{cited}{ends}."
    if comparison is not None:
        yield from _equivalence(comparison, basis.unit_kind, cite)


def _evaluated(basis: Basis, evaluation: Evaluation, systems: str, cite: Citations) -> Iterator[str]:
    grades = evaluation.qrels.frame["relevance"].to_numpy()
    judgments = number_of("relevance judgment", len(grades))
    scale = f"grades {grades.min():g} to {grades.max():g}" if len(grades) else "no grade"
    level = f"a document of grade {evaluation.policies.relevance_level:g} or more counted as relevant"
    others = _other_topics(basis)
    topics = topics_of(basis, evaluation) + (f" ({others})" if others else "")
    yield f"{systems} {_were(basis.systems)} evaluated on {topics} with {judgments} ({scale}); {level}."
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


def _other_topics(basis: Basis) -> str:
    """How many topics the other measures have, where these are not those of the main one; else empty."""
    counts: dict[int, list[str]] = {}
    for name, paired in basis.paired.items():
        if basis.main in basis.paired and len(paired.units) != len(basis.paired[basis.main].units):
            counts.setdefault(len(paired.units), []).append(name)
    return ", ".join(f"{count:,} under {joined(names)}" for count, names in counts.items())


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


def _tested(comparison: Comparison) -> str:
    return f"{_differences(comparison)} were tested two-sidedly at the level {comparison.settings.alpha:g}"


def _differences(comparison: Comparison) -> str:
    return f"Differences from {comparison.findings[0].baseline}"


def _how(comparison: Comparison) -> str:
    """How the test was done, in brackets: how many swaps were drawn, or what an analysis of variance gave."""
    settings = comparison.settings
    notes = dict.fromkeys((finding.measure, finding.outcome.note) for finding in comparison.findings)
    notes = {(measure, note): None for measure, note in notes if note not in {"", NOTHING_DIFFERS}}
    if settings.test == "tukey" and len(comparison.measures) > 1:  # its numbers are those of one measure
        return f" ({'. '.join(f'{measure}: {note}' for measure, note in notes)})" if notes else ""
    distinct = list(dict.fromkeys(note for _, note in notes))
    if 0 < len(distinct) <= _MOST_NOTES:
        return f" ({'; '.join(distinct)})"
    if settings.resamples is not None:
        return f" ({settings.resamples:,} random swaps, or all there are where these are fewer)"
    return ""


def _family(comparison: Comparison, cite: Citations) -> str:
    """What p-values were corrected over."""
    settings = comparison.settings
    if settings.test in SIMULTANEOUS:
        under = ", measure by measure" if len(comparison.measures) > 1 else ""
        return f"p-values hold for all {number_of('pair', comparison.family_size)} of systems at once{under}"
    if comparison.family_size == 1:
        return family(comparison)
    return f"p-values were {family(comparison)}{cite(*corrections.CITES.get(settings.correction, ()))}"


def _equivalence(comparison: Comparison, unit_kind: str, cite: Citations) -> Iterator[str]:
    """What equivalent means, and how many units would be needed to tell more."""
    settings = comparison.settings
    margins = sorted({finding.margin.value for finding in comparison.findings})
    span = f"{margins[0]:g}" if len(margins) == 1 else f"{margins[0]:.2g} to {margins[-1]:.2g}, by measure"
    yield (
        f"A system is called equivalent to the baseline if the {as_level(1 - 2 * settings.alpha)} interval of the "
        f"difference lies within the smallest difference that matters (±{span}), as two one-sided tests would have it"
        f"{cite(verdict.CITES)}."
    )
    yield (
        f"The number of {several(unit_kind)} needed is that of a paired t test with a power of "
        f"{as_level(settings.power)}{cite(power.CITES)}."
    )


def of_classifiers(result: Classification, comparison: Comparison | None, cite: Citations) -> Iterator[str]:
    """How classifiers were evaluated, and how they were compared."""
    called = {measure: display_name(measure) for measure in result.measures}
    labels = number_of("label", len(result.labels)) + _decisions(result)
    systems = _systems("classifier", [system.name for system in result.systems])
    items = number_of("item", items_of(result))
    yield f"{systems} {_were(result.systems)} evaluated on {items} with {labels}."
    yield _measured(called, len(result.systems), cite)
    if ways := _grouped(_ways(result, called, cite)):
        yield f"Intervals at the {as_level(result.confidence)} level are {ways}."
    if comparison is None:
        return
    findings = comparison.findings
    tests = [(each.outcome.test, each.measure) for each in findings]
    tested = _grouped((f"{TESTS[test]}{cite(*stats_tests.CITES.get(test, ()))}", name) for test, name in tests)
    yield f"{_tested(comparison)}: {tested}."
    if comparison.family_size > 1:
        yield f"{_family(comparison, cite)}."
    by_measure = {name: tuple(each for each in findings if each.measure == name) for _, name in tests}
    intervals = {name: intervals_in_words(replace(comparison, findings=of)) for name, of in by_measure.items()}
    yield f"Their intervals: {_grouped((way, name) for name, way in intervals.items())}."
    yield from _equivalence(comparison, "item", cite)


def _decisions(result: Classification) -> str:
    """How it was decided which label an item has."""
    if result.task == "multilabel":
        return ", of which an item may have several"
    if result.task != "binary":
        return ""
    scores = thresholds_of(result)
    by = f", predicted from a score of {scores} on" if scores else ""
    return f" ({result.positive} being the positive one{by})"


def thresholds_of(result: Classification) -> str:
    """From which score on positive is predicted: for all systems, or which one has which; empty if none has any."""
    known = [system for system in result.systems if system.threshold is not None]
    if known and result.threshold is not None:
        return f"{result.threshold:g}"
    return joined([f"{system.threshold:g} ({system.name})" for system in known], _MOST_NAMES) if known else ""


def _ways(result: Classification, called: Mapping[Measure, str], cite: Citations) -> Iterator[tuple[str, str]]:
    """How intervals were made, and of which measures."""
    for measure, name in called.items():
        # Of two classifiers, one may have another way: a perfect AUC has an exact bound.
        estimates = {system.name: result.estimate(measure, system.name) for system in result.systems}
        alike = len({(estimate.method, estimate.resamples) for estimate in estimates.values()}) == 1
        for system, estimate in estimates.items():
            if estimate.method in INTERVALS:
                way = f"{INTERVALS[estimate.method].full}{cite(*confidence.CITES.get(estimate.method, ()))}"
                resamples = f" ({estimate.resamples:,} resamples of the items)" if estimate.resamples else ""
                yield f"{way}{resamples}", name if alike else f"{name} of {system}"


def _grouped(pairs: Iterable[tuple[str, str]]) -> str:
    """What holds for which measures, each of them named once."""
    groups: dict[str, dict[str, None]] = {}
    for text, name in pairs:
        groups.setdefault(text, {})[name] = None
    return "; ".join(f"{text} for {joined(list(names))}" for text, names in groups.items())


def of_clusterings(
    result: Clustering, comparison: Comparison | None, over_k: NumberOfClusters | None, cite: Citations
) -> Iterator[str]:
    """How clusterings were evaluated and compared, and how a number of clusters was looked for."""
    called = {measure: display_name(measure) for measure in result.measures}
    names = [system.name for system in result.systems]
    table = result.contingency(names[0])
    against = "" if table is None else f" with {number_of('class', len(table.classes))}"
    systems, items = _systems("clustering", names), number_of("item", items_of(result))
    yield f"{systems} of {items}{against} {_were(names)} evaluated{_left_out(result)}."
    yield _measured(called, len(names), cite)
    if any(result.points(name) is not None for name in names):
        yield f"Distances of points are {result.rules.metric}."
    estimates = [result.estimate(measure, name) for name in names for measure in called]
    if halves := max((each.resamples for each in estimates if each.method == SUBSAMPLING), default=0):
        yield (
            f"Intervals at the {as_level(result.confidence)} level are from {halves:,} random halves of the items, "
            f"drawn without replacement{cite(*confidence.CITES[SUBSAMPLING])}; the clusters were taken as they are."
        )
    if comparison is not None:
        yield (
            f"{_differences(comparison)} have intervals from random halves that all clusterings share; there is no "
            "test, the interval speaks."
        )
    if over_k is not None:
        yield f"{'; '.join(_numbers_of_clusters(over_k, cite))}."


def _left_out(result: Clustering) -> str:
    """What was done about noise and items without a class, if there were any."""
    rules, parts = result.rules, []
    if rules.noise is not None:
        parts.append(f"items labelled {rules.noise} (noise) {_NOISE[rules.noise_as]}")
    classes = [system.clusters.truth for system in result.systems if system.clusters is not None]
    if any(truth is not None and truth.null_count() for truth in classes):
        parts.append(f"items without a class {'left out' if rules.unlabelled == 'drop' else 'as a class of their own'}")
    return f", {' and '.join(parts)}" if parts else ""


def _numbers_of_clusters(over_k: NumberOfClusters, cite: Citations) -> Iterator[str]:
    yield f"Numbers of clusters from {over_k.ks[0]} to {over_k.ks[-1]} were tried ({over_k.by})"
    if over_k.resamples:
        yield (
            f"stability is the mean adjusted Rand index of every two of {over_k.resamples} clustered subsamples on "
            f"their shared items{cite(stability.CITES)}"
        )
    if over_k.reference is not None:
        yield (
            f"structure was tested against {len(over_k.reference.without)} data sets spread evenly over the box along "
            f"the principal axes{cite(stability.CITES_REFERENCE)}"
        )


def _systems(kind: str, names: Sequence[str], most: int = _MOST_NAMES) -> str:
    return f"{number_of(kind, len(names))} ({joined(names, most)})"


def _were(systems: Sequence[object]) -> str:
    return "was" if len(systems) == 1 else "were"


def _measured(called: Mapping[Measure, str], systems: int, cite: Citations) -> str:
    names = [f"{name}{cite(*measure.works)}" for measure, name in called.items()]
    return f"{'It was' if systems == 1 else 'They were'} measured by {joined(names)}."


def items_of(result: Classification | Clustering) -> int:
    """How many items the first system was given."""
    items: Sized | None
    if isinstance(result, Clustering):
        items, table = result.systems[0].clusters, result.contingency(result.systems[0].name)
    else:
        items, table = result.systems[0].predictions, result.systems[0].counts.get(ConfusionMatrix)
    if items is not None:
        return len(items)
    return 0 if table is None else round(float(table.items[0]))
