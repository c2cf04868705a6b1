"""`classify`: predictions, or a confusion matrix -> a `Classification`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.domains import Whole
from assay.core.errors import ParameterError
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.label_sets import LabelSets
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.stats.confidence import checked_confidence
from assay.subjects.labels.inputs import Prepared, against_rest, all_labels, not_alike, prepare, same_task, systems_in
from assay.subjects.labels.measurement import (
    LEADING,
    SPARE,
    Measures,
    computed,
    counts_of,
    has_scores,
    imbalance_of,
    measure_of,
    names_in,
    suited,
)
from assay.subjects.labels.remarks import REMARKS
from assay.subjects.labels.resampling import Patterns, weighted_patterns
from assay.subjects.labels.result import Classification, ClassificationView, ClassifiedSystem
from assay.tables import Predictions
from assay.tables.roles import ColumnNames, named_by

#: What is computed unless told otherwise, as far as there are the counts for it.
DEFAULTS: dict[str, tuple[str, ...]] = {
    "binary": (
        "Precision", "Recall", "F", "Specificity", "NPV", "Accuracy", "BalancedAccuracy", "MCC",
        "AUC", "AveragePrecision", "LogLoss", "Brier",
    ),
    "multiclass": (
        "Accuracy", "Precision", "Recall", "F", "Precision(average='weighted')", "Recall(average='weighted')",
        "F(average='weighted')", "F(average='micro')", "MCC", "Kappa", "TopKAccuracy@2", "LogLoss", "Brier",
    ),
    "multilabel": (
        "ExactMatch", "HammingLoss", "Precision(average='samples')", "Recall(average='samples')",
        "F(average='samples')", "Jaccard(average='samples')", "Precision", "Recall", "F",
        "Precision(average='micro')", "Recall(average='micro')", "F(average='micro')",
    ),
}  # fmt: skip

#: Counts that have no predicted labels in them.
_OF_SCORES: tuple[type, ...] = (Scored, Probabilities)


def classify(
    predictions: Any,
    measures: Measures = None,
    *,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    threshold: float | None = None,
    one_class: Any = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    columns: ColumnNames = None,
    mute: Sequence[str] | str = (),
    shown: ClassificationView | None = None,
) -> Classification:
    """Evaluate one classifier or several.

    `predictions` are `Predictions`, a `ConfusionMatrix`, a data frame or the path of a file; or a list of such, or a
    dict from names to them (of a file with several systems, each is called by both names). What kind of classifier it
    is, the data say: two labels, more, or several an item. `pos_label`: the positive one of two labels, if it is not 1
    or True. `threshold`: predict positive from this score on; without predictions it is 0.5 where scores lie between 0
    and 1, and has to be said where they do not, unless all measures are of scores alone, such as AUC. Where there is a
    score for each class, the largest one is predicted.
    `one_class`: this class against all others, as two labels.

    An absent prediction, which `nulls="label"` lets in, is never right: of two labels it counts as the wrong one; of
    more, or of several an item, it is no class, neither in the table of classes nor in averages over them; where there
    is a matrix it has a column there.

    `confidence`, `resamples` and `seed` are for intervals. `columns`: which columns of files and frames have which
    role, as in `columns={"truth": "Verdict"}`, unless they have a usual name. `mute`: codes of remarks not to be made,
    such as "prevalence".

    >>> from assay import Predictions, classify
    >>> classify(Predictions.of(["ham", "spam", "spam"], ["ham", "spam", "ham"], pos_label="spam"), "Recall").value()
    0.5
    """
    mute = (mute,) if isinstance(mute, str) else tuple(mute)
    REMARKS.refuse_unknown(mute)
    checked_confidence(confidence)
    resamples, seed = Whole(1).check("resamples", resamples), Whole(0).check("seed", seed)
    with named_by(columns):
        opened = systems_in(predictions, pos_label)
    if one_class is not None:
        if pos_label is not None or labels is not None:
            raise ParameterError("one_class makes two labels of all, itself the positive one: leave the others out")
        opened = {name: against_rest(table, one_class) for name, table in opened.items()}
    wanted = names_in(measures)
    alone = _are_of_scores(wanted)
    prepared = [
        prepare(name, table, labels, pos_label, threshold, scores_alone=alone) for name, table in opened.items()
    ]
    task = same_task(prepared)
    every = all_labels(prepared)
    systems = [_system(system, every, wanted, task) for system in prepared]
    # By default, what all systems have: one may have scores, or a label with most items, where another has none.
    chosen = tuple(measure for measure in systems[0].results if all(measure in system.results for system in systems))
    return Classification(
        tuple(systems),
        chosen,
        task,
        _classes(systems[0], every),
        prepared[0].positive,
        confidence,
        resamples,
        seed,
        mute,
        tuple(dict.fromkeys([*(warning for system in prepared for warning in system.warnings), *not_alike(prepared)])),
        tuple(dict.fromkeys(note for system in prepared for note in system.notes)),
        ClassificationView() if shown is None else shown,
    )


def _classes(first: ClassifiedSystem, labels: tuple[Any, ...]) -> tuple[Any, ...]:
    """The labels that an item can have: an absent prediction has a column in the matrix, and is none of them."""
    if LabelSets in first.counts:
        sets: LabelSets = first.counts[LabelSets]
        return sets.labels
    matrix: ConfusionMatrix | None = first.counts.get(ConfusionMatrix)
    return labels if matrix is None else matrix.classes


def _system(
    system: Prepared, labels: tuple[Any, ...], wanted: Sequence[str | Measure] | None, task: str
) -> ClassifiedSystem:
    predictions = system.given if isinstance(system.given, Predictions) else None
    chosen = (
        suited(DEFAULTS[task], task, predictions)
        if wanted is None
        else tuple(dict.fromkeys(measure_of(name, task) for name in wanted))
    )
    if predictions is None:
        counts: dict[type, Any] = {ConfusionMatrix: system.given}
    else:
        wants = has_scores(predictions) and any(measure.definition.counts is Probabilities for measure in chosen)
        counts = counts_of(predictions, labels, system.positive, probabilities=wants)
        if predictions.weight is not None and predictions.prediction is not None and task != "multilabel":
            counts[Patterns] = weighted_patterns(
                predictions.truth, predictions.prediction, predictions.weight, counts[ConfusionMatrix]
            )
    if wanted is None and task == "multiclass" and ConfusionMatrix in counts:
        chosen = _headed(chosen, counts[ConfusionMatrix])
    return ClassifiedSystem(
        system.name,
        predictions,
        counts,
        {measure: computed(measure, counts, system.name) for measure in chosen},
        system.threshold,
    )


def _headed(usual: tuple[Measure, ...], matrix: ConfusionMatrix) -> tuple[Measure, ...]:
    """The usual measures; where one label has most items, accuracy says little, and goes to the end."""
    if imbalance_of(matrix) is None:
        return usual
    leading, accuracy = (measure_of(name, "multiclass") for name in (LEADING, "Accuracy"))
    rest = (measure for measure in usual if measure not in {leading, accuracy})
    return (leading, measure_of(SPARE, "multiclass"), *rest, accuracy)


def _are_of_scores(names: Sequence[str | Measure] | None) -> bool:
    """Whether all measures are made of scores of two labels, so that nobody asks what is predicted."""
    try:
        return names is not None and all(measure_of(name, "binary").definition.counts in _OF_SCORES for name in names)
    except ParameterError:  # no such measure of two labels: whoever looks for it says so
        return True
