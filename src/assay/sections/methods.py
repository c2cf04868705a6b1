"""How it was done, in a paragraph to paste into a paper, with the works that it cites: only what was used is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from typing import TYPE_CHECKING

from assay import __version__
from assay.classification import Classification
from assay.clustering import Clustering, computing, reference, stability
from assay.core.digits import as_level
from assay.core.errors import joined, number_of, several
from assay.core.words import INTERVALS, TESTS
from assay.measures import spoken
from assay.sections.bibliography import Citations
from assay.sections.rules import rules
from assay.sections.testing import family, intervals_in_words
from assay.stats import confidence, corrections, power, verdict
from assay.stats import tests as stats_tests
from assay.stats.confidence import SUBSAMPLING
from assay.stats.permutation import NOTHING_DIFFERS
from assay.stats.tests import SIMULTANEOUS

if TYPE_CHECKING:
    from assay.clustering.over_k import NumberOfClusters
    from assay.comparison import Comparison
    from assay.counting.confusion_matrix import ConfusionMatrix
    from assay.counting.contingency import Contingency
    from assay.evaluation import Evaluation
    from assay.measures.registry import Measure
    from assay.reporting.basis import Basis
    from assay.show.model import Work

_MOST_NAMES = 6
_MOST_RANKINGS = 8
#: From so many different notes on, tests do not say how each was done.
_MOST_NOTES = 2
_NOISE = {"drop": "left out", "singletons": "a cluster of its own each", "cluster": "one cluster"}


def methods(
    subject: Basis | Classification | Clustering,
    comparison: Comparison | None = None,
    over_k: NumberOfClusters | None = None,
) -> tuple[str, tuple[Work, ...]]:
    """The paragraph, and the works that it cites.

    `comparison`: how classifiers or clusterings were held against a baseline; rankings bring theirs along. `over_k`:
    how a number of clusters was looked for.

    >>> from assay import Predictions, classify
    >>> text, works = methods(classify(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]), "MCC"))
    >>> print(text.partition(" All numbers")[0], works[0].entry, sep=chr(10))
    1 classifier (predictions) was evaluated on 4 items with 2 labels (1 being the positive one).
    It was measured by MCC [1].
    Matthews, B. W. (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme.
    Biochimica et Biophysica Acta (BBA) – Protein Structure, 405(2), 442–451.
    """
    cite = Citations()
    if isinstance(subject, Classification):
        seed, sentences = subject.seed, _of_classifiers(subject, comparison, cite)
    elif isinstance(subject, Clustering):
        seed, sentences = subject.seed, _of_clusterings(subject, comparison, over_k, cite)
    else:
        seed, sentences = subject.settings.seed, _of_rankings(subject, cite)
    text = " ".join([*sentences, f"All numbers were computed with Assay {__version__} (seed {seed})."])
    return text, cite.works()


def _of_rankings(basis: Basis, cite: Citations) -> Iterator[str]:
    systems = f"{number_of('system', len(basis.systems))} ({joined(basis.systems, _MOST_RANKINGS)})"
    if basis.evaluation is None:
        units = number_of(basis.unit_kind, len(basis.paired[basis.main].units))
        yield f"The scores of {systems} on {units} were taken as given: {joined(basis.measures)}."
    else:
        yield from _evaluated(basis, basis.evaluation, systems, cite)
    if basis.comparison is None:
        yield from _intervals(basis, cite)
        return
    test = basis.comparison.settings.test
    article = "" if test == "tukey" else "the "  # it is Tukey's
    yield (
        f"{_differences(basis.comparison)} were tested two-sidedly at the level {basis.settings.alpha:g} by {article}"
        f"{TESTS[test]}{cite(*stats_tests.CITES[test])}{_how(basis.comparison)}; {_family(basis.comparison, cite)}."
    )
    yield from _intervals(basis, cite)
    yield from _equivalence(basis.comparison, basis.unit_kind, cite)


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
    shown = {measure.definition.at, *measure.given}
    details = [
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in measure.parameters.items()
        if name not in shown and value is not None
    ]
    if measure.parameters.get("max_grade", top) is None:
        details.append(f"max_grade {top:g}, the largest in the judgments")
    return f" ({', '.join(details)})" if details else ""


def _intervals(basis: Basis, cite: Citations) -> Iterator[str]:
    """How intervals of rankings' numbers were made."""
    settings, level = basis.settings, as_level(1 - basis.settings.alpha)
    several_compared = basis.comparison is not None and basis.comparison.family_size > 1
    adjusted = ", not adjusted for the number of comparisons" if several_compared else ""
    for way in dict.fromkeys(
        interval.method for _, interval in basis.standings.values() if interval.method in INTERVALS
    ):
        resamples = f", from {settings.bootstrap_resamples:,} resamples of the {several(basis.unit_kind)}"
        drawn = resamples if INTERVALS[way].is_drawn else ""
        cited = cite(*confidence.CITES[way])
        yield f"Intervals are {INTERVALS[way].full}{cited} at the {level} level{drawn}{adjusted}."


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


def _of_classifiers(result: Classification, comparison: Comparison | None, cite: Citations) -> Iterator[str]:
    called = {measure: spoken.called(measure, result.task) for measure in result.measures}
    labels = number_of("label", len(result.labels)) + _decisions(result)
    yield f"{_systems(result, 'classifier')} {_were(result.systems)} evaluated on {_items(result)} with {labels}."
    yield _measured(called, len(result.systems), cite)
    made = [
        f"{INTERVALS[method].full}{cite(*confidence.CITES.get(method, ()))}"
        f"{f' ({resamples:,} resamples of the items)' if resamples else ''} for {joined(names)}"
        for (method, resamples), names in _ways(result, called).items()
        if method in INTERVALS
    ]
    if made:
        yield f"Intervals at the {as_level(result.confidence)} level are {'; '.join(made)}."
    if comparison is not None:
        yield from _classifiers_compared(comparison, {str(measure): name for measure, name in called.items()}, cite)


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


def _ways(result: Classification, called: Mapping[Measure, str]) -> dict[tuple[str, int], list[str]]:
    """The measures by how their intervals were made, and from how many resamples."""
    ways: dict[tuple[str, int], list[str]] = {}
    for measure, name in called.items():
        # Of two classifiers, one may have another way: a perfect AUC has an exact bound.
        of_systems = {system.name: result.estimate(measure, system.name) for system in result.systems}
        alike = len({(estimate.method, estimate.resamples) for estimate in of_systems.values()}) == 1
        for system, estimate in of_systems.items():
            names = ways.setdefault((estimate.method, estimate.resamples), [])
            names += [who for who in (name if alike else f"{name} of {system}",) if who not in names]
    return ways


def _classifiers_compared(comparison: Comparison, called: Mapping[str, str], cite: Citations) -> Iterator[str]:
    tests: dict[str, dict[str, None]] = {}
    intervals: dict[str, dict[str, None]] = {}
    for finding in comparison.findings:
        name, test = called.get(finding.measure, finding.measure), finding.outcome.test
        tests.setdefault(f"{TESTS[test]}{cite(*stats_tests.CITES.get(test, ()))}", {})[name] = None
        of_measure = tuple(each for each in comparison.findings if each.measure == finding.measure)
        intervals.setdefault(intervals_in_words(replace(comparison, findings=of_measure)), {})[name] = None
    alpha = f"{comparison.settings.alpha:g}"
    yield f"{_differences(comparison)} were tested two-sidedly at the level {alpha}: {_each(tests)}."
    if comparison.family_size > 1:
        yield f"{_family(comparison, cite)}."
    yield f"Their intervals: {_each(intervals)}."
    yield from _equivalence(comparison, "item", cite)


def _each(measures: Mapping[str, Iterable[str]]) -> str:
    return "; ".join(f"{what} for {joined(list(names))}" for what, names in measures.items())


def _of_clusterings(
    result: Clustering, comparison: Comparison | None, over_k: NumberOfClusters | None, cite: Citations
) -> Iterator[str]:
    called = {measure: computing.called(measure) for measure in result.measures}
    names = [system.name for system in result.systems]
    table = result.contingency(names[0])
    against = "" if table is None else f" with {number_of('class', len(table.classes))}"
    yield f"{_systems(result, 'clustering')} of {_items(result)}{against} {_were(names)} evaluated{_left_out(result)}."
    yield _measured(called, len(names), cite)
    if any(result.points(name) is not None for name in names):
        yield f"Distances of points are {result.rules.metric}."
    estimates = [result.estimate(measure, name) for name in names for measure in called]
    if drawn := max((each.resamples for each in estimates if each.method == SUBSAMPLING), default=0):
        yield (
            f"Intervals at the {as_level(result.confidence)} level are from {drawn:,} random halves of the items, "
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
            f"the principal axes{cite(reference.CITES)}"
        )


def _systems(result: Classification | Clustering, kind: str) -> str:
    names = [system.name for system in result.systems]
    return f"{number_of(kind, len(names))} ({joined(names, _MOST_NAMES)})"


def _were(systems: Sequence[object]) -> str:
    return "was" if len(systems) == 1 else "were"


def _measured(called: Mapping[Measure, str], systems: int, cite: Citations) -> str:
    names = [f"{name}{cite(*measure.works)}" for measure, name in called.items()]
    return f"{'It was' if systems == 1 else 'They were'} measured by {joined(names)}."


def _items(result: Classification | Clustering) -> str:
    return number_of("item", items_of(result))


def items_of(result: Classification | Clustering) -> int:
    """How many items the first system was given."""
    items: Sized | None
    counts: Callable[[str], Contingency | ConfusionMatrix | None]
    if isinstance(result, Clustering):
        items, counts = result.systems[0].clusters, result.contingency
    else:
        items, counts = result.systems[0].predictions, result.matrix
    if items is not None:
        return len(items)
    table = counts(result.systems[0].name)
    return 0 if table is None else round(float(table.items[0]))
