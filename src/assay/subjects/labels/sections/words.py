"""What classifiers are worth, in words: the sentences on top of a report."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.core.digits import as_level, as_percent, as_percents, percent_span
from assay.core.errors import joined, number_of
from assay.measures.names import display_name
from assay.measures.registry import Measure
from assay.stats.proportions import wilson
from assay.subjects.labels.measurement import LEADING, SPARE, imbalance_of
from assay.subjects.labels.result import Classification
from assay.subjects.labels.sections.parts import Evidence
from assay.verbs.report.texts import values_of_systems
from assay.verbs.sections.estimates import number_with_interval

#: Names in a sentence, and systems that have sentences of their own.
MOST_NAMES, _FEW = 6, 2


def lead_of(evidence: Evidence) -> str:
    """How many systems, items and labels."""
    result, names = evidence.result, evidence.names
    labels = joined([names[str(label)] for label in result.labels], MOST_NAMES)
    positive = f"; positive is {names[str(result.positive)]}" if result.task == "binary" else ""
    systems, items = number_of("classifier", len(result.systems)), number_of("item", result.items)
    return f"{systems}, {items}, {number_of('label', len(result.labels))} ({labels}){positive}"


def worth_of(evidence: Evidence) -> Iterator[str]:
    """What each classifier is worth: all of a few in whole sentences, many by the headline alone."""
    result, systems = evidence.result, [system.name for system in evidence.result.systems]
    if len(systems) > _FEW:
        measure = _headline(result)
        values = values_of_systems({name: result.value(measure, name) for name in systems}, MOST_NAMES)
        yield f"Under {display_name(measure)}, {values}."
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
    return f"{display_name(measure)} of {system} is {number_with_interval(result.estimate(measure, system))}"


def _several_labels(result: Classification, system: str) -> Iterator[str]:
    """For how many items all labels are right, and a mean over labels or items."""
    exact = next((measure for measure in result.measures if measure.name == "ExactMatch"), None)
    if exact is not None:
        value, low, high, *_ = result.estimate(exact, system)
        nothing = next(baseline for baseline in result.baselines(system) if baseline.kind == "majority")
        reach = "" if math.isnan(low) else _interval(result, low, high)
        share, constant = as_percents([value, nothing.values[exact]])
        yield (
            f"{system} gets all labels of {share}{reach} of the items right; saying {nothing.says} would get "
            f"{constant} right."
        )
    others = [measure for measure in result.measures if measure != exact and (exact is None or measure.name == "F")]
    for measure in others[:1]:
        yield f"{display_name(measure)} is {number_with_interval(result.estimate(measure, system))}."


def _labels(evidence: Evidence, system: str) -> Iterator[str]:
    """Recall and precision as one says them, the headline where accuracy misleads, and how much is right."""
    result, matrix = evidence.result, evidence.result.matrix(system)
    if result.task == "binary":
        yield _binary(evidence, system)
    if imbalance_of(matrix) is not None and (measure := _headline(result)).name in {LEADING, SPARE}:
        guess = "0" if measure.name == LEADING else f"{1 / len(matrix.classes):.2g}"
        yield f"{_value(result, measure, system)}; a guess has {guess}."
    support, total = matrix.table.sum(axis=1), float(matrix.items[0])
    right, most = float(matrix.table.trace()), int(support.argmax())
    share, constant = as_percents([right / total, float(support[most]) / total])
    yield (
        f"{'It' if result.task == 'binary' else system} gets {share}{_reach(result, system, right, total)} of all "
        f"items right; always saying {evidence.names[str(matrix.labels[most])]} would get {constant} right."
    )


def _binary(evidence: Evidence, system: str) -> str:
    result, positive = evidence.result, evidence.names[str(evidence.result.positive)]
    cells = result.matrix(system).positive_class()
    tp, fp, fn = float(cells.tp[0]), float(cells.fp[0]), float(cells.fn[0])
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
