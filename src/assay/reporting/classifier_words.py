"""What classifiers are worth, in words: the sentences on top, and the methods paragraph."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay import __version__
from assay.classification import Classification, Estimate
from assay.classification.imbalance import LEADING, SPARE, imbalance_of
from assay.core.digits import as_level, as_percent, as_percents, number, percent_span, span
from assay.core.errors import number_of
from assay.core.words import INTERVALS
from assay.measures.registry import Measure
from assay.measures.spoken import called
from assay.reporting.classifier_matrices import label_names
from assay.reporting.contents import Reference
from assay.reporting.methods import Citations
from assay.reporting.naming import joined, values_of_systems
from assay.reporting.works import OF_LABEL_INTERVALS, OF_LABEL_MEASURES
from assay.stats.proportions import wilson

_MOST_NAMES = 6
_FEW = 2


def interval_by(method: str) -> str:
    """How an interval was made, for a table; empty if there is none.

    >>> interval_by("wilson"), interval_by("bootstrap"), interval_by("none")
    ('Wilson', 'bootstrap of items', '')
    """
    return INTERVALS[method].short if method in INTERVALS else ""


def title_of(result: Classification) -> str:
    """The systems' names."""
    names = [system.name for system in result.systems]
    return names[0] if len(names) == 1 else f"{joined(names, _MOST_NAMES)}"


def lead_of(result: Classification) -> str:
    """How many systems, items and labels."""
    parts = [number_of("classifier", len(result.systems)), number_of("item", items_of(result))]
    names = label_names(result)
    labels = joined([names[str(label)] for label in result.labels], _MOST_NAMES)
    parts.append(f"{number_of('label', len(result.labels))} ({labels})")
    positive = f"; positive is {names[str(result.positive)]}" if result.task == "binary" else ""
    return ", ".join(parts) + positive


def items_of(result: Classification) -> int:
    """How many items each system was given; those of the first one."""
    first = result.systems[0]
    if first.predictions is not None:
        return len(first.predictions)
    return round(float(result.matrix(first.name).items[0]))


def summary_of(result: Classification) -> Iterator[str]:
    """What each classifier is worth: all of a few in whole sentences, many by the headline alone."""
    if len(result.systems) > _FEW:
        measure = headline_of(result)
        told = values_of_systems(
            {system.name: result.value(measure, system.name) for system in result.systems}, _MOST_NAMES
        )
        yield f"Under {called(measure, result.task)}, {told}."
        return
    for system in result.systems:
        yield from _of_system(result, system.name)


def headline_of(result: Classification) -> Measure:
    """The measure that stands for all, of those computed: not accuracy where one label has most items."""
    first = result.systems[0]
    leads: tuple[str, ...] = ("Accuracy", "F")
    if first.is_labelled and imbalance_of(first.predictions or result.matrix(first.name)) is not None:
        leads = (LEADING, SPARE, "F")
    known = {one.name: one for one in reversed(result.measures)}
    defined = [known[name] for name in leads if name in known and _is_defined(result, known[name])]
    return defined[0] if defined else result.measures[0]


def _is_defined(result: Classification, measure: Measure) -> bool:
    return not any(math.isnan(result.value(measure, system.name)) for system in result.systems)


def _of_system(result: Classification, system: str) -> Iterator[str]:
    if result.task == "multilabel":
        yield from _several_labels(result, system)
        return
    if not result.system(system).is_labelled:
        measure = result.measures[0]
        yield f"{called(measure, result.task)} of {system} is {_with_interval(result.estimate(measure, system))}."
        return
    if result.task == "binary":
        yield _binary(result, system)
    matrix = result.matrix(system)
    if imbalance_of(matrix) is not None and (measure := headline_of(result)).name in {LEADING, SPARE}:
        guess = "0" if measure.name == LEADING else f"{1 / len(matrix.classes):.2g}"
        value = _with_interval(result.estimate(measure, system))
        yield f"{called(measure, result.task)} of {system} is {value}; a guess has {guess}."
    yield _right(result, system, "It" if result.task == "binary" else system)


def _several_labels(result: Classification, system: str) -> Iterator[str]:
    """For how many items all labels are right, and a mean over labels or items."""
    exact = next((one for one in result.measures if one.name == "ExactMatch"), None)
    if exact is not None:
        found = result.estimate(exact, system)
        nothing = next(one for one in result.baselines(system) if one.kind == "majority")
        level = as_level(result.confidence)
        reach = "" if math.isnan(found.low) else f" ({level} interval {percent_span(found.low, found.high)})"
        own, constant = as_percents([found.value, nothing.values[exact]])
        yield (
            f"{system} gets all labels of {own}{reach} of the items right; saying {nothing.says} would get "
            f"{constant} right."
        )
    for measure in [one for one in result.measures if one != exact and (exact is None or one.name == "F")][:1]:
        yield f"{called(measure, result.task)} is {_with_interval(result.estimate(measure, system))}."


def _binary(result: Classification, system: str) -> str:
    """Recall and precision, as one says them."""
    cells, positive = result.matrix(system).positive_class(), label_names(result)[str(result.positive)]
    tp, fp, fn = float(cells.tp[0]), float(cells.fp[0]), float(cells.fn[0])
    found = (
        f"finds {_share(result, system, tp, tp + fn)} of all {positive}" if tp + fn else f"has no {positive} to find"
    )
    if tp + fp:
        return f"{system} {found}, and {_share(result, system, tp, tp + fp)} of what it calls {positive} is {positive}."
    return f"{system} {found}, and calls nothing {positive}."


def _right(result: Classification, system: str, called: str) -> str:
    matrix = result.matrix(system)
    right, total = float(matrix.table.trace()), float(matrix.items[0])
    support = matrix.table.sum(axis=1)
    place = int(support.argmax())
    best = float(support[place]) / total
    own, constant = as_percents([right / total, best])
    return (
        f"{called} gets {own}{_reach(result, system, right, total)} of all items right; always saying "
        f"{label_names(result)[str(matrix.labels[place])]} would get {constant} right."
    )


def _share(result: Classification, system: str, part: float, whole: float) -> str:
    return as_percent(part / whole) + _reach(result, system, part, whole)


def _reach(result: Classification, system: str, part: float, whole: float) -> str:
    """The interval of a share, where items are counted one by one."""
    if result.matrix(system).tables.dtype.kind not in "iu":
        return ""
    interval = wilson(part, whole, result.confidence)
    return f" ({as_level(result.confidence)} interval {percent_span(interval.low, interval.high)})"


def _with_interval(one: Estimate) -> str:
    if math.isnan(one.low):
        return _number(one.value)
    return f"{number(one.value)} ({span(one.low, one.high)})"


def _number(value: float) -> str:
    return "no number" if math.isnan(value) else number(value)


def methods_of(result: Classification) -> tuple[str, list[Reference]]:
    """How it was done, in a paragraph to paste, with the works that it cites."""
    cite = Citations()
    names = joined([system.name for system in result.systems], _MOST_NAMES)
    were = "was" if len(result.systems) == 1 else "were"
    labels = number_of("label", len(result.labels))
    sentences = [
        f"{number_of('classifier', len(result.systems))} ({names}) {were} evaluated on "
        f"{number_of('item', items_of(result))} with {labels}{_how_decided(result)}."
    ]
    told = [f"{called(measure, result.task)}{_cited(measure, cite)}" for measure in result.measures]
    they = "It was" if len(result.systems) == 1 else "They were"
    sentences.append(f"{they} measured by {joined(told, most=len(told))}.")
    sentences += _intervals(result, cite)
    sentences.append(f"All numbers were computed with Assay {__version__} (seed {result.seed}).")
    return " ".join(sentences), cite.references()


def _how_decided(result: Classification) -> str:
    if result.task == "multilabel":
        return ", of which an item may have several"
    if result.task != "binary":
        return ""
    said = thresholds_said(result)
    by = f", predicted from a score of {said} on" if said else ""
    return f" ({label_names(result)[str(result.positive)]} being the positive one{by})"


def thresholds_said(result: Classification) -> str:
    """From which score on positive is predicted: for all systems, or which one has which; empty if none has any."""
    known = [system for system in result.systems if system.threshold is not None]
    if result.threshold is not None or not known:
        return "" if not known else f"{result.threshold:g}"
    return joined([f"{system.threshold:g} ({system.name})" for system in known], _MOST_NAMES)


def _cited(measure: Measure, cite: Citations) -> str:
    key = OF_LABEL_MEASURES.get(measure.name)
    return cite(key) if key else ""


def _intervals(result: Classification, cite: Citations) -> Iterator[str]:
    """How intervals were made, by method; only those that were."""
    groups: dict[tuple[str, int], list[str]] = {}
    for measure in result.measures:
        # Of two classifiers, one may have another way: a perfect AUC has an exact bound.
        of_systems = {system.name: result.estimate(measure, system.name) for system in result.systems}
        alike = len({(one.method, one.resamples) for one in of_systems.values()}) == 1
        for system, one in of_systems.items():
            name = called(measure, result.task) + ("" if alike else f" of {system}")
            listed = groups.setdefault((one.method, one.resamples), [])
            if name not in listed:
                listed.append(name)
    told = []
    for (method, resamples), measures in groups.items():
        if method not in INTERVALS:
            continue
        key = OF_LABEL_INTERVALS.get(method)
        drawn = f" ({resamples:,} resamples of the items)" if resamples else ""
        told.append(
            f"{INTERVALS[method].full}{cite(key) if key else ''}{drawn} for {joined(measures, most=len(measures))}"
        )
    if told:
        yield f"Intervals at the {as_level(result.confidence)} level are {'; '.join(told)}."
