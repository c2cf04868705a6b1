"""What a classifier's number is explained from: predictions, a classification made of them, or counts."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from assay.core.arguments import argument
from assay.core.errors import ParameterError, not_among, refuse_unknown
from assay.files.sources import Source
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.label_sets import LabelSets
from assay.measures.counting.scored import Scored
from assay.measures.over_classes import averaged
from assay.measures.registry import Measure
from assay.subjects.labels.evaluation import classify
from assay.subjects.labels.explained_matrices import (
    label_measure,
    of_all_classes,
    of_class,
    of_decisions,
    of_matrix,
    of_scored,
    of_units,
    with_thresholds,
)
from assay.subjects.labels.inputs import against_rest, opened
from assay.subjects.labels.label_sets import is_per_item
from assay.subjects.labels.measurement import measure_of
from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.result import Classification, label_signature
from assay.tables import Predictions
from assay.verbs.explanation.numbers import View, undefined_rule
from assay.verbs.explanation.place import Place, not_explained
from assay.verbs.explanation.result import Explanation

_LABEL_COUNTS = (Confusion, ConfusionMatrix)


def of_labels(measure: str | Measure, subject: Any, chosen: Place, view: View, rules: dict[str, Any]) -> Explanation:
    """The number of a classifier, whatever it is given by.

    >>> matrix = ConfusionMatrix.from_matrix([[3, 1], [0, 4]], ["a", "b"])
    >>> of_labels("Accuracy", matrix, Place(), View(None, False), {}).value
    0.875
    """
    if isinstance(subject, Confusion) and subject.unit_kind == "query":  # cells that somebody typed in
        view = view._replace(undefined=undefined_rule(rules.pop("undefined", "counted_as")))
        chosen.of_counts(rules)
        return of_decisions(measure, replace(subject, unit_kind="class"), Place(label=chosen.query), view)
    chosen.refuse("is about rankings: of a classifier, choose a label or an item", "query")
    if isinstance(subject, Predictions | str | os.PathLike | Source):
        if _is_of_scores(measure) and not rules.keys() - {"pos_label"}:
            return _of_scores(measure, _of_system(subject, rules.get("pos_label"), chosen.system), chosen, view)
        refuse_unknown(rules, classify)
        subject = classify(subject, [measure], threshold=chosen.threshold, **rules)
    elif isinstance(subject, Confusion) and set(rules) == {"undefined"}:
        view = view._replace(undefined=undefined_rule(rules["undefined"]))
    elif rules:
        raise ParameterError(f"{next(iter(rules))!r} is a rule of classify: it goes with predictions")
    if isinstance(subject, Classification):
        return _of_classification(measure, subject, chosen, view)
    chosen.refuse("says whose predictions are meant: counts are of nobody", "system")
    if isinstance(subject, ConfusionMatrix):
        return of_matrix(measure, subject, chosen, view)
    if isinstance(subject, Scored):
        return of_scored(measure, subject, chosen, view)
    if not isinstance(subject, Confusion):
        raise not_explained(subject)
    return of_decisions(measure, subject, chosen, view)


def _is_of_scores(measure: str | Measure) -> bool:
    """Whether a measure is made of scores, and asks for no labels nor from which score on one is predicted."""
    with suppress(ParameterError):  # no such measure of two labels
        return label_measure(measure, "binary").definition.counts is Scored
    return False


def _of_system(source: Any, pos_label: Any, name: str | None) -> Predictions:
    """The system that is meant."""
    systems = {system.name: system for system in opened(source, pos_label)}
    if name is None and len(systems) == 1:
        return next(iter(systems.values()))
    if name not in systems:
        raise not_among("system", name, systems)
    return systems[name]


def _of_scores(measure: str | Measure, predictions: Predictions, chosen: Place, view: View) -> Explanation:
    """A number made of the scores of the positive label, or of the class that was chosen, against all others."""
    wanted = label_measure(measure, "binary")
    if predictions.kind == "multilabel":
        raise ParameterError(f"{wanted} is made of scores of one class, which items with several labels do not have")
    two: Any = predictions if chosen.label is None else against_rest(predictions, chosen.label)
    if two.kind != "binary" or two.score is None:
        which = ""
        if predictions.class_scores:
            which = f": say which class is meant, as in {argument('label', predictions.label_values[0])}"
        raise ParameterError(f"{wanted} is computed from scores of one class, and {predictions.name} has none{which}")
    held = Classifiers.of([two])
    scored = Scored.from_scores(two.truth == held.positive, two.score, pos_label=True, sample_weight=two.weight)
    view = view._replace(signature=label_signature(wanted, held, *held.systems))
    return of_scored(wanted, scored, chosen._replace(label=None), view)


def _of_classification(
    measure: str | Measure, classification: Classification, chosen: Place, view: View
) -> Explanation:
    """What a classification has counted, taken apart; the measure need not be one of its own."""
    system = classification.system(chosen.system)
    counts = system.counts
    wanted = label_measure(measure, "multiclass" if chosen.label is None else "binary")
    if classification.vocabulary == "binary":
        wanted = label_measure(measure, "binary")
    view = view._replace(signature=label_signature(wanted, classification, system))
    kind = wanted.definition.counts
    threshold = system.threshold if chosen.threshold is None else chosen.threshold
    by_score = kind in _LABEL_COUNTS and Scored in counts and threshold is not None
    if by_score and (view.running or chosen.threshold is not None):
        return of_scored(wanted, counts[Scored], chosen._replace(threshold=threshold), view)
    if kind in _LABEL_COUNTS and ConfusionMatrix in counts:
        explanation = of_matrix(wanted, counts[ConfusionMatrix], chosen._replace(threshold=None), view)
        # What was predicted need not be what a threshold would predict: it stays, and thresholds stand beside it.
        return (
            with_thresholds(explanation, counts[Scored], chosen, view)
            if view.running and Scored in counts
            else explanation
        )
    if LabelSets in counts:
        return _of_label_sets(
            measure, counts[LabelSets], chosen, view, lambda _: label_signature(_, classification, system)
        )
    if kind is Scored and system.predictions is not None:
        return _of_scores(wanted, system.predictions, chosen, view)
    if kind not in counts:
        raise ParameterError(f"{wanted} is computed from scores, and {system.name} has none that it could use")
    chosen.refuse("has no meaning for measures of single items", "label")
    return of_units(wanted, counts[kind], chosen.item, view, weight=counts[kind].weight)


def _of_label_sets(
    measure: str | Measure, sets: LabelSets, chosen: Place, view: View, signed: Callable[[Measure], str]
) -> Explanation:
    """Items with several labels each: of one label, of one item, or over all labels or items."""
    wanted = measure_of(measure if isinstance(measure, Measure) else str(measure), "multilabel")
    if wanted.definition.counts is not Confusion:
        counts = wanted.definition.counts.__name__
        raise ParameterError(f"{wanted} is computed from {counts}, which items with several labels do not have")
    if chosen.label is not None:
        chosen.refuse("and a class: choose one of them", "item")
        of_one = label_measure(measure, "binary")
        view = view._replace(signature=of_class(signed(of_one), str(chosen.label)))
        return of_units(of_one, sets.per_label(), str(chosen.label), view)
    if chosen.item is not None or is_per_item(wanted):
        alone = wanted if is_per_item(wanted) else label_measure(measure, "binary")
        view = view._replace(signature=signed(alone))
        return of_units(alone, sets.per_item(), chosen.item, view, weight=sets.weight)
    return of_all_classes(wanted, sets.per_label(), averaged(wanted, sets.per_label()), view)
