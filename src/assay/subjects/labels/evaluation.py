"""`classify`: predictions, or a confusion matrix -> a `Classification`; and the report of labels as others print it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.domains import Whole
from assay.core.errors import ParameterError
from assay.core.evaluation_options import Undefined
from assay.core.results import Result
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix, LabelSets
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.matrices import Averages, averages
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure, ParameterValue
from assay.measures.undefined import policy_of, refuse_idle_policy, refuse_undefined
from assay.stats.estimates import checked_confidence
from assay.subjects.labels.advice import REMARKS
from assay.subjects.labels.inputs import Prepared, against_rest, all_labels, prepare, same_task, systems_in, unpaired
from assay.subjects.labels.intervals import Patterns, weighted_patterns
from assay.subjects.labels.measurement import (
    LABEL_COUNTS,
    LEADING,
    SPARE,
    Measures,
    computed,
    counts_of,
    imbalance_of,
    is_over_items,
    left_aside,
    measure_of,
    measures_of,
    names_in,
)
from assay.subjects.labels.result import Classification, ClassificationView, ClassifiedSystem
from assay.tables import Predictions
from assay.tables.roles import ColumnNames, named_by

if TYPE_CHECKING:
    import polars as pl


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
    undefined: Undefined | float = "counted_as",
    zero_division: float | str | None = None,
) -> Classification:
    """Evaluate one classifier or several.

    `predictions` are `Predictions`, a `ConfusionMatrix`, a data frame or the path of a file; or a list of such, or a
    dict from names to them (of a file with several systems, each is called by both names). The data decide what kind of
    classifier it is: two labels, more, or several per item. `pos_label`: the positive one of two labels, if it is not 1
    or True. `threshold`: predict positive from this score on; without predictions it is 0.5 where scores lie between 0
    and 1, and has to be given where they do not, unless all measures are of scores alone, such as AUC. Where there is a
    score for each class, the largest one is predicted. `one_class`: this class against all others, as two labels.

    An absent prediction, which `nulls="label"` lets in, is never right: of two labels it counts as the wrong one; with
    more, or with several per item, it is no class, neither in the table of classes nor in averages over them; where
    there is a matrix it has a column there.

    `confidence`, `resamples` and `seed` are for intervals; without resamples (0) only those are there that need none.
    `columns`: which columns of files and frames have which role, as in `columns={"truth": "Verdict"}`, unless they have
    a usual name. `mute`: codes of remarks not to be made, such as "prevalence".

    `undefined`: what averages over classes, or over items with several labels, do with those in which a measure is
    undefined. By default (`counted_as`) a class that has items and is never predicted, or an item for which nothing is
    predicted, counts as 0; one in which the truth leaves nothing to measure is left out, for all systems alike; an item
    that has no label, and gets none, counts as 1 in F and Jaccard. `skip` leaves all of them out, `error` refuses them,
    and 0 or 1 counts each as that: `zero_division` is the same by the name, and with the values, of scikit-learn. Of
    two labels, a share of 0/0, such as precision where nothing is predicted positive, is NA unless 0 or 1 is asked for.

    >>> from assay import Predictions, classify
    >>> classify(Predictions.of(["ham", "spam", "spam"], ["ham", "spam", "ham"], pos_label="spam"), "Recall").value()
    0.5
    """
    mute = (mute,) if isinstance(mute, str) else tuple(mute)
    policy = policy_of(undefined, zero_division)
    REMARKS.refuse_unknown(mute)
    checked_confidence(confidence)
    resamples, seed = Whole(0).check("resamples", resamples), Whole(0).check("seed", seed)
    with named_by(columns):
        opened = systems_in(predictions, pos_label)
    if one_class is not None:
        if pos_label is not None or labels is not None:
            raise ParameterError("one_class is the positive label, against all others: leave pos_label and labels out")
        opened = {name: against_rest(table, one_class) for name, table in opened.items()}
    wanted = names_in(measures)
    alone = _are_of_scores(wanted)
    prepared = [
        prepare(name, table, labels, pos_label, threshold, scores_alone=alone) for name, table in opened.items()
    ]
    task = same_task(prepared)
    every = all_labels(prepared)
    systems = [_system(system, every, wanted, task, policy) for system in prepared]
    # By default, what all systems have: one may have scores, or a label with most items, where another has none.
    chosen = tuple(measure for measure in systems[0].results if all(measure in system.results for system in systems))
    if wanted is not None and policy == "skip":  # 0 and 1 stand in the table of classes
        refuse_idle_policy(chosen, policy)
    warnings = [warning for system in prepared for warning in system.warnings]
    notes = [note for system in prepared for note in system.notes]
    if wanted is None:
        held = [system.predictions for system in systems if system.predictions is not None]
        notes += [note for predictions in held for note in left_aside(DEFAULTS[task], task, predictions)]
    return Classification(
        tuple(systems),
        chosen,
        task,
        _classes(systems[0], every),
        prepared[0].positive,
        tuple(dict.fromkeys(notes)),
        ClassificationView() if shown is None else shown,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        mute=mute,
        warnings=tuple(dict.fromkeys([*warnings, *unpaired(prepared)])),
        undefined=policy,
    )


def _classes(first: ClassifiedSystem, labels: tuple[Any, ...]) -> tuple[Any, ...]:
    """The labels that an item can have: an absent prediction has a column in the matrix, and is none of them."""
    if LabelSets in first.counts:
        sets: LabelSets = first.counts[LabelSets]
        return sets.labels
    matrix: ConfusionMatrix | None = first.counts.get(ConfusionMatrix)
    return labels if matrix is None else matrix.classes


def _system(
    system: Prepared, labels: tuple[Any, ...], wanted: Sequence[str | Measure] | None, task: str, undefined: Undefined
) -> ClassifiedSystem:
    predictions = system.given if isinstance(system.given, Predictions) else None
    chosen = measures_of(wanted, DEFAULTS[task], task, predictions)
    if predictions is None:
        counts: dict[type, Any] = {ConfusionMatrix: system.given}
    else:
        counts = counts_of(predictions, labels, system.positive, chosen)
        if predictions.weight is not None and predictions.prediction is not None and task != "multilabel":
            counts[Patterns] = weighted_patterns(
                predictions.truth, predictions.prediction, predictions.weight, counts[ConfusionMatrix]
            )
    if wanted is None and task == "multiclass" and ConfusionMatrix in counts:
        chosen = _headed(chosen, counts[ConfusionMatrix])
    results = {measure: computed(measure, counts, system.name, undefined) for measure in chosen}
    if undefined == "error":
        for measure, result in results.items():
            refuse_undefined(measure, "item" if is_over_items(measure, counts) else "table", result)
    return ClassifiedSystem(system.name, predictions, counts, results, system.threshold)


def _headed(usual: tuple[Measure, ...], matrix: ConfusionMatrix) -> tuple[Measure, ...]:
    """The usual measures; where one label has most items, accuracy says little, and goes to the end."""
    if imbalance_of(matrix) is None:
        return usual
    leading, accuracy = (measure_of(name, "multiclass") for name in (LEADING, "Accuracy"))
    rest = (measure for measure in usual if measure not in {leading, accuracy})
    return (leading, measure_of(SPARE, "multiclass"), *rest, accuracy)


def _are_of_scores(names: Sequence[str | Measure] | None) -> bool:
    """True if all measures are made of scores of two labels, so that nobody asks what is predicted."""
    try:
        return names is not None and all(measure_of(name, "binary").definition.counts in _OF_SCORES for name in names)
    except ParameterError:  # no such measure of two labels: whoever looks for it says so
        return True


_MEASURES = tuple(parse_measure(name, "multiclass") for name in ("Precision", "Recall", "F"))


@dataclass(frozen=True, eq=False)
class LabelReport(Result):
    """Precision, recall and F1 of every class, and their averages; NaN where one is undefined.

    >>> from assay import classification_report
    >>> report = classification_report(["ham", "spam", "spam"], ["ham", "spam", "ham"])
    >>> report.recall.classes
    array([1. , 0.5])
    >>> report.f1.macro, report.accuracy
    (0.6667, 0.6667)
    """

    kind = "label_report"

    matrix: ConfusionMatrix
    precision: Averages
    recall: Averages
    f1: Averages
    undefined: Undefined = "counted_as"

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, in order."""
        return self.matrix.classes

    @property
    def accuracy(self) -> float:
        """The share of items that were predicted rightly: the recall of all classes together."""
        return self.recall.micro

    def _lines(self) -> Iterator[tuple[str, float, float, float, float]]:
        """A name, precision, recall, F1 and support: of each class, then of each average."""
        support = self.matrix.table.sum(axis=1)
        asked = self.undefined in {"0", "1"}
        of_classes = [column.taken if asked else column.classes for column in self._columns.values()]
        for place, label in enumerate(self.labels):
            numbers = (float(column[place]) for column in of_classes)
            yield (str(label), *numbers, support[self.matrix.place(label)].item())
        total = support.sum().item()
        for average in ("micro", "macro", "weighted"):
            numbers = (getattr(column, average) for column in (self.precision, self.recall, self.f1))
            yield (f"{average} avg", *numbers, total)

    def to_dict(self) -> dict[str, Any]:
        """The numbers under the keys of scikit-learn's report; `accuracy` and all three averages are always there.

        >>> from assay import classification_report
        >>> classification_report([0, 1, 1], [0, 1, 0]).to_dict()["1"]
        {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.6667, 'support': 2}
        """
        keys = ("precision", "recall", "f1-score", "support")
        payload: dict[str, Any] = {name: dict(zip(keys, numbers, strict=True)) for name, *numbers in self._lines()}
        return payload | {"accuracy": self.accuracy}

    def to_frame(self) -> pl.DataFrame:
        """A row a class and a row an average; null where a number is undefined."""
        import polars as pl  # noqa: PLC0415  # who wants the numbers alone does not wait for a table of them

        columns = {"label": pl.String, "precision": pl.Float64, "recall": pl.Float64, "f1": pl.Float64}
        support = pl.Float64 if self.matrix.tables.dtype.kind == "f" else pl.Int64
        frame = pl.DataFrame([*self._lines()], schema=columns | {"support": support}, orient="row")
        return frame.with_columns(pl.col("precision", "recall", "f1").fill_nan(None))

    @property
    def left_out(self) -> dict[str, list[Any]]:
        """The classes that have no number, and that the macro average leaves out, by column.

        >>> from assay import classification_report
        >>> classification_report(["a", "b"], ["a", "a"], undefined="skip").left_out
        {'precision': ['b']}
        """
        absent = {
            name: [self.labels[place] for place in np.flatnonzero(np.isnan(column.taken))]
            for name, column in self._columns.items()
        }
        return {name: classes for name, classes in absent.items() if classes}

    @property
    def counted(self) -> dict[tuple[str, float], list[Any]]:
        """The classes that have no number, and that averages count all the same, by column and what they count as.

        >>> from assay import classification_report
        >>> classification_report(["a", "b"], ["a", "a"]).counted
        {('precision', 0.0): ['b']}
        """
        classes: dict[tuple[str, float], list[Any]] = {}
        for name, column in self._columns.items():
            for place in np.flatnonzero(np.isnan(column.classes) & ~np.isnan(column.taken)):
                classes.setdefault((name, float(column.taken[place])), []).append(self.labels[place])
        return classes

    @property
    def _columns(self) -> dict[str, Averages]:
        return {"precision": self.precision, "recall": self.recall, "F1": self.f1}


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    undefined: Undefined | float = "counted_as",
    zero_division: float | str | None = None,
) -> LabelReport:
    """Precision, recall, F1 and support of every class, accuracy, and the micro, macro and weighted averages.

    It is what scikit-learn's function of this name tells; `classify` has intervals, baselines and advice besides.
    `labels`: the order of the classes, all of which are to be named. An undefined number is NaN; in averages a class
    that has items and is never predicted counts as 0, and one without items is left out: see `undefined` of `classify`.
    `zero_division` of 0 or 1 is also what the class itself then has.

    >>> from assay import classification_report
    >>> print(classification_report(["a", "b", "c", "c"], ["a", "b", "b", "c"]))
    class         precision  recall      F1  support
    a                1.0000  1.0000  1.0000        1
    b                0.5000  1.0000  0.6667        1
    c                1.0000  0.5000  0.6667        2
    micro avg        0.7500  0.7500  0.7500        4
    macro avg        0.8333  0.8333  0.7778        4
    weighted avg     0.8750  0.7500  0.7500        4
    <BLANKLINE>
    accuracy 0.7500
    """
    matrix = ConfusionMatrix.from_labels(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    policy = policy_of(undefined, zero_division)
    precision, recall, f1 = averages(_MEASURES, matrix, policy).values()
    return LabelReport(matrix, precision, recall, f1, policy)


@dataclass(frozen=True)
class Scorer:
    """A measure to be called with true and predicted labels; see `scorer`."""

    two: Measure
    more: Measure
    pos_label: Any = None
    labels: tuple[Any, ...] | None = None
    undefined: Undefined = "counted_as"

    def __call__(self, y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
        """The measure's number, NaN if it is undefined."""
        if self.two.definition.counts is Scored:
            scored = Scored.from_scores(y_true, y_pred, pos_label=self.pos_label, sample_weight=sample_weight)
            return float(self.two.of(scored)[0])
        items = Predictions.of(
            y_true, y_pred, labels=self.labels, pos_label=self.pos_label, sample_weight=sample_weight
        )
        if items.kind == "multilabel":
            raise ParameterError("a scorer takes one label per item")
        chosen = self.two if items.kind == "binary" else self.more
        positive = None
        if chosen.definition.counts is Confusion and chosen.parameters.get("average") == "binary":
            # What more labels have a formula for, too, is the same number whichever of two is called positive.
            either = self.more.definition.counts is ConfusionMatrix and self.pos_label is None
            positive = items.classes[-1] if either else items.positive
        counts = counts_of(items, items.label_values, positive)
        return float(computed(chosen, counts, items.name, self.undefined).values[0])

    @property
    def __name__(self) -> str:  # scikit-learn shows scorers by the name of their function
        return str(self.two)


def scorer(
    measure: str | Measure,
    pos_label: Any = None,
    *,
    labels: Sequence[Any] | None = None,
    undefined: Undefined | float = "counted_as",
    zero_division: float | str | None = None,
    **parameters: ParameterValue,
) -> Scorer:
    """A function `(y_true, y_pred, *, sample_weight=None)` that gives the measure's number, NaN if it is undefined.

    With two labels it is the number of the positive one, unless `average` says otherwise; with more, an average over
    classes. `labels`: all labels there are. State them for cross-validation, where a fold may lack some: of three
    labels it would otherwise be judged as if there were two. A measure of scores takes scores in the place of
    predictions. `undefined`, or `zero_division`: what a class without a number counts as, as in `classify`.

    >>> scorer("Specificity")([1, 0, 0, 0], [1, 0, 0, 1])  # 2 of 3
    0.6667
    >>> scorer("F", average="micro")(["a", "b", "c"], ["a", "b", "b"])
    0.6667
    >>> scorer("F", labels=["a", "b", "c"])(["a", "b", "b"], ["a", "a", "b"])  # as in the other folds: macro
    0.6667
    """
    policy = policy_of(undefined, zero_division)
    two = parse_measure(measure, "binary")(**parameters)
    kind = two.definition.counts
    if kind not in {*LABEL_COUNTS, Scored}:
        raise ParameterError(f"{two} is computed from {kind.__name__}: a scorer takes labels, or one score per item")
    if kind is Scored:
        if labels is not None:
            raise ParameterError(f"{two} is a measure of scores, which are of the positive label: labels say nothing")
        return Scorer(two, two, pos_label, undefined=policy)
    named = None if labels is None else tuple(labels)
    if pos_label is not None and named is not None and len(named) > 2:
        raise ParameterError(f"only one of two labels can be positive, and there are {len(named)}")
    chosen = {name: value for name, value in two.chosen.items() if (name, value) != ("average", "binary")}
    more = parse_measure(measure.name if isinstance(measure, Measure) else measure, "multiclass")
    known = more.definition.parameters
    several = more(**{name: value for name, value in chosen.items() if name in known})
    return Scorer(two, several, pos_label, named, policy)
