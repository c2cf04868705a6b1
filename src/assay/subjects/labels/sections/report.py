"""Reports on classifiers: the sections, what stands first, and the methods in sentences for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from assay.core.digits import as_level, as_percent, as_percents, percent_span
from assay.core.errors import joined, number_of
from assay.core.words import INTERVALS, TESTS
from assay.measures.registry import Measure
from assay.show.model import Section
from assay.stats.estimates import CITES as CITES_OF_INTERVALS
from assay.stats.tests import CITES as CITES_OF_TESTS
from assay.subjects.labels.evidence import Evidence, Share
from assay.subjects.labels.measurement import LEADING, SPARE
from assay.subjects.labels.moving_threshold import MOST_THRESHOLDS
from assay.subjects.labels.result import Classification
from assay.subjects.labels.sections.parts import sections
from assay.verbs.comparison import Comparison
from assay.verbs.sections.estimates import number_with_interval
from assay.verbs.sections.items import further_advice, summary
from assay.verbs.sections.methods import (
    MOST_NAMES,
    Citations,
    correction,
    equivalence,
    intervals_in_words,
    measured_by,
    systems_named,
    tested,
    were,
)
from assay.verbs.sections.reports import values_of_systems


def of_classifiers(result: Classification, comparison: Comparison | None, cite: Citations) -> Iterator[str]:
    """The way classifiers were evaluated and compared."""
    called = {measure: str(measure) for measure in result.measures}
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
    by_test = _grouped((f"{TESTS[test]}{cite(*CITES_OF_TESTS.get(test, ()))}", name) for test, name in tests)
    yield f"{tested(comparison)}: {by_test}."
    if comparison.family_size > 1:
        yield f"{correction(comparison, cite)}."
    by_measure = {name: tuple(each for each in findings if each.measure == name) for _, name in tests}
    intervals = {name: intervals_in_words(replace(comparison, findings=of)) for name, of in by_measure.items()}
    yield f"Their intervals: {_grouped((way, name) for name, way in intervals.items())}."
    yield from equivalence(comparison, "item", cite)


def _decisions(result: Classification) -> str:
    """The rule that decides which label an item has."""
    if result.task == "multilabel":
        return ", of which an item may have several"
    if result.task != "binary":
        return ""
    scores = thresholds_in_words(result)
    by = f", predicted from a score of {scores} on" if scores else ""
    return f" ({result.positive} being the positive one{by})"


def thresholds_in_words(result: Classification) -> str:
    """From which score on positive is predicted: for all systems, or which one has which; empty if none has any."""
    known = [system for system in result.systems if system.threshold is not None]
    if known and result.threshold is not None:
        return f"{result.threshold:g}"
    return joined([f"{system.threshold:g} ({system.name})" for system in known], MOST_NAMES) if known else ""


def _ways(result: Classification, called: Mapping[Measure, str], cite: Citations) -> Iterator[tuple[str, str]]:
    """The ways intervals were made, and the measures of each."""
    for measure, name in called.items():
        # Of two classifiers, one may have another way: a perfect AUC has an exact bound.
        estimates = {system.name: result.estimate(measure, system.name) for system in result.systems}
        alike = len({(estimate.method, estimate.resamples) for estimate in estimates.values()}) == 1
        for system, estimate in estimates.items():
            if estimate.method in INTERVALS:
                way = f"{INTERVALS[estimate.method].full}{cite(*CITES_OF_INTERVALS.get(estimate.method, ()))}"
                resamples = f" ({estimate.resamples:,} resamples of the items)" if estimate.resamples else ""
                yield f"{way}{resamples}", name if alike else f"{name} of {system}"


def _grouped(pairs: Iterable[tuple[str, str]]) -> str:
    """Texts with the measures that they hold for, each of them named once."""
    groups: dict[str, dict[str, None]] = {}
    for text, name in pairs:
        groups.setdefault(text, {})[name] = None
    return "; ".join(f"{text} for {joined(list(names))}" for text, names in groups.items())


#: Names in a sentence, and systems that have sentences of their own.
MOST_NAMES_LISTED, _FEW = 6, 2


def lead_of(evidence: Evidence) -> str:
    """Numbers of systems, items and labels."""
    result, names = evidence.result, evidence.names
    labels = joined([names[str(label)] for label in result.labels], MOST_NAMES_LISTED)
    positive = f"; positive is {names[str(result.positive)]}" if result.task == "binary" else ""
    systems = number_of("classifier", len(result.systems))
    items = number_of("item", result.items)
    return f"{systems}, {items}, {number_of('label', len(result.labels))} ({labels}){positive}"


def worth_of(evidence: Evidence) -> Iterator[str]:
    """The worth of each classifier: of a few in whole sentences, of many by the headline alone."""
    result = evidence.result
    systems = [system.name for system in evidence.result.systems]
    if len(systems) > _FEW:
        measure = evidence.headline
        values = values_of_systems({name: result.value(measure, name) for name in systems}, MOST_NAMES_LISTED)
        yield f"Under {measure}, {values}."
        return
    for name in systems:
        if result.task == "multilabel":
            yield from _several_labels(result, name)
        elif not result.system(name).is_labelled:
            yield f"{_value(result, result.measures[0], name)}."
        else:
            yield from _labels(evidence, name)


def _value(result: Classification, measure: Measure, system: str) -> str:
    return f"{measure} of {system} is {number_with_interval(result.estimate(measure, system))}"


def _several_labels(result: Classification, system: str) -> Iterator[str]:
    """For how many items all labels are right, and a mean over labels or items."""
    exact = next((measure for measure in result.measures if measure.name == "ExactMatch"), None)
    if exact is not None:
        value, low, high, *_ = result.estimate(exact, system)
        nothing = next(baseline for baseline in result.baselines(system) if baseline.kind == "majority")
        reach = "" if math.isnan(low) else _interval(result, low, high)
        share, constant = as_percents([value, nothing.values[exact]])
        yield (
            f"{system} gets all labels of {share}{reach} of the items right; predicting {nothing.says} would get "
            f"{constant} right."
        )
    others = [measure for measure in result.measures if measure != exact and (exact is None or measure.name == "F")]
    for measure in others[:1]:
        yield f"{measure} is {number_with_interval(result.estimate(measure, system))}."


def _labels(evidence: Evidence, system: str) -> Iterator[str]:
    """Recall and precision as one says them, the headline where accuracy misleads, and how much is right."""
    result = evidence.result
    shares = evidence.shares[system]
    measure = evidence.headline
    if result.task == "binary":
        yield _binary(evidence, system)
    if shares.is_imbalanced and measure.name in {LEADING, SPARE}:
        guess = "0" if measure.name == LEADING else f"{1 / len(result.matrix(system).classes):.2g}"
        yield f"{_value(result, measure, system)}; guessing gives {guess}."
    share, constant = as_percents([shares.right.value, shares.most.value])
    yield (
        f"{'It' if result.task == 'binary' else system} gets {share}{_reach(result, shares.right)} of all "
        f"items right; always predicting {evidence.names[str(shares.label)]} would get {constant} right."
    )


def _binary(evidence: Evidence, system: str) -> str:
    result = evidence.result
    positive = evidence.names[str(evidence.result.positive)]
    shares = evidence.shares[system]
    hits, right = (
        "" if share is None else as_percent(share.value) + _reach(result, share)
        for share in (shares.found, shares.called)
    )
    finds = f"finds {hits} of all {positive}" if hits else f"has no {positive} to find"
    calls = f"{right} of what it calls {positive} is {positive}" if right else f"calls nothing {positive}"
    return f"{system} {finds}, and {calls}."


def _reach(result: Classification, share: Share) -> str:
    """The interval of a share, where items are counted one by one."""
    return "" if share.interval is None else _interval(result, share.interval.low, share.interval.high)


def _interval(result: Classification, low: float, high: float) -> str:
    return f" ({as_level(result.confidence)} interval {percent_span(low, high)})"


class ReportedClassifiers(Evidence):
    """Classifiers, by the items whose labels are known.

    >>> from assay import Predictions, make_report
    >>> report = make_report(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]))
    >>> report.table("matrix").row(1)  # one item of 1 taken for 0
    ('1', 1.0, 1.0, 2.0)
    """

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, and what could not be shown."""
        result = self.result
        positive = str(result.positive) if result.task == "binary" else None
        task = {"task": result.task, "positive": positive, "labels": list(self.names)}
        yield summary(self, lead_of(self), worth_of(self), data=task)
        measures, *others = sections(self)
        yield measures
        yield from further_advice(result)
        yield from others
        yield from self.too_many()
        if result.task == "multilabel":
            yield "items with several labels have no confusion matrix: the classes are in the table"
        predictions = [system.predictions for system in result.systems]
        if None in predictions:
            yield "a matrix holds no items: none are listed behind its cells, and there is no curve"
        scored = map(result.scored, self.close)
        if any(each is not None and len(each.table.threshold) > MOST_THRESHOLDS for each in scored):
            yield f"of the thresholds, {MOST_THRESHOLDS} at most are in the page; `threshold_table` gives all"
        if any(each is not None and each.weight is not None for each in predictions):
            yield "items have weights: shares in the matrix have no intervals"

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""
        return of_classifiers(self.result, self.comparison, cite)

    def configuration(self) -> dict[str, str | None]:
        """The configuration, for readers."""
        result = self.result
        return {
            "task": result.task,
            "positive": str(result.positive) if result.task == "binary" else None,
            "threshold": thresholds_in_words(result) or None,
            "confidence": f"{result.confidence:g}",
            "resamples": f"{result.resamples:,}",
        }
