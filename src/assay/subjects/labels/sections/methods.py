"""How classifiers were evaluated and compared, in sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from assay.core.digits import as_level
from assay.core.errors import joined, number_of
from assay.core.words import INTERVALS, TESTS
from assay.measures.names import display_name
from assay.measures.registry import Measure
from assay.stats import confidence
from assay.stats import tests as stats_tests
from assay.subjects.labels.result import Classification
from assay.verbs.comparison import Comparison
from assay.verbs.sections.bibliography import Citations
from assay.verbs.sections.methods import MOST_NAMES, correction, equivalence, measured_by, systems_named, tested, were
from assay.verbs.sections.testing import intervals_in_words


def of_classifiers(result: Classification, comparison: Comparison | None, cite: Citations) -> Iterator[str]:
    """How classifiers were evaluated, and how they were compared."""
    called = {measure: display_name(measure) for measure in result.measures}
    labels = number_of("label", len(result.labels)) + _decisions(result)
    systems = systems_named("classifier", [system.name for system in result.systems])
    items = number_of("item", result.items)
    yield f"{systems} {were(result.systems)} evaluated on {items} with {labels}."
    yield measured_by(called, len(result.systems), cite)
    if ways := _grouped(_ways(result, called, cite)):
        yield f"Intervals at the {as_level(result.confidence)} level are {ways}."
    if comparison is None:
        return
    findings = comparison.findings
    tests = [(each.outcome.test, each.measure) for each in findings]
    by_test = _grouped((f"{TESTS[test]}{cite(*stats_tests.CITES.get(test, ()))}", name) for test, name in tests)
    yield f"{tested(comparison)}: {by_test}."
    if comparison.family_size > 1:
        yield f"{correction(comparison, cite)}."
    by_measure = {name: tuple(each for each in findings if each.measure == name) for _, name in tests}
    intervals = {name: intervals_in_words(replace(comparison, findings=of)) for name, of in by_measure.items()}
    yield f"Their intervals: {_grouped((way, name) for name, way in intervals.items())}."
    yield from equivalence(comparison, "item", cite)


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
    return joined([f"{system.threshold:g} ({system.name})" for system in known], MOST_NAMES) if known else ""


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
