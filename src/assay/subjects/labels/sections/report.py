"""Reports on classifiers: the sections, what stands first, and the methods in sentences for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

from assay.core.digits import as_level, as_percent, as_percents, percent_span
from assay.core.errors import InputError, Note, ParameterError, joined, number_of
from assay.core.words import INTERVALS, TESTS
from assay.measures.registry import Measure
from assay.show.model import Section
from assay.stats import tests as stats_tests
from assay.stats.bootstrap import wilson
from assay.stats.estimates import CITES as CITES_OF_INTERVALS
from assay.subjects.labels.evaluation import classify
from assay.subjects.labels.measurement import LEADING, SPARE, four_cells, imbalance_of
from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.result import Classification
from assay.subjects.labels.sections.parts import Evidence, sections
from assay.subjects.labels.sections.scores import MOST_THRESHOLDS
from assay.verbs.comparison import Comparison, compare
from assay.verbs.report.items import further_advice, summary
from assay.verbs.report.report import Request, values_of_systems
from assay.verbs.sections.estimates import number_with_interval
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


def of_classifiers(result: Classification, comparison: Comparison | None, cite: Citations) -> Iterator[str]:
    """How classifiers were evaluated, and how they were compared."""
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
    """How intervals were made, and of which measures."""
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
    """What holds for which measures, each of them named once."""
    groups: dict[str, dict[str, None]] = {}
    for text, name in pairs:
        groups.setdefault(text, {})[name] = None
    return "; ".join(f"{text} for {joined(list(names))}" for text, names in groups.items())


#: Names in a sentence, and systems that have sentences of their own.
MOST_NAMES_LISTED, _FEW = 6, 2


def lead_of(evidence: Evidence) -> str:
    """How many systems, items and labels."""
    result, names = evidence.result, evidence.names
    labels = joined([names[str(label)] for label in result.labels], MOST_NAMES_LISTED)
    positive = f"; positive is {names[str(result.positive)]}" if result.task == "binary" else ""
    systems, items = number_of("classifier", len(result.systems)), number_of("item", result.items)
    return f"{systems}, {items}, {number_of('label', len(result.labels))} ({labels}){positive}"


def worth_of(evidence: Evidence) -> Iterator[str]:
    """What each classifier is worth: all of a few in whole sentences, many by the headline alone."""
    result, systems = evidence.result, [system.name for system in evidence.result.systems]
    if len(systems) > _FEW:
        measure = _headline(result)
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


def _headline(result: Classification) -> Measure:
    """The measure that stands for all, of those computed: not accuracy where one label has most items."""
    first = result.systems[0]
    leads: tuple[str, ...] = ("Accuracy", "F")
    if first.is_labelled and imbalance_of(first.predictions or result.matrix(first.name)) is not None:
        leads = (LEADING, SPARE, "F")
    known = {measure.name: measure for measure in reversed(result.measures)}
    for measure in (known[name] for name in leads if name in known):
        if not any(math.isnan(result.value(measure, system.name)) for system in result.systems):
            return measure
    return result.measures[0]


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
    result, matrix = evidence.result, evidence.result.matrix(system)
    if result.task == "binary":
        yield _binary(evidence, system)
    if imbalance_of(matrix) is not None and (measure := _headline(result)).name in {LEADING, SPARE}:
        guess = "0" if measure.name == LEADING else f"{1 / len(matrix.classes):.2g}"
        yield f"{_value(result, measure, system)}; guessing gives {guess}."
    support, total = matrix.table.sum(axis=1), float(matrix.items[0])
    right, most = float(matrix.table.trace()), int(support.argmax())
    share, constant = as_percents([right / total, float(support[most]) / total])
    yield (
        f"{'It' if result.task == 'binary' else system} gets {share}{_reach(result, system, right, total)} of all "
        f"items right; always predicting {evidence.names[str(matrix.labels[most])]} would get {constant} right."
    )


def _binary(evidence: Evidence, system: str) -> str:
    result, positive = evidence.result, evidence.names[str(evidence.result.positive)]
    tp, fp, fn, _ = four_cells(result.matrix(system))
    hits, right = (
        as_percent(tp / whole) + _reach(result, system, tp, whole) if whole else "" for whole in (tp + fn, tp + fp)
    )
    finds = f"finds {hits} of all {positive}" if hits else f"has no {positive} to find"
    calls = f"{right} of what it calls {positive} is {positive}" if right else f"calls nothing {positive}"
    return f"{system} {finds}, and {calls}."


def _reach(result: Classification, system: str, part: float, whole: float) -> str:
    """The interval of a share, where items are counted one by one."""
    if result.matrix(system).tables.dtype.kind not in "iu":
        return ""
    interval = wilson(part, whole, result.confidence)
    return _interval(result, interval.low, interval.high)


def _interval(result: Classification, low: float, high: float) -> str:
    return f" ({as_level(result.confidence)} interval {percent_span(low, high)})"


#: Of more labels than these, a resample is a large matrix: as few are drawn as for the intervals.
MANY_LABELS = 12


class ReportedClassifiers(Evidence):
    """Classifiers, by the items whose labels are known.

    >>> from assay import Predictions, make_report
    >>> report = make_report(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]))
    >>> report.table("matrix").row(1)  # one item of 1 taken for 0
    ('1', 1.0, 1.0, 2.0)
    """

    eyebrow = "Classifier report"
    details = "matrices, curves and classes"
    verb = staticmethod(classify)
    result_type = Classification
    subject = "labels"

    @classmethod
    def of(cls, request: Request) -> Self:
        """The same; intervals are at the level that is asked for comparisons, where there is no other."""
        alpha = (request.rules.get("comparison") or {}).get("alpha")
        if alpha is not None and not isinstance(request.source, Classification):
            request.rules.setdefault("confidence", round(1 - alpha, 12))
        return super().of(request)

    @staticmethod
    def taken_from(classifiers: Classifiers) -> tuple[list[Any], dict[str, Any]]:
        """The predictions that were compared, and the rules by which labels were read off scores."""
        thresholds = set(classifiers.thresholds)
        threshold = thresholds.pop() if len(thresholds) == 1 else None
        return list(classifiers.predictions), {"pos_label": classifiers.positive, "threshold": threshold}

    def compared(self, asked: dict[str, Any], comparison: Comparison | None) -> Self:
        """The same with the classifiers held against the baseline, by the measures that allow for it."""
        result, notes = self.result, list(self.notes)
        if len(result.labels) > MANY_LABELS:
            asked.setdefault("bootstrap_resamples", result.resamples)
        try:
            paired = Classifiers.of(result)
        except (InputError, ParameterError) as problem:
            return replace(self, notes=(*notes, f"the classifiers are not compared: {problem}"))
        known, wanted = list(map(str, result.measures)), list[str]()
        # By what classifiers are usually compared, where it is among the measures computed; else by all of them.
        usual = [str(paired.measure(name)) for name in (*paired.usual_measures, *(["AUC"] if "AUC" in known else []))]
        for name in [name for name in usual if name in known] or known:
            try:
                paired.sample(name)
            except (InputError, ParameterError) as problem:
                notes.append(Note.on(name, f"not compared: {problem}"))
            else:
                wanted.append(name)
        if wanted and comparison is None:
            comparison = compare(result, measures=wanted, baseline=self.baseline, **asked)
        if wanted and comparison is not None:
            notes += [*comparison.notes, *(paired.why_not_accuracy() if wanted[0] == paired.headline else ())]
        return replace(self, comparison=comparison if wanted else None, paired=paired, notes=tuple(notes))

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
        """How it was done, in sentences for a paper."""
        return of_classifiers(self.result, self.comparison, cite)

    def configuration(self) -> dict[str, str | None]:
        """How the numbers were made, for readers."""
        result = self.result
        return {
            "task": result.task,
            "positive": str(result.positive) if result.task == "binary" else None,
            "threshold": thresholds_in_words(result) or None,
            "confidence": f"{result.confidence:g}",
            "resamples": f"{result.resamples:,}",
        }
