"""What a classifier's number is explained from: predictions, a classification made of them, or counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.arguments import argument
from assay.core.errors import ParameterError, not_among, refuse_unknown
from assay.measures import parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.label_sets import LabelSets
from assay.measures.counting.scored import Scored
from assay.measures.over_classes import averaged
from assay.measures.registry import Measure
from assay.subjects.labels.explained_matrices import (
    Chosen,
    label_measure,
    of_all_classes,
    of_class,
    of_decisions,
    of_matrix,
    of_scored,
    of_units,
    with_thresholds,
)
from assay.tables import Predictions
from assay.verbs.explanation.numbers import View, undefined_rule
from assay.verbs.explanation.result import Explanation

if TYPE_CHECKING:
    from assay.subjects.labels.result import Classification

_CLASSIFICATION = ("assay.subjects.labels.result", "Classification")
_LABEL_COUNTS = (Confusion, ConfusionMatrix)


def is_of_labels(subject: Any) -> bool:
    """Whether somebody gives what a classifier did.

    >>> is_of_labels(Predictions.of([1], [1])), is_of_labels(Confusion.from_table(1, 1, 1))
    (True, False)
    """
    if isinstance(subject, Confusion):
        return subject.unit_kind != "query"
    return isinstance(subject, ConfusionMatrix | Scored | Predictions | str | Path) or _is_classification(subject)


def is_of_classes(measure: str | Measure) -> bool:
    """Whether only classifiers have a measure of right and wrong decisions by this name, and retrieved sets have none.

    >>> is_of_classes("Precision"), is_of_classes("SetP"), is_of_classes("NPV")
    (True, False, False)
    """
    kinds: dict[str, Any] = {}
    for vocabulary in ("ranking", "binary"):
        with suppress(ParameterError):  # no such name, or parameters that it does not take
            kinds[vocabulary] = parse_measure(measure, vocabulary).definition
    of_sets, of_classes = (kinds.get(vocabulary) for vocabulary in ("ranking", "binary"))
    if of_sets is not None and of_sets.counts is Confusion and of_sets.vocabulary == "ranking":
        return False
    return of_classes is not None and of_classes.counts is Confusion


def _is_classification(subject: Any) -> bool:
    # By its name: its module loads SciPy, which nobody should wait for who explains a ranking.
    return any((kind.__module__, kind.__name__) == _CLASSIFICATION for kind in type(subject).__mro__)


def of_labels(
    measure: str | Measure, subject: Any, chosen: Chosen, view: View, rules: Mapping[str, Any]
) -> Explanation:
    """The number of a classifier, whatever it is given by.

    >>> matrix = ConfusionMatrix.from_matrix([[3, 1], [0, 4]], ["a", "b"])
    >>> of_labels("Accuracy", matrix, Chosen(), View(None, False), {}).value
    0.875
    """
    if isinstance(subject, Predictions | str | Path):
        from assay.subjects.labels.evaluation import classify  # noqa: PLC0415  # it loads SciPy, which rankings do without

        if _is_of_scores(measure) and not rules.keys() - {"pos_label"}:
            return _of_scores(measure, _of_system(subject, rules.get("pos_label"), chosen.system), chosen, view)
        refuse_unknown(rules, classify)
        subject = classify(subject, [measure], threshold=chosen.threshold, **rules)
    elif isinstance(subject, Confusion) and set(rules) == {"undefined"}:
        view = view._replace(undefined=undefined_rule(rules["undefined"]))
    elif rules:
        raise ParameterError(f"{next(iter(rules))!r} is a rule of classify: it goes with predictions")
    if _is_classification(subject):
        return _of_classification(measure, subject, chosen, view)
    chosen.refuse("says whose predictions are meant: counts are of nobody", "system")
    if isinstance(subject, ConfusionMatrix):
        return of_matrix(measure, subject, chosen, view)
    return (of_scored if isinstance(subject, Scored) else of_decisions)(measure, subject, chosen, view)


def _is_of_scores(measure: str | Measure) -> bool:
    """Whether a measure is made of scores, and asks for no labels nor from which score on one is predicted."""
    with suppress(ParameterError):  # no such measure of two labels
        return label_measure(measure, "binary").definition.counts is Scored
    return False


def _of_system(source: Predictions | str | Path, pos_label: Any, name: str | None) -> Predictions:
    """The system that is meant."""
    from assay.subjects.labels.inputs import opened  # noqa: PLC0415

    systems = {system.name: system for system in opened(source, pos_label)}
    if name is None and len(systems) == 1:
        return next(iter(systems.values()))
    if name not in systems:
        raise not_among("system", name, systems)
    return systems[name]


def _of_scores(measure: str | Measure, predictions: Predictions, chosen: Chosen, view: View) -> Explanation:
    """A number made of the scores of the positive label, or of the class that was chosen, against all others."""
    from assay.subjects.labels.inputs import against_rest  # noqa: PLC0415
    from assay.subjects.labels.pairing import Classifiers  # noqa: PLC0415
    from assay.subjects.labels.result import label_signature  # noqa: PLC0415

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
    measure: str | Measure, classification: Classification, chosen: Chosen, view: View
) -> Explanation:
    """What a classification has counted, taken apart; the measure need not be one of its own."""
    from assay.subjects.labels.result import label_signature  # noqa: PLC0415

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
    measure: str | Measure, sets: LabelSets, chosen: Chosen, view: View, signed: Callable[[Measure], str]
) -> Explanation:
    """Items with several labels each: of one label, of one item, or over all labels or items."""
    from assay.subjects.labels.label_sets import is_per_item  # noqa: PLC0415
    from assay.subjects.labels.measurement import measure_of  # noqa: PLC0415

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
